/*
 * Seeded operands for tests: sparse matrices of the families that break sparse code, in
 * any format, type, index width and base, and dense matrices in any layout. The same
 * spec gives the same bytes everywhere. Memory comes from malloc, not from sb_alloc, so
 * that a test may make the library's allocations fail.
 */
#ifndef SB_TEST_GEN_H
#define SB_TEST_GEN_H

#include "formats/matrix.h"

/* SplitMix64: the state is the seed. */
typedef struct gen_rng {
    uint64_t state;
} gen_rng;
uint64_t gen_next(gen_rng *r);
int64_t gen_below(gen_rng *r, int64_t n);                /* [0, n), 0 when n < 1 */
int64_t gen_between(gen_rng *r, int64_t lo, int64_t hi); /* [lo, hi] */
double gen_unit(gen_rng *r);                             /* [0, 1) */

typedef enum gen_family {
    GEN_EMPTY,     /* no entries */
    GEN_UNIFORM,   /* every place with the same chance */
    GEN_DENSE_ROW, /* one full row, little elsewhere */
    GEN_DENSE_COL, /* one full column, little elsewhere */
    GEN_POWER_LAW, /* row lengths from 1 to all columns, columns skewed too */
    GEN_BANDED,    /* a band around the diagonal */
    GEN_BLOCKS,    /* full square blocks of spec.block (4 if 0) on a block grid */
    GEN_DIAGONALS, /* several diagonals with gaps */
    GEN_ROW_RUNS,  /* rows of a few equal lengths, some rows empty */
    GEN_FULL,      /* every place stored */
    GEN_FAMILY_COUNT
} gen_family;
const char *gen_family_name(gen_family f);

/* All zero: an empty 0 x 0 CSR, base 0; set the types (SB_BOOL, value 0, means: ptr and
 * idx I32, values F32). */
typedef struct gen_spec {
    gen_family family;
    int64_t rows, cols; /* elements; for BSR rounded up to whole blocks */
    double density;     /* of UNIFORM, and of what other families scatter; 0: 0.1 */
    uint64_t seed;
    sb_format format;
    sb_dtype ptr_type, idx_type, val_type;
    int base;
    int64_t block;        /* BSR's block, BLOCKS' block; 0: 4 */
    bool block_col_major; /* BSR */
    bool unsorted;        /* slots of a row (COO: all slots) in random order */
    bool duplicates;      /* some places are stored twice */
    bool integer;         /* values -3 .. 3 without 0: sums are exact */
    int64_t batch;        /* 0: 1. Members share the offsets, not indices and values */
} gen_spec;

/* Builds the matrix; arrays are released by gen_free_matrix. Exits the test program
 * when memory is short. */
sb_matrix gen_matrix(const gen_spec *spec);
void gen_free_matrix(sb_matrix *a);

/* What gen_matrix calls for BELL (block as BSR, no duplicates) and SELL, which have no
 * batches. Values of empty slots are NaN (0x7f bytes for integers). */
sb_matrix gen_padded(const gen_spec *spec);

/* rows x cols values in [-1, 1), or integers -3 .. 3; ld 0 means the smallest; gaps of
 * ld and between members hold NaN (0x7f bytes for integers). stride 0 with batch > 1
 * means the smallest that does not overlap. */
typedef struct gen_dense_spec {
    int64_t rows, cols, ld;
    bool col_major;
    sb_dtype type;
    uint64_t seed;
    bool integer;
    bool poison; /* every element NaN: what beta == 0 must not read */
    int64_t batch, stride;
} gen_dense_spec;
sb_dense gen_dense(const gen_dense_spec *spec);
void gen_free_dense(sb_dense *d);
/* Elements of the whole allocation, gaps and batch included. */
int64_t gen_dense_extent(const sb_dense *d);
/* A copy with its own array, same gaps. */
sb_dense gen_copy_dense(const sb_dense *d);
/* A copy of the slots [0, count) of a value array. */
void *gen_copy_bytes(const void *p, size_t bytes);

/* A scalar of the family "small integers", never 0. */
sb_value gen_scalar(gen_rng *r, sb_dtype t);

/* Slots of one batch member's value array: nnz, or nnz * block^2 for BSR. */
int64_t gen_value_count(const sb_matrix *a);

/* The k-th of a list of specs that covers every family, degenerate shapes (0 x n, n x
 * 0, 1 x 1, one row, one column) for a fifth of the cases, unsorted, duplicates and
 * base 1; types and format are the caller's to set afterwards. Sizes 2 .. 40. */
gen_spec gen_case(uint64_t k);

#endif
