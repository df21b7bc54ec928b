/*
 * One thread in the background for the whole process: jobs in the order they came, one at
 * a time. It is there while there are jobs. When the process ends jobs that wait are
 * dropped and the one that runs is waited for. A forked child begins without jobs; those
 * of its parent are neither run nor dropped there. Thread-safe.
 */
#ifndef SB_BASE_WORKER_H
#define SB_BASE_WORKER_H

#include <stdbool.h>

/* The first member of a job; what was put is the worker's until `run` or `drop` has it. */
typedef struct sb_job {
    struct sb_job *next;
    const void *owner;
    void (*run)(struct sb_job *job);  /* on the thread */
    void (*drop)(struct sb_job *job); /* instead */
} sb_job;

/* False: there is no thread to be had, and the job stays the caller's. */
bool sb_worker_put(sb_job *job);

/* Drops the owner's jobs and waits for the one that runs; afterwards none is left. Not
 * from a job. */
void sb_worker_end(const void *owner);

/* Until no job of the owner waits or runs. */
void sb_worker_wait(const void *owner);

#endif
