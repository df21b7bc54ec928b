/*
 * jam %u: the iterations of a short loop are done side by side in the vector loop it
 * contains, so that the loads of all of them are under way at once.
 *
 *   for %u in 0 .. 2 { let %j = $crd[%p * 2 + %u]
 *                      for %c in 0 .. 32 vector(32) { $acc[%c] += $b[%j, %c] } }
 *   -> let %j_0 = $crd[%p * 2]
 *      let %j_1 = $crd[%p * 2 + 1]
 *      for %c in 0 .. 32 vector(32) { $acc[%c] += $b[%j_0, %c]
 *                                     $acc[%c] += $b[%j_1, %c] }
 *
 * Every element is summed in the order it was, because the lane is part of its index.
 */
#include "compiler/affine.h"
#include "compiler/mark.h"
#include "compiler/schedule.h"

#include <stdio.h>

enum { JAM_MAX = 8 };

typedef struct jam {
    sb_sched *sc;
    const sb_stmt *loop, *lanes; /* the loop and the vector loop in it */
} jam;

static const char *
name(const jam *f)
{
    return f->loop->u.loop.var->name;
}

/* The lane is the last index and no other depends on it: an element has one lane. */
static bool
own_lane(const jam *f, const sb_stmt *store)
{
    const sb_var *v = f->lanes->u.loop.var;
    const int last = store->u.store.n - 1;
    const sb_expr *e = store->u.store.idx[last];

    for (int d = 0; d < last; d++)
        if (sb_expr_uses(store->u.store.idx[d], v))
            return false;
    return e->kind == SB_EXPR_VAR && e->u.var == v;
}

static void
check_lanes(const jam *f)
{
    const sb_body body = f->lanes->u.loop.body;

    for (int q = 0; q < body.n; q++) {
        const sb_stmt *s = body.at[q];

        if (s->kind != SB_STMT_STORE || s->u.store.buf->role != SB_BUF_LOCAL ||
            !own_lane(f, s)) {
            sb_sched_refuse(
                f->sc, "the vector loop in %%%s does not store lane by lane", name(f));
            return;
        }
        if (sb_body_loads(f->loop->u.loop.body, s->u.store.buf))
            sb_sched_refuse(f->sc, "$%s is also read in %%%s", s->u.store.buf->name,
                            name(f));
    }
}

static void
check(jam *f)
{
    const sb_body body = f->loop->u.loop.body;

    for (int q = 0; q + 1 < body.n; q++)
        if (body.at[q]->kind != SB_STMT_LET && body.at[q]->kind != SB_STMT_PREFETCH)
            f->lanes = body.at[q];
    if (f->lanes || body.n == 0 || body.at[body.n - 1]->kind != SB_STMT_FOR ||
        body.at[body.n - 1]->u.loop.how != SB_LOOP_VECTOR) {
        sb_sched_refuse(f->sc, "the body of %%%s is not one vector loop", name(f));
        return;
    }
    f->lanes = body.at[body.n - 1];
    for (int q = 0; q + 1 < body.n; q++)
        if (body.at[q]->kind == SB_STMT_LET &&
            (sb_expr_uses(f->lanes->u.loop.lo, body.at[q]->u.let.var) ||
             sb_expr_uses(f->lanes->u.loop.hi, body.at[q]->u.let.var)))
            sb_sched_refuse(f->sc, "the bounds of %%%s depend on %%%s",
                            f->lanes->u.loop.var->name, name(f));
    if (sb_expr_uses(f->lanes->u.loop.lo, f->loop->u.loop.var) ||
        sb_expr_uses(f->lanes->u.loop.hi, f->loop->u.loop.var))
        sb_sched_refuse(f->sc, "the bounds of %%%s depend on %%%s",
                        f->lanes->u.loop.var->name, name(f));
    check_lanes(f);
}

/* The let's name with the iteration's number. */
static const sb_var *
numbered(sb_sched *sc, const sb_var *v, int64_t u)
{
    char text[96];

    (void)snprintf(text, sizeof text, "%s_%d", v->name, (int)u);
    if (sb_sched_taken(sc, text)) {
        sb_sched_refuse(sc, "the name %%%s is in use", text);
        return v;
    }
    return sb_var_new(sc->ir, text, (sb_dtype)v->type);
}

/* Iteration u: lets and prefetches to `out`, the lanes' statements to `in`. */
static void
put_iteration(jam *f, sb_list *out, sb_list *in, int64_t u)
{
    sb_ir *ir = f->sc->ir;
    sb_body b = sb_body_replace(ir, f->loop->u.loop.body, f->loop->u.loop.var,
                                sb_expr_int(ir, u));

    for (int q = 0; q + 1 < b.n; q++) {
        const sb_stmt *s = b.at[q];
        const sb_var *v;

        if (s->kind != SB_STMT_LET) {
            sb_list_push(out, s);
            continue;
        }
        v = numbered(f->sc, s->u.let.var, u);
        sb_list_push(out, sb_stmt_let(ir, v, s->u.let.value));
        b = sb_body_subst(ir, b, s->u.let.var, sb_expr_var(ir, v));
    }
    sb_list_append(in, b.at[b.n - 1]->u.loop.body);
}

static void
jam_loop(sb_sched *sc, sb_list *out, const sb_stmt *loop)
{
    jam f = {.sc = sc, .loop = loop};
    const sb_expr *lo = loop->u.loop.lo, *hi = loop->u.loop.hi;
    sb_list in;
    sb_stmt *s;

    if (lo->kind != SB_EXPR_INT || hi->kind != SB_EXPR_INT) {
        sc->hits--; /* a remainder: nothing to do side by side */
        sb_list_push(out, loop);
        return;
    }
    if (hi->u.i - lo->u.i < 1 || hi->u.i - lo->u.i > JAM_MAX) {
        sb_sched_refuse(sc, "%%%s must run 1 to %d times", name(&f), (int)JAM_MAX);
        return;
    }
    if (sb_loop_marked(loop) && loop->u.loop.how != SB_LOOP_UNROLL)
        sb_sched_refuse(sc, "loop %%%s is marked already", name(&f));
    else
        check(&f);
    if (sc->st != SB_OK)
        return;
    sb_list_init(&in, sc->ir);
    for (int64_t u = lo->u.i; u < hi->u.i; u++)
        put_iteration(&f, out, &in, u);
    s = sb_stmt_copy(sc->ir, f.lanes);
    if (!s)
        return;
    s->u.loop.body = sb_list_body(&in);
    sb_list_push(out, s);
}

sb_status
sb_sched_jam(const sb_prog **out, sb_sched *sc)
{
    return sb_sched_each_loop(out, sc, sc->name[0], jam_loop);
}
