/*
 * Canonical text of expressions and programs: the hash key, the golden file, and what a
 * reader sees. Minimal parentheses, two blanks per level, one statement a line.
 */
#include "compiler/print.h"

#include "base/fault.h"
#include "compiler/compiler.h"

typedef enum form { LEAF, PREFIX, INFIX, CALL, LOAD } form;

static const uint8_t forms[SB_EXPR_COUNT] = {
#define X(kind, text, form, arity, prec, typing, doc) form,
#include "compiler/expr.def"
#undef X
};

/* ---- expressions --------------------------------------------------------------------- */

static void
put_list(sb_strbuf *out, int n, const sb_expr *const *arg)
{
    for (int q = 0; q < n; q++) {
        if (q > 0)
            sb_strbuf_puts(out, ", ");
        sb_expr_print(out, arg[q]);
    }
}

void
sb_access_print(sb_strbuf *out, const sb_buf *b, int n, const sb_expr *const *idx)
{
    sb_strbuf_putc(out, '$');
    sb_strbuf_puts(out, b->name);
    sb_strbuf_putc(out, '[');
    put_list(out, n, idx);
    sb_strbuf_putc(out, ']');
}

static void
put_suffix(sb_strbuf *out, const sb_expr *e, sb_dtype usual)
{
    if (e->type == usual)
        return;
    sb_strbuf_putc(out, ':');
    sb_strbuf_puts(out, sb_dtype_name((sb_dtype)e->type));
}

static void
put_leaf(sb_strbuf *out, const sb_expr *e)
{
    if (e->kind == SB_EXPR_INT) {
        sb_strbuf_i64(out, e->u.i);
        put_suffix(out, e, SB_I64);
    } else if (e->kind == SB_EXPR_FLOAT) {
        sb_strbuf_f64(out, e->u.f);
        put_suffix(out, e, SB_F32);
    } else {
        sb_strbuf_putc(out, '%');
        sb_strbuf_puts(out, e->u.var->name);
    }
}

static void
put_call(sb_strbuf *out, const sb_expr *e)
{
    sb_strbuf_puts(out, sb_expr_kind_text((sb_expr_kind)e->kind));
    sb_strbuf_putc(out, '(');
    if (e->kind == SB_EXPR_CAST) {
        sb_strbuf_puts(out, sb_dtype_name((sb_dtype)e->type));
        sb_strbuf_puts(out, ", ");
    } else if (sb_expr_is_search(e)) {
        sb_strbuf_putc(out, '$');
        sb_strbuf_puts(out, e->u.buf->name);
        sb_strbuf_puts(out, ", ");
    }
    put_list(out, e->nargs, e->arg);
    sb_strbuf_putc(out, ')');
}

/* A literal below zero starts with a minus and binds as one. */
static int
precedence(const sb_expr *e)
{
    const bool below = (e->kind == SB_EXPR_INT && e->u.i < 0) ||
                       (e->kind == SB_EXPR_FLOAT && __builtin_signbit(e->u.f));

    return sb_expr_kind_prec(below ? SB_EXPR_NEG : (sb_expr_kind)e->kind);
}

static void
put_operand(sb_strbuf *out, const sb_expr *e, int prec)
{
    const bool paren = precedence(e) < prec && !SB_FAULT(PRINT_PAREN);

    if (paren)
        sb_strbuf_putc(out, '(');
    sb_expr_print(out, e);
    if (paren)
        sb_strbuf_putc(out, ')');
}

void
sb_expr_print(sb_strbuf *out, const sb_expr *e)
{
    const char *text = sb_expr_kind_text((sb_expr_kind)e->kind);
    const int prec = sb_expr_kind_prec((sb_expr_kind)e->kind);

    switch ((form)forms[e->kind]) {
    case LEAF:
        put_leaf(out, e);
        break;
    case PREFIX:
        sb_strbuf_puts(out, text);
        put_operand(out, e->arg[0], prec);
        break;
    case INFIX:
        put_operand(out, e->arg[0], prec);
        sb_strbuf_printf(out, " %s ", text);
        put_operand(out, e->arg[1], prec + 1);
        break;
    case CALL:
        put_call(out, e);
        break;
    case LOAD:
        sb_access_print(out, e->u.buf, e->nargs, e->arg);
        break;
    }
}

/* ---- declarations -------------------------------------------------------------------- */

void
sb_tensor_print(sb_strbuf *out, const sb_buf *b)
{
    sb_strbuf_printf(out, "$%s : %s[", b->name, sb_dtype_name(b->type));
    for (int d = 0; d < b->rank; d++) {
        if (d > 0)
            sb_strbuf_puts(out, ", ");
        if (b->axis[d])
            sb_strbuf_printf(out, "#%s", b->axis[d]->name);
        else
            sb_expr_print(out, b->extent[d]);
    }
    sb_strbuf_putc(out, ']');
}

static void
put_buf(sb_strbuf *out, const sb_buf *b)
{
    static const char *const role[] = {"in", "out", "inout", "aux", "local"};

    sb_strbuf_puts(out, "  buf ");
    sb_tensor_print(out, b);
    sb_strbuf_printf(out, " %s", role[b->role]);
    if (b->rank > 0 && b->stride[0]) {
        sb_strbuf_puts(out, " strides(");
        put_list(out, b->rank, b->stride);
        sb_strbuf_putc(out, ')');
    }
    sb_strbuf_putc(out, '\n');
}

static void
put_size(sb_strbuf *out, const char *word, const sb_expr *e)
{
    if (!e)
        return;
    sb_strbuf_printf(out, ", %s ", word);
    sb_expr_print(out, e);
}

static void
put_array(sb_strbuf *out, const char *word, const sb_buf *b)
{
    if (b)
        sb_strbuf_printf(out, ", %s $%s", word, b->name);
}

static void
put_axis(sb_strbuf *out, const sb_axis *x)
{
    static const char *const kind[] = {"dense_fixed", "dense_variable", "sparse_fixed",
                                       "sparse_variable"};

    sb_strbuf_printf(out, "  axis #%s = %s(", x->name, kind[x->kind]);
    if (x->parent)
        sb_strbuf_printf(out, "#%s, ", x->parent->name);
    sb_expr_print(out, x->length);
    put_size(out, "width", x->width);
    put_size(out, "nnz", x->nnz);
    put_array(out, "ptr", x->ptr);
    put_array(out, "end", x->end);
    put_array(out, "crd", x->crd);
    put_array(out, "val", x->val);
    sb_strbuf_putc(out, ')');
    if (x->base) {
        sb_strbuf_puts(out, " base ");
        sb_expr_print(out, x->base);
    }
    sb_strbuf_puts(out, x->sorted ? " sorted" : "");
    sb_strbuf_puts(out, x->unique ? " unique" : "");
    sb_strbuf_puts(out, x->padded ? " padded" : "");
    sb_strbuf_putc(out, '\n');
}

static int
axis_rank(const sb_prog *p, const sb_axis *x)
{
    int q = 0;

    while (q < p->naxis && p->axis[q] != x)
        q++;
    return x ? q : -1;
}

/* Does everything the buffer names stand among the first `naxis` axes? */
static bool
buf_ready(const sb_prog *p, const sb_buf *b, int naxis)
{
    for (int d = 0; d < b->rank; d++) {
        if (axis_rank(p, b->axis[d]) >= naxis)
            return false;
    }
    return true;
}

/* Buffers and axes in their own orders, merged so that each name is declared before its
 * use: a buffer as soon as it can be, else the next axis. */
static void
put_declarations(sb_strbuf *out, const sb_prog *p)
{
    int b = 0, x = 0;

    for (int q = 0; q < p->nparam; q++)
        sb_strbuf_printf(out, "  param %%%s : %s\n", p->param[q]->name,
                         sb_dtype_name(p->param[q]->type));
    while (b < p->nbuf || x < p->naxis) {
        if (b < p->nbuf && (x == p->naxis || buf_ready(p, p->buf[b], x)))
            put_buf(out, p->buf[b++]);
        else
            put_axis(out, p->axis[x++]);
    }
    for (int q = 0; q < p->nassume; q++) {
        sb_strbuf_puts(out, "  assume ");
        sb_expr_print(out, p->assume[q]);
        sb_strbuf_putc(out, '\n');
    }
}

/* ---- programs ------------------------------------------------------------------------ */

sb_status
sb_prog_print(sb_strbuf *out, const sb_prog *p)
{
    sb_strbuf_printf(out, "prog @%s stage %d {\n", p->name, p->stage);
    put_declarations(out, p);
    sb_body_print(out, p->body, 1);
    sb_strbuf_puts(out, "}\n");
    return sb_strbuf_status(out);
}

sb_status
sb_prog_hash(sb_hash *out, const sb_prog *p)
{
    const sb_hash seed = {0, 0};
    sb_strbuf text;
    sb_status st;

    *out = seed;
    sb_strbuf_init(&text);
    st = sb_prog_print(&text, p);
    if (st == SB_OK)
        *out = sb_hash_bytes(text.s, text.len, seed);
    sb_strbuf_free(&text);
    return st;
}
