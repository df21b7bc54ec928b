/*
 * MEASURE on a device. A run there takes microseconds; a kernel that is not at hand takes
 * seconds, which a hundred thousand products should gain back. So what is at hand is timed
 * first. Of the rest the best of each kind by the model is compiled, all side by side, where
 * the model, corrected by what was timed, promises enough; then those others which still do
 * when their like has shown what it is worth.
 */
#include "planner/search.h"

#include "base/fault.h"
#include "formats/par.h"

/* Seconds for a kernel, and products that are to gain them back. NVRTC took 1 to 4 s for those
 * of windows. */
static const double compiling = 2, products = 1e5;
/* What a plan has to be faster to be worth a kernel: the model is no better. */
#define GAIN 1.1

/* ---- what a candidate promises --------------------------------------------------------- */

static sb_part_kind
kind_of(const sb_weighed *w)
{
    return w->choice.part[0].kind;
}

/* Measured over predicted: of the best of its kind, else of the fastest of all. */
static double
correction(const sb_bench *bn, sb_part_kind kind)
{
    const sb_planner *pl = bn->pl;
    double best = 0, all = 1, fastest = 0;

    for (int q = 0; q < pl->nweighed; q++) {
        const sb_weighed *w = &pl->weighed[q];
        const double ratio = w->measured > 0 ? w->measured / w->cost.seconds : 0;

        if (ratio > 0 && kind_of(w) == kind && (best == 0 || ratio < best))
            best = ratio;
        if (ratio > 0 && (fastest == 0 || w->measured < fastest)) {
            fastest = w->measured;
            all = ratio;
        }
    }
    return best > 0 ? best : all;
}

static bool
promising(const sb_bench *bn, const sb_weighed *w)
{
    const double best = sb_bench_best(bn);
    const double expected = w->cost.seconds * correction(bn, kind_of(w));

    if (best == 0 || SB_FAULT(MEASURE_ALL))
        return true;
    return GAIN * expected <= best && products * (best - expected) >= compiling;
}

/* ---- candidates ------------------------------------------------------------------------- */

typedef struct few {
    sb_planner *pl;
    sb_weighed *w[SB_FEW];
    sb_plan *plan[SB_FEW]; /* NULL: could not be built */
    int n;
} few;

/* Compiles what is missing: which kernels a plan needs is known when its parts are there. */
static void
build(void *user, int64_t lo, int64_t hi)
{
    few *f = user;

    for (int64_t q = lo; q < hi; q++)
        (void)sb_plan_build(&f->plan[q], f->pl, &f->w[q]->choice, SB_KERNEL_COMPILE,
                            NULL);
}

static bool
leads(const few *all, int at)
{
    for (int q = 0; q < at; q++)
        if (!all->w[q]->tried && kind_of(all->w[q]) == kind_of(all->w[at]))
            return false;
    return true;
}

/* Those that were not tried and promise enough: of each kind the first, or all. */
static void
try_compiled(sb_bench *bn, const few *all, bool first)
{
    few now = {.pl = bn->pl};

    for (int q = 0; q < all->n; q++)
        if (!all->w[q]->tried && (!first || leads(all, q)) && promising(bn, all->w[q]))
            now.w[now.n++] = all->w[q];
    sb_par_run(&bn->pl->par, build, &now, 0, now.n, 1);
    for (int q = 0; q < now.n; q++)
        sb_bench_run(bn, now.w[q], now.plan[q]);
}

static void
try_at_hand(sb_bench *bn, const few *all)
{
    sb_plan *plan;

    for (int q = 0; q < all->n; q++)
        if (!all->w[q]->tried && sb_plan_build(&plan, bn->pl, &all->w[q]->choice,
                                               SB_KERNEL_STORED, NULL) == SB_OK)
            sb_bench_run(bn, all->w[q], plan);
}

void
sb_bench_device(sb_bench *bn)
{
    sb_planner *pl = bn->pl;
    few all = {.pl = pl};

    for (int q = 0; q < pl->nweighed && all.n < SB_FEW; q++)
        if (!pl->weighed[q].dropped)
            all.w[all.n++] = &pl->weighed[q];
    sb_bench_as_is(bn);
    try_at_hand(bn, &all);
    try_compiled(bn, &all, true);
    try_compiled(bn, &all, false);
    for (int q = 0; q < all.n; q++)
        if (!all.w[q]->tried)
            all.w[q]->dropped = "not at hand, and too little to gain for compiling it";
}
