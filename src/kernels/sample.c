/*
 * Measurements: docs/measured/sddmm.md. The order in which a dot is summed depends on
 * its length alone, so an entry has the same bits in a group of any size.
 */
#include "kernels/sample.h"

#include "kernels/ops.h"
#include "kernels/recipe.h"

#include <stdio.h>

bool
sb_sample_grouped(const sb_spec *s)
{
    return s->op == SB_KOP_SDDMM && s->unroll > 1;
}

bool
sb_sample_can(const sb_spec *s)
{
    for (int q = 0; q < SB_KIND_COUNT; q++)
        if ((s->kinds >> q & 1U) && !sb_recipe_get(q)->sample)
            return false;
    return s->lanes == 0 && !s->b_col && s->c_col &&
           (s->compute == SB_F32 || s->compute == SB_F64) &&
           (s->block ? s->block : 1) * s->unroll <= SB_SAMPLE_DOTS;
}

/* Lanes of a dot: a register of 64 bytes. */
static int
lanes_of(const sb_spec *s)
{
    return (int)(64 / sb_dtype_size(s->compute));
}

/* Every dot's lanes, added: columns `at` + %l of X. Arrays are named by `e`, the columns
 * of the group. */
static void
put_products(sb_strbuf *out, const sb_spec *s, int rows, int e, const char *at)
{
    char x[96], y[96];

    for (int q = 0; q < rows * e; q++) {
        (void)snprintf(x, sizeof x, "$X[%%i + %d, %s + %%l]", q / e, at);
        (void)snprintf(y, sizeof y, "$Y[%s + %%l, %%j%d]", at, q % e);
        sb_strbuf_printf(out, "        $part%d[%d, %%l] += ", e, q);
        sb_ops_product(out, s, x, y);
        sb_strbuf_puts(out, "\n");
    }
}

/* A line of each column that comes later is asked for with a line of each that is at hand. */
static void
put_ahead(sb_strbuf *out, const sb_spec *s, int e)
{
    for (int q = 0; q < e; q++)
        sb_strbuf_printf(out, "      prefetch%s $Y[%%c * %d, %%f%d]\n",
                         s->prefetch >= SB_PREFETCH_FAR ? " far" : "", lanes_of(s), q);
}

static void
put_dots(sb_strbuf *out, const sb_spec *s, int rows, int e, bool ahead)
{
    const int lanes = lanes_of(s);
    char at[48];

    sb_strbuf_puts(out, "      for %c in 0 .. ");
    sb_ops_depth(out, s);
    sb_strbuf_printf(out, " / %d reduce {\n", lanes);
    if (ahead)
        put_ahead(out, s, e);
    sb_strbuf_printf(out, "      for %%l in 0 .. %d {\n", lanes);
    (void)snprintf(at, sizeof at, "%%c * %d", lanes);
    put_products(out, s, rows, e, at);
    sb_strbuf_puts(out, "      }\n      }\n");
    if (s->exact && s->tile % lanes == 0)
        return;
    sb_strbuf_puts(out, "      for %l in 0 .. ");
    sb_ops_depth(out, s);
    sb_strbuf_printf(out, " mod %d {\n", lanes);
    if (s->exact)
        (void)snprintf(at, sizeof at, "%d", s->tile / lanes * lanes);
    else
        (void)snprintf(at, sizeof at, "%%k / %d * %d", lanes, lanes);
    put_products(out, s, rows, e, at);
    sb_strbuf_puts(out, "      }\n");
}

static void
put_clear(sb_strbuf *out, const sb_spec *s, int dots, int e)
{
    const char *type = sb_dtype_name(s->compute);
    const int lanes = lanes_of(s);

    sb_strbuf_printf(out,
                     "      local $part%d : %s[%d, %d]\n      local $sum%d : %s[%d]\n"
                     "      for %%l in 0 .. %d {\n",
                     e, type, dots, lanes, e, type, dots, lanes);
    for (int q = 0; q < dots; q++) {
        sb_strbuf_printf(out, "        $part%d[%d, %%l] = ", e, q);
        sb_ops_zero(out, s);
        sb_strbuf_puts(out, "\n");
    }
    sb_strbuf_printf(
        out, "      }\n      for %%e in 0 .. %d {\n        $sum%d[%%e] = ", dots, e);
    sb_ops_zero(out, s);
    sb_strbuf_puts(out, "\n      }\n");
}

/* Sums across lanes, scaled and stored. */
static void
put_results(sb_strbuf *out, const sb_spec *s, const sb_samples *of, int e, bool added)
{
    const int lanes = lanes_of(s), dots = of->rows * e;
    char target[128], place[96], sum[48];

    sb_strbuf_printf(out,
                     "      tensor sums_%dx%d {\n"
                     "        for %%d in 0 .. %d {\n"
                     "          for %%u in 0 .. %d reduce {\n"
                     "            $sum%d[%%d] += $part%d[%%d, %%u]\n"
                     "          }\n        }\n      }\n",
                     dots, lanes, dots, lanes, e, e);
    for (int r = 0; r < (of->listed ? e : of->rows); r++) {
        (void)snprintf(place, sizeof place, of->place, r);
        (void)snprintf(target, sizeof target, "$A[%s]", place);
        (void)snprintf(sum, sizeof sum, of->listed ? "$sum%d[%d]" : "$sum%d[%d + %%e]",
                       e, of->listed ? r : r * e);
        if (!of->listed)
            sb_strbuf_printf(out, "      for %%e in 0 .. %d {\n", e);
        sb_strbuf_printf(out, "        %s = ", target);
        sb_ops_result_known(out, s, target, sum, added);
        sb_strbuf_puts(out, of->listed ? "\n" : "\n      }\n");
    }
}

static void
put_group(sb_strbuf *out, const sb_spec *s, const sb_samples *of, int e, bool added)
{
    const bool ahead = s->prefetch > 0 && of->ahead;

    for (int q = 0; q < e; q++) {
        sb_strbuf_printf(out, "      let %%j%d = ", q);
        sb_strbuf_printf(out, of->column, q);
        if (ahead) {
            sb_strbuf_printf(out, "\n      let %%f%d = ", q);
            sb_strbuf_printf(out, of->ahead, q + s->prefetch);
        }
        sb_strbuf_puts(out, "\n");
    }
    put_clear(out, s, of->rows * e, e);
    put_dots(out, s, of->rows, e, ahead);
    put_results(out, s, of, e, added);
}

static void
put_list(sb_strbuf *out, const sb_spec *s, const sb_samples *of, bool added)
{
    const int u = of->together;
    const bool halved = of->rows > 1;
    const int last = halved ? 2 : u;

    sb_strbuf_printf(out,
                     "    for %%g in 0 .. (%%hi - %%lo) / %d {\n"
                     "      let %%p = %%lo + %%g * %d\n",
                     u, u);
    put_group(out, s, of, u, added);
    sb_strbuf_puts(out, "    }\n");
    for (int e = u / 2; e > 1 && halved; e /= 2) {
        sb_strbuf_printf(out,
                         "    for %%g in 0 .. (%%hi - %%lo) mod %d / %d {\n"
                         "      let %%p = %%lo + (%%hi - %%lo) / %d * %d\n",
                         2 * e, e, 2 * e, 2 * e);
        put_group(out, s, of, e, added);
        sb_strbuf_puts(out, "    }\n");
    }
    sb_strbuf_printf(out, "    for %%p in %%lo + (%%hi - %%lo) / %d * %d .. %%hi {\n",
                     last, last);
    put_group(out, s, of, 1, added);
    sb_strbuf_puts(out, "    }\n");
}

/* Twice: what was there is looked at once a list (docs/measured/sddmm.md, Beta). */
void
sb_sample_list(sb_strbuf *out, const sb_spec *s, const sb_samples *of)
{
    sb_strbuf_puts(out, "    if (%beta == ");
    sb_ops_zero(out, s);
    sb_strbuf_puts(out, ") {\n");
    put_list(out, s, of, false);
    sb_strbuf_puts(out, "    } else {\n");
    put_list(out, s, of, true);
    sb_strbuf_puts(out, "    }\n");
}

void
sb_sample_row(sb_strbuf *out, const sb_spec *s)
{
    const sb_samples row = {
        1,
        s->unroll,
        false,
        "cast(i64, $A_crd[%%p + %d]) - %%base",
        "cast(i64, $A_crd[min(%%p + %d, %%nnz - 1)]) - %%base",
        "%%p + %%e",
    };

    sb_sample_list(out, s, &row);
}

void
sb_sample_schedule(sb_strbuf *out, const sb_spec *s)
{
    const int steps = s->exact ? s->tile / lanes_of(s) : 0;

    if (steps > 1 && steps * s->unroll * (s->block ? s->block : 1) <= 128)
        sb_strbuf_puts(out, "unroll %c\n");
    sb_strbuf_puts(out, "vectorize %l\nvectorize %e\n");
}
