/* C = A A by each algorithm of SpGEMM: the first asks for its buffers by two calls each,
 * the others first bound the memory of the second. */
#include "example.h"

enum { NNZ_C = 10 };

#define OPERANDS op, op, &alpha, a, b, &beta, c, CUDA_R_32F, alg, descr

static int
square(cusparseHandle_t handle, const char *name, cusparseSpGEMMAlg_t alg)
{
    static const int offsets[] = {0, 3, 4, 8, 10};
    static const int columns[] = {0, 2, 3, 1, 0, 1, 2, 3, 1, 3};
    static const float values[] = {9, 12, 12, 9, 24, 42, 33, 78, 77, 64};
    const cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const float alpha = 1;
    const float beta = 0;
    const matrix m = make_csr();
    const cusparseSpMatDescr_t a = m.descr;
    const cusparseSpMatDescr_t b = m.descr;
    cusparseSpMatDescr_t c;
    cusparseSpGEMMDescr_t descr;
    size_t size1 = 0;
    size_t size2 = 0;
    void *buffer1 = NULL;
    void *buffer2 = NULL;
    void *c_offsets = to_device(NULL, sizeof offsets);
    void *c_columns = NULL;
    void *c_values = NULL;
    int64_t rows;
    int64_t cols;
    int64_t nnz;
    int wrong;

    SPARSE(cusparseCreateCsr(&c, N, N, 0, c_offsets, NULL, NULL, CUSPARSE_INDEX_32I,
                             CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    SPARSE(cusparseSpGEMM_createDescr(&descr));
    SPARSE(cusparseSpGEMM_workEstimation(handle, OPERANDS, &size1, NULL));
    CUDA(cudaMalloc(&buffer1, size1));
    SPARSE(cusparseSpGEMM_workEstimation(handle, OPERANDS, &size1, buffer1));
    if (alg == CUSPARSE_SPGEMM_ALG2 || alg == CUSPARSE_SPGEMM_ALG3) {
        size_t size3 = 0;
        void *buffer3 = NULL;
        int64_t products;

        SPARSE(cusparseSpGEMM_getNumProducts(descr, &products));
        (void)printf("%s: %lld products\n", name, (long long)products);
        SPARSE(
            cusparseSpGEMM_estimateMemory(handle, OPERANDS, 1.0f, &size3, NULL, NULL));
        CUDA(cudaMalloc(&buffer3, size3));
        SPARSE(cusparseSpGEMM_estimateMemory(handle, OPERANDS, 1.0f, &size3, buffer3,
                                             &size2));
        CUDA(cudaFree(buffer3));
    } else {
        SPARSE(cusparseSpGEMM_compute(handle, OPERANDS, &size2, NULL));
    }
    CUDA(cudaMalloc(&buffer2, size2));
    SPARSE(cusparseSpGEMM_compute(handle, OPERANDS, &size2, buffer2));
    SPARSE(cusparseSpMatGetSize(c, &rows, &cols, &nnz));
    if (nnz != NNZ_C) {
        (void)printf("%s: FAILED, %lld entries\n", name, (long long)nnz);
        exit(EXIT_FAILURE);
    }
    CUDA(cudaMalloc(&c_columns, sizeof columns));
    CUDA(cudaMalloc(&c_values, sizeof values));
    SPARSE(cusparseCsrSetPointers(c, c_offsets, c_columns, c_values));
    SPARSE(cusparseSpGEMM_copy(handle, OPERANDS));
    wrong = int_differences(name, c_offsets, offsets, N + 1);
    wrong += int_differences(name, c_columns, columns, NNZ_C);
    wrong += differences(name, c_values, values, NNZ_C);
    SPARSE(cusparseSpGEMM_destroyDescr(descr));
    SPARSE(cusparseDestroySpMat(c));
    CUDA(cudaFree(buffer1));
    CUDA(cudaFree(buffer2));
    CUDA(cudaFree(c_offsets));
    CUDA(cudaFree(c_columns));
    CUDA(cudaFree(c_values));
    drop(m);
    return wrong;
}

int
main(void)
{
    cusparseHandle_t handle;
    int wrong = 0;

    SPARSE(cusparseCreate(&handle));
    wrong += square(handle, "SpGEMM default", CUSPARSE_SPGEMM_DEFAULT);
    wrong += square(handle, "SpGEMM ALG1", CUSPARSE_SPGEMM_ALG1);
    wrong += square(handle, "SpGEMM ALG2", CUSPARSE_SPGEMM_ALG2);
    wrong += square(handle, "SpGEMM ALG3", CUSPARSE_SPGEMM_ALG3);
    SPARSE(cusparseDestroy(handle));
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
