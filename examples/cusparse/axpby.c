/* y = alpha x + beta y, with x sparse. */
#include "example.h"

enum { SIZE = 8, ENTRIES = 3 };

int
main(void)
{
    const int indices[ENTRIES] = {0, 3, 7};
    const float x[ENTRIES] = {10, 20, 30};
    const float y[SIZE] = {1, 2, 3, 4, 5, 6, 7, 8};
    const float wanted[SIZE] = {23, 6, 9, 52, 15, 18, 21, 84};
    const float alpha = 2;
    const float beta = 3;
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
    SPARSE(cusparseAxpby(handle, &alpha, vx, &beta, vy));
    wrong = differences("Axpby", dy, wanted, SIZE);
    SPARSE(cusparseDestroySpVec(vx));
    SPARSE(cusparseDestroyDnVec(vy));
    SPARSE(cusparseDestroy(handle));
    CUDA(cudaFree(di));
    CUDA(cudaFree(dx));
    CUDA(cudaFree(dy));
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
