/*
 * Sparse to dense, and values of a structure that is there from dense: whoever owns lines of the dense matrix clears them and puts the
 * entries that lie there in their order. Lines are rows, of CSC columns.
 */
#include "base/alloc.h"
#include "formats/dense.h"
#include "formats/share.h"
#include "formats/tensor.h"

#include <string.h>

/* B with lines that need not be rows: element (line u, v) at u * line + v * along. */
typedef struct place {
    const sb_matrix *a;
    char *data;
    sb_dtype type;
    size_t size;
    int64_t lines, length, line, along;
    bool take;      /* the other way: values of A from B */
    sb_share share; /* of COO's entries; else only a number of pieces */
} place;

/* Zeros in the lines [lo, hi). */
static void
clear(const place *w, int64_t lo, int64_t hi)
{
    const bool whole = w->along == 1;
    const int64_t runs = whole ? hi - lo : w->length, run = whole ? w->length : hi - lo;

    for (int64_t q = 0; q < runs && run > 0; q++) {
        const int64_t at = whole ? (lo + q) * w->line : lo * w->line + q * w->along;

        memset(w->data + at * (int64_t)w->size, 0, (size_t)run * w->size);
    }
}

/* Copies an element of n bytes to a place that is still zero; false: it is not. */
#define PUT_FIRST(n)              \
    case n:                       \
        if (memcmp(to, zeros, n)) \
            return false;         \
        memcpy(to, val, n);       \
        return true
static bool
put_first(char *to, const char *val, size_t size)
{
    static const char zeros[16];

    switch (size) {
        PUT_FIRST(1);
        PUT_FIRST(2);
        PUT_FIRST(4);
        PUT_FIRST(8);
        PUT_FIRST(16);
    default:
        return true;
    }
}

/* One entry: u and v are its line and place there. */
static void
move(const place *w, int64_t u, int64_t v, char *val)
{
    char *at = w->data + (u * w->line + v * w->along) * (int64_t)w->size;
    sb_value sum, e;

    if (w->take) {
        memcpy(val, at, w->size);
        return;
    }
    if (put_first(at, val, w->size))
        return;
    sum = sb_value_load(w->type, at, 0);
    e = sb_value_load(w->type, val, 0);
    sb_value_store(w->type, at, 0, (sb_value){sum.re + e.re, sum.im + e.im});
}

/* The block (or element) of slot p in major u. */
static void
move_slot(const place *w, int64_t u, int64_t p)
{
    const sb_matrix *a = w->a;
    const int64_t b = sb_matrix_block(a);
    const int64_t v = sb_index(a->idx, a->idx_type, p) - a->base;

    for (int64_t e = 0; e < b * b && v >= 0; e++)
        move(w, u * b + e / b, v * b + e % b,
             (char *)a->val + sb_matrix_value(a, p, e / b, e % b) * (int64_t)w->size);
}

/* Whether entries are elements with indices of 32 bits, as most are. */
static bool
is_plain(const place *w)
{
    const sb_format format = w->a->format;

    return !w->take && w->a->idx_type == SB_I32 && (w->size == 4 || w->size == 8) &&
           (format == SB_FORMAT_CSR || format == SB_FORMAT_CSC);
}

/* Entries p .. end of line u, by elements of one size: bits that are there already, of an
 * entry that comes twice, are added to. */
#define PLACE_LINE(name, E)                                             \
    static void name(const place *w, int64_t u, int64_t p, int64_t end) \
    {                                                                   \
        const int32_t *idx = w->a->idx;                                 \
        E *val = w->a->val, *line = (E *)(void *)w->data + u * w->line; \
        const int64_t along = w->along, base = w->a->base;              \
        for (; p < end; p++) {                                          \
            E *to = line + (idx[p] - base) * along;                     \
            if (*to)                                                    \
                move(w, u, idx[p] - base, (char *)&val[p]);             \
            else                                                        \
                *to = val[p];                                           \
        }                                                               \
    }
PLACE_LINE(place_line_4, uint32_t)
PLACE_LINE(place_line_8, uint64_t)

/* All but COO: pieces of majors. */
static void
place_majors(void *user, int64_t first, int64_t last)
{
    const place *w = user;
    const sb_matrix *a = w->a;
    const int64_t b = sb_matrix_block(a);
    const bool plain = is_plain(w);

    for (int64_t t = first; t < last; t++) {
        const int64_t lo = sb_share_cut(w->lines / b, w->share.pieces, t);
        const int64_t hi = sb_share_cut(w->lines / b, w->share.pieces, t + 1);

        if (!w->take)
            clear(w, lo * b, hi * b);
        for (int64_t u = lo; u < hi; u++) {
            const sb_slots s = sb_matrix_slots(a, u);

            if (plain)
                (w->size == 4 ? place_line_4 : place_line_8)(w, u, s.lo, s.hi);
            else
                for (int64_t p = s.lo; p < s.hi; p += s.step)
                    move_slot(w, u, p);
        }
    }
}

/* Listed: pieces of rows and the entries among which theirs are. */
static void
place_entries(void *user, int64_t first, int64_t last)
{
    const place *w = user;
    const sb_matrix *a = w->a;

    for (int64_t t = first; t < last; t++) {
        const sb_share_piece r = sb_share_of(&w->share, t);

        clear(w, r.lo, r.hi);
        for (int64_t p = r.p; p < r.end; p++) {
            const int64_t i = sb_index(a->row, a->idx_type, p) - a->base;

            if (i >= r.lo && i < r.hi)
                move_slot(w, i, p);
        }
    }
}

/* A format of the language: its elements as a list. */
static sb_status
place_tensor(const sb_dense *b, const sb_matrix *a, const sb_par *par, sb_diag *diag)
{
    int64_t *coord[2] = {NULL, NULL}, nnz = 0;
    void *val = NULL;
    sb_status st = sb_tensor_coords(coord, &val, &nnz, a->tensor);

    if (st == SB_OK) {
        const sb_matrix list = {.format = SB_FORMAT_COO,
                                .rows = a->rows,
                                .cols = a->cols,
                                .nnz = nnz,
                                .row = coord[0],
                                .idx = coord[1],
                                .val = val,
                                .idx_type = SB_I64,
                                .val_type = a->val_type};

        st = sb_dense_from_matrix(b, &list, par, diag);
    }
    sb_free(coord[0]);
    sb_free(coord[1]);
    sb_free(val);
    return st;
}

static place
place_of(const sb_dense *b, const sb_matrix *a, bool take)
{
    const bool csc = a->format == SB_FORMAT_CSC, along = b->col_major == csc;

    return (place){.a = a,
                   .data = b->data,
                   .type = b->type,
                   .size = sb_dtype_size(b->type),
                   .lines = csc ? b->cols : b->rows,
                   .length = csc ? b->rows : b->cols,
                   .line = along ? b->ld : 1,
                   .along = along ? 1 : b->ld,
                   .take = take,
                   .share = {.idx = a->row,
                             .type = a->idx_type,
                             .base = a->base,
                             .nnz = a->nnz,
                             .size = a->rows,
                             .pieces = sb_share_count(b->rows * b->cols)}};
}

sb_status
sb_dense_from_matrix(const sb_dense *b, const sb_matrix *a, const sb_par *par,
                     sb_diag *diag)
{
    const bool coo = a->format == SB_FORMAT_COO;
    place w = place_of(b, a, false);

    if (a->tensor)
        return place_tensor(b, a, par, diag);
    if (coo)
        sb_share_plan(&w.share, par);
    sb_par_run(par, coo ? place_entries : place_majors, &w, 0, w.share.pieces, 1);
    return SB_OK;
}

void
sb_dense_sample(const sb_dense *a, const sb_matrix *b, const sb_par *par)
{
    place w = place_of(a, b, true);

    sb_par_run(par, place_majors, &w, 0, w.share.pieces, 1);
}
