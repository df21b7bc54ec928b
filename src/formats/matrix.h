/*
 * The caller's operands as plain facts: arrays, types, sizes. Never owned, never
 * written except where a field says so. The API checks them before anything below sees
 * one: sizes fit, types are legal, leading dimensions are large enough.
 */
#ifndef SB_FORMATS_MATRIX_H
#define SB_FORMATS_MATRIX_H

#include "base/dtype.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum sb_format {
    SB_FORMAT_CSR,
    SB_FORMAT_CSC,
    SB_FORMAT_COO,
    SB_FORMAT_BSR,
    SB_FORMAT_TENSOR
} sb_format;

/*
 * A sparse matrix.
 *   CSR  ptr[rows + 1], idx[nnz] columns          CSC  ptr[cols + 1], idx[nnz] rows
 *   COO  row[nnz], idx[nnz] columns, any order    BSR  ptr[rows / block + 1], idx[nnz]
 * block columns, val[nnz * block^2]; nnz counts blocks, rows and cols count elements
 *   TENSOR  `tensor`, in a format of the language; of the rest only rows, cols, nnz,
 * val_type and val (NULL: its values are missing) are looked at
 * ptr has type ptr_type; idx and row have idx_type; both I32 or I64. Indices start at
 * base (0 or 1). Entry p of batch member q is val[p + q * val_stride]; structure
 * likewise by ptr_stride and idx_stride; stride 0 shares.
 */
typedef struct sb_matrix {
    sb_format format;
    int64_t rows, cols, nnz;
    const void *ptr, *idx, *row;
    void *val;
    sb_dtype ptr_type, idx_type, val_type;
    int base;
    int64_t block;
    bool block_col_major;
    int64_t batch, ptr_stride, idx_stride, val_stride;
    const struct sb_tensor *tensor;
} sb_matrix;

/* A dense matrix: element (i, j) at i * ld + j, or i + j * ld when col_major. A vector
 * is rows x 1 with ld = 1, row-major. Batch member q starts q * stride elements on. */
typedef struct sb_dense {
    int64_t rows, cols, ld;
    bool col_major;
    sb_dtype type;
    void *data;
    int64_t batch, stride;
} sb_dense;

/* Element p of an index array of type t (I32 or I64), base not removed. */
static inline int64_t
sb_index(const void *array, sb_dtype t, int64_t p)
{
    return t == SB_I64 ? ((const int64_t *)array)[p] : ((const int32_t *)array)[p];
}

#endif
