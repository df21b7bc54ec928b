/*
 * Info objects: what one legacy call leaves for another.
 */
#include "api/error.h"
#include "api/legacy.h"
#include "base/alloc.h"

#include <string.h>

spblasStatus_t
spblasCreateLegacyInfo(spblasLegacyInfo_t *info)
{
    if (!info)
        return sb_api_fail(__func__, SB_EINVAL, "argument info must not be NULL");
    *info = sb_alloc_zero(sizeof **info);
    if (!*info)
        return sb_api_end(NULL, __func__, SB_ENOMEM, NULL);
    (*info)->tag = SB_TAG_LEGACY;
    (*info)->position = -1;
    return SPBLAS_STATUS_SUCCESS;
}

spblasStatus_t
spblasDestroyLegacyInfo(spblasLegacyInfo_t info)
{
    if (!info)
        return SPBLAS_STATUS_SUCCESS;
    if (info->tag != SB_TAG_LEGACY)
        return sb_api_fail(__func__, SB_EINVAL, "argument info must be a live info");
    info->tag = 0;
    sb_free(info->perm);
    if (info->tri)
        sb_backend_get()->tri->release(info->tri);
    sb_native_factor_release(info->factor);
    sb_free(info);
    return SPBLAS_STATUS_SUCCESS;
}

static spblasStatus_t
report_pivot(const char *function, spblasHandle_t handle, spblasLegacyInfo_t info,
             int *position)
{
    const spblasStatus_t st = sb_legacy_check(
        handle, function,
        (const sb_arg[]){SB_ARG_HANDLE, SB_ARG_INFO, SB_ARG_THERE(position), {0}});

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    *position = info->position;
    return sb_api_end(handle, function, info->position < 0 ? SB_OK : SB_EPIVOT, NULL);
}

/* One function for each routine, as cuSPARSE has it. */
#define ZERO_PIVOT(name)                                                               \
    spblasStatus_t name(spblasHandle_t handle, spblasLegacyInfo_t info, int *position) \
    {                                                                                  \
        return report_pivot(__func__, handle, info, position);                         \
    }
ZERO_PIVOT(spblasXbsrsv2_zeroPivot)
ZERO_PIVOT(spblasXcsrilu02_zeroPivot)
ZERO_PIVOT(spblasXbsrilu02_zeroPivot)
ZERO_PIVOT(spblasXcsric02_zeroPivot)
ZERO_PIVOT(spblasXbsric02_zeroPivot)
ZERO_PIVOT(spblasXbsrsm2_zeroPivot)

bool
sb_legacy_analysed(const struct spblasLegacyInfo *info, struct sb_solve_shape shape)
{
    if (shape.policy > info->shape.policy)
        return false;
    shape.policy = info->shape.policy;
    return memcmp(&shape, &info->shape, sizeof shape) == 0;
}
