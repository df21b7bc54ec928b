/*
 * Products of A^T of rows, of A of columns, and of both of a list in any order, on a GPU
 * without a plan: the matrix is put by rows of op(A) into the call's externalBuffer, by
 * stable sorts, and computed by ranges from there. Every call does it anew, because values
 * may have changed. Of a list that is promised to be in order only the offsets are made.
 */
#ifndef SB_API_TURN_H
#define SB_API_TURN_H

#include "base/diag.h"
#include "runtime/problem.h"

#include <stddef.h>

/* Bytes of the buffer, ranges' sums included; 0: the problem has nothing to turn, or sizes
 * of 31 bits or more, or another format. From sizes and types alone; of one member. */
size_t sb_turn_bytes(const sb_problem *pb);

/* Loads what a call needs, so that it can be captured. */
void sb_turn_prepare(const sb_problem *pb);

/*
 * The problem, whose matrix is no batch, on the turned arrays, in pb->scratch on its stream;
 * nothing is allocated or waited for. SKIP: nothing to turn, no buffer, or no kernels for it.
 */
sb_status sb_turn_put(sb_problem *out, const sb_problem *pb, sb_diag *diag);

#endif
