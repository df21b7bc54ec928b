/*
 * Incomplete LU and Cholesky factors in place, row by row, each from the rows above it
 * that its pattern names. The place of each row's diagonal is kept. The row at hand is
 * spread over all columns: its elements, or where its blocks lie.
 *
 * Threads take runs of rows in order; a row waits for those that it names, which others
 * have taken and are at. So the bits are those of one thread, and one alone never waits.
 */
#include "base/fault.h"
#include "base/sync.h"
#include "cpu/exec.h"
#include "cpu/legacy.h"
#include "cpu/sum.h"

#include <math.h>
#include <string.h>

#ifdef SB_TINY
enum { RUN = 2, SHARED = 4 };
#else
enum {
    RUN = 32,      /* rows that a thread takes together */
    SHARED = 20000 /* blocks of a matrix worth a team */
};
#endif
enum {
    SLOTS = 4,     /* rows at hand, at most */
    PATIENCE = 200 /* looks before a waiting thread makes room */
};

/* A factor under way: row i is at hand, its diagonal in slot diag, -1 if there is none.
 * Between rows `where` is all 0. */
typedef struct plan {
    const sb_incomplete *job;
    int64_t b, down, across, diag;
    int32_t *diagonals; /* of rows, -1: none */
    int32_t *where;     /* of blocks: slot + 1 of a column, 0: none */
    void *row;          /* of elements */
} plan;

static int64_t
first(const plan *f, int64_t i)
{
    return f->job->ptr[i] - f->job->base;
}

static int64_t
column(const plan *f, int64_t p)
{
    return f->job->idx[p] - f->job->base;
}

static int64_t
diagonal(const plan *f, int64_t i)
{
    return f->diagonals[i];
}

/* The slot of the diagonal of row i, whose columns ascend; -1 if there is none. */
static int64_t
find_diagonal(const plan *f, int64_t i)
{
    int64_t lo = first(f, i), hi = first(f, i + 1);

    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;

        if (column(f, mid) < i)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < first(f, i + 1) && column(f, lo) == i ? lo : -1;
}

/* The slot of column j in the row at hand, -1 if there is none. */
static int64_t
place(const plan *f, int64_t j)
{
    return f->where[j] - (int64_t)1;
}

#define EACH "cpu/legacy_factor.inc"
#include "cpu/each_type.inc"

typedef bool (*row_fn)(const plan *f, int64_t i);

static bool
block_row(const plan *f, int64_t i, row_fn row)
{
    bool bad;

    for (int64_t p = first(f, i); p < first(f, i + 1); p++)
        f->where[column(f, p)] = (int32_t)p + 1;
    bad = row(f, i);
    for (int64_t p = first(f, i); p < first(f, i + 1); p++)
        f->where[column(f, p)] = 0;
    return bad;
}

typedef struct team {
    plan one; /* of the first slot */
    row_fn row;
    size_t spread; /* bytes of a slot's row at hand */
    uint8_t *done; /* of rows; atomic */
    int64_t next;  /* row that nobody has taken; atomic */
    int64_t bad[SLOTS];
} team;

static void
wait_for_rows(const team *t, int64_t i)
{
    int looks = 0;

    for (int64_t p = first(&t->one, i); p < first(&t->one, i + 1); p++) {
        const int64_t k = column(&t->one, p);

        if (k >= i)
            return;
        while (!__atomic_load_n(&t->done[k], __ATOMIC_ACQUIRE))
            if (++looks % PATIENCE == 0)
                sb_yield();
    }
}

static void
take_row(team *t, plan *f, int64_t i, int64_t *bad)
{
    wait_for_rows(t, i);
    f->diag = find_diagonal(f, i);
    f->diagonals[i] = (int32_t)f->diag;
    if ((f->b == 1 ? t->row(f, i) : block_row(f, i, t->row)) && *bad < 0)
        *bad = i;
    __atomic_store_n(&t->done[i], 1, __ATOMIC_RELEASE);
}

/* A slot's rows come in order: its first bad one is the lowest. */
static void
run_slots(void *user, int64_t lo, int64_t hi)
{
    team *t = user;
    const int64_t m = t->one.job->m;

    for (; lo < hi; lo++) {
        char *row = (char *)t->one.row + (size_t)lo * t->spread;
        plan f = t->one;

        f.row = row;
        f.where = (void *)row;
        memset(row, 0, t->spread);
        t->bad[lo] = -1;
        for (;;) {
            const int64_t from = __atomic_fetch_add(&t->next, RUN, __ATOMIC_RELAXED);

            for (int64_t i = from; i < from + RUN && i < m; i++)
                take_row(t, &f, i, &t->bad[lo]);
            if (from >= m)
                break;
        }
    }
}

static size_t
spread_of(int64_t m, int64_t block)
{
    return (size_t)m * (block == 1 ? sizeof(c64_s) : sizeof(int32_t));
}

/* Rows spread out, where diagonals are, and what is done. */
size_t
sb_incomplete_scratch(int64_t m, int64_t block)
{
    return SLOTS * spread_of(m, block) +
           (size_t)m * (sizeof(int32_t) + sizeof(uint8_t));
}

static int64_t
slots_of(const sb_incomplete *job)
{
    const int64_t threads = sb_exec_threads();

    if (job->m == 0 || job->ptr[job->m] - job->base < SHARED)
        return 1;
    return threads < SLOTS ? threads : SLOTS;
}

int64_t
sb_incomplete_run(const sb_incomplete *job)
{
    static const row_fn table[SB_DTYPE_COUNT][2][2] = {
        [SB_F32] = {{f32_lu_row, f32_root_row}, {f32_lu_line, f32_root_line}},
        [SB_F64] = {{f64_lu_row, f64_root_row}, {f64_lu_line, f64_root_line}},
        [SB_C32] = {{c32_lu_row, c32_root_row}, {c32_lu_line, c32_root_line}},
        [SB_C64] = {{c64_lu_row, c64_root_row}, {c64_lu_line, c64_root_line}},
        [SB_F16] = {{f16_lu_row, f16_root_row}, {f16_lu_line, f16_root_line}},
        [SB_BF16] = {{bf16_lu_row, bf16_root_row}, {bf16_lu_line, bf16_root_line}},
    };
    const size_t spread = spread_of(job->m, job->block);
    const int64_t slots = slots_of(job);
    int32_t *diagonals = (void *)((char *)job->scratch + SLOTS * spread);
    team t = {.one = {.job = job,
                      .b = job->block,
                      .down = job->by_columns ? 1 : job->block,
                      .across = job->by_columns ? job->block : 1,
                      .diagonals = diagonals,
                      .row = job->scratch},
              .row = table[job->type][job->block == 1][job->cholesky],
              .spread = spread,
              .done = (uint8_t *)(diagonals + job->m)};
    int64_t bad = -1;

    if (job->m == 0)
        return -1;
    memset(t.done, 0, (size_t)job->m);
    sb_exec_parallel(run_slots, &t, 0, slots, 1);
    for (int64_t q = 0; q < slots; q++)
        if (t.bad[q] >= 0 && (bad < 0 || t.bad[q] < bad))
            bad = t.bad[q];
    return bad;
}
