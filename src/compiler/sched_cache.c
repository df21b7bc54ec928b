/*
 * cache_write $C at %c0 as $acc: inside loop %c0 the results live in a local array; the
 * array is cleared first and written to $C last, once per element.
 *
 *   for %c0 { for %c1 { $C[..] = init; for %p { $C[..] += %alpha * $A[%p] * $B[..] } } }
 *   -> for %c0 { local $acc : f32[32]
 *        for %c1 { $acc[%c1] = 0.0 }
 *        for %c1 { for %p { $acc[%c1] += $A[%p] * $B[..] } }
 *        for %c1 { $C[..] = %alpha * $acc[%c1] + init } }
 *
 * Why it is the same: all accesses to $C in the body have one index vector, whose inner
 * loops have the same bounds everywhere, so clearing and writing back visit exactly the
 * elements that were touched; init comes before any sum and reads only its element.
 */
#include "compiler/affine.h"
#include "compiler/schedule.h"

#include <string.h>

enum { ELEMENTS_MAX = 16384 };

typedef struct cache {
    sb_sched *sc;
    const sb_buf *buf;         /* C */
    const sb_expr *const *idx; /* the one index vector; NULL before the first access */
    const sb_stmt *loop[SB_MAXRANK]; /* inner loops that occur in idx */
    int nloop;
    const sb_stmt *init; /* the plain store, NULL without */
    bool atomic;         /* sums are atomic, so is the write-back */
    int nsum;
    sb_dtype type;            /* of the accumulator */
    const sb_expr *factor[8]; /* shared by all sums */
    int nfactor;
    const sb_buf *acc;
    const sb_expr *at[SB_MAXRANK]; /* index into acc */
} cache;

/* The value that is accumulated: below the cast to C's storage type. */
static const sb_expr *
uncast(const cache *c, const sb_expr *v)
{
    const bool storage =
        v->kind == SB_EXPR_CAST && v->type == c->buf->type &&
        sb_dtype_size((sb_dtype)v->arg[0]->type) > sb_dtype_size(c->buf->type);

    return storage ? v->arg[0] : v;
}

/* ---- looking --------------------------------------------------------------------------------- */

/* Loops and lets between the cached loop and the statement looked at. */
typedef struct scope {
    const sb_stmt *s;
    bool top; /* a let directly in the cached loop's body: seen to its end */
    const struct scope *up;
} scope;

static bool
bound_in(const scope *sc, const sb_expr *e, bool also_top)
{
    for (; sc; sc = sc->up) {
        const sb_var *v = sc->s->kind == SB_STMT_FOR   ? sc->s->u.loop.var
                          : sc->s->kind == SB_STMT_LET ? sc->s->u.let.var
                                                       : NULL;

        if (v && (also_top || !sc->top) && sb_expr_uses(e, v))
            return true;
    }
    return false;
}

static void
note_loop(cache *c, const sb_stmt *loop)
{
    for (int q = 0; q < c->nloop; q++) {
        if (c->loop[q]->u.loop.var != loop->u.loop.var)
            continue;
        if (c->loop[q]->u.loop.lo != loop->u.loop.lo ||
            c->loop[q]->u.loop.hi != loop->u.loop.hi)
            sb_sched_refuse(c->sc, "loops %%%s have different bounds",
                            loop->u.loop.var->name);
        return;
    }
    if (c->nloop == SB_MAXRANK)
        sb_sched_refuse(c->sc, "too many loops in the indices of $%s", c->buf->name);
    else
        c->loop[c->nloop++] = loop;
}

/* Every access to C: same indices, inner loops noted. */
static void
note_access(cache *c, const scope *sc, const sb_expr *const *idx)
{
    for (int d = 0; c->idx && d < c->buf->rank; d++) {
        if (c->idx[d] != idx[d])
            sb_sched_refuse(c->sc, "$%s is accessed with different indices",
                            c->buf->name);
    }
    c->idx = idx;
    for (; sc; sc = sc->up) {
        bool used = false;

        for (int d = 0; d < c->buf->rank; d++) {
            if (sc->s->kind == SB_STMT_FOR && sb_expr_uses(idx[d], sc->s->u.loop.var))
                used = true;
            if (sc->s->kind == SB_STMT_LET && !sc->top &&
                sb_expr_uses(idx[d], sc->s->u.let.var))
                sb_sched_refuse(c->sc, "an index of $%s depends on %%%s, bound inside",
                                c->buf->name, sc->s->u.let.var->name);
        }
        if (!used)
            continue;
        note_loop(c, sc->s);
        if (bound_in(sc->up, sc->s->u.loop.lo, true) ||
            bound_in(sc->up, sc->s->u.loop.hi, true))
            sb_sched_refuse(c->sc, "the bounds of %%%s depend on what is bound inside",
                            sc->s->u.loop.var->name);
    }
}

static void
note_factors(cache *c, const scope *sc, const sb_expr *v, const sb_expr **out, int *n)
{
    if (v->kind == SB_EXPR_MUL) {
        note_factors(c, sc, v->arg[0], out, n);
        note_factors(c, sc, v->arg[1], out, n);
    } else if (v->kind != SB_EXPR_INT && v->kind != SB_EXPR_FLOAT &&
               !sb_expr_loads(v, NULL) && !bound_in(sc, v, true) && *n < 8) {
        out[(*n)++] = v;
    }
}

static void
note_sum(cache *c, const scope *sc, const sb_stmt *s)
{
    const sb_expr *v = uncast(c, s->u.store.value), *mine[8];
    int n = 0, kept = 0;

    c->atomic = c->atomic || s->u.store.atomic;
    if (c->nsum && c->type != (sb_dtype)v->type)
        sb_sched_refuse(c->sc, "sums into $%s have different types", c->buf->name);
    c->type = (sb_dtype)v->type;
    note_factors(c, sc, v, mine, &n);
    if (c->nsum++ == 0) {
        memcpy(c->factor, mine, sizeof mine);
        c->nfactor = n;
        return;
    }
    for (int q = 0; q < c->nfactor; q++) {
        for (int r = 0; r < n; r++) {
            if (mine[r] != c->factor[q])
                continue;
            c->factor[kept++] = c->factor[q];
            mine[r] = NULL;
            break;
        }
    }
    c->nfactor = kept;
}

static bool
is_index_loop(const cache *c, const sb_var *v)
{
    for (int q = 0; q < c->nloop; q++) {
        if (c->loop[q]->u.loop.var == v)
            return true;
    }
    return false;
}

/* Which loops inside e depends on, through lets: those of C's indices, others. */
static void
depends_on(const cache *c, const scope *sc, const sb_expr *e, bool *index, bool *other)
{
    for (; sc; sc = sc->up) {
        if (sc->s->kind == SB_STMT_LET && sb_expr_uses(e, sc->s->u.let.var))
            depends_on(c, sc->up, sc->s->u.let.value, index, other);
        if (sc->s->kind != SB_STMT_FOR || !sb_expr_uses(e, sc->s->u.loop.var))
            continue;
        if (is_index_loop(c, sc->s->u.loop.var))
            *index = true;
        else
            *other = true;
    }
}

/* Every element is written back, so a condition may say which terms there are, as of a
 * reduction's empty slots, but not which elements. A start stores to all of them anyway. */
static void
check_conditions(cache *c, const scope *sc)
{
    for (; sc && !c->init; sc = sc->up) {
        bool index = false, other = false;

        if (sc->s->kind != SB_STMT_IF)
            continue;
        depends_on(c, sc->up, sc->s->u.cond.cond, &index, &other);
        if (index || !other)
            sb_sched_refuse(c->sc, "elements of $%s stand under a condition",
                            c->buf->name);
    }
}

static void
note_store(cache *c, const scope *sc, const sb_stmt *s)
{
    note_access(c, sc, s->u.store.idx);
    if (s->u.store.op == SB_STORE_ADD) {
        note_sum(c, sc, s);
        check_conditions(c, sc);
        return;
    }
    if (s->u.store.op != SB_STORE_SET)
        sb_sched_refuse(c->sc, "$%s takes min or max, not sums", c->buf->name);
    else if (c->init || c->nsum)
        sb_sched_refuse(c->sc, "$%s has more than one start, or one after a sum",
                        c->buf->name);
    c->init = s;
    for (; sc; sc = sc->up) {
        bool index = false;

        for (int q = 0; q < c->nloop; q++)
            index = index || c->loop[q]->u.loop.var == sc->s->u.loop.var;
        if (sc->s->kind == SB_STMT_IF || (sc->s->kind == SB_STMT_FOR && !index))
            sb_sched_refuse(c->sc,
                            "the start of $%s lies in a loop or if that its "
                            "indices do not name",
                            c->buf->name);
        if (sc->s->kind == SB_STMT_LET && !sc->top &&
            sb_expr_uses(s->u.store.value, sc->s->u.let.var))
            sb_sched_refuse(c->sc, "the start of $%s uses a let from inside",
                            c->buf->name);
    }
}

/* Loads of C are fine in init only, at the stored element. */
static void
note_loads(cache *c, const scope *sc, const sb_expr *e, bool init)
{
    if (e->kind == SB_EXPR_LOAD && e->u.buf == c->buf) {
        if (!init)
            sb_sched_refuse(c->sc, "$%s is read inside the loop", c->buf->name);
        note_access(c, sc, e->arg);
    }
    for (int q = 0; q < e->nargs; q++)
        note_loads(c, sc, e->arg[q], init);
}

static void
look(cache *c, const scope *sc, sb_body b, bool top)
{
    scope in[64];
    int n = 0;

    for (int q = 0; q < b.n; q++) {
        const sb_stmt *s = b.at[q];
        scope here = {s, top, sc};
        sb_body inner[2];
        const int bodies = sb_stmt_bodies(s, inner);
        const bool set = s->kind == SB_STMT_STORE && s->u.store.op == SB_STORE_SET;

        if (s->kind == SB_STMT_FOR) {
            note_loads(c, sc, s->u.loop.lo, false);
            note_loads(c, sc, s->u.loop.hi, false);
        } else if (s->kind == SB_STMT_IF) {
            note_loads(c, sc, s->u.cond.cond, false);
        } else if (s->kind == SB_STMT_LET) {
            note_loads(c, sc, s->u.let.value, false);
        } else if (s->kind == SB_STMT_STORE) {
            note_loads(c, sc, s->u.store.value, set && s->u.store.buf == c->buf);
            if (s->u.store.buf == c->buf)
                note_store(c, sc, s);
        }
        here.top = false;
        for (int r = 0; r < bodies; r++)
            look(c, &here, inner[r], false);
        if (s->kind == SB_STMT_LET) {
            if (n == 64) {
                sb_sched_refuse(c->sc, "too many lets in one body");
                return;
            }
            in[n].s = s;
            in[n].top = top;
            in[n].up = sc;
            sc = &in[n++];
        }
    }
}

/* ---- making ---------------------------------------------------------------------------------- */

/* The accumulator's shape and index: one dimension per dimension of C that inner loops
 * move, from the part of the index they make. */
static void
make_acc(cache *c)
{
    int64_t extent[SB_MAXRANK] = {1}, all = 1;
    sb_ir *ir = c->sc->ir;
    int rank = 0;

    for (int d = 0; d < c->buf->rank; d++) {
        sb_affine a, part = {0, 0, {{NULL, 0}}};
        bool clean = true;
        int64_t span = 1;

        if (!sb_affine_of(&a, c->idx[d]))
            a.n = 0, clean = false;
        for (int q = 0; q < c->nloop; q++) {
            const sb_stmt *l = c->loop[q];
            const int64_t bound = sb_extent_bound(sb_loop_extent(ir, l));
            const int64_t k = sb_affine_coef(&a, l->u.loop.var, &clean);

            if (!clean ||
                (k && (k < 0 || bound == SB_NO_BOUND || bound > ELEMENTS_MAX ||
                       k > ELEMENTS_MAX || !sb_expr_is_int(l->u.loop.lo, 0))))
                sb_sched_refuse(c->sc, "the span of loop %%%s in $%s is not a constant",
                                l->u.loop.var->name, c->buf->name);
            if (k <= 0 || c->sc->st != SB_OK)
                continue;
            part.at[part.n].atom = sb_expr_var(ir, l->u.loop.var);
            part.at[part.n++].coef = k;
            span += bound > 1 ? k * (bound - 1) : 0;
        }
        if (part.n == 0)
            continue;
        extent[rank] = span;
        c->at[rank++] = sb_affine_expr(ir, &part);
        all *= span <= ELEMENTS_MAX ? span : ELEMENTS_MAX;
        all = all <= ELEMENTS_MAX ? all : ELEMENTS_MAX + 1;
    }
    if (all > ELEMENTS_MAX)
        sb_sched_refuse(c->sc, "the copy of $%s would be too large", c->buf->name);
    if (rank == 0)
        c->at[rank++] = sb_expr_int(ir, 0);
    c->acc = sb_sched_local(c->sc, c->sc->name[2], c->type, rank, extent);
}

static sb_body
around(cache *c, const sb_stmt *inner)
{
    sb_body b = sb_body_one(c->sc->ir, inner);

    for (int q = 0; q < c->nloop; q++) {
        const sb_stmt *l = c->loop[q];

        b = sb_body_one(c->sc->ir, sb_stmt_for(c->sc->ir, l->u.loop.var, l->u.loop.lo,
                                               l->u.loop.hi, false, b));
    }
    return b;
}

/* v without the shared factors. */
static const sb_expr *
strip(const cache *c, const sb_expr *v, bool *gone)
{
    const sb_expr *a, *b;

    if (v->kind != SB_EXPR_MUL) {
        for (int q = 0; q < c->nfactor; q++) {
            if (v == c->factor[q] && !gone[q]) {
                gone[q] = true;
                return NULL;
            }
        }
        return v;
    }
    a = strip(c, v->arg[0], gone);
    b = strip(c, v->arg[1], gone);
    if (!a || !b)
        return a ? a : b;
    return a == v->arg[0] && b == v->arg[1] ? v
                                            : sb_expr_bin(c->sc->ir, SB_EXPR_MUL, a, b);
}

static const sb_expr *
one_of(sb_ir *ir, sb_dtype t)
{
    if (sb_dtype_is_int(t))
        return sb_expr_cast(ir, t, sb_expr_int(ir, 1));
    return sb_expr_float(ir, t, 1.0);
}

static const sb_expr *
zero_of(sb_ir *ir, sb_dtype t)
{
    if (sb_dtype_is_int(t))
        return sb_expr_cast(ir, t, sb_expr_int(ir, 0));
    return sb_expr_float(ir, t, 0.0);
}

static bool
redirect(sb_mapper *m, sb_list *out, const sb_stmt *s)
{
    cache *c = m->user;
    const sb_stmt *t;

    if (s->kind == SB_STMT_STORE && s->u.store.buf == c->buf) {
        bool gone[8] = {false};
        const sb_expr *v;

        if (s->u.store.op == SB_STORE_SET)
            return true;
        v = strip(c, uncast(c, s->u.store.value), gone);
        if (!v)
            v = one_of(m->ir, c->type);
        sb_list_push(out, sb_stmt_store(m->ir, c->acc, c->at, SB_STORE_ADD, v));
        return true;
    }
    if (s->kind != SB_STMT_FOR && s->kind != SB_STMT_IF)
        return false;
    t = sb_map_parts(m, s);
    if (t && t->kind == SB_STMT_FOR && t->u.loop.body.n == 0 && s->u.loop.body.n > 0)
        return true;
    sb_list_push(out, t);
    return true;
}

/* C[idx] = alpha * acc + init, or C[idx] += alpha * acc. */
static const sb_stmt *
write_back(cache *c)
{
    sb_ir *ir = c->sc->ir;
    const sb_dtype ct = c->buf->type;
    const sb_expr *v = sb_expr_load(ir, c->acc, c->acc->rank, c->at), *start;

    for (int q = c->nfactor - 1; q >= 0; q--)
        v = sb_expr_bin(ir, SB_EXPR_MUL, c->factor[q], v);
    if (!c->init && c->type == ct) {
        const sb_stmt *sum = sb_stmt_store(ir, c->buf, c->idx, SB_STORE_ADD, v);
        sb_stmt *s = sum ? sb_stmt_copy(ir, sum) : NULL;

        if (s)
            s->u.store.atomic = c->atomic;
        return s;
    }
    if (c->atomic)
        sb_sched_refuse(c->sc, "$%s is updated atomically, but here it is set",
                        c->buf->name);
    start = c->init ? uncast(c, c->init->u.store.value)
                    : sb_expr_load(ir, c->buf, c->buf->rank, c->idx);
    if (start && start->type != c->type)
        start = sb_expr_cast(ir, c->type, start);
    v = sb_expr_bin(ir, SB_EXPR_ADD, v, start);
    if (c->type != ct)
        v = sb_expr_cast(ir, ct, v);
    return sb_stmt_store(ir, c->buf, c->idx, SB_STORE_SET, v);
}

typedef struct start_query {
    const sb_buf *buf;
    bool found;
} start_query;

static void
ask_start(void *user, const sb_stmt *s)
{
    start_query *q = user;

    q->found = q->found || (s->kind == SB_STMT_STORE && s->u.store.buf == q->buf &&
                            s->u.store.op == SB_STORE_SET);
}

/* An if that all else in a body stands under, elements' starts too: for an empty slot
 * nothing is stored. */
static bool
all_under_if(const sb_stmt *s, int rest, const sb_buf *buf)
{
    start_query q = {buf, false};

    if (rest != 1 || s->kind != SB_STMT_IF || s->u.cond.els.n > 0)
        return false;
    sb_body_stmts(s->u.cond.then, ask_start, &q);
    return q.found;
}

static sb_body
cached(cache *c, sb_body b)
{
    sb_ir *ir = c->sc->ir;
    sb_mapper m = {ir, c, NULL, redirect};
    sb_list l;
    int q = 0;

    sb_list_init(&l, ir);
    for (; q < b.n && b.at[q]->kind == SB_STMT_LET; q++)
        sb_list_push(&l, b.at[q]);
    if (q < b.n && all_under_if(b.at[q], b.n - q, c->buf)) {
        sb_list_push(
            &l, sb_stmt_if(ir, b.at[q]->u.cond.cond, cached(c, b.at[q]->u.cond.then)));
        return sb_list_body(&l);
    }
    look(c, NULL, b, true);
    if (c->nsum == 0)
        sb_sched_refuse(c->sc, "nothing is summed into $%s inside %%%s", c->buf->name,
                        c->sc->name[1]);
    if (c->sc->st == SB_OK)
        make_acc(c);
    if (!c->acc || c->sc->st != SB_OK)
        return b;
    sb_list_push(&l, sb_stmt_local(ir, c->acc));
    sb_list_append(&l, around(c, sb_stmt_store(ir, c->acc, c->at, SB_STORE_SET,
                                               zero_of(ir, c->type))));
    for (; q < b.n; q++)
        sb_map_stmt(&m, &l, b.at[q]);
    sb_list_append(&l, around(c, write_back(c)));
    return sb_list_body(&l);
}

static void
cache_loop(sb_sched *sc, sb_list *out, const sb_stmt *s)
{
    cache c = {.sc = sc, .buf = sb_sched_find_buf(sc, sc->name[0])};
    sb_stmt *loop = sb_stmt_copy(sc->ir, s);

    if (!c.buf || !loop)
        return;
    loop->u.loop.body = cached(&c, s->u.loop.body);
    sb_list_push(out, loop);
}

sb_status
sb_sched_cache_write(const sb_prog **out, sb_sched *sc)
{
    if (sb_sched_taken(sc, sc->name[2]))
        return sb_sched_refuse(sc, "the name $%s is in use", sc->name[2]);
    return sb_sched_each_loop(out, sc, sc->name[1], cache_loop);
}
