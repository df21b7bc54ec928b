/*
 * Lanes by a mask of bits; part of spblas_kernel.h. Of f32 and f64, m a word of bits:
 *
 *   lb    p[k] in lanes whose bit of m is set, 0 in the others
 *   ex    the next of p in such lanes, 0 in the others
 *   gab   p[i[k]] in such lanes, i in registers, 0 in the others
 *   tab   the same of `size` f32, a multiple of 32, all of them readable
 *   tabr  p[(l + k) * w / 16 * n + i[k]], n the elements of two of the longest registers
 *   sb    v in such lanes of i32, 0 in the others; adk: c + v, c in the others
 *   fmk   a * b + c in such lanes, c in the others
 *   fml   the same in the first m lanes
 *
 * AVX-512 has instructions for them. Registers of 32 bytes have masks told by signs and
 * permutations by a register: one table has both for each byte of bits
 * (docs/measured/spmv-masks.md, Masks on Zen 3).
 */
#ifndef SPBLAS_BITS_H
#define SPBLAS_BITS_H

#include "compiler/spblas_gather.h"

#define SBK_PICK_ANY(t, elem, n)                                                    \
    SBK_FN sbk_##t##x##n sbk_gab_##t##x##n(const elem *p, sbk_i32x##n i, int64_t m) \
    {                                                                               \
        elem at[n];                                                                 \
        SBK_UNROLL                                                                  \
        for (int k = 0; k < (n); k++)                                               \
            at[k] = m >> k & 1 ? p[i[k]] : (elem)0;                                 \
        return sbk_ld_##t##x##n(at);                                                \
    }
#define SBK_BITS_ANY(t, elem, n)                                    \
    SBK_FN sbk_##t##x##n sbk_lb_##t##x##n(const elem *p, int64_t m) \
    {                                                               \
        elem at[n];                                                 \
        SBK_UNROLL                                                  \
        for (int k = 0; k < (n); k++)                               \
            at[k] = m >> k & 1 ? p[k] : (elem)0;                    \
        return sbk_ld_##t##x##n(at);                                \
    }                                                               \
    SBK_FN sbk_##t##x##n sbk_ex_##t##x##n(const elem *p, int64_t m) \
    {                                                               \
        elem at[n];                                                 \
        SBK_UNROLL                                                  \
        for (int k = 0; k < (n); k++)                               \
            at[k] = m >> k & 1 ? p[sbk_ones(m, k)] : (elem)0;       \
        return sbk_ld_##t##x##n(at);                                \
    }                                                               \
    SBK_PICK_ANY(t, elem, n)
#define SBK_FMK_ANY(t, n)                                                    \
    SBK_FN sbk_##t##x##n sbk_fmk_##t##x##n(sbk_##t##x##n a, sbk_##t##x##n b, \
                                           sbk_##t##x##n c, int64_t m)       \
    {                                                                        \
        sbk_##t##x##n r = a * b + c;                                         \
        SBK_UNROLL                                                           \
        for (int k = 0; k < (n); k++)                                        \
            r[k] = m >> k & 1 ? r[k] : c[k];                                 \
        return r;                                                            \
    }
#define SBK_FML_ANY(t, n)                                                    \
    SBK_FN sbk_##t##x##n sbk_fml_##t##x##n(sbk_##t##x##n a, sbk_##t##x##n b, \
                                           sbk_##t##x##n c, int m)           \
    {                                                                        \
        return sbk_keep_##t##x##n(a * b + c, c, m);                          \
    }
/* AMD's expansion waits for what its register held before, though nothing of that stays: it
 * is given a fresh zero, which costs no time (docs/measured/spmv-masks.md, Masks on Zen
 * 4). */
#if defined(SBK_FAST_GATHER)
#define SBK_EXPAND_512(t, elem, n, pre, ep, mask)                   \
    SBK_FN sbk_##t##x##n sbk_ex_##t##x##n(const elem *p, int64_t m) \
    {                                                               \
        return pre##_maskz_expandloadu_##ep((mask)m, p);            \
    }
#else
#define SBK_EXPAND_512(t, elem, n, pre, ep, mask)                   \
    SBK_FN sbk_##t##x##n sbk_ex_##t##x##n(const elem *p, int64_t m) \
    {                                                               \
        sbk_##t##x##n fresh = {0};                                  \
        __asm__("" : "+v"(fresh)); /* else it is left out again */  \
        return pre##_mask_expandloadu_##ep(fresh, (mask)m, p);      \
    }
#endif
#define SBK_BITS_512(t, elem, n, pre, ep, mask)                                     \
    SBK_FN sbk_##t##x##n sbk_lb_##t##x##n(const elem *p, int64_t m)                 \
    {                                                                               \
        return pre##_maskz_loadu_##ep((mask)m, p);                                  \
    }                                                                               \
    SBK_EXPAND_512(t, elem, n, pre, ep, mask)                                       \
    SBK_FN sbk_##t##x##n sbk_gab_##t##x##n(const elem *p, sbk_i32x##n i, int64_t m) \
    {                                                                               \
        return sbk_gak_##t##x##n(p, i, (mask)m);                                    \
    }                                                                               \
    SBK_FN sbk_##t##x##n sbk_fmk_##t##x##n(sbk_##t##x##n a, sbk_##t##x##n b,        \
                                           sbk_##t##x##n c, int64_t m)              \
    {                                                                               \
        return pre##_mask3_fmadd_##ep(a, b, c, (mask)m);                            \
    }                                                                               \
    SBK_FN sbk_##t##x##n sbk_fml_##t##x##n(sbk_##t##x##n a, sbk_##t##x##n b,        \
                                           sbk_##t##x##n c, int m)                  \
    {                                                                               \
        return sbk_fmk_##t##x##n(a, b, c, SBK_LOW(m));                              \
    }

/* ---- registers of 32 bytes ------------------------------------------------------------- */

#if SBK_VBYTES == 32

/* Where lane k takes its element from: the bits of m below it, with the sign that a mask is told
 * by; a lane without a bit the last element, where then nothing was loaded. */
#define SBK_PLACE(m, k) \
    (((m) >> (k)&1 ? 0x80 | __builtin_popcount((m) & ((1 << (k)) - 1)) : 7) & 0xff)
#define SBK_PLACES(m)                                                          \
    {                                                                          \
        SBK_PLACE(m, 0), SBK_PLACE(m, 1), SBK_PLACE(m, 2), SBK_PLACE(m, 3),    \
            SBK_PLACE(m, 4), SBK_PLACE(m, 5), SBK_PLACE(m, 6), SBK_PLACE(m, 7) \
    }
/* ... of doubles as pairs of words. */
#define SBK_PAIR_PLACE(m, k)                                                      \
    ((m) >> (k)&1 ? 0x80 | (2 * __builtin_popcount((m) & ((1 << (k)) - 1))) : 6), \
        ((m) >> (k)&1 ? 0x81 | (2 * __builtin_popcount((m) & ((1 << (k)) - 1))) : 7)
#define SBK_PAIR_PLACES(m)                                                \
    {                                                                     \
        SBK_PAIR_PLACE(m, 0), SBK_PAIR_PLACE(m, 1), SBK_PAIR_PLACE(m, 2), \
            SBK_PAIR_PLACE(m, 3)                                          \
    }
#define SBK_TABLE4(f, m) f(m), f((m) + 1), f((m) + 2), f((m) + 3)
#define SBK_TABLE16(f, m)                                             \
    SBK_TABLE4(f, m), SBK_TABLE4(f, (m) + 4), SBK_TABLE4(f, (m) + 8), \
        SBK_TABLE4(f, (m) + 12)
#define SBK_TABLE64(f, m)                                                  \
    SBK_TABLE16(f, m), SBK_TABLE16(f, (m) + 16), SBK_TABLE16(f, (m) + 32), \
        SBK_TABLE16(f, (m) + 48)
static const uint8_t sbk_places_8[256][8] SBK_UNUSED = {
    SBK_TABLE64(SBK_PLACES, 0), SBK_TABLE64(SBK_PLACES, 64),
    SBK_TABLE64(SBK_PLACES, 128), SBK_TABLE64(SBK_PLACES, 192)};
static const uint8_t sbk_places_4[16][8] SBK_UNUSED = {SBK_TABLE16(SBK_PAIR_PLACES, 0)};
/* As many ones as there are bits, from [lanes - bits] on. */
static const int32_t sbk_first_8[16] SBK_UNUSED = {-1, -1, -1, -1, -1, -1, -1, -1};
static const int64_t sbk_first_4[8] SBK_UNUSED = {-1, -1, -1, -1};

SBK_FN __m256i
sbk_places_f32x8(int64_t m)
{
    return _mm256_cvtepi8_epi32(
        _mm_loadl_epi64((const __m128i *)(const void *)sbk_places_8[m & 255]));
}

SBK_FN __m256i
sbk_places_f64x4(int64_t m)
{
    return _mm256_cvtepi8_epi32(
        _mm_loadl_epi64((const __m128i *)(const void *)sbk_places_4[m & 15]));
}

SBK_FN __m256i
sbk_places_i32x8(int64_t m)
{
    return _mm256_srai_epi32(sbk_places_f32x8(m), 31);
}

/* word: an integer of the element's size */
#define SBK_BITS_256(t, elem, word, n, ep, ireg)                                      \
    SBK_FN sbk_##t##x##n sbk_lb_##t##x##n(const elem *p, int64_t m)                   \
    {                                                                                 \
        return (sbk_##t##x##n)_mm256_maskload_##ep(p, sbk_places_##t##x##n(m));       \
    }                                                                                 \
    SBK_FN sbk_##t##x##n sbk_ex_##t##x##n(const elem *p, int64_t m)                   \
    {                                                                                 \
        const word *const first = sbk_first_##n + (n)-sbk_ones(m, n);                 \
        const __m256i in = _mm256_loadu_si256((const __m256i *)(const void *)first);  \
        return (sbk_##t##x##n)_mm256_permutevar8x32_ps(                               \
            (__m256)_mm256_maskload_##ep(p, in), sbk_places_##t##x##n(m));            \
    }                                                                                 \
    SBK_FN sbk_##t##x##n sbk_gab_##t##x##n(const elem *p, sbk_i32x##n i, int64_t m)   \
    {                                                                                 \
        return (sbk_##t##x##n)_mm256_mask_i32gather_##ep(                             \
            _mm256_setzero_##ep(), p, (ireg)i, SBK_REG_##ep(sbk_places_##t##x##n(m)), \
            sizeof(elem));                                                            \
    }                                                                                 \
    SBK_FN sbk_##t##x##n sbk_fmk_##t##x##n(sbk_##t##x##n a, sbk_##t##x##n b,          \
                                           sbk_##t##x##n c, int64_t m)                \
    {                                                                                 \
        const sbk_##t##x##n all = a * b + c;                                          \
        return (sbk_##t##x##n)_mm256_blendv_##ep(                                     \
            SBK_REG_##ep(c), SBK_REG_##ep(all),                                       \
            SBK_REG_##ep(sbk_places_##t##x##n(m)));                                   \
    }
#define SBK_REG_ps(v) ((__m256)(v))
#define SBK_REG_pd(v) ((__m256d)(v))

#endif

SBK_BITS_ANY(f32, float, 1)
SBK_FMK_ANY(f32, 1)
SBK_FML_ANY(f32, 1)
SBK_BITS_ANY(f32, float, 2)
SBK_FMK_ANY(f32, 2)
SBK_FML_ANY(f32, 2)
SBK_BITS_ANY(f64, double, 1)
SBK_FMK_ANY(f64, 1)
SBK_FML_ANY(f64, 1)
SBK_BITS_ANY(f64, double, 2)
SBK_FMK_ANY(f64, 2)
SBK_FML_ANY(f64, 2)
#if SBK_VBYTES >= 64
SBK_BITS_512(f32, float, 4, _mm, ps, __mmask8)
SBK_BITS_512(f32, float, 8, _mm256, ps, __mmask8)
SBK_BITS_512(f32, float, 16, _mm512, ps, __mmask16)
SBK_BITS_512(f64, double, 4, _mm256, pd, __mmask8)
SBK_BITS_512(f64, double, 8, _mm512, pd, __mmask8)
#else
SBK_BITS_ANY(f32, float, 4)
SBK_FMK_ANY(f32, 4)
SBK_FML_ANY(f32, 4)
#if SBK_VBYTES >= 32
SBK_BITS_256(f32, float, int32_t, 8, ps, __m256i)
SBK_FML_ANY(f32, 8)
SBK_BITS_256(f64, double, int64_t, 4, pd, __m128i)
SBK_FML_ANY(f64, 4)
#endif
#endif

#define SBK_TABLE_ANY(n)                                                        \
    SBK_FN sbk_f32x##n sbk_tab_f32x##n(const float *p, int size, sbk_i32x##n i, \
                                       int64_t m)                               \
    {                                                                           \
        (void)size;                                                             \
        return sbk_gab_f32x##n(p, i, m);                                        \
    }
#define SBK_RANGE_ANY(t, elem, n)                                                    \
    SBK_FN sbk_##t##x##n sbk_tabr_##t##x##n(const elem *p, int w, int64_t l,         \
                                            sbk_i32x##n i, int64_t m)                \
    {                                                                                \
        elem at[n];                                                                  \
        SBK_UNROLL                                                                   \
        for (int k = 0; k < (n); k++)                                                \
            at[k] = m >> k & 1                                                       \
                        ? p[(l + k) * w / 16 * (int64_t)(128 / sizeof(elem)) + i[k]] \
                        : (elem)0;                                                   \
        return sbk_ld_##t##x##n(at);                                                 \
    }
#define SBK_SPLAT_ANY(n)                                    \
    SBK_FN sbk_i32x##n sbk_sb_i32x##n(int32_t v, int64_t m) \
    {                                                       \
        sbk_i32x##n r;                                      \
        SBK_UNROLL                                          \
        for (int k = 0; k < (n); k++)                       \
            r[k] = m >> k & 1 ? v : 0;                      \
        return r;                                           \
    }

SBK_TABLE_ANY(1)
SBK_TABLE_ANY(2)
SBK_TABLE_ANY(4)
SBK_RANGE_ANY(f32, float, 1)
SBK_RANGE_ANY(f32, float, 2)
SBK_RANGE_ANY(f32, float, 4)
SBK_RANGE_ANY(f64, double, 1)
SBK_RANGE_ANY(f64, double, 2)
SBK_SPLAT_ANY(1)
SBK_SPLAT_ANY(2)
SBK_SPLAT_ANY(4)
#if SBK_VBYTES >= 32
SBK_TABLE_ANY(8)
SBK_RANGE_ANY(f32, float, 8)
SBK_RANGE_ANY(f64, double, 4)
#endif
#if SBK_VBYTES >= 64
SBK_FN sbk_i32x8
sbk_sb_i32x8(int32_t v, int64_t m)
{
    return (sbk_i32x8)_mm256_maskz_set1_epi32((__mmask8)m, v);
}

SBK_FN sbk_i32x16
sbk_sb_i32x16(int32_t v, int64_t m)
{
    return (sbk_i32x16)_mm512_maskz_set1_epi32((__mmask16)m, v);
}

/* Two registers of the table at a time; the loads leave the loop that looks up. */
SBK_FN sbk_f32x16
sbk_tab_f32x16(const float *p, int size, sbk_i32x16 i, int64_t m)
{
    const __m512i at = (__m512i)i;
    const __mmask16 k = (__mmask16)m;
    __m512 r = _mm512_maskz_permutex2var_ps(k, _mm512_loadu_ps(p), at,
                                            _mm512_loadu_ps(p + 16));

    SBK_UNROLL
    for (int s = 32; s < size; s += 32)
        r = _mm512_mask_mov_ps(
            r, _mm512_mask_cmpge_epi32_mask(k, at, _mm512_set1_epi32(s)),
            _mm512_permutex2var_ps(_mm512_loadu_ps(p + s), at,
                                   _mm512_loadu_ps(p + s + 16)));
    return (sbk_f32x16)r;
}

/* What a lane is given takes the place of its index, so nothing is blended; what looks beyond
 * its registers is a lane without a bit. */
#define SBK_RANGE_FIRST(s, w) (((s)*16 + (w)-1) / (w))
#define SBK_BELOW(k) ((1U << (k)) - 1)
SBK_FN sbk_f32x16
sbk_tabr_f32x16(const float *p, int w, int64_t l, sbk_i32x16 i, int64_t m)
{
    __m512 v = (__m512)i;

    (void)l; /* 0 */
    SBK_UNROLL
    for (int s = 0; s < w; s++)
        v = _mm512_mask2_permutex2var_ps(
            _mm512_loadu_ps(p + s * 32), (__m512i)v,
            (__mmask16)(SBK_BELOW(SBK_RANGE_FIRST(s + 1, w)) &
                        ~SBK_BELOW(SBK_RANGE_FIRST(s, w))),
            _mm512_loadu_ps(p + s * 32 + 16));
    return (sbk_f32x16)_mm512_maskz_mov_ps((__mmask16)m, v);
}

SBK_FN sbk_f64x8
sbk_tabr_f64x8(const double *p, int w, int64_t l, sbk_i32x8 i, int64_t m)
{
    const double *t = p + l * w;
    __m512d v = (__m512d)_mm512_cvtepi32_epi64((__m256i)i);

    SBK_UNROLL
    for (int s = 0; s < w / 2; s++)
        v = _mm512_mask2_permutex2var_pd(
            _mm512_loadu_pd(t + s * 16), (__m512i)v,
            (__mmask8)(SBK_BELOW(SBK_RANGE_FIRST(s + 1, w)) &
                       ~SBK_BELOW(SBK_RANGE_FIRST(s, w))),
            _mm512_loadu_pd(t + s * 16 + 8));
    return (sbk_f64x8)_mm512_maskz_mov_pd((__mmask8)m, v);
}
#elif SBK_VBYTES >= 32
SBK_FN sbk_i32x8
sbk_sb_i32x8(int32_t v, int64_t m)
{
    return (sbk_i32x8)_mm256_and_si256(_mm256_set1_epi32(v), sbk_places_i32x8(m));
}
#endif

#define SBK_ADK_ANY(n)                                                      \
    SBK_FN sbk_i32x##n sbk_adk_i32x##n(sbk_i32x##n c, int32_t v, int64_t m) \
    {                                                                       \
        return c + sbk_sb_i32x##n(v, m);                                    \
    }

SBK_ADK_ANY(1)
SBK_ADK_ANY(2)
SBK_ADK_ANY(4)
#if SBK_VBYTES >= 64 && !defined(SBK_FAST_GATHER)
SBK_FN sbk_i32x8
sbk_adk_i32x8(sbk_i32x8 c, int32_t v, int64_t m)
{
    return (sbk_i32x8)_mm256_mask_add_epi32((__m256i)c, (__mmask8)m, (__m256i)c,
                                            _mm256_set1_epi32(v));
}

SBK_FN sbk_i32x16
sbk_adk_i32x16(sbk_i32x16 c, int32_t v, int64_t m)
{
    return (sbk_i32x16)_mm512_mask_add_epi32((__m512i)c, (__mmask16)m, (__m512i)c,
                                             _mm512_set1_epi32(v));
}
#elif SBK_VBYTES >= 32
SBK_ADK_ANY(8)
#if SBK_VBYTES >= 64
SBK_ADK_ANY(16)
#endif
#endif

#endif
