/*
 * The arrays and sizes of a tensor under the names a format's program has for them
 * (kernels/format_program.h).
 */
#ifndef SB_PLANNER_FORMAT_NAMES_H
#define SB_PLANNER_FORMAT_NAMES_H

#include "formats/tensor.h"
#include "runtime/plan.h"

typedef struct sb_format_names {
    int narray, nint;
    sb_plan_array array[3 * SB_FMT_LEVELS + 1]; /* not owned */
    sb_plan_int integer[5 * SB_FMT_LEVELS + 1];
} sb_format_names;

/* Of a tensor with arrays: no hybrid, and of a partition one bank. NULL: no names. */
void sb_format_names_of(sb_format_names *out, const sb_tensor *t);

#endif
