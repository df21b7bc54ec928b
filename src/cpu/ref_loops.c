/*
 * See ref_loops.h: ten pairs of types, each with AVX2 and without.
 */
#include "cpu/ref_loops.h"

#include "base/half.h"
#include "base/macro.h"
#include "runtime/target.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#define FOR_AVX2 __attribute__((target("avx2,f16c")))
#else
#define FOR_AVX2
#endif

enum {
    VECTOR_BYTES = 32,
    MOST_VECTORS = 4, /* of a row of y at once */
    MOST_COLUMNS = 4,
    ROW_LANES = 4,
    MOST_DOTS = 4
};

#define BASELINE
/* Minor or major e of an array of 64 bits each or 32. */
#define MINOR(e) \
    (wide ? ((const int64_t *)minor)[e] : (int64_t)((const int32_t *)minor)[e])
#define MAJOR(e) \
    (wide ? ((const int64_t *)major)[e] : (int64_t)((const int32_t *)major)[e])
#define JOIN(a, b, c) a##b##c
#define GLUE(a, b, c) JOIN(a, b, c)

typedef SB_LANES(float, VECTOR_BYTES) floats;
typedef SB_LANES(double, VECTOR_BYTES) doubles;
typedef SB_LANES(uint32_t, VECTOR_BYTES) words;
typedef SB_LANES(uint16_t, VECTOR_BYTES / 2) halves;
typedef SB_LANES(int8_t, VECTOR_BYTES / 4) bytes;

/* The parts of each pair of a vector change places. */
#define SWAP_FLOATS(v) SB_INTERLEAVE(v, v, 1, 0, 3, 2, 5, 4, 7, 6)
#define SWAP_DOUBLES(v) SB_INTERLEAVE(v, v, 1, 0, 3, 2)

#define SAME(x) (x)
#define COPY(to, x) (*(to) = *(const VECTOR *)(x))
#define CONVERT(to, x) (*(to) = __builtin_convertvector(*(const bytes *)(x), VECTOR))
#define WIDEN_BF16(to, x) \
    (*(to) = (VECTOR)(__builtin_convertvector(*(const halves *)(x), words) << 16))

SB_INLINE float
baseline_f16(uint16_t h)
{
    return sb_half_widen_f16(h);
}

SB_INLINE void
baseline_f16_vector(floats *to, const uint16_t *x)
{
    for (int q = 0; q < VECTOR_BYTES / 4; q++)
        (*to)[q] = sb_half_widen_f16(x[q]);
}

#if defined(__x86_64__)
FOR_AVX2 SB_INLINE float
avx2_f16(uint16_t h)
{
    return _cvtsh_ss(h);
}

FOR_AVX2 SB_INLINE void
avx2_f16_vector(floats *to, const uint16_t *x)
{
    *to = (floats)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)x));
}
#else
#define avx2_f16 baseline_f16
#define avx2_f16_vector baseline_f16_vector
#endif

#define PAIR f32_f32
#define X float
#define E float
#define VECTOR floats
#define PARTS 1
#define WIDEN SAME
#define LOAD COPY
#include "cpu/ref_loops.inc"
#define PAIR f64_f64
#define X double
#define E double
#define VECTOR doubles
#define PARTS 1
#define WIDEN SAME
#define LOAD COPY
#include "cpu/ref_loops.inc"
#define PAIR c32_c32
#define X float
#define E float
#define VECTOR floats
#define PARTS 2
#define SWAP SWAP_FLOATS
#define WIDEN SAME
#define LOAD COPY
#include "cpu/ref_loops.inc"
#define PAIR c64_c64
#define X double
#define E double
#define VECTOR doubles
#define PARTS 2
#define SWAP SWAP_DOUBLES
#define WIDEN SAME
#define LOAD COPY
#include "cpu/ref_loops.inc"
#define PAIR f16_f32
#define X uint16_t
#define E float
#define VECTOR floats
#define PARTS 1
#define WIDEN ISA(f16)
#define LOAD ISA(f16_vector)
#include "cpu/ref_loops.inc"
#define PAIR bf16_f32
#define X uint16_t
#define E float
#define VECTOR floats
#define PARTS 1
#define WIDEN sb_half_widen_bf16
#define LOAD WIDEN_BF16
#include "cpu/ref_loops.inc"
#define PAIR c16_c32
#define X uint16_t
#define E float
#define VECTOR floats
#define PARTS 2
#define SWAP SWAP_FLOATS
#define WIDEN ISA(f16)
#define LOAD ISA(f16_vector)
#include "cpu/ref_loops.inc"
#define PAIR cbf16_c32
#define X uint16_t
#define E float
#define VECTOR floats
#define PARTS 2
#define SWAP SWAP_FLOATS
#define WIDEN sb_half_widen_bf16
#define LOAD WIDEN_BF16
#include "cpu/ref_loops.inc"
#define PAIR i8_f32
#define X int8_t
#define E float
#define VECTOR floats
#define PARTS 1
#define WIDEN SAME
#define LOAD CONVERT
#include "cpu/ref_loops.inc"
#define PAIR i8_i32
#define X int8_t
#define E uint32_t
#define VECTOR words
#define PARTS 1
#define WIDEN (uint32_t)
#define LOAD CONVERT
#include "cpu/ref_loops.inc"

const sb_ref_loops *
sb_ref_loops_of(sb_dtype x, sb_dtype compute)
{
    static const sb_ref_loops *const table[SB_DTYPE_COUNT][SB_DTYPE_COUNT][2] = {
        [SB_F32][SB_F32] = {&f32_f32_loops, &f32_f32_avx2_loops},
        [SB_F64][SB_F64] = {&f64_f64_loops, &f64_f64_avx2_loops},
        [SB_C32][SB_C32] = {&c32_c32_loops, &c32_c32_avx2_loops},
        [SB_C64][SB_C64] = {&c64_c64_loops, &c64_c64_avx2_loops},
        [SB_F16][SB_F32] = {&f16_f32_loops, &f16_f32_avx2_loops},
        [SB_BF16][SB_F32] = {&bf16_f32_loops, &bf16_f32_avx2_loops},
        [SB_C16][SB_C32] = {&c16_c32_loops, &c16_c32_avx2_loops},
        [SB_CBF16][SB_C32] = {&cbf16_c32_loops, &cbf16_c32_avx2_loops},
        [SB_I8][SB_F32] = {&i8_f32_loops, &i8_f32_avx2_loops},
        [SB_I8][SB_I32] = {&i8_i32_loops, &i8_i32_avx2_loops},
    };

    if ((unsigned)x >= SB_DTYPE_COUNT || (unsigned)compute >= SB_DTYPE_COUNT)
        return NULL;
    return table[x][compute][sb_target_get()->isa >= SB_ISA_V3];
}
