/* C = alpha (X Y^T) at the entries of C + beta C, with C in CSR and in BSR. */
#include "example.h"

/* What entry (i, j) of the dense product is; Y is X here. */
static float
dot(int i, int j)
{
    float sum = 0;

    for (int k = 0; k < COLS; k++)
        sum += dense_b[i][k] * dense_b[j][k];
    return sum;
}

static void
sample(cusparseHandle_t handle, cusparseSpMatDescr_t c, const float *alpha,
       const float *beta)
{
    const cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;
    void *dx = DEVICE(dense_b);
    void *buffer = NULL;
    cusparseDnMatDescr_t x;
    cusparseDnMatDescr_t y; /* the same numbers, read as the transposed matrix */
    size_t size;

    SPARSE(cusparseCreateDnMat(&x, N, COLS, COLS, dx, CUDA_R_32F, CUSPARSE_ORDER_ROW));
    SPARSE(cusparseCreateDnMat(&y, COLS, N, COLS, dx, CUDA_R_32F, CUSPARSE_ORDER_COL));
    SPARSE(cusparseSDDMM_bufferSize(handle, op, op, alpha, x, y, beta, c, CUDA_R_32F,
                                    CUSPARSE_SDDMM_ALG_DEFAULT, &size));
    CUDA(cudaMalloc(&buffer, size));
    SPARSE(cusparseSDDMM_preprocess(handle, op, op, alpha, x, y, beta, c, CUDA_R_32F,
                                    CUSPARSE_SDDMM_ALG_DEFAULT, buffer));
    SPARSE(cusparseSDDMM(handle, op, op, alpha, x, y, beta, c, CUDA_R_32F,
                         CUSPARSE_SDDMM_ALG_DEFAULT, buffer));
    SPARSE(cusparseDestroyDnMat(x));
    SPARSE(cusparseDestroyDnMat(y));
    CUDA(cudaFree(buffer));
    CUDA(cudaFree(dx));
}

int
main(void)
{
    const float alpha = 2;
    const float beta = 1;
    const int rows[NNZ] = {0, 0, 1, 2, 2, 2, 3, 3};
    const int columns[NNZ] = {0, 2, 1, 0, 2, 3, 1, 3};
    float wanted[N * N];
    cusparseHandle_t handle;
    matrix c = make_csr();
    int wrong;

    SPARSE(cusparseCreate(&handle));
    sample(handle, c.descr, &alpha, &beta);
    for (int p = 0; p < NNZ; p++)
        wanted[p] = alpha * dot(rows[p], columns[p]) + beta * (float)(p + 1);
    wrong = differences("SDDMM CSR", c.values, wanted, NNZ);
    drop(c);

    c = make_bsr(); /* zeros inside of blocks are entries as well */
    sample(handle, c.descr, &alpha, &beta);
    for (int p = 0; p < N * N; p++) {
        const int i = p / 8 * 2 + p % 4 / 2;
        const int j = p / 4 % 2 * 2 + p % 2;

        wanted[p] = alpha * dot(i, j) + beta * dense_a[i][j];
    }
    wrong += differences("SDDMM BSR", c.values, wanted, N * N);
    drop(c);
    SPARSE(cusparseDestroy(handle));
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
