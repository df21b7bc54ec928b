/* Objects of the caller's that graphs keep alive, counted. */
#include "internal.h"

struct CUuserObject_st {
    void *data;
    cudaHostFn_t destroy;
    unsigned refs;
    cudaUserObject_t next_dead;
};

static cudaUserObject_t dead; /* nobody refers to them; destroyed outside the lock */

static void
drop(cudaUserObject_t object, unsigned count)
{
    object->refs -= count;
    if (object->refs == 0) {
        object->next_dead = dead;
        dead = object;
    }
}

void
hc_bury(void)
{
    for (;;) {
        cudaUserObject_t object;
        cudaHostFn_t destroy = NULL;
        void *data = NULL;

        hc_lock();
        object = dead;
        if (object) {
            dead = object->next_dead;
            destroy = object->destroy;
            data = object->data;
            hc_object_free(object);
        }
        hc_unlock();
        if (!object)
            return;
        destroy(data);
    }
}

bool
hc_hold(hc_held_list *list, cudaUserObject_t object, unsigned count)
{
    void *grown = list->at;

    for (size_t i = 0; i < list->n; i++) {
        if (list->at[i].object == object) {
            list->at[i].count += count;
            return true;
        }
    }
    if (!hc_grow(&grown, &list->cap, list->n + 1, sizeof *list->at))
        return false;
    list->at = grown;
    list->at[list->n++] = (struct hc_held){object, count};
    return true;
}

bool
hc_hold_all(hc_held_list *to, const hc_held_list *from)
{
    for (size_t i = 0; i < from->n; i++) {
        if (!hc_hold(to, from->at[i].object, 1))
            return false;
        from->at[i].object->refs++;
    }
    return true;
}

void
hc_let_go(hc_held_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        drop(list->at[i].object, list->at[i].count);
    hc_release(list->at);
    *list = (hc_held_list){0};
}

cudaError_t
cudaUserObjectCreate(cudaUserObject_t *object, void *data, cudaHostFn_t destroy,
                     unsigned refs, unsigned flags)
{
    void *made;
    cudaError_t st;

    if (!object || !destroy || refs == 0 || refs > INT32_MAX ||
        flags != cudaUserObjectNoDestructorSync)
        return hc_result(cudaErrorInvalidValue);
    hc_lock();
    st = hc_object_new(&made, sizeof **object, HC_USER_OBJECT);
    if (!st) {
        *object = made;
        **object = (struct CUuserObject_st){data, destroy, refs, NULL};
    }
    hc_unlock();
    return hc_result(st);
}

/* Lock held: whether a change of `count` references makes sense. */
static bool
countable(cudaUserObject_t object, unsigned count)
{
    return hc_object_is(object, HC_USER_OBJECT) && object->refs > 0 && count > 0 &&
           count <= INT32_MAX;
}

cudaError_t
cudaUserObjectRetain(cudaUserObject_t object, unsigned count)
{
    cudaError_t st = cudaErrorInvalidValue;

    hc_lock();
    if (countable(object, count) && count <= INT32_MAX - object->refs) {
        object->refs += count;
        st = cudaSuccess;
    }
    hc_unlock();
    return hc_result(st);
}

cudaError_t
cudaUserObjectRelease(cudaUserObject_t object, unsigned count)
{
    cudaError_t st = cudaErrorInvalidValue;

    hc_lock();
    if (countable(object, count) && count <= object->refs) {
        drop(object, count);
        st = cudaSuccess;
    }
    hc_unlock();
    hc_bury();
    return hc_result(st);
}

cudaError_t
cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count,
                          unsigned flags)
{
    const bool moved = flags == cudaGraphUserObjectMove;
    cudaError_t st = cudaErrorInvalidValue;

    hc_lock();
    if (hc_object_is(graph, HC_GRAPH) && (flags == 0 || moved) &&
        countable(object, count) &&
        (moved ? count <= object->refs : count <= INT32_MAX - object->refs)) {
        st = hc_hold(&graph->held, object, count) ? cudaSuccess
                                                  : cudaErrorMemoryAllocation;
        if (!st && !moved)
            object->refs += count;
    }
    hc_unlock();
    return hc_result(st);
}

cudaError_t
cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count)
{
    cudaError_t st = cudaErrorInvalidValue;

    hc_lock();
    for (size_t i = 0; hc_object_is(graph, HC_GRAPH) && i < graph->held.n; i++) {
        struct hc_held *held = &graph->held.at[i];

        if (held->object != object || count == 0 || count > held->count)
            continue;
        held->count -= count;
        if (held->count == 0)
            *held = graph->held.at[--graph->held.n];
        drop(object, count);
        st = cudaSuccess;
        break;
    }
    hc_unlock();
    hc_bury();
    return hc_result(st);
}
