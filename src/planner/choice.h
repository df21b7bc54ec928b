/*
 * A decision, before anything is built: which parts in which order, and the kernel's
 * parameters. Plan text is this struct in print; everything the planner weighs, forces
 * or remembers is a choice.
 */
#ifndef SB_PLANNER_CHOICE_H
#define SB_PLANNER_CHOICE_H

#include "base/diag.h"
#include "base/strbuf.h"
#include "formats/part.h"
#include "runtime/problem.h"

#include <stdbool.h>

/*
 * One part. Which fields count depends on the kind:
 *   rows  c column partitions, k: buckets up to 2^k, -1: in the matrix's order
 *   ell   k: width 2^k      pick  k: 1 rows in an order of communities, 0 in the matrix's
 *   bsr, win  size: rows together  dia  size: percent full
 *   panel size: columns of a panel  mask  size: rows together
 *   ubcsr size, c: rows and columns of a block
 */
typedef struct sb_part_choice {
    sb_part_kind kind;
    int c, k, size;
} sb_part_choice;

enum { SB_CHOICE_PARTS = 4 };

/*
 * Parts that select (bsr, win, share, dia) come first, each from what those before it have
 * left; the last part takes the rest: csr, seg, prod, sell, panel, mask, ubcsr (alone only), rows, ell,
 * pick or coo. npart 0: the reference kernel.
 *   tile      columns of C, or of the reduction, per register tile; 0: tile and prefetch
 *             are the rules' (planner/rules.h)
 *   prefetch  rows of B ahead, 0 none
 *   last      rows of A ahead whose last entry's row of B is asked for, 0 none: of kernels that can
 *             (sb_schedule_asks_last)
 *   unroll    entries of a row taken together; 0 is 1
 *   packed    values copied into the parts (only under the caller's promise)
 *   stream    non-temporal stores to C
 *   slab      columns of B that are copied side by side and multiplied at a time, 0 all in
 *             place (runtime/slab.h); the tile is not wider
 *   narrow, one, ranged, joined   of the arrays as they were built (kernels/spec.h); no text asks for them
 */
typedef struct sb_choice {
    sb_op op;
    int npart;
    sb_part_choice part[SB_CHOICE_PARTS];
    int tile, prefetch, last, unroll, slab;
    bool packed, stream;
    bool narrow, one;
    int ranged;  /* hdia: ranges that values are looked up in */
    bool joined; /* mask: sums of a window's rows made together */
} sb_choice;

/* Whether a part takes some of the entries and leaves the others. */
bool sb_part_selects(sb_part_kind kind);

/* Whether several parts select: then a step belongs to one part, and a part's arrays to its
 * level, its number from 1 on. */
static inline bool
sb_choice_levels(const sb_choice *ch)
{
    return ch->npart > 2;
}

/* The last part, or NULL for the reference kernel. */
const sb_part_choice *sb_choice_rest(const sb_choice *ch);

/*
 * Plan text, e.g. "(plan spmm (part bsr 4) (part rows hyb 1 5) (tile 32) (prefetch
 * 4))"; docs/planner.md has the grammar. Printing a choice and parsing the text gives
 * the same choice, and parsing any accepted text and printing it twice gives the same
 * text.
 */
void sb_choice_print(sb_strbuf *out, const sb_choice *ch);
/* EPARSE with line, column and caret. */
sb_status sb_choice_parse(sb_choice *out, const char *text, size_t len, sb_diag *diag);
bool sb_choice_equal(const sb_choice *x, const sb_choice *y);

#endif
