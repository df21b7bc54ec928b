/*
 * Canonical text of statements, declared in print.h.
 */
#include "compiler/print.h"

static void
indent(sb_strbuf *out, int level)
{
    for (int q = 0; q < level; q++)
        sb_strbuf_puts(out, "  ");
}

/* { ... } with the closing brace at `level`. */
static void
put_braces(sb_strbuf *out, sb_body b, int level)
{
    sb_strbuf_puts(out, " {\n");
    sb_body_print(out, b, level + 1);
    indent(out, level);
    sb_strbuf_putc(out, '}');
}

static void
put_iterators(sb_strbuf *out, int n, const sb_iter *it)
{
    for (int q = 0; q < n; q++) {
        const int g = it[q].group;
        const bool opens = g && (q == 0 || it[q - 1].group != g);
        const bool closes = g && (q == n - 1 || it[q + 1].group != g);

        sb_strbuf_printf(out, "%s%s%%%s : %c #%s", q > 0 ? ", " : "", opens ? "{" : "",
                         it[q].var->name, it[q].reduce ? 'R' : 'S', it[q].axis->name);
        if (it[q].with)
            sb_strbuf_printf(out, " & #%s", it[q].with->name);
        sb_strbuf_puts(out, closes ? "}" : "");
    }
}

static void
put_iter(sb_strbuf *out, const sb_stmt *s, int level)
{
    const sb_body init = s->u.iter.init;

    sb_strbuf_printf(out, "iter %s (", s->u.iter.name);
    put_iterators(out, s->u.iter.n, s->u.iter.it);
    sb_strbuf_puts(out, ") {\n");
    if (init.n > 0) {
        indent(out, level + 1);
        sb_strbuf_puts(out, "init");
        if (init.n == 1 && init.at[0]->kind == SB_STMT_STORE) {
            sb_strbuf_putc(out, ' ');
            sb_stmt_print(out, init.at[0], level + 1);
        } else {
            put_braces(out, init, level + 1);
        }
        sb_strbuf_putc(out, '\n');
    }
    sb_body_print(out, s->u.iter.body, level + 1);
    indent(out, level);
    sb_strbuf_putc(out, '}');
}

static void
put_for(sb_strbuf *out, const sb_stmt *s, int level)
{
    static const char *const how[] = {"", " parallel", " unroll", " vector"};
    const sb_var *v = s->u.loop.var;

    sb_strbuf_printf(out, "for %%%s", v->name);
    if (v->type != SB_I64)
        sb_strbuf_printf(out, " : %s", sb_dtype_name(v->type));
    sb_strbuf_puts(out, " in ");
    sb_expr_print(out, s->u.loop.lo);
    sb_strbuf_puts(out, " .. ");
    sb_expr_print(out, s->u.loop.hi);
    sb_strbuf_puts(out, how[s->u.loop.how]);
    if (s->u.loop.how == SB_LOOP_VECTOR)
        sb_strbuf_printf(out, "(%d)", s->u.loop.lanes);
    sb_strbuf_puts(out, s->u.loop.reduce ? " reduce" : "");
    if (s->u.loop.bind)
        sb_strbuf_printf(out, " bind(%s)", s->u.loop.bind);
    for (int q = 0; q < s->u.loop.nnote; q++)
        sb_strbuf_printf(out, " note(%s, %s)", s->u.loop.note[q].key,
                         s->u.loop.note[q].value);
    put_braces(out, s->u.loop.body, level);
}

static void
put_if(sb_strbuf *out, const sb_stmt *s, int level)
{
    sb_strbuf_puts(out, "if ");
    sb_expr_print(out, s->u.cond.cond);
    put_braces(out, s->u.cond.then, level);
    if (s->u.cond.els.n > 0) {
        sb_strbuf_puts(out, " else");
        put_braces(out, s->u.cond.els, level);
    }
}

static void
put_store(sb_strbuf *out, const sb_stmt *s)
{
    static const char *const op[] = {"=", "+=", "min=", "max="};

    sb_access_print(out, s->u.store.buf, s->u.store.n, s->u.store.idx);
    sb_strbuf_printf(out, " %s ", op[s->u.store.op]);
    sb_expr_print(out, s->u.store.value);
    sb_strbuf_puts(out, s->u.store.stream ? " stream" : "");
    sb_strbuf_puts(out, s->u.store.atomic ? " atomic" : "");
}

void
sb_stmt_print(sb_strbuf *out, const sb_stmt *s, int level)
{
    switch ((sb_stmt_kind)s->kind) {
    case SB_STMT_ITER:
        put_iter(out, s, level);
        break;
    case SB_STMT_BLOCK:
        sb_strbuf_printf(out, "%s %s", s->u.block.tensor ? "tensor" : "block",
                         s->u.block.name);
        put_braces(out, s->u.block.body, level);
        break;
    case SB_STMT_FOR:
        put_for(out, s, level);
        break;
    case SB_STMT_LET:
        sb_strbuf_printf(out, "let %%%s : %s = ", s->u.let.var->name,
                         sb_dtype_name(s->u.let.var->type));
        sb_expr_print(out, s->u.let.value);
        break;
    case SB_STMT_LOCAL:
        sb_strbuf_puts(out, "local ");
        sb_tensor_print(out, s->u.local.buf);
        sb_strbuf_puts(out, s->u.local.buf->shared ? " shared" : "");
        break;
    case SB_STMT_STORE:
        put_store(out, s);
        break;
    case SB_STMT_IF:
        put_if(out, s, level);
        break;
    case SB_STMT_PREFETCH:
        sb_strbuf_puts(out, s->u.prefetch.far ? "prefetch far " : "prefetch ");
        sb_access_print(out, s->u.prefetch.buf, s->u.prefetch.n, s->u.prefetch.idx);
        break;
    }
}

void
sb_body_print(sb_strbuf *out, sb_body b, int level)
{
    for (int q = 0; q < b.n; q++) {
        indent(out, level);
        sb_stmt_print(out, b.at[q], level);
        sb_strbuf_putc(out, '\n');
    }
}
