/*
 * Blocks cut anew. Block rows of C are one thread's each: the block columns that the rows
 * of A below it touch are listed by way of an array over all of them, sorted, and then
 * filled element by element.
 */
#include "base/alloc.h"
#include "base/fault.h"
#include "cpu/exec.h"
#include "cpu/legacy.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS = 16 };

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

static void
run_slots(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;

    for (int64_t q = lo; q < hi; q++) {
        slot s = {j->memory + 2 * q * j->cols, j->memory + (2 * q + 1) * j->cols, 0};

        memset(s.where, 0xff, (size_t)j->cols * sizeof *s.where);
        for (int64_t i = j->rows * q / j->slots; i < j->rows * (q + 1) / j->slots;
             i++) {
            list_row(j->g, &s, i);
            if (j->count)
                j->count[i] = (int32_t)s.n;
            else if (s.n > 0)
                fill_row(j->g, &s, i);
            clear_row(&s);
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
