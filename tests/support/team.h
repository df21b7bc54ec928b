/*
 * How many threads a test's products have: omp_set_num_threads, which builds without OpenMP (one
 * thread always) do without.
 */
#ifndef SB_TESTS_TEAM_H
#define SB_TESTS_TEAM_H

#ifdef _OPENMP
#include <omp.h>
#else
static inline void
omp_set_num_threads(int threads)
{
    (void)threads;
}
#endif

#endif
