/* Lists of graph nodes. */
#include "internal.h"

#include <string.h>

bool
hc_nodes_push(hc_nodes *nodes, cudaGraphNode_t node)
{
    void *at = nodes->at;

    if (!hc_grow(&at, &nodes->cap, nodes->n + 1, sizeof *nodes->at))
        return false;
    nodes->at = at;
    nodes->at[nodes->n++] = node;
    return true;
}

bool
hc_nodes_add(hc_nodes *nodes, cudaGraphNode_t node)
{
    for (size_t i = 0; i < nodes->n; i++) {
        if (nodes->at[i] == node)
            return true;
    }
    return hc_nodes_push(nodes, node);
}

bool
hc_nodes_copy(hc_nodes *to, const hc_nodes *from)
{
    void *at = to->at;

    if (!hc_grow(&at, &to->cap, from->n, sizeof *to->at))
        return false;
    to->at = at;
    to->n = from->n;
    if (from->n)
        memcpy(to->at, from->at, from->n * sizeof *to->at);
    return true;
}

void
hc_nodes_clear(hc_nodes *nodes)
{
    hc_release(nodes->at);
    *nodes = (hc_nodes){0};
}
