/*
 * Triangular solves through the front door: SpSV and SpSM over formats, types, index
 * widths, bases, triangles, operations and layouts. Small integers: the right side is made
 * from the solution, which must come back with ==. Reals: the residual of each row within
 * the bound of substitution.
 */
#include "base/alloc.h"
#include "oracle.h"
#include "trilab.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#ifdef _OPENMP
#include <omp.h>
#endif

/* ---- What is right ------------------------------------------------------------------ */

static long double
epsilon(sb_dtype t)
{
    return t == SB_F32 || t == SB_C32 ? FLT_EPSILON : DBL_EPSILON;
}

/* Entries of the longest row. */
static long double
longest(const tri_lab *l)
{
    int64_t *len = calloc((size_t)l->n + 1, sizeof *len), most = 0, i, j;
    tri_wide v;

    for (int64_t p = 0; p < l->nnz; p++)
        if (tri_entry_of(l, &l->e[p], &i, &j, &v) && ++len[i] > most)
            most = len[i];
    free(len);
    return (long double)most;
}

static void
check_residual(tri_lab *l)
{
    const long double length = longest(l);
    tri_wide *sum = malloc((size_t)(l->n * l->cols + 1) * sizeof *sum);
    long double *mag = malloc((size_t)(l->n * l->cols + 1) * sizeof *mag);
    sb_dense b = gen_copy_dense(&l->b);

    tri_ok(tri_solve(l));
    tri_multiply(l, &l->c, sum, mag);
    for (int64_t q = 0; q < l->n * l->cols; q++) {
        const tri_wide want =
            tri_of(l->alpha) * tri_right(l, &b, q / l->cols, q % l->cols);
        const long double bound =
            ORACLE_C * epsilon(l->type) * (length + 2) * (mag[q] + cabsl(want));

        assert_true(cabsl(sum[q] - want) <= bound);
    }
    gen_free_dense(&b);
    free(sum);
    free(mag);
}

/* ---- Cases -------------------------------------------------------------------------- */

static void
integers_come_back(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 600; k++) {
        gen_rng r = {k};
        tri_lab l = tri_make(k, true, &r);

        tri_ok(tri_analyse(&l));
        tri_check_exact(&l, &r);
        for (int64_t p = 0; p < l.nnz; p++)
            l.e[p].v = tri_draw(&r, l.type, true, l.e[p].i == l.e[p].j);
        tri_store_values(&l);
        tri_ok(tri_update(&l, l.val, false));
        tri_check_exact(&l, &r);
        tri_end(&l);
    }
}

static void
residuals_are_small(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 400; k++) {
        gen_rng r = {k + 5000};
        tri_lab l = tri_make(k, false, &r);

        tri_ok(tri_analyse(&l));
        check_residual(&l);
        tri_end(&l);
    }
}

/* The diagonal alone, and values that change in the caller's array without a word. */
static void
diagonals_are_replaced(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 200; k++) {
        gen_rng r = {k + 9000};
        tri_lab l = tri_make(k, true, &r);
        void *diagonal = malloc((size_t)(l.n + 1) * sizeof(double[2]));

        tri_ok(tri_analyse(&l));
        memset(l.val, 0xff, (size_t)l.slots * sb_dtype_size(l.type));
        tri_check_exact(&l, &r);
        for (int64_t p = 0; p < l.nnz; p++)
            if (l.e[p].i == l.e[p].j) {
                l.e[p].v = tri_draw(&r, l.type, true, true);
                sb_value_store(l.type, diagonal, l.e[p].i, l.e[p].v);
            }
        tri_ok(tri_update(&l, diagonal, true));
        memset(diagonal, 0xff, (size_t)l.n * sb_dtype_size(l.type));
        tri_check_exact(&l, &r);
        free(diagonal);
        tri_end(&l);
    }
}

/* ---- Formats of the language ---------------------------------------------------------- */

/* A lower triangle without duplicates, as a CSR. */
static tri_lab
lower(uint64_t k, bool vector)
{
    gen_rng r = {k + 300};
    tri_lab l = {.n = 9,
                 .cols = vector ? 1 : 5,
                 .type = k % 2 ? SB_F64 : SB_C32,
                 .index = SB_I32,
                 .vector = vector,
                 .op = (spblasOperation_t)(k % 3)};

    l.alpha = (sb_value){1, 0};
    l.e = malloc((size_t)(l.n * l.n) * sizeof *l.e);
    for (int64_t i = 0; i < l.n; i++)
        for (int64_t j = 0; j <= i; j++)
            if (i == j || gen_below(&r, 3) == 0)
                l.e[l.nnz++] = (tri_entry){i, j, tri_draw(&r, l.type, true, i == j)};
    tri_dress(&l, SPBLAS_FORMAT_CSR);
    tri_make_dense(&l, &r);
    tri_begin(&l);
    return l;
}

/* Same solution as of the CSR; values again come in the order of the format's array. */
static void
custom_matrices_solve(void **state)
{
    static const char *const texts[] = {"dia", "ell", "dcsc", "csb<4>", "bell<2>"};

    (void)state;
    for (uint64_t k = 0; k < 30; k++) {
        tri_lab l = lower(k, k % 4 == 0);
        spblasFormatDescr_t f;
        spblasSpMatDescr_t own = l.A;
        gen_rng r = {k};
        void *values;

        tri_ok(spblasCreateFormat(&f, texts[k % 5]));
        tri_ok(spblasConvert(l.handle, own, f, &l.A));
        tri_ok(spblasSpMatGetValues(l.A, &values));
        tri_ok(tri_analyse(&l));
        tri_check_exact(&l, &r);
        tri_ok(tri_update(&l, values, false));
        tri_check_exact(&l, &r);
        tri_ok(spblasDestroySpMat(l.A));
        tri_ok(spblasDestroyFormat(f));
        l.A = own;
        tri_end(&l);
    }
}

/* ---- Threads, memory, pivots -------------------------------------------------------- */

enum { TALL = 60000 };

/* Rows of three generations: each needs rows of the ones before, so that levels are wide
 * enough for threads; then some that follow each other. */
static tri_lab
tall(int64_t cols)
{
    gen_rng r = {77};
    tri_lab l = {
        .n = TALL, .cols = cols, .type = SB_F64, .index = SB_I32, .vector = cols == 1};

    l.alpha = (sb_value){1, 0};
    l.e = malloc((size_t)l.n * 5 * sizeof *l.e);
    for (int64_t i = 0; i < l.n; i++) {
        const int64_t below = i * 3 / TALL * (TALL / 3);

        l.e[l.nnz++] = (tri_entry){i, i, tri_draw(&r, l.type, false, true)};
        for (int k = 0; k < 4 && below > 0; k++)
            l.e[l.nnz++] = (tri_entry){i, gen_below(&r, below),
                                       tri_draw(&r, l.type, false, false)};
        if (i > TALL - 50)
            l.e[l.nnz - 1].j = i - 1;
    }
    tri_dress(&l, SPBLAS_FORMAT_CSR);
    tri_make_dense(&l, &r);
    tri_begin(&l);
    return l;
}

static void
threads_change_nothing(void **state)
{
    static const int64_t cols[] = {1, 3, 40};

    (void)state;
    for (int k = 0; k < 3; k++) {
        void *first = NULL;
        size_t bytes = 0;

        for (int threads = 1; threads <= 4; threads++) {
            tri_lab l;

#ifdef _OPENMP
            omp_set_num_threads(threads);
#endif
            l = tall(cols[k]);
            tri_ok(tri_analyse(&l));
            check_residual(&l);
            if (!first) {
                bytes = (size_t)gen_dense_extent(&l.c) * sizeof(double);
                first = gen_copy_bytes(l.c.data, bytes);
            }
            assert_memory_equal(first, l.c.data, bytes);
            tri_end(&l);
        }
        free(first);
    }
#ifdef _OPENMP
    omp_set_num_threads(2);
#endif
}

/* An analysis with 0, 1, 2, ... allocations; one that fails leaves the one before. */
static void
memory_runs_out(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 24; k++) {
        gen_rng r = {k + 30};
        tri_lab l = tri_make(k, true, &r);
        spblasSpSVDescr_t sv;
        spblasSpSMDescr_t sm;
        bool done = false;

        tri_ok(tri_analyse(&l));
        for (int64_t n = 0; !done; n++) {
            spblasStatus_t st;

            (void)sb_alloc_fail_after(n);
            st = tri_analyse(&l);
            (void)sb_alloc_fail_after(-1);
            done = st == SPBLAS_STATUS_SUCCESS;
            assert_true(done || st == SPBLAS_STATUS_ALLOC_FAILED);
            tri_check_exact(&l, &r);
        }
        (void)sb_alloc_fail_after(0);
        assert_int_equal(spblasSpSV_createDescr(&sv), SPBLAS_STATUS_ALLOC_FAILED);
        assert_int_equal(spblasSpSM_createDescr(&sm), SPBLAS_STATUS_ALLOC_FAILED);
        assert_null(sv);
        assert_null(sm);
        tri_ok(tri_solve(&l)); /* allocates nothing, nor does an update */
        tri_ok(tri_update(&l, l.val, false));
        (void)sb_alloc_fail_after(-1);
        tri_end(&l);
    }
}

/* Zero and missing pivots are divided by. */
static void
pivots_are_not_looked_at(void **state)
{
    int32_t ptr[] = {0, 1, 2, 3}, col[] = {0, 1, 0};
    double val[] = {2, 0, 1}, x[] = {4, 1, 2}, y[3], one = 1;
    spblasHandle_t handle;
    spblasSpMatDescr_t a;
    spblasDnVecDescr_t vx, vy;
    spblasSpSVDescr_t d;

    (void)state;
    tri_ok(spblasCreate(&handle));
    tri_ok(spblasCreateCsr(&a, 3, 3, 3, ptr, col, val, SPBLAS_INDEX_32I,
                           SPBLAS_INDEX_32I, SPBLAS_INDEX_BASE_ZERO, SPBLAS_R_64F));
    tri_ok(spblasCreateDnVec(&vx, 3, x, SPBLAS_R_64F));
    tri_ok(spblasCreateDnVec(&vy, 3, y, SPBLAS_R_64F));
    tri_ok(spblasSpSV_createDescr(&d));
    tri_ok(spblasSpSV_analysis(handle, SPBLAS_OPERATION_NON_TRANSPOSE, &one, a, vx, vy,
                               SPBLAS_R_64F, SPBLAS_SPSV_ALG_DEFAULT, d, NULL));
    tri_ok(spblasSpSV_solve(handle, SPBLAS_OPERATION_NON_TRANSPOSE, &one, a, vx, vy,
                            SPBLAS_R_64F, SPBLAS_SPSV_ALG_DEFAULT, d));
    assert_true(y[0] == 2 && isinf(y[1]) && isnan(y[2]));
    tri_ok(spblasSpSV_destroyDescr(d));
    tri_ok(spblasDestroyDnVec(vx));
    tri_ok(spblasDestroyDnVec(vy));
    tri_ok(spblasDestroySpMat(a));
    tri_ok(spblasDestroy(handle));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_come_back),
        cmocka_unit_test(residuals_are_small),
        cmocka_unit_test(diagonals_are_replaced),
        cmocka_unit_test(custom_matrices_solve),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(pivots_are_not_looked_at),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
