/*
 * Dense operands by columns put by rows, and back.
 */
#include "native/run.h"

#include "base/macro.h"
#include "native/text.h"
#include "runtime/sides.h"

enum { VECTOR = 16, ACROSS_ROWS = 4, ALONG_COLUMNS = 8 };

/* Elements at (line s, element r): from + s * step_from + r, to + r * step_to + s. */
typedef struct lines {
    const void *from;
    void *to;
    sb_dtype type_from, type_to;
    int64_t elements, lines, all; /* all: zeros behind the lines included */
    int64_t step_from, step_to;
    int64_t members, next_from, next_to;
    int64_t across; /* lanes of a group */
} lines;

static bool
fit(const void *at, int64_t step, int64_t next, sb_dtype t, int64_t side)
{
    const int64_t bytes = side * (int64_t)sb_dtype_size(t);

    return (uintptr_t)at % (uintptr_t)bytes == 0 && step % side == 0 &&
           next % side == 0;
}

static int64_t
pieces(int64_t n, int64_t of)
{
    return (n - 1) / of + 1;
}

/* Scalars and where a device finds them are the caller's to add. */
static sb_native_job
job_of(const char *op, sb_dtype e, sb_dtype c, const lines *l)
{
    const int64_t side = VECTOR / (int64_t)sb_dtype_size(l->type_from);
    const int64_t down = SB_NATIVE_LANES / l->across;
    const int64_t number[] = {
        l->elements,
        l->lines,
        l->all,
        l->step_from,
        l->step_to,
        l->members,
        l->next_from,
        l->next_to,
        l->across,
        fit(l->from, l->step_from, l->next_from, l->type_from, side) +
            2 * fit(l->to, l->step_to, l->next_to, l->type_to, side),
        0,
        0,
        pieces(l->all, l->across * side),
        pieces(l->elements, down * side)};
    sb_native_job j = sb_native_job_of(op, e, c, SB_DTYPE_COUNT, SB_DTYPE_COUNT);

    for (int q = 0; q < SB_COUNT(number); q++)
        sb_native_int(&j, number[q]);
    sb_native_array(&j, l->from);
    sb_native_array(&j, l->to);
    return j;
}

static sb_status
start(const sb_native *n, const sb_native_job *j)
{
    return sb_native_groups(
        n, j, j->args.param[12].i * j->args.param[13].i * j->args.param[5].i);
}

/* The least power of two that is `n` and more, at most `most`. */
static int64_t
power_up(int64_t n, int64_t most)
{
    int64_t p = 1;

    while (p < n && p < most)
        p *= 2;
    return p;
}

static int64_t
members(const sb_dense *d)
{
    return d->batch > 1 ? d->batch : 1;
}

/* Column j of d begins so many elements behind column 0. */
static const void *
column(const sb_dense *d, int64_t j)
{
    return (const char *)d->data + (size_t)(j * d->ld) * sb_dtype_size(d->type);
}

sb_status
sb_native_sides_take(const sb_native *n, const sb_problem *pb, int64_t from,
                     const sb_problem *part)
{
    const sb_dense *b = &pb->b, *to = &part->b;
    const sb_dtype t = sb_native_carrier(sb_dtype_size(b->type));
    const int64_t side = VECTOR / (int64_t)sb_dtype_size(t), left = pb->c.cols - from;
    int64_t m, wide, k;
    sb_native_job j;
    lines l;

    if (!sb_sides_turn_b(pb))
        return SB_OK;
    sb_problem_shape(part, &m, &wide, &k);
    l = (lines){.from = column(b, from),
                .to = to->data,
                .type_from = t,
                .type_to = t,
                .elements = k,
                .lines = left < wide ? left : wide,
                .all = to->ld,
                .step_from = b->ld,
                .step_to = to->ld,
                .members = members(b),
                .next_from = b->batch > 1 ? b->stride : 0,
                .next_to = to->stride,
                .across = power_up(pieces(to->ld, side), ACROSS_ROWS)};
    j = job_of("by_rows", t, SB_DTYPE_COUNT, &l);
    sb_native_array(&j, NULL);
    sb_native_array(&j, NULL);
    return start(n, &j);
}

sb_status
sb_native_sides_give(const sb_native *n, const sb_problem *pb, int64_t from,
                     const sb_problem *part)
{
    const sb_dense *c = &pb->c, *sums = &part->c;
    const int64_t side = VECTOR / (int64_t)sb_dtype_size(sums->type),
                  left = c->cols - from;
    int64_t m, wide, k;
    sb_native_job j;
    lines l;

    if (!sb_sides_turn_c(pb))
        return SB_OK;
    sb_problem_shape(part, &m, &wide, &k);
    wide = left < wide ? left : wide;
    l = (lines){.from = sums->data,
                .to = (void *)(uintptr_t)column(c, from),
                .type_from = sums->type,
                .type_to = c->type,
                .elements = wide,
                .lines = m,
                .all = m,
                .step_from = sums->ld,
                .step_to = c->ld,
                .members = members(c),
                .next_from = sums->stride,
                .next_to = c->batch > 1 ? c->stride : 0,
                .across =
                    SB_NATIVE_LANES / power_up(pieces(wide, side), ALONG_COLUMNS)};
    j = job_of("by_columns", c->type, sums->type, &l);
    j.args.nparam = 10;
    sb_native_scalar_of(&j, pb->compute, pb->alpha);
    sb_native_scalar_of(&j, pb->compute, pb->beta);
    j.args.nparam = 14;
    sb_native_array(&j, pb->far_alpha);
    sb_native_array(&j, pb->far_beta);
    return start(n, &j);
}
