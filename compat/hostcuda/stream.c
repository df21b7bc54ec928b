/* Streams and events. What a stream is given is done when the call returns, so a stream
 * is always idle, and an event is the time of its record. */
#include "internal.h"

enum { LEAST_PRIORITY = 0, GREATEST_PRIORITY = -5 };

bool
hc_stream_ok(cudaStream_t stream)
{
    return (uintptr_t)stream <= (uintptr_t)cudaStreamPerThread ||
           hc_object_is(stream, HC_STREAM);
}

hc_capture *
hc_stream_capture(cudaStream_t stream)
{
    return hc_object_is(stream, HC_STREAM) ? stream->capture : NULL;
}

cudaError_t
cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least)
        *least = LEAST_PRIORITY;
    if (greatest)
        *greatest = GREATEST_PRIORITY;
    return cudaSuccess;
}

cudaError_t
cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    static unsigned long long last_id = 2; /* the special streams are 1 and 2 */
    void *made;
    cudaError_t st;

    if (!stream || flags > cudaStreamNonBlocking)
        return hc_result(cudaErrorInvalidValue);
    hc_lock();
    st = hc_object_new(&made, sizeof **stream, HC_STREAM);
    if (!st) {
        *stream = made;
        (*stream)->flags = flags;
        (*stream)->id = ++last_id;
        (*stream)->priority = priority < GREATEST_PRIORITY ? GREATEST_PRIORITY
                              : priority > LEAST_PRIORITY  ? LEAST_PRIORITY
                                                           : priority;
    }
    hc_unlock();
    return hc_result(st);
}

cudaError_t
cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t
cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

cudaError_t
cudaStreamDestroy(cudaStream_t stream)
{
    cudaError_t st = cudaErrorInvalidResourceHandle;

    hc_lock();
    if (hc_object_is(stream, HC_STREAM)) {
        hc_capture_leave(stream);
        hc_nodes_clear(&stream->last);
        hc_object_free(stream);
        st = cudaSuccess;
    }
    hc_unlock();
    return hc_result(st);
}

/* Waiting is over at once, but not for what a capture only keeps. */
static cudaError_t
wait_for(cudaStream_t stream)
{
    cudaError_t st = cudaSuccess;

    hc_lock();
    if (!hc_stream_ok(stream))
        st = cudaErrorInvalidResourceHandle;
    else if (hc_stream_capture(stream))
        st = hc_capture_break(stream->capture, cudaErrorStreamCaptureUnsupported);
    hc_unlock();
    return hc_result(st ? st : hc_refuse_legacy(stream));
}

cudaError_t
cudaStreamSynchronize(cudaStream_t stream)
{
    return wait_for(stream);
}
HC_PER_THREAD(cudaStreamSynchronize, _ptsz);

cudaError_t
cudaStreamQuery(cudaStream_t stream)
{
    return wait_for(stream);
}
HC_PER_THREAD(cudaStreamQuery, _ptsz);

/* A copy of a stream's facts, for the getters. */
static cudaError_t
facts(struct CUstream_st *out, cudaStream_t stream, const void *result)
{
    cudaError_t st = cudaSuccess;

    *out = (struct CUstream_st){.id = stream == cudaStreamPerThread ? 2 : 1};
    hc_lock();
    if (!hc_stream_ok(stream))
        st = cudaErrorInvalidResourceHandle;
    else if (hc_object_is(stream, HC_STREAM))
        *out = *stream;
    hc_unlock();
    return hc_result(!result ? cudaErrorInvalidValue : st);
}

cudaError_t
cudaStreamGetFlags(cudaStream_t stream, unsigned *flags)
{
    struct CUstream_st s;
    const cudaError_t st = facts(&s, stream, flags);

    if (!st)
        *flags = s.flags;
    return st;
}
HC_PER_THREAD(cudaStreamGetFlags, _ptsz);

cudaError_t
cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    struct CUstream_st s;
    const cudaError_t st = facts(&s, stream, priority);

    if (!st)
        *priority = s.priority;
    return st;
}
HC_PER_THREAD(cudaStreamGetPriority, _ptsz);

cudaError_t
cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
    struct CUstream_st s;
    const cudaError_t st = facts(&s, stream, id);

    if (!st)
        *id = s.id;
    return st;
}
HC_PER_THREAD(cudaStreamGetId, _ptsz);

cudaError_t
cudaStreamGetDevice(cudaStream_t stream, int *device)
{
    struct CUstream_st s;
    const cudaError_t st = facts(&s, stream, device);

    if (!st)
        *device = 0;
    return st;
}
HC_PER_THREAD(cudaStreamGetDevice, _ptsz);

cudaError_t
cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src)
{
    struct CUstream_st s;
    const cudaError_t st = facts(&s, dst, "");

    return st ? st : facts(&s, src, "");
}
HC_PER_THREAD(cudaStreamCopyAttributes, _ptsz);

cudaError_t
cudaStreamAttachMemAsync(cudaStream_t stream, void *ptr, size_t size, unsigned flags)
{
    (void)size;
    if (!ptr || flags == 0 || flags > cudaMemAttachSingle || flags == 3)
        return hc_result(cudaErrorInvalidValue);
    return wait_for(stream);
}
HC_PER_THREAD(cudaStreamAttachMemAsync, _ptsz);

cudaError_t
cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData)
{
    const hc_work work = {.type = cudaGraphNodeTypeHost,
                          .fn = fn,
                          .data = userData,
                          .width = 1,
                          .height = 1,
                          .depth = 1};

    return hc_result(hc_submit(stream, &work));
}
HC_PER_THREAD(cudaLaunchHostFunc, _ptsz);

cudaError_t
cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t fn, void *userData,
                      unsigned flags)
{
    cudaError_t st;

    if (!fn || flags)
        return hc_result(cudaErrorInvalidValue);
    st = wait_for(stream);
    if (!st)
        fn(stream, cudaSuccess, userData);
    return st;
}
HC_PER_THREAD(cudaStreamAddCallback, _ptsz);
