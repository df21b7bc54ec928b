/*
 * A family marks places in a small bitmap-free way: it calls put(i, j) for each place,
 * in row order; the list is then dressed as CSR, CSC, COO or BSR. Dressing is written
 * for clarity, not speed: counting sort over a COO list.
 */
#include "gen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t
gen_next(gen_rng *r)
{
    uint64_t z = (r->state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

int64_t
gen_below(gen_rng *r, int64_t n)
{
    return n < 1 ? 0 : (int64_t)(gen_next(r) % (uint64_t)n);
}

int64_t
gen_between(gen_rng *r, int64_t lo, int64_t hi)
{
    return lo + gen_below(r, hi - lo + 1);
}

double
gen_unit(gen_rng *r)
{
    return (double)(gen_next(r) >> 11) * 0x1p-53;
}

const char *
gen_family_name(gen_family f)
{
    static const char *const names[] = {
        "empty",  "uniform", "dense_row", "dense_col", "power_law",
        "banded", "blocks",  "diagonals", "row_runs",  "full"};

    return (unsigned)f < GEN_FAMILY_COUNT ? names[f] : "?";
}

static void *
take(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);

    if (!p) {
        fprintf(stderr, "tests: out of memory (%zu bytes)\n", bytes);
        exit(99);
    }
    return p;
}

/* ---- Places -------------------------------------------------------------------------
 */

typedef struct place {
    int64_t i, j;
} place;

typedef struct place_list {
    place *at;
    int64_t count, cap;
} place_list;

static void
put(place_list *l, int64_t i, int64_t j)
{
    if (l->count == l->cap) {
        place *grown;

        l->cap = l->cap ? 2 * l->cap : 256;
        grown = take((size_t)l->cap * sizeof *grown);
        if (l->count)
            memcpy(grown, l->at, (size_t)l->count * sizeof *grown);
        free(l->at);
        l->at = grown;
    }
    l->at[l->count++] = (place){i, j};
}

/* Each place of row i with chance p, skipping geometrically so that sparse rows of wide
 * matrices stay cheap. */
static void
sprinkle_row(place_list *l, gen_rng *r, int64_t i, int64_t cols, double p)
{
    if (p >= 1.0) {
        for (int64_t j = 0; j < cols; j++)
            put(l, i, j);
        return;
    }
    if (p <= 0.0)
        return;
    for (int64_t j = -1;;) {
        const double skip = floor(log1p(-gen_unit(r)) / log1p(-p));

        if (skip >= (double)(cols - 1 - j))
            return;
        j += 1 + (int64_t)skip;
        put(l, i, j);
    }
}

static bool
near_diagonal(int64_t i, int64_t j, int64_t m, int64_t n, int64_t width)
{
    const int64_t center = m > 1 ? i * (n - 1) / (m - 1) : 0;

    return j >= center - width && j <= center + width;
}

static void
place_row(place_list *l, gen_rng *r, const gen_spec *s, int64_t i, double p,
          int64_t special)
{
    const int64_t n = s->cols, b = s->block ? s->block : 4;

    switch (s->family) {
    case GEN_DENSE_ROW:
        sprinkle_row(l, r, i, n, i == special ? 1.0 : p / 4);
        break;
    case GEN_DENSE_COL:
        for (int64_t j = 0; j < n; j++)
            if (j == special || gen_unit(r) < p / 4)
                put(l, i, j);
        break;
    case GEN_POWER_LAW: {
        const double share = 1.0 / (1.0 + 20.0 * gen_unit(r) * gen_unit(r) * (double)n);

        sprinkle_row(l, r, i, n, gen_below(r, 16) == 0 ? 0.8 : share);
        break;
    }
    case GEN_BANDED:
        for (int64_t j = 0; j < n; j++)
            if (near_diagonal(i, j, s->rows, n, 2))
                put(l, i, j);
        break;
    case GEN_BLOCKS:
        for (int64_t j = 0; j < n; j++) {
            gen_rng cell = {s->seed ^ (uint64_t)(i / b * 1000003 + j / b)};

            if (gen_unit(&cell) < (p < 0.3 ? 0.3 : p))
                put(l, i, j);
        }
        break;
    case GEN_DIAGONALS:
        for (int64_t j = 0; j < n; j++) {
            gen_rng off = {s->seed ^ (uint64_t)(j - i)};

            if (gen_unit(&off) < 0.3 && gen_below(r, 8) != 0)
                put(l, i, j);
        }
        break;
    case GEN_ROW_RUNS: {
        static const int64_t lengths[] = {0, 1, 2, 3, 4, 8, 9, 16};
        const int64_t len = lengths[gen_below(r, 8)];
        const int64_t j0 = gen_below(r, n - len + 1);

        for (int64_t j = j0; j < n && j < j0 + len; j++)
            put(l, i, j);
        break;
    }
    case GEN_FULL:
        sprinkle_row(l, r, i, n, 1.0);
        break;
    case GEN_UNIFORM:
        sprinkle_row(l, r, i, n, p);
        break;
    case GEN_EMPTY:
    case GEN_FAMILY_COUNT:
        break;
    }
}

static void
shuffle(place *at, int64_t count, gen_rng *r)
{
    for (int64_t p = count - 1; p > 0; p--) {
        const int64_t q = gen_below(r, p + 1);
        const place t = at[p];

        at[p] = at[q];
        at[q] = t;
    }
}

static place_list
places(const gen_spec *s, gen_rng *r)
{
    place_list l = {0};
    const double p = s->density > 0 ? s->density : 0.1;
    const int64_t special =
        gen_below(r, s->family == GEN_DENSE_COL ? s->cols : s->rows);

    for (int64_t i = 0; i < s->rows; i++)
        place_row(&l, r, s, i, p, special);
    if (s->duplicates) {
        const int64_t count = l.count;

        for (int64_t q = 0; q < count && l.count < s->rows * s->cols; q += 3)
            put(&l, l.at[q].i, l.at[q].j);
    }
    return l;
}

/* ---- Values -------------------------------------------------------------------------
 */

static double
draw(gen_rng *r, bool integer)
{
    int64_t v;

    if (!integer)
        return 2.0 * gen_unit(r) - 1.0;
    v = gen_between(r, 1, 6);
    return (double)(v > 3 ? v - 7 : v);
}

static sb_value
draw_value(gen_rng *r, sb_dtype t, bool integer)
{
    sb_value v = {draw(r, integer || sb_dtype_is_int(t)), 0.0};

    if (sb_dtype_is_complex(t))
        v.im = draw(r, integer);
    return v;
}

sb_value
gen_scalar(gen_rng *r, sb_dtype t)
{
    return draw_value(r, t, true);
}

static void *
draw_values(gen_rng *r, sb_dtype t, int64_t count, bool integer)
{
    void *val = take((size_t)count * sb_dtype_size(t));

    for (int64_t p = 0; p < count; p++)
        sb_value_store(t, val, p, draw_value(r, t, integer));
    return val;
}

/* ---- Dressing -----------------------------------------------------------------------
 */

static void
set_index(void *array, sb_dtype t, int64_t p, int64_t v)
{
    if (t == SB_I64)
        ((int64_t *)array)[p] = v;
    else
        ((int32_t *)array)[p] = (int32_t)v;
}

/* Sorted by major, stable: slots of one major keep the list's order. */
static void
dress_compressed(sb_matrix *a, const place_list *l, int64_t majors, bool by_col)
{
    int64_t *at = take((size_t)(majors + 2) * sizeof *at);
    void *ptr = take((size_t)(majors + 1) * sb_dtype_size(a->ptr_type));
    void *idx = take((size_t)l->count * sb_dtype_size(a->idx_type));

    memset(at, 0, (size_t)(majors + 2) * sizeof *at);
    for (int64_t p = 0; p < l->count; p++)
        at[(by_col ? l->at[p].j : l->at[p].i) + 2]++;
    for (int64_t i = 0; i < majors; i++)
        at[i + 2] += at[i + 1];
    for (int64_t i = 0; i <= majors; i++)
        set_index(ptr, a->ptr_type, i, at[i + 1] + a->base);
    for (int64_t p = 0; p < l->count; p++) {
        const int64_t major = by_col ? l->at[p].j : l->at[p].i;
        const int64_t minor = by_col ? l->at[p].i : l->at[p].j;

        set_index(idx, a->idx_type, at[major + 1]++, minor + a->base);
    }
    free(at);
    a->ptr = ptr;
    a->idx = idx;
}

static void
dress_coo(sb_matrix *a, const place_list *l)
{
    void *row = take((size_t)l->count * sb_dtype_size(a->idx_type));
    void *idx = take((size_t)l->count * sb_dtype_size(a->idx_type));

    for (int64_t p = 0; p < l->count; p++) {
        set_index(row, a->idx_type, p, l->at[p].i + a->base);
        set_index(idx, a->idx_type, p, l->at[p].j + a->base);
    }
    a->row = row;
    a->idx = idx;
}

/* Gives every member its own copy of an index array; odd members' are mirrored
 * (v -> limit - 1 - v), so that members differ and stay legal. */
static void
replicate(sb_matrix *a, const void **array, int64_t limit, bool mirror)
{
    void *copy = take((size_t)(a->nnz * a->batch) * sb_dtype_size(a->idx_type));

    for (int64_t q = 0; q < a->batch; q++)
        for (int64_t p = 0; p < a->nnz; p++) {
            const int64_t v = sb_index(*array, a->idx_type, p);

            set_index(copy, a->idx_type, q * a->nnz + p,
                      mirror && q % 2 ? limit - 1 - (v - a->base) + a->base : v);
        }
    free((void *)(uintptr_t)*array);
    *array = copy;
}

static void
make_batch(sb_matrix *a)
{
    const int64_t limit = a->format == SB_FORMAT_CSC ? a->rows : a->cols / a->block;

    replicate(a, &a->idx, limit, true);
    if (a->format == SB_FORMAT_COO)
        replicate(a, &a->row, a->rows, false);
    a->idx_stride = a->nnz;
    a->val_stride = gen_value_count(a);
}

int64_t
gen_value_count(const sb_matrix *a)
{
    return a->nnz * sb_matrix_block(a) * sb_matrix_block(a);
}

sb_matrix
gen_matrix(const gen_spec *spec)
{
    gen_spec s = *spec; /* in blocks for BSR */
    gen_rng r = {s.seed};
    const int64_t b = s.block ? s.block : 4;
    place_list l;
    sb_matrix a = {.format = s.format,
                   .ptr_type = s.ptr_type ? s.ptr_type : SB_I32,
                   .idx_type = s.idx_type ? s.idx_type : SB_I32,
                   .val_type = s.val_type ? s.val_type : SB_F32,
                   .base = s.base,
                   .block = s.format == SB_FORMAT_BSR ? b : 1,
                   .block_col_major = s.block_col_major,
                   .batch = s.batch ? s.batch : 1};

    if (sb_matrix_padded(&a))
        return gen_padded(spec);
    if (s.format == SB_FORMAT_BSR) {
        s.rows = (s.rows + b - 1) / b;
        s.cols = (s.cols + b - 1) / b;
    }
    a.rows = s.rows * a.block;
    a.cols = s.cols * a.block;
    l = places(&s, &r);
    if (s.unsorted)
        shuffle(l.at, l.count, &r);
    a.nnz = l.count;
    if (s.format == SB_FORMAT_COO)
        dress_coo(&a, &l);
    else
        dress_compressed(&a, &l, s.format == SB_FORMAT_CSC ? s.cols : s.rows,
                         s.format == SB_FORMAT_CSC);
    free(l.at);
    if (a.batch > 1)
        make_batch(&a);
    a.val = draw_values(&r, a.val_type, gen_value_count(&a) * a.batch, s.integer);
    return a;
}

void
gen_free_matrix(sb_matrix *a)
{
    free((void *)(uintptr_t)a->ptr);
    free((void *)(uintptr_t)a->idx);
    free((void *)(uintptr_t)a->row);
    free(a->val);
    memset(a, 0, sizeof *a);
}

/* ---- Dense --------------------------------------------------------------------------
 */

static int64_t
member_extent(const sb_dense *d)
{
    const int64_t major = d->col_major ? d->cols : d->rows;

    return major > 0 ? major * d->ld : 0;
}

int64_t
gen_dense_extent(const sb_dense *d)
{
    return (d->batch - 1) * d->stride + member_extent(d);
}

static void
poison_all(sb_dense *d, int64_t count)
{
    const sb_value nan_value = {NAN, NAN};

    if (sb_dtype_is_int(d->type)) {
        memset(d->data, 0x7f, (size_t)count * sb_dtype_size(d->type));
        return;
    }
    for (int64_t p = 0; p < count; p++)
        sb_value_store(d->type, d->data, p, nan_value);
}

static void
fill_member(sb_dense *d, int64_t q, gen_rng *r, bool integer)
{
    for (int64_t i = 0; i < d->rows; i++)
        for (int64_t j = 0; j < d->cols; j++) {
            const int64_t at = d->col_major ? i + j * d->ld : i * d->ld + j;

            sb_value_store(d->type, d->data, q * d->stride + at,
                           draw_value(r, d->type, integer));
        }
}

sb_dense
gen_dense(const gen_dense_spec *s)
{
    gen_rng r = {s->seed};
    sb_dense d = {.rows = s->rows,
                  .cols = s->cols,
                  .ld = s->ld,
                  .col_major = s->col_major,
                  .type = s->type ? s->type : SB_F32,
                  .batch = s->batch ? s->batch : 1,
                  .stride = s->stride};

    if (d.ld == 0)
        d.ld = d.col_major ? d.rows : d.cols;
    if (d.batch > 1 && d.stride == 0)
        d.stride = member_extent(&d);
    d.data = take((size_t)gen_dense_extent(&d) * sb_dtype_size(d.type));
    poison_all(&d, gen_dense_extent(&d));
    for (int64_t q = 0; q < d.batch && !s->poison; q++)
        fill_member(&d, q, &r, s->integer);
    return d;
}

void
gen_free_dense(sb_dense *d)
{
    free(d->data);
    memset(d, 0, sizeof *d);
}

void *
gen_copy_bytes(const void *p, size_t bytes)
{
    void *copy = take(bytes);

    if (bytes)
        memcpy(copy, p, bytes);
    return copy;
}

sb_dense
gen_copy_dense(const sb_dense *d)
{
    sb_dense copy = *d;

    copy.data =
        gen_copy_bytes(d->data, (size_t)gen_dense_extent(d) * sb_dtype_size(d->type));
    return copy;
}

/* ---- Cases --------------------------------------------------------------------------
 */

gen_spec
gen_case(uint64_t k)
{
    static const int64_t shapes[][2] = {{0, 0}, {0, 5},  {5, 0},
                                        {1, 1}, {1, 17}, {17, 1}};
    gen_rng r = {k * 2654435761u + 17};
    gen_spec s = {.seed = gen_next(&r)};

    s.family = (gen_family)(k % GEN_FAMILY_COUNT);
    s.rows = gen_between(&r, 2, 40);
    s.cols = gen_between(&r, 2, 40);
    if (gen_below(&r, 5) == 0) {
        const int64_t at = gen_below(&r, 6);

        s.rows = shapes[at][0];
        s.cols = shapes[at][1];
    }
    s.density = 0.05 + 0.4 * gen_unit(&r);
    s.unsorted = gen_below(&r, 4) == 0;
    s.duplicates = gen_below(&r, 6) == 0;
    s.base = (int)gen_below(&r, 2);
    return s;
}
