/*
 * hyb(c, k) of SparseTIR (section 4.2.1) without copying: the columns are cut into c
 * equal partitions; in each, rows are listed by length, so that the rows of a bucket
 * (lengths in (2^(l-1), 2^l], l <= k) lie together; a unit is a row with the range of
 * slots it owns in the caller's arrays. Rows longer than 2^k, which the paper splits
 * into units of 2^k, keep their splits adjacent, which in place is one range; `slots`
 * counts the padding the paper's form would have had.
 *
 * Rows of the first partition that no step has written yet, empty ones included, form
 * phase 0 (beta is applied there); everything else adds, one phase per partition.
 * Where another part took entries out of a row, every remaining run is a unit.
 *
 * k < 0 keeps the matrix's own order of rows: on a CPU it carries the locality of B and C,
 * and sorting by length costs up to two thirds of the speed
 * (docs/measured/spmm-rows.md, Rows stay in the matrix's order).
 */
#include "formats/part.h"

#include "base/alloc.h"
#include "base/fault.h"

#include <string.h>

enum { KEYS = 512 }; /* lengths above share buckets of powers of two */

/* A class is a future group: 0 first touch, 1 + q the adding rows of partition q. */
typedef struct builder {
    const sb_cover *cv;
    int64_t (*count)[KEYS + 64]; /* by class and key: units, then where they go */
    int64_t nnz[SB_PART_MAXC + 1];
    int64_t cut; /* columns per partition */
    int c, k;
    int64_t slots;
    void *row, *lo, *hi; /* outputs; NULL while counting */
} builder;

/* Falls with the length, so long rows come first and the team ends on small work. */
static int
key_of(int64_t len)
{
    int q = 0;

    if (len < KEYS)
        return (int)(63 + KEYS - len);
    while (len >= 2 * KEYS) {
        len /= 2;
        q++;
    }
    return q > 62 ? 0 : 62 - q;
}

static void
unit(builder *b, int cls, int key, int64_t row, int64_t lo, int64_t hi)
{
    const int64_t u = b->count[cls][key]++;
    const sb_view *v = b->cv->v;

    if (!b->row)
        return;
    sb_index_store(b->row, v->crd_type, u, row);
    sb_index_store(b->lo, v->slot_type, u, lo);
    sb_index_store(b->hi, v->slot_type, u, hi);
}

/* Slots [lo, hi) of one row in one partition, minus what others took. */
static void
row_range(builder *b, int q, int64_t row, int64_t lo, int64_t hi)
{
    const uint8_t *taken = b->cv->taken;
    const bool first = q == 0 && sb_cover_bare(b->cv, row);
    const int cls = first ? 0 : 1 + q;
    const int64_t full = b->k < 0 ? 1 : (int64_t)1 << b->k;
    int64_t len = hi - lo, pad = 1;
    int key;

    if (taken && !first)
        for (int64_t p = lo; p < hi; p++)
            len -= taken[p];
    if (len == 0 && !first)
        return;
    key = b->k < 0 ? 0 : key_of(len);
    b->nnz[cls] += len;
    while (pad < len && pad < full)
        pad *= 2;
    b->slots += len == 0 ? 0 : (len + pad - 1) / pad * pad;
    if (len == hi - lo) {
        unit(b, cls, key, row, lo, hi);
        return;
    }
    while (lo < hi) {
        int64_t end;

        while (lo < hi && taken[lo])
            lo++;
        for (end = lo; end < hi && !taken[end]; end++)
            ;
        if (end > lo)
            unit(b, cls, key, row, lo, end);
        lo = end;
    }
}

/* First slot in [lo, hi) of a sorted row whose column is not below j. */
static int64_t
lower_bound(const sb_view *v, int64_t lo, int64_t hi, int64_t j)
{
    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;

        if (sb_view_col(v, mid) < j)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void
walk(builder *b)
{
    const sb_view *v = b->cv->v;
    int64_t lo = v->rows > 0 ? sb_view_lo(v, b->cv->whole) : 0;

    for (int64_t i = b->cv->whole; i < v->rows; i++) {
        const int64_t hi = sb_view_lo(v, i + 1);

        for (int q = 0; q < b->c; q++) {
            const int64_t end =
                q + 1 == b->c ? hi : lower_bound(v, lo, hi, (q + 1) * b->cut);

            row_range(b, q, i, lo, end);
            lo = end;
        }
    }
}

/* Counts become places; classes become groups. */
static int64_t
place(builder *b, sb_part *out)
{
    int64_t at = 0;

    for (int cls = 0; cls <= b->c; cls++) {
        const int64_t lo = at;

        for (int key = 0; key < KEYS + 64; key++) {
            const int64_t n = b->count[cls][key];

            b->count[cls][key] = at;
            at += n;
        }
        if (at > lo)
            out->group[out->ngroup++] =
                (sb_part_group){lo, at - SB_FAULT(LOST_ROW), b->nnz[cls], cls, cls > 0};
    }
    return at;
}

static sb_status
build(sb_part *out, builder *b, sb_cover *cv)
{
    const sb_view *v = cv->v;
    int64_t units;

    walk(b);
    units = place(b, out);
    out->slots = b->slots;
    b->row = sb_part_array_new(out, "rows_row", v->crd_type, units);
    b->lo = sb_part_array_new(out, "rows_lo", v->slot_type, units);
    b->hi = sb_part_array_new(out, "rows_hi", v->slot_type, units);
    if (!b->row || !b->lo || !b->hi)
        return SB_ENOMEM;
    walk(b);
    sb_cover_rows_done(cv, v->rows);
    out->nnz = cv->rest;
    cv->rest = 0;
    return SB_OK;
}

sb_status
sb_part_rows(sb_part *out, sb_cover *cv, int c, int k, bool sorted)
{
    builder b = {0};
    sb_status st;

    memset(out, 0, sizeof *out);
    out->kind = SB_PART_ROWS;
    if (!cv->v->crd_in_place || cv->v->pos || c < 1 || c > SB_PART_MAXC || k > 40 ||
        (c > 1 && !sorted))
        return SB_SKIP;
    b.cv = cv;
    b.c = c;
    b.k = k;
    b.cut = cv->v->cols / c + (cv->v->cols % c > 0);
    b.count = sb_alloc_zero((size_t)(c + 1) * sizeof *b.count);
    st = b.count ? build(out, &b, cv) : SB_ENOMEM;
    sb_free(b.count);
    if (st != SB_OK)
        sb_part_free(out);
    return st;
}
