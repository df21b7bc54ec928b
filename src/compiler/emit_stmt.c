/*
 * Statements as C, one line each, names kept. Loops over tiles and rows stay loops: the
 * executor splits the tile range over threads from outside.
 */
#include "base/fault.h"
#include "compiler/emit_simt.h"

#define UNROLL_COPIES 256 /* statements an unrolled loop may be written out to */

void
sb_emit_line(sb_emit *cx)
{
    for (int q = 0; q < cx->indent; q++)
        sb_strbuf_puts(cx->out, "    ");
}

static void
open_brace(sb_emit *cx)
{
    sb_strbuf_puts(cx->out, "{\n");
    cx->indent++;
}

static void
close_brace(sb_emit *cx, const char *after)
{
    cx->indent--;
    sb_emit_line(cx);
    sb_strbuf_printf(cx->out, "}%s", after);
}

static int
statements(sb_body body)
{
    int n = 0;

    for (int q = 0; q < body.n; q++) {
        const sb_stmt *st = body.at[q];
        int64_t lo, hi;

        n++;
        if (st->kind == SB_STMT_IF)
            n += statements(st->u.cond.then) + statements(st->u.cond.els);
        if (st->kind != SB_STMT_FOR)
            continue;
        if (st->u.loop.how == SB_LOOP_UNROLL && sb_emit_const_trip(st, &lo, &hi) &&
            hi - lo <= UNROLL_COPIES)
            n += (int)(hi - lo) * statements(st->u.loop.body);
        else
            n += statements(st->u.loop.body);
        n = n > 1000 * UNROLL_COPIES ? 1000 * UNROLL_COPIES : n;
    }
    return n;
}

/* Whether the variable of a loop appears in its body. */
static bool
var_used(const sb_emit *cx, const sb_stmt *st)
{
    return sb_emit_is_used(cx, st->u.loop.var);
}

/* The body once per trip, with the variable a constant in each. */
static void
written_out(sb_emit *cx, const sb_stmt *st, int64_t lo, int64_t hi)
{
    for (int64_t v = lo; v < hi; v++) {
        sb_emit_line(cx);
        open_brace(cx);
        if (var_used(cx, st)) {
            sb_emit_line(cx);
            sb_strbuf_printf(cx->out, "const %s ", sb_emit_ctype(st->u.loop.var->type));
            sb_emit_var(cx, st->u.loop.var);
            sb_strbuf_puts(cx->out, " = ");
            sb_strbuf_i64(cx->out, v);
            sb_strbuf_puts(cx->out, ";\n");
        }
        sb_emit_body(cx, st->u.loop.body);
        close_brace(cx, "\n");
    }
}

/* for (int64_t i = lo, i_hi_ = hi; i < i_hi_; i++): bounds are read once */
static void
counted(sb_emit *cx, const sb_stmt *st, const char *pragma)
{
    const sb_expr *hi = st->u.loop.hi;
    const bool simple = hi->kind == SB_EXPR_INT;

    if (pragma) {
        sb_emit_line(cx);
        sb_strbuf_printf(cx->out, "%s\n", pragma);
    }
    sb_emit_line(cx);
    sb_strbuf_printf(cx->out, "for (%s ", sb_emit_ctype(st->u.loop.var->type));
    sb_emit_var(cx, st->u.loop.var);
    sb_strbuf_puts(cx->out, " = ");
    sb_emit_expr(cx, st->u.loop.lo, 0);
    if (!simple) {
        sb_strbuf_puts(cx->out, ", ");
        sb_emit_var(cx, st->u.loop.var);
        sb_strbuf_puts(cx->out, "_hi_ = ");
        sb_emit_expr(cx, hi, 0);
    }
    sb_strbuf_puts(cx->out, "; ");
    sb_emit_var(cx, st->u.loop.var);
    sb_strbuf_puts(cx->out, " < ");
    if (simple) {
        sb_emit_expr(cx, hi, 0);
    } else {
        sb_emit_var(cx, st->u.loop.var);
        sb_strbuf_puts(cx->out, "_hi_");
    }
    sb_strbuf_puts(cx->out, "; ");
    sb_emit_var(cx, st->u.loop.var);
    sb_strbuf_puts(cx->out, "++) ");
    open_brace(cx);
    sb_emit_body(cx, st->u.loop.body);
    close_brace(cx, "\n");
}

/* Whether the local of a fold is in registers. */
static bool
folds(const sb_emit *cx, const sb_stmt *st)
{
    return sb_emit_find_local(cx, st->u.loop.body.at[0]->u.store.buf)->vector;
}

static void
loop(sb_emit *cx, const sb_stmt *st)
{
    const sb_emit_loop *lanes = sb_emit_find_loop(cx, st);
    const char *pragma = NULL;
    int64_t lo, hi;

    if (cx->simt ? sb_simt_loop(cx, st)
                 : sb_emit_few(cx, st) || sb_emit_join(cx, st) ||
                       sb_emit_rows(cx, st) || sb_emit_diags(cx, st))
        return;
    if (!cx->simt && lanes && lanes->vector && !cx->cur &&
        !(lanes->fold && !folds(cx, st))) {
        sb_emit_vector_loop(cx, lanes);
        return;
    }
    if (st->u.loop.how == SB_LOOP_UNROLL && !(cx->simt && cx->simt->lane) &&
        sb_emit_const_trip(st, &lo, &hi) && hi - lo <= UNROLL_COPIES &&
        (hi - lo) * statements(st->u.loop.body) <= UNROLL_COPIES) {
        written_out(cx, st, lo, hi);
        return;
    }
    if (st->u.loop.how == SB_LOOP_UNROLL || sb_emit_forced_unroll(cx, st))
        pragma = "SBK_UNROLL";
    else if (cx->simt && sb_simt_together(st))
        pragma = sb_simt_together(st);
    else if (st->u.loop.how == SB_LOOP_VECTOR && !cx->simt)
        pragma = "SBK_LANES";
    counted(cx, st, pragma);
}

static void
local(sb_emit *cx, const sb_buf *b)
{
    const sb_emit_local *l = sb_emit_find_local(cx, b);

    if (!l || !sb_emit_is_used(cx, b))
        return;
    sb_emit_line(cx);
    if (cx->simt && b->shared) {
        sb_simt_shared_local(cx, b);
        return;
    }
    if (cx->simt && l->vector) {
        sb_simt_local(cx, l);
        return;
    }
    if (l->vector) {
        sb_strbuf_printf(cx->out, "SBK_V(%s, ", sb_dtype_name((sb_dtype)b->type));
        sb_emit_lanes(cx, l->cls);
        sb_strbuf_puts(cx->out, ") ");
    } else {
        sb_strbuf_printf(cx->out, "%s ", sb_emit_ctype(b->type));
    }
    sb_emit_buf(cx, b);
    sb_strbuf_puts(cx->out, "[");
    sb_strbuf_i64(cx->out, b->extent[0]->u.i);
    if (l->vector) {
        sb_strbuf_puts(cx->out, " / ");
        sb_emit_lanes(cx, l->cls);
    }
    sb_strbuf_puts(cx->out, "];\n");
}

static void
let(sb_emit *cx, const sb_stmt *st)
{
    if (!sb_emit_is_used(cx, st->u.let.var))
        return;
    sb_emit_line(cx);
    sb_strbuf_printf(cx->out, "const %s ", sb_emit_ctype(st->u.let.var->type));
    sb_emit_var(cx, st->u.let.var);
    sb_strbuf_puts(cx->out, " = ");
    sb_emit_expr(cx, st->u.let.value, 0);
    sb_strbuf_puts(cx->out, ";\n");
}

static const char *
update_name(const sb_stmt *st)
{
    return st->u.store.op == SB_STORE_ADD   ? "add"
           : st->u.store.op == SB_STORE_MIN ? "min"
                                            : "max";
}

/* sbk_atomic_add_f32(C + i, v): threads come from outside, so no pragma would do. */
static void
atomic(sb_emit *cx, const sb_stmt *st)
{
    sb_strbuf_printf(cx->out, "sbk_atomic_%s_%s(&", update_name(st),
                     sb_dtype_name(st->u.store.buf->type));
    sb_emit_element(cx, st->u.store.buf, st->u.store.idx[0]);
    sb_strbuf_puts(cx->out, ", ");
    sb_emit_expr(cx, st->u.store.value, 0);
    sb_strbuf_puts(cx->out, ");\n");
}

static void
plain_store(sb_emit *cx, const sb_stmt *st)
{
    const sb_buf *b = st->u.store.buf;
    const sb_expr *idx = st->u.store.idx[0], *value = st->u.store.value;
    const bool z = sb_dtype_is_complex(b->type);

    if (!cx->simt || !sb_simt_kept(cx, st))
        sb_emit_element(cx, b, idx);
    if (st->u.store.op == SB_STORE_SET) {
        sb_strbuf_puts(cx->out, " = ");
        sb_emit_expr(cx, value, 0);
    } else if (st->u.store.op == SB_STORE_ADD && !z) {
        sb_strbuf_puts(cx->out, " += ");
        sb_emit_expr(cx, value, 0);
    } else {
        sb_strbuf_printf(cx->out, " = sbk_%s_%s(", update_name(st),
                         sb_dtype_name(b->type));
        sb_emit_element(cx, b, idx);
        sb_strbuf_puts(cx->out, ", ");
        sb_emit_expr(cx, value, 0);
        sb_strbuf_puts(cx->out, ")");
    }
    sb_strbuf_puts(cx->out, ";\n");
}

static void
store(sb_emit *cx, const sb_stmt *st)
{
    if (cx->simt)
        sb_simt_store_begin(cx, st);
    sb_emit_line(cx);
    if (cx->simt && sb_simt_copies(st))
        sb_simt_copy(cx, st);
    else if (st->u.store.atomic && !SB_FAULT(ATOMIC_PLAIN))
        atomic(cx, st);
    else
        plain_store(cx, st);
    if (cx->simt)
        sb_simt_store_end(cx);
}

static void
branch(sb_emit *cx, const sb_stmt *st)
{
    sb_emit_line(cx);
    sb_strbuf_puts(cx->out, "if (");
    sb_emit_expr(cx, st->u.cond.cond, 0);
    sb_strbuf_puts(cx->out, ") ");
    open_brace(cx);
    sb_emit_body(cx, st->u.cond.then);
    if (st->u.cond.els.n > 0) {
        close_brace(cx, " else ");
        open_brace(cx);
        sb_emit_body(cx, st->u.cond.els);
    }
    close_brace(cx, "\n");
}

/* In a vector loop one address a cache line is enough. */
void
sb_emit_prefetch(sb_emit *cx, const sb_stmt *st)
{
    const sb_buf *b = st->u.prefetch.buf;
    const sb_expr *idx = st->u.prefetch.idx[0];
    const bool lanes = cx->cur && sb_emit_lane(cx, idx) == SB_LANE_LINEAR;

    if (cx->simt || b->role == SB_BUF_LOCAL || st->u.prefetch.n != 1 ||
        (cx->cur && sb_emit_lane(cx, idx) == SB_LANE_VARY))
        return;
    sb_emit_line(cx);
    sb_strbuf_puts(cx->out, lanes ? "SBK_PREFETCH(" : "__builtin_prefetch(");
    if (lanes) {
        sb_emit_address(cx, b, idx);
        sb_strbuf_puts(cx->out, ", ");
        sb_emit_var(cx, cx->cur->st->u.loop.var);
        sb_strbuf_puts(cx->out, ", ");
        sb_emit_lanes(cx, cx->cur->cls);
        sb_strbuf_puts(cx->out, st->u.prefetch.far ? ", 2" : ", 3");
    } else {
        sb_emit_buf(cx, b);
        sb_strbuf_puts(cx->out, " + ");
        sb_emit_expr(cx, idx, 7);
        sb_strbuf_puts(cx->out, st->u.prefetch.far ? ", 0, 2" : "");
    }
    sb_strbuf_puts(cx->out, ");\n");
}

void
sb_emit_body(sb_emit *cx, sb_body body)
{
    if (sb_emit_tail(cx, body))
        return;
    for (int q = 0; q < body.n; q++) {
        const sb_stmt *st = body.at[q];

        if (cx->simt)
            sb_simt_sync(cx, st);
        switch ((sb_stmt_kind)st->kind) {
        case SB_STMT_FOR:
            loop(cx, st);
            break;
        case SB_STMT_LET:
            let(cx, st);
            break;
        case SB_STMT_LOCAL:
            local(cx, st->u.local.buf);
            break;
        case SB_STMT_STORE:
            store(cx, st);
            break;
        case SB_STMT_IF:
            branch(cx, st);
            break;
        case SB_STMT_PREFETCH:
            sb_emit_prefetch(cx, st);
            break;
        case SB_STMT_BLOCK:
            if (st->u.block.tensor &&
                (cx->simt ? sb_simt_tensor(cx, st) : sb_emit_tensor(cx, st)))
                break;
            sb_emit_line(cx);
            open_brace(cx);
            sb_emit_body(cx, st->u.block.body);
            close_brace(cx, "\n");
            break;
        case SB_STMT_ITER:
            sb_emit_fail(cx, "a sparse iteration in a stage III program");
            break;
        }
    }
}
