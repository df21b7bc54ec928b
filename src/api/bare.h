/*
 * Products on a GPU without a plan: who computes them, and what of externalBuffer they want.
 * In turn are asked: what has blocks and slots in place (native/native.h), what is sorted by
 * the rows of op(A) first (turn.h), what is read by rows as it is (planner/even.h), host memory.
 */
#ifndef SB_API_BARE_H
#define SB_API_BARE_H

#include "base/diag.h"
#include "runtime/problem.h"

#include <stddef.h>

/* From sizes and types alone. */
size_t sb_bare_bytes(const sb_problem *pb);

/* Loads what a call of a device's problem needs, so that it can be captured, or orders it. */
void sb_bare_prepare(const sb_problem *pb);

/* Of a device's problem. Nothing is allocated or waited for, but on the way through host
 * memory. */
sb_status sb_bare_run(const sb_problem *pb, sb_diag *diag);

#endif
