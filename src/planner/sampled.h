/*
 * SDDMM on a device whose matrix is compressed by rows of op(A): equal ranges of its entries
 * where they lie, whatever the rows are (src/kernels/range.c). Nothing about the structure is
 * used, so a plan and a call without one launch the same.
 */
#ifndef SB_PLANNER_SAMPLED_H
#define SB_PLANNER_SAMPLED_H

#include "runtime/plan.h"

/* Whether it is such a problem; put by rows (problem.h). */
bool sb_sampled_by_entries(const sb_problem *pb);

/* Its kernel; ENOKERNEL. */
sb_status sb_sampled_kernel(const sb_kernel **out, const sb_problem *pb,
                            sb_kernel_effort effort);

enum { SB_SAMPLED_INTS = 3 };

/* What the kernel's parameters are beside the problem's; returns its tiles. */
int64_t sb_sampled_tiles(sb_plan_int out[SB_SAMPLED_INTS], const sb_problem *pb,
                         const sb_kernel *k);

#endif
