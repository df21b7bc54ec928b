/*
 * Triangular solves: what tri.c (the order of rows) and tri_solve.c (arithmetic) share.
 * A row is one thread's and is summed in a fixed order, so the bits depend neither on the
 * team nor on the stages.
 */
#ifndef SB_CPU_TRI_H
#define SB_CPU_TRI_H

#include "runtime/tri.h"

extern const sb_tri_steps sb_cpu_tri;

enum { SB_TRI_LINE = 16 }; /* right sides of a pass over the rows */

/* Kernels of one value and one index type. */
typedef struct sb_tri_kernels {
    /* val and diag from the caller's values; from the diagonal alone. */
    void (*pack)(sb_tri *t, const void *values);
    void (*pack_diagonal)(sb_tri *t, const void *values);
    /* Rows lo .. hi of the order, right sides c .. end. */
    void (*rows)(const sb_tri *t, const sb_tri_solve *s, int64_t lo, int64_t hi,
                 int64_t c, int64_t end);
} sb_tri_kernels;
const sb_tri_kernels *sb_tri_kernels_of(const sb_tri *t);

#endif
