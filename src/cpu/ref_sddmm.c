/*
 * A = alpha * (op(X) * op(Y)) o spy(A) + beta * A, reference: a thread owns majors (or
 * listed slots) and with them their values.
 */
#include "cpu/ref_job.h"

/* One stored value: row i of op(X) against column j of op(Y). */
static void
sample(const sb_ref_job *job, int64_t i, int64_t j, int64_t slot)
{
    const sb_ref_scalar zero = {{0.0, 0.0}};
    sb_ref_scalar acc = zero, old;
    sb_ref_line xs, ys;

    for (int64_t k = 0; k < job->k; k += SB_REF_LINE) {
        const int64_t n = job->k - k < SB_REF_LINE ? job->k - k : SB_REF_LINE;

        job->ops->dot(&acc, sb_ref_fetch(&job->x, i, k, n, &xs),
                      sb_ref_fetch(&job->y, j, k, n, &ys), n);
    }
    if (!job->beta_zero)
        job->a.load(&old, job->a.m.val, slot, 1, 1, false);
    job->ops->finish(&acc, &job->alpha, &job->beta, job->beta_zero ? NULL : &old, 1);
    job->store(job->a.m.val, slot, 1, &acc, 1);
}

static void
listed(const sb_ref_job *job, int64_t lo, int64_t hi)
{
    const sb_ref_sparse *a = &job->a;

    for (int64_t p = lo; p < hi; p++)
        sample(job, sb_index(a->m.row, a->m.idx_type, p) - a->m.base,
               sb_ref_minor(a, p), p);
}

static void
majors(const sb_ref_job *job, int64_t lo, int64_t hi)
{
    const sb_ref_sparse *a = &job->a;
    const int64_t b = a->block;

    for (int64_t u = lo; u < hi; u++) {
        const sb_slots s = sb_matrix_slots(&a->m, u);

        for (int64_t p = s.lo; p < s.hi; p += s.step) {
            const int64_t v = sb_ref_minor(a, p);

            for (int64_t e = 0; e < b * b && v >= 0; e++)
                sample(job, (job->swap ? v : u) * b + e / b,
                       (job->swap ? u : v) * b + e % b,
                       sb_matrix_value(&a->m, p, e / b, e % b));
        }
    }
}

sb_status
sb_ref_sddmm(sb_ref_job *job)
{
    if (job->a.listed)
        sb_ref_parallel(listed, job, job->a.m.nnz, 8);
    else
        sb_ref_parallel(majors, job, job->a.majors, 8);
    return SB_OK;
}
