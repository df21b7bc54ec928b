/*
 * C = alpha * op(A) * op(B) + beta * C, reference; SpMV is the same with one column. Four ways to
 * own the output:
 *
 *   gather   output rows are A's rows: a thread owns rows, sums a line of columns in
 *            registers' reach and writes it once
 *   scatter  output rows are A's columns (or listed in any order) and C has the compute
 *            type: a thread owns columns of C where there are enough, else rows that name about
 *            as many entries, and adds in place, walking all entries. One column is one
 *            thread's, for another would have to walk as far, but of a list, whose rows mostly
 *            ascend: then what is another's is passed over fast
 *   tile     the same with a narrower C, which cannot hold partial sums: a thread owns
 *            rows and sums a tile of them on the stack, one walk over A per tile
 *   parts    one column that is scattered to, with the caller's buffer: threads own parts of the
 *            entries, whose sums lie apart until all are there
 *
 * In each, the order of an element's sum depends on storage alone, whatever the split: as entries are
 * stored, those of one run (a row, or neighbours of a list) together; a single column of a run in
 * four lanes. That of parts is another.
 */
#include "base/fault.h"
#include "cpu/ref_chunk.h"
#include "runtime/backend.h"

#include <string.h>

enum {
    TILE_BYTES = 32768,
    PAIR_BYTES = 128,
    TOGETHER = 4,
    SHARES = 256,
    SAMPLES = 1024, /* of entries */
    BUCKETS = 1024
};

/* Whether minors are left as the caller has them: those of one column are looked at once. */
static bool
raw(const sb_ref_job *job)
{
    return job->n == 1 && job->a.block == 1 && !job->a.padded;
}

/* Elements of the output in a row of a tile. */
static int64_t
tile_width(const sb_ref_job *job)
{
    return job->n < SB_REF_LINE ? job->n : SB_REF_LINE;
}

/* Rows [r0, r1) and columns c0 .. c0 + n of C from the sums in acc (which it uses up), whose rows
 * lie `wide` apart. */
static void
write_back(const sb_ref_job *job, int64_t r0, int64_t r1, int64_t c0, int64_t n,
           char *acc, int64_t wide)
{
    const sb_ref_dense *c = &job->y;
    const bool column = n == 1 && wide == 1;
    const int64_t step = column ? SB_REF_LINE : 1;
    const int64_t stride = column ? c->fixed : c->vary;
    sb_ref_line old;

    for (int64_t i = r0; i < r1; i += step) {
        const int64_t at = i * c->fixed + c0 * c->vary;
        const int64_t count = !column ? n : r1 - i < step ? r1 - i : step;
        char *sums = acc + (i - r0) * wide * (int64_t)job->ops->size;

        if (!job->beta_zero)
            c->load(&old, c->data, at, stride, count, false);
        job->ops->finish(sums, &job->alpha, &job->beta, job->beta_zero ? NULL : &old,
                         count);
        job->store(c->data, at, stride, sums, count);
    }
}

/* ---- Gather ------------------------------------------------------------------------- */

/* sums += the chunk, columns [c0, c0 + n); rows count from `first` on. */
static void
gather_chunk(const sb_ref_job *job, const sb_ref_chunk *chunk, int64_t first,
             int64_t c0, int64_t n, void *sums)
{
    const sb_ref_dense *x = &job->x;
    const sb_ref_span span = {.y = sums,
                              .x = sb_ref_element(x, 0, c0),
                              .val = chunk->val,
                              .major = chunk->major,
                              .end = chunk->end,
                              .minor = chunk->minor,
                              .runs = chunk->runs,
                              .first = first,
                              .y_row = tile_width(job),
                              .y_col = 1,
                              .x_row = x->fixed,
                              .x_col = x->vary,
                              .n = n,
                              .idx = raw(job) ? chunk->idx : NULL,
                              .wide = job->a.m.idx_type == SB_I64,
                              .base = job->a.m.base,
                              .rows = INT64_MAX,
                              .conj = x->conj};

    if (sb_ref_chunk_count(chunk) > 0)
        (n == 1 ? x->loops->add_one : x->loops->add)(&span);
}

/* One column of Sliced-ELL: many rows at once, as they lie. */
static void
gather_slices(const sb_ref_job *job, int64_t lo, int64_t hi)
{
    const sb_ref_dense *x = &job->x;
    sb_ref_scalar sums[SB_REF_CHUNK];
    sb_ref_chunk chunk;
    sb_ref_span span = {.y = sums,
                        .x = x->data,
                        .end = chunk.end,
                        .minor = chunk.minor,
                        .x_row = x->fixed,
                        .n = 1,
                        .conj = x->conj};

    for (sb_ref_cursor at = {.row = lo, .rows = hi}; at.row < hi;) {
        const int64_t first = at.row;
        const int64_t rows = sb_ref_chunk_slice(&chunk, &job->a, &at);

        memset(sums, 0, (size_t)rows * job->ops->size);
        for (;; (void)sb_ref_chunk_slice(&chunk, &job->a, &at)) {
            span.val = chunk.val;
            span.runs = chunk.runs;
            x->loops->add_slice(&span);
            if (at.row != first)
                break;
        }
        write_back(job, first, first + rows, 0, 1, (char *)sums, 1);
    }
}

static void
gather(const sb_ref_job *job, int64_t lo, int64_t hi)
{
    const int64_t wide = tile_width(job), size = (int64_t)job->ops->size;
    const int64_t most = TILE_BYTES / (wide * size);
    _Alignas(16) char sums[TILE_BYTES];
    const sb_ref_wanted everything = {.all = true, .raw = raw(job)};
    sb_ref_cursor at = {.row = lo, .rows = hi};
    sb_ref_chunk chunk;

    while (at.row < hi) {
        const sb_ref_cursor begin = at;

        for (int64_t c0 = 0; c0 < job->n; c0 += wide) {
            const int64_t n = job->n - c0 < wide ? job->n - c0 : wide;
            int64_t rows;

            /* the chunk before is still there if it is all there is of its rows */
            if (c0 == 0 || at.row != begin.row + chunk.runs || chunk.runs == 1) {
                at = begin;
                (void)sb_ref_chunk_next(&chunk, &job->a, &at, most, &everything);
            }
            rows = chunk.runs;
            memset(sums, 0, (size_t)(rows * wide * size));
            gather_chunk(job, &chunk, begin.row, c0, n, sums);
            while (at.row == begin.row) { /* one row, in pieces */
                (void)sb_ref_chunk_next(&chunk, &job->a, &at, 1, &everything);
                gather_chunk(job, &chunk, begin.row, c0, n, sums);
            }
            write_back(job, begin.row, begin.row + rows, c0, n, sums, wide);
        }
    }
}

/* ---- Entries in any order ----------------------------------------------------------- */

/* Rows [r0, r1) and columns [c0, c1) of the output, and where sums go: row i's at
 * sums + (i - r0) * row_stride, elements col_stride apart (in elements). */
typedef struct window {
    int64_t r0, r1, c0, c1;
    char *sums;
    int64_t row_stride, col_stride;
    const void *alpha; /* what products are multiplied by on the way; NULL: 1 */
} window;

/* Adds every entry of a from `at` on whose output row lies in the window; no other is touched. */
static void
add_from(const sb_ref_job *job, const sb_ref_sparse *a, sb_ref_cursor at,
         const window *w)
{
    const sb_ref_dense *x = &job->x;
    const sb_ref_wanted wanted = {.lo = w->r0,
                                  .hi = w->r1,
                                  .by_major = job->a.listed && !job->swap,
                                  .raw = raw(job)};
    sb_ref_chunk chunk;
    sb_ref_span span = {.y = w->sums,
                        .alpha = w->alpha,
                        .x = sb_ref_element(x, 0, w->c0),
                        .major = chunk.major,
                        .end = chunk.end,
                        .minor = chunk.minor,
                        .first = w->r0,
                        .y_row = w->row_stride,
                        .y_col = w->col_stride,
                        .x_row = x->fixed,
                        .x_col = x->vary,
                        .n = w->c1 - w->c0,
                        .wide = job->a.m.idx_type == SB_I64,
                        .base = job->a.m.base,
                        .rows = w->r1 - w->r0,
                        .conj = x->conj};
    void (*const add)(const sb_ref_span *) =
        wanted.by_major ? (job->n == 1 ? x->loops->add_one : x->loops->add)
        : wanted.raw    ? x->loops->spread_one
                        : x->loops->spread;

    while (sb_ref_chunk_next(&chunk, a, &at, SB_REF_CHUNK, &wanted)) {
        if (sb_ref_chunk_count(&chunk) == 0)
            continue;
        span.runs = chunk.runs;
        span.val = chunk.val;
        span.idx = wanted.raw ? chunk.idx : NULL;
        span.row = wanted.raw && job->a.listed ? chunk.row : NULL;
        add(&span);
    }
}

static void
add_entries(const sb_ref_job *job, const window *w)
{
    add_from(job, &job->a, (sb_ref_cursor){.rows = job->a.majors * job->a.block}, w);
}

/* C's window = beta * itself, along its contiguous side. */
static void
scale_window(const sb_ref_job *job, const window *w)
{
    const sb_ref_dense *c = &job->y;
    const bool turned = c->vary > c->fixed || w->c1 - w->c0 == 1;
    const void *beta = job->beta_zero ? NULL : &job->beta;
    const int64_t rows = w->r1 - w->r0, columns = w->c1 - w->c0;

    for (int64_t i = w->r0; i < w->r1 && !turned; i++)
        job->ops->scale(sb_ref_element(c, i, w->c0), c->vary, beta, columns);
    for (int64_t j = w->c0; j < w->c1 && turned; j++)
        job->ops->scale(sb_ref_element(c, w->r0, j), c->fixed, beta, rows);
}

static void
scatter_window(const sb_ref_job *job, window w)
{
    scale_window(job, &w);
    w.sums = sb_ref_element(&job->y, w.r0, w.c0);
    w.row_stride = job->y.fixed;
    w.col_stride = job->y.vary;
    w.alpha = &job->alpha;
    add_entries(job, &w);
}

static bool
by_lines(const sb_ref_job *job)
{
    return job->x.vary == 1 && job->y.vary == 1 && job->n >= TOGETHER;
}

/* Columns that a thread owns together: pairs of lines of C, which a prefetcher fetches together, so
 * that two threads would take them from each other, or what is added up at once. */
static int64_t
unit(const sb_ref_job *job)
{
    if (by_lines(job))
        return PAIR_BYTES / (int64_t)job->ops->size;
    return job->y.vary == 1 ? TOGETHER : 1;
}

static void
scatter_columns(const sb_ref_job *job, int64_t lo, int64_t hi)
{
    const int64_t u = unit(job), end = hi * u < job->n ? hi * u : job->n;

    scatter_window(job, (window){.r0 = 0, .r1 = job->m, .c0 = lo * u, .c1 = end});
}

static void
tile_rows(const sb_ref_job *job, int64_t lo, int64_t hi)
{
    const int64_t size = (int64_t)job->ops->size;
    const int64_t wide = tile_width(job);
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
            write_back(job, r0, w.r1, c0, w.c1 - c0, sums, wide);
        }
}

/* Cuts the output's rows into shares of about as many entries, as far as a sample of these tells:
 * which rows are whose changes no sum. */
static void
cut_rows(int64_t *bound, int64_t shares, const sb_ref_job *job)
{
    const sb_matrix *a = &job->a.m;
    const void *row = job->a.listed && !job->swap ? a->row : a->idx;
    /* a tile on the stack takes a walk over all entries, whatever it holds of them */
    const bool evenly = job->a.padded || job->a.block > 1 || !job->in_place;
    const int64_t n = evenly ? 0 : a->nnz / 16 < SAMPLES ? a->nnz / 16 : SAMPLES;
    const int64_t rows = (job->m + BUCKETS - 1) / BUCKETS; /* of a bucket */
    int32_t found[BUCKETS] = {0};
    int64_t all = 0, q = 0;

    for (int64_t p = 0; p < n; p++) {
        const int64_t at = a->nnz / n * p + a->nnz % n * p / n;
        const int64_t i = sb_index(row, a->idx_type, at);

        if (i < a->base || i - a->base >= job->m)
            continue;
        found[(i - a->base) / rows]++;
        all++;
    }
    bound[0] = 0;
    for (int64_t s = 1, seen = 0; s < shares; s++) {
        for (; q < BUCKETS && seen < all * s / shares; q++)
            seen += found[q];
        bound[s] = all == 0 ? job->m / shares * s + job->m % shares * s / shares
                   : q * rows < job->m ? q * rows
                                       : job->m;
    }
    bound[shares] = job->m;
}

/* Shares [lo, hi) of the output's rows. */
static void
own_rows(const sb_ref_job *job, int64_t lo, int64_t hi)
{
    const int64_t r0 = job->bound[lo], r1 = job->bound[hi];

    if (r0 == r1)
        return;
    if (job->in_place)
        scatter_window(job, (window){.r0 = r0, .r1 = r1, .c0 = 0, .c1 = job->n});
    else
        tile_rows(job, r0, r1);
}

static void
by_rows(const sb_ref_job *job, int64_t threads)
{
    const int64_t most = threads < SHARES ? threads : SHARES;
    const int64_t shares = sb_ref_alone(job) ? 1 : most < job->m ? most : job->m;
    int64_t bound[SHARES + 1] = {0, job->m};
    sb_ref_job cut = *job;

    if (shares > 1)
        cut_rows(bound, shares, job);
    cut.bound = bound;
    sb_ref_parallel(own_rows, &cut, shares, 1);
}

/* ---- Parts of the entries (runtime/spread.h) ------------------------------------------- */

/* The first row that entry p or a later one is in. */
static int64_t
row_of(const sb_ref_sparse *a, int64_t p)
{
    int64_t lo = 0, hi = a->majors;

    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;

        if (sb_matrix_slots(&a->m, mid).lo < p)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void
add_parts(const sb_ref_job *job, int64_t lo, int64_t hi)
{
    const int64_t nnz = job->a.m.nnz;

    for (int64_t q = lo; q < hi; q++) {
        const int64_t from = nnz / job->parts * q, to = nnz / job->parts * (q + 1);
        const bool last = q + 1 == job->parts && !SB_FAULT(SPREAD_TAIL);
        window w = {.r1 = job->m,
                    .c1 = 1,
                    .sums = job->sums + (size_t)q * job->part_bytes,
                    .row_stride = 1,
                    .col_stride = 1};
        sb_ref_sparse a = job->a;
        sb_ref_cursor at = {.place = from};

        if (a.listed && !last)
            a.m.nnz = to;
        if (!a.listed)
            at = (sb_ref_cursor){.row = q == 0 ? 0 : row_of(&a, from),
                                 .rows = last ? a.majors : row_of(&a, to)};
        memset(w.sums, 0, (size_t)job->m * job->ops->size);
        add_from(job, &a, at, &w);
    }
}

static void
merge_parts(const sb_ref_job *job, int64_t lo, int64_t hi)
{
    const size_t size = job->ops->size;

    for (int64_t r0 = lo, n; r0 < hi; r0 += n) {
        char *sums = job->sums + (size_t)r0 * size;

        n = hi - r0 < SB_REF_LINE ? hi - r0 : SB_REF_LINE;
        for (int64_t q = 1; q < job->parts; q++)
            job->ops->finish(sums, &job->one, &job->one,
                             sums + (size_t)q * job->part_bytes, n);
        write_back(job, r0, r0 + n, 0, 1, sums, 1);
    }
}

void
sb_ref_spmm(const sb_ref_job *job)
{
    const sb_backend *backend = sb_backend_get();
    const int64_t u = unit(job), units = (job->n + u - 1) / u;
    const int64_t threads = backend ? backend->threads() : 1;

    if (job->m == 0 || job->n == 0)
        return;
    if (job->by_major)
        sb_ref_parallel(job->a.m.format == SB_FORMAT_SELL && job->n == 1 ? gather_slices
                                                                         : gather,
                        job, job->m, 8);
    else if (job->sums) {
        sb_ref_parallel(add_parts, job, job->parts, job->parts);
        sb_ref_parallel(merge_parts, job, job->m, 4);
    } else if (!job->in_place ||
               ((by_lines(job) || (job->a.listed && !job->swap)) && units < threads))
        by_rows(job, threads);
    else
        sb_ref_parallel(scatter_columns, job, units, 1);
}
