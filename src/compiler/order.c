/*
 * Order of the points of an iteration, declared in order.h.
 *
 * Two points can meet in one element where coordinates repeat (an axis that is not
 * unique), where an index is gathered, or where an iterator does not occur in it. Then
 * the last value set, or an init after another point's sums, would show.
 */
#include "compiler/order.h"

#include "compiler/affine.h"
#include "compiler/depend.h"
#include "compiler/rewrite.h"

enum { ITERS_MAX = 16 };

typedef struct ordering {
    const sb_stmt *iter;
    int from; /* iterators before it stand still */
    const sb_buf *bad;
    const sb_buf *buf; /* whose accesses are looked at */
    const sb_expr *const *idx;
    bool differs; /* accesses at different places */
} ordering;

static bool
is_sparse(const sb_axis *x)
{
    return x->kind == SB_AXIS_SPARSE_FIXED || x->kind == SB_AXIS_SPARSE_VARIABLE;
}

/* Iterator of the iteration that e is, -1 when it is none. */
static int
iterator_of(const sb_stmt *s, const sb_expr *e)
{
    int q = e->kind == SB_EXPR_VAR ? s->u.iter.n - 1 : -1;

    while (q >= 0 && s->u.iter.it[q].var != e->u.var)
        q--;
    return q;
}

/* Does index e of dimension d give iterator q away: as its own slot, or as a coordinate
 * that does not repeat? */
static bool
names_slot(const sb_stmt *s, const sb_buf *b, int d, const sb_expr *e, int q)
{
    const sb_axis *x = s->u.iter.it[q].axis;

    return !is_sparse(x) || x->unique || (b->axis[d] == x && iterator_of(s, e) == q);
}

/* An index like %io * 4 + %ii with %ii below 4: marks the iterators it tells apart. */
static void
take_index(const ordering *o, int d, const sb_expr *e, bool *told)
{
    const sb_stmt *s = o->iter;
    int64_t reach = 1; /* the terms so far lie in 0 .. reach */
    sb_affine a;
    bool used[SB_AFFINE_TERMS] = {false};

    if (!sb_affine_of(&a, e))
        return;
    for (int n = 0; n < a.n; n++) {
        int least = -1, q;

        for (int t = 0; t < a.n; t++) {
            if (!used[t] && (least < 0 || a.at[t].coef < a.at[least].coef))
                least = t;
        }
        used[least] = true;
        q = iterator_of(s, a.at[least].atom);
        if (q < o->from && a.at[least].atom->kind == SB_EXPR_VAR)
            continue; /* a parameter, or as good as one */
        if (q < 0 || a.at[least].coef < reach)
            return;
        told[q] = told[q] || names_slot(s, o->buf, d, e, q);
        if (s->u.iter.it[q].axis->length->kind != SB_EXPR_INT) {
            reach = INT64_MAX; /* nothing may lie above it */
            continue;
        }
        if (__builtin_mul_overflow(a.at[least].coef, s->u.iter.it[q].axis->length->u.i,
                                   &reach))
            return;
    }
}

/* Do different spatial points have different places? */
static bool
tells_apart(const ordering *o)
{
    const sb_stmt *s = o->iter;
    bool told[ITERS_MAX] = {false};

    if (s->u.iter.n > ITERS_MAX)
        return false;
    for (int d = 0; d < o->buf->rank; d++)
        take_index(o, d, o->idx[d], told);
    for (int q = o->from; q < s->u.iter.n; q++) {
        const sb_iter *it = &s->u.iter.it[q];

        if (!told[q] && !it->reduce && !sb_expr_is_int(it->axis->length, 1))
            return false;
    }
    return true;
}

static void
see(ordering *o, const sb_expr *const *idx)
{
    for (int d = 0; o->idx && d < o->buf->rank; d++)
        o->differs = o->differs || o->idx[d] != idx[d];
    o->idx = idx;
}

static void
see_loads(void *user, const sb_expr *e)
{
    ordering *o = user;

    if (e->kind == SB_EXPR_LOAD && e->u.buf == o->buf)
        see(o, e->arg);
    for (int q = 0; q < e->nargs; q++)
        see_loads(user, e->arg[q]);
}

static void
see_store(void *user, const sb_stmt *s)
{
    ordering *o = user;

    if (s->kind == SB_STMT_STORE && s->u.store.buf == o->buf)
        see(o, s->u.store.idx);
}

static void
check_store(void *user, const sb_stmt *s)
{
    ordering *o = user;
    const sb_body part[2] = {o->iter->u.iter.init, o->iter->u.iter.body};

    if (s->kind != SB_STMT_STORE || o->bad)
        return;
    o->buf = s->u.store.buf;
    o->idx = NULL;
    o->differs = false;
    for (int q = 0; q < 2; q++) {
        sb_body_exprs(part[q], see_loads, o);
        sb_body_stmts(part[q], see_store, o);
    }
    if (o->differs || !tells_apart(o))
        o->bad = o->buf;
}

bool
sb_iter_order_free(const sb_stmt *iter, int from, const sb_buf **bad)
{
    ordering o = {.iter = iter, .from = from};

    if (iter->u.iter.init.n > 0 || !sb_body_only_updates(iter->u.iter.body)) {
        sb_body_stmts(iter->u.iter.init, check_store, &o);
        sb_body_stmts(iter->u.iter.body, check_store, &o);
    }
    *bad = o.bad;
    return !o.bad;
}
