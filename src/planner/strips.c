/*
 * Strips: tiles of rows in place for groups of lanes (base/gpu_shape.h), about as many rows and
 * entries each, and rows that would keep a group busy for long for several of a block. A wave
 * is the blocks that a GPU runs at once: strips are as short as leaves as many waves, so that
 * the last is as full as the others. Limits were measured on an H100 and an H200.
 */
#include "planner/candidates.h"
#include "planner/context.h"

/* Entries of a row that several groups of a block share: where rows are that long anyway they are
 * left whole up to LONGER; SOON where all is one wave and such rows are at most a third of it.
 * Each of these groups has as many of them as others have items, PART at most. */
enum {
    LONG = 64,
    LONGER = 96,
    SOON = 32,
    FEW = 3,
    PART = 64,
    SHORTEST = 8,
    MANY_WAVES = 6
};

/* Rows lo .. hi, of `entries` from `first` on; share: which of `parts` of a row a group has, or 0. */
static void
put(sb_tile *tile, int64_t *n, int64_t lo, int64_t hi, int share, int parts,
    int64_t first, int64_t entries)
{
    if (tile)
        tile[*n] = (sb_tile){first, lo, hi, entries << 16 | parts << 8 | share};
    ++*n;
}

static int64_t
length(const sb_view *v, int64_t i)
{
    return sb_view_lo(v, i + 1) - sb_view_lo(v, i);
}

static int64_t
count_longer(const sb_part_group *g, const sb_view *v, int64_t most)
{
    int64_t n = 0;

    for (int64_t i = g->lo; i < g->hi; i++)
        n += length(v, i) > most;
    return n;
}

/* Entries of a row that a group has by itself. */
static int64_t
longest_whole(const sb_part_group *g, const sb_view *v, const sb_gpu_shape *s,
              int64_t blocks)
{
    const int64_t rows = g->hi - g->lo,
                  entries = sb_view_lo(v, g->hi) - sb_view_lo(v, g->lo),
                  usual = rows > 0 ? entries / rows * 3 / 2 : 0;

    if ((rows + entries) / s->strip < blocks * s->rows_per_tile &&
        count_longer(g, v, SOON) <= blocks / FEW)
        return SOON;
    return usual < LONG ? LONG : usual < LONGER ? usual : LONGER;
}

/* Strips of at most so many items, of rows that are not long; with n NULL they are counted, up to
 * one more than `room`. */
static int64_t
put_strips(sb_tile *tile, int64_t *n, const sb_part_group *g, const sb_view *v,
           int64_t strip, int64_t most, int64_t room)
{
    int64_t lo = g->lo, count = 0;

    while (lo < g->hi && count <= room) {
        const int64_t first = sb_view_lo(v, lo);
        int64_t hi = lo, at = first, next;

        while (hi < g->hi && (next = sb_view_lo(v, hi + 1)) - at <= most &&
               (hi == lo || next - first + hi - lo < strip))
            at = next, hi++;
        if (hi > lo) {
            count++;
            if (n)
                put(tile, n, lo, hi, 0, 0, first, at - first);
        }
        lo = hi;
        while (lo < g->hi && length(v, lo) > most)
            lo++;
    }
    return count;
}

/* The shortest strip with which there are as many waves of so many groups as with the usual
 * one. */
static int64_t
strip_of(const sb_part_group *g, const sb_view *v, const sb_gpu_shape *s,
         int64_t groups, int64_t most)
{
    const int64_t many = MANY_WAVES * groups;
    const int64_t usual =
        groups > 0 ? put_strips(NULL, NULL, g, v, s->strip, most, many) : 0;
    int64_t room, lo, hi = s->strip;

    if (groups <= 0 || usual > many)
        return hi;
    room = (usual + groups - 1) / groups * groups;
    lo = room > 0 ? hi * usual / room / 2 : hi; /* strips are half full at least */
    lo = lo > SHORTEST ? lo : SHORTEST;
    while (lo < hi) {
        const int64_t mid = (lo + hi) / 2;

        if (put_strips(NULL, NULL, g, v, mid, most, room) > room)
            lo = mid + 1;
        else
            hi = mid;
    }
    return hi;
}

/* Groups that share a row, a power of two. */
static int
parts_of(int64_t entries, int64_t each, int groups)
{
    int parts = 2;

    while (parts < groups && parts * each < entries)
        parts *= 2;
    return parts < groups ? parts : groups;
}

/* Up to the end of a block; parts: 1 in one that shares rows. */
static void
put_empty(sb_tile *tile, int64_t *n, const sb_part_group *g, int parts, int64_t first,
          int64_t groups)
{
    while ((*n - first) % groups != 0)
        put(tile, n, g->lo, g->lo, 0, parts, 0, 0);
}

/* Rows of more than `most` entries, those of most parts first, so that none lies in two blocks, nor
 * a strip in one with them; returns the groups that they take. */
static int64_t
put_long(sb_tile *tile, int64_t *n, const sb_part_group *g, const sb_view *v,
         const sb_gpu_shape *s, int64_t wave, int64_t most, int64_t first)
{
    const int groups = s->rows_per_tile;
    const int64_t items = g->hi - g->lo + sb_view_lo(v, g->hi) - sb_view_lo(v, g->lo);
    const int64_t fair = wave > 0 ? items / wave : PART, from = *n;
    const int64_t each = fair < SHORTEST ? SHORTEST : fair < PART ? fair : PART;
    int64_t left = count_longer(g, v, most);

    if (left == 0)
        return 0;
    put_empty(tile, n, g, 0, first, groups);
    for (int parts = groups; left > 0; parts /= 2)
        for (int64_t i = g->lo; i < g->hi; i++) {
            const int64_t entries = length(v, i);

            if (entries <= most || parts_of(entries, each, groups) != parts)
                continue;
            for (int q = 1; q <= parts; q++)
                put(tile, n, i, i + 1, q, parts, sb_view_lo(v, i), entries);
            left--;
        }
    put_empty(tile, n, g, 1, first, groups);
    return *n - from;
}

/* Long rows first, because they take longest. Where entries are is left to the offsets where
 * members of a batch have their own. */
void
sb_strips_cut(sb_tile *tile, int64_t *n, const sb_planner *pl, const sb_part_group *g,
              const sb_gpu_shape *s, int64_t first)
{
    const int64_t blocks = (int64_t)pl->target->gpu->sms * (s->resident / s->threads);
    const sb_view *v = &pl->view;
    const int64_t from = *n;
    const int64_t most = longest_whole(g, v, s, blocks);
    const int64_t wave = blocks * s->rows_per_tile;
    const int64_t groups = wave - put_long(tile, n, g, v, s, wave, most, first);

    (void)put_strips(tile, n, g, v, strip_of(g, v, s, groups, most), most, v->rows);
    for (int64_t t = from; tile && sb_problem_own_structures(pl->pb) && t < *n; t++)
        tile[t] = (sb_tile){0, tile[t].lo, tile[t].hi, tile[t].base & 0xffff};
}

void
sb_strips_place(sb_tile *tile, int64_t n, const sb_planner *pl)
{
    const bool known = !sb_problem_own_structures(pl->pb);

    for (int64_t t = 0; t < n; t++) {
        const int64_t lo = sb_view_lo(&pl->view, tile[t].lo);

        tile[t].kind = known ? lo : 0;
        tile[t].base = known ? sb_view_lo(&pl->view, tile[t].hi) - lo : 0;
    }
}
