/*
 * Integer expressions as sums of atoms with constant coefficients: what makes
 * `E + (q - E)` become `q`, and what dependence tests read steps from.
 */
#ifndef SB_COMPILER_AFFINE_H
#define SB_COMPILER_AFFINE_H

#include "compiler/ir.h"

#define SB_AFFINE_TERMS 24

/* sum of coef[q] * atom[q], plus c. Atoms are distinct, coefficients not zero, in order
 * of first appearance. Atoms are i64 expressions that are no sum and no constant multiple. */
typedef struct sb_affine {
    int n;
    int64_t c;
    struct {
        const sb_expr *atom;
        int64_t coef;
    } at[SB_AFFINE_TERMS];
} sb_affine;

/* False when e is no i64 expression, has too many terms or overflows. */
bool sb_affine_of(sb_affine *out, const sb_expr *e);
const sb_expr *sb_affine_expr(sb_ir *ir, const sb_affine *a);
bool sb_affine_add(sb_affine *out, const sb_affine *b, int64_t times);
/* Coefficient of variable v; *clean: v occurs nowhere else in a. */
int64_t sb_affine_coef(const sb_affine *a, const sb_var *v, bool *clean);

/* Canonical sums everywhere inside e, min and max of equal parts folded. */
const sb_expr *sb_expr_simplify(sb_ir *ir, const sb_expr *e);

/* Constant c with e <= c (e < SB_NO_BOUND) by looking at literals, mod and min only. */
#define SB_NO_BOUND INT64_MAX
int64_t sb_expr_upper(const sb_expr *e);

/* i64 arithmetic in one word: a + b, a - b, a * b, min; a is cast to i64 if needed. */
const sb_expr *sb_expr_add(sb_ir *ir, const sb_expr *a, const sb_expr *b);
const sb_expr *sb_expr_sub(sb_ir *ir, const sb_expr *a, const sb_expr *b);
const sb_expr *sb_expr_mul(sb_ir *ir, const sb_expr *a, const sb_expr *b);
const sb_expr *sb_expr_i64(sb_ir *ir, const sb_expr *e);

/* e where v has a value; a - b; whether that is `by`. NULL, and false, from NULL and when out of
 * memory. */
const sb_expr *sb_expr_at(sb_ir *ir, const sb_expr *e, const sb_var *v, int64_t value);
const sb_expr *sb_expr_minus(sb_ir *ir, const sb_expr *a, const sb_expr *b);
bool sb_expr_differ_by(sb_ir *ir, const sb_expr *a, const sb_expr *b, int64_t by);

#endif
