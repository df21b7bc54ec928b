/*
 * Shape of a problem's product.
 */
#include "runtime/problem.h"

void
sb_problem_shape(const sb_problem *pb, int64_t *m, int64_t *n, int64_t *k)
{
    const bool flip_a = pb->trans_a != SB_TRANS_N;

    if (pb->op == SB_OP_SDDMM) {
        *m = pb->a.rows;
        *n = pb->a.cols;
        *k = flip_a ? pb->b.rows : pb->b.cols;
        return;
    }
    *m = flip_a ? pb->a.cols : pb->a.rows;
    *n = pb->c.cols;
    *k = flip_a ? pb->a.rows : pb->a.cols;
}
