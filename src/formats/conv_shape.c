/*
 * Operators on the shape of the tree: Trim, Fill, Vectorize, Devectorize, Merge, Split
 * (UniSparse, section 4.1.3). Each walks its level once; when memory is short it leaves
 * the tree consistent.
 */
#include "formats/conv_ops.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "formats/conv_fast.h"

#include <string.h>

/* Both or none. */
static sb_status
two_arrays(int64_t **a, int64_t na, int64_t **b, int64_t nb)
{
    *a = sb_alloc_array(na, sizeof **a);
    *b = sb_alloc_array(nb, sizeof **b);
    if (*a && *b)
        return SB_OK;
    sb_free(*a);
    sb_free(*b);
    *a = *b = NULL;
    return SB_ENOMEM;
}

static void
replace(int64_t **old, int64_t *now)
{
    sb_free(*old);
    *old = now;
}

static int64_t
parents(const sb_tree *t, int level)
{
    return level == 0 ? 1 : t->at[level - 1].count;
}

/* Pointers that say "one each" are left out; the root's always are. */
static void
tidy(sb_tree *t, int level)
{
    sb_tree_level *l = &t->at[level];
    const int64_t n = parents(t, level);

    if (level > 0 && l->count != n)
        return;
    for (int64_t p = 0; level > 0 && l->ptr && p < n; p++)
        if (l->ptr[p] != p)
            return;
    replace(&l->ptr, NULL);
}

/* ---- Leaves: values, and the indices of determined levels ---------------------------
 */

/* Entries of level q's index that a node of level `end` owns. */
static int64_t
owned(const sb_tree *t, int q)
{
    int64_t n = 1;

    for (int k = t->end + 1; k <= q; k++)
        n *= t->at[k].idx ? 1 : t->at[k].size;
    return n;
}

typedef struct gather {
    const int64_t *from;
    const char *src;
    char *dst;
    size_t bytes;
    int fill; /* byte of what comes from nowhere */
} gather;

static void
gather_range(void *user, int64_t lo, int64_t hi)
{
    const gather *g = user;

    for (int64_t p = lo; p < hi; p++) {
        char *dst = g->dst + (size_t)p * g->bytes;

        if (g->from[p] < 0)
            memset(dst, g->fill, g->bytes);
        else if (g->bytes == 8)
            memcpy(dst, g->src + (size_t)g->from[p] * 8, 8);
        else
            memcpy(dst, g->src + (size_t)g->from[p] * g->bytes, g->bytes);
    }
}

static void *
gathered(const int64_t *from, int64_t n, const void *src, int64_t each, size_t size,
         const sb_par *par)
{
    gather g = {.from = from, .src = src};
    int64_t all;

    if (!sb_mul_i64(n, each, &all) || !(g.dst = sb_alloc_array(all, size)))
        return NULL;
    g.bytes = (size_t)each * size;
    sb_par_run(par, gather_range, &g, 0, n, 1 << 14);
    return g.dst;
}

sb_status
sb_tree_leaves(sb_tree *t, const int64_t *from, int64_t n, const sb_par *par)
{
    void *idx[SB_TREE_LEVELS] = {0}, *val;
    int64_t vector;
    sb_status st = SB_OK;

    if (!sb_tree_vector(t, &vector))
        return SB_ENOMEM;
    val = gathered(from, n, t->val, vector, sb_dtype_size(t->type), par);
    if (!val)
        return SB_ENOMEM;
    for (int q = t->end + 1; q < t->n && st == SB_OK; q++)
        if (t->at[q].idx) {
            idx[q] = gathered(from, n, t->at[q].idx, owned(t, q), sizeof(int64_t), par);
            st = idx[q] ? SB_OK : SB_ENOMEM;
        }
    for (int q = t->end + 1; q < t->n; q++) {
        if (idx[q] && st == SB_OK)
            replace(&t->at[q].idx, idx[q]);
        else
            sb_free(idx[q]);
    }
    sb_free(st == SB_OK ? t->val : val);
    if (st == SB_OK)
        t->val = val;
    /* A node that comes from nowhere has unknown indices. */
    for (int q = t->end + 1; q < t->n && st == SB_OK; q++)
        for (int64_t p = 0; t->at[q].idx && p < n; p++)
            for (int64_t k = 0; from[p] < 0 && k < owned(t, q); k++)
                t->at[q].idx[p * owned(t, q) + k] = SB_TREE_HOLE;
    return st;
}

void
sb_tree_drop_outside(sb_tree *t)
{
    const size_t size = sb_dtype_size(t->type);
    int64_t w = 0;

    for (int64_t p = 0; p < t->at[0].count; p++) {
        bool inside = true;

        for (int d = 0; d < t->ndim; d++)
            inside &= t->at[d].idx[p] >= 0 && t->at[d].idx[p] < t->extent[d];
        for (int d = 0; d < t->ndim && inside && w < p; d++)
            t->at[d].idx[w] = t->at[d].idx[p];
        if (inside && w < p)
            memcpy((char *)t->val + (size_t)w * size, (char *)t->val + (size_t)p * size,
                   size);
        w += inside;
    }
    for (int d = 0; d < t->ndim; d++)
        t->at[d].count = w;
}

/* ---- Merge, Split -------------------------------------------------------------------
 */

/* Equal neighbours under one parent become one node. */
sb_status
sb_conv_merge(sb_conv *cx, const sb_conv_op *op)
{
    sb_tree *t = &cx->t;
    const int L = (int)op->arg[0];
    const int64_t up = parents(t, L);
    sb_tree_level *l = &t->at[L], *below = &t->at[L + 1];
    int64_t *children, *first, w = 0;

    SB_ASSERT(L == t->merged && L < t->end);
    SB_TRY(two_arrays(&children, l->count + 1, &first, up + 1));
    for (int64_t parent = 0; parent < up; parent++) {
        const int64_t hi = sb_tree_first(t, L, parent + 1);

        first[parent] = w;
        for (int64_t p = sb_tree_first(t, L, parent); p < hi; p++) {
            if (w > first[parent] && l->idx[w - 1] == l->idx[p])
                continue;
            children[w] = sb_tree_first(t, L + 1, p);
            l->idx[w++] = l->idx[p]; /* w <= p: nothing unread is lost */
        }
    }
    first[up] = w;
    children[w] = below->count;
    replace(&l->ptr, first);
    replace(&below->ptr, children);
    l->count = w;
    t->merged = L + 1;
    tidy(t, L);
    tidy(t, L + 1);
    return SB_OK;
}

/* A node becomes as many copies as it has children. */
sb_status
sb_conv_split(sb_conv *cx, const sb_conv_op *op)
{
    sb_tree *t = &cx->t;
    const int L = (int)op->arg[0];
    const int64_t up = parents(t, L);
    sb_tree_level *l = &t->at[L], *below = &t->at[L + 1];
    int64_t *idx, *first, p = 0;

    SB_ASSERT(L == t->merged - 1 && L < t->end && t->start <= L);
    SB_TRY(two_arrays(&idx, below->count, &first, up + 1));
    for (int64_t parent = 0; parent <= up; parent++) {
        const int64_t stop = sb_tree_first(t, L, parent);

        for (; p < stop; p++)
            for (int64_t c = sb_tree_first(t, L + 1, p);
                 c < sb_tree_first(t, L + 1, p + 1); c++)
                idx[c] = l->idx[p];
        first[parent] = sb_tree_first(t, L + 1, p);
    }
    l->count = below->count;
    replace(&l->idx, idx);
    replace(&l->ptr, first);
    replace(&below->ptr, NULL);
    t->merged = L;
    tidy(t, L);
    return SB_OK;
}

/* ---- Trim ---------------------------------------------------------------------------
 */

/* Zero bytes, or a float's -0. */
static bool
is_zero(const void *v, sb_dtype type, int64_t n)
{
    static const unsigned char zero[16];
    const size_t size = sb_dtype_size(type);
    bool plain = true;

    for (int64_t k = 0; k < n && plain; k++)
        plain = memcmp((const char *)v + (size_t)k * size, zero, size) == 0;
    if (plain || sb_dtype_is_int(type) || type == SB_BOOL)
        return plain;
    for (int64_t k = 0; k < n; k++) {
        const sb_value x = sb_value_load(type, v, k);

        if (!(x.re == 0.0 && x.im == 0.0))
            return false;
    }
    return true;
}

int64_t
sb_tree_nonzeros(const void *val, int64_t stride, int64_t n, sb_dtype type)
{
    const size_t step = (size_t)stride * sb_dtype_size(type);
    const sb_fast_kernels *k = sb_fast_kernels_for(SB_I64, sb_dtype_size(type));
    int64_t count = 0;

    if (k && stride == 1)
        return k->nonzeros(val, n, sb_dtype_magnitude(type));
    for (int64_t p = 0; p < n; p++)
        count += !is_zero((const char *)val + (size_t)p * step, type, 1);
    return count;
}

/* Whether an element lies below node p of level `end`. */
static bool
holds(const sb_tree *t, int64_t p, int64_t vector)
{
    const size_t bytes = (size_t)vector * sb_dtype_size(t->type);
    const int64_t n = t->marks ? owned(t, t->n - 1) : 0;

    for (int64_t k = 0; k < n; k++)
        if (t->at[t->n - 1].idx[p * n + k] != SB_TREE_HOLE)
            return true;
    return !t->marks &&
           !is_zero((const char *)t->val + (size_t)p * bytes, t->type, vector);
}

/* Nodes of level q to keep: with children, or leaves with a value. */
static int64_t
kept(int64_t *from, const sb_tree *t, int q, int64_t vector)
{
    int64_t w = 0;

    for (int64_t p = 0; p < t->at[q].count; p++) {
        const bool keep =
            q < t->end ? sb_tree_first(t, q + 1, p) < sb_tree_first(t, q + 1, p + 1)
                       : holds(t, p, vector);

        from[w] = p;
        w += keep;
    }
    return w;
}

/* Keeps the nodes from[0 .. n) of level q, which have all the children there are. */
static sb_status
keep_nodes(sb_tree *t, int q, const int64_t *from, int64_t n, const sb_par *par)
{
    sb_tree_level *l = &t->at[q];
    const int64_t up = parents(t, q);
    int64_t *first = sb_alloc_array(up + 1, sizeof *first), w = 0;

    if (!first)
        return SB_ENOMEM;
    if (q == t->end && sb_tree_leaves(t, from, n, par) != SB_OK) {
        sb_free(first);
        return SB_ENOMEM;
    }
    for (int64_t parent = 0; parent <= up; parent++) {
        const int64_t stop = sb_tree_first(t, q, parent);

        while (w < n && from[w] < stop)
            w++;
        first[parent] = w;
    }
    for (int64_t k = 0; k < n; k++) {
        l->idx[k] = l->idx[from[k]];
        if (q < t->end && t->at[q + 1].ptr)
            t->at[q + 1].ptr[k] = t->at[q + 1].ptr[from[k]];
    }
    if (q < t->end && t->at[q + 1].ptr)
        t->at[q + 1].ptr[n] = t->at[q + 1].count;
    replace(&l->ptr, first);
    l->count = n;
    tidy(t, q);
    if (q < t->end)
        tidy(t, q + 1);
    return SB_OK;
}

sb_status
sb_conv_trim(sb_conv *cx, const sb_conv_op *op)
{
    sb_tree *t = &cx->t;
    const int L = (int)op->arg[0];
    int64_t vector;

    SB_ASSERT(L <= t->end);
    if (!sb_tree_vector(t, &vector))
        return SB_ENOMEM;
    if (t->start > L)
        t->start = L;
    if (L == t->end)
        t->filled = 0;
    for (int q = L; q >= t->start; q--) {
        int64_t *from = sb_alloc_array(t->at[q].count, sizeof *from), n;
        sb_status st = from ? SB_OK : SB_ENOMEM;

        if (from && (n = kept(from, t, q, vector)) < t->at[q].count)
            st = keep_nodes(t, q, from, n, cx->par);
        sb_free(from);
        SB_TRY(st);
    }
    return SB_OK;
}

/* ---- Fill ---------------------------------------------------------------------------
 */

/*
 * Nodes after filling: copies stay, each index without one gets a node. Only up to the
 * last child for `gaps`; a determined level needs one node a parent, of unknown index.
 */
typedef enum filling { WHOLE, GAPS, ONE } filling;

static bool
filled_count(const sb_tree *t, int L, filling how, int64_t *out)
{
    const sb_tree_level *l = &t->at[L];
    int64_t n = 0;

    for (int64_t parent = 0; parent < parents(t, L); parent++) {
        const int64_t lo = sb_tree_first(t, L, parent);
        const int64_t hi = sb_tree_first(t, L, parent + 1);
        int64_t want = how == WHOLE ? l->size
                       : how == ONE ? 1
                       : hi > lo    ? l->idx[hi - 1] - l->lo + 1
                                    : 0;

        for (int64_t p = lo; p < hi; p++)
            want += p > lo && l->idx[p] == l->idx[p - 1];
        if (!sb_add_i64(n, want, &n))
            return false;
    }
    *out = n;
    return true;
}

/* from[w] is the old node, or -1. */
static void
fill_nodes(const sb_tree *t, int L, filling how, int64_t *idx, int64_t *from,
           int64_t *first)
{
    const sb_tree_level *l = &t->at[L];
    int64_t w = 0;

    for (int64_t parent = 0; parent < parents(t, L); parent++) {
        const int64_t hi = sb_tree_first(t, L, parent + 1);
        int64_t p = sb_tree_first(t, L, parent), lo = l->lo, end = lo + l->size;

        if (how == ONE)
            end = 1 + (lo = p < hi ? l->idx[p] : SB_TREE_HOLE);
        else if (how == GAPS)
            end = p < hi ? l->idx[hi - 1] + 1 : lo;
        first[parent] = w;
        for (int64_t x = lo; x < end; x++) {
            const int64_t before = w;

            for (; p < hi && l->idx[p] == x; w++, p++) {
                idx[w] = x;
                from[w] = p;
            }
            if (w == before) {
                idx[w] = x;
                from[w++] = -1;
            }
        }
    }
    first[parents(t, L)] = w;
}

/* Pointers to the children of the filled level: an inserted node has none. */
static void
child_pointers(const sb_tree *t, int L, int64_t *from, int64_t n)
{
    int64_t next = t->at[L + 1].count;

    from[n] = next;
    for (int64_t w = n - 1; w >= 0; w--) {
        if (from[w] >= 0)
            next = sb_tree_first(t, L + 1, from[w]);
        from[w] = next;
    }
}

/* arg[1]: gaps only. */
sb_status
sb_conv_fill(sb_conv *cx, const sb_conv_op *op)
{
    sb_tree *t = &cx->t;
    const int L = (int)op->arg[0];
    const filling how = sb_conv_determined(cx, L) ? ONE : op->arg[1] ? GAPS : WHOLE;
    sb_tree_level *l = &t->at[L];
    int64_t n = 0, slots, *idx, *from, *first;
    sb_status st;

    SB_ASSERT(L <= t->end && t->merged >= L);
    if (!filled_count(t, L, how, &n) || !sb_tree_vector(t, &slots) ||
        !sb_mul_i64(slots, n, &slots))
        slots = INT64_MAX;
    SB_TRY(sb_tree_bound(t, L == t->end ? slots : n, "padding", cx->diag));
    first = sb_alloc_array(parents(t, L) + 1, sizeof *first);
    if (!first || two_arrays(&idx, n, &from, n + 1) != SB_OK) {
        sb_free(first);
        return SB_ENOMEM;
    }
    fill_nodes(t, L, how, idx, from, first);
    st = L == t->end ? sb_tree_leaves(t, from, n, cx->par) : SB_OK;
    if (st == SB_OK) {
        if (L < t->end) {
            child_pointers(t, L, from, n);
            replace(&t->at[L + 1].ptr, from);
            from = NULL;
        }
        replace(&l->idx, idx);
        replace(&l->ptr, first);
        idx = first = NULL;
        l->count = n;
        if (how == GAPS)
            t->filled |= 1u << L;
        else if (t->start == L)
            t->start = L + 1;
        tidy(t, L);
    }
    sb_free(idx);
    sb_free(from);
    sb_free(first);
    return st;
}

/* ---- Vectorize, Devectorize ---------------------------------------------------------
 */

sb_status
sb_conv_vectorize(sb_conv *cx, const sb_conv_op *op)
{
    sb_tree *t = &cx->t;
    const int L = (int)op->arg[0];
    sb_tree_level *l = &t->at[L];

    SB_ASSERT(L == t->end && t->merged >= L);
    if (!sb_conv_determined(cx, L)) {
        if (l->count != parents(t, L) * l->size)
            return sb_diag_set(cx->diag, SB_EINVAL, "an element is given twice");
        replace(&l->idx, NULL);
    }
    replace(&l->ptr, NULL);
    t->end = L - 1;
    if (t->start > L)
        t->start = L;
    if (t->merged > t->end)
        t->merged = t->end < 0 ? 0 : t->end;
    return SB_OK;
}

/* Level L of the vectors becomes nodes. */
sb_status
sb_conv_devectorize(sb_conv *cx, const sb_conv_op *op)
{
    sb_tree *t = &cx->t;
    const int L = (int)op->arg[0];
    sb_tree_level *l = &t->at[L];
    const int64_t up = parents(t, L);

    SB_ASSERT(L == t->end + 1 && t->merged >= t->end);
    if (l->idx) {
        l->count = up;
    } else {
        int64_t *idx, *ptr;

        l->count = up * l->size; /* values of that many are stored */
        SB_TRY(two_arrays(&idx, l->count, &ptr, up + 1));
        for (int64_t p = 0; p <= up; p++) {
            ptr[p] = p * l->size;
            for (int64_t x = 0; p < up && x < l->size; x++)
                idx[ptr[p] + x] = l->lo + x;
        }
        l->idx = idx;
        l->ptr = ptr;
    }
    t->end = L;
    t->merged = L;
    tidy(t, L);
    return SB_OK;
}
