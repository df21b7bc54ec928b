/*
 * Dense operands by columns put by rows, and back.
 */
#include "native/run.h"

#include "base/macro.h"
#include "native/text.h"
#include "runtime/sides.h"

/* log2 of a piece's columns: at least; at most where they become rows, and columns. */
enum { LEAST = 3, ROW = 6, COLUMNS = 5 };

/* Elements at (line s, element r): from + s * step_from + r, to + r * step_to + s. */
typedef struct lines {
    const void *from;
    void *to;
    int64_t elements, lines, all; /* all: zeros behind the lines included */
    int64_t step_from, step_to;
    int64_t members, next_from, next_to;
    int bits; /* log2 of a piece's elements of a line */
} lines;

static int64_t
pieces(int64_t n, int bits)
{
    return n > 0 ? ((n - 1) >> bits) + 1 : 0;
}

/* Of the least power of two that n columns fit in, LEAST at least and `most` at most. */
static int
bits_of(int64_t n, int most)
{
    int bits = LEAST;

    while (bits < most && (int64_t)1 << bits < n)
        bits++;
    return bits;
}

static sb_status
start(const sb_native *n, const char *op, sb_dtype e, sb_dtype c, const lines *l,
      const sb_problem *pb)
{
    const int all = sb_native_piece_bits(sb_dtype_size(c < SB_DTYPE_COUNT ? c : e));
    const int64_t across = pieces(l->all, all - l->bits),
                  along = pieces(l->elements, l->bits);
    const int64_t number[] = {l->elements,  l->lines,   l->all,
                              l->step_from, l->step_to, l->members,
                              l->next_from, l->next_to, l->bits};
    sb_native_job j = sb_native_job_of(op, e, c, SB_DTYPE_COUNT, SB_DTYPE_COUNT);

    for (int q = 0; q < SB_COUNT(number); q++)
        sb_native_int(&j, number[q]);
    sb_native_scalar_of(&j, pb->compute, pb->alpha);
    sb_native_scalar_of(&j, pb->compute, pb->beta);
    sb_native_int(&j, across);
    sb_native_int(&j, along);
    sb_native_array(&j, l->from);
    sb_native_array(&j, l->to);
    sb_native_array(&j, pb->far_alpha);
    sb_native_array(&j, pb->far_beta);
    return sb_native_threads(n, &j, across * along * l->members * SB_NATIVE_THREADS);
}

static int64_t
members(const sb_dense *d)
{
    return d->batch > 1 ? d->batch : 1;
}

/* Where column j of an operand by columns begins. */
static const void *
column(const sb_dense *d, int64_t j)
{
    return d->data
               ? (const char *)d->data + (size_t)(j * d->ld) * sb_dtype_size(d->type)
               : NULL; /* nothing is launched then */
}

/* The columns of `part`, from column `from` on, that C has. */
static int64_t
columns_of(const sb_problem *pb, int64_t from, const sb_problem *part)
{
    const int64_t left = pb->c.cols - from;

    return left < part->c.cols ? left : part->c.cols;
}

sb_status
sb_native_sides_take(const sb_native *n, const sb_problem *pb, int64_t from,
                     const sb_problem *part)
{
    const sb_dense *b = &pb->b, *to = &part->b;
    const size_t size = sb_dtype_size(b->type);
    int64_t m, wide, k;
    lines l;

    if (!sb_sides_turn_b(pb))
        return SB_OK;
    sb_problem_shape(part, &m, &wide, &k);
    l = (lines){.from = column(b, from),
                .to = to->data,
                .elements = k,
                .lines = columns_of(pb, from, part),
                .all = to->ld,
                .step_from = b->ld,
                .step_to = to->ld,
                .members = members(b),
                .next_from = b->batch > 1 ? b->stride : 0,
                .next_to = to->stride,
                .bits = sb_native_piece_bits(size) - bits_of(to->ld, ROW)};
    return start(n, "by_rows", sb_native_carrier(size), SB_DTYPE_COUNT, &l, pb);
}

sb_status
sb_native_sides_give(const sb_native *n, const sb_problem *pb, int64_t from,
                     const sb_problem *part)
{
    const sb_dense *c = &pb->c, *sums = &part->c;
    const int64_t wide = columns_of(pb, from, part);
    const lines l = {.from = sums->data,
                     .to = (void *)(uintptr_t)column(c, from),
                     .elements = wide,
                     .lines = c->rows,
                     .all = c->rows,
                     .step_from = sums->ld,
                     .step_to = c->ld,
                     .members = members(c),
                     .next_from = sums->stride,
                     .next_to = c->batch > 1 ? c->stride : 0,
                     .bits = bits_of(wide, COLUMNS)};

    return sb_sides_turn_c(pb) ? start(n, "by_columns", c->type, sums->type, &l, pb)
                               : SB_OK;
}
