/*
 * Bsrsv2 and bsrsm2: triangles of blocks, solved as the triangle of their elements. To an
 * analysis the elements are a COO in the order of the values, so that new values are taken
 * as they lie.
 */
#include "api/error.h"
#include "api/legacy.h"
#include "api/types.h"
#include "api/view.h"
#include "base/alloc.h"
#include "base/checked.h"
#include "planner/staged.h"

/* One call of either routine. */
typedef struct solve {
    const char *function;
    spblasHandle_t handle;
    spblasDataType_t type;
    spblasDirection_t dirA;
    spblasOperation_t transA, transXY;
    int mb, n, nnzb, blockSize;
    const spblasMatDescr_t *descrA;
    const void *bsrVal;
    const int *bsrRowPtr, *bsrColInd;
    spblasLegacyInfo_t info;
    spblasSolvePolicy_t policy;
    const void *alpha, *B;
    void *X;
    int ldb, ldx;
} solve;

/* ---- Arguments ---------------------------------------------------------------------- */

static spblasStatus_t
check(const solve *k)
{
    const spblasHandle_t handle = k->handle;
    const spblasDataType_t type = k->type;
    const spblasDirection_t dirA = k->dirA;
    const spblasOperation_t transA = k->transA, transXY = k->transXY;
    const int mb = k->mb, n = k->n, nnzb = k->nnzb, blockSize = k->blockSize;
    const spblasMatDescr_t *descrA = k->descrA;
    const spblasLegacyInfo_t info = k->info;
    const spblasSolvePolicy_t policy = k->policy;
    const spblasStatus_t st = sb_legacy_check(
        handle, k->function,
        (const sb_arg[]){SB_ARG_HANDLE,
                         SB_ARG_WIDE,
                         SB_ARG_ENUM(dirA, SPBLAS_DIRECTION_COLUMN),
                         SB_ARG_ENUM(transA, SPBLAS_OPERATION_CONJUGATE_TRANSPOSE),
                         SB_ARG_ENUM(transXY, SPBLAS_OPERATION_CONJUGATE_TRANSPOSE),
                         SB_ARG_COUNT(mb),
                         SB_ARG_COUNT(n),
                         SB_ARG_COUNT(nnzb),
                         SB_ARG_DESCR(descrA),
                         SB_ARG_MIN(blockSize, 1),
                         SB_ARG_INFO,
                         SB_ARG_ENUM(policy, SPBLAS_SOLVE_POLICY_USE_LEVEL),
                         {0}});

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    if (transXY == SPBLAS_OPERATION_CONJUGATE_TRANSPOSE)
        return sb_api_fail(k->function, SB_ENOTSUP,
                           "argument transXY must not be CONJUGATE_TRANSPOSE");
    if ((int64_t)mb * blockSize > INT32_MAX)
        return sb_api_fail(k->function, SB_ERESOURCES,
                           "argument blockSize makes more rows than 32 bits count");
    return st;
}

static spblasStatus_t
check_matrix(bool *device, const solve *k)
{
    const spblasHandle_t handle = k->handle;
    const void *bsrVal = k->bsrVal;
    const int *bsrRowPtr = k->bsrRowPtr, *bsrColInd = k->bsrColInd;
    const spblasStatus_t st = check(k);

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    return sb_legacy_check_place(device, handle, k->function,
                                 (const sb_arg[]){SB_ARG_ARRAY(bsrVal, k->nnzb),
                                                  SB_ARG_ARRAY(bsrRowPtr, k->mb),
                                                  SB_ARG_ARRAY(bsrColInd, k->nnzb),
                                                  {0}});
}

static spblasStatus_t
size(const solve *k, int *bufferSize)
{
    const spblasHandle_t handle = k->handle;
    spblasStatus_t st = check(k);

    if (st == SPBLAS_STATUS_SUCCESS)
        st = sb_legacy_check(handle, k->function,
                             (const sb_arg[]){SB_ARG_THERE(bufferSize), {0}});
    if (st == SPBLAS_STATUS_SUCCESS)
        *bufferSize = 0;
    return st;
}

static struct sb_solve_shape
shape_of(const solve *k)
{
    return (struct sb_solve_shape){.routine = SB_ROUTINE_SOLVE,
                                   .type = (int)k->type,
                                   .trans = (int)k->transA,
                                   .mb = k->mb,
                                   .nnzb = k->nnzb,
                                   .block = k->blockSize,
                                   .fill = (int)k->descrA->fill,
                                   .diag = (int)k->descrA->diag,
                                   .by_columns = k->dirA == SPBLAS_DIRECTION_COLUMN,
                                   .policy = (int)k->policy};
}

static sb_tri_part
part_of(const solve *k)
{
    return (sb_tri_part){.upper = k->descrA->fill == SPBLAS_FILL_MODE_UPPER,
                         .unit = k->descrA->diag == SPBLAS_DIAG_TYPE_UNIT,
                         .trans = sb_view_op(k->transA, sb_public_dtype(k->type))};
}

/* ---- Elements ----------------------------------------------------------------------- */

/* Row and column of every element, in the order of the values. */
static void
name_elements(const solve *k, int32_t *row, int32_t *col)
{
    const int b = k->blockSize, base = (int)k->descrA->base;
    int64_t q = 0;

    for (int i = 0; i < k->mb; i++)
        for (int p = k->bsrRowPtr[i] - base; p < k->bsrRowPtr[i + 1] - base; p++)
            for (int u = 0; u < b; u++)
                for (int v = 0; v < b; v++, q++) {
                    const bool by_rows = k->dirA == SPBLAS_DIRECTION_ROW;

                    row[q] = i * b + (by_rows ? u : v);
                    col[q] = (k->bsrColInd[p] - base) * b + (by_rows ? v : u);
                }
}

/* Whether block p has a 0 on its diagonal. */
static bool
singular(const solve *k, int64_t p)
{
    const sb_dtype t = sb_public_dtype(k->type);
    const int64_t b = k->blockSize;

    for (int64_t u = 0; u < b; u++) {
        const sb_value v = sb_value_load(t, k->bsrVal, p * b * b + u * b + u);

        if (v.re == 0 && v.im == 0)
            return true;
    }
    return false;
}

/* The first block row whose pivot is missing or, if asked, 0; in A's base. */
static int
zero_pivot(const solve *k, bool values)
{
    const int base = (int)k->descrA->base;

    if (k->descrA->diag == SPBLAS_DIAG_TYPE_UNIT)
        return -1;
    for (int i = 0; i < k->mb; i++) {
        bool found = false;

        for (int p = k->bsrRowPtr[i] - base; p < k->bsrRowPtr[i + 1] - base; p++)
            if (k->bsrColInd[p] - base == i && !(values && singular(k, p)))
                found = true;
        if (!found)
            return i + base;
    }
    return -1;
}

/* ---- On a GPU ----------------------------------------------------------------------- */

/* Blocks are entries of a CSR there. */
static sb_status
analyse_there(const solve *k, sb_native_tri **out, int *pivot, sb_diag *diag)
{
    const spblasHandle_t h = k->handle;
    const sb_native on = {h->device, h->stream, diag, false};
    const sb_dtype t = sb_public_dtype(k->type);
    const sb_tri_part part = part_of(k);
    const bool turned = part.trans != SB_TRANS_N;
    const bool by_rows = (k->dirA == SPBLAS_DIRECTION_ROW) != turned;
    const sb_native_blocks blocks = {.rows = k->blockSize,
                                     .down = by_rows ? k->blockSize : 1,
                                     .across = by_rows ? 1 : k->blockSize,
                                     .lower = part.upper == turned};
    sb_problem pb = {.a = sb_legacy_csr(t, k->mb, k->mb, k->nnzb, k->descrA, NULL,
                                        k->bsrRowPtr, k->bsrColInd),
                     .batch = 1,
                     .device = h->device,
                     .stream = h->stream};
    sb_staged staged = {0};
    sb_tri *tri = NULL;
    sb_status st = sb_staged_structure(&staged, &pb, false, diag);

    *out = NULL;
    if (st == SB_OK) {
        solve here = *k;

        here.bsrRowPtr = pb.a.ptr;
        here.bsrColInd = pb.a.idx;
        *pivot = zero_pivot(&here, false);
        st = sb_backend_get()->tri->analyse(&tri, &pb.a, &part, diag);
    }
    if (st == SB_OK)
        st = sb_native_tri_create_blocks(out, &on, tri, &blocks);
    sb_backend_get()->tri->release(tri);
    sb_staged_free(&staged);
    return st;
}

static sb_status
run_there(const solve *k, const sb_tri_solve *s, sb_diag *diag)
{
    const spblasHandle_t h = k->handle;
    const sb_native on = {h->device, h->stream, diag, false};

    if (!k->info->blocks || sb_native_tri_device(k->info->blocks) != h->device)
        return sb_diag_set(diag, SB_EINVAL,
                           "argument info has no analysis of arrays on this GPU");
    return sb_native_tri_solve_blocks(
        k->info->blocks, &on, s,
        sb_legacy_native_scalar(h, sb_public_dtype(k->type), k->alpha), k->bsrVal);
}

/* ---- Steps -------------------------------------------------------------------------- */

static sb_status
make_tri(sb_tri **out, const solve *k, sb_diag *diag)
{
    const sb_tri_part part = part_of(k);
    sb_matrix a = {.format = SB_FORMAT_COO,
                   .rows = (int64_t)k->mb * k->blockSize,
                   .ptr_type = SB_I32,
                   .idx_type = SB_I32,
                   .val_type = sb_public_dtype(k->type),
                   .val = (void *)(uintptr_t)k->bsrVal,
                   .block = 1,
                   .batch = 1};
    int32_t *place;
    sb_status st;

    *out = NULL;
    if (!sb_mul_i64(k->nnzb, (int64_t)k->blockSize * k->blockSize, &a.nnz) ||
        a.nnz > INT64_MAX / 16)
        return SB_ERESOURCES;
    place = sb_alloc_array(2 * a.nnz, sizeof *place);
    if (!place)
        return SB_ENOMEM;
    a.cols = a.rows;
    a.row = place;
    a.idx = place + a.nnz;
    name_elements(k, place, place + a.nnz);
    st = sb_backend_get()->tri->analyse(out, &a, &part, diag);
    sb_free(place);
    return st;
}

static spblasStatus_t
analyse(const solve *k)
{
    bool device;
    const spblasStatus_t st = check_matrix(&device, k);
    sb_diag diag = {0};
    sb_native_tri *blocks = NULL;
    sb_tri *tri = NULL;
    int pivot = -1;
    sb_status done;

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    device = device && k->mb > 0;
    done = device ? analyse_there(k, &blocks, &pivot, &diag) : make_tri(&tri, k, &diag);
    if (done != SB_OK)
        return sb_api_end(k->handle, k->function, done, &diag);
    sb_legacy_forget(k->info);
    k->info->tri = tri;
    k->info->blocks = blocks;
    k->info->shape = shape_of(k);
    k->info->position = device ? pivot : zero_pivot(k, false);
    return st;
}

static sb_tri_solve
sides_of(const solve *k)
{
    const bool turned = k->transXY != SPBLAS_OPERATION_NON_TRANSPOSE;

    return (sb_tri_solve){.cols = k->n,
                          .b = k->B,
                          .b_row = turned ? k->ldb : 1,
                          .b_col = turned ? 1 : k->ldb,
                          .c = k->X,
                          .c_row = turned ? k->ldx : 1,
                          .c_col = turned ? 1 : k->ldx};
}

static spblasStatus_t
check_operands(bool *device, const solve *k)
{
    const spblasHandle_t handle = k->handle;
    const bool turned = k->transXY != SPBLAS_OPERATION_NON_TRANSPOSE;
    const int64_t rows = (int64_t)k->mb * k->blockSize, least = turned ? k->n : rows;
    const int64_t count = k->mb > 0 ? k->n : 0;
    const void *alpha = k->alpha, *B = k->B;
    const int ldb = k->ldb, ldx = k->ldx;
    const int *bsrRowPtr = k->bsrRowPtr, *bsrColInd = k->bsrColInd;
    const void *bsrVal = k->bsrVal;
    void *X = k->X;
    const spblasStatus_t st = check(k);

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    return sb_legacy_check_place(
        device, handle, k->function,
        (const sb_arg[]){SB_ARG_ARRAY(bsrVal, k->nnzb),
                         SB_ARG_ARRAY(bsrRowPtr, k->mb),
                         SB_ARG_ARRAY(bsrColInd, k->nnzb),
                         SB_ARG_SCALAR(alpha),
                         SB_ARG_ARRAY(B, count),
                         SB_ARG_MIN(ldb, least > 1 ? least : 1),
                         SB_ARG_ARRAY(X, count),
                         SB_ARG_MIN(ldx, least > 1 ? least : 1),
                         {0}});
}

static spblasStatus_t
run(const solve *k)
{
    sb_tri_solve s = sides_of(k);
    sb_diag diag = {0};
    bool device;
    spblasStatus_t st = check_operands(&device, k);

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    if (!sb_legacy_analysed(k->info, shape_of(k)) ||
        (!device && k->mb > 0 && !k->info->tri))
        return sb_api_end(k->handle, k->function,
                          sb_diag_set(&diag, SB_EINVAL,
                                      "argument info has no analysis of these "
                                      "arguments"),
                          &diag);
    if (device && k->mb > 0 && k->n > 0) {
        st = sb_api_end(k->handle, k->function, run_there(k, &s, &diag), &diag);
        k->info->there |= st == SPBLAS_STATUS_SUCCESS;
        k->info->base = (int)k->descrA->base;
        return st;
    }
    if (device)
        return st;
    s.alpha = sb_legacy_scalar(sb_public_dtype(k->type), k->alpha);
    k->info->position = zero_pivot(k, true);
    sb_backend_get()->tri->update(k->info->tri, k->bsrVal, false);
    sb_backend_get()->tri->solve(k->info->tri, &s);
    return st;
}

/* ---- Bsrsv2: one column ------------------------------------------------------------- */

#define COMMON                                                          \
    .function = __func__, .handle = handle, .type = type, .dirA = dirA, \
    .transA = transA, .mb = mb, .nnzb = nnzb, .descrA = descrA, .info = info
#define VECTOR                                                                         \
    COMMON, .n = 1, .blockSize = blockDim, .bsrVal = bsrValA, .bsrRowPtr = bsrRowPtrA, \
            .bsrColInd = bsrColIndA
#define MATRIX                                                                    \
    COMMON, .transXY = transXY, .n = n, .blockSize = blockSize, .bsrVal = bsrVal, \
            .bsrRowPtr = bsrRowPtr, .bsrColInd = bsrColInd

spblasStatus_t
spblasXbsrsv2_bufferSize(spblasHandle_t handle, spblasDataType_t type,
                         spblasDirection_t dirA, spblasOperation_t transA, int mb,
                         int nnzb, const spblasMatDescr_t *descrA, void *bsrValA,
                         const int *bsrRowPtrA, const int *bsrColIndA, int blockDim,
                         spblasLegacyInfo_t info, int *bufferSize)
{
    return size(&(solve){VECTOR}, bufferSize);
}

spblasStatus_t
spblasXbsrsv2_analysis(spblasHandle_t handle, spblasDataType_t type,
                       spblasDirection_t dirA, spblasOperation_t transA, int mb,
                       int nnzb, const spblasMatDescr_t *descrA, const void *bsrValA,
                       const int *bsrRowPtrA, const int *bsrColIndA, int blockDim,
                       spblasLegacyInfo_t info, spblasSolvePolicy_t policy,
                       void *buffer)
{
    (void)buffer;
    return analyse(&(solve){VECTOR, .policy = policy});
}

spblasStatus_t
spblasXbsrsv2_solve(spblasHandle_t handle, spblasDataType_t type,
                    spblasDirection_t dirA, spblasOperation_t transA, int mb, int nnzb,
                    const void *alpha, const spblasMatDescr_t *descrA,
                    const void *bsrValA, const int *bsrRowPtrA, const int *bsrColIndA,
                    int blockDim, spblasLegacyInfo_t info, const void *f, void *x,
                    spblasSolvePolicy_t policy, void *buffer)
{
    (void)buffer;
    return run(&(solve){VECTOR, .policy = policy, .alpha = alpha, .B = f, .X = x,
                        .ldb = INT32_MAX, .ldx = INT32_MAX});
}

spblasStatus_t
spblasXbsrsm2_bufferSize(spblasHandle_t handle, spblasDataType_t type,
                         spblasDirection_t dirA, spblasOperation_t transA,
                         spblasOperation_t transXY, int mb, int n, int nnzb,
                         const spblasMatDescr_t *descrA, void *bsrVal,
                         const int *bsrRowPtr, const int *bsrColInd, int blockSize,
                         spblasLegacyInfo_t info, int *bufferSize)
{
    return size(&(solve){MATRIX}, bufferSize);
}

spblasStatus_t
spblasXbsrsm2_analysis(spblasHandle_t handle, spblasDataType_t type,
                       spblasDirection_t dirA, spblasOperation_t transA,
                       spblasOperation_t transXY, int mb, int n, int nnzb,
                       const spblasMatDescr_t *descrA, const void *bsrVal,
                       const int *bsrRowPtr, const int *bsrColInd, int blockSize,
                       spblasLegacyInfo_t info, spblasSolvePolicy_t policy,
                       void *buffer)
{
    (void)buffer;
    return analyse(&(solve){MATRIX, .policy = policy});
}

spblasStatus_t
spblasXbsrsm2_solve(spblasHandle_t handle, spblasDataType_t type,
                    spblasDirection_t dirA, spblasOperation_t transA,
                    spblasOperation_t transXY, int mb, int n, int nnzb,
                    const void *alpha, const spblasMatDescr_t *descrA,
                    const void *bsrVal, const int *bsrRowPtr, const int *bsrColInd,
                    int blockSize, spblasLegacyInfo_t info, const void *B, int ldb,
                    void *X, int ldx, spblasSolvePolicy_t policy, void *buffer)
{
    (void)buffer;
    return run(&(solve){MATRIX, .policy = policy, .alpha = alpha, .B = B, .ldb = ldb,
                        .X = X, .ldx = ldx});
}
