/*
 * The model of a GPU on the facts of one that does not change: what must be cheaper than
 * what, and where no plan is the best plan.
 */
#include "base/macro.h"
#include "gen.h"
#include "planner/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const sb_gpu_facts h200 = {"NVIDIA H200", "sm_90", 132,   60 << 20,
                                  4.8e12,        90,      1.98e9};

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

static sb_work
work_of(const sb_stats *s, int64_t n, sb_dtype type)
{
    const int size = (int)sb_dtype_size(type);

    return (sb_work){.m = s->rows,
                     .n = n,
                     .k = s->cols,
                     .nnz = s->nnz,
                     .a_size = size,
                     .b_size = size,
                     .c_size = size > 4 ? size : 4,
                     .compute_size = size > 4 ? size : 4,
                     .ptr_size = 4,
                     .idx_size = 4,
                     .a_type = type};
}

static sb_cost
cost_of(const sb_stats *s, const char *plan, int64_t n, sb_dtype type,
        const sb_gpu_facts *gpu)
{
    sb_work w = work_of(s, n, type);
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
    return cost_of(s, plan, 128, SB_F32, &h200).seconds;
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
    assert_true(cost_of(&s, csr, 128, SB_F32, &half).seconds > 1.8 * seconds(&s, csr));
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
    const sb_problem sampled = {
        .op = SB_OP_SDDMM, .a = {.format = SB_FORMAT_CSR, .batch = 1}, .batch = 1};
    const double even = seconds(&s, csr);

    (void)state;
    pl.pb = &pb;
    pl.target = &pl.gpu_target;
    sb_gpu_target(&pl.gpu_target, &h200);
    pl.work = work_of(&s, 128, SB_F32);
    pl.stats = s;
    assert_true(sb_gpu_ranges(&pl) > even);
    s.longest = pl.stats.longest = 40000;
    assert_true(seconds(&s, csr) > 3 * even);
    assert_true(sb_gpu_ranges(&pl) < 1.5 * even);
    pl.work.c_size = 2;
    assert_true(sb_gpu_ranges(&pl) < 1.5 * even);
    pl.pb = &sampled;
    assert_true(sb_gpu_ranges(&pl) > 1);
}

/* SpMV of rows in place shares entries out: neither long rows nor uneven ones cost more, unless
 * one block has more of a row than all others together have of the rest; lanes that walk rows
 * one entry after another wait for each. */
static void
test_vectors(void **state)
{
    static const char rows[] = "(plan spmv (part csr))",
                      sell[] = "(plan spmv (part sell))";
    sb_stats s = large(
        (gen_spec){.family = GEN_UNIFORM, .rows = 1000, .cols = 1000, .density = 0.01},
        50);
    const double even = cost_of(&s, rows, 1, SB_F32, &h200).seconds;

    (void)state;
    assert_true(even < cost_of(&s, sell, 1, SB_F32, &h200).seconds);
    s.longest = 1000;
    s.cv = 3;
    assert_true(cost_of(&s, rows, 1, SB_F32, &h200).seconds == even);
    assert_true(cost_of(&s, sell, 1, SB_F32, &h200).seconds > 10 * even);
    s.longest = 1 << 20;
    assert_true(cost_of(&s, rows, 1, SB_F32, &h200).seconds > 10 * even);
}

/* ---- generations ------------------------------------------------------------------------ */

static const sb_gpu_facts gpus[] = {
    {"Tesla T4", "sm_75", 40, 4 << 20, 0.32e12, 75, 1.59e9},
    {"NVIDIA A100", "sm_80", 108, 40 << 20, 1.55e12, 80, 1.41e9},
    {"NVIDIA A10", "sm_86", 72, 6 << 20, 0.6e12, 86, 1.69e9},
    {"NVIDIA H200", "sm_90", 132, 60 << 20, 4.8e12, 90, 1.98e9},
    {"NVIDIA B200", "sm_100", 148, 126 << 20, 8e12, 100, 1.85e9},
    {"RTX 5090", "sm_120", 170, 96 << 20, 1.79e12, 120, 2.41e9}};

enum { CSR, BSR4, BSR8, WIN4, SHARE8, PLANS };
static const char *const plans[PLANS] = {
    [CSR] = csr,
    [BSR4] = "(plan spmm (part bsr 4) (part pick))",
    [BSR8] = "(plan spmm (part bsr 8) (part pick))",
    [WIN4] = "(plan spmm (part win 4) (part rows flat 1))",
    [SHARE8] = "(plan spmm (part share 8) (part rows flat 1))"};

static double
on(const sb_gpu_facts *gpu, const sb_stats *s, sb_dtype type, int plan)
{
    return cost_of(s, plans[plan], 128, type, gpu).seconds;
}

static void
cheapest_is(int plan, const sb_gpu_facts *gpu, const sb_stats *s, sb_dtype type)
{
    for (int q = 0; q < PLANS; q++)
        if (on(gpu, s, type, q) < on(gpu, s, type, plan))
            fail_msg("%s, %s: %s is %.1f us, %s %.1f", gpu->name, sb_dtype_name(type),
                     plans[q], 1e6 * on(gpu, s, type, q), plans[plan],
                     1e6 * on(gpu, s, type, plan));
}

/* Blocks of eight of 16 bits go to tensor cores where memory is fast enough for their
 * positions, else windows in place are read; 7.5 has none for bf16. Where rows share nothing
 * there is nothing to gain on any. */
static void
test_generations(void **state)
{
    static const struct {
        sb_dtype type;
        int eights[SB_COUNT(gpus)];
    } table[] = {{SB_F32, {BSR8, BSR8, BSR8, BSR8, BSR8, BSR8}},
                 {SB_F16, {WIN4, BSR8, WIN4, BSR8, BSR8, WIN4}},
                 {SB_BF16, {WIN4, BSR8, WIN4, BSR8, BSR8, WIN4}}};
    const sb_stats even = large(
        (gen_spec){.family = GEN_UNIFORM, .rows = 800, .cols = 800, .density = 0.02},
        50);
    const sb_stats eights = large((gen_spec){.family = GEN_BLOCKS,
                                             .rows = 800,
                                             .cols = 800,
                                             .density = 0.05,
                                             .block = 8},
                                  50);

    (void)state;
    for (int q = 0; q < SB_COUNT(gpus); q++)
        for (int t = 0; t < SB_COUNT(table); t++) {
            cheapest_is(CSR, &gpus[q], &even, table[t].type);
            cheapest_is(table[t].eights[q], &gpus[q], &eights, table[t].type);
        }
    assert_true(on(&gpus[0], &eights, SB_BF16, BSR8) >
                2 * on(&gpus[0], &eights, SB_BF16, CSR));
    assert_true(on(&gpus[0], &eights, SB_F16, BSR8) <
                0.6 * on(&gpus[0], &eights, SB_F16, CSR));
}

/* What a GPU is not known to be is as the generation before it; doubles have few units on
 * some, and a clock that the driver does not tell is a usual one. */
static void
test_facts(void **state)
{
    const sb_stats s = large(
        (gen_spec){.family = GEN_UNIFORM, .rows = 800, .cols = 800, .density = 0.2},
        50);
    sb_gpu_facts gpu = gpus[3];

    (void)state;
    gpu.cc = 99;
    assert_true(on(&gpu, &s, SB_F32, CSR) == on(&gpus[3], &s, SB_F32, CSR));
    gpu.clock = 0;
    assert_true(on(&gpu, &s, SB_F32, CSR) > on(&gpus[3], &s, SB_F32, CSR));
    assert_true(on(&gpu, &s, SB_F32, CSR) < 1.3 * on(&gpus[3], &s, SB_F32, CSR));
    assert_true(on(&gpus[3], &s, SB_F64, CSR) < 3 * on(&gpus[3], &s, SB_F32, CSR));
    assert_true(on(&gpus[5], &s, SB_F64, CSR) > 3 * on(&gpus[5], &s, SB_F32, CSR));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds),      cmocka_unit_test(test_reuse),
        cmocka_unit_test(test_generations), cmocka_unit_test(test_facts),
        cmocka_unit_test(test_long_row),    cmocka_unit_test(test_vectors)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
