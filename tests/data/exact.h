/*
 * Operands of small integers and what products of them are, in integer arithmetic that
 * shares nothing with the library: every sum is exact in f32 whatever its order, so a
 * result is right bit for bit or wrong.
 *
 * One table of integers holds all dense operands: B and X are its first columns, C its
 * last ones reversed, Y those from the middle on. So one product of EXACT_COLUMNS columns
 * answers for every N, type and layout.
 */
#ifndef SPBLAS_TESTS_DATA_EXACT_H
#define SPBLAS_TESTS_DATA_EXACT_H

#include "formats/matrix.h"
#include "mm.h"

enum { EXACT_COLUMNS = 512, EXACT_TYPES = 2 };

static const sb_dtype exact_types[EXACT_TYPES] = {SB_F32, SB_F64};

/* A sparse matrix of integers, in either type, and the table of dense ones. */
typedef struct exact {
    int64_t rows, cols, nnz, longest; /* entries of a row or column at most */
    int32_t *ptr, *idx;
    int8_t *a;              /* nnz */
    void *val[EXACT_TYPES]; /* the same */
    int8_t *table;          /* max(rows, cols) x EXACT_COLUMNS */
    int32_t *product;       /* op(A) B, EXACT_COLUMNS columns; see exact_multiply */
    int32_t *sample[2];     /* (X Y) at A's entries for two lengths of the sum */
} exact;

/* Exits when memory is short. */
void *exact_need(int64_t count, size_t size);

void exact_open(exact *x, const mm_matrix *m);
void exact_close(exact *x);

/* Sets product to op(A) B. */
void exact_multiply(exact *x, bool transpose);
/* Sets sample to the sums over k[0] and k[1] columns. */
void exact_sample(exact *x, const int64_t k[2]);

/* What a dense array is filled with. */
typedef enum exact_role {
    EXACT_B,   /* also X */
    EXACT_C,   /* before the call */
    EXACT_Y,   /* transposed: element (l, j) belongs to row j of the table */
    EXACT_WANT /* 2 op(A) B - C */
} exact_role;

/* rows x cols with a gap of 3 after each row or column, the gap filled too. */
sb_dense exact_dense(const exact *x, exact_role role, int64_t rows, int64_t cols,
                     bool col_major, sb_dtype type, int64_t gap);
/* Bytes of its array, gaps included. */
size_t exact_bytes(const sb_dense *d);

/* 2 (X Y) - A at A's entries. */
void *exact_sample_want(const exact *x, int which, sb_dtype type);

/* Elements of two arrays of `bytes` bytes that differ in value. */
long exact_differences(const void *got, const void *want, size_t bytes, sb_dtype type);

#endif
