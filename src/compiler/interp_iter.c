/*
 * Sparse iterations of stage I: every axis visits its stored slots under the open slots
 * of its ancestors, in the order written; empty slots are passed over. init runs before
 * the outermost reduction, once per point of the spatial axes inside, so also where
 * nothing is reduced.
 */
#include "compiler/interp.h"

static bool
is_sparse(const sb_axis *x)
{
    return x->kind == SB_AXIS_SPARSE_FIXED || x->kind == SB_AXIS_SPARSE_VARIABLE;
}

static void nest(sb_machine *m, int k, bool init);

/* Is a buffer's element at the open point marked empty by val? Asked at the level that
 * opens the last of its axes. */
static bool
in_hole(sb_machine *m, int k)
{
    for (int q = 0; q < m->prog->nbuf; q++) {
        const sb_buf *b = m->prog->buf[q];
        const sb_axis *x = b->axis[b->rank - 1];
        int64_t at;

        if (!x || !x->val || !x->padded || is_sparse(x))
            continue;
        at = sb_machine_open_offset(m, sb_machine_storage(m, b), k);
        if (at >= 0 && sb_machine_entry(m, x->val, at) < 0)
            return true;
    }
    return false;
}

/* The same coordinate on the axis iterated together with level k; false when it is not
 * stored there. */
static bool
open_with(sb_machine *m, int k, int64_t coord)
{
    const sb_axis *x = m->level[k].it->with;
    const int64_t q = x->parent ? sb_machine_open_slot(m, x->parent, k) : 0;
    const int64_t pos = sb_machine_position(m, x, q, coord);

    m->level[k].at[1].pos = pos;
    m->level[k].at[1].slot = sb_machine_first(m, x, q) + pos;
    return pos >= 0 && sb_machine_ok(m);
}

/* Is the parent of axis x, which is about to be visited, open? init passes reductions
 * over. */
static bool
parent_open(sb_machine *m, const sb_axis *x, int k)
{
    if (!x || !x->parent || sb_machine_open_slot(m, x->parent, k) >= 0)
        return true;
    sb_machine_fail(m, SB_ENOTSUP,
                    "init cannot run over axis #%s: its parent is a reduction",
                    x->name);
    return false;
}

/* Opens level k at slot first + pos and runs what lies inside. */
static void
visit(sb_machine *m, int k, int64_t first, int64_t pos, int var, bool init)
{
    sb_open_level *l = &m->level[k];
    const sb_axis *x = l->it->axis;
    const sb_axis_size *size = sb_machine_axis(m, x);
    int64_t coord = pos;

    if (is_sparse(x)) {
        const int64_t crd = sb_machine_entry(m, x->crd, first + pos);

        if (x->padded && crd < 0)
            return;
        coord = crd - size->base;
    }
    if (sb_machine_ok(m) && (coord < 0 || coord >= size->length))
        sb_machine_fail(m, SB_EINVAL, "axis #%s: coordinate %lld, length %lld", x->name,
                        (long long)coord, (long long)size->length);
    if (!sb_machine_ok(m))
        return;
    if (l->it->with && !open_with(m, k, coord))
        return;
    l->at[0].pos = pos;
    l->at[0].slot = first + pos;
    l->open = true;
    sb_machine_rebind(m, var, coord);
    if (!in_hole(m, k))
        nest(m, k + 1, init);
    l->open = false;
}

static void
run_level(sb_machine *m, int k, bool init)
{
    const sb_open_level *l = &m->level[k];
    const sb_axis *x = l->it->axis;
    const int64_t q = x->parent ? sb_machine_open_slot(m, x->parent, k) : 0;
    const sb_num start = {0, 0.0, 0.0};
    const int var = m->nvar;
    int64_t first, n;

    if (!parent_open(m, x, k) || !parent_open(m, l->it->with, k))
        return;
    first = sb_machine_first(m, x, q);
    n = sb_machine_extent(m, x, q);
    sb_machine_bind(m, l->it->var, start);
    for (int64_t pos = 0; pos < n && sb_machine_ok(m); pos++)
        visit(m, k, first, pos, var, init);
    m->nvar = var;
}

static int
first_reduction(const sb_machine *m)
{
    int k = 0;

    while (k < m->nlevel && !m->level[k].it->reduce)
        k++;
    return k;
}

static void
nest(sb_machine *m, int k, bool init)
{
    const sb_stmt *s = m->iter;

    while (init && k < m->nlevel && m->level[k].it->reduce)
        k++;
    if (!init && k == first_reduction(m) && s->u.iter.init.n > 0)
        nest(m, k, true);
    if (!sb_machine_ok(m))
        return;
    if (k < m->nlevel)
        run_level(m, k, init);
    else
        sb_machine_body(m, init ? s->u.iter.init : s->u.iter.body);
}

void
sb_machine_iter(sb_machine *m, const sb_stmt *s)
{
    if (s->u.iter.n > SB_INTERP_LEVELS) {
        sb_machine_fail(m, SB_ENOTSUP, "iteration %s has more than %d axes",
                        s->u.iter.name, SB_INTERP_LEVELS);
        return;
    }
    m->iter = s;
    m->nlevel = s->u.iter.n;
    for (int k = 0; k < m->nlevel; k++) {
        sb_open_level *l = &m->level[k];

        l->it = &s->u.iter.it[k];
        l->at[0].axis = l->it->axis;
        l->at[1].axis = l->it->with;
        l->open = false;
    }
    nest(m, 0, false);
    m->nlevel = 0;
}
