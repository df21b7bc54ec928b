/*
 * The call of an intrinsic for a nest that tensor.h recognises:
 *
 *   tensor mma_4x4x4 { for %i { for %j { for %k { $C[..] += $A[..] * $B[..] } } } }
 *   -> sbk_mma_f32(4, 4, 4, C + c, ldc, 1, A + a, 4, 1, B + b, ldb, 1);
 *
 * A local that lives in vector registers has no address; then the loops are written. Sums
 * across lanes are the reverse: their lanes must be in registers.
 */
#include "compiler/emit.h"

#include "compiler/affine.h"
#include "compiler/rewrite.h"
#include "compiler/tensor.h"

/* idx with the loops at 0, but loop `one` at 1. */
static const sb_expr *
at_corner(sb_emit *cx, const sb_tensor *t, const sb_expr *idx, int one)
{
    for (int q = 0; q < 3 && idx; q++) {
        const sb_dtype type = t->var[q]->type;

        idx = sb_expr_subst(cx->ir, idx, t->var[q],
                            sb_expr_int_typed(cx->ir, type, q == one));
    }
    return idx ? sb_expr_simplify(cx->ir, sb_expr_i64(cx->ir, idx)) : NULL;
}

static const sb_expr *
step_of(sb_emit *cx, const sb_tensor *t, const sb_expr *idx, int loop)
{
    const sb_expr *far = at_corner(cx, t, idx, loop), *near = at_corner(cx, t, idx, -1);
    const sb_expr *step = sb_expr_sub(cx->ir, far, near);

    return step ? sb_expr_simplify(cx->ir, step) : NULL;
}

static bool
has_address(const sb_emit *cx, const sb_buf *b)
{
    const sb_emit_local *l = sb_emit_find_local(cx, b);

    return !l || !l->vector;
}

static void
put(sb_emit *cx, const sb_expr *e, int prec)
{
    if (e)
        sb_emit_expr(cx, e, prec);
    else
        cx->st = SB_ENOMEM;
}

/* , C + base, step, step */
static void
operand(sb_emit *cx, const sb_tensor *t, const sb_tensor_operand *o)
{
    sb_strbuf_puts(cx->out, ", ");
    sb_emit_buf(cx, o->buf);
    sb_strbuf_puts(cx->out, " + ");
    put(cx, at_corner(cx, t, o->idx[0], -1), 7);
    for (int q = 0; q < 2; q++) {
        sb_strbuf_puts(cx->out, ", ");
        put(cx, step_of(cx, t, o->idx[0], o->step[q]), 0);
    }
}

/* sbk_sums_f32x16(to, from, 8, 16): lanes in registers, by the class of the array. */
static bool
sums(sb_emit *cx, const sb_stmt *st)
{
    const sb_emit_local *l;
    const char *why;
    sb_tensor_sums t;

    if (!sb_tensor_match_sums(&t, st->u.block.name, st->u.block.body, &why))
        return false;
    l = sb_emit_find_local(cx, t.from);
    if (!l->vector)
        return false;
    sb_emit_line(cx);
    sb_strbuf_printf(cx->out, "SBK_V(sums_%s, ", sb_dtype_name(t.from->type));
    sb_emit_lanes(cx, l->cls);
    sb_strbuf_puts(cx->out, ")(");
    sb_emit_buf(cx, t.to);
    sb_strbuf_puts(cx->out, ", ");
    sb_emit_buf(cx, t.from);
    sb_strbuf_printf(cx->out, ", %d, %d);\n", t.count, t.lanes);
    return true;
}

bool
sb_emit_tensor(sb_emit *cx, const sb_stmt *st)
{
    const char *why;
    sb_tensor t;

    if (sums(cx, st))
        return true;
    if (!sb_tensor_match(&t, st->u.block.name, st->u.block.body, &why) ||
        !has_address(cx, t.c.buf) || !has_address(cx, t.a.buf) ||
        !has_address(cx, t.b.buf))
        return false;
    sb_emit_line(cx);
    sb_strbuf_printf(cx->out, "sbk_mma_%s(%d, %d, %d", sb_dtype_name(t.c.buf->type),
                     (int)t.trip[0], (int)t.trip[1], (int)t.trip[2]);
    operand(cx, &t, &t.c);
    operand(cx, &t, &t.a);
    operand(cx, &t, &t.b);
    sb_strbuf_puts(cx->out, ");\n");
    return true;
}
