/*
 * The exact half: one parallel pass over rows and columns, chunk by chunk. Chunks are
 * cut by rows + entries, and all sums are integers, so the result is the same whatever
 * the team.
 */
#include "formats/stats.h"

#include "base/alloc.h"
#include "formats/stats_sample.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

const int sb_stats_block_size[SB_STATS_BLOCKS] = {2, 3, 4, 8, 16, 32};
const int sb_stats_mask_size[SB_STATS_MASKS] = {1, 2, 3, 4, 6};
const int sb_stats_window_size[SB_STATS_WINDOWS] = {2, 3, 4, 6, 8};

enum { CHUNKS = 32, SAMPLES = 64, STRETCH = 1 << 20 };

typedef struct chunk {
    int64_t bucket_rows[SB_STATS_BUCKETS], bucket_nnz[SB_STATS_BUCKETS];
    int64_t longest, bandwidth;
    double squares;
    bool sorted;
} chunk;

typedef struct pass {
    const sb_view *v;
    chunk *chunk;
    atomic_uchar *seen; /* by column; NULL: do not count */
} pass;

int64_t
sb_view_row_at(const sb_view *v, int64_t work)
{
    int64_t lo = 0, hi = v->rows;

    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;

        if (mid + sb_view_lo(v, mid) < work)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

double
sb_view_ragged(const sb_view *v)
{
    const int64_t most = v->rows - 1, n = most < SAMPLES ? most : SAMPLES;
    int64_t other = 0;

    for (int64_t q = 0; q < n; q++) {
        const int64_t i = 1 + most / n * q + most % n * q / n;

        other += sb_view_lo(v, i + 1) - sb_view_lo(v, i) !=
                 sb_view_lo(v, i) - sb_view_lo(v, i - 1);
    }
    return n > 0 ? (double)other / (double)n : 0;
}

static int64_t
chunk_row(const sb_view *v, int64_t q)
{
    const int64_t work = v->rows + v->nnz;

    if (q >= CHUNKS)
        return v->rows;
    return sb_view_row_at(v, work / CHUNKS * q + work % CHUNKS * q / CHUNKS);
}

static inline int64_t
column(const sb_view *v, int64_t p, bool wide)
{
    const int32_t *c32 = v->crd;
    const int64_t *c64 = v->crd;

    return (wide ? c64[p] : c32[p]) - v->crd_base;
}

static inline void
reach(chunk *ck, int64_t i, int64_t j)
{
    const int64_t far = j > i ? j - i : i - j;

    if (far > ck->bandwidth)
        ck->bandwidth = far;
}

/* Columns that do not follow the one before, over rows and all: loops that know nothing
 * of rows run over vectors, sums of 32 bits beside columns of 32. */
static inline int64_t
count_descents(const sb_view *v, int64_t lo, int64_t hi, bool wide)
{
    const int32_t *c32 = v->crd;
    const int64_t *c64 = v->crd;
    int64_t found = 0;

    for (int64_t p = lo + 1; p < hi && wide; p++)
        found += c64[p] <= c64[p - 1];
    for (int64_t p = lo + 1; p < hi && !wide;) {
        const int64_t end = hi - p < STRETCH ? hi : p + STRETCH;
        int32_t some = 0;

        for (; p < end; p++)
            some += c32[p] <= c32[p - 1];
        found += some;
    }
    return found;
}

static inline void
mark_columns(const pass *ps, int64_t lo, int64_t hi, bool wide)
{
    /* Stores of bytes may hit anything: what the loop needs is out of their reach. */
    const sb_view v = {.crd = ps->v->crd, .crd_base = ps->v->crd_base};
    const uint64_t cols = (uint64_t)ps->v->cols;
    atomic_uchar *const seen = ps->seen;

    for (int64_t p = lo; p < hi; p++) {
        const uint64_t j = (uint64_t)column(&v, p, wide);

        /* lines that are only read stay with all threads */
        if (j < cols && !atomic_load_explicit(&seen[j], memory_order_relaxed))
            atomic_store_explicit(&seen[j], 1, memory_order_relaxed);
    }
}

/* Rows [first, last); `wide` is constant where this is inlined. */
static inline void
chunk_rows(const pass *ps, chunk *ck, int64_t first, int64_t last, bool wide)
{
    const sb_view *v = ps->v;
    const int64_t from = first < last ? sb_view_lo(v, first) : 0;
    int64_t lo = from, begun = 0; /* rows whose first column does not follow */

    for (int64_t i = first; i < last; i++) {
        const int64_t hi = sb_view_lo(v, i + 1), len = hi - lo;
        const int q = sb_stats_bucket(len);

        ck->bucket_rows[q]++;
        ck->bucket_nnz[q] += len;
        ck->squares += (double)len * (double)len;
        if (len > ck->longest)
            ck->longest = len;
        if (len > 0) {
            reach(ck, i, column(v, lo, wide));
            reach(ck, i, column(v, hi - 1, wide));
            begun += lo > from && column(v, lo, wide) <= column(v, lo - 1, wide);
        }
        lo = hi;
    }
    if (ps->seen)
        mark_columns(ps, from, lo, wide);
    ck->sorted = count_descents(v, from, lo, wide) == begun;
    for (int64_t i = first; i < last && !ck->sorted; i++)
        for (int64_t p = sb_view_lo(v, i); p < sb_view_lo(v, i + 1); p++)
            reach(ck, i, column(v, p, wide));
}

static void
run_chunks(void *user, int64_t first, int64_t last)
{
    const pass *ps = user;

    for (int64_t q = first; q < last; q++) {
        const int64_t lo = chunk_row(ps->v, q), hi = chunk_row(ps->v, q + 1);

        if (ps->v->crd_type == SB_I64)
            chunk_rows(ps, &ps->chunk[q], lo, hi, true);
        else
            chunk_rows(ps, &ps->chunk[q], lo, hi, false);
    }
}

static void
merge_chunks(sb_stats *s, const chunk *ck)
{
    double squares = 0, n = (double)(s->rows > 0 ? s->rows : 1), variance;

    s->sorted = true;
    for (int q = 0; q < CHUNKS; q++, ck++) {
        for (int b = 0; b < SB_STATS_BUCKETS; b++) {
            s->bucket_rows[b] += ck->bucket_rows[b];
            s->bucket_nnz[b] += ck->bucket_nnz[b];
        }
        squares += ck->squares;
        if (ck->longest > s->longest)
            s->longest = ck->longest;
        if (ck->bandwidth > s->bandwidth)
            s->bandwidth = ck->bandwidth;
        s->sorted = s->sorted && ck->sorted;
    }
    s->empty = s->bucket_rows[0];
    s->mean = (double)s->nnz / n;
    variance = squares / n - s->mean * s->mean;
    s->cv = s->mean > 0 && variance > 0 ? sqrt(variance) / s->mean : 0;
}

double
sb_stats_panel_run(const sb_stats *s, int64_t width)
{
    int q = 0;

    while (q < SB_STATS_PANELS - 1 && width > (int64_t)32 << q)
        q++;
    return s->panel_run[q];
}

sb_status
sb_stats_collect(sb_stats *out, const sb_view *v, sb_stats_use use, const sb_par *par)
{
    /* Marking costs a byte per column: not for a matrix almost without entries. */
    const bool mark = v->cols / 8 <= v->nnz;
    pass ps = {v, sb_alloc_zero(CHUNKS * sizeof *ps.chunk), NULL};
    const bool small = v->rows + v->nnz < 16384;

    memset(out, 0, sizeof *out);
    out->rows = v->rows;
    out->ragged = sb_view_ragged(v);
    out->cols = v->cols;
    out->nnz = v->nnz;
    if (mark)
        ps.seen = sb_alloc_zero((size_t)v->cols);
    if (!ps.chunk || (mark && !ps.seen)) {
        sb_free(ps.chunk);
        sb_free(ps.seen);
        return SB_ENOMEM;
    }
    sb_par_run(small ? NULL : par, run_chunks, &ps, 0, CHUNKS, 1);
    merge_chunks(out, ps.chunk);
    out->distinct = v->nnz < v->cols ? v->nnz : v->cols;
    if (mark) {
        out->distinct = 0;
        for (int64_t j = 0; j < v->cols; j++)
            out->distinct += atomic_load_explicit(&ps.seen[j], memory_order_relaxed);
    }
    sb_free(ps.chunk);
    sb_free(ps.seen);
    return sb_stats_sample(out, v, use, small ? NULL : par);
}

int
sb_stats_window(int64_t rows)
{
    int q = 0;

    while (q + 1 < SB_STATS_WINDOWS && sb_stats_window_size[q] < rows)
        q++;
    return q;
}

void
sb_stats_expand(sb_stats *s, int64_t block)
{
    const double b = (double)block;

    s->rows *= block;
    s->cols *= block;
    s->nnz *= block * block;
    s->empty *= block;
    s->longest *= block;
    s->mean *= b;
    s->bandwidth = s->bandwidth * block + block - 1;
    s->distinct *= block;
    s->r4 = fmin(b, 4);
    s->r8 = fmin(b, 8);
    s->window_cols *= b;
    s->window_reuse = 1 - (1 - s->window_reuse) / b;
    for (int q = 0; q < SB_STATS_BLOCKS; q++)
        s->block_share[q] = block % sb_stats_block_size[q] == 0;
    for (int q = 0; q < SB_STATS_PANELS; q++)
        s->panel_run[q] *= b;
}
