#include "exact.h"

#include "base/macro.h"
#include "runtime/backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64, PIECE = 1 << 16, GAP_VALUE = 77 };

void *
exact_need(int64_t count, size_t size)
{
    void *p = malloc(count > 0 ? (size_t)count * size : 1);

    if (!p) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    return p;
}

/* -3 .. 3 without 0. */
static int8_t
integer_at(int64_t at)
{
    const uint64_t h = ((uint64_t)at + 1) * 0x9e3779b97f4a7c15u >> 40;
    const int v = (int)(h % 3) + 1;

    return (int8_t)(h & 8 ? v : -v);
}

static void
parallel(sb_range_fn fn, void *user, int64_t n, int64_t grain)
{
    sb_backend_get()->parallel(fn, user, 0, n, grain);
}

/* ---- the sparse matrix ------------------------------------------------------------ */

static void
fill_table(void *user, int64_t lo, int64_t hi)
{
    int8_t *table = user;

    for (int64_t p = lo * EXACT_COLUMNS; p < hi * EXACT_COLUMNS; p++)
        table[p] = integer_at(p + 7);
}

static int64_t
longest_of(const exact *x)
{
    int64_t *n = calloc((size_t)x->cols + 1, sizeof *n), longest = 0;

    if (!n)
        return INT64_MAX;
    for (int64_t p = 0; p < x->nnz; p++)
        n[x->idx[p]]++;
    for (int64_t j = 0; j < x->cols; j++)
        longest = n[j] > longest ? n[j] : longest;
    for (int64_t i = 0; i < x->rows; i++)
        longest =
            x->ptr[i + 1] - x->ptr[i] > longest ? x->ptr[i + 1] - x->ptr[i] : longest;
    free(n);
    return longest;
}

void
exact_open(exact *x, const mm_matrix *m)
{
    const int64_t side = m->rows > m->cols ? m->rows : m->cols;

    *x = (exact){.rows = m->rows, .cols = m->cols, .nnz = m->nnz};
    x->ptr = exact_need(m->rows + 1, sizeof *x->ptr);
    x->idx = exact_need(m->nnz, sizeof *x->idx);
    x->a = exact_need(m->nnz, sizeof *x->a);
    for (int64_t i = 0; i <= m->rows; i++)
        x->ptr[i] = (int32_t)m->ptr[i];
    for (int64_t p = 0; p < m->nnz; p++) {
        x->idx[p] = (int32_t)m->col[p];
        x->a[p] = integer_at(p);
    }
    for (int t = 0; t < EXACT_TYPES; t++) {
        x->val[t] = exact_need(m->nnz, sb_dtype_size(exact_types[t]));
        for (int64_t p = 0; p < m->nnz; p++)
            sb_value_store(exact_types[t], x->val[t], p, (sb_value){x->a[p], 0});
    }
    x->table = exact_need(side * EXACT_COLUMNS, 1);
    parallel(fill_table, x->table, side, BLOCK);
    x->longest = longest_of(x);
}

void
exact_close(exact *x)
{
    free(x->ptr);
    free(x->idx);
    free(x->a);
    free(x->val[0]);
    free(x->val[1]);
    free(x->table);
    free(x->product);
    free(x->sample[0]);
    free(x->sample[1]);
}

/* ---- products ------------------------------------------------------------------------ */

/* Rows of op(A). */
typedef struct rows {
    const exact *x;
    const int32_t *ptr, *idx;
    const int8_t *a;
    int32_t *out;
} rows;

static void
multiply(void *user, int64_t lo, int64_t hi)
{
    const rows *r = user;

    for (int64_t i = lo; i < hi; i++) {
        int32_t *out = r->out + i * EXACT_COLUMNS;

        memset(out, 0, EXACT_COLUMNS * sizeof *out);
        for (int64_t p = r->ptr[i]; p < r->ptr[i + 1]; p++) {
            const int8_t *b = r->x->table + (int64_t)r->idx[p] * EXACT_COLUMNS;
            const int32_t a = r->a[p];

            for (int j = 0; j < EXACT_COLUMNS; j++)
                out[j] += a * b[j];
        }
    }
}

/* A^T by counting. The arrays are the caller's to free. */
static void
transpose_of(const exact *x, int32_t **ptr, int32_t **idx, int8_t **a)
{
    int32_t *at = exact_need(x->cols + 2, sizeof *at);

    *idx = exact_need(x->nnz, sizeof **idx);
    *a = exact_need(x->nnz, sizeof **a);
    memset(at, 0, (size_t)(x->cols + 2) * sizeof *at);
    for (int64_t p = 0; p < x->nnz; p++)
        at[x->idx[p] + 2]++;
    for (int64_t j = 0; j < x->cols; j++)
        at[j + 1] += at[j];
    for (int64_t i = 0; i < x->rows; i++)
        for (int64_t p = x->ptr[i]; p < x->ptr[i + 1]; p++) {
            const int32_t to = at[x->idx[p] + 1]++;

            (*idx)[to] = (int32_t)i;
            (*a)[to] = x->a[p];
        }
    *ptr = at;
}

void
exact_multiply(exact *x, bool transpose)
{
    const int64_t m = transpose ? x->cols : x->rows;
    rows r = {x, x->ptr, x->idx, x->a, NULL};
    int32_t *ptr = NULL, *idx = NULL;
    int8_t *a = NULL;

    if (transpose) {
        transpose_of(x, &ptr, &idx, &a);
        r = (rows){x, ptr, idx, a, NULL};
    }
    free(x->product);
    r.out = x->product = exact_need(m * EXACT_COLUMNS, sizeof *x->product);
    parallel(multiply, &r, m, BLOCK);
    free(ptr);
    free(idx);
    free(a);
}

/* Y(l, j) lies in row j of the table, from the middle on. */
enum { Y_AT = EXACT_COLUMNS / 2 };

typedef struct sampling {
    exact *x;
    const int64_t *k;
} sampling;

static void
sample(void *user, int64_t lo, int64_t hi)
{
    const sampling *s = user;
    const exact *x = s->x;

    for (int64_t i = lo; i < hi; i++)
        for (int64_t p = x->ptr[i]; p < x->ptr[i + 1]; p++) {
            const int8_t *row = x->table + i * EXACT_COLUMNS;
            const int8_t *col = x->table + (int64_t)x->idx[p] * EXACT_COLUMNS + Y_AT;

            for (int q = 0; q < 2; q++) {
                int32_t sum = 0;

                for (int64_t l = 0; l < s->k[q]; l++)
                    sum += row[l] * col[l];
                x->sample[q][p] = sum;
            }
        }
}

void
exact_sample(exact *x, const int64_t k[2])
{
    sampling s = {x, k};

    for (int q = 0; q < 2; q++)
        x->sample[q] = exact_need(x->nnz, sizeof **x->sample);
    parallel(sample, &s, x->rows, BLOCK);
}

/* ---- typed arrays ------------------------------------------------------------------ */

static void
put(sb_dtype type, void *data, int64_t at, int32_t value)
{
    if (type == SB_F32)
        ((float *)data)[at] = (float)value;
    else
        ((double *)data)[at] = value;
}

typedef struct filling {
    const exact *x;
    const sb_dense *d;
    exact_role role;
} filling;

static int32_t
element(const filling *f, int64_t i, int64_t j)
{
    const exact *x = f->x;

    switch (f->role) {
    case EXACT_B:
        return x->table[i * EXACT_COLUMNS + j];
    case EXACT_C:
        return x->table[(i + 1) * EXACT_COLUMNS - 1 - j];
    case EXACT_Y:
        return x->table[j * EXACT_COLUMNS + Y_AT + i];
    case EXACT_WANT:
        break;
    }
    return 2 * x->product[i * EXACT_COLUMNS + j] -
           x->table[(i + 1) * EXACT_COLUMNS - 1 - j];
}

/* Blocks of rows, so that neither reading nor writing skips through memory. */
static void
fill(void *user, int64_t lo, int64_t hi)
{
    const filling *f = user;
    const sb_dense *d = f->d;

    for (int64_t b = lo; b < hi; b += BLOCK) {
        const int64_t end = hi - b < BLOCK ? hi : b + BLOCK;

        if (d->col_major) {
            for (int64_t j = 0; j < d->cols; j++)
                for (int64_t i = b; i < end; i++)
                    put(d->type, d->data, i + j * d->ld, element(f, i, j));
        } else {
            for (int64_t i = b; i < end; i++)
                for (int64_t j = 0; j < d->cols; j++)
                    put(d->type, d->data, i * d->ld + j, element(f, i, j));
        }
    }
}

size_t
exact_bytes(const sb_dense *d)
{
    return (size_t)((d->col_major ? d->cols : d->rows) * d->ld) *
           sb_dtype_size(d->type);
}

sb_dense
exact_dense(const exact *x, exact_role role, int64_t m, int64_t n, bool col_major,
            sb_dtype type, int64_t gap)
{
    const int64_t major = col_major ? n : m, minor = col_major ? m : n;
    sb_dense d = {.rows = m,
                  .cols = n,
                  .ld = minor + gap,
                  .col_major = col_major,
                  .type = type,
                  .batch = 1};
    filling f = {x, &d, role};

    d.data = exact_need(major * d.ld, sb_dtype_size(type));
    for (int64_t q = 0; q < major; q++)
        for (int64_t g = minor; g < d.ld; g++)
            put(type, d.data, q * d.ld + g, GAP_VALUE);
    parallel(fill, &f, m, BLOCK);
    return d;
}

void *
exact_sample_want(const exact *x, int which, sb_dtype type)
{
    void *want = exact_need(x->nnz, sb_dtype_size(type));

    for (int64_t p = 0; p < x->nnz; p++)
        put(type, want, p, 2 * x->sample[which][p] - x->a[p]);
    return want;
}

/* ---- comparison ---------------------------------------------------------------------- */

typedef struct comparison {
    const char *got, *want;
    size_t bytes;
    sb_dtype type;
    long wrong; /* atomic */
} comparison;

static void
compare(void *user, int64_t lo, int64_t hi)
{
    comparison *c = user;
    const size_t from = (size_t)lo * PIECE, to = (size_t)hi * PIECE;
    const size_t n = (to < c->bytes ? to : c->bytes) - from;
    const int64_t count = (int64_t)(n / sb_dtype_size(c->type));
    long wrong = 0;

    if (memcmp(c->got + from, c->want + from, n) == 0)
        return;
    for (int64_t p = 0; p < count; p++)
        wrong += !(sb_value_load(c->type, c->got + from, p).re ==
                   sb_value_load(c->type, c->want + from, p).re);
    __atomic_fetch_add(&c->wrong, wrong, __ATOMIC_RELAXED);
}

long
exact_differences(const void *got, const void *want, size_t bytes, sb_dtype type)
{
    comparison c = {got, want, bytes, type, 0};

    parallel(compare, &c, (int64_t)((bytes + PIECE - 1) / PIECE), 1);
    return c.wrong;
}
