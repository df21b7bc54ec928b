/*
 * Strips: tiles of rows in place for groups of lanes (base/gpu_shape.h), about as many rows and
 * entries each, and rows that would keep a group busy for long for all groups of a block.
 */
#include "planner/context.h"

/* Entries of a row that all groups of a block share: where rows are that long anyway they are left
 * whole up to the second. Measured on an H100. */
enum { LONG = 64, LONGER = 96 };

static void
put(sb_tile *tile, int64_t *n, int64_t lo, int64_t hi, int64_t share)
{
    if (tile)
        tile[*n] = (sb_tile){0, lo, hi, share};
    ++*n;
}

static int64_t
length(const sb_view *v, int64_t i)
{
    return sb_view_lo(v, i + 1) - sb_view_lo(v, i);
}

static int64_t
longest_whole(const sb_part_group *g, const sb_view *v)
{
    const int64_t rows = g->hi - g->lo,
                  entries = sb_view_lo(v, g->hi) - sb_view_lo(v, g->lo),
                  usual = rows > 0 ? entries / rows * 3 / 2 : 0;

    return usual < LONG ? LONG : usual < LONGER ? usual : LONGER;
}

/* Long rows first, because they take longest. */
void
sb_strips_cut(sb_tile *tile, int64_t *n, const sb_part_group *g, const sb_view *v,
              const sb_gpu_shape *s, int64_t first)
{
    const int64_t most = longest_whole(g, v);
    int64_t lo = g->lo;

    for (int64_t i = g->lo; i < g->hi; i++) {
        if (length(v, i) <= most)
            continue;
        while ((*n - first) % s->rows_per_tile != 0)
            put(tile, n, i, i, 0);
        for (int q = 1; q <= s->rows_per_tile; q++)
            put(tile, n, i, i + 1, q);
    }
    while (lo < g->hi) {
        int64_t items = 0, hi = lo;

        while (hi < g->hi && length(v, hi) <= most &&
               (items == 0 || items + length(v, hi) < s->strip))
            items += length(v, hi++) + 1;
        if (hi > lo)
            put(tile, n, lo, hi, 0);
        lo = hi;
        while (lo < g->hi && length(v, lo) > most)
            lo++;
    }
}
