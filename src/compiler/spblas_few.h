/*
 * A row of A times rows of B of 16 or 32 bytes; part of spblas_kernel.h.
 *
 *   few_<index>   acc += the sum of a[q] * row (crd[q] - base) of b, q in lo .. hi; acc is
 *                 `vectors` vectors, the rows of b are `ld` elements apart, crd and a have
 *                 `end` elements
 *
 * A register of 64 bytes holds the rows of two or four entries beside each other, so that one
 * multiply-add serves them all; values are loaded by eight and spread by permutations. The
 * last eight entries, or what there is of them, are masked: rows of up to eight go one way, or
 * two, whatever their length, which no predictor could know. What a mask hides is read all the
 * same, so it must be there: the next rows' entries or, at the end of the matrix, copies.
 * The order of a sum depends on the length of its row alone.
 *
 *   join_<index>, join_end_<index>, halves_<index>
 *
 * are the same by fours, of rows of B of up to 64 bytes, for rows one after the other
 * (emit_join.c): the last four masked (join: four entries lie behind `lo`; join_end: it copies
 * what there is), or four, two and one, where rows have lengths a predictor knows.
 *
 *   slim_<index>
 *
 * is halves of rows of 64 and 128 bytes by registers of 32 bytes, on every level.
 *
 *   eights_<index>, eights_end_<index>
 *
 * are `few` for rows one after the other (eight entries lie behind `lo`; eights_end copies), and
 * of rows of B of 64 bytes as well; of the last vector m lanes are there, in `tail` bytes; tail 0:
 * all are. Where a register of 64 bytes is one operation the chains of
 * additions show first: of long rows each of eight entries, or of registers of them, has a sum
 * of its own.
 */
#ifndef SPBLAS_FEW_H
#define SPBLAS_FEW_H

#include "compiler/spblas_tail.h"
#include "compiler/spblas_vector.h"

#define SBK_FEW_ARGS(t, elem, n, index)                                           \
    sbk_##t##x##n *acc, int vectors, const elem *a, const index *crd, int64_t lo, \
        int64_t hi, int64_t end, const elem *b, int64_t ld, int64_t base

/* One entry at a time. */
#define SBK_FEW_ANY(few, t, elem, n, in, index)                                        \
    SBK_FN void sbk_##few##_##in##_##t##x##n(SBK_FEW_ARGS(t, elem, n, index))          \
    {                                                                                  \
        (void)end;                                                                     \
        for (int64_t q = lo; q < hi; q++) {                                            \
            const elem *row = b + ((int64_t)crd[q] - base) * ld;                       \
            for (int v = 0; v < vectors; v++)                                          \
                acc[v] += sbk_splat_##t##x##n(a[q]) * sbk_ld_##t##x##n(row + v * (n)); \
        }                                                                              \
    }
#define SBK_EIGHTS_ANY(eights, t, elem, n, in, index)                              \
    SBK_FN void sbk_##eights##_##in##_##t##x##n(SBK_FEW_ARGS(t, elem, n, index),   \
                                                int tail, int m)                   \
    {                                                                              \
        (void)end;                                                                 \
        for (int64_t q = lo; q < hi; q++) {                                        \
            const elem *row = b + ((int64_t)crd[q] - base) * ld;                   \
            for (int v = 0; v < vectors; v++)                                      \
                acc[v] +=                                                          \
                    sbk_splat_##t##x##n(a[q]) *                                    \
                    SBK_LD_SOME(t, n, row + v * (n), v == vectors - 1 ? tail : 0); \
        }                                                                          \
    }

/* Most registers of a row of B that is taken by `join`. */
#define SBK_JOIN_WIDE 2

#define SBK_JOIN_A(t, n, k) sbk_splat_##t##x##n(a[k])
#define SBK_JOIN_ROW(k) (b + ((int64_t)crd[k] - base) * ld)

#define SBK_JOIN_ROWS(t, elem, n)                                          \
    SBK_FN void sbk_join_add_##t##x##n(sbk_##t##x##n *s, int vectors,      \
                                       sbk_##t##x##n one, const elem *row) \
    {                                                                      \
        SBK_UNROLL                                                         \
        for (int v = 0; v < vectors; v++)                                  \
            s[v] += one * sbk_ld_##t##x##n(row + v * (n));                 \
    }
/* Entry k to the sums at s. */
#define SBK_JOIN_ADD(t, n, s, k) \
    sbk_join_add_##t##x##n(s, vectors, SBK_JOIN_A(t, n, k), SBK_JOIN_ROW(k))

/* Four entries, each to sums of its own; the last ones by join_part, which masks. */
#define SBK_JOIN_SUM(s, k) ((s) + (k)*SBK_JOIN_WIDE)
#define SBK_JOIN_OPEN(t, n, s)                \
    sbk_##t##x##n s[4 * SBK_JOIN_WIDE] = {0}; \
    for (int v = 0; v < SBK_JOIN_WIDE; v++)   \
    s[v] = v < vectors ? acc[v % vectors] : s[v]
#define SBK_JOIN_CLOSE(s)                                      \
    for (int v = 0; v < SBK_JOIN_WIDE; v++)                    \
        if (v < vectors)                                       \
    acc[v] = (SBK_JOIN_SUM(s, 0)[v] + SBK_JOIN_SUM(s, 1)[v]) + \
             (SBK_JOIN_SUM(s, 2)[v] + SBK_JOIN_SUM(s, 3)[v])
#define SBK_JOINED(t, elem, n, in, index)                                              \
    SBK_FN void sbk_join_full_##in##_##t##x##n(                                        \
        sbk_##t##x##n *s, int vectors, const elem *a, const index *crd, const elem *b, \
        int64_t ld, int64_t base)                                                      \
    {                                                                                  \
        SBK_JOIN_ADD(t, n, SBK_JOIN_SUM(s, 0), 0);                                     \
        SBK_JOIN_ADD(t, n, SBK_JOIN_SUM(s, 1), 1);                                     \
        SBK_JOIN_ADD(t, n, SBK_JOIN_SUM(s, 2), 2);                                     \
        SBK_JOIN_ADD(t, n, SBK_JOIN_SUM(s, 3), 3);                                     \
    }                                                                                  \
    SBK_FN void sbk_join_##in##_##t##x##n(SBK_FEW_ARGS(t, elem, n, index))             \
    {                                                                                  \
        SBK_JOIN_OPEN(t, n, s);                                                        \
        (void)end;                                                                     \
        for (; hi - lo > 4; lo += 4)                                                   \
            sbk_join_full_##in##_##t##x##n(s, vectors, a + lo, crd + lo, b, ld, base); \
        sbk_join_part_##in##_##t##x##n(s, vectors, a + lo, crd + lo, b, ld, base,      \
                                       hi - lo);                                       \
        SBK_JOIN_CLOSE(s);                                                             \
    }                                                                                  \
    SBK_FN void sbk_join_end_##in##_##t##x##n(SBK_FEW_ARGS(t, elem, n, index))         \
    {                                                                                  \
        SBK_JOIN_OPEN(t, n, s);                                                        \
        index crd_[4];                                                                 \
        elem a_[4];                                                                    \
        (void)end;                                                                     \
        if (hi <= lo)                                                                  \
            return;                                                                    \
        for (; hi - lo > 4; lo += 4)                                                   \
            sbk_join_full_##in##_##t##x##n(s, vectors, a + lo, crd + lo, b, ld, base); \
        for (int k = 0; k < 4; k++) {                                                  \
            crd_[k] = crd[lo + k < hi ? lo + k : lo];                                  \
            a_[k] = a[lo + k < hi ? lo + k : lo];                                      \
        }                                                                              \
        sbk_join_part_##in##_##t##x##n(s, vectors, a_, crd_, b, ld, base, hi - lo);    \
        SBK_JOIN_CLOSE(s);                                                             \
    }

/* The k-th of four values from a on in all lanes: of registers of 32 bytes one load and
 * permutations, as loads are what rows of several registers have most of. */
#if SBK_VBYTES >= 32
#define SBK_FOUR_f32x8(a, k) \
    ((sbk_f32x8)_mm256_permute_ps(_mm256_broadcast_ps((const __m128 *)(a)), 0x55 * (k)))
#define SBK_FOUR_f64x4(a, k)       \
    ((sbk_f64x4)_mm256_permute_pd( \
        _mm256_broadcast_pd((const __m128d *)((a) + (k) / 2 * 2)), 0xf * ((k) % 2)))
#else
#define SBK_FOUR_f32x8(a, k) sbk_splat_f32x8((a)[k])
#define SBK_FOUR_f64x4(a, k) sbk_splat_f64x4((a)[k])
#endif
#define SBK_FOUR_f32x4(a, k) sbk_splat_f32x4((a)[k])
#define SBK_FOUR_f64x2(a, k) sbk_splat_f64x2((a)[k])
#define SBK_FOUR_f32x16(a, k) sbk_splat_f32x16((a)[k])
#define SBK_FOUR_f64x8(a, k) sbk_splat_f64x8((a)[k])
/* Entry lo + k of four that begin at lo. */
#define SBK_JOIN_FOURTH(t, n, s, k)                                   \
    sbk_join_add_##t##x##n(s, vectors, SBK_FOUR_##t##x##n(a + lo, k), \
                           SBK_JOIN_ROW(lo + (k)))

/* Four, two and one: rows of one register go to four sums while they are long, then to two; of
 * more registers of 32 bytes to two each, as an addition waits for the one before; of 64 there
 * are chains enough. */
#define SBK_HALVES_WIDE 4
#define SBK_HALVES_APART(t, n) (sizeof(sbk_##t##x##n) < 64)
#define SBK_HALVES(t, elem, n, in, index)                                              \
    SBK_FN void sbk_halves_one_##in##_##t##x##n(SBK_FEW_ARGS(t, elem, n, index))       \
    {                                                                                  \
        sbk_##t##x##n s[4] = {acc[0]};                                                 \
        (void)end;                                                                     \
        if (hi - lo >= 8) {                                                            \
            for (; hi - lo >= 8; lo += 4) {                                            \
                SBK_JOIN_ADD(t, n, s, lo);                                             \
                SBK_JOIN_ADD(t, n, s + 1, lo + 1);                                     \
                SBK_JOIN_ADD(t, n, s + 2, lo + 2);                                     \
                SBK_JOIN_ADD(t, n, s + 3, lo + 3);                                     \
            }                                                                          \
            s[0] += s[2];                                                              \
            s[1] += s[3];                                                              \
        }                                                                              \
        if (hi - lo >= 4) {                                                            \
            SBK_JOIN_ADD(t, n, s, lo);                                                 \
            SBK_JOIN_ADD(t, n, s + 1, lo + 1);                                         \
            SBK_JOIN_ADD(t, n, s, lo + 2);                                             \
            SBK_JOIN_ADD(t, n, s + 1, lo + 3);                                         \
            lo += 4;                                                                   \
        }                                                                              \
        if ((hi - lo) & 2) {                                                           \
            SBK_JOIN_ADD(t, n, s, lo);                                                 \
            SBK_JOIN_ADD(t, n, s + 1, lo + 1);                                         \
            lo += 2;                                                                   \
        }                                                                              \
        if ((hi - lo) & 1)                                                             \
            SBK_JOIN_ADD(t, n, s, lo);                                                 \
        acc[0] = s[0] + s[1];                                                          \
    }                                                                                  \
    SBK_FN void sbk_halves_##in##_##t##x##n(SBK_FEW_ARGS(t, elem, n, index))           \
    {                                                                                  \
        const int apart = SBK_HALVES_APART(t, n);                                      \
        sbk_##t##x##n s[SBK_HALVES_WIDE] = {0}, *const odd = apart ? s : acc;          \
        if (vectors == 1) {                                                            \
            sbk_halves_one_##in##_##t##x##n(acc, 1, a, crd, lo, hi, end, b, ld, base); \
            return;                                                                    \
        }                                                                              \
        for (; hi - lo >= 4; lo += 4) {                                                \
            SBK_JOIN_FOURTH(t, n, acc, 0);                                             \
            SBK_JOIN_FOURTH(t, n, odd, 1);                                             \
            SBK_JOIN_FOURTH(t, n, acc, 2);                                             \
            SBK_JOIN_FOURTH(t, n, odd, 3);                                             \
        }                                                                              \
        if ((hi - lo) & 2) {                                                           \
            SBK_JOIN_ADD(t, n, acc, lo);                                               \
            SBK_JOIN_ADD(t, n, odd, lo + 1);                                           \
            lo += 2;                                                                   \
        }                                                                              \
        if ((hi - lo) & 1)                                                             \
            SBK_JOIN_ADD(t, n, acc, lo);                                               \
        for (int v = 0; apart && v < vectors; v++)                                     \
            acc[v] += s[v];                                                            \
    }

#define SBK_SLIM_ANY(t, elem, n, in, index)                                          \
    SBK_FN void sbk_slim_##in##_##t##x##n(SBK_FEW_ARGS(t, elem, n, index))           \
    {                                                                                \
        sbk_halves_##in##_##t##x##n(acc, vectors, a, crd, lo, hi, end, b, ld, base); \
    }
/* Registers of 64 bytes as two of 32, `half` lanes each; ps: the type's name in intrinsics. By copies
 * of memory the sums would lie there. */
#define SBK_SLIM(t, elem, n, half, ps, join, in, index)                              \
    SBK_FN void sbk_slim_##in##_##t##x##n(SBK_FEW_ARGS(t, elem, n, index))           \
    {                                                                                \
        sbk_##t##x##half s[SBK_HALVES_WIDE];                                         \
        SBK_UNROLL                                                                   \
        for (int v = 0; v < vectors; v++) {                                          \
            s[2 * v] = (sbk_##t##x##half)_mm512_cast##ps##512_##ps##256(acc[v]);     \
            s[2 * v + 1] = (sbk_##t##x##half)_mm512_extract##join##_##ps(acc[v], 1); \
        }                                                                            \
        sbk_halves_##in##_##t##x##half(s, 2 * vectors, a, crd, lo, hi, end, b, ld,   \
                                       base);                                        \
        SBK_UNROLL                                                                   \
        for (int v = 0; v < vectors; v++)                                            \
            acc[v] = (sbk_##t##x##n)_mm512_insert##join(                             \
                _mm512_cast##ps##256_##ps##512(s[2 * v]), s[2 * v + 1], 1);          \
    }

#if SBK_VBYTES >= 64

#define SBK_FEW_ROW(t, n, k) SBK_LD_SOME(t, n, b + ((int64_t)crd[k] - base) * ld, tail)
#define SBK_FEW_ROWS2(t, n, k)                                               \
    _mm512_insertf32x8(_mm512_castps256_ps512((__m256)SBK_FEW_ROW(t, n, k)), \
                       (__m256)SBK_FEW_ROW(t, n, (k) + 1), 1)
#define SBK_FEW_ROWS4(t, n, k)                                                       \
    _mm512_insertf32x4(                                                              \
        _mm512_insertf32x4(                                                          \
            _mm512_insertf32x4(_mm512_castps128_ps512((__m128)SBK_FEW_ROW(t, n, k)), \
                               (__m128)SBK_FEW_ROW(t, n, (k) + 1), 1),               \
            (__m128)SBK_FEW_ROW(t, n, (k) + 2), 2),                                  \
        (__m128)SBK_FEW_ROW(t, n, (k) + 3), 3)

/* Eight values at the beginning of a register. */
#define SBK_FEW_LOAD_ps(a) _mm512_castps256_ps512(_mm256_loadu_ps(a))
#define SBK_FEW_LOAD_pd(a) _mm512_loadu_pd(a)

/* A vector of one row at the beginning of a register of zeros. */
#define SBK_FEW_WIDE2(v) _mm512_zextps256_ps512((__m256)(v))
#define SBK_FEW_WIDE4(v) _mm512_zextps128_ps512((__m128)(v))

/* The sum of the rows in a register, as a vector of one. */
#define SBK_FEW_SUM2(t, v) \
    ((t)_mm512_castps512_ps256((__m512)(v)) + (t)_mm512_extractf32x8_ps((__m512)(v), 1))
#define SBK_FEW_SUM4(t, v)                        \
    ((t)_mm512_castps512_ps128((__m512)(v)) +     \
     (t)_mm512_extractf32x4_ps((__m512)(v), 1) +  \
     ((t)_mm512_extractf32x4_ps((__m512)(v), 2) + \
      (t)_mm512_extractf32x4_ps((__m512)(v), 3)))

/* The first four and the last four of eight entries: register k of rows adds to a sum of its
 * own. f: what adds; its names are those of the functions below. */
#define SBK_FEW_ADD(f, s, k) s = f(s, a + lo, crd + lo, b, ld, base, k, len, 0, 0)
#define SBK_FEW_LOW4(f) SBK_FEW_ADD(f, s0, 0)
#define SBK_FEW_HIGH4(f) SBK_FEW_ADD(f, s1, 1)
#define SBK_FEW_LOW2(f) SBK_FEW_ADD(f, s0, 0), SBK_FEW_ADD(f, s1, 1)
#define SBK_FEW_HIGH2(f) SBK_FEW_ADD(f, s2, 2), SBK_FEW_ADD(f, s3, 3)
/* Half h of eight entries of a and crd, to two sums. */
#define SBK_FEW_STEP(f, s, k, a, crd) s = f(s, a, crd, b, ld, base, k, len, tail, m)
#define SBK_FEW_TO4(f, h, a, crd) SBK_FEW_STEP(f, s##h, h, a, crd)
#define SBK_FEW_TO2(f, h, a, crd) \
    SBK_FEW_STEP(f, s0, 2 * (h), a, crd), SBK_FEW_STEP(f, s1, 2 * (h) + 1, a, crd)

/* all: lanes of a register, n of a row; per: rows in a register; ps, epi: names of the type in
 * intrinsics, word: an integer of its size. part: some of eight entries, those below `len`;
 * full: all of them. */
#define SBK_FEW_512(t, elem, ps, epi, word, all, n, per, in, index)                    \
    SBK_FN sbk_##word##x##all sbk_few_which_##in##_##t##x##n(int k)                    \
    {                                                                                  \
        return (sbk_##word##x##all){SBK_IOTA##all} / (n) + k * (per);                  \
    }                                                                                  \
    SBK_FN sbk_##t##x##all sbk_few_part_##in##_##t##x##n(                              \
        sbk_##t##x##all s, const elem *a, const index *crd, const elem *b, int64_t ld, \
        int64_t base, int k, int64_t len, int tail, int m)                             \
    {                                                                                  \
        const __m512i which = (__m512i)sbk_few_which_##in##_##t##x##n(k);              \
        return (sbk_##t##x##all)_mm512_mask3_fmadd_##ps(                               \
            _mm512_permutexvar_##ps(which, SBK_FEW_LOAD_##ps(a)),                      \
            (sbk_##t##x##all)SBK_FEW_ROWS##per(t, n, k * (per)), s,                    \
            _mm512_cmplt_##epi##_mask(which, _mm512_set1_##epi(len)));                 \
    }                                                                                  \
    SBK_FN sbk_##t##x##all sbk_few_full_##in##_##t##x##n(                              \
        sbk_##t##x##all s, const elem *a, const index *crd, const elem *b, int64_t ld, \
        int64_t base, int k, int64_t len, int tail, int m)                             \
    {                                                                                  \
        const __m512i which = (__m512i)sbk_few_which_##in##_##t##x##n(k);              \
        (void)len, (void)m;                                                            \
        return (sbk_##t##x##all)_mm512_permutexvar_##ps(which, SBK_FEW_LOAD_##ps(a)) * \
                   (sbk_##t##x##all)SBK_FEW_ROWS##per(t, n, k * (per)) +               \
               s;                                                                      \
    }

#if defined(SBK_FAST_GATHER) /* the other text was measured on Zen 4 alone */
#define SBK_FEW_ROWS_512(t, elem, all, n, per, in, index)                 \
    SBK_FN void sbk_few_##in##_##t##x##n(SBK_FEW_ARGS(t, elem, n, index)) \
    {                                                                     \
        sbk_##t##x##all s0 = {0}, s1 = s0, s2 = s0, s3 = s0;              \
        index crd_[8];                                                    \
        elem a_[8];                                                       \
        int64_t len;                                                      \
        (void)vectors; /* one */                                          \
        for (; (len = hi - lo) > 8; lo += 8)                              \
            SBK_FEW_LOW##per(sbk_few_full_##in##_##t##x##n),              \
                SBK_FEW_HIGH##per(sbk_few_full_##in##_##t##x##n);         \
        if (__builtin_expect(end - lo < 8, 0)) {                          \
            if (len <= 0)                                                 \
                return;                                                   \
            for (int k = 0; k < 8; k++) {                                 \
                crd_[k] = crd[lo + (k < len ? k : 0)];                    \
                a_[k] = a[lo + (k < len ? k : 0)];                        \
            }                                                             \
            lo = 0;                                                       \
            __asm__("" : "=r"(crd) : "0"(crd_), "m"(crd_));               \
            __asm__("" : "=r"(a) : "0"(a_), "m"(a_));                     \
        }                                                                 \
        SBK_FEW_LOW##per(sbk_few_part_##in##_##t##x##n);                  \
        if (len > 4)                                                      \
            SBK_FEW_HIGH##per(sbk_few_part_##in##_##t##x##n);             \
        s0 = per == 4 ? s0 + s1 : s0 + s2 + (s1 + s3);                    \
        acc[0] += SBK_FEW_SUM##per(sbk_##t##x##n, s0);                    \
    }
#else
/* The last eight entries, or what there is of them; returns the sum of all registers. */
#define SBK_FEW_LAST_512(t, elem, all, n, per, in, index)                        \
    SBK_FN sbk_##t##x##all sbk_few_last_##in##_##t##x##n(                        \
        sbk_##t##x##all s0, sbk_##t##x##all s1, const elem *a, const index *crd, \
        const elem *b, int64_t ld, int64_t base, int64_t len)                    \
    {                                                                            \
        const int tail = 0, m = 0;                                               \
        SBK_FEW_TO##per(sbk_few_part_##in##_##t##x##n, 0, a, crd);               \
        if (len > 4)                                                             \
            SBK_FEW_TO##per(sbk_few_part_##in##_##t##x##n, 1, a, crd);           \
        return s0 + s1;                                                          \
    }

/* Of short rows all that stands beside the entries shows: two sums, one of them from acc, and
 * copies of a last row that leave the code of the others alone. */
#define SBK_FEW_ROWS_512(t, elem, all, n, per, in, index)                             \
    SBK_FEW_LAST_512(t, elem, all, n, per, in, index)                                 \
    SBK_FN void sbk_few_##in##_##t##x##n(SBK_FEW_ARGS(t, elem, n, index))             \
    {                                                                                 \
        sbk_##t##x##all s0 = (sbk_##t##x##all)SBK_FEW_WIDE##per(acc[0]), s1 = {0};    \
        const int tail = 0, m = 0;                                                    \
        int64_t len;                                                                  \
        (void)vectors; /* one */                                                      \
        for (; (len = hi - lo) > 8; lo += 8)                                          \
            SBK_FEW_TO##per(sbk_few_full_##in##_##t##x##n, 0, a + lo, crd + lo),      \
                SBK_FEW_TO##per(sbk_few_full_##in##_##t##x##n, 1, a + lo, crd + lo);  \
        if (__builtin_expect(end - lo >= 8, 1)) {                                     \
            s0 = sbk_few_last_##in##_##t##x##n(s0, s1, a + lo, crd + lo, b, ld, base, \
                                               len);                                  \
        } else if (len > 0) {                                                         \
            index crd_[8];                                                            \
            elem a_[8];                                                               \
            for (int k = 0; k < 8; k++) {                                             \
                crd_[k] = crd[lo + (k < len ? k : 0)];                                \
                a_[k] = a[lo + (k < len ? k : 0)];                                    \
            }                                                                         \
            s0 = sbk_few_last_##in##_##t##x##n(s0, s1, a_, crd_, b, ld, base, len);   \
        }                                                                             \
        acc[0] = SBK_FEW_SUM##per(sbk_##t##x##n, s0);                                 \
    }
#endif

/* As many bits as the first `len` of four rows have lanes, and entry k's from its first on. */
#define SBK_JOIN_BITS_32(len, n) _cvtu32_mask32(_bzhi_u32(~0U, (unsigned)(len) * (n)))
#define SBK_JOIN_BITS_64(len, n) \
    _cvtu64_mask64(_bzhi_u64(~UINT64_C(0), (unsigned)(len) * (n)))
#define SBK_JOIN_FIRST_32(in) (__mmask8)(in)
#define SBK_JOIN_FIRST_64(in) (__mmask16)(in)
#define SBK_JOIN_LANES_32(in, k) (__mmask8) _kshiftri_mask32(in, k)
#define SBK_JOIN_LANES_64(in, k) (__mmask16) _kshiftri_mask64(in, k)

#define SBK_JOIN_PART(t, n, add, k, lanes)                                           \
    SBK_JOIN_SUM(s, k)                                                               \
    [0] = (sbk_##t##x##n)add(SBK_JOIN_A(t, n, k), sbk_ld_##t##x##n(SBK_JOIN_ROW(k)), \
                             SBK_JOIN_SUM(s, k)[0], lanes)

/* The first `len` of four entries, each to sums of its own. */
#define SBK_JOIN_512(t, elem, n, add, bits, in_, index)                                \
    SBK_FN void sbk_join_part_##in_##_##t##x##n(                                       \
        sbk_##t##x##n *s, int vectors, const elem *a, const index *crd, const elem *b, \
        int64_t ld, int64_t base, int64_t len)                                         \
    {                                                                                  \
        const __mmask##bits in = SBK_JOIN_BITS_##bits(len, n);                         \
        (void)vectors; /* one */                                                       \
        SBK_JOIN_PART(t, n, add, 0, SBK_JOIN_FIRST_##bits(in));                        \
        SBK_JOIN_PART(t, n, add, 1, SBK_JOIN_LANES_##bits(in, 1 * (n)));               \
        SBK_JOIN_PART(t, n, add, 2, SBK_JOIN_LANES_##bits(in, 2 * (n)));               \
        SBK_JOIN_PART(t, n, add, 3, SBK_JOIN_LANES_##bits(in, 3 * (n)));               \
    }

/* Rows of B as long as a register. */
#define SBK_FEW_ROWS1(t, n, k) SBK_FEW_ROW(t, n, k)
#define SBK_FEW_WIDE1(v) (v)
#define SBK_FEW_SUM1(t, v) ((t)(v))

#define SBK_FEW_TO1(f, h, a, crd)                                                   \
    SBK_FEW_STEP(f, s0, 4 * (h), a, crd), SBK_FEW_STEP(f, s1, 4 * (h) + 1, a, crd), \
        SBK_FEW_STEP(f, s0, 4 * (h) + 2, a, crd),                                   \
        SBK_FEW_STEP(f, s1, 4 * (h) + 3, a, crd)

/* Eight entries, a register of rows to a sum of its own; the sum of all that have its parity. */
#define SBK_EIGHTS_LONG4(f, a, crd) SBK_FEW_TO4(f, 0, a, crd), SBK_FEW_TO4(f, 1, a, crd)
#define SBK_EIGHTS_LONG2(f, a, crd)                            \
    SBK_FEW_TO2(f, 0, a, crd), SBK_FEW_STEP(f, s2, 2, a, crd), \
        SBK_FEW_STEP(f, s3, 3, a, crd)
#define SBK_EIGHTS_LONG1(f, a, crd)                                     \
    SBK_EIGHTS_LONG2(f, a, crd), SBK_FEW_STEP(f, s4, 4, a, crd),        \
        SBK_FEW_STEP(f, s5, 5, a, crd), SBK_FEW_STEP(f, s6, 6, a, crd), \
        SBK_FEW_STEP(f, s7, 7, a, crd)

#define SBK_EIGHTS_512(t, elem, all, n, per, in, index)                                \
    SBK_FN int64_t sbk_eights_long_##in##_##t##x##n(                                   \
        sbk_##t##x##all *s, const elem *a, const index *crd, int64_t lo, int64_t hi,   \
        const elem *b, int64_t ld, int64_t base, int tail, int m)                      \
    {                                                                                  \
        sbk_##t##x##all s0 = s[0], s1 = {0}, s2 = s1, s3 = s1, s4 = s1, s5 = s1,       \
                        s6 = s1, s7 = s1;                                              \
        const int64_t len = 8;                                                         \
        for (; hi - lo > 8; lo += 8)                                                   \
            SBK_EIGHTS_LONG##per(sbk_few_full_##in##_##t##x##n, a + lo, crd + lo);     \
        s[0] = (s0 + s2) + (s4 + s6);                                                  \
        s[1] = (s1 + s3) + (s5 + s7);                                                  \
        return lo;                                                                     \
    }                                                                                  \
    SBK_FN sbk_##t##x##n sbk_eights_last_##in##_##t##x##n(                             \
        const sbk_##t##x##all *s, const elem *a, const index *crd, const elem *b,      \
        int64_t ld, int64_t base, int64_t len, int tail, int m)                        \
    {                                                                                  \
        sbk_##t##x##all s0 = s[0], s1 = s[1];                                          \
        SBK_FEW_TO##per(sbk_few_part_##in##_##t##x##n, 0, a, crd);                     \
        if (len > 4)                                                                   \
            SBK_FEW_TO##per(sbk_few_part_##in##_##t##x##n, 1, a, crd);                 \
        s0 += s1;                                                                      \
        return SBK_FEW_SUM##per(sbk_##t##x##n, s0);                                    \
    }                                                                                  \
    SBK_FN void sbk_eights_##in##_##t##x##n(SBK_FEW_ARGS(t, elem, n, index), int tail, \
                                            int m)                                     \
    {                                                                                  \
        sbk_##t##x##all s[2] = {(sbk_##t##x##all)SBK_FEW_WIDE##per(acc[0])};           \
        (void)vectors; /* one */                                                       \
        (void)end;                                                                     \
        if (hi - lo > 8)                                                               \
            lo = sbk_eights_long_##in##_##t##x##n(s, a, crd, lo, hi, b, ld, base,      \
                                                  tail, m);                            \
        acc[0] = sbk_eights_last_##in##_##t##x##n(s, a + lo, crd + lo, b, ld, base,    \
                                                  hi - lo, tail, m);                   \
    }                                                                                  \
    SBK_FN void sbk_eights_end_##in##_##t##x##n(SBK_FEW_ARGS(t, elem, n, index),       \
                                                int tail, int m)                       \
    {                                                                                  \
        sbk_##t##x##all s[2] = {(sbk_##t##x##all)SBK_FEW_WIDE##per(acc[0])};           \
        index crd_[8];                                                                 \
        elem a_[8];                                                                    \
        (void)vectors;                                                                 \
        (void)end;                                                                     \
        if (hi <= lo)                                                                  \
            return;                                                                    \
        if (hi - lo > 8)                                                               \
            lo = sbk_eights_long_##in##_##t##x##n(s, a, crd, lo, hi, b, ld, base,      \
                                                  tail, m);                            \
        for (int k = 0; k < 8; k++) {                                                  \
            crd_[k] = crd[lo + k < hi ? lo + k : lo];                                  \
            a_[k] = a[lo + k < hi ? lo + k : lo];                                      \
        }                                                                              \
        acc[0] = sbk_eights_last_##in##_##t##x##n(s, a_, crd_, b, ld, base, hi - lo,   \
                                                  tail, m);                            \
    }

#elif SBK_VBYTES >= 32

/* Lanes that a mask hides add 0 * 0, whatever the next rows have there. */
#define SBK_JOIN_HIDE(t, n, v, in) \
    ((sbk_##t##x##n)((sbk_##t##x##n##_i)(v) & (sbk_##t##x##n##_i)(in)))
#define SBK_JOIN_256(t, elem, n, pre, ep, ireg, in_, index)                            \
    SBK_FN void sbk_join_part_##in_##_##t##x##n(                                       \
        sbk_##t##x##n *s, int vectors, const elem *a, const index *crd, const elem *b, \
        int64_t ld, int64_t base, int64_t len)                                         \
    {                                                                                  \
        SBK_UNROLL                                                                     \
        for (int k = 0; k < 4; k++) {                                                  \
            const ireg in =                                                            \
                pre##_cmpgt_epi32(pre##_set1_epi32((int)len), pre##_set1_epi32(k));    \
            const sbk_##t##x##n one = SBK_JOIN_HIDE(t, n, SBK_JOIN_A(t, n, k), in);    \
            SBK_UNROLL                                                                 \
            for (int v = 0; v < vectors; v++)                                          \
                SBK_JOIN_SUM(s, k)                                                     \
            [v] += one *                                                               \
                   (sbk_##t##x##n)pre##_maskload_##ep(SBK_JOIN_ROW(k) + v * (n), in);  \
        }                                                                              \
    }

#endif

#define SBK_FEW(f, ...) f(__VA_ARGS__, i32, int32_t) f(__VA_ARGS__, i64, int64_t)

/* Registers without room for several rows; rows of B too short for masks. */
#define SBK_FEW_MASKED(...)                      \
    SBK_FEW(SBK_FEW_ANY, few, __VA_ARGS__)       \
    SBK_FEW(SBK_EIGHTS_ANY, eights, __VA_ARGS__) \
    SBK_FEW(SBK_EIGHTS_ANY, eights_end, __VA_ARGS__)
#define SBK_FEW_ALL(...)                        \
    SBK_FEW_MASKED(__VA_ARGS__)                 \
    SBK_FEW(SBK_FEW_ANY, join, __VA_ARGS__)     \
    SBK_FEW(SBK_FEW_ANY, join_end, __VA_ARGS__) \
    SBK_FEW(SBK_FEW_ANY, halves, __VA_ARGS__)

SBK_FEW_ALL(f32, float, 2)
#if SBK_VBYTES >= 32
SBK_JOIN_ROWS(f32, float, 4)
SBK_JOIN_ROWS(f32, float, 8)
SBK_JOIN_ROWS(f64, double, 2)
SBK_JOIN_ROWS(f64, double, 4)
#endif
#if SBK_VBYTES >= 64
SBK_FEW(SBK_FEW_512, f32, float, ps, epi32, i32, 16, 4, 4)
SBK_FEW(SBK_FEW_ROWS_512, f32, float, 16, 4, 4)
SBK_FEW(SBK_FEW_512, f32, float, ps, epi32, i32, 16, 8, 2)
SBK_FEW(SBK_FEW_ROWS_512, f32, float, 16, 8, 2)
SBK_FEW(SBK_FEW_512, f64, double, pd, epi64, i64, 8, 2, 4)
SBK_FEW(SBK_FEW_ROWS_512, f64, double, 8, 2, 4)
SBK_FEW(SBK_FEW_512, f64, double, pd, epi64, i64, 8, 4, 2)
SBK_FEW(SBK_FEW_ROWS_512, f64, double, 8, 4, 2)
SBK_FEW(SBK_JOIN_512, f32, float, 4, _mm_mask3_fmadd_ps, 32)
SBK_FEW(SBK_JOIN_512, f32, float, 8, _mm256_mask3_fmadd_ps, 32)
SBK_FEW(SBK_JOIN_512, f32, float, 16, _mm512_mask3_fmadd_ps, 64)
SBK_FEW(SBK_JOIN_512, f64, double, 2, _mm_mask3_fmadd_pd, 32)
SBK_FEW(SBK_JOIN_512, f64, double, 4, _mm256_mask3_fmadd_pd, 32)
SBK_FEW(SBK_JOIN_512, f64, double, 8, _mm512_mask3_fmadd_pd, 32)
SBK_JOIN_ROWS(f32, float, 16)
SBK_JOIN_ROWS(f64, double, 8)
SBK_FEW(SBK_JOINED, f32, float, 16)
SBK_FEW(SBK_JOINED, f64, double, 8)
SBK_FEW(SBK_HALVES, f32, float, 16)
SBK_FEW(SBK_HALVES, f64, double, 8)
SBK_FEW(SBK_FEW_512, f32, float, ps, epi32, i32, 16, 16, 1)
SBK_FEW(SBK_FEW_512, f64, double, pd, epi64, i64, 8, 8, 1)
SBK_FEW(SBK_EIGHTS_512, f32, float, 16, 4, 4)
SBK_FEW(SBK_EIGHTS_512, f32, float, 16, 8, 2)
SBK_FEW(SBK_EIGHTS_512, f32, float, 16, 16, 1)
SBK_FEW(SBK_EIGHTS_512, f64, double, 8, 2, 4)
SBK_FEW(SBK_EIGHTS_512, f64, double, 8, 4, 2)
SBK_FEW(SBK_EIGHTS_512, f64, double, 8, 8, 1)
#elif SBK_VBYTES >= 32
SBK_FEW_MASKED(f32, float, 4)
SBK_FEW_MASKED(f32, float, 8)
SBK_FEW_MASKED(f64, double, 2)
SBK_FEW_MASKED(f64, double, 4)
SBK_FEW(SBK_JOIN_256, f32, float, 4, _mm, ps, __m128i)
SBK_FEW(SBK_JOIN_256, f32, float, 8, _mm256, ps, __m256i)
SBK_FEW(SBK_JOIN_256, f64, double, 2, _mm, pd, __m128i)
SBK_FEW(SBK_JOIN_256, f64, double, 4, _mm256, pd, __m256i)
#else
SBK_FEW_ALL(f32, float, 4)
SBK_FEW_ALL(f64, double, 2)
#endif
#if SBK_VBYTES >= 32
SBK_FEW(SBK_JOINED, f32, float, 4)
SBK_FEW(SBK_JOINED, f32, float, 8)
SBK_FEW(SBK_JOINED, f64, double, 2)
SBK_FEW(SBK_JOINED, f64, double, 4)
SBK_FEW(SBK_HALVES, f32, float, 4)
SBK_FEW(SBK_HALVES, f32, float, 8)
SBK_FEW(SBK_HALVES, f64, double, 2)
SBK_FEW(SBK_HALVES, f64, double, 4)
#endif
#if SBK_VBYTES >= 64
SBK_FEW(SBK_SLIM, f32, float, 16, 8, ps, f32x8)
SBK_FEW(SBK_SLIM, f64, double, 8, 4, pd, f64x4)
#elif SBK_VBYTES >= 32
SBK_FEW(SBK_SLIM_ANY, f32, float, 8)
SBK_FEW(SBK_SLIM_ANY, f64, double, 4)
#else
SBK_FEW(SBK_SLIM_ANY, f32, float, 4)
SBK_FEW(SBK_SLIM_ANY, f64, double, 2)
#endif

#endif
