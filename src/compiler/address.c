/*
 * Slots and flat offsets, declared in address.h. Positions count from 0 under the
 * parent; slots are absolute. With E = offset of equation 7:
 *   dense root      slot = x
 *   fixed child     slot = slot(parent) * width + x
 *   variable child  slot = ptr[slot(parent)] - base + x
 * A buffer's element lies at the sum over its trees of the last axis's slot times the
 * slots of the trees that start later. Where trees lie one after the other that is
 * equation 6 to the letter; its stride(i + 1) would make elements meet where they
 * interleave, as in [#I, #K, #J] with #J a child of #I.
 */
#include "compiler/address.h"

#include "base/fault.h"
#include "compiler/affine.h"
#include "compiler/rewrite.h"

const sb_expr *
sb_load_i64(sb_ir *ir, const sb_buf *b, const sb_expr *at)
{
    return b ? sb_expr_i64(ir, sb_expr_load(ir, b, 1, &at)) : NULL;
}

static bool
is_variable(const sb_axis *x)
{
    return x->kind == SB_AXIS_DENSE_VARIABLE || x->kind == SB_AXIS_SPARSE_VARIABLE;
}

static const sb_expr *
minus_base(sb_ir *ir, const sb_axis *x, const sb_expr *e)
{
    return x->base ? sb_expr_sub(ir, e, x->base) : e;
}

const sb_expr *
sb_axis_first(sb_ir *ir, const sb_axis *x, const sb_expr *q)
{
    if (!x->parent)
        return sb_expr_int(ir, 0);
    if (!is_variable(x))
        return sb_expr_mul(ir, q, x->width);
    if (x->end)
        return sb_load_i64(ir, x->ptr, q);
    return minus_base(ir, x, sb_load_i64(ir, x->ptr, q));
}

const sb_expr *
sb_axis_extent(sb_ir *ir, const sb_axis *x, const sb_expr *q)
{
    const sb_expr *end;

    if (!x->parent)
        return sb_expr_i64(ir, x->width            ? x->width
                               : x->nnz && !x->val ? x->nnz
                                                   : x->length);
    if (!is_variable(x))
        return x->end ? sb_load_i64(ir, x->end, q) : sb_expr_i64(ir, x->width);
    end = x->end ? sb_load_i64(ir, x->end, q)
                 : sb_load_i64(ir, x->ptr, sb_expr_add(ir, q, sb_expr_int(ir, 1)));
    return sb_expr_sub(ir, end, sb_load_i64(ir, x->ptr, q));
}

const sb_expr *
sb_axis_slots(sb_ir *ir, const sb_axis *x)
{
    if (!x->parent)
        return sb_axis_extent(ir, x, NULL);
    if (is_variable(x)) {
        if (!x->nnz)
            sb_diag_set(ir->diag, SB_EINVAL, "axis #%s needs nnz", x->name);
        return sb_expr_i64(ir, x->nnz);
    }
    return sb_expr_mul(ir, sb_axis_slots(ir, x->parent), x->width);
}

const sb_expr *
sb_axis_coord(sb_ir *ir, const sb_axis *x, const sb_expr *slot)
{
    const sb_expr *stored = sb_load_i64(ir, x->crd, slot);

    return SB_FAULT(BASE_KEPT) ? stored : minus_base(ir, x, stored);
}

int
sb_buf_parent(const sb_buf *b, int d)
{
    int q = d - 1;

    while (q >= 0 && b->axis[q] != b->axis[d]->parent)
        q--;
    return q;
}

int
sb_buf_root(const sb_buf *b, int d)
{
    int p;

    while ((p = sb_buf_parent(b, d)) >= 0)
        d = p;
    return d;
}

bool
sb_buf_leaf(const sb_buf *b, int d)
{
    for (int q = d + 1; q < b->rank; q++) {
        if (sb_buf_parent(b, q) == d)
            return false;
    }
    return true;
}

const sb_axis *
sb_buf_tree(const sb_buf *b, int d)
{
    for (int q = d + 1; q < b->rank; q++)
        d = sb_buf_parent(b, q) == d ? q : d;
    return b->axis[d];
}

/* Equation 8 for d = 0 .. rank: the slots of all trees with their root at d or later. */
static bool
axis_strides(sb_ir *ir, const sb_buf *b, const sb_expr *stride[SB_MAXRANK + 1])
{
    stride[b->rank] = sb_expr_int(ir, 1);
    for (int d = b->rank - 1; d >= 0; d--) {
        stride[d] = stride[d + 1];
        if (sb_buf_parent(b, d) < 0) {
            const sb_expr *n = sb_axis_slots(ir, sb_buf_tree(b, d));

            stride[d] = n ? sb_expr_mul(ir, n, stride[d + 1]) : NULL;
        }
        if (!stride[d])
            return false;
    }
    return true;
}

static const sb_expr *
strided_offset(sb_ir *ir, const sb_buf *b, const sb_expr *const *at)
{
    const sb_expr *sum = sb_expr_int(ir, 0);

    for (int d = 0; d < b->rank; d++)
        sum = sb_expr_add(ir, sum, sb_expr_mul(ir, at[d], b->stride[d]));
    return sum;
}

/* Over extents: row-major. */
static const sb_expr *
extent_offset(sb_ir *ir, const sb_buf *b, const sb_expr *const *at)
{
    const sb_expr *sum = sb_expr_int(ir, 0);

    for (int d = 0; d < b->rank; d++)
        sum = sb_expr_add(ir, sb_expr_mul(ir, sum, b->extent[d]), at[d]);
    return sum;
}

const sb_expr *
sb_buf_offset(sb_ir *ir, const sb_buf *b, const sb_expr *const *at)
{
    const sb_expr *slot[SB_MAXRANK], *stride[SB_MAXRANK + 1];
    const sb_expr *sum = sb_expr_int(ir, 0);

    if (b->rank > 0 && b->stride[0])
        return strided_offset(ir, b, at);
    if (b->rank == 0 || !b->axis[0])
        return extent_offset(ir, b, at);
    if (!axis_strides(ir, b, stride))
        return NULL;
    for (int d = 0; d < b->rank; d++) {
        const int p = sb_buf_parent(b, d);
        const sb_axis *x = b->axis[d];

        if (x->parent && p < 0) {
            sb_diag_set(ir->diag, SB_EINVAL, "buffer $%s lacks the parent of axis #%s",
                        b->name, x->name);
            return NULL;
        }
        slot[d] = sb_expr_add(ir, sb_axis_first(ir, x, p < 0 ? NULL : slot[p]), at[d]);
        if (sb_buf_leaf(b, d))
            sum = sb_expr_add(
                ir, sum,
                sb_expr_mul(
                    ir, slot[d],
                    stride[(SB_FAULT(TREE_STRIDE) ? d : sb_buf_root(b, d)) + 1]));
    }
    return sum;
}

const sb_buf *
sb_buf_val(const sb_buf *b)
{
    for (int d = b->rank - 1; d >= 0; d--) {
        if (b->axis[d] && b->axis[d]->val)
            return b->axis[d]->val;
    }
    return NULL;
}

/* Elements of the caller's array behind a buffer in position mode. */
static const sb_expr *
val_elements(sb_ir *ir, const sb_buf *b)
{
    for (int d = b->rank - 1; d >= 0; d--) {
        const sb_axis *x = b->axis[d];

        if (x->val && !x->nnz)
            sb_diag_set(ir->diag, SB_EINVAL,
                        "axis #%s reads values by position and needs nnz, their number",
                        x->name);
        if (x->val)
            return sb_expr_i64(ir, x->nnz);
    }
    return NULL;
}

const sb_expr *
sb_buf_elements(sb_ir *ir, const sb_buf *b)
{
    const sb_expr *stride[SB_MAXRANK + 1], *n = sb_expr_int(ir, 1);

    if (b->rank > 0 && b->stride[0]) {
        for (int d = 0; d < b->rank; d++) {
            const sb_expr *len = b->axis[d] ? b->axis[d]->length : b->extent[d];
            const sb_expr *last = sb_expr_sub(ir, len, sb_expr_int(ir, 1));

            n = sb_expr_add(ir, n, sb_expr_mul(ir, last, b->stride[d]));
        }
        return sb_expr_simplify(ir, n);
    }
    if (b->rank > 0 && !b->axis[0]) {
        for (int d = 0; d < b->rank; d++)
            n = sb_expr_mul(ir, n, b->extent[d]);
        return n;
    }
    if (sb_buf_val(b))
        return val_elements(ir, b);
    return axis_strides(ir, b, stride) ? stride[0] : NULL;
}
