/*
 * Named intrinsics that a nest of loops can stand for: `tensor mma_4x8x2 { ... }`. The
 * loops stay and are the meaning; the emitter writes a call where it can.
 *
 *   mma_MxNxK   $C[..] += $A[..] * $B[..] in three nested loops of M, N and K trips; the
 *               place in C does not depend on the third, in A on the second, in B on the
 *               first, and each index is linear in the loops. f32, f64, i32, i64.
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

/* Is the body what the intrinsic does? Fills *out (may be NULL), or says why not. */
bool sb_tensor_match(sb_tensor *out, const char *name, sb_body body, const char **why);

#endif
