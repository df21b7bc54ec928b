/*
 * Stage I -> stage I (SparseTIR 3.2.1): the computation over one format becomes
 * computations over the formats of the rules.
 *
 *   iter spmv (%i : S #I, %j : R #J) {       iter spmv_ell (%o : S #O, %r : S #R, %e : R #E) {
 *     init $y[%i] = 0.0                 ->     init $y[%r] = 0.0
 *     $y[%i] += $A[%i, %j] * $x[%j] }          $y[%r] += $A_ell[%o, %r, %e] * $x[%e] }
 *
 * Where several rules share what init starts, it runs once, in an iteration of its own
 * before theirs; else a part would clear what the parts before it summed.
 *
 * Holds afterwards: iterations run over new axes, old coordinates are the inverse map of
 * the new ones. Arrays and axes that nothing uses any more are gone; parameters stay.
 */
#include "compiler/compiler.h"
#include "compiler/rewrite.h"
#include "compiler/rule.h"

#include <stdio.h>
#include <string.h>

enum { ITERS_MAX = 12, ITEMS_MAX = 1024 };

typedef struct decomposer {
    sb_ir *ir;
    const sb_prog *in;
    sb_rule rule[SB_RULES_MAX];
    int nrule;
    bool copy;
    /* of the iteration being rewritten */
    const sb_rule *r;
    const sb_var *old[SB_MAXRANK]; /* its iterator over each dimension of r->from */
    bool apart;                    /* its init is an iteration of its own */
    sb_status st;
} decomposer;

/* ---- accesses -------------------------------------------------------------------------------- */

/* New coordinates of the element at old ones: the new iterators themselves where the
 * old coordinates are those of the inverse map. */
static void
new_index(const decomposer *dc, const sb_expr *const *at, const sb_expr **out)
{
    const sb_rule *r = dc->r;
    bool straight = true;

    for (int d = 0; d < r->from->rank; d++)
        straight = straight && at[d] == r->inv[d];
    for (int q = 0; q < r->naxis; q++) {
        const sb_expr *e = straight ? sb_expr_var(dc->ir, r->new_at[q]) : r->map[q];

        for (int d = 0; d < r->from->rank && !straight; d++)
            e = sb_expr_subst(dc->ir, e, r->old_at[d], at[d]);
        out[q] = e;
    }
}

static const sb_expr *
rewrite_expr(sb_mapper *m, const sb_expr *e)
{
    const decomposer *dc = m->user;
    const sb_expr *idx[SB_MAXRANK];

    for (int d = 0; e->kind == SB_EXPR_VAR && d < dc->r->from->rank; d++) {
        if (e->u.var == dc->old[d])
            return dc->r->inv[d];
    }
    if (e->kind != SB_EXPR_LOAD || e->u.buf != dc->r->from)
        return e;
    new_index(dc, e->arg, idx);
    return sb_expr_load(m->ir, dc->r->to, dc->r->naxis, idx);
}

static bool
rewrite_stmt(sb_mapper *m, sb_list *out, const sb_stmt *s)
{
    const decomposer *dc = m->user;
    const sb_expr *idx[SB_MAXRANK];

    if (s->kind != SB_STMT_STORE || s->u.store.buf != dc->r->from)
        return false;
    s = sb_map_parts(m, s);
    if (!s)
        return true;
    new_index(dc, s->u.store.idx, idx);
    sb_list_push(out, sb_stmt_store(m->ir, dc->r->to, idx, (sb_store_op)s->u.store.op,
                                    s->u.store.value));
    return true;
}

/* ---- iterations ------------------------------------------------------------------------------ */

static sb_stmt *
new_iteration(sb_ir *ir, const char *stem, const char *rule, int n, const sb_iter *it)
{
    sb_stmt *s = sb_stmt_new(ir, SB_STMT_ITER);
    char name[160];

    (void)snprintf(name, sizeof name, "%.63s_%.63s", stem, rule);
    if (s) {
        s->u.iter.name = sb_arena_strndup(ir->arena, name, strlen(name));
        s->u.iter.n = n;
        s->u.iter.it = sb_arena_copy(ir->arena, it, (size_t)n * sizeof *it);
        ir->failed = ir->failed || !s->u.iter.name || !s->u.iter.it;
    }
    return s;
}

/* copy_ell (%o : S #O, ...) { $A_ell[%o, ...] = $A[inv] } */
static const sb_stmt *
copy_iteration(decomposer *dc, const sb_rule *r)
{
    sb_iter it[SB_MAXRANK];
    const sb_expr *idx[SB_MAXRANK];
    sb_stmt *s;

    for (int q = 0; q < r->naxis; q++) {
        const sb_iter one = {r->new_at[q], r->axis[q], false, 0, NULL};

        it[q] = one;
        idx[q] = sb_expr_var(dc->ir, r->new_at[q]);
    }
    s = new_iteration(dc->ir, "copy", r->name, r->naxis, it);
    if (s)
        s->u.iter.body = sb_body_one(
            dc->ir,
            sb_stmt_store(dc->ir, r->to, idx, SB_STORE_SET,
                          sb_expr_load(dc->ir, r->from, r->from->rank, r->inv)));
    return s;
}

static int
dim_of(const sb_buf *b, const sb_axis *x)
{
    for (int d = 0; d < b->rank; d++) {
        if (b->axis[d] == x)
            return d;
    }
    return -1;
}

/* The iterators with old axes replaced by the new ones that stand for them. */
static int
new_iterators(decomposer *dc, const sb_stmt *s, sb_iter *out)
{
    const sb_rule *r = dc->r;
    int n = 0;

    memset(dc->old, 0, sizeof dc->old);
    for (int k = 0; k < s->u.iter.n; k++) {
        const sb_iter *it = &s->u.iter.it[k];
        const int d = dim_of(r->from, it->axis);

        if (it->with)
            dc->st = sb_diag_set(dc->ir->diag, SB_EINVAL,
                                 "iteration %s runs over #%s & #%s: decompose first",
                                 s->u.iter.name, it->axis->name, it->with->name);
        if (d >= 0 && !dc->old[d])
            dc->old[d] = it->var;
        for (int q = 0; q < r->naxis; q++) {
            const sb_iter one = {r->new_at[q], r->axis[q], it->reduce, 0, NULL};

            if (d >= 0 && r->owner[q] == d && n < ITERS_MAX)
                out[n++] = one;
        }
        if (d < 0 && n < ITERS_MAX)
            out[n++] = *it;
    }
    for (int d = 0; d < r->from->rank; d++) {
        if (!dc->old[d])
            dc->st = sb_diag_set(dc->ir->diag, SB_EINVAL,
                                 "iteration %s does not run over axis #%s of $%s",
                                 s->u.iter.name, r->from->axis[d]->name, r->from->name);
    }
    return n;
}

static const sb_stmt *
rewrite_iteration(decomposer *dc, const sb_rule *r, const sb_stmt *s)
{
    sb_mapper m = {dc->ir, dc, rewrite_expr, rewrite_stmt};
    sb_iter it[ITERS_MAX];
    sb_stmt *t;
    int n;

    dc->r = r;
    n = new_iterators(dc, s, it);
    t = new_iteration(dc->ir, s->u.iter.name, r->name, n, it);
    if (!t || dc->st != SB_OK)
        return s;
    if (!dc->apart)
        t->u.iter.init = sb_map_body(&m, s->u.iter.init);
    t->u.iter.body = sb_map_body(&m, s->u.iter.body);
    return t;
}

typedef struct buf_query {
    const sb_buf *b;
    bool found;
} buf_query;

static void
ask_expr(void *user, const sb_expr *e)
{
    buf_query *q = user;

    q->found = q->found || sb_expr_loads(e, q->b);
}

static void
ask_stmt(void *user, const sb_stmt *s)
{
    buf_query *q = user;

    q->found = q->found || (s->kind == SB_STMT_STORE && s->u.store.buf == q->b);
}

static bool
body_touches(sb_body b, const sb_buf *buf)
{
    buf_query q = {buf, false};

    sb_body_exprs(b, ask_expr, &q);
    sb_body_stmts(b, ask_stmt, &q);
    return q.found;
}

/* Do several rules rewrite the iteration, but none what its init stores to? */
static bool
shares_init(const decomposer *dc, const sb_stmt *s)
{
    const sb_body one = {1, &s};
    int hits = 0;

    if (s->kind != SB_STMT_ITER || s->u.iter.init.n == 0)
        return false;
    for (int q = 0; q < dc->nrule; q++) {
        buf_query stored = {dc->rule[q].from, false};

        sb_body_stmts(s->u.iter.init, ask_stmt, &stored);
        if (stored.found)
            return false;
        hits += body_touches(one, dc->rule[q].from);
    }
    return hits > 1;
}

/* spmm_init (the spatial iterators) { init } */
static const sb_stmt *
init_iteration(decomposer *dc, const sb_stmt *s)
{
    sb_iter it[ITERS_MAX];
    sb_stmt *t;
    int n = 0;

    for (int k = 0; k < s->u.iter.n && n < ITERS_MAX; k++) {
        const sb_iter *one = &s->u.iter.it[k];
        bool parent = one->axis->parent == NULL;

        if (one->reduce)
            continue;
        for (int q = 0; q < n; q++)
            parent = parent || it[q].axis == one->axis->parent;
        if (!parent)
            dc->st = sb_diag_set(dc->ir->diag, SB_EINVAL,
                                 "init of %s runs over #%s, whose parent is reduced",
                                 s->u.iter.name, one->axis->name);
        it[n] = *one;
        it[n].var = sb_var_new(dc->ir, one->var->name, one->var->type);
        it[n].group = 0;
        it[n++].with = NULL;
    }
    t = new_iteration(dc->ir, s->u.iter.name, "init", n, it);
    if (!t)
        return NULL;
    t->u.iter.body = s->u.iter.init;
    for (int k = 0, q = 0; k < s->u.iter.n; k++) {
        if (!s->u.iter.it[k].reduce)
            t->u.iter.body = sb_body_subst(dc->ir, t->u.iter.body, s->u.iter.it[k].var,
                                           sb_expr_var(dc->ir, it[q++].var));
    }
    return t;
}

static sb_body
rewrite_body(decomposer *dc)
{
    sb_list out;

    sb_list_init(&out, dc->ir);
    for (int q = 0; q < dc->nrule && dc->copy; q++) {
        if (!dc->rule[q].same)
            sb_list_push(&out, copy_iteration(dc, &dc->rule[q]));
    }
    for (int k = 0; k < dc->in->body.n; k++) {
        const sb_stmt *s = dc->in->body.at[k];
        const sb_body one = {1, &s};
        bool hit = false;

        dc->apart = shares_init(dc, s);
        if (dc->apart)
            sb_list_push(&out, init_iteration(dc, s));
        for (int q = 0; q < dc->nrule; q++) {
            if (s->kind != SB_STMT_ITER || !body_touches(one, dc->rule[q].from))
                continue;
            sb_list_push(&out, rewrite_iteration(dc, &dc->rule[q], s));
            hit = true;
        }
        if (!hit)
            sb_list_push(&out, s);
    }
    return sb_list_body(&out);
}

/* ---- declarations ---------------------------------------------------------------------------- */

typedef struct decls {
    int nparam, nbuf, naxis;
    const sb_var *param[ITEMS_MAX];
    const sb_buf *buf[ITEMS_MAX];
    const sb_axis *axis[ITEMS_MAX];
    bool used_buf[ITEMS_MAX], used_axis[ITEMS_MAX];
} decls;

static void
add_buf(decls *d, const sb_buf *b)
{
    if (b && d->nbuf < ITEMS_MAX)
        d->buf[d->nbuf++] = b;
}

static void
add_axis(decls *d, const sb_axis *x)
{
    for (int q = 0; q < d->naxis; q++) {
        if (d->axis[q] == x)
            return;
    }
    if (x->parent)
        add_axis(d, x->parent);
    if (d->naxis < ITEMS_MAX)
        d->axis[d->naxis++] = x;
}

/* With copy iterations a new array is written first and read then. */
static const sb_buf *
target_of(decomposer *dc, sb_rule *r)
{
    sb_buf *b;

    if (!dc->copy || r->same)
        return r->to;
    b = sb_arena_copy(dc->ir->arena, r->to, sizeof *b);
    if (b)
        b->role = SB_BUF_INOUT;
    return r->to = b;
}

/* Buffers with structure first, so that every axis stands after what it names, as the
 * text wants it; then the values. One that stays in place has its new shape. */
static void
collect_bufs(decomposer *dc, decls *d, bool aux)
{
    const sb_rule *first = &dc->rule[0];

    for (int q = 0; q < dc->in->nbuf; q++) {
        const sb_buf *b = dc->in->buf[q];

        if ((b->role == SB_BUF_AUX) == aux)
            add_buf(d, first->same && first->from == b ? first->to : b);
    }
    for (int q = 0; q < dc->nrule; q++) {
        for (int k = 0; k < dc->rule[q].nbuf; k++) {
            if ((dc->rule[q].buf[k]->role == SB_BUF_AUX) == aux)
                add_buf(d, dc->rule[q].buf[k]);
        }
    }
}

/* Everything declared: the program's and the rules'. */
static void
collect(decomposer *dc, decls *d)
{
    for (int q = 0; q < dc->in->nparam; q++)
        d->param[d->nparam++] = dc->in->param[q];
    collect_bufs(dc, d, true);
    collect_bufs(dc, d, false);
    for (int q = 0; q < dc->in->naxis; q++)
        add_axis(d, dc->in->axis[q]);
    for (int q = 0; q < dc->nrule; q++) {
        sb_rule *r = &dc->rule[q];

        for (int k = 0; k < r->nparam && d->nparam < ITEMS_MAX; k++)
            d->param[d->nparam++] = r->param[k];
        for (int k = 0; k < r->naxis; k++)
            add_axis(d, r->axis[k]);
        if (!r->same)
            add_buf(d, target_of(dc, r));
    }
}

static void
use_buf(decls *d, const sb_buf *b)
{
    for (int q = 0; q < d->nbuf; q++)
        d->used_buf[q] = d->used_buf[q] || d->buf[q] == b;
}

static void
use_axis(decls *d, const sb_axis *x)
{
    for (; x; x = x->parent) {
        for (int q = 0; q < d->naxis; q++)
            d->used_axis[q] = d->used_axis[q] || d->axis[q] == x;
        use_buf(d, x->ptr);
        use_buf(d, x->end);
        use_buf(d, x->crd);
        use_buf(d, x->val);
    }
}

static void
use_iter(void *user, const sb_stmt *s)
{
    for (int k = 0; s->kind == SB_STMT_ITER && k < s->u.iter.n; k++)
        use_axis(user, s->u.iter.it[k].axis);
}

/* Marks what the new body needs and drops the rest. */
static void
prune(decls *d, sb_body body)
{
    int nb = 0, nx = 0;

    sb_body_stmts(body, use_iter, d);
    for (int q = 0; q < d->nbuf; q++) {
        if (!body_touches(body, d->buf[q]))
            continue;
        d->used_buf[q] = true;
        for (int k = 0; k < d->buf[q]->rank; k++)
            use_axis(d, d->buf[q]->axis[k]);
    }
    for (int q = 0; q < d->nbuf; q++) {
        if (d->used_buf[q])
            d->buf[nb++] = d->buf[q];
    }
    for (int q = 0; q < d->naxis; q++) {
        if (d->used_axis[q])
            d->axis[nx++] = d->axis[q];
    }
    d->nbuf = nb;
    d->naxis = nx;
}

static sb_status
finish(const sb_prog **out, decomposer *dc, const decls *d, sb_body body)
{
    sb_prog *p = sb_prog_copy(dc->ir, dc->in);
    sb_arena *ar = dc->ir->arena;

    if (!p)
        return SB_ENOMEM;
    p->body = body;
    p->nparam = d->nparam;
    p->nbuf = d->nbuf;
    p->naxis = d->naxis;
    p->param = sb_arena_copy(ar, d->param, (size_t)d->nparam * sizeof *d->param);
    p->buf = sb_arena_copy(ar, d->buf, (size_t)d->nbuf * sizeof *d->buf);
    p->axis = sb_arena_copy(ar, d->axis, (size_t)d->naxis * sizeof *d->axis);
    if (!p->param || !p->buf || !p->axis)
        return SB_ENOMEM;
    if (sb_ir_status(dc->ir) == SB_OK)
        *out = p;
    return sb_ir_status(dc->ir);
}

sb_status
sb_pass_decompose(const sb_prog **out, sb_ir *ir, const sb_prog *in, const char *rules,
                  bool copy)
{
    decomposer *dc = sb_arena_alloc_zero(ir->arena, sizeof *dc);
    decls *d = sb_arena_alloc_zero(ir->arena, sizeof *d);
    sb_status st;
    sb_body body;

    *out = NULL;
    if (!dc || !d)
        return SB_ENOMEM;
    if (in->stage != 1)
        return sb_diag_set(ir->diag, SB_EINVAL, "decompose takes stage 1, not stage %d",
                           in->stage);
    dc->ir = ir;
    dc->in = in;
    dc->copy = copy;
    if ((st = sb_rules_parse(dc->rule, &dc->nrule, ir, in, rules)) != SB_OK)
        return st;
    for (int q = 0; q < dc->nrule && dc->nrule > 1; q++) {
        if (dc->rule[q].same)
            return sb_diag_set(ir->diag, SB_EINVAL,
                               "rule %s keeps the values in place, so it must be alone",
                               dc->rule[q].name);
    }
    collect(dc, d);
    body = rewrite_body(dc);
    if (dc->st != SB_OK)
        return dc->st;
    prune(d, body);
    return finish(out, dc, d, body);
}
