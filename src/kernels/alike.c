/*
 * SpMV over groups of up to 16 neighbouring rows of which each has the columns of the row above,
 * one further (src/formats/part_alike.c): grids, stencils, bands. Read in place: their values lie
 * side by side, as many a row, and are turned in registers (spblas_diags.h), x lies side by side
 * along a diagonal, and of their columns only those of the group's first row are read. Other
 * groups go row by row.
 */
#include "kernels/ops.h"
#include "kernels/recipe.h"

enum { ROWS = 16 }; /* part.h's SB_ALIKE_ROWS */

static void
put_alike(sb_strbuf *out, const sb_spec *s)
{
    sb_strbuf_printf(out,
                     "    local $sum : %s[%d]\n    for %%l in 0 .. %d {\n"
                     "      $sum[%%l] = ",
                     sb_dtype_name(s->compute), ROWS, ROWS);
    sb_ops_zero(out, s);
    sb_strbuf_printf(out,
                     "\n    }\n    let %%p0 = cast(i64, $alike_lo[%%g])\n"
                     "    let %%n = cast(i64, $A_ptr[%%i0 + 1]) - %%base - %%p0\n"
                     "    for %%d in %%p0 .. %%p0 + %%n {\n"
                     "      for %%l in 0 .. %d {\n        $sum[%%l] += ",
                     ROWS);
    sb_ops_product(out, s, "$A[%p0 + %l * %n + (%d - %p0)]",
                   "$B[cast(i64, $A_crd[%d]) - %base + %l]");
    sb_strbuf_printf(out,
                     "\n      }\n    }\n    for %%l in 0 .. min(%d, %%rows) {\n"
                     "      $C[%%i0 + %%l] = ",
                     ROWS);
    sb_ops_result(out, s, "$C[%i0 + %l]", "$sum[%l]");
    sb_strbuf_puts(out, "\n    }\n");
}

static void
put_rows(sb_strbuf *out, const sb_spec *s)
{
    sb_strbuf_printf(out,
                     "    for %%r in 0 .. %%rows {\n      local $one : %s[1]\n"
                     "      $one[0] = ",
                     sb_dtype_name(s->compute));
    sb_ops_zero(out, s);
    sb_strbuf_puts(out, "\n      for %p in cast(i64, $A_ptr[%i0 + %r]) - %base .. "
                        "cast(i64, $A_ptr[%i0 + %r + 1]) - %base {\n"
                        "        $one[0] += ");
    sb_ops_product(out, s, "$A[%p]", "$B[cast(i64, $A_crd[%p]) - %base]");
    sb_strbuf_puts(out, "\n      }\n      $C[%i0 + %r] = ");
    sb_ops_result(out, s, "$C[%i0 + %r]", "$one[0]");
    sb_strbuf_puts(out, "\n    }\n");
}

static void
program(sb_strbuf *out, const sb_spec *s)
{
    static const char *const params[] = {"alike_count", NULL};
    static const char *const buffers[] = {
        "A_ptr",     "P",   "%m + 1",           "A_crd",    "I", "%nnz",
        "alike_row", "I",   "%alike_count + 1", "alike_lo", "P", "%alike_count + 1",
        "alike_is",  "i32", "%alike_count",     NULL};

    sb_ops_stage2_begin(out, s, "alike", params, buffers);
    sb_strbuf_puts(out, "  for %g in 0 .. %alike_count {\n"
                        "    let %i0 = cast(i64, $alike_row[%g])\n"
                        "    let %rows = cast(i64, $alike_row[%g + 1]) - %i0\n"
                        "    if (cast(i64, $alike_is[%g]) == 1) {\n");
    put_alike(out, s);
    sb_strbuf_puts(out, "    } else {\n");
    put_rows(out, s);
    sb_strbuf_puts(out, "    }\n  }\n}\n");
}

static void
schedule(sb_strbuf *out, const sb_spec *s)
{
    (void)s;
    sb_strbuf_printf(out, "annotate %%d diags %d\nvectorize %%l\n", ROWS);
}

const sb_recipe sb_recipe_ALIKE = {
    .name = "alike",
    .ops = 1U << SB_KOP_SPMV,
    .program = program,
    .schedule = schedule,
    .unit = {NULL, "%g", NULL},
};
