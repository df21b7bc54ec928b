/*
 * Conformance of results: every routine of the generic interface on small matrices of
 * integers, whose sums are exact in any order and any type, against loops in double
 * precision. Runs on any library of the interface: arrays lie in memory of the CUDA run
 * time that CONFORM_CUDART names, or of the host without it.
 */
#ifndef NUMERIC_H
#define NUMERIC_H

#include <cusparse.h>

#include <complex.h>
#include <stdbool.h>
#include <stdint.h>

enum { SIDE = 12 }; /* rows and columns at most */

typedef double complex number;

/* A matrix as numbers; `in` marks what a sparse one stores. */
typedef struct {
    int m, n;
    number at[SIDE][SIDE];
    bool in[SIDE][SIDE];
} matrix;

extern cusparseHandle_t handle;

/* ---- Memory and types --------------------------------------------------------------- */

/* Ends the process unless ok. */
void need(bool ok, const char *what);
/* From now on memory is that of the CUDA run time of this name; NULL: the host's. */
void memory_open(const char *path);
/* An array of the routines' memory, with a copy of `host` (zeros if NULL); freed by
 * memory_reset. */
void *memory_new(const void *host, size_t bytes);
void memory_read(void *host, const void *from, size_t bytes);
void memory_reset(void);

size_t type_size(cudaDataType type);
bool type_complex(cudaDataType type);
void put(cudaDataType type, void *array, int64_t i, number x);
number get(cudaDataType type, const void *array, int64_t i);

/* Numbers of a type as an array of the routines' memory, and back. */
void *array_of(cudaDataType type, const number *x, int64_t count);
void array_read(cudaDataType type, number *x, const void *from, int64_t count);

/* A scalar where the handle's pointer mode wants it. */
void *scalar_of(cudaDataType type, number x);

/* ---- Matrices ----------------------------------------------------------------------- */

/* What is drawn from now on, for case_begin's cases and what they are chosen by. */
void seed(uint64_t of);
int below(int n);
/* A small integer, complex if the type is, not zero. */
number draw(cudaDataType type);
matrix draw_matrix(cudaDataType type, int m, int n, int percent);
matrix op_of(const matrix *a, cusparseOperation_t op);
/* alpha * a * b + beta * c */
matrix multiply(number alpha, const matrix *a, const matrix *b, number beta,
                const matrix *c);
bool same(const matrix *a, const matrix *b);

/* The sparse formats. BSR and Blocked-ELL store whole 2 x 2 blocks: a matrix is widened to
 * those first. */
typedef enum { CSR, CSC, COO, BSR, BELL, SELL, FORMATS } format;
void widen(matrix *a);

typedef struct {
    cusparseSpMatDescr_t descr;
    format kind;
    void *values;
    int64_t count;            /* of values, padding included */
    int row[4 * SIDE * SIDE]; /* of each value; -1: padding */
    int column[4 * SIDE * SIDE];
} sparse;
sparse sparse_of(const matrix *a, format kind, cudaDataType type,
                 cusparseIndexType_t index, cusparseIndexBase_t base);
/* The same by CreateConst..., for what is read alone; Blocked-ELL has that too. */
sparse sparse_const_of(const matrix *a, format kind, cudaDataType type,
                       cusparseIndexType_t index, cusparseIndexBase_t base);
/* The stored values of now, in the places of `like`. */
matrix sparse_read(const sparse *s, const matrix *like, cudaDataType type);

typedef struct {
    cusparseDnMatDescr_t descr;
    void *values;
    int ld;
    cusparseOrder_t order;
} dense;
dense dense_of(const matrix *a, cudaDataType type, cusparseOrder_t order);
dense dense_const_of(const matrix *a, cudaDataType type, cusparseOrder_t order);
matrix dense_read(const dense *d, int m, int n, cudaDataType type);

/* ---- Cases (numeric_run.c) ------------------------------------------------------------ */

/* The next case, whose name this is: whether it is this process's to run, and time is left.
 * What it draws depends on its number alone, so whoever runs it runs the same. */
bool case_begin(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- Verdicts ----------------------------------------------------------------------- */

/* A call of the case at hand: true if it worked; an answer of NOT_SUPPORTED is counted, any
 * other failure reported. */
bool worked(const char *call, cusparseStatus_t status);
/* The case's result is right or not. */
void verdict(const char *routine, bool right, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The groups, one source each. */
void numeric_products(void);
void numeric_batches(void);
void numeric_solves(void);
void numeric_spgemm(void);
void numeric_vectors(void);
void numeric_conversions(void);

#endif
