/*
 * Windows of b neighbouring rows once more, for columns that the rows share one by one
 * (part_win.c wants runs): a list of the columns that all b rows hold, and beside each
 * its b values, or where they are. Distances are known when the kernel is compiled, so
 * that eight rows need one address where part win needs nine, and a column alone is
 * worth taking. Packed, it has BSR's inner loop without blocks or padding.
 *
 * Entries that not all rows of a window hold follow, row by row, and are added while
 * the window's sums are in registers. The part owns all entries of all full windows that
 * no other part has taken, in one group.
 * Source: as part_win.c; the layout is BCSR's with blocks of b x 1.
 */
#include "formats/window.h"

#include "base/alloc.h"

#include <string.h>

static int64_t
shared_columns(const sb_view *v, const uint8_t *taken, int64_t window, int b)
{
    int64_t columns = 0;
    sb_window sc;

    sb_window_begin(&sc, v, taken, window, b);
    while (sb_window_align(&sc)) {
        for (int r = 0; r < b; r++)
            sc.at[r]++;
        columns++;
    }
    return columns;
}

int64_t
sb_part_share_columns(const sb_view *v, int64_t window, int b)
{
    return shared_columns(v, NULL, window, b);
}

/* Columns before every window, the first `used` of which have some; returns all. */
static int64_t
count_columns(void *seg, const sb_cover *cv, int64_t used, int b)
{
    const sb_view *v = cv->v;
    int64_t columns = 0;

    for (int64_t w = 0; w < v->rows / b; w++) {
        sb_index_store(seg, v->slot_type, w, columns);
        if (w < used)
            columns += shared_columns(v, cv->taken, w, b);
    }
    sb_index_store(seg, v->slot_type, v->rows / b, columns);
    return columns;
}

/* Where the arrays are written on: shared columns, and entries left in rows. */
typedef struct fill {
    const uint8_t *taken;
    void *crd, *pos, *left;
    int64_t columns, rest; /* before this window */
    int64_t all;           /* columns of all windows */
} fill;

static void
put_rest(fill *f, const sb_view *v, int b, int64_t p)
{
    sb_index_store(f->crd, v->crd_type, f->all + f->rest, sb_view_col(v, p));
    sb_index_store(f->pos, v->slot_type, f->all * b + f->rest, sb_view_pos(v, p));
    f->rest++;
}

static void
fill_window(fill *f, const sb_view *v, int64_t window, int b)
{
    const int64_t first = f->columns;
    sb_window sc;

    sb_window_begin(&sc, v, f->taken, window, b);
    while (sb_window_align(&sc)) {
        sb_index_store(f->crd, v->crd_type, f->columns, sb_view_col(v, sc.at[0]));
        for (int r = 0; r < b; r++)
            sb_index_store(f->pos, v->slot_type, f->columns * b + r,
                           sb_view_pos(v, sc.at[r]++));
        f->columns++;
    }
    for (int r = 0; r < b; r++) {
        const int64_t i = window * b + r;
        int64_t s = first;

        sb_index_store(f->left, v->slot_type, i, f->rest);
        for (int64_t p = sb_view_lo(v, i); p < sb_view_lo(v, i + 1); p++)
            if (f->taken && f->taken[p])
                continue;
            else if (s < f->columns &&
                     sb_index(f->crd, v->crd_type, s) == sb_view_col(v, p))
                s++;
            else
                put_rest(f, v, b, p);
    }
}

static sb_status
build(sb_part *out, sb_cover *cv, int b)
{
    const sb_view *v = cv->v;
    const sb_dtype t = v->slot_type;
    bool add;
    const int64_t windows = v->rows / b, used = sb_cover_rows(cv, &add) / b;
    const int64_t entries = sb_cover_free_entries(cv, used * b);
    void *seg = sb_part_array_new(out, "share_seg", t, windows + 1);
    fill f = {0};

    if (!seg)
        return SB_ENOMEM;
    f.all = count_columns(seg, cv, used, b);
    if (f.all == 0)
        return SB_SKIP;
    f.left = sb_part_array_new(out, "share_left", t, windows * b + 1);
    f.crd = sb_part_array_new(out, "share_crd", v->crd_type, entries - f.all * (b - 1));
    f.pos = sb_part_array_new(out, "share_pos", t, entries);
    if (!f.left || !f.crd || !f.pos || sb_cover_open(cv) != SB_OK)
        return SB_ENOMEM;
    f.taken = cv->taken;
    for (int64_t w = 0; w < used; w++)
        fill_window(&f, v, w, b);
    for (int64_t i = used * b; i <= windows * b; i++)
        sb_index_store(f.left, t, i, f.rest);
    memset(cv->taken, 1, (size_t)sb_view_lo(v, used * b));
    memset(cv->touched, 1, (size_t)(used * b));
    out->nnz = out->slots = entries;
    cv->rest -= entries;
    out->ngroup = 1;
    out->group[0] = (sb_part_group){0, used, entries, add, add};
    return SB_OK;
}

sb_status
sb_part_share(sb_part *out, sb_cover *cv, int b, bool sorted)
{
    sb_status st;

    memset(out, 0, sizeof *out);
    out->kind = SB_PART_SHARE;
    out->width = b;
    if (!sorted || b < 2 || b > SB_WINDOW_MAX || cv->v->block > 1)
        return SB_SKIP;
    st = build(out, cv, b);
    if (st != SB_OK)
        sb_part_free(out);
    return st;
}
