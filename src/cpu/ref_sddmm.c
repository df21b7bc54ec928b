/*
 * A = alpha * (op(X) * op(Y)) o spy(A) + beta * A, reference: a thread owns majors (or
 * listed slots) and with them their values.
 */
#include "cpu/ref_job.h"

#include <string.h>

/* Values next to each other in some way, and whose they are: those of a row of A, at `at`, `at` +
 * stride, .. */
typedef struct run {
    int64_t count, at, stride;
    int64_t major[SB_REF_LINE], minor[SB_REF_LINE];
} run;

#define STRIDED(type)               \
    for (int64_t q = 0; q < n; q++) \
    ((type *)&side)[q] = ((const type *)from)[q * d->vary]

/* Elements [k, k + n) of line `fixed` in the compute type: one after another. */
static void
fetch(sb_ref_line *line, const sb_ref_dense *d, int64_t fixed, int64_t k, int64_t n)
{
    const void *from = sb_ref_element(d, fixed, k);
    sb_ref_line side;

    if (d->vary != 1) {
        switch (d->size) {
        case 2:
            STRIDED(uint16_t);
            break;
        case 4:
            STRIDED(uint32_t);
            break;
        case 8:
            STRIDED(uint64_t);
            break;
        default:
            STRIDED(sb_ref_scalar);
        }
        from = &side;
    }
    d->loops->widen(line, from, n, d->conj);
}

/* sums[q] += line of op(X) times line of op(Y), where those are contiguous. */
static void
in_place(const sb_ref_job *job, const run *r, sb_ref_line *sums)
{
    const sb_ref_dense *x = &job->x, *y = &job->y;
    const bool swap = job->swap;

    for (int64_t q = 0; q < r->count; q++)
        x->loops->dot((char *)sums + q * (int64_t)job->ops->size,
                      sb_ref_element(x, swap ? r->minor[q] : r->major[q], 0),
                      sb_ref_element(y, swap ? r->major[q] : r->minor[q], 0), job->k,
                      x->conj, y->conj);
}

/* The same whatever the strides. What neighbours share is fetched once. */
static void
line_by_line(const sb_ref_job *job, const run *r, const sb_ref_loops *loops,
             sb_ref_line *sums)
{
    const sb_ref_dense *major = job->swap ? &job->y : &job->x;
    const sb_ref_dense *minor = job->swap ? &job->x : &job->y;
    sb_ref_line one, other;

    for (int64_t k = 0; k < job->k; k += SB_REF_LINE) {
        const int64_t n = job->k - k < SB_REF_LINE ? job->k - k : SB_REF_LINE;

        for (int64_t q = 0; q < r->count; q++) {
            if (q == 0 || r->major[q] != r->major[q - 1])
                fetch(&one, major, r->major[q], k, n);
            fetch(&other, minor, r->minor[q], k, n);
            loops->dot((char *)sums + q * (int64_t)job->ops->size, &one, &other, n,
                       false, false);
        }
    }
}

static void
sample(const sb_ref_job *job, run *r)
{
    const sb_ref_sparse *a = &job->a;
    sb_ref_line sums, old;

    memset(&sums, 0, (size_t)r->count * job->ops->size);
    if (job->k <= 1 || (job->x.vary == 1 && job->y.vary == 1))
        in_place(job, r, &sums);
    else
        line_by_line(job, r, job->loops, &sums);
    if (!job->beta_zero)
        a->load(&old, a->m.val, r->at, r->stride, r->count, false);
    job->ops->finish(&sums, &job->alpha, &job->beta, job->beta_zero ? NULL : &old,
                     r->count);
    job->store(a->m.val, r->at, r->stride, &sums, r->count);
    r->count = 0;
}

static void
listed(const sb_ref_job *job, int64_t lo, int64_t hi)
{
    const sb_ref_sparse *a = &job->a;
    run r = {.stride = 1};

    for (int64_t p = lo; p < hi; p++) {
        r.at = r.count == 0 ? p : r.at;
        r.major[r.count] = sb_index(a->m.row, a->m.idx_type, p) - a->m.base;
        r.minor[r.count++] = sb_ref_minor(a, p);
        if (r.count == SB_REF_LINE || p + 1 == hi)
            sample(job, &r);
    }
}

/* Row i: values that have one stride between them, up to a hole. */
static void
row(const sb_ref_job *job, int64_t i, run *r)
{
    const sb_ref_sparse *a = &job->a;
    const int64_t b = a->block;
    const sb_slots s = sb_matrix_slots(&a->m, i / b);

    r->stride = b == 1 ? s.step : a->m.block_col_major ? b : 1;
    for (int64_t p = s.lo; p < s.hi; p += s.step) {
        const int64_t v = sb_ref_minor(a, p);

        for (int64_t c = 0; c < b && v >= 0; c++) {
            const int64_t at = sb_matrix_value(&a->m, p, i % b, c);

            if (r->count == SB_REF_LINE ||
                (r->count > 0 && at != r->at + r->count * r->stride))
                sample(job, r);
            r->at = r->count == 0 ? at : r->at;
            r->major[r->count] = i;
            r->minor[r->count++] = v * b + c;
        }
    }
    if (r->count > 0)
        sample(job, r);
}

static void
rows(const sb_ref_job *job, int64_t lo, int64_t hi)
{
    run r = {.count = 0};

    for (int64_t i = lo; i < hi; i++)
        row(job, i, &r);
}

void
sb_ref_sddmm(const sb_ref_job *job)
{
    if (job->a.listed)
        sb_ref_parallel(listed, job, job->a.m.nnz, 8);
    else
        sb_ref_parallel(rows, job, job->a.majors * job->a.block, 8);
}
