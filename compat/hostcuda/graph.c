/* Graphs: nodes of work and what each comes after. */
#include "internal.h"

#include <string.h>

bool
hc_nodes_in(const hc_nodes *nodes, cudaGraph_t graph)
{
    for (size_t i = 0; i < nodes->n; i++) {
        if (!hc_object_is(nodes->at[i], HC_NODE) || nodes->at[i]->graph != graph)
            return false;
    }
    return true;
}

cudaError_t
hc_graph_new(cudaGraph_t *out)
{
    void *made;
    const cudaError_t st = hc_object_new(&made, sizeof **out, HC_GRAPH);

    *out = made;
    return st;
}

static void
free_node(cudaGraphNode_t node)
{
    if (node->work.child)
        hc_graph_free(node->work.child);
    hc_nodes_clear(&node->deps);
    hc_object_free(node);
}

void
hc_graph_free(cudaGraph_t graph)
{
    for (size_t i = graph->nodes.n; i-- > 0;)
        free_node(graph->nodes.at[i]);
    hc_nodes_clear(&graph->nodes);
    hc_let_go(&graph->held);
    hc_object_free(graph);
}

cudaError_t
hc_graph_add(cudaGraphNode_t *out, cudaGraph_t graph, const hc_work *work,
             const hc_nodes *deps)
{
    void *made;
    cudaGraphNode_t node;

    /* `out` may be one of the dependencies, so it is written last. */
    if (hc_object_new(&made, sizeof *node, HC_NODE))
        return cudaErrorMemoryAllocation;
    node = made;
    node->graph = graph;
    if (!hc_nodes_copy(&node->deps, deps) || !hc_nodes_push(&graph->nodes, node)) {
        free_node(node);
        return cudaErrorMemoryAllocation;
    }
    node->work = *work;
    *out = node;
    return cudaSuccess;
}

/* Copies one node of the same number; what it comes after is copied already or, where
 * dependencies were added later, about to be. */
static cudaError_t
clone_node(cudaGraph_t to, const struct CUgraphNode_st *node)
{
    const hc_nodes none = {0};
    hc_work work = node->work;
    cudaGraphNode_t made;
    cudaError_t st = cudaSuccess;

    if (work.child)
        st = hc_graph_clone(&work.child, node->work.child);
    if (!st)
        st = hc_graph_add(&made, to, &work, &none);
    if (st && work.child && work.child != node->work.child)
        hc_graph_free(work.child);
    return st;
}

cudaError_t
hc_graph_clone(cudaGraph_t *out, cudaGraph_t graph)
{
    const hc_nodes *nodes = &graph->nodes;
    cudaGraph_t to;
    cudaError_t st = hc_graph_new(&to);

    *out = NULL;
    if (st)
        return st;
    if (!hc_hold_all(&to->held, &graph->held))
        st = cudaErrorMemoryAllocation;
    for (size_t i = 0; i < nodes->n && !st; i++) {
        nodes->at[i]->mark = i;
        st = clone_node(to, nodes->at[i]);
    }
    for (size_t i = 0; i < nodes->n && !st; i++) {
        for (size_t j = 0; j < nodes->at[i]->deps.n && !st; j++) {
            if (!hc_nodes_add(&to->nodes.at[i]->deps,
                              to->nodes.at[nodes->at[i]->deps.at[j]->mark]))
                st = cudaErrorMemoryAllocation;
        }
    }
    if (st)
        hc_graph_free(to);
    else
        *out = to;
    return st;
}

cudaError_t
cudaGraphCreate(cudaGraph_t *graph, unsigned flags)
{
    cudaError_t st;

    if (!graph || flags)
        return hc_result(cudaErrorInvalidValue);
    hc_lock();
    st = hc_graph_new(graph);
    hc_unlock();
    return hc_result(st);
}

cudaError_t
cudaGraphDestroy(cudaGraph_t graph)
{
    cudaError_t st = cudaErrorInvalidValue;

    hc_lock();
    if (hc_object_is(graph, HC_GRAPH)) {
        hc_graph_free(graph);
        st = cudaSuccess;
    }
    hc_unlock();
    hc_bury();
    return hc_result(st);
}

cudaError_t
cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
    cudaError_t st = cudaErrorInvalidValue;

    hc_lock();
    if (clone && hc_object_is(graph, HC_GRAPH))
        st = hc_graph_clone(clone, graph);
    hc_unlock();
    hc_bury();
    return hc_result(st);
}

/* ---- nodes ---- */

static cudaError_t
add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t count,
    const hc_work *work)
{
    const hc_nodes after = {(cudaGraphNode_t *)deps, count, count};
    cudaError_t st = hc_work_check(work);

    if (st || !node || (count && !deps))
        return hc_result(st ? st : cudaErrorInvalidValue);
    hc_lock();
    if (hc_object_is(graph, HC_GRAPH) && hc_nodes_in(&after, graph))
        st = hc_graph_add(node, graph, work, &after);
    else
        st = cudaErrorInvalidValue;
    hc_unlock();
    return hc_result(st);
}

cudaError_t
cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                      const cudaGraphNode_t *deps, size_t count)
{
    const hc_work work = {.type = cudaGraphNodeTypeEmpty};

    return add(node, graph, deps, count, &work);
}

cudaError_t
cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
                     const cudaGraphNode_t *deps, size_t count,
                     const struct cudaHostNodeParams *params)
{
    hc_work work = {.type = cudaGraphNodeTypeHost, .width = 1, .height = 1, .depth = 1};

    if (!params)
        return hc_result(cudaErrorInvalidValue);
    work.fn = params->fn;
    work.data = params->userData;
    return add(node, graph, deps, count, &work);
}

cudaError_t
cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                       const cudaGraphNode_t *deps, size_t count,
                       const struct cudaMemsetParams *params)
{
    hc_work work = {.type = cudaGraphNodeTypeMemset, .depth = 1};

    if (!params ||
        __builtin_mul_overflow(params->width, (size_t)params->elementSize, &work.width))
        return hc_result(cudaErrorInvalidValue);
    work.dst = params->dst;
    work.dpitch = params->pitch;
    work.height = params->height;
    work.value = params->value;
    work.element = params->elementSize;
    return add(node, graph, deps, count, &work);
}

cudaError_t
cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                       const cudaGraphNode_t *deps, size_t count,
                       const struct cudaMemcpy3DParms *params)
{
    hc_work work;
    const cudaError_t st = hc_work_from_parms(&work, params);

    return st ? hc_result(st) : add(node, graph, deps, count, &work);
}

cudaError_t
cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                         const cudaGraphNode_t *deps, size_t count, void *dst,
                         const void *src, size_t size, enum cudaMemcpyKind kind)
{
    const hc_work work = {.type = cudaGraphNodeTypeMemcpy,
                          .dst = dst,
                          .src = src,
                          .width = size,
                          .height = 1,
                          .depth = 1};

    if ((unsigned)kind > cudaMemcpyDefault)
        return hc_result(cudaErrorInvalidMemcpyDirection);
    return add(node, graph, deps, count, &work);
}

cudaError_t
cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                           const cudaGraphNode_t *deps, size_t count, cudaGraph_t child)
{
    const hc_nodes after = {(cudaGraphNode_t *)deps, count, count};
    hc_work work = {.type = cudaGraphNodeTypeGraph};
    cudaError_t st = cudaErrorInvalidValue;

    hc_lock();
    if (node && hc_object_is(graph, HC_GRAPH) && hc_object_is(child, HC_GRAPH) &&
        (deps || !count) && hc_nodes_in(&after, graph))
        st = hc_graph_clone(&work.child, child);
    if (!st) {
        st = hc_graph_add(node, graph, &work, &after);
        if (st)
            hc_graph_free(work.child);
    }
    hc_unlock();
    hc_bury();
    return hc_result(st);
}

/* Nodes of a list that pass, into an array of *count places, or only their number. */
static void
list(const hc_nodes *from, bool roots_only, cudaGraphNode_t *nodes, size_t *count)
{
    size_t n = 0;

    for (size_t i = 0; i < from->n; i++) {
        if (roots_only && from->at[i]->deps.n)
            continue;
        if (nodes && n < *count)
            nodes[n] = from->at[i];
        n++;
    }
    for (size_t i = n; nodes && i < *count; i++)
        nodes[i] = NULL;
    if (!nodes || n < *count)
        *count = n;
}

static cudaError_t
list_graph(cudaGraph_t graph, bool roots_only, cudaGraphNode_t *nodes, size_t *count)
{
    cudaError_t st = cudaErrorInvalidValue;

    hc_lock();
    if (count && hc_object_is(graph, HC_GRAPH)) {
        list(&graph->nodes, roots_only, nodes, count);
        st = cudaSuccess;
    }
    hc_unlock();
    return hc_result(st);
}

cudaError_t
cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    return list_graph(graph, false, nodes, count);
}

cudaError_t
cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    return list_graph(graph, true, nodes, count);
}

cudaError_t
cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    cudaError_t st = cudaErrorInvalidValue;

    hc_lock();
    if (type && hc_object_is(node, HC_NODE)) {
        *type = node->work.type;
        st = cudaSuccess;
    }
    hc_unlock();
    return hc_result(st);
}

static cudaError_t
get_dependencies(cudaGraphNode_t node, cudaGraphNode_t *deps, size_t *count)
{
    cudaError_t st = cudaErrorInvalidValue;

    hc_lock();
    if (count && hc_object_is(node, HC_NODE)) {
        list(&node->deps, false, deps, count);
        st = cudaSuccess;
    }
    hc_unlock();
    return hc_result(st);
}

static cudaError_t
add_dependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                 const cudaGraphNode_t *to, size_t count)
{
    const hc_nodes starts = {(cudaGraphNode_t *)from, count, count};
    const hc_nodes ends = {(cudaGraphNode_t *)to, count, count};
    cudaError_t st = cudaErrorInvalidValue;

    hc_lock();
    if (hc_object_is(graph, HC_GRAPH) && ((from && to) || !count) &&
        hc_nodes_in(&starts, graph) && hc_nodes_in(&ends, graph))
        st = cudaSuccess;
    for (size_t i = 0; i < count && !st; i++) {
        if (from[i] == to[i])
            st = cudaErrorInvalidValue;
        else if (!hc_nodes_add(&to[i]->deps, from[i]))
            st = cudaErrorMemoryAllocation;
    }
    hc_unlock();
    return hc_result(st);
}

#if HC_CUDA >= 13
#define NEWER(name) name
#else
#define NEWER(name) name##_v2

cudaError_t
cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                         const cudaGraphNode_t *to, size_t count)
{
    return add_dependencies(graph, from, to, count);
}

cudaError_t
cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *deps, size_t *count)
{
    return get_dependencies(node, deps, count);
}
#endif

cudaError_t
NEWER(cudaGraphAddDependencies)(cudaGraph_t graph, const cudaGraphNode_t *from,
                                const cudaGraphNode_t *to,
                                const cudaGraphEdgeData *edges, size_t count)
{
    if (edges)
        return hc_unsupported("data of edges");
    return add_dependencies(graph, from, to, count);
}

cudaError_t
NEWER(cudaGraphNodeGetDependencies)(cudaGraphNode_t node, cudaGraphNode_t *deps,
                                    cudaGraphEdgeData *edges, size_t *count)
{
    const cudaError_t st = get_dependencies(node, deps, count);

    if (!st && edges)
        memset(edges, 0, *count * sizeof *edges);
    return st;
}
