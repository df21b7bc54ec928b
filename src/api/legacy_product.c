/*
 * Products with BSR matrices, which are problems of the generic interface, with masked
 * ones and with sparse vectors.
 */
#include "api/error.h"
#include "api/legacy.h"
#include "api/types.h"
#include "api/view.h"
#include "planner/planner.h"

static bool
is_half(sb_dtype t)
{
    return sb_dtype_is_half(t);
}

/* ---- BSR ---------------------------------------------------------------------------- */

/* One product, bsrmv's with n = 1 and leading dimensions of the vectors. */
typedef struct product {
    const char *function;
    spblasHandle_t handle;
    spblasDataType_t type;
    spblasDirection_t dirA;
    spblasOperation_t transA, transB;
    int mb, kb, n, nnzb, blockDim, ldb, ldc;
    const spblasMatDescr_t *descrA;
    const void *alpha, *beta, *bsrValA, *B;
    const int *bsrRowPtrA, *bsrColIndA;
    void *C;
    bool device; /* computes */
} product;

static int64_t
elements(const product *k)
{
    return (int64_t)k->mb * k->kb * k->n;
}

static sb_problem
problem_of(const product *k)
{
    const sb_dtype t = sb_public_dtype(k->type);
    const bool turned = k->transA != SPBLAS_OPERATION_NON_TRANSPOSE;
    const bool turned_b = k->transB != SPBLAS_OPERATION_NON_TRANSPOSE;
    const int64_t rows = (int64_t)k->mb * k->blockDim,
                  cols = (int64_t)k->kb * k->blockDim;
    const int64_t of_b = turned ? rows : cols, of_c = turned ? cols : rows;
    const sb_problem pb = {.op = SB_OP_SPMM,
                           .a = {.format = SB_FORMAT_BSR,
                                 .rows = rows,
                                 .cols = cols,
                                 .nnz = k->nnzb,
                                 .ptr = k->bsrRowPtrA,
                                 .idx = k->bsrColIndA,
                                 .val = (void *)(uintptr_t)k->bsrValA,
                                 .ptr_type = SB_I32,
                                 .idx_type = SB_I32,
                                 .val_type = t,
                                 .base = (int)k->descrA->base,
                                 .block = k->blockDim,
                                 .block_col_major = k->dirA == SPBLAS_DIRECTION_COLUMN,
                                 .batch = 1},
                           .b = {.rows = turned_b ? k->n : of_b,
                                 .cols = turned_b ? of_b : k->n,
                                 .ld = k->ldb,
                                 .col_major = true,
                                 .type = t,
                                 .data = (void *)(uintptr_t)k->B,
                                 .batch = 1},
                           .c = {.rows = of_c,
                                 .cols = k->n,
                                 .ld = k->ldc,
                                 .col_major = true,
                                 .type = t,
                                 .data = k->C,
                                 .batch = 1},
                           .trans_a = sb_view_op(k->transA, t),
                           .trans_b = sb_view_op(k->transB, t),
                           .compute = is_half(t) ? SB_F32 : t,
                           .batch = 1};

    return pb;
}

static void
set_scalars(sb_problem *pb, const product *k)
{
    const sb_dtype t = sb_public_dtype(k->type);
    const sb_native_scalar alpha = sb_legacy_native_scalar(k->handle, t, k->alpha);
    const sb_native_scalar beta = sb_legacy_native_scalar(k->handle, t, k->beta);

    pb->alpha = alpha.value;
    pb->far_alpha = alpha.at;
    pb->beta = beta.value;
    pb->far_beta = beta.at;
}

static spblasStatus_t
run(const product *k)
{
    sb_diag diag = {0};
    sb_problem pb;

    if (elements(k) == 0 &&
        (k->transA == SPBLAS_OPERATION_NON_TRANSPOSE ? k->mb == 0 || k->n == 0
                                                     : k->kb == 0 || k->n == 0))
        return SPBLAS_STATUS_SUCCESS;
    pb = problem_of(k);
    if (k->device) {
        pb.device = k->handle->device;
        pb.stream = k->handle->stream;
        set_scalars(&pb, k);
    } else {
        pb.alpha = sb_legacy_scalar(pb.a.val_type, k->alpha);
        pb.beta = sb_legacy_scalar(pb.a.val_type, k->beta);
    }
    return sb_api_end(k->handle, k->function, sb_execute(NULL, &pb, &diag), &diag);
}

/* Elements of n blocks of rows, at most what a count of 32 bits takes. */
static bool
fits(int blocks, int block)
{
    return (int64_t)blocks * block <= INT32_MAX;
}

spblasStatus_t
spblasXbsrmv(spblasHandle_t handle, spblasDataType_t type, spblasDirection_t dirA,
             spblasOperation_t transA, int mb, int nb, int nnzb, const void *alpha,
             const spblasMatDescr_t *descrA, const void *bsrValA, const int *bsrRowPtrA,
             const int *bsrColIndA, int blockDim, const void *x, const void *beta,
             void *y)
{
    bool device;
    const spblasStatus_t st = SB_LEGACY_PLACE(
        &device, SB_ARG_HANDLE, SB_ARG_TYPE, SB_ARG_ENUM(dirA, SPBLAS_DIRECTION_COLUMN),
        SB_ARG_ENUM(transA, SPBLAS_OPERATION_CONJUGATE_TRANSPOSE), SB_ARG_COUNT(mb),
        SB_ARG_COUNT(nb), SB_ARG_COUNT(nnzb), SB_ARG_SCALAR(alpha),
        SB_ARG_DESCR(descrA), SB_ARG_ARRAY(bsrValA, nnzb), SB_ARG_ARRAY(bsrRowPtrA, mb),
        SB_ARG_ARRAY(bsrColIndA, nnzb), SB_ARG_MIN(blockDim, 1), SB_ARG_ARRAY(x, nnzb),
        SB_ARG_SCALAR(beta), SB_ARG_ARRAY(y, (int64_t)mb * nb));

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    if (!fits(mb, blockDim) || !fits(nb, blockDim))
        return sb_api_fail(__func__, SB_EINVAL,
                           "argument blockDim makes more rows or columns than 32 bits "
                           "count");
    return run(&(product){.function = __func__,
                          .handle = handle,
                          .type = type,
                          .dirA = dirA,
                          .transA = transA,
                          .transB = SPBLAS_OPERATION_NON_TRANSPOSE,
                          .mb = mb,
                          .kb = nb,
                          .n = 1,
                          .nnzb = nnzb,
                          .blockDim = blockDim,
                          .descrA = descrA,
                          .alpha = alpha,
                          .beta = beta,
                          .bsrValA = bsrValA,
                          .B = x,
                          .bsrRowPtrA = bsrRowPtrA,
                          .bsrColIndA = bsrColIndA,
                          .C = y,
                          .device = device});
}

spblasStatus_t
spblasXbsrmm(spblasHandle_t handle, spblasDataType_t type, spblasDirection_t dirA,
             spblasOperation_t transA, spblasOperation_t transB, int mb, int n, int kb,
             int nnzb, const void *alpha, const spblasMatDescr_t *descrA,
             const void *bsrValA, const int *bsrRowPtrA, const int *bsrColIndA,
             int blockSize, const void *B, int ldb, const void *beta, void *C, int ldc)
{
    const bool turned = transA != SPBLAS_OPERATION_NON_TRANSPOSE;
    const int64_t of_b = (int64_t)(turned ? mb : kb) * blockSize;
    const int64_t of_c = (int64_t)(turned ? kb : mb) * blockSize;
    const int64_t rows_b = transB == SPBLAS_OPERATION_NON_TRANSPOSE ? of_b : n;
    bool device;
    const spblasStatus_t st = SB_LEGACY_PLACE(
        &device, SB_ARG_HANDLE, SB_ARG_TYPE, SB_ARG_ENUM(dirA, SPBLAS_DIRECTION_COLUMN),
        SB_ARG_ENUM(transA, SPBLAS_OPERATION_CONJUGATE_TRANSPOSE),
        SB_ARG_ENUM(transB, SPBLAS_OPERATION_CONJUGATE_TRANSPOSE), SB_ARG_COUNT(mb),
        SB_ARG_COUNT(n), SB_ARG_COUNT(kb), SB_ARG_COUNT(nnzb), SB_ARG_SCALAR(alpha),
        SB_ARG_DESCR(descrA), SB_ARG_ARRAY(bsrValA, nnzb), SB_ARG_ARRAY(bsrRowPtrA, mb),
        SB_ARG_ARRAY(bsrColIndA, nnzb), SB_ARG_MIN(blockSize, 1),
        SB_ARG_ARRAY(B, nnzb > 0 ? n : 0), SB_ARG_MIN(ldb, rows_b > 1 ? rows_b : 1),
        SB_ARG_SCALAR(beta), SB_ARG_ARRAY(C, of_c > 0 ? n : 0),
        SB_ARG_MIN(ldc, of_c > 1 ? of_c : 1));

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    return run(&(product){.function = __func__,
                          .handle = handle,
                          .type = type,
                          .dirA = dirA,
                          .transA = transA,
                          .transB = transB,
                          .mb = mb,
                          .kb = kb,
                          .n = n,
                          .nnzb = nnzb,
                          .blockDim = blockSize,
                          .ldb = ldb,
                          .ldc = ldc,
                          .descrA = descrA,
                          .alpha = alpha,
                          .beta = beta,
                          .bsrValA = bsrValA,
                          .B = B,
                          .bsrRowPtrA = bsrRowPtrA,
                          .bsrColIndA = bsrColIndA,
                          .C = C,
                          .device = device});
}

/* ---- Masked rows, sparse vectors ---------------------------------------------------- */

spblasStatus_t
spblasXbsrxmv(spblasHandle_t handle, spblasDataType_t type, spblasDirection_t dirA,
              spblasOperation_t transA, int sizeOfMask, int mb, int nb, int nnzb,
              const void *alpha, const spblasMatDescr_t *descrA, const void *bsrValA,
              const int *bsrMaskPtrA, const int *bsrRowPtrA, const int *bsrEndPtrA,
              const int *bsrColIndA, int blockDim, const void *x, const void *beta,
              void *y)
{
    bool device;
    const spblasStatus_t st = SB_LEGACY_PLACE(
        &device, SB_ARG_HANDLE, SB_ARG_TYPE, SB_ARG_ENUM(dirA, SPBLAS_DIRECTION_COLUMN),
        SB_ARG_ENUM(transA, SPBLAS_OPERATION_CONJUGATE_TRANSPOSE),
        SB_ARG_COUNT(sizeOfMask), SB_ARG_COUNT(mb), SB_ARG_COUNT(nb),
        SB_ARG_COUNT(nnzb), SB_ARG_SCALAR(alpha), SB_ARG_DESCR(descrA),
        SB_ARG_ARRAY(bsrValA, nnzb), SB_ARG_ARRAY(bsrMaskPtrA, sizeOfMask),
        SB_ARG_ARRAY(bsrRowPtrA, sizeOfMask), SB_ARG_ARRAY(bsrEndPtrA, sizeOfMask),
        SB_ARG_ARRAY(bsrColIndA, nnzb), SB_ARG_MIN(blockDim, 1), SB_ARG_ARRAY(x, nnzb),
        SB_ARG_SCALAR(beta), SB_ARG_ARRAY(y, sizeOfMask));
    const sb_dtype t = sb_public_dtype(type);
    sb_masked job;

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    if (transA != SPBLAS_OPERATION_NON_TRANSPOSE)
        return sb_api_fail(__func__, SB_ENOTSUP,
                           "argument transA must be NON_TRANSPOSE");
    job = (sb_masked){.type = t,
                      .rows = sizeOfMask,
                      .block = blockDim,
                      .by_columns = dirA == SPBLAS_DIRECTION_COLUMN,
                      .base = (int)descrA->base,
                      .mask = bsrMaskPtrA,
                      .ptr = bsrRowPtrA,
                      .end = bsrEndPtrA,
                      .idx = bsrColIndA,
                      .val = bsrValA,
                      .x = x,
                      .y = y};
    if (device) {
        sb_diag diag = {0};
        const sb_native on = {handle->device, handle->stream, &diag, false};

        return sb_api_end(handle, __func__,
                          sb_native_masked(&on, &job,
                                           sb_legacy_native_scalar(handle, t, alpha),
                                           sb_legacy_native_scalar(handle, t, beta)),
                          &diag);
    }
    job.alpha = sb_legacy_scalar(t, alpha);
    job.beta = sb_legacy_scalar(t, beta);
    sb_backend_get()->legacy->masked(&job);
    return st;
}

spblasStatus_t
spblasXgemvi_bufferSize(spblasHandle_t handle, spblasDataType_t type,
                        spblasOperation_t transA, int m, int n, int nnz,
                        int *bufferSize)
{
    const spblasStatus_t st = SB_LEGACY_CHECK(
        SB_ARG_HANDLE, SB_ARG_TYPE,
        SB_ARG_ENUM(transA, SPBLAS_OPERATION_CONJUGATE_TRANSPOSE), SB_ARG_COUNT(m),
        SB_ARG_COUNT(n), SB_ARG_COUNT(nnz), SB_ARG_THERE(bufferSize));

    if (st == SPBLAS_STATUS_SUCCESS)
        *bufferSize = 0;
    return st;
}

spblasStatus_t
spblasXgemvi(spblasHandle_t handle, spblasDataType_t type, spblasOperation_t transA,
             int m, int n, const void *alpha, const void *A, int lda, int nnz,
             const void *xVal, const int *xInd, const void *beta, void *y,
             spblasIndexBase_t idxBase, void *buffer)
{
    const bool turned = transA != SPBLAS_OPERATION_NON_TRANSPOSE;
    bool device;
    const spblasStatus_t st = SB_LEGACY_PLACE(
        &device, SB_ARG_HANDLE, SB_ARG_TYPE,
        SB_ARG_ENUM(transA, SPBLAS_OPERATION_CONJUGATE_TRANSPOSE), SB_ARG_COUNT(m),
        SB_ARG_COUNT(n), SB_ARG_SCALAR(alpha), SB_ARG_ARRAY(A, nnz),
        SB_ARG_MIN(lda, m > 1 ? m : 1), SB_ARG_COUNT(nnz), SB_ARG_ARRAY(xVal, nnz),
        SB_ARG_ARRAY(xInd, nnz), SB_ARG_SCALAR(beta), SB_ARG_ARRAY(y, turned ? n : m),
        SB_ARG_ENUM(idxBase, SPBLAS_INDEX_BASE_ONE));
    const sb_dtype t = sb_public_dtype(type);
    sb_gemvi job = {.type = t,
                    .rows = turned ? n : m,
                    .row = turned ? lda : 1,
                    .col = turned ? 1 : lda,
                    .nnz = nnz,
                    .conj = transA == SPBLAS_OPERATION_CONJUGATE_TRANSPOSE,
                    .base = (int)idxBase,
                    .idx = xInd,
                    .a = A,
                    .val = xVal,
                    .y = y};

    (void)buffer;
    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    if (device) {
        sb_diag diag = {0};
        const sb_native on = {handle->device, handle->stream, &diag, false};

        return sb_api_end(handle, __func__,
                          sb_native_gemvi(&on, &job,
                                          sb_legacy_native_scalar(handle, t, alpha),
                                          sb_legacy_native_scalar(handle, t, beta)),
                          &diag);
    }
    job.alpha = sb_legacy_scalar(t, alpha);
    job.beta = sb_legacy_scalar(t, beta);
    sb_backend_get()->legacy->gemvi(&job);
    return st;
}
