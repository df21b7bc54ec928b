/*
 * 16-bit floats widened and narrowed without branches, so that a loop of them is one of vectors.
 * Rounded to nearest, ties to even; a NaN stays one with its leading bits, and what is narrowed is
 * quiet.
 */
#ifndef SB_BASE_HALF_H
#define SB_BASE_HALF_H

#include <stdint.h>
#include <string.h>

static inline uint32_t
sb_half_bits(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static inline float
sb_half_float(uint32_t bits)
{
    float f;

    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline float
sb_half_widen_f16(uint16_t h)
{
    const uint32_t sign = (uint32_t)(h & 0x8000) << 16, m = h & 0x7fff;
    const uint32_t wide = (m << 13) + (m < 0x7c00 ? 112u << 23 : 224u << 23);
    const uint32_t small = sb_half_bits((float)(int32_t)m * 0x1p-24f); /* exact */

    return sb_half_float((m < 0x400 ? small : wide) | sign);
}

static inline float
sb_half_widen_bf16(uint16_t h)
{
    return sb_half_float((uint32_t)h << 16);
}

static inline uint16_t
sb_half_narrow_f16(float f)
{
    const uint32_t bits = sb_half_bits(f), sign = bits >> 16 & 0x8000;
    const uint32_t m = bits & 0x7fffffff;
    /* a carry runs into the exponent, up to infinity */
    const uint32_t even = (m + 0xfff + (m >> 13 & 1)) >> 13;
    const uint32_t wide = even < 0x7c00u + (112u << 10) ? even - (112u << 10) : 0x7c00;
    /* beside a half units are 2^-24 */
    const uint32_t small = sb_half_bits(sb_half_float(m) + 0.5f) - sb_half_bits(0.5f);
    const uint32_t nan = 0x7e00 | (m >> 13 & 0x3ff);

    return (uint16_t)(sign | (m > 0x7f800000 ? nan : m < 113u << 23 ? small : wide));
}

static inline uint16_t
sb_half_narrow_bf16(float f)
{
    const uint32_t bits = sb_half_bits(f);
    const uint32_t even = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;

    return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? bits >> 16 | 0x40 : even);
}

#endif
