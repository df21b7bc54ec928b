/*
 * The few compiler extensions the library uses, named once.
 */
#ifndef SB_BASE_MACRO_H
#define SB_BASE_MACRO_H

#include <assert.h>

#if defined(__GNUC__)
#define SB_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define SB_MUST_USE __attribute__((warn_unused_result))
#else
#define SB_PRINTF(fmt, args)
#define SB_MUST_USE
#endif

/* Our own invariants only: debug builds stop, release builds carry no check.
 * A mistake of the caller is a status, never an assertion. */
#define SB_ASSERT(cond) assert(cond)

/* The line at p is about to be written. */
#define SB_PREFETCH(p) __builtin_prefetch((p), 1)
/* The line at p is about to be read. */
#define SB_PREFETCH_READ(p) __builtin_prefetch((p), 0)
/* Number of the lowest bit of x != 0, 64 bits. */
#define SB_LOWEST_BIT(x) __builtin_ctzll(x)
/* Number of the highest one. */
#define SB_HIGHEST_BIT(x) (63 - __builtin_clzll(x))

/* A function of AVX2 instructions beside one without, of the same inline body, and whether
 * the processor runs it. Products are not contracted in either, so both give one result. */
#if defined(__GNUC__) && defined(__x86_64__)
#define SB_FOR_AVX2 __attribute__((target("avx2")))
#define SB_HAS_AVX2 (__builtin_cpu_supports("avx2") != 0)
#else
#define SB_FOR_AVX2
#define SB_HAS_AVX2 0
#endif
/* A type of that many bytes of lanes, which may lie anywhere in arrays of them. */
#if defined(__GNUC__)
#define SB_LANES(type, bytes) \
    __attribute__((vector_size(bytes), aligned(sizeof(type)), may_alias)) type
#endif
/* Lanes of two of them, by number; those of the second follow those of the first. */
#define SB_INTERLEAVE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#if defined(__GNUC__)
#define SB_INLINE static inline __attribute__((always_inline))
#else
#define SB_INLINE static inline
#endif

/* Elements of a true array. */
#define SB_COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

#endif
