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
fail(const char *function, sb_status st, const char *sentence)
{
    sb_diag diag = {0};

    (void)sb_diag_set(&diag, st, "%s", sentence);
    return sb_api_end(NULL, function, st, &diag);
}

static spblasStatus_t
no_such_plan(const char *function)
{
    return fail(function, SB_EINVAL,
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
        return fail(__func__, SB_EINVAL,
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

/* Copies a text out under the two-call protocol. */
static spblasStatus_t
copy_text(const char *function, const char *from, char *text, size_t *size)
{
    const size_t need = strlen(from) + 1;
    const bool fits = !text || *size >= need;

    if (text && fits)
        memcpy(text, from, need);
    *size = need;
    if (!fits)
        return fail(function, SB_ERESOURCES,
                    "argument text is too small; *size now says what is needed");
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
    st = copy_text(function, from ? from : "", text, size);
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
