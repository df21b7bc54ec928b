/*
 * Pieces are found by bisection in the offsets, so no list of them is kept.
 */
#include "cpu/balance.h"

#include "base/checked.h"
#include "cpu/exec.h"

#ifdef SB_TINY
enum { PIECE = 4 };
#else
enum { PIECE = 1 << 14 }; /* entries and rows of a piece, at least */
#endif
enum { PIECES = 1024 }; /* at most */

typedef struct job {
    const sb_balance *b;
    sb_range_fn fn;
    void *user;
    int64_t cost, pieces;
} job;

/* Entries and rows above row i. */
static int64_t
cost_above(const sb_balance *b, int64_t i)
{
    int64_t cost = i;

    for (int k = 0; k < 2; k++)
        if (b->ptr[k])
            cost +=
                sb_index(b->ptr[k], b->type[k], i) - sb_index(b->ptr[k], b->type[k], 0);
    return cost;
}

/* The first row with at least that cost above it. */
static int64_t
row_at(const sb_balance *b, int64_t cost)
{
    int64_t lo = 0, hi = b->rows;

    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;

        if (cost_above(b, mid) < cost)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* cost * piece / pieces without overflow. */
static int64_t
share(const job *j, int64_t piece)
{
    return j->cost / j->pieces * piece + j->cost % j->pieces * piece / j->pieces;
}

static void
run_pieces(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;
    const int64_t from = row_at(j->b, share(j, lo)), to = row_at(j->b, share(j, hi));

    if (from < to)
        j->fn(j->user, from, to);
}

void
sb_balance_run(const sb_balance *b, sb_range_fn fn, void *user)
{
    job j = {b, fn, user, 0, 1};

    if (b->rows == 0)
        return;
    j.cost = cost_above(b, b->rows);
    j.pieces = j.cost / PIECE + 1;
    if (j.pieces > PIECES)
        j.pieces = PIECES;
    sb_exec_parallel(run_pieces, &j, 0, j.pieces, 1);
}

sb_status
sb_balance_offsets(void *ptr, sb_dtype type, int64_t rows, int base, int64_t *total)
{
    const int64_t most = type == SB_I64 ? INT64_MAX : INT32_MAX;
    int64_t sum = base;

    sb_index_store(ptr, type, 0, base);
    for (int64_t i = 1; i <= rows; i++) {
        const int64_t n = sb_index(ptr, type, i);

        if (n > most - sum)
            return SB_ERESOURCES;
        sum += n;
        sb_index_store(ptr, type, i, sum);
    }
    *total = sum - base;
    return SB_OK;
}
