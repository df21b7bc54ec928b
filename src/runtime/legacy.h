/*
 * What the legacy routines ask of a backend: one job for each kind of work, over plain
 * arrays of 32-bit indices. The caller lends all memory; scratch of *_scratch bytes may
 * hold anything before and after. Structure is trusted.
 */
#ifndef SB_RUNTIME_LEGACY_H
#define SB_RUNTIME_LEGACY_H

#include "base/diag.h"
#include "formats/matrix.h"

#include <stddef.h>

/* Rows to columns: entry p of row i has column idx[p]; what lies in a column comes in the
 * order of rows, of a list (a device's alone) in the list's. Values are `size` bytes each,
 * moved as they are. */
typedef struct sb_flip {
    int64_t m, n, nnz;
    int base;
    size_t size;  /* 0: no values */
    int64_t area; /* values an entry has; 0 is 1 */
    const int32_t *ptr, *idx;
    const int32_t *row; /* of each entry of a list, ptr is NULL then */
    const void *val;
    int32_t *to_ptr, *to_idx;
    int32_t *to_order; /* NULL, or (a device's alone) whence each entry came */
    void *to_val;
    void *scratch;
} sb_flip;

/* Entries into the order of (major, minor), equal ones as they were; perm (may be NULL) is
 * moved along. Majors are either an array of values 0 .. m, or rows: ptr. */
typedef struct sb_order {
    int64_t m, n, nnz; /* nnz > 0; minors are at most n */
    int32_t *major;
    const int32_t *ptr;
    int base; /* of ptr */
    int32_t *minor, *perm;
    void *scratch;
} sb_order;

/* Elements by their magnitude: of a CSR, or of a dense matrix (ptr NULL) whose element
 * (i, j) is at i * row + j * col. Kept are those above `bound`, and NaN. */
typedef struct sb_filter {
    sb_dtype type;
    int64_t m, n;
    const void *val;
    const int32_t *ptr, *idx;
    int base;
    int64_t row, col;
    double bound;
} sb_filter;

/* A CSR to be written; its offsets are there. */
typedef struct sb_target_rows {
    const int32_t *ptr;
    int32_t *idx;
    void *val;
    int base;
} sb_target_rows;

/* y = alpha * A * x + beta * y: row i sums its entries, whatever their order. */
typedef struct sb_masked {
    sb_dtype type;
    int64_t rows, block; /* rows of the mask */
    bool by_columns;     /* blocks */
    int base;
    const int32_t *mask, *ptr, *end, *idx;
    const void *val, *x;
    void *y;
    sb_value alpha, beta;
} sb_masked;

/* The same with A dense, element (i, k) at i * row + k * col, and x sparse. */
typedef struct sb_gemvi {
    sb_dtype type;
    int64_t rows, row, col, nnz;
    bool conj;
    int base;
    const int32_t *idx;
    const void *a, *val;
    void *y;
    sb_value alpha, beta;
} sb_gemvi;

/* Systems of 2 * width + 1 diagonals, the lowest first: element i of a diagonal, or of a
 * right side, of system s is at i * step + s * shift; right sides lie `column` apart. */
typedef struct sb_band {
    sb_dtype type;
    int64_t m, systems, sides;
    int width; /* 1 or 2 */
    const void *diag[5];
    void *x;
    int64_t step, shift, column;
    void *scratch;
} sb_band;

/* Incomplete factors of a square BSR, or of a CSR by blocks of one element. */
typedef struct sb_incomplete {
    sb_dtype type;
    bool cholesky, by_columns;
    int64_t m, block; /* block rows */
    int base;
    const int32_t *ptr, *idx;
    void *val;
    bool boosts;
    double tol;
    sb_value boost;
    void *scratch;
} sb_incomplete;

/* Blocks of A, elements of one matrix, cut anew into those of C: `down` x `across` each.
 * A CSR has blocks of one element. Values are `size` bytes each. */
typedef struct sb_grid {
    int64_t down, across;
    int base;
    const int32_t *ptr;
    int32_t *idx;
    void *val;
} sb_grid;
typedef struct sb_regrid {
    int64_t m, n; /* elements */
    size_t size;
    bool by_columns; /* in blocks */
    sb_grid a, c;
} sb_regrid;

/* Colours of the rows of a symmetric pattern: neighbours differ. The lowest colours that
 * have `fraction` of the rows are shared, other rows have one of their own each. */
typedef struct sb_coloring {
    int64_t m;
    int base;
    const int32_t *ptr, *idx;
    double fraction;
    int32_t *color;
    int32_t *order; /* rows by colour; NULL: not wanted */
} sb_coloring;

typedef struct sb_legacy_steps {
    size_t (*flip_scratch)(int64_t n, int64_t nnz);
    void (*flip)(const sb_flip *f);
    size_t (*order_scratch)(int64_t majors, int64_t nnz); /* majors: m, 0 for rows */
    void (*order)(const sb_order *o);
    /* ptr[m + 1] of sorted rows, and back; both have that base. */
    void (*offsets)(int32_t *ptr, const int32_t *row, int64_t nnz, int64_t m, int base);
    void (*rows)(int32_t *row, const int32_t *ptr, int64_t m, int base);
    void (*identity)(int32_t *p, int64_t n);
    /* to[p] = from[perm[p]], or to[perm[p]] = from[p] if back; `size` bytes each. */
    void (*permute)(void *to, const void *from, const int32_t *perm, int64_t n,
                    size_t size, bool back);
    /* From numbers of each row in ptr[1 ..] to offsets; ERESOURCES when they do not fit. */
    sb_status (*add_up)(int32_t *ptr, int64_t m, int base, int64_t *total);
    /* Kept elements of each row. */
    void (*filter_count)(const sb_filter *f, int32_t *count);
    void (*filter_fill)(const sb_filter *f, const sb_target_rows *to);
    /* The magnitude at place `rank` (from 0) of the `count` there are; scratch. */
    double (*filter_rank)(const sb_filter *f, int64_t count, int64_t rank,
                          void *scratch);
    size_t (*filter_scratch)(void);
    void (*masked)(const sb_masked *k);
    void (*gemvi)(const sb_gemvi *k);
    /* Bytes, false when they do not fit a size_t. */
    bool (*band_scratch)(const sb_band *b, size_t *bytes);
    void (*band)(const sb_band *b);
    size_t (*factor_scratch)(int64_t m, int64_t block); /* divisible by 4 */
    /* The first row whose pivot is missing or no pivot, -1: none. */
    int64_t (*factor)(const sb_incomplete *f);
    /* ENOMEM: nothing is written. Blocks of each row of C; C, whose offsets are there. */
    sb_status (*regrid_count)(const sb_regrid *g, int32_t *count);
    sb_status (*regrid_fill)(const sb_regrid *g);
    /* ENOMEM. */
    sb_status (*color)(const sb_coloring *c, int32_t *colors);
} sb_legacy_steps;

#endif
