/* A pointer a row, all moving right. */
#include "formats/chunk.h"

#include "base/fault.h"

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
