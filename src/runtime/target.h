/*
 * Facts about the machine this process runs on, found once. Policy lives elsewhere.
 */
#ifndef SB_RUNTIME_TARGET_H
#define SB_RUNTIME_TARGET_H

#include "base/strbuf.h"
#include "formats/part.h"
#include "runtime/problem.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum sb_isa {
    SB_ISA_GENERIC,
    SB_ISA_V2,
    SB_ISA_V3,
    SB_ISA_V4,
    SB_ISA_V4G, /* v4, and gathers beat loads lane by lane */
    SB_ISA_COUNT
} sb_isa;

/* Classes of tiles, as the cost model tells them apart: the kinds of part, but rows in the
 * matrix's order (SB_PART_ROWS) are one and rows listed by length another. */
enum { SB_CLASS_HYB = SB_PART_COUNT, SB_CLASS_COUNT };
enum { SB_OP_COUNT = SB_OP_SDDMM + 1 };

/* What measuring made of the costs that planner/cost.c gives a class: factors of time at
 * the roofline, of time per unit and of time per entry. 1 until measured. */
typedef struct sb_factor {
    double roof, unit, entry;
} sb_factor;

/* What the model and wisdom know of a GPU. */
typedef struct sb_gpu_facts {
    char name[64], arch[16]; /* "NVIDIA H200", "sm_90" */
    int sms;                 /* multiprocessors */
    int64_t l2;              /* bytes */
    double mem_rate;         /* bytes/s of its memory; 0: not known */
    int cc;                  /* compute capability: 90 is 9.0 */
    double clock;            /* of a multiprocessor, 1/s; 0: not known */
} sb_gpu_facts;

typedef struct sb_target {
    const sb_gpu_facts *gpu; /* the model is this GPU's; NULL: the CPU's */
    sb_isa isa; /* highest level both CPU and OS support; SPBLAS_ISA lowers it */
    bool
        wide; /* v4 alone: operations on 64 bytes are one, not two of 32 (Zen 5, not Zen 4) */
    int threads;        /* of the OpenMP team, or 1 */
    int64_t l1, l2, l3; /* bytes per core for l1 and l2, shared for l3 */
    /* Coefficients of the model: what `spblas tune` stored (model.h), else defaults. */
    double flops;                /* fp32 FMA flop/s of all threads */
    double bw_l2, bw_l3, bw_mem; /* bytes/s, streaming, all threads */
    double gather_l1, gather_l2, gather_l3, gather_mem; /* of whole-row gathers */
    double tile_seconds; /* cost of one tile's dispatch */
    double step_seconds; /* cost of one barrier */
    sb_factor factor[SB_OP_COUNT][SB_CLASS_COUNT];
} sb_target;

/* AVX-512 whose gathers are slow: of the CPUs that were measured, Zen 4 and (wide) Zen 5. */
static inline bool
sb_target_slow_gathers(const sb_target *t)
{
    return t->isa == SB_ISA_V4;
}

/* Zen 4 alone. */
static inline bool
sb_target_zen4(const sb_target *t)
{
    return t->isa == SB_ISA_V4 && !t->wide;
}

/* Whose memory was measured: Zen 3, the one CPU of level v3 that was, and those of level v4. */
static inline bool
sb_target_zen(const sb_target *t)
{
    return t->isa == SB_ISA_V3 || t->isa == SB_ISA_V4;
}

/* How many entries ahead kernels ask for lists of A of so many bytes, 0: not at all: 4096 bytes of
 * values. SpMV by a vector of `x` bytes asks where they are more than half of L3, or than 3/8 (Zen 3: 0.27)
 * where L2 has other things to do than x; SpMM (x is 0) where they are more than 7/8 of L3, on Zen 5 alone.
 * Measured on Zen 3, 4 and 5. */
static inline int64_t
sb_target_ahead(const sb_target *t, double bytes, size_t value, double x)
{
    static const double wide[] = {0.875, 0.5, 0.375}, v4[] = {0, 0.5, 0.375},
                        v3[] = {0, 0.5, 0.27}; /* of L3, 0: never */
    const int which = x <= 0 ? 0 : x <= 0.375 * (double)t->l2 ? 1 : 2;
    const double share = (t->wide ? wide : t->isa == SB_ISA_V4 ? v4 : v3)[which];

    return sb_target_zen(t) && share > 0 && bytes > share * (double)t->l3
               ? 4096 / (int64_t)value
               : 0;
}

/* With the coefficients that fit this machine, read once. */
const sb_target *sb_target_get(void);
/* Coefficients as shipped, from level and threads. */
void sb_target_defaults(sb_target *t);
/* Appends what tells this CPU from others: maker, family, model, stepping, brand. */
void sb_target_cpu(sb_strbuf *out);
/* SPBLAS_ISA may lower the level, never raise it to instructions that the CPU lacks: those of
 * v4, v4g and v4w are the same. Any other text, or NULL, leaves isa and wide as they are. */
void sb_target_limit(sb_target *t, const char *want);
const char *sb_isa_name(sb_isa isa); /* "generic", "v2", "v3", "v4", "v4g" */
/* As SPBLAS_ISA has it: the name of the level, or "v4w". */
const char *sb_target_level(const sb_target *t);

#endif
