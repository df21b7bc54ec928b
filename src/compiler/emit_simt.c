/*
 * What the GPU's dialect writes its own way; emit_simt.h says how a program is spread
 * over the machine.
 */
#include "compiler/emit_simt.h"

#include "base/fault.h"
#include "compiler/rewrite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 128, THREADS_MAX = 1024, WARP = 32 };

/* ---- what is spread over lanes ------------------------------------------------------ */

static const char *
note(const sb_stmt *loop, const char *key)
{
    for (int q = 0; q < loop->u.loop.nnote; q++)
        if (strcmp(loop->u.loop.note[q].key, key) == 0)
            return loop->u.loop.note[q].value;
    return NULL;
}

/* The index a loop is bound to: proved by `bind`, or promised by a note of that name,
 * where rows are listed and only the list's maker knows that no row is listed twice. */
static bool
bound_to(const sb_stmt *loop, const char *name)
{
    const char *promised = note(loop, "bind");

    return (loop->u.loop.bind && strcmp(loop->u.loop.bind, name) == 0) ||
           (promised && strcmp(promised, name) == 0);
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
    take_number(cx, &cx->simt->lanes, 0, note(st, "lanes"));
    take_number(cx, &cx->simt->threads, 0, note(st, "threads"));
    cx->simt->row_loops |= bound_to(st, "thread_y");
    cx->simt->column_loops |= bound_to(st, "block_y");
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

    if (!l)
        return;
    if (l->vector)
        d->whole |= !moves || l->cls.lanes != d->cx->simt->lanes;
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

                d.whole = !l->vector || l->cls.lanes != cx->simt->lanes;
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

    sb_body_stmts(cx->prog->body, ask_loop, cx);
    s->threads = s->threads ? s->threads : THREADS;
    s->lanes = s->lanes ? s->lanes : WARP;
    if (s->lanes > WARP || s->lanes > s->threads)
        sb_emit_fail(cx, "a group has more lanes than a warp or a block");
    sb_body_stmts(cx->prog->body, check_reads, cx);
    cx->width = s->lanes;
    if (cx->st == SB_OK)
        sb_emit_scan(cx);
    if (cx->st == SB_OK)
        settle(cx);
}

/* ---- loops -------------------------------------------------------------------------- */

static void
open_brace(sb_emit *cx)
{
    sb_strbuf_puts(cx->out, "{\n");
    cx->indent++;
}

static void
close_brace(sb_emit *cx)
{
    cx->indent--;
    sb_emit_line(cx);
    sb_strbuf_puts(cx->out, "}\n");
}

static bool
is_zero(const sb_expr *e)
{
    return e->kind == SB_EXPR_INT && e->u.i == 0;
}

/* for (int64_t i = FIRST; i < hi; i += STEP) */
static void
strided(sb_emit *cx, const sb_stmt *st, const char *first, const char *step)
{
    const bool cyclic = bound_to(st, "block_y");

    sb_emit_line(cx);
    sb_strbuf_printf(cx->out, "for (%s ", sb_emit_ctype(st->u.loop.var->type));
    sb_emit_var(cx, st->u.loop.var);
    sb_strbuf_puts(cx->out, cyclic ? " = sbg_first(" : " = ");
    if (cyclic || !is_zero(st->u.loop.lo)) {
        sb_emit_expr(cx, st->u.loop.lo, cyclic ? 0 : 6);
        sb_strbuf_puts(cx->out, cyclic ? ", " : " + ");
    }
    sb_strbuf_printf(cx->out, cyclic ? "%s); " : "%s; ", first);
    sb_emit_var(cx, st->u.loop.var);
    sb_strbuf_puts(cx->out, " < ");
    sb_emit_expr(cx, st->u.loop.hi, 6);
    sb_strbuf_puts(cx->out, "; ");
    sb_emit_var(cx, st->u.loop.var);
    sb_strbuf_printf(cx->out, " += %s) ", step);
    open_brace(cx);
    sb_emit_body(cx, st->u.loop.body);
    close_brace(cx);
}

/* The outermost loop: over tiles, or, in a program without, over what is independent,
 * which goes to all groups of the grid. */
static void
outermost(sb_emit *cx, const sb_stmt *st)
{
    sb_emit_simt *s = cx->simt;
    const bool groups = !cx->tiled && !bound_to(st, "block_x");
    char first[64], step[64];

    (void)snprintf(first, sizeof first, "SBG_BX * %d + y_", s->threads / s->lanes);
    (void)snprintf(step, sizeof step, "SBG_GX * %d", s->threads / s->lanes);
    s->in_block = true;
    s->in_row = groups;
    strided(cx, st, groups ? first : "SBG_BX", groups ? step : "SBG_GX");
    s->in_block = s->in_row = false;
}

/* x[l] += x[l + h] for l below h, where both are with one lane or all in one slot. */
static void
fold(sb_emit *cx, const sb_emit_loop *loop)
{
    const sb_buf *b = loop->st->u.loop.body.at[0]->u.store.buf;
    const char *type = sb_dtype_name((sb_dtype)b->type);
    const bool z = sb_dtype_is_complex((sb_dtype)b->type);

    sb_emit_line(cx);
    open_brace(cx);
    sb_emit_line(cx);
    sb_strbuf_printf(cx->out, "const %s other_ = SBG_DOWN(%s, ",
                     sb_emit_ctype((sb_dtype)b->type), type);
    sb_emit_buf(cx, b);
    sb_strbuf_printf(cx->out, "[0], %d, %d);\n", loop->fold, cx->simt->lanes);
    sb_emit_line(cx);
    sb_strbuf_printf(cx->out, "if (x_ < %d) ", loop->fold);
    sb_emit_buf(cx, b);
    if (z) {
        sb_strbuf_printf(cx->out, "[0] = sbk_add_%s(", type);
        sb_emit_buf(cx, b);
    }
    sb_strbuf_puts(cx->out, z ? "[0], other_);\n" : "[0] += other_;\n");
    close_brace(cx);
}

/* for (int c_q_ = 0; c_q_ < slots; c_q_++) { const int64_t c = lo + c_q_ * lanes + x_; */
static void
spread_header(sb_emit *cx, const sb_stmt *st)
{
    const sb_emit_simt *s = cx->simt;

    sb_emit_line(cx);
    if (s->slots > 1) {
        sb_strbuf_puts(cx->out, "SBG_UNROLL\n");
        sb_emit_line(cx);
        sb_strbuf_puts(cx->out, "for (int ");
        sb_emit_lane_var(cx);
        sb_strbuf_puts(cx->out, "_q_ = 0; ");
        sb_emit_lane_var(cx);
        sb_strbuf_printf(cx->out, "_q_ < %d; ", s->slots);
        sb_emit_lane_var(cx);
        sb_strbuf_puts(cx->out, "_q_++) ");
    }
    open_brace(cx);
    sb_emit_line(cx);
    sb_strbuf_printf(cx->out, "const %s ", sb_emit_ctype(st->u.loop.var->type));
    sb_emit_lane_var(cx);
    sb_strbuf_puts(cx->out, " SBK_UNUSED = ");
    if (!is_zero(st->u.loop.lo)) {
        sb_emit_expr(cx, st->u.loop.lo, 6);
        sb_strbuf_puts(cx->out, " + ");
    }
    if (s->slots > 1) {
        sb_emit_lane_var(cx);
        sb_strbuf_printf(cx->out, "_q_ * %d + ", s->lanes);
    }
    sb_strbuf_puts(cx->out, "x_;\n");
}

/* Iteration lo + q * lanes + x is slot q of lane x. */
static void
spread(sb_emit *cx, const sb_emit_loop *loop)
{
    const sb_stmt *st = loop->st;
    const int lanes = cx->simt->lanes;
    int64_t lo, hi, most = st->u.loop.lanes;
    const bool known = sb_emit_const_trip(st, &lo, &hi);

    if (known && hi - lo < most)
        most = hi - lo;
    cx->simt->slots = (int)((most + lanes - 1) / lanes);
    sb_emit_enter(cx, loop);
    spread_header(cx, st);
    if (known && (hi - lo) % lanes == 0) {
        sb_emit_body(cx, st->u.loop.body);
    } else {
        sb_emit_line(cx);
        sb_strbuf_puts(cx->out, "if (");
        sb_emit_lane_var(cx);
        sb_strbuf_puts(cx->out, SB_FAULT(GPU_TAIL) ? " <= " : " < ");
        sb_emit_expr(cx, st->u.loop.hi, 6);
        sb_strbuf_puts(cx->out, ") ");
        open_brace(cx);
        sb_emit_body(cx, st->u.loop.body);
        close_brace(cx);
    }
    close_brace(cx);
    sb_emit_leave(cx);
}

bool
sb_simt_loop(sb_emit *cx, const sb_stmt *st)
{
    sb_emit_simt *s = cx->simt;
    const sb_emit_loop *lanes = sb_emit_find_loop(cx, st);
    char step[32];

    if (lanes && lanes->vector && !cx->cur) {
        if (lanes->fold && lanes->fold < s->lanes)
            fold(cx, lanes);
        else
            spread(cx, lanes);
        return true;
    }
    if (st->u.loop.how == SB_LOOP_PARALLEL) {
        outermost(cx, st);
        return true;
    }
    if (bound_to(st, "thread_y")) {
        (void)snprintf(step, sizeof step, "%d", s->threads / s->lanes);
        s->in_row = true;
        strided(cx, st, SB_FAULT(GPU_ROWS) ? "0" : "y_", step);
        s->in_row = false;
        return true;
    }
    if (bound_to(st, "block_y")) {
        s->in_column = true;
        strided(cx, st, "SBG_BY, SBG_GY", "SBG_GY");
        s->in_column = false;
        return true;
    }
    return false;
}

/* ---- locals ------------------------------------------------------------------------- */

void
sb_simt_local(sb_emit *cx, const sb_emit_local *l)
{
    sb_strbuf_printf(cx->out, "%s ", sb_emit_ctype((sb_dtype)l->buf->type));
    sb_emit_buf(cx, l->buf);
    sb_strbuf_puts(cx->out, "[");
    sb_strbuf_i64(cx->out, l->buf->extent[0]->u.i / cx->simt->lanes);
    sb_strbuf_puts(cx->out, "];\n");
}

/* acc[idx / lanes + q]: idx at lane 0 is a multiple of the lanes. */
static void
slot(sb_emit *cx, const sb_emit_local *l, const sb_expr *idx)
{
    const bool lane = cx->cur && sb_emit_lane(cx, idx) != SB_LANE_UNIFORM;
    const bool counted = lane && cx->simt->slots > 1;
    const bool plain = lane && idx->kind == SB_EXPR_VAR;

    sb_emit_buf(cx, l->buf);
    sb_strbuf_puts(cx->out, "[");
    if (!plain) {
        cx->at_zero = lane;
        sb_emit_expr(cx, idx, 8);
        cx->at_zero = false;
        sb_strbuf_printf(cx->out, " / %d%s", cx->simt->lanes, counted ? " + " : "");
    }
    if (counted) {
        sb_emit_lane_var(cx);
        sb_strbuf_puts(cx->out, "_q_");
    }
    sb_strbuf_puts(cx->out, plain && !counted ? "0]" : "]");
}

/* SBG_SHFL(f32, acc[idx / lanes], idx % lanes, lanes) */
static void
fetch(sb_emit *cx, const sb_emit_local *l, const sb_expr *idx)
{
    sb_strbuf_printf(cx->out, "SBG_SHFL(%s, ", sb_dtype_name((sb_dtype)l->buf->type));
    slot(cx, l, idx);
    sb_strbuf_puts(cx->out, SB_FAULT(GPU_LANE) ? ", 1 ^ (int)(" : ", (int)(");
    sb_emit_expr(cx, idx, 8);
    sb_strbuf_printf(cx->out, " %% %d), %d)", cx->simt->lanes, cx->simt->lanes);
}

void
sb_simt_element(sb_emit *cx, const sb_emit_local *l, const sb_expr *idx)
{
    const sb_emit_simt *s = cx->simt;

    if (cx->cur ||
        (s->own && s->own->u.store.buf == l->buf && s->own->u.store.idx[0] == idx)) {
        slot(cx, l, idx);
        return;
    }
    for (int q = 0; q < s->ngot; q++)
        if (s->got[q].buf == l->buf && s->got[q].idx == idx) {
            sb_strbuf_printf(cx->out, "got%d_", q);
            return;
        }
    fetch(cx, l, idx);
}

/* ---- stores ------------------------------------------------------------------------- */

/* Names for the elements of other lanes: all lanes fetch, then one stores. */
static void
get(sb_emit *cx, const sb_expr *e)
{
    sb_emit_simt *s = cx->simt;
    const sb_emit_local *l =
        e->kind == SB_EXPR_LOAD ? sb_emit_find_local(cx, e->u.buf) : NULL;
    bool known = !l || !l->vector;

    for (int q = 0; q < s->ngot; q++)
        known |= s->got[q].buf == e->u.buf && s->got[q].idx == e->arg[0];
    if (!known && s->ngot == SB_SIMT_GETS) {
        sb_emit_fail(cx, "a statement that reads too many elements of other lanes");
    } else if (!known) {
        sb_emit_line(cx);
        sb_strbuf_printf(cx->out,
                         "const %s got%d_ = ", sb_emit_ctype((sb_dtype)l->buf->type),
                         s->ngot);
        fetch(cx, l, e->arg[0]);
        sb_strbuf_puts(cx->out, ";\n");
        s->got[s->ngot].buf = e->u.buf;
        s->got[s->ngot++].idx = e->arg[0];
    }
    for (int q = 0; q < e->nargs; q++)
        get(cx, e->arg[q]);
}

static void
condition(sb_emit *cx, int *n, const char *text)
{
    sb_strbuf_puts(cx->out, (*n)++ ? " && " : "");
    sb_strbuf_puts(cx->out, text);
}

/* { const float got0_ = ..;  if (x_ == 0 && ..) { STORE } } */
void
sb_simt_store_begin(sb_emit *cx, const sb_stmt *st)
{
    sb_emit_simt *s = cx->simt;
    const sb_emit_local *l = sb_emit_find_local(cx, st->u.store.buf);
    const bool column = s->in_column || !s->column_loops;
    int n = 0;

    s->guarded =
        l ? l->vector && !cx->cur : !(cx->cur && s->in_block && s->in_row && column);
    if (!s->guarded)
        return;
    sb_emit_line(cx);
    open_brace(cx);
    if (!cx->cur) {
        get(cx, st->u.store.value);
        get(cx, st->u.store.idx[0]);
    }
    sb_emit_line(cx);
    sb_strbuf_puts(cx->out, "if (");
    if (l) {
        s->own = st;
        sb_strbuf_puts(cx->out, "x_ == ");
        sb_emit_expr(cx, st->u.store.idx[0], 8);
        sb_strbuf_printf(cx->out, " %% %d", s->lanes);
    } else {
        if (!cx->cur)
            condition(cx, &n, SB_FAULT(GPU_ONCE) ? "1" : "x_ == 0");
        if (!s->in_row)
            condition(cx, &n, "y_ == 0");
        if (!s->in_block)
            condition(cx, &n, "SBG_BX == 0");
        if (!column)
            condition(cx, &n, "SBG_BY == 0");
    }
    sb_strbuf_puts(cx->out, ") ");
    open_brace(cx);
}

void
sb_simt_store_end(sb_emit *cx)
{
    sb_emit_simt *s = cx->simt;

    if (s->guarded) {
        close_brace(cx);
        close_brace(cx);
    }
    s->guarded = false;
    s->own = NULL;
    s->ngot = 0;
}
