/*
 * See turn.h. The buffer holds the ranges' sums, offsets, indices, values, and the scratch
 * of the sorts, each from a line of 64 bytes on.
 */
#include "api/turn.h"

#include "base/checked.h"
#include "native/native.h"
#include "planner/even.h"

enum { LINE = 64 };

static bool
turns(const sb_problem *pb)
{
    const sb_matrix *a = &pb->a;
    const bool t = pb->trans_a != SB_TRANS_N;

    return pb->op != SB_OP_SDDMM && a->format == (t ? SB_FORMAT_CSR : SB_FORMAT_CSC) &&
           a->batch <= 1 && a->ptr_type == SB_I32 && a->idx_type == SB_I32 &&
           a->rows < INT32_MAX && a->cols < INT32_MAX && a->nnz < INT32_MAX;
}

/* The same matrix by columns, or by rows; arrays are still to come. */
static sb_problem
turned(const sb_problem *pb)
{
    sb_problem out = *pb;

    out.a.format = pb->a.format == SB_FORMAT_CSR ? SB_FORMAT_CSC : SB_FORMAT_CSR;
    out.a.ptr = out.a.idx = NULL;
    out.a.val = NULL;
    return out;
}

/* Where each part begins, and where the last ends. */
typedef struct layout {
    size_t ptr, idx, val, scratch, end;
} layout;

static size_t
lines(size_t bytes)
{
    return (bytes + LINE - 1) & ~(size_t)(LINE - 1);
}

static layout
layout_of(const sb_problem *pb)
{
    const sb_problem to = turned(pb);
    const int64_t n = to.a.format == SB_FORMAT_CSC ? to.a.cols : to.a.rows;
    const size_t nnz = (size_t)pb->a.nnz;
    layout l;

    l.ptr = lines(sb_even_bytes(&to));
    l.idx = l.ptr + lines(((size_t)n + 1) * sizeof(int32_t));
    l.val = l.idx + lines(nnz * sizeof(int32_t));
    l.scratch = l.val + lines(nnz * sb_dtype_size(pb->a.val_type));
    l.end = l.scratch + sb_native_order_scratch(pb->a.nnz);
    return l;
}

size_t
sb_turn_bytes(const sb_problem *pb)
{
    return turns(pb) ? layout_of(pb).end + LINE : 0;
}

static sb_flip
flip_of(const sb_problem *pb, const layout *l, char *at)
{
    const sb_matrix *a = &pb->a;
    const bool rows = a->format == SB_FORMAT_CSR;

    return (sb_flip){.m = rows ? a->rows : a->cols,
                     .n = rows ? a->cols : a->rows,
                     .nnz = a->nnz,
                     .base = a->base,
                     .size = sb_dtype_size(a->val_type),
                     .ptr = a->ptr,
                     .idx = a->idx,
                     .val = a->val,
                     .to_ptr = (int32_t *)(void *)(at + l->ptr),
                     .to_idx = (int32_t *)(void *)(at + l->idx),
                     .to_val = at + l->val,
                     .scratch = at + l->scratch};
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
    const layout l = layout_of(pb);
    const sb_flip f = flip_of(pb, &l, anywhere);
    const sb_problem to = turned(pb);

    if (!turns(pb) || sb_jit_mode() == SB_JIT_BACKGROUND)
        return;
    (void)sb_native_flip(&n, &f);
    sb_even_prepare(&to);
}

sb_status
sb_turn_put(sb_problem *out, const sb_problem *pb, sb_diag *diag)
{
    const sb_native n = {pb->device, pb->stream, diag, false};
    const layout l = layout_of(pb);
    sb_flip f;
    sb_status st;

    if (!turns(pb) || !pb->scratch)
        return SB_SKIP;
    *out = turned(pb);
    out->scratch = begin_of(pb);
    f = flip_of(pb, &l, out->scratch);
    out->a.ptr = f.to_ptr;
    out->a.idx = f.to_idx;
    out->a.val = f.to_val;
    st = sb_native_flip(&n, &f);
    return st == SB_ENOTSUP ? SB_SKIP : st;
}
