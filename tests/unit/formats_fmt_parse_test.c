/*
 * Format text: what it means, exact round trips, every refusal with its caret, memory
 * that ends at any point.
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

#define SLOT                                                                           \
    "\n  where @slot = {\n    n: sum(value) groupBy (i, j) -> (i) with value ne 0 -> " \
    "1 | otherwise -> 0;\n    enum(value) groupBy (i, j) -> (i) traverseBy (i, j) -> " \
    "(j) with value eq 0 -> n | otherwise -> 0 }"

/* canonical NULL: whatever it is, it reads back to itself. */
static void
prints_as(const char *text, const char *canonical)
{
    fmt_lab lab;
    const char *once;

    fmt_lab_open(&lab);
    once = fmt_lab_print(&lab, fmt_lab_parse(&lab, text));
    if (canonical)
        assert_string_equal(once, canonical);
    assert_string_equal(fmt_lab_print(&lab, fmt_lab_parse(&lab, once)), once);
    fmt_lab_close(&lab);
}

static void
test_canonical(void **state)
{
    static const char *const texts[] = {
        "format a (i, j) -> (i, j)",
        "format a (i, j) -> (j, i) merge(0) trim(1, 1)",
        "format a (i, j, k) -> (i, j, k) merge(0, 1) trim(0, 2) pack(2, 2)",
        "format a<b=3, c=4> (i, j) -> (i/3, j - i, i%3) merge(0) trim(1, 1)",
        "format a (i, j) -> (-1*i + 2, i - (j - 1), (i + j)/2*3, 3*(i%4)%2)",
        "format a (i, j) -> (i, j) merge(0) trim(1, 1) fill(1) partition(0)",
        "format a (i, j) -> (@slot(j), i, j) merge(0) trim(0, 0)" SLOT,
        "format a (i, j) -> (@slot(j)/4, i, @slot(j)%4, j) merge(0) trim(0, 0)" SLOT,
        "format a (i, j) -> (@b(i), i, j) merge(0, 1) trim(1, 2) partition(0)\n"
        "  where @b = {\n"
        "    sum(value) groupBy (i, j) -> (i) with value gt 2 -> 3 | j le -1 -> 0 | "
        "otherwise -> 1;\n"
        "    reorder(i) traverseBy (i, j) -> (i%2);\n"
        "    schedule(i, 7) groupBy (i, j) -> (i/9) }",
        "hybrid a<t=5> = {\n(format b (i, j) -> (i, j) trim(0, 1)),\n"
        "(format c (i, j) -> (i, j))\n} by sum(value) groupBy (i, j) -> (i/2) with "
        "value ne 0 -> 1 | otherwise -> 0 threshold 5",
    };

    (void)state;
    for (int q = 0; q < SB_COUNT(texts); q++)
        prints_as(texts[q], texts[q]);
}

static void
test_free_form(void **state)
{
    (void)state;
    prints_as("# CSR\nformat\tx(row,col)->(row,col)\r\ntrim(01,1)merge ( 0 ) # end",
              "format x (row, col) -> (row, col) merge(0) trim(1, 1)");
    /* Parameters and the default that uses one; constants are worked out. */
    prints_as("format x<b=2**3, c=b/3 - 1> (i, j) -> (i/(b*c), i%(b*c), (j + -c)*2)",
              "format x<b=8, c=1> (i, j) -> (i/8, i%8, (j + -1)*2)");
    prints_as("format x (i, j) -> (-i, ((i)) + (j))",
              "format x (i, j) -> (0 - i, i + j)");
    /* The short form of a map; the paper's spellings bt and be. */
    prints_as(
        "format x (i, j) -> (@s(i), i, j) where @s = { sum(value) groupBy (i) with "
        "value bt 1 -> 1 | value be 0 -> 2 | otherwise -> 0 }",
        "format x (i, j) -> (@s(i), i, j)\n  where @s = {\n    sum(value) groupBy "
        "(i, j) -> (i) with value gt 1 -> 1 | value ge 0 -> 2 | otherwise -> 0 }");
    /* Functions in the order of their use. */
    prints_as(
        "format x (i, j) -> (@s(i), @t(j), i, j) where @t = { enum(value) "
        "traverseBy (j) }, @s = { enum(value) traverseBy (i) }",
        "format x (i, j) -> (@s(i), @t(j), i, j)\n  where @s = {\n    enum(value) "
        "traverseBy (i, j) -> (i) with otherwise -> 0 },\n  @t = {\n    "
        "enum(value) traverseBy (i, j) -> (j) with otherwise -> 0 }");
}

static void
test_reference(void **state)
{
    (void)state;
    prints_as("csr", "format csr (i, j) -> (i, j) merge(0) trim(1, 1)");
    prints_as("bsr<8>",
              "format bsr<b1=8, b2=8> (i, j) -> (i/8, j/8, i%8, j%8) merge(0, 1)"
              " trim(1, 1)");
    prints_as(
        " bsr < b2 = 2 > ",
        "format bsr<b1=4, b2=2> (i, j) -> (i/4, j/2, i%4, j%2) merge(0, 1) trim(1, "
        "1)");
    prints_as(
        "hybrid h<b=1 + 2> = {bdia<b>, (format c (x, y) -> (x, y))} by sum(value) "
        "with value ne 0 -> 1 | otherwise -> 0 threshold b",
        "hybrid h<b=3> = {\n(format bdia<b=3> (i, j) -> (i/3, j - i, i%3) merge(0) "
        "trim(1, 1)),\n(format c (x, y) -> (x, y))\n} by sum(value) with value ne 0 "
        "-> 1 | otherwise -> 0 threshold 3");
    /* A series, up and down. */
    prints_as(
        "hybrid h<k=2> = { for q = 1 .. k: c2sr<2*q>, coo } by sum(value) with "
        "otherwise -> 1 threshold for q = k .. 1: q + 10",
        "hybrid h<k=2> = {\n(format c2sr<p=2> (i, j) -> (i%2, i/2, j) merge(0, 1) "
        "trim(2, 2) partition(0)),\n(format c2sr<p=4> (i, j) -> (i%4, i/4, j) "
        "merge(0, 1) trim(2, 2) partition(0)),\n(format coo (i, j) -> (i, j) "
        "trim(0, 1))\n} by sum(value) with otherwise -> 1 threshold 12, 11");
}

/* Fields that the text of a canonical form does not show. */
static void
test_fields(void **state)
{
    const sb_fmt *f;
    fmt_lab lab;

    (void)state;
    fmt_lab_open(&lab);
    f = fmt_lab_parse(&lab, "cisr<3>");
    assert_int_equal(f->level[0]->op, SB_FMT_INDIRECT);
    assert_int_equal(f->level[0]->narg, 1);
    assert_int_equal(f->fn[0]->step[1]->op, SB_FMT_SCHEDULE);
    assert_int_equal(f->fn[0]->step[1]->dim, 0);
    assert_int_equal(f->fn[0]->step[1]->buckets, 3);
    assert_int_equal(f->fn[0]->step[0]->dim, -1);
    assert_int_equal(f->fn[0]->step[0]->otherwise_step, -1);
    assert_int_equal(f->merge, 3);
    assert_int_equal(f->pack_lo, -1);
    f = fmt_lab_parse(&lab, "ell");
    assert_int_equal(f->fn[0]->step[1]->when[0].step, 0);
    assert_int_equal(f->trim_hi, 0);
    f = fmt_lab_parse(&lab, "bell_coo<2, 3>");
    assert_int_equal(f->npart, 2);
    assert_int_equal(f->ndim, 2);
    assert_int_equal(f->nlevel, 0);
    assert_int_equal(f->threshold[0], 3);
    fmt_lab_close(&lab);
}

static void
refused_as(sb_status st, const char *text, const char *why, int line, int column)
{
    char where[60];
    const sb_fmt *f;
    fmt_lab lab;

    fmt_lab_open(&lab);
    if (fmt_lab_try(&f, &lab, text) != st)
        fail_msg("wrong status for: %s\n%s", text, lab.diag.text);
    assert_null(f);
    (void)snprintf(where, sizeof where, "line %d, column %d: ", line, column);
    if (!strstr(lab.diag.text, why) ||
        strncmp(lab.diag.text, where, strlen(where)) != 0 ||
        !strchr(lab.diag.text, '^'))
        fail_msg("%s\nwanted \"%s%s\", got:\n%s", text, where, why, lab.diag.text);
    fmt_lab_close(&lab);
}

static void
malformed(const char *text, const char *why, int column)
{
    refused_as(SB_EPARSE, text, why, 1, column);
}

static void
unstorable(const char *text, const char *why, int column)
{
    refused_as(SB_EINVAL, text, why, 1, column);
}

static void
test_malformed(void **state)
{
    (void)state;
    malformed("", "expected \"format\", \"hybrid\" or the name", 1);
    malformed("nosuch", "not \"nosuch\"", 1);
    malformed("format", "the name of the format, not the end", 7);
    malformed("format trim (i) -> (i)", "the name of the format, not \"trim\"", 8);
    malformed("format f (i, i) -> (i)", "\"i\" is there twice", 14);
    malformed("format f<i=1> (i) -> (i)", "\"i\" is a parameter", 16);
    malformed("format f<b=1, b=2> (i) -> (i)", "\"b\" is there twice", 15);
    malformed("format f<b> (i) -> (i)", "expected \"=\", not \">\"", 11);
    malformed("format f<b=i> (i) -> (i)", "\"i\" is not a parameter", 12);
    malformed("format f<a=1,b=1,c=1,d=1,e=1> (i) -> (i)", "at most 4 parameters", 26);
    malformed("format f (i, j, k, l, m) -> (i)", "at most 4 dimensions", 23);
    malformed("format f (i) (i)", "expected \"->\"", 14);
    malformed("format f (i) -> ()", "expected an expression, not \")\"", 18);
    malformed("format f (i) -> (i,i,i,i,i,i,i,i,i)", "at most 8 expressions", 34);
    malformed("format f (i) -> (x)", "\"x\" is no dimension or parameter", 18);
    malformed("format f (i) -> (i*i)", "one factor must be a constant", 19);
    malformed("format f (i) -> (i/0)", "a divisor is a positive constant", 19);
    malformed("format f (i) -> (4%i)", "a divisor is a positive constant", 19);
    malformed("format f (i) -> (i**2)", "powers are for constants", 19);
    malformed("format f (i) -> (2**31*i)", "exponents are 0 to 30", 19);
    malformed("format f (i) -> (9**30*i)", "constants are at most 1073741824", 19);
    malformed("format f (i) -> (i + 99999999999999999999)", "constants are at most",
              22);
    malformed("format f (i) -> (2x)", "this character means nothing", 18);
    malformed("format f (i) -> (i $ 2)", "this character means nothing", 20);
    malformed("format f (i) -> (i) trim(0)", "expected \",\"", 27);
    malformed("format f (i) -> (i) trim(-1, 0)", "the number of a level", 26);
    malformed("format f (i) -> (i) merge(0) merge(0)", "\"merge\" is there twice", 30);
    malformed("format f (i) -> (i) then", "expected the end, not \"then\"", 21);
    malformed("csr<2>", "csr has 0 parameters", 5);
    malformed("bsr<c=2>", "none of this name", 5);
    malformed("bsr<2, b1=2>", "this one is given twice", 8);
    malformed("bsr<0>", "with these parameters: a divisor is a positive constant", 1);
    malformed("format f (i) -> (i%(((((((((((((((((((((((((((((((((2",
              "nested more than 32 deep", 51);
    refused_as(SB_EPARSE, "format f (i, j)\n  -> (i,\n      &)", "means nothing here",
               3, 7);
}

static void
test_malformed_functions(void **state)
{
    static const char *const f = "format f (i, j) -> (@s(j), i, j) where @s = ";
    static const struct {
        const char *fn, *why;
        int column;
    } cases[] = {
        {"{}", "sum, enum, reorder or schedule", 2},
        {"{ count(value) }", "sum, enum, reorder or schedule", 3},
        {"{ sum(i) with otherwise -> 1 }", "sum is of \"value\"", 3},
        {"{ sum(value) }", "expected \"with\"", 14},
        {"{ enum(value) groupBy (i) }", "expected \"traverseBy\"", 27},
        {"{ enum(value) traverseBy (j, i) -> (j) }", "repeats the format's", 26},
        {"{ enum(value) traverseBy (@s(j)) }", "cannot be used here", 27},
        {"{ enum(value) traverseBy (j) with value is 0 -> 1 | otherwise -> 0 }",
         "expected ne, eq", 41},
        {"{ enum(value) traverseBy (j) with value eq 0 -> n | otherwise -> 0 }",
         "\"n\" is not a parameter", 49},
        {"{ enum(value) traverseBy (j) with value eq 0 -> -1 | otherwise -> 0 }",
         "at least 0", 49},
        {"{ enum(value) traverseBy (j) with value eq 0 -> 1 }", "expected \"|\"", 51},
        {"{ n: enum(value) traverseBy (j); n: enum(value) traverseBy (j) }",
         "\"n\" is the label of step 0", 34},
        {"{ schedule(j, 2) }", "schedule goes by a sum before it", 3},
        {"{ schedule(j) }", "expected \",\"", 13},
        {"{ reorder(value) }", "reorder is of a dimension", 3},
        {"{ enum(value) traverseBy (j) }, @t = { }", "the map does not use @t", 33},
        {"{ enum(value) traverseBy (j) }, @s = { }", "@s is there twice", 33},
    };

    (void)state;
    for (int q = 0; q < SB_COUNT(cases); q++) {
        char text[300];

        (void)snprintf(text, sizeof text, "%s%s", f, cases[q].fn);
        malformed(text, cases[q].why, (int)strlen(f) + cases[q].column);
    }
    malformed("format f (i, j) -> (@s(j), i, j)", "@s is not defined", 22);
}

static void
test_malformed_hybrids(void **state)
{
    (void)state;
    malformed("hybrid h = { csr }", "expected \"by\"", 19);
    malformed("hybrid h = { csr } by enum(value) traverseBy (i)", "expected sum", 23);
    malformed(
        "hybrid h = { csr, coo } by sum(value) with otherwise -> 1 threshold 1, 2",
        "there are 1", 72);
    malformed(
        "hybrid h = { csr, coo, csc } by sum(value) with otherwise -> 1 threshold 1",
        "a threshold for each part but the last", 75);
    malformed("hybrid h = { for q = 0 .. 16: c2sr<q + 1> } by", "at most 16 parts", 31);
    malformed("hybrid h = { for q = 0 .. x: csr } by", "\"x\" is not a parameter", 27);
    unstorable("hybrid h = { csr, csf } by", "parts with 2 and 3 dimensions", 19);
    unstorable("hybrid h = { bdia_csr } by", "a part of a hybrid is no hybrid", 14);
}

static void
test_unstorable(void **state)
{
    (void)state;
    unstorable("format f (i, j) -> (i, j) merge(2)", "levels are 0 to 1", 33);
    unstorable("format f (i, j) -> (i, j) trim(1,0)", "comes before the first", 34);
    unstorable("format f (i, j) -> (i, j) trim(1,1)", "neither trimmed nor merged", 27);
    unstorable("format f (i, j, k) -> (i, j, k) merge(0) trim(2,2)", "level 1 is", 42);
    unstorable("format f (i, j) -> (i, j) fill(0)", "level 0 cannot be filled", 27);
    unstorable("format f (i, j) -> (i, j) trim(0,1) fill(0)", "cannot be filled", 37);
    unstorable("format f (i, j) -> (i, j) trim(0,1) fill(1)", "merge level 0", 37);
    unstorable("format f (i, j) -> (i, j) trim(0,1) partition(0)", "merge it", 37);
    unstorable(
        "format f (i, j) -> (i, @s(i), j) where @s = { enum(value) traverseBy (j) }",
        "what it traverses by", 25);
    unstorable(
        "format f (i, j) -> (@s(i), i, j) where @s = { sum(value) groupBy (i) with "
        "otherwise -> 1; schedule(i, 2) traverseBy (j) }",
        "step 1 of @s is about i and goes by other dimensions", 22);
    unstorable(
        "format f (i, j) -> (@s(i), i, j) where @s = { sum(value) groupBy (i, j) "
        "with otherwise -> 1; reorder(i) }",
        "step 1 of @s needs a sum for each i, which step 0 is not", 22);
    unstorable(
        "format f (i, j) -> (@s(j), i, j) where @s = { n: sum(value) groupBy (i, j) "
        "with otherwise -> 1; enum(value) groupBy (i) traverseBy (j) with value eq "
        "0 -> n | otherwise -> 0 }",
        "\"n\" is no sum for each group that step 1 counts in", 22);
    unstorable("format f (i, j) -> (i + j)", "(0, 1) and (1, 0) share", 20);
    unstorable("format f (i, j) -> (i)", "(0, 0) and (0, 1) share", 20);
    unstorable(
        "format f (i, j) -> (i, @s(j)) where @s = { enum(value) traverseBy (j) }",
        "this map has no inverse", 20);
    unstorable("format f (i, j) -> (i, j + j%3)", "nothing simple gives j back", 20);
    /* Numbers that leave 64 bits: in the solver, and only at a few elements. */
    unstorable("format f (i) -> (2**30*(2**30*(2**30*i)))", "too large to invert", 17);
    unstorable("format f (i, j) -> (2**30*(2**30*i) + j/2)", "(0, 0) and (0, 1)", 20);
    unstorable("format f (i, j) -> (2**30*(2**30*(2*i)) + j/2)", "nothing simple", 20);
}

static void
test_size_bounds(void **state)
{
    static char text[40000];
    size_t n;

    (void)state;
    memset(text, ' ', 20000);
    text[20000] = '\0';
    refused_as(SB_EPARSE, text, "at most 16384 bytes", 1, 16385);
    n = (size_t)snprintf(text, sizeof text, "format f (i) -> (i");
    for (int q = 0; q < 300; q++)
        n += (size_t)snprintf(text + n, sizeof text - n, "+i");
    (void)snprintf(text + n, sizeof text - n, ")");
    refused_as(SB_EPARSE, text, "more than 256 nodes", 1, 275);
    /* Each definition has its own; what a series makes of a text can be read back. */
    prints_as("hyb3<k=15>", NULL);
    n = (size_t)snprintf(text, sizeof text,
                         "hybrid h = { for q = 0 .. 15: (format f (i) -> (i");
    for (int q = 0; q < 120; q++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%%1073741824");
    (void)snprintf(
        text + n, sizeof text - n,
        ", i)) } by sum(value) with otherwise -> 1 threshold for q = 1 .. 15: "
        "q");
    refused_as(SB_EPARSE, text, "written out, this has more than 16384 bytes", 1, 1);
    n = (size_t)snprintf(text, sizeof text, "format f (i) -> (");
    for (int q = 0; q < 9000; q++)
        n += (size_t)snprintf(text + n, sizeof text - n, "-");
    refused_as(SB_EPARSE, text, "nested more than 32 deep", 1, 49);
    (void)snprintf(text, sizeof text, "format %0200d (i) -> (i)", 0);
    refused_as(SB_EPARSE, text, "the name of the format", 1, 8);
    refused_as(SB_EPARSE, "format a123456789012345678901234567890123 (i) -> (i)",
               "at most 31 bytes", 1, 8);
}

static void
test_every_allocation(void **state)
{
    int64_t n = 0;
    sb_status st;

    (void)state;
    do {
        const sb_fmt *f;
        sb_arena ar;

        sb_arena_init(&ar);
        (void)sb_alloc_fail_after(n++);
        st = sb_fmt_parse(&f, &ar, "bell_coo", NULL);
        (void)sb_alloc_fail_after(-1);
        assert_true(st == SB_OK ? f != NULL : st == SB_ENOMEM && f == NULL);
        sb_arena_free(&ar);
    } while (st != SB_OK);
    assert_true(n > 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_canonical),
        cmocka_unit_test(test_free_form),
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_malformed_functions),
        cmocka_unit_test(test_malformed_hybrids),
        cmocka_unit_test(test_unstorable),
        cmocka_unit_test(test_size_bounds),
        cmocka_unit_test(test_every_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
