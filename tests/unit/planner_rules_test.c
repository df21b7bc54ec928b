/*
 * The rules of docs/kernels.md as they answer: register tiles and entries taken together.
 */
#include "planner/rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static sb_work
product(int64_t n, int size)
{
    return (sb_work){.op = SB_OP_SPMM,
                     .n = n,
                     .a_size = size,
                     .b_size = size,
                     .c_size = size,
                     .compute_size = size};
}

static int
taken_together(sb_isa isa, int64_t n, int size, double mean)
{
    const sb_work w = product(n, size);
    const sb_target t = {.isa = isa};

    return sb_rule_unroll(&w, &t, mean);
}

static int
tile(sb_isa isa, int64_t n, int size, int block)
{
    const sb_work w = product(n, size);
    const sb_target t = {.isa = isa};

    return sb_rule_tile(&w, &t, block, 0);
}

/* Pairs of a row's entries: a second set of two sums wants longer rows than more sums or a
 * single one. */
static void
test_pairs(void **state)
{
    (void)state;
    assert_int_equal(taken_together(SB_ISA_V4G, 32, 4, 12), 1);
    assert_int_equal(taken_together(SB_ISA_V4G, 32, 4, 26), 2);
    assert_int_equal(taken_together(SB_ISA_V4G, 16, 8, 12), 1);
    assert_int_equal(taken_together(SB_ISA_V4G, 32, 8, 12), 2);
    assert_int_equal(taken_together(SB_ISA_V4G, 128, 4, 12), 2);
    assert_int_equal(taken_together(SB_ISA_V4G, 16, 4, 12), 2);
    assert_int_equal(taken_together(SB_ISA_V4G, 16, 4, 6), 1);
    assert_int_equal(taken_together(SB_ISA_V4G, 16, 4, 7), 2);
    assert_int_equal(taken_together(SB_ISA_V4G, 8, 4, 32), 2);
    assert_int_equal(taken_together(SB_ISA_V4G, 8, 4, 40), 4);
    assert_int_equal(taken_together(SB_ISA_V4, 32, 4, 26), 1);
    assert_int_equal(taken_together(SB_ISA_V4, 32, 4, 40), 2);
    assert_int_equal(taken_together(SB_ISA_V4, 16, 4, 6), 2);
}

/* Six rows of 64 columns are 24 of 32 registers; twice as many do not fit. */
static void
test_tall_tiles(void **state)
{
    (void)state;
    assert_int_equal(tile(SB_ISA_V4, 128, 4, 6), 64);
    assert_int_equal(tile(SB_ISA_V4, 128, 4, 8), 32);
    assert_int_equal(tile(SB_ISA_V4, 128, 8, 6), 32);
    assert_int_equal(tile(SB_ISA_V3, 128, 4, 6), 32);
    assert_int_equal(tile(SB_ISA_V4, 32, 4, 6), 32);
    assert_int_equal(tile(SB_ISA_V4G, 128, 4, 0), 128);
    assert_int_equal(tile(SB_ISA_V4, 128, 4, 0), 64);
    assert_int_equal(tile(SB_ISA_V4G, 128, 8, 0), 64);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_tall_tiles),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
