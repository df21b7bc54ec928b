/* C = alpha A B + beta C, with A in each format that SpMM takes; B and C by rows. */
#include "example.h"

static int
product(cusparseHandle_t handle, const char *name, matrix a)
{
    const cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;
    float c[N][COLS] = {{1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {4, 4, 4}};
    const float alpha = 2;
    const float beta = -1;
    void *db = DEVICE(dense_b);
    void *dc = DEVICE(c);
    void *buffer = NULL;
    cusparseDnMatDescr_t mb;
    cusparseDnMatDescr_t mc;
    size_t size;
    int wrong;

    SPARSE(cusparseCreateDnMat(&mb, N, COLS, COLS, db, CUDA_R_32F, CUSPARSE_ORDER_ROW));
    SPARSE(cusparseCreateDnMat(&mc, N, COLS, COLS, dc, CUDA_R_32F, CUSPARSE_ORDER_ROW));
    SPARSE(cusparseSpMM_bufferSize(handle, op, op, &alpha, a.descr, mb, &beta, mc,
                                   CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, &size));
    CUDA(cudaMalloc(&buffer, size));
    SPARSE(cusparseSpMM_preprocess(handle, op, op, &alpha, a.descr, mb, &beta, mc,
                                   CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, buffer));
    SPARSE(cusparseSpMM(handle, op, op, &alpha, a.descr, mb, &beta, mc, CUDA_R_32F,
                        CUSPARSE_SPMM_ALG_DEFAULT, buffer));
    multiply(alpha, dense_b[0], beta, c[0], COLS);
    wrong = differences(name, dc, c[0], N * COLS);
    SPARSE(cusparseDestroyDnMat(mb));
    SPARSE(cusparseDestroyDnMat(mc));
    CUDA(cudaFree(buffer));
    CUDA(cudaFree(db));
    CUDA(cudaFree(dc));
    drop(a);
    return wrong;
}

int
main(void)
{
    cusparseHandle_t handle;
    int wrong = 0;

    SPARSE(cusparseCreate(&handle));
    wrong += product(handle, "SpMM CSR", make_csr());
    wrong += product(handle, "SpMM CSC", make_csc());
    wrong += product(handle, "SpMM COO", make_coo());
    wrong += product(handle, "SpMM BSR", make_bsr());
    SPARSE(cusparseDestroy(handle));
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
