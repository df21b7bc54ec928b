/* Copies, fills and functions of the host's: one description, checked once, run now or
 * kept by a capture. */
#include "internal.h"

#include <string.h>

/* Bytes from the first to one past the last of a box; false: more than can exist. */
static bool
extent(size_t *out, size_t pitch, size_t slice, size_t width, size_t height,
       size_t depth)
{
    size_t planes;
    size_t rows;

    return !__builtin_mul_overflow(slice, depth - 1, &planes) &&
           !__builtin_mul_overflow(pitch, height - 1, &rows) &&
           !__builtin_add_overflow(planes, rows, out) &&
           !__builtin_add_overflow(*out, width, out) && *out <= PTRDIFF_MAX;
}

static cudaError_t
check_side(const void *ptr, size_t pitch, size_t slice, const hc_work *w)
{
    size_t size;

    if (!ptr)
        return cudaErrorInvalidValue;
    if ((w->height > 1 || w->depth > 1) && pitch < w->width)
        return cudaErrorInvalidPitchValue;
    if (!extent(&size, pitch, slice, w->width, w->height, w->depth))
        return cudaErrorInvalidValue;
    return hc_memory_fits(ptr, size) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t
hc_work_check(const hc_work *w)
{
    cudaError_t st;

    if (w->width == 0 || w->height == 0 || w->depth == 0)
        return cudaSuccess;
    if (w->type == cudaGraphNodeTypeMemset) {
        if (w->element != 1 && w->element != 2 && w->element != 4)
            return cudaErrorInvalidValue;
        return check_side(w->dst, w->dpitch, w->dslice, w);
    }
    if (w->type != cudaGraphNodeTypeMemcpy)
        return w->type == cudaGraphNodeTypeHost && !w->fn ? cudaErrorInvalidValue
                                                          : cudaSuccess;
    st = check_side(w->dst, w->dpitch, w->dslice, w);
    return st ? st : check_side(w->src, w->spitch, w->sslice, w);
}

static void
fill_row(char *row, size_t width, unsigned value, unsigned element)
{
    if (element == 1) {
        memset(row, (int)(value & 0xff), width);
        return;
    }
    /* Little-endian, as every machine that CUDA's host side runs on. */
    for (size_t i = 0; i + element <= width; i += element)
        memcpy(row + i, &value, element);
}

void
hc_work_run(const hc_work *w)
{
    if (w->type == cudaGraphNodeTypeHost)
        w->fn(w->data);
    if (w->type != cudaGraphNodeTypeMemcpy && w->type != cudaGraphNodeTypeMemset)
        return;
    for (size_t k = 0; w->width && k < w->depth; k++) {
        for (size_t j = 0; j < w->height; j++) {
            char *row = w->dst + k * w->dslice + j * w->dpitch;

            if (w->type == cudaGraphNodeTypeMemcpy)
                memmove(row, w->src + k * w->sslice + j * w->spitch, w->width);
            else
                fill_row(row, w->width, w->value, w->element);
        }
    }
}

cudaError_t
hc_submit(cudaStream_t stream, const hc_work *work)
{
    cudaError_t st = hc_work_check(work);
    bool keep = false;

    if (st)
        return st;
    hc_lock();
    if (!hc_stream_ok(stream)) {
        st = cudaErrorInvalidResourceHandle;
    } else if (hc_stream_capture(stream)) {
        keep = true;
        st = hc_capture_add(stream, work);
    }
    hc_unlock();
    if (!st && !keep)
        st = hc_refuse_legacy(stream);
    if (!st && !keep)
        hc_work_run(work);
    return st;
}
