/*
 * Questions about the plans beside a sparse matrix. Answers are copied out, so that a
 * plan may be replaced at any time.
 */
#include "api/error.h"
#include "api/spmat.h"

#include <stddef.h>
#include <string.h>

spblasStatus_t
spblasSpMatGetPlanCount(spblasConstSpMatDescr_t spMatDescr, int *count)
{
    const spblasStatus_t st = sb_spmat_usable(__func__, spMatDescr, 0, false, count);

    if (st == SPBLAS_STATUS_SUCCESS)
        *count = sb_planlist_count(spMatDescr->plans);
    return st;
}

static spblasStatus_t
no_such_plan(const char *function)
{
    return sb_api_fail(
        function, SB_EINVAL,
        "argument index must be at least 0 and below the number of plans");
}

spblasStatus_t
spblasSpMatGetPlanInfo(spblasConstSpMatDescr_t spMatDescr, int index,
                       spblasPlanInfo_t *info)
{
    const size_t first = offsetof(spblasPlanInfo_t, predictedSeconds);
    const spblasStatus_t st = sb_spmat_usable(__func__, spMatDescr, 0, false, info);
    const sb_plan *plan;
    sb_planref *ref;
    spblasPlanInfo_t all;
    size_t size;

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    if (info->structSize < first + sizeof info->predictedSeconds)
        return sb_api_fail(
            __func__, SB_EINVAL,
            "argument info: structSize must be sizeof(spblasPlanInfo_t)");
    if (!(ref = sb_planlist_at(spMatDescr->plans, index)))
        return no_such_plan(__func__);
    plan = sb_planref_plan(ref);
    all = (spblasPlanInfo_t){.predictedSeconds = plan->predicted,
                             .measuredSeconds = plan->measured,
                             .analysisSeconds = plan->analysis,
                             .bytes = (int64_t)plan->bytes,
                             .parts = plan->nstep};
    sb_planlist_unhold(spMatDescr->plans, ref);
    size = info->structSize < sizeof all ? info->structSize : sizeof all;
    memcpy((char *)info + first, (const char *)&all + first, size - first);
    return SPBLAS_STATUS_SUCCESS;
}

static spblasStatus_t
get_text(const char *function, spblasConstSpMatDescr_t d, int index, bool explanation,
         char *text, size_t *size)
{
    spblasStatus_t st = sb_spmat_usable(function, d, 0, false, size);
    const sb_plan *plan;
    sb_planref *ref;
    const char *from;

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    if (!(ref = sb_planlist_at(d->plans, index)))
        return no_such_plan(function);
    plan = sb_planref_plan(ref);
    from = explanation ? plan->explain : plan->text;
    st = from ? sb_api_text(function, from, text, size)
              : sb_api_fail(function, SB_ENOTSUP,
                            "a matrix in a format of the language has no plan text; "
                            "its format says all (spblasSpMatGetFormatText)");
    sb_planlist_unhold(d->plans, ref);
    return st;
}

spblasStatus_t
spblasSpMatGetPlanText(spblasConstSpMatDescr_t spMatDescr, int index, char *text,
                       size_t *size)
{
    return get_text(__func__, spMatDescr, index, false, text, size);
}

spblasStatus_t
spblasSpMatGetPlanExplanation(spblasConstSpMatDescr_t spMatDescr, int index, char *text,
                              size_t *size)
{
    return get_text(__func__, spMatDescr, index, true, text, size);
}
