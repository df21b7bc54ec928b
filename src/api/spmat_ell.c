/*
 * Sparse matrices with empty slots: Blocked-ELL and Sliced-ELL.
 */
#include "api/error.h"
#include "api/spmat.h"

static void *
plain(const void *p)
{
    return (void *)(uintptr_t)p;
}

spblasStatus_t
spblasCreateBlockedEll(spblasSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols,
                       int64_t ellBlockSize, int64_t ellCols, void *ellColInd,
                       void *ellValue, spblasIndexType_t ellIdxType,
                       spblasIndexBase_t idxBase, spblasDataType_t valueType)
{
    return sb_spmat_create(__func__, spMatDescr,
                           (sb_spmat){.format = SPBLAS_FORMAT_BLOCKED_ELL,
                                      .type = valueType,
                                      .ptr_type = ellIdxType,
                                      .idx_type = ellIdxType,
                                      .base = idxBase,
                                      .rows = rows,
                                      .cols = cols,
                                      .row_block = 1,
                                      .col_block = 1,
                                      .ell_block = ellBlockSize,
                                      .width = ellCols,
                                      .idx = ellColInd,
                                      .val = ellValue});
}

spblasStatus_t
spblasCreateConstBlockedEll(spblasConstSpMatDescr_t *spMatDescr, int64_t rows,
                            int64_t cols, int64_t ellBlockSize, int64_t ellCols,
                            const void *ellColInd, const void *ellValue,
                            spblasIndexType_t ellIdxType, spblasIndexBase_t idxBase,
                            spblasDataType_t valueType)
{
    return spblasCreateBlockedEll((spblasSpMatDescr_t *)spMatDescr, rows, cols,
                                  ellBlockSize, ellCols, plain(ellColInd),
                                  plain(ellValue), ellIdxType, idxBase, valueType);
}

spblasStatus_t
spblasConstBlockedEllGet(spblasConstSpMatDescr_t spMatDescr, int64_t *rows,
                         int64_t *cols, int64_t *ellBlockSize, int64_t *ellCols,
                         const void **ellColInd, const void **ellValue,
                         spblasIndexType_t *ellIdxType, spblasIndexBase_t *idxBase,
                         spblasDataType_t *valueType)
{
    const bool all = rows && cols && ellBlockSize && ellCols && ellColInd && ellValue &&
                     ellIdxType && idxBase && valueType;
    const spblasStatus_t st =
        sb_spmat_usable(__func__, spMatDescr, SPBLAS_FORMAT_BLOCKED_ELL, false, all);

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    *rows = spMatDescr->rows;
    *cols = spMatDescr->cols;
    *ellBlockSize = spMatDescr->ell_block;
    *ellCols = spMatDescr->width;
    *ellColInd = spMatDescr->idx;
    *ellValue = spMatDescr->val;
    *ellIdxType = spMatDescr->idx_type;
    *idxBase = spMatDescr->base;
    *valueType = spMatDescr->type;
    return SPBLAS_STATUS_SUCCESS;
}

spblasStatus_t
spblasBlockedEllGet(spblasSpMatDescr_t spMatDescr, int64_t *rows, int64_t *cols,
                    int64_t *ellBlockSize, int64_t *ellCols, void **ellColInd,
                    void **ellValue, spblasIndexType_t *ellIdxType,
                    spblasIndexBase_t *idxBase, spblasDataType_t *valueType)
{
    return spblasConstBlockedEllGet(spMatDescr, rows, cols, ellBlockSize, ellCols,
                                    (const void **)ellColInd, (const void **)ellValue,
                                    ellIdxType, idxBase, valueType);
}

spblasStatus_t
spblasCreateSlicedEll(spblasSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols,
                      int64_t nnz, int64_t sellValuesSize, int64_t sliceSize,
                      void *sellSliceOffsets, void *sellColInd, void *sellValues,
                      spblasIndexType_t sellSliceOffsetsType,
                      spblasIndexType_t sellColIndType, spblasIndexBase_t idxBase,
                      spblasDataType_t valueType)
{
    return sb_spmat_create(__func__, spMatDescr,
                           (sb_spmat){.format = SPBLAS_FORMAT_SLICED_ELLPACK,
                                      .type = valueType,
                                      .ptr_type = sellSliceOffsetsType,
                                      .idx_type = sellColIndType,
                                      .base = idxBase,
                                      .rows = rows,
                                      .cols = cols,
                                      .nnz = nnz,
                                      .row_block = 1,
                                      .col_block = 1,
                                      .width = sliceSize,
                                      .slots = sellValuesSize,
                                      .ptr = sellSliceOffsets,
                                      .idx = sellColInd,
                                      .val = sellValues});
}

spblasStatus_t
spblasCreateConstSlicedEll(spblasConstSpMatDescr_t *spMatDescr, int64_t rows,
                           int64_t cols, int64_t nnz, int64_t sellValuesSize,
                           int64_t sliceSize, const void *sellSliceOffsets,
                           const void *sellColInd, const void *sellValues,
                           spblasIndexType_t sellSliceOffsetsType,
                           spblasIndexType_t sellColIndType, spblasIndexBase_t idxBase,
                           spblasDataType_t valueType)
{
    return spblasCreateSlicedEll(
        (spblasSpMatDescr_t *)spMatDescr, rows, cols, nnz, sellValuesSize, sliceSize,
        plain(sellSliceOffsets), plain(sellColInd), plain(sellValues),
        sellSliceOffsetsType, sellColIndType, idxBase, valueType);
}
