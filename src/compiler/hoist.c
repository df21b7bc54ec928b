/*
 * Stage III -> stage III: what a loop does not change is evaluated once, before it.
 *
 *   for %p in 0 .. ($ptr[%i + 1] - $ptr[%i]) / 8 reduce {   let %ptr0 = $ptr[%i]
 *     for %l in 0 .. 8 {                                    for %p in 0 .. ($ptr[%i + 1] - %ptr0) / 8 reduce {
 *       $part[%l] += $A[$ptr[%i] + %p * 8 + %l] } }           for %l in 0 .. 8 { $part[%l] += $A[%ptr0 + ...] } }
 *
 * Loads: those of read-only buffers that a loop's bounds evaluate anyway, when they are
 * used again later; so no load is made that was not made before. Lets: those whose value
 * has no load, or whose loop surely runs.
 */
#include "compiler/affine.h"
#include "compiler/compiler.h"
#include "compiler/rewrite.h"

#include <stdio.h>
#include <string.h>

enum { LOADS_MAX = 8 };

typedef struct hoister {
    sb_ir *ir;
    const sb_prog *prog;
    int nname;
} hoister;

static bool
read_only(const sb_buf *b)
{
    return b->role == SB_BUF_AUX || b->role == SB_BUF_IN;
}

/* Loads (with their cast to i64) in e, outermost ones, each once. */
static void
collect(const sb_expr *e, const sb_expr **out, int *n)
{
    const sb_expr *load = e->kind == SB_EXPR_CAST ? e->arg[0] : e;

    if (load->kind == SB_EXPR_LOAD && read_only(load->u.buf)) {
        for (int q = 0; q < *n; q++) {
            if (out[q] == e)
                return;
        }
        if (*n < LOADS_MAX)
            out[(*n)++] = e;
        return;
    }
    for (int q = 0; q < e->nargs; q++)
        collect(e->arg[q], out, n);
}

typedef struct count {
    const sb_expr *what;
    int n;
} count;

static void
count_in(count *c, const sb_expr *e)
{
    c->n += e == c->what;
    for (int q = 0; q < e->nargs; q++)
        count_in(c, e->arg[q]);
}

static void
count_use(void *user, const sb_expr *e)
{
    count_in(user, e);
}

typedef struct swap {
    const sb_expr *from, *to;
} swap;

static const sb_expr *
swap_expr(sb_mapper *m, const sb_expr *e)
{
    const swap *s = m->user;

    return e == s->from ? s->to : e;
}

typedef struct name_query {
    const char *name;
    int found;
} name_query;

static void
ask_name(void *user, const sb_stmt *s)
{
    name_query *q = user;
    const char *name = s->kind == SB_STMT_FOR   ? s->u.loop.var->name
                       : s->kind == SB_STMT_LET ? s->u.let.var->name
                                                : NULL;

    q->found += name && strcmp(name, q->name) == 0;
}

/* A variable named after the buffer, with the first number that is free. */
static const sb_var *
fresh(hoister *h, const char *stem, sb_dtype type)
{
    char name[96];
    name_query q = {name, 1};

    while (q.found) {
        (void)snprintf(name, sizeof name, "%.72s%d", stem, h->nname++);
        q.found = 0;
        for (int r = 0; r < h->prog->nparam; r++)
            q.found += strcmp(h->prog->param[r]->name, name) == 0;
        sb_body_stmts(h->prog->body, ask_name, &q);
    }
    return sb_var_new(h->ir, name, type);
}

/* The variable of a let that moves outwards: its own, unless another has its name. */
static const sb_var *
lifted(hoister *h, const sb_var *v)
{
    name_query q = {v->name, 0};

    sb_body_stmts(h->prog->body, ask_name, &q);
    return q.found == 1 ? v : fresh(h, v->name, v->type);
}

/* Loads in the bounds of rest.at[0], a loop, used again in rest: bound by lets pushed to
 * out. Returns rest with the uses replaced. */
static sb_body
bind_bounds(hoister *h, sb_list *out, sb_body rest)
{
    const sb_expr *load[LOADS_MAX];
    int n = 0;

    collect(rest.at[0]->u.loop.lo, load, &n);
    collect(rest.at[0]->u.loop.hi, load, &n);
    for (int q = 0; q < n; q++) {
        const sb_expr *l = load[q]->kind == SB_EXPR_CAST ? load[q]->arg[0] : load[q];
        count c = {load[q], 0};
        const sb_var *v;
        swap s;
        sb_mapper m = {h->ir, &s, swap_expr, NULL};

        sb_body_exprs(rest, count_use, &c);
        if (c.n < 2)
            continue;
        v = fresh(h, l->u.buf->name, (sb_dtype)load[q]->type);
        sb_list_push(out, sb_stmt_let(h->ir, v, load[q]));
        s.from = load[q];
        s.to = sb_expr_var(h->ir, v);
        rest = sb_map_body(&m, rest);
    }
    return rest;
}

static bool
surely_runs(sb_ir *ir, const sb_stmt *loop)
{
    const sb_expr *e =
        sb_expr_simplify(ir, sb_expr_sub(ir, loop->u.loop.hi, loop->u.loop.lo));

    return e && e->kind == SB_EXPR_INT && e->u.i > 0;
}

/* Moves lets at the head of the loop's body that it does not change to out. */
static const sb_stmt *
lift_lets(hoister *h, sb_list *out, const sb_stmt *loop)
{
    sb_body b = loop->u.loop.body;
    const bool runs = surely_runs(h->ir, loop);
    sb_list keep;
    sb_stmt *copy;
    int moved = 0;

    sb_list_init(&keep, h->ir);
    for (int q = 0; q < b.n; q++) {
        const sb_stmt *s = b.at[q];
        bool stays = s->kind != SB_STMT_LET || keep.n > 0;
        const sb_var *v;

        if (stays || sb_expr_uses(s->u.let.value, loop->u.loop.var) ||
            (sb_expr_loads(s->u.let.value, NULL) && !runs)) {
            sb_list_push(&keep, s);
            continue;
        }
        v = lifted(h, s->u.let.var);
        sb_list_push(out, sb_stmt_let(h->ir, v, s->u.let.value));
        b = sb_body_subst(h->ir, b, s->u.let.var, sb_expr_var(h->ir, v));
        moved++;
    }
    if (moved == 0)
        return loop;
    copy = sb_stmt_copy(h->ir, loop);
    if (copy)
        copy->u.loop.body = sb_list_body(&keep);
    return copy;
}

static sb_body
hoist_body(hoister *h, sb_body b)
{
    sb_list out;

    sb_list_init(&out, h->ir);
    while (b.n > 0 && !h->ir->failed) {
        const sb_stmt *s;
        sb_stmt *t;

        if (b.at[0]->kind == SB_STMT_FOR)
            b = bind_bounds(h, &out, b);
        if (h->ir->failed)
            break;
        s = b.at[0];
        if (s->kind == SB_STMT_FOR || s->kind == SB_STMT_IF) {
            t = sb_stmt_copy(h->ir, s);
            if (t && s->kind == SB_STMT_FOR) {
                t->u.loop.body = hoist_body(h, s->u.loop.body);
            } else if (t) {
                t->u.cond.then = hoist_body(h, s->u.cond.then);
                t->u.cond.els = hoist_body(h, s->u.cond.els);
            }
            s = t && t->kind == SB_STMT_FOR ? lift_lets(h, &out, t) : t;
        }
        sb_list_push(&out, s);
        b.n--;
        b.at++;
    }
    return sb_list_body(&out);
}

sb_status
sb_pass_hoist(const sb_prog **out, sb_ir *ir, const sb_prog *in)
{
    hoister h = {ir, in, 0};
    sb_prog *p;

    *out = NULL;
    if (in->stage != 3)
        return sb_diag_set(ir->diag, SB_EINVAL, "hoist takes stage 3, not stage %d",
                           in->stage);
    if (!(p = sb_prog_copy(ir, in)))
        return SB_ENOMEM;
    p->body = hoist_body(&h, in->body);
    if (sb_ir_status(ir) == SB_OK)
        *out = p;
    return sb_ir_status(ir);
}
