/*
 * Compressed rows, read in place: the caller's own format, no rewriting. One row after
 * the other; B's rows are gathered. Wins whenever nothing about the columns is special,
 * and is what a call without analysis runs.
 */
#include "kernels/recipe.h"
#include "kernels/schedule.h"

static void
schedule(sb_strbuf *out, const sb_spec *s)
{
    static const char *const iter[] = {"spmm", "spmv", "sddmm"};
    const sb_row_loops loops = {iter[s->op], "%i %c %j", "%i", "%pj"};

    sb_schedule_rows(out, s, &loops);
    sb_strbuf_puts(out, "parallel %i\n");
}

const sb_recipe sb_recipe_CSR = {
    .name = "csr",
    .ops = 1U << SB_KOP_SPMM | 1U << SB_KOP_SPMV | 1U << SB_KOP_SDDMM,
    .schedule = schedule,
    .unit = {"%i", "%i", "%i"},
    .column = "%c0",
};
