/*
 * Stage I text from a format: one iteration over the axes of its levels
 * (format_level.c), the product at the coordinates the inverse map restores, a guard
 * where padding may lie outside, and the schedule that would be good if it fits.
 */
#include "kernels/format_writer.h"

#include "kernels/lower.h"
#include "kernels/ops.h"

#include <string.h>

static int
row_dim(const sb_format_writer *w)
{
    return w->op->trans ? 1 : 0;
}

/* Sizes and scalars of the operation. */
static void
put_scalars(sb_strbuf *out, const sb_spec *s)
{
    static const char *const sizes[3][6] = {
        {"m", "n", "k", "ldb", "ldc"}, {"m", "k"}, {"m", "n", "k", "lda", "ldb"}};
    const char *compute = sb_dtype_name(s->compute);

    for (int q = 0; sizes[s->op][q]; q++)
        sb_strbuf_printf(out, "  param %%%s : i64\n", sizes[s->op][q]);
    sb_strbuf_printf(out, "  param %%alpha : %s\n  param %%beta : %s\n", compute,
                     compute);
}

static void
put_declarations(const sb_format_writer *w)
{
    sb_strbuf over;

    put_scalars(w->out, &w->op->spec);
    sb_strbuf_init(&over);
    sb_format_put_levels(w, &over);
    sb_strbuf_puts(w->out, "  axis #I = dense_fixed(%m)\n");
    sb_ops_operands(w->out, &w->op->spec, over.s);
    if (w->out->st == SB_OK)
        w->out->st = over.st;
    sb_strbuf_free(&over);
}

/* ---- the iteration ------------------------------------------------------------------- */

static void
put_iterators(const sb_format_writer *w)
{
    const bool mm = w->op->spec.op == SB_KOP_SPMM;
    const char *sep = "";

    if (w->row_level >= 0) {
        sb_format_put_group(w, w->row_level);
        sb_strbuf_puts(w->out, mm ? ", %c : S #N" : "");
        sep = ", ";
    }
    for (int q = 0; q < w->f->nlevel; q = sb_level_group_end(w, q) + 1) {
        if (q == w->row_level)
            continue;
        sb_strbuf_puts(w->out, sep);
        sb_format_put_group(w, q);
        sep = ", ";
    }
    if (mm && w->row_level < 0)
        sb_strbuf_puts(w->out, ", %c : S #N");
    if (w->op->spec.op == SB_KOP_SDDMM)
        sb_strbuf_puts(w->out, ", %c : R #K");
}

static void
put_product(const sb_format_writer *w)
{
    const sb_spec *s = &w->op->spec;
    const char *row = w->coord[row_dim(w)].s, *col = w->coord[1 - row_dim(w)].s;
    sb_strbuf a, target, left, right;
    sb_strbuf *const all[] = {&a, &target, &left, &right};

    for (int q = 0; q < 4; q++)
        sb_strbuf_init(all[q]);
    sb_strbuf_printf(&a, "$A[%s]", w->at.s);
    if (s->op == SB_KOP_SDDMM) {
        sb_strbuf_puts(&target, a.s);
        sb_strbuf_printf(&left, "$X[%s, %%c]", row);
        sb_strbuf_printf(&right, "$Y[%%c, %s]", col);
    } else {
        const char *c = s->op == SB_KOP_SPMM ? ", %c" : "";

        sb_strbuf_printf(&target, "$C[%s%s]", row, c);
        sb_strbuf_puts(&left, a.s);
        sb_strbuf_printf(&right, "$B[%s%s]", col, c);
    }
    if (w->row_level >= 0 || s->op == SB_KOP_SDDMM) {
        sb_strbuf_printf(w->out, "    init %s = ", target.s);
        sb_ops_init(w->out, s, target.s);
        sb_strbuf_putc(w->out, '\n');
    }
    {
        const bool guarded = sb_format_put_guard(w, false);

        sb_strbuf_printf(w->out, "    %s += ", target.s);
        sb_ops_term(w->out, s, left.s, right.s);
        sb_strbuf_puts(w->out, guarded ? "\n    }\n  }\n}\n" : "\n  }\n}\n");
    }
    for (int q = 0; q < 4; q++) {
        if (w->out->st == SB_OK)
            w->out->st = all[q]->st;
        sb_strbuf_free(all[q]);
    }
}

static void
put_program(sb_format_writer *w)
{
    const char *name = sb_ops_name(w->op->spec.op);

    sb_strbuf_printf(w->out, "prog @%s stage 1 {\n", name);
    put_declarations(w);
    sb_strbuf_printf(w->out, "  iter %s (", name);
    put_iterators(w);
    sb_strbuf_puts(w->out, ") {\n");
    put_product(w);
}

/* C = beta * C, which comes first where a row of C is met more than once, or never. */
static void
put_scale(sb_strbuf *out, const sb_spec *s)
{
    const bool mm = s->op == SB_KOP_SPMM;
    const char *target = mm ? "$C[%i, %c]" : "$C[%i]";

    sb_strbuf_puts(out, "prog @scale stage 1 {\n");
    put_scalars(out, s);
    sb_strbuf_puts(out, "  axis #I = dense_fixed(%m)\n");
    sb_strbuf_puts(out, mm ? "  axis #N = dense_fixed(%n)\n" : "");
    sb_ops_output(out, s);
    sb_strbuf_printf(out, "  iter scale (%%i : S #I%s) {\n    %s = ",
                     mm ? ", %c : S #N" : "", target);
    sb_ops_init(out, s, target);
    sb_strbuf_puts(out, "\n  }\n}\n");
}

/* ---- the schedule -------------------------------------------------------------------- */

static void
put_loop(sb_strbuf *out, const sb_format_writer *w, int q)
{
    const int last = sb_level_group_end(w, q);
    const bool position = last > q || sb_level_is_sparse(w, q);

    sb_strbuf_printf(out, position ? "%%pe%d" : "%%e%d", last);
}

/* Loops of the levels, without that of the row. */
static void
put_loops(sb_strbuf *out, const sb_format_writer *w)
{
    for (int q = 0; q < w->f->nlevel; q = sb_level_group_end(w, q) + 1) {
        if (q == w->row_level)
            continue;
        put_loop(out, w, q);
        sb_strbuf_putc(out, ' ');
    }
}

static int
innermost(const sb_format_writer *w)
{
    int q = 0;

    while (sb_level_group_end(w, q) + 1 < w->f->nlevel)
        q = sb_level_group_end(w, q) + 1;
    return q;
}

static void
put_wishes(sb_strbuf *out, const sb_format_writer *w)
{
    const bool own = w->row_level >= 0;
    const int outer = own ? w->row_level : 0;

    if (w->op->spec.op == SB_KOP_SPMM) {
        sb_strbuf_puts(out, "split %c 32 -> %c0 %c1 tail\n");
        if (own) {
            sb_strbuf_puts(out, "cache_write $C at %c0 as $acc\nreorder ");
            put_loops(out, w);
            sb_strbuf_puts(out, "%c1\n");
        }
        sb_strbuf_puts(out, "vectorize %c1\n");
    } else if (w->op->spec.op == SB_KOP_SPMV) {
        if (own) {
            sb_strbuf_puts(out, "cache_write $C at ");
            put_loop(out, w, outer);
            sb_strbuf_puts(out, " as $acc\nrfactor ");
            put_loop(out, w, innermost(w));
            sb_strbuf_puts(out, " 4 -> %l as $part\nvectorize %l\n");
        }
    } else {
        sb_strbuf_puts(out, "cache_write $A at ");
        put_loop(out, w, innermost(w));
        sb_strbuf_puts(out, " as $acc\nrfactor %c 8 -> %l as $part\nvectorize %l\n");
    }
    sb_strbuf_puts(out, "parallel ");
    put_loop(out, w, outer);
    sb_strbuf_putc(out, '\n');
}

/* ---- entry points -------------------------------------------------------------------- */

static sb_status
write_text(sb_format_writer *w, sb_arena *ar, sb_strbuf *wishes, sb_format_facts *facts)
{
    const bool sddmm = w->op->spec.op == SB_KOP_SDDMM;
    const int row = row_dim(w);

    if (w->f->ndim != 2)
        return sb_diag_set(w->diag, SB_EINVAL, "format %s is not one of matrices",
                           w->f->name);
    w->extent[row] = "m";
    w->extent[1 - row] = sddmm ? "n" : "k";
    w->spatial = sddmm ? SB_FORMAT_EVERY : 1U << row;
    SB_TRY(sb_format_writer_open(w, ar));
    w->row_level = sddmm ? -1 : sb_format_row_level(w, row);
    put_program(w);
    put_wishes(wishes, w);
    facts->beta = w->row_level >= 0 || sddmm;
    facts->rows = w->row_level >= 0;
    facts->outer = sb_level_group_end(w, 0);
    return SB_OK;
}

sb_status
sb_format_text(sb_strbuf *text, sb_strbuf *wishes, sb_format_facts *facts,
               const sb_format_op *op, sb_diag *diag)
{
    const sb_spec *s = &op->spec;
    sb_format_writer w = {.op = op,
                          .f = op->fmt,
                          .value = s->a,
                          .ptr = s->ptr,
                          .idx = s->idx,
                          .diag = diag,
                          .out = text};
    sb_arena ar;
    sb_status st, closed;

    *facts = (sb_format_facts){.beta = true, .rows = true};
    if (!op->fmt) {
        put_scale(text, s);
        sb_strbuf_puts(wishes, "parallel %i\n");
        return sb_strbuf_status(text);
    }
    sb_arena_init(&ar);
    st = write_text(&w, &ar, wishes, facts);
    closed = sb_format_writer_close(&w);
    sb_arena_free(&ar);
    return st != SB_OK ? st : closed;
}

sb_status
sb_format_lowered(const sb_prog **out, sb_format_facts *facts, sb_ir *ir,
                  const sb_format_op *op)
{
    const sb_prog *p = NULL;
    sb_strbuf text, wishes, taken;
    sb_status st;

    *out = NULL;
    sb_strbuf_init(&text);
    sb_strbuf_init(&wishes);
    sb_strbuf_init(&taken);
    st = sb_format_text(&text, &wishes, facts, op, ir->diag);
    if (st == SB_OK)
        st = sb_prog_parse(&p, ir, text.s, text.len);
    if (st == SB_OK)
        st = sb_lower_wished(&p, ir, p, wishes.s, &taken);
    if (st == SB_OK)
        st = sb_pass_fuse(out, ir, "kernel", 1, &p);
    if (sb_ir_status(ir) != SB_OK) /* a pass may blame what it could not make */
        st = sb_ir_status(ir);
    facts->split = strstr(taken.s, "parallel ") != NULL;
    sb_strbuf_free(&text);
    sb_strbuf_free(&wishes);
    sb_strbuf_free(&taken);
    return st;
}
