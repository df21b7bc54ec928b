/*
 * The entries of the sparse operand of a reference kernel, whatever its format, some hundred at a
 * time: runs of entries of one row, and where each is and, in the compute type, its value.
 */
#ifndef SB_CPU_REF_CHUNK_H
#define SB_CPU_REF_CHUNK_H

#include "base/tiny.h"
#include "cpu/ref_job.h"

typedef struct sb_ref_chunk {
    int64_t runs;
    const void *val; /* the matrix's own, or in an array below */
    /* Where minors were not asked for the matrix's own, base and all; likewise majors of a list,
     * which is one run then. */
    const void *idx, *row;
    int64_t major[SB_REF_CHUNK]; /* of a run: row of A (of CSC: column) */
    int64_t end[SB_REF_CHUNK]; /* of a run: entries [end[r - 1], end[r]) are its own */
    int64_t minor[SB_REF_CHUNK];      /* of an entry */
    int64_t at[SB_REF_CHUNK];         /* where values lie */
    sb_ref_scalar side[SB_REF_CHUNK]; /* those, side by side */
    sb_ref_scalar copy[SB_REF_CHUNK]; /* in the compute type */
} sb_ref_chunk;

/* Which entries are wanted: those whose minor (lists, `by_major`: major) is in [lo, hi); `all`:
 * without a look. `raw`: any, whoever uses them looks; of slots that are neither blocks nor empty idx
 * takes the place of minors, of lists not by_major row that of runs. */
typedef struct sb_ref_wanted {
    int64_t lo, hi;
    bool all, by_major, raw;
} sb_ref_wanted;

/* Where the next chunk begins: rows [row, rows), the first from its entry `place` on; of lists
 * `place` alone. All zero but `rows` at first. */
typedef struct sb_ref_cursor {
    int64_t row, rows, place;
} sb_ref_cursor;

/*
 * The next entries, in the order of storage; false where there are no more. Rows come whole, at
 * most `most` of them, the empty ones, too, unless of the chunk nothing is wanted. One that a chunk
 * does not hold comes in several, after which cursor->row is still that row; behind its last piece
 * other rows follow unless `most` is 1.
 */
bool sb_ref_chunk_next(sb_ref_chunk *c, const sb_ref_sparse *a, sb_ref_cursor *cursor,
                       int64_t most, const sb_ref_wanted *w);

/*
 * Of Sliced-ELL the next columns of a slice, rows [row, row + the result), side by side as they lie:
 * each is a run of that many entries, of which minors are negative where nothing is. After the last
 * of them cursor->row is the next row.
 */
int64_t sb_ref_chunk_slice(sb_ref_chunk *c, const sb_ref_sparse *a,
                           sb_ref_cursor *cursor);

static inline int64_t
sb_ref_chunk_count(const sb_ref_chunk *c)
{
    return c->runs > 0 ? c->end[c->runs - 1] : 0;
}

#endif
