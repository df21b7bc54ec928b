/*
 * Getters of one format, SetPointers and strided batches.
 */
#include "api/error.h"
#include "api/spmat.h"

/* ---- Getters ------------------------------------------------------------------------ */

typedef struct outputs {
    int64_t *rows, *cols, *nnz;
    const void **first, **idx, **val; /* first: offsets, or COO's rows */
    spblasIndexType_t *ptr_type, *idx_type;
    spblasIndexBase_t *base;
    spblasDataType_t *type;
} outputs;

static spblasStatus_t
get(const char *function, const sb_spmat *d, spblasFormat_t format, const outputs *o)
{
    const bool all = o->rows && o->cols && o->nnz && o->first && o->idx && o->val &&
                     o->ptr_type && o->idx_type && o->base && o->type;
    const spblasStatus_t st = sb_spmat_usable(function, d, format, false, all);

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    *o->rows = d->rows;
    *o->cols = d->cols;
    *o->nnz = d->nnz;
    *o->first = format == SPBLAS_FORMAT_COO ? d->row : d->ptr;
    *o->idx = d->idx;
    *o->val = d->val;
    *o->ptr_type = d->ptr_type;
    *o->idx_type = d->idx_type;
    *o->base = d->base;
    *o->type = d->type;
    return SPBLAS_STATUS_SUCCESS;
}

spblasStatus_t
spblasConstCsrGet(spblasConstSpMatDescr_t spMatDescr, int64_t *rows, int64_t *cols,
                  int64_t *nnz, const void **csrRowOffsets, const void **csrColInd,
                  const void **csrValues, spblasIndexType_t *csrRowOffsetsType,
                  spblasIndexType_t *csrColIndType, spblasIndexBase_t *idxBase,
                  spblasDataType_t *valueType)
{
    const outputs o = {rows,
                       cols,
                       nnz,
                       csrRowOffsets,
                       csrColInd,
                       csrValues,
                       csrRowOffsetsType,
                       csrColIndType,
                       idxBase,
                       valueType};

    return get(__func__, spMatDescr, SPBLAS_FORMAT_CSR, &o);
}

spblasStatus_t
spblasCsrGet(spblasSpMatDescr_t spMatDescr, int64_t *rows, int64_t *cols, int64_t *nnz,
             void **csrRowOffsets, void **csrColInd, void **csrValues,
             spblasIndexType_t *csrRowOffsetsType, spblasIndexType_t *csrColIndType,
             spblasIndexBase_t *idxBase, spblasDataType_t *valueType)
{
    return spblasConstCsrGet(spMatDescr, rows, cols, nnz, (const void **)csrRowOffsets,
                             (const void **)csrColInd, (const void **)csrValues,
                             csrRowOffsetsType, csrColIndType, idxBase, valueType);
}

spblasStatus_t
spblasConstCscGet(spblasConstSpMatDescr_t spMatDescr, int64_t *rows, int64_t *cols,
                  int64_t *nnz, const void **cscColOffsets, const void **cscRowInd,
                  const void **cscValues, spblasIndexType_t *cscColOffsetsType,
                  spblasIndexType_t *cscRowIndType, spblasIndexBase_t *idxBase,
                  spblasDataType_t *valueType)
{
    const outputs o = {rows,
                       cols,
                       nnz,
                       cscColOffsets,
                       cscRowInd,
                       cscValues,
                       cscColOffsetsType,
                       cscRowIndType,
                       idxBase,
                       valueType};

    return get(__func__, spMatDescr, SPBLAS_FORMAT_CSC, &o);
}

spblasStatus_t
spblasCscGet(spblasSpMatDescr_t spMatDescr, int64_t *rows, int64_t *cols, int64_t *nnz,
             void **cscColOffsets, void **cscRowInd, void **cscValues,
             spblasIndexType_t *cscColOffsetsType, spblasIndexType_t *cscRowIndType,
             spblasIndexBase_t *idxBase, spblasDataType_t *valueType)
{
    return spblasConstCscGet(spMatDescr, rows, cols, nnz, (const void **)cscColOffsets,
                             (const void **)cscRowInd, (const void **)cscValues,
                             cscColOffsetsType, cscRowIndType, idxBase, valueType);
}

spblasStatus_t
spblasConstCooGet(spblasConstSpMatDescr_t spMatDescr, int64_t *rows, int64_t *cols,
                  int64_t *nnz, const void **cooRowInd, const void **cooColInd,
                  const void **cooValues, spblasIndexType_t *idxType,
                  spblasIndexBase_t *idxBase, spblasDataType_t *valueType)
{
    const outputs o = {rows,      cols,    nnz,     cooRowInd, cooColInd,
                       cooValues, idxType, idxType, idxBase,   valueType};

    return get(__func__, spMatDescr, SPBLAS_FORMAT_COO, &o);
}

spblasStatus_t
spblasCooGet(spblasSpMatDescr_t spMatDescr, int64_t *rows, int64_t *cols, int64_t *nnz,
             void **cooRowInd, void **cooColInd, void **cooValues,
             spblasIndexType_t *idxType, spblasIndexBase_t *idxBase,
             spblasDataType_t *valueType)
{
    return spblasConstCooGet(spMatDescr, rows, cols, nnz, (const void **)cooRowInd,
                             (const void **)cooColInd, (const void **)cooValues,
                             idxType, idxBase, valueType);
}

/* ---- SetPointers -------------------------------------------------------------------- */

static spblasStatus_t
set_pointers(const char *function, spblasSpMatDescr_t d, spblasFormat_t format,
             void *first, void *idx, void *val)
{
    const spblasStatus_t st = sb_spmat_usable(function, d, format, false, true);
    sb_spmat draft;

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    draft = *d;
    if (format == SPBLAS_FORMAT_COO)
        draft.row = first;
    else
        draft.ptr = first;
    draft.idx = idx;
    draft.val = val;
    return sb_spmat_change(function, d, &draft, true);
}

spblasStatus_t
spblasCsrSetPointers(spblasSpMatDescr_t spMatDescr, void *csrRowOffsets,
                     void *csrColInd, void *csrValues)
{
    return set_pointers(__func__, spMatDescr, SPBLAS_FORMAT_CSR, csrRowOffsets,
                        csrColInd, csrValues);
}

spblasStatus_t
spblasCscSetPointers(spblasSpMatDescr_t spMatDescr, void *cscColOffsets,
                     void *cscRowInd, void *cscValues)
{
    return set_pointers(__func__, spMatDescr, SPBLAS_FORMAT_CSC, cscColOffsets,
                        cscRowInd, cscValues);
}

spblasStatus_t
spblasCooSetPointers(spblasSpMatDescr_t spMatDescr, void *cooRows, void *cooColumns,
                     void *cooValues)
{
    return set_pointers(__func__, spMatDescr, SPBLAS_FORMAT_COO, cooRows, cooColumns,
                        cooValues);
}

/* ---- Batches ------------------------------------------------------------------------ */

static spblasStatus_t
set_batch(const char *function, spblasSpMatDescr_t d, spblasFormat_t format, int count,
          int64_t ptr_stride, int64_t idx_stride, int64_t val_stride)
{
    const spblasStatus_t st =
        sb_spmat_usable(function, d, format, format == SPBLAS_FORMAT_CSR, true);
    sb_spmat draft;

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    if (d->made)
        return sb_api_fail(function, SB_ENOTSUP,
                           "this matrix owns arrays of one member, so it has no batch");
    draft = *d;
    draft.batch = count;
    draft.ptr_stride = ptr_stride;
    draft.idx_stride = idx_stride;
    draft.val_stride = val_stride;
    return sb_spmat_change(function, d, &draft, true);
}

spblasStatus_t
spblasCooSetStridedBatch(spblasSpMatDescr_t spMatDescr, int batchCount,
                         int64_t batchStride)
{
    return set_batch(__func__, spMatDescr, SPBLAS_FORMAT_COO, batchCount, batchStride,
                     batchStride, batchStride);
}

spblasStatus_t
spblasCsrSetStridedBatch(spblasSpMatDescr_t spMatDescr, int batchCount,
                         int64_t offsetsBatchStride, int64_t columnsValuesBatchStride)
{
    return set_batch(__func__, spMatDescr, SPBLAS_FORMAT_CSR, batchCount,
                     offsetsBatchStride, columnsValuesBatchStride,
                     columnsValuesBatchStride);
}

spblasStatus_t
spblasBsrSetStridedBatch(spblasSpMatDescr_t spMatDescr, int batchCount,
                         int64_t offsetsBatchStride, int64_t columnsBatchStride,
                         int64_t valuesBatchStride)
{
    return set_batch(__func__, spMatDescr, SPBLAS_FORMAT_BSR, batchCount,
                     offsetsBatchStride, columnsBatchStride, valuesBatchStride);
}
