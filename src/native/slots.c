/*
 * Products with blocks and slots in place. A^T is sorted by its lines in the buffer: slots get
 * an order, values stay where they are.
 */
#include "native/run.h"

#include "base/macro.h"
#include "native/text.h"

enum { RANGES = 8192, RANGE_LEAST = 32, FEW_LINES = 1024, LINE = 64 };

/* A by the lines of op(A) (slots.inc). */
typedef struct lined {
    int64_t lines, high, across, width, slots; /* the last: of a step */
    int64_t down, along;                       /* steps in a block */
    int64_t steps, n, m;                       /* in all; columns and rows of C */
    int64_t ranges, size;                      /* size 0: a line is a range */
    const void *ptr, *idx;
    const int32_t *order;
    sb_dtype ptr_type, idx_type;
    int base;
} lined;

/* What lies in the buffer, each from a line of 64 bytes on. */
typedef struct layout {
    size_t ptr, idx, order, key, row, scratch, end; /* the sums come first */
} layout;

static bool
turns(const sb_problem *pb)
{
    return sb_problem_transposes(pb);
}

static bool
sampled(const sb_problem *pb)
{
    return pb->op == SB_OP_SDDMM;
}

/* ---- lines and ranges ------------------------------------------------------------------- */

static int64_t
power_up(int64_t n, int64_t most)
{
    int64_t p = 1;

    while (p < n && p < most)
        p *= 2;
    return p;
}

static int64_t
chunks(int64_t n, int64_t of)
{
    return (n + of - 1) / of;
}

/* Of op(A), with the caller's arrays; those of A^T are set when it is sorted. */
static lined
lined_of(const sb_problem *pb)
{
    const sb_matrix *a = &pb->a;
    const bool sliced = a->format == SB_FORMAT_SELL, rows = a->format == SB_FORMAT_BELL;
    const int64_t b = sb_matrix_block(a), one = rows ? a->width * b : b;
    const bool turned = rows ? turns(pb) : sb_problem_turns_blocks(pb);
    lined l = {.high = sliced && !turns(pb) ? a->width : b,
               .across = b,
               .width = rows ? a->width : 0,
               .slots = sliced && !turns(pb) ? a->width : 1,
               .down = sliced   ? 0
                       : turned ? 1
                                : one,
               .along = sliced   ? 0
                        : turned ? one
                                 : 1,
               .ptr = rows ? NULL : a->ptr,
               .idx = a->idx,
               .ptr_type = rows ? SB_I64 : a->ptr_type,
               .idx_type = a->idx_type,
               .base = a->base};
    int64_t k;

    sb_problem_shape(pb, &l.m, &l.n, &k);
    l.lines = chunks(l.m, l.high);
    l.steps = a->nnz / l.slots;
    return l;
}

static void
cut(lined *l)
{
    const int64_t most = l->high < RANGES ? RANGES / l->high : 1;
    const int64_t items = l->lines + l->steps;

    l->size = items / most + 1;
    l->size = l->size > RANGE_LEAST ? l->size : RANGE_LEAST;
    l->ranges = chunks(items, l->size);
}

static void
do_not_cut(lined *l)
{
    l->size = 0;
    l->ranges = l->lines;
}

/* ---- the buffer ------------------------------------------------------------------------- */

static size_t
lines_of(int64_t count, size_t size)
{
    return ((size_t)count * size + LINE - 1) & ~(size_t)(LINE - 1);
}

static layout
layout_of(const sb_problem *pb)
{
    const int64_t nnz = turns(pb) ? pb->a.nnz : 0;
    lined l = lined_of(pb);
    layout at;

    cut(&l);
    at.ptr = l.ranges > 1
                 ? lines_of(2 * l.ranges * l.high * l.n, sb_dtype_size(pb->compute))
                 : 0;
    at.idx = at.ptr + (turns(pb) ? lines_of(l.lines + 1, sizeof(int32_t)) : 0);
    at.order = at.idx + lines_of(nnz, sizeof(int32_t));
    at.key = at.order + lines_of(nnz, sizeof(int32_t));
    at.row = at.key + lines_of(nnz, sizeof(int32_t));
    at.scratch = at.row + lines_of(nnz, sizeof(int32_t));
    at.end = at.scratch + (turns(pb) ? sb_native_order_scratch(nnz) : 0);
    return at;
}

bool
sb_native_slots_serves(const sb_problem *pb)
{
    const sb_matrix *a = &pb->a;
    const bool padded =
        a->format == SB_FORMAT_BELL || (a->format == SB_FORMAT_SELL && a->width > 0);

    if (turns(pb))
        return (padded || a->format == SB_FORMAT_BSR) && a->rows < INT32_MAX &&
               a->cols < INT32_MAX && a->nnz < INT32_MAX;
    return padded || (a->format == SB_FORMAT_BSR && !sampled(pb) &&
                      a->rows / a->block < FEW_LINES);
}

size_t
sb_native_slots_bytes(const sb_problem *pb)
{
    return sb_native_slots_serves(pb) && !sampled(pb) ? layout_of(pb).end + LINE : 0;
}

/* ---- jobs ------------------------------------------------------------------------------- */

typedef struct steps {
    int64_t row, column;
} steps;

static steps
steps_of(const sb_dense *d, sb_trans op)
{
    return d->col_major == (op == SB_TRANS_N) ? (steps){1, d->ld} : (steps){d->ld, 1};
}

static sb_native_job
job_of(const char *op, const sb_problem *pb, const lined *l, void *sums)
{
    const bool dots = sampled(pb);
    const steps b = steps_of(&pb->b, dots ? pb->trans_a : pb->trans_b);
    const steps c = steps_of(&pb->c, dots ? pb->trans_b : SB_TRANS_N);
    const int64_t wide = power_up(l->n, SB_NATIVE_LANES);
    const int64_t tall = l->slots > 1 ? power_up(l->high, SB_NATIVE_LANES / wide) : 1;
    const int conj =
        (pb->trans_a == SB_TRANS_H ? 1 : 0) | (pb->trans_b == SB_TRANS_H ? 2 : 0);
    const int64_t number[] = {l->lines, l->high, l->across, l->base, l->width,
                              l->slots, l->down, l->along,  l->n,    l->m,
                              wide,     tall,    l->ranges, l->size, b.row,
                              b.column, c.row,   c.column,  conj};
    const void *const array[] = {pb->a.val, l->ptr,        l->idx,
                                 l->order,  pb->b.data,    pb->c.data,
                                 sums,      pb->far_alpha, pb->far_beta};
    sb_native_job j =
        sb_native_job_of(op, pb->a.val_type, pb->compute, l->idx_type, l->ptr_type);

    j.x = pb->b.type;
    j.y = pb->c.type;
    for (int q = 0; q < SB_COUNT(number); q++)
        sb_native_int(&j, number[q]);
    sb_native_scalar_of(&j, pb->compute, pb->alpha);
    sb_native_scalar_of(&j, pb->compute, pb->beta);
    for (int q = 0; q < SB_COUNT(array); q++)
        sb_native_array(&j, array[q]);
    return j;
}

/* ---- A^T -------------------------------------------------------------------------------- */

/* The number of slots in each line is not known here: empty ones come after the last. */
static sb_status
sort(lined *l, const sb_native *n, const sb_problem *pb, char *buffer)
{
    const layout at = layout_of(pb);
    sb_problem rows = *pb;
    int32_t *const key = (int32_t *)(void *)(buffer + at.key);
    int32_t *const row = (int32_t *)(void *)(buffer + at.row);
    const sb_flip f = {.n = l->lines,
                       .nnz = pb->a.nnz,
                       .idx = key,
                       .row = row,
                       .to_ptr = (int32_t *)(void *)(buffer + at.ptr),
                       .to_idx = (int32_t *)(void *)(buffer + at.idx),
                       .to_order = (int32_t *)(void *)(buffer + at.order),
                       .scratch = buffer + at.scratch};
    sb_native_job j;
    lined a;

    rows.trans_a = SB_TRANS_N;
    a = lined_of(&rows);
    a.n = l->lines;
    a.ranges = pb->a.nnz;
    j = job_of("listed", &rows, &a, NULL);
    j.e = j.c = j.x = j.y = SB_DTYPE_COUNT;
    j.args.buf[4] = key;
    j.args.buf[5] = row;
    SB_TRY(sb_native_threads(n, &j, pb->a.nnz));
    SB_TRY(sb_native_flip(n, &f));
    l->ptr = f.to_ptr;
    l->idx = f.to_idx;
    l->order = f.to_order;
    l->ptr_type = l->idx_type = SB_I32;
    l->base = 0;
    return SB_OK;
}

/* ---- the products ----------------------------------------------------------------------- */

static sb_status
multiply(const sb_native *n, const sb_problem *pb, const lined *l, void *sums)
{
    const bool bricks = pb->a.format != SB_FORMAT_SELL;
    sb_native_job j = job_of(bricks ? "bricks" : "slices", pb, l, sums);
    const int64_t rows = j.args.param[11].i * (bricks ? SB_NATIVE_BRICK_ROWS : 1);
    const int64_t parts = chunks(l->high, rows) * chunks(l->n, j.args.param[10].i);

    SB_TRY(sb_native_groups(n, &j, l->ranges * parts));
    if (l->ranges == 1 || l->size == 0)
        return SB_OK;
    j.op = "carries";
    return sb_native_threads(n, &j, (l->ranges - 1) * l->high * l->n);
}

static sb_status
sample(const sb_native *n, const sb_problem *pb)
{
    lined l = lined_of(pb);
    sb_native_job j;
    int64_t rows, columns;

    l.ranges = pb->a.nnz;
    sb_problem_shape(pb, &rows, &columns, &l.n);
    j = job_of("sampled", pb, &l, NULL);
    return sb_native_groups(n, &j, pb->a.nnz);
}

static char *
begin_of(void *scratch)
{
    char *at = scratch;

    return at + (LINE - (uintptr_t)at % LINE) % LINE;
}

sb_status
sb_native_slots_run(const sb_native *n, const sb_problem *pb)
{
    const int64_t members = pb->batch > 1 ? pb->batch : 1;
    char *const buffer = pb->scratch ? begin_of(pb->scratch) : NULL;
    lined l;

    if (!buffer && !sampled(pb) && (turns(pb) || !sb_matrix_padded(&pb->a)))
        return SB_SKIP;
    for (int64_t q = 0; q < members; q++) {
        const sb_problem one = sb_problem_member(pb, q);

        if (sampled(pb)) {
            SB_TRY(sample(n, &one));
            continue;
        }
        if (q == 0 || pb->a.batch > 1) {
            l = lined_of(&one);
            if (turns(pb))
                SB_TRY(sort(&l, n, &one, buffer));
            if (buffer)
                cut(&l);
            else
                do_not_cut(&l);
        }
        SB_TRY(multiply(n, &one, &l, buffer));
    }
    return SB_OK;
}
