/*
 * tensorize %ii mma_4x4x4: a nest of loops that is what a named intrinsic does (tensor.h)
 * is marked as such. The loops stay, as the meaning.
 *
 *   for %ii in 0 .. 4 { for %c in 0 .. 4 { for %ji in 0 .. 4 reduce { .. } } }
 *   -> tensor mma_4x4x4 { for %ii in 0 .. 4 { ... } }
 *
 * Copies made by cache_read and cache_write have loops of the same names; those that are
 * no such nest stay as they are, but one must be.
 */
#include "compiler/tensor.h"

#include "compiler/depend.h"
#include "compiler/schedule.h"

static void
tensorize(sb_sched *sc, sb_list *out, const sb_stmt *s)
{
    const sb_body body = sb_body_inline(sc->ir, sb_body_one(sc->ir, s));
    sb_stmt *t = sb_stmt_new(sc->ir, SB_STMT_BLOCK);

    if (!t || sc->ir->failed)
        return;
    if (!sb_tensor_is(sc->name[1], body, &sc->why)) {
        sb_list_push(out, s);
        return;
    }
    sc->found = true;
    t->u.block.name = sc->name[1];
    t->u.block.tensor = true;
    t->u.block.body = body;
    sb_list_push(out, t);
}

sb_status
sb_sched_tensorize(const sb_prog **out, sb_sched *sc)
{
    const sb_status st = sb_sched_each_loop(out, sc, sc->name[0], tensorize);

    if (st != SB_OK || sc->found)
        return st;
    *out = NULL;
    return sb_sched_refuse(sc, "loop %%%s is not %s: %s", sc->name[0], sc->name[1],
                           sc->why);
}
