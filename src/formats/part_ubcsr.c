/*
 * Windows of b neighbouring rows cut into blocks of w columns, which begin at any column: holes
 * are stored as zeros, so that a product loads values and x side by side and spreads
 * nothing. Packed alone. Where a hole meets an infinity of x the product says so by a NaN and
 * looks at the bits of the block, which it reads for nothing else.
 * Source   unaligned block CSR (Vuduc and Moon 2005), rows aligned, one size of blocks
 */
#include "formats/chunk.h"
#include "formats/part.h"

#include <string.h>

enum { MOST = 8 /* slots an entry */, GRAIN = 64 /* windows */ };

/* What threads share: they cut windows apart from each other. */
typedef struct job {
    const sb_view *v;
    int b, w;
    int64_t windows;
    void *ptr, *crd, *pos;
    uint32_t *bits;
} job;

static void
count_blocks(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;

    for (int64_t q = lo; q < hi; q++)
        sb_index_store(j->ptr, j->v->slot_type, q, sb_chunk_count(j->v, q, j->b, j->w));
}

/* Where the values of block q lie, rows one after the other; `wide` is constant where this is
 * inlined. */
SB_INLINE void
fill_block(const job *j, int64_t q, const uint32_t *mask, int64_t *slot, bool wide)
{
    int64_t at = q * j->b * j->w;

    for (int r = 0; r < j->b; r++)
        for (int c = 0; c < j->w; c++, at++) {
            const bool held = mask[r] >> c & 1;
            const int64_t pos = held ? sb_view_pos(j->v, slot[r]) : -1;

            slot[r] += held;
            if (wide)
                ((int64_t *)j->pos)[at] = pos;
            else
                ((int32_t *)j->pos)[at] = (int32_t)pos;
        }
}

static void
fill_blocks(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;

    for (int64_t w = lo; w < hi; w++) {
        int64_t q = sb_index(j->ptr, j->v->slot_type, w), slot[SB_CHUNK_ROWS], first;
        uint32_t mask[SB_CHUNK_ROWS] = {0};
        sb_chunk_scan sc = {0};

        sb_chunk_begin(&sc, j->v, w, j->b, j->w);
        memcpy(slot, sc.at, sizeof slot);
        for (; (first = sb_chunk_next(&sc, mask)) >= 0; q++) {
            sb_index_store(j->crd, j->v->crd_type, q, first);
            j->bits[q] = 0;
            for (int r = 0; r < sc.rows; r++)
                j->bits[q] |= mask[r] << r * j->w;
            if (j->v->slot_type == SB_I64)
                fill_block(j, q, mask, slot, true);
            else
                fill_block(j, q, mask, slot, false);
        }
    }
}

static sb_status
build(sb_part *out, sb_cover *cv, job *j, const sb_par *par)
{
    const sb_view *v = j->v;
    int64_t blocks = 0, n;

    j->ptr = sb_part_array_new(out, "ubcsr_ptr", v->slot_type, j->windows + 1);
    if (!j->ptr)
        return SB_ENOMEM;
    sb_par_run(par, count_blocks, j, 0, j->windows, GRAIN);
    for (int64_t w = 0; w <= j->windows; w++, blocks += n) {
        n = w < j->windows ? sb_index(j->ptr, v->slot_type, w) : 0;
        sb_index_store(j->ptr, v->slot_type, w, blocks);
    }
    out->slots = blocks * j->b * j->w;
    if (out->slots > MOST * v->nnz)
        return SB_SKIP;
    j->crd = sb_part_array_new(out, "ubcsr_crd", v->crd_type, blocks);
    j->bits = sb_part_array_new(out, "ubcsr_bits", SB_I32, blocks);
    j->pos = sb_part_array_new(out, "ubcsr_pos", v->slot_type, out->slots);
    if (!j->crd || !j->bits || !j->pos)
        return SB_ENOMEM;
    sb_par_run(par, fill_blocks, j, 0, j->windows, GRAIN);
    sb_cover_rows_done(cv, v->rows);
    out->nnz = v->nnz;
    out->width = j->b;
    out->ngroup = j->windows > 0;
    out->group[0] = (sb_part_group){0, j->windows, v->nnz, 0, false};
    cv->rest = 0;
    return SB_OK;
}

sb_status
sb_part_ubcsr(sb_part *out, sb_cover *cv, int b, int w, bool sorted, const sb_par *par)
{
    job j = {.v = cv->v, .b = b, .w = w, .windows = (cv->v->rows + b - 1) / b};
    sb_status st;

    memset(out, 0, sizeof *out);
    out->kind = SB_PART_UBCSR;
    if (!sorted || cv->v->cols < w || cv->v->block > 1 || sb_cover_begun(cv))
        return SB_SKIP;
    SB_ASSERT(b >= 1 && b <= SB_UBCSR_ROWS && (w == 4 || w == 8));
    st = build(out, cv, &j, par);
    if (st != SB_OK) {
        sb_part_free(out);
        sb_cover_free(cv);
    }
    return st;
}
