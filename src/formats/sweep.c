/*
 * How a stretch of keys is marked.
 */
#include "formats/sweep.h"

#include <string.h>

void
sb_sweep_init(sb_sweep *sw, const sb_view *v, const uint8_t *taken, int skew)
{
    sw->v = v;
    sw->taken = taken;
    sw->skew = skew;
    sw->words = 0;
    memset(sw->word, 0, sizeof sw->word);
    memset(sw->mask, 0, sizeof sw->mask);
}

/* Row r goes on at slot p or, where that is taken, behind it. */
static void
go_on(sb_sweep *sw, int r, int64_t p)
{
    while (sw->taken && p < sw->end[r] && sw->taken[p])
        p++;
    sw->read[r] = p;
    sw->head[r] =
        p < sw->end[r] ? sb_view_col(sw->v, p) - (int64_t)sw->skew * r : INT64_MAX;
}

void
sb_sweep_begin(sb_sweep *sw, int64_t first, int rows)
{
    const sb_view *v = sw->v;

    sw->rows = first + rows < v->rows ? rows : (int)(v->rows - first);
    for (int r = 0; r < sw->rows; r++) {
        sw->end[r] = sb_view_lo(v, first + r + 1);
        go_on(sw, r, sb_view_lo(v, first + r));
    }
}

/* Row r up to the end of the stretch; `wide` and `some`, whether entries may be taken, are
 * constant where this is inlined. A word's bits come together in a register: neighbours
 * would wait for each other's stores. */
SB_INLINE void
mark_row(sb_sweep *sw, int r, bool wide, bool some)
{
    const int32_t *c32 = sw->v->crd;
    const int64_t *c64 = sw->v->crd;
    const uint8_t *taken = sw->taken;
    const int64_t end = sw->end[r];
    const int64_t from = sw->first + sw->v->crd_base + (int64_t)sw->skew * r;
    const uint16_t bit = (uint16_t)(1u << r);
    int64_t p = sw->read[r], k, at = 0;
    uint64_t bits = 0, words = 0;

    for (; p < end && (k = (wide ? c64[p] : c32[p]) - from) < SB_SWEEP_STRETCH; p++) {
        if (some && taken[p])
            continue;
        if (k / 64 != at) {
            sw->word[at] |= bits;
            at = k / 64;
            bits = 0;
            words |= UINT64_C(1) << at;
        }
        bits |= UINT64_C(1) << k % 64;
        sw->mask[k] |= bit;
    }
    sw->word[at] |= bits;
    sw->words |= words | (sw->word[0] != 0);
    go_on(sw, r, p);
}

bool
sb_sweep_mark(sb_sweep *sw)
{
    const bool wide = sw->v->crd_type == SB_I64;
    int64_t least = INT64_MAX;

    for (int r = 0; r < sw->rows; r++)
        least = sw->head[r] < least ? sw->head[r] : least;
    if (least == INT64_MAX)
        return false;
    sw->first = least;
    for (int r = 0; r < sw->rows; r++) {
        /* columns may be as large as their type allows */
        if (sw->head[r] == INT64_MAX || sw->head[r] - SB_SWEEP_STRETCH >= least)
            continue;
        if (sw->taken)
            mark_row(sw, r, wide, true);
        else if (wide)
            mark_row(sw, r, true, false);
        else
            mark_row(sw, r, false, false);
    }
    return true;
}
