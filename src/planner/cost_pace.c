/*
 * What the model's terms leave out: how much slower or faster than the roofline, and than an entry
 * of plain rows one by one, a form runs on the machines that were measured.
 */
#include "planner/cost.h"
#include "planner/rules.h"

#include <math.h>

bool
sb_cost_windows(const sb_part_choice *p)
{
    return p->kind == SB_PART_WIN || p->kind == SB_PART_SHARE;
}

/* A pass over some columns of B, fitted to how many times as fast as plain rows they are
 * (docs/planner.md, Windows of Zen 3): of windows by runs, and of columns that rows share. */
static double
window_pass(const sb_part_choice *p, const sb_amounts *am, const sb_stats *s,
            bool packed)
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

bool
sb_cost_rows_ratio(double *ratio, const sb_part_choice *p, const sb_amounts *am,
                   const sb_work *w, const sb_stats *s, const sb_target *t, bool packed)
{
    const double row = (double)w->n * w->b_size, vectors = row / 32;
    const double passes = ceil(vectors / (p->size == 2 ? 4 : 2));
    const double rows = (double)s->rows;
    double pass;

    if (t->isa != SB_ISA_V3 || t->gpu || w->op != SB_OP_SPMM || row <= 64 ||
        (!sb_cost_windows(p) && p->kind != SB_PART_BSR))
        return false;
    pass = 20 * rows + (sb_cost_windows(p) ? window_pass(p, am, s, packed)
                                           : block_pass(p, am, w, packed));
    *ratio = passes * pass / (9.4 * rows + am->entries * vectors * 0.87);
    if (p->size == 2 &&
        w->b_size > 4) /* which read A twice where floats read it once */
        *ratio *= 1.06;
    /* Pieces of rows of B that lie apart use some sets of L1 alone: a long row pushes them out
     * before the next has read them, a window reads them once. */
    if (row >= 512 && s->mean * row > 32768)
        *ratio /= 1.35;
    /* Where rows of B that a row names stay in L1, the next has them there without a window. */
    if (s->mean * row <= 0.6 * (double)t->l1)
        *ratio *= 1.2;
    return true;
}

/* Rows long enough for two entries at a time keep more of B in flight, which shows while
 * a row of B is but a few lines (docs/kernels.md). A run of shared columns begins anew
 * for each window, which shows where there is little else to do. Sums of 64 columns of six
 * rows leave Zen 4 too few registers for what else a shared column needs (docs/kernels.md). */
static double
slowdown(const sb_part_choice *p, const sb_work *w, const sb_target *t, int unroll)
{
    const int64_t row = w->n * w->b_size;

    if (p->kind == SB_PART_WIN && row <= 32 && !sb_target_slow_gathers(t))
        return 1.3;
    if (p->kind == SB_PART_PANEL && t->isa == SB_ISA_V3 && row >= 256 && row < 1024)
        return row < 512 ? 0.95 : 0.88;
    /* Zen 5 waits more for L2 beside L1 than Zen 4, which shows while segments are not most of it */
    if (p->kind == SB_PART_PANEL && t->wide && row >= 256 && row < 1024)
        return 0.72;
    if (p->kind == SB_PART_SHARE && p->size >= 6 && w->n >= 64 &&
        w->compute_size == 4 && sb_target_slow_gathers(t))
        return p->size == 6 ? 1.3 : 0.95;
    if (unroll == SB_SPEC_FEW) /* Zen 4: 1.07 times as fast as fours on long rows */
        return t->isa == SB_ISA_V4G ? 0.68 : 0.78;
    /* rows one after the other: 1.12 times as fast as eights, 1.17 as pairs; of two vectors
     * 1.08 as one by one, 1.03 as pairs */
    if (unroll > SB_SPEC_FEW && row <= 32 && t->isa >= SB_ISA_V4)
        return 0.7;
    if (unroll > SB_SPEC_FEW && row > 64)
        return w->nnz < 32 * w->m ? 0.92 : 0.8;
    return unroll > 1 && row <= 256 ? 0.82 : 1;
}

/* What is left of the cost of an entry where a row of B is a line at most: most of it is
 * the chain of additions, which entries taken together do not have in common. */
static double
unchained(const sb_work *w, const sb_target *t, int unroll)
{
    if (unroll == SB_SPEC_FEW)
        return t->isa == SB_ISA_V4G ? 0.33 : 0.38;
    if (unroll > SB_SPEC_FEW && w->n * w->b_size <= 32 && t->isa >= SB_ISA_V4)
        return 0.34;
    return unroll > 1 && w->n * w->b_size <= 64 ? 0.4 : 1;
}

/* Zen 5: rows one after the other gain more than windows do from loads and operations of 64 bytes
 * (docs/kernels.md, Few columns on Zen 5). */
static double
joined_rows(const sb_work *w, const sb_target *t, int unroll)
{
    const int64_t row = w->n * w->b_size;

    return t->wide && unroll > SB_SPEC_FEW && row <= (w->compute_size > 4 ? 64 : 32)
               ? 0.8
               : 1;
}

double
sb_cost_roof_pace(const sb_part_choice *p, const sb_work *w, const sb_target *t,
                  int unroll)
{
    return joined_rows(w, t, unroll) * slowdown(p, w, t, unroll);
}

double
sb_cost_entry_pace(const sb_work *w, const sb_target *t, int unroll)
{
    return joined_rows(w, t, unroll) * unchained(w, t, unroll);
}
