/*
 * Thin names over pthread. But for starting a thread the calls cannot fail on objects made
 * by the initialisers of the header, hence no statuses.
 */
#include "base/sync.h"

#include "base/macro.h"

#include <sched.h>
#include <signal.h>

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

bool
sb_thread_start(sb_thread *t, void *(*fn)(void *))
{
    sigset_t all, was;
    bool fine;

    (void)sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &was) != 0)
        return false;
    fine = pthread_create(t, NULL, fn, NULL) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &was, NULL);
    return fine;
}

void
sb_thread_join(sb_thread t)
{
    (void)pthread_join(t, NULL);
}

void
sb_at_fork(void (*before)(void), void (*child)(void))
{
    (void)pthread_atfork(before, NULL, child);
}

enum { KEPT = 60 /* the thread sanitizer follows 64 that a thread holds */ };

static sb_mutex *kept[KEPT];
static int nkept, nheld; /* nheld: while they are held */

static void
hold_kept(void)
{
    const int n = __atomic_load_n(&nkept, __ATOMIC_ACQUIRE);

    for (int q = 0; q < n; q++)
        sb_mutex_lock(kept[q]);
    nheld = n;
}

static void
release_kept(void)
{
    const int n = nheld;

    for (int q = 0; q < n; q++)
        sb_mutex_unlock(kept[q]);
}

void
sb_fork_keep(sb_mutex *m)
{
    const int n = nkept;

    if (n == 0)
        (void)pthread_atfork(hold_kept, release_kept, release_kept);
    SB_ASSERT(n < KEPT);
    if (n == KEPT)
        return;
    kept[n] = m;
    __atomic_store_n(&nkept, n + 1, __ATOMIC_RELEASE);
}
