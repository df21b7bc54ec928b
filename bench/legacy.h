/*
 * The older routines and conversions that legacy_bench times: the operands that ours and
 * MKL's share.
 */
#ifndef BENCH_LEGACY_H
#define BENCH_LEGACY_H

#include "lab.h"

#include "spblas.h"
#include "spblas_legacy.h"

enum { BLOCK = 4, SIDES = 32, WIDE_ROWS = 2, WIDE_COLS = 8 };

/* Values f64. Extents are multiples of BLOCK and WIDE_COLS; `square` they have what needs it:
 * t, the factors. */
typedef struct legacy_job {
    lab_csr a, t;       /* t: transposed */
    int32_t *row, *col; /* a's entries in no order */
    double *any;        /* their values */
    int32_t *mixed;     /* a's columns, in no order in their rows */
    int32_t *rows;      /* of a's entries */
    int32_t *ones;      /* a's columns and offsets from 1, for dcsrilu0 */
    int32_t *ones_ptr;
    double *strong;       /* a's values with a large diagonal */
    double *dense;        /* a by rows; NULL: too large */
    int32_t *bptr, *bidx; /* a by blocks, by rows */
    double *bval;
    int64_t blocks;
    double *x, *y;     /* SIDES columns */
    double *band;      /* 3 diagonals of a.rows */
    bool square, full; /* full: has its diagonal */
    spblasHandle_t handle;
    spblasLegacyInfo_t lu, root;
    spblasMatDescr_t plain;
} legacy_job;

/* Memory for results, kept for the next run when it is given back: what is timed is not the
 * system's handing out of pages, from which MKL's own allocator keeps it too. */
void *legacy_lend(size_t bytes);
void legacy_give(void *p); /* NULL is fine */

typedef bool (*legacy_fn)(void *job);
typedef struct legacy_routine {
    const char *name;
    legacy_fn ours, mkl; /* mkl NULL: it has none */
    bool (*fits)(const legacy_job *j);
} legacy_routine;

/* Ours, each from a's arrays to results in new memory. */
bool legacy_prepare(legacy_job *j); /* blocks, analyses */
bool ours_csr2csc(void *job), ours_coo2csr(void *job), ours_csr2coo(void *job);
bool ours_by_row(void *job), ours_by_column(void *job), ours_csrsort(void *job);
bool ours_geam(void *job), ours_csr2bsr(void *job), ours_bsr2csr(void *job);
bool ours_csr2gebsr(void *job), ours_nnz(void *job), ours_to_dense(void *job);
bool ours_from_dense(void *job), ours_ilu(void *job), ours_ic(void *job);
bool ours_bsrmv(void *job), ours_bsrmm(void *job), ours_gtsv(void *job);
bool ours_gtsv_many(void *job), ours_color(void *job);

/* MKL's nearest. */
bool mkl_begin(void), mkl_threads(int n);
bool mkl_csr2csc(void *job), mkl_by_row(void *job), mkl_by_column(void *job);
bool mkl_csrsort(void *job), mkl_geam(void *job), mkl_csr2bsr(void *job);
bool mkl_bsr2csr(void *job), mkl_to_dense(void *job), mkl_from_dense(void *job);
bool mkl_ilu(void *job), mkl_bsrmv(void *job), mkl_bsrmm(void *job);
bool mkl_gtsv(void *job), mkl_gtsv_many(void *job);

#endif
