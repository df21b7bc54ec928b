/*
 * compiler/parse, print: canonical text reads back to itself; errors are places with a
 * caret; every limit holds.
 */
#include "base/alloc.h"
#include "irprog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void
samples_are_canonical(void **state)
{
    (void)state;
    for (int q = 0; ir_samples[q].name; q++) {
        ir_lab lab;
        const char *once, *twice;

        ir_lab_init(&lab);
        once = ir_lab_print(&lab, ir_lab_parse(&lab, ir_samples[q].text, true));
        twice = ir_lab_print(&lab, ir_lab_parse(&lab, once, true));
        assert_string_equal(once, twice);
        ir_lab_free(&lab);
    }
}

/* The programs of docs/ir.md, between "```sb" and "```", are what they claim to be. */
static void
programs_of_the_reference_are_canonical(void **state)
{
    const char *const path = SB_SOURCE_DIR "/docs/ir.md";
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 1 << 18), *from;
    int found = 0;

    (void)state;
    assert_non_null(f);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 18) - 1, f) > 0);
    (void)fclose(f);
    from = text;
    while ((from = strstr(from, "```sb\n")) != NULL) {
        char *end = strstr(from + 6, "```");
        ir_lab lab;

        assert_non_null(end);
        *end = '\0';
        ir_lab_init(&lab);
        assert_string_equal(ir_lab_print(&lab, ir_lab_parse(&lab, from + 6, true)),
                            from + 6);
        ir_lab_free(&lab);
        from = end + 1;
        found++;
    }
    assert_int_equal(found, 4);
    free(text);
}

/* An expression in a program around it, printed again. */
static void
check_expr(const char *in, const char *out)
{
    char text[600];
    const char *printed, *at;
    ir_lab lab;

    (void)snprintf(text, sizeof text,
                   "prog @f stage 3 { param %%a : i64 param %%b : i64 param %%c : i64 "
                   "param %%p : bool param %%x : f32 param %%d : f64 buf $l : i32[%%a] "
                   "aux let %%r = %s }",
                   in);
    ir_lab_init(&lab);
    printed = ir_lab_print(&lab, ir_lab_parse(&lab, text, false));
    at = strstr(printed, " = ");
    assert_non_null(at);
    assert_memory_equal(at + 3, out, strlen(out));
    assert_string_equal(at + 3 + strlen(out), "\n}\n");
    ir_lab_free(&lab);
}

static void
parentheses_are_minimal(void **state)
{
    (void)state;
    check_expr("((%a + %b)) + %c", "%a + %b + %c");
    check_expr("%a + (%b + %c)", "%a + (%b + %c)");
    check_expr("%a - (%b - %c)", "%a - (%b - %c)");
    check_expr("(%a * %b) + (%c / %a)", "%a * %b + %c / %a");
    check_expr("(%a + %b) * %c mod %a", "(%a + %b) * %c mod %a");
    check_expr("%a mod (%b * %c)", "%a mod (%b * %c)");
    check_expr("-(%a + %b)", "-(%a + %b)");
    check_expr("-(-%a)", "--%a");
    check_expr("(-%a) * -%b", "-%a * -%b");
    check_expr("!(%p && %p) || %p", "!(%p && %p) || %p");
    check_expr("(%p || %p) && %p", "(%p || %p) && %p");
    check_expr("(%a < %b) == (%b < %c)", "%a < %b == %b < %c");
    check_expr("%a < (%b + 1)", "%a < %b + 1");
    check_expr("min(%a, max((%b), %c))", "min(%a, max(%b, %c))");
    check_expr("cast(i32, %a)", "cast(i32, %a)");
    check_expr("find($l, 0, %a, %b)", "find($l, 0, %a, %b)");
    check_expr("$l[%a-1]", "$l[%a - 1]");
}

static void
literals_have_types(void **state)
{
    (void)state;
    check_expr("7:i32", "7:i32");
    check_expr("-128:i8", "-128:i8");
    check_expr("-9223372036854775808", "-9223372036854775808");
    check_expr("%a - -3", "%a - -3");
    check_expr("2 * 3 + 4", "10");
    check_expr("%x * 0.5", "%x * 0.5");
    check_expr("%d * 0.5", "%d * 0.5:f64");
    check_expr("0.5 * %d", "0.5:f64 * %d");
    check_expr("%d < -1e-3", "%d < -0.001:f64");
    check_expr("select(%p, 0.0, %d)", "select(%p, 0.0:f64, %d)");
    check_expr("max(%d, inf)", "max(%d, inf:f64)");
    check_expr("-0.0", "-0.0");
    check_expr("nan:f64", "nan:f64");
    check_expr("cast(i64, $l[0]) + $l[1]", "cast(i64, $l[0]) + $l[1]");
}

static void
stores_and_lets_give_literals_their_type(void **state)
{
    ir_lab lab;
    const char *text;

    (void)state;
    ir_lab_init(&lab);
    text = ir_lab_print(
        &lab, ir_lab_parse(&lab,
                           "prog @f stage 3 { buf $h : f16[2] out ; half\n"
                           "let %x : f64 = 1.5 $h[0] = 0.25 $h[1] min= -0.5 stream}",
                           true));
    assert_string_equal(text, "prog @f stage 3 {\n"
                              "  buf $h : f16[2] out\n"
                              "  let %x : f64 = 1.5:f64\n"
                              "  $h[0] = 0.25:f16\n"
                              "  $h[1] min= -0.5:f16 stream\n"
                              "}\n");
    ir_lab_free(&lab);
}

static void
equal_text_has_equal_hash(void **state)
{
    const char *other = "prog @g stage 3 {}";
    sb_hash a, b, c;
    ir_lab lab;

    (void)state;
    ir_lab_init(&lab);
    assert_int_equal(
        sb_prog_hash(&a, ir_lab_parse(&lab, "prog @f stage 3 { ; x\n}", true)), SB_OK);
    assert_int_equal(sb_prog_hash(&b, ir_lab_parse(&lab, "prog @f  stage 3 {}", true)),
                     SB_OK);
    assert_int_equal(sb_prog_hash(&c, ir_lab_parse(&lab, other, true)), SB_OK);
    assert_true(sb_hash_equal(a, b));
    assert_false(sb_hash_equal(a, c));
    ir_lab_free(&lab);
}

static void
nodes_are_shared(void **state)
{
    const sb_prog *p;
    ir_lab lab;

    (void)state;
    ir_lab_init(&lab);
    p = ir_lab_parse(&lab,
                     "prog @f stage 3 { param %a : i64 buf $y : i64[%a] out "
                     "$y[0] = %a * 2 + 1 $y[1] = (%a * 2) + 1 }",
                     true);
    assert_ptr_equal(p->body.at[0]->u.store.value, p->body.at[1]->u.store.value);
    ir_lab_free(&lab);
}

/* ---- errors -------------------------------------------------------------------------- */

#define HEAD "prog @f stage 3 { param %a : i64 param %x : f32 buf $y : f32[%a] out "

static const struct {
    const char *text, *message;
} bad[] = {
    {"", "expected prog"},
    {"prog", "expected a program @name"},
    {"prog @f stage 4 {}", "the stage is 1, 2 or 3"},
    {"prog @f stage 3 {", "expected a statement or }"},
    {"prog @f stage 3 {} x", "nothing may follow the program"},
    {"prog @f stage 3 { param %a i64 }", "expected :"},
    {"prog @f stage 3 { param %a : int }", "expected a type"},
    {"prog @f stage 3 { param % : i64 }", "a name must follow"},
    {"prog @f stage 3 { buf $a : f32[] in }", "expected an expression"},
    {"prog @f stage 3 { buf $a : f32[#I] in }", "no axis of this name"},
    {"prog @f stage 3 { buf $a : f32[1.5] in }", "this is f32 where i64 is wanted"},
    {"prog @f stage 3 { buf $a : f32[3] local }", "expected aux"},
    {"prog @f stage 3 { buf $a : f32[3, 4] in strides(1) }", "1 strides for 2 dim"},
    {"prog @f stage 3 { buf $a:i32[3] aux buf $b:i32[$a[0]] aux }", "parameters only"},
    {"prog @f stage 3 { buf $a : f32[1,1,1,1,1,1,1,1,1,1] in }",
     "more than 9 dimensions"},
    {"prog @f stage 1 { axis #I = dense(3) }", "expected an axis kind"},
    {"prog @f stage 1 { axis #I = dense_fixed(3, nnz 1, nnz 2) }",
     "nnz is given twice"},
    {"prog @f stage 1 { axis #I = dense_fixed(3, sorted) }", "expected width, nnz"},
    {HEAD "$y[0] = %b }", "no variable of this name"},
    {HEAD "$z[0] = %x }", "no buffer of this name"},
    {HEAD "$y[] = %x }", "expected an expression"},
    {HEAD "$y[%x] = %x }", "indices must be i32 or i64"},
    {HEAD "$y[0,0,0,0,0,0,0,0,0,0] = %x }", "more than 9 indices"},
    {HEAD "$y[0] = min() }", "expected an expression"},
    {HEAD "$y[0] = min(%x) }", "expected ,"},
    {HEAD "$y[0] = min(%x, %x, %x) }", "expected )"},
    {HEAD "$y[0] = select(%a, %x, %x) }", "the condition must be bool"},
    {HEAD "$y[0] = %x + %a }", "operands of +: types differ"},
    {HEAD "$y[0] = %x mod 2.0 }", "must be integers"},
    {HEAD "$y[0] = %a }", "this is i64 where f32 is wanted"},
    {HEAD "$y[0] = 1.0:f64 }", "this is f64 where f32 is wanted"},
    {HEAD "$y[0] = 1.0:i32 }", "a real literal cannot be i32"},
    {HEAD "let %q = 99999999999999999999 }", "does not fit 64 bits"},
    {HEAD "let %q = 128:i8 }", "this integer is no i8"},
    {HEAD "let %q = 1x }", "a letter cannot follow a number"},
    {HEAD "let %q = %a ? %a }", "means nothing here"},
    {HEAD "let %q = (%a }", "expected )"},
    {HEAD "for %i in 0 , 3 {} }", "expected .."},
    {HEAD "for %i in 0 .. 3 vector(0) {} }", "lanes are 1 to"},
    {HEAD "if %a {} }", "this is i64 where bool is wanted"},
    {HEAD "iter s () {} }", "expected a variable %name"},
    {HEAD "assume %a > 0 while }", "expected a statement or }"},
};

static void
errors_say_what_is_wrong(void **state)
{
    (void)state;
    for (size_t q = 0; q < sizeof bad / sizeof *bad; q++) {
        const sb_prog *p;
        ir_lab lab;

        ir_lab_init(&lab);
        assert_int_equal(sb_prog_parse(&p, &lab.ir, bad[q].text, strlen(bad[q].text)),
                         SB_EPARSE);
        assert_null(p);
        if (!strstr(lab.diag.text, bad[q].message))
            fail_msg("%s\ngives: %s\nnot: %s", bad[q].text, lab.diag.text,
                     bad[q].message);
        assert_int_equal(lab.diag.st, SB_EPARSE);
        assert_int_equal(sb_ir_status(&lab.ir), SB_OK); /* the ir is as good as new */
        ir_lab_free(&lab);
    }
}

static void
errors_show_the_place(void **state)
{
    const char *text = "prog @f stage 3 {\n  param %a : i64\n  let %b = %a + * 2\n}\n";
    const sb_prog *p;
    ir_lab lab;

    (void)state;
    ir_lab_init(&lab);
    assert_int_equal(sb_prog_parse(&p, &lab.ir, text, strlen(text)), SB_EPARSE);
    assert_string_equal(lab.diag.text, "line 3, column 17: expected an expression\n"
                                       "  let %b = %a + * 2\n"
                                       "                ^");
    ir_lab_free(&lab);
}

/* ---- limits -------------------------------------------------------------------------- */

/* n copies of `piece`, between `before` and `after`. */
static char *
repeat(const char *before, const char *piece, int n, const char *after)
{
    const size_t b = strlen(before), q = strlen(piece), a = strlen(after);
    char *text = malloc(b + (size_t)n * q + a + 1);

    assert_non_null(text);
    memcpy(text, before, b);
    for (int k = 0; k < n; k++)
        memcpy(text + b + (size_t)k * q, piece, q);
    memcpy(text + b + (size_t)n * q, after, a + 1);
    return text;
}

static sb_status
parse_repeat(const char *before, const char *piece, int n, const char *after)
{
    char *text = repeat(before, piece, n, after);
    const sb_prog *p;
    sb_status st;
    ir_lab lab;

    ir_lab_init(&lab);
    st = sb_prog_parse(&p, &lab.ir, text, strlen(text));
    ir_lab_free(&lab);
    free(text);
    return st;
}

static void
nesting_is_bounded(void **state)
{
    const char *let = "prog @f stage 3 { param %a : i64 let %q = ";

    (void)state;
    assert_int_equal(parse_repeat(let, "-(", 25, "%a"), SB_EPARSE);
    assert_int_equal(parse_repeat(let, "(", 100000, "1"), SB_EPARSE);
    assert_int_equal(parse_repeat(let, "-", 100000, "%a }"), SB_EPARSE);
    assert_int_equal(parse_repeat(let, "min(", 100000, "1"), SB_EPARSE);
    assert_int_equal(parse_repeat(let, "%a * ", 500, "%a }"), SB_OK);
    assert_int_equal(parse_repeat(let, "%a * ", 100000, "%a }"), SB_EPARSE);
    assert_int_equal(parse_repeat("prog @f stage 3 {", "if 0 < 1 {", 100000, ""),
                     SB_EPARSE);
    assert_int_equal(parse_repeat("prog @f stage 3 {", "block b {} ", 100000, "}"),
                     SB_OK);
}

static void
names_and_counts_are_bounded(void **state)
{
    (void)state;
    assert_int_equal(parse_repeat("prog @", "a", 63, " stage 3 {}"), SB_OK);
    assert_int_equal(parse_repeat("prog @", "a", 64, " stage 3 {}"), SB_EPARSE);
    assert_int_equal(parse_repeat("prog @f stage 3 {", "param %a:i64 ", 1024, "}"),
                     SB_OK);
    assert_int_equal(parse_repeat("prog @f stage 3 {", "param %a:i64 ", 1025, "}"),
                     SB_EPARSE);
    assert_int_equal(parse_repeat("prog @f stage 3 {", "buf $a:i32[1] in ", 257, "}"),
                     SB_EPARSE);
    assert_int_equal(
        parse_repeat("prog @f stage 3 {", "axis #a=dense_fixed(1) ", 257, "}"),
        SB_EPARSE);
    assert_int_equal(parse_repeat("prog @f stage 3 {", "assume 0<1 ", 257, "}"),
                     SB_EPARSE);
    assert_int_equal(parse_repeat("prog @f stage 3 { let %a = 0", ".", 64, "}"),
                     SB_EPARSE);
    assert_int_equal(parse_repeat("prog @f stage 3 { let %a = 0.", "1", 80, "}"),
                     SB_EPARSE);
}

static void
nul_bytes_are_no_text(void **state)
{
    const char text[] = "prog @f stage 3 {\0}";
    const sb_prog *p;
    ir_lab lab;

    (void)state;
    ir_lab_init(&lab);
    assert_int_equal(sb_prog_parse(&p, &lab.ir, text, sizeof text - 1), SB_EPARSE);
    assert_non_null(strstr(lab.diag.text, "means nothing here"));
    ir_lab_free(&lab);
}

static void
memory_that_runs_out_is_reported(void **state)
{
    const char *text = ir_sample_text("spmm_bsr");
    sb_status st = SB_ENOMEM;

    (void)state;
    for (int64_t n = 0; st != SB_OK; n++) {
        const sb_prog *p;
        ir_lab lab;

        ir_lab_init(&lab);
        (void)sb_alloc_fail_after(n);
        st = sb_prog_parse(&p, &lab.ir, text, strlen(text));
        (void)sb_alloc_fail_after(-1);
        assert_true(st == SB_OK || st == SB_ENOMEM);
        ir_lab_free(&lab);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_canonical),
        cmocka_unit_test(programs_of_the_reference_are_canonical),
        cmocka_unit_test(parentheses_are_minimal),
        cmocka_unit_test(literals_have_types),
        cmocka_unit_test(stores_and_lets_give_literals_their_type),
        cmocka_unit_test(equal_text_has_equal_hash),
        cmocka_unit_test(nodes_are_shared),
        cmocka_unit_test(errors_say_what_is_wrong),
        cmocka_unit_test(errors_show_the_place),
        cmocka_unit_test(nesting_is_bounded),
        cmocka_unit_test(names_and_counts_are_bounded),
        cmocka_unit_test(nul_bytes_are_no_text),
        cmocka_unit_test(memory_that_runs_out_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
