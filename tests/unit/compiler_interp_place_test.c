/*
 * compiler/interp_place: which element an index reaches - extents, strides, values by
 * position, padded axes searched by coordinate - and the bounds of an axis's arrays.
 */
#include "irprog.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static sb_status
run_text(ir_lab *lab, const char *text, const ir_bind *bind)
{
    ir_lab_init(lab);
    return ir_run(lab, ir_lab_parse(lab, text, true), bind);
}

static void
extents_are_row_major(void **state)
{
    static const char text[] =
        "prog @f stage 2 { buf $g : i64[2, 3, 4] out buf $t : i64[2, 3] out "
        "strides(1, 2) buf $l : i64[6] out local $w : i64[3, 2] "
        "for %a in 0 .. 2 { for %b in 0 .. 3 { for %c in 0 .. 4 { "
        "$g[%a, %b, %c] = %a * 100 + %b * 10 + %c } "
        "$t[%a, %b] = %a * 10 + %b $w[%b, %a] = %b * 10 + %a } } "
        "for %a in 0 .. 3 { for %b in 0 .. 2 { $l[%a * 2 + %b] = $w[%a, %b] } } }";
    int64_t g[24], t[6], l[6];
    const ir_bind bind[] = {IR_ARRAY("g", g, 24),
                            IR_ARRAY("t", t, 6),
                            IR_ARRAY("l", l, 6),
                            {NULL, 0.0, NULL, 0}};
    ir_lab lab;

    (void)state;
    assert_int_equal(run_text(&lab, text, bind), SB_OK);
    for (int q = 0; q < 24; q++)
        assert_int_equal(g[q], q / 12 * 100 + q / 4 % 3 * 10 + q % 4);
    for (int q = 0; q < 6; q++) {
        assert_int_equal(t[q], q % 2 * 10 + q / 2);
        assert_int_equal(l[q], q / 2 * 10 + q % 2);
    }
    ir_lab_free(&lab);
}

static void
values_are_read_by_position(void **state)
{
    int32_t pos[] = {3, -1, 0};
    float a[] = {1, 10, 100, 1000}, y[] = {0};
    const ir_bind bind[] = {IR_ARRAY("pos", pos, 3),
                            IR_ARRAY("A", a, 4),
                            IR_ARRAY("y", y, 1),
                            {NULL, 0.0, NULL, 0}};
    ir_lab lab;

    (void)state;
    assert_int_equal(
        run_text(&lab,
                 "prog @f stage 1 { buf $pos : i32[3] aux axis #D = dense_fixed(3, nnz "
                 "4, val $pos) padded buf $A : f32[#D] in buf $y : f32[1] inout "
                 "iter s (%d : R #D) { $y[0] += $A[%d] } }",
                 bind),
        SB_OK);
    assert_true(y[0] == 1001);
    ir_lab_free(&lab);
}

/* Reached by another iterator than its own, a padded axis is searched; empty slots match
 * nothing, whatever the base, and what is not stored is neither read nor written. */
static void
a_padded_axis_is_searched(void **state)
{
    for (int base = -1; base <= 1; base++) {
        int32_t crd[] = {2 + base, -1, 1 + base, 3 + base};
        float a[] = {5, 77, 6, 7};
        float d[8] = {0};
        const float want[8] = {0, 0, 5, 0, 0, 6, 0, 7};
        const ir_bind bind[] = {IR_PARAM("base", base),
                                IR_ARRAY("crd", crd, 4),
                                IR_ARRAY("A", a, 4),
                                IR_ARRAY("D", d, 8),
                                {NULL, 0.0, NULL, 0}};
        ir_lab lab;

        (void)state;
        assert_int_equal(
            run_text(
                &lab,
                "prog @f stage 1 { param %base : i64 buf $crd : i32[4] aux axis #I "
                "= dense_fixed(2) axis #E = sparse_fixed(#I, 4, width 2, crd $crd) "
                "base %base padded axis #K = dense_fixed(4) buf $A : f32[#I, #E] "
                "inout buf $D : f32[#I, #K] out iter s (%i : S #I, %c : S #K) "
                "{ $D[%i, %c] = $A[%i, %c] $A[%i, %c] = 1.0 } }",
                bind),
            SB_OK);
        assert_memory_equal(d, want, sizeof d);
        assert_true(a[0] == 1 && a[1] == 77 && a[2] == 1 && a[3] == 1);
        ir_lab_free(&lab);
    }
}

static void
a_local_starts_undefined(void **state)
{
    double y[] = {0, 0};
    const ir_bind bind[] = {IR_ARRAY("y", y, 2), {NULL, 0.0, NULL, 0}};
    ir_lab lab;

    (void)state;
    assert_int_equal(
        run_text(&lab,
                 "prog @f stage 3 { buf $y : f64[2] out for %q in 0 .. 2 { "
                 "local $t : f64[4] $y[%q] = $t[3] $t[3] = 1.0 } }",
                 bind),
        SB_OK);
    assert_true(isnan(y[0]) &&
                isnan(y[1])); /* the second loop has a local of its own */
    ir_lab_free(&lab);
}

/* An extent bounds accesses even where the caller's array is longer. */
static void
lists_are_bounded_on_both_sides(void **state)
{
    static const char text[] =
        "prog @f stage 1 { buf $ptr : i32[2] aux buf $crd : i32[2] aux axis #I = "
        "dense_fixed(1) axis #J = sparse_variable(#I, 4, nnz 2, ptr $ptr, crd $crd) "
        "buf $A : f32[#I, #J] in buf $y : f32[1] inout "
        "iter s (%i : S #I, %j : R #J) { $y[0] += $A[%i, %j] } }";
    int32_t ptr[] = {-1, 1}, crd[] = {0, 1, 2};
    float a[] = {1, 2, 4}, y[] = {0};
    const ir_bind bind[] = {IR_ARRAY("ptr", ptr, 2),
                            IR_ARRAY("crd", crd, 3),
                            IR_ARRAY("A", a, 3),
                            IR_ARRAY("y", y, 1),
                            {NULL, 0.0, NULL, 0}};
    ir_lab lab;

    (void)state;
    assert_int_equal(run_text(&lab, text, bind), SB_EINVAL);
    assert_string_equal(lab.diag.text, "@f: $crd: index -1, extent 2");
    ir_lab_free(&lab);
    ptr[0] = 0;
    ptr[1] = 3;
    assert_int_equal(run_text(&lab, text, bind), SB_EINVAL);
    assert_string_equal(lab.diag.text, "@f: $crd: index 2, extent 2");
    ir_lab_free(&lab);
    ptr[1] = 2;
    y[0] = 0;
    assert_int_equal(run_text(&lab, text, bind), SB_OK);
    assert_true(y[0] == 3);
    ir_lab_free(&lab);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extents_are_row_major),
        cmocka_unit_test(values_are_read_by_position),
        cmocka_unit_test(a_padded_axis_is_searched),
        cmocka_unit_test(a_local_starts_undefined),
        cmocka_unit_test(lists_are_bounded_on_both_sides),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
