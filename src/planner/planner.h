/*
 * From a problem to a plan, and from either to an execution.
 */
#ifndef SB_PLANNER_PLANNER_H
#define SB_PLANNER_PLANNER_H

#include "base/diag.h"
#include "base/status.h"
#include "base/strbuf.h"
#include "runtime/plan.h"
#include "runtime/problem.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum sb_effort {
    SB_EFFORT_ESTIMATE,
    SB_EFFORT_MEASURE,
    SB_EFFORT_EXHAUSTIVE
} sb_effort;

/* How far an EXHAUSTIVE search has come. */
typedef struct sb_search_state {
    double elapsed, limit; /* seconds; limit 0: none */
    int tried;             /* plans that were built and timed, or could not be */
    int known;             /* candidates so far; more may come */
    double best;           /* seconds of the fastest plan, 0 while there is none */
    const char *text;      /* of that plan, or NULL */
} sb_search_state;

/* Policy of one analysis. All zero is the default. */
typedef struct sb_options {
    sb_effort effort;
    bool values_frozen; /* the caller promises not to change A's values: packing allowed
                         */
    bool atomics_allowed; /* determinism may be given up; nothing here uses it yet */
    int64_t memory_limit; /* bytes a plan may hold; 0: three times the matrix */
    const char *plan;     /* forced plan text, or NULL */
    /* EXHAUSTIVE: seconds it may take, 0: no limit; and who is told before each plan that
     * is timed, false ending the search with the best so far. NULL: nobody. */
    double time_limit;
    bool (*progress)(void *user, const sb_search_state *s);
    void *progress_user;
} sb_options;

/*
 * Analyses A's structure and builds a plan. ESTIMATE chooses by the model among kernels
 * that are resident or stored, MEASURE times the best few on scratch operands, either
 * takes wisdom (wisdom.h) where there is some;
 * a forced plan is built as told (EPARSE with a caret, or ENOTSUP with the reason).
 * A tensor's plan follows from its format (format_plan.h). Values, B and C are not read.
 * ENOMEM and the memory limit degrade to a smaller plan where one exists.
 */
sb_status sb_plan_create(sb_plan **out, const sb_problem *pb, const sb_options *opt,
                         sb_diag *diag);

/*
 * Runs the problem: with the plan if it matches (a device's are api/far.h's to run: NULL here),
 * else by the path without analysis (the caller's arrays in place on a resident kernel), else by
 * the reference kernel.
 * Never allocates, compiles or reads structure beyond what the kernel needs, but for a
 * tensor without a plan, which has none of these paths: its program is made for the call.
 */
sb_status sb_execute(const sb_plan *plan, const sb_problem *pb, sb_diag *diag);

/* Plan texts legal for this problem, one per call: every registered composition at
 * least once; NULL past the end. For tests, ablations and MEASURE. Static storage per
 * thread. */
const char *sb_plan_candidate(const sb_problem *pb, const sb_options *opt, int index);

#endif
