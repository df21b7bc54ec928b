/*
 * Windows of b neighbouring rows, cut into chunks of 16 columns: each chunk has its
 * first column and, per row, a mask of the columns that the row holds. One load of x
 * serves 16 columns of b rows, and neither columns nor positions of single entries are
 * read: the values of a row lie in the order of its masks. Nothing is padded and no
 * value is copied, so this is blocks and runs of any shape with values in place.
 * Source   SPC5 (Bramas and Kus 2018), the windows aligned to rows only
 */
#include "formats/chunk.h"
#include "formats/part.h"

#include "base/alloc.h"

#include <string.h>

enum { PIECE = 64 /* windows */ };

/* Chunks of PIECE windows, from when they are cut until it is known where they go: columns
 * are looked through only once. */
typedef struct piece {
    int64_t chunks, crds, masks; /* and how many fit in either array */
    void *crd, *bits;
    bool failed; /* memory was short */
} piece;

/* What threads share: pieces are cut and moved apart from each other. */
typedef struct job {
    const sb_view *v;
    int b;
    int64_t windows;
    piece *piece;
    void *ptr, *crd, *bits;
} job;

static void
cut_piece(const job *j, int64_t from, piece *to)
{
    const sb_view *v = j->v;
    const int64_t end = from + PIECE < j->windows ? from + PIECE : j->windows;
    const size_t crd = sb_dtype_size(v->crd_type),
                 bits = (size_t)j->b * sizeof(int32_t);
    int64_t n = 0, first;
    uint32_t mask[SB_CHUNK_ROWS] = {0};

    for (int64_t w = from; w < end; w++) {
        sb_chunk_scan sc;

        sb_index_store(j->ptr, v->slot_type, w, n);
        sb_chunk_begin(&sc, v, w, j->b, SB_MASK_COLS);
        for (int r = sc.rows; r < j->b; r++)
            mask[r] = 0;
        for (; (first = sb_chunk_next(&sc, mask)) >= 0; n++) {
            if (!sb_alloc_room(&to->crd, &to->crds, n, crd) ||
                !sb_alloc_room(&to->bits, &to->masks, n, bits)) {
                to->failed = true;
                return;
            }
            sb_index_store(to->crd, v->crd_type, n, first);
            memcpy((char *)to->bits + (size_t)n * bits, mask, bits);
        }
    }
    to->chunks = n;
}

static void
cut_pieces(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;

    for (int64_t q = lo; q < hi; q++)
        cut_piece(j, q * PIECE, &j->piece[q]);
}

/* `chunks` now counts those before the piece. */
static void
move_pieces(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;
    const sb_dtype t = j->v->slot_type, c = j->v->crd_type;
    const size_t bits = (size_t)j->b * sizeof(int32_t);

    for (int64_t q = lo; q < hi; q++) {
        const int64_t at = j->piece[q].chunks, n = j->piece[q + 1].chunks - at;

        for (int64_t w = q * PIECE; w < (q + 1) * PIECE && w < j->windows; w++)
            sb_index_store(j->ptr, t, w, sb_index(j->ptr, t, w) + at);
        if (n == 0)
            continue;
        memcpy((char *)j->crd + (size_t)at * sb_dtype_size(c), j->piece[q].crd,
               (size_t)n * sb_dtype_size(c));
        memcpy((char *)j->bits + (size_t)at * bits, j->piece[q].bits, (size_t)n * bits);
    }
}

static sb_status
cut(sb_part *out, job *j, const sb_par *par)
{
    const sb_view *v = j->v;
    const int64_t pieces = (j->windows + PIECE - 1) / PIECE;
    int64_t chunks = 0;

    j->ptr = sb_part_array_new(out, "mask_ptr", v->slot_type, j->windows + 1);
    if (!j->ptr)
        return SB_ENOMEM;
    sb_par_run(par, cut_pieces, j, 0, pieces, 1);
    for (int64_t q = 0; q <= pieces; q++) {
        const int64_t n = j->piece[q].chunks;

        if (j->piece[q].failed)
            return SB_ENOMEM;
        j->piece[q].chunks = chunks;
        chunks += n;
    }
    sb_index_store(j->ptr, v->slot_type, j->windows, chunks);
    j->crd = sb_part_array_new(out, "mask_crd", v->crd_type, chunks);
    j->bits = sb_part_array_new(out, "mask_bits", SB_I32, chunks * j->b);
    if (!j->crd || !j->bits)
        return SB_ENOMEM;
    sb_par_run(par, move_pieces, j, 0, pieces, 1);
    return SB_OK;
}

static sb_status
build(sb_part *out, sb_cover *cv, int b, const sb_par *par)
{
    const sb_view *v = cv->v;
    job j = {.v = v, .b = b, .windows = (v->rows + b - 1) / b};
    const int64_t pieces = (j.windows + PIECE - 1) / PIECE;
    sb_status st = SB_ENOMEM;

    j.piece = sb_alloc_zero((size_t)(pieces + 1) * sizeof *j.piece);
    if (j.piece)
        st = cut(out, &j, par);
    for (int64_t q = 0; j.piece && q < pieces; q++) {
        sb_free(j.piece[q].crd);
        sb_free(j.piece[q].bits);
    }
    sb_free(j.piece);
    if (st != SB_OK)
        return SB_ENOMEM;
    sb_cover_rows_done(cv, v->rows);
    out->nnz = out->slots = v->nnz;
    out->width = b;
    out->ngroup = j.windows > 0;
    out->group[0] = (sb_part_group){0, j.windows, v->nnz, 0, false};
    cv->rest = 0;
    return SB_OK;
}

sb_status
sb_part_mask(sb_part *out, sb_cover *cv, int b, bool sorted, const sb_par *par)
{
    sb_status st;

    memset(out, 0, sizeof *out);
    out->kind = SB_PART_MASK;
    if (!sorted || cv->v->cols < SB_MASK_COLS || cv->v->pos || sb_cover_begun(cv))
        return SB_SKIP;
    SB_ASSERT(b >= 1 && b <= SB_CHUNK_ROWS);
    st = build(out, cv, b, par);
    if (st != SB_OK) {
        sb_part_free(out);
        sb_cover_free(cv);
    }
    return st;
}
