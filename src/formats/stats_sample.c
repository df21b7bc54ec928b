/*
 * Samples spread over the rows by the golden ratio, so that no period of the matrix can
 * hide from them. Every sample reads a bounded number of entries; a small hash table of
 * coordinates with epochs serves reuse windows and diagonals alike. Kinds of samples are
 * jobs that write features of their own, so threads may share them.
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
    BRIEF_PAIRS = 4,        /* at a first look */
    PAIR_ENTRIES = 16384,   /* entries read of a pair, about */
    DIAG_ROWS = 64,
    BLOCK_ENTRIES = 8192, /* entries read per block size */
    PANEL_ENTRIES = 16384,
    SELL_WINDOWS = 64,
    HDIA_SLICES = 256,
    WINDOWS_MOST = 1024,
    SAMPLERS = 2,     /* of windows, a table each */
    VECTOR_SHARE = 2, /* of the samples above: taken where one column is all */
    BRIEF_SHARE = 8   /* and at a first look */
};

typedef struct slot {
    int64_t key;
    uint32_t epoch;
    uint32_t seen; /* last groups of rows that had the column; a diagonal's entries */
} slot;

/* Of windows. */
typedef struct tally {
    int64_t entries, d4, d8, dwin, second, fresh;
} tally;

typedef struct sampler {
    const sb_view *v;
    int share; /* of the usual samples: 1 / share */
    slot *table;
    uint32_t epoch;
    int fill; /* slots of this epoch */
    tally sum;
    int64_t windows;
    double columns; /* distinct ones of all windows */
} sampler;

/* What a kind of sample may read of the matrix. */
typedef struct reading {
    const sb_view *v;
    int64_t entries;
    int share; /* of the usual samples: 1 / share */
} reading;

/* The q-th sample of [0, n): fractional parts of multiples of the golden ratio. */
static int64_t
spread(int64_t q, int64_t n)
{
    const double x = (double)(q + 1) * 0.61803398874989485;

    return (int64_t)((x - (double)(int64_t)x) * (double)n);
}

/* The q-th sample of [0, n): all in turn where at most `most` are taken and the matrix has
 * no more than `entries`, at which sampling ends; else spread. */
static int64_t
pick(const sb_view *v, int64_t q, int64_t n, int64_t most, int64_t entries)
{
    return n <= most && v->nnz <= entries ? q : spread(q, n);
}

static void
begin_epoch(sampler *sm)
{
    sm->epoch++;
    sm->fill = 0;
}

/* The slot of a key in this epoch, which must have room; fresh if `*is_new`. */
static inline slot *
find(sampler *sm, int64_t key, bool *is_new)
{
    uint64_t h = ((uint64_t)key * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - TABLE_BITS);
    slot *s = &sm->table[h];

    while (s->epoch == sm->epoch && s->key != key) {
        h = (h + 1) & (TABLE - 1);
        s = &sm->table[h];
    }
    *is_new = s->epoch != sm->epoch;
    if (*is_new) {
        *s = (slot){key, sm->epoch, 0};
        sm->fill++;
    }
    return s;
}

static inline void
window_entry(sampler *sm, tally *t, int64_t col, uint32_t row, uint32_t half)
{
    const uint32_t by4 = row / 4 + 1, by8 = (row / 8 + 1) << 8, in = (half + 1) << 16;
    bool is_new;
    slot *s = find(sm, col, &is_new);
    const uint32_t seen = s->seen;

    s->seen = by4 | by8 | in;
    t->entries++;
    t->d4 += (seen & 0xff) != by4;
    t->d8 += (seen & 0xff00) != by8;
    t->dwin += (seen & 0xff0000) != in;
    t->second += half && (seen & 0xff0000) != in;
    t->fresh += half && is_new;
}

/* One in `keep` columns, by a hash: reuse of the kept ones is reuse of all. */
static bool
kept(int64_t col, uint64_t keep)
{
    /* the hash as a fraction of 2^32 below 1 / keep: no division */
    return ((uint64_t)col * UINT64_C(0xD6E8FEB86659FD93) >> 32) * keep >> 32 == 0;
}

static void
add_tally(tally *to, const tally *t)
{
    to->entries += t->entries;
    to->d4 += t->d4;
    to->d8 += t->d8;
    to->dwin += t->dwin;
    to->second += t->second;
    to->fresh += t->fresh;
}

/* Two neighbouring windows from row `first`. */
static void
window_pair(sampler *sm, int64_t first)
{
    const sb_view *v = sm->v;
    const int64_t most = sm->share < BRIEF_SHARE ? PAIR_ENTRIES : PAIR_ENTRIES / 4;
    int64_t rows = WINDOW, nnz;
    uint64_t keep;
    uint32_t row = 0;
    tally t = {0};

    for (;; rows /= 2) {
        const int64_t end = first + 2 * rows < v->rows ? first + 2 * rows : v->rows;

        nnz = sb_view_lo(v, end) - sb_view_lo(v, first);
        if (nnz <= most || rows == 8)
            break;
    }
    keep = (uint64_t)(nnz < most ? nnz : most) / TABLE_FILL + 1;
    begin_epoch(sm);
    for (uint32_t half = 0; half < 2; half++)
        for (int64_t r = 0; r < rows && first < v->rows; r++, row++, first++) {
            int64_t lo = sb_view_lo(v, first), hi = sb_view_lo(v, first + 1);

            if (hi - lo > most / 16)
                hi = lo + most / 16;
            for (; lo < hi; lo++)
                if (kept(sb_view_col(v, lo), keep) && sm->fill < TABLE / 4 * 3)
                    window_entry(sm, &t, sb_view_col(v, lo), row, half);
        }
    sm->columns += (double)t.dwin * (double)keep;
    sm->windows += 2;
    add_tally(&sm->sum, &t);
}

/* Pairs of windows, every SAMPLERS-th from `first` on. */
static void
sample_windows(sampler *sm, int64_t first)
{
    const int64_t rows = sm->v->rows;
    const int64_t room = rows > 2 * WINDOW ? rows - 2 * WINDOW : 0;
    /* small matrices: about half of their entries */
    const int64_t some = sm->v->nnz / (2 * PAIR_ENTRIES) + 4;
    const int64_t most = sm->share < BRIEF_SHARE ? PAIRS / sm->share : BRIEF_PAIRS;
    const int64_t pairs = !room ? 1 : some < most ? some : most;

    for (int64_t q = first; q < pairs; q += SAMPLERS)
        window_pair(sm, room ? spread(q, room) / 8 * 8 : 0);
}

/* The sums are of integers, so their order does not matter. */
static void
merge_windows(sb_stats *s, const sampler *from)
{
    double columns = 0, windows = 0;
    tally t = {0};

    for (const sampler *sm = from; sm < from + SAMPLERS; sm++) {
        add_tally(&t, &sm->sum);
        windows += (double)sm->windows;
        columns += sm->columns;
    }
    if (t.entries == 0)
        return;
    s->r4 = (double)t.entries / (double)t.d4;
    s->r8 = (double)t.entries / (double)t.d8;
    s->window_cols = columns / windows;
    s->window_reuse = 1.0 - (double)t.dwin / (double)t.entries;
    s->window_fresh = t.second ? (double)t.fresh / (double)t.second : 1.0;
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

            find(sm, sb_view_col(v, p) - i, &is_new)->seen++;
        }
    }
    for (int q = 0; q < TABLE; q++) {
        const slot *t = &sm->table[q];
        /* rows the diagonal crosses, as a share of all; corners count for less */
        const int64_t from = t->key < 0 ? -t->key : 0;
        const int64_t to = v->cols - t->key < v->rows ? v->cols - t->key : v->rows;
        const double share = (double)(to - from) / (double)(v->rows > 0 ? v->rows : 1);

        if (t->epoch != sm->epoch || 2 * t->seen < share * (double)n || t->seen < 2)
            continue;
        on += t->seen;
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

static void
sample_blocks(sb_stats *s, const reading *in, int at)
{
    const sb_view *v = in->v;
    const int64_t b = sb_stats_block_size[at], groups = v->rows / b;
    int64_t seen = 0, full = 0;

    /* An empty group costs a step too: at most 1024 of them. */
    for (int64_t q = 0; q < groups && q < 1024 && seen < in->entries; q++) {
        const int64_t i = pick(v, q, groups, 1024, in->entries) * b;

        seen += sb_view_lo(v, i + b) - sb_view_lo(v, i);
        full += full_blocks(v, i, b) * b * b;
        if (q >= 32 && full == 0 && seen > in->entries / 4)
            break;
    }
    s->block_share[at] = seen ? (double)full / (double)seen : 0;
}

/* The windows of b rows that are read, at most WINDOWS_MOST; their entries in *seen. */
static int64_t
pick_windows(int64_t *window, const reading *in, int b, int64_t *seen)
{
    const sb_view *v = in->v;
    const int64_t windows = v->rows / b;
    int64_t n = 0;

    for (*seen = 0; n < windows && n < WINDOWS_MOST && *seen < in->entries; n++) {
        const int64_t w = pick(v, n, windows, WINDOWS_MOST, in->entries);

        window[n] = w;
        *seen += sb_view_lo(v, w * b + b) - sb_view_lo(v, w * b);
    }
    return n;
}

static void
sample_win(sb_stats *s, const reading *in, int at)
{
    const int b = sb_stats_window_size[at];
    int64_t window[WINDOWS_MOST], seen, shared = 0, runs = 0;
    const int64_t n = pick_windows(window, in, b, &seen);

    for (int64_t q = 0; q < n; q++)
        shared += sb_part_win_shared(in->v, window[q], b, &runs);
    s->win_share[at] = seen ? (double)(shared * b) / (double)seen : 0;
    s->win_run[at] = runs ? (double)shared / (double)runs : 0;
}

static void
sample_held(sb_stats *s, const reading *in, int at)
{
    const int b = sb_stats_window_size[at];
    int64_t window[WINDOWS_MOST], seen, held = 0, half = 0;
    const int64_t n = pick_windows(window, in, b, &seen);

    sb_part_share_columns(in->v, window, n, b, &held, &half);
    s->held_share[at] = seen ? (double)(held * b) / (double)seen : 0;
    s->half_share[at] = seen ? (double)half / (double)seen : 0;
}

/* Where a row goes on in another panel, for all widths at once: in those that the highest
 * bit in which two neighbouring columns differ reaches. */
static void
sample_panels(sb_stats *s, const reading *in, int at)
{
    const sb_view *v = in->v;
    int64_t reach[64] = {0}, segments = 0, seen = 0, rows = 0;

    (void)at;
    for (int64_t q = 0; q < v->rows && q < 1024 && seen < PANEL_ENTRIES; q++) {
        const int64_t i = pick(v, q, v->rows, 1024, PANEL_ENTRIES);
        const int64_t lo = sb_view_lo(v, i), end = sb_view_lo(v, i + 1);
        const int64_t hi = end < lo + PANEL_ENTRIES ? end : lo + PANEL_ENTRIES;
        int64_t before = hi > lo ? sb_view_col(v, lo) : 0;

        rows += hi > lo;
        seen += hi - lo;
        for (int64_t p = lo + 1; p < hi; p++) {
            const int64_t col = sb_view_col(v, p);

            if (before != col)
                reach[SB_HIGHEST_BIT((uint64_t)(before ^ col))]++;
            before = col;
        }
    }
    for (int w = 63; w > SB_STATS_PANELS + 4; w--)
        segments += reach[w];
    for (int w = SB_STATS_PANELS - 1; w >= 0 && seen > 0; w--) {
        segments += reach[w + 5];
        s->panel_run[w] = (double)seen / (double)(segments + rows);
    }
}

static void
sample_mask(sb_stats *s, const reading *in, int at)
{
    const int b = sb_stats_mask_size[at];
    int64_t window[WINDOWS_MOST], seen, chunks = 0;
    const int64_t n = pick_windows(window, in, b, &seen);

    for (int64_t q = 0; q < n; q++)
        chunks += sb_part_mask_chunks(in->v, window[q], b);
    s->mask_fill[at] = chunks ? (double)seen / (double)(chunks * b) : 0;
}

static void
sample_hdia(sb_stats *s, const reading *in, int at)
{
    const sb_view *v = in->v;
    const int64_t slices = (v->rows + SB_HDIA_ROWS - 1) / SB_HDIA_ROWS;
    int64_t seen = 0, n = 0, sum[SB_STATS_HDIAS] = {0}, slice[HDIA_SLICES] = {0};
    sb_hdia_slice size[HDIA_SLICES];

    (void)at;
    for (; n < slices && n < HDIA_SLICES && seen < in->entries; n++) {
        const int64_t g = pick(v, n, slices, HDIA_SLICES, in->entries);
        const int64_t hi = g * SB_HDIA_ROWS + SB_HDIA_ROWS;

        seen += sb_view_lo(v, hi < v->rows ? hi : v->rows) -
                sb_view_lo(v, g * SB_HDIA_ROWS);
        slice[n] = g;
    }
    sb_part_hdia_count(size, v, slice, n);
    for (int64_t q = 0; q < n; q++) {
        sum[SB_STATS_HDIA_FULL] += size[q].full;
        sum[SB_STATS_HDIA_SOME] += size[q].some;
        sum[SB_STATS_HDIA_REST] += size[q].rest;
        sum[SB_STATS_HDIA_LEFT] += size[q].left;
        sum[SB_STATS_HDIA_THIN] += size[q].thin;
    }
    for (int q = 0; q < SB_STATS_HDIAS && seen > 0; q++)
        s->hdia[q] = (double)sum[q] / (double)seen;
}

/* Columns of the slices of windows of rows, as part_sell.c orders them. */
static void
sample_sell(sb_stats *s, const reading *in, int at)
{
    const sb_view *v = in->v;
    const int64_t windows = (v->rows + SB_SELL_WINDOW - 1) / SB_SELL_WINDOW;
    const int64_t most = SELL_WINDOWS / in->share;
    const int64_t n = windows < most ? windows : most;
    int64_t seen = 0, columns = 0;

    (void)at;
    for (int64_t q = 0; q < n; q++) {
        const int64_t w = n == windows ? q : spread(q, windows);
        int64_t hi = (w + 1) * SB_SELL_WINDOW;

        hi = hi < v->rows ? hi : v->rows;
        seen += sb_view_lo(v, hi) - sb_view_lo(v, w * SB_SELL_WINDOW);
        columns += sb_part_sell_columns(v, w);
    }
    s->sell_fill = columns ? (double)seen / (double)columns : 0;
}

/* ---- all kinds ------------------------------------------------------------------- */

/* A kind of sample and the features of it that it writes. */
typedef struct job {
    void (*run)(sb_stats *s, const reading *in, int at);
    int at;
} job;

enum { JOBS_MAX = SB_STATS_BLOCKS + 2 * SB_STATS_WINDOWS + SB_STATS_MASKS + 3 };

typedef struct sampling {
    sb_stats *s;
    reading in;
    sampler *sampler; /* SAMPLERS of them, jobs before all others; or NULL */
    int jobs;
    job job[JOBS_MAX];
} sampling;

static void
run_jobs(void *user, int64_t first, int64_t last)
{
    sampling *sp = user;

    for (int64_t q = first; q < last; q++)
        sp->job[q].run(sp->s, &sp->in, sp->job[q].at);
}

static void
run_samplers(void *user, int64_t first, int64_t last)
{
    sampling *sp = user;
    const int64_t before = sp->sampler ? SAMPLERS : 0;

    for (int64_t q = first; q < last && q < before; q++) {
        sample_windows(&sp->sampler[q], q);
        if (q == SAMPLERS - 1) /* it counts diagonals, too */
            sample_diagonals(sp->s, &sp->sampler[q]);
    }
    first = first > before ? first - before : 0;
    run_jobs(sp, first, last - before);
}

static void
add_jobs(sampling *sp, void (*run)(sb_stats *, const reading *, int), int count)
{
    for (int q = 0; q < count; q++)
        sp->job[sp->jobs++] = (job){run, q};
}

static sb_status
new_samplers(sampling *sp)
{
    slot *tables = sb_alloc_zero((size_t)SAMPLERS * TABLE * sizeof *tables);

    sp->sampler = sb_alloc_zero(SAMPLERS * sizeof *sp->sampler);
    if (!tables || !sp->sampler) {
        sb_free(tables);
        return SB_ENOMEM;
    }
    for (int q = 0; q < SAMPLERS; q++)
        sp->sampler[q] = (sampler){
            .v = sp->in.v, .share = sp->in.share, .table = tables + (size_t)q * TABLE};
    return SB_OK;
}

static void
add_held(sampling *sp)
{
    add_jobs(sp, sample_held, SB_STATS_WINDOWS);
    sp->s->held = true;
}

/* How many of the sizes of a part are looked at. */
typedef struct sizes {
    int windows, masks, blocks;
} sizes;

static const sizes all_sizes = {SB_STATS_WINDOWS, SB_STATS_MASKS, SB_STATS_BLOCKS};
static const sizes first_sizes = {1, 2, 2};

static void
add_sampled(sampling *sp, unsigned sampled, sizes n)
{
    if (sampled & SB_STATS_OF_SELL)
        add_jobs(sp, sample_sell, 1);
    if (!sp->s->sorted)
        return;
    if (sampled & SB_STATS_OF_WIN)
        add_jobs(sp, sample_win, n.windows);
    if (sampled & SB_STATS_OF_BLOCKS)
        add_jobs(sp, sample_blocks, n.blocks);
    if (sampled & SB_STATS_OF_HDIA)
        add_jobs(sp, sample_hdia, 1);
    if (sampled & SB_STATS_OF_MASK)
        add_jobs(sp, sample_mask, n.masks);
}

/* A chunk of several rows holds no more of one than a chunk that begins where it does, what
 * many rows share two of them share, and a full block is full of smaller ones. */
static void
bound_sizes(sb_stats *s)
{
    for (int q = first_sizes.windows; q < SB_STATS_WINDOWS; q++) {
        s->win_share[q] = s->win_share[0];
        s->win_run[q] = s->win_run[0];
    }
    for (int q = first_sizes.masks; q < SB_STATS_MASKS; q++)
        s->mask_fill[q] = s->mask_fill[1];
    for (int q = first_sizes.blocks; q < SB_STATS_BLOCKS; q++)
        s->block_share[q] = s->block_share[0];
}

static unsigned
sampled_for(sb_stats_use use)
{
    const unsigned vector = SB_STATS_OF_SELL | SB_STATS_OF_HDIA | SB_STATS_OF_MASK;

    return SB_STATS_OF_WIN | (use & SB_STATS_VECTOR ? vector : 0) |
           (use & SB_STATS_MATRIX ? SB_STATS_OF_BLOCKS : 0);
}

static void
choose_jobs(sampling *sp, sb_stats_use use)
{
    const bool brief = use & SB_STATS_BRIEF;

    add_sampled(sp, sampled_for(use), brief ? first_sizes : all_sizes);
    if (!sp->s->sorted)
        return;
    if ((use & SB_STATS_MATRIX) && !brief)
        add_jobs(sp, sample_panels, 1);
    if (use & SB_STATS_HELD)
        add_held(sp);
}

sb_status
sb_stats_sample(sb_stats *s, const sb_view *v, sb_stats_use use, const sb_par *par)
{
    const int share = use & SB_STATS_BRIEF    ? BRIEF_SHARE
                      : use & SB_STATS_MATRIX ? 1
                                              : VECTOR_SHARE;
    sampling sp = {.s = s, .in = {v, BLOCK_ENTRIES / share, share}};
    sb_status st = SB_OK;

    s->brief = use & SB_STATS_BRIEF;
    if (v->nnz == 0)
        return SB_OK;
    if (use & SB_STATS_REUSE)
        st = new_samplers(&sp);
    if (st == SB_OK) {
        choose_jobs(&sp, use);
        sb_par_run(par, run_samplers, &sp, 0, (sp.sampler ? SAMPLERS : 0) + sp.jobs, 1);
        if (sp.sampler)
            merge_windows(s, sp.sampler);
        if (s->brief)
            bound_sizes(s);
        s->first = s->brief ? sampled_for(use) : 0;
    }
    if (sp.sampler)
        sb_free(sp.sampler[0].table);
    sb_free(sp.sampler);
    return st;
}

void
sb_stats_refine(sb_stats *s, const sb_view *v, unsigned sampled, const sb_par *par)
{
    const int share = s->first & SB_STATS_OF_BLOCKS ? 1 : VECTOR_SHARE;
    sampling sp = {.s = s, .in = {v, BLOCK_ENTRIES / share, share}};

    add_sampled(&sp, sampled, all_sizes);
    sb_par_run(par, run_jobs, &sp, 0, sp.jobs, 1);
    s->first &= ~sampled;
}

void
sb_stats_hold(sb_stats *s, const sb_view *v, const sb_par *par)
{
    sampling sp = {.s = s, .in = {v, BLOCK_ENTRIES, 1}};

    if (s->held || !s->sorted || v->nnz == 0)
        return;
    add_held(&sp);
    sb_par_run(par, run_jobs, &sp, 0, sp.jobs, 1);
}
