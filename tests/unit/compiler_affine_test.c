/*
 * Sums of atoms: simplification keeps values and reaches the forms lowering relies on.
 */
#include "irworld.h"

#include "compiler/affine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* The index expression `text` over %p and %q after simplification, as text. */
static void
check(const char *text, const char *want)
{
    char prog[512], line[300];
    const sb_prog *p;
    sb_prog *q;
    sb_stmt *s;
    sb_strbuf out;
    ir_bench b;

    ir_bench_open(&b);
    (void)snprintf(prog, sizeof prog,
                   "prog @p stage 3 {\n  param %%p : i64\n  param %%q : i64\n"
                   "  buf $x : i64[8] aux\n  buf $y : i64[8] out\n  $y[0] = %s\n}\n",
                   text);
    p = ir_bench_parse(&b, prog);
    q = sb_arena_copy(&b.arena, p, sizeof *p);
    s = sb_arena_copy(&b.arena, p->body.at[0], sizeof *s);
    s->u.store.value = sb_expr_simplify(&b.ir, s->u.store.value);
    q->body = sb_body_copy(&b.ir, 1, (const sb_stmt *const *)&s);
    out = ir_text(q);
    (void)snprintf(line, sizeof line, "$y[0] = %s\n", want);
    if (!strstr(out.s, line))
        fail_msg("%s: wanted %s, have\n%s", text, want, out.s);
    sb_strbuf_free(&out);
    ir_bench_close(&b);
}

static void
test_sums(void **state)
{
    (void)state;
    check("%p + %q - %p", "%q");
    check("%p + 3 - %q + 4 - 7", "%p - %q");
    check("%p * 2 + %p * 3", "%p * 5");
    check("(%p + 1) * 4 - 4", "%p * 4");
    check("%p - %p", "0");
    check("-%p + 5", "5 - %p");
    check("-%p - 5", "-5 - %p");
    check("%p - 5 - %q", "%p - %q - 5");
    check("$x[1 + %p - 1] + %q - $x[%p]", "%q");
    check("%p * %q - %p * %q + 1", "1");
}

static void
test_divisions(void **state)
{
    (void)state;
    check("(%p * 8 + 3) / 8", "%p");
    check("(%p * 8 + 3) mod 8", "3");
    check("(%p * 8 + 9) / 8", "(%p * 8 + 9) / 8");
    check("(%p + 31) / 32", "(%p + 31) / 32");
    check("(%p * 4 + %q) / 4", "(%p * 4 + %q) / 4");
}

static void
test_bounds(void **state)
{
    (void)state;
    check("min(%p + 8, %p + 5)", "%p + 5");
    check("max(%p - 1, %p + 5)", "%p + 5");
    check("min(%p, %p)", "%p");
    check("%q + min(%p - %q + 8, 4 - %q)", "min(%p + 8, 4)");
    check("%q + min(%p, 4)", "%q + min(%p, 4)");
}

static void
test_upper(void **state)
{
    ir_bench b;
    const sb_expr *n;

    (void)state;
    ir_bench_open(&b);
    n = sb_expr_var(&b.ir, sb_var_new(&b.ir, "n", SB_I64));
    assert_int_equal(sb_expr_upper(sb_expr_int(&b.ir, 7)), 7);
    assert_int_equal(sb_expr_upper(n), SB_NO_BOUND);
    assert_int_equal(
        sb_expr_upper(sb_expr_bin(&b.ir, SB_EXPR_MOD, n, sb_expr_int(&b.ir, 8))), 7);
    assert_int_equal(
        sb_expr_upper(sb_expr_bin(&b.ir, SB_EXPR_MIN, n, sb_expr_int(&b.ir, 8))), 8);
    ir_bench_close(&b);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_divisions),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_upper),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
