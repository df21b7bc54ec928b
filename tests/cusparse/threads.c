/*
 * Two threads, each with handles and matrices of its own, that compute, fail and log at the
 * same time. For the thread sanitizer.
 */
#include <cusparse.h>

#include <pthread.h>
#include <stdio.h>

enum { ROUNDS = 40 };

static int lines; /* of the callback, which is called under a lock */

static void
callback(int level, const char *function, const char *message)
{
    lines += level > 0 && function && message;
}

/* y = 2 A x with A = diag(1, 2, 3): whether it came out in every round. */
static void *
work(void *argument)
{
    int *const wrong = argument;
    int ptr[] = {0, 1, 2, 3}, idx[] = {0, 1, 2};
    double val[] = {1, 2, 3}, x[] = {1, 10, 100}, alpha = 2, beta = 0;
    const cusparseIndexType_t i32 = CUSPARSE_INDEX_32I;

    for (int r = 0; r < ROUNDS; r++) {
        double y[3] = {-1, -1, -1};
        cusparseHandle_t h = NULL;
        cusparseSpMatDescr_t a = NULL;
        cusparseDnVecDescr_t vx = NULL, vy = NULL;
        cusparseMatDescr_t d = NULL;

        *wrong += cusparseCreate(&h) != CUSPARSE_STATUS_SUCCESS;
        *wrong += cusparseCreateCsr(&a, 3, 3, 3, ptr, idx, val, i32, i32,
                                    CUSPARSE_INDEX_BASE_ZERO,
                                    CUDA_R_64F) != CUSPARSE_STATUS_SUCCESS;
        *wrong += cusparseCreateDnVec(&vx, 3, x, CUDA_R_64F) != CUSPARSE_STATUS_SUCCESS;
        *wrong += cusparseCreateDnVec(&vy, 3, y, CUDA_R_64F) != CUSPARSE_STATUS_SUCCESS;
        *wrong += cusparseSpMV(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, a, vx,
                               &beta, vy, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT,
                               NULL) != CUSPARSE_STATUS_SUCCESS;
        *wrong += y[0] != 2 || y[1] != 40 || y[2] != 600;
        *wrong += cusparseSpMV(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, a, NULL,
                               &beta, vy, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT,
                               NULL) != CUSPARSE_STATUS_INVALID_VALUE;
        *wrong += cusparseXcoo2csr(NULL, idx, 3, 3, ptr, CUSPARSE_INDEX_BASE_ZERO) !=
                  CUSPARSE_STATUS_NOT_INITIALIZED;
        *wrong += cusparseCreateMatDescr(&d) != CUSPARSE_STATUS_SUCCESS;
        (void)cusparseDestroyMatDescr(d);
        (void)cusparseDestroyDnVec(vx);
        (void)cusparseDestroyDnVec(vy);
        (void)cusparseDestroySpMat(a);
        (void)cusparseDestroy(h);
    }
    return NULL;
}

int
main(void)
{
    pthread_t thread[2];
    int wrong[2] = {0, 0}, lost = 0;
    FILE *const sink = tmpfile();

    (void)cusparseLoggerSetFile(sink);
    (void)cusparseLoggerSetCallback(callback);
    (void)cusparseLoggerSetLevel(5);
    for (int t = 0; t < 2; t++)
        lost += pthread_create(&thread[t], NULL, work, &wrong[t]) != 0;
    for (int t = 0; t < 2 && !lost; t++)
        lost += pthread_join(thread[t], NULL) != 0;
    (void)cusparseLoggerSetFile(NULL);
    if (sink)
        (void)fclose(sink);
    (void)printf("%d lines, %d and %d wrong\n", lines, wrong[0], wrong[1]);
    return lost || wrong[0] || wrong[1] || lines < 10 * ROUNDS;
}
