/*
 * A linked list and a count of holders per entry. Lists are short (one plan per shape
 * and type in use), so a walk under a lock costs nanoseconds. The locks are the
 * process's, shared by lists, so that a fork can wait for all of them.
 */
#include "api/planlist.h"

#include "base/alloc.h"
#include "base/sync.h"

struct sb_planref {
    sb_planref *next;
    sb_plan *plan;
    int holders; /* calls using it, plus one while it is listed */
};

struct sb_planlist {
    sb_mutex *lock;
    sb_planref *head;
};

/* Lists made one after the other have locks, and lines, of their own. */
enum { LOCKS = 48 };

static struct {
    _Alignas(64) sb_mutex one;
} locks[LOCKS];
static unsigned lists; /* so many were made; atomic */

__attribute__((constructor)) static void
watch_forks(void)
{
    for (int q = 0; q < LOCKS; q++) {
        locks[q].one = (sb_mutex)SB_MUTEX_INIT;
        sb_fork_keep(&locks[q].one);
    }
}

sb_status
sb_planlist_create(sb_planlist **out)
{
    *out = sb_alloc_zero(sizeof **out);
    if (!*out)
        return SB_ENOMEM;
    (*out)->lock = &locks[__atomic_fetch_add(&lists, 1, __ATOMIC_RELAXED) % LOCKS].one;
    return SB_OK;
}

void
sb_planlist_release(sb_planlist *list)
{
    if (!list)
        return;
    sb_planlist_drop(list);
    sb_free(list);
}

/* Under the lock. True when the caller must destroy it, outside the lock. */
static bool
let_go(sb_planref *ref)
{
    return --ref->holders == 0;
}

static void
destroy(sb_planref *ref)
{
    sb_plan_release(ref->plan);
    sb_free(ref);
}

static void
destroy_chain(sb_planref *dead)
{
    while (dead) {
        sb_planref *next = dead->next;

        destroy(dead);
        dead = next;
    }
}

/* Unlinks every entry that serves pb (all when pb is NULL) and returns those nobody
 * holds, chained. Under the lock. */
static sb_planref *
unlink_serving(sb_planlist *list, const sb_problem *pb)
{
    sb_planref **at = &list->head, *dead = NULL;

    while (*at) {
        sb_planref *ref = *at;

        if (pb && !sb_plan_matches(ref->plan, pb)) {
            at = &ref->next;
            continue;
        }
        *at = ref->next;
        ref->next = NULL;
        if (let_go(ref)) {
            ref->next = dead;
            dead = ref;
        }
    }
    return dead;
}

sb_status
sb_planlist_put_take(sb_planlist *list, sb_plan *plan)
{
    sb_planref *ref = sb_alloc_zero(sizeof *ref), *dead;

    if (!ref) {
        sb_plan_release(plan);
        return SB_ENOMEM;
    }
    ref->plan = plan;
    ref->holders = 1;
    sb_mutex_lock(list->lock);
    dead = unlink_serving(list, &plan->key);
    ref->next = list->head;
    list->head = ref;
    sb_mutex_unlock(list->lock);
    destroy_chain(dead);
    return SB_OK;
}

void
sb_planlist_drop(sb_planlist *list)
{
    sb_planref *dead;

    sb_mutex_lock(list->lock);
    dead = unlink_serving(list, NULL);
    sb_mutex_unlock(list->lock);
    destroy_chain(dead);
}

int
sb_planlist_count(sb_planlist *list)
{
    int n = 0;

    sb_mutex_lock(list->lock);
    for (const sb_planref *ref = list->head; ref; ref = ref->next)
        n++;
    sb_mutex_unlock(list->lock);
    return n;
}

sb_planref *
sb_planlist_find(sb_planlist *list, const sb_problem *pb)
{
    sb_planref *ref;

    sb_mutex_lock(list->lock);
    ref = list->head;
    while (ref && !sb_plan_matches(ref->plan, pb))
        ref = ref->next;
    if (ref)
        ref->holders++;
    sb_mutex_unlock(list->lock);
    return ref;
}

sb_planref *
sb_planlist_at(sb_planlist *list, int index)
{
    sb_planref *ref;

    sb_mutex_lock(list->lock);
    ref = index >= 0 ? list->head : NULL;
    for (int i = 0; ref && i < index; i++)
        ref = ref->next;
    if (ref)
        ref->holders++;
    sb_mutex_unlock(list->lock);
    return ref;
}

const sb_plan *
sb_planref_plan(const sb_planref *ref)
{
    return ref ? ref->plan : NULL;
}

void
sb_planlist_unhold(sb_planlist *list, sb_planref *ref)
{
    bool dead;

    if (!ref)
        return;
    sb_mutex_lock(list->lock);
    dead = let_go(ref);
    sb_mutex_unlock(list->lock);
    if (dead)
        destroy(ref);
}
