/*
 * The analysis of a matrix in a format of the language: a plan around a format plan, so
 * that keeping, matching, running and asking are those of every plan.
 */
#include "planner/format_plan.h"

#include "base/alloc.h"
#include "base/clock.h"

static sb_status
run(const void *state, const sb_problem *pb, sb_diag *diag)
{
    return sb_format_plan_run(state, pb, diag);
}

static void
release(void *state)
{
    sb_format_plan_release(state);
}

static const sb_plan_engine engine = {run, release};

static sb_status
explain(sb_plan *plan, const sb_format_plan *steps)
{
    sb_strbuf text;
    sb_status st;

    sb_strbuf_init(&text);
    sb_strbuf_puts(&text, "format ");
    sb_strbuf_puts(&text, plan->key.a.tensor->fmt->name);
    sb_strbuf_puts(&text, ": the program that follows from it\n");
    sb_format_plan_explain(&text, steps);
    st = sb_strbuf_status(&text);
    if (st == SB_OK)
        plan->explain = text.s;
    else
        sb_strbuf_free(&text);
    return st;
}

sb_status
sb_format_analyse(sb_plan **out, const sb_problem *pb, sb_diag *diag)
{
    const double begin = sb_clock();
    sb_format_plan *steps;
    sb_plan *plan;
    sb_status st;

    *out = NULL;
    SB_TRY(sb_format_plan_create(&steps, pb->a.tensor, pb, SB_KERNEL_COMPILE, diag));
    plan = sb_alloc_zero(sizeof *plan);
    if (!plan) {
        sb_format_plan_release(steps);
        return SB_ENOMEM;
    }
    plan->key = *pb;
    plan->engine = &engine;
    plan->state = steps;
    plan->nstep = sb_format_plan_steps(steps);
    plan->bytes = sizeof *plan + sb_format_plan_bytes(steps);
    st = explain(plan, steps);
    plan->analysis = sb_clock() - begin;
    if (st == SB_OK)
        *out = plan;
    else
        sb_plan_release(plan);
    return st;
}
