/*
 * SpMV over slices of 16 neighbouring rows taken apart by diagonals
 * (src/formats/part_hdia.c): one lane a row, so a diagonal's x lies side by side and no
 * entry costs a gather or an index. Diagonals that all rows of the slice hold go without
 * masks; what is on none comes last, its products by gathers into a buffer, from which
 * the masks hand them to their rows. Wins on grids, meshes and bands
 * (docs/measured/spmv-diagonals.md).
 * With values in place all diagonals come in the order of their columns, so a lane's next
 * value lies one behind its last: a position a lane is all there is to know. A slice of
 * few entries is read into registers whole and its values are looked up there; of others
 * they are gathered. Of ranges (`b4`: four): so many groups of rows look in two registers of
 * their own, which hold what all of them have; lanes never change their registers, so a lookup
 * is a permutation for each two and nothing else.
 */
#include "kernels/ops.h"
#include "kernels/recipe.h"

#include <stdio.h>

/* as src/formats/part.h: SB_HDIA_ROWS, SB_HDIA_LEFT */
enum { LANES = 16, BUFFER = 512, GATHER = 8, TERM = 160, TABLES = 2, RANGE = 128 };

static const int table[TABLES] = {96, 128}; /* entries of a slice in registers */

static void
head(sb_strbuf *out, const sb_spec *s)
{
    const char *const params[] = {"hdia_count", "hdia_rest", "hdia_slots",
                                  s->lanes == 0 ? "hdia_ahead" : NULL, NULL};
    static const char *const packed[] = {"hdia_seg",  "P",   "(%m + 15) / 16 * 3 + 1",
                                         "hdia_ptr",  "P",   "(%m + 15) / 16 + 1",
                                         "hdia_left", "P",   "(%m + 15) / 16 + 1",
                                         "hdia_col",  "I",   "%hdia_count",
                                         "hdia_bits", "i32", "%hdia_count",
                                         "hdia_crd",  "I",   "%hdia_rest",
                                         "hdia_val",  "V",   "%hdia_slots",
                                         NULL};
    static const char *const count[] = {"hdia_count", NULL};
    char ranges[48];
    const char *const in_place[] = {"hdia_seg",
                                    "P",
                                    "(%m + 15) / 16 + 1",
                                    "hdia_ptr",
                                    "P",
                                    "(%m + 15) / 16 + 1",
                                    "hdia_at",
                                    "i32",
                                    "(%m + 15) / 16 * 16",
                                    "hdia_col",
                                    "I",
                                    "%hdia_count",
                                    "hdia_bits",
                                    "i32",
                                    "%hdia_count",
                                    s->block > 0 ? "hdia_range" : NULL,
                                    "i32",
                                    ranges,
                                    NULL};

    if (s->block > 0)
        (void)snprintf(ranges, sizeof ranges, "(%%m + 15) / 16 * %d", s->block);

    sb_ops_stage2_begin(out, s, "hdia", s->packed ? params : count,
                        s->packed ? packed : in_place);
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
                     "      let %%p = %%p0 + (%%q - %%q0) * %d\n%s",
                     LANES, full ? "" : "      let %b = cast(i64, $hdia_bits[%q])\n");
    if (s->lanes == 0) {
        sb_strbuf_puts(out, "      if (%hdia_ahead > 0) {\n");
        sb_ops_ask(out, s, "hdia_val", "%p + %hdia_ahead", LANES);
        sb_strbuf_puts(out, "      }\n");
    }
    sb_strbuf_printf(out, "      for %%l in 0 .. %d {\n        $acc[%%l] += ", LANES);
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

/* All diagonals of a slice, whose next values are at `load`. */
static void
put_in_order(sb_strbuf *out, const sb_spec *s, const char *load)
{
    char a[TERM], x[TERM], one[TERM];

    sb_ops_lane(a, sizeof a, s->a, "%b", load);
    sb_ops_lane(x, sizeof x, s->b, "%b", "$B[%j + %l]");
    sb_ops_lane(one, sizeof one, SB_I32, "%b", "1:i32");
    sb_strbuf_printf(out,
                     "    for %%q in %%q0 .. %%q1 {\n"
                     "      let %%j = cast(i64, $hdia_col[%%q])\n"
                     "      let %%b = cast(i64, $hdia_bits[%%q])\n"
                     "      for %%l in 0 .. %d {\n        $acc[%%l] += "
                     "select(ones(%%b, %%l + 1) > ones(%%b, %%l), ",
                     LANES);
    sb_ops_product(out, s, a, x);
    sb_strbuf_puts(out, ", ");
    sb_ops_zero(out, s);
    sb_strbuf_printf(out, ")\n        $at[%%l] += %s\n      }\n    }\n", one);
}

/* The slice's values lie side by side; the table may end behind them. */
static void
put_table(sb_strbuf *out, const sb_spec *s, int size)
{
    char load[48];

    sb_strbuf_printf(out, "    local $table%d : %s[%d]\n", size, sb_dtype_name(s->a),
                     size);
    for (int u = 0; u < size; u += LANES)
        sb_strbuf_printf(out,
                         "    for %%l in 0 .. min(%d, %%span - %d) {\n"
                         "      $table%d[%d + %%l] = $A[%%v0 + %d + %%l]\n    }\n",
                         LANES, u, size, u, u);
    (void)snprintf(load, sizeof load, "$table%d[cast(i64, $at[%%l])]", size);
    put_in_order(out, s, load);
}

/* Two registers for each range of rows, read beyond what these have: never beyond the array,
 * says who made the slices. */
static void
put_ranges(sb_strbuf *out, const sb_spec *s)
{
    const int ranges = s->block, n = RANGE / (int)sb_dtype_size(s->a);
    char load[64];

    sb_strbuf_printf(out,
                     "    if (cast(i64, $hdia_range[%%g * %d]) == 0) {\n"
                     "    local $table : %s[%d]\n",
                     ranges, sb_dtype_name(s->a), ranges * n);
    for (int q = 0; q < ranges; q++) {
        sb_strbuf_printf(
            out, "    let %%v%d = %%v0 + cast(i64, $hdia_range[%%g * %d + %d])\n",
            q + 1, ranges, q);
        for (int u = 0; u < n; u += LANES)
            sb_strbuf_printf(out,
                             "    for %%l in 0 .. %d {\n"
                             "      $table[%d + %%l] = $A[%%v%d + %d + %%l]\n    }\n",
                             LANES, q * n + u, q + 1, u);
    }
    (void)snprintf(load, sizeof load,
                   "$table[%%l * %d / 16 * %d + cast(i64, $at[%%l])]", ranges, n);
    put_in_order(out, s, load);
    sb_strbuf_puts(out, "    } else {\n");
}

static void
put_in_place(sb_strbuf *out, const sb_spec *s)
{
    const int tables =
        s->a == SB_F32 && s->compute == SB_F32 && s->block == 0 ? TABLES : 0;

    sb_strbuf_printf(out,
                     "    local $at : i32[%d]\n"
                     "    let %%v0 = cast(i64, $hdia_ptr[%%g])\n"
                     "    let %%span = cast(i64, $hdia_ptr[%%g + 1]) - %%v0\n"
                     "    let %%q0 = cast(i64, $hdia_seg[%%g])\n"
                     "    let %%q1 = cast(i64, $hdia_seg[%%g + 1])\n"
                     "    for %%l in 0 .. %d {\n      $acc[%%l] = ",
                     LANES, LANES);
    sb_ops_zero(out, s);
    sb_strbuf_printf(out, "\n      $at[%%l] = $hdia_at[%%g * %d + %%l]\n    }\n",
                     LANES);
    if (s->block > 0)
        put_ranges(out, s);
    for (int q = 0; q < tables; q++) {
        sb_strbuf_printf(out, "    if (%%span <= %d) {\n", table[q]);
        put_table(out, s, table[q]);
        sb_strbuf_puts(out, "    } else {\n");
    }
    put_in_order(out, s, "$A[%v0 + cast(i64, $at[%l])]");
    for (int q = 0; q < tables + (s->block > 0); q++)
        sb_strbuf_puts(out, "    }\n");
}

static void
put_packed(sb_strbuf *out, const sb_spec *s)
{
    sb_strbuf_printf(out, "    for %%l in 0 .. %d {\n      $acc[%%l] = ", LANES);
    sb_ops_zero(out, s);
    sb_strbuf_puts(out, "\n    }\n"
                        "    let %p0 = cast(i64, $hdia_ptr[%g])\n"
                        "    let %q0 = cast(i64, $hdia_seg[%g * 3])\n"
                        "    let %q1 = cast(i64, $hdia_seg[%g * 3 + 1])\n"
                        "    let %q2 = cast(i64, $hdia_seg[%g * 3 + 2])\n");
    put_diagonals(out, s, true);
    put_diagonals(out, s, false);
    put_left(out, s);
}

static void
program(sb_strbuf *out, const sb_spec *s)
{
    head(out, s);
    sb_strbuf_printf(out,
                     "  for %%g in 0 .. (%%m + 15) / 16 {\n    local $acc : %s[%d]\n",
                     sb_dtype_name(s->compute), LANES);
    if (s->packed)
        put_packed(out, s);
    else
        put_in_place(out, s);
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
    if (s->packed)
        sb_strbuf_printf(out, "split %%u %d -> %%u0 %%u1 tail\nvectorize %%u1\n",
                         GATHER);
    sb_strbuf_puts(out, "vectorize %l\n");
}

const sb_recipe sb_recipe_HDIA = {
    .name = "hdia",
    .ops = 1U << SB_KOP_SPMV,
    .program = program,
    .schedule = schedule,
    .unit = {NULL, "%g", NULL},
};
