/*
 * Windows of neighbouring rows that share runs of columns (src/formats/part_win.c): one
 * load of a row of B and one column serve all rows of a window, the values are read in
 * place. BSR's register reuse without blocks, copied values or padding. What the rows
 * do not share follows row by row, into the same sums. Wins on attention masks, bands
 * and finite elements (docs/measured/spmm-windows.md).
 */
#include "kernels/ops.h"
#include "kernels/recipe.h"
#include "kernels/sample.h"
#include "kernels/schedule.h"

#include <stdio.h>

/* Of a row's sums in SpMV: sixteen, but where that leaves the processor no registers. */
static int
lanes_of(const sb_spec *s)
{
    return s->unroll > 1 ? 8 : 16;
}

/* Whether values are asked for ahead: they are read in as many places as the window
 * has rows, which no prefetcher follows. */
static bool
asks(const sb_spec *s)
{
    return s->lanes == 0 && s->op != SB_KOP_SDDMM;
}

/* Whether windows are listed in an order of their own. */
static bool
listed(const sb_spec *s)
{
    return s->lanes == 0 && s->op == SB_KOP_SPMM;
}

static void
head(sb_strbuf *out, const sb_spec *s)
{
    const char *const params[] = {"win_count", "win_slots", "win_left_over",
                                  asks(s) ? "win_ahead" : NULL, NULL};
    char seg[48], lo[48], left[48], row[24];
    const char *const buffers[] = {"win_seg",
                                   "P",
                                   seg,
                                   "win_off",
                                   "P",
                                   "%win_count + 1",
                                   "win_crd",
                                   "I",
                                   "%win_slots + %win_left_over",
                                   "win_lo",
                                   "P",
                                   lo,
                                   "win_left",
                                   "P",
                                   left,
                                   "win_rest",
                                   "P",
                                   "%win_left_over",
                                   listed(s) ? "win_row" : NULL,
                                   "I",
                                   row,
                                   NULL};

    (void)snprintf(row, sizeof row, "%%m / %d", s->block);
    (void)snprintf(seg, sizeof seg, "%%m / %d + 1", s->block);
    (void)snprintf(lo, sizeof lo, "%%win_count * %d", s->block);
    (void)snprintf(left, sizeof left, "%%m / %d * %d + 1", s->block, s->block);
    sb_ops_stage2_begin(out, s, "win", params, buffers);
    if (listed(s)) /* no window twice */
        sb_strbuf_printf(out,
                         "  axis #L = dense_fixed(1)\n"
                         "  axis #W = sparse_fixed(#L, %s, width %s, crd $win_row) "
                         "unique\n",
                         row, row);
}

/* Asks, where a window begins, for as many values as its rows share. */
static void
put_ahead(sb_strbuf *out, const sb_spec *s)
{
    char at[64];

    (void)snprintf(at, sizeof at, "cast(i64, $win_lo[cast(i64, $win_seg[%%w]) * %d])",
                   s->block);
    if (asks(s))
        sb_ops_ask_window(out, s, "A", at,
                          "cast(i64, $win_off[cast(i64, $win_seg[%w + 1])]) - "
                          "cast(i64, $win_off[cast(i64, $win_seg[%w])])",
                          "win_ahead");
}

/* Lane %l of row r of the window: one sum each, added across at the end. */
static void
put_clear(sb_strbuf *out, const sb_spec *s)
{
    const int lanes = lanes_of(s);

    for (int r = 0; r < s->block; r++) {
        sb_strbuf_printf(out, "    local $acc%d : %s[%d]\n", r,
                         sb_dtype_name(s->compute), lanes);
        sb_strbuf_printf(out, "    for %%l in 0 .. %d {\n      $acc%d[%%l] = ", lanes,
                         r);
        sb_ops_zero(out, s);
        sb_strbuf_puts(out, "\n    }\n");
    }
}

/* `lanes` entries of the run from entry %p on: x once, then every row. */
static void
put_step(sb_strbuf *out, const sb_spec *s, const char *lanes, const char *x)
{
    sb_strbuf_printf(out, "        for %%l in 0 .. %s {\n          $x[%%l] = ", lanes);
    if (s->b == s->compute)
        sb_strbuf_puts(out, x);
    else
        sb_strbuf_printf(out, "cast(%s, %s)", sb_dtype_name(s->compute), x);
    sb_strbuf_puts(out, "\n        }\n");
}

static void
put_rows(sb_strbuf *out, const sb_spec *s, const char *lanes)
{
    for (int r = 0; r < s->block; r++) {
        const bool cast = s->a != s->compute;

        sb_strbuf_printf(out,
                         "        for %%l in 0 .. %s {\n"
                         "          $acc%d[%%l] += %s%s%s$A[%%lo%d + %%p + %%l]%s * "
                         "$x[%%l]\n        }\n",
                         lanes, r, cast ? "cast(" : "",
                         cast ? sb_dtype_name(s->compute) : "", cast ? ", " : "", r,
                         cast ? ")" : "");
    }
}

/* Entries %e of row r of window %w that are in no run: slot %at, column %g. r as text. */
static void
put_rest_loop(sb_strbuf *out, const sb_spec *s, const char *indent, const char *r)
{
    const int b = s->block;

    sb_strbuf_printf(out,
                     "%sfor %%e in cast(i64, $win_left[%%w * %d + %s]) .. "
                     "cast(i64, $win_left[%%w * %d + %s + 1]) reduce {\n"
                     "%s  let %%at = cast(i64, $win_rest[%%e])\n"
                     "%s  let %%g = cast(i64, $win_crd[%%win_slots + %%e])\n%s  ",
                     indent, b, r, b, r, indent, indent, indent);
}

/* SpMV on reals: lanes along a run, whose x is loaded at once where its columns are
 * neighbours (they ascend, so the first and the last tell) and lane by lane elsewhere. */
static void
program_lanes(sb_strbuf *out, const sb_spec *s)
{
    const int n = lanes_of(s);
    char lanes[16], sum[24], target[48];

    (void)snprintf(lanes, sizeof lanes, "%d", n);
    head(out, s);
    sb_strbuf_printf(out, "  for %%w in 0 .. %%m / %d {\n", s->block);
    put_ahead(out, s);
    put_clear(out, s);
    sb_strbuf_printf(out,
                     "    local $x : %s[%d]\n    for %%l in 0 .. %d {\n"
                     "      $x[%%l] = ",
                     sb_dtype_name(s->compute), n, n);
    sb_ops_zero(out, s);
    sb_strbuf_puts(out, "\n    }\n");
    sb_strbuf_puts(out, "    for %q in cast(i64, $win_seg[%w]) .. "
                        "cast(i64, $win_seg[%w + 1]) {\n"
                        "      let %col = cast(i64, $win_off[%q])\n"
                        "      let %len = cast(i64, $win_off[%q + 1]) - %col\n");
    for (int r = 0; r < s->block; r++)
        sb_strbuf_printf(out, "      let %%lo%d = cast(i64, $win_lo[%%q * %d + %d])\n",
                         r, s->block, r);
    sb_strbuf_printf(out, "      for %%v in 0 .. %%len / %d {\n", n);
    sb_strbuf_printf(
        out,
        "        let %%p = %%v * %d\n"
        "        let %%j = cast(i64, $win_crd[%%col + %%p])\n"
        "        if (cast(i64, $win_crd[%%col + %%p + %d]) - %%j == %d) {\n",
        n, n - 1, n - 1);
    put_step(out, s, lanes, "$B[%j + %l]");
    sb_strbuf_puts(out, "        } else {\n");
    put_step(out, s, lanes, "$B[cast(i64, $win_crd[%col + %p + %l])]");
    sb_strbuf_puts(out, "        }\n");
    put_rows(out, s, lanes);
    sb_strbuf_printf(out, "      }\n      let %%p = %%len / %d * %d\n", n, n);
    (void)snprintf(lanes, sizeof lanes, "%%len mod %d", n);
    put_step(out, s, lanes, "$B[cast(i64, $win_crd[%col + %p + %l])]");
    put_rows(out, s, lanes);
    sb_strbuf_puts(out, "    }\n");
    for (int r = 0; r < s->block; r++) {
        (void)snprintf(sum, sizeof sum, "acc%d", r);
        sb_ops_fold(out, sum, n);
        (void)snprintf(sum, sizeof sum, "%d", r);
        put_rest_loop(out, s, "    ", sum);
        (void)snprintf(sum, sizeof sum, "$acc%d[0]", r);
        sb_strbuf_printf(out, "%s += ", sum);
        sb_ops_product(out, s, "$A[%at]", "$B[%g]");
        sb_strbuf_puts(out, "\n    }\n");
        (void)snprintf(target, sizeof target, "$C[%%w * %d + %d]", s->block, r);
        sb_strbuf_printf(out, "    %s = ", target);
        sb_ops_result(out, s, target, sum);
        sb_strbuf_puts(out, "\n");
    }
    sb_strbuf_puts(out, "  }\n}\n");
}

static bool
by_lanes(const sb_spec *s)
{
    return s->op == SB_KOP_SPMV && sb_dtype_is_real(s->compute);
}

/* Window %w, column %c, row %r, then runs %q and entries %p of a run, then the rest. The
 * schedule turns %r and %c inside. */
static void
program(sb_strbuf *out, const sb_spec *s)
{
    const bool mm = s->op == SB_KOP_SPMM;
    const int b = s->block;
    char c[48];

    if (by_lanes(s)) {
        program_lanes(out, s);
        return;
    }
    (void)snprintf(c, sizeof c, "$C[%s * %d + %%r%s]", listed(s) ? "%i" : "%w", b,
                   mm ? ", %c" : "");
    head(out, s);
    sb_strbuf_printf(out, "  for %%w in 0 .. %%m / %d {\n", b);
    if (listed(s))
        sb_strbuf_puts(out, "    let %i = cast(i64, $win_row[%w])\n");
    put_ahead(out, s);
    sb_ops_columns(out, s, "    ");
    sb_strbuf_printf(out, "      for %%r in 0 .. %d {\n        %s = ", b, c);
    sb_ops_init(out, s, c);
    sb_strbuf_puts(out, "\n        for %q in cast(i64, $win_seg[%w]) .. "
                        "cast(i64, $win_seg[%w + 1]) reduce {\n"
                        "          for %p in cast(i64, $win_off[%q]) .. "
                        "cast(i64, $win_off[%q + 1]) reduce {\n");
    sb_strbuf_printf(out,
                     "            let %%j = cast(i64, $win_crd[%%p])\n"
                     "            let %%s = cast(i64, $win_lo[%%q * %d + %%r]) - "
                     "cast(i64, $win_off[%%q]) + %%p\n"
                     "            %s += ",
                     b, c);
    sb_ops_term(out, s, "$A[%s]", mm ? "$B[%j, %c]" : "$B[%j]");
    sb_strbuf_puts(out, "\n          }\n        }\n");
    put_rest_loop(out, s, "        ", "%r");
    sb_strbuf_printf(out, "%s += ", c);
    sb_ops_term(out, s, "$A[%at]", mm ? "$B[%g, %c]" : "$B[%g]");
    sb_strbuf_puts(out, "\n        }\n      }\n");
    sb_strbuf_puts(out, mm ? "    }\n  }\n}\n" : "  }\n}\n");
}

/* SDDMM: a run's columns by groups for all rows of the window, then by smaller ones; then what
 * the rows do not share. */
static void
sample(sb_strbuf *out, const sb_spec *s)
{
    const int b = s->block;
    const sb_samples shared = {b,
                               s->unroll,
                               false,
                               "cast(i64, $win_crd[%%col + %%p + %d])",
                               "cast(i64, $win_crd[min(%%col + %%p + %d, "
                               "%%win_slots - 1)])",
                               "%%lo%d + %%p + %%e"};
    const sb_samples rest = {1,    s->unroll,
                             true, "cast(i64, $win_crd[%%win_slots + %%p + %d])",
                             NULL, "cast(i64, $win_rest[%%p + %d])"};

    head(out, s);
    sb_strbuf_printf(out,
                     "  for %%w in 0 .. %%m / %d {\n"
                     "    for %%q in cast(i64, $win_seg[%%w]) .. "
                     "cast(i64, $win_seg[%%w + 1]) {\n"
                     "      let %%i = %%w * %d\n"
                     "      let %%lo = 0\n"
                     "      let %%col = cast(i64, $win_off[%%q])\n"
                     "      let %%hi = cast(i64, $win_off[%%q + 1]) - %%col\n",
                     b, b);
    for (int r = 0; r < b; r++)
        sb_strbuf_printf(out, "      let %%lo%d = cast(i64, $win_lo[%%q * %d + %d])\n",
                         r, b, r);
    sb_sample_list(out, s, &shared);
    sb_strbuf_printf(out,
                     "    }\n    for %%r in 0 .. %d {\n"
                     "      let %%i = %%w * %d + %%r\n"
                     "      let %%lo = cast(i64, $win_left[%%i])\n"
                     "      let %%hi = cast(i64, $win_left[%%i + 1])\n",
                     b, b);
    sb_sample_list(out, s, &rest);
    sb_strbuf_puts(out, "    }\n  }\n}\n");
}

static void
schedule(sb_strbuf *out, const sb_spec *s)
{
    if (by_lanes(s)) {
        sb_strbuf_puts(out, "vectorize %l\n");
        return;
    }
    if (s->op == SB_KOP_SPMM) {
        sb_strbuf_printf(out, "split %%c %d -> %%c0 %%c1 tail\n", s->tile);
        sb_strbuf_puts(out, "reorder %r %c1\n"
                            "cache_write $C at %c0 as $acc\n"
                            "reorder %q %p %r %c1\n"
                            "reorder %e %c1\n"
                            "vectorize %c1\n");
        sb_schedule_memory(out, s, "%p");
    } else {
        sb_strbuf_puts(out, "cache_write $C at %w as $acc\nreorder %q %p %r\n");
    }
    sb_strbuf_puts(out, "unroll %r\nparallel %w\n");
}

const sb_recipe sb_recipe_WIN = {
    .name = "win",
    .ops = 1U << SB_KOP_SPMM | 1U << SB_KOP_SPMV,
    .program = program,
    .sample = sample,
    .schedule = schedule,
    .unit = {"%w", "%w", "%w"},
    .column = "%c0",
};
