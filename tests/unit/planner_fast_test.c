/*
 * Where gathers are fast (level v4g: Emerald Rapids): which products go by slabs, panels, joined rows
 * and orders of rows there; of one column: planner_fast_vector_test.
 */
#include "base/macro.h"
#include "fast.h"
#include "plan_text.h"
#include "planner/rules.h"
#include "planner/slabs.h"
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

/* Slabs of 256 bytes, of one width or not, where each row of B is asked for two dozen times: of
 * rows of 1024 bytes where L2 does not hold B, of shorter ones never. Where L2 holds a B whose rows have 2048 bytes,
 * but L1 no slab of it, 64 times. */
static void
test_slabs(void **state)
{
    static const struct {
        int64_t k, n, entries;
        int size, want;
    } cases[] = {
        {3000, 512, 24, 4, 64},  {3000, 512, 23, 4, 0},  {3000, 128, 24, 8, 32},
        {3000, 256, 24, 4, 64},  {2000, 256, 24, 4, 0},  {500, 512, 64, 4, 64},
        {3000, 500, 24, 4, 64},  {3000, 300, 24, 8, 32}, {9000, 128, 90, 4, 0},
        {90000, 512, 24, 4, 64}, {500, 512, 63, 4, 0},   {1024, 256, 63, 8, 0},
        {1025, 512, 24, 4, 64},  {500, 1024, 24, 4, 64}, {192, 512, 24, 4, 64},
        {193, 512, 24, 4, 0},
    };

    (void)state;
    for (int q = 0; q < SB_COUNT(cases); q++) {
        sb_problem pb = by_rows(cases[q].k, cases[q].n);
        const sb_work w =
            square(cases[q].k, cases[q].n, cases[q].size, cases[q].entries);

        sb_work other = w; /* nobody has timed complex and 16-bit ones */

        if (sb_slab_width(&pb, &w, &fast) != cases[q].want)
            fail_msg("case %d", q);
        other.complex = true;
        assert_int_equal(sb_slab_width(&pb, &other, &fast), 0);
        other = w;
        other.b_size = 2;
        assert_int_equal(sb_slab_width(&pb, &other, &fast), 0);
    }
}

/* Only of columns all over B, however many ask. */
static void
test_scattered(void **state)
{
    static const gen_family families[] = {GEN_UNIFORM, GEN_BANDED};

    (void)state;
    for (int q = 0; q < SB_COUNT(families); q++) {
        const gen_spec spec = {.family = families[q],
                               .rows = 600,
                               .cols = 600,
                               .density = 0.1,
                               .seed = 1,
                               .ptr_type = SB_I32,
                               .idx_type = SB_I32,
                               .val_type = SB_F32};
        const sb_work w = square(600, 512, 4, 70);
        sb_problem pb = by_rows(600, 512);
        sb_view v;

        pb.a = gen_matrix(&spec);
        assert_int_equal(sb_view_make(&v, &pb.a, false, NULL), SB_OK);
        assert_int_equal(sb_slab_rows(&pb, &v, &w, &fast), q == 0 ? 64 : 0);
        sb_view_free(&v);
        gen_free_matrix(&pb.a);
    }
}

/* Panels where L2 does not nearly hold B; of longer segments where it just does; of sixteen doubles
 * none. */
static void
test_panels(void **state)
{
    const sb_work held = square(1600, 128, 4, 50), just = square(1700, 128, 4, 50),
                  beyond = square(4200, 128, 4, 50), narrow = square(4200, 16, 8, 50);
    sb_work floats = square(4200, 32, 4, 50);

    (void)state;
    assert_true(isinf(sb_rule_panel_run(&held, &fast, 128)));
    assert_true(sb_rule_panel_run(&just, &fast, 128) == 20);
    assert_true(sb_rule_panel_run(&beyond, &fast, 128) == 6);
    assert_true(isinf(sb_rule_panel_run(&narrow, &fast, 128)));
    assert_true(sb_rule_panel_run(&floats, &fast, 128) == 6);
    /* in place only of an A of four L2s, where rows of B are short */
    floats.a_size = floats.idx_size = 4;
    floats.nnz = 1 << 20;
    assert_true(sb_rule_segments(&floats, &fast));
    floats.nnz++;
    assert_false(sb_rule_segments(&floats, &fast));
    floats.n = 128;
    assert_true(sb_rule_segments(&floats, &fast));
}

/* Rows one after the other: by masks where lengths are neither foreseen nor remembered, or rows long. */
static void
test_joined(void **state)
{
    enum { KEPT = 8191, MANY };
    static const struct {
        int64_t m, n;
        int size;
        double mean, ragged;
        int want;
    } cases[] = {
        {MANY, 4, 4, 3, 0.5, SB_SPEC_EIGHTS},
        {KEPT, 4, 4, 2.4, 0.5, 1},
        {KEPT, 4, 4, 2.5, 0.5, SB_SPEC_HALVES},
        {KEPT, 4, 8, 2.5, 0.4, SB_SPEC_HALVES},
        {KEPT, 16, 4, 3, 0.5, 1},
        {KEPT, 4, 4, 4, 0.5, SB_SPEC_HALVES},
        {KEPT, 4, 4, 8, 0.5, SB_SPEC_EIGHTS},
        {MANY, 4, 4, 3, 0.4, 1},
        {MANY, 4, 4, 15, 0.4, SB_SPEC_HALVES},
        {MANY, 4, 4, 16, 0.4, SB_SPEC_EIGHTS},
        {MANY, 8, 4, 3, 0.5, SB_SPEC_EIGHTS},
        {KEPT, 8, 4, 15, 0.5, SB_SPEC_HALVES},
        {KEPT, 8, 4, 16, 0.5, SB_SPEC_EIGHTS},
        {MANY, 8, 4, 15, 0.4, SB_SPEC_HALVES},
        {MANY, 8, 4, 16, 0.4, SB_SPEC_EIGHTS},
        {MANY, 4, 8, 31, 0.4, SB_SPEC_HALVES},
        {MANY, 4, 8, 32, 0.4, SB_SPEC_EIGHTS},
        {MANY, 16, 4, 3, 0.5, SB_SPEC_EIGHTS},
        {KEPT, 16, 4, 15, 0.5, SB_SPEC_HALVES},
        {MANY, 16, 4, 31, 0.4, SB_SPEC_HALVES},
        {MANY, 16, 4, 32, 0.4, SB_SPEC_EIGHTS},
        {MANY, 8, 8, 39, 0.5, SB_SPEC_JOIN},
        {MANY, 8, 8, 40, 0.5, SB_SPEC_EIGHTS},
        {KEPT, 8, 8, 15, 0.5, SB_SPEC_HALVES},
        {MANY, 8, 8, 31, 0.4, SB_SPEC_HALVES},
        {MANY, 8, 8, 32, 0.4, SB_SPEC_JOIN},
        {KEPT, 32, 4, 6, 0.9, SB_SPEC_FOURS},
        {KEPT, 32, 4, 5, 0.9, 1},
        {KEPT, 16, 8, 15, 0.1, SB_SPEC_FOURS},
        {KEPT, 32, 4, 16, 0.9, 2},
        {MANY, 32, 4, 13, 0.9, 1},
        {MANY, 32, 4, 15, 0.2, 1},
    };

    (void)state;
    for (int q = 0; q < SB_COUNT(cases); q++) {
        const sb_work w = square(cases[q].m, cases[q].n, cases[q].size, 1);

        if (sb_rule_together(&w, &fast, SB_PART_CSR, 1, cases[q].mean,
                             cases[q].ragged) != cases[q].want)
            fail_msg("case %d", q);
        /* of listed rows masks are not built in */
        assert_int_not_equal(sb_rule_together(&w, &fast, SB_PART_ROWS, 1, cases[q].mean,
                                              cases[q].ragged),
                             SB_SPEC_FEW);
    }
}

/* Rows of B of 1024 bytes that L2 holds: one tile of rows in place, where nothing is asked for. */
static void
test_once(void **state)
{
    static const struct {
        int64_t k, n;
        int size, prefetch, want;
    } cases[] = {
        {2048, 128, 8, 0, 128}, {2049, 128, 8, 0, 64}, {2048, 256, 4, 0, 256},
        {2049, 256, 4, 0, 128}, {2048, 128, 8, 8, 64}, {1000, 256, 8, 0, 64},
        {1000, 512, 4, 0, 128},
    };

    (void)state;
    for (int q = 0; q < SB_COUNT(cases); q++) {
        sb_work w = square(cases[q].k, cases[q].n, cases[q].size, 12);

        if (sb_rule_tile_of(&w, &fast, SB_PART_CSR, 0, cases[q].prefetch, 0) !=
            cases[q].want)
            fail_msg("case %d", q);
        assert_true(sb_rule_tile_of(&w, &fast, SB_PART_PICK, 0, 0, 0) * cases[q].size <=
                    512);
        w.a_size = 2;
        w.a_type = SB_F16;
        assert_true(sb_rule_tile_of(&w, &fast, SB_PART_CSR, 0, 0, 0) * cases[q].size <=
                    512);
    }
}

/* A panel that is all of B is none. */
static void
test_whole(void **state)
{
    const gen_spec spec = {
        .family = GEN_UNIFORM, .rows = 256, .cols = 256, .density = 0.5};
    char text[256];

    (void)state;
    if (sb_target_get()->isa != SB_ISA_V4G)
        skip();
    plan_text_of(text, sizeof text, spec, 512, SB_F32, false);
    if (strstr(text, "(part panel") || !strstr(text, "(slab 64)"))
        fail_msg("%s", text);
}

/* In an order of rows C goes past the caches whatever its size, if its rows are whole lines. */
static void
test_stream_order(void **state)
{
    const sb_target zen4 = {.isa = SB_ISA_V4};
    const sb_work w = square(1000, 32, 4, 5), narrow = square(1000, 16, 4, 5);
    sb_problem pb = by_rows(1000, 32);

    (void)state;
    pb.c.ld = 32;
    assert_false(sb_rule_stream(&pb, &w, 5, &fast));
    assert_true(sb_rule_stream_order(&pb, &w, &fast));
    assert_false(sb_rule_stream_order(&pb, &w, &zen4));
    assert_false(sb_rule_stream_order(&pb, &narrow, &fast));
    pb.c.ld = 36;
    assert_false(sb_rule_stream_order(&pb, &w, &fast));
}

/* Widths that no tile has: fours, but where rows of B are less than 32 bytes and those of A long, or short
 * and of lengths that nobody foresees; one tile of two, four or, of floats, sixteen registers. */
static void
test_between(void **state)
{
    static const struct {
        int64_t m, n;
        int size;
        double mean, ragged;
        int unroll, tile;
    } cases[] = {
        {1000, 3, 4, 10, 0.2, SB_SPEC_FOURS, 4},
        {1000, 6, 4, 31, 0.2, SB_SPEC_FOURS, 8},
        {1000, 6, 4, 32, 0.2, 2, 8},
        {1000, 12, 4, 90, 0.2, SB_SPEC_FOURS, 16},
        {1000, 20, 4, 12, 0.9, SB_SPEC_FOURS, 32},
        {1000, 20, 4, 3, 0.2, 1, 32},
        {40000, 20, 4, 12, 0.9, 1, 32},
        {40000, 12, 4, 12, 0.9, SB_SPEC_EIGHTS, 16},
        {40000, 6, 8, 12, 0.9, SB_SPEC_EIGHTS, 8},
        {1000, 47, 4, 12, 0.2, SB_SPEC_FOURS, 64},
        {1000, 96, 4, 12, 0.2, SB_SPEC_FOURS, 128},
        {1000, 200, 4, 12, 0.2, 1, 256},
        {1000, 47, 8, 12, 0.2, SB_SPEC_FOURS, 64},
        {1000, 96, 8, 12, 0.2, 1, 64},
        {1000, 64, 4, 12, 0.2, 2, 64},
    };

    (void)state;
    for (int q = 0; q < SB_COUNT(cases); q++) {
        const sb_work w = square(cases[q].m, cases[q].n, cases[q].size, 12);
        const int unroll =
            sb_rule_together(&w, &fast, SB_PART_CSR, 1, cases[q].mean, cases[q].ragged);
        const int tile = sb_rule_tile_of(&w, &fast, SB_PART_CSR, 0, 0, 0);

        if (unroll != cases[q].unroll || tile != cases[q].tile)
            fail_msg("case %d: %d, %d", q, unroll, tile);
    }
}

/* C goes past the caches where A, B and C are more than two L2s and it is not little itself, of rows of two
 * lines where C is, of shorter ones from 16 MiB on; not beside long rows of A; for any number of threads. */
static void
test_stream(void **state)
{
    static const struct {
        int64_t m, k, n, entries;
        bool want;
    } cases[] = {
        {8000, 8000, 64, 4, true},     {7000, 7000, 64, 4, false},
        {8000, 8000, 64, 16, false},   {2000, 90000, 64, 4, false},
        {2100, 90000, 64, 4, true},    {33000, 33000, 32, 4, true},
        {32000, 90000, 32, 4, false},  {260000, 260000, 16, 4, false},
        {270000, 270000, 16, 4, true},
    };

    (void)state;
    for (int q = 0; q < SB_COUNT(cases); q++)
        for (int threads = 1; threads <= 32; threads *= 2) {
            sb_work w = square(cases[q].m, cases[q].n, 4, cases[q].entries);
            sb_problem pb = by_rows(cases[q].m, cases[q].n);
            sb_target t = fast;

            w.k = cases[q].k;
            t.threads = threads;
            pb.c.ld = cases[q].n;
            if (sb_rule_stream(&pb, &w, (double)cases[q].entries, &t) != cases[q].want)
                fail_msg("case %d, %d threads", q, threads);
            pb.c.ld++; /* no whole lines */
            assert_false(sb_rule_stream(&pb, &w, (double)cases[q].entries, &t));
        }
}

/* Windows beside eights, of rows of B of half a line and less; slices in place and diagonals that are looked
 * up beside vectors past the ends of rows, of elements that have those. */
static void
test_prices(void **state)
{
    static const struct {
        int64_t n;
        int size;
        double want;
    } cases[] = {{4, 4, 1.2},   {8, 4, 1.12},  {2, 8, 1.2}, {4, 8, 1.2},
                 {16, 4, 1.12}, {16, 8, 1.12}, {33, 4, 1}};
    const sb_part_choice win = {.kind = SB_PART_WIN, .size = 3},
                         two = {.kind = SB_PART_WIN, .size = 2},
                         share = {.kind = SB_PART_SHARE, .size = 3};
    const sb_work line = square(1000, 16, 4, 10), longer = square(1000, 17, 4, 10);
    const sb_work far = square((2 << 20) / 128 + 1, 32, 4, 10);
    const sb_part_choice in_place[] = {{.kind = SB_PART_SELL}, {.kind = SB_PART_HDIA}};
    const sb_stats s = {.rows = 1000,
                        .cols = 1000,
                        .nnz = 7000,
                        .mean = 7,
                        .longest = 7,
                        .sell_fill = 0.9,
                        .hdia = {0.02, 0.02, 0.02, 0.02, 0.02}};

    (void)state;
    for (int q = 0; q < SB_COUNT(cases); q++) {
        const sb_work w = square(1000, cases[q].n, cases[q].size, 10);

        if (fabs(sb_cost_roof_pace(&win, &w, &fast, 1) - cases[q].want) > 1e-9)
            fail_msg("case %d", q);
        if (cases[q].n == 16 &&
            fabs(sb_cost_roof_pace(&two, &w, &fast, 1) - 1.3) > 1e-9)
            fail_msg("pairs of case %d", q);
    }
    assert_true(sb_cost_roof_pace(&two, &far, &fast, 1) == 1); /* L2 does not hold B */
    assert_true(sb_cost_roof_pace(&share, &line, &fast, 1) == 1);
    assert_true(sb_cost_roof_pace(&share, &longer, &fast, 1) == 1.33);
    for (int q = 0; q < SB_COUNT(in_place); q++) {
        sb_vector_part p = {.choice = &in_place[q],
                            .entries = 7000,
                            .slots = 7000,
                            .rows = 1000,
                            .x_size = 8};
        sb_terms flows, other;

        p.flows = true;
        sb_vector_terms(&flows, &p, &s, &fast, false);
        p.flows = false;
        p.complex = true;
        sb_vector_terms(&other, &p, &s, &fast, false);
        assert_true(q == 0 ? fabs(flows.entry / other.entry - 1.3) < 1e-9
                           : flows.entry < 0.7 * other.entry);
    }
}

/* ---- what ESTIMATE chooses --------------------------------------------------------- */

/* Rows of A of fewer than 40 entries gain from windows where rows of B are short, or long. */
static void
test_short_rows(void **state)
{
    static const struct {
        int64_t n;
        int size;
        double mean;
        bool want;
    } cases[] = {{127, 4, 39, true}, {128, 4, 39, false}, {511, 4, 39, false},
                 {512, 4, 39, true}, {128, 4, 40, true},  {15, 8, 39, true},
                 {16, 8, 39, false}, {255, 8, 39, false}, {256, 8, 39, true}};

    (void)state;
    for (int q = 0; q < SB_COUNT(cases); q++) {
        const sb_work w = square(1000, cases[q].n, cases[q].size, 1);

        if (sb_rule_windows(&w, &fast, cases[q].mean) != cases[q].want)
            fail_msg("case %d", q);
    }
}

/* Holes cut runs where no window of three rows and more has nearly all in them, but half of the rows
 * have. */
static void
test_cut(void **state)
{
    const sb_target zen4 = {.isa = SB_ISA_V4};
    sb_stats s = {.rows = 1000};

    (void)state;
    for (int q = 0; q < SB_STATS_WINDOWS; q++)
        s.win_share[q] = 0.94;
    s.win_share[sb_stats_window(2)] = 1;
    assert_true(sb_rule_runs_cut(&fast, &s, 0.9));
    assert_false(sb_rule_runs_cut(&fast, &s, 0.89));
    s.win_share[sb_stats_window(8)] = 0.95;
    assert_false(sb_rule_runs_cut(&fast, &s, 0.9));
    assert_true(sb_rule_runs_cut(&zen4, &s, 0));
}

/* Windows by runs of rows that are alike need no positions; holes that cut them: planner_explain_test. */
static void
test_windows(void **state)
{
    gen_spec spec = {.family = GEN_BLOCKS, .rows = 1920, .cols = 1920};
    char text[256];

    (void)state;
    if (sb_target_get()->isa != SB_ISA_V4G)
        skip();
    for (spec.block = 3; spec.block <= 8; spec.block += spec.block < 4 ? 1 : 4) {
        plan_text_of(text, sizeof text, spec, 32, SB_F32, false);
        if (strstr(text, "(part share"))
            fail_msg("%d: %s", (int)spec.block, text);
    }
}

/* Communities whose rows lie anywhere: rows in their order, by kernels that store C past the caches,
 * which a plan without one would silently do without. */
static void
test_order(void **state)
{
    enum { ROWS = 4000, WIDTH = 8, COMMUNITIES = 40 };
    static const sb_dtype types[] = {SB_F32, SB_F64};
    static int32_t ptr[ROWS + 1], crd[ROWS * WIDTH];
    gen_rng rng = {5};

    (void)state;
    if (sb_target_get()->isa != SB_ISA_V4G || sb_target_get()->l2 > 3 << 20)
        skip();
    for (int i = 0; i < ROWS; i++) {
        ptr[i + 1] = (i + 1) * WIDTH;
        for (int q = 0; q < WIDTH; q++) /* one column of each eighth, in order */
            crd[i * WIDTH + q] =
                ROWS / WIDTH * q +
                (int)gen_below(&rng, ROWS / WIDTH / COMMUNITIES) * COMMUNITIES +
                (i + ROWS - ROWS / WIDTH * q % COMMUNITIES) % COMMUNITIES;
    }
    for (int q = 0; q < 2 * SB_COUNT(types); q++) {
        const sb_dtype type = types[q / 2];
        const sb_options opt = {.values_frozen = q % 2 == 1};
        sb_problem pb = by_rows(ROWS, type == SB_F32 ? 512 : 128);
        sb_plan *plan;

        pb.a.nnz = ROWS * WIDTH;
        pb.a.ptr_type = pb.a.idx_type = SB_I32;
        pb.a.ptr = ptr;
        pb.a.idx = pb.b.data = pb.c.data = crd; /* an analysis reads no dense array */
        pb.a.val = calloc(ROWS * WIDTH, sizeof(double));
        pb.a.val_type = pb.b.type = pb.c.type = pb.compute = type;
        pb.a.batch = pb.batch = 1;
        pb.b.ld = pb.c.ld = pb.b.cols;
        pb.alpha.re = 1;
        assert_int_equal(sb_plan_create(&plan, &pb, &opt, NULL), SB_OK);
        if (!strstr(plan->text, "(part pick order)") ||
            !strstr(plan->text, "(stream)") ||
            !strstr(plan->text, type == SB_F32 ? "(tile 128)" : "(tile 64)"))
            fail_msg("%d: %s", q, plan->text);
        sb_plan_release(plan);
        free(pb.a.val);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slabs),        cmocka_unit_test(test_scattered),
        cmocka_unit_test(test_panels),       cmocka_unit_test(test_joined),
        cmocka_unit_test(test_stream_order), cmocka_unit_test(test_order),
        cmocka_unit_test(test_windows),      cmocka_unit_test(test_cut),
        cmocka_unit_test(test_short_rows),   cmocka_unit_test(test_between),
        cmocka_unit_test(test_stream),       cmocka_unit_test(test_prices),
        cmocka_unit_test(test_once),         cmocka_unit_test(test_whole),
    };

    return cmocka_run_group_tests(tests, plan_as_fast, NULL);
}
