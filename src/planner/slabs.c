/*
 * See slabs.h. What slabs gain was measured, on Zen 3, 4 and 5, and is no outcome of the
 * model, which does not know of pages and of rows that share few sets (docs/kernels.md, Slabs
 * of B).
 */
#include "planner/slabs.h"

#include "planner/rules.h"
#include "runtime/slab.h"

#include <math.h>
#include <string.h>

/* Bytes: a row of B from which on slabs gain, or rows alone may; those of a slab; a panel's
 * rows of it. */
enum { WIDE = 2048, HALF = 1024, ROW = 256, PANEL = 65536, SAMPLES = 64 };
/* The same of Zen 3, which has half of the L2, for rows of B all over; a panel's rows of a slab
 * of ROW. */
enum { SHORT_ROW = ROW / 2, SHORT_PANEL = PANEL / 2 };

/* Columns that are turned at a time, and of how many on. */
enum { LEAST_TURNED = 8, MOST_TURNED = 64, TURNED = 4 };

/* Entries for each row of C and of B: what copies and more passes over A cost less than. */
#define REUSE 20.0
/* ... on Zen 3, where L2 holds a slab; and where rows name columns side by side, for
 * each byte of an element. */
#define REUSE_HELD 10.0
#define REUSE_NEAR 5.0
/* ... where rows of B have HALF of WIDE, on Zen 5. */
#define REUSE_HALF 55.0
/* Entries for each row turned, of several slabs and of one or two narrow ones. */
#define REUSE_SLABS 1.0
#define REUSE_SLAB 2.25
/* Entries of a row in a panel, which brings its row of C back. */
#define PANEL_RUN 8.0
/* ... on Zen 5, where L2 holds the slab; on Zen 3. */
#define PANEL_RUN_HELD 40.0
#define PANEL_RUN_SHORT 20.0
#define PANEL_RUN_SPILT 6.0 /* where L2 does not hold a slab */
/* Entries of a row that name columns near each other, in whose slabs C is streamed. */
#define RUN_NEAR 20.0

/* Time by slabs over time in place: of rows; panels of a slab, of packed values too, against
 * rows in place; windows. */
typedef struct gains {
    double rows, panel, packed, windows;
} gains;

/* Zen 3. */
static bool
half_l2(const sb_target *t)
{
    return t->isa == SB_ISA_V3;
}

static gains
gains_of(const sb_work *w, const sb_target *t)
{
    const int64_t row = w->n * w->b_size;

    if (half_l2(t))
        return row >= 2 * WIDE ? (gains){0.62, 0.48, 0.46, 0.70}
               : row >= WIDE   ? (gains){0.78, 0.56, 0.54, 0.78}
                               : (gains){0.85, 0.66, 0.64, 0.78};
    if (!t->wide)
        return (gains){0.85, 0.72, 0.70, 0.80};
    return w->n * w->b_size >= WIDE ? (gains){0.60, 0.52, 0.50, 0.65}
                                    : (gains){.rows = 0.80};
}

/* Of 256 bytes a row, on Zen 3 of half of them; on Zen 4, in a slab that it does not hold, a row
 * has half of them, too. */
static double
slab_bytes(const sb_work *w, const sb_target *t)
{
    return (double)w->k * (half_l2(t) ? SHORT_ROW : ROW);
}

static bool
l2_holds(const sb_work *w, const sb_target *t)
{
    return slab_bytes(w, t) <= 1.2 * (double)t->l2;
}

/* Rows that have HALF of WIDE lie close enough but where L2 holds a slab and not B. */
static double
least_reuse(const sb_work *w, const sb_target *t)
{
    const double row = (double)w->n * w->b_size, k = (double)w->k;

    if (half_l2(t))
        return row < HALF ? INFINITY : l2_holds(w, t) ? REUSE_HELD : REUSE - 1;
    if (row >= WIDE)
        return REUSE;
    return t->wide && row >= HALF && k * ROW <= (double)t->l2 && k * row > (double)t->l2
               ? REUSE_HALF
               : INFINITY;
}

int
sb_slab_width(const sb_problem *pb, const sb_work *w, const sb_target *t)
{
    const double rows = (double)(w->m > w->k ? w->m : w->k);
    const bool whole = half_l2(t) || t->wide || l2_holds(w, t);
    const int width = (whole ? ROW : ROW / 2) / w->b_size;

    return sb_target_zen(t) && w->op == SB_OP_SPMM && !w->complex && w->b_size >= 4 &&
                   w->b_size == w->compute_size &&
                   (double)w->nnz >= least_reuse(w, t) * rows &&
                   sb_slab_serves(pb, width)
               ? width
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
    entries = (double)pb->a.nnz * (double)(block * block) / (double)(w.m + w.k);
    if (w.n < TURNED || entries < (w.n > LEAST_TURNED ? REUSE_SLABS : REUSE_SLAB))
        return 0;
    width = width < w.n ? width : (int)w.n;
    return sb_slab_serves(pb, width) ? width : 0;
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
    width = sb_slab_turns(pb) ? sb_slab_turning(pb, NULL)
                              : sb_slab_width(pb, &w, sb_target_get());
    room = sb_slab_bytes(pb, width);
    if (!read_slab(text, &width))
        return room;
    forced = sb_slab_bytes(pb, width);
    return forced > room ? forced : room;
}

/* From the first to the last entry, which are the outermost where columns are in order. */
static bool
scattered(const sb_view *v)
{
    const int64_t n = v->rows < SAMPLES ? v->rows : SAMPLES;
    double span = 0;
    int64_t rows = 0;

    for (int64_t q = 0; q < n; q++) {
        const int64_t i = v->rows / n * q + v->rows % n * q / n;
        const int64_t lo = sb_view_lo(v, i), hi = sb_view_lo(v, i + 1);

        if (hi - lo < 2)
            continue;
        span += fabs((double)(sb_view_col(v, hi - 1) - sb_view_col(v, lo)));
        rows++;
    }
    return span > 0.5 * (double)rows * (double)v->cols;
}

/* Zen 3: rows of B that few rows of A in a row share need no slab that L2 holds, but one whose
 * rows do not share the sets of the caches that those of B do. */
static bool
crowded(const sb_problem *pb, const sb_view *v, const sb_work *w, const sb_target *t)
{
    const double mean = w->m > 0 ? (double)w->nnz / (double)w->m : 0;

    return half_l2(t) && w->n * w->b_size >= WIDE && mean >= RUN_NEAR &&
           mean * ROW <= (double)t->l1 / 2 && sb_rule_stream(pb, w, mean, t) &&
           !scattered(v);
}

static bool
serves(const sb_view *v, const sb_work *w, const sb_target *t)
{
    const double rows = (double)(w->m > w->k ? w->m : w->k);
    const bool often =
        t->wide || (half_l2(t) && (double)w->nnz >= REUSE_NEAR * w->b_size * rows);

    return (often && l2_holds(w, t)) || scattered(v);
}

int
sb_slab_rows(const sb_problem *pb, const sb_view *v, const sb_work *w,
             const sb_target *t)
{
    const int width = sb_slab_width(pb, w, t);

    if (width == 0 || crowded(pb, v, w, t))
        return width;
    return !serves(v, w, t) ? 0 : half_l2(t) ? SHORT_ROW / w->b_size : width;
}

/* Whether rows alone, however they are kept; slabs serve better than partitions. */
static bool
is_rows(const sb_weighed *w)
{
    const sb_part_kind kind = w->choice.part[0].kind;

    return !w->dropped && w->choice.npart == 1 &&
           (kind == SB_PART_CSR || kind == SB_PART_PICK || kind == SB_PART_ROWS);
}

/* Windows, and rows of what they leave. */
static bool
is_windows(const sb_weighed *w)
{
    const sb_choice *ch = &w->choice;

    return !w->dropped && ch->npart == 2 && ch->part[1].kind == SB_PART_ROWS &&
           (ch->part[0].kind == SB_PART_WIN || ch->part[0].kind == SB_PART_SHARE);
}

/* Whether segments are long enough for their rows of C to be brought back. */
static bool
panels_serve(const sb_planner *pl, const sb_choice *ch)
{
    const double run = sb_stats_panel_run(&pl->stats, ch->part[0].size);
    const double slab = slab_bytes(&pl->work, pl->target), l2 = (double)pl->target->l2;
    double least = PANEL_RUN;

    if (half_l2(pl->target))
        least = slab > l2 ? PANEL_RUN_SPILT : PANEL_RUN_SHORT;
    else if (pl->target->wide && slab <= l2)
        least = PANEL_RUN_HELD;
    return ch->slab * pl->work.b_size >= ROW && run >= least &&
           pl->work.c_size >= pl->work.compute_size;
}

/* Time of a form by slabs, of which rows alone have `width` columns; 0: it has none. */
static double
form(sb_weighed *w, const sb_planner *pl, int width, double rows)
{
    const gains g = gains_of(&pl->work, pl->target);
    const int widest = sb_slab_width(pl->pb, &pl->work, pl->target);
    const bool near = half_l2(pl->target) && width == widest;
    sb_part_choice *p = &w->choice.part[0];

    w->choice.slab = width;
    if (w->choice.npart == 1 && p->kind == SB_PART_PANEL) {
        w->choice.slab = widest;
        p->size =
            (half_l2(pl->target) ? SHORT_PANEL : PANEL) / (widest * pl->work.b_size);
        w->dropped = NULL;
        return !near && panels_serve(pl, &w->choice)
                   ? (w->choice.packed ? g.packed : g.panel) * rows
                   : 0;
    }
    if (is_windows(w)) /* near each other, rows of B are in L1 without them */
        return near ? 0 : g.windows * w->cost.seconds;
    return is_rows(w) && p->c <= 1 ? g.rows * fmin(rows, w->cost.seconds) : 0;
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
