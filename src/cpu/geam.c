/*
 * The steps of a sum of sparse matrices, over both index types and all value types.
 */
#include "cpu/geam.h"

#include "base/fault.h"
#include "cpu/balance.h"
#include "cpu/sum.h"

#include <string.h>

static bool
is_zero(sb_value v)
{
    return v.re == 0.0 && v.im == 0.0;
}

#define I int32_t
#define INDEX(name) i32_##name
#include "cpu/geam_count.inc"
#define EACH "cpu/geam.inc"
#include "cpu/each_type.inc"
#undef I
#undef INDEX

#define I int64_t
#define INDEX(name) i64_##name
#include "cpu/geam_count.inc"
#define EACH "cpu/geam.inc"
#include "cpu/each_type.inc"
#undef I
#undef INDEX

static void
run(const sb_geam *g, sb_range_fn fn)
{
    const sb_balance rows = {
        g->a.rows, {g->a.ptr, g->b.ptr}, {g->a.ptr_type, g->b.ptr_type}};

    sb_balance_run(&rows, fn, (void *)(uintptr_t)g);
}

static sb_status
count(const sb_geam *g, int64_t *nnz)
{
    run(g, g->a.idx_type == SB_I64 ? i64_count : i32_count);
    return sb_balance_offsets((void *)(uintptr_t)g->c.ptr, g->c.ptr_type, g->a.rows,
                              g->c.base, nnz);
}

static void
fill(const sb_geam *g)
{
    static const sb_range_fn table[SB_DTYPE_COUNT][2] = {
        [SB_F32] = {f32_i32_fill, f32_i64_fill},
        [SB_F64] = {f64_i32_fill, f64_i64_fill},
        [SB_C32] = {c32_i32_fill, c32_i64_fill},
        [SB_C64] = {c64_i32_fill, c64_i64_fill},
        [SB_F16] = {f16_i32_fill, f16_i64_fill},
        [SB_BF16] = {bf16_i32_fill, bf16_i64_fill},
    };

    run(g, table[g->a.val_type][g->a.idx_type == SB_I64]);
}

const sb_geam_steps sb_cpu_geam = {count, fill};
