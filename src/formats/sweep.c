/*
 * How a stretch of keys is marked.
 */
#include "formats/sweep.h"

#include <string.h>

enum { FEW = 16 }; /* entries of a row */

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

/* Whether row r has the keys of this stretch that the row before it has. */
static bool
alike(const sb_sweep *sw, int r)
{
    const int32_t *c32 = sw->v->crd, *one = c32 + sw->read[r - 1];
    const int32_t *other = c32 + sw->read[r];
    const int64_t ones = sw->end[r - 1] - sw->read[r - 1];
    const int64_t others = sw->end[r] - sw->read[r], n = ones < others ? ones : others;
    const int64_t past =
        sw->first + SB_SWEEP_STRETCH + sw->v->crd_base + (int64_t)sw->skew * (r - 1);
    const uint32_t skew = (uint32_t)sw->skew;
    int64_t q = 0;

    if (sw->head[r] != sw->head[r - 1])
        return false;
    for (uint32_t differ = 0; q + 8 <= n && one[q + 7] < past; q += 8) {
        for (int k = 0; k < 8; k++)
            differ |= ((uint32_t)one[q + k] + skew) ^ (uint32_t)other[q + k];
        if (differ)
            return false;
    }
    for (; q < n && one[q] < past; q++)
        if ((uint32_t)one[q] + skew != (uint32_t)other[q])
            return false;
    return (q == ones || one[q] >= past) && (q == others || other[q] >= past + skew);
}

/* Rows [r, past), which are alike, up to the end of the stretch; `wide`, `some`, whether entries may
 * be taken, and `few` are constant where this is inlined. A word's bits come together in a register,
 * for neighbours would wait for each other's stores; but of few entries nobody foresees which lie
 * in one word. */
SB_INLINE void
mark_rows(sb_sweep *sw, int r, int past, bool wide, bool some, bool few)
{
    const int32_t *c32 = sw->v->crd;
    const int64_t *c64 = sw->v->crd;
    const uint8_t *taken = sw->taken;
    const int64_t end = sw->end[r];
    const int64_t from = sw->first + sw->v->crd_base + (int64_t)sw->skew * r;
    const uint16_t holders = (uint16_t)((1u << past) - (1u << r));
    const int64_t begin = sw->read[r];
    int64_t p = sw->read[r], k, at = 0;
    uint64_t bits = 0, words = 0;

    for (; p < end && (k = (wide ? c64[p] : c32[p]) - from) < SB_SWEEP_STRETCH; p++) {
        if (some && taken[p])
            continue;
        sw->mask[k] |= holders;
        if (few) {
            sw->word[k / 64] |= UINT64_C(1) << k % 64;
            words |= UINT64_C(1) << k / 64;
            continue;
        }
        if (k / 64 != at) {
            sw->word[at] |= bits;
            at = k / 64;
            bits = 0;
            words |= UINT64_C(1) << at;
        }
        bits |= UINT64_C(1) << k % 64;
    }
    sw->word[at] |= bits;
    sw->words |= words | (sw->word[0] != 0);
    go_on(sw, r, p);
    for (int next = r + 1; next < past; next++)
        go_on(sw, next, sw->read[next] + p - begin);
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
    for (int r = 0, past; r < sw->rows; r = past) {
        past = r + 1;
        /* columns may be as large as their type allows */
        if (sw->head[r] == INT64_MAX || sw->head[r] - SB_SWEEP_STRETCH >= least)
            continue;
        while (!wide && !sw->taken && past < sw->rows && alike(sw, past))
            past++;
        if (sw->taken)
            mark_rows(sw, r, past, wide, true, false);
        else if (wide)
            mark_rows(sw, r, past, true, false, false);
        else if (sw->end[r] - sw->read[r] <= FEW)
            mark_rows(sw, r, past, false, false, true);
        else
            mark_rows(sw, r, past, false, false, false);
    }
    return true;
}
