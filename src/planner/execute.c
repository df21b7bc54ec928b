/*
 * One call: the plan, else the path without analysis, else the reference kernel.
 */
#include "planner/direct.h"
#include "planner/planner.h"
#include "runtime/backend.h"

sb_status
sb_execute(const sb_plan *plan, const sb_problem *pb, sb_diag *diag)
{
    sb_status st;

    if (plan && sb_plan_matches(plan, pb))
        return sb_plan_run(plan, pb, diag);
    st = sb_direct_run(pb, diag);
    return st == SB_SKIP ? sb_backend_get()->reference(pb, diag) : st;
}
