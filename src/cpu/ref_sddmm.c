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

#define STRIDED(bytes)              \
    for (int64_t q = 0; q < n; q++) \
    memcpy(side + q * (bytes), from + q * d->vary * (bytes), bytes)

/* Elements [k, k + n) of line `fixed` in the compute type: one after another. */
static void
fetch(void *line, const sb_ref_dense *d, int64_t fixed, int64_t k, int64_t n)
{
    const char *from = sb_ref_element(d, fixed, k);
    char side[SB_REF_LINE * 16];

    if (d->vary != 1) {
        switch (d->size) {
        case 1:
            STRIDED(1);
            break;
        case 2:
            STRIDED(2);
            break;
        case 4:
            STRIDED(4);
            break;
        case 8:
            STRIDED(8);
            break;
        default:
            STRIDED(16);
        }
        from = side;
    }
    d->loops->widen(line, from, n, d->conj);
}

/* Sums of entries [q, past), which share their major; lines are contiguous. */
static void
in_place(const sb_ref_job *job, const run *r, int64_t q, int64_t past, char *sums)
{
    const sb_ref_dense *major = job->swap ? &job->y : &job->x;
    const sb_ref_dense *minor = job->swap ? &job->x : &job->y;
    const sb_ref_dots d = {.sums = sums + q * (int64_t)job->ops->size,
                           .x = sb_ref_element(major, r->major[q], 0),
                           .y = minor->data,
                           .minor = r->minor + q,
                           .count = past - q,
                           .n = job->k,
                           .y_row = minor->fixed,
                           .conj_x = major->conj,
                           .conj_y = minor->conj};

    major->loops->dots(&d);
}

/* The same whatever the strides: some lines at a time, a piece of each. */
static void
line_by_line(const sb_ref_job *job, const run *r, int64_t q, int64_t past, char *sums)
{
    enum { SOME = 4 };
    static const int64_t order[SOME] = {0, 1, 2, 3};
    const sb_ref_dense *major = job->swap ? &job->y : &job->x;
    const sb_ref_dense *minor = job->swap ? &job->x : &job->y;
    const int64_t size = (int64_t)job->ops->size;
    sb_ref_line one;
    char others[SOME * sizeof one];

    for (int64_t k = 0; k < job->k; k += SB_REF_LINE) {
        const int64_t n = job->k - k < SB_REF_LINE ? job->k - k : SB_REF_LINE;

        fetch(&one, major, r->major[q], k, n);
        for (int64_t e = q; e < past; e += SOME) {
            const int64_t count = past - e < SOME ? past - e : SOME;
            const sb_ref_dots d = {.sums = sums + e * size,
                                   .x = &one,
                                   .y = others,
                                   .minor = order,
                                   .count = count,
                                   .n = n,
                                   .y_row = n};

            for (int64_t c = 0; c < count; c++)
                fetch(others + c * n * size, minor, r->minor[e + c], k, n);
            job->loops->dots(&d);
        }
    }
}

static void
sample(const sb_ref_job *job, run *r)
{
    const sb_ref_sparse *a = &job->a;
    sb_ref_line sums, old;

    memset(&sums, 0, (size_t)r->count * job->ops->size);
    for (int64_t q = 0, past; q < r->count && job->k > 0; q = past) {
        for (past = q + 1; past < r->count && r->major[past] == r->major[q];)
            past++;
        if (job->x.vary == 1 && job->y.vary == 1)
            in_place(job, r, q, past, (char *)&sums);
        else
            line_by_line(job, r, q, past, (char *)&sums);
    }
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

/* The entry at `at` of row i comes to the run, which values that are not `stride` apart end. */
static void
append(const sb_ref_job *job, run *r, int64_t i, int64_t minor, int64_t at)
{
    if (r->count == SB_REF_LINE || (r->count > 0 && at != r->at + r->count * r->stride))
        sample(job, r);
    r->at = r->count == 0 ? at : r->at;
    r->major[r->count] = i;
    r->minor[r->count++] = minor;
}

static void
row(const sb_ref_job *job, int64_t i, run *r)
{
    const sb_ref_sparse *a = &job->a;
    const int64_t b = a->block;
    const sb_slots s = sb_matrix_slots(&a->m, b == 1 ? i : i / b);

    r->stride = b == 1 ? s.step : a->m.block_col_major ? b : 1;
    for (int64_t p = s.lo; p < s.hi; p += s.step) {
        const int64_t v = sb_ref_minor(a, p);

        if (b == 1 && v >= 0)
            append(job, r, i, v, p);
        for (int64_t c = 0; b > 1 && c < b && v >= 0; c++)
            append(job, r, i, v * b + c, sb_matrix_value(&a->m, p, i % b, c));
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
