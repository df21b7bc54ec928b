/*
 * Slices of 16 rows, stored column by column: entry s of every row that has one, rows of
 * a slice longest first, so column s holds a prefix of the slice's rows and needs no
 * padding. Rows are ordered by length within windows of SB_SELL_WINDOW only, which keeps the
 * locality of their columns; the list sell_row says whose sum a lane is. Values stay
 * where they are: those of column s are s behind the first of each row, unless a
 * position is wanted for each, to pack them by. Narrow, columns are 16 bits: distances
 * from the middle of those that a window's rows touch.
 */
#include "formats/part.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

typedef struct row_key {
    int64_t len, row;
} row_key;

static int
longest_first(const void *x, const void *y)
{
    const row_key *a = x, *b = y;

    if (a->len != b->len)
        return a->len > b->len ? -1 : 1;
    return a->row < b->row ? -1 : 1;
}

enum { COUNTED = 512 }; /* rows below this length are sorted by counting */

/* The window-th rows in slice order; returns how many. */
static int64_t
order_window(row_key *key, const sb_view *v, int64_t window)
{
    const int64_t first = window * SB_SELL_WINDOW, left = v->rows - first;
    const int64_t n = left < SB_SELL_WINDOW ? left : SB_SELL_WINDOW;
    int64_t at[COUNTED + 1] = {0}; /* by length, the long ones together */
    int64_t sum = 0;

    for (int64_t i = first; i < first + n; i++) {
        const int64_t len = sb_view_lo(v, i + 1) - sb_view_lo(v, i);

        at[len < COUNTED ? len : COUNTED]++;
    }
    for (int q = COUNTED; q >= 0; q--) {
        const int64_t rows = at[q];

        at[q] = sum;
        sum += rows;
    }
    for (int64_t i = first; i < first + n; i++) {
        const int64_t len = sb_view_lo(v, i + 1) - sb_view_lo(v, i);

        key[at[len < COUNTED ? len : COUNTED]++] = (row_key){len, i};
    }
    qsort(key, (size_t)at[COUNTED], sizeof *key, longest_first);
    return n;
}

/* Columns of a slice: the length of its first row. */
static int64_t
count_columns(const row_key *key, int64_t rows)
{
    int64_t columns = 0;

    for (int64_t i = 0; i < rows; i += SB_SELL_ROWS)
        columns += key[i].len;
    return columns;
}

/* Of lengths that are counted, rows of one length lie together: as many of them begin a
 * slice as there are multiples of its rows between the first and the last. */
int64_t
sb_part_sell_columns(const sb_view *v, int64_t window)
{
    const int64_t first = window * SB_SELL_WINDOW, left = v->rows - first;
    const int64_t n = left < SB_SELL_WINDOW ? left : SB_SELL_WINDOW;
    int64_t columns = 0, at = 0, longest = 0, lo = sb_view_lo(v, first);
    int16_t rows[COUNTED] = {0};

    for (int64_t i = first; i < first + n; i++) {
        const int64_t hi = sb_view_lo(v, i + 1), len = hi - lo;

        longest = len > longest ? len : longest;
        if (len < COUNTED)
            rows[len]++;
        lo = hi;
    }
    if (longest >= COUNTED) {
        row_key key[SB_SELL_WINDOW];

        return count_columns(key, order_window(key, v, window));
    }
    for (int64_t len = longest; len > 0; len--) {
        const int64_t end = at + rows[len];

        columns += len * ((end + SB_SELL_ROWS - 1) / SB_SELL_ROWS -
                          (at + SB_SELL_ROWS - 1) / SB_SELL_ROWS);
        at = end;
    }
    return columns;
}

/* The middle of the columns that a window's rows touch; false where they lie too far
 * apart. A narrow matrix is its own window. */
static bool
window_middle(int64_t *middle, const sb_view *v, int64_t window)
{
    const int64_t first = window * SB_SELL_WINDOW, end = first + SB_SELL_WINDOW;
    const int64_t hi = sb_view_lo(v, end < v->rows ? end : v->rows);
    int64_t least = v->cols, most = 0;

    *middle = v->cols / 2;
    if (v->cols <= SB_SELL_NARROW)
        return true;
    for (int64_t p = sb_view_lo(v, first); p < hi; p++) {
        const int64_t c = sb_view_col(v, p);

        least = c < least ? c : least;
        most = c > most ? c : most;
    }
    if (least <= most)
        *middle = least + (most - least + 1) / 2;
    return most - least < SB_SELL_NARROW;
}

bool
sb_part_sell_narrows(const sb_view *v)
{
    int64_t unused;

    for (int64_t w = 0; w * SB_SELL_WINDOW < v->rows; w++)
        if (!window_middle(&unused, v, w))
            return false;
        else if (v->cols <= SB_SELL_NARROW)
            break;
    return true;
}

/* The part's arrays, in the order they are made. */
enum { ROW, COL, FULL, PTR, CRD, VAL, BASE };

static void
store(sb_part *out, int array, int64_t at, int64_t value)
{
    sb_index_store(out->array[array].data, out->array[array].type, at, value);
}

/* Columns of a slice by type: `wide` of the matrix's, `narrow` of the part's are constant
 * where this is inlined. */
SB_INLINE void
fill_columns(sb_part *out, const sb_view *v, const row_key *key, int64_t rows,
             int64_t base, int64_t slot, bool wide, bool narrow)
{
    const int32_t *c32 = v->crd;
    const int64_t *c64 = v->crd;
    int16_t *const to16 = out->array[CRD].data;
    int32_t *const to32 = out->array[CRD].data;
    int64_t *const to64 = out->array[CRD].data;
    int64_t lo[SB_SELL_ROWS];

    for (int64_t r = 0; r < rows; r++)
        lo[r] = sb_view_lo(v, key[r].row);
    base += v->crd_base;
    for (int64_t s = 0; s < key[0].len; s++)
        for (int64_t r = 0; r < rows && key[r].len > s; r++, slot++) {
            const int64_t c = (wide ? c64[lo[r] + s] : c32[lo[r] + s]) - base;

            if (narrow)
                to16[slot] = (int16_t)c;
            else if (wide)
                to64[slot] = c;
            else
                to32[slot] = (int32_t)c;
        }
}

static void
fill_slice(sb_part *out, const sb_view *v, const row_key *key, int64_t rows,
           bool in_place, int64_t base, int64_t *column, int64_t *slot)
{
    const bool wide = v->crd_type == SB_I64;
    const bool narrow = out->array[CRD].type == SB_I16;

    if (narrow && !wide)
        fill_columns(out, v, key, rows, base, *slot, false, true);
    else if (narrow)
        fill_columns(out, v, key, rows, base, *slot, true, true);
    else if (!wide)
        fill_columns(out, v, key, rows, 0, *slot, false, false);
    else
        fill_columns(out, v, key, rows, 0, *slot, true, false);
    for (int64_t s = 0; s < key[0].len; s++) {
        store(out, PTR, (*column)++, *slot);
        for (int64_t r = 0; r < rows && key[r].len > s; r++, ++*slot)
            if (!in_place)
                store(out, VAL, *slot, sb_view_pos(v, sb_view_lo(v, key[r].row) + s));
    }
}

static sb_status
new_arrays(sb_part *out, const sb_view *v, int64_t slices, int64_t columns,
           bool in_place, bool narrow)
{
    if (!sb_part_array_new(out, "sell_row", v->crd_type, v->rows) ||
        !sb_part_array_new(out, "sell_col", v->slot_type, slices + 1) ||
        !sb_part_array_new(out, "sell_full", v->slot_type, slices) ||
        !sb_part_array_new(out, "sell_ptr", v->slot_type, columns + 1) ||
        !sb_part_array_new(out, "sell_crd", narrow ? SB_I16 : v->crd_type, v->nnz) ||
        !sb_part_array_new(out, in_place ? "sell_lo" : "sell_pos", v->slot_type,
                           in_place ? v->rows : v->nnz) ||
        (narrow && !sb_part_array_new(out, "sell_base", v->crd_type, slices)))
        return SB_ENOMEM;
    return SB_OK;
}

/* What threads share: windows are counted, then ordered and filled, apart from each other. */
typedef struct job {
    sb_part *out;
    const sb_view *v;
    bool in_place, narrow;
    int64_t *column; /* by window, before it */
} job;

static void
count_windows(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;

    for (int64_t w = lo; w < hi; w++)
        j->column[w] = sb_part_sell_columns(j->v, w);
}

static void
fill_window(const job *j, int64_t window)
{
    sb_part *out = j->out;
    const sb_view *v = j->v;
    const int64_t first = window * SB_SELL_WINDOW, end = first + SB_SELL_WINDOW;
    int64_t column = j->column[window], slot = sb_view_lo(v, first), base = 0;
    row_key order[SB_SELL_WINDOW];

    (void)order_window(order, v, window);
    if (j->narrow)
        (void)window_middle(&base, v, window);
    for (int64_t lo = first; lo < end && lo < v->rows; lo += SB_SELL_ROWS) {
        const int64_t g = lo / SB_SELL_ROWS, left = v->rows - lo;
        const int64_t rows = left < SB_SELL_ROWS ? left : SB_SELL_ROWS;
        const row_key *key = order + (lo - first);
        const int64_t full = rows < SB_SELL_ROWS ? 0 : key[rows - 1].len;

        if (j->narrow)
            store(out, BASE, g, base);
        store(out, COL, g, column);
        store(out, FULL, g, column + full);
        for (int64_t r = 0; r < rows; r++) {
            store(out, ROW, lo + r, key[r].row);
            if (j->in_place)
                store(out, VAL, lo + r, sb_view_lo(v, key[r].row));
        }
        fill_slice(out, v, key, rows, j->in_place, base, &column, &slot);
    }
}

static void
fill_windows(void *user, int64_t lo, int64_t hi)
{
    for (int64_t w = lo; w < hi; w++)
        fill_window(user, w);
}

static sb_status
build(sb_cover *cv, const job *j, const sb_par *par)
{
    sb_part *out = j->out;
    const sb_view *v = j->v;
    const int64_t slices = (v->rows + SB_SELL_ROWS - 1) / SB_SELL_ROWS;
    const int64_t windows = (v->rows + SB_SELL_WINDOW - 1) / SB_SELL_WINDOW;
    int64_t columns = 0;

    sb_par_run(par, count_windows, (void *)j, 0, windows, 1);
    for (int64_t w = 0; w < windows; w++) {
        const int64_t n = j->column[w];

        j->column[w] = columns;
        columns += n;
    }
    if (new_arrays(out, v, slices, columns, j->in_place, j->narrow) != SB_OK)
        return SB_ENOMEM;
    sb_par_run(par, fill_windows, (void *)j, 0, windows, 1);
    store(out, COL, slices, columns);
    store(out, PTR, columns, v->nnz);
    sb_cover_rows_done(cv, v->rows);
    out->nnz = out->slots = v->nnz;
    out->width = columns;
    out->ngroup = slices > 0;
    out->group[0] = (sb_part_group){0, slices, v->nnz, 0, false};
    cv->rest = 0;
    return SB_OK;
}

sb_status
sb_part_sell(sb_part *out, sb_cover *cv, bool in_place, bool narrow, const sb_par *par)
{
    const sb_view *v = cv->v;
    job j = {out, v, in_place, narrow, NULL};
    sb_status st = SB_ENOMEM;

    memset(out, 0, sizeof *out);
    out->kind = SB_PART_SELL;
    if (sb_cover_begun(cv) || (in_place && v->pos))
        return SB_SKIP;
    j.column = sb_alloc_array(v->rows / SB_SELL_WINDOW + 1, sizeof *j.column);
    if (j.column)
        st = build(cv, &j, par);
    sb_free(j.column);
    if (st != SB_OK) {
        sb_part_free(out);
        sb_cover_free(cv);
    }
    return st;
}

sb_status
sb_part_sell_one(sb_part *p)
{
    sb_part_array *a = &p->array[VAL];
    const size_t size = sb_dtype_size(a->type);
    void *one = sb_alloc_array(1, size);

    SB_ASSERT(p->kind == SB_PART_SELL && strcmp(a->name, "sell_val") == 0);
    if (!one)
        return SB_ENOMEM;
    memcpy(one, a->data, size);
    sb_free(a->data);
    a->data = one;
    a->count = 1;
    return SB_OK;
}
