/*
 * One product of a batch as the reference kernels see it: format, operation and layout
 * folded into a list of entries (output row, input row, value) and two strided dense
 * operands.
 */
#ifndef SB_CPU_REF_JOB_H
#define SB_CPU_REF_JOB_H

#include "base/diag.h"
#include "cpu/ref_loops.h"
#include "cpu/ref_ops.h"
#include "runtime/problem.h"

/* The sparse operand. Entries of major u are slots sb_matrix_slots(&m, u), each a block x
 * block square; listed (COO): major and minor of each slot are m.row and m.idx. */
typedef struct sb_ref_sparse {
    sb_matrix m; /* already moved to the batch member */
    bool listed;
    int64_t majors, block;
    bool conj, padded, plain; /* plain: values can be read in place */
    size_t size;
    sb_ref_load load;
    const sb_ref_loops *loops; /* with widen(), or NULL */
} sb_ref_sparse;

/* op(D): element (f, v) at f * fixed + v * vary of data. */
typedef struct sb_ref_dense {
    void *data;
    int64_t fixed, vary;
    bool conj;
    size_t size;
    sb_ref_load load;
    const sb_ref_loops *loops;
} sb_ref_dense;

typedef struct sb_ref_job {
    const sb_ref_ops *ops;
    const sb_ref_loops *loops; /* of the compute type itself */
    sb_ref_sparse a;
    sb_ref_dense x, y;  /* SpMM: op(B) by (row, column), C by (row, column);
                           SDDMM: op(X) by (row, k), op(Y) by (column, k) */
    sb_ref_store store; /* to C's type; SDDMM: to A's */
    sb_ref_scalar alpha, beta, one;
    bool beta_zero;
    int64_t m, n, k;
    double work;          /* products of one member, roughly */
    bool by_major;        /* SpMM: output rows are majors (else minors, or listed) */
    bool swap;            /* the output row of an entry is its minor */
    bool in_place;        /* the output type is the compute type */
    const int64_t *bound; /* where shares of the output's rows begin (ref_spmm.c) */
    char *sums;           /* of all rows, of each of `parts` of the entries; or NULL */
    int64_t parts;
    size_t part_bytes; /* from one's sums to the next one's */
} sb_ref_job;

/* ENOTSUP when there are no loops, loads or stores for an operand's type. */
sb_status sb_ref_job_make(sb_ref_job *job, const sb_problem *pb, sb_diag *diag);
/* Points the job's operands at batch member q. */
void sb_ref_job_member(sb_ref_job *job, const sb_problem *pb, int64_t q);

/* Element (fixed, vary), not read; NULL where there are none. */
static inline void *
sb_ref_element(const sb_ref_dense *d, int64_t fixed, int64_t vary)
{
    if (!d->data)
        return NULL;
    return (char *)d->data + (fixed * d->fixed + vary * d->vary) * (int64_t)d->size;
}

/* The minor of slot p, negative where the slot is empty. */
static inline int64_t
sb_ref_minor(const sb_ref_sparse *a, int64_t p)
{
    const int64_t index = sb_index(a->m.idx, a->m.idx_type, p);

    return index < a->m.base ? -1 : index - a->m.base;
}

/* Whether the work is too small to wake a team for. */
bool sb_ref_alone(const sb_ref_job *job);
/* fn(job, lo, hi) over [0, count) on the team, in about `share` pieces per thread; at
 * once and here when the work is small. */
typedef void (*sb_ref_fn)(const sb_ref_job *job, int64_t lo, int64_t hi);
void sb_ref_parallel(sb_ref_fn fn, const sb_ref_job *job, int64_t count, int64_t share);

/* SpMV is SpMM by one column. */
void sb_ref_spmm(const sb_ref_job *job);
void sb_ref_sddmm(const sb_ref_job *job);

#endif
