/*
 * What lower_iter.c (loops) and lower_coord.c (coordinates to positions) share: the
 * state of lowering one sparse iteration.
 */
#ifndef SB_COMPILER_LOWER_ITER_H
#define SB_COMPILER_LOWER_ITER_H

#include "compiler/ir.h"

#define SB_MAXITER 12

/* One iterator with its place. coord, pos and slot are expressions over loop variables
 * and lets; NULL while the level is not open. */
typedef struct sb_level {
    const sb_iter *it;
    int parent;           /* level of the parent axis, -1 at a root */
    const sb_var *loop;   /* its loop variable; fused levels: that of the last */
    const sb_expr *coord; /* in coordinate space, from 0 */
    const sb_expr *pos;   /* under the parent, from 0 */
    const sb_expr *slot;  /* absolute */
} sb_level;

typedef struct sb_lowering {
    sb_ir *ir;
    const sb_prog *prog;
    const sb_stmt *iter;
    int n;
    sb_level at[SB_MAXITER];
    int nblock, nfind;
    sb_status st;
} sb_lowering;

/* Statements of stage I with every access in positions; an access whose coordinate has
 * to be searched brings a `let` with the find, a load of an absent element is zero, a
 * store to one is skipped. */
sb_body sb_lower_accesses(sb_lowering *lo, sb_body b);
/* Positions of all dimensions of b from open levels; false when some axis has none. */
bool sb_lower_positions(const sb_lowering *lo, const sb_buf *b,
                        const sb_expr *pos[SB_MAXRANK], int *last);

#endif
