/*
 * The rest as coordinates sorted by row, with positions: entries of rows nobody has
 * touched first (phase 0), the others after (phase 1). Rows without an entry left stay
 * untouched: the caller must cover them.
 */
#include "formats/part.h"

#include "base/alloc.h"

#include <string.h>

typedef struct coo {
    void *row, *crd, *pos;
    int64_t at;
} coo;

/* Entries of rows whose touched mark equals `phase`. */
static void
put_phase(coo *o, const sb_cover *cv, int phase)
{
    const sb_view *v = cv->v;

    for (int64_t i = 0; i < v->rows; i++) {
        const int64_t hi = sb_view_lo(v, i + 1);

        if ((cv->touched && cv->touched[i]) != phase)
            continue;
        for (int64_t p = sb_view_lo(v, i); p < hi; p++) {
            if (cv->taken && cv->taken[p])
                continue;
            sb_index_store(o->row, v->crd_type, o->at, i);
            sb_index_store(o->crd, v->crd_type, o->at, sb_view_col(v, p));
            sb_index_store(o->pos, v->slot_type, o->at, sb_view_pos(v, p));
            o->at++;
        }
    }
}

static sb_status
build(sb_part *out, sb_cover *cv)
{
    const sb_view *v = cv->v;
    const sb_status st = sb_cover_marks(cv);
    coo o = {sb_part_array_new(out, "coo_row", v->crd_type, cv->rest),
             sb_part_array_new(out, "coo_crd", v->crd_type, cv->rest),
             sb_part_array_new(out, "coo_pos", v->slot_type, cv->rest), 0};

    if (!o.row || !o.crd || !o.pos || st != SB_OK)
        return SB_ENOMEM;
    for (int phase = 0; phase < 2; phase++) {
        const int64_t lo = o.at;

        put_phase(&o, cv, phase);
        if (o.at > lo)
            out->group[out->ngroup++] =
                (sb_part_group){lo, o.at, o.at - lo, phase, phase > 0};
    }
    if (!cv->touched && !(cv->touched = sb_alloc_zero((size_t)v->rows)))
        return SB_ENOMEM;
    for (int64_t s = 0; s < o.at; s++)
        cv->touched[sb_index(o.row, v->crd_type, s)] = 1;
    out->nnz = out->slots = o.at;
    cv->rest = 0;
    return SB_OK;
}

sb_status
sb_part_coo(sb_part *out, sb_cover *cv)
{
    sb_status st;

    memset(out, 0, sizeof *out);
    out->kind = SB_PART_COO;
    st = build(out, cv);
    if (st != SB_OK)
        sb_part_free(out);
    return st;
}
