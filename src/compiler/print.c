/*
 * Canonical text of a program, the inverse of parse.c. The text is also what is hashed,
 * so it never depends on addresses, and equal programs print equal bytes.
 */
#include "base/fault.h"
#include "base/strbuf.h"
#include "compiler/compiler.h"

#include <string.h>

enum { LEAF_PREC = 9 };

static void put_expr(sb_strbuf *sb, const sb_expr *e, int outer);

static void
put_list(sb_strbuf *sb, int n, const sb_expr *const *arg)
{
    for (int q = 0; q < n; q++) {
        if (q)
            sb_strbuf_puts(sb, ", ");
        put_expr(sb, arg[q], 0);
    }
}

static void
put_element(sb_strbuf *sb, const sb_buf *b, int n, const sb_expr *const *idx)
{
    sb_strbuf_printf(sb, "$%s[", b->name);
    put_list(sb, n, idx);
    sb_strbuf_putc(sb, ']');
}

static void
put_literal(sb_strbuf *sb, const sb_expr *e)
{
    const sb_dtype usual = e->kind == SB_EXPR_INT ? SB_I64 : SB_F32;

    if (e->kind == SB_EXPR_INT)
        sb_strbuf_i64(sb, e->u.i);
    else
        sb_strbuf_f64(sb, e->u.f);
    if (e->type != usual)
        sb_strbuf_printf(sb, ":%s", sb_dtype_name((sb_dtype)e->type));
}

static void
put_call(sb_strbuf *sb, const sb_expr *e)
{
    sb_strbuf_printf(sb, "%s(", sb_expr_kind_text((sb_expr_kind)e->kind));
    if (e->kind == SB_EXPR_CAST)
        sb_strbuf_printf(sb, "%s, ", sb_dtype_name((sb_dtype)e->type));
    if (e->kind == SB_EXPR_FIND)
        sb_strbuf_printf(sb, "$%s, ", e->u.buf->name);
    put_list(sb, e->nargs, e->arg);
    sb_strbuf_putc(sb, ')');
}

static void
put_infix(sb_strbuf *sb, const sb_expr *e, int outer)
{
    const int prec = sb_expr_kind_prec((sb_expr_kind)e->kind);

    if (prec < outer)
        sb_strbuf_putc(sb, '(');
    put_expr(sb, e->arg[0], prec);
    sb_strbuf_printf(sb, " %s ", sb_expr_kind_text((sb_expr_kind)e->kind));
    put_expr(sb, e->arg[1], SB_FAULT(PRINT_PAREN) ? prec : prec + 1);
    if (prec < outer)
        sb_strbuf_putc(sb, ')');
}

/* Parenthesised when the operator binds less tightly than `outer`. */
static void
put_expr(sb_strbuf *sb, const sb_expr *e, int outer)
{
    switch ((sb_expr_kind)e->kind) {
    case SB_EXPR_INT:
    case SB_EXPR_FLOAT:
        put_literal(sb, e);
        return;
    case SB_EXPR_VAR:
        sb_strbuf_printf(sb, "%%%s", e->u.var->name);
        return;
    case SB_EXPR_LOAD:
        put_element(sb, e->u.buf, e->nargs, e->arg);
        return;
    case SB_EXPR_NEG:
    case SB_EXPR_NOT:
        sb_strbuf_puts(sb, sb_expr_kind_text((sb_expr_kind)e->kind));
        put_expr(sb, e->arg[0], LEAF_PREC);
        return;
    case SB_EXPR_MIN:
    case SB_EXPR_MAX:
    case SB_EXPR_SELECT:
    case SB_EXPR_CAST:
    case SB_EXPR_CONJ:
    case SB_EXPR_FIND:
        put_call(sb, e);
        return;
    default:
        put_infix(sb, e, outer);
    }
}

/* ---- declarations -------------------------------------------------------------------- */

static void
put_buf(sb_strbuf *sb, const sb_buf *b)
{
    static const char *const role[] = {" in", " out", " inout", " aux", ""};

    sb_strbuf_printf(sb, "$%s : %s[", b->name, sb_dtype_name(b->type));
    for (int q = 0; q < b->rank; q++) {
        if (q)
            sb_strbuf_puts(sb, ", ");
        if (b->axis[q])
            sb_strbuf_printf(sb, "#%s", b->axis[q]->name);
        else
            put_expr(sb, b->extent[q], 0);
    }
    sb_strbuf_printf(sb, "]%s", role[b->role]);
    if (b->rank > 0 && b->stride[0]) {
        sb_strbuf_puts(sb, " strides(");
        put_list(sb, b->rank, b->stride);
        sb_strbuf_putc(sb, ')');
    }
}

static void
put_axis_expr(sb_strbuf *sb, const char *word, const sb_expr *e)
{
    if (e) {
        sb_strbuf_printf(sb, ", %s ", word);
        put_expr(sb, e, 0);
    }
}

static void
put_axis_buf(sb_strbuf *sb, const char *word, const sb_buf *b)
{
    if (b)
        sb_strbuf_printf(sb, ", %s $%s", word, b->name);
}

static void
put_axis(sb_strbuf *sb, const sb_axis *a)
{
    static const char *const kind[] = {"dense_fixed", "dense_variable", "sparse_fixed",
                                       "sparse_variable"};

    sb_strbuf_printf(sb, "  axis #%s = %s(", a->name, kind[a->kind]);
    if (a->parent)
        sb_strbuf_printf(sb, "#%s, ", a->parent->name);
    put_expr(sb, a->length, 0);
    put_axis_expr(sb, "width", a->width);
    put_axis_expr(sb, "nnz", a->nnz);
    put_axis_buf(sb, "ptr", a->ptr);
    put_axis_buf(sb, "end", a->end);
    put_axis_buf(sb, "crd", a->crd);
    put_axis_buf(sb, "val", a->val);
    sb_strbuf_putc(sb, ')');
    if (a->base) {
        sb_strbuf_puts(sb, " base ");
        put_expr(sb, a->base, LEAF_PREC);
    }
    sb_strbuf_puts(sb, a->sorted ? " sorted" : "");
    sb_strbuf_puts(sb, a->unique ? " unique" : "");
    sb_strbuf_puts(sb, a->padded ? " padded\n" : "\n");
}

/* Prints axes from *next on until those of `b` are out: an axis stands after its arrays
 * and before the first buffer over it. */
static void
put_axes_of(sb_strbuf *sb, const sb_prog *p, const sb_buf *b, int *next)
{
    for (int q = 0; q < b->rank; q++)
        for (int at = *next; b->axis[q] && at < p->naxis; at++)
            if (p->axis[at] == b->axis[q])
                while (*next <= at)
                    put_axis(sb, p->axis[(*next)++]);
}

static void
put_declarations(sb_strbuf *sb, const sb_prog *p)
{
    int next = 0;

    for (int q = 0; q < p->nparam; q++)
        sb_strbuf_printf(sb, "  param %%%s : %s\n", p->param[q]->name,
                         sb_dtype_name(p->param[q]->type));
    for (int q = 0; q < p->nbuf; q++) {
        put_axes_of(sb, p, p->buf[q], &next);
        sb_strbuf_puts(sb, "  buf ");
        put_buf(sb, p->buf[q]);
        sb_strbuf_putc(sb, '\n');
    }
    while (next < p->naxis)
        put_axis(sb, p->axis[next++]);
    for (int q = 0; q < p->nassume; q++) {
        sb_strbuf_puts(sb, "  assume ");
        put_expr(sb, p->assume[q], 0);
        sb_strbuf_putc(sb, '\n');
    }
}

/* ---- statements ---------------------------------------------------------------------- */

static void put_body(sb_strbuf *sb, sb_body b, int depth);

static void
indent(sb_strbuf *sb, int depth)
{
    for (int q = 0; q < depth; q++)
        sb_strbuf_puts(sb, "  ");
}

static void
put_store(sb_strbuf *sb, const sb_stmt *s)
{
    static const char *const op[] = {"=", "+=", "min=", "max="};

    put_element(sb, s->u.store.buf, s->u.store.n, s->u.store.idx);
    sb_strbuf_printf(sb, " %s ", op[s->u.store.op]);
    put_expr(sb, s->u.store.value, 0);
    sb_strbuf_puts(sb, s->u.store.stream ? " stream\n" : "\n");
}

static void
put_iterators(sb_strbuf *sb, const sb_stmt *s)
{
    const sb_iter *it = s->u.iter.it;

    for (int q = 0; q < s->u.iter.n; q++) {
        const bool fused = it[q].group != 0;

        if (q)
            sb_strbuf_puts(sb, ", ");
        if (fused && (q == 0 || it[q - 1].group != it[q].group))
            sb_strbuf_putc(sb, '{');
        sb_strbuf_printf(sb, "%%%s : %s #%s", it[q].var->name, it[q].reduce ? "R" : "S",
                         it[q].axis->name);
        if (fused && (q + 1 == s->u.iter.n || it[q + 1].group != it[q].group))
            sb_strbuf_putc(sb, '}');
    }
}

static void
put_iter(sb_strbuf *sb, const sb_stmt *s, int depth)
{
    sb_strbuf_printf(sb, "iter %s (", s->u.iter.name);
    put_iterators(sb, s);
    sb_strbuf_puts(sb, ") {\n");
    for (int q = 0; q < s->u.iter.init.n; q++) {
        indent(sb, depth + 1);
        sb_strbuf_puts(sb, "init ");
        put_store(sb, s->u.iter.init.at[q]);
    }
    put_body(sb, s->u.iter.body, depth + 1);
    indent(sb, depth);
    sb_strbuf_puts(sb, "}\n");
}

static void
put_for(sb_strbuf *sb, const sb_stmt *s, int depth)
{
    static const char *const how[] = {"", " parallel", " unroll", ""};

    sb_strbuf_printf(sb, "for %%%s in ", s->u.loop.var->name);
    put_expr(sb, s->u.loop.lo, 0);
    sb_strbuf_puts(sb, " .. ");
    put_expr(sb, s->u.loop.hi, 0);
    sb_strbuf_puts(sb, how[s->u.loop.how]);
    if (s->u.loop.how == SB_LOOP_VECTOR)
        sb_strbuf_printf(sb, " vector(%d)", s->u.loop.lanes);
    sb_strbuf_puts(sb, s->u.loop.reduce ? " reduce {\n" : " {\n");
    put_body(sb, s->u.loop.body, depth + 1);
    indent(sb, depth);
    sb_strbuf_puts(sb, "}\n");
}

static void
put_if(sb_strbuf *sb, const sb_stmt *s, int depth)
{
    sb_strbuf_puts(sb, "if (");
    put_expr(sb, s->u.cond.cond, 0);
    sb_strbuf_puts(sb, ") {\n");
    put_body(sb, s->u.cond.then, depth + 1);
    indent(sb, depth);
    if (s->u.cond.els.n) {
        sb_strbuf_puts(sb, "} else {\n");
        put_body(sb, s->u.cond.els, depth + 1);
        indent(sb, depth);
    }
    sb_strbuf_puts(sb, "}\n");
}

static void
put_stmt(sb_strbuf *sb, const sb_stmt *s, int depth)
{
    indent(sb, depth);
    switch ((sb_stmt_kind)s->kind) {
    case SB_STMT_ITER:
        put_iter(sb, s, depth);
        return;
    case SB_STMT_BLOCK:
        sb_strbuf_printf(sb, "block %s {\n", s->u.block.name);
        put_body(sb, s->u.block.body, depth + 1);
        indent(sb, depth);
        sb_strbuf_puts(sb, "}\n");
        return;
    case SB_STMT_FOR:
        put_for(sb, s, depth);
        return;
    case SB_STMT_LET:
        sb_strbuf_printf(sb, "let %%%s : %s = ", s->u.let.var->name,
                         sb_dtype_name(s->u.let.var->type));
        put_expr(sb, s->u.let.value, 0);
        sb_strbuf_putc(sb, '\n');
        return;
    case SB_STMT_LOCAL:
        sb_strbuf_puts(sb, "local ");
        put_buf(sb, s->u.local.buf);
        sb_strbuf_putc(sb, '\n');
        return;
    case SB_STMT_STORE:
        put_store(sb, s);
        return;
    case SB_STMT_IF:
        put_if(sb, s, depth);
        return;
    case SB_STMT_PREFETCH:
        sb_strbuf_puts(sb, "prefetch ");
        put_element(sb, s->u.prefetch.buf, s->u.prefetch.n, s->u.prefetch.idx);
        sb_strbuf_putc(sb, '\n');
        return;
    }
}

static void
put_body(sb_strbuf *sb, sb_body b, int depth)
{
    for (int q = 0; q < b.n; q++)
        put_stmt(sb, b.at[q], depth);
}

sb_status
sb_prog_print(sb_strbuf *out, const sb_prog *p)
{
    sb_strbuf_printf(out, "prog @%s stage %d {\n", p->name, p->stage);
    put_declarations(out, p);
    put_body(out, p->body, 1);
    sb_strbuf_puts(out, "}\n");
    return sb_strbuf_status(out);
}

sb_status
sb_prog_hash(sb_hash *out, const sb_prog *p)
{
    const sb_hash seed = {0, 0};
    sb_strbuf text;
    sb_status st;

    sb_strbuf_init(&text);
    st = sb_prog_print(&text, p);
    *out = sb_hash_bytes(text.s, text.len, seed);
    sb_strbuf_free(&text);
    return st;
}
