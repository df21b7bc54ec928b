/*
 * What this machine can do, measured: reading memory, gathering rows, multiplying and
 * adding. Each call takes the best of several passes over at least `seconds` in all,
 * with `threads` OpenMP threads.
 */
#ifndef SPBLAS_TOOL_PROBE_H
#define SPBLAS_TOOL_PROBE_H

#include <stdint.h>

/* Bytes a second: one pass of reads over `bytes`, all threads together, each its part. */
double probe_read(int64_t bytes, int threads, double seconds);
/* a = b + s * c over three arrays of `bytes` in all; counts 3 moves an element. */
double probe_triad(int64_t bytes, int threads, double seconds);
/* Reads rows of row_bytes at random places of a table of `bytes`. */
double probe_gather(int64_t bytes, int64_t row_bytes, int threads, double seconds);
/* Operations a second of independent fused multiply-adds in registers; element_size 4
 * or 8. */
double probe_fma(int element_size, int threads, double seconds);

#endif
