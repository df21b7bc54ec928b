/*
 * Between a tensor's arrays and the tree: opening writes every index out, storing keeps
 * what inference says is needed.
 */
#include "formats/conv.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "base/fault.h"
#include "formats/part.h"

#include <string.h>

/* ---- The tree -----------------------------------------------------------------------
 */

void
sb_tree_free(sb_tree *t)
{
    for (int q = 0; q < t->n; q++) {
        sb_free(t->at[q].idx);
        sb_free(t->at[q].ptr);
    }
    sb_free(t->val);
    memset(t, 0, sizeof *t);
}

bool
sb_tree_vector(const sb_tree *t, int64_t *slots)
{
    *slots = 1;
    for (int q = t->end + 1; q < t->n; q++)
        if (!t->at[q].idx && !sb_mul_i64(*slots, t->at[q].size, slots))
            return false;
    return true;
}

int64_t
sb_tree_nodes(const sb_tree *t, int level)
{
    int64_t n = t->end < 0 ? 1 : t->at[t->end].count;

    if (level <= t->end)
        return t->at[level].count;
    for (int q = t->end + 1; q <= level; q++)
        n *= t->at[q].idx ? 1 : t->at[q].size;
    return n;
}

sb_status
sb_tree_bound(const sb_tree *t, int64_t slots, const char *what, sb_diag *diag)
{
    const int64_t many = (int64_t)1 << 26, ratio = 256;

    if (slots <= many || slots / ratio <= t->elements)
        return SB_OK;
    if (slots == INT64_MAX)
        return sb_diag_set(diag, SB_EINVAL,
                           "%s: more than 2^63 slots for %lld elements", what,
                           (long long)t->elements);
    return sb_diag_set(diag, SB_EINVAL, "%s: %lld slots for %lld elements", what,
                       (long long)slots, (long long)t->elements);
}

/* ---- Opening ------------------------------------------------------------------------
 */

static int64_t *
widened(const sb_tensor_array *a, sb_dtype type, int64_t n)
{
    int64_t *out = sb_alloc_array(n, sizeof *out);

    if (!out)
        return NULL;
    if (type == SB_I64 && a->stride == 1) {
        if (n)
            memcpy(out, a->data, (size_t)n * sizeof *out);
    } else {
        for (int64_t p = 0; p < n; p++)
            out[p] = sb_tensor_at(a, type, p);
    }
    return out;
}

/* Indices a level does not store count from lo under each parent. */
static int64_t *
counted(const sb_tree *t, int q, int64_t up)
{
    int64_t *idx = sb_alloc_array(t->at[q].count, sizeof *idx);

    for (int64_t p = 0; idx && p < up; p++) {
        const int64_t lo = sb_tree_first(t, q, p), hi = sb_tree_first(t, q, p + 1);

        for (int64_t k = lo; k < hi; k++)
            idx[k] = t->at[q].lo + k - lo;
    }
    return idx;
}

static sb_status
open_level(sb_tree *t, const sb_tensor *in, const sb_fmt_level *level, int q)
{
    sb_tree_level *l = &t->at[q];
    const int64_t up = q == 0 ? 1 : in->count[q - 1];

    l->count = in->count[q];
    l->lo = in->lo[q];
    l->size = in->size[q];
    if (q > t->end && !level->idx)
        return SB_OK;
    if (q > 0 && q <= t->end && in->ptr[q].data) {
        l->ptr = widened(&in->ptr[q], in->ptr_type, up + 1);
    } else if (q > 0 && q <= t->end && l->count != up) {
        l->ptr = sb_alloc_array(up + 1, sizeof *l->ptr);
        for (int64_t p = 0; l->ptr && p <= up; p++)
            l->ptr[p] = p * l->size;
    }
    if (q > 0 && q <= t->end && l->count != up && !l->ptr)
        return SB_ENOMEM;
    l->idx =
        level->idx ? widened(&in->idx[q], in->idx_type, l->count) : counted(t, q, up);
    return l->idx ? SB_OK : SB_ENOMEM;
}

/* Marks become holes; their values, which anyone may have written, nothing. */
static void
open_marks(sb_tree *t, const sb_tensor *in, int q)
{
    const int64_t n = in->count[q];
    const size_t bytes =
        n ? (size_t)(in->count[t->n - 1] / n) * sb_dtype_size(t->type) : 0;

    for (int64_t p = 0; p < n; p++) {
        if (t->at[q].idx[p] != sb_tensor_mark(in, q))
            continue;
        t->at[q].idx[p] = SB_TREE_HOLE;
        if (q > t->end)
            memset((char *)t->val + (size_t)p * bytes, 0, bytes);
    }
    t->marks = t->marks || q == t->n - 1;
}

static void *
plain_values(const sb_tensor *in, int64_t n)
{
    const size_t size = sb_dtype_size(in->val_type);
    char *val = sb_alloc_array(n, size);

    for (int64_t p = 0; val && in->val.stride > 1 && p < n; p++)
        memcpy(val + (size_t)p * size,
               (char *)in->val.data + (size_t)(p * in->val.stride) * size, size);
    if (val && in->val.stride == 1 && n)
        memcpy(val, in->val.data, (size_t)n * size);
    return val;
}

static int
merged_levels(const sb_fmt *f)
{
    int n = 0;

    for (int q = 0; q < f->nlevel; q++)
        if (f->merge >> q & 1)
            n = q + 1;
    if (n < f->trim_lo)
        n = f->trim_lo; /* complete levels are there once */
    return n > f->trim_hi ? (f->trim_hi < 0 ? 0 : f->trim_hi) : n;
}

sb_status
sb_tree_open(sb_tree *t, const sb_tensor *in)
{
    const sb_fmt *f = in->fmt;
    sb_fmt_level level[SB_FMT_LEVELS];
    sb_status st = SB_OK;

    memset(t, 0, sizeof *t);
    sb_fmt_infer(level, f);
    t->n = f->nlevel;
    t->start = f->trim_lo < 0 ? 0 : f->trim_lo;
    t->end = f->trim_hi;
    t->merged = merged_levels(f);
    t->filled = f->fill;
    t->type = in->val_type;
    t->ndim = f->ndim;
    t->elements = in->nnz;
    memcpy(t->extent, in->extent, sizeof t->extent);
    for (int q = 0; q < t->n && st == SB_OK; q++)
        st = open_level(t, in, &level[q], q);
    if (st == SB_OK && !(t->val = plain_values(in, in->count[t->n - 1])))
        st = SB_ENOMEM;
    for (int q = 0; q < t->n && st == SB_OK; q++)
        if (sb_tensor_marks(in, q))
            open_marks(t, in, q);
    return st;
}

/* ---- Storing ------------------------------------------------------------------------
 */

typedef struct narrowing {
    const int64_t *from;
    int32_t *to;
} narrowing;

static void
narrow_range(void *user, int64_t lo, int64_t hi)
{
    const narrowing *j = user;

    for (int64_t p = lo; p < hi; p++)
        j->to[p] = (int32_t)j->from[p];
}

/* from, freed or taken. */
static sb_status
put_array(sb_tensor_array *to, sb_dtype type, int64_t **from, int64_t n,
          const sb_par *par)
{
    to->stride = 1;
    if (type == SB_I64) {
        to->data = *from;
    } else {
        narrowing j = {*from, sb_alloc_array(n, sizeof(int32_t))};

        if (!j.to)
            return SB_ENOMEM;
        sb_par_run(par, narrow_range, &j, 0, n, 1 << 16);
        to->data = j.to;
        sb_free(*from);
    }
    *from = NULL;
    return SB_OK;
}

static sb_dtype
index_type(const sb_tree *t, const sb_fmt_level *level, bool ptr)
{
    for (int q = 0; q < t->n; q++) {
        const sb_tree_level *l = &t->at[q];

        if (ptr && level[q].ptr && l->count > INT32_MAX)
            return SB_I64;
        if (!ptr && level[q].idx &&
            (l->lo <= INT32_MIN || l->size > INT32_MAX || l->lo > INT32_MAX - l->size))
            return SB_I64;
    }
    return SB_I32;
}

static sb_status
put_level(sb_tensor *out, sb_tree *t, const sb_fmt_level *level, int q,
          const sb_par *par)
{
    sb_tree_level *l = &t->at[q];
    const int64_t up = q == 0 ? 1 : out->count[q - 1];

    out->count[q] = l->count;
    out->lo[q] = l->lo;
    out->size[q] = l->size;
    if (level->ptr) {
        if (!l->ptr) {
            l->ptr = sb_alloc_array(up + 1, sizeof *l->ptr);
            if (!l->ptr)
                return SB_ENOMEM;
            for (int64_t p = 0; p <= up; p++)
                l->ptr[p] = q == 0 && p ? l->count : p;
        }
        SB_TRY(put_array(&out->ptr[q], out->ptr_type, &l->ptr, up + 1, par));
    } else if (level->run) {
        out->size[q] = up ? l->count / up : 0;
    }
    if (level->idx && (q < out->fmt->trim_lo || q > out->fmt->trim_hi))
        for (int64_t p = 0; p < l->count; p++)
            if (l->idx[p] == SB_TREE_HOLE)
                l->idx[p] = sb_tensor_mark(out, q) + (SB_FAULT(FORMAT_MARK) ? 1 : 0);
    if (level->idx)
        SB_TRY(put_array(&out->idx[q], out->idx_type, &l->idx, l->count, par));
    return SB_OK;
}

sb_status
sb_tree_store(sb_tensor *out, sb_tree *t, const sb_fmt *f, const sb_fmt_level *level,
              bool wide, const sb_par *par)
{
    memset(out, 0, sizeof *out);
    out->fmt = f;
    memcpy(out->extent, t->extent, sizeof out->extent);
    out->val_type = t->type;
    out->idx_type = wide ? SB_I64 : index_type(t, level, false);
    out->ptr_type = wide ? SB_I64 : index_type(t, level, true);
    for (int q = t->end + 1; q < t->n; q++)
        t->at[q].count = sb_tree_nodes(t, q);
    for (int q = 0; q < t->n; q++)
        SB_TRY(put_level(out, t, &level[q], q, par));
    out->val = (sb_tensor_array){t->val, 1};
    t->val = NULL;
    return SB_OK;
}
