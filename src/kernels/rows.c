/*
 * Listed rows, each with a range of slots of the caller's arrays: the buckets and column
 * partitions of hyb(c, k) without a copy, and rows that have no entry (an empty range
 * still applies beta). A row may be listed again in a later step.
 */
#include "kernels/ops.h"
#include "kernels/recipe.h"
#include "kernels/sample.h"
#include "kernels/schedule.h"

static void
rule(sb_strbuf *out, const sb_spec *s)
{
    const char *p = sb_dtype_name(s->ptr), *i = sb_dtype_name(s->idx);
    const char *cols = s->op == SB_KOP_SDDMM ? "n" : "k";

    sb_strbuf_puts(out, "rule rows for $A same {\n  param %rows_count : i64\n");
    sb_strbuf_printf(out, "  buf $rows_row : %s[%%rows_count] aux\n", i);
    sb_strbuf_printf(out, "  buf $rows_lo : %s[%%rows_count] aux\n", p);
    sb_strbuf_printf(out, "  buf $rows_hi : %s[%%rows_count] aux\n", p);
    sb_strbuf_puts(out, "  axis #O = dense_fixed(1)\n"
                        "  axis #R = sparse_fixed(#O, %m, width %rows_count, "
                        "crd $rows_row)\n");
    sb_strbuf_printf(out,
                     "  axis #E = sparse_variable(#R, %%%s, nnz %%nnz, ptr $rows_lo, "
                     "end $rows_hi, crd $A_crd) base %%base\n",
                     cols);
    sb_strbuf_puts(out, "  map (%i, %j) -> (0, %i, %j)\n"
                        "  inv (%o, %r, %e) -> (%r, %e)\n"
                        "  axes #I -> #O, #R ; #J -> #E\n}\n");
}

static void
sample(sb_strbuf *out, const sb_spec *s)
{
    static const char *const params[] = {"rows_count", NULL};
    static const char *const buffers[] = {
        "rows_row",    "I",       "%rows_count", "rows_lo",     "P",
        "%rows_count", "rows_hi", "P",           "%rows_count", "A_crd",
        "I",           "%nnz",    NULL};

    sb_ops_stage2_begin(out, s, "rows", params, buffers);
    sb_strbuf_puts(out, "  for %r in 0 .. %rows_count {\n"
                        "    let %i = cast(i64, $rows_row[%r])\n"
                        "    let %lo = cast(i64, $rows_lo[%r])\n"
                        "    let %hi = cast(i64, $rows_hi[%r])\n");
    sb_sample_row(out, s);
    sb_strbuf_puts(out, "  }\n}\n");
}

static void
schedule(sb_strbuf *out, const sb_spec *s)
{
    static const char *const iter[] = {"spmm_rows", "spmv_rows", "sddmm_rows"};
    const sb_row_loops loops = {iter[s->op], "%o %r %c %e", "%pr", "%pe", true};

    sb_schedule_rows(out, s, &loops);
}

const sb_recipe sb_recipe_ROWS = {
    .name = "rows",
    .ops = 1U << SB_KOP_SPMM | 1U << SB_KOP_SPMV | 1U << SB_KOP_SDDMM,
    .rule = rule,
    .sample = sample,
    .schedule = schedule,
    .unit = {"%pr", "%pr", "%pr"},
    .column = "%c0",
};
