/*
 * Sparse vectors. Creation and SetValues fill a draft descriptor, have the table checked
 * on it, and only then keep it.
 */
#include "api/error.h"
#include "api/object.h"
#include "api/rule.h"
#include "api/types.h"
#include "base/alloc.h"
#include "base/checked.h"
#include "base/macro.h"

typedef struct spblasSpVecDescr vec;

enum { SIZE, NNZ, INDICES, VALUES, IDX_TYPE, BASE, TYPE };
static const char *const names[] = {"size",    "nnz",     "indices",  "values",
                                    "idxType", "idxBase", "valueType"};

static bool
negative_size(const void *d)
{
    return ((const vec *)d)->size < 0;
}

static bool
negative_nnz(const void *d)
{
    return ((const vec *)d)->nnz < 0;
}

static bool
more_than_size(const void *d)
{
    const vec *v = d;

    return v->nnz > v->size;
}

static bool
unknown_idx_type(const void *d)
{
    return sb_public_index_size(((const vec *)d)->idx_type) == 0;
}

static bool
unknown_base(const void *d)
{
    return (unsigned)((const vec *)d)->base > SPBLAS_INDEX_BASE_ONE;
}

static bool
unknown_type(const void *d)
{
    return sb_public_size(((const vec *)d)->type) == 0;
}

/* 16-bit indices go unchecked as in cuSPARSE, because nothing computes with them. */
static bool
outgrows(const void *d)
{
    const vec *v = d;

    return v->idx_type == SPBLAS_INDEX_32I && v->size > INT32_MAX - (int64_t)v->base;
}

static bool
too_large(const void *d)
{
    const vec *v = d;
    int64_t bytes;

    return v->size == INT64_MAX ||
           !sb_mul_i64(v->nnz, (int64_t)sb_public_size(v->type), &bytes) ||
           !sb_mul_i64(v->nnz, (int64_t)sb_public_index_size(v->idx_type), &bytes);
}

static bool
misaligned_indices(const void *d)
{
    const vec *v = d;

    return v->nnz > 0 && !sb_is_aligned(v->idx, sb_public_index_size(v->idx_type));
}

static bool
misaligned_values(const void *d)
{
    const vec *v = d;

    return v->nnz > 0 && !sb_is_aligned(v->values, sb_public_size(v->type));
}

static const sb_rule rules[] = {
    {SIZE, negative_size, SB_EINVAL, "must not be negative"},
    {NNZ, negative_nnz, SB_EINVAL, "must not be negative"},
    {NNZ, more_than_size, SB_EINVAL, "must not exceed the size"},
    {IDX_TYPE, unknown_idx_type, SB_EINVAL, "must be 16U, 32I or 64I"},
    {BASE, unknown_base, SB_EINVAL, "must be ZERO (0) or ONE (1)"},
    {TYPE, unknown_type, SB_EINVAL, "must be a data type of spblas.h"},
    {SIZE, outgrows, SB_EINVAL, "plus the base must fit the index type"},
    {NNZ, too_large, SB_EINVAL, "asks for arrays that do not fit in 63 bits of bytes"},
    {INDICES, misaligned_indices, SB_EINVAL, "must be aligned to its index type"},
    {VALUES, misaligned_values, SB_EINVAL, "must be aligned to its element type"},
};

/* SUCCESS when descr is a live vector and, where the call has outputs, none is NULL. */
static spblasStatus_t
usable(const char *function, spblasConstSpVecDescr_t descr, bool outputs)
{
    if (!sb_is_spvec(descr))
        return sb_api_fail(function, SB_EINVAL,
                           "argument spVecDescr must be a live sparse vector");
    if (!outputs)
        return sb_api_fail(function, SB_EINVAL, "no output argument may be NULL");
    return SPBLAS_STATUS_SUCCESS;
}

static spblasStatus_t
check(const char *function, const vec *draft)
{
    sb_diag diag = {0};
    const sb_status st = sb_rules_check(rules, SB_COUNT(rules), names, draft, &diag);

    return sb_api_end(NULL, function, st, &diag);
}

spblasStatus_t
spblasCreateSpVec(spblasSpVecDescr_t *spVecDescr, int64_t size, int64_t nnz,
                  void *indices, void *values, spblasIndexType_t idxType,
                  spblasIndexBase_t idxBase, spblasDataType_t valueType)
{
    const vec draft = {.tag = SB_TAG_SPVEC,
                       .type = valueType,
                       .idx_type = idxType,
                       .base = idxBase,
                       .size = size,
                       .nnz = nnz,
                       .idx = indices,
                       .values = values};
    spblasStatus_t st;

    if (!spVecDescr)
        return sb_api_fail(__func__, SB_EINVAL, "argument spVecDescr must not be NULL");
    *spVecDescr = NULL;
    if ((st = check(__func__, &draft)) != SPBLAS_STATUS_SUCCESS)
        return st;
    if (!(*spVecDescr = sb_alloc(sizeof **spVecDescr)))
        return sb_api_end(NULL, __func__, SB_ENOMEM, NULL);
    **spVecDescr = draft;
    return SPBLAS_STATUS_SUCCESS;
}

spblasStatus_t
spblasCreateConstSpVec(spblasConstSpVecDescr_t *spVecDescr, int64_t size, int64_t nnz,
                       const void *indices, const void *values,
                       spblasIndexType_t idxType, spblasIndexBase_t idxBase,
                       spblasDataType_t valueType)
{
    return spblasCreateSpVec((spblasSpVecDescr_t *)spVecDescr, size, nnz,
                             (void *)(uintptr_t)indices, (void *)(uintptr_t)values,
                             idxType, idxBase, valueType);
}

spblasStatus_t
spblasDestroySpVec(spblasConstSpVecDescr_t spVecDescr)
{
    spblasSpVecDescr_t d = (spblasSpVecDescr_t)(uintptr_t)spVecDescr;
    spblasStatus_t st;

    if (!d)
        return SPBLAS_STATUS_SUCCESS;
    if ((st = usable(__func__, d, true)) != SPBLAS_STATUS_SUCCESS)
        return st;
    d->tag = 0;
    sb_free(d);
    return SPBLAS_STATUS_SUCCESS;
}

spblasStatus_t
spblasConstSpVecGet(spblasConstSpVecDescr_t spVecDescr, int64_t *size, int64_t *nnz,
                    const void **indices, const void **values,
                    spblasIndexType_t *idxType, spblasIndexBase_t *idxBase,
                    spblasDataType_t *valueType)
{
    const spblasStatus_t st =
        usable(__func__, spVecDescr,
               size && nnz && indices && values && idxType && idxBase && valueType);

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    *size = spVecDescr->size;
    *nnz = spVecDescr->nnz;
    *indices = spVecDescr->idx;
    *values = spVecDescr->values;
    *idxType = spVecDescr->idx_type;
    *idxBase = spVecDescr->base;
    *valueType = spVecDescr->type;
    return SPBLAS_STATUS_SUCCESS;
}

spblasStatus_t
spblasSpVecGet(spblasSpVecDescr_t spVecDescr, int64_t *size, int64_t *nnz,
               void **indices, void **values, spblasIndexType_t *idxType,
               spblasIndexBase_t *idxBase, spblasDataType_t *valueType)
{
    return spblasConstSpVecGet(spVecDescr, size, nnz, (const void **)indices,
                               (const void **)values, idxType, idxBase, valueType);
}

spblasStatus_t
spblasSpVecGetIndexBase(spblasConstSpVecDescr_t spVecDescr, spblasIndexBase_t *idxBase)
{
    const spblasStatus_t st = usable(__func__, spVecDescr, idxBase);

    if (st == SPBLAS_STATUS_SUCCESS)
        *idxBase = spVecDescr->base;
    return st;
}

spblasStatus_t
spblasConstSpVecGetValues(spblasConstSpVecDescr_t spVecDescr, const void **values)
{
    const spblasStatus_t st = usable(__func__, spVecDescr, values);

    if (st == SPBLAS_STATUS_SUCCESS)
        *values = spVecDescr->values;
    return st;
}

spblasStatus_t
spblasSpVecGetValues(spblasSpVecDescr_t spVecDescr, void **values)
{
    return spblasConstSpVecGetValues(spVecDescr, (const void **)values);
}

spblasStatus_t
spblasSpVecSetValues(spblasSpVecDescr_t spVecDescr, void *values)
{
    spblasStatus_t st = usable(__func__, spVecDescr, true);
    vec draft;

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    draft = *spVecDescr;
    draft.values = values;
    if ((st = check(__func__, &draft)) == SPBLAS_STATUS_SUCCESS)
        *spVecDescr = draft;
    return st;
}
