/*
 * The model for one column where gathers are fast: forms whose terms, or whose terms
 * of doubles, were fitted on Emerald Rapids (docs/measured/model.md, SpMV on Emerald
 * Rapids); all else is cost_vector.c's.
 */
#include "planner/cost.h"
#include "planner/rules.h"

#include <math.h>

/* Seconds of a row, of one of mixed lengths or of one that is not foreseen besides, of an entry, of a new
 * line of x. */
typedef struct pace {
    double row, mixed, forgotten, entry, late;
} pace;

/* Rows of which half are forgotten before they come again. */
enum { REMEMBERED = 50000 };

/* Vectors that go on from row to row, and products of four lanes: 31 matrices, rms of logarithms 0.12 to
 * 0.15, at the pace of the other forms. */
static void
vectors(sb_terms *out, const sb_vector_part *p, const sb_stats *s, const sb_target *t)
{
    static const pace flow[] = {{3.1e-9, 1.2e-9, 0, 0.225e-9, 0.04e-9},
                                {2.5e-9, 0, 3.9e-9, 0.25e-9, 0.2e-9}},
                      product[] = {{1.2e-9, 3.2e-9, 0.35e-9, 0.28e-9, 0.045e-9},
                                   {0.85e-9, 0, 3.7e-9, 0.35e-9, 0.28e-9}};
    const pace *by = &(p->choice->kind == SB_PART_SEG ? flow : product)[p->x_size > 4];
    const double forgotten = sb_vector_forgotten(p, s, REMEMBERED);

    out->unit = p->rows *
                (by->row + by->mixed * sb_vector_mixed(s) + by->forgotten * forgotten);
    out->entry =
        p->entries * by->entry + by->late * sb_vector_lines(p, s, (double)t->l1 / 4);
}

/* Sums that the rows of a window make together (sb_rule_joined) cost it the same however many these are,
 * and masks have room between them: 90 plans of 30 matrices, rms 0.12. */
static void
masks(sb_terms *out, const sb_vector_part *p, const sb_stats *s)
{
    if (!p->flows || p->x_size > 4 || p->choice->size <= 2)
        return;
    out->unit = (double)s->rows * 10.6e-9 / p->choice->size;
    out->entry *= 0.85;
}

/* Values in place that are looked up in ranges. */
static void
diagonals(sb_terms *out, const sb_vector_part *p, const sb_stats *s, const sb_target *t)
{
    const bool wide = p->x_size > 4;

    if (!p->flows || sb_rule_ranged(p->x_size, s, t) == 0)
        return;
    out->unit *= wide ? 1 : 0.4;
    out->entry *= wide ? 1.6 : 1.4;
}

/* A group of rows; a block, each of its rows, and their bytes, the more where L2 does not hold
 * them, or L3: 235 plans of 28 matrices in f32 and f64, rms of logarithms 0.21; at the pace of the other
 * forms, which take 1.2 times what their terms say. */
static void
unaligned(sb_terms *out, const sb_vector_part *p, const sb_target *t)
{
    const int rows = p->choice->size, cols = p->choice->c;
    const double bytes = p->slots * p->x_size;

    out->unit = p->rows / rows * 5.8e-9;
    out->entry = p->slots / (rows * cols) * (0.56e-9 + rows * 0.11e-9) +
                 bytes * 0.009e-9 + fmax(0, bytes - (double)t->l2) * 0.024e-9 +
                 fmax(0, bytes - (double)t->l3) * 0.03e-9;
}

/* Steps of rows that follow each other; lone rows as they are. */
static void
alike(sb_terms *out, const sb_vector_part *p, const sb_stats *s, const sb_target *t)
{
    const double steps = sb_vector_alike(p, s);
    const double diagonal = p->x_size > 4 ? 4e-9 : 2.4e-9;

    sb_vector_groups(out, p, s, t);
    out->unit = steps * 6e-9 + s->lone * out->unit;
    out->entry = steps * s->mean * diagonal + s->lone * out->entry;
}

/* Rows, runs, columns that so many rows share, and what is left over: 105 plans of 27 matrices, rms of
 * logarithms 0.23 for floats, 0.14 for doubles, against vectors that go on. Six rows and more have no kernels
 * built in. */
static void
windows(sb_terms *out, const sb_vector_part *p, const sb_stats *s)
{
    static const double begin[] = {2.65e-9, 2.85e-9}, each[] = {5.7e-9, 3.85e-9},
                        left[] = {1.35e-9, 1.25e-9};
    static const double column[][5] = {{0, 0, 0.29e-9, 0.365e-9, 0.455e-9},
                                       {0, 0, 0.445e-9, 0.625e-9, 0.73e-9}};
    const int w = p->x_size > 4, rows = p->choice->size;
    const double run = fmax(1, s->win_run[sb_stats_window(rows)]);

    if (!p->flows || rows > 4) {
        out->unit *= 3;
        return;
    }
    out->unit = p->rows * begin[w];
    out->entry = p->slots / rows * (column[w][rows] + each[w] / run) +
                 (p->entries - p->slots) * left[w];
}

void
sb_vector_fast(sb_terms *out, const sb_vector_part *p, const sb_stats *s,
               const sb_target *t, bool packed)
{
    const bool doubles = p->x_size > 4 && !p->complex;

    switch (p->choice->kind) {
    case SB_PART_SEG:
    case SB_PART_PROD:
        if (p->flows)
            vectors(out, p, s, t);
        return;
    case SB_PART_UBCSR:
        unaligned(out, p, t);
        return;
    case SB_PART_ALIKE:
        alike(out, p, s, t);
        return;
    case SB_PART_MASK:
        masks(out, p, s);
        return;
    case SB_PART_HDIA:
        if (!packed)
            diagonals(out, p, s, t);
        return;
    case SB_PART_WIN:
        windows(out, p, s);
        return;
    case SB_PART_SELL:
        out->entry *= !packed && p->flows ? 1.3 : packed && doubles ? 0.88 : 1;
        return;
    default:
        return;
    }
}
