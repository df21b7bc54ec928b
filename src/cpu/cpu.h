/*
 * The CPU backend: OpenMP worker team, system C compiler, reference kernels.
 */
#ifndef SB_CPU_CPU_H
#define SB_CPU_CPU_H

#include "runtime/backend.h"

extern const sb_backend sb_cpu_backend;

#endif
