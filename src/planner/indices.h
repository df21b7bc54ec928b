/*
 * 64-bit offsets and coordinates of the caller as 32-bit ones for a plan, where all of them
 * fit: half the bytes to read for an entry, and the kernels, candidates and samples of the
 * 32-bit matrix (docs/measured/indices.md).
 */
#ifndef SB_PLANNER_INDICES_H
#define SB_PLANNER_INDICES_H

#include "formats/par.h"
#include "runtime/plan.h"

enum { SB_INDICES_MAX = 3 };

/* Copies by the name of the array that they stand for; all zero before first use. */
typedef struct sb_indices {
    int n;
    size_t bytes;
    struct {
        const char *name;
        int64_t count;
        int32_t *data; /* owned */
    } array[SB_INDICES_MAX];
} sb_indices;

/* Turns the 64-bit offsets and coordinates of pb, which a host holds, into copies that live
 * until sb_indices_free. pb stays as it is where a number does not fit, where they would
 * take more than `room` bytes or memory is short, and where batch members have structures
 * of their own. Entries that the offsets of compressed rows or columns leave out are zero. */
void sb_indices_shorten(sb_indices *out, sb_problem *pb, size_t room,
                        const sb_par *par);

/* Gives the plan those copies that its kernels would read from the caller. */
void sb_indices_keep(sb_indices *x, sb_plan *plan);
void sb_indices_free(sb_indices *x);

#endif
