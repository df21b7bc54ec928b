/* One planner's orders of rows and of windows of them, in turns: each a permutation of as many. */
#include "base/alloc.h"
#include "pattern.h"
#include "planner/row_order.h"

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

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
