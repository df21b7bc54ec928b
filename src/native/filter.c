/*
 * Elements by their magnitude.
 */
#include "native/run.h"

static sb_native_job
job_of(const char *op, const sb_filter *f)
{
    const sb_dtype none = SB_DTYPE_COUNT, e = f->val ? f->type : none;
    const sb_dtype sum = e == SB_F16 || e == SB_BF16 ? SB_F32 : e;
    sb_native_job j = sb_native_job_of(op, e, sum, none, none);

    sb_native_int(&j, f->m);
    sb_native_int(&j, f->n);
    sb_native_int(&j, f->row);
    sb_native_int(&j, f->col);
    sb_native_int(&j, f->base);
    sb_native_int(&j, 0);
    sb_native_scalar_of(&j, SB_F64, (sb_value){f->bound, 0});
    sb_native_array(&j, f->val);
    sb_native_array(&j, f->ptr);
    sb_native_array(&j, f->idx);
    j.args.nbuf = 8;
    return j;
}

static sb_status
run(const sb_native *n, const sb_native_job *j, const sb_filter *f)
{
    return (f->ptr || f->col == 1 ? sb_native_groups : sb_native_threads)(n, j, f->m);
}

size_t
sb_native_filter_bytes(int64_t lines)
{
    return sb_native_counts_bytes(lines);
}

/* Counts of rows in the caller's buffer, or in memory for the time of the call. */
typedef struct counts {
    int64_t *at;
    void *own;
} counts;

static sb_status
counts_begin(counts *c, const sb_native *n, int64_t rows, void *buffer)
{
    *c = (counts){.own = NULL};
    SB_TRY(sb_native_may_wait(n, "the number of elements is waited for"));
    if (!buffer)
        SB_TRY(n->device->ops->alloc(n->device, &c->own, sb_native_counts_bytes(rows),
                                     n->diag));
    c->at = sb_native_counts_in(buffer ? buffer : c->own);
    return SB_OK;
}

static sb_status
count(const sb_native *n, const sb_native_job *j, const sb_filter *f, int32_t *ptr,
      int base, int64_t *total)
{
    SB_TRY(f->val ? run(n, j, f) : sb_native_threads(n, j, f->m));
    return sb_native_counts_offsets(n, j->args.buf[3], f->m, ptr, SB_I32, base, total);
}

sb_status
sb_native_filter_count(const sb_native *n, const sb_filter *f, void *buffer,
                       int32_t *number, int32_t *ptr, int base, int64_t *total)
{
    sb_native_job j = job_of(f->val ? "kept" : "numbers", f);
    counts c;
    sb_status st;

    SB_TRY(counts_begin(&c, n, f->m, buffer));
    j.args.buf[3] = c.at;
    j.args.buf[4] = number;
    st = count(n, &j, f, ptr, base, total);
    n->device->ops->free(n->device, c.own);
    return st;
}

sb_status
sb_native_filter_fill(const sb_native *n, const sb_filter *f, const sb_target_rows *to)
{
    sb_native_job j = job_of("sift", f);

    j.args.param[5].i = to->base;
    j.args.buf[5] = (void *)(uintptr_t)to->ptr;
    j.args.buf[6] = to->idx;
    j.args.buf[7] = to->val;
    return run(n, &j, f);
}
