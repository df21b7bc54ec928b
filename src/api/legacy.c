/*
 * Arguments of the legacy routines.
 */
#include "api/legacy.h"

#include "api/error.h"
#include "api/place.h"
#include "api/types.h"

#include <string.h>

enum { SB_ARGS_MAX = 16 }; /* arrays of a call */

/* Addresses of one kind among the arguments. */
typedef struct addresses {
    const void *at[SB_ARGS_MAX];
    int n;
} addresses;

static bool
known_descr(const spblasMatDescr_t *d)
{
    return (unsigned)d->type <= SPBLAS_MATRIX_TYPE_TRIANGULAR &&
           (unsigned)d->fill <= SPBLAS_FILL_MODE_UPPER &&
           (unsigned)d->diag <= SPBLAS_DIAG_TYPE_UNIT &&
           (unsigned)d->base <= SPBLAS_INDEX_BASE_ONE;
}

static sb_status
check_descr(const sb_arg *a, sb_diag *diag)
{
    const spblasMatDescr_t *d = a->at;

    if (!d)
        return sb_diag_set(diag, SB_EINVAL, "argument %s must not be NULL", a->name);
    if (!known_descr(d))
        return sb_diag_set(diag, SB_EINVAL, "argument %s holds an unknown enumerator",
                           a->name);
    if (d->type != SPBLAS_MATRIX_TYPE_GENERAL)
        return sb_diag_set(diag, SB_EMATRIX, "argument %s must be of type GENERAL",
                           a->name);
    return SB_OK;
}

static bool
computes(sb_dtype t, bool wide)
{
    const bool half = sb_dtype_is_half(t);

    return sb_dtype_is_real(t) ? !wide || !half : sb_dtype_is_complex(t) && !half;
}

static sb_status
check_one(const sb_arg *a, sb_diag *diag)
{
    switch (a->kind) {
    case SB_ARG_HANDLE_:
        if (!sb_is_handle((spblasHandle_t)(uintptr_t)a->at))
            return sb_diag_set(diag, SB_EINVAL, "argument %s must be a live handle",
                               a->name);
        break;
    case SB_ARG_VALUE_:
        if (sb_public_size((spblasDataType_t)a->value) == 0)
            return sb_diag_set(diag, SB_EINVAL, "argument %s is no data type", a->name);
        break;
    case SB_ARG_WIDE_:
    case SB_ARG_TYPE_:
        if (sb_public_size((spblasDataType_t)a->value) == 0)
            return sb_diag_set(diag, SB_EINVAL, "argument %s is no data type", a->name);
        if (!computes(sb_public_dtype((spblasDataType_t)a->value),
                      a->kind == SB_ARG_WIDE_))
            return sb_diag_set(diag, SB_ENOTSUP,
                               "argument %s is not offered in this routine", a->name);
        break;
    case SB_ARG_MIN_:
        if (a->value < a->limit)
            return sb_diag_set(diag, SB_EINVAL,
                               "argument %s is %lld but must be at least %lld", a->name,
                               (long long)a->value, (long long)a->limit);
        break;
    case SB_ARG_ENUM_:
        if (a->value < 0 || a->value > a->limit)
            return sb_diag_set(diag, SB_EINVAL, "argument %s is an unknown enumerator",
                               a->name);
        break;
    case SB_ARG_ARRAY_:
    case SB_ARG_SCALAR_:
    case SB_ARG_NUMBER_:
        if (a->limit > 0 && !a->at)
            return sb_diag_set(diag, SB_EINVAL, "argument %s must not be NULL",
                               a->name);
        break;
    case SB_ARG_BUFFER_:
        if (a->limit > 0 && (!a->at || (uintptr_t)a->at % 8))
            return sb_diag_set(diag, SB_EINVAL,
                               "argument %s must be an address divisible by 8",
                               a->name);
        break;
    case SB_ARG_DESCR_:
        return check_descr(a, diag);
    case SB_ARG_INFO_:
        if (!a->at || ((const struct spblasLegacyInfo *)a->at)->tag != SB_TAG_LEGACY)
            return sb_diag_set(diag, SB_EINVAL, "argument %s must be a live info",
                               a->name);
        break;
    case SB_ARG_END:
        break;
    }
    return SB_OK;
}

static bool
is_array(const sb_arg *a)
{
    return a->kind == SB_ARG_ARRAY_ || a->kind == SB_ARG_BUFFER_;
}

/* device: NULL where the routine is the host's. */
static spblasStatus_t
check(bool *device, spblasHandle_t handle, const char *function, const sb_arg *args)
{
    addresses arrays = {.n = 0}, scalars = {.n = 0};
    sb_diag diag = {0};
    sb_status st = SB_OK;

    for (; st == SB_OK && args->kind != SB_ARG_END; args++) {
        addresses *a = is_array(args) ? &arrays : &scalars;

        st = check_one(args, &diag);
        if ((is_array(args) || args->kind == SB_ARG_SCALAR_) && a->n < SB_ARGS_MAX)
            a->at[a->n++] = args->at;
    }
    if (st == SB_OK && device)
        st = sb_place_on_device(device, handle, arrays.at, arrays.n, &diag);
    if (st == SB_OK && arrays.n > 0 && !(device && *device))
        st = sb_place_on_host(handle, arrays.at, arrays.n, &diag);
    if (st == SB_OK && scalars.n > 0 && !(device && *device))
        st = sb_place_on_host(handle, scalars.at, scalars.n, &diag);
    return sb_api_end(handle, function, st, &diag);
}

spblasStatus_t
sb_legacy_check(spblasHandle_t handle, const char *function, const sb_arg *args)
{
    return check(NULL, handle, function, args);
}

spblasStatus_t
sb_legacy_check_place(bool *device, spblasHandle_t handle, const char *function,
                      const sb_arg *args)
{
    *device = false;
    return check(device, handle, function, args);
}

sb_value
sb_legacy_scalar(sb_dtype type, const void *p)
{
    return sb_value_load(sb_dtype_sum(type), p, 0);
}

sb_native_scalar
sb_legacy_native_scalar(spblasHandle_t h, sb_dtype type, const void *p)
{
    return sb_place_native_scalar(h, p,
                                  type == SB_F16 || type == SB_BF16 ? SB_F32 : type);
}

sb_status
sb_legacy_read(void *out, spblasHandle_t h, const void *scalar, size_t bytes,
               sb_diag *diag)
{
    const sb_native on = {h->device, h->stream, diag, false};

    if (!sb_place_by_device(h, scalar)) {
        memcpy(out, scalar, bytes);
        return SB_OK;
    }
    SB_TRY(sb_native_may_wait(&on, "a scalar in the GPU's memory is read"));
    return h->device->ops->download(h->device, h->stream, out, scalar, bytes, diag);
}

sb_status
sb_legacy_give(spblasHandle_t h, int *to, int64_t number, sb_diag *diag)
{
    const int value = (int)number;

    if (h->device && h->device->ops->place(h->device, to) == SB_PLACE_DEVICE)
        return h->device->ops->upload(h->device, h->stream, to, &value, sizeof value,
                                      diag);
    *to = value;
    return SB_OK;
}

sb_matrix
sb_legacy_csr(sb_dtype type, int m, int n, int nnz, const spblasMatDescr_t *descr,
              const void *val, const int *ptr, const int *ind)
{
    return (sb_matrix){.format = SB_FORMAT_CSR,
                       .rows = m,
                       .cols = n,
                       .nnz = nnz,
                       .ptr = ptr,
                       .idx = ind,
                       .val = (void *)(uintptr_t)val,
                       .ptr_type = SB_I32,
                       .idx_type = SB_I32,
                       .val_type = type,
                       .base = (int)descr->base,
                       .block = 1,
                       .batch = 1};
}
