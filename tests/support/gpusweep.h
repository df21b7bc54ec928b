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

/*
 * Whether a kernel is one of those that stand for the others: what is asked for first, for
 * usual types, layouts and widths, without what leaves the loop over the entries as it is:
 *
 *   types     f32; at 32 columns also f64, f16 (as bf16) and c32 (as c64)
 *   indices   of 32 bits; of 64 for f32 at 32 columns
 *   layouts   by rows; one kind of f32 also by columns; SDDMM X by rows, Y by columns; no conjugates
 *   columns   8, 32 and 128, which is also 256 and 512 (tensor cores: 32 and 64); between them
 *             lanes differ, not loops
 *   rows      of 4 entries and more, taken together
 *   values    by position: packed is a load less
 *   blocks    of 4, with tensor cores of 8
 *   kinds     what compositions ask for first: pairs, as three are two and coo; alone what
 *             is in place or has all rows
 */
bool gpusweep_default(const char *spec);

#endif
