/*
 * The plain loops, compiled as a user would with -O3 -march=native -ffast-math's
 * reassociation (a reduction over j is only vectorised with it).
 */
#include "naive.h"

#include <complex.h>
#if defined(__clang__)
#pragma clang fp contract(fast) reassociate(on)
#elif defined(__GNUC__)
#pragma GCC optimize( \
    "O3,fp-contract=fast,associative-math,no-signed-zeros,no-trapping-math")
#pragma GCC optimize("cx-limited-range")
#endif

#define NAIVE_TARGET
#define NAIVE_TYPE float
#define NAIVE_NAME(x) x##_f32_base
#include "naive_loops.h"
#define NAIVE_TARGET
#define NAIVE_TYPE double
#define NAIVE_NAME(x) x##_f64_base
#include "naive_loops.h"
#define NAIVE_TARGET
#define NAIVE_TYPE float _Complex
#define NAIVE_NAME(x) x##_c32_base
#include "naive_loops.h"
#define NAIVE_TARGET
#define NAIVE_TYPE double _Complex
#define NAIVE_NAME(x) x##_c64_base
#include "naive_loops.h"

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2,fma")))
#define AVX512 __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,fma,avx2")))
#define NAIVE_TARGET AVX2
#define NAIVE_TYPE float
#define NAIVE_NAME(x) x##_f32_avx2
#include "naive_loops.h"
#define NAIVE_TARGET AVX2
#define NAIVE_TYPE double
#define NAIVE_NAME(x) x##_f64_avx2
#include "naive_loops.h"
#define NAIVE_TARGET AVX2
#define NAIVE_TYPE float _Complex
#define NAIVE_NAME(x) x##_c32_avx2
#include "naive_loops.h"
#define NAIVE_TARGET AVX2
#define NAIVE_TYPE double _Complex
#define NAIVE_NAME(x) x##_c64_avx2
#include "naive_loops.h"
#define NAIVE_TARGET AVX512
#define NAIVE_TYPE float
#define NAIVE_NAME(x) x##_f32_avx512
#include "naive_loops.h"
#define NAIVE_TARGET AVX512
#define NAIVE_TYPE double
#define NAIVE_NAME(x) x##_f64_avx512
#include "naive_loops.h"
#endif

typedef void (*row_loop)(const naive_job *job, int64_t lo, int64_t hi);
enum { LOOP_SPMM, LOOP_SPMV, LOOP_SDDMM, LOOPS };

#define LOOPS_OF(suffix)                             \
    {                                                \
        spmm_##suffix, spmv_##suffix, sddmm_##suffix \
    }

static const row_loop base[ELEM_COUNT][LOOPS] = {
    [ELEM_F32] = LOOPS_OF(f32_base),
    [ELEM_F64] = LOOPS_OF(f64_base),
    [ELEM_C32] = LOOPS_OF(c32_base),
    [ELEM_C64] = LOOPS_OF(c64_base),
};
#if defined(__x86_64__)
static const row_loop avx2[ELEM_COUNT][LOOPS] = {
    [ELEM_F32] = LOOPS_OF(f32_avx2),
    [ELEM_F64] = LOOPS_OF(f64_avx2),
    [ELEM_C32] = LOOPS_OF(c32_avx2),
    [ELEM_C64] = LOOPS_OF(c64_avx2),
};
static const row_loop avx512[ELEM_COUNT][LOOPS] = {
    [ELEM_F32] = LOOPS_OF(f32_avx512),
    [ELEM_F64] = LOOPS_OF(f64_avx512),
    [ELEM_C32] = LOOPS_OF(c32_avx2),
    [ELEM_C64] = LOOPS_OF(c64_avx2),
};
#endif

static row_loop
find_loop(elem type, int loop)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw"))
        return avx512[type][loop];
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return avx2[type][loop];
#endif
    return base[type][loop];
}

bool
naive_has(elem type)
{
    return base[type][0] != NULL;
}

/* Equal numbers of rows a thread, as a static schedule gives. */
static void
run(const naive_job *job, int threads, row_loop loop)
{
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int t = 0; t < threads; t++)
        loop(job, job->rows * t / threads, job->rows * (t + 1) / threads);
}

void
naive_spmm(const naive_job *job, int threads)
{
    run(job, threads, find_loop(job->type, job->n == 1 ? LOOP_SPMV : LOOP_SPMM));
}

void
naive_sddmm(const naive_job *job, int threads)
{
    run(job, threads, find_loop(job->type, LOOP_SDDMM));
}
