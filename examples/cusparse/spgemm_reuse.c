/* C = A A, whose structure is found once and whose values are computed twice, the second
 * time with all values of A doubled. */
#include "example.h"

enum { NNZ_C = 10 };

#define STRUCTURE op, op, a, b, c, CUSPARSE_SPGEMM_DEFAULT, descr

int
main(void)
{
    static const int offsets[] = {0, 3, 4, 8, 10};
    static const int columns[] = {0, 2, 3, 1, 0, 1, 2, 3, 1, 3};
    static const float values[] = {9, 12, 12, 9, 24, 42, 33, 78, 77, 64};
    static const float fourfold[] = {36, 48, 48, 36, 96, 168, 132, 312, 308, 256};
    static const float doubled[NNZ] = {2, 4, 6, 8, 10, 12, 14, 16};
    const cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const float alpha = 1;
    const float beta = 0;
    const matrix m = make_csr();
    const cusparseSpMatDescr_t a = m.descr;
    const cusparseSpMatDescr_t b = m.descr;
    cusparseHandle_t handle;
    cusparseSpMatDescr_t c;
    cusparseSpGEMMDescr_t descr;
    size_t size[6] = {0};
    void *buffer[6] = {NULL};
    void *c_offsets = to_device(NULL, sizeof offsets);
    void *c_columns = NULL;
    void *c_values = to_device(NULL, sizeof values);
    int64_t rows;
    int64_t cols;
    int64_t nnz;
    int wrong = 0;

    SPARSE(cusparseCreate(&handle));
    SPARSE(cusparseCreateCsr(&c, N, N, 0, c_offsets, NULL, NULL, CUSPARSE_INDEX_32I,
                             CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    SPARSE(cusparseSpGEMM_createDescr(&descr));
    SPARSE(cusparseSpGEMMreuse_workEstimation(handle, STRUCTURE, &size[1], NULL));
    CUDA(cudaMalloc(&buffer[1], size[1]));
    SPARSE(cusparseSpGEMMreuse_workEstimation(handle, STRUCTURE, &size[1], buffer[1]));
    SPARSE(cusparseSpGEMMreuse_nnz(handle, STRUCTURE, &size[2], NULL, &size[3], NULL,
                                   &size[4], NULL));
    for (int i = 2; i <= 4; i++)
        CUDA(cudaMalloc(&buffer[i], size[i]));
    SPARSE(cusparseSpGEMMreuse_nnz(handle, STRUCTURE, &size[2], buffer[2], &size[3],
                                   buffer[3], &size[4], buffer[4]));
    CUDA(cudaFree(buffer[1]));
    CUDA(cudaFree(buffer[2]));
    SPARSE(cusparseSpMatGetSize(c, &rows, &cols, &nnz));
    if (nnz != NNZ_C) {
        (void)printf("SpGEMMreuse: FAILED, %lld entries\n", (long long)nnz);
        return EXIT_FAILURE;
    }
    CUDA(cudaMalloc(&c_columns, sizeof columns));
    SPARSE(cusparseCsrSetPointers(c, c_offsets, c_columns, c_values));
    SPARSE(cusparseSpGEMMreuse_copy(handle, STRUCTURE, &size[5], NULL));
    CUDA(cudaMalloc(&buffer[5], size[5]));
    SPARSE(cusparseSpGEMMreuse_copy(handle, STRUCTURE, &size[5], buffer[5]));
    CUDA(cudaFree(buffer[3]));
    for (int round = 0; round < 2; round++) {
        SPARSE(cusparseSpGEMMreuse_compute(handle, op, op, &alpha, a, b, &beta, c,
                                           CUDA_R_32F, CUSPARSE_SPGEMM_DEFAULT, descr));
        wrong += differences("SpGEMMreuse values", c_values, round ? fourfold : values,
                             NNZ_C);
        CUDA(cudaMemcpy(m.values, doubled, sizeof doubled, cudaMemcpyHostToDevice));
    }
    wrong += int_differences("SpGEMMreuse offsets", c_offsets, offsets, N + 1);
    wrong += int_differences("SpGEMMreuse columns", c_columns, columns, NNZ_C);
    SPARSE(cusparseSpGEMM_destroyDescr(descr));
    SPARSE(cusparseDestroySpMat(c));
    SPARSE(cusparseDestroy(handle));
    CUDA(cudaFree(buffer[4]));
    CUDA(cudaFree(buffer[5]));
    CUDA(cudaFree(c_offsets));
    CUDA(cudaFree(c_columns));
    CUDA(cudaFree(c_values));
    drop(m);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
