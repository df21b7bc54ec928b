/*
 * The operators of conv.def as functions, for conv.c's table, and what they share.
 */
#ifndef SB_FORMATS_CONV_OPS_H
#define SB_FORMATS_CONV_OPS_H

#include "formats/conv.h"

#define X(kind, name, nargs, fn) \
    sb_status sb_conv_##fn(sb_conv *cx, const sb_conv_op *op);
#include "formats/conv.def"
#undef X

/* New leaf p is old leaf from[p], or zeros and holes where that is negative. */
sb_status sb_tree_leaves(sb_tree *t, const int64_t *from, int64_t n, const sb_par *par);
/* Of a coordinate list of its dimensions, what lies outside of the tensor: padding that
 * someone wrote a value into. */
void sb_tree_drop_outside(sb_tree *t);
int64_t sb_tree_nonzeros(const void *val, int64_t stride, int64_t n, sb_dtype type);
/* An untrimmed level of the target with one index a parent, which it stores because the
 * levels above determine it (the column of an ELL slot). */
static inline bool
sb_conv_determined(const sb_conv *cx, int level)
{
    return cx->level[level].idx &&
           (level < cx->target->trim_lo || level > cx->target->trim_hi);
}
/* A new level of a coordinate list; takes the column. */
void sb_conv_insert(sb_tree *t, int level, int64_t *column);
/* An expression where at[d] is dimension d and at[ndim + k] the answer of function k. */
int64_t sb_conv_eval(const sb_fmt_expr *e, const int64_t *at, int ndim);

#endif
