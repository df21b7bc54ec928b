/*
 * What makes a parsed format storable: the rules that no grammar can say.
 */
#include "formats/fmt_expr.h"
#include "formats/fmt_solve.h"
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
        if (f->fill >> q & 1 && q > 0 && is_copied(f, q - 1))
            return sb_fmt_fail(ps, SB_EINVAL, at->fill,
                               "level %d has no gaps: merge level %d above it, which "
                               "has a node for each element",
                               q, q - 1);
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

/* Whether all of `m` is the same where all of `known` is. */
static bool
follows(const sb_fmt *f, const sb_fmt_map *m, const sb_fmt_map *known)
{
    sb_solve s;

    sb_solve_init(&s, f, NULL, false);
    for (int q = 0; q < known->n; q++)
        sb_solve_add(&s, known->e[q], NULL);
    sb_solve_run(&s);
    for (int q = 0; q < m->n; q++) {
        if (!sb_solve_knows(&s, m->e[q]))
            return false;
    }
    return true;
}

/* Reorder and schedule look at indices of their dimension and at nothing else. */
static sb_status
check_units(sb_fmt_parser *ps, int fn, int step)
{
    const sb_fmt_query *const *steps = ps->f->fn[fn]->step;
    const sb_fmt_query *q = steps[step], *sum;
    const sb_fmt_expr subject = {.op = SB_FMT_DIM, .value = q->dim};
    const sb_fmt_map known = {.n = 1, .e = {&subject}};
    const char *dim = ps->f->dim_name[q->dim];
    int k = step;

    if (!follows(ps->f, &q->group, &known) || !follows(ps->f, &q->traverse, &known))
        return sb_fmt_fail(ps, SB_EINVAL, ps->fn_at[fn],
                           "step %d of @%s is about %s and goes by other dimensions",
                           step, ps->fn_name[fn], dim);
    if (q->op == SB_FMT_SCHEDULE && steps[k - 1]->op == SB_FMT_REORDER &&
        steps[k - 1]->dim != q->dim)
        return sb_fmt_fail(ps, SB_EINVAL, ps->fn_at[fn],
                           "step %d of @%s schedules %s in an order of %s", step,
                           ps->fn_name[fn], dim, ps->f->dim_name[steps[k - 1]->dim]);
    while (steps[k]->op != SB_FMT_SUM)
        k--;
    sum = steps[k];
    if (!follows(ps->f, &sum->group, &known))
        return sb_fmt_fail(
            ps, SB_EINVAL, ps->fn_at[fn],
            "step %d of @%s needs a sum for each %s, which step %d is not", step,
            ps->fn_name[fn], dim, k);
    return SB_OK;
}

/* A counter starts at one number in a group. */
static sb_status
check_starts(sb_fmt_parser *ps, int fn, int step)
{
    const sb_fmt_query *const *steps = ps->f->fn[fn]->step;
    const sb_fmt_query *q = steps[step];

    for (int k = 0; k <= q->ncase; k++) {
        const int from = k < q->ncase ? q->when[k].step : q->otherwise_step;
        const sb_fmt_query *r = from >= 0 ? steps[from] : NULL;

        if (r && (r->op != SB_FMT_SUM || !follows(ps->f, &r->group, &q->group)))
            return sb_fmt_fail(ps, SB_EINVAL, ps->fn_at[fn],
                               "in @%s, \"%s\" is no sum for each group that step %d "
                               "counts in",
                               ps->fn_name[fn], r->label, step);
    }
    return SB_OK;
}

static sb_status
check_steps(sb_fmt_parser *ps)
{
    for (int fn = 0; fn < ps->f->nfn; fn++) {
        for (int step = 0; step < ps->f->fn[fn]->nstep; step++) {
            const sb_fmt_query *q = ps->f->fn[fn]->step[step];

            if (q->op >= SB_FMT_REORDER)
                SB_TRY(check_units(ps, fn, step));
            else if (q->op == SB_FMT_ENUM)
                SB_TRY(check_starts(ps, fn, step));
        }
    }
    return SB_OK;
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
    SB_TRY(check_steps(ps));
    st = sb_fmt_inverse(inverse, ps->ar, ps->f, &why);
    sb_arena_reset(ps->ar, pos);
    if (st == SB_EINVAL)
        return sb_fmt_fail(ps, st, at->map, "%s", why.text);
    return st;
}
