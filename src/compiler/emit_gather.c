/*
 * Lanes that do not lie side by side: gathers by an array of columns, and what a mask
 * gives to its lanes (spblas_gather.h, spblas_bits.h).
 */
#include "compiler/emit.h"

/* ---- gathers ---------------------------------------------------------------------- */

/* An index as uniform terms and the one that moves: entries of an i32 or i16 array in
 * lane order, or NULL when there is no such form. */
typedef struct gather {
    const sb_expr *from; /* the load of the array */
    int count;           /* terms that move */
} gather;

static void
find_moving(const sb_emit *cx, const sb_expr *e, bool minus, gather *g)
{
    const sb_emit_let *l =
        e->kind == SB_EXPR_VAR ? sb_emit_find_let(cx, e->u.var) : NULL;

    if (sb_emit_lane(cx, e) == SB_LANE_UNIFORM)
        return;
    if (e->kind == SB_EXPR_ADD || e->kind == SB_EXPR_SUB) {
        find_moving(cx, e->arg[0], minus, g);
        find_moving(cx, e->arg[1], minus != (e->kind == SB_EXPR_SUB), g);
        return;
    }
    if (l) {
        find_moving(cx, l->value, minus, g);
        return;
    }
    if (e->kind == SB_EXPR_CAST && e->type == SB_I64)
        e = e->arg[0];
    g->from = e;
    g->count += 1 + minus;
}

/* The load whose lanes move the index of e, a load; NULL when it moves in another way. */
static const sb_expr *
moved_by(const sb_emit *cx, const sb_expr *e)
{
    const sb_dtype t = (sb_dtype)e->type;
    gather g = {NULL, 0};
    int64_t step;

    if (e->kind != SB_EXPR_LOAD ||
        (t != SB_F32 && t != SB_F64 && t != SB_C32 && t != SB_C64) ||
        sb_emit_lane(cx, e) != SB_LANE_VARY)
        return NULL;
    find_moving(cx, e->arg[0], false, &g);
    return g.count == 1 && g.from->kind == SB_EXPR_LOAD &&
                   (g.from->type == SB_I32 || g.from->type == SB_I16) &&
                   sb_emit_step(cx, g.from->arg[0], &step) && step == 1
               ? g.from
               : NULL;
}

bool
sb_emit_gathered(const sb_emit *cx, const sb_expr *e)
{
    const sb_expr *from = moved_by(cx, e);

    return from && !sb_emit_find_local(cx, e->u.buf) &&
           !sb_emit_find_local(cx, from->u.buf);
}

/* The uniform terms of an index, each with its sign before it. */
static void
uniform_terms(sb_emit *cx, const sb_expr *e, bool minus)
{
    const sb_emit_let *l =
        e->kind == SB_EXPR_VAR ? sb_emit_find_let(cx, e->u.var) : NULL;

    if (sb_emit_lane(cx, e) == SB_LANE_UNIFORM) {
        sb_strbuf_puts(cx->out, minus ? " - " : " + ");
        sb_emit_expr(cx, e, 7);
    } else if (e->kind == SB_EXPR_ADD || e->kind == SB_EXPR_SUB) {
        uniform_terms(cx, e->arg[0], minus);
        uniform_terms(cx, e->arg[1], minus != (e->kind == SB_EXPR_SUB));
    } else if (l) {
        uniform_terms(cx, l->value, minus);
    }
}

/* SBK_V(ga_f32, N)(B - base, A_crd + p[, m]); gah where A_crd is of i16. Of more than four lanes
 * without a mask elements of an i32 array are columns, not negative (docs/schedules.md). */
void
sb_emit_gather(sb_emit *cx, const sb_expr *e)
{
    const sb_expr *from = moved_by(cx, e);
    const bool half = from->type == SB_I16;

    sb_emit_call(cx,
                 cx->masking ? (half ? "gahm" : "gam")
                 : half      ? "gah"
                             : "ga",
                 (sb_dtype)e->type);
    sb_strbuf_puts(cx->out, "(");
    sb_emit_buf(cx, e->u.buf);
    uniform_terms(cx, e->arg[0], false);
    sb_strbuf_puts(cx->out, ", ");
    sb_emit_address(cx, from->u.buf, from->arg[0]);
    sb_emit_close_memory(cx, NULL, NULL, false);
}

/* ---- lanes by mask ------------------------------------------------------------------ */

/* Whether b is a + 1. */
static bool
step_of_one(const sb_expr *a, const sb_expr *b)
{
    if (a->kind == SB_EXPR_INT)
        return b->kind == SB_EXPR_INT && b->u.i == a->u.i + 1;
    return b->kind == SB_EXPR_ADD && b->arg[0] == a && b->arg[1]->kind == SB_EXPR_INT &&
           b->arg[1]->u.i == 1;
}

const sb_expr *
sb_emit_tested(const sb_expr *c)
{
    const sb_expr *below, *with;

    if (c->kind != SB_EXPR_GT)
        return NULL;
    with = c->arg[0];
    below = c->arg[1];
    if (with->kind != SB_EXPR_ONES || below->kind != SB_EXPR_ONES ||
        with->arg[0] != below->arg[0])
        return NULL;
    return step_of_one(below->arg[1], with->arg[1]) ? below : NULL;
}

/* The same where m is one for all lanes and l counts them. */
static const sb_expr *
bit_of(const sb_emit *cx, const sb_expr *c)
{
    const sb_expr *below = sb_emit_tested(c);
    int64_t step;

    return below && sb_emit_lane(cx, below->arg[0]) == SB_LANE_UNIFORM &&
                   sb_emit_step(cx, below->arg[1], &step) && step == 1
               ? below
               : NULL;
}

const sb_expr *
sb_emit_bit(const sb_emit *cx, const sb_expr *e)
{
    if (e->kind != SB_EXPR_SELECT || (e->type != SB_F32 && e->type != SB_F64) ||
        e->arg[2]->kind != SB_EXPR_FLOAT || e->arg[2]->u.f != 0.0)
        return NULL;
    return bit_of(cx, e->arg[0]);
}

void
sb_emit_mask(sb_emit *cx, const sb_expr *rank)
{
    sb_emit_expr(cx, rank->arg[0], 9);
    sb_strbuf_puts(cx->out, " >> ");
    sb_emit_expr(cx, rank->arg[1], 7);
}

/* What lanes with a set bit are given; the others have 0. */
typedef enum given {
    NOTHING, /* in any such form */
    SIDE,    /* B[j + l]: where it lies */
    NEXT,    /* A[p + ones(m, l)]: the next values, packed */
    PICKED,  /* A[p + at[l]], at in registers */
    LOOKED,  /* the same of a short local array */
    RANGED,  /* A[l * w / 16 * n + at[l]]: w short arrays, of two registers each */
    SAME     /* an integer, the same for all */
} given;

/* Elements of a local array that tables take: whole pairs of the longest registers. */
static bool
is_table(const sb_buf *b)
{
    return b->type == SB_F32 && b->rank == 1 && b->extent[0]->kind == SB_EXPR_INT &&
           b->extent[0]->u.i % 32 == 0;
}

/* Of t[l * w / 16 * n + at[l]], two of the longest registers for each w-th of 16 lanes: w; 0
 * where x is not such a load. */
static int
ranges(const sb_emit *cx, const sb_expr *x, const sb_expr **lane, const sb_expr **at)
{
    const sb_expr *e = x->arg[0], *part;
    const int64_t n = 128 / (int64_t)sb_dtype_size((sb_dtype)x->type);
    int64_t step;

    if (e->kind != SB_EXPR_ADD || e->arg[0]->kind != SB_EXPR_MUL ||
        e->arg[0]->arg[1]->kind != SB_EXPR_INT || e->arg[0]->arg[1]->u.i != n)
        return 0;
    part = e->arg[0]->arg[0];
    *at = e->arg[1]->kind == SB_EXPR_CAST ? e->arg[1]->arg[0] : e->arg[1];
    if (part->kind != SB_EXPR_DIV || part->arg[0]->kind != SB_EXPR_MUL ||
        part->arg[0]->arg[1]->kind != SB_EXPR_INT ||
        part->arg[1]->kind != SB_EXPR_INT || part->arg[1]->u.i != 16 ||
        (*at)->kind != SB_EXPR_LOAD || (*at)->type != SB_I32)
        return 0;
    *lane = part->arg[0]->arg[0];
    return sb_emit_step(cx, *lane, &step) && step == 1 &&
                   sb_emit_step(cx, (*at)->arg[0], &step) && step == 1
               ? (int)part->arg[0]->arg[1]->u.i
               : 0;
}

/* Whether x is one of the table's loads, its positions in registers. */
static bool
is_ranged(const sb_emit *cx, const sb_expr *x)
{
    const sb_emit_local *at;
    const sb_expr *lane, *from;

    if ((x->type != SB_F32 && x->type != SB_F64) || !sb_emit_find_local(cx, x->u.buf) ||
        !ranges(cx, x, &lane, &from))
        return false;
    at = sb_emit_find_local(cx, from->u.buf);
    return at && at->vector;
}

static given
given_load(const sb_emit *cx, const sb_expr *x, const sb_expr *rank)
{
    const sb_emit_local *l = sb_emit_find_local(cx, x->u.buf), *at;
    const sb_expr *idx = x->arg[0], *from = moved_by(cx, x);
    int64_t step;

    if (l && l->vector) /* in registers */
        return NOTHING;
    if (idx->kind == SB_EXPR_ADD &&
        ((idx->arg[0] == rank && sb_emit_lane(cx, idx->arg[1]) == SB_LANE_UNIFORM) ||
         (idx->arg[1] == rank && sb_emit_lane(cx, idx->arg[0]) == SB_LANE_UNIFORM)))
        return NEXT;
    if (sb_emit_step(cx, idx, &step) && step == 1)
        return SIDE;
    if (is_ranged(cx, x))
        return RANGED;
    at = from && from->type == SB_I32 ? sb_emit_find_local(cx, from->u.buf) : NULL;
    if (!at || !at->vector)
        return NOTHING;
    return !l ? PICKED : is_table(x->u.buf) ? LOOKED : NOTHING;
}

static given
given_by(const sb_emit *cx, const sb_expr *e)
{
    const sb_expr *rank = sb_emit_bit(cx, e);

    if (rank)
        return e->arg[1]->kind == SB_EXPR_LOAD ? given_load(cx, e->arg[1], rank)
                                               : NOTHING;
    return e->kind == SB_EXPR_SELECT && e->type == SB_I32 &&
                   e->arg[2]->kind == SB_EXPR_INT && e->arg[2]->u.i == 0 &&
                   sb_emit_lane(cx, e->arg[1]) == SB_LANE_UNIFORM &&
                   bit_of(cx, e->arg[0])
               ? SAME
               : NOTHING;
}

bool
sb_emit_by_bits(const sb_emit *cx, const sb_expr *e)
{
    return given_by(cx, e) != NOTHING;
}

/* A + p, at[..]; of a table its elements between them */
static void
picked(sb_emit *cx, const sb_expr *x, bool table)
{
    const sb_expr *from = moved_by(cx, x);

    uniform_terms(cx, x->arg[0], false);
    if (table)
        sb_strbuf_printf(cx->out, ", %d", (int)x->u.buf->extent[0]->u.i);
    sb_strbuf_puts(cx->out, ", ");
    sb_emit_chunk(cx, from->u.buf, from->arg[0]);
}

/* t, w, l, at[..] */
static void
ranged(sb_emit *cx, const sb_expr *x)
{
    const sb_expr *lane, *at;

    sb_strbuf_printf(cx->out, ", %d, ", ranges(cx, x, &lane, &at));
    sb_emit_expr(cx, lane, 0);
    sb_strbuf_puts(cx->out, ", ");
    sb_emit_chunk(cx, at->u.buf, at->arg[0]);
}

/* SBK_V(lb_f32, N)(B + j, m >> l): l is the chunk's first lane */
void
sb_emit_bits(sb_emit *cx, const sb_expr *e)
{
    static const char *const call[] = {"", "lb", "ex", "gab", "tab", "tabr", "sb"};
    const given form = given_by(cx, e);
    const sb_expr *x = e->arg[1];

    sb_emit_call(cx, call[form], (sb_dtype)e->type);
    sb_strbuf_puts(cx->out, "(");
    if (form == SAME)
        sb_emit_expr(cx, x, 0);
    else
        sb_emit_buf(cx, x->u.buf);
    if (form == PICKED || form == LOOKED) {
        picked(cx, x, form == LOOKED);
    } else if (form == RANGED) {
        ranged(cx, x);
    } else if (form != SAME) {
        sb_strbuf_puts(cx->out, " + ");
        sb_emit_expr(cx, x->arg[0], 7);
    }
    sb_strbuf_puts(cx->out, ", ");
    sb_emit_mask(cx, bit_of(cx, e->arg[0]));
    sb_strbuf_puts(cx->out, ")");
}
