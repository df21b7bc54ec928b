/*
 * The plans beside a descriptor: order, replacement, holding across removal.
 */
#include "api/planlist.h"
#include "base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const int32_t ptr[] = {0, 0, 0};

/* A problem that differs from others by its number of columns. */
static sb_problem
problem(int64_t n)
{
    return (sb_problem){
        .op = SB_OP_SPMM,
        .a = {.format = SB_FORMAT_CSR,
              .rows = 2,
              .cols = 2,
              .ptr = ptr,
              .ptr_type = SB_I32,
              .idx_type = SB_I32,
              .val_type = SB_F32,
              .block = 1,
              .batch = 1},
        .b = {.rows = 2, .cols = n, .ld = n, .type = SB_F32, .batch = 1},
        .c = {.rows = 2, .cols = n, .ld = n, .type = SB_F32, .batch = 1},
        .compute = SB_F32,
        .batch = 1};
}

static sb_plan *
plan(int64_t n)
{
    sb_plan *p = sb_alloc_zero(sizeof *p);

    assert_non_null(p);
    p->key = problem(n);
    return p;
}

static sb_planlist *
list_of(int64_t lo, int64_t hi)
{
    sb_planlist *list;

    assert_int_equal(sb_planlist_create(&list), SB_OK);
    for (int64_t n = lo; n <= hi; n++)
        assert_int_equal(sb_planlist_put_take(list, plan(n)), SB_OK);
    return list;
}

static void
newest_first_and_one_per_problem(void **state)
{
    const int64_t live = sb_alloc_live();
    sb_planlist *list = list_of(1, 3);
    const sb_problem two = problem(2), nine = problem(9);
    sb_planref *ref;

    (void)state;
    assert_int_equal(sb_planlist_count(list), 3);
    ref = sb_planlist_at(list, 0);
    assert_int_equal(sb_planref_plan(ref)->key.c.cols, 3);
    sb_planlist_unhold(list, ref);
    assert_int_equal(sb_planlist_put_take(list, plan(2)), SB_OK);
    assert_int_equal(sb_planlist_count(list), 3);
    ref = sb_planlist_at(list, 0);
    assert_int_equal(sb_planref_plan(ref)->key.c.cols, 2);
    sb_planlist_unhold(list, ref);
    ref = sb_planlist_find(list, &two);
    assert_int_equal(sb_planref_plan(ref)->key.c.cols, 2);
    sb_planlist_unhold(list, ref);
    assert_null(sb_planlist_find(list, &nine));
    assert_null(sb_planlist_at(list, 3));
    assert_null(sb_planlist_at(list, -1));
    assert_null(sb_planref_plan(NULL));
    sb_planlist_unhold(list, NULL);
    sb_planlist_release(list);
    assert_int_equal(sb_alloc_live(), live);
}

static void
a_held_plan_outlives_its_removal(void **state)
{
    const int64_t live = sb_alloc_live();
    sb_planlist *list = list_of(1, 2);
    const sb_problem one = problem(1);
    sb_planref *ref = sb_planlist_find(list, &one),
               *again = sb_planlist_find(list, &one);

    (void)state;
    assert_ptr_equal(ref, again);
    sb_planlist_drop(list);
    assert_int_equal(sb_planlist_count(list), 0);
    assert_int_equal(sb_planref_plan(ref)->key.c.cols, 1);
    sb_planlist_unhold(list, again);
    assert_int_equal(sb_planref_plan(ref)->key.c.cols, 1);
    sb_planlist_unhold(list, ref);
    sb_planlist_release(list);
    sb_planlist_release(NULL);
    assert_int_equal(sb_alloc_live(), live);
}

static void
a_refused_plan_is_freed(void **state)
{
    const int64_t live = sb_alloc_live();
    sb_planlist *list;
    sb_plan *p;

    (void)state;
    assert_int_equal(sb_planlist_create(&list), SB_OK);
    p = plan(1);
    (void)sb_alloc_fail_after(0);
    assert_int_equal(sb_planlist_put_take(list, p), SB_ENOMEM);
    (void)sb_alloc_fail_after(-1);
    assert_int_equal(sb_planlist_count(list), 0);
    sb_planlist_release(list);
    assert_int_equal(sb_alloc_live(), live);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newest_first_and_one_per_problem),
        cmocka_unit_test(a_held_plan_outlives_its_removal),
        cmocka_unit_test(a_refused_plan_is_freed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
