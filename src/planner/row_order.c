/*
 * See row_order.h. What an order costs and gains is no outcome of the model, which knows windows of 64
 * neighbouring rows: it was fitted to rows timed in six orders on Zen 4, and in this one on Emerald
 * Rapids (docs/measured/spmm-orders.md). Zen 5, rows and windows, has Zen 4's weights, windows on Emerald
 * Rapids have those of its rows.
 */
#include "planner/row_order.h"

#include "base/alloc.h"
#include "formats/coarse.h"
#include "planner/communities.h"
#include "planner/rules.h"

#include <math.h>

/* Bytes of a row of B from which on an order may gain what can be measured, and from which on that pays
 * for its making within some tens of products. */
enum { LEAST_ROW = 512, LONG_ROW = 1024 };

/* The same on Emerald Rapids, whose L3 is so far: of windows, and of rows that close triangles. */
enum { LEAST_ROW_WINDOWS = 128, LEAST_ROW_CLOSED = 256 };

/* On Emerald Rapids it does from the former on where L2 holds what the making takes (communities.h),
 * so many bytes a row; beyond, and of shorter rows, where much is promised. */
enum { ROW_MAKING = 40 };

/* Of L3, what A, B and C take up where orders were timed; Zen 3 asks from less on. */
#define LEAST_L3 0.9

/* What a row of B from beyond half of L2, one from beyond half of the last cache, and a row of C that
 * does not follow the one before cost over a row of B from near: of Zen 4, and of Emerald Rapids,
 * whose last cache is far. */
typedef struct weights {
    double near, far, jump;
} weights;

static const weights zen4 = {0.36, 0.99, 0.44}, intel = {1.1, 1, 0.6};

/* Time as it is over time in order, from which on the order is taken; of rows of B shorter than LONG_ROW
 * on Emerald Rapids; of windows, where 1.5 gains and 1.08, of nodes in order, loses; of what takes tens
 * of products to pay for its making. */
#define PAYS 1.05
#define PAYS_SHORT 1.09
#define PAYS_WINDOWS 1.25
#define PAYS_LATE 1.2

/* sb_communities_closed, where it pays so late. */
#define CLOSED 0.3

/* The fillings of either cache in which a column was last read, from 1 on. */
typedef struct last {
    int32_t near, far;
} last;

sb_status
sb_row_traffic_count(sb_row_traffic *out, const sb_view *v, const int32_t *order,
                     int64_t near, int64_t far)
{
    last *of = sb_alloc_zero((size_t)v->cols * sizeof *of), now = {1, 1};
    int64_t in_near = 0, in_far = 0;

    *out = (sb_row_traffic){0};
    if (!of)
        return SB_ENOMEM;
    for (int64_t q = 0; q < v->rows; q++) {
        const int64_t i = order ? order[q] : q, hi = sb_view_lo(v, i + 1);

        out->jumps += q > 0 && order && i != order[q - 1] + 1;
        for (int64_t p = sb_view_lo(v, i); p < hi; p++) {
            last *at = &of[sb_view_col(v, p)];

            in_near += at->near != now.near;
            in_far += at->far != now.far;
            *at = now;
        }
        if (in_near >= near) {
            out->near += in_near;
            in_near = 0;
            now.near++;
        }
        if (in_far >= far) {
            out->far += in_far;
            in_far = 0;
            now.far++;
        }
    }
    out->near += in_near;
    out->far += in_far;
    sb_free(of);
    return SB_OK;
}

static double
traffic(const sb_row_traffic *rows, int64_t nnz, const weights *w)
{
    return (double)nnz + w->near * (double)rows->near + w->far * (double)rows->far +
           w->jump * (double)rows->jumps;
}

double
sb_row_traffic_ratio(const sb_row_traffic *as_is, const sb_row_traffic *order,
                     int64_t nnz, const sb_target *t)
{
    const weights *w = t->isa == SB_ISA_V4G ? &intel : &zen4;

    return traffic(order, nnz, w) / traffic(as_is, nnz, w);
}

/* pl->order of the rows of v, which are windows of so many. */
static sb_status
order_of(sb_planner *pl, const sb_view *v, int window)
{
    sb_status st;

    sb_free(pl->order);
    pl->order = sb_alloc_array(v->rows, sizeof *pl->order);
    pl->order_window = window;
    st = pl->order ? sb_communities_order(pl->order, v) : SB_ENOMEM;
    if (st != SB_OK) {
        sb_free(pl->order);
        pl->order = NULL;
    }
    return st;
}

sb_status
sb_row_order_make(sb_planner *pl, int window)
{
    sb_coarse c;
    sb_status st;

    if (pl->order && pl->order_window == window)
        return SB_OK;
    if (!sb_communities_suit(&pl->view))
        return SB_SKIP;
    if (window == 1)
        return order_of(pl, &pl->view, 1);
    SB_TRY(sb_coarse_make(&c, &pl->view, window, &pl->par));
    st = order_of(pl, &c.v, window);
    sb_coarse_free(&c);
    return st;
}

static bool
in_order(const sb_weighed *w)
{
    return w->choice.npart == 1 && w->choice.part[0].kind == SB_PART_PICK &&
           w->choice.part[0].k > 0;
}

/* What is cheapest so far; of those of no slab unless `slabs`, of windows alone where told. */
static const sb_weighed *
cheapest(const sb_planner *pl, bool slabs, bool windows)
{
    const sb_weighed *best = NULL;

    for (int q = 0; q < pl->nweighed; q++) {
        const sb_weighed *w = &pl->weighed[q];

        if (!w->dropped && (slabs || w->choice.slab == 0) &&
            (!windows || w->choice.part[0].kind == SB_PART_WIN) &&
            (!best || w->cost.seconds < best->cost.seconds) &&
            (w->choice.part[0].c <= 1 || pl->opt->effort == SB_EFFORT_ESTIMATE))
            best = w;
    }
    return best;
}

/* Whether that walks rows one by one, as they are, in one pass: an order changes their time, and was not
 * timed against other forms. */
static bool
by_rows(const sb_weighed *best)
{
    return best && best->choice.npart == 1 && best->choice.slab == 0 &&
           best->choice.part[0].c <= 1 &&
           (best->choice.part[0].kind == SB_PART_CSR ||
            best->choice.part[0].kind == SB_PART_ROWS ||
            best->choice.part[0].kind == SB_PART_PICK);
}

/* Of L3, a slab that asks for its rows: as fast as an order, which has to be made. */
#define SLAB_HELD 0.5

/* Of what is cheapest without slabs, what windows take at most that may be ahead of all in order, on
 * Emerald Rapids. */
#define NEARLY 1.3

/* Rows of the cheapest windows that are of no slab and nearly as cheap as all that is, 0: none are. */
static int
windows_beside(const sb_planner *pl)
{
    const sb_weighed *best = cheapest(pl, false, false),
                     *found = cheapest(pl, false, true);

    return found && found->cost.seconds <= NEARLY * best->cost.seconds
               ? found->choice.part[0].size
               : 0;
}

/* Rows of its windows if it has them, where windows in order were timed: on Zen 5, by slabs too but where
 * L3 holds one whose rows are asked for; on Emerald Rapids of windows beside it as well; else 0. */
static int
by_windows(const sb_planner *pl, const sb_weighed *best)
{
    const sb_work *w = &pl->work;
    const int slab = best ? best->choice.slab : 0;

    if (pl->target->isa == SB_ISA_V4G)
        return windows_beside(pl);
    if (!best || !pl->target->wide || best->choice.part[0].kind != SB_PART_WIN ||
        (slab > 0 && sb_rule_slab_asks(w, slab, pl->target) &&
         (double)w->k * slab * w->b_size < SLAB_HELD * (double)pl->target->l3))
        return 0;
    return best->choice.part[0].size;
}

/* Types that were measured, and whose kernels are at hand. */
static bool
known_types(const sb_planner *pl)
{
    const sb_work *w = &pl->work;

    return !w->complex && w->b_size >= 4 && w->b_size == w->compute_size &&
           pl->view.crd_type == SB_I32;
}

/* Zen: where A, B and C leave L3, and C is stored past the caches, as in all that was measured: no sooner
 * where columns come in no order. */
static bool
leaves_l3(const sb_planner *pl)
{
    const sb_work *w = &pl->work;
    const double b = sb_work_footprint(w, &pl->stats);

    return sb_target_zen(pl->target) &&
           sb_rule_stream(pl->pb, w, pl->stats.mean, pl->target) &&
           sb_rule_leaves(pl->pb, b, 0, 1, pl->target) &&
           sb_rule_bytes(w, b) > LEAST_L3 * (double)pl->target->l3 &&
           sb_rule_last(w, b, pl->stats.onward, pl->target) == 0;
}

/* Emerald Rapids: where B leaves L2; C of rows in order is always stored past the caches there. */
static bool
leaves_l2(const sb_planner *pl, bool windows)
{
    return pl->target->isa == SB_ISA_V4G &&
           (windows || sb_rule_stream_order(pl->pb, &pl->work, pl->target)) &&
           sb_work_footprint(&pl->work, &pl->stats) > (double)pl->target->l2;
}

/* Emerald Rapids: rows of B so short, or rows so many, that an order pays for its making after some tens of
 * products. */
static bool
late(const sb_planner *pl)
{
    const int64_t row = pl->work.n * pl->work.b_size;

    return pl->target->isa == SB_ISA_V4G && pl->opt->effort == SB_EFFORT_ESTIMATE &&
           (row < LEAST_ROW ||
            (row < LONG_ROW && pl->view.rows * ROW_MAKING > (int64_t)pl->target->l2));
}

/* By sizes and types, and a look at triangles where it pays late; windows: whether rows are in windows, which
 * are long. */
static bool
may_pay(const sb_planner *pl, bool windows)
{
    const sb_work *w = &pl->work;
    const bool timed = pl->opt->effort != SB_EFFORT_ESTIMATE,
               fast = pl->target->isa == SB_ISA_V4G;
    const int64_t least = fast ? (windows ? LEAST_ROW_WINDOWS : LEAST_ROW_CLOSED)
                          : timed || windows ? LEAST_ROW
                                             : LONG_ROW;

    return !pl->pb->device && w->op == SB_OP_SPMM && w->n * w->b_size >= least &&
           (timed || known_types(pl)) && (leaves_l3(pl) || leaves_l2(pl, windows)) &&
           sb_communities_suit(&pl->view) &&
           (windows || !late(pl) || sb_communities_closed(&pl->view) >= CLOSED);
}

static double
pays(const sb_planner *pl, int window)
{
    const bool few = pl->work.n * pl->work.b_size < LONG_ROW;

    return window > 1                             ? PAYS_WINDOWS
           : late(pl)                             ? PAYS_LATE
           : few && pl->target->isa == SB_ISA_V4G ? PAYS_SHORT
                                                  : PAYS;
}

/* *ratio: time of v's rows in order over time as they are, infinite where no order could
 * gain so much. A row of v stands for a window of so many, a column for so many rows of B, by which
 * all is counted: so a window that does not follow weighs as that many rows. */
static sb_status
compare(sb_planner *pl, const sb_view *v, int window, double columns, double gain,
        double *ratio)
{
    const double row = (double)(pl->work.n * pl->work.b_size) * columns;
    const int64_t near = (int64_t)((double)pl->target->l2 / 2 / row),
                  far = (int64_t)((double)pl->target->l3 / 2 / row),
                  distinct = (int64_t)((double)pl->stats.distinct / columns);
    const sb_row_traffic least = {distinct, distinct, 0};
    sb_row_traffic as_is, order;

    *ratio = INFINITY;
    SB_TRY(sb_row_traffic_count(&as_is, v, NULL, near, far));
    if (sb_row_traffic_ratio(&as_is, &least, v->nnz, pl->target) * gain > 1)
        return SB_OK; /* were each column read but once */
    SB_TRY(order_of(pl, v, window));
    SB_TRY(sb_row_traffic_count(&order, v, pl->order, near, far));
    *ratio = sb_row_traffic_ratio(&as_is, &order, v->nnz, pl->target);
    return SB_OK;
}

/* The same of windows, 1: rows. */
static sb_status
look(sb_planner *pl, int window, double gain, double *ratio)
{
    sb_coarse c;
    sb_status st;

    if (window == 1)
        return compare(pl, &pl->view, 1, 1, gain, ratio);
    SB_TRY(sb_coarse_make(&c, &pl->view, window, &pl->par));
    st = compare(pl, &c.v, window, c.columns, gain, ratio);
    sb_coarse_free(&c);
    return st;
}

/* Whether windows of so many rows gain from an order as those that were looked at do: on Emerald Rapids a
 * part of theirs as well, which may have kernels where they have none. */
static bool
alike(const sb_planner *pl, int size, int rows)
{
    return size == rows || (pl->target->isa == SB_ISA_V4G && rows % size == 0);
}

/* Windows of so many rows, of no slab, in order as well. */
static void
order_windows(sb_planner *pl, int rows, double ratio)
{
    const int before = pl->nweighed;

    for (int q = 0; q < before && pl->nweighed < SB_WEIGHED_MAX; q++) {
        const sb_weighed *as_is = &pl->weighed[q];
        sb_weighed *w = &pl->weighed[pl->nweighed];

        if (as_is->dropped || as_is->choice.slab > 0 ||
            as_is->choice.part[0].kind != SB_PART_WIN ||
            !alike(pl, as_is->choice.part[0].size, rows))
            continue;
        *w = *as_is;
        w->order = SB_WEIGHED_MAX + q;
        w->choice.part[0].k = 1;
        w->cost.seconds *= ratio;
        pl->nweighed++;
    }
}

/* Whether windows of so many rows were listed in an order. */
static sb_status
weigh_windows(sb_planner *pl, const sb_weighed *best, int rows, bool *listed)
{
    const sb_weighed *as_is = cheapest(pl, false, true);
    const bool decides = as_is && pl->opt->effort == SB_EFFORT_ESTIMATE;
    /* to be ahead of all */
    const double behind = decides ? as_is->cost.seconds / best->cost.seconds : 1,
                 gain = fmax(pays(pl, rows), behind);

    SB_TRY(look(pl, rows, gain, &pl->order_ratio));
    *listed = pl->order_ratio * gain <= 1;
    if (*listed)
        order_windows(pl, rows, pl->order_ratio);
    return SB_OK;
}

static sb_status
weigh_rows(sb_planner *pl)
{
    const double gain = pays(pl, 1);
    double ratio;

    SB_TRY(look(pl, 1, gain, &ratio));
    pl->order_ratio = ratio;
    for (int q = 0; q < pl->nweighed; q++) {
        sb_weighed *w = &pl->weighed[q];

        if (!in_order(w))
            continue;
        if (ratio * gain > 1) {
            w->dropped = "the matrix's own order of rows finds as much in the caches";
            continue;
        }
        w->cost.seconds *= ratio;
        w->dropped = NULL;
    }
    return SB_OK;
}

sb_status
sb_row_order_weigh(sb_planner *pl)
{
    const sb_weighed *best = cheapest(pl, true, false);
    const int rows = by_windows(pl, best);
    const bool timed = pl->opt->effort != SB_EFFORT_ESTIMATE;
    bool listed = false;

    if (rows > 0 && may_pay(pl, true))
        SB_TRY(weigh_windows(pl, best, rows, &listed));
    /* the orders of windows are made in a tenth of the time, and gain more beside rows as cheap */
    if ((!listed || timed) && by_rows(best) && may_pay(pl, false))
        SB_TRY(weigh_rows(pl));
    return SB_OK;
}
