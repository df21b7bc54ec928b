/*
 * Mutex, condition, once and thread, so that pthread is named in one file.
 */
#ifndef SB_BASE_SYNC_H
#define SB_BASE_SYNC_H

#include <pthread.h>
#include <stdbool.h>

typedef pthread_mutex_t sb_mutex;
typedef pthread_cond_t sb_cond;
typedef pthread_once_t sb_once;
typedef pthread_t sb_thread;
#define SB_MUTEX_INIT PTHREAD_MUTEX_INITIALIZER
#define SB_COND_INIT PTHREAD_COND_INITIALIZER
#define SB_ONCE_INIT PTHREAD_ONCE_INIT

void sb_mutex_lock(sb_mutex *m);
void sb_mutex_unlock(sb_mutex *m);
void sb_cond_wait(sb_cond *c, sb_mutex *m);
void sb_cond_broadcast(sb_cond *c);
/* For a thread that waits for another's next few instructions. */
void sb_yield(void);
void sb_once_run(sb_once *once, void (*fn)(void));
/* A thread that receives no signals, to be joined; false: none can be had. */
bool sb_thread_start(sb_thread *t, void *(*fn)(void *));
void sb_thread_join(sb_thread t);
/* Around every fork from now on: `before` in the parent, `child` in the child; NULL:
 * nothing. */
void sb_at_fork(void (*before)(void), void (*child)(void));
/* From now on a fork waits for the mutex, which a child then finds free and what it
 * guards whole. Call once for each mutex, from a constructor. No thread may hold two
 * such at once, or fork while it holds one. */
void sb_fork_keep(sb_mutex *m);

#endif
