/*
 * Sums across the lanes of several vectors at once; part of spblas_kernel.h. Of f32, f64:
 *
 *   join   of two vectors the lanes h apart added: a's in lanes without bit h, b's in those
 *          with it
 *   sums   to[e] += the sum of e's `lanes` lanes, by halves: l and l + lanes / 2 first
 *
 * One vector alone takes a shuffle for each halving; joined, two share it.
 */
#ifndef SPBLAS_SUMS_H
#define SPBLAS_SUMS_H

#include "compiler/spblas_vector.h"

#if defined(__clang__)
#define SBK_JOIN(tn, a, b, n, h, ...)                    \
    sbk_##tn near_ = a, far_ = a;                        \
    SBK_UNROLL                                           \
    for (int k_ = 0; k_ < (n); k_++) {                   \
        near_[k_] = k_ & (h) ? b[k_] : a[k_];            \
        far_[k_] = k_ & (h) ? b[k_ ^ (h)] : a[k_ ^ (h)]; \
    }                                                    \
    return near_ + far_;
#define SBK_EVERY(tn, v, n, step, ...)     \
    sbk_##tn r_ = v;                       \
    SBK_UNROLL                             \
    for (int k_ = 0; k_ < (n); k_++)       \
        r_[k_] = v[k_ * (step) & ((n)-1)]; \
    return r_;
#else
#define SBK_JOIN(tn, a, b, n, h, ...)                          \
    const sbk_##tn##_i k_ = {__VA_ARGS__};                     \
    const sbk_##tn##_i from_ = k_ | (((k_ & (h)) != 0) & (n)); \
    return __builtin_shuffle(a, b, from_) + __builtin_shuffle(a, b, from_ ^ (h));
#define SBK_EVERY(tn, v, n, step, ...)     \
    const sbk_##tn##_i k_ = {__VA_ARGS__}; \
    return __builtin_shuffle(v, k_ * (step) & ((n)-1));
#endif

/* h and step are constants once inlined; sumsK: of K vectors, lane e * n / K has the e-th. */
#define SBK_SUMS(t, elem, n)                                                           \
    SBK_FN sbk_##t##x##n sbk_join_##t##x##n(sbk_##t##x##n a, sbk_##t##x##n b,          \
                                            int h){SBK_JOIN(                           \
        t##x##n, a, b, n, h,                                                           \
        SBK_IOTA##n)} SBK_FN sbk_##t##x##n sbk_every_##t##x##n(sbk_##t##x##n v,        \
                                                               int step){SBK_EVERY(    \
        t##x##n, v, n, step,                                                           \
        SBK_IOTA##n)} SBK_FN sbk_##t##x##n sbk_sums1_##t##x##n(const sbk_##t##x##n *v, \
                                                               int h)                  \
    {                                                                                  \
        sbk_##t##x##n a = *v;                                                          \
        a = h >= 8 ? sbk_join_##t##x##n(a, a, 8 & ((n)-1)) : a;                        \
        a = h >= 4 ? sbk_join_##t##x##n(a, a, 4 & ((n)-1)) : a;                        \
        a = h >= 2 ? sbk_join_##t##x##n(a, a, 2 & ((n)-1)) : a;                        \
        return h >= 1 ? sbk_join_##t##x##n(a, a, 1 & ((n)-1)) : a;                     \
    }                                                                                  \
    SBK_SUMS_OF(t##x##n, 2, 1)                                                         \
    SBK_SUMS_OF(t##x##n, 4, 2)                                                         \
    SBK_SUMS_OF(t##x##n, 8, 4)                                                         \
    SBK_FN sbk_##t##x##n sbk_whole_##t##x##n(const sbk_##t##x##n *p, int count)        \
    {                                                                                  \
        return count == 1   ? p[0]                                                     \
               : count == 2 ? p[0] + p[1]                                              \
                            : (p[0] + p[2 % count]) + (p[1 % count] + p[3 % count]);   \
    }                                                                                  \
    SBK_FN void sbk_sums_##t##x##n(elem *to, const sbk_##t##x##n *part, int count,     \
                                   int lanes)                                          \
    {                                                                                  \
        const int whole = count & -count, most = (n) < 8 ? (n) : 8;                    \
        const int group = whole < most ? whole : most;                                 \
        SBK_UNROLL                                                                     \
        for (int e = 0; e < count; e += group) {                                       \
            sbk_##t##x##n v[8];                                                        \
            elem at[n];                                                                \
            SBK_UNROLL                                                                 \
            for (int q = 0; q < group; q++)                                            \
                v[q] =                                                                 \
                    sbk_whole_##t##x##n(part + (e + q) * (lanes / (n)), lanes / (n));  \
            v[0] = group == 8   ? sbk_sums8_##t##x##n(v, (n) / 2)                      \
                   : group == 4 ? sbk_sums4_##t##x##n(v, (n) / 2)                      \
                   : group == 2 ? sbk_sums2_##t##x##n(v, (n) / 2)                      \
                                : sbk_sums1_##t##x##n(v, (n) / 2);                     \
            if (group < (n))                                                           \
                v[0] = sbk_every_##t##x##n(v[0], (n) / group);                         \
            sbk_st_##t##x##n(at, v[0]);                                                \
            SBK_UNROLL                                                                 \
            for (int q = 0; q < group; q++)                                            \
                to[e + q] += at[q];                                                    \
        }                                                                              \
    }
#define SBK_SUMS_OF(tn, count, half)                                 \
    SBK_FN sbk_##tn sbk_sums##count##_##tn(const sbk_##tn *v, int h) \
    {                                                                \
        sbk_##tn w[half];                                            \
        SBK_UNROLL                                                   \
        for (int q = 0; q < (half); q++)                             \
            w[q] = sbk_join_##tn(v[q], v[q + (half)], h);            \
        return sbk_sums##half##_##tn(w, h / 2);                      \
    }

SBK_SUMS(f32, float, 2)
SBK_SUMS(f32, float, 4)
SBK_SUMS(f64, double, 2)
#if SBK_VBYTES >= 32
SBK_SUMS(f32, float, 8)
SBK_SUMS(f64, double, 4)
#endif
#if SBK_VBYTES >= 64
SBK_SUMS(f32, float, 16)
SBK_SUMS(f64, double, 8)
#endif

#endif
