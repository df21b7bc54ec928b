/*
 * Numbers as text, declared in strbuf.h. All of it is independent of the locale:
 * formatting runs under the C locale of this thread only, reading does the common case
 * (at most 15 digits, a power of ten below 23) itself, where one multiplication or
 * division of two exact doubles rounds correctly, and hands the rest to strtod_l.
 */
#include "base/strbuf.h"

#include "base/sync.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { EXACT_DIGITS = 15, EXACT_POWER = 22, NUMBER_MAX = 48 };

static sb_once c_once = SB_ONCE_INIT;
static locale_t c_locale;

static void
make_c_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static locale_t
get_c_locale(void)
{
    sb_once_run(&c_once, make_c_locale);
    return c_locale;
}

/* 15 digits always survive decimal -> double -> decimal, so no shorter try is needed
 * for normal numbers; subnormals hold fewer. */
static void
format_f64(char out[NUMBER_MAX], double v)
{
    const locale_t loc = get_c_locale();
    const locale_t before = uselocale(loc);

    for (int digits = fabs(v) < DBL_MIN ? 1 : 15; digits <= 17; digits++) {
        (void)snprintf(out, NUMBER_MAX, "%.*g", digits, v);
        if (strtod_l(out, NULL, loc) == v)
            break;
    }
    (void)uselocale(before);
}

void
sb_strbuf_f64(sb_strbuf *b, double v)
{
    char text[NUMBER_MAX];

    if (isnan(v)) {
        sb_strbuf_puts(b, "nan");
        return;
    }
    if (isinf(v)) {
        sb_strbuf_puts(b, v < 0 ? "-inf" : "inf");
        return;
    }
    format_f64(text, v);
    sb_strbuf_puts(b, text);
    if (!strpbrk(text, ".e"))
        sb_strbuf_puts(b, ".0");
}

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A decimal number as scanned: digits * 10^power, plus where it ends. */
typedef struct scan {
    int64_t digits;
    int ndigits; /* significant, leading zeros not counted */
    int64_t power;
    bool any;
    const char *end;
} scan;

static void
scan_digits(scan *sc, bool fraction)
{
    for (; is_digit(*sc->end); sc->end++) {
        sc->any = true;
        if (sc->ndigits < EXACT_DIGITS)
            sc->digits = sc->digits * 10 + (*sc->end - '0');
        if (sc->ndigits > 0 || *sc->end != '0')
            sc->ndigits += sc->ndigits <= EXACT_DIGITS;
        sc->power -= fraction;
    }
}

static void
scan_exponent(scan *sc)
{
    const char *p = sc->end + 1;
    bool negative = false;
    int64_t e = 0;

    if (*p == '+' || *p == '-')
        negative = *p++ == '-';
    if (!is_digit(*p))
        return; /* "1e" is the number 1 and a letter */
    for (; is_digit(*p); p++)
        e = e < INT64_MAX / 100 ? e * 10 + (*p - '0') : e;
    sc->power += negative ? -e : e;
    sc->end = p;
}

static scan
scan_decimal(const char *s)
{
    scan sc = {0, 0, 0, false, s};

    scan_digits(&sc, false);
    if (*sc.end == '.') {
        sc.end++;
        scan_digits(&sc, true);
    }
    if (sc.any && (*sc.end == 'e' || *sc.end == 'E'))
        scan_exponent(&sc);
    return sc;
}

/* inf, infinity and nan, in any case. */
static bool
parse_word(const char *s, const char **end, double *out)
{
    if (strncasecmp(s, "nan", 3) == 0) {
        *out = (double)NAN;
        *end = s + 3;
        return true;
    }
    if (strncasecmp(s, "inf", 3) != 0)
        return false;
    *out = (double)INFINITY;
    *end = s + (strncasecmp(s + 3, "inity", 5) == 0 ? 8 : 3);
    return true;
}

/* The scanned text again, by the C library: only where the exact path does not reach.
 * strtod stops where the scan did, except at "0x", which it would read as hexadecimal;
 * there the scan saw a single zero and the exact path has answered. */
static double
parse_slow(const char *s)
{
    return strtod_l(s, NULL, get_c_locale());
}

sb_status
sb_parse_f64(const char *s, const char **end, double *out)
{
    static const double ten[EXACT_POWER + 1] = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const bool negative = *s == '-';
    const char *body = s + (*s == '-' || *s == '+');
    double v;

    if (!parse_word(body, end, &v)) {
        const scan sc = scan_decimal(body);

        if (!sc.any)
            return SB_EPARSE;
        *end = sc.end;
        if (sc.ndigits == 0)
            v = 0.0;
        else if (sc.ndigits > EXACT_DIGITS || llabs(sc.power) > EXACT_POWER)
            v = parse_slow(body);
        else
            v = sc.power < 0 ? (double)sc.digits / ten[-sc.power]
                             : (double)sc.digits * ten[sc.power];
    }
    *out = negative ? -v : v;
    return SB_OK;
}

sb_status
sb_parse_i64(const char *s, const char **end, int64_t *out)
{
    const bool negative = *s == '-';
    const char *p = s + (*s == '-' || *s == '+');
    int64_t v = 0;

    if (!is_digit(*p))
        return SB_EPARSE;
    for (; is_digit(*p); p++) {
        const int digit = *p - '0';

        /* Counting down reaches INT64_MIN, which has no positive partner. */
        if (__builtin_mul_overflow(v, 10, &v) || __builtin_sub_overflow(v, digit, &v))
            return SB_EPARSE;
    }
    if (!negative && __builtin_sub_overflow(0, v, &v))
        return SB_EPARSE;
    *end = p;
    *out = v;
    return SB_OK;
}
