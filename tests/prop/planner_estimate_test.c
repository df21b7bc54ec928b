/*
 * The price of ESTIMATE: at most ten executions of SpMM with 128 columns, on matrices of
 * 100 000 entries and more; it compiles nothing; MEASURE and EXHAUSTIVE still give right
 * results. The price is taken in processor time of one thread, so that other jobs of the
 * machine do not count, and against half the limit: analysis is mostly serial, execution
 * on two threads takes half as long.
 *
 * ctest-labels: full
 */
#include "base/alloc.h"
#include "cpu/cpu.h"
#include "gen.h"
#include "oracle.h"
#include "planner/planner.h"
#include "runtime/backend.h"
#include "runtime/kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include <cmocka.h>

enum { EXECUTIONS = 5, TRIES = 5 };

/* Debug builds check the exact cover of every plan, which has its own price. */
#ifdef NDEBUG
static const bool debug_build = false;
#else
static const bool debug_build = true;
#endif

/* A CSR matrix whose row i has len(i) entries at columns that `step` spreads. */
typedef struct shape {
    const char *name;
    int64_t rows, cols;
    int64_t (*len)(int64_t i);
    bool local; /* columns near the diagonal, else anywhere */
    int blocks; /* so many rows share their columns, in runs of as many; 0: none do */
} shape;

static int64_t
len_short(int64_t i)
{
    return 1 + i % 5;
}

static int64_t
len_even(int64_t i)
{
    (void)i;
    return 16;
}

static int64_t
len_power(int64_t i)
{
    return 4 + 40000 / (i + 10);
}

static int64_t
len_long(int64_t i)
{
    (void)i;
    return 200;
}

static const shape shapes[] = {
    {"short", 50000, 50000, len_short, false, 0},
    {"uniform", 20000, 20000, len_even, false, 0},
    {"banded", 20000, 20000, len_even, true, 0},
    {"power law", 30000, 30000, len_power, false, 0},
    {"long rows", 800, 4000, len_long, false, 0},
    {"blocks", 8000, 8000, len_even, false, 4},
    {"tall blocks", 2000, 4000, len_long, false, 8},
};

static int
by_value(const void *x, const void *y)
{
    const int32_t a = *(const int32_t *)x, b = *(const int32_t *)y;

    return a < b ? -1 : a > b;
}

/* Columns of row i, sorted, without duplicates; returns how many. */
static int64_t
columns(int32_t *out, const shape *sh, int64_t i)
{
    const int64_t n = sh->len(i);
    gen_rng rng = {(uint64_t)(sh->blocks ? i / sh->blocks : i) * 977};
    int64_t kept = 0;

    for (int64_t q = 0; q < n; q++) {
        int64_t j = sh->local ? i + q - n / 2 : gen_below(&rng, sh->cols);

        if (sh->blocks)
            j = q % sh->blocks == 0 ? j / sh->blocks * sh->blocks : out[q - 1] + 1;
        out[q] = (int32_t)(j < 0 ? j + sh->cols : j % sh->cols);
    }
    qsort(out, (size_t)n, sizeof *out, by_value);
    for (int64_t q = 0; q < n; q++)
        if (q == 0 || out[q] != out[kept - 1])
            out[kept++] = out[q];
    return kept;
}

static sb_matrix
build(const shape *sh)
{
    sb_matrix a = {.format = SB_FORMAT_CSR,
                   .rows = sh->rows,
                   .cols = sh->cols,
                   .ptr_type = SB_I32,
                   .idx_type = SB_I32,
                   .val_type = SB_F32,
                   .batch = 1};
    int64_t most = 0;
    int32_t *ptr = calloc((size_t)sh->rows + 1, sizeof *ptr), *idx;
    float *val;

    for (int64_t i = 0; i < sh->rows; i++)
        most += sh->len(i);
    idx = malloc((size_t)most * sizeof *idx);
    val = malloc((size_t)most * sizeof *val);
    for (int64_t i = 0; i < sh->rows; i++) {
        a.nnz += columns(idx + a.nnz, sh, i);
        ptr[i + 1] = (int32_t)a.nnz;
    }
    for (int64_t p = 0; p < a.nnz; p++)
        val[p] = (float)(p % 5 + 1);
    a.ptr = ptr;
    a.idx = idx;
    a.val = val;
    return a;
}

static sb_problem
problem(const shape *sh, int64_t n)
{
    gen_dense_spec d = {.type = SB_F32, .integer = true, .seed = 3, .cols = n};
    sb_problem pb = {.op = SB_OP_SPMM,
                     .a = build(sh),
                     .compute = SB_F32,
                     .alpha = {1, 0},
                     .batch = 1};

    d.rows = sh->cols;
    pb.b = gen_dense(&d);
    d.rows = sh->rows;
    pb.c = gen_dense(&d);
    return pb;
}

static void
problem_free(sb_problem *pb)
{
    free((void *)(uintptr_t)pb->a.ptr);
    free((void *)(uintptr_t)pb->a.idx);
    free(pb->a.val);
    gen_free_dense(&pb->b);
    gen_free_dense(&pb->c);
}

static double
cpu_seconds(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double
run_seconds(const sb_plan *plan, const sb_problem *pb)
{
    double least = 0;

    for (int q = 0; q < 2 * TRIES; q++) {
        const double begin = cpu_seconds();

        assert_int_equal(sb_execute(plan, pb, NULL), SB_OK);
        if (q == 0 || cpu_seconds() - begin < least)
            least = cpu_seconds() - begin;
    }
    return least;
}

static void
test_estimate_price(void **state)
{
    (void)state;
    for (int q = 0; q < SB_COUNT(shapes); q++) {
        sb_problem pb = problem(&shapes[q], 128);
        const sb_kernel_stats before = sb_kernel_get_stats();
        double least = 0, run = 0;

        assert_true(pb.a.nnz >= 100000);
        for (int t = 0; t < TRIES; t++) {
            const double begin = cpu_seconds();
            sb_plan *plan;

            assert_int_equal(sb_plan_create(&plan, &pb, NULL, NULL), SB_OK);
            if (t == 0 || cpu_seconds() - begin < least)
                least = cpu_seconds() - begin;
            if (t == 0)
                run = run_seconds(plan, &pb);
            if (t == 0)
                print_message("%-10s %s", shapes[q].name, plan->text);
            /* a kernel of few columns is at hand, but never in so wide a product */
            assert_null(strstr(plan->text, "(tile 8)"));
            sb_plan_release(plan);
        }
        print_message("  analysis %.0f us = %.1f executions of %.0f us\n", least * 1e6,
                      least / run, run * 1e6);
        if (!debug_build && least > EXECUTIONS * run)
            fail_msg("%s: analysis takes %.1f executions", shapes[q].name, least / run);
        assert_int_equal(sb_kernel_get_stats().compiled, before.compiled);
        problem_free(&pb);
    }
}

static void
test_clock_decides(void **state)
{
    (void)state;
    for (int q = 0; q < 2; q++) {
        const sb_options opt = {.effort = q ? SB_EFFORT_EXHAUSTIVE : SB_EFFORT_MEASURE,
                                .time_limit = 3};
        sb_problem pb = problem(&shapes[5], 16);
        char message[256];
        oracle o = oracle_make(&pb);
        sb_diag diag = {0};
        sb_plan *plan;

        if (sb_plan_create(&plan, &pb, &opt, &diag) != SB_OK)
            fail_msg("%s", diag.text);
        assert_true(plan->measured > 0 || plan->nstep == 0);
        assert_non_null(strstr(plan->explain, "reason"));
        print_message("%s", plan->explain);
        assert_int_equal(sb_plan_run(plan, &pb, NULL), SB_OK);
        if (!oracle_check(&o, &pb, true, message, sizeof message))
            fail_msg("%s", message);
        oracle_free(&o);
        sb_plan_release(plan);
        problem_free(&pb);
    }
}

/* A limit that no copy fits leaves the rows in place, not an error. */
static void
test_memory_limit(void **state)
{
    const sb_options opt = {.memory_limit = 65536};
    sb_problem pb = problem(&shapes[5], 16);
    sb_plan *plan;

    (void)state;
    assert_int_equal(sb_plan_create(&plan, &pb, &opt, NULL), SB_OK);
    assert_true(plan->bytes <= 65536);
    assert_int_equal(sb_execute(plan, &pb, NULL), SB_OK);
    sb_plan_release(plan);
    problem_free(&pb);
}

static int
start(void **state)
{
    (void)state;
    sb_backend_set(&sb_cpu_backend);
#ifdef _OPENMP
    omp_set_num_threads(1);
#endif
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_estimate_price),
        cmocka_unit_test(test_clock_decides),
        cmocka_unit_test(test_memory_limit),
    };

    return cmocka_run_group_tests(tests, start, NULL);
}
