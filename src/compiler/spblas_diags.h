/*
 * Sums along diagonals that all of sixteen rows have; part of spblas_kernel.h.
 *
 *   diags_<index>   sum[r] += a[r * len + q] * x[col[q] + r], q in 0 .. len, r in 0 .. 16: the
 *                   rows' values lie one row behind the other, `len` each, and column col[q]
 *                   of the first row is column col[q] + r of row r; sum is vectors; with
 *                   registers of 64 bytes asks for as many values from a + ahead on, unless
 *                   that is 0
 *
 * Values of neighbouring rows are turned in registers: four of each row of floats by eight
 * shuffles, two of doubles by two, so that a vector has one diagonal of as many rows; no column
 * but a diagonal's first is read, and nothing is gathered. What is left of a row is a tile that
 * ends with it and repeats nothing. A row's sum is in the order of its diagonals.
 *
 * With AVX-512 tiles are of eight floats of 16 rows or four doubles of eight, and short rows are
 * looked up: two registers hold several of them whole.
 */
#ifndef SPBLAS_DIAGS_H
#define SPBLAS_DIAGS_H

#include "compiler/spblas_vector.h"

#define SBK_DIAGS_ARGS(t, elem, n, index) \
    sbk_##t##x##n *sum, const elem *a, int64_t len, const elem *x, const index *col

/* One value at a time. */
#define SBK_DIAGS_ANY(t, elem, n, in, index)                                   \
    SBK_FN void sbk_diags_##in##_##t##x##n(SBK_DIAGS_ARGS(t, elem, n, index),  \
                                           int64_t ahead)                      \
    {                                                                          \
        (void)ahead;                                                           \
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
    SBK_FN void sbk_diags_##in##_##t##x##n(SBK_DIAGS_ARGS(t, elem, n, index),          \
                                           int64_t ahead)                              \
    {                                                                                  \
        enum { STEP = SBK_DIAGS_STEP_##t };                                            \
        const int64_t rest = len % STEP;                                               \
        (void)ahead;                                                                   \
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

/*
 * Short rows: all diagonals of `len`, at least two, looked up in the two registers that hold as
 * many rows as fit. A lane's index stays in it until the row's registers come by; the last two
 * registers end with the last row.
 */
#define SBK_DIAGS_TABLE(t, elem, n, bits, reg, post)                                 \
    SBK_FN void sbk_table_##t##x##n(reg *turned, const elem *a, int64_t len)         \
    {                                                                                \
        const int rows = 2 * (n) / (int)len, last = (n) * (int)len - 2 * (n);        \
        sbk_i##bits##x##n at;                                                        \
        __m512i one = _mm512_set1_epi##bits(1);                                      \
                                                                                     \
        SBK_UNROLL                                                                   \
        for (int r = 0; r < (n); r++) {                                              \
            const int from = r / rows * rows * (int)len;                             \
            at[r] = r * (int)len - (from < last ? from : last);                      \
        }                                                                            \
        __asm__("" : "+v"(at), "+v"(one)); /* not a table of its own for each q */   \
        turned[0] = (reg)at;                                                         \
        SBK_UNROLL                                                                   \
        for (int q = 1; q < (int)len; q++)                                           \
            turned[q] = (reg)_mm512_add_epi##bits((__m512i)turned[q - 1], one);      \
        SBK_UNROLL                                                                   \
        for (int r = 0; r < (n); r += rows) {                                        \
            const int from = r * (int)len < last ? r * (int)len : last;              \
            const reg lo = _mm512_loadu_##post(a + from);                            \
            const reg hi = _mm512_loadu_##post(a + from + (n));                      \
            const __mmask##n here = (__mmask##n)(((1U << rows) - 1) << r);           \
                                                                                     \
            SBK_UNROLL                                                               \
            for (int q = 0; q < (int)len; q++)                                       \
                turned[q] = _mm512_mask2_permutex2var_##post(lo, (__m512i)turned[q], \
                                                             here, hi);              \
        }                                                                            \
    }

SBK_DIAGS_TABLE(f32, float, 16, 32, __m512, ps)
SBK_DIAGS_TABLE(f64, double, 8, 64, __m512d, pd)

/* What lies at a and at b, half a register each. */
SBK_FN __m512d
sbk_halves_f64(const double *a, const double *b)
{
    return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(a)),
                              _mm256_loadu_pd(b), 1);
}

SBK_FN __m512
sbk_halves_f32(const float *a, const float *b)
{
    return (__m512)_mm512_insertf64x4(
        _mm512_castpd256_pd512((__m256d)_mm256_loadu_ps(a)),
        (__m256d)_mm256_loadu_ps(b), 1);
}

SBK_FN __m512
sbk_quarters_f32(const float *a, const float *b, const float *c, const float *d)
{
    __m512 r = _mm512_castps128_ps512(_mm_loadu_ps(a));

    r = _mm512_insertf32x4(r, _mm_loadu_ps(b), 1);
    r = _mm512_insertf32x4(r, _mm_loadu_ps(c), 2);
    return _mm512_insertf32x4(r, _mm_loadu_ps(d), 3);
}

/* Four diagonals of eight rows. */
SBK_FN void
sbk_turn4_f64x8(__m512d *turned, const double *a, int64_t len)
{
    const int64_t two = 2 * len, three = 3 * len;
    const double *b = a + 4 * len;
    const __m512d r02 = sbk_halves_f64(a, a + two);
    const __m512d r13 = sbk_halves_f64(a + len, a + three);
    const __m512d r46 = sbk_halves_f64(b, b + two);
    const __m512d r57 = sbk_halves_f64(b + len, b + three);
    const __m512d a0 = _mm512_unpacklo_pd(r02, r13), a1 = _mm512_unpackhi_pd(r02, r13);
    const __m512d b0 = _mm512_unpacklo_pd(r46, r57), b1 = _mm512_unpackhi_pd(r46, r57);

    turned[0] = _mm512_shuffle_f64x2(a0, b0, 0x88);
    turned[1] = _mm512_shuffle_f64x2(a1, b1, 0x88);
    turned[2] = _mm512_shuffle_f64x2(a0, b0, 0xdd);
    turned[3] = _mm512_shuffle_f64x2(a1, b1, 0xdd);
}

/* Four registers, each quarter by itself. */
SBK_FN void
sbk_turn_quarters_f32(__m512 *turned, __m512 r0, __m512 r1, __m512 r2, __m512 r3)
{
    const __m512 a01 = _mm512_unpacklo_ps(r0, r1), b01 = _mm512_unpackhi_ps(r0, r1);
    const __m512 a23 = _mm512_unpacklo_ps(r2, r3), b23 = _mm512_unpackhi_ps(r2, r3);

    turned[0] = _mm512_shuffle_ps(a01, a23, 0x44);
    turned[1] = _mm512_shuffle_ps(a01, a23, 0xee);
    turned[2] = _mm512_shuffle_ps(b01, b23, 0x44);
    turned[3] = _mm512_shuffle_ps(b01, b23, 0xee);
}

/* Four diagonals of 16 rows, and eight. */
SBK_FN void
sbk_turn4_f32x16(__m512 *turned, const float *a, int64_t len)
{
    const int64_t two = 2 * len, three = 3 * len;
    const float *b = a + 4 * len, *c = b + 4 * len, *d = c + 4 * len;

    sbk_turn_quarters_f32(turned, sbk_quarters_f32(a, b, c, d),
                          sbk_quarters_f32(a + len, b + len, c + len, d + len),
                          sbk_quarters_f32(a + two, b + two, c + two, d + two),
                          sbk_quarters_f32(a + three, b + three, c + three, d + three));
}

SBK_FN void
sbk_turn8_f32x16(__m512 *turned, const float *a, int64_t len)
{
    const int64_t two = 2 * len, three = 3 * len;
    const float *b = a + 4 * len, *c = b + 4 * len, *d = c + 4 * len;
    __m512 u[4], v[4];

    sbk_turn_quarters_f32(u, sbk_halves_f32(a, b), sbk_halves_f32(a + len, b + len),
                          sbk_halves_f32(a + two, b + two),
                          sbk_halves_f32(a + three, b + three));
    sbk_turn_quarters_f32(v, sbk_halves_f32(c, d), sbk_halves_f32(c + len, d + len),
                          sbk_halves_f32(c + two, d + two),
                          sbk_halves_f32(c + three, d + three));
    SBK_UNROLL
    for (int q = 0; q < 4; q++) {
        turned[q] = _mm512_shuffle_f32x4(u[q], v[q], 0x88);
        turned[4 + q] = _mm512_shuffle_f32x4(u[q], v[q], 0xdd);
    }
}

/* Addresses are made here, not for all lengths ahead of a loop over calls. */
#define SBK_DIAGS_HERE(a, x, len) __asm__("" : "+r"(a), "+r"(x), "+r"(len))

/* Diagonals from .. to of what `turn` turns, whose first a and col point to. */
#define SBK_DIAGS_WIDE(turn, t, elem, n, in, index, reg)                             \
    SBK_FN void sbk_sum_##turn##_##in##_##t##x##n(SBK_DIAGS_ARGS(t, elem, n, index), \
                                                  int from, int to)                  \
    {                                                                                \
        SBK_UNROLL                                                                   \
        for (int h = 0; h < 16 / (n); h++) {                                         \
            reg turned[8];                                                           \
            sbk_##turn##_##t##x##n(turned, a + h * (n)*len, len);                    \
            SBK_UNROLL                                                               \
            for (int q = from; q < to; q++)                                          \
                sum[h] += (sbk_##t##x##n)turned[q] *                                 \
                          sbk_ld_##t##x##n(x + h * (n) + (int64_t)col[q]);           \
        }                                                                            \
    }

/* The values of n diagonals from q on, `ahead` values further. */
#define SBK_DIAGS_ASK(q, n)                                           \
    do {                                                              \
        if (ahead > 0)                                                \
            sbk_ask(a + ahead + 16 * (q), 16 * (n) * (int)sizeof *a); \
    } while (0)

/* Rows of n, and the last n of longer ones, in the tile of `step` that ends with them. */
#define SBK_DIAGS_OF(type, n)                          \
    case n:                                            \
        SBK_DIAGS_ASK(0, n);                           \
        sbk_sum_table_##type(sum, a, n, x, col, 0, n); \
        break;
#define SBK_DIAGS_END(type, step, n)                                                   \
    case n:                                                                            \
        SBK_DIAGS_ASK(len - (n), n);                                                   \
        sbk_sum_turn##step##_##type(sum, a + len - (step), len, x, col + len - (step), \
                                    (step) - (n), step);                               \
        break;

#define SBK_DIAGS_512(in, index)                                                   \
    SBK_DIAGS_WIDE(table, f32, float, 16, in, index, __m512)                       \
    SBK_DIAGS_WIDE(turn4, f32, float, 16, in, index, __m512)                       \
    SBK_DIAGS_WIDE(turn8, f32, float, 16, in, index, __m512)                       \
    SBK_DIAGS_WIDE(table, f64, double, 8, in, index, __m512d)                      \
    SBK_DIAGS_WIDE(turn4, f64, double, 8, in, index, __m512d)                      \
    SBK_FN void sbk_diags_##in##_f32x16(SBK_DIAGS_ARGS(f32, float, 16, index),     \
                                        int64_t ahead)                             \
    {                                                                              \
        SBK_DIAGS_HERE(a, x, len);                                                 \
        switch (len) {                                                             \
        case 1:                                                                    \
            sum[0] += sbk_ld_f32x16(a) * sbk_ld_f32x16(x + (int64_t)col[0]);       \
            break;                                                                 \
            SBK_DIAGS_OF(in##_f32x16, 2)                                           \
            SBK_DIAGS_OF(in##_f32x16, 3)                                           \
            SBK_DIAGS_OF(in##_f32x16, 4)                                           \
            SBK_DIAGS_OF(in##_f32x16, 5)                                           \
            SBK_DIAGS_OF(in##_f32x16, 6)                                           \
            SBK_DIAGS_OF(in##_f32x16, 7)                                           \
            SBK_DIAGS_OF(in##_f32x16, 8)                                           \
        default:                                                                   \
            for (int64_t q = 0; q + 8 <= len; q += 8) {                            \
                SBK_DIAGS_ASK(q, 8);                                               \
                sbk_sum_turn8_##in##_f32x16(sum, a + q, len, x, col + q, 0, 8);    \
            }                                                                      \
            switch (len % 8) {                                                     \
                SBK_DIAGS_END(in##_f32x16, 4, 1)                                   \
                SBK_DIAGS_END(in##_f32x16, 4, 2)                                   \
                SBK_DIAGS_END(in##_f32x16, 4, 3)                                   \
                SBK_DIAGS_END(in##_f32x16, 4, 4)                                   \
                SBK_DIAGS_END(in##_f32x16, 8, 5)                                   \
                SBK_DIAGS_END(in##_f32x16, 8, 6)                                   \
                SBK_DIAGS_END(in##_f32x16, 8, 7)                                   \
            }                                                                      \
        }                                                                          \
    }                                                                              \
    SBK_FN void sbk_diags_##in##_f64x8(SBK_DIAGS_ARGS(f64, double, 8, index),      \
                                       int64_t ahead)                              \
    {                                                                              \
        SBK_DIAGS_HERE(a, x, len);                                                 \
        switch (len) {                                                             \
        case 1:                                                                    \
            sum[0] += sbk_ld_f64x8(a) * sbk_ld_f64x8(x + (int64_t)col[0]);         \
            sum[1] += sbk_ld_f64x8(a + 8) * sbk_ld_f64x8(x + 8 + (int64_t)col[0]); \
            break;                                                                 \
            SBK_DIAGS_OF(in##_f64x8, 2)                                            \
            SBK_DIAGS_OF(in##_f64x8, 3)                                            \
            SBK_DIAGS_OF(in##_f64x8, 4)                                            \
            SBK_DIAGS_OF(in##_f64x8, 5)                                            \
            SBK_DIAGS_OF(in##_f64x8, 6)                                            \
        default:                                                                   \
            for (int64_t q = 0; q + 4 <= len; q += 4) {                            \
                SBK_DIAGS_ASK(q, 4);                                               \
                sbk_sum_turn4_##in##_f64x8(sum, a + q, len, x, col + q, 0, 4);     \
            }                                                                      \
            switch (len % 4) {                                                     \
                SBK_DIAGS_END(in##_f64x8, 4, 1)                                    \
                SBK_DIAGS_END(in##_f64x8, 4, 2)                                    \
                SBK_DIAGS_END(in##_f64x8, 4, 3)                                    \
            }                                                                      \
        }                                                                          \
    }

SBK_DIAGS_512(i32, int32_t)
SBK_DIAGS_512(i64, int64_t)

#endif
#else
SBK_DIAGS_ANY(f32, float, 4, i32, int32_t)
SBK_DIAGS_ANY(f32, float, 4, i64, int64_t)
#endif

SBK_DIAGS_ANY(f64, double, 2, i32, int32_t)
SBK_DIAGS_ANY(f64, double, 2, i64, int64_t)

#endif
