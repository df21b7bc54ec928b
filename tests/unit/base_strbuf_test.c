/*
 * base/strbuf: appending, growth, failure that sticks until the text is cleared.
 */
#include "base/strbuf.h"

#include "base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void
an_empty_buffer_is_a_text(void **state)
{
    const int64_t before = sb_alloc_live();
    sb_strbuf b;

    (void)state;
    sb_strbuf_init(&b);
    assert_string_equal(b.s, "");
    sb_strbuf_puts(&b, "");
    sb_strbuf_clear(&b);
    assert_string_equal(b.s, "");
    assert_int_equal(sb_alloc_live(), before);
    sb_strbuf_free(&b);
    assert_string_equal(b.s, "");
    sb_strbuf_free(&b);
}

static void
appends_join(void **state)
{
    sb_strbuf b;

    (void)state;
    sb_strbuf_init(&b);
    sb_strbuf_puts(&b, "ptr");
    sb_strbuf_putc(&b, '[');
    sb_strbuf_i64(&b, INT64_MIN);
    sb_strbuf_putn(&b, "]; and more", 2);
    sb_strbuf_printf(&b, " %s %d %c %x %zu", "x", -5, 'q', 255u, (size_t)9);
    assert_string_equal(b.s, "ptr[-9223372036854775808]; x -5 q ff 9");
    assert_int_equal(b.len, strlen(b.s));
    sb_strbuf_clear(&b);
    assert_string_equal(b.s, "");
    sb_strbuf_puts(&b, "again");
    assert_string_equal(b.s, "again");
    assert_int_equal(sb_strbuf_status(&b), SB_OK);
    sb_strbuf_free(&b);
}

static void
long_text_survives_growth(void **state)
{
    sb_strbuf b;

    (void)state;
    sb_strbuf_init(&b);
    for (int i = 0; i < 5000; i++)
        sb_strbuf_printf(&b, "%04d", i);
    assert_int_equal(sb_strbuf_status(&b), SB_OK);
    assert_int_equal(b.len, 20000);
    assert_int_equal(strlen(b.s), 20000);
    assert_memory_equal(b.s + 4 * 4321, "4321", 4);
    sb_strbuf_free(&b);
}

static void
failure_sticks_until_cleared(void **state)
{
    const int64_t before = sb_alloc_live();
    char filler[4096];
    sb_strbuf b;

    (void)state;
    memset(filler, 'x', sizeof filler);
    sb_strbuf_init(&b);
    sb_strbuf_puts(&b, "kept");
    sb_alloc_fail_after(0);
    sb_strbuf_putn(&b, filler, sizeof filler);
    sb_alloc_fail_after(-1);
    assert_int_equal(sb_strbuf_status(&b), SB_ENOMEM);
    sb_strbuf_puts(&b, "!");
    sb_strbuf_printf(&b, "%d", 1);
    sb_strbuf_f64(&b, 1.5);
    assert_string_equal(b.s, "kept");
    assert_int_equal(sb_strbuf_status(&b), SB_ENOMEM);
    sb_strbuf_clear(&b);
    sb_strbuf_puts(&b, "fine");
    assert_int_equal(sb_strbuf_status(&b), SB_OK);
    assert_string_equal(b.s, "fine");
    sb_strbuf_free(&b);
    sb_alloc_fail_after(0);
    sb_strbuf_puts(&b, "first block");
    sb_alloc_fail_after(-1);
    assert_int_equal(sb_strbuf_status(&b), SB_ENOMEM);
    assert_string_equal(b.s, "");
    sb_strbuf_free(&b);
    assert_int_equal(sb_alloc_live(), before);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_buffer_is_a_text),
        cmocka_unit_test(appends_join),
        cmocka_unit_test(long_text_survives_growth),
        cmocka_unit_test(failure_sticks_until_cleared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
