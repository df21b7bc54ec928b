/*
 * The path without analysis: rows, blocks or sampled coordinates where they are, on a
 * kernel that is resident, a few tiles on the stack. Nothing is allocated, and what the arrays of
 * an earlier call held decides nothing.
 */
#ifndef SB_PLANNER_DIRECT_H
#define SB_PLANNER_DIRECT_H

#include "base/diag.h"
#include "runtime/problem.h"

/* The problem as the caller has it. SB_SKIP when this problem has no such path: the reference kernel serves then. */
sb_status sb_direct_run(const sb_problem *pb, sb_diag *diag);

#endif
