/*
 * The tables of the reference kernels' arithmetic. Complex numbers are multiplied by the
 * plain formula, as emitted kernels do. Integer sums are of uint32_t: they wrap.
 */
#include "cpu/ref_ops.h"

#include "base/half.h"
#include "base/macro.h"

#include <string.h>

#define T float
#define OP(name) f32_##name
#include "cpu/ref_real.inc"
#undef T
#undef OP
#define T double
#define OP(name) f64_##name
#include "cpu/ref_real.inc"
#undef T
#undef OP
#define T uint32_t
#define OP(name) i32_##name
#include "cpu/ref_real.inc"
#undef T
#undef OP
#define T float
#define OP(name) c32_##name
#include "cpu/ref_complex.inc"
#undef T
#undef OP
#define T double
#define OP(name) c64_##name
#include "cpu/ref_complex.inc"
#undef T
#undef OP

const sb_ref_ops *
sb_ref_ops_of(sb_dtype compute)
{
    static const sb_ref_ops f32 = {4, f32_finish, f32_scale};
    static const sb_ref_ops f64 = {8, f64_finish, f64_scale};
    static const sb_ref_ops i32 = {4, i32_finish, i32_scale};
    static const sb_ref_ops c32 = {8, c32_finish, c32_scale};
    static const sb_ref_ops c64 = {16, c64_finish, c64_scale};

    switch (compute) {
    case SB_F32:
        return &f32;
    case SB_F64:
        return &f64;
    case SB_I32:
        return &i32;
    case SB_C32:
        return &c32;
    case SB_C64:
        return &c64;
    case SB_BOOL:
    case SB_I8:
    case SB_I16:
    case SB_I64:
    case SB_F16:
    case SB_BF16:
    case SB_C16:
    case SB_CBF16:
    case SB_DTYPE_COUNT:
        break;
    }
    return NULL;
}

/* ---- Loads -------------------------------------------------------------------------- */

#define SAME(x) (x)

/* name: elements of `parts` FROM each, every one WIDENed, become elements of `wide` TO, of which
 * those that are missing are zero. */
#define LOADS(name, TO, wide, FROM, parts, WIDEN)                                      \
    SB_INLINE void name##_one(TO *to, const FROM *from, bool conj)                     \
    {                                                                                  \
        for (int q = 0; q < (wide); q++)                                               \
            to[q] = q < (parts) ? (TO)WIDEN(from[q < (parts) ? q : 0]) : 0;            \
        if ((parts) == 2 && conj)                                                      \
            to[(wide)-1] = -to[(wide)-1];                                              \
    }                                                                                  \
    static void name##_load(void *dst, const void *src, int64_t at, int64_t stride,    \
                            int64_t n, bool conj)                                      \
    {                                                                                  \
        const FROM *from = (const FROM *)src + at * (parts);                           \
                                                                                       \
        if (stride == 1 && !conj)                                                      \
            for (int64_t c = 0; c < n; c++)                                            \
                name##_one((TO *)dst + c * (wide), from + c * (parts), false);         \
        else                                                                           \
            for (int64_t c = 0; c < n; c++)                                            \
                name##_one((TO *)dst + c * (wide), from + c * stride * (parts), conj); \
    }

LOADS(f32_f32, float, 1, float, 1, SAME)
LOADS(f16_f32, float, 1, uint16_t, 1, sb_half_widen_f16)
LOADS(bf16_f32, float, 1, uint16_t, 1, sb_half_widen_bf16)
LOADS(f32_f64, double, 1, float, 1, SAME)
LOADS(f64_f64, double, 1, double, 1, SAME)
LOADS(i32_i32, uint32_t, 1, int32_t, 1, SAME)
LOADS(f32_c32, float, 2, float, 1, SAME)
LOADS(c16_c32, float, 2, uint16_t, 2, sb_half_widen_f16)
LOADS(cbf16_c32, float, 2, uint16_t, 2, sb_half_widen_bf16)
LOADS(c32_c32, float, 2, float, 2, SAME)
LOADS(f64_c64, double, 2, double, 1, SAME)
LOADS(c64_c64, double, 2, double, 2, SAME)

sb_ref_load
sb_ref_load_of(sb_dtype from, sb_dtype compute)
{
    static const sb_ref_load table[SB_DTYPE_COUNT][SB_DTYPE_COUNT] = {
        [SB_I32] = {[SB_I32] = i32_i32_load},
        [SB_F16] = {[SB_F32] = f16_f32_load},
        [SB_BF16] = {[SB_F32] = bf16_f32_load},
        [SB_F32] =
            {[SB_F32] = f32_f32_load, [SB_F64] = f32_f64_load, [SB_C32] = f32_c32_load},
        [SB_F64] = {[SB_F64] = f64_f64_load, [SB_C64] = f64_c64_load},
        [SB_C16] = {[SB_C32] = c16_c32_load},
        [SB_CBF16] = {[SB_C32] = cbf16_c32_load},
        [SB_C32] = {[SB_C32] = c32_c32_load},
        [SB_C64] = {[SB_C64] = c64_c64_load}};

    if ((unsigned)from >= SB_DTYPE_COUNT || (unsigned)compute >= SB_DTYPE_COUNT)
        return NULL;
    return table[from][compute];
}

/* ---- Stores ------------------------------------------------------------------------- */

static void
f32_to_f32(void *dst, int64_t at, int64_t stride, const void *src, int64_t n)
{
    for (int64_t c = 0; c < n; c++)
        ((float *)dst)[at + c * stride] = ((const float *)src)[c];
}

static void
f32_to_f16(void *dst, int64_t at, int64_t stride, const void *src, int64_t n)
{
    for (int64_t c = 0; c < n; c++)
        ((uint16_t *)dst)[at + c * stride] =
            sb_half_narrow_f16(((const float *)src)[c]);
}

static void
f32_to_bf16(void *dst, int64_t at, int64_t stride, const void *src, int64_t n)
{
    for (int64_t c = 0; c < n; c++)
        ((uint16_t *)dst)[at + c * stride] =
            sb_half_narrow_bf16(((const float *)src)[c]);
}

static void
f64_to_f64(void *dst, int64_t at, int64_t stride, const void *src, int64_t n)
{
    for (int64_t c = 0; c < n; c++)
        ((double *)dst)[at + c * stride] = ((const double *)src)[c];
}

static void
i32_to_i32(void *dst, int64_t at, int64_t stride, const void *src, int64_t n)
{
    for (int64_t c = 0; c < n; c++)
        ((int32_t *)dst)[at + c * stride] = (int32_t)((const uint32_t *)src)[c];
}

static void
c32_to_c32(void *dst, int64_t at, int64_t stride, const void *src, int64_t n)
{
    for (int64_t c = 0; c < 2 * n; c++)
        ((float *)dst)[2 * (at + c / 2 * stride) + c % 2] = ((const float *)src)[c];
}

static void
c32_to_c16(void *dst, int64_t at, int64_t stride, const void *src, int64_t n)
{
    for (int64_t c = 0; c < 2 * n; c++)
        ((uint16_t *)dst)[2 * (at + c / 2 * stride) + c % 2] =
            sb_half_narrow_f16(((const float *)src)[c]);
}

static void
c32_to_cbf16(void *dst, int64_t at, int64_t stride, const void *src, int64_t n)
{
    for (int64_t c = 0; c < 2 * n; c++)
        ((uint16_t *)dst)[2 * (at + c / 2 * stride) + c % 2] =
            sb_half_narrow_bf16(((const float *)src)[c]);
}

static void
c64_to_c64(void *dst, int64_t at, int64_t stride, const void *src, int64_t n)
{
    for (int64_t c = 0; c < 2 * n; c++)
        ((double *)dst)[2 * (at + c / 2 * stride) + c % 2] = ((const double *)src)[c];
}

sb_ref_store
sb_ref_store_of(sb_dtype compute, sb_dtype to)
{
    static const sb_ref_store table[SB_DTYPE_COUNT][SB_DTYPE_COUNT] = {
        [SB_F32] =
            {[SB_F32] = f32_to_f32, [SB_F16] = f32_to_f16, [SB_BF16] = f32_to_bf16},
        [SB_F64] = {[SB_F64] = f64_to_f64},
        [SB_I32] = {[SB_I32] = i32_to_i32},
        [SB_C32] =
            {[SB_C32] = c32_to_c32, [SB_C16] = c32_to_c16, [SB_CBF16] = c32_to_cbf16},
        [SB_C64] = {[SB_C64] = c64_to_c64}};

    return (unsigned)to < SB_DTYPE_COUNT && (unsigned)compute < SB_DTYPE_COUNT
               ? table[compute][to]
               : NULL;
}
