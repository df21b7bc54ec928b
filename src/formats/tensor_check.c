/*
 * Tensors over a caller's arrays: what the format says about their lengths, and whether
 * they hold what it says. Kernels and conversions trust a tensor that has passed.
 */
#include "formats/tensor.h"

#include "base/checked.h"
#include "formats/conv.h"
#include "formats/fmt_expr.h"

#include <string.h>

typedef struct checker {
    const sb_tensor *t;
    const sb_fmt *f;
    sb_diag *diag;
    sb_fmt_level level[SB_FMT_LEVELS];
    int64_t hi[SB_FMT_LEVELS]; /* behind the last index; INT64_MAX: the data says */
    const sb_fmt_expr *inverse[SB_FMT_DIMS];
    int64_t at[SB_FMT_LEVELS];
    bool exact; /* leaves are elements, but for marked ones */
} checker;

static sb_status
fault(const checker *k, int q, const char *what, int64_t at)
{
    return sb_diag_set(k->diag, SB_EINVAL, "malformed structure: level %d: %s %lld", q,
                       what, (long long)at);
}

static int64_t
parents(const sb_tensor *t, int q)
{
    return q == 0 ? 1 : t->count[q - 1];
}

/* ---- Lengths ------------------------------------------------------------------------ */

static sb_status
check_ptr(const checker *k, int q)
{
    const sb_tensor *t = k->t;
    int64_t before = 0;

    for (int64_t p = 0; p <= parents(t, q); p++) {
        const int64_t now = sb_tensor_at(&t->ptr[q], t->ptr_type, p);

        if (p == 0 ? now != 0 : now < before)
            return fault(k, q,
                         p ? "an offset below the one before it, at"
                           : "the first offset is not 0, at",
                         p);
        if (now > t->count[q])
            return fault(k, q, "an offset beyond the last node, at", p);
        before = now;
    }
    return before == t->count[q]
               ? SB_OK
               : fault(k, q, "the last offset is not the count,", before);
}

static sb_status
check_lengths(const checker *k)
{
    const sb_tensor *t = k->t;

    for (int q = 0; q < k->f->nlevel; q++) {
        const int64_t up = parents(t, q);

        if (t->ptr[q].data)
            SB_TRY(check_ptr(k, q));
        else if (k->level[q].one ? t->count[q] != up
                                 : q > 0 && t->count[q] != up * t->size[q])
            return fault(k, q, "the count does not fit the level above it,",
                         t->count[q]);
    }
    return SB_OK;
}

/* ---- Indices ------------------------------------------------------------------------ */

static int64_t
first_child(const checker *k, int q, int64_t parent)
{
    const sb_tensor *t = k->t;

    if (t->ptr[q].data)
        return sb_tensor_at(&t->ptr[q], t->ptr_type, parent);
    if (k->level[q].one)
        return parent;
    return q == 0 ? (parent ? t->count[0] : 0) : parent * t->size[q];
}

/* The place that the levels name lies in the tensor, and has these levels. */
static sb_status
check_leaf(const checker *k, int64_t p)
{
    int64_t dim[SB_FMT_DIMS];

    for (int d = 0; d < k->f->ndim; d++) {
        dim[d] = sb_fmt_eval(k->inverse[d], k->at);
        if (dim[d] < 0 || dim[d] >= k->t->extent[d])
            return fault(k, k->f->nlevel - 1, "outside of the matrix lies node", p);
    }
    for (int q = 0; q < k->f->nlevel; q++)
        if (!sb_fmt_expr_indirect(k->f->level[q]) &&
            sb_fmt_eval(k->f->level[q], dim) != k->at[q])
            return fault(k, q, "the index contradicts those of other levels at node",
                         p);
    return SB_OK;
}

/* One node below `marked` ones or not; its index is in at[q]. */
static sb_status
check_index(checker *k, int q, int64_t p, int64_t before, bool first, bool *marked)
{
    const sb_tensor *t = k->t;
    const bool marks = sb_tensor_marks(t, q);

    if (marks && k->at[q] == sb_tensor_mark(t, q)) {
        *marked = true;
        return SB_OK;
    }
    if (*marked && marks)
        return fault(k, q, "an index below an empty node, at", p);
    if (k->at[q] < t->lo[q] || k->at[q] >= k->hi[q])
        return fault(k, q, "an index out of range at", p);
    if (!first && (k->level[q].unique ? k->at[q] <= before : k->at[q] < before))
        return fault(k, q, "indices are not in ascending order at", p);
    return SB_OK;
}

static sb_status
check_below(checker *k, int q, int64_t parent, bool marked)
{
    const sb_tensor *t = k->t;
    const int64_t lo = first_child(k, q, parent), hi = first_child(k, q, parent + 1);
    int64_t before = 0;

    if (marked && hi > lo && q >= k->f->trim_lo && q <= k->f->trim_hi)
        return fault(k, q, "nodes below an empty one, at", lo);
    for (int64_t p = lo; p < hi; p++) {
        bool empty = marked;

        if (t->idx[q].data) {
            k->at[q] = sb_tensor_at(&t->idx[q], t->idx_type, p);
            SB_TRY(check_index(k, q, p, before, p == lo, &empty));
            before = k->at[q];
        } else {
            k->at[q] = t->lo[q] + p - lo;
        }
        if (q + 1 < k->f->nlevel)
            SB_TRY(check_below(k, q + 1, p, empty));
        else if (k->exact && !empty)
            SB_TRY(check_leaf(k, p));
    }
    return SB_OK;
}

static sb_status
check_arrays(checker *k, const sb_tensor *t, sb_arena *ar)
{
    const int last = t->fmt->nlevel - 1;
    int64_t lo;

    k->t = t;
    k->f = t->fmt;
    sb_fmt_infer(k->level, k->f);
    SB_TRY(sb_fmt_inverse(k->inverse, ar, k->f, k->diag));
    for (int q = 0; q <= last; q++) {
        sb_fmt_range(&lo, &k->hi[q], k->f, q, t->extent);
        if (lo == k->hi[q] && sb_fmt_expr_indirect(k->f->level[q]))
            k->hi[q] = INT64_MAX;
    }
    k->exact = sb_tensor_marks(t, last) ||
               (k->f->trim_hi == last && !(k->f->fill >> last & 1));
    SB_TRY(check_lengths(k));
    return check_below(k, 0, 0, false);
}

sb_status
sb_tensor_check(const sb_tensor *t, sb_diag *diag)
{
    const sb_tensor *leaf;

    for (int64_t n = 0; (leaf = sb_tensor_leaf(t, n)) != NULL; n++) {
        checker k = {.diag = diag};
        sb_arena ar;
        sb_status st;

        sb_arena_init(&ar);
        st = check_arrays(&k, leaf, &ar);
        sb_arena_free(&ar);
        SB_TRY(st);
    }
    return SB_OK;
}

/* ---- Borrowing ---------------------------------------------------------------------- */

static sb_status
refuse(sb_diag *diag, int q, const char *what)
{
    return sb_diag_set(diag, SB_EINVAL, "level %d: %s", q, what);
}

/* Nodes, of which the caller says what nothing else does. */
static sb_status
count_level(sb_tensor *t, const sb_fmt_level *l, int q, int64_t said, sb_diag *diag)
{
    const int64_t up = parents(t, q);
    int64_t hi, *count = &t->count[q];

    sb_fmt_range(&t->lo[q], &hi, t->fmt, q, t->extent);
    if (t->lo[q] == INT64_MIN)
        return refuse(diag, q, "indices beyond 64 bits");
    t->size[q] = hi - t->lo[q];
    if (l->ptr)
        *count = sb_tensor_at(&t->ptr[q], t->ptr_type, up);
    else if (l->one)
        *count = up;
    else if (l->idx || l->run)
        *count = said;
    else if (!sb_mul_i64(up, t->size[q], count))
        return refuse(diag, q, "more nodes than 63 bits count");
    if (*count < 0 || (said && said != *count))
        return refuse(diag, q, "the count is not what the levels above it say");
    if (l->run && !l->ptr) {
        t->size[q] = up ? *count / up : 0;
        if (t->size[q] * up != *count)
            return refuse(diag, q, "the count is no multiple of the level above it");
    }
    return SB_OK;
}

static sb_status
borrow_level(sb_tensor *t, const sb_fmt_level *l, int q, const sb_tensor_level *from,
             sb_diag *diag)
{
    t->idx[q] = (sb_tensor_array){(void *)(uintptr_t)from->idx, from->idx_stride};
    t->ptr[q] = (sb_tensor_array){(void *)(uintptr_t)from->ptr, 1};
    if (!l->idx && from->idx)
        return refuse(diag, q, "indices are given, but the format stores none");
    if (!l->ptr && from->ptr)
        return refuse(diag, q, "offsets are given, but the format stores none");
    if (l->ptr && !from->ptr)
        return refuse(diag, q, "the offsets are missing");
    SB_TRY(count_level(t, l, q, from->count, diag));
    if (l->idx && !from->idx && t->count[q] > 0)
        return refuse(diag, q, "the indices are missing");
    if (l->idx && (from->idx_stride < 1 || (!l->record && from->idx_stride != 1)))
        return refuse(diag, q, "the distance of two indices is not the format's");
    return SB_OK;
}

/* Levels whose range the data says end behind their largest index. */
static void
find_ends(sb_tensor *t)
{
    for (int q = 0; q < t->fmt->nlevel; q++)
        for (int64_t p = 0; t->idx[q].data && t->size[q] == 0 && p < t->count[q]; p++) {
            const int64_t x = sb_tensor_at(&t->idx[q], t->idx_type, p);

            if (sb_fmt_expr_indirect(t->fmt->level[q]) && x >= t->size[q])
                t->size[q] = x + 1;
        }
}

sb_status
sb_tensor_borrow(sb_tensor *out, const sb_tensor_arrays *from, sb_diag *diag)
{
    const sb_fmt *f = from->fmt;
    sb_fmt_level level[SB_FMT_LEVELS];
    sb_tensor t = {.fmt = f,
                   .val_type = from->val_type,
                   .idx_type = from->idx_type,
                   .ptr_type = from->ptr_type,
                   .val = {from->val, from->val_stride}};

    memset(out, 0, sizeof *out);
    if (f->npart > 0 || f->partition >= 0)
        return sb_diag_set(diag, SB_ENOTSUP,
                           "the parts of a hybrid or a partition have arrays of their "
                           "own; convert to it");
    memcpy(t.extent, from->extent, sizeof t.extent);
    sb_fmt_infer(level, f);
    for (int q = 0; q < f->nlevel; q++)
        SB_TRY(borrow_level(&t, &level[q], q, &from->level[q], diag));
    if (t.count[f->nlevel - 1] > 0 && !t.val.data)
        return sb_diag_set(diag, SB_EINVAL, "the values are missing");
    if (t.val.stride < 1 || (t.val.stride != 1 && !sb_fmt_packs_values(f)))
        return sb_diag_set(diag, SB_EINVAL,
                           "the distance of two values is not the format's");
    find_ends(&t);
    SB_TRY(sb_tensor_check(&t, diag));
    t.nnz = sb_tensor_count(&t);
    *out = t;
    return SB_OK;
}
