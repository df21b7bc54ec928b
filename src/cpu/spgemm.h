/*
 * Products of sparse matrices, row by row (Gustavson): row i of C gathers the rows of B
 * that row i of A names. Each row is one thread's and is summed in the order of A's and
 * B's entries, so the bits do not depend on the team.
 *
 * A row gathers in one of two accumulators, chosen by its products alone: an array over
 * all columns, or, where that array would not stay in the cache and the row is short, a
 * hash table. New columns go to a list, which is sorted (cpu/sort.h).
 */
#ifndef SB_CPU_SPGEMM_H
#define SB_CPU_SPGEMM_H

#include "cpu/sort.h"
#include "runtime/spgemm.h"

extern const sb_spgemm_steps sb_cpu_spgemm;

#ifdef SB_TINY
enum { SB_SPGEMM_NEAR = 8, SB_SPGEMM_SHORT = 8 };
#else
enum {
    SB_SPGEMM_NEAR = 1 << 20, /* columns whose array is taken for any row */
    SB_SPGEMM_SHORT = 1 << 10 /* products of a row that is hashed beyond that */
};
#endif
enum { SB_SPGEMM_TABLE = 2 * SB_SPGEMM_SHORT }; /* places of the largest hash table */

/* One worker's memory. Arrays over columns are there if some row needs them. */
typedef struct sb_spgemm_slot {
    uint8_t *mark; /* [cols]: the stamp of the row that was here last */
    sb_sort_map map;
    void *list;        /* columns of the row, of B's index type, one to spare */
    int64_t *key;      /* [SB_SPGEMM_TABLE] columns, -1: empty */
    void *sum, *entry; /* [cols] sums, zero between rows; [SB_SPGEMM_TABLE] sums */
    unsigned stamp;
    int64_t row; /* below the one that was done last, 0 at first */
} sb_spgemm_slot;

/* Whether row i is gathered in the hash table. */
static inline bool
sb_spgemm_hashes(const sb_spgemm *g, int64_t i)
{
    return g->b.cols > SB_SPGEMM_NEAR && g->work[i + 1] - g->work[i] <= SB_SPGEMM_SHORT;
}

/* Slots of row i. */
static inline void
sb_spgemm_row(const sb_matrix *a, int64_t i, int64_t *lo, int64_t *hi)
{
    *lo = sb_index(a->ptr, a->ptr_type, i) - a->base;
    *hi = sb_index(a->ptr, a->ptr_type, i + 1) - a->base;
}

/* The last place of row i's table: a power of two, at least twice its products, less 1. */
static inline uint32_t
sb_spgemm_last(const sb_spgemm *g, int64_t i)
{
    const int64_t work = g->work[i + 1] - g->work[i];
    uint32_t last = 1;

    while ((int64_t)last + 1 < 2 * work)
        last = 2 * last + 1;
    return last;
}

/* Where column j is in the table, or belongs. */
static inline int64_t
sb_spgemm_place(const int64_t *key, uint32_t last, int64_t j)
{
    uint32_t at = ((uint32_t)j * 2654435761u >> 16) & last;

    while (key[at] != j && key[at] != -1)
        at = (at + 1) & last;
    return at;
}

/* Slots of the row of B that slot p of A names. */
static inline void
sb_spgemm_row_of_b(const sb_spgemm *g, int64_t p, int64_t *lo, int64_t *hi)
{
    sb_spgemm_row(&g->b, sb_index(g->a.idx, g->a.idx_type, p) - g->a.base, lo, hi);
}

/* A stamp that no mark has. */
uint8_t sb_spgemm_stamp(const sb_spgemm *g, sb_spgemm_slot *s);

/* Over one index type. count: entries of row i. list: its columns to s->list, sorted.
 * sort: the first n of the list. put, get: the list to and from C's columns. */
typedef struct sb_spgemm_index {
    int64_t (*count)(const sb_spgemm *g, sb_spgemm_slot *s, int64_t i);
    void (*list)(const sb_spgemm *g, sb_spgemm_slot *s, int64_t i);
    void (*sort)(sb_spgemm_slot *s, int64_t n, bool hashed);
    void (*put)(const sb_spgemm *g, const sb_spgemm_slot *s, int64_t i);
    void (*get)(const sb_spgemm *g, sb_spgemm_slot *s, int64_t i);
} sb_spgemm_index;
const sb_spgemm_index *sb_spgemm_index_of(sb_dtype index);

/* Over an index and a value type. gather: sums of row i; the n columns it has are listed,
 * unsorted, unless n is 0. store: from the sums to C's values in the order of the list,
 * and the sums back to zero. */
typedef struct sb_spgemm_value {
    size_t sum; /* bytes of a sum */
    void (*gather)(const sb_spgemm *g, sb_spgemm_slot *s, int64_t i, int64_t n);
    void (*store)(const sb_spgemm *g, sb_spgemm_slot *s, int64_t i);
} sb_spgemm_value;
const sb_spgemm_value *sb_spgemm_value_of(sb_dtype index, sb_dtype value);

#endif
