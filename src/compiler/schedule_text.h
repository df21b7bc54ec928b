/*
 * Applying part of a schedule: the pipeline runs the same text once on stage I and once
 * on stage II and takes the lines of that stage.
 */
#ifndef SB_COMPILER_SCHEDULE_TEXT_H
#define SB_COMPILER_SCHEDULE_TEXT_H

#include "compiler/ir.h"

typedef enum sb_sched_lines {
    SB_SCHED_ALL_LINES, /* a line of another stage is refused */
    SB_SCHED_OWN_STAGE  /* ... is passed over */
} sb_sched_lines;

sb_status sb_schedule_apply_lines(const sb_prog **out, sb_ir *ir, const sb_prog *in,
                                  const char *schedule, sb_sched_lines lines);

#endif
