/*
 * Equal pieces of rows + entries, found by binary search in the row offsets; of
 * coordinates, equal pieces of the list.
 */
#include "planner/direct.h"

#include "planner/candidates.h"
#include "planner/context.h"
#include "planner/rules.h"
#include "planner/slabs.h"
#include "runtime/backend.h"
#include "runtime/slab.h"

#include <math.h>
#include <string.h>

enum { DIRECT_TILES = 64 };

/* What the rules ask of the rows of a part in place, by samples of them. */
typedef struct order {
    double ragged; /* sb_view_ragged */
    double strewn; /* sb_view_strewn */
    bool near;     /* sb_rule_dots_near */
    int last;      /* sb_rule_last */
} order;

/* The best resident kernel of this part in slabs of so many columns, 0: none; what unrolls,
 * streams and prefetches is given up before the tile. */
static sb_status
resident(const sb_kernel **out, const sb_problem *pb, const sb_work *w,
         sb_part_kind kind, order of, int slab)
{
    const sb_target *t = sb_target_get();
    const sb_work narrow = sb_work_slab(w, slab);
    const double mean = w->m > 0 ? (double)w->nnz / (double)w->m : 0;
    const double b_bytes = (double)w->k * (double)w->n * w->b_size;
    const bool stream = sb_rule_stream(pb, w, mean, t) ||
                        (of.last > 0 && slab == 0 && sb_rule_stream_last(pb, w, t));
    const double strewn = slab > 0 ? 0 : of.strewn;
    const int near =
        kind == SB_PART_CSR ? sb_rule_slab_prefetch(w, slab, of.strewn, t) : 0;
    const int prefetch = near > 0 ? near
                         : of.last || of.near || !sb_rule_slab_asks(w, slab, t)
                             ? 0
                             : sb_rule_prefetch(pb, b_bytes, strewn, 1, stream, t);
    const sb_dtype ptr = kind == SB_PART_LIST ? pb->a.idx_type : pb->a.ptr_type;
    const int block = kind == SB_PART_BLOCKS ? (int)pb->a.block : 0;
    sb_choice ch = {.op = pb->op, .npart = 1, .part = {{.kind = kind}}, .slab = slab};
    const int asked = sb_rule_tile_asks(w, t, prefetch, slab == 0 ? of.last : 0);

    for (int rank = 0;
         (ch.tile = sb_rule_tile_of(&narrow, t, kind, block, asked, rank)) > 0;
         rank++) {
        const int unroll =
            sb_rule_alone(w, b_bytes, strewn, kind, t)
                ? 1
                : sb_rule_together_slab(w, slab, t, kind, 1, mean, of.ragged);

        for (int without = 0; without < 8; without++) {
            ch.prefetch = without & 4 ? 0 : prefetch;
            ch.unroll = without & 1       ? 1
                        : ch.prefetch > 0 ? sb_rule_asking(w, t, unroll)
                                          : unroll;
            ch.stream = !(without & 2) && stream && sb_rule_tile_streams(w, t, ch.tile);
            if (((without & 1) && unroll == 1) || ((without & 2) && !stream) ||
                ((without & 4) && !prefetch))
                continue;
            if (sb_planner_kernel(out, pb, &ch, 1u << kind, ptr, pb->a.idx_type,
                                  SB_KERNEL_RESIDENT) == SB_OK)
                return SB_OK;
        }
    }
    return SB_SKIP;
}

/* Whether first lines asked for gain more than it takes to see whether they are worth it. */
static bool
long_enough(const sb_work *w, double b_bytes, const sb_target *t)
{
    return sb_rule_first(w, b_bytes, 1, t) &&
           (double)w->nnz * (double)w->n * w->b_size > 64e6;
}

/* Which samples of rows in place the rules ask for. */
typedef struct asks {
    bool lengths, last, far;
} asks;

static asks
asks_of(const sb_work *w, sb_part_kind kind)
{
    const sb_target *t = sb_target_get();
    const double b_bytes = (double)w->k * (double)w->n * w->b_size;

    if (kind != SB_PART_CSR)
        return (asks){0};
    return (asks){
        .lengths = sb_rule_asks_ragged(w, t),
        .last = sb_rule_last(w, b_bytes, 1, t) > 0,
        .far = long_enough(w, b_bytes, t) ||
               (sb_target_slow_gathers(t) && (sb_rule_strewn(w, b_bytes, 1, t) ||
                                              sb_rule_beyond(w, b_bytes, 1, 1, t)))};
}

static order
order_of(const sb_problem *pb, const sb_work *w, asks as)
{
    const sb_target *t = sb_target_get();
    const double b_bytes = (double)w->k * (double)w->n * w->b_size;
    order of = {0};
    sb_view v;

    if (!(as.lengths || as.last || as.far) ||
        sb_view_make(&v, &pb->a, sb_problem_transposes(pb), NULL) != SB_OK)
        return of;
    if (as.lengths)
        of.ragged = sb_view_ragged(&v);
    if (as.far)
        of.strewn = sb_view_strewn(&v);
    if (as.far && w->op == SB_OP_SDDMM)
        of.near = sb_rule_dots_near(w, sb_view_onward(&v), t);
    if (as.last)
        of.last = sb_rule_last(w, b_bytes, sb_view_onward(&v), t);
    sb_view_free(&v);
    return of;
}

/* ---- what a thread remembers ------------------------------------------------------ */

/* What follows from a problem's sizes and types alone, and the kernel that the last samples led to: a
 * third of what a call of a few rows takes. */
typedef struct known {
    sb_problem shape; /* without arrays and scalars */
    sb_work w;
    sb_part_kind kind;
    asks asks;
    order of; /* the samples */
    int slab;
    const sb_kernel *kernel; /* resident() */
    int64_t changes;         /* sb_kernel_changes() then; 0: none yet */
} known;

/* Where the arrays lie decides nothing; slab() asks for room. */
static sb_problem
shape_of(const sb_problem *pb)
{
    sb_problem shape = *pb;

    shape.a.ptr = shape.a.idx = shape.a.row = NULL;
    shape.a.val = shape.b.data = shape.c.data = shape.scratch = shape.stream = NULL;
    shape.alpha = shape.beta = (sb_value){0, 0};
    shape.room = 0;
    return shape;
}

/* One of four. A product and its transposed one have as many entries and columns. */
static int
slot_of(const sb_problem *pb)
{
    uint64_t h = (uint64_t)pb->a.nnz;

    h = h * 31 + (uint64_t)pb->a.rows;
    h = h * 31 + (uint64_t)pb->b.cols;
    h = h * 31 + (uint64_t)pb->c.cols;
    h = h * 31 + (uint64_t)pb->op;
    h = h * 31 + (uint64_t)pb->trans_a;
    h = h * 31 + (uint64_t)pb->a.format;
    h = h * 31 + (uint64_t)pb->compute;
    return (int)(h * UINT64_C(0x9e3779b97f4a7c15) >> 62);
}

static known *
recall(const sb_problem *pb, sb_part_kind as_is)
{
    static _Thread_local known table[4];
    const sb_problem shape = shape_of(pb);
    known *k = &table[slot_of(pb)];

    /* padding that differs costs a search, no more */
    if (memcmp(&k->shape, &shape, sizeof shape) == 0)
        return k;
    memcpy(&k->shape, &shape, sizeof shape);
    sb_work_of(&k->w, pb);
    k->kind = as_is;
    if (as_is == SB_PART_CSR)
        k->kind =
            sb_rule_in_place(&k->w, sb_target_get(), (double)k->w.nnz / (double)k->w.m);
    k->asks = asks_of(&k->w, k->kind);
    k->changes = 0;
    return k;
}

static bool
same_order(const order *x, const order *y)
{
    return x->ragged == y->ragged && x->strewn == y->strewn && x->near == y->near &&
           x->last == y->last;
}

/* resident() of what is known, looked up anew where samples or kernels are others. */
static sb_status
look_up(const sb_kernel **out, known *k, const sb_problem *pb, const order *of,
        int slab)
{
    const int64_t changes = sb_kernel_changes();

    if (k->changes != changes || k->slab != slab || !same_order(&k->of, of)) {
        k->changes = 0;
        SB_TRY(resident(&k->kernel, pb, &k->w, k->kind, *of, slab));
        k->of = *of;
        k->slab = slab;
        k->changes = changes;
    }
    *out = k->kernel;
    return SB_OK;
}

/* ---- one call --------------------------------------------------------------------- */

/* Columns of a slab, of rows alone that gain from it and a buffer that is there; else 0. Where that
 * depends on the order of columns, `strewn` is set. */
static int
slab(double *strewn, const sb_problem *pb, const sb_work *w, int kind)
{
    int width = 0;
    sb_view v;

    if (kind != SB_PART_CSR || pb->room == 0 ||
        sb_slab_width(pb, w, sb_target_get()) == 0 ||
        sb_view_make(&v, &pb->a, sb_problem_transposes(pb), NULL) != SB_OK)
        return 0;
    width = sb_slab_rows(pb, &v, w, sb_target_get());
    if (width > 0 && !sb_slab_strewn(w, 0, 0, sb_target_get())) {
        *strewn = sb_view_strewn(&v);
        if (!sb_slab_strewn(w, *strewn, sb_view_alike(&v), sb_target_get()))
            width = 0;
    }
    sb_view_free(&v);
    return sb_slab_fits(pb, width) ? width : 0;
}

/* Tiles of `n` equal pieces of the rows in place, `rows` of them a unit; returns their
 * number. */
static sb_status
cut_rows(sb_tile *tile, int64_t *count, const sb_problem *pb, int64_t rows, int64_t n,
         sb_diag *diag)
{
    int64_t unit = 0, at = 0;
    sb_view v;

    SB_TRY(sb_view_make(&v, &pb->a, sb_problem_transposes(pb), diag)); /* no copy */
    for (int64_t q = 1; q <= n; q++) {
        const int64_t work = v.rows + v.nnz;
        const int64_t row =
            q == n ? v.rows : sb_view_row_at(&v, work / n * q + work % n * q / n);
        const int64_t end = (row + rows - 1) / rows;

        if (end > unit)
            tile[at++] = (sb_tile){0, unit, end, 0};
        unit = end > unit ? end : unit;
    }
    sb_view_free(&v);
    *count = at;
    return SB_OK;
}

static void
cut_list(sb_tile *tile, int64_t *count, int64_t nnz, int64_t n)
{
    n = n > nnz ? nnz : n;
    for (int64_t q = 0; q < n; q++)
        tile[q] = (sb_tile){0, nnz / n * q + nnz % n * q / n,
                            nnz / n * (q + 1) + nnz % n * (q + 1) / n, 0};
    *count = n;
}

/* Tiles of entries and rows. Finding where one ends takes some 50 ns, which a short product notices
 * before the thread that waits for the other's last tile. */
static int64_t
tiles(const sb_work *w, int threads)
{
    const double products = (double)w->nnz * sb_work_width(w);
    const int64_t n = sb_work_units(w, w->nnz) /
                          sb_work_grain(w, w->nnz, sb_target_get()->isa, threads) +
                      1;
    int64_t most = 4 * (int64_t)threads;

    if (products >= 1e6 || most > DIRECT_TILES)
        most = DIRECT_TILES;
    return n < most ? n : most;
}

/* `whole` on kernels for pb: the same, or a slab of it that is turned. */
static sb_status
run(const sb_problem *pb, const sb_problem *whole, int turned, sb_diag *diag)
{
    const int as_is = sb_problem_as_is(pb);
    sb_tile tile[DIRECT_TILES];
    sb_step step = {0};
    sb_launch launch = {.nstep = 1, .step = &step, .tile = tile};
    sb_part_kind kind;
    known *k;
    order of;
    double strewn = 0;
    int64_t n;
    int width;

    if (as_is < 0)
        return SB_SKIP;
    k = recall(pb, (sb_part_kind)as_is);
    kind = k->kind;
    width = turned > 0 ? 0 : slab(&strewn, pb, &k->w, kind);
    of = order_of(pb, &k->w, k->asks);
    of.strewn = fmax(of.strewn, strewn);
    if (look_up(&step.kernel, k, pb, &of, width) != SB_OK) {
        kind = (sb_part_kind)as_is;
        of = order_of(pb, &k->w, asks_of(&k->w, kind));
        SB_TRY(resident(&step.kernel, pb, &k->w, kind, of, width));
    }
    launch.last = width > 0 ? 0 : of.last;
    launch.slab = turned > 0 ? turned : width;
    launch.together = turned == 0 && sb_rule_slab_shared(&k->w, width, sb_target_get());
    n = tiles(&k->w, sb_backend_get()->threads());
    if (kind == SB_PART_LIST)
        cut_list(tile, &step.tile_hi, k->w.nnz, n);
    else
        SB_TRY(cut_rows(tile, &step.tile_hi, pb, sb_part_rows_of_unit(kind), n, diag));
    return sb_launch_run(&launch, whole, diag);
}

sb_status
sb_direct_run(const sb_problem *pb, sb_diag *diag)
{
    sb_problem by_rows = sb_problem_by_rows_alone(pb);
    const int turned = sb_slab_turning(&by_rows, NULL);
    sb_status st = SB_SKIP;

    if (sb_slab_fits(&by_rows, turned)) {
        const sb_problem one = sb_slab_alone(&by_rows, turned);

        st = run(&one, &by_rows, turned, diag);
    }
    if (st != SB_SKIP)
        return st;
    if (sb_problem_by_columns(pb))
        by_rows = sb_problem_by_rows(pb);
    return run(&by_rows, &by_rows, 0, diag);
}
