/*
 * Rows in partitions of their columns, by time over that of plain rows, on a core whose L2 is large and
 * whose L3 is far away (level v4g): what a partition names of B stays in L2 while all rows pass, and
 * each piece of a row brings its row of C back. In entries whose row of B L2 has; fitted to
 * uniform matrices (docs/measured/spmm-partitions.md, What a partition costs). Of dots on Zen 5, too
 * (docs/measured/sddmm.md, Windows, asking and partitions).
 */
#include "planner/cost.h"
#include "planner/rules.h"

#include <math.h>

/* Of L2, what rows of B have beside those of A and C; to begin a row. */
static const double room = 0.8, begin = 3;

double
sb_cost_spilt(double bytes, double row, const sb_stats *s, const sb_target *t)
{
    const double held = fmin(1, room * (double)t->l2 / fmax(bytes, 1));
    /* one that comes from L3; on Zen 5 not those that the rows above have brought */
    const double afar =
        t->wide     ? 1 + (row < 1024 ? 0.6 : 0.75) * fmax(0, fmin(1, 2 - s->r4))
        : row < 512 ? 2.6
                    : 3.7;

    return held + afar * (1 - held);
}

double
sb_cost_partitions(int parts, double bytes, double row, const sb_stats *s,
                   const sb_target *t)
{
    const double mean = fmax(1, s->mean);
    const double piece = t->wide && row < 1024 ? 8 : 5; /* to begin one */
    /* columns that all rows name are in L2 as it is, so graphs gain less than uniform matrices */
    const double margin = t->wide ? 1.03 : row < 512 ? 1.35 : 1.25;

    return margin * (sb_cost_spilt(bytes / parts, row, s, t) + piece * parts / mean) /
           (sb_cost_spilt(bytes, row, s, t) + begin / mean);
}

double
sb_cost_panels_spilt(const sb_part_choice *p, const sb_work *w, const sb_stats *s,
                     const sb_target *t, bool packed)
{
    if (p->kind != SB_PART_PANEL || !sb_rule_partitions(w, t) ||
        !sb_rule_spread(s, 1) || w->n * w->b_size < 512 ||
        sb_work_footprint(w, s) <= room * (double)t->l2)
        return 1;
    return packed ? 0.8 : 0.88;
}
