/*
 * Windows of b neighbouring rows, cut into chunks of 16 columns: each chunk has its
 * first column and, per row, a mask of the columns that the row holds. One load of x
 * serves 16 columns of b rows, and neither columns nor positions of single entries are
 * read: the values of a row lie in the order of its masks. Nothing is padded and no
 * value is copied, so this is blocks and runs of any shape with values in place.
 * Source   SPC5 (Bramas and Kus 2018), the windows aligned to rows only
 */
#include "formats/part.h"

#include "base/alloc.h"

#include <string.h>

enum { MAXB = 8, GRAIN = 256 /* windows */ };

typedef struct scan {
    const sb_view *v;
    int rows; /* of the window, the last may be short */
    int64_t at[MAXB], end[MAXB];
} scan;

static void
scan_begin(scan *sc, const sb_view *v, int64_t window, int b)
{
    const int64_t first = window * b, left = v->rows - first;

    sc->v = v;
    sc->rows = left < b ? (int)left : b;
    for (int r = 0; r < sc->rows; r++) {
        sc->at[r] = sb_view_lo(v, first + r);
        sc->end[r] = sb_view_lo(v, first + r + 1);
    }
}

/* Whether row r has all columns of the chunk: they ascend, so two tell. */
static bool
whole(const scan *sc, int r, int64_t first)
{
    const int64_t last = sc->at[r] + SB_MASK_COLS - 1;

    return last < sc->end[r] && sb_view_col(sc->v, sc->at[r]) == first &&
           sb_view_col(sc->v, last) == first + SB_MASK_COLS - 1;
}

/* First column of the next chunk, -1 at the end; mask[r] of its rows. */
static int64_t
scan_next(scan *sc, uint32_t mask[MAXB])
{
    int64_t first = -1;

    for (int r = 0; r < sc->rows; r++)
        if (sc->at[r] < sc->end[r]) {
            const int64_t j = sb_view_col(sc->v, sc->at[r]);

            first = first < 0 || j < first ? j : first;
        }
    if (first > sc->v->cols - SB_MASK_COLS)
        first = sc->v->cols - SB_MASK_COLS; /* all 16 may be read */
    for (int r = 0; first >= 0 && r < sc->rows; r++) {
        mask[r] = 0;
        if (whole(sc, r, first)) {
            mask[r] = (1u << SB_MASK_COLS) - 1;
            sc->at[r] += SB_MASK_COLS;
            continue;
        }
        while (sc->at[r] < sc->end[r]) {
            const int64_t d = sb_view_col(sc->v, sc->at[r]) - first;

            if (d >= SB_MASK_COLS)
                break;
            mask[r] |= 1u << d;
            sc->at[r]++;
        }
    }
    return first;
}

int64_t
sb_part_mask_chunks(const sb_view *v, int64_t window, int b)
{
    uint32_t mask[MAXB];
    int64_t n = 0;
    scan sc;

    scan_begin(&sc, v, window, b);
    while (scan_next(&sc, mask) >= 0)
        n++;
    return n;
}

/* What threads share: windows are counted and filled apart from each other. */
typedef struct job {
    const sb_view *v;
    int b;
    void *ptr, *crd, *bits;
} job;

static void
count_windows(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;

    for (int64_t w = lo; w < hi; w++)
        sb_index_store(j->ptr, j->v->slot_type, w, sb_part_mask_chunks(j->v, w, j->b));
}

static void
fill_windows(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;

    for (int64_t w = lo; w < hi; w++) {
        int64_t chunk = sb_index(j->ptr, j->v->slot_type, w), first;
        uint32_t mask[MAXB] = {0};
        scan sc;

        scan_begin(&sc, j->v, w, j->b);
        for (; (first = scan_next(&sc, mask)) >= 0; chunk++) {
            sb_index_store(j->crd, j->v->crd_type, chunk, first);
            for (int r = 0; r < j->b; r++)
                sb_index_store(j->bits, SB_I32, chunk * j->b + r, mask[r]);
        }
    }
}

static sb_status
build(sb_part *out, sb_cover *cv, int b, const sb_par *par)
{
    const sb_view *v = cv->v;
    const int64_t windows = (v->rows + b - 1) / b;
    job j = {.v = v, .b = b};
    int64_t chunks = 0;

    j.ptr = sb_part_array_new(out, "mask_ptr", v->slot_type, windows + 1);
    if (!j.ptr)
        return SB_ENOMEM;
    sb_par_run(par, count_windows, &j, 0, windows, GRAIN);
    for (int64_t w = 0; w < windows; w++) {
        const int64_t n = sb_index(j.ptr, v->slot_type, w);

        sb_index_store(j.ptr, v->slot_type, w, chunks);
        chunks += n;
    }
    sb_index_store(j.ptr, v->slot_type, windows, chunks);
    j.crd = sb_part_array_new(out, "mask_crd", v->crd_type, chunks);
    j.bits = sb_part_array_new(out, "mask_bits", SB_I32, chunks * b);
    if (!j.crd || !j.bits || !(cv->touched = sb_alloc_array(v->rows, 1)))
        return SB_ENOMEM;
    sb_par_run(par, fill_windows, &j, 0, windows, GRAIN);
    memset(cv->touched, 1, (size_t)v->rows);
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
    if (!sorted || cv->v->cols < SB_MASK_COLS || cv->v->pos || cv->taken || cv->touched)
        return SB_SKIP;
    SB_ASSERT(b >= 1 && b <= MAXB);
    st = build(out, cv, b, par);
    if (st != SB_OK) {
        sb_part_free(out);
        sb_cover_free(cv);
    }
    return st;
}
