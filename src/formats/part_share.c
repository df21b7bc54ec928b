/*
 * Windows of b neighbouring rows once more, for columns that the rows share one by one
 * (part_win.c wants runs): a list of the columns that all b rows hold, and beside each
 * its b values, or where they are. Distances are known when the kernel is compiled, so
 * that eight rows need one address where part win needs nine, and a column alone is
 * worth taking. Packed, it has BSR's inner loop without blocks or padding.
 *
 * Rows that are alike but for holes have a second list, of columns that some of them
 * lack and half of them hold, with a bit for each row that does. It is sorted by these
 * bits: neighbours in it ask for the same rows, so that a processor foresees which.
 *
 * Entries that neither list holds follow, row by row, and are added while the window's
 * sums are in registers. The part owns all entries of all full windows that no other
 * part has taken, in one group.
 * Source: as part_win.c; the layout is BCSR's with blocks of b x 1.
 */
#include "formats/sweep.h"
#include "formats/window.h"

#include "base/alloc.h"

#include <string.h>

enum { GRAIN = 256 /* windows */, PATTERNS = 1 << SB_WINDOW_MAX };

/* All columns of a window, in order. */
typedef struct merge {
    sb_sweep by;
    int b;
    int64_t at[SB_WINDOW_MAX];
    /* the column at hand: which rows hold it, how many, and in which slot */
    int64_t col, slot[SB_WINDOW_MAX];
    unsigned rows;
    int holders;
} merge;

static void
merge_init(merge *m, const sb_view *v, const uint8_t *taken, int b)
{
    sb_sweep_init(&m->by, v, taken, 0);
    m->b = b;
}

static void
merge_begin(merge *m, int64_t window)
{
    for (int r = 0; r < m->b; r++)
        m->at[r] = sb_view_lo(m->by.v, window * m->b + r);
    sb_sweep_begin(&m->by, window * m->b, m->b);
}

/* The next column, without its slots. */
static bool
merge_step(merge *m)
{
    m->rows = sb_sweep_next(&m->by, &m->col);
    m->holders = sb_sweep_count(m->rows);
    return m->rows != 0;
}

static bool
merge_next(merge *m)
{
    const uint8_t *taken = m->by.taken;

    if (!merge_step(m))
        return false;
    for (unsigned left = m->rows; left; left &= left - 1) {
        const int r = SB_LOWEST_BIT(left);

        while (taken && taken[m->at[r]])
            m->at[r]++;
        m->slot[r] = m->at[r]++;
    }
    return true;
}

/* So many rows hold a column of the second list. */
static int
half(int b)
{
    return b > 2 ? (b + 1) / 2 : 2;
}

void
sb_part_share_columns(const sb_view *v, const int64_t *window, int64_t n, int b,
                      int64_t *all, int64_t *held)
{
    merge m;

    merge_init(&m, v, NULL, b);
    for (int64_t q = 0; q < n; q++) {
        merge_begin(&m, window[q]);
        while (merge_step(&m)) {
            *all += m.holders == b;
            *held += m.holders >= half(b) ? 2 * m.holders - b : 0;
        }
    }
}

/* What threads share: windows are counted and filled apart from each other. */
typedef struct job {
    const sb_view *v;
    const uint8_t *taken;
    int b, least; /* rows that hold a column of the second list */
    int64_t used; /* windows that the part may take from */
    void *seg, *some, *left, *crd, *pos, *bits;
    int64_t shared, most; /* columns of the first list, of the second */
} job;

static void
count_windows(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;
    const sb_dtype t = j->v->slot_type;
    merge m;

    merge_init(&m, j->v, j->taken, j->b);
    for (int64_t w = lo; w < hi; w++) {
        int64_t all = 0, some = 0, left[SB_WINDOW_MAX] = {0};

        if (w < j->used)
            merge_begin(&m, w);
        while (w < j->used && merge_step(&m))
            if (m.holders == j->b)
                all++;
            else if (m.holders >= j->least)
                some++;
            else
                for (int r = 0; r < j->b; r++)
                    left[r] += m.rows >> r & 1;
        sb_index_store(j->seg, t, w, all);
        if (j->some)
            sb_index_store(j->some, t, w, some);
        for (int r = 0; r < j->b; r++)
            sb_index_store(j->left, t, w * j->b + r, left[r]);
    }
}

/* From counts to what lies before each; returns all. */
static int64_t
add_up(void *count, sb_dtype t, int64_t n)
{
    int64_t sum = 0;

    for (int64_t q = 0; q < n; q++) {
        const int64_t one = sb_index(count, t, q);

        sb_index_store(count, t, q, sum);
        sum += one;
    }
    sb_index_store(count, t, n, sum);
    return sum;
}

static void
put(const job *j, int64_t column, int64_t pos, int64_t col, int64_t slot)
{
    sb_index_store(j->crd, j->v->crd_type, column, col);
    sb_index_store(j->pos, j->v->slot_type, pos,
                   slot < 0 ? -1 : sb_view_pos(j->v, slot));
}

static void
put_column(const job *j, const merge *m, int64_t column)
{
    for (int r = 0; r < j->b; r++)
        put(j, column, column * j->b + r, m->col, m->rows >> r & 1 ? m->slot[r] : -1);
}

/* Where each pattern's columns begin in a window's second list. */
static void
find_patterns(int64_t from[PATTERNS], const job *j, merge *m, int64_t window)
{
    int64_t at = sb_index(j->some, j->v->slot_type, window);

    memset(from, 0, sizeof(int64_t[PATTERNS]));
    if (at == sb_index(j->some, j->v->slot_type, window + 1))
        return;
    merge_begin(m, window);
    while (merge_step(m))
        from[m->rows]++;
    for (unsigned rows = 0; rows < 1u << j->b; rows++) {
        const int n = sb_sweep_count(rows);
        const int64_t one = n >= j->least && n < j->b ? from[rows] : 0;

        from[rows] = at;
        at += one;
    }
}

static void
fill_windows(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;
    const sb_dtype t = j->v->slot_type;
    const int b = j->b;
    int64_t from[PATTERNS];
    merge m;

    merge_init(&m, j->v, j->taken, b);
    for (int64_t w = lo; w < hi; w++) {
        int64_t all = sb_index(j->seg, t, w), left[SB_WINDOW_MAX];

        for (int r = 0; r < b; r++)
            left[r] = sb_index(j->left, t, w * b + r);
        if (j->some)
            find_patterns(from, j, &m, w);
        merge_begin(&m, w);
        while (merge_next(&m))
            if (m.holders == b) {
                put_column(j, &m, all++);
            } else if (m.holders >= j->least) {
                sb_index_store(j->bits, SB_I32, from[m.rows], m.rows);
                put_column(j, &m, j->shared + from[m.rows]++);
            } else {
                for (int r = 0; r < b; r++)
                    if (m.rows >> r & 1) {
                        const int64_t e = j->shared + j->most, x = left[r]++;

                        put(j, e + x, e * b + x, m.col, m.slot[r]);
                    }
            }
    }
}

static sb_status
build(sb_part *out, sb_cover *cv, int b, bool holes, const sb_par *par)
{
    const sb_view *v = cv->v;
    const sb_dtype t = v->slot_type;
    bool add;
    const int64_t windows = v->rows / b, used = sb_cover_rows(cv, &add) / b;
    const int64_t entries = sb_cover_free_entries(cv, used * b);
    job j = {.v = v, .taken = cv->taken, .b = b, .used = used};
    int64_t left;

    j.least = holes ? half(b) : b;
    j.seg = sb_part_array_new(out, "share_seg", t, windows + 1);
    j.some = holes ? sb_part_array_new(out, "share_some", t, windows + 1) : NULL;
    j.left = sb_part_array_new(out, "share_left", t, windows * b + 1);
    if (!j.seg || !j.left || (holes && !j.some))
        return SB_ENOMEM;
    sb_par_run(par, count_windows, &j, 0, windows, GRAIN);
    j.shared = add_up(j.seg, t, windows);
    j.most = holes ? add_up(j.some, t, windows) : 0;
    left = add_up(j.left, t, windows * b);
    if (j.shared + j.most == 0)
        return SB_SKIP;
    out->slots = (j.shared + j.most) * b + left;
    j.crd = sb_part_array_new(out, "share_crd", v->crd_type, j.shared + j.most + left);
    j.pos = sb_part_array_new(out, "share_pos", t, out->slots);
    j.bits = holes ? sb_part_array_new(out, "share_bits", SB_I32, j.most) : NULL;
    if (!j.crd || !j.pos || (holes && !j.bits) || sb_cover_open(cv) != SB_OK)
        return SB_ENOMEM;
    sb_par_run(par, fill_windows, &j, 0, used, GRAIN);
    memset(cv->taken, 1, (size_t)sb_view_lo(v, used * b));
    memset(cv->touched, 1, (size_t)(used * b));
    out->nnz = entries;
    cv->rest -= entries;
    out->ngroup = 1;
    out->group[0] = (sb_part_group){0, used, entries, add, add};
    return SB_OK;
}

sb_status
sb_part_share(sb_part *out, sb_cover *cv, int b, bool holes, bool sorted,
              const sb_par *par)
{
    sb_status st;

    memset(out, 0, sizeof *out);
    out->kind = SB_PART_SHARE;
    out->width = b;
    if (!sorted || b < 2 || b > SB_WINDOW_MAX || cv->v->block > 1)
        return SB_SKIP;
    st = build(out, cv, b, holes, par);
    if (st != SB_OK)
        sb_part_free(out);
    return st;
}
