/*
 * Sampled products on Zen 5: windows of rows, from which share, length and size on they are weighed, what
 * they take of plain rows' time, and where they ask for columns; partitions of the columns of Y.
 */
#include "base/macro.h"
#include "cpu/cpu.h"
#include "gen.h"
#include "planner/cost.h"
#include "planner/planner.h"
#include "planner/rules.h"
#include "runtime/backend.h"
#include "runtime/plan.h"
#include "zen5.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static sb_work
dots_of(int64_t k, size_t size)
{
    return (sb_work){.op = SB_OP_SDDMM,
                     .k = k,
                     .nnz = 1000,
                     .a_size = (int)size,
                     .b_size = (int)size,
                     .compute_size = (int)size,
                     .idx_size = 4};
}

/* From L2 on where a tenth of Y's columns is in no order, long ones from four of it on. */
static void
test_asks(void **state)
{
    static const struct {
        int64_t k;
        double bytes, strewn;
        int want;
    } cases[] = {
        {32, 1.01, 0.1, 16}, {32, 1, 0.1, 0},       {32, 100, 0.09, 0},
        {255, 100, 0.09, 0}, {256, 4.01, 0.09, 16}, {256, 4, 0.09, 0},
    };
    sb_target zen4 = zen5, fast = zen5;

    (void)state;
    zen4.wide = fast.wide = false;
    fast.isa = SB_ISA_V4G;
    for (int q = 0; q < SB_COUNT(cases); q++) {
        const double bytes = cases[q].bytes * (double)zen5.l2;
        sb_work w = dots_of(cases[q].k, 4);

        if (sb_rule_dots_window(&w, bytes, cases[q].strewn, &zen5) != cases[q].want)
            fail_msg("case %d", q);
        assert_int_equal(sb_rule_dots_window(&w, bytes, cases[q].strewn, &fast),
                         cases[q].want);
        assert_int_equal(sb_rule_dots_window(&w, bytes, cases[q].strewn, &zen4), 0);
        w.op = SB_OP_SPMM;
        assert_int_equal(sb_rule_dots_window(&w, bytes, cases[q].strewn, &zen5), 0);
    }
}

/* Time over that of plain rows of windows of `size` rows that share this of their entries. */
static double
ratio_on(const sb_target *t, int64_t size, const sb_work *w, const sb_stats *s,
         double share)
{
    const sb_part_choice win = {.kind = SB_PART_WIN, .size = size};
    const sb_amounts am = {.entries = 1000, .slots = 1000 * share, .touches = 10};
    double by = 0;

    assert_true(sb_cost_rows_ratio(&by, &win, &am, w, s, t, false));
    return by;
}

static double
ratio(int64_t size, const sb_work *w, const sb_stats *s, double share)
{
    return ratio_on(&zen5, size, w, s, share);
}

/* The same on Emerald Rapids, but a little more of more than three rows and of longer dots. */
static void
test_fast(void **state)
{
    const sb_stats s = {.distinct = 1000, .mean = 20};
    const sb_work narrow = dots_of(32, 4), w = dots_of(64, 4);
    sb_target fast = zen5;

    (void)state;
    fast.wide = false;
    fast.isa = SB_ISA_V4G;
    assert_true(ratio_on(&fast, 3, &w, &s, 1) == ratio(3, &w, &s, 1));
    assert_true(ratio_on(&fast, 4, &narrow, &s, 1) == ratio(4, &narrow, &s, 1));
    assert_float_equal(ratio_on(&fast, 4, &w, &s, 1), 1.09 / 1.03 * ratio(4, &w, &s, 1),
                       1e-9);
    assert_true(sb_rule_dots_timed(&fast) && sb_rule_dots_timed(&zen5));
    fast.isa = SB_ISA_V4;
    assert_false(sb_rule_dots_timed(&fast));
}

/* Rows that L1 holds gain a little, those that it does not half and more; by asking a fifth; entries that
 * rows do not share, values that leave L3 and large ordered columns lose. */
static void
test_price(void **state)
{
    sb_stats s = {.distinct = 1000, .mean = 20, .strewn = 0};
    sb_work w = dots_of(128, 4);
    const double near = ratio(4, &w, &s, 1);

    (void)state;
    assert_true(near > 0.8 && near < 0.95);
    assert_true(ratio(3, &w, &s, 1) > near && ratio(6, &w, &s, 1) > near);
    assert_true(ratio(4, &w, &s, 0.8) > 1.03 * near);
    s.mean = 300;
    assert_true(ratio(4, &w, &s, 1) < 0.5 * near);
    s.mean = 115; /* 1.2 of L1 */
    assert_true(ratio(4, &w, &s, 1) > 0.6 * near && ratio(4, &w, &s, 1) < 0.7 * near);
    s.mean = 20;
    s.strewn = 0.2;
    s.distinct = 10000;
    assert_true(ratio(4, &w, &s, 1) < 0.85 * near);
    s.strewn = 0;
    assert_true(ratio(4, &w, &s, 1) == near);
    s.distinct = 70000;
    assert_true(ratio(4, &w, &s, 1) > 1.25 * near);
    s.distinct = 1000;
    w.nnz = 4000000;
    assert_true(ratio(4, &w, &s, 1) > 1.25 * near);
    w = dots_of(64, 4);
    w.nnz = 4000000;
    assert_true(ratio(4, &w, &s, 1) < 1);
}

/* Partitions of rows of 512 bytes and more of dots: where L2 does not hold Y, which the rows above have not
 * brought, and rows have enough entries in each. */
static void
test_partitions(void **state)
{
    const double y = 4.7e6;
    sb_stats s = {.r4 = 1.05, .mean = 230};
    sb_work w = dots_of(127, 4);

    (void)state;
    assert_false(sb_rule_partitions(&w, &zen5));
    w.k = 128;
    assert_true(sb_rule_partitions(&w, &zen5));
    w.op = SB_OP_SPMM;
    w.n = 128;
    assert_false(sb_rule_partitions(&w, &zen5));
    assert_true(sb_cost_partitions(8, y, 1024, &s, &zen5) < 0.8);
    assert_true(sb_cost_partitions(4, y / 2, 512, &s, &zen5) < 0.9);
    assert_true(sb_cost_partitions(2, 5e5, 1024, &s, &zen5) > 1);
    s.mean =
        72; /* as L2 holds all of it: 0.93 where pieces of 512 bytes cost no more than those of 1024 */
    assert_true(sb_cost_partitions(4, 2.65e6, 512, &s, &zen5) > 1);
    s.mean = 32;
    assert_true(sb_cost_partitions(2, 2 * y, 1024, &s, &zen5) > 1);
    s.mean = 230;
    s.r4 = 2;
    assert_true(sb_cost_partitions(8, y, 1024, &s, &zen5) > 1);
}

/* The plan of dots of length k at these places. */
static void
plan_of(char text[256], const sb_matrix *a, int64_t k, sb_dtype type)
{
    sb_problem pb = {.op = SB_OP_SDDMM,
                     .a = *a,
                     .b = {.rows = a->rows, .cols = k, .ld = k, .type = type},
                     .c = {.rows = k, .cols = a->cols, .ld = k, .type = type},
                     .compute = type,
                     .alpha = {1, 0},
                     .batch = 1};
    const sb_options opt = {0};
    sb_plan *plan;

    pb.c.col_major = true;
    pb.b.data = pb.c.data = pb.a.val; /* an analysis reads no dense array */
    assert_int_equal(sb_plan_create(&plan, &pb, &opt, NULL), SB_OK);
    assert_true(strlen(plan->text) < 256);
    memcpy(text, plan->text, strlen(plan->text) + 1);
    sb_plan_release(plan);
}

/* Blocks of `rows` rows that have the same `each` columns, five apart from each other; and
 * `alone` that no other row of the block has. */
static sb_matrix
blocks_of(int64_t m, int rows, int each, int alone, sb_dtype type)
{
    const int64_t all = each + alone;
    int32_t *ptr = malloc((size_t)(m + 1) * sizeof *ptr),
            *crd = malloc((size_t)(m * all) * sizeof *crd);
    double *val = calloc((size_t)(m * all), sizeof *val);

    assert_true(ptr && crd && val);
    for (int64_t i = 0; i <= m; i++)
        ptr[i] = (int32_t)(i * all);
    for (int64_t p = 0; p < m * all; p++) {
        const int64_t i = p / all, e = p % all;

        crd[p] = (int32_t)(e < each ? i / rows * rows + e * 5
                                    : m + 5 * each + (e - each) * rows + i % rows);
    }
    return (sb_matrix){.format = SB_FORMAT_CSR,
                       .rows = m,
                       .cols = m + 5 * each + (int64_t)rows * alone,
                       .nnz = m * all,
                       .ptr_type = SB_I32,
                       .idx_type = SB_I32,
                       .val_type = type,
                       .ptr = ptr,
                       .idx = crd,
                       .val = val,
                       .batch = 1};
}

static void
free_blocks(sb_matrix *a)
{
    free((void *)a->ptr);
    free((void *)a->idx);
    free(a->val);
}

/* Registers of Zen 5, and kernels for them. */
static bool
elsewhere(void)
{
    const sb_target *t = sb_target_get();

    return !t->wide || !sb_builtin_tables[SB_ISA_V4] || t->l1 < 32 << 10 ||
           t->l2 > 2 << 20 || t->l3 < 16 << 20;
}

/* Kernels of windows are at hand for dots of 32, 64, 128 and any other length, those that ask too; plans
 * have them where rows are blocks. */
static void
test_windows_at_hand(void **state)
{
    static const struct {
        int64_t m;
        int rows, each, alone;
        int64_t k;
        sb_dtype type;
        const char *want;
    } cases[] = {
        {2400, 4, 120, 0, 128, SB_F32, "(part win 4)"},
        {2400, 4, 120, 0, 64, SB_F32, "(part win 4)"},
        {2400, 4, 120, 0, 32, SB_F32, "(part win 4)"},
        {2400, 4, 120, 0, 96, SB_F32, "(part win 4)"},
        {2400, 4, 120, 0, 32, SB_F64, "(part win 4)"},
        {2400, 6, 120, 0, 128, SB_F32, "(part win 6)"},
        {2400, 3, 120, 0, 32, SB_F64, "(part win 3)"},
        {9600, 4, 120, 0, 128, SB_F64, "(prefetch 16) (unroll 4)"},
        {9600, 4, 120, 0, 130, SB_F64, "(prefetch 16) (unroll 4)"},
        {2400, 4, 120, 0, 31, SB_F32, "(part csr)"},
        {2400, 4, 45, 0, 128, SB_F64, "(part win 4)"},
        {2400, 4, 39, 0, 128, SB_F64, "(part csr)"},
        {2400, 1, 120, 0, 128, SB_F32, "(part csr)"},
        {2400, 4, 100, 20, 128, SB_F32, "(part win 4)"}, /* 0.83 shared */
        {2400, 4, 90, 30, 128, SB_F32, "(part csr)"},    /* 0.75 */
    };
    char text[256];

    (void)state;
    if (elsewhere())
        skip();
    for (int q = 0; q < SB_COUNT(cases); q++) {
        sb_matrix a = blocks_of(cases[q].m, cases[q].rows, cases[q].each,
                                cases[q].alone, cases[q].type);

        plan_of(text, &a, cases[q].k, cases[q].type);
        if (!strstr(text, cases[q].want) ||
            (strstr(cases[q].want, "prefetch") && !strstr(text, "(part win 4)")))
            fail_msg("case %d: %s", q, text);
        free_blocks(&a);
    }
}

/* Columns all over a Y that L2 does not hold. */
static void
test_partitions_at_hand(void **state)
{
    const int64_t columns = 4 * sb_target_get()->l2 / 1024;
    const gen_spec spec = {.family = GEN_UNIFORM,
                           .rows = 500,
                           .cols = columns,
                           .density = 230.0 / (double)columns,
                           .seed = 1,
                           .ptr_type = SB_I32,
                           .idx_type = SB_I32,
                           .val_type = SB_F64};
    char text[256];
    sb_matrix a;

    (void)state;
    if (elsewhere())
        skip();
    a = gen_matrix(&spec);
    plan_of(text, &a, 128, SB_F64);
    assert_non_null(strstr(text, "(part rows flat "));
    plan_of(text, &a, 32, SB_F64);
    assert_string_equal(text, "(plan sddmm (part csr) (tile 32) (unroll 8))");
    gen_free_matrix(&a);
}

static int
start(void **state)
{
    (void)state;
    sb_backend_set(&sb_cpu_backend);
    return setenv("SPBLAS_ISA", "v4w", 1) || setenv("SPBLAS_JIT", "off", 1) ||
           setenv("SPBLAS_MODEL", "off", 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fast),
        cmocka_unit_test(test_asks),
        cmocka_unit_test(test_price),
        cmocka_unit_test(test_partitions),
        cmocka_unit_test(test_windows_at_hand),
        cmocka_unit_test(test_partitions_at_hand),
    };

    return cmocka_run_group_tests(tests, start, NULL);
}
