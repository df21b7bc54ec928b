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

/* Never what the CPU lacks; v4 and v4g have the same instructions. */
static void
test_limited(void **state)
{
    (void)state;
    assert_int_equal(sb_isa_limited(SB_ISA_V4G, NULL), SB_ISA_V4G);
    assert_int_equal(sb_isa_limited(SB_ISA_V4G, "v3"), SB_ISA_V3);
    assert_int_equal(sb_isa_limited(SB_ISA_V3, "v4"), SB_ISA_V3);
    assert_int_equal(sb_isa_limited(SB_ISA_V3, "v4g"), SB_ISA_V3);
    assert_int_equal(sb_isa_limited(SB_ISA_V4, "v4g"), SB_ISA_V4G);
    assert_int_equal(sb_isa_limited(SB_ISA_V4G, "v4"), SB_ISA_V4);
    assert_int_equal(sb_isa_limited(SB_ISA_V4, "v5"), SB_ISA_V4);
}

static void
test_names(void **state)
{
    (void)state;
    assert_string_equal(sb_isa_name(SB_ISA_GENERIC), "generic");
    assert_string_equal(sb_isa_name(SB_ISA_V4), "v4");
    assert_string_equal(sb_isa_name(SB_ISA_COUNT), "?");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_facts),
        cmocka_unit_test(test_lowered),
        cmocka_unit_test(test_limited),
        cmocka_unit_test(test_names),
    };

    if (setenv("SPBLAS_ISA", "v2", 1) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
