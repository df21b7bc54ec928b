/*
 * Loads of lanes that do not lie side by side; part of spblas_kernel.h. Of f32 and f64; ga, gam, gah
 * and gahm also of c32 and c64:
 *
 *   ga    p[q[k]], q an i32 array       gam   the same, first m of n lanes
 *   gah, gahm   the same, q an i16 array
 *   gal   the first m, 1 at least, of indices in registers
 *   pair  sums of neighbours, those of a and then those of b
 */
#ifndef SPBLAS_GATHER_H
#define SPBLAS_GATHER_H

#include "compiler/spblas_vector.h"

/* ---- gathers --------------------------------------------------------------------------- */

/* Whether the hardware's gather beats loads lane by lane is the machine's: Intel's does,
 * AMD's does not (docs/kernels.md, SpMV rules 1 and 2). Masked, it spares the lanes'
 * tests everywhere. */
#define SBK_GATHER_LANE(k) p[q[k]]
#define SBK_GATHER_LIVE(k) p[q[(k) < m ? (k) : m - 1]]
#define SBK_LANES1(f, k) f(k)
#define SBK_LANES2(f, k) SBK_LANES1(f, k), SBK_LANES1(f, (k) + 1)
#define SBK_LANES4(f, k) SBK_LANES2(f, k), SBK_LANES2(f, (k) + 2)
#define SBK_LANES8(f, k) SBK_LANES4(f, k), SBK_LANES4(f, (k) + 4)
#define SBK_LANES16(f, k) SBK_LANES8(f, k), SBK_LANES8(f, (k) + 8)
#define SBK_GATHER_LANES(t, elem, n, ga, index)                              \
    SBK_FN sbk_##t##x##n sbk_##ga##_##t##x##n(const elem *p, const index *q) \
    {                                                                        \
        return (sbk_##t##x##n){SBK_LANES##n(SBK_GATHER_LANE, 0)};            \
    }
#define SBK_GATHER_EACH(t, elem, n) \
    SBK_GATHER_LANES(t, elem, n, ga, int32_t) SBK_GATHER_LANES(t, elem, n, gah, int16_t)
/* Two indices by one load, for loads are what bounds it: 1.1 to 1.2 times as fast on Zen 4. */
SBK_FN int64_t
sbk_two_i32(const int32_t *q)
{
    int64_t two;

    __builtin_memcpy(&two, q, sizeof two);
    return two;
}

#define SBK_TWO1(k) p[(int32_t)sbk_two_i32(q + (k))], p[sbk_two_i32(q + (k)) >> 32]
#define SBK_TWO2(k) SBK_TWO1(k), SBK_TWO1((k) + 2)
#define SBK_TWO4(k) SBK_TWO2(k), SBK_TWO2((k) + 4)
#define SBK_TWO8(k) SBK_TWO4(k), SBK_TWO4((k) + 8)
/* Of 16 bits four: 1.1 times as fast there as one by one. */
SBK_FN int64_t
sbk_four_i16(const int16_t *q)
{
    int64_t four;

    __builtin_memcpy(&four, q, sizeof four);
    return four;
}

#define SBK_FOUR_AT(k, h) p[(int16_t)(sbk_four_i16(q + (k)) >> 16 * (h))]
#define SBK_FOUR2(k) \
    SBK_FOUR_AT(k, 0), SBK_FOUR_AT(k, 1), SBK_FOUR_AT(k, 2), SBK_FOUR_AT(k, 3)
#define SBK_FOUR4(k) SBK_FOUR2(k), SBK_FOUR2((k) + 4)
#define SBK_FOUR8(k) SBK_FOUR4(k), SBK_FOUR4((k) + 8)
#define SBK_GATHER_TWOS(t, elem, n, half)                                  \
    SBK_FN sbk_##t##x##n sbk_ga_##t##x##n(const elem *p, const int32_t *q) \
    {                                                                      \
        return (sbk_##t##x##n){SBK_TWO##half(0)};                          \
    }                                                                      \
    SBK_GATHER_SHORT(t, elem, n, half)
#define SBK_GATHER_SHORT(t, elem, n, half)                                  \
    SBK_FN sbk_##t##x##n sbk_gah_##t##x##n(const elem *p, const int16_t *q) \
    {                                                                       \
        return (sbk_##t##x##n){SBK_FOUR##half(0)};                          \
    }
#define SBK_GATHER_SOME(t, elem, n, ga, index)                                       \
    SBK_FN sbk_##t##x##n sbk_##ga##m_##t##x##n(const elem *p, const index *q, int m) \
    {                                                                                \
        const sbk_##t##x##n all = {SBK_LANES##n(SBK_GATHER_LIVE, 0)};                \
        return sbk_keep_##t##x##n(all, (sbk_##t##x##n){0}, m);                       \
    }
#define SBK_GATHER_FEW(t, elem, n) \
    SBK_GATHER_EACH(t, elem, n)    \
    SBK_GATHER_SOME(t, elem, n, ga, int32_t) SBK_GATHER_SOME(t, elem, n, gah, int16_t)
#define SBK_GATHER_ANY(t, elem, n, half) \
    SBK_GATHER_TWOS(t, elem, n, half)    \
    SBK_GATHER_SOME(t, elem, n, ga, int32_t) SBK_GATHER_SOME(t, elem, n, gah, int16_t)
/* Sixteen by their instruction: gcc converts halves. */
#define SBK_WIDEN4(v) __builtin_convertvector(v, sbk_i32x4)
#define SBK_WIDEN8(v) __builtin_convertvector(v, sbk_i32x8)
#define SBK_WIDEN16(v) (sbk_i32x16) _mm512_cvtepi16_epi32((__m256i)(v))
/* op: the masked gather, mask its mask type, ireg the register of the indices */
#define SBK_GATHER_HARD(t, elem, n, op, mask, ireg)                              \
    SBK_FN sbk_##t##x##n sbk_gak_##t##x##n(const elem *p, sbk_i32x##n i, mask k) \
    {                                                                            \
        return op((sbk_##t##x##n){0}, k, (ireg)i, p, sizeof(elem));              \
    }
#define SBK_GATHER_MASKED(t, elem, n, mask)                                         \
    SBK_FN sbk_##t##x##n sbk_gam_##t##x##n(const elem *p, const int32_t *q, int m)  \
    {                                                                               \
        return sbk_gak_##t##x##n(p, sbk_ldm_i32x##n(q, m), (mask)SBK_LOW(m));       \
    }                                                                               \
    SBK_FN sbk_##t##x##n sbk_gahm_##t##x##n(const elem *p, const int16_t *q, int m) \
    {                                                                               \
        return sbk_gak_##t##x##n(p, SBK_WIDEN##n(sbk_ldm_i16x##n(q, m)),            \
                                 (mask)SBK_LOW(m));                                 \
    }
#if SBK_VBYTES == 32 || (SBK_VBYTES >= 64 && !defined(SBK_FAST_GATHER))
/* Four elements whose indices two registers hold: a load and three insertions out of memory,
 * which compilers do not make of a literal. at: of indices that are not negative, which saves an
 * operation each; off: of any. */
#define SBK_GATHER_AT(name, half, word)                                         \
    SBK_FN sbk_f32x4 sbk_##name##_f32(const float *p, word lo, word hi)         \
    {                                                                           \
        sbk_f32x4 r = {p[(half)lo]};                                            \
        r[1] = p[lo >> 32];                                                     \
        r[2] = p[(half)hi];                                                     \
        r[3] = p[hi >> 32];                                                     \
        return r;                                                               \
    }                                                                           \
    SBK_FN sbk_f64x4 sbk_##name##_f64(const double *p, word lo, word hi)        \
    {                                                                           \
        return (sbk_f64x4){p[(half)lo], p[lo >> 32], p[(half)hi], p[hi >> 32]}; \
    }

SBK_GATHER_AT(at, uint32_t, uint64_t)
SBK_GATHER_AT(off, int32_t, int64_t)

/* Full vectors by fours, one after the other: all indices at once are more than there are
 * registers, and compilers move them to vector registers and back
 * (docs/measured/spmv-products.md, Sums of four lanes). */
#define SBK_GATHER_FOUR(t, elem)                                    \
    SBK_FN sbk_##t##x4 sbk_gat_##t(const elem *p, const int32_t *q) \
    {                                                               \
        int64_t lo = sbk_two_i32(q), hi = sbk_two_i32(q + 2);       \
        sbk_##t##x4 r;                                              \
        __asm__ volatile("" : "+r"(lo), "+r"(hi));                  \
        r = sbk_at_##t(p, (uint64_t)lo, (uint64_t)hi);              \
        __asm__ volatile("" : "+v"(r));                             \
        return r;                                                   \
    }

SBK_GATHER_FOUR(f32, float)
SBK_GATHER_FOUR(f64, double)

SBK_FN sbk_f32x8
sbk_ga_f32x8(const float *p, const int32_t *q)
{
    const __m128 lo = (__m128)sbk_gat_f32(p, q);

    return (sbk_f32x8)_mm256_set_m128((__m128)sbk_gat_f32(p, q + 4), lo);
}

#endif
#if defined(SBK_FAST_GATHER)
#define SBK_GATHER_FULL(t, elem, n, half, mask)                                 \
    SBK_FN sbk_##t##x##n sbk_ga_##t##x##n(const elem *p, const int32_t *q)      \
    {                                                                           \
        return sbk_gak_##t##x##n(p, sbk_ld_i32x##n(q), (mask)-1);               \
    }                                                                           \
    SBK_FN sbk_##t##x##n sbk_gah_##t##x##n(const elem *p, const int16_t *q)     \
    {                                                                           \
        return sbk_gak_##t##x##n(p, SBK_WIDEN##n(sbk_ld_i16x##n(q)), (mask)-1); \
    }
#define SBK_GATHER_FIRST SBK_GATHER_MASKED
#else
#if SBK_VBYTES >= 64
SBK_FN sbk_f32x4
sbk_ga_f32x4(const float *p, const int32_t *q)
{
    return (sbk_f32x4){SBK_TWO2(0)};
}

SBK_FN sbk_f32x16
sbk_ga_f32x16(const float *p, const int32_t *q)
{
    const __m512 lo = _mm512_castps256_ps512((__m256)sbk_ga_f32x8(p, q));

    return (sbk_f32x16)_mm512_insertf32x8(lo, (__m256)sbk_ga_f32x8(p, q + 8), 1);
}

SBK_FN sbk_f64x4
sbk_ga_f64x4(const double *p, const int32_t *q)
{
    return (sbk_f64x4){SBK_TWO2(0)};
}

SBK_FN sbk_f64x8
sbk_ga_f64x8(const double *p, const int32_t *q)
{
    const __m512d lo = _mm512_castpd256_pd512((__m256d)sbk_gat_f64(p, q));

    return (sbk_f64x8)_mm512_insertf64x4(lo, (__m256d)sbk_gat_f64(p, q + 4), 1);
}

/* Of 16 bits by halves: all columns at once are too many as well. */
SBK_GATHER_SHORT(f32, float, 4, 2)
SBK_GATHER_SHORT(f32, float, 8, 4)
SBK_GATHER_SHORT(f64, double, 4, 2)

SBK_FN sbk_f32x16
sbk_gah_f32x16(const float *p, const int16_t *q)
{
    const __m512 lo = _mm512_castps256_ps512((__m256)sbk_gah_f32x8(p, q));

    return (sbk_f32x16)_mm512_insertf32x8(lo, (__m256)sbk_gah_f32x8(p, q + 8), 1);
}

SBK_FN sbk_f64x8
sbk_gah_f64x8(const double *p, const int16_t *q)
{
    const __m512d lo = _mm512_castpd256_pd512((__m256d)sbk_gah_f64x4(p, q));

    return (sbk_f64x8)_mm512_insertf64x4(lo, (__m256d)sbk_gah_f64x4(p, q + 4), 1);
}

#define SBK_GATHER_FULL(t, elem, n, half, mask) /* above */
/* The first m of indices in registers, by fours as far as there are any, the others the first
 * one's: AMD's masked gather takes as long for one lane as for all
 * (docs/measured/spmv-products.md, Masked gathers on Zen 4). */
#define SBK_GATHER_QUAD(t, elem)                                                    \
    SBK_FN sbk_##t##x4 sbk_gaq_##t(const elem *p, __m128i i)                        \
    {                                                                               \
        int64_t lo = _mm_cvtsi128_si64(i), hi = _mm_extract_epi64(i, 1);            \
        __asm__("" : "+r"(lo), "+r"(hi)); /* else lanes are taken out one by one */ \
        return sbk_off_##t(p, lo, hi);                                              \
    }
#define SBK_FILLED(n, i, m) sbk_keep_i32x##n(i, sbk_splat_i32x##n((i)[0]), m)

SBK_GATHER_QUAD(f32, float)
SBK_GATHER_QUAD(f64, double)

SBK_FN __m256
sbk_two_quads(const float *p, __m256i i)
{
    const __m128 lo = (__m128)sbk_gaq_f32(p, _mm256_castsi256_si128(i));

    return _mm256_set_m128((__m128)sbk_gaq_f32(p, _mm256_extracti128_si256(i, 1)), lo);
}

SBK_FN sbk_f32x4
sbk_gal_f32x4(const float *p, sbk_i32x4 i, int m)
{
    return sbk_keep_f32x4(sbk_gaq_f32(p, (__m128i)SBK_FILLED(4, i, m)), (sbk_f32x4){0},
                          m);
}

SBK_FN sbk_f32x8
sbk_gal_f32x8(const float *p, sbk_i32x8 i, int m)
{
    const __m256i at = (__m256i)SBK_FILLED(8, i, m);
    const __m256 all =
        m <= 4
            ? _mm256_castps128_ps256((__m128)sbk_gaq_f32(p, _mm256_castsi256_si128(at)))
            : sbk_two_quads(p, at);

    return sbk_keep_f32x8((sbk_f32x8)all, (sbk_f32x8){0}, m);
}

SBK_FN sbk_f32x16
sbk_gal_f32x16(const float *p, sbk_i32x16 i, int m)
{
    const __m512i at = (__m512i)SBK_FILLED(16, i, m);
    __m512 all;

    if (m <= 4) {
        all =
            _mm512_castps128_ps512((__m128)sbk_gaq_f32(p, _mm512_castsi512_si128(at)));
    } else {
        all = _mm512_castps256_ps512(sbk_two_quads(p, _mm512_castsi512_si256(at)));
        if (m > 8)
            all = _mm512_insertf32x8(
                all, sbk_two_quads(p, _mm512_extracti64x4_epi64(at, 1)), 1);
    }
    return sbk_keep_f32x16((sbk_f32x16)all, (sbk_f32x16){0}, m);
}

SBK_FN sbk_f64x4
sbk_gal_f64x4(const double *p, sbk_i32x4 i, int m)
{
    return sbk_keep_f64x4(sbk_gaq_f64(p, (__m128i)SBK_FILLED(4, i, m)), (sbk_f64x4){0},
                          m);
}

SBK_FN sbk_f64x8
sbk_gal_f64x8(const double *p, sbk_i32x8 i, int m)
{
    const __m256i at = (__m256i)SBK_FILLED(8, i, m);
    const __m256d lo = (__m256d)sbk_gaq_f64(p, _mm256_castsi256_si128(at));
    __m512d all = _mm512_castpd256_pd512(lo);

    if (m > 4)
        all = _mm512_insertf64x4(
            all, (__m256d)sbk_gaq_f64(p, _mm256_extracti128_si256(at, 1)), 1);
    return sbk_keep_f64x8((sbk_f64x8)all, (sbk_f64x8){0}, m);
}

#define SBK_GATHER_FIRST(t, elem, n, mask)                                          \
    SBK_FN sbk_##t##x##n sbk_gam_##t##x##n(const elem *p, const int32_t *q, int m)  \
    {                                                                               \
        return sbk_gal_##t##x##n(p, sbk_ldm_i32x##n(q, m), m);                      \
    }                                                                               \
    SBK_FN sbk_##t##x##n sbk_gahm_##t##x##n(const elem *p, const int16_t *q, int m) \
    {                                                                               \
        return sbk_gal_##t##x##n(p, SBK_WIDEN##n(sbk_ldm_i16x##n(q, m)), m);        \
    }
#endif
#endif
#define SBK_GATHER_512(t, elem, n, half, op, mask, ireg) \
    SBK_GATHER_HARD(t, elem, n, op, mask, ireg)          \
    SBK_GATHER_FIRST(t, elem, n, mask)                   \
    SBK_GATHER_FULL(t, elem, n, half, mask)

/* Whether n lanes are all there are and loaded, gathered, as fast with a mask as without. */
#define SBK_LOAD_FREE(n, all) ((n) == (all) && (n) >= 4 && SBK_VBYTES >= 64)
#if defined(SBK_FAST_GATHER)
#define SBK_MASK_FREE(n, all) ((n) == (all) && (n) >= 4)
#else
#define SBK_MASK_FREE(n, all) 0
#endif
/* The same where more than the mask's lanes may be read: the product alone is masked. */
#define SBK_OPEN_FREE(n, all) ((n) == (all) && (n) >= 4)

SBK_GATHER_FEW(f32, float, 1)
SBK_GATHER_FEW(f32, float, 2)
SBK_GATHER_FEW(f64, double, 1)
SBK_GATHER_FEW(f64, double, 2)
#if SBK_VBYTES >= 64
SBK_GATHER_512(f32, float, 4, 2, _mm_mmask_i32gather_ps, __mmask8, __m128i)
SBK_GATHER_512(f32, float, 8, 4, _mm256_mmask_i32gather_ps, __mmask8, __m256i)
SBK_GATHER_512(f32, float, 16, 8, _mm512_mask_i32gather_ps, __mmask16, __m512i)
SBK_GATHER_512(f64, double, 4, 2, _mm256_mmask_i32gather_pd, __mmask8, __m128i)
SBK_GATHER_512(f64, double, 8, 4, _mm512_mask_i32gather_pd, __mmask8, __m256i)
#else
SBK_GATHER_ANY(f32, float, 4, 2)
#if SBK_VBYTES >= 32
SBK_GATHER_SHORT(f32, float, 8, 4)
SBK_GATHER_SOME(f32, float, 8, ga, int32_t)
SBK_GATHER_SOME(f32, float, 8, gah, int16_t)
SBK_GATHER_ANY(f64, double, 4, 2)
#endif
#endif

/* Pairs: of floats a double each, of doubles a register of 16 bytes each. */
#define SBK_GATHER_PAIRS(n, ga, index)                                              \
    SBK_FN sbk_c32x##n sbk_##ga##_c32x##n(const sbk_c32 *p, const index *q)         \
    {                                                                               \
        return (sbk_c32x##n)sbk_##ga##_f64x##n((const double *)(const void *)p, q); \
    }                                                                               \
    SBK_FN sbk_c32x##n sbk_##ga##m_c32x##n(const sbk_c32 *p, const index *q, int m) \
    {                                                                               \
        return (sbk_c32x##n)sbk_##ga##m_f64x##n((const double *)(const void *)p, q, \
                                                m);                                 \
    }
#define SBK_GATHER_WIDE_PAIRS(n, half, join, ga, index)                               \
    SBK_FN sbk_c64x##n sbk_##ga##_c64x##n(const sbk_c64 *p, const index *q)           \
    {                                                                                 \
        return join(sbk_##ga##_c64x##half(p, q), sbk_##ga##_c64x##half(p, q + half)); \
    }                                                                                 \
    SBK_FN sbk_c64x##n sbk_##ga##m_c64x##n(const sbk_c64 *p, const index *q, int m)   \
    {                                                                                 \
        return m <= half ? join(sbk_##ga##m_c64x##half(p, q, m), (sbk_c64x##half){0}) \
                         : join(sbk_##ga##_c64x##half(p, q),                          \
                                sbk_##ga##m_c64x##half(p, q + half, m - half));       \
    }
#define SBK_GATHER_ONE_PAIR(ga, index)                                          \
    SBK_FN sbk_c64x1 sbk_##ga##_c64x1(const sbk_c64 *p, const index *q)         \
    {                                                                           \
        return sbk_ld_c64x1(p + *q);                                            \
    }                                                                           \
    SBK_FN sbk_c64x1 sbk_##ga##m_c64x1(const sbk_c64 *p, const index *q, int m) \
    {                                                                           \
        (void)m; /* 1 */                                                        \
        return sbk_ld_c64x1(p + *q);                                            \
    }
#define SBK_GATHER_PAIRS_BOTH(n) \
    SBK_GATHER_PAIRS(n, ga, int32_t) SBK_GATHER_PAIRS(n, gah, int16_t)

SBK_GATHER_PAIRS_BOTH(1)
SBK_GATHER_PAIRS_BOTH(2)
SBK_GATHER_ONE_PAIR(ga, int32_t)
SBK_GATHER_ONE_PAIR(gah, int16_t)
#if SBK_VBYTES >= 32
#define SBK_JOIN_PAIRS2(a, b) (sbk_c64x2) _mm256_set_m128d((__m128d)(b), (__m128d)(a))

SBK_GATHER_PAIRS_BOTH(4)
SBK_GATHER_WIDE_PAIRS(2, 1, SBK_JOIN_PAIRS2, ga, int32_t)
SBK_GATHER_WIDE_PAIRS(2, 1, SBK_JOIN_PAIRS2, gah, int16_t)
#endif
#if SBK_VBYTES >= 64
#define SBK_JOIN_PAIRS4(a, b) \
    (sbk_c64x4)               \
        _mm512_insertf64x4(_mm512_castpd256_pd512((__m256d)(a)), (__m256d)(b), 1)

SBK_GATHER_PAIRS_BOTH(8)
SBK_GATHER_WIDE_PAIRS(4, 2, SBK_JOIN_PAIRS4, ga, int32_t)
SBK_GATHER_WIDE_PAIRS(4, 2, SBK_JOIN_PAIRS4, gah, int16_t)
#endif

/* ---- neighbours ---------------------------------------------------------------------- */

#if defined(__clang__)
#define SBK_STRIDE2(type, a, b, n, from, ...)                            \
    ({                                                                   \
        type r_ = a;                                                     \
        SBK_UNROLL                                                       \
        for (int k_ = 0; k_ < (n); k_++)                                 \
            r_[k_] = 2 * k_ + (from) < (n) ? a[(2 * k_ + (from)) % (n)]  \
                                           : b[(2 * k_ + (from)) - (n)]; \
        r_;                                                              \
    })
#else
#define SBK_STRIDE2(type, a, b, n, from, ...) \
    __builtin_shuffle(a, b, (type##_i){__VA_ARGS__} * 2 + (from))
#endif
#define SBK_PAIR(t, n)                                                        \
    SBK_FN sbk_##t##x##n sbk_pair_##t##x##n(sbk_##t##x##n a, sbk_##t##x##n b) \
    {                                                                         \
        return SBK_STRIDE2(sbk_##t##x##n, a, b, n, 0, SBK_IOTA##n) +          \
               SBK_STRIDE2(sbk_##t##x##n, a, b, n, 1, SBK_IOTA##n);           \
    }

SBK_PAIR(f32, 1)
SBK_PAIR(f32, 2)
SBK_PAIR(f32, 4)
SBK_PAIR(f64, 1)
SBK_PAIR(f64, 2)
#if SBK_VBYTES >= 32
SBK_PAIR(f32, 8)
SBK_PAIR(f64, 4)
#endif
#if SBK_VBYTES >= 64
SBK_PAIR(f32, 16)
SBK_PAIR(f64, 8)
#endif

#endif
