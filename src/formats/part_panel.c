/*
 * Panels: columns are cut into panels of `width`, rows into a few blocks. A block visits
 * panel after panel, so the rows of B that a panel gathers from stay in the near caches
 * while all rows of the block use them. A unit is the segment of a row inside a panel;
 * those of one panel are sorted by length, so that the loop over a segment ends where
 * the last one did. Columns are copied in that order, values are read in place.
 *
 * The sum of a row follows panels, then lengths, then its own order, whatever the blocks
 * are; rows need not be sorted (a panel then has several segments of a row).
 * Source: column panels of propagation blocking.
 */
#include "formats/part.h"

#include "base/alloc.h"
#include "formats/stats.h"

#include <string.h>

/* Segments of KEYS slots and longer are not told apart. More panels than entries hold
 * nothing, and columns may be countless. */
enum { KEYS = 1024, MOST_PANELS = 4096 };
/* Entries of a sorted row that are passed at once. */
enum { STRIDE = 8 };

typedef struct segment {
    int64_t row, lo, len;
} segment;

typedef struct builder {
    const sb_view *v;
    bool sorted;
    int64_t width, panels, blocks;
    int64_t *row0, *unit0; /* by block, and one */
    int64_t *place;        /* by block and panel: segments, then where they go */
    segment *by_panel,
        *by_length; /* all; a panel's at a time, from its block's start */
    sb_part_array *a;
} builder;

enum { ROW0, PTR, ROW, LO, OFF, CRD };

static bool
within(const builder *b, int64_t slot, int64_t first)
{
    return (uint64_t)(sb_view_col(b->v, slot) - first) < (uint64_t)b->width;
}

/* The segment that begins at slot lo of a row that ends at `end`. Columns of the caller
 * outside the matrix must not lead outside our arrays. */
static segment
segment_at(const builder *b, int64_t row, int64_t lo, int64_t end, int64_t *panel)
{
    const int64_t col = sb_view_col(b->v, lo);
    int64_t hi = lo + 1, first;

    *panel = col < 0 ? 0 : col >= b->v->cols ? b->panels - 1 : col / b->width;
    first = *panel * b->width;
    if (!b->sorted) {
        while (hi < end && within(b, hi, first))
            hi++;
        return (segment){row, lo, hi - lo};
    }
    while (hi + STRIDE <= end && within(b, hi + STRIDE - 1, first))
        hi += STRIDE;
    for (int64_t step = STRIDE / 2; step > 0; step /= 2)
        if (hi + step <= end && within(b, hi + step - 1, first))
            hi += step;
    return (segment){row, lo, hi - lo};
}

/* Segments of block g in the rows' order: counted by panel, or put where place says. */
static void
walk_block(const builder *b, int64_t g, segment *out)
{
    int64_t *place = b->place + g * b->panels;
    int64_t lo = sb_view_lo(b->v, b->row0[g]), panel;

    for (int64_t i = b->row0[g]; i < b->row0[g + 1]; i++)
        for (const int64_t end = sb_view_lo(b->v, i + 1); lo < end;) {
            const segment s = segment_at(b, i, lo, end, &panel);

            if (out)
                out[place[panel]] = s;
            place[panel]++;
            lo += s.len;
        }
}

static void
count_blocks(void *user, int64_t first, int64_t last)
{
    const builder *b = user;

    for (int64_t g = first; g < last; g++) {
        int64_t *place = b->place + g * b->panels, at = 0;

        memset(place, 0, (size_t)b->panels * sizeof *place);
        walk_block(b, g, NULL);
        for (int64_t q = 0; q < b->panels; q++) {
            const int64_t n = place[q];

            place[q] = at;
            at += n;
        }
        b->unit0[g + 1] = at;
    }
}

/* Stable, short ones first. */
static void
sort_lengths(segment *to, const segment *from, int64_t n)
{
    int64_t place[KEYS], keys = 0, at = 0;

    for (int64_t q = 0; q < n; q++)
        keys = from[q].len > keys ? from[q].len : keys;
    keys = keys < KEYS ? keys + 1 : KEYS;
    memset(place, 0, (size_t)keys * sizeof *place);
    for (int64_t q = 0; q < n; q++)
        place[from[q].len < KEYS ? from[q].len : KEYS - 1]++;
    for (int64_t k = 0; k < keys; k++) {
        const int64_t count = place[k];

        place[k] = at;
        at += count;
    }
    for (int64_t q = 0; q < n; q++)
        to[place[from[q].len < KEYS ? from[q].len : KEYS - 1]++] = from[q];
}

/* The columns of a segment, from `slot` on. */
static void
copy_columns(const builder *b, int64_t slot, const segment *s)
{
    const sb_view *v = b->v;
    const sb_part_array *to = &b->a[CRD];
    const size_t size = sb_dtype_size(to->type);

    if (v->crd_base == 0) {
        memcpy((char *)to->data + (size_t)slot * size,
               (const char *)v->crd + (size_t)s->lo * size, (size_t)s->len * size);
        return;
    }
    for (int64_t t = 0; t < s->len; t++)
        sb_index_store(to->data, to->type, slot + t, sb_view_col(v, s->lo + t));
}

/* Units [u, u + n) from their segments; returns the slot behind. */
static int64_t
fill_units(const builder *b, int64_t u, const segment *s, int64_t n, int64_t slot)
{
    sb_part_array *a = b->a;

    for (const segment *end = s + n; s < end; s++, u++) {
        sb_index_store(a[ROW].data, a[ROW].type, u, s->row);
        sb_index_store(a[LO].data, a[LO].type, u, s->lo);
        sb_index_store(a[OFF].data, a[OFF].type, u, slot);
        copy_columns(b, slot, s);
        slot += s->len;
    }
    return slot;
}

/* A block's slots begin where those of its rows do. */
static void
fill_blocks(void *user, int64_t first, int64_t last)
{
    const builder *b = user;

    for (int64_t g = first; g < last; g++) {
        const int64_t *end = b->place + g * b->panels; /* once the walk is over */
        segment *x = b->by_panel + b->unit0[g], *y = b->by_length + b->unit0[g];
        int64_t slot = sb_view_lo(b->v, b->row0[g]), at = 0;

        sb_index_store(b->a[ROW0].data, b->a[ROW0].type, g, b->row0[g]);
        sb_index_store(b->a[PTR].data, b->a[PTR].type, g, b->unit0[g]);
        walk_block(b, g, x);
        for (int64_t q = 0; q < b->panels; at = end[q++]) {
            sort_lengths(y, x + at, end[q] - at);
            slot = fill_units(b, b->unit0[g] + at, y, end[q] - at, slot);
        }
    }
}

/* Equal shares of rows and entries. */
static void
cut_blocks(builder *b)
{
    const int64_t work = b->v->rows + b->v->nnz;

    for (int64_t g = 0; g <= b->blocks; g++)
        b->row0[g] = g == b->blocks
                         ? b->v->rows
                         : sb_view_row_at(b->v, work / b->blocks * g +
                                                    work % b->blocks * g / b->blocks);
}

static sb_status
arrays(sb_part *out, builder *b)
{
    const sb_view *v = b->v;
    const int64_t units = b->unit0[b->blocks];

    b->by_panel = sb_alloc_array(units, sizeof *b->by_panel);
    b->by_length = sb_alloc_array(units, sizeof *b->by_length);
    b->a = out->array;
    return b->by_panel && b->by_length &&
                   sb_part_array_new(out, "panel_row0", v->crd_type, b->blocks + 1) &&
                   sb_part_array_new(out, "panel_ptr", v->slot_type, b->blocks + 1) &&
                   sb_part_array_new(out, "panel_row", v->crd_type, units) &&
                   sb_part_array_new(out, "panel_lo", v->slot_type, units) &&
                   sb_part_array_new(out, "panel_off", v->slot_type, units + 1) &&
                   sb_part_array_new(out, "panel_crd", v->crd_type, v->nnz)
               ? SB_OK
               : SB_ENOMEM;
}

static sb_status
build(sb_part *out, sb_cover *cv, builder *b, const sb_par *par)
{
    const sb_view *v = b->v;

    b->row0 = sb_alloc_array(b->blocks + 1, sizeof *b->row0);
    b->unit0 = sb_alloc_array(b->blocks + 1, sizeof *b->unit0);
    b->place = sb_alloc_array(b->blocks * b->panels, sizeof *b->place);
    if (!b->row0 || !b->unit0 || !b->place)
        return SB_ENOMEM;
    cut_blocks(b);
    b->unit0[0] = 0;
    sb_par_run(par, count_blocks, b, 0, b->blocks, 1);
    for (int64_t g = 0; g < b->blocks; g++)
        b->unit0[g + 1] += b->unit0[g];
    SB_TRY(arrays(out, b));
    sb_par_run(par, fill_blocks, b, 0, b->blocks, 1);
    sb_index_store(b->a[ROW0].data, v->crd_type, b->blocks, v->rows);
    sb_index_store(b->a[PTR].data, v->slot_type, b->blocks, b->unit0[b->blocks]);
    sb_index_store(b->a[OFF].data, v->slot_type, b->unit0[b->blocks], v->nnz);
    sb_cover_rows_done(cv, v->rows);
    out->nnz = out->slots = v->nnz;
    out->ngroup = v->rows > 0;
    out->group[0] = (sb_part_group){0, b->blocks, v->nnz, 0, false};
    cv->rest = 0;
    return SB_OK;
}

sb_status
sb_part_panel(sb_part *out, sb_cover *cv, int64_t width, int64_t blocks, bool sorted,
              const sb_par *par)
{
    builder b = {.v = cv->v, .sorted = sorted, .width = width};
    sb_status st;

    memset(out, 0, sizeof *out);
    out->kind = SB_PART_PANEL;
    out->width = width;
    if (width < 1 || blocks < 1 || !cv->v->crd_in_place || cv->v->pos ||
        sb_cover_begun(cv))
        return SB_SKIP;
    if (cv->v->cols / width > MOST_PANELS + cv->v->nnz)
        return SB_SKIP;
    b.panels = cv->v->cols / width + 1;
    b.blocks = blocks;
    st = build(out, cv, &b, par);
    sb_free(b.row0);
    sb_free(b.unit0);
    sb_free(b.by_panel);
    sb_free(b.by_length);
    sb_free(b.place);
    if (st != SB_OK) {
        sb_part_free(out);
        sb_cover_free(cv);
    }
    return st;
}
