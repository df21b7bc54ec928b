/* Events: the time of a record, or a place in a capture. */
#include "internal.h"

cudaError_t
cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    void *made;
    cudaError_t st;

    /* An event for other processes cannot carry a time, and there are none here. */
    if (!event || flags & ~7u || flags & cudaEventInterprocess)
        return hc_result(cudaErrorInvalidValue);
    hc_lock();
    st = hc_object_new(&made, sizeof **event, HC_EVENT);
    if (!st) {
        *event = made;
        (*event)->flags = flags;
    }
    hc_unlock();
    return hc_result(st);
}

cudaError_t
cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t
cudaEventDestroy(cudaEvent_t event)
{
    cudaError_t st = cudaErrorInvalidResourceHandle;

    hc_lock();
    if (hc_object_is(event, HC_EVENT)) {
        hc_nodes_clear(&event->last);
        hc_object_free(event);
        st = cudaSuccess;
    }
    hc_unlock();
    return hc_result(st);
}

/* Lock held. */
static cudaError_t
record(cudaEvent_t event, cudaStream_t stream)
{
    hc_capture *capture = hc_stream_capture(stream);

    event->capture = capture;
    event->captured = capture != NULL;
    if (capture)
        return hc_nodes_copy(&event->last, &stream->last)
                   ? cudaSuccess
                   : hc_capture_break(capture, cudaErrorMemoryAllocation);
    hc_nodes_clear(&event->last);
    (void)clock_gettime(CLOCK_MONOTONIC, &event->time);
    event->recorded = true;
    return cudaSuccess;
}

cudaError_t
cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    cudaError_t st = cudaSuccess;

    if (flags & ~(unsigned)cudaEventRecordExternal)
        return hc_result(cudaErrorInvalidValue);
    hc_lock();
    if (!hc_object_is(event, HC_EVENT) || !hc_stream_ok(stream))
        st = cudaErrorInvalidResourceHandle;
    else if (flags && hc_stream_capture(stream))
        st = hc_capture_break(stream->capture, cudaErrorStreamCaptureUnsupported);
    else
        st = record(event, stream);
    hc_unlock();
    return hc_result(st);
}
HC_PER_THREAD(cudaEventRecordWithFlags, _ptsz);

cudaError_t
cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return cudaEventRecordWithFlags(event, stream, 0);
}
HC_PER_THREAD(cudaEventRecord, _ptsz);

static cudaError_t
wait_for(cudaEvent_t event)
{
    cudaError_t st = cudaSuccess;

    hc_lock();
    if (!hc_object_is(event, HC_EVENT))
        st = cudaErrorInvalidResourceHandle;
    else if (event->captured)
        st = hc_capture_break(event->capture, cudaErrorCapturedEvent);
    hc_unlock();
    return hc_result(st);
}

cudaError_t
cudaEventQuery(cudaEvent_t event)
{
    return wait_for(event);
}

cudaError_t
cudaEventSynchronize(cudaEvent_t event)
{
    return wait_for(event);
}

cudaError_t
cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    const cudaEvent_t both[] = {start, end};
    cudaError_t st = ms ? cudaSuccess : cudaErrorInvalidValue;

    hc_lock();
    for (int i = 0; i < 2 && !st; i++) {
        if (!hc_object_is(both[i], HC_EVENT) ||
            both[i]->flags & cudaEventDisableTiming ||
            (!both[i]->recorded && !both[i]->captured))
            st = cudaErrorInvalidResourceHandle;
        else if (both[i]->captured)
            st = cudaErrorCapturedEvent;
    }
    if (!st)
        *ms = (float)((double)(end->time.tv_sec - start->time.tv_sec) * 1e3 +
                      (double)(end->time.tv_nsec - start->time.tv_nsec) * 1e-6);
    hc_unlock();
    return hc_result(st);
}
#if HC_CUDA < 13
extern __typeof__(cudaEventElapsedTime) cudaEventElapsedTime_v2
    __attribute__((alias("cudaEventElapsedTime")));
#endif
