/*
 * How an expression changes from one lane of a vector loop to the next. Lets of the
 * loop's body are looked at in order, so that an index built in steps is still linear.
 */
#include "compiler/emit.h"

const sb_emit_let *
sb_emit_find_let(const sb_emit *cx, const sb_var *v)
{
    for (int q = 0; q < cx->nlet; q++)
        if (cx->let[q].var == v)
            return &cx->let[q];
    return NULL;
}

static void
enter_lets(sb_emit *cx, sb_body body)
{
    for (int q = 0; q < body.n; q++) {
        const sb_stmt *st = body.at[q];

        if (st->kind == SB_STMT_IF) {
            enter_lets(cx, st->u.cond.then);
            enter_lets(cx, st->u.cond.els);
        }
        if (st->kind != SB_STMT_LET)
            continue;
        if (cx->nlet == SB_EMIT_MAX) {
            sb_emit_fail(cx, "too many lets in a vector loop");
            return;
        }
        cx->let[cx->nlet].var = st->u.let.var;
        cx->let[cx->nlet].value = st->u.let.value;
        cx->let[cx->nlet].lane = sb_emit_lane(cx, st->u.let.value);
        cx->nlet++;
    }
}

void
sb_emit_enter(sb_emit *cx, const sb_emit_loop *loop)
{
    cx->cur = loop;
    cx->nlet = 0;
    enter_lets(cx, loop->body);
}

void
sb_emit_leave(sb_emit *cx)
{
    cx->cur = NULL;
    cx->nlet = 0;
}

static sb_lane
lane_of_var(const sb_emit *cx, const sb_var *v)
{
    const sb_emit_let *let = sb_emit_find_let(cx, v);

    if (v == cx->cur->st->u.loop.var)
        return SB_LANE_LINEAR;
    return let ? let->lane : SB_LANE_UNIFORM;
}

sb_lane
sb_emit_lane(const sb_emit *cx, const sb_expr *e)
{
    sb_lane most = SB_LANE_UNIFORM;
    int nlinear = 0;

    if (e->kind == SB_EXPR_VAR)
        return lane_of_var(cx, e->u.var);
    for (int q = 0; q < e->nargs; q++) {
        const sb_lane l = sb_emit_lane(cx, e->arg[q]);

        most = l > most ? l : most;
        nlinear += l == SB_LANE_LINEAR;
    }
    if (most != SB_LANE_LINEAR)
        return most;
    if (!sb_dtype_is_int((sb_dtype)e->type))
        return SB_LANE_VARY;
    switch (e->kind) {
    case SB_EXPR_ADD:
    case SB_EXPR_SUB:
    case SB_EXPR_NEG:
        return SB_LANE_LINEAR;
    case SB_EXPR_MUL:
        return nlinear == 1 ? SB_LANE_LINEAR : SB_LANE_VARY;
    case SB_EXPR_CAST:
        return sb_dtype_is_int((sb_dtype)e->arg[0]->type) ? SB_LANE_LINEAR
                                                          : SB_LANE_VARY;
    default:
        return SB_LANE_VARY;
    }
}

bool
sb_emit_step(const sb_emit *cx, const sb_expr *e, int64_t *step)
{
    const sb_emit_let *let;
    int64_t a = 0, b = 0;

    *step = 0;
    if (sb_emit_lane(cx, e) == SB_LANE_UNIFORM)
        return true;
    switch (e->kind) {
    case SB_EXPR_VAR:
        let = sb_emit_find_let(cx, e->u.var);
        *step = 1;
        return let ? sb_emit_step(cx, let->value, step) : true;
    case SB_EXPR_CAST:
        return sb_emit_step(cx, e->arg[0], step);
    case SB_EXPR_NEG:
        if (!sb_emit_step(cx, e->arg[0], &a))
            return false;
        *step = -a;
        return true;
    case SB_EXPR_ADD:
    case SB_EXPR_SUB:
        if (!sb_emit_step(cx, e->arg[0], &a) || !sb_emit_step(cx, e->arg[1], &b))
            return false;
        *step = e->kind == SB_EXPR_ADD ? a + b : a - b;
        return true;
    case SB_EXPR_MUL:
        if (e->arg[1]->kind == SB_EXPR_INT && sb_emit_step(cx, e->arg[0], &a)) {
            *step = a * e->arg[1]->u.i;
            return true;
        }
        if (e->arg[0]->kind == SB_EXPR_INT && sb_emit_step(cx, e->arg[1], &b)) {
            *step = b * e->arg[0]->u.i;
            return true;
        }
        return false;
    default:
        return false;
    }
}

bool
sb_emit_multiple(const sb_emit *cx, const sb_expr *e, int64_t d)
{
    const sb_emit_let *let;

    switch (e->kind) {
    case SB_EXPR_INT:
        return e->u.i % d == 0;
    case SB_EXPR_VAR:
        let = sb_emit_find_let(cx, e->u.var);
        return e->u.var == cx->cur->st->u.loop.var ||
               (let && sb_emit_multiple(cx, let->value, d));
    case SB_EXPR_CAST:
    case SB_EXPR_NEG:
        return sb_emit_multiple(cx, e->arg[0], d);
    case SB_EXPR_ADD:
    case SB_EXPR_SUB:
        return sb_emit_multiple(cx, e->arg[0], d) && sb_emit_multiple(cx, e->arg[1], d);
    case SB_EXPR_MUL:
        return sb_emit_multiple(cx, e->arg[0], d) || sb_emit_multiple(cx, e->arg[1], d);
    default:
        return false;
    }
}

void
sb_emit_step_text(sb_emit *cx, const sb_expr *e)
{
    const sb_emit_let *let;
    const sb_expr *a = e->nargs > 0 ? e->arg[0] : NULL;
    const sb_expr *b = e->nargs > 1 ? e->arg[1] : NULL;
    int64_t step;

    if (sb_emit_step(cx, e, &step)) {
        sb_strbuf_i64(cx->out, step);
    } else if (e->kind == SB_EXPR_VAR) {
        let = sb_emit_find_let(cx, e->u.var);
        if (let)
            sb_emit_step_text(cx, let->value);
    } else if (e->kind == SB_EXPR_CAST) {
        sb_emit_step_text(cx, a);
    } else if (e->kind == SB_EXPR_NEG) {
        sb_strbuf_puts(cx->out, "-(");
        sb_emit_step_text(cx, a);
        sb_strbuf_puts(cx->out, ")");
    } else if (e->kind == SB_EXPR_MUL) {
        const bool first = sb_emit_lane(cx, a) == SB_LANE_LINEAR;

        sb_emit_expr(cx, first ? b : a, 8);
        if (sb_emit_step(cx, first ? a : b, &step) && step == 1)
            return;
        sb_strbuf_puts(cx->out, " * (");
        sb_emit_step_text(cx, first ? a : b);
        sb_strbuf_puts(cx->out, ")");
    } else if (sb_emit_lane(cx, b) == SB_LANE_UNIFORM) {
        sb_emit_step_text(cx, a);
    } else if (sb_emit_lane(cx, a) == SB_LANE_UNIFORM && e->kind == SB_EXPR_ADD) {
        sb_emit_step_text(cx, b);
    } else {
        sb_strbuf_puts(cx->out, "(");
        sb_emit_step_text(cx, a);
        sb_strbuf_puts(cx->out, e->kind == SB_EXPR_ADD ? ") + (" : ") - (");
        sb_emit_step_text(cx, b);
        sb_strbuf_puts(cx->out, ")");
    }
}
