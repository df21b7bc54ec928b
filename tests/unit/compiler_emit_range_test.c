/*
 * Lookups in short arrays that lanes share by groups, t[l * w / 16 * n + at[l]], as one operation;
 * what only looks like them is not, nor is what has other positions. Positions that go on in
 * lanes with a bit are one addition. Values: tests/prop/kernels_ranged_test.c.
 */
#include "emits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static const char head[] =
    "prog @look stage 3 {\n  param %b : i64\n  buf $x : f32[16] in\n"
    "  buf $p : i32[16] in\n  buf $y : f32[16] inout\n  local $t : f32[128]\n"
    "  local $at : i32[16]\n  local $acc : f32[16]\n"
    "  for %l in 0 .. 16 vector(16) { $at[%l] = $p[%l] }\n"
    "  for %l in 0 .. 16 vector(16) { $acc[%l] = 0.0:f32 }\n"
    "  for %u in 0 .. 128 { $t[%u] = 1.0:f32 }\n";
static const char foot[] = "  for %l in 0 .. 16 vector(16) { $y[%l] = $acc[%l] }\n}\n";
#define BIT "ones(%b, %l + 1) > ones(%b, %l)"

/* Whether the C of a program with this loop has `what`. */
static bool
has(const char *loop, const char *what)
{
    return emits(head, loop, foot, what);
}

static bool
looks(const char *index)
{
    char loop[512];

    (void)snprintf(loop, sizeof loop,
                   "for %%l in 0 .. 16 vector(16) { $acc[%%l] += select(%s, select(%s, "
                   "$t[%s], 0.0:f32) * $x[%%l], 0.0:f32) }\n",
                   BIT, BIT, index);
    return has(loop, "tabr_f32");
}

static void
test_ranges(void **state)
{
    (void)state;
    assert_true(looks("%l * 4 / 16 * 32 + cast(i64, $at[%l])"));
    assert_true(looks("%l * 3 / 16 * 32 + cast(i64, $at[%l])"));
    assert_false(looks("%l * 4 / 16 * 16 + cast(i64, $at[%l])"));
    assert_false(looks("%l * 4 / 8 * 32 + cast(i64, $at[%l])"));
    assert_false(looks("%l * 4 / 16 * 32 + cast(i64, $p[%l])"));
    assert_false(looks("%l * 4 / 16 * 32 + cast(i64, $at[15 - %l])"));
    assert_false(looks("cast(i64, $at[%l])"));
}

static void
test_counts(void **state)
{
    (void)state;
    assert_true(has("for %l in 0 .. 16 vector(16) { $at[%l] += select(" BIT
                    ", 1:i32, 0:i32) }\n",
                    "adk_i32"));
    assert_false(has("for %l in 0 .. 16 vector(16) { $at[%l] += select(" BIT
                     ", 1:i32, 2:i32) }\n",
                     "adk_i32"));
    assert_false(has("for %l in 0 .. 16 vector(16) { $at[%l] = select(" BIT
                     ", 1:i32, 0:i32) }\n",
                     "adk_i32"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
