/*
 * Pairs of neighbouring windows of rows, read column by column into a small hash table with
 * epochs, which counts diagonals as well.
 */
#include "formats/stats_reuse.h"

#include "base/alloc.h"
#include "formats/stats_sample.h"

enum {
    TABLE_BITS = 12,
    TABLE = 1 << TABLE_BITS,
    TABLE_FILL = TABLE / 2, /* entries inserted per epoch, at most */
    WINDOW = 64,            /* rows of a reuse window */
    PAIRS = 16,             /* pairs of neighbouring windows sampled */
    PAIR_ENTRIES = 16384,   /* entries read of a pair, about */
    BRIEF = 4,              /* a first look has so much less of both */
    DIAG_ROWS = 64
};

/* Small, so that a table fits the first cache: columns 2^32 apart would be one, of which no
 * pair of windows has two but by chance, and diagonals so far out are left alone. */
typedef struct slot {
    int32_t key;
    uint16_t epoch;
    uint16_t seen; /* last groups of rows that had the column; a diagonal's entries */
} slot;

/* Where `seen` has the group of four rows, of eight, and the window: from 1 on, two windows
 * of 64 rows. */
enum { BY4 = 0x3f, BY8_AT = 6, BY8 = 0x1f << BY8_AT, IN_AT = 11, IN = 3 << IN_AT };

/* Of windows. */
typedef struct tally {
    int64_t entries, d4, d8, dwin, second, fresh, once, next;
} tally;

/* An entry of a window that is counted. */
typedef struct pick {
    int32_t col;
    bool follows; /* the column before it in its row */
} pick;

typedef struct sampler {
    const sb_view *v;
    int64_t pairs, entries; /* of windows, and read of a pair: at most, about */
    slot *table;
    pick *pick; /* of a row: at most a 16th of entries */
    uint16_t epoch;
    bool every; /* columns: none is passed over */
    int fill;   /* slots of this epoch */
    tally sum;
    int64_t windows;
    double columns; /* distinct ones of all windows */
} sampler;

/* Of each job all is side by side: threads that count at a time share no line. */
struct sb_reuse {
    struct {
        sampler by;
        pick pick[PAIR_ENTRIES / 16];
        slot table[TABLE];
    } job[SB_REUSE_JOBS];
};

static void
begin_epoch(sampler *sm)
{
    sm->epoch++;
    sm->fill = 0;
}

/* The slot of a key in this epoch, or the one it would have. */
static inline slot *
look(sampler *sm, int32_t key)
{
    uint32_t h = (uint32_t)key * UINT32_C(0x9E3779B9) >> (32 - TABLE_BITS);
    slot *s = &sm->table[h];

    while (s->epoch == sm->epoch && s->key != key) {
        h = (h + 1) & (TABLE - 1);
        s = &sm->table[h];
    }
    return s;
}

/* The slot of a key in this epoch, which must have room; fresh if `*is_new`. */
static inline slot *
find(sampler *sm, int32_t key, bool *is_new)
{
    slot *s = look(sm, key);

    *is_new = s->epoch != sm->epoch;
    if (*is_new) {
        *s = (slot){key, sm->epoch, 0};
        sm->fill++;
    }
    return s;
}

static inline void
window_entry(sampler *sm, tally *t, pick p, uint32_t row, uint32_t half)
{
    const uint32_t by4 = row / 4 + 1, by8 = (row / 8 + 1) << BY8_AT;
    const uint32_t in = (half + 1) << IN_AT;
    bool is_new;
    slot *s = find(sm, p.col, &is_new);
    const uint32_t seen = s->seen;

    s->seen = (uint16_t)(by4 | by8 | in);
    t->entries++;
    t->d4 += (seen & BY4) != by4;
    t->d8 += (seen & BY8) != by8;
    t->dwin += (seen & IN) != in;
    t->second += half && (seen & IN) != in;
    t->fresh += half && is_new;
    if (is_new) {
        const int32_t before = (int32_t)((uint32_t)p.col - 1);

        t->once++;
        t->next += p.follows || (sm->every && look(sm, before)->epoch == sm->epoch);
    }
}

/* Those of [lo, hi) that are kept: one in `keep` columns, by a hash, so that reuse of these is
 * reuse of all. Which are kept no branch predictor knows. */
static int
pick_entries(pick *to, const sb_view *v, int64_t lo, int64_t hi, uint64_t keep)
{
    int n = 0;

    for (int64_t left = -2, col; lo < hi; lo++, left = col) {
        col = sb_view_col(v, lo);
        to[n] = (pick){(int32_t)col, left == col - 1};
        /* the hash as a fraction of 2^32 below 1 / keep: no division */
        n += ((uint64_t)col * UINT64_C(0xD6E8FEB86659FD93) >> 32) * keep >> 32 == 0;
    }
    return n;
}

static void
add_tally(tally *to, const tally *t)
{
    to->entries += t->entries;
    to->d4 += t->d4;
    to->d8 += t->d8;
    to->dwin += t->dwin;
    to->second += t->second;
    to->fresh += t->fresh;
    to->once += t->once;
    to->next += t->next;
}

/* Two neighbouring windows from row `first`. */
static void
window_pair(sampler *sm, int64_t first)
{
    const sb_view *v = sm->v;
    const int64_t most = sm->entries;
    int64_t rows = WINDOW, nnz;
    uint64_t keep;
    uint32_t row = 0;
    tally t = {0};

    for (;; rows /= 2) {
        const int64_t end = first + 2 * rows < v->rows ? first + 2 * rows : v->rows;

        nnz = sb_view_lo(v, end) - sb_view_lo(v, first);
        if (nnz <= most || rows == 8)
            break;
    }
    keep = (uint64_t)(nnz < most ? nnz : most) / TABLE_FILL + 1;
    sm->every = keep == 1;
    begin_epoch(sm);
    for (uint32_t half = 0; half < 2; half++)
        for (int64_t r = 0; r < rows && first < v->rows; r++, row++, first++) {
            const int64_t lo = sb_view_lo(v, first), end = sb_view_lo(v, first + 1);
            const int64_t hi = end < lo + most / 16 ? end : lo + most / 16;
            const int n = pick_entries(sm->pick, v, lo, hi, keep);

            for (int q = 0; q < n && sm->fill < TABLE / 4 * 3; q++)
                window_entry(sm, &t, sm->pick[q], row, half);
        }
    sm->columns += (double)t.dwin * (double)keep;
    sm->windows += 2;
    add_tally(&sm->sum, &t);
}

/* Pairs of windows, every SB_REUSE_JOBS-th from `first` on. */
static void
sample_windows(sampler *sm, int64_t first)
{
    const int64_t rows = sm->v->rows;
    const int64_t room = rows > 2 * WINDOW ? rows - 2 * WINDOW : 0;
    /* small matrices: about half of their entries */
    const int64_t some = sm->v->nnz / (2 * PAIR_ENTRIES) + 4;
    const int64_t pairs = !room ? 1 : some < sm->pairs ? some : sm->pairs;

    for (int64_t q = first; q < pairs; q += SB_REUSE_JOBS)
        window_pair(sm, room ? sb_stats_spread(q, room) / 8 * 8 : 0);
}

static void
sample_diagonals(sb_stats *s, sampler *sm)
{
    const sb_view *v = sm->v;
    const int64_t n = v->rows < DIAG_ROWS ? v->rows : DIAG_ROWS;
    int64_t budget = TABLE_FILL, seen = 0, on = 0;

    begin_epoch(sm);
    for (int64_t q = 0; q < n; q++) {
        const int64_t i = n == v->rows ? q : sb_stats_spread(q, v->rows);
        const int64_t hi = sb_view_lo(v, i + 1);

        for (int64_t p = sb_view_lo(v, i); p < hi && budget > 0;
             p++, budget--, seen++) {
            const int64_t diagonal = sb_view_col(v, p) - i;
            bool is_new;

            if (diagonal == (int32_t)diagonal)
                find(sm, (int32_t)diagonal, &is_new)->seen++;
        }
    }
    for (int q = 0; q < TABLE; q++) {
        const slot *t = &sm->table[q];
        /* rows the diagonal crosses, as a share of all; corners count for less */
        const int64_t from = t->key < 0 ? -(int64_t)t->key : 0;
        const int64_t to = t->key > v->cols - v->rows ? v->cols - t->key : v->rows;
        const double share = (double)(to - from) / (double)(v->rows > 0 ? v->rows : 1);

        if (t->epoch != sm->epoch || 2 * t->seen < share * (double)n || t->seen < 2)
            continue;
        on += t->seen;
        s->diag_count++;
    }
    s->diag_share = seen ? (double)on / (double)seen : 0;
}

sb_reuse *
sb_reuse_new(const sb_view *v, int share, bool brief)
{
    sb_reuse *r = sb_alloc_zero(sizeof *r);

    for (int q = 0; r && q < SB_REUSE_JOBS; q++)
        r->job[q].by = (sampler){.v = v,
                                 .pairs = PAIRS / (brief ? BRIEF : share),
                                 .entries = PAIR_ENTRIES / (brief ? BRIEF : 1),
                                 .table = r->job[q].table,
                                 .pick = r->job[q].pick};
    return r;
}

void
sb_reuse_run(sb_stats *s, sb_reuse *r, int job)
{
    sample_windows(&r->job[job].by, job);
    if (job == SB_REUSE_JOBS - 1)
        sample_diagonals(s, &r->job[job].by);
}

/* The sums are of integers, so their order does not matter. */
void
sb_reuse_merge(sb_stats *s, const sb_reuse *r)
{
    double columns = 0, windows = 0;
    tally t = {0};

    for (int q = 0; q < SB_REUSE_JOBS; q++) {
        const sampler *sm = &r->job[q].by;

        add_tally(&t, &sm->sum);
        windows += (double)sm->windows;
        columns += sm->columns;
    }
    if (t.entries == 0)
        return;
    s->r4 = (double)t.entries / (double)t.d4;
    s->r8 = (double)t.entries / (double)t.d8;
    s->window_cols = columns / windows;
    s->window_reuse = 1.0 - (double)t.dwin / (double)t.entries;
    s->window_fresh = t.second ? (double)t.fresh / (double)t.second : 1.0;
    s->window_next = t.once ? (double)t.next / (double)t.once : 0;
}
