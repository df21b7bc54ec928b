/*
 * Status names, words and the last sentence. The sentence of calls without a handle
 * lives in the thread.
 */
#include "api/error.h"

#include "api/object.h"

#include <stdio.h>
#include <string.h>

static _Thread_local char thread_message[SB_SENTENCE_MAX];

spblasStatus_t
sb_public_status(sb_status st)
{
    switch (st) {
    case SB_OK:
        return SPBLAS_STATUS_SUCCESS;
    case SB_ENOTINIT:
        return SPBLAS_STATUS_NOT_INITIALIZED;
    case SB_ENOMEM:
        return SPBLAS_STATUS_ALLOC_FAILED;
    case SB_EINVAL:
    case SB_EPARSE:
        return SPBLAS_STATUS_INVALID_VALUE;
    case SB_ENOTSUP:
        return SPBLAS_STATUS_NOT_SUPPORTED;
    case SB_ERESOURCES:
        return SPBLAS_STATUS_INSUFFICIENT_RESOURCES;
    case SB_EIO:
    case SB_ENOKERNEL:
        return SPBLAS_STATUS_EXECUTION_FAILED;
    case SB_EMATRIX:
        return SPBLAS_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
    case SB_EPIVOT:
        return SPBLAS_STATUS_ZERO_PIVOT;
    case SB_SKIP:
    case SB_EVERIFY:
    case SB_EINTERNAL:
    case SB_STATUS_COUNT:
        break;
    }
    return SPBLAS_STATUS_INTERNAL_ERROR;
}

spblasStatus_t
sb_api_end(spblasHandle_t handle, const char *function, sb_status st,
           const sb_diag *diag)
{
    const char *text = diag && diag->text[0] ? diag->text : sb_status_text(st);

    if (st == SB_OK)
        return SPBLAS_STATUS_SUCCESS;
    (void)snprintf(thread_message, sizeof thread_message, "%s: %s", function, text);
    if (sb_is_handle(handle))
        memcpy(handle->message, thread_message, sizeof handle->message);
    return sb_public_status(st);
}

spblasStatus_t
sb_api_fail(const char *function, sb_status st, const char *sentence)
{
    sb_diag diag = {0};

    (void)sb_diag_set(&diag, st, "%s", sentence);
    return sb_api_end(NULL, function, st, &diag);
}

spblasStatus_t
sb_api_text(const char *function, const char *from, char *text, size_t *size)
{
    const size_t need = strlen(from) + 1;
    const bool fits = !text || *size >= need;

    if (text && fits)
        memcpy(text, from, need);
    *size = need;
    if (!fits)
        return sb_api_fail(function, SB_ERESOURCES,
                           "argument text is too small; *size now says what is needed");
    return SPBLAS_STATUS_SUCCESS;
}

const char *
spblasGetLastErrorMessage(spblasHandle_t handle)
{
    if (!handle)
        return thread_message;
    return sb_is_handle(handle) ? handle->message : "";
}

typedef struct status_row {
    const char *name, *words;
} status_row;

/* By value. The words are cuSPARSE's. */
static const status_row rows[] = {
    {"SPBLAS_STATUS_SUCCESS", "success"},
    {"SPBLAS_STATUS_NOT_INITIALIZED", "initialization error"},
    {"SPBLAS_STATUS_ALLOC_FAILED", "out of memory"},
    {"SPBLAS_STATUS_INVALID_VALUE", "invalid value"},
    {"SPBLAS_STATUS_ARCH_MISMATCH", "architecture mismatch"},
    {"SPBLAS_STATUS_MAPPING_ERROR", "texture memory mapping error"},
    {"SPBLAS_STATUS_EXECUTION_FAILED", "kernel launch failure"},
    {"SPBLAS_STATUS_INTERNAL_ERROR", "internal error"},
    {"SPBLAS_STATUS_MATRIX_TYPE_NOT_SUPPORTED", "matrix type not supported"},
    {"SPBLAS_STATUS_ZERO_PIVOT", "zero pivot"},
    {"SPBLAS_STATUS_NOT_SUPPORTED", "operation not supported"},
    {"SPBLAS_STATUS_INSUFFICIENT_RESOURCES", "insufficient resources"},
};

static status_row
row_of(spblasStatus_t status)
{
    static const status_row unknown = {"unrecognized error code",
                                       "unrecognized error code"};
    const unsigned at = (unsigned)status;

    return at < sizeof rows / sizeof rows[0] ? rows[at] : unknown;
}

const char *
spblasGetErrorName(spblasStatus_t status)
{
    return row_of(status).name;
}

const char *
spblasGetErrorString(spblasStatus_t status)
{
    return row_of(status).words;
}
