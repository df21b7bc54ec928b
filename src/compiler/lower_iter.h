/*
 * What lower_iter.c (loops) and lower_coord.c (coordinates to positions) share: the
 * state of lowering one sparse iteration.
 */
#ifndef SB_COMPILER_LOWER_ITER_H
#define SB_COMPILER_LOWER_ITER_H

#include "compiler/ir.h"
#include "compiler/rewrite.h"

#define SB_MAXITER 12

/* An axis where it is open: expressions over loop variables and lets. */
typedef struct sb_open_axis {
    const sb_axis *axis; /* NULL: the level has no second axis */
    int parent;          /* place of the parent axis, 2 * level + part; -1 at a root */
    const sb_expr *pos;  /* under the parent, from 0 */
    const sb_expr *slot; /* absolute */
} sb_open_axis;

/* One iterator with its place. coord, pos and slot are NULL while it is not open. */
typedef struct sb_level {
    const sb_iter *it;
    sb_open_axis at[2];   /* its axis, the one iterated with it */
    const sb_var *loop;   /* its loop variable; fused levels: that of the last */
    const sb_expr *coord; /* in coordinate space, from 0 */
    const sb_buf *cursor; /* along the second axis */
    const sb_var *found;  /* where it stands */
} sb_level;

typedef struct sb_lowering {
    sb_ir *ir;
    const sb_prog *prog;
    const sb_stmt *iter;
    int n;
    sb_level at[SB_MAXITER];
    int nblock, nfind, nmerge;
    sb_status st;
} sb_lowering;

/* The open axis at a place 2 * level + part; NULL at -1. */
const sb_open_axis *sb_lower_axis(const sb_lowering *lo, int place);
/* lower_merge.c: level k's second axis. Statements in front of the level's loop; the
 * body inside it, run where the coordinate is stored on that axis too. */
void sb_lower_merge_start(sb_lowering *lo, int k, sb_list *out);
void sb_lower_merge_open(sb_lowering *lo, int k);
sb_body sb_lower_merge(sb_lowering *lo, int k, sb_body b);
/* lower_fused.c: opens the levels [k, last] of a fused group with rows of varying length
 * from one loop over slots; returns how many there are, pushes what finds the rows. */
const sb_expr *sb_lower_fused(sb_lowering *lo, int k, int last, sb_list *lets);
/* A variable called prefix and the iterator's name. */
const sb_var *sb_lower_var(const sb_lowering *lo, const char *prefix,
                           const sb_iter *it);

/* Statements of stage I with every access in positions; an access whose coordinate has
 * to be searched brings a `let` with the find, a load of an absent element is zero, a
 * store to one is skipped. */
sb_body sb_lower_accesses(sb_lowering *lo, sb_body b);
/* Positions of all dimensions of b from open levels; false when some axis has none. */
bool sb_lower_positions(const sb_lowering *lo, const sb_buf *b,
                        const sb_expr *pos[SB_MAXRANK], int *last);

#endif
