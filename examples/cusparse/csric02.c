/* An incomplete Cholesky factorisation, of a tridiagonal matrix a complete one, in place:
 * of the lower triangle, which is all that is stored. */
#include "example.h"

enum { SIDE = 3, ENTRIES = 5 };

int
main(void)
{
    const int offsets[] = {0, 1, 3, 5};
    const int columns[ENTRIES] = {0, 0, 1, 1, 2};
    const float values[ENTRIES] = {4, 2, 5, 2, 5};
    const float wanted[ENTRIES] = {2, 1, 2, 1, 2};
    const cusparseSolvePolicy_t policy = CUSPARSE_SOLVE_POLICY_USE_LEVEL;
    int *ptr = DEVICE(offsets);
    int *idx = DEVICE(columns);
    float *val = DEVICE(values);
    void *buffer = NULL;
    cusparseHandle_t handle;
    cusparseMatDescr_t descr;
    csric02Info_t info;
    int pivot;
    int size;
    int wrong;

    SPARSE(cusparseCreate(&handle));
    SPARSE(cusparseCreateMatDescr(&descr));
    SPARSE(cusparseCreateCsric02Info(&info));
    SPARSE(cusparseScsric02_bufferSize(handle, SIDE, ENTRIES, descr, val, ptr, idx,
                                       info, &size));
    CUDA(cudaMalloc(&buffer, (size_t)size));
    SPARSE(cusparseScsric02_analysis(handle, SIDE, ENTRIES, descr, val, ptr, idx, info,
                                     policy, buffer));
    SPARSE(cusparseScsric02(handle, SIDE, ENTRIES, descr, val, ptr, idx, info, policy,
                            buffer));
    wrong = cusparseXcsric02_zeroPivot(handle, info, &pivot) != CUSPARSE_STATUS_SUCCESS;
    wrong += differences("csric02", val, wanted, ENTRIES);
    SPARSE(cusparseDestroyCsric02Info(info));
    SPARSE(cusparseDestroyMatDescr(descr));
    SPARSE(cusparseDestroy(handle));
    CUDA(cudaFree(buffer));
    CUDA(cudaFree(ptr));
    CUDA(cudaFree(idx));
    CUDA(cudaFree(val));
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
