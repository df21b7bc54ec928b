/*
 * Dense square blocks: one load of a row of B serves a block's rows. Blocks cut from CSR
 * are completely full, so nothing is padded. Rows of C are kept in registers in groups
 * of at most eight; a larger block walks its groups one after the other.
 * Measured: 1.2-2.0x over compressed rows where blocks exist
 * (docs/measured/spmm-windows.md).
 */
#include "kernels/ops.h"
#include "kernels/recipe.h"
#include "kernels/schedule.h"
#include "kernels/tensor.h"

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

/* Tensor cores: `deep` columns of a block at a time are the summed index. */
static void
program_tensor(sb_strbuf *out, const sb_spec *s)
{
    const int b = s->block, most = sb_tensor_depth(s), deep = most < b ? most : b;
    char place[96], value[128], row[32];

    head(out, s);
    (void)snprintf(row, sizeof row, "%%w * %d", b);
    (void)snprintf(place, sizeof place, "%%z * %d + %%u", deep);
    (void)snprintf(value, sizeof value,
                   s->packed
                       ? "$bsr_val[((%%q * %d + %%j) * %d) + (%s)]"
                       : "$A[cast(i64, $bsr_pos[((%%q * %d + %%j) * %d) + (%s)])]",
                   b, b, place);
    sb_strbuf_printf(out, "  for %%w in 0 .. %%m / %d {\n", b);
    sb_tensor_clear(out, s, "%n", b);
    sb_strbuf_printf(out,
                     "    for %%q in cast(i64, $bsr_ptr[%%w]) .. "
                     "cast(i64, $bsr_ptr[%%w + 1]) reduce {\n"
                     "    for %%z in 0 .. %d reduce {\n",
                     b / deep);
    sb_tensor_begin(out, s, b, deep);
    (void)snprintf(row, sizeof row, "]) * %d + ", b);
    sb_tensor_rows(out, s, "", "cast(i64, $bsr_crd[%q", row, place);
    sb_strbuf_puts(out, " * ");
    sb_ops_operand(out, s, value, s->a, false);
    sb_tensor_end(out);
    sb_strbuf_puts(out, "    }\n    }\n");
    (void)snprintf(row, sizeof row, "%%w * %d", b);
    sb_tensor_write(out, s, row, b);
    sb_strbuf_puts(out, "  }\n}\n");
}

/* SDDMM: the columns of a block row's blocks, one after the other. */
static void
program_sample(sb_strbuf *out, const sb_spec *s)
{
    const int b = s->block;
    char column[96], place[128];

    head(out, s);
    sb_strbuf_printf(out,
                     "  for %%w in 0 .. %%m / %d {\n"
                     "    let %%lo = cast(i64, $bsr_ptr[%%w])\n"
                     "    let %%count = (cast(i64, $bsr_ptr[%%w + 1]) - %%lo) * %d\n",
                     b, b);
    (void)snprintf(column, sizeof column,
                   "cast(i64, $bsr_crd[%%lo + (%%c0 * 16 + %%i) / %d]) * %d + "
                   "(%%c0 * 16 + %%i) mod %d",
                   b, b, b);
    (void)snprintf(place, sizeof place,
                   "$bsr_pos[((%%lo + (%%cb + %%s) / %d) * %d + %%r) * %d + "
                   "(%%cb + %%s) mod %d]",
                   b, b, b, b);
    sb_tensor_sample(out, s, b, column, place);
    sb_strbuf_puts(out, "  }\n}\n");
}

static void
program_any(sb_strbuf *out, const sb_spec *s)
{
    (s->op == SB_KOP_SDDMM ? program_sample
     : s->mma              ? program_tensor
                           : program)(out, s);
}

static void
schedule(sb_strbuf *out, const sb_spec *s)
{
    if (!s->mma)
        sb_schedule_blocks(out, s);
}

const sb_recipe sb_recipe_BSR = {
    .name = "bsr",
    .ops = 1U << SB_KOP_SPMM | 1U << SB_KOP_SPMV,
    .tensor = 1U << SB_KOP_SPMM | 1U << SB_KOP_SDDMM,
    .program = program_any,
    .schedule = schedule,
    .unit = {"%w", "%w", "%w"},
    .column = "%c0",
};
