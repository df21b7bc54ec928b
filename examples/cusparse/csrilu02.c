/* An incomplete LU factorisation, of a tridiagonal matrix a complete one, in place. */
#include "example.h"

enum { SIDE = 3, ENTRIES = 7 };

int
main(void)
{
    const int offsets[] = {0, 2, 5, 7};
    const int columns[ENTRIES] = {0, 1, 0, 1, 2, 1, 2};
    const float values[ENTRIES] = {2, 1, 4, 3, 2, 3, 10};
    const float wanted[ENTRIES] = {2, 1, 2, 1, 2, 3, 4};
    const cusparseSolvePolicy_t policy = CUSPARSE_SOLVE_POLICY_USE_LEVEL;
    int *ptr = DEVICE(offsets);
    int *idx = DEVICE(columns);
    float *val = DEVICE(values);
    void *buffer = NULL;
    cusparseHandle_t handle;
    cusparseMatDescr_t descr;
    csrilu02Info_t info;
    int pivot;
    int size;
    int wrong;

    SPARSE(cusparseCreate(&handle));
    SPARSE(cusparseCreateMatDescr(&descr));
    SPARSE(cusparseCreateCsrilu02Info(&info));
    SPARSE(cusparseScsrilu02_bufferSize(handle, SIDE, ENTRIES, descr, val, ptr, idx,
                                        info, &size));
    CUDA(cudaMalloc(&buffer, (size_t)size));
    SPARSE(cusparseScsrilu02_analysis(handle, SIDE, ENTRIES, descr, val, ptr, idx, info,
                                      policy, buffer));
    SPARSE(cusparseScsrilu02(handle, SIDE, ENTRIES, descr, val, ptr, idx, info, policy,
                             buffer));
    wrong =
        cusparseXcsrilu02_zeroPivot(handle, info, &pivot) != CUSPARSE_STATUS_SUCCESS;
    wrong += differences("csrilu02", val, wanted, ENTRIES);
    SPARSE(cusparseDestroyCsrilu02Info(info));
    SPARSE(cusparseDestroyMatDescr(descr));
    SPARSE(cusparseDestroy(handle));
    CUDA(cudaFree(buffer));
    CUDA(cudaFree(ptr));
    CUDA(cudaFree(idx));
    CUDA(cudaFree(val));
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
