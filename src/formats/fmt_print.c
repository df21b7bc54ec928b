/*
 * Canonical text of a format: constants worked out, defaults as given, clauses in the
 * order merge, trim, fill, pack, partition, parts of a hybrid in full.
 */
#include "formats/fmt_expr.h"
#include "formats/fmt_text.h"

static const char op_text[][4] = {
    [SB_FMT_ADD] = " + ", [SB_FMT_SUB] = " - ", [SB_FMT_MUL] = "*",
    [SB_FMT_DIV] = "/",   [SB_FMT_MOD] = "%",
};

/* How tightly an operator binds. */
static int
rank(const sb_fmt_expr *e)
{
    if (e->op == SB_FMT_ADD || e->op == SB_FMT_SUB)
        return 1;
    return e->op >= SB_FMT_MUL && e->op <= SB_FMT_MOD ? 2 : 3;
}

static void
print_expr(sb_strbuf *out, const sb_fmt *f, const sb_fmt_expr *e, int atleast)
{
    const bool parens = rank(e) < atleast;

    if (parens)
        sb_strbuf_putc(out, '(');
    if (e->op == SB_FMT_CONST) {
        sb_strbuf_i64(out, e->value);
    } else if (e->op == SB_FMT_DIM) {
        if (f)
            sb_strbuf_puts(out, f->dim_name[e->value]);
        else
            sb_strbuf_printf(out, "e%lld", (long long)e->value);
    } else if (e->op == SB_FMT_INDIRECT) {
        sb_strbuf_printf(out, "@%s(", f->fn[e->value]->name);
        for (int q = 0; q < e->narg; q++) {
            sb_strbuf_puts(out, q > 0 ? ", " : "");
            print_expr(out, f, e->arg[q], 0);
        }
        sb_strbuf_putc(out, ')');
    } else {
        print_expr(out, f, e->a, rank(e));
        sb_strbuf_puts(out, op_text[e->op]);
        print_expr(out, f, e->b, rank(e) + 1);
    }
    if (parens)
        sb_strbuf_putc(out, ')');
}

void
sb_fmt_print_expr(sb_strbuf *out, const sb_fmt *f, const sb_fmt_expr *e)
{
    print_expr(out, f, e, 0);
}

static void
print_dims(sb_strbuf *out, const sb_fmt *f)
{
    for (int q = 0; q < f->ndim; q++) {
        sb_strbuf_puts(out, q > 0 ? ", " : "(");
        sb_strbuf_puts(out, f->dim_name[q]);
    }
    sb_strbuf_putc(out, ')');
}

static void
print_map(sb_strbuf *out, const sb_fmt *f, const char *what, const sb_fmt_map *m)
{
    if (m->n == 0)
        return;
    sb_strbuf_puts(out, what);
    print_dims(out, f);
    sb_strbuf_puts(out, " -> ");
    for (int q = 0; q < m->n; q++) {
        sb_strbuf_puts(out, q > 0 ? ", " : "(");
        print_expr(out, f, m->e[q], 0);
    }
    sb_strbuf_putc(out, ')');
}

static const char *
subject_name(const sb_fmt *f, int dim)
{
    return dim < 0 ? "value" : f->dim_name[dim];
}

static void
print_result(sb_strbuf *out, const sb_fmt_fn *fn, int64_t value, int step)
{
    if (step >= 0)
        sb_strbuf_puts(out, fn->step[step]->label);
    else
        sb_strbuf_i64(out, value);
}

static void
print_query(sb_strbuf *out, const sb_fmt *f, const sb_fmt_query *q, const sb_fmt_fn *fn)
{
    static const char *const names[] = {"sum", "enum", "reorder", "schedule"};
    static const char *const conds[] = {"ne", "eq", "gt", "ge", "lt", "le"};

    sb_strbuf_printf(out, "%s(%s", names[q->op], subject_name(f, q->dim));
    if (q->op == SB_FMT_SCHEDULE)
        sb_strbuf_printf(out, ", %lld", (long long)q->buckets);
    sb_strbuf_putc(out, ')');
    print_map(out, f, " groupBy ", &q->group);
    print_map(out, f, " traverseBy ", &q->traverse);
    if (q->op >= SB_FMT_REORDER)
        return;
    sb_strbuf_puts(out, " with ");
    for (int k = 0; k < q->ncase; k++) {
        const sb_fmt_case *c = &q->when[k];

        sb_strbuf_printf(out, "%s %s %lld -> ", subject_name(f, c->dim), conds[c->cond],
                         (long long)c->literal);
        print_result(out, fn, c->result, c->step);
        sb_strbuf_puts(out, " | ");
    }
    sb_strbuf_puts(out, "otherwise -> ");
    print_result(out, fn, q->otherwise, q->otherwise_step);
}

static void
print_fn(sb_strbuf *out, const sb_fmt *f, const sb_fmt_fn *fn)
{
    sb_strbuf_printf(out, "@%s = {\n", fn->name);
    for (int q = 0; q < fn->nstep; q++) {
        sb_strbuf_puts(out, "    ");
        if (fn->step[q]->label)
            sb_strbuf_printf(out, "%s: ", fn->step[q]->label);
        print_query(out, f, fn->step[q], fn);
        sb_strbuf_puts(out, q + 1 < fn->nstep ? ";\n" : " }");
    }
}

static void
print_set(sb_strbuf *out, const char *what, unsigned set)
{
    const char *sep = "(";

    if (set == 0)
        return;
    sb_strbuf_puts(out, what);
    for (int q = 0; q < SB_FMT_LEVELS; q++) {
        if (set >> q & 1) {
            sb_strbuf_printf(out, "%s%d", sep, q);
            sep = ", ";
        }
    }
    sb_strbuf_putc(out, ')');
}

static void
print_plain(sb_strbuf *out, const sb_fmt *f)
{
    sb_strbuf_putc(out, ' ');
    print_dims(out, f);
    sb_strbuf_puts(out, " -> ");
    for (int q = 0; q < f->nlevel; q++) {
        sb_strbuf_puts(out, q > 0 ? ", " : "(");
        print_expr(out, f, f->level[q], 0);
    }
    sb_strbuf_putc(out, ')');
    print_set(out, " merge", f->merge);
    if (f->trim_lo >= 0)
        sb_strbuf_printf(out, " trim(%d, %d)", f->trim_lo, f->trim_hi);
    print_set(out, " fill", f->fill);
    if (f->pack_lo >= 0)
        sb_strbuf_printf(out, " pack(%d, %d)", f->pack_lo, f->pack_hi);
    if (f->partition >= 0)
        sb_strbuf_printf(out, " partition(%d)", f->partition);
    for (int q = 0; q < f->nfn; q++) {
        sb_strbuf_puts(out, q > 0 ? ",\n  " : "\n  where ");
        print_fn(out, f, f->fn[q]);
    }
}

static void
print_hybrid(sb_strbuf *out, const sb_fmt *f)
{
    sb_strbuf_puts(out, " = {\n");
    for (int q = 0; q < f->npart; q++) {
        sb_strbuf_putc(out, '(');
        sb_fmt_print(out, f->part[q]);
        sb_strbuf_puts(out, q + 1 < f->npart ? "),\n" : ")\n");
    }
    sb_strbuf_puts(out, "} by ");
    print_query(out, f, f->query, NULL);
    for (int q = 0; q + 1 < f->npart; q++)
        sb_strbuf_printf(out, "%s%lld", q > 0 ? ", " : " threshold ",
                         (long long)f->threshold[q]);
}

void
sb_fmt_print(sb_strbuf *out, const sb_fmt *f)
{
    sb_strbuf_printf(out, "%s %s", f->npart > 0 ? "hybrid" : "format", f->name);
    for (int q = 0; q < f->nparam; q++)
        sb_strbuf_printf(out, "%s%s=%lld", q > 0 ? ", " : "<", f->param_name[q],
                         (long long)f->param[q]);
    sb_strbuf_puts(out, f->nparam > 0 ? ">" : "");
    if (f->npart > 0)
        print_hybrid(out, f);
    else
        print_plain(out, f);
}
