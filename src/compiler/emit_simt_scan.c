/*
 * How a program is spread over a GPU: which numbers its notes give, which vector loops and
 * locals go to lanes, and that nobody needs what another stores.
 */
#include "compiler/emit_simt.h"
#include "compiler/rewrite.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 128, THREADS_MAX = 1024, WARP = 32 };

static const char *
note(const sb_stmt *loop, const char *key)
{
    for (int q = 0; q < loop->u.loop.nnote; q++)
        if (strcmp(loop->u.loop.note[q].key, key) == 0)
            return loop->u.loop.note[q].value;
    return NULL;
}

bool
sb_simt_bound_to(const sb_stmt *loop, const char *name)
{
    const char *promised = note(loop, "bind");

    return (loop->u.loop.bind && strcmp(loop->u.loop.bind, name) == 0) ||
           (promised && strcmp(promised, name) == 0);
}

const char *
sb_simt_together(const sb_stmt *loop)
{
    const char *n = note(loop, "together");

    return !n ? NULL : atoi(n) == 1 ? "SBG_ROLLED" : "SBG_UNROLL_4";
}

static void
take_number(sb_emit *cx, int *out, int was, const char *text)
{
    const int v = text ? atoi(text) : 0;

    if (!text)
        return;
    if (v < 1 || v > THREADS_MAX || (v & (v - 1)) != 0 || (*out != was && *out != v))
        sb_emit_fail(cx, "lanes and threads are one power of two each");
    *out = v;
}

static void
ask_loop(void *user, const sb_stmt *st)
{
    sb_emit *cx = user;

    if (st->kind != SB_STMT_FOR)
        return;
    for (int n = 2; n <= WARP && st->u.loop.how == SB_LOOP_VECTOR; n *= 2)
        if (st->u.loop.lanes % n == 0 && n > cx->simt->widest)
            cx->simt->widest = n;
    take_number(cx, &cx->simt->lanes, 0, note(st, "lanes"));
    take_number(cx, &cx->simt->threads, 0, note(st, "threads"));
    take_number(cx, &cx->simt->vec, 0, note(st, "vec"));
    if (note(st, "resident"))
        cx->simt->resident = atoi(note(st, "resident"));
    if (cx->simt->resident % WARP != 0)
        sb_emit_fail(cx, "threads that are resident are whole warps");
    cx->simt->tested |= note(st, "tested") != NULL;
    cx->simt->column_loops |= sb_simt_bound_to(st, "block_y");
}

/* Whether a local can lie in lanes: from a multiple of the group's elements on, or all of
 * it in the first lanes of a group that has more. */
static bool
in_lanes(const sb_emit *cx, const sb_emit_local *l)
{
    return l->cls.lanes == cx->width || l->cls.lanes == l->buf->extent[0]->u.i;
}

/* Whether a vector loop needs all of a local that is not in its lanes. */
typedef struct demand {
    sb_emit *cx;
    sb_emit_loop *loop;
    bool whole;
} demand;

static void
ask_local(demand *d, const sb_buf *b, const sb_expr *idx, bool stored)
{
    const sb_emit_local *l = sb_emit_find_local(d->cx, b);
    const bool moves = sb_emit_lane(d->cx, idx) != SB_LANE_UNIFORM;

    if (!l || b->shared)
        return;
    if (l->vector)
        d->whole |= !moves || !in_lanes(d->cx, l);
    else
        d->whole |= stored || moves;
}

static void
ask_expr(demand *d, const sb_expr *e)
{
    if (e->kind == SB_EXPR_LOAD)
        ask_local(d, e->u.buf, e->arg[0], false);
    for (int q = 0; q < e->nargs; q++)
        ask_expr(d, e->arg[q]);
}

static void
ask_stmt(void *user, const sb_stmt *st)
{
    demand *d = user;

    if (st->kind == SB_STMT_STORE) {
        ask_local(d, st->u.store.buf, st->u.store.idx[0], true);
        ask_expr(d, st->u.store.idx[0]);
        ask_expr(d, st->u.store.value);
    } else if (st->kind == SB_STMT_LET) {
        ask_expr(d, st->u.let.value);
    } else if (st->kind == SB_STMT_IF) {
        ask_expr(d, st->u.cond.cond);
    }
}

static void
keep_whole(void *user, const sb_stmt *st)
{
    sb_emit *cx = user;
    sb_emit_local *l =
        st->kind == SB_STMT_STORE ? sb_emit_find_local(cx, st->u.store.buf) : NULL;

    if (l)
        l->vector = false;
}

/* A loop that cannot be spread is run by every lane, and what it stores to is then every
 * lane's own; until no other loop is touched by that. */
static void
settle(sb_emit *cx)
{
    bool changed;

    do {
        changed = false;
        for (int q = 0; q < cx->nloop; q++) {
            sb_emit_loop *loop = &cx->loop[q];
            demand d = {cx, loop, false};

            if (!loop->vector)
                continue;
            if (loop->fold) {
                const sb_emit_local *l =
                    sb_emit_find_local(cx, loop->st->u.loop.body.at[0]->u.store.buf);

                d.whole = !l->vector || !in_lanes(cx, l) || cx->simt->vec > 1;
            } else {
                sb_emit_enter(cx, loop);
                sb_body_stmts(loop->st->u.loop.body, ask_stmt, &d);
                sb_emit_leave(cx);
            }
            if (!d.whole)
                continue;
            loop->vector = false;
            sb_body_stmts(loop->st->u.loop.body, keep_whole, cx);
            changed = true;
        }
    } while (changed);
}

static bool
reads(const sb_expr *e, const sb_buf *b)
{
    if (e->kind == SB_EXPR_LOAD && e->u.buf == b)
        return true;
    for (int q = 0; q < e->nargs; q++)
        if (reads(e->arg[q], b))
            return true;
    return false;
}

/* Whoever stores an element is the only one who reads it: only then no barrier is due. */
static void
check_reads(void *user, const sb_stmt *st)
{
    sb_emit *cx = user;

    for (int q = 0; q < cx->prog->nbuf; q++) {
        const sb_buf *b = cx->prog->buf[q];
        const bool written = b->role == SB_BUF_OUT || b->role == SB_BUF_INOUT;
        bool bad = false;

        if (!written)
            continue;
        if (st->kind == SB_STMT_LET)
            bad = reads(st->u.let.value, b);
        else if (st->kind == SB_STMT_IF)
            bad = reads(st->u.cond.cond, b);
        else if (st->kind == SB_STMT_FOR)
            bad = reads(st->u.loop.lo, b) || reads(st->u.loop.hi, b);
        else if (st->kind == SB_STMT_STORE && st->u.store.buf != b)
            bad = reads(st->u.store.value, b);
        if (bad)
            sb_emit_fail(cx, "one thread would read what another stores");
    }
}

void
sb_simt_scan(sb_emit *cx)
{
    sb_emit_simt *s = cx->simt;

    s->widest = 1;
    sb_body_stmts(cx->prog->body, ask_loop, cx);
    s->threads = s->threads ? s->threads : THREADS;
    s->lanes = s->lanes ? s->lanes : s->widest;
    s->vec = s->vec ? s->vec : 1;
    if (s->lanes > WARP || s->lanes > s->threads)
        sb_emit_fail(cx, "a group has more lanes than a warp or a block");
    sb_body_stmts(cx->prog->body, check_reads, cx);
    cx->width = s->lanes * s->vec;
    if (cx->st == SB_OK)
        sb_emit_scan(cx);
    if (cx->st == SB_OK)
        settle(cx);
    if (cx->st == SB_OK)
        sb_simt_lane_scan(cx);
    if (cx->st == SB_OK)
        sb_simt_shared_scan(cx);
}
