/* Solves L x = b with L the lower triangle of A, in each format that SpSV takes; then, in
 * CSR, with another diagonal. */
#include "example.h"

static int
solve(cusparseHandle_t handle, const char *name, matrix a, int update)
{
    const cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
    const cusparseDiagType_t diag = CUSPARSE_DIAG_TYPE_NON_UNIT;
    const float b[N] = {1, 6, 19, 46};
    const float b2[N] = {2, 4, 10, 22}; /* with 2 all over the diagonal */
    const float twos[N] = {2, 2, 2, 2};
    const float x[N] = {1, 2, 3, 4};
    const float alpha = 1;
    void *db = DEVICE(b);
    void *dx = to_device(NULL, sizeof x);
    void *diagonal = DEVICE(twos);
    void *buffer = NULL;
    cusparseDnVecDescr_t vb;
    cusparseDnVecDescr_t vx;
    cusparseSpSVDescr_t descr;
    size_t size;
    int wrong;

    SPARSE(cusparseSpMatSetAttribute(a.descr, CUSPARSE_SPMAT_FILL_MODE, (void *)&fill,
                                     sizeof fill));
    SPARSE(cusparseSpMatSetAttribute(a.descr, CUSPARSE_SPMAT_DIAG_TYPE, (void *)&diag,
                                     sizeof diag));
    SPARSE(cusparseCreateDnVec(&vb, N, db, CUDA_R_32F));
    SPARSE(cusparseCreateDnVec(&vx, N, dx, CUDA_R_32F));
    SPARSE(cusparseSpSV_createDescr(&descr));
    SPARSE(cusparseSpSV_bufferSize(handle, op, &alpha, a.descr, vb, vx, CUDA_R_32F,
                                   CUSPARSE_SPSV_ALG_DEFAULT, descr, &size));
    CUDA(cudaMalloc(&buffer, size));
    SPARSE(cusparseSpSV_analysis(handle, op, &alpha, a.descr, vb, vx, CUDA_R_32F,
                                 CUSPARSE_SPSV_ALG_DEFAULT, descr, buffer));
    SPARSE(cusparseSpSV_solve(handle, op, &alpha, a.descr, vb, vx, CUDA_R_32F,
                              CUSPARSE_SPSV_ALG_DEFAULT, descr));
    wrong = differences(name, dx, x, N);
    if (update) {
        CUDA(cudaMemcpy(db, b2, sizeof b2, cudaMemcpyHostToDevice));
        SPARSE(cusparseSpSV_updateMatrix(handle, descr, diagonal,
                                         CUSPARSE_SPSV_UPDATE_DIAGONAL));
        SPARSE(cusparseSpSV_solve(handle, op, &alpha, a.descr, vb, vx, CUDA_R_32F,
                                  CUSPARSE_SPSV_ALG_DEFAULT, descr));
        wrong += differences("SpSV updateMatrix", dx, x, N);
    }
    SPARSE(cusparseSpSV_destroyDescr(descr));
    SPARSE(cusparseDestroyDnVec(vb));
    SPARSE(cusparseDestroyDnVec(vx));
    CUDA(cudaFree(buffer));
    CUDA(cudaFree(diagonal));
    CUDA(cudaFree(db));
    CUDA(cudaFree(dx));
    drop(a);
    return wrong;
}

int
main(void)
{
    cusparseHandle_t handle;
    int wrong = 0;

    SPARSE(cusparseCreate(&handle));
    wrong += solve(handle, "SpSV CSR", make_csr(), 1);
    wrong += solve(handle, "SpSV COO", make_coo(), 0);
    wrong += solve(handle, "SpSV Sliced-ELL", make_sliced_ell(), 0);
    SPARSE(cusparseDestroy(handle));
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
