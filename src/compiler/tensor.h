/*
 * Named intrinsics that a nest of loops can stand for: `tensor mma_4x8x2 { ... }`. The
 * loops stay and are the meaning; the emitter writes a call where it can.
 *
 *   mma_MxNxK   $C[..] += $A[..] * $B[..] in three nested loops of M, N and K trips; the
 *               place in C does not depend on the third, in A on the second, in B on the
 *               first, and each index is linear in the loops. f32, f64, i32, i64.
 *   tc_MxNxK    $C[..] += A * B in loops of M, N and K trips, in this order, for a GPU's
 *               tensor cores: C is f32, its place moves with the first two; A, free of the
 *               second, and B, free of the first, are loads of f16 or bf16 cast to f32,
 *               under selects whose other side is 0. M of 16, N of 8, K 8 or 16.
 *   tf32_MxNxK  the same with f32 loads, which lose all but ten bits of their fraction.
 *   tf32x3_MxNxK  with f32 loads as sums of two such numbers: three products each.
 *   sums_MxN    $C[%e] += $A[%e, %l] in loops %e and %l of M and N trips: sums across
 *               lanes, by halves, of local arrays of f32 or f64. M at most 32, N a power of
 *               two of at most 64 bytes.
 */
#ifndef SB_COMPILER_TENSOR_H
#define SB_COMPILER_TENSOR_H

#include "compiler/ir.h"

typedef struct sb_tensor_operand {
    const sb_buf *buf;
    const sb_expr *const *idx;
    int step[2]; /* loops that move it, row first */
} sb_tensor_operand;

typedef struct sb_tensor {
    const sb_var *var[3]; /* loops in the order of the name: i, j, k */
    int64_t trip[3];
    sb_tensor_operand c, a, b;
} sb_tensor;

/* Of tc_, tf32_ and tf32x3_. */
typedef struct sb_tensor_core {
    const sb_var *var[3]; /* i, j, k */
    int64_t trip[3];
    const sb_buf *c;
    const sb_expr *const *idx;
    const sb_expr *a, *b;
    sb_dtype type; /* of the loads */
    bool three;    /* tf32x3 */
} sb_tensor_core;

/* Of sums_. */
typedef struct sb_tensor_sums {
    int count, lanes;
    const sb_buf *to, *from;
} sb_tensor_sums;

/* Whether the body is what any intrinsic of that name does; or why not. */
bool sb_tensor_is(const char *name, sb_body body, const char **why);
bool sb_tensor_is_core(const char *name);
/* Fills *out (may be NULL), or says why not. */
bool sb_tensor_match_core(sb_tensor_core *out, const char *name, sb_body body,
                          const char **why);
/* The same of mma_. */
bool sb_tensor_match(sb_tensor *out, const char *name, sb_body body, const char **why);
/* The same of sums_. */
bool sb_tensor_match_sums(sb_tensor_sums *out, const char *name, sb_body body,
                          const char **why);

#endif
