/*
 * Incomplete factors. In a given pattern small integers are drawn for L and U (pivots 1
 * and -1) or for L alone (1 and 2), and A is their product where the pattern is: its
 * factors in that pattern are those very numbers, exactly. CSR and BSR, all types, both
 * directions and bases; pivots that are missing, 0 or boosted; the order of calls; bad
 * arguments. Real values on one thread and on four.
 *
 * ctest-labels: quick tsan
 */
#include "legacylab.h"
#include "objects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 7, SIDE = 3, N_MAX = ROWS * SIDE };
#define NO SPBLAS_SOLVE_POLICY_NO_LEVEL
#define USE SPBLAS_SOLVE_POLICY_USE_LEVEL

typedef struct fac {
    bool bsr, cholesky;
    int m, b, nnz, base, dir;
    spblasDataType_t type;
    sb_dtype t;
    int ptr[ROWS + 1], idx[ROWS * ROWS];
    _Alignas(16) char val[ROWS * ROWS * SIDE * SIDE * 16];
    sb_value l[N_MAX][N_MAX], u[N_MAX][N_MAX];
    spblasMatDescr_t d;
    spblasLegacyInfo_t info;
    void *buffer;
} fac;

static sb_value
draw(gen_rng *r, sb_dtype t)
{
    sb_value v = {(double)gen_between(r, -1, 1), 0};

    if (sb_dtype_is_complex(t))
        v.im = (double)gen_between(r, -1, 1);
    return v;
}

/* Where element (i, j) of slot p is. */
static int64_t
at(const fac *f, int p, int i, int j)
{
    const int r = i % f->b, c = j % f->b;

    return (int64_t)p * f->b * f->b + (f->dir ? c * f->b + r : r * f->b + c);
}

static void
draw_factors(fac *f, gen_rng *r)
{
    const int n = f->m * f->b;

    memset(f->l, 0, sizeof f->l);
    memset(f->u, 0, sizeof f->u);
    for (int i = 0; i < f->m; i++)
        for (int p = f->ptr[i] - f->base; p < f->ptr[i + 1] - f->base; p++)
            for (int q = 0; q < f->b * f->b; q++) {
                const int x = i * f->b + q / f->b;
                const int y = (f->idx[p] - f->base) * f->b + q % f->b;
                const double pivot = gen_below(r, 2) ? 1 : f->cholesky ? 2 : -1;

                if (x == y) {
                    f->l[x][x] = (sb_value){f->cholesky ? pivot : 1, 0};
                    f->u[x][x] = (sb_value){pivot, 0};
                } else if (x > y) {
                    f->l[x][y] = draw(r, f->t);
                } else {
                    f->u[x][y] = draw(r, f->t);
                }
            }
    for (int i = 0; f->cholesky && i < n; i++)
        for (int j = 0; j <= i; j++)
            f->u[j][i] = (sb_value){f->l[i][j].re, -f->l[i][j].im};
}

static sb_value
product(const fac *f, int i, int j)
{
    sb_value sum = {0, 0};

    for (int k = 0; k < f->m * f->b; k++)
        sum = lab_combine((sb_value){1, 0}, sum, f->l[i][k], f->u[k][j]);
    return sum;
}

/* A = L * U where the pattern is. */
static void
write_matrix(fac *f)
{
    for (int i = 0; i < f->m; i++)
        for (int p = f->ptr[i] - f->base; p < f->ptr[i + 1] - f->base; p++)
            for (int q = 0; q < f->b * f->b; q++) {
                const int x = i * f->b + q / f->b;
                const int y = (f->idx[p] - f->base) * f->b + q % f->b;
                /* of ic02 what lies above the diagonal is not looked at */
                const sb_value v =
                    f->cholesky && y > x ? (sb_value){99, 0} : product(f, x, y);

                sb_value_store(f->t, f->val, at(f, p, x, y), v);
            }
}

static fac
make(uint64_t k, bool bsr, bool cholesky)
{
    gen_rng r = {k + 1};
    fac f = {.bsr = bsr,
             .cholesky = cholesky,
             .m = (int)(k % ROWS) + 1,
             .b = bsr ? (int)(k / 2 % SIDE) + 1 : 1,
             .base = (int)(k / 3 % 2),
             .dir = bsr ? (int)(k / 4 % 2) : 0,
             .type = lab_types[k % 4],
             .t = lab_dtypes[k % 4]};

    f.d = lab_descr(f.base);
    for (int i = 0; i < f.m; i++) {
        f.ptr[i] = f.nnz + f.base;
        for (int j = 0; j < f.m; j++)
            if (i == j || gen_below(&r, 2))
                f.idx[f.nnz++] = j + f.base;
    }
    f.ptr[f.m] = f.nnz + f.base;
    draw_factors(&f, &r);
    write_matrix(&f);
    lab_ok(spblasCreateLegacyInfo(&f.info));
    return f;
}

#define CSR_ARGS(f) \
    lab_handle, f->type, f->m, f->nnz, &f->d, f->val, f->ptr, f->idx, f->info
#define BSR_ARGS(f)                                                              \
    lab_handle, f->type, (spblasDirection_t)f->dir, f->m, f->nnz, &f->d, f->val, \
        f->ptr, f->idx, f->b, f->info

static void
prepare(fac *f, spblasSolvePolicy_t policy)
{
    int bytes = -1;

    if (f->bsr)
        lab_ok(f->cholesky ? spblasXbsric02_bufferSize(BSR_ARGS(f), &bytes)
                           : spblasXbsrilu02_bufferSize(BSR_ARGS(f), &bytes));
    else
        lab_ok(f->cholesky ? spblasXcsric02_bufferSize(CSR_ARGS(f), &bytes)
                           : spblasXcsrilu02_bufferSize(CSR_ARGS(f), &bytes));
    f->buffer = lab_buffer((size_t)bytes);
    if (f->bsr)
        lab_ok(f->cholesky ? spblasXbsric02_analysis(BSR_ARGS(f), policy, f->buffer)
                           : spblasXbsrilu02_analysis(BSR_ARGS(f), policy, f->buffer));
    else
        lab_ok(f->cholesky ? spblasXcsric02_analysis(CSR_ARGS(f), policy, f->buffer)
                           : spblasXcsrilu02_analysis(CSR_ARGS(f), policy, f->buffer));
}

static spblasStatus_t
run(fac *f, spblasSolvePolicy_t policy)
{
    if (f->bsr)
        return f->cholesky ? spblasXbsric02(BSR_ARGS(f), policy, f->buffer)
                           : spblasXbsrilu02(BSR_ARGS(f), policy, f->buffer);
    return f->cholesky ? spblasXcsric02(CSR_ARGS(f), policy, f->buffer)
                       : spblasXcsrilu02(CSR_ARGS(f), policy, f->buffer);
}

static int
pivot(const fac *f)
{
    int position = -7;
    const spblasStatus_t st =
        f->bsr ? f->cholesky ? spblasXbsric02_zeroPivot(lab_handle, f->info, &position)
                             : spblasXbsrilu02_zeroPivot(lab_handle, f->info, &position)
        : f->cholesky ? spblasXcsric02_zeroPivot(lab_handle, f->info, &position)
                      : spblasXcsrilu02_zeroPivot(lab_handle, f->info, &position);

    assert_int_equal(st,
                     position < 0 ? SPBLAS_STATUS_SUCCESS : SPBLAS_STATUS_ZERO_PIVOT);
    return position;
}

static void
drop(fac *f)
{
    lab_ok(spblasDestroyLegacyInfo(f->info));
    free(f->buffer);
}

static void
is_factored(const fac *f)
{
    for (int i = 0; i < f->m; i++)
        for (int p = f->ptr[i] - f->base; p < f->ptr[i + 1] - f->base; p++)
            for (int q = 0; q < f->b * f->b; q++) {
                const int x = i * f->b + q / f->b;
                const int y = (f->idx[p] - f->base) * f->b + q % f->b;
                const sb_value v = sb_value_load(f->t, f->val, at(f, p, x, y));
                const sb_value want = f->cholesky
                                          ? y > x ? (sb_value){99, 0} : f->l[x][y]
                                      : x > y ? f->l[x][y]
                                              : f->u[x][y];

                assert_true(lab_equal(v, want));
            }
}

static void
factors(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 200; k++)
        for (int kind = 0; kind < 4; kind++) {
            fac f = make(k, kind & 1, kind & 2);
            gen_rng r = {k + 77};

            prepare(&f, USE);
            assert_int_equal(pivot(&f), -1);
            lab_ok(run(&f, k % 2 ? USE : NO));
            assert_int_equal(pivot(&f), -1);
            is_factored(&f);
            draw_factors(&f, &r); /* the values of the call, not of the analysis */
            write_matrix(&f);
            lab_ok(run(&f, NO));
            is_factored(&f);
            drop(&f);
        }
}

/* [1 1; 1 1]: the second pivot becomes 0. Then it is missing. */
static void
zero_pivots(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        fac f = {.bsr = kind & 1,
                 .cholesky = kind & 2,
                 .m = 2,
                 .b = 1,
                 .nnz = 4,
                 .base = 1,
                 .type = F64,
                 .t = SB_F64,
                 .ptr = {1, 3, 5},
                 .idx = {1, 2, 1, 2},
                 .d = lab_descr(1)};
        const double ones[] = {1, 1, 1, 1};

        lab_ok(spblasCreateLegacyInfo(&f.info));
        memcpy(f.val, ones, sizeof ones);
        prepare(&f, NO);
        assert_int_equal(run(&f, USE), SPBLAS_STATUS_INVALID_VALUE);
        assert_int_equal(pivot(&f), -1);
        lab_ok(run(&f, NO));
        assert_int_equal(pivot(&f), 2);
        free(f.buffer);
        f.nnz = 3;
        f.ptr[2] = 4;
        assert_int_equal(run(&f, NO), SPBLAS_STATUS_INVALID_VALUE);
        prepare(&f, NO);
        assert_int_equal(pivot(&f), 2);
        lab_ok(run(&f, NO));
        assert_int_equal(pivot(&f), 2);
        drop(&f);
    }
}

static void
boosts(void **state)
{
    double tol = 0.5, value = 8;

    (void)state;
    for (int bsr = 0; bsr < 2; bsr++) {
        fac f = {.bsr = bsr,
                 .m = 2,
                 .b = 1,
                 .nnz = 4,
                 .type = F64,
                 .t = SB_F64,
                 .ptr = {0, 2, 4},
                 .idx = {0, 1, 0, 1}};
        const double ones[] = {1, 1, 1, 1};

        lab_ok(spblasCreateLegacyInfo(&f.info));
        memcpy(f.val, ones, sizeof ones);
        prepare(&f, NO);
        lab_ok(
            bsr ? spblasXbsrilu02_numericBoost(lab_handle, F64, f.info, 1, &tol, &value)
                : spblasXcsrilu02_numericBoost(lab_handle, F64, f.info, 1, &tol,
                                               &value));
        lab_ok(run(&f, NO));
        assert_int_equal(pivot(&f), -1);
        assert_true(((double *)(void *)f.val)[3] == 8);
        lab_ok(spblasXcsrilu02_numericBoost(lab_handle, F64, f.info, 0, NULL, NULL));
        memcpy(f.val, ones, sizeof ones);
        lab_ok(run(&f, NO));
        assert_int_equal(pivot(&f), 1);
        drop(&f);
    }
}

static void
arguments(void)
{
    static double buffer[8];
    const spblasMatDescr_t d = {0}, sym = {.type = SPBLAS_MATRIX_TYPE_SYMMETRIC};
    const spblasDirection_t R = SPBLAS_DIRECTION_ROW;
    spblasLegacyInfo_t info, none = NULL;
    double tol = 0;
    int n;

    objects_ok(spblasCreateLegacyInfo(&info));
#define CSRF(expect, named, hh, ty, m, nz, dd, v, p, i, inf, pol, buf)              \
    TRY(expect, named,                                                              \
        spblasXcsrilu02_analysis(hh, ty, m, nz, dd, v, p, i, inf, pol, buf));       \
    TRY(expect, named, spblasXcsrilu02(hh, ty, m, nz, dd, v, p, i, inf, pol, buf)); \
    TRY(expect, named,                                                              \
        spblasXbsric02_analysis(hh, ty, R, m, nz, dd, v, p, i, 2, inf, pol, buf));  \
    TRY(expect, named, spblasXbsric02(hh, ty, R, m, nz, dd, v, p, i, 2, inf, pol, buf))
    CSRF(BAD, "handle", no_h, F32, 3, 3, &d, val, ptr, idx, info, NO, buffer);
    CSRF(BAD, "type", h, TYPE9, 3, 3, &d, val, ptr, idx, info, NO, buffer);
    CSRF(UNS, "type", h, SPBLAS_R_16F, 3, 3, &d, val, ptr, idx, info, NO, buffer);
    CSRF(BAD, "m", h, F32, -3, 3, &d, val, ptr, idx, info, NO, buffer);
    CSRF(BAD, "nnz", h, F32, 3, -3, &d, val, ptr, idx, info, NO, buffer);
    CSRF(BAD, "descrA", h, F32, 3, 3, NULL, val, ptr, idx, info, NO, buffer);
    CSRF(8, "descrA", h, F32, 3, 3, &sym, val, ptr, idx, info, NO, buffer);
    CSRF(BAD, "val", h, F32, 3, 3, &d, NULL, ptr, idx, info, NO, buffer);
    CSRF(BAD, "ptr", h, F32, 3, 3, &d, val, NULL, idx, info, NO, buffer);
    CSRF(BAD, "ind", h, F32, 3, 3, &d, val, ptr, NULL, info, NO, buffer);
    CSRF(BAD, "info", h, F32, 3, 3, &d, val, ptr, idx, none, NO, buffer);
    CSRF(BAD, "policy", h, F32, 3, 3, &d, val, ptr, idx, info, (spblasSolvePolicy_t)2,
         buffer);
    CSRF(BAD, "buffer", h, F32, 3, 3, &d, val, ptr, idx, info, NO, NULL);
    TRY(BAD, "info", spblasXcsric02(h, F32, 3, 3, &d, val, ptr, idx, info, NO, buffer));
    TRY(BAD, "dirA",
        spblasXbsrilu02(h, F32, (spblasDirection_t)2, 3, 3, &d, val, ptr, idx, 2, info,
                        NO, buffer));
    TRY(BAD, "blockDim",
        spblasXbsrilu02(h, F32, R, 3, 3, &d, val, ptr, idx, 0, info, NO, buffer));
    TRY(BAD, "bufferSize",
        spblasXcsric02_bufferSize(h, F32, 3, 3, &d, val, ptr, idx, info, NULL));
    TRY(11, "",
        spblasXcsric02_bufferSize(h, F32, INT32_MAX, 3, &d, val, ptr, idx, info, &n));
    TRY(BAD, "tol", spblasXcsrilu02_numericBoost(h, F32, info, 1, NULL, val));
    TRY(BAD, "boost_val", spblasXcsrilu02_numericBoost(h, F32, info, 1, &tol, NULL));
    TRY(BAD, "info", spblasXbsrilu02_numericBoost(h, F32, none, 1, &tol, val));
    TRY(BAD, "position", spblasXcsrilu02_zeroPivot(h, info, NULL));
    TRY(BAD, "info", spblasXbsric02_zeroPivot(h, none, &n));
    objects_ok(spblasDestroyLegacyInfo(info));
}
OBJECTS_CASE(bad_arguments, arguments)

/* ---- Threads ------------------------------------------------------------------------- */

enum { TALL = 4000, WIDTH = 6, TALL_NNZ = TALL * (WIDTH + 1) };

typedef struct tall {
    int ptr[TALL + 1], idx[TALL_NNZ];
    double val[TALL_NNZ * 4];
} tall;

/* Rows of a few entries below, near the diagonal and far from it, and above; real values,
 * so that another order of sums would show. One pivot is 0 if wanted. */
static void
draw_tall(tall *a, int b, bool zero)
{
    gen_rng r = {11};

    a->ptr[0] = 0;
    for (int i = 0; i < TALL; i++) {
        int n = a->ptr[i], last = -1;

        for (int k = 0; k <= WIDTH; k++) {
            const int room = k < 3 ? i : k == 3 ? i + 1 : TALL;
            const int far = k == 0 ? 0 : k == 3 ? i : k < 3 ? i - 20 : i + 1;
            const int least = far > last + 1 ? far : last + 1;

            if (least >= room)
                continue;
            last = k == 3 ? i : (int)(least + gen_below(&r, room - least));
            a->idx[n] = last;
            for (int e = 0; e < b * b; e++)
                a->val[n * b * b + e] = (double)gen_between(&r, 1, 99) / 700;
            for (int d = 0; d < b && last == i; d++)
                a->val[n * b * b + d * (b + 1)] = zero && i == 1234 ? 0 : 3;
            n++;
        }
        a->ptr[i + 1] = n;
    }
}

/* The factor on that many threads; where its first zero pivot is. */
static int
factor_tall(tall *a, int b, bool cholesky, int threads)
{
    const spblasMatDescr_t d = lab_descr(0);
    const spblasDirection_t dir = SPBLAS_DIRECTION_ROW;
    const spblasDataType_t t = SPBLAS_R_64F;
    const int nnz = a->ptr[TALL];
    spblasLegacyInfo_t info;
    void *buffer;
    int bytes, at = -1;

    lab_threads(threads);
    lab_ok(spblasCreateLegacyInfo(&info));
#define BSR lab_handle, t, dir, TALL, nnz, &d, a->val, a->ptr, a->idx, b, info
    if (cholesky) {
        lab_ok(spblasXbsric02_bufferSize(BSR, &bytes));
        buffer = lab_buffer((size_t)bytes);
        lab_ok(spblasXbsric02_analysis(BSR, NO, buffer));
        lab_ok(spblasXbsric02(BSR, NO, buffer));
        (void)spblasXbsric02_zeroPivot(lab_handle, info, &at);
    } else {
        lab_ok(spblasXbsrilu02_bufferSize(BSR, &bytes));
        buffer = lab_buffer((size_t)bytes);
        lab_ok(spblasXbsrilu02_analysis(BSR, NO, buffer));
        lab_ok(spblasXbsrilu02(BSR, NO, buffer));
        (void)spblasXbsrilu02_zeroPivot(lab_handle, info, &at);
    }
#undef BSR
    free(buffer);
    lab_ok(spblasDestroyLegacyInfo(info));
    lab_threads(1);
    return at;
}

static void
threads_change_nothing(void **state)
{
    tall *one = malloc(sizeof *one), *many = malloc(sizeof *many);

    (void)state;
    for (int k = 0; k < 8; k++) {
        const int b = k % 2 + 1;
        int at;

        draw_tall(one, b, k / 4);
        memcpy(many, one, sizeof *many);
        at = factor_tall(one, b, k / 2 % 2, 1);
        assert_int_equal(at >= 0, k / 4);
        assert_int_equal(factor_tall(many, b, k / 2 % 2, 4), at);
        assert_memory_equal(many->val, one->val,
                            (size_t)(one->ptr[TALL] * b * b) * sizeof(double));
    }
    free(one), free(many);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors),
        cmocka_unit_test(zero_pivots),
        cmocka_unit_test(boosts),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(threads_change_nothing),
    };

    return cmocka_run_group_tests_name("api.legacy_factor", tests, lab_begin, lab_end);
}
