/*
 * Sums of sparse matrices.
 */
#include "native/run.h"

static sb_native_job
job_of(const char *op, const sb_geam *g, bool values)
{
    const sb_dtype e = g->c.val_type, none = SB_DTYPE_COUNT;
    const sb_dtype sum = e == SB_F16 || e == SB_BF16 ? SB_F32 : e;
    sb_native_job j = sb_native_job_of(op, values ? e : none, values ? sum : none,
                                       g->a.idx_type, none);
    const void *const array[] = {g->a.ptr, g->a.idx, g->a.val, g->b.ptr, g->b.idx,
                                 g->b.val, g->c.ptr, g->c.idx, g->c.val};

    sb_native_int(&j, g->a.rows);
    sb_native_int(&j, g->c.base);
    sb_native_int(&j, (g->a.ptr_type == SB_I64) | (g->b.ptr_type == SB_I64) << 1 |
                          (g->c.ptr_type == SB_I64) << 2);
    sb_native_int(&j, g->a.base);
    sb_native_int(&j, g->b.base);
    j.args.nparam = 7;
    for (size_t q = 0; q < sizeof array / sizeof array[0]; q++)
        sb_native_array(&j, array[q]);
    j.args.nbuf = 12;
    return j;
}

size_t
sb_native_geam_bytes(int64_t rows)
{
    return sb_native_counts_bytes(rows);
}

sb_status
sb_native_geam_count(const sb_native *n, const sb_geam *g, void *buffer, int64_t *nnz)
{
    int64_t *const count = sb_native_counts_in(buffer);
    sb_native_job j = job_of("joint", g, false);

    SB_TRY(sb_native_may_wait(n, "the number of entries is waited for"));
    j.args.buf[9] = count;
    SB_TRY(sb_native_groups(n, &j, g->a.rows));
    return sb_native_counts_offsets(n, count, g->a.rows, (void *)(uintptr_t)g->c.ptr,
                                    g->c.ptr_type, g->c.base, nnz);
}

sb_status
sb_native_geam_fill(const sb_native *n, const sb_geam *g, sb_native_scalar alpha,
                    sb_native_scalar beta)
{
    sb_native_job j = job_of("add", g, true);

    sb_value_store(j.c, &j.args.param[5], 0, alpha.value);
    sb_value_store(j.c, &j.args.param[6], 0, beta.value);
    j.args.buf[10] = (void *)(uintptr_t)alpha.at;
    j.args.buf[11] = (void *)(uintptr_t)beta.at;
    return sb_native_groups(n, &j, g->a.rows);
}
