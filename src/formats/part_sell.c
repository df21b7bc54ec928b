/*
 * Slices of 16 rows, stored column by column: entry s of every row that has one, rows of
 * a slice longest first, so column s holds a prefix of the slice's rows and needs no
 * padding. Rows are ordered by length within windows of 512 only, which keeps the
 * locality of their columns; the list sell_row says whose sum a lane is.
 */
#include "formats/part.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

enum { WINDOW = 512 };

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

/* All rows in slice order. */
static void
order_rows(row_key *key, const sb_view *v)
{
    for (int64_t i = 0; i < v->rows; i++)
        key[i] = (row_key){sb_view_lo(v, i + 1) - sb_view_lo(v, i), i};
    for (int64_t lo = 0; lo < v->rows; lo += WINDOW) {
        const int64_t n = v->rows - lo < WINDOW ? v->rows - lo : WINDOW;

        qsort(key + lo, (size_t)n, sizeof *key, longest_first);
    }
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

static void
fill_slice(sb_part *out, const sb_view *v, const row_key *key, int64_t rows,
           int64_t *column, int64_t *slot)
{
    sb_part_array *a = out->array;

    for (int64_t s = 0; s < key[0].len; s++) {
        sb_index_store(a[2].data, a[2].type, (*column)++, *slot);
        for (int64_t r = 0; r < rows && key[r].len > s; r++) {
            const int64_t p = sb_view_lo(v, key[r].row) + s;

            sb_index_store(a[3].data, a[3].type, *slot, sb_view_col(v, p));
            sb_index_store(a[4].data, a[4].type, (*slot)++, sb_view_pos(v, p));
        }
    }
}

static sb_status
build(sb_part *out, sb_cover *cv, row_key *key)
{
    const sb_view *v = cv->v;
    const int64_t slices = (v->rows + SB_SELL_ROWS - 1) / SB_SELL_ROWS;
    int64_t columns, column = 0, slot = 0;

    order_rows(key, v);
    columns = count_columns(key, v->rows);
    if (!sb_part_array_new(out, "sell_row", v->crd_type, v->rows) ||
        !sb_part_array_new(out, "sell_col", v->slot_type, slices + 1) ||
        !sb_part_array_new(out, "sell_ptr", v->slot_type, columns + 1) ||
        !sb_part_array_new(out, "sell_crd", v->crd_type, v->nnz) ||
        !sb_part_array_new(out, "sell_pos", v->slot_type, v->nnz) ||
        !(cv->touched = sb_alloc_array(v->rows, 1)))
        return SB_ENOMEM;
    for (int64_t g = 0; g < slices; g++) {
        const int64_t lo = g * SB_SELL_ROWS, left = v->rows - lo;
        const int64_t rows = left < SB_SELL_ROWS ? left : SB_SELL_ROWS;

        sb_index_store(out->array[1].data, v->slot_type, g, column);
        for (int64_t r = 0; r < rows; r++)
            sb_index_store(out->array[0].data, v->crd_type, lo + r, key[lo + r].row);
        fill_slice(out, v, key + lo, rows, &column, &slot);
    }
    sb_index_store(out->array[1].data, v->slot_type, slices, column);
    sb_index_store(out->array[2].data, v->slot_type, column, slot);
    memset(cv->touched, 1, (size_t)v->rows);
    out->nnz = out->slots = v->nnz;
    out->width = columns;
    out->ngroup = slices > 0;
    out->group[0] = (sb_part_group){0, slices, v->nnz, 0, false};
    cv->rest = 0;
    return SB_OK;
}

sb_status
sb_part_sell(sb_part *out, sb_cover *cv)
{
    row_key *key;
    sb_status st;

    memset(out, 0, sizeof *out);
    out->kind = SB_PART_SELL;
    if (cv->taken || cv->touched)
        return SB_SKIP;
    key = sb_alloc_array(cv->v->rows, sizeof *key);
    st = key ? build(out, cv, key) : SB_ENOMEM;
    sb_free(key);
    if (st != SB_OK) {
        sb_part_free(out);
        sb_cover_free(cv);
    }
    return st;
}
