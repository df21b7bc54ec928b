/*
 * Matrix descriptions and state objects of the older families: plain records with
 * getters and setters. Where the real library answers something odd, so do we.
 */
#include "forward.h"
#include "log.h"
#include "object.h"
#include "own.h"

#include <stddef.h>
#include <stdlib.h>

bool
sb_descr_live(cusparseMatDescr_t descr)
{
    return descr && descr->mark == SB_MARK_DESCR;
}

cusparseStatus_t
sb_cusparse_CreateMatDescr(cusparseMatDescr_t *descrA)
{
    cusparseMatDescr_t made;

    if (!descrA)
        return CUSPARSE_STATUS_INVALID_VALUE;
    made = calloc(1, sizeof *made);
    if (!made)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    made->mark = SB_MARK_DESCR;
    *descrA = made;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t
sb_cusparse_DestroyMatDescr(cusparseMatDescr_t descrA)
{
    if (!descrA)
        return CUSPARSE_STATUS_SUCCESS;
    if (!sb_descr_live(descrA))
        return CUSPARSE_STATUS_INVALID_VALUE;
    sb_real_release(SB_FN_DestroyMatDescr, descrA->real);
    descrA->mark = 0;
    free(descrA);
    return CUSPARSE_STATUS_SUCCESS;
}

/* A field with its setter, which takes 0 to `last`, and its getter, which answers -1
 * without a description. */
#define SB_FIELD(Name, type, field, last)                                         \
    cusparseStatus_t sb_cusparse_Set##Name(cusparseMatDescr_t descrA, type value) \
    {                                                                             \
        if (!sb_descr_live(descrA))                                               \
            return CUSPARSE_STATUS_NOT_INITIALIZED;                               \
        if ((unsigned)value > (unsigned)last)                                     \
            return CUSPARSE_STATUS_INVALID_VALUE;                                 \
        descrA->field = value;                                                    \
        descrA->told = false;                                                     \
        return CUSPARSE_STATUS_SUCCESS;                                           \
    }                                                                             \
    type sb_cusparse_Get##Name(cusparseMatDescr_t descrA)                         \
    {                                                                             \
        return sb_descr_live(descrA) ? descrA->field : (type)-1;                  \
    }

SB_FIELD(MatType, cusparseMatrixType_t, type, CUSPARSE_MATRIX_TYPE_TRIANGULAR)
SB_FIELD(MatFillMode, cusparseFillMode_t, fill, CUSPARSE_FILL_MODE_UPPER)
SB_FIELD(MatDiagType, cusparseDiagType_t, diag, CUSPARSE_DIAG_TYPE_UNIT)
SB_FIELD(MatIndexBase, cusparseIndexBase_t, base, CUSPARSE_INDEX_BASE_ONE)

/* ---- State objects ------------------------------------------------------------------ */

sb_info *
sb_info_of(void *info, sb_info_kind kind)
{
    sb_info *of = info;

    return of && of->mark == SB_MARK_DESCR + 1 + (int)kind ? of : NULL;
}

static cusparseStatus_t
create_info(sb_info_kind kind, sb_info **out)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    (*out)->mark = SB_MARK_DESCR + 1 + (int)kind;
    return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t
destroy_info(sb_info_kind kind, void *handle, sb_function destroy)
{
    sb_info *info = sb_info_of(handle, kind);

    if (!handle)
        return CUSPARSE_STATUS_SUCCESS;
    if (!info)
        return CUSPARSE_STATUS_INVALID_VALUE;
    sb_real_release(destroy, info->real);
    if (info->release)
        info->release(info->state);
    info->mark = 0;
    free(info);
    return CUSPARSE_STATUS_SUCCESS;
}

#define SB_INFO(kind, type)                                                   \
    cusparseStatus_t sb_cusparse_Create##kind##Info(type *info)               \
    {                                                                         \
        sb_info *made;                                                        \
        cusparseStatus_t st;                                                  \
                                                                              \
        if (!info)                                                            \
            return CUSPARSE_STATUS_INVALID_VALUE;                             \
        st = create_info(SB_INFO_##kind, &made);                              \
        if (st == CUSPARSE_STATUS_SUCCESS)                                    \
            *info = (type)(void *)made;                                       \
        return st;                                                            \
    }                                                                         \
    cusparseStatus_t sb_cusparse_Destroy##kind##Info(type info)               \
    {                                                                         \
        return destroy_info(SB_INFO_##kind, info, SB_FN_Destroy##kind##Info); \
    }
#include "info.def"

/* ---- As libspblas has them ---------------------------------------------------------- */

_Static_assert(offsetof(struct cusparseMatDescr, base) -
                       offsetof(struct cusparseMatDescr, type) ==
                   offsetof(spblasMatDescr_t, base),
               "both descriptions have one layout");

const spblasMatDescr_t *
sb_core_descr(cusparseMatDescr_t descr)
{
    return sb_descr_live(descr) ? (const spblasMatDescr_t *)(const void *)&descr->type
                                : NULL;
}

static void
release_core(void *state)
{
    (void)spblasDestroyLegacyInfo(state);
}

spblasLegacyInfo_t
sb_core_info(void *info, sb_info_kind kind)
{
    sb_info *of = sb_info_of(info, kind);
    spblasLegacyInfo_t made;

    if (!of)
        return NULL;
    if (!of->state && spblasCreateLegacyInfo(&made) == SPBLAS_STATUS_SUCCESS) {
        of->state = made;
        of->release = release_core;
    }
    return of->state;
}
