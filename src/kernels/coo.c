/*
 * Coordinates sorted by row, values by position: what other parts leave over. The first
 * slot of a row applies beta; a tile holds whole rows, so looking at the slot before is
 * enough. SDDMM needs no rows and computes slot by slot.
 */
#include "kernels/ops.h"
#include "kernels/recipe.h"
#include "kernels/schedule.h"

static void
head(sb_strbuf *out, const sb_spec *s)
{
    static const char *const params[] = {"coo_count", NULL};
    static const char *const buffers[] = {
        "coo_row",    "I",       "%coo_count", "coo_crd",    "I",
        "%coo_count", "coo_pos", "P",          "%coo_count", NULL};

    sb_ops_stage2_begin(out, s, "coo", params, buffers);
    sb_strbuf_puts(out, "  for %p in 0 .. %coo_count {\n"
                        "    let %i = cast(i64, $coo_row[%p])\n"
                        "    let %j = cast(i64, $coo_crd[%p])\n"
                        "    let %s = cast(i64, $coo_pos[%p])\n");
}

static void
program(sb_strbuf *out, const sb_spec *s)
{
    const bool mm = s->op == SB_KOP_SPMM;
    const char *c = mm ? "$C[%i, %c]" : "$C[%i]";

    head(out, s);
    if (s->op == SB_KOP_SDDMM) {
        sb_strbuf_puts(out, "    $A[%s] = ");
        sb_ops_init(out, s, "$A[%s]");
        sb_strbuf_puts(out, "\n    for %c in 0 .. ");
        sb_ops_depth(out, s);
        sb_strbuf_puts(out, " reduce {\n      $A[%s] += ");
        sb_ops_term(out, s, "$X[%i, %c]", "$Y[%c, %j]");
        sb_strbuf_puts(out, "\n    }\n  }\n}\n");
        return;
    }
    sb_strbuf_puts(out,
                   "    if %p == 0 || cast(i64, $coo_row[max(%p - 1, 0)]) != %i {\n");
    sb_strbuf_printf(out, "      %s%s = ", mm ? "for %c in 0 .. %n {\n        " : "",
                     c);
    sb_ops_init(out, s, c);
    sb_strbuf_puts(out, mm ? "\n      }\n    }\n    for %c in 0 .. %n {\n      "
                           : "\n    }\n    ");
    sb_ops_add(out, s, c, "$A[%s]", mm ? "$B[%j, %c]" : "$B[%j]");
    sb_strbuf_puts(out, mm ? "\n    }\n  }\n}\n" : "\n  }\n}\n");
}

static void
schedule(sb_strbuf *out, const sb_spec *s)
{
    switch (s->op) {
    case SB_KOP_SPMM:
        sb_strbuf_printf(out, "split %%c %d -> %%c0 %%c1\n", s->tile);
        sb_strbuf_puts(out, "vectorize %c1\n");
        break;
    case SB_KOP_SPMV:
        break;
    case SB_KOP_SDDMM:
        sb_schedule_samples(out, s, "%p");
        break;
    }
}

const sb_recipe sb_recipe_COO = {
    .name = "coo",
    .ops = 1U << SB_KOP_SPMM | 1U << SB_KOP_SPMV | 1U << SB_KOP_SDDMM,
    .program = program,
    .schedule = schedule,
    .unit = {"%p", "%p", "%p"},
    .ordered = 1U << SB_KOP_SPMM | 1U << SB_KOP_SPMV,
    .column = "%c0",
};
