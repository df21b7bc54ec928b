/*
 * Listed rows with a common number of slots, columns and positions copied. A row longer
 * than the width takes several units; the first applies beta (phase 0), the others add
 * after it (phase 1), as do all units of rows that another part has touched.
 */
#include "formats/part.h"

#include "base/alloc.h"

#include <string.h>

typedef struct ell {
    const sb_cover *cv;
    int64_t width;
    int64_t at[2], nnz[2]; /* next unit of each phase */
    void *row, *len, *crd, *pos;
} ell;

static void
put_unit(ell *e, int phase, int64_t row, const int64_t *slot, int64_t n)
{
    const sb_view *v = e->cv->v;
    const int64_t u = e->at[phase]++;

    e->nnz[phase] += n;
    if (!e->row)
        return;
    sb_index_store(e->row, v->crd_type, u, row);
    sb_index_store(e->len, v->crd_type, u, n);
    for (int64_t s = 0; s < e->width; s++) {
        const int64_t at = u * e->width + s;

        sb_index_store(e->crd, v->crd_type, at, s < n ? sb_view_col(v, slot[s]) : -1);
        sb_index_store(e->pos, v->slot_type, at, s < n ? sb_view_pos(v, slot[s]) : -1);
    }
}

/* All units of one row; `slot` has room for `width` slots. */
static void
put_row(ell *e, int64_t row, int64_t *slot)
{
    const sb_cover *cv = e->cv;
    const int64_t hi = sb_view_lo(cv->v, row + 1);
    int phase = cv->touched && cv->touched[row];
    int64_t n = 0;

    for (int64_t p = sb_view_lo(cv->v, row); p < hi; p++) {
        if (cv->taken && cv->taken[p])
            continue;
        slot[n++] = p;
        if (n == e->width) {
            put_unit(e, phase, row, slot, n);
            phase = 1;
            n = 0;
        }
    }
    if (n > 0 || (phase == 0 && !(cv->touched && cv->touched[row])))
        put_unit(e, phase, row, slot, n);
}

static sb_status
build(sb_part *out, ell *e, sb_cover *cv, int64_t *slot)
{
    const sb_view *v = cv->v;
    int64_t units, first;

    if (sb_cover_marks(cv) != SB_OK)
        return SB_ENOMEM;
    for (int64_t i = 0; i < v->rows; i++)
        put_row(e, i, slot);
    first = e->at[0];
    units = first + e->at[1];
    for (int phase = 0; phase < 2; phase++)
        if (e->at[phase] > 0)
            out->group[out->ngroup++] =
                (sb_part_group){phase ? first : 0, phase ? units : first, e->nnz[phase],
                                phase, phase > 0};
    e->at[0] = 0;
    e->at[1] = first;
    if (e->width > 0 && units > INT64_MAX / e->width)
        return SB_ENOMEM;
    out->slots = units * e->width;
    e->row = sb_part_array_new(out, "ell_row", v->crd_type, units);
    e->len = sb_part_array_new(out, "ell_len", v->crd_type, units);
    e->crd = sb_part_array_new(out, "ell_crd", v->crd_type, out->slots);
    e->pos = sb_part_array_new(out, "ell_pos", v->slot_type, out->slots);
    if (!e->row || !e->len || !e->crd || !e->pos)
        return SB_ENOMEM;
    for (int64_t i = 0; i < v->rows; i++)
        put_row(e, i, slot);
    sb_cover_rows_done(cv, v->rows);
    out->nnz = cv->rest;
    cv->rest = 0;
    return SB_OK;
}

sb_status
sb_part_ell(sb_part *out, sb_cover *cv, int64_t width)
{
    ell e = {.cv = cv, .width = width};
    int64_t *slot;
    sb_status st;

    memset(out, 0, sizeof *out);
    out->kind = SB_PART_ELL;
    out->width = width;
    if (width < 1)
        return SB_SKIP;
    slot = sb_alloc_array(width, sizeof *slot);
    st = slot ? build(out, &e, cv, slot) : SB_ENOMEM;
    sb_free(slot);
    if (st != SB_OK)
        sb_part_free(out);
    return st;
}
