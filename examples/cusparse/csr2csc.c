/* A from CSR to CSC, by cusparseCsr2cscEx2. */
#include "example.h"

int
main(void)
{
    const int offsets[] = {0, 2, 4, 6, 8};
    const int rows[] = {0, 2, 1, 3, 0, 2, 2, 3};
    const float values[] = {1, 4, 3, 7, 2, 5, 6, 8};
    const matrix a = make_csr();
    void *to_offsets = to_device(NULL, sizeof offsets);
    void *to_rows = to_device(NULL, sizeof rows);
    void *to_values = to_device(NULL, sizeof values);
    void *buffer = NULL;
    cusparseHandle_t handle;
    size_t size;
    int wrong;

#define ARGUMENTS                                                               \
    handle, N, N, NNZ, a.values, (int *)a.first, (int *)a.second, to_values,    \
        (int *)to_offsets, (int *)to_rows, CUDA_R_32F, CUSPARSE_ACTION_NUMERIC, \
        CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_CSR2CSC_ALG_DEFAULT
    SPARSE(cusparseCreate(&handle));
    SPARSE(cusparseCsr2cscEx2_bufferSize(ARGUMENTS, &size));
    CUDA(cudaMalloc(&buffer, size));
    SPARSE(cusparseCsr2cscEx2(ARGUMENTS, buffer));
    wrong = int_differences("csr2csc offsets", to_offsets, offsets, N + 1);
    wrong += int_differences("csr2csc rows", to_rows, rows, NNZ);
    wrong += differences("csr2csc values", to_values, values, NNZ);
    SPARSE(cusparseDestroy(handle));
    CUDA(cudaFree(buffer));
    CUDA(cudaFree(to_offsets));
    CUDA(cudaFree(to_rows));
    CUDA(cudaFree(to_values));
    drop(a);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
