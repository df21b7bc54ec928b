/*
 * A compiled kernel and where it came from. The runtime knows source text and an entry
 * point, never IR. A kernel walks tiles [t0, t1) of a tile table; tiles of one step touch
 * disjoint outputs, so any split over threads gives the same bits.
 */
#ifndef SB_RUNTIME_KERNEL_H
#define SB_RUNTIME_KERNEL_H

#include "base/gpu_shape.h"
#include "base/hash.h"
#include "base/status.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

/* Same layout as in compiler/spblas_kernel.h (a test compares them). */
typedef union sb_param {
    int64_t i;
    int32_t i32;
    float f[2];
    double d[2];
} sb_param;

typedef void (*sb_kernel_fn)(void *const *buf, const sb_param *param, int64_t t0,
                             int64_t t1);

#define SB_SPEC_MAX 192

/*
 * spec       what the kernel computes, e.g. "spmm csr+rows f32f32f32 i32i32 rr t32 p0";
 *            made by src/kernels, opaque here
 * signature  its parameters and buffers in call order, "m n k ldb alpha;J_ptr J_crd A B C tile"
 * key        hash of the stage III text, target and emitter version
 */
typedef struct sb_kernel {
    const char *spec;
    const char *signature;
    sb_hash key;
    sb_kernel_fn fn;
} sb_kernel;

/*
 * How to make a kernel that no cache has: called with the kernel's spec and `user`, on
 * the thread that asked. The text stands alone (the maker puts sb_emit_prelude() in front
 * of what the emitter wrote) and defines the function named by sb_kernel_symbol(key). The
 * strings are the cache's to initialise and free. A maker whose kernels depend on more
 * than the spec says puts a hash of the rest into the spec.
 */
#define SB_KERNEL_SYMBOL_MAX 40
typedef struct sb_kernel_source {
    sb_strbuf text; /* C, or CUDA C */
    sb_strbuf signature;
    sb_hash key;
    sb_gpu_shape shape; /* CUDA C only */
} sb_kernel_source;
typedef struct sb_kernel_maker {
    sb_status (*make)(sb_kernel_source *out, const char *spec, const void *user);
    const void *user;
} sb_kernel_maker;
/* "sbk_" and the 32 hex digits of the key: the C name of the kernel with that key. */
void sb_kernel_symbol(sb_hash key, char out[SB_KERNEL_SYMBOL_MAX]);

/* How far a lookup may go. */
typedef enum sb_kernel_effort {
    SB_KERNEL_RESIDENT, /* built in or loaded: a hash lookup, no allocation, no file */
    SB_KERNEL_STORED,   /* also the disk cache */
    SB_KERNEL_ORDER,  /* as STORED; what is missing is made in the background, where the
                           backend can, for a later call to find */
    SB_KERNEL_COMPILE /* also the system compiler, unless SPBLAS_JIT=off */
} sb_kernel_effort;

/* What SPBLAS_JIT in the environment allows: "off" or "0", "background", else all. */
typedef enum sb_jit { SB_JIT_ON, SB_JIT_OFF, SB_JIT_BACKGROUND } sb_jit;
sb_jit sb_jit_mode(void);

/*
 * Looks for `spec` in: built-in set for this CPU, memory, disk, compiler. ENOKERNEL when
 * none has it within the effort (and a log line says why). The kernel lives until the
 * process ends. Thread-safe; the lock is not held while compiling, a second caller of
 * the same spec waits for the first.
 */
sb_status sb_kernel_get(const sb_kernel **out, const char *spec, sb_kernel_maker maker,
                        sb_kernel_effort effort);

/* Counters since the process started, for tests and explanations. */
typedef struct sb_kernel_stats {
    int64_t builtin_hits, memory_hits, disk_hits, compiled, failed;
} sb_kernel_stats;
sb_kernel_stats sb_kernel_get_stats(void);
/* Goes up with every kernel that becomes resident or is forgotten; from 1 on. */
int64_t sb_kernel_changes(void);
/* For tests: forgets what was loaded, as a new process would. No kernel may be in use or
 * on its way; the code stays mapped. */
void sb_kernel_forget(void);

/* The built-in table of one x86 level, generated at build time by spblasc; sorted by
 * spec. NULL-terminated (spec NULL). */
extern const sb_kernel *const sb_builtin_tables[]; /* by sb_isa, NULL where absent */

#endif
