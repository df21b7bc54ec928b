/*
 * The model for one column where gathers are fast: forms whose terms, or whose terms of doubles, were
 * fitted on Emerald Rapids (docs/planner.md, Fitting the model); all else is cost_vector.c's.
 */
#include "planner/cost.h"

#include <math.h>

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

void
sb_vector_fast(sb_terms *out, const sb_vector_part *p, const sb_stats *s,
               const sb_target *t, bool packed)
{
    const bool doubles = p->x_size > 4 && !p->complex;

    switch (p->choice->kind) {
    case SB_PART_UBCSR:
        unaligned(out, p, t);
        return;
    case SB_PART_ALIKE:
        alike(out, p, s, t);
        return;
    case SB_PART_WIN: /* of doubles they gain more against masks */
        if (doubles) {
            out->unit *= 0.7;
            out->entry *= 0.7;
        }
        return;
    case SB_PART_SELL:
        if (packed && doubles)
            out->entry *= 0.88;
        return;
    default:
        return;
    }
}
