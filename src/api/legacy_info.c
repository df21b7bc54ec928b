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
    sb_legacy_keep(info, NULL, 0, NULL);
    sb_legacy_forget(info);
    sb_free(info);
    return SPBLAS_STATUS_SUCCESS;
}

void
sb_legacy_keep(struct spblasLegacyInfo *info, int32_t *perm, int64_t nperm,
               sb_device *on)
{
    if (info->perm_on) {
        info->perm_on->ops->free(info->perm_on, info->perm);
        info->perm_on->ops->release(info->perm_on);
    } else {
        sb_free(info->perm);
    }
    info->perm = perm;
    info->nperm = nperm;
    info->perm_on = on;
}

void
sb_legacy_forget(struct spblasLegacyInfo *info)
{
    if (info->tri)
        sb_backend_get()->tri->release(info->tri);
    sb_native_tri_release(info->blocks);
    sb_native_factor_release(info->factor);
    info->tri = NULL;
    info->blocks = NULL;
    info->factor = NULL;
    info->there = false;
}

/* The position, from the device if it is there; waits then. */
static sb_status
find_pivot(int64_t *position, spblasHandle_t handle,
           const struct spblasLegacyInfo *info, sb_diag *diag)
{
    const sb_native on = {handle->device, handle->stream, diag, false};

    *position = info->position;
    if (!info->there)
        return SB_OK;
    if (handle->device != (info->blocks ? sb_native_tri_device(info->blocks)
                                        : sb_native_factor_device(info->factor)))
        return sb_diag_set(diag, SB_EINVAL, "argument info is of another GPU");
    SB_TRY(info->blocks ? sb_native_tri_first(info->blocks, &on, position)
                        : sb_native_factor_first(info->factor, &on, position));
    *position += *position < 0 ? 0 : info->base;
    return SB_OK;
}

static spblasStatus_t
report_pivot(const char *function, spblasHandle_t handle, spblasLegacyInfo_t info,
             int *position)
{
    const sb_arg args[] = {SB_ARG_HANDLE, SB_ARG_INFO, SB_ARG_NUMBER(position), {0}};
    const spblasStatus_t st = sb_legacy_check(handle, function, args);
    sb_diag diag = {0};
    int64_t at;
    sb_status done;

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    done = find_pivot(&at, handle, info, &diag);
    if (done == SB_OK)
        done = sb_legacy_give(handle, position, at, &diag);
    if (done == SB_OK && at >= 0)
        return sb_api_end(handle, function, SB_EPIVOT, NULL);
    return sb_api_end(handle, function, done, &diag);
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
