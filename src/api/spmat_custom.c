/*
 * A matrix over the caller's own arrays in a format of the language.
 */
#include "api/error.h"
#include "api/format.h"
#include "api/spmat.h"
#include "api/types.h"
#include "base/alloc.h"

typedef struct request {
    spblasConstFormatDescr_t format;
    int64_t rows, cols;
    int levels;
    const spblasLevelInfo_t *level;
    void *values;
    int64_t stride;
    spblasDataType_t type;
} request;

static sb_status
check_request(const request *r, sb_diag *diag)
{
    if (!sb_is_format(r->format))
        return sb_diag_set(diag, SB_EINVAL, "argument format must be a live format");
    if (r->format->fmt->ndim != 2)
        return sb_diag_set(diag, SB_EINVAL,
                           "argument format must be one of matrices, it has %d "
                           "dimensions",
                           r->format->fmt->ndim);
    if (r->rows < 0 || r->cols < 0)
        return sb_diag_set(diag, SB_EINVAL,
                           "arguments rows and cols must not be negative");
    if (r->format->fmt->npart == 0 && r->levels != r->format->fmt->nlevel)
        return sb_diag_set(diag, SB_EINVAL,
                           "argument levels is %d, but the format has %d", r->levels,
                           r->format->fmt->nlevel);
    if (!r->level)
        return sb_diag_set(diag, SB_EINVAL, "argument level must not be NULL");
    if (sb_public_size(r->type) == 0)
        return sb_diag_set(diag, SB_EINVAL,
                           "argument valueType must be a data type of spblas.h");
    if (!sb_is_aligned(r->values, sb_public_size(r->type)))
        return sb_diag_set(diag, SB_EINVAL,
                           "argument values must be aligned to its element type");
    return SB_OK;
}

/* Offsets and indices of all levels have one type each. */
static sb_status
add_type(sb_dtype *to, const void *array, spblasIndexType_t type, int q, sb_diag *diag)
{
    const sb_dtype t = sb_public_index_dtype(type);

    if (!array)
        return SB_OK;
    if (t == SB_DTYPE_COUNT)
        return sb_diag_set(diag, SB_ENOTSUP, "level %d: indices must be 32I or 64I", q);
    if (!sb_is_aligned(array, sb_dtype_size(t)))
        return sb_diag_set(diag, SB_EINVAL,
                           "level %d: an array is not aligned to its index type", q);
    if (*to != SB_DTYPE_COUNT && *to != t)
        return sb_diag_set(diag, SB_EINVAL,
                           "level %d: its index type is not that of the other levels",
                           q);
    *to = t;
    return SB_OK;
}

/* The caller's words in ours. */
static sb_status
arrays_of(sb_tensor_arrays *out, const request *r, sb_diag *diag)
{
    *out = (sb_tensor_arrays){.fmt = r->format->fmt,
                              .extent = {r->rows, r->cols},
                              .val_type = sb_public_dtype(r->type),
                              .idx_type = SB_DTYPE_COUNT,
                              .ptr_type = SB_DTYPE_COUNT,
                              .val = r->values,
                              .val_stride = r->stride};
    for (int q = 0; q < r->format->fmt->nlevel; q++) {
        const spblasLevelInfo_t *l = &r->level[q];

        if (l->structSize != sizeof *l)
            return sb_diag_set(diag, SB_EINVAL,
                               "level %d: structSize must be "
                               "sizeof(spblasLevelInfo_t)",
                               q);
        if (l->count < 0)
            return sb_diag_set(diag, SB_EINVAL,
                               "level %d: the count must not be negative", q);
        SB_TRY(add_type(&out->idx_type, l->idx, l->idxType, q, diag));
        SB_TRY(add_type(&out->ptr_type, l->ptr, l->ptrType, q, diag));
        out->level[q] = (sb_tensor_level){l->count, l->idx, l->ptr, l->idxStride};
    }
    if (out->idx_type == SB_DTYPE_COUNT)
        out->idx_type = out->ptr_type == SB_DTYPE_COUNT ? SB_I32 : out->ptr_type;
    if (out->ptr_type == SB_DTYPE_COUNT)
        out->ptr_type = out->idx_type;
    return SB_OK;
}

static sb_status
make(sb_made **out, const request *r, sb_diag *diag)
{
    sb_tensor_arrays arrays;
    sb_made *made;
    sb_status st;

    SB_TRY(check_request(r, diag));
    SB_TRY(arrays_of(&arrays, r, diag));
    made = sb_alloc_zero(sizeof *made);
    if (!made)
        return SB_ENOMEM;
    made->format = sb_format_hold(r->format);
    made->borrowed = true;
    made->values = r->values;
    st = sb_tensor_borrow(&made->tensor, &arrays, diag);
    if (st == SB_OK)
        *out = made;
    else
        sb_made_release(made);
    return st;
}

static spblasStatus_t
create(const char *function, spblasSpMatDescr_t *out, const request *r)
{
    sb_diag diag = {0};
    sb_made *made = NULL;
    sb_status st;

    if (!out)
        return sb_api_fail(function, SB_EINVAL, "argument spMatDescr must not be NULL");
    *out = NULL;
    st = make(&made, r, &diag);
    return st == SB_OK ? sb_made_matrix_take(function, out, made, r->type)
                       : sb_api_end(NULL, function, st, &diag);
}

spblasStatus_t
spblasCreateCustom(spblasSpMatDescr_t *spMatDescr, spblasConstFormatDescr_t format,
                   int64_t rows, int64_t cols, int levels,
                   const spblasLevelInfo_t *level, void *values, int64_t valueStride,
                   spblasDataType_t valueType)
{
    return create(
        __func__, spMatDescr,
        &(request){format, rows, cols, levels, level, values, valueStride, valueType});
}

spblasStatus_t
spblasCreateConstCustom(spblasConstSpMatDescr_t *spMatDescr,
                        spblasConstFormatDescr_t format, int64_t rows, int64_t cols,
                        int levels, const spblasLevelInfo_t *level, const void *values,
                        int64_t valueStride, spblasDataType_t valueType)
{
    return create(__func__, (spblasSpMatDescr_t *)spMatDescr,
                  &(request){format, rows, cols, levels, level,
                             (void *)(uintptr_t)values, valueStride, valueType});
}
