/*
 * Products of sparse matrices through the front door: every type, index width, base and
 * family against the oracle of SpMM (B and C spread out as dense matrices), the pattern
 * against the definition, with and without reuse; buffers are overwritten where the
 * interface says that they are free.
 */
#include "base/alloc.h"
#include "oracle.h"
#include "spgemmlab.h"

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

/* ---- What is right ------------------------------------------------------------------ */

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

static const sb_dtype types[] = {SB_F32, SB_F64,  SB_C32, SB_C64,
                                 SB_F16, SB_BF16, SB_C16, SB_CBF16};
enum { TYPES = sizeof types / sizeof types[0] };

/* Case k: shapes and families of two generated matrices that fit. */
static spgemm_lab
lab_make(uint64_t k, bool exact)
{
    gen_spec a = gen_case(k), b = gen_case(k * 7 + 3);
    const sb_dtype index[] = {SB_I32, SB_I64};

    b.rows = a.cols;
    a.val_type = b.val_type = types[k % TYPES];
    a.ptr_type = index[k & 1];
    a.idx_type = index[k >> 1 & 1];
    b.ptr_type = index[k >> 2 & 1];
    b.idx_type = index[k >> 3 & 1];
    a.integer = b.integer = exact;
    a.format = b.format = SB_FORMAT_CSR;
    b.duplicates = b.duplicates && exact;
    return spgemm_begin(&a, &b, index[k >> 1 & 1], index[k >> 2 & 1],
                        (int)(k >> 4 & 1));
}

static void
products_are_right(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 300; k++) {
        const bool exact = k % 4 != 3;
        spgemm_lab l = lab_make(k, exact);

        spgemm_multiply(&l);
        spgemm_check_pattern(&l);
        spgemm_check_values(&l, spgemm_copy, exact);
        shift_values(&l.a);
        spgemm_set_scalars(&l, (sb_value){-1, 0}, (sb_value){k % 5 == 0, 0});
        spgemm_check_values(&l, spgemm_copy, exact);
        spgemm_end(&l);
    }
}

static void
reuse_is_right(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 300; k++) {
        const bool exact = k % 4 != 3;
        spgemm_lab l = lab_make(k + 1000, exact);

        spgemm_prepare_reuse(&l);
        spgemm_check_pattern(&l);
        spgemm_check_values(&l, spgemm_reuse_compute, exact);
        shift_values(&l.b);
        spgemm_check_values(&l, spgemm_reuse_compute, exact);
        spgemm_set_scalars(&l, (sb_value){1, 0}, (sb_value){-1, 0});
        shift_values(&l.a);
        spgemm_check_values(&l, spgemm_reuse_compute, exact);
        spgemm_end(&l);
    }
}

/* B's and C's columns `far` times as far apart. */
static void
stretch(spgemm_lab *l, int64_t far)
{
    for (int64_t p = 0; p < l->b.nnz; p++)
        sb_index_store(spgemm_plain(l->b.idx), l->b.idx_type, p,
                       spgemm_column(&l->b, p) * far + l->b.base);
    l->b.cols *= far;
    l->c.cols *= far;
    spgemm_ok(spblasDestroySpMat(l->B));
    spgemm_ok(spblasDestroySpMat(l->C));
    l->B = spgemm_describe(&l->b);
    l->C = spgemm_describe(&l->c);
}

/* C's arrays of a product whose columns are `far` times as far apart. */
static void
check_same(const spgemm_lab *want, const spgemm_lab *got, int64_t far)
{
    assert_int_equal(got->c.nnz, want->c.nnz);
    for (int64_t i = 0; i <= want->c.rows; i++)
        assert_int_equal(spgemm_slot(&got->c, i), spgemm_slot(&want->c, i));
    for (int64_t p = 0; p < want->c.nnz; p++)
        assert_int_equal(spgemm_column(&got->c, p), far * spgemm_column(&want->c, p));
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
                      .val_type = types[k % TYPES]};
        gen_spec b = a;
        spgemm_lab near, far, again;

        b.rows = 40;
        b.cols = 700;
        b.density = 0.08 * (double)(1 + k);
        b.idx_type = k % 4 < 2 ? SB_I32 : SB_I64;
        b.unsorted = k % 3 == 0;
        b.seed = k + 50;
        near = spgemm_begin(&a, &b, SB_I32, SB_I32, 1);
        spgemm_multiply(&near);
        far = spgemm_begin(&a, &b, SB_I32, SB_I32, 1);
        again = spgemm_begin(&a, &b, SB_I32, SB_I32, 0);
        stretch(&far, FAR);
        stretch(&again, FAR);
        spgemm_multiply(&far);
        check_same(&near, &far, FAR);
        spgemm_prepare_reuse(&again);
        spgemm_ok(spgemm_reuse_compute(&again));
        check_same(&near, &again, FAR);
        spgemm_end(&near);
        spgemm_end(&far);
        spgemm_end(&again);
    }
}

/* ---- Buffers and threads ------------------------------------------------------------ */

static spgemm_lab
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

    return spgemm_begin(&a, &b, SB_I32, SB_I32, 0);
}

/* Same bits with any number of threads, and in a buffer for fewer than there are. */
static void
threads_change_nothing(void **state)
{
#ifdef _OPENMP
    const int most = 4;
#else
    const int most = 1;
#endif
    void *first = NULL;
    size_t bytes = 0;

    (void)state;
    for (int threads = 1; threads <= most; threads++) {
        spgemm_lab l = large();

#ifdef _OPENMP
        omp_set_num_threads(threads);
#endif
        spgemm_multiply(&l);
        spgemm_check_pattern(&l);
        if (!first) {
            bytes = (size_t)l.c.nnz * sizeof(double);
            first = gen_copy_bytes(l.c.val, bytes);
        }
        assert_memory_equal(first, l.c.val, bytes);
        l.size[2] = l.size[2] * 3 / 4;
        memset(l.c.val, 0xff, bytes);
        if (threads > 1) {
            spgemm_ok(spgemm_compute(&l, l.buffer[2]));
            spgemm_ok(spgemm_copy(&l));
            assert_memory_equal(first, l.c.val, bytes);
        }
        spgemm_end(&l);
    }
#ifdef _OPENMP
    omp_set_num_threads(2);
#endif
    free(first);
}

static void
small_buffers_are_refused(void **state)
{
    spgemm_lab l = large();
    size_t want;

    (void)state;
    spgemm_ok(spgemm_estimate(&l, NULL));
    spgemm_lend(&l, 1);
    want = l.size[1]--;
    assert_int_equal(spgemm_estimate(&l, l.buffer[1]),
                     SPBLAS_STATUS_INSUFFICIENT_RESOURCES);
    assert_non_null(strstr(spblasGetLastErrorMessage(l.handle), "bufferSize1"));
    l.size[1] = want;
    spgemm_ok(spgemm_estimate(&l, l.buffer[1]));
    spgemm_ok(spgemm_compute(&l, NULL));
    spgemm_lend(&l, 2);
    want = l.size[2];
    l.size[2] = l.size[1] + 64;
    assert_int_equal(spgemm_compute(&l, l.buffer[2]),
                     SPBLAS_STATUS_INSUFFICIENT_RESOURCES);
    l.size[2] = want;
    spgemm_ok(spgemm_compute(&l, l.buffer[2]));
    spgemm_end(&l);
}

static void
estimates_are_enough(void **state)
{
    spgemm_lab l = large();
    size_t whole;
    int64_t products = -1, want = 0;

    (void)state;
    spgemm_ok(spblasSpGEMM_getNumProducts(l.d, &products));
    assert_int_equal(products, 0);
    spgemm_ok(spgemm_estimate(&l, NULL));
    spgemm_lend(&l, 1);
    spgemm_ok(spgemm_estimate(&l, l.buffer[1]));
    spgemm_ok(spblasSpGEMM_getNumProducts(l.d, &products));
    for (int64_t p = 0; p < l.a.nnz; p++)
        want += spgemm_slot(&l.b, spgemm_column(&l.a, p) + 1) -
                spgemm_slot(&l.b, spgemm_column(&l.a, p));
    assert_int_equal(products, want);
    spgemm_ok(spgemm_compute(&l, NULL));
    whole = l.size[2];
    for (int q = 1; q <= 4; q++) {
        l.size[2] = 0;
        spgemm_ok(spblasSpGEMM_estimateMemory(
            l.handle, N, N, l.alpha, l.A, l.B, l.beta, l.C, l.compute,
            SPBLAS_SPGEMM_ALG3, l.d, 0.25f * (float)q, &l.size[3], NULL, &l.size[2]));
        spgemm_lend(&l, 3);
        spgemm_ok(spblasSpGEMM_estimateMemory(l.handle, N, N, l.alpha, l.A, l.B, l.beta,
                                              l.C, l.compute, SPBLAS_SPGEMM_ALG3, l.d,
                                              0.25f * (float)q, &l.size[3], l.buffer[3],
                                              &l.size[2]));
        spgemm_drop(&l, 3);
        assert_in_range(l.size[2], 1, whole);
        spgemm_lend(&l, 2);
        spgemm_ok(spgemm_compute(&l, l.buffer[2]));
        spgemm_make_c(&l);
        spgemm_ok(spgemm_copy(&l));
        spgemm_check_pattern(&l);
        spgemm_drop(&l, 2);
        gen_free_matrix(&(sb_matrix){.ptr = l.c.ptr, .idx = l.c.idx, .val = l.c.val});
        l.c.ptr = l.c.idx = l.c.val = NULL;
    }
    assert_int_equal(l.size[2], whole);
    spgemm_end(&l);
}

/* Only createDescr allocates. */
static void
nothing_is_allocated(void **state)
{
    spgemm_lab l = large(), r = large();
    spblasSpGEMMDescr_t d = l.d;

    (void)state;
    (void)sb_alloc_fail_after(0);
    spgemm_multiply(&l);
    spgemm_prepare_reuse(&r);
    spgemm_ok(spgemm_reuse_compute(&r));
    assert_int_equal(sb_alloc_fail_after(0), 0);
    assert_int_equal(spblasSpGEMM_createDescr(&d), SPBLAS_STATUS_ALLOC_FAILED);
    assert_null(d);
    (void)sb_alloc_fail_after(-1);
    spgemm_end(&l);
    spgemm_end(&r);
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
