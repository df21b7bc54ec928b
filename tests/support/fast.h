/* Emerald Rapids as rules see it, and products that are square. */
#ifndef SB_TEST_FAST_H
#define SB_TEST_FAST_H

#include "product_work.h"
#include "runtime/target.h"

#include <stdint.h>

static const sb_target fast = {
    .isa = SB_ISA_V4G, .threads = 2, .l1 = 48 << 10, .l2 = 2 << 20, .l3 = 300 << 20};

static inline sb_work
square(int64_t m, int64_t n, int size, int64_t entries)
{
    sb_work w = product(n, size);

    w.m = w.k = m;
    w.nnz = m * entries;
    w.idx_size = 4;
    w.a_type = size == 4 ? SB_F32 : SB_F64;
    return w;
}

#endif
