/*
 * Samples spread over the rows by the golden ratio, so that no period of the matrix can
 * hide from them. Every sample reads a bounded number of entries. Kinds of samples are
 * jobs that write features of their own, so threads may share them.
 */
#include "formats/stats_sample.h"

#include "base/alloc.h"
#include "formats/chunk.h"
#include "formats/part.h"
#include "formats/stats_reuse.h"

#include <math.h>

enum {
    BLOCK_ENTRIES = 8192, /* entries read per block size */
    PANEL_ENTRIES = 16384,
    SELL_WINDOWS = 64,
    HDIA_SLICES = 256,
    WINDOWS_MOST = 1024,
    VECTOR_SHARE = 2, /* of the samples above: taken where one column is all */
    BRIEF_SHARE = 8,  /* and at a first look, */
    LOOKS = 8,        /* but of so many windows, */
    LOOKS_ENTRIES = 2 * BLOCK_ENTRIES /* where in full they have no more */
};

/* What a kind of sample may read of the matrix. */
typedef struct reading {
    const sb_view *v;
    int64_t entries, most; /* fewer than LOOKS windows: up to `most` */
    int share;             /* of the usual samples: 1 / share */
    sb_reuse *reuse;       /* or NULL */
} reading;

/* Whether n windows that have so many entries are too few: of long rows one would have all. */
static bool
more(const reading *in, int64_t seen, int64_t n)
{
    return seen < in->entries || (n < LOOKS && seen < in->most);
}

/* The q-th sample of [0, n): all in turn where at most `most` are taken and the matrix has
 * no more than `entries`, at which sampling ends; else spread. */
static int64_t
pick(const sb_view *v, int64_t q, int64_t n, int64_t most, int64_t entries)
{
    return n <= most && v->nnz <= entries ? q : sb_stats_spread(q, n);
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
    for (int64_t q = 0; q < groups && q < 1024 && more(in, seen, q); q++) {
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

    for (*seen = 0; n < windows && n < WINDOWS_MOST && more(in, *seen, n); n++) {
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
    /* two counts in turns: one waits for the one before */
    int64_t reach[2][64] = {{0}}, segments = 0, seen = 0, rows = 0;

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
                reach[p & 1][SB_HIGHEST_BIT((uint64_t)(before ^ col))]++;
            before = col;
        }
    }
    for (int w = 63; w > SB_STATS_PANELS + 4; w--)
        segments += reach[0][w] + reach[1][w];
    for (int w = SB_STATS_PANELS - 1; w >= 0 && seen > 0; w--) {
        segments += reach[0][w + 5] + reach[1][w + 5];
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
        chunks += sb_chunk_count(in->v, window[q], b, SB_MASK_COLS);
    s->mask_fill[at] = chunks ? (double)seen / (double)(chunks * b) : 0;
}

static void
sample_unaligned(sb_stats *s, const reading *in, int at)
{
    const struct sb_stats_shape b = sb_stats_shape[at];
    int64_t window[WINDOWS_MOST], seen, blocks = 0;
    const int64_t n = pick_windows(window, in, b.rows, &seen);

    for (int64_t q = 0; q < n && s->cols >= b.cols; q++)
        blocks += sb_chunk_count(in->v, window[q], b.rows, b.cols);
    s->unaligned[at] = blocks ? (double)seen / (double)(blocks * b.rows * b.cols) : 0;
}

static void
sample_reuse(sb_stats *s, const reading *in, int at)
{
    sb_reuse_run(s, in->reuse, at);
}

/* What the model reads for other parts, too: half of all samples. */
static void
sample_six(sb_stats *s, const reading *in, int at)
{
    reading all = *in;

    all.entries = BLOCK_ENTRIES / VECTOR_SHARE / 2;
    sample_mask(s, &all, at);
}

/* Of the rows inside the same slices. */
static void
sample_follows(sb_stats *s, const sb_view *v, const int64_t *slice, int64_t n)
{
    int64_t rows = 0, follows = 0, lone = 0;

    for (int64_t q = 0; q < n; q++) {
        const int64_t first = slice[q] * SB_HDIA_ROWS + 1;
        int64_t end = first + SB_HDIA_ROWS - 2;
        bool is, next;

        end = end < v->rows - 1 ? end : v->rows - 1;
        next = first < end && sb_part_follows(v, first);
        for (int64_t i = first; i < end; i++, rows++) {
            is = next;
            next = sb_part_follows(v, i + 1);
            follows += is;
            lone += !is && !next;
        }
    }
    s->follows = rows ? (double)follows / (double)rows : 0;
    s->lone = rows ? (double)lone / (double)rows : 1;
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
    sample_follows(s, v, slice, n);
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
        const int64_t w = n == windows ? q : sb_stats_spread(q, windows);
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

enum {
    JOBS_MAX = SB_STATS_BLOCKS + 2 * SB_STATS_WINDOWS + SB_STATS_MASKS +
               SB_STATS_SHAPES + 3 + SB_REUSE_JOBS
};

typedef struct sampling {
    sb_stats *s;
    reading in;
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
add_jobs(sampling *sp, void (*run)(sb_stats *, const reading *, int), int count)
{
    for (int q = 0; q < count; q++)
        sp->job[sp->jobs++] = (job){run, q};
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
 * many rows share two of them share, in runs of a row at most, and a full block is full of smaller ones. Of three pairs of rows that make two threes one lies
 * across them: it may share nothing, or fill as many chunks as both. */
static void
bound_sizes(sb_stats *s)
{
    if (!s->sorted)
        return;
    for (int q = first_sizes.windows; q < SB_STATS_WINDOWS; q++) {
        s->win_share[q] =
            fmin(1, (sb_stats_window_size[q] % 2 ? 1.5 : 1) * s->win_share[0]);
        s->win_run[q] = fmax(s->mean, s->win_run[0]);
    }
    for (int q = first_sizes.masks; q < SB_STATS_MASKS - 1; q++)
        s->mask_fill[q] =
            fmin(s->mask_fill[0],
                 (sb_stats_mask_size[q] % 2 ? 4.0 / 3 : 1) * s->mask_fill[1]);
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
    const bool brief = use & SB_STATS_BRIEF, few = brief || (use & SB_STATS_FIRST);

    if ((use & SB_STATS_VECTOR) && brief && sp->s->sorted) /* the longest comes first */
        sp->job[sp->jobs++] = (job){sample_six, SB_STATS_MASKS - 1};
    add_sampled(sp, sampled_for(use), few ? first_sizes : all_sizes);
    if (!sp->s->sorted)
        return;
    if ((use & SB_STATS_MATRIX) && !brief)
        add_jobs(sp, sample_panels, 1);
    if (use & SB_STATS_HELD)
        add_held(sp);
    if (use & SB_STATS_UNALIGNED)
        add_jobs(sp, sample_unaligned, SB_STATS_SHAPES);
}

/* The longest jobs, spread over all: threads begin with as many each. */
static void
add_reuse(sampling *sp)
{
    const int others = sp->jobs;

    add_jobs(sp, sample_reuse, SB_REUSE_JOBS);
    for (int q = 0; q < SB_REUSE_JOBS; q++) {
        const int to = sp->jobs * q / SB_REUSE_JOBS;
        const job moved = sp->job[to];

        sp->job[to] = sp->job[others + q];
        sp->job[others + q] = moved;
    }
}

sb_status
sb_stats_sample(sb_stats *s, const sb_view *v, sb_stats_use use, const sb_par *par)
{
    const bool few = use & (SB_STATS_BRIEF | SB_STATS_FIRST);
    const int all = use & SB_STATS_MATRIX ? 1 : VECTOR_SHARE;
    const int share = few ? BRIEF_SHARE : all;
    sampling sp = {.s = s,
                   .in = {.v = v,
                          .entries = BLOCK_ENTRIES / share,
                          .most = few ? BLOCK_ENTRIES / all : LOOKS_ENTRIES,
                          .share = share}};

    s->brief = use & SB_STATS_BRIEF;
    if (v->nnz == 0)
        return SB_OK;
    choose_jobs(&sp, use);
    if (use & SB_STATS_REUSE) {
        sp.in.reuse = sb_reuse_new(v, all, s->brief);
        if (!sp.in.reuse)
            return SB_ENOMEM;
        add_reuse(&sp);
    }
    sb_par_run(par, run_jobs, &sp, 0, sp.jobs, 1);
    if (sp.in.reuse)
        sb_reuse_merge(s, sp.in.reuse);
    sb_free(sp.in.reuse);
    if (few) {
        bound_sizes(s);
        s->first = sampled_for(use);
    }
    return SB_OK;
}

void
sb_stats_refine(sb_stats *s, const sb_view *v, unsigned sampled, const sb_par *par)
{
    const int share = s->first & SB_STATS_OF_BLOCKS ? 1 : VECTOR_SHARE;
    sampling sp = {.s = s,
                   .in = {.v = v,
                          .entries = BLOCK_ENTRIES / share,
                          .most = LOOKS_ENTRIES,
                          .share = share}};

    add_sampled(&sp, sampled, all_sizes);
    sb_par_run(par, run_jobs, &sp, 0, sp.jobs, 1);
    s->first &= ~sampled;
}

void
sb_stats_hold(sb_stats *s, const sb_view *v, const sb_par *par)
{
    sampling sp = {
        .s = s,
        .in = {.v = v, .entries = BLOCK_ENTRIES, .most = LOOKS_ENTRIES, .share = 1}};

    if (s->held || !s->sorted || v->nnz == 0)
        return;
    add_held(&sp);
    sb_par_run(par, run_jobs, &sp, 0, sp.jobs, 1);
}

void
sb_stats_unalign(sb_stats *s, const sb_view *v, const sb_par *par)
{
    /* long rows make few windows of as many entries */
    sampling sp = {
        .s = s, .in = {.v = v, .entries = 2048 + v->nnz / 64, .share = VECTOR_SHARE}};

    if (!s->sorted || v->nnz == 0)
        return;
    add_jobs(&sp, sample_unaligned, SB_STATS_SHAPES);
    sb_par_run(par, run_jobs, &sp, 0, sp.jobs, 1);
}
