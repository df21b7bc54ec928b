/*
 * The eight functions that make sparse descriptors: each names its arguments' roles in a
 * draft; src/api/spmat.c checks and keeps it.
 */
#include "api/spmat.h"

/* Const descriptors keep the caller's pointers in the same fields; nothing writes
 * through a descriptor that only a const handle names. */
static void *
plain(const void *p)
{
    return (void *)(uintptr_t)p;
}

spblasStatus_t
spblasCreateCsr(spblasSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
                void *csrRowOffsets, void *csrColInd, void *csrValues,
                spblasIndexType_t csrRowOffsetsType, spblasIndexType_t csrColIndType,
                spblasIndexBase_t idxBase, spblasDataType_t valueType)
{
    return sb_spmat_create(__func__, spMatDescr,
                           (sb_spmat){.format = SPBLAS_FORMAT_CSR,
                                      .type = valueType,
                                      .ptr_type = csrRowOffsetsType,
                                      .idx_type = csrColIndType,
                                      .base = idxBase,
                                      .rows = rows,
                                      .cols = cols,
                                      .nnz = nnz,
                                      .row_block = 1,
                                      .col_block = 1,
                                      .ptr = csrRowOffsets,
                                      .idx = csrColInd,
                                      .val = csrValues});
}

spblasStatus_t
spblasCreateConstCsr(spblasConstSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols,
                     int64_t nnz, const void *csrRowOffsets, const void *csrColInd,
                     const void *csrValues, spblasIndexType_t csrRowOffsetsType,
                     spblasIndexType_t csrColIndType, spblasIndexBase_t idxBase,
                     spblasDataType_t valueType)
{
    return spblasCreateCsr((spblasSpMatDescr_t *)spMatDescr, rows, cols, nnz,
                           plain(csrRowOffsets), plain(csrColInd), plain(csrValues),
                           csrRowOffsetsType, csrColIndType, idxBase, valueType);
}

spblasStatus_t
spblasCreateCsc(spblasSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
                void *cscColOffsets, void *cscRowInd, void *cscValues,
                spblasIndexType_t cscColOffsetsType, spblasIndexType_t cscRowIndType,
                spblasIndexBase_t idxBase, spblasDataType_t valueType)
{
    return sb_spmat_create(__func__, spMatDescr,
                           (sb_spmat){.format = SPBLAS_FORMAT_CSC,
                                      .type = valueType,
                                      .ptr_type = cscColOffsetsType,
                                      .idx_type = cscRowIndType,
                                      .base = idxBase,
                                      .rows = rows,
                                      .cols = cols,
                                      .nnz = nnz,
                                      .row_block = 1,
                                      .col_block = 1,
                                      .ptr = cscColOffsets,
                                      .idx = cscRowInd,
                                      .val = cscValues});
}

spblasStatus_t
spblasCreateConstCsc(spblasConstSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols,
                     int64_t nnz, const void *cscColOffsets, const void *cscRowInd,
                     const void *cscValues, spblasIndexType_t cscColOffsetsType,
                     spblasIndexType_t cscRowIndType, spblasIndexBase_t idxBase,
                     spblasDataType_t valueType)
{
    return spblasCreateCsc((spblasSpMatDescr_t *)spMatDescr, rows, cols, nnz,
                           plain(cscColOffsets), plain(cscRowInd), plain(cscValues),
                           cscColOffsetsType, cscRowIndType, idxBase, valueType);
}

spblasStatus_t
spblasCreateCoo(spblasSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
                void *cooRowInd, void *cooColInd, void *cooValues,
                spblasIndexType_t cooIdxType, spblasIndexBase_t idxBase,
                spblasDataType_t valueType)
{
    return sb_spmat_create(__func__, spMatDescr,
                           (sb_spmat){.format = SPBLAS_FORMAT_COO,
                                      .type = valueType,
                                      .ptr_type = cooIdxType,
                                      .idx_type = cooIdxType,
                                      .base = idxBase,
                                      .rows = rows,
                                      .cols = cols,
                                      .nnz = nnz,
                                      .row_block = 1,
                                      .col_block = 1,
                                      .row = cooRowInd,
                                      .idx = cooColInd,
                                      .val = cooValues});
}

spblasStatus_t
spblasCreateConstCoo(spblasConstSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols,
                     int64_t nnz, const void *cooRowInd, const void *cooColInd,
                     const void *cooValues, spblasIndexType_t cooIdxType,
                     spblasIndexBase_t idxBase, spblasDataType_t valueType)
{
    return spblasCreateCoo((spblasSpMatDescr_t *)spMatDescr, rows, cols, nnz,
                           plain(cooRowInd), plain(cooColInd), plain(cooValues),
                           cooIdxType, idxBase, valueType);
}

spblasStatus_t
spblasCreateBsr(spblasSpMatDescr_t *spMatDescr, int64_t brows, int64_t bcols,
                int64_t bnnz, int64_t rowBlockSize, int64_t colBlockSize,
                void *bsrRowOffsets, void *bsrColInd, void *bsrValues,
                spblasIndexType_t bsrRowOffsetsType, spblasIndexType_t bsrColIndType,
                spblasIndexBase_t idxBase, spblasDataType_t valueType,
                spblasOrder_t order)
{
    return sb_spmat_create(__func__, spMatDescr,
                           (sb_spmat){.format = SPBLAS_FORMAT_BSR,
                                      .type = valueType,
                                      .ptr_type = bsrRowOffsetsType,
                                      .idx_type = bsrColIndType,
                                      .base = idxBase,
                                      .order = order,
                                      .rows = brows,
                                      .cols = bcols,
                                      .nnz = bnnz,
                                      .row_block = rowBlockSize,
                                      .col_block = colBlockSize,
                                      .ptr = bsrRowOffsets,
                                      .idx = bsrColInd,
                                      .val = bsrValues});
}

spblasStatus_t
spblasCreateConstBsr(spblasConstSpMatDescr_t *spMatDescr, int64_t brows, int64_t bcols,
                     int64_t bnnz, int64_t rowBlockSize, int64_t colBlockSize,
                     const void *bsrRowOffsets, const void *bsrColInd,
                     const void *bsrValues, spblasIndexType_t bsrRowOffsetsType,
                     spblasIndexType_t bsrColIndType, spblasIndexBase_t idxBase,
                     spblasDataType_t valueType, spblasOrder_t order)
{
    return spblasCreateBsr((spblasSpMatDescr_t *)spMatDescr, brows, bcols, bnnz,
                           rowBlockSize, colBlockSize, plain(bsrRowOffsets),
                           plain(bsrColInd), plain(bsrValues), bsrRowOffsetsType,
                           bsrColIndType, idxBase, valueType, order);
}
