/*
 * Vector loops. A full loop runs over chunks of SBK_N.. lanes; in a masked one the chunk
 * that is cut short is a second copy of the body with masked access, and chunks past the
 * end are not run.
 */
#include "compiler/emit.h"

#include <string.h>

static void
close_brace(sb_emit *cx, const char *text)
{
    cx->indent--;
    sb_emit_line(cx);
    sb_strbuf_puts(cx->out, text);
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
    sb_emit_vec_load(cx, b, st->u.store.idx[0]);
    sb_strbuf_puts(cx->out, st->u.store.op == SB_STORE_ADD ? " + " : ", ");
    sb_emit_vec(cx, st->u.store.value, st->u.store.op == SB_STORE_ADD ? 7 : 0);
    if (st->u.store.op != SB_STORE_ADD)
        sb_strbuf_puts(cx->out, ")");
}

/* Whether e is zero in lanes whose loads are masked away: products of loads. Adding it
 * leaves those lanes as they are. */
static bool
zero_beyond(const sb_emit *cx, const sb_expr *e)
{
    switch ((sb_expr_kind)e->kind) {
    case SB_EXPR_LOAD:
        return sb_emit_lane(cx, e) == SB_LANE_VARY && sb_emit_from_memory(cx, e->u.buf);
    case SB_EXPR_CAST:
    case SB_EXPR_CONJ:
        return zero_beyond(cx, e->arg[0]);
    case SB_EXPR_MUL:
        return zero_beyond(cx, e->arg[0]) && zero_beyond(cx, e->arg[1]);
    default:
        return false;
    }
}

/* acc += select(bit, a * b, 0): a multiply-add of the lanes that are set. */
static bool
store_bits(sb_emit *cx, const sb_stmt *st)
{
    const sb_expr *value = st->u.store.value, *rank = sb_emit_bit(cx, value);
    const sb_expr *product = rank ? value->arg[1] : NULL;

    if (!rank || st->u.store.op != SB_STORE_ADD || cx->masking ||
        product->kind != SB_EXPR_MUL)
        return false;
    sb_emit_chunk(cx, st->u.store.buf, st->u.store.idx[0]);
    sb_strbuf_puts(cx->out, " = ");
    sb_emit_call(cx, "fmk", (sb_dtype)value->type);
    sb_strbuf_puts(cx->out, "(");
    for (int q = 0; q < 2; q++) {
        sb_emit_vec(cx, product->arg[q], 0);
        sb_strbuf_puts(cx->out, ", ");
    }
    sb_emit_chunk(cx, st->u.store.buf, st->u.store.idx[0]);
    sb_strbuf_puts(cx->out, ", ");
    sb_emit_mask(cx, rank);
    sb_strbuf_puts(cx->out, ");\n");
    return true;
}

/* at += select(bit, n, 0) of integers: an addition of the lanes that are set. */
static bool
store_counts(sb_emit *cx, const sb_stmt *st)
{
    const sb_expr *value = st->u.store.value;

    if (value->type != SB_I32 || st->u.store.op != SB_STORE_ADD || cx->masking ||
        !sb_emit_by_bits(cx, value))
        return false;
    sb_emit_chunk(cx, st->u.store.buf, st->u.store.idx[0]);
    sb_strbuf_puts(cx->out, " = ");
    sb_emit_call(cx, "adk", SB_I32);
    sb_strbuf_puts(cx->out, "(");
    sb_emit_chunk(cx, st->u.store.buf, st->u.store.idx[0]);
    sb_strbuf_puts(cx->out, ", ");
    sb_emit_expr(cx, value->arg[1], 0);
    sb_strbuf_puts(cx->out, ", ");
    sb_emit_mask(cx, sb_emit_tested(value->arg[0]));
    sb_strbuf_puts(cx->out, ");\n");
    return true;
}

/* acc += a * b whose missing lanes are read but not added. */
static void
store_open(sb_emit *cx, const sb_stmt *st)
{
    const sb_expr *value = st->u.store.value;

    sb_emit_chunk(cx, st->u.store.buf, st->u.store.idx[0]);
    sb_strbuf_puts(cx->out, " = ");
    sb_emit_call(cx, "fml", (sb_dtype)value->type);
    sb_strbuf_puts(cx->out, "(");
    for (int q = 0; q < 2; q++) {
        sb_emit_vec(cx, value->arg[q], 0);
        sb_strbuf_puts(cx->out, ", ");
    }
    sb_emit_chunk(cx, st->u.store.buf, st->u.store.idx[0]);
    sb_strbuf_puts(cx->out, ", ");
    sb_emit_lane_var(cx);
    sb_strbuf_puts(cx->out, "_m_);\n");
}

/* keep: missing lanes stay as they are. */
static void
store_local(sb_emit *cx, const sb_stmt *st, bool keep)
{
    const sb_buf *b = st->u.store.buf;
    const bool add = st->u.store.op == SB_STORE_ADD && !keep;

    sb_emit_chunk(cx, b, st->u.store.idx[0]);
    sb_strbuf_puts(cx->out, add ? " += " : " = ");
    if (keep) {
        sb_emit_call(cx, "keep", b->type);
        sb_strbuf_puts(cx->out, "(");
    }
    if (add)
        sb_emit_vec(cx, st->u.store.value, 0);
    else
        stored_value(cx, st);
    if (keep) {
        sb_strbuf_puts(cx->out, ", ");
        sb_emit_chunk(cx, b, st->u.store.idx[0]);
        sb_strbuf_puts(cx->out, ", ");
        sb_emit_lane_var(cx);
        sb_strbuf_puts(cx->out, "_m_)");
    }
    sb_strbuf_puts(cx->out, ";\n");
}

static void
store(sb_emit *cx, const sb_stmt *st)
{
    const sb_emit_local *l = sb_emit_find_local(cx, st->u.store.buf);
    const bool cut = !l && sb_emit_by_tail(cx, st->u.store.buf, st->u.store.idx[0]);
    const bool stream = st->u.store.stream && (!cx->masking || cut) && !l;
    int64_t step;

    sb_emit_line(cx);
    if (cx->open) {
        store_open(cx, st);
        return;
    }
    if (l && l->vector && (store_bits(cx, st) || store_counts(cx, st)))
        return;
    if (l && l->vector) {
        store_local(cx, st,
                    l->mixed && cx->masking &&
                        (st->u.store.op != SB_STORE_ADD ||
                         !zero_beyond(cx, st->u.store.value)));
        return;
    }
    sb_emit_open_memory(
        cx,
        stream && sb_emit_step(cx, st->u.store.idx[0], &step) && step == 1 ? "nt"
                                                                           : "st",
        st->u.store.buf, st->u.store.idx[0]);
    cx->streams |= stream;
    sb_strbuf_puts(cx->out, ", ");
    stored_value(cx, st);
    sb_emit_close_memory(cx, st->u.store.buf, st->u.store.idx[0], true);
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

static void chunk(sb_emit *cx, sb_body body);

static void
branch(sb_emit *cx, const sb_stmt *st)
{
    sb_emit_line(cx);
    sb_strbuf_puts(cx->out, "if (");
    sb_emit_expr(cx, st->u.cond.cond, 0);
    sb_strbuf_puts(cx->out, ") {\n");
    cx->indent++;
    chunk(cx, st->u.cond.then);
    if (st->u.cond.els.n > 0) {
        close_brace(cx, "} else {\n");
        cx->indent++;
        chunk(cx, st->u.cond.els);
    }
    close_brace(cx, "}\n");
}

static void
chunk(sb_emit *cx, sb_body body)
{
    for (int q = 0; q < body.n; q++) {
        if (body.at[q]->kind == SB_STMT_LET)
            let(cx, body.at[q]);
        else if (body.at[q]->kind == SB_STMT_STORE)
            store(cx, body.at[q]);
        else if (body.at[q]->kind == SB_STMT_IF)
            branch(cx, body.at[q]);
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
    sb_emit_lane_var(cx);
    sb_strbuf_puts(cx->out, " = ");
    sb_emit_expr(cx, lo, 0);
    sb_strbuf_puts(cx->out, "; ");
    sb_emit_lane_var(cx);
    sb_strbuf_puts(cx->out, " < ");
    if (lo->kind == SB_EXPR_INT) {
        sb_strbuf_i64(cx->out, lo->u.i + count);
    } else {
        sb_emit_expr(cx, lo, 6);
        sb_strbuf_puts(cx->out, " + ");
        sb_strbuf_i64(cx->out, count);
    }
    sb_strbuf_puts(cx->out, "; ");
    sb_emit_lane_var(cx);
    sb_strbuf_puts(cx->out, " += ");
    sb_emit_lanes(cx, cx->cur->cls);
    sb_strbuf_puts(cx->out, ") {\n");
    cx->indent++;
}

/* const int64_t c_hi_ = hi;  const int c_m_ = lanes left in the chunk cut short, which of a
 * tail is the last, whole or not */
static void
mask_header(sb_emit *cx)
{
    const sb_stmt *st = cx->cur->st;

    sb_emit_line(cx);
    sb_strbuf_puts(cx->out, "const int64_t ");
    sb_emit_lane_var(cx);
    sb_strbuf_puts(cx->out, "_hi_ = ");
    sb_emit_expr(cx, st->u.loop.hi, 0);
    sb_strbuf_puts(cx->out, ";\n");
    sb_emit_line(cx);
    sb_strbuf_puts(cx->out, "const int ");
    sb_emit_lane_var(cx);
    sb_strbuf_puts(cx->out, cx->tail ? "_m_ SBK_UNUSED = 1 + (int)(("
                                     : "_m_ SBK_UNUSED = (int)((");
    sb_emit_lane_var(cx);
    sb_strbuf_puts(cx->out, "_hi_ - ");
    if (cx->tail)
        sb_strbuf_puts(cx->out, "1");
    else
        sb_emit_expr(cx, st->u.loop.lo, 7);
    sb_strbuf_puts(cx->out, ") & (");
    sb_emit_lanes(cx, cx->cur->cls);
    sb_strbuf_puts(cx->out, " - 1));\n");
}

/* A line's start that ends in the lane variable. */
static void
line_of_lane(sb_emit *cx, const char *head)
{
    sb_emit_line(cx);
    sb_strbuf_puts(cx->out, head);
    sb_emit_lane_var(cx);
}

static void
masked_body(sb_emit *cx, bool open)
{
    cx->masking = !open;
    cx->open = open;
    chunk(cx, cx->cur->body);
    cx->masking = cx->open = false;
}

/* The loop's note `open`: what is behind its end may be read, as far as its lanes go. */
static bool
is_open(const sb_stmt *st)
{
    for (int q = 0; q < st->u.loop.nnote; q++)
        if (strcmp(st->u.loop.note[q].key, "open") == 0)
            return true;
    return false;
}

static const char open_free[] = "SBK_OPEN_FREE";

/*
 * Whether the lanes are 0 .. min(all of them, n) and only add what is zero where it is masked
 * away: then a mask of all lanes, or of none, spares the tests. Answers with the macro that
 * says whether such masks cost nothing: of loads, or of gathers too; else NULL.
 */
static const char *
sums_first(const sb_emit *cx)
{
    const sb_stmt *st = cx->cur->st;
    const sb_expr *hi = st->u.loop.hi;
    const char *free = "SBK_LOAD_FREE";
    const bool open = is_open(st);

    if (st->u.loop.lo->kind != SB_EXPR_INT || st->u.loop.lo->u.i != 0 ||
        hi->kind != SB_EXPR_MIN || hi->arg[0]->kind != SB_EXPR_INT ||
        hi->arg[0]->u.i != st->u.loop.lanes)
        return NULL;
    for (int q = 0; q < cx->cur->body.n; q++) {
        const sb_stmt *s = cx->cur->body.at[q];

        if (s->kind == SB_STMT_LET)
            continue;
        if (s->kind != SB_STMT_STORE || s->u.store.op != SB_STORE_ADD ||
            !sb_emit_find_local(cx, s->u.store.buf))
            return NULL;
        if (sb_emit_product(cx, s->u.store.value))
            free = open ? open_free : "SBK_MASK_FREE";
        else if (open || !sb_emit_side_by_side(cx, s->u.store.value))
            return NULL;
    }
    return free;
}

/* if (SBK_MASK_FREE(lanes, all)) { the one chunk, masked } else { */
static void
masked_once(sb_emit *cx, const char *free)
{
    sb_emit_line(cx);
    sb_strbuf_printf(cx->out, "if (%s(", free);
    sb_emit_lanes(cx, cx->cur->cls);
    sb_strbuf_puts(cx->out, ", ");
    sb_strbuf_i64(cx->out, cx->cur->st->u.loop.lanes);
    sb_strbuf_puts(cx->out, ")) {\n");
    cx->indent++;
    line_of_lane(cx, "const int64_t ");
    sb_strbuf_puts(cx->out, " = 0;\n");
    line_of_lane(cx, "const int ");
    sb_strbuf_puts(cx->out, "_m_ = (int)sbk_max_i64(");
    sb_emit_lane_var(cx);
    sb_strbuf_puts(cx->out, "_hi_, 0);\n");
    masked_body(cx, free == open_free);
    close_brace(cx, "} else {\n");
    cx->indent++;
}

/* Whether the chunk is whole, or else at least begun. */
static void
chunk_test(sb_emit *cx, bool whole)
{
    if (cx->tail) {
        sb_emit_tail_test(cx, whole);
        return;
    }
    sb_emit_lane_var(cx);
    if (whole) {
        sb_strbuf_puts(cx->out, " + ");
        sb_emit_lanes(cx, cx->cur->cls);
    }
    sb_strbuf_puts(cx->out, whole ? " <= " : " < ");
    sb_emit_lane_var(cx);
    sb_strbuf_puts(cx->out, "_hi_");
}

static void
masked_loop(sb_emit *cx)
{
    const sb_stmt *st = cx->cur->st;
    const char *once = cx->tail ? NULL : sums_first(cx);
    bool named;

    sb_emit_line(cx);
    sb_strbuf_puts(cx->out, "{\n");
    cx->indent++;
    mask_header(cx);
    if (once)
        masked_once(cx, once);
    named = cx->tail && sb_emit_bases(cx);
    chunk_header(cx, st->u.loop.lo, st->u.loop.lanes);
    sb_emit_line(cx);
    sb_strbuf_puts(cx->out, "if (");
    chunk_test(cx, true);
    sb_strbuf_puts(cx->out, ") {\n");
    cx->indent++;
    chunk(cx, cx->cur->body);
    close_brace(cx, "} else if (");
    chunk_test(cx, false);
    sb_strbuf_puts(cx->out, ") {\n");
    cx->indent++;
    masked_body(cx, false);
    close_brace(cx, "}\n");
    close_brace(cx, "}\n");
    if (named)
        close_brace(cx, "}\n");
    cx->nbase = 0;
    if (once)
        close_brace(cx, "}\n");
    close_brace(cx, "}\n");
}

/* x[l] += x[l + h]: whole vectors while h covers them, then lanes within one. */
static void
fold(sb_emit *cx, const sb_emit_local *l, int h)
{
    const sb_buf *b = l->buf;

    chunk_header(cx, cx->cur->st->u.loop.lo, h);
    sb_emit_line(cx);
    sb_emit_buf(cx, b);
    sb_strbuf_puts(cx->out, "[");
    sb_emit_lane_var(cx);
    sb_strbuf_puts(cx->out, " / ");
    sb_emit_lanes(cx, l->cls);
    sb_strbuf_printf(cx->out, "] += %d %% ", h);
    sb_emit_lanes(cx, l->cls);
    sb_strbuf_puts(cx->out, " == 0 ? ");
    sb_emit_buf(cx, b);
    sb_strbuf_puts(cx->out, "[(");
    sb_emit_lane_var(cx);
    sb_strbuf_printf(cx->out, " + %d) / ", h);
    sb_emit_lanes(cx, l->cls);
    sb_strbuf_puts(cx->out, "] : ");
    sb_emit_call(cx, "down", b->type);
    sb_strbuf_puts(cx->out, "(");
    sb_emit_buf(cx, b);
    sb_strbuf_printf(cx->out, "[0], %d %% ", h);
    sb_emit_lanes(cx, l->cls);
    sb_strbuf_puts(cx->out, ");\n");
    close_brace(cx, "}\n");
}

void
sb_emit_vector_loop(sb_emit *cx, const sb_emit_loop *loop)
{
    sb_emit_loop as = *loop;
    int64_t lo, hi;

    if (loop->fold) {
        const sb_emit_local *l =
            sb_emit_find_local(cx, loop->st->u.loop.body.at[0]->u.store.buf);

        as.cls = l->cls;
        sb_emit_enter(cx, &as);
        fold(cx, l, loop->fold);
        sb_emit_leave(cx);
        return;
    }
    if (loop->guard) {
        sb_emit_line(cx);
        sb_strbuf_puts(cx->out, "if (");
        sb_emit_expr(cx, loop->guard, 0);
        sb_strbuf_puts(cx->out, ") {\n");
        cx->indent++;
    }
    sb_emit_enter(cx, loop);
    if (loop->masked && loop->global) {
        masked_loop(cx);
    } else {
        /* locals have room for all lanes, so missing ones may be computed */
        const bool known = sb_emit_const_trip(loop->st, &lo, &hi) && !loop->masked;

        const int64_t count = known ? hi - lo : loop->st->u.loop.lanes;
        const bool named = count * loop->cls.bytes >= 128 && sb_emit_bases(cx);

        chunk_header(cx, loop->st->u.loop.lo, count);
        chunk(cx, cx->cur->body);
        close_brace(cx, "}\n");
        if (named)
            close_brace(cx, "}\n");
        cx->nbase = 0;
    }
    sb_emit_leave(cx);
    if (loop->guard)
        close_brace(cx, "}\n");
}
