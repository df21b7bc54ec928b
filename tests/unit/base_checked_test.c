/*
 * base/checked: every edge of 64 bits, and that a refusal leaves the result alone.
 */
#include "base/checked.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void
products(void **state)
{
    int64_t r = 77;

    (void)state;
    assert_true(sb_mul_i64(3037000499, 3037000499, &r));
    assert_int_equal(r, INT64_C(3037000499) * 3037000499);
    assert_true(sb_mul_i64(INT64_MIN, 1, &r));
    assert_int_equal(r, INT64_MIN);
    r = 77;
    assert_false(sb_mul_i64(3037000500, 3037000500, &r));
    assert_false(sb_mul_i64(INT64_MIN, -1, &r));
    assert_false(sb_mul_i64(INT64_MAX, 2, &r));
    assert_int_equal(r, 77);
}

static void
sums(void **state)
{
    int64_t r = 77;

    (void)state;
    assert_true(sb_add_i64(INT64_MAX, INT64_MIN, &r));
    assert_int_equal(r, -1);
    r = 77;
    assert_false(sb_add_i64(INT64_MAX, 1, &r));
    assert_false(sb_add_i64(INT64_MIN, -1, &r));
    assert_int_equal(r, 77);
}

static void
bytes(void **state)
{
    size_t r = 77;

    (void)state;
    assert_true(sb_bytes(0, 16, &r));
    assert_int_equal(r, 0);
    assert_true(sb_bytes(INT64_MAX, 2, &r));
    assert_true(r == (size_t)INT64_MAX * 2);
    r = 77;
    assert_false(sb_bytes(-1, 0, &r));
    assert_false(sb_bytes(-1, 1, &r));
    assert_false(sb_bytes(INT64_MAX, 3, &r));
    assert_false(sb_bytes((INT64_C(1) << 60), 16, &r));
    assert_int_equal(r, 77);
}

static void
extents(void **state)
{
    int64_t r = 77;

    (void)state;
    assert_true(sb_strided_extent(3, 4, 10, &r));
    assert_int_equal(r, 24);
    assert_true(sb_strided_extent(0, 4, INT64_MAX, &r));
    assert_int_equal(r, 0);
    assert_true(sb_strided_extent(INT64_MAX, 0, INT64_MAX, &r));
    assert_int_equal(r, 0);
    assert_true(sb_strided_extent(2, 1, INT64_MAX - 1, &r));
    assert_int_equal(r, INT64_MAX);
    r = 77;
    assert_false(sb_strided_extent(2, 2, INT64_MAX - 1, &r));
    assert_false(sb_strided_extent(3, 1, INT64_MAX / 2 + 1, &r));
    assert_false(sb_strided_extent(-1, 1, 1, &r));
    assert_false(sb_strided_extent(1, -1, 1, &r));
    assert_false(sb_strided_extent(1, 1, -1, &r));
    assert_int_equal(r, 77);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products),
        cmocka_unit_test(sums),
        cmocka_unit_test(bytes),
        cmocka_unit_test(extents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
