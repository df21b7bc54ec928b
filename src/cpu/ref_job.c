/*
 * From a problem to the reference kernels' view of it, and the run over the batch.
 */
#include "cpu/ref_job.h"

#include "base/fault.h"
#include "cpu/ref.h"
#include "runtime/backend.h"
#include "runtime/spread.h"

static bool
conjugates(sb_trans op)
{
    return op == SB_TRANS_H && !SB_FAULT(CONJ_LOST);
}

/* CSC is compressed by column, COO listed with rows as majors, all others by row. */
static sb_ref_sparse
make_sparse(const sb_matrix *a, sb_dtype compute, bool conj)
{
    const int64_t b = sb_matrix_block(a);

    return (sb_ref_sparse){.m = *a,
                           .listed = a->format == SB_FORMAT_COO,
                           .majors =
                               (a->format == SB_FORMAT_CSC ? a->cols : a->rows) / b,
                           .block = b,
                           .conj = conj,
                           .padded = sb_matrix_padded(a),
                           .plain = a->val_type == compute && !conj,
                           .size = sb_dtype_size(a->val_type),
                           .load = sb_ref_load_of(a->val_type, compute),
                           .loops = sb_ref_loops_of(a->val_type, compute)};
}

/* by_row: `fixed` counts rows of op(D), `vary` its columns; else the reverse. */
static sb_ref_dense
make_dense(const sb_dense *d, sb_trans op, bool by_row, sb_dtype compute)
{
    const bool rows_far = !d->col_major; /* rows of D are ld apart */
    const bool fixed_is_row = by_row == (op == SB_TRANS_N);
    const bool fixed_far = rows_far == fixed_is_row;

    return (sb_ref_dense){.fixed = fixed_far ? d->ld : 1,
                          .vary = fixed_far ? 1 : d->ld,
                          .conj = conjugates(op),
                          .size = sb_dtype_size(d->type),
                          .load = sb_ref_load_of(d->type, compute),
                          .loops = sb_ref_loops_of(d->type, compute)};
}

sb_status
sb_ref_job_make(sb_ref_job *job, const sb_problem *pb, sb_diag *diag)
{
    const bool sddmm = pb->op == SB_OP_SDDMM;
    const sb_dtype out = sddmm ? pb->a.val_type : pb->c.type;

    *job = (sb_ref_job){
        .ops = sb_ref_ops_of(pb->compute),
        .loops = sb_ref_loops_of(pb->compute, pb->compute),
        .a = make_sparse(&pb->a, pb->compute, !sddmm && conjugates(pb->trans_a)),
        .x = make_dense(&pb->b, sddmm ? pb->trans_a : pb->trans_b, true, pb->compute),
        .y = make_dense(&pb->c, sddmm ? pb->trans_b : SB_TRANS_N, !sddmm, pb->compute),
        .store = sb_ref_store_of(pb->compute, out),
        .beta_zero =
            pb->beta.re == 0.0 && pb->beta.im == 0.0 && !SB_FAULT(BETA_READS_C),
        .in_place = out == pb->compute,
        .sums = sb_spread_sums(pb),
        .parts = sb_spread_parts(pb),
        .part_bytes = sb_spread_part_bytes(pb)};
    if (!job->ops || (!job->a.loops && !job->a.load) || !job->x.loops || !job->y.load ||
        !job->store ||
        (sddmm && (!job->loops || !job->y.loops || pb->b.type != pb->c.type)))
        return sb_diag_set(
            diag, SB_ENOTSUP,
            "no reference kernel for types %s, %s, %s with compute type %s",
            sb_dtype_name(pb->a.val_type), sb_dtype_name(pb->b.type),
            sb_dtype_name(pb->c.type), sb_dtype_name(pb->compute));
    sb_value_store(pb->compute, &job->alpha, 0, pb->alpha);
    sb_value_store(pb->compute, &job->beta, 0, pb->beta);
    sb_value_store(pb->compute, &job->one, 0, (sb_value){1, 0});
    job->work = (double)pb->a.nnz * (double)(job->a.block * job->a.block);
    if (sddmm) {
        job->m = pb->a.rows;
        job->n = pb->a.cols;
        job->k = pb->trans_a == SB_TRANS_N ? pb->b.cols : pb->b.rows;
        job->swap = pb->a.format == SB_FORMAT_CSC;
        job->work *= (double)job->k;
        return SB_OK;
    }
    job->m = pb->c.rows;
    job->n = pb->c.cols;
    job->k = pb->trans_a == SB_TRANS_N ? pb->a.cols : pb->a.rows;
    job->work = (job->work + (double)job->m) * (double)job->n;
    job->swap = (pb->trans_a != SB_TRANS_N) != (pb->a.format == SB_FORMAT_CSC);
    job->by_major = !job->a.listed && !job->swap;
    return SB_OK;
}

/* Byte address of element `at`; no arithmetic on NULL. */
static void *
move(const void *p, int64_t at, size_t size)
{
    return at == 0 || !p ? (void *)(uintptr_t)p
                         : (void *)(uintptr_t)((const char *)p + at * (int64_t)size);
}

void
sb_ref_job_member(sb_ref_job *job, const sb_problem *pb, int64_t q)
{
    const sb_matrix *a = &pb->a;
    const int64_t qa = a->batch > 1 ? q : 0, qb = pb->b.batch > 1 ? q : 0;
    const int64_t qc = pb->c.batch > 1 ? q : 0;

    job->a.m.ptr = move(a->ptr, qa * a->ptr_stride, sb_dtype_size(a->ptr_type));
    job->a.m.idx = move(a->idx, qa * a->idx_stride, sb_dtype_size(a->idx_type));
    job->a.m.row = move(a->row, qa * a->idx_stride, sb_dtype_size(a->idx_type));
    job->a.m.val = move(a->val, qa * a->val_stride, sb_dtype_size(a->val_type));
    job->x.data = move(pb->b.data, qb * pb->b.stride, job->x.size);
    job->y.data = move(pb->c.data, qc * pb->c.stride, job->y.size);
}

typedef struct range_task {
    sb_ref_fn fn;
    const sb_ref_job *job;
} range_task;

static void
run_range(void *user, int64_t lo, int64_t hi)
{
    const range_task *t = user;

    t->fn(t->job, lo, hi);
}

bool
sb_ref_alone(const sb_ref_job *job)
{
    static const double small = 20000; /* products */

    return !sb_backend_get() || job->work < small;
}

void
sb_ref_parallel(sb_ref_fn fn, const sb_ref_job *job, int64_t count, int64_t share)
{
    const sb_backend *backend = sb_backend_get();
    range_task task = {fn, job};
    int64_t pieces;

    if (count <= 0)
        return;
    if (sb_ref_alone(job)) {
        fn(job, 0, count);
        return;
    }
    pieces = share * backend->threads();
    backend->parallel(run_range, &task, 0, count, (count + pieces - 1) / pieces);
}

sb_status
sb_ref_run(const sb_problem *pb, sb_diag *diag)
{
    sb_ref_job job;
    sb_status st = sb_ref_job_make(&job, pb, diag);

    for (int64_t q = 0; q < pb->batch && st == SB_OK; q++) {
        sb_ref_job_member(&job, pb, q);
        if (pb->op == SB_OP_SDDMM)
            sb_ref_sddmm(&job);
        else
            sb_ref_spmm(&job);
    }
    return st;
}
