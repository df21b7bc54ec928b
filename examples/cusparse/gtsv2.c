/* Solves a tridiagonal system, with pivots. */
#include "example.h"

int
main(void)
{
    const float below[] = {0, 4, 4};
    const float diagonal[] = {4, 5, 5};
    const float above[] = {1, 1, 0};
    const float right[] = {6, 17, 23};
    const float wanted[] = {1, 2, 3};
    float *dl = DEVICE(below);
    float *d = DEVICE(diagonal);
    float *du = DEVICE(above);
    float *b = DEVICE(right);
    void *buffer = NULL;
    cusparseHandle_t handle;
    size_t size;
    int wrong;

    SPARSE(cusparseCreate(&handle));
    SPARSE(cusparseSgtsv2_bufferSizeExt(handle, 3, 1, dl, d, du, b, 3, &size));
    CUDA(cudaMalloc(&buffer, size));
    SPARSE(cusparseSgtsv2(handle, 3, 1, dl, d, du, b, 3, buffer));
    wrong = differences("gtsv2", b, wanted, 3);
    SPARSE(cusparseDestroy(handle));
    CUDA(cudaFree(buffer));
    CUDA(cudaFree(dl));
    CUDA(cudaFree(d));
    CUDA(cudaFree(du));
    CUDA(cudaFree(b));
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
