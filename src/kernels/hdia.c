/*
 * SpMV over slices of 16 neighbouring rows taken apart by diagonals
 * (src/formats/part_hdia.c): one lane a row, so a diagonal's x lies side by side and no
 * entry costs a gather or an index. Diagonals that all rows of the slice hold go without
 * masks; what is on none comes last, its products by gathers into a buffer, from which
 * the masks hand them to their rows. Wins on grids, meshes and bands (docs/kernels.md).
 */
#include "kernels/ops.h"
#include "kernels/recipe.h"

#include <stdio.h>

/* as src/formats/part.h: SB_HDIA_ROWS, SB_HDIA_LEFT */
enum { LANES = 16, BUFFER = 512, GATHER = 8, TERM = 160 };

static void
head(sb_strbuf *out, const sb_spec *s)
{
    static const char *const params[] = {"hdia_count", "hdia_rest", NULL};
    static const char *const buffers[] = {"hdia_seg",  "P",   "(%m + 15) / 16 * 3 + 1",
                                          "hdia_ptr",  "P",   "(%m + 15) / 16 + 1",
                                          "hdia_left", "P",   "(%m + 15) / 16 + 1",
                                          "hdia_col",  "I",   "%hdia_count",
                                          "hdia_bits", "i32", "%hdia_count",
                                          "hdia_crd",  "I",   "%hdia_rest",
                                          "hdia_val",  "V",   "%nnz",
                                          NULL};

    sb_ops_stage2_begin(out, s, "hdia", params, buffers);
}

/* "for %q in FROM .. TO {" over chunks, and what a masked one starts with. */
static void
begin_masked(sb_strbuf *out, const char *indent, const char *from, const char *to)
{
    sb_strbuf_printf(out,
                     "%sfor %%q in %s .. %s {\n"
                     "%s  let %%b = cast(i64, $hdia_bits[%%q])\n"
                     "%s  let %%p = $at[0]\n",
                     indent, from, to, indent, indent);
}

static void
end_masked(sb_strbuf *out, const char *indent)
{
    sb_strbuf_printf(out, "\n%s  }\n%s  $at[0] = %%p + ones(%%b, %d)\n%s}\n", indent,
                     indent, LANES, indent);
}

static void
put_full(sb_strbuf *out, const sb_spec *s)
{
    sb_strbuf_printf(out,
                     "    for %%q in %%q0 .. %%q1 {\n"
                     "      let %%j = cast(i64, $hdia_col[%%q])\n"
                     "      let %%p = %%p0 + (%%q - %%q0) * %d\n"
                     "      for %%l in 0 .. %d {\n        $acc[%%l] += ",
                     LANES, LANES);
    sb_ops_product(out, s, "$hdia_val[%p + %l]", "$B[%j + %l]");
    sb_strbuf_puts(out, "\n      }\n    }\n");
}

static void
put_some(sb_strbuf *out, const sb_spec *s)
{
    char a[TERM], b[TERM];

    sb_ops_lane(a, sizeof a, s->a, "%b", "$hdia_val[%p + ones(%b, %l)]");
    sb_ops_lane(b, sizeof b, s->b, "%b", "$B[%j + %l]");
    begin_masked(out, "    ", "%q1", "%q2");
    sb_strbuf_printf(
        out,
        "      let %%j = cast(i64, $hdia_col[%%q])\n"
        "      for %%l in 0 .. %d {\n"
        "        $acc[%%l] += select(ones(%%b, %%l + 1) > ones(%%b, %%l), ",
        LANES);
    sb_ops_product(out, s, a, b);
    sb_strbuf_puts(out, ", ");
    sb_ops_zero(out, s);
    sb_strbuf_puts(out, ")");
    end_masked(out, "    ");
}

/* Products first, in the order of the chunks: gathers do not wait for masks. */
static void
put_left(sb_strbuf *out, const sb_spec *s)
{
    char lane[TERM];

    sb_ops_lane(lane, sizeof lane, s->compute, "%b", "$prod[%p + ones(%b, %l)]");
    sb_strbuf_printf(out,
                     "    let %%h0 = cast(i64, $hdia_left[%%g])\n"
                     "    let %%left = cast(i64, $hdia_left[%%g + 1]) - %%h0\n"
                     "    if (%%left > 0) {\n"
                     "      local $prod : %s[%d]\n"
                     "      let %%v0 = $at[0]\n"
                     "      for %%u in 0 .. %%left {\n        $prod[%%u] = ",
                     sb_dtype_name(s->compute), BUFFER);
    sb_ops_product(out, s, "$hdia_val[%v0 + %u]", "$B[cast(i64, $hdia_crd[%h0 + %u])]");
    sb_strbuf_puts(out, "\n      }\n      $at[0] = 0\n");
    begin_masked(out, "      ", "%q2", "cast(i64, $hdia_seg[%g * 3 + 3])");
    sb_strbuf_printf(out, "        for %%l in 0 .. %d {\n          $acc[%%l] += %s",
                     LANES, lane);
    end_masked(out, "      ");
    sb_strbuf_puts(out, "    }\n");
}

static void
program(sb_strbuf *out, const sb_spec *s)
{
    head(out, s);
    sb_strbuf_printf(out,
                     "  for %%g in 0 .. (%%m + 15) / 16 {\n    local $acc : %s[%d]\n"
                     "    local $at : i64[1]\n"
                     "    for %%l in 0 .. %d {\n      $acc[%%l] = ",
                     sb_dtype_name(s->compute), LANES, LANES);
    sb_ops_zero(out, s);
    sb_strbuf_printf(out,
                     "\n    }\n"
                     "    let %%p0 = cast(i64, $hdia_ptr[%%g])\n"
                     "    let %%q0 = cast(i64, $hdia_seg[%%g * 3])\n"
                     "    let %%q1 = cast(i64, $hdia_seg[%%g * 3 + 1])\n"
                     "    let %%q2 = cast(i64, $hdia_seg[%%g * 3 + 2])\n"
                     "    $at[0] = %%p0 + (%%q1 - %%q0) * %d\n",
                     LANES);
    put_full(out, s);
    put_some(out, s);
    put_left(out, s);
    sb_strbuf_printf(out,
                     "    for %%l in 0 .. min(%d, %%m - %%g * %d) {\n"
                     "      $C[%%g * %d + %%l] = ",
                     LANES, LANES, LANES);
    sb_ops_result(out, s, "$C[%g * 16 + %l]", "$acc[%l]");
    sb_strbuf_puts(out, "\n    }\n  }\n}\n");
}

static void
schedule(sb_strbuf *out, const sb_spec *s)
{
    (void)s;
    sb_strbuf_printf(out, "split %%u %d -> %%u0 %%u1 tail\nvectorize %%u1\n", GATHER);
    sb_strbuf_puts(out, "vectorize %l\n");
}

const sb_recipe sb_recipe_HDIA = {
    .name = "hdia",
    .ops = 1U << SB_KOP_SPMV,
    .program = program,
    .schedule = schedule,
    .unit = {NULL, "%g", NULL},
};
