/*
 * Elements by their magnitude: numbers of nonzeros, compression, pruning. All are one
 * filter over a dense or a sparse matrix.
 */
#include "api/error.h"
#include "api/legacy.h"
#include "api/place.h"
#include "api/types.h"

#include <math.h>
#include <string.h>

static const sb_legacy_steps *
steps(void)
{
    return sb_backend_get()->legacy;
}

/* Elements counted on the device, to numbers of lines or to offsets; their total to where
 * the caller wants it. */
static spblasStatus_t
count_there(const char *function, spblasHandle_t handle, const sb_filter *f,
            void *buffer, int *number, const sb_target_rows *to, int *total)
{
    sb_diag diag = {0};
    const sb_native on = {handle->device, handle->stream, &diag, false};
    int64_t n = 0;
    sb_status st = sb_native_filter_count(&on, f, buffer, number,
                                          to ? (int *)(uintptr_t)to->ptr : NULL,
                                          to ? to->base : 0, &n);

    if (st == SB_OK && total)
        st = sb_legacy_give(handle, total, n, &diag);
    return sb_api_end(handle, function, st, &diag);
}

static spblasStatus_t
fill_there(const char *function, spblasHandle_t handle, const sb_filter *f,
           const sb_target_rows *to)
{
    sb_diag diag = {0};
    const sb_native on = {handle->device, handle->stream, &diag, false};

    return sb_api_end(handle, function, sb_native_filter_fill(&on, f, to), &diag);
}

/* ---- Numbers, compression ----------------------------------------------------------- */

spblasStatus_t
spblasXnnz(spblasHandle_t handle, spblasDataType_t type, spblasDirection_t dirA, int m,
           int n, const spblasMatDescr_t *descrA, const void *A, int lda,
           int *nnzPerRowCol, int *nnzTotal)
{
    const bool by_row = dirA == SPBLAS_DIRECTION_ROW;
    bool device;
    const spblasStatus_t st = SB_LEGACY_PLACE(
        &device, SB_ARG_HANDLE, SB_ARG_TYPE, SB_ARG_ENUM(dirA, SPBLAS_DIRECTION_COLUMN),
        SB_ARG_COUNT(m), SB_ARG_COUNT(n), SB_ARG_DESCR(descrA),
        SB_ARG_ARRAY(A, (int64_t)m * n), SB_ARG_MIN(lda, m > 1 ? m : 1),
        SB_ARG_ARRAY(nnzPerRowCol, by_row ? m : n), SB_ARG_SCALAR(nnzTotal));
    sb_filter f;
    int64_t total = 0;

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    f = (sb_filter){.type = sb_public_dtype(type),
                    .m = by_row ? m : n,
                    .n = by_row ? n : m,
                    .val = A,
                    .row = by_row ? 1 : lda,
                    .col = by_row ? lda : 1};
    if (device)
        return count_there(__func__, handle, &f, NULL, nnzPerRowCol, NULL, nnzTotal);
    steps()->filter_count(&f, nnzPerRowCol);
    for (int64_t i = 0; i < f.m; i++)
        total += nnzPerRowCol[i];
    if (total > INT32_MAX)
        return sb_api_end(handle, __func__, SB_ERESOURCES, NULL);
    *nnzTotal = (int)total;
    return st;
}

static bool
negative(double tol)
{
    return !(tol >= 0.0);
}

spblasStatus_t
spblasXnnz_compress(spblasHandle_t handle, spblasDataType_t type, int m,
                    const spblasMatDescr_t *descr, const void *csrValA,
                    const int *csrRowPtrA, int *nnzPerRow, int *nnzC, double tol)
{
    bool device;
    const spblasStatus_t st = SB_LEGACY_PLACE(
        &device, SB_ARG_HANDLE, SB_ARG_TYPE, SB_ARG_COUNT(m), SB_ARG_DESCR(descr),
        SB_ARG_ARRAY(csrValA, m), SB_ARG_ARRAY(csrRowPtrA, m),
        SB_ARG_ARRAY(nnzPerRow, m), SB_ARG_SCALAR(nnzC));
    int64_t total = 0;
    sb_filter f;

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    if (negative(tol))
        return sb_api_fail(__func__, SB_EINVAL, "argument tol must not be negative");
    f = (sb_filter){.type = sb_public_dtype(type),
                    .m = m,
                    .val = csrValA,
                    .ptr = csrRowPtrA,
                    .base = (int)descr->base,
                    .bound = tol};
    if (device)
        return count_there(__func__, handle, &f, NULL, nnzPerRow, NULL, nnzC);
    steps()->filter_count(&f, nnzPerRow);
    for (int i = 0; i < m; i++)
        total += nnzPerRow[i];
    *nnzC = (int)total; /* no more than A has */
    return st;
}

/* C's offsets from the numbers of its rows. */
static spblasStatus_t
add_up(const char *function, spblasHandle_t handle, bool device, int m,
       const int *nnzPerRow, const sb_target_rows *to)
{
    int *const ptr = (int *)(uintptr_t)to->ptr;
    int64_t total = 0;
    sb_status st;

    if (device)
        return count_there(function, handle, &(sb_filter){.m = m}, NULL,
                           (int *)(uintptr_t)nnzPerRow, to, NULL);
    if (m > 0)
        memcpy(ptr + 1, nnzPerRow, (size_t)m * sizeof *nnzPerRow);
    st = steps()->add_up(ptr, m, to->base, &total);
    if (st == SB_OK && total > 0 && (!to->val || !to->idx))
        return sb_api_fail(function, SB_EINVAL,
                           "arguments csrValC and csrColIndC must not be NULL");
    return sb_api_end(handle, function, st, NULL);
}

spblasStatus_t
spblasXcsr2csr_compress(spblasHandle_t handle, spblasDataType_t type, int m, int n,
                        const spblasMatDescr_t *descrA, const void *csrValA,
                        const int *csrColIndA, const int *csrRowPtrA, int nnzA,
                        const int *nnzPerRow, void *csrValC, int *csrColIndC,
                        int *csrRowPtrC, double tol)
{
    bool device;
    spblasStatus_t st = SB_LEGACY_PLACE(
        &device, SB_ARG_HANDLE, SB_ARG_TYPE, SB_ARG_COUNT(m), SB_ARG_COUNT(n),
        SB_ARG_DESCR(descrA), SB_ARG_COUNT(nnzA), SB_ARG_ARRAY(csrValA, nnzA),
        SB_ARG_ARRAY(csrColIndA, nnzA), SB_ARG_ARRAY(csrRowPtrA, m),
        SB_ARG_ARRAY(nnzPerRow, m), SB_ARG_ARRAY(csrValC, 0),
        SB_ARG_ARRAY(csrColIndC, 0), SB_ARG_THERE(csrRowPtrC));
    sb_target_rows to;
    sb_filter f;

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    if (negative(tol))
        return sb_api_fail(__func__, SB_EINVAL, "argument tol must not be negative");
    to = (sb_target_rows){csrRowPtrC, csrColIndC, csrValC, (int)descrA->base};
    st = add_up(__func__, handle, device, m, nnzPerRow, &to);
    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    f = (sb_filter){.type = sb_public_dtype(type),
                    .m = m,
                    .val = csrValA,
                    .ptr = csrRowPtrA,
                    .idx = csrColIndA,
                    .base = (int)descrA->base,
                    .bound = tol};
    if (device)
        return fill_there(__func__, handle, &f, &to);
    steps()->filter_fill(&f, &to);
    return st;
}

/* ---- Pruning: one record for its twelve calls --------------------------------------- */

typedef struct prune {
    const char *function;
    spblasHandle_t handle;
    spblasDataType_t type;
    int m, n;
    bool sparse;
    const void *A; /* dense */
    int lda, nnzA;
    const spblasMatDescr_t *descrA; /* sparse */
    const void *csrValA;
    const int *csrRowPtrA, *csrColIndA;
    bool by_rank;
    const void *threshold; /* by value */
    float percentage;      /* by rank */
    spblasLegacyInfo_t info;
    const spblasMatDescr_t *descrC;
    int *csrRowPtrC, *nnzTotal; /* Nnz */
    void *csrValC;              /* C */
    int *csrColIndC;
    void *buffer;
    size_t *bufferSize; /* the size */
} prune;

static int64_t
count_of(const prune *k)
{
    return k->sparse ? k->nnzA : (int64_t)k->m * k->n;
}

/* What all calls have in common. */
static spblasStatus_t
check(const prune *k)
{
    const spblasHandle_t handle = k->handle;
    const spblasDataType_t type = k->type;
    const int m = k->m, n = k->n, lda = k->lda, nnzA = k->nnzA;
    const spblasMatDescr_t *descrA = k->descrA, *descrC = k->descrC;
    const spblasLegacyInfo_t info = k->info;
    spblasStatus_t st = sb_legacy_check(
        handle, k->function,
        (const sb_arg[]){
            SB_ARG_HANDLE, SB_ARG_TYPE, SB_ARG_COUNT(m), SB_ARG_COUNT(n), {0}});

    if (st == SPBLAS_STATUS_SUCCESS)
        st = sb_legacy_check(
            handle, k->function,
            k->sparse ? (const sb_arg[]){SB_ARG_COUNT(nnzA), SB_ARG_DESCR(descrA), {0}}
                      : (const sb_arg[]){SB_ARG_MIN(lda, m > 1 ? m : 1), {0}});
    if (st == SPBLAS_STATUS_SUCCESS && k->by_rank)
        st = sb_legacy_check(handle, k->function, (const sb_arg[]){SB_ARG_INFO, {0}});
    if (st == SPBLAS_STATUS_SUCCESS)
        st = sb_legacy_check(handle, k->function,
                             (const sb_arg[]){SB_ARG_DESCR(descrC), {0}});
    if (st == SPBLAS_STATUS_SUCCESS && k->by_rank &&
        !(k->percentage >= 0 && k->percentage <= 100))
        st = sb_api_fail(k->function, SB_EINVAL,
                         "argument percentage must be in 0 .. 100");
    return st;
}

/* The operands of the two calls that compute. */
static spblasStatus_t
check_operands(bool *device, const prune *k)
{
    const spblasHandle_t handle = k->handle;
    const void *A = k->A, *csrValA = k->csrValA, *threshold = k->threshold;
    const int *csrRowPtrA = k->csrRowPtrA, *csrColIndA = k->csrColIndA;
    const int *csrRowPtrC = k->csrRowPtrC;
    void *buffer = k->buffer;
    const int64_t dense = k->sparse ? 0 : count_of(k), sparse = k->sparse ? k->nnzA : 0;
    const sb_arg args[] = {SB_ARG_ARRAY(A, dense),
                           SB_ARG_ARRAY(csrValA, sparse),
                           SB_ARG_ARRAY(csrRowPtrA, k->sparse ? k->m : 0),
                           SB_ARG_ARRAY(csrColIndA, sparse),
                           k->by_rank ? (sb_arg)SB_ARG_BUFFER(1)
                                      : (sb_arg)SB_ARG_SCALAR(threshold),
                           SB_ARG_THERE(csrRowPtrC),
                           {0}};
    const spblasStatus_t st = check(k);

    *device = false;
    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    return sb_legacy_check_place(device, handle, k->function, args);
}

/* Its bound is the threshold, from wherever that lies. */
static sb_status
filter_of(sb_filter *f, const prune *k, sb_diag *diag)
{
    const sb_dtype t = sb_public_dtype(k->type);
    sb_param bound;
    sb_value v;

    *f = (sb_filter){
        .type = t, .m = k->m, .n = k->n, .val = k->A, .row = 1, .col = k->lda};
    if (k->sparse) {
        f->val = k->csrValA;
        f->ptr = k->csrRowPtrA;
        f->idx = k->csrColIndA;
        f->base = (int)k->descrA->base;
    }
    if (k->by_rank)
        return SB_OK;
    SB_TRY(sb_legacy_read(&bound, k->handle, k->threshold, sb_dtype_size(t), diag));
    v = sb_value_load(t, &bound, 0);
    f->bound = sb_dtype_is_complex(t) ? hypot(v.re, v.im) : v.re;
    return SB_OK;
}

/* The bound that the percentage means, to f and to info; 0 where there is nothing. */
static sb_status
rank(const prune *k, sb_filter *f, bool device, sb_diag *diag)
{
    const sb_native on = {k->handle->device, k->handle->stream, diag, false};
    const int64_t count = count_of(k);
    int64_t at = (int64_t)ceil((double)count * ((double)k->percentage / 100.0)) - 1;

    at = at < count - 1 ? at : count - 1;
    at = at > 0 ? at : 0;
    if (count > 0 && device)
        SB_TRY(sb_native_filter_rank(&on, f, count, at, k->buffer, &f->bound));
    else if (count > 0)
        f->bound = steps()->filter_rank(f, count, at, k->buffer);
    k->info->bound = f->bound;
    k->info->ranked = true;
    return SB_OK;
}

static sb_target_rows
target_of(const prune *k)
{
    /* descrC may be NULL until it is checked */
    return (sb_target_rows){k->csrRowPtrC, k->csrColIndC, k->csrValC,
                            k->descrC ? (int)k->descrC->base : 0};
}

static spblasStatus_t
prune_count_there(const prune *k, sb_filter *f)
{
    const sb_target_rows to = target_of(k);
    sb_diag diag = {0};
    sb_status st = sb_place_buffer(k->handle, k->buffer, "buffer", &diag);

    if (st == SB_OK && k->by_rank)
        st = rank(k, f, true, &diag);
    return st == SB_OK ? count_there(k->function, k->handle, f, k->buffer, NULL, &to,
                                     k->nnzTotal)
                       : sb_api_end(k->handle, k->function, st, &diag);
}

/* The scratch of either side, wherever the arrays come to lie. */
static size_t
bytes_of(const prune *k)
{
    const bool there = k->handle->device != NULL;
    const size_t counts = there ? sb_native_filter_bytes(k->m) : 0;
    const size_t host = k->by_rank ? steps()->filter_scratch() : 0;
    const size_t ranks = k->by_rank && there ? sb_native_rank_bytes() : 0;
    const size_t most = host > ranks ? host : ranks;

    return counts > most ? counts : most;
}

static spblasStatus_t
prune_size(const prune *k)
{
    const spblasHandle_t handle = k->handle;
    size_t *bufferSize = k->bufferSize;
    spblasStatus_t st = check(k);

    if (st == SPBLAS_STATUS_SUCCESS)
        st = sb_legacy_check(handle, k->function,
                             (const sb_arg[]){SB_ARG_THERE(bufferSize), {0}});
    if (st == SPBLAS_STATUS_SUCCESS)
        *bufferSize = bytes_of(k);
    return st;
}

static spblasStatus_t
prune_count(const prune *k)
{
    const spblasHandle_t handle = k->handle;
    const int *nnzTotal = k->nnzTotal;
    sb_diag diag = {0};
    bool device;
    spblasStatus_t st = check_operands(&device, k);
    int64_t total = 0;
    sb_filter f;
    sb_status done;

    if (st == SPBLAS_STATUS_SUCCESS && !(device && nnzTotal)) /* else on either side */
        st = sb_legacy_check(handle, k->function,
                             (const sb_arg[]){SB_ARG_SCALAR(nnzTotal), {0}});
    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    done = filter_of(&f, k, &diag);
    if (done != SB_OK)
        return sb_api_end(handle, k->function, done, &diag);
    if (device)
        return prune_count_there(k, &f);
    if (k->by_rank)
        (void)rank(k, &f, false, NULL);
    steps()->filter_count(&f, k->csrRowPtrC + 1);
    done = steps()->add_up(k->csrRowPtrC, k->m, (int)k->descrC->base, &total);
    if (done == SB_OK)
        *k->nnzTotal = (int)total;
    return sb_api_end(handle, k->function, done, NULL);
}

static spblasStatus_t
prune_fill(const prune *k)
{
    const sb_target_rows to = target_of(k);
    sb_diag diag = {0};
    bool device;
    const spblasStatus_t st = check_operands(&device, k);
    sb_filter f;
    sb_status done;

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    if (k->by_rank && !k->info->ranked)
        return sb_api_fail(k->function, SB_EINVAL,
                           "argument info has not been through Nnz");
    if (!device && k->m > 0 && k->csrRowPtrC[k->m] > k->csrRowPtrC[0] &&
        (!k->csrValC || !k->csrColIndC))
        return sb_api_fail(k->function, SB_EINVAL,
                           "arguments csrValC and csrColIndC must not be NULL");
    done = filter_of(&f, k, &diag);
    if (done != SB_OK)
        return sb_api_end(k->handle, k->function, done, &diag);
    if (k->by_rank)
        f.bound = k->info->bound;
    if (device)
        return fill_there(k->function, k->handle, &f, &to);
    steps()->filter_fill(&f, &to);
    return st;
}

#define DENSE                                                                     \
    .function = __func__, .handle = handle, .type = type, .m = m, .n = n, .A = A, \
    .lda = lda, .descrC = descrC
#define SPARSE                                                            \
    .function = __func__, .handle = handle, .type = type, .m = m, .n = n, \
    .sparse = true, .nnzA = nnzA, .descrA = descrA, .csrValA = csrValA,   \
    .csrRowPtrA = csrRowPtrA, .csrColIndA = csrColIndA, .descrC = descrC
#define BY_RANK .by_rank = true, .percentage = percentage, .info = info
#define OUTPUT                                                      \
    .csrValC = csrValC, .csrRowPtrC = (int *)(uintptr_t)csrRowPtrC, \
    .csrColIndC = csrColIndC, .buffer = buffer
#define NUMBERS .csrRowPtrC = csrRowPtrC, .nnzTotal = nnzTotal, .buffer = buffer

spblasStatus_t
spblasXpruneDense2csr_bufferSizeExt(spblasHandle_t handle, spblasDataType_t type, int m,
                                    int n, const void *A, int lda,
                                    const void *threshold,
                                    const spblasMatDescr_t *descrC, const void *csrValC,
                                    const int *csrRowPtrC, const int *csrColIndC,
                                    size_t *bufferSize)
{
    (void)csrValC, (void)csrRowPtrC, (void)csrColIndC;
    return prune_size(
        &(prune){DENSE, .threshold = threshold, .bufferSize = bufferSize});
}

spblasStatus_t
spblasXpruneDense2csrNnz(spblasHandle_t handle, spblasDataType_t type, int m, int n,
                         const void *A, int lda, const void *threshold,
                         const spblasMatDescr_t *descrC, int *csrRowPtrC, int *nnzTotal,
                         void *buffer)
{
    return prune_count(&(prune){DENSE, .threshold = threshold, NUMBERS});
}

spblasStatus_t
spblasXpruneDense2csr(spblasHandle_t handle, spblasDataType_t type, int m, int n,
                      const void *A, int lda, const void *threshold,
                      const spblasMatDescr_t *descrC, void *csrValC,
                      const int *csrRowPtrC, int *csrColIndC, void *buffer)
{
    return prune_fill(&(prune){DENSE, .threshold = threshold, OUTPUT});
}

spblasStatus_t
spblasXpruneCsr2csr_bufferSizeExt(spblasHandle_t handle, spblasDataType_t type, int m,
                                  int n, int nnzA, const spblasMatDescr_t *descrA,
                                  const void *csrValA, const int *csrRowPtrA,
                                  const int *csrColIndA, const void *threshold,
                                  const spblasMatDescr_t *descrC, const void *csrValC,
                                  const int *csrRowPtrC, const int *csrColIndC,
                                  size_t *bufferSize)
{
    (void)csrValC, (void)csrRowPtrC, (void)csrColIndC;
    return prune_size(
        &(prune){SPARSE, .threshold = threshold, .bufferSize = bufferSize});
}

spblasStatus_t
spblasXpruneCsr2csrNnz(spblasHandle_t handle, spblasDataType_t type, int m, int n,
                       int nnzA, const spblasMatDescr_t *descrA, const void *csrValA,
                       const int *csrRowPtrA, const int *csrColIndA,
                       const void *threshold, const spblasMatDescr_t *descrC,
                       int *csrRowPtrC, int *nnzTotal, void *buffer)
{
    return prune_count(&(prune){SPARSE, .threshold = threshold, NUMBERS});
}

spblasStatus_t
spblasXpruneCsr2csr(spblasHandle_t handle, spblasDataType_t type, int m, int n,
                    int nnzA, const spblasMatDescr_t *descrA, const void *csrValA,
                    const int *csrRowPtrA, const int *csrColIndA, const void *threshold,
                    const spblasMatDescr_t *descrC, void *csrValC,
                    const int *csrRowPtrC, int *csrColIndC, void *buffer)
{
    return prune_fill(&(prune){SPARSE, .threshold = threshold, OUTPUT});
}

spblasStatus_t
spblasXpruneDense2csrByPercentage_bufferSizeExt(
    spblasHandle_t handle, spblasDataType_t type, int m, int n, const void *A, int lda,
    float percentage, const spblasMatDescr_t *descrC, const void *csrValC,
    const int *csrRowPtrC, const int *csrColIndC, spblasLegacyInfo_t info,
    size_t *bufferSize)
{
    (void)csrValC, (void)csrRowPtrC, (void)csrColIndC;
    return prune_size(&(prune){DENSE, BY_RANK, .bufferSize = bufferSize});
}

spblasStatus_t
spblasXpruneDense2csrNnzByPercentage(spblasHandle_t handle, spblasDataType_t type,
                                     int m, int n, const void *A, int lda,
                                     float percentage, const spblasMatDescr_t *descrC,
                                     int *csrRowPtrC, int *nnzTotal,
                                     spblasLegacyInfo_t info, void *buffer)
{
    return prune_count(&(prune){DENSE, BY_RANK, NUMBERS});
}

spblasStatus_t
spblasXpruneDense2csrByPercentage(spblasHandle_t handle, spblasDataType_t type, int m,
                                  int n, const void *A, int lda, float percentage,
                                  const spblasMatDescr_t *descrC, void *csrValC,
                                  const int *csrRowPtrC, int *csrColIndC,
                                  spblasLegacyInfo_t info, void *buffer)
{
    return prune_fill(&(prune){DENSE, BY_RANK, OUTPUT});
}

spblasStatus_t
spblasXpruneCsr2csrByPercentage_bufferSizeExt(
    spblasHandle_t handle, spblasDataType_t type, int m, int n, int nnzA,
    const spblasMatDescr_t *descrA, const void *csrValA, const int *csrRowPtrA,
    const int *csrColIndA, float percentage, const spblasMatDescr_t *descrC,
    const void *csrValC, const int *csrRowPtrC, const int *csrColIndC,
    spblasLegacyInfo_t info, size_t *bufferSize)
{
    (void)csrValC, (void)csrRowPtrC, (void)csrColIndC;
    return prune_size(&(prune){SPARSE, BY_RANK, .bufferSize = bufferSize});
}

spblasStatus_t
spblasXpruneCsr2csrNnzByPercentage(spblasHandle_t handle, spblasDataType_t type, int m,
                                   int n, int nnzA, const spblasMatDescr_t *descrA,
                                   const void *csrValA, const int *csrRowPtrA,
                                   const int *csrColIndA, float percentage,
                                   const spblasMatDescr_t *descrC, int *csrRowPtrC,
                                   int *nnzTotal, spblasLegacyInfo_t info, void *buffer)
{
    return prune_count(&(prune){SPARSE, BY_RANK, NUMBERS});
}

spblasStatus_t
spblasXpruneCsr2csrByPercentage(spblasHandle_t handle, spblasDataType_t type, int m,
                                int n, int nnzA, const spblasMatDescr_t *descrA,
                                const void *csrValA, const int *csrRowPtrA,
                                const int *csrColIndA, float percentage,
                                const spblasMatDescr_t *descrC, void *csrValC,
                                const int *csrRowPtrC, int *csrColIndC,
                                spblasLegacyInfo_t info, void *buffer)
{
    return prune_fill(&(prune){SPARSE, BY_RANK, OUTPUT});
}
