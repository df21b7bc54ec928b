/*
 * compute_at %a at %b: what loop %a makes is made inside the later loop %b, iteration by
 * iteration, just before it is used.
 *
 *   for %i { $T[%i] = $x[%i] * 2.0 }      for %j { $T[%j] = $x[%j] * 2.0
 *   for %j { $y[%j] += $T[%j] }       ->          $y[%j] += $T[%j] }
 *
 * Both loops stand in one body and have one range; cut and reorder them first where they
 * do not. The same, because different iterations of the joint loop touch different
 * elements, and what stands between the two shares nothing with the first.
 */
#include "compiler/depend.h"
#include "compiler/mark.h"
#include "compiler/schedule.h"

#include <string.h>

static bool
is_loop(const sb_stmt *s, const char *name)
{
    return s->kind == SB_STMT_FOR && strcmp(s->u.loop.var->name, name) == 0;
}

/* ---- what two statements share ---------------------------------------------------------- */

typedef struct touch {
    const sb_buf *b;
    bool found;
} touch;

static void
ask_load(void *user, const sb_expr *e)
{
    touch *t = user;

    t->found = t->found || sb_expr_loads(e, t->b);
}

static void
ask_store(void *user, const sb_stmt *s)
{
    touch *t = user;

    t->found = t->found || (s->kind == SB_STMT_STORE && s->u.store.buf == t->b);
}

typedef struct pair {
    sb_body other;
    bool meet;
} pair;

static void
ask_stored(void *user, const sb_stmt *s)
{
    pair *p = user;
    touch t = {NULL, false};

    if (s->kind != SB_STMT_STORE)
        return;
    t.b = s->u.store.buf;
    sb_body_exprs(p->other, ask_load, &t);
    sb_body_stmts(p->other, ask_store, &t);
    p->meet = p->meet || t.found;
}

/* Does one of the two store to what the other touches? */
static bool
share(sb_body a, sb_body b)
{
    pair ab = {b, false}, ba = {a, false};

    sb_body_stmts(a, ask_stored, &ab);
    sb_body_stmts(b, ask_stored, &ba);
    return ab.meet || ba.meet;
}

/* ---- names ------------------------------------------------------------------------------- */

static const char *
name_of(const sb_stmt *s)
{
    return s->kind == SB_STMT_LET     ? s->u.let.var->name
           : s->kind == SB_STMT_LOCAL ? s->u.local.buf->name
           : s->kind == SB_STMT_FOR   ? s->u.loop.var->name
                                      : NULL;
}

typedef struct name_query {
    const char *name;
    bool local, found;
} name_query;

static void
ask_name(void *user, const sb_stmt *s)
{
    name_query *q = user;

    q->found = q->found || (name_of(s) && (s->kind == SB_STMT_LOCAL) == q->local &&
                            strcmp(name_of(s), q->name) == 0);
}

static bool
declares(sb_body b, const char *name, bool local)
{
    name_query q = {name, local, false};

    sb_body_stmts(b, ask_name, &q);
    return q.found;
}

/* The let of x whose name and value s has, or NULL. */
static const sb_stmt *
same_let(sb_body x, const sb_stmt *s)
{
    for (int q = 0; q < x.n && s->kind == SB_STMT_LET; q++) {
        if (x.at[q]->kind == SB_STMT_LET && strcmp(name_of(x.at[q]), name_of(s)) == 0 &&
            x.at[q]->u.let.value == s->u.let.value)
            return x.at[q];
    }
    return NULL;
}

/* y without the lets that x has too. */
static sb_body
without_lets(sb_sched *sc, sb_body x, sb_body y)
{
    sb_list out;

    sb_list_init(&out, sc->ir);
    for (; y.n > 0; y.n--, y.at++) {
        const sb_stmt *have = same_let(x, y.at[0]);

        if (have)
            y = sb_body_subst(sc->ir, y, y.at[0]->u.let.var,
                              sb_expr_var(sc->ir, have->u.let.var));
        else
            sb_list_push(&out, y.at[0]);
    }
    return sb_list_body(&out);
}

static void
check_names(sb_sched *sc, sb_body x, sb_body y)
{
    for (int q = 0; q < x.n; q++) {
        const bool local = x.at[q]->kind == SB_STMT_LOCAL;

        if ((local || x.at[q]->kind == SB_STMT_LET) &&
            declares(y, name_of(x.at[q]), local))
            sb_sched_refuse(sc, "the name %s would mean two things", name_of(x.at[q]));
    }
}

/* ---- joining ----------------------------------------------------------------------------- */

static void
check_between(sb_sched *sc, const sb_stmt *a, int n, const sb_stmt *const *between)
{
    const sb_body x = {1, &a};

    for (int q = 0; q < n; q++) {
        const sb_body one = {1, &between[q]};

        if (share(x, one))
            sb_sched_refuse(sc, "something between the loops uses what %%%s touches",
                            a->u.loop.var->name);
    }
}

static bool
bounds_move(const sb_stmt *loop, sb_body b)
{
    const sb_expr *bound[2] = {loop->u.loop.lo, loop->u.loop.hi};
    bool moves = false;

    for (int q = 0; q < b.n; q++) {
        sb_body in[2];
        const int n = sb_stmt_bodies(b.at[q], in);

        if (b.at[q]->kind == SB_STMT_STORE)
            moves = moves || sb_expr_loads(bound[0], b.at[q]->u.store.buf) ||
                    sb_expr_loads(bound[1], b.at[q]->u.store.buf);
        for (int r = 0; r < n; r++)
            moves = moves || bounds_move(loop, in[r]);
    }
    return moves;
}

static const sb_stmt *
join(sb_sched *sc, const sb_stmt *a, const sb_stmt *b)
{
    const char *an = a->u.loop.var->name, *bn = b->u.loop.var->name;
    sb_body x = a->u.loop.body, y = b->u.loop.body;
    sb_stmt *both = sb_stmt_copy(sc->ir, b);
    const sb_buf *bad = NULL;
    sb_list l;

    if (sb_loop_marked(a) || sb_loop_marked(b)) {
        sb_sched_refuse(sc, "loop %%%s or %%%s is marked already", an, bn);
        return b;
    }
    if (a->u.loop.lo != b->u.loop.lo || a->u.loop.hi != b->u.loop.hi ||
        a->u.loop.var->type != b->u.loop.var->type) {
        sb_sched_refuse(sc, "loops %%%s and %%%s have different bounds", an, bn);
        return b;
    }
    if (bounds_move(b, x) || bounds_move(b, y)) {
        sb_sched_refuse(sc, "the bounds of %%%s change", bn);
        return b;
    }
    if (strcmp(an, bn) != 0 && declares(x, bn, false)) {
        sb_sched_refuse(sc, "the name %s would mean two things", bn);
        return b;
    }
    x = sb_body_replace(sc->ir, x, a->u.loop.var, sb_expr_var(sc->ir, b->u.loop.var));
    y = without_lets(sc, x, y);
    check_names(sc, x, y);
    sb_list_init(&l, sc->ir);
    sb_list_append(&l, x);
    sb_list_append(&l, y);
    if (!both)
        return b;
    both->u.loop.body = sb_list_body(&l);
    both->u.loop.reduce = a->u.loop.reduce && b->u.loop.reduce;
    if (!sb_loop_distinct(sc->ir, sc->in, both, &bad))
        sb_sched_refuse(sc,
                        "iterations of %%%s and %%%s could meet in one element of $%s",
                        an, bn, bad ? bad->name : "?");
    return both;
}

static sb_body join_in(sb_sched *sc, sb_body b);

static const sb_stmt *
join_inside(sb_sched *sc, const sb_stmt *s)
{
    sb_body in[2] = {{0, NULL}, {0, NULL}};
    const int n = sb_stmt_bodies(s, in);

    for (int q = 0; q < n; q++)
        in[q] = join_in(sc, in[q]);
    return n > 0 ? sb_stmt_with(sc->ir, s, in) : s;
}

/* Joins the first loop %a of the body with the next loop %b after it. */
static sb_body
join_in(sb_sched *sc, sb_body b)
{
    sb_list out;
    int from = 0, to;

    while (from < b.n && !is_loop(b.at[from], sc->name[0]))
        from++;
    to = from + 1;
    while (to < b.n && !is_loop(b.at[to], sc->name[1]))
        to++;
    sb_list_init(&out, sc->ir);
    for (int q = 0; q < b.n; q++) {
        if (to < b.n && q == from)
            continue;
        if (to < b.n && q == to) {
            check_between(sc, b.at[from], to - from - 1, b.at + from + 1);
            sb_list_push(&out, join(sc, b.at[from], b.at[to]));
            sc->hits++;
        } else {
            sb_list_push(&out, join_inside(sc, b.at[q]));
        }
    }
    return sb_list_body(&out);
}

sb_status
sb_sched_compute_at(const sb_prog **out, sb_sched *sc)
{
    const sb_body b = join_in(sc, sc->in->body);

    if (sc->hits == 0)
        sb_sched_refuse(sc, "no loop %%%s stands in front of a loop %%%s", sc->name[0],
                        sc->name[1]);
    return sb_sched_finish(out, sc, b);
}
