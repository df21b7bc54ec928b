/*
 * base/number: text of floats and integers, both ways, also where the process runs
 * under a locale whose decimal point is a comma.
 */
#include "base/strbuf.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t
bits_of(double v)
{
    uint64_t b;

    memcpy(&b, &v, sizeof b);
    return b;
}

static void
check_text(double v, const char *text)
{
    sb_strbuf b;

    sb_strbuf_init(&b);
    sb_strbuf_f64(&b, v);
    assert_string_equal(b.s, text);
    sb_strbuf_free(&b);
}

static void
check_value(const char *text, double v, size_t used)
{
    const char *end = NULL;
    double got;

    assert_int_equal(sb_parse_f64(text, &end, &got), SB_OK);
    assert_int_equal(bits_of(got), bits_of(v));
    assert_int_equal(end - text, used);
}

static void
check_round_trip(double v)
{
    const char *end;
    double back;
    sb_strbuf b;

    sb_strbuf_init(&b);
    sb_strbuf_f64(&b, v);
    assert_non_null(strpbrk(b.s, ".e"));
    assert_null(strchr(b.s, ','));
    assert_int_equal(sb_parse_f64(b.s, &end, &back), SB_OK);
    assert_int_equal(*end, '\0');
    assert_int_equal(bits_of(back), bits_of(v));
    sb_strbuf_free(&b);
}

static void
known_texts(void **state)
{
    (void)state;
    check_text(0.0, "0.0");
    check_text(-0.0, "-0.0");
    check_text(1.0, "1.0");
    check_text(-12.0, "-12.0");
    check_text(0.1, "0.1");
    check_text(0.1 + 0.2, "0.30000000000000004");
    check_text(1e22, "1e+22");
    check_text(5e-324, "5e-324");
    check_text(DBL_MAX, "1.7976931348623157e+308");
    check_text((double)INFINITY, "inf");
    check_text(-(double)INFINITY, "-inf");
    check_text((double)NAN, "nan");
    check_text(-(double)NAN, "nan");
}

static void
known_values(void **state)
{
    (void)state;
    check_value("1", 1.0, 1);
    check_value("+1.5e3x", 1500.0, 6);
    check_value("-0.0", -0.0, 4);
    check_value(".5", 0.5, 2);
    check_value("5.", 5.0, 2);
    check_value("1,5", 1.0, 1);
    check_value("1e", 1.0, 1);
    check_value("1e+", 1.0, 1);
    check_value("0x10", 0.0, 1);
    check_value("-0x10", -0.0, 2);
    check_value("123456789012345", 123456789012345.0, 15);
    check_value("9007199254740993", 9007199254740992.0, 16);
    check_value("1e23", 1e23, 4);
    check_value("1e400", (double)INFINITY, 5);
    check_value("1e-400", 0.0, 6);
    check_value("0e99999999999999999999", 0.0, 22);
    check_value("2.2250738585072011e-308", 2.2250738585072011e-308, 23);
    check_value("inf", (double)INFINITY, 3);
    check_value("-Infinity", -(double)INFINITY, 9);
}

static void
nan_reads_as_nan(void **state)
{
    const char *end;
    double v = 0.0;

    (void)state;
    assert_int_equal(sb_parse_f64("NaN(1)", &end, &v), SB_OK);
    assert_true(isnan(v));
    assert_int_equal(*end, '(');
}

static void
a_long_run_of_zeros_keeps_its_scale(void **state)
{
    static char text[12032];
    const char *end;
    double v;

    (void)state;
    memset(text, '0', 12000);
    text[1] = '.';
    memcpy(text + 12000, "1e11999", 8);
    assert_int_equal(sb_parse_f64(text, &end, &v), SB_OK);
    assert_true(v == 1.0);
    assert_int_equal(*end, '\0');
}

static void
what_is_no_number_is_refused(void **state)
{
    static const char *const bad[] = {"",   "-", "+",    ".",  "e5",
                                      " 1", "x", "-.e1", "--1"};
    const char *end = NULL;
    double v = 77.0;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(sb_parse_f64(bad[i], &end, &v), SB_EPARSE);
    assert_true(v == 77.0);
    assert_null(end);
}

static void
random_doubles_round_trip(void **state)
{
    uint64_t x = 88172645463325252u;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        double v;

        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        memcpy(&v, &x, sizeof v);
        if (isfinite(v))
            check_round_trip(v);
        check_round_trip((double)(int64_t)(x >> 40) / 1000.0);
        check_round_trip((double)(float)(x % 100000) * 1e-3);
    }
    for (double v = DBL_MIN; v > 0; v /= 3)
        check_round_trip(v);
}

/* Reading must agree with the C library, which rounds correctly, on decimal texts that
 * no double printed. */
static void
reading_agrees_with_strtod(void **state)
{
    uint64_t x = 362436069;

    (void)state;
    for (int i = 0; i < 50000; i++) {
        char text[64];
        const char *end;
        double v;

        x = x * 6364136223846793005u + 1442695040888963407u;
        (void)snprintf(text, sizeof text, "%llu.%llue%d",
                       (unsigned long long)(x >> 20) % 1000000007u >> i % 30,
                       (unsigned long long)(x >> 11) % 100000000u, i % 60 - 30);
        assert_int_equal(sb_parse_f64(text, &end, &v), SB_OK);
        assert_int_equal(*end, '\0');
        assert_int_equal(bits_of(v), bits_of(strtod(text, NULL)));
    }
}

static void
integers(void **state)
{
    const char *end;
    int64_t v = 77;

    (void)state;
    assert_int_equal(sb_parse_i64("-9223372036854775808 ", &end, &v), SB_OK);
    assert_int_equal(v, INT64_MIN);
    assert_int_equal(*end, ' ');
    assert_int_equal(sb_parse_i64("+9223372036854775807", &end, &v), SB_OK);
    assert_int_equal(v, INT64_MAX);
    assert_int_equal(sb_parse_i64("007.5", &end, &v), SB_OK);
    assert_int_equal(v, 7);
    assert_int_equal(*end, '.');
    v = 77;
    assert_int_equal(sb_parse_i64("9223372036854775808", &end, &v), SB_EPARSE);
    assert_int_equal(sb_parse_i64("-9223372036854775809", &end, &v), SB_EPARSE);
    assert_int_equal(sb_parse_i64("99999999999999999999", &end, &v), SB_EPARSE);
    assert_int_equal(sb_parse_i64("", &end, &v), SB_EPARSE);
    assert_int_equal(sb_parse_i64("-", &end, &v), SB_EPARSE);
    assert_int_equal(sb_parse_i64(" 1", &end, &v), SB_EPARSE);
    assert_int_equal(v, 77);
}

/* The build makes such a locale where it can (cmake/tests.cmake). */
static void
a_comma_locale_changes_nothing(void **state)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "ru_RU.UTF-8"};
    const char *found = NULL;
    char text[16];

    for (size_t i = 0; i < sizeof names / sizeof names[0] && !found; i++)
        found = setlocale(LC_ALL, names[i]);
    if (!found)
        skip();
    (void)snprintf(text, sizeof text, "%.1f", 1.5);
    assert_string_equal(text, "1,5");
    known_texts(state);
    known_values(state);
    random_doubles_round_trip(state);
    (void)snprintf(text, sizeof text, "%.1f", 1.5);
    assert_string_equal(text, "1,5");
    assert_non_null(setlocale(LC_ALL, "C"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_texts),
        cmocka_unit_test(known_values),
        cmocka_unit_test(nan_reads_as_nan),
        cmocka_unit_test(a_long_run_of_zeros_keeps_its_scale),
        cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(random_doubles_round_trip),
        cmocka_unit_test(reading_agrees_with_strtod),
        cmocka_unit_test(integers),
        cmocka_unit_test(a_comma_locale_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
