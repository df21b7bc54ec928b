/*
 * The smallest complete program: C = A * B with a sparse 3 x 4 matrix A, planned once,
 * then computed twice with other values in between, which a plan allows.
 */
#include <spblas.h>

#include <stdio.h>

enum { M = 3, K = 4, NNZ = 5, N = 2 };

typedef struct objects {
    spblasHandle_t handle;
    spblasSpMatDescr_t a;
    spblasDnMatDescr_t b, c;
} objects;

static int
failed(const objects *o, const char *what, spblasStatus_t status)
{
    if (status == SPBLAS_STATUS_SUCCESS)
        return 0;
    fprintf(stderr, "%s: %s: %s\n", what, spblasGetErrorString(status),
            spblasGetLastErrorMessage(o->handle));
    return 1;
}

static int
create(objects *o, float *values, float *b, float *c)
{
    static int32_t ptr[M + 1] = {0, 2, 2, NNZ};
    static int32_t col[NNZ] = {0, 2, 0, 1, 3};
    const spblasIndexType_t i32 = SPBLAS_INDEX_32I;

    return failed(o, "handle", spblasCreate(&o->handle)) ||
           failed(o, "A",
                  spblasCreateCsr(&o->a, M, K, NNZ, ptr, col, values, i32, i32,
                                  SPBLAS_INDEX_BASE_ZERO, SPBLAS_R_32F)) ||
           failed(
               o, "B",
               spblasCreateDnMat(&o->b, K, N, N, b, SPBLAS_R_32F, SPBLAS_ORDER_ROW)) ||
           failed(o, "C",
                  spblasCreateDnMat(&o->c, M, N, N, c, SPBLAS_R_32F, SPBLAS_ORDER_ROW));
}

static int
destroy(objects *o, int bad)
{
    bad |= failed(o, "C", spblasDestroyDnMat(o->c));
    bad |= failed(o, "B", spblasDestroyDnMat(o->b));
    bad |= failed(o, "A", spblasDestroySpMat(o->a));
    return bad | (spblasDestroy(o->handle) != SPBLAS_STATUS_SUCCESS);
}

static int
analyse(const objects *o)
{
    const spblasOperation_t as_is = SPBLAS_OPERATION_NON_TRANSPOSE;
    const float alpha = 1, beta = 0;
    size_t size;

    return failed(o, "bufferSize",
                  spblasSpMM_bufferSize(o->handle, as_is, as_is, &alpha, o->a, o->b,
                                        &beta, o->c, SPBLAS_R_32F,
                                        SPBLAS_SPMM_ALG_DEFAULT, &size)) ||
           failed(o, "analysis",
                  spblasSpMM_analysis(o->handle, as_is, as_is, &alpha, o->a, o->b,
                                      &beta, o->c, SPBLAS_R_32F,
                                      SPBLAS_SPMM_ALG_DEFAULT, NULL));
}

static int
multiply(const objects *o)
{
    const spblasOperation_t as_is = SPBLAS_OPERATION_NON_TRANSPOSE;
    const float alpha = 1, beta = 0;

    return failed(o, "SpMM",
                  spblasSpMM(o->handle, as_is, as_is, &alpha, o->a, o->b, &beta, o->c,
                             SPBLAS_R_32F, SPBLAS_SPMM_ALG_DEFAULT, NULL));
}

static int
differs(const float *c, const float *expected)
{
    for (int i = 0; i < M * N; i++) {
        if (c[i] != expected[i]) {
            fprintf(stderr, "element %d is %g, not %g\n", i, (double)c[i],
                    (double)expected[i]);
            return 1;
        }
    }
    return 0;
}

int
main(void)
{
    static const float first[M * N] = {11, 14, 0, 0, 50, 62};
    static const float second[M * N] = {22, 28, 0, 0, 100, 124};
    float values[NNZ] = {1, 2, 3, 4, 5};
    float b[K * N] = {1, 2, 3, 4, 5, 6, 7, 8};
    float c[M * N];
    objects o = {0};
    int bad =
        create(&o, values, b, c) || analyse(&o) || multiply(&o) || differs(c, first);

    for (int p = 0; p < NNZ; p++)
        values[p] *= 2;
    bad = bad || multiply(&o) || differs(c, second);
    bad = destroy(&o, bad);
    if (!bad)
        printf("C = A * B is right, before and after the values changed\n");
    return bad;
}
