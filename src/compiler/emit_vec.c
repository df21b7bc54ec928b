/*
 * Vector loops. A full loop runs over chunks of SBK_N.. lanes; in a masked one the chunk
 * that is cut short is a second copy of the body with masked access, and chunks past the
 * end are not run. Inside a chunk the lane variable is the chunk's first lane, so a
 * linear index written as a scalar is the chunk's address. What has no vector form is
 * computed lane by lane (SBK_EACH) and stays in registers.
 */
#include "base/fault.h"
#include "compiler/emit.h"

void
sb_emit_lanes(sb_emit *cx, sb_emit_class c)
{
    sb_strbuf_printf(cx->out, "SBK_N%d_%d", c.bytes, c.lanes);
}

void
sb_emit_call(sb_emit *cx, const char *fn, sb_dtype t)
{
    sb_strbuf_printf(cx->out, "SBK_V(%s_%s, ", fn, sb_dtype_name(t));
    sb_emit_lanes(cx, cx->cur->cls);
    sb_strbuf_puts(cx->out, ")");
}

static void
lane_var(sb_emit *cx)
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
    lane_var(cx);
    sb_strbuf_puts(cx->out, ", ");
    if (cx->masking) {
        lane_var(cx);
        sb_strbuf_puts(cx->out, "_m_, ");
    } else if (pairs) {
        sb_emit_lanes(cx, cx->cur->cls);
        sb_strbuf_puts(cx->out, ", ");
    }
    inner_lets(cx, e);
    sb_emit_expr(cx, e, 0);
    sb_strbuf_puts(cx->out, ")");
}

/* acc[(index) / lanes] */
static void
chunk_of_local(sb_emit *cx, const sb_buf *b, const sb_expr *idx)
{
    sb_emit_buf(cx, b);
    sb_strbuf_puts(cx->out, "[");
    sb_emit_expr(cx, idx, 8);
    sb_strbuf_puts(cx->out, " / ");
    sb_emit_lanes(cx, cx->cur->cls);
    sb_strbuf_puts(cx->out, "]");
}

/* Start of a memory operation: SBK_V(ld_f32, N)(A + index[, step] */
static void
open_memory(sb_emit *cx, const char *op, const sb_buf *b, const sb_expr *idx)
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
        fn[n++] = 'm';
    fn[n] = '\0';
    sb_emit_call(cx, fn, (sb_dtype)b->type);
    sb_strbuf_puts(cx->out, "(");
    sb_emit_buf(cx, b);
    sb_strbuf_puts(cx->out, " + ");
    sb_emit_expr(cx, idx, 7);
    if (!unit) {
        sb_strbuf_puts(cx->out, ", ");
        sb_emit_step_text(cx, idx);
    }
}

static void
close_memory(sb_emit *cx, bool store)
{
    if (cx->masking) {
        sb_strbuf_puts(cx->out, ", ");
        lane_var(cx);
        sb_strbuf_puts(cx->out, "_m_");
        if (store && SB_FAULT(TAIL_LANE))
            sb_strbuf_puts(cx->out, " - 1");
    }
    sb_strbuf_puts(cx->out, ")");
}

static void
load(sb_emit *cx, const sb_buf *b, const sb_expr *idx)
{
    const sb_emit_local *l = sb_emit_find_local(cx, b);

    if (l && l->vector) {
        chunk_of_local(cx, b, idx);
        return;
    }
    open_memory(cx, "ld", b, idx);
    close_memory(cx, false);
}

/* Conversions with a vector form; 16-bit floats only to and from f32. */
static bool
cast_has_vector(sb_dtype from, sb_dtype to)
{
    const bool half_from = from == SB_F16 || from == SB_BF16;
    const bool half_to = to == SB_F16 || to == SB_BF16;

    if (from == SB_BOOL || to == SB_BOOL)
        return false;
    if (half_from || half_to)
        return half_from ? to == SB_F32 : from == SB_F32;
    return sb_dtype_is_complex(from) == sb_dtype_is_complex(to);
}

/* Whether e, which varies, is written with vector operations rather than by lane. */
static bool
has_vector(const sb_emit *cx, const sb_expr *e)
{
    const sb_dtype t = (sb_dtype)e->type;
    const bool whole = t != SB_F16 && t != SB_BF16 && t != SB_BOOL;

    switch ((sb_expr_kind)e->kind) {
    case SB_EXPR_VAR:
        return !sb_dtype_is_int(t) && t != SB_BOOL;
    case SB_EXPR_LOAD:
        return t != SB_BOOL && sb_emit_lane(cx, e->arg[0]) == SB_LANE_LINEAR;
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
        return sb_emit_lane(cx, e->arg[0]) == SB_LANE_UNIFORM &&
               e->arg[1]->type == e->arg[2]->type;
    default:
        return false;
    }
}

int
sb_emit_vec_bytes(const sb_emit *cx, const sb_expr *e)
{
    int most = (int)sb_dtype_size((sb_dtype)e->type);

    if (sb_emit_lane(cx, e) == SB_LANE_UNIFORM || !has_vector(cx, e) ||
        e->kind == SB_EXPR_LOAD)
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
    } else if (from == SB_F16 || from == SB_BF16 || to == SB_F16 || to == SB_BF16) {
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
vec_node(sb_emit *cx, const sb_expr *e, int prec)
{
    switch ((sb_expr_kind)e->kind) {
    case SB_EXPR_VAR:
        sb_emit_var(cx, e->u.var);
        break;
    case SB_EXPR_LOAD:
        load(cx, e->u.buf, e->arg[0]);
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
        sb_strbuf_puts(cx->out, "(");
        sb_emit_expr(cx, e->arg[0], 2);
        sb_strbuf_puts(cx->out, " ? ");
        sb_emit_vec(cx, e->arg[1], 2);
        sb_strbuf_puts(cx->out, " : ");
        sb_emit_vec(cx, e->arg[2], 2);
        sb_strbuf_puts(cx->out, ")");
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

/* The value stored: for += and the like combined with what is there. */
static void
stored_value(sb_emit *cx, const sb_stmt *st)
{
    const sb_buf *b = st->u.store.buf;

    if (st->u.store.op == SB_STORE_SET) {
        sb_emit_vec(cx, st->u.store.value, 0);
        return;
    }
    if (st->u.store.op != SB_STORE_ADD) {
        sb_emit_call(cx, st->u.store.op == SB_STORE_MIN ? "min" : "max",
                     (sb_dtype)b->type);
        sb_strbuf_puts(cx->out, "(");
    }
    load(cx, b, st->u.store.idx[0]);
    sb_strbuf_puts(cx->out, st->u.store.op == SB_STORE_ADD ? " + " : ", ");
    sb_emit_vec(cx, st->u.store.value, st->u.store.op == SB_STORE_ADD ? 7 : 0);
    if (st->u.store.op != SB_STORE_ADD)
        sb_strbuf_puts(cx->out, ")");
}

static void
store(sb_emit *cx, const sb_stmt *st)
{
    const sb_emit_local *l = sb_emit_find_local(cx, st->u.store.buf);
    const bool stream = st->u.store.stream && !cx->masking && !l;
    int64_t step;

    sb_emit_line(cx);
    if (l && l->vector) {
        chunk_of_local(cx, st->u.store.buf, st->u.store.idx[0]);
        if (st->u.store.op == SB_STORE_ADD) {
            sb_strbuf_puts(cx->out, " += ");
            sb_emit_vec(cx, st->u.store.value, 0);
        } else {
            sb_strbuf_puts(cx->out, " = ");
            stored_value(cx, st);
        }
        sb_strbuf_puts(cx->out, ";\n");
        return;
    }
    open_memory(cx,
                stream && sb_emit_step(cx, st->u.store.idx[0], &step) && step == 1
                    ? "nt"
                    : "st",
                st->u.store.buf, st->u.store.idx[0]);
    cx->streams |= stream;
    sb_strbuf_puts(cx->out, ", ");
    stored_value(cx, st);
    close_memory(cx, true);
    sb_strbuf_puts(cx->out, ";\n");
}

/* Lets that vary as integers have no vector; those who need one compute it by lane. */
static void
let(sb_emit *cx, const sb_stmt *st)
{
    const sb_emit_let *l = sb_emit_find_let(cx, st->u.let.var);
    const sb_dtype t = st->u.let.var->type;
    const bool vector = l && l->lane == SB_LANE_VARY;

    if (!l || !sb_emit_is_used(cx, l->var) ||
        (vector && (sb_dtype_is_int(t) || t == SB_BOOL)))
        return;
    sb_emit_line(cx);
    if (vector) {
        sb_strbuf_printf(cx->out, "const SBK_V(%s, ", sb_dtype_name(t));
        sb_emit_lanes(cx, cx->cur->cls);
        sb_strbuf_puts(cx->out, ") SBK_UNUSED ");
    } else {
        sb_strbuf_printf(cx->out, "const %s SBK_UNUSED ", sb_emit_ctype(t));
    }
    sb_emit_var(cx, l->var);
    sb_strbuf_puts(cx->out, " = ");
    if (vector)
        sb_emit_vec(cx, l->value, 0);
    else
        sb_emit_expr(cx, l->value, 0);
    sb_strbuf_puts(cx->out, ";\n");
}

static void
chunk(sb_emit *cx)
{
    const sb_body body = cx->cur->st->u.loop.body;

    for (int q = 0; q < body.n; q++) {
        if (body.at[q]->kind == SB_STMT_LET)
            let(cx, body.at[q]);
        else if (body.at[q]->kind == SB_STMT_STORE)
            store(cx, body.at[q]);
        else
            sb_emit_prefetch(cx, body.at[q]);
    }
}

/* for (int64_t c = lo; c < lo + count; c += lanes) */
static void
chunk_header(sb_emit *cx, const sb_expr *lo, int64_t count)
{
    const sb_stmt *st = cx->cur->st;

    if (count <= 256) {
        sb_emit_line(cx);
        sb_strbuf_puts(cx->out, "SBK_UNROLL\n");
    }
    sb_emit_line(cx);
    sb_strbuf_printf(cx->out, "for (%s ", sb_emit_ctype(st->u.loop.var->type));
    lane_var(cx);
    sb_strbuf_puts(cx->out, " = ");
    sb_emit_expr(cx, lo, 0);
    sb_strbuf_puts(cx->out, "; ");
    lane_var(cx);
    sb_strbuf_puts(cx->out, " < ");
    if (lo->kind == SB_EXPR_INT) {
        sb_strbuf_i64(cx->out, lo->u.i + count);
    } else {
        sb_emit_expr(cx, lo, 6);
        sb_strbuf_puts(cx->out, " + ");
        sb_strbuf_i64(cx->out, count);
    }
    sb_strbuf_puts(cx->out, "; ");
    lane_var(cx);
    sb_strbuf_puts(cx->out, " += ");
    sb_emit_lanes(cx, cx->cur->cls);
    sb_strbuf_puts(cx->out, ") {\n");
    cx->indent++;
}

static void
close_brace(sb_emit *cx, const char *text)
{
    cx->indent--;
    sb_emit_line(cx);
    sb_strbuf_puts(cx->out, text);
}

/* const int64_t c_hi_ = hi;  const int c_m_ = lanes left in the chunk cut short */
static void
mask_header(sb_emit *cx)
{
    const sb_stmt *st = cx->cur->st;

    sb_emit_line(cx);
    sb_strbuf_puts(cx->out, "const int64_t ");
    lane_var(cx);
    sb_strbuf_puts(cx->out, "_hi_ = ");
    sb_emit_expr(cx, st->u.loop.hi, 0);
    sb_strbuf_puts(cx->out, ";\n");
    sb_emit_line(cx);
    sb_strbuf_puts(cx->out, "const int ");
    lane_var(cx);
    sb_strbuf_puts(cx->out, "_m_ SBK_UNUSED = (int)((");
    lane_var(cx);
    sb_strbuf_puts(cx->out, "_hi_ - ");
    sb_emit_expr(cx, st->u.loop.lo, 7);
    sb_strbuf_puts(cx->out, ") & (");
    sb_emit_lanes(cx, cx->cur->cls);
    sb_strbuf_puts(cx->out, " - 1));\n");
}

static void
masked_loop(sb_emit *cx)
{
    const sb_stmt *st = cx->cur->st;

    sb_emit_line(cx);
    sb_strbuf_puts(cx->out, "{\n");
    cx->indent++;
    mask_header(cx);
    chunk_header(cx, st->u.loop.lo, st->u.loop.lanes);
    sb_emit_line(cx);
    sb_strbuf_puts(cx->out, "if (");
    lane_var(cx);
    sb_strbuf_puts(cx->out, " + ");
    sb_emit_lanes(cx, cx->cur->cls);
    sb_strbuf_puts(cx->out, " <= ");
    lane_var(cx);
    sb_strbuf_puts(cx->out, "_hi_) {\n");
    cx->indent++;
    chunk(cx);
    close_brace(cx, "} else if (");
    lane_var(cx);
    sb_strbuf_puts(cx->out, " < ");
    lane_var(cx);
    sb_strbuf_puts(cx->out, "_hi_) {\n");
    cx->indent++;
    cx->masking = true;
    chunk(cx);
    cx->masking = false;
    close_brace(cx, "}\n");
    close_brace(cx, "}\n");
    close_brace(cx, "}\n");
}

void
sb_emit_vector_loop(sb_emit *cx, const sb_emit_loop *loop)
{
    int64_t lo, hi;

    sb_emit_enter(cx, loop);
    if (loop->masked && loop->global) {
        masked_loop(cx);
    } else {
        /* locals have room for all lanes, so missing ones may be computed */
        const bool known = sb_emit_const_trip(loop->st, &lo, &hi) && !loop->masked;

        chunk_header(cx, loop->st->u.loop.lo, known ? hi - lo : loop->st->u.loop.lanes);
        chunk(cx);
        close_brace(cx, "}\n");
    }
    sb_emit_leave(cx);
}
