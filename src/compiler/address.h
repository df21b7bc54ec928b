/*
 * Where things lie: slots of axes, counts of slots, flat offsets of buffers (equations
 * 6-8 of the SparseTIR paper), as expressions over positions.
 */
#ifndef SB_COMPILER_ADDRESS_H
#define SB_COMPILER_ADDRESS_H

#include "compiler/ir.h"

/* $b[at] and cast to i64. */
const sb_expr *sb_load_i64(sb_ir *ir, const sb_buf *b, const sb_expr *at);

/* First slot under parent slot q (q ignored at a root). */
const sb_expr *sb_axis_first(sb_ir *ir, const sb_axis *x, const sb_expr *q);
/* Number of positions under parent slot q. */
const sb_expr *sb_axis_extent(sb_ir *ir, const sb_axis *x, const sb_expr *q);
/* Slots of the axis over all parents; NULL and a diag when the axis does not say. */
const sb_expr *sb_axis_slots(sb_ir *ir, const sb_axis *x);
/* crd[slot] - base of a sparse axis. */
const sb_expr *sb_axis_coord(sb_ir *ir, const sb_axis *x, const sb_expr *slot);

/* Dimensions of a buffer over axes form trees: the dimension before d that holds its
 * axis's parent (-1 at a root), the root of d's tree, whether nothing depends on d. */
int sb_buf_parent(const sb_buf *b, int d);
int sb_buf_root(const sb_buf *b, int d);
bool sb_buf_leaf(const sb_buf *b, int d);
/* The last axis of the tree whose root is dimension d. */
const sb_axis *sb_buf_tree(const sb_buf *b, int d);

/* Offset of element at[0..rank) (positions) in the packed, row-major storage; strided
 * buffers: by their strides. Without the indirection through val. */
const sb_expr *sb_buf_offset(sb_ir *ir, const sb_buf *b, const sb_expr *const *at);
/* Elements behind that storage; with val, elements of the caller's array. */
const sb_expr *sb_buf_elements(sb_ir *ir, const sb_buf *b);
/* The positions -> elements buffer, NULL without. */
const sb_buf *sb_buf_val(const sb_buf *b);

#endif
