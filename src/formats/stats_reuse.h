/*
 * How often neighbouring rows name the same columns: samples of r4, r8, window_* and diag_*.
 */
#ifndef SB_FORMATS_STATS_REUSE_H
#define SB_FORMATS_STATS_REUSE_H

#include "formats/stats.h"

enum { SB_REUSE_JOBS = 2 }; /* threads may share them */

typedef struct sb_reuse sb_reuse;

/* For 1 / share of the usual samples, or a first look; NULL: no memory. For sb_free. */
sb_reuse *sb_reuse_new(const sb_view *v, int share, bool brief);

/* The last job writes diag_*; the sums of all come with sb_reuse_merge. */
void sb_reuse_run(sb_stats *s, sb_reuse *r, int job);
void sb_reuse_merge(sb_stats *s, const sb_reuse *r);

#endif
