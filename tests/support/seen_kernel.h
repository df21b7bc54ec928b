/*
 * A backend that runs nothing and keeps what the last kernel was: part of tests that ask what a call
 * without an analysis takes.
 */
#ifndef SB_TEST_SEEN_KERNEL_H
#define SB_TEST_SEEN_KERNEL_H

#include "runtime/backend.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Its spec, and its parameter %last, -1 without. */
static char seen_spec[128];
static int64_t seen_last;

static inline void
seen_run(const sb_kernel *k, void *const *buf, const sb_param *param, int64_t lo,
         int64_t hi)
{
    const char *const last = strstr(k->signature, " last");
    int at = 0;

    (void)buf, (void)lo, (void)hi;
    (void)snprintf(seen_spec, sizeof seen_spec, "%s", k->spec);
    for (const char *s = k->signature; last && s < last + 1; s++)
        at += *s == ' ';
    seen_last = last ? param[at].i : -1;
}

static inline int
seen_threads(void)
{
    return 2;
}

/* Copies nothing, and runs no slab that a thread has for itself. */
static inline void
seen_parallel(sb_range_fn fn, void *user, int64_t lo, int64_t hi, int64_t grain)
{
    (void)fn, (void)user, (void)lo, (void)hi, (void)grain;
}

static const sb_backend seen_backend = {.name = "test",
                                        .threads = seen_threads,
                                        .run_tiles = seen_run,
                                        .parallel = seen_parallel};

#endif
