/*
 * See staged.h.
 */
#include "planner/staged.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "planner/planner.h"
#include "runtime/device.h"

/* Bytes of `count` elements of each of `batch` members; false: too many to count. */
static bool
bytes_of(size_t *out, int64_t count, int64_t batch, int64_t stride, sb_dtype t)
{
    int64_t all;

    return sb_strided_extent(batch > 1 ? batch : 1, count, batch > 1 ? stride : 0,
                             &all) &&
           sb_bytes(all, sb_dtype_size(t), out);
}

/* Turns *array into a host copy; NULL stays. */
static sb_status
bring(sb_staged *s, const sb_problem *pb, const void **array, size_t bytes,
      sb_diag *diag)
{
    void *copy;

    if (!*array || bytes == 0)
        return SB_OK;
    copy = sb_alloc(bytes);
    if (!copy)
        return sb_diag_set(diag, SB_ENOMEM, "no host memory for a device's array");
    s->copy[s->n++] = copy;
    SB_TRY(
        pb->device->ops->download(pb->device, pb->stream, copy, *array, bytes, diag));
    *array = copy;
    return SB_OK;
}

static sb_status
too_large(sb_diag *diag)
{
    return sb_diag_set(diag, SB_ERESOURCES, "an array is too large for the host");
}

static sb_status
bring_structure(sb_staged *s, sb_problem *pb, sb_diag *diag)
{
    sb_matrix *a = &pb->a;
    size_t ptr, idx;

    if (!bytes_of(&ptr, sb_matrix_offsets(a), a->batch, a->ptr_stride, a->ptr_type) ||
        !bytes_of(&idx, a->nnz, a->batch, a->idx_stride, a->idx_type))
        return too_large(diag);
    SB_TRY(bring(s, pb, &a->ptr, ptr, diag));
    SB_TRY(bring(s, pb, &a->row, idx, diag));
    return bring(s, pb, &a->idx, idx, diag);
}

/* *bytes: of the values, for the way back. */
static sb_status
bring_values(sb_staged *s, sb_problem *pb, size_t *bytes, sb_diag *diag)
{
    sb_matrix *a = &pb->a;
    const int64_t b = sb_matrix_block(a);
    const void *val = a->val;
    int64_t count;

    if (!sb_mul_i64(a->nnz, b * b, &count) ||
        !bytes_of(bytes, count, a->batch, a->val_stride, a->val_type))
        return too_large(diag);
    SB_TRY(bring(s, pb, &val, *bytes, diag));
    a->val = (void *)(uintptr_t)val;
    return SB_OK;
}

static sb_status
bring_dense(sb_staged *s, const sb_problem *pb, sb_dense *d, size_t *bytes,
            sb_diag *diag)
{
    const int64_t major = d->col_major ? d->cols : d->rows;
    const int64_t minor = d->col_major ? d->rows : d->cols;
    const void *data = d->data;
    int64_t count;

    if (!sb_strided_extent(major, minor, d->ld, &count) ||
        !bytes_of(bytes, count, d->batch, d->stride, d->type))
        return too_large(diag);
    SB_TRY(bring(s, pb, &data, *bytes, diag));
    d->data = (void *)(uintptr_t)data;
    return SB_OK;
}

static sb_status
may_wait(const sb_problem *pb, sb_diag *diag)
{
    return pb->device->ops->capturing(pb->device, pb->stream)
               ? sb_diag_set(
                     diag, SB_ENOTSUP,
                     "no kernel on the device is ready for this call, and while "
                     "the stream is captured none can be made (analyse before)")
               : SB_OK;
}

sb_status
sb_staged_structure(sb_staged *s, sb_problem *pb, bool values, sb_diag *diag)
{
    size_t bytes;

    SB_TRY(may_wait(pb, diag));
    if (pb->a.format == SB_FORMAT_TENSOR)
        return SB_OK;
    SB_TRY(bring_structure(s, pb, diag));
    return values ? bring_values(s, pb, &bytes, diag) : SB_OK;
}

void
sb_staged_free(sb_staged *s)
{
    while (s->n > 0)
        sb_free(s->copy[--s->n]);
}

/* Scalars that the device was to read. */
static sb_status
bring_scalar(sb_value *out, const sb_problem *pb, const void **far, sb_diag *diag)
{
    sb_param value;

    if (!*far)
        return SB_OK;
    SB_TRY(pb->device->ops->download(pb->device, pb->stream, &value, *far,
                                     sb_dtype_size(pb->compute), diag));
    *out = sb_value_load(pb->compute, &value, 0);
    *far = NULL;
    return SB_OK;
}

static sb_status
run(sb_staged *s, const sb_problem *pb, sb_diag *diag)
{
    const bool sampled = pb->op == SB_OP_SDDMM,
               tensor = pb->a.format == SB_FORMAT_TENSOR;
    sb_problem host = *pb;
    size_t values = 0, b, c;

    SB_TRY(bring_scalar(&host.alpha, pb, &host.far_alpha, diag));
    SB_TRY(bring_scalar(&host.beta, pb, &host.far_beta, diag));
    if (!tensor) {
        SB_TRY(bring_structure(s, &host, diag));
        SB_TRY(bring_values(s, &host, &values, diag));
    }
    SB_TRY(bring_dense(s, pb, &host.b, &b, diag));
    SB_TRY(bring_dense(s, pb, &host.c, &c, diag));
    host.device = NULL;
    host.stream = NULL;
    SB_TRY(sb_execute(NULL, &host, diag));
    if (sampled && tensor)
        return SB_OK;
    return pb->device->ops->upload(
        pb->device, pb->stream, sampled ? pb->a.val : pb->c.data,
        sampled ? host.a.val : host.c.data, sampled ? values : c, diag);
}

sb_status
sb_staged_run(const sb_problem *pb, sb_diag *diag)
{
    sb_staged s = {0};
    sb_status st;

    SB_TRY(may_wait(pb, diag));
    st = run(&s, pb, diag);
    sb_staged_free(&s);
    return st;
}
