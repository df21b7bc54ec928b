/* Instantiated graphs: the work of all nodes in an order that respects what each comes
 * after, and what the graph held alive. */
#include "internal.h"

struct CUgraphExec_st {
    hc_work *steps;
    size_t n, cap;
    hc_held_list held;
};

static cudaError_t flatten(cudaGraphExec_t exec, cudaGraph_t graph);

static cudaError_t
emit(cudaGraphExec_t exec, cudaGraphNode_t node)
{
    void *grown = exec->steps;

    if (node->work.child)
        return flatten(exec, node->work.child);
    if (!hc_grow(&grown, &exec->cap, exec->n + 1, sizeof *exec->steps))
        return cudaErrorMemoryAllocation;
    exec->steps = grown;
    exec->steps[exec->n++] = node->work;
    return cudaSuccess;
}

static bool
ready(const struct CUgraphNode_st *node)
{
    for (size_t i = 0; i < node->deps.n; i++) {
        if (!node->deps.at[i]->mark)
            return false;
    }
    return true;
}

/* Appends the work of all nodes, each after those it depends on. Nodes mostly stand in
 * such an order, so that one round is enough; a round without progress is a cycle. */
static cudaError_t
flatten(cudaGraphExec_t exec, cudaGraph_t graph)
{
    const hc_nodes *nodes = &graph->nodes;
    size_t done = 0;

    if (!hc_hold_all(&exec->held, &graph->held))
        return cudaErrorMemoryAllocation;
    for (size_t i = 0; i < nodes->n; i++)
        nodes->at[i]->mark = 0;
    while (done < nodes->n) {
        const size_t before = done;

        for (size_t i = 0; i < nodes->n; i++) {
            cudaError_t st;

            if (nodes->at[i]->mark || !ready(nodes->at[i]))
                continue;
            st = emit(exec, nodes->at[i]);
            if (st)
                return st;
            nodes->at[i]->mark = 1;
            done++;
        }
        if (done == before)
            return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

static void
free_exec(cudaGraphExec_t exec)
{
    hc_release(exec->steps);
    hc_let_go(&exec->held);
    hc_object_free(exec);
}

/* Lock held. */
static cudaError_t
instantiate(cudaGraphExec_t *out, cudaGraph_t graph)
{
    void *made;
    cudaError_t st;

    *out = NULL;
    if (!hc_object_is(graph, HC_GRAPH))
        return cudaErrorInvalidValue;
    st = hc_object_new(&made, sizeof **out, HC_EXEC);
    if (st)
        return st;
    st = flatten(made, graph);
    if (st)
        free_exec(made);
    else
        *out = made;
    return st;
}

cudaError_t
cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    cudaError_t st;

    (void)flags; /* how to upload and free on a device */
    if (!exec)
        return hc_result(cudaErrorInvalidValue);
    hc_lock();
    st = instantiate(exec, graph);
    hc_unlock();
    hc_bury();
    return hc_result(st);
}

cudaError_t
cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                              unsigned long long flags)
{
    return cudaGraphInstantiate(exec, graph, flags);
}

cudaError_t
cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                               cudaGraphInstantiateParams *params)
{
    cudaError_t st;

    if (!params)
        return hc_result(cudaErrorInvalidValue);
    st = cudaGraphInstantiate(exec, graph, params->flags);
    params->errNode_out = NULL;
    params->result_out = st ? 1 : 0;
    return st;
}
HC_PER_THREAD(cudaGraphInstantiateWithParams, _ptsz);

cudaError_t
cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    cudaError_t st = cudaErrorInvalidValue;

    hc_lock();
    if (hc_object_is(exec, HC_EXEC)) {
        free_exec(exec);
        st = cudaSuccess;
    }
    hc_unlock();
    hc_bury();
    return hc_result(st);
}

/* What stops one list of work from taking the place of another. */
static enum cudaGraphExecUpdateResult
compare(const struct CUgraphExec_st *a, const struct CUgraphExec_st *b)
{
    if (a->n != b->n)
        return cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t i = 0; i < a->n; i++) {
        if (a->steps[i].type != b->steps[i].type)
            return cudaGraphExecUpdateErrorNodeTypeChanged;
    }
    return cudaGraphExecUpdateSuccess;
}

cudaError_t
cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                    cudaGraphExecUpdateResultInfo *info)
{
    cudaGraphExecUpdateResultInfo found = {cudaGraphExecUpdateError, NULL, NULL};
    cudaGraphExec_t made = NULL;
    cudaError_t st = cudaErrorInvalidValue;

    hc_lock();
    if (info && hc_object_is(exec, HC_EXEC))
        st = instantiate(&made, graph);
    if (made) {
        found.result = compare(exec, made);
        if (found.result) {
            st = cudaErrorGraphExecUpdateFailure;
        } else {
            const struct CUgraphExec_st old = *exec;

            *exec = *made;
            *made = old;
        }
        free_exec(made);
    }
    if (info)
        *info = found;
    hc_unlock();
    hc_bury();
    return hc_result(st);
}

/* Launching into a capture is not kept, hence refused. */
static cudaError_t
check_launch(cudaGraphExec_t exec, cudaStream_t stream)
{
    cudaError_t st = cudaSuccess;

    hc_lock();
    if (!hc_object_is(exec, HC_EXEC))
        st = cudaErrorInvalidValue;
    else if (!hc_stream_ok(stream))
        st = cudaErrorInvalidResourceHandle;
    else if (hc_stream_capture(stream))
        st = hc_capture_break(stream->capture, cudaErrorStreamCaptureUnsupported);
    hc_unlock();
    return hc_result(st ? st : hc_refuse_legacy(stream));
}

cudaError_t
cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    const cudaError_t st = check_launch(exec, stream);

    for (size_t i = 0; !st && i < exec->n; i++)
        hc_work_run(&exec->steps[i]);
    return st;
}
HC_PER_THREAD(cudaGraphLaunch, _ptsz);

cudaError_t
cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    return check_launch(exec, stream);
}
HC_PER_THREAD(cudaGraphUpload, _ptsz);
