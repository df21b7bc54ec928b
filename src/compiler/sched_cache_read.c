/*
 * cache_read $B at %p as $b: what one iteration of loop %p reads of $B is copied to a
 * local array first and read from there.
 *
 *   for %p { for %q { for %c in 0 .. 8 { .. $B[$crd[%p], %c] .. } } }
 *   -> for %p { local $b : f32[8]
 *               if 0 < %n { for %c in 0 .. 8 { $b[%c] = $B[$crd[%p], %c] } }
 *               for %q { for %c in 0 .. 8 { .. $b[%c] .. } } }
 *
 * stage $B at %p as $b is the same with an array that the lanes of a GPU's group share and
 * fill with one vector loop: one dimension, the outermost loop's steps the largest.
 *
 * One dimension for each loop inside that the place in $B depends on, so rows gathered
 * through a list can be kept as well. A loop it does not depend on may not run at all;
 * the copy asks that first, so nothing is read that was not read before. Conditions are
 * refused, or passed over where the schedule says `always`.
 */
#include "base/fault.h"
#include "compiler/affine.h"
#include "compiler/depend.h"
#include "compiler/schedule.h"

#include <string.h>

enum { ELEMENTS_MAX = 16384, STAGED_MAX = 1024, GUARDS_MAX = 8 };

typedef struct reading {
    sb_sched *sc;
    const sb_buf *buf;
    const sb_expr *const *idx; /* the one place, NULL before the first load */
    const sb_stmt *loop[SB_MAXRANK], *guard[GUARDS_MAX];
    int nloop, nguard;
    const sb_buf *copy;
    const sb_expr *at[SB_MAXRANK];
    bool stage;
    int64_t step[SB_MAXRANK]; /* of loops, in a staged copy */
    const sb_var *element;    /* of a staged copy */
} reading;

/* Statements around the load, inside the cached loop. */
typedef struct scope {
    const sb_stmt *s;
    const struct scope *up;
} scope;

static bool
index_uses(const reading *r, const sb_var *v)
{
    for (int d = 0; d < r->buf->rank; d++) {
        if (sb_expr_uses(r->idx[d], v))
            return true;
    }
    return false;
}

/* Bounds that are known where the copy is made: free of the loops inside. */
static void
check_bounds(reading *r, const sb_stmt *loop, const scope *up)
{
    for (; up; up = up->up) {
        if (up->s->kind == SB_STMT_FOR &&
            (sb_expr_uses(loop->u.loop.lo, up->s->u.loop.var) ||
             sb_expr_uses(loop->u.loop.hi, up->s->u.loop.var)))
            sb_sched_refuse(r->sc, "the bounds of %%%s depend on %%%s inside",
                            loop->u.loop.var->name, up->s->u.loop.var->name);
    }
}

static bool
surely_runs(const sb_stmt *loop)
{
    return loop->u.loop.lo->kind == SB_EXPR_INT &&
           loop->u.loop.hi->kind == SB_EXPR_INT &&
           loop->u.loop.lo->u.i < loop->u.loop.hi->u.i;
}

/* One more loop to walk in the copy, or to ask whether it runs. */
static void
note_loop(reading *r, const sb_stmt *loop, bool first)
{
    const bool index = index_uses(r, loop->u.loop.var);
    const sb_stmt **list = index ? r->loop : r->guard;
    int *n = index ? &r->nloop : &r->nguard;

    if (!index && surely_runs(loop))
        return;
    for (int q = 0; q < *n; q++) {
        if (list[q]->u.loop.var == loop->u.loop.var &&
            list[q]->u.loop.lo == loop->u.loop.lo &&
            list[q]->u.loop.hi == loop->u.loop.hi)
            return;
    }
    if (!first)
        sb_sched_refuse(r->sc, "$%s is read in loops of different bounds",
                        r->buf->name);
    else if (*n == (index ? SB_MAXRANK : GUARDS_MAX))
        sb_sched_refuse(r->sc, "too many loops around $%s", r->buf->name);
    else
        list[(*n)++] = loop;
}

static void
note_load(reading *r, const scope *sc, const sb_expr *e)
{
    const bool first = r->idx == NULL;
    int guards = 0;

    for (int d = 0; !first && d < r->buf->rank; d++) {
        if (r->idx[d] != e->arg[d])
            sb_sched_refuse(r->sc, "$%s is read at different places", r->buf->name);
    }
    if (first)
        r->idx = e->arg;
    for (; sc && r->sc->st == SB_OK; sc = sc->up) {
        if (sc->s->kind == SB_STMT_IF) {
            if (!r->sc->option)
                sb_sched_refuse(r->sc, "$%s is read under a condition", r->buf->name);
        } else if (sc->s->kind == SB_STMT_FOR) {
            note_loop(r, sc->s, first);
            guards += !index_uses(r, sc->s->u.loop.var) && !surely_runs(sc->s);
            check_bounds(r, sc->s, sc->up);
        }
    }
    if (r->sc->st == SB_OK && guards != r->nguard)
        sb_sched_refuse(r->sc, "$%s is read in different loops", r->buf->name);
}

static void
look_expr(reading *r, const scope *sc, const sb_expr *e)
{
    if (e->kind == SB_EXPR_LOAD && e->u.buf == r->buf)
        note_load(r, sc, e);
    if (e->kind == SB_EXPR_SELECT &&
        (sb_expr_loads(e->arg[1], r->buf) || sb_expr_loads(e->arg[2], r->buf)))
        sb_sched_refuse(r->sc, "$%s is read under a condition", r->buf->name);
    for (int q = 0; q < e->nargs; q++)
        look_expr(r, sc, e->arg[q]);
}

static void
look(reading *r, const scope *sc, sb_body b)
{
    for (int q = 0; q < b.n && r->sc->st == SB_OK; q++) {
        const sb_stmt *s = b.at[q];
        const scope here = {s, sc};
        sb_body in[2];
        const int n = sb_stmt_bodies(s, in);

        if (s->kind == SB_STMT_FOR) {
            look_expr(r, sc, s->u.loop.lo);
            look_expr(r, sc, s->u.loop.hi);
        } else if (s->kind == SB_STMT_IF) {
            look_expr(r, sc, s->u.cond.cond);
        } else if (s->kind == SB_STMT_STORE) {
            for (int d = 0; d < s->u.store.n; d++)
                look_expr(r, sc, s->u.store.idx[d]);
            look_expr(r, sc, s->u.store.value);
            if (s->u.store.buf == r->buf)
                sb_sched_refuse(r->sc, "$%s is stored to inside", r->buf->name);
        }
        for (int t = 0; t < n; t++)
            look(r, &here, in[t]);
    }
}

/* What the place depends on must be there where the copy is made. */
static void
check_lists(void *user, const sb_stmt *s)
{
    reading *r = user;

    if (s->kind != SB_STMT_STORE)
        return;
    for (int d = 0; d < r->buf->rank; d++) {
        if (sb_expr_loads(r->idx[d], s->u.store.buf))
            sb_sched_refuse(r->sc, "where $%s is read depends on $%s, which changes",
                            r->buf->name, s->u.store.buf->name);
    }
    for (int q = 0; q < r->nguard; q++) {
        if (sb_expr_loads(r->guard[q]->u.loop.lo, s->u.store.buf) ||
            sb_expr_loads(r->guard[q]->u.loop.hi, s->u.store.buf))
            sb_sched_refuse(r->sc, "the bounds of %%%s change",
                            r->guard[q]->u.loop.var->name);
    }
}

static void
make_copy(reading *r)
{
    sb_ir *ir = r->sc->ir;
    int64_t extent[SB_MAXRANK] = {1}, all = 1;

    for (int q = 0; q < r->nloop; q++) {
        const sb_stmt *l = r->loop[q];
        const int64_t n = sb_extent_bound(sb_loop_extent(ir, l));

        if (n == SB_NO_BOUND || n < 1 || n > ELEMENTS_MAX) {
            sb_sched_refuse(r->sc, "the span of loop %%%s in $%s is not a constant",
                            l->u.loop.var->name, r->buf->name);
            return;
        }
        extent[q] = n;
        all = all * n <= ELEMENTS_MAX ? all * n : ELEMENTS_MAX + 1;
        r->at[q] = sb_expr_simplify(
            ir, sb_expr_sub(ir, sb_expr_var(ir, l->u.loop.var), l->u.loop.lo));
    }
    if (all > ELEMENTS_MAX)
        sb_sched_refuse(r->sc, "the copy of $%s would be too large", r->buf->name);
    if (r->nloop == 0)
        r->at[0] = sb_expr_int(ir, 0);
    r->copy = sb_sched_local(r->sc, r->sc->name[2], r->buf->type,
                             r->nloop > 0 ? r->nloop : 1, extent);
}

/* The one dimension of a staged copy; loop[] is innermost first. */
static void
make_staged(reading *r)
{
    sb_ir *ir = r->sc->ir;
    const char *name = r->sc->name[2];
    int64_t all = 1;
    sb_buf *b;

    r->at[0] = sb_expr_int(ir, 0);
    for (int q = 0; q < r->nloop; q++) {
        const sb_stmt *l = r->loop[q];
        const sb_expr *extent = sb_loop_extent(ir, l);
        const int64_t n = sb_extent_bound(extent);
        const sb_expr *from =
            sb_expr_sub(ir, sb_expr_var(ir, l->u.loop.var), l->u.loop.lo);

        if (n == SB_NO_BOUND || n < 1 || n > STAGED_MAX / all ||
            (q < r->nloop - 1 && extent->kind != SB_EXPR_INT)) {
            sb_sched_refuse(r->sc,
                            "the span of loop %%%s in $%s is not a constant, or large",
                            l->u.loop.var->name, r->buf->name);
            return;
        }
        r->step[q] = all;
        r->at[0] =
            sb_expr_add(ir, r->at[0], sb_expr_mul(ir, from, sb_expr_int(ir, all)));
        all *= n;
    }
    r->at[0] = sb_expr_simplify(ir, r->at[0]);
    r->element = sb_var_new(ir, name, SB_I64);
    b = (sb_buf *)sb_sched_local(r->sc, name, r->buf->type, 1, &all);
    if (b)
        b->shared = true;
    r->copy = b;
}

static bool
same(sb_ir *ir, const sb_expr *a, const sb_expr *b)
{
    const sb_expr *d;

    if (a->kind == b->kind && a->nargs == 1 &&
        (a->kind == SB_EXPR_CAST || (a->kind == SB_EXPR_LOAD && a->u.buf == b->u.buf)))
        return a->type == b->type && same(ir, a->arg[0], b->arg[0]);
    d = sb_expr_simplify(ir, sb_expr_sub(ir, a, b));
    return d && sb_expr_is_int(d, 0);
}

/* Where element %e of a staged copy comes from: straight on if all of it lies side by
 * side, else by the loops that %e counts. */
static const sb_expr *
source_of(const reading *r, const sb_expr *idx)
{
    sb_ir *ir = r->sc->ir;
    const sb_expr *e = sb_expr_var(ir, r->element), *on = idx, *back;

    for (int q = 0; q < r->nloop; q++) {
        const sb_stmt *l = r->loop[q];

        on = sb_expr_subst(ir, on, l->u.loop.var,
                           q ? l->u.loop.lo : sb_expr_add(ir, l->u.loop.lo, e));
    }
    back = sb_expr_subst(ir, on, r->element, r->at[0]);
    if (back && same(ir, back, idx))
        return sb_expr_simplify(ir, on);
    for (int q = 0; q < r->nloop; q++) {
        const sb_stmt *l = r->loop[q];
        const sb_expr *v = sb_expr_bin(ir, SB_EXPR_DIV, e, sb_expr_int(ir, r->step[q]));

        if (q < r->nloop - 1)
            v = sb_expr_bin(ir, SB_EXPR_MOD, v,
                            sb_expr_int(ir, r->step[q + 1] / r->step[q]));
        idx = sb_expr_subst(ir, idx, l->u.loop.var, sb_expr_add(ir, l->u.loop.lo, v));
    }
    return idx;
}

/* for %b in 0 .. all vector { $b[%b] = $B[..] } */
static const sb_stmt *
fill_staged(const reading *r)
{
    sb_ir *ir = r->sc->ir;
    const sb_stmt *outer = r->nloop ? r->loop[r->nloop - 1] : NULL;
    const sb_expr *from[SB_MAXRANK], *e = sb_expr_var(ir, r->element);
    const sb_expr *n = sb_expr_int(ir, 1);
    sb_stmt *loop;

    if (outer)
        n = sb_expr_mul(ir, sb_loop_extent(ir, outer),
                        sb_expr_int(ir, r->step[r->nloop - 1]));
    for (int d = 0; d < r->buf->rank; d++)
        from[d] = source_of(r, r->idx[d]);
    loop = sb_stmt_for(
        ir, r->element, sb_expr_int(ir, 0), sb_expr_simplify(ir, n), false,
        sb_body_one(ir, sb_stmt_store(ir, r->copy, &e, SB_STORE_SET,
                                      sb_expr_load(ir, r->buf, r->buf->rank, from))));
    if (loop && r->copy) {
        loop->u.loop.how = SB_LOOP_VECTOR;
        loop->u.loop.lanes = (int)r->copy->extent[0]->u.i;
    }
    return loop;
}

/* if guards { for loops { $b[..] = $B[..] } } */
static const sb_stmt *
fill(const reading *r)
{
    sb_ir *ir = r->sc->ir;
    const sb_stmt *s = sb_stmt_store(ir, r->copy, r->at, SB_STORE_SET,
                                     sb_expr_load(ir, r->buf, r->buf->rank, r->idx));

    if (r->stage)
        s = fill_staged(r);
    for (int q = 0; q < r->nloop && !r->stage; q++)
        s = sb_stmt_for(ir, r->loop[q]->u.loop.var, r->loop[q]->u.loop.lo,
                        r->loop[q]->u.loop.hi, false, sb_body_one(ir, s));
    for (int q = 0; q < r->nguard && !SB_FAULT(READ_UNASKED); q++)
        s = sb_stmt_if(
            ir,
            sb_expr_bin(ir, SB_EXPR_LT, r->guard[q]->u.loop.lo, r->guard[q]->u.loop.hi),
            sb_body_one(ir, s));
    return s;
}

static const sb_expr *
redirect(sb_mapper *m, const sb_expr *e)
{
    const reading *r = m->user;

    if (e->kind != SB_EXPR_LOAD || e->u.buf != r->buf)
        return e;
    return sb_expr_load(m->ir, r->copy, r->copy->rank, r->at);
}

static void
cache_loop(sb_sched *sc, sb_list *out, const sb_stmt *s)
{
    reading r = {.sc = sc, .buf = sb_sched_find_buf(sc, sc->name[0])};
    sb_mapper m = {sc->ir, &r, redirect, NULL};
    const sb_body b = sb_body_inline(sc->ir, s->u.loop.body);
    sb_stmt *loop = sb_stmt_copy(sc->ir, s);
    sb_list l;

    if (!r.buf || !loop)
        return;
    look(&r, NULL, b);
    if (sc->st == SB_OK && !r.idx)
        sb_sched_refuse(sc, "$%s is not read inside %%%s", sc->name[0], sc->name[1]);
    if (sc->st == SB_OK && s->u.loop.how == SB_LOOP_VECTOR)
        sb_sched_refuse(sc, "%%%s is a vector loop", sc->name[1]);
    if (sc->st != SB_OK)
        return;
    sb_body_stmts(b, check_lists, &r);
    r.stage = strcmp(sc->primitive, "stage") == 0;
    (r.stage ? make_staged : make_copy)(&r);
    if (!r.copy || sc->st != SB_OK)
        return;
    sb_list_init(&l, sc->ir);
    sb_list_push(&l, sb_stmt_local(sc->ir, r.copy));
    sb_list_push(&l, fill(&r));
    sb_list_append(&l, sb_map_body(&m, s->u.loop.body));
    loop->u.loop.body = sb_list_body(&l);
    sb_list_push(out, loop);
}

sb_status
sb_sched_cache_read(const sb_prog **out, sb_sched *sc)
{
    if (sb_sched_taken(sc, sc->name[2]))
        return sb_sched_refuse(sc, "the name $%s is in use", sc->name[2]);
    return sb_sched_each_loop(out, sc, sc->name[1], cache_loop);
}
