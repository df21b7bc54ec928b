/*
 * The model for one column. Nothing is reused there: what counts is how many vectors of
 * x are put together from single elements (gathers), how many are loaded whole, and how
 * often a row or slice begins, against the bytes of A. Coefficients are seconds of one
 * core, fitted to docs/kernels.md's measurements.
 */
#include "planner/cost.h"

#include <math.h>

/* Sixteen elements of x from anywhere. */
static double
gather(const sb_target *t)
{
    static const double seconds[SB_ISA_COUNT] = {14e-9, 12e-9, 9e-9, 7e-9, 5.2e-9};

    return seconds[t->isa];
}

/* Row by row: with a fast gather eight lanes, whose last vector costs as much as a full
 * one; else four, loaded one by one. */
static double
rows_seconds(const sb_vector_part *p, const sb_stats *s, const sb_target *t)
{
    double vectors = 0;

    if (t->isa < SB_ISA_V4G)
        return p->rows * 5e-9 + p->entries * gather(t) / 16;
    for (int q = 1; q < SB_STATS_BUCKETS; q++)
        vectors += q <= 4
                       ? (double)s->bucket_rows[q]
                       : (double)s->bucket_nnz[q] / 8 + (double)s->bucket_rows[q] / 2;
    return p->rows * 3e-9 +
           vectors * gather(t) / 2 * p->entries / (s->nnz > 0 ? (double)s->nnz : 1);
}

/* A column of a slice costs the same however few rows have it; values in place are a
 * second gather, of neighbours. */
static double
slices_seconds(const sb_vector_part *p, const sb_stats *s, const sb_target *t,
               bool packed)
{
    const double columns = p->entries / fmax(1, s->sell_fill);
    const double slices = (double)s->rows / SB_SELL_ROWS;

    return packed ? slices * 20e-9 + columns * gather(t)
                  : slices * 25e-9 + columns * gather(t) * 1.5;
}

/* The masks of a chunk share a load of x and its column. */
static double
mask_seconds(const sb_vector_part *p, const sb_stats *s, const sb_target *t)
{
    const double x = 0.7e-9 / p->choice->size;
    const double one = t->isa >= SB_ISA_V4 ? 1.35e-9 + x : 16e-9;
    double fill = 1;

    for (int q = 0; q < SB_STATS_MASKS; q++)
        if (sb_stats_mask_size[q] == p->choice->size)
            fill = fmax(0.01, s->mask_fill[q]);
    return (double)s->rows * 4e-9 + p->entries / fill * one;
}

double
sb_vector_seconds(const sb_vector_part *p, const sb_stats *s, const sb_target *t,
                  bool packed)
{
    switch (p->choice->kind) {
    case SB_PART_CSR:
    case SB_PART_ROWS:
        return rows_seconds(p, s, t);
    case SB_PART_SEG:
        return p->rows * 3.5e-9 + p->entries * gather(t) / 8;
    case SB_PART_SELL:
        return slices_seconds(p, s, t, packed);
    case SB_PART_MASK:
        return mask_seconds(p, s, t);
    case SB_PART_WIN:
        return p->rows * 2e-9 + p->slots * 0.4e-9 + (p->entries - p->slots) * 2e-9;
    case SB_PART_BLOCKS:
        return p->rows * 4e-9 + p->entries * 0.5e-9;
    case SB_PART_BSR:
        return p->rows * 4e-9 + p->entries * (packed ? 0.5e-9 : 1e-9);
    default:
        return p->rows * 5e-9 + p->slots * (packed ? 1.2e-9 : 2e-9);
    }
}
