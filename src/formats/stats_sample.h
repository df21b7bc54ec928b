/*
 * The sampled half of the statistics: reuse windows, full blocks, diagonals. Called by
 * sb_stats_collect only.
 */
#ifndef SB_FORMATS_STATS_SAMPLE_H
#define SB_FORMATS_STATS_SAMPLE_H

#include "formats/stats.h"

/* s->sorted is there; jobs of the team write features of their own. */
sb_status sb_stats_sample(sb_stats *s, const sb_view *v, sb_stats_use use,
                          const sb_par *par);

#endif
