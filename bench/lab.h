/*
 * What the programs that time whole sparse operations share: matrices of files as plain
 * CSR arrays, a stopwatch, MKL's symbols.
 */
#ifndef BENCH_LAB_H
#define BENCH_LAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The options that every such program has. */
typedef struct lab_options {
    bool f32;
    int threads;
    double seconds;
    int64_t min_nnz;
    double max_work; /* of an operation, in whatever the program counts */
    const char *dump;
    const char *only; /* part of the names of what is timed; NULL: all */
    int first;        /* of argv that is a file; 0: usage was printed */
} lab_options;
lab_options lab_read_options(int argc, char **argv, const char *name);

/* Base 0, columns ascending; values f32 or f64, complex ones their real part. */
typedef struct lab_csr {
    char name[200];
    int64_t rows, cols, nnz;
    int32_t *ptr, *idx;
    void *val;
    bool f32;
} lab_csr;

/* false: unreadable, and why on stderr; or fewer entries than asked for. */
bool lab_load(lab_csr *a, const char *path, const lab_options *opt);
bool lab_transpose(lab_csr *t, const lab_csr *a);
void lab_free(lab_csr *a);
/* NAME.ptr, .idx, .val, raw, for SciPy. */
void lab_dump(const char *folder, const lab_csr *a, const char *suffix);

/* Least seconds of a run, of as many as fit `seconds`; negative when one fails. */
double lab_least(double seconds, bool (*run)(void *user), void *user);
void lab_set_threads(int n);

/* Symbols of the MKL that SPBLAS_MKL names; false without it. */
bool lab_mkl(const char *const *names, void **symbols, int count);

#endif
