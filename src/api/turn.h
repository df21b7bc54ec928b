/*
 * Products of A^T of rows, and of A of columns, on a GPU without a plan: the matrix is turned
 * in the call's externalBuffer, by stable sorts, and computed by ranges from there. Every
 * call turns it anew, because values may have changed.
 */
#ifndef SB_API_TURN_H
#define SB_API_TURN_H

#include "base/diag.h"
#include "runtime/problem.h"

#include <stddef.h>

/* Bytes of the buffer, ranges' sums included; 0: the problem has nothing to turn, or indices
 * of 64 bits, a batch of matrices, or another format. From sizes and types alone. */
size_t sb_turn_bytes(const sb_problem *pb);

/* Loads what a call needs, so that it can be captured. */
void sb_turn_prepare(const sb_problem *pb);

/*
 * The problem on the turned arrays, in pb->scratch on its stream; nothing is allocated or
 * waited for. SKIP: nothing to turn, no buffer, or no kernels for it.
 */
sb_status sb_turn_put(sb_problem *out, const sb_problem *pb, sb_diag *diag);

#endif
