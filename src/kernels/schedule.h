/*
 * Schedules that several recipes share: kinds that walk listed or natural rows one by
 * one differ only in the names of their loops. docs/schedules.md has the primitives.
 */
#ifndef SB_KERNELS_SCHEDULE_H
#define SB_KERNELS_SCHEDULE_H

#include "base/strbuf.h"
#include "kernels/spec.h"

/*
 * iter    the iteration, e.g. "spmm_rows"
 * order   its iterators with columns of C before the reduction, for sparse_reorder
 * row     loop over rows, the tiled one
 * slot    loop over the slots of a row
 * beside  a slot's value has the same place in its array as its column
 */
typedef struct sb_row_loops {
    const char *iter, *order, *row, *slot;
    bool beside;
} sb_row_loops;

void sb_schedule_rows(sb_strbuf *out, const sb_spec *s, const sb_row_loops *l);

/* SpMM: `unroll` iterations of the loop over a row's slots at a time, before their
 * columns are vectorized, and side by side in the vector loop, after. */
void sb_schedule_unroll(sb_strbuf *out, const sb_spec *s, const char *loop);
void sb_schedule_jam(sb_strbuf *out, const sb_spec *s);

/* Rows of a block that are kept in registers together: all up to 8, else the largest of
 * 8, 4, 3, 2 that divides it. */
int sb_schedule_group(int block);

/* SDDMM entry by entry: the dot product over %c of the entry at loop `at` in lanes. */
void sb_schedule_samples(sb_strbuf *out, const sb_spec *s, const char *at);

/* SpMM and SpMV in blocks: loops %w (block rows), %g and %r (groups and their rows), %q
 * (blocks), %jj (columns of a block), and %c. */
void sb_schedule_blocks(sb_strbuf *out, const sb_spec *s);

/* Whether rows of B are long enough that a kernel of rows in place takes a parameter %last: how
 * many rows ahead the last entry's row of B is asked for, 0 none. Which it is costs a test. */
bool sb_schedule_asks_last(const sb_spec *s);

/* Whether rows of B are so short that what is read of A counts: then an exact kernel of rows in place
 * takes a parameter %ahead, how many entries ahead A is asked for, 0 none. */
bool sb_schedule_asks_list(const sb_spec *s);

/* Lines "prefetch $B at LOOP ahead P" and "stream $C", as the spec asks; LOOP NULL: no list says
 * which rows come, and nothing is asked for. */
void sb_schedule_memory(sb_strbuf *out, const sb_spec *s, const char *loop);

/* After a recipe's own lines, from its table: units to groups of lanes, unless they are
 * ordered, tiles of columns to grid y. Who makes the tiles promises what no list can
 * prove, that units of one tile touch different elements; so they are notes, not `bind`. */
void sb_schedule_gpu(sb_strbuf *out, const sb_spec *s, const char *unit, bool ordered,
                     const char *column);

#endif
