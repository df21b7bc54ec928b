/*
 * Windows of a view as one row each: of the longest of their rows, its columns by windows of columns.
 */
#include "formats/coarse.h"
#include "gen.h"
#include "pattern.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static sb_view
view_of(const int32_t *ptr, const int32_t *crd, int64_t rows)
{
    return (sb_view){.rows = rows,
                     .cols = rows,
                     .nnz = ptr[rows],
                     .block = 1,
                     .ptr = ptr,
                     .crd = crd,
                     .ptr_type = SB_I32,
                     .crd_type = SB_I32,
                     .slot_type = SB_I32};
}

static void
is(const sb_coarse *c, const int32_t *ptr, const int32_t *crd, int64_t rows)
{
    assert_int_equal(c->v.rows, rows);
    assert_int_equal(c->v.cols, rows);
    assert_int_equal(c->v.nnz, ptr[rows]);
    assert_memory_equal(c->v.ptr, ptr, (size_t)(rows + 1) * sizeof *ptr);
    assert_memory_equal(c->v.crd, crd, (size_t)ptr[rows] * sizeof *crd);
}

/* Seven rows by threes: the second row speaks for the first window, the only one that has entries for the second;
 * the last window has one row. */
static void
test_small(void **state)
{
    static const int32_t ptr[] = {0, 1, 6, 8, 8, 8, 9, 12},
                         crd[] = {0, 1, 2, 3, 5, 6, 3, 4, 2, 0, 3, 4},
                         by_3[] = {0, 3, 4, 6}, three[] = {0, 1, 2, 0, 0, 1},
                         turned[] = {4, 5, 0, 1, 4, 3, 2},
                         rows[] = {0, 7, 7, 7, 7, 7, 7}, unsorted[] = {1, 0, 1, 0};
    const sb_view v = view_of(ptr, crd, 7), w = view_of(rows, turned, 6);
    sb_view none = view_of(rows, turned, 0), wide = v;
    sb_coarse c;

    (void)state;
    assert_int_equal(sb_coarse_make(&c, &v, 3, NULL), SB_OK);
    is(&c, by_3, three, 3);
    assert_true(c.columns == 9.0 / 6);
    sb_coarse_free(&c);
    assert_int_equal(sb_coarse_make(&c, &v, 1, NULL), SB_OK);
    is(&c, ptr, crd, 7);
    assert_true(c.columns == 1);
    sb_coarse_free(&c);
    assert_int_equal(sb_coarse_make(&c, &v, 8, NULL), SB_OK);
    is(&c, (const int32_t[]){0, 1}, (const int32_t[]){0}, 1);
    assert_true(c.columns == 5);
    sb_coarse_free(&c);
    /* in no order an entry may come again */
    assert_int_equal(sb_coarse_make(&c, &w, 3, NULL), SB_OK);
    is(&c, (const int32_t[]){0, 4, 4}, unsorted, 2);
    sb_coarse_free(&c);
    assert_int_equal(sb_coarse_make(&c, &none, 2, NULL), SB_OK);
    assert_int_equal(c.v.rows, 0);
    sb_coarse_free(&c);
    wide.cols = 8;
    assert_int_equal(sb_coarse_make(&c, &wide, 2, NULL), SB_SKIP);
    wide.cols = 7;
    wide.block = 2;
    assert_int_equal(sb_coarse_make(&c, &wide, 2, NULL), SB_SKIP);
    wide.block = 1;
    wide.nnz = INT32_MAX;
    assert_int_equal(sb_coarse_make(&c, &wide, 2, NULL), SB_SKIP);
}

/* Pieces in any order: here from the last to the first, one by one. */
static void
backwards(sb_par_fn fn, void *user, int64_t lo, int64_t hi, int64_t grain)
{
    for (int64_t at = lo + (hi - lo - 1) / grain * grain; at >= lo; at -= grain)
        fn(user, at, at + grain < hi ? at + grain : hi);
}

static void
test_threads(void **state)
{
    const sb_par par = {backwards, 2};
    pattern p = pattern_new(3001, 9, 40);

    (void)state;
    for (int window = 1; window < 9; window++) {
        sb_coarse alone, team;

        assert_int_equal(sb_coarse_make(&alone, &p.v, window, NULL), SB_OK);
        assert_int_equal(sb_coarse_make(&team, &p.v, window, &par), SB_OK);
        is(&team, alone.v.ptr, alone.v.crd, (3001 + window - 1) / window);
        assert_true(team.columns == alone.columns && team.columns >= 1);
        assert_int_equal(lround(team.columns * (double)team.v.nnz), 9 * team.v.rows);
        sb_coarse_free(&alone);
        sb_coarse_free(&team);
    }
    pattern_free(&p);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_small),
                                       cmocka_unit_test(test_threads)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
