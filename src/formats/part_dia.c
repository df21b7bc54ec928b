/*
 * Diagonals that are nearly full: the positions of their entries row by row, holes
 * marked. The offsets are counted exactly; a diagonal is taken when at least `percent`
 * of the places it has inside the matrix hold an entry.
 */
#include "formats/part.h"

#include "base/alloc.h"
#include "base/checked.h"

#include <string.h>

/* Entries per diagonal, by column - row + rows - 1. */
static int32_t *
count_diagonals(const sb_cover *cv)
{
    const sb_view *v = cv->v;
    int32_t *count = NULL;
    int64_t n;
    size_t bytes;

    if (sb_add_i64(v->rows, v->cols, &n) && sb_bytes(n, sizeof *count, &bytes))
        count = sb_alloc_zero(bytes);
    for (int64_t i = 0; count && i < v->rows; i++) {
        const int64_t hi = sb_view_lo(v, i + 1);

        for (int64_t p = sb_view_lo(v, i); p < hi; p++) {
            const int64_t d = sb_view_col(v, p) - i + v->rows - 1;

            if (!(cv->taken && cv->taken[p]) && count[d] < INT32_MAX)
                count[d]++;
        }
    }
    return count;
}

static int64_t
diagonal_length(const sb_view *v, int64_t offset)
{
    const int64_t from = offset < 0 ? -offset : 0;
    const int64_t to = v->cols - offset < v->rows ? v->cols - offset : v->rows;

    return to - from;
}

/* Marks chosen diagonals by 1 + their rank in `count`, others 0; returns how many. */
static int64_t
choose(int32_t *count, const sb_view *v, int percent)
{
    int64_t n = 0;

    for (int64_t d = 0; d + 1 < v->rows + v->cols; d++) {
        const double len = (double)diagonal_length(v, d - v->rows + 1);
        const bool take = count[d] > 0 && 100.0 * count[d] >= percent * len;

        count[d] = take ? (int32_t)++n : 0;
    }
    return n;
}

static void
fill(sb_part *out, sb_cover *cv, const int32_t *rank, void *pos, int64_t n)
{
    const sb_view *v = cv->v;

    memset(pos, 0xff, (size_t)(v->rows * n) * sb_dtype_size(v->slot_type));
    for (int64_t i = 0; i < v->rows; i++) {
        const int64_t hi = sb_view_lo(v, i + 1);

        for (int64_t p = sb_view_lo(v, i); p < hi; p++) {
            const int32_t q = rank[sb_view_col(v, p) - i + v->rows - 1];

            if (q == 0 || cv->taken[p])
                continue;
            sb_index_store(pos, v->slot_type, i * n + q - 1, sb_view_pos(v, p));
            cv->taken[p] = 1;
            out->nnz++;
        }
    }
}

static sb_status
build(sb_part *out, sb_cover *cv, int32_t *count, int percent)
{
    const sb_view *v = cv->v;
    const int64_t n = choose(count, v, percent);
    bool add;
    const int64_t touched = sb_cover_rows(cv, &add);
    int64_t *off;
    void *pos;

    if (n == 0)
        return SB_SKIP;
    /* Four slots per entry, at most: beyond, this is no diagonal matrix. */
    if ((double)v->rows * (double)n > 4.0 * (double)v->nnz + 1024)
        return SB_SKIP;
    off = sb_part_array_new(out, "dia_off", SB_I64, n);
    pos = sb_part_array_new(out, "dia_pos", v->slot_type, v->rows * n);
    if (!off || !pos || sb_cover_open(cv) != SB_OK)
        return SB_ENOMEM;
    for (int64_t d = 0; d + 1 < v->rows + v->cols; d++)
        if (count[d] > 0)
            off[count[d] - 1] = d - v->rows + 1;
    fill(out, cv, count, pos, n);
    memset(cv->touched, 1, (size_t)v->rows);
    out->width = n;
    out->slots = v->rows * n;
    cv->rest -= out->nnz;
    out->ngroup = 1;
    out->group[0] = (sb_part_group){0, touched, out->nnz, add, add};
    if (touched < v->rows) /* rows that only this part touches */
        out->group[out->ngroup++] = (sb_part_group){touched, v->rows, 0, 0, false};
    return SB_OK;
}

sb_status
sb_part_dia(sb_part *out, sb_cover *cv, int percent, bool sorted)
{
    int32_t *count = NULL;
    sb_status st;

    memset(out, 0, sizeof *out);
    out->kind = SB_PART_DIA;
    if (!sorted || cv->v->rows == 0 || cv->v->cols == 0)
        return SB_SKIP;
    if (sb_cover_marks(cv) == SB_OK)
        count = count_diagonals(cv);
    st = count ? build(out, cv, count, percent) : SB_ENOMEM;
    sb_free(count);
    if (st != SB_OK)
        sb_part_free(out);
    return st;
}
