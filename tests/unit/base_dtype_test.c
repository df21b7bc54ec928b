/*
 * base/dtype: the table, every 16-bit float both ways, rounding against an independent
 * definition (nearest neighbour among all values), saturation of integers.
 */
#include "base/dtype.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void
the_table(void **state)
{
    (void)state;
    assert_int_equal(sb_dtype_size(SB_BF16), 2);
    assert_int_equal(sb_dtype_size(SB_C64), 16);
    assert_int_equal(sb_dtype_size(SB_DTYPE_COUNT), 0);
    assert_string_equal(sb_dtype_name(SB_F16), "f16");
    assert_string_equal(sb_dtype_name(SB_DTYPE_COUNT), "?");
    for (int t = 0; t < SB_DTYPE_COUNT; t++) {
        const char *name = sb_dtype_name((sb_dtype)t);

        assert_int_equal(sb_dtype_parse(name, strlen(name)), t);
        assert_int_equal(sb_dtype_is_int((sb_dtype)t) + sb_dtype_is_real((sb_dtype)t) +
                             sb_dtype_is_complex((sb_dtype)t),
                         t != SB_BOOL);
    }
    assert_int_equal(sb_dtype_size(SB_C16), 4);
    assert_int_equal(sb_dtype_size(SB_CBF16), 4);
    assert_int_equal(sb_dtype_sum(SB_BF16), SB_F32);
    assert_int_equal(sb_dtype_sum(SB_CBF16), SB_C32);
    assert_int_equal(sb_dtype_sum(SB_C64), SB_C64);
    assert_true(sb_dtype_is_storage(SB_I8) && sb_dtype_is_storage(SB_I16) &&
                !sb_dtype_is_half(SB_I8));
    assert_true(sb_dtype_is_half(SB_F16) && sb_dtype_is_half(SB_C16));
    assert_int_equal(sb_dtype_parse("f3", 2), SB_DTYPE_COUNT);
    assert_int_equal(sb_dtype_parse("f32x", 4), SB_DTYPE_COUNT);
    assert_int_equal(sb_dtype_parse("f32x", 3), SB_F32);
    assert_int_equal(sb_dtype_parse("", 0), SB_DTYPE_COUNT);
}

/* Of zero, but of no other number, only signs are set. */
static void
magnitudes(void **state)
{
    static const double parts[] = {0.0, -0.0, 1.0, -1.0};

    (void)state;
    for (int t = SB_I8; t < SB_DTYPE_COUNT; t++)
        for (int k = 0; k < 16; k++) {
            const sb_value v = {parts[k % 4], parts[k / 4]};
            const uint64_t mask = sb_dtype_magnitude((sb_dtype)t);
            const bool zero =
                v.re == 0.0 && (v.im == 0.0 || !sb_dtype_is_complex((sb_dtype)t));
            uint64_t word[2] = {0, 0};

            sb_value_store((sb_dtype)t, word, 0, v);
            assert_int_equal(!(word[0] & mask) && !(word[1] & mask), zero);
        }
}

static void
every_half_returns(void **state)
{
    (void)state;
    for (uint32_t h = 0; h < 0x10000; h++) {
        const float f = sb_f16_to_f32((uint16_t)h);
        const float b = sb_bf16_to_f32((uint16_t)h);

        if (isnan(f))
            assert_true(isnan(sb_f16_to_f32(sb_f16_from_f32(f))));
        else
            assert_int_equal(sb_f16_from_f32(f), h);
        if (isnan(b))
            assert_true(isnan(sb_bf16_to_f32(sb_bf16_from_f32(b))));
        else
            assert_int_equal(sb_bf16_from_f32(b), h);
        assert_int_equal(isnan(f) != 0, (h & 0x7fff) > 0x7c00);
        assert_int_equal(isnan(b) != 0, (h & 0x7fff) > 0x7f80);
    }
}

/* The value of an f16 by its definition in the standard. */
static double
f16_by_definition(uint16_t h)
{
    const int e = h >> 10 & 31, m = h & 1023;
    const double v = e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);

    return h & 0x8000 ? -v : v;
}

static void
halves_have_their_value(void **state)
{
    (void)state;
    for (uint32_t h = 0; h < 0x10000; h++) {
        if ((h & 0x7c00) != 0x7c00)
            assert_true((double)sb_f16_to_f32((uint16_t)h) ==
                        f16_by_definition((uint16_t)h));
    }
    assert_true(sb_f16_to_f32(0x7c00) == INFINITY);
    assert_true(sb_f16_to_f32(0xfc00) == -INFINITY);
    assert_true(sb_bf16_to_f32(0x3f80) == 1.0f);
    assert_true(signbit(sb_f16_to_f32(0x8000)));
}

static uint16_t
store16(sb_dtype t, double v)
{
    uint16_t h;

    sb_value_store(t, &h, 0, (sb_value){v, 0.0});
    return h;
}

/* Between neighbours lo and hi = lo + 1 ulp: just below the middle goes down, just
 * above goes up, the middle goes to the even one. The offsets vanish in f32, so a store
 * that rounds twice fails. */
static void
check_nearest(sb_dtype t, uint16_t lo, double a, double b)
{
    const double mid = a + (b - a) / 2;

    assert_int_equal(store16(t, mid), lo & 1 ? lo + 1 : lo);
    assert_int_equal(store16(t, nextafter(mid, a)), lo);
    assert_int_equal(store16(t, nextafter(mid, b)), lo + 1);
    assert_int_equal(store16(t, -mid), (lo & 1 ? lo + 1 : lo) | 0x8000);
}

static void
stores_round_once_to_nearest_even(void **state)
{
    (void)state;
    for (uint16_t h = 0; h < 0x7bff; h++)
        check_nearest(SB_F16, h, (double)sb_f16_to_f32(h),
                      (double)sb_f16_to_f32((uint16_t)(h + 1)));
    for (uint16_t h = 0; h < 0x7f7f; h++)
        check_nearest(SB_BF16, h, (double)sb_bf16_to_f32(h),
                      (double)sb_bf16_to_f32((uint16_t)(h + 1)));
}

/* What has vectors in mind against what has not: floats of every exponent, sign and kind, and about
 * the middle between two halves. */
static void
check_narrow(uint32_t word)
{
    float f;

    memcpy(&f, &word, sizeof f);
    assert_int_equal(sb_f16_from_f32(f), store16(SB_F16, (double)f));
    assert_int_equal(sb_bf16_from_f32(f), store16(SB_BF16, (double)f));
}

static void
floats_narrow_as_doubles_do(void **state)
{
    (void)state;
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 1021)
        check_narrow((uint32_t)bits);
    for (uint32_t h = 0; h < 0xffff; h++) {
        const float lo = sb_f16_to_f32((uint16_t)h),
                    hi = sb_f16_to_f32((uint16_t)(h + 1));
        const float middle = lo / 2 + hi / 2;
        uint32_t word;

        memcpy(&word, &middle, sizeof word);
        for (uint32_t near = 0; near < 5; near++) {
            check_narrow(word + near - 2);
            check_narrow((h << 16 | 0x8000) + near - 2); /* bf16 */
        }
    }
}

static void
too_large_becomes_infinity(void **state)
{
    (void)state;
    assert_int_equal(store16(SB_F16, 65519.999), 0x7bff);
    assert_int_equal(store16(SB_F16, 65520.0), 0x7c00);
    assert_int_equal(store16(SB_F16, -1e300), 0xfc00);
    assert_int_equal(store16(SB_BF16, 0x1.ffp127), 0x7f80);
    assert_int_equal(store16(SB_F16, 5e-324), 0);
    assert_int_equal(store16(SB_BF16, -5e-324), 0x8000);
    assert_int_equal(store16(SB_F16, (double)INFINITY), 0x7c00);
    assert_true(isnan(sb_f16_to_f32(store16(SB_F16, (double)NAN))));
    assert_true(isnan(sb_bf16_to_f32(store16(SB_BF16, (double)NAN))));
}

static int64_t
store_int(sb_dtype t, double v)
{
    union {
        int8_t b;
        int16_t h;
        int32_t w;
        int64_t x;
    } u = {0};

    sb_value_store(t, &u, 0, (sb_value){v, 0.0});
    return t == SB_I8 ? u.b : t == SB_I16 ? u.h : t == SB_I32 ? u.w : u.x;
}

static void
integers_saturate(void **state)
{
    (void)state;
    assert_int_equal(store_int(SB_I8, 127.4), 127);
    assert_int_equal(store_int(SB_I8, 127.5), 127);
    assert_int_equal(store_int(SB_I8, -128.5), -128);
    assert_int_equal(store_int(SB_I8, -1e9), -128);
    assert_int_equal(store_int(SB_I8, 2.5), 2);
    assert_int_equal(store_int(SB_I8, 3.5), 4);
    assert_int_equal(store_int(SB_I16, 32767.5), INT16_MAX);
    assert_int_equal(store_int(SB_I16, -32768.4), INT16_MIN);
    assert_int_equal(store_int(SB_I32, 1e10), INT32_MAX);
    assert_int_equal(store_int(SB_I32, -(double)INFINITY), INT32_MIN);
    assert_int_equal(store_int(SB_I64, 0x1p63), INT64_MAX);
    assert_int_equal(store_int(SB_I64, -0x1p63), INT64_MIN);
    assert_int_equal(store_int(SB_I64, (double)NAN), 0);
}

static void
all_types_load_what_was_stored(void **state)
{
    (void)state;
    for (int t = 0; t < SB_DTYPE_COUNT; t++) {
        const bool complex = sb_dtype_is_complex((sb_dtype)t);
        _Alignas(16) unsigned char array[3 * 16] = {0};
        sb_value v;

        sb_value_store((sb_dtype)t, array, 1, (sb_value){1.0, complex ? -2.5 : 0.0});
        v = sb_value_load((sb_dtype)t, array, 1);
        assert_true(v.re == 1.0);
        assert_true(v.im == (complex ? -2.5 : 0.0));
        v = sb_value_load((sb_dtype)t, array, 0);
        assert_true(v.re == 0.0 && v.im == 0.0);
        v = sb_value_load((sb_dtype)t, array, 2);
        assert_true(v.re == 0.0 && v.im == 0.0);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table),
        cmocka_unit_test(magnitudes),
        cmocka_unit_test(every_half_returns),
        cmocka_unit_test(halves_have_their_value),
        cmocka_unit_test(floats_narrow_as_doubles_do),
        cmocka_unit_test(stores_round_once_to_nearest_even),
        cmocka_unit_test(too_large_becomes_infinity),
        cmocka_unit_test(integers_saturate),
        cmocka_unit_test(all_types_load_what_was_stored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
