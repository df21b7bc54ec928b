/*
 * Windows of b neighbouring rows, cut into chunks of 16 columns: each chunk has its
 * first column and, per row, a mask of the columns that the row holds. One load of x
 * serves 16 columns of b rows, and neither columns nor positions of single entries are
 * read: the values of a row lie in the order of its masks. Nothing is padded and no
 * value is copied, so this is blocks and runs of any shape with values in place.
 * Source   SPC5 (Bramas and Kus 2018), the windows aligned to rows only
 */
#include "formats/chunk.h"

#include <string.h>

static sb_status
build(sb_part *out, sb_cover *cv, int b, const sb_par *par)
{
    static const sb_chunk_names names = {"mask_ptr", "mask_crd", "mask_bits"};
    const sb_view *v = cv->v;
    const int64_t windows = (v->rows + b - 1) / b;

    SB_TRY(sb_chunks_make(out, &names, v, b, SB_MASK_COLS, INT64_MAX, par));
    sb_cover_rows_done(cv, v->rows);
    out->nnz = out->slots = v->nnz;
    out->width = b;
    out->ngroup = windows > 0;
    out->group[0] = (sb_part_group){0, windows, v->nnz, 0, false};
    cv->rest = 0;
    return SB_OK;
}

sb_status
sb_part_mask(sb_part *out, sb_cover *cv, int b, bool sorted, const sb_par *par)
{
    sb_status st;

    memset(out, 0, sizeof *out);
    out->kind = SB_PART_MASK;
    if (!sorted || cv->v->cols < SB_MASK_COLS || !cv->v->ptr_in_place || cv->v->pos ||
        sb_cover_begun(cv))
        return SB_SKIP;
    SB_ASSERT(b >= 1 && b <= SB_CHUNK_ROWS);
    st = build(out, cv, b, par);
    if (st != SB_OK) {
        sb_part_free(out);
        sb_cover_free(cv);
    }
    return st;
}
