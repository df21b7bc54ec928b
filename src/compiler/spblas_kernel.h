/*
 * What an emitted kernel may use; compiled into tests and embedded in the library as
 * text for run-time compilation. Written and kept by the emitter.
 *
 * One text serves every x86-64 level and any other machine: the vector width is chosen
 * here, by what the C compiler's target has.
 *
 * Needs GNU C (vector extensions, statement expressions); links to nothing.
 */
#ifndef SPBLAS_KERNEL_H
#define SPBLAS_KERNEL_H

#include <stdint.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define SBK_FN static inline __attribute__((always_inline, unused))
#define SBK_UNUSED __attribute__((unused))
#define SBK_V_(name, n) sbk_##name##x##n
#define SBK_V(name, n) SBK_V_(name, n)

#if defined(__clang__)
#define SBK_UNROLL _Pragma("clang loop unroll(full)")
#define SBK_LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define SBK_UNROLL _Pragma("GCC unroll 64")
#define SBK_LANES _Pragma("GCC ivdep")
#endif

/* An address in a register of its own: compilers otherwise address each load by two,
 * which some processors split into two operations. */
#if defined(__GNUC__)
#define SBK_BASE(p)                 \
    __extension__({                 \
        __typeof__(&*(p)) p_ = (p); \
        __asm__("" : "+r"(p_));     \
        p_;                         \
    })
#else
#define SBK_BASE(p) (p)
#endif

/* ---- lane counts: SBK_N<bytes of the widest element>_<most lanes> -------------------- */

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && \
    defined(__AVX512VL__)
#define SBK_VBYTES 64
#define SBK_N4_16 16
#define SBK_N4_8 8
#define SBK_N8_16 8
#define SBK_N8_8 8
#define SBK_N8_4 4
#define SBK_N16_16 4
#define SBK_N16_8 4
#define SBK_N16_4 4
#define SBK_N16_2 2
#elif defined(__AVX2__)
#define SBK_VBYTES 32
#define SBK_N4_16 8
#define SBK_N4_8 8
#define SBK_N8_16 4
#define SBK_N8_8 4
#define SBK_N8_4 4
#define SBK_N16_16 2
#define SBK_N16_8 2
#define SBK_N16_4 2
#define SBK_N16_2 2
#else
#define SBK_VBYTES 16
#define SBK_N4_16 4
#define SBK_N4_8 4
#define SBK_N8_16 2
#define SBK_N8_8 2
#define SBK_N8_4 2
#define SBK_N16_16 1
#define SBK_N16_8 1
#define SBK_N16_4 1
#define SBK_N16_2 1
#endif
#define SBK_N4_4 4
#define SBK_N4_2 2
#define SBK_N8_2 2

/*
 * Tiles cut short are written out for each `step`-th number of vectors (emit_tail.c): for
 * each where registers have masks, for four where there are as many, for one elsewhere.
 * SBK_TAIL: whether `w` vectors is the one for n columns; of these the chunk at c is whole,
 * or else there in part.
 */
#if SBK_VBYTES == 64
#define SBK_TAIL_STEP(vectors) (((vectors) + 7) / 8)
#elif SBK_VBYTES == 32
#define SBK_TAIL_STEP(vectors) (((vectors) + 3) / 4)
#else
#define SBK_TAIL_STEP(vectors) (vectors)
#endif
#define SBK_TAIL_LANES(n, lanes) (1 + (int)(((n)-1) & ((lanes)-1))) /* of the last */
#define SBK_TAIL(n, lanes, w, step) \
    ((n) <= (w) * (lanes) && (n) > ((w) - (step)) * (lanes))
#define SBK_TAIL_WHOLE(c, n, lanes, w, step) \
    ((step) == 1 ? (c) < ((w)-1) * (lanes) : (c) + (lanes) <= (n))
#define SBK_TAIL_PART(c, n, lanes, w, step) \
    ((step) == 1 ? (c) < (w) * (lanes) : (c) < (n))

#include "compiler/spblas_scalar.h"

/* *at = *at op v, whole, whatever other threads do to it. */
#define SBK_ATOMIC(op, t, type, word, value)                                        \
    SBK_FN void sbk_atomic_##op##_##t(type *at, type v)                             \
    {                                                                               \
        typedef word __attribute__((may_alias)) cell;                               \
        word was = __atomic_load_n((cell *)at, __ATOMIC_RELAXED), now;              \
        do {                                                                        \
            type a;                                                                 \
            __builtin_memcpy(&a, &was, sizeof a);                                   \
            a = value;                                                              \
            __builtin_memcpy(&now, &a, sizeof a);                                   \
        } while (!__atomic_compare_exchange_n((cell *)at, &was, now, 1,             \
                                              __ATOMIC_RELAXED, __ATOMIC_RELAXED)); \
    }
#define SBK_ATOMICS(t, type, word)                    \
    SBK_ATOMIC(add, t, type, word, a + v)             \
    SBK_ATOMIC(min, t, type, word, sbk_min_##t(a, v)) \
    SBK_ATOMIC(max, t, type, word, sbk_max_##t(a, v))
SBK_ATOMICS(i32, int32_t, uint32_t)
SBK_ATOMICS(i64, int64_t, uint64_t)
SBK_ATOMICS(f32, float, uint32_t)
SBK_ATOMICS(f64, double, uint64_t)
SBK_FN void
sbk_atomic_add_c32(sbk_c32 *at, sbk_c32 v)
{
    sbk_atomic_add_f32(&at->re, v.re);
    sbk_atomic_add_f32(&at->im, v.im);
}
SBK_FN void
sbk_atomic_add_c64(sbk_c64 *at, sbk_c64 v)
{
    sbk_atomic_add_f64(&at->re, v.re);
    sbk_atomic_add_f64(&at->im, v.im);
}

/* c[i, j] += a[i, p] * b[p, j], m x n x k, a step for each index; constant sizes are
 * known where it is called. */
#define SBK_MMA(t, type)                                                           \
    SBK_FN void sbk_mma_##t(int m, int n, int k, type *c, int64_t ci, int64_t cj,  \
                            const type *a, int64_t ai, int64_t ap, const type *b,  \
                            int64_t bp, int64_t bj)                                \
    {                                                                              \
        for (int i = 0; i < m; i++)                                                \
            for (int p = 0; p < k; p++)                                            \
                for (int j = 0; j < n; j++)                                        \
                    c[i * ci + j * cj] += a[i * ai + p * ap] * b[p * bp + j * bj]; \
    }
SBK_MMA(i32, int32_t)
SBK_MMA(i64, int64_t)
SBK_MMA(f32, float)
SBK_MMA(f64, double)

#include "compiler/spblas_vector.h"

#endif /* SPBLAS_KERNEL_H */
