/*
 * Facts about the machine this process runs on, found once. Policy lives elsewhere.
 */
#ifndef SB_RUNTIME_TARGET_H
#define SB_RUNTIME_TARGET_H

#include <stdint.h>

typedef enum sb_isa {
    SB_ISA_GENERIC,
    SB_ISA_V2,
    SB_ISA_V3,
    SB_ISA_V4,
    SB_ISA_V4G, /* v4, and gathers beat loads lane by lane */
    SB_ISA_COUNT
} sb_isa;

typedef struct sb_target {
    sb_isa isa;  /* highest level both CPU and OS support; SPBLAS_ISA lowers it */
    int threads; /* of the OpenMP team, or 1 */
    int64_t l1, l2, l3; /* bytes per core for l1 and l2, shared for l3 */
    /* Model coefficients: measured by `spblas tune` in a later version, defaults now. */
    double flops;                /* fp32 FMA flop/s of all threads */
    double bw_l2, bw_l3, bw_mem; /* bytes/s, streaming, all threads */
    double gather_l1, gather_l2, gather_l3, gather_mem; /* of whole-row gathers */
    double tile_seconds; /* cost of one tile's dispatch */
    double step_seconds; /* cost of one barrier */
} sb_target;

const sb_target *sb_target_get(void);
const char *sb_isa_name(sb_isa isa); /* "generic", "v2", "v3", "v4", "v4g" */

#endif
