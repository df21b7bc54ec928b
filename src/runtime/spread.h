/*
 * Products of one column whose entries name rows of C in any order: of A^T, of a CSC, of the
 * transpose of a list. Threads would write the same rows, so entries are cut into parts in the
 * order of storage, each of which has sums of its own for all rows in the caller's buffer, and
 * the parts' sums are added up one after the other. How many parts depends on sizes alone, so bits
 * do not depend on the number of threads; without the buffer one thread adds up all. A thread alone
 * does what several would, for the same bits.
 */
#ifndef SB_RUNTIME_SPREAD_H
#define SB_RUNTIME_SPREAD_H

#include "runtime/problem.h"

/* Parts; 0: not such a product, or too small, or so few entries that sums are most of the work. */
int sb_spread_parts(const sb_problem *pb);

/* Bytes of one part's sums, and of a buffer for all, wherever it begins; 0 without parts, or
 * where a size_t does not hold it. */
size_t sb_spread_part_bytes(const sb_problem *pb);
size_t sb_spread_bytes(const sb_problem *pb);

/* The sums of the first part in pb->scratch, from a line on; NULL: no room. */
void *sb_spread_sums(const sb_problem *pb);

#endif
