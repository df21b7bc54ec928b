/* C_i = A B_i for two B, one behind the other: the same A for all, by stride 0. */
#include "example.h"

enum { BATCH = 2, STRIDE = N * COLS };

int
main(void)
{
    const cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;
    float b[BATCH][N][COLS];
    float c[BATCH][N][COLS] = {{{0}}};
    const float alpha = 1;
    const float beta = 0;
    cusparseHandle_t handle;
    cusparseDnMatDescr_t mb;
    cusparseDnMatDescr_t mc;
    matrix a = make_csr();
    void *buffer = NULL;
    void *db;
    void *dc = DEVICE(c);
    size_t size;
    int wrong;

    for (int i = 0; i < STRIDE; i++) {
        b[0][i / COLS][i % COLS] = dense_b[i / COLS][i % COLS];
        b[1][i / COLS][i % COLS] = (float)(i % 5);
    }
    db = DEVICE(b);
    SPARSE(cusparseCreate(&handle));
    SPARSE(cusparseCreateDnMat(&mb, N, COLS, COLS, db, CUDA_R_32F, CUSPARSE_ORDER_ROW));
    SPARSE(cusparseCreateDnMat(&mc, N, COLS, COLS, dc, CUDA_R_32F, CUSPARSE_ORDER_ROW));
    SPARSE(cusparseCsrSetStridedBatch(a.descr, BATCH, 0, 0));
    SPARSE(cusparseDnMatSetStridedBatch(mb, BATCH, STRIDE));
    SPARSE(cusparseDnMatSetStridedBatch(mc, BATCH, STRIDE));
    SPARSE(cusparseSpMM_bufferSize(handle, op, op, &alpha, a.descr, mb, &beta, mc,
                                   CUDA_R_32F, CUSPARSE_SPMM_CSR_ALG2, &size));
    CUDA(cudaMalloc(&buffer, size));
    SPARSE(cusparseSpMM(handle, op, op, &alpha, a.descr, mb, &beta, mc, CUDA_R_32F,
                        CUSPARSE_SPMM_CSR_ALG2, buffer));
    for (int i = 0; i < BATCH; i++)
        multiply(alpha, b[i][0], beta, c[i][0], COLS);
    wrong = differences("SpMM batched", dc, c[0][0], BATCH * STRIDE);
    SPARSE(cusparseDestroyDnMat(mb));
    SPARSE(cusparseDestroyDnMat(mc));
    SPARSE(cusparseDestroy(handle));
    CUDA(cudaFree(buffer));
    CUDA(cudaFree(db));
    CUDA(cudaFree(dc));
    drop(a);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
