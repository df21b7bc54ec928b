/*
 * Exact cover: walks every unit of every group as a kernel would and counts, for each
 * slot of the view, how often it was reached at its own row and column.
 */
#include "formats/chunk.h"

#include "base/alloc.h"

#include <string.h>

typedef struct check {
    const sb_view *v;
    int64_t *slot_of; /* by value position; -1: of an empty slot */
    int64_t places;   /* value positions: more than entries where slots may be empty */
    uint8_t *seen;    /* by slot */
    int64_t *row_of;  /* by slot */
    const sb_part *p;
    int part;
    sb_diag *diag;
} check;

static sb_status
bad(check *ck, const char *what, int64_t row, int64_t at)
{
    return sb_diag_set(ck->diag, SB_EINTERNAL, "part %d, row %lld: %s (%lld)", ck->part,
                       (long long)row, what, (long long)at);
}

/* One entry reached in place. */
static sb_status
reach(check *ck, int64_t row, int64_t slot)
{
    if (slot < 0 || slot >= ck->v->nnz)
        return bad(ck, "slot outside the matrix", row, slot);
    if (ck->row_of[slot] != row)
        return bad(ck, "slot belongs to another row", row, slot);
    if (ck->seen[slot]++)
        return bad(ck, "entry covered twice", row, slot);
    return SB_OK;
}

/* One entry reached by value position, with the column the part claims. */
static sb_status
reach_pos(check *ck, int64_t row, int64_t col, int64_t pos)
{
    if (pos < 0 || pos >= ck->places)
        return bad(ck, "position outside the values", row, pos);
    SB_TRY(reach(ck, row, ck->slot_of[pos]));
    if (sb_view_col(ck->v, ck->slot_of[pos]) != col)
        return bad(ck, "wrong column", row, col);
    return SB_OK;
}

static int64_t
get(const check *ck, const char *name, int64_t at)
{
    const sb_part_array *a = sb_part_find(ck->p, name);

    if (!a || at >= a->count)
        return -1;
    return a->type == SB_I16 ? ((const int16_t *)a->data)[at]
                             : sb_index(a->data, a->type, at);
}

static sb_status
unit_csr(check *ck, int64_t u)
{
    for (int64_t s = sb_view_lo(ck->v, u); s < sb_view_lo(ck->v, u + 1); s++)
        SB_TRY(reach(ck, u, s));
    return SB_OK;
}

static sb_status
unit_blocks(check *ck, int64_t u)
{
    if (!sb_part_find(ck->p, "blocks_pos"))
        return unit_csr(ck, u);
    for (int64_t q = get(ck, "A_ptr", u); q < get(ck, "A_ptr", u + 1); q++)
        SB_TRY(reach_pos(ck, u, get(ck, "A_crd", q), get(ck, "blocks_pos", q)));
    return SB_OK;
}

/* The caller's entry u, wherever the view has it. */
static sb_status
unit_list(check *ck, int64_t u)
{
    return reach(ck, ck->row_of[ck->slot_of[u]], ck->slot_of[u]);
}

static sb_status
unit_group(check *ck, int64_t u, int64_t rows)
{
    for (int64_t i = u * rows; i < (u + 1) * rows && i < ck->v->rows; i++)
        SB_TRY(unit_csr(ck, i));
    return SB_OK;
}

static sb_status
unit_seg(check *ck, int64_t u)
{
    return unit_group(ck, u, SB_SEG_ROWS);
}

static sb_status
unit_prod(check *ck, int64_t u)
{
    return unit_group(ck, u, SB_PROD_ROWS);
}

/* In a run entry q of the r-th row is column q of the first and r more, and whole steps of such
 * rows lie within the arrays. */
static sb_status
unit_alike(check *ck, int64_t u)
{
    const int64_t first = get(ck, "alike_row", u), end = get(ck, "alike_row", u + 1);
    const int64_t lo = sb_view_lo(ck->v, first), n = get(ck, "alike_len", u);
    const int64_t most = n > 0 ? SB_ALIKE_RUN : SB_ALIKE_ROWS;
    const int64_t read =
        (end - first + SB_ALIKE_ROWS - 1) / SB_ALIKE_ROWS * SB_ALIKE_ROWS;

    if (first >= end || end - first > most || get(ck, "alike_lo", u) != lo || n < 0 ||
        lo + n * read > ck->v->nnz)
        return bad(ck, "no group of rows", first, u);
    for (int64_t i = first; i < end; i++) {
        SB_TRY(unit_csr(ck, i));
        if (n > 0 && (sb_view_lo(ck->v, i) != lo + (i - first) * n ||
                      sb_view_lo(ck->v, i + 1) != lo + (i - first + 1) * n))
            return bad(ck, "row of another length", i, lo);
        for (int64_t q = 0; q < n; q++) {
            const int64_t col = sb_view_col(ck->v, lo + q);

            if (sb_view_col(ck->v, lo + (i - first) * n + q) != col + i - first ||
                col + read > ck->v->cols)
                return bad(ck, "row that does not follow", i, lo + q);
        }
    }
    return SB_OK;
}

static sb_status
unit_rows(check *ck, int64_t u)
{
    for (int64_t s = get(ck, "rows_lo", u); s < get(ck, "rows_hi", u); s++)
        SB_TRY(reach(ck, get(ck, "rows_row", u), s));
    return SB_OK;
}

static sb_status
unit_ell(check *ck, int64_t u)
{
    for (int64_t s = u * ck->p->width; s < u * ck->p->width + get(ck, "ell_len", u);
         s++)
        SB_TRY(reach_pos(ck, get(ck, "ell_row", u), get(ck, "ell_crd", s),
                         get(ck, "ell_pos", s)));
    return SB_OK;
}

static sb_status
unit_pick(check *ck, int64_t u)
{
    for (int64_t s = get(ck, "pick_ptr", u); s < get(ck, "pick_ptr", u + 1); s++)
        SB_TRY(reach_pos(ck, get(ck, "pick_row", u), get(ck, "pick_crd", s),
                         get(ck, "pick_pos", s)));
    return SB_OK;
}

static sb_status
unit_bsr(check *ck, int64_t u)
{
    const int64_t b = ck->p->width;

    for (int64_t q = get(ck, "bsr_ptr", u); q < get(ck, "bsr_ptr", u + 1); q++)
        for (int64_t x = 0; x < b * b; x++)
            SB_TRY(reach_pos(ck, u * b + x / b, get(ck, "bsr_crd", q) * b + x % b,
                             get(ck, "bsr_pos", q * b * b + x)));
    return SB_OK;
}

static sb_status
unit_dia(check *ck, int64_t u)
{
    for (int64_t q = 0; q < ck->p->width; q++) {
        const int64_t pos = get(ck, "dia_pos", u * ck->p->width + q);

        if (pos >= 0)
            SB_TRY(reach_pos(ck, u, u + get(ck, "dia_off", q), pos));
    }
    return SB_OK;
}

static sb_status
unit_coo(check *ck, int64_t u)
{
    return reach_pos(ck, get(ck, "coo_row", u), get(ck, "coo_crd", u),
                     get(ck, "coo_pos", u));
}

static sb_status
unit_win(check *ck, int64_t u)
{
    const int64_t b = ck->p->width, slots = sb_part_total(ck->p, "win_off");

    const int64_t window = get(ck, "win_row", u), row = window * b;

    for (int64_t s = get(ck, "win_seg", u); s < get(ck, "win_seg", u + 1); s++)
        for (int64_t r = 0; r < b; r++) {
            const int64_t lo = get(ck, "win_lo", s * b + r);
            const int64_t at = get(ck, "win_off", s);
            const int64_t len = get(ck, "win_off", s + 1) - at;

            for (int64_t p = 0; p < len; p++) {
                SB_TRY(reach(ck, row + r, lo + p));
                if (sb_view_col(ck->v, lo + p) != get(ck, "win_crd", at + p))
                    return bad(ck, "column not shared by the window", row + r, lo + p);
            }
        }
    for (int64_t i = u * b; i < u * b + b; i++)
        for (int64_t e = get(ck, "win_left", i); e < get(ck, "win_left", i + 1); e++)
            SB_TRY(reach_pos(ck, row + i - u * b, get(ck, "win_crd", slots + e),
                             get(ck, "win_rest", e)));
    return SB_OK;
}

static sb_status
unit_share(check *ck, int64_t u)
{
    const int64_t b = ck->p->width;
    const int64_t shared = sb_part_total(ck->p, "share_seg");
    const int64_t listed = shared + sb_part_total(ck->p, "share_some");

    for (int64_t s = get(ck, "share_seg", u); s < get(ck, "share_seg", u + 1); s++)
        for (int64_t r = 0; r < b; r++)
            SB_TRY(reach_pos(ck, u * b + r, get(ck, "share_crd", s),
                             get(ck, "share_pos", s * b + r)));
    for (int64_t q = listed > shared ? get(ck, "share_some", u) : 0;
         listed > shared && q < get(ck, "share_some", u + 1); q++)
        for (int64_t r = 0, s = shared + q; r < b; r++) {
            const int64_t pos = get(ck, "share_pos", s * b + r);

            if ((pos >= 0) != (get(ck, "share_bits", q) >> r & 1))
                return bad(ck, "bit and position disagree", u * b + r, s);
            if (pos >= 0)
                SB_TRY(reach_pos(ck, u * b + r, get(ck, "share_crd", s), pos));
        }
    for (int64_t i = u * b; i < u * b + b; i++)
        for (int64_t e = get(ck, "share_left", i); e < get(ck, "share_left", i + 1);
             e++)
            SB_TRY(reach_pos(ck, i, get(ck, "share_crd", listed + e),
                             get(ck, "share_pos", listed * b + e)));
    return SB_OK;
}

static sb_status
unit_sell(check *ck, int64_t u)
{
    const int64_t base = sb_part_find(ck->p, "sell_base") ? get(ck, "sell_base", u) : 0;

    for (int64_t c = get(ck, "sell_col", u); c < get(ck, "sell_col", u + 1); c++)
        for (int64_t s = get(ck, "sell_ptr", c); s < get(ck, "sell_ptr", c + 1); s++) {
            const int64_t r = u * SB_SELL_ROWS + s - get(ck, "sell_ptr", c);
            const int64_t lo = get(ck, "sell_lo", r);
            const int64_t p =
                lo < 0 ? get(ck, "sell_pos", s) : lo + c - get(ck, "sell_col", u);

            if (c < get(ck, "sell_full", u) &&
                s - get(ck, "sell_ptr", get(ck, "sell_col", u)) !=
                    (c - get(ck, "sell_col", u)) * SB_SELL_ROWS + r % SB_SELL_ROWS)
                return bad(ck, "column is not full", get(ck, "sell_row", r), c);
            SB_TRY(reach_pos(ck, get(ck, "sell_row", r), base + get(ck, "sell_crd", s),
                             p));
        }
    return SB_OK;
}

/* Unit of a panel: the segment at the place and with the columns it claims. */
static sb_status
segment_panel(check *ck, int64_t row, int64_t u)
{
    const int64_t lo = get(ck, "panel_lo", u), off = get(ck, "panel_off", u);
    const int64_t len = get(ck, "panel_off", u + 1) - off;

    for (int64_t t = 0; t < len; t++) {
        SB_TRY(reach(ck, row, lo + t));
        if (sb_view_col(ck->v, lo + t) != get(ck, "panel_crd", off + t))
            return bad(ck, "wrong column", row, get(ck, "panel_crd", off + t));
    }
    return SB_OK;
}

static sb_status
unit_panel(check *ck, int64_t u)
{
    const int64_t first = get(ck, "panel_row0", u), end = get(ck, "panel_row0", u + 1);

    if (first > end || (u == 0 && first != 0) ||
        (u + 1 == ck->p->group[0].hi && end != ck->v->rows))
        return bad(ck, "blocks do not tile the rows", first, end);
    for (int64_t s = get(ck, "panel_ptr", u); s < get(ck, "panel_ptr", u + 1); s++) {
        const int64_t row = get(ck, "panel_row", s);

        if (row < first || row >= end)
            return bad(ck, "row of another block", row, u);
        SB_TRY(segment_panel(ck, row, s));
    }
    return SB_OK;
}

/* Chunks of `cols` columns, whose masks name the slots of a row one after the other. */
static sb_status
unit_chunks(check *ck, int64_t u, const sb_chunk_names *names, int64_t cols)
{
    const int64_t b = ck->p->width;

    for (int64_t i = u * b; i < (u + 1) * b && i < ck->v->rows; i++) {
        int64_t s = sb_view_lo(ck->v, i);

        for (int64_t q = get(ck, names->ptr, u); q < get(ck, names->ptr, u + 1); q++)
            for (int64_t c = 0; c < cols; c++) {
                if (!(get(ck, names->bits, q * b + i - u * b) >> c & 1))
                    continue;
                if (s >= sb_view_lo(ck->v, i + 1) ||
                    sb_view_col(ck->v, s) != get(ck, names->crd, q) + c)
                    return bad(ck, "column of a mask that the row lacks", i, c);
                SB_TRY(reach(ck, i, s++));
            }
    }
    return SB_OK;
}

static sb_status
unit_mask(check *ck, int64_t u)
{
    static const sb_chunk_names names = {"mask_ptr", "mask_crd", "mask_bits"};

    return unit_chunks(ck, u, &names, SB_MASK_COLS);
}

static sb_status
unit_ubcsr(check *ck, int64_t u)
{
    static const sb_chunk_names names = {"ubcsr_ptr", "ubcsr_crd", "ubcsr_bits"};
    const int64_t rows = sb_part_find(ck->p, names.bits)->count;

    return unit_chunks(ck, u, &names, rows ? ck->p->slots / rows : 0);
}

/* Where what row r of a slice looks its values up in begins. */
static int64_t
hdia_range(const check *ck, int64_t u, int64_t r)
{
    const sb_part_array *a = sb_part_find(ck->p, "hdia_range");
    const int64_t each = a ? a->count / ck->p->group[0].hi : 0;

    return a && get(ck, "hdia_range", u * each) >= 0
               ? get(ck, "hdia_range", u * each + r * each / SB_HDIA_ROWS)
               : 0;
}

static sb_status
hdia_in_place(check *ck, int64_t u)
{
    const int64_t first = get(ck, "hdia_ptr", u);
    int64_t at[SB_HDIA_ROWS];

    for (int64_t r = 0; r < SB_HDIA_ROWS; r++)
        at[r] = first + hdia_range(ck, u, r) + get(ck, "hdia_at", u * SB_HDIA_ROWS + r);
    for (int64_t q = get(ck, "hdia_seg", u); q < get(ck, "hdia_seg", u + 1); q++)
        for (int64_t r = 0; r < SB_HDIA_ROWS; r++) {
            if (!(get(ck, "hdia_bits", q) >> r & 1))
                continue;
            if (at[r] >= sb_view_lo(ck->v, u * SB_HDIA_ROWS + r + 1) ||
                sb_view_col(ck->v, at[r]) != get(ck, "hdia_col", q) + r)
                return bad(ck, "diagonal that the row lacks", u * SB_HDIA_ROWS + r, q);
            SB_TRY(reach(ck, u * SB_HDIA_ROWS + r, at[r]++));
        }
    return SB_OK;
}

/* Chunks of diagonals, then those of the entries left over. */
static sb_status
unit_hdia(check *ck, int64_t u)
{
    int64_t full, rest, at, left;

    if (sb_part_find(ck->p, "hdia_at"))
        return hdia_in_place(ck, u);
    full = get(ck, "hdia_seg", u * 3 + 1);
    rest = get(ck, "hdia_seg", u * 3 + 2);
    at = get(ck, "hdia_ptr", u);
    left = get(ck, "hdia_left", u);
    for (int64_t q = get(ck, "hdia_seg", u * 3); q < get(ck, "hdia_seg", u * 3 + 3);
         q++)
        for (int64_t r = 0; r < SB_HDIA_ROWS; r++) {
            if (get(ck, "hdia_bits", q) >> r & 1)
                SB_TRY(reach_pos(ck, u * SB_HDIA_ROWS + r,
                                 q < rest ? get(ck, "hdia_col", q) + r
                                          : get(ck, "hdia_crd", left++),
                                 get(ck, "hdia_pos", at++)));
            else if (q < full)
                return bad(ck, "diagonal is not full", u * SB_HDIA_ROWS + r, q);
            else
                at += q < rest;
        }
    if (at != get(ck, "hdia_ptr", u + 1) || left != get(ck, "hdia_left", u + 1))
        return bad(ck, "chunks do not end with the slice", u * SB_HDIA_ROWS, at);
    return SB_OK;
}

static sb_status
check_part(check *ck)
{
    static sb_status (*const unit[SB_PART_COUNT])(check *, int64_t) = {
        [SB_PART_CSR] = unit_csr,    [SB_PART_ROWS] = unit_rows,
        [SB_PART_ELL] = unit_ell,    [SB_PART_BSR] = unit_bsr,
        [SB_PART_DIA] = unit_dia,    [SB_PART_COO] = unit_coo,
        [SB_PART_WIN] = unit_win,    [SB_PART_SEG] = unit_seg,
        [SB_PART_SELL] = unit_sell,  [SB_PART_PANEL] = unit_panel,
        [SB_PART_MASK] = unit_mask,  [SB_PART_BLOCKS] = unit_blocks,
        [SB_PART_LIST] = unit_list,  [SB_PART_SHARE] = unit_share,
        [SB_PART_HDIA] = unit_hdia,  [SB_PART_PICK] = unit_pick,
        [SB_PART_PROD] = unit_prod,  [SB_PART_ALIKE] = unit_alike,
        [SB_PART_UBCSR] = unit_ubcsr};

    for (int g = 0; g < ck->p->ngroup; g++)
        for (int64_t u = ck->p->group[g].lo; u < ck->p->group[g].hi; u++)
            SB_TRY(unit[ck->p->kind](ck, u));
    return SB_OK;
}

/* Every window once, those without entries too: a kernel stores all their rows. */
static sb_status
windows_once(check *ck)
{
    const int64_t n = ck->v->rows / ck->p->width;
    uint8_t *seen = sb_alloc_zero((size_t)n + 1);
    sb_status st = seen ? SB_OK : SB_ENOMEM;

    for (int64_t u = 0; st == SB_OK && u < n; u++) {
        const int64_t w = get(ck, "win_row", u);

        if (w < 0 || w >= n || seen[w]++)
            st = bad(ck, "window listed twice, or none", w * ck->p->width, u);
    }
    sb_free(seen);
    return st;
}

static sb_status
check_all(check *ck, const sb_part *part, int n)
{
    for (int64_t i = 0; i < ck->v->rows; i++)
        for (int64_t s = sb_view_lo(ck->v, i); s < sb_view_lo(ck->v, i + 1); s++)
            ck->row_of[s] = i;
    for (int64_t s = 0; s < ck->v->nnz; s++)
        ck->slot_of[sb_view_pos(ck->v, s)] = s;
    for (ck->part = 0; ck->part < n; ck->part++) {
        ck->p = &part[ck->part];
        SB_TRY(check_part(ck));
        if (ck->p->kind == SB_PART_WIN)
            SB_TRY(windows_once(ck));
    }
    for (int64_t s = 0; s < ck->v->nnz; s++)
        if (!ck->seen[s])
            return bad(ck, "entry in no part", ck->row_of[s], s);
    return SB_OK;
}

sb_status
sb_parts_check(const sb_part *part, int n, const sb_view *v, sb_diag *diag)
{
    check ck = {.v = v, .diag = diag};
    sb_status st = SB_ENOMEM;

    for (int64_t s = 0; s < v->nnz; s++)
        if (sb_view_pos(v, s) >= ck.places)
            ck.places = sb_view_pos(v, s) + 1;
    ck.slot_of = sb_alloc_array(ck.places, sizeof *ck.slot_of);
    ck.row_of = sb_alloc_array(v->nnz, sizeof *ck.row_of);
    ck.seen = sb_alloc_zero((size_t)v->nnz);
    if (ck.slot_of && ck.row_of && ck.seen) {
        for (int64_t s = 0; s < ck.places; s++)
            ck.slot_of[s] = -1;
        st = check_all(&ck, part, n);
    }
    sb_free(ck.slot_of);
    sb_free(ck.row_of);
    sb_free(ck.seen);
    return st;
}
