/*
 * Samples spread over the rows by the golden ratio, so that no period of the matrix can
 * hide from them. Every sample reads a bounded number of entries; a small hash table of
 * coordinates with epochs serves reuse windows and diagonals alike.
 */
#include "formats/stats_sample.h"

#include "base/alloc.h"
#include "formats/part.h"

#include <string.h>

enum {
    TABLE_BITS = 12,
    TABLE = 1 << TABLE_BITS,
    TABLE_FILL = TABLE / 2, /* entries inserted per epoch, at most */
    WINDOW = 64,            /* rows of a reuse window */
    PAIRS = 16,             /* pairs of neighbouring windows sampled */
    PAIR_ENTRIES = 16384,   /* entries read of a pair, about */
    DIAG_ROWS = 64,
    BLOCK_ENTRIES = 8192, /* entries read per block size */
    PANEL_ENTRIES = 16384,
    SELL_WINDOWS = 64
};

typedef struct slot {
    int64_t key;
    uint32_t epoch;
    uint8_t by4, by8, half; /* last group of rows the column was seen in */
    uint16_t count;
} slot;

typedef struct sampler {
    const sb_view *v;
    slot *table;
    uint32_t epoch;
    int fill; /* slots of this epoch */
    int64_t entries, d4, d8, windows, dwin, dwin_before, second, fresh;
    double columns; /* distinct ones of all windows */
} sampler;

/* The q-th sample of [0, n): fractional parts of multiples of the golden ratio. */
static int64_t
spread(int64_t q, int64_t n)
{
    const double x = (double)(q + 1) * 0.61803398874989485;

    return (int64_t)((x - (double)(int64_t)x) * (double)n);
}

static void
begin_epoch(sampler *sm)
{
    sm->epoch++;
    sm->fill = 0;
}

/* The slot of a key in this epoch, which must have room; fresh if `*is_new`. */
static slot *
find(sampler *sm, int64_t key, bool *is_new)
{
    uint64_t h = ((uint64_t)key * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - TABLE_BITS);

    for (;; h = (h + 1) & (TABLE - 1)) {
        slot *s = &sm->table[h];

        *is_new = s->epoch != sm->epoch;
        if (*is_new) {
            memset(s, 0, sizeof *s);
            s->key = key;
            s->epoch = sm->epoch;
            sm->fill++;
        }
        if (s->key == key)
            return s;
    }
}

static void
window_entry(sampler *sm, int64_t col, int row, int half)
{
    const uint8_t by4 = (uint8_t)(row / 4 + 1), by8 = (uint8_t)(row / 8 + 1);
    bool is_new;
    slot *s = find(sm, col, &is_new);

    sm->entries++;
    sm->d4 += s->by4 != by4;
    sm->d8 += s->by8 != by8;
    sm->second += half && s->half != half + 1;
    sm->dwin += s->half != half + 1;
    sm->fresh += half && is_new;
    s->by4 = by4;
    s->by8 = by8;
    s->half = (uint8_t)(half + 1);
}

/* One in `keep` columns, by a hash: reuse of the kept ones is reuse of all. */
static bool
kept(int64_t col, uint64_t keep)
{
    /* the hash as a fraction of 2^32 below 1 / keep: no division */
    return ((uint64_t)col * UINT64_C(0xD6E8FEB86659FD93) >> 32) * keep >> 32 == 0;
}

/* Two neighbouring windows from row `first`. */
static void
window_pair(sampler *sm, int64_t first)
{
    const sb_view *v = sm->v;
    int64_t rows = WINDOW, nnz;
    uint64_t keep;
    int row = 0;

    for (;; rows /= 2) {
        const int64_t end = first + 2 * rows < v->rows ? first + 2 * rows : v->rows;

        nnz = sb_view_lo(v, end) - sb_view_lo(v, first);
        if (nnz <= PAIR_ENTRIES || rows == 8)
            break;
    }
    keep = (uint64_t)(nnz < PAIR_ENTRIES ? nnz : PAIR_ENTRIES) / TABLE_FILL + 1;
    begin_epoch(sm);
    for (int half = 0; half < 2; half++)
        for (int64_t r = 0; r < rows && first < v->rows; r++, row++, first++) {
            int64_t lo = sb_view_lo(v, first), hi = sb_view_lo(v, first + 1);

            if (hi - lo > PAIR_ENTRIES / 16)
                hi = lo + PAIR_ENTRIES / 16;
            for (; lo < hi; lo++)
                if (kept(sb_view_col(v, lo), keep) && sm->fill < TABLE / 4 * 3)
                    window_entry(sm, sb_view_col(v, lo), row, half);
        }
    sm->columns += (double)(sm->dwin - sm->dwin_before) * (double)keep;
    sm->dwin_before = sm->dwin;
    sm->windows += 2;
}

static void
sample_windows(sb_stats *s, sampler *sm)
{
    const int64_t rows = sm->v->rows;
    const int64_t room = rows > 2 * WINDOW ? rows - 2 * WINDOW : 0;
    /* small matrices: about half of their entries */
    const int64_t some = sm->v->nnz / (2 * PAIR_ENTRIES) + 4;
    const int64_t pairs = !room ? 1 : some < PAIRS ? some : PAIRS;

    for (int64_t q = 0; q < pairs; q++)
        window_pair(sm, room ? spread(q, room) / 8 * 8 : 0);
    if (sm->entries == 0)
        return;
    s->r4 = (double)sm->entries / (double)sm->d4;
    s->r8 = (double)sm->entries / (double)sm->d8;
    s->window_cols = sm->columns / (double)sm->windows;
    s->window_reuse = 1.0 - (double)sm->dwin / (double)sm->entries;
    s->window_fresh = sm->second ? (double)sm->fresh / (double)sm->second : 1.0;
}

static void
sample_diagonals(sb_stats *s, sampler *sm)
{
    const sb_view *v = sm->v;
    const int64_t n = v->rows < DIAG_ROWS ? v->rows : DIAG_ROWS;
    int64_t budget = TABLE_FILL, seen = 0, on = 0;

    begin_epoch(sm);
    for (int64_t q = 0; q < n; q++) {
        const int64_t i = n == v->rows ? q : spread(q, v->rows);
        const int64_t hi = sb_view_lo(v, i + 1);

        for (int64_t p = sb_view_lo(v, i); p < hi && budget > 0;
             p++, budget--, seen++) {
            bool is_new;

            find(sm, sb_view_col(v, p) - i, &is_new)->count++;
        }
    }
    for (int q = 0; q < TABLE; q++) {
        const slot *t = &sm->table[q];
        /* rows the diagonal crosses, as a share of all; corners count for less */
        const int64_t from = t->key < 0 ? -t->key : 0;
        const int64_t to = v->cols - t->key < v->rows ? v->cols - t->key : v->rows;
        const double share = (double)(to - from) / (double)(v->rows > 0 ? v->rows : 1);

        if (t->epoch != sm->epoch || 2 * t->count < share * (double)n || t->count < 2)
            continue;
        on += t->count;
        s->diag_count++;
    }
    s->diag_share = seen ? (double)on / (double)seen : 0;
}

/* Columns j .. j + b - 1 from slot p on, in strictly sorted columns. */
static bool
run_at(const sb_view *v, int64_t p, int64_t hi, int64_t j, int64_t b)
{
    return p + b <= hi && sb_view_col(v, p) == j &&
           sb_view_col(v, p + b - 1) == j + b - 1;
}

/* Full blocks in rows [i, i + b), a pointer per row moving right. */
static int64_t
full_blocks(const sb_view *v, int64_t i, int64_t b)
{
    int64_t at[32], end[32], found = 0;

    for (int64_t r = 0; r < b; r++) {
        at[r] = sb_view_lo(v, i + r);
        end[r] = sb_view_lo(v, i + r + 1);
    }
    while (at[0] < end[0]) {
        const int64_t j = sb_view_col(v, at[0]);
        bool full = j % b == 0 && run_at(v, at[0], end[0], j, b);

        for (int64_t r = 1; r < b && full; r++) {
            while (at[r] < end[r] && sb_view_col(v, at[r]) < j)
                at[r]++;
            full = run_at(v, at[r], end[r], j, b);
        }
        found += full;
        at[0] += full ? b : 1;
    }
    return found;
}

static double
sample_blocks(const sb_view *v, int64_t b)
{
    const int64_t groups = v->rows / b;
    int64_t seen = 0, full = 0;

    /* An empty group costs a step too: at most 1024 of them. */
    for (int64_t q = 0; q < groups && q < 1024 && seen < BLOCK_ENTRIES; q++) {
        const int64_t i = (groups <= 1024 ? q : spread(q, groups)) * b;

        seen += sb_view_lo(v, i + b) - sb_view_lo(v, i);
        full += full_blocks(v, i, b) * b * b;
        if (q >= 32 && full == 0 && seen > BLOCK_ENTRIES / 4)
            break;
    }
    return seen ? (double)full / (double)seen : 0;
}

static void
sample_win(sb_stats *s, const sb_view *v, int at)
{
    const int b = sb_stats_window_size[at];
    const int64_t windows = v->rows / b;
    int64_t seen = 0, shared = 0, held = 0, runs = 0;

    for (int64_t q = 0; q < windows && q < 1024 && seen < BLOCK_ENTRIES; q++) {
        const int64_t w = windows <= 1024 ? q : spread(q, windows);

        seen += sb_view_lo(v, w * b + b) - sb_view_lo(v, w * b);
        shared += sb_part_win_shared(v, w, b, &runs);
        held += sb_part_share_columns(v, w, b);
    }
    s->win_share[at] = seen ? (double)(shared * b) / (double)seen : 0;
    s->held_share[at] = seen ? (double)(held * b) / (double)seen : 0;
    s->win_run[at] = runs ? (double)shared / (double)runs : 0;
}

/* Where a row goes on in another panel, for all widths at once. */
static void
sample_panels(sb_stats *s, const sb_view *v)
{
    int64_t segments[SB_STATS_PANELS] = {0}, seen = 0, rows = 0;

    for (int64_t q = 0; q < v->rows && q < 1024 && seen < PANEL_ENTRIES; q++) {
        const int64_t i = v->rows <= 1024 ? q : spread(q, v->rows);
        const int64_t lo = sb_view_lo(v, i), end = sb_view_lo(v, i + 1);
        const int64_t hi = end < lo + PANEL_ENTRIES ? end : lo + PANEL_ENTRIES;

        rows += hi > lo;
        seen += hi - lo;
        for (int64_t p = lo + 1; p < hi; p++)
            for (int w = 0; w < SB_STATS_PANELS; w++)
                segments[w] +=
                    sb_view_col(v, p - 1) >> (w + 5) != sb_view_col(v, p) >> (w + 5);
    }
    for (int w = 0; w < SB_STATS_PANELS && seen > 0; w++)
        s->panel_run[w] = (double)seen / (double)(segments[w] + rows);
}

static double
sample_mask(const sb_view *v, int b)
{
    const int64_t windows = v->rows / b;
    int64_t seen = 0, chunks = 0;

    for (int64_t q = 0; q < windows && q < 1024 && seen < BLOCK_ENTRIES; q++) {
        const int64_t w = windows <= 1024 ? q : spread(q, windows);

        seen += sb_view_lo(v, w * b + b) - sb_view_lo(v, w * b);
        chunks += sb_part_mask_chunks(v, w, b);
    }
    return chunks ? (double)seen / (double)(chunks * b) : 0;
}

static void
sample_hdia(sb_stats *s, const sb_view *v)
{
    const int64_t slices = (v->rows + SB_HDIA_ROWS - 1) / SB_HDIA_ROWS;
    int64_t seen = 0, sum[4] = {0};

    for (int64_t q = 0; q < slices && q < 256 && seen < BLOCK_ENTRIES; q++) {
        const int64_t g = slices <= 256 ? q : spread(q, slices);
        const int64_t hi = g * SB_HDIA_ROWS + SB_HDIA_ROWS;
        sb_hdia_slice one;

        sb_part_hdia_count(&one, v, g);
        seen += sb_view_lo(v, hi < v->rows ? hi : v->rows) -
                sb_view_lo(v, g * SB_HDIA_ROWS);
        sum[SB_STATS_HDIA_FULL] += one.full;
        sum[SB_STATS_HDIA_SOME] += one.some;
        sum[SB_STATS_HDIA_REST] += one.rest;
        sum[SB_STATS_HDIA_LEFT] += one.left;
    }
    for (int q = 0; q < 4 && seen > 0; q++)
        s->hdia[q] = (double)sum[q] / (double)seen;
}

/* Columns of the slices of windows of rows, as part_sell.c orders them. */
static double
sample_sell(const sb_view *v)
{
    const int64_t windows = (v->rows + SB_SELL_WINDOW - 1) / SB_SELL_WINDOW;
    const int64_t n = windows < SELL_WINDOWS ? windows : SELL_WINDOWS;
    int64_t seen = 0, columns = 0;

    for (int64_t q = 0; q < n; q++) {
        const int64_t w = n == windows ? q : spread(q, windows);
        int64_t hi = (w + 1) * SB_SELL_WINDOW;

        hi = hi < v->rows ? hi : v->rows;
        seen += sb_view_lo(v, hi) - sb_view_lo(v, w * SB_SELL_WINDOW);
        columns += sb_part_sell_columns(v, w);
    }
    return columns ? (double)seen / (double)columns : 0;
}

sb_status
sb_stats_sample(sb_stats *s, const sb_view *v, sb_stats_use use)
{
    sampler sm = {0};

    if (v->nnz == 0)
        return SB_OK;
    sm.v = v;
    sm.table = sb_alloc_zero(TABLE * sizeof *sm.table);
    if (!sm.table)
        return SB_ENOMEM;
    sample_windows(s, &sm);
    sample_diagonals(s, &sm);
    for (int q = 0; s->sorted && q < SB_STATS_BLOCKS; q++)
        s->block_share[q] = sample_blocks(v, sb_stats_block_size[q]);
    if (s->sorted && (use & SB_STATS_MATRIX))
        sample_panels(s, v);
    for (int q = 0; s->sorted && q < SB_STATS_WINDOWS; q++)
        sample_win(s, v, q);
    for (int q = 0; s->sorted && (use & SB_STATS_VECTOR) && q < SB_STATS_MASKS; q++)
        s->mask_fill[q] = sample_mask(v, sb_stats_mask_size[q]);
    if (s->sorted && (use & SB_STATS_VECTOR))
        sample_hdia(s, v);
    if (use & SB_STATS_VECTOR)
        s->sell_fill = sample_sell(v);
    sb_free(sm.table);
    return SB_OK;
}
