/*
 * Sums of neighbouring rows as one call. Of a loop over 16 rows that a schedule marks with the
 * note `rows` (spblas_rows.h):
 *
 *   for %r in 0 .. 16 note(rows, 16) {
 *     for %q in cast(i64, $ptr[%i + %r]) - from .. cast(i64, $ptr[%i + %r + 1]) - from {
 *       $sum[%r] += $term[%q]
 *     }
 *   }
 *   -> SBK_V(rows_i32_f32, SBK_N4_16)(sum, term, ptr + i, from);
 *
 * and of one over 8 rows with the note `flow` (spblas_flow.h), of which a program has one:
 *
 *   for %r in 0 .. 8 note(flow, 8) {
 *     for %q in cast(i64, $ptr[%i + %r]) - from .. cast(i64, $ptr[%i + %r + 1]) - from {
 *       prefetch $a[%q + ahead]                                  ; or neither: ahead is 0
 *       prefetch $crd[%q + ahead]
 *       $sum[%r] += $a[%q] * $x[cast(i64, $crd[%q]) - base]
 *     }
 *   }
 *   -> SBK_V(flow_i32_i32_f32, SBK_N4_8)(sum, a, crd, x + (0 - base), ptr + i, from, ahead,
 *                                        &flow_);
 *
 * Any other loop is written as it stands. What the calls read behind the rows is the program's to
 * have: SBK_ROWS_BEHIND elements of $term, whatever they are, and SBK_FLOW_BEHIND entries.
 */
#include "compiler/emit.h"

#include "compiler/affine.h"
#include "compiler/rewrite.h"

enum { ROWS = 16, FLOW = 8 };

typedef struct rows {
    const sb_emit_local *sum;
    const sb_buf *term; /* or $a */
    const sb_expr *ptr; /* of the first row, a load */
    const sb_expr *from;
    const sb_buf *x, *crd; /* of flow */
    const sb_expr *shift;  /* of $x */
    const sb_expr *ahead;  /* entries; NULL: none is asked for */
} rows;

static const sb_expr *
load_of(const sb_expr *offset)
{
    return offset->kind == SB_EXPR_CAST ? offset->arg[0] : offset;
}

/* $of[%q], elements of this type */
static bool
is_side(const sb_expr *e, sb_dtype type, const sb_var *q)
{
    return e->kind == SB_EXPR_LOAD && e->u.buf->type == type &&
           e->arg[0]->kind == SB_EXPR_VAR && e->arg[0]->u.var == q;
}

/* $a[%q] * $x[cast(i64, $crd[%q]) - base] */
static bool
match_product(rows *f, sb_emit *cx, const sb_expr *e, sb_dtype type, const sb_var *q)
{
    const sb_expr *x, *column, *col;

    if (e->kind != SB_EXPR_MUL || !is_side(e->arg[0], type, q))
        return false;
    x = e->arg[1];
    if (x->kind != SB_EXPR_LOAD || x->u.buf->type != type)
        return false;
    column = sb_emit_offset_of(x->arg[0]);
    col = load_of(column);
    f->term = e->arg[0]->u.buf;
    f->x = x->u.buf;
    f->crd = col->kind == SB_EXPR_LOAD ? col->u.buf : NULL;
    f->shift = sb_expr_minus(cx->ir, x->arg[0], column);
    return f->crd && (col->type == SB_I32 || col->type == SB_I64) &&
           is_side(col, col->type, q) && f->shift && !sb_expr_uses(f->shift, q);
}

/* $sum[%r] += $term[%q], or a product */
static bool
match_store(rows *f, sb_emit *cx, const sb_stmt *st, const sb_var *r, const sb_var *q,
            int n)
{
    const sb_expr *x;
    sb_dtype type;

    if (st->kind != SB_STMT_STORE || st->u.store.op != SB_STORE_ADD ||
        st->u.store.n != 1)
        return false;
    x = st->u.store.value;
    type = (sb_dtype)x->type;
    f->sum = sb_emit_find_local(cx, st->u.store.buf);
    if (!f->sum || !f->sum->vector || f->sum->buf->extent[0]->u.i != n ||
        (type != SB_F32 && type != SB_F64) || st->u.store.buf->type != type ||
        f->sum->cls.bytes != (int)sb_dtype_size(type) || f->sum->cls.lanes != n ||
        st->u.store.idx[0]->kind != SB_EXPR_VAR || st->u.store.idx[0]->u.var != r)
        return false;
    if (n == FLOW)
        return match_product(f, cx, x, type, q);
    f->term = x->kind == SB_EXPR_LOAD ? x->u.buf : NULL;
    return is_side(x, type, q);
}

/* prefetch $of[%q + ahead] */
static const sb_expr *
ahead_of(sb_emit *cx, const sb_stmt *st, const sb_buf *of, const sb_var *q)
{
    const sb_expr *idx, *at;

    if (st->kind != SB_STMT_PREFETCH || st->u.prefetch.buf != of ||
        st->u.prefetch.n != 1 || st->u.prefetch.far)
        return NULL;
    idx = st->u.prefetch.idx[0];
    at = sb_expr_at(cx->ir, idx, q, 0);
    return at && sb_expr_differ_by(cx->ir, sb_expr_at(cx->ir, idx, q, 1), at, 1) &&
                   sb_expr_differ_by(cx->ir, sb_expr_at(cx->ir, idx, q, 2), at, 2)
               ? at
               : NULL;
}

/* Both lists of entries, as far ahead, before the store of loop `in` over them. */
static bool
match_ahead(rows *f, sb_emit *cx, const sb_stmt *in)
{
    const sb_body body = in->u.loop.body;
    const sb_expr *crd;

    if (body.n != 3)
        return body.n == 1;
    f->ahead = ahead_of(cx, body.at[0], f->term, in->u.loop.var);
    crd = ahead_of(cx, body.at[1], f->crd, in->u.loop.var);
    return f->ahead && crd && sb_expr_differ_by(cx->ir, crd, f->ahead, 0);
}

/* A loop over n rows whose terms lie one behind the other. */
static bool
match(rows *f, sb_emit *cx, const sb_stmt *st, int n)
{
    const sb_stmt *in = st->u.loop.body.n == 1 ? st->u.loop.body.at[0] : NULL;
    const sb_var *r = st->u.loop.var;
    const sb_expr *lo, *hi, *a, *b;
    int64_t first, end;

    if (!in || in->kind != SB_STMT_FOR || in->u.loop.body.n == 0 ||
        !sb_emit_const_trip(st, &first, &end) || first != 0 || end != n ||
        !match_store(f, cx, in->u.loop.body.at[in->u.loop.body.n - 1], r,
                     in->u.loop.var, n) ||
        !match_ahead(f, cx, in))
        return false;
    lo = in->u.loop.lo;
    hi = in->u.loop.hi;
    a = load_of(sb_emit_offset_of(lo));
    b = load_of(sb_emit_offset_of(hi));
    if (a->kind != SB_EXPR_LOAD || b->kind != SB_EXPR_LOAD || a->u.buf != b->u.buf ||
        (a->type != SB_I32 && a->type != SB_I64) ||
        (f->crd && f->crd->type == SB_I64 && a->type == SB_I32))
        return false;
    f->from = sb_expr_minus(cx->ir, sb_emit_offset_of(lo), lo);
    f->ptr = sb_expr_at(cx->ir, a->arg[0], r, 0);
    return f->from && !sb_expr_uses(f->from, r) &&
           (!f->shift || !sb_expr_uses(f->shift, r)) &&
           (!f->ahead || !sb_expr_uses(f->ahead, r)) &&
           sb_expr_differ_by(cx->ir, sb_expr_minus(cx->ir, sb_emit_offset_of(hi), hi),
                             f->from, 0) &&
           sb_expr_differ_by(cx->ir, b->arg[0], a->arg[0], 1) &&
           sb_expr_differ_by(cx->ir, sb_expr_at(cx->ir, a->arg[0], r, 1), f->ptr, 1) &&
           sb_expr_differ_by(cx->ir, sb_expr_at(cx->ir, a->arg[0], r, n - 1), f->ptr,
                             n - 1);
}

/* sum, term */
static void
open_call(sb_emit *cx, const rows *f)
{
    sb_strbuf_printf(cx->out, "_%s, ", sb_dtype_name(f->term->type));
    sb_emit_lanes(cx, f->sum->cls);
    sb_strbuf_puts(cx->out, ")(");
    sb_emit_buf(cx, f->sum->buf);
    sb_strbuf_puts(cx->out, ", ");
    sb_emit_buf(cx, f->term);
    sb_strbuf_puts(cx->out, ", ");
}

bool
sb_emit_rows(sb_emit *cx, const sb_stmt *st)
{
    const bool flow = sb_emit_noted(st, "flow");
    const sb_expr *load;
    rows f = {0};

    if ((!flow && !sb_emit_noted(st, "rows")) || !match(&f, cx, st, flow ? FLOW : ROWS))
        return false;
    load = load_of(sb_emit_offset_of(st->u.loop.body.at[0]->u.loop.lo));
    sb_emit_line(cx);
    sb_strbuf_printf(cx->out, "SBK_V(%s_%s", flow ? "flow" : "rows",
                     sb_dtype_name((sb_dtype)load->type));
    if (flow)
        sb_strbuf_printf(cx->out, "_%s", sb_dtype_name(f.crd->type));
    open_call(cx, &f);
    if (flow) {
        sb_emit_buf(cx, f.crd);
        sb_strbuf_puts(cx->out, ", ");
        sb_emit_buf(cx, f.x);
        sb_emit_offset(cx, " + ", f.shift, 7);
        sb_strbuf_puts(cx->out, ", ");
    }
    sb_emit_buf(cx, load->u.buf);
    sb_emit_offset(cx, " + ", f.ptr, 7);
    sb_emit_offset(cx, ", ", f.from, 0);
    if (flow && f.ahead)
        sb_emit_offset(cx, ", ", f.ahead, 0);
    else if (flow)
        sb_strbuf_puts(cx->out, ", 0");
    sb_strbuf_puts(cx->out, flow ? ", &flow_);\n" : ");\n");
    return true;
}

/* Whether a body has a loop that is a call of `flow`, in *f. */
static bool
flows(rows *f, sb_emit *cx, sb_body body)
{
    bool found = false;

    for (int q = 0; q < body.n && !found; q++) {
        const sb_stmt *st = body.at[q];

        if (st->kind == SB_STMT_IF) {
            found = flows(f, cx, st->u.cond.then) || flows(f, cx, st->u.cond.els);
        } else if (st->kind == SB_STMT_FOR) {
            *f = (rows){0};
            found = (sb_emit_noted(st, "flow") && match(f, cx, st, FLOW)) ||
                    flows(f, cx, st->u.loop.body);
        }
    }
    return found;
}

void
sb_emit_flow_state(sb_emit *cx)
{
    rows f;

    if (flows(&f, cx, cx->prog->body))
        sb_strbuf_printf(cx->out, "    sbk_flow_%s flow_ = {.end = -1};\n",
                         sb_dtype_name(f.term->type));
}
