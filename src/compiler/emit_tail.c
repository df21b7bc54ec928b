/*
 * Tiles that are cut short. Where a body adds up the lanes of a vector loop that may lack
 * some, in a loop over entries, it is written once for each number of vectors, so that no
 * entry asks which of them there are:
 *
 *   local $acc[64];  for %p in .. { for %c in 0 .. n & 63 vector(64) { $acc[%c] += .. } }
 *   -> for (int w_ = 1; w_ <= 64 / N; w_++) {       unrolled
 *          if (!SBK_TAIL(n & 63, N, w_, 1)) continue;
 *          the body, w_ - 1 vectors whole and one masked
 *      }
 *
 * In a copy of the kernel that SBK_CUTS calls (emit_c.c) w_ is known, and the body written once.
 */
#include "compiler/emit.h"

#define TAIL_BYTES 128 /* of sums, two registers of the widest: from here on */

typedef struct tail {
    const sb_emit_loop *lanes; /* the first; all others are as long */
    bool inner;                /* one of them is in a loop */
    bool other;                /* something is not as it must be */
} tail;

static void look(tail *t, sb_emit *cx, sb_body body, bool inner);

/* A loop with lanes that may be missing. */
static void
masked(tail *t, const sb_emit_loop *l, bool inner)
{
    const sb_stmt *st = l->st, *first = t->lanes ? t->lanes->st : st;

    if (!t->lanes)
        t->lanes = l;
    t->inner |= inner;
    t->other |= st->u.loop.hi != first->u.loop.hi ||
                st->u.loop.lanes != first->u.loop.lanes || l->guard ||
                l->cls.bytes != t->lanes->cls.bytes ||
                l->cls.lanes != t->lanes->cls.lanes ||
                st->u.loop.lo->kind != SB_EXPR_INT || st->u.loop.lo->u.i != 0;
}

static void
look_loop(tail *t, sb_emit *cx, const sb_stmt *st, bool inner)
{
    const sb_emit_loop *l = sb_emit_find_loop(cx, st);

    if (l && l->vector && l->masked && l->global)
        masked(t, l, inner);
    else if (l && l->vector)
        t->other |= l->global;
    else
        look(t, cx, st->u.loop.body, true);
}

/* What only asks for lines has no columns to tell apart. */
static bool
only_asks(sb_body b)
{
    for (int q = 0; q < b.n; q++) {
        const sb_stmt *st = b.at[q];
        const bool asks = st->kind == SB_STMT_PREFETCH ||
                          (st->kind == SB_STMT_FOR && only_asks(st->u.loop.body)) ||
                          (st->kind == SB_STMT_IF && only_asks(st->u.cond.then) &&
                           only_asks(st->u.cond.els));

        if (!asks)
            return false;
    }
    return true;
}

/* Memory is written by the masked loops alone, which may be passed over where no column is. */
static void
look(tail *t, sb_emit *cx, sb_body body, bool inner)
{
    for (int q = 0; q < body.n && !t->other; q++) {
        const sb_stmt *st = body.at[q];

        if (st->kind == SB_STMT_FOR)
            look_loop(t, cx, st, inner);
        else if (st->kind == SB_STMT_STORE)
            t->other = st->u.store.buf->role != SB_BUF_LOCAL;
        else if (st->kind == SB_STMT_IF || st->kind == SB_STMT_BLOCK)
            t->other = !only_asks((sb_body){1, &body.at[q]});
    }
}

/* Whether the value of e is known before the body: nothing in it is made there. */
static bool
known_before(const sb_expr *e, sb_body body)
{
    for (int q = 0; q < body.n; q++) {
        const sb_stmt *st = body.at[q];

        if (st->kind == SB_STMT_LET && sb_emit_expr_has(e, st->u.let.var))
            return false;
        if (st->kind == SB_STMT_FOR &&
            (sb_emit_expr_has(e, st->u.loop.var) || !known_before(e, st->u.loop.body)))
            return false;
    }
    return true;
}

static bool
declares_sums(const sb_emit *cx, sb_body body)
{
    for (int q = 0; q < body.n; q++) {
        const sb_emit_local *l = body.at[q]->kind == SB_STMT_LOCAL
                                     ? sb_emit_find_local(cx, body.at[q]->u.local.buf)
                                     : NULL;

        if (l && l->vector)
            return true;
    }
    return false;
}

/* 64 / SBK_N4_16 */
static void
put_vectors(sb_emit *cx, const sb_emit_loop *l)
{
    sb_strbuf_i64(cx->out, l->st->u.loop.lanes);
    sb_strbuf_puts(cx->out, " / ");
    sb_emit_lanes(cx, l->cls);
}

static void
put_step(sb_emit *cx, const sb_emit_loop *l)
{
    if (cx->cut) {
        sb_strbuf_puts(cx->out, "1");
        return;
    }
    sb_strbuf_puts(cx->out, "SBK_TAIL_STEP(");
    put_vectors(cx, l);
    sb_strbuf_puts(cx->out, ")");
}

void
sb_emit_tail_test(sb_emit *cx, bool whole)
{
    sb_strbuf_puts(cx->out, whole ? "SBK_TAIL_WHOLE(" : "SBK_TAIL_PART(");
    sb_emit_lane_var(cx);
    sb_strbuf_puts(cx->out, ", ");
    sb_emit_lane_var(cx);
    sb_strbuf_puts(cx->out, "_hi_, ");
    sb_emit_lanes(cx, cx->tail->cls);
    sb_strbuf_puts(cx->out, ", w_, ");
    put_step(cx, cx->tail);
    sb_strbuf_puts(cx->out, ")");
}

static void
put_header(sb_emit *cx, const sb_emit_loop *l)
{
    sb_emit_line(cx);
    sb_strbuf_puts(cx->out, "SBK_UNROLL\n");
    sb_emit_line(cx);
    sb_strbuf_puts(cx->out, "for (int w_ = ");
    put_step(cx, l);
    sb_strbuf_puts(cx->out, "; w_ <= ");
    put_vectors(cx, l);
    sb_strbuf_puts(cx->out, "; w_ += ");
    put_step(cx, l);
    sb_strbuf_puts(cx->out, ") {\n");
    cx->indent++;
    sb_emit_line(cx);
    sb_strbuf_puts(cx->out, "if (!SBK_TAIL(");
    sb_emit_expr(cx, l->st->u.loop.hi, 0);
    sb_strbuf_puts(cx->out, ", ");
    sb_emit_lanes(cx, l->cls);
    sb_strbuf_puts(cx->out, ", w_, ");
    put_step(cx, l);
    sb_strbuf_puts(cx->out, "))\n");
    cx->indent++;
    sb_emit_line(cx);
    sb_strbuf_puts(cx->out, "continue;\n");
    cx->indent--;
}

/* Of a copy that knows how many vectors there are. */
static void
put_brace(sb_emit *cx)
{
    sb_emit_line(cx);
    sb_strbuf_puts(cx->out, "{\n");
    cx->indent++;
}

bool
sb_emit_tail(sb_emit *cx, sb_body body)
{
    tail t = {0};

    if (cx->simt || cx->tail || cx->cur || !declares_sums(cx, body))
        return false;
    look(&t, cx, body, false);
    if (!t.lanes || !t.inner || t.other ||
        (!cx->cut && t.lanes->st->u.loop.lanes * t.lanes->cls.bytes < TAIL_BYTES) ||
        !known_before(t.lanes->st->u.loop.hi, body))
        return false;
    if (cx->cut)
        put_brace(cx);
    else
        put_header(cx, t.lanes);
    cx->tail = t.lanes;
    sb_emit_body(cx, body);
    cx->tail = NULL;
    cx->indent--;
    sb_emit_line(cx);
    sb_strbuf_puts(cx->out, "}\n");
    return true;
}
