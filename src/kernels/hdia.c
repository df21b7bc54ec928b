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
    static const char *const params[] = {"hdia_count", "hdia_rest", "hdia_slots", NULL};
    static const char *const buffers[] = {"hdia_seg",  "P",   "(%m + 15) / 16 * 3 + 1",
                                          "hdia_ptr",  "P",   "(%m + 15) / 16 + 1",
                                          "hdia_left", "P",   "(%m + 15) / 16 + 1",
                                          "hdia_col",  "I",   "%hdia_count",
                                          "hdia_bits", "i32", "%hdia_count",
                                          "hdia_crd",  "I",   "%hdia_rest",
                                          "hdia_val",  "V",   "%hdia_slots",
                                          NULL};

    sb_ops_stage2_begin(out, s, "hdia", params, buffers);
}

/* Chunks from %q0 on have 16 slots each; lanes without an entry take no part. */
static void
put_diagonals(sb_strbuf *out, const sb_spec *s, bool full)
{
    char x[TERM];

    sb_ops_lane(x, sizeof x, s->b, "%b", "$B[%j + %l]");
    sb_strbuf_printf(out, "    for %%q in %s {\n", full ? "%q0 .. %q1" : "%q1 .. %q2");
    sb_strbuf_printf(out,
                     "      let %%j = cast(i64, $hdia_col[%%q])\n"
                     "      let %%p = %%p0 + (%%q - %%q0) * %d\n%s"
                     "      for %%l in 0 .. %d {\n        $acc[%%l] += ",
                     LANES, full ? "" : "      let %b = cast(i64, $hdia_bits[%q])\n",
                     LANES);
    if (!full)
        sb_strbuf_puts(out, "select(ones(%b, %l + 1) > ones(%b, %l), ");
    sb_ops_product(out, s, "$hdia_val[%p + %l]", full ? "$B[%j + %l]" : x);
    if (!full) {
        sb_strbuf_puts(out, ", ");
        sb_ops_zero(out, s);
        sb_strbuf_putc(out, ')');
    }
    sb_strbuf_puts(out, "\n      }\n    }\n");
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
                     "      local $at : i64[1]\n"
                     "      let %%v0 = %%p0 + (%%q2 - %%q0) * %d\n"
                     "      for %%u in 0 .. %%left {\n        $prod[%%u] = ",
                     sb_dtype_name(s->compute), BUFFER, LANES);
    sb_ops_product(out, s, "$hdia_val[%v0 + %u]", "$B[cast(i64, $hdia_crd[%h0 + %u])]");
    sb_strbuf_printf(
        out,
        "\n      }\n      $at[0] = 0\n"
        "      for %%q in %%q2 .. cast(i64, $hdia_seg[%%g * 3 + 3]) {\n"
        "        let %%b = cast(i64, $hdia_bits[%%q])\n"
        "        let %%p = $at[0]\n"
        "        for %%l in 0 .. %d {\n          $acc[%%l] += %s\n"
        "        }\n        $at[0] = %%p + ones(%%b, %d)\n      }\n    }\n",
        LANES, lane, LANES);
}

static void
program(sb_strbuf *out, const sb_spec *s)
{
    head(out, s);
    sb_strbuf_printf(out,
                     "  for %%g in 0 .. (%%m + 15) / 16 {\n    local $acc : %s[%d]\n"
                     "    for %%l in 0 .. %d {\n      $acc[%%l] = ",
                     sb_dtype_name(s->compute), LANES, LANES);
    sb_ops_zero(out, s);
    sb_strbuf_puts(out, "\n    }\n"
                        "    let %p0 = cast(i64, $hdia_ptr[%g])\n"
                        "    let %q0 = cast(i64, $hdia_seg[%g * 3])\n"
                        "    let %q1 = cast(i64, $hdia_seg[%g * 3 + 1])\n"
                        "    let %q2 = cast(i64, $hdia_seg[%g * 3 + 2])\n");
    put_diagonals(out, s, true);
    put_diagonals(out, s, false);
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
