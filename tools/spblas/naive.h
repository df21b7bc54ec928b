/*
 * The plain CSR loop: what a program has before it has a library. C = A B, y = A x, or
 * the sampled product, row by row, straight from the definition, compiled for the
 * widest vectors of the CPU; the yardstick of `spblas run` and a peer in bench/.
 */
#ifndef SPBLAS_TOOL_NAIVE_H
#define SPBLAS_TOOL_NAIVE_H

#include "elem.h"

/* ptr and col of 32 bits, base 0, everything row-major and packed. SpMM, SpMV (n = 1):
 * b is k x n, c is rows x n. SDDMM: x is rows x n, b is cols x n (the second factor
 * transposed), c the nnz results. */
typedef struct naive_job {
    elem type;
    int64_t rows, n;
    const int32_t *ptr, *col;
    const void *val, *x, *b;
    void *c;
} naive_job;

/* Whether there is a loop for this type. */
bool naive_has(elem type);
void naive_spmm(const naive_job *job, int threads);
void naive_sddmm(const naive_job *job, int threads);

#endif
