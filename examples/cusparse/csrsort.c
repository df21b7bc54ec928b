/* Sorts the columns within the rows of A, and brings the values after them by a gather. */
#include "example.h"

int
main(void)
{
    const int offsets[] = {0, 2, 3, 6, 8};
    const int unsorted[] = {2, 0, 1, 3, 0, 2, 3, 1};
    const int sorted[] = {0, 2, 1, 0, 2, 3, 1, 3};
    const float values[] = {2, 1, 3, 6, 4, 5, 8, 7};
    const float wanted[] = {1, 2, 3, 4, 5, 6, 7, 8};
    int *ptr = DEVICE(offsets);
    int *idx = DEVICE(unsorted);
    int *order = to_device(NULL, NNZ * sizeof(int));
    void *from = DEVICE(values);
    void *to = to_device(NULL, sizeof wanted);
    void *buffer = NULL;
    cusparseHandle_t handle;
    cusparseMatDescr_t descr;
    cusparseSpVecDescr_t picked;
    cusparseDnVecDescr_t all;
    size_t size;
    int wrong;

    SPARSE(cusparseCreate(&handle));
    SPARSE(cusparseCreateMatDescr(&descr));
    SPARSE(cusparseXcsrsort_bufferSizeExt(handle, N, N, NNZ, ptr, idx, &size));
    CUDA(cudaMalloc(&buffer, size));
    SPARSE(cusparseCreateIdentityPermutation(handle, NNZ, order));
    SPARSE(cusparseXcsrsort(handle, N, N, NNZ, descr, ptr, idx, order, buffer));
    SPARSE(cusparseCreateSpVec(&picked, NNZ, NNZ, order, to, CUSPARSE_INDEX_32I,
                               CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    SPARSE(cusparseCreateDnVec(&all, NNZ, from, CUDA_R_32F));
    SPARSE(cusparseGather(handle, all, picked));
    wrong = int_differences("csrsort columns", idx, sorted, NNZ);
    wrong += differences("csrsort values", to, wanted, NNZ);
    SPARSE(cusparseDestroySpVec(picked));
    SPARSE(cusparseDestroyDnVec(all));
    SPARSE(cusparseDestroyMatDescr(descr));
    SPARSE(cusparseDestroy(handle));
    CUDA(cudaFree(buffer));
    CUDA(cudaFree(ptr));
    CUDA(cudaFree(idx));
    CUDA(cudaFree(order));
    CUDA(cudaFree(from));
    CUDA(cudaFree(to));
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
