/*
 * The caller's type codes in our words.
 */
#ifndef SB_API_TYPES_H
#define SB_API_TYPES_H

#include "base/dtype.h"
#include "runtime/problem.h"

#include "spblas.h"

/* Bytes of one element, 0 for an unknown code. */
size_t sb_public_size(spblasDataType_t t);
size_t sb_public_index_size(spblasIndexType_t t);

/* SB_DTYPE_COUNT for codes that are unknown. */
sb_dtype sb_public_dtype(spblasDataType_t t);
sb_dtype sb_public_index_dtype(spblasIndexType_t t);

/* Whether p is aligned to an element of that many bytes; NULL is. */
bool sb_is_aligned(const void *p, size_t bytes);

/* The compute-type table (cuSPARSE's documentation, condensed): whether sums of type c
 * may take operands a (sparse of SPMM and SPMV), x and give y. For SDDMM a is ignored:
 * x is both dense operands, y the sparse output. */
bool sb_types_supported(sb_op op, sb_dtype a, sb_dtype x, sb_dtype y, sb_dtype c);

#endif
