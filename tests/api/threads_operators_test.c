/*
 * Two threads with a handle each, on shared matrices: plans over the same operators, which
 * both want compiled, sums, and solves over blocks.
 * ctest-labels: quick tsan
 */
#include "spblas.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 2, ROUNDS = 6, SIDE = 4 };

#define N SPBLAS_OPERATION_NON_TRANSPOSE
#define I32 SPBLAS_INDEX_32I
#define Z SPBLAS_INDEX_BASE_ZERO
#define F32 SPBLAS_R_32F

/* A: 1 + i on the diagonal and 1 below it, as CSC and CSR; T the same in blocks of two. */
static int32_t csc_ptr[] = {0, 2, 4, 6, 7}, csc_row[] = {0, 1, 1, 2, 2, 3, 3};
static float csc_val[] = {1, 1, 2, 1, 3, 1, 4};
static int32_t csr_ptr[] = {0, 1, 3, 5, 7}, csr_col[] = {0, 0, 1, 1, 2, 2, 3};
static float csr_val[] = {1, 1, 2, 1, 3, 1, 4};
static int32_t bsr_ptr[] = {0, 1, 3}, bsr_col[] = {0, 0, 1};
static float bsr_val[] = {1, 0, 1, 2, 0, 1, 0, 0, 3, 0, 1, 4};
static float ones[SIDE] = {1, 1, 1, 1};
static spblasSpMatDescr_t columns, rows, blocks;
static spblasDnMatDescr_t B;
static spblasDnVecDescr_t x;

typedef struct worker {
    char complaint[300];
} worker;

static void
check(worker *w, const char *what, spblasStatus_t st)
{
    if (st != SPBLAS_STATUS_SUCCESS && !w->complaint[0])
        (void)snprintf(w->complaint, sizeof w->complaint, "%s: %s", what,
                       spblasGetLastErrorMessage(NULL));
}

static void
compare(worker *w, const char *what, const float *got, const float *want, int n)
{
    for (int q = 0; q < n; q++)
        if (got[q] != want[q] && !w->complaint[0])
            (void)snprintf(w->complaint, sizeof w->complaint,
                           "%s: element %d is %g, not %g", what, q, (double)got[q],
                           (double)want[q]);
}

/* The largest of A[i, j] + 1. */
static void
operators(worker *w, spblasHandle_t h)
{
    static const float want[] = {2, 3, 4, 5};
    float c[SIDE] = {0};
    spblasDnMatDescr_t C;
    spblasSpMMOpPlan_t plan;
    size_t size;

    check(w, "C", spblasCreateDnMat(&C, SIDE, 1, 1, c, F32, SPBLAS_ORDER_ROW));
    check(w, "plan",
          spblasSpMMOp_createPlan(h, &plan, N, N, columns, B, C, F32,
                                  SPBLAS_SPMMOP_ALG_DEFAULT, "max(a, b)", NULL, "a + b",
                                  NULL, &size));
    check(w, "run", spblasSpMMOp(plan, NULL));
    compare(w, "operators", c, want, SIDE);
    check(w, "end", spblasSpMMOp_destroyPlan(plan));
    check(w, "end", spblasDestroyDnMat(C));
}

static void
sums(worker *w, spblasHandle_t h)
{
    static const float two = 2, one = 1;
    static const float want[] = {3, 3, 6, 3, 9, 3, 12};
    int32_t ptr[SIDE + 1], col[16];
    float val[16] = {0};
    spblasSpMatDescr_t c;
    spblasSpGEAMDescr_t d;

    check(w, "C", spblasCreateCsr(&c, SIDE, SIDE, 0, ptr, col, val, I32, I32, Z, F32));
    check(w, "descr", spblasSpGEAM_createDescr(&d));
    check(w, "nnz",
          spblasSpGEAM_nnz(h, N, N, &two, rows, &one, rows, c, F32,
                           SPBLAS_SPGEAM_ALG_DEFAULT, d, NULL));
    check(w, "sum",
          spblasSpGEAM(h, N, N, &two, rows, &one, rows, c, F32,
                       SPBLAS_SPGEAM_ALG_DEFAULT, d, NULL));
    compare(w, "sums", val, want, 7);
    check(w, "end", spblasSpGEAM_destroyDescr(d));
    check(w, "end", spblasDestroySpMat(c));
}

static void
solves(worker *w, spblasHandle_t h)
{
    static const float alpha = 24, want[] = {24, 0, 8, 4};
    float y[SIDE] = {0};
    spblasDnVecDescr_t v;
    spblasSpSVDescr_t d;

    check(w, "y", spblasCreateDnVec(&v, SIDE, y, F32));
    check(w, "descr", spblasSpSV_createDescr(&d));
    check(w, "analysis",
          spblasSpSV_analysis(h, N, &alpha, blocks, x, v, F32, SPBLAS_SPSV_ALG_DEFAULT,
                              d, NULL));
    check(
        w, "solve",
        spblasSpSV_solve(h, N, &alpha, blocks, x, v, F32, SPBLAS_SPSV_ALG_DEFAULT, d));
    compare(w, "solves", y, want, SIDE);
    check(w, "end", spblasSpSV_destroyDescr(d));
    check(w, "end", spblasDestroyDnVec(v));
}

static void *
work(void *user)
{
    worker *w = user;
    spblasHandle_t h;

    check(w, "handle", spblasCreate(&h));
    for (int turn = 0; turn < ROUNDS; turn++) {
        operators(w, h);
        sums(w, h);
        solves(w, h);
    }
    check(w, "handle", spblasDestroy(h));
    return NULL;
}

static void
test_two_handles(void **state)
{
    pthread_t thread[THREADS];
    worker w[THREADS] = {{""}};

    (void)state;
    assert_int_equal(spblasCreateCsc(&columns, SIDE, SIDE, 7, csc_ptr, csc_row, csc_val,
                                     I32, I32, Z, F32),
                     0);
    assert_int_equal(spblasCreateCsr(&rows, SIDE, SIDE, 7, csr_ptr, csr_col, csr_val,
                                     I32, I32, Z, F32),
                     0);
    assert_int_equal(spblasCreateBsr(&blocks, 2, 2, 3, 2, 2, bsr_ptr, bsr_col, bsr_val,
                                     I32, I32, Z, F32, SPBLAS_ORDER_ROW),
                     0);
    assert_int_equal(spblasCreateDnMat(&B, SIDE, 1, 1, ones, F32, SPBLAS_ORDER_ROW), 0);
    assert_int_equal(spblasCreateDnVec(&x, SIDE, ones, F32), 0);
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&thread[t], NULL, work, &w[t]), 0);
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_join(thread[t], NULL), 0);
    for (int t = 0; t < THREADS; t++)
        assert_string_equal(w[t].complaint, "");
    assert_int_equal(spblasDestroySpMat(columns), 0);
    assert_int_equal(spblasDestroySpMat(rows), 0);
    assert_int_equal(spblasDestroySpMat(blocks), 0);
    assert_int_equal(spblasDestroyDnMat(B), 0);
    assert_int_equal(spblasDestroyDnVec(x), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_two_handles)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
