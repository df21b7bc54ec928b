/*
 * The rules of docs/kernels.md as they answer: register tiles and entries taken together.
 */
#include "planner/rules.h"
#include "product_work.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static int
taken_together(sb_isa isa, int64_t n, int size, double mean)
{
    const sb_work w = product(n, size);
    const sb_target t = {.isa = isa};

    return sb_rule_unroll(&w, &t, mean, 0);
}

static int
tile(sb_isa isa, int64_t n, int size, int block)
{
    const sb_work w = product(n, size);
    const sb_target t = {.isa = isa};

    return sb_rule_tile(&w, &t, block, 0, 0);
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
    assert_int_equal(taken_together(SB_ISA_V4, 3, 8, 6), 4); /* no kernel has pairs */
    assert_int_equal(taken_together(SB_ISA_V4, 3, 8, 5), 1);
    assert_int_equal(taken_together(SB_ISA_V4, 5, 8, 6), 2);
    assert_int_equal(taken_together(SB_ISA_V4G, 3, 8, 8), 2);
}

/* On Zen 4 rows of any width up to eight vectors are one tile, cut short or not. */
static void
test_one_tile(void **state)
{
    (void)state;
    assert_int_equal(tile(SB_ISA_V4, 65, 4, 0), 128);
    assert_int_equal(tile(SB_ISA_V4, 96, 4, 0), 128);
    assert_int_equal(tile(SB_ISA_V4, 64, 4, 0), 64);
    assert_int_equal(tile(SB_ISA_V4, 33, 4, 0), 64);
    assert_int_equal(tile(SB_ISA_V4, 32, 4, 0), 32);
    assert_int_equal(tile(SB_ISA_V4, 33, 8, 0), 64);
    assert_int_equal(tile(SB_ISA_V4, 47, 4, 3), 32);
    assert_int_equal(tile(SB_ISA_V4G, 47, 4, 0), 32);
    assert_int_equal(tile(SB_ISA_V3, 47, 4, 0), 32);
}

/* Six rows of 64 columns are 24 of 32 registers; twice as many do not fit. */
static void
test_tall_tiles(void **state)
{
    (void)state;
    assert_int_equal(tile(SB_ISA_V4, 128, 4, 6), 64);
    assert_int_equal(tile(SB_ISA_V4, 128, 4, 8), 32);
    assert_int_equal(tile(SB_ISA_V4, 128, 8, 6), 32);
    assert_int_equal(tile(SB_ISA_V4, 32, 4, 6), 32);
    assert_int_equal(tile(SB_ISA_V4G, 128, 4, 0), 128);
    assert_int_equal(tile(SB_ISA_V4, 128, 4, 0), 128);
    assert_int_equal(tile(SB_ISA_V4, 96, 4, 6), 64);
    assert_int_equal(tile(SB_ISA_V4G, 96, 4, 0), 64);
    assert_int_equal(tile(SB_ISA_V3, 128, 4, 0), 64);
    assert_int_equal(tile(SB_ISA_V4, 128, 8, 3), 64);
    assert_int_equal(tile(SB_ISA_V4, 128, 8, 4), 32);
    assert_int_equal(tile(SB_ISA_V4G, 128, 8, 3), 32);
    assert_int_equal(tile(SB_ISA_V4G, 128, 8, 0), 64);
}

/* Sixteen registers of 32 bytes: eight vectors of one row's sums, four each of two rows', two of
 * three to six; eight rows have no room beside B and their values. */
static void
test_sixteen_registers(void **state)
{
    const sb_target v3 = {.isa = SB_ISA_V3}, v4 = {.isa = SB_ISA_V4};
    const sb_work f32 = product(32, 4), f64 = product(32, 8);

    (void)state;
    assert_int_equal(tile(SB_ISA_V3, 32, 8, 2), 16);
    assert_int_equal(tile(SB_ISA_V3, 16, 8, 3), 8); /* a slab's width */
    assert_int_equal(tile(SB_ISA_V3, 128, 8, 4), 8);
    assert_int_equal(tile(SB_ISA_V3, 8, 8, 4), 8);
    assert_int_equal(tile(SB_ISA_V3, 32, 8, 0), 32);
    assert_int_equal(tile(SB_ISA_V3, 128, 8, 0), 32);
    assert_int_equal(tile(SB_ISA_V3, 12, 8, 0), 16);
    assert_int_equal(tile(SB_ISA_V3, 128, 4, 2), 32);
    assert_int_equal(tile(SB_ISA_V3, 32, 4, 4), 16);
    assert_int_equal(tile(SB_ISA_V3, 128, 4, 6), 16);
    assert_int_equal(tile(SB_ISA_V3, 8, 4, 4), 8);
    assert_int_equal(tile(SB_ISA_V4, 32, 8, 4), 32);
    assert_true(sb_rule_holds(&f32, &v3, 6));
    assert_true(sb_rule_holds(&f64, &v3, 6));
    assert_false(sb_rule_holds(&f32, &v3, 8));
    assert_false(sb_rule_holds(&f64, &v3, 8));
    assert_true(sb_rule_holds(&f32, &v4, 8));
    assert_true(sb_rule_holds(&f64, &v4, 6));
}

/* Rows of B of eight lines and more, on Zen: one entry at a time, none ahead within a row, C past
 * the caches whatever the rows' length; and windows of long rows alone. Elsewhere as before. */
static void
test_many_lines(void **state)
{
    static const struct {
        sb_isa isa;
        int64_t n;
        bool many;
    } cases[] = {{SB_ISA_V4, 512, true}, {SB_ISA_V4, 128, true},
                 {SB_ISA_V4, 96, false}, {SB_ISA_V4G, 512, false},
                 {SB_ISA_V3, 512, true}, {SB_ISA_V3, 96, false}};

    (void)state;
    for (int q = 0; q < (int)(sizeof cases / sizeof *cases); q++) {
        const sb_target t = {
            .isa = cases[q].isa, .threads = 1, .l2 = 1 << 20, .l3 = 32 << 20};
        sb_problem pb = by_rows(40000, cases[q].n);
        const bool zen = cases[q].isa != SB_ISA_V4G;
        /* long rows of B are asked for ahead while few rows of A ask */
        const bool ahead = cases[q].isa == SB_ISA_V4 || cases[q].n < 512;
        sb_work large;
        const sb_work w = product(cases[q].n, 4), rows = {.m = 40000,
                                                          .k = 40000,
                                                          .n = cases[q].n,
                                                          .b_size = 4,
                                                          .c_size = 4,
                                                          .compute_size = 4};

        assert_int_equal(sb_rule_unroll(&w, &t, 100, 0), cases[q].many ? 1 : 2);
        assert_int_equal(sb_rule_prefetch(&pb, 1e9, 0, 1, false, &t), zen ? 64 : 8);
        assert_int_equal(sb_rule_prefetch(&pb, 1e9, 0, 1, true, &t), zen ? 64 : 0);
        pb.a.nnz = 13 * pb.a.rows;
        assert_int_equal(sb_rule_prefetch(&pb, 1e9, 0, 1, true, &t),
                         zen && ahead ? 64 : 0);
        assert_int_equal(sb_rule_stream(&pb, &rows, 100, &t), cases[q].many);
        assert_true(sb_rule_stream(&pb, &rows, 10, &t));
        assert_int_equal(sb_rule_windows(&w, &t, 26),
                         !cases[q].many || cases[q].n < 256); /* V4G: 2048 bytes */
        assert_true(sb_rule_windows(&w, &t, 59));
        assert_true((sb_rule_panel_run(&rows, &t, 128) > 13) ==
                    (cases[q].isa == SB_ISA_V4 && w.n == 512));
        assert_true((sb_rule_panel_run(&rows, &t, 32) > 13) ==
                    (sb_rule_panel_run(&rows, &t, 128) > 13 ||
                     (cases[q].isa == SB_ISA_V3 && w.n == 96)));
        assert_true(isinf(sb_rule_panel_run(&w, &t, 128)) ==
                    (cases[q].isa == SB_ISA_V3 || /* a B of no row: planner_fast_test */
                     (cases[q].isa == SB_ISA_V4G && w.n == 512)));
        large = w;
        large.nnz = 3 << 20;
        assert_true(sb_rule_segments(&w, &t));
        assert_true(sb_rule_segments(&large, &t) == (cases[q].isa != SB_ISA_V3));
    }
}

/* Zen 3: of narrow rows of B so many entries for what L1 holds of a panel. */
static void
test_panels_of_narrow_rows(void **state)
{
    const sb_target zen3 = {.isa = SB_ISA_V3, .l2 = 512 << 10};
    const sb_work floats = product(32, 4), doubles = product(16, 8);

    (void)state;
    assert_true(sb_rule_panel_run(&floats, &zen3, 128) == 12);
    assert_true(sb_rule_panel_run(&floats, &zen3, 256) == 12);
    assert_true(sb_rule_panel_run(&floats, &zen3, 512) == 24);
    assert_true(sb_rule_panel_run(&doubles, &zen3, 512) == 24);
}

/* Zen 5: panels are for rows of A of two dozen entries and more. */
static void
test_panels_of_short_rows(void **state)
{
    const sb_target zen4 = {.isa = SB_ISA_V4, .l2 = 1 << 20},
                    zen5 = {.isa = SB_ISA_V4, .wide = true, .l2 = 1 << 20};
    sb_work w = product(128, 4);

    (void)state;
    w.m = 1000;
    w.nnz = 23 * w.m;
    assert_true(isinf(sb_rule_panel_run(&w, &zen5, 128)));
    assert_false(isinf(sb_rule_panel_run(&w, &zen4, 128)));
    w.nnz = 24 * w.m;
    assert_false(isinf(sb_rule_panel_run(&w, &zen5, 128)));
}

/* Rules for columns shared by position are of the cores that were measured; wide products
 * want fewer rows together. An A whose positions would leave L3 has none. */
static void
test_positions(void **state)
{
    const sb_target zen = {.isa = SB_ISA_V4, .wide = true, .l3 = 32 << 20},
                    zen4 = {.isa = SB_ISA_V4, .l3 = 32 << 20},
                    fast = {.isa = SB_ISA_V4G, .l3 = 32 << 20},
                    old = {.isa = SB_ISA_V3, .l3 = 32 << 20};
    const sb_work narrow = product(8, 4);
    sb_work w32 = product(32, 4), wide = product(128, 8), large = wide;

    (void)state;
    assert_true(sb_rule_positions(&w32, &zen, 2)); /* prices decide */
    assert_true(sb_rule_positions(&w32, &zen4, 2));
    w32.col_major = wide.col_major = true; /* none there */
    assert_true(sb_rule_positions(&w32, &zen, 4));
    assert_false(sb_rule_positions(&w32, &zen, 3));
    assert_true(sb_rule_positions(&wide, &zen, 3));
    assert_false(sb_rule_positions(&wide, &zen, 2));
    assert_false(sb_rule_positions(&narrow, &zen4, 8));
    assert_false(sb_rule_positions(&narrow, &zen, 8));
    assert_true(sb_rule_positions(&wide, &fast, 4)); /* if holes cut runs: choose.c */
    assert_false(sb_rule_positions(&wide, &fast, 3));
    assert_false(sb_rule_positions(&narrow, &fast, 8));
    assert_false(sb_rule_positions(&wide, &old, 8));
    large.ptr_size = 4; /* beside a value of 8 bytes */
    large.nnz = 700000;
    assert_false(sb_rule_positions(&large, &zen, 6));
    large.nnz = 600000;
    assert_true(sb_rule_positions(&large, &zen, 6));
}

/* Prices were fitted to floats and doubles by rows, on Zen 4 and 5. */
static void
test_by_price(void **state)
{
    const sb_target zen4 = {.isa = SB_ISA_V4}, zen5 = {.isa = SB_ISA_V4, .wide = true},
                    zen3 = {.isa = SB_ISA_V3};
    sb_work w = product(32, 4);

    (void)state;
    assert_true(sb_rule_by_price(&w, &zen4) && sb_rule_by_price(&w, &zen5));
    assert_false(sb_rule_by_price(&w, &zen3));
    w.col_major = true;
    assert_false(sb_rule_by_price(&w, &zen4));
    w = product(31, 4);
    assert_false(sb_rule_by_price(&w, &zen4));
    w = product(64, 4);
    w.b_size = 2;
    assert_false(sb_rule_by_price(&w, &zen4));
}

/* What windows leave over is read by narrow tiles where rows of B have eight lines and more. */
static void
test_least_share(void **state)
{
    const sb_target zen = {.isa = SB_ISA_V4}, fast = {.isa = SB_ISA_V4G};
    const sb_work w32 = product(32, 4), wide = product(128, 4);
    const sb_work dots = {.op = SB_OP_SDDMM, .n = 4000, .k = 128, .b_size = 4};

    (void)state;
    assert_true(sb_rule_shared(&w32, &zen) == 0.5);
    assert_true(sb_rule_shared(&wide, &zen) > 0.66);
    assert_true(sb_rule_shared(&wide, &fast) == 0.5);
    assert_true(sb_rule_shared(&dots, &zen) == 0.5);
}

/* C that would not stay in the last cache until it is read goes past it though it is not
 * large: 5 MB of C, as many of B, and A against half of L3; rows of it have four lines or
 * more, and those of A are short or those of B long. */
static void
test_streams_what_cannot_stay(void **state)
{
    sb_target t = {.isa = SB_ISA_V4, .threads = 2, .l2 = 1 << 20, .l3 = 32 << 20};
    sb_problem pb = by_rows(10000, 128);
    sb_work w = product(128, 4);

    (void)state;
    w.m = w.k = 10000;
    w.a_size = w.idx_size = 4;
    w.nnz = 800000;
    assert_false(sb_rule_stream(&pb, &w, 62, &t));
    w.nnz = 900000;
    assert_true(sb_rule_stream(&pb, &w, 62, &t));
    t.isa = SB_ISA_V4G;
    assert_false(sb_rule_stream(&pb, &w, 62, &t));
    t.isa = SB_ISA_V4;
    w.n = pb.b.cols = pb.c.cols = 64;
    w.nnz = 1500000;
    assert_false(sb_rule_stream(&pb, &w, 62, &t));
    assert_true(sb_rule_stream(&pb, &w, 15, &t));
    pb.c.ld = 72;
    assert_false(sb_rule_stream(&pb, &w, 15, &t));
    pb.c.ld = 80;
    assert_true(sb_rule_stream(&pb, &w, 15, &t));
    w.n = pb.b.cols = pb.c.cols = 63;
    assert_false(sb_rule_stream(&pb, &w, 15, &t));
    w.n = pb.b.cols = pb.c.cols = pb.c.ld = 96; /* a tile of 128, by whole lines */
    assert_true(sb_rule_stream(&pb, &w, 15, &t));
    pb.c.ld = 112;
    w.n = pb.b.cols = pb.c.cols = 100; /* masks cut the seventh line */
    assert_false(sb_rule_stream(&pb, &w, 15, &t));
    t.isa = SB_ISA_V3; /* half of L3; rows of 64 bytes 0.8 of it */
    w.n = pb.b.cols = pb.c.cols = pb.c.ld = 32;
    w.nnz = 1700000;
    assert_false(sb_rule_stream(&pb, &w, 15, &t));
    w.nnz = 1800000;
    assert_true(sb_rule_stream(&pb, &w, 15, &t));
    w.n = pb.b.cols = pb.c.cols = pb.c.ld = 16;
    w.nnz = 3100000;
    assert_false(sb_rule_stream(&pb, &w, 15, &t));
    w.nnz = 3200000;
    assert_true(sb_rule_stream(&pb, &w, 15, &t));
    pb.c.ld = 48;
    w.n = 36; /* a line's rest of 16 bytes, of 48: a vector and a part of one */
    assert_true(sb_rule_stream(&pb, &w, 15, &t));
    w.n = 44;
    assert_false(sb_rule_stream(&pb, &w, 15, &t));
}

/* On Zen 4 rows of B are asked for ahead, C streamed or not, where A, B and C leave L3, the
 * farther the more often a row of B is asked for (three rows of A together ask once), and
 * where they have two lines; elsewhere where B leaves half of L3 and C is not streamed. */
static void
test_asks_ahead(void **state)
{
    sb_target t = {.isa = SB_ISA_V4, .threads = 2, .l2 = 1 << 20, .l3 = 32 << 20};
    sb_problem pb = by_rows(40000, 128);
    sb_problem dots = pb;
    const sb_work one = product(128, 4);
    const double b = 40000 * 512.0;

    (void)state;
    dots.op = SB_OP_SDDMM;
    pb.a.idx_type = SB_I32;
    pb.a.nnz = 120000;
    assert_int_equal(sb_rule_prefetch(&pb, b, 0, 1, true, &t), 64);
    assert_int_equal(sb_rule_prefetch(&pb, b, 0, 1, false, &t), 64);
    assert_int_equal(sb_rule_prefetch(&pb, b / 2, 0, 1, true, &t), 0);
    pb.a.nnz = 2400000; /* 60 for a row: 60 MB are within 1.8 times L3 */
    assert_int_equal(sb_rule_prefetch(&pb, b, 0, 1, true, &t), 0);
    assert_int_equal(sb_rule_prefetch(&pb, b, 0, 3, true, &t), 64);
    pb.b.cols = pb.c.cols = 31;
    assert_int_equal(sb_rule_prefetch(&pb, 1e9, 0, 1, true, &t), 0);
    dots.b.cols = 128;
    assert_int_equal(sb_rule_prefetch(&dots, b, 0, 1, false, &t), 64);
    assert_int_equal(sb_rule_prefetch(&dots, b / 4, 0, 1, false, &t), 0);
    dots.b.cols = 127;
    assert_int_equal(sb_rule_prefetch(&dots, b, 0, 1, false, &t), 0);
    t.isa = SB_ISA_V3; /* dots from 32 floats on, from half of L3 on */
    assert_int_equal(sb_rule_prefetch(&dots, b, 0, 1, false, &t), 64);
    assert_int_equal(sb_rule_prefetch(&dots, b / 4, 0, 1, false, &t), 64);
    dots.b.cols = 32;
    assert_int_equal(sb_rule_prefetch(&dots, b / 4, 0, 1, false, &t), 0);
    assert_int_equal(sb_rule_prefetch(&dots, 12 << 20, 0, 1, false, &t), 64);
    dots.b.cols = 31;
    assert_int_equal(sb_rule_prefetch(&dots, 12 << 20, 0, 1, false, &t), 0);
    /* products from 8 floats on: 19 MB of A, 60 entries for a row of B */
    pb.b.cols = pb.c.cols = 8;
    assert_int_equal(sb_rule_prefetch(&pb, 23 << 20, 0, 1, false, &t), 64);
    assert_int_equal(sb_rule_prefetch(&pb, 22 << 20, 0, 1, false, &t), 0);
    assert_int_equal(sb_rule_prefetch(&pb, 22 << 20, 0, 3, false, &t), 64);
    pb.b.cols = pb.c.cols = 7;
    assert_int_equal(sb_rule_prefetch(&pb, 23 << 20, 0, 1, false, &t), 0);
    assert_true(sb_rule_slab_asks(&one, 0, &t));
    assert_false(sb_rule_slab_asks(&one, 16, &t));
    t.isa = SB_ISA_V4G;
    assert_false(sb_rule_slab_asks(&one, 16, &t));
    assert_int_equal(sb_rule_prefetch(&pb, 17 << 20, 0, 1, false, &t), 0);
    pb.b.cols = pb.c.cols = 32;
    assert_int_equal(sb_rule_prefetch(&pb, 17 << 20, 0, 1, false, &t), 8);
    assert_int_equal(sb_rule_prefetch(&pb, 17 << 20, 0, 1, true, &t), 0);
    assert_int_equal(sb_rule_prefetch(&pb, 15 << 20, 0, 1, false, &t), 0);
}

/* Zen 5: where more of L3 is left; not long rows that are asked for often, nor the longest, but
 * where three rows of A ask together. */
static void
test_asks_ahead_on_wide(void **state)
{
    const sb_target t = {.isa = SB_ISA_V4, .wide = true, .l3 = 32 << 20};
    sb_problem pb = by_rows(40000, 128), dots;

    (void)state;
    pb.a.idx_type = SB_I32;
    pb.a.nnz = 120000;
    assert_int_equal(sb_rule_prefetch(&pb, 60000 * 512.0, 0, 1, true, &t), 0);
    assert_int_equal(sb_rule_prefetch(&pb, 70000 * 512.0, 0, 1, true, &t), 56);
    dots = pb;
    dots.op = SB_OP_SDDMM;
    assert_int_equal(sb_rule_prefetch(&dots, 1e9, 0, 1, false, &t), 32);
    dots.b.cols = 256;
    assert_int_equal(sb_rule_prefetch(&dots, 1e9, 0, 1, false, &t), 16);
    pb.b.cols = pb.c.cols = 512;
    assert_int_equal(sb_rule_prefetch(&pb, 1e9, 0, 1, true, &t), 16);
    pb.a.nnz = 440000;
    assert_int_equal(sb_rule_prefetch(&pb, 1e9, 0, 1, true, &t), 0);
    assert_true(sb_rule_leaves(&pb, 1e9, 0, 1, &t));
    pb.b.col_major = true;
    assert_false(sb_rule_leaves(&pb, 1e9, 0, 1, &t));
    pb.b.col_major = false;
    dots.b.cols = 31;
    assert_false(sb_rule_leaves(&dots, 1e9, 0, 1, &t));
    assert_int_equal(sb_rule_prefetch(&pb, 1e9, 0, 3, true, &t), 64);
    pb.a.nnz = 120000;
    pb.b.cols = pb.c.cols = 1024;
    assert_int_equal(sb_rule_prefetch(&pb, 1e9, 0, 1, true, &t), 0);
}

/* Zen 5: rows of B of half a line and a line, where B by itself is too large for L3 and few ask for
 * each. */
static void
test_asks_for_short_rows(void **state)
{
    const sb_target t = {.isa = SB_ISA_V4, .wide = true, .l3 = 32 << 20};
    const sb_target zen4 = {.isa = SB_ISA_V4, .l3 = 32 << 20};
    sb_problem pb = by_rows(700000, 8), other;

    (void)state;
    pb.a.nnz = 4700000;
    assert_int_equal(sb_rule_prefetch(&pb, 19 << 20, 0, 1, true, &t), 0);
    assert_int_equal(sb_rule_prefetch(&pb, 20 << 20, 0, 1, true, &t), 56);
    assert_int_equal(sb_rule_prefetch(&pb, 20 << 20, 0, 1, true, &zen4), 0);
    assert_int_equal(sb_rule_prefetch(&pb, 20 << 20, 0, 3, true, &t), 0);
    assert_false(
        sb_rule_leaves(&pb, 20 << 20, 0, 1, &t)); /* nothing else depends on it */
    other = pb;
    other.compute = SB_C32;
    other.a.val_type = other.b.type = other.c.type = SB_C32;
    assert_int_equal(sb_rule_prefetch(&other, 20 << 20, 0, 1, true, &t), 0);
    other = pb;
    other.b.col_major = true;
    assert_int_equal(sb_rule_prefetch(&other, 20 << 20, 0, 1, true, &t), 0);
    pb.b.cols = pb.c.cols = 12; /* by fours, to their ends */
    assert_int_equal(sb_rule_prefetch(&pb, 20 << 20, 0, 1, true, &t), 0);
    pb.b.cols = pb.c.cols = 4;
    assert_int_equal(sb_rule_prefetch(&pb, 20 << 20, 0, 1, true, &t), 0);
    pb.b.cols = pb.c.cols = 16;
    assert_int_equal(sb_rule_prefetch(&pb, 20 << 20, 0, 1, true, &t), 56);
    pb.a.nnz = 20 * 700000;
    assert_int_equal(sb_rule_prefetch(&pb, 20 << 20, 0, 1, true, &t), 0);
}

/* Zen 5 takes 128 doubles at once, but where rows of B are asked for ahead; four vectors of sums
 * want no pairs; two do where rows are long or of lengths nobody foresees. */
static void
test_wide(void **state)
{
    const sb_target t = {.isa = SB_ISA_V4, .wide = true};
    const sb_target zen4 = {.isa = SB_ISA_V4};
    sb_work w = product(128, 8);

    (void)state;
    assert_int_equal(sb_rule_tile(&w, &t, 0, 0, 0), 128);
    assert_int_equal(sb_rule_tile(&w, &t, 0, 64, 0), 64);
    assert_int_equal(sb_rule_tile(&w, &t, 3, 0, 0), 64);
    assert_int_equal(sb_rule_tile(&w, &zen4, 0, 0, 0), 64);
    w = product(256, 8);
    assert_true(sb_rule_windows(&w, &t, 8));
    assert_false(sb_rule_windows(&w, &zen4, 8));
    w = product(128, 8);
    assert_false(sb_rule_windows(&w, &t, 8));
    w = product(64, 4);
    assert_int_equal(sb_rule_together(&w, &t, SB_PART_CSR, 0, 100, 0), 1);
    assert_int_equal(sb_rule_together(&w, &zen4, SB_PART_CSR, 0, 100, 0), 2);
    w = product(32, 4);
    w.a_size = 4;
    w.a_type = SB_F32;
    assert_int_equal(sb_rule_together(&w, &t, SB_PART_CSR, 0, 100, 0), SB_SPEC_FOURS);
    assert_int_equal(sb_rule_together(&w, &t, SB_PART_CSR, 0, 12, 0.5), SB_SPEC_FOURS);
    assert_int_equal(sb_rule_together(&w, &t, SB_PART_CSR, 0, 11, 0.5), SB_SPEC_HALVES);
    assert_int_equal(sb_rule_together(&w, &t, SB_PART_CSR, 0, 10, 0), SB_SPEC_HALVES);
    assert_int_equal(sb_rule_together(&w, &zen4, SB_PART_CSR, 0, 100, 0),
                     SB_SPEC_HALVES);
}

/* All of a row in place that is cut short, as far as registers go and nothing is asked for. */
static void
test_single_tile(void **state)
{
    const sb_target t = {.isa = SB_ISA_V4, .wide = true};
    static const struct {
        int64_t n, nnz;
        int size, prefetch, want;
    } cases[] = {{127, 20000, 8, 0, 128}, {127, 2000, 8, 64, 64},
                 {64, 20000, 8, 0, 64},   {96, 7000, 8, 64, 128},
                 {96, 8000, 8, 64, 64},   {129, 20000, 4, 0, 256},
                 {208, 7000, 4, 64, 256}, {200, 20000, 4, 64, 128}};

    (void)state;
    for (int q = 0; q < (int)(sizeof cases / sizeof *cases); q++) {
        const int ahead = cases[q].prefetch;
        sb_work w = product(cases[q].n, cases[q].size);

        w.a_type = cases[q].size == 4 ? SB_F32 : SB_F64;
        w.a_size = cases[q].size;
        w.m = 1000;
        w.nnz = cases[q].nnz;
        assert_int_equal(sb_rule_tile_of(&w, &t, SB_PART_CSR, 0, ahead, 0),
                         cases[q].want);
        assert_int_equal(sb_rule_tile_of(&w, &t, SB_PART_PICK, 0, ahead, 0),
                         sb_rule_tile(&w, &t, 0, ahead, 0));
        w.a_type = SB_C32;
        assert_true(sb_rule_tile_of(&w, &t, SB_PART_CSR, 0, ahead, 0) <= 128);
    }
}

/* Rows at the end need no kernel that streams or asks ahead beside shared columns that have one. */
static void
test_last_rows(void **state)
{
    const unsigned rows = 1U << SB_PART_ROWS, both = rows | 1U << SB_PART_SHARE;
    const sb_problem pb = by_rows(16000, 128);
    sb_choice ch = {
        .op = SB_OP_SPMM, .npart = 2, .stream = true, .tile = 64, .prefetch = 64};
    sb_spec s;

    (void)state;
    ch.part[0] = (sb_part_choice){.kind = SB_PART_SHARE, .size = 3};
    ch.part[1] = (sb_part_choice){.kind = SB_PART_ROWS, .c = 1, .k = -1};
    sb_spec_of(&s, &pb, &ch, rows, SB_I32, SB_I32);
    assert_false(s.stream);
    assert_int_equal(s.prefetch, 0);
    sb_spec_of(&s, &pb, &ch, both, SB_I32, SB_I32);
    assert_true(s.stream);
    assert_int_equal(s.prefetch, 64);
    ch.part[0].kind = SB_PART_WIN;
    sb_spec_of(&s, &pb, &ch, rows, SB_I32, SB_I32);
    assert_true(s.stream);
}

/* Meshes (brack2 1.49, cage10 1.21) gain nothing from partitions of columns, graphs (twitch_de
 * 1.06) do. */
static void
test_partitions(void **state)
{
    const sb_target zen = {.isa = SB_ISA_V4}, other = {.isa = SB_ISA_V4G};

    (void)state;
    assert_true(sb_rule_local(&zen, 1.21));
    assert_false(sb_rule_local(&zen, 1.07));
    assert_false(sb_rule_local(&other, 1.21));
}

/* Where a lane a row was measured, and slices without entries left over. */
static void
test_packed_lanes(void **state)
{
    const sb_target zen3 = {.isa = SB_ISA_V3}, zen4 = {.isa = SB_ISA_V4};
    const sb_target zen5 = {.isa = SB_ISA_V4, .wide = true},
                    intel = {.isa = SB_ISA_V4G};
    sb_work thin = {.op = SB_OP_SPMV, .a_type = SB_F32, .a_size = 4, .compute_size = 4};

    (void)state;
    assert_true(sb_rule_packed_lanes(&zen3) && sb_rule_packed_lanes(&zen4) &&
                sb_rule_packed_lanes(&zen5));
    assert_false(sb_rule_packed_lanes(&intel));
    /* thin diagonals were measured on Zen 4, of values that are computed with as they are */
    assert_true(sb_rule_thin(&thin, &zen4));
    assert_false(sb_rule_thin(&thin, &zen3) || sb_rule_thin(&thin, &zen5) ||
                 sb_rule_thin(&thin, &intel));
    thin.compute_size = 8;
    assert_false(sb_rule_thin(&thin, &zen4));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_one_tile),
        cmocka_unit_test(test_tall_tiles),
        cmocka_unit_test(test_many_lines),
        cmocka_unit_test(test_partitions),
        cmocka_unit_test(test_sixteen_registers),
        cmocka_unit_test(test_panels_of_narrow_rows),
        cmocka_unit_test(test_panels_of_short_rows),
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_by_price),
        cmocka_unit_test(test_last_rows),
        cmocka_unit_test(test_least_share),
        cmocka_unit_test(test_streams_what_cannot_stay),
        cmocka_unit_test(test_asks_ahead),
        cmocka_unit_test(test_asks_ahead_on_wide),
        cmocka_unit_test(test_asks_for_short_rows),
        cmocka_unit_test(test_wide),
        cmocka_unit_test(test_single_tile),
        cmocka_unit_test(test_packed_lanes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
