/*
 * Stream capture: work that a capturing stream is given becomes nodes of a graph. A
 * stream joins the capture by waiting for an event that was recorded in it, and must be
 * joined back before the end. What a capture cannot keep is refused and breaks it, so that
 * no graph ever lacks work that was asked for.
 */
#include "internal.h"

static hc_capture *captures;
static _Thread_local char thread_mark; /* its address names this thread */
static _Thread_local enum cudaStreamCaptureMode thread_mode;

cudaError_t
hc_capture_break(hc_capture *capture, cudaError_t error)
{
    if (capture)
        capture->invalid = true;
    return error;
}

/* The next live stream or event after range i that takes part in the capture. */
static bool
takes_part(const hc_range *range, const hc_capture *capture)
{
    if (range->kind == HC_STREAM)
        return ((cudaStream_t)range->lo)->capture == capture;
    return range->kind == HC_EVENT && ((cudaEvent_t)range->lo)->capture == capture;
}

static bool
has_blocking_stream(const hc_capture *capture)
{
    for (size_t i = 0; i < hc_objects.n; i++) {
        const hc_range *range = &hc_objects.at[i];

        if (range->kind == HC_STREAM && takes_part(range, capture) &&
            !(((cudaStream_t)range->lo)->flags & cudaStreamNonBlocking))
            return true;
    }
    return false;
}

static bool
unsafe_beside(const hc_capture *capture)
{
    if (thread_mode == cudaStreamCaptureModeRelaxed ||
        capture->mode == cudaStreamCaptureModeRelaxed)
        return false;
    if (capture->thread == (uintptr_t)&thread_mark)
        return true;
    return thread_mode == cudaStreamCaptureModeGlobal &&
           capture->mode == cudaStreamCaptureModeGlobal;
}

/* Breaks every capture that the test names. */
static cudaError_t
refuse(bool (*conflicts)(const hc_capture *), cudaError_t error)
{
    cudaError_t st = cudaSuccess;

    hc_lock();
    for (hc_capture *c = captures; c; c = c->next) {
        if (conflicts(c))
            st = hc_capture_break(c, error);
    }
    hc_unlock();
    return st;
}

cudaError_t
hc_refuse_unsafe(void)
{
    return refuse(unsafe_beside, cudaErrorStreamCaptureUnsupported);
}

cudaError_t
hc_refuse_legacy(cudaStream_t stream)
{
    if ((uintptr_t)stream > (uintptr_t)cudaStreamLegacy)
        return cudaSuccess;
    return refuse(has_blocking_stream, cudaErrorStreamCaptureImplicit);
}

cudaError_t
hc_refuse_synchronous(void)
{
    const cudaError_t st = hc_refuse_legacy(cudaStreamLegacy);

    return st ? st : hc_refuse_unsafe();
}

cudaError_t
hc_capture_add(cudaStream_t stream, const hc_work *work)
{
    hc_capture *capture = stream->capture;
    cudaGraphNode_t node;
    cudaError_t st;

    if (capture->invalid)
        return cudaErrorStreamCaptureInvalidated;
    st = hc_graph_add(&node, capture->graph, work, &stream->last);
    if (!st) {
        stream->last.n = 0;
        if (!hc_nodes_add(&stream->last, node))
            st = cudaErrorMemoryAllocation;
    }
    return st ? hc_capture_break(capture, st) : st;
}

/* Lock held: forgets the capture everywhere; its graph stays. */
static void
forget(hc_capture *capture)
{
    hc_capture **link = &captures;

    for (size_t i = 0; i < hc_objects.n; i++) {
        const hc_range *range = &hc_objects.at[i];

        if (!takes_part(range, capture))
            continue;
        if (range->kind == HC_STREAM) {
            ((cudaStream_t)range->lo)->capture = NULL;
            hc_nodes_clear(&((cudaStream_t)range->lo)->last);
        } else {
            ((cudaEvent_t)range->lo)->capture = NULL;
            hc_nodes_clear(&((cudaEvent_t)range->lo)->last);
        }
    }
    while (*link != capture)
        link = &(*link)->next;
    *link = capture->next;
    hc_release(capture);
}

void
hc_capture_leave(cudaStream_t stream)
{
    hc_capture *capture = stream->capture;

    if (!capture)
        return;
    (void)hc_capture_break(capture, cudaSuccess);
    stream->capture = NULL;
    if (capture->origin != stream)
        return;
    if (!capture->foreign_graph)
        hc_graph_free(capture->graph);
    forget(capture);
}

static cudaError_t
begin(cudaStream_t stream, enum cudaStreamCaptureMode mode, cudaGraph_t graph,
      const hc_nodes *deps)
{
    static unsigned long long last_id;
    hc_capture *capture;
    cudaError_t st = cudaSuccess;

    if ((unsigned)mode > cudaStreamCaptureModeRelaxed)
        return cudaErrorInvalidValue;
    if (!hc_stream_ok(stream))
        return cudaErrorInvalidResourceHandle;
    if (!hc_object_is(stream, HC_STREAM)) /* the special streams stay as they are */
        return cudaErrorStreamCaptureUnsupported;
    if (stream->capture)
        return hc_capture_break(stream->capture, cudaErrorIllegalState);
    capture = hc_alloc(sizeof *capture);
    if (!capture)
        return cudaErrorMemoryAllocation;
    capture->foreign_graph = graph != NULL;
    capture->graph = graph;
    if (!graph)
        st = hc_graph_new(&capture->graph);
    if (!st && !hc_nodes_copy(&stream->last, deps)) {
        st = cudaErrorMemoryAllocation;
        if (!graph)
            hc_graph_free(capture->graph);
    }
    if (st) {
        hc_release(capture);
        return st;
    }
    capture->origin = stream;
    capture->mode = mode;
    capture->thread = (uintptr_t)&thread_mark;
    capture->id = ++last_id;
    capture->next = captures;
    captures = capture;
    stream->capture = capture;
    return cudaSuccess;
}

cudaError_t
cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    const hc_nodes none = {0};
    cudaError_t st;

    hc_lock();
    st = begin(stream, mode, NULL, &none);
    hc_unlock();
    return hc_result(st);
}
HC_PER_THREAD(cudaStreamBeginCapture, _ptsz);

cudaError_t
cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                              const cudaGraphNode_t *deps,
                              const cudaGraphEdgeData *edges, size_t count,
                              enum cudaStreamCaptureMode mode)
{
    const hc_nodes after = {(cudaGraphNode_t *)deps, count, count};
    cudaError_t st = cudaErrorInvalidValue;

    hc_lock();
    if (hc_object_is(graph, HC_GRAPH) && !edges && hc_nodes_in(&after, graph))
        st = begin(stream, mode, graph, &after);
    hc_unlock();
    return hc_result(st);
}
HC_PER_THREAD(cudaStreamBeginCaptureToGraph, _ptsz);

/* Whether all that was captured comes before the last work of the origin. */
static bool
joined(const hc_capture *capture)
{
    const hc_nodes *nodes = &capture->graph->nodes;
    const hc_nodes *last = &capture->origin->last;

    for (size_t i = 0; i < nodes->n; i++)
        nodes->at[i]->mark = 0;
    for (size_t i = 0; i < last->n; i++)
        last->at[i]->mark = 1;
    /* Nodes come after what they depend on, so one walk back marks all ancestors. */
    for (size_t i = nodes->n; i-- > 0;) {
        for (size_t j = 0; nodes->at[i]->mark && j < nodes->at[i]->deps.n; j++)
            nodes->at[i]->deps.at[j]->mark = 1;
    }
    for (size_t i = 0; i < hc_objects.n; i++) {
        const hc_range *range = &hc_objects.at[i];
        const hc_nodes *tip = &((cudaStream_t)range->lo)->last;

        if (range->kind != HC_STREAM || !takes_part(range, capture))
            continue;
        for (size_t j = 0; j < tip->n; j++) {
            if (!tip->at[j]->mark)
                return false;
        }
    }
    return true;
}

/* Lock held. */
static cudaError_t
end(cudaStream_t stream, cudaGraph_t *graph)
{
    hc_capture *capture = hc_stream_capture(stream);
    cudaError_t st = cudaSuccess;

    if (!hc_stream_ok(stream))
        return cudaErrorInvalidResourceHandle;
    if (!capture)
        return cudaErrorIllegalState;
    if (capture->mode != cudaStreamCaptureModeRelaxed &&
        capture->thread != (uintptr_t)&thread_mark)
        return cudaErrorStreamCaptureWrongThread;
    if (capture->origin != stream)
        return hc_capture_break(capture, cudaErrorStreamCaptureUnmatched);
    if (capture->invalid)
        st = cudaErrorStreamCaptureInvalidated;
    else if (!joined(capture))
        st = cudaErrorStreamCaptureUnjoined;
    if (!st)
        *graph = capture->graph;
    else if (!capture->foreign_graph)
        hc_graph_free(capture->graph);
    forget(capture);
    return st;
}

cudaError_t
cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    cudaError_t st;

    if (!graph)
        return hc_result(cudaErrorInvalidValue);
    *graph = NULL;
    hc_lock();
    st = end(stream, graph);
    hc_unlock();
    hc_bury();
    return hc_result(st);
}
HC_PER_THREAD(cudaStreamEndCapture, _ptsz);

/* Lock held. */
static cudaError_t
wait_for(cudaStream_t stream, cudaEvent_t event)
{
    hc_capture *to = hc_stream_capture(stream);
    hc_capture *from = event->capture;

    if (!from) {
        if (event->captured)
            return hc_capture_break(to, cudaErrorCapturedEvent);
        return to && event->recorded
                   ? hc_capture_break(to, cudaErrorStreamCaptureIsolation)
                   : cudaSuccess;
    }
    if (from->invalid)
        return hc_capture_break(to, cudaErrorStreamCaptureInvalidated);
    if (!hc_object_is(stream, HC_STREAM))
        return hc_capture_break(from, cudaErrorStreamCaptureImplicit);
    if (to && to != from) {
        (void)hc_capture_break(to, cudaSuccess);
        return hc_capture_break(from, cudaErrorStreamCaptureMerge);
    }
    stream->capture = from;
    for (size_t i = 0; i < event->last.n; i++) {
        if (!hc_nodes_add(&stream->last, event->last.at[i]))
            return hc_capture_break(from, cudaErrorMemoryAllocation);
    }
    return cudaSuccess;
}

cudaError_t
cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    cudaError_t st = cudaErrorInvalidResourceHandle;

    if (flags & ~(unsigned)cudaEventWaitExternal)
        return hc_result(cudaErrorInvalidValue);
    hc_lock();
    if (hc_object_is(event, HC_EVENT) && hc_stream_ok(stream))
        st = flags && hc_stream_capture(stream)
                 ? hc_capture_break(stream->capture, cudaErrorStreamCaptureUnsupported)
                 : wait_for(stream, event);
    hc_unlock();
    return hc_result(st);
}
HC_PER_THREAD(cudaStreamWaitEvent, _ptsz);

typedef struct {
    enum cudaStreamCaptureStatus status;
    unsigned long long id;
    cudaGraph_t graph;
    const cudaGraphNode_t *deps;
    size_t count;
} info;

static cudaError_t
get_info(info *out, cudaStream_t stream)
{
    const hc_capture *capture;
    cudaError_t st = cudaSuccess;

    *out = (info){0};
    hc_lock();
    capture = hc_stream_capture(stream);
    if (!hc_stream_ok(stream)) {
        st = cudaErrorInvalidResourceHandle;
    } else if (capture) {
        out->status = capture->invalid ? cudaStreamCaptureStatusInvalidated
                                       : cudaStreamCaptureStatusActive;
        out->id = capture->id;
        out->graph = capture->graph;
        out->deps = stream->last.at;
        out->count = stream->last.n;
    }
    /* Asking the legacy stream is refused as its work would be, but breaks nothing. */
    for (const hc_capture *c = captures; c && (uintptr_t)stream <= 1 && !st;
         c = c->next) {
        if (has_blocking_stream(c))
            st = cudaErrorStreamCaptureImplicit;
    }
    hc_unlock();
    return hc_result(st);
}

cudaError_t
cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    info got;
    cudaError_t st;

    if (!status)
        return hc_result(cudaErrorInvalidValue);
    st = get_info(&got, stream);
    *status = got.status;
    return st;
}
HC_PER_THREAD(cudaStreamIsCapturing, _ptsz);

static cudaError_t
tell_info(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
          unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **deps,
          const cudaGraphEdgeData **edges, size_t *count)
{
    info got;
    cudaError_t st;

    if (!status)
        return hc_result(cudaErrorInvalidValue);
    st = get_info(&got, stream);
    *status = got.status;
    if (st || got.status != cudaStreamCaptureStatusActive)
        return st;
    if (id)
        *id = got.id;
    if (graph)
        *graph = got.graph;
    if (deps)
        *deps = got.deps;
    if (edges)
        *edges = NULL;
    if (count)
        *count = got.count;
    return cudaSuccess;
}

#if HC_CUDA >= 13
cudaError_t
cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                         unsigned long long *id, cudaGraph_t *graph,
                         const cudaGraphNode_t **deps, const cudaGraphEdgeData **edges,
                         size_t *count)
{
    return tell_info(stream, status, id, graph, deps, edges, count);
}
#else
cudaError_t
cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                         unsigned long long *id)
{
    return tell_info(stream, status, id, NULL, NULL, NULL, NULL);
}

cudaError_t
cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                            unsigned long long *id, cudaGraph_t *graph,
                            const cudaGraphNode_t **deps, size_t *count)
{
    return tell_info(stream, status, id, graph, deps, NULL, count);
}
HC_PER_THREAD(cudaStreamGetCaptureInfo_v2, _ptsz);

cudaError_t
cudaStreamGetCaptureInfo_v3(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                            unsigned long long *id, cudaGraph_t *graph,
                            const cudaGraphNode_t **deps,
                            const cudaGraphEdgeData **edges, size_t *count)
{
    return tell_info(stream, status, id, graph, deps, edges, count);
}
HC_PER_THREAD(cudaStreamGetCaptureInfo_v3, _ptsz);
#endif
HC_PER_THREAD(cudaStreamGetCaptureInfo, _ptsz);

cudaError_t
cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    const enum cudaStreamCaptureMode old = thread_mode;

    if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed)
        return hc_result(cudaErrorInvalidValue);
    thread_mode = *mode;
    *mode = old;
    return cudaSuccess;
}
