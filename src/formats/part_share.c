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

enum { PIECE = 16 /* windows at most */, PATTERNS = 1 << SB_WINDOW_MAX };

/* All columns of a window, in order. */
typedef struct merge {
    sb_sweep by;
    int b;
    /* the column at hand, and which rows hold it */
    int64_t col;
    unsigned rows;
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
    sb_sweep_begin(&m->by, window * m->b, m->b);
}

static bool
merge_step(merge *m)
{
    m->rows = sb_sweep_next(&m->by, &m->col);
    return m->rows != 0;
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
            const int holders = sb_sweep_count(m.rows);

            *all += holders == b;
            *held += holders >= half(b) ? 2 * holders - b : 0;
        }
    }
}

/* A column and the rows of its window that hold it. */
typedef struct held {
    int64_t col;
    unsigned rows;
} held;

/* Windows of a piece as they were counted. The matrix is walked only once. */
typedef struct piece {
    void *held;
    int64_t room, end[PIECE]; /* columns that fit; past a window's */
    bool failed;              /* memory was short */
} piece;

/* What threads share: pieces are counted and filled apart from each other. */
typedef struct job {
    const sb_view *v;
    const uint8_t *taken;
    int b, least;          /* rows that hold a column of the second list */
    int64_t windows, used; /* all, and those that the part may take from */
    int64_t per, pieces;   /* windows of a piece */
    piece *piece;
    void *seg, *some, *left, *crd, *pos, *bits;
    int64_t shared, most; /* columns of the first list, of the second */
} job;

/* The columns of window w, behind the n that the piece has; b is constant where this is inlined. */
SB_INLINE int64_t
count_window(const job *j, merge *m, piece *to, int64_t n, int64_t w, int b)
{
    const unsigned full = (1u << b) - 1;
    const sb_dtype t = j->v->slot_type;
    int64_t all = 0, some = 0, left[SB_WINDOW_MAX] = {0};

    if (w < j->used)
        merge_begin(m, w);
    while (w < j->used && merge_step(m)) {
        if (n >= to->room && !sb_alloc_room(&to->held, &to->room, n, sizeof(held))) {
            to->failed = true;
            break;
        }
        ((held *)to->held)[n++] = (held){m->col, m->rows};
        if (m->rows == full)
            all++;
        else if (sb_sweep_count(m->rows) >= j->least)
            some++;
        else
            for (int r = 0; r < b; r++)
                left[r] += m->rows >> r & 1;
    }
    sb_index_store(j->seg, t, w, all);
    if (j->some)
        sb_index_store(j->some, t, w, some);
    for (int r = 0; r < b; r++)
        sb_index_store(j->left, t, w * b + r, left[r]);
    return n;
}

static int64_t
count_one(const job *j, merge *m, piece *to, int64_t n, int64_t w)
{
    switch (j->b) {
    case 3:
        return count_window(j, m, to, n, w, 3);
    case 4:
        return count_window(j, m, to, n, w, 4);
    case 6:
        return count_window(j, m, to, n, w, 6);
    case 8:
        return count_window(j, m, to, n, w, 8);
    default:
        return count_window(j, m, to, n, w, j->b);
    }
}

static void
count_pieces(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;
    merge m;

    merge_init(&m, j->v, j->taken, j->b);
    for (int64_t q = lo; q < hi; q++) {
        const int64_t from = q * j->per, past = from + j->per;
        const int64_t end = past < j->windows ? past : j->windows;
        piece *to = &j->piece[q];
        int64_t n = 0;

        for (int64_t w = from; !to->failed && w < end; w++)
            to->end[w - from] = n = count_one(j, &m, to, n, w);
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

/* `plain` is constant where this is inlined: numbers of 32 bits, slots in place, none taken. So is b,
 * the rows of a window. */
SB_INLINE void
put(void *array, sb_dtype t, int64_t at, int64_t value, bool plain)
{
    if (plain)
        ((int32_t *)array)[at] = (int32_t)value;
    else
        sb_index_store(array, t, at, value);
}

SB_INLINE void
put_slot(const job *j, int64_t at, int64_t slot, bool plain)
{
    put(j->pos, j->v->slot_type, at, plain || slot < 0 ? slot : sb_view_pos(j->v, slot),
        plain);
}

SB_INLINE void
put_column(const job *j, int64_t col, unsigned rows, const int64_t slot[SB_WINDOW_MAX],
           int64_t column, bool plain, int b)
{
    put(j->crd, j->v->crd_type, column, col, plain);
    for (int r = 0; r < b; r++)
        put_slot(j, column * b + r, rows >> r & 1 ? slot[r] : -1, plain);
}

/* Where each pattern's columns begin in a window's second list. */
static void
find_patterns(int64_t from[PATTERNS], const job *j, const held *held, int64_t first,
              int64_t end, int64_t window)
{
    int64_t at = sb_index(j->some, j->v->slot_type, window);

    if (at == sb_index(j->some, j->v->slot_type, window + 1))
        return;
    memset(from, 0, sizeof(int64_t[PATTERNS]));
    for (int64_t q = first; q < end; q++)
        from[held[q].rows]++;
    for (unsigned p = 0; p < 1u << j->b; p++) {
        const int holders = sb_sweep_count(p);
        const int64_t one = holders >= j->least && holders < j->b ? from[p] : 0;

        from[p] = at;
        at += one;
    }
}

/* Moves past what other parts have taken of the rows that hold a column, and says where
 * they hold it. */
SB_INLINE void
find_slots(const job *j, unsigned rows, int64_t at[SB_WINDOW_MAX],
           int64_t slot[SB_WINDOW_MAX], bool plain)
{
    for (unsigned left = rows; left; left &= left - 1) {
        const int r = SB_LOWEST_BIT(left);

        while (!plain && j->taken && j->taken[at[r]])
            at[r]++;
        slot[r] = at[r]++;
    }
}

/* The columns [first, end) of those held, whose window begins at rows `at`; `from` and `left` say
 * where patterns and rows put theirs next, `all` where the first list does. */
SB_INLINE void
fill_columns(const job *j, const held *held, int64_t first, int64_t end,
             int64_t at[SB_WINDOW_MAX], int64_t from[PATTERNS],
             int64_t left[SB_WINDOW_MAX], int64_t all, bool plain, int b)
{
    const unsigned full = (1u << b) - 1;
    const int64_t behind = j->shared + j->most;
    int64_t slot[SB_WINDOW_MAX];

    for (int64_t q = first; q < end; q++) {
        const int64_t col = held[q].col;
        const unsigned rows = held[q].rows;

        if (plain && rows == full) { /* most columns, where this pays */
            put_column(j, col, rows, at, all++, plain, b);
            for (int r = 0; r < b; r++)
                at[r]++;
            continue;
        }
        find_slots(j, rows, at, slot, plain);
        if (rows == full) {
            put_column(j, col, rows, slot, all++, plain, b);
        } else if (sb_sweep_count(rows) >= j->least) {
            sb_index_store(j->bits, SB_I32, from[rows], rows);
            put_column(j, col, rows, slot, j->shared + from[rows]++, plain, b);
        } else {
            for (unsigned m = rows; m; m &= m - 1) {
                const int r = SB_LOWEST_BIT(m);
                const int64_t x = left[r]++;

                put(j->crd, j->v->crd_type, behind + x, col, plain);
                put_slot(j, behind * b + x, slot[r], plain);
            }
        }
    }
}

/* Window w, whose columns are [first, end) of those held; the lists were counted. */
static void
fill_window(const job *j, int64_t w, const held *held, int64_t first, int64_t end)
{
    const sb_view *v = j->v;
    const sb_dtype t = v->slot_type;
    const int b = j->b;
    const bool plain = t == SB_I32 && v->crd_type == SB_I32 && !v->pos && !j->taken;
    int64_t from[PATTERNS], left[SB_WINDOW_MAX], at[SB_WINDOW_MAX];
    const int64_t all = sb_index(j->seg, t, w);

    for (int r = 0; r < b; r++) {
        left[r] = sb_index(j->left, t, w * b + r);
        at[r] = sb_view_lo(v, w * b + r);
    }
    if (j->some)
        find_patterns(from, j, held, first, end, w);
    if (!plain)
        fill_columns(j, held, first, end, at, from, left, all, false, b);
    else if (b == 3)
        fill_columns(j, held, first, end, at, from, left, all, true, 3);
    else if (b == 4)
        fill_columns(j, held, first, end, at, from, left, all, true, 4);
    else if (b == 6)
        fill_columns(j, held, first, end, at, from, left, all, true, 6);
    else if (b == 8)
        fill_columns(j, held, first, end, at, from, left, all, true, 8);
    else
        fill_columns(j, held, first, end, at, from, left, all, true, b);
}

static void
fill_pieces(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;

    for (int64_t q = lo; q < hi; q++) {
        const piece *p = &j->piece[q];

        for (int64_t w = 0; w < j->per && q * j->per + w < j->used; w++) {
            const int64_t first = w > 0 ? p->end[w - 1] : 0;

            fill_window(j, q * j->per + w, p->held, first, p->end[w]);
        }
    }
}

/* Offsets of all windows; entries left over in *left. */
static sb_status
count(sb_part *out, job *j, bool holes, int64_t *left, const sb_par *par)
{
    const sb_dtype t = j->v->slot_type;

    j->seg = sb_part_array_new(out, "share_seg", t, j->windows + 1);
    j->some = holes ? sb_part_array_new(out, "share_some", t, j->windows + 1) : NULL;
    j->left = sb_part_array_new(out, "share_left", t, j->windows * j->b + 1);
    if (!j->seg || !j->left || (holes && !j->some))
        return SB_ENOMEM;
    sb_par_run(par, count_pieces, j, 0, j->pieces, 1);
    for (int64_t q = 0; q < j->pieces; q++)
        if (j->piece[q].failed)
            return SB_ENOMEM;
    j->shared = add_up(j->seg, t, j->windows);
    j->most = holes ? add_up(j->some, t, j->windows) : 0;
    *left = add_up(j->left, t, j->windows * j->b);
    return j->shared + j->most > 0 ? SB_OK : SB_SKIP;
}

static sb_status
fill(sb_part *out, job *j, int64_t left, const sb_par *par)
{
    const sb_view *v = j->v;
    const int64_t columns = j->shared + j->most + left;
    int64_t past;

    out->slots = (j->shared + j->most) * j->b + left;
    j->crd = sb_part_array_new(out, "share_crd", v->crd_type, columns);
    past = out->slots + SB_SHARE_SPARE;
    j->pos = sb_part_array_new(out, "share_pos", v->slot_type, past);
    j->bits = j->some ? sb_part_array_new(out, "share_bits", SB_I32, j->most) : NULL;
    if (!j->crd || !j->pos || (j->some && !j->bits))
        return SB_ENOMEM;
    for (int64_t q = out->slots; q < past; q++)
        sb_index_store(j->pos, v->slot_type, q, -1);
    sb_par_run(par, fill_pieces, j, 0, (j->used + j->per - 1) / j->per, 1);
    return SB_OK;
}

static sb_status
build(sb_part *out, sb_cover *cv, int b, bool holes, const sb_par *par)
{
    const sb_view *v = cv->v;
    bool add;
    sb_status st = sb_cover_marks(cv);
    const int64_t windows = v->rows / b, used = sb_cover_rows(cv, &add) / b;
    const int64_t entries = sb_cover_free_entries(cv, used * b);
    job j = {.v = v, .taken = cv->taken, .b = b, .windows = windows, .used = used};
    int64_t left = 0;

    SB_TRY(st);
    j.least = holes ? half(b) : b;
    j.per = sb_par_piece(v->nnz, windows, PIECE);
    j.pieces = (windows + j.per - 1) / j.per;
    j.piece = sb_alloc_zero((size_t)(j.pieces + 1) * sizeof *j.piece);
    st = j.piece ? SB_OK : SB_ENOMEM;
    if (st == SB_OK)
        st = count(out, &j, holes, &left, par);
    if (st == SB_OK)
        st = fill(out, &j, left, par);
    for (int64_t q = 0; j.piece && q < j.pieces; q++)
        sb_free(j.piece[q].held);
    sb_free(j.piece);
    SB_TRY(st);
    sb_cover_rows_done(cv, used * b);
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
