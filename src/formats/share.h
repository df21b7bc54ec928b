/*
 * How writes to places that a list of indices names are shared among threads: a piece
 * owns a range of places and takes the entries that lie there in their order, so places
 * named twice mean the same on any team. Where the indices ascend, a range's entries lie
 * together; else every piece looks through all, which costs less than following them.
 */
#ifndef SB_FORMATS_SHARE_H
#define SB_FORMATS_SHARE_H

#include "formats/matrix.h"
#include "formats/par.h"

enum {
    SB_SHARE_PIECES = 64
}; /* at most, where the number may depend on the work only */

typedef struct sb_share {
    const void *idx; /* of each entry, I32 or I64, counted from base */
    sb_dtype type;
    int base;
    int64_t nnz, size; /* entries, places */
    int64_t pieces;
    bool ascending;
} sb_share;

/* Places [lo, hi) and the entries [p, end) among which theirs are. */
typedef struct sb_share_piece {
    int64_t lo, hi, p, end;
} sb_share_piece;

/* Pieces for that many entries: at least one, a function of nnz alone. */
int64_t sb_share_count(int64_t nnz);

/* Where piece t of `count` things cut in `pieces` begins. */
int64_t sb_share_cut(int64_t count, int64_t pieces, int64_t t);

/* Looks at the order of the indices where that matters (several threads, long lists) and
 * decides on the pieces. par may be NULL: one thread. */
void sb_share_plan(sb_share *s, const sb_par *par);

/* The pieces cover all places, each once; entries outside [0, size) are in none, and
 * whoever walks [p, end) has to look at each index. */
sb_share_piece sb_share_of(const sb_share *s, int64_t t);

#endif
