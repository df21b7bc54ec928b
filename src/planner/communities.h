/*
 * An order of rows in which those that name the same columns come near each other.
 */
#ifndef SB_PLANNER_COMMUNITIES_H
#define SB_PLANNER_COMMUNITIES_H

#include "formats/view.h"

/* Whether rows have such an order: as many rows as columns, elements, and so few of either and
 * of entries that 32 bits count them. */
bool sb_communities_suit(const sb_view *v);

/*
 * order[0 .. rows), a permutation, by columns alone: the same for the same structure. Time
 * O(nnz), memory 40 bytes a row while it runs. SB_SKIP where rows have no such order, ENOMEM.
 */
sb_status sb_communities_order(int32_t *order, const sb_view *v);

/* Of the columns that the rows named by a row name, the share that the row names as well: triangles that
 * close, from 128 rows and four columns of each. Near 0 in random graphs, 0.3 and more in meshes and
 * where points are joined to their neighbours. Where columns are not in order fewer are found. */
double sb_communities_closed(const sb_view *v);

#endif
