/*
 * Descriptors as the layers below see them.
 */
#ifndef SB_API_VIEW_H
#define SB_API_VIEW_H

#include "api/product.h"
#include "runtime/problem.h"

/* The record's operands as a problem; alpha and beta are left 0. Types without a
 * counterpart below become SB_DTYPE_COUNT. */
sb_problem sb_view_problem(const sb_product *p);

/* The operation on a matrix of that type: conjugation of reals is transposition. */
sb_trans sb_view_op(spblasOperation_t op, sb_dtype t);

sb_matrix sb_view_sparse(spblasConstSpMatDescr_t d);
sb_dense sb_view_dense(spblasConstDnMatDescr_t d);

/* Whether an array is NULL that has elements. */
bool sb_view_lacks_structure(const sb_matrix *a);
bool sb_view_lacks_values(const sb_matrix *a);

#endif
