/*
 * Blocks of a matrix cut anew.
 */
#include "native/run.h"

static int64_t
rows_of(const sb_regrid *g)
{
    return (g->m + g->c.down - 1) / g->c.down;
}

static sb_native_job
job_of(const char *op, const sb_regrid *g)
{
    const sb_dtype none = SB_DTYPE_COUNT;
    sb_native_job j = sb_native_job_of(op, none, none, none, none);

    sb_native_int(&j, rows_of(g));
    sb_native_int(&j, g->m);
    sb_native_int(&j, g->n);
    sb_native_int(&j, g->a.down);
    sb_native_int(&j, g->a.across);
    sb_native_int(&j, g->c.down);
    sb_native_int(&j, g->c.across);
    sb_native_int(&j, g->a.base);
    sb_native_int(&j, g->c.base);
    sb_native_int(&j, g->by_columns);
    sb_native_array(&j, g->a.ptr);
    sb_native_array(&j, g->a.idx);
    sb_native_array(&j, g->a.val);
    sb_native_array(&j, g->c.ptr);
    sb_native_array(&j, g->c.idx);
    sb_native_array(&j, g->c.val);
    j.args.nbuf = 7;
    return j;
}

sb_status
sb_native_regrid_count(const sb_native *n, const sb_regrid *g, int64_t *total)
{
    sb_native_job j = job_of("blocks", g);
    int64_t *count;
    void *own;
    sb_status st;

    SB_TRY(sb_native_counts_begin(n, rows_of(g), NULL, &own, &count));
    j.args.buf[6] = count;
    st = sb_native_groups(n, &j, rows_of(g));
    if (st == SB_OK)
        st = sb_native_counts_offsets(n, count, rows_of(g), (void *)(uintptr_t)g->c.ptr,
                                      SB_I32, g->c.base, total);
    n->device->ops->free(n->device, own);
    return st;
}

sb_status
sb_native_regrid_fill(const sb_native *n, const sb_regrid *g)
{
    sb_native_job j = job_of("recut", g);

    j.e = sb_native_carrier(g->size);
    return sb_native_groups(n, &j, rows_of(g));
}
