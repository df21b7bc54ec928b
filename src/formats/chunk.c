/* A pointer a row, all moving right. */
#include "formats/chunk.h"

#include "base/alloc.h"
#include "base/fault.h"

#include <string.h>

enum { PIECE = 64 /* windows at most */ };

void
sb_chunk_begin(sb_chunk_scan *sc, const sb_view *v, int64_t window, int b, int cols)
{
    const int64_t first = window * b, left = v->rows - first;

    sc->v = v;
    sc->wide = v->crd_type == SB_I64;
    sc->rows = left < b ? (int)left : b;
    sc->cols = cols;
    for (int r = 0; r < sc->rows; r++) {
        sc->at[r] = sb_view_lo(v, first + r);
        sc->end[r] = sb_view_lo(v, first + r + 1);
    }
}

/* Column in a slot, as the matrix counts; `wide` is constant where this is inlined. */
SB_INLINE int64_t
column(const void *crd, int64_t p, bool wide)
{
    return wide ? ((const int64_t *)crd)[p] : ((const int32_t *)crd)[p];
}

/* The bits of the next eight slots, none of which is behind the last of all: what is not of the row, or
 * of the chunk, is 0. No branch for each of them, which would not be foreseen. */
SB_INLINE uint32_t
next_eight(sb_chunk_scan *sc, int r, int64_t first, bool wide)
{
    const int64_t p = sc->at[r], n = sc->end[r] - p;
    uint32_t bits = 0;
    int passed = 0;

    for (int c = 0; c < 8; c++) {
        const uint64_t d = (uint64_t)(column(sc->v->crd, p + c, wide) - first);
        const bool in = (c < n) & (d < (uint64_t)sc->cols);

        bits |= (uint32_t)in << (d & 31);
        passed += in;
    }
    sc->at[r] = p + passed;
    return bits;
}

/* The bits of one row, whose slots up to the chunk's end are passed. Whether it has all
 * columns of the chunk two of them tell: they ascend. */
SB_INLINE uint32_t
scan_row(sb_chunk_scan *sc, int r, int64_t first, bool wide)
{
    const void *const crd = sc->v->crd;
    const int64_t end = sc->end[r], last = sc->at[r] + sc->cols - 1;
    int64_t p = sc->at[r], d;
    uint32_t bits = 0;

    if (last < end && column(crd, p, wide) == first &&
        column(crd, last, wide) == first + sc->cols - 1) {
        sc->at[r] = last + 1;
        return (1u << sc->cols) - 1;
    }
    if (sc->cols <= 8 && p + 8 <= sc->v->nnz)
        return next_eight(sc, r, first, wide);
    for (; p < end && (d = column(crd, p, wide) - first) < sc->cols; p++)
        bits |= 1u << d;
    sc->at[r] = p;
    return bits;
}

SB_INLINE int64_t
scan_chunk(sb_chunk_scan *sc, uint32_t mask[SB_CHUNK_ROWS], bool wide)
{
    const int64_t base = sc->v->crd_base, most = sc->v->cols - sc->cols + base;
    int64_t first = INT64_MAX;

    for (int r = 0; r < sc->rows; r++)
        if (sc->at[r] < sc->end[r]) {
            const int64_t j = column(sc->v->crd, sc->at[r], wide);

            first = j < first ? j : first;
        }
    if (first == INT64_MAX)
        return -1;
    if (!SB_FAULT(UBCSR_LAST))
        first = first < most ? first : most; /* all may be read */
    for (int r = 0; r < sc->rows; r++)
        mask[r] = scan_row(sc, r, first, wide);
    return first - base;
}

int64_t
sb_chunk_next(sb_chunk_scan *sc, uint32_t mask[SB_CHUNK_ROWS])
{
    return sc->wide ? scan_chunk(sc, mask, true) : scan_chunk(sc, mask, false);
}

int64_t
sb_chunk_count(const sb_view *v, int64_t window, int b, int cols)
{
    uint32_t mask[SB_CHUNK_ROWS];
    sb_chunk_scan sc;
    int64_t n = 0;

    sb_chunk_begin(&sc, v, window, b, cols);
    while (sb_chunk_next(&sc, mask) >= 0)
        n++;
    return n;
}

/* Chunks of some windows, from when they are cut until it is known where they go: columns
 * are looked through only once. */
typedef struct piece {
    int64_t chunks, crds, masks; /* and how many fit in either array */
    void *crd, *bits;
    bool failed; /* memory was short */
} piece;

/* What threads share: pieces are cut and moved apart from each other. */
typedef struct job {
    const sb_view *v;
    int b, cols;
    int64_t windows, per, pieces; /* per: windows of a piece */
    piece *piece;
    void *ptr, *crd, *bits;
} job;

static void
cut_piece(const job *j, int64_t from, piece *to)
{
    const sb_view *v = j->v;
    const int64_t end = from + j->per < j->windows ? from + j->per : j->windows;
    const size_t crd = sb_dtype_size(v->crd_type),
                 bits = (size_t)j->b * sizeof(int32_t);
    int64_t n = 0, first;
    uint32_t mask[SB_CHUNK_ROWS] = {0};

    for (int64_t w = from; w < end; w++) {
        sb_chunk_scan sc;

        sb_index_store(j->ptr, v->slot_type, w, n);
        sb_chunk_begin(&sc, v, w, j->b, j->cols);
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
        cut_piece(j, q * j->per, &j->piece[q]);
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

        for (int64_t w = q * j->per; w < (q + 1) * j->per && w < j->windows; w++)
            sb_index_store(j->ptr, t, w, sb_index(j->ptr, t, w) + at);
        if (n == 0)
            continue;
        memcpy((char *)j->crd + (size_t)at * sb_dtype_size(c), j->piece[q].crd,
               (size_t)n * sb_dtype_size(c));
        memcpy((char *)j->bits + (size_t)at * bits, j->piece[q].bits, (size_t)n * bits);
    }
}

static sb_status
cut(sb_part *out, const sb_chunk_names *names, job *j, int64_t most, const sb_par *par)
{
    const sb_view *v = j->v;
    int64_t chunks = 0;

    j->ptr = sb_part_array_new(out, names->ptr, v->slot_type, j->windows + 1);
    if (!j->ptr)
        return SB_ENOMEM;
    sb_par_run(par, cut_pieces, j, 0, j->pieces, 1);
    for (int64_t q = 0; q <= j->pieces; q++) {
        const int64_t n = j->piece[q].chunks;

        if (j->piece[q].failed)
            return SB_ENOMEM;
        j->piece[q].chunks = chunks;
        chunks += n;
    }
    if (chunks > most)
        return SB_SKIP;
    sb_index_store(j->ptr, v->slot_type, j->windows, chunks);
    j->crd = sb_part_array_new(out, names->crd, v->crd_type, chunks);
    j->bits = sb_part_array_new(out, names->bits, SB_I32, chunks * j->b);
    if (!j->crd || !j->bits)
        return SB_ENOMEM;
    sb_par_run(par, move_pieces, j, 0, j->pieces, 1);
    return SB_OK;
}

sb_status
sb_chunks_make(sb_part *out, const sb_chunk_names *names, const sb_view *v, int b,
               int cols, int64_t most, const sb_par *par)
{
    job j = {.v = v, .b = b, .cols = cols, .windows = (v->rows + b - 1) / b};
    sb_status st = SB_ENOMEM;

    j.per = sb_par_piece(v->nnz, j.windows, PIECE);
    j.pieces = (j.windows + j.per - 1) / j.per;
    j.piece = sb_alloc_zero((size_t)(j.pieces + 1) * sizeof *j.piece);
    if (j.piece)
        st = cut(out, names, &j, most, par);
    for (int64_t q = 0; j.piece && q < j.pieces; q++) {
        sb_free(j.piece[q].crd);
        sb_free(j.piece[q].bits);
    }
    sb_free(j.piece);
    return st;
}
