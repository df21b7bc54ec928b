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

#include <string.h>

enum { ROWS = 16 };

typedef struct rows {
    const sb_emit_local *sum;
    const sb_buf *term;
    const sb_expr *ptr; /* of the first row, a load */
    const sb_expr *from;
} rows;

static bool
is_noted(const sb_stmt *st)
{
    for (int q = 0; q < st->u.loop.nnote; q++)
        if (strcmp(st->u.loop.note[q].key, "rows") == 0)
            return true;
    return false;
}

static const sb_expr *
at(sb_emit *cx, const sb_expr *e, const sb_var *v, int64_t value)
{
    return e ? sb_expr_subst(cx->ir, e, v, sb_expr_int_typed(cx->ir, v->type, value))
             : NULL;
}

/* a - b, NULL when out of memory. */
static const sb_expr *
minus(sb_emit *cx, const sb_expr *a, const sb_expr *b)
{
    const sb_expr *e = a && b ? sb_expr_sub(cx->ir, a, b) : NULL;

    return e ? sb_expr_simplify(cx->ir, e) : NULL;
}

static bool
differ_by(sb_emit *cx, const sb_expr *a, const sb_expr *b, int64_t by)
{
    const sb_expr *e = minus(cx, a, b);

    return e && sb_expr_is_int(e, by);
}

/* The offset that a bound is made of: cast(i64, $ptr[..]), or less something. */
static const sb_expr *
offset_of(const sb_expr *e)
{
    while (e->kind == SB_EXPR_SUB || e->kind == SB_EXPR_ADD)
        e = e->arg[0];
    return e;
}

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
    a = load_of(offset_of(lo));
    b = load_of(offset_of(hi));
    if (a->kind != SB_EXPR_LOAD || b->kind != SB_EXPR_LOAD || a->u.buf != b->u.buf ||
        (a->type != SB_I32 && a->type != SB_I64))
        return false;
    f->from = minus(cx, offset_of(lo), lo);
    f->ptr = at(cx, a->arg[0], r, 0);
    return f->from && !sb_expr_uses(f->from, r) &&
           differ_by(cx, minus(cx, offset_of(hi), hi), f->from, 0) &&
           differ_by(cx, b->arg[0], a->arg[0], 1) &&
           differ_by(cx, at(cx, a->arg[0], r, 1), f->ptr, 1) &&
           differ_by(cx, at(cx, a->arg[0], r, ROWS - 1), f->ptr, ROWS - 1);
}

static void
put(sb_emit *cx, const char *before, const sb_expr *e, int prec)
{
    e = e ? sb_expr_simplify(cx->ir, sb_expr_i64(cx->ir, e)) : NULL;
    sb_strbuf_puts(cx->out, before);
    if (e)
        sb_emit_expr(cx, e, prec);
    else
        cx->st = SB_ENOMEM;
}

bool
sb_emit_rows(sb_emit *cx, const sb_stmt *st)
{
    const sb_expr *load;
    rows f;

    if (!is_noted(st) || !match(&f, cx, st))
        return false;
    load = load_of(offset_of(st->u.loop.body.at[0]->u.loop.lo));
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
    put(cx, " + ", f.ptr, 7);
    put(cx, ", ", f.from, 0);
    sb_strbuf_puts(cx->out, ");\n");
    return true;
}
