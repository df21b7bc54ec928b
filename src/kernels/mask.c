/*
 * SpMV over windows of rows cut into chunks of 16 columns with a bit mask per row
 * (src/formats/part_mask.c): x is loaded where it lies, the values of a row are spread
 * to the lanes of their columns, so no entry costs a gather. Wins wherever a chunk holds
 * several entries: runs, blocks of any size, bands, finite elements
 * (docs/measured/spmv-masks.md).
 * Values are read in as many places as the window has rows, which no prefetcher follows: those
 * of the next window are asked for.
 * What x holds in missing lanes is never added up; a chunk lies inside x, so all of it
 * may be loaded. Sums across lanes are a row's own, or (`u4`) made for all rows together, in
 * another order.
 */
#include "kernels/ops.h"
#include "kernels/recipe.h"

#include <stdio.h>

enum { LANES = 16, LANE = 160, LINE = 64, AHEAD = 4096 /* bytes */ };

static void
head(sb_strbuf *out, const sb_spec *s)
{
    const char *const params[] = {"mask_count", s->lanes == 0 ? "mask_each" : NULL,
                                  NULL};
    char ptr[48], bits[48];
    const char *const buffers[] = {
        "A_ptr", "P",           "%m + 1",    "mask_ptr", "P",  ptr, "mask_crd",
        "I",     "%mask_count", "mask_bits", "i32",      bits, NULL};

    (void)snprintf(ptr, sizeof ptr, "(%%m + %d) / %d + 1", s->block - 1, s->block);
    (void)snprintf(bits, sizeof bits, "%%mask_count * %d", s->block);
    sb_ops_stage2_begin(out, s, "mask", params, buffers);
}

/* Rows whose sums across lanes are made together by neighbours (`u4`): as many as the longest
 * register has lanes, so that one is all that is left; those the window lacks are zeros. */
static int
together(const sb_spec *s)
{
    return s->unroll > 1 ? LANES : 0;
}

/* Where row r has its sum per lane: an array of its own, or its place in one of all rows. */
static void
lane_sum(char *out, size_t size, const sb_spec *s, int r)
{
    if (together(s))
        (void)snprintf(out, size, "$part[%d + %%l]", r * LANES);
    else
        (void)snprintf(out, size, "$acc%d[%%l]", r);
}

static void
put_zeros(sb_strbuf *out, const sb_spec *s, const char *sum)
{
    sb_strbuf_printf(out, "    for %%l in 0 .. %d {\n      %s = ", LANES, sum);
    sb_ops_zero(out, s);
    sb_strbuf_puts(out, "\n    }\n");
}

/* Row r of the window: a sum per lane, and where its next value lies. */
static void
put_clear(sb_strbuf *out, const sb_spec *s, int r)
{
    char sum[24];

    lane_sum(sum, sizeof sum, s, r);
    if (!together(s))
        sb_strbuf_printf(out, "    local $acc%d : %s[%d]\n", r,
                         sb_dtype_name(s->compute), LANES);
    sb_strbuf_printf(out, "    local $at%d : i64[1]\n", r);
    put_zeros(out, s, sum);
    sb_strbuf_printf(
        out, "    $at%d[0] = cast(i64, $A_ptr[min(%%w * %d + %d, %%m)]) - %%base\n", r,
        s->block, r);
}

static void
put_window(sb_strbuf *out, const sb_spec *s)
{
    char sum[24];

    if (together(s))
        sb_strbuf_printf(out, "    local $part : %s[%d]\n", sb_dtype_name(s->compute),
                         together(s) * LANES);
    for (int r = 0; r < s->block; r++)
        put_clear(out, s, r);
    for (int r = s->block; r < together(s); r++) { /* vectors of no row */
        lane_sum(sum, sizeof sum, s, r);
        put_zeros(out, s, sum);
    }
}

/* Columns %j and following of x, for all rows of the window. */
static void
put_x(sb_strbuf *out, const sb_spec *s)
{
    sb_strbuf_printf(out, "      for %%l in 0 .. %d {\n        $x[%%l] = ", LANES);
    if (s->b == s->compute)
        sb_strbuf_puts(out, "$B[%j + %l]");
    else
        sb_strbuf_printf(out, "cast(%s, $B[%%j + %%l])", sb_dtype_name(s->compute));
    sb_strbuf_puts(out, "\n      }\n");
}

static void
put_row(sb_strbuf *out, const sb_spec *s, int r)
{
    char load[48], bits[16], a[LANE], sum[24];
    sb_spec t = *s; /* x has been cast */

    t.b = s->compute;
    (void)snprintf(load, sizeof load, "$A[%%p%d + ones(%%b%d, %%l)]", r, r);
    (void)snprintf(bits, sizeof bits, "%%b%d", r);
    sb_ops_lane(a, sizeof a, s->a, bits, load);
    lane_sum(sum, sizeof sum, s, r);
    sb_strbuf_printf(out,
                     "      let %%b%d = cast(i64, $mask_bits[%%q * %d + %d])\n"
                     "      let %%p%d = $at%d[0]\n"
                     "      for %%l in 0 .. %d {\n        %s += ",
                     r, s->block, r, r, r, LANES, sum);
    sb_strbuf_printf(out, "select(ones(%%b%d, %%l + 1) > ones(%%b%d, %%l), ", r, r);
    sb_ops_product(out, &t, a, "$x[%l]");
    sb_strbuf_puts(out, ", ");
    sb_ops_zero(out, s);
    sb_strbuf_printf(out, ")\n      }\n      $at%d[0] = %%p%d + ones(%%b%d, %d)\n", r,
                     r, r, LANES);
}

/* Asks for %mask_each values a chunk, from where the next window begins, or 4096 bytes on. */
static void
put_ahead(sb_strbuf *out, const sb_spec *s)
{
    const int step = (s->block + 1) / 2 * LINE / (int)sb_dtype_size(s->a);
    char at[24];

    sb_strbuf_puts(out, "      let %f = %ask + (%q - %lo) * %mask_each\n");
    for (int n = 0; n < s->block * LANES; n += step) {
        sb_strbuf_printf(out, "      if (%%mask_each > %d) {\n", n);
        (void)snprintf(at, sizeof at, "%%f + %d", n);
        sb_ops_ask(out, s, "A", at,
                   n + step < s->block * LANES ? step : s->block * LANES - n);
        sb_strbuf_puts(out, "      }\n");
    }
}

/* Where the first of them lie. */
static void
put_first(sb_strbuf *out, const sb_spec *s)
{
    sb_strbuf_printf(out,
                     "    let %%first = cast(i64, $A_ptr[%%w * %d])\n"
                     "    let %%next = cast(i64, $A_ptr[min(%%w * %d + %d, %%m)])\n"
                     "    let %%ask = max(%%next, %%first + %d) - %%base\n",
                     s->block, s->block, s->block, AHEAD / (int)sb_dtype_size(s->a));
}

static void
put_result(sb_strbuf *out, const sb_spec *s, int r)
{
    char sum[24], target[48];

    (void)snprintf(sum, sizeof sum, "$acc%d[0]", r);
    (void)snprintf(target, sizeof target, "$C[%%w * %d + %d]", s->block, r);
    sb_strbuf_printf(out, "    if (%%w * %d + %d < %%m) {\n      %s = ", s->block, r,
                     target);
    sb_ops_result(out, s, target, sum);
    sb_strbuf_puts(out, "\n    }\n");
}

/* All rows of the window at once. */
static void
put_results(sb_strbuf *out, const sb_spec *s)
{
    char sum[24], target[48];

    sb_ops_pairs(out, s, "part", together(s) * LANES, together(s));
    (void)snprintf(sum, sizeof sum, "$sum%d[%%l]", together(s));
    (void)snprintf(target, sizeof target, "$C[%%w * %d + %%l]", s->block);
    sb_strbuf_printf(out,
                     "    let %%left = min(%d, %%m - %%w * %d)\n"
                     "    for %%l in 0 .. min(%d, %%left) {\n      %s = ",
                     s->block, s->block, together(s), target);
    sb_ops_result(out, s, target, sum);
    sb_strbuf_puts(out, "\n    }\n");
}

static void
program(sb_strbuf *out, const sb_spec *s)
{
    head(out, s);
    sb_strbuf_printf(out, "  for %%w in 0 .. (%%m + %d) / %d {\n", s->block - 1,
                     s->block);
    put_window(out, s);
    sb_strbuf_printf(out, "    local $x : %s[%d]\n", sb_dtype_name(s->compute), LANES);
    if (s->lanes == 0)
        put_first(out, s);
    sb_strbuf_puts(out, "    let %lo = cast(i64, $mask_ptr[%w])\n"
                        "    for %q in %lo .. cast(i64, $mask_ptr[%w + 1]) {\n"
                        "      let %j = cast(i64, $mask_crd[%q])\n");
    if (s->lanes == 0)
        put_ahead(out, s);
    put_x(out, s);
    for (int r = 0; r < s->block; r++)
        put_row(out, s, r);
    sb_strbuf_puts(out, "    }\n");
    if (together(s))
        put_results(out, s);
    for (int r = 0; r < s->block && !together(s); r++) {
        char sums[16];

        (void)snprintf(sums, sizeof sums, "acc%d", r);
        sb_ops_fold(out, sums, LANES);
        put_result(out, s, r);
    }
    sb_strbuf_puts(out, "  }\n}\n");
}

static void
schedule(sb_strbuf *out, const sb_spec *s)
{
    (void)s;
    sb_strbuf_puts(out, "vectorize %l\n");
}

const sb_recipe sb_recipe_MASK = {
    .name = "mask",
    .ops = 1U << SB_KOP_SPMV,
    .program = program,
    .schedule = schedule,
    .unit = {NULL, "%w", NULL},
};
