/*
 * SpMV by products, read in place: the products of 64 neighbouring rows go side by side into
 * a buffer, full vectors wherever rows end, and then 16 rows at a time add up what is theirs.
 * So what waits for memory does not depend on lengths, and a row whose length was not foreseen
 * costs its loads from the buffer alone: 1.2 to 2.5 times as fast as groups (seg.c) where rows
 * are short and of all lengths (docs/measured/spmv-products.md). Where 64 rows have
 * more entries than the buffer, and at the end of the matrix, rows go by themselves;
 * their sums are of other lanes, and products are not rounded there. Which rows those
 * are is the structure's, not the threads'.
 */
#include "kernels/ops.h"
#include "kernels/recipe.h"
#include "kernels/seg.h"

#include <stdio.h>

enum {
    ROWS = 64,
    GROUP = 16,
    BUFFER = 1024,
    BEHIND = 32,
    STEP = 4,
    VECTOR = 64
}; /* ROWS: part.h's SB_PROD_ROWS; BEHIND: spblas_rows.h's SBK_ROWS_BEHIND */

/* Elements of a vector of sums. */
static int
lanes_of(const sb_spec *s)
{
    return VECTOR / (int)sb_dtype_size(s->compute);
}

/* The loop over rows that go by themselves: in registers of a CPU sixteen copies of it are most
 * of the kernel, and rows as long as these gain nothing by them. */
static char
row_of(const sb_spec *s)
{
    return s->lanes > 0 ? 'r' : 'w';
}

/* Of entries from p0 on; those %ahead further are asked for, or none. */
static void
put_entries(sb_strbuf *out, const sb_spec *s, bool ask)
{
    sb_strbuf_puts(out, "      for %u in 0 .. %hi - %p0 {\n");
    if (ask)
        sb_strbuf_puts(out, "        prefetch $A[%p0 + %u + %ahead]\n"
                            "        prefetch $A_crd[%p0 + %u + %ahead]\n");
    sb_strbuf_puts(out, "        $prod[%u] = ");
    sb_ops_product(out, s, "$A[%p0 + %u]", "$B[cast(i64, $A_crd[%p0 + %u]) - %base]");
    sb_strbuf_puts(out, "\n      }\n");
}

/* Of the entries of all rows, from a multiple of a vector on so that loads do not straddle
 * lines where the arrays begin with one. */
static void
put_products(sb_strbuf *out, const sb_spec *s, int size)
{
    sb_strbuf_printf(out, "      local $prod : %s[%d]\n", sb_dtype_name(s->compute),
                     size);
    if (s->lanes > 0) {
        put_entries(out, s, false);
        return;
    }
    sb_strbuf_puts(out, "      if (%ahead > 0) {\n");
    put_entries(out, s, true);
    sb_strbuf_puts(out, "      } else {\n");
    put_entries(out, s, false);
    sb_strbuf_puts(out, "      }\n");
}

/* Whether rows of terms have a loop that is one call (spblas_rows.h): sums of 32 and 64 bits
 * where vectors are loaded one by one (docs/measured/spmv-products.md, Sums of four
 * lanes). */
static bool
in_steps(const sb_spec *s)
{
    return s->tile == STEP && (s->compute == SB_F32 || s->compute == SB_F64);
}

static void
begin(sb_strbuf *out, const sb_spec *s)
{
    const char *const params[] = {s->lanes == 0 ? "ahead" : NULL, NULL};
    static const char *const buffers[] = {"A_ptr", "P",    "%m + 1", "A_crd",
                                          "I",     "%nnz", NULL};

    sb_ops_stage2_begin(out, s, "prod", params, buffers);
    sb_strbuf_printf(out,
                     "  for %%g in 0 .. (%%m + %d) / %d {\n    let %%i0 = %%g * %d\n",
                     ROWS - 1, ROWS, ROWS);
}

/* Sums of rows %i on from terms, four lanes a row, and C. */
static void
put_steps(sb_strbuf *out, const sb_spec *s)
{
    sb_strbuf_printf(out,
                     "      local $sum : %s[%d]\n"
                     "      for %%l in 0 .. %d {\n        $sum[%%l] = ",
                     sb_dtype_name(s->compute), GROUP, GROUP);
    sb_ops_zero(out, s);
    sb_strbuf_printf(
        out,
        "\n      }\n      for %%s in 0 .. %d {\n"
        "        for %%q in cast(i64, $A_ptr[%%i + %%s]) - %%base - %%p0 .. "
        "cast(i64, $A_ptr[%%i + %%s + 1]) - %%base - %%p0 {\n"
        "          $sum[%%s] += $prod[%%q]\n        }\n      }\n"
        "      for %%l in 0 .. %d {\n        $C[%%i + %%l] = ",
        GROUP, GROUP);
    sb_ops_result(out, s, "$C[%i + %l]", "$sum[%l]");
    sb_strbuf_puts(out, "\n      }\n");
}

/* Of 64 rows or, where these have more entries than the buffer, of 16. */
static void
program_in_steps(sb_strbuf *out, const sb_spec *s)
{
    const int lanes = lanes_of(s);
    const sb_seg g = {GROUP, lanes, false, row_of(s), false, "%i", NULL};

    begin(out, s);
    sb_strbuf_printf(
        out,
        "    let %%all = cast(i64, $A_ptr[min(%%i0 + %d, %%m)]) - cast(i64, "
        "$A_ptr[%%i0])\n"
        "    let %%fits = %%i0 + %d <= %%m && %%all <= %d\n"
        "    let %%groups = select(%%fits, %d, 1)\n"
        "    for %%z in 0 .. select(%%fits, 1, (min(%d, %%m - %%i0) + %d) / %d) {\n"
        "    let %%i1 = %%i0 + %%z * %d\n"
        "    let %%i2 = %%i1 + %%groups * %d\n"
        "    let %%p0 = (cast(i64, $A_ptr[%%i1]) - %%base) / %d * %d\n"
        "    let %%hi = cast(i64, $A_ptr[min(%%i2, %%m)]) - %%base\n"
        "    if (%%i2 <= %%m && %%hi - %%p0 <= %d) {\n",
        ROWS, ROWS, BUFFER - lanes, ROWS / GROUP, ROWS, GROUP - 1, GROUP, GROUP, GROUP,
        lanes, lanes, BUFFER);
    put_products(out, s, BUFFER + BEHIND);
    sb_strbuf_printf(out,
                     "      for %%h in 0 .. %%groups {\n"
                     "      let %%i = %%i1 + %%h * %d\n",
                     GROUP);
    put_steps(out, s);
    sb_strbuf_puts(out, "      }\n    } else {\n      let %i = %i1\n");
    sb_seg_rows(out, s, &g);
    sb_strbuf_puts(out, "    }\n    }\n  }\n}\n");
}

static void
program(sb_strbuf *out, const sb_spec *s)
{
    const int lanes = lanes_of(s);
    sb_seg g = {GROUP, lanes, true, 'r', false, "%i", "prod"};

    if (in_steps(s)) {
        program_in_steps(out, s);
        return;
    }
    begin(out, s);
    sb_strbuf_printf(out,
                     "    let %%p0 = (cast(i64, $A_ptr[%%i0]) - %%base) / %d * %d\n"
                     "    let %%hi = cast(i64, $A_ptr[min(%%i0 + %d, %%m)]) - %%base\n"
                     "    if (%%i0 + %d <= %%m && %%hi - %%p0 <= %d) {\n",
                     lanes, lanes, ROWS, ROWS, BUFFER);
    put_products(out, s, BUFFER);
    sb_strbuf_printf(out,
                     "      for %%h in 0 .. %d {\n      let %%i = %%i0 + %%h * %d\n",
                     ROWS / GROUP, GROUP);
    sb_seg_rows(out, s, &g);
    sb_strbuf_printf(out,
                     "      }\n    } else {\n      for %%h in 0 .. (min(%d, %%m - "
                     "%%i0) + %d) / %d {\n"
                     "      let %%i = %%i0 + %%h * %d\n",
                     ROWS, GROUP - 1, GROUP, GROUP);
    g.all = false;
    g.row = row_of(s);
    g.from = NULL;
    sb_seg_rows(out, s, &g);
    sb_strbuf_puts(out, "      }\n    }\n  }\n}\n");
}

static void
schedule(sb_strbuf *out, const sb_spec *s)
{
    if (in_steps(s))
        sb_strbuf_printf(out, "annotate %%s rows %d\n", GROUP);
    sb_strbuf_printf(out,
                     "split %%u %d -> %%u0 %%u1 tail\nvectorize %%u1\n"
                     "vectorize %%l\n",
                     lanes_of(s));
    if (!in_steps(s) || s->lanes > 0)
        sb_strbuf_puts(out, "unroll %r\n");
}

const sb_recipe sb_recipe_PROD = {
    .name = "prod",
    .ops = 1U << SB_KOP_SPMV,
    .program = program,
    .schedule = schedule,
    .unit = {NULL, "%g", NULL},
};
