/*
 * A number that a plan gives its kernels by name; part of tests that ask what it is.
 */
#ifndef SB_TEST_PLAN_NUMBER_H
#define SB_TEST_PLAN_NUMBER_H

#include "runtime/plan.h"

#include <stdint.h>
#include <string.h>

/* -1: the plan has none of that name. */
static inline int64_t
plan_number(const sb_plan *plan, const char *name)
{
    for (int q = 0; q < plan->nint; q++)
        if (strcmp(plan->integer[q].name, name) == 0)
            return plan->integer[q].value;
    return -1;
}

#endif
