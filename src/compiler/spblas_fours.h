/*
 * A row of A times rows of B of any width; part of spblas_kernel.h.
 *
 *   fours_<index>   acc += the sum of a[q] * row (crd[q] - base) of b, q in lo .. hi, as `few` does
 *                   (spblas_few.h), four entries, two and one at a time; of the last of `vectors`
 *                   vectors m lanes are there, in `tail` bytes; tail 0: all are
 *   SBK_CUTS        f(.., w, bytes, usual) for n columns, tile / 2 < n < tile, that are w vectors of
 *                   which the last is begun and ends within `bytes` bytes: constants in f, which is
 *                   inlined
 *
 * An addition waits for the one before: of few vectors entries in turn have sums of their own.
 * The order of a sum depends on the length of its row alone.
 */
#ifndef SPBLAS_FOURS_H
#define SPBLAS_FOURS_H

#include "compiler/spblas_tail.h"
#include "compiler/spblas_vector.h"

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
#define SBK_FOURS_OF(t, elem, n)                                                      \
    SBK_FN void sbk_fours_add_##t##x##n(sbk_##t##x##n *s, int vectors,                \
                                        sbk_##t##x##n one, const elem *row, int tail, \
                                        int m)                                        \
    {                                                                                 \
        SBK_UNROLL                                                                    \
        for (int v = 0; v < vectors; v++)                                             \
            s[v] += one * (tail && v == vectors - 1                                   \
                               ? sbk_ldt_##t##x##n(row + v * (n), m, tail)            \
                               : sbk_ld_##t##x##n(row + v * (n)));                    \
    }                                                                                 \
    SBK_FOURS(t, elem, n, i32, int32_t)                                               \
    SBK_FOURS(t, elem, n, i64, int64_t)

SBK_FOURS_OF(f32, float, 2)
SBK_FOURS_OF(f32, float, 4)
SBK_FOURS_OF(f64, double, 2)
#if SBK_VBYTES >= 32
SBK_FOURS_OF(f32, float, 8)
SBK_FOURS_OF(f64, double, 4)
#endif
#if SBK_VBYTES >= 64
SBK_FOURS_OF(f32, float, 16)
SBK_FOURS_OF(f64, double, 8)
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
