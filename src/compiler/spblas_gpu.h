/*
 * The dialect of emitted GPU kernels: CUDA C that is C11 too. Compiled by NVRTC or nvcc
 * the names below are CUDA's; with SBG_EMULATE they are the SIMT shim's, and the same
 * text runs on the host (spblas_simt.h). SBG_MAX_PARAM and SBG_MAX_BUF, the sizes of the
 * argument, are defined before this.
 */
#ifndef SPBLAS_GPU_H
#define SPBLAS_GPU_H

#if !defined(SBG_MAX_PARAM)
#define SBG_MAX_PARAM 1
#define SBG_MAX_BUF 1
#endif

#if defined(__CUDACC__)

#if defined(__CUDACC_RTC__)
typedef signed char int8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#define INT64_MIN (-9223372036854775807ll - 1)
#define UINT64_C(v) v##ull
#define __builtin_memcpy memcpy
#define __builtin_popcountll __popcll
#define __builtin_popcount __popc
#define __builtin_inf() __longlong_as_double(0x7ff0000000000000ll)
#define __builtin_nan(s) __longlong_as_double(0x7ff8000000000000ll)
#else
#include <stdint.h>
#endif

#define restrict __restrict__
#define SBK_FN [[maybe_unused]] static __device__ __forceinline__
#define SBK_UNROLL SBG_UNROLL
#define SBG_UNROLL _Pragma("unroll")
#define SBG_UNROLL_4 _Pragma("unroll 4")
#define SBG_ROLLED _Pragma("unroll 1")
/* Threads that a multiprocessor should hold: 512 leave each up to 128 registers, 256 up to
 * 255; kernels take fewer. Told nothing, ptxas aims at more threads and spills for them. */
#ifndef SBG_RESIDENT
#define SBG_RESIDENT 512
#endif
#define SBG_KERNEL(name, threads)                 \
    extern "C" __global__ void __launch_bounds__( \
        threads, threads < SBG_RESIDENT ? SBG_RESIDENT / (threads) : 1) name
#define SBG_TID ((int)threadIdx.x)
#define SBG_BX ((int64_t)blockIdx.x)
#define SBG_BY ((int64_t)blockIdx.y)
#define SBG_GX ((int64_t)gridDim.x)
#define SBG_GY ((int64_t)gridDim.y)

#endif

#include "compiler/spblas_scalar.h"

#if defined(__CUDACC__)

/* Lanes of the group of `width` threads this one is in. */
SBK_FN uint32_t
sbg_group(int width)
{
    return width == 32 ? 0xffffffffu
                       : ((1u << width) - 1u) << ((int)(threadIdx.x & 31) & -width);
}

#define SBG_SHUFFLES(t, type)                                    \
    SBK_FN type sbg_shfl_##t(type v, int from, int width)        \
    {                                                            \
        return __shfl_sync(sbg_group(width), v, from, width);    \
    }                                                            \
    SBK_FN type sbg_down_##t(type v, int by, int width)          \
    {                                                            \
        return __shfl_down_sync(sbg_group(width), v, by, width); \
    }
SBG_SHUFFLES(i32, int32_t)
SBG_SHUFFLES(i64, int64_t)
SBG_SHUFFLES(f32, float)
SBG_SHUFFLES(f64, double)
#define SBG_SHUFFLES_Z(t, real)                                 \
    SBK_FN sbk_##t sbg_shfl_##t(sbk_##t v, int from, int width) \
    {                                                           \
        return sbk_mk_##t(sbg_shfl_##real(v.re, from, width),   \
                          sbg_shfl_##real(v.im, from, width));  \
    }                                                           \
    SBK_FN sbk_##t sbg_down_##t(sbk_##t v, int by, int width)   \
    {                                                           \
        return sbk_mk_##t(sbg_down_##real(v.re, by, width),     \
                          sbg_down_##real(v.im, by, width));    \
    }
SBG_SHUFFLES_Z(c32, f32)
SBG_SHUFFLES_Z(c64, f64)

/* So many bytes at once, from or to an address that is a multiple of it. */
#define SBG_AT_ONCE(bytes, word)                          \
    SBK_FN void sbg_ld##bytes(void *to, const void *from) \
    {                                                     \
        const word v = *(const word *)from;               \
        memcpy(to, &v, sizeof v);                         \
    }                                                     \
    SBK_FN void sbg_st##bytes(void *to, const void *from) \
    {                                                     \
        word v;                                           \
        memcpy(&v, from, sizeof v);                       \
        *(word *)to = v;                                  \
    }
SBG_AT_ONCE(16, int4)
SBG_AT_ONCE(8, int2)
SBG_AT_ONCE(4, int)

/* So many bytes of memory to shared memory, there after SBG_COPIED. */
#if __CUDA_ARCH__ >= 800
#define SBG_COPY(bytes, word)                                            \
    SBK_FN void sbg_copy##bytes(void *to, const void *from)              \
    {                                                                    \
        asm volatile("cp.async.ca.shared.global [%0], [%1], " #bytes ";" \
                     :                                                   \
                     : "r"((uint32_t)__cvta_generic_to_shared(to)),      \
                       "l"(__cvta_generic_to_global(from))               \
                     : "memory");                                        \
    }
#define SBG_COPIED() asm volatile("cp.async.wait_all;" : : : "memory")
#else
#define SBG_COPY(bytes, word)                               \
    SBK_FN void sbg_copy##bytes(void *to, const void *from) \
    {                                                       \
        *(word *)to = *(const word *)from;                  \
    }
#define SBG_COPIED() (void)0
#endif
SBG_COPY(4, int)
SBG_COPY(8, int2)
SBG_COPY(16, int4)
/* The compiler would widen both and multiply 64 bits by 64. */
SBK_FN uint64_t
sbg_product(uint32_t a, uint32_t b)
{
    uint64_t p;

    asm("mul.wide.u32 %0, %1, %2;" : "=l"(p) : "r"(a), "r"(b));
    return p;
}
#define SBG_SHARED(type, name, n, at) __shared__ __align__(16) type name[n]
#define SBG_SYNC(width) __syncwarp(sbg_group(width))
#define SBG_SHFL(t, v, from, width) sbg_shfl_##t(v, from, width)
#define SBG_DOWN(t, v, by, width) sbg_down_##t(v, by, width)

#else

#include "compiler/spblas_simt.h"

SBK_FN uint64_t
sbg_product(uint32_t a, uint32_t b)
{
    return (uint64_t)a * b;
}

#endif

#include "compiler/spblas_warp.h"

/* n neighbours, 8 or 16 bytes, at once where the address allows. */
#define SBG_LOADS(t, type)                                    \
    SBK_FN void sbg_ld_##t(type *to, const type *from, int n) \
    {                                                         \
        const uint64_t at = (uint64_t)from;                   \
        if (n * sizeof(type) == 16 && (at & 15) == 0) {       \
            sbg_ld16(to, from);                               \
        } else if (n * sizeof(type) == 8 && (at & 7) == 0) {  \
            sbg_ld8(to, from);                                \
        } else {                                              \
            SBG_UNROLL                                        \
            for (int q = 0; q < n; q++)                       \
                to[q] = from[q];                              \
        }                                                     \
    }
SBG_LOADS(i8, int8_t)
SBG_LOADS(i16, int16_t)
SBG_LOADS(i32, int32_t)
SBG_LOADS(i64, int64_t)
SBG_LOADS(f16, sbk_f16)
SBG_LOADS(bf16, sbk_bf16)
SBG_LOADS(f32, float)
SBG_LOADS(f64, double)
SBG_LOADS(c16, sbk_c16)
SBG_LOADS(cbf16, sbk_cbf16)
SBG_LOADS(c32, sbk_c32)

/* Sizes of which a product with an element's bytes, and two of which, fit 32 and 64 bits. */
#define SBG_NEAR(n) ((uint64_t)(n) < (uint64_t)1 << 27)

/* 4, 8 or a multiple of 16 bytes. */
#define SBG_WORDS(op)                                         \
    SBK_FN void op##_words(void *to, const void *from, int n) \
    {                                                         \
        SBG_UNROLL                                            \
        for (int q = 0; q + 16 <= n; q += 16)                 \
            op##16((char *)to + q, (const char *)from + q);   \
        if (n == 8)                                           \
            op##8(to, from);                                  \
        else if (n == 4)                                      \
            op##4(to, from);                                  \
    }
SBG_WORDS(sbg_ld)
SBG_WORDS(sbg_st)

/* n neighbours at once where `fit`, which is a constant, all there or none, from or to an
 * address that allows it; else one by one, the first `have`. What is not there stays as it
 * is, or is 0 (sbg_fill below). */
#define SBG_NEIGHBOURS(name, words, type)                                      \
    SBK_FN void name(type *to, const type *from, int64_t have, int n, int fit) \
    {                                                                          \
        if (fit) {                                                             \
            if (have > 0)                                                      \
                words(to, from, (int)sizeof(type) * n);                        \
        } else {                                                               \
            SBG_UNROLL                                                         \
            for (int q = 0; q < n; q++)                                        \
                if (q < have)                                                  \
                    to[q] = from[q];                                           \
        }                                                                      \
    }
/* from + row * ld, of 32-bit numbers where `fit`; neighbours read and stored. */
#define SBG_VECTORS(t, type)                                                          \
    SBK_FN const type *sbg_at_##t(const type *from, int64_t row, int64_t ld, int fit) \
    {                                                                                 \
        return fit ? (const type *)((const char *)from +                              \
                                    sbg_product((uint32_t)row,                        \
                                                (uint32_t)(ld * (int)sizeof(type))))  \
                   : from + row * ld;                                                 \
    }                                                                                 \
    SBG_NEIGHBOURS(sbg_take_##t, sbg_ld_words, type)                                  \
    SBG_NEIGHBOURS(sbg_give_##t, sbg_st_words, type)
SBG_VECTORS(i8, int8_t)
SBG_VECTORS(i32, int32_t)
SBG_VECTORS(i64, int64_t)
SBG_VECTORS(f16, sbk_f16)
SBG_VECTORS(bf16, sbk_bf16)
SBG_VECTORS(f32, float)
SBG_VECTORS(f64, double)
SBG_VECTORS(c16, sbk_c16)
SBG_VECTORS(cbf16, sbk_cbf16)
SBG_VECTORS(c32, sbk_c32)

/* n neighbours of 8 or 16 bytes. */
#define SBG_COPIES(t, type)                                     \
    SBK_FN void sbg_copy_##t(type *to, const type *from, int n) \
    {                                                           \
        const uint64_t at = (uint64_t)from;                     \
        if (n * sizeof(type) == 16 && (at & 15) == 0) {         \
            sbg_copy16(to, from);                               \
        } else if (n * sizeof(type) == 8 && (at & 7) == 0) {    \
            sbg_copy8(to, from);                                \
        } else {                                                \
            SBG_UNROLL                                          \
            for (int q = 0; q < n; q++) {                       \
                if (sizeof(type) == 4)                          \
                    sbg_copy4(to + q, from + q);                \
                else                                            \
                    sbg_copy8(to + q, from + q);                \
            }                                                   \
        }                                                       \
    }
SBG_COPIES(i32, int32_t)
SBG_COPIES(i64, int64_t)
SBG_COPIES(f32, float)
SBG_COPIES(f64, double)
SBG_COPIES(c16, sbk_c16)
SBG_COPIES(cbf16, sbk_cbf16)
SBG_COPIES(c32, sbk_c32)

/* n neighbours of which `have` are there: those beyond are 0 (get, fill) or stay (put). */
#define SBG_MOVES(t, type)                                                             \
    SBK_FN void sbg_none_##t(type *to, int n)                                          \
    {                                                                                  \
        SBG_UNROLL                                                                     \
        for (int q = 0; q < n; q++)                                                    \
            to[q] = (type)0;                                                           \
    }                                                                                  \
    SBK_FN void sbg_get_##t(type *to, const type *from, int64_t have, int n)           \
    {                                                                                  \
        const int step = 16 / (int)sizeof(type);                                       \
        if (have >= n && n % step == 0 && ((uint64_t)from & 15) == 0) {                \
            SBG_UNROLL                                                                 \
            for (int q = 0; q < n; q += step)                                          \
                sbg_ld16(to + q, from + q);                                            \
        } else if (have >= n) {                                                        \
            sbg_ld_##t(to, from, n);                                                   \
        } else {                                                                       \
            SBG_UNROLL                                                                 \
            for (int q = 0; q < n; q++)                                                \
                to[q] = q < have ? from[q] : (type)0;                                  \
        }                                                                              \
    }                                                                                  \
    SBK_FN void sbg_fill_##t(type *to, const type *from, int64_t have, int n, int fit) \
    {                                                                                  \
        if (!fit)                                                                      \
            sbg_get_##t(to, from, have, n);                                            \
        else if (have > 0)                                                             \
            sbg_ld_words(to, from, (int)sizeof(type) * n);                             \
        else                                                                           \
            sbg_none_##t(to, n);                                                       \
    }                                                                                  \
    SBK_FN void sbg_put_##t(type *to, const type *from, int64_t have, int n)           \
    {                                                                                  \
        const int step = 16 / (int)sizeof(type);                                       \
        if (have >= n && n % step == 0 && ((uint64_t)to & 15) == 0) {                  \
            SBG_UNROLL                                                                 \
            for (int q = 0; q < n; q += step)                                          \
                sbg_st16(to + q, from + q);                                            \
        } else if (have >= n && 2 * n == step && ((uint64_t)to & 7) == 0) {            \
            sbg_st8(to, from);                                                         \
        } else {                                                                       \
            SBG_UNROLL                                                                 \
            for (int q = 0; q < n; q++)                                                \
                if (q < have)                                                          \
                    to[q] = from[q];                                                   \
        }                                                                              \
    }
SBG_MOVES(f16, sbk_f16)
SBG_MOVES(bf16, sbk_bf16)
SBG_MOVES(f32, float)

/* ---- tensor cores ------------------------------------------------------------------- */

/*
 * SBG_MMA(t, k, d, a, step, b): d += A B of 16 rows, 8 columns and k, all lanes of a warp
 * together, each with its part, as emit_mma.c says: a[r * step + h] and b[r] are what it
 * has for its r-th k of k / 4, h of the machine's two rows. The machine's k are taken in
 * another order, the same for both.
 */
#define SBG_MMA(t, k, d, a, step, b) sbg_mma##k##_##t(d, a, step, b, __LINE__)

SBK_FN uint32_t
sbg_pair(uint16_t lo, uint16_t hi)
{
    return lo | (uint32_t)hi << 16;
}

/* Where the machine has no such instruction: everyone's part by shuffles. */
#define SBG_MMA_PLAIN(t, type, value)                                                  \
    SBK_FN void sbg_plain_##t(float *d, const type *a, int step, const type *b, int n) \
    {                                                                                  \
        const int lane = SBG_TID & 31, row = lane & -4, col = (lane & 3) * 8;          \
        SBG_ROLLED                                                                     \
        for (int part = 0; part < 4; part++) {                                         \
            SBG_UNROLL                                                                 \
            for (int r = 0; r < n; r++) {                                              \
                const float a0 = SBG_SHFL(f32, value(a[r * step]), row + part, 32);    \
                const float a1 =                                                       \
                    SBG_SHFL(f32, value(a[r * step + 1]), row + part, 32);             \
                const float b0 = SBG_SHFL(f32, value(b[r]), col + part, 32);           \
                const float b1 = SBG_SHFL(f32, value(b[r]), col + 4 + part, 32);       \
                d[0] += a0 * b0;                                                       \
                d[1] += a0 * b1;                                                       \
                d[2] += a1 * b0;                                                       \
                d[3] += a1 * b1;                                                       \
            }                                                                          \
        }                                                                              \
    }
SBG_MMA_PLAIN(bf16, sbk_bf16, sbk_cvt_bf16_f32)

#define SBG_HALVES_8(t)                                                                \
    SBK_FN void sbg_mma8_##t(float *d, const sbk_##t *a, int step, const sbk_##t *b,   \
                             int line)                                                 \
    {                                                                                  \
        const uint32_t fa[2] = {sbg_pair(a[0], a[step]), sbg_pair(a[1], a[step + 1])}; \
        const uint32_t fb[1] = {sbg_pair(b[0], b[1])};                                 \
        SBG_PTX_8(t, d, fa, fb, line);                                                 \
    }
#define SBG_HALVES_16(t)                                                              \
    SBK_FN void sbg_mma16_##t(float *d, const sbk_##t *a, int step, const sbk_##t *b, \
                              int line)                                               \
    {                                                                                 \
        const uint32_t fa[4] = {sbg_pair(a[0], a[step]), sbg_pair(a[1], a[step + 1]), \
                                sbg_pair(a[2 * step], a[3 * step]),                   \
                                sbg_pair(a[2 * step + 1], a[3 * step + 1])};          \
        const uint32_t fb[2] = {sbg_pair(b[0], b[1]), sbg_pair(b[2], b[3])};          \
        SBG_PTX_16(t, d, fa, fb, line);                                               \
    }
#define SBG_BY_EIGHT(t)                                                               \
    SBK_FN void sbg_mma16_##t(float *d, const sbk_##t *a, int step, const sbk_##t *b, \
                              int line)                                               \
    {                                                                                 \
        sbg_mma8_##t(d, a, step, b, line);                                            \
        sbg_mma8_##t(d, a + 2 * step, step, b + 2, line);                             \
    }
#define SBG_BY_SHUFFLES(t)                                                            \
    SBK_FN void sbg_mma8_##t(float *d, const sbk_##t *a, int step, const sbk_##t *b,  \
                             int line)                                                \
    {                                                                                 \
        (void)line;                                                                   \
        sbg_plain_##t(d, a, step, b, 2);                                              \
    }                                                                                 \
    SBK_FN void sbg_mma16_##t(float *d, const sbk_##t *a, int step, const sbk_##t *b, \
                              int line)                                               \
    {                                                                                 \
        (void)line;                                                                   \
        sbg_plain_##t(d, a, step, b, 4);                                              \
    }

#if defined(__CUDACC__)
#define SBG_PTX_8(t, d, a, b, line) ((void)(line), sbg_ptx8_##t(d, a, b))
#define SBG_PTX_16(t, d, a, b, line) ((void)(line), sbg_ptx16_##t(d, a, b))
#define SBG_INSTRUCTION_8(t)                                                    \
    SBK_FN void sbg_ptx8_##t(float *d, const uint32_t *a, const uint32_t *b)    \
    {                                                                           \
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32." #t "." #t          \
                     ".f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};" \
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])           \
                     : "r"(a[0]), "r"(a[1]), "r"(b[0]));                        \
    }
#define SBG_INSTRUCTION_16(t)                                                 \
    SBK_FN void sbg_ptx16_##t(float *d, const uint32_t *a, const uint32_t *b) \
    {                                                                         \
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." #t "." #t       \
                     ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "    \
                     "{%0, %1, %2, %3};"                                      \
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])         \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), \
                       "r"(b[1]));                                            \
    }
SBG_INSTRUCTION_8(f16)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
SBG_INSTRUCTION_8(bf16)
SBG_INSTRUCTION_16(f16)
SBG_INSTRUCTION_16(bf16)
#endif
#else
#define SBG_PTX_8(t, d, a, b, line) sbg_ptx_half(d, a, b, 8, sbk_cvt_##t##_f32, line)
#define SBG_PTX_16(t, d, a, b, line) sbg_ptx_half(d, a, b, 16, sbk_cvt_##t##_f32, line)
#endif

/* Ten bits of the fraction, to nearest, ties away from 0; what is finite stays so. */
SBK_FN float
sbg_tf32(float v)
{
    uint32_t u, up;

    __builtin_memcpy(&u, &v, sizeof u);
    up = u + 0x1000;
    if ((up & 0x7f800000u) != 0x7f800000u)
        u = up;
    else if ((u & 0x7f800000u) == 0x7f800000u && (u & 0x7fffffu))
        u |= 0x400000u; /* NaN, whose bits may all be lost */
    u &= 0xffffe000u;
    __builtin_memcpy(&v, &u, sizeof v);
    return v;
}

/* v, or 0 if it is not finite. */
SBK_FN float
sbg_finite(float v)
{
    return v - v == 0 ? v : 0;
}

SBK_FN uint32_t
sbg_bits(float v)
{
    uint32_t u;

    __builtin_memcpy(&u, &v, sizeof u);
    return u;
}

#define SBG_AS_IS(v) (v)
SBG_MMA_PLAIN(tf32, float, SBG_AS_IS)

/* All are tf32 already. */
SBK_FN void
sbg_mma8_tf32(float *d, const float *a, int step, const float *b, int line)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    (void)line;
    sbg_plain_tf32(d, a, step, b, 2);
#else
    const uint32_t fa[4] = {sbg_bits(a[0]), sbg_bits(a[1]), sbg_bits(a[step]),
                            sbg_bits(a[step + 1])};
    const uint32_t fb[2] = {sbg_bits(b[0]), sbg_bits(b[1])};
#if defined(__CUDACC__)
    (void)line;
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]),
                   "r"(fb[1]));
#else
    sbg_ptx_tf32(d, fa, fb, line);
#endif
#endif
}

SBK_FN void
sbg_mma8_f32x1(float *d, const float *a, int step, const float *b, int line)
{
    const float fa[4] = {sbg_tf32(a[0]), sbg_tf32(a[1]), sbg_tf32(a[step]),
                         sbg_tf32(a[step + 1])};
    const float fb[2] = {sbg_tf32(b[0]), sbg_tf32(b[1])};

    sbg_mma8_tf32(d, fa, 2, fb, line);
}

/* v as a sum of two tf32: all but the product of the two small ones is summed. What is not
 * finite counts in the large parts alone. */
SBK_FN void
sbg_mma8_f32x3(float *d, const float *a, int step, const float *b, int line)
{
    float fa[4], fb[2], ra[4], rb[2], za[4], zb[2];

    SBG_UNROLL
    for (int q = 0; q < 4; q++) {
        const float v = a[q / 2 * step + q % 2];

        fa[q] = sbg_tf32(v);
        za[q] = sbg_finite(fa[q]);
        ra[q] = sbg_tf32(sbg_finite(v - fa[q]));
    }
    SBG_UNROLL
    for (int q = 0; q < 2; q++) {
        fb[q] = sbg_tf32(b[q]);
        zb[q] = sbg_finite(fb[q]);
        rb[q] = sbg_tf32(sbg_finite(b[q] - fb[q]));
    }
    sbg_mma8_tf32(d, ra, 2, zb, line);
    sbg_mma8_tf32(d, za, 2, rb, line);
    sbg_mma8_tf32(d, fa, 2, fb, line);
}

SBG_HALVES_8(f16)
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
SBG_BY_EIGHT(f16)
SBG_BY_SHUFFLES(bf16)
#else
SBG_HALVES_16(f16)
SBG_HALVES_8(bf16)
SBG_HALVES_16(bf16)
#endif

#define SBK_UNUSED __attribute__((unused))

/* What a kernel is called with, by value. far: bit 0: param alpha is the address of a
 * value in the GPU's memory, bit 1: beta is. */
typedef struct sbg_args {
    sb_kparam param[SBG_MAX_PARAM];
    void *buf[SBG_MAX_BUF];
    int64_t t0, t1; /* tiles */
    int64_t far;
} sbg_args;
#define SBG_ARGS const sbg_args

/* alpha or beta, which may be where the host cannot read it. */
#define SBG_SCALAR(t, type, member, n)                           \
    SBK_FN sb_kparam sbg_scalar_##t(sb_kparam p, int64_t is_far) \
    {                                                            \
        const type *at = (const type *)p.i;                      \
        for (int q = 0; q < n && is_far; q++)                    \
            p.member = at[q];                                    \
        return p;                                                \
    }
SBG_SCALAR(i32, int32_t, i32, 1)
SBG_SCALAR(f32, float, f[q], 1)
SBG_SCALAR(f64, double, d[q], 1)
SBG_SCALAR(c32, float, f[q], 2)
SBG_SCALAR(c64, double, d[q], 2)

/* First index from lo on that part `at` of `of` has, index i being part i mod `of`'s. No
 * division: that would be a call, around which registers are spilled. */
SBK_FN int64_t
sbg_first(int64_t lo, int64_t at, int64_t of)
{
    while (at < lo)
        at += of;
    return at;
}

#endif
