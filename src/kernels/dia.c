/*
 * Diagonals, walked row by row: the columns follow from the offsets, so a slot costs a
 * position (or a value) and no index. Holes have a negative position; packed, a zero
 * value, which is why diagonals with a stored zero are not packed (formats/part.h).
 */
#include "kernels/ops.h"
#include "kernels/recipe.h"
#include "kernels/schedule.h"

static void
program(sb_strbuf *out, const sb_spec *s)
{
    static const char *const params[] = {"dia_count", NULL};
    const char *const buffers[] = {"dia_off",
                                   "i64",
                                   "%dia_count",
                                   s->packed ? "dia_val" : "dia_pos",
                                   s->packed ? "V" : "P",
                                   "%m * %dia_count",
                                   NULL};
    const bool mm = s->op == SB_KOP_SPMM;
    const char *c = mm ? "$C[%i, %c]" : "$C[%i]";
    const char *b = mm ? "$B[%i + $dia_off[%d], %c]" : "$B[%i + $dia_off[%d]]";

    sb_ops_stage2_begin(out, s, "dia", params, buffers);
    sb_strbuf_puts(out, "  for %i in 0 .. %m {\n");
    sb_ops_columns(out, s, "    ");
    sb_strbuf_printf(out, "      %s = ", c);
    sb_ops_init(out, s, c);
    sb_strbuf_puts(out, "\n      for %d in 0 .. %dia_count reduce {\n");
    if (s->packed) {
        sb_strbuf_puts(out, "        if $dia_val[%i * %dia_count + %d] != ");
        sb_strbuf_printf(out, "%s:%s", sb_dtype_is_int(s->a) ? "0" : "0.0",
                         sb_dtype_name(s->a));
    } else {
        sb_strbuf_puts(out,
                       "        if cast(i64, $dia_pos[%i * %dia_count + %d]) >= 0");
    }
    sb_strbuf_printf(out, " {\n          %s += ", c);
    sb_ops_term(out, s,
                s->packed ? "$dia_val[%i * %dia_count + %d]"
                          : "$A[cast(i64, $dia_pos[%i * %dia_count + %d])]",
                b);
    sb_strbuf_puts(out, "\n        }\n      }\n");
    sb_strbuf_puts(out, mm ? "    }\n" : "");
    sb_strbuf_puts(out, "  }\n}\n");
}

static void
schedule(sb_strbuf *out, const sb_spec *s)
{
    if (s->op == SB_KOP_SPMM) {
        sb_strbuf_printf(out, "split %%c %d -> %%c0 %%c1 tail\n", s->tile);
        sb_strbuf_puts(out, "cache_write $C at %c0 as $acc\n"
                            "reorder %d %c1\n"
                            "vectorize %c1\n");
        sb_schedule_memory(out, s, NULL);
    } else {
        sb_strbuf_puts(out, "cache_write $C at %i as $acc\n");
    }
    sb_strbuf_puts(out, "parallel %i\n");
}

const sb_recipe sb_recipe_DIA = {
    .name = "dia",
    .ops = 1U << SB_KOP_SPMM | 1U << SB_KOP_SPMV,
    .program = program,
    .schedule = schedule,
    .unit = {"%i", "%i", NULL},
    .column = "%c0",
};
