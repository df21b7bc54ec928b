/*
 * Element types, shared by API, IR, kernels and tests. Complex numbers are pairs: c16 of
 * f16, cbf16 of bf16, c32 of f32, c64 of f64 (CUDA_C_16F, _16BF, _32F, _64F).
 */
#ifndef SB_BASE_DTYPE_H
#define SB_BASE_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum sb_dtype {
#define X(name, text, bytes, cls, sum) SB_##name,
#include "base/dtype.def"
#undef X
    SB_DTYPE_COUNT
} sb_dtype;

size_t sb_dtype_size(sb_dtype t);
const char *sb_dtype_name(sb_dtype t);
/* SB_DTYPE_COUNT when no type has that name. */
sb_dtype sb_dtype_parse(const char *s, size_t len);
bool sb_dtype_is_int(sb_dtype t);
bool sb_dtype_is_real(sb_dtype t);
bool sb_dtype_is_complex(sb_dtype t);
bool sb_dtype_is_storage(sb_dtype t); /* stored, but not computed with */
bool sb_dtype_is_half(sb_dtype t);    /* 16-bit floats or pairs of them */
/* What values of the type are computed in: a wider type if it is only stored. */
sb_dtype sb_dtype_sum(sb_dtype t);

/* The bits of an element of at most 8 bytes, both halves of one of 16, that are not signs of
 * real numbers: an element is zero when these are. */
uint64_t sb_dtype_magnitude(sb_dtype t);

/* IEEE conversions, round to nearest even, NaN kept NaN. */
float sb_f16_to_f32(uint16_t h);
uint16_t sb_f16_from_f32(float f);
float sb_bf16_to_f32(uint16_t h);
uint16_t sb_bf16_from_f32(float f);

/* One element of any type as a pair of doubles (im = 0 for reals). i64 values above
 * 2^53 lose bits; storing rounds once to the target type, integers saturate. */
typedef struct sb_value {
    double re, im;
} sb_value;
sb_value sb_value_load(sb_dtype t, const void *array, int64_t index);
void sb_value_store(sb_dtype t, void *array, int64_t index, sb_value v);

#endif
