/*
 * Sparse descriptors: making, changing, ending.
 */
#include "api/spmat.h"

#include "api/error.h"
#include "base/alloc.h"

spblasStatus_t
sb_spmat_create(const char *function, spblasSpMatDescr_t *out, sb_spmat draft)
{
    sb_diag diag = {0};
    spblasStatus_t st;

    if (!out)
        return sb_api_end(
            NULL, function,
            sb_diag_set(&diag, SB_EINVAL, "argument spMatDescr must not be NULL"),
            &diag);
    *out = NULL;
    draft.batch = 1;
    if ((st = sb_spmat_check(function, &draft)) != SPBLAS_STATUS_SUCCESS)
        return st;
    if (sb_planlist_create(&draft.plans) != SB_OK || !(*out = sb_alloc(sizeof **out))) {
        sb_planlist_release(draft.plans);
        return sb_api_end(NULL, function, SB_ENOMEM, NULL);
    }
    draft.tag = SB_TAG_SPMAT;
    **out = draft;
    return SPBLAS_STATUS_SUCCESS;
}

spblasStatus_t
sb_spmat_change(const char *function, spblasSpMatDescr_t descr, const sb_spmat *draft,
                bool drop_plans)
{
    const spblasStatus_t st = sb_spmat_check(function, draft);

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    *descr = *draft;
    if (drop_plans)
        sb_planlist_drop(descr->plans);
    return SPBLAS_STATUS_SUCCESS;
}

spblasStatus_t
sb_spmat_usable(const char *function, spblasConstSpMatDescr_t descr,
                spblasFormat_t format, bool or_csc, bool outputs)
{
    sb_diag diag = {0};
    sb_status st = SB_OK;

    if (!sb_is_spmat(descr))
        st = sb_diag_set(&diag, SB_EINVAL,
                         "argument spMatDescr must be a live sparse matrix");
    else if (format && descr->format != format &&
             !(or_csc && descr->format == SPBLAS_FORMAT_CSC))
        st = sb_diag_set(&diag, SB_EINVAL,
                         "argument spMatDescr has format %d, this function wants %d "
                         "(spblasFormat_t)",
                         (int)descr->format, (int)format);
    else if (!outputs)
        st = sb_diag_set(&diag, SB_EINVAL, "no output argument may be NULL");
    return sb_api_end(NULL, function, st, &diag);
}

spblasStatus_t
spblasDestroySpMat(spblasConstSpMatDescr_t spMatDescr)
{
    spblasSpMatDescr_t d = (spblasSpMatDescr_t)(uintptr_t)spMatDescr;
    spblasStatus_t st;

    if (!d)
        return SPBLAS_STATUS_SUCCESS;
    if ((st = sb_spmat_usable(__func__, d, 0, false, true)) != SPBLAS_STATUS_SUCCESS)
        return st;
    d->tag = 0;
    sb_planlist_release(d->plans);
    sb_made_release(d->made);
    sb_free(d->at.plan_text);
    sb_free(d);
    return SPBLAS_STATUS_SUCCESS;
}
