/*
 * SpMV over slices of 16 rows stored column by column (src/formats/part_sell.c): one
 * lane a row, so rows of any length fill the lanes and no row costs a mispredicted loop.
 * Columns hold only as many entries as the slice has rows that long: nothing is padded,
 * nothing is computed that is not in the matrix. Wins on every irregular matrix once
 * values may be packed (docs/measured/spmv-rows.md, SpMV). Narrow: columns are 16-bit
 * distances from the slice's own, half of what is read of the structure; one: so are
 * all values one.
 * Source   SELL-C-sigma (Kreutzer et al. 2014), with jagged columns
 */
#include "kernels/ops.h"
#include "kernels/recipe.h"

#include <stdio.h>

enum { LANES = 16 };

/* Whether what is packed is asked for ahead. */
static bool
asks(const sb_spec *s)
{
    return s->packed && s->lanes == 0;
}

static void
head(sb_strbuf *out, const sb_spec *s)
{
    const char *const params[] = {"sell_count", "sell_cols",
                                  asks(s) ? "sell_ahead" : NULL, NULL};
    const char *const buffers[] = {"sell_row",
                                   "I",
                                   "%m",
                                   "sell_col",
                                   "P",
                                   "%sell_count + 1",
                                   "sell_full",
                                   "P",
                                   "%sell_count",
                                   "sell_ptr",
                                   "P",
                                   "%sell_cols + 1",
                                   s->packed ? "sell_val" : "sell_lo",
                                   s->packed ? "V" : "P",
                                   s->one      ? "1"
                                   : s->packed ? "%nnz"
                                               : "%m",
                                   "sell_crd",
                                   s->narrow ? "i16" : "I",
                                   "%nnz",
                                   s->narrow ? "sell_base" : NULL,
                                   "I",
                                   "%sell_count",
                                   NULL};

    sb_ops_stage2_begin(out, s, "sell", params, buffers);
}

/* Packed values and their columns, %sell_ahead slots further. */
static void
put_ahead(sb_strbuf *out, const sb_spec *s)
{
    sb_strbuf_puts(out, "      if (%sell_ahead > 0) {\n"
                        "        prefetch $sell_crd[%p + %sell_ahead]\n");
    sb_ops_ask(out, s, "sell_val", "%p + %sell_ahead", s->one ? 0 : LANES);
    sb_strbuf_puts(out, "      }\n");
}

/* Column %c of the slice from slot %p on, in its first `lanes` rows. */
static void
put_column(sb_strbuf *out, const sb_spec *s, const char *lanes)
{
    sb_strbuf_printf(out, "      for %%l in 0 .. %s {\n        $acc[%%l] += ", lanes);
    sb_ops_product(out, s,
                   s->one      ? "$sell_val[0]"
                   : s->packed ? "$sell_val[%p + %l]"
                               : "$A[cast(i64, $sell_lo[%s + %l]) + (%c - %c0)]",
                   s->narrow ? "$B[%x0 + cast(i64, $sell_crd[%p + %l])]"
                             : "$B[cast(i64, $sell_crd[%p + %l])]");
    sb_strbuf_puts(out, "\n      }\n    }\n");
}

/* Columns that every row of the slice has need neither offsets nor masks. */
static void
put_columns(sb_strbuf *out, const sb_spec *s)
{
    char lanes[32];

    sb_strbuf_printf(
        out,
        "    let %%s = %%g * %d\n"
        "    let %%c0 = cast(i64, $sell_col[%%g])\n"
        "    let %%c1 = cast(i64, $sell_full[%%g])\n"
        "    let %%p0 = cast(i64, $sell_ptr[%%c0])\n%s"
        "    for %%c in %%c0 .. %%c1 {\n"
        "      let %%p = %%p0 + (%%c - %%c0) * %d\n",
        LANES, s->narrow ? "    let %x0 = cast(i64, $sell_base[%g])\n" : "", LANES);
    (void)snprintf(lanes, sizeof lanes, "%d", LANES);
    if (asks(s))
        put_ahead(out, s);
    put_column(out, s, lanes);
    sb_strbuf_puts(out, "    for %c in %c1 .. cast(i64, $sell_col[%g + 1]) {\n"
                        "      let %p = cast(i64, $sell_ptr[%c])\n"
                        "      let %a = cast(i64, $sell_ptr[%c + 1]) - %p\n");
    (void)snprintf(lanes, sizeof lanes, "min(%d, %%a)", LANES);
    put_column(out, s, lanes);
}

/* A whole slice that is only written goes without questions. */
static void
put_result(sb_strbuf *out, const sb_spec *s)
{
    const bool cast = s->c != s->compute;

    sb_strbuf_printf(out, "    if (%%s + %d <= %%m && %%beta == ", LANES);
    sb_ops_zero(out, s);
    sb_strbuf_printf(out,
                     ") {\n      for %%l in 0 .. %d {\n"
                     "        $acc[%%l] = %%alpha * $acc[%%l]\n      }\n"
                     "      for %%r in 0 .. %d {\n"
                     "        $C[cast(i64, $sell_row[%%s + %%r])] = ",
                     LANES, LANES);
    if (cast)
        sb_strbuf_printf(out, "cast(%s, ", sb_dtype_name(s->c));
    sb_strbuf_printf(out, "$acc[%%r]%s\n      }\n    } else {\n", cast ? ")" : "");
    sb_strbuf_printf(out,
                     "      for %%h in 0 .. %d {\n        if (%%s + %%h < %%m) {\n"
                     "          $C[cast(i64, $sell_row[%%s + %%h])] = ",
                     LANES);
    sb_ops_result(out, s, "$C[cast(i64, $sell_row[%s + %h])]", "$acc[%h]");
    sb_strbuf_puts(out, "\n        }\n      }\n    }\n");
}

static void
program(sb_strbuf *out, const sb_spec *s)
{
    head(out, s);
    sb_strbuf_printf(out,
                     "  for %%g in 0 .. %%sell_count {\n    local $acc : %s[%d]\n"
                     "    for %%l in 0 .. %d {\n      $acc[%%l] = ",
                     sb_dtype_name(s->compute), LANES, LANES);
    sb_ops_zero(out, s);
    sb_strbuf_puts(out, "\n    }\n");
    put_columns(out, s);
    put_result(out, s);
    sb_strbuf_puts(out, "  }\n}\n");
}

/* No row is twice among those of a slice, so lanes of a GPU store theirs at once. */
static void
schedule(sb_strbuf *out, const sb_spec *s)
{
    sb_strbuf_puts(out, "vectorize %l\n");
    sb_strbuf_puts(out, s->lanes == LANES
                            ? "annotate %r bind lane\nannotate %h bind lane\n"
                            : "unroll %r\nunroll %h\n");
}

const sb_recipe sb_recipe_SELL = {
    .name = "sell",
    .ops = 1U << SB_KOP_SPMV,
    .program = program,
    .schedule = schedule,
    .unit = {NULL, "%g", NULL},
};
