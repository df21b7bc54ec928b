/*
 * Dependence tests, declared in depend.h.
 */
#include "compiler/depend.h"

#include "compiler/address.h"
#include "compiler/affine.h"
#include "compiler/rewrite.h"

#include <stdlib.h>
#include <string.h>

static sb_body
inline_from(sb_ir *ir, sb_body b, int at)
{
    sb_list out;

    sb_list_init(&out, ir);
    for (; at < b.n; at++) {
        const sb_stmt *s = b.at[at];
        sb_body in[2], got[2];
        int n;

        if (s->kind == SB_STMT_LET) {
            const sb_body rest = {b.n - at - 1, b.at + at + 1};

            sb_list_append(
                &out,
                inline_from(ir, sb_body_subst(ir, rest, s->u.let.var, s->u.let.value),
                            0));
            break;
        }
        n = sb_stmt_bodies(s, in);
        if (n == 0 || s->kind == SB_STMT_ITER) {
            sb_list_push(&out, s);
            continue;
        }
        for (int q = 0; q < n; q++)
            got[q] = inline_from(ir, in[q], 0);
        sb_list_push(&out, sb_stmt_with(ir, s, got));
    }
    return sb_list_body(&out);
}

sb_body
sb_body_inline(sb_ir *ir, sb_body b)
{
    return inline_from(ir, b, 0);
}

/* ---- accesses ---------------------------------------------------------------------------- */

/* Loops open around an access, inside the loop asked about. */
typedef struct scope {
    const sb_stmt *loop;
    const struct scope *up;
} scope;

/* How one index varies: step * key + [lo, hi] + rest. */
typedef struct form {
    int64_t step;
    const sb_expr *key; /* the atom that carries the loop variable */
    int64_t lo, hi;     /* of the part made by inner loops */
    sb_affine rest;
} form;

typedef struct question {
    sb_ir *ir;
    const sb_prog *prog;
    const sb_var *v;
    const sb_buf *buf;
    bool
        alive[SB_MAXRANK + 1]; /* dimension may still separate; the last is all, flat */
    form want[SB_MAXRANK + 1];
    bool first;
    bool stores;  /* stores are looked at first, they set what is wanted; then loads */
    int64_t trip; /* bound of v's trip count, SB_NO_BOUND without */
} question;

/* crd of a unique axis under a single parent position, at an index that v alone moves. */
static bool
is_unique_coord(const question *qn, const sb_expr *atom)
{
    sb_affine a;
    bool clean;

    while (atom->kind == SB_EXPR_CAST)
        atom = atom->arg[0];
    if (atom->kind != SB_EXPR_LOAD || atom->nargs != 1 ||
        !sb_affine_of(&a, atom->arg[0]) || sb_affine_coef(&a, qn->v, &clean) == 0 ||
        !clean)
        return false;
    for (int q = 0; q < qn->prog->naxis; q++) {
        const sb_axis *x = qn->prog->axis[q];

        if (x->crd == atom->u.buf && x->unique &&
            (!x->parent ||
             (!x->parent->parent && sb_expr_is_int(x->parent->length, 1))))
            return true;
    }
    return false;
}

static const sb_stmt *
inner_loop(const scope *sc, const sb_var *v)
{
    while (sc && sc->loop->u.loop.var != v)
        sc = sc->up;
    return sc ? sc->loop : NULL;
}

static bool
uses_scope(const scope *sc, const sb_expr *e)
{
    for (; sc; sc = sc->up) {
        if (sb_expr_uses(e, sc->loop->u.loop.var))
            return true;
    }
    return false;
}

/* Adds an inner loop's share of the index to the form's range. */
static bool
add_range(form *f, const sb_stmt *loop, int64_t coef)
{
    const int64_t top = sb_expr_upper(loop->u.loop.hi);
    int64_t a, b;

    if (loop->u.loop.lo->kind != SB_EXPR_INT || top == SB_NO_BOUND ||
        __builtin_mul_overflow(coef, loop->u.loop.lo->u.i, &a) ||
        __builtin_mul_overflow(coef, top - 1, &b))
        return false;
    f->lo += a < b ? a : b;
    f->hi += a < b ? b : a;
    return llabs(f->lo) < INT32_MAX && llabs(f->hi) < INT32_MAX;
}

static bool
form_of(form *f, const question *qn, const scope *sc, const sb_expr *e)
{
    sb_affine a;

    memset(f, 0, sizeof *f);
    if (!sb_affine_of(&a, e))
        return false;
    f->rest.c = a.c;
    for (int q = 0; q < a.n; q++) {
        const sb_expr *t = a.at[q].atom;
        const sb_stmt *inner = t->kind == SB_EXPR_VAR ? inner_loop(sc, t->u.var) : NULL;

        if (sb_expr_uses(t, qn->v)) {
            if (f->key || (t->kind != SB_EXPR_VAR && !is_unique_coord(qn, t)))
                return false;
            f->key = t;
            f->step = a.at[q].coef;
        } else if (inner) {
            if (!add_range(f, inner, a.at[q].coef))
                return false;
        } else if (uses_scope(sc, t)) {
            return false;
        } else {
            f->rest.at[f->rest.n++] = a.at[q];
        }
    }
    return f->key != NULL;
}

/* Is g, with the key and step of w, at the same place, or (loads) so far from it that no
 * iteration reaches it? */
static bool
compatible(const question *qn, const form *w, const form *g)
{
    sb_affine d = w->rest;
    int64_t reach;

    if (!sb_affine_add(&d, &g->rest, -1) || d.n != 0)
        return false;
    if (d.c == 0)
        return true;
    return !qn->stores && qn->trip != SB_NO_BOUND && d.c != INT64_MIN &&
           !__builtin_mul_overflow(llabs(w->step), qn->trip, &reach) &&
           llabs(d.c) >= reach && w->lo == w->hi && g->lo == g->hi;
}

/* Where the trees of axes lie one element apart, though their rows vary in length:
 * positions of a fused loop. NULL for buffers in which that says nothing more. */
static const sb_expr *
flat_of(const question *qn, const sb_expr *const *idx)
{
    const sb_buf *b = qn->buf;
    const sb_expr *e = NULL;

    if (b->rank > 1 && b->axis[0] && !b->stride[0] && !sb_buf_val(b))
        e = sb_buf_offset(qn->ir, b, idx);
    return e ? sb_expr_simplify(qn->ir, e) : NULL;
}

/* One access narrows down the dimensions that separate the iterations. */
static void
see_access(question *qn, const scope *sc, const sb_expr *const *idx)
{
    for (int d = 0; d <= qn->buf->rank; d++) {
        form f, *w = &qn->want[d];

        if (!qn->alive[d])
            continue;
        if (!form_of(&f, qn, sc, d < qn->buf->rank ? idx[d] : flat_of(qn, idx))) {
            qn->alive[d] = false;
        } else if (qn->first) {
            *w = f;
        } else {
            qn->alive[d] =
                w->key == f.key && w->step == f.step && compatible(qn, w, &f);
            w->lo = f.lo < w->lo ? f.lo : w->lo;
            w->hi = f.hi > w->hi ? f.hi : w->hi;
        }
        if (w->hi - w->lo >= llabs(w->step))
            qn->alive[d] = false;
    }
    qn->first = false;
}

static void
see_loads(question *qn, const scope *sc, const sb_expr *e)
{
    if (e->kind == SB_EXPR_LOAD && e->u.buf == qn->buf && !qn->stores)
        see_access(qn, sc, e->arg);
    for (int q = 0; q < e->nargs; q++)
        see_loads(qn, sc, e->arg[q]);
}

static void
see_body(question *qn, const scope *sc, sb_body b)
{
    for (int q = 0; q < b.n; q++) {
        const sb_stmt *s = b.at[q];
        scope inner = {s, sc};
        sb_body in[2];
        const int n = sb_stmt_bodies(s, in);

        if (s->kind == SB_STMT_FOR) {
            see_loads(qn, sc, s->u.loop.lo);
            see_loads(qn, sc, s->u.loop.hi);
        } else if (s->kind == SB_STMT_IF) {
            see_loads(qn, sc, s->u.cond.cond);
        } else if (s->kind == SB_STMT_STORE) {
            for (int d = 0; d < s->u.store.n; d++)
                see_loads(qn, sc, s->u.store.idx[d]);
            see_loads(qn, sc, s->u.store.value);
            if (s->u.store.buf == qn->buf && qn->stores)
                see_access(qn, sc, s->u.store.idx);
        }
        for (int r = 0; r < n; r++)
            see_body(qn, s->kind == SB_STMT_FOR ? &inner : sc, in[r]);
    }
}

/* ---- stored buffers ------------------------------------------------------------------------ */

typedef struct stored {
    int n;
    const sb_buf *buf[16];
    uint8_t op[16];
    bool mixed[16], plain[16]; /* several kinds of updates; some not atomic */
    int nlocal;
    const sb_buf *local[16];
    bool full;
} stored;

static void
note_store(void *user, const sb_stmt *s)
{
    stored *st = user;
    int q = 0;

    if (s->kind == SB_STMT_LOCAL) {
        if (st->nlocal < 16)
            st->local[st->nlocal++] = s->u.local.buf;
        return;
    }
    if (s->kind != SB_STMT_STORE)
        return;
    while (q < st->n && st->buf[q] != s->u.store.buf)
        q++;
    if (q == 16) {
        st->full = true;
    } else if (q == st->n) {
        st->buf[st->n] = s->u.store.buf;
        st->plain[st->n] = !s->u.store.atomic;
        st->op[st->n++] = s->u.store.op;
    } else {
        st->mixed[q] = st->mixed[q] || st->op[q] != s->u.store.op;
        st->plain[q] = st->plain[q] || !s->u.store.atomic;
    }
}

static bool
is_private(const stored *st, const sb_buf *b)
{
    for (int q = 0; q < st->nlocal; q++) {
        if (st->local[q] == b)
            return true;
    }
    return false;
}

bool
sb_loop_distinct(sb_ir *ir, const sb_prog *p, const sb_stmt *loop, const sb_buf **bad)
{
    const sb_body b = sb_body_inline(ir, loop->u.loop.body);
    const sb_expr *extent =
        sb_expr_simplify(ir, sb_expr_sub(ir, loop->u.loop.hi, loop->u.loop.lo));
    stored st = {0};

    *bad = NULL;
    if (!extent)
        return false;
    sb_body_stmts(b, note_store, &st);
    for (int q = 0; q < st.n; q++) {
        question qn = {.ir = ir, .prog = p, .v = loop->u.loop.var, .buf = st.buf[q]};
        bool any = false;

        if (is_private(&st, st.buf[q]) ||
            (!st.plain[q] && !st.mixed[q] && !sb_body_loads(b, st.buf[q])))
            continue;
        memset(qn.alive, true, sizeof qn.alive);
        qn.trip = sb_expr_upper(extent);
        qn.first = qn.stores = true;
        see_body(&qn, NULL, b);
        qn.stores = false;
        see_body(&qn, NULL, b);
        for (int d = 0; d <= st.buf[q]->rank; d++)
            any = any || qn.alive[d];
        if (!any) {
            *bad = st.buf[q];
            return false;
        }
    }
    return !st.full;
}

bool
sb_body_only_updates(sb_body b)
{
    stored st = {0};

    sb_body_stmts(b, note_store, &st);
    for (int q = 0; q < st.n; q++) {
        if (st.op[q] == SB_STORE_SET || st.mixed[q] || sb_body_loads(b, st.buf[q]))
            return false;
    }
    return !st.full;
}
