/*
 * Rules for one column: which forms of slices and masks suit the machine
 * (docs/kernels.md, SpMV).
 */
#include "planner/rules.h"

#include "base/macro.h"
#include "formats/part.h"

#include <math.h>

bool
sb_rule_joined(const sb_work *w, const sb_target *t, int rows)
{
    return t->isa >= SB_ISA_V4 && rows > 2 && w->a_type == SB_F32 &&
           w->compute_size == 4;
}

/* Whether rows that come `rows` at a time have more entries seldom: two deviations. */
static bool
seldom_more(const sb_stats *s, int rows, int entries)
{
    return s->mean * rows * (1 + 2 * s->cv / sqrt(rows)) <= entries;
}

int
sb_rule_ranged(int size, const sb_stats *s, const sb_target *t)
{
    static const int floats[] = {3, 4, 6}, doubles[] = {6, 8};
    const int *ranges = size > 4 ? doubles : floats;
    const int n = size > 4 ? SB_COUNT(doubles) : SB_COUNT(floats);
    const int entries = SB_RANGED_BYTES / size;

    for (int q = 0; q < n && t->isa >= SB_ISA_V4; q++) {
        const int rows = (SB_HDIA_ROWS + ranges[q] - 1) / ranges[q];

        if (s->longest * rows <= entries || seldom_more(s, rows, entries))
            return ranges[q];
    }
    return 0;
}

bool
sb_rule_thin(const sb_work *w, const sb_target *t)
{
    return sb_target_zen4(t) && (w->a_type == SB_F32 || w->a_type == SB_F64) &&
           w->a_size == w->compute_size;
}

bool
sb_rule_packed_lanes(const sb_target *t)
{
    return sb_target_zen(t);
}

bool
sb_rule_unaligned(const sb_target *t)
{
    return sb_target_zen(t) || t->isa == SB_ISA_V4G;
}

bool
sb_rule_alike(const sb_work *w, const sb_target *t, const sb_stats *s)
{
    /* empty rows follow each other, too */
    const double empty = s->rows > 0 ? (double)s->empty / (double)s->rows : 0;

    return (t->isa == SB_ISA_V3 && s->follows >= 0.5) ||
           (t->isa >= SB_ISA_V4 && !w->complex && w->a_size == w->compute_size &&
            s->follows - empty >= (t->isa == SB_ISA_V4 ? 0.5 : 0.9));
}
