/*
 * Sums of rows whose terms lie one behind the other in a buffer; part of spblas_kernel.h.
 *
 *   rows_<index>   sum += those of rows 0 .. 16, whose terms are term[ptr[r] - from] on to
 *                  term[ptr[r + 1] - from]; SBK_ROWS_BEHIND more may be read, sum is vectors
 *
 * Four lanes a row, so that a register of 64 bytes has the next four terms of four rows, or of
 * two of doubles (of 32 bytes of half as many), and one comparison of lengths with the lanes' numbers masks them all. As
 * many steps as the longest row wants, but rows of more than SBK_ROWS_LONG terms go alone:
 * where lengths are mixed a jump that was not foreseen costs more than a step. Lanes are then
 * added by shuffles within quarters of a register. A row's sum depends on its length alone.
 */
#ifndef SPBLAS_ROWS_H
#define SPBLAS_ROWS_H

#include "compiler/spblas_vector.h"

#define SBK_ROWS_LONG 32
#define SBK_ROWS_BEHIND SBK_ROWS_LONG

#define SBK_ROWS_ARGS(t, elem, n, index) \
    sbk_##t##x##n *sum, const elem *term, const index *ptr, int64_t from

/* One term at a time. */
#define SBK_ROWS_ANY(t, elem, n, in, index)                                      \
    SBK_FN void sbk_rows_##in##_##t##x##n(SBK_ROWS_ARGS(t, elem, n, index))      \
    {                                                                            \
        for (int r = 0; r < 16; r++) {                                           \
            elem all = 0;                                                        \
            for (int64_t p = ptr[r] - from; p < (int64_t)ptr[r + 1] - from; p++) \
                all += term[p];                                                  \
            sum[r / (n)][r % (n)] += all;                                        \
        }                                                                        \
    }

/* A row alone: of its lanes those half as many apart first. */
#define SBK_ROWS_ALONE(t, elem, n)                                \
    SBK_FN elem sbk_row_##t##x##n(const elem *term, int64_t len)  \
    {                                                             \
        sbk_##t##x##n s = {0};                                    \
        for (; len >= (n); len -= (n), term += (n))               \
            s += sbk_ld_##t##x##n(term);                          \
        if (len > 0)                                              \
            s += sbk_ldm_##t##x##n(term, (int)len);               \
        s = (n) > 8 ? s + sbk_down_##t##x##n(s, 8 & ((n)-1)) : s; \
        s = (n) > 4 ? s + sbk_down_##t##x##n(s, 4 & ((n)-1)) : s; \
        s += sbk_down_##t##x##n(s, 2);                            \
        s += sbk_down_##t##x##n(s, 1);                            \
        return s[0];                                              \
    }

#if defined(__SSE2__)

SBK_ROWS_ALONE(f32, float, 4)

/* Lengths of n rows. */
SBK_FN __m128i
sbk_lens_i32x4(const int32_t *ptr)
{
    return _mm_sub_epi32(_mm_loadu_si128((const __m128i *)(ptr + 1)),
                         _mm_loadu_si128((const __m128i *)ptr));
}

SBK_FN __m128i
sbk_lens_i64x4(const int64_t *ptr)
{
    return _mm_setr_epi32((int)(ptr[1] - ptr[0]), (int)(ptr[2] - ptr[1]),
                          (int)(ptr[3] - ptr[2]), (int)(ptr[4] - ptr[3]));
}

/* n rows: block b of register e is row 4 b + e, whose next terms are at term[ptr[row]]. */
#define SBK_ROWS_FROM4(e) _mm_loadu_ps(term + ptr[e])
#define SBK_ROWS_FROM8(e) \
    _mm256_set_m128(_mm_loadu_ps(term + ptr[4 + (e)]), _mm_loadu_ps(term + ptr[e]))
#define SBK_ROWS_ADD(e, n, pre, reg, ireg)      \
    a##e = pre##_add_ps(                        \
        a##e, (reg)((ireg)SBK_ROWS_FROM##n(e) & \
                    pre##_cmpgt_epi32(pre##_shuffle_epi32(len, 0x55 * (e)), lane)))
#define SBK_ROWS_SOME(in, index, n, pre, reg, ireg)                                  \
    SBK_FN sbk_f32x##n sbk_rows##n##_##in##_f32(const float *term, const index *ptr) \
    {                                                                                \
        reg a0 = pre##_setzero_ps(), a1 = a0, a2 = a0, a3 = a0;                      \
        ireg lane = (ireg)(((sbk_i32x##n){SBK_IOTA##n}) & 3);                        \
        const ireg all = sbk_lens_##in##x##n(ptr);                                   \
        const ireg longer = pre##_cmpgt_epi32(all, pre##_set1_epi32(SBK_ROWS_LONG)); \
        const ireg len = ~longer & all;                                              \
        const float *const first = term;                                             \
        unsigned lone = (unsigned)pre##_movemask_ps((reg)longer);                    \
        sbk_f32x##n sum;                                                             \
        do {                                                                         \
            SBK_ROWS_ADD(0, n, pre, reg, ireg), SBK_ROWS_ADD(1, n, pre, reg, ireg);  \
            SBK_ROWS_ADD(2, n, pre, reg, ireg), SBK_ROWS_ADD(3, n, pre, reg, ireg);  \
            lane = pre##_add_epi32(lane, pre##_set1_epi32(4));                       \
            term += 4;                                                               \
        } while (pre##_movemask_ps(                                                  \
            (reg)pre##_cmpgt_epi32(len, pre##_shuffle_epi32(lane, 0))));             \
        a0 = pre##_add_ps(pre##_unpacklo_ps(a0, a1), pre##_unpackhi_ps(a0, a1));     \
        a2 = pre##_add_ps(pre##_unpacklo_ps(a2, a3), pre##_unpackhi_ps(a2, a3));     \
        sum = (sbk_f32x##n)pre##_add_ps(pre##_shuffle_ps(a0, a2, 0x44),              \
                                        pre##_shuffle_ps(a0, a2, 0xee));             \
        for (; lone; lone &= lone - 1) {                                             \
            const int r = __builtin_ctz(lone);                                       \
            sum[r] = sbk_row_f32x##n(first + ptr[r], ptr[r + 1] - ptr[r]);           \
        }                                                                            \
        return sum;                                                                  \
    }                                                                                \
    SBK_FN void sbk_rows_##in##_f32x##n(SBK_ROWS_ARGS(f32, float, n, index))         \
    {                                                                                \
        for (int h = 0; h < 16 / (n); h++)                                           \
            sum[h] += sbk_rows##n##_##in##_f32(term - from, ptr + h * (n));          \
    }

SBK_ROWS_SOME(i32, int32_t, 4, _mm, __m128, __m128i)
SBK_ROWS_SOME(i64, int64_t, 4, _mm, __m128, __m128i)

#if SBK_VBYTES >= 32

SBK_ROWS_ALONE(f32, float, 8)

SBK_FN __m256i
sbk_lens_i32x8(const int32_t *ptr)
{
    return _mm256_sub_epi32(_mm256_loadu_si256((const __m256i *)(ptr + 1)),
                            _mm256_loadu_si256((const __m256i *)ptr));
}

SBK_FN __m256i
sbk_lens_i64x8(const int64_t *ptr)
{
    return _mm256_set_m128i(sbk_lens_i64x4(ptr + 4), sbk_lens_i64x4(ptr));
}

SBK_ROWS_SOME(i32, int32_t, 8, _mm256, __m256, __m256i)
SBK_ROWS_SOME(i64, int64_t, 8, _mm256, __m256, __m256i)

SBK_ROWS_ALONE(f64, double, 4)

/* Of doubles a register has one row. */
#define SBK_ROWS_ADD_f64x4(e)                                                         \
    a##e = _mm256_add_pd(                                                             \
        a##e, (__m256d)((__m256i)_mm256_loadu_pd(term + ptr[e]) &                     \
                        _mm256_cmpgt_epi64(_mm256_permute4x64_epi64(len, 0x55 * (e)), \
                                           lane)))
#define SBK_ROWS_256(in, index)                                                     \
    SBK_FN sbk_f64x4 sbk_rows4_##in##_f64(const double *term, const index *ptr)     \
    {                                                                               \
        __m256d a0 = _mm256_setzero_pd(), a1 = a0, a2 = a0, a3 = a0;                \
        __m256i lane = _mm256_setr_epi64x(0, 1, 2, 3);                              \
        const __m128i all = sbk_lens_##in##x4(ptr);                                 \
        const __m128i longer = _mm_cmpgt_epi32(all, _mm_set1_epi32(SBK_ROWS_LONG)); \
        const __m256i len = _mm256_cvtepi32_epi64(~longer & all);                   \
        const double *const first = term;                                           \
        unsigned lone = (unsigned)_mm_movemask_ps((__m128)longer);                  \
        sbk_f64x4 sum;                                                              \
        do {                                                                        \
            SBK_ROWS_ADD_f64x4(0), SBK_ROWS_ADD_f64x4(1);                           \
            SBK_ROWS_ADD_f64x4(2), SBK_ROWS_ADD_f64x4(3);                           \
            lane = _mm256_add_epi64(lane, _mm256_set1_epi64x(4));                   \
            term += 4;                                                              \
        } while (_mm256_movemask_pd(                                                \
            (__m256d)_mm256_cmpgt_epi64(len, _mm256_permute4x64_epi64(lane, 0))));  \
        a0 = _mm256_hadd_pd(a0, a1);                                                \
        a2 = _mm256_hadd_pd(a2, a3);                                                \
        sum = (sbk_f64x4)_mm256_add_pd(_mm256_permute2f128_pd(a0, a2, 0x21),        \
                                       _mm256_blend_pd(a0, a2, 0xc));               \
        for (; lone; lone &= lone - 1) {                                            \
            const int r = __builtin_ctz(lone);                                      \
            sum[r] = sbk_row_f64x4(first + ptr[r], ptr[r + 1] - ptr[r]);            \
        }                                                                           \
        return sum;                                                                 \
    }                                                                               \
    SBK_FN void sbk_rows_##in##_f64x4(SBK_ROWS_ARGS(f64, double, 4, index))         \
    {                                                                               \
        for (int h = 0; h < 4; h++)                                                 \
            sum[h] += sbk_rows4_##in##_f64(term - from, ptr + h * 4);               \
    }

SBK_ROWS_256(i32, int32_t)
SBK_ROWS_256(i64, int64_t)

#endif
#if SBK_VBYTES >= 64

SBK_ROWS_ALONE(f32, float, 16)
SBK_ROWS_ALONE(f64, double, 8)

SBK_FN __m512i
sbk_lens_i32x16(const int32_t *ptr)
{
    return _mm512_sub_epi32(_mm512_loadu_si512(ptr + 1), _mm512_loadu_si512(ptr));
}

SBK_FN __m512i
sbk_lens_i64x16(const int64_t *ptr)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(sbk_lens_i64x8(ptr)),
                              sbk_lens_i64x8(ptr + 8), 1);
}

/* The same of sixteen. */
#define SBK_ROWS_FOURS(e)                                                    \
    _mm512_mask_broadcast_f32x4(                                             \
        _mm512_mask_broadcast_f32x4(                                         \
            _mm512_mask_broadcast_f32x4(                                     \
                _mm512_castps128_ps512(_mm_loadu_ps(term + ptr[e])), 0x00f0, \
                _mm_loadu_ps(term + ptr[4 + (e)])),                          \
            0x0f00, _mm_loadu_ps(term + ptr[8 + (e)])),                      \
        0xf000, _mm_loadu_ps(term + ptr[12 + (e)]))
#define SBK_ROWS_ADD_f32(e)                                                         \
    a##e = _mm512_mask_add_ps(                                                      \
        a##e, _mm512_cmplt_epi32_mask(lane, _mm512_shuffle_epi32(len, 0x55 * (e))), \
        a##e, SBK_ROWS_FOURS(e))

/* f64: the halves of register e are rows x and y. */
#define SBK_ROWS_PAIR(x, y)                                           \
    _mm512_mask_broadcast_f64x4(                                      \
        _mm512_castpd256_pd512(_mm256_loadu_pd(term + ptr[x])), 0xf0, \
        _mm256_loadu_pd(term + ptr[y]))
#define SBK_ROWS_ADD_f64(e, x, y)                                                     \
    a##e = _mm512_mask_add_pd(                                                        \
        a##e,                                                                         \
        _mm256_cmplt_epi32_mask(lane,                                                 \
                                _mm256_permutevar8x32_epi32(                          \
                                    len, _mm256_setr_epi32(x, x, x, x, y, y, y, y))), \
        a##e, SBK_ROWS_PAIR(x, y))

#define SBK_ROWS_512(in, index)                                                     \
    SBK_FN sbk_f32x16 sbk_rows16_##in##_f32(const float *term, const index *ptr)    \
    {                                                                               \
        __m512 a0 = _mm512_setzero_ps(), a1 = a0, a2 = a0, a3 = a0;                 \
        __m512i lane = _mm512_broadcast_i32x4(_mm_setr_epi32(0, 1, 2, 3));          \
        const __m512i all = sbk_lens_##in##x16(ptr);                                \
        unsigned lone =                                                             \
            _mm512_cmpgt_epi32_mask(all, _mm512_set1_epi32(SBK_ROWS_LONG));         \
        const __m512i len = _mm512_maskz_mov_epi32((__mmask16)~lone, all);          \
        const float *const first = term;                                            \
        sbk_f32x16 sum;                                                             \
        do {                                                                        \
            SBK_ROWS_ADD_f32(0), SBK_ROWS_ADD_f32(1);                               \
            SBK_ROWS_ADD_f32(2), SBK_ROWS_ADD_f32(3);                               \
            lane = _mm512_add_epi32(lane, _mm512_set1_epi32(4));                    \
            term += 4;                                                              \
        } while (_mm512_cmpgt_epi32_mask(                                           \
            len, _mm512_broadcastd_epi32(_mm512_castsi512_si128(lane))));           \
        a0 = _mm512_add_ps(_mm512_unpacklo_ps(a0, a1), _mm512_unpackhi_ps(a0, a1)); \
        a2 = _mm512_add_ps(_mm512_unpacklo_ps(a2, a3), _mm512_unpackhi_ps(a2, a3)); \
        sum = (sbk_f32x16)_mm512_add_ps(_mm512_shuffle_ps(a0, a2, 0x44),            \
                                        _mm512_shuffle_ps(a0, a2, 0xee));           \
        for (; lone; lone &= lone - 1) {                                            \
            const int r = __builtin_ctz(lone);                                      \
            const float one = sbk_row_f32x16(first + ptr[r], ptr[r + 1] - ptr[r]);  \
            sum = (sbk_f32x16)_mm512_mask_mov_ps(                                   \
                (__m512)sum, (__mmask16)(lone & -lone), _mm512_set1_ps(one));       \
        }                                                                           \
        return sum;                                                                 \
    }                                                                               \
    SBK_FN sbk_f64x8 sbk_rows8_##in##_f64(const double *term, const index *ptr)     \
    {                                                                               \
        __m512d a0 = _mm512_setzero_pd(), a1 = a0, a2 = a0, a3 = a0;                \
        __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 0, 1, 2, 3);                   \
        const __m256i all = sbk_lens_##in##x8(ptr);                                 \
        unsigned lone =                                                             \
            _mm256_cmpgt_epi32_mask(all, _mm256_set1_epi32(SBK_ROWS_LONG));         \
        const __m256i len = _mm256_maskz_mov_epi32((__mmask8)~lone, all);           \
        const double *const first = term;                                           \
        sbk_f64x8 sum;                                                              \
        do {                                                                        \
            SBK_ROWS_ADD_f64(0, 0, 2), SBK_ROWS_ADD_f64(1, 1, 3);                   \
            SBK_ROWS_ADD_f64(2, 4, 6), SBK_ROWS_ADD_f64(3, 5, 7);                   \
            lane = _mm256_add_epi32(lane, _mm256_set1_epi32(4));                    \
            term += 4;                                                              \
        } while (_mm256_cmpgt_epi32_mask(                                           \
            len, _mm256_broadcastd_epi32(_mm256_castsi256_si128(lane))));           \
        a0 = _mm512_add_pd(_mm512_shuffle_f64x2(a0, a2, 0x88),                      \
                           _mm512_shuffle_f64x2(a0, a2, 0xdd));                     \
        a1 = _mm512_add_pd(_mm512_shuffle_f64x2(a1, a3, 0x88),                      \
                           _mm512_shuffle_f64x2(a1, a3, 0xdd));                     \
        sum = (sbk_f64x8)_mm512_add_pd(_mm512_unpacklo_pd(a0, a1),                  \
                                       _mm512_unpackhi_pd(a0, a1));                 \
        for (; lone; lone &= lone - 1) {                                            \
            const int r = __builtin_ctz(lone);                                      \
            const double one = sbk_row_f64x8(first + ptr[r], ptr[r + 1] - ptr[r]);  \
            sum = (sbk_f64x8)_mm512_mask_mov_pd(                                    \
                (__m512d)sum, (__mmask8)(lone & -lone), _mm512_set1_pd(one));       \
        }                                                                           \
        return sum;                                                                 \
    }                                                                               \
    SBK_FN void sbk_rows_##in##_f32x16(SBK_ROWS_ARGS(f32, float, 16, index))        \
    {                                                                               \
        sum[0] += sbk_rows16_##in##_f32(term - from, ptr);                          \
    }                                                                               \
    SBK_FN void sbk_rows_##in##_f64x8(SBK_ROWS_ARGS(f64, double, 8, index))         \
    {                                                                               \
        sum[0] += sbk_rows8_##in##_f64(term - from, ptr);                           \
        sum[1] += sbk_rows8_##in##_f64(term - from, ptr + 8);                       \
    }

SBK_ROWS_512(i32, int32_t)
SBK_ROWS_512(i64, int64_t)

#endif
#else
SBK_ROWS_ANY(f32, float, 4, i32, int32_t)
SBK_ROWS_ANY(f32, float, 4, i64, int64_t)
#endif

SBK_ROWS_ANY(f64, double, 2, i32, int32_t)
SBK_ROWS_ANY(f64, double, 2, i64, int64_t)

#endif
