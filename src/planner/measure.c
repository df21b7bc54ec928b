/*
 * Letting the clock decide: the best few by the model are built and timed on scratch
 * operands of the problem's shape. The caller's values, B and C are not read; only the
 * structure is. search.c times many more the same way.
 */
#include "planner/search.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "base/clock.h"

#include <string.h>

enum { FEW = 5, RUNS = 15, BUDGET = 100 };

/* The last element of a dense operand, counted from its first, and one. */
static bool
extent(const sb_dense *d, size_t *bytes)
{
    int64_t n, batch;

    if (!sb_strided_extent(d->col_major ? d->cols : d->rows,
                           d->col_major ? d->rows : d->cols, d->ld, &n))
        return false;
    if (d->batch > 1 &&
        (!sb_mul_i64(d->batch - 1, d->stride, &batch) || !sb_add_i64(n, batch, &n)))
        return false;
    return sb_bytes(n, sb_dtype_size(d->type), bytes);
}

static bool
values_extent(const sb_matrix *a, size_t *bytes)
{
    const int64_t unit = sb_matrix_block(a) * sb_matrix_block(a);
    int64_t n, batch;

    if (!sb_mul_i64(a->nnz, unit, &n))
        return false;
    if (a->batch > 1 &&
        (!sb_mul_i64(a->batch - 1, a->val_stride, &batch) || !sb_add_i64(n, batch, &n)))
        return false;
    return sb_bytes(n, sb_dtype_size(a->val_type), bytes);
}

bool
sb_bench_open(sb_bench *bn, sb_planner *pl, double budget)
{
    size_t a, b, c;

    *bn = (sb_bench){.pl = pl, .pb = *pl->pb, .budget = budget};
    if (!values_extent(&bn->pb.a, &a) || !extent(&bn->pb.b, &b) ||
        !extent(&bn->pb.c, &c))
        return false;
    bn->a = sb_alloc_zero(a);
    bn->b = sb_alloc_zero(b);
    bn->c = sb_alloc_zero(c);
    bn->pb.a.val = bn->a;
    bn->pb.b.data = bn->b;
    bn->pb.c.data = bn->c;
    return bn->a && bn->b && bn->c;
}

void
sb_bench_close(sb_bench *bn)
{
    sb_free(bn->a);
    sb_free(bn->b);
    sb_free(bn->c);
}

/*
 * Least seconds of some runs; 0 when the plan cannot run. The budget counts runs at that
 * price: what other jobs of the machine took meanwhile must not end the race.
 */
static double
time_plan(sb_bench *bn, const sb_plan *plan)
{
    double least = 0;
    int runs = 0;

    for (; runs <= RUNS; runs++) {
        const double begin = sb_clock();
        double took;

        if (sb_plan_run(plan, &bn->pb, NULL) != SB_OK)
            return 0;
        took = sb_clock() - begin;
        if (runs > 0 && (least == 0 || took < least)) /* the first run warms up */
            least = took > 0 ? took : 1e-9;
        /* hopeless after two runs, or the budget is used up */
        if (runs >= 2 && bn->best > 0 &&
            (least > 1.5 * bn->best ||
             bn->spent + runs * least > bn->budget * bn->best))
            break;
    }
    bn->spent += runs * least;
    return least;
}

void
sb_bench_try(sb_bench *bn, sb_weighed *w, double gain, sb_plan **best,
             const sb_weighed **won)
{
    sb_plan *plan = NULL;

    w->tried = true;
    w->dropped = NULL;
    if (sb_plan_build(&plan, bn->pl, &w->choice, SB_KERNEL_COMPILE, NULL) != SB_OK) {
        w->dropped = "could not be built";
        return;
    }
    w->measured = time_plan(bn, plan);
    (void)sb_choice_parse(&w->built, plan->text, strlen(plan->text), NULL);
    if (w->measured > 0 && (bn->best == 0 || w->measured * gain < bn->best)) {
        sb_plan *slower = *best;

        bn->best = plan->measured = w->measured;
        plan->predicted = w->cost.seconds;
        *best = plan;
        *won = w;
        plan = slower;
    }
    sb_plan_release(plan);
}

sb_status
sb_plan_measure(sb_plan **best, sb_planner *pl, const sb_weighed **won)
{
    sb_bench bn;
    int tried = 0;

    *best = NULL;
    if (sb_bench_open(&bn, pl, BUDGET))
        for (int q = 0; q < pl->nweighed && tried < FEW; q++) {
            if (pl->weighed[q].dropped)
                continue;
            sb_bench_try(&bn, &pl->weighed[q], 1, best, won);
            tried++;
            if (bn.best > 0 && bn.spent > bn.budget * bn.best)
                break;
        }
    sb_bench_close(&bn);
    return SB_OK; /* without scratch the model decides */
}
