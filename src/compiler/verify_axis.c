/*
 * Invariants of axes and of the tensors made of them: which arrays a kind needs, parents
 * before children, no name from another program.
 */
#include "compiler/verify.h"

#include "compiler/address.h"

#include <string.h>

static bool
is_sparse(const sb_axis *x)
{
    return x->kind == SB_AXIS_SPARSE_FIXED || x->kind == SB_AXIS_SPARSE_VARIABLE;
}

static bool
is_variable(const sb_axis *x)
{
    return x->kind == SB_AXIS_DENSE_VARIABLE || x->kind == SB_AXIS_SPARSE_VARIABLE;
}

/* Place of an axis in the program, -1 when it is not declared there. */
static int
axis_place(const sb_verifier *v, const sb_axis *x)
{
    int q = v->prog->naxis - 1;

    while (q >= 0 && v->prog->axis[q] != x)
        q--;
    return q;
}

/* An array of an axis: a declared list of integers that nothing writes. */
static bool
verify_array(sb_verifier *v, const sb_axis *x, const sb_buf *b, const char *what)
{
    int q = 0;

    if (!b)
        return true;
    while (q < v->prog->nbuf && v->prog->buf[q] != b)
        q++;
    if (q == v->prog->nbuf)
        return sb_verify_fail(v, "%s $%s of axis #%s is not declared", what, b->name,
                              x->name);
    if (b->rank != 1 || b->axis[0] || b->stride[0] ||
        !(b->type == SB_I32 || b->type == SB_I64))
        return sb_verify_fail(v, "%s $%s of axis #%s is no list of i32 or i64", what,
                              b->name, x->name);
    if (b->role != SB_BUF_AUX)
        return sb_verify_fail(v, "%s $%s of axis #%s is not aux", what, b->name,
                              x->name);
    return true;
}

/* What each kind needs and may not have. */
static bool
verify_kind(sb_verifier *v, const sb_axis *x)
{
    const char *name = x->name;

    if (!x->length)
        return sb_verify_fail(v, "axis #%s has no length", name);
    if (is_variable(x) && !x->parent)
        return sb_verify_fail(v, "axis #%s is variable but has no parent", name);
    if (is_variable(x) && !x->ptr)
        return sb_verify_fail(v, "axis #%s is variable but has no ptr", name);
    if (is_variable(x) && !x->nnz)
        return sb_verify_fail(v, "axis #%s is variable but has no nnz", name);
    if (!is_variable(x) && x->ptr)
        return sb_verify_fail(v, "axis #%s is fixed but has a ptr", name);
    if (!is_variable(x) && x->parent && !x->width)
        return sb_verify_fail(v, "axis #%s is fixed under a parent but has no width",
                              name);
    if (is_variable(x) && x->width)
        return sb_verify_fail(v, "axis #%s is variable but has a width", name);
    if (is_sparse(x) && !x->crd)
        return sb_verify_fail(v, "axis #%s is sparse but has no crd", name);
    if (!is_sparse(x) && x->crd)
        return sb_verify_fail(v, "axis #%s is dense but has a crd", name);
    if (x->end && !x->parent)
        return sb_verify_fail(v, "axis #%s has an end but no parent", name);
    if (x->base && !x->crd && !x->ptr)
        return sb_verify_fail(v, "axis #%s has a base but neither crd nor ptr", name);
    if ((x->sorted || x->unique) && !x->crd)
        return sb_verify_fail(v, "axis #%s has no crd that could be sorted or unique",
                              name);
    if (x->padded && !x->crd && !x->val)
        return sb_verify_fail(v, "axis #%s is padded, but nothing marks empty slots",
                              name);
    return true;
}

bool
sb_verify_axis(sb_verifier *v, int at)
{
    const sb_axis *x = v->prog->axis[at];

    for (int q = 0; q < at; q++) {
        if (strcmp(v->prog->axis[q]->name, x->name) == 0)
            return sb_verify_fail(v, "#%s is declared twice", x->name);
    }
    if (x->parent) {
        const int p = axis_place(v, x->parent);

        if (p < 0 || p >= at)
            return sb_verify_fail(v, "parent #%s of axis #%s is not declared before it",
                                  x->parent->name, x->name);
    }
    return verify_kind(v, x) && verify_array(v, x, x->ptr, "ptr") &&
           verify_array(v, x, x->end, "end") && verify_array(v, x, x->crd, "crd") &&
           verify_array(v, x, x->val, "val") &&
           sb_verify_size(v, x->length, "length", x->name) &&
           sb_verify_size(v, x->width, "width", x->name) &&
           sb_verify_size(v, x->nnz, "nnz", x->name) &&
           sb_verify_size(v, x->base, "base", x->name);
}

/* Dimension d of a tensor over axes. */
static bool
verify_dim_axis(sb_verifier *v, const sb_buf *b, int d)
{
    const sb_axis *x = b->axis[d];

    if (axis_place(v, x) < 0)
        return sb_verify_fail(v, "axis #%s of $%s is not declared", x->name, b->name);
    if (b->stride[0] && (x->parent || is_sparse(x)))
        return sb_verify_fail(v, "$%s has strides but axis #%s is not dense", b->name,
                              x->name);
    if (!x->parent)
        return true;
    if (sb_buf_parent(b, d) < 0)
        return sb_verify_fail(v, "$%s uses axis #%s without its parent #%s before",
                              b->name, x->name, x->parent->name);
    for (int q = 0; q < d; q++) {
        if (sb_buf_parent(b, q) == sb_buf_parent(b, d))
            return sb_verify_fail(v,
                                  "axes #%s and #%s of $%s have one parent, so no slot "
                                  "counts its elements",
                                  b->axis[q]->name, x->name, b->name);
    }
    return true;
}

bool
sb_verify_tensor(sb_verifier *v, const sb_buf *b)
{
    if (b->rank < 1 || b->rank > SB_MAXRANK)
        return sb_verify_fail(v, "$%s has %d dimensions", b->name, b->rank);
    for (int d = 0; d < b->rank; d++) {
        if ((b->axis[d] == NULL) != (b->axis[0] == NULL) ||
            (b->axis[d] == NULL) == (b->extent[d] == NULL))
            return sb_verify_fail(v, "$%s mixes axes and extents", b->name);
        if ((b->stride[d] == NULL) != (b->stride[0] == NULL))
            return sb_verify_fail(v, "$%s has strides for some dimensions only",
                                  b->name);
        if (b->axis[d] && !verify_dim_axis(v, b, d))
            return false;
        if (!sb_verify_size(v, b->extent[d], "an extent", b->name) ||
            !sb_verify_size(v, b->stride[d], "a stride", b->name))
            return false;
    }
    return true;
}
