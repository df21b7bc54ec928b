/*
 * Mapping of expressions and bodies, declared in rewrite.h. Nothing here knows a pass.
 */
#include "compiler/rewrite.h"

#include <string.h>

void
sb_list_init(sb_list *l, sb_ir *ir)
{
    l->ir = ir;
    l->at = NULL;
    l->n = l->cap = 0;
}

void
sb_list_push(sb_list *l, const sb_stmt *s)
{
    if (!s) {
        l->ir->failed = true;
        return;
    }
    if (l->n == l->cap) {
        const int cap = l->cap ? 2 * l->cap : 4;
        const sb_stmt **at = sb_arena_array(l->ir->arena, cap, sizeof *at);

        if (!at) {
            l->ir->failed = true;
            return;
        }
        if (l->n)
            memcpy(at, l->at, (size_t)l->n * sizeof *at);
        l->at = at;
        l->cap = cap;
    }
    l->at[l->n++] = s;
}

void
sb_list_append(sb_list *l, sb_body b)
{
    for (int q = 0; q < b.n; q++)
        sb_list_push(l, b.at[q]);
}

sb_body
sb_list_body(const sb_list *l)
{
    const sb_body b = {l->n, l->at};

    return b;
}

/* ---- expressions --------------------------------------------------------------------- */

const sb_expr *
sb_expr_remake(sb_ir *ir, const sb_expr *e, const sb_expr *const *arg)
{
    switch ((sb_expr_kind)e->kind) {
    case SB_EXPR_LOAD:
        return sb_expr_load(ir, e->u.buf, e->nargs, arg);
    case SB_EXPR_FIND:
    case SB_EXPR_SEEK:
    case SB_EXPR_REACH:
        return sb_expr_search(ir, (sb_expr_kind)e->kind, e->u.buf, arg[0], arg[1],
                              arg[2]);
    case SB_EXPR_CAST:
        return sb_expr_cast(ir, (sb_dtype)e->type, arg[0]);
    case SB_EXPR_SELECT:
        return sb_expr_select(ir, arg[0], arg[1], arg[2]);
    default:
        if (e->nargs == 1)
            return sb_expr_un(ir, (sb_expr_kind)e->kind, arg[0]);
        if (e->nargs == 2)
            return sb_expr_bin(ir, (sb_expr_kind)e->kind, arg[0], arg[1]);
        return e;
    }
}

const sb_expr *
sb_map_expr(sb_mapper *m, const sb_expr *e)
{
    const sb_expr *arg[SB_MAXRANK];
    bool same = true;

    if (!e)
        return NULL;
    for (int q = 0; q < e->nargs; q++) {
        arg[q] = sb_map_expr(m, e->arg[q]);
        same = same && arg[q] == e->arg[q];
    }
    if (!same)
        e = sb_expr_remake(m->ir, e, arg);
    return e && m->expr ? m->expr(m, e) : e;
}

typedef struct subst {
    const sb_var *v;
    const sb_expr *by;
} subst;

static const sb_expr *
subst_expr(sb_mapper *m, const sb_expr *e)
{
    const subst *s = m->user;

    return e->kind == SB_EXPR_VAR && e->u.var == s->v ? s->by : e;
}

const sb_expr *
sb_expr_subst(sb_ir *ir, const sb_expr *e, const sb_var *v, const sb_expr *by)
{
    subst s = {v, by};
    sb_mapper m = {ir, &s, subst_expr, NULL};

    return sb_map_expr(&m, e);
}

sb_body
sb_body_subst(sb_ir *ir, sb_body b, const sb_var *v, const sb_expr *by)
{
    subst s = {v, by};
    sb_mapper m = {ir, &s, subst_expr, NULL};

    return sb_map_body(&m, b);
}

bool
sb_expr_uses(const sb_expr *e, const sb_var *v)
{
    if (e->kind == SB_EXPR_VAR)
        return e->u.var == v;
    for (int q = 0; q < e->nargs; q++) {
        if (sb_expr_uses(e->arg[q], v))
            return true;
    }
    return false;
}

bool
sb_expr_loads(const sb_expr *e, const sb_buf *b)
{
    if ((e->kind == SB_EXPR_LOAD || sb_expr_is_search(e)) && (!b || e->u.buf == b))
        return true;
    for (int q = 0; q < e->nargs; q++) {
        if (sb_expr_loads(e->arg[q], b))
            return true;
    }
    return false;
}

bool
sb_expr_is_int(const sb_expr *e, int64_t v)
{
    return e && e->kind == SB_EXPR_INT && e->u.i == v;
}

/* ---- statements ---------------------------------------------------------------------- */

sb_stmt *
sb_stmt_copy(sb_ir *ir, const sb_stmt *s)
{
    sb_stmt *c = sb_stmt_new(ir, (sb_stmt_kind)s->kind);

    if (c)
        c->u = s->u;
    return c;
}

sb_prog *
sb_prog_copy(sb_ir *ir, const sb_prog *p)
{
    sb_prog *c = sb_arena_copy(ir->arena, p, sizeof *p);

    if (!c)
        ir->failed = true;
    return c;
}

static const sb_expr *const *
map_index(sb_mapper *m, int n, const sb_expr *const *idx, bool *same)
{
    const sb_expr **out = sb_arena_array(m->ir->arena, n ? n : 1, sizeof(*out));

    if (!out) {
        m->ir->failed = true;
        return idx;
    }
    for (int q = 0; q < n; q++) {
        out[q] = sb_map_expr(m, idx[q]);
        *same = *same && out[q] == idx[q];
    }
    return *same ? idx : out;
}

static bool
body_same(sb_body a, sb_body b)
{
    return a.n == b.n &&
           (a.at == b.at || memcmp(a.at, b.at, (size_t)a.n * sizeof *a.at) == 0);
}

static sb_body
map_inner(sb_mapper *m, sb_body b, bool *same)
{
    const sb_body out = sb_map_body(m, b);

    *same = *same && body_same(out, b);
    return out;
}

static const sb_expr *
map_value(sb_mapper *m, const sb_expr *e, bool *same)
{
    const sb_expr *out = sb_map_expr(m, e);

    *same = *same && out == e;
    return out;
}

const sb_stmt *
sb_map_parts(sb_mapper *m, const sb_stmt *s)
{
    sb_stmt t = *s;
    sb_stmt *out;
    bool same = true;

    switch ((sb_stmt_kind)s->kind) {
    case SB_STMT_ITER:
        t.u.iter.init = map_inner(m, s->u.iter.init, &same);
        t.u.iter.body = map_inner(m, s->u.iter.body, &same);
        break;
    case SB_STMT_BLOCK:
        t.u.block.body = map_inner(m, s->u.block.body, &same);
        break;
    case SB_STMT_FOR:
        t.u.loop.lo = map_value(m, s->u.loop.lo, &same);
        t.u.loop.hi = map_value(m, s->u.loop.hi, &same);
        t.u.loop.body = map_inner(m, s->u.loop.body, &same);
        break;
    case SB_STMT_LET:
        t.u.let.value = map_value(m, s->u.let.value, &same);
        break;
    case SB_STMT_LOCAL:
        break;
    case SB_STMT_STORE:
        t.u.store.idx = map_index(m, s->u.store.n, s->u.store.idx, &same);
        t.u.store.value = map_value(m, s->u.store.value, &same);
        break;
    case SB_STMT_IF:
        t.u.cond.cond = map_value(m, s->u.cond.cond, &same);
        t.u.cond.then = map_inner(m, s->u.cond.then, &same);
        t.u.cond.els = map_inner(m, s->u.cond.els, &same);
        break;
    case SB_STMT_PREFETCH:
        t.u.prefetch.idx = map_index(m, s->u.prefetch.n, s->u.prefetch.idx, &same);
        break;
    }
    if (same)
        return s;
    out = sb_stmt_copy(m->ir, s);
    if (out)
        out->u = t.u;
    return out;
}

void
sb_map_stmt(sb_mapper *m, sb_list *out, const sb_stmt *s)
{
    if (m->stmt && m->stmt(m, out, s))
        return;
    sb_list_push(out, sb_map_parts(m, s));
}

sb_body
sb_map_body(sb_mapper *m, sb_body b)
{
    sb_list l;

    sb_list_init(&l, m->ir);
    for (int q = 0; q < b.n; q++)
        sb_map_stmt(m, &l, b.at[q]);
    return body_same(sb_list_body(&l), b) ? b : sb_list_body(&l);
}

int
sb_stmt_bodies(const sb_stmt *s, sb_body out[2])
{
    switch ((sb_stmt_kind)s->kind) {
    case SB_STMT_ITER:
        out[0] = s->u.iter.init;
        out[1] = s->u.iter.body;
        return 2;
    case SB_STMT_BLOCK:
        out[0] = s->u.block.body;
        return 1;
    case SB_STMT_FOR:
        out[0] = s->u.loop.body;
        return 1;
    case SB_STMT_IF:
        out[0] = s->u.cond.then;
        out[1] = s->u.cond.els;
        return 2;
    case SB_STMT_LET:
    case SB_STMT_LOCAL:
    case SB_STMT_STORE:
    case SB_STMT_PREFETCH:
        break;
    }
    return 0;
}

const sb_stmt *
sb_stmt_with(sb_ir *ir, const sb_stmt *s, const sb_body body[2])
{
    sb_stmt *t = sb_stmt_copy(ir, s);

    if (t && s->kind == SB_STMT_FOR) {
        t->u.loop.body = body[0];
    } else if (t && s->kind == SB_STMT_BLOCK) {
        t->u.block.body = body[0];
    } else if (t && s->kind == SB_STMT_IF) {
        t->u.cond.then = body[0];
        t->u.cond.els = body[1];
    } else if (t && s->kind == SB_STMT_ITER) {
        t->u.iter.init = body[0];
        t->u.iter.body = body[1];
    }
    return t;
}

void
sb_body_stmts(sb_body b, void (*fn)(void *user, const sb_stmt *s), void *user)
{
    for (int q = 0; q < b.n; q++) {
        sb_body in[2];
        const int n = sb_stmt_bodies(b.at[q], in);

        fn(user, b.at[q]);
        for (int r = 0; r < n; r++)
            sb_body_stmts(in[r], fn, user);
    }
}

typedef struct expr_visit {
    void (*fn)(void *user, const sb_expr *e);
    void *user;
} expr_visit;

static void
visit_exprs(void *user, const sb_stmt *s)
{
    const expr_visit *v = user;

    switch ((sb_stmt_kind)s->kind) {
    case SB_STMT_FOR:
        v->fn(v->user, s->u.loop.lo);
        v->fn(v->user, s->u.loop.hi);
        break;
    case SB_STMT_LET:
        v->fn(v->user, s->u.let.value);
        break;
    case SB_STMT_STORE:
        for (int q = 0; q < s->u.store.n; q++)
            v->fn(v->user, s->u.store.idx[q]);
        v->fn(v->user, s->u.store.value);
        break;
    case SB_STMT_IF:
        v->fn(v->user, s->u.cond.cond);
        break;
    case SB_STMT_PREFETCH:
        for (int q = 0; q < s->u.prefetch.n; q++)
            v->fn(v->user, s->u.prefetch.idx[q]);
        break;
    case SB_STMT_ITER:
    case SB_STMT_BLOCK:
    case SB_STMT_LOCAL:
        break;
    }
}

void
sb_body_exprs(sb_body b, void (*fn)(void *user, const sb_expr *e), void *user)
{
    expr_visit v = {fn, user};

    sb_body_stmts(b, visit_exprs, &v);
}

typedef struct var_query {
    const sb_var *v;
    bool found;
} var_query;

static void
ask_use(void *user, const sb_expr *e)
{
    var_query *q = user;

    q->found = q->found || sb_expr_uses(e, q->v);
}

bool
sb_body_uses(sb_body b, const sb_var *v)
{
    var_query q = {v, false};

    sb_body_exprs(b, ask_use, &q);
    return q.found;
}

typedef struct load_query {
    const sb_buf *b;
    bool found;
} load_query;

static void
ask_load(void *user, const sb_expr *e)
{
    load_query *q = user;

    q->found = q->found || sb_expr_loads(e, q->b);
}

bool
sb_body_loads(sb_body b, const sb_buf *buf)
{
    load_query q = {buf, false};

    sb_body_exprs(b, ask_load, &q);
    return q.found;
}

static void
ask_bind(void *user, const sb_stmt *s)
{
    var_query *q = user;

    q->found = q->found || (s->kind == SB_STMT_FOR && s->u.loop.var == q->v) ||
               (s->kind == SB_STMT_LET && s->u.let.var == q->v);
}

bool
sb_body_binds(sb_body b, const sb_var *v)
{
    var_query q = {v, false};

    sb_body_stmts(b, ask_bind, &q);
    return q.found;
}

/* ---- makers -------------------------------------------------------------------------- */

const sb_stmt *
sb_stmt_let(sb_ir *ir, const sb_var *v, const sb_expr *value)
{
    sb_stmt *s = v && value ? sb_stmt_new(ir, SB_STMT_LET) : NULL;

    if (s) {
        s->u.let.var = v;
        s->u.let.value = value;
    }
    return s;
}

const sb_stmt *
sb_stmt_if(sb_ir *ir, const sb_expr *cond, sb_body then)
{
    sb_stmt *s = cond ? sb_stmt_new(ir, SB_STMT_IF) : NULL;

    if (s) {
        s->u.cond.cond = cond;
        s->u.cond.then = then;
    }
    return s;
}

const sb_stmt *
sb_stmt_local(sb_ir *ir, const sb_buf *b)
{
    sb_stmt *s = b ? sb_stmt_new(ir, SB_STMT_LOCAL) : NULL;

    if (s)
        s->u.local.buf = b;
    return s;
}

const sb_stmt *
sb_stmt_store(sb_ir *ir, const sb_buf *b, const sb_expr *const *idx, sb_store_op op,
              const sb_expr *value)
{
    sb_stmt *s = b && value ? sb_stmt_new(ir, SB_STMT_STORE) : NULL;
    const sb_expr **own = s ? sb_arena_array(ir->arena, b->rank, sizeof *own) : NULL;

    if (!own) {
        ir->failed = ir->failed || s;
        return NULL;
    }
    memcpy(own, idx, b->rank * sizeof *own);
    s->u.store.buf = b;
    s->u.store.n = b->rank;
    s->u.store.idx = own;
    s->u.store.op = (uint8_t)op;
    s->u.store.value = value;
    return s;
}

sb_stmt *
sb_stmt_for(sb_ir *ir, const sb_var *v, const sb_expr *lo, const sb_expr *hi,
            bool reduce, sb_body body)
{
    sb_stmt *s = v && lo && hi ? sb_stmt_new(ir, SB_STMT_FOR) : NULL;

    if (s) {
        s->u.loop.var = v;
        s->u.loop.lo = lo;
        s->u.loop.hi = hi;
        s->u.loop.how = SB_LOOP_SERIAL;
        s->u.loop.reduce = reduce;
        s->u.loop.body = body;
    }
    return s;
}

sb_body
sb_body_one(sb_ir *ir, const sb_stmt *s)
{
    sb_list l;

    sb_list_init(&l, ir);
    sb_list_push(&l, s);
    return sb_list_body(&l);
}
