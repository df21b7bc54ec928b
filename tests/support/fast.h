/* Emerald Rapids as rules see it, and products that are square. */
#ifndef SB_TEST_FAST_H
#define SB_TEST_FAST_H

#include "cpu/cpu.h"
#include "product_work.h"
#include "runtime/backend.h"
#include "runtime/target.h"

#include <stdint.h>
#include <stdlib.h>

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

/* Of a group of tests, before the first: plans are those of the level, by kernels that are built in. */
static inline int
plan_as_fast(void **state)
{
    (void)state;
    sb_backend_set(&sb_cpu_backend);
    return setenv("SPBLAS_ISA", "v4g", 1) || setenv("SPBLAS_JIT", "off", 1) ||
           setenv("SPBLAS_MODEL", "off", 1);
}

#endif
