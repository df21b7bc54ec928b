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
        const char *val;
        int64_t p, end;

        sb_ref_slots(a, i, &p, &end);
        val = (const char *)a->val + p * size;
        if (a->idx_type == SB_I32)
            job->ops->row_i32(&acc, val, (const int32_t *)a->minor + p, job->x.data,
                              a->base, end - p);
        else
            job->ops->row_i64(&acc, val, (const int64_t *)a->minor + p, job->x.data,
                              a->base, end - p);
        job->ops->finish(&acc, &job->alpha, &job->beta, job->beta_zero ? NULL : y, 1);
        job->store(job->y.data, i, 1, &acc, 1);
    }
}

sb_status
sb_ref_spmv(sb_ref_job *job)
{
    const bool uniform = job->in_place && job->x.plain && job->a.block == 1 &&
                         sb_dtype_size(job->a.val_type) == job->ops->size &&
                         !sb_dtype_is_complex(job->a.val_type) && job->a.nnz > 0;

    if (!uniform || !job->by_major || !job->ops->row_i32)
        return sb_ref_spmm(job);
    sb_ref_parallel(rows_in_place, job, job->m, 8);
    return SB_OK;
}
