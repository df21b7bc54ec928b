/* Device, managed, pinned and registered memory: all of it the host's, known by range. */
#include "internal.h"

#include <string.h>

enum { PITCH = 512 };

static hc_table memory;
static size_t used; /* bytes of device and managed memory */

bool
hc_memory_fits(const void *ptr, size_t size)
{
    const hc_range *range;
    bool fits = true;

    hc_lock();
    range = hc_table_find(&memory, ptr);
    if (range)
        fits = size <= range->size - ((uintptr_t)ptr - range->lo);
    hc_unlock();
    return fits;
}

size_t
hc_memory_used(void)
{
    size_t bytes;

    hc_lock();
    bytes = used;
    hc_unlock();
    return bytes;
}

void
hc_memory_reset(void)
{
    hc_lock();
    for (size_t i = 0; i < memory.n; i++) {
        if (memory.at[i].kind != HC_REGISTERED)
            hc_release((void *)memory.at[i].lo);
    }
    memory.n = 0;
    used = 0;
    hc_unlock();
}

static bool
counts(hc_kind kind)
{
    return kind == HC_DEVICE || kind == HC_MANAGED;
}

/* Memory of one kind; size 0 gives NULL, as CUDA does. */
static cudaError_t
allocate(void **out, size_t size, hc_kind kind, unsigned flags)
{
    const size_t total = hc_machine_get()->memory;
    void *ptr;
    cudaError_t st;

    if (!out)
        return cudaErrorInvalidValue;
    *out = NULL;
    st = hc_refuse_unsafe();
    if (st || size == 0)
        return st;
    if (size > total || hc_memory_used() > total - size)
        return cudaErrorMemoryAllocation;
    ptr = hc_alloc_aligned(size);
    if (!ptr)
        return cudaErrorMemoryAllocation;
    hc_lock();
    st = hc_table_add(&memory, (hc_range){(uintptr_t)ptr, size, kind, flags});
    if (!st && counts(kind))
        used += size;
    hc_unlock();
    if (st) {
        hc_release(ptr);
        return cudaErrorMemoryAllocation;
    }
    *out = ptr;
    return cudaSuccess;
}

/* Frees memory whose kind is in the mask. */
static cudaError_t
free_kinds(void *ptr, unsigned kinds)
{
    hc_range *range;
    cudaError_t st;

    if (!ptr)
        return cudaSuccess;
    st = hc_refuse_unsafe();
    if (st)
        return st;
    hc_lock();
    range = hc_table_find(&memory, ptr);
    if (!range || range->lo != (uintptr_t)ptr || !(kinds >> range->kind & 1)) {
        hc_unlock();
        return cudaErrorInvalidValue;
    }
    if (counts(range->kind))
        used -= range->size;
    hc_table_remove(&memory, range);
    hc_unlock();
    hc_release(ptr);
    return cudaSuccess;
}

cudaError_t
cudaMalloc(void **ptr, size_t size)
{
    return hc_result(allocate(ptr, size, HC_DEVICE, 0));
}

cudaError_t
cudaMallocManaged(void **ptr, size_t size, unsigned flags)
{
    if (size == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
        return hc_result(cudaErrorInvalidValue);
    return hc_result(allocate(ptr, size, HC_MANAGED, flags));
}

cudaError_t
cudaHostAlloc(void **ptr, size_t size, unsigned flags)
{
    if (flags & ~(unsigned)cudaHostAllocMask)
        return hc_result(cudaErrorInvalidValue);
    return hc_result(allocate(ptr, size, HC_HOST, flags));
}

cudaError_t
cudaMallocHost(void **ptr, size_t size)
{
    return cudaHostAlloc(ptr, size, 0);
}

/* Rows of `width` bytes on a pitch: both sizes, or an error. */
static cudaError_t
pitched_size(size_t *pitch, size_t *size, size_t width, size_t height, size_t depth)
{
    size_t rows;

    if (width > PTRDIFF_MAX - PITCH)
        return cudaErrorMemoryAllocation;
    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    if (__builtin_mul_overflow(height, depth, &rows) ||
        __builtin_mul_overflow(*pitch, rows, size))
        return cudaErrorMemoryAllocation;
    return cudaSuccess;
}

cudaError_t
cudaMallocPitch(void **ptr, size_t *pitch, size_t width, size_t height)
{
    size_t size;
    cudaError_t st;

    if (!ptr || !pitch)
        return hc_result(cudaErrorInvalidValue);
    st = pitched_size(pitch, &size, width, height, 1);
    return hc_result(st ? st : allocate(ptr, size, HC_DEVICE, 0));
}

cudaError_t
cudaMalloc3D(struct cudaPitchedPtr *pitched, struct cudaExtent extent)
{
    struct cudaPitchedPtr made = {.xsize = extent.width, .ysize = extent.height};
    size_t size;
    cudaError_t st;

    if (!pitched)
        return hc_result(cudaErrorInvalidValue);
    st = pitched_size(&made.pitch, &size, extent.width, extent.height, extent.depth);
    if (!st)
        st = allocate(&made.ptr, size, HC_DEVICE, 0);
    if (!st)
        *pitched = made;
    return hc_result(st);
}

/* In the order of a stream: as nothing is pending, at once; a graph's own memory is not
 * modelled, so a capturing stream refuses. */
static cudaError_t
refuse_on(cudaStream_t stream)
{
    cudaError_t st = cudaSuccess;

    hc_lock();
    if (!hc_stream_ok(stream))
        st = cudaErrorInvalidResourceHandle;
    else if (hc_stream_capture(stream))
        st = hc_capture_break(hc_stream_capture(stream),
                              cudaErrorStreamCaptureUnsupported);
    hc_unlock();
    return st;
}

cudaError_t
cudaMallocAsync(void **ptr, size_t size, cudaStream_t stream)
{
    const cudaError_t st = refuse_on(stream);

    return hc_result(st ? st : allocate(ptr, size, HC_DEVICE, 0));
}
HC_PER_THREAD(cudaMallocAsync, _ptsz);

cudaError_t
cudaFreeAsync(void *ptr, cudaStream_t stream)
{
    const cudaError_t st = refuse_on(stream);

    if (!ptr && !st)
        return hc_result(cudaErrorInvalidValue);
    return hc_result(st ? st : free_kinds(ptr, 1u << HC_DEVICE));
}
HC_PER_THREAD(cudaFreeAsync, _ptsz);

cudaError_t
cudaFree(void *ptr)
{
    return hc_result(free_kinds(ptr, 1u << HC_DEVICE | 1u << HC_MANAGED));
}

cudaError_t
cudaFreeHost(void *ptr)
{
    return hc_result(free_kinds(ptr, 1u << HC_HOST));
}

cudaError_t
cudaHostRegister(void *ptr, size_t size, unsigned flags)
{
    cudaError_t st;

    if (!ptr || size == 0 || flags & ~(unsigned)cudaHostRegisterMask ||
        size > PTRDIFF_MAX)
        return hc_result(cudaErrorInvalidValue);
    hc_lock();
    st = hc_table_add(&memory, (hc_range){(uintptr_t)ptr, size, HC_REGISTERED, flags});
    hc_unlock();
    return hc_result(st);
}

cudaError_t
cudaHostUnregister(void *ptr)
{
    hc_range *range;
    cudaError_t st = cudaErrorHostMemoryNotRegistered;

    if (!ptr)
        return hc_result(cudaErrorInvalidValue);
    hc_lock();
    range = hc_table_find(&memory, ptr);
    if (range && range->lo == (uintptr_t)ptr && range->kind == HC_REGISTERED) {
        hc_table_remove(&memory, range);
        st = cudaSuccess;
    }
    hc_unlock();
    return hc_result(st);
}

/* A copy of the range that holds ptr; kind of the result only valid when true. */
static bool
lookup(hc_range *out, const void *ptr)
{
    const hc_range *range;

    hc_lock();
    range = hc_table_find(&memory, ptr);
    if (range)
        *out = *range;
    hc_unlock();
    return range != NULL;
}

cudaError_t
cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    hc_range range;

    if (!device || flags || !lookup(&range, host) ||
        (range.kind != HC_HOST && range.kind != HC_REGISTERED))
        return hc_result(cudaErrorInvalidValue);
    *device = host;
    return cudaSuccess;
}

cudaError_t
cudaHostGetFlags(unsigned *flags, void *host)
{
    hc_range range;

    if (!flags || !lookup(&range, host) || range.kind != HC_HOST)
        return hc_result(cudaErrorInvalidValue);
    *flags = range.flags;
    return cudaSuccess;
}

cudaError_t
cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *ptr)
{
    static const enum cudaMemoryType types[] = {
        [HC_DEVICE] = cudaMemoryTypeDevice,
        [HC_MANAGED] = cudaMemoryTypeManaged,
        [HC_HOST] = cudaMemoryTypeHost,
        [HC_REGISTERED] = cudaMemoryTypeHost,
    };
    hc_range range;
    bool known;

    if (!out)
        return hc_result(cudaErrorInvalidValue);
    known = lookup(&range, ptr);
    memset(out, 0, sizeof *out);
    out->type = known ? types[range.kind] : cudaMemoryTypeUnregistered;
    out->device = known ? 0 : -2; /* cudaInvalidDeviceId */
    if (known)
        out->devicePointer = (void *)(uintptr_t)ptr;
    if (!known || range.kind != HC_DEVICE)
        out->hostPointer = (void *)(uintptr_t)ptr;
    return cudaSuccess;
}

/* Where memory should lie: it is where it is, so a checked no-op. */
static cudaError_t
place(const void *ptr, size_t size)
{
    hc_range range;

    if (!ptr || size == 0 || !lookup(&range, ptr) || range.kind != HC_MANAGED ||
        !hc_memory_fits(ptr, size))
        return hc_result(cudaErrorInvalidValue);
    return cudaSuccess;
}

static bool
place_ok(struct cudaMemLocation where)
{
    return where.type == 1 ? where.id == 0 : where.type >= 2 && where.type <= 4;
}

static cudaError_t
prefetch(const void *ptr, size_t size, bool known_place, cudaStream_t stream)
{
    const cudaError_t st = refuse_on(stream);

    if (st || !known_place)
        return hc_result(st ? st : cudaErrorInvalidDevice);
    return place(ptr, size);
}

static cudaError_t
advise(const void *ptr, size_t size, enum cudaMemoryAdvise advice)
{
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy)
        return hc_result(cudaErrorInvalidValue);
    return place(ptr, size);
}

#if HC_CUDA >= 13
cudaError_t
cudaMemPrefetchAsync(const void *ptr, size_t size, struct cudaMemLocation to,
                     unsigned flags, cudaStream_t stream)
{
    (void)flags;
    return prefetch(ptr, size, place_ok(to), stream);
}

cudaError_t
cudaMemAdvise(const void *ptr, size_t size, enum cudaMemoryAdvise advice,
              struct cudaMemLocation where)
{
    (void)where;
    return advise(ptr, size, advice);
}
#else
cudaError_t
cudaMemPrefetchAsync(const void *ptr, size_t size, int device, cudaStream_t stream)
{
    return prefetch(ptr, size, device == -1 || hc_device_ok(device), stream);
}

cudaError_t
cudaMemPrefetchAsync_v2(const void *ptr, size_t size, struct cudaMemLocation to,
                        unsigned flags, cudaStream_t stream)
{
    (void)flags;
    return prefetch(ptr, size, place_ok(to), stream);
}
HC_PER_THREAD(cudaMemPrefetchAsync_v2, _ptsz);

cudaError_t
cudaMemAdvise(const void *ptr, size_t size, enum cudaMemoryAdvise advice, int device)
{
    (void)device;
    return advise(ptr, size, advice);
}

cudaError_t
cudaMemAdvise_v2(const void *ptr, size_t size, enum cudaMemoryAdvise advice,
                 struct cudaMemLocation where)
{
    (void)where;
    return advise(ptr, size, advice);
}
#endif
HC_PER_THREAD(cudaMemPrefetchAsync, _ptsz);
