/*
 * See even.h.
 *
 * Ranges are as many as a large GPU is busy with, whatever the GPU, so that the same call
 * gives the same bits everywhere.
 */
#include "planner/even.h"

#include "base/checked.h"
#include "base/macro.h"
#include "kernels/byhand.h"
#include "kernels/recipe.h"
#include "planner/candidates.h"
#include "planner/context.h"
#include "planner/rules.h"
#include "planner/sampled.h"
#include "runtime/device.h"

#include <stdio.h>

enum { RANGES = 8192, RANGE_LEAST = 32, SCRATCH_ALIGN = 16 };

/* Multiprocessors of an H100; the shortest strip; ranges of a block. */
enum { SMS = 132, SHORTEST = 8, TOGETHER = 3 };

/* Equal numbers of rows and entries. */
typedef struct ranges {
    int64_t count, size;
} ranges;

static bool
by_ranges(const sb_problem *pb)
{
    return pb->op != SB_OP_SDDMM && sb_problem_as_is(pb) == SB_PART_CSR;
}

/* The kernel of `recipe`, or of the part where that is negative. */
static void
spec_of(sb_spec *out, const sb_problem *pb, int part, int recipe)
{
    sb_choice ch = {.op = pb->op, .npart = 1, .part = {{.kind = (sb_part_kind)part}}};
    const sb_dtype ptr = part == SB_PART_LIST ? pb->a.idx_type : pb->a.ptr_type;
    const sb_byhand *h;
    double mean;
    sb_work w;

    sb_work_of(&w, pb);
    mean = w.m > 0 ? (double)w.nnz / (double)w.m : 0;
    ch.tile = sb_rule_gpu_tile(&w, mean);
    ch.unroll = part == SB_PART_BLOCKS ? 1 : sb_rule_gpu_unroll(&w, mean, 1);
    sb_spec_of(out, pb, &ch, 1u << part, ptr, pb->a.idx_type);
    if (recipe >= 0)
        out->kinds = 1u << recipe;
    out->even = true;
    sb_rule_lanes(out);
    h = sb_byhand_of(out);
    if (pb->op == SB_OP_SPMV && h && sb_byhand_cut_of(h, out).items == 0) {
        out->tile = 32; /* not for rows of about one length alone: these may be any */
        sb_rule_lanes(out);
    }
}

/* Blocks of a kernel that an H100 runs at once. */
static int64_t
wave(int resident, int threads)
{
    return SMS * (int64_t)(resident > threads ? resident / threads : 1);
}

/* Rows and entries of a group's strip, of `groups` in a block: so many that waves of blocks are
 * full. */
static int64_t
strip_of(const sb_byhand_cut *cut, int64_t items, int64_t groups)
{
    const int64_t at_once = wave(cut->resident, cut->threads) * groups;
    const int64_t waves = items / (at_once * cut->strip) + 1;
    const int64_t each = items / (at_once * waves) + 1;

    return each < SHORTEST ? SHORTEST : each;
}

/* A kernel that shares entries out has ranges of what a block takes. */
static ranges
ranges_of(const sb_problem *pb)
{
    sb_byhand_cut cut = {0};
    const sb_byhand *h;
    int64_t m, n, k;
    sb_spec spec;
    ranges r;

    spec_of(&spec, pb, SB_PART_CSR, SB_KIND_RANGE);
    h = sb_byhand_of(&spec);
    sb_problem_shape(pb, &m, &n, &k);
    r.size = (m + pb->a.nnz - 1) / RANGES + 1;
    if (h)
        cut = sb_byhand_cut_of(h, &spec);
    if (cut.items > 0)
        r.size = sb_rule_gpu_items(m + pb->a.nnz, cut.items);
    else if (h)
        r.size = strip_of(&cut, m + pb->a.nnz, cut.threads / spec.lanes) *
                 (cut.threads / spec.lanes);
    else if (r.size < RANGE_LEAST)
        r.size = RANGE_LEAST;
    r.count = (m + pb->a.nnz + r.size - 1) / r.size;
    return r;
}

/* Of the sums that ranges leave, a multiple of the alignment. */
static bool
sums_bytes(const sb_problem *pb, size_t *bytes)
{
    int64_t m, n, k, sums;

    sb_problem_shape(pb, &m, &n, &k);
    if (!sb_mul_i64(2 * ranges_of(pb).count, n, &sums) ||
        !sb_bytes(sums, sb_dtype_size(pb->compute), bytes))
        return false;
    *bytes = (*bytes + SCRATCH_ALIGN - 1) / SCRATCH_ALIGN * SCRATCH_ALIGN;
    return true;
}

size_t
sb_even_bytes(const sb_problem *pb)
{
    size_t bytes;

    if (!by_ranges(pb) || sb_rule_gpu_whole(pb) || !sums_bytes(pb, &bytes) ||
        bytes == 0)
        return 0;
    return bytes + (size_t)ranges_of(pb).count * sizeof(int64_t) + SCRATCH_ALIGN - 1;
}

/* A kernel of `recipe` for the problem. */
static sb_status
kernel(const sb_kernel **out, const sb_problem *pb, int part, int recipe,
       sb_kernel_effort effort)
{
    sb_spec spec;

    if (sb_sampled_by_entries(pb))
        return sb_sampled_kernel(out, pb, effort);
    spec_of(&spec, pb, part, recipe);
    return sb_planner_device_kernel(out, pb->device, &spec, effort);
}

/* Ranges that a block takes one after another: at most as many as its warps look for together
 * (kernels/ranges.inc), so that waves are full. Sums do not depend on it. */
static int64_t
ranges_of_tile(const sb_problem *pb, const sb_kernel *k, int64_t count)
{
    const sb_gpu_shape s = pb->device->ops->shape(k);
    int64_t waves, rounds;

    if (s.rows_per_tile > 1 || s.items > 0)
        return s.rows_per_tile;
    waves = (count - 1) / wave(s.resident, s.threads) + 1;
    rounds = (waves + TOGETHER - 1) / TOGETHER;
    return (waves + rounds - 1) / rounds;
}

/* Steps over `units` of whatever the kernels' loops are over; r: with sums of ranges. */
static sb_status
launch(const sb_problem *pb, const sb_kernel *const *k, int n, int64_t units,
       const ranges *r, sb_diag *diag)
{
    const int64_t each = r ? ranges_of_tile(pb, k[0], r->count)
                           : pb->device->ops->shape(k[0]).rows_per_tile;
    const uintptr_t at = (uintptr_t)pb->scratch + SCRATCH_ALIGN - 1;
    sb_plan_array left[] = {{.name = "range_sum",
                             .type = pb->compute,
                             .data = (void *)(at - at % SCRATCH_ALIGN)},
                            {.name = "range_row", .type = SB_I64}};
    const sb_plan_int integer[] = {{"tile_units", each},
                                   {"range_count", r ? r->count : 0},
                                   {"range_size", r ? r->size : 0}};
    sb_step step[2] = {{0}};
    const sb_launch l = {.nstep = n,
                         .step = step,
                         .narray = r && pb->scratch ? SB_COUNT(left) : 0,
                         .array = left,
                         .nint = SB_COUNT(integer),
                         .integer = integer};

    size_t bytes;

    if (r && pb->scratch && sums_bytes(pb, &bytes))
        left[1].data = (char *)left[0].data + bytes;
    for (int q = 0; q < n; q++)
        step[q] = (sb_step){.kernel = k[q], .tile_hi = (units + each - 1) / each};
    return pb->device->ops->launch(pb->device, &l, pb, diag);
}

static sb_status
run_whole(const sb_problem *pb, sb_kernel_effort effort, sb_diag *diag)
{
    const ranges r = ranges_of(pb);
    const sb_kernel *k;

    if (kernel(&k, pb, SB_PART_CSR, SB_KIND_WHOLE, effort) != SB_OK)
        return SB_SKIP;
    return launch(pb, &k, 1, r.count, &r, diag);
}

/* SKIP: there are no ranges, or no kernels or scratch for them. */
static sb_status
run_ranges(const sb_problem *pb, sb_kernel_effort effort, sb_diag *diag)
{
    const sb_kernel *k[2];
    ranges r;

    if (sb_rule_gpu_whole(pb))
        return run_whole(pb, effort, diag);
    if (!by_ranges(pb) || !pb->scratch)
        return SB_SKIP;
    r = ranges_of(pb);
    if (kernel(&k[0], pb, SB_PART_CSR, SB_KIND_RANGE, effort) != SB_OK ||
        kernel(&k[1], pb, SB_PART_CSR, SB_KIND_CARRY, effort) != SB_OK)
        return SB_SKIP;
    return launch(pb, k, r.count > 1 ? 2 : 1, r.count, &r, diag);
}

/* Ranges of entries, each by itself. */
static sb_status
run_samples(const sb_problem *pb, const sb_kernel *k, sb_diag *diag)
{
    sb_plan_int integer[SB_SAMPLED_INTS];
    const sb_step step = {.kernel = k, .tile_hi = sb_sampled_tiles(integer, pb, k)};
    const sb_launch l = {
        .nstep = 1, .step = &step, .nint = SB_SAMPLED_INTS, .integer = integer};

    return pb->device->ops->launch(pb->device, &l, pb, diag);
}

/* Of a list its entries, else rows of op(A), which a transposed CSC has by columns, or of
 * blocks. */
static int64_t
units_of(const sb_problem *pb, int part)
{
    int64_t m, n, k;

    sb_problem_shape(pb, &m, &n, &k);
    return part == SB_PART_LIST ? pb->a.nnz : m / sb_matrix_block(&pb->a);
}

void
sb_even_prepare(const sb_problem *pb)
{
    const sb_kernel_effort effort =
        sb_jit_mode() == SB_JIT_BACKGROUND ? SB_KERNEL_ORDER : SB_KERNEL_COMPILE;
    const int part = sb_problem_as_is(pb);
    const sb_kernel *k;

    if (part < 0 || pb->device->ops->capturing(pb->device, pb->stream))
        return;
    if (!by_ranges(pb)) {
        (void)kernel(&k, pb, part, -1, effort);
        return;
    }
    if (sb_rule_gpu_whole(pb)) {
        (void)kernel(&k, pb, part, SB_KIND_WHOLE, effort);
        return;
    }
    (void)kernel(&k, pb, part, SB_KIND_RANGE, effort);
    (void)kernel(&k, pb, part, SB_KIND_CARRY, effort);
}

sb_status
sb_even_run(const sb_problem *pb, sb_diag *diag)
{
    const sb_kernel_effort effort = pb->device->ops->capturing(pb->device, pb->stream)
                                        ? SB_KERNEL_RESIDENT
                                        : SB_KERNEL_COMPILE;
    const int part = sb_problem_as_is(pb);
    const sb_kernel *k;
    sb_status st;

    if (part < 0)
        return SB_SKIP;
    st = run_ranges(pb, effort, diag);
    if (st != SB_SKIP)
        return st;
    if (kernel(&k, pb, part, -1, effort) != SB_OK)
        return SB_SKIP;
    if (sb_sampled_by_entries(pb))
        return run_samples(pb, k, diag);
    return launch(pb, &k, 1, units_of(pb, part), NULL, diag);
}
