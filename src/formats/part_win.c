/*
 * Windows of b neighbouring rows that share runs of columns: where all b rows hold the
 * same columns in consecutive slots, one load of a row of B serves b rows of C, and one
 * column index serves b entries. Nothing is copied: the values of a run stay where they
 * are, run s of row r at slots win_lo[s * b + r] and following. Finite-element matrices
 * (rows of one node), blocks of any width, bands and attention masks (shifted rows
 * overlap) are all of this form; padding does not exist.
 *
 * Entries that not all rows of a window share are listed row by row, win_rest, so that
 * they are added while the window's sums are in registers. The part owns all entries of
 * all full windows that no other part has taken, in one group.
 * Source: register blocking over rows as in BSR, row windows of gpu.md S5, with the
 * fill taken out.
 */
#include "formats/window.h"

#include "base/alloc.h"

#include <string.h>

enum { MINRUN = 2, PIECE = 16 /* windows */ };

static int64_t
run_length(const sb_window *sc)
{
    int64_t len = sc->end[0] - sc->at[0];

    for (int r = 1; r < sc->b; r++)
        if (sc->end[r] - sc->at[r] < len)
            len = sc->end[r] - sc->at[r];
    for (int64_t s = 1; s < len; s++) {
        const int64_t j = sb_view_col(sc->v, sc->at[0] + s);

        for (int r = 0; r < sc->b; r++)
            if (sb_view_col(sc->v, sc->at[r] + s) != j ||
                (sc->taken && sc->taken[sc->at[r] + s]))
                return s;
    }
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
    int64_t *len, *lo;   /* a run's slots, and where they begin in b rows */
    int64_t end[PIECE];  /* past a window's runs */
} piece;

/* What threads share: pieces are counted and filled apart from each other. */
typedef struct job {
    const sb_view *v;
    const uint8_t *taken;
    int b;
    int64_t windows, used; /* all, and those that have runs */
    piece *piece;
    int64_t *rest; /* by row: entries in no run, then those before it */
    void *seg, *off, *lo, *left, *list;
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

static void
find_runs(const job *j, piece *to, int64_t w)
{
    const int b = j->b;
    int64_t slots = 0;
    sb_window sc;

    sb_window_begin(&sc, j->v, j->taken, w, b);
    for (int64_t len = scan_next(&sc); len > 0; len = scan_next(&sc)) {
        to->len[to->runs] = len;
        for (int r = 0; r < b; r++)
            to->lo[to->runs * b + r] = sc.at[r] - len;
        to->runs++;
        slots += len;
    }
    to->slots += slots;
    for (int r = 0; r < b; r++)
        j->rest[w * b + r] = free_entries(j, w * b + r) - slots;
}

static void
count_pieces(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;

    for (int64_t q = lo; q < hi; q++) {
        const int64_t from = q * PIECE, past = from + PIECE;
        const int64_t end = past < j->used ? past : j->used;
        const int64_t entries =
            sb_view_lo(j->v, end * j->b) - sb_view_lo(j->v, from * j->b);
        piece *to = &j->piece[q];

        to->len = sb_alloc_array(entries / (MINRUN * j->b), sizeof *to->len);
        to->lo = sb_alloc_array(entries / MINRUN, sizeof *to->lo);
        for (int64_t w = from; to->len && to->lo && w < end; w++) {
            find_runs(j, to, w);
            to->end[w - from] = to->runs;
        }
    }
}

/* What lies between the runs [s, end) of row r of a window, whose places are `lo`. */
static void
fill_row(const job *j, int64_t w, int r, const piece *p, int64_t s, int64_t end)
{
    const int64_t i = w * j->b + r, hi = sb_view_lo(j->v, i + 1);
    int64_t n = j->rest[i];

    for (int64_t slot = sb_view_lo(j->v, i); slot < hi;) {
        if (s < end && p->lo[s * j->b + r] == slot) {
            slot += p->len[s++];
            continue;
        }
        if (!(j->taken && j->taken[slot]))
            sb_index_store(j->list, j->v->slot_type, n++, slot);
        slot++;
    }
}

static void
fill_pieces(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;
    const sb_dtype t = j->v->slot_type;

    for (int64_t q = lo; q < hi; q++) {
        const piece *p = &j->piece[q];
        const int64_t runs = p[1].runs - p->runs;
        int64_t slots = p->slots;

        for (int64_t s = 0; s < runs; s++) {
            sb_index_store(j->off, t, p->runs + s, slots);
            slots += p->len[s];
        }
        for (int64_t s = 0; s < runs * j->b; s++)
            sb_index_store(j->lo, t, p->runs * j->b + s, p->lo[s]);
        for (int64_t w = 0; w < PIECE && q * PIECE + w < j->used; w++) {
            const int64_t first = w > 0 ? p->end[w - 1] : 0;

            sb_index_store(j->seg, t, q * PIECE + w, p->runs + first);
            for (int r = 0; r < j->b; r++)
                fill_row(j, q * PIECE + w, r, p, first, p->end[w]);
        }
    }
}

/* From counts to what lies before each piece and row; rows not used have nothing. */
static sb_status
place(job *j, int64_t pieces)
{
    piece sum = {0};
    int64_t rest = 0;

    for (int64_t q = 0; q <= pieces; q++) {
        const piece one = j->piece[q];

        if (q < pieces && (!one.len || !one.lo))
            return SB_ENOMEM;
        j->piece[q].runs = sum.runs;
        j->piece[q].slots = sum.slots;
        sum.runs += one.runs;
        sum.slots += one.slots;
    }
    for (int64_t i = 0; i <= j->windows * j->b; i++) {
        const int64_t one = i < j->used * j->b ? j->rest[i] : 0;

        j->rest[i] = rest;
        rest += one;
    }
    return sum.runs > 0 ? SB_OK : SB_SKIP;
}

static sb_status
fill(sb_part *out, sb_cover *cv, job *j, int64_t pieces, const sb_par *par)
{
    const sb_dtype t = j->v->slot_type;
    const piece *all = &j->piece[pieces];
    const int64_t rows = j->windows * j->b;

    j->off = sb_part_array_new(out, "win_off", t, all->runs + 1);
    j->lo = sb_part_array_new(out, "win_lo", t, all->runs * j->b);
    j->left = sb_part_array_new(out, "win_left", t, rows + 1);
    j->list = sb_part_array_new(out, "win_rest", t, j->rest[rows]);
    if (!j->off || !j->lo || !j->left || !j->list || sb_cover_open(cv) != SB_OK)
        return SB_ENOMEM;
    sb_par_run(par, fill_pieces, j, 0, pieces, 1);
    for (int64_t w = j->used; w <= j->windows; w++)
        sb_index_store(j->seg, t, w, all->runs);
    sb_index_store(j->off, t, all->runs, all->slots);
    for (int64_t i = 0; i <= rows; i++)
        sb_index_store(j->left, t, i, j->rest[i]);
    return SB_OK;
}

static sb_status
build(sb_part *out, sb_cover *cv, int b, const sb_par *par)
{
    const sb_view *v = cv->v;
    bool add;
    const int64_t windows = v->rows / b, used = sb_cover_rows(cv, &add) / b;
    const int64_t entries = sb_cover_free_entries(cv, used * b);
    const int64_t pieces = (used + PIECE - 1) / PIECE;
    job j = {.v = v, .taken = cv->taken, .b = b, .windows = windows, .used = used};
    sb_status st = SB_ENOMEM;

    j.seg = sb_part_array_new(out, "win_seg", v->slot_type, windows + 1);
    j.piece = sb_alloc_zero((size_t)(pieces + 1) * sizeof *j.piece);
    j.rest = sb_alloc_array(windows * b + 1, sizeof *j.rest);
    if (j.seg && j.piece && j.rest) {
        sb_par_run(par, count_pieces, &j, 0, pieces, 1);
        st = place(&j, pieces);
    }
    if (st == SB_OK)
        st = fill(out, cv, &j, pieces, par);
    for (int64_t q = 0; j.piece && q < pieces; q++) {
        sb_free(j.piece[q].len);
        sb_free(j.piece[q].lo);
    }
    sb_free(j.piece);
    sb_free(j.rest);
    SB_TRY(st);
    memset(cv->taken, 1, (size_t)sb_view_lo(v, used * b));
    memset(cv->touched, 1, (size_t)(used * b));
    out->nnz = out->slots = entries;
    cv->rest -= entries;
    out->ngroup = 1;
    out->group[0] = (sb_part_group){0, used, entries, add, add};
    return SB_OK;
}

sb_status
sb_part_win(sb_part *out, sb_cover *cv, int b, bool sorted, const sb_par *par)
{
    sb_status st;

    memset(out, 0, sizeof *out);
    out->kind = SB_PART_WIN;
    out->width = b;
    if (!sorted || b < 2 || b > SB_WINDOW_MAX || !cv->v->crd_in_place || cv->v->pos)
        return SB_SKIP;
    st = build(out, cv, b, par);
    if (st != SB_OK)
        sb_part_free(out);
    return st;
}
