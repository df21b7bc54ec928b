/* The entries of dense y at the indices of sparse x. */
#include "example.h"

enum { SIZE = 8, ENTRIES = 3 };

int
main(void)
{
    const int indices[ENTRIES] = {0, 3, 7};
    const float x[ENTRIES] = {0};
    const float y[SIZE] = {1, 2, 3, 4, 5, 6, 7, 8};
    const float wanted[ENTRIES] = {1, 4, 8};
    void *di = DEVICE(indices);
    void *dx = DEVICE(x);
    void *dy = DEVICE(y);
    cusparseHandle_t handle;
    cusparseSpVecDescr_t vx;
    cusparseDnVecDescr_t vy;
    int wrong;

    SPARSE(cusparseCreate(&handle));
    SPARSE(cusparseCreateSpVec(&vx, SIZE, ENTRIES, di, dx, CUSPARSE_INDEX_32I,
                               CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    SPARSE(cusparseCreateDnVec(&vy, SIZE, dy, CUDA_R_32F));
    SPARSE(cusparseGather(handle, vy, vx));
    wrong = differences("Gather", dx, wanted, ENTRIES);
    SPARSE(cusparseDestroySpVec(vx));
    SPARSE(cusparseDestroyDnVec(vy));
    SPARSE(cusparseDestroy(handle));
    CUDA(cudaFree(di));
    CUDA(cudaFree(dx));
    CUDA(cudaFree(dy));
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
