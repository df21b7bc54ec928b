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

/* Triangles that close: of the columns that a row's neighbours name, but the two rows themselves, the share that
 * the row names as well, from 128 rows and four neighbours of each. Near 0 in random graphs and in grids, 0.4 and more
 * in meshes and where points are joined to their nearest. Where columns are not in order fewer are found. */
double sb_communities_closed(const sb_view *v);

#endif
