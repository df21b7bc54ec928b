/*
 * A plan being built; shared by build.c and steps.c only.
 */
#ifndef SB_PLANNER_BUILD_H
#define SB_PLANNER_BUILD_H

#include "planner/context.h"

/* One more part than a choice has: rows that nothing else touches. */
typedef struct sb_build {
    sb_planner *pl;
    sb_diag *diag;
    sb_kernel_effort effort;
    sb_choice choice; /* what is really built, rules spelled out */
    sb_cover cover;
    int npart;
    sb_part part[SB_CHOICE_PARTS + 1];
    sb_plan *plan;
} sb_build;

/* Settles tile, prefetch and streaming of b->choice on kernels that can be had for the
 * parts of `want`; ENOKERNEL with a sentence when there are none. */
sb_status sb_build_kernels_exist(sb_build *b, const sb_choice *want);

/* Fills the plan's steps and tiles from b->part, which may be fewer than `want` has. */
sb_status sb_build_steps(sb_build *b, const sb_choice *want);

#endif
