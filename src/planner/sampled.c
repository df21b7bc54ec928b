/*
 * See sampled.h.
 */
#include "planner/sampled.h"

#include "kernels/byhand.h"
#include "kernels/recipe.h"
#include "planner/candidates.h"
#include "planner/context.h"
#include "planner/rules.h"
#include "runtime/device.h"

/* Warps that a large GPU has room for: one range each, as long as ranges are not long. The
 * dots are the same in any, so a smaller GPU only takes them one after another. */
enum { WARPS = 4096, LONGEST = 128, USUAL = 64, LEAST = 8 };

bool
sb_sampled_by_entries(const sb_problem *pb)
{
    return pb->device && pb->op == SB_OP_SDDMM && sb_problem_as_is(pb) == SB_PART_CSR;
}

static void
spec_of(sb_spec *out, const sb_problem *pb)
{
    sb_choice ch = {.op = pb->op, .npart = 1, .part = {{.kind = SB_PART_CSR}}};
    sb_work w;

    sb_work_of(&w, pb);
    ch.tile = sb_rule_gpu_tile(&w, 0);
    ch.unroll = 1;
    sb_spec_of(out, pb, &ch, 1u << SB_PART_CSR, pb->a.ptr_type, pb->a.idx_type);
    out->kinds = 1u << SB_KIND_RANGE;
    out->even = true;
    sb_rule_lanes(out);
}

sb_status
sb_sampled_kernel(const sb_kernel **out, const sb_problem *pb, sb_kernel_effort effort)
{
    sb_spec spec;

    spec_of(&spec, pb);
    return sb_planner_device_kernel(out, pb->device, &spec, effort);
}

/* Entries of a range. Where all ranges run at once they are as short as that allows; else
 * every one pays for the search of its first row. */
static int64_t
size_of(const sb_problem *pb)
{
    const sb_byhand *h;
    int64_t least, size;
    sb_spec spec;

    spec_of(&spec, pb);
    h = sb_byhand_of(&spec);
    least = h ? sb_byhand_cut_of(h, &spec).least : LEAST;
    size = (pb->a.nnz + WARPS - 1) / WARPS;
    size = (size + least - 1) / least * least;
    return size > LONGEST ? USUAL : size > least ? size : least;
}

int64_t
sb_sampled_tiles(sb_plan_int out[SB_SAMPLED_INTS], const sb_problem *pb,
                 const sb_kernel *k)
{
    const int64_t each = pb->device->ops->shape(k).rows_per_tile, size = size_of(pb);
    const int64_t count = (pb->a.nnz + size - 1) / size;

    out[0] = (sb_plan_int){"tile_units", each};
    out[1] = (sb_plan_int){"range_count", count};
    out[2] = (sb_plan_int){"range_size", size};
    return (count + each - 1) / each;
}
