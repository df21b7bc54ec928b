/*
 * The model of a GPU on the facts of one that does not change: what must be cheaper than
 * what, and where no plan is the best plan.
 */
#include "gen.h"
#include "planner/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const sb_gpu_facts h200 = {"NVIDIA H200", "sm_90", 132, 60 << 20, 4.8e12};

/* Statistics of a small matrix, of which a large one has `times` on its diagonal. */
static sb_stats
large(gen_spec spec, int64_t times)
{
    sb_stats s;
    sb_matrix a;
    sb_view v;

    spec.format = SB_FORMAT_CSR;
    a = gen_matrix(&spec);
    assert_int_equal(sb_view_make(&v, &a, false, NULL), SB_OK);
    assert_int_equal(sb_stats_collect(&s, &v, SB_STATS_ALL, NULL), SB_OK);
    sb_view_free(&v);
    gen_free_matrix(&a);
    s.rows *= times;
    s.cols *= times;
    s.nnz *= times;
    s.distinct *= times;
    s.empty *= times;
    for (int q = 0; q < SB_STATS_BUCKETS; q++) {
        s.bucket_rows[q] *= times;
        s.bucket_nnz[q] *= times;
    }
    return s;
}

static sb_cost
cost_of(const sb_stats *s, const char *plan, int64_t n, const sb_gpu_facts *gpu)
{
    sb_work w = {.m = s->rows,
                 .n = n,
                 .k = s->cols,
                 .nnz = s->nnz,
                 .a_size = 4,
                 .b_size = 4,
                 .c_size = 4,
                 .compute_size = 4,
                 .ptr_size = 4,
                 .idx_size = 4};
    sb_target t = {.threads = 2, .l1 = 48 << 10, .l2 = 2 << 20, .l3 = 64 << 20};
    sb_choice ch;
    sb_cost cost;

    sb_gpu_target(&t, gpu);
    assert_int_equal(sb_choice_parse(&ch, plan, strlen(plan), NULL), SB_OK);
    w.op = ch.op;
    sb_cost_predict(&cost, &ch, &w, s, &t);
    return cost;
}

static double
seconds(const sb_stats *s, const char *plan)
{
    return cost_of(s, plan, 128, &h200).seconds;
}

static const char csr[] = "(plan spmm (part csr))";

/* The gather through L2 at some 3 TFLOP/s of fp32, and nothing below the floor of a
 * launch (gpu.md 3.2). */
static void
test_bounds(void **state)
{
    const gen_spec spec = {
        .family = GEN_UNIFORM, .rows = 2000, .cols = 2000, .density = 0.01};
    const sb_stats s = large(spec, 50), one = large(spec, 1);
    const double flops = 2.0 * (double)s.nnz * 128;
    sb_gpu_facts half = h200;

    (void)state;
    assert_true(flops / seconds(&s, csr) > 2e12 && flops / seconds(&s, csr) < 3.5e12);
    assert_true(seconds(&one, csr) > 2e-6 && seconds(&one, csr) < 10e-6);
    half.sms /= 2;
    half.mem_rate /= 2;
    assert_true(cost_of(&s, csr, 128, &half).seconds > 1.8 * seconds(&s, csr));
}

/* Rows that share rows of B load them once; where none are shared nothing is gained. */
static void
test_reuse(void **state)
{
    const sb_stats blocks = large((gen_spec){.family = GEN_BLOCKS,
                                             .rows = 800,
                                             .cols = 800,
                                             .density = 0.02,
                                             .block = 4},
                                  50);
    const sb_stats spread = large(
        (gen_spec){.family = GEN_UNIFORM, .rows = 800, .cols = 800, .density = 0.02},
        50);

    (void)state;
    assert_true(seconds(&blocks, "(plan spmm (part bsr 4) (part rows flat 1))") <
                0.7 * seconds(&blocks, csr));
    assert_true(seconds(&blocks, "(plan spmm (part win 4) (part rows flat 1))") <
                0.8 * seconds(&blocks, csr));
    assert_true(seconds(&spread, "(plan spmm (part win 4) (part rows flat 1))") >=
                seconds(&spread, csr));
}

/* One row that a group walks alone is seen, and ranges do not have it. */
static void
test_long_row(void **state)
{
    sb_stats s = large(
        (gen_spec){.family = GEN_UNIFORM, .rows = 1000, .cols = 1000, .density = 0.01},
        50);
    const sb_problem pb = {
        .op = SB_OP_SPMM, .a = {.format = SB_FORMAT_CSR, .batch = 1}, .batch = 1};
    static sb_planner pl;
    const double even = seconds(&s, csr);

    (void)state;
    pl.pb = &pb;
    pl.target = &pl.gpu_target;
    sb_gpu_target(&pl.gpu_target, &h200);
    pl.work = (sb_work){.op = SB_OP_SPMM,
                        .m = s.rows,
                        .n = 128,
                        .k = s.cols,
                        .nnz = s.nnz,
                        .a_size = 4,
                        .b_size = 4,
                        .c_size = 4,
                        .compute_size = 4,
                        .ptr_size = 4,
                        .idx_size = 4};
    pl.stats = s;
    assert_true(sb_gpu_ranges(&pl) > even);
    s.longest = pl.stats.longest = 40000;
    assert_true(seconds(&s, csr) > 3 * even);
    assert_true(sb_gpu_ranges(&pl) < 1.5 * even);
    pl.work.c_size = 2;
    assert_true(sb_gpu_ranges(&pl) > 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bounds),
                                       cmocka_unit_test(test_reuse),
                                       cmocka_unit_test(test_long_row)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
