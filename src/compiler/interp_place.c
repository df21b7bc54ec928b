/*
 * Which element an access reaches. Stage I: each coordinate is looked up among the slots
 * under its ancestors (equation 4 of the SparseTIR paper), what is not stored reads as
 * zero; an index that is the iterator of the dimension's own axis takes the iterator's
 * slot. Stages II and III: positions. Flat offsets are equations 6-8.
 */
#include "compiler/interp.h"

#include "compiler/address.h"

#include <string.h>

enum { NOT_STORED = -1 };

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

/* ---- axes ---------------------------------------------------------------------------- */

const sb_axis_size *
sb_machine_axis(sb_machine *m, const sb_axis *x)
{
    int q = m->naxis - 1;

    while (q > 0 && m->axis[q].axis != x)
        q--;
    return &m->axis[q]; /* the verifier saw the declaration */
}

/* Slots over all parents. */
static int64_t
count_slots(sb_machine *m, const sb_axis *x, const sb_axis_size *s)
{
    if (is_variable(x))
        return sb_machine_int(m, x->nnz);
    if (x->parent)
        return sb_machine_mul(m, sb_machine_axis(m, x->parent)->slots, s->width);
    if (x->width)
        return s->width;
    return x->nnz && !x->val ? sb_machine_int(m, x->nnz) : s->length;
}

void
sb_machine_measure_axes(sb_machine *m)
{
    const int n = m->prog->naxis;

    m->axis = sb_arena_array(&m->arena, n, sizeof *m->axis);
    if (!m->axis && n > 0)
        sb_machine_fail(m, SB_ENOMEM, "no memory for %d axes", n);
    for (int q = 0; q < n && sb_machine_ok(m); q++) {
        const sb_axis *x = m->prog->axis[q];
        sb_axis_size *s = &m->axis[q];

        s->axis = x;
        s->length = sb_machine_int(m, x->length);
        s->width = sb_machine_int(m, x->width);
        s->base = sb_machine_int(m, x->base);
        s->slots = count_slots(m, x, s);
        m->naxis = q + 1;
    }
}

int64_t
sb_machine_entry(sb_machine *m, const sb_buf *b, int64_t at)
{
    const sb_storage *s = sb_machine_storage(m, b);

    if (!sb_machine_ok(m))
        return 0;
    if (at < 0 || at >= s->size[0] || at >= s->count) {
        sb_machine_fail(m, SB_EINVAL, "$%s: index %lld, extent %lld", b->name,
                        (long long)at,
                        (long long)(s->size[0] < s->count ? s->size[0] : s->count));
        return 0;
    }
    return sb_num_load(s, at).i;
}

int64_t
sb_machine_first(sb_machine *m, const sb_axis *x, int64_t q)
{
    const sb_axis_size *s = sb_machine_axis(m, x);

    if (!x->parent)
        return 0;
    if (!is_variable(x))
        return sb_machine_mul(m, q, s->width);
    return sb_machine_entry(m, x->ptr, q) - (x->end ? 0 : s->base);
}

int64_t
sb_machine_extent(sb_machine *m, const sb_axis *x, int64_t q)
{
    if (!x->parent)
        return sb_machine_axis(m, x)->slots;
    if (!is_variable(x))
        return x->end ? sb_machine_entry(m, x->end, q) : sb_machine_axis(m, x)->width;
    return (x->end ? sb_machine_entry(m, x->end, q)
                   : sb_machine_entry(m, x->ptr, q + 1)) -
           sb_machine_entry(m, x->ptr, q);
}

/* ---- buffers ------------------------------------------------------------------------- */

void
sb_machine_measure_buf(sb_machine *m, sb_storage *s)
{
    const sb_buf *b = s->buf;

    s->stride[b->rank] = 1;
    for (int d = b->rank - 1; d >= 0; d--) {
        s->size[d] = b->axis[d] ? sb_machine_axis(m, b->axis[d])->length
                                : sb_machine_int(m, b->extent[d]);
        if (b->stride[d])
            s->stride[d] = sb_machine_int(m, b->stride[d]);
        else if (!b->axis[d])
            s->stride[d] = sb_machine_mul(m, s->size[d], s->stride[d + 1]);
        else if (sb_buf_parent(b, d) < 0)
            s->stride[d] = sb_machine_mul(
                m, sb_machine_axis(m, sb_buf_tree(b, d))->slots, s->stride[d + 1]);
        else
            s->stride[d] = s->stride[d + 1];
    }
}

int64_t
sb_machine_open_slot(const sb_machine *m, const sb_axis *x, int below)
{
    for (int k = below - 1; k >= 0; k--) {
        const sb_open_level *l = &m->level[k];

        for (int r = 0; r < 2; r++) {
            if (l->at[r].axis == x)
                return l->open ? l->at[r].slot : NOT_STORED;
        }
    }
    return NOT_STORED;
}

static int64_t
out_of_bounds(sb_machine *m, const sb_storage *s, int d, int64_t index, int64_t extent)
{
    if (s->buf->rank == 1)
        sb_machine_fail(m, SB_EINVAL, "$%s: index %lld, extent %lld", s->buf->name,
                        (long long)index, (long long)extent);
    else
        sb_machine_fail(m, SB_EINVAL, "$%s: index %lld of dimension %d, extent %lld",
                        s->buf->name, (long long)index, d + 1, (long long)extent);
    return NOT_STORED;
}

/* Element behind a packed offset: through val, and inside the caller's array. */
static int64_t
element(sb_machine *m, const sb_storage *s, int64_t offset)
{
    const sb_axis *x = NULL;

    for (int d = s->buf->rank - 1; d >= 0 && !x; d--) {
        if (s->buf->axis[d] && s->buf->axis[d]->val)
            x = s->buf->axis[d];
    }
    if (x) {
        offset = sb_machine_entry(m, x->val, offset);
        if (!sb_machine_ok(m) || (offset < 0 && x->padded && m->prog->stage == 1))
            return NOT_STORED;
    }
    if (!sb_machine_ok(m))
        return NOT_STORED;
    if (offset >= 0 && offset < s->count)
        return offset;
    sb_machine_fail(m, SB_EINVAL, "$%s: index %lld, extent %lld", s->buf->name,
                    (long long)offset, (long long)s->count);
    return NOT_STORED;
}

/* Extents or strides: no slots to look for. */
static int64_t
place_dense(sb_machine *m, const sb_storage *s, const int64_t *at)
{
    const sb_buf *b = s->buf;
    int64_t sum = 0;

    for (int d = 0; d < b->rank; d++) {
        const int64_t step = b->stride[0] ? s->stride[d] : s->stride[d + 1];

        if (at[d] < 0 || at[d] >= s->size[d])
            return out_of_bounds(m, s, d, at[d], s->size[d]);
        sum = sb_machine_add(m, sum, sb_machine_mul(m, at[d], step));
    }
    return element(m, s, sum);
}

/* ---- coordinates --------------------------------------------------------------------- */

/* Position of the open level whose iterator e is, over axis x under parent slot q; -1
 * if none is. */
static int64_t
open_position(const sb_machine *m, const sb_axis *x, const sb_expr *e, int64_t q)
{
    for (int k = 0; k < m->nlevel && e->kind == SB_EXPR_VAR; k++) {
        const sb_open_level *l = &m->level[k];

        for (int r = 0; r < 2 && l->open && l->it->var == e->u.var; r++) {
            if (l->at[r].axis == x &&
                (!x->parent || sb_machine_open_slot(m, x->parent, k) == q))
                return l->at[r].pos;
        }
    }
    return NOT_STORED;
}

int64_t
sb_machine_position(sb_machine *m, const sb_axis *x, int64_t q, int64_t coord)
{
    const int64_t first = sb_machine_first(m, x, q), n = sb_machine_extent(m, x, q);
    const int64_t base = sb_machine_axis(m, x)->base;

    if (!is_sparse(x))
        return coord < n ? coord : NOT_STORED;
    for (int64_t p = 0; p < n && sb_machine_ok(m); p++) {
        const int64_t crd = sb_machine_entry(m, x->crd, first + p);

        if (crd - base == coord && !(x->padded && crd < 0))
            return p;
    }
    return NOT_STORED;
}

/* Position of dimension d in stage I; an error if the coordinate is out of range. */
static int64_t
look_up(sb_machine *m, const sb_storage *s, int d, const sb_expr *e, int64_t coord,
        int64_t q)
{
    const sb_axis *x = s->buf->axis[d];
    const int64_t open = open_position(m, x, e, q);

    if (open >= 0)
        return open;
    if (coord < 0 || coord >= s->size[d])
        return out_of_bounds(m, s, d, coord, s->size[d]);
    return sb_machine_position(m, x, q, coord);
}

int64_t
sb_machine_place(sb_machine *m, const sb_storage *s, int n, const sb_expr *const *idx)
{
    const sb_buf *b = s->buf;
    int64_t at[SB_MAXRANK] = {0}, slot[SB_MAXRANK] = {0}, sum = 0;

    for (int d = 0; d < n; d++)
        at[d] = sb_machine_int(m, idx[d]);
    if (!sb_machine_ok(m))
        return NOT_STORED;
    if (b->stride[0] || !b->axis[0])
        return place_dense(m, s, at);
    for (int d = 0; d < n; d++) {
        const int p = sb_buf_parent(b, d);
        const int64_t q = p < 0 ? 0 : slot[p];
        int64_t pos = at[d], extent;

        if (m->prog->stage == 1)
            pos = look_up(m, s, d, idx[d], at[d], q);
        if (pos < 0 && m->prog->stage == 1)
            return NOT_STORED;
        extent = sb_machine_extent(m, b->axis[d], q);
        if (sb_machine_ok(m) && (pos < 0 || pos >= extent))
            return out_of_bounds(m, s, d, pos, extent);
        slot[d] = sb_machine_add(m, sb_machine_first(m, b->axis[d], q), pos);
        if (sb_buf_leaf(b, d))
            sum = sb_machine_add(
                m, sum, sb_machine_mul(m, slot[d], s->stride[sb_buf_root(b, d) + 1]));
        if (!sb_machine_ok(m))
            return NOT_STORED;
    }
    return element(m, s, sum);
}

int64_t
sb_machine_open_offset(sb_machine *m, const sb_storage *s, int last)
{
    const sb_buf *b = s->buf;
    bool has_last = false;
    int64_t sum = 0;

    for (int d = 0; d < b->rank; d++) {
        int64_t slot = NOT_STORED;

        for (int k = m->nlevel - 1; k >= 0; k--) {
            for (int r = 0; r < 2 && m->level[k].open; r++) {
                if (m->level[k].at[r].axis == b->axis[d])
                    slot = m->level[k].at[r].slot;
            }
        }
        if (slot < 0)
            return NOT_STORED;
        has_last = has_last || m->level[last].at[0].axis == b->axis[d] ||
                   m->level[last].at[1].axis == b->axis[d];
        if (sb_buf_leaf(b, d))
            sum = sb_machine_add(
                m, sum, sb_machine_mul(m, slot, s->stride[sb_buf_root(b, d) + 1]));
    }
    return has_last ? sum : -1;
}
