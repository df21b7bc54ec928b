/*
 * Sparse descriptors: the argument table, and the lengths of arrays it rests on.
 */
#include "api/spmat.h"

#include "api/error.h"
#include "api/rule.h"
#include "api/types.h"
#include "base/checked.h"
#include "base/macro.h"

enum {
    ROWS,
    COLS,
    NNZ,
    BLOCK,
    COL_BLOCK,
    PTR,
    IDX,
    ROW,
    VAL,
    PTR_TYPE,
    IDX_TYPE,
    BASE,
    TYPE,
    ORDER,
    COUNT,
    PTR_STRIDE,
    IDX_STRIDE,
    VAL_STRIDE,
    WIDTH,
    SLOTS,
    ROLES
};

static const char *const csr_names[ROLES] = {"rows",
                                             "cols",
                                             "nnz",
                                             "",
                                             "",
                                             "csrRowOffsets",
                                             "csrColInd",
                                             "",
                                             "csrValues",
                                             "csrRowOffsetsType",
                                             "csrColIndType",
                                             "idxBase",
                                             "valueType",
                                             "",
                                             "batchCount",
                                             "offsetsBatchStride",
                                             "columnsValuesBatchStride",
                                             "columnsValuesBatchStride"};
static const char *const csc_names[ROLES] = {"rows",
                                             "cols",
                                             "nnz",
                                             "",
                                             "",
                                             "cscColOffsets",
                                             "cscRowInd",
                                             "",
                                             "cscValues",
                                             "cscColOffsetsType",
                                             "cscRowIndType",
                                             "idxBase",
                                             "valueType",
                                             "",
                                             "batchCount",
                                             "offsetsBatchStride",
                                             "columnsValuesBatchStride",
                                             "columnsValuesBatchStride"};
static const char *const coo_names[ROLES] = {"rows",
                                             "cols",
                                             "nnz",
                                             "",
                                             "",
                                             "",
                                             "cooColInd",
                                             "cooRowInd",
                                             "cooValues",
                                             "cooIdxType",
                                             "cooIdxType",
                                             "idxBase",
                                             "valueType",
                                             "",
                                             "batchCount",
                                             "batchStride",
                                             "batchStride",
                                             "batchStride"};
static const char *const bsr_names[ROLES] = {"brows",
                                             "bcols",
                                             "bnnz",
                                             "rowBlockSize",
                                             "colBlockSize",
                                             "bsrRowOffsets",
                                             "bsrColInd",
                                             "",
                                             "bsrValues",
                                             "bsrRowOffsetsType",
                                             "bsrColIndType",
                                             "idxBase",
                                             "valueType",
                                             "order",
                                             "batchCount",
                                             "offsetsBatchStride",
                                             "columnsBatchStride",
                                             "valuesBatchStride"};

static const char *const bell_names[ROLES] = {
    [ROWS] = "rows",           [COLS] = "cols",    [BLOCK] = "ellBlockSize",
    [IDX] = "ellColInd",       [VAL] = "ellValue", [PTR_TYPE] = "ellIdxType",
    [IDX_TYPE] = "ellIdxType", [BASE] = "idxBase", [TYPE] = "valueType",
    [WIDTH] = "ellCols"};
static const char *const sell_names[ROLES] = {[ROWS] = "rows",
                                              [COLS] = "cols",
                                              [NNZ] = "nnz",
                                              [PTR] = "sellSliceOffsets",
                                              [IDX] = "sellColInd",
                                              [VAL] = "sellValues",
                                              [PTR_TYPE] = "sellSliceOffsetsType",
                                              [IDX_TYPE] = "sellColIndType",
                                              [BASE] = "idxBase",
                                              [TYPE] = "valueType",
                                              [WIDTH] = "sliceSize",
                                              [SLOTS] = "sellValuesSize"};

static const char *const custom_names[ROLES] = {[ROWS] = "rows",
                                                [COLS] = "cols",
                                                [NNZ] = "nnz",
                                                [VAL] = "values",
                                                [TYPE] = "valueType"};

static const char *const *
names_of(spblasFormat_t format)
{
    switch (format) {
    case SPBLAS_FORMAT_CSR:
        return csr_names;
    case SPBLAS_FORMAT_CSC:
        return csc_names;
    case SPBLAS_FORMAT_COO:
        return coo_names;
    case SPBLAS_FORMAT_BSR:
        return bsr_names;
    case SPBLAS_FORMAT_BLOCKED_ELL:
        return bell_names;
    case SPBLAS_FORMAT_SLICED_ELLPACK:
        return sell_names;
    case SPBLAS_FORMAT_CUSTOM:
        break;
    }
    return custom_names;
}

/* ---- The table's predicates; each may rely on the lines above it -------------------- */

static bool
is_bell(const sb_spmat *m)
{
    return m->format == SPBLAS_FORMAT_BLOCKED_ELL;
}

static bool
is_sell(const sb_spmat *m)
{
    return m->format == SPBLAS_FORMAT_SLICED_ELLPACK;
}

static bool
negative_rows(const void *d)
{
    return ((const sb_spmat *)d)->rows < 0;
}

static bool
negative_cols(const void *d)
{
    return ((const sb_spmat *)d)->cols < 0;
}

static bool
negative_nnz(const void *d)
{
    return ((const sb_spmat *)d)->nnz < 0;
}

static bool
empty_block(const void *d)
{
    return ((const sb_spmat *)d)->row_block < 1;
}

static bool
oblong_block(const void *d)
{
    const sb_spmat *m = d;

    return m->col_block != m->row_block;
}

static bool
empty_ell_block(const void *d)
{
    const sb_spmat *m = d;

    return is_bell(m) && (m->ell_block < 0 || (m->ell_block == 0 && m->width > 0));
}

static bool
cut_rows(const void *d)
{
    const sb_spmat *m = d;

    return is_bell(m) && m->ell_block > 0 && m->rows % m->ell_block != 0;
}

static bool
cut_cols(const void *d)
{
    const sb_spmat *m = d;

    return is_bell(m) && m->ell_block > 0 && m->cols % m->ell_block != 0;
}

static bool
bad_ell_cols(const void *d)
{
    const sb_spmat *m = d;

    return is_bell(m) && (m->width < 0 || m->width > m->cols ||
                          (m->ell_block > 0 && m->width % m->ell_block != 0));
}

static bool
negative_slice(const void *d)
{
    const sb_spmat *m = d;

    return is_sell(m) && m->width < 0;
}

static bool
few_slots(const void *d)
{
    const sb_spmat *m = d;

    return is_sell(m) && m->slots < m->nnz;
}

static bool
slots_outgrow(const void *d)
{
    const sb_spmat *m = d;

    return is_sell(m) && m->ptr_type == SPBLAS_INDEX_32I &&
           m->slots > INT32_MAX - (int64_t)m->base;
}

static bool
unknown_ptr_type(const void *d)
{
    return sb_public_index_size(((const sb_spmat *)d)->ptr_type) == 0;
}

static bool
unknown_idx_type(const void *d)
{
    return sb_public_index_size(((const sb_spmat *)d)->idx_type) == 0;
}

static bool
lone_short_index(const void *d)
{
    const sb_spmat *m = d;

    return m->ptr_type != m->idx_type &&
           (m->ptr_type == SPBLAS_INDEX_16U || m->idx_type == SPBLAS_INDEX_16U);
}

static bool
unknown_base(const void *d)
{
    return (unsigned)((const sb_spmat *)d)->base > SPBLAS_INDEX_BASE_ONE;
}

static bool
unknown_type(const void *d)
{
    return sb_public_size(((const sb_spmat *)d)->type) == 0;
}

static bool
unknown_order(const void *d)
{
    const sb_spmat *m = d;

    return m->format == SPBLAS_FORMAT_BSR && m->order != SPBLAS_ORDER_COL &&
           m->order != SPBLAS_ORDER_ROW;
}

static bool
area_too_large(const void *d)
{
    const sb_spmat *m = d;
    int64_t area;

    return m->rows == INT64_MAX || m->cols == INT64_MAX ||
           !sb_mul_i64(m->rows, m->cols, &area);
}

static bool
more_than_area(const void *d)
{
    const sb_spmat *m = d;

    return !is_sell(m) && m->nnz > m->rows * m->cols;
}

/* v plus the base must fit in a 32-bit index; 16-bit ones go unchecked as in cuSPARSE,
 * because nothing computes with them. */
static bool
outgrows(int64_t v, const sb_spmat *m, spblasIndexType_t t)
{
    return t == SPBLAS_INDEX_32I && v > INT32_MAX - (int64_t)m->base;
}

static bool
rows_outgrow(const void *d)
{
    const sb_spmat *m = d;

    return outgrows(m->rows, m, m->idx_type);
}

static bool
cols_outgrow(const void *d)
{
    const sb_spmat *m = d;

    return outgrows(m->cols, m, m->idx_type);
}

static bool
nnz_outgrows(const void *d)
{
    const sb_spmat *m = d;

    return m->format != SPBLAS_FORMAT_COO && outgrows(m->nnz, m, m->ptr_type);
}

static bool
expanded_too_large(const void *d)
{
    const sb_spmat *m = d;
    int64_t v, area;

    return !sb_mul_i64(m->rows, m->row_block, &v) ||
           !sb_mul_i64(m->cols, m->col_block, &v) ||
           !sb_mul_i64(m->row_block, m->col_block, &area) ||
           !sb_mul_i64(m->nnz, area, &v);
}

int64_t
sb_spmat_ptr_count(const sb_spmat *d)
{
    if (d->format == SPBLAS_FORMAT_COO || is_bell(d))
        return 0;
    if (is_sell(d) && d->width > 0)
        return d->rows / d->width + (d->rows % d->width > 0) + 1;
    return (d->format == SPBLAS_FORMAT_CSC ? d->cols : d->rows) + 1;
}

int64_t
sb_spmat_idx_count(const sb_spmat *d)
{
    const int64_t b = d->ell_block > 0 ? d->ell_block : 1;

    return is_bell(d) ? d->rows / b * (d->width / b) : is_sell(d) ? d->slots : d->nnz;
}

int64_t
sb_spmat_val_count(const sb_spmat *d)
{
    return is_bell(d)   ? d->rows * d->width
           : is_sell(d) ? d->slots
                        : d->nnz * d->row_block * d->col_block;
}

/* Whether count elements of a batch of `stride` overflow 63 bits of bytes. */
static bool
bytes_overflow(const sb_spmat *m, int64_t count, int64_t stride, size_t size)
{
    int64_t last, bytes;

    return !sb_mul_i64(stride, m->batch > 0 ? m->batch - 1 : 0, &last) ||
           !sb_add_i64(last, count, &last) || !sb_mul_i64(last, (int64_t)size, &bytes);
}

static bool
arrays_too_large(const void *d)
{
    const sb_spmat *m = d;

    return bytes_overflow(m, sb_spmat_ptr_count(m), m->ptr_stride,
                          sb_public_index_size(m->ptr_type)) ||
           bytes_overflow(m, sb_spmat_idx_count(m), m->idx_stride,
                          sb_public_index_size(m->idx_type)) ||
           bytes_overflow(m, sb_spmat_val_count(m), m->val_stride,
                          sb_public_size(m->type));
}

/* Arrays without entries may point anywhere, as in cuSPARSE. */
static bool
misaligned_ptr(const void *d)
{
    const sb_spmat *m = d;

    return sb_spmat_ptr_count(m) > 1 &&
           !sb_is_aligned(m->ptr, sb_public_index_size(m->ptr_type));
}

static bool
misaligned_row(const void *d)
{
    const sb_spmat *m = d;

    return m->nnz > 0 && !sb_is_aligned(m->row, sb_public_index_size(m->idx_type));
}

static bool
misaligned_idx(const void *d)
{
    const sb_spmat *m = d;

    return sb_spmat_idx_count(m) > 0 &&
           !sb_is_aligned(m->idx, sb_public_index_size(m->idx_type));
}

static bool
misaligned_val(const void *d)
{
    const sb_spmat *m = d;

    return (sb_spmat_val_count(m) > 0 || m->format == SPBLAS_FORMAT_CUSTOM) &&
           !sb_is_aligned(m->val, sb_public_size(m->type));
}

static bool
no_members(const void *d)
{
    return ((const sb_spmat *)d)->batch < 1;
}

static bool
bad_stride(int64_t stride, int64_t count)
{
    return stride < 0 || (stride > 0 && stride < count);
}

static bool
bad_ptr_stride(const void *d)
{
    const sb_spmat *m = d;

    return bad_stride(m->ptr_stride, sb_spmat_ptr_count(m));
}

static bool
bad_idx_stride(const void *d)
{
    const sb_spmat *m = d;

    return bad_stride(m->idx_stride, m->nnz);
}

static bool
bad_val_stride(const void *d)
{
    const sb_spmat *m = d;

    return bad_stride(m->val_stride, sb_spmat_val_count(m));
}

#define STRIDE_RULE "must be 0 (shared) or at least the length of its array"
static const sb_rule rules[] = {
    {ROWS, negative_rows, SB_EINVAL, "must not be negative"},
    {COLS, negative_cols, SB_EINVAL, "must not be negative"},
    {NNZ, negative_nnz, SB_EINVAL, "must not be negative"},
    {BLOCK, empty_block, SB_EINVAL, "must be at least 1"},
    {BLOCK, empty_ell_block, SB_EINVAL, "must be at least 1 if ellCols is"},
    {ROWS, cut_rows, SB_EINVAL, "must be a multiple of the block size"},
    {COLS, cut_cols, SB_EINVAL, "must be a multiple of the block size"},
    {WIDTH, bad_ell_cols, SB_EINVAL,
     "must be a multiple of the block size from 0 to cols"},
    {WIDTH, negative_slice, SB_EINVAL, "must not be negative"},
    {SLOTS, few_slots, SB_EINVAL, "must be at least nnz"},
    {COL_BLOCK, oblong_block, SB_EINVAL, "must equal rowBlockSize: blocks are square"},
    {PTR_TYPE, unknown_ptr_type, SB_EINVAL, "must be 16U, 32I or 64I"},
    {IDX_TYPE, unknown_idx_type, SB_EINVAL, "must be 16U, 32I or 64I"},
    {BASE, unknown_base, SB_EINVAL, "must be ZERO (0) or ONE (1)"},
    {TYPE, unknown_type, SB_EINVAL, "must be a data type of spblas.h"},
    {ORDER, unknown_order, SB_EINVAL, "must be COL (1) or ROW (2)"},
    {ROWS, area_too_large, SB_EINVAL,
     "times the number of columns, and each plus 1, must fit in 63 bits"},
    {NNZ, more_than_area, SB_EINVAL, "must not exceed rows times columns"},
    {ROWS, rows_outgrow, SB_EINVAL, "plus the base must fit the index type"},
    {COLS, cols_outgrow, SB_EINVAL, "plus the base must fit the index type"},
    {NNZ, nnz_outgrows, SB_EINVAL, "plus the base must fit the index type"},
    {SLOTS, slots_outgrow, SB_EINVAL, "plus the base must fit the offsets' type"},
    {BLOCK, expanded_too_large, SB_EINVAL,
     "makes a matrix whose sizes do not fit in 63 bits"},
    {COUNT, no_members, SB_EINVAL, "must be at least 1"},
    {PTR_STRIDE, bad_ptr_stride, SB_EINVAL, STRIDE_RULE},
    {IDX_STRIDE, bad_idx_stride, SB_EINVAL, STRIDE_RULE},
    {VAL_STRIDE, bad_val_stride, SB_EINVAL, STRIDE_RULE},
    {NNZ, arrays_too_large, SB_EINVAL,
     "and the other sizes ask for arrays that do not fit in 63 bits of bytes"},
    {PTR, misaligned_ptr, SB_EINVAL, "must be aligned to its index type"},
    {ROW, misaligned_row, SB_EINVAL, "must be aligned to its index type"},
    {IDX, misaligned_idx, SB_EINVAL, "must be aligned to its index type"},
    {VAL, misaligned_val, SB_EINVAL, "must be aligned to its element type"},
    {IDX_TYPE, lone_short_index, SB_ENOTSUP,
     "and the offsets' type must both be 16U if one of them is"},
};

spblasStatus_t
sb_spmat_check(const char *function, const sb_spmat *draft)
{
    sb_diag diag = {0};
    const sb_status st =
        sb_rules_check(rules, SB_COUNT(rules), names_of(draft->format), draft, &diag);

    return sb_api_end(NULL, function, st, &diag);
}
