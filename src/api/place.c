/*
 * See place.h.
 */
#include "api/place.h"

#include "base/macro.h"
#include "formats/check.h"
#include "planner/staged.h"

#include <string.h>

/* How many arrays are where. */
typedef struct census {
    int at[SB_PLACE_DEVICE + 1];
} census;

static census
count(sb_device *d, const void *const *array, int n)
{
    census c = {{0}};

    for (int q = 0; q < n; q++)
        if (array[q])
            c.at[d->ops->place(d, array[q])]++;
    return c;
}

sb_status
sb_place_problem(spblasHandle_t h, sb_problem *pb, sb_diag *diag)
{
    const bool tensor = pb->a.format == SB_FORMAT_TENSOR; /* in the library's memory */
    const void *const array[] = {pb->b.data, pb->c.data, pb->a.val,
                                 pb->a.ptr,  pb->a.idx,  pb->a.row};
    census c;

    if (!h->device)
        return SB_OK;
    c = count(h->device, array, tensor ? 2 : SB_COUNT(array));
    if (c.at[SB_PLACE_HOST] > 0 && c.at[SB_PLACE_DEVICE] > 0)
        return sb_diag_set(diag, SB_EINVAL,
                           "some operands lie in host memory and some in the GPU's");
    if (c.at[SB_PLACE_HOST] == 0 && c.at[SB_PLACE_BOTH] + c.at[SB_PLACE_DEVICE] > 0) {
        pb->device = h->device;
        pb->stream = h->stream;
    }
    return SB_OK;
}

sb_status
sb_place_on_device(bool *yes, spblasHandle_t h, const void *const *array, int n,
                   sb_diag *diag)
{
    census c;

    *yes = false;
    if (!h->device)
        return SB_OK;
    c = count(h->device, array, n);
    *yes = c.at[SB_PLACE_DEVICE] > 0;
    return *yes && c.at[SB_PLACE_HOST] > 0
               ? sb_diag_set(diag, SB_EINVAL,
                             "some operands lie in host memory and some in the GPU's")
               : SB_OK;
}

sb_status
sb_place_sparse_on_device(bool *yes, spblasHandle_t h, const sb_matrix *a,
                          const void *dense, sb_diag *diag)
{
    const void *const array[] = {a->val, a->ptr, a->idx, a->row, dense};

    return sb_place_on_device(yes, h, array, SB_COUNT(array), diag);
}

sb_status
sb_place_check(spblasHandle_t h, const sb_matrix *a, sb_diag *diag)
{
    sb_problem pb = {.a = *a, .batch = 1, .device = h->device, .stream = h->stream};
    sb_staged staged = {0};
    sb_status st = sb_staged_structure(&staged, &pb, false, diag);

    if (st == SB_OK)
        st = sb_matrix_check(&pb.a, diag);
    sb_staged_free(&staged);
    return st;
}

sb_status
sb_place_buffer(spblasHandle_t h, const void *buffer, const char *name, sb_diag *diag)
{
    if (buffer && h->device->ops->place(h->device, buffer) != SB_PLACE_HOST)
        return SB_OK;
    return sb_diag_set(diag, SB_EINVAL,
                       "argument %s must lie in the GPU's memory, as the operands do",
                       name);
}

bool
sb_place_by_device(spblasHandle_t h, const void *scalar)
{
    const sb_place at =
        h->device && scalar ? h->device->ops->place(h->device, scalar) : SB_PLACE_HOST;

    return at == SB_PLACE_DEVICE ||
           (at == SB_PLACE_BOTH && h->mode == SPBLAS_POINTER_MODE_DEVICE);
}

sb_native_scalar
sb_place_native_scalar(spblasHandle_t h, const void *scalar, sb_dtype type)
{
    if (sb_place_by_device(h, scalar))
        return (sb_native_scalar){{0, 0}, scalar};
    return (sb_native_scalar){sb_value_load(type, scalar, 0), NULL};
}

sb_status
sb_place_on_host(spblasHandle_t h, const void *const *array, int n, sb_diag *diag)
{
    census c;

    if (!h->device)
        return SB_OK;
    c = count(h->device, array, n);
    if (c.at[SB_PLACE_DEVICE] > 0)
        return sb_diag_set(diag, SB_ENOTSUP,
                           "this routine computes on the host, which cannot read the "
                           "GPU's memory; copy the arrays or use managed memory");
    return c.at[SB_PLACE_BOTH] > 0 ? h->device->ops->wait(h->device, h->stream, diag)
                                   : SB_OK;
}

sb_status
sb_place_sparse_on_host(spblasHandle_t h, const sb_matrix *a, sb_diag *diag)
{
    const void *const array[] = {a->val, a->ptr, a->idx, a->row};

    return sb_place_on_host(h, array, SB_COUNT(array), diag);
}

bool
sb_place_is_far(spblasHandle_t h, const void *scalar)
{
    return h->device && h->mode != SPBLAS_POINTER_MODE_HOST &&
           h->device->ops->place(h->device, scalar) != SB_PLACE_HOST;
}

sb_status
sb_place_scalar(void *out, spblasHandle_t h, const void *scalar, size_t bytes,
                sb_diag *diag)
{
    if (!sb_place_is_far(h, scalar)) {
        memcpy(out, scalar, bytes);
        return SB_OK;
    }
    if (h->device->ops->capturing(h->device, h->stream))
        return sb_diag_set(diag, SB_ENOTSUP,
                           "scalars in the GPU's memory are read by the host, which "
                           "cannot wait while the stream is captured");
    return h->device->ops->download(h->device, h->stream, out, scalar, bytes, diag);
}
