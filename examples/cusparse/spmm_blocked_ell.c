/* C = A B with A in Blocked-ELL and B, C by columns. */
#include "example.h"

int
main(void)
{
    const cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;
    float by_columns[COLS][N];
    float by_rows[N][COLS] = {{0}};
    const float alpha = 1;
    const float beta = 0;
    cusparseHandle_t handle;
    cusparseDnMatDescr_t mb;
    cusparseDnMatDescr_t mc;
    matrix a = make_blocked_ell();
    void *buffer = NULL;
    void *db;
    void *dc = to_device(NULL, sizeof by_columns);
    size_t size;
    int wrong;

    for (int i = 0; i < N * COLS; i++)
        by_columns[i % COLS][i / COLS] = dense_b[i / COLS][i % COLS];
    db = DEVICE(by_columns);
    SPARSE(cusparseCreate(&handle));
    SPARSE(cusparseCreateDnMat(&mb, N, COLS, N, db, CUDA_R_32F, CUSPARSE_ORDER_COL));
    SPARSE(cusparseCreateDnMat(&mc, N, COLS, N, dc, CUDA_R_32F, CUSPARSE_ORDER_COL));
    SPARSE(cusparseSpMM_bufferSize(handle, op, op, &alpha, a.descr, mb, &beta, mc,
                                   CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, &size));
    CUDA(cudaMalloc(&buffer, size));
    SPARSE(cusparseSpMM(handle, op, op, &alpha, a.descr, mb, &beta, mc, CUDA_R_32F,
                        CUSPARSE_SPMM_ALG_DEFAULT, buffer));
    multiply(alpha, dense_b[0], beta, by_rows[0], COLS);
    for (int i = 0; i < N * COLS; i++)
        by_columns[i % COLS][i / COLS] = by_rows[i / COLS][i % COLS];
    wrong = differences("SpMM Blocked-ELL", dc, by_columns[0], N * COLS);
    SPARSE(cusparseDestroyDnMat(mb));
    SPARSE(cusparseDestroyDnMat(mc));
    SPARSE(cusparseDestroy(handle));
    CUDA(cudaFree(buffer));
    CUDA(cudaFree(db));
    CUDA(cudaFree(dc));
    drop(a);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
