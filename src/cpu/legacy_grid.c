/*
 * Blocks cut anew. Block rows of C are one thread's each: the block columns that the rows
 * of A below it touch are listed as they come, by way of an array over all of them,
 * sorted, and filled. What is walked over and over are a CSR's rows, entry by entry;
 * blocks whose columns ascend open to a CSR row by row.
 */
#include "base/alloc.h"
#include "base/fault.h"
#include "base/macro.h"
#include "cpu/exec.h"
#include "cpu/legacy.h"
#include "cpu/sort.h"

#include <string.h>

#define I int32_t
#define OP(name) name
#include "cpu/sort.inc"
#undef I
#undef OP

enum { SLOTS = 16 };

/* Columns by their blocks without a division: j / d is j * scale >> shift for 0 <= j < 2^31,
 * as d * scale exceeds 2^shift by less than 2^(shift - 31). */
typedef struct ratio {
    uint64_t scale;
    int shift;
} ratio;

static ratio
ratio_of(int64_t d)
{
    ratio r = {0, 31};

    while (d > (int64_t)1 << (r.shift - 31))
        r.shift++;
    r.scale = (((uint64_t)1 << r.shift) + (uint64_t)d - 1) / (uint64_t)d;
    return r;
}

static inline int32_t
over(ratio r, int64_t j)
{
    return (int32_t)((uint64_t)j * r.scale >> r.shift);
}

/* One worker's memory: arrays over block columns of C. */
typedef struct slot {
    int32_t
        *where; /* the block's place; -1 while the row at hand is listed, if it has it;
                       counting: the row that was here last */
    int32_t *list; /* of the row, one to spare */
    sb_sort_map map;
    int64_t n;
} slot;

typedef struct job {
    const sb_regrid *g;
    int32_t *count; /* NULL: C is wanted */
    uint64_t *memory;
    int64_t slots, rows, cols; /* rows and columns: of C's blocks */
    ratio down, across;        /* rows of A's blocks, columns of C's */
} job;

static int64_t
smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Where element (r, c) of block p lies. */
static size_t
element(const sb_regrid *g, const sb_grid *d, int64_t p, int64_t r, int64_t c)
{
    return (size_t)(p * d->down * d->across +
                    (g->by_columns ? c * d->down + r : r * d->across + c)) *
           g->size;
}

/* ---- The block columns of a row ------------------------------------------------------- */

/* Without a branch: whether a row has a block already is anybody's guess. */
static inline void
touch(slot *s, int32_t column)
{
    s->list[s->n] = column;
    s->n += s->where[column] >= 0;
    s->where[column] = -1;
}

/* Block columns of C that A's blocks lo .. hi, `wide` elements each, lie in. */
static inline void
touch_blocks(const job *j, slot *at, int64_t lo, int64_t hi, int64_t wide)
{
    const sb_regrid *g = j->g;
    const int32_t *idx = g->a.idx, base = g->a.base;
    const ratio across = j->across;
    slot s = *at;

    for (int64_t p = lo; p < hi; p++) {
        const int64_t y = (int64_t)(idx[p] - base) * wide;
        const int32_t last = over(across, smaller(y + wide, g->n) - 1);

        for (int32_t c = over(across, y); c <= last; c++) {
            touch(&s, c);
            if (SB_FAULT(GRID_TAIL))
                break;
        }
    }
    at->n = s.n;
}

/* The list to C's columns, and the blocks to their places there, all zero. */
static void
settle(const sb_regrid *g, slot *s, int64_t from)
{
    (void)sort_columns(s->list, s->n, &s->map);
    for (int64_t q = 0; q < s->n; q++) {
        s->where[s->list[q]] = (int32_t)(from + q);
        g->c.idx[from + q] = s->list[q] + g->c.base;
    }
    memset((char *)g->c.val + element(g, &g->c, from, 0, 0), 0,
           element(g, &g->c, s->n, 0, 0));
}

/* ---- Filling them ----------------------------------------------------------------------- */

/* The rows of A's blocks in block row u that lie in block row i of C. */
static inline void
move_blocks(const job *j, const slot *s, int64_t i, int64_t u, size_t size)
{
    const sb_regrid *g = j->g;
    const int64_t top = i * g->c.down, from = u * g->a.down;
    const int64_t end = smaller(smaller(top + g->c.down, from + g->a.down), g->m);

    for (int64_t p = g->a.ptr[u] - g->a.base; p < g->a.ptr[u + 1] - g->a.base; p++) {
        const int64_t left = (int64_t)(g->a.idx[p] - g->a.base) * g->a.across;
        const int64_t right = smaller(left + g->a.across, g->n);

        for (int64_t x = from > top ? from : top; x < end; x++)
            for (int64_t y = left; y < right; y++) {
                const int64_t c = over(j->across, y);

                memcpy((char *)g->c.val +
                           element(g, &g->c, s->where[c], x - top, y - c * g->c.across),
                       (const char *)g->a.val +
                           element(g, &g->a, p, x - from, y - left),
                       size);
            }
    }
}

/* Row x of a CSR, which is row r of C's blocks. */
static inline void
move_entries(const job *j, const slot *s, int64_t x, int64_t r, size_t size)
{
    const sb_regrid *g = j->g;
    const int64_t hi = g->a.ptr[x + 1] - g->a.base, base = g->a.base;
    const int32_t *idx = g->a.idx, *where = s->where;
    const size_t block = element(g, &g->c, 1, 0, 0);
    const size_t step = (size_t)(g->by_columns ? g->c.down : 1) * size;
    const char *from = g->a.val;
    char *val = (char *)g->c.val + element(g, &g->c, 0, r, 0);
    const ratio across = j->across;
    const int64_t width = g->c.across;

    for (int64_t p = g->a.ptr[x] - base; p < hi; p++) {
        const int64_t y = idx[p] - base, c = over(across, y);

        memcpy(val + (size_t)where[c] * block + (size_t)(y - c * width) * step,
               from + (size_t)p * size, size);
    }
}

/* Block row i of C; the size of values is a constant where it is a common one. */
static inline void
fill_sized(const job *j, slot *s, int64_t i, size_t size)
{
    const sb_regrid *g = j->g;
    const int64_t top = i * g->c.down, end = smaller(top + g->c.down, g->m);
    const int64_t lo = over(j->down, top), hi = over(j->down, end - 1) + 1;
    const int64_t from = g->a.ptr[lo] - g->a.base, to = g->a.ptr[hi] - g->a.base;
    const bool entries = g->a.down == 1 && g->a.across == 1;

    s->n = 0;
    if (entries)
        touch_blocks(j, s, from, to, 1);
    else
        touch_blocks(j, s, from, to, g->a.across);
    settle(g, s, g->c.ptr[i] - g->c.base);
    for (int64_t u = lo; u < hi; u++)
        if (entries)
            move_entries(j, s, u, u - top, size);
        else
            move_blocks(j, s, i, u, size);
}

/* ---- To a CSR ----------------------------------------------------------------------- */

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
open_row(const job *j, int64_t i, size_t size)
{
    const sb_regrid *g = j->g;
    const int64_t u = over(j->down, i), lo = g->a.ptr[u] - g->a.base;
    const int64_t hi = g->a.ptr[u + 1] - g->a.base, across = g->a.across;
    const size_t step = (size_t)(g->by_columns ? g->a.down : 1) * size;
    int64_t at = g->c.ptr[i] - g->c.base;

    for (int64_t p = lo; p < hi; p++) {
        const int64_t left = (int64_t)(g->a.idx[p] - g->a.base) * across;
        const char *row =
            (const char *)g->a.val + element(g, &g->a, p, i - u * g->a.down, 0);
        int32_t *idx = g->c.idx + at;
        char *val = (char *)g->c.val + (size_t)at * size;
        const int32_t first = (int32_t)left + g->c.base;
        const int64_t n = smaller(across, g->n - left);

        if (p > lo && g->a.idx[p] <= g->a.idx[p - 1])
            return false;
        if (n == 4)
            open_block(idx, val, row, first, 4, step, size);
        else if (n == 2)
            open_block(idx, val, row, first, 2, step, size);
        else
            open_block(idx, val, row, first, n, step, size);
        at += n;
    }
    return true;
}

static inline void
fill_row(const job *j, slot *s, int64_t i, size_t size)
{
    const sb_regrid *g = j->g;
    const bool opens = g->c.down == 1 && g->c.across == 1 && !SB_FAULT(GRID_TAIL);

    if (!opens || !open_row(j, i, size))
        fill_sized(j, s, i, size);
}

static void
fill(const job *j, slot *s, int64_t i)
{
    if (j->g->size == 4)
        fill_row(j, s, i, 4);
    else if (j->g->size == 8)
        fill_row(j, s, i, 8);
    else
        fill_row(j, s, i, j->g->size);
}

/* ---- Rows --------------------------------------------------------------------------- */

/* Elements of each row of A's block row u, whose columns ascend, -1: they do not. */
static int64_t
count_opened(const sb_regrid *g, int64_t u)
{
    const int64_t lo = g->a.ptr[u] - g->a.base, hi = g->a.ptr[u + 1] - g->a.base;
    const int64_t beyond = (g->n + g->a.across - 1) / g->a.across * g->a.across - g->n;

    for (int64_t p = lo + 1; p < hi; p++)
        if (g->a.idx[p] <= g->a.idx[p - 1])
            return -1;
    return hi > lo && (int64_t)(g->a.idx[hi - 1] - g->a.base + 1) * g->a.across > g->n
               ? (hi - lo) * g->a.across - beyond
               : (hi - lo) * g->a.across;
}

/* Block columns that A's blocks lo .. hi, `wide` elements each, are the first of row i to
 * stamp. */
static inline int64_t
count_blocks(const job *j, int32_t *stamp, int64_t i, int64_t lo, int64_t hi,
             int64_t wide)
{
    const sb_regrid *g = j->g;
    const int32_t *idx = g->a.idx, base = g->a.base;
    const ratio across = j->across;
    int64_t n = 0;

    for (int64_t p = lo; p < hi; p++) {
        const int64_t y = (int64_t)(idx[p] - base) * wide;
        const int32_t last = over(across, smaller(y + wide, g->n) - 1);

        for (int32_t c = over(across, y); c <= last; c++) {
            n += stamp[c] != (int32_t)i;
            stamp[c] = (int32_t)i;
            if (SB_FAULT(GRID_TAIL))
                break;
        }
    }
    return n;
}

/* Blocks of row i of C. */
static int64_t
count_row(const job *j, int32_t *stamp, int64_t i)
{
    const sb_regrid *g = j->g;
    const int64_t top = i * g->c.down, end = smaller(top + g->c.down, g->m);
    const int64_t above = over(j->down, top), below = over(j->down, end - 1) + 1;
    const int64_t lo = g->a.ptr[above] - g->a.base, hi = g->a.ptr[below] - g->a.base;

    return g->a.across == 1 ? count_blocks(j, stamp, i, lo, hi, 1)
                            : count_blocks(j, stamp, i, lo, hi, g->a.across);
}

/* Rows lo .. hi. */
static void
count_rows(const job *j, int32_t *stamp, int64_t lo, int64_t hi)
{
    const sb_regrid *g = j->g;
    const bool opens = g->c.down == 1 && g->c.across == 1 && !SB_FAULT(GRID_TAIL);
    int64_t last = -1, n = -1; /* block row of A */

    for (int64_t i = lo; i < hi; i++) {
        if (opens && over(j->down, i) != last)
            n = count_opened(g, last = over(j->down, i));
        j->count[i] = (int32_t)(n >= 0 ? n : count_row(j, stamp, i));
    }
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

/* Words of a slot's memory: where, list, bits and words of bits; counting: the first. */
static int64_t
slot_words(const job *j)
{
    const int64_t bits = (j->cols + 63) / 64;

    return (j->cols + 1) / 2 +
           (j->count ? 0 : j->cols / 2 + 1 + bits + (bits + 63) / 64);
}

static slot
slot_at(const job *j, int64_t q)
{
    uint64_t *at = j->memory + q * slot_words(j);
    slot s = {.where = (int32_t *)at};

    memset(at, j->count ? 0xff : 0, (size_t)slot_words(j) * sizeof *at);
    if (j->count)
        return s;
    at += (j->cols + 1) / 2;
    s.list = (int32_t *)at;
    s.map.bits = at + j->cols / 2 + 1;
    s.map.words = s.map.bits + (j->cols + 63) / 64;
    return s;
}

static void
run_slots(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;

    for (int64_t q = lo; q < hi; q++) {
        slot s = slot_at(j, q);
        const int64_t first = first_row(j, q), last = first_row(j, q + 1);

        if (j->count)
            count_rows(j, s.where, first, last);
        for (int64_t i = first; !j->count && i < last; i++)
            fill(j, &s, i);
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
             .cols = (g->n + g->c.across - 1) / g->c.across,
             .down = ratio_of(g->a.down),
             .across = ratio_of(g->c.across)};

    j.memory = sb_alloc_array(j.slots * slot_words(&j), sizeof *j.memory);
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
