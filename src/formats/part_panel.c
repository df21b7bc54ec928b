/*
 * Panels: columns are cut into panels of `width`, rows into a few blocks. A block visits
 * panel after panel, so the rows of B that a panel gathers from stay in the near caches
 * while all rows of the block use them. A unit is the segment of a row inside a panel;
 * those of one panel are sorted by length, so that the loop over a segment ends where
 * the last one did. Columns are copied in that order, values are read in place.
 *
 * The sum of a row follows panels, then lengths, then its own order, whatever the blocks
 * are; rows need not be sorted (a panel then has several segments of a row).
 * Source: column panels of propagation blocking and of cpu.md section 5.
 */
#include "formats/part.h"

#include "base/alloc.h"
#include "formats/stats.h"

#include <string.h>

enum { KEYS = 1024 }; /* segments of KEYS slots and longer are not told apart */

typedef struct segment {
    int64_t row, lo, len, panel;
} segment;

typedef struct builder {
    const sb_view *v;
    int64_t width, panels, blocks;
    int64_t *row0, *unit0; /* by block, and one */
    segment *by_row, *by_len;
    int64_t *place; /* for every block: counts of KEYS lengths or of all panels */
    sb_part_array *a;
} builder;

enum { ROW0, PTR, ROW, LO, OFF, CRD };

static int64_t
key_of(int64_t len)
{
    return len < KEYS ? len : KEYS - 1;
}

/* The segment that begins at slot lo of a row that ends at `end`. Columns of the caller
 * outside the matrix must not lead outside our arrays. */
static segment
segment_at(const builder *b, int64_t row, int64_t lo, int64_t end)
{
    const int64_t col = sb_view_col(b->v, lo);
    const int64_t panel = col < 0             ? 0
                          : col >= b->v->cols ? b->panels - 1
                                              : col / b->width;
    const int64_t first = panel * b->width;
    int64_t hi = lo + 1;

    while (hi < end && sb_view_col(b->v, hi) >= first &&
           sb_view_col(b->v, hi) - first < b->width)
        hi++;
    return (segment){row, lo, hi - lo, panel};
}

/* Segments of the rows of block g, in their order; only counted when `out` is NULL. */
static int64_t
segments_of(const builder *b, int64_t g, segment *out)
{
    int64_t lo = sb_view_lo(b->v, b->row0[g]), n = 0;

    for (int64_t i = b->row0[g]; i < b->row0[g + 1]; i++)
        for (const int64_t end = sb_view_lo(b->v, i + 1); lo < end; n++) {
            const segment s = segment_at(b, i, lo, end);

            if (out)
                out[n] = s;
            lo += s.len;
        }
    return n;
}

static void
count_blocks(void *user, int64_t first, int64_t last)
{
    const builder *b = user;

    for (int64_t g = first; g < last; g++)
        b->unit0[g + 1] = segments_of(b, g, NULL);
}

/* Stable: `to` is `from` by panel, or by length. */
static void
sort_segments(segment *to, const segment *from, int64_t n, int64_t *place, int64_t keys,
              bool by_panel)
{
    int64_t at = 0;

    memset(place, 0, (size_t)keys * sizeof *place);
    for (int64_t q = 0; q < n; q++)
        place[by_panel ? from[q].panel : key_of(from[q].len)]++;
    for (int64_t k = 0; k < keys; k++) {
        const int64_t count = place[k];

        place[k] = at;
        at += count;
    }
    for (int64_t q = 0; q < n; q++)
        to[place[by_panel ? from[q].panel : key_of(from[q].len)]++] = from[q];
}

/* Units of block g from their segments; slots before the block are those of its rows. */
static void
fill_block(const builder *b, int64_t g, const segment *s)
{
    const sb_view *v = b->v;
    sb_part_array *a = b->a;
    int64_t slot = sb_view_lo(v, b->row0[g]);

    sb_index_store(a[ROW0].data, a[ROW0].type, g, b->row0[g]);
    sb_index_store(a[PTR].data, a[PTR].type, g, b->unit0[g]);
    for (int64_t u = b->unit0[g]; u < b->unit0[g + 1]; u++, s++) {
        sb_index_store(a[ROW].data, a[ROW].type, u, s->row);
        sb_index_store(a[LO].data, a[LO].type, u, s->lo);
        sb_index_store(a[OFF].data, a[OFF].type, u, slot);
        for (int64_t t = 0; t < s->len; t++)
            sb_index_store(a[CRD].data, a[CRD].type, slot++, sb_view_col(v, s->lo + t));
    }
}

static void
fill_blocks(void *user, int64_t first, int64_t last)
{
    const builder *b = user;
    const int64_t keys = b->panels > KEYS ? b->panels : KEYS;

    for (int64_t g = first; g < last; g++) {
        segment *x = b->by_row + b->unit0[g], *y = b->by_len + b->unit0[g];
        int64_t *place = b->place + g * keys;
        const int64_t n = segments_of(b, g, x);

        sort_segments(y, x, n, place, KEYS, false);
        sort_segments(x, y, n, place, b->panels, true);
        fill_block(b, g, x);
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
    const int64_t keys = b->panels > KEYS ? b->panels : KEYS;

    b->by_row = sb_alloc_array(units, sizeof *b->by_row);
    b->by_len = sb_alloc_array(units, sizeof *b->by_len);
    b->place = sb_alloc_array(b->blocks * keys, sizeof *b->place);
    b->a = out->array;
    return b->by_row && b->by_len && b->place &&
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
    cv->touched = sb_alloc_array(v->rows, 1);
    if (!b->row0 || !b->unit0 || !cv->touched)
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
    memset(cv->touched, 1, (size_t)v->rows);
    out->nnz = out->slots = v->nnz;
    out->ngroup = v->rows > 0;
    out->group[0] = (sb_part_group){0, b->blocks, v->nnz, 0, false};
    cv->rest = 0;
    return SB_OK;
}

sb_status
sb_part_panel(sb_part *out, sb_cover *cv, int64_t width, int64_t blocks,
              const sb_par *par)
{
    builder b = {.v = cv->v, .width = width};
    sb_status st;

    memset(out, 0, sizeof *out);
    out->kind = SB_PART_PANEL;
    out->width = width;
    if (width < 1 || blocks < 1 || !cv->v->crd_in_place || cv->v->pos || cv->taken ||
        cv->touched)
        return SB_SKIP;
    b.panels = cv->v->cols / width + 1;
    b.blocks = blocks;
    st = build(out, cv, &b, par);
    sb_free(b.row0);
    sb_free(b.unit0);
    sb_free(b.by_row);
    sb_free(b.by_len);
    sb_free(b.place);
    if (st != SB_OK) {
        sb_part_free(out);
        sb_cover_free(cv);
    }
    return st;
}
