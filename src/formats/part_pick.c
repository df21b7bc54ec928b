/*
 * The rest row by row, a unit each whatever was taken from between its entries: columns and
 * positions copied, in the order of the row. Rows nobody has touched come first (phase 0)
 * and have a unit even without an entry; rows touched before add (phase 1). Either in an order
 * of the caller's or the matrix's. No two units of
 * a group have the same row, which is what groups of lanes that run at once need.
 */
#include "formats/part.h"

#include "base/alloc.h"

#include <string.h>

typedef struct pick {
    int64_t units, at;           /* of both phases so far; entries of the arrays */
    void *row, *ptr, *crd, *pos; /* outputs; NULL while counting */
    const int32_t *order;        /* of rows; NULL: theirs */
} pick;

/* Entries of row i that no part has, put where they go. */
static int64_t
put_row(const pick *o, const sb_cover *cv, int64_t i)
{
    const sb_view *v = cv->v;
    const int64_t hi = sb_view_lo(v, i + 1);
    int64_t n = 0;

    for (int64_t p = sb_view_lo(v, i); p < hi; p++) {
        if (cv->taken && cv->taken[p])
            continue;
        if (o->row) {
            sb_index_store(o->crd, v->crd_type, o->at + n, sb_view_col(v, p));
            sb_index_store(o->pos, v->slot_type, o->at + n, sb_view_pos(v, p));
        }
        n++;
    }
    return n;
}

/* Rows whose touched mark equals `phase`. */
static void
put_phase(pick *o, const sb_cover *cv, int phase)
{
    const sb_view *v = cv->v;

    for (int64_t q = 0; q < v->rows; q++) {
        const int64_t i = o->order ? o->order[q] : q;
        int64_t n;

        if ((cv->touched && cv->touched[i]) != phase)
            continue;
        n = put_row(o, cv, i);
        if (n == 0 && phase > 0)
            continue;
        if (o->row) {
            sb_index_store(o->row, v->crd_type, o->units, i);
            sb_index_store(o->ptr, v->slot_type, o->units, o->at);
        }
        o->units++;
        o->at += n;
    }
}

static sb_status
build(sb_part *out, sb_cover *cv, const int32_t *order)
{
    const sb_view *v = cv->v;
    pick o = {.order = order};

    if (sb_cover_marks(cv) != SB_OK)
        return SB_ENOMEM;
    if (sb_cover_begun(cv)) {
        put_phase(&o, cv, 0);
        put_phase(&o, cv, 1);
    } else { /* all of it */
        o.units = v->rows;
        o.at = v->nnz;
    }
    o.ptr = sb_part_array_new(out, "pick_ptr", v->slot_type, o.units + 1);
    o.crd = sb_part_array_new(out, "pick_crd", v->crd_type, o.at);
    o.pos = sb_part_array_new(out, "pick_pos", v->slot_type, o.at);
    o.row = sb_part_array_new(out, "pick_row", v->crd_type, o.units);
    if (!o.ptr || !o.crd || !o.pos || !o.row)
        return SB_ENOMEM;
    o.units = o.at = 0;
    for (int phase = 0; phase < 2; phase++) {
        const int64_t lo = o.units, before = o.at;

        put_phase(&o, cv, phase);
        if (o.units > lo)
            out->group[out->ngroup++] =
                (sb_part_group){lo, o.units, o.at - before, phase, phase > 0};
    }
    sb_index_store(o.ptr, v->slot_type, o.units, o.at);
    sb_cover_rows_done(cv, v->rows);
    out->nnz = out->slots = o.at;
    cv->rest = 0;
    return SB_OK;
}

sb_status
sb_part_pick_by(sb_part *out, sb_cover *cv, const int32_t *order)
{
    sb_status st;

    memset(out, 0, sizeof *out);
    out->kind = SB_PART_PICK;
    st = build(out, cv, order);
    if (st != SB_OK)
        sb_part_free(out);
    return st;
}

sb_status
sb_part_pick(sb_part *out, sb_cover *cv)
{
    return sb_part_pick_by(out, cv, NULL);
}
