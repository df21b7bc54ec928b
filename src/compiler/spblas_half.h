/*
 * 16-bit floats as 32-bit ones and back; part of spblas_kernel.h.
 */
#ifndef SPBLAS_HALF_H
#define SPBLAS_HALF_H

#include "compiler/spblas_vector.h"

#define SBK_HALF_ANY(n)                                   \
    SBK_FN sbk_f32x##n sbk_cvt_f16_f32x##n(sbk_f16x##n v) \
    {                                                     \
        sbk_f32x##n r = {0};                              \
        SBK_UNROLL                                        \
        for (int k = 0; k < (n); k++)                     \
            r[k] = sbk_cvt_f16_f32(v[k]);                 \
        return r;                                         \
    }                                                     \
    SBK_FN sbk_f16x##n sbk_cvt_f32_f16x##n(sbk_f32x##n v) \
    {                                                     \
        sbk_f16x##n r = {0};                              \
        SBK_UNROLL                                        \
        for (int k = 0; k < (n); k++)                     \
            r[k] = sbk_cvt_f32_f16(v[k]);                 \
        return r;                                         \
    }
#define SBK_HALF_X86(n, to, from, reg)                    \
    SBK_FN sbk_f32x##n sbk_cvt_f16_f32x##n(sbk_f16x##n v) \
    {                                                     \
        return (sbk_f32x##n)to((reg)v);                   \
    }                                                     \
    SBK_FN sbk_f16x##n sbk_cvt_f32_f16x##n(sbk_f32x##n v) \
    {                                                     \
        return (sbk_f16x##n)from(v, 0);                   \
    }
/* bf16 is the upper half of f32; rounding adds half of the dropped part, ties to even */
#define SBK_BRAIN(n, widened)                                                 \
    typedef uint32_t sbk_u32x##n __attribute__((vector_size(4 * (n))));       \
    SBK_FN sbk_f32x##n sbk_cvt_bf16_f32x##n(sbk_bf16x##n v)                   \
    {                                                                         \
        return (sbk_f32x##n)((sbk_u32x##n)widened(v, sbk_u32x##n) << 16);     \
    }                                                                         \
    SBK_FN sbk_bf16x##n sbk_cvt_f32_bf16x##n(sbk_f32x##n v)                   \
    {                                                                         \
        const sbk_u32x##n u = (sbk_u32x##n)v, nan = (sbk_u32x##n)(v != v);    \
        const sbk_u32x##n r = (u + 0x7fff + (u >> 16 & 1)) >> 16;             \
        return __builtin_convertvector((nan & (u >> 16 | 0x40)) | (~nan & r), \
                                       sbk_bf16x##n);                         \
    }
SBK_HALF_ANY(1)
SBK_HALF_ANY(2)
/* Registers by their instruction: gcc converts halves. */
#define SBK_WIDENED8(v, type) _mm256_cvtepu16_epi32((__m128i)(v))
#define SBK_WIDENED16(v, type) _mm512_cvtepu16_epi32((__m256i)(v))
SBK_BRAIN(1, __builtin_convertvector)
SBK_BRAIN(2, __builtin_convertvector)
SBK_BRAIN(4, __builtin_convertvector)
#if SBK_VBYTES >= 32
SBK_BRAIN(8, SBK_WIDENED8)
#endif
#if SBK_VBYTES >= 64
SBK_BRAIN(16, SBK_WIDENED16)
SBK_HALF_X86(16, _mm512_cvtph_ps, _mm512_cvtps_ph, __m256i)
#endif
#if defined(__F16C__)
SBK_FN sbk_f32x4
sbk_cvt_f16_f32x4(sbk_f16x4 v)
{
    int64_t bits;

    __builtin_memcpy(&bits, &v, sizeof bits);
    return (sbk_f32x4)_mm_cvtph_ps(_mm_cvtsi64_si128(bits));
}

SBK_FN sbk_f16x4
sbk_cvt_f32_f16x4(sbk_f32x4 v)
{
    const int64_t bits = _mm_cvtsi128_si64(_mm_cvtps_ph((__m128)v, 0));
    sbk_f16x4 r;

    __builtin_memcpy(&r, &bits, sizeof r);
    return r;
}

#else
SBK_HALF_ANY(4)
#endif
#if SBK_VBYTES >= 32 && defined(__F16C__)
SBK_HALF_X86(8, _mm256_cvtph_ps, _mm256_cvtps_ph, __m128i)
#elif SBK_VBYTES >= 32
SBK_HALF_ANY(8)
#endif

/* A pair of 16-bit floats as two of them */
#define SBK_HALF_PAIR_CVT(t, part, n, n2)                     \
    SBK_FN sbk_c32x##n sbk_cvt_##t##_c32x##n(sbk_##t##x##n v) \
    {                                                         \
        return (sbk_c32x##n)sbk_cvt_##part##_f32x##n2(v);     \
    }                                                         \
    SBK_FN sbk_##t##x##n sbk_cvt_c32_##t##x##n(sbk_c32x##n v) \
    {                                                         \
        return (sbk_##t##x##n)sbk_cvt_f32_##part##x##n2(v);   \
    }
#define SBK_HALF_PAIRS_CVT(n, n2)      \
    SBK_HALF_PAIR_CVT(c16, f16, n, n2) \
    SBK_HALF_PAIR_CVT(cbf16, bf16, n, n2)
SBK_HALF_PAIRS_CVT(1, 2)
SBK_HALF_PAIRS_CVT(2, 4)
#if SBK_VBYTES >= 32
SBK_HALF_PAIRS_CVT(4, 8)
#endif
#if SBK_VBYTES >= 64
SBK_HALF_PAIRS_CVT(8, 16)
#endif

#endif
