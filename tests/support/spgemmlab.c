/*
 * The calls in their order, with buffers of exactly the size that was answered.
 */
#include "spgemmlab.h"

#include "call.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define N SPBLAS_OPERATION_NON_TRANSPOSE
#define ALG SPBLAS_SPGEMM_DEFAULT

void
spgemm_ok(spblasStatus_t st)
{
    if (st != SPBLAS_STATUS_SUCCESS)
        fail_msg("%s", spblasGetLastErrorMessage(NULL));
}

void *
spgemm_plain(const void *p)
{
    return (void *)(uintptr_t)p;
}

spblasSpMatDescr_t
spgemm_describe(const sb_matrix *a)
{
    spblasSpMatDescr_t d;

    spgemm_ok(spblasCreateCsr(
        &d, a->rows, a->cols, a->nnz, spgemm_plain(a->ptr), spgemm_plain(a->idx),
        a->val, call_index_type(a->ptr_type), call_index_type(a->idx_type),
        (spblasIndexBase_t)a->base, call_type(a->val_type)));
    return d;
}

sb_dtype
spgemm_sum_type(sb_dtype t)
{
    return sb_dtype_sum(t);
}

void
spgemm_set_scalars(spgemm_lab *l, sb_value alpha, sb_value beta)
{
    l->alpha_value = alpha;
    l->beta_value = beta;
    sb_value_store(spgemm_sum_type(l->a.val_type), l->alpha, 0, alpha);
    sb_value_store(spgemm_sum_type(l->a.val_type), l->beta, 0, beta);
}

spgemm_lab
spgemm_begin(const gen_spec *a, const gen_spec *b, sb_dtype ptr, sb_dtype idx, int base)
{
    spgemm_lab l = {.a = gen_matrix(a), .b = gen_matrix(b)};

    l.c = (sb_matrix){.rows = l.a.rows,
                      .cols = l.b.cols,
                      .ptr_type = ptr,
                      .idx_type = idx,
                      .val_type = l.a.val_type,
                      .base = base};
    l.compute = call_type(spgemm_sum_type(l.a.val_type));
    spgemm_ok(spblasCreate(&l.handle));
    l.A = spgemm_describe(&l.a);
    l.B = spgemm_describe(&l.b);
    l.C = spgemm_describe(&l.c);
    spgemm_ok(spblasSpGEMM_createDescr(&l.d));
    spgemm_set_scalars(&l, (sb_value){2, 0}, (sb_value){0, 0});
    return l;
}

static void *
take(const spgemm_lab *l, size_t bytes)
{
    void *p = l->take ? l->take(bytes) : malloc(bytes);

    assert_non_null(p);
    return p;
}

static void
give(const spgemm_lab *l, void *p)
{
    if (l->give && p)
        l->give(p);
    else if (p)
        free(p);
}

void
spgemm_drop(spgemm_lab *l, int buffer)
{
    if (l->buffer[buffer])
        memset(l->buffer[buffer], 0x7f, l->size[buffer]);
    give(l, l->buffer[buffer]);
    l->buffer[buffer] = NULL;
}

void
spgemm_end(spgemm_lab *l)
{
    for (int k = 0; k < 6; k++)
        spgemm_drop(l, k);
    spgemm_ok(spblasSpGEMM_destroyDescr(l->d));
    spgemm_ok(spblasDestroySpMat(l->A));
    spgemm_ok(spblasDestroySpMat(l->B));
    spgemm_ok(spblasDestroySpMat(l->C));
    spgemm_ok(spblasDestroy(l->handle));
    gen_free_matrix(&l->a);
    gen_free_matrix(&l->b);
    give(l, spgemm_plain(l->c.ptr));
    give(l, spgemm_plain(l->c.idx));
    give(l, l->c.val);
}

/* Memory of exactly the size that was answered, one byte off every line. */
void
spgemm_lend(spgemm_lab *l, int buffer)
{
    assert_true(l->size[buffer] > 0);
    l->buffer[buffer] = take(l, l->size[buffer]);
    memset(l->buffer[buffer], 0x5a, l->size[buffer]);
}

/* C's arrays, made as large as its descriptor says and full of rubbish. */
void
spgemm_make_c(spgemm_lab *l)
{
    int64_t rows, cols;
    const sb_matrix *c = &l->c;
    size_t ptr, idx, val;

    spgemm_ok(spblasSpMatGetSize(l->C, &rows, &cols, &l->c.nnz));
    ptr = (size_t)(c->rows + 1) * sb_dtype_size(c->ptr_type);
    idx = (size_t)c->nnz * sb_dtype_size(c->idx_type);
    val = (size_t)c->nnz * sb_dtype_size(c->val_type);
    l->c.ptr = take(l, ptr);
    l->c.idx = take(l, idx + 1);
    l->c.val = take(l, val + 1);
    memset(spgemm_plain(c->ptr), 0xff, ptr);
    memset(spgemm_plain(c->idx), 0xff, idx);
    memset(c->val, 0xff, val);
    spgemm_ok(
        spblasCsrSetPointers(l->C, spgemm_plain(c->ptr), spgemm_plain(c->idx), c->val));
}

spblasStatus_t
spgemm_estimate(spgemm_lab *l, void *buffer)
{
    return spblasSpGEMM_workEstimation(l->handle, N, N, l->alpha, l->A, l->B, l->beta,
                                       l->C, l->compute, ALG, l->d, &l->size[1],
                                       buffer);
}

spblasStatus_t
spgemm_compute(spgemm_lab *l, void *buffer)
{
    return spblasSpGEMM_compute(l->handle, N, N, l->alpha, l->A, l->B, l->beta, l->C,
                                l->compute, ALG, l->d, &l->size[2], buffer);
}

spblasStatus_t
spgemm_copy(spgemm_lab *l)
{
    return spblasSpGEMM_copy(l->handle, N, N, l->alpha, l->A, l->B, l->beta, l->C,
                             l->compute, ALG, l->d);
}

void
spgemm_multiply(spgemm_lab *l)
{
    spgemm_ok(spgemm_estimate(l, NULL));
    spgemm_lend(l, 1);
    spgemm_ok(spgemm_estimate(l, l->buffer[1]));
    spgemm_ok(spgemm_compute(l, NULL));
    spgemm_lend(l, 2);
    spgemm_ok(spgemm_compute(l, l->buffer[2]));
    spgemm_make_c(l);
    spgemm_ok(spgemm_copy(l));
}

static spblasStatus_t
reuse_estimate(spgemm_lab *l, void *buffer)
{
    return spblasSpGEMMreuse_workEstimation(l->handle, N, N, l->A, l->B, l->C, ALG,
                                            l->d, &l->size[1], buffer);
}

spblasStatus_t
spgemm_reuse_nnz(spgemm_lab *l)
{
    return spblasSpGEMMreuse_nnz(l->handle, N, N, l->A, l->B, l->C, ALG, l->d,
                                 &l->size[2], l->buffer[2], &l->size[3], l->buffer[3],
                                 &l->size[4], l->buffer[4]);
}

static spblasStatus_t
reuse_copy(spgemm_lab *l)
{
    return spblasSpGEMMreuse_copy(l->handle, N, N, l->A, l->B, l->C, ALG, l->d,
                                  &l->size[5], l->buffer[5]);
}

spblasStatus_t
spgemm_reuse_compute(spgemm_lab *l)
{
    return spblasSpGEMMreuse_compute(l->handle, N, N, l->alpha, l->A, l->B, l->beta,
                                     l->C, l->compute, ALG, l->d);
}

void
spgemm_prepare_reuse(spgemm_lab *l)
{
    spgemm_ok(reuse_estimate(l, NULL));
    spgemm_lend(l, 1);
    spgemm_ok(reuse_estimate(l, l->buffer[1]));
    spgemm_ok(spgemm_reuse_nnz(l));
    for (int k = 2; k <= 4; k++)
        spgemm_lend(l, k);
    spgemm_ok(spgemm_reuse_nnz(l));
    spgemm_drop(l, 1);
    spgemm_drop(l, 2);
    spgemm_make_c(l);
    spgemm_ok(reuse_copy(l));
    spgemm_lend(l, 5);
    spgemm_ok(reuse_copy(l));
    spgemm_drop(l, 3);
}
