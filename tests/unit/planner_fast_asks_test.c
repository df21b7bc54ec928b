/*
 * Where gathers are fast (level v4g: Emerald Rapids): which products ask for what ahead, and sampled
 * products by windows.
 */
#include "base/macro.h"
#include "fast.h"
#include "plan_text.h"
#include "planner/context.h"
#include "planner/rules.h"
#include "product_work.h"
#include "runtime/kernel.h"
#include "runtime/target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* First lines are asked for beside rows of C that go past the caches, one entry at a time. */
static void
test_first(void **state)
{
    const sb_work w = square(60000, 64, 4, 5);
    const sb_problem pb = by_rows(60000, 64);
    const double beyond = 2 * (double)fast.l2;
    sb_work other = w;

    (void)state;
    assert_true(sb_rule_first(&w, beyond, 0.45, &fast));
    assert_false(sb_rule_first(&w, beyond, 0.44, &fast));
    assert_false(sb_rule_first(&w, (double)fast.l2, 1, &fast));
    other.n = 60;
    assert_false(sb_rule_first(&other, beyond, 1, &fast));
    other.n = 508;
    assert_true(sb_rule_first(&other, beyond, 1, &fast));
    other.n = 512;
    assert_false(sb_rule_first(&other, beyond, 1, &fast));
    other = w;
    other.nnz = 16 * w.m;
    assert_false(sb_rule_first(&other, beyond, 1, &fast));
    other = w;
    other.idx_size = 8; /* no kernels */
    assert_false(sb_rule_first(&other, beyond, 1, &fast));
    assert_int_equal(sb_rule_prefetch(&pb, beyond, 1, 1, true, &fast), 15);
    assert_int_equal(sb_rule_prefetch(&pb, beyond, 1, 1, false, &fast), 0);
    assert_int_equal(sb_rule_prefetch(&pb, beyond, 1, 3, true, &fast), 0);
    assert_int_equal(sb_rule_prefetch(&pb, beyond, 0, 1, true, &fast), 0);
    assert_int_equal(sb_rule_asking(&w, &fast, 2), 1);
}

/* Registers and caches of Emerald Rapids, and kernels for them. */
static bool
elsewhere(void)
{
    const sb_target *t = sb_target_get();

    return t->isa != SB_ISA_V4G || !sb_builtin_tables[SB_ISA_V4G] || t->l2 > 3 << 20;
}

/* Blocks of three rows that have the same columns, in no order; the plan of their dots of length k. */
static void
sampled(char text[256], int64_t blocks, int64_t k)
{
    enum { EACH = 16 };
    int32_t *ptr = malloc((size_t)(3 * blocks + 1) * sizeof *ptr),
            *crd = malloc((size_t)(3 * blocks * 3 * EACH) * sizeof *crd);
    sb_problem pb = {.op = SB_OP_SDDMM, .alpha = {1, 0}, .compute = SB_F32, .batch = 1};
    const sb_options opt = {0};
    sb_plan *plan;

    for (int64_t i = 0, n = 0; i < 3 * blocks; i++) {
        ptr[i] = (int32_t)n;
        for (int64_t e = 0; e < EACH; e++) /* a ring of blocks, ascending */
            for (int64_t c = 0; c < 3; c++)
                crd[n++] =
                    (int32_t)(3 * (blocks / EACH * e + i / 3 * 7 % (blocks / EACH)) +
                              c);
        ptr[i + 1] = (int32_t)n;
    }
    pb.a = (sb_matrix){.format = SB_FORMAT_CSR,
                       .rows = 3 * blocks,
                       .cols = 3 * blocks,
                       .nnz = ptr[3 * blocks],
                       .ptr_type = SB_I32,
                       .idx_type = SB_I32,
                       .val_type = SB_F32,
                       .ptr = ptr,
                       .idx = crd,
                       .val = crd,
                       .batch = 1};
    pb.b =
        (sb_dense){.rows = 3 * blocks, .cols = k, .ld = k, .type = SB_F32, .data = crd};
    pb.c = (sb_dense){.rows = k,
                      .cols = 3 * blocks,
                      .ld = k,
                      .type = SB_F32,
                      .data = crd,
                      .col_major = true};
    assert_int_equal(sb_plan_create(&plan, &pb, &opt, NULL), SB_OK);
    assert_true(strlen(plan->text) < 256);
    memcpy(text, plan->text, strlen(plan->text) + 1);
    sb_plan_release(plan);
    free(ptr);
    free(crd);
}

/* Windows of three rows, of short dots, too; asking where L2 does not hold Y; but not of dots of half a
 * kilobyte then. */
static void
test_sampled(void **state)
{
    char text[256];

    (void)state;
    if (elsewhere())
        skip();
    sampled(text, 1600, 32);
    assert_non_null(strstr(text, "(part win 3)"));
    assert_null(strstr(text, "(prefetch"));
    sampled(text, 16000, 32);
    assert_non_null(strstr(text, "(part win 3)"));
    assert_non_null(strstr(text, "(prefetch 16)"));
    sampled(text, 16000, 128);
    assert_null(strstr(text, "(part win"));
}

/* First lines of what comes in no order, beside rows of C past the caches, by a plan and without. */
static void
test_asks(void **state)
{
    const gen_spec spec = {
        .family = GEN_UNIFORM, .rows = 60000, .cols = 60000, .density = 5 / 60000.0};
    char text[256];

    (void)state;
    if (elsewhere())
        skip();
    plan_text_of(text, sizeof text, spec, 64, SB_F32, false);
    assert_non_null(strstr(text, "(part csr) (tile 64) (prefetch 15) (stream)"));
    plan_text_of(text, sizeof text, spec, 128, SB_F32, false);
    assert_non_null(strstr(text, "(part csr) (tile 128) (prefetch 15) (stream)"));
    plan_text_of(text, sizeof text, spec, 64, SB_F64, false);
    assert_non_null(strstr(text, "(part csr) (tile 64) (prefetch 15) (stream)"));
    plan_text_of(text, sizeof text, spec, 32, SB_F64, false);
    assert_non_null(strstr(text, "(part csr) (tile 32) (prefetch 15) (stream)"));
}

/* Windows of four floats and doubles and of eight floats have kernels of just so many columns. */
static void
test_narrow(void **state)
{
    static const char *const kernels[] = {"spmm win f32f32f32/f32 i32i32 rr b3 x4 p0",
                                          "spmm win f32f32f32/f32 i32i32 rr b4 x8 p0",
                                          "spmm win f64f64f64/f64 i32i32 rr b3 x4 p0",
                                          "spmm rows f64f64f64/f64 i32i32 rr t4 p0"};
    const sb_kernel *k;

    (void)state;
    if (elsewhere())
        skip();
    for (int q = 0; q < SB_COUNT(kernels); q++)
        assert_int_equal(
            sb_kernel_get(&k, kernels[q], sb_planner_maker, SB_KERNEL_RESIDENT), SB_OK);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first),
        cmocka_unit_test(test_sampled),
        cmocka_unit_test(test_asks),
        cmocka_unit_test(test_narrow),
    };

    return cmocka_run_group_tests(tests, plan_as_fast, NULL);
}
