/*
 * SpMM over panels of B (src/formats/part_panel.c): a block of rows visits the columns
 * panel by panel, so that the rows of B it gathers stay in the nearest caches, and the
 * segments of rows within a panel are sorted by length, so that the end of the inner
 * loop is predicted. C is read and written once a segment instead of once a row, which
 * long rows pay back. Wins on social graphs and pruned weights
 * (docs/measured/spmm-windows.md, Panels of columns of A).
 */
#include "kernels/ops.h"
#include "kernels/recipe.h"
#include "kernels/schedule.h"

#include <stdio.h>

enum { AHEAD = 8 /* units */, LINE = 64 /* bytes */ };

static void
head(sb_strbuf *out, const sb_spec *s)
{
    static const char *const params[] = {"panel_blocks", "panel_count", NULL};
    const char *const buffers[] = {"panel_row0",
                                   "I",
                                   "%panel_blocks + 1",
                                   "panel_ptr",
                                   "P",
                                   "%panel_blocks + 1",
                                   "panel_row",
                                   "I",
                                   "%panel_count",
                                   "panel_off",
                                   "P",
                                   "%panel_count + 1",
                                   "panel_crd",
                                   "I",
                                   "%nnz",
                                   s->packed ? "panel_val" : "panel_lo",
                                   s->packed ? "V" : "P",
                                   s->packed ? "%nnz" : "%panel_count",
                                   NULL};

    sb_ops_stage2_begin(out, s, "panel", params, buffers);
}

/* The values of a segment some units on, two lines of them: they lie where its row does. */
static void
put_ahead(sb_strbuf *out, const sb_spec *s)
{
    sb_strbuf_printf(
        out,
        "        let %%to = cast(i64, $panel_lo[min(%%u + %d, %%panel_count - "
        "1)])\n"
        "        prefetch $A[%%to]\n        prefetch $A[%%to + %d]\n",
        AHEAD, LINE / (int)sb_dtype_size(s->a));
}

/* Block %g, `lanes` columns of C from %c on: beta for all its rows, then its units. */
static void
put_columns(sb_strbuf *out, const sb_spec *s, const char *lanes)
{
    sb_strbuf_printf(out,
                     "      for %%r in cast(i64, $panel_row0[%%g]) .. "
                     "cast(i64, $panel_row0[%%g + 1]) {\n"
                     "        for %%l in 0 .. %s {\n          $C[%%r, %%c + %%l] = ",
                     lanes);
    sb_ops_init(out, s, "$C[%r, %c + %l]");
    sb_strbuf_printf(out,
                     "\n        }\n      }\n"
                     "      for %%u in cast(i64, $panel_ptr[%%g]) .. "
                     "cast(i64, $panel_ptr[%%g + 1]) {\n"
                     "        let %%i = cast(i64, $panel_row[%%u])\n"
                     "        let %%p = cast(i64, $panel_off[%%u])\n"
                     "        let %%a = cast(i64, $%s[%%u])\n",
                     s->packed ? "panel_off" : "panel_lo");
    if (!s->packed && s->lanes == 0)
        put_ahead(out, s);
    sb_strbuf_printf(out,
                     "        for %%x in 0 .. %s {\n"
                     "          for %%e in 0 .. cast(i64, $panel_off[%%u + 1]) - %%p "
                     "reduce {\n"
                     "            let %%j = cast(i64, $panel_crd[%%p + %%e])\n"
                     "            $C[%%i, %%c + %%x] += ",
                     lanes);
    sb_ops_term(out, s, s->packed ? "$panel_val[%a + %e]" : "$A[%a + %e]",
                "$B[%j, %c + %x]");
    sb_strbuf_puts(out, "\n          }\n        }\n      }\n");
}

static void
program(sb_strbuf *out, const sb_spec *s)
{
    const int t = s->tile;
    char lanes[24];

    head(out, s);
    (void)snprintf(lanes, sizeof lanes, "%d", t);
    sb_strbuf_puts(out, "  for %g in 0 .. %panel_blocks {\n    for %q in 0 .. ");
    sb_ops_width(out, s);
    sb_strbuf_printf(out, " / %d {\n      let %%c = %%q * %d\n", t, t);
    put_columns(out, s, lanes);
    sb_strbuf_puts(out, "    }\n");
    if (!s->exact) {
        (void)snprintf(lanes, sizeof lanes, "%%n mod %d", t);
        sb_strbuf_printf(
            out, "    if (%%n mod %d > 0) {\n      let %%c = %%n / %d * %d\n", t, t, t);
        put_columns(out, s, lanes);
        sb_strbuf_puts(out, "    }\n");
    }
    sb_strbuf_puts(out, "  }\n}\n");
}

static void
schedule(sb_strbuf *out, const sb_spec *s)
{
    sb_strbuf_puts(out, "cache_write $C at %u as $acc\nreorder %e %x\n");
    sb_schedule_memory(out, s, "%e");
    sb_schedule_unroll(out, s, "%e");
    sb_strbuf_puts(out, "vectorize %x\nvectorize %l\n");
    sb_schedule_jam(out, s);
    if (s->lanes > 0 && s->unroll > 1) /* both ways at once have not the registers */
        sb_strbuf_puts(out, "annotate %g tested 1\n");
}

const sb_recipe sb_recipe_PANEL = {
    .name = "panel",
    .ops = 1U << SB_KOP_SPMM,
    .program = program,
    .schedule = schedule,
    .unit = {"%g", NULL, NULL},
};
