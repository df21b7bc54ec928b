/*
 * Whether the points of a sparse iteration may be visited in another order.
 */
#ifndef SB_COMPILER_ORDER_H
#define SB_COMPILER_ORDER_H

#include "compiler/ir.h"

/*
 * True when the order of the iterators from number `from` on does not matter, those before
 * staying as they are: all the iteration does to a buffer is one kind of update (init
 * aside), or points that differ in those iterators store to different elements. *bad: a
 * buffer for which it is not known.
 */
bool sb_iter_order_free(const sb_stmt *iter, int from, const sb_buf **bad);

#endif
