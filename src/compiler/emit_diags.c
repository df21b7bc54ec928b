/*
 * The call of diagonals (spblas_diags.h) for a loop over them that a schedule marks with the
 * note `diags`:
 *
 *   for %d in lo .. hi note(diags, 16) {
 *     prefetch $a[from + 16 * (%d - lo) + ahead]                    ; or none: ahead is 0
 *     for %l in 0 .. 16 vector(16) {
 *       $sum[%l] += $a[from + %l * (hi - lo) + (%d - lo)] * $x[cast(i64, $col[%d]) - base + %l]
 *     }
 *   }
 *   -> SBK_V(diags_i32_f32, SBK_N4_16)(sum, a + from, hi - lo, x + (0 - base), col + lo, ahead);
 *
 * Any other loop is written as it stands.
 */
#include "compiler/emit.h"

#include "base/fault.h"
#include "compiler/affine.h"
#include "compiler/rewrite.h"

enum { ROWS = 16 };

typedef struct diags {
    const sb_emit_local *sum;
    const sb_buf *a, *x, *col;
    const sb_expr *from, *len, *shift, *first; /* of $a, of a row, of $x, of $col */
    const sb_expr *ahead;                      /* of from; NULL: nothing is asked for */
} diags;

/* Whether e grows by `step`, an expression, where v grows by one. */
static bool
grows(sb_emit *cx, const sb_expr *e, const sb_var *v, const sb_expr *step)
{
    sb_ir *ir = cx->ir;
    const sb_expr *first = sb_expr_at(ir, e, v, 0);
    const sb_expr *next = sb_expr_minus(ir, sb_expr_at(ir, e, v, 1), first);
    const sb_expr *last = sb_expr_minus(ir, sb_expr_at(ir, e, v, ROWS - 1), first);

    return SB_FAULT(DIAGS_ANY) ||
           (sb_expr_differ_by(ir, next, step, 0) &&
            sb_expr_differ_by(ir, last,
                              sb_expr_mul(ir, sb_expr_int(ir, ROWS - 1), step), 0));
}

/* $a[..] of lane %l and diagonal %d */
static bool
match_values(diags *f, sb_emit *cx, const sb_expr *e, const sb_var *l,
             const sb_stmt *loop)
{
    const sb_var *d = loop->u.loop.var;
    const sb_expr *idx = e->arg[0], *first = sb_expr_at(cx->ir, idx, l, 0);

    f->a = e->u.buf;
    f->len = sb_expr_minus(cx->ir, loop->u.loop.hi, loop->u.loop.lo);
    f->from = first ? sb_expr_subst(cx->ir, first, d, loop->u.loop.lo) : NULL;
    return f->len && f->from && grows(cx, idx, l, f->len) &&
           grows(cx, first, d, sb_expr_int(cx->ir, 1));
}

/* $x[cast(i64, $col[..]) - base + %l] */
static bool
match_columns(diags *f, sb_emit *cx, const sb_expr *e, const sb_var *l,
              const sb_stmt *loop)
{
    const sb_var *d = loop->u.loop.var;
    const sb_expr *at = sb_expr_at(cx->ir, e->arg[0], l, 0), *column, *col;

    at = at ? sb_expr_simplify(cx->ir, at) : NULL;
    column = at ? sb_emit_offset_of(at) : NULL;
    col = column && column->kind == SB_EXPR_CAST ? column->arg[0] : column;
    if (!col || col->kind != SB_EXPR_LOAD ||
        (col->type != SB_I32 && col->type != SB_I64) ||
        !grows(cx, e->arg[0], l, sb_expr_int(cx->ir, 1)))
        return false;
    f->x = e->u.buf;
    f->shift = sb_expr_minus(cx->ir, at, column);
    f->col = col->u.buf;
    f->first = sb_expr_subst(cx->ir, col->arg[0], d, loop->u.loop.lo);
    return f->shift && !sb_expr_uses(f->shift, d) &&
           grows(cx, col->arg[0], d, sb_expr_int(cx->ir, 1));
}

/* prefetch $a[..] of diagonal %d */
static bool
match_ahead(diags *f, sb_emit *cx, const sb_stmt *st, const sb_stmt *loop)
{
    const sb_var *d = loop->u.loop.var;
    const sb_expr *idx, *first;

    if (st->kind != SB_STMT_PREFETCH || st->u.prefetch.buf != f->a ||
        st->u.prefetch.n != 1 || st->u.prefetch.far)
        return false;
    idx = st->u.prefetch.idx[0];
    first = sb_expr_subst(cx->ir, idx, d, loop->u.loop.lo);
    f->ahead = first ? sb_expr_minus(cx->ir, first, f->from) : NULL;
    return f->ahead && grows(cx, idx, d, sb_expr_int(cx->ir, ROWS));
}

static bool
match(diags *f, sb_emit *cx, const sb_stmt *loop)
{
    const sb_body body = loop->u.loop.body;
    const sb_stmt *in = body.n == 1 || body.n == 2 ? body.at[body.n - 1] : NULL;
    const sb_stmt *st;
    const sb_expr *x;
    int64_t first, end;

    if (!in || in->kind != SB_STMT_FOR || in->u.loop.body.n != 1 ||
        !sb_emit_const_trip(in, &first, &end) || first != 0 || end != ROWS)
        return false;
    st = in->u.loop.body.at[0];
    if (st->kind != SB_STMT_STORE || st->u.store.op != SB_STORE_ADD ||
        st->u.store.n != 1 || st->u.store.idx[0]->kind != SB_EXPR_VAR ||
        st->u.store.idx[0]->u.var != in->u.loop.var)
        return false;
    x = st->u.store.value;
    f->sum = sb_emit_find_local(cx, st->u.store.buf);
    return f->sum && f->sum->vector && f->sum->buf->extent[0]->u.i == ROWS &&
           (x->type == SB_F32 || x->type == SB_F64) && f->sum->buf->type == x->type &&
           f->sum->cls.bytes == (int)sb_dtype_size((sb_dtype)x->type) &&
           f->sum->cls.lanes == ROWS && x->kind == SB_EXPR_MUL &&
           x->arg[0]->kind == SB_EXPR_LOAD && x->arg[1]->kind == SB_EXPR_LOAD &&
           x->arg[0]->u.buf->type == x->type && x->arg[1]->u.buf->type == x->type &&
           match_values(f, cx, x->arg[0], in->u.loop.var, loop) &&
           match_columns(f, cx, x->arg[1], in->u.loop.var, loop) &&
           (body.n == 1 || match_ahead(f, cx, body.at[0], loop));
}

bool
sb_emit_diags(sb_emit *cx, const sb_stmt *st)
{
    diags f = {.ahead = NULL};

    if (!sb_emit_noted(st, "diags") || !match(&f, cx, st))
        return false;
    sb_emit_line(cx);
    sb_strbuf_printf(cx->out, "SBK_V(diags_%s_%s, ",
                     sb_dtype_name((sb_dtype)f.col->type),
                     sb_dtype_name((sb_dtype)f.a->type));
    sb_emit_lanes(cx, f.sum->cls);
    sb_strbuf_puts(cx->out, ")(");
    sb_emit_buf(cx, f.sum->buf);
    sb_strbuf_puts(cx->out, ", ");
    sb_emit_buf(cx, f.a);
    sb_emit_offset(cx, " + ", f.from, 7);
    sb_emit_offset(cx, ", ", f.len, 0);
    sb_strbuf_puts(cx->out, ", ");
    sb_emit_buf(cx, f.x);
    sb_emit_offset(cx, " + ", f.shift, 7);
    sb_strbuf_puts(cx->out, ", ");
    sb_emit_buf(cx, f.col);
    sb_emit_offset(cx, " + ", f.first, 7);
    if (f.ahead)
        sb_emit_offset(cx, ", ", f.ahead, 0);
    sb_strbuf_puts(cx->out, f.ahead ? ");\n" : ", 0);\n");
    return true;
}
