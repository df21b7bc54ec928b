/*
 * Order of entries: rows to columns, offsets, sorts, permutations.
 */
#include "api/error.h"
#include "api/legacy.h"
#include "api/types.h"
#include "base/alloc.h"
#include "native/native.h"

#include <string.h>

static const sb_legacy_steps *
steps(void)
{
    return sb_backend_get()->legacy;
}

/* The scratch of either side, wherever the arrays come to lie. */
static size_t
scratch_of(spblasHandle_t handle, size_t host, int nnz)
{
    const size_t there = handle->device ? sb_native_order_scratch(nnz) : 0;

    return there > host ? there : host;
}

/* What a step on the device came to. */
static spblasStatus_t
there(spblasHandle_t handle, const char *function, sb_status st, const sb_diag *diag)
{
    return sb_api_end(handle, function, st, diag);
}

/* ---- Rows to columns ---------------------------------------------------------------- */

spblasStatus_t
spblasCsr2cscEx2_bufferSize(spblasHandle_t handle, int m, int n, int nnz,
                            const void *csrVal, const int *csrRowPtr,
                            const int *csrColInd, void *cscVal, int *cscColPtr,
                            int *cscRowInd, spblasDataType_t valType,
                            spblasAction_t copyValues, spblasIndexBase_t idxBase,
                            spblasCsr2CscAlg_t alg, size_t *bufferSize)
{
    const spblasStatus_t st = SB_LEGACY_CHECK(
        SB_ARG_HANDLE, SB_ARG_COUNT(m), SB_ARG_COUNT(n), SB_ARG_COUNT(nnz),
        SB_ARG_VALUE(valType), SB_ARG_ENUM(copyValues, SPBLAS_ACTION_NUMERIC),
        SB_ARG_ENUM(idxBase, SPBLAS_INDEX_BASE_ONE),
        SB_ARG_MIN(alg, SPBLAS_CSR2CSC_ALG_DEFAULT),
        SB_ARG_ENUM(alg, SPBLAS_CSR2CSC_ALG_DEFAULT), SB_ARG_THERE(bufferSize));

    (void)csrVal, (void)csrRowPtr, (void)csrColInd;
    (void)cscVal, (void)cscColPtr, (void)cscRowInd;
    if (st == SPBLAS_STATUS_SUCCESS)
        *bufferSize = scratch_of(handle, steps()->flip_scratch(n, nnz), nnz);
    return st;
}

spblasStatus_t
spblasCsr2cscEx2(spblasHandle_t handle, int m, int n, int nnz, const void *csrVal,
                 const int *csrRowPtr, const int *csrColInd, void *cscVal,
                 int *cscColPtr, int *cscRowInd, spblasDataType_t valType,
                 spblasAction_t copyValues, spblasIndexBase_t idxBase,
                 spblasCsr2CscAlg_t alg, void *buffer)
{
    const int values = copyValues == SPBLAS_ACTION_NUMERIC ? nnz : 0;
    const sb_flip job = {.m = m,
                         .n = n,
                         .nnz = nnz,
                         .base = (int)idxBase,
                         .size = values ? sb_public_size(valType) : 0,
                         .ptr = csrRowPtr,
                         .idx = csrColInd,
                         .val = csrVal,
                         .to_ptr = cscColPtr,
                         .to_idx = cscRowInd,
                         .to_val = cscVal,
                         .scratch = buffer};
    sb_diag diag = {0};
    bool device, same;
    spblasStatus_t st = SB_LEGACY_PLACE(
        &device, SB_ARG_HANDLE, SB_ARG_COUNT(m), SB_ARG_COUNT(n), SB_ARG_COUNT(nnz),
        SB_ARG_ARRAY(csrVal, values), SB_ARG_ARRAY(csrRowPtr, nnz),
        SB_ARG_ARRAY(csrColInd, nnz), SB_ARG_ARRAY(cscVal, values),
        SB_ARG_THERE(cscColPtr), SB_ARG_ARRAY(cscRowInd, nnz), SB_ARG_VALUE(valType),
        SB_ARG_ENUM(copyValues, SPBLAS_ACTION_NUMERIC),
        SB_ARG_ENUM(idxBase, SPBLAS_INDEX_BASE_ONE),
        SB_ARG_MIN(alg, SPBLAS_CSR2CSC_ALG_DEFAULT),
        SB_ARG_ENUM(alg, SPBLAS_CSR2CSC_ALG_DEFAULT));

    if (st == SPBLAS_STATUS_SUCCESS)
        st = SB_LEGACY_PLACE(
            &same, SB_ARG_BUFFER(device ? (size_t)nnz : steps()->flip_scratch(n, nnz)),
            SB_ARG_THERE(cscColPtr));
    if (st == SPBLAS_STATUS_SUCCESS && device) {
        const sb_native on = {handle->device, handle->stream, &diag, false};

        return there(handle, __func__, sb_native_flip(&on, &job), &diag);
    }
    if (st == SPBLAS_STATUS_SUCCESS)
        steps()->flip(&job);
    return st;
}

/* ---- Offsets, permutations ---------------------------------------------------------- */

spblasStatus_t
spblasXcoo2csr(spblasHandle_t handle, const int *cooRowInd, int nnz, int m,
               int *csrRowPtr, spblasIndexBase_t idxBase)
{
    sb_diag diag = {0};
    bool device;
    const spblasStatus_t st =
        SB_LEGACY_PLACE(&device, SB_ARG_HANDLE, SB_ARG_COUNT(nnz), SB_ARG_COUNT(m),
                        SB_ARG_ARRAY(cooRowInd, nnz), SB_ARG_THERE(csrRowPtr),
                        SB_ARG_ENUM(idxBase, SPBLAS_INDEX_BASE_ONE));

    if (st == SPBLAS_STATUS_SUCCESS && device) {
        const sb_native on = {handle->device, handle->stream, &diag, false};

        return there(handle, __func__,
                     sb_native_offsets(&on, csrRowPtr, cooRowInd, nnz, m, (int)idxBase),
                     &diag);
    }
    if (st == SPBLAS_STATUS_SUCCESS)
        steps()->offsets(csrRowPtr, cooRowInd, nnz, m, (int)idxBase);
    return st;
}

spblasStatus_t
spblasXcsr2coo(spblasHandle_t handle, const int *csrRowPtr, int nnz, int m,
               int *cooRowInd, spblasIndexBase_t idxBase)
{
    sb_diag diag = {0};
    bool device;
    const spblasStatus_t st =
        SB_LEGACY_PLACE(&device, SB_ARG_HANDLE, SB_ARG_COUNT(nnz), SB_ARG_COUNT(m),
                        SB_ARG_ARRAY(csrRowPtr, nnz), SB_ARG_ARRAY(cooRowInd, nnz),
                        SB_ARG_ENUM(idxBase, SPBLAS_INDEX_BASE_ONE));

    if (st == SPBLAS_STATUS_SUCCESS && device) {
        const sb_native on = {handle->device, handle->stream, &diag, false};

        return there(handle, __func__,
                     sb_native_rows(&on, cooRowInd, csrRowPtr, nnz, m, (int)idxBase),
                     &diag);
    }
    if (st == SPBLAS_STATUS_SUCCESS && nnz > 0)
        steps()->rows(cooRowInd, csrRowPtr, m, (int)idxBase);
    return st;
}

spblasStatus_t
spblasCreateIdentityPermutation(spblasHandle_t handle, int n, int *p)
{
    sb_diag diag = {0};
    bool device;
    const spblasStatus_t st =
        SB_LEGACY_PLACE(&device, SB_ARG_HANDLE, SB_ARG_COUNT(n), SB_ARG_ARRAY(p, n));

    if (st == SPBLAS_STATUS_SUCCESS && device) {
        const sb_native on = {handle->device, handle->stream, &diag, false};

        return there(handle, __func__, sb_native_identity(&on, p, n), &diag);
    }
    if (st == SPBLAS_STATUS_SUCCESS)
        steps()->identity(p, n);
    return st;
}

/* ---- Sorts -------------------------------------------------------------------------- */

spblasStatus_t
spblasXcoosort_bufferSizeExt(spblasHandle_t handle, int m, int n, int nnz,
                             const int *cooRowsA, const int *cooColsA,
                             size_t *bufferSize)
{
    const spblasStatus_t st =
        SB_LEGACY_CHECK(SB_ARG_HANDLE, SB_ARG_COUNT(m), SB_ARG_COUNT(n),
                        SB_ARG_COUNT(nnz), SB_ARG_THERE(bufferSize));
    size_t by_row, by_column;

    (void)cooRowsA, (void)cooColsA;
    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    by_row = steps()->order_scratch((int64_t)m + 1, nnz);
    by_column = steps()->order_scratch((int64_t)n + 1, nnz);
    *bufferSize = scratch_of(handle, by_row > by_column ? by_row : by_column, nnz);
    return st;
}

/* The host's sort or the device's. */
static spblasStatus_t
sort(spblasHandle_t handle, const char *function, bool device, const sb_order *job)
{
    sb_diag diag = {0};

    if (job->nnz == 0)
        return SPBLAS_STATUS_SUCCESS;
    if (device) {
        const sb_native on = {handle->device, handle->stream, &diag, false};

        return there(handle, function, sb_native_order(&on, job), &diag);
    }
    steps()->order(job);
    return SPBLAS_STATUS_SUCCESS;
}

static spblasStatus_t
sort_coo(const char *function, spblasHandle_t handle, int m, int n, int nnz,
         int *cooRowsA, int *cooColsA, int *P, void *buffer, bool by_row)
{
    bool device;
    const spblasStatus_t st =
        sb_legacy_check_place(&device, handle, function,
                              (const sb_arg[]){SB_ARG_HANDLE,
                                               SB_ARG_COUNT(m),
                                               SB_ARG_COUNT(n),
                                               SB_ARG_COUNT(nnz),
                                               SB_ARG_ARRAY(cooRowsA, nnz),
                                               SB_ARG_ARRAY(cooColsA, nnz),
                                               SB_ARG_ARRAY(P, 0),
                                               SB_ARG_BUFFER(nnz),
                                               {0}});

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    return sort(handle, function, device,
                &(sb_order){.m = by_row ? m : n,
                            .n = by_row ? n : m,
                            .nnz = nnz,
                            .major = by_row ? cooRowsA : cooColsA,
                            .minor = by_row ? cooColsA : cooRowsA,
                            .perm = P,
                            .scratch = buffer});
}

spblasStatus_t
spblasXcoosortByRow(spblasHandle_t handle, int m, int n, int nnz, int *cooRowsA,
                    int *cooColsA, int *P, void *buffer)
{
    return sort_coo(__func__, handle, m, n, nnz, cooRowsA, cooColsA, P, buffer, true);
}

spblasStatus_t
spblasXcoosortByColumn(spblasHandle_t handle, int m, int n, int nnz, int *cooRowsA,
                       int *cooColsA, int *P, void *buffer)
{
    return sort_coo(__func__, handle, m, n, nnz, cooRowsA, cooColsA, P, buffer, false);
}

/* A CSC is sorted as the CSR of its transpose: majors are its columns. */
static spblasStatus_t
size_of_sort(const char *function, spblasHandle_t handle, int m, int n, int nnz,
             size_t *bufferSize)
{
    const spblasStatus_t st = sb_legacy_check(handle, function,
                                              (const sb_arg[]){SB_ARG_HANDLE,
                                                               SB_ARG_COUNT(m),
                                                               SB_ARG_COUNT(n),
                                                               SB_ARG_COUNT(nnz),
                                                               SB_ARG_THERE(bufferSize),
                                                               {0}});

    if (st == SPBLAS_STATUS_SUCCESS)
        *bufferSize = scratch_of(handle, steps()->order_scratch(0, nnz), nnz);
    return st;
}

spblasStatus_t
spblasXcsrsort_bufferSizeExt(spblasHandle_t handle, int m, int n, int nnz,
                             const int *csrRowPtrA, const int *csrColIndA,
                             size_t *bufferSize)
{
    (void)csrRowPtrA, (void)csrColIndA;
    return size_of_sort(__func__, handle, m, n, nnz, bufferSize);
}

spblasStatus_t
spblasXcscsort_bufferSizeExt(spblasHandle_t handle, int m, int n, int nnz,
                             const int *cscColPtrA, const int *cscRowIndA,
                             size_t *bufferSize)
{
    (void)cscColPtrA, (void)cscRowIndA;
    return size_of_sort(__func__, handle, m, n, nnz, bufferSize);
}

static sb_order
rows_order(int majors, int minors, int nnz, const spblasMatDescr_t *descrA,
           const int *ptr, int *ind, int *P, void *buffer)
{
    return (sb_order){.m = majors,
                      .n = minors,
                      .nnz = nnz,
                      .ptr = ptr,
                      .base = (int)descrA->base,
                      .minor = ind,
                      .perm = P,
                      .scratch = buffer};
}

static spblasStatus_t
sort_rows(const char *function, spblasHandle_t handle, int m, int n, int nnz,
          const spblasMatDescr_t *descrA, const sb_arg arrays[2], int *P, void *buffer,
          bool csc)
{
    bool device;
    const spblasStatus_t st =
        sb_legacy_check_place(&device, handle, function,
                              (const sb_arg[]){SB_ARG_HANDLE,
                                               SB_ARG_COUNT(m),
                                               SB_ARG_COUNT(n),
                                               SB_ARG_COUNT(nnz),
                                               SB_ARG_DESCR(descrA),
                                               arrays[0],
                                               arrays[1],
                                               SB_ARG_ARRAY(P, 0),
                                               SB_ARG_BUFFER(nnz),
                                               {0}});
    sb_order job;

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    job = rows_order(csc ? n : m, csc ? m : n, nnz, descrA, arrays[0].at,
                     (int *)(uintptr_t)arrays[1].at, P, buffer);
    return sort(handle, function, device, &job);
}

spblasStatus_t
spblasXcsrsort(spblasHandle_t handle, int m, int n, int nnz,
               const spblasMatDescr_t *descrA, const int *csrRowPtrA, int *csrColIndA,
               int *P, void *buffer)
{
    const sb_arg arrays[] = {SB_ARG_ARRAY(csrRowPtrA, nnz),
                             SB_ARG_ARRAY(csrColIndA, nnz)};

    return sort_rows(__func__, handle, m, n, nnz, descrA, arrays, P, buffer, false);
}

spblasStatus_t
spblasXcscsort(spblasHandle_t handle, int m, int n, int nnz,
               const spblasMatDescr_t *descrA, const int *cscColPtrA, int *cscRowIndA,
               int *P, void *buffer)
{
    const sb_arg arrays[] = {SB_ARG_ARRAY(cscColPtrA, nnz),
                             SB_ARG_ARRAY(cscRowIndA, nnz)};

    return sort_rows(__func__, handle, m, n, nnz, descrA, arrays, P, buffer, true);
}

/* ---- Sorting and back --------------------------------------------------------------- */

/* The sort's scratch, and a copy of the values and columns. */
spblasStatus_t
spblasXcsru2csr_bufferSizeExt(spblasHandle_t handle, spblasDataType_t type, int m,
                              int n, int nnz, void *csrVal, const int *csrRowPtr,
                              int *csrColInd, spblasLegacyInfo_t info,
                              size_t *bufferSize)
{
    const spblasStatus_t st =
        SB_LEGACY_CHECK(SB_ARG_HANDLE, SB_ARG_TYPE, SB_ARG_COUNT(m), SB_ARG_COUNT(n),
                        SB_ARG_COUNT(nnz), SB_ARG_INFO, SB_ARG_THERE(bufferSize));

    (void)csrVal, (void)csrRowPtr, (void)csrColInd;
    if (st == SPBLAS_STATUS_SUCCESS)
        *bufferSize = scratch_of(handle, steps()->order_scratch(0, nnz), nnz);
    return st;
}

typedef struct csru {
    const char *function;
    spblasHandle_t handle;
    spblasDataType_t type;
    int m, n, nnz;
    const spblasMatDescr_t *descrA;
    void *csrVal;
    const int *csrRowPtr;
    int *csrColInd;
    spblasLegacyInfo_t info;
    void *buffer;
} csru;

/* Nothing to be moved is the host's. */
static spblasStatus_t
check_csru(bool *device, const csru *k)
{
    const spblasHandle_t handle = k->handle;
    const spblasDataType_t type = k->type;
    const int m = k->m, n = k->n, nnz = k->nnz;
    const spblasMatDescr_t *descrA = k->descrA;
    const void *csrVal = k->csrVal;
    const int *csrRowPtr = k->csrRowPtr, *csrColInd = k->csrColInd;
    const spblasLegacyInfo_t info = k->info;
    void *buffer = k->buffer;
    const spblasStatus_t st =
        sb_legacy_check_place(device, handle, k->function,
                              (const sb_arg[]){SB_ARG_HANDLE,
                                               SB_ARG_TYPE,
                                               SB_ARG_COUNT(m),
                                               SB_ARG_COUNT(n),
                                               SB_ARG_COUNT(nnz),
                                               SB_ARG_DESCR(descrA),
                                               SB_ARG_ARRAY(csrVal, nnz),
                                               SB_ARG_ARRAY(csrRowPtr, nnz),
                                               SB_ARG_ARRAY(csrColInd, nnz),
                                               SB_ARG_INFO,
                                               SB_ARG_BUFFER(nnz),
                                               {0}});

    *device = *device && nnz > 0;
    return st;
}

/* An array moved by the order, through a copy in scratch of its size. */
static void
permute(const csru *k, void *array, size_t size, bool back)
{
    if (k->nnz > 0)
        memcpy(k->buffer, array, (size_t)k->nnz * size);
    steps()->permute(array, k->buffer, k->info->perm, k->nnz, size, back);
}

/* Room for the order in the memory of who computes: what there is, if it is as large. */
static sb_status
make_room(const csru *k, sb_device *on, sb_diag *diag)
{
    void *perm = NULL;

    if (k->info->perm && k->info->nperm == k->nnz && k->info->perm_on == on)
        return SB_OK;
    if (on) {
        const sb_native n = {on, k->handle->stream, diag, false};

        SB_TRY(sb_native_may_wait(&n, "memory for the order is taken"));
        SB_TRY(on->ops->alloc(on, &perm, (size_t)k->nnz * sizeof(int32_t), diag));
        on->ops->hold(on);
    } else if (!(perm = sb_alloc_array(k->nnz, sizeof(int32_t)))) {
        return SB_ENOMEM;
    }
    sb_legacy_keep(k->info, perm, k->nnz, on);
    return SB_OK;
}

static sb_status
to_csr_there(const csru *k, const sb_order *job, sb_diag *diag)
{
    const sb_native on = {k->handle->device, k->handle->stream, diag, false};

    SB_TRY(sb_native_identity(&on, job->perm, k->nnz));
    SB_TRY(sb_native_order(&on, job));
    return sb_native_permute(&on, k->csrVal, k->buffer, job->perm, k->nnz,
                             sb_public_size(k->type), false);
}

static spblasStatus_t
to_csr(const csru *k)
{
    sb_diag diag = {0};
    bool device;
    const spblasStatus_t st = check_csru(&device, k);
    sb_order job;
    sb_status done;

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    done = make_room(k, device ? k->handle->device : NULL, &diag);
    if (done != SB_OK)
        return sb_api_end(k->handle, k->function, done, &diag);
    job = rows_order(k->m, k->n, k->nnz, k->descrA, k->csrRowPtr, k->csrColInd,
                     k->info->perm, k->buffer);
    if (device)
        return sb_api_end(k->handle, k->function, to_csr_there(k, &job, &diag), &diag);
    steps()->identity(k->info->perm, k->nnz);
    if (k->nnz > 0)
        steps()->order(&job);
    permute(k, k->csrVal, sb_public_size(k->type), false);
    return st;
}

static spblasStatus_t
to_csru(const csru *k)
{
    const size_t size = sb_public_size(k->type);
    sb_diag diag = {0};
    bool device;
    const spblasStatus_t st = check_csru(&device, k);
    sb_status done;

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    if (!k->info->perm || k->info->nperm != k->nnz ||
        k->info->perm_on != (device ? k->handle->device : NULL))
        return sb_api_end(k->handle, k->function,
                          sb_diag_set(&diag, SB_EINVAL,
                                      "argument info holds no order of so many "
                                      "entries"),
                          &diag);
    if (device) {
        const sb_native on = {k->handle->device, k->handle->stream, &diag, false};

        done = sb_native_permute(&on, k->csrVal, k->buffer, k->info->perm, k->nnz, size,
                                 true);
        if (done == SB_OK)
            done = sb_native_permute(&on, k->csrColInd, k->buffer, k->info->perm,
                                     k->nnz, sizeof *k->csrColInd, true);
        return sb_api_end(k->handle, k->function, done, &diag);
    }
    permute(k, k->csrVal, size, true);
    permute(k, k->csrColInd, sizeof *k->csrColInd, true);
    return st;
}

#define CSRU                                                                          \
    .function = __func__, .handle = handle, .type = type, .m = m, .n = n, .nnz = nnz, \
    .descrA = descrA, .csrVal = csrVal, .csrRowPtr = csrRowPtr,                       \
    .csrColInd = csrColInd, .info = info, .buffer = buffer

spblasStatus_t
spblasXcsru2csr(spblasHandle_t handle, spblasDataType_t type, int m, int n, int nnz,
                const spblasMatDescr_t *descrA, void *csrVal, const int *csrRowPtr,
                int *csrColInd, spblasLegacyInfo_t info, void *buffer)
{
    return to_csr(&(csru){CSRU});
}

spblasStatus_t
spblasXcsr2csru(spblasHandle_t handle, spblasDataType_t type, int m, int n, int nnz,
                const spblasMatDescr_t *descrA, void *csrVal, const int *csrRowPtr,
                int *csrColInd, spblasLegacyInfo_t info, void *buffer)
{
    return to_csru(&(csru){CSRU});
}
