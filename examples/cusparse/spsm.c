/* Solves L X = B for three right sides at once, with L the lower triangle of A in CSR and
 * in COO; then, in CSR, with all values of A doubled. */
#include "example.h"

static int
solve(cusparseHandle_t handle, const char *name, matrix a, int update)
{
    const cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
    const cusparseDiagType_t diag = CUSPARSE_DIAG_TYPE_NON_UNIT;
    const float doubled[NNZ] = {2, 4, 6, 8, 10, 12, 14, 16};
    const float x[N][COLS] = {{2, 4, 6}, {8, 10, 12}, {14, 16, 18}, {20, 22, 24}};
    const float half[N][COLS] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}};
    float b[N][COLS] = {{0}};
    const float alpha = 1;
    void *buffer = NULL;
    void *values = DEVICE(doubled);
    void *db;
    void *dx = to_device(NULL, sizeof x);
    cusparseDnMatDescr_t mb;
    cusparseDnMatDescr_t mx;
    cusparseSpSMDescr_t descr;
    size_t size;
    int wrong;

    for (int i = 0; i < N; i++) {
        for (int j = 0; j < COLS; j++) {
            for (int k = 0; k <= i; k++)
                b[i][j] += dense_a[i][k] * x[k][j];
        }
    }
    db = DEVICE(b);
    SPARSE(cusparseSpMatSetAttribute(a.descr, CUSPARSE_SPMAT_FILL_MODE, (void *)&fill,
                                     sizeof fill));
    SPARSE(cusparseSpMatSetAttribute(a.descr, CUSPARSE_SPMAT_DIAG_TYPE, (void *)&diag,
                                     sizeof diag));
    SPARSE(cusparseCreateDnMat(&mb, N, COLS, COLS, db, CUDA_R_32F, CUSPARSE_ORDER_ROW));
    SPARSE(cusparseCreateDnMat(&mx, N, COLS, COLS, dx, CUDA_R_32F, CUSPARSE_ORDER_ROW));
    SPARSE(cusparseSpSM_createDescr(&descr));
    SPARSE(cusparseSpSM_bufferSize(handle, op, op, &alpha, a.descr, mb, mx, CUDA_R_32F,
                                   CUSPARSE_SPSM_ALG_DEFAULT, descr, &size));
    CUDA(cudaMalloc(&buffer, size));
    SPARSE(cusparseSpSM_analysis(handle, op, op, &alpha, a.descr, mb, mx, CUDA_R_32F,
                                 CUSPARSE_SPSM_ALG_DEFAULT, descr, buffer));
    SPARSE(cusparseSpSM_solve(handle, op, op, &alpha, a.descr, mb, mx, CUDA_R_32F,
                              CUSPARSE_SPSM_ALG_DEFAULT, descr));
    wrong = differences(name, dx, x[0], N * COLS);
    if (update) {
        SPARSE(cusparseSpSM_updateMatrix(handle, descr, values,
                                         CUSPARSE_SPSM_UPDATE_GENERAL));
        SPARSE(cusparseSpSM_solve(handle, op, op, &alpha, a.descr, mb, mx, CUDA_R_32F,
                                  CUSPARSE_SPSM_ALG_DEFAULT, descr));
        wrong += differences("SpSM updateMatrix", dx, half[0], N * COLS);
    }
    SPARSE(cusparseSpSM_destroyDescr(descr));
    SPARSE(cusparseDestroyDnMat(mb));
    SPARSE(cusparseDestroyDnMat(mx));
    CUDA(cudaFree(buffer));
    CUDA(cudaFree(values));
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
    wrong += solve(handle, "SpSM CSR", make_csr(), 1);
    wrong += solve(handle, "SpSM COO", make_coo(), 0);
    SPARSE(cusparseDestroy(handle));
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
