/*
 * Seeded problems: an operation, a type combination of the compute-type table, and
 * everything else at random over formats, ops, layouts, ld, index widths, bases and
 * batches.
 */
#ifndef SB_TEST_PROBLEMS_H
#define SB_TEST_PROBLEMS_H

#include "gen.h"
#include "runtime/problem.h"

/* One row of the table: a sparse, x and y the dense operands (SDDMM: a the output). */
typedef struct problem_types {
    unsigned ops; /* bit 1 << sb_op for each operation that offers it */
    sb_dtype a, x, y, c;
} problem_types;
extern const problem_types problem_type_table[];
extern const int problem_type_count;

/* Case k. integer: small integers everywhere, so that sums are exact. */
sb_problem problem_make(uint64_t k, sb_op op, const problem_types *t, bool integer);
void problem_free(sb_problem *pb);

/* Replaces the output (SDDMM: the sparse values) by NaN or, for integers, rubbish. */
void problem_poison_output(sb_problem *pb);

#endif
