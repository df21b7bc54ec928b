/*
 * SpMV over four rows at a time, read in place: the first vector of each row, which is
 * all that most short rows have, comes before what any of them has beyond it. So a row
 * whose length was not foreseen is waited for while the gathers of its neighbours are
 * under way: 0.9 to 1.8 times the row-by-row kernel on rows below 48 entries
 * (docs/kernels.md). A row's sum does not depend on its neighbours.
 */
#include "kernels/ops.h"
#include "kernels/recipe.h"

#include <stdio.h>

enum { ROWS = 4, SLOT = 48, TERM = 128 }; /* ROWS: part.h's SB_SEG_ROWS */

static void
head(sb_strbuf *out, const sb_spec *s)
{
    static const char *const params[] = {NULL};
    static const char *const buffers[] = {"A_ptr", "P",    "%m + 1", "A_crd",
                                          "I",     "%nnz", NULL};

    sb_ops_stage2_begin(out, s, "seg", params, buffers);
    sb_strbuf_printf(out,
                     "  for %%g in 0 .. (%%m + %d) / %d {\n    let %%i = %%g * %d\n",
                     ROWS - 1, ROWS, ROWS);
    for (int r = 0; r <= ROWS; r++)
        sb_strbuf_printf(
            out, "    let %%p%d = cast(i64, $A_ptr[min(%%i + %d, %%m)]) - %%base\n", r,
            r);
    for (int r = 0; r < ROWS; r++)
        sb_strbuf_printf(out, "    let %%n%d = %%p%d - %%p%d\n", r, r + 1, r);
}

/* The first `lanes` lanes of row r each add an entry, the first of them that in `slot`. */
static void
put_lanes(sb_strbuf *out, const sb_spec *s, int r, const char *lanes, const char *slot)
{
    char a[TERM], b[TERM];

    (void)snprintf(a, sizeof a, "$A[%s + %%l]", slot);
    (void)snprintf(b, sizeof b, "$B[cast(i64, $A_crd[%s + %%l]) - %%base]", slot);
    sb_strbuf_printf(out, "for %%l in 0 .. %s {\n      $part%d[%%l] += ", lanes, r);
    sb_ops_product(out, s, a, b);
    sb_strbuf_puts(out, "\n    }\n");
}

static void
put_first(sb_strbuf *out, const sb_spec *s, int r)
{
    char lanes[SLOT], slot[SLOT];

    sb_strbuf_printf(out,
                     "    local $part%d : %s[%d]\n"
                     "    for %%l in 0 .. %d {\n      $part%d[%%l] = ",
                     r, sb_dtype_name(s->compute), s->tile, s->tile, r);
    sb_ops_zero(out, s);
    sb_strbuf_puts(out, "\n    }\n    ");
    (void)snprintf(lanes, sizeof lanes, "min(%d, %%n%d)", s->tile, r);
    (void)snprintf(slot, sizeof slot, "%%p%d", r);
    put_lanes(out, s, r, lanes, slot);
}

static void
put_others(sb_strbuf *out, const sb_spec *s, int r)
{
    const int t = s->tile;
    char lanes[SLOT], slot[SLOT];

    sb_strbuf_printf(out,
                     "    if (%%n%d > %d) {\n    for %%q in 1 .. %%n%d / %d {\n    ", r,
                     t, r, t);
    (void)snprintf(lanes, sizeof lanes, "%d", t);
    (void)snprintf(slot, sizeof slot, "%%p%d + %%q * %d", r, t);
    put_lanes(out, s, r, lanes, slot);
    sb_strbuf_puts(out, "    }\n    ");
    (void)snprintf(lanes, sizeof lanes, "%%n%d mod %d", r, t);
    (void)snprintf(slot, sizeof slot, "%%p%d + %%n%d / %d * %d", r, r, t, t);
    put_lanes(out, s, r, lanes, slot);
    sb_strbuf_puts(out, "    }\n");
}

static void
put_result(sb_strbuf *out, const sb_spec *s, int r)
{
    char sum[TERM], target[TERM];

    for (int h = s->tile / 2; h > 0; h /= 2)
        sb_strbuf_printf(out,
                         "    for %%l in 0 .. %d {\n"
                         "      $part%d[%%l] += $part%d[%%l + %d]\n    }\n",
                         h, r, r, h);
    (void)snprintf(sum, sizeof sum, "$part%d[0]", r);
    (void)snprintf(target, sizeof target, "$C[%%i + %d]", r);
    sb_strbuf_printf(out, "    if (%%i + %d < %%m) {\n      %s = ", r, target);
    sb_ops_result(out, s, target, sum);
    sb_strbuf_puts(out, "\n    }\n");
}

static void
program(sb_strbuf *out, const sb_spec *s)
{
    head(out, s);
    for (int r = 0; r < ROWS; r++)
        put_first(out, s, r);
    for (int r = 0; r < ROWS; r++)
        put_others(out, s, r);
    for (int r = 0; r < ROWS; r++)
        put_result(out, s, r);
    sb_strbuf_puts(out, "  }\n}\n");
}

static void
schedule(sb_strbuf *out, const sb_spec *s)
{
    (void)s;
    sb_strbuf_puts(out, "vectorize %l\n");
}

const sb_recipe sb_recipe_SEG = {
    .name = "seg",
    .ops = 1U << SB_KOP_SPMV,
    .program = program,
    .schedule = schedule,
    .unit = {NULL, "%g", NULL},
};
