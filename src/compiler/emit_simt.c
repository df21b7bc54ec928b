/*
 * What the GPU's dialect writes its own way; emit_simt.h says how a program is spread
 * over the machine.
 */
#include "compiler/emit_simt.h"

#include "base/fault.h"

#include <stdio.h>

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
    const bool cyclic = sb_simt_bound_to(st, "block_y");

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
    const bool groups = !cx->tiled && !sb_simt_bound_to(st, "block_x");
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

/* lo + q * lanes + x, or lo + (q / vec * lanes + x) * vec + q mod vec; `first` of the
 * vector: without the last. */
static void
iteration(sb_emit *cx, const sb_stmt *st, bool first)
{
    const sb_emit_simt *s = cx->simt;

    if (!is_zero(st->u.loop.lo)) {
        sb_emit_expr(cx, st->u.loop.lo, 6);
        sb_strbuf_puts(cx->out, " + ");
    }
    if (s->vec == 1 && s->slots > 1)
        sb_strbuf_printf(cx->out, "q_ * %d + ", s->lanes);
    else if (s->slots > s->vec)
        sb_strbuf_printf(cx->out, "q_ / %d * %d + ", s->vec, s->lanes * s->vec);
    sb_strbuf_puts(cx->out, "x_");
    if (s->vec > 1)
        sb_strbuf_printf(cx->out, first ? " * %d" : " * %d + q_ %% %d", s->vec, s->vec);
}

/* for (int q_ = 0; q_ < slots; q_ += step) { */
static void
slots_header(sb_emit *cx, int step)
{
    sb_emit_line(cx);
    if (cx->simt->slots > step) {
        sb_strbuf_puts(cx->out, "SBG_UNROLL\n");
        sb_emit_line(cx);
        sb_strbuf_printf(cx->out, "for (int q_ = 0; q_ < %d; q_", cx->simt->slots);
        if (step > 1)
            sb_strbuf_printf(cx->out, " += %d) ", step);
        else
            sb_strbuf_puts(cx->out, "++) ");
    }
    open_brace(cx);
}

/* Whether e is a sum with the lane variable as one term, the others uniform. */
static bool
has_lane_term(const sb_emit *cx, const sb_expr *e)
{
    if (e->kind == SB_EXPR_VAR)
        return e->u.var == cx->cur->st->u.loop.var;
    return e->kind == SB_EXPR_ADD &&
           ((has_lane_term(cx, e->arg[0]) &&
             sb_emit_lane(cx, e->arg[1]) == SB_LANE_UNIFORM) ||
            (has_lane_term(cx, e->arg[1]) &&
             sb_emit_lane(cx, e->arg[0]) == SB_LANE_UNIFORM));
}

/* Loads whose `vec` neighbours in a lane are neighbours in memory, 8 or 16 bytes. */
static void
find_loads(sb_emit *cx, const sb_expr *e)
{
    sb_emit_simt *s = cx->simt;

    if (e->kind == SB_EXPR_LOAD &&
        (e->u.buf->role == SB_BUF_IN || e->u.buf->role == SB_BUF_AUX) &&
        s->nload < SB_SIMT_LOADS && has_lane_term(cx, e->arg[0])) {
        const size_t bytes = (size_t)s->vec * sb_dtype_size((sb_dtype)e->u.buf->type);
        bool known = bytes != 8 && bytes != 16;

        for (int q = 0; q < s->nload; q++)
            known |= s->load[q] == e;
        if (!known)
            s->load[s->nload++] = e;
    }
    for (int q = 0; q < e->nargs && e->kind != SB_EXPR_SELECT; q++)
        find_loads(cx, e->arg[q]);
}

/* float ld0_[slots];  for each vector: sbg_ld_f32(ld0_ + q, B + index, vec); */
static void
write_loads(sb_emit *cx, sb_body body)
{
    sb_emit_simt *s = cx->simt;
    int found;

    for (int q = 0; q < body.n; q++)
        if (body.at[q]->kind == SB_STMT_STORE)
            find_loads(cx, body.at[q]->u.store.value);
    found = s->nload;
    s->nload = 0; /* the addresses themselves are as they are */
    for (int q = 0; q < found; q++) {
        const sb_buf *b = s->load[q]->u.buf;
        const sb_expr *idx = s->load[q]->arg[0];

        sb_emit_line(cx);
        sb_strbuf_printf(cx->out, "%s ld%d_[%d];\n", sb_emit_ctype((sb_dtype)b->type),
                         q, s->slots);
        slots_header(cx, s->vec);
        sb_emit_line(cx);
        sb_strbuf_printf(cx->out, "sbg_ld_%s(ld%d_%s, ",
                         sb_dtype_name((sb_dtype)b->type), q,
                         s->slots > s->vec ? " + q_" : "");
        sb_emit_buf(cx, b);
        sb_strbuf_puts(cx->out, " + ");
        if (idx->kind != SB_EXPR_VAR) {
            cx->at_zero = true;
            sb_emit_expr(cx, idx, 7);
            cx->at_zero = false;
            sb_strbuf_puts(cx->out, " + ");
        }
        iteration(cx, cx->cur->st, true);
        sb_strbuf_printf(cx->out, ", %d);\n", s->vec);
        close_brace(cx);
    }
    s->nload = found;
}

bool
sb_simt_loaded(sb_emit *cx, const sb_expr *load)
{
    for (int q = 0; q < cx->simt->nload; q++) {
        if (cx->simt->load[q] != load)
            continue;
        sb_strbuf_printf(cx->out, "ld%d_[", q);
        sb_strbuf_puts(cx->out, cx->simt->slots > 1 ? "q_]" : "0]");
        return true;
    }
    return false;
}

static void
guarded_body(sb_emit *cx, const sb_stmt *st)
{
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

/* One store that fills shared memory, from neighbours: so many bytes at once as a lane's
 * elements have, where the address allows. */
static bool
copies(sb_emit *cx, const sb_stmt *st)
{
    sb_emit_simt *s = cx->simt;
    const sb_body body = st->u.loop.body;
    const sb_stmt *in = body.n == 1 && sb_simt_copies(body.at[0]) ? body.at[0] : NULL;
    const sb_expr *idx = in ? in->u.store.value->arg[0] : NULL;
    const size_t size = in ? sb_dtype_size((sb_dtype)in->u.store.buf->type) : 0;

    if (!in || in->u.store.idx[0]->kind != SB_EXPR_VAR || !has_lane_term(cx, idx) ||
        (size * (size_t)s->vec != 16 && size * (size_t)s->vec != 8))
        return false;
    slots_header(cx, s->vec);
    sb_emit_line(cx);
    sb_strbuf_printf(cx->out, "sbg_copy_%s(",
                     sb_dtype_name((sb_dtype)in->u.store.buf->type));
    sb_emit_buf(cx, in->u.store.buf);
    sb_strbuf_puts(cx->out, " + ");
    iteration(cx, st, true);
    sb_strbuf_puts(cx->out, ", ");
    sb_emit_buf(cx, in->u.store.value->u.buf);
    sb_strbuf_puts(cx->out, " + ");
    if (idx->kind != SB_EXPR_VAR) {
        cx->at_zero = true;
        sb_emit_expr(cx, idx, 7);
        cx->at_zero = false;
        sb_strbuf_puts(cx->out, " + ");
    }
    iteration(cx, st, true);
    sb_strbuf_printf(cx->out, ", %d);\n", s->vec);
    close_brace(cx);
    return true;
}

/* Slot q_ of a lane is one iteration. */
static void
spread(sb_emit *cx, const sb_emit_loop *loop)
{
    const sb_stmt *st = loop->st;
    sb_emit_simt *s = cx->simt;
    int64_t lo, hi, most = st->u.loop.lanes;
    const bool known = sb_emit_const_trip(st, &lo, &hi);
    const bool whole = known && (hi - lo) % cx->width == 0;

    if (known && hi - lo < most)
        most = hi - lo;
    s->slots = (int)((most + cx->width - 1) / cx->width) * s->vec;
    sb_emit_enter(cx, loop);
    if (whole && s->vec > 1) {
        sb_emit_line(cx);
        open_brace(cx);
        if (copies(cx, st)) {
            close_brace(cx);
            sb_emit_leave(cx);
            return;
        }
        write_loads(cx, st->u.loop.body);
    }
    slots_header(cx, 1);
    sb_emit_line(cx);
    sb_strbuf_printf(cx->out, "const %s ", sb_emit_ctype(st->u.loop.var->type));
    sb_emit_lane_var(cx);
    sb_strbuf_puts(cx->out, " SBK_UNUSED = ");
    iteration(cx, st, false);
    sb_strbuf_puts(cx->out, ";\n");
    if (whole)
        sb_emit_body(cx, st->u.loop.body);
    else
        guarded_body(cx, st);
    close_brace(cx);
    if (whole && s->vec > 1)
        close_brace(cx);
    s->nload = 0;
    sb_emit_leave(cx);
}

bool
sb_simt_loop(sb_emit *cx, const sb_stmt *st)
{
    sb_emit_simt *s = cx->simt;
    const sb_emit_loop *lanes = sb_emit_find_loop(cx, st);
    char step[32];

    if (s->lane)
        return sb_simt_move(cx, st);
    if (sb_simt_bound_to(st, "lane")) {
        sb_simt_lane_loop(cx, st);
        return true;
    }
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
    if (sb_simt_bound_to(st, "thread_y")) {
        (void)snprintf(step, sizeof step, "%d", s->threads / s->lanes);
        s->in_row = true;
        strided(cx, st, SB_FAULT(GPU_ROWS) ? "0" : "y_", step);
        s->in_row = false;
        return true;
    }
    if (sb_simt_bound_to(st, "block_y")) {
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

/* acc[idx / lanes + q] in a loop over lanes, where idx at lane 0 is a multiple of the
 * width; elsewhere, for v elements a vector, acc[idx / width * v + idx mod v]. */
static void
slot(sb_emit *cx, const sb_emit_local *l, const sb_expr *idx)
{
    const sb_emit_simt *s = cx->simt;
    const bool lane = cx->cur && sb_emit_lane(cx, idx) != SB_LANE_UNIFORM;
    const bool counted = lane && s->slots > 1;
    const bool plain = lane && idx->kind == SB_EXPR_VAR;

    sb_emit_buf(cx, l->buf);
    sb_strbuf_puts(cx->out, "[");
    if (!plain) {
        cx->at_zero = lane;
        sb_emit_expr(cx, idx, 8);
        cx->at_zero = false;
        sb_strbuf_printf(cx->out, " / %d%s", lane ? s->lanes : cx->width,
                         counted ? " + " : "");
    }
    if (!lane && s->vec > 1) {
        sb_strbuf_printf(cx->out, " * %d + ", s->vec);
        sb_emit_expr(cx, idx, 8);
        sb_strbuf_printf(cx->out, " %% %d", s->vec);
    }
    sb_strbuf_puts(cx->out, counted ? "q_" : "");
    sb_strbuf_puts(cx->out, plain && !counted ? "0]" : "]");
}

/* The lane that has the element: idx % lanes, or idx / vec % lanes. */
static void
owner(sb_emit *cx, const sb_expr *idx)
{
    sb_emit_expr(cx, idx, 8);
    if (cx->simt->vec > 1)
        sb_strbuf_printf(cx->out, " / %d", cx->simt->vec);
    sb_strbuf_printf(cx->out, " %% %d", cx->simt->lanes);
}

/* SBG_SHFL(f32, acc[idx / lanes], idx % lanes, lanes) */
static void
fetch(sb_emit *cx, const sb_emit_local *l, const sb_expr *idx)
{
    sb_strbuf_printf(cx->out, "SBG_SHFL(%s, ", sb_dtype_name((sb_dtype)l->buf->type));
    slot(cx, l, idx);
    sb_strbuf_puts(cx->out, SB_FAULT(GPU_LANE) ? ", 1 ^ (int)(" : ", (int)(");
    owner(cx, idx);
    sb_strbuf_printf(cx->out, "), %d)", cx->simt->lanes);
}

void
sb_simt_element(sb_emit *cx, const sb_emit_local *l, const sb_expr *idx)
{
    const sb_emit_simt *s = cx->simt;

    if (l->owned) {
        sb_simt_own_element(cx, l, idx);
        return;
    }
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
    const bool mine = cx->cur || s->lane;
    int n = 0;

    s->guarded = l ? l->vector && !mine : !(mine && s->in_block && s->in_row && column);
    if (!s->guarded)
        return;
    sb_emit_line(cx);
    open_brace(cx);
    if (!mine) {
        get(cx, st->u.store.value);
        get(cx, st->u.store.idx[0]);
    }
    sb_emit_line(cx);
    sb_strbuf_puts(cx->out, "if (");
    if (l) {
        s->own = st;
        sb_strbuf_puts(cx->out, "x_ == ");
        owner(cx, st->u.store.idx[0]);
    } else {
        if (!mine)
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
