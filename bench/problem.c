/* Operands and the oracle of the benchmarks. */
#include "problem.h"

#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        elem_put(type, x, p, 2.0 * rng_unit(&r) - 1.0, 0.0);
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

static int64_t
result_count(const bench_problem *pb)
{
    return pb->op == BENCH_SDDMM ? pb->nnz : pb->rows * pb->n;
}

bool
problem_make(bench_problem *out, const problem_matrix *m, bench_op op, elem type,
             int64_t n, bool by_columns, int threads)
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
    out->val = m->val ? array_of(type, m->val, m->nnz) : random_array(type, m->nnz, 1);
    out->b = random_array(type, m->cols * n, 2);
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

/* Element p of a real array. */
static double
at(const bench_problem *pb, const void *x, int64_t p)
{
    return pb->type == ELEM_F32 ? (double)((const float *)x)[p]
                                : ((const double *)x)[p];
}

static double
excess(const bench_problem *pb, int64_t place, long double want, double size,
       int64_t len)
{
    const double eps = elem_epsilon(pb->type);
    const double got = at(pb, pb->c, place);
    const double bound = 2.0 * eps * (double)(len + 2) * size + elem_tiny(pb->type);
    const double off = fabs(got - (double)want);

    return isnan(got) ? INFINITY : off / bound;
}

/* Where element (i, j) of B or C of `rows` rows lies. */
static int64_t
place(const bench_problem *pb, int64_t rows, int64_t i, int64_t j)
{
    return pb->by_columns ? j * rows + i : i * pb->n + j;
}

/* Of row i; one in `every` of its results. */
static double
row_error(const bench_problem *pb, int64_t i, int64_t every)
{
    const bool sddmm = pb->op == BENCH_SDDMM;
    const int64_t lo = pb->ptr[i], hi = pb->ptr[i + 1];
    const int64_t results = sddmm ? hi - lo : pb->n, terms = sddmm ? pb->n : hi - lo;
    double worst = 0.0;

    for (int64_t j = i % every; j < results; j += every) {
        long double want = 0.0L;
        double size = 0.0;

        for (int64_t t = 0; t < terms; t++) {
            const double a =
                sddmm ? at(pb, pb->x, i * pb->n + t) : at(pb, pb->val, lo + t);
            const double b =
                sddmm ? at(pb, pb->b, pb->col[lo + j] * pb->n + t)
                      : at(pb, pb->b, place(pb, pb->cols, pb->col[lo + t], j));

            want += (long double)a * b;
            size += fabs(a * b);
        }
        worst = fmax(worst, excess(pb, sddmm ? lo + j : place(pb, pb->rows, i, j), want,
                                   size, terms));
    }
    return worst;
}

double
problem_error(const bench_problem *pb, int64_t most)
{
    const int64_t every = most > 0 ? pb->nnz * pb->n / most + 1 : 1;
    double worst = 0.0;

#pragma omp parallel for schedule(dynamic, 64) reduction(max : worst)
    for (int64_t i = 0; i < pb->rows; i++)
        worst = fmax(worst, row_error(pb, i, every));
    return worst;
}

double
problem_flops(const bench_problem *pb)
{
    return 2.0 * (double)pb->nnz * (double)pb->n;
}

double
problem_bytes(const bench_problem *pb)
{
    const double size = (double)elem_size(pb->type);
    const double structure = 4.0 * (double)(pb->rows + 1 + pb->nnz);
    const double dense = size * (double)pb->n * (double)(pb->rows + pb->cols);

    return structure + dense + size * (double)pb->nnz;
}
