/*
 * A format of one's own: a matrix is converted to a line of text, multiplied there, and
 * its arrays are shown. The middle of this file is the example of docs/formats.md.
 */
#include <spblas.h>

#include <stdio.h>

enum { N = 6, NNZ = 16 };

/* Sums are over (1, 2, 3, 4, 5, 6). */
static int
differs(const double *y)
{
    static const double expected[N] = {0, 0, 0, 0, 0, 7};

    for (int i = 0; i < N; i++) {
        if (y[i] != expected[i]) {
            fprintf(stderr, "element %d is %g, not %g\n", i, y[i], expected[i]);
            return 1;
        }
    }
    return 0;
}

/* B = A in a format of the caller's, then y = B * x. */
static spblasStatus_t
multiply(spblasHandle_t handle, spblasConstSpMatDescr_t A, spblasConstDnVecDescr_t x,
         spblasDnVecDescr_t y, spblasSpMatDescr_t *B)
{
    /* Diagonals of blocks of three rows, a diagonal's elements side by side. */
    static const char text[] = "format strips<b=3> (i, j) -> (i/b, j - i, i%b) "
                               "merge(0) trim(1, 1)";
    const spblasOperation_t as_is = SPBLAS_OPERATION_NON_TRANSPOSE;
    const double alpha = 1, beta = 0;
    spblasFormatDescr_t format;
    spblasStatus_t st;

    if ((st = spblasCreateFormat(&format, text)))
        return st; /* spblasGetLastErrorMessage(NULL) has the place and a caret */
    st = spblasConvert(handle, A, format, B);
    spblasDestroyFormat(format); /* B keeps what it needs */
    if (st)
        return st;
    st = spblasSpMV_analysis(handle, as_is, &alpha, *B, x, &beta, y, SPBLAS_R_64F,
                             SPBLAS_SPMV_ALG_DEFAULT, NULL); /* compiles its kernel */
    return st ? st
              : spblasSpMV(handle, as_is, &alpha, *B, x, &beta, y, SPBLAS_R_64F,
                           SPBLAS_SPMV_ALG_DEFAULT, NULL);
}

/* Level 1 has an offset for each diagonal: -1, 0, 1 in both strips. */
static spblasStatus_t
show(spblasConstSpMatDescr_t B)
{
    spblasLevelInfo_t level = {.structSize = sizeof level};
    const void *values;
    int64_t count, stride;
    spblasStatus_t st = spblasSpMatGetPartLevel(B, 0, 1, &level);

    if (st || (st = spblasSpMatGetPartValues(B, 0, &values, &count, &stride)))
        return st;
    for (int64_t p = 0; p < level.count; p++)
        printf("diagonal %d: %g %g %g\n", ((const int32_t *)level.idx)[p],
               ((const double *)values)[3 * p], ((const double *)values)[3 * p + 1],
               ((const double *)values)[3 * p + 2]);
    return st;
}

int
main(void)
{
    static int32_t ptr[N + 1] = {0, 2, 5, 8, 11, 14, NNZ};
    static int32_t col[NNZ] = {0, 1, 0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 5, 4, 5};
    static double val[NNZ] = {2, -1, -1, 2, -1, -1, 2, -1, -1, 2, -1, -1, 2, -1, -1, 2};
    static double in[N] = {1, 2, 3, 4, 5, 6};
    double out[N];
    spblasHandle_t handle = NULL;
    spblasSpMatDescr_t A = NULL, B = NULL;
    spblasDnVecDescr_t x = NULL, y = NULL;
    int bad = spblasCreate(&handle) ||
              spblasCreateCsr(&A, N, N, NNZ, ptr, col, val, SPBLAS_INDEX_32I,
                              SPBLAS_INDEX_32I, SPBLAS_INDEX_BASE_ZERO, SPBLAS_R_64F) ||
              spblasCreateDnVec(&x, N, in, SPBLAS_R_64F) ||
              spblasCreateDnVec(&y, N, out, SPBLAS_R_64F) ||
              multiply(handle, A, x, y, &B) || show(B);

    if (bad)
        fprintf(stderr, "%s\n", spblasGetLastErrorMessage(NULL));
    bad = bad || differs(out);
    bad = spblasDestroySpMat(B) || spblasDestroySpMat(A) || spblasDestroyDnVec(x) ||
          spblasDestroyDnVec(y) || spblasDestroy(handle) || bad;
    if (!bad)
        printf("y = B * x is right in a format of the caller's\n");
    return bad;
}
