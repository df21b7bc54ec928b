/*
 * The model for one column on Zen 3 (level v3): which of two plans is cheaper on
 * small matrices of each class, as it was measured (docs/measured/model.md, SpMV on
 * Zen 3).
 */
#include "vector_cost.h"

#include "base/macro.h"

static int
zen3(void **state)
{
    (void)state;
    level = SB_ISA_V3;
    half = false;
    l2 = 512 << 10;
    l3 = 32 << 20;
    return 0;
}

/* Slices by diagonals, packed, are far ahead where there are any, windows along runs in place. */
static void
test_shared(void **state)
{
    const sb_stats d = collect(&(shape){five, of_stencil}),
                   r = collect(&(shape){sixty, side_by_side});
    sb_stats broken = r;

    (void)state;
    for (int q = 0; q < SB_STATS_WINDOWS; q++)
        broken.win_run[q] = 3;
    for (int q = 0; q < SB_COUNT(sizes); q++) {
        expect("hdia) (packed", "sell) (packed", 1.1, &d, sizes[q]);
        expect("hdia) (packed", "prod", 1.6, &d, sizes[q]);
        expect("hdia) (packed", "sell) (packed", 1.1, &r, sizes[q]);
        expect("win 3) (part rows flat 1", "seg", 1.05, &r, sizes[q]);
        expect("seg", "win 3) (part rows flat 1", 1.05, &broken, sizes[q]);
    }
    expect("mask 6", "seg", 1.02, &r, 4);
}

/* Products of short rows, of doubles where there are too many of all lengths to foresee; vectors
 * that go on from row to row of the others; a column of a slice costs twice as much in place. */
static void
test_rows(void **state)
{
    const sb_stats s = collect(&(shape){four, scattered}),
                   f = collect(&(shape){sixty, scattered}),
                   t = collect(&(shape){twelve, scattered});
    sb_stats ragged = s;

    (void)state;
    ragged.ragged = 0.9;
    ragged.rows *= 1000;
    ragged.nnz *= 1000;
    expect("prod", "seg", 1.05, &s, 4);
    for (int q = 0; q < SB_COUNT(sizes); q++) {
        expect("prod", "seg", 1.2, &ragged, sizes[q]);
        expect("seg", "prod", 1.15, &f, sizes[q]);
        expect("seg", "csr", sizes[q] == 4 ? 1.15 : 1.1, &f, sizes[q]);
        expect("seg", "csr", 1.3, &t, sizes[q]);
        expect("sell) (packed", "sell", 1.3, &s, sizes[q]);
    }
}

/* Values that are computed with as others than they are go by groups, in long rows by eight lanes:
 * dearer in short ones. */
static void
test_groups(void **state)
{
    const sb_stats f = collect(&(shape){sixty, scattered}),
                   m = collect(&(shape){two_hundred, scattered});

    (void)state;
    assert_true(of("seg", &f, 4) < of("csr", &f, 4));
    half = true;
    assert_true(of("seg", &m, 4) / 200 < 0.87 * of("seg", &f, 4) / 60);
    expect("seg", "csr", 1.03, &f, 4);
    half = false;
}

/* Blocks of eight floats have twice as many lanes to add up at the end of a window as blocks of four;
 * Zen 4's prices, fitted there, make no difference. */
static void
test_unaligned(void **state)
{
    const sb_stats s = collect(&(shape){sixty, side_by_side});

    (void)state;
    for (int rows = 1; rows <= 4; rows++) {
        const sb_part_choice four = {.kind = SB_PART_UBCSR, .size = rows, .c = 4},
                             eight = {.kind = SB_PART_UBCSR, .size = rows, .c = 8};
        const sb_vector_part a = {.choice = &four,
                                  .entries = 6000,
                                  .slots = 8000,
                                  .rows = 100,
                                  .x_size = 4,
                                  .unroll = 1};
        sb_vector_part b = a;
        const sb_target zen3_like = {.isa = SB_ISA_V3}, zen4_like = {.isa = SB_ISA_V4};
        sb_terms x, y;

        b.choice = &eight;
        sb_vector_terms(&x, &a, &s, &zen3_like, true);
        sb_vector_terms(&y, &b, &s, &zen3_like, true);
        assert_true(y.unit > 1.5 * x.unit);
        sb_vector_terms(&x, &a, &s, &zen4_like, true);
        sb_vector_terms(&y, &b, &s, &zen4_like, true);
        assert_true(y.unit == x.unit);
    }
}

/* Slices in place leave L3 to others from a quarter of it on. */
static void
test_crowded(void **state)
{
    const sb_stats s = collect(&(shape){sixty, scattered});

    (void)state;
    l2 = 16 << 20; /* where x stays */
    for (int q = 0; q < SB_COUNT(sizes); q++) {
        const double bytes = 60.0 * s.rows * (sizes[q] + 8);
        double in, packed;

        l3 = (int64_t)(4.5 * bytes);
        in = of("sell", &s, sizes[q]);
        packed = of("sell) (packed", &s, sizes[q]);
        l3 = (int64_t)(3 * bytes);
        assert_true(of("sell", &s, sizes[q]) > in + 1);
        assert_true(of("sell) (packed", &s, sizes[q]) == packed);
    }
}

/* Rows of which half follow the one above are the short ones: those that do not cost more than half. */
static void
test_lone(void **state)
{
    sb_stats all = collect(&(shape){twelve, scattered}), half = all, none = all;

    (void)state;
    all.follows = 0;
    all.lone = 1;
    half.follows = half.lone = 0.5;
    none.follows = 1;
    none.lone = 0;
    for (int q = 0; q < SB_COUNT(sizes); q++) {
        const double most = of("alike", &all, sizes[q]),
                     least = of("alike", &none, sizes[q]);

        assert_true(of("alike", &half, sizes[q]) > least + 0.6 * (most - least));
        expect("csr", "alike", 1.05, &all, sizes[q]);
    }
}

/* Lines of x that L2 has not hold up slices in place most, unless so little of A passes that x stays. */
static void
test_lines(void **state)
{
    static const char *const kinds[] = {"seg", "sell) (packed", "sell"};
    const sb_stats s = collect(&(shape){twenty, all_over});

    (void)state;
    for (int q = 0; q < SB_COUNT(sizes); q++) {
        double before = 0;

        for (int k = 0; k < SB_COUNT(kinds); k++) {
            double held, gone;

            l2 = 8 << 10;
            l3 = 64 << 20;
            held = of(kinds[k], &s, sizes[q]);
            l3 = 1 << 20;
            gone = of(kinds[k], &s, sizes[q]) - held;
            if (!(gone > 1.2 * before && gone > 1))
                fail_msg("%s, %d bytes: %.2f, %.2f", kinds[k], sizes[q], gone, before);
            before = gone;
        }
    }
}

/* A beyond L3's half waits for memory, as alike rows, masks and diagonals in place do from a quarter
 * on, and these most; alike doubles longer than alike floats. */
static void
test_streams(void **state)
{
    sb_stats s = collect(&(shape){sixty, side_by_side});
    double waits[2];

    (void)state;
    s.follows = 1;
    s.lone = 0;
    for (int q = 0; q < SB_COUNT(sizes); q++) {
        const double values = 60.0 * s.rows * sizes[q];
        double rows, alike, masks, diagonals, packed;

        rows = of("seg", &s, sizes[q]);
        alike = of("alike", &s, sizes[q]);
        masks = of("mask 6", &s, sizes[q]);
        diagonals = of("hdia", &s, sizes[q]);
        packed = of("hdia) (packed", &s, sizes[q]);
        l3 = (int64_t)(2.5 * values);
        assert_true(of("alike", &s, sizes[q]) > alike + 1);
        assert_true(of("mask 6", &s, sizes[q]) > masks + 1);
        assert_true(of("hdia", &s, sizes[q]) > diagonals + 3);
        assert_true(of("hdia) (packed", &s, sizes[q]) - packed <
                    0.3 * (of("hdia", &s, sizes[q]) - diagonals));
        l3 = (int64_t)(5 * values);
        assert_true(of("seg", &s, sizes[q]) < rows + 0.1);
        assert_true(of("alike", &s, sizes[q]) < alike + 0.1);
        l3 = 64 << 10;
        assert_true(of("seg", &s, sizes[q]) > rows + 1);
        assert_true(of("mask 6", &s, sizes[q]) - masks >
                    3 * (of("seg", &s, sizes[q]) - rows));
        assert_true(of("alike", &s, sizes[q]) - alike >
                    3 * (of("seg", &s, sizes[q]) - rows));
        waits[q] = of("alike", &s, sizes[q]) - alike;
        assert_true(of("hdia", &s, sizes[q]) - diagonals > 2 * waits[q]);
        l3 = 32 << 20;
    }
    assert_true(waits[1] > 2.2 * waits[0]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_shared, zen3),
        cmocka_unit_test_setup(test_rows, zen3),
        cmocka_unit_test_setup(test_groups, zen3),
        cmocka_unit_test_setup(test_unaligned, zen3),
        cmocka_unit_test_setup(test_crowded, zen3),
        cmocka_unit_test_setup(test_lone, zen3),
        cmocka_unit_test_setup(test_lines, zen3),
        cmocka_unit_test_setup(test_streams, zen3),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
