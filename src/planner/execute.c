/*
 * One call: the plan, else the path without analysis, else the reference kernel. A tensor
 * without a plan gets one for the call. What has neither plan nor kernel on its device
 * goes through host memory.
 */
#include "planner/direct.h"
#include "planner/even.h"
#include "planner/format_plan.h"
#include "planner/planner.h"
#include "planner/staged.h"
#include "runtime/backend.h"
#include "runtime/slab.h"

/* Kernels for rows do nothing for columns without the buffer that they are turned in. */
static bool
has_room(const sb_plan *plan, const sb_problem *pb)
{
    return plan->slab == 0 || !sb_slab_turns(pb) || sb_slab_fits(pb, plan->slab);
}

/* Plans there are run by who puts their operands by rows (api/far.h). */
static sb_status
on_device(const sb_problem *pb, sb_diag *diag)
{
    const sb_problem by_rows = sb_problem_by_rows(pb);
    const sb_status st = sb_even_run(&by_rows, diag);

    return st == SB_SKIP ? sb_staged_run(pb, diag) : st;
}

/* By columns, where the plan's kernels are SpMV's. SKIP: there is no room. */
static sb_status
by_plan(const sb_plan *plan, const sb_problem *pb, sb_diag *diag)
{
    sb_problem by_rows = sb_problem_by_rows_alone(pb);

    if (!has_room(plan, &by_rows))
        return SB_SKIP;
    if (plan->op != by_rows.op)
        by_rows = sb_problem_by_rows(pb);
    return sb_plan_run(plan, &by_rows, diag);
}

sb_status
sb_execute(const sb_plan *plan, const sb_problem *pb, sb_diag *diag)
{
    sb_status st = SB_SKIP;

    if (pb->device)
        return on_device(pb, diag);
    if (plan && sb_plan_matches(plan, pb))
        st = by_plan(plan, pb, diag);
    if (st != SB_SKIP)
        return st;
    if (pb->a.format == SB_FORMAT_TENSOR)
        return sb_format_compute(pb->a.tensor, pb, diag);
    st = sb_direct_run(pb, diag);
    return st == SB_SKIP ? sb_backend_get()->reference(pb, diag) : st;
}
