/*
 * SpMV over windows of rows in blocks of a few columns that begin anywhere
 * (src/formats/part_ubcsr.c): values and x are loaded as they lie, holes as zeros, so an entry
 * costs no gather, no index and no mask. A zero times an infinity is NaN, so a window whose sums
 * have a NaN among them is summed again by the blocks' bits, which nothing else reads: what x holds
 * where a row has no entry is never added up. Rows of one and two have several sums in turns, as an
 * addition waits for the last (docs/measured/spmv-blocks.md, Unaligned blocks).
 */
#include "base/fault.h"
#include "kernels/ops.h"
#include "kernels/recipe.h"

#include <stdio.h>

enum { TERM = 160 };

/* Columns of a block; as many rows, those that the window lacks zeros, have their sums added up
 * together, so that one register of them is left. */
static int
columns(const sb_spec *s)
{
    return s->unroll;
}

/* Sums in turns. */
static int
chains(const sb_spec *s)
{
    return s->block > 2 ? 1 : 4 / s->block;
}

static void
head(sb_strbuf *out, const sb_spec *s)
{
    static const char *const params[] = {"ubcsr_count", NULL};
    char ptr[48], bits[48], val[48];
    const char *const buffers[] = {
        "ubcsr_ptr",  "P",   ptr,  "ubcsr_crd", "I", "%ubcsr_count",
        "ubcsr_bits", "i32", bits, "ubcsr_val", "V", val,
        NULL};

    (void)snprintf(ptr, sizeof ptr, "(%%m + %d) / %d + 1", s->block - 1, s->block);
    (void)snprintf(bits, sizeof bits, "%%ubcsr_count * %d", s->block);
    (void)snprintf(val, sizeof val, "%%ubcsr_count * %d", s->block * columns(s));
    sb_ops_stage2_begin(out, s, "ubcsr", params, buffers);
}

static void
put_clear(sb_strbuf *out, const sb_spec *s, int chain)
{
    const int lanes = columns(s) * columns(s);

    sb_strbuf_printf(out,
                     "    local $part%d : %s[%d]\n    for %%l in 0 .. %d {\n"
                     "      $part%d[%%l] = ",
                     chain, sb_dtype_name(s->compute), lanes, lanes, chain);
    sb_ops_zero(out, s);
    sb_strbuf_puts(out, "\n    }\n");
}

/* Block `at` (text) to the sums of a chain. */
static void
put_block(sb_strbuf *out, const sb_spec *s, int chain, const char *at)
{
    const int w = columns(s);
    char a[TERM];
    sb_spec t = *s; /* x has been cast */

    t.b = s->compute;
    sb_strbuf_printf(
        out,
        "      let %%q%d = %s\n      let %%j%d = cast(i64, $ubcsr_crd[%%q%d])\n"
        "      local $x%d : %s[%d]\n      for %%l in 0 .. %d {\n"
        "        $x%d[%%l] = ",
        chain, at, chain, chain, chain, sb_dtype_name(s->compute), w, w, chain);
    if (s->b == s->compute)
        sb_strbuf_printf(out, "$B[%%j%d + %%l]", chain);
    else
        sb_strbuf_printf(out, "cast(%s, $B[%%j%d + %%l])", sb_dtype_name(s->compute),
                         chain);
    sb_strbuf_puts(out, "\n      }\n");
    for (int r = 0; r < s->block; r++) {
        char x[24];

        (void)snprintf(a, sizeof a, "$ubcsr_val[%%q%d * %d + %d + %%l]", chain,
                       s->block * w, r * w);
        (void)snprintf(x, sizeof x, "$x%d[%%l]", chain);
        sb_strbuf_printf(out,
                         "      for %%l in 0 .. %d {\n        $part%d[%d + %%l] += ", w,
                         chain, r * w);
        sb_ops_product(out, &t, a, x);
        sb_strbuf_puts(out, "\n      }\n");
    }
}

/* All blocks of the window, in turns; what is left of the last turn goes to the first sums. */
static void
put_blocks(sb_strbuf *out, const sb_spec *s)
{
    const int n = chains(s);
    char at[32];

    if (n == 1) {
        sb_strbuf_puts(out, "    for %q in %lo .. %hi {\n");
        put_block(out, s, 0, "%q");
        sb_strbuf_puts(out, "    }\n");
        return;
    }
    sb_strbuf_printf(out, "    for %%p in 0 .. (%%hi - %%lo) / %d {\n", n);
    for (int c = 0; c < n; c++) {
        (void)snprintf(at, sizeof at, "%%lo + %%p * %d + %d", n, c);
        put_block(out, s, c, at);
    }
    sb_strbuf_printf(
        out, "    }\n    for %%q in %%lo + (%%hi - %%lo) / %d * %d .. %%hi {\n", n, n);
    put_block(out, s, 0, "%q");
    sb_strbuf_puts(out, "    }\n");
    for (int c = n / 2; c > 0; c /= 2)
        for (int to = 0; to < c; to++)
            sb_strbuf_printf(
                out,
                "    for %%l in 0 .. %d {\n      $part%d[%%l] += $part%d[%%l]\n    }\n",
                columns(s) * columns(s), to, to + c);
}

/* The sum of all sums, in $all[0]: NaN where one of them is. */
static void
put_all(sb_strbuf *out, const sb_spec *s)
{
    const int w = columns(s);

    sb_strbuf_printf(out,
                     "    local $all : %s[%d]\n    for %%l in 0 .. %d {\n"
                     "      $all[%%l] = $sum%d[%%l]\n    }\n",
                     sb_dtype_name(s->compute), w, w, w);
    sb_ops_fold(out, "all", w);
}

/* Entry by entry, by the bits. */
static void
put_again(sb_strbuf *out, const sb_spec *s)
{
    const int w = columns(s);
    char value[TERM], target[48];

    (void)snprintf(value, sizeof value, "$ubcsr_val[%%q * %d + %%i * %d + %%c]",
                   s->block * w, w);
    (void)snprintf(target, sizeof target, "$C[%%w * %d + %%i]", s->block);
    sb_strbuf_printf(out,
                     "      for %%i in 0 .. %%left {\n        local $again : %s[1]\n"
                     "        $again[0] = ",
                     sb_dtype_name(s->compute));
    sb_ops_zero(out, s);
    sb_strbuf_printf(out,
                     "\n        for %%q in %%lo .. %%hi {\n"
                     "          let %%b = cast(i64, $ubcsr_bits[%%q * %d + %%i])\n"
                     "          for %%c in 0 .. %d {\n"
                     "            if ones(%%b, %%c + 1) > ones(%%b, %%c) {\n"
                     "              $again[0] += ",
                     s->block, w);
    sb_ops_product(out, s, value, "$B[cast(i64, $ubcsr_crd[%q]) + %c]");
    sb_strbuf_printf(out,
                     "\n            }\n          }\n        }\n"
                     "        %s = ",
                     target);
    sb_ops_result(out, s, target, "$again[0]");
    sb_strbuf_puts(out, "\n      }\n");
}

static void
put_results(sb_strbuf *out, const sb_spec *s)
{
    char sum[24], target[48];

    (void)snprintf(sum, sizeof sum, "$sum%d[%%l]", columns(s));
    (void)snprintf(target, sizeof target, "$C[%%w * %d + %%l]", s->block);
    sb_strbuf_printf(out, "      for %%l in 0 .. min(%d, %%left) {\n        %s = ",
                     columns(s), target);
    sb_ops_result(out, s, target, sum);
    sb_strbuf_puts(out, "\n      }\n");
}

static void
program(sb_strbuf *out, const sb_spec *s)
{
    const bool nan = !sb_dtype_is_int(s->compute) && !SB_FAULT(UBCSR_HOLE);

    head(out, s);
    sb_strbuf_printf(out,
                     "  for %%w in 0 .. (%%m + %d) / %d {\n"
                     "    let %%lo = cast(i64, $ubcsr_ptr[%%w])\n"
                     "    let %%hi = cast(i64, $ubcsr_ptr[%%w + 1])\n"
                     "    let %%left = min(%d, %%m - %%w * %d)\n",
                     s->block - 1, s->block, s->block, s->block);
    for (int c = 0; c < chains(s); c++)
        put_clear(out, s, c);
    put_blocks(out, s);
    sb_ops_pairs(out, s, "part0", columns(s) * columns(s), columns(s));
    if (nan) {
        put_all(out, s);
        sb_strbuf_puts(out, "    if $all[0] == $all[0] {\n");
    }
    put_results(out, s);
    if (nan) {
        sb_strbuf_puts(out, "    } else {\n");
        put_again(out, s);
        sb_strbuf_puts(out, "    }\n");
    }
    sb_strbuf_puts(out, "  }\n}\n");
}

static void
schedule(sb_strbuf *out, const sb_spec *s)
{
    (void)s;
    sb_strbuf_puts(out, "vectorize %l\n");
}

const sb_recipe sb_recipe_UBCSR = {
    .name = "ubcsr",
    .ops = 1U << SB_KOP_SPMV,
    .program = program,
    .schedule = schedule,
    .unit = {NULL, "%w", NULL},
};
