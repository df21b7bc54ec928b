/*
 * The caller's coordinates where they lie, in any order: SDDMM computes entry after entry,
 * each on its own, so nothing has to be sorted, counted or copied.
 */
#include "kernels/ops.h"
#include "kernels/recipe.h"
#include "kernels/schedule.h"

static void
program(sb_strbuf *out, const sb_spec *s)
{
    static const char *const params[] = {NULL};
    static const char *const buffers[] = {"A_row", "I",    "%nnz", "A_crd",
                                          "I",     "%nnz", NULL};

    sb_ops_stage2_begin(out, s, "list", params, buffers);
    sb_strbuf_puts(out, "  for %p in 0 .. %nnz {\n"
                        "    let %i = cast(i64, $A_row[%p]) - %base\n"
                        "    let %j = cast(i64, $A_crd[%p]) - %base\n"
                        "    $A[%p] = ");
    sb_ops_init(out, s, "$A[%p]");
    sb_strbuf_puts(out, "\n    for %c in 0 .. ");
    sb_ops_depth(out, s);
    sb_strbuf_puts(out, " reduce {\n      $A[%p] += ");
    sb_ops_term(out, s, "$X[%i, %c]", "$Y[%c, %j]");
    sb_strbuf_puts(out, "\n    }\n  }\n}\n");
}

static void
schedule(sb_strbuf *out, const sb_spec *s)
{
    sb_schedule_samples(out, s, "%p");
    sb_strbuf_puts(out, "parallel %p\n");
}

const sb_recipe sb_recipe_LIST = {
    .name = "list",
    .ops = 1U << SB_KOP_SDDMM,
    .program = program,
    .schedule = schedule,
    .unit = {NULL, NULL, "%p"},
};
