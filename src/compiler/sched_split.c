/*
 * split: one loop into two; fuse: two loops into one.
 *
 *   split %c 32 -> %c0 %c1 tail
 *   for %c in 0 .. %n { $C[%c] = 0.0 }
 *   -> for %c0 in 0 .. %n / 32 { for %c1 in 0 .. 32 { $C[%c0 * 32 + %c1] = 0.0 } }
 *      for %c0 in %n / 32 .. (%n + 31) / 32 { for %c1 in 0 .. %n mod 32 { ... } }
 */
#include "base/fault.h"
#include "compiler/affine.h"
#include "compiler/mark.h"
#include "compiler/schedule.h"

#include <string.h>

enum { FACTOR_MAX = 4096 };

/* for v0 in lo .. hi { for v1 in 0 .. inner { body at start + v0 * f + v1 } } */
static const sb_stmt *
two_loops(sb_sched *sc, const sb_stmt *s, const sb_expr *lo, const sb_expr *hi,
          const sb_expr *inner)
{
    sb_ir *ir = sc->ir;
    const bool reduce = s->u.loop.reduce;
    const sb_expr *at =
        sb_expr_mul(ir, sb_expr_var(ir, sc->var[0]), sb_expr_int(ir, sc->number));
    sb_body b;

    at = sb_expr_add(ir, at, sb_expr_var(ir, sc->var[1]));
    at = sb_expr_simplify(ir, sb_expr_add(ir, s->u.loop.lo, at));
    b = sb_body_replace(ir, s->u.loop.body, s->u.loop.var, at);
    b = sb_body_one(ir,
                    sb_stmt_for(ir, sc->var[1], sb_expr_int(ir, 0), inner, reduce, b));
    return sb_stmt_for(ir, sc->var[0], lo, hi, reduce, b);
}

static void
split_loop(sb_sched *sc, sb_list *out, const sb_stmt *s)
{
    sb_ir *ir = sc->ir;
    const sb_expr *f = sb_expr_int(ir, sc->number), *zero = sb_expr_int(ir, 0);
    const sb_expr *e = sb_loop_extent(ir, s), *all, *up, *rest;

    if (!e)
        return;
    if (sb_loop_marked(s)) {
        sb_sched_refuse(sc, "loop %%%s is marked already", s->u.loop.var->name);
        return;
    }
    all = sb_expr_simplify(ir, sb_expr_bin(ir, SB_EXPR_DIV, e, f));
    up = sb_expr_simplify(
        ir, sb_expr_bin(ir, SB_EXPR_DIV,
                        sb_expr_add(ir, e, sb_expr_int(ir, sc->number - 1)), f));
    rest = sb_expr_simplify(ir, sb_expr_bin(ir, SB_EXPR_MOD, e, f));
    if (sb_expr_is_int(rest, 0)) {
        sb_list_push(out, two_loops(sc, s, zero, all, f));
    } else if (sc->option) {
        sb_list_push(out, two_loops(sc, s, zero, all, f));
        if (!SB_FAULT(SPLIT_NO_TAIL))
            sb_list_push(out, two_loops(sc, s, all, up, rest));
    } else {
        const sb_expr *done = sb_expr_mul(ir, sb_expr_var(ir, sc->var[0]), f);

        rest = sb_expr_simplify(ir, sb_expr_sub(ir, e, done));
        sb_list_push(out,
                     two_loops(sc, s, zero, up, sb_expr_bin(ir, SB_EXPR_MIN, f, rest)));
    }
}

sb_status
sb_sched_split(const sb_prog **out, sb_sched *sc)
{
    if (sc->number < 1 || sc->number > FACTOR_MAX)
        return sb_sched_refuse(sc, "the factor must be 1 to %d", FACTOR_MAX);
    sc->var[0] = sb_sched_new_var(sc, sc->name[1]);
    sc->var[1] = sb_sched_new_var(sc, sc->name[2]);
    if (sc->st != SB_OK || sb_ir_status(sc->ir) != SB_OK)
        return sc->st != SB_OK ? sc->st : sb_ir_status(sc->ir);
    return sb_sched_each_loop(out, sc, sc->name[0], split_loop);
}

static const sb_expr *
from_lo(sb_ir *ir, const sb_stmt *loop, sb_expr_kind k, const sb_expr *f,
        const sb_expr *d)
{
    return sb_expr_simplify(ir,
                            sb_expr_add(ir, loop->u.loop.lo, sb_expr_bin(ir, k, f, d)));
}

static void
fuse_loops(sb_sched *sc, sb_list *out, const sb_stmt *a)
{
    sb_ir *ir = sc->ir;
    const sb_stmt *b = a->u.loop.body.n == 1 ? a->u.loop.body.at[0] : NULL;
    const sb_expr *f, *eb, *extent;
    sb_list l;

    if (!b || b->kind != SB_STMT_FOR || strcmp(b->u.loop.var->name, sc->name[1]) != 0) {
        sb_sched_refuse(sc, "loop %%%s is not alone and directly inside %%%s",
                        sc->name[1], sc->name[0]);
        return;
    }
    if (sb_expr_uses(b->u.loop.lo, a->u.loop.var) ||
        sb_expr_uses(b->u.loop.hi, a->u.loop.var)) {
        sb_sched_refuse(sc, "the bounds of %%%s use %%%s", sc->name[1], sc->name[0]);
        return;
    }
    if (sb_loop_marked(a) || sb_loop_marked(b))
        sb_sched_refuse(sc, "a loop is marked already");
    f = sb_expr_var(ir, sc->var[0]);
    eb = sb_loop_extent(ir, b);
    extent = sb_expr_mul(ir, sb_loop_extent(ir, a), eb);
    sb_list_init(&l, ir);
    sb_list_push(&l,
                 sb_stmt_let(ir, a->u.loop.var, from_lo(ir, a, SB_EXPR_DIV, f, eb)));
    sb_list_push(&l,
                 sb_stmt_let(ir, b->u.loop.var, from_lo(ir, b, SB_EXPR_MOD, f, eb)));
    sb_list_append(&l, b->u.loop.body);
    sb_list_push(out,
                 sb_stmt_for(ir, sc->var[0], sb_expr_int(ir, 0), extent,
                             a->u.loop.reduce || b->u.loop.reduce, sb_list_body(&l)));
}

sb_status
sb_sched_fuse(const sb_prog **out, sb_sched *sc)
{
    sc->var[0] = sb_sched_new_var(sc, sc->name[2]);
    if (!sc->var[0])
        return sc->st != SB_OK ? sc->st : sb_ir_status(sc->ir);
    return sb_sched_each_loop(out, sc, sc->name[0], fuse_loops);
}
