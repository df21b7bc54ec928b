/*
 * Dense matrices and their strided batches. Creation and setters fill a draft
 * descriptor, have the table checked on it, and only then keep it.
 */
#include "api/error.h"
#include "api/object.h"
#include "api/rule.h"
#include "api/types.h"
#include "base/alloc.h"
#include "base/checked.h"
#include "base/fault.h"
#include "base/macro.h"

typedef struct spblasDnMatDescr mat;

enum { ROWS, COLS, LD, VALUES, TYPE, ORDER, COUNT, STRIDE };
static const char *const names[] = {"rows",      "cols",  "ld",         "values",
                                    "valueType", "order", "batchCount", "batchStride"};

static bool
negative_rows(const void *d)
{
    return ((const mat *)d)->rows < 0;
}

static bool
negative_cols(const void *d)
{
    return ((const mat *)d)->cols < 0;
}

static bool
unknown_order(const void *d)
{
    const spblasOrder_t order = ((const mat *)d)->order;

    return order != SPBLAS_ORDER_COL && order != SPBLAS_ORDER_ROW;
}

static bool
small_ld(const void *d)
{
    const mat *m = d;

    if (SB_FAULT(LD_UNCHECKED))
        return false;
    return m->ld < (m->order == SPBLAS_ORDER_COL ? m->rows : m->cols);
}

static bool
unknown_type(const void *d)
{
    return sb_public_size(((const mat *)d)->type) == 0;
}

/* ld * cols or ld * rows: what one member spans, false when it overflows. */
static bool
span(const mat *m, int64_t *out)
{
    return sb_mul_i64(m->ld, m->order == SPBLAS_ORDER_COL ? m->cols : m->rows, out);
}

static bool
too_large(const void *d)
{
    const mat *m = d;
    int64_t elements, bytes;

    return !span(m, &elements) ||
           !sb_mul_i64(elements, (int64_t)sb_public_size(m->type), &bytes);
}

static bool
misaligned(const void *d)
{
    const mat *m = d;

    return m->rows > 0 && m->cols > 0 &&
           !sb_is_aligned(m->values, sb_public_size(m->type));
}

static bool
no_members(const void *d)
{
    return ((const mat *)d)->batch < 1;
}

static bool
negative_stride(const void *d)
{
    const mat *m = d;

    return m->batch > 1 && m->stride < 0;
}

static bool
overlapping(const void *d)
{
    const mat *m = d;
    int64_t elements;

    return m->batch > 1 && m->stride > 0 && span(m, &elements) && m->stride < elements;
}

static bool
batch_too_large(const void *d)
{
    const mat *m = d;
    int64_t elements, last, bytes;

    return !span(m, &elements) || !sb_mul_i64(m->stride, m->batch - 1, &last) ||
           !sb_add_i64(last, elements, &last) ||
           !sb_mul_i64(last, (int64_t)sb_public_size(m->type), &bytes);
}

static const sb_rule rules[] = {
    {ROWS, negative_rows, SB_EINVAL, "must not be negative"},
    {COLS, negative_cols, SB_EINVAL, "must not be negative"},
    {ORDER, unknown_order, SB_EINVAL, "must be COL (1) or ROW (2)"},
    {LD, small_ld, SB_EINVAL, "must be at least rows (order COL) or cols (order ROW)"},
    {TYPE, unknown_type, SB_EINVAL, "must be a data type of spblas.h"},
    {LD, too_large, SB_EINVAL,
     "times the number of columns (order COL) or rows (order ROW) must fit in 63 bits "
     "of "
     "bytes"},
    {VALUES, misaligned, SB_EINVAL, "must be aligned to its element type"},
    {COUNT, no_members, SB_EINVAL, "must be at least 1"},
    {STRIDE, negative_stride, SB_EINVAL, "must not be negative"},
    {STRIDE, overlapping, SB_EINVAL,
     "must be 0 (shared) or at least ld * cols (order COL) or ld * rows (order ROW)"},
    {STRIDE, batch_too_large, SB_EINVAL,
     "times batchCount must fit in 63 bits of bytes"},
};

static spblasStatus_t
usable(const char *function, spblasConstDnMatDescr_t descr, bool outputs)
{
    sb_diag diag = {0};
    sb_status st = SB_OK;

    if (!sb_is_dnmat(descr))
        st = sb_diag_set(&diag, SB_EINVAL,
                         "argument dnMatDescr must be a live dense matrix");
    else if (!outputs)
        st = sb_diag_set(&diag, SB_EINVAL, "no output argument may be NULL");
    return sb_api_end(NULL, function, st, &diag);
}

static spblasStatus_t
check(const char *function, const mat *draft)
{
    sb_diag diag = {0};
    const sb_status st = sb_rules_check(rules, SB_COUNT(rules), names, draft, &diag);

    return sb_api_end(NULL, function, st, &diag);
}

static spblasStatus_t
create(const char *function, spblasDnMatDescr_t *out, mat draft)
{
    sb_diag diag = {0};
    spblasStatus_t st;

    if (!out)
        return sb_api_end(
            NULL, function,
            sb_diag_set(&diag, SB_EINVAL, "argument dnMatDescr must not be NULL"),
            &diag);
    *out = NULL;
    draft.batch = 1;
    if ((st = check(function, &draft)) != SPBLAS_STATUS_SUCCESS)
        return st;
    if (!(*out = sb_alloc(sizeof **out)))
        return sb_api_end(NULL, function, SB_ENOMEM, NULL);
    draft.tag = SB_TAG_DNMAT;
    **out = draft;
    return SPBLAS_STATUS_SUCCESS;
}

/* Keeps the draft if it passes. */
static spblasStatus_t
change(const char *function, spblasDnMatDescr_t descr, const mat *draft)
{
    const spblasStatus_t st = check(function, draft);

    if (st == SPBLAS_STATUS_SUCCESS)
        *descr = *draft;
    return st;
}

spblasStatus_t
spblasCreateDnMat(spblasDnMatDescr_t *dnMatDescr, int64_t rows, int64_t cols,
                  int64_t ld, void *values, spblasDataType_t valueType,
                  spblasOrder_t order)
{
    return create(__func__, dnMatDescr,
                  (mat){.rows = rows,
                        .cols = cols,
                        .ld = ld,
                        .values = values,
                        .type = valueType,
                        .order = order});
}

spblasStatus_t
spblasCreateConstDnMat(spblasConstDnMatDescr_t *dnMatDescr, int64_t rows, int64_t cols,
                       int64_t ld, const void *values, spblasDataType_t valueType,
                       spblasOrder_t order)
{
    return create(__func__, (spblasDnMatDescr_t *)dnMatDescr,
                  (mat){.rows = rows,
                        .cols = cols,
                        .ld = ld,
                        .values = (void *)(uintptr_t)values,
                        .type = valueType,
                        .order = order});
}

spblasStatus_t
spblasDestroyDnMat(spblasConstDnMatDescr_t dnMatDescr)
{
    spblasDnMatDescr_t d = (spblasDnMatDescr_t)(uintptr_t)dnMatDescr;
    spblasStatus_t st;

    if (!d)
        return SPBLAS_STATUS_SUCCESS;
    if ((st = usable(__func__, d, true)) != SPBLAS_STATUS_SUCCESS)
        return st;
    d->tag = 0;
    sb_free(d);
    return SPBLAS_STATUS_SUCCESS;
}

spblasStatus_t
spblasConstDnMatGet(spblasConstDnMatDescr_t dnMatDescr, int64_t *rows, int64_t *cols,
                    int64_t *ld, const void **values, spblasDataType_t *type,
                    spblasOrder_t *order)
{
    const spblasStatus_t st =
        usable(__func__, dnMatDescr, rows && cols && ld && values && type && order);

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    *rows = dnMatDescr->rows;
    *cols = dnMatDescr->cols;
    *ld = dnMatDescr->ld;
    *values = dnMatDescr->values;
    *type = dnMatDescr->type;
    *order = dnMatDescr->order;
    return SPBLAS_STATUS_SUCCESS;
}

spblasStatus_t
spblasDnMatGet(spblasDnMatDescr_t dnMatDescr, int64_t *rows, int64_t *cols, int64_t *ld,
               void **values, spblasDataType_t *type, spblasOrder_t *order)
{
    return spblasConstDnMatGet(dnMatDescr, rows, cols, ld, (const void **)values, type,
                               order);
}

spblasStatus_t
spblasConstDnMatGetValues(spblasConstDnMatDescr_t dnMatDescr, const void **values)
{
    const spblasStatus_t st = usable(__func__, dnMatDescr, values);

    if (st == SPBLAS_STATUS_SUCCESS)
        *values = dnMatDescr->values;
    return st;
}

spblasStatus_t
spblasDnMatGetValues(spblasDnMatDescr_t dnMatDescr, void **values)
{
    return spblasConstDnMatGetValues(dnMatDescr, (const void **)values);
}

spblasStatus_t
spblasDnMatSetValues(spblasDnMatDescr_t dnMatDescr, void *values)
{
    const spblasStatus_t st = usable(__func__, dnMatDescr, true);
    mat draft;

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    draft = *dnMatDescr;
    draft.values = values;
    return change(__func__, dnMatDescr, &draft);
}

spblasStatus_t
spblasDnMatSetStridedBatch(spblasDnMatDescr_t dnMatDescr, int batchCount,
                           int64_t batchStride)
{
    const spblasStatus_t st = usable(__func__, dnMatDescr, true);
    mat draft;

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    draft = *dnMatDescr;
    draft.batch = batchCount;
    draft.stride = batchStride;
    return change(__func__, dnMatDescr, &draft);
}

spblasStatus_t
spblasDnMatGetStridedBatch(spblasConstDnMatDescr_t dnMatDescr, int *batchCount,
                           int64_t *batchStride)
{
    const spblasStatus_t st = usable(__func__, dnMatDescr, batchCount && batchStride);

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    *batchCount = dnMatDescr->batch;
    *batchStride = dnMatDescr->stride;
    return SPBLAS_STATUS_SUCCESS;
}
