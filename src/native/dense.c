/*
 * Dense to sparse and back.
 */
#include "native/run.h"

/* What values are added in: integers that clip have room. */
static sb_dtype
compute_of(sb_dtype t)
{
    return t == SB_I32 ? SB_I64 : sb_dtype_sum(t);
}

/* The layouts of dense.inc. */
static int
layout_of(const sb_matrix *a)
{
    return a->format == SB_FORMAT_SELL   ? 1
           : a->format == SB_FORMAT_BELL ? 2
           : a->format == SB_FORMAT_BSR  ? 3
           : a->format == SB_FORMAT_COO  ? 4
                                         : 0;
}

static int64_t
lines_of(const sb_dense *d, const sb_matrix *a)
{
    return a->format == SB_FORMAT_CSC ? d->cols : d->rows;
}

static sb_native_job
job_of(const char *op, const sb_dense *d, const sb_matrix *a, bool take)
{
    const bool csc = a->format == SB_FORMAT_CSC, along = d->col_major == csc;
    const bool coo = a->format == SB_FORMAT_COO;
    const bool offsets = !coo && a->format != SB_FORMAT_BELL;
    sb_native_job j = sb_native_job_of(op, d->type, compute_of(d->type), a->idx_type,
                                       offsets ? a->ptr_type : SB_I64);

    sb_native_int(&j, lines_of(d, a));
    sb_native_int(&j, csc ? d->rows : d->cols);
    sb_native_int(&j, along ? d->ld : 1);
    sb_native_int(&j, along ? 1 : d->ld);
    sb_native_int(&j, a->base);
    sb_native_int(&j, sb_matrix_block(a));
    sb_native_int(&j, a->width);
    sb_native_int(&j, layout_of(a));
    sb_native_int(&j, take);
    sb_native_int(&j, a->block_col_major);
    sb_native_int(&j, a->nnz);
    j.args.nparam = 12;
    sb_native_array(&j, d->data);
    sb_native_array(&j, coo ? a->row : a->ptr);
    sb_native_array(&j, a->idx);
    sb_native_array(&j, a->val);
    sb_native_array(&j, a->row);
    return j;
}

/* Kernels that need not know index types. */
static sb_native_job
plain_job(const char *op, const sb_dense *d, const sb_matrix *a)
{
    sb_native_job j = job_of(op, d, a, false);

    j.i = j.p = SB_DTYPE_COUNT;
    return j;
}

sb_status
sb_native_dense_place(const sb_native *n, const sb_dense *b, const sb_matrix *a,
                      bool take)
{
    const bool coo = a->format == SB_FORMAT_COO;
    sb_native_job j = plain_job("clear", b, a);

    if (b->rows == 0 || b->cols == 0)
        return SB_OK;
    if (!take)
        SB_TRY(sb_native_groups(n, &j, b->rows > b->cols ? b->rows : b->cols));
    j = job_of(coo ? "list" : "place", b, a, take);
    return sb_native_threads(n, &j, coo ? a->nnz : lines_of(b, a));
}

size_t
sb_native_dense_bytes(const sb_dense *a, const sb_matrix *b)
{
    const int64_t lines = lines_of(a, b);

    return b->format == SB_FORMAT_BELL ? 0 : sb_native_counts_bytes(lines);
}

static sb_status
count(const sb_native *n, const sb_dense *a, const sb_matrix *b, int64_t *counts)
{
    const int64_t lines = lines_of(a, b);
    sb_native_job j = plain_job("count", a, b);
    const bool grouped = j.args.param[3].i == 1;

    j.args.buf[4] = counts;
    SB_TRY((grouped ? sb_native_groups : sb_native_threads)(n, &j, lines));
    return sb_native_scan_sums(n, counts, lines, counts + lines + 1);
}

sb_status
sb_native_dense_count(const sb_native *n, int64_t *nnz, const sb_dense *a,
                      const sb_matrix *b, void *buffer)
{
    const int64_t lines = lines_of(a, b);
    int64_t *counts = sb_native_counts_in(buffer), *sums = counts + lines + 1;

    SB_TRY(sb_native_may_wait(n, "the analysis waits for the number of non-zeros"));
    SB_TRY(count(n, a, b, counts));
    SB_TRY(sb_native_read(n, nnz, sums + sb_native_scan_total(lines)));
    if (b->format == SB_FORMAT_COO)
        return SB_OK;
    if (b->ptr_type == SB_I32 && *nnz > INT32_MAX - (int64_t)b->base)
        return sb_diag_set(n->diag, SB_EINVAL,
                           "the dense matrix has %lld non-zeros, too many for 32-bit "
                           "offsets",
                           (long long)*nnz);
    return sb_native_scan_write(n, counts, lines, sums, (void *)(uintptr_t)b->ptr,
                                b->ptr_type, b->base);
}

sb_status
sb_native_dense_fill(const sb_native *n, const sb_dense *a, const sb_matrix *b,
                     void *buffer)
{
    const bool coo = b->format == SB_FORMAT_COO;
    const int64_t lines = lines_of(a, b);
    int64_t *counts = coo ? sb_native_counts_in(buffer) : NULL;
    sb_native_job j = job_of("fill", a, b, false);
    const bool grouped = j.args.param[3].i == 1;

    if (coo) { /* counted again: a listed structure has no offsets */
        SB_TRY(count(n, a, b, counts));
        SB_TRY(sb_native_scan_write(n, counts, lines, counts + lines + 1, counts,
                                    SB_I64, 0));
    }
    j.args.buf[4] = counts;
    return (grouped ? sb_native_groups : sb_native_threads)(n, &j, lines);
}
