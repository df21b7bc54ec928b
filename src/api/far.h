/*
 * Products on a GPU: dense operands of SpMM that lie by columns are put by rows in externalBuffer
 * and back (runtime/sides.h), some columns at a time where the copies are large; each part is
 * computed by the plan, or without one (bare.h). Without the buffer all is computed as it lies.
 */
#ifndef SB_API_FAR_H
#define SB_API_FAR_H

#include "base/diag.h"
#include "runtime/plan.h"

#include <stddef.h>

/* Of externalBuffer; from sizes and types alone. */
size_t sb_far_bytes(const sb_problem *pb);

/* Of a device's problem: loads the kernels for copies, so that a call with a plan can be captured;
 * what one without a plan needs, or orders it. */
void sb_far_load(const sb_problem *pb);
void sb_far_prepare(const sb_problem *pb);

/* Of a device's problem; plan NULL: none. Nothing is allocated or waited for, but on the way
 * through host memory. */
sb_status sb_far_run(const sb_plan *plan, const sb_problem *pb, sb_diag *diag);

#endif
