/*
 * Named addresses. The loads of a vector loop that move by one element a lane start from
 * an address in one register: SBK_BASE keeps the C compiler from addressing each of them
 * by two, which some processors split into two operations. And what calls for loops share
 * (emit_rows.c, emit_diags.c): a loop's note, an offset as an argument.
 */
#include "compiler/emit.h"

#include "compiler/affine.h"
#include "compiler/rewrite.h"

#include <string.h>

/* Whether the address of lane 0 may be computed before the loop: of an input, from
 * nothing the loop binds, without a load that might not be due. */
static bool
nameable(const sb_emit *cx, const sb_buf *b, const sb_expr *idx)
{
    int64_t step;

    if (b->role != SB_BUF_IN || !sb_emit_step(cx, idx, &step) || step != 1 ||
        idx->kind == SB_EXPR_VAR || sb_expr_loads(idx, NULL))
        return false;
    for (int q = 0; q < cx->nlet; q++)
        if (sb_emit_expr_has(idx, cx->let[q].var))
            return false;
    return true;
}

static void
find_bases(sb_emit *cx, const sb_expr *e)
{
    const sb_expr *idx = e->kind == SB_EXPR_LOAD ? e->arg[0] : NULL;
    bool known = !idx || cx->nbase == SB_EMIT_BASES || !nameable(cx, e->u.buf, idx);

    for (int q = 0; q < cx->nbase; q++)
        known |= cx->base[q].buf == e->u.buf && cx->base[q].idx == idx;
    if (!known) {
        cx->base[cx->nbase].buf = e->u.buf;
        cx->base[cx->nbase++].idx = idx;
    }
    for (int q = 0; q < e->nargs; q++)
        find_bases(cx, e->arg[q]);
}

bool
sb_emit_bases(sb_emit *cx)
{
    const sb_body body = cx->cur->body;

    for (int q = 0; q < body.n; q++)
        if (body.at[q]->kind == SB_STMT_STORE)
            find_bases(cx, body.at[q]->u.store.value);
    if (cx->nbase == 0)
        return false;
    sb_emit_line(cx);
    sb_strbuf_puts(cx->out, "{\n");
    cx->indent++;
    for (int q = 0; q < cx->nbase; q++) {
        sb_emit_line(cx);
        sb_strbuf_printf(cx->out, "const %s *const b%d_ = SBK_BASE(",
                         sb_emit_ctype((sb_dtype)cx->base[q].buf->type), q);
        sb_emit_buf(cx, cx->base[q].buf);
        sb_strbuf_puts(cx->out, " + ");
        cx->at_zero = true;
        sb_emit_expr(cx, cx->base[q].idx, 7);
        cx->at_zero = false;
        sb_strbuf_puts(cx->out, ");\n");
    }
    return true;
}

bool
sb_emit_noted(const sb_stmt *loop, const char *key)
{
    for (int q = 0; q < loop->u.loop.nnote; q++)
        if (strcmp(loop->u.loop.note[q].key, key) == 0)
            return true;
    return false;
}

const sb_expr *
sb_emit_offset_of(const sb_expr *e)
{
    while (e->kind == SB_EXPR_SUB || e->kind == SB_EXPR_ADD)
        e = e->arg[0];
    return e;
}

void
sb_emit_offset(sb_emit *cx, const char *before, const sb_expr *e, int prec)
{
    e = e ? sb_expr_simplify(cx->ir, sb_expr_i64(cx->ir, e)) : NULL;
    sb_strbuf_puts(cx->out, before);
    if (e)
        sb_emit_expr(cx, e, prec);
    else
        cx->st = SB_ENOMEM;
}
