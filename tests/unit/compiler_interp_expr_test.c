/*
 * compiler/interp_expr: what every operator gives, how values round, which numbers a
 * conversion takes.
 */
#include "irprog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* The value a stage III program leaves in $r, read as a real. */
static double
value_of(const char *type, const char *expr, double a, double q)
{
    char text[400];
    double room[2] = {0, 0};
    const ir_bind bind[] = {IR_PARAM("a", a),
                            IR_PARAM("q", q),
                            IR_ARRAY("r", room, 1),
                            {NULL, 0.0, NULL, 0}};
    sb_value v;
    ir_lab lab;

    ir_lab_init(&lab);
    (void)snprintf(
        text, sizeof text,
        "prog @f stage 3 { param %%a : i64 param %%q : i32 buf $r : %s[1] out "
        "$r[0] = %s }",
        type, expr);
    if (ir_run(&lab, ir_lab_parse(&lab, text, true), bind) != SB_OK)
        fail_msg("%s: %s", expr, lab.diag.text);
    v = sb_value_load(sb_dtype_parse(type, strlen(type)), room, 0);
    ir_lab_free(&lab);
    return v.re;
}

static void
values_follow_the_operator_table(void **state)
{
    (void)state;
    assert_true(value_of("i64", "%a / 3", -7, 0) == -3);
    assert_true(value_of("i64", "%a mod 3", -7, 0) == 2);
    assert_true(value_of("i64", "%a / 3 * 3 + %a mod 3", -7, 0) == -7);
    assert_true(value_of("i64", "min(%a, 3) - max(%a, 3)", -7, 0) == -10);
    assert_true(value_of("i64", "%q + %a", -7, 5) == -2);
    assert_true(value_of("i32", "-%q", 0, 5) == -5);
    assert_true(value_of("f32", "cast(f32, %a)", 16777217, 0) == 16777216);
    assert_true(value_of("f64", "cast(f64, %a)", 16777217, 0) == 16777217);
    assert_true(value_of("i64", "cast(i64, -2.75)", 0, 0) == -2);
    assert_true(value_of("f32", "cast(f32, 0.1:f64)", 0, 0) == (double)0.1F);
    assert_true(value_of("f32", "cast(f32, cast(f16, 0.1))", 0, 0) ==
                (double)sb_f16_to_f32(sb_f16_from_f32(0.1F)));
    /* Once: by way of f32 the first three would meet a tie and go down. */
    assert_true(value_of("f16", "cast(f16, 1.00048828218:f64)", 0, 0) ==
                1 + 1.0 / 1024);
    assert_true(value_of("f16", "1.00048828218:f16", 0, 0) == 1 + 1.0 / 1024);
    assert_true(value_of("bf16", "cast(bf16, %a)", 4311744513, 0) ==
                4294967296.0 * (1 + 1.0 / 128));
    assert_true(value_of("bf16", "cast(bf16, 1.00390625:f64)", 0, 0) == 1);
    assert_true(value_of("f32", "16777216.0 + 1.0", 0, 0) == 16777216);
    assert_true(value_of("f64", "16777216.0:f64 + 1.0", 0, 0) == 16777217);
    assert_true(value_of("c64", "conj(cast(c64, %a)) * 2.0", 3, 0) == 6);
    assert_true(value_of("i64", "select(%a < 0 && %q == 5, 1, 2)", -7, 5) == 1);
    assert_true(value_of("i64", "select(!(%a < 0) || %q != 5, 1, 2)", -7, 5) == 2);
    assert_true(value_of("i64", "select(%a == 0, 1, 8 / %a)", 0, 0) == 1); /* lazy */
}

/* less, equal, greater of a comparison, as digits. */
static int
verdicts(const char *type, const char *op)
{
    int digits = 0;

    for (int a = 1; a <= 3; a++) {
        char text[160];

        (void)snprintf(text, sizeof text, "select(cast(%s, %%a) %s cast(%s, 2), 1, 0)",
                       type, op, type);
        digits = 10 * digits + (int)value_of("i64", text, a, 0);
    }
    return digits;
}

static void
comparisons_see_equal_numbers(void **state)
{
    static const char *const types[] = {"i64", "i32", "f64", "f16"};

    (void)state;
    for (int q = 0; q < 4; q++) {
        assert_int_equal(verdicts(types[q], "<"), 100);
        assert_int_equal(verdicts(types[q], "<="), 110);
        assert_int_equal(verdicts(types[q], ">"), 1);
        assert_int_equal(verdicts(types[q], ">="), 11);
        assert_int_equal(verdicts(types[q], "=="), 10);
        assert_int_equal(verdicts(types[q], "!="), 101);
    }
}

static const char complex_text[] =
    "prog @f stage 3 { param %z : c64 buf $r : c64[4] out buf $s : i64[2] out "
    "$r[0] = %z * %z  $r[1] = conj(%z)  $r[2] = %z / %z  $r[3] = -%z "
    "$s[0] = select(%z == conj(%z), 1, 2)  $s[1] = select(%z != conj(%z), 1, 2) }";

static void
complex_numbers_keep_both_parts(void **state)
{
    const sb_value z = {3.0, -4.0};
    double r[8];
    int64_t s[2];
    const sb_arg buf[] = {{r, 4}, {s, 2}};
    const sb_interp_args args = {&z, buf};
    ir_lab lab;

    (void)state;
    ir_lab_init(&lab);
    assert_int_equal(
        sb_interp(ir_lab_parse(&lab, complex_text, true), &args, &lab.diag), SB_OK);
    assert_true(r[0] == -7 && r[1] == -24);
    assert_true(r[2] == 3 && r[3] == 4);
    assert_true(r[4] == 1 && r[5] == 0);
    assert_true(r[6] == -3 && r[7] == 4);
    assert_true(s[0] == 2 && s[1] == 1);
    ir_lab_free(&lab);
}

/* Each conversion at the last number that fits and at the next. */
static void
conversions_check_their_range(void **state)
{
    static const struct {
        const char *expr;
        bool fits;
    } cases[] = {
        {"cast(i8, %a)", true},
        {"cast(i8, %a + 1)", false},
        {"cast(i8, -%a - 1)", true},
        {"cast(i8, -%a - 2)", false},
        {"cast(i32, -2147483648 + 0 * %a)", true},
        {"cast(i32, -2147483775 + %a - 1)", false},
        {"cast(i64, 9223372036854774784.0:f64)", true},
        {"cast(i64, 9223372036854775808.0:f64)", false},
        {"cast(i64, -9223372036854775808.0:f64)", true},
        {"cast(i64, -9223372036854777856.0:f64)", false},
    };

    (void)state;
    for (size_t q = 0; q < sizeof cases / sizeof *cases; q++) {
        const ir_bind bind[] = {IR_PARAM("a", 127), {NULL, 0.0, NULL, 0}};
        char text[160];
        sb_status st;
        ir_lab lab;

        ir_lab_init(&lab);
        (void)snprintf(text, sizeof text,
                       "prog @f stage 3 { param %%a:i64 let %%v = %s }", cases[q].expr);
        st = ir_run(&lab, ir_lab_parse(&lab, text, true), bind);
        if (st != (cases[q].fits ? SB_OK : SB_EINVAL))
            fail_msg("%s: %s %s", cases[q].expr, sb_status_name(st), lab.diag.text);
        ir_lab_free(&lab);
    }
}

static void
stores_accumulate_in_the_buffers_type(void **state)
{
    uint16_t h[2] = {sb_f16_from_f32(1.0F), sb_f16_from_f32(-4.0F)};
    float s[2] = {5.0F, 2.0F};
    const ir_bind bind[] = {
        IR_ARRAY("h", h, 2), IR_ARRAY("s", s, 2), {NULL, 0.0, NULL, 0}};
    ir_lab lab;

    (void)state;
    ir_lab_init(&lab);
    assert_int_equal(
        ir_run(&lab,
               ir_lab_parse(
                   &lab,
                   "prog @f stage 3 { buf $h : f16[2] inout buf $s : f32[2] inout "
                   "$h[0] += 0.0001 $h[1] min= 2.0 $s[0] max= 7.0 $s[1] += 3.0 }",
                   true),
               bind),
        SB_OK);
    assert_int_equal(h[0], sb_f16_from_f32(1.0F)); /* 1 + 1e-4 rounds to 1 in f16 */
    assert_int_equal(h[1], sb_f16_from_f32(-4.0F));
    assert_true(s[0] == 7.0F && s[1] == 5.0F);
    ir_lab_free(&lab);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_follow_the_operator_table),
        cmocka_unit_test(comparisons_see_equal_numbers),
        cmocka_unit_test(complex_numbers_keep_both_parts),
        cmocka_unit_test(conversions_check_their_range),
        cmocka_unit_test(stores_accumulate_in_the_buffers_type),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
