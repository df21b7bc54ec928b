/*
 * The innermost loops of the reference kernels, by the type of the dense operand and the compute
 * type. Products are summed in the order of the entries and not contracted, with AVX2 or without:
 * one result on every x86-64.
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
    const void *x, *val;
    const int64_t *major, *end, *minor;
    int64_t runs, first, y_row, y_col, x_row, x_col, n; /* n columns */
    bool conj;                                          /* of x the conjugate */
} sb_ref_span;

typedef struct sb_ref_loops {
    /* y[major][c] += val * x[minor][c] for all entries and columns */
    void (*add)(const sb_ref_span *s);
    /* The same of the first column, each run summed in four lanes */
    void (*add_one)(const sb_ref_span *s);
    /* The first column again, runs being columns of a slice: entry q of each is row q's, unless its
     * minor is negative */
    void (*add_slice)(const sb_ref_span *s);
    /* y[minor][c] += val * x[major][c] */
    void (*spread)(const sb_ref_span *s);
    /* *sum += the sum of x[k] * y[k], contiguous, both of x's type; conjugated where said */
    void (*dot)(void *sum, const void *x, const void *y, int64_t n, bool conj_x,
                bool conj_y);
    /* n elements of x, contiguous, in the compute type */
    void (*widen)(void *to, const void *x, int64_t n, bool conj);
} sb_ref_loops;

/* NULL where x cannot be loaded in the compute type. */
const sb_ref_loops *sb_ref_loops_of(sb_dtype x, sb_dtype compute);

#endif
