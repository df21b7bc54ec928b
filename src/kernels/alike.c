/*
 * SpMV over groups of neighbouring rows (src/formats/part_alike.c): of runs, in which each row has
 * the columns of the row above, one further (grids, stencils, bands), 16 rows at a time. Read in
 * place: their values lie side by side, as many a row, and are turned in registers
 * (spblas_diags.h), x lies side by side along a diagonal, and of their columns only those of the
 * run's first row are read. Values come from 16 rows in turn, which no prefetcher follows: those
 * %alike_ahead further are asked for. Other groups go row by row.
 */
#include "kernels/ops.h"
#include "kernels/recipe.h"

#include <stdio.h>

enum {
    ROWS = 16,  /* part.h's SB_ALIKE_ROWS */
    LANES = 8,  /* of a row by itself */
    SHORT = 12, /* entries of rows that have none */
};

static void
put_run(sb_strbuf *out, const sb_spec *s)
{
    /* where diagonals are a call (emit_diags.c) */
    const bool asks = s->a == s->compute && (s->a == SB_F32 || s->a == SB_F64);

    sb_strbuf_printf(out,
                     "    let %%p0 = cast(i64, $alike_lo[%%g])\n"
                     "    for %%c in 0 .. (%%rows + %d) / %d {\n"
                     "      let %%from = %%p0 + %%c * %d * %%n\n"
                     "      let %%first = %%c * %d\n"
                     "      local $sum : %s[%d]\n"
                     "      for %%l in 0 .. %d {\n        $sum[%%l] = ",
                     ROWS - 1, ROWS, ROWS, ROWS, sb_dtype_name(s->compute), ROWS, ROWS);
    sb_ops_zero(out, s);
    sb_strbuf_printf(
        out,
        "\n      }\n      for %%d in 0 .. %%n {\n%s"
        "        for %%l in 0 .. %d {\n          $sum[%%l] += ",
        asks ? "        prefetch $A[%from + 16 * %d + %alike_ahead]\n" : "", ROWS);
    sb_ops_product(out, s, "$A[%from + %l * %n + %d]",
                   "$B[cast(i64, $A_crd[%p0 + %d]) - %base + %first + %l]");
    sb_strbuf_printf(out,
                     "\n        }\n      }\n"
                     "      for %%l in 0 .. min(%d, %%rows - %%first) {\n"
                     "        $C[%%i0 + %%first + %%l] = ",
                     ROWS);
    sb_ops_result(out, s, "$C[%i0 + %first + %l]", "$sum[%l]");
    sb_strbuf_puts(out, "\n      }\n    }\n");
}

/* A row's sum, by lanes where `slot` is theirs. */
static void
put_sum(sb_strbuf *out, const sb_spec *s, const char *slot, const char *reduce)
{
    char a[16], b[48];

    (void)snprintf(a, sizeof a, "$A[%s]", slot);
    (void)snprintf(b, sizeof b, "$B[cast(i64, $A_crd[%s]) - %%base]", slot);
    sb_strbuf_printf(
        out, "        for %s in %%lo .. %%hi%s {\n          $one[0] += ", slot, reduce);
    sb_ops_product(out, s, a, b);
    sb_strbuf_puts(out, "\n        }\n");
}

static void
put_rows(sb_strbuf *out, const sb_spec *s)
{
    sb_strbuf_printf(out,
                     "    for %%r in 0 .. %%rows {\n"
                     "      let %%lo = cast(i64, $A_ptr[%%i0 + %%r]) - %%base\n"
                     "      let %%hi = cast(i64, $A_ptr[%%i0 + %%r + 1]) - %%base\n"
                     "      local $one : %s[1]\n      $one[0] = ",
                     sb_dtype_name(s->compute));
    sb_ops_zero(out, s);
    sb_strbuf_printf(out, "\n      if (%%hi - %%lo < %d) {\n", SHORT);
    put_sum(out, s, "%p", "");
    sb_strbuf_puts(out, "      } else {\n");
    put_sum(out, s, "%q", " reduce");
    sb_strbuf_puts(out, "      }\n      $C[%i0 + %r] = ");
    sb_ops_result(out, s, "$C[%i0 + %r]", "$one[0]");
    sb_strbuf_puts(out, "\n    }\n");
}

static void
program(sb_strbuf *out, const sb_spec *s)
{
    static const char *const params[] = {"alike_count", "alike_ahead", NULL};
    static const char *const buffers[] = {
        "A_ptr",     "P", "%m + 1",           "A_crd",    "I", "%nnz",
        "alike_row", "I", "%alike_count + 1", "alike_lo", "P", "%alike_count + 1",
        "alike_len", "P", "%alike_count",     NULL};

    sb_ops_stage2_begin(out, s, "alike", params, buffers);
    sb_strbuf_puts(out, "  for %g in 0 .. %alike_count {\n"
                        "    let %i0 = cast(i64, $alike_row[%g])\n"
                        "    let %rows = cast(i64, $alike_row[%g + 1]) - %i0\n"
                        "    let %n = cast(i64, $alike_len[%g])\n"
                        "    if (%n > 0) {\n");
    put_run(out, s);
    sb_strbuf_puts(out, "    } else {\n");
    put_rows(out, s);
    sb_strbuf_puts(out, "    }\n  }\n}\n");
}

static void
schedule(sb_strbuf *out, const sb_spec *s)
{
    (void)s;
    sb_strbuf_printf(out,
                     "annotate %%d diags %d\nvectorize %%l\n"
                     "rfactor %%q %d -> %%h as $part\nvectorize %%h\n",
                     ROWS, LANES);
}

const sb_recipe sb_recipe_ALIKE = {
    .name = "alike",
    .ops = 1U << SB_KOP_SPMV,
    .program = program,
    .schedule = schedule,
    .unit = {NULL, "%g", NULL},
};
