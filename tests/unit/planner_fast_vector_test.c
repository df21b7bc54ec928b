/*
 * One column where gathers are fast (level v4g: Emerald Rapids): what ESTIMATE chooses, and by which rules.
 */
#include "base/macro.h"
#include "fast.h"
#include "pattern.h"
#include "plan_text.h"
#include "planner/rules.h"
#include "product_work.h"
#include "runtime/target.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Rows that follow each other: nearly all, of real elements that are computed with as they are. */
static void
test_follows(void **state)
{
    const sb_stats most = {.rows = 1000, .follows = 0.9},
                   half = {.rows = 1000, .follows = 0.8};
    sb_work w = square(1000, 1, 8, 5);

    (void)state;
    w.op = SB_OP_SPMV;
    assert_true(sb_rule_alike(&w, &fast, &most));
    assert_false(sb_rule_alike(&w, &fast, &half));
    w.a_size = 4;
    assert_false(sb_rule_alike(&w, &fast, &most));
    w.a_size = 8;
    w.complex = true;
    assert_false(sb_rule_alike(&w, &fast, &most));
    assert_true(sb_rule_unaligned(&fast));
    assert_false(sb_rule_unaligned(&(sb_target){.isa = SB_ISA_V2}));
}

/* SpMV's vectors go on from row to row, longer rows' without an analysis, and products of shorter ones are
 * summed by four lanes, by columns of either width; of elements that are computed with as they are. */
static void
test_flows(void **state)
{
    for (int size = 4; size <= 8; size += 4)
        for (int index = 4; index <= 8; index += 4) {
            const double from = size == 4 ? 12 : 9;
            sb_work w = square(1000, 1, size, 20);

            w.op = SB_OP_SPMV;
            w.idx_size = index;
            assert_int_equal(sb_rule_together(&w, &fast, SB_PART_SEG, 1, 20, 0),
                             SB_SPEC_FLOW);
            assert_int_equal(sb_rule_tile_of(&w, &fast, SB_PART_SEG, 0, 0, 0), 4);
            assert_int_equal(sb_rule_tile_of(&w, &fast, SB_PART_PROD, 0, 0, 0), 4);
            assert_int_equal(sb_rule_tile_of(&w, &fast, SB_PART_CSR, 0, 0, 0), 8);
            assert_int_equal(sb_rule_in_place(&w, &fast, from), SB_PART_SEG);
            assert_int_equal(sb_rule_in_place(&w, &fast, 500), SB_PART_SEG);
            assert_int_equal(sb_rule_in_place(&w, &fast, from - 0.1), SB_PART_PROD);
            w.a_type = SB_F16;
            w.a_size = 2;
            assert_false(sb_rule_flows(&w, &fast));
            assert_int_equal(sb_rule_tile_of(&w, &fast, SB_PART_SEG, 0, 0, 0), 8);
        }
    (void)state;
}

/* Masks of three rows and more sum together, of floats; diagonals in place are looked up in ranges. */
static void
test_lanes(void **state)
{
    const sb_stats s = {.rows = 1000, .nnz = 5000, .mean = 5, .longest = 5};
    sb_work w = square(1000, 1, 4, 20);

    (void)state;
    w.op = SB_OP_SPMV;
    assert_true(sb_rule_joined(&w, &fast, 3));
    assert_false(sb_rule_joined(&w, &fast, 2));
    assert_int_equal(sb_rule_ranged(4, &s, &fast), 3);
    assert_int_equal(sb_rule_ranged(8, &s, &fast), 6);
    w.a_type = SB_F64;
    w.a_size = w.compute_size = 8;
    assert_false(sb_rule_joined(&w, &fast, 3));
}

/* Blocks that begin anywhere, packed; a band along its diagonals, in place, floats looked up in slices. */
static void
test_vectors(void **state)
{
    static const sb_dtype types[] = {SB_F32, SB_F64};
    const gen_spec band = {
        .family = GEN_BANDED, .rows = 20000, .cols = 20000, .density = 4e-4};
    gen_spec blocks = {.family = GEN_BLOCKS, .rows = 480, .cols = 480};
    char text[256], part[32];

    (void)state;
    if (sb_target_get()->isa != SB_ISA_V4G)
        skip();
    for (int q = 0; q < SB_COUNT(types); q++) {
        plan_text_of(text, sizeof text, band, 1, types[q], false);
        if (!strstr(text, types[q] == SB_F32 ? "(part hdia)" : "(part alike)"))
            fail_msg("%s", text);
        for (blocks.block = 3; blocks.block <= 8;
             blocks.block += blocks.block < 4 ? 1 : 2) {
            plan_text_of(text, sizeof text, blocks, 1, types[q], true);
            (void)snprintf(part, sizeof part, "(part ubcsr %d ",
                           blocks.block % 4 ? 3 : 4);
            if (!strstr(text, part))
                fail_msg("%d: %s", (int)blocks.block, text);
        }
    }
}

/* Windows of two to four rows of what vectors go on for: each run costs, and each column. */
static void
test_window_prices(void **state)
{
    sb_stats s = {.rows = 900, .cols = 900, .nnz = 9000, .mean = 10, .longest = 10};

    (void)state;
    for (int rows = 2; rows <= 6; rows += rows == 4 ? 2 : 1) {
        const sb_part_choice win = {.kind = SB_PART_WIN, .size = rows};
        sb_vector_part p = {.choice = &win,
                            .entries = 9000,
                            .slots = 9000,
                            .rows = 900,
                            .x_size = 4,
                            .flows = true};
        const int at = sb_stats_window(rows);
        sb_terms longer, shorter, other;

        s.win_run[at] = 10;
        sb_vector_terms(&longer, &p, &s, &fast, false);
        s.win_run[at] = 5;
        sb_vector_terms(&shorter, &p, &s, &fast, false);
        assert_true(fabs(shorter.entry - longer.entry -
                         (rows > 4 ? 0 : 9000.0 / rows * 5.7e-9 / 10)) < 1e-12);
        p.flows = false;
        sb_vector_terms(&other, &p, &s, &fast, false);
        s.win_run[at] = 10; /* whose runs are not priced */
        sb_vector_terms(&longer, &p, &s, &fast, false);
        assert_true(other.entry == longer.entry);
    }
}

/* The plan of each row of `nodes` so many times, one after the other. */
static void
expect_windows(const pattern *nodes, int times, sb_dtype type)
{
    pattern p = pattern_times(nodes, times);
    sb_matrix a = {.format = SB_FORMAT_CSR,
                   .rows = p.v.rows,
                   .cols = p.v.cols,
                   .nnz = p.v.nnz,
                   .ptr = p.ptr,
                   .idx = p.crd,
                   .val = calloc((size_t)p.v.nnz, sizeof(double)),
                   .ptr_type = SB_I32,
                   .idx_type = SB_I32,
                   .val_type = type,
                   .batch = 1};
    char text[256], part[32];

    (void)snprintf(part, sizeof part, "(part win %d)", times);
    plan_text(text, sizeof text, &a, 1, type, false);
    if (!strstr(text, part))
        fail_msg("%d: %s", times, text);
    free(a.val);
    pattern_free(&p);
}

/* Rows that follow others with the same columns, which lie anywhere, go by windows of so many, short ones of
 * floats by windows of four. */
static void
test_alike_rows(void **state)
{
    enum { NODES = 2000, STRIDE = 777 };
    pattern nodes;

    (void)state;
    if (sb_target_get()->isa != SB_ISA_V4G)
        skip();
    nodes = pattern_ring(NODES, 61, STRIDE);
    for (int times = 2; times <= 4; times++) {
        expect_windows(&nodes, times, SB_F32);
        expect_windows(&nodes, times, SB_F64);
    }
    pattern_free(&nodes);
    nodes = pattern_ring(NODES, 19, STRIDE);
    expect_windows(&nodes, 4, SB_F32);
    pattern_free(&nodes);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_follows),    cmocka_unit_test(test_flows),
        cmocka_unit_test(test_lanes),      cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_alike_rows), cmocka_unit_test(test_window_prices),
    };

    return cmocka_run_group_tests(tests, plan_as_fast, NULL);
}
