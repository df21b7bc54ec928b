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
    int64_t *count_at;
    void *own;
    sb_status st;

    SB_TRY(sb_native_counts_begin(n, f->m, buffer, &own, &count_at));
    j.args.buf[3] = count_at;
    j.args.buf[4] = number;
    st = count(n, &j, f, ptr, base, total);
    n->device->ops->free(n->device, own);
    return st;
}

/* ---- ranks ------------------------------------------------------------------------------ */

enum { TALLIES = 1024, DIGIT_BITS = 5, DIGITS = 1 << DIGIT_BITS };

size_t
sb_native_rank_bytes(void)
{
    return (2 + TALLIES * DIGITS + 2) * sizeof(int64_t); /* and where it begins */
}

/* Digit by digit from the highest, found[0] has those that are known. */
sb_status
sb_native_filter_rank(const sb_native *n, const sb_filter *f, int64_t count,
                      int64_t rank, void *buffer, double *bound)
{
    const sb_dtype none = SB_DTYPE_COUNT;
    const sb_dtype sum = sb_dtype_is_half(f->type) ? SB_F32 : f->type;
    const int64_t groups = count < TALLIES * 32 ? (count + 31) / 32 : TALLIES;
    int64_t *const found = sb_native_counts_in(buffer);
    sb_native_job tally = sb_native_job_of("tally", f->type, sum, none, none);
    sb_native_job choose = sb_native_job_of("choose", none, none, none, none);

    SB_TRY(sb_native_may_wait(n, "the magnitude of a rank is waited for"));
    sb_native_int(&tally, count);
    sb_native_int(&tally, f->ptr ? 0 : f->m);
    sb_native_int(&tally, f->col);
    sb_native_int(&tally, 0);
    sb_native_array(&tally, f->val);
    sb_native_array(&tally, NULL);
    sb_native_array(&tally, found);
    sb_native_array(&tally, NULL);
    sb_native_array(&tally, found + 2);
    choose.args = tally.args;
    choose.args.param[1].i = rank;
    choose.args.param[2].i = (groups + 7) / 8 * 8;
    for (int shift = 60; shift >= 0; shift -= DIGIT_BITS) {
        tally.args.param[3].i = choose.args.param[3].i = shift;
        SB_TRY(sb_native_groups(n, &tally, groups));
        SB_TRY(sb_native_groups(n, &choose, 1));
        choose.args.param[1].i = -1;
    }
    return n->device->ops->download(n->device, n->stream, bound, found, sizeof *bound,
                                    n->diag);
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
