/*
 * A product of real types as the planner's rules see it: `n` columns, elements of `size` bytes.
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

#endif
