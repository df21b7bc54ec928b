/*
 * SpMV over slices of 16 rows stored column by column (src/formats/part_sell.c): one
 * lane a row, so rows of any length fill the lanes and no row costs a mispredicted loop.
 * Columns hold only as many entries as the slice has rows that long: nothing is padded,
 * nothing is computed that is not in the matrix. Wins on every irregular matrix once
 * values may be packed (docs/kernels.md, SpMV).
 * Source   SELL-C-sigma (Kreutzer et al. 2014), with jagged columns
 */
#include "kernels/ops.h"
#include "kernels/recipe.h"

#include <stdio.h>

enum { LANES = 16 };

static void
program(sb_strbuf *out, const sb_spec *s)
{
    static const char *const params[] = {"sell_count", "sell_cols", NULL};
    const char *const buffers[] = {"sell_row",
                                   "I",
                                   "%m",
                                   "sell_col",
                                   "P",
                                   "%sell_count + 1",
                                   "sell_ptr",
                                   "P",
                                   "%sell_cols + 1",
                                   "sell_crd",
                                   "I",
                                   "%nnz",
                                   s->packed ? "sell_val" : "sell_pos",
                                   s->packed ? "V" : "P",
                                   "%nnz",
                                   NULL};
    const char *type = sb_dtype_name(s->compute);

    sb_ops_stage2_begin(out, s, "sell", params, buffers);
    sb_strbuf_printf(out,
                     "  for %%g in 0 .. %%sell_count {\n    local $acc : %s[%d]\n"
                     "    for %%l in 0 .. %d {\n      $acc[%%l] = ",
                     type, LANES, LANES);
    sb_ops_zero(out, s);
    sb_strbuf_printf(out,
                     "\n    }\n    for %%c in cast(i64, $sell_col[%%g]) .. "
                     "cast(i64, $sell_col[%%g + 1]) {\n"
                     "      let %%p = cast(i64, $sell_ptr[%%c])\n"
                     "      let %%a = cast(i64, $sell_ptr[%%c + 1]) - %%p\n"
                     "      for %%l in 0 .. min(%d, %%a) {\n        $acc[%%l] += ",
                     LANES);
    sb_ops_product(
        out, s, s->packed ? "$sell_val[%p + %l]" : "$A[cast(i64, $sell_pos[%p + %l])]",
        "$B[cast(i64, $sell_crd[%p + %l])]");
    sb_strbuf_printf(out,
                     "\n      }\n    }\n    for %%r in 0 .. %d {\n"
                     "      if (%%g * %d + %%r < %%m) {\n"
                     "        $C[cast(i64, $sell_row[%%g * %d + %%r])] = ",
                     LANES, LANES, LANES);
    {
        char target[64];

        (void)snprintf(target, sizeof target,
                       "$C[cast(i64, $sell_row[%%g * %d + %%r])]", LANES);
        sb_ops_result(out, s, target, "$acc[%r]");
    }
    sb_strbuf_puts(out, "\n      }\n    }\n  }\n}\n");
}

static void
schedule(sb_strbuf *out, const sb_spec *s)
{
    (void)s;
    sb_strbuf_puts(out, "vectorize %l\nunroll %r\n");
}

const sb_recipe sb_recipe_SELL = {
    .name = "sell",
    .ops = 1U << SB_KOP_SPMV,
    .program = program,
    .schedule = schedule,
};
