/*
 * See groups.h.
 */
#include "planner/groups.h"

#include "kernels/recipe.h"
#include "planner/candidates.h"
#include "planner/context.h"
#include "planner/rules.h"
#include "runtime/device.h"

enum {
    LEAST = 4, /* lanes */
    MOST = 16,
    SHORT = 4, /* entries in the mean, and */
    LONG = 96,
    THREADS = 540000 /* that a large GPU has at once, twice */
};
/* What the longest row has of the mean, and more; entries of a lane, in small and large matrices. */
static const double longest = 3, more = 8, few = 1.5, many = 4;

int
sb_groups_lanes(const sb_problem *pb, const sb_stats *s)
{
    int lanes = LEAST;
    int64_t m, n, k;

    sb_problem_shape(pb, &m, &n, &k);
    if (!pb->device || pb->op != SB_OP_SPMV || sb_problem_as_is(pb) != SB_PART_CSR ||
        s->mean < SHORT || s->mean > LONG ||
        (double)s->longest > longest * s->mean + more || s->cv > 0.5)
        return 0;
    while (lanes < MOST && 2 * lanes * few <= s->mean &&
           (2 * lanes * many <= s->mean || 2 * lanes * (double)m <= (double)THREADS))
        lanes *= 2;
    return lanes;
}

sb_status
sb_groups_kernel(const sb_kernel **out, const sb_problem *pb, int lanes,
                 sb_kernel_effort effort)
{
    const sb_choice ch = {.op = pb->op,
                          .npart = 1,
                          .part = {{.kind = SB_PART_CSR}},
                          .tile = lanes,
                          .unroll = 1};
    sb_spec spec;

    sb_spec_of(&spec, pb, &ch, 1u << SB_PART_CSR, pb->a.ptr_type, pb->a.idx_type);
    spec.even = true;
    return sb_planner_device_kernel(out, pb->device, &spec, effort);
}

int64_t
sb_groups_tiles(sb_plan_int *out, const sb_problem *pb, const sb_kernel *k)
{
    const int64_t each = pb->device->ops->shape(k).rows_per_tile;
    int64_t m, n, columns;

    sb_problem_shape(pb, &m, &n, &columns);
    *out = (sb_plan_int){"tile_units", each};
    return (m + each - 1) / each;
}
