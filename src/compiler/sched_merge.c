/*
 * sparse_merge dot %j #JB: the iterator visits only coordinates that are stored on #JB
 * too, and walks along both axes at once (UniSparse 5.3, step 2, case b-I).
 *
 *   iter dot (%i : S #I, %j : R #JA) { $y[%i] += $A[%i, %j] * $B[%i, %j] }
 *   -> iter dot (%i : S #I, %j : R #JA & #JB) { ... }
 *
 * The same sums, because every statement adds a multiple of an element over #JB, which
 * is zero where it is not stored, or stores to such an element.
 */
#include "compiler/address.h"
#include "compiler/schedule.h"

#include <string.h>

typedef struct merge {
    sb_sched *sc;
    const sb_stmt *iter;
    const sb_axis *axis; /* JB */
    int at;              /* the iterator's place */
} merge;

/* The nearest iterator before `below` that runs over x. */
static const sb_iter *
iterator_of(const merge *mg, const sb_axis *x, int below)
{
    for (int q = below - 1; q >= 0; q--) {
        const sb_iter *it = &mg->iter->u.iter.it[q];

        if (it->axis == x || it->with == x)
            return it;
    }
    return NULL;
}

static bool
is_var(const sb_expr *e, const sb_var *v)
{
    return e->kind == SB_EXPR_VAR && e->u.var == v;
}

/* Does an access reach the slot that is open together with the iterator? */
static bool
on_axis(const merge *mg, const sb_buf *b, const sb_expr *const *idx)
{
    int d = 0;

    while (d < b->rank && b->axis[d] != mg->axis)
        d++;
    if (d == b->rank || !is_var(idx[d], mg->iter->u.iter.it[mg->at].var))
        return false;
    while ((d = sb_buf_parent(b, d)) >= 0) {
        const sb_iter *it = iterator_of(mg, b->axis[d], mg->at);

        if (!it || !is_var(idx[d], it->var))
            return false;
    }
    return true;
}

/* Is e zero where the element is not stored? */
static bool
vanishes(const merge *mg, const sb_expr *e)
{
    switch ((sb_expr_kind)e->kind) {
    case SB_EXPR_LOAD:
        return on_axis(mg, e->u.buf, e->arg);
    case SB_EXPR_MUL:
        return vanishes(mg, e->arg[0]) || vanishes(mg, e->arg[1]);
    case SB_EXPR_CAST:
    case SB_EXPR_NEG:
    case SB_EXPR_CONJ:
        return vanishes(mg, e->arg[0]);
    default:
        return false;
    }
}

static void
check_store(void *user, const sb_stmt *s)
{
    merge *mg = user;

    if (s->kind != SB_STMT_STORE || on_axis(mg, s->u.store.buf, s->u.store.idx) ||
        (s->u.store.op == SB_STORE_ADD && vanishes(mg, s->u.store.value)))
        return;
    sb_sched_refuse(mg->sc,
                    "what is stored to $%s where #%s has no element is not known to be "
                    "nothing",
                    s->u.store.buf->name, mg->axis->name);
}

static bool
is_sparse(const sb_axis *x)
{
    return x->kind == SB_AXIS_SPARSE_FIXED || x->kind == SB_AXIS_SPARSE_VARIABLE;
}

static void
check(merge *mg)
{
    const sb_iter *it = &mg->iter->u.iter.it[mg->at];
    const sb_axis *x = it->axis, *y = mg->axis;
    sb_sched *sc = mg->sc;

    if (it->with || it->group || x == y)
        sb_sched_refuse(sc, "%%%s runs over #%s in another way already", it->var->name,
                        it->with ? it->with->name : x->name);
    else if (!is_sparse(x) || !x->sorted)
        sb_sched_refuse(sc, "axis #%s is not sparse and sorted", x->name);
    else if (!is_sparse(y) || !y->sorted || !y->unique || y->padded)
        sb_sched_refuse(
            sc, "axis #%s is not sparse, sorted, unique and without padding", y->name);
    else if (x->length != y->length)
        sb_sched_refuse(sc, "#%s and #%s have different lengths", x->name, y->name);
    else if (y->parent && !iterator_of(mg, y->parent, mg->at))
        sb_sched_refuse(sc, "no iterator before %%%s runs over #%s, the parent of #%s",
                        it->var->name, y->parent->name, y->name);
    else if (!it->reduce && mg->iter->u.iter.init.n > 0)
        sb_sched_refuse(sc, "init runs over all %%%s", it->var->name);
    else
        sb_body_stmts(mg->iter->u.iter.body, check_store, mg);
}

static bool
visit(sb_mapper *m, sb_list *out, const sb_stmt *s)
{
    merge *mg = m->user;
    sb_stmt *t;
    sb_iter *it;

    if (s->kind != SB_STMT_ITER || strcmp(s->u.iter.name, mg->sc->name[0]) != 0)
        return false;
    mg->iter = s;
    mg->at = 0;
    mg->sc->hits++;
    while (mg->at < s->u.iter.n &&
           strcmp(s->u.iter.it[mg->at].var->name, mg->sc->name[1]) != 0)
        mg->at++;
    if (mg->at == s->u.iter.n) {
        sb_sched_refuse(mg->sc, "iteration %s has no iterator %%%s", mg->sc->name[0],
                        mg->sc->name[1]);
        return true;
    }
    check(mg);
    t = sb_stmt_copy(m->ir, s);
    it = sb_arena_copy(m->ir->arena, s->u.iter.it, (size_t)s->u.iter.n * sizeof *it);
    if (t && it) {
        it[mg->at].with = mg->axis;
        t->u.iter.it = it;
    }
    sb_list_push(out, it ? t : NULL);
    return true;
}

sb_status
sb_sched_sparse_merge(const sb_prog **out, sb_sched *sc)
{
    merge mg = {sc, NULL, NULL, 0};
    sb_mapper m = {sc->ir, &mg, NULL, visit};
    sb_body b;

    for (int q = 0; q < sc->in->naxis; q++) {
        if (strcmp(sc->in->axis[q]->name, sc->name[2]) == 0)
            mg.axis = sc->in->axis[q];
    }
    if (!mg.axis)
        return sb_sched_refuse(sc, "there is no axis #%s", sc->name[2]);
    b = sb_map_body(&m, sc->in->body);
    if (sc->hits == 0)
        sb_sched_refuse(sc, "there is no iteration %s", sc->name[0]);
    return sb_sched_finish(out, sc, b);
}
