/*
 * What follows from known levels of an index map. Every expression is a linear form over
 * atoms: the dimensions; quotient q and remainder r of a form z by a constant f, tied by
 * z = f q + r; the answers of indirect functions. Levels that are known are equations
 * between atoms and known symbols, solved exactly over the integers. Three rules that are
 * not linear make new equations from what is solved, until nothing new follows:
 *
 *   tile      z known: its quotient and remainder are known
 *   radix     g A + B known and 0 <= B < g: A and B are known (their quotient, remainder)
 *   function  an answer and its group known: the unit is known, where the function
 *             numbers the units one to one; the unit known: the answer is known
 *
 * Storage is inside the solver; expressions for what is known are made if there is an
 * arena.
 */
#ifndef SB_FORMATS_FMT_SOLVE_H
#define SB_FORMATS_FMT_SOLVE_H

#include "formats/fmt_form.h"

void sb_solve_init(sb_solve *s, const sb_fmt *f, sb_arena *ar, bool functions);
/* Makes e known as the symbol `as` (NULL: without an expression). */
void sb_solve_add(sb_solve *s, const sb_fmt_expr *e, const sb_fmt_expr *as);
/* Applies the rules until nothing new follows. */
void sb_solve_run(sb_solve *s);
bool sb_solve_knows(sb_solve *s, const sb_fmt_expr *e);
/* The expression for a dimension; NULL where it is not known or memory is short. */
const sb_fmt_expr *sb_solve_dim(sb_solve *s, int dim);

/* fmt_infer.c: whether the answers of function `fn` number the units of a group one to
 * one, and those of the non-zero units 0, 1, 2, .. */
bool sb_fmt_fn_one_to_one(const sb_fmt *f, int fn);
bool sb_fmt_fn_counts_from_zero(const sb_fmt *f, int fn);

#endif
