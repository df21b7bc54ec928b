/*
 * The path without analysis on a device: rows, blocks or sampled coordinates where they
 * are, in tiles that are equal pieces, so that nothing is known of the structure, copied,
 * allocated or waited for, and a graph may capture it. Rows of SpMM and SpMV go by ranges
 * (src/kernels/range.c) where the caller gave the scratch for their sums.
 */
#ifndef SB_PLANNER_EVEN_H
#define SB_PLANNER_EVEN_H

#include "base/diag.h"
#include "runtime/problem.h"

#include <stddef.h>

/* Problems here are put by rows (problem.h) and have a device. */

/* Bytes of problem.scratch that ranges want: from sizes and types alone, the same on every
 * device; 0 where they do not serve. */
size_t sb_even_bytes(const sb_problem *pb);

/* Makes the kernels ready that sb_even_run would use, so that it need not; with
 * SPBLAS_JIT=background they are ordered, and nothing is waited for. */
void sb_even_prepare(const sb_problem *pb);

/* Computes. SKIP: no such path for this problem, or no kernel can be had, under capture
 * none that is not loaded. EIO with a sentence: the launch failed. */
sb_status sb_even_run(const sb_problem *pb, sb_diag *diag);

#endif
