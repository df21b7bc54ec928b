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

/* Rows of a CSR side by side: the next entry of each, the end, and the next column, base
 * and all; beyond all columns where a row has ended. */
typedef struct abreast {
    int64_t at[ABREAST], end[ABREAST], next[ABREAST];
    int64_t rows;
} abreast;

/* The entries of row r before column `hi` to `row`. */
static inline void
take_row(const sb_regrid *g, abreast *x, int64_t r, int64_t left, char *row,
         size_t size)
{
    const size_t step = (size_t)(g->by_columns ? g->c.down : 1) * size;
    const int64_t lo = left + g->a.base, hi = lo + g->c.across, end = x->end[r];
    const int32_t *idx = g->a.idx;
    const char *val = g->a.val;
    int64_t p = x->at[r], j = x->next[r];

    do {
        memcpy(row + (size_t)(j - lo) * step, val + (size_t)p * size, size);
        j = ++p < end ? idx[p] : INT64_MAX;
    } while (j < hi && j >= lo);
    x->at[r] = p;
    x->next[r] = j;
}

/* Block row i of C from a CSR; false: its columns do not ascend. */
static inline bool
merge_row(const sb_regrid *g, int64_t i, size_t size)
{
    const int64_t top = i * g->c.down, base = g->a.base;
    int64_t to = g->c.ptr[i] - g->c.base, before = -1;
    abreast x = {.rows = smaller(g->c.down, g->m - top)};

    for (int64_t r = 0; r < x.rows; r++) {
        x.at[r] = g->a.ptr[top + r] - base;
        x.end[r] = g->a.ptr[top + r + 1] - base;
        x.next[r] = x.at[r] < x.end[r] ? g->a.idx[x.at[r]] : INT64_MAX;
    }
    for (;; to++) {
        char *block = (char *)g->c.val + element(g, &g->c, to, 0, 0);
        int64_t low = INT64_MAX, column;

        for (int64_t r = 0; r < x.rows; r++)
            low = x.next[r] < low ? x.next[r] : low;
        if (low == INT64_MAX)
            return true;
        column = (uint32_t)(low - base) / (uint32_t)g->c.across;
        if (column <= before)
            return false;
        before = column;
        memset(block, 0, element(g, &g->c, 1, 0, 0));
        g->c.idx[to] = (int32_t)column + g->c.base;
        for (int64_t r = 0; r < x.rows; r++)
            if (x.next[r] < (column + 1) * g->c.across + base)
                take_row(g, &x, r, column * g->c.across,
                         block + element(g, &g->c, 0, r, 0), size);
    }
}

/* Elements c .. c + n of a row to a CSR. */
static inline void
open_block(int32_t *idx, char *val, const char *row, int32_t first, int64_t n,
           size_t step, size_t size)
{
    for (int64_t c = 0; c < n; c++)
        idx[c] = first + (int32_t)c;
    if (step == size)
        memcpy(val, row, (size_t)n * size);
    else
        for (int64_t c = 0; c < n; c++)
            memcpy(val + (size_t)c * size, row + (size_t)c * step, size);
}

/* Row i of a CSR from blocks; false: their columns do not ascend. */
static inline bool
open_row(const sb_regrid *g, int64_t i, size_t size)
{
    const int64_t u = i / g->a.down, lo = g->a.ptr[u] - g->a.base;
    const int64_t hi = g->a.ptr[u + 1] - g->a.base, across = g->a.across;
    const size_t step = (size_t)(g->by_columns ? g->a.down : 1) * size;
    int64_t at = g->c.ptr[i] - g->c.base;

    for (int64_t p = lo; p < hi; p++) {
        const int64_t left = (int64_t)(g->a.idx[p] - g->a.base) * across;
        const char *row =
            (const char *)g->a.val + element(g, &g->a, p, i % g->a.down, 0);
        int32_t *idx = g->c.idx + at;
        char *val = (char *)g->c.val + (size_t)at * size;
        const int32_t j = (int32_t)left + g->c.base;
        const int64_t n = smaller(across, g->n - left);

        if (p > lo && g->a.idx[p] <= g->a.idx[p - 1])
            return false;
        if (n == 4)
            open_block(idx, val, row, j, 4, step, size);
        else if (n == 2)
            open_block(idx, val, row, j, 2, step, size);
        else
            open_block(idx, val, row, j, n, step, size);
        at += n;
    }
    return true;
}

static inline bool
ascending_sized(const sb_regrid *g, int64_t i, size_t size)
{
    if (g->a.down == 1 && g->a.across == 1 && g->c.down <= ABREAST)
        return merge_row(g, i, size);
    if (g->c.down == 1 && g->c.across == 1)
        return open_row(g, i, size);
    return false;
}

/* Fills row i of C if it is one of these; the size of values is a constant to each. */
static bool
ascending_row(const sb_regrid *g, int64_t i)
{
    if (SB_FAULT(GRID_TAIL))
        return false;
    if (g->size == 4)
        return ascending_sized(g, i, 4);
    if (g->size == 8)
        return ascending_sized(g, i, 8);
    return ascending_sized(g, i, g->size);
}

/* ---- Rows --------------------------------------------------------------------------- */

/* Elements of row i of blocks whose columns ascend, -1: they do not. */
static int64_t
count_opened(const sb_regrid *g, int64_t i)
{
    const int64_t u = i / g->a.down, lo = g->a.ptr[u] - g->a.base;
    const int64_t hi = g->a.ptr[u + 1] - g->a.base;
    const int64_t beyond = (g->n + g->a.across - 1) / g->a.across * g->a.across - g->n;

    for (int64_t p = lo + 1; p < hi; p++)
        if (g->a.idx[p] <= g->a.idx[p - 1])
            return -1;
    return hi > lo && (int64_t)(g->a.idx[hi - 1] - g->a.base + 1) * g->a.across > g->n
               ? (hi - lo) * g->a.across - beyond
               : (hi - lo) * g->a.across;
}

/* Blocks of row i of C: those whose column the row has not stamped yet. */
static int64_t
count_row(const sb_regrid *g, int32_t *stamp, int64_t i)
{
    const int64_t x = i * g->c.down, end = smaller(x + g->c.down, g->m);
    const uint32_t across = (uint32_t)g->c.across;
    int64_t left = 0, right = 0; /* of the block that was touched last */
    int64_t n = g->c.down == 1 && across == 1 ? count_opened(g, i) : -1;

    if (n >= 0 && !SB_FAULT(GRID_TAIL))
        return n;
    n = 0;
    for (int64_t u = x / g->a.down; u * g->a.down < end; u++)
        for (int64_t p = g->a.ptr[u] - g->a.base; p < g->a.ptr[u + 1] - g->a.base;
             p++) {
            const int64_t y = (int64_t)(g->a.idx[p] - g->a.base) * g->a.across;
            const int64_t to = smaller(y + g->a.across, g->n);

            if (y >= left && to <= right)
                continue;
            for (uint32_t j = (uint32_t)y / across; (int64_t)j * across < to; j++) {
                n += stamp[j] != (int32_t)i;
                stamp[j] = (int32_t)i;
                left = (int64_t)j * across;
                right = left + across;
                if (SB_FAULT(GRID_TAIL))
                    break;
            }
        }
    return n;
}

static void
fill_any(const sb_regrid *g, slot *s, int64_t i)
{
    list_row(g, s, i);
    if (s->n > 0)
        fill_row(g, s, i);
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
        slot s = {j->memory + 2 * q * j->cols, j->memory + (2 * q + 1) * j->cols, 0};
        const int64_t end = first_row(j, q + 1);

        memset(s.where, 0xff, (size_t)j->cols * sizeof *s.where);
        for (int64_t i = first_row(j, q); i < end; i++)
            if (j->count)
                j->count[i] = (int32_t)count_row(j->g, s.where, i);
            else if (!ascending_row(j->g, i))
                fill_any(j->g, &s, i);
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
