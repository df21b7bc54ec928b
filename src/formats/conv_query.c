/*
 * Queries: the steps of an indirect function on the stored elements (fmt.h says what
 * each counts). Elements are put in the order of the step's groups and keys, and one
 * walk over the runs answers. A step that would have to look at the zeros is refused.
 */
#include "formats/conv_ops.h"

#include "base/alloc.h"

#include <string.h>

/* Elements or units by the columns group, then key; order NULL: as they are. */
typedef struct runs {
    sb_tree by;
    int ngroup;
    int64_t *order, n;
} runs;

static void
runs_free(runs *r)
{
    for (int q = 0; q < r->by.n; q++)
        sb_free(r->by.at[q].idx);
    sb_free(r->order);
}

static int64_t
run_at(const runs *r, int64_t p)
{
    return r->order ? r->order[p] : p;
}

/* End of the run that starts at p, by the first `columns` columns. */
static int64_t
run_end(const runs *r, int64_t p, int columns)
{
    int64_t end = p + 1;

    for (; end < r->n; end++)
        for (int q = 0; q < columns; q++)
            if (r->by.at[q].idx[run_at(r, end)] != r->by.at[q].idx[run_at(r, p)])
                return end;
    return end;
}

static int64_t *
add_column(runs *r)
{
    sb_tree_level *l = &r->by.at[r->by.n];

    SB_ASSERT(r->by.n < SB_TREE_LEVELS);
    *l = (sb_tree_level){.count = r->n};
    l->idx = sb_alloc_array(r->n, sizeof *l->idx);
    r->by.n += l->idx != NULL;
    return l->idx;
}

static sb_status
add_map(runs *r, const sb_fmt_map *map, const sb_tree *t)
{
    for (int k = 0; k < map->n; k++) {
        int64_t *to = add_column(r), at[SB_FMT_DIMS] = {0};

        if (!to)
            return SB_ENOMEM;
        for (int64_t p = 0; p < r->n; p++) {
            for (int d = 0; d < t->ndim; d++)
                at[d] = t->at[d].idx[p];
            to[p] = sb_fmt_eval(map->e[k], at);
        }
    }
    return SB_OK;
}

static sb_status
sorted_runs(runs *r, const sb_fmt_query *q, const sb_tree *t, const sb_par *par)
{
    int64_t twice;

    memset(r, 0, sizeof *r);
    r->n = t->at[0].count;
    SB_TRY(add_map(r, &q->group, t));
    r->ngroup = r->by.n;
    SB_TRY(add_map(r, &q->traverse, t));
    return r->by.n ? sb_conv_order(&r->order, &twice, &r->by, r->by.n, par) : SB_OK;
}

/* ---- Value maps ---------------------------------------------------------------------
 */

static bool
holds(double x, sb_fmt_cond cond, int64_t literal)
{
    const double y = (double)literal;

    switch (cond) {
    case SB_FMT_NE:
        return x != y;
    case SB_FMT_EQ:
        return x == y;
    case SB_FMT_GT:
        return x > y;
    case SB_FMT_GE:
        return x >= y;
    case SB_FMT_LT:
        return x < y;
    case SB_FMT_LE:
        break;
    }
    return x <= y;
}

/* The arm for stored element p, whose value counts as other than zero. */
static int
arm_of(const sb_conv *cx, const sb_fmt_query *q, int64_t p)
{
    for (int k = 0; k < q->ncase; k++) {
        const sb_fmt_case *c = &q->when[k];
        bool yes;

        if (c->dim >= 0)
            yes = holds((double)cx->t.at[c->dim].idx[p], c->cond, c->literal);
        else if (c->literal == 0 && (c->cond == SB_FMT_NE || c->cond == SB_FMT_EQ))
            yes = c->cond == SB_FMT_NE;
        else
            yes =
                holds(sb_value_load(cx->t.type, cx->t.val, p).re, c->cond, c->literal);
        if (yes)
            return k;
    }
    return q->ncase;
}

static int64_t
arm_result(const sb_conv *cx, const sb_fmt_query *q, int arm, int64_t p)
{
    const int step = arm < q->ncase ? q->when[arm].step : q->otherwise_step;

    return step >= 0        ? cx->answer[step][p]
           : arm < q->ncase ? q->when[arm].result
                            : q->otherwise;
}

/* The arms a zero may take, as a set. */
static unsigned
zero_arms(const sb_fmt_query *q)
{
    unsigned arms = 0;

    for (int k = 0; k < q->ncase; k++) {
        const sb_fmt_case *c = &q->when[k];

        if (c->dim >= 0)
            arms |= 1u << k;
        else if (holds(0.0, c->cond, c->literal))
            return arms | 1u << k;
    }
    return arms | 1u << q->ncase;
}

/* ---- Sum, Enumerate -----------------------------------------------------------------
 */

static sb_status
start_step(sb_conv *cx, const sb_conv_op *op, runs *r)
{
    const int step = (int)op->arg[0];

    memset(r, 0, sizeof *r);
    cx->answer[step] = sb_alloc_array(cx->t.at[0].count, sizeof(int64_t));
    return cx->answer[step] ? sorted_runs(r, op->fn->step[step], &cx->t, cx->par)
                            : SB_ENOMEM;
}

sb_status
sb_conv_sum(sb_conv *cx, const sb_conv_op *op)
{
    const sb_fmt_query *q = op->fn->step[op->arg[0]];
    const unsigned zeros = zero_arms(q);
    runs r;
    sb_status st;

    for (int k = 0; k <= q->ncase; k++)
        if (zeros >> k & 1 && (k < q->ncase ? q->when[k].result || q->when[k].step >= 0
                                            : q->otherwise || q->otherwise_step >= 0))
            return sb_diag_set(cx->diag, SB_ENOTSUP, "a sum that counts zeros");
    st = start_step(cx, op, &r);
    for (int64_t lo = 0, hi; st == SB_OK && lo < r.n; lo = hi) {
        int64_t sum = 0;

        hi = run_end(&r, lo, r.ngroup);
        for (int64_t p = lo; p < hi;
             p = q->traverse.n ? run_end(&r, p, r.by.n) : p + 1) {
            const int64_t e = run_at(&r, p);

            sum += arm_result(cx, q, arm_of(cx, q, e), e);
        }
        for (int64_t p = lo; p < hi; p++)
            cx->answer[op->arg[0]][run_at(&r, p)] = sum;
    }
    runs_free(&r);
    return st;
}

sb_status
sb_conv_enumerate(sb_conv *cx, const sb_conv_op *op)
{
    const sb_fmt_query *q = op->fn->step[op->arg[0]];
    const unsigned zeros = zero_arms(q);
    int64_t next[SB_FMT_CASES + 1], *answer;
    runs r;
    sb_status st = start_step(cx, op, &r);

    answer = cx->answer[op->arg[0]];
    for (int64_t lo = 0, hi, end; st == SB_OK && lo < r.n; lo = hi) {
        unsigned seen = 0;

        hi = run_end(&r, lo, r.ngroup);
        for (int64_t p = lo; p < hi && st == SB_OK; p = end) {
            const int64_t e = run_at(&r, p);
            const int arm = arm_of(cx, q, e);

            end = run_end(&r, p, r.by.n);
            if (zeros >> arm & 1)
                st = sb_diag_set(cx->diag, SB_ENOTSUP,
                                 "an enum that counts zeros "
                                 "together with elements");
            if (!(seen >> arm & 1))
                next[arm] = arm_result(cx, q, arm, e);
            seen |= 1u << arm;
            for (int64_t k = p; k < end; k++)
                answer[run_at(&r, k)] = next[arm];
            next[arm]++;
        }
    }
    runs_free(&r);
    return st;
}

/* ---- Reorder, Schedule: units are the indices of one dimension ----------------------
 */

static bool
only_of(const sb_fmt_expr *e, int dim)
{
    if (!e || e->op == SB_FMT_CONST)
        return true;
    if (e->op == SB_FMT_DIM)
        return e->value == dim;
    return e->op != SB_FMT_INDIRECT && only_of(e->a, dim) && only_of(e->b, dim);
}

static sb_status
unit_map(runs *r, const sb_fmt_map *map, int dim)
{
    for (int k = 0; k < map->n; k++) {
        int64_t *to = add_column(r), at[SB_FMT_DIMS] = {0};

        if (!to)
            return SB_ENOMEM;
        for (int64_t u = 0; u < r->n; u++) {
            at[dim] = u;
            to[u] = sb_fmt_eval(map->e[k], at);
        }
    }
    return SB_OK;
}

/* weight[u]: the last sum's answer before `step`, 0 where u has no element. */
static void
unit_weights(int64_t *weight, int64_t n, const sb_conv *cx, const sb_conv_op *op)
{
    const sb_tree *t = &cx->t;
    const int dim = op->fn->step[op->arg[0]]->dim;
    int sum = (int)op->arg[0] - 1;

    memset(weight, 0, (size_t)n * sizeof *weight);
    while (sum >= 0 && op->fn->step[sum]->op != SB_FMT_SUM)
        sum--;
    for (int64_t p = t->at[0].count - 1; sum >= 0 && p >= 0; p--)
        weight[t->at[dim].idx[p]] = cx->answer[sum][p];
}

/* Units in their order: by group, then largest weight first if `weigh`, then traverse,
 * then themselves. */
static sb_status
unit_order(runs *r, sb_conv *cx, const sb_conv_op *op, bool weigh, int64_t *weight)
{
    const sb_fmt_query *q = op->fn->step[op->arg[0]];
    const sb_fmt_query *by = /* a schedule takes the order of its reorder, ties too */
        weigh && q->op == SB_FMT_SCHEDULE ? op->fn->step[op->arg[0] - 1] : q;
    int64_t twice, *column;

    SB_TRY(unit_map(r, &q->group, q->dim));
    r->ngroup = r->by.n;
    if (weigh) {
        if (!(column = add_column(r)))
            return SB_ENOMEM;
        for (int64_t u = 0; u < r->n; u++)
            column[u] = -weight[u];
    }
    SB_TRY(unit_map(r, &by->traverse, q->dim));
    if (!(column = add_column(r)))
        return SB_ENOMEM;
    for (int64_t u = 0; u < r->n; u++)
        column[u] = u;
    return sb_conv_order(&r->order, &twice, &r->by, r->by.n, cx->par);
}

typedef struct bucket {
    int64_t load, number;
} bucket;

static bool
lighter(const bucket *a, const bucket *b)
{
    return a->load < b->load || (a->load == b->load && a->number < b->number);
}

/* The heap's first bucket takes `load`; returns its number. */
static int64_t
put_unit(bucket *heap, int64_t n, int64_t load)
{
    const int64_t number = heap[0].number;
    bucket moved = heap[0];
    int64_t at = 0;

    moved.load += load;
    for (int64_t k; (k = 2 * at + 1) < n; at = k) {
        if (k + 1 < n && lighter(&heap[k + 1], &heap[k]))
            k++;
        if (!lighter(&heap[k], &moved))
            break;
        heap[at] = heap[k];
    }
    heap[at] = moved;
    return number;
}

/* answer[u] for every unit. */
static sb_status
answer_units(int64_t *answer, const runs *r, const sb_fmt_query *q,
             const int64_t *weight)
{
    bucket *heap = NULL;

    if (q->op == SB_FMT_SCHEDULE && !(heap = sb_alloc_array(q->buckets, sizeof *heap)))
        return SB_ENOMEM;
    for (int64_t lo = 0, hi; lo < r->n; lo = hi) {
        hi = run_end(r, lo, r->ngroup);
        for (int64_t k = 0; heap && k < q->buckets; k++)
            heap[k] = (bucket){0, k};
        for (int64_t p = lo; p < hi; p++) {
            const int64_t u = run_at(r, p);

            answer[u] = heap ? put_unit(heap, q->buckets, weight[u]) : p - lo;
        }
    }
    sb_free(heap);
    return SB_OK;
}

static sb_status
answer_dimension(sb_conv *cx, const sb_conv_op *op)
{
    const int step = (int)op->arg[0];
    const sb_fmt_query *q = op->fn->step[step];
    const bool weigh = q->op == SB_FMT_REORDER ||
                       (step > 0 && op->fn->step[step - 1]->op == SB_FMT_REORDER);
    const sb_tree *t = &cx->t;
    runs r = {.n = t->extent[q->dim]};
    int64_t *weight, *unit;
    sb_status st = SB_ENOMEM;

    for (int k = 0; k < q->group.n + q->traverse.n; k++)
        if (!only_of(k < q->group.n ? q->group.e[k] : q->traverse.e[k - q->group.n],
                     q->dim))
            return sb_diag_set(cx->diag, SB_ENOTSUP,
                               "%s by other dimensions than its own",
                               q->op == SB_FMT_REORDER ? "reorder" : "schedule");
    SB_TRY(sb_tree_bound(t, r.n, "indices to put in order", cx->diag));
    weight = sb_alloc_array(r.n, sizeof *weight);
    unit = sb_alloc_array(r.n, sizeof *unit);
    cx->answer[step] = sb_alloc_array(t->at[0].count, sizeof(int64_t));
    if (weight && unit && cx->answer[step]) {
        unit_weights(weight, r.n, cx, op);
        st = unit_order(&r, cx, op, weigh, weight);
    }
    if (st == SB_OK)
        st = answer_units(unit, &r, q, weight);
    for (int64_t p = 0; st == SB_OK && p < t->at[0].count; p++)
        cx->answer[step][p] = unit[t->at[q->dim].idx[p]];
    runs_free(&r);
    sb_free(weight);
    sb_free(unit);
    return st;
}

sb_status
sb_conv_reorder(sb_conv *cx, const sb_conv_op *op)
{
    return answer_dimension(cx, op);
}

sb_status
sb_conv_schedule(sb_conv *cx, const sb_conv_op *op)
{
    return answer_dimension(cx, op);
}

sb_status
sb_conv_query(int64_t **answer, sb_conv *cx, const sb_fmt_fn *fn)
{
    static const sb_conv_kind kind[] = {
        [SB_FMT_SUM] = SB_CONV_SUM,
        [SB_FMT_ENUM] = SB_CONV_ENUMERATE,
        [SB_FMT_REORDER] = SB_CONV_REORDER,
        [SB_FMT_SCHEDULE] = SB_CONV_SCHEDULE,
    };
    sb_status st = SB_OK;

    memset(cx->answer, 0, sizeof cx->answer);
    for (int k = 0; k < fn->nstep && st == SB_OK; k++)
        st = sb_conv_apply(
            cx, (sb_conv_op){.kind = kind[fn->step[k]->op], .arg = {k}, .fn = fn});
    *answer = st == SB_OK ? cx->answer[fn->nstep - 1] : NULL;
    for (int k = 0; k < fn->nstep; k++)
        if (cx->answer[k] != *answer)
            sb_free(cx->answer[k]);
    return st;
}
