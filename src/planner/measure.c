/*
 * Letting the clock decide: the best few by the model (EXHAUSTIVE: all, and the tiles
 * around the best) are built and timed on scratch operands of the problem's shape. The
 * caller's values, B and C are not read; only the structure is.
 */
#include "planner/context.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "base/clock.h"

#include <string.h>

enum { FEW = 5, RUNS = 15, BUDGET = 100 };

typedef struct bench {
    sb_planner *pl;
    sb_problem pb; /* the problem on scratch operands */
    void *a, *b, *c;
    double spent, best; /* seconds */
} bench;

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

static bool
bench_open(bench *bn, sb_planner *pl)
{
    size_t a, b, c;

    *bn = (bench){.pl = pl, .pb = *pl->pb};
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

static void
bench_close(bench *bn)
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
time_plan(bench *bn, const sb_plan *plan)
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
            (least > 1.5 * bn->best || bn->spent + runs * least > BUDGET * bn->best))
            break;
    }
    bn->spent += runs * least;
    return least;
}

/* Builds and times one; the faster of it and *best stays. */
static void
try_one(bench *bn, sb_weighed *w, sb_plan **best, const sb_weighed **won)
{
    sb_plan *plan = NULL;
    const sb_status st =
        sb_plan_build(&plan, bn->pl, &w->choice, SB_KERNEL_COMPILE, NULL);

    if (st != SB_OK) {
        w->dropped = "could not be built";
        return;
    }
    w->measured = time_plan(bn, plan);
    if (w->measured > 0 && (bn->best == 0 || w->measured < bn->best)) {
        sb_plan *slower = *best;

        bn->best = plan->measured = w->measured;
        plan->predicted = w->cost.seconds;
        *best = plan;
        *won = w;
        plan = slower;
    }
    sb_plan_release(plan);
}

/* EXHAUSTIVE: other register tiles for the winning composition. */
static void
try_tiles(bench *bn, sb_plan **best, const sb_weighed **won)
{
    static const int tiles[] = {4, 8, 16, 32, 64};
    const sb_weighed winner = **won;

    for (int q = 0; q < SB_COUNT(tiles) && bn->pl->nweighed < SB_WEIGHED_MAX; q++) {
        sb_weighed *w = &bn->pl->weighed[bn->pl->nweighed];

        *w = winner;
        w->measured = 0;
        w->choice.tile = tiles[q];
        bn->pl->nweighed++;
        try_one(bn, w, best, won);
    }
}

sb_status
sb_plan_measure(sb_plan **best, sb_planner *pl, const sb_weighed **won)
{
    const bool all = pl->opt->effort == SB_EFFORT_EXHAUSTIVE;
    bench bn;
    int tried = 0;

    *best = NULL;
    if (bench_open(&bn, pl)) {
        for (int q = 0; q < pl->nweighed && (all || tried < FEW); q++) {
            if (pl->weighed[q].dropped && !all)
                continue;
            pl->weighed[q].dropped = NULL;
            try_one(&bn, &pl->weighed[q], best, won);
            tried++;
            if (!all && bn.best > 0 && bn.spent > BUDGET * bn.best)
                break;
        }
        if (all && *best)
            try_tiles(&bn, best, won);
    }
    bench_close(&bn);
    return SB_OK; /* without scratch the model decides */
}
