/*
 * Products with a tensor in any format of the language: its program (src/kernels/
 * format_program.h), compiled once for each distinct part, bound to the tensor's arrays.
 *
 *   hybrids      one program a part, one after the other; beta is applied once, first
 *   partition    the program once for every bank
 *   no compiler  the same program runs in the interpreter: slow, never an error
 *
 * pb is the problem as everywhere, of which `a` gives only rows, cols (those of the
 * tensor) and batch 1; values and structure are the tensor's, values read at each run. SDDMM writes the tensor's
 * values, one run at a time; format_program.h says which slots are elements.
 */
#ifndef SB_PLANNER_FORMAT_PLAN_H
#define SB_PLANNER_FORMAT_PLAN_H

#include "base/diag.h"
#include "base/strbuf.h"
#include "formats/tensor.h"
#include "planner/planner.h"
#include "runtime/kernel.h"

typedef struct sb_format_plan sb_format_plan;

/*
 * Programs and kernels for one tensor and the types, layouts and shapes of pb; both must
 * stay as they are, but for values and scalars. The tensor outlives the plan. EINVAL when
 * shapes disagree or the format is not one of matrices.
 */
sb_status sb_format_plan_create(sb_format_plan **out, const sb_tensor *t,
                                const sb_problem *pb, sb_kernel_effort effort,
                                sb_diag *diag);
/* Allocates nothing, unless it interprets. */
sb_status sb_format_plan_run(const sb_format_plan *plan, const sb_problem *pb,
                             sb_diag *diag);
void sb_format_plan_release(sb_format_plan *plan); /* NULL is fine */

int sb_format_plan_steps(const sb_format_plan *plan);
size_t sb_format_plan_bytes(const sb_format_plan *plan);
/* A line for each step: what, how many tiles, which kernel ("interpreter": none). */
void sb_format_plan_explain(sb_strbuf *out, const sb_format_plan *plan);

/* All of it at once. */
sb_status sb_format_compute(const sb_tensor *t, const sb_problem *pb, sb_diag *diag);

/*
 * sb_plan_create for pb->a.tensor: a plan whose engine is a format plan. There is one
 * program for a format, and in the interpreter it is slower by orders, so it is compiled
 * whatever the effort.
 */
sb_status sb_format_analyse(sb_plan **out, const sb_problem *pb, sb_diag *diag);

#endif
