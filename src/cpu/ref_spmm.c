/*
 * C = alpha * op(A) * op(B) + beta * C, reference. Three ways to own the output:
 *
 *   gather   output rows are A's majors: a thread owns rows, sums a line of columns in
 *            registers' reach and writes it once
 *   scatter  output rows are A's minors (or listed in any order) and C has the compute
 *            type: a thread owns columns (or, for few columns, rows) and adds in place,
 *            walking all entries
 *   tile     the same with a narrower C, which cannot hold partial sums: a thread owns
 *            rows and sums a tile of them on the stack, one walk over A per tile
 *
 * Scatters whose operands have the compute type have loops of their own (ref_scatter.c).
 * In each, an element's sum runs in storage order whatever the split.
 */
#include "cpu/ref_job.h"

#include <string.h>

enum { TILE_BYTES = 32768 };

/* Rows i, columns c0 .. c0 + n of C from the sums in acc (which it uses up). */
static void
write_back(const sb_ref_job *job, int64_t i, int64_t c0, int64_t n, void *acc)
{
    const sb_ref_dense *c = &job->y;
    const int64_t at = i * c->fixed + c0 * c->vary;
    sb_ref_line old;

    if (!job->beta_zero)
        c->load(&old, c->data, at, c->vary, n, false);
    job->ops->finish(acc, &job->alpha, &job->beta, job->beta_zero ? NULL : &old, n);
    job->store(c->data, at, c->vary, acc, n);
}

/* ---- Gather ------------------------------------------------------------------------- */

static void
gather_line(const sb_ref_job *job, int64_t i, int64_t c0, int64_t n)
{
    const sb_ref_sparse *a = &job->a;
    const int64_t b = a->block, r = i % b;
    sb_ref_line acc, line;
    sb_ref_scalar value;
    const sb_slots s = sb_matrix_slots(&a->m, i / b);

    memset(&acc, 0, (size_t)n * job->ops->size);
    for (int64_t p = s.lo; p < s.hi; p += s.step) {
        const int64_t j = sb_ref_minor(a, p) * b;

        for (int64_t c = 0; c < b && j >= 0; c++) {
            a->load(&value, a->m.val, sb_matrix_value(&a->m, p, r, c), 1, 1, a->conj);
            job->ops->axpy(&acc, 1, &value, sb_ref_fetch(&job->x, j + c, c0, n, &line),
                           n);
        }
    }
    write_back(job, i, c0, n, &acc);
}

static void
gather(const sb_ref_job *job, int64_t lo, int64_t hi)
{
    for (int64_t i = lo; i < hi; i++)
        for (int64_t c0 = 0; c0 < job->n; c0 += SB_REF_LINE)
            gather_line(job, i, c0,
                        job->n - c0 < SB_REF_LINE ? job->n - c0 : SB_REF_LINE);
}

/* ---- Entries in any order ----------------------------------------------------------- */

/* Rows [r0, r1) and columns [c0, c1) of the output, and where sums go: row i's at
 * sums + (i - r0) * row_stride, elements col_stride apart (in elements). */
typedef struct window {
    int64_t r0, r1, c0, c1;
    char *sums;
    int64_t row_stride, col_stride;
    bool scaled; /* values are multiplied by alpha on the way */
} window;

static void
add_entry(const sb_ref_job *job, const window *w, int64_t out, int64_t in, int64_t slot)
{
    const sb_ref_sparse *a = &job->a;
    char *row = w->sums + (out - w->r0) * w->row_stride * (int64_t)job->ops->size;
    const sb_ref_scalar zero = {{0.0, 0.0}};
    sb_ref_scalar value, scaled = zero;
    sb_ref_line line;

    a->load(&value, a->m.val, slot, 1, 1, a->conj);
    if (w->scaled)
        job->ops->axpy(&scaled, 1, &job->alpha, &value, 1);
    for (int64_t c = w->c0; c < w->c1; c += SB_REF_LINE) {
        const int64_t n = w->c1 - c < SB_REF_LINE ? w->c1 - c : SB_REF_LINE;
        const void *x = sb_ref_fetch(&job->x, in, c, n, &line);

        job->ops->axpy(row + (c - w->c0) * w->col_stride * (int64_t)job->ops->size,
                       w->col_stride, w->scaled ? &scaled : &value, x, n);
    }
}

/* Adds every entry whose output row lies in the window. */
static void
add_entries(const sb_ref_job *job, const window *w)
{
    const sb_ref_sparse *a = &job->a;
    const int64_t b = a->block;

    for (int64_t p = 0; a->listed && p < a->m.nnz; p++) {
        const int64_t u = sb_index(a->m.row, a->m.idx_type, p) - a->m.base;
        const int64_t v = sb_ref_minor(a, p);
        const int64_t out = job->swap ? v : u;

        if (out >= w->r0 && out < w->r1)
            add_entry(job, w, out, job->swap ? u : v, p);
    }
    for (int64_t u = 0; !a->listed && u < a->majors; u++) {
        const sb_slots s = sb_matrix_slots(&a->m, u);

        for (int64_t p = s.lo; p < s.hi; p += s.step) {
            const int64_t v = sb_ref_minor(a, p) * b;

            if (v < 0 || v + b <= w->r0 || v >= w->r1)
                continue;
            for (int64_t e = 0; e < b * b; e++)
                if (v + e % b >= w->r0 && v + e % b < w->r1)
                    add_entry(job, w, v + e % b, u * b + e / b,
                              sb_matrix_value(&a->m, p, e / b, e % b));
        }
    }
}

static void
scatter_window(const sb_ref_job *job, window w)
{
    const sb_ref_dense *c = &job->y;
    const int64_t size = (int64_t)job->ops->size;

    w.sums = (char *)c->data + (w.r0 * c->fixed + w.c0 * c->vary) * size;
    w.row_stride = c->fixed;
    w.col_stride = c->vary;
    w.scaled = true;
    for (int64_t i = w.r0; i < w.r1; i++)
        job->ops->scale(w.sums + (i - w.r0) * c->fixed * size, c->vary,
                        job->beta_zero ? NULL : &job->beta, w.c1 - w.c0);
    add_entries(job, &w);
}

static void
scatter_rows(const sb_ref_job *job, int64_t lo, int64_t hi)
{
    scatter_window(job, (window){.r0 = lo, .r1 = hi, .c0 = 0, .c1 = job->n});
}

static void
scatter_columns(const sb_ref_job *job, int64_t lo, int64_t hi)
{
    scatter_window(job, (window){.r0 = 0, .r1 = job->m, .c0 = lo, .c1 = hi});
}

static void
tile_rows(const sb_ref_job *job, int64_t lo, int64_t hi)
{
    const int64_t size = (int64_t)job->ops->size;
    const int64_t wide = job->n < SB_REF_LINE ? job->n : SB_REF_LINE;
    const int64_t tall = TILE_BYTES / (wide * size);
    _Alignas(16) char sums[TILE_BYTES];

    for (int64_t r0 = lo; r0 < hi; r0 += tall)
        for (int64_t c0 = 0; c0 < job->n; c0 += wide) {
            const window w = {.r0 = r0,
                              .r1 = hi - r0 < tall ? hi : r0 + tall,
                              .c0 = c0,
                              .c1 = job->n - c0 < wide ? job->n : c0 + wide,
                              .sums = sums,
                              .row_stride = wide,
                              .col_stride = 1};

            memset(sums, 0, sizeof sums);
            add_entries(job, &w);
            for (int64_t i = w.r0; i < w.r1; i++)
                write_back(job, i, c0, w.c1 - c0, sums + (i - w.r0) * wide * size);
        }
}

sb_status
sb_ref_spmm(sb_ref_job *job)
{
    static const int64_t few = 16; /* columns too few to share out */

    if (job->n == 0)
        return SB_OK;
    if (job->by_major)
        sb_ref_parallel(gather, job, job->m, 8);
    else if (sb_ref_scatters(job))
        sb_ref_scatter(job);
    else if (!job->in_place)
        sb_ref_parallel(tile_rows, job, job->m, 1);
    else if (job->n >= few)
        sb_ref_parallel(scatter_columns, job, job->n, 1);
    else
        sb_ref_parallel(scatter_rows, job, job->m, 1);
    return SB_OK;
}
