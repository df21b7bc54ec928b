/*
 * base/status: names and sentences, also outside the range; SB_TRY.
 */
#include "base/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void
every_status_has_its_own_name(void **state)
{
    (void)state;
    assert_string_equal(sb_status_name(SB_OK), "OK");
    assert_string_equal(sb_status_name(SB_ENOMEM), "ENOMEM");
    assert_string_equal(sb_status_text(SB_ENOMEM), "out of memory");
    for (int i = 0; i < SB_STATUS_COUNT; i++) {
        assert_true(strlen(sb_status_text((sb_status)i)) > 3);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(sb_status_name((sb_status)i),
                                    sb_status_name((sb_status)j));
    }
}

static void
codes_out_of_range_have_a_name(void **state)
{
    (void)state;
    assert_string_equal(sb_status_name(SB_STATUS_COUNT), "EUNKNOWN");
    assert_string_equal(sb_status_name((sb_status)-1), "EUNKNOWN");
    assert_non_null(sb_status_text((sb_status)12345));
}

static sb_status
try_it(sb_status st, int *reached)
{
    SB_TRY(st);
    *reached = 1;
    return SB_OK;
}

static void
try_returns_the_first_failure(void **state)
{
    int reached = 0;

    (void)state;
    assert_int_equal(try_it(SB_EINVAL, &reached), SB_EINVAL);
    assert_int_equal(reached, 0);
    assert_int_equal(try_it(SB_OK, &reached), SB_OK);
    assert_int_equal(reached, 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_its_own_name),
        cmocka_unit_test(codes_out_of_range_have_a_name),
        cmocka_unit_test(try_returns_the_first_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
