/*
 * base/hash: stable values, sensitivity to every bit, length and seed.
 */
#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const sb_hash zero = {0, 0};

static int
weight(uint64_t x)
{
    int n = 0;

    for (; x; x &= x - 1)
        n++;
    return n;
}

static void
text_is_32_hex_digits(void **state)
{
    const sb_hash h = {0x0123456789abcdefu, 0xfedcba9876543210u};
    char text[33];

    (void)state;
    sb_hash_text(h, text);
    assert_string_equal(text, "0123456789abcdeffedcba9876543210");
}

/* Cached kernels and wisdom carry these values: changing them orphans every file. */
static void
values_are_pinned(void **state)
{
    char text[33];

    (void)state;
    sb_hash_text(sb_hash_bytes("", 0, zero), text);
    assert_string_equal(text, "be7a7a9ef33547cd7fcab168adaecb50");
    sb_hash_text(sb_hash_bytes("spblas", 6, zero), text);
    assert_string_equal(text, "7625bbb9218b4ecc03a2e22364335349");
    sb_hash_text(sb_hash_bytes("a text longer than two steps of it", 34, zero), text);
    assert_string_equal(text, "a9c05e04af0fbe290e19d25c58da5dd2");
}

static void
each_bit_moves_half_of_the_output(void **state)
{
    unsigned char in[40];
    int64_t total = 0;
    sb_hash before;

    (void)state;
    for (int i = 0; i < 40; i++)
        in[i] = (unsigned char)(i * 7);
    before = sb_hash_bytes(in, sizeof in, zero);
    for (int bit = 0; bit < 320; bit++) {
        sb_hash h;
        int moved;

        in[bit / 8] ^= (unsigned char)(1u << bit % 8);
        h = sb_hash_bytes(in, sizeof in, zero);
        in[bit / 8] ^= (unsigned char)(1u << bit % 8);
        moved = weight(h.a ^ before.a) + weight(h.b ^ before.b);
        assert_in_range(moved, 30, 98); /* 64 expected, deviation 5.7: six of them */
        total += moved;
    }
    assert_in_range(total, 320 * 62, 320 * 66);
}

static void
length_and_seed_count(void **state)
{
    const unsigned char zeros[64] = {0};
    sb_hash seen[65];

    (void)state;
    for (size_t n = 0; n <= 64; n++) {
        seen[n] = sb_hash_bytes(zeros, n, zero);
        for (size_t k = 0; k < n; k++)
            assert_false(sb_hash_equal(seen[n], seen[k]));
    }
    assert_true(sb_hash_equal(seen[9], sb_hash_bytes(zeros, 9, zero)));
    assert_false(sb_hash_equal(seen[9], sb_hash_bytes(zeros, 9, (sb_hash){1, 0})));
    assert_false(sb_hash_equal(seen[9], sb_hash_bytes(zeros, 9, (sb_hash){0, 1})));
}

static void
alignment_does_not_count(void **state)
{
    char space[64];

    (void)state;
    for (int shift = 0; shift < 8; shift++) {
        memcpy(space + shift, "the same seventeen", 18);
        assert_true(sb_hash_equal(sb_hash_bytes(space + shift, 18, zero),
                                  sb_hash_bytes("the same seventeen", 18, zero)));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_32_hex_digits),
        cmocka_unit_test(values_are_pinned),
        cmocka_unit_test(each_bit_moves_half_of_the_output),
        cmocka_unit_test(length_and_seed_count),
        cmocka_unit_test(alignment_does_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
