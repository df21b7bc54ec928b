/*
 * Inference of storage from the text (UniSparse, section 5.1):
 *
 *   a trimmed level stores idx, unless its indices are 0, 1, 2, .. under each parent;
 *   a trimmed level below a merged one stores ptr, unless each parent has one child;
 *   any other level is its range, or, where the levels above determine it (columns of
 *   ELL: slot and row say which), one idx a parent.
 *
 * What determines what is asked of the solver, not of a table of formats.
 */
#include "base/fault.h"
#include "formats/fmt_expr.h"
#include "formats/fmt_solve.h"

/* ---- properties of indirect functions --------------------------------------------- */

/* The arm of a value map that a unit of zero or non-zero value meets: a condition, ncase
 * for otherwise, or -1 where that depends on more. */
static int
arm_of(const sb_fmt_query *q, bool zero)
{
    for (int k = 0; k < q->ncase; k++) {
        const sb_fmt_case *c = &q->when[k];

        if (c->dim >= 0 || c->literal != 0 || c->cond > SB_FMT_EQ)
            return -1;
        if ((c->cond == SB_FMT_EQ) == zero)
            return k;
    }
    return q->ncase;
}

static int64_t
arm_result(const sb_fmt_query *q, int arm, int *step)
{
    *step = arm < q->ncase ? q->when[arm].step : q->otherwise_step;
    return arm < q->ncase ? q->when[arm].result : q->otherwise;
}

/* Whether the map is `literal` for units of this kind. */
static bool
maps_to(const sb_fmt_query *q, bool zero, int64_t literal)
{
    const int arm = arm_of(q, zero);
    int step;

    return arm >= 0 && arm_result(q, arm, &step) == literal && step < 0;
}

bool
sb_fmt_fn_counts_from_zero(const sb_fmt *f, int fn)
{
    const sb_fmt_query *q = f->fn[fn]->step[f->fn[fn]->nstep - 1];

    return q->op == SB_FMT_ENUM && arm_of(q, true) >= 0 &&
           arm_of(q, true) != arm_of(q, false) && maps_to(q, false, 0);
}

/* Whether group and traversal name single elements. */
static bool
names_elements(const sb_fmt *f, const sb_fmt_query *q)
{
    sb_solve s;

    sb_solve_init(&s, f, NULL, false);
    for (int k = 0; k < q->group.n; k++)
        sb_solve_add(&s, q->group.e[k], NULL);
    for (int k = 0; k < q->traverse.n; k++)
        sb_solve_add(&s, q->traverse.e[k], NULL);
    sb_solve_run(&s);
    for (int d = 0; d < f->ndim; d++) {
        const sb_fmt_expr e = {.op = SB_FMT_DIM, .value = d};

        if (!sb_solve_knows(&s, &e))
            return false;
    }
    return true;
}

/* Whether `sum` is the number of non-zero units of each group of `q`. */
static bool
counts_units(const sb_fmt *f, const sb_fmt_query *sum, const sb_fmt_query *q)
{
    if (sum->op != SB_FMT_SUM || !maps_to(sum, false, 1) || !maps_to(sum, true, 0) ||
        !sb_fmt_map_equal(&sum->group, &q->group))
        return false;
    return sum->traverse.n > 0 ? sb_fmt_map_equal(&sum->traverse, &q->traverse)
                               : names_elements(f, q);
}

bool
sb_fmt_fn_one_to_one(const sb_fmt *f, int fn)
{
    const sb_fmt_query *q = f->fn[fn]->step[f->fn[fn]->nstep - 1];
    const int zero = arm_of(q, true), other = arm_of(q, false);
    int step;

    if (q->op != SB_FMT_ENUM || zero < 0 || other < 0)
        return q->op == SB_FMT_REORDER;
    if (zero == other)
        return true;
    (void)arm_result(q, zero, &step);
    return sb_fmt_fn_counts_from_zero(f, fn) && step >= 0 &&
           counts_units(f, f->fn[fn]->step[step], q);
}

/* ---- properties of levels --------------------------------------------------------- */

static bool
is_trimmed(const sb_fmt *f, int q)
{
    return f->trim_lo >= 0 && f->trim_lo <= q && q <= f->trim_hi;
}

/* Whether a node of this level is there once for each child: an unmerged level with a
 * trimmed one below. */
static bool
has_copies(const sb_fmt *f, int q)
{
    return f->merge >> q == 0 && q < f->trim_hi;
}

/* determined: the levels above leave one index, which is not so by being a constant. */
static void
find_determined(bool *determined, const sb_fmt *f)
{
    sb_solve s;

    sb_solve_init(&s, f, NULL, true);
    for (int q = 0; q < f->nlevel; q++)
        determined[q] = !sb_solve_knows(&s, f->level[q]);
    for (int q = 0; q < f->nlevel; q++) {
        determined[q] = determined[q] && sb_solve_knows(&s, f->level[q]);
        sb_solve_add(&s, f->level[q], NULL);
        sb_solve_run(&s);
    }
}

/*
 * Whether the indices that hold something are 0, 1, 2, .. under each parent: the non-zero
 * units of each group are counted from zero, and whole groups lie below one parent, so
 * that all levels above are functions of the group.
 */
static bool
counts_up(const sb_fmt *f, int q)
{
    const sb_fmt_expr *e = f->level[q];
    const sb_fmt_query *answer;
    sb_solve s;

    while (e->op == SB_FMT_DIV)
        e = e->a;
    if (e->op != SB_FMT_INDIRECT || !sb_fmt_fn_counts_from_zero(f, (int)e->value))
        return false;
    answer = sb_fmt_answer(f, e);
    sb_solve_init(&s, f, NULL, true);
    for (int k = 0; k < answer->group.n; k++)
        sb_solve_add(&s, answer->group.e[k], NULL);
    for (int k = 0; k < q; k++)
        (void)sb_solve_knows(&s, f->level[k]);
    sb_solve_run(&s);
    for (int k = 0; k < q; k++) {
        if (!sb_solve_knows(&s, f->level[k]) && !SB_FAULT(FMT_RUN))
            return false;
    }
    return true;
}

/* Whether the range is known without the data. */
static bool
has_range(const sb_fmt *f, const sb_fmt_expr *e)
{
    const sb_fmt_query *answer;

    if (e->op == SB_FMT_INDIRECT) {
        answer = sb_fmt_answer(f, e);
        return answer->op == SB_FMT_SCHEDULE ||
               (answer->op == SB_FMT_REORDER && answer->group.n == 0);
    }
    return !e->a || e->op == SB_FMT_MOD || (has_range(f, e->a) && has_range(f, e->b));
}

static sb_fmt_axis
axis_of(const sb_fmt_level *l)
{
    if (l->idx)
        return l->ptr ? SB_FMT_SPARSE_VARIABLE : SB_FMT_SPARSE_FIXED;
    return l->ptr ? SB_FMT_DENSE_VARIABLE : SB_FMT_DENSE_FIXED;
}

static void
infer_level(sb_fmt_level *l, const sb_fmt *f, int q, bool determined)
{
    const bool trimmed = is_trimmed(f, q), copies = has_copies(f, q);
    const bool filled = f->fill >> q & 1, gap = q > 0 && f->fill >> (q - 1) & 1;

    *l = (sb_fmt_level){.sorted = true, .unique = !copies};
    /* The child of a parent that holds nothing may be trimmed, a gap has none; copies and
     * filled gaps are more than one. */
    if (q > 0 && has_copies(f, q - 1))
        l->one = true;
    else if (q > 0 && trimmed)
        l->one = determined && q > f->trim_lo && !gap && !copies && !filled;
    else if (q > 0)
        l->one = determined;
    if (trimmed)
        l->run = !copies && !l->one && (filled || counts_up(f, q));
    else
        l->run = !l->one && !has_range(f, f->level[q]);
    l->idx = trimmed ? !l->run : l->one;
    l->ptr = trimmed && q > 0 && !l->one;
    l->axis = axis_of(l);
    l->banked = f->partition >= 0 && q > f->partition;
}

void
sb_fmt_infer(sb_fmt_level *level, const sb_fmt *f)
{
    bool determined[SB_FMT_LEVELS], same = true;

    find_determined(determined, f);
    for (int q = 0; q < f->nlevel; q++)
        infer_level(&level[q], f, q, determined[q]);
    for (int q = f->pack_hi; q >= 0 && q >= f->pack_lo; q--) {
        level[q].record = same && level[q].idx;
        same = same && level[q].one;
    }
}

bool
sb_fmt_packs_values(const sb_fmt *f)
{
    return f->pack_hi >= 0 && f->pack_hi == f->nlevel - 1;
}

void
sb_fmt_print_arrays(sb_strbuf *out, const sb_fmt *f)
{
    sb_fmt_level level[SB_FMT_LEVELS];

    for (int q = 0; q < f->npart; q++) {
        sb_strbuf_printf(out, "%s%s: ", q > 0 ? " | " : "", f->part[q]->name);
        sb_fmt_print_arrays(out, f->part[q]);
    }
    if (f->npart > 0)
        return;
    sb_fmt_infer(level, f);
    for (int q = 0; q < f->nlevel; q++) {
        const sb_fmt_level *l = &level[q];

        sb_strbuf_puts(out, q > 0 ? "; " : "");
        sb_fmt_print_expr(out, f, f->level[q]);
        sb_strbuf_puts(out, l->idx || l->ptr ? ":" : ": size");
        sb_strbuf_puts(out, l->ptr ? " ptr" : "");
        sb_strbuf_puts(out, l->idx ? " idx" : "");
        sb_strbuf_puts(out, l->one ? " one" : "");
        sb_strbuf_puts(out, l->run ? " run" : "");
        sb_strbuf_puts(out, l->record ? " record" : "");
        sb_strbuf_puts(out, l->banked ? " bank" : "");
    }
    if (sb_fmt_packs_values(f))
        sb_strbuf_puts(out, "; value: record");
}
