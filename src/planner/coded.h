/*
 * A program that runs as a kernel where one can be had, and in the interpreter elsewhere:
 * slower by orders, never an error.
 */
#ifndef SB_PLANNER_CODED_H
#define SB_PLANNER_CODED_H

#include "compiler/compiler.h"
#include "runtime/kernel.h"
#include "runtime/plan.h"

typedef struct sb_coded {
    const sb_prog *prog; /* stage III over tiles */
    const char *signature;
    const sb_kernel *kernel; /* NULL: interpreted */
    char spec[SB_SPEC_MAX];  /* "LABEL HASH" */
} sb_coded;

/* prog and ar outlive it. A label names one kind of program in messages and caches. */
sb_status sb_coded_make(sb_coded *out, sb_arena *ar, const sb_prog *prog,
                        const char *label, sb_kernel_effort effort);

/* Runs the one step of `l`, whose kernel is the program's; its tiles start at 0. Every
 * member of a batch. Allocates nothing, unless it interprets. */
sb_status sb_coded_run(const sb_coded *c, const sb_launch *l, const sb_problem *pb,
                       sb_diag *diag);

#endif
