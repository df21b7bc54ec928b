/* C = 2 A + 3 A^T, by csrgeam2: the size of C first, then its entries. A^T in CSR is what
 * A in CSC is made of. */
#include "example.h"

enum { NNZ_C = 10 };

int
main(void)
{
    const int offsets[] = {0, 2, 4, 7, 10};
    const int columns[] = {0, 2, 1, 3, 0, 2, 3, 1, 2, 3};
    const float values[] = {5, 16, 15, 21, 14, 25, 12, 14, 18, 40};
    const float alpha = 2;
    const float beta = 3;
    const matrix a = make_csr();
    const matrix b = make_csc();
    const int *ap = a.first;
    const int *ai = a.second;
    const int *bp = b.first;
    const int *bi = b.second;
    int *cp = to_device(NULL, sizeof offsets);
    int *ci = NULL;
    float *cv = NULL;
    void *buffer = NULL;
    cusparseHandle_t handle;
    cusparseMatDescr_t descr;
    size_t size;
    int nnz = 0;
    int wrong;

    SPARSE(cusparseCreate(&handle));
    SPARSE(cusparseCreateMatDescr(&descr));
    SPARSE(cusparseScsrgeam2_bufferSizeExt(handle, N, N, &alpha, descr, NNZ, a.values,
                                           ap, ai, &beta, descr, NNZ, b.values, bp, bi,
                                           descr, cv, cp, ci, &size));
    CUDA(cudaMalloc(&buffer, size));
    SPARSE(cusparseXcsrgeam2Nnz(handle, N, N, descr, NNZ, ap, ai, descr, NNZ, bp, bi,
                                descr, cp, &nnz, buffer));
    if (nnz != NNZ_C) {
        (void)printf("csrgeam2: FAILED, %d entries\n", nnz);
        return EXIT_FAILURE;
    }
    CUDA(cudaMalloc((void **)&ci, sizeof columns));
    CUDA(cudaMalloc((void **)&cv, sizeof values));
    SPARSE(cusparseScsrgeam2(handle, N, N, &alpha, descr, NNZ, a.values, ap, ai, &beta,
                             descr, NNZ, b.values, bp, bi, descr, cv, cp, ci, buffer));
    wrong = int_differences("csrgeam2 offsets", cp, offsets, N + 1);
    wrong += int_differences("csrgeam2 columns", ci, columns, NNZ_C);
    wrong += differences("csrgeam2 values", cv, values, NNZ_C);
    SPARSE(cusparseDestroyMatDescr(descr));
    SPARSE(cusparseDestroy(handle));
    CUDA(cudaFree(buffer));
    CUDA(cudaFree(cp));
    CUDA(cudaFree(ci));
    CUDA(cudaFree(cv));
    drop(a);
    drop(b);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
