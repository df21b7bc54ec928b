/*
 * Numbers by hand. A mantissa below 2^53 times a power of ten up to 10^22 is exact in
 * one operation (Clinger 1990), which covers nearly every number in a file; the rest
 * goes through strtod_l in the C locale.
 */
#include "mm_number.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOKEN_MAX = 120 };

static const char *
skip_blank(const char *at, const char *end)
{
    while (at < end && mm_is_blank(*at))
        at++;
    return at;
}

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

mm_number
mm_number_int(const char **at, const char *end, int64_t *out)
{
    const char *p = skip_blank(*at, end), *digits;
    bool minus = false, over = false;
    uint64_t v = 0;

    *at = p;
    if (p == end)
        return MM_NUMBER_END;
    if (*p == '-' || *p == '+')
        minus = *p++ == '-';
    for (digits = p; p < end && is_digit(*p); p++) {
        over |= v > (UINT64_MAX - 9) / 10;
        v = v * 10 + (uint64_t)(*p - '0');
    }
    if (p == digits || (p < end && !mm_is_blank(*p)))
        return MM_NUMBER_NONE;
    if (over || v > (uint64_t)INT64_MAX)
        return MM_NUMBER_RANGE;
    *out = minus ? -(int64_t)v : (int64_t)v;
    *at = p;
    return MM_NUMBER_OK;
}

/* The C locale, made once; the process's own one may print a decimal comma. */
static locale_t
c_locale(void)
{
    static locale_t made;

    if (!made)
        made = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return made;
}

/* Everything the fast path does not take. */
static mm_number
slow_real(const char *p, const char *token_end, double *out)
{
    char text[TOKEN_MAX + 1], *stop;
    size_t i, n = (size_t)(token_end - p);
    locale_t locale = c_locale();

    if (n == 0 || n > TOKEN_MAX || !locale)
        return MM_NUMBER_NONE;
    for (i = 0; i < n; i++) {
        if (p[i] == 'x' || p[i] == 'X' || p[i] == '(')
            return MM_NUMBER_NONE;
        text[i] = p[i] == 'd' || p[i] == 'D' ? 'e' : p[i];
    }
    text[n] = '\0';
    *out = strtod_l(text, &stop, locale);
    if (*stop)
        return MM_NUMBER_NONE;
    if (isinf(*out) && !strpbrk(text, "iI"))
        return MM_NUMBER_RANGE;
    return MM_NUMBER_OK;
}

/* Reads "e-12" and the like at p; NULL if that is not an exponent. */
static const char *
read_exponent(const char *p, const char *end, int *exponent)
{
    bool minus = false;
    const char *digits;
    int e = 0;

    if (++p < end && (*p == '-' || *p == '+'))
        minus = *p++ == '-';
    for (digits = p; p < end && is_digit(*p); p++)
        e = e < 10000 ? e * 10 + (*p - '0') : e;
    if (p == digits)
        return NULL;
    *exponent += minus ? -e : e;
    return p;
}

static bool
is_exponent_letter(char c)
{
    return c == 'e' || c == 'E' || c == 'd' || c == 'D';
}

/* Mantissa and decimal exponent of a plain number; false: let strtod decide. */
static bool
fast_real(const char *p, const char *end, uint64_t *mantissa, int *exponent)
{
    uint64_t v = 0;
    int digits = 0, e = 0, total = 0;

    for (; p < end && is_digit(*p); p++, total++)
        if (v || *p != '0') {
            v = v * 10 + (uint64_t)(*p - '0');
            digits++;
        }
    if (p < end && *p == '.')
        for (p++; p < end && is_digit(*p); p++, total++) {
            v = v * 10 + (uint64_t)(*p - '0');
            digits += v != 0;
            e--;
        }
    if (total == 0 || digits > 18)
        return false;
    if (p < end && is_exponent_letter(*p) && !(p = read_exponent(p, end, &e)))
        return false;
    *mantissa = v;
    *exponent = e;
    return p == end;
}

mm_number
mm_number_real(const char **at, const char *end, double *out)
{
    static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *p = skip_blank(*at, end), *stop = p, *digits;
    uint64_t m;
    mm_number got;
    double v;
    int e;

    *at = p;
    if (p == end)
        return MM_NUMBER_END;
    while (stop < end && !mm_is_blank(*stop))
        stop++;
    digits = p + (*p == '-' || *p == '+');
    if (fast_real(digits, stop, &m, &e) && m <= UINT64_C(1) << 53 && e >= -22 &&
        e <= 22) {
        v = e < 0 ? (double)m / ten[-e] : (double)m * ten[e];
        *out = *p == '-' ? -v : v;
    } else if ((got = slow_real(p, stop, out)) != MM_NUMBER_OK) {
        return got;
    }
    *at = stop;
    return MM_NUMBER_OK;
}

void
mm_word(const char *at, const char *end, char *out, int size)
{
    int n = 0;

    at = skip_blank(at, end);
    while (at < end && !mm_is_blank(*at) && n < size - 1) {
        out[n++] = isprint((unsigned char)*at) ? *at : '?';
        at++;
    }
    out[n] = '\0';
}

int
mm_number_print(double x, char *out)
{
    locale_t locale = c_locale(), before = locale ? uselocale(locale) : (locale_t)0;
    int digits, n = 0;

    for (digits = 15; digits <= 17; digits++) {
        n = snprintf(out, 32, "%.*g", digits, x);
        if (isnan(x) || strtod(out, NULL) == x)
            break;
    }
    if (locale)
        uselocale(before);
    return n;
}
