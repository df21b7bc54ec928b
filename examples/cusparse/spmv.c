/* y = alpha A x + beta y, with A in each format that SpMV takes. */
#include "example.h"

static int
product(cusparseHandle_t handle, const char *name, matrix a)
{
    const float x[N] = {1, 2, 3, 4};
    float y[N] = {1, 1, 1, 1};
    const float alpha = 2;
    const float beta = 3;
    void *dx = DEVICE(x);
    void *dy = DEVICE(y);
    void *buffer = NULL;
    cusparseDnVecDescr_t vx;
    cusparseDnVecDescr_t vy;
    size_t size;
    int wrong;

    SPARSE(cusparseCreateDnVec(&vx, N, dx, CUDA_R_32F));
    SPARSE(cusparseCreateDnVec(&vy, N, dy, CUDA_R_32F));
    SPARSE(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha,
                                   a.descr, vx, &beta, vy, CUDA_R_32F,
                                   CUSPARSE_SPMV_ALG_DEFAULT, &size));
    CUDA(cudaMalloc(&buffer, size));
    SPARSE(cusparseSpMV_preprocess(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha,
                                   a.descr, vx, &beta, vy, CUDA_R_32F,
                                   CUSPARSE_SPMV_ALG_DEFAULT, buffer));
    SPARSE(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, a.descr, vx,
                        &beta, vy, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, buffer));
    multiply(alpha, x, beta, y, 1);
    wrong = differences(name, dy, y, N);
    SPARSE(cusparseDestroyDnVec(vx));
    SPARSE(cusparseDestroyDnVec(vy));
    CUDA(cudaFree(buffer));
    CUDA(cudaFree(dx));
    CUDA(cudaFree(dy));
    drop(a);
    return wrong;
}

int
main(void)
{
    cusparseHandle_t handle;
    int wrong = 0;

    SPARSE(cusparseCreate(&handle));
    wrong += product(handle, "SpMV CSR", make_csr());
    wrong += product(handle, "SpMV CSC", make_csc());
    wrong += product(handle, "SpMV COO", make_coo());
    wrong += product(handle, "SpMV BSR", make_bsr());
    wrong += product(handle, "SpMV Sliced-ELL", make_sliced_ell());
    SPARSE(cusparseDestroy(handle));
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
