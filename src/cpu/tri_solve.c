/*
 * Triangular solves for every value and index type.
 */
#include "base/macro.h"
#include "cpu/sum.h"
#include "cpu/tri.h"

#define I int32_t
#define TYPE(name) f32_##name
#define REAL float
#define OP(name) f32_i32_##name
#include "cpu/tri_solve.inc"

#define I int64_t
#define TYPE(name) f32_##name
#define REAL float
#define OP(name) f32_i64_##name
#include "cpu/tri_solve.inc"

#define I int32_t
#define TYPE(name) f64_##name
#define REAL double
#define OP(name) f64_i32_##name
#include "cpu/tri_solve.inc"

#define I int64_t
#define TYPE(name) f64_##name
#define REAL double
#define OP(name) f64_i64_##name
#include "cpu/tri_solve.inc"

#define I int32_t
#define TYPE(name) c32_##name
#define OP(name) c32_i32_##name
#include "cpu/tri_solve.inc"

#define I int64_t
#define TYPE(name) c32_##name
#define OP(name) c32_i64_##name
#include "cpu/tri_solve.inc"

#define I int32_t
#define TYPE(name) c64_##name
#define OP(name) c64_i32_##name
#include "cpu/tri_solve.inc"

#define I int64_t
#define TYPE(name) c64_##name
#define OP(name) c64_i64_##name
#include "cpu/tri_solve.inc"

const sb_tri_kernels *
sb_tri_kernels_of(const sb_tri *t)
{
    static const sb_tri_kernels *const table[SB_DTYPE_COUNT][2] = {
        [SB_F32] = {&f32_i32_kernels, &f32_i64_kernels},
        [SB_F64] = {&f64_i32_kernels, &f64_i64_kernels},
        [SB_C32] = {&c32_i32_kernels, &c32_i64_kernels},
        [SB_C64] = {&c64_i32_kernels, &c64_i64_kernels},
    };

    return table[t->type][t->index == SB_I64];
}
