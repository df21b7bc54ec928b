/*
 * Products of sparse matrices, timed: ours on 1 .. threads threads, from the first call to
 * C's values in new memory, and the values alone where the pattern is kept (SpGEMMreuse);
 * MKL's mkl_sparse_spmm, whose columns come in any order, and the same with its own
 * mkl_sparse_order after it. Square matrices times themselves, others times their
 * transpose. One line of JSON a matrix and thread count; bench/run_sparse adds SciPy and
 * makes the table.
 *
 *   sparse_product_bench [--type f32|f64] [--threads N] [--seconds S] [--min-nnz N]
 *                        [--max-work PRODUCTS] [--dump FOLDER] FILE...
 */
#include "lab.h"

#include "spblas.h"

#include <stdio.h>
#include <stdlib.h>

#define N SPBLAS_OPERATION_NON_TRANSPOSE
#define ALG SPBLAS_SPGEMM_DEFAULT

/* ---- Ours --------------------------------------------------------------------------- */

typedef struct ours {
    const lab_csr *a, *b;
    spblasHandle_t handle;
    spblasDataType_t type;
    spblasSpMatDescr_t A, B, C;
    spblasSpGEMMDescr_t d;
    union {
        float f;
        double d;
    } one[1], zero[1];
    size_t size[6];
    void *buffer[6], *ptr, *idx, *val;
    int64_t nnz;
} ours;

static spblasSpMatDescr_t
describe(const lab_csr *a, spblasDataType_t type)
{
    spblasSpMatDescr_t d = NULL;

    (void)spblasCreateCsr(&d, a->rows, a->cols, a->nnz, a->ptr, a->idx, a->val,
                          SPBLAS_INDEX_32I, SPBLAS_INDEX_32I, SPBLAS_INDEX_BASE_ZERO,
                          type);
    return d;
}

static bool
ours_begin(ours *j, const lab_csr *a, const lab_csr *b)
{
    *j = (ours){.a = a, .b = b};
    j->type = a->f32 ? SPBLAS_R_32F : SPBLAS_R_64F;
    if (a->f32)
        j->one->f = 1.0f;
    else
        j->one->d = 1.0;
    if (spblasCreate(&j->handle) != SPBLAS_STATUS_SUCCESS)
        return false;
    j->A = describe(a, j->type);
    j->B = describe(b, j->type);
    return j->A && j->B;
}

static bool
make_c(ours *j)
{
    int64_t rows, cols;

    if (spblasSpMatGetSize(j->C, &rows, &cols, &j->nnz) != SPBLAS_STATUS_SUCCESS)
        return false;
    j->ptr = malloc((size_t)(rows + 1) * sizeof(int32_t));
    j->idx = malloc((size_t)(j->nnz + 1) * sizeof(int32_t));
    j->val = malloc((size_t)(j->nnz + 1) * (j->a->f32 ? 4 : 8));
    return j->ptr && j->idx && j->val &&
           spblasCsrSetPointers(j->C, j->ptr, j->idx, j->val) == SPBLAS_STATUS_SUCCESS;
}

static void
drop(ours *j)
{
    for (int k = 0; k < 6; k++) {
        free(j->buffer[k]);
        j->buffer[k] = NULL;
    }
    free(j->ptr);
    free(j->idx);
    free(j->val);
    j->ptr = j->idx = j->val = NULL;
    (void)spblasDestroySpMat(j->C);
    (void)spblasSpGEMM_destroyDescr(j->d);
    j->C = NULL;
    j->d = NULL;
}

static bool
start(ours *j)
{
    const lab_csr c = {.rows = j->a->rows, .cols = j->b->cols};

    j->C = describe(&c, j->type);
    return j->C && spblasSpGEMM_createDescr(&j->d) == SPBLAS_STATUS_SUCCESS;
}

static bool
multiply(void *user)
{
    ours *j = user;
    bool good = start(j);

    for (int k = 0; k < 2 && good; k++) {
        j->buffer[1] = k ? malloc(j->size[1]) : NULL;
        good = spblasSpGEMM_workEstimation(j->handle, N, N, j->one, j->A, j->B, j->zero,
                                           j->C, j->type, ALG, j->d, &j->size[1],
                                           j->buffer[1]) == SPBLAS_STATUS_SUCCESS;
    }
    for (int k = 0; k < 2 && good; k++) {
        j->buffer[2] = k ? malloc(j->size[2]) : NULL;
        good = spblasSpGEMM_compute(j->handle, N, N, j->one, j->A, j->B, j->zero, j->C,
                                    j->type, ALG, j->d, &j->size[2],
                                    j->buffer[2]) == SPBLAS_STATUS_SUCCESS;
    }
    good = good && make_c(j) &&
           spblasSpGEMM_copy(j->handle, N, N, j->one, j->A, j->B, j->zero, j->C,
                             j->type, ALG, j->d) == SPBLAS_STATUS_SUCCESS;
    drop(j);
    return good;
}

static bool
keep_pattern(ours *j)
{
    bool good = start(j);

    for (int k = 0; k < 2 && good; k++) {
        j->buffer[1] = k ? malloc(j->size[1]) : NULL;
        good = spblasSpGEMMreuse_workEstimation(j->handle, N, N, j->A, j->B, j->C, ALG,
                                                j->d, &j->size[1],
                                                j->buffer[1]) == SPBLAS_STATUS_SUCCESS;
    }
    for (int k = 0; k < 2 && good; k++) {
        for (int q = 2; q <= 4; q++)
            j->buffer[q] = k ? malloc(j->size[q]) : NULL;
        good =
            spblasSpGEMMreuse_nnz(j->handle, N, N, j->A, j->B, j->C, ALG, j->d,
                                  &j->size[2], j->buffer[2], &j->size[3], j->buffer[3],
                                  &j->size[4], j->buffer[4]) == SPBLAS_STATUS_SUCCESS;
    }
    good = good && make_c(j);
    for (int k = 0; k < 2 && good; k++) {
        j->buffer[5] = k ? malloc(j->size[5]) : NULL;
        good =
            spblasSpGEMMreuse_copy(j->handle, N, N, j->A, j->B, j->C, ALG, j->d,
                                   &j->size[5], j->buffer[5]) == SPBLAS_STATUS_SUCCESS;
    }
    return good;
}

static bool
values_again(void *user)
{
    ours *j = user;

    return spblasSpGEMMreuse_compute(j->handle, N, N, j->one, j->A, j->B, j->zero, j->C,
                                     j->type, ALG, j->d) == SPBLAS_STATUS_SUCCESS;
}

static void
ours_end(ours *j)
{
    (void)spblasDestroySpMat(j->A);
    (void)spblasDestroySpMat(j->B);
    (void)spblasDestroy(j->handle);
}

/* ---- MKL ---------------------------------------------------------------------------- */

static struct {
    int (*create_s)(void **, int, int, int, int *, int *, int *, void *);
    int (*create_d)(void **, int, int, int, int *, int *, int *, void *);
    int (*spmm)(int, void *, void *, void **);
    int (*order)(void *);
    int (*destroy)(void *);
    void (*set_threads)(int);
} mkl;

typedef struct mkl_job {
    void *a, *b;
    bool sorted;
} mkl_job;

static bool
mkl_begin(void **out, const lab_csr *a)
{
    return !(a->f32 ? mkl.create_s : mkl.create_d)(out, 0, (int)a->rows, (int)a->cols,
                                                   a->ptr, a->ptr + 1, a->idx, a->val);
}

static bool
mkl_multiply(void *user)
{
    enum { PLAIN = 10 };
    const mkl_job *j = user;
    void *c = NULL;
    bool good = !mkl.spmm(PLAIN, j->a, j->b, &c);

    if (good && j->sorted)
        good = !mkl.order(c);
    if (c)
        mkl.destroy(c);
    return good;
}

/* ---- A matrix ----------------------------------------------------------------------- */

static double
products(const lab_csr *a, const lab_csr *b)
{
    double sum = 0.0;

    for (int64_t p = 0; p < a->nnz; p++)
        sum += b->ptr[a->idx[p] + 1] - b->ptr[a->idx[p]];
    return sum;
}

static void
measure(const lab_options *opt, const lab_csr *a, const lab_csr *b)
{
    for (int threads = 1; threads <= opt->threads; threads *= 2) {
        double seconds = -1, again = -1, peer = -1, peer_sorted = -1;
        mkl_job m = {0};
        ours j;

        lab_set_threads(threads);
        if (ours_begin(&j, a, b)) {
            seconds = lab_least(opt->seconds, multiply, &j);
            if (keep_pattern(&j))
                again = lab_least(opt->seconds, values_again, &j);
            drop(&j);
        }
        ours_end(&j);
        if (mkl.destroy && mkl_begin(&m.a, a) && mkl_begin(&m.b, b)) {
            mkl.set_threads(threads);
            peer = lab_least(opt->seconds, mkl_multiply, &m);
            m.sorted = true;
            peer_sorted = lab_least(opt->seconds, mkl_multiply, &m);
        }
        if (m.a)
            mkl.destroy(m.a);
        if (m.b)
            mkl.destroy(m.b);
        printf("{\"matrix\": \"%s\", \"rows\": %lld, \"cols\": %lld, \"nnz\": %lld, "
               "\"square\": %d, \"type\": \"%s\", \"threads\": %d, \"products\": %.0f, "
               "\"nnz_c\": %lld, \"ours\": %.4g, \"reuse\": %.4g, \"mkl\": %.4g, "
               "\"mkl_sorted\": %.4g}\n",
               a->name, (long long)a->rows, (long long)a->cols, (long long)a->nnz,
               a == b, a->f32 ? "f32" : "f64", threads, products(a, b),
               (long long)j.nnz, seconds, again, peer, peer_sorted);
        fflush(stdout);
    }
}

static void
measure_file(const lab_options *opt, const char *path)
{
    lab_csr a, t = {.rows = 0};

    if (!lab_load(&a, path, opt))
        return;
    if (a.rows == a.cols || lab_transpose(&t, &a)) {
        const lab_csr *b = a.rows == a.cols ? &a : &t;

        if (opt->dump)
            lab_dump(opt->dump, &a, "");
        if (products(&a, b) <= opt->max_work)
            measure(opt, &a, b);
        else
            fprintf(stderr, "sparse_product_bench: %s has %.3g products, left out\n",
                    a.name, products(&a, b));
    }
    lab_free(&t);
    lab_free(&a);
}

int
main(int argc, char **argv)
{
    static const char *const names[] = {
        "mkl_sparse_s_create_csr", "mkl_sparse_d_create_csr", "mkl_sparse_spmm",
        "mkl_sparse_order",        "mkl_sparse_destroy",      "MKL_Set_Num_Threads"};
    const lab_options opt = lab_read_options(argc, argv, "sparse_product_bench");

    if (!opt.first)
        return 2;
    if (!lab_mkl(names, (void **)&mkl, 6)) {
        mkl.destroy = NULL;
        fputs("sparse_product_bench: no MKL (SPBLAS_MKL)\n", stderr);
    }
    for (int k = opt.first; k < argc; k++)
        measure_file(&opt, argv[k]);
    return 0;
}
