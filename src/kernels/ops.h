/*
 * The operations as programs: stage I over a row-compressed A, from which recipes with a
 * rewrite rule start, and the pieces from which the others write their loops in stage
 * II. docs/kernels.md lists the names of parameters and buffers. Only memory can fail
 * here, which `out` remembers.
 */
#ifndef SB_KERNELS_OPS_H
#define SB_KERNELS_OPS_H

#include "base/strbuf.h"
#include "kernels/spec.h"

const char *sb_ops_name(sb_kernel_op op); /* "spmm" */

/* Columns of C: "%n", or a literal where the kernel is made for one width. */
void sb_ops_width(sb_strbuf *out, const sb_spec *s);
/* Length of SDDMM's dot products (SpMM: rows of B): "%k", or a literal likewise. */
void sb_ops_depth(sb_strbuf *out, const sb_spec *s);

/* SpMM: the line "INDENTfor %c in 0 .. WIDTH {"; nothing for SpMV. */
void sb_ops_columns(sb_strbuf *out, const sb_spec *s, const char *indent);

void sb_ops_stage1(sb_strbuf *out, const sb_spec *s);

/*
 * The head of a stage II program: parameters, `params` (NULL-terminated names, i64),
 * `buffers` (NULL-terminated triples name, type, extent; type P, I, V or a dtype's name:
 * offsets, columns, values of A), axis #I, $A flat over the caller's entries, dense
 * operands as in stage I. The loops and the closing brace are the caller's.
 */
void sb_ops_stage2_begin(sb_strbuf *out, const sb_spec *s, const char *kind,
                         const char *const *params, const char *const *buffers);

/* Axes #K and #N (without SpMV), $A over the axes `over`, the dense operands as
 * docs/kernels.md says; axis #I is declared before. */
void sb_ops_operands(sb_strbuf *out, const sb_spec *s, const char *over);
/* $C alone, over #I and #N. */
void sb_ops_output(sb_strbuf *out, const sb_spec *s);

/* "select(%beta == 0.0, 0.0, %beta * TARGET)" in the type TARGET is stored in. */
void sb_ops_init(sb_strbuf *out, const sb_spec *s, const char *target);
/* "%alpha * A * B" in the type the result is stored in. */
void sb_ops_term(sb_strbuf *out, const sb_spec *s, const char *a, const char *b);
/* SpMM, SpMV: TARGET with a term more, a statement. 16 bits are no type to add in: there the
 * sum is formed in the compute type and stored. */
void sb_ops_add(sb_strbuf *out, const sb_spec *s, const char *target, const char *a,
                const char *b);
/* Statements "prefetch $ARRAY[AT + ..]", a line each: `count` elements like A's from AT on. */
void sb_ops_ask(sb_strbuf *out, const sb_spec *s, const char *array, const char *at,
                int count);
/* The statements that ask, where %AHEAD is positive, for all values of COUNT columns of the window's
 * rows that lie in $ARRAY from AT on, %AHEAD further, a line each. AT is read where COUNT is positive. */
void sb_ops_ask_window(sb_strbuf *out, const sb_spec *s, const char *array,
                       const char *at, const char *count, const char *ahead);
/* "A * B" in the compute type. */
void sb_ops_product(sb_strbuf *out, const sb_spec *s, const char *a, const char *b);
/* SpMM, SpMV: "%alpha * VALUE + select(%beta == 0.0, 0.0, %beta * TARGET)", VALUE in the
 * compute type, as it is stored in TARGET. */
void sb_ops_result(sb_strbuf *out, const sb_spec *s, const char *target,
                   const char *value);
/* The same where it is known whether anything is `added`, beta times what was there. */
void sb_ops_result_known(sb_strbuf *out, const sb_spec *s, const char *target,
                         const char *value, bool added);
/* EXPR of type `from` in the compute type: conjugated, then cast. */
void sb_ops_operand(sb_strbuf *out, const sb_spec *s, const char *expr, sb_dtype from,
                    bool conj);
/* "select(bit l of BITS, LOAD, 0)": LOAD, of that type, in the lanes %l of a mask. */
void sb_ops_lane(char *out, size_t size, sb_dtype type, const char *bits,
                 const char *load);
/* Statements: of the `have` sums in $FROM neighbours are added until n are left, in $sumN of N
 * elements. */
void sb_ops_pairs(sb_strbuf *out, const sb_spec *s, const char *from, int have, int n);
/* All sums in an array of `lanes`, a power of two, added up into its first one. */
void sb_ops_fold(sb_strbuf *out, const char *array, int lanes);
/* The zero of the compute type, "0.0:f64". */
void sb_ops_zero(sb_strbuf *out, const sb_spec *s);

#endif
