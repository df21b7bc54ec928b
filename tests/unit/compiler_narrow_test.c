/*
 * Narrowing: only where the facts prove it, and with the same values.
 */
#include "irworld.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void
check(const char *facts, const char *value, const char *want)
{
    char text[1024] = "prog @p stage 3 {\n  param %m : i64\n  param %base : i64\n"
                      "  param %nnz : i64\n  buf $A_crd : i32[%nnz] aux\n"
                      "  buf $C : f64[%m] inout\n";
    const sb_prog *p, *q = NULL;
    sb_strbuf out;
    ir_bench b;

    (void)strcat(text, facts);
    (void)strcat(text, "  for %i in 0 .. min(%m, %nnz) {\n    let %j : i64 = ");
    (void)strcat(text, value);
    (void)strcat(text, "\n    $C[%i] = cast(f64, %j * 3)\n  }\n}\n");
    ir_bench_open(&b);
    p = ir_bench_parse(&b, text);
    assert_int_equal(sb_pass_narrow(&q, &b.ir, p), SB_OK);
    if (sb_prog_verify(q, &b.diag) != SB_OK)
        fail_msg("%s", b.diag.text);
    out = ir_text(q);
    if (!strstr(out.s, want))
        fail_msg("no %s in\n%s", want, out.s);
    sb_strbuf_free(&out);
    for (uint64_t seed = 0; seed < 6; seed++) {
        ir_world w;

        ir_world_make(&w, seed, 5, 2, 4, 1);
        assert_true(ir_world_same(&w, p, q));
        ir_world_free(&w);
    }
    ir_bench_close(&b);
}

static void
test_proven(void **state)
{
    (void)state;
    check("", "cast(i64, $A_crd[%i])", "let %j : i32 = $A_crd[%i]");
    check("", "cast(i64, $A_crd[%i]) / 2", "let %j : i32 = ");
    check("", "min(cast(i64, $A_crd[%i]), 7)", "let %j : i32 = ");
    check("  assume %base >= 0 && %base <= 1\n",
          "min(cast(i64, $A_crd[%i]), 9) mod 8 + %base", "let %j : i32 = ");
}

static void
test_not_proven(void **state)
{
    (void)state;
    check("", "cast(i64, $A_crd[%i]) - %base", "let %j : i64 = ");
    check("  assume %base >= 0\n  assume %base <= 1\n", "cast(i64, $A_crd[%i]) - %base",
          "let %j : i64 = "); /* the smallest i32 minus 1 */
    check("", "cast(i64, $A_crd[%i]) * 2", "let %j : i64 = ");
    check("", "%i * 2", "let %j : i64 = ");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_proven),
        cmocka_unit_test(test_not_proven),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
