/*
 * Fitting the cost model to times that are made up: factors and rates of a machine that
 * does not exist are found again. Correlation and choice are the tool's to print.
 */
#include "gen.h"
#include "tune.h"

#include "planner/candidates.h"
#include "planner/rules.h"
#include "runtime/problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { PROBLEMS = 12, PLANS = 64 };

static tune_problem problem[PROBLEMS];
static tune_sample sample[PROBLEMS * PLANS];
static tune_samples samples = {problem, sample, 0, 0};

static sb_target machine = {
    .isa = SB_ISA_V4, .threads = 2, .l1 = 48 << 10, .l2 = 2 << 20, .l3 = 64 << 20};

static sb_problem
product(const sb_matrix *a, sb_op op, int64_t n)
{
    sb_problem pb = {.op = op, .a = *a, .compute = SB_F32, .batch = 1};

    pb.b = (sb_dense){.rows = op == SB_OP_SDDMM ? a->rows : a->cols,
                      .cols = n,
                      .ld = n,
                      .type = SB_F32,
                      .batch = 1};
    pb.c = (sb_dense){.rows = op == SB_OP_SDDMM ? n : a->rows,
                      .cols = op == SB_OP_SDDMM ? a->cols : n,
                      .ld = n,
                      .col_major = op == SB_OP_SDDMM,
                      .type = SB_F32,
                      .batch = 1};
    return pb;
}

static void
add_problem(const sb_matrix *a, sb_op op, int64_t n)
{
    tune_problem *p = &problem[samples.problems];
    const sb_problem pb = product(a, op, n);
    const int k = sb_mean_k(a->rows, a->nnz);
    sb_choice ch;
    sb_view v;

    sb_work_of(&p->work, &pb);
    assert_int_equal(sb_view_make(&v, a, false, NULL), SB_OK);
    assert_int_equal(sb_stats_collect(&p->stats, &v, SB_STATS_ALL, NULL), SB_OK);
    sb_view_free(&v);
    for (int q = 0; q < PLANS && sb_candidate(&ch, &pb, true, true, k, q); q++)
        sample[samples.count++] =
            (tune_sample){.problem = samples.problems, .choice = ch};
    samples.problems++;
}

static int
set_up(void **state)
{
    static const gen_family families[] = {GEN_UNIFORM, GEN_BANDED, GEN_BLOCKS};
    static const struct {
        sb_op op;
        int64_t n;
    } cases[] = {
        {SB_OP_SPMV, 1}, {SB_OP_SPMM, 8}, {SB_OP_SPMM, 512}, {SB_OP_SDDMM, 32}};

    (void)state;
    sb_target_defaults(&machine);
    for (int q = 0; q < PROBLEMS / 4; q++) {
        gen_spec spec = {.family = families[q],
                         .rows = q ? 4000 : 300,
                         .cols = q ? 4000 : 200,
                         .density = q ? 0.01 : 0.1,
                         .seed = (uint64_t)q + 1,
                         .format = SB_FORMAT_CSR,
                         .ptr_type = SB_I32,
                         .idx_type = SB_I32,
                         .val_type = SB_F32};
        sb_matrix a = gen_matrix(&spec);

        for (int c = 0; c < 4; c++)
            add_problem(&a, cases[c].op, cases[c].n);
        gen_free_matrix(&a);
    }
    return 0;
}

/* The clock of a machine. */
static void
run_on(const sb_target *t)
{
    for (int64_t q = 0; q < samples.count; q++) {
        const tune_problem *p = &problem[sample[q].problem];
        sb_cost cost;

        sb_cost_predict(&cost, &sample[q].choice, &p->work, &p->stats, t);
        sample[q].seconds = cost.seconds;
    }
}

static void
test_factors(void **state)
{
    sb_target other = machine, found = machine;

    (void)state;
    other.step_seconds = 7e-6;
    for (int op = 0; op < SB_OP_COUNT; op++)
        for (int q = 0; q < SB_CLASS_COUNT; q++)
            other.factor[op][q] = (sb_factor){0.5 + 0.1 * q, 2 - 0.1 * op, 1 + 0.2 * q};
    run_on(&other);
    assert_true(tune_error(&samples, &machine) > 0.1);
    assert_int_equal(tune_fit(&found, &samples), 0);
    assert_true(tune_error(&samples, &found) < 1e-3);
    assert_true(fabs(found.step_seconds - 7e-6) < 1e-8);
    assert_true(fabs(found.factor[SB_OP_SPMM][SB_PART_CSR].entry - 1) < 0.02);
}

static void
test_rates(void **state)
{
    sb_target other = machine, found = machine;
    double before;

    (void)state;
    run_on(&other);
    found.gather_l2 /= 1.4;
    found.bw_l3 *= 2;
    before = tune_error(&samples, &found);
    assert_true(before > 0.01);
    assert_int_equal(tune_fit(&found, &samples), 0);
    assert_true(tune_error(&samples, &found) < 0.1 * before);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_factors),
        cmocka_unit_test(test_rates),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
