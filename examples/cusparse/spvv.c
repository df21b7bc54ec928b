/* The product of sparse x and dense y, as a number on the host and on the device. */
#include "example.h"

enum { SIZE = 8, ENTRIES = 3 };

int
main(void)
{
    const int indices[ENTRIES] = {0, 3, 7};
    const float x[ENTRIES] = {10, 20, 30};
    const float y[SIZE] = {1, 2, 3, 4, 5, 6, 7, 8};
    const float wanted = 330;
    const cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;
    void *di = DEVICE(indices);
    void *dx = DEVICE(x);
    void *dy = DEVICE(y);
    cusparseHandle_t handle;
    cusparseSpVecDescr_t vx;
    cusparseDnVecDescr_t vy;
    void *buffer = NULL;
    void *result = to_device(NULL, sizeof(float));
    float number = 0;
    size_t size;
    int wrong;

    SPARSE(cusparseCreate(&handle));
    SPARSE(cusparseCreateSpVec(&vx, SIZE, ENTRIES, di, dx, CUSPARSE_INDEX_32I,
                               CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    SPARSE(cusparseCreateDnVec(&vy, SIZE, dy, CUDA_R_32F));
    SPARSE(cusparseSpVV_bufferSize(handle, op, vx, vy, &number, CUDA_R_32F, &size));
    CUDA(cudaMalloc(&buffer, size));
    SPARSE(cusparseSpVV(handle, op, vx, vy, &number, CUDA_R_32F, buffer));
    CUDA(cudaDeviceSynchronize());
    wrong = number != wanted;
    (void)printf("SpVV to the host: %s\n", wrong ? "FAILED" : "passed");
    SPARSE(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_DEVICE));
    SPARSE(cusparseSpVV(handle, op, vx, vy, result, CUDA_R_32F, buffer));
    wrong += differences("SpVV to the device", result, &wanted, 1);
    SPARSE(cusparseDestroySpVec(vx));
    SPARSE(cusparseDestroyDnVec(vy));
    SPARSE(cusparseDestroy(handle));
    CUDA(cudaFree(buffer));
    CUDA(cudaFree(result));
    CUDA(cudaFree(di));
    CUDA(cudaFree(dx));
    CUDA(cudaFree(dy));
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
