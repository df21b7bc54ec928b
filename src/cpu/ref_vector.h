/*
 * Operations on sparse vectors, in portable C.
 */
#ifndef SB_CPU_REF_VECTOR_H
#define SB_CPU_REF_VECTOR_H

#include "base/diag.h"
#include "runtime/vector.h"

/*
 * Runs the operation on the backend's team (alone before there is one, or when X is
 * short). Indices outside Y are passed over.
 *
 * Writes   Y (AXPBY, SCATTER, ROT), X (GATHER, ROT), job->result (SPVV)
 * Errors   ENOTSUP types without arithmetic
 * Memory   allocates nothing; about 4 KiB of stack per thread
 * Threads  slots of one index are taken in order, sums are cut by X's length alone: the
 *          bits do not depend on the team
 */
sb_status sb_ref_vector(sb_vector *job, sb_diag *diag);

#endif
