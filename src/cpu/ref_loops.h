/*
 * The innermost loops of the reference kernels, by the type of the dense operand and the compute
 * type. An element's sum has one order, given by the runs, whatever the instructions; products are not
 * contracted on x86-64: one result on all of them.
 */
#ifndef SB_CPU_REF_LOOPS_H
#define SB_CPU_REF_LOOPS_H

#include "base/dtype.h"

/*
 * Entries and what they touch: runs [end[r - 1], end[r]) of them, each of major[r], entry e of
 * minor[e] with the value val[e], of the compute type. Element (r, c) of x is x[r * x_row + c *
 * x_col]; of y, which has the compute type, y[(r - first) * y_row + c * y_col].
 */
typedef struct sb_ref_span {
    void *y;
    const void *x, *val, *alpha; /* alpha: of the compute type; NULL: 1 */
    const int64_t *major, *end, *minor;
    const void
        *idx;  /* of the functions for one column: minors as the caller has them, 64 */
    bool wide; /* bits each or 32, less `base`; NULL: as above */
    const void *row;    /* of spread_one: majors likewise, of no runs; NULL: as above */
    int64_t base, rows; /* of y; of these functions others are passed over */
    int64_t runs, first, y_row, y_col, x_row, x_col, n; /* n columns */
    bool conj;                                          /* of x the conjugate */
} sb_ref_span;

/* sums[e] += the sum over k of x[k] * y[minor[e] * y_row + k]: n elements each, contiguous, both of
 * x's type, conjugated where said; sums have the compute type. */
typedef struct sb_ref_dots {
    void *sums;
    const void *x, *y;
    const int64_t *minor;
    int64_t count, n, y_row;
    bool conj_x, conj_y;
} sb_ref_dots;

typedef struct sb_ref_loops {
    /* y[major][c] += alpha * val * x[minor][c] for all entries and columns */
    void (*add)(const sb_ref_span *s);
    /* The same of the first column, each run summed in four lanes */
    void (*add_one)(const sb_ref_span *s);
    /* The first column again, runs being columns of a slice: entry q of each is row q's, unless its
     * minor is negative; without alpha */
    void (*add_slice)(const sb_ref_span *s);
    /* y[minor][c] += alpha * val * x[major][c] */
    void (*spread)(const sb_ref_span *s);
    /* The same of the first column, with idx */
    void (*spread_one)(const sb_ref_span *s);
    void (*dots)(const sb_ref_dots *d);
    /* n elements of x, contiguous, in the compute type */
    void (*widen)(void *to, const void *x, int64_t n, bool conj);
} sb_ref_loops;

/* NULL where x cannot be loaded in the compute type. */
const sb_ref_loops *sb_ref_loops_of(sb_dtype x, sb_dtype compute);

#endif
