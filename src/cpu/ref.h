/*
 * The reference kernels: every problem the API lets through, in portable C. They are the
 * fallback when no compiled kernel fits and the partner of the tests' oracle.
 */
#ifndef SB_CPU_REF_H
#define SB_CPU_REF_H

#include "base/diag.h"
#include "runtime/problem.h"

/*
 * Runs the problem on the backend's team (alone before there is one).
 *
 * Reads    A, B; C (SDDMM: A's values) only when beta is not 0
 * Errors   ENOTSUP for a type combination without loads or stores
 * Memory   allocates nothing; about 40 KiB of stack per thread
 * Threads  every output element belongs to one thread and is summed in storage order, so
 *          the bits do not depend on the team
 */
sb_status sb_ref_run(const sb_problem *pb, sb_diag *diag);

#endif
