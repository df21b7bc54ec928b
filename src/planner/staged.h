/*
 * A device's arrays brought to the host: what an analysis reads there, and the way of a
 * problem that no kernel of the device serves.
 */
#ifndef SB_PLANNER_STAGED_H
#define SB_PLANNER_STAGED_H

#include "base/diag.h"
#include "runtime/problem.h"

enum { SB_STAGED_MAX = 6 };

/* Host copies; all zero before first use. */
typedef struct sb_staged {
    int n;
    void *copy[SB_STAGED_MAX];
} sb_staged;

/* Turns pb's offsets and indices, and A's values if wanted, into host copies that live
 * until sb_staged_free. Waits for the stream. ENOMEM, EIO; ENOTSUP while it captures. */
sb_status sb_staged_structure(sb_staged *s, sb_problem *pb, bool values, sb_diag *diag);
void sb_staged_free(sb_staged *s);

/* Computes a device's problem on the host: all operands there, the output back. Errors as
 * above and sb_execute's. */
sb_status sb_staged_run(const sb_problem *pb, sb_diag *diag);

#endif
