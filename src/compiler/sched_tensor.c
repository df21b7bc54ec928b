/*
 * tensorize %ii mma_4x4x4: a nest of loops that is what a named intrinsic does (tensor.h)
 * is marked as such. The loops stay, as the meaning.
 *
 *   for %ii in 0 .. 4 { for %c in 0 .. 4 { for %ji in 0 .. 4 reduce { .. } } }
 *   -> tensor mma_4x4x4 { for %ii in 0 .. 4 { ... } }
 */
#include "compiler/tensor.h"

#include "compiler/depend.h"
#include "compiler/schedule.h"

static void
tensorize(sb_sched *sc, sb_list *out, const sb_stmt *s)
{
    sb_stmt *t = sb_stmt_new(sc->ir, SB_STMT_BLOCK);
    const char *why = NULL;

    if (!t)
        return;
    t->u.block.name = sc->name[1];
    t->u.block.tensor = true;
    t->u.block.body = sb_body_inline(sc->ir, sb_body_one(sc->ir, s));
    if (!sc->ir->failed && !sb_tensor_match(NULL, sc->name[1], t->u.block.body, &why))
        sb_sched_refuse(sc, "loop %%%s is not %s: %s", s->u.loop.var->name, sc->name[1],
                        why);
    sb_list_push(out, t);
}

sb_status
sb_sched_tensorize(const sb_prog **out, sb_sched *sc)
{
    return sb_sched_each_loop(out, sc, sc->name[0], tensorize);
}
