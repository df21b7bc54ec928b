/*
 * Element types and their conversions. Doubles are narrowed to the 16-bit floats in one generic
 * routine, so that every store rounds exactly once; floats in half.h.
 */
#include "base/dtype.h"

#include "base/half.h"

#include <math.h>
#include <string.h>

typedef struct dtype_row {
    const char *name;
    size_t bytes;
    char cls;
    sb_dtype sum;
} dtype_row;

static const dtype_row rows[] = {
#define X(name, text, bytes, cls, sum) {text, bytes, #cls[0], SB_##sum},
#include "base/dtype.def"
#undef X
};

static char
class_of(sb_dtype t)
{
    return (unsigned)t < SB_DTYPE_COUNT ? rows[t].cls : '?';
}

size_t
sb_dtype_size(sb_dtype t)
{
    return (unsigned)t < SB_DTYPE_COUNT ? rows[t].bytes : 0;
}

const char *
sb_dtype_name(sb_dtype t)
{
    return (unsigned)t < SB_DTYPE_COUNT ? rows[t].name : "?";
}

sb_dtype
sb_dtype_parse(const char *s, size_t len)
{
    int t = 0;

    while (t < SB_DTYPE_COUNT &&
           (strlen(rows[t].name) != len || memcmp(rows[t].name, s, len) != 0))
        t++;
    return (sb_dtype)t;
}

bool
sb_dtype_is_int(sb_dtype t)
{
    return class_of(t) == 'I';
}

bool
sb_dtype_is_real(sb_dtype t)
{
    return class_of(t) == 'F';
}

bool
sb_dtype_is_complex(sb_dtype t)
{
    return class_of(t) == 'C';
}

bool
sb_dtype_is_storage(sb_dtype t)
{
    return sb_dtype_sum(t) != t;
}

bool
sb_dtype_is_half(sb_dtype t)
{
    return sb_dtype_is_storage(t) && !sb_dtype_is_int(t);
}

sb_dtype
sb_dtype_sum(sb_dtype t)
{
    return (unsigned)t < SB_DTYPE_COUNT ? rows[t].sum : t;
}

uint64_t
sb_dtype_magnitude(sb_dtype t)
{
    const size_t part = sb_dtype_size(t) / (sb_dtype_is_complex(t) ? 2 : 1);

    if (!sb_dtype_is_real(t) && !sb_dtype_is_complex(t))
        return UINT64_MAX;
    return part == 2   ? UINT64_C(0x7fff7fff7fff7fff)
           : part == 4 ? UINT64_C(0x7fffffff7fffffff)
                       : UINT64_C(0x7fffffffffffffff);
}

/* x / 2^by, ties to even; by in [1, 63]. */
static uint64_t
shift_round(uint64_t x, int by)
{
    const uint64_t half = UINT64_C(1) << (by - 1);
    const uint64_t rest = x & (2 * half - 1);
    const uint64_t q = x >> by;

    return q + (rest > half || (rest == half && (q & 1)));
}

/* Round a double to a 16-bit float with mbits mantissa bits (the rest are sign and
 * exponent). A carry out of the mantissa runs into the exponent, as it should, up to
 * infinity. */
static uint16_t
narrow(double v, int mbits)
{
    const int ebits = 15 - mbits;
    const int bias = (1 << (ebits - 1)) - 1;
    const uint16_t inf = (uint16_t)(((1u << ebits) - 1) << mbits);
    uint64_t bits, mant, r;
    uint16_t sign;
    int e;

    memcpy(&bits, &v, sizeof bits);
    sign = (uint16_t)(bits >> 48 & 0x8000);
    mant = bits & ((UINT64_C(1) << 52) - 1);
    e = (int)(bits >> 52 & 0x7ff) - 1023 + bias;
    if (isnan(v)) /* keep the leading payload bits, and be quiet */
        return (uint16_t)(sign | inf | 1u << (mbits - 1) | mant >> (52 - mbits));
    if (e >= (1 << ebits) - 1)
        return sign | inf;
    if (e > 0)
        r = shift_round((uint64_t)e << 52 | mant, 52 - mbits);
    else if (e > -mbits - 1) /* subnormal: the hidden one becomes visible */
        r = shift_round(UINT64_C(1) << 52 | mant, 52 - mbits + 1 - e);
    else
        r = 0;
    return (uint16_t)(sign | r);
}

float
sb_f16_to_f32(uint16_t h)
{
    return sb_half_widen_f16(h);
}

uint16_t
sb_f16_from_f32(float f)
{
    return sb_half_narrow_f16(f);
}

float
sb_bf16_to_f32(uint16_t h)
{
    return sb_half_widen_bf16(h);
}

uint16_t
sb_bf16_from_f32(float f)
{
    return sb_half_narrow_bf16(f);
}

/* Part k of an array of 16-bit floats, or of pairs of them. */
static double
half_at(sb_dtype t, const void *array, int64_t k)
{
    const uint16_t h = ((const uint16_t *)array)[k];

    return (double)(t == SB_F16 || t == SB_C16 ? sb_f16_to_f32(h) : sb_bf16_to_f32(h));
}

static uint16_t
half_of(sb_dtype t, double v)
{
    return narrow(v, t == SB_F16 || t == SB_C16 ? 10 : 7);
}

sb_value
sb_value_load(sb_dtype t, const void *array, int64_t index)
{
    switch (t) {
    case SB_BOOL:
        return (sb_value){((const uint8_t *)array)[index] != 0, 0.0};
    case SB_I8:
        return (sb_value){((const int8_t *)array)[index], 0.0};
    case SB_I16:
        return (sb_value){((const int16_t *)array)[index], 0.0};
    case SB_I32:
        return (sb_value){((const int32_t *)array)[index], 0.0};
    case SB_I64:
        return (sb_value){(double)((const int64_t *)array)[index], 0.0};
    case SB_F16:
    case SB_BF16:
        return (sb_value){half_at(t, array, index), 0.0};
    case SB_C16:
    case SB_CBF16:
        return (sb_value){half_at(t, array, 2 * index),
                          half_at(t, array, 2 * index + 1)};
    case SB_F32:
        return (sb_value){(double)((const float *)array)[index], 0.0};
    case SB_F64:
        return (sb_value){((const double *)array)[index], 0.0};
    case SB_C32:
        return (sb_value){(double)((const float *)array)[2 * index],
                          (double)((const float *)array)[2 * index + 1]};
    case SB_C64:
        return (sb_value){((const double *)array)[2 * index],
                          ((const double *)array)[2 * index + 1]};
    case SB_DTYPE_COUNT:
        break;
    }
    return (sb_value){0.0, 0.0};
}

/* Nearest integer, ties to even, held inside [lo, hi); NaN becomes 0. The bounds are
 * powers of two, so hi itself is exact and is answered with hi - 1 by the caller. */
static int64_t
to_int(double v, double lo, double hi, int64_t max)
{
    if (isnan(v))
        return 0;
    v = rint(v);
    return v < lo ? (int64_t)lo : v >= hi ? max : (int64_t)v;
}

void
sb_value_store(sb_dtype t, void *array, int64_t index, sb_value v)
{
    switch (t) {
    case SB_BOOL:
        ((uint8_t *)array)[index] = v.re != 0.0 || v.im != 0.0;
        break;
    case SB_I8:
        ((int8_t *)array)[index] = (int8_t)to_int(v.re, -0x1p7, 0x1p7, INT8_MAX);
        break;
    case SB_I16:
        ((int16_t *)array)[index] = (int16_t)to_int(v.re, -0x1p15, 0x1p15, INT16_MAX);
        break;
    case SB_I32:
        ((int32_t *)array)[index] = (int32_t)to_int(v.re, -0x1p31, 0x1p31, INT32_MAX);
        break;
    case SB_I64:
        ((int64_t *)array)[index] = to_int(v.re, -0x1p63, 0x1p63, INT64_MAX);
        break;
    case SB_F16:
    case SB_BF16:
        ((uint16_t *)array)[index] = half_of(t, v.re);
        break;
    case SB_C16:
    case SB_CBF16:
        ((uint16_t *)array)[2 * index] = half_of(t, v.re);
        ((uint16_t *)array)[2 * index + 1] = half_of(t, v.im);
        break;
    case SB_F32:
        ((float *)array)[index] = (float)v.re;
        break;
    case SB_F64:
        ((double *)array)[index] = v.re;
        break;
    case SB_C32:
        ((float *)array)[2 * index] = (float)v.re;
        ((float *)array)[2 * index + 1] = (float)v.im;
        break;
    case SB_C64:
        ((double *)array)[2 * index] = v.re;
        ((double *)array)[2 * index + 1] = v.im;
        break;
    case SB_DTYPE_COUNT:
        break;
    }
}
