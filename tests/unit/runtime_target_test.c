/*
 * Facts of the machine are plausible and the level can be lowered.
 */
#include "runtime/target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void
test_facts(void **state)
{
    const sb_target *t = sb_target_get();

    (void)state;
    assert_ptr_equal(sb_target_get(), t);
    assert_true(t->threads >= 1);
    assert_true(t->l1 >= 4096 && t->l2 >= t->l1 && t->l3 > 0);
    assert_true(t->flops > 1e8 && t->bw_l2 > t->bw_l3 && t->bw_l3 > t->bw_mem);
    assert_true(t->gather_l1 > t->gather_l2 && t->gather_l2 > t->gather_l3 &&
                t->gather_l3 > t->gather_mem);
    assert_true(t->gather_mem > 0 && t->tile_seconds > 0 && t->step_seconds > 0);
}

/* The environment was set before the first look. */
static void
test_lowered(void **state)
{
    (void)state;
    assert_true(sb_target_get()->isa <= SB_ISA_V2);
}

static const char *
limited(sb_isa isa, bool wide, const char *want)
{
    sb_target t = {.isa = isa, .wide = wide};

    sb_target_limit(&t, want);
    return sb_target_level(&t);
}

/* Never what the CPU lacks; v4, v4g and v4w have the same instructions. */
static void
test_limited(void **state)
{
    (void)state;
    assert_string_equal(limited(SB_ISA_V4G, false, NULL), "v4g");
    assert_string_equal(limited(SB_ISA_V4G, false, "v3"), "v3");
    assert_string_equal(limited(SB_ISA_V3, false, "v4"), "v3");
    assert_string_equal(limited(SB_ISA_V3, false, "v4g"), "v3");
    assert_string_equal(limited(SB_ISA_V3, false, "v4w"), "v3");
    assert_string_equal(limited(SB_ISA_V4, false, "v4g"), "v4g");
    assert_string_equal(limited(SB_ISA_V4G, false, "v4"), "v4");
    assert_string_equal(limited(SB_ISA_V4G, false, "v4w"), "v4w");
    assert_string_equal(limited(SB_ISA_V4, false, "v5"), "v4");
    assert_string_equal(limited(SB_ISA_V4, true, NULL), "v4w");
    assert_string_equal(limited(SB_ISA_V4, true, "v4"), "v4");
    assert_string_equal(limited(SB_ISA_V4, true, "v4g"), "v4g");
    assert_string_equal(limited(SB_ISA_V4, true, "v2"), "v2");
}

static void
test_names(void **state)
{
    (void)state;
    assert_string_equal(sb_isa_name(SB_ISA_GENERIC), "generic");
    assert_string_equal(sb_isa_name(SB_ISA_V4), "v4");
    assert_string_equal(sb_isa_name(SB_ISA_COUNT), "?");
    assert_string_equal(sb_target_level(&(sb_target){.isa = SB_ISA_V3, .wide = true}),
                        "v3");
}

/* What L3 does not hold, or not beside a large vector, on the machines where it was measured. */
static void
test_ahead(void **state)
{
    const sb_target wide = {.isa = SB_ISA_V4, .wide = true, .l2 = 80, .l3 = 800},
                    zen3 = {.isa = SB_ISA_V3, .l2 = 80, .l3 = 1000},
                    zen4 = {.isa = SB_ISA_V4, .l2 = 80, .l3 = 800},
                    other = {.isa = SB_ISA_V4G, .l2 = 80, .l3 = 800};

    (void)state;
    assert_int_equal(sb_target_ahead(&wide, 700, 8, 0), 0);
    assert_int_equal(sb_target_ahead(&wide, 701, 8, 0), 512);
    assert_int_equal(sb_target_ahead(&wide, 400, 8, 30), 0);
    assert_int_equal(sb_target_ahead(&wide, 401, 8, 30), 512);
    assert_int_equal(sb_target_ahead(&wide, 300, 8, 31), 0);
    assert_int_equal(sb_target_ahead(&wide, 301, 8, 31), 512);
    assert_int_equal(sb_target_ahead(&wide, 10000, 4, 31), 1024);
    assert_int_equal(sb_target_ahead(&zen3, 10000, 8, 0), 0);
    assert_int_equal(sb_target_ahead(&zen3, 500, 8, 30), 0);
    assert_int_equal(sb_target_ahead(&zen3, 501, 8, 30), 512);
    assert_int_equal(sb_target_ahead(&zen3, 269, 4, 31), 0);
    assert_int_equal(sb_target_ahead(&zen3, 271, 4, 31), 1024);
    assert_int_equal(sb_target_ahead(&zen4, 10000, 8, 0), 0);
    assert_int_equal(sb_target_ahead(&zen4, 301, 8, 31), 512);
    assert_int_equal(sb_target_ahead(&zen4, 400, 8, 30), 0);
    assert_int_equal(sb_target_ahead(&other, 10000, 4, 31), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_facts),   cmocka_unit_test(test_lowered),
        cmocka_unit_test(test_limited), cmocka_unit_test(test_ahead),
        cmocka_unit_test(test_names),
    };

    if (setenv("SPBLAS_ISA", "v2", 1) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
