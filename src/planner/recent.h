/*
 * Kernels that are at hand, by spec, without the text of it: what a product without a plan
 * looks up at every call.
 */
#ifndef SB_PLANNER_RECENT_H
#define SB_PLANNER_RECENT_H

#include "kernels/spec.h"
#include "runtime/kernel.h"

/* As sb_kernel_get of the spec's text with SB_KERNEL_RESIDENT; ENOTSUP where it has none.
 * What this thread asked for last it remembers, that there is no kernel included, as long as
 * none is added to or taken from those of the process. */
sb_status sb_recent_kernel(const sb_kernel **out, const sb_spec *spec);

#endif
