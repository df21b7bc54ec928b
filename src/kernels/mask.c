/*
 * SpMV over windows of rows cut into chunks of 16 columns with a bit mask per row
 * (src/formats/part_mask.c): x is loaded where it lies, the values of a row are spread
 * to the lanes of their columns, so no entry costs a gather. Wins wherever a chunk holds
 * several entries: runs, blocks of any size, bands, finite elements (docs/kernels.md).
 * What x holds in missing lanes is never added up; a chunk lies inside x, so all of it
 * may be loaded.
 */
#include "kernels/ops.h"
#include "kernels/recipe.h"

#include <stdio.h>

enum { LANES = 16, LANE = 160 };

static void
head(sb_strbuf *out, const sb_spec *s)
{
    static const char *const params[] = {"mask_count", NULL};
    char ptr[48], bits[48];
    const char *const buffers[] = {
        "A_ptr", "P",           "%m + 1",    "mask_ptr", "P",  ptr, "mask_crd",
        "I",     "%mask_count", "mask_bits", "i32",      bits, NULL};

    (void)snprintf(ptr, sizeof ptr, "(%%m + %d) / %d + 1", s->block - 1, s->block);
    (void)snprintf(bits, sizeof bits, "%%mask_count * %d", s->block);
    sb_ops_stage2_begin(out, s, "mask", params, buffers);
}

/* Row r of the window: a sum per lane, and where its next value lies. */
static void
put_clear(sb_strbuf *out, const sb_spec *s, int r)
{
    sb_strbuf_printf(out, "    local $acc%d : %s[%d]\n    local $at%d : i64[1]\n", r,
                     sb_dtype_name(s->compute), LANES, r);
    sb_strbuf_printf(out, "    for %%l in 0 .. %d {\n      $acc%d[%%l] = ", LANES, r);
    sb_ops_zero(out, s);
    sb_strbuf_printf(out,
                     "\n    }\n    $at%d[0] = cast(i64, $A_ptr[min(%%w * %d + %d, "
                     "%%m)]) - %%base\n",
                     r, s->block, r);
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
    char load[48], bits[16], a[LANE];
    sb_spec t = *s; /* x has been cast */

    t.b = s->compute;
    (void)snprintf(load, sizeof load, "$A[%%p%d + ones(%%b%d, %%l)]", r, r);
    (void)snprintf(bits, sizeof bits, "%%b%d", r);
    sb_ops_lane(a, sizeof a, s->a, bits, load);
    sb_strbuf_printf(out,
                     "      let %%b%d = cast(i64, $mask_bits[%%q * %d + %d])\n"
                     "      let %%p%d = $at%d[0]\n"
                     "      for %%l in 0 .. %d {\n        $acc%d[%%l] += ",
                     r, s->block, r, r, r, LANES, r);
    sb_strbuf_printf(out, "select(ones(%%b%d, %%l + 1) > ones(%%b%d, %%l), ", r, r);
    sb_ops_product(out, &t, a, "$x[%l]");
    sb_strbuf_puts(out, ", ");
    sb_ops_zero(out, s);
    sb_strbuf_printf(out, ")\n      }\n      $at%d[0] = %%p%d + ones(%%b%d, %d)\n", r,
                     r, r, LANES);
}

static void
put_result(sb_strbuf *out, const sb_spec *s, int r)
{
    char sum[24], target[48];

    for (int h = LANES / 2; h > 0; h /= 2)
        sb_strbuf_printf(out,
                         "    for %%l in 0 .. %d {\n"
                         "      $acc%d[%%l] += $acc%d[%%l + %d]\n    }\n",
                         h, r, r, h);
    (void)snprintf(sum, sizeof sum, "$acc%d[0]", r);
    (void)snprintf(target, sizeof target, "$C[%%w * %d + %d]", s->block, r);
    sb_strbuf_printf(out, "    if (%%w * %d + %d < %%m) {\n      %s = ", s->block, r,
                     target);
    sb_ops_result(out, s, target, sum);
    sb_strbuf_puts(out, "\n    }\n");
}

static void
program(sb_strbuf *out, const sb_spec *s)
{
    head(out, s);
    sb_strbuf_printf(out, "  for %%w in 0 .. (%%m + %d) / %d {\n", s->block - 1,
                     s->block);
    for (int r = 0; r < s->block; r++)
        put_clear(out, s, r);
    sb_strbuf_printf(out, "    local $x : %s[%d]\n", sb_dtype_name(s->compute), LANES);
    sb_strbuf_puts(out, "    for %q in cast(i64, $mask_ptr[%w]) .. "
                        "cast(i64, $mask_ptr[%w + 1]) {\n"
                        "      let %j = cast(i64, $mask_crd[%q])\n");
    put_x(out, s);
    for (int r = 0; r < s->block; r++)
        put_row(out, s, r);
    sb_strbuf_puts(out, "    }\n");
    for (int r = 0; r < s->block; r++)
        put_result(out, s, r);
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
