/*
 * base/log: the level filters, the sink gets text and user pointer and may log itself.
 */
#include "base/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct seen {
    int count;
    sb_log_level level;
    char text[600];
} seen;

static void
remember(sb_log_level level, const char *text, void *user)
{
    seen *s = user;

    s->count++;
    s->level = level;
    (void)snprintf(s->text, sizeof s->text, "%s", text);
    if (s->count == 1)
        sb_log(SB_LOG_ERROR, "from the sink");
}

static void
the_level_filters(void **state)
{
    seen s = {5, SB_LOG_OFF, ""};

    (void)state;
    sb_log_set(SB_LOG_WARN, remember, &s);
    assert_int_equal(sb_log_get_level(), SB_LOG_WARN);
    sb_log(SB_LOG_INFO, "not heard");
    sb_log(SB_LOG_OFF, "not heard");
    assert_int_equal(s.count, 5);
    sb_log(SB_LOG_WARN, "compiler %s exited with %d", "cc", 1);
    assert_int_equal(s.count, 6);
    assert_int_equal(s.level, SB_LOG_WARN);
    assert_string_equal(s.text, "compiler cc exited with 1");
    sb_log(SB_LOG_ERROR, "worse");
    assert_int_equal(s.level, SB_LOG_ERROR);
    sb_log_set(SB_LOG_OFF, remember, &s);
    sb_log(SB_LOG_ERROR, "not heard");
    assert_int_equal(s.count, 7);
}

static void
a_sink_may_log(void **state)
{
    seen s = {0, SB_LOG_OFF, ""};

    (void)state;
    sb_log_set(SB_LOG_DEBUG, remember, &s);
    sb_log(SB_LOG_DEBUG, "first");
    assert_int_equal(s.count, 2);
    assert_int_equal(s.level, SB_LOG_ERROR);
    assert_string_equal(s.text, "from the sink");
    sb_log_set(SB_LOG_OFF, NULL, NULL);
}

static void
long_text_is_cut(void **state)
{
    seen s = {5, SB_LOG_OFF, ""};
    char word[2000];

    (void)state;
    memset(word, 'w', sizeof word);
    word[sizeof word - 1] = '\0';
    sb_log_set(SB_LOG_INFO, remember, &s);
    sb_log(SB_LOG_INFO, "%s", word);
    assert_int_equal(strlen(s.text), 511);
    sb_log_set(SB_LOG_OFF, NULL, NULL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_level_filters),
        cmocka_unit_test(a_sink_may_log),
        cmocka_unit_test(long_text_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
