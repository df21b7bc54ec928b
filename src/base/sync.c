/*
 * Thin names over pthread. The calls cannot fail on objects made by the initialisers
 * of the header, hence no statuses.
 */
#include "base/sync.h"

#include <sched.h>

void
sb_mutex_lock(sb_mutex *m)
{
    (void)pthread_mutex_lock(m);
}

void
sb_mutex_unlock(sb_mutex *m)
{
    (void)pthread_mutex_unlock(m);
}

void
sb_cond_wait(sb_cond *c, sb_mutex *m)
{
    (void)pthread_cond_wait(c, m);
}

void
sb_cond_broadcast(sb_cond *c)
{
    (void)pthread_cond_broadcast(c);
}

void
sb_once_run(sb_once *once, void (*fn)(void))
{
    (void)pthread_once(once, fn);
}

void
sb_yield(void)
{
    (void)sched_yield();
}
