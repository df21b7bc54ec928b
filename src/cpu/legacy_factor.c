/*
 * Incomplete LU and Cholesky factors in place, row by row, each from the rows above it
 * that its pattern names. Columns ascend, so the place of a column is found by bisection,
 * and the place of each row's diagonal is kept.
 */
#include "base/fault.h"
#include "cpu/legacy.h"
#include "cpu/sum.h"

#include <math.h>

/* A factor under way: row i is at hand, its diagonal in slot diag, -1 if there is none. */
typedef struct plan {
    const sb_incomplete *job;
    int64_t b, down, across, diag;
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
    return f->job->scratch[i];
}

/* The slot of column j in row i, -1 if there is none. */
static int64_t
place(const plan *f, int64_t i, int64_t j)
{
    int64_t lo = first(f, i), hi = first(f, i + 1);

    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;

        if (column(f, mid) < j)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < first(f, i + 1) && column(f, lo) == j ? lo : -1;
}

#define EACH "cpu/legacy_factor.inc"
#include "cpu/each_type.inc"

typedef bool (*row_fn)(const plan *f, int64_t i);

int64_t
sb_incomplete_run(const sb_incomplete *job)
{
    static const row_fn table[SB_DTYPE_COUNT][2] = {
        [SB_F32] = {f32_lu_row, f32_root_row}, [SB_F64] = {f64_lu_row, f64_root_row},
        [SB_C32] = {c32_lu_row, c32_root_row}, [SB_C64] = {c64_lu_row, c64_root_row},
        [SB_F16] = {f16_lu_row, f16_root_row}, [SB_BF16] = {bf16_lu_row, bf16_root_row},
    };
    plan f = {job, job->block, job->by_columns ? 1 : job->block,
              job->by_columns ? job->block : 1, -1};
    int64_t bad = -1;

    for (int64_t i = 0; i < job->m; i++) {
        f.diag = place(&f, i, i);
        job->scratch[i] = (int32_t)f.diag;
        if (table[job->type][job->cholesky](&f, i) && bad < 0)
            bad = i;
    }
    return bad;
}
