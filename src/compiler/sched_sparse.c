/*
 * Stage I primitives (SparseTIR 3.2.2): the order of the iterators of an iteration and
 * which of them form one loop.
 *
 *   sparse_reorder spmm %i %c %j      iter spmm (%i : S #I, %j : R #J, %c : S #N)
 *                                  -> iter spmm (%i : S #I, %c : S #N, %j : R #J)
 */
#include "compiler/order.h"
#include "compiler/schedule.h"

#include <string.h>

enum { MAXITER = 12 };

static int
find_iter(const sb_stmt *s, const char *name)
{
    for (int q = 0; q < s->u.iter.n; q++) {
        if (strcmp(s->u.iter.it[q].var->name, name) == 0)
            return q;
    }
    return -1;
}

/* name[0] is the iteration, the rest are iterators: their indices, or false. */
static bool
find_all(sb_sched *sc, const sb_stmt *s, int at[MAXITER])
{
    for (int q = 1; q < sc->nname; q++) {
        at[q - 1] = q <= MAXITER ? find_iter(s, sc->name[q]) : -1;
        for (int r = 0; r < q - 1; r++)
            at[q - 1] = at[q - 1] == at[r] ? -1 : at[q - 1];
        if (at[q - 1] < 0) {
            sb_sched_refuse(sc, "iteration %s has no (other) iterator %%%s",
                            sc->name[0], sc->name[q]);
            return false;
        }
    }
    return true;
}

/* Does an axis of the iterator depend on x? */
static bool
is_below(const sb_iter *it, const sb_axis *x)
{
    return x && (it->axis->parent == x || (it->with && it->with->parent == x));
}

static bool
parents_first(sb_sched *sc, int n, const sb_iter *it)
{
    for (int q = 0; q < n; q++) {
        for (int r = q + 1; r < n; r++) {
            if (is_below(&it[q], it[r].axis) || is_below(&it[q], it[r].with)) {
                sb_sched_refuse(sc, "axis #%s would come before its parent #%s",
                                it[q].axis->name, it[r].axis->name);
                return false;
            }
        }
    }
    return true;
}

typedef void (*edit_fn)(sb_sched *sc, const sb_stmt *s, sb_iter *it);

static void
edit_reorder(sb_sched *sc, const sb_stmt *s, sb_iter *it)
{
    const sb_buf *bad;
    int at[MAXITER], same = 0;

    if (!find_all(sc, s, at))
        return;
    if (sc->nname - 1 != s->u.iter.n) {
        sb_sched_refuse(sc, "all %d iterators of %s must be named", s->u.iter.n,
                        s->u.iter.name);
        return;
    }
    for (int q = 0; q < s->u.iter.n; q++)
        it[q] = s->u.iter.it[at[q]];
    if (!parents_first(sc, s->u.iter.n, it))
        return;
    while (same < s->u.iter.n && it[same].var == s->u.iter.it[same].var)
        same++;
    if (!sb_iter_order_free(s, same, &bad))
        sb_sched_refuse(sc, "points of %s could meet in one element of $%s",
                        s->u.iter.name, bad->name);
    for (int q = 1; q < s->u.iter.n; q++) {
        for (int r = 0; it[q].group && r + 1 < q; r++) {
            if (it[r].group == it[q].group && it[q - 1].group != it[q].group)
                sb_sched_refuse(sc, "%%%s and %%%s are fused", it[r].var->name,
                                it[q].var->name);
        }
    }
}

static void
edit_fuse(sb_sched *sc, const sb_stmt *s, sb_iter *it)
{
    int at[MAXITER], group = 1;
    const int n = sc->nname - 1;

    if (!find_all(sc, s, at))
        return;
    for (int q = 0; q < s->u.iter.n; q++)
        group = it[q].group >= group ? it[q].group + 1 : group;
    for (int q = 0; q < n; q++) {
        const sb_axis *x = it[at[q]].axis;

        if (it[at[q]].group)
            sb_sched_refuse(sc, "%%%s is fused already", sc->name[q + 1]);
        else if (q > 0 && (at[q] != at[q - 1] + 1 || x->parent != it[at[q - 1]].axis))
            sb_sched_refuse(sc, "%%%s does not follow its parent axis",
                            sc->name[q + 1]);
        else if (q > 0 && x->end)
            sb_sched_refuse(
                sc, "the rows of axis #%s have ends, so they need not fill the array",
                x->name);
        else if (it[at[q]].with)
            sb_sched_refuse(sc, "%%%s is iterated with #%s", sc->name[q + 1],
                            it[at[q]].with->name);
        else if (it[at[q]].reduce != it[at[0]].reduce && s->u.iter.init.n > 0)
            sb_sched_refuse(sc,
                            "%s has an init, so spatial and reduction axes stay apart",
                            s->u.iter.name);
        it[at[q]].group = group;
    }
    if (n < 2)
        sb_sched_refuse(sc, "needs at least two iterators");
}

typedef struct edit {
    sb_sched *sc;
    edit_fn fn;
} edit;

static bool
visit(sb_mapper *m, sb_list *out, const sb_stmt *s)
{
    edit *e = m->user;
    sb_stmt *t;
    sb_iter *it;

    if (s->kind != SB_STMT_ITER || strcmp(s->u.iter.name, e->sc->name[0]) != 0)
        return false;
    t = sb_stmt_copy(m->ir, s);
    it = sb_arena_copy(m->ir->arena, s->u.iter.it, (size_t)s->u.iter.n * sizeof *it);
    if (t && it) {
        e->fn(e->sc, s, it);
        t->u.iter.it = it;
        e->sc->hits++;
    }
    sb_list_push(out, it ? t : NULL);
    return true;
}

static sb_status
run(const sb_prog **out, sb_sched *sc, edit_fn fn)
{
    edit e = {sc, fn};
    sb_mapper m = {sc->ir, &e, NULL, visit};
    const sb_body b = sb_map_body(&m, sc->in->body);

    if (sc->hits == 0)
        sb_sched_refuse(sc, "there is no iteration %s", sc->name[0]);
    return sb_sched_finish(out, sc, b);
}

sb_status
sb_sched_sparse_reorder(const sb_prog **out, sb_sched *sc)
{
    return run(out, sc, edit_reorder);
}

sb_status
sb_sched_sparse_fuse(const sb_prog **out, sb_sched *sc)
{
    return run(out, sc, edit_fuse);
}
