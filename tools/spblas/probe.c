/*
 * The probes. Their inner loops exist once for each vector width and are picked by
 * what the CPU has, so that the tool itself runs on any x86-64 (and elsewhere with the
 * compiler's own vectors).
 */
#include "probe.h"

#include "tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

/* Keeps the compiler from dropping a result. */
static volatile double sink;
/* Numbers the compiler cannot know, so that no two chains of sums are the same. */
static volatile double seed = 0.25;

typedef struct probe_kernels {
    double (*sum)(const float *x, int64_t n);
    void (*triad)(float *a, const float *b, const float *c, int64_t n);
    double (*gather)(const float *table, const int64_t *start, int64_t count,
                     int64_t len, int64_t ahead);
    double (*fma32)(int64_t n);
    double (*fma64)(int64_t n);
    int lanes32;
} probe_kernels;

#define PROBE_NAME(x) x##_base
#define PROBE_TARGET
#define PROBE_BYTES 16
#include "probe_kernels.h"
#if defined(__x86_64__)
#define PROBE_NAME(x) x##_avx2
#define PROBE_TARGET __attribute__((target("avx2,fma")))
#define PROBE_BYTES 32
#include "probe_kernels.h"
#define PROBE_NAME(x) x##_avx512
#define PROBE_TARGET __attribute__((target("avx512f,avx512dq,avx512vl,fma")))
#define PROBE_BYTES 64
#include "probe_kernels.h"
#endif

/* The widest vectors that there are, of `most` bytes if it is not 0. */
static const probe_kernels *
kernels(int64_t most)
{
#if defined(__x86_64__)
    if ((most == 0 || most >= 64) && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return &probe_avx512;
    if ((most == 0 || most >= 32) && __builtin_cpu_supports("avx2") &&
        __builtin_cpu_supports("fma"))
        return &probe_avx2;
#endif
    (void)most;
    return &probe_base;
}

/* One timed pass: every thread does its share. */
typedef struct pass {
    const probe_kernels *k;
    float *x, *y, *z;
    int64_t *start;
    int64_t count, len; /* elements or rows a thread; elements a row */
    int64_t ahead;      /* rows */
    int element_size;
    int kind;
} pass;

enum { PASS_READ, PASS_TRIAD, PASS_GATHER, PASS_FMA };
enum { GATHER_AHEAD = 16 };

static double
pass_part(const pass *p, int64_t part)
{
    const int64_t at = part * p->count;

    switch (p->kind) {
    case PASS_READ:
        return p->k->sum(p->x + at, p->count);
    case PASS_TRIAD:
        p->k->triad(p->x + at, p->y + at, p->z + at, p->count);
        return 0.0;
    case PASS_GATHER:
        return p->k->gather(p->x, p->start + at, p->count, p->len, p->ahead);
    default:
        return p->element_size == 4 ? p->k->fma32(p->count) : p->k->fma64(p->count);
    }
}

/* Seconds of the slowest thread for `repeat` times its part. Threads time themselves:
 * on a busy machine the join at the end waits for whoever was preempted. */
static double
run_pass(const pass *p, int threads, int64_t repeat)
{
    double total = 0.0, longest = 0.0;

    (void)threads; /* unused without OpenMP */
#pragma omp parallel num_threads(threads) reduction(+ : total) reduction(max : longest)
    {
        int part = 0;
#ifdef _OPENMP
        part = omp_get_thread_num();
#endif
        const double begin = tool_seconds();
        for (int64_t r = 0; r < repeat; r++)
            total += pass_part(p, part);
        longest = tool_seconds() - begin;
    }
    sink = total;
    return longest;
}

/* Seconds of the best pass; small ones are repeated to last a millisecond. */
static double
best_pass(const pass *p, int threads, double seconds)
{
    double begin = tool_seconds(), best = 1e30, t;
    int64_t repeat = 1;
    int passes;

    run_pass(p, threads, 1);
    while ((t = run_pass(p, 1, repeat)) < 5e-4 && repeat < 1 << 28)
        repeat *= 2;
    for (passes = 0; passes < 5 || tool_seconds() - begin < seconds; passes++) {
        t = run_pass(p, threads, repeat) / (double)repeat;
        best = t < best ? t : best;
    }
    return best;
}

static int64_t
share(int64_t bytes, int64_t size, int threads)
{
    const int64_t n = bytes / size / threads;

    return n < 64 ? 64 : n / 64 * 64;
}

double
probe_read(int64_t bytes, int threads, double seconds)
{
    pass p = {.k = kernels(0), .kind = PASS_READ};
    double t;

    p.count = share(bytes, sizeof *p.x, threads);
    p.x = tool_memory(p.count * threads, sizeof *p.x);
    t = best_pass(&p, threads, seconds);
    free(p.x);
    return (double)(p.count * threads) * sizeof *p.x / t;
}

double
probe_triad(int64_t bytes, int threads, double seconds)
{
    pass p = {.k = kernels(0), .kind = PASS_TRIAD};
    double t;

    p.count = share(bytes / 3, sizeof *p.x, threads);
    p.x = tool_memory(p.count * threads, sizeof *p.x);
    p.y = tool_memory(p.count * threads, sizeof *p.x);
    p.z = tool_memory(p.count * threads, sizeof *p.x);
    t = best_pass(&p, threads, seconds);
    free(p.x);
    free(p.y);
    free(p.z);
    return 3.0 * (double)(p.count * threads) * sizeof *p.x / t;
}

double
probe_gather(int64_t bytes, int64_t row_bytes, int threads, double seconds)
{
    pass p = {.k = kernels(row_bytes), .kind = PASS_GATHER};
    tool_rng r = {1};
    int64_t rows, q;
    double t;

    p.len = row_bytes < 4 ? 1 : row_bytes / 4;
    rows = bytes / (4 * p.len) < 1 ? 1 : bytes / (4 * p.len);
    p.count = rows < 4096 ? 4096 : rows < (1 << 18) ? rows : 1 << 18;
    p.x = tool_memory(rows * p.len, sizeof *p.x);
    p.start = tool_memory(p.count * threads, sizeof *p.start);
    for (q = 0; q < p.count * threads; q++)
        p.start[q] = (int64_t)rng_below(&r, rows) * p.len;
    t = best_pass(&p, threads, seconds / 2);
    p.ahead = GATHER_AHEAD; /* pays where rows are far */
    t = fmin(t, best_pass(&p, threads, seconds / 2));
    free(p.x);
    free(p.start);
    return (double)(p.count * threads) * (double)(4 * p.len) / t;
}

double
probe_fma(int element_size, int threads, double seconds)
{
    pass p = {.k = kernels(0), .kind = PASS_FMA, .element_size = element_size};
    double t;

    p.count = 20000;
    t = best_pass(&p, threads, seconds);
    return 2.0 * PROBE_CHAINS * (double)(p.count * threads) * p.k->lanes32 /
           (element_size / 4) / t;
}
