/*
 * Sums of eight neighbouring rows, entries taken by whole vectors wherever rows end; part of
 * spblas_kernel.h.
 *
 *   flow_<offsets>_<columns>   sum[r] += a[q] * x[crd[q]], q in ptr[r] - base ..
 *                              ptr[r + 1] - base, r in 0 .. 8; sum is vectors. Entries up
 *                              to SBK_FLOW_BEHIND behind the last may be read; with
 *                              registers of 32 bytes and more those `ahead` further are
 *                              asked for, unless that is 0, which a kernel's copy for such
 *                              calls has as a constant: no test in the loop over entries
 *
 * Blocks of as many entries as a register has lanes begin at multiples of it in A. Of the
 * block in which a row ends what belongs to the next rows stays in `flow`, which a kernel
 * has once, and is theirs where the next call goes on at that entry: no vector is cut or
 * loaded twice, a row's end is a mask, and of the jumps none waits for what is loaded. A
 * row's sum depends on its entries and on where they lie in A, counted from `base`, not on
 * calls.
 */
#ifndef SPBLAS_FLOW_H
#define SPBLAS_FLOW_H

#include "compiler/spblas_bits.h"

#define SBK_FLOW_ROWS 8
#define SBK_FLOW_BEHIND 16 /* seg.c's */

/* Products of the block that entry `end` lies in, 0 before it. */
#define SBK_FLOW_STATE(t, n)      \
    typedef struct sbk_flow_##t { \
        sbk_##t##x##n left;       \
        int64_t end;              \
    } sbk_flow_##t;

#define SBK_FLOW_ARGS(t, elem, n, offset, index)                        \
    sbk_##t##x##n *sum, const elem *a, const index *crd, const elem *x, \
        const offset *ptr, int64_t base, int64_t ahead, sbk_flow_##t *flow

#if SBK_VBYTES >= 32

/* Four elements by columns of 64 bits. */
SBK_FN sbk_f32x4
sbk_wat_f32(const float *x, const int64_t *q)
{
    return (sbk_f32x4){x[q[0]], x[q[1]], x[q[2]], x[q[3]]};
}

SBK_FN sbk_f64x4
sbk_wat_f64(const double *x, const int64_t *q)
{
    return (sbk_f64x4){x[q[0]], x[q[1]], x[q[2]], x[q[3]]};
}

SBK_FN sbk_f32x8
sbk_wide_f32(const float *x, const int64_t *q)
{
    return (sbk_f32x8)_mm256_set_m128((__m128)sbk_wat_f32(x, q + 4),
                                      (__m128)sbk_wat_f32(x, q));
}

/* Half of eight lanes added to the other. */
SBK_FN __m128
sbk_half_f32(__m256 v)
{
    return _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
}

/* Of a block: elements of x by its columns, the first k lanes, all lanes as four. */
#if SBK_VBYTES >= 64
SBK_FLOW_STATE(f32, 16)
SBK_FLOW_STATE(f64, 8)
#define sbk_block_i32_f32 sbk_ga_f32x16
#define sbk_block_i32_f64 sbk_ga_f64x8
SBK_FN sbk_f32x16
sbk_block_i64_f32(const float *x, const int64_t *q)
{
    return (sbk_f32x16)_mm512_insertf32x8(
        _mm512_castps256_ps512((__m256)sbk_wide_f32(x, q)),
        (__m256)sbk_wide_f32(x, q + 8), 1);
}

SBK_FN sbk_f64x8
sbk_block_i64_f64(const double *x, const int64_t *q)
{
    return (sbk_f64x8)_mm512_insertf64x4(
        _mm512_castpd256_pd512((__m256d)sbk_wat_f64(x, q)),
        (__m256d)sbk_wat_f64(x, q + 4), 1);
}

#define sbk_own_f32(p, k) \
    (sbk_f32x16) _mm512_maskz_mov_ps((__mmask16)SBK_LOW(k), (__m512)(p))
#define sbk_own_f64(p, k) \
    (sbk_f64x8) _mm512_maskz_mov_pd((__mmask8)SBK_LOW(k), (__m512d)(p))
#define sbk_rest_f32(p, own) (sbk_f32x16)((sbk_i32x16)(p) ^ (sbk_i32x16)(own))
#define sbk_rest_f64(p, own) (sbk_f64x8)((sbk_i64x8)(p) ^ (sbk_i64x8)(own))
SBK_FN __m128
sbk_fold_f32(sbk_f32x16 v)
{
    return sbk_half_f32(_mm256_add_ps(_mm512_castps512_ps256((__m512)v),
                                      _mm512_extractf32x8_ps((__m512)v, 1)));
}

SBK_FN __m256d
sbk_fold_f64(sbk_f64x8 v)
{
    return _mm256_add_pd(_mm512_castpd512_pd256((__m512d)v),
                         _mm512_extractf64x4_pd((__m512d)v, 1));
}

#else
SBK_FLOW_STATE(f32, 8)
SBK_FLOW_STATE(f64, 4)
#define sbk_block_i32_f32 sbk_ga_f32x8
#define sbk_block_i32_f64 sbk_ga_f64x4
#define sbk_block_i64_f32 sbk_wide_f32
#define sbk_block_i64_f64 sbk_wat_f64
#define sbk_own_f32(p, k)      \
    (sbk_f32x8) _mm256_and_ps( \
        (__m256)(p),           \
        _mm256_loadu_ps((const float *)(const void *)(sbk_first_8 + 8 - (k))))
#define sbk_own_f64(p, k)      \
    (sbk_f64x4) _mm256_and_pd( \
        (__m256d)(p),          \
        _mm256_loadu_pd((const double *)(const void *)(sbk_first_4 + 4 - (k))))
#define sbk_rest_f32(p, own) (sbk_f32x8) _mm256_xor_ps((__m256)(p), (__m256)(own))
#define sbk_rest_f64(p, own) (sbk_f64x4) _mm256_xor_pd((__m256d)(p), (__m256d)(own))
#define sbk_fold_f32(v) sbk_half_f32((__m256)(v))
#define sbk_fold_f64(v) (__m256d)(v)
#endif

/* The sums of four registers. */
SBK_FN __m128
sbk_four_sums_f32(const __m128 v[4])
{
    const __m128 a =
        _mm_add_ps(_mm_unpacklo_ps(v[0], v[1]), _mm_unpackhi_ps(v[0], v[1]));
    const __m128 b =
        _mm_add_ps(_mm_unpacklo_ps(v[2], v[3]), _mm_unpackhi_ps(v[2], v[3]));

    return _mm_add_ps(_mm_movelh_ps(a, b), _mm_movehl_ps(b, a));
}

SBK_FN __m256d
sbk_four_sums_f64(const __m256d v[4])
{
    const __m256d a = _mm256_hadd_pd(v[0], v[1]), b = _mm256_hadd_pd(v[2], v[3]);

    return _mm256_add_pd(_mm256_permute2f128_pd(a, b, 0x20),
                         _mm256_permute2f128_pd(a, b, 0x31));
}

/* A row, which ends before `end`: of the block at `at`, whose products `left` are, and on. */
#define SBK_FLOW_ROW(t, elem, n, part, jn, index)                           \
    SBK_FN part sbk_flow_row_##jn##_##t(                                    \
        const elem *a, const index *crd, const elem *x, int64_t end,        \
        sbk_##t##x##n *left, int64_t *at, int64_t ahead)                    \
    {                                                                       \
        const int64_t last = end & -(n);                                    \
        sbk_##t##x##n sum = {0}, p = *left, own;                            \
        int64_t q = *at;                                                    \
        while (q < last) {                                                  \
            sum += p;                                                       \
            q += (n);                                                       \
            __asm__("" : "+r"(q));                                          \
            if (ahead > 0) {                                                \
                sbk_ask(a + q + ahead, (n) * (int)sizeof *a);               \
                sbk_ask(crd + q + ahead, (n) * (int)sizeof *crd);           \
            }                                                               \
            p = sbk_ld_##t##x##n(a + q) * sbk_block_##jn##_##t(x, crd + q); \
        }                                                                   \
        own = sbk_own_##t(p, end & ((n)-1));                                \
        *left = sbk_rest_##t(p, own);                                       \
        *at = q;                                                            \
        return sbk_fold_##t(sum + own);                                     \
    }

#define SBK_FLOW_NEXT(r, jn, t) \
    sbk_flow_row_##jn##_##t(a, crd, x, (int64_t)ptr[(r) + 1], &left, &at, ahead)
#define SBK_FLOW_FOUR(r, part, jn, t)                                                 \
    __extension__({                                                                   \
        part v_[4];                                                                   \
        v_[0] = SBK_FLOW_NEXT((r), jn, t), v_[1] = SBK_FLOW_NEXT((r) + 1, jn, t);     \
        v_[2] = SBK_FLOW_NEXT((r) + 2, jn, t), v_[3] = SBK_FLOW_NEXT((r) + 3, jn, t); \
        sbk_four_sums_##t(v_);                                                        \
    })
/* Products of the block of entry p, 0 before it whatever x holds there. */
#define SBK_FLOW_FIRST(t, elem, n, jn, index)                                       \
    SBK_FN sbk_##t##x##n sbk_flow_first_##jn##_##t(const elem *a, const index *crd, \
                                                   const elem *x, int64_t p)        \
    {                                                                               \
        const int64_t at = p & -(n);                                                \
        sbk_##t##x##n all, before;                                                  \
        index col[n];                                                               \
        elem val[n];                                                                \
        for (int l = 0; l < (n); l++) {                                             \
            col[l] = crd[at + l < p ? p : at + l];                                  \
            val[l] = a[at + l < p ? p : at + l];                                    \
        }                                                                           \
        all = sbk_ld_##t##x##n(val) * sbk_block_##jn##_##t(x, col);                 \
        before = sbk_own_##t(all, p & ((n)-1));                                     \
        return sbk_rest_##t(all, before);                                           \
    }
#define SBK_FLOW_FULL(t, elem, n, sums, part, in, offset, jn, index) \
    SBK_FN void sbk_flow_##in##_##jn##_##t##x##sums(                 \
        SBK_FLOW_ARGS(t, elem, sums, offset, index))                 \
    {                                                                \
        int64_t at = (int64_t)ptr[0] & -(n);                         \
        sbk_##t##x##n left = flow->left;                             \
        part half[2];                                                \
        a -= base, crd -= base;                                      \
        if (flow->end != ptr[0])                                     \
            left = sbk_flow_first_##jn##_##t(a, crd, x, ptr[0]);     \
        half[0] = SBK_FLOW_FOUR(0, part, jn, t);                     \
        half[1] = SBK_FLOW_FOUR(4, part, jn, t);                     \
        SBK_FLOW_ADD_##t##x##sums(sum, half[0], half[1]);            \
        flow->left = left;                                           \
        flow->end = ptr[8];                                          \
    }
#define SBK_FLOW_ADD_f32x8(sum, a, b) *(sum) += (sbk_f32x8)_mm256_set_m128(b, a)
#define SBK_FLOW_ADD_f64x4(sum, a, b) \
    (sum)[0] += (sbk_f64x4)(a), (sum)[1] += (sbk_f64x4)(b)
#define SBK_FLOW_ADD_f64x8(sum, a, b) \
    *(sum) += (sbk_f64x8)_mm512_insertf64x4(_mm512_castpd256_pd512(a), b, 1)
#define SBK_FLOW(t, elem, n, sums, part)                              \
    SBK_FLOW_ROW(t, elem, n, part, i32, int32_t)                      \
    SBK_FLOW_ROW(t, elem, n, part, i64, int64_t)                      \
    SBK_FLOW_FIRST(t, elem, n, i32, int32_t)                          \
    SBK_FLOW_FIRST(t, elem, n, i64, int64_t)                          \
    SBK_FLOW_FULL(t, elem, n, sums, part, i32, int32_t, i32, int32_t) \
    SBK_FLOW_FULL(t, elem, n, sums, part, i64, int64_t, i32, int32_t) \
    SBK_FLOW_FULL(t, elem, n, sums, part, i64, int64_t, i64, int64_t)

#if SBK_VBYTES >= 64
SBK_FLOW(f32, float, 16, 8, __m128)
SBK_FLOW(f64, double, 8, 8, __m256d)
#else
SBK_FLOW(f32, float, 8, 8, __m128)
SBK_FLOW(f64, double, 4, 4, __m256d)
#endif

#else

/* One entry at a time. */
#define SBK_FLOW_NONE(t)          \
    typedef struct sbk_flow_##t { \
        int64_t end;              \
    } sbk_flow_##t;
SBK_FLOW_NONE(f32)
SBK_FLOW_NONE(f64)
#define SBK_FLOW_ANY(t, elem, n, in, offset, jn, index)                          \
    SBK_FN void sbk_flow_##in##_##jn##_##t##x##n(                                \
        SBK_FLOW_ARGS(t, elem, n, offset, index))                                \
    {                                                                            \
        (void)flow, (void)ahead;                                                 \
        for (int r = 0; r < SBK_FLOW_ROWS; r++) {                                \
            elem all = 0;                                                        \
            for (int64_t q = ptr[r] - base; q < (int64_t)ptr[r + 1] - base; q++) \
                all += a[q] * x[crd[q]];                                         \
            sum[r / (n)][r % (n)] += all;                                        \
        }                                                                        \
    }
#define SBK_FLOW(t, elem, n)                             \
    SBK_FLOW_ANY(t, elem, n, i32, int32_t, i32, int32_t) \
    SBK_FLOW_ANY(t, elem, n, i64, int64_t, i32, int32_t) \
    SBK_FLOW_ANY(t, elem, n, i64, int64_t, i64, int64_t)

SBK_FLOW(f32, float, 4)
SBK_FLOW(f64, double, 2)

#endif
#endif
