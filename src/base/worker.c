/*
 * See worker.h. The thread ends when it finds no job, so that a process at rest has
 * none; it is joined before the next one starts.
 */
#include "base/worker.h"

#include "base/sync.h"

#include <stddef.h>
#include <stdlib.h>

static sb_once once = SB_ONCE_INIT;
static sb_mutex lock = SB_MUTEX_INIT;
static sb_cond changed = SB_COND_INIT;
/* Under the lock. */
static sb_job *queue;
static const void *running; /* its owner */
static bool busy, alive, started, closed;
static sb_thread thread;

static void *
work(void *unused)
{
    (void)unused;
    sb_mutex_lock(&lock);
    while (queue) {
        sb_job *job = queue;

        queue = job->next;
        running = job->owner;
        busy = true;
        sb_mutex_unlock(&lock);
        job->run(job);
        sb_mutex_lock(&lock);
        busy = false;
        sb_cond_broadcast(&changed);
    }
    alive = false;
    sb_mutex_unlock(&lock);
    return NULL;
}

/* Takes the owner's jobs (all for NULL) out of the queue; a list. */
static sb_job *
take(const void *owner)
{
    sb_job *out = NULL, **at = &queue;

    while (*at) {
        sb_job *job = *at;

        if (owner && job->owner != owner) {
            at = &job->next;
            continue;
        }
        *at = job->next;
        job->next = out;
        out = job;
    }
    return out;
}

static void
drop(sb_job *list)
{
    while (list) {
        sb_job *job = list;

        list = job->next;
        job->drop(job);
    }
}

/* ---- the ends of a process -------------------------------------------------------------- */

static void
close_worker(void)
{
    sb_job *list;
    bool join;

    sb_mutex_lock(&lock);
    closed = true;
    list = take(NULL);
    join = started;
    started = false;
    sb_mutex_unlock(&lock);
    drop(list);
    if (join)
        sb_thread_join(thread);
}

/* The thread stayed with the parent, and so did whatever its job held. Jobs that
 * waited are forgotten: to drop one may take a lock that somebody else held. */
static void
in_child(void)
{
    queue = NULL;
    busy = alive = started = false;
    changed = (sb_cond)SB_COND_INIT;
}

static void
begin(void)
{
    closed = atexit(close_worker) != 0;
}

__attribute__((constructor)) static void
watch_forks(void)
{
    sb_fork_keep(&lock);
    sb_at_fork(NULL, in_child);
}

/* ---- jobs --------------------------------------------------------------------------------- */

bool
sb_worker_put(sb_job *job)
{
    sb_job **end = &queue;
    bool fine;

    sb_once_run(&once, begin);
    job->next = NULL;
    sb_mutex_lock(&lock);
    if (!alive && !closed) {
        if (started) /* it has ended, or is about to */
            sb_thread_join(thread);
        queue = job; /* before there is a thread that looks */
        alive = started = sb_thread_start(&thread, work);
        if (!alive)
            queue = NULL;
        fine = alive;
    } else {
        fine = !closed;
        while (fine && *end)
            end = &(*end)->next;
        if (fine)
            *end = job;
    }
    sb_mutex_unlock(&lock);
    return fine;
}

void
sb_worker_wait(const void *owner)
{
    const sb_job *job;

    sb_mutex_lock(&lock);
    do {
        for (job = queue; job && job->owner != owner;)
            job = job->next;
        if (job || (busy && running == owner))
            sb_cond_wait(&changed, &lock);
    } while (job || (busy && running == owner));
    sb_mutex_unlock(&lock);
}

void
sb_worker_end(const void *owner)
{
    sb_job *list;

    sb_mutex_lock(&lock);
    list = take(owner);
    while (busy && running == owner)
        sb_cond_wait(&changed, &lock);
    sb_mutex_unlock(&lock);
    drop(list);
}
