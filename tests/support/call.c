/*
 * Problems through the front door.
 */
#include "call.h"

#include "oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

spblasDataType_t
call_type(sb_dtype t)
{
    static const spblasDataType_t codes[SB_DTYPE_COUNT] = {
        [SB_I8] = SPBLAS_R_8I,     [SB_I32] = SPBLAS_R_32I,    [SB_F16] = SPBLAS_R_16F,
        [SB_BF16] = SPBLAS_R_16BF, [SB_F32] = SPBLAS_R_32F,    [SB_F64] = SPBLAS_R_64F,
        [SB_C16] = SPBLAS_C_16F,   [SB_CBF16] = SPBLAS_C_16BF, [SB_C32] = SPBLAS_C_32F,
        [SB_C64] = SPBLAS_C_64F};

    return codes[t];
}

spblasIndexType_t
call_index_type(sb_dtype t)
{
    return t == SB_I64 ? SPBLAS_INDEX_64I : SPBLAS_INDEX_32I;
}

static void *
plain(const void *p)
{
    return (void *)(uintptr_t)p;
}

static int64_t
count_entries(const sb_matrix *a)
{
    int64_t n = 0;

    for (int64_t p = 0; p < a->nnz; p++)
        n += sb_index(a->idx, a->idx_type, p) >= 0;
    return n;
}

spblasStatus_t
call_sparse(spblasSpMatDescr_t *out, const sb_matrix *a)
{
    const spblasIndexType_t pt = call_index_type(a->ptr_type);
    const spblasIndexType_t it = call_index_type(a->idx_type);
    const spblasIndexBase_t base = (spblasIndexBase_t)a->base;
    const spblasDataType_t t = call_type(a->val_type);

    switch (a->format) {
    case SB_FORMAT_CSR:
        return spblasCreateCsr(out, a->rows, a->cols, a->nnz, plain(a->ptr),
                               plain(a->idx), a->val, pt, it, base, t);
    case SB_FORMAT_CSC:
        return spblasCreateCsc(out, a->rows, a->cols, a->nnz, plain(a->ptr),
                               plain(a->idx), a->val, pt, it, base, t);
    case SB_FORMAT_COO:
        return spblasCreateCoo(out, a->rows, a->cols, a->nnz, plain(a->row),
                               plain(a->idx), a->val, it, base, t);
    case SB_FORMAT_BELL:
        return spblasCreateBlockedEll(out, a->rows, a->cols, a->block,
                                      a->width * a->block, plain(a->idx), a->val, it,
                                      base, t);
    case SB_FORMAT_SELL:
        return spblasCreateSlicedEll(out, a->rows, a->cols, count_entries(a), a->nnz,
                                     a->width, plain(a->ptr), plain(a->idx), a->val, pt,
                                     it, base, t);
    case SB_FORMAT_TENSOR:
        return SPBLAS_STATUS_NOT_SUPPORTED; /* made by spblasConvert alone */
    case SB_FORMAT_BSR:
        break;
    }
    return spblasCreateBsr(out, a->rows / a->block, a->cols / a->block, a->nnz,
                           a->block, a->block, plain(a->ptr), plain(a->idx), a->val, pt,
                           it, base, t,
                           a->block_col_major ? SPBLAS_ORDER_COL : SPBLAS_ORDER_ROW);
}

static spblasStatus_t
set_batch(spblasSpMatDescr_t d, const sb_matrix *a)
{
    const int n = (int)a->batch;

    if (n == 1)
        return SPBLAS_STATUS_SUCCESS;
    if (a->format == SB_FORMAT_BSR)
        return spblasBsrSetStridedBatch(d, n, a->ptr_stride, a->idx_stride,
                                        a->val_stride);
    if (a->format == SB_FORMAT_COO)
        return spblasCooSetStridedBatch(d, n, a->val_stride);
    return spblasCsrSetStridedBatch(d, n, a->ptr_stride, a->val_stride);
}

static spblasStatus_t
make_matrix(spblasDnMatDescr_t *out, const sb_dense *d)
{
    spblasStatus_t st =
        spblasCreateDnMat(out, d->rows, d->cols, d->ld, d->data, call_type(d->type),
                          d->col_major ? SPBLAS_ORDER_COL : SPBLAS_ORDER_ROW);

    if (st == SPBLAS_STATUS_SUCCESS && d->batch > 1)
        st = spblasDnMatSetStridedBatch(*out, (int)d->batch, d->stride);
    return st;
}

static spblasStatus_t
make_dense(call *c)
{
    const sb_problem *pb = c->pb;
    spblasStatus_t st;

    if (pb->op == SB_OP_SPMV) {
        st = spblasCreateDnVec(&c->x, pb->b.rows, pb->b.data, call_type(pb->b.type));
        return st != SPBLAS_STATUS_SUCCESS
                   ? st
                   : spblasCreateDnVec(&c->y, pb->c.rows, pb->c.data,
                                       call_type(pb->c.type));
    }
    st = make_matrix(&c->b, &pb->b);
    return st != SPBLAS_STATUS_SUCCESS ? st : make_matrix(&c->c, &pb->c);
}

spblasStatus_t
call_begin(call *c, const sb_problem *pb)
{
    spblasStatus_t st;

    memset(c, 0, sizeof *c);
    c->pb = pb;
    if ((st = spblasCreate(&c->handle)) != SPBLAS_STATUS_SUCCESS ||
        (st = call_sparse(&c->a, &pb->a)) != SPBLAS_STATUS_SUCCESS ||
        (st = set_batch(c->a, &pb->a)) != SPBLAS_STATUS_SUCCESS)
        return st;
    return make_dense(c);
}

void
call_end(call *c)
{
    (void)spblasDestroySpMat(c->a);
    (void)spblasDestroyDnMat(c->b);
    (void)spblasDestroyDnMat(c->c);
    (void)spblasDestroyDnVec(c->x);
    (void)spblasDestroyDnVec(c->y);
    (void)spblasDestroy(c->handle);
}

typedef enum want { SIZE, PLAN, RESULT } want;

static spblasStatus_t
spmv(call *c, want w, size_t *bytes)
{
    const sb_problem *pb = c->pb;
    const spblasOperation_t op = (spblasOperation_t)pb->trans_a;
    const spblasDataType_t t = call_type(pb->compute);
    const spblasSpMVAlg_t alg = SPBLAS_SPMV_ALG_DEFAULT;

    return w == SIZE   ? spblasSpMV_bufferSize(c->handle, op, c->alpha, c->a, c->x,
                                               c->beta, c->y, t, alg, bytes)
           : w == PLAN ? spblasSpMV_analysis(c->handle, op, c->alpha, c->a, c->x,
                                             c->beta, c->y, t, alg, NULL)
                       : spblasSpMV(c->handle, op, c->alpha, c->a, c->x, c->beta, c->y,
                                    t, alg, c->buffer);
}

static spblasStatus_t
spmm(call *c, want w, size_t *bytes)
{
    const sb_problem *pb = c->pb;
    const spblasOperation_t op = (spblasOperation_t)pb->trans_a;
    const spblasOperation_t ob = (spblasOperation_t)pb->trans_b;
    const spblasDataType_t t = call_type(pb->compute);
    const spblasSpMMAlg_t alg = SPBLAS_SPMM_ALG_DEFAULT;

    return w == SIZE   ? spblasSpMM_bufferSize(c->handle, op, ob, c->alpha, c->a, c->b,
                                               c->beta, c->c, t, alg, bytes)
           : w == PLAN ? spblasSpMM_analysis(c->handle, op, ob, c->alpha, c->a, c->b,
                                             c->beta, c->c, t, alg, NULL)
                       : spblasSpMM(c->handle, op, ob, c->alpha, c->a, c->b, c->beta,
                                    c->c, t, alg, c->buffer);
}

static spblasStatus_t
sddmm(call *c, want w, size_t *bytes)
{
    const sb_problem *pb = c->pb;
    const spblasOperation_t op = (spblasOperation_t)pb->trans_a;
    const spblasOperation_t ob = (spblasOperation_t)pb->trans_b;
    const spblasDataType_t t = call_type(pb->compute);
    const spblasSDDMMAlg_t alg = SPBLAS_SDDMM_ALG_DEFAULT;

    return w == SIZE   ? spblasSDDMM_bufferSize(c->handle, op, ob, c->alpha, c->b, c->c,
                                                c->beta, c->a, t, alg, bytes)
           : w == PLAN ? spblasSDDMM_analysis(c->handle, op, ob, c->alpha, c->b, c->c,
                                              c->beta, c->a, t, alg, NULL)
                       : spblasSDDMM(c->handle, op, ob, c->alpha, c->b, c->c, c->beta,
                                     c->a, t, alg, c->buffer);
}

static spblasStatus_t
dispatch(call *c, want w, size_t *bytes)
{
    sb_value_store(c->pb->compute, c->alpha, 0, c->pb->alpha);
    sb_value_store(c->pb->compute, c->beta, 0, c->pb->beta);
    return c->pb->op == SB_OP_SPMV   ? spmv(c, w, bytes)
           : c->pb->op == SB_OP_SPMM ? spmm(c, w, bytes)
                                     : sddmm(c, w, bytes);
}

spblasStatus_t
call_size(call *c, size_t *bytes)
{
    return dispatch(c, SIZE, bytes);
}

spblasStatus_t
call_analyse(call *c)
{
    return dispatch(c, PLAN, NULL);
}

spblasStatus_t
call_run(call *c)
{
    return dispatch(c, RESULT, NULL);
}

void
call_wants_no_buffer(size_t bytes)
{
    const char *backend = getenv("SPBLAS_BACKEND");

    if (!backend || strcmp(backend, "emu") != 0)
        assert_int_equal(bytes, 0);
}

void
call_check(call *c, const char *when)
{
    oracle o = oracle_make(c->pb);
    char message[400];

    if (call_run(c) != SPBLAS_STATUS_SUCCESS)
        fail_msg("%s: %s", when, spblasGetLastErrorMessage(NULL));
    if (!oracle_check(&o, c->pb, true, message, sizeof message))
        fail_msg("%s, op %d, format %d, op(A) %d: %s", when, c->pb->op, c->pb->a.format,
                 c->pb->trans_a, message);
    oracle_free(&o);
}

bool
call_uses(call *c, size_t bytes, const char *when)
{
    char *buffer = malloc(bytes + 65);
    bool used = false;

    memset(buffer, 0xff, bytes + 65);
    c->buffer = buffer + 1;
    call_check(c, when);
    c->buffer = NULL;
    assert_int_equal(buffer[0], (char)0xff);
    for (size_t q = 1; q <= bytes; q++)
        used |= buffer[q] != (char)0xff;
    for (size_t q = bytes + 1; q < bytes + 65; q++)
        assert_int_equal(buffer[q], (char)0xff);
    free(buffer);
    return used;
}
