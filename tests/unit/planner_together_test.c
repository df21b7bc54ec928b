/*
 * How many entries of a row are taken together, and how (planner/together.c); in what tiles on
 * Zen 3, where they are cut short (planner/rules_tile.c).
 */
#include "planner/rules.h"
#include "product_work.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Eight entries with the last ones masked: rows of B that share a register, rows of A that are
 * long or of lengths nobody foresees; in place, and where it was measured. */
static void
test_eights(void **state)
{
    static const struct {
        sb_isa isa;
        int64_t n;
        int size;
        sb_part_kind kind;
        double mean, ragged;
        bool want;
    } cases[] = {
        {SB_ISA_V4G, 8, 4, SB_PART_CSR, 9, 0, false}, /* one after the other */
        {SB_ISA_V4G, 4, 4, SB_PART_ROWS, 9, 0, false},
        {SB_ISA_V4G, 2, 8, SB_PART_ROWS, 9, 0, false},
        {SB_ISA_V4G, 8, 4, SB_PART_CSR, 5, 0.1, false},
        {SB_ISA_V4G, 8, 4, SB_PART_CSR, 5, 0.7, false},
        {SB_ISA_V4G, 8, 4, SB_PART_ROWS, 5, 0.7, false},
        {SB_ISA_V4G, 7, 4, SB_PART_CSR, 50, 1, false},
        {SB_ISA_V4G, 16, 4, SB_PART_CSR, 50, 1, false},
        {SB_ISA_V4G, 8, 4, SB_PART_PICK, 50, 1, false},
        {SB_ISA_V4, 8, 4, SB_PART_CSR, 150, 0, true},
        {SB_ISA_V4, 8, 4, SB_PART_ROWS, 50, 0, true},
        {SB_ISA_V4, 8, 4, SB_PART_CSR, 30, 0.1, false},
        {SB_ISA_V4, 4, 4, SB_PART_ROWS, 3, 0.5, true},
        {SB_ISA_V4G, 4, 8, SB_PART_CSR, 6, 0.1, false},
        {SB_ISA_V4, 16, 4, SB_PART_CSR, 50, 1, false},
        {SB_ISA_V3, 8, 4, SB_PART_CSR, 50, 1, false},
    };

    (void)state;
    for (int q = 0; q < (int)(sizeof cases / sizeof *cases); q++) {
        const sb_target t = {.isa = cases[q].isa};
        sb_work w = product(cases[q].n, cases[q].size);

        w.a_type = cases[q].size == 4 ? SB_F32 : SB_F64;
        assert_int_equal(sb_rule_together(&w, &t, cases[q].kind, 1, cases[q].mean,
                                          cases[q].ragged) == SB_SPEC_FEW,
                         cases[q].want);
    }
}

/* Zen 3: wide tiles where rows of B are asked for, and no half lines past the caches. */
static void
test_cut_short_on_zen3(void **state)
{
    const sb_target t = {.isa = SB_ISA_V3}, v4 = {.isa = SB_ISA_V4};
    sb_work w = product(48, 4);

    (void)state;
    assert_int_equal(sb_rule_tile(&w, &t, 0, 64, 0), 64);
    assert_int_equal(sb_rule_tile(&w, &t, 0, 0, 0), 32);
    assert_int_equal(sb_rule_tile(&w, &t, 3, 64, 0), sb_rule_tile(&w, &t, 3, 0, 0));
    assert_true(sb_rule_tile_streams(&w, &t, 64));
    assert_false(sb_rule_tile_streams(&w, &t, 32));
    assert_true(sb_rule_tile_streams(&w, &t, 16));
    assert_true(sb_rule_tile_streams(&w, &v4, 32));
    w = product(16, 4);
    assert_false(sb_rule_tile_streams(&w, &t, 32));
    w = product(24, 4);
    assert_true(sb_rule_tile_streams(&w, &t, 32));
    w = product(24, 8);
    assert_false(sb_rule_tile_streams(&w, &t, 16));
    w = product(32, 4);
    assert_int_equal(sb_rule_tile(&w, &t, 0, 64, 0), 32);
    w = product(528, 4); /* the last slab of 32 */
    assert_false(sb_rule_tile_streams(&w, &t, 32));
    w = product(48, 4); /* lists have no such kernels */
    assert_int_equal(sb_rule_tile_of(&w, &t, SB_PART_CSR, 1, 64, 0), 64);
    assert_int_equal(sb_rule_tile_of(&w, &t, SB_PART_ROWS, 1, 64, 0), 32);
    w.idx_size = 8; /* nor have columns of 64 bits */
    assert_int_equal(sb_rule_tile_of(&w, &t, SB_PART_CSR, 1, 64, 0), 32);
}

/* Zen 3: rows by a list are taken as plain rows are where their lengths are unknown. */
static void
test_lists_of_short_rows(void **state)
{
    const sb_target t = {.isa = SB_ISA_V3};
    sb_work w = product(16, 4);

    (void)state;
    w.a_type = SB_F32;
    assert_int_equal(sb_rule_together(&w, &t, SB_PART_CSR, 1, 6.2, 1), 1);
    assert_int_equal(sb_rule_together(&w, &t, SB_PART_ROWS, 1, 6.2, 1), 1);
    assert_int_equal(sb_rule_together(&w, &t, SB_PART_ROWS, 1, 6.2, 0), 2);
}

/* Rows in place one after the other, where that was measured. */
enum { MANY = 60000 };

static void
test_joined(void **state)
{
    static const struct {
        sb_isa isa;
        int64_t n;
        int size;
        sb_part_kind kind;
        double mean, ragged;
        int want;
        int64_t rows; /* 0: product()'s, which a predictor remembers */
    } cases[] = {
        {SB_ISA_V4, 8, 4, SB_PART_CSR, 13, 0.2, SB_SPEC_HALVES, 0},
        {SB_ISA_V4, 4, 8, SB_PART_CSR, 5, 0, SB_SPEC_HALVES, 0},
        {SB_ISA_V4, 8, 8, SB_PART_CSR, 467, 0.2, SB_SPEC_EIGHTS, 0},
        {SB_ISA_V4, 8, 8, SB_PART_CSR, 20, 0.2, SB_SPEC_HALVES, 0},
        {SB_ISA_V4, 8, 8, SB_PART_CSR, 20, 0.9, SB_SPEC_EIGHTS, 0},
        {SB_ISA_V4, 8, 4, SB_PART_CSR, 3, 0.6, SB_SPEC_HALVES, 0}, /* remembered */
        {SB_ISA_V4, 8, 4, SB_PART_CSR, 3, 0.6, SB_SPEC_JOIN, MANY},
        {SB_ISA_V4, 8, 4, SB_PART_CSR, 20, 0.9, SB_SPEC_EIGHTS, 0},
        {SB_ISA_V4, 8, 4, SB_PART_CSR, 20, 0.2, SB_SPEC_HALVES, MANY},
        {SB_ISA_V4, 2, 8, SB_PART_CSR, 60, 0.9, SB_SPEC_JOIN, 0},
        {SB_ISA_V4, 8, 4, SB_PART_CSR, 230, 0.9, SB_SPEC_FEW, 0},
        {SB_ISA_V4, 8, 4, SB_PART_CSR, 3, 0.2, 1, 0},
        {SB_ISA_V4, 16, 4, SB_PART_CSR, 13, 0.9, SB_SPEC_HALVES, 0},
        {SB_ISA_V4, 16, 4, SB_PART_CSR, 5, 0.9, SB_SPEC_EIGHTS, MANY},
        {SB_ISA_V4, 16, 4, SB_PART_CSR, 20, 0, SB_SPEC_EIGHTS, 0},
        {SB_ISA_V4, 8, 8, SB_PART_CSR, 13, 0.9, SB_SPEC_HALVES, 0},
        {SB_ISA_V4, 8, 8, SB_PART_CSR, 13, 0.9, SB_SPEC_JOIN, MANY},
        {SB_ISA_V4, 32, 4, SB_PART_CSR, 13, 0.9, SB_SPEC_HALVES, 0},
        {SB_ISA_V4, 32, 4, SB_PART_CSR, 5, 0, 1, 0},
        {SB_ISA_V4, 32, 8, SB_PART_CSR, 13, 0.9, 1, 0},
        {SB_ISA_V4G, 32, 4, SB_PART_CSR, 13, 0, 1, MANY},
        {SB_ISA_V4, 8, 4, SB_PART_PICK, 13, 0.2, 2, 0},
        {SB_ISA_V4G, 8, 4, SB_PART_CSR, 13, 0.2, SB_SPEC_HALVES, 0},
        {SB_ISA_V4G, 8, 8, SB_PART_CSR, 13, 0.2, SB_SPEC_HALVES, 0},
        {SB_ISA_V3, 8, 4, SB_PART_CSR, 13, 0.2, SB_SPEC_HALVES, 0},
        {SB_ISA_V3, 4, 8, SB_PART_CSR, 12, 0.9, SB_SPEC_JOIN, 0},
        {SB_ISA_V3, 8, 4, SB_PART_CSR, 7, 0.9, SB_SPEC_HALVES,
         0}, /* few rows: remembered */
        {SB_ISA_V3, 8, 4, SB_PART_CSR, 230, 0.9, SB_SPEC_HALVES, 0},
        {SB_ISA_V3, 8, 4, SB_PART_CSR, 3, 0.2, 1, 0},
        {SB_ISA_V3, 16, 4, SB_PART_CSR, 12, 0.9, SB_SPEC_HALVES, 0},
        {SB_ISA_V3, 16, 4, SB_PART_CSR, 6, 0.9, 1, 0},
        {SB_ISA_V3, 32, 4, SB_PART_CSR, 5, 0, 1, 0},
        {SB_ISA_V3, 16, 8, SB_PART_CSR, 13, 0, SB_SPEC_HALVES, 0},
        {SB_ISA_V2, 8, 4, SB_PART_CSR, 13, 0.2, 2, 0},
    };

    (void)state;
    for (int q = 0; q < (int)(sizeof cases / sizeof *cases); q++) {
        const sb_target t = {.isa = cases[q].isa};
        sb_work w = product(cases[q].n, cases[q].size);

        if (cases[q].rows)
            w.m = cases[q].rows;
        w.a_type = cases[q].size == 4 ? SB_F32 : SB_F64;
        assert_int_equal(
            sb_rule_together(&w, &t, cases[q].kind, 1, cases[q].mean, cases[q].ragged),
            cases[q].want);
    }
}

typedef struct joined_case {
    int64_t n, rows;
    int size;
    double mean, ragged;
    int want;
} joined_case;

static sb_work
work_of(const joined_case *c)
{
    sb_work w = product(c->n, c->size);

    w.m = c->rows;
    w.a_type = c->size == 4 ? SB_F32 : SB_F64;
    return w;
}

static int
rows_in_place(const joined_case *c, const sb_work *w, bool wide)
{
    const sb_target t = {.isa = SB_ISA_V4, .wide = wide};

    return sb_rule_together(w, &t, SB_PART_CSR, 1, c->mean, c->ragged);
}

/* The same on Zen 5, by how many rows a predictor has to remember. */
static void
test_joined_wide(void **state)
{
    static const joined_case cases[] = {
        {8, 40000, 4, 13, 0.2, SB_SPEC_EIGHTS},
        {8, 1000, 4, 230, 0.9, SB_SPEC_EIGHTS},
        {4, 40000, 4, 3, 0.7, SB_SPEC_EIGHTS},
        {2, 40000, 8, 3, 0.7, SB_SPEC_EIGHTS},
        {8, 40000, 4, 5, 0, SB_SPEC_HALVES},
        {8, 17000, 4, 7, 0.7, SB_SPEC_HALVES},
        {8, 40000, 4, 7, 0.7, SB_SPEC_EIGHTS},
        {8, 40000, 4, 3, 0.2, 1},
        {16, 8000, 4, 12, 0.8, SB_SPEC_HALVES},
        {16, 60000, 4, 12, 0.8, SB_SPEC_EIGHTS},
        {16, 4000, 4, 59, 0.2, SB_SPEC_EIGHTS},
        {8, 4000, 8, 59, 0.2, SB_SPEC_HALVES},
        {8, 8000, 8, 12, 0.8, SB_SPEC_HALVES},
        {8, 60000, 8, 12, 0.8, SB_SPEC_JOIN},
        {8, 14000, 8, 20, 0.9, SB_SPEC_JOIN},
        {32, 60000, 4, 12, 0.2, SB_SPEC_HALVES},
        /* short, and few enough to be remembered */
        {8, 32000, 4, 3, 0.2, SB_SPEC_HALVES},
        {8, 33000, 4, 3, 0.2, 1},
        {8, 3000, 4, 2.4, 0.2, 1},
        {8, 3000, 4, 2.4, 0.9, 1},
        {4, 3000, 4, 3, 0.9, SB_SPEC_HALVES},
        {4, 3000, 4, 3, 0.2, 1},
        {4, 3000, 8, 3, 0.2, SB_SPEC_HALVES},
        {16, 3000, 4, 3, 0.9, SB_SPEC_HALVES},
    };

    (void)state;
    for (int q = 0; q < (int)(sizeof cases / sizeof *cases); q++) {
        const sb_work w = work_of(&cases[q]);

        assert_int_equal(rows_in_place(&cases[q], &w, true), cases[q].want);
    }
}

/* Rows of B of any width on Zen 4 and 5: fours, but of rows that are short or forgotten, which are eights' up
 * to a line; of two lines on Zen 5 alone. */
static void
test_joined_any(void **state)
{
    static const joined_case cases[] = {
        {32, 2000, 4, 80, 1, SB_SPEC_FOURS},
        {32, 2000, 4, 16, 0, SB_SPEC_FOURS},
        {32, 9000, 4, 12, 0.7, SB_SPEC_FOURS},
        {32, 9000, 4, 12, 0.2, SB_SPEC_HALVES},
        {32, 60000, 4, 12, 0.9, 1},
        {32, 14000, 4, 20, 1, 1},
        {16, 4000, 8, 59, 0.2, SB_SPEC_FOURS},
        {3, 9000, 4, 12, 0.7, SB_SPEC_FOURS},
        {7, 48000, 4, 7, 0.47, SB_SPEC_FOURS},
        {7, 60000, 4, 4.4, 0.8, SB_SPEC_EIGHTS},
        {5, 9000, 8, 19, 0.2, SB_SPEC_FOURS},
        {7, 60000, 4, 3, 0.2, 1},
        {12, 14000, 4, 20, 1, 2},
        {12, 60000, 4, 12, 1, SB_SPEC_EIGHTS},
        {6, 60000, 8, 4, 0.5, SB_SPEC_EIGHTS},
        {3, 14000, 4, 20, 1, SB_SPEC_EIGHTS},
        {24, 14000, 4, 20, 1, 1},
        {24, 9000, 4, 20, 1, SB_SPEC_FOURS},
        {100, 9000, 4, 20, 1, SB_SPEC_FOURS},
        {50, 9000, 8, 20, 1, SB_SPEC_FOURS},
        {100, 9000, 8, 20, 1, 1},
        {200, 9000, 4, 20, 1, 1},
        {64, 9000, 4, 20, 1, 1},
        {300, 9000, 4, 20, 1, 1},
    };

    (void)state;
    for (int q = 0; q < (int)(sizeof cases / sizeof *cases); q++) {
        sb_work w = work_of(&cases[q]);

        assert_int_equal(rows_in_place(&cases[q], &w, true), cases[q].want);
        if (sb_rule_between(&w) && (cases[q].size == 4 || cases[q].n <= 16))
            assert_int_equal(rows_in_place(&cases[q], &w, false), cases[q].want);
        else
            assert_int_not_equal(rows_in_place(&cases[q], &w, false), SB_SPEC_FOURS);
        w.a_type = SB_F16;
        w.a_size = w.b_size = 2;
        assert_int_not_equal(rows_in_place(&cases[q], &w, true), SB_SPEC_FOURS);
    }
}

/* Long rows of A are eights' on Zen 5, where rows of B have half a line. */
static void
test_joined_long(void **state)
{
    static const joined_case cases[] = {
        {3, 9000, 4, 20, 0, SB_SPEC_EIGHTS},  {3, 9000, 4, 19, 0, SB_SPEC_FOURS},
        {7, 9000, 4, 300, 0, SB_SPEC_EIGHTS}, {3, 9000, 8, 30, 0.9, SB_SPEC_EIGHTS},
        {12, 9000, 4, 300, 0, SB_SPEC_FOURS}, {5, 9000, 8, 30, 0, SB_SPEC_FOURS},
    };

    (void)state;
    for (int q = 0; q < (int)(sizeof cases / sizeof *cases); q++) {
        const sb_work w = work_of(&cases[q]);

        assert_int_equal(rows_in_place(&cases[q], &w, true), cases[q].want);
        assert_int_equal(rows_in_place(&cases[q], &w, false), SB_SPEC_FOURS);
    }
}

/* Doubles in rows of B of more than two lines keep pairs on Zen 4, whatever their lengths. */
static void
test_pairs_of_doubles(void **state)
{
    static const joined_case cases[] = {
        {24, 14000, 8, 40, 1, 2}, {24, 1000, 8, 40, 0, 2}, {50, 9000, 8, 20, 1, 1}};

    (void)state;
    for (int q = 0; q < (int)(sizeof cases / sizeof *cases); q++) {
        const sb_work w = work_of(&cases[q]);
        const sb_target zen4 = {.isa = SB_ISA_V4};

        assert_int_equal(rows_in_place(&cases[q], &w, false), cases[q].want);
        assert_false(sb_rule_asks_ragged(&w, &zen4));
    }
}

/* A call without an analysis looks at lengths where they decide. */
static void
test_asks_ragged(void **state)
{
    const sb_target t = {.isa = SB_ISA_V4, .wide = true}, zen4 = {.isa = SB_ISA_V4};
    static const struct {
        int64_t n, rows;
        bool wide, other;
    } cases[] = {{8, 2000, true, true},     {7, 20000, true, true},
                 {7, 2000, false, false},   {24, 20000, true, true},
                 {24, 2000, false, false},  {32, 2000, true, false},
                 {64, 20000, false, false}, {200, 20000, false, false}};

    (void)state;
    for (int q = 0; q < (int)(sizeof cases / sizeof *cases); q++) {
        sb_work w = product(cases[q].n, 4);

        w.m = cases[q].rows;
        w.a_type = SB_F32;
        assert_int_equal(sb_rule_asks_ragged(&w, &t), cases[q].wide);
        assert_int_equal(sb_rule_asks_ragged(&w, &zen4), cases[q].other);
    }
}

/* Zen 5, and Zen 4 of longer rows; real types; SpMV's other forms and SpMM know none. */
static void
test_groups_of_eight_lanes(void **state)
{
    sb_work w = {.op = SB_OP_SPMV, .compute_size = 4};
    sb_target t = {.isa = SB_ISA_V4, .wide = true};

    (void)state;
    assert_int_equal(sb_rule_together(&w, &t, SB_PART_SEG, 0, 80, 0), 2);
    assert_int_equal(sb_rule_together(&w, &t, SB_PART_SEG, 0, 40, 0), 1);
    assert_int_equal(sb_rule_together(&w, &t, SB_PART_CSR, 0, 80, 0), 1);
    w.compute_size = 8;
    assert_int_equal(sb_rule_together(&w, &t, SB_PART_SEG, 0, 80, 0), 2);
    w.complex = true;
    assert_int_equal(sb_rule_together(&w, &t, SB_PART_SEG, 0, 80, 0), 1);
    w.complex = t.wide = false;
    assert_int_equal(sb_rule_together(&w, &t, SB_PART_SEG, 0, 80, 0), 1);
    assert_int_equal(sb_rule_together(&w, &t, SB_PART_SEG, 0, 120, 0), 2);
    t.isa = SB_ISA_V3; /* floats alone */
    assert_int_equal(sb_rule_together(&w, &t, SB_PART_SEG, 0, 120, 0), 1);
}

/* Registers of 32 bytes on Zen 4 where rows of a line or two are found in L1. */
static void
test_slim(void **state)
{
    const sb_stats near = {.mean = 59, .r4 = 2.9}, apart = {.mean = 59, .r4 = 1.2},
                   large = {.mean = 400, .r4 = 2.9};
    sb_target t = {.isa = SB_ISA_V4, .l1 = 32 << 10};
    sb_work w = product(32, 4), narrow = product(8, 4), doubles = product(16, 8);

    (void)state;
    w.a_type = narrow.a_type = SB_F32;
    doubles.a_type = SB_F64;
    assert_true(sb_rule_slim(&w, &t, &near));
    assert_true(sb_rule_slim(&doubles, &t, &near));
    assert_false(sb_rule_slim(&narrow, &t, &near));
    assert_false(sb_rule_slim(&w, &t, &apart));
    assert_false(sb_rule_slim(&w, &t, &large));
    t.wide = true;
    assert_false(sb_rule_slim(&w, &t, &near));
    t.wide = false;
    t.isa = SB_ISA_V3;
    assert_false(sb_rule_slim(&w, &t, &near));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_eights),
        cmocka_unit_test(test_lists_of_short_rows),
        cmocka_unit_test(test_cut_short_on_zen3),
        cmocka_unit_test(test_joined),
        cmocka_unit_test(test_joined_wide),
        cmocka_unit_test(test_pairs_of_doubles),
        cmocka_unit_test(test_joined_any),
        cmocka_unit_test(test_joined_long),
        cmocka_unit_test(test_asks_ragged),
        cmocka_unit_test(test_groups_of_eight_lanes),
        cmocka_unit_test(test_slim),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
