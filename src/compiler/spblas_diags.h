/*
 * Sums along diagonals that all of sixteen rows have; part of spblas_kernel.h.
 *
 *   diags_<index>   sum[r] += a[r * len + q] * x[col[q] + r], q in 0 .. len, r in 0 .. 16: the
 *                   rows' values lie one row behind the other, `len` each, and column col[q]
 *                   of the first row is column col[q] + r of row r; sum is vectors
 *
 * Values of neighbouring rows are turned in registers: four of each row of floats by eight
 * shuffles, two of doubles by two, so that a vector has one diagonal of as many rows; no column
 * but a diagonal's first is read, and nothing is gathered. What is left of a row is a tile that
 * ends with it and repeats nothing. A row's sum is in the order of its diagonals.
 */
#ifndef SPBLAS_DIAGS_H
#define SPBLAS_DIAGS_H

#include "compiler/spblas_vector.h"

#define SBK_DIAGS_ARGS(t, elem, n, index) \
    sbk_##t##x##n *sum, const elem *a, int64_t len, const elem *x, const index *col

/* One value at a time. */
#define SBK_DIAGS_ANY(t, elem, n, in, index)                                   \
    SBK_FN void sbk_diags_##in##_##t##x##n(SBK_DIAGS_ARGS(t, elem, n, index))  \
    {                                                                          \
        for (int64_t q = 0; q < len; q++)                                      \
            for (int h = 0; h < 16 / (n); h++) {                               \
                sbk_##t##x##n v;                                               \
                for (int l = 0; l < (n); l++)                                  \
                    v[l] = a[(h * (n) + l) * len + q];                         \
                sum[h] += v * sbk_ld_##t##x##n(x + (int64_t)col[q] + h * (n)); \
            }                                                                  \
    }

#if defined(__SSE2__)

/* Four values of a row that has `len`. */
SBK_FN __m128
sbk_four_f32(const float *a, int64_t len)
{
    return len >= 4 ? _mm_loadu_ps(a) : (__m128)sbk_ldm_f32x4(a, (int)len);
}

/* Register e has row 4 b + e in quarter b; a is of the first. */
#define SBK_DIAGS_FROM4(e) sbk_four_f32(a + (e)*len, len)
#define SBK_DIAGS_FROM8(e) _mm256_set_m128(SBK_DIAGS_FROM4(4 + (e)), SBK_DIAGS_FROM4(e))
#define SBK_DIAGS_STEP_f32 4
#define SBK_DIAGS_TURN_f32(n, pre, reg)                                         \
    const reg r0 = SBK_DIAGS_FROM##n(0), r1 = SBK_DIAGS_FROM##n(1);             \
    const reg r2 = SBK_DIAGS_FROM##n(2), r3 = SBK_DIAGS_FROM##n(3);             \
    const reg a01 = pre##_unpacklo_ps(r0, r1), b01 = pre##_unpackhi_ps(r0, r1); \
    const reg a23 = pre##_unpacklo_ps(r2, r3), b23 = pre##_unpackhi_ps(r2, r3); \
    const reg turned[4] = {                                                     \
        pre##_shuffle_ps(a01, a23, 0x44), pre##_shuffle_ps(a01, a23, 0xee),     \
        pre##_shuffle_ps(b01, b23, 0x44), pre##_shuffle_ps(b01, b23, 0xee)};

/* Diagonals from .. to of a tile, whose first a and col point to, of all rows. */
#define SBK_DIAGS_TILE(t, elem, n, in, index, pre, reg)                                \
    SBK_FN void sbk_tile_##in##_##t##x##n(SBK_DIAGS_ARGS(t, elem, n, index), int from, \
                                          int to)                                      \
    {                                                                                  \
        SBK_UNROLL                                                                     \
        for (int h = 0; h < 16 / (n); h++) {                                           \
            SBK_DIAGS_TURN_##t(n, pre, reg);                                           \
            SBK_UNROLL                                                                 \
            for (int q = from; q < to; q++)                                            \
                sum[h] += (sbk_##t##x##n)turned[q] *                                   \
                          sbk_ld_##t##x##n(x + h * (n) + (int64_t)col[q]);             \
            a += (n)*len;                                                              \
        }                                                                              \
    }                                                                                  \
    SBK_FN void sbk_diags_##in##_##t##x##n(SBK_DIAGS_ARGS(t, elem, n, index))          \
    {                                                                                  \
        enum { STEP = SBK_DIAGS_STEP_##t };                                            \
        const int64_t rest = len % STEP;                                               \
        for (int64_t q = 0; q + STEP <= len; q += STEP)                                \
            sbk_tile_##in##_##t##x##n(sum, a + q, len, x, col + q, 0, STEP);           \
        if (len < STEP) {                                                              \
            if (len == 3)                                                              \
                sbk_tile_##in##_##t##x##n(sum, a, len, x, col, 0, 3);                  \
            else if (len == 2)                                                         \
                sbk_tile_##in##_##t##x##n(sum, a, len, x, col, 0, 2);                  \
            else if (len == 1)                                                         \
                sbk_tile_##in##_##t##x##n(sum, a, len, x, col, 0, 1);                  \
        } else if (rest > 0) {                                                         \
            a += len - STEP, col += len - STEP;                                        \
            if (rest == 1)                                                             \
                sbk_tile_##in##_##t##x##n(sum, a, len, x, col, STEP - 1, STEP);        \
            else if (rest == 2)                                                        \
                sbk_tile_##in##_##t##x##n(sum, a, len, x, col, STEP - 2, STEP);        \
            else                                                                       \
                sbk_tile_##in##_##t##x##n(sum, a, len, x, col, 1, STEP);               \
        }                                                                              \
    }
#define SBK_DIAGS_BOTH(t, elem, n, pre, reg)           \
    SBK_DIAGS_TILE(t, elem, n, i32, int32_t, pre, reg) \
    SBK_DIAGS_TILE(t, elem, n, i64, int64_t, pre, reg)

SBK_DIAGS_BOTH(f32, float, 4, _mm, __m128)

#if SBK_VBYTES >= 32

SBK_DIAGS_BOTH(f32, float, 8, _mm256, __m256)

SBK_FN __m128d
sbk_two_f64(const double *a, int64_t len)
{
    return len >= 2 ? _mm_loadu_pd(a) : _mm_load_sd(a);
}

/* Register e has row 2 b + e in half b. */
#define SBK_DIAGS_FROM(e)                                   \
    _mm256_set_m128d(sbk_two_f64(a + (2 + (e)) * len, len), \
                     sbk_two_f64(a + (e)*len, len))
#define SBK_DIAGS_STEP_f64 2
#define SBK_DIAGS_TURN_f64(n, pre, reg)                       \
    const reg r0 = SBK_DIAGS_FROM(0), r1 = SBK_DIAGS_FROM(1); \
    const reg turned[2] = {pre##_unpacklo_pd(r0, r1), pre##_unpackhi_pd(r0, r1)};

SBK_DIAGS_BOTH(f64, double, 4, _mm256, __m256d)

#endif
#if SBK_VBYTES >= 64

/* By halves, as of shorter registers. */
#define SBK_DIAGS_HALVES(t, elem, n, half, in, index)                         \
    SBK_FN void sbk_diags_##in##_##t##x##n(SBK_DIAGS_ARGS(t, elem, n, index)) \
    {                                                                         \
        sbk_##t##x##half part[16 / (half)];                                   \
        __builtin_memcpy(part, sum, sizeof part);                             \
        sbk_diags_##in##_##t##x##half(part, a, len, x, col);                  \
        __builtin_memcpy(sum, part, sizeof part);                             \
    }

SBK_DIAGS_HALVES(f32, float, 16, 8, i32, int32_t)
SBK_DIAGS_HALVES(f32, float, 16, 8, i64, int64_t)
SBK_DIAGS_HALVES(f64, double, 8, 4, i32, int32_t)
SBK_DIAGS_HALVES(f64, double, 8, 4, i64, int64_t)

#endif
#else
SBK_DIAGS_ANY(f32, float, 4, i32, int32_t)
SBK_DIAGS_ANY(f32, float, 4, i64, int64_t)
#endif

SBK_DIAGS_ANY(f64, double, 2, i32, int32_t)
SBK_DIAGS_ANY(f64, double, 2, i64, int64_t)

#endif
