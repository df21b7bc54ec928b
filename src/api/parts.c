/*
 * The arrays of a matrix, level by level, whatever its format: a converted matrix has
 * them as its format says, an ordinary one shows the caller's own under the names of the
 * format it is in.
 */
#include "api/error.h"
#include "api/format.h"
#include "api/spmat.h"
#include "api/view.h"

#include <stddef.h>
#include <string.h>

/* A matrix as a tensor that owns nothing. */
typedef struct parts {
    sb_arena arena; /* an ordinary matrix's format */
    sb_tensor t;
} parts;

static sb_status
open_parts(parts *p, spblasConstSpMatDescr_t d, sb_diag *diag)
{
    const sb_matrix a = sb_view_sparse(d);
    const sb_fmt *f;
    sb_status st;

    sb_arena_init(&p->arena);
    st = sb_fmt_of_matrix(&f, &p->arena, &a, diag);
    if (st == SB_OK)
        p->t = sb_tensor_borrow_matrix(f, &a);
    else
        sb_arena_free(&p->arena);
    return st;
}

static void
close_parts(parts *p)
{
    sb_arena_free(&p->arena);
}

static sb_status
find_leaf(const sb_tensor **leaf, const parts *p, int part, sb_diag *diag)
{
    *leaf = sb_tensor_leaf(&p->t, part);
    return *leaf ? SB_OK
                 : sb_diag_set(diag, SB_EINVAL,
                               "argument part is %d, but the matrix has %lld parts",
                               part, (long long)sb_tensor_leaves(&p->t));
}

spblasStatus_t
spblasSpMatGetPartCount(spblasConstSpMatDescr_t spMatDescr, int *count)
{
    const spblasStatus_t st = sb_spmat_usable(__func__, spMatDescr, 0, false, count);

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    *count = spMatDescr->format == SPBLAS_FORMAT_CUSTOM
                 ? (int)sb_tensor_leaves(&spMatDescr->made->tensor)
                 : 1;
    return SPBLAS_STATUS_SUCCESS;
}

/* ---- Levels ------------------------------------------------------------------------- */

static spblasIndexType_t
type_of(sb_dtype t, spblasIndexType_t callers)
{
    return t == SB_I64 ? SPBLAS_INDEX_64I : t == SB_I32 ? SPBLAS_INDEX_32I : callers;
}

static spblasLevelInfo_t
level_info(spblasConstSpMatDescr_t d, const sb_tensor *t, int q)
{
    const sb_tensor_array *idx = &t->idx[q], *ptr = &t->ptr[q];

    return (spblasLevelInfo_t){.levels = t->fmt->nlevel,
                               .count = t->count[q],
                               .lo = t->lo[q],
                               .size = t->size[q],
                               .idx = idx->data,
                               .ptr = ptr->data,
                               .ptrCount =
                                   ptr->data ? (q > 0 ? t->count[q - 1] : 1) + 1 : 0,
                               .idxStride = idx->data ? idx->stride : 0,
                               .ptrStride = ptr->data ? ptr->stride : 0,
                               .idxType = type_of(t->idx_type, d->idx_type),
                               .ptrType = type_of(t->ptr_type, d->ptr_type)};
}

spblasStatus_t
spblasSpMatGetPartLevel(spblasConstSpMatDescr_t spMatDescr, int part, int level,
                        spblasLevelInfo_t *info)
{
    const size_t first = offsetof(spblasLevelInfo_t, levels);
    const spblasStatus_t usable = sb_spmat_usable(__func__, spMatDescr, 0, false, info);
    sb_diag diag = {0};
    const sb_tensor *leaf;
    parts p;
    sb_status st;

    if (usable != SPBLAS_STATUS_SUCCESS)
        return usable;
    if (info->structSize < first + sizeof info->levels)
        return sb_api_fail(
            __func__, SB_EINVAL,
            "argument info: structSize must be sizeof(spblasLevelInfo_t)");
    if ((st = open_parts(&p, spMatDescr, &diag)) != SB_OK)
        return sb_api_end(NULL, __func__, st, &diag);
    st = find_leaf(&leaf, &p, part, &diag);
    if (st == SB_OK && (level < 0 || level >= leaf->fmt->nlevel))
        st = sb_diag_set(&diag, SB_EINVAL,
                         "argument level is %d, but part %d has %d levels", level, part,
                         leaf->fmt->nlevel);
    if (st == SB_OK) {
        const spblasLevelInfo_t all = level_info(spMatDescr, leaf, level);
        const size_t size =
            info->structSize < sizeof all ? info->structSize : sizeof all;

        memcpy((char *)info + first, (const char *)&all + first, size - first);
    }
    close_parts(&p);
    return sb_api_end(NULL, __func__, st, &diag);
}

/* ---- Values and texts --------------------------------------------------------------- */

spblasStatus_t
spblasSpMatGetPartValues(spblasConstSpMatDescr_t spMatDescr, int part,
                         const void **values, int64_t *count, int64_t *stride)
{
    const spblasStatus_t usable =
        sb_spmat_usable(__func__, spMatDescr, 0, false, values && count && stride);
    sb_diag diag = {0};
    const sb_tensor *leaf;
    parts p;
    sb_status st;

    if (usable != SPBLAS_STATUS_SUCCESS)
        return usable;
    if ((st = open_parts(&p, spMatDescr, &diag)) != SB_OK)
        return sb_api_end(NULL, __func__, st, &diag);
    st = find_leaf(&leaf, &p, part, &diag);
    if (st == SB_OK) {
        *values = leaf->val.data;
        *count = sb_tensor_slots(leaf);
        *stride = leaf->val.stride;
    }
    close_parts(&p);
    return sb_api_end(NULL, __func__, st, &diag);
}

spblasStatus_t
spblasSpMatGetFormatText(spblasConstSpMatDescr_t spMatDescr, int part, char *text,
                         size_t *size)
{
    const spblasStatus_t usable = sb_spmat_usable(__func__, spMatDescr, 0, false, size);
    sb_diag diag = {0};
    const sb_tensor *leaf;
    spblasStatus_t done;
    parts p;
    sb_status st;

    if (usable != SPBLAS_STATUS_SUCCESS)
        return usable;
    if ((st = open_parts(&p, spMatDescr, &diag)) != SB_OK)
        return sb_api_end(NULL, __func__, st, &diag);
    leaf = &p.t;
    if (part != -1)
        st = find_leaf(&leaf, &p, part, &diag);
    done = st == SB_OK ? sb_format_give_text(__func__, leaf->fmt, text, size)
                       : sb_api_end(NULL, __func__, st, &diag);
    close_parts(&p);
    return done;
}
