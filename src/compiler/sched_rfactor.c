/*
 * rfactor %k 8 -> %l as $part: one sum becomes 8 independent ones, combined in a fixed
 * order, so that lanes can work on it.
 *
 *   for %k in 0 .. %n reduce { $s[0] += $x[%k] }
 *   -> local $part : f32[8]
 *      for %l in 0 .. 8 { $part[%l] = 0.0 }
 *      for %k in 0 .. %n / 8 reduce { for %l in 0 .. 8 { $part[%l] += $x[%k * 8 + %l] } }
 *      for %l in 0 .. %n mod 8 { $part[%l] += $x[%n / 8 * 8 + %l] }
 *      for %l in 0 .. 4 { $part[%l] += $part[%l + 4] }  and 0 .. 2
 *      $s[0] += $part[0] + $part[1]
 */
#include "compiler/affine.h"
#include "compiler/depend.h"
#include "compiler/mark.h"
#include "compiler/schedule.h"

#include <string.h>

enum { FACTOR_MAX = 256 };

typedef struct factoring {
    sb_sched *sc;
    const sb_stmt *sum; /* the one store */
    int nstore;
    bool other; /* a statement that may not be there */
    const sb_buf *part;
    const sb_expr *lane;
} factoring;

static void
look(void *user, const sb_stmt *s)
{
    factoring *f = user;

    if (s->kind == SB_STMT_STORE) {
        f->nstore++;
        f->sum = s;
    } else if (s->kind != SB_STMT_LET && s->kind != SB_STMT_IF) {
        f->other = true;
    }
}

static bool
index_moves(const sb_stmt *loop, const sb_stmt *sum)
{
    for (int d = 0; d < sum->u.store.n; d++) {
        const sb_expr *e = sum->u.store.idx[d];

        if (sb_expr_uses(e, loop->u.loop.var))
            return true;
    }
    return false;
}

typedef struct let_query {
    const sb_stmt *sum;
    bool found;
} let_query;

static void
ask_let(void *user, const sb_stmt *s)
{
    let_query *q = user;

    for (int d = 0; s->kind == SB_STMT_LET && d < q->sum->u.store.n; d++)
        q->found = q->found || sb_expr_uses(q->sum->u.store.idx[d], s->u.let.var);
}

typedef struct cond_query {
    const sb_var *v;
    bool fixed; /* a condition that the loop does not move */
} cond_query;

static void
ask_cond(void *user, const sb_stmt *s)
{
    cond_query *q = user;

    q->fixed =
        q->fixed || (s->kind == SB_STMT_IF && !sb_expr_uses(s->u.cond.cond, q->v));
}

/* The sum is stored to in any case, so a condition may say which terms there are, but
 * not whether the element is there. */
static void
check_conditions(factoring *f, const sb_stmt *loop)
{
    cond_query q = {loop->u.loop.var, false};

    sb_body_stmts(sb_body_inline(f->sc->ir, loop->u.loop.body), ask_cond, &q);
    if (q.fixed)
        sb_sched_refuse(f->sc, "the element of $%s stands under a condition",
                        f->sum->u.store.buf->name);
}

static void
check(factoring *f, const sb_stmt *loop)
{
    const char *name = loop->u.loop.var->name;
    const sb_buf *to;
    let_query le = {NULL, false};

    sb_body_stmts(loop->u.loop.body, look, f);
    if (f->other || f->nstore != 1 || f->sum->u.store.op != SB_STORE_ADD) {
        sb_sched_refuse(f->sc, "the body of %%%s is not one sum", name);
        return;
    }
    to = f->sum->u.store.buf;
    le.sum = f->sum;
    sb_body_stmts(loop->u.loop.body, ask_let, &le);
    check_conditions(f, loop);
    if (sb_body_loads(loop->u.loop.body, to))
        sb_sched_refuse(f->sc, "$%s is also read in %%%s", to->name, name);
    else if (le.found || index_moves(loop, f->sum))
        sb_sched_refuse(f->sc, "the element of $%s that is summed into depends on %%%s",
                        to->name, name);
    else if (sb_loop_marked(loop))
        sb_sched_refuse(f->sc, "loop %%%s is marked already", name);
    else if (sb_dtype_is_storage(to->type))
        sb_sched_refuse(f->sc, "sums into $%s would be computed in %s", to->name,
                        sb_dtype_name(to->type));
}

static bool
redirect(sb_mapper *m, sb_list *out, const sb_stmt *s)
{
    factoring *f = m->user;

    if (s->kind != SB_STMT_STORE)
        return false;
    sb_list_push(
        out, sb_stmt_store(m->ir, f->part, &f->lane, SB_STORE_ADD, s->u.store.value));
    return true;
}

/* for %l in 0 .. n { part[l] += value at from + l } */
static const sb_stmt *
lanes(factoring *f, const sb_stmt *loop, const sb_expr *from, const sb_expr *n)
{
    sb_ir *ir = f->sc->ir;
    sb_mapper m = {ir, f, NULL, redirect};
    const sb_expr *at = sb_expr_simplify(ir, sb_expr_add(ir, from, f->lane));
    sb_body b = sb_body_replace(ir, loop->u.loop.body, loop->u.loop.var, at);

    b = sb_map_body(&m, b);
    return sb_stmt_for(ir, f->sc->var[0], sb_expr_int(ir, 0), n, false, b);
}

static void
push_sums(factoring *f, sb_list *out, const sb_stmt *loop)
{
    sb_ir *ir = f->sc->ir;
    const sb_expr *w = sb_expr_int(ir, f->sc->number), *zero = sb_expr_int(ir, 0);
    const sb_expr *e = sb_loop_extent(ir, loop);
    const sb_expr *blocks = sb_expr_simplify(ir, sb_expr_bin(ir, SB_EXPR_DIV, e, w));
    const sb_expr *rest = sb_expr_simplify(ir, sb_expr_bin(ir, SB_EXPR_MOD, e, w));
    const sb_expr *k = sb_expr_var(ir, loop->u.loop.var);
    const sb_expr *at = sb_expr_add(ir, loop->u.loop.lo, sb_expr_mul(ir, k, w));
    sb_body b;

    b = sb_body_one(ir, lanes(f, loop, at, w));
    sb_list_push(out, sb_stmt_for(ir, loop->u.loop.var, zero, blocks, true, b));
    if (sb_expr_is_int(rest, 0))
        return;
    at = sb_expr_add(ir, loop->u.loop.lo, sb_expr_mul(ir, blocks, w));
    sb_list_push(out, lanes(f, loop, at, rest));
}

static void
push_clear(factoring *f, sb_list *out)
{
    sb_ir *ir = f->sc->ir;
    const sb_dtype t = f->part->type;
    const sb_expr *zero = sb_dtype_is_int(t) ? sb_expr_cast(ir, t, sb_expr_int(ir, 0))
                                             : sb_expr_float(ir, t, 0.0);
    const sb_stmt *s = sb_stmt_store(ir, f->part, &f->lane, SB_STORE_SET, zero);

    sb_list_push(out, sb_stmt_for(ir, f->sc->var[0], sb_expr_int(ir, 0),
                                  sb_expr_int(ir, f->sc->number), false,
                                  sb_body_one(ir, s)));
}

/* Halves the array until two elements are left and adds those to the sum. */
static void
push_combine(factoring *f, sb_list *out)
{
    sb_ir *ir = f->sc->ir;
    const sb_expr *zero = sb_expr_int(ir, 0), *one = sb_expr_int(ir, 1), *v;
    sb_stmt *s;

    for (int64_t half = f->sc->number / 2; half > 1; half /= 2) {
        const sb_expr *far = sb_expr_add(ir, f->lane, sb_expr_int(ir, half));
        const sb_stmt *add = sb_stmt_store(ir, f->part, &f->lane, SB_STORE_ADD,
                                           sb_expr_load(ir, f->part, 1, &far));

        sb_list_push(out, sb_stmt_for(ir, f->sc->var[0], zero, sb_expr_int(ir, half),
                                      false, sb_body_one(ir, add)));
    }
    v = sb_expr_bin(ir, SB_EXPR_ADD, sb_expr_load(ir, f->part, 1, &zero),
                    sb_expr_load(ir, f->part, 1, &one));
    s = sb_stmt_copy(ir, f->sum);
    if (s && v)
        s->u.store.value = v;
    sb_list_push(out, v ? s : NULL);
}

static bool
has_loops(sb_body b)
{
    for (int q = 0; q < b.n; q++)
        if (b.at[q]->kind == SB_STMT_FOR)
            return true;
    return false;
}

static void
factor_loop(sb_sched *sc, sb_list *out, const sb_stmt *loop)
{
    factoring f = {.sc = sc};

    for (int q = 0; q < out->n; q++)
        if (out->at[q]->kind == SB_STMT_LOCAL &&
            strcmp(out->at[q]->u.local.buf->name, sc->name[2]) == 0)
            sb_sched_refuse(sc, "two loops %%%s stand side by side", sc->name[0]);
    if (sc->st != SB_OK)
        return;
    if (has_loops(loop->u.loop.body)) {
        sb_sched_rfactor_nest(sc, out, loop);
        return;
    }
    check(&f, loop);
    if (sc->st != SB_OK)
        return;
    f.part = sb_sched_local(sc, sc->name[2], (sb_dtype)f.sum->u.store.value->type, 1,
                            &sc->number);
    f.lane = sb_expr_var(sc->ir, sc->var[0]);
    if (!f.part || !f.lane)
        return;
    sb_list_push(out, sb_stmt_local(sc->ir, f.part));
    push_clear(&f, out);
    push_sums(&f, out, loop);
    push_combine(&f, out);
}

sb_status
sb_sched_rfactor(const sb_prog **out, sb_sched *sc)
{
    if (sc->number < 2 || sc->number > FACTOR_MAX || (sc->number & (sc->number - 1)))
        return sb_sched_refuse(sc, "the factor must be a power of two, 2 to %d",
                               FACTOR_MAX);
    if (sb_sched_taken(sc, sc->name[2]))
        return sb_sched_refuse(sc, "the name $%s is in use", sc->name[2]);
    sc->var[0] = sb_sched_new_var(sc, sc->name[1]);
    if (!sc->var[0])
        return sc->st != SB_OK ? sc->st : sb_ir_status(sc->ir);
    return sb_sched_each_loop(out, sc, sc->name[0], factor_loop);
}
