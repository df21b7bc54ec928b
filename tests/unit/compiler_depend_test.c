/*
 * Dependence tests: which loops' iterations store to different elements.
 */
#include "irworld.h"

#include "compiler/depend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Is `for %v in 0 .. 8 { body }` known to be distinct? */
static bool
distinct(const char *body)
{
    char prog[1024];
    const sb_prog *p;
    const sb_buf *bad;
    ir_bench b;
    bool yes;

    ir_bench_open(&b);
    (void)snprintf(prog, sizeof prog,
                   "prog @p stage 2 {\n  param %%n : i64\n  buf $once : i32[8] aux\n"
                   "  buf $twice : i32[8] aux\n  axis #O = dense_fixed(1)\n"
                   "  axis #R = sparse_fixed(#O, 64, width 8, crd $once) unique\n"
                   "  axis #S = sparse_fixed(#O, 64, width 8, crd $twice)\n"
                   "  buf $x : f64[64] in\n  buf $y : f64[64] inout\n"
                   "  for %%v in 0 .. 8 {\n%s\n  }\n}\n",
                   body);
    p = ir_bench_parse(&b, prog);
    yes = sb_loop_distinct(&b.ir, p, p->body.at[0], &bad);
    assert_true(yes == (bad == NULL));
    ir_bench_close(&b);
    return yes;
}

static void
test_distinct(void **state)
{
    (void)state;
    assert_true(distinct("$y[%v] = 1.0"));
    assert_true(distinct("$y[%v] += $x[0]"));
    assert_true(distinct("$y[%n + %v * 2] = $y[%n + %v * 2] * 2.0"));
    assert_true(distinct("for %w in 0 .. 4 { $y[%v * 4 + %w] = 1.0 }"));
    assert_true(distinct("let %s : i64 = %v * 2 $y[%s + 1] = 1.0"));
    assert_true(distinct("let %s : i64 = cast(i64, $once[%v]) $y[%s] = 1.0"));
    assert_true(
        distinct("$y[%v] += $y[%v + 8]")); /* read beyond the iterations' reach */
    assert_true(distinct("local $t : f64[1] $t[0] = 1.0 $y[%v] = $t[0]"));
}

static void
test_may_meet(void **state)
{
    (void)state;
    assert_false(distinct("$y[0] = 1.0"));
    assert_false(distinct("$y[%n] += 1.0"));
    assert_false(distinct("$y[%v / 2] = 1.0"));
    assert_false(distinct("$y[%v * %v] = 1.0"));
    assert_false(distinct("for %w in 0 .. 5 { $y[%v * 4 + %w] = 1.0 }"));
    assert_false(distinct("for %w in 0 .. %n { $y[%v * 4 + %w] = 1.0 }"));
    assert_false(distinct("let %s : i64 = cast(i64, $twice[%v]) $y[%s] = 1.0"));
    assert_false(distinct("$y[%v] += $y[%v + 1]"));
    assert_false(distinct("$y[%v] = 1.0 $y[%v + 8] = 2.0"));
    assert_false(distinct("$y[%v] = 1.0 $y[%v * 2] = 2.0"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distinct),
        cmocka_unit_test(test_may_meet),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
