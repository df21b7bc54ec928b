/*
 * SpMM over the caller's operators (kernels/semiring.h): the program, compiled once, and
 * the rows of op(A) it walks. Those of CSR (CSC transposed) are the caller's arrays, any
 * other matrix has its structure copied, never its values. A tensor has no such rows.
 */
#ifndef SB_PLANNER_SEMIRING_PLAN_H
#define SB_PLANNER_SEMIRING_PLAN_H

#include "kernels/semiring.h"
#include "runtime/problem.h"

typedef struct sb_semiring_plan sb_semiring_plan;

/*
 * The texts of `ring` are not kept. pb: an SpMM with A in any format but
 * TENSOR; alpha and beta are not looked at. EINVAL or EPARSE as sb_semiring_lowered; EINVAL too when an index lies outside
 * the matrix.
 */
sb_status sb_semiring_plan_create(sb_semiring_plan **out, const sb_problem *pb,
                                  const sb_semiring *ring, sb_diag *diag);
/* Whether pb is the plan's problem, but for values, B and C (runtime/plan.h). */
bool sb_semiring_plan_matches(const sb_semiring_plan *plan, const sb_problem *pb);
/* Allocates nothing, unless there was no compiler: then it interprets. */
sb_status sb_semiring_plan_run(const sb_semiring_plan *plan, const sb_problem *pb,
                               sb_diag *diag);
void sb_semiring_plan_release(sb_semiring_plan *plan); /* NULL is fine */

#endif
