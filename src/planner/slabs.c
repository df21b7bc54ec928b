/*
 * See slabs.h. What slabs gain was measured, on Zen 3, 4 and 5 and Emerald Rapids, and is no outcome of the
 * model, which does not know of pages and of rows that share few sets
 * (docs/measured/spmm-slabs.md).
 */
#include "planner/slabs.h"

#include "planner/rules.h"
#include "runtime/slab.h"

#include <math.h>
#include <string.h>

/* Bytes: of a row of B from which on slabs may gain, of twice as many; of a row of a slab at most. */
enum { LEAST = 512, HALF = 2 * LEAST, ROW = 256 };

/* Bytes of a row of a large B, whose slabs need not be of one width. */
enum { LARGE = 1536 };

/* Columns that are turned at a time, and of how many on. */
enum { LEAST_TURNED = 8, MOST_TURNED = 64, TURNED = 4 };

/* Entries for each row turned, of several slabs and of one or two narrow ones. */
#define REUSE_SLABS 1.0
#define REUSE_SLAB 2.25
/* Entries of a row that names columns near each other, in whose slabs C is streamed. */
#define RUN_NEAR 20.0
/* A slab counts so much less than a B in place (sb_cost_spilt). */
#define BESIDE 1.5
/* Of L2, that a slab held by it may have, but where rows of B have HALF or fewer. */
#define HELD 1.2

/* Of entries, those in no order where L2 does not hold a slab and rows of B have LEAST bytes, and more; of
 * rows, those of half the mean length and more, where rows of B have HALF and fewer: where a few rows and
 * columns have most entries, these columns are near in place. */
#define STREWN_LEAST 0.92
#define STREWN_HALF 0.85
#define ALIKE 0.6

/* Rows of B of LEAST bytes, of HALF, of twice as many, of four times as many. */
enum { LENGTHS = 4 };

/* Time by slabs over time in place: of rows; panels of a slab, of packed values too, against
 * rows in place; windows. 0: there is no such form. */
typedef struct gains {
    double rows, panel, packed, windows;
} gains;

/* What was measured of a machine. Pairs: where L2 holds a slab, and elsewhere. */
typedef struct machine {
    /* Bytes of a row of a slab; of one of panels, of windows but where columns lie near, and of what
     * does; of a panel's rows of one of ROW. */
    int row[2], wide[2], panel;
    /* Of L2, what a slab of rows must have for panels of it to gain. */
    double least;
    /* Entries of a row in a panel, which brings its row of C back; the second is for rows of B
     * that are longer than HALF. */
    double run[2];
    /* Entries for each row of C and of B: what copies and more passes over A cost less than. */
    double reuse[LENGTHS][2];
    /* The same of rows of B of 2 HALF where L2 holds B, but L1 no slab. */
    double inside;
    /* Of L2, that B exceeds where its rows have LEAST, and HALF; of L3, too. */
    double beyond[2], far[2];
    /* Entries for each row and byte of an element from which on rows gain that name columns
     * side by side, where L2 holds a slab. */
    double often;
    /* Whether rows of columns near each other gain from slabs of ROW. */
    bool near;
    /* Whether slabs have to be of one width; of rows they need not where rows of B have LARGE bytes
     * and B exceeds half of L3. */
    bool even;
    /* Whether partitions of the columns serve slabs that L2 does not hold. */
    bool parts;
    gains gain[LENGTHS];
} machine;

static const machine zen3 = {.row = {ROW / 2, ROW / 2},
                             .wide = {ROW, ROW},
                             .panel = 32768,
                             .run = {20, 6},
                             .reuse = {{64, 64}, {10, 19}, {10, 19}, {10, 19}},
                             .beyond = {1, 0},
                             .often = 5,
                             .near = true,
                             .even = true,
                             .gain = {{.rows = 0.88},
                                      {0.78, 0.66, 0.64, 0.78},
                                      {0.72, 0.56, 0.54, 0.78},
                                      {0.57, 0.48, 0.46, 0.70}}};
static const machine zen4 = {
    .row = {ROW / 2, ROW / 2},
    .wide = {ROW, ROW / 2},
    .panel = 65536,
    .least = 0.25,
    .run = {8, 8},
    .reuse = {{INFINITY, INFINITY}, {20, 20}, {20, 20}, {20, 20}},
    .beyond = {0, 0.4},
    .often = INFINITY,
    .gain = {{0}, {.rows = 0.88}, {0.78, 0.72, 0.70, 0.95}, {0.72, 0.65, 0.63, 0.85}}};
static const machine zen5 = {.row = {ROW, ROW},
                             .wide = {ROW, ROW},
                             .panel = 65536,
                             .run = {40, 8},
                             .reuse = {{INFINITY, 24}, {55, 24}, {20, 20}, {20, 20}},
                             .beyond = {0, 1},
                             .far = {1.5, 0},
                             .gain = {{.rows = 0.80},
                                      {.rows = 0.80},
                                      {0.60, 0.52, 0.50, 0.65},
                                      {0.60, 0.52, 0.50, 0.65}}};
/* Emerald Rapids: windows by slabs lose to windows in place, or to rows. */
static const machine intel = {
    .row = {ROW, ROW},
    .wide = {ROW, ROW},
    .panel = 65536,
    .run = {40, 40},
    .reuse = {{INFINITY, INFINITY}, {24, 24}, {24, 24}, {24, 24}},
    .inside = 64,
    .beyond = {0, 1},
    .often = INFINITY,
    .parts = true,
    .gain = {{0}, {.rows = 0.85}, {0.62, 0.52, 0.48, 0}, {0.60, 0.50, 0.48, 0}}};

/* NULL: slabs were not measured. */
static const machine *
machine_of(const sb_target *t)
{
    if (t->isa == SB_ISA_V4G)
        return &intel;
    if (!sb_target_zen(t))
        return NULL;
    return t->isa == SB_ISA_V3 ? &zen3 : t->wide ? &zen5 : &zen4;
}

/* -1: shorter than LEAST. */
static int
length_of(const sb_work *w)
{
    const int64_t row = w->n * w->b_size;
    int length = -1;

    while (length < LENGTHS - 1 && row >= (int64_t)LEAST << (length + 1))
        length++;
    return length;
}

/* Index of the pairs: 0 where L2, or so much of it, holds a slab. */
static int
spilt(const machine *mc, const sb_work *w, const sb_target *t, double share)
{
    return (double)w->k * mc->row[0] > share * (double)t->l2;
}

static double
least_reuse(const machine *mc, const sb_work *w, const sb_target *t)
{
    const int length = length_of(w);
    const int64_t row = w->n * w->b_size;
    const double b = (double)w->k * (double)row, slab = (double)w->k * mc->row[0];
    const bool inside = length == 2 && b <= (double)t->l2 && slab > (double)t->l1;
    double reuse;

    if (mc->even && row % mc->row[0] != 0 && (row < LARGE || b <= 0.5 * (double)t->l3))
        return INFINITY;
    if (length < 0 || (length <= 1 && (b <= mc->beyond[length] * (double)t->l2 ||
                                       b <= mc->far[length] * (double)t->l3)))
        return INFINITY;
    reuse = mc->reuse[length][spilt(mc, w, t, length <= 1 ? 1 : HELD)];
    return inside ? fmax(reuse, mc->inside) : reuse;
}

/* Columns of the widest slab: of panels and of what lies near. */
static int
widest(const machine *mc, const sb_work *w, const sb_target *t)
{
    const bool beyond = (double)w->k * mc->wide[0] > HELD * (double)t->l2;

    return mc->wide[beyond] / w->b_size;
}

int
sb_slab_width(const sb_problem *pb, const sb_work *w, const sb_target *t)
{
    const machine *mc = machine_of(t);
    const double rows = fmax(1, (double)(w->m > w->k ? w->m : w->k));

    return mc && w->op == SB_OP_SPMM && !w->complex && w->b_size >= 4 &&
                   w->b_size == w->compute_size &&
                   (double)w->nnz >= least_reuse(mc, w, t) * rows &&
                   sb_slab_serves(pb, widest(mc, w, t))
               ? widest(mc, w, t)
               : 0;
}

static bool
read_slab(const char *text, int *slab)
{
    sb_choice ch;

    if (!text || sb_choice_parse(&ch, text, strlen(text), NULL) != SB_OK)
        return false;
    *slab = ch.op == SB_OP_SPMM ? ch.slab : 0;
    return true;
}

/* As many as L2 holds of B and C, or the least; of doubles half of that where it is far more.
 * Two slabs at least where rows of 32 bytes remain, so that two threads have one each. */
static int
turned_width(const sb_work *w, const sb_target *t)
{
    const double column = (double)w->k * w->b_size + (double)w->m * w->c_size;
    const double l2 = (double)t->l2;
    const int64_t half = (w->n + 1) / 2, least = 32 / w->b_size;
    int width = MOST_TURNED;

    while (width > LEAST_TURNED && width * column > l2)
        width /= 2;
    if (w->b_size >= 8 && width * column > 4 * l2)
        width /= 2;
    return width <= half ? width : (int)(half > least ? half : least);
}

int
sb_slab_turning(const sb_problem *pb, const char *text)
{
    const int64_t block = sb_matrix_block(&pb->a);
    const sb_target *t = sb_target_get();
    double entries;
    int width;
    sb_work w;

    if (pb->op != SB_OP_SPMM || pb->c.cols < 2 || !sb_slab_turns(pb) || pb->device)
        return 0;
    if (read_slab(text, &width))
        return sb_slab_serves(pb, width) ? width : 0;
    sb_work_of(&w, pb);
    width = turned_width(&w, t);
    entries =
        (double)pb->a.nnz * (double)(block * block) / fmax(1, (double)(w.m + w.k));
    if (w.n < TURNED || entries < (w.n > LEAST_TURNED ? REUSE_SLABS : REUSE_SLAB))
        return 0;
    width = width < w.n ? width : (int)w.n;
    return sb_slab_serves(pb, width) ? width : 0;
}

/* Whether L3 holds no slab of so many columns. */
static bool
beyond_l3(const sb_work *w, int width, const sb_target *t)
{
    return (double)w->k * width * w->b_size > (double)t->l3;
}

/* Bytes of slabs by rows; where rows of B have LEAST bytes, of rows alone, whose slabs are half as wide
 * where L3 does not hold them (shared_out). */
static size_t
room_by_rows(const sb_problem *pb, const sb_work *w, const sb_target *t)
{
    const int most = sb_slab_width(pb, w, t);
    const int width =
        t->wide && length_of(w) == 0 && beyond_l3(w, most, t) ? most / 2 : most;

    return sb_rule_slab_shared(w, width, t) ? sb_slab_bytes_shared(pb, width)
                                            : sb_slab_bytes(pb, width);
}

size_t
sb_slab_room(const sb_problem *pb, const char *text)
{
    size_t room, forced;
    int width;
    sb_work w;

    if (pb->op != SB_OP_SPMM || pb->device)
        return 0;
    sb_work_of(&w, pb);
    room = sb_slab_turns(pb) ? sb_slab_bytes(pb, sb_slab_turning(pb, NULL))
                             : room_by_rows(pb, &w, sb_target_get());
    if (!read_slab(text, &width))
        return room;
    forced = sb_slab_bytes(pb, width);
    return forced > room ? forced : room;
}

/* Whether slabs of ROW are of one width. */
static bool
whole(const sb_work *w)
{
    return w->n * w->b_size % ROW == 0;
}

/* Rows of B that few rows of A in a row share need no slab that L2 holds, but one whose rows do
 * not share the sets of the caches that those of B do. */
static bool
lies_near(const sb_view *v, const sb_work *w, const sb_target *t)
{
    const double mean = w->m > 0 ? (double)w->nnz / (double)w->m : 0;

    return machine_of(t)->near && length_of(w) > 1 && whole(w) && mean >= RUN_NEAR &&
           mean * ROW <= (double)t->l1 / 2 && !sb_rule_scattered(v);
}

/* Whether threads have as many slabs of so many columns each, but for an eighth. */
static bool
even(const sb_work *w, int width, const sb_target *t)
{
    const int64_t slabs = (w->n + width - 1) / width;
    const int64_t threads = t->threads > 0 ? t->threads : 1;

    return (slabs + threads - 1) / threads * threads * 7 <= slabs * 8;
}

/* Zen 5: slabs of half the width where threads would have to share what they copy of those, which
 * takes up to twice as long (docs/measured/spmm-slabs.md, Slabs of B on Zen 5), or where L3 holds none. */
static int
shared_out(const sb_work *w, int width, const sb_target *t)
{
    const bool shared = sb_rule_slab_shared(w, width, t);
    const bool uneven = !shared && !even(w, width, t) && even(w, width / 2, t);

    return t->wide && (uneven || beyond_l3(w, width, t)) ? width / 2 : width;
}

int
sb_slab_rows(const sb_problem *pb, const sb_view *v, const sb_work *w,
             const sb_target *t)
{
    const double rows = (double)(w->m > w->k ? w->m : w->k);
    const int width = sb_slab_width(pb, w, t);
    const machine *mc = machine_of(t);
    int beyond;

    if (width == 0 || lies_near(v, w, t))
        return width;
    beyond = spilt(mc, w, t, HELD);
    return (!beyond && length_of(w) > 0 &&
            (double)w->nnz >= mc->often * w->b_size * rows) ||
                   sb_rule_scattered(v)
               ? shared_out(w, mc->row[beyond] / w->b_size, t)
               : 0;
}

bool
sb_slab_strewn(const sb_work *w, double strewn, double alike, const sb_target *t)
{
    const machine *mc = machine_of(t);
    const int length = length_of(w);

    return !mc || !t->wide || !spilt(mc, w, t, HELD) ||
           (strewn >= (length > 0 ? STREWN_HALF : STREWN_LEAST) &&
            (length > 1 || alike >= ALIKE));
}

/* Whether rows alone, however they are kept, in one pass. */
static bool
is_rows(const sb_weighed *w)
{
    const sb_part_choice *p = &w->choice.part[0];

    return !w->dropped && w->choice.npart == 1 &&
           (p->kind == SB_PART_CSR || p->kind == SB_PART_PICK ||
            (p->kind == SB_PART_ROWS && p->c <= 1));
}

/* Whether rows in place in partitions of their columns, which may serve a slab that L2 does not hold. */
static bool
is_partitions(const sb_weighed *w, const sb_planner *pl)
{
    const sb_part_choice *p = &w->choice.part[0];

    return w->choice.npart == 1 && p->kind == SB_PART_ROWS && p->k < 0 && p->c > 1 &&
           pl->work.c_size >= pl->work.compute_size && sb_rule_spread(&pl->stats, p->c);
}

/* Windows, and rows of what they leave. */
static bool
is_windows(const sb_weighed *w)
{
    const sb_choice *ch = &w->choice;

    return !w->dropped && ch->npart == 2 && ch->part[1].kind == SB_PART_ROWS &&
           (ch->part[0].kind == SB_PART_WIN || ch->part[0].kind == SB_PART_SHARE);
}

/* Whether there are several, of segments long enough for their rows of C to be brought back. */
static bool
panels_serve(const sb_planner *pl, const sb_choice *ch)
{
    const machine *mc = machine_of(pl->target);
    const double run = sb_stats_panel_run(&pl->stats, ch->part[0].size);
    const bool far = length_of(&pl->work) > 1 && spilt(mc, &pl->work, pl->target, 1);

    return (mc != &intel || ch->part[0].size < pl->work.k) &&
           ch->slab * pl->work.b_size >= ROW && run >= mc->run[far] &&
           (double)pl->work.k * mc->row[0] >= mc->least * (double)pl->target->l2 &&
           pl->work.c_size >= pl->work.compute_size;
}

/* How much dearer windows and panels are where L1 keeps what a row names of a slab for the next
 * one, as it did not of B: pairs of rows take a slab at once, higher windows in two passes
 * (docs/measured/spmm-slabs.md, Slabs of B on Zen 3). */
static double
in_l1(const machine *mc, const sb_planner *pl, const sb_part_choice *p, int width)
{
    const double row = pl->stats.mean * width * pl->work.b_size;

    if (!mc->near || pl->stats.r4 < 2 || row > 0.6 * (double)pl->target->l1)
        return 1;
    return p->kind != SB_PART_PANEL && p->size == 2 ? 1.15 : 1.5;
}

static double
slab_bytes(const sb_planner *pl, int width)
{
    return (double)pl->stats.distinct * width * pl->work.b_size / BESIDE;
}

/* Of an entry, what it costs that L2 does not hold a slab, of which it keeps more than of a B that
 * somebody else wrote. */
static double
spilt_slab(const sb_planner *pl, int width)
{
    return sb_cost_spilt(slab_bytes(pl, width), ROW, &pl->stats, pl->target);
}

/* Time of a form by slabs, of which rows alone have `width` columns; 0: it has none. */
static double
form(sb_weighed *w, const sb_planner *pl, int width, double rows)
{
    const machine *mc = machine_of(pl->target);
    const gains *g = &mc->gain[length_of(&pl->work)];
    const int most = widest(mc, &pl->work, pl->target);
    const bool near = mc->near && width == most;
    sb_part_choice *p = &w->choice.part[0];

    w->choice.slab = width;
    if (w->choice.npart == 1 && p->kind == SB_PART_PANEL) {
        w->choice.slab = most;
        p->size = mc->panel / (most * pl->work.b_size);
        w->dropped = NULL;
        return !near && (!mc->even || whole(&pl->work)) && panels_serve(pl, &w->choice)
                   ? (w->choice.packed ? g->packed : g->panel) *
                         in_l1(mc, pl, p, width) * rows
                   : 0;
    }
    if (is_windows(w) && !mc->near) /* so they were measured */
        w->choice.slab = most;
    if (is_windows(w)) /* near each other, rows of B are in L1 without them */
        return near ? 0 : g->windows * in_l1(mc, pl, p, width) * w->cost.seconds;
    if (mc->parts && is_partitions(w, pl)) {
        w->dropped = NULL;
        return g->rows * rows * spilt_slab(pl, width) *
               sb_cost_partitions(p->c, slab_bytes(pl, width), ROW, &pl->stats,
                                  pl->target);
    }
    return is_rows(w) && sb_slab_strewn(&pl->work, pl->stats.strewn,
                                        sb_view_alike(&pl->view), pl->target)
               ? g->rows * fmin(rows, w->cost.seconds) *
                     (mc->parts && sb_rule_spread(&pl->stats, 1) ? spilt_slab(pl, width)
                                                                 : 1)
               : 0;
}

static bool
known(const sb_planner *pl, const sb_choice *ch)
{
    for (int q = 0; q < pl->nweighed; q++)
        if (sb_choice_equal(&pl->weighed[q].choice, ch))
            return true;
    return false;
}

void
sb_slab_weigh(sb_planner *pl)
{
    const int width = sb_slab_rows(pl->pb, &pl->view, &pl->work, pl->target);
    const int before = pl->nweighed;
    double rows = INFINITY;

    if (width == 0)
        return;
    for (int q = 0; q < before; q++)
        if (is_rows(&pl->weighed[q]))
            rows = fmin(rows, pl->weighed[q].cost.seconds);
    for (int q = 0; q < before && pl->nweighed < SB_WEIGHED_MAX; q++) {
        sb_weighed *w = &pl->weighed[pl->nweighed];
        double seconds;

        *w = pl->weighed[q];
        w->order = SB_WEIGHED_MAX + q;
        seconds = form(w, pl, width, rows);
        if (!(seconds > 0) || isinf(seconds) || known(pl, &w->choice))
            continue;
        w->cost.seconds = seconds;
        pl->nweighed++;
    }
}
