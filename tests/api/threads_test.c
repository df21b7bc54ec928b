/*
 * Threads with a handle each: on matrices of their own, and on one shared const matrix
 * that is analysed and used at the same time.
 * ctest-labels: quick tsan
 */
#include "call.h"
#include "oracle.h"
#include "problems.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 4, ROUNDS = 12 };

typedef struct worker {
    int number;
    const sb_problem *shared;       /* or NULL: a problem of its own */
    spblasConstSpMatDescr_t matrix; /* of the shared problem */
    char complaint[400];            /* "" when all went well */
} worker;

static void
complain(worker *w, const char *what)
{
    if (!w->complaint[0])
        snprintf(w->complaint, sizeof w->complaint, "thread %d: %s: %s", w->number,
                 what, spblasGetLastErrorMessage(NULL));
}

/* A product with a fresh output, compared with the oracle. cmocka's assertions belong to
 * the main thread, so complaints are collected. */
static void
round_of(worker *w, call *c, sb_problem *pb, int turn)
{
    oracle o = oracle_make(pb);
    char message[300];

    if (turn % 3 == w->number % 3 && call_analyse(c) != SPBLAS_STATUS_SUCCESS)
        complain(w, "analysis");
    if (call_run(c) != SPBLAS_STATUS_SUCCESS)
        complain(w, "run");
    if (!oracle_check(&o, pb, true, message, sizeof message))
        complain(w, message);
    if (spblasSetPointerMode(c->handle, (spblasPointerMode_t)9) !=
            SPBLAS_STATUS_INVALID_VALUE ||
        !strstr(spblasGetLastErrorMessage(c->handle), "mode"))
        complain(w, "last error");
    oracle_free(&o);
}

static void *
work_alone(void *user)
{
    worker *w = user;

    for (int turn = 0; turn < ROUNDS; turn++) {
        sb_problem pb =
            problem_make((uint64_t)(w->number * 100 + turn), (sb_op)(turn % 3),
                         &problem_type_table[turn % 2], true);
        call c;

        if (call_begin(&c, &pb) != SPBLAS_STATUS_SUCCESS)
            complain(w, "begin");
        else
            round_of(w, &c, &pb, turn);
        call_end(&c);
        problem_free(&pb);
    }
    return NULL;
}

static void *
work_on_shared(void *user)
{
    worker *w = user;
    sb_problem pb = *w->shared;
    spblasSpMatDescr_t own;
    call c;

    pb.c = gen_copy_dense(&w->shared->c);
    if (call_begin(&c, &pb) != SPBLAS_STATUS_SUCCESS)
        complain(w, "begin");
    own = c.a;
    c.a = (spblasSpMatDescr_t)(uintptr_t)w->matrix;
    for (int turn = 0; turn < ROUNDS; turn++) {
        int plans;

        pb.beta.re = 0.0; /* otherwise values grow beyond what is exact */
        round_of(w, &c, &pb, turn);
        if (spblasSpMatGetPlanCount(w->matrix, &plans) != SPBLAS_STATUS_SUCCESS ||
            plans > 1)
            complain(w, "plan count");
    }
    c.a = own;
    call_end(&c);
    gen_free_dense(&pb.c);
    return NULL;
}

static void
run_team(void *(*fn)(void *), const sb_problem *shared, spblasConstSpMatDescr_t matrix)
{
    pthread_t thread[THREADS];
    worker w[THREADS] = {{0}};

    for (int t = 0; t < THREADS; t++) {
        w[t] = (worker){.number = t, .shared = shared, .matrix = matrix};
        assert_int_equal(pthread_create(&thread[t], NULL, fn, &w[t]), 0);
    }
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_join(thread[t], NULL), 0);
    for (int t = 0; t < THREADS; t++)
        assert_string_equal(w[t].complaint, "");
}

static void
own_handles_own_matrices(void **state)
{
    (void)state;
    run_team(work_alone, NULL, NULL);
}

static sb_problem
shared_problem(void)
{
    sb_problem pb = {
        .op = SB_OP_SPMM, .compute = SB_F32, .alpha = {2.0, 0.0}, .batch = 1};

    pb.a = gen_matrix(&(gen_spec){
        .family = GEN_POWER_LAW, .rows = 200, .cols = 150, .seed = 3, .integer = true});
    pb.b = gen_dense(
        &(gen_dense_spec){.rows = 150, .cols = 16, .seed = 4, .integer = true});
    pb.c = gen_dense(
        &(gen_dense_spec){.rows = 200, .cols = 16, .seed = 5, .integer = true});
    return pb;
}

static void
own_handles_one_matrix(void **state)
{
    sb_problem pb = shared_problem();
    call c;

    (void)state;
    assert_int_equal(call_begin(&c, &pb), SPBLAS_STATUS_SUCCESS);
    run_team(work_on_shared, &pb, c.a);
    call_end(&c);
    problem_free(&pb);
}

/* The same on a matrix that a conversion made. */
static void
own_handles_one_custom_matrix(void **state)
{
    sb_problem pb = shared_problem();
    spblasFormatDescr_t f;
    spblasSpMatDescr_t custom;
    call c;

    (void)state;
    assert_int_equal(call_begin(&c, &pb), SPBLAS_STATUS_SUCCESS);
    assert_int_equal(spblasCreateFormat(&f, "bdia_csr<4, 2>"), SPBLAS_STATUS_SUCCESS);
    assert_int_equal(spblasConvert(c.handle, c.a, f, &custom), SPBLAS_STATUS_SUCCESS);
    assert_int_equal(spblasDestroyFormat(f), SPBLAS_STATUS_SUCCESS);
    run_team(work_on_shared, &pb, custom);
    assert_int_equal(spblasDestroySpMat(custom), SPBLAS_STATUS_SUCCESS);
    call_end(&c);
    problem_free(&pb);
}

/* One format for all; the last matrix made with it frees it. */
static spblasFormatDescr_t shared_format;

static void *
convert_shared(void *user)
{
    worker *w = user;
    spblasHandle_t handle;

    if (spblasCreate(&handle) != SPBLAS_STATUS_SUCCESS) {
        complain(w, "handle");
        return NULL;
    }
    for (int turn = 0; turn < ROUNDS; turn++) {
        spblasSpMatDescr_t b;
        int64_t rows, cols, nnz = 0;

        if (spblasConvert(handle, w->matrix, shared_format, &b) !=
                SPBLAS_STATUS_SUCCESS ||
            spblasSpMatGetSize(b, &rows, &cols, &nnz) != SPBLAS_STATUS_SUCCESS ||
            nnz != w->shared->a.nnz)
            complain(w, "conversion");
        (void)spblasDestroySpMat(b);
    }
    (void)spblasDestroy(handle);
    return NULL;
}

static void
own_handles_one_format(void **state)
{
    sb_problem pb = shared_problem();
    spblasSpMatDescr_t last;
    size_t size;
    call c;

    (void)state;
    assert_int_equal(call_begin(&c, &pb), SPBLAS_STATUS_SUCCESS);
    assert_int_equal(spblasCreateFormat(&shared_format, "hyb<16, 2>"),
                     SPBLAS_STATUS_SUCCESS);
    run_team(convert_shared, &pb, c.a);
    assert_int_equal(spblasConvert(c.handle, c.a, shared_format, &last),
                     SPBLAS_STATUS_SUCCESS);
    assert_int_equal(spblasDestroyFormat(shared_format), SPBLAS_STATUS_SUCCESS);
    assert_int_equal(spblasSpMatGetFormatText(last, -1, NULL, &size),
                     SPBLAS_STATUS_SUCCESS);
    assert_int_equal(spblasDestroySpMat(last), SPBLAS_STATUS_SUCCESS);
    call_end(&c);
    problem_free(&pb);
}

/* ---- Sparse products and triangular solves ------------------------------------------ */

/* The lower triangle of 1s, and its square by the threads' own descriptors. */
enum { ROWS = 40 };
static int32_t tri_ptr[ROWS + 1], tri_col[ROWS * ROWS];
static float tri_val[ROWS * ROWS];
static spblasSpSVDescr_t shared_triangle;

static spblasSpMatDescr_t
ones(void)
{
    spblasSpMatDescr_t a;
    int32_t nnz = 0;

    for (int32_t i = 0; i < ROWS; i++) {
        for (int32_t j = 0; j <= i; j++) {
            tri_col[nnz] = j;
            tri_val[nnz++] = 1.0f;
        }
        tri_ptr[i + 1] = nnz;
    }
    assert_int_equal(spblasCreateCsr(&a, ROWS, ROWS, nnz, tri_ptr, tri_col, tri_val,
                                     SPBLAS_INDEX_32I, SPBLAS_INDEX_32I,
                                     SPBLAS_INDEX_BASE_ZERO, SPBLAS_R_32F),
                     SPBLAS_STATUS_SUCCESS);
    return a;
}

static bool
square(spblasHandle_t h, spblasConstSpMatDescr_t a)
{
    const spblasOperation_t n = SPBLAS_OPERATION_NON_TRANSPOSE;
    static const float one = 1.0f, zero = 0.0f;
    int32_t ptr[ROWS + 1], col[ROWS * ROWS];
    float val[ROWS * ROWS];
    _Alignas(64) char buffer[2][16384];
    size_t size[2] = {sizeof buffer[0], sizeof buffer[1]};
    spblasSpMatDescr_t c = NULL;
    spblasSpGEMMDescr_t d = NULL;
    bool good = spblasCreateCsr(&c, ROWS, ROWS, 0, NULL, NULL, NULL, SPBLAS_INDEX_32I,
                                SPBLAS_INDEX_32I, SPBLAS_INDEX_BASE_ZERO,
                                SPBLAS_R_32F) == SPBLAS_STATUS_SUCCESS &&
                spblasSpGEMM_createDescr(&d) == SPBLAS_STATUS_SUCCESS &&
                spblasSpGEMM_workEstimation(h, n, n, &one, a, a, &zero, c, SPBLAS_R_32F,
                                            SPBLAS_SPGEMM_DEFAULT, d, &size[0],
                                            buffer[0]) == SPBLAS_STATUS_SUCCESS &&
                spblasSpGEMM_compute(h, n, n, &one, a, a, &zero, c, SPBLAS_R_32F,
                                     SPBLAS_SPGEMM_DEFAULT, d, &size[1],
                                     buffer[1]) == SPBLAS_STATUS_SUCCESS &&
                spblasCsrSetPointers(c, ptr, col, val) == SPBLAS_STATUS_SUCCESS &&
                spblasSpGEMM_copy(h, n, n, &one, a, a, &zero, c, SPBLAS_R_32F,
                                  SPBLAS_SPGEMM_DEFAULT, d) == SPBLAS_STATUS_SUCCESS;

    for (int32_t p = 0; good && p < ptr[ROWS]; p++)
        good = val[p] >= 1.0f && val[p] <= ROWS;
    (void)spblasDestroySpMat(c);
    (void)spblasSpGEMM_destroyDescr(d);
    return good && val[tri_ptr[ROWS - 1]] == ROWS;
}

static bool
solve(spblasHandle_t h, spblasConstSpMatDescr_t a)
{
    static const float one = 1.0f;
    float x[ROWS], y[ROWS];
    spblasDnVecDescr_t vx = NULL, vy = NULL;
    bool good;

    for (int i = 0; i < ROWS; i++)
        x[i] = (float)i + 1;
    good = spblasCreateDnVec(&vx, ROWS, x, SPBLAS_R_32F) == SPBLAS_STATUS_SUCCESS &&
           spblasCreateDnVec(&vy, ROWS, y, SPBLAS_R_32F) == SPBLAS_STATUS_SUCCESS &&
           spblasSpSV_solve(h, SPBLAS_OPERATION_NON_TRANSPOSE, &one, a, vx, vy,
                            SPBLAS_R_32F, SPBLAS_SPSV_ALG_DEFAULT,
                            shared_triangle) == SPBLAS_STATUS_SUCCESS;
    for (int i = 0; good && i < ROWS; i++)
        good = y[i] == 1.0f;
    (void)spblasDestroyDnVec(vx);
    (void)spblasDestroyDnVec(vy);
    return good;
}

static void *
square_and_solve(void *user)
{
    worker *w = user;
    spblasHandle_t handle;

    if (spblasCreate(&handle) != SPBLAS_STATUS_SUCCESS) {
        complain(w, "handle");
        return NULL;
    }
    for (int turn = 0; turn < ROUNDS; turn++) {
        if (!square(handle, w->matrix))
            complain(w, "product");
        if (!solve(handle, w->matrix))
            complain(w, "solve");
    }
    (void)spblasDestroy(handle);
    return NULL;
}

/* One matrix and one analysed triangle for all. */
static void
own_handles_one_triangle(void **state)
{
    spblasSpMatDescr_t a = ones();
    spblasHandle_t handle;

    (void)state;
    assert_int_equal(spblasCreate(&handle), SPBLAS_STATUS_SUCCESS);
    assert_int_equal(spblasSpSV_createDescr(&shared_triangle), SPBLAS_STATUS_SUCCESS);
    assert_int_equal(spblasSpSV_analysis(
                         handle, SPBLAS_OPERATION_NON_TRANSPOSE, NULL, a, NULL, NULL,
                         SPBLAS_R_32F, SPBLAS_SPSV_ALG_DEFAULT, shared_triangle, NULL),
                     SPBLAS_STATUS_SUCCESS);
    run_team(square_and_solve, NULL, a);
    assert_int_equal(spblasSpSV_destroyDescr(shared_triangle), SPBLAS_STATUS_SUCCESS);
    assert_int_equal(spblasDestroySpMat(a), SPBLAS_STATUS_SUCCESS);
    assert_int_equal(spblasDestroy(handle), SPBLAS_STATUS_SUCCESS);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_handles_own_matrices),
        cmocka_unit_test(own_handles_one_matrix),
        cmocka_unit_test(own_handles_one_custom_matrix),
        cmocka_unit_test(own_handles_one_format),
        cmocka_unit_test(own_handles_one_triangle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
