/*
 * ahead %p -> %q: what fills the staged arrays of an iteration of %p is copied while the
 * iteration before it uses a second set of them. Iterations go in pairs:
 *
 *   for %p in lo .. hi { local $a shared   FILL($a, %p)   USE($a, %p) }
 *   -> if lo < hi {
 *        local $a shared   local $a_next shared
 *        FILL($a, lo)
 *        for %q in 0 .. (hi - lo + 1) / 2 {
 *          let %p = lo + %q * 2
 *          if %p + 1 < hi { FILL($a_next, %p + 1) }
 *          USE($a, %p)
 *          if %p + 1 < hi {
 *            if %p + 2 < hi { FILL($a, %p + 2) }
 *            USE($a_next, %p + 1)
 *          }
 *        }
 *      }
 *
 * The two sets are arrays of their own, so where lanes wait follows as for any arrays
 * (emit_simt_shared.c): once an iteration, before the copies of the next are begun. Loops
 * whose copies vary in length, the remainders of `split .. tail`, stay as they are.
 */
#include "base/fault.h"
#include "compiler/affine.h"
#include "compiler/mark.h"
#include "compiler/schedule.h"

#include <stdio.h>

enum { ARRAYS_MAX = 4 };

typedef struct ahead {
    sb_sched *sc;
    const sb_var *p;
    int n; /* arrays staged */
    const sb_buf *now[ARRAYS_MAX], *next[ARRAYS_MAX];
    const sb_stmt *fill[ARRAYS_MAX];
    sb_body use; /* what follows */
} ahead;

/* "local $a shared" and the vector loop behind it that fills all of it. */
static bool
staged(const sb_stmt *local, const sb_stmt *fill)
{
    const sb_body b = fill->kind == SB_STMT_FOR ? fill->u.loop.body : (sb_body){0};

    return local->kind == SB_STMT_LOCAL && local->u.local.buf->shared && b.n == 1 &&
           fill->u.loop.how == SB_LOOP_VECTOR && fill->u.loop.hi->kind == SB_EXPR_INT &&
           b.at[0]->kind == SB_STMT_STORE && b.at[0]->u.store.buf == local->u.local.buf;
}

static bool
take_apart(ahead *a, sb_body b)
{
    int q = 0;

    for (; q + 1 < b.n && a->n < ARRAYS_MAX && staged(b.at[q], b.at[q + 1]); q += 2) {
        a->now[a->n] = b.at[q]->u.local.buf;
        a->fill[a->n++] = b.at[q + 1];
    }
    a->use = (sb_body){.n = b.n - q, .at = b.at + q};
    return a->n > 0;
}

static void
add_next(ahead *a)
{
    for (int q = 0; q < a->n && a->sc->st == SB_OK; q++) {
        const sb_buf *b = a->now[q];
        const int64_t extent = b->extent[0]->u.i;
        char name[64];
        sb_buf *made;

        (void)snprintf(name, sizeof name, "%.50s_next", b->name);
        if (sb_sched_taken(a->sc, name))
            sb_sched_refuse(a->sc, "the name $%s is in use", name);
        made = (sb_buf *)sb_sched_local(a->sc, name, b->type, 1, &extent);
        if (made)
            made->shared = true;
        a->next[q] = made;
    }
}

/* All copies of iteration `at`, to these arrays. */
static void
put_fills(const ahead *a, sb_list *out, const sb_buf *const *to, const sb_expr *at)
{
    sb_ir *ir = a->sc->ir;

    for (int q = 0; q < a->n; q++) {
        const sb_stmt *was = a->fill[q]->u.loop.body.at[0];
        sb_stmt *loop = sb_stmt_copy(ir, a->fill[q]);

        if (!loop)
            return;
        loop->u.loop.body = sb_body_replace(
            ir,
            sb_body_one(ir, sb_stmt_store(ir, to[q], was->u.store.idx, SB_STORE_SET,
                                          was->u.store.value)),
            a->p, at);
        sb_list_push(out, loop);
    }
}

static const sb_expr *
redirect(sb_mapper *m, const sb_expr *e)
{
    const ahead *a = m->user;

    for (int q = 0; q < a->n && e->kind == SB_EXPR_LOAD; q++)
        if (e->u.buf == a->now[q])
            return sb_expr_load(m->ir, a->next[q], 1, e->arg);
    return e;
}

/* if at < hi { BODY } */
static const sb_stmt *
if_there(sb_ir *ir, const sb_expr *at, const sb_expr *hi, const sb_list *body)
{
    return sb_stmt_if(ir, sb_expr_bin(ir, SB_EXPR_LT, at, hi), sb_list_body(body));
}

/* The body of %q. */
static sb_body
pair(const ahead *a, const sb_stmt *loop)
{
    sb_ir *ir = a->sc->ir;
    const sb_expr *p = sb_expr_var(ir, a->p), *hi = loop->u.loop.hi;
    const sb_expr *p1 = sb_expr_add(ir, p, sb_expr_int(ir, 1));
    const sb_expr *p2 = sb_expr_add(ir, p, sb_expr_int(ir, 2));
    const sb_expr *twice =
        sb_expr_mul(ir, sb_expr_var(ir, a->sc->var[0]), sb_expr_int(ir, 2));
    sb_mapper m = {ir, (void *)(uintptr_t)a, redirect, NULL};
    sb_list out, first, second, fills;

    sb_list_init(&out, ir);
    sb_list_init(&first, ir);
    sb_list_init(&second, ir);
    sb_list_init(&fills, ir);
    sb_list_push(&out, sb_stmt_let(ir, a->p,
                                   sb_expr_simplify(
                                       ir, sb_expr_add(ir, loop->u.loop.lo, twice))));
    put_fills(a, &first, a->next, SB_FAULT(GPU_AHEAD) ? p : p1);
    sb_list_push(&out, if_there(ir, p1, hi, &first));
    sb_list_append(&out, a->use);
    put_fills(a, &fills, a->now, p2);
    sb_list_push(&second, if_there(ir, p2, hi, &fills));
    sb_list_append(&second, sb_body_replace(ir, sb_map_body(&m, a->use), a->p, p1));
    sb_list_push(&out, if_there(ir, p1, hi, &second));
    return sb_list_body(&out);
}

static void
ahead_loop(sb_sched *sc, sb_list *out, const sb_stmt *loop)
{
    ahead a = {.sc = sc, .p = loop->u.loop.var};
    sb_ir *ir = sc->ir;
    const sb_expr *n = sb_loop_extent(ir, loop);
    sb_list l;

    if (!take_apart(&a, loop->u.loop.body)) {
        sb_list_push(out, loop);
        return;
    }
    sc->found = true;
    if (sb_loop_marked(loop))
        sb_sched_refuse(sc, "%%%s is marked already", a.p->name);
    add_next(&a);
    if (sc->st != SB_OK)
        return;
    sb_list_init(&l, ir);
    for (int q = 0; q < a.n; q++) {
        sb_list_push(&l, sb_stmt_local(ir, a.now[q]));
        sb_list_push(&l, sb_stmt_local(ir, a.next[q]));
    }
    put_fills(&a, &l, a.now, loop->u.loop.lo);
    n = sb_expr_bin(ir, SB_EXPR_DIV, sb_expr_add(ir, n, sb_expr_int(ir, 1)),
                    sb_expr_int(ir, 2));
    sb_list_push(&l, sb_stmt_for(ir, sc->var[0], sb_expr_int(ir, 0),
                                 sb_expr_simplify(ir, n), loop->u.loop.reduce,
                                 pair(&a, loop)));
    sb_list_push(out, if_there(ir, loop->u.loop.lo, loop->u.loop.hi, &l));
}

sb_status
sb_sched_ahead(const sb_prog **out, sb_sched *sc)
{
    sb_status st;

    sc->var[0] = sb_sched_new_var(sc, sc->name[1]);
    if (!sc->var[0])
        return sc->st != SB_OK ? sc->st : sb_ir_status(sc->ir);
    st = sb_sched_each_loop(out, sc, sc->name[0], ahead_loop);
    if (st == SB_OK && !sc->found)
        return sb_sched_refuse(
            sc, "no loop %%%s begins with staged copies of a constant length",
            sc->name[0]);
    return st;
}
