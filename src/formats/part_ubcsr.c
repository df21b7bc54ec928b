/*
 * Windows of b neighbouring rows cut into blocks of w columns, which begin at any column: holes
 * are stored as zeros, so that a product loads values and x side by side and spreads
 * nothing. Packed alone. Where a hole meets an infinity of x the product says so by a NaN and
 * looks at the bits of the rows, which it reads for nothing else.
 * Source   unaligned block CSR (Vuduc and Moon 2005), rows aligned, one size of blocks
 */
#include "formats/chunk.h"

#include <string.h>

enum { MOST = 8 /* slots an entry */, GRAIN = 64 /* windows at most */ };

/* What threads share: they fill windows apart from each other. */
typedef struct job {
    const sb_view *v;
    int b, w;
    const void *ptr;
    const uint32_t *bits;
    const char *from;
    char *val;
    size_t size;
} job;

/* Copies a value, or zeros; of constant size without a branch, as where holes are none would foresee. */
SB_INLINE void
put(char *to, const char *from, bool held, size_t size)
{
    if (size == 4) {
        uint32_t x;

        memcpy(&x, from, sizeof x);
        x &= 0 - (uint32_t)held;
        memcpy(to, &x, sizeof x);
    } else if (size == 8) {
        uint64_t x;

        memcpy(&x, from, sizeof x);
        x &= 0 - (uint64_t)held;
        memcpy(to, &x, sizeof x);
    } else if (held) {
        memcpy(to, from, size);
    } else {
        memset(to, 0, size);
    }
}

/* Values of a window's blocks, zeros where a row has none; `size` and `in_place` are constant where this is
 * inlined. */
SB_INLINE void
fill_window(const job *j, int64_t window, size_t size, bool in_place)
{
    const sb_view *v = j->v;
    const int64_t lo = sb_index(j->ptr, v->slot_type, window),
                  hi = sb_index(j->ptr, v->slot_type, window + 1), last = v->nnz - 1;

    for (int r = 0; r < j->b && window * j->b + r < v->rows; r++) {
        int64_t slot = sb_view_lo(v, window * j->b + r);

        for (int64_t q = lo; q < hi; q++) {
            const uint32_t bits = j->bits[q * j->b + r];
            char *to = j->val + (size_t)((q * j->b + r) * j->w) * size;

            for (int c = 0; c < j->w; c++, to += size) {
                const bool held = bits >> c & 1;
                const int64_t s =
                    slot < last ? slot : last; /* a hole behind the last */
                const int64_t pos = in_place ? s : v->pos[s];

                put(to, j->from + (size_t)pos * size, held, size);
                slot += held;
            }
        }
    }
    if ((window + 1) * j->b > v->rows) /* rows that there are not */
        for (int64_t q = lo; q < hi; q++)
            memset(j->val +
                       (size_t)((q * j->b + v->rows - window * j->b) * j->w) * size,
                   0, (size_t)(((window + 1) * j->b - v->rows) * j->w) * size);
}

static void
fill_windows(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;

    for (int64_t q = lo; q < hi; q++)
        if (j->size == 4 && !j->v->pos)
            fill_window(j, q, 4, true);
        else if (j->size == 8 && !j->v->pos)
            fill_window(j, q, 8, true);
        else
            fill_window(j, q, j->size, !j->v->pos);
}

static sb_status
build(sb_part *out, sb_cover *cv, job *j, sb_dtype type, const sb_par *par)
{
    static const sb_chunk_names names = {"ubcsr_ptr", "ubcsr_crd", "ubcsr_bits"};
    const sb_view *v = j->v;
    const int64_t windows = (v->rows + j->b - 1) / j->b, slots = (int64_t)j->b * j->w;

    SB_TRY(sb_chunks_make(out, &names, v, j->b, j->w, MOST * v->nnz / slots, par));
    out->slots = sb_part_find(out, names.crd)->count * slots;
    j->val = sb_part_array_new(out, "ubcsr_val", type, out->slots);
    if (!j->val)
        return SB_ENOMEM;
    j->ptr = sb_part_find(out, names.ptr)->data;
    j->bits = sb_part_find(out, names.bits)->data;
    sb_par_run(par, fill_windows, j, 0, windows, sb_par_piece(v->nnz, windows, GRAIN));
    sb_cover_rows_done(cv, v->rows);
    out->nnz = v->nnz;
    out->width = j->b;
    out->ngroup = windows > 0;
    out->group[0] = (sb_part_group){0, windows, v->nnz, 0, false};
    cv->rest = 0;
    return SB_OK;
}

sb_status
sb_part_ubcsr(sb_part *out, sb_cover *cv, const sb_ubcsr *as, bool sorted,
              const sb_par *par)
{
    job j = {.v = cv->v,
             .b = as->rows,
             .w = as->cols,
             .from = as->val,
             .size = sb_dtype_size(as->type)};
    sb_status st;

    memset(out, 0, sizeof *out);
    out->kind = SB_PART_UBCSR;
    if (!sorted || cv->v->cols < as->cols || cv->v->block > 1 || sb_cover_begun(cv))
        return SB_SKIP;
    SB_ASSERT(as->rows >= 1 && as->rows <= SB_UBCSR_ROWS &&
              (as->cols == 4 || as->cols == 8));
    st = build(out, cv, &j, as->type, par);
    if (st != SB_OK) {
        sb_part_free(out);
        sb_cover_free(cv);
    }
    return st;
}
