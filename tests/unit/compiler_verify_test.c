/*
 * compiler/verify: each rule broken once, as text where text can say it, by hand where
 * only a pass could build it.
 */
#include "compiler/rewrite.h"
#include "irprog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Declarations that every case below may use. */
#define SIZES                                                                       \
    "param %m : i64 param %k : i64 param %nnz : i64 param %a : f32 param %q : i32 " \
    "buf $ptr : i32[%m + 1] aux buf $crd : i32[%nnz] aux buf $len : i32[%m] aux "
#define AXES                                                           \
    "axis #I = dense_fixed(%m) "                                       \
    "axis #J = sparse_variable(#I, %k, nnz %nnz, ptr $ptr, crd $crd) " \
    "axis #K = dense_fixed(%k) "
#define BUFS "buf $A : f32[#I, #J] in buf $x : f32[#K] in buf $y : f32[#I] inout "

typedef struct rule {
    int stage;
    const char *head, *rest, *message;
} rule;

static const rule declarations[] = {
    {3, "", "param %m : i64 param %m : i32", "%m is declared twice"},
    {3, "", "buf $b : f32[1] in buf $b : f32[2] in", "$b is declared twice"},
    {1, "", "axis #I = dense_fixed(1) axis #I = dense_fixed(2)",
     "#I is declared twice"},
    {3, SIZES, "axis #I = dense_fixed(%m)", "stage 3 has no axes, but #I"},
    {3, SIZES, "buf $b : f32[%m, %k] in", "$b is not flat"},
    {3, SIZES, "buf $b : f32[%m] in strides(2)", "$b is not flat"},
    {1, SIZES, "axis #V = dense_variable(%m, nnz %nnz, ptr $ptr)", "but has no parent"},
    {1, SIZES AXES, "axis #V = dense_variable(#I, %m, nnz %nnz)", "but has no ptr"},
    {1, SIZES AXES, "axis #V = dense_variable(#I, %m, ptr $ptr)", "but has no nnz"},
    {1, SIZES AXES, "axis #V = sparse_variable(#I, %m, nnz %nnz, ptr $ptr)",
     "has no crd"},
    {1, SIZES AXES,
     "axis #V = sparse_variable(#I, %m, width 3, nnz %nnz, ptr $ptr, crd $crd)",
     "is variable but has a width"},
    {1, SIZES AXES, "axis #F = sparse_fixed(#I, %m, crd $crd)", "but has no width"},
    {1, SIZES AXES, "axis #F = dense_fixed(#I, %m, width 2, crd $crd)",
     "but has a crd"},
    {1, SIZES AXES, "axis #F = dense_fixed(%m, ptr $ptr)", "is fixed but has a ptr"},
    {1, SIZES AXES, "axis #F = dense_fixed(%m, end $len)", "has an end but no parent"},
    {1, SIZES AXES, "axis #F = dense_fixed(%m) base 1", "has a base but neither"},
    {1, SIZES AXES, "axis #F = dense_fixed(%m) sorted", "that could be sorted"},
    {1, SIZES AXES, "axis #F = dense_fixed(%m) padded", "nothing marks empty slots"},
    {1, SIZES AXES "buf $r : f32[%m] aux ", "axis #F = sparse_fixed(%m, crd $r)",
     "crd $r of axis #F is no list of i32 or i64"},
    {1, SIZES AXES "buf $r : i32[%m] in ", "axis #F = sparse_fixed(%m, crd $r)",
     "crd $r of axis #F is not aux"},
    {1, SIZES AXES, "buf $b : f32[#J] in",
     "$b uses axis #J without its parent #I before"},
    {1, SIZES AXES, "buf $b : f32[#J, #I] in", "without its parent #I before"},
    {1, SIZES AXES, "buf $b : f32[#I, #J] in strides(%k, 1)", "axis #J is not dense"},
};

static const rule statements[] = {
    {1, SIZES AXES BUFS, "for %i in 0 .. 1 {}", "stage 1 has no for"},
    {1, SIZES AXES BUFS, "let %i = 1", "stage 1 has no let"},
    {1, SIZES AXES BUFS, "$y[0] = 1.0", "a store stands outside an iteration"},
    {1, SIZES AXES BUFS, "iter s (%j : R #J) { $y[0] += 1.0 }",
     "without its parent #I"},
    {1, SIZES AXES BUFS, "iter s (%j : R #J, %i : S #I) { $y[%i] += 1.0 }",
     "iteration s runs over #J without its parent #I before"},
    {1, SIZES AXES BUFS, "iter s (%i : S #I) { iter t (%k : S #K) {} }",
     "iteration t stands inside iteration s"},
    {1, SIZES AXES BUFS, "iter s (%i : S #I, %i : R #J) {}", "%i is declared twice"},
    {1, SIZES AXES BUFS, "iter s (%i : S #I, %j : R #J) { $y[%i] = 1.0 }",
     "iteration s reduces, so $y must be accumulated into"},
    {1, SIZES AXES BUFS, "iter s (%i : S #I, %c : R #K) { $y[%c] += 1.0 }",
     "the place of $y depends on %c, which is reduced"},
    {1, SIZES AXES BUFS,
     "iter s (%i : S #I, %c : R #K) { init $y[%i] = $x[%c] $y[%i] += 1.0 }",
     "init of iteration s uses %c, which is reduced"},
    {1, SIZES AXES BUFS,
     "iter s (%i : S #I, %c : R #K) { init { if %c == 0 { $y[%i] = 0.0 } } }",
     "init of iteration s uses %c, which is reduced"},
    {2, SIZES AXES BUFS, "iter s (%i : S #I) { $y[%i] = 1.0 }",
     "stage 2 has no iteration"},
    {3, SIZES, "block b {}", "stage 3 has no block, but b is one"},
    {2, SIZES AXES BUFS, "$y[0, 0] = 1.0",
     "$y has 1 dimensions and is accessed with 2"},
    {2, SIZES AXES BUFS, "prefetch $A[0]",
     "$A has 2 dimensions and is accessed with 1"},
    {2, SIZES AXES BUFS, "$x[0] = 1.0", "$x is read only but stored to"},
    {2, SIZES AXES BUFS, "$crd[0] = 1:i32", "$crd is read only but stored to"},
    {2, SIZES AXES BUFS, "let %m = 1", "%m is declared twice in one scope"},
    {2, SIZES AXES BUFS, "for %i in 0 .. 1 { let %i = 1 }", "%i is declared twice"},
    {2, SIZES AXES BUFS, "for %i in 0 .. %a {}", "a bound of loop %i is not i64"},
    {2, SIZES AXES BUFS, "for %i : i32 in 0 .. 1 {}", "a bound of loop %i is not i32"},
    {2, SIZES AXES BUFS, "for %i : f32 in 0.0 .. 1.0 {}", "%i is not i32 or i64"},
    {2, SIZES, "for %i in 0 .. 2 { for %j in 0 .. 2 parallel {} }",
     "but not outermost"},
    {2, SIZES, "for %i in 0 .. %m unroll {}", "how often it runs is not constant"},
    {2, SIZES, "for %i in 0 .. 5 vector(4) {}", "runs 5 times in 4 lanes"},
    {2, SIZES, "for %i in 0 .. 4 vector(4) { for %j in 0 .. 2 {} }",
     "vector loop %i contains loop %j"},
    {2, SIZES, "for %i in 0 .. 4 vector(4) { if %m > 0 { for %j in 0 .. 2 {} } }",
     "vector loop %i contains loop %j"},
    {2, SIZES, "local $t : f32[%m]", "local $t needs constant positive extents"},
    {2, SIZES, "local $t : f32[0]", "local $t needs constant positive extents"},
    {3, SIZES, "local $t : f32[2, 2]", "local $t is not flat"},
    {2, SIZES, "local $ptr : f32[2]", "$ptr is declared twice"},
    {2, SIZES, "local $t : f32[2] for %i in 0 .. 2 parallel { $t[%i] = 0.0 }",
     "local $t is shared by the iterations of a parallel loop"},
    {2, SIZES, "local $t : c32[2] $t[0] min= 1.0", "$t holds c32, which has no order"},
    {2, SIZES, "local $t : bool[2] $t[0] += %m > 0", "$t holds bool, which has no sum"},
    {2, SIZES, "local $t : bool[2] $t[0] max= %m > 0",
     "$t holds bool, which has no order"},
    {2, SIZES, "local $h : f16[1] local $t : f16[1] $t[0] = $h[0] * $h[0]",
     "* computes in f16, which is a storage type: cast first"},
    {2, SIZES, "local $t : f32[2] let %p = find($t, 0, 1, 1)", "no list of integers"},
};

static void
check_rules(const rule *r, size_t n)
{
    for (size_t q = 0; q < n; q++) {
        char text[1200];
        const sb_prog *p;
        ir_lab lab;

        (void)snprintf(text, sizeof text, "prog @f stage %d { %s %s }", r[q].stage,
                       r[q].head, r[q].rest);
        ir_lab_init(&lab);
        p = ir_lab_parse(&lab, text, false);
        if (sb_prog_verify(p, &lab.diag) != SB_EVERIFY ||
            !strstr(lab.diag.text, r[q].message))
            fail_msg("%s\ngives: %s\nnot: %s", r[q].rest, lab.diag.text, r[q].message);
        assert_memory_equal(lab.diag.text, "@f: ", 4);
        ir_lab_free(&lab);
    }
}

static void
declarations_are_checked(void **state)
{
    (void)state;
    check_rules(declarations, sizeof declarations / sizeof *declarations);
}

static void
statements_are_checked(void **state)
{
    (void)state;
    check_rules(statements, sizeof statements / sizeof *statements);
}

static void
neighbours_may_share_names(void **state)
{
    ir_lab lab;

    (void)state;
    ir_lab_init(&lab);
    (void)ir_lab_parse(
        &lab,
        "prog @f stage 2 { for %i in 0 .. 2 parallel { local $t : f32[2] "
        "let %x = %i $t[%x] = 1.0 } for %i in 0 .. 2 parallel { local $t : "
        "f32[3] let %x = %i + 1 $t[%x] = 2.0 } for %i in 1 .. 3 unroll {} "
        "for %i in 0 .. 4 vector(4) {} }",
        true);
    ir_lab_free(&lab);
}

/* ---- what only passes can build ------------------------------------------------------ */

static sb_status
verify_body_of(ir_lab *lab, const sb_prog *p, const sb_stmt *s)
{
    sb_prog *copy = sb_prog_copy(&lab->ir, p);

    assert_non_null(s);
    copy->body = sb_body_one(&lab->ir, s);
    sb_diag_clear(&lab->diag);
    return sb_prog_verify(copy, &lab->diag);
}

static void
foreign_names_are_found(void **state)
{
    ir_lab lab;
    const sb_prog *p, *other;
    const sb_expr *zero, *one;
    const sb_var *stray;

    (void)state;
    ir_lab_init(&lab);
    p = ir_lab_parse(&lab, "prog @f stage 3 { buf $y : f32[1] out }", true);
    other = ir_lab_parse(&lab, "prog @g stage 3 { buf $z : f32[1] out }", true);
    zero = sb_expr_int(&lab.ir, 0);
    one = sb_expr_float(&lab.ir, SB_F32, 1.0);
    stray = sb_var_new(&lab.ir, "stray", SB_F32);
    assert_int_equal(
        verify_body_of(&lab, p,
                       sb_stmt_store(&lab.ir, p->buf[0], &zero, SB_STORE_SET,
                                     sb_expr_var(&lab.ir, stray))),
        SB_EVERIFY);
    assert_string_equal(lab.diag.text, "@f: %stray is used but not declared before");
    assert_int_equal(
        verify_body_of(&lab, p,
                       sb_stmt_store(&lab.ir, other->buf[0], &zero, SB_STORE_SET, one)),
        SB_EVERIFY);
    assert_string_equal(lab.diag.text, "@f: $z is used but not declared before");
    assert_int_equal(
        verify_body_of(&lab, p,
                       sb_stmt_store(&lab.ir, p->buf[0], &zero, SB_STORE_SET, one)),
        SB_OK);
    ir_lab_free(&lab);
}

static void
types_of_built_statements_are_checked(void **state)
{
    ir_lab lab;
    const sb_prog *p;
    const sb_expr *zero, *whole;
    const sb_var *v;

    (void)state;
    ir_lab_init(&lab);
    p = ir_lab_parse(&lab, "prog @f stage 3 { buf $y : f32[1] out }", true);
    zero = sb_expr_int(&lab.ir, 0);
    whole = sb_expr_int(&lab.ir, 7);
    v = sb_var_new(&lab.ir, "v", SB_F32);
    assert_int_equal(
        verify_body_of(&lab, p,
                       sb_stmt_store(&lab.ir, p->buf[0], &zero, SB_STORE_SET, whole)),
        SB_EVERIFY);
    assert_string_equal(lab.diag.text, "@f: $y holds f32 but i64 is stored");
    assert_int_equal(verify_body_of(&lab, p, sb_stmt_let(&lab.ir, v, whole)),
                     SB_EVERIFY);
    assert_string_equal(lab.diag.text, "@f: %v is f32, its value i64");
    ir_lab_free(&lab);
}

/* What text cannot be that deep, a pass must not build either. */
static void
depth_is_bounded(void **state)
{
    ir_lab lab;
    const sb_prog *p;
    const sb_expr *zero, *sum;
    const sb_stmt *s;

    (void)state;
    ir_lab_init(&lab);
    p = ir_lab_parse(&lab, "prog @f stage 3 { param %n : i64 buf $y : i64[1] out }",
                     true);
    zero = sb_expr_int(&lab.ir, 0);
    sum = sb_expr_var(&lab.ir, p->param[0]);
    for (int q = 0; q < 511; q++)
        sum = sb_expr_bin(&lab.ir, SB_EXPR_MUL, sum, sb_expr_int(&lab.ir, 3 + q));
    s = sb_stmt_store(&lab.ir, p->buf[0], &zero, SB_STORE_SET, sum);
    assert_int_equal(verify_body_of(&lab, p, s), SB_OK);
    sum = sb_expr_un(&lab.ir, SB_EXPR_NEG, sum);
    s = sb_stmt_store(&lab.ir, p->buf[0], &zero, SB_STORE_SET, sum);
    assert_int_equal(verify_body_of(&lab, p, s), SB_EVERIFY);
    assert_string_equal(lab.diag.text,
                        "@f: an expression is deeper than 512 operators");

    s = sb_stmt_store(&lab.ir, p->buf[0], &zero, SB_STORE_SET, zero);
    for (int q = 0; q < 64; q++)
        s = sb_stmt_if(
            &lab.ir,
            sb_expr_bin(&lab.ir, SB_EXPR_LT, zero, sb_expr_var(&lab.ir, p->param[0])),
            sb_body_one(&lab.ir, s));
    assert_int_equal(verify_body_of(&lab, p, s), SB_OK);
    s = sb_stmt_if(
        &lab.ir,
        sb_expr_bin(&lab.ir, SB_EXPR_LT, zero, sb_expr_var(&lab.ir, p->param[0])),
        sb_body_one(&lab.ir, s));
    assert_int_equal(verify_body_of(&lab, p, s), SB_EVERIFY);
    assert_string_equal(lab.diag.text,
                        "@f: statements are nested deeper than 64 levels");
    ir_lab_free(&lab);
}

static void
built_axes_and_buffers_are_checked(void **state)
{
    ir_lab lab;
    const sb_prog *p;
    sb_axis parent, child;
    const sb_axis *swapped[2];
    sb_buf mixed, sized;
    const sb_buf *list[1];
    sb_prog copy;
    const sb_expr *zero;

    (void)state;
    ir_lab_init(&lab);
    p = ir_lab_parse(
        &lab,
        "prog @f stage 2 { buf $y : f32[2, 2] out axis #P = dense_fixed(2) "
        "axis #Q = dense_fixed(#P, 2, width 2) }",
        true);
    copy = *p;
    parent = *p->axis[0];
    child = *p->axis[1];
    swapped[0] = &child;
    swapped[1] = &parent;
    copy.axis = swapped;
    assert_int_equal(sb_prog_verify(&copy, &lab.diag), SB_EVERIFY);
    assert_string_equal(lab.diag.text,
                        "@f: parent #P of axis #Q is not declared before it");
    child.parent = &child; /* a cycle */
    sb_diag_clear(&lab.diag);
    assert_int_equal(sb_prog_verify(&copy, &lab.diag), SB_EVERIFY);

    copy = *p;
    copy.buf = list;
    list[0] = &mixed;
    mixed = *p->buf[0];
    mixed.axis[1] = p->axis[0];
    sb_diag_clear(&lab.diag);
    assert_int_equal(sb_prog_verify(&copy, &lab.diag), SB_EVERIFY);
    assert_string_equal(lab.diag.text, "@f: $y mixes axes and extents");

    list[0] = &sized;
    sized = *p->buf[0];
    zero = sb_expr_int(&lab.ir, 0);
    sized.extent[0] =
        sb_expr_load(&lab.ir, p->buf[0], 2, (const sb_expr *const[]){zero, zero});
    sb_diag_clear(&lab.diag);
    assert_int_equal(sb_prog_verify(&copy, &lab.diag), SB_EVERIFY);
    assert_string_equal(lab.diag.text, "@f: an extent of y is not an integer");
    ir_lab_free(&lab);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(declarations_are_checked),
        cmocka_unit_test(statements_are_checked),
        cmocka_unit_test(neighbours_may_share_names),
        cmocka_unit_test(foreign_names_are_found),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(types_of_built_statements_are_checked),
        cmocka_unit_test(built_axes_and_buffers_are_checked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
