/* cudaMemcpy* and cudaMemset*: each is one hc_work. */
#include "internal.h"

static cudaError_t
check_kind(enum cudaMemcpyKind kind)
{
    return (unsigned)kind > cudaMemcpyDefault ? cudaErrorInvalidMemcpyDirection
                                              : cudaSuccess;
}

/* The synchronous calls run on the legacy stream, and wait. */
static cudaError_t
run(const hc_work *work)
{
    const cudaError_t st = hc_refuse_synchronous();

    return hc_result(st ? st : hc_submit(cudaStreamLegacy, work));
}

static hc_work
copy_of(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
        size_t height)
{
    return (hc_work){.type = cudaGraphNodeTypeMemcpy,
                     .dst = dst,
                     .src = src,
                     .dpitch = dpitch,
                     .spitch = spitch,
                     .width = width,
                     .height = height,
                     .depth = 1};
}

static hc_work
fill_of(void *dst, size_t pitch, int value, size_t width, size_t height)
{
    return (hc_work){.type = cudaGraphNodeTypeMemset,
                     .dst = dst,
                     .dpitch = pitch,
                     .width = width,
                     .height = height,
                     .depth = 1,
                     .value = (unsigned)value,
                     .element = 1};
}

cudaError_t
cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
             size_t height, enum cudaMemcpyKind kind)
{
    const hc_work work = copy_of(dst, dpitch, src, spitch, width, height);

    return check_kind(kind) ? hc_result(check_kind(kind)) : run(&work);
}
HC_PER_THREAD(cudaMemcpy2D, _ptds);

cudaError_t
cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
                  size_t width, size_t height, enum cudaMemcpyKind kind,
                  cudaStream_t stream)
{
    const hc_work work = copy_of(dst, dpitch, src, spitch, width, height);

    return hc_result(check_kind(kind) ? check_kind(kind) : hc_submit(stream, &work));
}
HC_PER_THREAD(cudaMemcpy2DAsync, _ptsz);

cudaError_t
cudaMemcpy(void *dst, const void *src, size_t size, enum cudaMemcpyKind kind)
{
    return cudaMemcpy2D(dst, 0, src, 0, size, 1, kind);
}
HC_PER_THREAD(cudaMemcpy, _ptds);

cudaError_t
cudaMemcpyAsync(void *dst, const void *src, size_t size, enum cudaMemcpyKind kind,
                cudaStream_t stream)
{
    return cudaMemcpy2DAsync(dst, 0, src, 0, size, 1, kind, stream);
}
HC_PER_THREAD(cudaMemcpyAsync, _ptsz);

cudaError_t
cudaMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t size)
{
    if (!hc_device_ok(dstDevice) || !hc_device_ok(srcDevice))
        return hc_result(cudaErrorInvalidDevice);
    return cudaMemcpy(dst, src, size, cudaMemcpyDeviceToDevice);
}

cudaError_t
cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice,
                    size_t size, cudaStream_t stream)
{
    if (!hc_device_ok(dstDevice) || !hc_device_ok(srcDevice))
        return hc_result(cudaErrorInvalidDevice);
    return cudaMemcpyAsync(dst, src, size, cudaMemcpyDeviceToDevice, stream);
}

/* One side of a 3-D copy: where its box starts. */
static cudaError_t
corner(char **at, size_t *slice, struct cudaPitchedPtr side, struct cudaPos pos)
{
    size_t skip;
    size_t rows;

    if (__builtin_mul_overflow(side.pitch, side.ysize, slice) ||
        __builtin_mul_overflow(*slice, pos.z, &skip) ||
        __builtin_mul_overflow(side.pitch, pos.y, &rows) ||
        __builtin_add_overflow(skip, rows, &skip) ||
        __builtin_add_overflow(skip, pos.x, &skip) || skip > PTRDIFF_MAX)
        return cudaErrorInvalidValue;
    *at = side.ptr ? (char *)side.ptr + skip : NULL;
    return cudaSuccess;
}

cudaError_t
hc_work_from_parms(hc_work *work, const struct cudaMemcpy3DParms *p)
{
    char *src;
    cudaError_t st;

    if (!p)
        return cudaErrorInvalidValue;
    if (p->srcArray || p->dstArray)
        return cudaErrorNotSupported;
    *work = copy_of(NULL, p->dstPtr.pitch, NULL, p->srcPtr.pitch, p->extent.width,
                    p->extent.height);
    work->depth = p->extent.depth;
    st = check_kind(p->kind);
    if (!st)
        st = corner(&work->dst, &work->dslice, p->dstPtr, p->dstPos);
    if (!st)
        st = corner(&src, &work->sslice, p->srcPtr, p->srcPos);
    if (!st)
        work->src = src;
    return st;
}

cudaError_t
cudaMemcpy3D(const struct cudaMemcpy3DParms *parms)
{
    hc_work work;
    const cudaError_t st = hc_work_from_parms(&work, parms);

    return st ? hc_result(st) : run(&work);
}
HC_PER_THREAD(cudaMemcpy3D, _ptds);

cudaError_t
cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *parms, cudaStream_t stream)
{
    hc_work work;
    const cudaError_t st = hc_work_from_parms(&work, parms);

    return hc_result(st ? st : hc_submit(stream, &work));
}
HC_PER_THREAD(cudaMemcpy3DAsync, _ptsz);

cudaError_t
cudaMemset2D(void *dst, size_t pitch, int value, size_t width, size_t height)
{
    const hc_work work = fill_of(dst, pitch, value, width, height);

    return run(&work);
}
HC_PER_THREAD(cudaMemset2D, _ptds);

cudaError_t
cudaMemset2DAsync(void *dst, size_t pitch, int value, size_t width, size_t height,
                  cudaStream_t stream)
{
    const hc_work work = fill_of(dst, pitch, value, width, height);

    return hc_result(hc_submit(stream, &work));
}
HC_PER_THREAD(cudaMemset2DAsync, _ptsz);

cudaError_t
cudaMemset(void *dst, int value, size_t size)
{
    return cudaMemset2D(dst, 0, value, size, 1);
}
HC_PER_THREAD(cudaMemset, _ptds);

cudaError_t
cudaMemsetAsync(void *dst, int value, size_t size, cudaStream_t stream)
{
    return cudaMemset2DAsync(dst, 0, value, size, 1, stream);
}
HC_PER_THREAD(cudaMemsetAsync, _ptsz);

static cudaError_t
fill_box(hc_work *work, struct cudaPitchedPtr dst, int value, struct cudaExtent extent)
{
    *work = fill_of(dst.ptr, dst.pitch, value, extent.width, extent.height);
    work->depth = extent.depth;
    return __builtin_mul_overflow(dst.pitch, dst.ysize, &work->dslice)
               ? cudaErrorInvalidValue
               : cudaSuccess;
}

cudaError_t
cudaMemset3D(struct cudaPitchedPtr dst, int value, struct cudaExtent extent)
{
    hc_work work;
    const cudaError_t st = fill_box(&work, dst, value, extent);

    return st ? hc_result(st) : run(&work);
}
HC_PER_THREAD(cudaMemset3D, _ptds);

cudaError_t
cudaMemset3DAsync(struct cudaPitchedPtr dst, int value, struct cudaExtent extent,
                  cudaStream_t stream)
{
    hc_work work;
    const cudaError_t st = fill_box(&work, dst, value, extent);

    return hc_result(st ? st : hc_submit(stream, &work));
}
HC_PER_THREAD(cudaMemset3DAsync, _ptsz);
