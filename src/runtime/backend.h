/*
 * What the host offers the runtime. The CPU's table is sb_cpu_backend in src/cpu/cpu.h;
 * devices with memory of their own are in device.h.
 */
#ifndef SB_RUNTIME_BACKEND_H
#define SB_RUNTIME_BACKEND_H

#include "base/diag.h"
#include "runtime/geam.h"
#include "runtime/kernel.h"
#include "runtime/legacy.h"
#include "runtime/plan.h"
#include "runtime/spgemm.h"
#include "runtime/target.h"
#include "runtime/tri.h"
#include "runtime/vector.h"

/* fn(user, t0, t1) over all of [lo, hi), in pieces, on the worker team; returns when all
 * is done. */
typedef void (*sb_range_fn)(void *user, int64_t lo, int64_t hi);

typedef struct sb_backend {
    const char *name;
    int (*threads)(void);
    /* Whether this work, which takes one thread so many seconds, had better be the caller's alone: his
     * team sleeps, and to wake it takes longer than it saves. Counts the work of such calls. NULL: never. */
    bool (*rest)(double seconds);
    /* Runs tiles [lo, hi) of a step; each tile on one thread, in any order. */
    void (*run_tiles)(const sb_kernel *k, void *const *buf, const sb_param *param,
                      int64_t lo, int64_t hi);
    void (*parallel)(sb_range_fn fn, void *user, int64_t lo, int64_t hi, int64_t grain);
    /* Any problem the API lets through, portable C, deterministic, no allocation. */
    sb_status (*reference)(const sb_problem *pb, sb_diag *diag);
    /* Likewise any operation on sparse vectors; writes job->result. */
    sb_status (*vector)(sb_vector *job, sb_diag *diag);
    /* C text -> shared object file; ENOKERNEL when there is no compiler. */
    sb_status (*compile)(const char *source_path, const char *object_path, sb_isa isa,
                         sb_diag *diag);
    const sb_spgemm_steps *spgemm;
    const sb_tri_steps *tri;
    const sb_geam_steps *geam;
    const sb_legacy_steps *legacy;
} sb_backend;

/*
 * The host's, which every process has, whatever device its handles are on: it plans, it
 * compiles, and it computes what lies in host memory. Set once, before the first plan is
 * made (src/api does); never NULL afterwards.
 */
void sb_backend_set(const sb_backend *b);
const sb_backend *sb_backend_get(void);

static inline bool
sb_backend_rests(double seconds)
{
    const sb_backend *b = sb_backend_get();

    return b->rest && b->rest(seconds);
}

#endif
