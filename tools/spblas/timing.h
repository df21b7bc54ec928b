/* Interleaved timing: several functions, round after round in random order, each batch
 * after an untimed call. */
#ifndef SPBLAS_TOOL_TIMING_H
#define SPBLAS_TOOL_TIMING_H

#include <stdint.h>

typedef struct timed {
    void (*run)(void *user);
    void *user;
    double q1, median, q3; /* seconds a call; set by time_interleaved */
} timed;

enum { TIMED_MAX = 96 };

/* rounds 0: as many as fit into about `seconds`, 5 .. 101. progress: what tool_progress
 * says meanwhile, or NULL. */
void time_interleaved(timed *what, int count, int64_t rounds, double seconds,
                      const char *progress);

#endif
