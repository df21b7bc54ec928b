/*
 * What a problem asks for, and the same asked in other words.
 */
#include "runtime/problem.h"

void
sb_problem_shape(const sb_problem *pb, int64_t *m, int64_t *n, int64_t *k)
{
    const bool flip_a = pb->trans_a != SB_TRANS_N;

    if (pb->op == SB_OP_SDDMM) {
        *m = pb->a.rows;
        *n = pb->a.cols;
        *k = flip_a ? pb->b.rows : pb->b.cols;
        return;
    }
    *m = flip_a ? pb->a.cols : pb->a.rows;
    *n = pb->c.cols;
    *k = flip_a ? pb->a.rows : pb->a.cols;
}

bool
sb_problem_transposes(const sb_problem *pb)
{
    return pb->op != SB_OP_SDDMM && pb->trans_a != SB_TRANS_N;
}

bool
sb_problem_turns_blocks(const sb_problem *pb)
{
    return pb->a.block_col_major != sb_problem_transposes(pb);
}

/* D^T over the same memory. op(D)^T is op(D^T), conjugation included. */
static sb_dense
turned(const sb_dense *d)
{
    sb_dense t = *d;

    t.rows = d->cols;
    t.cols = d->rows;
    t.col_major = !d->col_major;
    return t;
}

bool
sb_problem_one_column(const sb_problem *pb)
{
    const bool turned_b = pb->trans_b != SB_TRANS_N;

    return pb->op == SB_OP_SPMM && pb->c.cols == 1 && pb->trans_b != SB_TRANS_H &&
           (pb->b.ld == 1 || pb->b.col_major != turned_b) &&
           (pb->c.ld == 1 || pb->c.col_major);
}

/* Eight columns at a time are read with their entries once: ahead where rows are short
 * (docs/measured/columns-and-transposed.md, Columns). */
static bool
long_rows(const sb_problem *pb)
{
    const int64_t block = sb_matrix_block(&pb->a);

    return pb->c.cols < 8 || pb->a.nnz * block * block >= 10 * pb->c.rows;
}

bool
sb_problem_by_columns(const sb_problem *pb)
{
    const bool turned_b = pb->trans_b != SB_TRANS_N;

    return pb->op == SB_OP_SPMM && !pb->device && long_rows(pb) && pb->batch <= 1 &&
           pb->a.batch <= 1 && pb->c.cols > 1 && pb->c.col_major &&
           pb->b.col_major != turned_b && pb->trans_b != SB_TRANS_H &&
           pb->a.format != SB_FORMAT_TENSOR;
}

/* The column that d is, as SpMV has it: by rows of one element. */
static void
make_vector(sb_dense *d)
{
    d->rows *= d->cols;
    d->cols = d->ld = 1;
    d->col_major = false;
}

/* `count` columns of `rows` elements each. */
static void
make_vectors(sb_dense *d, int64_t rows, int64_t count)
{
    d->rows = rows;
    d->cols = 1;
    d->batch = count;
    d->stride = d->ld;
    d->ld = 1;
    d->col_major = false;
}

sb_problem
sb_problem_by_rows(const sb_problem *pb)
{
    sb_problem r = sb_problem_by_rows_alone(pb);
    int64_t m, n, k;

    if (r.op == SB_OP_SPMM && sb_problem_by_columns(pb)) {
        sb_problem_shape(pb, &m, &n, &k);
        r.op = SB_OP_SPMV;
        r.trans_b = SB_TRANS_N;
        r.batch = n;
        make_vectors(&r.b, k, n);
        make_vectors(&r.c, m, n);
    }
    return r;
}

sb_problem
sb_problem_by_rows_alone(const sb_problem *pb)
{
    sb_problem r = *pb;

    if (pb->a.format == SB_FORMAT_BSR && pb->a.block == 1)
        r.a.format = SB_FORMAT_CSR;
    if (sb_problem_one_column(pb)) {
        r.op = SB_OP_SPMV;
        r.trans_b = SB_TRANS_N;
        make_vector(&r.b);
        make_vector(&r.c);
    }
    if (pb->op != SB_OP_SDDMM || pb->a.format != SB_FORMAT_CSC)
        return r;
    r.a.format = SB_FORMAT_CSR;
    r.a.rows = pb->a.cols;
    r.a.cols = pb->a.rows;
    r.b = turned(&pb->c); /* (op(X) op(Y))^T = op(Y)^T op(X)^T */
    r.c = turned(&pb->b);
    r.trans_a = pb->trans_b;
    r.trans_b = pb->trans_a;
    return r;
}

static void *
member_at(const void *array, sb_dtype t, int64_t stride, int64_t member)
{
    return array
               ? (char *)(uintptr_t)array + stride * member * (int64_t)sb_dtype_size(t)
               : NULL;
}

static void
take_dense(sb_dense *d, int64_t member)
{
    d->data = member_at(d->data, d->type, d->batch > 1 ? d->stride : 0, member);
    d->batch = 1;
    d->stride = 0;
}

sb_problem
sb_problem_member(const sb_problem *pb, int64_t member)
{
    const int64_t own = pb->a.batch > 1 ? member : 0;
    sb_problem r = *pb;
    sb_matrix *a = &r.a;

    a->ptr = member_at(a->ptr, a->ptr_type, a->ptr_stride, own);
    a->idx = member_at(a->idx, a->idx_type, a->idx_stride, own);
    a->row = member_at(a->row, a->idx_type, a->idx_stride, own);
    a->val = member_at(a->val, a->val_type, a->val_stride, own);
    a->ptr_stride = a->idx_stride = a->val_stride = 0;
    take_dense(&r.b, member);
    take_dense(&r.c, member);
    a->batch = r.batch = 1;
    return r;
}
