/*
 * Handles, versions and the words of statuses.
 */
#include "forward.h"
#include "log.h"
#include "object.h"
#include "own.h"

#include <stdlib.h>
#include <string.h>

/* Complex numbers by value come in vector registers, as from NVIDIA's own types. */
_Static_assert(sizeof(cuComplex) == 8 && _Alignof(cuComplex) == 8, "float2");
_Static_assert(sizeof(cuDoubleComplex) == 16 && _Alignof(cuDoubleComplex) == 16,
               "double2");

bool
sb_handle_live(cusparseHandle_t handle)
{
    return handle && handle->mark == SB_MARK_HANDLE;
}

/* All say NOT_INITIALIZED and nothing else, but for the youngest of them. */
cusparseStatus_t
sb_no_handle(const char *function)
{
    if (strncmp(function, "cusparseCsr2cscEx2", 18) != 0)
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    return sb_log_end(function, sb_refuse(CUSPARSE_STATUS_INVALID_VALUE, "no handle"),
                      0, NULL);
}

spblasHandle_t
sb_core(cusparseHandle_t handle)
{
    return sb_handle_live(handle) ? handle->core : NULL;
}

cusparseStatus_t
sb_cusparse_Create(cusparseHandle_t *handle)
{
    cusparseHandle_t made;
    spblasStatus_t st;

    if (!handle)
        return sb_refuse(CUSPARSE_STATUS_INVALID_VALUE, "handle is NULL");
    made = calloc(1, sizeof *made);
    if (!made)
        return sb_refuse(CUSPARSE_STATUS_ALLOC_FAILED, "memory is short");
    st = spblasCreate(&made->core);
    if (st != SPBLAS_STATUS_SUCCESS) {
        free(made);
        return (cusparseStatus_t)(int)st;
    }
    made->mark = SB_MARK_HANDLE;
    *handle = made;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t
sb_cusparse_Destroy(cusparseHandle_t handle)
{
    if (!handle)
        return CUSPARSE_STATUS_SUCCESS;
    if (!sb_handle_live(handle))
        return sb_refuse(CUSPARSE_STATUS_INVALID_VALUE, "handle is none");
    sb_real_release(SB_FN_Destroy, handle->real);
    (void)spblasDestroy(handle->core);
    handle->mark = 0;
    free(handle);
    return CUSPARSE_STATUS_SUCCESS;
}

/* The version whose behaviour this library has, not that of libspblas. */
cusparseStatus_t
sb_cusparse_GetVersion(cusparseHandle_t handle, int *version)
{
    if (!sb_handle_live(handle) || !version)
        return sb_refuse(CUSPARSE_STATUS_INVALID_VALUE, "handle or version is NULL");
    *version = CUSPARSE_VERSION;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t
sb_cusparse_GetProperty(libraryPropertyType type, int *value)
{
    static const int version[] = {CUSPARSE_VER_MAJOR, CUSPARSE_VER_MINOR,
                                  CUSPARSE_VER_PATCH};

    if (!value || (unsigned)type > PATCH_LEVEL)
        return sb_refuse(CUSPARSE_STATUS_INVALID_VALUE,
                         "value is NULL or the property unknown");
    *value = version[type];
    return CUSPARSE_STATUS_SUCCESS;
}

/* Statuses have the enumerators' names, as a table. */
const char *
sb_cusparse_GetErrorName(cusparseStatus_t status)
{
    static const char *const names[] = {
#define SB_VALUE(name, value) [value] = #name,
#include "spblas_cusparse/status.def"
#undef SB_VALUE
    };

    return (unsigned)status < sizeof names / sizeof *names ? names[status]
                                                           : "unrecognized error code";
}

const char *
sb_cusparse_GetErrorString(cusparseStatus_t status)
{
    return spblasGetErrorString((int)status);
}

/* User operators are device code (LTO-IR), which a CPU cannot link. */
cusparseStatus_t
sb_cusparse_SpMMOp_createPlan(
    cusparseHandle_t handle, cusparseSpMMOpPlan_t *plan, cusparseOperation_t opA,
    cusparseOperation_t opB, cusparseConstSpMatDescr_t matA,
    cusparseConstDnMatDescr_t matB, cusparseDnMatDescr_t matC, cudaDataType computeType,
    cusparseSpMMOpAlg_t alg, const void *addOperationLtoirBuffer,
    size_t addOperationBufferSize, const void *mulOperationLtoirBuffer,
    size_t mulOperationBufferSize, const void *epilogueLtoirBuffer,
    size_t epilogueBufferSize, size_t *SpMMWorkspaceSize)
{
    (void)opA, (void)opB, (void)matA, (void)matB, (void)matC, (void)computeType;
    (void)alg, (void)addOperationLtoirBuffer, (void)addOperationBufferSize;
    (void)mulOperationLtoirBuffer, (void)mulOperationBufferSize;
    (void)epilogueLtoirBuffer, (void)epilogueBufferSize;
    if (!sb_handle_live(handle) || !plan || !SpMMWorkspaceSize)
        return sb_refuse(CUSPARSE_STATUS_INVALID_VALUE, "NULL argument");
    return sb_refuse(CUSPARSE_STATUS_NOT_SUPPORTED,
                     "operators in LTO-IR need a GPU; see spblasSpMMOp");
}

cusparseStatus_t
sb_cusparse_SpMMOp(cusparseSpMMOpPlan_t plan, void *externalBuffer)
{
    (void)plan, (void)externalBuffer;
    return sb_refuse(CUSPARSE_STATUS_INVALID_VALUE, "plan is none");
}

cusparseStatus_t
sb_cusparse_SpMMOp_destroyPlan(cusparseSpMMOpPlan_t plan)
{
    return plan ? sb_refuse(CUSPARSE_STATUS_INVALID_VALUE, "plan is none")
                : CUSPARSE_STATUS_SUCCESS;
}
