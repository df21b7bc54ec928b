/*
 * See turn.h. The buffer holds the ranges' sums, offsets, indices, values, indices that were
 * wide, and the scratch of the sorts, as far as they are wanted, each from a line of 64 bytes
 * on.
 */
#include "api/turn.h"

#include "base/checked.h"
#include "native/native.h"
#include "planner/even.h"

enum { LINE = 64 };

/* Rows of op(A) are what the entries are sorted by: its rows' indices are `idx` of a CSR or
 * CSC, else one of the two of a list; the others are what goes along. */
static bool
turns(const sb_problem *pb)
{
    const sb_matrix *a = &pb->a;
    const bool t = pb->trans_a != SB_TRANS_N;

    return pb->op != SB_OP_SDDMM && a->rows < INT32_MAX && a->cols < INT32_MAX &&
           a->nnz < INT32_MAX &&
           (a->format == SB_FORMAT_COO ||
            a->format == (t ? SB_FORMAT_CSR : SB_FORMAT_CSC));
}

/* A list whose rows are in order as they are: it wants offsets, nothing else. */
static bool
stays(const sb_problem *pb)
{
    return pb->a.format == SB_FORMAT_COO && pb->trans_a == SB_TRANS_N &&
           pb->a.rows_ascend;
}

/* The same matrix by rows of op(A); arrays that do not stay are still to come. */
static sb_problem
turned(const sb_problem *pb)
{
    sb_problem out = *pb;

    out.a.format = pb->trans_a != SB_TRANS_N ? SB_FORMAT_CSC : SB_FORMAT_CSR;
    out.a.ptr_type = SB_I32;
    if (!stays(pb))
        out.a.idx_type = SB_I32;
    return out;
}

/* An array of indices, or of offsets, of the caller's. */
typedef struct indices {
    const void *at;
    int64_t count;
    bool wide;
} indices;

static indices
keys_of(const sb_problem *pb)
{
    const sb_matrix *a = &pb->a;
    const bool by_row = a->format == SB_FORMAT_COO && pb->trans_a == SB_TRANS_N;

    return (indices){by_row ? a->row : a->idx, a->nnz, a->idx_type == SB_I64};
}

static indices
others_of(const sb_problem *pb)
{
    const sb_matrix *a = &pb->a;

    if (a->format == SB_FORMAT_COO)
        return (indices){pb->trans_a == SB_TRANS_N ? a->idx : a->row, a->nnz,
                         a->idx_type == SB_I64};
    return (indices){a->ptr, (a->format == SB_FORMAT_CSR ? a->rows : a->cols) + 1,
                     a->ptr_type == SB_I64};
}

/* Where each part begins, and where the last ends. */
typedef struct layout {
    size_t ptr, idx, val, key, other, scratch, end;
} layout;

static size_t
lines(size_t bytes)
{
    return (bytes + LINE - 1) & ~(size_t)(LINE - 1);
}

static size_t
narrowed(indices i)
{
    return i.wide ? lines((size_t)i.count * sizeof(int32_t)) : 0;
}

static layout
layout_of(const sb_problem *pb)
{
    const sb_problem to = turned(pb);
    const size_t nnz = stays(pb) ? 0 : (size_t)pb->a.nnz;
    int64_t m, n, k;
    layout l;

    sb_problem_shape(pb, &m, &n, &k);
    l.ptr = lines(sb_even_bytes(&to));
    l.idx = l.ptr + lines(((size_t)m + 1) * sizeof(int32_t));
    l.val = l.idx + lines(nnz * sizeof(int32_t));
    l.key = l.val + lines(nnz * sb_dtype_size(pb->a.val_type));
    l.other = l.key + narrowed(keys_of(pb));
    l.scratch = l.other + (stays(pb) ? 0 : narrowed(others_of(pb)));
    l.end = l.scratch + (stays(pb) ? 0 : sb_native_order_scratch(pb->a.nnz));
    return l;
}

size_t
sb_turn_bytes(const sb_problem *pb)
{
    return turns(pb) ? layout_of(pb).end + LINE : 0;
}

/* The array with 32 bits: itself, or a copy at `to`. */
static sb_status
narrow(const int32_t **out, const sb_native *on, indices i, char *to)
{
    *out = i.wide ? (int32_t *)(void *)to : i.at;
    return i.wide ? sb_native_narrow(on, (int32_t *)(void *)to, i.at, i.count) : SB_OK;
}

/* Puts the matrix by rows of op(A) behind `at`, and where it lies into `to`. */
static sb_status
put(sb_matrix *to, const sb_native *on, const sb_problem *pb, char *at)
{
    const layout l = layout_of(pb);
    sb_flip f = {.nnz = pb->a.nnz,
                 .base = pb->a.base,
                 .size = sb_dtype_size(pb->a.val_type),
                 .val = pb->a.val,
                 .to_ptr = (int32_t *)(void *)(at + l.ptr),
                 .to_idx = (int32_t *)(void *)(at + l.idx),
                 .to_val = at + l.val,
                 .scratch = at + l.scratch};
    int64_t columns;

    sb_problem_shape(pb, &f.n, &columns, &f.m);
    SB_TRY(narrow(&f.idx, on, keys_of(pb), at + l.key));
    to->ptr = f.to_ptr;
    if (stays(pb))
        return sb_native_offsets(on, f.to_ptr, f.idx, f.nnz, f.n, f.base);
    SB_TRY(narrow(pb->a.format == SB_FORMAT_COO ? &f.row : &f.ptr, on, others_of(pb),
                  at + l.other));
    to->idx = f.to_idx;
    to->val = f.to_val;
    return sb_native_flip(on, &f);
}

static char *
begin_of(const sb_problem *pb)
{
    char *at = pb->scratch;

    return at + (LINE - (uintptr_t)at % LINE) % LINE;
}

void
sb_turn_prepare(const sb_problem *pb)
{
    static char anywhere[1]; /* nothing is written: no work is put on the stream */
    const sb_native n = {pb->device, pb->stream, NULL, true};
    sb_problem to = turned(pb);

    if (!turns(pb) || sb_jit_mode() == SB_JIT_BACKGROUND)
        return;
    (void)put(&to.a, &n, pb, anywhere);
    sb_even_prepare(&to);
}

sb_status
sb_turn_put(sb_problem *out, const sb_problem *pb, sb_diag *diag)
{
    const sb_native n = {pb->device, pb->stream, diag, false};
    sb_status st;

    if (!turns(pb) || !pb->scratch)
        return SB_SKIP;
    *out = turned(pb);
    out->scratch = begin_of(pb);
    st = put(&out->a, &n, pb, out->scratch);
    return st == SB_ENOTSUP ? SB_SKIP : st;
}
