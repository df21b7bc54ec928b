/*
 * The sampled half of the statistics: reuse windows, full blocks, diagonals. Called by
 * sb_stats_collect only.
 */
#ifndef SB_FORMATS_STATS_SAMPLE_H
#define SB_FORMATS_STATS_SAMPLE_H

#include "formats/stats.h"

/* The q-th sample of [0, n): fractional parts of multiples of the golden ratio. */
static inline int64_t
sb_stats_spread(int64_t q, int64_t n)
{
    const double x = (double)(q + 1) * 0.61803398874989485;

    return (int64_t)((x - (double)(int64_t)x) * (double)n);
}

/* s->sorted is there; jobs of the team write features of their own. */
sb_status sb_stats_sample(sb_stats *s, const sb_view *v, sb_stats_use use,
                          const sb_par *par);

#endif
