/*
 * Listed rows packed to a common number of slots: columns and positions (or values) of a
 * unit lie together, whatever the caller's order was. Slots past a unit's length are
 * never touched. Wins over rows in place when the caller's entries are far apart
 * (transposed or unsorted operands).
 */
#include "kernels/recipe.h"
#include "kernels/schedule.h"

static void
rule(sb_strbuf *out, const sb_spec *s)
{
    const char *i = sb_dtype_name(s->idx);

    sb_strbuf_printf(out, "rule ell for $A%s {\n",
                     s->packed ? " as $ell_val" : " same");
    sb_strbuf_puts(out, "  param %ell_count : i64\n  param %ell_width : i64\n");
    sb_strbuf_printf(out, "  buf $ell_row : %s[%%ell_count] aux\n", i);
    sb_strbuf_printf(out, "  buf $ell_len : %s[%%ell_count] aux\n", i);
    sb_strbuf_printf(out, "  buf $ell_crd : %s[%%ell_count * %%ell_width] aux\n", i);
    if (!s->packed)
        sb_strbuf_printf(out, "  buf $ell_pos : %s[%%ell_count * %%ell_width] aux\n",
                         sb_dtype_name(s->ptr));
    sb_strbuf_puts(out, "  axis #O = dense_fixed(1)\n"
                        "  axis #R = sparse_fixed(#O, %m, width %ell_count, "
                        "crd $ell_row)\n");
    sb_strbuf_printf(out,
                     "  axis #E = sparse_fixed(#R, %%k, width %%ell_width, end "
                     "$ell_len, crd $ell_crd%s)\n",
                     s->packed ? "" : ", val $ell_pos");
    sb_strbuf_puts(out, "  map (%i, %j) -> (0, %i, %j)\n"
                        "  inv (%o, %r, %e) -> (%r, %e)\n"
                        "  axes #I -> #O, #R ; #J -> #E\n}\n");
}

static void
schedule(sb_strbuf *out, const sb_spec *s)
{
    static const char *const iter[] = {"spmm_ell", "spmv_ell", "sddmm_ell"};
    const sb_row_loops loops = {iter[s->op], "%o %r %c %e", "%pr", "%pe", false};

    sb_schedule_rows(out, s, &loops);
}

const sb_recipe sb_recipe_ELL = {
    .name = "ell",
    .ops = 1U << SB_KOP_SPMM | 1U << SB_KOP_SPMV,
    .rule = rule,
    .schedule = schedule,
    .unit = {"%pr", "%pr", NULL},
    .column = "%c0",
};
