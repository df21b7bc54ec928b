/*
 * y = alpha * op(A) * x + beta * y, reference: rows in place where values and vector
 * have the compute type and rows are majors; else SpMM with one column.
 */
#include "cpu/ref_job.h"

static void
rows_in_place(const sb_ref_job *job, int64_t lo, int64_t hi)
{
    const sb_ref_sparse *a = &job->a;
    const int64_t size = (int64_t)job->ops->size;
    const sb_ref_scalar zero = {{0.0, 0.0}};

    for (int64_t i = lo; i < hi; i++) {
        char *y = (char *)job->y.data + i * size;
        sb_ref_scalar acc = zero;
        const sb_slots s = sb_matrix_slots(&a->m, i);
        const char *val = (const char *)a->m.val + s.lo * size;

        if (a->m.idx_type == SB_I32)
            job->ops->row_i32(&acc, val, (const int32_t *)a->m.idx + s.lo, job->x.data,
                              a->m.base, s.hi - s.lo);
        else
            job->ops->row_i64(&acc, val, (const int64_t *)a->m.idx + s.lo, job->x.data,
                              a->m.base, s.hi - s.lo);
        job->ops->finish(&acc, &job->alpha, &job->beta, job->beta_zero ? NULL : y, 1);
        job->store(job->y.data, i, 1, &acc, 1);
    }
}

sb_status
sb_ref_spmv(sb_ref_job *job)
{
    const bool uniform = job->in_place && job->x.plain && job->a.block == 1 &&
                         !sb_matrix_padded(&job->a.m) &&
                         sb_dtype_size(job->a.m.val_type) == job->ops->size &&
                         !sb_dtype_is_complex(job->a.m.val_type) && job->a.m.nnz > 0;

    if (!uniform || !job->by_major || !job->ops->row_i32)
        return sb_ref_spmm(job);
    sb_ref_parallel(rows_in_place, job, job->m, 8);
    return SB_OK;
}
