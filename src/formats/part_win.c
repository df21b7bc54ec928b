/*
 * Windows of b neighbouring rows that share runs of columns: where all b rows hold the
 * same columns in consecutive slots, one load of a row of B serves b rows of C, and one
 * column index serves b entries. A run's columns are copied, so that one list has all that
 * is read, in order; its values stay where they are, run s of row r at slots
 * win_lo[s * b + r] and following. Finite-element matrices
 * (rows of one node), blocks of any width, bands and attention masks (shifted rows
 * overlap) are all of this form; padding does not exist.
 *
 * Entries that not all rows of a window share are listed row by row, win_rest, so that
 * they are added while the window's sums are in registers. The part owns all entries of
 * all full windows that no other part has taken, in one group. Windows may be listed in
 * another order than the matrix's, win_row: rows of one stay together.
 * Source: register blocking over rows as in BSR, row windows of gpu.md S5, with the
 * fill taken out.
 */
#include "formats/window.h"

#include "base/alloc.h"
#include "base/macro.h"

#include <string.h>

enum { MINRUN = 2, PIECE = 64 /* windows at most */ };

/* How many of the first `len` columns two rows have in common. */
SB_INLINE int64_t
same(const sb_view *v, int64_t p, int64_t q, int64_t len, bool wide)
{
    const int32_t *c32 = v->crd;
    const int64_t *c64 = v->crd;
    int64_t s = 0;

    for (uint64_t differ = 0; s + 8 <= len; s += 8) {
        for (int k = 0; k < 8; k++)
            differ |= wide ? (uint64_t)(c64[p + s + k] ^ c64[q + s + k])
                           : (uint32_t)(c32[p + s + k] ^ c32[q + s + k]);
        if (differ)
            break;
    }
    while (s < len && (wide ? c64[p + s] == c64[q + s] : c32[p + s] == c32[q + s]))
        s++;
    return s;
}

static int64_t
run_length(const sb_window *sc)
{
    const sb_view *v = sc->v;
    int64_t len = sc->end[0] - sc->at[0];

    for (int r = 1; r < sc->b; r++) {
        len = sc->end[r] - sc->at[r] < len ? sc->end[r] - sc->at[r] : len;
        len = v->crd_type == SB_I64 ? same(v, sc->at[0], sc->at[r], len, true)
                                    : same(v, sc->at[0], sc->at[r], len, false);
    }
    for (int64_t s = 1; sc->taken && s < len; s++)
        for (int r = 0; r < sc->b; r++)
            if (sc->taken[sc->at[r] + s])
                return s;
    return len;
}

/* Length of the next shared run, which then ends at sc->at; 0 when there is none. */
static int64_t
scan_next(sb_window *sc)
{
    while (sb_window_align(sc)) {
        const int64_t len = run_length(sc);

        for (int r = 0; r < sc->b; r++)
            sc->at[r] += len;
        if (len >= MINRUN)
            return len;
    }
    return 0;
}

int64_t
sb_part_win_shared(const sb_view *v, int64_t window, int b, int64_t *runs)
{
    int64_t slots = 0;
    sb_window sc;

    sb_window_begin(&sc, v, NULL, window, b);
    for (int64_t len = scan_next(&sc); len > 0; len = scan_next(&sc)) {
        slots += len;
        (*runs)++;
    }
    return slots;
}

/* The runs of a piece's windows, from when they are found until it is known where they go:
 * columns are walked only once. */
typedef struct piece {
    int64_t runs, slots; /* of it, then before it */
    int64_t room;        /* runs that fit */
    bool failed;         /* memory was short */
    void *run;           /* of each its slots and where they begin in b rows */
} piece;

/* What threads share: pieces are counted and filled apart from each other. */
typedef struct job {
    const sb_view *v;
    const uint8_t *taken;
    int b;
    int64_t windows, used; /* all, and those that have runs */
    int64_t per;           /* of a piece */
    void *row;             /* by place in the list: the window */
    int64_t slots;         /* of all runs */
    piece *piece;
    void *seg;  /* by window: the piece's runs before it, then all */
    void *left; /* by row: entries in no run, then those before it */
    void *off, *crd, *lo, *list;
} job;

static int64_t
free_entries(const job *j, int64_t row)
{
    const int64_t lo = sb_view_lo(j->v, row), hi = sb_view_lo(j->v, row + 1);
    int64_t n = hi - lo;

    for (int64_t p = lo; p < hi && j->taken; p++)
        n -= j->taken[p] != 0;
    return n;
}

/* The window at place w of the list. */
static int64_t
window_at(const job *j, int64_t w)
{
    return sb_index(j->row, j->v->crd_type, w);
}

static bool
find_runs(const job *j, piece *to, int64_t w)
{
    const sb_dtype t = j->v->slot_type;
    const int b = j->b;
    const size_t one = (size_t)(1 + b) * sb_dtype_size(t);
    const int64_t window = window_at(j, w);
    int64_t slots = 0;
    sb_window sc;

    sb_index_store(j->seg, t, w, to->runs);
    sb_window_begin(&sc, j->v, j->taken, window, b);
    for (int64_t len = scan_next(&sc); len > 0; len = scan_next(&sc)) {
        const int64_t at = to->runs * (1 + b);

        if (!sb_alloc_room(&to->run, &to->room, to->runs, one))
            return false;
        sb_index_store(to->run, t, at, len);
        for (int r = 0; r < b; r++)
            sb_index_store(to->run, t, at + 1 + r, sc.at[r] - len);
        to->runs++;
        slots += len;
    }
    to->slots += slots;
    for (int r = 0; r < b; r++)
        sb_index_store(j->left, t, w * b + r, free_entries(j, window * b + r) - slots);
    return true;
}

static void
count_pieces(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;

    for (int64_t q = lo; q < hi; q++) {
        const int64_t past = (q + 1) * j->per;
        piece *to = &j->piece[q];

        for (int64_t w = q * j->per; !to->failed && w < past && w < j->used; w++)
            to->failed = !find_runs(j, to, w);
    }
}

static int64_t
get(const job *j, const void *array, int64_t at)
{
    return sb_index(array, j->v->slot_type, at);
}

/* The columns of slots [from, + len), at place `at` of the list. */
static void
fill_columns(const job *j, int64_t at, int64_t from, int64_t len)
{
    for (int64_t q = 0; q < len; q++)
        sb_index_store(j->crd, j->v->crd_type, at + q, sb_view_col(j->v, from + q));
}

/* What lies between the runs [s, end) of row r of the window at place w. */
static void
fill_row(const job *j, int64_t w, int r, const piece *p, int64_t s, int64_t end)
{
    const int64_t i = window_at(j, w) * j->b + r, hi = sb_view_lo(j->v, i + 1),
                  one = 1 + j->b;
    int64_t n = get(j, j->left, w * j->b + r);

    for (int64_t slot = sb_view_lo(j->v, i); slot < hi;) {
        if (s < end && get(j, p->run, s * one + 1 + r) == slot) {
            slot += get(j, p->run, s++ * one);
            continue;
        }
        if (!(j->taken && j->taken[slot])) {
            sb_index_store(j->list, j->v->slot_type, n, slot);
            fill_columns(j, j->slots + n++, slot, 1);
        }
        slot++;
    }
}

static void
fill_pieces(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;
    const sb_dtype t = j->v->slot_type;
    const int64_t one = 1 + j->b;

    for (int64_t q = lo; q < hi; q++) {
        const piece *p = &j->piece[q];
        const int64_t runs = p[1].runs - p->runs;
        const int64_t end_of = (q + 1) * j->per,
                      past = end_of < j->used ? end_of : j->used;
        int64_t slots = p->slots;

        for (int64_t s = 0; s < runs; s++) {
            const int64_t len = get(j, p->run, s * one);

            sb_index_store(j->off, t, p->runs + s, slots);
            fill_columns(j, slots, get(j, p->run, s * one + 1), len);
            slots += len;
            for (int r = 0; r < j->b; r++)
                sb_index_store(j->lo, t, (p->runs + s) * j->b + r,
                               get(j, p->run, s * one + 1 + r));
        }
        for (int64_t w = q * j->per; w < past; w++) {
            const int64_t first = get(j, j->seg, w);
            const int64_t end = w + 1 < past ? get(j, j->seg, w + 1) : runs;

            sb_index_store(j->seg, t, w, p->runs + first);
            for (int r = 0; r < j->b; r++)
                fill_row(j, w, r, p, first, end);
        }
    }
}

/* From counts to what lies before each piece and row; rows not used have nothing. */
static sb_status
place(job *j, int64_t pieces)
{
    const sb_dtype t = j->v->slot_type;
    piece sum = {0};
    int64_t rest = 0;

    for (int64_t q = 0; q <= pieces; q++) {
        const piece one = j->piece[q];

        if (one.failed)
            return SB_ENOMEM;
        j->piece[q].runs = sum.runs;
        j->piece[q].slots = sum.slots;
        sum.runs += one.runs;
        sum.slots += one.slots;
    }
    for (int64_t i = 0; i <= j->windows * j->b; i++) {
        const int64_t one = i < j->used * j->b ? get(j, j->left, i) : 0;

        sb_index_store(j->left, t, i, rest);
        rest += one;
    }
    return sum.runs > 0 ? SB_OK : SB_SKIP;
}

static sb_status
fill(sb_part *out, job *j, int64_t pieces, const sb_par *par)
{
    const sb_dtype t = j->v->slot_type;
    const piece *all = &j->piece[pieces];
    const int64_t left = get(j, j->left, j->windows * j->b);

    j->off = sb_part_array_new(out, "win_off", t, all->runs + 1);
    j->crd = sb_part_array_new(out, "win_crd", j->v->crd_type, all->slots + left);
    j->lo = sb_part_array_new(out, "win_lo", t, all->runs * j->b);
    j->list = sb_part_array_new(out, "win_rest", t, left);
    j->slots = all->slots;
    if (!j->off || !j->crd || !j->lo || !j->list)
        return SB_ENOMEM;
    sb_par_run(par, fill_pieces, j, 0, pieces, 1);
    for (int64_t w = j->used; w <= j->windows; w++)
        sb_index_store(j->seg, t, w, all->runs);
    sb_index_store(j->off, t, all->runs, all->slots);
    return SB_OK;
}

/* Lists the windows in `order`, which may have one more of the rows that make no window; NULL: as they lie. */
static void
list_windows(job *j, const int32_t *order)
{
    const sb_dtype t = j->v->crd_type;
    const int64_t all = order ? (j->v->rows + j->b - 1) / j->b : 0;
    int64_t n = 0;

    for (int64_t q = 0; q < all; q++)
        if (order[q] < j->used)
            sb_index_store(j->row, t, n++, order[q]);
    for (int64_t w = n; w < j->windows; w++)
        sb_index_store(j->row, t, w, w);
}

static sb_status
build(sb_part *out, sb_cover *cv, int b, const int32_t *order, const sb_par *par)
{
    const sb_view *v = cv->v;
    bool add;
    sb_status st = sb_cover_marks(cv);
    const int64_t windows = v->rows / b, used = sb_cover_rows(cv, &add) / b;
    const int64_t entries = sb_cover_free_entries(cv, used * b);
    const int64_t per = sb_par_piece(v->nnz, windows, PIECE),
                  pieces = (used + per - 1) / per;
    job j = {.v = v,
             .taken = cv->taken,
             .b = b,
             .windows = windows,
             .used = used,
             .per = per};

    SB_TRY(st);
    j.seg = sb_part_array_new(out, "win_seg", v->slot_type, windows + 1);
    j.left = sb_part_array_new(out, "win_left", v->slot_type, windows * b + 1);
    j.row = sb_part_array_new(out, "win_row", v->crd_type, windows);
    j.piece = sb_alloc_zero((size_t)(pieces + 1) * sizeof *j.piece);
    st = j.seg && j.left && j.row && j.piece ? SB_OK : SB_ENOMEM;
    if (st == SB_OK) {
        list_windows(&j, order);
        sb_par_run(par, count_pieces, &j, 0, pieces, 1);
        st = place(&j, pieces);
    }
    if (st == SB_OK)
        st = fill(out, &j, pieces, par);
    for (int64_t q = 0; j.piece && q < pieces; q++)
        sb_free(j.piece[q].run);
    sb_free(j.piece);
    SB_TRY(st);
    sb_cover_rows_done(cv, used * b);
    out->nnz = out->slots = entries;
    cv->rest -= entries;
    out->ngroup = 1;
    out->group[0] = (sb_part_group){0, used, entries, add, add};
    return SB_OK;
}

sb_status
sb_part_win_by(sb_part *out, sb_cover *cv, int b, bool sorted, const int32_t *order,
               const sb_par *par)
{
    sb_status st;

    memset(out, 0, sizeof *out);
    out->kind = SB_PART_WIN;
    out->width = b;
    if (!sorted || b < 2 || b > SB_WINDOW_MAX || !cv->v->crd_in_place || cv->v->pos)
        return SB_SKIP;
    st = build(out, cv, b, order, par);
    if (st != SB_OK)
        sb_part_free(out);
    return st;
}

sb_status
sb_part_win(sb_part *out, sb_cover *cv, int b, bool sorted, const sb_par *par)
{
    return sb_part_win_by(out, cv, b, sorted, NULL, par);
}
