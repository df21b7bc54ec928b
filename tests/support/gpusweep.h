/*
 * The specs of all GPU kernels that the planner's rules can ask for: the planner is asked about every
 * composition of every kind of problem, on a device that makes no kernel and notes what it is
 * asked for. Nothing of the rules is written down here.
 */
#ifndef SB_TEST_GPUSWEEP_H
#define SB_TEST_GPUSWEEP_H

#include "runtime/kernel.h"

typedef struct gpusweep {
    char (*spec)[SB_SPEC_MAX]; /* sorted, each once */
    int64_t n, room;
    uint64_t *seen; /* while they are gathered: a table of hashes */
} gpusweep;

void gpusweep_make(gpusweep *g);
void gpusweep_free(gpusweep *g);

#endif
