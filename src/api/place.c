/*
 * See place.h.
 */
#include "api/place.h"

#include "base/macro.h"

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
