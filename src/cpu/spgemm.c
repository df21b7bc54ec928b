/*
 * The steps of a product of sparse matrices: workers that take pieces of about the same
 * number of products, each with a slot of the caller's memory.
 */
#include "cpu/spgemm.h"

#include "base/checked.h"
#include "base/fault.h"
#include "base/macro.h"
#include "cpu/exec.h"

#include <string.h>

enum {
    PIECE = 1 << 14, /* products and rows of a piece, at least */
    PIECES = 1024    /* at most */
};

/* ---- Slots -------------------------------------------------------------------------- */

/* What the rows ask of a slot: 0 where no row does. */
typedef struct needs {
    int64_t list, near, hashed;
} needs;

static needs
needs_of(const sb_spgemm *g)
{
    needs n = {0, 0, 0};

    for (int64_t i = 0; i < g->a.rows; i++) {
        const int64_t work = g->work[i + 1] - g->work[i];

        if (sb_spgemm_hashes(g, i))
            n.hashed = SB_SPGEMM_TABLE;
        else
            n.near = g->b.cols;
        n.list = work > n.list ? work : n.list;
    }
    n.list = (n.list < g->b.cols ? n.list : g->b.cols) + 1;
    return n;
}

typedef struct array {
    int64_t count;
    size_t size;
    void **at;
} array;

/* The arrays of a slot at `base` one after another, each on a line of its own; how many
 * bytes those are. false on overflow. */
static bool
lay_out(const sb_spgemm *g, bool values, char *base, sb_spgemm_slot *s, size_t *bytes)
{
    const needs n = needs_of(g);
    const size_t sum =
        values ? sb_spgemm_value_of(g->b.idx_type, g->b.val_type)->sum : 0;
    const array arrays[] = {{n.near, 1, (void **)&s->mark},
                            {(n.near + 63) / 64, 8, (void **)&s->map.bits},
                            {(n.near + 4095) / 4096, 8, (void **)&s->map.words},
                            {n.list, sb_dtype_size(g->b.idx_type), &s->list},
                            {n.hashed, 8, (void **)&s->key},
                            {sum ? n.near : 0, sum, &s->sum},
                            {sum ? n.hashed : 0, sum, &s->entry}};
    int64_t total = 0;

    for (int k = 0; k < SB_COUNT(arrays); k++) {
        size_t size;

        if (!sb_bytes(arrays[k].count, arrays[k].size, &size) || size > INT64_MAX - 63)
            return false;
        if (base)
            *arrays[k].at = base + total;
        if (!sb_add_i64(total, (int64_t)((size + 63) & ~(size_t)63), &total))
            return false;
    }
    *bytes = (size_t)total;
    return true;
}

static bool
slot_bytes(const sb_spgemm *g, bool values, size_t *bytes)
{
    sb_spgemm_slot s;

    return lay_out(g, values, NULL, &s, bytes);
}

/* ---- Team --------------------------------------------------------------------------- */

typedef void (*row_fn)(const sb_spgemm *g, sb_spgemm_slot *s, int64_t i);

typedef struct team {
    const sb_spgemm *g;
    row_fn fn;
    bool values;
    int64_t pieces;
    int64_t next; /* atomic */
} team;

/* The first row with at least `cost` products and rows before it. */
static int64_t
row_at(const sb_spgemm *g, int64_t cost)
{
    int64_t lo = 0, hi = g->a.rows;

    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;

        if (g->work[mid] + mid < cost)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* cost * piece / pieces without overflow. */
static int64_t
share(const team *t, int64_t piece)
{
    const int64_t cost = t->g->work[t->g->a.rows] + t->g->a.rows;

    return cost / t->pieces * piece + cost % t->pieces * piece / t->pieces;
}

/* Worker w with slot w takes pieces until none is left. */
static void
work_in_slot(team *t, int64_t w)
{
    const sb_spgemm *g = t->g;
    sb_spgemm_slot s = {0};
    size_t bytes;

    (void)lay_out(g, t->values, g->scratch + (size_t)w * g->slot_bytes, &s, &bytes);
    memset(g->scratch + (size_t)w * g->slot_bytes, 0, bytes);
    for (;;) {
        const int64_t piece = __atomic_fetch_add(&t->next, 1, __ATOMIC_RELAXED);
        const int64_t end = piece < t->pieces ? row_at(g, share(t, piece + 1)) : 0;

        if (piece >= t->pieces)
            return;
        for (int64_t i = row_at(g, share(t, piece)); i < end; i++)
            t->fn(g, &s, i);
    }
}

static void
run_workers(void *user, int64_t lo, int64_t hi)
{
    for (int64_t w = lo; w < hi; w++)
        work_in_slot(user, w);
}

static void
run(const sb_spgemm *g, row_fn fn, bool values)
{
    const int64_t cost = g->work[g->a.rows] + g->a.rows;
    team t = {g, fn, values, cost / PIECE + 1, 0};

    if (t.pieces > PIECES)
        t.pieces = PIECES;
    sb_exec_parallel(run_workers, &t, 0, t.pieces < g->slots ? t.pieces : g->slots, 1);
}

/* ---- Steps -------------------------------------------------------------------------- */

static void
count_products(void *user, int64_t lo, int64_t hi)
{
    const sb_spgemm *g = user;

    for (int64_t i = lo; i < hi; i++) {
        int64_t p, end, sum = 0;

        for (sb_spgemm_row(&g->a, i, &p, &end); p < end; p++) {
            int64_t q, to;

            sb_spgemm_row_of_b(g, p, &q, &to);
            if (!sb_add_i64(sum, to - q, &sum))
                sum = INT64_MAX;
        }
        g->work[i + 1] = sum;
    }
}

/* From a number for each row to the sum of all above; leaves room for the rows. */
static sb_status
add_up(int64_t *rows, int64_t m)
{
    int64_t sum = 0, with_rows;

    rows[0] = 0;
    for (int64_t i = 1; i <= m; i++) {
        if (!sb_add_i64(sum, rows[i], &sum) || !sb_add_i64(sum, m, &with_rows))
            return SB_ERESOURCES;
        rows[i] = sum;
    }
    return SB_OK;
}

static sb_status
work(const sb_spgemm *g)
{
    sb_exec_parallel(count_products, (void *)(uintptr_t)g, 0, g->a.rows, 4096);
    return add_up(g->work, g->a.rows);
}

/* Whether row i of A names the same rows of B as the one above, as rows of one mesh node
 * do: then C's rows have the same columns. */
static bool
repeats(const sb_spgemm *g, int64_t i)
{
    const size_t size = sb_dtype_size(g->a.idx_type);
    const char *idx = g->a.idx;
    int64_t lo, mid, hi;

    sb_spgemm_row(&g->a, i - 1, &lo, &mid);
    sb_spgemm_row(&g->a, i, &mid, &hi);
    return mid - lo == hi - mid &&
           (SB_FAULT(SPGEMM_REPEAT) ||
            memcmp(idx + (size_t)lo * size, idx + (size_t)mid * size,
                   (size_t)(hi - mid) * size) == 0);
}

/* Whether the slot has just done the row above and row i repeats it; notes row i. */
static bool
known(const sb_spgemm *g, sb_spgemm_slot *s, int64_t i)
{
    const bool yes = i > 0 && s->row == i && repeats(g, i);

    s->row = i + 1;
    return yes;
}

/* Offsets are added up later: ptr[i + 1] is row i's number. */
static void
count_row(const sb_spgemm *g, sb_spgemm_slot *s, int64_t i)
{
    g->ptr[i + 1] =
        known(g, s, i) ? g->ptr[i] : sb_spgemm_index_of(g->b.idx_type)->count(g, s, i);
}

static void
count(const sb_spgemm *g)
{
    run(g, count_row, false);
    (void)add_up(g->ptr, g->a.rows); /* no more than products */
}

static void
put_offsets(const sb_spgemm *g)
{
    void *to = (void *)(uintptr_t)g->c.ptr;

    for (int64_t i = 0; i <= g->a.rows && to; i++)
        sb_index_store(to, g->c.ptr_type, i, g->ptr[i] + g->c.base);
}

static void
columns_of_row(const sb_spgemm *g, sb_spgemm_slot *s, int64_t i)
{
    const sb_spgemm_index *index = sb_spgemm_index_of(g->b.idx_type);

    if (!known(g, s, i))
        index->list(g, s, i);
    index->put(g, s, i);
}

static void
columns(const sb_spgemm *g)
{
    put_offsets(g);
    run(g, columns_of_row, false);
}

static void
values_of_row(const sb_spgemm *g, sb_spgemm_slot *s, int64_t i)
{
    const sb_spgemm_value *value = sb_spgemm_value_of(g->b.idx_type, g->b.val_type);

    value->gather(g, s, i, 0);
    sb_spgemm_index_of(g->b.idx_type)->get(g, s, i);
    value->store(g, s, i);
}

static void
values(const sb_spgemm *g)
{
    run(g, values_of_row, true);
}

static void
fill_row(const sb_spgemm *g, sb_spgemm_slot *s, int64_t i)
{
    const sb_spgemm_index *index = sb_spgemm_index_of(g->b.idx_type);
    const sb_spgemm_value *value = sb_spgemm_value_of(g->b.idx_type, g->b.val_type);
    const bool listed = known(g, s, i);
    const int64_t n = g->ptr[i + 1] - g->ptr[i];

    value->gather(g, s, i, listed ? 0 : n);
    if (!listed || sb_spgemm_hashes(g, i))
        index->sort(s, n, sb_spgemm_hashes(g, i));
    index->put(g, s, i);
    value->store(g, s, i);
}

static void
fill(const sb_spgemm *g)
{
    put_offsets(g);
    run(g, fill_row, true);
}

const sb_spgemm_steps sb_cpu_spgemm = {work, slot_bytes, count, columns, values, fill};
