/*
 * Equal ranges of the rows and entries of a compressed matrix, read in place, for whatever
 * rows it has: what a GPU runs without analysis. A range finishes the rows that end in it;
 * the row that goes on behind it is left as a sum, and a second kernel, `carry`, adds the
 * sums of a row to it in order. So no atomics, no pass over C before, and always the same
 * bits.
 *
 *   item         entry p of row i is item p + i, the end of row i is item A_ptr[i + 1] + i
 *   range g      items g * size .. (g + 1) * size, of m + nnz
 *   rows         those whose end is in it
 *   range_sum    of range g, columns of C: of the row that has item (g + 1) * size
 *
 * Source: merge-based decomposition (Merrill and Garland 2016).
 */
#include "base/fault.h"
#include "kernels/ops.h"
#include "kernels/recipe.h"
#include "kernels/schedule.h"

#include <stdio.h>

static void
head(sb_strbuf *out, const sb_spec *s, const char *kind, const char *role)
{
    static const char *const params[] = {"range_count", "range_size", NULL};
    static const char *const structure[] = {"A_ptr", "P",    "%m + 1", "A_crd",
                                            "I",     "%nnz", NULL};

    sb_ops_stage2_begin(out, s, kind, params, structure);
    sb_strbuf_printf(out, "  buf $range_sum : %s[%%range_count",
                     sb_dtype_name(s->compute));
    if (s->op == SB_KOP_SPMM) {
        sb_strbuf_puts(out, " * ");
        sb_ops_width(out, s);
    }
    sb_strbuf_printf(
        out,
        "] %s\n"
        "  for %%g in 0 .. %%range_count {\n"
        "    let %%lo = min(%%g * %%range_size, %%m + %%nnz)\n"
        "    let %%hi = min(%%lo + %%range_size, %%m + %%nnz)\n"
        "    let %%first = reach($A_ptr, 1, %%m + 1, %%lo + 1 + %%base) - 1\n"
        "    let %%next = reach($A_ptr, %%first + 1, "
        "min(%%first + %%range_size, %%m) + 1, %%hi + 1 + %%base) - 1\n",
        role);
}

/* The range's sum, of column `c` of C. */
static void
put_sum(sb_strbuf *out, const sb_spec *s, const char *range, const char *c)
{
    sb_strbuf_printf(out, "$range_sum[%s", range);
    if (s->op == SB_KOP_SPMM) {
        sb_strbuf_puts(out, " * ");
        sb_ops_width(out, s);
        sb_strbuf_printf(out, " + %s", c);
    }
    sb_strbuf_puts(out, "]");
}

/* Column loop `c` over the entries `p` of row `i` that are in the range, up to `hi`. */
static void
put_entries(sb_strbuf *out, const char *i, const char *p, const char *hi)
{
    sb_strbuf_printf(
        out,
        "\n        for %s in max(cast(i64, $A_ptr[%s]) - %%base, %%lo - %s) .. "
        "%s reduce {\n"
        "          let %%j = cast(i64, $A_crd[%s]) - %%base\n          ",
        p, i, i, hi, p);
}

static void
range_program(sb_strbuf *out, const sb_spec *s)
{
    const bool mm = s->op == SB_KOP_SPMM;
    const char *c = mm ? "$C[%i, %c]" : "$C[%i]";

    head(out, s, "range", "out");
    sb_strbuf_puts(out, "    for %i in %first .. %next {\n");
    sb_ops_columns(out, s, "      ");
    sb_strbuf_printf(out, "        %s = ", c);
    sb_ops_init(out, s, c);
    put_entries(out, "%i", "%p", "cast(i64, $A_ptr[%i + 1]) - %base");
    sb_strbuf_printf(out, "%s += ", c);
    sb_ops_term(out, s, "$A[%p]", mm ? "$B[%j, %c]" : "$B[%j]");
    sb_strbuf_puts(out, mm ? "\n        }\n      }\n    }\n" : "\n        }\n    }\n");
    sb_strbuf_puts(out, "    for %u in %next .. min(%next + 1, %m) {\n");
    if (mm) {
        sb_strbuf_puts(out, "      for %d in 0 .. ");
        sb_ops_width(out, s);
        sb_strbuf_puts(out, " {\n");
    }
    sb_strbuf_puts(out, "        ");
    put_sum(out, s, "%g", "%d");
    sb_strbuf_puts(out, " = ");
    sb_ops_zero(out, s);
    put_entries(out, "%u", "%q", "%hi - %u");
    put_sum(out, s, "%g", "%d");
    sb_strbuf_puts(out, " += ");
    sb_ops_product(out, s, "$A[%q]", mm ? "$B[%j, %d]" : "$B[%j]");
    sb_strbuf_puts(out, mm ? "\n        }\n      }\n    }\n  }\n}\n"
                           : "\n        }\n    }\n  }\n}\n");
}

static void
range_schedule(sb_strbuf *out, const sb_spec *s)
{
    if (s->op == SB_KOP_SPMV) {
        sb_strbuf_printf(out,
                         "cache_write $C at %%i as $acc\n"
                         "rfactor %%p %d -> %%l as $part\nvectorize %%l\n"
                         "cache_write $range_sum at %%u as $left\n"
                         "rfactor %%q %d -> %%h as $qart\nvectorize %%h\n",
                         s->tile, s->tile);
        return;
    }
    sb_strbuf_printf(out, "split %%c %d -> %%c0 %%c1 tail\n", s->tile);
    sb_strbuf_puts(out, "cache_write $C at %c0 as $acc\nreorder %p %c1\n");
    sb_schedule_memory(out, s, "%p");
    sb_schedule_unroll(out, s, "%p");
    sb_strbuf_puts(out, "vectorize %c1\n");
    sb_schedule_jam(out, s);
    sb_strbuf_printf(out, "split %%d %d -> %%d0 %%d1 tail\n", s->tile);
    sb_strbuf_puts(out, "cache_write $range_sum at %d0 as $left\nreorder %q %d1\n"
                        "vectorize %d1\n");
    if (s->lanes > 0 && !s->exact)
        sb_strbuf_puts(out, "annotate %d0 bind block_y\n");
    if (s->lanes > 0 && s->unroll > 1) /* both ways at once have not the registers */
        sb_strbuf_puts(out, "annotate %g tested 1\n");
}

/* Range %g is the first of the row it leaves over: the sums of that row's ranges. */
static void
carry_program(sb_strbuf *out, const sb_spec *s)
{
    const char *c = s->op == SB_KOP_SPMM ? "$C[%next, %c]" : "$C[%next]";

    head(out, s, "carry", "in");
    sb_strbuf_puts(out, "    let %start = cast(i64, $A_ptr[%next]) - %base + %next\n"
                        "    if %start >= %lo && %start < %hi {\n"
                        "      let %end = (cast(i64, $A_ptr[%next + 1]) - %base + "
                        "%next) / %range_size");
    sb_strbuf_puts(out, SB_FAULT(GPU_CARRY) ? " - 1\n" : "\n");
    sb_ops_columns(out, s, "      ");
    sb_strbuf_printf(out,
                     "        for %%h in %%g .. %%end reduce {\n          %s += ", c);
    if (s->c != s->compute)
        sb_strbuf_printf(out, "cast(%s, ", sb_dtype_name(s->c));
    sb_strbuf_puts(out, "%alpha * ");
    put_sum(out, s, "%h", "%c");
    sb_strbuf_puts(out, s->c != s->compute ? ")\n        }\n" : "\n        }\n");
    sb_strbuf_puts(out, s->op == SB_KOP_SPMM ? "      }\n    }\n  }\n}\n"
                                             : "    }\n  }\n}\n");
}

static void
carry_schedule(sb_strbuf *out, const sb_spec *s)
{
    if (s->op == SB_KOP_SPMV)
        return;
    sb_strbuf_printf(out, "split %%c %d -> %%c0 %%c1 tail\n", s->tile);
    sb_strbuf_puts(out, "cache_write $C at %c0 as $acc\nreorder %h %c1\n"
                        "vectorize %c1\n");
}

const sb_recipe sb_recipe_RANGE = {
    .name = "range",
    .ops = 1U << SB_KOP_SPMM | 1U << SB_KOP_SPMV,
    .program = range_program,
    .schedule = range_schedule,
    .unit = {"%g", "%g", NULL},
    .column = "%c0",
};

const sb_recipe sb_recipe_CARRY = {
    .name = "carry",
    .ops = 1U << SB_KOP_SPMM | 1U << SB_KOP_SPMV,
    .program = carry_program,
    .schedule = carry_schedule,
    .unit = {"%g", "%g", NULL},
    .column = "%c0",
};
