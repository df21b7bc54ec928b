/*
 * What Zen 4 asks for ahead by the order of columns. In none: which matrices have them so, where rows of B
 * are then asked for and entries go one by one. On diagonals: what last entries name. Plans and calls
 * without an analysis do so.
 */
#include "base/macro.h"
#include "cpu/cpu.h"
#include "formats/stats.h"
#include "kernels/spec.h"
#include "plan_text.h"
#include "planner/direct.h"
#include "planner/rules.h"
#include "product_work.h"
#include "runtime/target.h"
#include "seen_kernel.h"
#include "strewn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const sb_target zen4 = {
    .isa = SB_ISA_V4, .threads = 2, .l1 = 32 << 10, .l2 = 1 << 20, .l3 = 32 << 20};

static double
strewn(const int32_t *ptr, const int32_t *crd, int64_t rows, int64_t cols, int64_t nnz)
{
    const sb_matrix a = {.format = SB_FORMAT_CSR,
                         .rows = rows,
                         .cols = cols,
                         .nnz = nnz,
                         .ptr = ptr,
                         .idx = crd,
                         .ptr_type = SB_I32,
                         .idx_type = SB_I32,
                         .val_type = SB_F32,
                         .batch = 1};
    sb_view v;
    double x;

    assert_int_equal(sb_view_make(&v, &a, false, NULL), SB_OK);
    x = sb_view_strewn(&v);
    sb_view_free(&v);
    return x;
}

/* Of 40 columns: a row spans ten at least, or has one entry; the row above has none of its columns, nor those
 * before them. Rows of more than 4096 do not count. */
static void
test_view(void **state)
{
    const int32_t ptr[] = {0, 2, 4, 6, 7, 7, 9},
                  crd[] = {0, 20, 5, 15, 5, 14, 15, 14, 30};
    const int32_t diagonals[] = {0, 3, 6}, thirds[] = {0, 13, 26, 1, 14, 27};
    const int32_t far[] = {0, 2, 1 << 30, 1 << 30}, back[] = {0, 6, 2, 9},
                  before[] = {0, -3, 2, 4}, too_long[] = {0, 3, 4100};
    static const int32_t zeros[4100];
    static const struct {
        gen_family family;
        double least, most;
    } cases[] = {{GEN_UNIFORM, 0.9, 1}, {GEN_BANDED, 0, 0.01}};

    (void)state;
    /* 5 15: both; 5 14: too near; 15: it has 14; 14 30 below an empty row: both */
    assert_true(strewn(ptr, crd, 6, 40, 9) == 4.0 / 7);
    assert_true(strewn(ptr, crd, 1, 40, 2) == 0);
    assert_true(strewn(ptr, crd, 2, 44, 4) == 0); /* ten are less than a quarter */
    assert_true(strewn(diagonals, thirds, 2, 40, 6) == 0);
    assert_true(strewn(too_long, zeros, 2, 1, 4100) == 0);
    /* offsets that nobody has validated: nothing is read for them */
    assert_true(strewn(back, crd, 2, 40, 2) == 0);
    assert_true(strewn(before, crd, 2, 40, 2) == 0);
    assert_true(strewn(far, crd, 3, 40, 4) == 0);
    for (int q = 0; q < SB_COUNT(cases); q++) {
        const gen_spec spec = {.family = cases[q].family,
                               .rows = 3000,
                               .cols = 3000,
                               .density = 10.0 / 3000,
                               .seed = 7,
                               .ptr_type = SB_I32,
                               .idx_type = SB_I32,
                               .val_type = SB_F32};
        sb_matrix a = gen_matrix(&spec);
        sb_stats s;
        sb_view v;

        assert_int_equal(sb_view_make(&v, &a, false, NULL), SB_OK);
        assert_int_equal(sb_stats_collect(&s, &v, SB_STATS_MATRIX, NULL), SB_OK);
        assert_true(s.strewn >= cases[q].least && s.strewn <= cases[q].most);
        sb_view_free(&v);
        gen_free_matrix(&a);
    }
}

/* Every fourth column above, below it the same up to entry `alike` and then those between them. */
static double
strewn_below(int length, int alike)
{
    const int32_t rows[] = {0, length, 2 * length};
    int32_t crd[1200];

    for (int q = 0; q < length; q++) {
        crd[q] = 4 * q;
        crd[length + q] = 4 * q + (q < alike ? q % 2 : 2);
    }
    return strewn(rows, crd, 2, 4 * length, 2 * length);
}

/* Rows are walked, long ones looked into at sixteen places: of 600 entries each 37th. */
static void
test_long_rows(void **state)
{
    static const int lengths[] = {2, 3, 64, 65, 66, 127, 128, 600};

    (void)state;
    for (int q = 0; q < SB_COUNT(lengths); q++) {
        assert_true(strewn_below(lengths[q], 0) == 1);
        assert_true(strewn_below(lengths[q], lengths[q]) == 0);
    }
    assert_true(strewn_below(64, 47) == 17.0 / 64);
    assert_true(strewn_below(600, 512) == 2.0 / 16);
    assert_true(strewn_below(600, 526) == 1.0 / 16);
    assert_true(strewn_below(600, 525) == 2.0 / 16);
}

static sb_work
square(int64_t m, int64_t n, int64_t entries)
{
    sb_work w = product(n, 4);

    w.m = w.k = m;
    w.nnz = m * entries;
    w.idx_size = 4;
    w.a_type = SB_F32;
    return w;
}

/* From 0.45 of L3 on: 15.1 MB of A, B and C. */
static void
test_rule(void **state)
{
    static const struct {
        int64_t m, n, entries;
        double strewn;
        bool want;
    } cases[] = {
        {100000, 8, 16, 1, true},                               /* 19 MB */
        {100000, 8, 16, 0.84, false}, {60000, 8, 16, 1, false}, /* 12 MB */
        {100000, 8, 12, 1, true},                               /* 16 MB */
        {100000, 8, 10, 1, false},                              /* 14 MB */
        {60000, 8, 39, 1, true},      {60000, 8, 40, 1, false}, /* asked for so often */
        {50000, 7, 39, 1, false},                               /* L2 has 1.4 MB of B */
    };

    (void)state;
    for (int q = 0; q < SB_COUNT(cases); q++) {
        const sb_work w = square(cases[q].m, cases[q].n, cases[q].entries);
        const double b = (double)w.k * (double)w.n * 4;

        if (sb_rule_strewn(&w, b, cases[q].strewn, &zen4) != cases[q].want)
            fail_msg("case %d", q);
    }
}

/* Others were not measured: other CPUs, layouts, operations, values. */
static void
test_others(void **state)
{
    const sb_work w = square(100000, 8, 16);
    const double b = 3.2e6;
    sb_target t[] = {zen4, zen4, zen4};
    sb_work other[] = {w, w, w, w, w, w};

    (void)state;
    t[0].wide = true;
    t[1].isa = SB_ISA_V4G;
    t[2].isa = SB_ISA_V3;
    for (int q = 0; q < SB_COUNT(t); q++)
        assert_false(sb_rule_strewn(&w, b, 1, &t[q]));
    other[0].op = SB_OP_SDDMM;
    other[1].col_major = true;
    other[2].a_type = SB_C32;
    other[3].a_size = 2;
    other[4].b_size = 2;
    other[5].a_type = SB_I32;
    for (int q = 0; q < SB_COUNT(other); q++)
        assert_false(sb_rule_strewn(&other[q], b, 1, &zen4));
    assert_true(sb_rule_alone(&w, b, 1, SB_PART_CSR, &zen4));
    assert_true(sb_rule_alone(&w, b, 1, SB_PART_ROWS, &zen4));
    assert_true(sb_rule_alone(&w, b, 1, SB_PART_PICK, &zen4));
    assert_false(sb_rule_alone(&w, b, 1, SB_PART_PANEL, &zen4));
    assert_false(sb_rule_alone(&w, b, 1, SB_PART_WIN, &zen4));
}

/* Rows of B of half a line and a line, of three halves and of two lines and more; by one row of A at
 * a time. Where columns are in less of an order than half, from 0.6 of L3 on. */
static void
test_asks(void **state)
{
    static const int64_t widths[] = {4, 7, 8, 12, 16, 20, 24, 31, 32, 40, 128};
    static const bool want[] = {0, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1};
    const sb_work wide = square(60000, 32, 4); /* 17 MB */
    sb_work w = square(60000, 40, 4);          /* 21 MB */

    (void)state;
    for (int q = 0; q < SB_COUNT(widths); q++) {
        sb_problem pb = by_rows(100000, widths[q]);
        const double b = 1e5 * (double)widths[q] * 4;

        pb.a.nnz = 1600000;
        pb.a.idx_type = SB_I32;
        pb.compute = SB_F32;
        if (sb_rule_prefetch(&pb, b, 1, 1, false, &zen4) != (want[q] ? 64 : 0))
            fail_msg("%d columns", (int)widths[q]);
        assert_int_equal(sb_rule_prefetch(&pb, b, 1, 3, false, &zen4) > 0,
                         widths[q] >= 32);
        pb.b.col_major = true;
        assert_int_equal(sb_rule_prefetch(&pb, b, 1, 1, false, &zen4), 0);
    }
    assert_true(sb_rule_beyond(&wide, 60000 * 128.0, 0.85, 1, &zen4));
    assert_false(sb_rule_beyond(&wide, 60000 * 128.0, 0.84, 1, &zen4));
    assert_false(sb_rule_beyond(&wide, 60000 * 128.0, 0.85, 2, &zen4));
    w.nnz = 480000; /* 23 MB: 0.69 */
    assert_true(sb_rule_beyond(&w, 60000 * 160.0, 0.5, 2, &zen4));
    assert_false(sb_rule_beyond(&w, 60000 * 160.0, 0.49, 2, &zen4));
    w.n = 32;
    assert_false(sb_rule_beyond(&w, 60000 * 128.0, 0.5, 1, &zen4));
}

/* Dots of 128 to 511 bytes where some columns are in no order, from 0.45 of L3 on; longer ones in any.
 * Four at a time, as nobody else's eights; forms that go from row to row do not ask. */
static void
test_dots(void **state)
{
    sb_work w = square(60000, 60000, 4); /* A alone: 2 MB */
    sb_target other = zen4;

    (void)state;
    w.op = SB_OP_SDDMM;
    for (w.k = 31; w.k <= 128; w.k += w.k == 31 ? 1 : 32) {
        const double y = 6e4 * (double)w.k * 4;

        assert_int_equal(sb_rule_beyond(&w, y, 0.2, 1, &zen4), w.k >= 32);
        assert_int_equal(sb_rule_beyond(&w, y, 0.19, 1, &zen4), w.k >= 128);
    }
    w.k = 32;
    w.m = w.n = 55000; /* X, Y and A have 0.48 of L3, and would want 0.52 */
    assert_false(sb_rule_beyond(&w, 55000 * 128.0, 0.2, 1, &zen4));
    w.m = w.n = 60000;
    assert_true(sb_rule_dots_near(&w, 0.95, &zen4));
    assert_false(sb_rule_dots_near(&w, 0.94, &zen4));
    assert_int_equal(sb_rule_asking(&w, &zen4, 8), 4);
    assert_int_equal(sb_rule_asking(&w, &zen4, 2), 2);
    other.wide = true;
    assert_int_equal(sb_rule_asking(&w, &other, 8), 4);
    other.isa = SB_ISA_V3;
    assert_int_equal(sb_rule_asking(&w, &other, 8), 8);
    w.op = SB_OP_SPMM;
    assert_false(sb_rule_dots_near(&w, 1, &zen4));
    assert_int_equal(sb_rule_asking(&w, &zen4, 8), 8);
    assert_int_equal(sb_rule_asking(&w, &zen4, SB_SPEC_HALVES), 1);
}

/* Of rows of B of 256 to 1023 bytes, from 16 entries on to 2047, beyond 1.2 of L3 what last entries name
 * is asked for, where nearly all go on; C then goes past the caches in whole lines. */
static void
test_last(void **state)
{
    static const struct {
        int64_t n, entries;
        double onward;
        bool want;
    } cases[] = {{64, 5, 0.95, true},   {64, 5, 0.94, false}, {63, 5, 1, false},
                 {255, 5, 1, true},     {256, 5, 1, false},   {256, 15, 1, false},
                 {256, 16, 0.95, true}, {511, 16, 1, true},   {512, 16, 1, false}};
    const sb_work near = square(60000, 64, 16);
    sb_target wide = zen4;
    sb_problem pb = by_rows(100000, 64);
    sb_work w;

    (void)state;
    for (int q = 0; q < SB_COUNT(cases); q++) {
        w = square(100000, cases[q].n, cases[q].entries);
        if (sb_rule_last(&w, 1e5 * 4 * (double)w.n, cases[q].onward, &zen4) !=
            (cases[q].want ? 8 : 0))
            fail_msg("case %d", q);
    }
    assert_int_equal(sb_rule_last(&near, 6e4 * 256, 1, &zen4), 0); /* 38 MB */
    w = square(100000, 64, 16);
    pb.c.ld = 64;
    assert_true(sb_rule_stream_last(&pb, &w, &zen4));
    wide.wide = true;
    assert_false(sb_rule_stream_last(&pb, &w, &wide));
    pb.c.ld = 65;
    assert_false(sb_rule_stream_last(&pb, &w, &zen4));
    pb.c.ld = 112;
    w.n = 100; /* the seventh line is cut short by masks */
    assert_false(sb_rule_stream_last(&pb, &w, &zen4));
    w.n = 96;
    assert_true(sb_rule_stream_last(&pb, &w, &zen4));
}

/* Rows whose product with n columns leaves what is ours of L3. */
static int64_t
rows_beyond(int64_t n)
{
    const sb_target *t = sb_target_get();

    return (int64_t)((n < 64 ? 0.7 : 1.3) * (double)t->l3 /
                     (double)(16 * 8 + 2 * n * 4));
}

/* L3 of other machines is too large for a test, or they go by other rules. */
static bool
elsewhere(void)
{
    const sb_target *t = sb_target_get();

    return !sb_target_zen4(t) || t->l3 > 64 << 20 || t->l3 < 24 * t->l2;
}

/* How the name of the kernel ends; one for exactly 64 columns may or may not be stored. */
static const struct {
    bool in_order;
    int64_t n;
    const char *kernel, *text;
} chosen[] = {
    {false, 4, " x4 p0", "(plan spmm (part csr) (tile 4))"},
    {false, 16, " x16 p64", "(plan spmm (part csr) (tile 16) (prefetch 64))"},
    {false, 24, " t32 p64", "(plan spmm (part csr) (tile 32) (prefetch 64))"},
    {true, 16, NULL, NULL},
    {true, 64, "64 p0 nt", "(plan spmm (part csr) (tile 64) (last 8) (stream))"},
};

static void
test_chosen(void **state)
{
    char text[256];

    (void)state;
    if (elsewhere())
        skip();
    for (int q = 0; q < SB_COUNT(chosen); q++) {
        sb_matrix a =
            strewn_matrix(chosen[q].in_order, rows_beyond(chosen[q].n), 16, SB_I32);

        plan_text(text, sizeof text, &a, chosen[q].n, SB_F32, false);
        if (chosen[q].text)
            assert_string_equal(text, chosen[q].text);
        else
            assert_null(strstr(text, "(prefetch"));
        strewn_free(&a);
    }
}

static void
test_direct(void **state)
{
    float none[1];

    (void)state;
    if (elsewhere())
        skip();
    sb_backend_set(&seen_backend);
    for (int q = 0; q < SB_COUNT(chosen); q++) {
        const int64_t n = chosen[q].n, m = rows_beyond(n);
        sb_matrix a = strewn_matrix(chosen[q].in_order, m, 16, SB_I32);
        sb_problem pb = by_rows(m, n);
        const char *end;

        pb.a = a;
        pb.b.ld = pb.c.ld = n;
        pb.b.data = pb.c.data = none;
        pb.alpha.re = 1;
        pb.batch = 1;
        assert_int_equal(sb_direct_run(&pb, NULL), SB_OK);
        if (chosen[q].kernel) {
            end = strstr(seen_spec, chosen[q].kernel);
            if (!end || end[strlen(chosen[q].kernel)] != '\0')
                fail_msg("%s", seen_spec);
        } else {
            assert_null(strstr(seen_spec, " p64"));
        }
        strewn_free(&a);
    }
    sb_backend_set(&sb_cpu_backend);
}

static int
start(void **state)
{
    (void)state;
    sb_backend_set(&sb_cpu_backend);
    return setenv("SPBLAS_ISA", "v4", 1) || setenv("SPBLAS_JIT", "off", 1) ||
           setenv("SPBLAS_MODEL", "off", 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_view),   cmocka_unit_test(test_long_rows),
        cmocka_unit_test(test_rule),   cmocka_unit_test(test_others),
        cmocka_unit_test(test_asks),   cmocka_unit_test(test_dots),
        cmocka_unit_test(test_last),   cmocka_unit_test(test_chosen),
        cmocka_unit_test(test_direct),
    };

    return cmocka_run_group_tests(tests, start, NULL);
}
