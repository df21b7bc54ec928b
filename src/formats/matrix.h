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
    SB_FORMAT_BELL,
    SB_FORMAT_SELL,
    SB_FORMAT_TENSOR
} sb_format;

/*
 * A sparse matrix.
 *   CSR  ptr[rows + 1], idx[nnz] columns          CSC  ptr[cols + 1], idx[nnz] rows
 *   COO  row[nnz], idx[nnz] columns, any order    BSR  ptr[rows / block + 1], idx[nnz]
 * block columns, val[nnz * block^2]; nnz counts blocks, rows and cols count elements
 *   BELL idx[nnz] block columns, `width` of each block row; val[nnz * block^2], whole
 * rows of width * block elements one after another   SELL  slices of `width` rows:
 * ptr[slices + 1] slots, idx[nnz] columns; slots of a row lie width apart, rows of a
 * slice side by side. In both nnz counts slots, a negative index says that one is empty
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
    int64_t block, width;
    bool block_col_major;
    bool rows_ascend; /* of COO, the caller's promise */
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

/* Elements of one side of a block: 1 unless the matrix has blocks. */
static inline int64_t
sb_matrix_block(const sb_matrix *a)
{
    return a->format == SB_FORMAT_BSR || a->format == SB_FORMAT_BELL ? a->block : 1;
}

/* Whether slots may be empty. */
static inline bool
sb_matrix_padded(const sb_matrix *a)
{
    return a->format == SB_FORMAT_BELL || a->format == SB_FORMAT_SELL;
}

/* Elements of the offsets of one batch member; 0 where there are none. */
static inline int64_t
sb_matrix_offsets(const sb_matrix *a)
{
    switch (a->format) {
    case SB_FORMAT_CSR:
        return a->rows + 1;
    case SB_FORMAT_CSC:
        return a->cols + 1;
    case SB_FORMAT_BSR:
        return a->rows / a->block + 1;
    case SB_FORMAT_SELL:
        return a->width > 0 ? a->rows / a->width + (a->rows % a->width > 0) + 1 : 0;
    default:
        return 0;
    }
}

/* lo, lo + step, .. below hi. */
typedef struct sb_slots {
    int64_t lo, hi, step;
} sb_slots;

/* Slots of major u: a row, a block row, of CSC a column. Not of COO. */
static inline sb_slots
sb_matrix_slots(const sb_matrix *a, int64_t u)
{
    const bool sliced = a->format == SB_FORMAT_SELL;
    const int64_t at = sliced ? u / a->width : u;

    if (a->format == SB_FORMAT_BELL)
        return (sb_slots){u * a->width, (u + 1) * a->width, 1};
    return (sb_slots){
        sb_index(a->ptr, a->ptr_type, at) - a->base + (sliced ? u % a->width : 0),
        sb_index(a->ptr, a->ptr_type, at + 1) - a->base, sliced ? a->width : 1};
}

/* Where element (r, c) of the block in slot p lies in val. */
static inline int64_t
sb_matrix_value(const sb_matrix *a, int64_t p, int64_t r, int64_t c)
{
    const int64_t b = a->block;

    if (a->format == SB_FORMAT_BELL)
        return (p / a->width * b + r) * a->width * b + p % a->width * b + c;
    if (a->format == SB_FORMAT_BSR)
        return p * b * b + (a->block_col_major ? c * b + r : r * b + c);
    return p;
}

/* The way back; the value fits. */
static inline void
sb_index_store(void *array, sb_dtype t, int64_t p, int64_t value)
{
    if (t == SB_I64)
        ((int64_t *)array)[p] = value;
    else
        ((int32_t *)array)[p] = (int32_t)value;
}

#endif
