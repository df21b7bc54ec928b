/*
 * base/diag: the first message wins, positions become line, column and a caret.
 */
#include "base/diag.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void
the_first_message_wins(void **state)
{
    sb_diag d;

    (void)state;
    sb_diag_clear(&d);
    assert_int_equal(d.st, SB_OK);
    assert_string_equal(d.text, "");
    assert_int_equal(sb_diag_set(&d, SB_EINVAL, "ld %d < rows %d", 3, 4), SB_EINVAL);
    assert_int_equal(sb_diag_set(&d, SB_ENOMEM, "later"), SB_ENOMEM);
    assert_int_equal(sb_diag_at(&d, SB_EPARSE, "x", 1, 0, "later"), SB_EPARSE);
    assert_int_equal(d.st, SB_EINVAL);
    assert_string_equal(d.text, "ld 3 < rows 4");
    sb_diag_clear(&d);
    (void)sb_diag_set(&d, SB_ENOMEM, "fresh");
    assert_string_equal(d.text, "fresh");
}

static void
null_swallows(void **state)
{
    (void)state;
    sb_diag_clear(NULL);
    assert_int_equal(sb_diag_set(NULL, SB_EIO, "x"), SB_EIO);
    assert_int_equal(sb_diag_at(NULL, SB_EPARSE, "x", 1, 0, "x"), SB_EPARSE);
}

static void
a_position_is_shown(void **state)
{
    const char src[] = "buf $A\n\tfor %i in x {\nend";
    const size_t at = (size_t)(strchr(src, 'x') - src);
    sb_diag d;

    (void)state;
    sb_diag_clear(&d);
    assert_int_equal(
        sb_diag_at(&d, SB_EPARSE, src, sizeof src - 1, at, "unknown name '%c'", 'x'),
        SB_EPARSE);
    assert_string_equal(d.text, "line 2, column 12: unknown name 'x'\n"
                                " for %i in x {\n"
                                "           ^");
}

static void
the_end_of_the_text_is_a_position(void **state)
{
    sb_diag d;

    (void)state;
    sb_diag_clear(&d);
    (void)sb_diag_at(&d, SB_EPARSE, "ab\n", 3, 3, "more expected");
    assert_string_equal(d.text, "line 2, column 1: more expected\n\n^");
    sb_diag_clear(&d);
    (void)sb_diag_at(&d, SB_EPARSE, "ab", 2, 99, "more expected");
    assert_string_equal(d.text, "line 1, column 3: more expected\nab\n  ^");
    sb_diag_clear(&d);
    (void)sb_diag_at(&d, SB_EPARSE, NULL, 0, 0, "empty");
    assert_string_equal(d.text, "line 1, column 1: empty\n\n^");
}

static void
long_lines_and_sentences_are_cut(void **state)
{
    char src[3000];
    char word[600];
    sb_diag d;
    char *caret;

    (void)state;
    memset(src, 'a', sizeof src);
    memset(word, 'w', sizeof word);
    word[sizeof word - 1] = '\0';
    src[1500] = '\001';
    sb_diag_clear(&d);
    (void)sb_diag_at(&d, SB_EPARSE, src, sizeof src, 1500, "%s", word);
    assert_true(strlen(d.text) < sizeof d.text);
    caret = strrchr(d.text, '\n');
    assert_non_null(caret);
    assert_int_equal(strspn(caret + 1, " "), 48);
    assert_string_equal(caret + 49, "^");
    assert_int_equal(*(strchr(d.text, '\n') + 49), '?');
    sb_diag_clear(&d);
    (void)sb_diag_set(&d, SB_EINVAL, "%s", word);
    assert_int_equal(strlen(d.text), sizeof d.text - 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_message_wins),
        cmocka_unit_test(null_swallows),
        cmocka_unit_test(a_position_is_shown),
        cmocka_unit_test(the_end_of_the_text_is_a_position),
        cmocka_unit_test(long_lines_and_sentences_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
