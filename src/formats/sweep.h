/*
 * Neighbouring rows walked together, column by column or, skewed, diagonal by diagonal: in
 * ascending order each key that some row holds, and which rows do. Columns strictly
 * increase in every row. Keys are marked stretch by stretch, a mask of rows for each and a
 * bit for each mask that is not empty, so that a step costs a few bits of a word and not a
 * look at the head of every row; of a stretch that no row reaches nothing is read.
 */
#ifndef SB_FORMATS_SWEEP_H
#define SB_FORMATS_SWEEP_H

#include "formats/view.h"

enum { SB_SWEEP_ROWS = 16, SB_SWEEP_STRETCH = 4096 /* keys: 64 words of 64 bits */ };

typedef struct sb_sweep {
    const sb_view *v;
    const uint8_t *taken; /* by slot: entries to pass over; or NULL */
    int rows, skew;       /* key = column - skew * row */
    int64_t read[SB_SWEEP_ROWS], end[SB_SWEEP_ROWS]; /* slots, by row */
    int64_t head[SB_SWEEP_ROWS]; /* key of the slot to read next, INT64_MAX: none */
    int64_t first;               /* key of the stretch */
    uint64_t words, word[SB_SWEEP_STRETCH / 64];
    uint16_t mask[SB_SWEEP_STRETCH]; /* zero but for keys still to come */
} sb_sweep;

/* Once, before the first window; a sweep that has come to its end can begin anew. */
void sb_sweep_init(sb_sweep *sw, const sb_view *v, const uint8_t *taken, int skew);
/* At rows [first, first + rows), of which those past the matrix are empty. */
void sb_sweep_begin(sb_sweep *sw, int64_t first, int rows);
/* Marks the next stretch; false at the end. */
bool sb_sweep_mark(sb_sweep *sw);

/* The rows that hold the next key, 0 at the end. */
static inline unsigned
sb_sweep_next(sb_sweep *sw, int64_t *key)
{
    unsigned rows;
    int w, k;

    if (!sw->words && !sb_sweep_mark(sw))
        return 0;
    w = SB_LOWEST_BIT(sw->words);
    k = w * 64 + SB_LOWEST_BIT(sw->word[w]);
    rows = sw->mask[k];
    sw->mask[k] = 0;
    sw->word[w] &= sw->word[w] - 1;
    if (!sw->word[w])
        sw->words &= sw->words - 1;
    *key = sw->first + k;
    return rows;
}

/* How many rows a mask holds; the instruction is not in every x86-64. */
static inline int
sb_sweep_count(unsigned rows)
{
    rows -= rows >> 1 & 0x5555;
    rows = (rows & 0x3333) + (rows >> 2 & 0x3333);
    rows = (rows + (rows >> 4)) & 0x0f0f;
    return (int)((rows + (rows >> 8)) & 0x1f);
}

#endif
