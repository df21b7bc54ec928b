/*
 * Products of the older routines that no plan serves.
 */
#include "native/run.h"

static sb_native_job
job_of(const char *op, sb_dtype t, const int64_t numbers[6], sb_native_scalar alpha,
       sb_native_scalar beta)
{
    const sb_dtype sum = sb_dtype_is_half(t) ? SB_F32 : t;
    sb_native_job j = sb_native_job_of(op, t, sum, SB_DTYPE_COUNT, SB_DTYPE_COUNT);

    for (int q = 0; q < 6; q++)
        sb_native_int(&j, numbers[q]);
    sb_native_scalar_of(&j, sum, alpha.value);
    sb_native_scalar_of(&j, sum, beta.value);
    return j;
}

static void
set_arrays(sb_native_job *j, const void *const arrays[4], sb_native_scalar alpha,
           sb_native_scalar beta)
{
    for (int q = 0; q < 4; q++)
        sb_native_array(j, arrays[q]);
    sb_native_array(j, alpha.at);
    sb_native_array(j, beta.at);
    j->args.nbuf = 9;
}

sb_status
sb_native_gemvi(const sb_native *n, const sb_gemvi *k, sb_native_scalar alpha,
                sb_native_scalar beta)
{
    const int64_t numbers[] = {k->rows, k->base, k->row, k->col, k->nnz, k->conj};
    const void *const arrays[] = {k->a, k->idx, k->val, k->y};
    sb_native_job j = job_of("gemvi", k->type, numbers, alpha, beta);

    set_arrays(&j, arrays, alpha, beta);
    return (k->row == 1 ? sb_native_threads : sb_native_groups)(n, &j, k->rows);
}

sb_status
sb_native_masked(const sb_native *n, const sb_masked *k, sb_native_scalar alpha,
                 sb_native_scalar beta)
{
    const int64_t numbers[] = {
        k->rows,  k->base, k->by_columns ? 1 : k->block, k->by_columns ? k->block : 1,
        k->block, 0};
    const void *const arrays[] = {k->val, k->idx, k->x, k->y};
    sb_native_job j = job_of("masked", k->type, numbers, alpha, beta);

    set_arrays(&j, arrays, alpha, beta);
    j.args.buf[6] = (void *)(uintptr_t)k->mask;
    j.args.buf[7] = (void *)(uintptr_t)k->ptr;
    j.args.buf[8] = (void *)(uintptr_t)k->end;
    return sb_native_groups(n, &j, k->rows);
}
