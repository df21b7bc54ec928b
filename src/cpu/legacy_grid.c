/*
 * Blocks cut anew. Block rows of C are one thread's each. Where the columns of A's rows
 * ascend, a CSR's rows are read side by side, the lowest block column first, and blocks
 * are opened row by row. Else the block columns that the rows of A below it touch are
 * listed by way of an array over all of them, sorted, and filled element by element.
 */
#include "base/alloc.h"
#include "base/fault.h"
#include "cpu/exec.h"
#include "cpu/legacy.h"

#include <stdlib.h>
#include <string.h>

enum {
    SLOTS = 16,
    ABREAST = 64 /* rows read side by side, at most */
};

/* One worker's arrays over block columns of C. */
typedef struct slot {
    int32_t *where; /* -1, or the block's place in the row */
    int32_t *list;
    int64_t n;
    bool ready; /* where is all -1 */
} slot;

typedef struct job {
    const sb_regrid *g;
    int32_t *count; /* NULL: C is wanted */
    int32_t *memory;
    int64_t slots, rows, cols; /* rows and columns: of C's blocks */
} job;

static int64_t
smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Block columns of C that block p of A lies in. */
static void
list_block(const sb_regrid *g, slot *s, int64_t p)
{
    const int64_t y = (int64_t)(g->a.idx[p] - g->a.base) * g->a.across;
    const int64_t end = smaller(y + g->a.across, g->n);

    for (int64_t j = y / g->c.across; j * g->c.across < end; j++) {
        if (s->where[j] < 0) {
            s->where[j] = 0;
            s->list[s->n++] = (int32_t)j;
        }
        if (SB_FAULT(GRID_TAIL))
            break;
    }
}

/* Those of block row i of C. */
static void
list_row(const sb_regrid *g, slot *s, int64_t i)
{
    const int64_t x = i * g->c.down, end = smaller(x + g->c.down, g->m);

    s->n = 0;
    for (int64_t u = x / g->a.down; u * g->a.down < end; u++)
        for (int64_t p = g->a.ptr[u] - g->a.base; p < g->a.ptr[u + 1] - g->a.base; p++)
            list_block(g, s, p);
}

static void
clear_row(slot *s)
{
    for (int64_t q = 0; q < s->n; q++)
        s->where[s->list[q]] = -1;
}

static int
ascending(const void *x, const void *y)
{
    const int32_t a = *(const int32_t *)x, b = *(const int32_t *)y;

    return a < b ? -1 : a > b;
}

/* Where element (r, c) of block p lies. */
static size_t
element(const sb_regrid *g, const sb_grid *d, int64_t p, int64_t r, int64_t c)
{
    return (size_t)(p * d->down * d->across +
                    (g->by_columns ? c * d->down + r : r * d->across + c)) *
           g->size;
}

/* The rows of block p of A, which is in block row u, that lie in block row i of C. */
static void
move_block(const sb_regrid *g, const slot *s, int64_t i, int64_t u, int64_t p)
{
    const int64_t top = i * g->c.down,
                  left = (int64_t)(g->a.idx[p] - g->a.base) * g->a.across;
    const int64_t end = smaller(smaller(top + g->c.down, (u + 1) * g->a.down), g->m);

    for (int64_t x = u * g->a.down > top ? u * g->a.down : top; x < end; x++)
        for (int64_t y = left; y < smaller(left + g->a.across, g->n); y++)
            memcpy((char *)g->c.val + element(g, &g->c, s->where[y / g->c.across],
                                              x - top, y % g->c.across),
                   (const char *)g->a.val +
                       element(g, &g->a, p, x - u * g->a.down, y - left),
                   g->size);
}

static void
fill_row(const sb_regrid *g, slot *s, int64_t i)
{
    const int64_t from = g->c.ptr[i] - g->c.base;
    const int64_t x = i * g->c.down, end = smaller(x + g->c.down, g->m);

    qsort(s->list, (size_t)s->n, sizeof *s->list, ascending);
    for (int64_t q = 0; q < s->n; q++) {
        s->where[s->list[q]] = (int32_t)(from + q);
        g->c.idx[from + q] = s->list[q] + g->c.base;
    }
    memset((char *)g->c.val + element(g, &g->c, from, 0, 0), 0,
           element(g, &g->c, s->n, 0, 0));
    for (int64_t u = x / g->a.down; u * g->a.down < end; u++)
        for (int64_t p = g->a.ptr[u] - g->a.base; p < g->a.ptr[u + 1] - g->a.base; p++)
            move_block(g, s, i, u, p);
}

/* ---- Ascending columns -------------------------------------------------------------- */

/* The entries from *p on, before end, of row r of a block that begins in column `left`, to
 * `block`, NULL: they are passed over. */
static inline bool
take_row(const sb_regrid *g, int64_t *p, int64_t end, int64_t left, char *block,
         int64_t r, size_t size)
{
    const size_t step = (size_t)(g->by_columns ? g->c.down : 1) * size;
    const int32_t *idx = g->a.idx;
    const int64_t lo = left + g->a.base, hi = lo + g->c.across;
    const char *val = g->a.val;
    char *row = block ? block + element(g, &g->c, 0, r, 0) : NULL;
    int64_t q = *p;

    for (; q < end && idx[q] < hi && idx[q] >= lo; q++)
        if (row)
            memcpy(row + (size_t)(idx[q] - lo) * step, val + (size_t)q * size, size);
    *p = q;
    return q == end || idx[q] >= hi;
}

/* Block row i of C from a CSR: blocks, -1 where columns do not ascend. fill: C is written. */
static inline int64_t
merge_row(const sb_regrid *g, int64_t i, bool fill, size_t size)
{
    const int64_t top = i * g->c.down, rows = smaller(g->c.down, g->m - top);
    const int64_t from = fill ? g->c.ptr[i] - g->c.base : 0;
    int64_t at[ABREAST], n = 0;

    for (int64_t r = 0; r < rows; r++)
        at[r] = g->a.ptr[top + r] - g->a.base;
    for (;; n++) {
        int64_t low = INT64_MAX, column, left;
        char *block = NULL;

        for (int64_t r = 0; r < rows; r++)
            if (at[r] < g->a.ptr[top + r + 1] - g->a.base && g->a.idx[at[r]] < low)
                low = g->a.idx[at[r]];
        if (low == INT64_MAX)
            return n;
        column = (uint32_t)(low - g->a.base) / (uint32_t)g->c.across;
        left = column * g->c.across;
        if (fill) {
            block = (char *)g->c.val + element(g, &g->c, from + n, 0, 0);
            memset(block, 0, element(g, &g->c, 1, 0, 0));
            g->c.idx[from + n] = (int32_t)column + g->c.base;
        }
        for (int64_t r = 0; r < rows; r++)
            if (!take_row(g, &at[r], g->a.ptr[top + r + 1] - g->a.base, left, block, r,
                          size))
                return -1;
    }
}

/* Row i of a CSR from blocks, with merge_row's answer. */
static inline int64_t
open_row(const sb_regrid *g, int64_t i, bool fill, size_t size)
{
    const int64_t u = i / g->a.down, lo = g->a.ptr[u] - g->a.base;
    const int64_t hi = g->a.ptr[u + 1] - g->a.base;
    const size_t step = (size_t)(g->by_columns ? g->a.down : 1) * size;
    int64_t at = fill ? g->c.ptr[i] - g->c.base : 0;
    const int64_t from = at;

    for (int64_t p = lo; p < hi; p++) {
        const int64_t left = (int64_t)(g->a.idx[p] - g->a.base) * g->a.across;
        const int64_t n = smaller(g->a.across, g->n - left);
        const char *row = (const char *)g->a.val + element(g, &g->a, p, i % g->a.down, 0);

        if (p > lo && g->a.idx[p] <= g->a.idx[p - 1])
            return -1;
        for (int64_t c = 0; c < n && fill; c++) {
            g->c.idx[at + c] = (int32_t)(left + c) + g->c.base;
            memcpy((char *)g->c.val + (size_t)(at + c) * size, row + (size_t)c * step,
                   size);
        }
        at += n;
    }
    return at - from;
}

static inline int64_t
ascending_sized(const sb_regrid *g, int64_t i, bool fill, size_t size)
{
    if (g->a.down == 1 && g->a.across == 1 && g->c.down <= ABREAST)
        return merge_row(g, i, fill, size);
    if (g->c.down == 1 && g->c.across == 1)
        return open_row(g, i, fill, size);
    return -1;
}

/* The size of values is a constant to each. */
static int64_t
ascending_row(const sb_regrid *g, int64_t i, bool fill)
{
    if (SB_FAULT(GRID_TAIL))
        return -1;
    if (g->size == 4)
        return ascending_sized(g, i, fill, 4);
    if (g->size == 8)
        return ascending_sized(g, i, fill, 8);
    return ascending_sized(g, i, fill, g->size);
}

/* ---- Rows --------------------------------------------------------------------------- */

static void
any_row(const job *j, slot *s, int64_t i)
{
    if (!s->ready)
        memset(s->where, 0xff, (size_t)j->cols * sizeof *s->where);
    s->ready = true;
    list_row(j->g, s, i);
    if (j->count)
        j->count[i] = (int32_t)s->n;
    else if (s->n > 0)
        fill_row(j->g, s, i);
    clear_row(s);
}

/* The first block row of C of slot q: those above it have its share of A's blocks. */
static int64_t
first_row(const job *j, int64_t q)
{
    const sb_regrid *g = j->g;
    const int64_t blocks = (g->m + g->a.down - 1) / g->a.down;
    const int64_t all = g->a.ptr[blocks] - g->a.ptr[0];
    int64_t lo = 0, hi = j->rows;

    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;
        const int64_t u = smaller(mid * g->c.down / g->a.down, blocks);
        const int64_t above = g->a.ptr[u] - g->a.ptr[0] + mid;

        if (above < (all + j->rows) / j->slots * q)
            lo = mid + 1;
        else
            hi = mid;
    }
    return q < j->slots ? lo : j->rows;
}

static void
run_slots(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;

    for (int64_t q = lo; q < hi; q++) {
        slot s = {j->memory + 2 * q * j->cols, j->memory + (2 * q + 1) * j->cols, 0,
                  false};
        const int64_t end = first_row(j, q + 1);

        for (int64_t i = first_row(j, q); i < end; i++) {
            const int64_t n = ascending_row(j->g, i, !j->count);

            if (n < 0)
                any_row(j, &s, i);
            else if (j->count)
                j->count[i] = (int32_t)n;
        }
    }
}

static sb_status
run(const sb_regrid *g, int32_t *count)
{
    const int64_t team = sb_exec_threads();
    job j = {.g = g,
             .count = count,
             .slots = team < SLOTS ? team : SLOTS,
             .rows = (g->m + g->c.down - 1) / g->c.down,
             .cols = (g->n + g->c.across - 1) / g->c.across};

    j.memory = sb_alloc_array(2 * j.slots * j.cols, sizeof *j.memory);
    if (!j.memory)
        return SB_ENOMEM;
    sb_exec_parallel(run_slots, &j, 0, j.slots, 1);
    sb_free(j.memory);
    return SB_OK;
}

sb_status
sb_regrid_count(const sb_regrid *g, int32_t *count)
{
    return run(g, count);
}

sb_status
sb_regrid_fill(const sb_regrid *g)
{
    return run(g, NULL);
}
