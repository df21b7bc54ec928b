/*
 * A matrix from any format into any format: the public face of conversion. Storage that
 * is exactly CSR's, CSC's, COO's or BSR's becomes a matrix of that format, which getters
 * and planner serve; all other storage stays a tensor.
 */
#include "api/error.h"
#include "api/format.h"
#include "api/place.h"
#include "api/rule.h"
#include "api/spmat.h"
#include "api/types.h"
#include "api/view.h"
#include "base/alloc.h"
#include "base/macro.h"
#include "native/native.h"
#include "planner/staged.h"

enum { HANDLE, MAT_A, FORMAT, MAT_B, ROLES };

static const char *const names[ROLES] = {"handle", "matA", "format", "matB"};

typedef struct request {
    spblasHandle_t handle;
    spblasConstSpMatDescr_t source;
    spblasConstFormatDescr_t format;
    spblasSpMatDescr_t *out;
} request;

static bool
no_handle(const void *r)
{
    return !sb_is_handle(((const request *)r)->handle);
}

static bool
no_source(const void *r)
{
    return !sb_is_spmat(((const request *)r)->source);
}

static bool
no_format(const void *r)
{
    return !sb_is_format(((const request *)r)->format);
}

static bool
no_out(const void *r)
{
    return !((const request *)r)->out;
}

static bool
many(const void *r)
{
    return ((const request *)r)->source->batch > 1;
}

static bool
short_index(const void *r)
{
    return sb_public_index_dtype(((const request *)r)->source->ptr_type) ==
               SB_DTYPE_COUNT ||
           sb_public_index_dtype(((const request *)r)->source->idx_type) ==
               SB_DTYPE_COUNT;
}

static bool
lacks_structure(const void *r)
{
    const sb_matrix a = sb_view_sparse(((const request *)r)->source);

    return sb_view_lacks_structure(&a);
}

static bool
lacks_values(const void *r)
{
    const sb_matrix a = sb_view_sparse(((const request *)r)->source);

    return sb_view_lacks_values(&a);
}

static const sb_rule rules[] = {
    {HANDLE, no_handle, SB_EINVAL, "must be a live handle"},
    {MAT_A, no_source, SB_EINVAL, "must be a live sparse matrix"},
    {FORMAT, no_format, SB_EINVAL, "must be a live format"},
    {MAT_B, no_out, SB_EINVAL, "must not be NULL"},
    {MAT_A, many, SB_ENOTSUP, "has a batch; its members are converted one by one"},
    {MAT_A, short_index, SB_ENOTSUP, "has 16-bit indices, which nothing converts"},
    {MAT_A, lacks_structure, SB_EINVAL, "has no structure arrays"},
    {MAT_A, lacks_values, SB_EINVAL, "has no values"},
};

/* ---- Results ------------------------------------------------------------------------ */

/* The arrays of an ordinary format: offsets or rows, indices, values. */
static void
list_arrays(void **out[3], sb_tensor *t)
{
    out[0] = t->ptr[1].data ? &t->ptr[1].data : &t->idx[0].data;
    out[1] = &t->idx[1].data;
    out[2] = &t->val.data;
}

static void
forget_moved(sb_made *made)
{
    void **array[3];

    list_arrays(array, &made->tensor);
    for (int q = 0; q < 3; q++) {
        made->device->ops->free(made->device, made->there[q]);
        *array[q] = NULL;
    }
}

void
sb_made_release(sb_made *made)
{
    if (!made)
        return;
    made->tensor.val.data = made->values;
    if (made->there[0])
        forget_moved(made);
    if (!made->borrowed)
        sb_tensor_free(&made->tensor);
    if (made->device)
        made->device->ops->release(made->device);
    sb_format_unhold(made->format);
    sb_free(made);
}

static spblasIndexType_t
index_type(sb_dtype t)
{
    return t == SB_I64 ? SPBLAS_INDEX_64I : SPBLAS_INDEX_32I;
}

/* A BSR matrix has whole blocks only. */
static bool
is_ordinary(const sb_tensor *t, sb_format *format, int64_t *block)
{
    return sb_fmt_is_matrix(t->fmt, format, block) && t->extent[0] % *block == 0 &&
           t->extent[1] % *block == 0;
}

/* The tensor's arrays under the descriptor's names. */
static void
name_arrays(sb_spmat *d, const sb_tensor *t, sb_format format, int64_t block)
{
    static const spblasFormat_t codes[] = {[SB_FORMAT_CSR] = SPBLAS_FORMAT_CSR,
                                           [SB_FORMAT_CSC] = SPBLAS_FORMAT_CSC,
                                           [SB_FORMAT_COO] = SPBLAS_FORMAT_COO,
                                           [SB_FORMAT_BSR] = SPBLAS_FORMAT_BSR};
    const bool list = format == SB_FORMAT_COO;

    d->format = codes[format];
    d->rows /= block;
    d->cols /= block;
    d->row_block = d->col_block = block;
    d->nnz = t->count[1];
    d->ptr = list ? NULL : t->ptr[1].data;
    d->row = list ? t->idx[0].data : NULL;
    d->idx = t->idx[1].data;
    if (list)
        d->ptr_type = d->idx_type;
}

static sb_spmat
draft_of(sb_made *made, spblasDataType_t type)
{
    const sb_tensor *t = &made->tensor;
    sb_spmat d = {.format = SPBLAS_FORMAT_CUSTOM,
                  .type = type,
                  .ptr_type = index_type(t->ptr_type),
                  .idx_type = index_type(t->idx_type),
                  .base = SPBLAS_INDEX_BASE_ZERO,
                  .order = SPBLAS_ORDER_ROW,
                  .rows = t->extent[0],
                  .cols = t->extent[1],
                  .nnz = t->nnz,
                  .row_block = 1,
                  .col_block = 1,
                  .val = t->val.data,
                  .made = made};
    sb_format format;
    int64_t block;

    if (is_ordinary(t, &format, &block))
        name_arrays(&d, t, format, block);
    return d;
}

/* Moves an ordinary format's arrays to the device; other storage stays. On failure nothing
 * has been moved. */
static sb_status
settle(sb_made *made, const request *r, sb_diag *diag)
{
    sb_device *const d = made->device;
    sb_tensor *t = &made->tensor;
    size_t bytes[3];
    void **array[3], *there[3] = {NULL};
    sb_status st = SB_OK;
    sb_format format;
    int64_t block;

    if (!is_ordinary(t, &format, &block))
        return SB_OK;
    list_arrays(array, t);
    bytes[1] = (size_t)t->count[1] * sb_dtype_size(t->idx_type);
    bytes[2] = (size_t)(t->count[1] * block * block) * sb_dtype_size(t->val_type);
    bytes[0] =
        format == SB_FORMAT_COO
            ? bytes[1]
            : (size_t)((format == SB_FORMAT_CSC ? t->extent[1] : t->extent[0]) / block +
                       1) *
                  sb_dtype_size(t->ptr_type);
    for (int q = 0; q < 3 && st == SB_OK; q++) {
        st = d->ops->alloc(d, &there[q], bytes[q] ? bytes[q] : 1, diag);
        if (st == SB_OK && bytes[q])
            st = d->ops->upload(d, r->handle->stream, there[q], *array[q], bytes[q],
                                diag);
    }
    for (int q = 0; q < 3; q++) {
        if (st != SB_OK)
            d->ops->free(d, there[q]);
        else {
            sb_free(*array[q]);
            *array[q] = made->there[q] = there[q];
        }
    }
    made->values = t->val.data;
    return st;
}

/* Host copies of a device's source. */
static sb_status
bring(sb_staged *staged, sb_matrix *a, const request *r, sb_diag *diag)
{
    sb_problem pb = {
        .a = *a, .batch = 1, .device = r->handle->device, .stream = r->handle->stream};

    SB_TRY(sb_staged_structure(staged, &pb, true, diag));
    *a = pb.a;
    return SB_OK;
}

/*
 * By the device's own kernels, without the arrays ever being the host's: SKIP where they do not
 * serve, or cannot be had.
 */
static sb_status
make_natively(sb_made *made, const sb_matrix *a, const request *r, sb_diag *diag)
{
    sb_diag why = {SB_OK, ""};
    const sb_native n = {r->handle->device, r->handle->stream, &why, false};
    const sb_fmt *fmt = r->format->fmt;
    sb_matrix to = *a;
    int64_t block;
    sb_status st;

    if (!sb_fmt_is_matrix(fmt, &to.format, &block) || to.format == SB_FORMAT_BSR)
        return SB_SKIP;
    st = sb_native_convert(&n, made->there, a, to.format);
    if (st == SB_SKIP || st == SB_ENOTSUP)
        return SB_SKIP;
    if (st != SB_OK)
        return sb_diag_set(diag, st, "%s", why.text);
    to.ptr = to.row = made->there[0];
    to.idx = made->there[1];
    to.val = made->there[2];
    to.ptr_type = to.idx_type;
    made->tensor = sb_tensor_borrow_matrix(fmt, &to);
    made->values = made->tensor.val.data;
    return SB_OK;
}

static sb_status
make_there(sb_made *made, bool device, const request *r, sb_diag *diag)
{
    const sb_backend *backend = r->handle->backend;
    const sb_par par = {backend->parallel, backend->threads()};
    sb_matrix a = sb_view_sparse(r->source);
    sb_staged staged = {0};
    sb_status st = SB_OK;

    if (device) {
        made->device = r->handle->device;
        made->device->ops->hold(made->device);
        st = make_natively(made, &a, r, diag);
        if (st != SB_SKIP)
            return st;
        st = SB_OK;
    }
    if (device && a.format != SB_FORMAT_TENSOR)
        st = bring(&staged, &a, r, diag);
    if (st == SB_OK)
        st = sb_tensor_from_matrix(&made->tensor, r->format->fmt, &a, &par, diag);
    sb_staged_free(&staged);
    made->values = made->tensor.val.data;
    return device && st == SB_OK ? settle(made, r, diag) : st;
}

/* A result lies where its source does. */
static sb_status
make(sb_made **out, const request *r, sb_diag *diag)
{
    const sb_matrix a = sb_view_sparse(r->source);
    const sb_made *from = r->source->made;
    bool device;
    sb_made *made;
    sb_status st;

    *out = NULL;
    SB_TRY(sb_place_sparse_on_device(&device, r->handle, &a, NULL, diag));
    if (a.format == SB_FORMAT_TENSOR)
        device = from && from->device && from->device == r->handle->device;
    if (!device)
        SB_TRY(sb_place_sparse_on_host(r->handle, &a, diag));
    made = sb_alloc_zero(sizeof *made);
    if (!made)
        return SB_ENOMEM;
    made->format = sb_format_hold(r->format);
    st = make_there(made, device, r, diag);
    if (st == SB_OK)
        *out = made;
    else
        sb_made_release(made);
    return st;
}

spblasStatus_t
sb_made_matrix_take(const char *function, spblasSpMatDescr_t *out, sb_made *made,
                    spblasDataType_t type)
{
    const spblasStatus_t st = sb_spmat_create(function, out, draft_of(made, type));

    if (st != SPBLAS_STATUS_SUCCESS)
        sb_made_release(made);
    return st;
}

spblasStatus_t
spblasConvert(spblasHandle_t handle, spblasConstSpMatDescr_t matA,
              spblasConstFormatDescr_t format, spblasSpMatDescr_t *matB)
{
    const request r = {handle, matA, format, matB};
    sb_diag diag = {0};
    spblasStatus_t done;
    sb_made *made = NULL;
    sb_status st;

    if (matB)
        *matB = NULL;
    st = sb_rules_check(rules, SB_COUNT(rules), names, &r, &diag);
    if (st == SB_OK)
        st = make(&made, &r, &diag);
    if (st != SB_OK)
        return sb_api_end(handle, __func__, st, &diag);
    done = sb_made_matrix_take(__func__, matB, made, matA->type);
    return done == SPBLAS_STATUS_ALLOC_FAILED
               ? sb_api_end(handle, __func__, SB_ENOMEM, NULL)
               : done;
}
