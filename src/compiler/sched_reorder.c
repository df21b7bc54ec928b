/*
 * reorder: loops of one nest in another order, by swapping neighbours.
 *
 *   reorder %c %pj
 *   for %c { $y[%c] = 0.0 }                        for %c { $y[%c] = 0.0
 *   for %pj { let %j; for %c { $y[%c] += .. } } ->   for %pj { let %j; $y[%c] += .. } }
 *
 * A swap keeps lets and ifs between the two loops inside the inner one. Statements
 * beside the inner loop are split off into a loop of their own first (as `init` beside a
 * reduction), and a loop that arrives next to one of its own name and bounds merges with
 * it; both only when iterations of that loop never meet in one element.
 */
#include "compiler/depend.h"
#include "compiler/schedule.h"

#include <string.h>

enum { NEST_MAX = 16 };

static int
name_index(const sb_sched *sc, const sb_stmt *s)
{
    for (int q = 0; s->kind == SB_STMT_FOR && q < sc->nname; q++) {
        if (strcmp(sc->name[q], s->u.loop.var->name) == 0)
            return q;
    }
    return -1;
}

typedef struct name_set {
    const sb_sched *sc;
    unsigned names;
    bool block;
} name_set;

static void
collect_names(void *user, const sb_stmt *s)
{
    name_set *n = user;
    const int q = name_index(n->sc, s);

    if (q >= 0)
        n->names |= 1u << q;
    n->block = n->block || s->kind == SB_STMT_BLOCK;
}

static unsigned
names_in(const sb_sched *sc, const sb_stmt *s)
{
    const sb_body one = {1, &s};
    name_set n = {sc, 0, false};

    sb_body_stmts(one, collect_names, &n);
    return n.names;
}

/* The one statement of b that holds all the names; -1 when none or several do. */
static int
holder(const sb_sched *sc, sb_body b, unsigned names)
{
    int at = -1;

    for (int q = 0; q < b.n; q++) {
        if ((names_in(sc, b.at[q]) & names) != names)
            continue;
        if (at >= 0)
            return -1;
        at = q;
    }
    return at;
}

/* ---- swapping two neighbours ----------------------------------------------------------------- */

static bool
is_path(const sb_stmt *s, const sb_var *v)
{
    const sb_body one = {1, &s};

    return sb_body_binds(one, v);
}

/* Body of `outer` down to loop `v`: lets and ifs only; *bound: something on the way
 * binds a variable that the loop's bounds use. Builds the same path around `inside`. */
static sb_body
path_around(sb_sched *sc, sb_body b, const sb_var *v, const sb_stmt *found,
            sb_body inside)
{
    sb_list l;

    sb_list_init(&l, sc->ir);
    for (int q = 0; q < b.n; q++) {
        const sb_stmt *s = b.at[q];

        if (s == found) {
            sb_list_append(&l, inside);
        } else if (s->kind == SB_STMT_IF && is_path(s, v) && s->u.cond.els.n == 0) {
            sb_stmt *t = sb_stmt_copy(sc->ir, s);

            if (t)
                t->u.cond.then = path_around(sc, s->u.cond.then, v, found, inside);
            sb_list_push(&l, t);
        } else if (s->kind == SB_STMT_LET) {
            if (found && (sb_expr_uses(found->u.loop.lo, s->u.let.var) ||
                          sb_expr_uses(found->u.loop.hi, s->u.let.var)))
                sb_sched_refuse(sc, "the bounds of %%%s depend on %%%s",
                                found->u.loop.var->name, s->u.let.var->name);
            sb_list_push(&l, s);
        } else {
            sb_sched_refuse(sc, "a statement stands beside loop %%%s", v->name);
        }
    }
    return sb_list_body(&l);
}

/* The loop over v inside b. */
static const sb_stmt *
find_loop(sb_body b, const sb_var *v)
{
    for (int q = 0; q < b.n; q++) {
        sb_body in[2];
        const int n = sb_stmt_bodies(b.at[q], in);

        if (b.at[q]->kind == SB_STMT_FOR && b.at[q]->u.loop.var == v)
            return b.at[q];
        for (int r = 0; r < n && b.at[q]->kind != SB_STMT_FOR; r++) {
            const sb_stmt *s = find_loop(in[r], v);

            if (s)
                return s;
        }
    }
    return NULL;
}

static void
check_swap(sb_sched *sc, const sb_stmt *p, const sb_stmt *q)
{
    const sb_var *pv = p->u.loop.var, *qv = q->u.loop.var;
    const sb_buf *bad;

    if (p->u.loop.how != SB_LOOP_SERIAL || q->u.loop.how == SB_LOOP_VECTOR)
        sb_sched_refuse(sc, "%%%s and %%%s are marked already", pv->name, qv->name);
    else if (sb_expr_uses(q->u.loop.lo, pv) || sb_expr_uses(q->u.loop.hi, pv))
        sb_sched_refuse(sc, "the bounds of %%%s depend on %%%s", qv->name, pv->name);
    else if (!sb_body_only_updates(q->u.loop.body) &&
             (!sb_loop_distinct(sc->ir, sc->in, p, &bad) ||
              !sb_loop_distinct(sc->ir, sc->in, q, &bad)))
        sb_sched_refuse(sc,
                        "swapping %%%s and %%%s could change the order of stores to "
                        "one element",
                        pv->name, qv->name);
}

static bool
uses_lets(const sb_expr *e, sb_body path)
{
    for (int q = 0; q < path.n; q++) {
        if (path.at[q]->kind == SB_STMT_LET && sb_expr_uses(e, path.at[q]->u.let.var))
            return true;
    }
    return false;
}

/* Moves lets at the head of b, q's body, that use neither p's variable nor its lets to
 * out: coordinates of the loop that is now outside need its position only, which is in
 * range whether or not p runs. */
static sb_body
own_lets(sb_list *out, sb_body b, const sb_stmt *p)
{
    while (b.n > 0 && b.at[0]->kind == SB_STMT_LET &&
           !sb_expr_uses(b.at[0]->u.let.value, p->u.loop.var) &&
           !uses_lets(b.at[0]->u.let.value, p->u.loop.body)) {
        sb_list_push(out, b.at[0]);
        b.n--;
        b.at++;
    }
    return b;
}

/* p { path { q { X } } } -> q { p { path { X } } }; q is the loop over v. */
static const sb_stmt *
swap(sb_sched *sc, const sb_stmt *p, const sb_var *v)
{
    const sb_stmt *q = find_loop(p->u.loop.body, v);
    sb_stmt *outer, *inner;
    sb_list l;
    sb_body b;

    if (!q) {
        sb_sched_refuse(sc, "loop %%%s is not directly inside %%%s", v->name,
                        p->u.loop.var->name);
        return p;
    }
    check_swap(sc, p, q);
    outer = sb_stmt_copy(sc->ir, q);
    inner = sb_stmt_copy(sc->ir, p);
    if (!outer || !inner)
        return p;
    sb_list_init(&l, sc->ir);
    b = q->u.loop.body;
    if (p->u.loop.body.at[p->u.loop.body.n - 1] == q)
        b = own_lets(&l, b, p);
    inner->u.loop.body = path_around(sc, p->u.loop.body, v, q, b);
    sb_list_push(&l, inner);
    outer->u.loop.body = sb_list_body(&l);
    return outer;
}

/* ---- splitting off and merging ---------------------------------------------------------------- */

static const sb_stmt *
with_body(sb_sched *sc, const sb_stmt *loop, const sb_list *l)
{
    sb_stmt *s = sb_stmt_copy(sc->ir, loop);

    if (s)
        s->u.loop.body = sb_list_body(l);
    return s;
}

static bool
only_lets(const sb_list *l)
{
    for (int q = 0; q < l->n; q++) {
        if (l->at[q]->kind != SB_STMT_LET)
            return false;
    }
    return true;
}

/* p { A; path; B } -> before: p { A }, the middle: p { path }, after: p { B }. Lets are
 * needed in all three. Pushes before, returns the middle, leaves after in *after. */
static const sb_stmt *
isolate(sb_sched *sc, sb_list *out, const sb_stmt *p, int at, const sb_stmt **after)
{
    const sb_body b = p->u.loop.body;
    const sb_buf *bad;
    sb_list part[3];

    *after = NULL;
    for (int q = 0; q < 3; q++)
        sb_list_init(&part[q], sc->ir);
    for (int q = 0; q < b.n; q++) {
        const bool let = b.at[q]->kind == SB_STMT_LET;

        for (int r = 0; r < 3; r++) {
            if (let || r == (q < at ? 0 : q == at ? 1 : 2))
                sb_list_push(&part[r], b.at[q]);
        }
        if (b.at[q]->kind == SB_STMT_LOCAL)
            sb_sched_refuse(sc, "loop %%%s holds a local array", p->u.loop.var->name);
    }
    if (only_lets(&part[0]) && only_lets(&part[2]))
        return p;
    if (!sb_loop_distinct(sc->ir, sc->in, p, &bad))
        sb_sched_refuse(sc, "statements stand beside the loops inside %%%s",
                        p->u.loop.var->name);
    if (!only_lets(&part[0]))
        sb_list_push(out, with_body(sc, p, &part[0]));
    if (!only_lets(&part[2]))
        *after = with_body(sc, p, &part[2]);
    return with_body(sc, p, &part[1]);
}

/* Appends b to l, the body of a loop that l began: a let both have stands once. False
 * when a name would mean two things. */
static bool append_merged(sb_sched *sc, sb_list *l, sb_body b);

static bool
mergeable(const sb_stmt *a, const sb_stmt *b)
{
    return a && b && a->kind == SB_STMT_FOR && b->kind == SB_STMT_FOR &&
           a->u.loop.var == b->u.loop.var && a->u.loop.lo == b->u.loop.lo &&
           a->u.loop.hi == b->u.loop.hi && a->u.loop.how == b->u.loop.how &&
           a->u.loop.bind == b->u.loop.bind && a->u.loop.note == b->u.loop.note;
}

/* Pushes s, merged with the loop before it where both are one loop cut in two. */
static void
push_merged(sb_sched *sc, sb_list *out, const sb_stmt *s)
{
    const sb_stmt *last = out->n ? out->at[out->n - 1] : NULL, *both;
    const sb_buf *bad;
    sb_list l;

    if (mergeable(last, s)) {
        sb_list_init(&l, sc->ir);
        sb_list_append(&l, last->u.loop.body);
        if (append_merged(sc, &l, s->u.loop.body) && (both = with_body(sc, s, &l)) &&
            sb_loop_distinct(sc->ir, sc->in, both, &bad)) {
            out->at[out->n - 1] = both;
            return;
        }
    }
    sb_list_push(out, s);
}

static const char *
declared(const sb_stmt *s)
{
    return s->kind == SB_STMT_LET     ? s->u.let.var->name
           : s->kind == SB_STMT_LOCAL ? s->u.local.buf->name
                                      : NULL;
}

static bool
append_merged(sb_sched *sc, sb_list *l, sb_body b)
{
    const int first = l->n;

    for (int q = 0; q < b.n; q++) {
        const sb_stmt *s = b.at[q];
        bool have = false;

        for (int r = 0; r < first; r++) {
            const sb_stmt *t = l->at[r];

            if (t->kind == SB_STMT_LET && s->kind != SB_STMT_LET &&
                is_path(s, t->u.let.var))
                return false; /* would hide it */
            if (!declared(s))
                continue;
            if (!declared(t) || strcmp(declared(s), declared(t)) != 0)
                continue;
            if (s->kind != SB_STMT_LET || t->kind != SB_STMT_LET ||
                s->u.let.var != t->u.let.var || s->u.let.value != t->u.let.value)
                return false;
            have = true;
        }
        if (!have)
            push_merged(sc, l, s);
    }
    return true;
}

/* ---- the nest ---------------------------------------------------------------------------------- */

/* Loops of the nest from s down that hold the names; order by depth. */
static int
nest_of(sb_sched *sc, const sb_stmt *s, unsigned names, const sb_var *var[NEST_MAX],
        int want[NEST_MAX])
{
    int n = 0;

    while (s) {
        sb_body in[2];

        if (s->kind == SB_STMT_FOR) {
            if (n == NEST_MAX)
                return sb_sched_refuse(sc, "the nest is too deep"), 0;
            want[n] = name_index(sc, s);
            var[n++] = s->u.loop.var;
            if (want[n - 1] >= 0)
                names &= ~(1u << want[n - 1]);
        } else if (s->kind != SB_STMT_IF) {
            return sb_sched_refuse(sc, "a block lies between the loops"), 0;
        }
        if (!names)
            return n;
        if (sb_stmt_bodies(s, in) == 2 && holder(sc, in[0], names) < 0)
            in[0] = in[1];
        s = holder(sc, in[0], names) < 0 ? NULL : in[0].at[holder(sc, in[0], names)];
    }
    return sb_sched_refuse(sc, "the loops are not one nest"), 0;
}

static void lift(sb_sched *sc, sb_list *out, const sb_stmt *p, const sb_var *above,
                 const sb_var *v);

/* Swaps the loop over v with the loop over `above` that directly holds it, somewhere
 * inside b. */
static sb_body
lift_in(sb_sched *sc, sb_body b, const sb_var *above, const sb_var *v)
{
    sb_list l;

    sb_list_init(&l, sc->ir);
    for (int q = 0; q < b.n; q++) {
        const sb_stmt *s = b.at[q];

        if (is_path(s, above) && is_path(s, v))
            lift(sc, &l, s, above, v);
        else
            sb_list_push(&l, s);
    }
    return sb_list_body(&l);
}

static void
lift(sb_sched *sc, sb_list *out, const sb_stmt *p, const sb_var *above, const sb_var *v)
{
    const sb_stmt *after = NULL, *middle;
    sb_stmt *t;
    int at = 0;

    if (p->kind != SB_STMT_FOR || p->u.loop.var != above) {
        t = sb_stmt_copy(sc->ir, p);
        if (t && p->kind == SB_STMT_FOR)
            t->u.loop.body = lift_in(sc, p->u.loop.body, above, v);
        else if (t && p->kind == SB_STMT_IF)
            t->u.cond.then = lift_in(sc, p->u.cond.then, above, v);
        sb_list_push(out, t);
        return;
    }
    for (int q = 0; q < p->u.loop.body.n; q++)
        at = is_path(p->u.loop.body.at[q], v) ? q : at;
    middle = isolate(sc, out, p, at, &after);
    if (sc->st == SB_OK && middle)
        push_merged(sc, out, swap(sc, middle, v));
    if (after)
        sb_list_push(out, after);
}

/* Puts the named loops of the nest under s into the order of the names: the slots of
 * named loops stay, neighbours are swapped until each slot holds its loop. */
static void
order_nest(sb_sched *sc, sb_list *out, const sb_stmt *s)
{
    const sb_var *var[NEST_MAX], *goal[NEST_MAX];
    int want[NEST_MAX], slot[NEST_MAX], next = 0;
    const int n = nest_of(sc, s, (1u << sc->nname) - 1, var, want);
    sb_list l;

    for (int q = 0; q < n; q++)
        slot[q] = want[q] < 0 ? -1 : next++;
    for (int q = 0; q < n; q++) {
        int from = q;

        for (int r = 0; r < n && slot[q] >= 0; r++)
            from = want[r] == slot[q] ? r : from;
        goal[q] = var[from];
    }
    sb_list_init(&l, sc->ir);
    sb_list_push(&l, s);
    for (int q = 0; q < n && sc->st == SB_OK; q++) {
        int at = q;

        while (var[at] != goal[q])
            at++;
        for (; at > q && sc->st == SB_OK; at--) {
            const sb_var *up = var[at - 1];
            const sb_body b = sb_list_body(&l);

            sb_list_init(&l, sc->ir);
            sb_list_append(&l, lift_in(sc, b, up, var[at]));
            var[at - 1] = var[at];
            var[at] = up;
        }
    }
    for (int q = 0; q < l.n; q++)
        push_merged(sc, out, l.at[q]);
    sc->hits++;
}

static bool
visit(sb_mapper *m, sb_list *out, const sb_stmt *s)
{
    sb_sched *sc = m->user;
    const unsigned all = (1u << sc->nname) - 1;

    if (name_index(sc, s) < 0 || (names_in(sc, s) & all) != all)
        return false;
    order_nest(sc, out, s);
    return true;
}

sb_status
sb_sched_reorder(const sb_prog **out, sb_sched *sc)
{
    sb_mapper m = {sc->ir, sc, NULL, visit};
    sb_body b;

    for (int q = 0; q < sc->nname; q++) {
        for (int r = 0; r < q; r++) {
            if (strcmp(sc->name[q], sc->name[r]) == 0)
                return sb_sched_refuse(sc, "%%%s is named twice", sc->name[q]);
        }
    }
    if (sc->nname < 2)
        return sb_sched_refuse(sc, "needs at least two loops");
    b = sb_map_body(&m, sc->in->body);
    if (sc->hits == 0)
        sb_sched_refuse(sc, "no nest has all these loops");
    return sb_sched_finish(out, sc, b);
}
