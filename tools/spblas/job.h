/*
 * One product of the tool: typed operands made from a matrix, their descriptors, the
 * calls.
 */
#ifndef SPBLAS_TOOL_JOB_H
#define SPBLAS_TOOL_JOB_H

#include "elem.h"
#include "mm.h"

typedef enum job_op { JOB_SPMV, JOB_SPMM, JOB_SDDMM, JOB_OPS } job_op;
const char *job_op_name(job_op op);

typedef enum job_format { JOB_CSR, JOB_CSC, JOB_COO, JOB_BSR } job_format;

/* What the command line asks for. */
typedef struct job_spec {
    job_op op;
    job_format format; /* that the library gets the matrix in */
    int64_t block;     /* BSR; else 1. Sizes are rounded up to whole blocks. */
    int64_t n;         /* columns of B, or length of SDDMM's dot products; 1 for SpMV */
    elem type;
    bool wide; /* 64-bit indices */
    bool col_major;
    spblasOperation_t trans; /* of the sparse matrix; SDDMM: of the second factor */
    spblasEffort_t effort;
    double limit; /* seconds of an exhaustive search, 0: none */
    bool frozen;
    const char *plan; /* NULL: the planner's choice */
    double alpha, beta;
} job_spec;

/*
 * The operands. With op(A) m x k: SpMM and SpMV have b k x n and c m x n. SDDMM has x
 * rows x n, b n x cols (stored transposed when trans asks for it), c the values. ours
 * is a, or for SDDMM the matrix whose values are written.
 */
typedef struct job {
    job_spec spec;
    int64_t rows, cols, nnz; /* of the stored matrix */
    int64_t m, k;            /* of op(A) */
    void *ptr, *col, *val, *x, *b, *c;
    int64_t c_count;
    /* As the library gets it (form.h): offsets or rows, indices, values if they are not
     * val; where entry p of the rows has its value (NULL: at p), and how many are stored. */
    void *major, *minor, *stored;
    int64_t *place, count;
    double scale; /* values were multiplied by it, to fit a 16-bit type */
    spblasHandle_t handle;
    spblasSpMatDescr_t a;
    spblasDnMatDescr_t dn_x, dn_b, dn_c;
    spblasDnVecDescr_t vec_x, vec_y;
    void *buffer; /* what SpMM asks for, from the first call or the last analysis on */
    bool lent;
} job;

/* Makes operands (values in [-1, 1), seeded) and descriptors. 0, or an exit code,
 * having complained. */
int job_make(job *out, const job_spec *spec, const mm_matrix *a);
void job_free(job *j);
/* Another descriptor of the same matrix in place of j->a, which stays the caller's to
 * destroy. */
int job_renew(job *j);

/* c as it was at the beginning: NaN bytes if beta is 0, else random numbers. */
void job_reset(job *j);

spblasStatus_t job_analyse(job *j);
/* The same without a complaint: a plan that is tried may not fit. */
spblasStatus_t job_try_analyse(job *j);
spblasStatus_t job_compute(job *j);

/* Position of dense element (i, j) of b or c (m x n) in this layout. */
int64_t job_b_at(const job *j, int64_t i, int64_t col);
int64_t job_c_at(const job *j, int64_t i, int64_t col);
int64_t job_x_at(const job *j, int64_t i, int64_t col);
int64_t job_index(const job *j, const void *array, int64_t p);
/* Position of entry p of the rows among the stored values. */
int64_t job_place(const job *j, int64_t p);

double job_flops(const job *j);
/* Bytes that must move at least once. */
double job_bytes(const job *j);

#endif
