/*
 * What makes a parsed format storable: the rules that no grammar can say.
 */
#include "formats/fmt_expr.h"
#include "formats/fmt_text.h"

#include <string.h>

static bool
is_copied(const sb_fmt *f, int q)
{
    return f->merge >> q == 0 && q < f->trim_hi;
}

static sb_status
check_clauses(sb_fmt_parser *ps, const sb_fmt_places *at)
{
    const sb_fmt *f = ps->f;

    /* As many copies of a node as it has children cannot be a range. */
    if (f->trim_lo > 0 && f->merge >> (f->trim_lo - 1) == 0)
        return sb_fmt_fail(ps, SB_EINVAL, at->trim,
                           "level %d is neither trimmed nor merged, but level %d below "
                           "is trimmed: say merge(%d) or trim(0, %d)",
                           f->trim_lo - 1, f->trim_lo, f->trim_lo - 1, f->trim_hi);
    for (int q = 0; q < f->nlevel; q++) {
        if (f->fill >> q & 1 && (q < f->trim_lo || q > f->trim_hi || is_copied(f, q) ||
                                 sb_fmt_expr_indirect(f->level[q])))
            return sb_fmt_fail(ps, SB_EINVAL, at->fill,
                               "level %d cannot be filled: only a trimmed, merged or "
                               "last trimmed level without indirect function has gaps",
                               q);
    }
    if (f->partition >= 0 && is_copied(f, f->partition))
        return sb_fmt_fail(ps, SB_EINVAL, at->partition,
                           "level %d has a node for each element: merge it to have "
                           "partitions",
                           f->partition);
    return SB_OK;
}

/* The arguments a call must have: the unit its function answers for. */
static sb_status
check_call(sb_fmt_parser *ps, const sb_fmt_expr *e)
{
    const sb_fmt_query *answer = sb_fmt_answer(ps->f, e);
    const sb_fmt_expr subject = {.op = SB_FMT_DIM, .value = answer->dim};
    sb_fmt_map want = answer->op == SB_FMT_SUM ? answer->group : answer->traverse;
    sb_fmt_map args = {.n = e->narg};

    memcpy(args.e, e->arg, (size_t)e->narg * sizeof args.e[0]);
    if (answer->dim >= 0)
        want = (sb_fmt_map){.n = 1, .e = {&subject}};
    if (want.n == 0 || sb_fmt_map_equal(&want, &args))
        return SB_OK;
    return sb_fmt_fail(ps, SB_EINVAL, ps->fn_at[e->value],
                       "the arguments of @%s are what its last step answers for: %s",
                       ps->fn_name[e->value],
                       answer->op == SB_FMT_SUM    ? "what it groups by"
                       : answer->op == SB_FMT_ENUM ? "what it traverses by"
                                                   : "its dimension");
}

static sb_status
check_calls(sb_fmt_parser *ps, const sb_fmt_expr *e)
{
    if (e->op == SB_FMT_INDIRECT)
        return check_call(ps, e);
    if (!e->a)
        return SB_OK;
    SB_TRY(check_calls(ps, e->a));
    return check_calls(ps, e->b);
}

sb_status
sb_fmt_check(sb_fmt_parser *ps, const sb_fmt_places *at)
{
    const sb_fmt_expr *inverse[SB_FMT_DIMS];
    const sb_arena_pos pos = sb_arena_mark(ps->ar);
    sb_diag why = {0};
    sb_status st;

    SB_TRY(check_clauses(ps, at));
    for (int q = 0; q < ps->f->nlevel; q++)
        SB_TRY(check_calls(ps, ps->f->level[q]));
    st = sb_fmt_inverse(inverse, ps->ar, ps->f, &why);
    sb_arena_reset(ps->ar, pos);
    if (st == SB_EINVAL)
        return sb_fmt_fail(ps, st, at->map, "%s", why.text);
    return st;
}
