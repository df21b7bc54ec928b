/*
 * What the programs for a GPU share: the driver's table, memory, kernels of their own,
 * time by events. Everything that goes wrong ends the program with a sentence.
 */
#ifndef BENCH_GPU_LAB_H
#define BENCH_GPU_LAB_H

#include "gpu/driver.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gpu_lab {
    const sb_driver *d;
    bool emulated;
    char arch[16];
    int sms, l2_bytes;
    sb_cu_ptr stream, from, to; /* events */
    char doing[128];            /* what is under way, for the sentence about an error */
} gpu_lab;
extern gpu_lab gpu;

/* The machine's GPU, or the emulated one; exits with 1 where there is none. */
void gpu_open(bool emulated);
void gpu_close(void);

void gpu_need(int code, const char *what);
/* A copy; NULL: not initialised. 0 bytes are 1. */
sb_cu_mem gpu_copy(const void *from, size_t bytes);
sb_cu_mem gpu_room(size_t bytes);

/* The kernel `name` of a text, compiled for this GPU. NULL: the text does not compile, and
 * why is on stderr; or has no such kernel for this GPU. */
sb_cu_ptr gpu_kernel(const char *text, const char *name);

/* Median over some rounds of the seconds that one of `count` calls takes; calls come in a
 * row, or one by one in a replayed graph. Negative: a call failed; in a graph: it cannot
 * be captured. */
double gpu_seconds(bool (*call)(void *user), void *user, int count);
double gpu_replayed(bool (*call)(void *user), void *user, int count);
/* Whether a call can be captured: it launches, and neither waits nor goes to the host. */
bool gpu_captures(bool (*call)(void *user), void *user);

double gpu_now(void); /* of the host, in seconds */
int gpu_ascending(const void *x, const void *y);

#endif
