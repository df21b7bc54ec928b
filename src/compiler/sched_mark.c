/*
 * Primitives that only mark a loop or a store: unroll, vectorize, parallel, bind,
 * annotate, stream, atomic.
 *
 *   vectorize %c1      for %c1 in 0 .. 32 { ... }  ->  for %c1 in 0 .. 32 vector(32) { ... }
 */
#include "compiler/affine.h"
#include "compiler/depend.h"
#include "compiler/mark.h"
#include "compiler/parse.h"
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
ask_atomic(void *user, const sb_stmt *s)
{
    bool *atomic = user;

    *atomic = *atomic || (s->kind == SB_STMT_STORE && s->u.store.atomic);
}

static void
mark_vector(sb_sched *sc, sb_list *out, const sb_stmt *s)
{
    const char *name = s->u.loop.var->name;
    const int64_t lanes = sb_extent_bound(sb_loop_extent(sc->ir, s));
    const sb_buf *bad = NULL;
    bool inner = false, atomic = false;

    sb_body_stmts(s->u.loop.body, ask_inner, &inner);
    sb_body_stmts(s->u.loop.body, ask_atomic, &atomic);
    if (inner)
        sb_sched_refuse(sc, "loop %%%s is not innermost", name);
    else if (atomic)
        sb_sched_refuse(sc, "loop %%%s updates atomically, element by element", name);
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

/* Locals a body stores to, and those it declares. */
typedef struct locals {
    sb_body body;
    const sb_buf *wanted, *outside;
    bool declared;
} locals;

static void
ask_declared(void *user, const sb_stmt *s)
{
    locals *l = user;

    l->declared =
        l->declared || (s->kind == SB_STMT_LOCAL && s->u.local.buf == l->wanted);
}

static void
ask_local(void *user, const sb_stmt *s)
{
    locals *l = user;

    if (s->kind != SB_STMT_STORE || s->u.store.buf->role != SB_BUF_LOCAL)
        return;
    l->wanted = s->u.store.buf;
    l->declared = false;
    sb_body_stmts(l->body, ask_declared, l);
    if (!l->declared)
        l->outside = l->wanted;
}

static void
mark_parallel(sb_sched *sc, sb_list *out, const sb_stmt *s)
{
    locals l = {s->u.loop.body, NULL, NULL, false};
    const sb_buf *bad = NULL;

    sb_body_stmts(l.body, ask_local, &l);
    if (sc->nested)
        sb_sched_refuse(sc, "loop %%%s is not outermost", s->u.loop.var->name);
    else if (l.outside)
        sb_sched_refuse(sc, "iterations of %%%s share local $%s", s->u.loop.var->name,
                        l.outside->name);
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

/* ---- bind, annotate ---------------------------------------------------------------------- */

static void
mark_bind(sb_sched *sc, sb_list *out, const sb_stmt *s)
{
    sb_stmt *t = sb_stmt_copy(sc->ir, s);
    const sb_buf *bad = NULL;

    if (s->u.loop.bind || s->u.loop.how == SB_LOOP_VECTOR ||
        s->u.loop.how == SB_LOOP_UNROLL)
        sb_sched_refuse(sc, "loop %%%s is marked already", s->u.loop.var->name);
    else if (!sb_loop_distinct(sc->ir, sc->in, s, &bad))
        sb_sched_refuse(sc, "iterations of %%%s could meet in one element of $%s",
                        s->u.loop.var->name, bad ? bad->name : "?");
    if (t)
        t->u.loop.bind = sc->name[1];
    sb_list_push(out, t);
}

typedef struct nesting {
    sb_sched *sc;
    int depth;
} nesting;

/* Loops inside one another with one name. */
static void
check_nesting(nesting *n, sb_body b)
{
    for (int q = 0; q < b.n; q++) {
        const sb_stmt *s = b.at[q];
        const bool mine =
            s->kind == SB_STMT_FOR &&
            (strcmp(s->u.loop.var->name, n->sc->name[0]) == 0 ||
             (s->u.loop.bind && strcmp(s->u.loop.bind, n->sc->name[1]) == 0));
        sb_body in[2];
        const int bodies = sb_stmt_bodies(s, in);

        n->depth += mine;
        if (n->depth > 1)
            sb_sched_refuse(n->sc, "a loop inside %%%s or around it is bound to %s",
                            n->sc->name[0], n->sc->name[1]);
        for (int r = 0; r < bodies; r++)
            check_nesting(n, in[r]);
        n->depth -= mine;
    }
}

sb_status
sb_sched_bind(const sb_prog **out, sb_sched *sc)
{
    nesting n = {sc, 0};

    if (!sb_bind_known(sc->name[1]))
        return sb_sched_refuse(sc, "%s is not an index of the hardware", sc->name[1]);
    check_nesting(&n, sc->in->body);
    return sb_sched_each_loop(out, sc, sc->name[0], mark_bind);
}

static void
mark_note(sb_sched *sc, sb_list *out, const sb_stmt *s)
{
    const int n = s->u.loop.nnote;
    sb_note *all = sb_arena_array(sc->ir->arena, n + 1, sizeof *all);
    sb_stmt *t = sb_stmt_copy(sc->ir, s);

    if (!all || !t) {
        sc->ir->failed = true;
        return;
    }
    for (int q = 0; q < n; q++) {
        all[q] = s->u.loop.note[q];
        if (strcmp(all[q].key, sc->name[1]) == 0)
            sb_sched_refuse(sc, "loop %%%s has a note %s already", s->u.loop.var->name,
                            sc->name[1]);
    }
    if (n == SB_PARSE_NOTES)
        sb_sched_refuse(sc, "loop %%%s has %d notes already", s->u.loop.var->name, n);
    all[n].key = sc->name[1];
    all[n].value = sc->name[2];
    t->u.loop.note = all;
    t->u.loop.nnote = n + 1;
    sb_list_push(out, t);
}

sb_status
sb_sched_annotate(const sb_prog **out, sb_sched *sc)
{
    if (!sb_note_word(sc->name[1], false) || !sb_note_word(sc->name[2], true))
        return sb_sched_refuse(sc, "a note is a name and a name or number");
    return sb_sched_each_loop(out, sc, sc->name[0], mark_note);
}

/* ---- stores ------------------------------------------------------------------------------ */

static bool
mark_atomic(sb_mapper *m, sb_list *out, const sb_stmt *s)
{
    sb_sched *sc = m->user;
    sb_stmt *t;

    if (s->kind == SB_STMT_FOR || s->kind == SB_STMT_BLOCK) {
        const int hits = sc->hits;
        const sb_stmt *mapped = sb_map_parts(m, s);

        if (sc->hits > hits && s->kind == SB_STMT_BLOCK && s->u.block.tensor)
            sb_sched_refuse(sc, "$%s is updated by tensor %s", sc->name[0],
                            s->u.block.name);
        else if (sc->hits > hits && s->kind == SB_STMT_FOR &&
                 s->u.loop.how == SB_LOOP_VECTOR)
            sb_sched_refuse(sc, "$%s is updated in vector loop %%%s", sc->name[0],
                            s->u.loop.var->name);
        sb_list_push(out, mapped);
        return true;
    }
    if (s->kind != SB_STMT_STORE || s->u.store.op == SB_STORE_SET ||
        strcmp(s->u.store.buf->name, sc->name[0]) != 0)
        return false;
    if (!sb_atomic_type(s->u.store.buf->type) || s->u.store.buf->role == SB_BUF_LOCAL ||
        (s->u.store.op != SB_STORE_ADD && sb_dtype_is_complex(s->u.store.buf->type)))
        sb_sched_refuse(sc, "$%s cannot be updated atomically", sc->name[0]);
    t = sb_stmt_copy(m->ir, s);
    if (t)
        t->u.store.atomic = true;
    sc->hits++;
    sb_list_push(out, t);
    return true;
}

sb_status
sb_sched_atomic(const sb_prog **out, sb_sched *sc)
{
    sb_mapper m = {sc->ir, sc, NULL, mark_atomic};
    const sb_body b = sb_map_body(&m, sc->in->body);

    if (sc->hits == 0)
        sb_sched_refuse(sc, "nothing is added to $%s", sc->name[0]);
    return sb_sched_finish(out, sc, b);
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
