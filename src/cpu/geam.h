/*
 * Sums of sparse matrices: rows are merged, first counted, then filled. A row is one
 * thread's.
 */
#ifndef SB_CPU_GEAM_H
#define SB_CPU_GEAM_H

#include "runtime/geam.h"

extern const sb_geam_steps sb_cpu_geam;

#endif
