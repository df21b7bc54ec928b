/*
 * Dense square blocks: one load of a row of B serves a block's rows. Blocks cut from CSR
 * are completely full, so nothing is padded. Rows of C are kept in registers in groups
 * of at most eight; a larger block walks its groups one after the other.
 * Measured: 1.2-2.0x over compressed rows where blocks exist (docs/kernels.md).
 */
#include "kernels/ops.h"
#include "kernels/recipe.h"
#include "kernels/schedule.h"

#include <stdio.h>

static void
head(sb_strbuf *out, const sb_spec *s)
{
    static const char *const params[] = {"bsr_count", NULL};
    char ptr[48], val[48];
    const char *const buffers[] = {"bsr_ptr",
                                   "P",
                                   ptr,
                                   "bsr_crd",
                                   "I",
                                   "%bsr_count",
                                   s->packed ? "bsr_val" : "bsr_pos",
                                   s->packed ? "V" : "P",
                                   val,
                                   NULL};

    (void)snprintf(ptr, sizeof ptr, "%%m / %d + 1", s->block);
    (void)snprintf(val, sizeof val, "%%bsr_count * %d", s->block * s->block);
    sb_ops_stage2_begin(out, s, "bsr", params, buffers);
}

/* Block row %w, group %g of its rows, column %c, row %r of the group; then blocks %q and
 * columns %jj of a block. The schedule turns %r and %c inside. */
static void
program(sb_strbuf *out, const sb_spec *s)
{
    const bool mm = s->op == SB_KOP_SPMM;
    const int b = s->block, rows = sb_schedule_group(b);
    char c[64];

    (void)snprintf(c, sizeof c, "$C[%%w * %d + (%%g * %d + %%r)%s]", b, rows,
                   mm ? ", %c" : "");
    head(out, s);
    sb_strbuf_printf(out, "  for %%w in 0 .. %%m / %d {\n", b);
    sb_strbuf_printf(out, "    for %%g in 0 .. %d {\n", b / rows);
    sb_ops_columns(out, s, "      ");
    sb_strbuf_printf(out, "        for %%r in 0 .. %d {\n          %s = ", rows, c);
    sb_ops_init(out, s, c);
    sb_strbuf_puts(out, "\n          for %q in cast(i64, $bsr_ptr[%w]) .. "
                        "cast(i64, $bsr_ptr[%w + 1]) reduce {\n");
    sb_strbuf_printf(out, "            for %%jj in 0 .. %d reduce {\n", b);
    sb_strbuf_printf(
        out,
        "              let %%j = cast(i64, $bsr_crd[%%q]) * %d + %%jj\n"
        "              let %%s = (%%q * %d + (%%g * %d + %%r)) * %d + %%jj\n"
        "              %s += ",
        b, b, rows, b, c);
    sb_ops_term(out, s, s->packed ? "$bsr_val[%s]" : "$A[cast(i64, $bsr_pos[%s])]",
                mm ? "$B[%j, %c]" : "$B[%j]");
    sb_strbuf_puts(out, "\n            }\n          }\n        }\n");
    sb_strbuf_puts(out, mm ? "      }\n" : "");
    sb_strbuf_puts(out, "    }\n  }\n}\n");
}

const sb_recipe sb_recipe_BSR = {
    .name = "bsr",
    .ops = 1U << SB_KOP_SPMM | 1U << SB_KOP_SPMV,
    .program = program,
    .schedule = sb_schedule_blocks,
    .unit = {"%w", "%w", NULL},
    .column = "%c0",
};
