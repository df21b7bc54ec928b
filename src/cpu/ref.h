/*
 * The reference kernels: every problem the API lets through, in portable C with loops for every
 * type. They are what runs where no compiled kernel fits: most calls without an analysis that are
 * not by rows, and plans of types for which none is built in.
 */
#ifndef SB_CPU_REF_H
#define SB_CPU_REF_H

#include "base/diag.h"
#include "runtime/problem.h"

/*
 * Runs the problem on the backend's team (alone before there is one).
 *
 * Reads    A, B; C (SDDMM: A's values) only when beta is not 0
 * Errors   ENOTSUP for a type combination without loops, loads or stores
 * Memory   allocates nothing; about 50 KiB of stack per thread
 * Writes   pb->scratch, through which sums of one column of A^T, a CSC or a transposed list go
 *          where it has the room (runtime/spread.h)
 * Threads  every output element is summed in an order that storage and that room alone give, so
 *          the bits do not depend on the team
 */
sb_status sb_ref_run(const sb_problem *pb, sb_diag *diag);

#endif
