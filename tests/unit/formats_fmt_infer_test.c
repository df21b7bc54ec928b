/*
 * Inference: the arrays of every registered format, of formats nobody registered, and
 * the axes, copies, runs and records behind them.
 */
#include "fmtlab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct expected {
    const char *text, *arrays;
} expected;

static void
stores(const char *text, const char *arrays)
{
    fmt_lab lab;
    const char *got;

    fmt_lab_open(&lab);
    got = fmt_lab_arrays(&lab, fmt_lab_parse(&lab, text));
    if (strcmp(got, arrays) != 0)
        fail_msg("%s\nstores %s\nwanted %s", text, got, arrays);
    fmt_lab_close(&lab);
}

#define ELL_PIECE(r)                                                 \
    "j/64: size; i: ptr idx; @slot(j)/" #r ": idx one; @slot(j)%" #r \
    ": size; j: idx one"
#define ELL_PIECE3(r)                                                        \
    "ell_rows3: e: size; i: ptr idx; @slot(j)/" #r ": idx one; @slot(j)%" #r \
    ": size; j: idx one"

/* By hand from UniSparse's figures 1 and 7 and SparseTIR's text. */
static const expected registered[] = {
    {"dense", "i: size; j: size"},
    {"coo", "i: idx; j: idx one"},
    {"dok", "i: idx record; j: idx one record; value: record"},
    {"csr", "i: size; j: ptr idx"},
    {"csc", "j: size; i: ptr idx"},
    {"dcsr", "i: idx; j: ptr idx"},
    {"dcsc", "j: idx; i: ptr idx"},
    {"lil", "i: size; j: ptr idx record; value: record"},
    {"dia", "j - i: idx; i: size"},
    {"dia_variant", "j - i: idx; j: size"},
    {"bsr", "i/4: size; j/4: ptr idx; i%4: size; j%4: size"},
    {"dbsr", "i/4: idx; j/4: ptr idx; i%4: size; j%4: size"},
    {"csb", "i/64: size; j/64: size; i%64: ptr idx; j%64: idx one"},
    {"ell", "@slot(j): size run; i: size; j: idx one"},
    {"sell", "i/16: size; @slot(j): ptr run; i%16: size; j: idx one"},
    {"ell_rows", ELL_PIECE(4)},
    {"hyb", "ell_rows: " ELL_PIECE(4) " | ell_rows: " ELL_PIECE(
                2) " | ell_rows: " ELL_PIECE(1)},
    {"sr_bcrs",
     "i/8: size; @tile(j)/4: ptr run; @tile(j)%4: size; j: idx one; i%8: size"},
    {"ragged", "i: size; j: ptr run"},
    {"csf", "i: idx; j: ptr idx; k: ptr idx"},
    {"ell_rows3",
     "e: size; i: ptr idx; @slot(j)/4: idx one; @slot(j)%4: size; j: idx one"},
    {"hyb3", ELL_PIECE3(32) " | " ELL_PIECE3(16) " | " ELL_PIECE3(8) " | " ELL_PIECE3(
                 4) " | " ELL_PIECE3(2) " | " ELL_PIECE3(1)},
    {"c2sr", "i%2: size; i/2: size bank; j: ptr idx bank"},
    {"cisr", "@bank(i): size; i: ptr idx bank; j: ptr idx bank"},
    {"cisr_plus", "@bank(i): size; i: ptr idx bank; j: ptr idx bank"},
    {"serpens", "i%2: size; @round(j, i): ptr run bank; i/2%2: size bank; i/4: idx one "
                "bank; j: idx one bank"},
    {"bdia", "i/3: size; j - i: ptr idx; i%3: size"},
    {"bdia_csr",
     "bdia: i/3: size; j - i: ptr idx; i%3: size | csr: i: size; j: ptr idx"},
    {"bell", "@slot(j/2): size run; i/2: size; j/2: idx one; i%2: size; j%2: size"},
    {"bell_coo", "bell: @slot(j/2): size run; i/2: size; j/2: idx one; i%2: size; j%2: "
                 "size | coo: i: idx; j: idx one"},
};

static void
test_registered(void **state)
{
    (void)state;
    for (int q = 0; sb_fmt_registry(q) || q < SB_COUNT(registered); q++) {
        assert_non_null(sb_fmt_registry(q));
        assert_true(q < SB_COUNT(registered));
        assert_string_equal(sb_fmt_registry(q)->name, registered[q].text);
        stores(registered[q].text, registered[q].arrays);
        stores(sb_fmt_registry(q)->text, registered[q].arrays);
    }
    assert_null(sb_fmt_registry(-1));
}

/* Registered texts are whole: canonical text and name, a source. */
static void
test_registry_texts(void **state)
{
    (void)state;
    for (int q = 0; sb_fmt_registry(q); q++) {
        const sb_fmt_entry *e = sb_fmt_registry(q);
        fmt_lab lab;
        const sb_fmt *f;
        const char *once;

        fmt_lab_open(&lab);
        f = fmt_lab_parse(&lab, e->text);
        assert_string_equal(f->name, e->name);
        assert_true(strlen(e->source) > 0);
        once = fmt_lab_print(&lab, f);
        assert_string_equal(fmt_lab_print(&lab, fmt_lab_parse(&lab, once)), once);
        fmt_lab_close(&lab);
    }
}

#define RANK(group, by)                                                           \
    "n: sum(value) groupBy (" group ") with value ne 0 -> 1 | otherwise -> 0; "   \
    "enum(value) groupBy (" group ") traverseBy (" by ") with value eq 0 -> n | " \
    "otherwise -> 0 }"

static const expected own[] = {
    /* Diagonals inside of blocks. */
    {"format x (i, j) -> (i/8, j/8, j%8 - i%8, i%8) merge(0, 1) trim(1, 2)",
     "i/8: size; j/8: ptr idx; j%8 - i%8: ptr idx; i%8: size"},
    /* Blocks of blocks. */
    {"format x (i, j) -> (i/16, j/16, i%16/4, j/4%4, i%4, j%4) merge(1) trim(1, 3)",
     "i/16: size; j/16: ptr idx; i%16/4: ptr idx; j/4%4: idx one; i%4: size; j%4: "
     "size"},
    /* Columns dealt to banks. */
    {"format x (i, j) -> (@b(j), j, i) merge(0, 1) trim(1, 2) partition(0) where "
     "@b ="
     " { sum(value) groupBy (j) with value ne 0 -> 1 | otherwise -> 0; "
     "schedule(j, 4) }",
     "@b(j): size; j: ptr idx bank; i: ptr idx bank"},
    /* Rows sorted by length, then sliced: i is where its rank says. */
    {"format x (i, j) -> (@r(i)/4, @s(j), @r(i)%4, i, j) merge(0) trim(1, 1) where "
     "@r = { sum(value) groupBy (i) with value ne 0 -> 1 | otherwise -> 0; "
     "reorder(i) }, @s = { " RANK("i", "j"),
     "@r(i)/4: size; @s(j): ptr run; @r(i)%4: size; i: idx one; j: idx one"},
    /* Jagged diagonals: nothing padded. */
    {"format x (i, j) -> (@s(j), i, j) merge(0) trim(0, 1) where @s = { " RANK("i",
                                                                               "j"),
     "@s(j): size run; i: ptr idx; j: idx one"},
    /* Slots counted in all of a row lie under two parents: not 0, 1, 2, .. there. */
    {"format x (i, j) -> (j/2, @s(j), i, j) merge(1) trim(0, 2) where @s = { " RANK(
         "i", "j"),
     "j/2: idx; @s(j): ptr idx; i: ptr idx; j: idx one"},
    /* Zeros counted, too: slots of non-zeros have gaps. */
    {"format x (i, j) -> (@s(j), i, j) merge(0) trim(0, 0) where @s = { "
     "enum(value) "
     "groupBy (i) traverseBy (j) }",
     "@s(j): idx; i: size; j: idx one"},
    /* Zeros counted from 0 next to the others: a slot has two columns. */
    {"format x (i, j) -> (@s(j), i, j) merge(0) trim(0, 0) where @s = { "
     "enum(value) "
     "groupBy (i) traverseBy (j) with value eq 0 -> 0 | otherwise -> 0 }",
     "@s(j): size run; i: size; j: size"},
    /* n counts elements, the slots are of pairs of columns: not one to one. */
    {"format x (i, j) -> (@s(j/2), i, j) merge(0) trim(0, 0) where @s = { n: "
     "sum(value) groupBy (i) with value ne 0 -> 1 | otherwise -> 0; enum(value) "
     "groupBy (i) traverseBy (j/2) with value eq 0 -> n | otherwise -> 0 }",
     "@s(j/2): size run; i: size; j: size"},
    {"format x (i, j) -> (@s(j/2), i, j/2, j%2) merge(0) trim(0, 0) where @s = { "
     "n: "
     "sum(value) groupBy (i) with value ne 0 -> 1 | otherwise -> 0; enum(value) "
     "groupBy (i) traverseBy (j/2) with value eq 0 -> n | otherwise -> 0 }",
     "@s(j/2): size run; i: size; j/2: size; j%2: size"},
    {"format x (i, j) -> (@s(j/2), i, j/2, j%2) merge(0) trim(0, 0) where @s = { "
     "n: sum(value) groupBy (i) traverseBy (j/2) with value ne 0 -> 1 | otherwise "
     "-> "
     "0; enum(value) groupBy (i) traverseBy (j/2) with value eq 0 -> n | otherwise "
     "-> "
     "0 }",
     "@s(j/2): size run; i: size; j/2: idx one; j%2: size"},
    /* Row lengths as a level. */
    {"format x (i, j) -> (@n(i), i, j) merge(1) trim(0, 2) where @n = { sum(value) "
     "groupBy (i) with value ne 0 -> 1 | otherwise -> 0 }",
     "@n(i): idx; i: ptr idx; j: ptr idx"},
    {"format x (i, j) -> (@n(i), i, j) merge(1) trim(2, 2) where @n = { sum(value) "
     "groupBy (i) with value ne 0 -> 1 | otherwise -> 0 }",
     "@n(i): size run; i: size; j: ptr idx"},
    /* A child that its parent determines, but that may be trimmed. */
    {"format x (i, j) -> (i, i%4, j) merge(1) trim(1, 2)",
     "i: size; i%4: ptr idx; j: ptr idx"},
    {"format x (i, j) -> (i, i%4, j) merge(1) trim(2, 2)",
     "i: size; i%4: idx one; j: ptr idx"},
    /* Records: only levels with one node per node of the last. */
    {"format x (i, j) -> (i, j) merge(0) trim(0, 1) pack(0, 1)",
     "i: idx; j: ptr idx record; value: record"},
    {"format x (i, j, k) -> (i, j, k) merge(0) trim(0, 2) pack(1, 2)",
     "i: idx; j: ptr idx record; k: idx one record; value: record"},
    {"format x (i, j, k) -> (i, j, k) merge(0) trim(0, 2) pack(1, 1)",
     "i: idx; j: ptr idx record; k: idx one"},
    /* A run at the top, a run that is merged on. */
    {"format x (i, j) -> (i, j) merge(0) trim(0, 1) fill(0)",
     "i: size run; j: ptr idx"},
    {"format x (i, j, k) -> (i, j, k) merge(1) trim(1, 2) fill(1, 2)",
     "i: size; j: ptr run; k: ptr run"},
    /* The last copy has one node each, whatever is merged above. */
    {"format x (i, j, k) -> (i, j, k) trim(0, 1)", "i: idx; j: idx one; k: size"},
};

static void
test_own(void **state)
{
    (void)state;
    for (int q = 0; q < SB_COUNT(own); q++)
        stores(own[q].text, own[q].arrays);
}

static void
has_axes(const char *text, const char *want)
{
    static const char names[] = "dDsS"; /* dense, sparse; capital: variable */
    sb_fmt_level level[SB_FMT_LEVELS];
    char got[SB_FMT_LEVELS + 1] = "";
    const sb_fmt *f;
    fmt_lab lab;

    fmt_lab_open(&lab);
    f = fmt_lab_parse(&lab, text);
    sb_fmt_infer(level, f);
    for (int q = 0; q < f->nlevel; q++) {
        got[q] = names[level[q].axis];
        assert_true(level[q].sorted);
    }
    if (strcmp(got, want) != 0)
        fail_msg("%s: axes %s, not %s", text, got, want);
    fmt_lab_close(&lab);
}

static void
test_axes(void **state)
{
    (void)state;
    has_axes("dense", "dd");
    has_axes("csr", "dS");
    has_axes("coo", "ss");
    has_axes("dcsr", "sS");
    has_axes("dia", "sd");
    has_axes("bsr", "dSdd");
    has_axes("ell", "dds");
    has_axes("sell", "dDds");
    has_axes("ragged", "dD");
    has_axes("sr_bcrs", "dDdsd");
    has_axes("csf", "sSS");
}

static void
test_unique(void **state)
{
    sb_fmt_level level[SB_FMT_LEVELS];
    fmt_lab lab;

    (void)state;
    fmt_lab_open(&lab);
    sb_fmt_infer(level, fmt_lab_parse(&lab, "coo"));
    assert_false(level[0].unique);
    assert_true(level[1].unique);
    sb_fmt_infer(level, fmt_lab_parse(&lab, "dcsr"));
    assert_true(level[0].unique);
    sb_fmt_infer(level, fmt_lab_parse(&lab, "csb"));
    assert_true(level[1].unique);
    assert_false(level[2].unique);
    fmt_lab_close(&lab);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registered), cmocka_unit_test(test_registry_texts),
        cmocka_unit_test(test_own),        cmocka_unit_test(test_axes),
        cmocka_unit_test(test_unique),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
