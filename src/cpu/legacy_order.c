/*
 * Sorting entries. Rows come from offsets or from a counting sort of the majors; in each
 * the minors are sorted with their places as one number of 64 bits, short lists by
 * insertion, long ones by digits of the minor, which keeps equal ones in place.
 */
#include "base/fault.h"
#include "base/macro.h"
#include "cpu/balance.h"
#include "cpu/exec.h"
#include "cpu/group.h"
#include "cpu/legacy.h"

#include <string.h>

#ifdef SB_TINY
enum { INSERTED = 3 };
#else
enum { INSERTED = 32 };
#endif
enum {
    DIGIT = 8,
    DIGITS = 1 << DIGIT,
    AHEAD = 16 /* entries whose places are asked for early */
};

typedef struct job {
    const sb_order *o;
    uint64_t *item, *spare; /* nnz: minor and place */
    int32_t *perm;          /* nnz: as it was */
    int32_t *ptr, base;     /* rows */
    sb_group g;
} job;

static void
insert(uint64_t *item, int64_t n)
{
    for (int64_t p = 1; p < n; p++) {
        const uint64_t x = item[p];
        int64_t q = p;

        for (; q > 0 && item[q - 1] > x; q--)
            item[q] = item[q - 1];
        item[q] = x;
    }
}

/* One stable pass over a digit of the minor. */
static void
sort_digit(uint64_t *to, const uint64_t *from, int64_t n, int shift)
{
    int32_t at[DIGITS] = {0};
    int32_t sum = 0;

    for (int64_t p = 0; p < n; p++)
        at[from[p] >> shift & (DIGITS - 1)]++;
    for (int d = 0; d < DIGITS; d++) {
        const int32_t count = at[d];

        at[d] = sum;
        sum += count;
    }
    for (int64_t p = 0; p < n; p++)
        to[at[from[p] >> shift & (DIGITS - 1)]++] = from[p];
}

static bool
in_order(const uint64_t *item, int64_t n)
{
    for (int64_t p = 1; p < n; p++)
        if (item[p - 1] > item[p])
            return false;
    return true;
}

/* The items of a row, in their places' order at first. */
static void
sort_row(uint64_t *item, uint64_t *spare, int64_t n, int64_t most)
{
    uint64_t *from = item, *to = spare;

    if (n <= INSERTED) {
        insert(item, n);
        return;
    }
    if (in_order(item, n))
        return;
    for (int shift = 32; most >> (shift - 32); shift += DIGIT) {
        uint64_t *swap = from;

        sort_digit(to, from, n, shift);
        from = to;
        to = swap;
    }
    if (from != item)
        memcpy(item, from, (size_t)n * sizeof *item);
}

static void
sort_rows(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;
    const sb_order *o = j->o;

    for (int64_t i = lo; i < hi; i++) {
        const int64_t from = j->ptr[i] - j->base, to = j->ptr[i + 1] - j->base;

        if (!o->major)
            for (int64_t p = from; p < to; p++)
                j->item[p] = (uint64_t)o->minor[p] << 32 | (uint64_t)p;
        sort_row(j->item + from, j->spare + from, to - from, o->n);
    }
}

/* Only when all is sorted, as places point all over the lists. */
static void
write_rows(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;
    const sb_order *o = j->o;

    for (int64_t i = lo; i < hi; i++)
        for (int64_t p = j->ptr[i] - j->base; p < j->ptr[i + 1] - j->base; p++) {
            o->minor[p] = (int32_t)(j->item[p] >> 32);
            if (o->major)
                o->major[p] = (int32_t)i;
            if (o->perm)
                o->perm[p] = j->perm[SB_FAULT(ORDER_PERM) ? (uint64_t)p
                                                          : j->item[p] & UINT32_MAX];
        }
}

static void
place_chunks(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;

    for (int64_t c = lo; c < hi; c++) {
        const int64_t lo = sb_group_at(&j->g, c), hi = sb_group_at(&j->g, c + 1);
        const int32_t *major = j->o->major, *minor = j->o->minor;
        int32_t *next = j->g.next + c * j->g.keys;

        for (int64_t p = lo; p < hi; p++) {
            SB_PREFETCH(j->item + next[major[p + AHEAD < hi ? p + AHEAD : p]]);
            j->item[next[major[p]]++] = (uint64_t)minor[p] << 32 | (uint64_t)p;
        }
    }
}

size_t
sb_order_scratch(int64_t majors, int64_t nnz)
{
    const size_t lists = (size_t)nnz * (2 * sizeof(uint64_t) + sizeof(int32_t));

    if (majors == 0)
        return lists;
    return lists + (size_t)(majors + 2) * sizeof(int32_t) +
           sb_group_bytes(majors + 1, nnz);
}

void
sb_order_run(const sb_order *o)
{
    uint64_t *item = o->scratch;
    job j = {o, item, item + o->nnz, (int32_t *)(item + 2 * o->nnz), NULL, 0, {0}};
    sb_balance rows;

    if (o->perm)
        memcpy(j.perm, o->perm, (size_t)o->nnz * sizeof *o->perm);
    if (o->major) {
        j.ptr = j.perm + o->nnz;
        j.g = (sb_group){o->m + 1, o->nnz, o->major, 0, 1, j.ptr + o->m + 2};
        sb_group_count(&j.g, j.ptr, 0);
        sb_exec_parallel(place_chunks, &j, 0, j.g.chunks, 1);
        rows = sb_balance_rows(o->m + 1, j.ptr);
    } else {
        j.ptr = (int32_t *)(uintptr_t)o->ptr;
        j.base = o->base;
        rows = sb_balance_rows(o->m, j.ptr);
    }
    sb_balance_run(&rows, sort_rows, &j);
    sb_balance_run(&rows, write_rows, &j);
}

/* ---- Rows and offsets, permutations ------------------------------------------------- */

typedef struct list {
    int32_t *out;
    const int32_t *in;
    int64_t nnz, m;
    int32_t base;
} list;

/* Entry p ends all rows below its own that have not ended yet; nnz ends the rest. */
static void
end_rows(void *user, int64_t lo, int64_t hi)
{
    const list *l = user;

    const int32_t *in = l->in;
    int32_t *out = l->out;
    const int64_t base = l->base;
    int64_t r = lo == 0 ? 0 : in[lo - 1] - base + 1;

    for (int64_t p = lo; p < hi; p++) {
        const int64_t last = p == l->nnz ? l->m : in[p] - base;

        for (; r <= last; r++)
            out[r] = (int32_t)(p + base);
        /* Eight of one row end none. */
        while (p + 8 < hi && p + 8 < l->nnz && in[p + 8] - base < r)
            p += 8;
    }
}

void
sb_order_offsets(int32_t *ptr, const int32_t *row, int64_t nnz, int64_t m, int base)
{
    list l = {ptr, row, nnz, m, base};

    sb_exec_parallel(end_rows, &l, 0, nnz + 1, 1 << 14);
}

static void
name_rows(void *user, int64_t lo, int64_t hi)
{
    const list *l = user;

    const int32_t base = l->base;

    for (int64_t i = lo; i < hi; i++) {
        const int64_t p = l->in[i] - base, n = l->in[i + 1] - base - p;
        int32_t *row = l->out + p;

        for (int64_t q = 0; q < n; q++)
            row[q] = (int32_t)i + base;
    }
}

void
sb_order_rows(int32_t *row, const int32_t *ptr, int64_t m, int base)
{
    list l = {row, ptr, 0, m, base};
    const sb_balance rows = sb_balance_rows(m, ptr);

    sb_balance_run(&rows, name_rows, &l);
}

static void
count_up(void *user, int64_t lo, int64_t hi)
{
    int32_t *p = user;

    for (int64_t i = lo; i < hi; i++)
        p[i] = (int32_t)i;
}

void
sb_order_identity(int32_t *p, int64_t n)
{
    sb_exec_parallel(count_up, p, 0, n, 1 << 15);
}

typedef struct move {
    char *to;
    const char *from;
    const int32_t *perm;
    size_t size;
    bool back;
} move;

static void
move_values(void *user, int64_t lo, int64_t hi)
{
    const move *v = user;

    for (int64_t p = lo; p < hi; p++) {
        const size_t q = (size_t)v->perm[p];

        memcpy(v->to + (v->back ? q : (size_t)p) * v->size,
               v->from + (v->back ? (size_t)p : q) * v->size, v->size);
    }
}

void
sb_order_permute(void *to, const void *from, const int32_t *perm, int64_t n,
                 size_t size, bool back)
{
    move v = {to, from, perm, size, back};

    sb_exec_parallel(move_values, &v, 0, n, 1 << 14);
}
