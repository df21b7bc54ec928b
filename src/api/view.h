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

#endif
