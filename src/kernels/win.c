/*
 * Windows of neighbouring rows that share runs of columns (src/formats/part_win.c): one
 * load of a row of B and one column index serve all rows of a window, the values are
 * read in place. BSR's register reuse without blocks, copies or padding. Wins on
 * attention masks, bands and finite elements (docs/kernels.md).
 */
#include "kernels/ops.h"
#include "kernels/recipe.h"
#include "kernels/schedule.h"

#include <stdio.h>

static void
head(sb_strbuf *out, const sb_spec *s)
{
    static const char *const params[] = {"win_count", NULL};
    char seg[48], lo[48];
    const char *const buffers[] = {
        "win_seg", "P",     seg, "win_off", "P", "%win_count + 1", "win_lo", "P",
        lo,        "A_crd", "I", "%nnz",    NULL};

    (void)snprintf(seg, sizeof seg, "%%m / %d + 1", s->block);
    (void)snprintf(lo, sizeof lo, "%%win_count * %d", s->block);
    sb_ops_stage2_begin(out, s, "win", params, buffers);
}

/* Window %w, column %c, row %r, then runs %q and entries %p of a run. The schedule turns
 * %r and %c inside. */
static void
program(sb_strbuf *out, const sb_spec *s)
{
    const bool mm = s->op == SB_KOP_SPMM;
    const int b = s->block;
    char c[48];

    (void)snprintf(c, sizeof c, "$C[%%w * %d + %%r%s]", b, mm ? ", %c" : "");
    head(out, s);
    sb_strbuf_printf(out, "  for %%w in 0 .. %%m / %d {\n", b);
    sb_strbuf_puts(out, mm ? "    for %c in 0 .. %n {\n" : "");
    sb_strbuf_printf(out, "      for %%r in 0 .. %d {\n        %s = ", b, c);
    sb_ops_init(out, s, c);
    sb_strbuf_puts(out, "\n        for %q in cast(i64, $win_seg[%w]) .. "
                        "cast(i64, $win_seg[%w + 1]) reduce {\n"
                        "          for %p in 0 .. cast(i64, $win_off[%q + 1]) - "
                        "cast(i64, $win_off[%q]) reduce {\n");
    sb_strbuf_printf(out,
                     "            let %%f = cast(i64, $win_lo[%%q * %d]) + %%p\n"
                     "            let %%j = cast(i64, $A_crd[%%f]) - %%base\n"
                     "            let %%s = cast(i64, $win_lo[%%q * %d + %%r]) + %%p\n"
                     "            %s += ",
                     b, b, c);
    sb_ops_term(out, s, "$A[%s]", mm ? "$B[%j, %c]" : "$B[%j]");
    sb_strbuf_puts(out, "\n          }\n        }\n      }\n");
    sb_strbuf_puts(out, mm ? "    }\n  }\n}\n" : "  }\n}\n");
}

static void
schedule(sb_strbuf *out, const sb_spec *s)
{
    if (s->op == SB_KOP_SPMM) {
        sb_strbuf_printf(out, "split %%c %d -> %%c0 %%c1 tail\n", s->tile);
        sb_strbuf_puts(out, "reorder %r %c1\n"
                            "cache_write $C at %c0 as $acc\n"
                            "reorder %q %p %r %c1\n"
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
    .schedule = schedule,
};
