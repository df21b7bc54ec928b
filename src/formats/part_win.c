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

enum { MINRUN = 2 };

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

/* The first `used` windows have runs. */
static void
count_runs(void *seg, const sb_cover *cv, int64_t used, int b, int64_t *runs,
           int64_t *slots)
{
    const sb_view *v = cv->v;
    const int64_t windows = v->rows / b;

    *runs = *slots = 0;
    for (int64_t w = 0; w < windows; w++) {
        sb_window sc;

        sb_index_store(seg, v->slot_type, w, *runs);
        if (w >= used)
            continue;
        sb_window_begin(&sc, v, cv->taken, w, b);
        for (int64_t len = scan_next(&sc); len > 0; len = scan_next(&sc)) {
            (*runs)++;
            *slots += len;
        }
    }
    sb_index_store(seg, v->slot_type, windows, *runs);
}

static void
fill_runs(const sb_cover *cv, void *off, void *lo, int64_t used, int b)
{
    const sb_view *v = cv->v;
    int64_t s = 0, slots = 0;

    for (int64_t w = 0; w < used; w++) {
        sb_window sc;

        sb_window_begin(&sc, v, cv->taken, w, b);
        for (int64_t len = scan_next(&sc); len > 0; len = scan_next(&sc)) {
            sb_index_store(off, v->slot_type, s, slots);
            for (int r = 0; r < b; r++)
                sb_index_store(lo, v->slot_type, s * b + r, sc.at[r] - len);
            s++;
            slots += len;
        }
    }
    sb_index_store(off, v->slot_type, s, slots);
}

/* What lies between the runs of each row; a row that is not used has nothing. */
static void
fill_rest(const sb_cover *cv, sb_part *p, int64_t used, int b)
{
    const sb_view *v = cv->v;
    const sb_dtype t = v->slot_type;
    const void *seg = sb_part_find(p, "win_seg")->data;
    const void *off = sb_part_find(p, "win_off")->data;
    const void *lo = sb_part_find(p, "win_lo")->data;
    void *left = sb_part_find(p, "win_left")->data;
    void *rest = sb_part_find(p, "win_rest")->data;
    int64_t n = 0;

    for (int64_t i = 0; i < v->rows / b * b; i++) {
        const int64_t hi = sb_view_lo(v, i + 1);
        int64_t s = sb_index(seg, t, i / b);
        const int64_t end = sb_index(seg, t, i / b + 1);

        sb_index_store(left, t, i, n);
        if (i >= used * b)
            continue;
        for (int64_t slot = sb_view_lo(v, i); slot < hi;) {
            if (s < end && sb_index(lo, t, s * b + i % b) == slot) {
                slot += sb_index(off, t, s + 1) - sb_index(off, t, s);
                s++;
                continue;
            }
            if (!(cv->taken && cv->taken[slot]))
                sb_index_store(rest, t, n++, slot);
            slot++;
        }
    }
    sb_index_store(left, t, v->rows / b * b, n);
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

static sb_status
build(sb_part *out, sb_cover *cv, int b)
{
    const sb_view *v = cv->v;
    const sb_dtype t = v->slot_type;
    bool add;
    const int64_t windows = v->rows / b, used = sb_cover_rows(cv, &add) / b;
    const int64_t entries = sb_cover_free_entries(cv, used * b);
    void *seg = sb_part_array_new(out, "win_seg", t, windows + 1);
    void *off, *lo;
    int64_t runs, slots;

    if (!seg)
        return SB_ENOMEM;
    count_runs(seg, cv, used, b, &runs, &slots);
    if (runs == 0)
        return SB_SKIP;
    off = sb_part_array_new(out, "win_off", t, runs + 1);
    lo = sb_part_array_new(out, "win_lo", t, runs * b);
    if (!off || !lo || !sb_part_array_new(out, "win_left", t, windows * b + 1) ||
        !sb_part_array_new(out, "win_rest", t, entries - slots * b) ||
        sb_cover_open(cv) != SB_OK)
        return SB_ENOMEM;
    fill_runs(cv, off, lo, used, b);
    fill_rest(cv, out, used, b);
    memset(cv->taken, 1, (size_t)sb_view_lo(v, used * b));
    memset(cv->touched, 1, (size_t)(used * b));
    out->nnz = out->slots = entries;
    cv->rest -= entries;
    out->ngroup = 1;
    out->group[0] = (sb_part_group){0, used, entries, add, add};
    return SB_OK;
}

sb_status
sb_part_win(sb_part *out, sb_cover *cv, int b, bool sorted)
{
    sb_status st;

    memset(out, 0, sizeof *out);
    out->kind = SB_PART_WIN;
    out->width = b;
    if (!sorted || b < 2 || b > SB_WINDOW_MAX || !cv->v->crd_in_place || cv->v->pos)
        return SB_SKIP;
    st = build(out, cv, b);
    if (st != SB_OK)
        sb_part_free(out);
    return st;
}
