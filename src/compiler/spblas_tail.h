/*
 * Vectors whose last lanes are missing; part of spblas_kernel.h.
 *
 *   ldt stt ntt     the first m lanes, 0 < m <= n, by a register of `tail` bytes, which has room
 *                   for them: a load lies on two lines where its register does, whatever its mask;
 *                   ntt: past the caches where all are there
 *
 * The vectors' header includes this before what else is part of it, which calls these: so it comes first
 * here as well.
 */
#include "compiler/spblas_vector.h"

#ifndef SPBLAS_TAIL_H
#define SPBLAS_TAIL_H

/* A vector, all of it or (tail) its first m lanes. */
#define SBK_LD_SOME(t, n, at, tail) \
    ((tail) ? sbk_ldt_##t##x##n(at, m, tail) : sbk_ld_##t##x##n(at))

/* Of registers of 16 bytes; of wider ones: wide<b>, low<b>: from b bytes and to them, where b is less. */
#define SBK_TAIL_16(t, elem, n, n16, wide16, low16, n32, wide32, low32)      \
    SBK_FN sbk_##t##x##n sbk_ldt_##t##x##n(const elem *p, int m, int tail)   \
    {                                                                        \
        (void)tail; /* without masks all at once is worth a test */          \
        return m == (n) ? sbk_ld_##t##x##n(p) : sbk_ldm_##t##x##n(p, m);     \
    }                                                                        \
    SBK_FN void sbk_stt_##t##x##n(elem *p, sbk_##t##x##n v, int m, int tail) \
    {                                                                        \
        (void)tail;                                                          \
        if (m == (n))                                                        \
            sbk_st_##t##x##n(p, v);                                          \
        else                                                                 \
            sbk_stm_##t##x##n(p, v, m);                                      \
    }
#define SBK_TAIL_32(t, elem, n, n16, wide16, low16, n32, wide32, low32)        \
    SBK_FN sbk_##t##x##n sbk_ldt_##t##x##n(const elem *p, int m, int tail)     \
    {                                                                          \
        return tail == 16   ? (sbk_##t##x##n)wide16(sbk_ldm_##t##x##n16(p, m)) \
               : tail == 32 ? (sbk_##t##x##n)wide32(sbk_ldm_##t##x##n32(p, m)) \
                            : sbk_ldm_##t##x##n(p, m);                         \
    }                                                                          \
    SBK_FN void sbk_stt_##t##x##n(elem *p, sbk_##t##x##n v, int m, int tail)   \
    {                                                                          \
        if (tail == 16)                                                        \
            sbk_stm_##t##x##n16(p, (sbk_##t##x##n16)low16(v), m);              \
        else if (tail == 32)                                                   \
            sbk_stm_##t##x##n32(p, (sbk_##t##x##n32)low32(v), m);              \
        else                                                                   \
            sbk_stm_##t##x##n(p, v, m);                                        \
    }

#define SBK_TAIL_OF(tail_bytes, t, elem, n, ...)                                 \
    SBK_TAIL_##tail_bytes(t, elem, n, __VA_ARGS__)                               \
        SBK_FN void sbk_ntt_##t##x##n(elem *p, sbk_##t##x##n v, int m, int tail) \
    {                                                                            \
        if (m == (n))                                                            \
            sbk_nt_##t##x##n(p, v);                                              \
        else                                                                     \
            sbk_stt_##t##x##n(p, v, m, tail);                                    \
    }

#define SBK_AS(reg, f, v) f((reg)(v))
#define SBK_TO32_f32(v) SBK_AS(__m128, _mm256_castps128_ps256, v)
#define SBK_OF32_f32(v) SBK_AS(__m256, _mm256_castps256_ps128, v)
#define SBK_TO32_f64(v) SBK_AS(__m128d, _mm256_castpd128_pd256, v)
#define SBK_OF32_f64(v) SBK_AS(__m256d, _mm256_castpd256_pd128, v)
#define SBK_TO64_f32(v) SBK_AS(__m128, _mm512_castps128_ps512, v)
#define SBK_OF64_f32(v) SBK_AS(__m512, _mm512_castps512_ps128, v)
#define SBK_TO64_f64(v) SBK_AS(__m128d, _mm512_castpd128_pd512, v)
#define SBK_OF64_f64(v) SBK_AS(__m512d, _mm512_castpd512_pd128, v)
#define SBK_TO64H_f32(v) SBK_AS(__m256, _mm512_castps256_ps512, v)
#define SBK_OF64H_f32(v) SBK_AS(__m512, _mm512_castps512_ps256, v)
#define SBK_TO64H_f64(v) SBK_AS(__m256d, _mm512_castpd256_pd512, v)
#define SBK_OF64H_f64(v) SBK_AS(__m512d, _mm512_castpd512_pd256, v)

SBK_TAIL_OF(16, f32, float, 2, , , , , , )
SBK_TAIL_OF(16, f32, float, 4, , , , , , )
SBK_TAIL_OF(16, f64, double, 2, , , , , , )
#if SBK_VBYTES >= 32
SBK_TAIL_OF(32, f32, float, 8, 4, SBK_TO32_f32, SBK_OF32_f32, 8, , )
SBK_TAIL_OF(32, f64, double, 4, 2, SBK_TO32_f64, SBK_OF32_f64, 4, , )
#endif
#if SBK_VBYTES >= 64
SBK_TAIL_OF(32, f32, float, 16, 4, SBK_TO64_f32, SBK_OF64_f32, 8, SBK_TO64H_f32,
            SBK_OF64H_f32)
SBK_TAIL_OF(32, f64, double, 8, 2, SBK_TO64_f64, SBK_OF64_f64, 4, SBK_TO64H_f64,
            SBK_OF64H_f64)
#endif

#endif
