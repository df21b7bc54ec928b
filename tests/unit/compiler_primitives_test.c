/*
 * Iterating two sparse axes together, fusing rows of varying length, and the primitives
 * that move data and computation or name the hardware: shapes, values, refusals.
 */
#include "irprog.h"
#include "irworld.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- two sparse operands --------------------------------------------------------------------- */

#define TWO                                                                           \
    "prog @two stage 1 {\n  param %m : i64\n  param %k : i64\n  param %na : i64\n"    \
    "  param %nb : i64\n  param %base : i64\n"                                        \
    "  buf $pa : i32[%m + 1] aux\n  buf $ca : i32[%na] aux\n"                         \
    "  buf $pb : i32[%m + 1] aux\n  buf $cb : i64[%nb] aux\n"                         \
    "  axis #I = dense_fixed(%m)\n"                                                   \
    "  axis #JA = sparse_variable(#I, %k, nnz %na, ptr $pa, crd $ca) sorted unique\n" \
    "  axis #JB = sparse_variable(#I, %k, nnz %nb, ptr $pb, crd $cb) base %base "     \
    "sorted"                                                                          \
    " unique\n  axis #U = sparse_variable(#I, %k, nnz %nb, ptr $pb, crd $cb) base "   \
    "%base\n  axis #N = dense_fixed(%m)\n"                                            \
    "  buf $A : f64[#I, #JA] in\n  buf $B : f64[#I, #JB] in\n  buf $Y : f64[#I] "     \
    "inout\n"

static const char dot[] =
    TWO "  iter dot (%i : S #I, %j : R #JA) {\n    init $Y[%i] = 0.0\n"
        "    $Y[%i] += $A[%i, %j] * $B[%i, %j]\n  }\n}\n";
static const char both[] =
    TWO "  iter dot (%i : S #I, %j : S #JA) {\n"
        "    $B[%i, %j] = 7.0\n    $Y[%i] += -$B[%i, %j]\n  }\n}\n";
static const char sum[] =
    TWO "  iter dot (%i : S #I, %j : R #JA) {\n    $Y[%i] += $A[%i, %j] + $B[%i, %j]\n"
        "  }\n}\n";
static const char other_row[] = TWO "  iter dot (%i : S #I, %r : S #N, %j : R #JA) {\n"
                                    "    $Y[%i] += $A[%i, %j] * $B[%r, %j]\n  }\n}\n";

static const sb_prog *
stage1(ir_lab *lab, const char *text, const char *schedule)
{
    const sb_prog *p = ir_lab_parse(lab, text, false), *q = NULL;

    if (sb_schedule_apply(&q, &lab->ir, p, schedule) != SB_OK ||
        sb_prog_verify(q, &lab->diag) != SB_OK)
        fail_msg("%s: %s", schedule, lab->diag.text);
    return q;
}

static void
assert_parts(ir_lab *lab, const sb_prog *p, const char *parts)
{
    const char *text = ir_lab_print(lab, p), *at = text;
    char part[200];

    while (*parts) {
        const size_t n = strcspn(parts, "|");

        memcpy(part, parts, n);
        part[n] = '\0';
        if (!strstr(at, part))
            fail_msg("no '%s' in the rest of\n%s", part, text);
        at = strstr(at, part) + 1;
        parts += n + (parts[n] == '|');
    }
}

/* Rows { 0 2 5 }, { }, { 1 2 } of A and { 2 5 6 }, { 0 }, { 0 1 } of B. */
static void
run_two(ir_lab *lab, const sb_prog *p, double y[3])
{
    int32_t pa[] = {0, 3, 3, 5}, ca[] = {0, 2, 5, 1, 2}, pb[] = {1, 4, 5, 7};
    int64_t cb[] = {3, 6, 7, 1, 1, 2};
    double a[] = {1, 2, 3, 4, 5}, b[] = {10, 20, 30, 40, 50, 60};
    const ir_bind bind[] = {
        IR_PARAM("m", 3),      IR_PARAM("k", 8),      IR_PARAM("na", 5),
        IR_PARAM("nb", 6),     IR_PARAM("base", 1),   IR_ARRAY("pa", pa, 4),
        IR_ARRAY("ca", ca, 5), IR_ARRAY("pb", pb, 4), IR_ARRAY("cb", cb, 6),
        IR_ARRAY("A", a, 5),   IR_ARRAY("B", b, 6),   IR_ARRAY("Y", y, 3),
        {NULL, 0, NULL, 0}};

    if (ir_run(lab, p, bind) != SB_OK)
        fail_msg("%s", lab->diag.text);
}

static void
test_merge(void **state)
{
    static const double want[] = {80, 0, 240}; /* 2 * 10 + 3 * 20, nothing, 4 * 60 */
    const sb_prog *p[5];
    ir_lab lab;

    (void)state;
    ir_lab_init(&lab);
    p[0] = ir_lab_parse(&lab, dot, true);
    p[1] = stage1(&lab, dot, "sparse_merge dot %j #JB");
    assert_parts(&lab, p[1], "iter dot (%i : S #I, %j : R #JA & #JB) {");
    p[2] = ir_lab_parse(&lab, ir_lab_print(&lab, p[1]), true);
    assert_int_equal(sb_pass_lower_iter(&p[3], &lab.ir, p[1]), SB_OK);
    assert_parts(
        &lab, p[3],
        "local $cJB0 : i64[1]|$cJB0[0] = |for %pj in|let %j|let %mj : i64 = "
        "seek($cb, $cJB0[0], |$cJB0[0] = %mj|if %mj < |if $cb[%mj] - %base == %j|"
        "$Y[%i] += $A[%i, %pj] * $B[%i, %mj");
    assert_int_equal(sb_prog_verify(p[3], &lab.diag), SB_OK);
    assert_int_equal(sb_pipeline_run(&p[4], &lab.ir, p[1], "", NULL, NULL), SB_OK);
    for (int q = 0; q < 5; q++) {
        double y[] = {9, 9, 9};

        run_two(&lab, p[q], y);
        for (int r = 0; r < 3; r++)
            assert_true(y[r] == want[r]);
    }
    ir_lab_free(&lab);
}

/* Without a schedule the second operand is searched: random access. */
static void
test_random_access(void **state)
{
    const sb_prog *p = NULL;
    ir_lab lab;

    (void)state;
    ir_lab_init(&lab);
    assert_int_equal(sb_pass_lower_iter(&p, &lab.ir, ir_lab_parse(&lab, dot, true)),
                     SB_OK);
    assert_parts(&lab, p, "find($cb, |select(%fJB0 < 0, 0.0:f64, $B[");
    ir_lab_free(&lab);
}

static const struct {
    const char *program, *schedule, *why;
} refused1[] = {
    {dot, "sparse_merge dot %j #Q", "no axis #Q"},
    {dot, "sparse_merge dot %q #JB", "no iterator %q"},
    {dot, "sparse_merge dut %j #JB", "no iteration dut"},
    {dot, "sparse_merge dot %j JB", "must read"},
    {dot, "sparse_merge dot %i #JB", "axis #I is not sparse"},
    {dot, "sparse_merge dot %j #I", "axis #I is not sparse"},
    {dot, "sparse_merge dot %j #U", "axis #U is not sparse, sorted"},
    {dot, "sparse_merge dot %j #JA", "another way"},
    {dot, "sparse_merge dot %j #JB\nsparse_merge dot %j #JB", "another way"},
    {dot, "sparse_merge dot %j #JB\nsparse_fuse dot %i %j", "is iterated with #JB"},
    {sum, "sparse_merge dot %j #JB", "not known to be nothing"},
    {other_row, "sparse_merge dot %j #JB", "not known to be nothing"},
};

static void
test_refused_merges(void **state)
{
    (void)state;
    for (size_t q = 0; q < sizeof refused1 / sizeof *refused1; q++) {
        const sb_prog *p, *out = NULL;
        ir_lab lab;

        ir_lab_init(&lab);
        p = ir_lab_parse(&lab, refused1[q].program, true);
        assert_int_equal(sb_schedule_apply(&out, &lab.ir, p, refused1[q].schedule),
                         SB_EINVAL);
        assert_null(out);
        if (!strstr(lab.diag.text, refused1[q].why))
            fail_msg("%s: %s", refused1[q].schedule, lab.diag.text);
        ir_lab_free(&lab);
    }
}

/* A store to what is not there does nothing, so it is no obstacle. */
static void
test_merge_of_stores(void **state)
{
    const char *in = strstr(both, "#JB] in") + 5;
    double y[2][3] = {{1, 2, 3}, {1, 2, 3}};
    const sb_prog *p, *q;
    char text[3000];
    ir_lab lab;

    (void)state;
    ir_lab_init(&lab); /* B is written here */
    (void)snprintf(text, sizeof text, "%.*sinout%s", (int)(in - both), both, in + 2);
    p = ir_lab_parse(&lab, text, true);
    q = stage1(&lab, text, "sparse_merge dot %j #JB");
    run_two(&lab, p, y[0]);
    run_two(&lab, q, y[1]);
    for (int r = 0; r < 3; r++)
        assert_true(y[0][r] == y[1][r]);
    assert_true(y[0][0] == 1 - 14);
    ir_lab_free(&lab);
}

/* ---- rows of varying length in one loop -------------------------------------------------------- */

static void
test_fused_rows(void **state)
{
    const sb_prog *p, *q = NULL, *flat = NULL;
    ir_bench b;

    (void)state;
    ir_bench_open(&b);
    p = ir_bench_parse(&b, ir_sddmm);
    if (sb_schedule_apply(&q, &b.ir, p, "sparse_fuse sddmm %i %j") != SB_OK ||
        sb_pass_lower_iter(&q, &b.ir, q) != SB_OK ||
        sb_schedule_apply(&q, &b.ir, q, "parallel %pj") != SB_OK ||
        sb_pass_lower_buf(&flat, &b.ir, q) != SB_OK ||
        sb_pass_hoist(&flat, &b.ir, flat) != SB_OK ||
        sb_prog_verify(flat, &b.diag) != SB_OK)
        fail_msg("%s", b.diag.text);
    for (uint64_t seed = 0; seed < 20; seed++) {
        ir_world w;

        ir_world_make(&w, seed, 1 + (int64_t)(seed % 7), 3, 1 + (int64_t)(seed % 5), 1);
        assert_true(ir_world_same(&w, p, q));
        assert_true(ir_world_same(&w, p, flat));
        ir_world_free(&w);
    }
    ir_bench_close(&b);
}

/* ---- loops ------------------------------------------------------------------------------------- */

#define DENSE                                                                       \
    "prog @dense stage 2 {\n  param %m : i64\n  param %n : i64\n  param %k : i64\n" \
    "  param %ldb : i64\n  param %ldc : i64\n"                                      \
    "  buf $B : f32[%k, %n] in strides(%ldb, 1)\n"                                  \
    "  buf $C : f32[%m, %n] inout strides(%ldc, 1)\n"                               \
    "  buf $X : f32[%m, %n] in strides(%ldb, 1)\n"

/* Twice what is needed row by row: made in one loop, used in the next. */
static const char chain[] = DENSE
    "  for %i in 0 .. %m {\n    for %c in 0 .. %n {\n      $C[%i, %c] = $X[%i, %c] * "
    "2.0\n    }\n  }\n"
    "  for %r in 0 .. %m {\n    for %d in 0 .. %n {\n      $C[%r, %d] += $X[%r, 0] * "
    "$X[%r, %d]\n    }\n  }\n}\n";
static const char blocked[] =
    DENSE "  for %g in 0 .. %m / 2 {\n    for %c0 in 0 .. %n / 4 {\n"
          "      for %q in 0 .. %k {\n        for %i in 0 .. 2 {\n"
          "          for %c in 0 .. 4 {\n"
          "            $C[%g * 2 + %i, %c0 * 4 + %c] += $X[%g * 2 + %i, 0] * $B[%q, "
          "%c0 * 4 + "
          "%c]\n          }\n        }\n      }\n    }\n  }\n}\n";
static const char mma[] =
    DENSE "  for %g in 0 .. %m / 2 {\n    for %c0 in 0 .. %n / 4 {\n"
          "      for %i in 0 .. 2 {\n        for %q in 0 .. 2 {\n          for %c in 0 "
          ".. 4 {\n"
          "            $C[%g * 2 + %i, %c0 * 4 + %c] += $X[%g * 2 + %i, %q] * $B[%q, "
          "%c0 * 4 + "
          "%c]\n          }\n        }\n      }\n    }\n  }\n}\n";
static const char scatter[] = DENSE
    "  for %i in 0 .. %m {\n    for %c in 0 .. %n {\n      $C[0, %c] += $X[%i, %c]\n"
    "    }\n  }\n}\n";

typedef struct line {
    const char *program, *schedule, *parts; /* refused: the reason */
} line;

static const line accepted[] = {
    {chain, "compute_at %i at %r",
     "for %r in 0 .. %m {|for %c in|$C[%r, %c] = |for %d in|$C[%r, %d] +="},
    {chain, "compute_at %i at %r\ncompute_at %c at %d\n",
     "for %r in 0 .. %m {|for %d in|$C[%r, %d] = |$C[%r, %d] +="},
    {chain, "compute_at %i at %r\ncompute_at %c at %d\nparallel %r", "parallel"},
    {blocked, "cache_read $B at %q as $b",
     "local $b : f32[4]|for %c in 0 .. 4 {|$b[%c] = $B[%q, %c0 * 4 + %c]|for %i|* "
     "$b[%c]"},
    {blocked, "cache_read $X at %g as $x",
     "local $x : f32[2]|if 0 < %n / 4|if 0 < %k|for %i in 0 .. 2|$x[%i] = $X[|for "
     "%c0|$x[%i] * $B["},
    {blocked, "cache_read $B at %i as $b\nvectorize %c", "local $b : f32[4]|vector(4)"},
    {mma, "tensorize %i mma_2x4x2", "tensor mma_2x4x2 {|for %i|for %q|for %c"},
    {mma,
     "reorder %q %i\ncache_read $X at %c0 as $x\ntensorize %q mma_2x4x2\nbind %g "
     "block_x\nbind %c0 thread_x\n",
     "bind(block_x)|bind(thread_x)|local $x : f32[2, 2]|tensor mma_2x4x2 {|for "
     "%q|$x[%i, %q]"},
    {scatter, "atomic $C\nparallel %i", "parallel|$C[0, %c] += $X[%i, %c] atomic"},
    {scatter, "atomic $C\nbind %i block_x\nbind %c lane",
     "bind(block_x)|bind(lane)|atomic"},
    {scatter, "atomic $C\ncache_write $C at %c as $acc\nparallel %i",
     "parallel|local $acc : f32[1]|$C[0, %c] += $acc[0] atomic"},
    {scatter, "annotate %i team 4\nannotate %i name fast\nannotate %c x 0",
     "note(team, 4) note(name, fast)|note(x, 0)"},
    {scatter, "annotate %i team 4\nreorder %c %i",
     "for %c|for %i in 0 .. %m note(team, 4)"},
};

static const line refused[] = {
    {chain, "compute_at %r at %i", "no loop %r stands in front of"},
    {chain, "compute_at %i at %zz", "no loop %i stands in front of"},
    {chain, "compute_at %i %r", "must read"},
    {chain, "parallel %i\ncompute_at %i at %r", "marked already"},
    {chain, "split %r 2 -> %a %b\ncompute_at %i at %a", "different bounds"},
    {blocked, "cache_read $X at %i as $x\ncompute_at %i at %i", "no loop %i stands"},
    {blocked, "cache_read $B at %q as $C", "in use"},
    {blocked, "cache_read $Q at %q as $b", "no buffer"},
    {blocked, "cache_read $B at %zz as $b", "no loop"},
    {blocked, "cache_read $C at %q as $b", "stored to inside"},
    {blocked, "cache_read $B at %c0 as $b", "span of loop %q"},
    {chain, "cache_read $X at %r as $x", "different places"},
    {chain, "cache_read $B at %r as $x", "not read inside"},
    {mma, "tensorize %i mma_2x4x3", "form of the intrinsic"},
    {mma, "tensorize %c0 mma_2x4x2", "three nested loops"},
    {mma, "tensorize %i mna_2x4x2", "no such intrinsic"},
    {mma, "tensorize %i mma_2x4x2\nunroll %q", "part of tensor mma_2x4x2"},
    {mma, "tensorize %i mma_2x4x2\natomic $C", "updated by tensor"},
    {mma, "tensorize %i mma_2x4x2\nreorder %c0 %i", "block lies between"},
    {scatter, "parallel %i", "could meet"},
    {scatter, "bind %i block_x", "could meet"},
    {scatter, "bind %c warp_x", "not an index of the hardware"},
    {scatter, "bind %c block_x\nbind %c thread_x", "marked already"},
    {chain, "bind %i block_x\nbind %c block_x", "is bound to block_x"},
    {scatter, "bind %c block_x\nsplit %c 2 -> %x %y", "marked already"},
    {scatter, "annotate %i 4 team", "a name and a name or number"},
    {scatter, "annotate %i a-b 4", "a name and a name or number"},
    {scatter, "annotate %i team 4\nannotate %i team 5", "a note team already"},
    {scatter, "atomic $X", "nothing is added"},
    {scatter, "atomic $C\nsplit %c 4 -> %a %b tail\nvectorize %b",
     "updates atomically"},
    {scatter, "split %c 4 -> %a %b tail\nvectorize %b\natomic $C", "vector loop %b"},
};

static void
test_accepted(void **state)
{
    (void)state;
    for (size_t q = 0; q < sizeof accepted / sizeof *accepted; q++) {
        const sb_prog *p, *out = NULL, *flat = NULL;
        ir_bench b;
        ir_lab lab;

        ir_bench_open(&b);
        ir_lab_init(&lab);
        p = ir_bench_parse(&b, accepted[q].program);
        if (sb_schedule_apply(&out, &b.ir, p, accepted[q].schedule) != SB_OK ||
            sb_prog_verify(out, &b.diag) != SB_OK ||
            sb_pass_lower_buf(&flat, &b.ir, out) != SB_OK ||
            sb_prog_verify(flat, &b.diag) != SB_OK)
            fail_msg("%s: %s", accepted[q].schedule, b.diag.text);
        if (accepted[q].parts)
            assert_parts(&lab, out, accepted[q].parts);
        for (uint64_t seed = 0; seed < 6; seed++) {
            ir_world w;

            ir_world_make(&w, seed, 2 + (int64_t)seed, 4 + 4 * (int64_t)(seed % 3), 4,
                          2);
            assert_true(ir_world_same(&w, p, out));
            assert_true(ir_world_same(&w, p, flat));
            ir_world_free(&w);
        }
        ir_lab_free(&lab);
        ir_bench_close(&b);
    }
}

static void
test_refused(void **state)
{
    (void)state;
    for (size_t q = 0; q < sizeof refused / sizeof *refused; q++) {
        const sb_prog *p, *out = NULL;
        sb_strbuf before, after;
        ir_bench b;

        ir_bench_open(&b);
        p = ir_bench_parse(&b, refused[q].program);
        before = ir_text(p);
        if (sb_schedule_apply(&out, &b.ir, p, refused[q].schedule) != SB_EINVAL)
            fail_msg("accepted: %s", refused[q].schedule);
        assert_null(out);
        if (!strstr(b.diag.text, refused[q].parts))
            fail_msg("%s: %s", refused[q].schedule, b.diag.text);
        after = ir_text(p);
        assert_string_equal(before.s, after.s);
        sb_strbuf_free(&before);
        sb_strbuf_free(&after);
        ir_bench_close(&b);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merge),          cmocka_unit_test(test_random_access),
        cmocka_unit_test(test_refused_merges), cmocka_unit_test(test_merge_of_stores),
        cmocka_unit_test(test_fused_rows),     cmocka_unit_test(test_accepted),
        cmocka_unit_test(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
