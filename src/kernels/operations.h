/*
 * Operations as programs: each is one stage I text over axes (operations.def), which the
 * passes of the compiler turn into loops. What differs between two uses is in the text
 * too: types, and a semiring with its element function as expressions.
 */
#ifndef SB_KERNELS_OPERATIONS_H
#define SB_KERNELS_OPERATIONS_H

#include "base/diag.h"
#include "base/dtype.h"
#include "base/strbuf.h"
#include "compiler/compiler.h"

/*
 * value     f32 or f64         ptr, idx  i32 or i64
 * add       "+", "min" or "max"; NULL: "+"
 * mul, map  expressions of the IR over the words a and b, as "a * b", "min(a, b)",
 *           "select(a > 0.0, a, 0.0)". mul is the product (NULL: "a * b"); map the
 *           element function (NULL: "a"), where an operation has one: a is what it has
 *           computed, b the stored value of A
 */
typedef struct sb_operation_args {
    sb_dtype value, ptr, idx;
    const char *add, *mul, *map;
} sb_operation_args;

/* Names of the table by index, NULL past the end. */
const char *sb_operation_name(int index);

/* Appends the stage I text. EINVAL: no such operation, no such sum, a character in an
 * expression that no expression has. */
sb_status sb_operation_text(sb_strbuf *out, const char *name,
                            const sb_operation_args *args, sb_diag *diag);

/* The '?' marks of a text filled in (operations.def); "?0" .. "?9" and "?A" stay. */
sb_status sb_operation_expand(sb_strbuf *out, const char *text,
                              const sb_operation_args *args, sb_diag *diag);

/* The operation's schedule for the CPU, for sb_lower_wished (kernels/lower.h). */
const char *sb_operation_schedule(const char *name);

/*
 * Rewrite rules that take rgms to hyb (SparseTIR figure 21): per width a bucket of rows
 * of every relation, padded to `width` slots by negative columns. Bucket w has
 *   %hybW rows, $hybW_ptr [rel + 1], $hybW_row [rows], $hybW_crd [rows * W], values
 *   $hybW_val [rows * W]
 */
void sb_operation_hyb_rules(sb_strbuf *out, const sb_operation_args *args,
                            const int *width, int n);

#endif
