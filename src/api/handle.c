/*
 * The handle: made on a backend, asked for its version, told its stream and pointer
 * mode.
 */
#include "api/backend_select.h"
#include "api/error.h"
#include "api/object.h"
#include "api/rule.h"
#include "base/alloc.h"
#include "base/macro.h"

enum { HANDLE, OUT, MODE };
static const char *const names[] = {"handle", "output", "mode"};

typedef struct record {
    spblasHandle_t handle;
    const void *out; /* any non-null pointer where a function has none */
    spblasPointerMode_t mode;
} record;

static bool
no_handle(const void *r)
{
    return !sb_is_handle(((const record *)r)->handle);
}

static bool
no_out(const void *r)
{
    return !((const record *)r)->out;
}

static bool
bad_mode(const void *r)
{
    const spblasPointerMode_t mode = ((const record *)r)->mode;

    return mode != SPBLAS_POINTER_MODE_HOST && mode != SPBLAS_POINTER_MODE_DEVICE;
}

static const sb_rule rules[] = {
    {HANDLE, no_handle, SB_EINVAL, "must be a live handle"},
    {OUT, no_out, SB_EINVAL, "must not be NULL"},
    {MODE, bad_mode, SB_EINVAL, "must be HOST (0) or DEVICE (1)"},
};

static spblasStatus_t
check(const char *function, record r)
{
    sb_diag diag = {0};
    const sb_status st = sb_rules_check(rules, SB_COUNT(rules), names, &r, &diag);

    return sb_api_end(r.handle, function, st, &diag);
}

static spblasStatus_t
create(const char *function, spblasHandle_t *handle, const char *name)
{
    const sb_backend *backend;
    sb_device *device;
    spblasHandle_t h;
    sb_diag diag = {0};
    sb_status st;

    if (!handle)
        return sb_api_end(
            NULL, function,
            sb_diag_set(&diag, SB_EINVAL, "argument handle must not be NULL"), &diag);
    *handle = NULL;
    if ((st = sb_backend_select(&backend, &device, name, &diag)) != SB_OK)
        return sb_api_end(NULL, function, st, &diag);
    if (!(h = sb_alloc_zero(sizeof *h))) {
        if (device)
            device->ops->release(device);
        return sb_api_end(NULL, function, SB_ENOMEM, &diag);
    }
    h->tag = SB_TAG_HANDLE;
    h->backend = backend;
    h->device = device;
    *handle = h;
    return SPBLAS_STATUS_SUCCESS;
}

spblasStatus_t
spblasCreate(spblasHandle_t *handle)
{
    return create(__func__, handle, NULL);
}

spblasStatus_t
spblasCreateOn(spblasHandle_t *handle, const char *backend)
{
    return create(__func__, handle, backend);
}

spblasStatus_t
spblasDestroy(spblasHandle_t handle)
{
    spblasStatus_t st;

    if (!handle)
        return SPBLAS_STATUS_SUCCESS;
    if ((st = check(__func__, (record){.handle = handle, .out = handle})) !=
        SPBLAS_STATUS_SUCCESS)
        return st;
    handle->tag = 0;
    if (handle->device)
        handle->device->ops->release(handle->device);
    sb_free(handle);
    return SPBLAS_STATUS_SUCCESS;
}

spblasStatus_t
spblasGetVersion(spblasHandle_t handle, int *version)
{
    const spblasStatus_t st =
        check(__func__, (record){.handle = handle, .out = version});

    if (st == SPBLAS_STATUS_SUCCESS)
        *version = SPBLAS_VERSION;
    return st;
}

spblasStatus_t
spblasGetProperty(spblasLibraryPropertyType_t type, int *value)
{
    static const int pieces[] = {SPBLAS_VERSION_MAJOR, SPBLAS_VERSION_MINOR,
                                 SPBLAS_VERSION_PATCH};
    sb_diag diag = {0};
    sb_status st = SB_OK;

    if ((unsigned)type >= SB_COUNT(pieces))
        st = sb_diag_set(&diag, SB_EINVAL,
                         "argument type must be MAJOR_VERSION, MINOR_VERSION or "
                         "PATCH_LEVEL");
    else if (!value)
        st = sb_diag_set(&diag, SB_EINVAL, "argument value must not be NULL");
    else
        *value = pieces[type];
    return sb_api_end(NULL, __func__, st, &diag);
}

spblasStatus_t
spblasSetStream(spblasHandle_t handle, void *stream)
{
    const spblasStatus_t st =
        check(__func__, (record){.handle = handle, .out = &rules});

    if (st == SPBLAS_STATUS_SUCCESS)
        handle->stream = stream;
    return st;
}

spblasStatus_t
spblasGetStream(spblasHandle_t handle, void **stream)
{
    const spblasStatus_t st =
        check(__func__, (record){.handle = handle, .out = stream});

    if (st == SPBLAS_STATUS_SUCCESS)
        *stream = handle->stream;
    return st;
}

spblasStatus_t
spblasSetPointerMode(spblasHandle_t handle, spblasPointerMode_t mode)
{
    const spblasStatus_t st =
        check(__func__, (record){.handle = handle, .out = &rules, .mode = mode});

    if (st == SPBLAS_STATUS_SUCCESS)
        handle->mode = mode;
    return st;
}

spblasStatus_t
spblasGetPointerMode(spblasHandle_t handle, spblasPointerMode_t *mode)
{
    const spblasStatus_t st = check(__func__, (record){.handle = handle, .out = mode});

    if (st == SPBLAS_STATUS_SUCCESS)
        *mode = handle->mode;
    return st;
}
