/*
 * Listed rows whose columns are copied one after the other and whose values are read by
 * position (or packed): compressed rows of what other parts leave, or of an operand whose
 * own order is another. One unit a row, so units may run at once on a GPU.
 */
#include "kernels/recipe.h"
#include "kernels/schedule.h"

static void
rule(sb_strbuf *out, const sb_spec *s)
{
    const char *p = sb_dtype_name(s->ptr), *i = sb_dtype_name(s->idx);

    sb_strbuf_printf(out, "rule pick for $A%s {\n",
                     s->packed ? " as $pick_val" : " same");
    sb_strbuf_puts(out, "  param %pick_count : i64\n  param %pick_entries : i64\n");
    sb_strbuf_printf(out, "  buf $pick_row : %s[%%pick_count] aux\n", i);
    sb_strbuf_printf(out, "  buf $pick_ptr : %s[%%pick_count + 1] aux\n", p);
    sb_strbuf_printf(out, "  buf $pick_crd : %s[%%pick_entries] aux\n", i);
    if (!s->packed)
        sb_strbuf_printf(out, "  buf $pick_pos : %s[%%pick_entries] aux\n", p);
    sb_strbuf_puts(out, "  axis #O = dense_fixed(1)\n"
                        "  axis #R = sparse_fixed(#O, %m, width %pick_count, "
                        "crd $pick_row)\n");
    sb_strbuf_printf(out,
                     "  axis #E = sparse_variable(#R, %%k, nnz %%pick_entries, ptr "
                     "$pick_ptr, crd $pick_crd%s)\n",
                     s->packed ? "" : ", val $pick_pos");
    sb_strbuf_puts(out, "  map (%i, %j) -> (0, %i, %j)\n"
                        "  inv (%o, %r, %e) -> (%r, %e)\n"
                        "  axes #I -> #O, #R ; #J -> #E\n}\n");
}

static void
schedule(sb_strbuf *out, const sb_spec *s)
{
    static const char *const iter[] = {"spmm_pick", "spmv_pick", "sddmm_pick"};
    const sb_row_loops loops = {iter[s->op], "%o %r %c %e", "%pr", "%pe", s->packed};

    sb_schedule_rows(out, s, &loops);
}

const sb_recipe sb_recipe_PICK = {
    .name = "pick",
    .ops = 1U << SB_KOP_SPMM | 1U << SB_KOP_SPMV,
    .rule = rule,
    .schedule = schedule,
    .unit = {"%pr", "%pr", NULL},
    .column = "%c0",
};
