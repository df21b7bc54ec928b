/*
 * A row of A times rows of B of any width; part of spblas_kernel.h.
 *
 *   fours_<index>   acc += the sum of a[q] * row (crd[q] - base) of b, q in lo .. hi, as `few` does
 *                   (spblas_few.h), four entries, two and one at a time; of the last of `vectors`
 *                   vectors m lanes are there, in `tail` bytes; tail 0: all are
 *   ldt stt ntt     the first m lanes, 0 < m <= n, by a register of `tail` bytes, which has room
 *                   for them: a load lies on two lines where its register does, whatever its mask;
 *                   ntt: past the caches where all are there
 *   SBK_CUTS        f(.., w, bytes, usual) for n columns, tile / 2 < n < tile, that are w vectors of
 *                   which the last is begun and ends within `bytes` bytes: constants in f, which is
 *                   inlined
 *
 * An addition waits for the one before: of few vectors entries in turn have sums of their own.
 * The order of a sum depends on the length of its row alone.
 */
#ifndef SPBLAS_FOURS_H
#define SPBLAS_FOURS_H

#include "compiler/spblas_vector.h"

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

/* So many vectors have two sums each; up to so many are taken by fours, more an entry at a time. */
#define SBK_FOURS_APART 4
#define SBK_FOURS_WIDE 8

#define SBK_FOURS_ADD(t, n, s, k)                                  \
    sbk_fours_add_##t##x##n(s, vectors, sbk_splat_##t##x##n(a[k]), \
                            b + (int64_t)crd[k] * ld, tail, m)
#define SBK_FOURS(t, elem, n, in, index)                                              \
    SBK_FN void sbk_fours_##in##_##t##x##n(                                           \
        sbk_##t##x##n *acc, int vectors, const elem *a, const index *crd, int64_t lo, \
        int64_t hi, int64_t end, const elem *b, int64_t ld, int64_t base, int tail,   \
        int m)                                                                        \
    {                                                                                 \
        const int single = vectors == 1, apart = vectors <= SBK_FOURS_APART;          \
        sbk_##t##x##n s[SBK_FOURS_APART] = {0}, more[2] = {0};                        \
        sbk_##t##x##n *const odd = apart ? s : acc;                                   \
        (void)end;                                                                    \
        b = SBK_BASE(b - base * ld);                                                  \
        if (single && hi - lo >= 8) {                                                 \
            for (; hi - lo >= 8; lo += 4) {                                           \
                SBK_FOURS_ADD(t, n, acc, lo);                                         \
                SBK_FOURS_ADD(t, n, odd, lo + 1);                                     \
                SBK_FOURS_ADD(t, n, more, lo + 2);                                    \
                SBK_FOURS_ADD(t, n, more + 1, lo + 3);                                \
            }                                                                         \
            acc[0] += more[0];                                                        \
            odd[0] += more[1];                                                        \
        }                                                                             \
        for (; vectors <= SBK_FOURS_WIDE && hi - lo >= 4; lo += 4) {                  \
            SBK_FOURS_ADD(t, n, acc, lo);                                             \
            SBK_FOURS_ADD(t, n, odd, lo + 1);                                         \
            SBK_FOURS_ADD(t, n, acc, lo + 2);                                         \
            SBK_FOURS_ADD(t, n, odd, lo + 3);                                         \
        }                                                                             \
        for (; vectors > SBK_FOURS_WIDE && hi - lo >= 4; lo++)                        \
            SBK_FOURS_ADD(t, n, acc, lo);                                             \
        if ((hi - lo) & 2) {                                                          \
            SBK_FOURS_ADD(t, n, acc, lo);                                             \
            SBK_FOURS_ADD(t, n, odd, lo + 1);                                         \
            lo += 2;                                                                  \
        }                                                                             \
        if ((hi - lo) & 1)                                                            \
            SBK_FOURS_ADD(t, n, acc, lo);                                             \
        for (int v = 0; apart && v < vectors; v++)                                    \
            acc[v] += s[v];                                                           \
    }
#define SBK_FOURS_OF(tail_bytes, t, elem, n, ...)                               \
    SBK_TAIL_##tail_bytes(t, elem, n, __VA_ARGS__)                              \
        SBK_FN void sbk_fours_add_##t##x##n(sbk_##t##x##n *s, int vectors,      \
                                            sbk_##t##x##n one, const elem *row, \
                                            int tail, int m)                    \
    {                                                                           \
        SBK_UNROLL                                                              \
        for (int v = 0; v < vectors; v++)                                       \
            s[v] += one * (tail && v == vectors - 1                             \
                               ? sbk_ldt_##t##x##n(row + v * (n), m, tail)      \
                               : sbk_ld_##t##x##n(row + v * (n)));              \
    }                                                                           \
    SBK_FN void sbk_ntt_##t##x##n(elem *p, sbk_##t##x##n v, int m, int tail)    \
    {                                                                           \
        if (m == (n))                                                           \
            sbk_nt_##t##x##n(p, v);                                             \
        else                                                                    \
            sbk_stt_##t##x##n(p, v, m, tail);                                   \
    }                                                                           \
    SBK_FOURS(t, elem, n, i32, int32_t)                                         \
    SBK_FOURS(t, elem, n, i64, int64_t)

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

SBK_FOURS_OF(16, f32, float, 2, , , , , , )
SBK_FOURS_OF(16, f32, float, 4, , , , , , )
SBK_FOURS_OF(16, f64, double, 2, , , , , , )
#if SBK_VBYTES >= 32
SBK_FOURS_OF(32, f32, float, 8, 4, SBK_TO32_f32, SBK_OF32_f32, 8, , )
SBK_FOURS_OF(32, f64, double, 4, 2, SBK_TO32_f64, SBK_OF32_f64, 4, , )
#endif
#if SBK_VBYTES >= 64
SBK_FOURS_OF(32, f32, float, 16, 4, SBK_TO64_f32, SBK_OF64_f32, 8, SBK_TO64H_f32,
             SBK_OF64H_f32)
SBK_FOURS_OF(32, f64, double, 8, 2, SBK_TO64_f64, SBK_OF64_f64, 4, SBK_TO64H_f64,
             SBK_OF64H_f64)
#endif

/* Beyond so many vectors 16 bytes of the last are not worth code of their own. */
#define SBK_CUT_LEAST(w) ((w) > SBK_FOURS_WIDE ? 32 : 16)
/* Columns of the last vector that so many bytes have and half of them do not. */
#define SBK_CUT_ABOVE(size, w, bytes) \
    ((bytes) > SBK_CUT_LEAST(w) ? (bytes) / (size) / 2 : 0)
#define SBK_CUT(f, n, tile, lanes, size, usual, w, bytes)                  \
    if ((w) * (lanes) <= (tile) && (bytes) >= SBK_CUT_LEAST(w) &&          \
        (bytes) <= (lanes) * (size) &&                                     \
        2 * (((w)-1) * (lanes) + (bytes) / (size)) > (tile) &&             \
        (n) > ((w)-1) * (lanes) + SBK_CUT_ABOVE(size, w, bytes) &&         \
        (n) <= ((w)-1) * (lanes) + (bytes) / (size) && 2 * (n) > (tile) && \
        (n) < (tile)) {                                                    \
        f(buf, param, t0, t1, w, bytes, usual);                            \
        return;                                                            \
    }
#define SBK_CUT_BYTES(f, n, tile, lanes, size, usual, w) \
    SBK_CUT(f, n, tile, lanes, size, usual, w, 16)       \
    SBK_CUT(f, n, tile, lanes, size, usual, w, 32)       \
    SBK_CUT(f, n, tile, lanes, size, usual, w, 64)
#define SBK_CUT_FOUR(f, n, tile, lanes, size, usual, w)    \
    SBK_CUT_BYTES(f, n, tile, lanes, size, usual, w)       \
    SBK_CUT_BYTES(f, n, tile, lanes, size, usual, (w) + 1) \
    SBK_CUT_BYTES(f, n, tile, lanes, size, usual, (w) + 2) \
    SBK_CUT_BYTES(f, n, tile, lanes, size, usual, (w) + 3)
#define SBK_CUTS(f, n, tile, lanes, size, usual)    \
    SBK_CUT_FOUR(f, n, tile, lanes, size, usual, 1) \
    SBK_CUT_FOUR(f, n, tile, lanes, size, usual, 5) \
    SBK_CUT_FOUR(f, n, tile, lanes, size, usual, 9) \
    SBK_CUT_FOUR(f, n, tile, lanes, size, usual, 13)

#endif
