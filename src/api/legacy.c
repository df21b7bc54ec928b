/*
 * Arguments of the legacy routines.
 */
#include "api/legacy.h"

#include "api/error.h"
#include "api/place.h"
#include "api/types.h"

enum { SB_ARGS_MAX = 12 }; /* arrays of a call */

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
    const void *array[SB_ARGS_MAX];
    sb_diag diag = {0};
    sb_status st = SB_OK;
    int n = 0;

    for (; st == SB_OK && args->kind != SB_ARG_END; args++) {
        st = check_one(args, &diag);
        if (st != SB_OK || !sb_is_handle(handle) || !is_array(args))
            continue;
        if (!device)
            st = sb_place_on_host(handle, &args->at, 1, &diag);
        else if (n < SB_ARGS_MAX)
            array[n++] = args->at;
    }
    if (st == SB_OK && device)
        st = sb_place_on_device(device, handle, array, n, &diag);
    if (st == SB_OK && device && !*device)
        st = sb_place_on_host(handle, array, n, &diag);
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
