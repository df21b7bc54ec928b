/*
 * What the GPU's dialect writes its own way; emit_simt.h says how a program is spread
 * over the machine.
 */
#include "compiler/emit_simt.h"

#include "base/fault.h"

#include <stdio.h>

/* ---- loops -------------------------------------------------------------------------- */

void
sb_simt_open(sb_emit *cx)
{
    sb_strbuf_puts(cx->out, "{\n");
    cx->indent++;
}

void
sb_simt_close(sb_emit *cx)
{
    cx->indent--;
    sb_emit_line(cx);
    sb_strbuf_puts(cx->out, "}\n");
}

bool
sb_simt_zero(const sb_expr *e)
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
    if (cyclic || !sb_simt_zero(st->u.loop.lo)) {
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
    sb_simt_open(cx);
    sb_emit_body(cx, st->u.loop.body);
    sb_simt_close(cx);
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
    sb_simt_open(cx);
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
    sb_simt_close(cx);
}

/* if (c1 < hi) { .. }; a lane's part is there or not as a whole where all fits. */
static void
guarded_body(sb_emit *cx, const sb_stmt *st, bool part)
{
    sb_emit_line(cx);
    sb_strbuf_puts(cx->out, part ? "if ((fit_ ? " : "if (");
    if (part) {
        sb_simt_iteration(cx, st, true);
        sb_strbuf_puts(cx->out, " : ");
    }
    sb_emit_lane_var(cx);
    sb_strbuf_puts(cx->out, part ? ")" : "");
    sb_strbuf_puts(cx->out, SB_FAULT(GPU_TAIL) ? " <= " : " < ");
    sb_emit_expr(cx, st->u.loop.hi, 6);
    sb_strbuf_puts(cx->out, ") ");
    sb_simt_open(cx);
    sb_emit_body(cx, st->u.loop.body);
    sb_simt_close(cx);
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

    if (!in || in->u.store.idx[0]->kind != SB_EXPR_VAR || !sb_simt_lane_term(cx, idx) ||
        (size * (size_t)s->vec != 16 && size * (size_t)s->vec != 8))
        return false;
    sb_simt_slots(cx, s->vec);
    sb_emit_line(cx);
    sb_strbuf_printf(cx->out, "sbg_copy_%s(",
                     sb_dtype_name((sb_dtype)in->u.store.buf->type));
    sb_emit_buf(cx, in->u.store.buf);
    sb_strbuf_puts(cx->out, " + ");
    sb_simt_iteration(cx, st, true);
    sb_strbuf_puts(cx->out, ", ");
    sb_emit_buf(cx, in->u.store.value->u.buf);
    sb_strbuf_puts(cx->out, " + ");
    if (idx->kind != SB_EXPR_VAR) {
        cx->at_zero = true;
        sb_emit_expr(cx, idx, 7);
        cx->at_zero = false;
        sb_strbuf_puts(cx->out, " + ");
    }
    sb_simt_iteration(cx, st, true);
    sb_strbuf_printf(cx->out, ", %d);\n", s->vec);
    sb_simt_close(cx);
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
    bool part;

    if (known && hi - lo < most)
        most = hi - lo;
    s->slots = (int)((most + cx->width - 1) / cx->width) * s->vec;
    part = !whole && sb_simt_parts(cx, st);
    sb_emit_enter(cx, loop);
    if ((whole || part) && s->vec > 1) {
        sb_emit_line(cx);
        sb_simt_open(cx);
        if (whole && copies(cx, st)) {
            sb_simt_close(cx);
            sb_emit_leave(cx);
            return;
        }
        sb_simt_loads(cx, st->u.loop.body, part);
        sb_simt_keep(cx, st->u.loop.body, part);
    }
    sb_simt_slots(cx, 1);
    sb_emit_line(cx);
    sb_strbuf_printf(cx->out, "const %s ", sb_emit_ctype(st->u.loop.var->type));
    sb_emit_lane_var(cx);
    sb_strbuf_puts(cx->out, " SBK_UNUSED = ");
    sb_simt_iteration(cx, st, false);
    sb_strbuf_puts(cx->out, ";\n");
    if (whole)
        sb_emit_body(cx, st->u.loop.body);
    else
        guarded_body(cx, st, part);
    sb_simt_close(cx);
    if ((whole || part) && s->vec > 1) {
        sb_simt_give(cx, part);
        sb_simt_close(cx);
    }
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
    const int64_t extent = l->buf->extent[0]->u.i;

    sb_strbuf_printf(cx->out, "%s ", sb_emit_ctype((sb_dtype)l->buf->type));
    sb_emit_buf(cx, l->buf);
    sb_strbuf_puts(cx->out, "[");
    sb_strbuf_i64(cx->out,
                  extent < cx->width ? cx->simt->vec : extent / cx->simt->lanes);
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

    if (l->owned && s->lane) {
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
    sb_simt_open(cx);
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
    sb_simt_open(cx);
}

void
sb_simt_store_end(sb_emit *cx)
{
    sb_emit_simt *s = cx->simt;

    if (s->guarded) {
        sb_simt_close(cx);
        sb_simt_close(cx);
    }
    s->guarded = false;
    s->own = NULL;
    s->ngot = 0;
}
