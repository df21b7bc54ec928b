/*
 * Rows in place, several at a time, a vector of sums each: what groups (seg.c) and products
 * (prod.c) share.
 */
#ifndef SB_KERNELS_SEG_H
#define SB_KERNELS_SEG_H

#include "base/strbuf.h"
#include "kernels/spec.h"

#include <stdbool.h>

typedef struct sb_seg {
    int rows, lanes;   /* at a time; of a row's sums. Powers of two */
    bool all;          /* else rows from %m on have no entries */
    char row;          /* loop over rows; %r is unrolled */
    bool open;         /* as many entries as lanes may be read behind a row */
    const char *first; /* of the rows, an expression */
    const char *from;  /* where products are, the entry at %p0 first; NULL: computed */
} sb_seg;

/* The rows' sums as elements of $sumN, N = rows; written to C. */
void sb_seg_rows(sb_strbuf *out, const sb_spec *s, const sb_seg *g);

#endif
