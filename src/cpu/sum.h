/*
 * Arithmetic for kernels that are written once over a value type. For each prefix f32,
 * f64, c32, c64, f16, bf16:
 *
 *   P_v, P_s            the type that is stored; the type that is summed
 *   P_load(v), P_save(s)  between the two; 16-bit values are summed in f32
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

#define TYPE(name) c32_##name
#define R float
#include "cpu/sum_complex.inc"

#define TYPE(name) c64_##name
#define R double
#include "cpu/sum_complex.inc"

#endif
