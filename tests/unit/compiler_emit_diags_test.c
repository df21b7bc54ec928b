/*
 * Diagonals of sixteen rows as one call (spblas_diags.h); what only looks like them stays what it
 * was. Values: tests/prop/kernels_alike_test.c.
 */
#include "emits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static const char head[] =
    "prog @sums stage 3 {\n  param %n : i64\n  param %p : i64\n  param %base : i64\n"
    "  buf $col : i32[%p + %n + 64] in\n  buf $a : f32[%p + 16 * %n + 64] in\n"
    "  buf $x : f32[512] in\n  buf $y : f32[16] inout\n  local $sum : f32[16]\n"
    "  local $wide : f32[32]\n"
    "  for %l in 0 .. 32 vector(32) { $wide[%l] = 0.0 }\n"
    "  for %l in 0 .. 16 vector(16) { $sum[%l] = 0.0 }\n";
static const char foot[] = "  for %l in 0 .. 16 vector(16) { $y[%l] = $sum[%l] }\n}\n";

/* Whether the C of a program with this loop over lanes has the call. */
static bool
has_call(const char *outer, const char *inner, const char *store, const char *call)
{
    char loop[512];

    (void)snprintf(loop, sizeof loop, "for %%d in %s { for %%l in %s { %s } }\n", outer,
                   inner, store);
    return emits(head, loop, foot, call);
}

static const char outer[] = "%p .. %p + %n note(diags, 16)";
static const char lanes[] = "0 .. 16 vector(16)";

static void
test_call(void **state)
{
    (void)state;
    assert_true(
        has_call(outer, lanes,
                 "$sum[%l] += $a[%p + %l * %n + (%d - %p)] * "
                 "$x[cast(i64, $col[%d]) - %base + %l]",
                 "SBK_V(diags_i32_f32, SBK_N4_16)(sum, a + p, n, x + (0 - base), "
                 "col + p, 0);"));
    assert_true(has_call("0 .. %n note(diags, 16)", lanes,
                         "$sum[%l] += $a[%l * %n + %d + 7] * "
                         "$x[cast(i64, $col[%d + 2]) + %l]",
                         "SBK_V(diags_i32_f32, SBK_N4_16)(sum, a + 7, n, x + 0, "
                         "col + 2, 0);"));
}

/* Values are asked for so many further as the program says, 16 a diagonal. */
static void
test_ahead(void **state)
{
    static const char sum[] = "$sum[%l] += $a[%p + %l * %n + (%d - %p)] * "
                              "$x[cast(i64, $col[%d]) - %base + %l]";
    static const struct {
        const char *ask, *call; /* NULL: it is no call */
    } loops[] = {{"prefetch $a[%p + (%d - %p) * 16 + %base]", "col + p, base);"},
                 {"prefetch $a[%p + (%d - %p) * 16]", "col + p, 0);"},
                 {"prefetch $a[%p + (%d - %p) * 15 + %base]", NULL},
                 {"prefetch $x[%p + (%d - %p) * 16 + %base]", NULL},
                 {"$y[0] = 1.0", NULL}};
    char loop[512];

    (void)state;
    for (size_t q = 0; q < sizeof loops / sizeof loops[0]; q++) {
        (void)snprintf(loop, sizeof loop, "for %%d in %s { %s for %%l in %s { %s } }\n",
                       outer, loops[q].ask, lanes, sum);
        if (emits(head, loop, foot, loops[q].call ? loops[q].call : "diags_i32") !=
            (loops[q].call != NULL))
            fail_msg("%s", loops[q].ask);
    }
}

static void
test_others(void **state)
{
    static const struct {
        const char *outer, *lanes, *store;
    } loops[] = {
        /* no note; other rows */
        {"%p .. %p + %n", lanes,
         "$sum[%l] += $a[%p + %l * %n + (%d - %p)] * $x[cast(i64, $col[%d]) + %l]"},
        {outer, "0 .. 15 vector(15)",
         "$sum[%l] += $a[%p + %l * %n + (%d - %p)] * $x[cast(i64, $col[%d]) + %l]"},
        /* rows of another length, values or diagonals in another order */
        {outer, lanes,
         "$sum[%l] += $a[%p + %l * (%n + 1) + (%d - %p)] * $x[cast(i64, $col[%d]) + "
         "%l]"},
        {outer, lanes,
         "$sum[%l] += $a[%p + %l * %n + 2 * (%d - %p)] * $x[cast(i64, $col[%d]) + %l]"},
        {outer, lanes,
         "$sum[%l] += $a[%p + %l * %n + (%d - %p)] * $x[cast(i64, $col[2 * %d]) + %l]"},
        {outer, lanes,
         "$sum[%l] += $a[%p + %l * %n + (%d - %p)] * $x[cast(i64, $col[%d]) + 2 * %l]"},
        {outer, lanes,
         "$sum[%l] += $a[%p + %l * %n + (%d - %p)] * $x[cast(i64, $col[%d]) + %d + "
         "%l]"},
        {outer, lanes,
         "$sum[%l] += $a[%p + %l * %n + (%d - %p)] * $x[cast(i64, $col[%d + %l])]"},
        /* other sums */
        {outer, lanes,
         "$wide[%l] += $a[%p + %l * %n + (%d - %p)] * $x[cast(i64, $col[%d]) + %l]"},
        {outer, lanes,
         "$sum[15 - %l] += $a[%p + %l * %n + (%d - %p)] * $x[cast(i64, $col[%d]) + "
         "%l]"},
        {outer, lanes,
         "$sum[%l] = $a[%p + %l * %n + (%d - %p)] * $x[cast(i64, $col[%d]) + %l]"},
        {outer, lanes, "$sum[%l] += $a[%p + %l * %n + (%d - %p)] * 2.0"},
    };

    (void)state;
    for (size_t q = 0; q < sizeof loops / sizeof loops[0]; q++)
        if (has_call(loops[q].outer, loops[q].lanes, loops[q].store, "diags_i32"))
            fail_msg("%s", loops[q].store);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_call),
        cmocka_unit_test(test_ahead),
        cmocka_unit_test(test_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
