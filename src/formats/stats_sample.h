/*
 * The sampled half of the statistics: reuse windows, full blocks, diagonals. Called by
 * sb_stats_collect only.
 */
#ifndef SB_FORMATS_STATS_SAMPLE_H
#define SB_FORMATS_STATS_SAMPLE_H

#include "formats/stats.h"

sb_status sb_stats_sample(sb_stats *s, const sb_view *v, sb_stats_use use);

#endif
