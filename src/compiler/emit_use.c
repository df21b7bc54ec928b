/*
 * Which variables and buffers a program reads, so that the C text declares no unused
 * ones. A let counts only if something that counts reads it.
 */
#include "compiler/emit.h"

bool
sb_emit_is_used(const sb_emit *cx, const void *p)
{
    for (int q = 0; q < cx->nused; q++)
        if (cx->used[q] == p)
            return true;
    return false;
}

static void
mark(sb_emit *cx, const void *p)
{
    if (sb_emit_is_used(cx, p))
        return;
    if (cx->nused == 2 * SB_EMIT_MAX)
        sb_emit_fail(cx, "too many variables");
    else
        cx->used[cx->nused++] = p;
}

static void
mark_expr(sb_emit *cx, const sb_expr *e)
{
    if (e->kind == SB_EXPR_VAR)
        mark(cx, e->u.var);
    if (e->kind == SB_EXPR_LOAD || sb_expr_is_search(e))
        mark(cx, e->u.buf);
    for (int q = 0; q < e->nargs; q++)
        mark_expr(cx, e->arg[q]);
}

static void mark_body(sb_emit *cx, sb_body body);

static void
mark_stmt(sb_emit *cx, const sb_stmt *st)
{
    switch ((sb_stmt_kind)st->kind) {
    case SB_STMT_FOR:
        mark_expr(cx, st->u.loop.lo);
        mark_expr(cx, st->u.loop.hi);
        if (!cx->simt && sb_emit_few_end(st))
            mark_expr(cx, sb_emit_few_end(st));
        mark_body(cx, st->u.loop.body);
        break;
    case SB_STMT_LET:
        if (sb_emit_is_used(cx, st->u.let.var))
            mark_expr(cx, st->u.let.value);
        break;
    case SB_STMT_STORE:
        mark(cx, st->u.store.buf);
        mark_expr(cx, st->u.store.value);
        for (int q = 0; q < st->u.store.n; q++)
            mark_expr(cx, st->u.store.idx[q]);
        break;
    case SB_STMT_IF:
        mark_expr(cx, st->u.cond.cond);
        mark_body(cx, st->u.cond.then);
        mark_body(cx, st->u.cond.els);
        break;
    case SB_STMT_PREFETCH:
        mark(cx, st->u.prefetch.buf);
        for (int q = 0; q < st->u.prefetch.n; q++)
            mark_expr(cx, st->u.prefetch.idx[q]);
        break;
    case SB_STMT_BLOCK:
        mark_body(cx, st->u.block.body);
        break;
    case SB_STMT_LOCAL:
        break;
    case SB_STMT_ITER:
        sb_emit_fail(cx, "a sparse iteration in a stage III program");
        break;
    }
}

/* Backwards, so that a let is seen after its readers. */
static void
mark_body(sb_emit *cx, sb_body body)
{
    for (int q = body.n - 1; q >= 0; q--)
        mark_stmt(cx, body.at[q]);
}

void
sb_emit_mark_uses(sb_emit *cx)
{
    mark_body(cx, cx->prog->body);
}

bool
sb_emit_expr_has(const sb_expr *e, const sb_var *v)
{
    if (e->kind == SB_EXPR_VAR && e->u.var == v)
        return true;
    for (int q = 0; q < e->nargs; q++)
        if (sb_emit_expr_has(e->arg[q], v))
            return true;
    return false;
}
