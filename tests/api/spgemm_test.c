/*
 * Products of sparse matrices through the front door: every type, index width, base and
 * family against the oracle of SpMM (B and C spread out as dense matrices), the pattern
 * against the definition, with and without reuse; buffers are overwritten where the
 * interface says that they are free.
 */
#include "base/alloc.h"
#include "call.h"
#include "gen.h"
#include "oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#define N SPBLAS_OPERATION_NON_TRANSPOSE
#define ALG SPBLAS_SPGEMM_DEFAULT

/* A product under test: operands, descriptors, C's arrays, lent memory. */
typedef struct lab {
    sb_matrix a, b, c;
    spblasHandle_t handle;
    spblasSpMatDescr_t A, B, C;
    spblasSpGEMMDescr_t d;
    spblasDataType_t compute;
    double alpha[2], beta[2]; /* of the compute type */
    sb_value alpha_value, beta_value;
    void *buffer[6];
    size_t size[6];
} lab;

static void
ok(spblasStatus_t st)
{
    if (st != SPBLAS_STATUS_SUCCESS)
        fail_msg("%s", spblasGetLastErrorMessage(NULL));
}

static void *
plain(const void *p)
{
    return (void *)(uintptr_t)p;
}

static spblasSpMatDescr_t
describe(const sb_matrix *a)
{
    spblasSpMatDescr_t d;

    ok(spblasCreateCsr(&d, a->rows, a->cols, a->nnz, plain(a->ptr), plain(a->idx),
                       a->val, call_index_type(a->ptr_type),
                       call_index_type(a->idx_type), (spblasIndexBase_t)a->base,
                       call_type(a->val_type)));
    return d;
}

static sb_dtype
sum_type(sb_dtype t)
{
    return t == SB_F16 || t == SB_BF16 ? SB_F32 : t;
}

static void
set_scalars(lab *l, sb_value alpha, sb_value beta)
{
    l->alpha_value = alpha;
    l->beta_value = beta;
    sb_value_store(sum_type(l->a.val_type), l->alpha, 0, alpha);
    sb_value_store(sum_type(l->a.val_type), l->beta, 0, beta);
}

static lab
begin(const gen_spec *a, const gen_spec *b, sb_dtype ptr, sb_dtype idx, int base)
{
    lab l = {.a = gen_matrix(a), .b = gen_matrix(b)};

    l.c = (sb_matrix){.rows = l.a.rows,
                      .cols = l.b.cols,
                      .ptr_type = ptr,
                      .idx_type = idx,
                      .val_type = l.a.val_type,
                      .base = base};
    l.compute = call_type(sum_type(l.a.val_type));
    ok(spblasCreate(&l.handle));
    l.A = describe(&l.a);
    l.B = describe(&l.b);
    l.C = describe(&l.c);
    ok(spblasSpGEMM_createDescr(&l.d));
    set_scalars(&l, (sb_value){2, 0}, (sb_value){0, 0});
    return l;
}

static void
drop(lab *l, int buffer)
{
    if (l->buffer[buffer])
        memset(l->buffer[buffer], 0x7f, l->size[buffer]);
    free(l->buffer[buffer]);
    l->buffer[buffer] = NULL;
}

static void
end(lab *l)
{
    for (int k = 0; k < 6; k++)
        drop(l, k);
    ok(spblasSpGEMM_destroyDescr(l->d));
    ok(spblasDestroySpMat(l->A));
    ok(spblasDestroySpMat(l->B));
    ok(spblasDestroySpMat(l->C));
    ok(spblasDestroy(l->handle));
    gen_free_matrix(&l->a);
    gen_free_matrix(&l->b);
    gen_free_matrix(&l->c);
}

/* Memory of exactly the size that was answered, one byte off every line. */
static void
lend(lab *l, int buffer)
{
    assert_true(l->size[buffer] > 0);
    l->buffer[buffer] = malloc(l->size[buffer]);
    assert_non_null(l->buffer[buffer]);
    memset(l->buffer[buffer], 0x5a, l->size[buffer]);
}

/* C's arrays, made as large as its descriptor says and full of rubbish. */
static void
make_c(lab *l)
{
    int64_t rows, cols;
    const sb_matrix *c = &l->c;
    size_t ptr, idx, val;

    ok(spblasSpMatGetSize(l->C, &rows, &cols, &l->c.nnz));
    ptr = (size_t)(c->rows + 1) * sb_dtype_size(c->ptr_type);
    idx = (size_t)c->nnz * sb_dtype_size(c->idx_type);
    val = (size_t)c->nnz * sb_dtype_size(c->val_type);
    l->c.ptr = malloc(ptr);
    l->c.idx = malloc(idx + 1);
    l->c.val = malloc(val + 1);
    memset(plain(c->ptr), 0xff, ptr);
    memset(plain(c->idx), 0xff, idx);
    memset(c->val, 0xff, val);
    ok(spblasCsrSetPointers(l->C, plain(c->ptr), plain(c->idx), c->val));
}

static spblasStatus_t
estimate(lab *l, void *buffer)
{
    return spblasSpGEMM_workEstimation(l->handle, N, N, l->alpha, l->A, l->B, l->beta,
                                       l->C, l->compute, ALG, l->d, &l->size[1],
                                       buffer);
}

static spblasStatus_t
compute(lab *l, void *buffer)
{
    return spblasSpGEMM_compute(l->handle, N, N, l->alpha, l->A, l->B, l->beta, l->C,
                                l->compute, ALG, l->d, &l->size[2], buffer);
}

static spblasStatus_t
copy(lab *l)
{
    return spblasSpGEMM_copy(l->handle, N, N, l->alpha, l->A, l->B, l->beta, l->C,
                             l->compute, ALG, l->d);
}

static void
multiply(lab *l)
{
    ok(estimate(l, NULL));
    lend(l, 1);
    ok(estimate(l, l->buffer[1]));
    ok(compute(l, NULL));
    lend(l, 2);
    ok(compute(l, l->buffer[2]));
    make_c(l);
    ok(copy(l));
}

static spblasStatus_t
reuse_estimate(lab *l, void *buffer)
{
    return spblasSpGEMMreuse_workEstimation(l->handle, N, N, l->A, l->B, l->C, ALG,
                                            l->d, &l->size[1], buffer);
}

static spblasStatus_t
reuse_nnz(lab *l)
{
    return spblasSpGEMMreuse_nnz(l->handle, N, N, l->A, l->B, l->C, ALG, l->d,
                                 &l->size[2], l->buffer[2], &l->size[3], l->buffer[3],
                                 &l->size[4], l->buffer[4]);
}

static spblasStatus_t
reuse_copy(lab *l)
{
    return spblasSpGEMMreuse_copy(l->handle, N, N, l->A, l->B, l->C, ALG, l->d,
                                  &l->size[5], l->buffer[5]);
}

static spblasStatus_t
reuse_compute(lab *l)
{
    return spblasSpGEMMreuse_compute(l->handle, N, N, l->alpha, l->A, l->B, l->beta,
                                     l->C, l->compute, ALG, l->d);
}

static void
prepare_reuse(lab *l)
{
    ok(reuse_estimate(l, NULL));
    lend(l, 1);
    ok(reuse_estimate(l, l->buffer[1]));
    ok(reuse_nnz(l));
    for (int k = 2; k <= 4; k++)
        lend(l, k);
    ok(reuse_nnz(l));
    drop(l, 1);
    drop(l, 2);
    make_c(l);
    ok(reuse_copy(l));
    lend(l, 5);
    ok(reuse_copy(l));
    drop(l, 3);
}

/* ---- What is right ------------------------------------------------------------------ */

/* The product as SpMM. Free with end_problem. */
static sb_problem
as_problem(const lab *l)
{
    sb_problem pb = {.op = SB_OP_SPMM,
                     .a = l->a,
                     .compute = sum_type(l->a.val_type),
                     .alpha = l->alpha_value,
                     .beta = l->beta_value,
                     .batch = 1};
    const gen_dense_spec b = {
        .rows = l->b.rows, .cols = l->b.cols, .type = l->a.val_type, .poison = true};
    const gen_dense_spec c = {
        .rows = l->c.rows, .cols = l->c.cols, .type = l->a.val_type, .poison = true};

    pb.b = gen_dense(&b);
    pb.c = gen_dense(&c);
    return pb;
}

static void
end_problem(sb_problem *pb)
{
    gen_free_dense(&pb->b);
    gen_free_dense(&pb->c);
}

/* The matrix spread out, repeated places added up. */
static void
spread(sb_dense *d, const sb_matrix *a)
{
    for (int64_t e = 0; e < d->rows * d->cols; e++)
        sb_value_store(d->type, d->data, e, (sb_value){0, 0});
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t p = sb_index(a->ptr, a->ptr_type, i) - a->base;
             p < sb_index(a->ptr, a->ptr_type, i + 1) - a->base; p++) {
            const int64_t at = i * d->cols + sb_index(a->idx, a->idx_type, p) - a->base;
            sb_value v = sb_value_load(d->type, d->data, at);
            const sb_value w = sb_value_load(a->val_type, a->val, p);

            v.re += w.re;
            v.im += w.im;
            sb_value_store(d->type, d->data, at, v);
        }
}

static int64_t
slot(const sb_matrix *a, int64_t i)
{
    return sb_index(a->ptr, a->ptr_type, i) - a->base;
}

static int64_t
column(const sb_matrix *a, int64_t p)
{
    return sb_index(a->idx, a->idx_type, p) - a->base;
}

/* Offsets, ascending columns, and exactly the places that products fall on. */
static void
check_pattern(const lab *l)
{
    char *there = malloc((size_t)l->c.cols + 1);

    assert_int_equal(slot(&l->c, 0), 0);
    assert_int_equal(slot(&l->c, l->c.rows), l->c.nnz);
    for (int64_t i = 0; i < l->c.rows; i++) {
        int64_t places = 0;

        memset(there, 0, (size_t)l->c.cols);
        for (int64_t p = slot(&l->a, i); p < slot(&l->a, i + 1); p++) {
            const int64_t k = column(&l->a, p);

            for (int64_t q = slot(&l->b, k); q < slot(&l->b, k + 1); q++) {
                places += !there[column(&l->b, q)];
                there[column(&l->b, q)] = 1;
            }
        }
        assert_int_equal(slot(&l->c, i + 1) - slot(&l->c, i), places);
        for (int64_t p = slot(&l->c, i); p < slot(&l->c, i + 1); p++) {
            assert_in_range(column(&l->c, p), 0, l->c.cols - 1);
            assert_true(there[column(&l->c, p)]);
            assert_true(p == slot(&l->c, i) || column(&l->c, p - 1) < column(&l->c, p));
        }
    }
    free(there);
}

/* `run` writes C's values; beta's C is what is there before. */
static void
check_values(lab *l, void (*run)(lab *), bool exact)
{
    sb_problem pb = as_problem(l);
    char message[400];
    oracle o;

    spread(&pb.b, &l->b);
    if (l->beta_value.re != 0 || l->beta_value.im != 0)
        spread(&pb.c, &l->c);
    o = oracle_make(&pb);
    run(l);
    spread(&pb.c, &l->c);
    if (!oracle_check(&o, &pb, exact, message, sizeof message))
        fail_msg("%s", message);
    oracle_free(&o);
    end_problem(&pb);
}

static void
copy_again(lab *l)
{
    ok(copy(l));
}

static void
compute_again(lab *l)
{
    ok(reuse_compute(l));
}

static void
shift_values(sb_matrix *a)
{
    for (int64_t p = 0; p + 1 < a->nnz; p++) {
        const sb_value v = sb_value_load(a->val_type, a->val, p);

        sb_value_store(a->val_type, a->val, p,
                       sb_value_load(a->val_type, a->val, p + 1));
        sb_value_store(a->val_type, a->val, p + 1, v);
    }
}

/* ---- Cases -------------------------------------------------------------------------- */

static const sb_dtype types[] = {SB_F32, SB_F64, SB_C32, SB_C64, SB_F16, SB_BF16};

/* Case k: shapes and families of two generated matrices that fit. */
static lab
lab_make(uint64_t k, bool exact)
{
    gen_spec a = gen_case(k), b = gen_case(k * 7 + 3);
    const sb_dtype index[] = {SB_I32, SB_I64};

    b.rows = a.cols;
    a.val_type = b.val_type = types[k % 6];
    a.ptr_type = index[k & 1];
    a.idx_type = index[k >> 1 & 1];
    b.ptr_type = index[k >> 2 & 1];
    b.idx_type = index[k >> 3 & 1];
    a.integer = b.integer = exact;
    a.format = b.format = SB_FORMAT_CSR;
    b.duplicates = b.duplicates && exact;
    return begin(&a, &b, index[k >> 1 & 1], index[k >> 2 & 1], (int)(k >> 4 & 1));
}

static void
products_are_right(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 300; k++) {
        const bool exact = k % 4 != 3;
        lab l = lab_make(k, exact);

        multiply(&l);
        check_pattern(&l);
        check_values(&l, copy_again, exact);
        shift_values(&l.a);
        set_scalars(&l, (sb_value){-1, 0}, (sb_value){k % 5 == 0, 0});
        check_values(&l, copy_again, exact);
        end(&l);
    }
}

static void
reuse_is_right(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 300; k++) {
        const bool exact = k % 4 != 3;
        lab l = lab_make(k + 1000, exact);

        prepare_reuse(&l);
        check_pattern(&l);
        check_values(&l, compute_again, exact);
        shift_values(&l.b);
        check_values(&l, compute_again, exact);
        set_scalars(&l, (sb_value){1, 0}, (sb_value){-1, 0});
        shift_values(&l.a);
        check_values(&l, compute_again, exact);
        end(&l);
    }
}

/* B's and C's columns `far` times as far apart. */
static void
stretch(lab *l, int64_t far)
{
    for (int64_t p = 0; p < l->b.nnz; p++)
        sb_index_store(plain(l->b.idx), l->b.idx_type, p,
                       column(&l->b, p) * far + l->b.base);
    l->b.cols *= far;
    l->c.cols *= far;
    ok(spblasDestroySpMat(l->B));
    ok(spblasDestroySpMat(l->C));
    l->B = describe(&l->b);
    l->C = describe(&l->c);
}

/* C's arrays of a product whose columns are `far` times as far apart. */
static void
check_same(const lab *want, const lab *got, int64_t far)
{
    assert_int_equal(got->c.nnz, want->c.nnz);
    for (int64_t i = 0; i <= want->c.rows; i++)
        assert_int_equal(slot(&got->c, i), slot(&want->c, i));
    for (int64_t p = 0; p < want->c.nnz; p++)
        assert_int_equal(column(&got->c, p), far * column(&want->c, p));
    assert_memory_equal(got->c.val, want->c.val,
                        (size_t)want->c.nnz * sb_dtype_size(want->c.val_type));
}

/* Rows that are hashed beside rows that are not: B's columns spread over so many that no
 * array over all of them is kept for short rows. */
static void
wide_rows_are_right(void **state)
{
    enum { FAR = 2000 };

    (void)state;
    for (uint64_t k = 0; k < 12; k++) {
        gen_spec a = {.family = k % 2 ? GEN_POWER_LAW : GEN_UNIFORM,
                      .rows = 13,
                      .cols = 40,
                      .density = 0.1,
                      .seed = k,
                      .val_type = types[k % 6]};
        gen_spec b = a;
        lab near, far, again;

        b.rows = 40;
        b.cols = 700;
        b.density = 0.08 * (double)(1 + k);
        b.idx_type = k % 4 < 2 ? SB_I32 : SB_I64;
        b.unsorted = k % 3 == 0;
        b.seed = k + 50;
        near = begin(&a, &b, SB_I32, SB_I32, 1);
        multiply(&near);
        far = begin(&a, &b, SB_I32, SB_I32, 1);
        again = begin(&a, &b, SB_I32, SB_I32, 0);
        stretch(&far, FAR);
        stretch(&again, FAR);
        multiply(&far);
        check_same(&near, &far, FAR);
        prepare_reuse(&again);
        ok(reuse_compute(&again));
        check_same(&near, &again, FAR);
        end(&near);
        end(&far);
        end(&again);
    }
}

/* ---- Buffers and threads ------------------------------------------------------------ */

static lab
large(void)
{
    const gen_spec a = {.family = GEN_POWER_LAW,
                        .rows = 900,
                        .cols = 800,
                        .seed = 4,
                        .val_type = SB_F64};
    const gen_spec b = {.family = GEN_UNIFORM,
                        .rows = 800,
                        .cols = 700,
                        .density = 0.03,
                        .seed = 5,
                        .val_type = SB_F64};

    return begin(&a, &b, SB_I32, SB_I32, 0);
}

/* Same bits with any number of threads, and in a buffer for fewer than there are. */
static void
threads_change_nothing(void **state)
{
    void *first = NULL;
    size_t bytes = 0;

    (void)state;
    for (int threads = 1; threads <= 4; threads++) {
        lab l = large();

#ifdef _OPENMP
        omp_set_num_threads(threads);
#endif
        multiply(&l);
        check_pattern(&l);
        if (!first) {
            bytes = (size_t)l.c.nnz * sizeof(double);
            first = gen_copy_bytes(l.c.val, bytes);
        }
        assert_memory_equal(first, l.c.val, bytes);
        l.size[2] = l.size[2] * 3 / 4;
        memset(l.c.val, 0xff, bytes);
        if (threads > 1) {
            ok(compute(&l, l.buffer[2]));
            ok(copy(&l));
            assert_memory_equal(first, l.c.val, bytes);
        }
        end(&l);
    }
#ifdef _OPENMP
    omp_set_num_threads(2);
#endif
    free(first);
}

static void
small_buffers_are_refused(void **state)
{
    lab l = large();
    size_t want;

    (void)state;
    ok(estimate(&l, NULL));
    lend(&l, 1);
    want = l.size[1]--;
    assert_int_equal(estimate(&l, l.buffer[1]), SPBLAS_STATUS_INSUFFICIENT_RESOURCES);
    assert_non_null(strstr(spblasGetLastErrorMessage(l.handle), "bufferSize1"));
    l.size[1] = want;
    ok(estimate(&l, l.buffer[1]));
    ok(compute(&l, NULL));
    lend(&l, 2);
    want = l.size[2];
    l.size[2] = l.size[1] + 64;
    assert_int_equal(compute(&l, l.buffer[2]), SPBLAS_STATUS_INSUFFICIENT_RESOURCES);
    l.size[2] = want;
    ok(compute(&l, l.buffer[2]));
    end(&l);
}

static void
estimates_are_enough(void **state)
{
    lab l = large();
    size_t whole;
    int64_t products = -1, want = 0;

    (void)state;
    ok(spblasSpGEMM_getNumProducts(l.d, &products));
    assert_int_equal(products, 0);
    ok(estimate(&l, NULL));
    lend(&l, 1);
    ok(estimate(&l, l.buffer[1]));
    ok(spblasSpGEMM_getNumProducts(l.d, &products));
    for (int64_t p = 0; p < l.a.nnz; p++)
        want += slot(&l.b, column(&l.a, p) + 1) - slot(&l.b, column(&l.a, p));
    assert_int_equal(products, want);
    ok(compute(&l, NULL));
    whole = l.size[2];
    for (int q = 1; q <= 4; q++) {
        l.size[2] = 0;
        ok(spblasSpGEMM_estimateMemory(l.handle, N, N, l.alpha, l.A, l.B, l.beta, l.C,
                                       l.compute, SPBLAS_SPGEMM_ALG3, l.d,
                                       0.25f * (float)q, &l.size[3], NULL, &l.size[2]));
        lend(&l, 3);
        ok(spblasSpGEMM_estimateMemory(l.handle, N, N, l.alpha, l.A, l.B, l.beta, l.C,
                                       l.compute, SPBLAS_SPGEMM_ALG3, l.d,
                                       0.25f * (float)q, &l.size[3], l.buffer[3],
                                       &l.size[2]));
        drop(&l, 3);
        assert_in_range(l.size[2], 1, whole);
        lend(&l, 2);
        ok(compute(&l, l.buffer[2]));
        make_c(&l);
        ok(copy(&l));
        check_pattern(&l);
        drop(&l, 2);
        gen_free_matrix(&(sb_matrix){.ptr = l.c.ptr, .idx = l.c.idx, .val = l.c.val});
        l.c.ptr = l.c.idx = l.c.val = NULL;
    }
    assert_int_equal(l.size[2], whole);
    end(&l);
}

/* Only createDescr allocates. */
static void
nothing_is_allocated(void **state)
{
    lab l = large(), r = large();
    spblasSpGEMMDescr_t d = l.d;

    (void)state;
    (void)sb_alloc_fail_after(0);
    multiply(&l);
    prepare_reuse(&r);
    ok(reuse_compute(&r));
    assert_int_equal(sb_alloc_fail_after(0), 0);
    assert_int_equal(spblasSpGEMM_createDescr(&d), SPBLAS_STATUS_ALLOC_FAILED);
    assert_null(d);
    (void)sb_alloc_fail_after(-1);
    end(&l);
    end(&r);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_right),
        cmocka_unit_test(reuse_is_right),
        cmocka_unit_test(wide_rows_are_right),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(small_buffers_are_refused),
        cmocka_unit_test(estimates_are_enough),
        cmocka_unit_test(nothing_is_allocated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
