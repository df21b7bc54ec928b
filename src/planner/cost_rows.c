/*
 * What windows, blocks and panels take against plain rows of the same entries: fitted to timings
 * of both, on Zen 3 and 4 (Zen 5: cost_rows_wide.c; partitions: cost_parts.c), where it tells more than terms of their own did.
 */
#include "planner/cost.h"
#include "planner/rules.h"

#include <math.h>

/* A pass over some columns of B, fitted to how many times as fast as plain rows
 * they are (docs/measured/model.md, Windows of Zen 3): of windows by runs, and of
 * columns that rows share. */
static double
pass_zen3(const sb_part_choice *p, const sb_amounts *am, const sb_stats *s, bool packed)
{
    static const double by_run[] = {
        [2] = 5.3, [3] = 4.1, [4] = 4.9, [5] = 5.4, [6] = 5.9, [7] = 9, [8] = 12};
    static const double listed[] = {
        [2] = 4.8, [3] = 3.8, [4] = 4.3, [5] = 4.8, [6] = 5.3, [7] = 9, [8] = 12};
    const double run = s->win_run[sb_stats_window(p->size)];
    const double shared = am->slots / p->size, alone = am->entries - am->slots;

    if (p->kind == SB_PART_SHARE)
        return shared * listed[p->size] + alone * (p->size == 2 ? 4.6 : 2.9) +
               (packed ? 0 : 0.3 * am->entries);
    return shared * (by_run[p->size] + (run > 0 ? 6.3 / run : 0)) +
           alone * (p->size == 2 ? 5.5 : 3.6);
}

/* The same of blocks; more than four rows spill sums. What they leave is another part, which
 * waits for theirs and brings rows of C back. */
static double
block_pass(const sb_part_choice *p, const sb_amounts *am, const sb_work *w, bool packed)
{
    static const double entry[][2] = {
        {2.8, 2.3}, {1.25, 0.95}, {1.3, 1.05}, {1.5, 1.35}};
    const int q = p->size < 5 ? p->size - 2 : 3;

    return am->entries * entry[q][packed] *
           (am->entries < 0.99 * (double)w->nnz ? 1.35 : 1);
}

static double
on_zen3(const sb_part_choice *p, const sb_amounts *am, const sb_work *w,
        const sb_stats *s, const sb_target *t, bool packed)
{
    const double row = (double)w->n * w->b_size, vectors = row / 32;
    const double passes = ceil(vectors / (p->size == 2 ? 4 : 2));
    const double rows = (double)s->rows;
    double pass, ratio;

    pass = 20 * rows + (sb_cost_windows(p) ? pass_zen3(p, am, s, packed)
                                           : block_pass(p, am, w, packed));
    ratio = passes * pass / (9.4 * rows + am->entries * vectors * 0.87);
    if (p->size == 2 &&
        w->b_size > 4) /* which read A twice where floats read it once */
        ratio *= 1.06;
    /* Pieces of rows of B that lie apart use some sets of L1 alone: a long row pushes them out
     * before the next has read them, a window reads them once. */
    if (row >= 512 && s->mean * row > 32768)
        ratio /= 1.35;
    /* Where rows of B that a row names stay in L1, the next has them there without a window. */
    if (s->mean * row <= 0.6 * (double)t->l1)
        ratio *= 1.2;
    return ratio;
}

/* Zen 4 (docs/measured/model.md, Forms against plain rows). In entries of plain
 * rows: a window by itself, a column that its rows share, more for the beginning of
 * a run of such columns, an entry left over. By rows of the window, and by the
 * bytes of a row of B: 128, 256 .. 4096. */
enum { LONGS = 6 };

static const double window_alone[LONGS] = {7, 5, 4.5, 4, 1, 2.5};
static const double window_column[][LONGS] = {[2] = {1.38, 1.23, 1.19, 1.08, 1.2, 1.19},
                                              [3] = {1.71, 1.55, 1.53, 1.35, 1.42, 1.3},
                                              [4] = {2.15, 1.95, 1.92, 1.77, 1.8, 1.55},
                                              [5] = {2.65, 2.4, 2.35, 2.15, 2.15, 1.9},
                                              [6] = {3.14, 2.8, 2.77, 2.55, 2.53, 2.2},
                                              [7] = {3.7, 3.35, 3.25, 3.1, 3.05, 2.65},
                                              [8] = {4.29, 3.9, 3.7, 3.6, 3.55, 3.1}};
static const double window_run[] = {
    [2] = 2, [3] = 4, [4] = 8, [5] = 10, [6] = 12, [7] = 14, [8] = 16};

static const double window_left[] = {
    [2] = 1.05, [3] = 1, [4] = 0.93, [5] = 0.94, [6] = 0.95, [7] = 0.97, [8] = 1};

/* Four rows and more of the longest are read in so many passes that entries left over show. */
static double
left_over(const sb_part_choice *p, double row)
{
    const bool passes = p->size >= 4 && row >= (p->size == 8 ? 2048 : 4096);

    return window_left[p->size] * (passes ? 1.35 : row < 256 ? 1.08 : 1);
}

/* What plain rows gain where they ask for what the last entries name over forms that ask for nothing:
 * least where they wait for sets of L1 besides, that few of their longest rows of B fit. */
static double
gain_of_last(int64_t row, const sb_target *t)
{
    if (sb_target_zen4(t))
        return row < 512 ? 0.25 : row < 1024 ? 0.75 : 1.3;
    return row < 2048 ? 1.3 : 0.25;
}

/* What they gain where they ask for the first lines of rows of B. */
#define FIRST_LINES 1.1

/* Where plain rows of B are asked for ahead of their turn or C is stored past the caches, which
 * gains less the more rows of A share those of B. Of windows, three rows by position have kernels
 * for the latter. */
static double
far_away(bool streams, const sb_work *w, const sb_stats *s, const sb_target *t)
{
    const int64_t row = w->n * w->b_size;
    const double alone = fmin(1, fmax(0, 3 - s->r4));
    /* beside so many entries a row of C, and the last of them, are little */
    const double few = fmin(1, 40 / fmax(1, s->mean));
    const bool asks =
        row >= 256 || (t->wide && row >= 128 &&
                       sb_rule_strewn(w, sb_work_footprint(w, s), s->strewn, t));

    if (sb_rule_last(w, sb_work_footprint(w, s), s->onward, t) > 0)
        return 1 + few * gain_of_last(row, t);
    if (!asks || !(sb_rule_beyond(w, sb_work_footprint(w, s), s->strewn, 1, t) ||
                   sb_rule_past(w, s->mean, t)))
        return sb_rule_first(w, sb_work_footprint(w, s), s->strewn, t) ? FIRST_LINES
                                                                       : 1;
    if (t->wide && !streams && sb_rule_past(w, s->mean, t))
        return 1 + few * (0.15 + 0.2 * alone);
    return 1 + (t->wide ? 0.5 : few) * alone *
                   (!streams     ? 0.5
                    : row < 4096 ? 0.3
                                 : 0.15);
}

static double
windows_on_zen4(const sb_part_choice *p, const sb_amounts *am, const sb_work *w,
                const sb_stats *s, const sb_target *t, bool packed)
{
    const double row = (double)w->n * w->b_size, lines = row / 64;
    const int at = (int)fmin(LONGS - 1, floor(log2(row / 128)));
    const double run = s->win_run[sb_stats_window(p->size)];
    const double begin =
        p->kind == SB_PART_WIN && run > 0 ? window_run[p->size] / run : 0;
    const double rows = fmax(1, am->touches), shared = am->slots / p->size;
    const double alone = am->entries - am->slots;
    const double pass = rows * (window_alone[at] - packed) +
                        shared * (window_column[p->size][at] + begin) +
                        alone * left_over(p, row) * (packed ? 0.95 : 1);
    const double ratio = pass / (am->entries + rows * 4 / sqrt(lines));

    /* plain rows are faster where L1 keeps what they name */
    return ratio * (sb_rule_slim(w, t, s) ? 1.1 : 1) *
           far_away(p->size == 3 && !packed, w, s, t);
}

/* How often one of the rows before has left plain rows' next row of B in L1, as 1 over the share
 * that none has: what L1 has room for, by the bytes that a row of A names. */
static double
kept(const sb_stats *s, double named, double l1)
{
    return 6 * named <= l1 ? s->r8 : 2 * named <= l1 ? s->r4 : 1 + 0.4 * (s->r4 - 1);
}

/* Of L3, what entries of A alone take so that little is left for rows of B beyond L2, which plain rows
 * ask for in no order. */
#define CROWD 0.4

static double
crowded(const sb_work *w, double all, const sb_stats *s, const sb_target *t)
{
    const double a = (double)w->nnz * (w->a_size + w->idx_size);

    return s->strewn >= 0.5 && all > 1.5 * (double)t->l2 && a > CROWD * (double)t->l3
               ? 1.35
               : 1;
}

/* An entry of a panel comes from L1 if that has the panel's rows; of plain rows those do that it
 * has by chance or from the rows before. A segment brings a row of C and back. */
static double
panels_on_zen4(const sb_part_choice *p, const sb_amounts *am, const sb_work *w,
               const sb_stats *s, const sb_target *t, bool packed)
{
    static const double entry[] = {0.67, 0.8, 0.9}, near[] = {0.45, 0.3, 0.15};
    const double row = (double)w->n * w->b_size, bytes = row * p->size;
    const double all = sb_work_footprint(w, s), l1 = (double)t->l1;
    const double far =
        fmax(0, 1 - l1 / fmax(all, 1)) / fmax(1, kept(s, s->mean * row, l1));
    const int level = bytes <= 2 * l1 ? 0 : bytes <= 4 * l1 ? 1 : 2;
    const double segment = row < 256 ? 4.8 : row < 512 ? 3 : row < 2048 ? 1.6 : 2.2;
    const double pass =
        am->entries * entry[level] + am->units * segment * (packed ? 0.75 : 1);
    /* rows of many lines come the slower, the more of B lies beyond L2 */
    const double over = fmin(3, fmax(0, log2(2 * all / (double)t->l2)));
    const double lines = row < 512 ? 0 : row < 1024 ? 0.02 : 0.06;
    const double plain =
        (1 - near[level] * (1 - far)) * (1 + lines * over) * crowded(w, all, s, t);

    return pass / am->entries / plain * far_away(false, w, s, t);
}

/* What is known to a tenth has to gain a little more than nothing; Zen 5's windows were fitted with
 * that. */
#define MARGIN 1.03
/* Of sampled products by windows of four and six rows, of dots of 256 bytes on, on Emerald Rapids. */
#define MARGIN_TALL 1.09

bool
sb_cost_rows_ratio(double *ratio, const sb_part_choice *p, const sb_amounts *am,
                   const sb_work *w, const sb_stats *s, const sb_target *t, bool packed)
{
    const int64_t row = (w->op == SB_OP_SDDMM ? w->k : w->n) * w->b_size;
    const bool windows = sb_cost_windows(p);

    if (t->gpu || am->entries <= 0)
        return false;
    if (sb_cost_class(p) == SB_PART_ROWS && p->c > 1 && sb_rule_partitions(w, t)) {
        *ratio = sb_cost_partitions(p->c, sb_work_footprint(w, s), (double)row, s, t);
        return true;
    }
    if (w->op == SB_OP_SDDMM && sb_rule_dots_timed(t) && p->kind == SB_PART_WIN) {
        *ratio =
            (t->isa == SB_ISA_V4G && p->size > 3 && row >= 256 ? MARGIN_TALL : MARGIN) *
            sb_rows_wide_dots(p, am, w, s, t);
        return true;
    }
    if (w->op != SB_OP_SPMM)
        return false;
    if (t->isa == SB_ISA_V3 && row > 64 && (windows || p->kind == SB_PART_BSR)) {
        *ratio = on_zen3(p, am, w, s, t, packed);
        return true;
    }
    if (!sb_rule_by_price(w, t))
        return false;
    if (windows && t->wide)
        *ratio = sb_rows_wide_windows(p, am, w, s, t, packed) *
                 far_away(p->size == 3 && !packed, w, s, t);
    else if (windows)
        *ratio = MARGIN * windows_on_zen4(p, am, w, s, t, packed);
    else if (p->kind == SB_PART_PANEL && t->wide)
        *ratio = MARGIN * sb_rows_wide_panels(p, am, w, s, t, packed) *
                 far_away(false, w, s, t);
    else if (p->kind == SB_PART_PANEL)
        *ratio = MARGIN * panels_on_zen4(p, am, w, s, t, packed);
    return windows || p->kind == SB_PART_PANEL;
}

/* By Zen 4's clock on two threads 8.5, 4 and 1.3 ns an entry, in the model's
 * seconds, of which 1.3 are one by the clock (docs/measured/model.md, Forms against
 * plain rows). Masks of SpMV, a row of a chunk, by Zen 5's clock on two threads 10
 * ns, which are the model's there. */
double
sb_cost_making(const sb_part_choice *p, const sb_amounts *am, const sb_work *w,
               const sb_target *t)
{
    const double entry = p->kind == SB_PART_SHARE   ? 22e-9
                         : p->kind == SB_PART_PANEL ? 10e-9
                         : p->kind == SB_PART_WIN   ? 3.3e-9
                                                    : 0;

    if (p->kind == SB_PART_MASK)
        return t->wide && !t->gpu ? am->slots * 20e-9 / t->threads : 0;
    return sb_rule_by_price(w, t) ? (double)w->nnz * entry / t->threads : 0;
}
