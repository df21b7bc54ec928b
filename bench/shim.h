/*
 * Google Benchmark for C: register functions, run all of them once in random order,
 * get each one's time. The only C++ of the project is behind this.
 */
#ifndef SPBLAS_BENCH_SHIM_H
#define SPBLAS_BENCH_SHIM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Once per process; `pause`: seconds of sleep before each clock starts. */
void shim_start(double pause);

/* A benchmark: run(user) is called once untimed and, after the pause, `batch` times under the
 * clock. Its number is the count of those registered before. */
void shim_register(const char *name, void (*run)(void *user), void *user,
                   int64_t batch);

/* One round: all registered benchmarks in random order. seconds[k] is the time of one
 * call of number k; preempted[k] how often the process lost a core meanwhile. */
void shim_round(double *seconds, int64_t *preempted);

/* Forgets all registered benchmarks. */
void shim_clear(void);

#ifdef __cplusplus
}
#endif

#endif
