/*
 * Triangular solves, timed on 1 .. threads threads: ours and MKL's, the latter with and
 * without hints and mkl_sparse_optimize, with one right side (SpSV, mkl_sparse_?_trsv) and
 * with 32 by rows (SpSM, mkl_sparse_?_trsm). The lower triangle of each square matrix with
 * a full diagonal, A itself and transposed; values are made small against the diagonal, so
 * that solutions stay finite. One line of JSON a matrix, operation, number of right sides
 * and thread count; bench/run_sparse adds SciPy and makes the table.
 *
 *   triangular_bench [--type f32|f64] [--threads N] [--seconds S] [--min-nnz N]
 *                    [--dump FOLDER] FILE...
 */
#include "lab.h"

#include "spblas.h"

#include <stdio.h>
#include <stdlib.h>

enum { MANY = 32 };

/* ---- Operands ----------------------------------------------------------------------- */

/* The lower triangle of a, in place, its diagonal 2 and each row's rest 1 in sum. */
static bool
make_triangle(lab_csr *a)
{
    lab_csr t = *a;
    int64_t at = 0;

    t.idx = malloc((size_t)(a->nnz + a->rows) * sizeof *t.idx);
    t.val = malloc((size_t)(a->nnz + a->rows) * sizeof(double));
    if (!t.idx || !t.val) {
        free(t.idx);
        free(t.val);
        return false;
    }
    for (int64_t i = 0, p = 0; i < a->rows; i++) {
        const int64_t first = at, end = a->ptr[i + 1];

        t.ptr[i] = (int32_t)at;
        for (; p < end; p++)
            if (a->idx[p] < i)
                t.idx[at++] = a->idx[p];
        t.idx[at++] = (int32_t)i;
        for (int64_t q = first; q < at; q++) {
            const double v = q + 1 == at ? 2.0 : 1.0 / (double)(at - first);

            if (a->f32)
                ((float *)t.val)[q] = (float)v;
            else
                ((double *)t.val)[q] = v;
        }
    }
    t.ptr[a->rows] = (int32_t)at;
    t.nnz = at;
    free(a->idx);
    free(a->val);
    *a = t;
    return true;
}

typedef struct job {
    const lab_csr *a;
    bool turned;
    int cols;
    void *x, *y;
    union {
        float f;
        double d;
    } one;
    spblasHandle_t handle;
    spblasDataType_t type;
    spblasOperation_t op;
    spblasSpMatDescr_t A;
    spblasDnVecDescr_t vx, vy;
    spblasDnMatDescr_t mx, my;
    spblasSpSVDescr_t sv;
    spblasSpSMDescr_t sm;
    void *mkl;
} job;

/* ---- Ours --------------------------------------------------------------------------- */

static bool
analyse(void *user)
{
    job *j = user;
    const spblasOperation_t n = SPBLAS_OPERATION_NON_TRANSPOSE;

    return (j->cols == 1
                ? spblasSpSV_analysis(j->handle, j->op, &j->one, j->A, j->vx, j->vy,
                                      j->type, SPBLAS_SPSV_ALG_DEFAULT, j->sv, NULL)
                : spblasSpSM_analysis(j->handle, j->op, n, &j->one, j->A, j->mx, j->my,
                                      j->type, SPBLAS_SPSM_ALG_DEFAULT, j->sm, NULL)) ==
           SPBLAS_STATUS_SUCCESS;
}

static bool
solve(void *user)
{
    job *j = user;
    const spblasOperation_t n = SPBLAS_OPERATION_NON_TRANSPOSE;

    return (j->cols == 1
                ? spblasSpSV_solve(j->handle, j->op, &j->one, j->A, j->vx, j->vy,
                                   j->type, SPBLAS_SPSV_ALG_DEFAULT, j->sv)
                : spblasSpSM_solve(j->handle, j->op, n, &j->one, j->A, j->mx, j->my,
                                   j->type, SPBLAS_SPSM_ALG_DEFAULT, j->sm)) ==
           SPBLAS_STATUS_SUCCESS;
}

static bool
ours_begin(job *j)
{
    const lab_csr *a = j->a;

    return spblasCreate(&j->handle) == SPBLAS_STATUS_SUCCESS &&
           spblasCreateCsr(&j->A, a->rows, a->cols, a->nnz, a->ptr, a->idx, a->val,
                           SPBLAS_INDEX_32I, SPBLAS_INDEX_32I, SPBLAS_INDEX_BASE_ZERO,
                           j->type) == SPBLAS_STATUS_SUCCESS &&
           spblasCreateDnVec(&j->vx, a->rows, j->x, j->type) == SPBLAS_STATUS_SUCCESS &&
           spblasCreateDnVec(&j->vy, a->rows, j->y, j->type) == SPBLAS_STATUS_SUCCESS &&
           spblasCreateDnMat(&j->mx, a->rows, j->cols, j->cols, j->x, j->type,
                             SPBLAS_ORDER_ROW) == SPBLAS_STATUS_SUCCESS &&
           spblasCreateDnMat(&j->my, a->rows, j->cols, j->cols, j->y, j->type,
                             SPBLAS_ORDER_ROW) == SPBLAS_STATUS_SUCCESS &&
           spblasSpSV_createDescr(&j->sv) == SPBLAS_STATUS_SUCCESS &&
           spblasSpSM_createDescr(&j->sm) == SPBLAS_STATUS_SUCCESS;
}

static void
ours_end(job *j)
{
    (void)spblasSpSV_destroyDescr(j->sv);
    (void)spblasSpSM_destroyDescr(j->sm);
    (void)spblasDestroyDnVec(j->vx);
    (void)spblasDestroyDnVec(j->vy);
    (void)spblasDestroyDnMat(j->mx);
    (void)spblasDestroyDnMat(j->my);
    (void)spblasDestroySpMat(j->A);
    (void)spblasDestroy(j->handle);
}

/* ---- MKL ---------------------------------------------------------------------------- */

enum { PLAIN = 10, TURNED = 11, TRIANGULAR = 23, LOWER = 40, NON_UNIT = 50 };
enum { ROW_MAJOR = 101, AGGRESSIVE = 81 };

typedef struct descr {
    int type, mode, diag;
} descr;
static const descr triangle = {TRIANGULAR, LOWER, NON_UNIT};

static struct {
    int (*create_s)(void **, int, int, int, int *, int *, int *, void *);
    int (*create_d)(void **, int, int, int, int *, int *, int *, void *);
    int (*trsv_s)(int, float, void *, descr, const void *, void *);
    int (*trsv_d)(int, double, void *, descr, const void *, void *);
    int (*trsm_s)(int, float, void *, descr, int, const void *, int, int, void *, int);
    int (*trsm_d)(int, double, void *, descr, int, const void *, int, int, void *, int);
    int (*sv_hint)(void *, int, descr, int);
    int (*sm_hint)(void *, int, descr, int, int, int);
    int (*memory_hint)(void *, int);
    int (*optimize)(void *);
    int (*destroy)(void *);
    void (*set_threads)(int);
} mkl;

static bool
mkl_solve(void *user)
{
    const job *j = user;
    const int op = j->turned ? TURNED : PLAIN, n = j->cols;

    if (n == 1)
        return !(j->a->f32 ? mkl.trsv_s(op, 1.0f, j->mkl, triangle, j->x, j->y)
                           : mkl.trsv_d(op, 1.0, j->mkl, triangle, j->x, j->y));
    return !(
        j->a->f32
            ? mkl.trsm_s(op, 1.0f, j->mkl, triangle, ROW_MAJOR, j->x, n, n, j->y, n)
            : mkl.trsm_d(op, 1.0, j->mkl, triangle, ROW_MAJOR, j->x, n, n, j->y, n));
}

static double
mkl_time(job *j, double seconds, bool optimized)
{
    const lab_csr *a = j->a;
    const int op = j->turned ? TURNED : PLAIN;
    double took = -1.0;

    if (!mkl.destroy ||
        (a->f32 ? mkl.create_s : mkl.create_d)(&j->mkl, 0, (int)a->rows, (int)a->cols,
                                               a->ptr, a->ptr + 1, a->idx, a->val))
        return -1.0;
    if (optimized) {
        if (j->cols == 1)
            mkl.sv_hint(j->mkl, op, triangle, 1000);
        else
            mkl.sm_hint(j->mkl, op, triangle, ROW_MAJOR, j->cols, 1000);
        mkl.memory_hint(j->mkl, AGGRESSIVE);
        mkl.optimize(j->mkl);
    }
    took = lab_least(seconds, mkl_solve, j);
    mkl.destroy(j->mkl);
    return took;
}

/* ---- A matrix ----------------------------------------------------------------------- */

static void
measure(const lab_options *opt, const lab_csr *a, bool turned, int cols, int threads)
{
    job j = {.a = a,
             .turned = turned,
             .cols = cols,
             .type = a->f32 ? SPBLAS_R_32F : SPBLAS_R_64F,
             .op =
                 turned ? SPBLAS_OPERATION_TRANSPOSE : SPBLAS_OPERATION_NON_TRANSPOSE};
    const size_t bytes = (size_t)(a->rows * cols) * (a->f32 ? 4 : 8);
    double analysis = -1, ours = -1, plain = -1, optimized = -1;

    if (a->f32)
        j.one.f = 1.0f;
    else
        j.one.d = 1.0;
    j.x = malloc(bytes + 1);
    j.y = malloc(bytes + 1);
    for (size_t q = 0; j.x && q < bytes / (a->f32 ? 4 : 8); q++)
        if (a->f32)
            ((float *)j.x)[q] = 1.0f;
        else
            ((double *)j.x)[q] = 1.0;
    lab_set_threads(threads);
    if (j.x && j.y && ours_begin(&j)) {
        analysis = lab_least(opt->seconds, analyse, &j);
        ours = lab_least(opt->seconds, solve, &j);
        if (mkl.destroy)
            mkl.set_threads(threads);
        plain = mkl_time(&j, opt->seconds, false);
        optimized = mkl_time(&j, opt->seconds, true);
    }
    ours_end(&j);
    free(j.x);
    free(j.y);
    printf("{\"matrix\": \"%s\", \"rows\": %lld, \"nnz\": %lld, \"type\": \"%s\", "
           "\"op\": \"%s\", \"cols\": %d, \"threads\": %d, \"ours\": %.4g, "
           "\"analysis\": %.4g, \"mkl\": %.4g, \"mkl_opt\": %.4g}\n",
           a->name, (long long)a->rows, (long long)a->nnz, a->f32 ? "f32" : "f64",
           turned ? "T" : "N", cols, threads, ours, analysis, plain, optimized);
    fflush(stdout);
}

int
main(int argc, char **argv)
{
    static const char *const names[] = {
        "mkl_sparse_s_create_csr",    "mkl_sparse_d_create_csr",
        "mkl_sparse_s_trsv",          "mkl_sparse_d_trsv",
        "mkl_sparse_s_trsm",          "mkl_sparse_d_trsm",
        "mkl_sparse_set_sv_hint",     "mkl_sparse_set_sm_hint",
        "mkl_sparse_set_memory_hint", "mkl_sparse_optimize",
        "mkl_sparse_destroy",         "MKL_Set_Num_Threads"};
    const lab_options opt = lab_read_options(argc, argv, "triangular_bench");
    lab_csr a;

    if (!opt.first)
        return 2;
    if (!lab_mkl(names, (void **)&mkl, 12)) {
        mkl.destroy = NULL;
        fputs("triangular_bench: no MKL (SPBLAS_MKL)\n", stderr);
    }
    for (int k = opt.first; k < argc; k++) {
        if (!lab_load(&a, argv[k], &opt))
            continue;
        if (a.rows == a.cols && make_triangle(&a)) {
            if (opt.dump)
                lab_dump(opt.dump, &a, ".lower");
            for (int threads = 1; threads <= opt.threads; threads *= 2)
                for (int turned = 0; turned < 2; turned++) {
                    measure(&opt, &a, turned, 1, threads);
                    measure(&opt, &a, turned, MANY, threads);
                }
        }
        lab_free(&a);
    }
    return 0;
}
