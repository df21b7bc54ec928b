/*
 * Tridiagonal and pentadiagonal systems: ten calls about one kind of band.
 */
#include "api/error.h"
#include "api/legacy.h"
#include "api/types.h"

/* A call: its size, or its solution. */
typedef struct call {
    const char *function;
    spblasHandle_t handle;
    spblasDataType_t type;
    int m, width;
    int n, ldb;                  /* gtsv2 */
    int batchCount, batchStride; /* batches */
    bool batched, interleaved;
    int algo, last; /* and the largest there is */
    const void *ds, *dl, *d, *du, *dw;
    void *x;
    void *buffer;
    size_t *bufferSize; /* NULL: the solution is wanted */
    bool asks;
} call;

static spblasStatus_t
check(const call *k)
{
    const spblasHandle_t handle = k->handle;
    const spblasDataType_t type = k->type;
    const int m = k->m, n = k->n, ldb = k->ldb, algo = k->algo;
    const int batchCount = k->batchCount, batchStride = k->batchStride;
    const sb_arg batch[] = {
        SB_ARG_COUNT(batchCount), SB_ARG_MIN(batchStride, k->interleaved ? 0 : m), {0}};
    const sb_arg sides[] = {SB_ARG_COUNT(n), SB_ARG_MIN(ldb, m > 1 ? m : 1), {0}};
    const spblasStatus_t st =
        sb_legacy_check(handle, k->function,
                        (const sb_arg[]){SB_ARG_HANDLE,
                                         SB_ARG_WIDE,
                                         SB_ARG_ENUM(algo, k->last),
                                         SB_ARG_COUNT(m),
                                         {0}});

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    return sb_legacy_check(handle, k->function, k->batched ? batch : sides);
}

static sb_band
band_of(const call *k)
{
    sb_band b = {.type = sb_public_dtype(k->type),
                 .m = k->m,
                 .systems = k->batched ? k->batchCount : 1,
                 .sides = k->batched ? 1 : k->n,
                 .width = k->width,
                 .diag = {k->dl, k->d, k->du},
                 .x = k->x,
                 .step = k->interleaved ? k->batchCount : 1,
                 .shift = k->interleaved ? 1 : k->batchStride,
                 .column = k->ldb,
                 .scratch = k->buffer};

    if (k->width == 2) {
        b.diag[0] = k->ds;
        b.diag[1] = k->dl;
        b.diag[2] = k->d;
        b.diag[3] = k->du;
        b.diag[4] = k->dw;
    }
    return b;
}

/* Scratch of either side, wherever the arrays come to lie. */
static bool
scratch_of(const call *k, const sb_band *b, size_t *bytes)
{
    size_t there = 0;

    if (!sb_backend_get()->legacy->band_scratch(b, bytes) ||
        (k->handle->device && !sb_native_band_scratch(b, &there)))
        return false;
    *bytes = there > *bytes ? there : *bytes;
    return true;
}

static spblasStatus_t
solve(const call *k, const sb_band *b, size_t bytes)
{
    const spblasHandle_t handle = k->handle;
    const void *ds = k->ds, *dl = k->dl, *d = k->d, *du = k->du, *dw = k->dw, *x = k->x;
    void *buffer = k->buffer;
    const int64_t there = b->m > 0 && b->systems > 0 ? b->sides : 0;
    const int64_t five = k->width == 2 ? there : 0;
    sb_diag diag = {0};
    bool device;
    const spblasStatus_t st =
        sb_legacy_check_place(&device, handle, k->function,
                              (const sb_arg[]){SB_ARG_ARRAY(ds, five),
                                               SB_ARG_ARRAY(dl, there),
                                               SB_ARG_ARRAY(d, there),
                                               SB_ARG_ARRAY(du, there),
                                               SB_ARG_ARRAY(dw, five),
                                               SB_ARG_ARRAY(x, there),
                                               SB_ARG_BUFFER(there > 0 ? bytes : 0),
                                               {0}});

    if (st != SPBLAS_STATUS_SUCCESS || there == 0)
        return st;
    if (device) {
        const sb_native on = {handle->device, handle->stream, &diag, false};

        return sb_api_end(handle, k->function, sb_native_band(&on, b), &diag);
    }
    sb_backend_get()->legacy->band(b);
    return st;
}

static spblasStatus_t
run(const call *k)
{
    const spblasHandle_t handle = k->handle;
    size_t *bufferSize = k->bufferSize, bytes;
    const sb_band b = band_of(k);
    spblasStatus_t st = check(k);

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    if (!scratch_of(k, &b, &bytes))
        return sb_api_end(handle, k->function, SB_ERESOURCES, NULL);
    if (!k->asks)
        return solve(k, &b, bytes);
    st = sb_legacy_check(handle, k->function,
                         (const sb_arg[]){SB_ARG_THERE(bufferSize), {0}});
    if (st == SPBLAS_STATUS_SUCCESS)
        *bufferSize = bytes;
    return st;
}

#define COMMON .function = __func__, .handle = handle, .type = type, .m = m
#define THREE .width = 1, .dl = dl, .d = d, .du = du
#define FIVE .width = 2, .ds = ds, .dl = dl, .d = d, .du = du, .dw = dw
#define SIDES .n = n, .ldb = ldb, .x = (void *)(uintptr_t)B
#define BATCH .batched = true, .batchCount = batchCount, .x = (void *)(uintptr_t)x
#define STRIDED BATCH, .batchStride = batchStride
#define INTERLEAVED BATCH, .interleaved = true, .algo = algo
#define SIZE .asks = true, .bufferSize = bufferSize
#define SOLVE .buffer = buffer

spblasStatus_t
spblasXgtsv2_bufferSizeExt(spblasHandle_t handle, spblasDataType_t type, int m, int n,
                           const void *dl, const void *d, const void *du, const void *B,
                           int ldb, size_t *bufferSize)
{
    return run(&(call){COMMON, THREE, SIDES, SIZE});
}

spblasStatus_t
spblasXgtsv2(spblasHandle_t handle, spblasDataType_t type, int m, int n, const void *dl,
             const void *d, const void *du, void *B, int ldb, void *buffer)
{
    return run(&(call){COMMON, THREE, SIDES, SOLVE});
}

spblasStatus_t
spblasXgtsv2_nopivot_bufferSizeExt(spblasHandle_t handle, spblasDataType_t type, int m,
                                   int n, const void *dl, const void *d, const void *du,
                                   const void *B, int ldb, size_t *bufferSize)
{
    return run(&(call){COMMON, THREE, SIDES, SIZE});
}

spblasStatus_t
spblasXgtsv2_nopivot(spblasHandle_t handle, spblasDataType_t type, int m, int n,
                     const void *dl, const void *d, const void *du, void *B, int ldb,
                     void *buffer)
{
    return run(&(call){COMMON, THREE, SIDES, SOLVE});
}

spblasStatus_t
spblasXgtsv2StridedBatch_bufferSizeExt(spblasHandle_t handle, spblasDataType_t type,
                                       int m, const void *dl, const void *d,
                                       const void *du, const void *x, int batchCount,
                                       int batchStride, size_t *bufferSize)
{
    return run(&(call){COMMON, THREE, STRIDED, SIZE});
}

spblasStatus_t
spblasXgtsv2StridedBatch(spblasHandle_t handle, spblasDataType_t type, int m,
                         const void *dl, const void *d, const void *du, void *x,
                         int batchCount, int batchStride, void *buffer)
{
    return run(&(call){COMMON, THREE, STRIDED, SOLVE});
}

spblasStatus_t
spblasXgtsvInterleavedBatch_bufferSizeExt(spblasHandle_t handle, spblasDataType_t type,
                                          int algo, int m, const void *dl,
                                          const void *d, const void *du, const void *x,
                                          int batchCount, size_t *bufferSize)
{
    return run(&(call){COMMON, THREE, INTERLEAVED, .last = 2, SIZE});
}

spblasStatus_t
spblasXgtsvInterleavedBatch(spblasHandle_t handle, spblasDataType_t type, int algo,
                            int m, void *dl, void *d, void *du, void *x, int batchCount,
                            void *buffer)
{
    return run(&(call){COMMON, THREE, INTERLEAVED, .last = 2, SOLVE});
}

spblasStatus_t
spblasXgpsvInterleavedBatch_bufferSizeExt(spblasHandle_t handle, spblasDataType_t type,
                                          int algo, int m, const void *ds,
                                          const void *dl, const void *d, const void *du,
                                          const void *dw, const void *x, int batchCount,
                                          size_t *bufferSize)
{
    return run(&(call){COMMON, FIVE, INTERLEAVED, SIZE});
}

spblasStatus_t
spblasXgpsvInterleavedBatch(spblasHandle_t handle, spblasDataType_t type, int algo,
                            int m, void *ds, void *dl, void *d, void *du, void *dw,
                            void *x, int batchCount, void *buffer)
{
    return run(&(call){COMMON, FIVE, INTERLEAVED, SOLVE});
}
