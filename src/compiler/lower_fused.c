/*
 * A fused group in which rows vary in length: one loop over the slots of its last axis.
 * The row of a slot is the last whose range starts at or before it.
 *
 *   iter sddmm ({%i : S #I, %j : S #J}, ..) {   for %pj in 0 .. $ptr[%m] - $ptr[0] {
 *                                        ->       let %i = seek($ptr, 0, %m, $ptr[0] + %pj + 1) - 1
 *                                                 let %j = $crd[$ptr[0] + %pj] .. }
 */
#include "compiler/lower_iter.h"

#include "compiler/address.h"
#include "compiler/affine.h"

static bool
is_variable(const sb_axis *x)
{
    return x->kind == SB_AXIS_DENSE_VARIABLE || x->kind == SB_AXIS_SPARSE_VARIABLE;
}

static const sb_expr *
simplified(sb_ir *ir, const sb_expr *e)
{
    return e ? sb_expr_simplify(ir, e) : NULL;
}

/* Slot q of the parent whose range over x's slots holds `slot`; parents [lo, hi). */
static const sb_expr *
row_of(sb_ir *ir, const sb_axis *x, const sb_expr *lo, const sb_expr *hi,
       const sb_expr *slot)
{
    if (!is_variable(x))
        return sb_expr_bin(ir, SB_EXPR_DIV, slot, sb_expr_i64(ir, x->width));
    slot = sb_expr_add(ir, slot, sb_expr_int(ir, 1));
    slot = simplified(ir, x->base ? sb_expr_add(ir, slot, x->base) : slot);
    return sb_expr_sub(ir, sb_expr_search(ir, SB_EXPR_SEEK, x->ptr, lo, hi, slot),
                       sb_expr_int(ir, 1));
}

/* Opens level q at an absolute slot. */
static void
open_at(sb_lowering *lo, int q, const sb_expr *slot)
{
    sb_level *l = &lo->at[q];
    const sb_open_axis *p = sb_lower_axis(lo, l->at[0].parent);
    const sb_axis *x = l->it->axis;
    const sb_expr *first = sb_axis_first(lo->ir, x, p ? p->slot : NULL);

    l->at[0].slot = slot;
    l->at[0].pos = simplified(lo->ir, sb_expr_sub(lo->ir, slot, first));
    l->coord = sb_expr_var(lo->ir, l->it->var);
}

const sb_expr *
sb_lower_fused(sb_lowering *lo, int k, int last, sb_list *lets)
{
    sb_ir *ir = lo->ir;
    const sb_open_axis *p = sb_lower_axis(lo, lo->at[k].at[0].parent);
    const sb_axis *x = lo->at[k].it->axis;
    const sb_expr *from[SB_MAXITER], *to[SB_MAXITER], *slot[SB_MAXITER];

    from[k] = simplified(ir, sb_axis_first(ir, x, p ? p->slot : NULL));
    to[k] = sb_axis_extent(ir, x, p ? p->slot : NULL);
    to[k] = simplified(ir, sb_expr_add(ir, from[k], to[k]));
    for (int q = k + 1; q <= last; q++) {
        x = lo->at[q].it->axis;
        from[q] = simplified(ir, sb_axis_first(ir, x, from[q - 1]));
        to[q] = simplified(ir, sb_axis_first(ir, x, to[q - 1]));
    }
    slot[last] = sb_expr_add(ir, from[last], sb_expr_var(ir, lo->at[last].loop));
    slot[last] = simplified(ir, slot[last]);
    for (int q = last - 1; q >= k; q--) {
        const sb_iter *it = lo->at[q].it;
        const bool own = it->axis->kind == SB_AXIS_DENSE_FIXED && !it->axis->parent;
        const sb_var *v = own ? it->var : sb_lower_var(lo, "s", it);

        slot[q] = sb_expr_var(ir, v);
        sb_list_push(lets, sb_stmt_let(ir, v,
                                       row_of(ir, lo->at[q + 1].it->axis, from[q],
                                              to[q], slot[q + 1])));
    }
    for (int q = k; q <= last; q++)
        open_at(lo, q, slot[q]);
    return simplified(ir, sb_expr_sub(ir, to[last], from[last]));
}
