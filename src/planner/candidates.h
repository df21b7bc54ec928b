/*
 * The compositions the planner weighs and the tests force.
 */
#ifndef SB_PLANNER_CANDIDATES_H
#define SB_PLANNER_CANDIDATES_H

#include "planner/choice.h"

/* Stands for sb_mean_k in tables; neighbours are SB_K_MEAN + 1 and so on. */
enum { SB_K_MEAN = 1000 };

/* ceil(log2(entries / rows)): the k of hyb(c, k). */
int sb_mean_k(int64_t rows, int64_t nnz);

/* Whether kernels can read the caller's arrays row by row where they are. O(1), but
 * O(nnz) for COO: whether its entries are sorted by row. */
bool sb_problem_in_place(const sb_problem *pb);

/* Whether the members of the batch have their own structure arrays. */
bool sb_problem_own_structures(const sb_problem *pb);
/* The part that reads the caller's arrays and holds none, so that it serves every member
 * of a batch and calls without analysis: csr, blocks or list; -1 when there is none. */
int sb_problem_as_is(const sb_problem *pb);

/*
 * The index-th composition legal for the problem; false past the end. in: the result of
 * sb_problem_in_place; packed: the forms with packed values too, after all others. Tile
 * and prefetch are left to the rules.
 */
bool sb_candidate(sb_choice *out, const sb_problem *pb, bool in, bool packed,
                  int mean_k, int index);
/* The next of them; *line is 0 at first. For whoever wants all: finding the index-th reads
 * those before it. */
bool sb_candidate_next(sb_choice *out, const sb_problem *pb, bool in, bool packed,
                       int mean_k, int *line);

/* Whether a part of it can hold copies of the values. */
bool sb_choice_packable(const sb_choice *ch);

/* Whether kernels of these parts exist for the problem's operation: some of SDDMM only on a
 * GPU's tensor cores. */
bool sb_parts_computable(const sb_problem *pb, const sb_choice *ch);

#endif
