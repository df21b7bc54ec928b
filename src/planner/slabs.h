/*
 * When SpMM goes by slabs of B (runtime/slab.h): the rules, and the bytes that bufferSize asks
 * for.
 */
#ifndef SB_PLANNER_SLABS_H
#define SB_PLANNER_SLABS_H

#include "formats/view.h"
#include "planner/context.h"

#include <stddef.h>

/*
 * Bytes of externalBuffer for a problem in host memory: for what a plan or a call without one
 * may choose, by sizes and types alone, and for what `text`, a forced plan or NULL, names. 0
 * where slabs are not expected to pay.
 */
size_t sb_slab_room(const sb_problem *pb, const char *text);

/* The columns of the widest slab, of sizes and types that may gain; else 0. */
int sb_slab_width(const sb_problem *pb, const sb_work *w, const sb_target *t);

/*
 * The columns of a slab of a product whose B or C lies by columns, which is turned, where that
 * is expected to pay, or `text`, a forced plan or NULL, wants it; else 0.
 */
int sb_slab_turning(const sb_problem *pb, const char *text);

/* The columns of a slab of rows (alone where sb_slab_strewn, too) where this structure gains from them, else
 * 0: the columns of its rows lie all over B, by a few of them, or L2 holds a slab (Zen 3 and 5), or they
 * lie near each other and C is streamed (Zen 3). */
int sb_slab_rows(const sb_problem *pb, const sb_view *v, const sb_work *w,
                 const sb_target *t);

/* Whether so many columns are in no order (sb_view_strewn), and so many rows alike (sb_view_alike), that slabs
 * of rows alone which L2 does not hold gain, on Zen 5: else rows of B that are asked for in place are near. */
bool sb_slab_strewn(const sb_work *w, double strewn, double alike, const sb_target *t);

/* Adds the forms by slabs of what is weighed so far. */
void sb_slab_weigh(sb_planner *pl);

#endif
