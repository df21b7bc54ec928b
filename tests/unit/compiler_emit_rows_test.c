/*
 * Sums of sixteen rows as one call (spblas_rows.h), and of eight whose products are computed
 * (spblas_flow.h); what only looks like them stays what it was. Values:
 * tests/prop/kernels_rows_test.c.
 */
#include "emits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static const char head[] =
    "prog @sums stage 3 {\n  param %n : i64\n  buf $ptr : i64[%n + 18] in\n"
    "  buf $x : f32[256] in\n  buf $y : f32[16] inout\n  local $term : f32[256]\n"
    "  local $wide : f32[32]\n  local $sum : f32[16]\n"
    "  for %u in 0 .. 256 { $term[%u] = $x[%u] }\n"
    "  for %l in 0 .. 32 vector(32) { $wide[%l] = 0.0 }\n"
    "  for %l in 0 .. 16 vector(16) { $sum[%l] = 0.0 }\n";
static const char foot[] = "  for %l in 0 .. 16 vector(16) { $y[%l] = $sum[%l] }\n}\n";

/* Whether the C of a program with this loop has the call, and where ptr begins in it. */
static bool
has_call(const char *loop, const char *call)
{
    return emits(head, loop, foot, call);
}

static void
test_call(void **state)
{
    (void)state;
    assert_true(
        has_call("for %r in 0 .. 16 note(rows, 16) { for %q in $ptr[%n + %r] - 5 .. "
                 "$ptr[%n + %r + 1] - 5 { $sum[%r] += $term[%q] } }\n",
                 "SBK_V(rows_i64_f32, SBK_N4_16)(sum, term, ptr + n, 5);"));
    assert_true(has_call("for %r in 0 .. 16 note(rows, 16) { for %q in $ptr[%r] .. "
                         "$ptr[%r + 1] { $sum[%r] += $term[%q] } }\n",
                         "SBK_V(rows_i64_f32, SBK_N4_16)(sum, term, ptr + 0, 0);"));
}

static void
test_others(void **state)
{
    static const char *const loops[] = {
        /* no note; another number of rows, from another one on */
        "for %r in 0 .. 16 { for %q in $ptr[%r] .. $ptr[%r + 1] { $sum[%r] += "
        "$term[%q] } }\n",
        "for %r in 0 .. 15 note(rows, 16) { for %q in $ptr[%r] .. $ptr[%r + 1] { "
        "$sum[%r] += $term[%q] } }\n",
        "for %r in 1 .. 16 note(rows, 16) { for %q in $ptr[%r] .. $ptr[%r + 1] { "
        "$sum[%r] += $term[%q] } }\n",
        /* bounds that are not neighbours, or not of one beginning, or apart by two */
        "for %r in 0 .. 16 note(rows, 16) { for %q in $ptr[%r] .. $ptr[%r + 2] { "
        "$sum[%r] += $term[%q] } }\n",
        "for %r in 0 .. 16 note(rows, 16) { for %q in $ptr[%r] - 1 .. $ptr[%r + 1] - 2 "
        "{ $sum[%r] += $term[%q] } }\n",
        "for %r in 0 .. 16 note(rows, 16) { for %q in $ptr[%r] - %r .. $ptr[%r + 1] - "
        "%r { $sum[%r] += $term[%q] } }\n",
        "for %r in 0 .. 16 note(rows, 16) { for %q in $ptr[min(%r, 7)] .. "
        "$ptr[min(%r, 7) + 1] { $sum[%r] += $term[%q] } }\n",
        /* other sums, other terms, other places */
        "for %r in 0 .. 16 note(rows, 16) { for %q in $ptr[%r] .. $ptr[%r + 1] { "
        "$sum[%r] += $term[%q] * 2.0 } }\n",
        "for %r in 0 .. 16 note(rows, 16) { for %q in $ptr[%r] .. $ptr[%r + 1] { "
        "$sum[%r] += $term[%q + 1] } }\n",
        "for %r in 0 .. 16 note(rows, 16) { for %q in $ptr[%r] .. $ptr[%r + 1] { "
        "$sum[15 - %r] += $term[%q] } }\n",
        "for %r in 0 .. 16 note(rows, 16) { for %q in $ptr[%r] .. $ptr[%r + 1] { "
        "$sum[%r] = $term[%q] } }\n",
        "for %r in 0 .. 16 note(rows, 16) { for %q in $ptr[%r] .. $ptr[%r + 1] { "
        "$wide[%r] += $term[%q] } }\n",
    };

    (void)state;
    for (size_t q = 0; q < sizeof loops / sizeof loops[0]; q++)
        if (has_call(loops[q], "rows_i64"))
            fail_msg("%s", loops[q]);
}

/* The same of eight rows whose products are computed. */
static const char flow_head[] =
    "prog @flows stage 3 {\n  param %n : i64\n  param %base : i64\n"
    "  buf $ptr : i64[%n + 18] in\n  buf $few : i32[%n + 18] in\n"
    "  buf $crd : i64[%n] in\n  buf $a : f32[%n] in\n"
    "  buf $x : f32[256] in\n  buf $y : f32[8] inout\n  local $wide : f32[16]\n"
    "  local $sum : f32[8]\n"
    "  for %l in 0 .. 16 vector(16) { $wide[%l] = 0.0 }\n"
    "  for %l in 0 .. 8 vector(8) { $sum[%l] = 0.0 }\n";
static const char flow_foot[] =
    "  for %l in 0 .. 8 vector(8) { $y[%l] = $sum[%l] }\n}\n";

static void
test_flow(void **state)
{
    static const char loop[] =
        "for %r in 0 .. 8 note(flow, 8) { for %q in $ptr[%n + %r] - %base .. "
        "$ptr[%n + %r + 1] - %base { $sum[%r] += $a[%q] * $x[$crd[%q] - %base] } }\n";
    /* behind one that is no call, in the other branch */
    static const char behind[] =
        "for %r in 0 .. 7 note(flow, 8) { for %q in $ptr[%r] .. $ptr[%r + 1] { "
        "$sum[%r] += $a[%q] * $x[$crd[%q]] } }\n"
        "if (%n > 3) { $wide[0] = 1.0 } else { for %r in 0 .. 8 note(flow, 8) { for %q "
        "in "
        "$ptr[%r] .. $ptr[%r + 1] { $sum[%r] += $a[%q] * $x[$crd[%q]] } } }\n";
    static const char *const others[] = {
        /* no note, other rows, offsets shorter than columns */
        "for %r in 0 .. 8 { for %q in $ptr[%r] .. $ptr[%r + 1] { $sum[%r] += $a[%q] * "
        "$x[$crd[%q]] } }\n",
        "for %r in 0 .. 7 note(flow, 8) { for %q in $ptr[%r] .. $ptr[%r + 1] { "
        "$sum[%r] += $a[%q] * $x[$crd[%q]] } }\n",
        "for %r in 0 .. 8 note(flow, 8) { for %q in cast(i64, $few[%r]) .. cast(i64, "
        "$few[%r + 1]) { $sum[%r] += $a[%q] * $x[$crd[%q]] } }\n",
        /* other products and places */
        "for %r in 0 .. 8 note(flow, 8) { for %q in $ptr[%r] .. $ptr[%r + 1] { "
        "$sum[%r] += $x[$crd[%q]] } }\n",
        "for %r in 0 .. 8 note(flow, 8) { for %q in $ptr[%r] .. $ptr[%r + 1] { "
        "$sum[%r] += $a[%q + 1] * $x[$crd[%q]] } }\n",
        "for %r in 0 .. 8 note(flow, 8) { for %q in $ptr[%r] .. $ptr[%r + 1] { "
        "$sum[%r] += $a[%q] * $x[$crd[%q + 1]] } }\n",
        "for %r in 0 .. 8 note(flow, 8) { for %q in $ptr[%r] .. $ptr[%r + 1] { "
        "$sum[%r] += $a[%q] * $x[$crd[%q] + %r] } }\n",
        "for %r in 0 .. 8 note(flow, 8) { for %q in $ptr[%r] .. $ptr[%r + 1] { "
        "$sum[%r] += $a[%q] * $x[$crd[%q] + %q] } }\n",
        "for %r in 0 .. 8 note(flow, 8) { for %q in $ptr[%r] .. $ptr[%r + 1] { "
        "$sum[%r] += $a[%q] * $x[%q] } }\n",
        "for %r in 0 .. 8 note(flow, 8) { for %q in $ptr[%r] .. $ptr[%r + 1] { "
        "$wide[%r] += $a[%q] * $x[$crd[%q]] } }\n",
    };

    (void)state;
    assert_true(emits(flow_head, loop, flow_foot,
                      "SBK_V(flow_i64_i64_f32, SBK_N4_8)(sum, a, crd, x + (0 - base), "
                      "ptr + n, base, 0, &flow_);"));
    assert_true(
        emits(flow_head, loop, flow_foot, "    sbk_flow_f32 flow_ = {.end = -1};\n"));
    assert_true(emits(flow_head, behind, flow_foot, "&flow_);"));
    assert_true(
        emits(flow_head, behind, flow_foot, "    sbk_flow_f32 flow_ = {.end = -1};\n"));
    for (size_t q = 0; q < sizeof others / sizeof others[0]; q++)
        if (emits(flow_head, others[q], flow_foot, "flow_"))
            fail_msg("%s", others[q]);
}

/* Entries of both lists are asked for so many further as the program says. */
static void
test_flow_ahead(void **state)
{
    static const struct {
        const char *ask;
        bool call;
    } loops[] = {{"prefetch $a[%q + %n] prefetch $crd[%q + %n]", true},
                 {"prefetch $a[%q + %n] prefetch $crd[%q + %n + 1]", false},
                 {"prefetch $crd[%q + %n] prefetch $a[%q + %n]", false},
                 {"prefetch $a[2 * %q + %n] prefetch $crd[%q + %n]", false},
                 {"prefetch $a[%q + %r] prefetch $crd[%q + %r]", false},
                 {"prefetch $a[%q + %n]", false}};
    char loop[512];

    (void)state;
    for (size_t q = 0; q < sizeof loops / sizeof loops[0]; q++) {
        (void)snprintf(loop, sizeof loop,
                       "for %%r in 0 .. 8 note(flow, 8) { for %%q in $ptr[%%r] .. "
                       "$ptr[%%r + 1] { %s $sum[%%r] += $a[%%q] * $x[$crd[%%q]] } }\n",
                       loops[q].ask);
        if (emits(flow_head, loop, flow_foot, "ptr + 0, 0, n, &flow_);") !=
                loops[q].call ||
            emits(flow_head, loop, flow_foot, "flow_") != loops[q].call)
            fail_msg("%s", loops[q].ask);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_call),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_flow),
        cmocka_unit_test(test_flow_ahead),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
