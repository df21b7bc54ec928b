/*
 * The exact half: one parallel pass over rows and columns, chunk by chunk. Chunks are
 * cut by rows + entries, and all sums are integers, so the result is the same whatever
 * the team.
 */
#include "formats/stats.h"

#include "base/alloc.h"
#include "formats/stats_sample.h"

#include <math.h>
#include <string.h>

const int sb_stats_block_size[SB_STATS_BLOCKS] = {2, 3, 4, 8, 16, 32};
const int sb_stats_mask_size[SB_STATS_MASKS] = {1, 2, 3, 4, 6};
const struct sb_stats_shape sb_stats_shape[SB_STATS_SHAPES] = {
    {1, 4}, {2, 4}, {3, 4}, {4, 4}, {1, 8}, {2, 8}, {3, 8}, {4, 8}};
const int sb_stats_window_size[SB_STATS_WINDOWS] = {2, 3, 4, 6, 8};

enum {
    CHUNKS = 32,
    MARKERS = 16,
    SHORT = 64 /* entries of a row */,
    SAMPLES = 64,
    STRETCH = 1 << 20,
    STRIPE = 8192 /* marks merged at a time */
};

typedef struct chunk {
    int64_t bucket_rows[SB_STATS_BUCKETS], bucket_nnz[SB_STATS_BUCKETS];
    int64_t longest, bandwidth;
    double squares;
    bool sorted;
} chunk;

/* Chunks are shared out in groups; where columns are marked each has marks of its own, so
 * that lines of them stay with one thread. */
typedef struct pass {
    const sb_view *v;
    chunk *chunk;
    int64_t groups;
    uint8_t *seen;  /* by group and column; NULL: do not count */
    int64_t marked; /* columns; atomic */
    bool band;      /* find bandwidth */
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

double
sb_view_onward(const sb_view *v)
{
    const int64_t most = v->rows - 1, n = most < SAMPLES ? most : SAMPLES;
    int64_t on = 0;

    for (int64_t q = 0; q < n; q++) {
        const int64_t i = 1 + most / n * q + most % n * q / n;
        const int64_t above = sb_view_lo(v, i), end = sb_view_lo(v, i + 1);
        const bool first = above == sb_view_lo(v, i - 1);

        /* offsets need not have been validated */
        on += end > above && end <= v->nnz && above >= !first &&
              (first || sb_view_col(v, end - 1) > sb_view_col(v, above - 1)) &&
              sb_view_col(v, end - 1) - sb_view_col(v, above) <= v->cols / 4;
    }
    return n > 0 ? (double)on / (double)n : 0;
}

/* Rows of more entries, and those below them, are not compared; of rows longer than the second so many entries
 * are looked for as the third says, the other ones are walked. */
enum { COMPARED = 4096, WALKED = 64, SOUGHT = 16 };

/* A row and the one above, [above, lo) and [lo, hi). */
typedef struct pair {
    int64_t above, lo, hi;
} pair;

/* How many columns of a row the row above names, or the one before, as on diagonals; both are in order, or more
 * may be counted as not named. */
static int64_t
named_above(const sb_view *v, pair row)
{
    int64_t named = 0, above = row.above;

    for (int64_t at = row.lo; at < row.hi; at++) {
        const int64_t c = sb_view_col(v, at);

        while (above < row.lo && sb_view_col(v, above) < c &&
               sb_view_col(v, above) != c - 1)
            above++;
        named += above < row.lo && sb_view_col(v, above) <= c;
    }
    return named;
}

/* Whether the row above, of one entry at least, names c or the one before. No branch on what is compared: as
 * good as random in long rows, it would cost more than all loads. */
static bool
names(const sb_view *v, pair row, int64_t c)
{
    int64_t at = row.above; /* the last column that is no larger, if there is one */

    for (int64_t n = row.lo - at; n > 1; n -= n / 2)
        at += -(int64_t)(sb_view_col(v, at + n / 2) <= c) & (n / 2);
    return sb_view_col(v, at) == c || sb_view_col(v, at) == c - 1;
}

/* The share of a row's columns that the row above does not name, nor the one before: of a long row from some,
 * the q-th of the rows beginning elsewhere so that nothing regular hides. */
static double
unnamed(const sb_view *v, pair row, int64_t q)
{
    const int64_t len = row.hi - row.lo;
    int64_t named = 0;

    if (len <= WALKED)
        return 1 - (double)named_above(v, row) / (double)len;
    for (int64_t t = 0; t < SOUGHT && row.above < row.lo; t++) {
        const int64_t at = len * (t * SAMPLES + q) / (SOUGHT * SAMPLES);

        named += names(v, row, sb_view_col(v, row.lo + at));
    }
    return 1 - (double)named / SOUGHT;
}

double
sb_view_strewn(const sb_view *v)
{
    const int64_t most = v->rows - 1, n = most < SAMPLES ? most : SAMPLES;
    double entries = 0, apart = 0;

    for (int64_t q = 0; q < n; q++) {
        const int64_t i = 1 + most / n * q + most % n * q / n;
        const pair row = {sb_view_lo(v, i - 1), sb_view_lo(v, i), sb_view_lo(v, i + 1)};
        int64_t len;

        /* neither offsets nor columns need have been validated */
        if (row.above < 0 || row.lo < row.above || row.hi <= row.lo ||
            row.hi > v->nnz || row.lo - row.above > COMPARED ||
            row.hi - row.lo > COMPARED)
            continue;
        len = row.hi - row.lo;
        entries += (double)len;
        if (len == 1 ||
            (double)sb_view_col(v, row.hi - 1) - (double)sb_view_col(v, row.lo) >=
                v->cols / 4.0)
            apart += (double)len * unnamed(v, row, q);
    }
    return entries > 0 ? apart / entries : 0;
}

double
sb_view_alike(const sb_view *v)
{
    const int64_t n = v->rows < SAMPLES ? v->rows : SAMPLES;
    const double half = v->rows > 0 ? (double)v->nnz / (double)v->rows / 2 : 0;
    int64_t alike = 0;

    for (int64_t q = 0; q < n; q++) {
        const int64_t i = v->rows / n * q + v->rows % n * q / n;

        /* offsets need not have been validated */
        alike += (double)sb_view_lo(v, i + 1) - (double)sb_view_lo(v, i) >= half;
    }
    return n > 0 ? (double)alike / (double)n : 0;
}

double
sb_view_span(const sb_view *v)
{
    const int64_t n = v->rows < SAMPLES ? v->rows : SAMPLES;
    double span = 0;
    int64_t rows = 0;

    for (int64_t q = 0; q < n; q++) {
        const int64_t i = v->rows / n * q + v->rows % n * q / n;
        const int64_t lo = sb_view_lo(v, i), hi = sb_view_lo(v, i + 1);

        if (hi - lo < 2)
            continue;
        span += fabs((double)(sb_view_col(v, hi - 1) - sb_view_col(v, lo)));
        rows++;
    }
    return rows > 0 ? span / ((double)rows * (double)v->cols) : 0;
}

static int64_t
chunk_row(const sb_view *v, int64_t q)
{
    const int64_t work = v->rows + v->nnz;

    if (q >= CHUNKS)
        return v->rows;
    return sb_view_row_at(v, work / CHUNKS * q + work % CHUNKS * q / CHUNKS);
}

/* `wide` is constant where this is inlined: elements of 64 bits. */
SB_INLINE int64_t
element(const void *x, int64_t at, bool wide)
{
    return wide ? ((const int64_t *)x)[at] : ((const int32_t *)x)[at];
}

SB_INLINE int64_t
column(const sb_view *v, int64_t p, bool wide)
{
    return element(v->crd, p, wide) - v->crd_base;
}

/* Columns that do not follow the one before, over rows and all: loops that know nothing
 * of rows run over vectors, sums of 32 bits beside columns of 32. */
SB_INLINE int64_t
descents(const sb_view *v, int64_t lo, int64_t hi, bool wide)
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

static SB_FOR_AVX2 int64_t
descents_avx2(const sb_view *v, int64_t lo, int64_t hi)
{
    return descents(v, lo, hi, false);
}

SB_INLINE int64_t
count_descents(const sb_view *v, int64_t lo, int64_t hi, bool wide)
{
    return !wide && SB_HAS_AVX2 ? descents_avx2(v, lo, hi) : descents(v, lo, hi, wide);
}

/* A store for each entry, no question: whether a column was seen no branch predictor knows. */
static inline void
mark_columns(const sb_view *v, uint8_t *seen, int64_t lo, int64_t hi, bool wide)
{
    /* Stores of bytes may hit anything: what the loop needs is out of their reach. */
    const sb_view at = {.crd = v->crd, .crd_base = v->crd_base};
    const uint64_t cols = (uint64_t)v->cols;

    for (int64_t p = lo; p < hi; p++) {
        const uint64_t j = (uint64_t)column(&at, p, wide);

        if (j < cols)
            seen[j] = 1;
    }
}

static void
add_rows(chunk *ck, int64_t rows, int64_t len)
{
    const int q = sb_stats_bucket(len);

    ck->bucket_rows[q] += rows;
    ck->bucket_nnz[q] += rows * len;
    ck->squares += (double)rows * (double)len * (double)len;
    ck->longest = len > ck->longest ? len : ck->longest;
}

/* Short rows, which most are, in four tables in turns: a count waits for the one before. */
SB_INLINE void
count_lengths(const sb_view *v, chunk *ck, int64_t first, int64_t last, bool wide)
{
    int64_t few[4][SHORT] = {{0}}, lo = element(v->ptr, first, wide);
    const void *const ptr = v->ptr;

    for (int64_t i = first; i < last; i++) {
        const int64_t hi = element(ptr, i + 1, wide), len = hi - lo;

        if ((uint64_t)len < SHORT)
            few[i & 3][len]++;
        else
            add_rows(ck, 1, len);
        lo = hi;
    }
    for (int64_t len = 0; len < SHORT; len++) {
        const int64_t rows = few[0][len] + few[1][len] + few[2][len] + few[3][len];

        if (rows > 0)
            add_rows(ck, rows, len);
    }
}

/* What the ends of rows say: how many rows but the first of these have a first column that does
 * not follow the one before, and of sorted rows how far from the diagonal columns lie. */
typedef struct ends {
    int64_t begun, band;
} ends;

/* `band`: that, too. Which rows are empty is as good as random, so that is no branch. */
SB_INLINE ends
look_at_ends(const sb_view *v, int64_t first, int64_t last, bool wide_ptr, bool wide,
             bool band)
{
    const void *const ptr = v->ptr;
    const int64_t base = v->ptr_base, from = sb_view_lo(v, first);
    const int64_t end = sb_view_lo(v, last);
    int64_t row = first, lo = from, far; /* row: the last one that is not empty */
    ends e = {0, 0};

    if (from == end)
        return e;
    while ((lo = element(ptr, row + 1, wide_ptr) - base) == from)
        row++;
    e.band = row - column(v, from, wide);
    for (int64_t i = row + 1; i < last && lo < end; i++) { /* those behind are empty */
        const int64_t hi = element(ptr, i + 1, wide_ptr) - base;
        const int64_t filled = -(int64_t)((uint64_t)(lo - hi) >> 63);
        const int64_t begins = column(v, lo, wide), ended = column(v, lo - 1, wide);

        e.begun += filled & (begins <= ended);
        lo = hi;
        if (band) {
            const int64_t left = (i - begins) & filled, right = (ended - row) & filled;

            e.band = left > e.band ? left : e.band;
            e.band = right > e.band ? right : e.band;
            row += (i - row) & filled;
        }
    }
    far = column(v, end - 1, wide) - row;
    e.band = far > e.band ? far : e.band;
    return e;
}

/* How far from the diagonal columns lie that are not sorted. */
static int64_t
find_band(const sb_view *v, int64_t first, int64_t last, bool wide)
{
    int64_t band = 0;

    for (int64_t i = first; i < last; i++)
        for (int64_t p = sb_view_lo(v, i); p < sb_view_lo(v, i + 1); p++) {
            const int64_t far = column(v, p, wide) - i;

            band = far > band ? far : -far > band ? -far : band;
        }
    return band;
}

SB_INLINE void
chunk_rows(const pass *ps, chunk *ck, uint8_t *seen, int64_t first, int64_t last,
           bool wide_ptr, bool wide)
{
    const sb_view *v = ps->v;
    const int64_t lo = sb_view_lo(v, first), hi = sb_view_lo(v, last);
    const ends e = ps->band ? look_at_ends(v, first, last, wide_ptr, wide, true)
                            : look_at_ends(v, first, last, wide_ptr, wide, false);

    count_lengths(v, ck, first, last, wide_ptr);
    ck->sorted = count_descents(v, lo, hi, wide) == e.begun;
    if (seen)
        mark_columns(v, seen, lo, hi, wide);
    if (ps->band)
        ck->bandwidth = ck->sorted ? e.band : find_band(v, first, last, wide);
}

static void
run_chunk(const pass *ps, int64_t q, uint8_t *seen)
{
    const sb_view *v = ps->v;
    const int64_t lo = chunk_row(v, q), hi = chunk_row(v, q + 1);
    const bool wide = v->crd_type == SB_I64;
    chunk *ck = &ps->chunk[q];

    if (v->ptr_type == SB_I64 && wide)
        chunk_rows(ps, ck, seen, lo, hi, true, true);
    else if (v->ptr_type == SB_I64)
        chunk_rows(ps, ck, seen, lo, hi, true, false);
    else if (wide)
        chunk_rows(ps, ck, seen, lo, hi, false, true);
    else
        chunk_rows(ps, ck, seen, lo, hi, false, false);
}

static void
run_groups(void *user, int64_t from, int64_t to)
{
    const pass *ps = user;

    for (int64_t g = from; g < to; g++) {
        const int64_t end = CHUNKS * (g + 1) / ps->groups;
        uint8_t *seen = ps->seen ? ps->seen + g * ps->v->cols : NULL;

        for (int64_t q = CHUNKS * g / ps->groups; q < end; q++)
            run_chunk(ps, q, seen);
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

double
sb_stats_unaligned(const sb_stats *s, int rows, int cols)
{
    for (int q = 0; q < SB_STATS_SHAPES; q++)
        if (sb_stats_shape[q].rows == rows && sb_stats_shape[q].cols == cols)
            return s->unaligned[q];
    return 0;
}

/* Marks of some columns, which are 0 or 1; bytes of a word cannot overflow into each other in so many steps. */
static int64_t
count_ones(const uint8_t *mark, int64_t n)
{
    enum { STEPS = 255, WORD = 8 };
    int64_t found = 0, j = 0;

    while (n - j >= WORD) {
        const int64_t words = (n - j) / WORD < STEPS ? (n - j) / WORD : STEPS;
        uint64_t sums = 0, word;

        for (int64_t w = 0; w < words; w++, j += WORD) {
            memcpy(&word, mark + j, sizeof word);
            sums += word;
        }
        sums = (sums & UINT64_C(0x00ff00ff00ff00ff)) +
               (sums >> 8 & UINT64_C(0x00ff00ff00ff00ff));
        found += (int64_t)(sums * UINT64_C(0x0001000100010001) >> 48);
    }
    for (; j < n; j++)
        found += mark[j];
    return found;
}

/* Columns [from, to) that some group has marked. */
static void
count_marked(void *user, int64_t from, int64_t to)
{
    pass *ps = user;
    const int64_t cols = ps->v->cols;

    for (int64_t lo = from, hi; lo < to; lo = hi) {
        hi = to - lo < STRIPE ? to : lo + STRIPE;
        for (int64_t g = 1; g < ps->groups; g++)
            for (int64_t j = lo; j < hi; j++)
                ps->seen[j] |= ps->seen[g * cols + j];
        __atomic_fetch_add(&ps->marked, count_ones(ps->seen + lo, hi - lo),
                           __ATOMIC_RELAXED);
    }
}

/* Groups that mark columns: a byte per column each, so of long rows as many as there are
 * threads, of a matrix almost without entries one. */
static int64_t
marking_groups(const sb_view *v, const sb_par *par)
{
    const int64_t rich = 1 + 2 * v->nnz / (v->cols > 0 ? v->cols : 1);
    const int64_t most = par && par->threads > 1 ? par->threads : 1;
    const int64_t groups = rich < most ? rich : most;

    return groups < MARKERS ? groups : MARKERS;
}

sb_status
sb_stats_collect(sb_stats *out, const sb_view *v, sb_stats_use use, const sb_par *par)
{
    const bool all = !(use & SB_STATS_BRIEF);
    /* Marking costs a byte per column: not for a matrix almost without entries. */
    const bool mark = all && v->cols / 8 <= v->nnz;
    pass ps = {v, sb_alloc_zero(CHUNKS * sizeof *ps.chunk), CHUNKS, NULL, 0, all};

    memset(out, 0, sizeof *out);
    out->rows = v->rows;
    out->ragged = sb_view_ragged(v);
    out->onward = sb_view_onward(v);
    out->strewn = sb_view_strewn(v);
    out->cols = v->cols;
    out->nnz = v->nnz;
    if (v->rows + v->nnz < 16384)
        par = NULL;
    if (mark) {
        ps.groups = marking_groups(v, par);
        ps.seen = sb_alloc_zero((size_t)(ps.groups * v->cols));
    }
    if (!ps.chunk || (mark && !ps.seen)) {
        sb_free(ps.chunk);
        sb_free(ps.seen);
        return SB_ENOMEM;
    }
    sb_par_run(par, run_groups, &ps, 0, ps.groups, 1);
    merge_chunks(out, ps.chunk);
    if (mark)
        sb_par_run(par, count_marked, &ps, 0, v->cols, STRIPE);
    out->distinct = mark ? ps.marked : v->nnz < v->cols ? v->nnz : v->cols;
    sb_free(ps.chunk);
    sb_free(ps.seen);
    return sb_stats_sample(out, v, use, par);
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
    s->strewn /= b;
    s->window_cols *= b;
    s->window_reuse = 1 - (1 - s->window_reuse) / b;
    s->window_next = 1 - (1 - s->window_next) / b;
    for (int q = 0; q < SB_STATS_BLOCKS; q++)
        s->block_share[q] = block % sb_stats_block_size[q] == 0;
    for (int q = 0; q < SB_STATS_PANELS; q++)
        s->panel_run[q] *= b;
}
