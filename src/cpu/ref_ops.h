/*
 * Arithmetic of the reference kernels beside their innermost loops (ref_loops.h), by table. Elements
 * are loaded into packed arrays of the compute type, worked on there, and stored rounded once.
 */
#ifndef SB_CPU_REF_OPS_H
#define SB_CPU_REF_OPS_H

#include "base/dtype.h"

enum { SB_REF_LINE = 64 }; /* elements of one line */

/* Storage for one element, or one line, of any compute type. */
typedef union sb_ref_scalar {
    double d[2];
    float f[2];
    uint32_t u;
} sb_ref_scalar;
typedef struct sb_ref_line {
    sb_ref_scalar e[SB_REF_LINE];
} sb_ref_line;

/* n elements from src[at], src[at + stride], ... to packed dst, conjugated on request. */
typedef void (*sb_ref_load)(void *dst, const void *src, int64_t at, int64_t stride,
                            int64_t n, bool conj);
/* The way back, rounding to nearest. */
typedef void (*sb_ref_store)(void *dst, int64_t at, int64_t stride, const void *src,
                             int64_t n);

/* Operations on packed lines of one compute type. */
typedef struct sb_ref_ops {
    size_t size;
    /* acc[c] = alpha * acc[c] + beta * old[c]; old NULL: without the second term */
    void (*finish)(void *acc, const void *alpha, const void *beta, const void *old,
                   int64_t n);
    /* y[c * stride] = beta * y[c * stride], or 0 without reading when beta is NULL */
    void (*scale)(void *y, int64_t stride, const void *beta, int64_t n);
} sb_ref_ops;

/* NULL where the combination has no meaning in the compute-type table. */
const sb_ref_ops *sb_ref_ops_of(sb_dtype compute);
sb_ref_load sb_ref_load_of(sb_dtype from, sb_dtype compute);
sb_ref_store sb_ref_store_of(sb_dtype compute, sb_dtype to);

#endif
