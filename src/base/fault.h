/*
 * Seeded bugs: SB_FAULT(NAME) is the constant 0 unless the build has SPBLAS_FAULTS.
 */
#ifndef SB_BASE_FAULT_H
#define SB_BASE_FAULT_H

#ifdef SPBLAS_FAULTS
typedef enum sb_fault {
#define X(name, text, tests) SB_FAULT_##name,
#include "base/fault.def"
#undef X
    SB_FAULT_COUNT
} sb_fault;
/* Whether SPBLAS_FAULT in the environment names this fault. */
int sb_fault_active(sb_fault f);
#define SB_FAULT(name) sb_fault_active(SB_FAULT_##name)
#else
#define SB_FAULT(name) 0
#endif

#endif
