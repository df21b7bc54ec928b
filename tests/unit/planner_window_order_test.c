/*
 * One planner's orders of rows and of windows of them, in turns: each a permutation of as many. Where they
 * are looked at on Emerald Rapids: of rows whose triangles close, and of windows beside what is cheaper.
 */
#include "order_planner.h"
#include "planner/communities.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void
test_sizes(void **state)
{
    static const int window[] = {1, 2, 3, 3, 1};
    pattern p = pattern_new(2000, 8, 40);
    sb_planner *pl = calloc(1, sizeof *pl);

    (void)state;
    assert_non_null(pl);
    pl->view = p.v;
    for (int q = 0; q < SB_COUNT(window); q++) {
        const int32_t n = (2000 + window[q] - 1) / window[q];
        uint8_t *seen = calloc((size_t)n, 1);

        assert_int_equal(sb_row_order_make(pl, window[q]), SB_OK);
        for (int32_t w = 0; w < n; w++)
            if (pl->order[w] < 0 || pl->order[w] >= n || seen[pl->order[w]]++)
                fail_msg("windows of %d: %d is out of range or comes twice", window[q],
                         pl->order[w]);
        free(seen);
    }
    sb_free(pl->order);
    free(pl);
    pattern_free(&p);
}

/* Of the seven others that a neighbour in a ring of nine names, a row names six to three. Neither pairs nor a
 * cycle have triangles. */
static void
test_closed(void **state)
{
    pattern ring = pattern_ring(2000, 9, 777), random = pattern_new(2000, 8, 1);
    pattern alone = pattern_new(2000, 1, 0), none = alone;
    pattern pairs = pattern_ring(2000, 2, 777), cycle = pattern_ring(2000, 3, 777);

    (void)state;
    assert_float_equal(sb_communities_closed(&ring.v), 4.5 / 7, 0.03);
    assert_true(sb_communities_closed(&pairs.v) == 0);
    assert_true(sb_communities_closed(&cycle.v) == 0);
    assert_true(sb_communities_closed(&random.v) < 0.02);
    assert_true(sb_communities_closed(&alone.v) == 0); /* itself */
    ring.v.cols++;
    assert_true(sb_communities_closed(&ring.v) == 0); /* not square */
    none.v.rows = none.v.cols = none.v.nnz = 0;
    assert_true(sb_communities_closed(&none.v) == 0);
    pattern_free(&ring);
    pattern_free(&random);
    pattern_free(&alone);
    pattern_free(&pairs);
    pattern_free(&cycle);
}

/* B beyond L2; the price of what is not looked at stays. */
static bool
ordered(const sb_target *t, const pattern *p, int64_t n)
{
    double seconds;
    const char *dropped = weighed(p, t, n, 0, SB_EFFORT_ESTIMATE, &seconds);

    assert_true(dropped ? seconds == 1 : seconds < 1 / 1.05);
    return !dropped;
}

/* Shorter rows of B, and rows of A so many that L2 does not hold an order's making, are looked at where
 * triangles close, and taken where more is promised. */
static void
test_late(void **state)
{
    enum { ROWS = 4000 };
    const sb_target zen4 = {.isa = SB_ISA_V4, .l2 = 128 << 10, .l3 = 512 << 10};
    sb_target fast = {.isa = SB_ISA_V4G, .l2 = 128 << 10, .l3 = 300 << 20};
    pattern ring = pattern_ring(ROWS, 9, 777), near = pattern_ring(ROWS, 9, 1);
    pattern loose =
        pattern_new(ROWS, 8, 80); /* of 50 rows, which name few of each other */

    (void)state;
    assert_true(ordered(&fast, &ring, 64));
    assert_false(ordered(&fast, &ring, 48));
    assert_false(ordered(&fast, &loose, 64));
    assert_false(ordered(&fast, &near, 64));
    assert_true(ordered(&fast, &ring, 128));
    assert_false(ordered(&fast, &loose, 128));
    assert_true(ordered(&fast, &loose, 256)); /* long enough for what pays sooner */
    assert_false(ordered(&zen4, &ring, 128));
    fast.l2 = (size_t)ROWS * 40;
    assert_true(ordered(&fast, &loose, 128));
    assert_false(ordered(&fast, &loose, 64));
    pattern_free(&ring);
    pattern_free(&loose);
    pattern_free(&near);
}

/* Windows nearly as cheap as rows, slabs left aside, from rows of B of 128 bytes on; those of a part of their
 * size as well. */
static void
test_beside(void **state)
{
    const sb_target fast = {.isa = SB_ISA_V4G, .l2 = 8 << 10, .l3 = 300 << 20},
                    zen5 = {
                        .isa = SB_ISA_V4, .wide = true, .l2 = 8 << 10, .l3 = 99 << 10};
    pattern ring = pattern_ring(500, 9, 77), six = pattern_times(&ring, 6);
    double seconds;

    (void)state;
    assert_int_equal(2, lists_windows(&six, &fast, 32, (priced){2, 6, 3, 0}, &seconds));
    assert_true(seconds < 0.8);
    assert_int_equal(1, lists_windows(&six, &fast, 32, (priced){2, 6, 4, 0}, &seconds));
    assert_int_equal(2,
                     lists_windows(&six, &fast, 32, (priced){0.78, 6, 3, 0}, &seconds));
    assert_int_equal(0,
                     lists_windows(&six, &fast, 32, (priced){0.76, 6, 3, 0}, &seconds));
    /* nor where slabs stay ahead */
    assert_int_equal(0,
                     lists_windows(&six, &fast, 32, (priced){2, 6, 3, 0.4}, &seconds));
    assert_int_equal(0, lists_windows(&six, &fast, 16, (priced){2, 6, 3, 0}, &seconds));
    assert_int_equal(1,
                     lists_windows(&six, &zen5, 128, (priced){2, 6, 3, 0}, &seconds));
    pattern_free(&ring);
    pattern_free(&six);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes), cmocka_unit_test(test_closed),
        cmocka_unit_test(test_late), cmocka_unit_test(test_beside)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
