/*
 * Arithmetic for kernels that are written once over a value type. For each prefix f32,
 * f64, c32, c64, f16, bf16, c16, cbf16:
 *
 *   P_v, P_s            the type that is stored; the type that is summed
 *   P_load(v), P_save(s)  between the two; 16-bit floats are summed in f32
 *   P_from(value)       a sum of a sb_value
 *   P_madd, P_msub(s, a, b)  s + a * b, s - a * b
 *   P_conj(s), P_real(s), P_mag(s), P_add(a, b), P_div(a, b)
 */
#ifndef SB_CPU_SUM_H
#define SB_CPU_SUM_H

#include "base/dtype.h"

#include <math.h>

#define TYPE(name) f32_##name
#define V float
#define S float
#define LOAD(v) v
#define SAVE(s) s
#include "cpu/sum_real.inc"

#define TYPE(name) f64_##name
#define V double
#define S double
#define LOAD(v) v
#define SAVE(s) s
#include "cpu/sum_real.inc"

#define TYPE(name) f16_##name
#define V uint16_t
#define S float
#define LOAD(v) sb_f16_to_f32(v)
#define SAVE(s) sb_f16_from_f32(s)
#include "cpu/sum_real.inc"

#define TYPE(name) bf16_##name
#define V uint16_t
#define S float
#define LOAD(v) sb_bf16_to_f32(v)
#define SAVE(s) sb_bf16_from_f32(s)
#include "cpu/sum_real.inc"

typedef struct c32_v {
    float re, im;
} c32_v, c32_s, c16_s, cbf16_s;
typedef struct c64_v {
    double re, im;
} c64_v, c64_s;
typedef struct c16_v {
    uint16_t re, im;
} c16_v, cbf16_v;

#define TYPE(name) c32_##name
#define R float
#define LOAD(v) v
#define SAVE(s) s
#include "cpu/sum_complex.inc"

#define TYPE(name) c64_##name
#define R double
#define LOAD(v) v
#define SAVE(s) s
#include "cpu/sum_complex.inc"

#define TYPE(name) c16_##name
#define R float
#define LOAD(v) ((c16_s){sb_f16_to_f32(v.re), sb_f16_to_f32(v.im)})
#define SAVE(s) ((c16_v){sb_f16_from_f32(s.re), sb_f16_from_f32(s.im)})
#include "cpu/sum_complex.inc"

#define TYPE(name) cbf16_##name
#define R float
#define LOAD(v) ((cbf16_s){sb_bf16_to_f32(v.re), sb_bf16_to_f32(v.im)})
#define SAVE(s) ((cbf16_v){sb_bf16_from_f32(s.re), sb_bf16_from_f32(s.im)})
#include "cpu/sum_complex.inc"

#endif
