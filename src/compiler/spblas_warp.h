/*
 * What kernels written by hand have besides the dialect of the emitted ones (spblas_gpu.h, which
 * includes this): whole warps, addresses, reads of what nobody writes.
 */
#ifndef SPBLAS_WARP_H
#define SPBLAS_WARP_H

#if defined(__CUDACC__)

/* at + a * b. */
SBK_FN const void *
sbg_along(const void *at, uint32_t a, uint32_t b)
{
    const void *to;

    asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(to) : "r"(a), "r"(b), "l"(at));
    return to;
}
/* So many bytes that nobody writes while the kernel runs. */
SBK_FN void
sbg_read_words(void *to, const void *from, int n)
{
    SBG_UNROLL
    for (int q = 0; q + 16 <= n; q += 16) {
        const int4 v = __ldg((const int4 *)((const char *)from + q));
        memcpy((char *)to + q, &v, sizeof v);
    }
    if (n == 8) {
        const int2 v = __ldg((const int2 *)from);
        memcpy(to, &v, sizeof v);
    } else if (n == 4) {
        const int v = __ldg((const int *)from);
        memcpy(to, &v, sizeof v);
    }
}

/* The same of doubles, 16 bytes at a time: from words ptxas makes them by moves, and waits for
 * each load before it begins the next. */
SBK_FN void
sbg_read_doubles(void *to, const void *from, int n)
{
    SBG_UNROLL
    for (int q = 0; q + 16 <= n; q += 16) {
        const double2 v = __ldg((const double2 *)((const char *)from + q));

        memcpy((char *)to + q, &v, sizeof v);
    }
    if (n == 8) {
        const double v = __ldg((const double *)from);

        memcpy(to, &v, sizeof v);
    }
}
#define SBG_READ(at) __ldg(at)

/* So many bytes that L2 need not keep. */
SBK_FN void
sbg_stream_words(void *to, const void *from, int n)
{
    SBG_UNROLL
    for (int q = 0; q + 16 <= n; q += 16) {
        int4 v;

        memcpy(&v, (const char *)from + q, sizeof v);
        __stcs((int4 *)((char *)to + q), v);
    }
    if (n == 8) {
        int2 v;

        memcpy(&v, from, sizeof v);
        __stcs((int2 *)to, v);
    } else if (n == 4) {
        int v;

        memcpy(&v, from, sizeof v);
        __stcs((int *)to, v);
    }
}

/* For all lanes of a warp together, whatever the width: groups do not wait for their loads
 * one after another. Votes: a bit for each lane of the group, from the lowest on. */
SBK_FN uint32_t
sbg_votes(int yes, int width)
{
    const uint32_t all = __ballot_sync(0xffffffffu, yes);

    return width == 32
               ? all
               : all >> ((int)(threadIdx.x & 31) & -width) & ((1u << width % 32) - 1u);
}
#define SBG_WARP_SHUFFLE(t, type)                          \
    SBK_FN type sbg_warp_shfl_##t(type v, int from, int w) \
    {                                                      \
        return __shfl_sync(0xffffffffu, v, from, w);       \
    }                                                      \
    SBK_FN type sbg_warp_xor_##t(type v, int bits)         \
    {                                                      \
        return __shfl_xor_sync(0xffffffffu, v, bits);      \
    }
SBG_WARP_SHUFFLE(i32, int32_t)
SBG_WARP_SHUFFLE(i64, int64_t)
SBG_WARP_SHUFFLE(f32, float)
SBG_WARP_SHUFFLE(f64, double)
#define SBG_WARP_SHUFFLE_Z(t, real)                              \
    SBK_FN sbk_##t sbg_warp_shfl_##t(sbk_##t v, int from, int w) \
    {                                                            \
        return sbk_mk_##t(sbg_warp_shfl_##real(v.re, from, w),   \
                          sbg_warp_shfl_##real(v.im, from, w));  \
    }                                                            \
    SBK_FN sbk_##t sbg_warp_xor_##t(sbk_##t v, int bits)         \
    {                                                            \
        return sbk_mk_##t(sbg_warp_xor_##real(v.re, bits),       \
                          sbg_warp_xor_##real(v.im, bits));      \
    }
SBG_WARP_SHUFFLE_Z(c32, f32)
SBG_WARP_SHUFFLE_Z(c64, f64)
#define SBG_VOTES(yes, width) sbg_votes(yes, width)
#define SBG_ANY(yes) __any_sync(0xffffffffu, yes)
#define SBG_WARP_SHFL(t, v, from, width) sbg_warp_shfl_##t(v, from, width)
/* That of the lane whose number differs in those bits. */
#define SBG_WARP_XOR(t, v, bits) sbg_warp_xor_##t(v, bits)
#define SBG_BARRIER() __syncthreads()

#else

#include "compiler/spblas_simt.h"

SBK_FN const void *
sbg_along(const void *at, uint32_t a, uint32_t b)
{
    return (const char *)at + (uint64_t)a * b;
}
SBK_FN void
sbg_read_words(void *to, const void *from, int n)
{
    for (int q = 0; q + 16 <= n; q += 16)
        sbg_ld16((char *)to + q, (const char *)from + q);
    if (n == 8)
        sbg_ld8(to, from);
    else if (n == 4)
        sbg_ld4(to, from);
}
#define sbg_read_doubles(to, from, n) sbg_read_words(to, from, n)
#define SBG_READ(at) (*(at))
#define sbg_stream_words(to, from, n) sbg_st_words(to, from, n)

#endif

#endif
