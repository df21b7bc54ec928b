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
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#define INT64_MIN (-9223372036854775807ll - 1)
#define UINT64_C(v) v##ull
#define __builtin_memcpy memcpy
#define __builtin_popcountll __popcll
#define __builtin_inf() __longlong_as_double(0x7ff0000000000000ll)
#define __builtin_nan(s) __longlong_as_double(0x7ff8000000000000ll)
#else
#include <stdint.h>
#endif

#define restrict __restrict__
#define SBK_FN [[maybe_unused]] static __device__ __forceinline__
#define SBK_UNROLL SBG_UNROLL
#define SBG_UNROLL _Pragma("unroll")
/* 512 threads on a multiprocessor leave each up to 128 registers; kernels take fewer. Told
 * nothing, ptxas aims at more threads and spills for them. */
#define SBG_KERNEL(name, threads)                 \
    extern "C" __global__ void __launch_bounds__( \
        threads, threads < 512 ? 512 / (threads) : 1) name
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

/* n neighbours, 8 or 16 bytes, at once where the address allows. */
#define SBG_LOADS(t, type)                                    \
    SBK_FN void sbg_ld_##t(type *to, const type *from, int n) \
    {                                                         \
        const uint64_t at = (uint64_t)from;                   \
        if (n * sizeof(type) == 16 && (at & 15) == 0) {       \
            const int4 v = *(const int4 *)from;               \
            memcpy(to, &v, sizeof v);                         \
        } else if (n * sizeof(type) == 8 && (at & 7) == 0) {  \
            const int2 v = *(const int2 *)from;               \
            memcpy(to, &v, sizeof v);                         \
        } else {                                              \
            SBG_UNROLL                                        \
            for (int q = 0; q < n; q++)                       \
                to[q] = from[q];                              \
        }                                                     \
    }

#define SBG_SHFL(t, v, from, width) sbg_shfl_##t(v, from, width)
#define SBG_DOWN(t, v, by, width) sbg_down_##t(v, by, width)

#else

#include "compiler/spblas_simt.h"

#define SBG_LOADS(t, type)                                    \
    SBK_FN void sbg_ld_##t(type *to, const type *from, int n) \
    {                                                         \
        memcpy(to, from, (size_t)n * sizeof *to);             \
    }

#endif

SBG_LOADS(i8, int8_t)
SBG_LOADS(i32, int32_t)
SBG_LOADS(f16, sbk_f16)
SBG_LOADS(bf16, sbk_bf16)
SBG_LOADS(f32, float)
SBG_LOADS(f64, double)
SBG_LOADS(c32, sbk_c32)

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
