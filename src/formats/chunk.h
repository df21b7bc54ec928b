/*
 * Windows of neighbouring rows cut into chunks of columns: each begins at the first column
 * that none of the chunks before it has, wherever that is. What masks (part_mask.c) and
 * blocks (part_ubcsr.c) of several rows are made of.
 */
#ifndef SB_FORMATS_CHUNK_H
#define SB_FORMATS_CHUNK_H

#include "formats/part.h"

enum { SB_CHUNK_ROWS = 8 }; /* of a window at most */

typedef struct sb_chunk_scan {
    const sb_view *v;
    bool wide; /* columns of 64 bits */
    int rows;  /* of the window, the last may be short */
    int cols;  /* of a chunk */
    int64_t at[SB_CHUNK_ROWS], end[SB_CHUNK_ROWS]; /* slots not yet passed */
} sb_chunk_scan;

/* Window number `window` of b rows, sorted, of a matrix that has as many columns as a chunk. */
void sb_chunk_begin(sb_chunk_scan *sc, const sb_view *v, int64_t window, int b,
                    int cols);
/* First column of the next chunk, all of it in the matrix, counted from 0, and -1 at the end; bit
 * c of mask[r] is set where row r of the window holds its column c. Rows that the window lacks are
 * left alone. */
int64_t sb_chunk_next(sb_chunk_scan *sc, uint32_t mask[SB_CHUNK_ROWS]);
/* Chunks of a window. */
int64_t sb_chunk_count(const sb_view *v, int64_t window, int b, int cols);

/* What a part calls them. */
typedef struct sb_chunk_names {
    const char *ptr, *crd, *bits;
} sb_chunk_names;

/* The chunks of all windows as arrays of a part: P[windows + 1] chunks before a window, I[chunks] first
 * columns, I32[chunks * b] masks, of a chunk row by row, 0 for rows that the last window lacks.
 * SB_SKIP where there are more than `most`. par may be NULL. */
sb_status sb_chunks_make(sb_part *out, const sb_chunk_names *names, const sb_view *v,
                         int b, int cols, int64_t most, const sb_par *par);

#endif
