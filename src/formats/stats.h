/*
 * What a matrix looks like, in O(nnz): the features the planner's model reads. Row
 * lengths, order, bandwidth and touched columns are exact; reuse, blocks and diagonals
 * come from evenly spread samples, the same ones in every run.
 */
#ifndef SB_FORMATS_STATS_H
#define SB_FORMATS_STATS_H

#include "formats/par.h"
#include "formats/view.h"

/* Row-length buckets: 0 holds empty rows, q >= 1 lengths in (2^(q-2), 2^(q-1)]. */
#define SB_STATS_BUCKETS 48
#define SB_STATS_BLOCKS 6

extern const int sb_stats_block_size[SB_STATS_BLOCKS]; /* 2 3 4 8 16 32 */

/* Windows of these many rows: see part_win.c and part_share.c. */
#define SB_STATS_WINDOWS 5
extern const int sb_stats_window_size[SB_STATS_WINDOWS]; /* 2 3 4 6 8 */
/* Which of them speaks for windows of so many rows: the first that is not lower. */
int sb_stats_window(int64_t rows);

/* Panels of 32 << q columns: see part_panel.c. */
#define SB_STATS_PANELS 20
/* Chunks of a slice on diagonals that all rows have, some rows have, of entries left
 * over; those entries; of how many diagonals. */
typedef enum sb_stats_hdia {
    SB_STATS_HDIA_FULL,
    SB_STATS_HDIA_SOME,
    SB_STATS_HDIA_REST,
    SB_STATS_HDIA_LEFT,
    SB_STATS_HDIA_THIN,
    SB_STATS_HDIAS
} sb_stats_hdia;
/* Windows of these many rows: see part_mask.c. */
#define SB_STATS_MASKS 5
extern const int sb_stats_mask_size[SB_STATS_MASKS]; /* 1 2 3 4 6 */

/* Blocks of so many rows and columns: see part_ubcsr.c. */
#define SB_STATS_SHAPES 8
extern const struct sb_stats_shape {
    int rows, cols;
} sb_stats_shape[SB_STATS_SHAPES];

typedef struct sb_stats {
    int64_t rows, cols, nnz;
    int64_t bucket_rows[SB_STATS_BUCKETS], bucket_nnz[SB_STATS_BUCKETS];
    int64_t empty, longest;
    double mean, cv;     /* of the row length; cv = deviation / mean */
    double ragged;       /* sb_view_ragged */
    double onward;       /* sb_view_onward */
    double strewn;       /* sb_view_strewn */
    int64_t bandwidth;   /* max |column - row| over the entries */
    bool sorted;         /* columns strictly increase within every row */
    int64_t distinct;    /* columns with an entry; an upper bound if not sampled */
    double r4, r8;       /* entries per distinct column in windows of 4 and 8 rows */
    double window_cols;  /* distinct columns of a window of neighbouring rows */
    double window_reuse; /* share of entries whose column the window had already */
    double window_fresh; /* share of a window's columns that the one before lacked */
    double window_next;  /* share of columns that came beside one that was there */
    double
        block_share[SB_STATS_BLOCKS];   /* share of entries in completely full blocks */
    double win_share[SB_STATS_WINDOWS]; /* share of entries in runs that rows share */
    double win_run[SB_STATS_WINDOWS];   /* mean columns of such a run */
    double held_share[SB_STATS_WINDOWS]; /* share of entries in columns all rows hold */
    double half_share[SB_STATS_WINDOWS]; /* that half of them hold, less the holes */
    bool held;                           /* whether these two have been looked at */
    bool brief; /* SB_STATS_BRIEF: distinct is a bound, bandwidth and panel_run are 0 */
    unsigned first; /* what has been looked at no further: a set of sb_stats_sampled */
    double panel_run[SB_STATS_PANELS]; /* mean entries of a row inside a panel */
    double mask_fill[SB_STATS_MASKS];  /* entries per row of a chunk of 16 columns */
    double unaligned[SB_STATS_SHAPES]; /* entries per slot of such blocks */
    double hdia[SB_STATS_HDIAS]; /* per entry, by sb_stats_hdia: see part_hdia.c */
    double follows; /* share of rows with the columns of the row above, one further */
    double lone;    /* of rows that neither follow nor are followed: see part_alike.c */
    double sell_fill;   /* entries per column of a slice of 16 rows: see part_sell.c */
    double diag_share;  /* share of entries on diagonals at least half full */
    int64_t diag_count; /* how many such diagonals */
} sb_stats;

/* Bucket of a row length: 0, 1, 2, 3, 3, 4, 4, 4, 4, 5 ... for 0, 1, 2, 3, 4, 5 ... */
static inline int
sb_stats_bucket(int64_t length)
{
    const int more = length > 1;
    const int q =
        (length > 0) + more * (1 + SB_HIGHEST_BIT((uint64_t)(length - 1) | 1));

    return q < SB_STATS_BUCKETS - 1 ? q : SB_STATS_BUCKETS - 1;
}

/* Mean entries of a row inside a panel of this many columns, 0 when not known. */
double sb_stats_panel_run(const sb_stats *s, int64_t width);

/* Entries per slot of unaligned blocks of this shape, 0 when not known. */
double sb_stats_unaligned(const sb_stats *s, int rows, int cols);

/* Row i with the smallest i + lo(i) >= work: cuts [0, rows + nnz) into equal pieces. */
int64_t sb_view_row_at(const sb_view *v, int64_t work);

/* The share of rows whose length is not that of the row above, from at most 64 rows. */
double sb_view_ragged(const sb_view *v);

/* The share of rows whose last column lies beyond that of the row above, if it has one, and whose
 * columns span a quarter of all at most; from at most 64 rows. */
double sb_view_onward(const sb_view *v);

/* The share of entries, of at most 64 rows of no more than 4096, whose column the row above does not name,
 * nor the one before it, and whose own row has one entry or spans a quarter of all columns: near 1
 * where columns come in no order. */
double sb_view_strewn(const sb_view *v);
/* Of a sample of rows, those with half as many entries as the mean row and more: few where a few rows have
 * most. */
double sb_view_alike(const sb_view *v);

/* The share of all columns from a row's first entry to its last, which are the outermost where columns are
 * in order, in the mean of at most 64 rows of two entries and more. */
double sb_view_span(const sb_view *v);

/* What the statistics are for: other features stay 0. A product with one column is so short
 * that samples for it alone are smaller, too. */
typedef enum sb_stats_use {
    SB_STATS_VECTOR = 1,     /* one column: mask_fill, hdia, sell_fill */
    SB_STATS_MATRIX = 2,     /* many: panel_run, block_share */
    SB_STATS_REUSE = 4,      /* which cache B comes from: r4, r8, window_*, diag_* */
    SB_STATS_HELD = 8,       /* part share: held_share, half_share */
    SB_STATS_UNALIGNED = 16, /* part ubcsr */
    SB_STATS_ALL = 31,
    /* with MATRIX and REUSE: few samples of what sb_stats_refine completes */
    SB_STATS_FIRST = 32,
    /* with all: that, and the rest no more than a first look, too */
    SB_STATS_BRIEF = 64
} sb_stats_use;

/* Features from samples that decide between parts. After a first look those of windows are
 * of two rows, of masks of one, two and six, of blocks of two and three, the other ones
 * bounded by them; all from few samples, masks of six from more. */
typedef enum sb_stats_sampled {
    SB_STATS_OF_SELL = 1,
    SB_STATS_OF_WIN = 2,
    SB_STATS_OF_HDIA = 4,
    SB_STATS_OF_MASK = 8,
    SB_STATS_OF_BLOCKS = 16
} sb_stats_sampled;

/* From statistics of the blocks of a block matrix to those of its elements, as far as
 * blocks tell; lengths of rows stay counted in block rows. */
void sb_stats_expand(sb_stats *s, int64_t block);

/* Held_share and half_share, or `unaligned`, alone, for whoever finds later that they may decide. */
void sb_stats_hold(sb_stats *s, const sb_view *v, const sb_par *par);
void sb_stats_unalign(sb_stats *s, const sb_view *v, const sb_par *par);

/* Samples these (of s->first) in full, as if there had been no first look: of rows so long that few
 * windows make a sample eight, as far as they have 16384 entries; once. */
void sb_stats_refine(sb_stats *s, const sb_view *v, unsigned sampled,
                     const sb_par *par);

/* ENOMEM only. Threads: `par` may be NULL. */
sb_status sb_stats_collect(sb_stats *out, const sb_view *v, sb_stats_use use,
                           const sb_par *par);

#endif
