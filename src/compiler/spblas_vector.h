/*
 * The vectors of emitted kernels; part of spblas_kernel.h, split off for its length.
 *
 * A vector of n elements of IR type t is sbk_<t>x<n>; SBK_V(name, n) pastes a name to a
 * lane count that is itself a macro. A complex vector holds n pairs (re, im) in 2 n
 * lanes.
 *
 *   ld st         contiguous, any alignment          ldm stm   first m of n lanes
 *   lds sts       elements `step` apart              ldsm stsm the same, first m lanes
 *   nt            store past the cache where aligned  splat    one value in all lanes
 *   cvt           16-bit floats                      get      one complex lane
 *   keep          lanes below m of a, others of b    down     lanes h lower
 */
#ifndef SPBLAS_VECTOR_H
#define SPBLAS_VECTOR_H

#include "compiler/spblas_kernel.h"

#define SBK_REP1(...) __VA_ARGS__
#define SBK_REP2(...) SBK_REP1(__VA_ARGS__), SBK_REP1(__VA_ARGS__)
#define SBK_REP4(...) SBK_REP2(__VA_ARGS__), SBK_REP2(__VA_ARGS__)
#define SBK_REP8(...) SBK_REP4(__VA_ARGS__), SBK_REP4(__VA_ARGS__)
#define SBK_REP16(...) SBK_REP8(__VA_ARGS__), SBK_REP8(__VA_ARGS__)

#define SBK_IOTA1 0
#define SBK_IOTA2 0, 1
#define SBK_IOTA4 0, 1, 2, 3
#define SBK_IOTA8 0, 1, 2, 3, 4, 5, 6, 7
#define SBK_IOTA16 SBK_IOTA8, 8, 9, 10, 11, 12, 13, 14, 15

/* Memory operations of n elements of `real`, `per` lanes each; elem is the element as
 * the kernel sees it in memory. */
#define SBK_MEM(t, elem, real, n, per)                                               \
    typedef real sbk_##t##x##n                                                       \
        __attribute__((vector_size(sizeof(real) * (n) * (per))));                    \
    typedef real sbk_##t##x##n##_u __attribute__((                                   \
        vector_size(sizeof(real) * (n) * (per)), aligned(sizeof(real)), may_alias)); \
    SBK_FN sbk_##t##x##n sbk_ld_##t##x##n(const elem *p)                             \
    {                                                                                \
        return *(const sbk_##t##x##n##_u *)(const void *)p;                          \
    }                                                                                \
    SBK_FN void sbk_st_##t##x##n(elem *p, sbk_##t##x##n v)                           \
    {                                                                                \
        *(sbk_##t##x##n##_u *)(void *)p = v;                                         \
    }                                                                                \
    SBK_FN sbk_##t##x##n sbk_lds_##t##x##n(const elem *p, int64_t step)              \
    {                                                                                \
        elem at[n];                                                                  \
        SBK_UNROLL                                                                   \
        for (int k = 0; k < (n); k++)                                                \
            at[k] = p[k * step];                                                     \
        return sbk_ld_##t##x##n(at);                                                 \
    }                                                                                \
    SBK_FN sbk_##t##x##n sbk_ldsm_##t##x##n(const elem *p, int64_t step, int m)      \
    {                                                                                \
        elem at[n];                                                                  \
        __builtin_memset(at, 0, sizeof at);                                          \
        for (int k = 0; k < m; k++)                                                  \
            at[k] = p[k * step];                                                     \
        return sbk_ld_##t##x##n(at);                                                 \
    }                                                                                \
    SBK_FN void sbk_sts_##t##x##n(elem *p, int64_t step, sbk_##t##x##n v)            \
    {                                                                                \
        elem at[n];                                                                  \
        sbk_st_##t##x##n(at, v);                                                     \
        SBK_UNROLL                                                                   \
        for (int k = 0; k < (n); k++)                                                \
            p[k * step] = at[k];                                                     \
    }                                                                                \
    SBK_FN void sbk_stsm_##t##x##n(elem *p, int64_t step, sbk_##t##x##n v, int m)    \
    {                                                                                \
        elem at[n];                                                                  \
        sbk_st_##t##x##n(at, v);                                                     \
        for (int k = 0; k < m; k++)                                                  \
            p[k * step] = at[k];                                                     \
    }                                                                                \
    SBK_FN sbk_##t##x##n sbk_ldm_any_##t##x##n(const elem *p, int m)                 \
    {                                                                                \
        return sbk_ldsm_##t##x##n(p, 1, m);                                          \
    }                                                                                \
    SBK_FN void sbk_stm_any_##t##x##n(elem *p, sbk_##t##x##n v, int m)               \
    {                                                                                \
        sbk_stsm_##t##x##n(p, 1, v, m);                                              \
    }

/* Lanes h and up moved to lane 0; what lies above is anything. h is a constant once
 * inlined, and only a shuffle with a constant mask becomes one instruction: gcc writes
 * the loop lane by lane. */
#if defined(__clang__)
#define SBK_DOWN(type, v, n, h, ...)           \
    ({                                         \
        type r_ = v;                           \
        SBK_UNROLL                             \
        for (int k_ = 0; k_ < (n) - (h); k_++) \
            r_[k_] = v[k_ + (h)];              \
        r_;                                    \
    })
#else
#define SBK_DOWN(type, v, n, h, ...)                                                   \
    ({                                                                                 \
        typedef __typeof__(__builtin_choose_expr(                                      \
            sizeof(v[0]) == 1, (int8_t)0,                                              \
            __builtin_choose_expr(sizeof(v[0]) == 2, (int16_t)0,                       \
                                  __builtin_choose_expr(sizeof(v[0]) == 4, (int32_t)0, \
                                                        (int64_t)0)))) lane_;          \
        typedef lane_ mask_ __attribute__((vector_size(sizeof(type))));                \
        __builtin_shuffle(v, (mask_){__VA_ARGS__} + (lane_)(h));                       \
    })
#endif

#define SBK_REAL(t, elem, bits, n)                                                    \
    typedef bits sbk_##t##x##n##_i __attribute__((vector_size(sizeof(bits) * (n))));  \
    SBK_MEM(t, elem, elem, n, 1)                                                      \
    SBK_FN sbk_##t##x##n sbk_splat_##t##x##n(elem x)                                  \
    {                                                                                 \
        return (sbk_##t##x##n){SBK_REP##n(x)};                                        \
    }                                                                                 \
    SBK_FN sbk_##t##x##n sbk_min_##t##x##n(sbk_##t##x##n a, sbk_##t##x##n b)          \
    {                                                                                 \
        const __typeof__(a < b) m = a < b;                                            \
        return (sbk_##t##x##n)((m & (__typeof__(m))a) | (~m & (__typeof__(m))b));     \
    }                                                                                 \
    SBK_FN sbk_##t##x##n sbk_max_##t##x##n(sbk_##t##x##n a, sbk_##t##x##n b)          \
    {                                                                                 \
        const __typeof__(a < b) m = a > b;                                            \
        return (sbk_##t##x##n)((m & (__typeof__(m))a) | (~m & (__typeof__(m))b));     \
    }                                                                                 \
    SBK_FN sbk_##t##x##n sbk_keep_##t##x##n(sbk_##t##x##n a, sbk_##t##x##n b, int m)  \
    {                                                                                 \
        const sbk_##t##x##n##_i k = {SBK_IOTA##n};                                    \
        const __typeof__(k < k) in = k < (bits)m;                                     \
        return (sbk_##t##x##n)((in & (__typeof__(in))a) | (~in & (__typeof__(in))b)); \
    }                                                                                 \
    SBK_FN sbk_##t##x##n sbk_down_##t##x##n(sbk_##t##x##n v, int h)                   \
    {                                                                                 \
        return SBK_DOWN(sbk_##t##x##n, v, n, h, SBK_IOTA##n);                         \
    }

/* (a.re b.re - a.im b.im, a.re b.im + a.im b.re) lane pair by lane pair; swap, even and
 * odd are lane lists; muls has a in all lanes. */
#define SBK_PAIRS(t, real, bits, n, n2)                                               \
    typedef bits sbk_##t##x##n##_i __attribute__((vector_size(sizeof(bits) * (n2)))); \
    SBK_MEM(t, sbk_##t, real, n, 2)                                                   \
    SBK_FN sbk_##t##x##n sbk_splat_##t##x##n(sbk_##t x)                               \
    {                                                                                 \
        return (sbk_##t##x##n){SBK_REP##n(x.re, x.im)};                               \
    }                                                                                 \
    SBK_FN sbk_##t##x##n sbk_conj_##t##x##n(sbk_##t##x##n v)                          \
    {                                                                                 \
        return v * (sbk_##t##x##n){SBK_REP##n(1, -1)};                                \
    }                                                                                 \
    SBK_FN sbk_##t##x##n sbk_muls_##t##x##n(sbk_##t a, sbk_##t##x##n v)               \
    {                                                                                 \
        return (sbk_##t##x##n){SBK_REP##n(a.re, a.re)} * v +                          \
               (sbk_##t##x##n){SBK_REP##n(-a.im, a.im)} *                             \
                   SBK_SHUFFLE(t##x##n, v, SBK_SWAP##n2);                             \
    }                                                                                 \
    SBK_FN sbk_##t##x##n sbk_mul_##t##x##n(sbk_##t##x##n a, sbk_##t##x##n v)          \
    {                                                                                 \
        return SBK_SHUFFLE(t##x##n, a, SBK_EVEN##n2) * v +                            \
               SBK_SHUFFLE(t##x##n, a, SBK_ODD##n2) *                                 \
                   (sbk_##t##x##n){SBK_REP##n(-1, 1)} *                               \
                   SBK_SHUFFLE(t##x##n, v, SBK_SWAP##n2);                             \
    }                                                                                 \
    SBK_FN sbk_##t sbk_get_##t##x##n(sbk_##t##x##n v, int64_t k)                      \
    {                                                                                 \
        return sbk_mk_##t(v[2 * k], v[2 * k + 1]);                                    \
    }                                                                                 \
    SBK_FN sbk_##t##x##n sbk_keep_##t##x##n(sbk_##t##x##n a, sbk_##t##x##n b, int m)  \
    {                                                                                 \
        const sbk_##t##x##n##_i k = {SBK_EVEN##n2};                                   \
        const __typeof__(k < k) in = k < 2 * m;                                       \
        return (sbk_##t##x##n)((in & (__typeof__(in))a) | (~in & (__typeof__(in))b)); \
    }                                                                                 \
    SBK_FN sbk_##t##x##n sbk_down_##t##x##n(sbk_##t##x##n v, int h)                   \
    {                                                                                 \
        return SBK_DOWN(sbk_##t##x##n, v, n2, 2 * h, SBK_IOTA##n2);                   \
    }

/* Pairs of 16-bit floats are only moved: as i32 are. */
#define SBK_HALF_PAIRS(t, part, n)                                                   \
    SBK_MEM(t, sbk_##t, sbk_##part, n, 2)                                            \
    SBK_FN sbk_##t##x##n sbk_splat_##t##x##n(sbk_##t x)                              \
    {                                                                                \
        return (sbk_##t##x##n){SBK_REP##n(x.re, x.im)};                              \
    }                                                                                \
    SBK_FN sbk_##t sbk_get_##t##x##n(sbk_##t##x##n v, int64_t k)                     \
    {                                                                                \
        sbk_##t z;                                                                   \
        z.re = v[2 * k];                                                             \
        z.im = v[2 * k + 1];                                                         \
        return z;                                                                    \
    }                                                                                \
    SBK_FN sbk_##t##x##n sbk_keep_##t##x##n(sbk_##t##x##n a, sbk_##t##x##n b, int m) \
    {                                                                                \
        return (sbk_##t##x##n)sbk_keep_i32x##n((sbk_i32x##n)a, (sbk_i32x##n)b, m);   \
    }                                                                                \
    SBK_FN sbk_##t##x##n sbk_down_##t##x##n(sbk_##t##x##n v, int h)                  \
    {                                                                                \
        return (sbk_##t##x##n)sbk_down_i32x##n((sbk_i32x##n)v, h);                   \
    }

#if defined(__clang__)
#define SBK_SHUFFLE(tn, v, ...) __builtin_shufflevector(v, v, __VA_ARGS__)
#else
#define SBK_SHUFFLE(tn, v, ...) __builtin_shuffle(v, (sbk_##tn##_i){__VA_ARGS__})
#endif
#define SBK_SWAP2 1, 0
#define SBK_SWAP4 SBK_SWAP2, 3, 2
#define SBK_SWAP8 SBK_SWAP4, 5, 4, 7, 6
#define SBK_SWAP16 SBK_SWAP8, 9, 8, 11, 10, 13, 12, 15, 14
#define SBK_EVEN2 0, 0
#define SBK_EVEN4 SBK_EVEN2, 2, 2
#define SBK_EVEN8 SBK_EVEN4, 4, 4, 6, 6
#define SBK_EVEN16 SBK_EVEN8, 8, 8, 10, 10, 12, 12, 14, 14
#define SBK_ODD2 1, 1
#define SBK_ODD4 SBK_ODD2, 3, 3
#define SBK_ODD8 SBK_ODD4, 5, 5, 7, 7
#define SBK_ODD16 SBK_ODD8, 9, 9, 11, 11, 13, 13, 15, 15

#define SBK_UP_TO_4(n)                   \
    SBK_REAL(i8, int8_t, int8_t, n)      \
    SBK_REAL(i16, int16_t, int16_t, n)   \
    SBK_REAL(f16, sbk_f16, int16_t, n)   \
    SBK_REAL(bf16, sbk_bf16, int16_t, n) \
    SBK_REAL(i32, int32_t, int32_t, n)   \
    SBK_REAL(f32, float, int32_t, n)     \
    SBK_HALF_PAIRS(c16, f16, n)          \
    SBK_HALF_PAIRS(cbf16, bf16, n)
#define SBK_UP_TO_8(n, n2)             \
    SBK_REAL(i64, int64_t, int64_t, n) \
    SBK_REAL(f64, double, int64_t, n)  \
    SBK_PAIRS(c32, float, int32_t, n, n2)
#define SBK_UP_TO_16(n, n2) SBK_PAIRS(c64, double, int64_t, n, n2)

SBK_UP_TO_4(1)
SBK_UP_TO_4(2)
SBK_UP_TO_4(4)
SBK_UP_TO_8(1, 2)
SBK_UP_TO_8(2, 4)
SBK_UP_TO_16(1, 2)
#if SBK_VBYTES >= 32
SBK_UP_TO_4(8)
SBK_UP_TO_8(4, 8)
SBK_UP_TO_16(2, 4)
#endif
#if SBK_VBYTES >= 64
SBK_UP_TO_4(16)
SBK_UP_TO_8(8, 16)
SBK_UP_TO_16(4, 8)
#endif

/* ---- masked access: the first m lanes, 0 < m <= n -------------------------------------- */

#define SBK_MASK_ANY(t, elem, n)                                   \
    SBK_FN sbk_##t##x##n sbk_ldm_##t##x##n(const elem *p, int m)   \
    {                                                              \
        return sbk_ldm_any_##t##x##n(p, m);                        \
    }                                                              \
    SBK_FN void sbk_stm_##t##x##n(elem *p, sbk_##t##x##n v, int m) \
    {                                                              \
        sbk_stm_any_##t##x##n(p, v, m);                            \
    }
/* The lowest m bits, 0 <= m <= 16: one instruction. */
#if defined(__BMI2__)
#define SBK_LOW(m) _bzhi_u32(~0u, (unsigned)(m))
#else
#define SBK_LOW(m) ((1u << (m)) - 1u)
#endif
/* pre and ep name the instruction, reg its register, mask its mask type */
#define SBK_MASK_512(t, elem, n, pre, ep, reg, mask)                       \
    SBK_FN sbk_##t##x##n sbk_ldm_##t##x##n(const elem *p, int m)           \
    {                                                                      \
        return (sbk_##t##x##n)pre##_maskz_loadu_##ep((mask)SBK_LOW(m), p); \
    }                                                                      \
    SBK_FN void sbk_stm_##t##x##n(elem *p, sbk_##t##x##n v, int m)         \
    {                                                                      \
        pre##_mask_storeu_##ep(p, (mask)SBK_LOW(m), (reg)v);               \
    }
#define SBK_MASK_256(t, elem, n, pre, ep, reg, word, lane, iota)                      \
    SBK_FN sbk_##t##x##n sbk_ldm_##t##x##n(const elem *p, int m)                      \
    {                                                                                 \
        const sbk_##lane##x##n k = {iota};                                            \
        return (sbk_##t##x##n)pre##_maskload_##ep(                                    \
            (const word *)(const void *)p, (reg)(k < sbk_splat_##lane##x##n(m)));     \
    }                                                                                 \
    SBK_FN void sbk_stm_##t##x##n(elem *p, sbk_##t##x##n v, int m)                    \
    {                                                                                 \
        const sbk_##lane##x##n k = {iota};                                            \
        pre##_maskstore_##ep((word *)(void *)p, (reg)(k < sbk_splat_##lane##x##n(m)), \
                             (reg)v);                                                 \
    }
#define SBK_MASK_ANY_4(n)         \
    SBK_MASK_ANY(i32, int32_t, n) \
    SBK_MASK_ANY(f32, float, n)   \
    SBK_MASK_ANY(c16, sbk_c16, n) \
    SBK_MASK_ANY(cbf16, sbk_cbf16, n)
#define SBK_MASK_ANY_8(n)         \
    SBK_MASK_ANY(i64, int64_t, n) \
    SBK_MASK_ANY(f64, double, n)  \
    SBK_MASK_ANY(c32, sbk_c32, n)
#define SBK_MASK_ANY_2(n)         \
    SBK_MASK_ANY(i16, int16_t, n) \
    SBK_MASK_ANY(f16, sbk_f16, n) \
    SBK_MASK_ANY(bf16, sbk_bf16, n)
#define SBK_MASK_512_4(n, pre, reg, mask)                \
    SBK_MASK_512(i32, int32_t, n, pre, epi32, reg, mask) \
    SBK_MASK_512(f32, float, n, pre, epi32, reg, mask)   \
    SBK_MASK_512(c16, sbk_c16, n, pre, epi32, reg, mask) \
    SBK_MASK_512(cbf16, sbk_cbf16, n, pre, epi32, reg, mask)
#define SBK_MASK_512_8(n, pre, reg)                          \
    SBK_MASK_512(i64, int64_t, n, pre, epi64, reg, __mmask8) \
    SBK_MASK_512(f64, double, n, pre, epi64, reg, __mmask8)  \
    SBK_MASK_512(c32, sbk_c32, n, pre, epi64, reg, __mmask8)
#define SBK_MASK_512_2(n, pre, reg, mask)                \
    SBK_MASK_512(i16, int16_t, n, pre, epi16, reg, mask) \
    SBK_MASK_512(f16, sbk_f16, n, pre, epi16, reg, mask) \
    SBK_MASK_512(bf16, sbk_bf16, n, pre, epi16, reg, mask)
#define SBK_MASK_256_4(n, pre, reg)                                       \
    SBK_MASK_256(i32, int32_t, n, pre, epi32, reg, int, i32, SBK_IOTA##n) \
    SBK_MASK_256(f32, float, n, pre, epi32, reg, int, i32, SBK_IOTA##n)   \
    SBK_MASK_256(c16, sbk_c16, n, pre, epi32, reg, int, i32, SBK_IOTA##n) \
    SBK_MASK_256(cbf16, sbk_cbf16, n, pre, epi32, reg, int, i32, SBK_IOTA##n)
#define SBK_MASK_256_8(n, pre, reg)                                             \
    SBK_MASK_256(i64, int64_t, n, pre, epi64, reg, long long, i64, SBK_IOTA##n) \
    SBK_MASK_256(f64, double, n, pre, epi64, reg, long long, i64, SBK_IOTA##n)  \
    SBK_MASK_256(c32, sbk_c32, n, pre, epi64, reg, long long, i64, SBK_IOTA##n)

SBK_MASK_ANY_4(1)
SBK_MASK_ANY_4(2)
SBK_MASK_ANY_8(1)
SBK_MASK_ANY_2(1)
SBK_MASK_ANY_2(2)
SBK_MASK_ANY_2(4)
SBK_MASK_ANY(i8, int8_t, 1)
SBK_MASK_ANY(i8, int8_t, 2)
SBK_MASK_ANY(i8, int8_t, 4)
SBK_MASK_ANY(c64, sbk_c64, 1)
#if SBK_VBYTES >= 64
SBK_MASK_512_4(4, _mm, __m128i, __mmask8)
SBK_MASK_512_4(8, _mm256, __m256i, __mmask8)
SBK_MASK_512_4(16, _mm512, __m512i, __mmask16)
SBK_MASK_512_8(2, _mm, __m128i)
SBK_MASK_512_8(4, _mm256, __m256i)
SBK_MASK_512_8(8, _mm512, __m512i)
SBK_MASK_512_2(8, _mm, __m128i, __mmask8)
SBK_MASK_512_2(16, _mm256, __m256i, __mmask16)
SBK_MASK_512(i8, int8_t, 16, _mm, epi8, __m128i, __mmask16)
SBK_MASK_ANY(i8, int8_t, 8)
SBK_MASK_ANY(c64, sbk_c64, 2)
SBK_MASK_ANY(c64, sbk_c64, 4)
#elif SBK_VBYTES >= 32
SBK_MASK_256_4(4, _mm, __m128i)
SBK_MASK_256_4(8, _mm256, __m256i)
SBK_MASK_256_8(2, _mm, __m128i)
SBK_MASK_256_8(4, _mm256, __m256i)
SBK_MASK_ANY_2(8)
SBK_MASK_ANY(i8, int8_t, 8)
SBK_MASK_ANY(c64, sbk_c64, 2)
#else
SBK_MASK_ANY_4(4)
SBK_MASK_ANY_8(2)
#endif

/* ---- stores past the cache -------------------------------------------------------------- */

#if defined(__SSE2__)
#define SBK_FENCE() _mm_sfence()
#else
#define SBK_FENCE() (void)0
#endif
#define SBK_NT_ANY(t, elem, n)                             \
    SBK_FN void sbk_nt_##t##x##n(elem *p, sbk_##t##x##n v) \
    {                                                      \
        sbk_st_##t##x##n(p, v);                            \
    }
#define SBK_NT_X86(t, elem, n, store, reg)                 \
    SBK_FN void sbk_nt_##t##x##n(elem *p, sbk_##t##x##n v) \
    {                                                      \
        if ((uintptr_t)p % sizeof v == 0)                  \
            store((reg *)(void *)p, (reg)v);               \
        else                                               \
            sbk_st_##t##x##n(p, v);                        \
    }
#define SBK_NT_FULL(n4, n8, n16, store, reg)     \
    SBK_NT_X86(i32, int32_t, n4, store, reg)     \
    SBK_NT_X86(f32, float, n4, store, reg)       \
    SBK_NT_X86(c16, sbk_c16, n4, store, reg)     \
    SBK_NT_X86(cbf16, sbk_cbf16, n4, store, reg) \
    SBK_NT_X86(i64, int64_t, n8, store, reg)     \
    SBK_NT_X86(f64, double, n8, store, reg)      \
    SBK_NT_X86(c32, sbk_c32, n8, store, reg)     \
    SBK_NT_X86(c64, sbk_c64, n16, store, reg)
#define SBK_NT_HALF(n, store, reg)          \
    SBK_NT_X86(i16, int16_t, n, store, reg) \
    SBK_NT_X86(f16, sbk_f16, n, store, reg) \
    SBK_NT_X86(bf16, sbk_bf16, n, store, reg)

SBK_NT_ANY(i8, int8_t, 1)
SBK_NT_ANY(i8, int8_t, 2)
SBK_NT_ANY(i8, int8_t, 4)
SBK_NT_ANY(i16, int16_t, 1)
SBK_NT_ANY(i16, int16_t, 2)
SBK_NT_ANY(i16, int16_t, 4)
SBK_NT_ANY(f16, sbk_f16, 1)
SBK_NT_ANY(f16, sbk_f16, 2)
SBK_NT_ANY(f16, sbk_f16, 4)
SBK_NT_ANY(bf16, sbk_bf16, 1)
SBK_NT_ANY(bf16, sbk_bf16, 2)
SBK_NT_ANY(bf16, sbk_bf16, 4)
SBK_NT_ANY(i32, int32_t, 1)
SBK_NT_ANY(i32, int32_t, 2)
SBK_NT_ANY(f32, float, 1)
SBK_NT_ANY(f32, float, 2)
SBK_NT_ANY(c16, sbk_c16, 1)
SBK_NT_ANY(c16, sbk_c16, 2)
SBK_NT_ANY(cbf16, sbk_cbf16, 1)
SBK_NT_ANY(cbf16, sbk_cbf16, 2)
SBK_NT_ANY(i64, int64_t, 1)
SBK_NT_ANY(f64, double, 1)
SBK_NT_ANY(c32, sbk_c32, 1)
#if defined(__SSE2__)
SBK_NT_FULL(4, 2, 1, _mm_stream_si128, __m128i)
#else
SBK_NT_ANY(i32, int32_t, 4)
SBK_NT_ANY(f32, float, 4)
SBK_NT_ANY(c16, sbk_c16, 4)
SBK_NT_ANY(cbf16, sbk_cbf16, 4)
SBK_NT_ANY(i64, int64_t, 2)
SBK_NT_ANY(f64, double, 2)
SBK_NT_ANY(c32, sbk_c32, 2)
SBK_NT_ANY(c64, sbk_c64, 1)
#endif
#if SBK_VBYTES >= 32
SBK_NT_FULL(8, 4, 2, _mm256_stream_si256, __m256i)
SBK_NT_HALF(8, _mm_stream_si128, __m128i)
SBK_NT_ANY(i8, int8_t, 8)
#endif
#if SBK_VBYTES >= 64
SBK_NT_FULL(16, 8, 4, _mm512_stream_si512, __m512i)
SBK_NT_HALF(16, _mm256_stream_si256, __m256i)
SBK_NT_ANY(i8, int8_t, 16)
#endif

/* ---- lane by lane ------------------------------------------------------------------------- */

/* SBK_EACH(t, n, l, e): the vector of e at l, l + 1, ...; l names the lane variable, whose
 * value is the chunk's first lane. SBK_EACHM: lanes from m on are 0; what is evaluated
 * for them is the last lane below m, so that nothing past the end is touched. */
#define SBK_AT(l, k, ...)                                \
    __extension__({                                      \
        const __typeof__(sbk_first) l = sbk_first + (k); \
        __VA_ARGS__;                                     \
    })
#define SBK_ATM(l, k, ...) SBK_AT(l, (k) < sbk_live ? (k) : sbk_live - 1, __VA_ARGS__)
#define SBK_LIST1(at, l, k, ...) at(l, k, __VA_ARGS__)
#define SBK_LIST2(at, l, k, ...) \
    SBK_LIST1(at, l, k, __VA_ARGS__), SBK_LIST1(at, l, (k) + 1, __VA_ARGS__)
#define SBK_LIST4(at, l, k, ...) \
    SBK_LIST2(at, l, k, __VA_ARGS__), SBK_LIST2(at, l, (k) + 2, __VA_ARGS__)
#define SBK_LIST8(at, l, k, ...) \
    SBK_LIST4(at, l, k, __VA_ARGS__), SBK_LIST4(at, l, (k) + 4, __VA_ARGS__)
#define SBK_LIST16(at, l, k, ...) \
    SBK_LIST8(at, l, k, __VA_ARGS__), SBK_LIST8(at, l, (k) + 8, __VA_ARGS__)
#define SBK_EACH(t, n, l, ...) SBK_EACH_(t, n, l, __VA_ARGS__)
#define SBK_EACH_(t, n, l, ...)                                  \
    __extension__({                                              \
        const __typeof__(l) sbk_first = l;                       \
        (sbk_##t##x##n){SBK_LIST##n(SBK_AT, l, 0, __VA_ARGS__)}; \
    })
#define SBK_EACHM(t, n, l, m, ...) SBK_EACHM_(t, n, l, m, __VA_ARGS__)
#define SBK_EACHM_(t, n, l, m, ...)                                              \
    __extension__({                                                              \
        const __typeof__(l) sbk_first = l;                                       \
        const int sbk_live = (m);                                                \
        const sbk_##t##x##n sbk_all = {SBK_LIST##n(SBK_ATM, l, 0, __VA_ARGS__)}; \
        sbk_keep_##t##x##n(sbk_all, (sbk_##t##x##n){0}, sbk_live);               \
    })
/* complex lanes are pairs, so they go through memory, which costs
 * (docs/measured/complex-and-16-bit.md, Pairs) */
#define SBK_EACHZ(t, n, l, m, ...) SBK_EACHZ_(t, n, l, m, __VA_ARGS__)
#define SBK_EACHZ_(t, n, l, m, ...)                        \
    __extension__({                                        \
        const __typeof__(l) sbk_first = l;                 \
        sbk_##t sbk_at[n];                                 \
        __builtin_memset(sbk_at, 0, sizeof sbk_at);        \
        for (int sbk_k = 0; sbk_k < (m); sbk_k++)          \
            sbk_at[sbk_k] = SBK_AT(l, sbk_k, __VA_ARGS__); \
        sbk_ld_##t##x##n(sbk_at);                          \
    })

/* An address in the next chunk of a lane loop, once per cache line; near: 3 the first cache,
 * 2 the second. */
#define SBK_PREFETCH(p, lane, n, near)                                      \
    do {                                                                    \
        if ((int)((lane) * (int)sizeof *(p) % 64) < (n) * (int)sizeof *(p)) \
            __builtin_prefetch(p, 0, near);                                 \
    } while (0)

/* Asks for the lines of so many bytes, a constant. */
SBK_FN void
sbk_ask(const void *at, int bytes)
{
    SBK_UNROLL
    for (int z = 0; z < bytes; z += 64)
        __builtin_prefetch((const char *)at + z);
}

#include "compiler/spblas_tail.h"

#include "compiler/spblas_bits.h"
#include "compiler/spblas_diags.h"
#include "compiler/spblas_few.h"
#include "compiler/spblas_flow.h"
#include "compiler/spblas_fours.h"
#include "compiler/spblas_gather.h"
#include "compiler/spblas_half.h"
#include "compiler/spblas_rows.h"
#include "compiler/spblas_sums.h"

#endif
