/*
 * Sums of neighbours, x[2 l] + x[2 l + 1], as one operation on two vectors of a local; what
 * only looks like them stays what it was. Values: tests/prop/kernels_recipes_test.c runs `seg`,
 * which is made of them.
 */
#include "emits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char head[] = "prog @sums stage 3 {\n  buf $x : f32[32] in\n"
                           "  buf $y : f32[16] inout\n  local $a : f32[32]\n"
                           "  local $b : f32[16]\n"
                           "  for %l in 0 .. 32 vector(32) { $a[%l] = $x[%l] }\n";
static const char foot[] = "  for %l in 0 .. 16 vector(16) { $y[%l] = $b[%l] }\n}\n";

/* Whether the C of a program with this loop has pairs. */
static bool
has_pairs(const char *loop)
{
    return emits(head, loop, foot, "pair_f32");
}

static void
test_pairs(void **state)
{
    (void)state;
    assert_true(has_pairs(
        "for %l in 0 .. 16 vector(16) { $b[%l] = $a[%l * 2] + $a[%l * 2 + 1] }\n"));
}

static void
test_others(void **state)
{
    static const char *const loops[] = {
        "for %l in 0 .. 15 vector(16) { $b[%l] = $a[%l * 2] + $a[%l * 2 + 2] }\n",
        "for %l in 0 .. 16 vector(16) { $b[%l] = $a[%l * 2] + $a[%l + 1] }\n",
        "for %l in 0 .. 16 vector(16) { $b[%l] = $a[%l * 2] - $a[%l * 2 + 1] }\n",
        "for %l in 8 .. 16 vector(16) { $b[%l] = $a[%l * 2] + $a[%l * 2 + 1] }\n",
        "for %l in 0 .. 15 vector(16) { $b[%l] = $a[%l * 2] + $a[%l * 2 + 1] }\n",
        "for %l in 0 .. 16 vector(16) { $b[%l] = $x[%l * 2] + $x[%l * 2 + 1] }\n",
    };

    (void)state;
    for (size_t q = 0; q < sizeof loops / sizeof loops[0]; q++)
        assert_false(has_pairs(loops[q]));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
