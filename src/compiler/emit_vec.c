/*
 * Vector expressions. Inside a chunk the lane variable is the chunk's first lane, so a
 * linear index written as a scalar is the chunk's address. What has no vector form is
 * computed lane by lane (SBK_EACH) and stays in registers.
 */
#include "base/fault.h"
#include "compiler/emit.h"

void
sb_emit_lanes(sb_emit *cx, sb_emit_class c)
{
    const bool fewer = cx->bytes > 0 && c.lanes > cx->bytes / c.bytes;

    sb_strbuf_printf(cx->out, "SBK_N%d_%d", c.bytes,
                     fewer ? cx->bytes / c.bytes : c.lanes);
}

void
sb_emit_call(sb_emit *cx, const char *fn, sb_dtype t)
{
    sb_strbuf_printf(cx->out, "SBK_V(%s_%s, ", fn, sb_dtype_name(t));
    sb_emit_lanes(cx, cx->cur->cls);
    sb_strbuf_puts(cx->out, ")");
}

void
sb_emit_lane_var(sb_emit *cx)
{
    sb_emit_var(cx, cx->cur->st->u.loop.var);
}

/* Lane-dependent lets that e needs, written again inside an SBK_EACH. */
static void
inner_lets(sb_emit *cx, const sb_expr *e)
{
    bool need[SB_EMIT_MAX];

    for (int q = cx->nlet - 1; q >= 0; q--) {
        need[q] =
            cx->let[q].lane != SB_LANE_UNIFORM && sb_emit_expr_has(e, cx->let[q].var);
        for (int r = q + 1; r < cx->nlet && cx->let[q].lane != SB_LANE_UNIFORM; r++)
            need[q] |= need[r] && sb_emit_expr_has(cx->let[r].value, cx->let[q].var);
    }
    for (int q = 0; q < cx->nlet; q++) {
        if (!need[q])
            continue;
        sb_strbuf_printf(cx->out, "const %s ", sb_emit_ctype(cx->let[q].var->type));
        sb_emit_var(cx, cx->let[q].var);
        sb_strbuf_puts(cx->out, " = ");
        sb_emit_expr(cx, cx->let[q].value, 0);
        sb_strbuf_puts(cx->out, "; ");
    }
}

static void
each(sb_emit *cx, const sb_expr *e)
{
    const sb_dtype t = (sb_dtype)e->type;
    const bool pairs = sb_dtype_is_complex(t);

    sb_strbuf_puts(cx->out, pairs         ? "SBK_EACHZ("
                            : cx->masking ? "SBK_EACHM("
                                          : "SBK_EACH(");
    sb_strbuf_printf(cx->out, "%s, ", sb_dtype_name(t));
    sb_emit_lanes(cx, cx->cur->cls);
    sb_strbuf_puts(cx->out, ", ");
    sb_emit_lane_var(cx);
    sb_strbuf_puts(cx->out, ", ");
    if (cx->masking) {
        sb_emit_lane_var(cx);
        sb_strbuf_puts(cx->out, "_m_, ");
    } else if (pairs) {
        sb_emit_lanes(cx, cx->cur->cls);
        sb_strbuf_puts(cx->out, ", ");
    }
    inner_lets(cx, e);
    sb_emit_expr(cx, e, 0);
    sb_strbuf_puts(cx->out, ")");
}

/* Whether some let between the loop and e moves with the lane. */
static bool
uses_lane_let(const sb_emit *cx, const sb_expr *e)
{
    for (int q = 0; q < cx->nlet; q++)
        if (cx->let[q].lane != SB_LANE_UNIFORM && sb_emit_expr_has(e, cx->let[q].var))
            return true;
    return false;
}

/* A + (index at lane 0) + lane: the chunks of a row then differ by a constant, which
 * costs the machine nothing. Left alone, compilers hoist one sum per chunk instead and
 * run out of registers. */
void
sb_emit_address(sb_emit *cx, const sb_buf *b, const sb_expr *idx)
{
    int64_t step;
    const bool split =
        sb_emit_step(cx, idx, &step) && step == 1 && !uses_lane_let(cx, idx);

    for (int q = 0; q < cx->nbase; q++) {
        if (cx->base[q].buf != b || cx->base[q].idx != idx)
            continue;
        sb_strbuf_printf(cx->out, "b%d_ + ", q);
        sb_emit_lane_var(cx);
        return;
    }
    sb_emit_buf(cx, b);
    if (!split || idx->kind != SB_EXPR_VAR) {
        sb_strbuf_puts(cx->out, " + ");
        cx->at_zero = split;
        sb_emit_expr(cx, idx, 7);
        cx->at_zero = false;
    }
    if (!split)
        return;
    sb_strbuf_puts(cx->out, " + ");
    sb_emit_lane_var(cx);
}

/* acc[(index) / lanes] */
void
sb_emit_chunk(sb_emit *cx, const sb_buf *b, const sb_expr *idx)
{
    sb_emit_buf(cx, b);
    sb_strbuf_puts(cx->out, "[");
    sb_emit_expr(cx, idx, 8);
    sb_strbuf_puts(cx->out, " / ");
    sb_emit_lanes(cx, cx->cur->cls);
    sb_strbuf_puts(cx->out, "]");
}

bool
sb_emit_by_tail(const sb_emit *cx, const sb_buf *b, const sb_expr *idx)
{
    int64_t step;

    return idx && cx->cut && cx->tail && cx->masking && sb_emit_step(cx, idx, &step) &&
           step == 1 && (b->type == SB_F32 || b->type == SB_F64);
}

/* Start of a memory operation: SBK_V(ld_f32, N)(A + index[, step] */
void
sb_emit_open_memory(sb_emit *cx, const char *op, const sb_buf *b, const sb_expr *idx)
{
    char fn[8];
    int64_t step;
    const bool unit = sb_emit_step(cx, idx, &step) && step == 1;
    size_t n = 0;

    for (; op[n]; n++)
        fn[n] = op[n];
    if (!unit)
        fn[n++] = 's';
    if (cx->masking)
        fn[n++] = sb_emit_by_tail(cx, b, idx) ? 't' : 'm';
    fn[n] = '\0';
    sb_emit_call(cx, fn, (sb_dtype)b->type);
    sb_strbuf_puts(cx->out, "(");
    sb_emit_address(cx, b, idx);
    if (!unit) {
        sb_strbuf_puts(cx->out, ", ");
        sb_emit_step_text(cx, idx);
    }
}

void
sb_emit_close_memory(sb_emit *cx, const sb_buf *b, const sb_expr *idx, bool store)
{
    if (cx->masking) {
        sb_strbuf_puts(cx->out, ", ");
        sb_emit_lane_var(cx);
        sb_strbuf_puts(cx->out, "_m_");
        if (store && SB_FAULT(TAIL_LANE))
            sb_strbuf_puts(cx->out, " - 1");
    }
    sb_strbuf_puts(cx->out, sb_emit_by_tail(cx, b, idx) ? ", tail_)" : ")");
}

void
sb_emit_vec_load(sb_emit *cx, const sb_buf *b, const sb_expr *idx)
{
    const sb_emit_local *l = sb_emit_find_local(cx, b);

    if (l && l->vector) {
        sb_emit_chunk(cx, b, idx);
        return;
    }
    sb_emit_open_memory(cx, "ld", b, idx);
    sb_emit_close_memory(cx, b, idx, false);
}

/* ---- which expressions have a vector form ------------------------------------------ */

/* Conversions with a vector form; 16-bit floats only to and from what sums them. */
static bool
cast_has_vector(sb_dtype from, sb_dtype to)
{
    if (from == SB_BOOL || to == SB_BOOL)
        return false;
    if (sb_dtype_is_half(from))
        return to == sb_dtype_sum(from);
    if (sb_dtype_is_half(to))
        return from == sb_dtype_sum(to);
    return sb_dtype_is_complex(from) == sb_dtype_is_complex(to);
}

/* Whether e, which varies, is written with vector operations rather than by lane. */
static bool
has_vector(const sb_emit *cx, const sb_expr *e)
{
    const sb_dtype t = (sb_dtype)e->type;
    const bool whole = !sb_dtype_is_half(t) && t != SB_BOOL;

    switch ((sb_expr_kind)e->kind) {
    case SB_EXPR_VAR:
        return !sb_dtype_is_int(t) && t != SB_BOOL;
    case SB_EXPR_LOAD:
        return t != SB_BOOL && (sb_emit_lane(cx, e->arg[0]) == SB_LANE_LINEAR ||
                                sb_emit_gathered(cx, e));
    case SB_EXPR_NEG:
    case SB_EXPR_CONJ:
        return whole && sb_emit_lane(cx, e) == SB_LANE_VARY;
    case SB_EXPR_MUL:
    case SB_EXPR_ADD:
    case SB_EXPR_SUB:
        return whole && sb_emit_lane(cx, e) == SB_LANE_VARY &&
               e->arg[0]->type == e->arg[1]->type;
    case SB_EXPR_DIV:
        return t == SB_F32 || t == SB_F64;
    case SB_EXPR_MIN:
    case SB_EXPR_MAX:
        return whole && !sb_dtype_is_complex(t) && e->arg[0]->type == e->arg[1]->type;
    case SB_EXPR_CAST:
        return cast_has_vector((sb_dtype)e->arg[0]->type, t) &&
               sb_emit_lane(cx, e->arg[0]) == SB_LANE_VARY;
    case SB_EXPR_SELECT:
        return (sb_emit_lane(cx, e->arg[0]) == SB_LANE_UNIFORM &&
                e->arg[1]->type == e->arg[2]->type) ||
               (!cx->masking && sb_emit_by_bits(cx, e));
    default:
        return false;
    }
}

bool
sb_emit_from_memory(const sb_emit *cx, const sb_buf *b)
{
    const sb_emit_local *l = sb_emit_find_local(cx, b);

    return !l || !l->vector;
}

bool
sb_emit_side_by_side(const sb_emit *cx, const sb_expr *e)
{
    int64_t step;

    return e->kind == SB_EXPR_LOAD && (e->type == SB_F32 || e->type == SB_F64) &&
           sb_emit_from_memory(cx, e->u.buf) && sb_emit_step(cx, e->arg[0], &step) &&
           step == 1;
}

/* Loads whose masked form takes any number of lanes. */
static bool
masks_freely(const sb_emit *cx, const sb_expr *e)
{
    return sb_emit_side_by_side(cx, e) || sb_emit_gathered(cx, e);
}

bool
sb_emit_product(const sb_emit *cx, const sb_expr *e)
{
    return (e->type == SB_F32 || e->type == SB_F64) && e->kind == SB_EXPR_MUL &&
           masks_freely(cx, e->arg[0]) && masks_freely(cx, e->arg[1]);
}

const sb_buf *
sb_emit_pair(const sb_emit *cx, const sb_expr *e)
{
    const sb_expr *even, *odd, *at, *next;

    if (!cx->cur || e->kind != SB_EXPR_ADD || (e->type != SB_F32 && e->type != SB_F64))
        return NULL;
    even = e->arg[0];
    odd = e->arg[1];
    if (even->kind != SB_EXPR_LOAD || odd->kind != SB_EXPR_LOAD ||
        even->u.buf != odd->u.buf || !sb_emit_find_local(cx, even->u.buf))
        return NULL;
    at = even->arg[0];
    next = odd->arg[0];
    return at->kind == SB_EXPR_MUL && at->arg[0]->kind == SB_EXPR_VAR &&
                   at->arg[0]->u.var == cx->cur->st->u.loop.var &&
                   at->arg[1]->kind == SB_EXPR_INT && at->arg[1]->u.i == 2 &&
                   next->kind == SB_EXPR_ADD && next->arg[0] == at &&
                   next->arg[1]->kind == SB_EXPR_INT && next->arg[1]->u.i == 1
               ? even->u.buf
               : NULL;
}

int
sb_emit_vec_bytes(const sb_emit *cx, const sb_expr *e)
{
    int most = (int)sb_dtype_size((sb_dtype)e->type);

    if (sb_emit_lane(cx, e) == SB_LANE_UNIFORM || !has_vector(cx, e) ||
        e->kind == SB_EXPR_LOAD)
        return most;
    if (e->kind == SB_EXPR_SELECT && sb_emit_lane(cx, e->arg[0]) != SB_LANE_UNIFORM)
        return most;
    for (int q = e->kind == SB_EXPR_SELECT; q < e->nargs; q++) {
        const int b = sb_emit_vec_bytes(cx, e->arg[q]);

        most = b > most ? b : most;
    }
    return most;
}

static void
vec_cast(sb_emit *cx, const sb_expr *e)
{
    const sb_dtype to = (sb_dtype)e->type, from = (sb_dtype)e->arg[0]->type;

    if (to == from) {
        sb_emit_vec(cx, e->arg[0], 9);
    } else if (sb_dtype_is_half(from) || sb_dtype_is_half(to)) {
        sb_strbuf_printf(cx->out, "SBK_V(cvt_%s_%s, ", sb_dtype_name(from),
                         sb_dtype_name(to));
        sb_emit_lanes(cx, cx->cur->cls);
        sb_strbuf_puts(cx->out, ")(");
        sb_emit_vec(cx, e->arg[0], 0);
        sb_strbuf_puts(cx->out, ")");
    } else {
        sb_strbuf_puts(cx->out, "__builtin_convertvector(");
        sb_emit_vec(cx, e->arg[0], 0);
        sb_strbuf_printf(cx->out, ", SBK_V(%s, ", sb_dtype_name(to));
        sb_emit_lanes(cx, cx->cur->cls);
        sb_strbuf_puts(cx->out, "))");
    }
}

static void
vec_call(sb_emit *cx, const char *fn, const sb_expr *e)
{
    sb_emit_call(cx, fn, (sb_dtype)e->type);
    sb_strbuf_puts(cx->out, "(");
    for (int q = 0; q < e->nargs; q++) {
        sb_strbuf_puts(cx->out, q ? ", " : "");
        sb_emit_vec(cx, e->arg[q], 0);
    }
    sb_strbuf_puts(cx->out, ")");
}

static void
vec_complex_mul(sb_emit *cx, const sb_expr *e)
{
    const bool left = sb_emit_lane(cx, e->arg[0]) == SB_LANE_UNIFORM;
    const bool right = sb_emit_lane(cx, e->arg[1]) == SB_LANE_UNIFORM;

    if (!left && !right) {
        vec_call(cx, "mul", e);
        return;
    }
    sb_emit_call(cx, "muls", (sb_dtype)e->type);
    sb_strbuf_puts(cx->out, "(");
    sb_emit_expr(cx, e->arg[left ? 0 : 1], 0);
    sb_strbuf_puts(cx->out, ", ");
    sb_emit_vec(cx, e->arg[left ? 1 : 0], 0);
    sb_strbuf_puts(cx->out, ")");
}

/* pair(x[l * 2 / lanes], x[l * 2 / lanes + 1]) */
static bool
vec_pair(sb_emit *cx, const sb_expr *e)
{
    const sb_buf *b = sb_emit_pair(cx, e);

    if (!b || !sb_emit_find_local(cx, b)->vector)
        return false;
    sb_emit_call(cx, "pair", (sb_dtype)e->type);
    sb_strbuf_puts(cx->out, "(");
    sb_emit_chunk(cx, b, e->arg[0]->arg[0]);
    sb_strbuf_puts(cx->out, ", ");
    sb_emit_buf(cx, b);
    sb_strbuf_puts(cx->out, "[");
    sb_emit_lane_var(cx);
    sb_strbuf_puts(cx->out, " * 2 / ");
    sb_emit_lanes(cx, cx->cur->cls);
    sb_strbuf_puts(cx->out, " + 1])");
    return true;
}

static void
vec_infix(sb_emit *cx, const sb_expr *e, int prec)
{
    const int own = sb_expr_kind_prec((sb_expr_kind)e->kind);

    sb_strbuf_puts(cx->out, own < prec ? "(" : "");
    sb_emit_vec(cx, e->arg[0], own);
    sb_strbuf_printf(cx->out, " %s ", sb_expr_kind_text((sb_expr_kind)e->kind));
    sb_emit_vec(cx, e->arg[1], own + 1);
    sb_strbuf_puts(cx->out, own < prec ? ")" : "");
}

static void
vec_select(sb_emit *cx, const sb_expr *e)
{
    if (sb_emit_by_bits(cx, e)) {
        sb_emit_bits(cx, e);
        return;
    }
    sb_strbuf_puts(cx->out, "(");
    sb_emit_expr(cx, e->arg[0], 2);
    sb_strbuf_puts(cx->out, " ? ");
    sb_emit_vec(cx, e->arg[1], 2);
    sb_strbuf_puts(cx->out, " : ");
    sb_emit_vec(cx, e->arg[2], 2);
    sb_strbuf_puts(cx->out, ")");
}

static void
vec_node(sb_emit *cx, const sb_expr *e, int prec)
{
    switch ((sb_expr_kind)e->kind) {
    case SB_EXPR_VAR:
        sb_emit_var(cx, e->u.var);
        break;
    case SB_EXPR_LOAD:
        if (sb_emit_gathered(cx, e))
            sb_emit_gather(cx, e);
        else
            sb_emit_vec_load(cx, e->u.buf, e->arg[0]);
        break;
    case SB_EXPR_NEG:
        sb_strbuf_puts(cx->out, "(-");
        sb_emit_vec(cx, e->arg[0], 9);
        sb_strbuf_puts(cx->out, ")");
        break;
    case SB_EXPR_CONJ:
        if (sb_dtype_is_complex((sb_dtype)e->type))
            vec_call(cx, "conj", e);
        else
            sb_emit_vec(cx, e->arg[0], prec);
        break;
    case SB_EXPR_MUL:
        if (sb_dtype_is_complex((sb_dtype)e->type))
            vec_complex_mul(cx, e);
        else
            vec_infix(cx, e, prec);
        break;
    case SB_EXPR_ADD:
    case SB_EXPR_SUB:
    case SB_EXPR_DIV:
        if (!vec_pair(cx, e))
            vec_infix(cx, e, prec);
        break;
    case SB_EXPR_MIN:
    case SB_EXPR_MAX:
        vec_call(cx, sb_expr_kind_text((sb_expr_kind)e->kind), e);
        break;
    case SB_EXPR_CAST:
        vec_cast(cx, e);
        break;
    case SB_EXPR_SELECT:
        vec_select(cx, e);
        break;
    default:
        sb_emit_fail(cx, "an operator without vector form");
    }
}

void
sb_emit_vec(sb_emit *cx, const sb_expr *e, int prec)
{
    if (sb_emit_lane(cx, e) == SB_LANE_UNIFORM) {
        sb_emit_call(cx, "splat", (sb_dtype)e->type);
        sb_strbuf_puts(cx->out, "(");
        sb_emit_expr(cx, e, 0);
        sb_strbuf_puts(cx->out, ")");
    } else if (has_vector(cx, e)) {
        vec_node(cx, e, prec);
    } else {
        each(cx, e);
    }
}
