/*
 * SpMV by products, read in place: the products of 64 neighbouring rows go side by side into
 * a buffer, full vectors wherever rows end, and then 16 rows at a time add up what is theirs.
 * So what waits for memory does not depend on lengths, and a row whose length was not foreseen
 * costs its loads from the buffer alone: 1.2 to 2.5 times as fast as groups (seg.c) where rows
 * are short and of all lengths (docs/kernels.md). Where 64 rows have more entries than the
 * buffer, and at the end of the matrix, rows go by themselves; a row's sum is the same.
 */
#include "kernels/ops.h"
#include "kernels/recipe.h"
#include "kernels/seg.h"

#include <stdio.h>

enum {
    ROWS = 64,
    GROUP = 16,
    BUFFER = 1024,
    VECTOR = 64
}; /* ROWS: part.h's SB_PROD_ROWS */

/* Elements of a vector of sums. */
static int
lanes_of(const sb_spec *s)
{
    return VECTOR / (int)sb_dtype_size(s->compute);
}

/* Of the entries of all rows, from a multiple of a vector on so that loads do not straddle
 * lines where the arrays begin with one. */
static void
put_products(sb_strbuf *out, const sb_spec *s)
{
    sb_strbuf_printf(out,
                     "      local $prod : %s[%d]\n      for %%u in 0 .. %%hi - %%p0 {\n"
                     "        $prod[%%u] = ",
                     sb_dtype_name(s->compute), BUFFER);
    sb_ops_product(out, s, "$A[%p0 + %u]", "$B[cast(i64, $A_crd[%p0 + %u]) - %base]");
    sb_strbuf_puts(out, "\n      }\n");
}

static void
program(sb_strbuf *out, const sb_spec *s)
{
    static const char *const params[] = {NULL};
    static const char *const buffers[] = {"A_ptr", "P",    "%m + 1", "A_crd",
                                          "I",     "%nnz", NULL};
    const int lanes = lanes_of(s);
    sb_seg g = {GROUP, lanes, true, false, "%i", "prod"};

    sb_ops_stage2_begin(out, s, "prod", params, buffers);
    sb_strbuf_printf(out,
                     "  for %%g in 0 .. (%%m + %d) / %d {\n    let %%i0 = %%g * %d\n"
                     "    let %%p0 = (cast(i64, $A_ptr[%%i0]) - %%base) / %d * %d\n"
                     "    let %%hi = cast(i64, $A_ptr[min(%%i0 + %d, %%m)]) - %%base\n"
                     "    if (%%i0 + %d <= %%m && %%hi - %%p0 <= %d) {\n",
                     ROWS - 1, ROWS, ROWS, lanes, lanes, ROWS, ROWS, BUFFER);
    put_products(out, s);
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
    g.from = NULL;
    sb_seg_rows(out, s, &g);
    sb_strbuf_puts(out, "      }\n    }\n  }\n}\n");
}

static void
schedule(sb_strbuf *out, const sb_spec *s)
{
    sb_strbuf_printf(out,
                     "split %%u %d -> %%u0 %%u1 tail\nvectorize %%u1\n"
                     "vectorize %%l\nunroll %%r\n",
                     lanes_of(s));
}

const sb_recipe sb_recipe_PROD = {
    .name = "prod",
    .ops = 1U << SB_KOP_SPMV,
    .program = program,
    .schedule = schedule,
    .unit = {NULL, "%g", NULL},
};
