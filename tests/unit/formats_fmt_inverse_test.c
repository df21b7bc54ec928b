/*
 * Inverses as text, ranges, values.
 */
#include "base/alloc.h"
#include "fmtlab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void
inverts_to(const char *text, const char *inverse)
{
    fmt_lab lab;
    const char *got;

    fmt_lab_open(&lab);
    got = fmt_lab_inverse(&lab, fmt_lab_parse(&lab, text));
    if (strcmp(got, inverse) != 0)
        fail_msg("%s\ngives %s\nwanted %s", text, got, inverse);
    fmt_lab_close(&lab);
}

static void
test_inverse(void **state)
{
    (void)state;
    inverts_to("coo", "i = e0; j = e1");
    inverts_to("csc", "i = e1; j = e0");
    inverts_to("dia", "i = e1; j = e1 + e0");
    inverts_to("dia_variant", "i = e1 - e0; j = e1");
    inverts_to("bdia<3>", "i = e0*3 + e2; j = e0*3 + e1 + e2");
    inverts_to("bsr<4, 2>", "i = e0*4 + e2; j = e1*2 + e3");
    inverts_to("ell", "i = e1; j = e2");
    inverts_to("sell<8>", "i = e0*8 + e2; j = e3");
    inverts_to("serpens<2, 4>", "i = e0 + e2*2 + e3*8; j = e4");
    /* Scale, skew, both at once. */
    inverts_to("format x (i, j) -> (3*i + 1, j)", "i = (e0 - 1)/3; j = e1");
    inverts_to("format x (i, j) -> (i, j - 2*i)", "i = e0; j = e0*2 + e1");
    inverts_to("format x (i, j) -> (i + j, i - j)", "i = (e0 + e1)/2; j = (e0 - e1)/2");
    /* Nested tiles, written inside out and outside in. */
    inverts_to("format x (i) -> (i/16, i%16/4, i%4)", "i = e0*16 + e1*4 + e2");
    inverts_to("format x (i) -> (i/4/4, i/4%4, i%16%4)", "i = e0*16 + e1*4 + e2");
    inverts_to("format x (i) -> ((i + 8)/4, (4 - -i)%4)", "i = e0*4 + e1 - 8");
    /* A tile of a skewed dimension; a remainder of what is known. */
    inverts_to("format x (i, j) -> ((j - i)/4, (j - i)%4, i)",
               "i = e2; j = e2 + e0*4 + e1");
    inverts_to("format x (i, j) -> (i, j + 5*(i%3))", "i = e0; j = e1 - e0%3*5");
    /* Two digits in one level. */
    inverts_to("format x (i, j) -> (4*i + j%4, j/4)", "i = e0/4; j = e1*4 + e0%4");
    inverts_to("format x (i, j) -> (i%2*2 + j%2, i/2, j/2)",
               "i = e1*2 + e0/2; j = e2*2 + e0%2");
    inverts_to("format x (i, j) -> (8*i - j%4, j/4)",
               "i = (e0 + 3)/8; j = e1*4 + (e0 + 3)/8*8 - e0");
    /* More levels than needed: the plainest say. */
    inverts_to("format x (i, j) -> (j - i, i + j, i, j)", "i = e2; j = e3");
}

static void
test_out_of_memory(void **state)
{
    const sb_fmt_expr *inverse[SB_FMT_DIMS];
    const sb_fmt *f;
    fmt_lab lab;
    sb_arena ar;

    (void)state;
    fmt_lab_open(&lab);
    f = fmt_lab_parse(&lab, "bdia");
    sb_arena_init(&ar);
    (void)sb_alloc_fail_after(0);
    assert_int_equal(sb_fmt_inverse(inverse, &ar, f, NULL), SB_ENOMEM);
    (void)sb_alloc_fail_after(-1);
    assert_null(inverse[0]);
    sb_arena_free(&ar);
    fmt_lab_close(&lab);
}

static void
has_range(const char *text, int level, int64_t lo, int64_t hi)
{
    static const int64_t extent[SB_FMT_DIMS] = {10, 7, 5, 3};
    int64_t got_lo, got_hi;
    fmt_lab lab;

    fmt_lab_open(&lab);
    sb_fmt_range(&got_lo, &got_hi, fmt_lab_parse(&lab, text), level, extent);
    if (got_lo != lo || got_hi != hi)
        fail_msg("%s, level %d: [%lld, %lld)", text, level, (long long)got_lo,
                 (long long)got_hi);
    fmt_lab_close(&lab);
}

static void
test_range(void **state)
{
    (void)state;
    has_range("csr", 0, 0, 10);
    has_range("csr", 1, 0, 7);
    has_range("dia", 0, -9, 7);
    has_range("bsr<4>", 0, 0, 3);
    has_range("bsr<4>", 1, 0, 2);
    has_range("bsr<4>", 2, 0, 4);
    has_range("bsr<64>", 2, 0, 64); /* every tile has its full shape */
    has_range("format x (i, j) -> (i, -2*j + 3)", 1, -9, 4);
    has_range("format x (i, j) -> (i, (j - 2)/3, (j - 2)%3)", 1, -1, 2);
    has_range("cisr<5>", 0, 0, 5);
    has_range("ell", 0, 0, 0);
    has_range("sr_bcrs<8, 4>", 1, 0, 0);
    has_range("sr_bcrs<8, 4>", 2, 0, 4);
    has_range(
        "format x (i, j) -> (@r(i), i, j) where @r = { sum(value) groupBy (i) with "
        "otherwise -> 1; reorder(i) }",
        0, 0, 10);
    has_range(
        "format x (i, j) -> (@r(i), i, j) where @r = { sum(value) groupBy (i) with "
        "otherwise -> 1; reorder(i) groupBy (i/2) }",
        0, 0, 0);
}

static void
test_range_extremes(void **state)
{
    static const int64_t none[2] = {0, 5};
    static const int64_t huge[2] = {INT64_C(1) << 62, INT64_MAX};
    int64_t lo, hi;
    fmt_lab lab;

    (void)state;
    fmt_lab_open(&lab);
    sb_fmt_range(&lo, &hi, fmt_lab_parse(&lab, "csr"), 0, none);
    assert_true(lo == 0 && hi == 0);
    sb_fmt_range(&lo, &hi, fmt_lab_parse(&lab, "csr"), 1, none);
    assert_true(lo == 0 && hi == 5);
    sb_fmt_range(&lo, &hi, fmt_lab_parse(&lab, "bsr<3>"), 2, none);
    assert_true(lo == 0 && hi == 3);
    sb_fmt_range(&lo, &hi, fmt_lab_parse(&lab, "csr"), 1, huge);
    assert_true(lo == 0 && hi == INT64_MAX);
    sb_fmt_range(&lo, &hi, fmt_lab_parse(&lab, "dia"), 0, huge);
    assert_true(lo == 1 - (INT64_C(1) << 62) && hi == INT64_MAX);
    sb_fmt_range(&lo, &hi, fmt_lab_parse(&lab, "format x (i, j) -> (3*i, j)"), 0, huge);
    assert_true(lo == INT64_MIN && hi == INT64_MAX);
    sb_fmt_range(&lo, &hi,
                 fmt_lab_parse(&lab, "format x (i, j) -> (i + j, (i + j - 1)/3, j)"), 1,
                 huge);
    assert_true(lo == INT64_MIN && hi == INT64_MAX);
    fmt_lab_close(&lab);
}

static void
test_eval(void **state)
{
    const int64_t at[2] = {7, 3}, below[2] = {0, 7};
    const sb_fmt *f;
    fmt_lab lab;

    (void)state;
    fmt_lab_open(&lab);
    f = fmt_lab_parse(&lab,
                      "format x (i, j) -> (i, j, (j - i)/4, (j - i)%4, -2*(i + 1))");
    assert_int_equal(sb_fmt_eval(f->level[2], at), -1);
    assert_int_equal(sb_fmt_eval(f->level[3], at), 0);
    assert_int_equal(sb_fmt_eval(f->level[4], at), -16);
    assert_int_equal(sb_fmt_eval(f->level[2], below), 1);
    assert_int_equal(sb_fmt_eval(f->level[3], below), 3);
    fmt_lab_close(&lab);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inverse), cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_range),   cmocka_unit_test(test_range_extremes),
        cmocka_unit_test(test_eval),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
