/*
 * The structure of a tensor under the names a format's program has for it
 * (kernels/format_program.h); the values are the problem's.
 */
#ifndef SB_PLANNER_FORMAT_NAMES_H
#define SB_PLANNER_FORMAT_NAMES_H

#include "formats/tensor.h"
#include "runtime/plan.h"

typedef struct sb_format_names {
    int narray, nint;
    sb_plan_array array[3 * SB_FMT_LEVELS]; /* not owned */
    sb_plan_int integer[5 * SB_FMT_LEVELS + 1];
} sb_format_names;

/* Of a tensor with arrays: no hybrid, and of a partition one bank. NULL: no names. */
void sb_format_names_of(sb_format_names *out, const sb_tensor *t);

#endif
