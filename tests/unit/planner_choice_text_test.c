/*
 * Plan text: exact round trip of every shape of choice, every refusal with its caret.
 */
#include "planner/choice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void
prints_as(const char *text, const char *canonical)
{
    sb_diag diag = {0};
    sb_choice ch, again;
    sb_strbuf out;

    if (sb_choice_parse(&ch, text, strlen(text), &diag) != SB_OK)
        fail_msg("%s\n%s", text, diag.text);
    sb_strbuf_init(&out);
    sb_choice_print(&out, &ch);
    assert_string_equal(out.s, canonical);
    assert_int_equal(sb_choice_parse(&again, out.s, out.len, NULL), SB_OK);
    assert_true(sb_choice_equal(&ch, &again));
    sb_strbuf_free(&out);
}

static void
test_round_trip(void **state)
{
    static const char *const texts[] = {
        "(plan spmm (part csr) (tile 32))",
        "(plan spmm (part csr))",
        "(plan spmv (part rows hyb 16 0) (tile 4))",
        "(plan sddmm (part rows flat 1) (tile 16))",
        "(plan spmm (part bsr 4) (part rows hyb 1 5) (tile 32) (prefetch 4))",
        "(plan spmm (part win 2) (part rows flat 1) (tile 64) (stream))",
        "(plan spmm (part win 3 order) (part rows flat 1) (tile 64))",
        "(plan spmm (part dia 90) (part ell 3) (tile 8) (packed))",
        "(plan spmv (part bsr 64) (part coo) (tile 1) (prefetch 64) (packed) (stream))",
        "(plan spmm (part bsr 16) (part bsr 4) (part rows flat 1))",
        "(plan spmm (part bsr 8) (part dia 60) (part win 4) (part coo) (tile 32))",
        "(plan spmm (part ell 30) (tile 1024))",
        "(plan spmm (part pick))",
        "(plan spmm (part pick order) (tile 128) (stream))",
        "(plan spmm (part bsr 4) (part pick order) (packed))",
        "(plan spmm (part panel 512) (tile 32) (packed))",
        "(plan spmm (part panel 1048576))",
        "(plan spmm (part csr) (tile 128) (last 8) (stream))",
        "(plan spmm (part csr) (tile 32) (prefetch 4) (last 64) (unroll 2))",
        "(plan spmm (part csr) (tile 32) (stream) (slab 32))",
        "(plan spmm (part panel 256) (packed) (slab 4096))",
        "(plan spmm (reference))",
    };

    (void)state;
    for (int q = 0; q < SB_COUNT(texts); q++)
        prints_as(texts[q], texts[q]);
}

static void
test_free_form(void **state)
{
    (void)state;
    prints_as("  ( plan spmm ; why not\n\t( part csr )( tile 0008 )\r\n) ; end",
              "(plan spmm (part csr) (tile 8))");
    prints_as("(plan spmm (tile 8) (prefetch 0) (part coo))",
              "(plan spmm (part coo) (tile 8))");
}

static void
refused(const char *text, const char *why, int column)
{
    sb_diag diag = {0};
    sb_choice ch;
    char where[40];

    if (sb_choice_parse(&ch, text, strlen(text), &diag) != SB_EPARSE)
        fail_msg("accepted: %s", text);
    (void)snprintf(where, sizeof where, "column %d:", column);
    if (!strstr(diag.text, why) || !strstr(diag.text, where) || !strchr(diag.text, '^'))
        fail_msg("%s\nwanted \"%s\" at column %d, got:\n%s", text, why, column,
                 diag.text);
}

static void
test_refusals(void **state)
{
    (void)state;
    refused("", "expected '('", 1);
    refused("plan", "expected '('", 1);
    refused("(plot spmm)", "expected plan", 2);
    refused("(plan gemm)", "expected spmm, spmv or sddmm", 7);
    refused("(plan spmm)", "no part takes the rest", 11);
    refused("(plan spmm (part bsr 4))", "no part takes the rest", 24);
    refused("(plan spmm (part csc))", "expected csr, rows", 18);
    refused("(plan spmv (part mask 9))", "expected rows of a window, 1 to 8", 23);
    refused("(plan spmv (part ubcsr 5 4))", "expected rows of a block, 1 to 4", 24);
    refused("(plan spmv (part ubcsr 2))", "expected columns of a block, 4 or 8", 25);
    refused("(plan spmv (part ubcsr 2 6))", "expected columns of a block, 4 or 8", 26);
    refused("(plan spmv (part ubcsr 2 4) (part rows flat 1))", "already takes the rest",
            35);
    refused("(plan spmm (part bsr 1) (part coo))", "block size", 22);
    refused("(plan spmm (part bsr 65) (part coo))", "block size", 22);
    refused("(plan spmm (part win 9) (part coo))", "rows of a window", 22);
    refused("(plan spmm (part dia 0) (part coo))", "percent", 22);
    refused("(plan spmm (part dia 101) (part coo))", "percent", 22);
    refused("(plan spmm (part rows 1 2))", "expected hyb or flat", 23);
    refused("(plan spmm (part rows hyb 0 2))", "partitions", 27);
    refused("(plan spmm (part rows hyb 17 2))", "partitions", 27);
    refused("(plan spmm (part rows hyb 1))", "log2", 28);
    refused("(plan spmm (part ell 31))", "log2", 22);
    refused("(plan spmm (part ell -1))", "log2", 22);
    refused("(plan spmm (part ell 99999999999999999999))", "log2", 22);
    refused("(plan spmm (part pick 1))", "expected order, or the end", 23);
    refused("(plan spmm (part pick order 2))", "expected ')'", 29);
    refused("(plan spmm (part win 3 4) (part coo))", "expected order, or the end", 24);
    refused("(plan spmm (part share 3 order) (part coo))", "expected ')'", 26);
    refused("(plan spmm (part csr) (part coo))", "already takes the rest", 29);
    refused("(plan spmm (part bsr 2) (part csr))",
            "only rows, ell, pick and coo take a rest", 31);
    refused("(plan spmm (part bsr 2) (part panel 8))", "the others stand alone", 31);
    refused("(plan spmm (part bsr 2) (part blocks))", "the others stand alone", 31);
    refused("(plan sddmm (part list) (part coo))", "already takes the rest", 31);
    refused("(plan spmm (part panel 0))", "columns of a panel", 24);
    refused("(plan spmm (part panel 1048577))", "columns of a panel", 24);
    refused(
        "(plan spmm (part bsr 8) (part bsr 4) (part dia 9) (part win 2) (part coo))",
        "three parts may select", 57);
    refused("(plan spmm (part bsr 8) (part coo) (part bsr 4))",
            "already takes the rest", 42);
    refused("(plan spmm (part bsr 8) (part bsr 4))", "no part takes the rest", 37);
    refused("(plan spmm (part csr) (tile 8) (tile 8))", "said twice", 33);
    refused("(plan spmm (part csr) (reference))", "stands alone", 24);
    refused("(plan spmm (reference) (part csr))", "stands alone", 25);
    refused("(plan spmm (part csr) (tile 0))", "expected columns", 29);
    refused("(plan spmm (part csr) (prefetch 65))", "rows ahead", 33);
    refused("(plan spmm (part csr) (last 65))", "rows ahead", 29);
    refused("(plan spmm (part csr) (last 8) (last 8))", "said twice", 33);
    refused("(plan spmm (part csr) (slab 0))", "expected columns, 1 to 4096", 29);
    refused("(plan spmm (part csr) (color 8))", "expected part, tile", 24);
    refused("(plan spmm (part csr", "expected ')'", 21);
    refused("(plan spmm (part csr) (tile 8)) x", "text after the plan", 33);
}

/* Every prefix and every single-byte change ends in a choice or in EPARSE, and what is
 * accepted prints and reads back. */
static void
test_mutations(void **state)
{
    const char *seed =
        "(plan spmm (part bsr 4) (part rows hyb 1 5) (tile 32) (packed))";
    const size_t len = strlen(seed);
    char text[128];
    int accepted = 0;

    (void)state;
    for (size_t at = 0; at < len; at++)
        for (int c = 1; c < 256; c++) {
            sb_choice ch;
            sb_diag diag = {0};
            sb_status st;

            memcpy(text, seed, len + 1);
            text[at] = (char)c;
            st = sb_choice_parse(&ch, text, len, &diag);
            if (st == SB_OK) {
                sb_strbuf out;

                sb_strbuf_init(&out);
                sb_choice_print(&out, &ch);
                prints_as(out.s, out.s);
                sb_strbuf_free(&out);
                accepted++;
            } else {
                assert_int_equal(st, SB_EPARSE);
            }
        }
    assert_true(accepted > 20);
    for (size_t n = 0; n < len; n++) {
        sb_choice ch;

        assert_int_equal(sb_choice_parse(&ch, seed, n, NULL), SB_EPARSE);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_free_form),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_mutations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
