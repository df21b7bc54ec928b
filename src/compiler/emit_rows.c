/*
 * The call of rows (spblas_rows.h) for a loop over 16 rows that a schedule marks with the
 * note `rows`:
 *
 *   for %r in 0 .. 16 note(rows, 16) {
 *     for %q in cast(i64, $ptr[%i + %r]) - from .. cast(i64, $ptr[%i + %r + 1]) - from {
 *       $sum[%r] += $term[%q]
 *     }
 *   }
 *   -> SBK_V(rows_i32_f32, SBK_N4_16)(sum, term, ptr + i, from);
 *
 * Any other loop is written as it stands. What the call reads behind the rows is the
 * program's to have: SBK_ROWS_BEHIND elements of $term, whatever they are.
 */
#include "compiler/emit.h"

#include "compiler/affine.h"
#include "compiler/rewrite.h"

enum { ROWS = 16 };

typedef struct rows {
    const sb_emit_local *sum;
    const sb_buf *term;
    const sb_expr *ptr; /* of the first row, a load */
    const sb_expr *from;
} rows;

static const sb_expr *
load_of(const sb_expr *offset)
{
    return offset->kind == SB_EXPR_CAST ? offset->arg[0] : offset;
}

/* $sum[%r] += $term[%q] */
static bool
match_store(rows *f, const sb_emit *cx, const sb_stmt *st, const sb_var *r,
            const sb_var *q)
{
    const sb_expr *x;

    if (st->kind != SB_STMT_STORE || st->u.store.op != SB_STORE_ADD ||
        st->u.store.n != 1)
        return false;
    x = st->u.store.value;
    f->sum = sb_emit_find_local(cx, st->u.store.buf);
    if (!f->sum || !f->sum->vector || f->sum->buf->extent[0]->u.i != ROWS ||
        (x->type != SB_F32 && x->type != SB_F64) || st->u.store.buf->type != x->type ||
        f->sum->cls.bytes != (int)sb_dtype_size((sb_dtype)x->type) ||
        f->sum->cls.lanes != ROWS || x->kind != SB_EXPR_LOAD ||
        x->u.buf->type != x->type)
        return false;
    f->term = x->u.buf;
    return st->u.store.idx[0]->kind == SB_EXPR_VAR && st->u.store.idx[0]->u.var == r &&
           x->arg[0]->kind == SB_EXPR_VAR && x->arg[0]->u.var == q;
}

static bool
match(rows *f, sb_emit *cx, const sb_stmt *st)
{
    const sb_stmt *in = st->u.loop.body.n == 1 ? st->u.loop.body.at[0] : NULL;
    const sb_var *r = st->u.loop.var;
    const sb_expr *lo, *hi, *a, *b;
    int64_t first, end;

    if (!in || in->kind != SB_STMT_FOR || in->u.loop.body.n != 1 ||
        !sb_emit_const_trip(st, &first, &end) || first != 0 || end != ROWS ||
        !match_store(f, cx, in->u.loop.body.at[0], r, in->u.loop.var))
        return false;
    lo = in->u.loop.lo;
    hi = in->u.loop.hi;
    a = load_of(sb_emit_offset_of(lo));
    b = load_of(sb_emit_offset_of(hi));
    if (a->kind != SB_EXPR_LOAD || b->kind != SB_EXPR_LOAD || a->u.buf != b->u.buf ||
        (a->type != SB_I32 && a->type != SB_I64))
        return false;
    f->from = sb_expr_minus(cx->ir, sb_emit_offset_of(lo), lo);
    f->ptr = sb_expr_at(cx->ir, a->arg[0], r, 0);
    return f->from && !sb_expr_uses(f->from, r) &&
           sb_expr_differ_by(cx->ir, sb_expr_minus(cx->ir, sb_emit_offset_of(hi), hi),
                             f->from, 0) &&
           sb_expr_differ_by(cx->ir, b->arg[0], a->arg[0], 1) &&
           sb_expr_differ_by(cx->ir, sb_expr_at(cx->ir, a->arg[0], r, 1), f->ptr, 1) &&
           sb_expr_differ_by(cx->ir, sb_expr_at(cx->ir, a->arg[0], r, ROWS - 1), f->ptr,
                             ROWS - 1);
}

bool
sb_emit_rows(sb_emit *cx, const sb_stmt *st)
{
    const sb_expr *load;
    rows f;

    if (!sb_emit_noted(st, "rows") || !match(&f, cx, st))
        return false;
    load = load_of(sb_emit_offset_of(st->u.loop.body.at[0]->u.loop.lo));
    sb_emit_line(cx);
    sb_strbuf_printf(cx->out, "SBK_V(rows_%s_%s, ", sb_dtype_name((sb_dtype)load->type),
                     sb_dtype_name((sb_dtype)f.term->type));
    sb_emit_lanes(cx, f.sum->cls);
    sb_strbuf_puts(cx->out, ")(");
    sb_emit_buf(cx, f.sum->buf);
    sb_strbuf_puts(cx->out, ", ");
    sb_emit_buf(cx, f.term);
    sb_strbuf_puts(cx->out, ", ");
    sb_emit_buf(cx, load->u.buf);
    sb_emit_offset(cx, " + ", f.ptr, 7);
    sb_emit_offset(cx, ", ", f.from, 0);
    sb_strbuf_puts(cx->out, ");\n");
    return true;
}
