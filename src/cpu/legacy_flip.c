/*
 * Rows to columns.
 */
#include "base/macro.h"
#include "cpu/exec.h"
#include "cpu/group.h"
#include "cpu/legacy.h"

#include <string.h>

enum {
    AHEAD = 16,    /* entries whose places are asked for early */
    NEAR = 1 << 16 /* bytes of results that the first cache holds, or nearly */
};

typedef struct job {
    const sb_flip *f;
    sb_group g;
} job;

/* The row of entry p. */
static int64_t
row_of(const sb_flip *f, int64_t p)
{
    int64_t lo = 0, hi = f->m - 1;

    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;

        if (f->ptr[mid + 1] - f->base <= p)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Inlined for each size, so that moving a value is one instruction. */
static inline void
move_chunk(const job *j, int64_t c, size_t size, int64_t ahead)
{
    const sb_flip *f = j->f;
    const int64_t lo = sb_group_at(&j->g, c), hi = sb_group_at(&j->g, c + 1);
    const int32_t *idx = f->idx, base = f->base;
    const char *val = f->val;
    char *to_val = f->to_val;
    int32_t *next = j->g.next + c * f->n - base, *to_idx = f->to_idx;
    int64_t i = row_of(f, lo);

    for (int64_t p = lo; p < hi; i++) {
        const int64_t last = f->ptr[i + 1] - base, end = last < hi ? last : hi;
        const int32_t row = (int32_t)i + base;

        for (; p < end; p++) {
            const int64_t to = next[idx[p]]++;

            if (ahead && p + ahead < hi) {
                const int64_t later = next[idx[p + ahead]];

                SB_PREFETCH(to_idx + later);
                if (size)
                    SB_PREFETCH(to_val + (size_t)later * size);
            }
            to_idx[to] = row;
            if (size)
                memcpy(to_val + (size_t)to * size, val + (size_t)p * size, size);
        }
    }
}

static inline void
move_sized(const job *j, int64_t c, size_t size)
{
    if ((size_t)j->f->nnz * (size + sizeof(int32_t)) > NEAR)
        move_chunk(j, c, size, AHEAD);
    else
        move_chunk(j, c, size, 0);
}

static void
move_chunks(void *user, int64_t from, int64_t to)
{
    const job *j = user;

    for (int64_t c = from; c < to; c++)
        switch (j->f->size) {
        case 0:
            move_sized(j, c, 0);
            break;
        case 4:
            move_sized(j, c, 4);
            break;
        case 8:
            move_sized(j, c, 8);
            break;
        case 16:
            move_sized(j, c, 16);
            break;
        default:
            move_chunk(j, c, j->f->size, 0);
        }
}

size_t
sb_flip_scratch(int64_t n, int64_t nnz)
{
    return sb_group_bytes(n, nnz);
}

void
sb_flip_run(const sb_flip *f)
{
    sb_flip whole = *f; /* an entry's values are one */
    job j = {&whole, {f->n, f->nnz, f->idx, f->base, 1, f->scratch}};

    whole.size *= f->area > 1 ? (size_t)f->area : 1;
    sb_group_count(&j.g, f->to_ptr, f->base);
    if (f->nnz > 0)
        sb_exec_parallel(move_chunks, &j, 0, j.g.chunks, 1);
}
