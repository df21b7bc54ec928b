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
    /* Of the functions for one column: minors as the caller has them (of spread_one majors of a list,
     * too, which has no runs then), `wide` of 64 bits, else 32, and `base` too large; NULL: as above.
     * Rows of y from `rows` on are passed over. */
    const void *idx, *row;
    bool wide;
    int64_t base, rows;
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
