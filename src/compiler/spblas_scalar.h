/*
 * Scalars of emitted kernels, the same text for every target: parameters, complex and
 * 16-bit types, integer division, searches, conversions. SBK_FN, the beginning of a
 * function of the target, is defined by who includes this.
 */
#ifndef SPBLAS_SCALAR_H
#define SPBLAS_SCALAR_H

#ifndef SBK_FN
#include <stdint.h>
#define SBK_FN static inline __attribute__((unused))
#endif

/* One parameter of a kernel, by the type the program gives it. */
typedef union sb_kparam {
    int64_t i;
    int32_t i32;
    float f[2];
    double d[2];
} sb_kparam;

typedef uint16_t sbk_f16;
typedef uint16_t sbk_bf16;
typedef struct sbk_c16 {
    sbk_f16 re, im;
} sbk_c16;
typedef struct sbk_cbf16 {
    sbk_bf16 re, im;
} sbk_cbf16;
typedef struct sbk_c32 {
    float re, im;
} sbk_c32;
typedef struct sbk_c64 {
    double re, im;
} sbk_c64;

#define SBK_COMPLEX(t, real)                                                     \
    SBK_FN sbk_##t sbk_mk_##t(real re, real im)                                  \
    {                                                                            \
        sbk_##t z;                                                               \
        z.re = re;                                                               \
        z.im = im;                                                               \
        return z;                                                                \
    }                                                                            \
    SBK_FN sbk_##t sbk_neg_##t(sbk_##t a)                                        \
    {                                                                            \
        return sbk_mk_##t(-a.re, -a.im);                                         \
    }                                                                            \
    SBK_FN sbk_##t sbk_conj_##t(sbk_##t a)                                       \
    {                                                                            \
        return sbk_mk_##t(a.re, -a.im);                                          \
    }                                                                            \
    SBK_FN sbk_##t sbk_add_##t(sbk_##t a, sbk_##t b)                             \
    {                                                                            \
        return sbk_mk_##t(a.re + b.re, a.im + b.im);                             \
    }                                                                            \
    SBK_FN sbk_##t sbk_sub_##t(sbk_##t a, sbk_##t b)                             \
    {                                                                            \
        return sbk_mk_##t(a.re - b.re, a.im - b.im);                             \
    }                                                                            \
    SBK_FN sbk_##t sbk_mul_##t(sbk_##t a, sbk_##t b)                             \
    {                                                                            \
        return sbk_mk_##t(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re); \
    }                                                                            \
    SBK_FN sbk_##t sbk_div_##t(sbk_##t a, sbk_##t b)                             \
    {                                                                            \
        const real d = b.re * b.re + b.im * b.im;                                \
        return sbk_mk_##t((a.re * b.re + a.im * b.im) / d,                       \
                          (a.im * b.re - a.re * b.im) / d);                      \
    }                                                                            \
    SBK_FN int sbk_eq_##t(sbk_##t a, sbk_##t b)                                  \
    {                                                                            \
        return a.re == b.re && a.im == b.im;                                     \
    }
SBK_COMPLEX(c32, float)
SBK_COMPLEX(c64, double)

SBK_FN sbk_c64
sbk_cvt_c32_c64(sbk_c32 z)
{
    return sbk_mk_c64(z.re, z.im);
}
SBK_FN sbk_c32
sbk_cvt_c64_c32(sbk_c64 z)
{
    return sbk_mk_c32((float)z.re, (float)z.im);
}

#define SBK_MINMAX(t, type)                 \
    SBK_FN type sbk_min_##t(type a, type b) \
    {                                       \
        return a < b ? a : b;               \
    }                                       \
    SBK_FN type sbk_max_##t(type a, type b) \
    {                                       \
        return a > b ? a : b;               \
    }
SBK_MINMAX(i8, int8_t)
SBK_MINMAX(i16, int16_t)
SBK_MINMAX(i32, int32_t)
SBK_MINMAX(i64, int64_t)
SBK_MINMAX(f32, float)
SBK_MINMAX(f64, double)

/* Quotient towards minus infinity and its remainder, divisor > 0. */
SBK_FN int64_t
sbk_div_i64(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}
SBK_FN int64_t
sbk_mod_i64(int64_t a, int64_t b)
{
    const int64_t r = a % b;

    return r < 0 ? r + b : r;
}

/* Position of x in the sorted range crd[lo, hi), or -1. */
#define SBK_FIND(t, type)                                                           \
    SBK_FN int64_t sbk_find_##t(const type *crd, int64_t lo, int64_t hi, int64_t x) \
    {                                                                               \
        const int64_t end = hi;                                                     \
        while (lo < hi) {                                                           \
            const int64_t mid = lo + (hi - lo) / 2;                                 \
            if (crd[mid] < x)                                                       \
                lo = mid + 1;                                                       \
            else                                                                    \
                hi = mid;                                                           \
        }                                                                           \
        return lo < end && crd[lo] == x ? lo : -1;                                  \
    }
SBK_FIND(i8, int8_t)
SBK_FIND(i16, int16_t)
SBK_FIND(i32, int32_t)
SBK_FIND(i64, int64_t)

/* Bits set in m below bit n. */
SBK_FN int64_t
sbk_ones(int64_t m, int64_t n)
{
    return __builtin_popcountll((uint64_t)m & ((UINT64_C(1) << n) - 1));
}

/* First position in the ascending range crd[lo, hi) with crd >= x, or hi. Steps that
 * double: cheap where the answer is near lo, as for the cursor of a merge. */
#define SBK_SEEK(t, type)                                                           \
    SBK_FN int64_t sbk_seek_##t(const type *crd, int64_t lo, int64_t hi, int64_t x) \
    {                                                                               \
        int64_t step = 1;                                                           \
        while (step < hi - lo && crd[lo + step - 1] < x) {                          \
            lo += step;                                                             \
            step *= 2;                                                              \
        }                                                                           \
        if (hi - lo > step)                                                         \
            hi = lo + step;                                                         \
        while (lo < hi) {                                                           \
            const int64_t mid = lo + (hi - lo) / 2;                                 \
            if (crd[mid] < x)                                                       \
                lo = mid + 1;                                                       \
            else                                                                    \
                hi = mid;                                                           \
        }                                                                           \
        return hi;                                                                  \
    }
SBK_SEEK(i32, int32_t)
SBK_SEEK(i64, int64_t)

/* First position in the ascending range ptr[lo, hi) with ptr + position >= x, or hi. */
#define SBK_REACH(t, type)                                                           \
    SBK_FN int64_t sbk_reach_##t(const type *ptr, int64_t lo, int64_t hi, int64_t x) \
    {                                                                                \
        while (lo < hi) {                                                            \
            const int64_t mid = lo + (hi - lo) / 2;                                  \
            if (ptr[mid] + mid < x)                                                  \
                lo = mid + 1;                                                        \
            else                                                                     \
                hi = mid;                                                            \
        }                                                                            \
        return hi;                                                                   \
    }
SBK_REACH(i32, int32_t)
SBK_REACH(i64, int64_t)

SBK_FN float
sbk_cvt_bf16_f32(sbk_bf16 h)
{
    const uint32_t bits = (uint32_t)h << 16;
    float f;

    __builtin_memcpy(&f, &bits, sizeof f);
    return f;
}

SBK_FN float
sbk_cvt_f16_f32(sbk_f16 h)
{
#if defined(__CUDA_ARCH__)
    float g;

    asm("cvt.f32.f16 %0, %1;" : "=f"(g) : "h"(h));
    return g;
#elif defined(__F16C__)
    return _cvtsh_ss(h);
#else
    const uint32_t sign = (uint32_t)(h & 0x8000) << 16, e = h >> 10 & 31, m = h & 1023;
    uint32_t bits = sign | (e + 112) << 23 | m << 13;
    float f;

    if (e == 0) {
        f = (float)m * 0x1p-24f;
        return sign ? -f : f;
    }
    if (e == 31)
        bits = sign | 0x7f800000u | m << 13;
    __builtin_memcpy(&f, &bits, sizeof f);
    return f;
#endif
}

/* A double to a 16-bit float of `mbits` mantissa bits, rounded once, ties to even. */
SBK_FN uint16_t
sbk_narrow(double v, int mbits)
{
    const int ebits = 15 - mbits;
    const int bias = (1 << (ebits - 1)) - 1;
    const uint16_t inf = (uint16_t)(((1u << ebits) - 1) << mbits);
    uint64_t bits, mant, rest;
    uint16_t sign;
    int e, by;

    __builtin_memcpy(&bits, &v, sizeof bits);
    sign = (uint16_t)(bits >> 48 & 0x8000);
    mant = bits & ((UINT64_C(1) << 52) - 1);
    e = (int)(bits >> 52 & 0x7ff) - 1023 + bias;
    if (v != v)
        return (uint16_t)(sign | inf | 1u << (mbits - 1) | mant >> (52 - mbits));
    if (e >= (1 << ebits) - 1)
        return (uint16_t)(sign | inf);
    if (e < -mbits)
        return sign;
    by = e > 0 ? 52 - mbits : 53 - mbits - e;
    mant |= e > 0 ? (uint64_t)e << 52 : UINT64_C(1) << 52;
    rest = mant & ((UINT64_C(1) << by) - 1);
    mant >>= by;
    mant += rest > UINT64_C(1) << (by - 1) ||
            (rest == UINT64_C(1) << (by - 1) && (mant & 1));
    return (uint16_t)(sign | mant);
}

SBK_FN sbk_f16
sbk_cvt_f64_f16(double v)
{
    return sbk_narrow(v, 10);
}
SBK_FN sbk_bf16
sbk_cvt_f64_bf16(double v)
{
    return sbk_narrow(v, 7);
}
SBK_FN sbk_f16
sbk_cvt_f32_f16(float v)
{
#if defined(__CUDA_ARCH__)
    sbk_f16 h;

    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(v));
    return h;
#elif defined(__F16C__)
    return (sbk_f16)_cvtss_sh(v, 0);
#else
    return sbk_narrow((double)v, 10);
#endif
}
SBK_FN sbk_bf16
sbk_cvt_f32_bf16(float v)
{
    uint32_t u;

    __builtin_memcpy(&u, &v, sizeof u);
    if (v != v)
        return (sbk_bf16)(u >> 16 | 0x40);
    return (sbk_bf16)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

#define SBK_HALF_PAIR(t, part)                                                     \
    SBK_FN sbk_c32 sbk_cvt_##t##_c32(sbk_##t z)                                    \
    {                                                                              \
        return sbk_mk_c32(sbk_cvt_##part##_f32(z.re), sbk_cvt_##part##_f32(z.im)); \
    }                                                                              \
    SBK_FN sbk_##t sbk_cvt_c32_##t(sbk_c32 z)                                      \
    {                                                                              \
        sbk_##t h;                                                                 \
        h.re = sbk_cvt_f32_##part(z.re);                                           \
        h.im = sbk_cvt_f32_##part(z.im);                                           \
        return h;                                                                  \
    }                                                                              \
    SBK_FN sbk_##t sbk_cvt_c64_##t(sbk_c64 z)                                      \
    {                                                                              \
        sbk_##t h;                                                                 \
        h.re = sbk_cvt_f64_##part(z.re);                                           \
        h.im = sbk_cvt_f64_##part(z.im);                                           \
        return h;                                                                  \
    }                                                                              \
    SBK_FN int sbk_eq_##t(sbk_##t a, sbk_##t b)                                    \
    {                                                                              \
        return sbk_eq_c32(sbk_cvt_##t##_c32(a), sbk_cvt_##t##_c32(b));             \
    }
SBK_HALF_PAIR(c16, f16)
SBK_HALF_PAIR(cbf16, bf16)

#endif
