/*
 * Products for the planner's rules to be asked about: as they see it, `n` columns, elements of
 * `size` bytes; and as a caller has it.
 */
#ifndef SB_TEST_PRODUCT_WORK_H
#define SB_TEST_PRODUCT_WORK_H

#include "planner/cost.h"

#include <stdint.h>

static inline sb_work
product(int64_t n, int size)
{
    return (sb_work){.op = SB_OP_SPMM,
                     .n = n,
                     .a_size = size,
                     .b_size = size,
                     .c_size = size,
                     .compute_size = size};
}

/* A square, compressed by rows; B and C of n columns by rows; floats. */
static inline sb_problem
by_rows(int64_t m, int64_t n)
{
    sb_problem pb = {.op = SB_OP_SPMM, .a = {.format = SB_FORMAT_CSR}};

    pb.a.rows = pb.a.cols = pb.b.rows = pb.c.rows = m;
    pb.b.cols = pb.c.cols = n;
    pb.a.val_type = pb.b.type = pb.c.type = pb.compute = SB_F32;
    return pb;
}

#endif
