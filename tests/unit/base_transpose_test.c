/*
 * Every size of element, odd numbers of lines and elements, gaps, arrays at odd addresses:
 * all elements arrive, and what lies between and behind them stays.
 */
#include "base/transpose.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static unsigned char
letter(int64_t line, int64_t element, size_t byte)
{
    return (unsigned char)(line * 31 + element * 7 + (int64_t)byte * 3 + 1);
}

static void
check(int64_t lines, int64_t count, size_t size, int64_t from_ld, int64_t to_ld,
      size_t odd)
{
    const size_t in = (size_t)(lines > 0 ? (lines - 1) * from_ld + count : 0) * size;
    const size_t out = (size_t)(count > 0 ? (count - 1) * to_ld + lines : 0) * size;
    unsigned char *from = malloc(in + odd + 1), *to = malloc(out + odd + 1);
    int64_t kept = 0;

    memset(to, 0, out + odd + 1);
    for (int64_t q = 0; q < lines; q++)
        for (size_t b = 0; b < (size_t)count * size; b++)
            from[odd + (size_t)(q * from_ld) * size + b] =
                letter(q, (int64_t)(b / size), b % size);
    sb_transpose(to + odd, to_ld, from + odd, from_ld, lines, count, size);
    for (size_t b = 0; b < out; b++) {
        const int64_t e = (int64_t)(b / size) / to_ld, q = (int64_t)(b / size) % to_ld;

        if (q < lines)
            assert_int_equal(to[odd + b], letter(q, e, b % size));
        else
            kept += to[odd + b] == 0;
    }
    assert_int_equal(kept,
                     count > 1 ? (count - 1) * (to_ld - lines) * (int64_t)size : 0);
    assert_int_equal(to[odd + out], 0);
    free(from);
    free(to);
}

static void
test_all_arrives(void **state)
{
    static const int64_t some[] = {0, 1, 2, 3, 7, 8, 9, 31, 33, 64, 70};

    (void)state;
    for (size_t size = 1; size <= 16; size *= 2)
        for (size_t q = 0; q < sizeof some / sizeof some[0]; q++)
            for (size_t e = 0; e < sizeof some / sizeof some[0]; e++)
                for (int gap = 0; gap < 2; gap++)
                    check(some[q], some[e], size, some[e] + 3 * gap + 1,
                          some[q] + 5 * gap + 1, (size_t)gap * size);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_arrives),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
