/* Operands and the oracle of the benchmarks. */
#include "problem.h"

#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows of B that the nearest cache holds: of 512 doubles 32 KiB. */
enum { NEAR = 8 };

bool
problem_read(problem_matrix *out, const char *path, bool own)
{
    const char *slash = strrchr(path, '/');
    mm_matrix m;
    mm_error err;
    int64_t p;

    memset(out, 0, sizeof *out);
    if (mm_read(&m, path, NULL, &err) != MM_OK) {
        fprintf(stderr, "bench: %s\n", err.text);
        return false;
    }
    snprintf(out->name, sizeof out->name, "%.60s", slash ? slash + 1 : path);
    out->name[strcspn(out->name, ".")] = '\0';
    if (m.nnz > INT32_MAX || m.rows > INT32_MAX - 1 || m.cols > INT32_MAX - 1) {
        fprintf(stderr, "bench: %s: too large for 32-bit indices\n", path);
        mm_free(&m);
        return false;
    }
    out->rows = m.rows;
    out->cols = m.cols;
    out->nnz = m.nnz;
    out->ptr = tool_memory(m.rows + 1, sizeof *out->ptr);
    out->col = tool_memory(m.nnz, sizeof *out->col);
    for (p = 0; p <= m.rows; p++)
        out->ptr[p] = (int32_t)m.ptr[p];
    for (p = 0; p < m.nnz; p++)
        out->col[p] = (int32_t)m.col[p];
    out->val = own ? tool_memory(m.nnz, sizeof *out->val) : NULL;
    for (p = 0; own && p < m.nnz; p++) /* of complex ones the real parts */
        out->val[p] = m.val[m.field == MM_COMPLEX ? 2 * p : p];
    mm_free(&m);
    return true;
}

void
problem_near(problem_matrix *m)
{
    const int64_t least = m->cols < NEAR ? m->cols : NEAR;

    for (int64_t i = 0; i < m->rows; i++)
        for (int32_t p = m->ptr[i]; p < m->ptr[i + 1]; p++)
            m->col[p] = (int32_t)((p - m->ptr[i]) % least);
}

void
problem_free_matrix(problem_matrix *m)
{
    free(m->ptr);
    free(m->col);
    free(m->val);
    memset(m, 0, sizeof *m);
}

static void *
random_array(elem type, int64_t count, uint64_t seed)
{
    void *x = tool_memory(count, elem_size(type));
    tool_rng r = {seed};
    int64_t p;

    for (p = 0; p < count; p++)
        elem_put(type, x, p, 2.0 * rng_unit(&r) - 1.0,
                 elem_is_complex(type) ? 2.0 * rng_unit(&r) - 1.0 : 0.0);
    return x;
}

static void *
array_of(elem type, const double *from, int64_t count)
{
    void *x = tool_memory(count, elem_size(type));

    for (int64_t p = 0; p < count; p++)
        elem_put(type, x, p, from[p], 0.0);
    return x;
}

int64_t
problem_rows(const bench_problem *pb)
{
    return pb->transposed ? pb->cols : pb->rows;
}

int64_t
problem_depth(const bench_problem *pb)
{
    return pb->transposed ? pb->rows : pb->cols;
}

static int64_t
result_count(const bench_problem *pb)
{
    return pb->op == BENCH_SDDMM ? pb->nnz : problem_rows(pb) * pb->n;
}

bool
problem_make(bench_problem *out, const problem_matrix *m, bench_op op, elem type,
             int64_t n, bool by_columns, bool transposed, int threads)
{
    const double most = (double)(m->rows + m->cols) * (double)n * 8.0;

    memset(out, 0, sizeof *out);
    if (most > 8e9)
        return false;
    out->op = op;
    out->type = type;
    out->rows = m->rows;
    out->cols = m->cols;
    out->nnz = m->nnz;
    out->n = n;
    out->ptr = m->ptr;
    out->col = m->col;
    out->threads = threads;
    out->by_columns = op == BENCH_SPMM && by_columns;
    out->transposed = op != BENCH_SDDMM && transposed;
    out->val = m->val ? array_of(type, m->val, m->nnz) : random_array(type, m->nnz, 1);
    out->b = random_array(type, problem_depth(out) * n, 2);
    if (op == BENCH_SDDMM)
        out->x = random_array(type, m->rows * n, 3);
    out->c = tool_memory(result_count(out), elem_size(type));
    return true;
}

void
problem_free(bench_problem *pb)
{
    free((void *)pb->val);
    free((void *)pb->b);
    free((void *)pb->x);
    free(pb->c);
    memset(pb, 0, sizeof *pb);
}

void
problem_spoil(bench_problem *pb)
{
    memset(pb->c, 0x7f, (size_t)result_count(pb) * elem_size(pb->type));
}

/* A sum in higher precision, and that of the products' sizes. */
typedef struct sum {
    long double re, im;
    double size;
} sum;

static void
add(sum *s, const bench_problem *pb, const void *x, int64_t p, const void *y, int64_t q)
{
    double a[2], b[2];

    elem_get(pb->type, x, p, &a[0], &a[1]);
    elem_get(pb->type, y, q, &b[0], &b[1]);
    s->re += (long double)a[0] * b[0] - (long double)a[1] * b[1];
    s->im += (long double)a[0] * b[1] + (long double)a[1] * b[0];
    s->size += (fabs(a[0]) + fabs(a[1])) * (fabs(b[0]) + fabs(b[1]));
}

static double
excess(const bench_problem *pb, int64_t place, const sum *want, int64_t len)
{
    const elem sums = elem_compute(pb->type);
    const double eps = elem_epsilon(sums) * (elem_is_complex(sums) ? 2.0 : 1.0);
    const double narrowed =
        sums == pb->type
            ? 0.0
            : elem_epsilon(pb->type) * (double)(fabsl(want->re) + fabsl(want->im));
    const double bound = 2.0 * eps * (double)(len + 2) * want->size +
                         elem_tiny(pb->type) + 1.0001 * narrowed;
    double re, im, off;

    elem_get(pb->type, pb->c, place, &re, &im);
    off = (double)(fabsl(re - want->re) + fabsl(im - want->im));
    return isnan(off) ? INFINITY : off / bound;
}

/* Where element (i, j) of B or C of `rows` rows lies. */
static int64_t
place(const bench_problem *pb, int64_t rows, int64_t i, int64_t j)
{
    return pb->by_columns ? j * rows + i : i * pb->n + j;
}

/* op(A) by rows: its entry p is A's entry at[p], or p where at is NULL. */
typedef struct operand {
    int32_t *ptr, *col, *at;
} operand;

/* A^T's entries in the order of A's rows; owned. */
static operand
turned(const bench_problem *pb)
{
    operand t = {tool_memory(pb->cols + 2, sizeof *t.ptr),
                 tool_memory(pb->nnz, sizeof *t.col),
                 tool_memory(pb->nnz, sizeof *t.at)};

    memset(t.ptr, 0, (size_t)(pb->cols + 2) * sizeof *t.ptr);
    for (int64_t p = 0; p < pb->nnz; p++)
        t.ptr[pb->col[p] + 2]++;
    for (int64_t j = 0; j < pb->cols; j++)
        t.ptr[j + 1] += t.ptr[j];
    for (int64_t i = 0; i < pb->rows; i++)
        for (int32_t p = pb->ptr[i]; p < pb->ptr[i + 1]; p++) {
            const int32_t to = t.ptr[pb->col[p] + 1]++;

            t.col[to] = (int32_t)i;
            t.at[to] = p;
        }
    return t;
}

/* Of row i; one in `every` of its results. */
static double
row_error(const bench_problem *pb, const operand *a, int64_t i, int64_t every)
{
    const bool sddmm = pb->op == BENCH_SDDMM;
    const int64_t lo = a->ptr[i], hi = a->ptr[i + 1];
    const int64_t results = sddmm ? hi - lo : pb->n, terms = sddmm ? pb->n : hi - lo;
    double worst = 0.0;

    for (int64_t j = i % every; j < results; j += every) {
        const int64_t to = sddmm ? lo + j : place(pb, problem_rows(pb), i, j);
        sum want = {0};

        for (int64_t t = 0; t < terms; t++)
            if (sddmm)
                add(&want, pb, pb->x, i * pb->n + t, pb->b, a->col[lo + j] * pb->n + t);
            else
                add(&want, pb, pb->val, a->at ? a->at[lo + t] : lo + t, pb->b,
                    place(pb, problem_depth(pb), a->col[lo + t], j));
        worst = fmax(worst, excess(pb, to, &want, terms));
    }
    return worst;
}

double
problem_error(const bench_problem *pb, int64_t most)
{
    const int64_t every = most > 0 ? pb->nnz * pb->n / most + 1 : 1;
    const operand a = pb->transposed
                          ? turned(pb)
                          : (operand){(int32_t *)pb->ptr, (int32_t *)pb->col, NULL};
    double worst = 0.0;

#pragma omp parallel for schedule(dynamic, 64) reduction(max : worst)
    for (int64_t i = 0; i < problem_rows(pb); i++)
        worst = fmax(worst, row_error(pb, &a, i, every));
    if (pb->transposed) {
        free(a.ptr);
        free(a.col);
        free(a.at);
    }
    return worst;
}

double
problem_flops(const bench_problem *pb)
{
    return (elem_is_complex(pb->type) ? 8.0 : 2.0) * (double)pb->nnz * (double)pb->n;
}

double
problem_bytes(const bench_problem *pb)
{
    const double size = (double)elem_size(pb->type);
    const double structure = 4.0 * (double)(pb->rows + 1 + pb->nnz);
    const double dense = size * (double)pb->n * (double)(pb->rows + pb->cols);

    return structure + dense + size * (double)pb->nnz;
}
