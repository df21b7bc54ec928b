/*
 * See denselab.h.
 */
#include "denselab.h"

spblasStatus_t
pair_begin(pair *p, const sb_matrix *a, const sb_dense *d)
{
    p->pb = (sb_problem){.op = SB_OP_SPMM, .a = *a, .b = *d, .c = *d, .batch = 1};
    return call_begin(&p->c, &p->pb);
}

spblasStatus_t
pair_point(const pair *p, const sb_matrix *a)
{
    void *const ptr = (void *)(uintptr_t)a->ptr, *const idx = (void *)(uintptr_t)a->idx;

    return a->format == SB_FORMAT_CSR ? spblasCsrSetPointers(p->c.a, ptr, idx, a->val)
           : a->format == SB_FORMAT_CSC
               ? spblasCscSetPointers(p->c.a, ptr, idx, a->val)
               : spblasCooSetPointers(p->c.a, (void *)(uintptr_t)a->row, idx, a->val);
}

void *
dense_element(const sb_dense *d, int64_t i, int64_t j)
{
    const int64_t at = d->col_major ? i + j * d->ld : i * d->ld + j;

    return (char *)d->data + at * (int64_t)sb_dtype_size(d->type);
}

void
dense_add(const sb_dense *d, int64_t i, int64_t j, const sb_matrix *a, int64_t slot)
{
    void *to = dense_element(d, i, j);
    const sb_value old = sb_value_load(d->type, to, 0);
    const sb_value e = sb_value_load(a->val_type, a->val, slot);

    sb_value_store(d->type, to, 0, (sb_value){old.re + e.re, old.im + e.im});
}
