/* The device's one memory pool: cudaMallocAsync is cudaMalloc, so it pools nothing. */
#include "internal.h"

#include <string.h>

static struct CUmemPoolHandle_st {
    int reuse[4]; /* by attribute; [0] is unused */
    uint64_t threshold;
} pool = {{0, 1, 1, 1}, 0};

static cudaError_t
get(cudaMemPool_t *out, int device)
{
    if (!out)
        return hc_result(cudaErrorInvalidValue);
    if (!hc_device_ok(device))
        return hc_result(cudaErrorInvalidDevice);
    *out = &pool;
    return cudaSuccess;
}

cudaError_t
cudaDeviceGetDefaultMemPool(cudaMemPool_t *out, int device)
{
    return get(out, device);
}

cudaError_t
cudaDeviceGetMemPool(cudaMemPool_t *out, int device)
{
    return get(out, device);
}

cudaError_t
cudaDeviceSetMemPool(int device, cudaMemPool_t which)
{
    if (!hc_device_ok(device))
        return hc_result(cudaErrorInvalidDevice);
    return hc_result(which == &pool ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t
cudaMemPoolGetAttribute(cudaMemPool_t which, enum cudaMemPoolAttr attr, void *value)
{
    const uint64_t used = hc_memory_used();

    if (which != &pool || !value || attr < cudaMemPoolReuseFollowEventDependencies ||
        attr > cudaMemPoolAttrUsedMemHigh)
        return hc_result(cudaErrorInvalidValue);
    hc_lock();
    if (attr < cudaMemPoolAttrReleaseThreshold)
        memcpy(value, &pool.reuse[attr], sizeof(int));
    else if (attr == cudaMemPoolAttrReleaseThreshold)
        memcpy(value, &pool.threshold, sizeof pool.threshold);
    else
        memcpy(value, &used, sizeof used);
    hc_unlock();
    return cudaSuccess;
}

/* Kept for the getter. The high marks follow what is in use, so only 0 makes sense. */
cudaError_t
cudaMemPoolSetAttribute(cudaMemPool_t which, enum cudaMemPoolAttr attr, void *value)
{
    cudaError_t st = cudaSuccess;
    uint64_t mark;

    if (which != &pool || !value)
        return hc_result(cudaErrorInvalidValue);
    hc_lock();
    if (attr >= cudaMemPoolReuseFollowEventDependencies &&
        attr < cudaMemPoolAttrReleaseThreshold) {
        memcpy(&pool.reuse[attr], value, sizeof(int));
    } else if (attr == cudaMemPoolAttrReleaseThreshold) {
        memcpy(&pool.threshold, value, sizeof pool.threshold);
    } else if (attr == cudaMemPoolAttrReservedMemHigh ||
               attr == cudaMemPoolAttrUsedMemHigh) {
        memcpy(&mark, value, sizeof mark);
        st = mark ? cudaErrorInvalidValue : cudaSuccess;
    } else {
        st = cudaErrorInvalidValue;
    }
    hc_unlock();
    return hc_result(st);
}

cudaError_t
cudaMemPoolTrimTo(cudaMemPool_t which, size_t keep)
{
    (void)keep;
    return hc_result(which == &pool ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t
cudaMallocFromPoolAsync(void **ptr, size_t size, cudaMemPool_t which,
                        cudaStream_t stream)
{
    return which == &pool ? cudaMallocAsync(ptr, size, stream)
                          : hc_result(cudaErrorInvalidValue);
}
HC_PER_THREAD(cudaMallocFromPoolAsync, _ptsz);
