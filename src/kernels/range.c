/*
 * Equal ranges of the rows and entries of a compressed matrix, read in place, for whatever
 * rows it has: what a GPU runs without analysis. A range stores the rows that lie in it; of
 * the row that it begins in the middle of, and of the one that goes on behind it, it leaves
 * a sum each, and a second kernel, `carry`, stores those rows, from their sums in order. So
 * no atomics, no pass over C before, C written and rounded once, and always the same bits.
 *
 *   item         entry p of row i is item p + i, the end of row i is item A_ptr[i + 1] + i
 *   range g      items g * size .. (g + 1) * size, of m + nnz
 *   rows         first .. next: those whose end is in it
 *   range_sum    columns of C, twice a range: 2 g of row `first` if it began before, 2 g + 1
 *                of row `next`
 *   range_row    `next`
 *
 * SDDMM has nothing to add up between rows: a range is `size` entries there, whatever the rows
 * are, and leaves nothing over.
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
    sb_strbuf_printf(out, "  buf $range_sum : %s[2 * %%range_count",
                     sb_dtype_name(s->compute));
    if (s->op == SB_KOP_SPMM) {
        sb_strbuf_puts(out, " * ");
        sb_ops_width(out, s);
    }
    sb_strbuf_printf(out,
                     "] %s\n"
                     "  buf $range_row : i64[%%range_count] %s\n"
                     "  for %%g in 0 .. %%range_count {\n"
                     "    let %%lo = min(%%g * %%range_size, %%m + %%nnz)\n"
                     "    let %%hi = min(%%lo + %%range_size, %%m + %%nnz)\n",
                     role, role);
}

/* A sum, of column `c` of C. */
static void
put_sum(sb_strbuf *out, const sb_spec *s, const char *number, const char *c)
{
    sb_strbuf_printf(out, "$range_sum[(%s)", number);
    if (s->op == SB_KOP_SPMM) {
        sb_strbuf_puts(out, " * ");
        sb_ops_width(out, s);
        sb_strbuf_printf(out, " + %s", c);
    }
    sb_strbuf_puts(out, "]");
}

/* The loop over the entries `p` of row `i`, `from` .. `to`. */
static void
put_entries(sb_strbuf *out, const char *p, const char *from, const char *to)
{
    sb_strbuf_printf(out,
                     "\n        for %s in %s .. %s reduce {\n"
                     "          let %%j = cast(i64, $A_crd[%s]) - %%base\n          ",
                     p, from, to, p);
}

static const char close_mm[] = "\n        }\n      }\n    }\n",
                  close_mv[] = "\n        }\n    }\n";

/* The rows that lie in the range. */
static void
put_rows(sb_strbuf *out, const sb_spec *s)
{
    const bool mm = s->op == SB_KOP_SPMM;
    const char *c = mm ? "$C[%i, %c]" : "$C[%i]";

    sb_strbuf_puts(out, "    for %i in %first + %begun .. %next {\n");
    sb_ops_columns(out, s, "      ");
    sb_strbuf_printf(out, "        %s = ", c);
    sb_ops_init(out, s, c);
    put_entries(out, "%p", "cast(i64, $A_ptr[%i]) - %base",
                "cast(i64, $A_ptr[%i + 1]) - %base");
    sb_strbuf_printf(out, "%s += ", c);
    sb_ops_term(out, s, "$A[%p]", mm ? "$B[%j, %c]" : "$B[%j]");
    sb_strbuf_puts(out, mm ? close_mm : close_mv);
}

/* The sums of the other two, where they are. */
static void
put_sums(sb_strbuf *out, const sb_spec *s)
{
    static const char number[] = "2 * %g + %e";
    const bool mm = s->op == SB_KOP_SPMM;

    sb_strbuf_puts(out, "    for %e in 1 - %begun .. 1 + min(%m - %next, 1) {\n"
                        "      let %u = select(%e == 0, %first, %next)\n");
    if (mm) {
        sb_strbuf_puts(out, "      for %d in 0 .. ");
        sb_ops_width(out, s);
        sb_strbuf_puts(out, " {\n");
    }
    sb_strbuf_puts(out, "        ");
    put_sum(out, s, number, "%d");
    sb_strbuf_puts(out, " = ");
    sb_ops_zero(out, s);
    put_entries(out, "%q", "max(cast(i64, $A_ptr[%u]) - %base, %lo - %u)",
                "min(cast(i64, $A_ptr[%u + 1]) - %base, %hi - %u)");
    put_sum(out, s, number, "%d");
    sb_strbuf_puts(out, " += ");
    sb_ops_product(out, s, "$A[%q]", mm ? "$B[%j, %d]" : "$B[%j]");
    sb_strbuf_puts(out, mm ? close_mm : close_mv);
}

/* Entries lo .. hi, row by row: `first` is that of the first one, `next` of the last one. */
static void
sample_program(sb_strbuf *out, const sb_spec *s)
{
    static const char *const params[] = {"range_count", "range_size", NULL};
    static const char *const structure[] = {"A_ptr", "P",    "%m + 1", "A_crd",
                                            "I",     "%nnz", NULL};

    sb_ops_stage2_begin(out, s, "range", params, structure);
    sb_strbuf_puts(
        out,
        "  for %g in 0 .. %range_count {\n"
        "    let %lo = min(%g * %range_size, %nnz)\n"
        "    let %hi = min(%lo + %range_size, %nnz)\n"
        "    let %first = seek($A_ptr, 1, %m + 1, %lo + 1 + %base) - 1\n"
        "    let %next = seek($A_ptr, min(%first + 1, %m), %m + 1, %hi + %base) - 1\n"
        "    for %i in %first .. min(%next + 1, %m) {\n"
        "      let %from = max(cast(i64, $A_ptr[%i]) - %base, %lo)\n"
        "      let %to = min(cast(i64, $A_ptr[%i + 1]) - %base, %hi)\n"
        "      for %p in %from .. %to {\n"
        "        let %j = cast(i64, $A_crd[%p]) - %base\n"
        "        $A[%p] = ");
    sb_ops_init(out, s, "$A[%p]");
    sb_strbuf_puts(out, "\n        for %c in 0 .. ");
    sb_ops_depth(out, s);
    sb_strbuf_puts(out, " reduce {\n          $A[%p] += ");
    sb_ops_term(out, s, "$X[%i, %c]", "$Y[%c, %j]");
    sb_strbuf_puts(out, "\n        }\n      }\n    }\n  }\n}\n");
}

static void
range_program(sb_strbuf *out, const sb_spec *s)
{
    if (s->op == SB_KOP_SDDMM) {
        sample_program(out, s);
        return;
    }
    head(out, s, "range", "out");
    sb_strbuf_puts(out,
                   "    let %first = reach($A_ptr, 1, %m + 1, %lo + 1 + %base) - 1\n"
                   "    let %next = reach($A_ptr, %first + 1, "
                   "min(%first + %range_size, %m) + 1, %hi + 1 + %base) - 1\n"
                   "    $range_row[%g] = %next\n");
    sb_strbuf_puts(out, "    let %begun = select(%first < %next && cast(i64, "
                        "$A_ptr[%first]) - %base + %first < %lo, 1, 0)\n");
    put_rows(out, s);
    put_sums(out, s);
    sb_strbuf_puts(out, "  }\n}\n");
}

static void
range_schedule(sb_strbuf *out, const sb_spec *s)
{
    if (s->op == SB_KOP_SPMV) {
        sb_strbuf_printf(out,
                         "cache_write $C at %%i as $acc\n"
                         "rfactor %%p %d -> %%l as $part\nvectorize %%l\n"
                         "cache_write $range_sum at %%e as $left\n"
                         "rfactor %%q %d -> %%h as $qart\nvectorize %%h\n",
                         s->tile, s->tile);
        return;
    }
    if (s->op == SB_KOP_SDDMM) {
        sb_schedule_samples(out, s, "%p");
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

/* Range %g is the first of the row it leaves over, and stores it: the sums that it and the
 * ranges after it left, and the one that the row's last range began with. */
static void
carry_program(sb_strbuf *out, const sb_spec *s)
{
    const char *c = s->op == SB_KOP_SPMM ? "$C[%i, %c]" : "$C[%i]";

    head(out, s, "carry", "in");
    sb_strbuf_puts(out, "    let %next = $range_row[%g]\n");
    sb_strbuf_puts(out, "    let %start = cast(i64, $A_ptr[%next]) - %base + %next\n"
                        "    let %mine = select(%start >= %lo && %start < %hi, 1, 0)\n"
                        "    for %i in %next .. %next + %mine {\n"
                        "      let %end = (cast(i64, $A_ptr[%i + 1]) - %base + %i) / "
                        "%range_size\n");
    sb_ops_columns(out, s, "      ");
    sb_strbuf_printf(out, "        %s = ", c);
    sb_ops_init(out, s, c);
    sb_strbuf_printf(out,
                     "\n        for %%h in %%g .. %%end%s reduce {\n          %s += ",
                     SB_FAULT(GPU_CARRY) ? "" : " + 1", c);
    if (s->c != s->compute)
        sb_strbuf_printf(out, "cast(%s, ", sb_dtype_name(s->c));
    sb_strbuf_puts(out, "%alpha * ");
    put_sum(out, s, "min(2 * %h + 1, 2 * %end)", "%c");
    sb_strbuf_puts(out, s->c != s->compute ? ")" : "");
    sb_strbuf_puts(out, s->op == SB_KOP_SPMM ? close_mm : close_mv);
    sb_strbuf_puts(out, "  }\n}\n");
}

static void
carry_schedule(sb_strbuf *out, const sb_spec *s)
{
    if (s->op == SB_KOP_SPMV) {
        sb_strbuf_puts(out, "cache_write $C at %i as $acc\n");
        return;
    }
    sb_strbuf_printf(out, "split %%c %d -> %%c0 %%c1 tail\n", s->tile);
    sb_strbuf_puts(out, "cache_write $C at %c0 as $acc\nreorder %h %c1\n"
                        "vectorize %c1\n");
}

const sb_recipe sb_recipe_RANGE = {
    .name = "range",
    .ops = 1U << SB_KOP_SPMM | 1U << SB_KOP_SPMV | 1U << SB_KOP_SDDMM,
    .program = range_program,
    .schedule = range_schedule,
    .unit = {"%g", "%g", "%g"},
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
