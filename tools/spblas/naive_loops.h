/*
 * Rows [lo, hi) of the plain loops for one element type and one target; included by
 * naive.c once for each pair. NAIVE_TYPE is the C type, NAIVE_NAME makes names.
 */
NAIVE_TARGET static void
NAIVE_NAME(spmm)(const naive_job *job, int64_t lo, int64_t hi)
{
    const NAIVE_TYPE *restrict val = job->val, *restrict b = job->b;
    NAIVE_TYPE *restrict c = job->c;
    const int64_t n = job->n;

    for (int64_t i = lo; i < hi; i++) {
        for (int64_t j = 0; j < n; j++)
            c[i * n + j] = 0;
        for (int32_t p = job->ptr[i]; p < job->ptr[i + 1]; p++) {
            const NAIVE_TYPE a = val[p];
            const NAIVE_TYPE *restrict row = b + job->col[p] * n;

            for (int64_t j = 0; j < n; j++)
                c[i * n + j] += a * row[j];
        }
    }
}

NAIVE_TARGET static void
NAIVE_NAME(spmv)(const naive_job *job, int64_t lo, int64_t hi)
{
    const NAIVE_TYPE *restrict val = job->val, *restrict b = job->b;
    NAIVE_TYPE *restrict c = job->c;

    for (int64_t i = lo; i < hi; i++) {
        NAIVE_TYPE sum = 0;

        for (int32_t p = job->ptr[i]; p < job->ptr[i + 1]; p++)
            sum += val[p] * b[job->col[p]];
        c[i] = sum;
    }
}

NAIVE_TARGET static void
NAIVE_NAME(sddmm)(const naive_job *job, int64_t lo, int64_t hi)
{
    const NAIVE_TYPE *restrict x = job->x, *restrict b = job->b;
    NAIVE_TYPE *restrict c = job->c;
    const int64_t n = job->n;

    for (int64_t i = lo; i < hi; i++)
        for (int32_t p = job->ptr[i]; p < job->ptr[i + 1]; p++) {
            const NAIVE_TYPE *restrict y = b + job->col[p] * n;
            NAIVE_TYPE sum = 0;

            for (int64_t j = 0; j < n; j++)
                sum += x[i * n + j] * y[j];
            c[p] = sum;
        }
}

#undef NAIVE_NAME
#undef NAIVE_TYPE
#undef NAIVE_TARGET
