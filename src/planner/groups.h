/*
 * SpMV of a GPU's plan where rows in place are of about one length: a group of lanes a row, so many
 * rows a block whatever they are, and no tiles (src/kernels/groups.inc).
 */
#ifndef SB_PLANNER_GROUPS_H
#define SB_PLANNER_GROUPS_H

#include "formats/stats.h"
#include "runtime/plan.h"

/* Lanes of a row; 0: the problem is another, or its rows are not alike. */
int sb_groups_lanes(const sb_problem *pb, const sb_stats *s);

/* The kernel with so many; ENOKERNEL. */
sb_status sb_groups_kernel(const sb_kernel **out, const sb_problem *pb, int lanes,
                           sb_kernel_effort effort);

/* The kernel's parameter beside the problem's; returns its tiles. */
int64_t sb_groups_tiles(sb_plan_int *out, const sb_problem *pb, const sb_kernel *k);

#endif
