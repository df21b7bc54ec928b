/*
 * Packing and back: what repeats, what does not, nothing at all; damaged bytes are refused
 * or give other bytes, and nothing is read or written outside.
 */
#include "base/pack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t state = 1;

static unsigned
draw(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33);
}

/* Of `letters` letters, with copies of what came before. */
static void
fill(unsigned char *s, size_t n, unsigned letters, bool copies)
{
    for (size_t q = 0; q < n; q++)
        s[q] = (unsigned char)(draw() % letters);
    for (size_t q = 40; copies && q + 40 < n; q += 40 + draw() % 60)
        memmove(s + q, s + draw() % (unsigned)(q - 30), 30 + draw() % 10);
}

static size_t
round_trip(const unsigned char *s, size_t n)
{
    unsigned char *back = malloc(n + 1);
    sb_strbuf packed;
    size_t size;

    assert_non_null(back);
    sb_strbuf_init(&packed);
    sb_pack(&packed, s, n);
    assert_int_equal(sb_strbuf_status(&packed), SB_OK);
    size = packed.len;
    assert_true(sb_unpack(back, n, packed.s, size));
    assert_memory_equal(back, s, n);
    assert_false(sb_unpack(back, n + 1, packed.s, size));
    assert_false(n > 0 && sb_unpack(back, n - 1, packed.s, size));
    assert_false(sb_unpack(back, n, packed.s, size - 1));
    sb_strbuf_free(&packed);
    free(back);
    return size;
}

static void
test_round_trip(void **unused)
{
    static unsigned char s[5000];

    (void)unused;
    assert_int_equal(round_trip(s, 0), 1);
    assert_true(round_trip(s, sizeof s) < 20); /* one byte over and over */
    for (size_t n = 1; n < 40; n++)
        round_trip(s, n);
    for (int k = 0; k < 40; k++) {
        fill(s, sizeof s, k % 2 ? 256 : 3, k % 4 < 2);
        round_trip(s, sizeof s - (size_t)k);
    }
    fill(s, sizeof s, 256, true);
    assert_true(round_trip(s, sizeof s) < sizeof s * 3 / 4);
}

static void
test_damage(void **unused)
{
    unsigned char s[600], *back = malloc(sizeof s);
    sb_strbuf packed;

    (void)unused;
    assert_non_null(back);
    fill(s, sizeof s, 5, true);
    sb_strbuf_init(&packed);
    sb_pack(&packed, s, sizeof s);
    for (int k = 0; k < 4000; k++) {
        char *copy = malloc(packed.len); /* the sanitizer sees its end */
        const size_t size = packed.len - draw() % 3;

        assert_non_null(copy);
        memcpy(copy, packed.s, packed.len);
        for (unsigned q = draw() % 4 + 1; q > 0; q--)
            copy[draw() % packed.len] = (char)draw();
        (void)sb_unpack(back, sizeof s, copy, size);
        free(copy);
    }
    sb_strbuf_free(&packed);
    free(back);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_damage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
