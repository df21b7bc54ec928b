/*
 * The reference's scatter (ref_spmm.c) where everything has the compute type: A^T of compressed
 * rows, columns of A and coordinates without an analysis. Each thread walks all entries and adds
 * those of its window of C, so an element's sum runs in storage order whatever the split: the bits
 * are the same at any number of threads. Nothing is fused on x86, with AVX2 or without.
 *
 *   lines     rows of op(B) and of C are contiguous: a thread owns lines of C's columns where
 *             there are as many as threads, else rows of C
 *   columns   else, whatever the strides, up to four columns at once: a thread owns columns. One
 *             column is one thread's, for another would have to read all entries as well, but of
 *             coordinates, whose rows mostly ascend: then what is another's is passed over fast
 */
#include "cpu/ref_job.h"

#include "base/macro.h"
#include "runtime/backend.h"
#include "runtime/target.h"

#include <string.h>

enum { LINE_BYTES = 64, VECTOR_BYTES = 32, TOGETHER = 4 };

/* Rows [r0, r1) and columns [c0, c1) of C are a thread's. */
typedef struct window {
    const sb_ref_job *job;
    int64_t r0, r1, c0, c1;
} window;

#define BASELINE
#define SB_JOIN(a, b) a##b
/* An index of the caller's. */
#define AT(array, p) \
    (wide ? ((const int64_t *)(array))[p] : (int64_t)((const int32_t *)(array))[p])

static bool
by_lines(const sb_ref_job *job)
{
    return job->x.vary == 1 && job->y.vary == 1 && job->n >= TOGETHER;
}

#define E float
#define LANES (VECTOR_BYTES / (int)sizeof(E))
#define SWAP(v) SB_INTERLEAVE(v, v, 1, 0, 3, 2, 5, 4, 7, 6)
#define PARTS 1
#define TARGET BASELINE
#define NAME(x) SB_JOIN(f32_, x)
#include "cpu/ref_scatter.inc"
#define TARGET SB_FOR_AVX2
#define NAME(x) SB_JOIN(f32_avx2_, x)
#include "cpu/ref_scatter.inc"
#undef PARTS
#define PARTS 2
#define TARGET BASELINE
#define NAME(x) SB_JOIN(c32_, x)
#include "cpu/ref_scatter.inc"
#define TARGET SB_FOR_AVX2
#define NAME(x) SB_JOIN(c32_avx2_, x)
#include "cpu/ref_scatter.inc"
#undef PARTS
#undef E
#undef SWAP
#define E double
#define SWAP(v) SB_INTERLEAVE(v, v, 1, 0, 3, 2)
#define PARTS 1
#define TARGET BASELINE
#define NAME(x) SB_JOIN(f64_, x)
#include "cpu/ref_scatter.inc"
#define TARGET SB_FOR_AVX2
#define NAME(x) SB_JOIN(f64_avx2_, x)
#include "cpu/ref_scatter.inc"
#undef PARTS
#define PARTS 2
#define TARGET BASELINE
#define NAME(x) SB_JOIN(c64_, x)
#include "cpu/ref_scatter.inc"
#define TARGET SB_FOR_AVX2
#define NAME(x) SB_JOIN(c64_avx2_, x)
#include "cpu/ref_scatter.inc"
#undef PARTS

/* Of the compute type, NULL: no loops. */
static void (*loops_of(const sb_ref_job *job))(const window *)
{
    static void (*const table[SB_DTYPE_COUNT][2])(const window *) = {
        [SB_F32] = {f32_scatter, f32_avx2_scatter},
        [SB_F64] = {f64_scatter, f64_avx2_scatter},
        [SB_C32] = {c32_scatter, c32_avx2_scatter},
        [SB_C64] = {c64_scatter, c64_avx2_scatter}};

    return table[job->a.m.val_type][sb_target_get()->isa >= SB_ISA_V3];
}

bool
sb_ref_scatters(const sb_ref_job *job)
{
    const sb_dtype t = job->a.m.val_type;

    return job->in_place && job->a.block == 1 && !sb_matrix_padded(&job->a.m) &&
           job->ops == sb_ref_ops_of(t) && job->x.type == t && !job->x.conj &&
           (job->a.m.idx_type == SB_I32 || job->a.m.idx_type == SB_I64) &&
           loops_of(job);
}

static void
rows(const sb_ref_job *job, int64_t lo, int64_t hi)
{
    const window w = {job, lo, hi, 0, job->n};

    loops_of(job)(&w);
}

/* Columns that a thread owns together: whole lines of C, or what is added up at once. */
static int64_t
unit(const sb_ref_job *job)
{
    if (by_lines(job))
        return LINE_BYTES / (int64_t)job->ops->size;
    return job->y.vary == 1 ? TOGETHER : 1;
}

static void
columns(const sb_ref_job *job, int64_t lo, int64_t hi)
{
    const int64_t u = unit(job), end = hi * u < job->n ? hi * u : job->n;
    const window w = {job, 0, job->m, lo * u, end};

    loops_of(job)(&w);
}

void
sb_ref_scatter(const sb_ref_job *job)
{
    const sb_backend *backend = sb_backend_get();
    const int64_t u = unit(job), units = (job->n + u - 1) / u;

    if ((by_lines(job) || (job->a.listed && !job->swap)) && backend &&
        units < backend->threads())
        sb_ref_parallel(rows, job, job->m, 1);
    else
        sb_ref_parallel(columns, job, units, 1);
}
