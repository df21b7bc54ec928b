/*
 * Windows of neighbouring rows and the columns that all of them hold, one by one
 * (src/formats/part_share.c): one load of a row of B and one column index serve all rows
 * of a window, whose values lie side by side. On a CPU columns that some of the rows lack
 * come next, with a test for each row: neighbours in that list ask for the same rows, and
 * a value that is not there multiplies nothing. What else the rows do not share follows
 * row by row, into the same sums. Against windows by runs (win.c) it pays for positions, unless
 * they are packed, and gains short runs and registers (docs/measured/spmm-windows.md,
 * Shared columns one by one).
 */
#include "base/fault.h"
#include "kernels/ops.h"
#include "kernels/recipe.h"
#include "kernels/schedule.h"
#include "kernels/tensor.h"

#include <stdio.h>

enum { SPARE = 3 }; /* as src/formats/part.h: SB_SHARE_SPARE */

/* Whether there is a list of columns that some rows lack: threads of a GPU that differ in
 * their rows would wait for each other. */
static bool
holes(const sb_spec *s)
{
    return s->lanes == 0;
}

/* Whether packed values are asked for ahead. */
static bool
asks(const sb_spec *s)
{
    return s->lanes == 0 && s->packed && s->op == SB_KOP_SPMM;
}

/* Asks, where a window begins, for as many values as its rows share. */
static void
put_ahead(sb_strbuf *out, const sb_spec *s)
{
    char at[48];

    (void)snprintf(at, sizeof at, "cast(i64, $share_seg[%%w]) * %d", s->block);
    if (asks(s))
        sb_ops_ask_window(out, s, "share_val", at,
                          "cast(i64, $share_seg[%w + 1]) - cast(i64, $share_seg[%w])",
                          "share_ahead");
}

/* Where columns and values of what is left in rows begin. */
static const char *
listed(const sb_spec *s)
{
    return holes(s) ? "(%share_count + %share_most)" : "%share_count";
}

static void
head(sb_strbuf *out, const sb_spec *s)
{
    const char *const some = holes(s) ? "share_most" : "share_rest";
    const char *const params[] = {"share_count", some, holes(s) ? "share_rest" : NULL,
                                  asks(s) ? "share_ahead" : NULL, NULL};
    char seg[48], left[48], crd[80], val[96];
    const char *const buffers[] = {"share_seg",
                                   "P",
                                   seg,
                                   "share_left",
                                   "P",
                                   left,
                                   "share_crd",
                                   "I",
                                   crd,
                                   s->packed ? "share_val" : "share_pos",
                                   s->packed ? "V" : "P",
                                   val,
                                   holes(s) ? "share_some" : NULL,
                                   "P",
                                   seg,
                                   "share_bits",
                                   "i32",
                                   "%share_most",
                                   NULL};

    (void)snprintf(seg, sizeof seg, "%%m / %d + 1", s->block);
    (void)snprintf(left, sizeof left, "%%m / %d * %d + 1", s->block, s->block);
    (void)snprintf(crd, sizeof crd, "%s + %%share_rest", listed(s));
    (void)snprintf(val, sizeof val, "%s * %d + %%share_rest + %d", listed(s), s->block,
                   SPARE);
    sb_ops_stage2_begin(out, s, "share", params, buffers);
}

/* %c += the entry whose value is the %s-th, in column %j. */
static void
put_term(sb_strbuf *out, const sb_spec *s, const char *c)
{
    sb_strbuf_printf(out, "            %s += ", c);
    sb_ops_term(out, s, s->packed ? "$share_val[%s]" : "$A[cast(i64, $share_pos[%s])]",
                "$B[%j, %c]");
    sb_strbuf_puts(out, "\n          }\n");
}

/* Columns %q that row %r may lack. */
static void
put_some(sb_strbuf *out, const sb_spec *s, const char *c)
{
    sb_strbuf_printf(out,
                     "        for %%q in cast(i64, $share_some[%%w]) .. "
                     "cast(i64, $share_some[%%w + 1]) reduce {\n"
                     "          let %%j = cast(i64, $share_crd[%%share_count + %%q])\n"
                     "          let %%b = cast(i64, $share_bits[%%q])\n"
                     "          if ones(%%b, %%r + 1) > ones(%%b, %%r) {\n"
                     "            let %%s = (%%share_count + %%q) * %d + %%r\n",
                     s->block);
    put_term(out, s, c);
    sb_strbuf_puts(out, "          }\n");
}

/* Window %w, column %c, row %r, then shared columns %p, those of some rows %q, then the
 * row's own %e. The schedule turns %r and %c inside. */
static void
program(sb_strbuf *out, const sb_spec *s)
{
    const int b = s->block;
    char c[48];

    (void)snprintf(c, sizeof c, "$C[%%w * %d + %%r, %%c]", b);
    head(out, s);
    sb_strbuf_printf(out, "  for %%w in 0 .. %%m / %d {\n", b);
    put_ahead(out, s);
    sb_ops_columns(out, s, "    ");
    sb_strbuf_printf(out, "      for %%r in 0 .. %d {\n        %s = ", b, c);
    sb_ops_init(out, s, c);
    sb_strbuf_printf(out,
                     "\n        for %%p in cast(i64, $share_seg[%%w]) .. "
                     "cast(i64, $share_seg[%%w + 1]) reduce {\n"
                     "            let %%j = cast(i64, $share_crd[%%p])\n"
                     "            let %%s = %%p * %d + %%r\n",
                     b);
    put_term(out, s, c);
    if (holes(s))
        put_some(out, s, c);
    sb_strbuf_printf(out,
                     "        for %%e in cast(i64, $share_left[%%w * %d + %%r]) .. "
                     "cast(i64, $share_left[%%w * %d + %%r + 1]) reduce {\n"
                     "            let %%j = cast(i64, $share_crd[%s + %%e])\n"
                     "            let %%s = %s * %d + %%e\n",
                     b, b, listed(s), listed(s), b);
    put_term(out, s, c);
    sb_strbuf_puts(out, "      }\n    }\n  }\n}\n");
}

/* SpMV keeps so many sums of a window, each of every fourth column: an addition waits for the
 * last. */
enum { CHAINS = 4 };

/* A lane a row, as many as a vector has: the values of other rows or columns that the last
 * ones read are nobody's. */
static int
lanes_of(const sb_spec *s)
{
    return s->block > 4 ? 8 : s->block > 2 ? 4 : 2;
}

static void
put_clear(sb_strbuf *out, const sb_spec *s, int chain)
{
    sb_strbuf_printf(out,
                     "    local $acc%d : %s[%d]\n"
                     "    for %%l in 0 .. %d {\n      $acc%d[%%l] = ",
                     chain, sb_dtype_name(s->compute), lanes_of(s), lanes_of(s), chain);
    sb_ops_zero(out, s);
    sb_strbuf_puts(out, "\n    }\n");
}

/* Column `at` of the lists times x: of all rows, or of those with a bit in %b. */
static void
put_column(sb_strbuf *out, const sb_spec *s, int chain, const char *at, bool some)
{
    char value[96], x[96];

    (void)snprintf(value, sizeof value, "$share_val[(%s) * %d + %%l]", at, s->block);
    (void)snprintf(x, sizeof x, "$B[cast(i64, $share_crd[%s])]", at);
    sb_strbuf_printf(
        out, "      for %%l in 0 .. %d {\n        $acc%d[%%l] += ", lanes_of(s), chain);
    sb_strbuf_puts(out, some ? "select(ones(%b, %l + 1) > ones(%b, %l), " : "");
    sb_ops_product(out, s, value, x);
    if (some) {
        sb_strbuf_puts(out, ", ");
        sb_ops_zero(out, s);
        sb_strbuf_puts(out, ")");
    }
    sb_strbuf_puts(out, "\n      }\n");
}

/* What is left in rows, into $acc0. */
static void
put_left(sb_strbuf *out, const sb_spec *s)
{
    const int b = s->block;
    char value[96], x[96];

    (void)snprintf(value, sizeof value, "$share_val[%s * %d + %%e]", listed(s), b);
    (void)snprintf(x, sizeof x, "$B[cast(i64, $share_crd[%s + %%e])]", listed(s));
    sb_strbuf_printf(
        out, "    if $share_left[%%w * %d] < $share_left[%%w * %d + %d] {\n", b, b, b);
    for (int r = 0; r < b; r++) {
        sb_strbuf_printf(out,
                         "      for %%e in cast(i64, $share_left[%%w * %d + %d]) .. "
                         "cast(i64, $share_left[%%w * %d + %d]) {\n"
                         "        $acc0[%d] += ",
                         b, r, b, r + 1, r);
        sb_ops_product(out, s, value, x);
        sb_strbuf_puts(out, "\n      }\n");
    }
    sb_strbuf_puts(out, "    }\n");
}

/* SpMV, packed, but of complex types: a lane a row, so that nothing is added across lanes. */
static void
program_lanes(sb_strbuf *out, const sb_spec *s)
{
    const int b = s->block;
    char at[48], c[48];

    head(out, s);
    sb_strbuf_printf(out, "  for %%w in 0 .. %%m / %d {\n", b);
    for (int q = 0; q < CHAINS; q++)
        put_clear(out, s, q);
    sb_strbuf_printf(out,
                     "    let %%lo = cast(i64, $share_seg[%%w])\n"
                     "    let %%count = cast(i64, $share_seg[%%w + 1]) - %%lo\n"
                     "    for %%v in 0 .. %%count / %d {\n",
                     CHAINS);
    for (int q = 0; q < CHAINS; q++) {
        (void)snprintf(at, sizeof at, "%%lo + %%v * %d + %d", CHAINS, q);
        put_column(out, s, q, at, false);
    }
    sb_strbuf_printf(out,
                     "    }\n    for %%p in %%lo + %%count / %d * %d .. "
                     "%%lo + %%count {\n",
                     CHAINS, CHAINS);
    put_column(out, s, 0, "%p", false);
    sb_strbuf_puts(out, "    }\n    for %q in cast(i64, $share_some[%w]) .. "
                        "cast(i64, $share_some[%w + 1]) {\n"
                        "      let %b = cast(i64, $share_bits[%q])\n");
    put_column(out, s, 1, "%share_count + %q", true);
    sb_strbuf_printf(out,
                     "    }\n    for %%l in 0 .. %d {\n      $acc0[%%l] = "
                     "($acc0[%%l] + $acc1[%%l]) + ($acc2[%%l] + $acc3[%%l])\n    }\n",
                     lanes_of(s));
    put_left(out, s);
    (void)snprintf(c, sizeof c, "$C[%%w * %d + %%l]", b);
    sb_strbuf_printf(out, "    for %%l in 0 .. %d {\n      %s = ", b, c);
    sb_ops_result(out, s, c, "$acc0[%l]");
    sb_strbuf_puts(out, "\n    }\n  }\n}\n");
}

/* The value at %s, whatever its place. */
static void
put_value(sb_strbuf *out, const sb_spec *s, const char *at)
{
    char text[192];

    (void)snprintf(text, sizeof text,
                   s->packed ? "$share_val[%s]" : "$A[cast(i64, $share_pos[%s])]", at);
    sb_ops_operand(out, s, text, s->a, false);
}

/* Shared columns %lo + %p * deep .. as the summed index; the last few with zeros. */
static void
put_product(sb_strbuf *out, const sb_spec *s, bool last)
{
    const int deep = sb_tensor_depth(s);
    const char *less = SB_FAULT(GPU_TENSOR_TAIL) ? "<=" : "<";
    const char *at = last ? "%lo + (%count - %count mod " : "%lo + (%p * ";
    char place[96], when[48] = "", value[128];

    (void)snprintf(place, sizeof place, "%s%d) + %%u", at, deep);
    if (last)
        (void)snprintf(when, sizeof when, "select(%%u %s %%count mod %d, ", less, deep);
    sb_tensor_begin(out, s, 8, deep);
    sb_tensor_rows(out, s, when, "cast(i64, $share_crd[", place, "])");
    sb_strbuf_printf(out, " * %s", when);
    (void)snprintf(value, sizeof value, "(%s) * 8 + %%j", place);
    put_value(out, s, value);
    sb_strbuf_puts(out, last ? ", 0.0)" : "");
    sb_tensor_end(out);
}

/* What a row does not share: its two rows are every lane's own. */
static void
put_rest(sb_strbuf *out, const sb_spec *s)
{
    sb_tensor_lanes(out, s, "%w * 8", 8);
    sb_strbuf_puts(out, "        for %q in cast(i64, $share_left[%r]) .. "
                        "cast(i64, $share_left[%r + 1]) reduce {\n"
                        "          let %g = cast(i64, $share_crd[%share_count + %q])\n"
                        "          let %v = ");
    put_value(out, s, "%share_count * 8 + %q");
    sb_tensor_add(out, s, "%g", "%v");
    sb_strbuf_puts(out, "        }\n");
    sb_tensor_lanes_end(out);
}

/* Tensor cores: a shared column is the column of eight of A, its row of B the other
 * factor; rows of the machine's tile are columns of C. */
static void
program_tensor(sb_strbuf *out, const sb_spec *s)
{
    head(out, s);
    sb_strbuf_puts(out, "  for %w in 0 .. %m / 8 {\n");
    sb_tensor_clear(out, s, "%n", 8);
    sb_strbuf_printf(out,
                     "    let %%lo = cast(i64, $share_seg[%%w])\n"
                     "    let %%count = cast(i64, $share_seg[%%w + 1]) - %%lo\n"
                     "    for %%p in 0 .. %%count / %d reduce {\n",
                     sb_tensor_depth(s));
    put_product(out, s, false);
    sb_strbuf_printf(out, "    }\n    if %%count mod %d > 0 {\n", sb_tensor_depth(s));
    put_product(out, s, true);
    sb_strbuf_puts(out, "    }\n");
    put_rest(out, s);
    sb_tensor_write(out, s, "%w * 8", 8);
    sb_strbuf_puts(out, "  }\n}\n");
}

/* SDDMM: what a row does not share is summed entry by entry, across the lanes. */
static void
program_sample(sb_strbuf *out, const sb_spec *s)
{
    head(out, s);
    sb_strbuf_puts(out, "  for %w in 0 .. %m / 8 {\n"
                        "    let %lo = cast(i64, $share_seg[%w])\n"
                        "    let %count = cast(i64, $share_seg[%w + 1]) - %lo\n");
    sb_tensor_sample(out, s, 8, "cast(i64, $share_crd[%lo + (%c0 * 16 + %i)])",
                     "$share_pos[(%lo + (%cb + %s)) * 8 + %r]");
    sb_strbuf_puts(out, "    for %h in 0 .. 8 {\n"
                        "    for %q in cast(i64, $share_left[%w * 8 + %h]) .. "
                        "cast(i64, $share_left[%w * 8 + %h + 1]) {\n"
                        "      let %g = cast(i64, $share_crd[%share_count + %q])\n"
                        "      let %p = cast(i64, $share_pos[%share_count * 8 + %q])\n"
                        "      $A[%p] = ");
    sb_ops_init(out, s, "$A[%p]");
    sb_strbuf_puts(out, "\n      for %c in 0 .. %k reduce {\n        $A[%p] += ");
    sb_ops_term(out, s, "$X[%w * 8 + %h, %c]", "$Y[%c, %g]");
    sb_strbuf_puts(out, "\n      }\n    }\n    }\n  }\n}\n");
}

static void
program_any(sb_strbuf *out, const sb_spec *s)
{
    (s->op == SB_KOP_SDDMM  ? program_sample
     : s->op == SB_KOP_SPMV ? program_lanes
     : s->mma               ? program_tensor
                            : program)(out, s);
}

static void
schedule(sb_strbuf *out, const sb_spec *s)
{
    if (s->op == SB_KOP_SDDMM)
        sb_schedule_samples(out, s, "%q");
    if (s->op == SB_KOP_SPMV)
        sb_strbuf_puts(out, "vectorize %l\n");
    if (s->op == SB_KOP_SPMV || s->mma)
        return;
    sb_strbuf_printf(out, "split %%c %d -> %%c0 %%c1 tail\n", s->tile);
    sb_strbuf_puts(out, "reorder %r %c1\n"
                        "cache_write $C at %c0 as $acc\n"
                        "reorder %p %r %c1\n");
    sb_strbuf_puts(
        out, holes(s) ? "reorder %q %r %c1\ncache_read $B at %q as $row always\n" : "");
    sb_strbuf_puts(out, "reorder %e %c1\n");
    if (s->stage)
        sb_strbuf_printf(out,
                         "split %%p %d -> %%p0 %%p1 tail\n"
                         "stage $%s at %%p0 as $values\n"
                         "stage $share_crd at %%p0 as $columns\n"
                         "ahead %%p0 -> %%pp\n",
                         s->stage, s->packed ? "share_val" : "A");
    if (s->stage &&
        s->vec > 1) /* sums and rows of B of a whole stage: too many registers */
        sb_strbuf_puts(out, "annotate %p1 together 4\n");
    sb_strbuf_puts(out, "vectorize %c1\n");
    sb_schedule_memory(out, s, "%p");
    sb_strbuf_puts(out, "unroll %r\nparallel %w\n");
}

const sb_recipe sb_recipe_SHARE = {
    .name = "share",
    .ops = 1U << SB_KOP_SPMM | 1U << SB_KOP_SPMV,
    .tensor = 1U << SB_KOP_SPMM | 1U << SB_KOP_SDDMM,
    .program = program_any,
    .schedule = schedule,
    .unit = {"%w", "%w", "%w"},
    .column = "%c0",
};
