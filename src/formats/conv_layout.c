/*
 * Memory layouts (UniSparse, section 4.2): Partition gives every node of a level arrays
 * of its own, Pack puts levels with one node per node into records.
 */
#include "formats/conv_ops.h"

#include "base/alloc.h"
#include "base/checked.h"

#include <string.h>

/* ---- Partition ----------------------------------------------------------------------
 */

enum { BANKS = 1 << 20 };

/* Entries [from, from + n) of an array, minus `base`. */
static sb_status
slice(sb_tensor_array *to, const sb_tensor_array *from, sb_dtype type, int64_t at,
      int64_t n, int64_t base)
{
    const size_t size = sb_dtype_size(type);

    to->stride = 1;
    to->data = sb_alloc_array(n, size);
    if (!to->data)
        return SB_ENOMEM;
    if (n)
        memcpy(to->data, (char *)from->data + (size_t)at * size, (size_t)n * size);
    for (int64_t p = 0; base && p < n; p++) {
        if (type == SB_I64)
            ((int64_t *)to->data)[p] -= base;
        else
            ((int32_t *)to->data)[p] -= (int32_t)base;
    }
    return SB_OK;
}

/* First child at level q of node p of the level above. */
static int64_t
first_child(const sb_tensor *t, int q, int64_t p)
{
    const int64_t up = q == 0 ? 1 : t->count[q - 1];

    return t->ptr[q].data ? sb_tensor_at(&t->ptr[q], t->ptr_type, p)
                          : p * (up ? t->count[q] / up : 0);
}

/* node[q]: the node of level q on the way to node p of `level`. */
static void
path_to(const sb_tensor *t, int level, int64_t p, int64_t *node)
{
    for (int q = level; q >= 0; q--) {
        int64_t lo = 0, hi = q == 0 ? 1 : t->count[q - 1];

        node[q] = p;
        while (hi - lo > 1) { /* last parent whose children start at p or before */
            const int64_t mid = lo + (hi - lo) / 2;

            if (first_child(t, q, mid) <= p)
                lo = mid;
            else
                hi = mid;
        }
        p = lo;
    }
}

/* The subtree of node p of `level`, with the path to it. */
static sb_status
make_bank(sb_tensor *b, const sb_tensor *t, int level, int64_t p)
{
    int64_t node[SB_FMT_LEVELS], lo = 0, hi = 1;

    *b = *t;
    b->nnz = 0;
    for (int q = 0; q < SB_FMT_LEVELS; q++)
        b->idx[q] = b->ptr[q] = (sb_tensor_array){0};
    b->val = (sb_tensor_array){0};
    path_to(t, level, p, node);
    for (int q = 0; q < t->fmt->nlevel; q++) {
        const int64_t up = q <= level ? 1 : hi - lo;
        const int64_t from = q <= level ? node[q] : first_child(t, q, lo);
        const int64_t to = q <= level ? node[q] + 1 : first_child(t, q, hi);

        if (t->ptr[q].data && q > level)
            SB_TRY(slice(&b->ptr[q], &t->ptr[q], t->ptr_type, lo, up + 1, from));
        if (t->ptr[q].data && q <= level) {
            static const int64_t one64[] = {0, 1};
            static const int32_t one32[] = {0, 1};
            const sb_tensor_array one = {
                t->ptr_type == SB_I64 ? (void *)one64 : (void *)one32, 1};

            SB_TRY(slice(&b->ptr[q], &one, t->ptr_type, 0, 2, 0));
        }
        if (t->idx[q].data)
            SB_TRY(slice(&b->idx[q], &t->idx[q], t->idx_type, from, to - from, 0));
        else if (q <= level) { /* a complete level: the index becomes its range */
            const int64_t before = q == 0 ? 0 : node[q - 1];

            b->lo[q] = t->lo[q] + node[q] - first_child(t, q, before);
            b->size[q] = 1;
        }
        b->count[q] = to - from;
        lo = from;
        hi = to;
    }
    return slice(&b->val, &t->val, t->val_type, lo, hi - lo, 0);
}

sb_status
sb_conv_partition(sb_conv *cx, const sb_conv_op *op)
{
    sb_tensor *t = cx->out, whole = *t;
    const int level = (int)op->arg[0];
    const int64_t n = t->count[level];
    sb_status st = SB_OK;

    if (n > BANKS)
        return sb_diag_set(cx->diag, SB_EINVAL, "partition into %lld banks",
                           (long long)n);
    t->bank = sb_alloc_zero((size_t)(n ? n : 1) * sizeof *t->bank);
    if (!t->bank)
        return SB_ENOMEM;
    for (int64_t p = 0; p < n && st == SB_OK; p++) {
        t->nbank++;
        st = make_bank(&t->bank[p], &whole, level, p);
        t->bank[p].nnz = st == SB_OK ? sb_tensor_count(&t->bank[p]) : 0;
    }
    whole.bank = NULL;
    whole.nbank = 0;
    sb_tensor_free(&whole);
    for (int q = 0; q < SB_FMT_LEVELS; q++)
        t->idx[q] = t->ptr[q] = (sb_tensor_array){0};
    t->val = (sb_tensor_array){0};
    return st;
}

/* ---- Pack ---------------------------------------------------------------------------
 */

typedef struct field {
    sb_tensor_array *array;
    size_t size, at;
} field;

/* The fields of a record with their offsets; returns its size, 0 if there is none. */
static size_t
record_of(sb_tensor *t, const sb_fmt_level *level, field *out, int *nfield)
{
    const sb_fmt *f = t->fmt;
    size_t bytes = 0, align = 1;
    int n = 0;

    for (int q = 0; q < f->nlevel; q++)
        if (level[q].record && t->idx[q].data)
            out[n++] = (field){&t->idx[q], sb_dtype_size(t->idx_type), 0};
    if (sb_fmt_packs_values(f))
        out[n++] = (field){&t->val, sb_dtype_size(t->val_type), 0};
    for (int k = 0; k < n; k++) {
        bytes = (bytes + out[k].size - 1) / out[k].size * out[k].size;
        out[k].at = bytes;
        bytes += out[k].size;
        align = out[k].size > align ? out[k].size : align;
    }
    *nfield = n;
    return (bytes + align - 1) / align * align;
}

static sb_status
pack_one(sb_tensor *t, const sb_fmt_level *level)
{
    field f[SB_FMT_LEVELS + 1];
    int nfield;
    const size_t record = record_of(t, level, f, &nfield);
    const int64_t n = t->count[t->fmt->pack_hi];
    char *block;

    if (nfield == 0)
        return SB_OK;
    /* Never empty: the arrays of an empty tensor point into it too. */
    if (!sb_bytes(n ? n : 1, record, &t->block_bytes))
        return SB_ENOMEM;
    block = sb_alloc_zero(t->block_bytes);
    if (!block) {
        t->block_bytes = 0;
        return SB_ENOMEM;
    }
    for (int k = 0; k < nfield; k++) {
        const char *from = f[k].array->data;

        for (int64_t p = 0; p < n; p++)
            memcpy(block + (size_t)p * record + f[k].at, from + (size_t)p * f[k].size,
                   f[k].size);
        sb_free(f[k].array->data);
        f[k].array->data = block + f[k].at;
        f[k].array->stride = (int64_t)(record / f[k].size);
    }
    t->block = block;
    return SB_OK;
}

sb_status
sb_conv_pack(sb_conv *cx, const sb_conv_op *op)
{
    sb_tensor *t = cx->out;

    (void)op;
    if (t->fmt->partition < 0)
        return pack_one(t, cx->level);
    for (int k = 0; k < t->nbank; k++)
        SB_TRY(pack_one(&t->bank[k], cx->level));
    return SB_OK;
}
