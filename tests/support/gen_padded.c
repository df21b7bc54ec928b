/*
 * Formats with empty slots, dressed from a CSR or BSR matrix of the same spec. Empty slots
 * stand before and after entries, and their values are what must not be read.
 */
#include "gen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int64_t
index_of(const void *array, sb_dtype t, int64_t p)
{
    return sb_index(array, t, p);
}

static void
set_index(const void *array, sb_dtype t, int64_t p, int64_t v)
{
    if (t == SB_I64)
        ((int64_t *)(uintptr_t)array)[p] = v;
    else
        ((int32_t *)(uintptr_t)array)[p] = (int32_t)v;
}

/* All slots empty. */
static void
make_slots(sb_matrix *a, int64_t values)
{
    const size_t size = sb_dtype_size(a->val_type);

    a->idx = malloc((size_t)a->nnz * sb_dtype_size(a->idx_type) + 1);
    a->val = malloc((size_t)values * size + 1);
    for (int64_t p = 0; p < a->nnz; p++)
        set_index(a->idx, a->idx_type, p, -1);
    if (sb_dtype_is_int(a->val_type))
        memset(a->val, 0x7f, (size_t)values * size);
    for (int64_t p = 0; p < values && !sb_dtype_is_int(a->val_type); p++)
        sb_value_store(a->val_type, a->val, p, (sb_value){NAN, NAN});
}

static int64_t
length_of(const sb_matrix *m, int64_t u)
{
    return index_of(m->ptr, m->ptr_type, u + 1) - index_of(m->ptr, m->ptr_type, u);
}

static int64_t
longest(const sb_matrix *m, int64_t lo, int64_t hi)
{
    int64_t most = 0;

    for (int64_t u = lo; u < hi; u++)
        most = length_of(m, u) > most ? length_of(m, u) : most;
    return most;
}

static void
copy_value(const sb_matrix *to, int64_t p, const sb_matrix *from, int64_t q)
{
    const int64_t size = (int64_t)sb_dtype_size(to->val_type);

    memcpy((char *)to->val + p * size, (const char *)from->val + q * size,
           (size_t)size);
}

/* Slot k of block row u has the m's block p. */
static void
put_block(const sb_matrix *a, const sb_matrix *m, int64_t u, int64_t k, int64_t p)
{
    const int64_t b = a->block, ld = a->width * b;

    set_index(a->idx, a->idx_type, u * a->width + k, index_of(m->idx, m->idx_type, p));
    for (int64_t e = 0; e < b * b; e++)
        copy_value(a, (u * b + e / b) * ld + k * b + e % b, m, p * b * b + e);
}

static sb_matrix
dress_blocks(const sb_matrix *m, uint64_t seed)
{
    const int64_t b = m->block, rows = m->rows / b, cols = m->cols / b;
    const int64_t wide = longest(m, 0, rows) + (int64_t)(seed % 2);
    sb_matrix a = *m;

    a.format = SB_FORMAT_BELL;
    a.ptr = NULL;
    a.ptr_type = a.idx_type;
    a.block_col_major = false;
    a.width = wide < cols ? wide : cols;
    a.nnz = rows * a.width;
    make_slots(&a, a.nnz * b * b);
    for (int64_t u = 0; u < rows; u++) {
        const int64_t first = index_of(m->ptr, m->ptr_type, u) - m->base;
        const int64_t shift = u % 2 ? a.width - length_of(m, u) : 0;

        for (int64_t k = 0; k < length_of(m, u); k++)
            put_block(&a, m, u, shift + k, first + k);
    }
    return a;
}

static sb_matrix
dress_slices(const sb_matrix *m, uint64_t seed)
{
    const int64_t c = 1 + (int64_t)(seed % 5), slices = (m->rows + c - 1) / c;
    sb_matrix a = *m;
    int64_t at = 0;

    a.format = SB_FORMAT_SELL;
    a.width = c;
    a.ptr = malloc((size_t)(slices + 1) * sb_dtype_size(a.ptr_type));
    for (int64_t s = 0; s <= slices; s++) {
        const int64_t hi = (s + 1) * c < m->rows ? (s + 1) * c : m->rows;

        set_index(a.ptr, a.ptr_type, s, at + m->base);
        if (s < slices)
            at += (longest(m, s * c, hi) + s % 2) * c;
    }
    a.nnz = at;
    make_slots(&a, a.nnz);
    for (int64_t i = 0; i < m->rows; i++) {
        const int64_t lo = index_of(a.ptr, a.ptr_type, i / c) - m->base;
        const int64_t hi = index_of(a.ptr, a.ptr_type, i / c + 1) - m->base;
        const int64_t first = index_of(m->ptr, m->ptr_type, i) - m->base;
        const int64_t shift = i % 2 ? (hi - lo) / c - length_of(m, i) : 0;

        for (int64_t k = 0; k < length_of(m, i); k++) {
            const int64_t p = lo + (shift + k) * c + i % c;

            set_index(a.idx, a.idx_type, p, index_of(m->idx, m->idx_type, first + k));
            copy_value(&a, p, m, first + k);
        }
    }
    return a;
}

sb_matrix
gen_padded(const gen_spec *spec)
{
    const bool blocks = spec->format == SB_FORMAT_BELL;
    gen_spec s = *spec;
    sb_matrix m, a;

    s.format = blocks ? SB_FORMAT_BSR : SB_FORMAT_CSR;
    s.batch = 1;
    s.block_col_major = false;
    s.duplicates = s.duplicates && !blocks;
    m = gen_matrix(&s);
    a = blocks ? dress_blocks(&m, s.seed) : dress_slices(&m, s.seed);
    gen_free_matrix(&m);
    return a;
}
