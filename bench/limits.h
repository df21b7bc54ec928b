/*
 * What the machine can do, measured once per process at a grid of sizes, so that every
 * row of the table can carry its share of the limit.
 */
#ifndef SPBLAS_BENCH_LIMITS_H
#define SPBLAS_BENCH_LIMITS_H

#include <stdint.h>
#include <stdio.h>

enum { LIMIT_SIZES = 6, LIMIT_ROWS = 8 };

typedef struct bench_limits {
    int threads;
    double fma_f32, fma_f64; /* operations a second */
    int64_t bytes[LIMIT_SIZES], row_bytes[LIMIT_ROWS];
    double read[LIMIT_SIZES], triad[LIMIT_SIZES]; /* bytes a second */
    double gather[LIMIT_SIZES][LIMIT_ROWS];
} bench_limits;

/* Takes about 70 * seconds. */
void limits_measure(bench_limits *out, int threads, double seconds);

/* Rates at the measured size next to these. */
double limits_read(const bench_limits *m, int64_t bytes);
double limits_gather(const bench_limits *m, int64_t bytes, int64_t row_bytes);

/* As a JSON object. */
void limits_print(const bench_limits *m, FILE *to);

#endif
