/* Counts the non-zeros of each row of A. By columns, which is how this routine reads, the
 * array of A is its transpose, so these are columns. */
#include "example.h"

int
main(void)
{
    const int wanted[N] = {2, 1, 3, 2};
    float *a = DEVICE(dense_a);
    int *counts = to_device(NULL, sizeof wanted);
    cusparseHandle_t handle;
    cusparseMatDescr_t descr;
    int total = 0;
    int wrong;

    SPARSE(cusparseCreate(&handle));
    SPARSE(cusparseCreateMatDescr(&descr));
    SPARSE(cusparseSnnz(handle, CUSPARSE_DIRECTION_COLUMN, N, N, descr, a, N, counts,
                        &total));
    wrong = int_differences("nnz of rows", counts, wanted, N);
    wrong += total != NNZ;
    (void)printf("nnz in all: %s\n", total != NNZ ? "FAILED" : "passed");
    SPARSE(cusparseDestroyMatDescr(descr));
    SPARSE(cusparseDestroy(handle));
    CUDA(cudaFree(a));
    CUDA(cudaFree(counts));
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
