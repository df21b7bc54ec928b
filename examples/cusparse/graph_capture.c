/* y = A x, then y = y + 2 s with s sparse: captured once as a graph, whose descriptors may
 * go, and launched twice, the second time with other numbers in x. */
#include "example.h"

int
main(void)
{
    const cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const float x[2][N] = {{1, 2, 3, 4}, {4, 3, 2, 1}};
    const float s[2] = {10, 20};
    const int at[2] = {1, 3};
    float y[N] = {0};
    float one = 1;
    float zero = 0;
    float two = 2;
    const matrix a = make_csr();
    void *dx = DEVICE(x[0]);
    void *dy = DEVICE(y);
    void *ds = DEVICE(s);
    void *di = DEVICE(at);
    void *buffer = NULL;
    cusparseHandle_t handle;
    cusparseDnVecDescr_t vx;
    cusparseDnVecDescr_t vy;
    cusparseSpVecDescr_t vs;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    size_t size;
    int wrong = 0;

    CUDA(cudaStreamCreate(&stream));
    SPARSE(cusparseCreate(&handle));
    SPARSE(cusparseSetStream(handle, stream));
    SPARSE(cusparseCreateDnVec(&vx, N, dx, CUDA_R_32F));
    SPARSE(cusparseCreateDnVec(&vy, N, dy, CUDA_R_32F));
    SPARSE(cusparseCreateSpVec(&vs, N, 2, di, ds, CUSPARSE_INDEX_32I,
                               CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    SPARSE(cusparseSpMV_bufferSize(handle, op, &one, a.descr, vx, &zero, vy, CUDA_R_32F,
                                   CUSPARSE_SPMV_ALG_DEFAULT, &size));
    CUDA(cudaMalloc(&buffer, size));

    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    SPARSE(cusparseSpMV(handle, op, &one, a.descr, vx, &zero, vy, CUDA_R_32F,
                        CUSPARSE_SPMV_ALG_DEFAULT, buffer));
    SPARSE(cusparseAxpby(handle, &two, vs, &one, vy));
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaGraphDestroy(graph));
    SPARSE(cusparseDestroySpVec(vs));
    SPARSE(cusparseDestroyDnVec(vx));
    SPARSE(cusparseDestroyDnVec(vy));
    SPARSE(cusparseDestroy(handle));
    one = zero = two = -77; /* numbers of the host were taken at the capture */
    wrong += differences("graph capture: nothing ran yet", dy, y, N);

    for (int round = 0; round < 2; round++) {
        CUDA(cudaMemcpyAsync(dx, x[round], sizeof x[round], cudaMemcpyHostToDevice,
                             stream));
        CUDA(cudaGraphLaunch(exec, stream));
        CUDA(cudaStreamSynchronize(stream));
        multiply(1, x[round], 0, y, 1);
        for (int i = 0; i < 2; i++)
            y[at[i]] += 2 * s[i];
        wrong += differences("graph launch", dy, y, N);
    }
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaFree(buffer));
    CUDA(cudaFree(dx));
    CUDA(cudaFree(dy));
    CUDA(cudaFree(ds));
    CUDA(cudaFree(di));
    drop(a);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
