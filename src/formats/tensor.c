/*
 * Tensors from what callers have, and back to coordinates.
 */
#include "formats/tensor.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "formats/conv.h"

#include <stdatomic.h>
#include <string.h>

/* ---- Formats of borrowed arrays -----------------------------------------------------
 */

static const sb_fmt_expr dims[SB_FMT_DIMS] = {
    {.op = SB_FMT_DIM, .value = 0},
    {.op = SB_FMT_DIM, .value = 1},
    {.op = SB_FMT_DIM, .value = 2},
    {.op = SB_FMT_DIM, .value = 3},
};

#define LIST(n)                                                                  \
    {                                                                            \
        .name = "coo", .ndim = n, .nlevel = n, .dim_name = {"i", "j", "k", "l"}, \
        .level = {&dims[0], &dims[1], &dims[2], &dims[3]}, .trim_lo = 0,         \
        .trim_hi = n - 1, .pack_lo = -1, .pack_hi = -1, .partition = -1          \
    }

static const sb_fmt list_fmt[SB_FMT_DIMS] = {LIST(1), LIST(2), LIST(3), LIST(4)};

static const sb_fmt rows_fmt = {.name = "csr",
                                .ndim = 2,
                                .nlevel = 2,
                                .dim_name = {"i", "j"},
                                .level = {&dims[0], &dims[1]},
                                .merge = 1,
                                .trim_lo = 1,
                                .trim_hi = 1,
                                .pack_lo = -1,
                                .pack_hi = -1,
                                .partition = -1};

/* The arrays are read only. */
static sb_tensor_array
borrowed(const void *data)
{
    return (sb_tensor_array){(void *)(uintptr_t)data, 1};
}

sb_tensor
sb_tensor_borrow_coo(const sb_tensor_coo *coo)
{
    sb_tensor t = {.fmt = &list_fmt[coo->ndim - 1],
                   .val_type = coo->val_type,
                   .idx_type = SB_I64,
                   .ptr_type = SB_I64,
                   .val = borrowed(coo->val),
                   .nnz = coo->nnz};

    for (int d = 0; d < coo->ndim; d++) {
        t.extent[d] = t.size[d] = coo->extent[d];
        t.count[d] = coo->nnz;
        t.idx[d] = borrowed(coo->coord[d]);
    }
    return t;
}

/* ---- Making -------------------------------------------------------------------------
 */

bool
sb_tensor_wide(const sb_tensor *t)
{
    return t->idx_type == SB_I64 || t->ptr_type == SB_I64;
}

static sb_status
convert(sb_tensor *out, const sb_tensor *in, const sb_fmt *target, bool wide,
        const sb_par *par, sb_strbuf *steps, sb_diag *diag)
{
    const sb_status st =
        steps ? SB_SKIP : sb_conv_fast(out, in, target, wide, par, diag);

    return st != SB_SKIP ? st
                         : sb_conv_general(out, in, target, wide, par, steps, diag);
}

sb_status
sb_tensor_convert(sb_tensor *out, const sb_tensor *in, const sb_fmt *target,
                  const sb_par *par, sb_strbuf *steps, sb_diag *diag)
{
    return convert(out, in, target, sb_tensor_wide(in), par, steps, diag);
}

sb_status
sb_tensor_convert_general(sb_tensor *out, const sb_tensor *in, const sb_fmt *target,
                          const sb_par *par, sb_strbuf *steps, sb_diag *diag)
{
    return sb_conv_general(out, in, target, sb_tensor_wide(in), par, steps, diag);
}

static sb_status
check_coo(const sb_tensor_coo *coo, sb_diag *diag)
{
    if (coo->ndim < 1 || coo->ndim > SB_FMT_DIMS)
        return sb_diag_set(diag, SB_EINVAL, "a tensor of %d dimensions", coo->ndim);
    for (int d = 0; d < coo->ndim; d++)
        for (int64_t e = 0; e < coo->nnz; e++)
            if (coo->coord[d][e] < 0 || coo->coord[d][e] >= coo->extent[d])
                return sb_diag_set(
                    diag, SB_EINVAL,
                    "coordinate %d of entry %lld is %lld, outside [0, %lld)", d,
                    (long long)e, (long long)coo->coord[d][e],
                    (long long)coo->extent[d]);
    return SB_OK;
}

/* Each entry after the one before, as tensors of ours are. */
static bool
in_order(const sb_tensor_coo *coo)
{
    for (int64_t e = 1; e < coo->nnz; e++) {
        int d = 0;

        while (d < coo->ndim && coo->coord[d][e - 1] == coo->coord[d][e])
            d++;
        if (d == coo->ndim || coo->coord[d][e - 1] > coo->coord[d][e])
            return false;
    }
    return true;
}

sb_status
sb_tensor_from_coo(sb_tensor *out, const sb_fmt *f, const sb_tensor_coo *coo, bool wide,
                   const sb_par *par, sb_diag *diag)
{
    sb_tensor list;

    memset(out, 0, sizeof *out);
    SB_TRY(check_coo(coo, diag));
    list = sb_tensor_borrow_coo(coo);
    return in_order(coo) ? convert(out, &list, f, wide, par, NULL, diag)
                         : sb_conv_general(out, &list, f, wide, par, NULL, diag);
}

/* What a look at all slots of a view may find. */
enum { BROKEN = 1, UNSORTED = 2, ROWS_LOOKED_AT = 4096 };

typedef struct look {
    const sb_view *v;
    atomic_int found;
} look;

/* Types are constants where this is called. */
static inline int
look_at_rows(const sb_view *v, sb_dtype ptr_type, sb_dtype crd_type, int64_t lo,
             int64_t hi)
{
    int64_t from = sb_index(v->ptr, ptr_type, lo) - v->ptr_base;
    bool outside = false, unsorted = false;

    if (from < 0)
        return BROKEN;
    for (int64_t i = lo; i < hi; i++) {
        const int64_t to = sb_index(v->ptr, ptr_type, i + 1) - v->ptr_base;
        int64_t last = -1;

        if (to < from || to > v->nnz)
            return BROKEN;
        for (int64_t p = from; p < to; p++) {
            const int64_t j = sb_index(v->crd, crd_type, p) - v->crd_base;

            outside |= (uint64_t)j >= (uint64_t)v->cols;
            unsorted |= j <= last;
            last = j;
        }
        from = to;
    }
    return (outside ? BROKEN : 0) | (unsorted ? UNSORTED : 0);
}

static void
look_range(void *user, int64_t lo, int64_t hi)
{
    look *l = user;
    const sb_view *v = l->v;
    const bool wide = v->crd_type == SB_I64;

    atomic_fetch_or(&l->found, v->ptr_type == SB_I64
                                   ? (wide ? look_at_rows(v, SB_I64, SB_I64, lo, hi)
                                           : look_at_rows(v, SB_I64, SB_I32, lo, hi))
                                   : (wide ? look_at_rows(v, SB_I32, SB_I64, lo, hi)
                                           : look_at_rows(v, SB_I32, SB_I32, lo, hi)));
}

static bool
covers(const sb_view *v)
{
    return v->rows == 0 ? v->nnz == 0
                        : sb_view_lo(v, 0) == 0 && sb_view_lo(v, v->rows) == v->nnz;
}

/* The sentence about the first mistake. */
static sb_status
refuse_view(const sb_view *v, sb_diag *diag)
{
    for (int64_t i = 0; i < v->rows; i++)
        if (sb_view_lo(v, i) < 0 || sb_view_lo(v, i) > sb_view_lo(v, i + 1) ||
            sb_view_lo(v, i + 1) > v->nnz)
            return sb_diag_set(diag, SB_EINVAL, "offsets of row %lld are out of order",
                               (long long)i);
    if (!covers(v))
        return sb_diag_set(diag, SB_EINVAL,
                           "the offsets do not lead from the first to the last of %lld "
                           "entries",
                           (long long)v->nnz);
    for (int64_t p = 0; p < v->nnz; p++)
        if (sb_view_col(v, p) < 0 || sb_view_col(v, p) >= v->cols)
            return sb_diag_set(diag, SB_EINVAL,
                               "column %lld of the sparse matrix is %lld, outside "
                               "[0, %lld)",
                               (long long)p, (long long)sb_view_col(v, p),
                               (long long)v->cols);
    return SB_OK;
}

/* *rows: whether the view's arrays are those of the format csr but for where they count
 * from: columns in ascending order, values in place. */
static sb_status
check_view(bool *rows, const sb_view *v, const sb_par *par, sb_diag *diag)
{
    look l = {.v = v};

    sb_par_run(par, look_range, &l, 0, v->rows, ROWS_LOOKED_AT);
    *rows = !v->pos && !(l.found & UNSORTED);
    return l.found & BROKEN || !covers(v) ? refuse_view(v, diag) : SB_OK;
}

static sb_status
from_slots(sb_tensor *out, const sb_fmt *f, const sb_view *v, const void *val,
           sb_dtype type, bool wide, const sb_par *par, sb_diag *diag)
{
    const size_t size = sb_dtype_size(type);
    int64_t *row = sb_alloc_array(v->nnz, sizeof *row);
    int64_t *col = sb_alloc_array(v->nnz, sizeof *col);
    char *copy = sb_alloc_array(v->nnz, size);
    sb_status st = SB_ENOMEM;

    if (row && col && copy) {
        const sb_tensor_coo coo = {.ndim = 2,
                                   .extent = {v->rows, v->cols},
                                   .nnz = v->nnz,
                                   .coord = {row, col},
                                   .val = copy,
                                   .val_type = type};

        for (int64_t i = 0; i < v->rows; i++)
            for (int64_t p = sb_view_lo(v, i); p < sb_view_lo(v, i + 1); p++) {
                row[p] = i;
                col[p] = sb_view_col(v, p);
                memcpy(copy + (size_t)p * size,
                       (const char *)val + (size_t)sb_view_pos(v, p) * size, size);
            }
        st = sb_tensor_from_coo(out, f, &coo, wide, par, diag);
    }
    sb_free(row);
    sb_free(col);
    sb_free(copy);
    return st;
}

/* A copy of n indices that counts from 0; false: ENOMEM. Without base *out is NULL. */
static bool
count_from_0(void **out, const void *idx, sb_dtype type, int base, int64_t n)
{
    *out = base ? sb_alloc_array(n, sb_dtype_size(type)) : NULL;
    for (int64_t k = 0; *out && k < n; k++) {
        if (type == SB_I64)
            ((int64_t *)*out)[k] = ((const int64_t *)idx)[k] - base;
        else
            ((int32_t *)*out)[k] = ((const int32_t *)idx)[k] - base;
    }
    return !base || *out;
}

sb_status
sb_tensor_from_view(sb_tensor *out, const sb_fmt *f, const sb_view *v, const void *val,
                    sb_dtype type, bool wide, const sb_par *par, sb_diag *diag)
{
    sb_tensor rows = {.fmt = &rows_fmt,
                      .extent = {v->rows, v->cols},
                      .val_type = type,
                      .idx_type = v->crd_type,
                      .ptr_type = v->ptr_type,
                      .count = {v->rows, v->nnz},
                      .size = {v->rows, v->cols},
                      .idx = {[1] = borrowed(v->crd)},
                      .ptr = {[1] = borrowed(v->ptr)},
                      .val = borrowed(val),
                      .nnz = v->nnz};
    void *ptr, *crd = NULL;
    bool in_place;
    sb_status st = SB_ENOMEM;

    memset(out, 0, sizeof *out);
    SB_TRY(check_view(&in_place, v, par, diag));
    if (!in_place)
        return from_slots(out, f, v, val, type, wide, par, diag);
    if (count_from_0(&ptr, v->ptr, v->ptr_type, v->ptr_base, v->rows + 1) &&
        count_from_0(&crd, v->crd, v->crd_type, v->crd_base, v->nnz)) {
        rows.ptr[1] = borrowed(ptr ? ptr : v->ptr);
        rows.idx[1] = borrowed(crd ? crd : v->crd);
        st = convert(out, &rows, f, wide, par, NULL, diag);
    }
    sb_free(ptr);
    sb_free(crd);
    return st;
}

/* ---- Reading ------------------------------------------------------------------------
 */

static sb_status
coords_of(int64_t **coord, void **val, int64_t *nnz, const sb_tensor *t)
{
    sb_tree tree;

    SB_TRY(sb_conv_to_coords(&tree, t));
    for (int d = 0; d < t->fmt->ndim; d++) {
        coord[d] = tree.at[d].idx;
        tree.at[d].idx = NULL;
    }
    *nnz = tree.at[0].count;
    *val = tree.val;
    tree.val = NULL;
    sb_tree_free(&tree);
    return SB_OK;
}

/* Appends n entries of `size` bytes to *to, which holds `have`; frees from. */
static bool
extend(void **to, int64_t have, void *from, int64_t n, size_t size)
{
    char *grown = sb_alloc_array(have + n, size);

    if (grown && have)
        memcpy(grown, *to, (size_t)have * size);
    if (grown && n)
        memcpy(grown + (size_t)have * size, from, (size_t)n * size);
    sb_free(from);
    sb_free(*to);
    *to = grown;
    return grown != NULL;
}

bool
sb_tensor_is_list(const sb_tensor *t)
{
    return t->fmt->npart > 0 || (t->fmt->partition >= 0 && !t->val.data);
}

sb_status
sb_tensor_coords(int64_t **coord, void **val, int64_t *nnz, const sb_tensor *t)
{
    bool ok = true;

    for (int d = 0; d < t->fmt->ndim; d++)
        coord[d] = NULL;
    *val = NULL;
    *nnz = 0;
    if (!sb_tensor_is_list(t))
        return coords_of(coord, val, nnz, t);
    for (int k = -1; k < t->nbank && ok; k++) {
        int64_t *more[SB_FMT_DIMS] = {0}, n = 0;
        void *v = NULL;

        ok = k < 0 || sb_tensor_coords(more, &v, &n, &t->bank[k]) == SB_OK;
        if (!ok)
            break;
        for (int d = 0; d < t->fmt->ndim; d++)
            ok &= extend((void **)&coord[d], *nnz, more[d], n, sizeof(int64_t));
        ok &= extend(val, *nnz, v, n, sb_dtype_size(t->val_type));
        *nnz += n;
    }
    if (ok)
        return SB_OK;
    for (int d = 0; d < t->fmt->ndim; d++) {
        sb_free(coord[d]);
        coord[d] = NULL;
    }
    sb_free(*val);
    *val = NULL;
    *nnz = 0;
    return SB_ENOMEM;
}

/* ---- Memory -------------------------------------------------------------------------
 */

static bool
in_block(const sb_tensor *t, const void *p)
{
    const char *block = t->block, *at = p;

    return block && at >= block && at < block + t->block_bytes;
}

static size_t
array_bytes(const sb_tensor *t, const sb_tensor_array *a, int64_t n, sb_dtype type)
{
    return a->data && !in_block(t, a->data) ? (size_t)n * sb_dtype_size(type) : 0;
}

size_t
sb_tensor_bytes(const sb_tensor *t)
{
    size_t bytes = t->block_bytes;

    for (int k = 0; k < t->nbank; k++)
        bytes += sb_tensor_bytes(&t->bank[k]);
    for (int q = 0; t->fmt && q < t->fmt->nlevel; q++) {
        bytes += array_bytes(t, &t->idx[q], t->count[q], t->idx_type);
        bytes +=
            array_bytes(t, &t->ptr[q], (q == 0 ? 1 : t->count[q - 1]) + 1, t->ptr_type);
        if (q == t->fmt->nlevel - 1)
            bytes += array_bytes(t, &t->val, t->count[q], t->val_type);
    }
    return bytes;
}

void
sb_tensor_free(sb_tensor *t)
{
    for (int k = 0; k < t->nbank; k++)
        sb_tensor_free(&t->bank[k]);
    sb_free(t->bank);
    for (int q = 0; q < SB_FMT_LEVELS; q++) {
        if (!in_block(t, t->idx[q].data))
            sb_free(t->idx[q].data);
        if (!in_block(t, t->ptr[q].data))
            sb_free(t->ptr[q].data);
    }
    if (!in_block(t, t->val.data))
        sb_free(t->val.data);
    sb_free(t->block);
    memset(t, 0, sizeof *t);
}
