/*
 * Products that the generic interface does not have.
 */
#include "cpu/exec.h"
#include "cpu/legacy.h"
#include "cpu/sum.h"

enum { BAND = 32 };

static bool
is_zero(sb_value v)
{
    return v.re == 0.0 && v.im == 0.0;
}

#define EACH "cpu/legacy_product.inc"
#include "cpu/each_type.inc"

void
sb_masked_run(const sb_masked *k)
{
    static const sb_range_fn table[SB_DTYPE_COUNT] = {
        [SB_F32] = f32_masked, [SB_F64] = f64_masked, [SB_C32] = c32_masked,
        [SB_C64] = c64_masked, [SB_F16] = f16_masked, [SB_BF16] = bf16_masked,
    };

    sb_exec_parallel(table[k->type], (void *)(uintptr_t)k, 0, k->rows, 64);
}

void
sb_gemvi_run(const sb_gemvi *k)
{
    static const sb_range_fn table[SB_DTYPE_COUNT] = {
        [SB_F32] = f32_gemvi, [SB_F64] = f64_gemvi, [SB_C32] = c32_gemvi,
        [SB_C64] = c64_gemvi, [SB_F16] = f16_gemvi, [SB_BF16] = bf16_gemvi,
    };

    sb_exec_parallel(table[k->type], (void *)(uintptr_t)k, 0,
                     (k->rows + BAND - 1) / BAND, 1);
}
