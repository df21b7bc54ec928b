/*
 * Dense to sparse: one scan counts, another fills. Majors (rows; of CSC columns) are
 * taken in groups, so that a dense matrix whose minors lie far apart is still read along
 * its lines.
 */
#include "base/macro.h"
#include "formats/dense.h"
#include "formats/share.h"

#include <string.h>

enum { GROUP = 64 }; /* majors scanned together */

/* Element (u, v) at u * major + v * minor; it is zero when its bits under mask are. */
typedef struct scan {
    const void *data;
    int64_t majors, minors, major, minor;
    uint64_t mask;
} scan;

typedef struct target {
    void *ptr, *row, *idx, *val; /* row: COO; ptr: the others */
    sb_dtype ptr_type, idx_type;
    int base;
} target;

static void
store(void *array, sb_dtype type, int64_t p, int64_t value)
{
    if (type == SB_I64)
        ((int64_t *)array)[p] = value;
    else
        ((int32_t *)array)[p] = (int32_t)value;
}

static void
put_index(const target *t, int64_t p, int64_t u, int64_t v)
{
    store(t->idx, t->idx_type, p, v + t->base);
    if (t->row)
        store(t->row, t->idx_type, p, u + t->base);
}

#define PLAIN_ZERO(e, mask) (((e) & (mask)) == 0)
#define PAIR_ZERO(e, mask) ((((e).half[0] | (e).half[1]) & (mask)) == 0)

typedef struct pair64 {
    uint64_t half[2];
} pair64;

#define E uint8_t
#define IS_ZERO PLAIN_ZERO
#define OP(name) name##_1
#include "formats/dense_scan.inc"
#define E uint16_t
#define IS_ZERO PLAIN_ZERO
#define OP(name) name##_2
#include "formats/dense_scan.inc"
#define E uint32_t
#define IS_ZERO PLAIN_ZERO
#define OP(name) name##_4
#include "formats/dense_scan.inc"
#define E uint64_t
#define IS_ZERO PLAIN_ZERO
#define OP(name) name##_8
#include "formats/dense_scan.inc"
#define E pair64
#define IS_ZERO PAIR_ZERO
#define OP(name) name##_16
#include "formats/dense_scan.inc"

typedef struct element_ops {
    void (*count)(int64_t *count, const scan *s, int64_t u, int64_t n);
    bool (*fill)(const target *t, const scan *s, int64_t u, int64_t n, int64_t *at,
                 const int64_t *end);
} element_ops;

static const element_ops *
ops_of(sb_dtype type)
{
    static const element_ops table[] = {[1] = {count_1, fill_1},
                                        [2] = {count_2, fill_2},
                                        [4] = {count_4, fill_4},
                                        [8] = {count_8, fill_8},
                                        [16] = {count_16, fill_16}};

    return &table[sb_dtype_size(type)];
}

typedef struct work {
    scan s;
    target t;
    const element_ops *ops;
    int64_t pieces;
    int64_t
        first[SB_SHARE_PIECES + 1]; /* entries of each piece, then those before it */
    bool misfit[SB_SHARE_PIECES];
} work;

static work
work_of(const sb_dense *a, const sb_matrix *b)
{
    const bool csc = b->format == SB_FORMAT_CSC, coo = b->format == SB_FORMAT_COO;
    const bool along = a->col_major == csc; /* minors lie side by side */

    return (work){.s = {.data = a->data,
                        .majors = csc ? a->cols : a->rows,
                        .minors = csc ? a->rows : a->cols,
                        .major = along ? a->ld : 1,
                        .minor = along ? 1 : a->ld,
                        .mask = sb_dtype_magnitude(a->type)},
                  .t = {.ptr = coo ? NULL : (void *)(uintptr_t)b->ptr,
                        .row = coo ? (void *)(uintptr_t)b->row : NULL,
                        .idx = (void *)(uintptr_t)b->idx,
                        .val = b->val,
                        .ptr_type = b->ptr_type,
                        .idx_type = b->idx_type,
                        .base = b->base},
                  .ops = ops_of(a->type),
                  .pieces = sb_share_count(a->rows * a->cols)};
}

/* Calls fn for the groups of pieces [first, last): majors [u, u + n) of piece t. */
typedef void (*group_fn)(work *w, int64_t t, int64_t u, int64_t n);

static void
for_groups(work *w, int64_t first, int64_t last, group_fn fn)
{
    for (int64_t t = first; t < last; t++) {
        const int64_t hi = sb_share_cut(w->s.majors, w->pieces, t + 1);

        for (int64_t u = sb_share_cut(w->s.majors, w->pieces, t); u < hi; u += GROUP)
            fn(w, t, u, hi - u < GROUP ? hi - u : GROUP);
    }
}

/* ---- First pass --------------------------------------------------------------------- */

/* Offsets hold their major's length meanwhile. */
static void
count_group(work *w, int64_t t, int64_t u, int64_t n)
{
    int64_t count[GROUP];

    w->ops->count(count, &w->s, u, n);
    for (int64_t r = 0; r < n; r++) {
        w->first[t] += count[r];
        if (w->t.ptr)
            store(w->t.ptr, w->t.ptr_type, u + r + 1, count[r]);
    }
}

static void
count_pieces(void *user, int64_t first, int64_t last)
{
    for_groups(user, first, last, count_group);
}

static void
sum_pieces(void *user, int64_t first, int64_t last)
{
    const work *w = user;

    for (int64_t t = first; t < last; t++) {
        const int64_t hi = sb_share_cut(w->s.majors, w->pieces, t + 1);
        int64_t sum = w->first[t] + w->t.base;

        for (int64_t u = sb_share_cut(w->s.majors, w->pieces, t); u < hi; u++) {
            sum += sb_index(w->t.ptr, w->t.ptr_type, u + 1);
            store(w->t.ptr, w->t.ptr_type, u + 1, sum);
        }
    }
}

/* first[t]: entries before piece t; first[pieces]: all. */
static void
count(work *w, const sb_par *par)
{
    int64_t sum = 0;

    sb_par_run(par, count_pieces, w, 0, w->pieces, 1);
    for (int64_t t = 0; t <= w->pieces; t++) {
        const int64_t here = w->first[t];

        w->first[t] = sum;
        sum += here;
    }
}

sb_status
sb_dense_count(int64_t *nnz, const sb_dense *a, const sb_matrix *b, const sb_par *par,
               sb_diag *diag)
{
    work w = work_of(a, b);

    count(&w, par);
    *nnz = w.first[w.pieces];
    if (!w.t.ptr)
        return SB_OK;
    if (b->ptr_type == SB_I32 && *nnz > INT32_MAX - (int64_t)b->base)
        return sb_diag_set(diag, SB_EINVAL,
                           "the dense matrix has %lld non-zeros, too many for 32-bit "
                           "offsets",
                           (long long)*nnz);
    store(w.t.ptr, w.t.ptr_type, 0, w.t.base);
    sb_par_run(par, sum_pieces, &w, 0, w.pieces, 1);
    return SB_OK;
}

/* ---- Second pass -------------------------------------------------------------------- */

/* Slots of the majors of a group: by offsets; listed: counted again, one after another. */
static bool
slots_of(work *w, int64_t t, int64_t u, int64_t n, int64_t nnz, int64_t *at,
         int64_t *end)
{
    if (!w->t.ptr) {
        w->ops->count(end, &w->s, u, n);
        for (int64_t r = 0; r < n; r++) {
            at[r] = w->first[t];
            end[r] = w->first[t] += end[r];
        }
        return w->first[t] <= nnz;
    }
    for (int64_t r = 0; r < n; r++) {
        at[r] = sb_index(w->t.ptr, w->t.ptr_type, u + r) - w->t.base;
        end[r] = sb_index(w->t.ptr, w->t.ptr_type, u + r + 1) - w->t.base;
        if (at[r] < 0 || at[r] > end[r] || end[r] > nnz)
            return false;
    }
    return true;
}

static void
fill_group(work *w, int64_t t, int64_t u, int64_t n)
{
    int64_t at[GROUP], end[GROUP];

    w->misfit[t] = w->misfit[t] ||
                   !slots_of(w, t, u, n, w->first[w->pieces], at, end) ||
                   !w->ops->fill(&w->t, &w->s, u, n, at, end);
}

static void
fill_pieces(void *user, int64_t first, int64_t last)
{
    for_groups(user, first, last, fill_group);
}

sb_status
sb_dense_to_matrix(const sb_dense *a, const sb_matrix *b, const sb_par *par,
                   sb_diag *diag)
{
    work w = work_of(a, b);
    bool misfit = false;

    if (!w.t.ptr)
        count(&w, par);
    misfit = !w.t.ptr && w.first[w.pieces] != b->nnz;
    w.first[w.pieces] = b->nnz;
    if (!misfit)
        sb_par_run(par, fill_pieces, &w, 0, w.pieces, 1);
    for (int64_t t = 0; t < w.pieces; t++)
        misfit = misfit || w.misfit[t];
    if (misfit)
        return sb_diag_set(diag, SB_EINVAL,
                           "the dense matrix has other non-zeros than the analysis "
                           "counted, or the offsets are not those it wrote");
    return SB_OK;
}
