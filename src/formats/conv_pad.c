/*
 * Indices for padding. In ELL the column of a slot is determined by slot and row: an
 * enumeration gives a row's elements the slots 0 .. n - 1 and its zeros the slots from n
 * on. Elements are in place; here the slots left over get the columns left over, in the
 * order in which the function counts. The same holds for all levels that a one-to-one
 * function determines.
 *
 * A chain is all entries that differ only in the function's answer (the slots of a row).
 * Where a chain has more entries than units (slots rounded up to whole groups), the last
 * unit is repeated: such an entry holds zero and stays readable.
 */
#include "formats/conv_ops.h"

#include "base/alloc.h"
#include "formats/fmt_expr.h"

#include <string.h>

typedef struct padding {
    const sb_conv *cx;
    const sb_fmt *f;
    int last;   /* deepest determined level; entries are its nodes */
    sb_tree by; /* sort columns: the chain, hole or not, the unit */
    int nchain; /* columns that say the chain, of levels chain[] */
    int chain[SB_FMT_LEVELS];
    int64_t *col[SB_FMT_LEVELS]; /* index of every entry in levels 0 .. last */
    int64_t n, *order;
    const sb_fmt_expr *inverse[SB_FMT_DIMS];
    const sb_fmt_query *answer;
    int nfree, free_dim[SB_FMT_DIMS]; /* dimensions that determined levels say */
} padding;

static bool
from_function(const padding *d, int level)
{
    return sb_fmt_expr_indirect(d->f->level[level]);
}

static bool
determined(const padding *d, int level)
{
    return sb_conv_determined(d->cx, level);
}

/* ---- Entries ------------------------------------------------------------------------
 */

/* Levels 0 .. q - 1 repeated for the nodes of level q, and q itself. */
static sb_status
expand(padding *d, int q)
{
    const sb_tree *t = &d->cx->t;
    const sb_tree_level *l = &t->at[q];
    const bool vector = q > t->end;
    const int64_t up = q == 0 ? 1 : d->n, each = l->idx ? 1 : l->size;
    const int64_t n = vector ? up * each : l->count;

    for (int k = 0; k <= q; k++) {
        int64_t *to = sb_alloc_array(n, sizeof *to);

        if (!to)
            return SB_ENOMEM;
        for (int64_t p = 0; p < up; p++) {
            const int64_t lo = vector ? p * each : sb_tree_first(t, q, p);
            const int64_t hi = vector ? lo + each : sb_tree_first(t, q, p + 1);

            for (int64_t c = lo; c < hi; c++)
                to[c] = k < q ? d->col[k][p] : l->idx ? l->idx[c] : l->lo + c - lo;
        }
        sb_free(d->col[k]);
        d->col[k] = to;
    }
    d->n = n;
    return SB_OK;
}

static bool
is_hole(const padding *d, int64_t p)
{
    return d->col[d->last][p] == SB_TREE_HOLE;
}

/* The dimensions of an entry; unknown levels count as the lowest of their range. */
static void
dims_of(const padding *d, int64_t p, int64_t *dim)
{
    int64_t at[SB_FMT_LEVELS];

    for (int q = 0; q < d->f->nlevel; q++)
        at[q] = q <= d->last && d->col[q][p] != SB_TREE_HOLE ? d->col[q][p]
                                                             : d->cx->t.at[q].lo;
    for (int k = 0; k < d->f->ndim; k++)
        dim[k] = sb_fmt_eval(d->inverse[k], at);
}

/* ---- Order --------------------------------------------------------------------------
 */

static int64_t *
sort_column(padding *d)
{
    sb_tree_level *l = &d->by.at[d->by.n];

    *l = (sb_tree_level){.count = d->n};
    l->idx = sb_alloc_array(d->n, sizeof *l->idx);
    d->by.n += l->idx != NULL;
    return l->idx;
}

/* By chain; in a chain elements first, as the function counts, then holes as they are. */
static sb_status
order_entries(padding *d, const sb_par *par)
{
    const sb_fmt_map *units = &d->answer->traverse;
    int64_t *hole, *unit[SB_FMT_LEVELS], dim[SB_FMT_DIMS], twice;

    for (int q = 0; q <= d->last; q++) {
        int64_t *to;

        if (determined(d, q) || from_function(d, q))
            continue;
        if (!(to = sort_column(d)))
            return SB_ENOMEM;
        memcpy(to, d->col[q], (size_t)d->n * sizeof *to);
        d->chain[d->nchain++] = q;
    }
    if (!(hole = sort_column(d)))
        return SB_ENOMEM;
    for (int k = 0; k < units->n; k++)
        if (!(unit[k] = sort_column(d)))
            return SB_ENOMEM;
    for (int64_t p = 0; p < d->n; p++) {
        hole[p] = is_hole(d, p);
        dims_of(d, p, dim);
        for (int k = 0; k < units->n; k++)
            unit[k][p] = hole[p] ? 0 : sb_fmt_eval(units->e[k], dim);
    }
    return sb_conv_order(&d->order, &twice, &d->by, d->by.n, par);
}

static int64_t
entry(const padding *d, int64_t p)
{
    return d->order ? d->order[p] : p;
}

/* ---- Units in order -----------------------------------------------------------------
 */

static bool
mentions(const sb_fmt_expr *e, int64_t dim)
{
    return e && ((e->op == SB_FMT_DIM && e->value == dim) || mentions(e->a, dim) ||
                 mentions(e->b, dim));
}

/* Free dimensions, those of the function's traversal first. */
static void
find_free(padding *d)
{
    const sb_fmt_map *units = &d->answer->traverse;
    unsigned seen = 0;

    for (int k = 0; k <= units->n; k++)
        for (int dim = 0; dim < d->f->ndim; dim++) {
            bool is_free = false;

            for (int q = 0; q <= d->last; q++)
                is_free |= determined(d, q) && mentions(d->inverse[dim], q);
            if (!is_free || seen >> dim & 1 ||
                (k < units->n && !mentions(units->e[k], dim)))
                continue;
            seen |= 1u << dim;
            d->free_dim[d->nfree++] = dim;
        }
}

/* Values of dimension `dim` that a level `dim / b` of the chain allows. */
static void
bound_dim(const padding *d, int64_t p, int dim, int64_t *lo, int64_t *hi)
{
    *lo = 0;
    *hi = d->cx->t.extent[dim];
    for (int k = 0; k < d->nchain; k++) {
        const sb_fmt_expr *e = d->f->level[d->chain[k]];
        const int64_t x = d->col[d->chain[k]][p];

        if (e->op != SB_FMT_DIV || e->a->op != SB_FMT_DIM || e->a->value != dim ||
            e->b->op != SB_FMT_CONST)
            continue;
        *lo = x * e->b->value;
        if (*hi - *lo > e->b->value)
            *hi = *lo + e->b->value;
    }
}

/* Walks the places a chain could hold. at[] is the current one. */
typedef struct walk {
    int64_t lo[SB_FMT_DIMS], hi[SB_FMT_DIMS], at[SB_FMT_DIMS];
    bool done;
} walk;

static void
walk_begin(walk *w, const padding *d, int64_t p)
{
    dims_of(d, p, w->at);
    w->done = false;
    for (int k = 0; k < d->nfree; k++) {
        const int dim = d->free_dim[k];

        bound_dim(d, p, dim, &w->lo[dim], &w->hi[dim]);
        w->at[dim] = w->lo[dim];
        w->done |= w->lo[dim] >= w->hi[dim];
    }
}

static void
walk_next(walk *w, const padding *d)
{
    for (int k = d->nfree - 1; k >= 0; k--) {
        const int dim = d->free_dim[k];

        if (++w->at[dim] < w->hi[dim])
            return;
        w->at[dim] = w->lo[dim];
    }
    w->done = true;
}

/* Whether the place lies in entry p's chain. */
static bool
in_chain(const padding *d, int64_t p, const int64_t *at)
{
    for (int k = 0; k < d->nchain; k++)
        if (sb_fmt_eval(d->f->level[d->chain[k]], at) != d->col[d->chain[k]][p])
            return false;
    return true;
}

/* Whether the place has entry p's determined indices. */
static bool
is_entry(const padding *d, int64_t p, const int64_t *at)
{
    for (int q = 0; q <= d->last; q++)
        if (determined(d, q) && sb_fmt_eval(d->f->level[q], at) != d->col[q][p])
            return false;
    return true;
}

static void
put_entry(const padding *d, int64_t p, const int64_t *at)
{
    for (int q = 0; q <= d->last; q++)
        if (determined(d, q))
            d->col[q][p] = sb_fmt_eval(d->f->level[q], at);
}

/* Entries [lo, hole) are elements, [hole, hi) holes. */
static void
fill_chain(const padding *d, int64_t lo, int64_t hole, int64_t hi)
{
    const int64_t stop = hole;
    int64_t used = lo, seen = -1; /* seen: an entry of the unit before */
    walk w;

    for (walk_begin(&w, d, entry(d, lo)); !w.done && hole < hi; walk_next(&w, d)) {
        if (!in_chain(d, entry(d, lo), w.at) || (seen >= 0 && is_entry(d, seen, w.at)))
            continue;
        if (used < stop && is_entry(d, entry(d, used), w.at)) {
            seen = entry(d, used++);
            continue;
        }
        seen = entry(d, hole++);
        put_entry(d, seen, w.at);
    }
    for (; hole < hi; hole++)
        for (int q = 0; q <= d->last; q++)
            if (determined(d, q))
                d->col[q][entry(d, hole)] =
                    hole > lo ? d->col[q][entry(d, hole - 1)] : d->cx->t.at[q].lo;
}

static void
fill_chains(const padding *d)
{
    for (int64_t lo = 0, hi, hole; lo < d->n; lo = hi) {
        hole = -1;
        for (hi = lo; hi < d->n; hi++) {
            bool same = true;

            for (int k = 0; k < d->nchain; k++)
                same &= d->col[d->chain[k]][entry(d, hi)] ==
                        d->col[d->chain[k]][entry(d, lo)];
            if (!same)
                break;
            if (hole < 0 && is_hole(d, entry(d, hi)))
                hole = hi;
        }
        if (hole >= 0)
            fill_chain(d, lo, hole, hi);
    }
}

/* ---- All of it ----------------------------------------------------------------------
 */

/* Entries back to their levels; above the last one, the first entry below a node has
 * the node's index. */
static void
write_back(const padding *d, sb_tree *t)
{
    int64_t below = 1;

    for (int q = d->last; q >= 0 && (q == d->last || q > t->end); q--) {
        for (int64_t p = 0; determined(d, q) && p < d->n; p += below)
            t->at[q].idx[p / below] = d->col[q][p];
        below *= t->at[q].idx ? 1 : t->at[q].size;
    }
}

static sb_status
pad(padding *d, sb_conv *cx)
{
    const sb_fmt *f = d->f;
    sb_status st = SB_OK;

    for (int q = 0; q <= d->last && st == SB_OK; q++) {
        st = expand(d, q);
        if (from_function(d, q)) {
            const sb_fmt_expr *e = f->level[q];

            while (e->op != SB_FMT_INDIRECT)
                e = sb_fmt_expr_indirect(e->a) ? e->a : e->b;
            d->answer = sb_fmt_answer(f, e);
        }
    }
    if (st == SB_OK && !d->answer)
        return sb_diag_set(cx->diag, SB_EINTERNAL,
                           "a determined level without a "
                           "function above");
    if (st == SB_OK)
        st = order_entries(d, cx->par);
    if (st != SB_OK)
        return st;
    find_free(d);
    fill_chains(d);
    write_back(d, &cx->t);
    return SB_OK;
}

sb_status
sb_conv_pad(sb_conv *cx)
{
    padding d = {.cx = cx, .f = cx->target, .last = -1};
    bool holes = false;
    sb_arena ar;
    sb_status st;

    for (int q = 0; q < cx->t.n; q++) {
        const sb_tree_level *l = &cx->t.at[q];
        const int64_t n = l->idx ? sb_tree_nodes(&cx->t, q) : 0;

        for (int64_t p = 0; sb_conv_determined(cx, q) && p < n && !holes; p++)
            holes = l->idx[p] == SB_TREE_HOLE;
        if (sb_conv_determined(cx, q))
            d.last = q;
    }
    if (!holes)
        return SB_OK;
    sb_arena_init(&ar);
    st = sb_fmt_inverse(d.inverse, &ar, d.f, cx->diag);
    if (st == SB_OK)
        st = pad(&d, cx);
    for (int q = 0; q < SB_FMT_LEVELS; q++)
        sb_free(d.col[q]);
    for (int q = 0; q < d.by.n; q++)
        sb_free(d.by.at[q].idx);
    sb_free(d.order);
    sb_arena_free(&ar);
    return st;
}
