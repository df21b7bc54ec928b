/*
 * SpMV over several rows at a time, read in place: vectors of a row add up lane by lane, the
 * last one masked without a test whether it is full, and the sums across lanes are formed
 * together, by neighbours, so that elements of C are a vector too: 1.0 to 2 times as fast as
 * rows one by one (docs/measured/spmv-rows.md, Several rows at a time). Eight rows of
 * eight lanes where gathers are masked for nothing; four of four lanes (`t4`) where
 * they are loads one by one: then the last vector reads what lies behind its row as
 * well, which belongs to the next rows, and masks only the sum. The last rows, behind
 * which nothing may be read, have every lane tested. A row's sum does not depend on its
 * neighbours. `u2`: eight lanes of that kind, for cores that load faster than one chain
 * of additions takes four products. `u4`: vectors of a whole register that begin at
 * multiples of their lanes in A, whole wherever rows end; what lies behind a row's end
 * is kept for the next row (spblas_flow.h): 1.1 to 1.3 times as fast as either on Zen
 * 5, 0.95 to 1.5 on Zen 3, 1.1 to 1.4 on Emerald Rapids, on Zen 4 1.0 to 1.7 of four
 * lanes. There a row's sum depends on
 * where it lies in A, too, and entries %ahead further are asked for, as are offsets of
 * later rows, which eight places of the text read in turn and no prefetcher follows.
 */
#include "kernels/seg.h"

#include "kernels/ops.h"
#include "kernels/recipe.h"

#include <stdio.h>

enum {
    ROWS = 8,
    HALF = 4,
    BEHIND = 16,
    ROWS_AHEAD = 256,
    SLOT = 48,
    TERM = 128
}; /* ROWS: part.h's SB_SEG_ROWS; BEHIND: spblas_flow.h's SBK_FLOW_BEHIND */

/* The lanes %l, or %s, from 0 to `end` of a row each add an entry, the first of them that in
 * `slot`. */
static void
put_lanes(sb_strbuf *out, const sb_spec *s, const sb_seg *g, char lane, const char *end,
          const char *slot)
{
    char a[TERM], b[TERM];

    sb_strbuf_printf(out,
                     "for %%%c in 0 .. %s {\n        $part[%%%c * %d + %%%c] += ", lane,
                     end, g->row, g->lanes, lane);
    if (g->from) {
        sb_strbuf_printf(out, "$%s[%s - %%p0 + %%%c]", g->from, slot, lane);
    } else {
        (void)snprintf(a, sizeof a, "$A[%s + %%%c]", slot, lane);
        (void)snprintf(b, sizeof b, "$B[cast(i64, $A_crd[%s + %%%c]) - %%base]", slot,
                       lane);
        sb_ops_product(out, s, a, b);
    }
    sb_strbuf_puts(out, "\n      }\n");
}

/* Every vector by mask. */
static void
put_masked(sb_strbuf *out, const sb_spec *s, const sb_seg *g)
{
    char end[SLOT], slot[SLOT];

    (void)snprintf(end, sizeof end, "min(%d, %%n)", g->lanes);
    put_lanes(out, s, g, 'l', end, "%p");
    sb_strbuf_printf(out, "      for %%q in 1 .. (%%n + %d) / %d {\n      ",
                     g->lanes - 1, g->lanes);
    (void)snprintf(end, sizeof end, "min(%d, %%n - %%q * %d)", g->lanes, g->lanes);
    (void)snprintf(slot, sizeof slot, "%%p + %%q * %d", g->lanes);
    put_lanes(out, s, g, 'l', end, slot);
    sb_strbuf_puts(out, "      }\n");
}

/* Full vectors, and the last one, which has at least one entry where the row has any. */
static void
put_open(sb_strbuf *out, const sb_spec *s, const sb_seg *g)
{
    char end[SLOT], slot[SLOT];

    sb_strbuf_printf(
        out, "let %%w = (max(%%n, 1) - 1) / %d\n      for %%q in 0 .. %%w {\n      ",
        g->lanes);
    (void)snprintf(end, sizeof end, "%d", g->lanes);
    (void)snprintf(slot, sizeof slot, "%%p + %%q * %d", g->lanes);
    put_lanes(out, s, g, 'l', end, slot);
    sb_strbuf_puts(out, "      }\n      ");
    (void)snprintf(end, sizeof end, "min(%d, %%n - %%w * %d)", g->lanes, g->lanes);
    (void)snprintf(slot, sizeof slot, "%%p + %%w * %d", g->lanes);
    put_lanes(out, s, g, 's', end, slot);
}

static void
put_parts(sb_strbuf *out, const sb_spec *s, const sb_seg *g)
{
    const char *bound = g->all ? "%s + %%%c%s" : "min(%s + %%%c%s, %%m)";
    char at[TERM], next[TERM];

    (void)snprintf(at, sizeof at, bound, g->first, g->row, "");
    (void)snprintf(next, sizeof next, bound, g->first, g->row, " + 1");
    sb_strbuf_printf(out,
                     "    local $part : %s[%d]\n    for %%%c in 0 .. %d {\n"
                     "      for %%l in 0 .. %d {\n        $part[%%%c * %d + %%l] = ",
                     sb_dtype_name(s->compute), g->rows * g->lanes, g->row, g->rows,
                     g->lanes, g->row, g->lanes);
    sb_ops_zero(out, s);
    sb_strbuf_printf(out,
                     "\n      }\n"
                     "      let %%p = cast(i64, $A_ptr[%s]) - %%base\n"
                     "      let %%n = cast(i64, $A_ptr[%s]) - %%base - %%p\n      ",
                     at, next);
    if (g->open)
        put_open(out, s, g);
    else
        put_masked(out, s, g);
    sb_strbuf_puts(out, "    }\n");
}

void
sb_seg_rows(sb_strbuf *out, const sb_spec *s, const sb_seg *g)
{
    char sum[SLOT], target[SLOT];

    put_parts(out, s, g);
    sb_ops_pairs(out, s, "part", g->rows * g->lanes, g->rows);
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

/* Eight rows: in one go, or four by four. */
static void
put_group(sb_strbuf *out, const sb_spec *s, sb_seg *g)
{
    if (g->rows == ROWS) {
        sb_seg_rows(out, s, g);
        return;
    }
    sb_strbuf_printf(out, "    for %%h in 0 .. %d {\n    let %%i = %%i0 + %%h * %d\n",
                     ROWS / HALF, HALF);
    sb_seg_rows(out, s, g);
    sb_strbuf_puts(out, "    }\n");
}

/* Eight rows whose entries are taken by whole vectors (spblas_flow.h). */
static void
put_flow(sb_strbuf *out, const sb_spec *s)
{
    sb_strbuf_printf(out,
                     "      prefetch $A_ptr[%%i + %d]\n"
                     "      local $all : %s[%d]\n      for %%l in 0 .. %d {\n"
                     "        $all[%%l] = ",
                     ROWS_AHEAD, sb_dtype_name(s->compute), ROWS, ROWS);
    sb_ops_zero(out, s);
    sb_strbuf_printf(out,
                     "\n      }\n      for %%s in 0 .. %d {\n"
                     "        for %%q in cast(i64, $A_ptr[%%i + %%s]) - %%base .. "
                     "cast(i64, $A_ptr[%%i + %%s + 1]) - %%base {\n"
                     "          prefetch $A[%%q + %%ahead]\n"
                     "          prefetch $A_crd[%%q + %%ahead]\n"
                     "          $all[%%s] += ",
                     ROWS);
    sb_ops_product(out, s, "$A[%q]", "$B[cast(i64, $A_crd[%q]) - %base]");
    sb_strbuf_printf(
        out,
        "\n        }\n      }\n      for %%l in 0 .. %d {\n        $C[%%i + %%l] = ",
        ROWS);
    sb_ops_result(out, s, "$C[%i + %l]", "$all[%l]");
    sb_strbuf_puts(out, "\n      }\n");
}

/* Lanes of a row's sums. */
static int
lanes_of(const sb_spec *s)
{
    return s->tile * (s->unroll > 1 ? s->unroll : 1);
}

static void
program(sb_strbuf *out, const sb_spec *s)
{
    static const char *const none[] = {NULL}, *const flows[] = {"ahead", NULL};
    static const char *const buffers[] = {"A_ptr", "P",    "%m + 1", "A_crd",
                                          "I",     "%nnz", NULL};
    const bool flow = s->unroll == SB_SPEC_FLOW, open = s->tile == HALF && !flow;
    sb_seg g = {.rows = open ? HALF : ROWS,
                .lanes = flow ? ROWS : lanes_of(s),
                .all = true,
                .row = 'r',
                .open = open,
                .first = "%i"};

    sb_ops_stage2_begin(out, s, "seg", flow ? flows : none, buffers);
    sb_strbuf_printf(out,
                     "  for %%g in 0 .. (%%m + %d) / %d {\n    let %%i%s = %%g * %d\n",
                     ROWS - 1, ROWS, open ? "0" : "", ROWS);
    if (open || flow)
        sb_strbuf_printf(
            out,
            "    let %%hi = cast(i64, $A_ptr[min(%s + %d, %%m)]) - %%base\n"
            "    if (%s + %d <= %%m && %%hi + %d <= %%nnz) {\n",
            flow ? "%i" : "%i0", ROWS, flow ? "%i" : "%i0", ROWS,
            flow ? BEHIND : g.lanes);
    else
        sb_strbuf_printf(out, "    if (%%i + %d <= %%m) {\n", ROWS);
    if (flow)
        put_flow(out, s);
    else
        put_group(out, s, &g);
    sb_strbuf_puts(out, "    } else {\n");
    g.all = g.open = false;
    put_group(out, s, &g);
    sb_strbuf_puts(out, "    }\n  }\n}\n");
}

static void
schedule(sb_strbuf *out, const sb_spec *s)
{
    if (s->unroll == SB_SPEC_FLOW)
        sb_strbuf_printf(out, "annotate %%s flow %d\n", ROWS);
    else if (s->tile == HALF)
        sb_strbuf_puts(out, "vectorize %s\nannotate %s open 1\n");
    sb_strbuf_puts(out, "vectorize %l\nunroll %r\n");
}

const sb_recipe sb_recipe_SEG = {
    .name = "seg",
    .ops = 1U << SB_KOP_SPMV,
    .program = program,
    .schedule = schedule,
    .unit = {NULL, "%g", NULL},
};
