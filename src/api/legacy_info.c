/*
 * Info objects: what one legacy call leaves for another.
 */
#include "api/error.h"
#include "api/legacy.h"
#include "base/alloc.h"

spblasStatus_t
spblasCreateLegacyInfo(spblasLegacyInfo_t *info)
{
    if (!info)
        return sb_api_fail(__func__, SB_EINVAL, "argument info must not be NULL");
    *info = sb_alloc_zero(sizeof **info);
    if (!*info)
        return sb_api_end(NULL, __func__, SB_ENOMEM, NULL);
    (*info)->tag = SB_TAG_LEGACY;
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
    sb_free(info);
    return SPBLAS_STATUS_SUCCESS;
}
