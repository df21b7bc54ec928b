/*
 * A view of windows of a square view: what rows that share their columns look like as one. Orders of windows
 * are found and counted on it, a tenth of the entries where blocks of three are full.
 */
#ifndef SB_FORMATS_COARSE_H
#define SB_FORMATS_COARSE_H

#include "formats/par.h"
#include "formats/view.h"

/* Row w and column w stand for rows and columns [w window, (w + 1) window), of which the
 * last may have fewer. A row has an entry for each window of columns in which the longest
 * of its rows has one: where rows of a window differ, that one speaks for all. */
typedef struct sb_coarse {
    /* owned; 32-bit columns and offsets, sorted where those it is made of are */
    sb_view v;
    double columns; /* of the longest rows, in the mean of an entry */
} sb_coarse;

/* SB_SKIP where 32 bits do not count entries or the view is not square, ENOMEM. Columns
 * have been validated. par may be NULL; the result does not depend on it. */
sb_status sb_coarse_make(sb_coarse *out, const sb_view *v, int window,
                         const sb_par *par);
void sb_coarse_free(sb_coarse *c);

#endif
