/*
 * Dense operands of a device's SpMM that lie by columns: op(B) is put by rows into the caller's
 * externalBuffer, the product runs on that as on any by rows, its sums go to a C by rows beside it,
 * and from there, with alpha and beta, to the caller's C. A row of B by columns is in as many lines
 * of memory as it has elements, and so is one of C; by rows each line is read and written once
 * (docs/devices.md, By columns).
 *
 * Here is what planner and API see of that; kernels are native/native.h's.
 */
#ifndef SB_RUNTIME_SIDES_H
#define SB_RUNTIME_SIDES_H

#include "runtime/problem.h"

#include <stddef.h>

/* Whether op(B), and whether C, lies by columns. */
bool sb_sides_turn_b(const sb_problem *pb);
bool sb_sides_turn_c(const sb_problem *pb);

/* Columns of C that are put by rows at a time: all, unless their copies are more than 1 GiB (or
 * SPBLAS_COLUMNS_ROOM bytes, read once; 32 columns at least, none if it is 0). 0: none of SpMM's
 * operands lies by columns, or there are fewer entries than pay for it. From sizes and types
 * alone, wherever the arrays are. */
int64_t sb_sides_width(const sb_problem *pb);

/*
 * What is computed of `width` columns from column `from` on: a product by rows. An operand that is
 * copied lies at `at`, a multiple of 16, and behind, without other gaps than fill the last 16
 * bytes of a row; C's copy has the sums' type and neither alpha nor beta. Columns that fill up
 * both are computed too. `at` NULL: shapes alone, for a planner. Without scratch.
 */
sb_problem sb_sides_part(const sb_problem *pb, int64_t from, int64_t width, void *at);

/* Bytes of the copies of sb_sides_width columns, a multiple of 64. */
size_t sb_sides_bytes(const sb_problem *pb);

#endif
