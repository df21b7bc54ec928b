/* Writes A, in each format that SparseToDense takes, as a dense matrix by rows. */
#include "example.h"

static int
expand(cusparseHandle_t handle, const char *name, matrix a)
{
    cusparseDnMatDescr_t dense;
    void *values = to_device(NULL, sizeof dense_a);
    void *buffer = NULL;
    size_t size;
    int wrong;

    SPARSE(
        cusparseCreateDnMat(&dense, N, N, N, values, CUDA_R_32F, CUSPARSE_ORDER_ROW));
    SPARSE(cusparseSparseToDense_bufferSize(handle, a.descr, dense,
                                            CUSPARSE_SPARSETODENSE_ALG_DEFAULT, &size));
    CUDA(cudaMalloc(&buffer, size));
    SPARSE(cusparseSparseToDense(handle, a.descr, dense,
                                 CUSPARSE_SPARSETODENSE_ALG_DEFAULT, buffer));
    wrong = differences(name, values, dense_a[0], N * N);
    SPARSE(cusparseDestroyDnMat(dense));
    CUDA(cudaFree(buffer));
    CUDA(cudaFree(values));
    drop(a);
    return wrong;
}

int
main(void)
{
    cusparseHandle_t handle;
    int wrong = 0;

    SPARSE(cusparseCreate(&handle));
    wrong += expand(handle, "SparseToDense CSR", make_csr());
    wrong += expand(handle, "SparseToDense CSC", make_csc());
    wrong += expand(handle, "SparseToDense COO", make_coo());
    SPARSE(cusparseDestroy(handle));
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
