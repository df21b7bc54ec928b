/*
 * What any sparse matrix can be asked, and its values.
 */
#include "api/error.h"
#include "api/spmat.h"
#include "base/fault.h"

spblasStatus_t
spblasSpMatGetFormat(spblasConstSpMatDescr_t spMatDescr, spblasFormat_t *format)
{
    const spblasStatus_t st = sb_spmat_usable(__func__, spMatDescr, 0, false, format);

    if (st == SPBLAS_STATUS_SUCCESS)
        *format = spMatDescr->format;
    return st;
}

spblasStatus_t
spblasSpMatGetIndexBase(spblasConstSpMatDescr_t spMatDescr, spblasIndexBase_t *idxBase)
{
    const spblasStatus_t st = sb_spmat_usable(__func__, spMatDescr, 0, false, idxBase);

    if (st == SPBLAS_STATUS_SUCCESS)
        *idxBase = spMatDescr->base;
    return st;
}

spblasStatus_t
spblasSpMatGetSize(spblasConstSpMatDescr_t spMatDescr, int64_t *rows, int64_t *cols,
                   int64_t *nnz)
{
    const spblasStatus_t st =
        sb_spmat_usable(__func__, spMatDescr, 0, false, rows && cols && nnz);

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    *rows = spMatDescr->rows * spMatDescr->row_block;
    *cols = spMatDescr->cols * spMatDescr->col_block;
    *nnz = spMatDescr->format == SPBLAS_FORMAT_SLICED_ELLPACK
               ? spMatDescr->nnz
               : sb_spmat_val_count(spMatDescr);
    return SPBLAS_STATUS_SUCCESS;
}

/* Parts have values each, records have them between indices. */
static bool
has_one_array(const sb_spmat *d)
{
    const sb_tensor *t = d->made ? &d->made->tensor : NULL;

    return d->format != SPBLAS_FORMAT_CUSTOM ||
           (!sb_tensor_is_list(t) && !sb_fmt_packs_values(t->fmt));
}

static spblasStatus_t
many_arrays(const char *function)
{
    return sb_api_fail(function, SB_ENOTSUP,
                       "the values of this matrix are no array of their own; see "
                       "spblasSpMatGetPartValues");
}

spblasStatus_t
spblasConstSpMatGetValues(spblasConstSpMatDescr_t spMatDescr, const void **values)
{
    const spblasStatus_t st = sb_spmat_usable(__func__, spMatDescr, 0, false, values);

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    if (!has_one_array(spMatDescr))
        return many_arrays(__func__);
    *values = spMatDescr->val;
    return st;
}

spblasStatus_t
spblasSpMatGetValues(spblasSpMatDescr_t spMatDescr, void **values)
{
    return spblasConstSpMatGetValues(spMatDescr, (const void **)values);
}

spblasStatus_t
spblasSpMatSetValues(spblasSpMatDescr_t spMatDescr, void *values)
{
    const spblasStatus_t st = sb_spmat_usable(__func__, spMatDescr, 0, false, true);
    spblasStatus_t changed;
    sb_spmat draft;

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    if (!has_one_array(spMatDescr))
        return many_arrays(__func__);
    draft = *spMatDescr;
    draft.val = values;
    changed = sb_spmat_change(__func__, spMatDescr, &draft, draft.at.frozen != 0);
    if (changed == SPBLAS_STATUS_SUCCESS && draft.format == SPBLAS_FORMAT_CUSTOM &&
        !SB_FAULT(CUSTOM_VALUES))
        draft.made->tensor.val.data = values;
    return changed;
}

spblasStatus_t
spblasSpMatGetStridedBatch(spblasConstSpMatDescr_t spMatDescr, int *batchCount)
{
    const spblasStatus_t st =
        sb_spmat_usable(__func__, spMatDescr, 0, false, batchCount);

    if (st == SPBLAS_STATUS_SUCCESS)
        *batchCount = spMatDescr->batch;
    return st;
}
