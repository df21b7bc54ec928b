/*
 * Ranges as those of range.c, which stores what begins in it, whole: no sums are left and no
 * second kernel follows. For SpMV on a GPU without analysis, where a block has a row of all
 * columns done in about the time of another launch.
 *
 *   item         entry p of row i is item p + i, the end of row i item A_ptr[i + 1] + i
 *   range g      items g * size .. (g + 1) * size, of m + nnz
 *   rows         first .. next: those whose first item is in it
 */
#include "kernels/ops.h"
#include "kernels/recipe.h"

static void
program(sb_strbuf *out, const sb_spec *s)
{
    static const char *const params[] = {"range_count", "range_size", NULL};
    static const char *const structure[] = {"A_ptr", "P",    "%m + 1", "A_crd",
                                            "I",     "%nnz", NULL};

    sb_ops_stage2_begin(out, s, "whole", params, structure);
    sb_strbuf_puts(
        out, "  for %g in 0 .. %range_count {\n"
             "    let %lo = min(%g * %range_size, %m + %nnz)\n"
             "    let %hi = min(%lo + %range_size, %m + %nnz)\n"
             "    let %first = reach($A_ptr, 0, %m, %lo + %base)\n"
             "    let %next = reach($A_ptr, %first, min(%first + %range_size, %m), "
             "%hi + %base)\n"
             "    for %i in %first .. %next {\n"
             "        $C[%i] = ");
    sb_ops_init(out, s, "$C[%i]");
    sb_strbuf_puts(out, "\n        for %p in cast(i64, $A_ptr[%i]) - %base .. "
                        "cast(i64, $A_ptr[%i + 1]) - %base reduce {\n"
                        "          let %j = cast(i64, $A_crd[%p]) - %base\n"
                        "          $C[%i] += ");
    sb_ops_term(out, s, "$A[%p]", "$B[%j]");
    sb_strbuf_puts(out, "\n        }\n    }\n  }\n}\n");
}

static void
schedule(sb_strbuf *out, const sb_spec *s)
{
    sb_strbuf_printf(out,
                     "cache_write $C at %%i as $acc\n"
                     "rfactor %%p %d -> %%l as $part\nvectorize %%l\n",
                     s->tile);
}

const sb_recipe sb_recipe_WHOLE = {
    .name = "whole",
    .ops = 1U << SB_KOP_SPMV,
    .program = program,
    .schedule = schedule,
    .unit = {"%g", "%g", NULL},
};
