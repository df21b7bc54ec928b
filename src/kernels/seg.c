/*
 * SpMV over groups of 64 rows: first the products of the group's slots into a buffer of
 * the kernel, as one long vector loop, then the sums of the rows from the buffer. Short
 * rows no longer cost a mispredicted loop each: 1.1 to 2.5 times the row-by-row kernel
 * on rows below 30 entries, level above (docs/kernels.md). A group whose slots do not
 * fit the buffer is summed row by row.
 */
#include "kernels/ops.h"
#include "kernels/recipe.h"

enum { GROUP = 64, BUFFER = 2048 };

static void
head(sb_strbuf *out, const sb_spec *s)
{
    static const char *const params[] = {NULL};
    static const char *const buffers[] = {"A_ptr", "P",    "%m + 1", "A_crd",
                                          "I",     "%nnz", NULL};

    sb_ops_stage2_begin(out, s, "seg", params, buffers);
    sb_strbuf_printf(out, "  for %%g in 0 .. (%%m + %d) / %d {\n", GROUP - 1, GROUP);
    sb_strbuf_printf(out, "    let %%i0 = %%g * %d\n", GROUP);
    sb_strbuf_printf(out, "    let %%i1 = min(%%i0 + %d, %%m)\n", GROUP);
    sb_strbuf_puts(out, "    let %lo = cast(i64, $A_ptr[%i0]) - %base\n"
                        "    let %len = cast(i64, $A_ptr[%i1]) - %base - %lo\n");
}

/* Row %i from the buffer: lanes added up, then across, in a fixed order. A row of at most
 * one vector takes one trip, whatever its length. */
static void
put_buffered(sb_strbuf *out, const sb_spec *s)
{
    const char *type = sb_dtype_name(s->compute);
    const int t = s->tile;

    sb_strbuf_puts(out, "      for %i in %i0 .. %i1 {\n"
                        "        let %a = cast(i64, $A_ptr[%i]) - %base - %lo\n"
                        "        let %e = cast(i64, $A_ptr[%i + 1]) - %base - %lo\n");
    sb_strbuf_printf(out, "        local $part : %s[%d]\n", type, t);
    sb_strbuf_printf(out, "        for %%l in 0 .. %d {\n          $part[%%l] = ", t);
    sb_ops_zero(out, s);
    sb_strbuf_printf(out,
                     "\n        }\n        for %%q in 0 .. (%%e - %%a + %d) / %d {\n"
                     "          for %%l in 0 .. min(%d, %%e - %%a - %%q * %d) {\n"
                     "            $part[%%l] += $prod[%%a + %%q * %d + %%l]\n"
                     "          }\n        }\n",
                     t - 1, t, t, t, t);
    for (int h = t / 2; h > 0; h /= 2)
        sb_strbuf_printf(out,
                         "        for %%l in 0 .. %d {\n"
                         "          $part[%%l] += $part[%%l + %d]\n        }\n",
                         h, h);
    sb_strbuf_puts(out, "        $C[%i] = ");
    sb_ops_result(out, s, "$C[%i]", "$part[0]");
    sb_strbuf_puts(out, "\n      }\n");
}

/* Row %h straight from the matrix. */
static void
put_direct(sb_strbuf *out, const sb_spec *s)
{
    sb_strbuf_puts(out, "      for %h in %i0 .. %i1 {\n"
                        "        let %a = cast(i64, $A_ptr[%h]) - %base\n"
                        "        let %e = cast(i64, $A_ptr[%h + 1]) - %base\n"
                        "        $C[%h] = ");
    sb_ops_init(out, s, "$C[%h]");
    sb_strbuf_puts(out,
                   "\n        for %u in 0 .. %e - %a reduce {\n          $C[%h] += ");
    sb_ops_term(out, s, "$A[%a + %u]", "$B[cast(i64, $A_crd[%a + %u]) - %base]");
    sb_strbuf_puts(out, "\n        }\n      }\n");
}

static void
program(sb_strbuf *out, const sb_spec *s)
{
    head(out, s);
    sb_strbuf_printf(out, "    if %%len <= %d {\n", BUFFER);
    sb_strbuf_printf(out, "      local $prod : %s[%d]\n", sb_dtype_name(s->compute),
                     BUFFER);
    sb_strbuf_puts(out, "      for %p in 0 .. %len {\n        $prod[%p] = ");
    sb_ops_product(out, s, "$A[%lo + %p]", "$B[cast(i64, $A_crd[%lo + %p]) - %base]");
    sb_strbuf_puts(out, "\n      }\n");
    put_buffered(out, s);
    sb_strbuf_puts(out, "    } else {\n");
    put_direct(out, s);
    sb_strbuf_puts(out, "    }\n  }\n}\n");
}

static void
schedule(sb_strbuf *out, const sb_spec *s)
{
    sb_strbuf_printf(out, "split %%p %d -> %%p0 %%p1 tail\nvectorize %%p1\n", s->tile);
    sb_strbuf_puts(out, "vectorize %l\n"
                        "cache_write $C at %h as $acc\n");
    sb_strbuf_printf(out, "rfactor %%u %d -> %%v as $qart\nvectorize %%v\n", s->tile);
}

const sb_recipe sb_recipe_SEG = {
    .name = "seg",
    .ops = 1U << SB_KOP_SPMV,
    .program = program,
    .schedule = schedule,
    .unit = {NULL, "%g", NULL},
};
