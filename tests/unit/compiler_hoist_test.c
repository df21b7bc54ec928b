/*
 * Hoisting: loads of bounds bound once, lets out of loops, nothing loaded that was not
 * loaded before.
 */
#include "irworld.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define HEAD                                                    \
    "prog @p stage 3 {\n  param %m : i64\n  param %nnz : i64\n" \
    "  buf $A_ptr : i32[%m + 1] aux\n  buf $A : f64[%nnz] in\n" \
    "  buf $C : f64[%m] inout\n"

static void
check(const char *text, const char *want, const char *unwanted)
{
    const sb_prog *p, *q = NULL;
    sb_strbuf out;
    ir_bench b;

    ir_bench_open(&b);
    p = ir_bench_parse(&b, text);
    assert_int_equal(sb_pass_hoist(&q, &b.ir, p), SB_OK);
    if (sb_prog_verify(q, &b.diag) != SB_OK)
        fail_msg("%s", b.diag.text);
    out = ir_text(q);
    if (!strstr(out.s, want) || (unwanted && strstr(out.s, unwanted)))
        fail_msg("%s", out.s);
    sb_strbuf_free(&out);
    for (uint64_t seed = 0; seed < 6; seed++) {
        ir_world w;

        ir_world_make(&w, seed, 5, 2, 4, 1);
        w.base = 0;
        assert_true(ir_world_same(&w, p, q));
        ir_world_free(&w);
    }
    ir_bench_close(&b);
}

static void
test_bounds(void **state)
{
    (void)state;
    check(HEAD
          "  for %i in 0 .. %m {\n"
          "    for %p in 0 .. cast(i64, $A_ptr[%i + 1]) - cast(i64, $A_ptr[%i]) {\n"
          "      $C[%i] += $A[cast(i64, $A_ptr[%i]) + %p]\n"
          "    }\n  }\n}\n",
          "let %A_ptr0 : i64 = cast(i64, $A_ptr[%i])", "$A[cast(i64");
}

/* Used once: stays where it is. */
static void
test_single_use(void **state)
{
    (void)state;
    check(HEAD "  for %i in 0 .. %m {\n"
               "    for %p in cast(i64, $A_ptr[%i]) .. cast(i64, $A_ptr[%i + 1]) {\n"
               "      $C[%i] += $A[%p]\n"
               "    }\n  }\n}\n",
          "for %p in cast(i64, $A_ptr[%i]) .. ", "let");
}

static void
test_lets(void **state)
{
    (void)state;
    /* No load: out of both loops, and again out of the outer one. */
    check(HEAD "  for %i in 0 .. %m {\n    for %p in 0 .. %i {\n"
               "      let %s : i64 = %m * 2\n"
               "      $C[%i] += cast(f64, %s)\n    }\n  }\n}\n",
          "inout\n  let %s : i64 = %m * 2\n  for %i", NULL);
    /* A load moves out of a loop that surely runs, not out of one that may not. */
    check(HEAD "  for %i in 0 .. %m {\n    for %p in 0 .. 3 {\n"
               "      let %s : f64 = $A[0] * 0.0 + 1.0\n"
               "      $C[%i] += %s\n    }\n  }\n}\n",
          "in 0 .. %m {\n    let %s", NULL);
    check(HEAD "  for %i in 0 .. %m {\n    for %p in 0 .. %i {\n"
               "      let %s : f64 = $A[0] * 0.0 + 1.0\n"
               "      $C[%i] += %s\n    }\n  }\n}\n",
          "in 0 .. %i {\n      let %s", NULL);
}

static void
test_stage(void **state)
{
    const sb_prog *q;
    ir_bench b;

    (void)state;
    ir_bench_open(&b);
    assert_int_equal(sb_pass_hoist(&q, &b.ir, ir_bench_parse(&b, ir_spmm)), SB_EINVAL);
    assert_null(q);
    ir_bench_close(&b);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_single_use),
        cmocka_unit_test(test_lets),
        cmocka_unit_test(test_stage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
