/*
 * Primitives that only mark a loop or a store: unroll, vectorize, parallel, stream.
 *
 *   vectorize %c1      for %c1 in 0 .. 32 { ... }  ->  for %c1 in 0 .. 32 vector(32) { ... }
 */
#include "compiler/affine.h"
#include "compiler/depend.h"
#include "compiler/schedule.h"

#include <string.h>

enum { UNROLL_MAX = 64, LANES_MAX = 1024 };

static void
push_marked(sb_sched *sc, sb_list *out, const sb_stmt *s, sb_loop_how how,
            int64_t lanes)
{
    sb_stmt *t = sb_stmt_copy(sc->ir, s);

    if (s->u.loop.how != SB_LOOP_SERIAL)
        sb_sched_refuse(sc, "loop %%%s is marked already", s->u.loop.var->name);
    if (t) {
        t->u.loop.how = (uint8_t)how;
        t->u.loop.lanes = (int)lanes;
    }
    sb_list_push(out, t);
}

static void
mark_unroll(sb_sched *sc, sb_list *out, const sb_stmt *s)
{
    const sb_expr *n = sb_loop_extent(sc->ir, s);

    if (!n || n->kind != SB_EXPR_INT || n->u.i > UNROLL_MAX)
        sb_sched_refuse(sc, "loop %%%s needs a constant trip count of at most %d",
                        s->u.loop.var->name, UNROLL_MAX);
    push_marked(sc, out, s, SB_LOOP_UNROLL, 0);
}

sb_status
sb_sched_unroll(const sb_prog **out, sb_sched *sc)
{
    return sb_sched_each_loop(out, sc, sc->name[0], mark_unroll);
}

static void
ask_inner(void *user, const sb_stmt *s)
{
    bool *inner = user;

    *inner = *inner || s->kind == SB_STMT_FOR || s->kind == SB_STMT_LOCAL ||
             s->kind == SB_STMT_BLOCK;
}

static void
mark_vector(sb_sched *sc, sb_list *out, const sb_stmt *s)
{
    const char *name = s->u.loop.var->name;
    const int64_t lanes = sb_extent_bound(sb_loop_extent(sc->ir, s));
    const sb_buf *bad = NULL;
    bool inner = false;

    sb_body_stmts(s->u.loop.body, ask_inner, &inner);
    if (inner)
        sb_sched_refuse(sc, "loop %%%s is not innermost", name);
    else if (lanes == SB_NO_BOUND || lanes < 1 || lanes > LANES_MAX)
        sb_sched_refuse(sc,
                        "loop %%%s needs a constant bound of its trip count, 1 to %d",
                        name, LANES_MAX);
    else if (!sb_loop_distinct(sc->ir, sc->in, s, &bad))
        sb_sched_refuse(sc, "lanes of %%%s could meet in one element of $%s", name,
                        bad ? bad->name : "?");
    push_marked(sc, out, s, SB_LOOP_VECTOR, lanes);
}

sb_status
sb_sched_vectorize(const sb_prog **out, sb_sched *sc)
{
    return sb_sched_each_loop(out, sc, sc->name[0], mark_vector);
}

static void
mark_parallel(sb_sched *sc, sb_list *out, const sb_stmt *s)
{
    const sb_buf *bad = NULL;

    if (sc->nested)
        sb_sched_refuse(sc, "loop %%%s is not outermost", s->u.loop.var->name);
    else if (!sb_loop_distinct(sc->ir, sc->in, s, &bad))
        sb_sched_refuse(sc, "iterations of %%%s could meet in one element of $%s",
                        s->u.loop.var->name, bad ? bad->name : "?");
    push_marked(sc, out, s, SB_LOOP_PARALLEL, 0);
}

static void
ask_nested(void *user, const sb_stmt *s)
{
    sb_sched *sc = user;

    sc->nested = sc->nested || (s->kind == SB_STMT_FOR &&
                                strcmp(s->u.loop.var->name, sc->name[0]) == 0);
}

sb_status
sb_sched_parallel(const sb_prog **out, sb_sched *sc)
{
    for (int q = 0; q < sc->in->body.n; q++) {
        sb_body in[2];
        const int n = sb_stmt_bodies(sc->in->body.at[q], in);

        for (int r = 0; r < n; r++)
            sb_body_stmts(in[r], ask_nested, sc);
    }
    return sb_sched_each_loop(out, sc, sc->name[0], mark_parallel);
}

static bool
mark_store(sb_mapper *m, sb_list *out, const sb_stmt *s)
{
    sb_sched *sc = m->user;
    sb_stmt *t;

    if (s->kind != SB_STMT_STORE || strcmp(s->u.store.buf->name, sc->name[0]) != 0)
        return false;
    if (s->u.store.op != SB_STORE_SET)
        sb_sched_refuse(sc, "$%s is updated in place, so its lines are needed",
                        sc->name[0]);
    t = sb_stmt_copy(m->ir, s);
    if (t)
        t->u.store.stream = true;
    sc->hits++;
    sb_list_push(out, t);
    return true;
}

sb_status
sb_sched_stream(const sb_prog **out, sb_sched *sc)
{
    sb_mapper m = {sc->ir, sc, NULL, mark_store};
    const sb_body b = sb_map_body(&m, sc->in->body);

    if (sc->hits == 0)
        sb_sched_refuse(sc, "nothing is stored to $%s", sc->name[0]);
    return sb_sched_finish(out, sc, b);
}
