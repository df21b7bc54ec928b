/*
 * Whether rows of C are computed in another order than the matrix's (`(part pick order)`, on Zen 5 and
 * Emerald Rapids `(part win 3 order)`): the one of communities.h, where it finds so many more rows of B in the
 * caches that this pays for rows of C that no longer follow each other.
 */
#ifndef SB_PLANNER_ROW_ORDER_H
#define SB_PLANNER_ROW_ORDER_H

#include "planner/context.h"

/*
 * What an order of rows brings from where, in rows of B or C. Columns that two caches of `near`
 * and `far` rows of B miss, were each emptied when it is full; rows whose number does not follow
 * that of the row before.
 */
typedef struct sb_row_traffic {
    int64_t near, far, jumps;
} sb_row_traffic;

/* Of the rows of a view in this order, NULL: as they are. ENOMEM alone. */
sb_status sb_row_traffic_count(sb_row_traffic *out, const sb_view *v,
                               const int32_t *order, int64_t near, int64_t far);

/* Time of `order` over that of the rows as they are on t, as far as both wait for rows of B and C. */
double sb_row_traffic_ratio(const sb_row_traffic *as_is, const sb_row_traffic *order,
                            int64_t nnz, const sb_target *t);

/* pl->order, if it is not there yet, of windows of so many rows (1: of rows); SB_SKIP for matrices without
 * one, ENOMEM. */
sb_status sb_row_order_make(sb_planner *pl, int window);

/* Weighs what is in this order among all that is weighed so far. */
sb_status sb_row_order_weigh(sb_planner *pl);

#endif
