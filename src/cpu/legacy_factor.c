/*
 * Incomplete LU and Cholesky factors in place, row by row, each from the rows above it
 * that its pattern names. The place of each row's diagonal is kept. The row at hand is
 * spread over all columns: its elements, or where its blocks lie.
 */
#include "base/fault.h"
#include "cpu/legacy.h"
#include "cpu/sum.h"

#include <math.h>
#include <string.h>

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

/* Elements of the largest sums, or places of blocks; and diagonals. */
size_t
sb_incomplete_scratch(int64_t m, int64_t block)
{
    return (size_t)m *
           (sizeof(int32_t) + (block == 1 ? sizeof(c64_s) : sizeof(int32_t)));
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
    const bool lines = job->block == 1;
    const row_fn row = table[job->type][lines][job->cholesky];
    const size_t spread = (size_t)job->m * (lines ? sizeof(c64_s) : sizeof(int32_t));
    plan f = {.job = job,
              .b = job->block,
              .down = job->by_columns ? 1 : job->block,
              .across = job->by_columns ? job->block : 1,
              .diagonals = (void *)((char *)job->scratch + spread),
              .where = job->scratch,
              .row = job->scratch};
    int64_t bad = -1;

    memset(job->scratch, 0, spread);
    for (int64_t i = 0; i < job->m; i++) {
        f.diag = find_diagonal(&f, i);
        f.diagonals[i] = (int32_t)f.diag;
        if ((lines ? row(&f, i) : block_row(&f, i, row)) && bad < 0)
            bad = i;
    }
    return bad;
}
