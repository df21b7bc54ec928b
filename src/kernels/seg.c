/*
 * SpMV over eight rows at a time, read in place: vectors of a row add up lane by lane, the
 * last one masked without a test whether it is full, and the eight sums across lanes are
 * formed together, by neighbours, so that eight elements of C are one vector: 1.0 to 1.6
 * times as fast as rows one by one (docs/kernels.md). A row's sum does not depend on its
 * neighbours.
 */
#include "kernels/seg.h"

#include "kernels/ops.h"
#include "kernels/recipe.h"

#include <stdio.h>

enum { ROWS = 8, SLOT = 48, TERM = 128 }; /* ROWS: part.h's SB_SEG_ROWS */

/* The first `lanes` lanes of row %r each add an entry, the first of them that in `slot`. */
static void
put_lanes(sb_strbuf *out, const sb_spec *s, const sb_seg *g, const char *lanes,
          const char *slot)
{
    char a[TERM], b[TERM];

    sb_strbuf_printf(out,
                     "for %%l in 0 .. min(%d, %s) {\n        $part[%%r * %d + %%l] += ",
                     g->lanes, lanes, g->lanes);
    if (g->from) {
        sb_strbuf_printf(out, "$%s[%s - %%p0 + %%l]", g->from, slot);
    } else {
        (void)snprintf(a, sizeof a, "$A[%s + %%l]", slot);
        (void)snprintf(b, sizeof b, "$B[cast(i64, $A_crd[%s + %%l]) - %%base]", slot);
        sb_ops_product(out, s, a, b);
    }
    sb_strbuf_puts(out, "\n      }\n");
}

static void
put_parts(sb_strbuf *out, const sb_spec *s, const sb_seg *g)
{
    const char *bound = g->all ? "%s + %%r%s" : "min(%s + %%r%s, %%m)";
    char at[TERM], next[TERM], lanes[SLOT], slot[SLOT];

    (void)snprintf(at, sizeof at, bound, g->first, "");
    (void)snprintf(next, sizeof next, bound, g->first, " + 1");
    sb_strbuf_printf(out,
                     "    local $part : %s[%d]\n    for %%r in 0 .. %d {\n"
                     "      for %%l in 0 .. %d {\n        $part[%%r * %d + %%l] = ",
                     sb_dtype_name(s->compute), g->rows * g->lanes, g->rows, g->lanes,
                     g->lanes);
    sb_ops_zero(out, s);
    sb_strbuf_printf(out,
                     "\n      }\n"
                     "      let %%p = cast(i64, $A_ptr[%s]) - %%base\n"
                     "      let %%n = cast(i64, $A_ptr[%s]) - %%base - %%p\n      ",
                     at, next);
    put_lanes(out, s, g, "%n", "%p");
    sb_strbuf_printf(out, "      for %%q in 1 .. (%%n + %d) / %d {\n      ",
                     g->lanes - 1, g->lanes);
    (void)snprintf(lanes, sizeof lanes, "%%n - %%q * %d", g->lanes);
    (void)snprintf(slot, sizeof slot, "%%p + %%q * %d", g->lanes);
    put_lanes(out, s, g, lanes, slot);
    sb_strbuf_puts(out, "      }\n    }\n");
}

/* Neighbours are added until every row has one sum, in $sumN of N elements. */
static void
put_sums(sb_strbuf *out, const sb_spec *s, const sb_seg *g)
{
    char from[SLOT] = "part";

    for (int n = g->rows * g->lanes / 2; n >= g->rows; n /= 2) {
        sb_strbuf_printf(out,
                         "    local $sum%d : %s[%d]\n    for %%l in 0 .. %d {\n"
                         "      $sum%d[%%l] = $%s[%%l * 2] + $%s[%%l * 2 + 1]\n    }\n",
                         n, sb_dtype_name(s->compute), n, n, n, from, from);
        (void)snprintf(from, sizeof from, "sum%d", n);
    }
}

void
sb_seg_rows(sb_strbuf *out, const sb_spec *s, const sb_seg *g)
{
    char sum[SLOT], target[SLOT];

    put_parts(out, s, g);
    put_sums(out, s, g);
    (void)snprintf(sum, sizeof sum, "$sum%d[%%l]", g->rows);
    (void)snprintf(target, sizeof target, "$C[%s + %%l]", g->first);
    if (g->all)
        sb_strbuf_printf(out, "    for %%l in 0 .. %d {\n", g->rows);
    else
        sb_strbuf_printf(out, "    for %%l in 0 .. min(%d, %%m - (%s)) {\n", g->rows,
                         g->first);
    sb_strbuf_printf(out, "      %s = ", target);
    sb_ops_result(out, s, target, sum);
    sb_strbuf_puts(out, "\n    }\n");
}

static void
program(sb_strbuf *out, const sb_spec *s)
{
    static const char *const params[] = {NULL};
    static const char *const buffers[] = {"A_ptr", "P",    "%m + 1", "A_crd",
                                          "I",     "%nnz", NULL};
    sb_seg g = {ROWS, s->tile, true, "%i", NULL};

    sb_ops_stage2_begin(out, s, "seg", params, buffers);
    sb_strbuf_printf(out,
                     "  for %%g in 0 .. (%%m + %d) / %d {\n    let %%i = %%g * %d\n"
                     "    if (%%i + %d <= %%m) {\n",
                     ROWS - 1, ROWS, ROWS, ROWS);
    sb_seg_rows(out, s, &g);
    sb_strbuf_puts(out, "    } else {\n");
    g.all = false;
    sb_seg_rows(out, s, &g);
    sb_strbuf_puts(out, "    }\n  }\n}\n");
}

static void
schedule(sb_strbuf *out, const sb_spec *s)
{
    (void)s;
    sb_strbuf_puts(out, "vectorize %l\nunroll %r\n");
}

const sb_recipe sb_recipe_SEG = {
    .name = "seg",
    .ops = 1U << SB_KOP_SPMV,
    .program = program,
    .schedule = schedule,
    .unit = {NULL, "%g", NULL},
};
