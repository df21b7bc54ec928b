/* Turns the plane of each entry of sparse x and its place in dense y. */
#include "example.h"

enum { SIZE = 8, ENTRIES = 3 };

int
main(void)
{
    const int indices[ENTRIES] = {0, 3, 7};
    const float x[ENTRIES] = {10, 20, 30};
    const float y[SIZE] = {1, 2, 3, 4, 5, 6, 7, 8};
    const float wanted_x[ENTRIES] = {32, 68, 106};
    const float wanted_y[SIZE] = {-17, 2, 3, -28, 5, 6, 7, -36};
    const float c = 3; /* no rotation, but the numbers stay whole */
    const float s = 2;
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
    SPARSE(cusparseRot(handle, &c, &s, vx, vy));
    wrong = differences("Rot x", dx, wanted_x, ENTRIES);
    wrong += differences("Rot y", dy, wanted_y, SIZE);
    SPARSE(cusparseDestroySpVec(vx));
    SPARSE(cusparseDestroyDnVec(vy));
    SPARSE(cusparseDestroy(handle));
    CUDA(cudaFree(di));
    CUDA(cudaFree(dx));
    CUDA(cudaFree(dy));
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
