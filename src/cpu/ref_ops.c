/*
 * The tables of the reference kernels' arithmetic. Complex numbers are multiplied by the
 * plain formula, as emitted kernels do. Integer sums are of uint32_t: they wrap.
 */
#include "cpu/ref_ops.h"

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
    static const sb_ref_ops f32 = {4,         f32_axpy,    f32_dot,    f32_finish,
                                   f32_scale, f32_row_i32, f32_row_i64};
    static const sb_ref_ops f64 = {8,         f64_axpy,    f64_dot,    f64_finish,
                                   f64_scale, f64_row_i32, f64_row_i64};
    static const sb_ref_ops i32 = {4,         i32_axpy,    i32_dot,    i32_finish,
                                   i32_scale, i32_row_i32, i32_row_i64};
    static const sb_ref_ops c32 = {8, c32_axpy, c32_dot, c32_finish, c32_scale, 0, 0};
    static const sb_ref_ops c64 = {16, c64_axpy, c64_dot, c64_finish, c64_scale, 0, 0};

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

static void
f32_from_f32(void *dst, const void *src, int64_t at, int64_t stride, int64_t n,
             bool conj)
{
    (void)conj;
    for (int64_t c = 0; c < n; c++)
        ((float *)dst)[c] = ((const float *)src)[at + c * stride];
}

static void
f32_from_f16(void *dst, const void *src, int64_t at, int64_t stride, int64_t n,
             bool conj)
{
    (void)conj;
    for (int64_t c = 0; c < n; c++)
        ((float *)dst)[c] = sb_f16_to_f32(((const uint16_t *)src)[at + c * stride]);
}

static void
f32_from_bf16(void *dst, const void *src, int64_t at, int64_t stride, int64_t n,
              bool conj)
{
    (void)conj;
    for (int64_t c = 0; c < n; c++)
        ((float *)dst)[c] = sb_bf16_to_f32(((const uint16_t *)src)[at + c * stride]);
}

static void
f32_from_i8(void *dst, const void *src, int64_t at, int64_t stride, int64_t n,
            bool conj)
{
    (void)conj;
    for (int64_t c = 0; c < n; c++)
        ((float *)dst)[c] = ((const int8_t *)src)[at + c * stride];
}

static void
f64_from_f32(void *dst, const void *src, int64_t at, int64_t stride, int64_t n,
             bool conj)
{
    (void)conj;
    for (int64_t c = 0; c < n; c++)
        ((double *)dst)[c] = ((const float *)src)[at + c * stride];
}

static void
f64_from_f64(void *dst, const void *src, int64_t at, int64_t stride, int64_t n,
             bool conj)
{
    (void)conj;
    for (int64_t c = 0; c < n; c++)
        ((double *)dst)[c] = ((const double *)src)[at + c * stride];
}

static void
i32_from_i8(void *dst, const void *src, int64_t at, int64_t stride, int64_t n,
            bool conj)
{
    (void)conj;
    for (int64_t c = 0; c < n; c++)
        ((uint32_t *)dst)[c] = (uint32_t)((const int8_t *)src)[at + c * stride];
}

static void
i32_from_i32(void *dst, const void *src, int64_t at, int64_t stride, int64_t n,
             bool conj)
{
    (void)conj;
    for (int64_t c = 0; c < n; c++)
        ((uint32_t *)dst)[c] = (uint32_t)((const int32_t *)src)[at + c * stride];
}

static void
c32_from_f32(void *dst, const void *src, int64_t at, int64_t stride, int64_t n,
             bool conj)
{
    float *to = dst;

    (void)conj;
    for (int64_t c = 0; c < n; c++) {
        to[2 * c] = ((const float *)src)[at + c * stride];
        to[2 * c + 1] = 0.0f;
    }
}

static void
c32_from_c32(void *dst, const void *src, int64_t at, int64_t stride, int64_t n,
             bool conj)
{
    float *to = dst;

    for (int64_t c = 0; c < n; c++) {
        const float *from = (const float *)src + 2 * (at + c * stride);

        to[2 * c] = from[0];
        to[2 * c + 1] = conj ? -from[1] : from[1];
    }
}

static void
c32_from_halves(void *dst, const void *src, int64_t at, int64_t stride, int64_t n,
                bool conj, float (*widen)(uint16_t))
{
    float *to = dst;

    for (int64_t c = 0; c < n; c++) {
        const uint16_t *from = (const uint16_t *)src + 2 * (at + c * stride);

        to[2 * c] = widen(from[0]);
        to[2 * c + 1] = conj ? -widen(from[1]) : widen(from[1]);
    }
}

static void
c32_from_c16(void *dst, const void *src, int64_t at, int64_t stride, int64_t n,
             bool conj)
{
    c32_from_halves(dst, src, at, stride, n, conj, sb_f16_to_f32);
}

static void
c32_from_cbf16(void *dst, const void *src, int64_t at, int64_t stride, int64_t n,
               bool conj)
{
    c32_from_halves(dst, src, at, stride, n, conj, sb_bf16_to_f32);
}

static void
c64_from_f64(void *dst, const void *src, int64_t at, int64_t stride, int64_t n,
             bool conj)
{
    double *to = dst;

    (void)conj;
    for (int64_t c = 0; c < n; c++) {
        to[2 * c] = ((const double *)src)[at + c * stride];
        to[2 * c + 1] = 0.0;
    }
}

static void
c64_from_c64(void *dst, const void *src, int64_t at, int64_t stride, int64_t n,
             bool conj)
{
    double *to = dst;

    for (int64_t c = 0; c < n; c++) {
        const double *from = (const double *)src + 2 * (at + c * stride);

        to[2 * c] = from[0];
        to[2 * c + 1] = conj ? -from[1] : from[1];
    }
}

sb_ref_load
sb_ref_load_of(sb_dtype from, sb_dtype compute)
{
    static const sb_ref_load table[SB_DTYPE_COUNT][SB_DTYPE_COUNT] = {
        [SB_I8] = {[SB_F32] = f32_from_i8, [SB_I32] = i32_from_i8},
        [SB_I32] = {[SB_I32] = i32_from_i32},
        [SB_F16] = {[SB_F32] = f32_from_f16},
        [SB_BF16] = {[SB_F32] = f32_from_bf16},
        [SB_F32] =
            {[SB_F32] = f32_from_f32, [SB_F64] = f64_from_f32, [SB_C32] = c32_from_f32},
        [SB_F64] = {[SB_F64] = f64_from_f64, [SB_C64] = c64_from_f64},
        [SB_C16] = {[SB_C32] = c32_from_c16},
        [SB_CBF16] = {[SB_C32] = c32_from_cbf16},
        [SB_C32] = {[SB_C32] = c32_from_c32},
        [SB_C64] = {[SB_C64] = c64_from_c64}};

    return (unsigned)from < SB_DTYPE_COUNT && (unsigned)compute < SB_DTYPE_COUNT
               ? table[from][compute]
               : NULL;
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
        ((uint16_t *)dst)[at + c * stride] = sb_f16_from_f32(((const float *)src)[c]);
}

static void
f32_to_bf16(void *dst, int64_t at, int64_t stride, const void *src, int64_t n)
{
    for (int64_t c = 0; c < n; c++)
        ((uint16_t *)dst)[at + c * stride] = sb_bf16_from_f32(((const float *)src)[c]);
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
c32_to_halves(void *dst, int64_t at, int64_t stride, const void *src, int64_t n,
              uint16_t (*narrow)(float))
{
    for (int64_t c = 0; c < 2 * n; c++)
        ((uint16_t *)dst)[2 * (at + c / 2 * stride) + c % 2] =
            narrow(((const float *)src)[c]);
}

static void
c32_to_c16(void *dst, int64_t at, int64_t stride, const void *src, int64_t n)
{
    c32_to_halves(dst, at, stride, src, n, sb_f16_from_f32);
}

static void
c32_to_cbf16(void *dst, int64_t at, int64_t stride, const void *src, int64_t n)
{
    c32_to_halves(dst, at, stride, src, n, sb_bf16_from_f32);
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
