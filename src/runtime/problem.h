/*
 * What is to be computed, with the caller's arrays: the one argument that planner,
 * executor, reference kernels and tests share.
 *
 *   SPMM   C = alpha * op(A) * op(B) + beta * C      A sparse; B, C dense
 *   SPMV   the same with B and C of one column
 *   SDDMM  A = alpha * (op(X) * op(Y)) o spy(A) + beta * A   A sparse and written; X = b, Y = c
 *
 * For SDDMM the sparse matrix is still `a`, X is `b` and Y is `c`.
 */
#ifndef SB_RUNTIME_PROBLEM_H
#define SB_RUNTIME_PROBLEM_H

#include "formats/matrix.h"

typedef enum sb_op { SB_OP_SPMM, SB_OP_SPMV, SB_OP_SDDMM } sb_op;
typedef enum sb_trans { SB_TRANS_N, SB_TRANS_T, SB_TRANS_H } sb_trans;

/* What may become of f32 factors on the way into a product. */
typedef enum sb_math { SB_MATH_EXACT, SB_MATH_TF32X3, SB_MATH_TF32 } sb_math;

typedef struct sb_problem {
    sb_op op;
    sb_matrix a;
    sb_dense b, c;
    sb_trans trans_a, trans_b; /* SPMM, SPMV: of A and B; SDDMM: of X and Y */
    sb_dtype compute;          /* type of alpha, beta and of every accumulation */
    sb_value alpha, beta;      /* read from the caller at this call */
    const void *far_alpha, *far_beta; /* where a device finds them instead; or NULL */
    int64_t batch;                    /* products; an operand with batch 1 is shared */
    struct sb_device *device; /* whose memory the arrays are in; NULL: the host's */
    void *stream;             /* of the device, that the work is put on */
    /* The caller's, on the device (planner/even.h) or the host, or NULL; and bytes of it on the
     * host, for slabs (runtime/slab.h) or sums (runtime/spread.h), whichever serve; else 0. */
    void *scratch;
    size_t room;
    sb_math math; /* what the caller allows; only plans for a device make use of it */
} sb_problem;

/* Whether rows of A^T (A^H) are wanted. */
bool sb_problem_transposes(const sb_problem *pb);

/* BSR: whether the columns of a block of op(A) lie one after another. */
bool sb_problem_turns_blocks(const sb_problem *pb);

/* SPMM: whether op(B) and C are vectors, one column without gaps. */
bool sb_problem_one_column(const sb_problem *pb);

/* SPMM in the host's memory: whether every column of op(B) and of C is a vector, so that
 * there are as many SpMV with one A, which are ahead unless rows are short. */
bool sb_problem_by_columns(const sb_problem *pb);

/*
 * The same problem on the same arrays with the sparse matrix by rows, where only words
 * change: a sampled CSC is the CSR of the transposed product, blocks of one element are a
 * CSR, SpMM by one column without gaps is SpMV, by columns a batch of them. Anything else
 * comes back as it is.
 */
sb_problem sb_problem_by_rows(const sb_problem *pb);

/* As above, but SpMM by columns stays SpMM: for plans whose kernels are SpMM's. */
sb_problem sb_problem_by_rows_alone(const sb_problem *pb);

/* Product `member` of a batch alone, on its share of the arrays. */
sb_problem sb_problem_member(const sb_problem *pb, int64_t member);

/* C's dense shape of the product: rows, columns, and the reduction length. */
void sb_problem_shape(const sb_problem *pb, int64_t *m, int64_t *n, int64_t *k);

#endif
