/*
 * The race: every legal composition is weighed by the model, unwise ones are set aside
 * with their reason, and the cheapest that can be had wins. MEASURE and EXHAUSTIVE let
 * the clock decide among the best (measure.c) or all and more (search.c).
 */
#include "planner/candidates.h"
#include "planner/levels.h"
#include "planner/row_order.h"
#include "planner/rules.h"
#include "planner/search.h"
#include "planner/slabs.h"

#include "base/alloc.h"
#include "runtime/backend.h"

#include <math.h>
#include <stdlib.h>

/* How many compositions a device tries to compile without measuring. */
enum { DEVICE_CHOICES = 3 };

/* A segment reads and writes its row of C; rows of B of one line are at hand anyway. */
static const char *
unwise_panel(const sb_planner *pl, const sb_part_choice *p, bool packed)
{
    const double line = (double)pl->work.n * pl->work.b_size;

    if (line < 128)
        return "rows of B too short for panels";
    if (pl->work.c_size < pl->work.compute_size)
        return "C would be rounded once a panel";
    if (p->size >= pl->work.k &&
        (sb_rule_by_price(&pl->work, pl->target) || pl->target->isa == SB_ISA_V4G))
        return "one panel is all of B";
    if (sb_cost_panel_run(&pl->stats, p->size) <
        sb_rule_panel_run(&pl->work, pl->target, p->size))
        return "rows too short inside a panel";
    if (!packed && !sb_rule_segments(&pl->work, pl->target))
        return "segments begin too far from each other in so large a matrix";
    return NULL;
}

/* Whether rows of B, of dots columns of the second factor, are what entries gather. */
static bool
gathers_rows(const sb_problem *pb)
{
    return pb->op != SB_OP_SDDMM || (pb->b.col_major == (pb->trans_a != SB_TRANS_N) &&
                                     pb->c.col_major != (pb->trans_b != SB_TRANS_N));
}

/* Entries of a row in a partition from which on those that neighbours share do not matter on Zen 5. */
#define MANY_IN_PARTITION 64.0

/* Whether a row's columns lie all over B, and neighbours share few of them or a row has `many`, not 0, in each
 * partition. */
static bool
priced_spread(const sb_planner *pl, const sb_part_choice *p, double many)
{
    const sb_stats *s = &pl->stats;

    return (sb_rule_spread(s, p->c) ||
            (many > 0 && s->sorted && s->mean >= many * p->c)) &&
           sb_rule_scattered(&pl->view);
}

/* A partition's rows of B are to stay in a cache: L3, or L2 where prices say so. */
static const char *
unwise_partitions(const sb_planner *pl, const sb_part_choice *p)
{
    static const char none[] = "columns too local or too few for partitions";
    const sb_stats *s = &pl->stats;
    const double columns = s->distinct > 0 ? (double)s->distinct : 1;

    if (pl->pb->op != SB_OP_SDDMM && pl->work.c_size < pl->work.compute_size)
        return "C would be rounded once a partition";
    if (sb_rule_partitions(&pl->work, pl->target) && gathers_rows(pl->pb))
        return !pl->target->wide ? (priced_spread(pl, p, 0) ? NULL : none)
               : 2 * sb_work_footprint(&pl->work, s) > (double)pl->target->l3
                   ? "partitions of so large a Y were not measured"
               : priced_spread(pl, p, MANY_IN_PARTITION) ? NULL
                                                         : none;
    if (p->c > 4)
        return "so many partitions were not measured";
    if (pl->work.n * pl->work.b_size >= 128 &&
        sb_rule_leaves(pl->pb, sb_work_footprint(&pl->work, s), s->strewn, 1,
                       pl->target))
        return "rows of so many lines need no partitions";
    return sb_rule_local(pl->target, s->r4) ||
                   sb_work_footprint(&pl->work, s) < (double)pl->target->l3 ||
                   (double)s->nnz < 8 * columns || s->mean < 4.0 * p->c
               ? none
               : NULL;
}

/* Rules the model is too coarse for: docs/kernels.md, SpMM rule 6; SpMM rule 7. */
static const char *
unwise_rest(const sb_planner *pl, const sb_part_choice *p, bool packed)
{
    const sb_stats *s = &pl->stats;

    if (p->kind == SB_PART_PANEL)
        return unwise_panel(pl, p, packed);
    if (p->kind == SB_PART_COO && pl->pb->op != SB_OP_SDDMM &&
        pl->work.c_size < pl->work.compute_size)
        return "C would be rounded once an entry";
    if (p->kind == SB_PART_PICK && p->k > 0)
        return "another order of rows is not expected to pay"; /* row_order.c */
    if (p->kind == SB_PART_ELL || p->kind == SB_PART_PICK || p->kind == SB_PART_COO)
        return pl->pb->op == SB_OP_SPMM && pl->view.crd_in_place && !pl->view.pos &&
                       s->mean >= 1
                   ? "rows in place need no positions"
                   : NULL;
    if (p->kind != SB_PART_ROWS)
        return NULL;
    if (p->k >= 0)
        return "rows by length lose the order that carries locality";
    return p->c > 1 ? unwise_partitions(pl, p) : NULL;
}

/* Doubles are eight to a vector: enough for sums by four lanes. */
static bool
products_fit(const sb_planner *pl)
{
    const bool fours =
        sb_target_zen(pl->target) || sb_rule_flows(&pl->work, pl->target);
    const int most = fours && !pl->work.complex ? 8 : 4;

    return pl->work.compute_size <= most;
}

/* Entries a row from which adding them up afterwards is dearer than groups: where sixteen
 * rows step together they come later (docs/measured/spmv-products.md, Sums of four
 * lanes). */
static double
longest_products(const sb_planner *pl)
{
    if (!sb_target_zen(pl->target))
        return sb_rule_flows(&pl->work, pl->target) && pl->work.compute_size == 4 ? 20
                                                                                  : 14;
    return pl->work.compute_size == 4 ? 28 : 16;
}

/* Whether packed columns of rows that share them are SpMV's; they were counted where they may
 * pay (create.c). */
static bool
lanes_of_rows(const sb_planner *pl)
{
    return sb_rule_packed_lanes(pl->target) && pl->opt->values_frozen &&
           pl->stats.held && pl->pb->a.batch <= 1 && !pl->work.complex;
}

/* SpMV gains from a window only along runs that fill its lanes (docs/kernels.md, SpMV
 * rule 5). */
static const char *
unwise_vector(const sb_planner *pl, const sb_weighed *w)
{
    const sb_part_choice *p = &w->choice.part[0];

    if (p->kind == SB_PART_WIN && pl->target->isa != SB_ISA_V3 && /* priced there */
        !(pl->target->isa == SB_ISA_V4G && p->size <= 4 &&
          sb_rule_flows(&pl->work, pl->target)) &&
        pl->stats.win_run[sb_stats_window(p->size)] < 20)
        return "shared runs too short for lanes";
    if (p->kind == SB_PART_WIN && lanes_of_rows(pl))
        return "columns that rows share are faster packed";
    if (sb_rule_pairs(&pl->work) && (p->kind == SB_PART_SEG || p->kind == SB_PART_PROD))
        return "pairs are gathered whole, row by row";
    if (p->kind == SB_PART_SEG && pl->stats.mean >= 128 && !sb_target_zen(pl->target) &&
        !sb_rule_flows(&pl->work, pl->target))
        return "rows long enough for lanes of their own";
    if (p->kind == SB_PART_PROD &&
        (pl->stats.mean >= longest_products(pl) || !products_fit(pl)))
        return "vectors of sums too narrow, or the buffer";
    if (p->kind == SB_PART_HDIA && pl->stats.hdia[SB_STATS_HDIA_FULL] == 0 &&
        pl->stats.hdia[SB_STATS_HDIA_SOME] == 0)
        return "no diagonals in slices of rows";
    if (p->kind == SB_PART_ALIKE && pl->opt->values_frozen)
        return "diagonals are faster packed";
    if (p->kind == SB_PART_ALIKE && !sb_rule_alike(&pl->work, pl->target, &pl->stats))
        return "few rows that follow each other";
    if (p->kind == SB_PART_SHARE && !lanes_of_rows(pl))
        return sb_rule_packed_lanes(pl->target)
                   ? "too few columns shared by neighbouring rows"
               : sb_rule_unaligned(pl->target)
                   ? "unaligned blocks are faster on this machine"
                   : "not measured on this machine";
    if (p->kind == SB_PART_UBCSR && !sb_rule_unaligned(pl->target))
        return "not measured on this machine";
    if (p->kind == SB_PART_UBCSR && sb_stats_unaligned(&pl->stats, p->size, p->c) == 0)
        return "too few columns side by side";
    if (p->kind == SB_PART_BSR || p->kind == SB_PART_DIA)
        return "slower than windows or slices for one column";
    return NULL;
}

/* Whether C is stored past the caches, as plain rows do it: of what shares rows of B, only
 * shared columns of three rows by position have kernels for that. */
static bool
streams(const sb_planner *pl, const sb_part_choice *p)
{
    return p->kind == SB_PART_SHARE && p->size == 3 &&
           sb_rule_positions(&pl->work, pl->target, p->size) &&
           sb_rule_stream(pl->pb, &pl->work, pl->stats.mean, pl->target);
}

/* By position, what sharing gains goes into positions, and windows by runs need none, but
 * where the rules know better. */
static const char *
unwise_share(const sb_planner *pl, const sb_part_choice *p, bool packed)
{
    const bool by_price = sb_rule_by_price(&pl->work, pl->target);
    const int at = sb_stats_window(p->size);

    if (!packed && pl->view.crd_in_place && !pl->view.pos &&
        (!sb_rule_positions(&pl->work, pl->target, p->size) ||
         !sb_rule_runs_cut(pl->target, &pl->stats, pl->stats.half_share[at])))
        return "windows by runs need no positions";
    if (packed && streams(pl, p))
        return "by position C is stored past the caches";
    return pl->stats.mean < 8 ||
                   (by_price ? pl->stats.r4 < 1.3
                             : pl->stats.held_share[at] < 0.5 ||
                                   pl->stats.half_share[at] <
                                       sb_rule_shared(&pl->work, pl->target))
               ? "too few columns shared by neighbouring rows"
               : NULL;
}

/* Shares of windows that leave next to nothing over. */
#define NEARLY_ALL 0.9

/* What few rows share is less than what masks cost where a register tile is wider than C;
 * of blocks all are. */
static const char *
unwise_narrow(const sb_planner *pl, const sb_part_choice *p)
{
    const int64_t n = pl->work.n, least = p->kind == SB_PART_WIN ? 4 : 8;
    const bool fits = (n == 4 || n == 8) && p->kind != SB_PART_BSR;
    const bool windows = p->kind == SB_PART_WIN || p->kind == SB_PART_SHARE;
    /* eight doubles are a register on Zen 5; floats have no kernels as narrow */
    const bool line = pl->target->wide && pl->work.compute_size == 8 && n == 8 &&
                      windows &&
                      sb_cost_shared(p, &pl->stats, pl->target) >= NEARLY_ALL;
    /* which have tiles of more columns alone; elsewhere they are not the cheapest */
    const bool pairs = pl->target->isa == SB_ISA_V4G && p->kind == SB_PART_WIN &&
                       p->size == 2 && n * pl->work.compute_size <= 64;

    if (windows && p->size == 6 && n < 32 && !line)
        return "windows of six rows want 32 columns";
    if (windows && p->size > 4 && !sb_rule_holds(&pl->work, pl->target, p->size))
        return "more sums than the registers hold";
    return pairs || (n * pl->work.c_size <= 32 && !fits && p->kind != SB_PART_DIA &&
                     p->size < least)
               ? "too few rows together for so narrow a product"
               : NULL;
}

/* Windows of sampled products share loads, of which short dots have few, and want
 * registers for the dots of a group with 4 columns (docs/measured/sddmm.md). */
static const char *
unwise_samples(const sb_planner *pl, const sb_part_choice *p)
{
    const sb_stats *s = &pl->stats;
    const bool timed = sb_rule_dots_timed(pl->target);
    const int64_t row = pl->work.k * pl->work.b_size;
    const int at = sb_stats_window(p->size);

    if (p->kind != SB_PART_WIN)
        return NULL;
    if (pl->target->isa < SB_ISA_V4)
        return "dots of four rows want 32 registers";
    if (row < (timed ? 128 : 256))
        return "dots too short to gain from shared loads";
    if (!timed && p->size < 4)
        return "so few rows together were not measured";
    if (s->win_share[at] < 0.8)
        return "too few runs shared by neighbouring rows";
    if (timed && row >= 1024 && s->mean < 40)
        return "rows too short for windows of such long dots";
    if (pl->target->isa == SB_ISA_V4G && row >= 512 && row < 1024 && p->size < 6 &&
        sb_rule_dots_window(&pl->work, sb_work_footprint(&pl->work, s), s->strewn,
                            pl->target) > 0)
        return "rows by themselves bring as much of Y from afar";
    return s->win_run[at] < 8 ? "shared runs too short for groups" : NULL;
}

/* On the CPU; a device has rules of its own (sb_gpu_unwise). */
static const char *
unwise(const sb_planner *pl, const sb_weighed *w)
{
    const sb_part_choice *p = &w->choice.part[0];
    const double least =
        fmax(p->size == 2 ? 0.6 : 0.5, sb_rule_shared(&pl->work, pl->target));
    const char *why = pl->pb->op == SB_OP_SPMV    ? unwise_vector(pl, w)
                      : w->choice.npart < 2       ? NULL
                      : pl->pb->op == SB_OP_SDDMM ? unwise_samples(pl, p)
                                                  : unwise_narrow(pl, p);

    if (why)
        return why;
    if (w->choice.npart < 2)
        return unwise_rest(pl, p, w->choice.packed);
    if (p->kind == SB_PART_BSR && sb_cost_taken(p, &pl->stats) < least)
        return "too few full blocks";
    if (p->kind == SB_PART_BSR && pl->stats.mean < 12)
        return "rows too short for blocks";
    if (p->kind == SB_PART_WIN && pl->stats.win_share[sb_stats_window(p->size)] < least)
        return "too few runs shared by neighbouring rows";
    if ((sb_cost_windows(p) || p->kind == SB_PART_BSR) && pl->pb->op == SB_OP_SPMM &&
        !(sb_cost_windows(p) && sb_rule_by_price(&pl->work, pl->target)) &&
        (pl->target->wide || !streams(pl, p)) &&
        !(pl->target->isa == SB_ISA_V4G && w->choice.packed) && /* gain there */
        !sb_rule_windows(&pl->work, pl->target, pl->stats.mean))
        return "rows too short for so wide a product";
    if (p->kind == SB_PART_SHARE && pl->pb->op != SB_OP_SPMV) /* priced there */
        return unwise_share(pl, p, w->choice.packed);
    if (p->kind == SB_PART_DIA && pl->pb->op == SB_OP_SPMM)
        return "plain rows run bands as fast and need no positions";
    if (p->kind == SB_PART_DIA && sb_cost_taken(p, &pl->stats) < 0.6)
        return "too few entries on dense diagonals";
    return unwise_rest(pl, &w->choice.part[1], w->choice.packed);
}

/* A run's share of what the parts take to be made with it. */
static double
price(const sb_weighed *w)
{
    return w->cost.seconds + w->cost.making / SB_COST_RUNS;
}

static int
by_cost(const void *x, const void *y)
{
    const sb_weighed *a = x, *b = y;

    if (!a->dropped != !b->dropped)
        return a->dropped ? 1 : -1;
    if (price(a) != price(b))
        return price(a) < price(b) ? -1 : 1;
    return a->order - b->order;
}

/* Whether one before it is the same: what a GPU takes instead of several rests is one. */
static bool
weighed_before(const sb_planner *pl, const sb_choice *ch)
{
    for (int q = 0; q < pl->nweighed; q++)
        if (sb_choice_equal(&pl->weighed[q].choice, ch))
            return true;
    return false;
}

/* The features from samples that a candidate's time depends on; 0: none. */
static unsigned
sampled_by(const sb_weighed *w)
{
    switch (w->choice.part[0].kind) {
    case SB_PART_SELL:
        return SB_STATS_OF_SELL;
    case SB_PART_WIN:
        return SB_STATS_OF_WIN;
    case SB_PART_HDIA:
    case SB_PART_ALIKE:
        return SB_STATS_OF_HDIA;
    case SB_PART_MASK:
        return SB_STATS_OF_MASK;
    case SB_PART_BSR:
        return SB_STATS_OF_BLOCKS;
    default:
        return 0;
    }
}

/* Whether what a first look has found of a candidate's features is far from what it needs:
 * a mean of runs is no bound, but shorter ones gain by no price. */
static bool
out_of_reach(const sb_planner *pl, const sb_weighed *w)
{
    const sb_stats *s = &pl->stats;

    if (w->choice.part[0].kind == SB_PART_WIN)
        return s->win_share[0] < 1.0 / 3 || /* of three rows the bound is half then */
               (pl->pb->op == SB_OP_SPMV && s->win_run[0] < 3.5);
    if (w->choice.part[0].kind == SB_PART_BSR)
        return pl->pb->op == SB_OP_SPMV ||
               fmax(s->block_share[0], s->block_share[1]) < 0.25;
    return w->dropped != NULL;
}

/* Whether rules have set aside what nobody will look at again, which most candidates
 * are: neither more samples nor slabs (slabs.c) nor an order of rows (row_order.c) bring
 * it back, and a search over levels has a price of its own. It stays without one, for
 * prices of all would take a third of a short analysis. */
static bool
stays_aside(const sb_planner *pl, const sb_weighed *w)
{
    const sb_part_choice *p = &w->choice.part[0];
    const bool comes_back =
        w->choice.npart == 1 &&
        (p->kind == SB_PART_PANEL || (p->kind == SB_PART_ROWS && p->k < 0) ||
         (p->kind == SB_PART_PICK && p->k > 0));

    return w->dropped && !comes_back && pl->opt->effort == SB_EFFORT_ESTIMATE &&
           (!sampled_by(w) || out_of_reach(pl, w));
}

static void
weigh_candidates(sb_planner *pl)
{
    const bool in = pl->view.crd_in_place && !pl->view.pos;
    const bool packed = pl->opt->values_frozen && pl->pb->a.batch <= 1;
    const int mean_k = sb_mean_k(pl->view.rows, pl->view.nnz);
    int line = 0;

    for (int q = 0; pl->nweighed < SB_WEIGHED_MAX; q++) {
        sb_weighed *w = &pl->weighed[pl->nweighed];

        *w = (sb_weighed){.order = q};
        if (!sb_candidate_next(&w->choice, pl->pb, in, packed, mean_k, &line))
            break;
        if (pl->pb->device) {
            sb_rule_gpu_rest(&w->choice, &pl->stats);
            if (weighed_before(pl, &w->choice))
                continue;
        }
        w->dropped = pl->pb->device ? NULL : unwise(pl, w);
        if (stays_aside(pl, w))
            w->cost.seconds = INFINITY;
        else
            sb_cost_predict(&w->cost, &w->choice, &pl->work, &pl->stats, pl->target);
        if (pl->pb->device) {
            w->cost.seconds *= sb_gpu_beside_strips(pl, &w->choice);
            w->dropped = sb_gpu_unwise(pl, w);
        }
        pl->nweighed++;
    }
    if (!pl->pb->device)
        sb_slab_weigh(pl);
}

/* Which features a first look leaves undecided: those of candidates that might be as fast
 * as the fastest which needs none of them, as far as so few samples tell. Beside longer products
 * samples are cheap: there it is all that are not out of reach. */
static unsigned
undecided(const sb_planner *pl)
{
    double best = INFINITY;
    unsigned found = 0;

    for (int q = 0; q < pl->nweighed; q++)
        if (!pl->weighed[q].dropped && !sampled_by(&pl->weighed[q]))
            best = fmin(best, pl->weighed[q].cost.seconds);
    for (int q = 0; q < pl->nweighed; q++)
        if ((!pl->stats.brief || pl->weighed[q].cost.seconds < 1.25 * best) &&
            !out_of_reach(pl, &pl->weighed[q]))
            found |= sampled_by(&pl->weighed[q]);
    return found & SB_STATS_OF_BLOCKS ? found | SB_STATS_OF_WIN : found; /* levels */
}

/* Sets aside what a first look alone has priced, by bounds, and found out of reach. */
static void
drop_bounded(sb_planner *pl)
{
    for (int q = 0; q < pl->nweighed; q++) {
        sb_weighed *w = &pl->weighed[q];

        if ((pl->stats.first & sampled_by(w)) && out_of_reach(pl, w) && !w->dropped)
            w->dropped = "a first look found too few of them";
    }
}

/* Weighs by a first look, then, where that leaves something open, by all samples of it; last
 * what takes a look of its own. */
static sb_status
weigh(sb_planner *pl)
{
    unsigned open;

    weigh_candidates(pl);
    open = pl->stats.first & undecided(pl);
    if (open) {
        sb_stats_refine(&pl->stats, &pl->view, open, &pl->par);
        pl->nweighed = 0;
        weigh_candidates(pl);
    }
    if (!pl->pb->device) {
        drop_bounded(pl);
        if (!(pl->stats.first & SB_STATS_OF_BLOCKS)) /* which are few */
            SB_TRY(sb_levels_search(pl));
        SB_TRY(sb_row_order_weigh(pl));
    }
    qsort(pl->weighed, (size_t)pl->nweighed, sizeof *pl->weighed, by_cost);
    return SB_OK;
}

static const char *
dropped_text(sb_status st)
{
    switch (st) {
    case SB_ENOKERNEL:
        return "no kernel at hand";
    case SB_ERESOURCES:
        return "over the memory limit";
    case SB_ENOMEM:
        return "out of memory";
    default:
        return "does not fit this matrix";
    }
}

/* On a device, where nobody has measured the model: a tenth is not worth a list of rows. */
static void
prefer_as_is(sb_planner *pl)
{
    int at = 0;

    while (at < pl->nweighed &&
           (int)pl->weighed[at].choice.part[0].kind != sb_problem_as_is(pl->pb))
        at++;
    if (at == pl->nweighed || pl->weighed[at].dropped ||
        pl->weighed[at].cost.seconds > 1.1 * pl->weighed[0].cost.seconds)
        return;
    for (; at > 0; at--) {
        const sb_weighed w = pl->weighed[at];

        pl->weighed[at] = pl->weighed[at - 1];
        pl->weighed[at - 1] = w;
    }
}

/* On a device every kernel may have to be compiled: after a few, only what reads the
 * caller's arrays as they are is worth another. */
static bool
worth_trying(const sb_planner *pl, const sb_weighed *w, int tried)
{
    return !pl->pb->device || tried < DEVICE_CHOICES ||
           (int)w->choice.part[0].kind == sb_problem_as_is(pl->pb);
}

/* The cheapest candidate that can be built, its kernels by the effort `first` if it is the
 * cheapest of all (on a device: of those that are wise), else by `rest`; NULL in *out when there is none. */
static sb_status
first_built(sb_plan **out, sb_planner *pl, const sb_weighed **won,
            sb_kernel_effort first, sb_kernel_effort rest)
{
    sb_status st, worst = SB_OK;
    int tried = 0;

    for (int q = 0; q < pl->nweighed; q++) {
        sb_weighed *w = &pl->weighed[q];
        const bool cheapest = pl->pb->device ? tried == 0 : q == 0;

        if (w->dropped || !worth_trying(pl, w, tried++))
            continue;
        st = sb_plan_build(out, pl, &w->choice, cheapest ? first : rest, NULL);
        if (st == SB_OK) {
            (*out)->predicted = w->cost.seconds;
            *won = w;
            return SB_OK;
        }
        if (st == SB_ENOMEM)
            worst = st;
        if (first != SB_KERNEL_ORDER) /* else all have another turn */
            w->dropped = dropped_text(st);
    }
    return worst;
}

/* Which composition an analysis gets may depend on what the background has made by then
 * only where the caller lets results differ, or the environment does. */
static bool
in_background(const sb_planner *pl)
{
    return pl->pb->device && pl->opt->effort == SB_EFFORT_ESTIMATE &&
           (pl->opt->atomics_allowed || sb_jit_mode() == SB_JIT_BACKGROUND);
}

sb_status
sb_plan_choose(sb_plan **out, sb_planner *pl, const sb_weighed **won)
{
    SB_TRY(weigh(pl));
    if (pl->pb->device) {
        prefer_as_is(pl);
        pl->by_ranges = pl->opt->effort == SB_EFFORT_ESTIMATE &&
                        sb_gpu_ranges(pl) < 0.9 * pl->weighed[0].cost.seconds;
        if (pl->by_ranges)
            return sb_plan_reference(out, pl);
    }
    if (pl->opt->effort == SB_EFFORT_MEASURE)
        SB_TRY(sb_plan_measure(out, pl, won));
    if (pl->opt->effort == SB_EFFORT_EXHAUSTIVE)
        SB_TRY(sb_plan_search(out, pl, won));
    if (!*out && in_background(pl))
        SB_TRY(first_built(out, pl, won, SB_KERNEL_ORDER, SB_KERNEL_STORED));
    if (!*out && pl->pb->device)
        SB_TRY(first_built(out, pl, won, SB_KERNEL_COMPILE, SB_KERNEL_COMPILE));
    if (!*out && !pl->pb->device)
        SB_TRY(first_built(out, pl, won, SB_KERNEL_STORED, SB_KERNEL_RESIDENT));
    return *out ? SB_OK : sb_plan_reference(out, pl);
}
