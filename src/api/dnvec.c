/*
 * Dense vectors. Creation and SetValues fill a draft descriptor, have the table checked
 * on it, and only then keep it.
 */
#include "api/error.h"
#include "api/object.h"
#include "api/rule.h"
#include "api/types.h"
#include "base/alloc.h"
#include "base/checked.h"
#include "base/macro.h"

typedef struct spblasDnVecDescr vec;

enum { DESCR, SIZE, VALUES, TYPE };
static const char *const names[] = {"dnVecDescr", "size", "values", "valueType"};

static bool
negative_size(const void *d)
{
    return ((const vec *)d)->size < 0;
}

static bool
unknown_type(const void *d)
{
    return sb_public_size(((const vec *)d)->type) == 0;
}

static bool
too_large(const void *d)
{
    const vec *v = d;
    int64_t bytes;

    return !sb_mul_i64(v->size, (int64_t)sb_public_size(v->type), &bytes);
}

static bool
misaligned(const void *d)
{
    const vec *v = d;

    return v->size > 0 && !sb_is_aligned(v->values, sb_public_size(v->type));
}

static const sb_rule rules[] = {
    {SIZE, negative_size, SB_EINVAL, "must not be negative"},
    {TYPE, unknown_type, SB_EINVAL, "must be a data type of spblas.h"},
    {SIZE, too_large, SB_EINVAL, "times the element size must fit in 63 bits"},
    {VALUES, misaligned, SB_EINVAL, "must be aligned to its element type"},
};

/* SUCCESS when descr is a live vector and, where the call has outputs, none is NULL. */
static spblasStatus_t
usable(const char *function, spblasConstDnVecDescr_t descr, bool outputs)
{
    sb_diag diag = {0};
    sb_status st = SB_OK;

    if (!sb_is_dnvec(descr))
        st = sb_diag_set(&diag, SB_EINVAL,
                         "argument dnVecDescr must be a live dense vector");
    else if (!outputs)
        st = sb_diag_set(&diag, SB_EINVAL, "no output argument may be NULL");
    return sb_api_end(NULL, function, st, &diag);
}

static spblasStatus_t
check(const char *function, const vec *draft)
{
    sb_diag diag = {0};
    const sb_status st = sb_rules_check(rules, SB_COUNT(rules), names, draft, &diag);

    return sb_api_end(NULL, function, st, &diag);
}

static spblasStatus_t
create(const char *function, spblasDnVecDescr_t *out, vec draft)
{
    sb_diag diag = {0};
    spblasStatus_t st;

    if (!out)
        return sb_api_end(
            NULL, function,
            sb_diag_set(&diag, SB_EINVAL, "argument dnVecDescr must not be NULL"),
            &diag);
    *out = NULL;
    if ((st = check(function, &draft)) != SPBLAS_STATUS_SUCCESS)
        return st;
    if (!(*out = sb_alloc(sizeof **out)))
        return sb_api_end(NULL, function, SB_ENOMEM, NULL);
    draft.tag = SB_TAG_DNVEC;
    **out = draft;
    return SPBLAS_STATUS_SUCCESS;
}

spblasStatus_t
spblasCreateDnVec(spblasDnVecDescr_t *dnVecDescr, int64_t size, void *values,
                  spblasDataType_t valueType)
{
    return create(__func__, dnVecDescr,
                  (vec){.size = size, .values = values, .type = valueType});
}

spblasStatus_t
spblasCreateConstDnVec(spblasConstDnVecDescr_t *dnVecDescr, int64_t size,
                       const void *values, spblasDataType_t valueType)
{
    return create(
        __func__, (spblasDnVecDescr_t *)dnVecDescr,
        (vec){.size = size, .values = (void *)(uintptr_t)values, .type = valueType});
}

spblasStatus_t
spblasDestroyDnVec(spblasConstDnVecDescr_t dnVecDescr)
{
    spblasDnVecDescr_t d = (spblasDnVecDescr_t)(uintptr_t)dnVecDescr;
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
spblasConstDnVecGet(spblasConstDnVecDescr_t dnVecDescr, int64_t *size,
                    const void **values, spblasDataType_t *valueType)
{
    const spblasStatus_t st = usable(__func__, dnVecDescr, size && values && valueType);

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    *size = dnVecDescr->size;
    *values = dnVecDescr->values;
    *valueType = dnVecDescr->type;
    return SPBLAS_STATUS_SUCCESS;
}

spblasStatus_t
spblasDnVecGet(spblasDnVecDescr_t dnVecDescr, int64_t *size, void **values,
               spblasDataType_t *valueType)
{
    return spblasConstDnVecGet(dnVecDescr, size, (const void **)values, valueType);
}

spblasStatus_t
spblasConstDnVecGetValues(spblasConstDnVecDescr_t dnVecDescr, const void **values)
{
    const spblasStatus_t st = usable(__func__, dnVecDescr, values);

    if (st == SPBLAS_STATUS_SUCCESS)
        *values = dnVecDescr->values;
    return st;
}

spblasStatus_t
spblasDnVecGetValues(spblasDnVecDescr_t dnVecDescr, void **values)
{
    return spblasConstDnVecGetValues(dnVecDescr, (const void **)values);
}

spblasStatus_t
spblasDnVecSetValues(spblasDnVecDescr_t dnVecDescr, void *values)
{
    spblasStatus_t st = usable(__func__, dnVecDescr, true);
    vec draft;

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    draft = *dnVecDescr;
    draft.values = values;
    if ((st = check(__func__, &draft)) == SPBLAS_STATUS_SUCCESS)
        *dnVecDescr = draft;
    return st;
}
