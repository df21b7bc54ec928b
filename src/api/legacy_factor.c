/*
 * Incomplete factors: csrilu02, csric02, bsrilu02 and bsric02, of which those of CSR have
 * blocks of one element.
 */
#include "api/error.h"
#include "api/legacy.h"
#include "api/types.h"
#include "planner/staged.h"

#include <string.h>

typedef struct factor {
    const char *function;
    spblasHandle_t handle;
    spblasDataType_t type;
    bool cholesky;
    spblasDirection_t dirA;
    int mb, nnzb, blockDim;
    const spblasMatDescr_t *descrA;
    const void *val;
    const int *ptr, *ind;
    spblasLegacyInfo_t info;
    spblasSolvePolicy_t policy;
    void *buffer;
} factor;

static spblasStatus_t
check(const factor *k)
{
    const spblasHandle_t handle = k->handle;
    const spblasDataType_t type = k->type;
    const spblasDirection_t dirA = k->dirA;
    const int m = k->mb, nnz = k->nnzb, blockDim = k->blockDim;
    const spblasMatDescr_t *descrA = k->descrA;
    const spblasLegacyInfo_t info = k->info;
    const spblasSolvePolicy_t policy = k->policy;

    return sb_legacy_check(
        handle, k->function,
        (const sb_arg[]){SB_ARG_HANDLE,
                         SB_ARG_WIDE,
                         SB_ARG_ENUM(dirA, SPBLAS_DIRECTION_COLUMN),
                         SB_ARG_COUNT(m),
                         SB_ARG_COUNT(nnz),
                         SB_ARG_DESCR(descrA),
                         SB_ARG_MIN(blockDim, 1),
                         SB_ARG_INFO,
                         SB_ARG_ENUM(policy, SPBLAS_SOLVE_POLICY_USE_LEVEL),
                         {0}});
}

static size_t
bytes_of(const factor *k)
{
    return sb_backend_get()->legacy->factor_scratch(k->mb, k->blockDim);
}

static spblasStatus_t
size(const factor *k, int *bufferSize)
{
    const spblasHandle_t handle = k->handle;
    spblasStatus_t st = check(k);

    if (st == SPBLAS_STATUS_SUCCESS)
        st = sb_legacy_check(handle, k->function,
                             (const sb_arg[]){SB_ARG_THERE(bufferSize), {0}});
    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    if (bytes_of(k) > INT32_MAX)
        return sb_api_end(handle, k->function, SB_ERESOURCES, NULL);
    *bufferSize = (int)bytes_of(k);
    return st;
}

static spblasStatus_t
check_matrix(bool *device, const factor *k)
{
    const spblasHandle_t handle = k->handle;
    const void *val = k->val;
    const int *ptr = k->ptr, *ind = k->ind;
    void *buffer = k->buffer;
    const sb_arg args[] = {SB_ARG_ARRAY(val, k->nnzb),
                           SB_ARG_ARRAY(ptr, k->mb),
                           SB_ARG_ARRAY(ind, k->nnzb),
                           SB_ARG_BUFFER(bytes_of(k)),
                           {0}};
    const spblasStatus_t st = check(k);

    *device = false;
    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    return sb_legacy_check_place(device, handle, k->function, args);
}

static struct sb_solve_shape
shape_of(const factor *k)
{
    return (struct sb_solve_shape){.routine =
                                       k->cholesky ? SB_ROUTINE_IC : SB_ROUTINE_ILU,
                                   .type = (int)k->type,
                                   .mb = k->mb,
                                   .nnzb = k->nnzb,
                                   .block = k->blockDim,
                                   .by_columns = k->dirA == SPBLAS_DIRECTION_COLUMN,
                                   .policy = (int)k->policy};
}

/* The first row without a diagonal, in A's base. */
static int
missing(const factor *k, const sb_incomplete *f)
{
    for (int i = 0; i < k->mb; i++) {
        bool found = false;

        for (int p = f->ptr[i] - f->base; p < f->ptr[i + 1] - f->base; p++)
            found |= f->idx[p] - f->base == i;
        if (!found)
            return i + f->base;
    }
    return -1;
}

static sb_incomplete
job_of(const factor *k)
{
    return (sb_incomplete){.type = sb_public_dtype(k->type),
                           .cholesky = k->cholesky,
                           .by_columns = k->dirA == SPBLAS_DIRECTION_COLUMN,
                           .m = k->mb,
                           .block = k->blockDim,
                           .base = (int)k->descrA->base,
                           .ptr = k->ptr,
                           .idx = k->ind,
                           .val = (void *)(uintptr_t)k->val,
                           .boosts = k->info->boosts && !k->cholesky,
                           .tol = k->info->tol,
                           .boost = k->info->boost,
                           .scratch = k->buffer};
}

/* Brings the structure to the host, and the order of rows to the device. */
static sb_status
analyse_there(const factor *k, sb_native_factor **out, sb_diag *diag)
{
    const spblasHandle_t h = k->handle;
    const sb_native on = {h->device, h->stream, diag, false};
    sb_incomplete f = job_of(k);
    sb_problem pb = {.a = sb_legacy_csr(f.type, k->mb, k->mb, k->nnzb, k->descrA,
                                        k->val, k->ptr, k->ind),
                     .batch = 1,
                     .device = h->device,
                     .stream = h->stream};
    sb_staged staged = {0};
    sb_status st = sb_staged_structure(&staged, &pb, false, diag);

    *out = NULL;
    if (st == SB_OK) {
        f.ptr = pb.a.ptr;
        f.idx = pb.a.idx;
        k->info->position = missing(k, &f);
        st = sb_native_factor_create(out, &on, &f);
    }
    sb_staged_free(&staged);
    return st;
}

static spblasStatus_t
analyse(const factor *k)
{
    sb_native_factor *there = NULL;
    sb_diag diag = {0};
    bool device;
    spblasStatus_t st = check_matrix(&device, k);

    if (st == SPBLAS_STATUS_SUCCESS && device && k->mb > 0)
        st = sb_api_end(k->handle, k->function, analyse_there(k, &there, &diag), &diag);
    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    sb_legacy_forget(k->info);
    k->info->factor = there;
    k->info->shape = shape_of(k);
    if (!device) {
        const sb_incomplete f = job_of(k);

        k->info->position = missing(k, &f);
    }
    return st;
}

static sb_status
run_there(const factor *k, sb_diag *diag)
{
    const sb_native on = {k->handle->device, k->handle->stream, diag, false};
    const sb_incomplete f = job_of(k);

    if (!k->info->factor ||
        sb_native_factor_device(k->info->factor) != k->handle->device)
        return sb_diag_set(diag, SB_EINVAL,
                           "argument info has no analysis of arrays on this GPU");
    return sb_native_factor_run(k->info->factor, &on, &f);
}

static spblasStatus_t
run(const factor *k)
{
    sb_diag diag = {0};
    bool device;
    spblasStatus_t st = check_matrix(&device, k);
    int64_t at = -1;

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    if (!sb_legacy_analysed(k->info, shape_of(k)))
        return sb_api_end(k->handle, k->function,
                          sb_diag_set(&diag, SB_EINVAL,
                                      "argument info has no analysis of these "
                                      "arguments"),
                          &diag);
    if (device && k->mb > 0)
        st = sb_api_end(k->handle, k->function, run_there(k, &diag), &diag);
    else if (!device) {
        const sb_incomplete f = job_of(k);

        at = sb_backend_get()->legacy->factor(&f);
    }
    if (st == SPBLAS_STATUS_SUCCESS) {
        k->info->position = at < 0 ? -1 : (int)at + (int)k->descrA->base;
        k->info->there = device && k->mb > 0;
        k->info->base = (int)k->descrA->base;
    }
    return st;
}

static spblasStatus_t
set_boost(const char *function, spblasHandle_t handle, spblasDataType_t type,
          spblasLegacyInfo_t info, int enable_boost, const double *tol,
          const void *boost_val)
{
    const spblasStatus_t st =
        sb_legacy_check(handle, function,
                        (const sb_arg[]){SB_ARG_HANDLE,
                                         SB_ARG_WIDE,
                                         SB_ARG_INFO,
                                         SB_ARG_ARRAY(tol, enable_boost != 0),
                                         SB_ARG_ARRAY(boost_val, enable_boost != 0),
                                         {0}});

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    info->boosts = enable_boost != 0;
    if (info->boosts) {
        info->tol = *tol;
        info->boost = sb_value_load(sb_public_dtype(type), boost_val, 0);
    }
    return st;
}

#define CSR                                                                     \
    .function = __func__, .handle = handle, .type = type, .mb = m, .nnzb = nnz, \
    .blockDim = 1, .descrA = descrA, .val = csrVal, .ptr = csrRowPtr,           \
    .ind = csrColInd, .info = info
#define BSR                                                                       \
    .function = __func__, .handle = handle, .type = type, .dirA = dirA, .mb = mb, \
    .nnzb = nnzb, .blockDim = blockDim, .descrA = descrA, .val = bsrVal,          \
    .ptr = bsrRowPtr, .ind = bsrColInd, .info = info
#define STEP .policy = policy, .buffer = buffer

spblasStatus_t
spblasXcsrilu02_numericBoost(spblasHandle_t handle, spblasDataType_t type,
                             spblasLegacyInfo_t info, int enable_boost, double *tol,
                             void *boost_val)
{
    return set_boost(__func__, handle, type, info, enable_boost, tol, boost_val);
}

spblasStatus_t
spblasXcsrilu02_bufferSize(spblasHandle_t handle, spblasDataType_t type, int m, int nnz,
                           const spblasMatDescr_t *descrA, void *csrVal,
                           const int *csrRowPtr, const int *csrColInd,
                           spblasLegacyInfo_t info, int *bufferSize)
{
    return size(&(factor){CSR}, bufferSize);
}

spblasStatus_t
spblasXcsrilu02_analysis(spblasHandle_t handle, spblasDataType_t type, int m, int nnz,
                         const spblasMatDescr_t *descrA, const void *csrVal,
                         const int *csrRowPtr, const int *csrColInd,
                         spblasLegacyInfo_t info, spblasSolvePolicy_t policy,
                         void *buffer)
{
    return analyse(&(factor){CSR, STEP});
}

spblasStatus_t
spblasXcsrilu02(spblasHandle_t handle, spblasDataType_t type, int m, int nnz,
                const spblasMatDescr_t *descrA, void *csrVal, const int *csrRowPtr,
                const int *csrColInd, spblasLegacyInfo_t info,
                spblasSolvePolicy_t policy, void *buffer)
{
    return run(&(factor){CSR, STEP});
}

spblasStatus_t
spblasXbsrilu02_numericBoost(spblasHandle_t handle, spblasDataType_t type,
                             spblasLegacyInfo_t info, int enable_boost, double *tol,
                             void *boost_val)
{
    return set_boost(__func__, handle, type, info, enable_boost, tol, boost_val);
}

spblasStatus_t
spblasXbsrilu02_bufferSize(spblasHandle_t handle, spblasDataType_t type,
                           spblasDirection_t dirA, int mb, int nnzb,
                           const spblasMatDescr_t *descrA, void *bsrVal,
                           const int *bsrRowPtr, const int *bsrColInd, int blockDim,
                           spblasLegacyInfo_t info, int *bufferSize)
{
    return size(&(factor){BSR}, bufferSize);
}

spblasStatus_t
spblasXbsrilu02_analysis(spblasHandle_t handle, spblasDataType_t type,
                         spblasDirection_t dirA, int mb, int nnzb,
                         const spblasMatDescr_t *descrA, const void *bsrVal,
                         const int *bsrRowPtr, const int *bsrColInd, int blockDim,
                         spblasLegacyInfo_t info, spblasSolvePolicy_t policy,
                         void *buffer)
{
    return analyse(&(factor){BSR, STEP});
}

spblasStatus_t
spblasXbsrilu02(spblasHandle_t handle, spblasDataType_t type, spblasDirection_t dirA,
                int mb, int nnzb, const spblasMatDescr_t *descrA, void *bsrVal,
                const int *bsrRowPtr, const int *bsrColInd, int blockDim,
                spblasLegacyInfo_t info, spblasSolvePolicy_t policy, void *buffer)
{
    return run(&(factor){BSR, STEP});
}

spblasStatus_t
spblasXcsric02_bufferSize(spblasHandle_t handle, spblasDataType_t type, int m, int nnz,
                          const spblasMatDescr_t *descrA, void *csrVal,
                          const int *csrRowPtr, const int *csrColInd,
                          spblasLegacyInfo_t info, int *bufferSize)
{
    return size(&(factor){CSR, .cholesky = true}, bufferSize);
}

spblasStatus_t
spblasXcsric02_analysis(spblasHandle_t handle, spblasDataType_t type, int m, int nnz,
                        const spblasMatDescr_t *descrA, const void *csrVal,
                        const int *csrRowPtr, const int *csrColInd,
                        spblasLegacyInfo_t info, spblasSolvePolicy_t policy,
                        void *buffer)
{
    return analyse(&(factor){CSR, .cholesky = true, STEP});
}

spblasStatus_t
spblasXcsric02(spblasHandle_t handle, spblasDataType_t type, int m, int nnz,
               const spblasMatDescr_t *descrA, void *csrVal, const int *csrRowPtr,
               const int *csrColInd, spblasLegacyInfo_t info,
               spblasSolvePolicy_t policy, void *buffer)
{
    return run(&(factor){CSR, .cholesky = true, STEP});
}

spblasStatus_t
spblasXbsric02_bufferSize(spblasHandle_t handle, spblasDataType_t type,
                          spblasDirection_t dirA, int mb, int nnzb,
                          const spblasMatDescr_t *descrA, void *bsrVal,
                          const int *bsrRowPtr, const int *bsrColInd, int blockDim,
                          spblasLegacyInfo_t info, int *bufferSize)
{
    return size(&(factor){BSR, .cholesky = true}, bufferSize);
}

spblasStatus_t
spblasXbsric02_analysis(spblasHandle_t handle, spblasDataType_t type,
                        spblasDirection_t dirA, int mb, int nnzb,
                        const spblasMatDescr_t *descrA, const void *bsrVal,
                        const int *bsrRowPtr, const int *bsrColInd, int blockDim,
                        spblasLegacyInfo_t info, spblasSolvePolicy_t policy,
                        void *buffer)
{
    return analyse(&(factor){BSR, .cholesky = true, STEP});
}

spblasStatus_t
spblasXbsric02(spblasHandle_t handle, spblasDataType_t type, spblasDirection_t dirA,
               int mb, int nnzb, const spblasMatDescr_t *descrA, void *bsrVal,
               const int *bsrRowPtr, const int *bsrColInd, int blockDim,
               spblasLegacyInfo_t info, spblasSolvePolicy_t policy, void *buffer)
{
    return run(&(factor){BSR, .cholesky = true, STEP});
}
