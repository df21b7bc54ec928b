/*
 * Compressed rows, read in place: the caller's own format, no rewriting. One row after
 * the other; B's rows are gathered. Wins whenever nothing about the columns is special,
 * and is what a call without analysis runs, of SpMV where rules.c has nothing better.
 */
#include "kernels/ops.h"
#include "kernels/recipe.h"
#include "kernels/sample.h"
#include "kernels/schedule.h"

static void
sample(sb_strbuf *out, const sb_spec *s)
{
    static const char *const params[] = {NULL};
    static const char *const buffers[] = {"A_ptr", "P",    "%m + 1", "A_crd",
                                          "I",     "%nnz", NULL};

    sb_ops_stage2_begin(out, s, "csr", params, buffers);
    sb_strbuf_puts(out, "  for %i in 0 .. %m {\n"
                        "    let %lo = cast(i64, $A_ptr[%i]) - %base\n"
                        "    let %hi = cast(i64, $A_ptr[%i + 1]) - %base\n");
    sb_sample_row(out, s);
    sb_strbuf_puts(out, "  }\n}\n");
}

static void
schedule(sb_strbuf *out, const sb_spec *s)
{
    static const char *const iter[] = {"spmm", "spmv", "sddmm"};
    const sb_row_loops loops = {iter[s->op], "%i %c %j", "%i", "%pj", true};

    sb_schedule_rows(out, s, &loops);
    sb_strbuf_puts(out, "parallel %i\n");
}

const sb_recipe sb_recipe_CSR = {
    .name = "csr",
    .ops = 1U << SB_KOP_SPMM | 1U << SB_KOP_SPMV | 1U << SB_KOP_SDDMM,
    .sample = sample,
    .schedule = schedule,
    .unit = {"%i", "%i", "%i"},
    .column = "%c0",
};
