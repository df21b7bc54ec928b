/*
 * The CPU's table for the legacy routines.
 */
#include "cpu/legacy.h"

#include "cpu/balance.h"

sb_status
sb_legacy_add_up(int32_t *ptr, int64_t m, int base, int64_t *total)
{
    return sb_balance_offsets(ptr, SB_I32, m, base, total);
}

const sb_legacy_steps sb_cpu_legacy = {
    .flip_scratch = sb_flip_scratch,
    .flip = sb_flip_run,
    .order_scratch = sb_order_scratch,
    .order = sb_order_run,
    .offsets = sb_order_offsets,
    .rows = sb_order_rows,
    .identity = sb_order_identity,
    .permute = sb_order_permute,
    .add_up = sb_legacy_add_up,
    .filter_count = sb_filter_count,
    .filter_fill = sb_filter_fill,
    .filter_rank = sb_filter_rank,
    .filter_scratch = sb_filter_scratch,
    .masked = sb_masked_run,
    .gemvi = sb_gemvi_run,
    .band_scratch = sb_band_scratch,
    .band = sb_band_run,
    .factor_scratch = sb_incomplete_scratch,
    .factor = sb_incomplete_run,
    .regrid_count = sb_regrid_count,
    .regrid_fill = sb_regrid_fill,
    .color = sb_color_run,
};
