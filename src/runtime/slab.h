/*
 * Wide products by slabs: some columns of op(B) at a time are copied side by side into the
 * caller's buffer, and the steps run on that copy as they would on a B of so many columns.
 * Rows of a wide B lie far apart: what a row of A names of it falls on many pages and lines
 * that no prefetcher foresees, and the rows that the next ones name again are gone by then
 * (docs/measured/spmm-slabs.md).
 *
 * A kernel adds up a column of C in the same order whatever columns are beside it, so the
 * bits are those of the same steps without slabs, for any number of threads. Kernels may be for
 * the slabs' width alone (sb_slab_even): without the buffer the steps then run on so many columns
 * at a time where they lie.
 */
#ifndef SB_RUNTIME_SLAB_H
#define SB_RUNTIME_SLAB_H

#include "runtime/plan.h"

/* Whether op(B) or C lies by columns: slabs then put them by rows, the only form that rows of
 * many columns are added up in fast, and C back. */
bool sb_slab_turns(const sb_problem *pb);

/* Whether slabs are to be had: host memory, and either more columns than `width` or such as
 * are turned, of which a C by rows wants slabs of one width. */
bool sb_slab_serves(const sb_problem *pb, int64_t width);

/* Bytes of a buffer that holds all slabs of `width` columns, or as many as 64 MiB do but one at
 * least, wherever it begins; from sizes and types alone. 0: they do not serve, or a size_t does not hold it. */
size_t sb_slab_bytes(const sb_problem *pb, int64_t width);
/* ... that all threads share. */
size_t sb_slab_bytes_shared(const sb_problem *pb, int64_t width);

/* Whether pb->scratch holds at least one of them. */
bool sb_slab_fits(const sb_problem *pb, int64_t width);

/* What kernels see of a slab that is turned: a product of min(width, n) columns, B and C by
 * rows without gaps, their data NULL. */
sb_problem sb_slab_alone(const sb_problem *pb, int64_t width);

/* Whether all slabs of B and C by rows are of one width, so that kernels for that alone serve. */
bool sb_slab_even(const sb_problem *pb, int64_t width);

/* Columns [from, from + width) of op(B) and C by rows, where they lie. */
sb_problem sb_slab_in_place(const sb_problem *pb, int64_t from, int64_t width);

/*
 * Runs the launch in slabs of l->slab columns, which fit. Where there are enough for all
 * threads and l->together is not set, each takes whole slabs and a part of the buffer for itself;
 * else all share the rows of one after the other. Errors as sb_launch_run.
 */
sb_status sb_slab_run(const sb_launch *l, const sb_problem *pb, sb_diag *diag);

#endif
