/*
 * What a thread remembers of kernels: never more than the process has.
 */
#include "planner/recent.h"

#include "cachebox.h"
#include "planner/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

/* No such kernel is built in. */
#define TEXT "spmm csr f32f32f32/f32 i32i64 rr t16 p0"

static void
test_comes_and_goes(void **state)
{
    const sb_kernel *k, *made, *other;
    sb_spec spec;

    (void)state;
    NEED_COMPILER();
    assert_int_equal(sb_spec_parse(&spec, TEXT, NULL), SB_OK);
    assert_int_equal(sb_recent_kernel(&k, &spec), SB_ENOKERNEL);
    assert_null(k);
    assert_int_equal(sb_recent_kernel(&k, &spec), SB_ENOKERNEL);
    assert_int_equal(sb_kernel_get(&made, TEXT, sb_planner_maker, SB_KERNEL_COMPILE),
                     SB_OK);
    assert_int_equal(sb_recent_kernel(&k, &spec), SB_OK);
    assert_ptr_equal(k, made);
    assert_int_equal(sb_recent_kernel(&k, &spec), SB_OK);
    assert_ptr_equal(k, made);
    spec.tile = 8; /* another spec is another kernel, whatever slot it has */
    for (spec.prefetch = 0; spec.prefetch < 40; spec.prefetch++)
        if (sb_recent_kernel(&other, &spec) == SB_OK)
            assert_ptr_not_equal(other, made);
    sb_kernel_forget();
    assert_int_equal(sb_spec_parse(&spec, TEXT, NULL), SB_OK);
    assert_int_equal(sb_recent_kernel(&k, &spec), SB_ENOKERNEL);
    assert_null(k);
}

static int
open_box(void **state)
{
    (void)state;
    return sb_box_open(SB_BINARY_DIR) ? 0 : -1;
}

static int
close_box(void **state)
{
    (void)state;
    sb_box_close();
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_comes_and_goes, sb_box_setup),
    };

    return cmocka_run_group_tests(tests, open_box, close_box);
}
