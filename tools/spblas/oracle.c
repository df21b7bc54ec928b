/* The oracle: rows in parallel, every sum from the definition. */
#include "oracle.h"

#include "tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* op(A) by rows, positions into the stored values; dense operands as pairs. */
typedef struct view {
    const job *j;
    int64_t *ptr, *col, *pos;
    void *before; /* c before the product; NULL when beta is 0 */
    double alpha, beta;
    bool conj;
} view;

typedef struct sum {
    long double re, im;
    double size;
    int64_t len;
} sum;

/* Rows of the stored matrix, or of its transpose. */
static void
make_rows(view *v, bool turned)
{
    const job *j = v->j;
    int64_t i, p, q, *at;

    v->ptr = tool_memory(j->m + 2, sizeof *v->ptr);
    v->col = tool_memory(j->nnz, sizeof *v->col);
    v->pos = tool_memory(j->nnz, sizeof *v->pos);
    if (!turned) {
        for (i = 0; i <= j->rows; i++)
            v->ptr[i] = job_index(j, j->ptr, i);
        for (p = 0; p < j->nnz; p++) {
            v->col[p] = job_index(j, j->col, p);
            v->pos[p] = p;
        }
        return;
    }
    for (p = 0; p < j->nnz; p++)
        v->ptr[job_index(j, j->col, p) + 1]++;
    for (i = 0; i < j->m; i++)
        v->ptr[i + 1] += v->ptr[i];
    at = tool_memory(j->m + 1, sizeof *at);
    memcpy(at, v->ptr, (size_t)(j->m + 1) * sizeof *at);
    for (i = 0; i < j->rows; i++)
        for (p = job_index(j, j->ptr, i); p < job_index(j, j->ptr, i + 1); p++) {
            q = at[job_index(j, j->col, p)]++;
            v->col[q] = i;
            v->pos[q] = p;
        }
    free(at);
}

/* s += a b */
static void
add_product(sum *s, const double *a, const double *b)
{
    s->re += (long double)a[0] * b[0] - (long double)a[1] * b[1];
    s->im += (long double)a[0] * b[1] + (long double)a[1] * b[0];
    s->size += (fabs(a[0]) + fabs(a[1])) * (fabs(b[0]) + fabs(b[1]));
    s->len++;
}

/* Row i of C = op(A) B, n sums. */
static void
row_sums(const view *v, int64_t i, sum *s)
{
    const job *j = v->j;
    const elem type = j->spec.type;
    double a[2], b[2];

    memset(s, 0, (size_t)j->spec.n * sizeof *s);
    for (int64_t p = v->ptr[i]; p < v->ptr[i + 1]; p++) {
        elem_get(type, j->val, v->pos[p], &a[0], &a[1]);
        if (v->conj)
            a[1] = -a[1];
        for (int64_t c = 0; c < j->spec.n; c++) {
            elem_get(type, j->b, job_b_at(j, v->col[p], c), &b[0], &b[1]);
            add_product(&s[c], a, b);
        }
    }
}

/* The dot product at (i, column of entry p). */
static sum
dot(const view *v, int64_t i, int64_t p)
{
    const job *j = v->j;
    const bool turned = j->spec.trans != SPBLAS_OPERATION_NON_TRANSPOSE;
    double a[2], b[2];
    sum s = {0};

    for (int64_t q = 0; q < j->spec.n; q++) {
        elem_get(j->spec.type, j->x, job_x_at(j, i, q), &a[0], &a[1]);
        elem_get(j->spec.type, j->b,
                 turned ? job_b_at(j, v->col[p], q) : job_b_at(j, q, v->col[p]), &b[0],
                 &b[1]);
        if (v->conj)
            b[1] = -b[1];
        add_product(&s, a, b);
    }
    return s;
}

/* Whether c[at] is alpha s + beta before, as a share of the bound. */
static void
judge(const view *v, const sum *s, int64_t at, int64_t i, int64_t c, oracle_result *r)
{
    const elem type = v->j->spec.type, compute = elem_compute(type);
    const double twice = elem_is_complex(type) ? 2.0 : 1.0;
    double got[2], old[2] = {0.0, 0.0}, size, bound, error;
    long double re, im;

    elem_get(type, v->j->c, at, &got[0], &got[1]);
    if (v->before)
        elem_get(type, v->before, at, &old[0], &old[1]);
    re = v->alpha * s->re + (long double)v->beta * old[0];
    im = v->alpha * s->im + (long double)v->beta * old[1];
    size = fabs(v->alpha) * s->size + fabs(v->beta) * (fabs(old[0]) + fabs(old[1]));
    bound = twice * 2.0 * elem_epsilon(compute) * (double)(s->len + 2) * size +
            elem_tiny(type);
    if (compute != type)
        bound += elem_epsilon(type) * (double)fabsl(re) * 1.0001;
    error = (double)(fabsl(got[0] - re) + fabsl(got[1] - im));
    if (isnan(error))
        error = INFINITY;
    if (error / bound > r->worst || (error > r->largest && r->worst == 0.0)) {
        r->worst = error / bound;
        r->row = i;
        r->col = c;
    }
    r->largest = fmax(r->largest, error);
}

static void
merge(oracle_result *into, const oracle_result *from)
{
    const double largest = fmax(into->largest, from->largest);

    if (from->worst > into->worst)
        *into = *from;
    into->largest = largest;
}

static void
check_row(const view *v, int64_t i, sum *s, oracle_result *r)
{
    const job *j = v->j;
    int64_t p, c;

    if (j->spec.op == JOB_SDDMM) {
        for (p = v->ptr[i]; p < v->ptr[i + 1]; p++) {
            *s = dot(v, i, p);
            judge(v, s, job_place(j, p), i, v->col[p], r);
        }
        return;
    }
    row_sums(v, i, s);
    for (c = 0; c < j->spec.n; c++)
        judge(v, &s[c], job_c_at(j, i, c), i, c, r);
}

oracle_result
oracle_compare(job *j)
{
    const bool turned =
        j->spec.op != JOB_SDDMM && j->spec.trans != SPBLAS_OPERATION_NON_TRANSPOSE;
    view v = {.j = j, .alpha = j->spec.alpha, .beta = j->spec.beta};
    const int64_t rows = j->spec.op == JOB_SDDMM ? j->rows : j->m;
    oracle_result all = {0};
    void *result = j->c;
    int64_t done = 0;

    v.conj = j->spec.trans == SPBLAS_OPERATION_CONJUGATE_TRANSPOSE;
    if (j->spec.beta != 0.0) {
        j->c = v.before = tool_memory(j->c_count, elem_size(j->spec.type));
        job_reset(j);
        j->c = result;
    }
    make_rows(&v, turned);
#pragma omp parallel
    {
        sum *s = tool_memory(j->spec.n, sizeof *s);
        oracle_result mine = {0};

#pragma omp for schedule(dynamic, 32)
        for (int64_t i = 0; i < rows; i++) {
            check_row(&v, i, s, &mine);
#pragma omp atomic
            done++;
            if (i % 1024 == 0) {
#pragma omp critical
                tool_progress("checking", (double)done, (double)rows);
            }
        }
#pragma omp critical
        merge(&all, &mine);
        free(s);
    }
    tool_progress_end();
    free(v.ptr);
    free(v.col);
    free(v.pos);
    free(v.before);
    return all;
}
