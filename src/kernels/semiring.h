/*
 * SpMM over the caller's own operators, given as text:
 *
 *   C[i, c] = epilogue(mul(A[i, j1], B[j1, c]) add mul(A[i, j2], B[j2, c]) add .., C[i, c])
 *
 * Each is an expression of the IR over the variables a and b, without sigils, in the
 * compute type. What could end a program whatever its operands is refused, so any text
 * that is accepted may be compiled and run.
 */
#ifndef SB_KERNELS_SEMIRING_H
#define SB_KERNELS_SEMIRING_H

#include "compiler/compiler.h"
#include "kernels/spec.h"

/*
 * add       of the sum so far (a) and the next product (b); NULL: "a + b"
 * zero      the sum of nothing, an expression without variables; NULL: of "a + b", "a * b",
 *           "min(a, b)" and "max(a, b)" it is known
 * mul       of an entry of op(A) (a) and an element of op(B) (b); NULL: "a * b"
 * epilogue  of the sum (a) and what C has (b); NULL: "a". Without b, C is not read
 */
typedef struct sb_semiring {
    const char *add, *zero, *mul, *epilogue;
} sb_semiring;

/*
 * Stage III over tiles of rows of C. spec: types, layouts, conjugation, ptr and idx of the
 * structure; by_position: values are read through $R_pos. Bound by the names of SpMM
 * (docs/kernels.md, Names a kernel is bound by) and
 *
 *   parameters  R_nnz, entries; R_values, elements of A; R_ptr_base, R_crd_base
 *   buffers     R_ptr P[m + 1], R_crd I[R_nnz], R_pos i64[R_nnz]
 *
 * EINVAL or EPARSE with the operator's name and the place in its text.
 */
sb_status sb_semiring_lowered(const sb_prog **out, sb_ir *ir, const sb_spec *spec,
                              const sb_semiring *ring, bool by_position);

#endif
