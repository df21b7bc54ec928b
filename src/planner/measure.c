/*
 * Letting the clock decide: the best few by the model are built and timed on scratch
 * operands of the problem's shape. The caller's values, B and C are not read; only the
 * structure is. search.c times many more the same way.
 *
 * Runs one after another tell plans apart only roughly: on a shared machine a slow second
 * makes one plan look bad. So the fastest few of these heats run a final in turns, and
 * medians decide.
 */
#include "planner/search.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "base/clock.h"
#include "planner/candidates.h"
#include "planner/slabs.h"
#include "runtime/backend.h"
#include "runtime/device.h"

#include <math.h>
#include <string.h>

enum { HEAT = 6, ROUNDS = 15, BUDGET = 100 };
/* Not worth a third run, nor a fourth: times the fastest. */
#define FAR 4.0
#define NEAR 1.5

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

/* Zeros where the plans run. */
static void *
scratch(const sb_bench *bn, size_t bytes)
{
    sb_device *d = bn->pb.device;
    void *at;

    if (!d)
        return sb_alloc_zero(bytes);
    if (d->ops->alloc(d, &at, bytes, NULL) != SB_OK)
        return NULL;
    if (d->ops->clear(d, bn->pb.stream, at, bytes, NULL) == SB_OK)
        return at;
    d->ops->free(d, at);
    return NULL;
}

static void
give_back(const sb_bench *bn, void *at)
{
    sb_device *d = bn->pb.device;

    if (d)
        d->ops->free(d, at);
    else
        sb_free(at);
}

bool
sb_bench_open(sb_bench *bn, sb_planner *pl)
{
    size_t a, b, c;

    *bn = (sb_bench){.pl = pl, .pb = pl->far ? *pl->far : *pl->pb};
    if (!values_extent(&bn->pb.a, &a) || !extent(&bn->pb.b, &b) ||
        !extent(&bn->pb.c, &c))
        return false;
    bn->a = scratch(bn, a);
    bn->b = scratch(bn, b);
    bn->c = scratch(bn, c);
    bn->room = sb_slab_room(&bn->pb, NULL);
    bn->copy = bn->room > 0 ? sb_alloc_zero(bn->room) : NULL;
    bn->pb.scratch = bn->copy;
    bn->pb.room = bn->copy ? bn->room : 0;
    bn->pb.a.val = bn->a;
    bn->pb.b.data = bn->b;
    bn->pb.c.data = bn->c;
    return bn->a && bn->b && bn->c;
}

void
sb_bench_close(sb_bench *bn)
{
    for (int q = 0; q < bn->finalists; q++)
        sb_plan_release(bn->final[q].plan);
    give_back(bn, bn->a);
    give_back(bn, bn->b);
    give_back(bn, bn->c);
    sb_free(bn->copy);
}

double
sb_bench_best(const sb_bench *bn)
{
    return bn->finalists > 0 ? bn->final[0].w->measured : 0;
}

/* Seconds of one run; 0 when the plan cannot run. */
static double
one_run(sb_bench *bn, const sb_plan *plan)
{
    sb_device *d = bn->pb.device;
    const double begin = sb_clock();
    double took;

    if (d && d->ops->time(d, &took, plan, &bn->pb, NULL) != SB_OK)
        return 0;
    if (d)
        return took > 0 ? took : 1e-9;
    if (sb_plan_run(plan, &bn->pb, NULL) != SB_OK)
        return 0;
    took = sb_clock() - begin;
    return took > 0 ? took : 1e-9;
}

static void
nothing(void *user, int64_t lo, int64_t hi)
{
    (void)user;
    (void)lo;
    (void)hi;
}

/* A team that fell asleep while a candidate was made would leave the candidate's runs to the caller. */
static void
wake_team(const sb_bench *bn)
{
    const sb_backend *be = sb_backend_get();

    if (!bn->pb.device && be->parallel)
        be->parallel(nothing, NULL, 0, be->threads(), 1);
}

/*
 * Least seconds of some runs; 0 when the plan cannot run. What was spent counts at that
 * price: what other jobs of the machine took meanwhile must not end the race.
 */
static double
heat(sb_bench *bn, const sb_plan *plan)
{
    const double best = sb_bench_best(bn);
    double least;
    int runs = 2;

    wake_team(bn);
    (void)one_run(bn, plan); /* warms up */
    least = one_run(bn, plan);
    for (; runs <= HEAT && least > 0; runs++) {
        if (best > 0 && least > (runs == 2 ? FAR : NEAR) * best)
            break; /* hopeless */
        least = fmin(least, one_run(bn, plan));
    }
    bn->spent += runs * least;
    return least;
}

/* Keeps the plan if it is among the fastest, in their order; whoever leaves is released. */
static void
qualify(sb_bench *bn, sb_plan *plan, sb_weighed *w)
{
    int at = bn->finalists;

    while (at > 0 && w->measured < bn->final[at - 1].w->measured)
        at--;
    if (w->measured == 0 || at == SB_FINALISTS) {
        sb_plan_release(plan);
        return;
    }
    if (bn->finalists == SB_FINALISTS)
        sb_plan_release(bn->final[--bn->finalists].plan);
    for (int q = bn->finalists++; q > at; q--)
        bn->final[q] = bn->final[q - 1];
    plan->predicted = w->cost.seconds;
    bn->final[at] = (sb_finalist){plan, w};
}

static bool
settled(const sb_bench *bn, sb_plan *plan)
{
    sb_device *d = bn->pb.device;

    return !d || plan->nstep == 0 || d->ops->settle(d, plan, NULL) == SB_OK;
}

void
sb_bench_run(sb_bench *bn, sb_weighed *w, sb_plan *plan)
{
    w->tried = true;
    w->dropped = NULL;
    if (!plan) {
        w->dropped = "could not be built";
        return;
    }
    if (!settled(bn, plan)) {
        w->dropped = "no memory on the device";
        sb_plan_release(plan);
        return;
    }
    w->measured = heat(bn, plan);
    (void)sb_choice_parse(&w->built, plan->text, strlen(plan->text), NULL);
    qualify(bn, plan, w);
}

void
sb_bench_try(sb_bench *bn, sb_weighed *w)
{
    sb_plan *plan = NULL;

    (void)sb_plan_build(&plan, bn->pl, &w->choice, SB_KERNEL_COMPILE, NULL);
    sb_bench_run(bn, w, plan);
}

/* Writes everybody's median of `rounds` runs in turns to w->measured. */
static void
run_final(sb_bench *bn, int rounds)
{
    double took[SB_FINALISTS][SB_ROUNDS_MAX];

    wake_team(bn);
    for (int r = 0; r < rounds; r++)
        for (int q = 0; q < bn->finalists; q++) {
            const double t = one_run(bn, bn->final[q].plan);
            int at = r;

            for (; at > 0 && took[q][at - 1] > t; at--)
                took[q][at] = took[q][at - 1];
            took[q][at] = t;
        }
    for (int q = 0; q < bn->finalists; q++)
        bn->final[q].w->measured = took[q][rounds / 2];
}

void
sb_bench_decide(sb_bench *bn, int rounds, sb_plan **best, const sb_weighed **won)
{
    int first = 0;

    while (bn->finalists > 1 && bn->final[bn->finalists - 1].w->measured >
                                    SB_SEARCH_RATIO * sb_bench_best(bn))
        sb_plan_release(bn->final[--bn->finalists].plan);
    if (bn->finalists > 1 && rounds > 0)
        run_final(bn, rounds < SB_ROUNDS_MAX ? rounds : SB_ROUNDS_MAX);
    for (int q = 1; q < bn->finalists; q++)
        if (bn->final[q].w->measured < bn->final[first].w->measured)
            first = q;
    if (bn->finalists == 0)
        return;
    *best = bn->final[first].plan;
    *won = bn->final[first].w;
    (*best)->measured = (*won)->measured;
    bn->final[first] = bn->final[--bn->finalists];
}

/* Runs that are left for each finalist. */
static int
rounds_left(const sb_bench *bn)
{
    const double left = BUDGET - bn->spent / sb_bench_best(bn);
    const int each = (int)(left / SB_FINALISTS);

    return each < ROUNDS ? each : ROUNDS;
}

void
sb_bench_as_is(sb_bench *bn)
{
    sb_planner *pl = bn->pl;

    for (int q = 0; q < pl->nweighed; q++)
        if (!pl->weighed[q].tried && !pl->weighed[q].dropped &&
            (int)pl->weighed[q].choice.part[0].kind == sb_problem_as_is(pl->pb))
            sb_bench_try(bn, &pl->weighed[q]);
}

static bool
in_partitions(const sb_weighed *w)
{
    const sb_part_choice *p = &w->choice.part[0];

    return p->kind == SB_PART_ROWS && p->c > 1;
}

/* The best by the model, but of partitions, in place or of slabs, not more than two. */
static void
try_few(sb_bench *bn)
{
    sb_planner *pl = bn->pl;

    for (int q = 0, tried = 0, cut = 0; q < pl->nweighed && tried < SB_FEW; q++) {
        if (pl->weighed[q].dropped || (in_partitions(&pl->weighed[q]) && ++cut > 2))
            continue;
        sb_bench_try(bn, &pl->weighed[q]);
        tried++;
    }
    for (int q = 0; q < pl->nweighed; q++)
        if (pl->weighed[q].finalist && !pl->weighed[q].tried && !pl->weighed[q].dropped)
            sb_bench_try(bn, &pl->weighed[q]);
    sb_bench_as_is(bn);
}

sb_status
sb_plan_measure(sb_plan **best, sb_planner *pl, const sb_weighed **won)
{
    sb_bench bn;

    *best = NULL;
    if (sb_bench_open(&bn, pl))
        (pl->pb->device ? sb_bench_device : try_few)(&bn);
    if (bn.finalists > 0)
        sb_bench_decide(&bn, rounds_left(&bn), best, won);
    sb_bench_close(&bn);
    return SB_OK; /* without scratch the model decides */
}
