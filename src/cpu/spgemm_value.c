/*
 * Values of C's rows for every index and value type.
 */
#include "base/fault.h"
#include "cpu/spgemm.h"
#include "cpu/sum.h"

#include <string.h>

#define I int32_t
#define TYPE(name) f32_##name
#define OP(name) f32_i32_##name
#include "cpu/spgemm_value.inc"

#define I int64_t
#define TYPE(name) f32_##name
#define OP(name) f32_i64_##name
#include "cpu/spgemm_value.inc"

#define I int32_t
#define TYPE(name) f64_##name
#define OP(name) f64_i32_##name
#include "cpu/spgemm_value.inc"

#define I int64_t
#define TYPE(name) f64_##name
#define OP(name) f64_i64_##name
#include "cpu/spgemm_value.inc"

#define I int32_t
#define TYPE(name) c32_##name
#define OP(name) c32_i32_##name
#include "cpu/spgemm_value.inc"

#define I int64_t
#define TYPE(name) c32_##name
#define OP(name) c32_i64_##name
#include "cpu/spgemm_value.inc"

#define I int32_t
#define TYPE(name) c64_##name
#define OP(name) c64_i32_##name
#include "cpu/spgemm_value.inc"

#define I int64_t
#define TYPE(name) c64_##name
#define OP(name) c64_i64_##name
#include "cpu/spgemm_value.inc"

#define I int32_t
#define TYPE(name) f16_##name
#define OP(name) f16_i32_##name
#include "cpu/spgemm_value.inc"

#define I int64_t
#define TYPE(name) f16_##name
#define OP(name) f16_i64_##name
#include "cpu/spgemm_value.inc"

#define I int32_t
#define TYPE(name) bf16_##name
#define OP(name) bf16_i32_##name
#include "cpu/spgemm_value.inc"

#define I int64_t
#define TYPE(name) bf16_##name
#define OP(name) bf16_i64_##name
#include "cpu/spgemm_value.inc"

#define I int32_t
#define TYPE(name) c16_##name
#define OP(name) c16_i32_##name
#include "cpu/spgemm_value.inc"

#define I int64_t
#define TYPE(name) c16_##name
#define OP(name) c16_i64_##name
#include "cpu/spgemm_value.inc"

#define I int32_t
#define TYPE(name) cbf16_##name
#define OP(name) cbf16_i32_##name
#include "cpu/spgemm_value.inc"

#define I int64_t
#define TYPE(name) cbf16_##name
#define OP(name) cbf16_i64_##name
#include "cpu/spgemm_value.inc"

const sb_spgemm_value *
sb_spgemm_value_of(sb_dtype index, sb_dtype value)
{
    static const sb_spgemm_value *const table[SB_DTYPE_COUNT][2] = {
        [SB_F32] = {&f32_i32_kernels, &f32_i64_kernels},
        [SB_F64] = {&f64_i32_kernels, &f64_i64_kernels},
        [SB_C32] = {&c32_i32_kernels, &c32_i64_kernels},
        [SB_C64] = {&c64_i32_kernels, &c64_i64_kernels},
        [SB_F16] = {&f16_i32_kernels, &f16_i64_kernels},
        [SB_BF16] = {&bf16_i32_kernels, &bf16_i64_kernels},
        [SB_C16] = {&c16_i32_kernels, &c16_i64_kernels},
        [SB_CBF16] = {&cbf16_i32_kernels, &cbf16_i64_kernels},
    };

    return table[value][index == SB_I64];
}
