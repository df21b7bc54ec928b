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

/* Whether rows of A^T (A^H) are wanted. */
bool sb_problem_transposes(const sb_problem *pb);
/* Whether kernels can read the caller's arrays row by row where they are. O(1), but
 * O(nnz) for COO: whether its entries are sorted by row. */
bool sb_problem_in_place(const sb_problem *pb);

/*
 * The index-th composition legal for the problem; false past the end. in: the result of
 * sb_problem_in_place; packed: the forms with packed values too, after all others. Tile
 * and prefetch are left to the rules.
 */
bool sb_candidate(sb_choice *out, const sb_problem *pb, bool in, bool packed,
                  int mean_k, int index);

/* Whether kernels of these parts exist for the operation. */
bool sb_parts_computable(sb_op op, const sb_choice *ch);

#endif
