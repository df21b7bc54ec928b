/*
 * Equal pieces of rows + entries, found by binary search in the row offsets.
 */
#include "planner/direct.h"

#include "planner/candidates.h"
#include "planner/context.h"
#include "planner/rules.h"
#include "runtime/backend.h"

enum { DIRECT_TILES = 64 };

/* The best resident CSR kernel; prefetch and streaming are given up before the tile. */
static sb_status
resident(const sb_kernel **out, const sb_problem *pb, const sb_work *w, sb_dtype ptr)
{
    const sb_target *t = sb_target_get();
    const double mean = w->m > 0 ? (double)w->nnz / (double)w->m : 0;
    const double b_bytes = (double)w->k * (double)w->n * w->b_size;
    const bool stream = sb_rule_stream(pb, w, mean, t);
    const int prefetch = stream ? 0 : sb_rule_prefetch(pb, b_bytes, t);
    sb_choice ch = {.op = pb->op, .npart = 1, .part = {{.kind = SB_PART_CSR}}};

    for (int rank = 0; (ch.tile = sb_rule_tile(w, t, 0, rank)) > 0; rank++) {
        const int unroll = sb_rule_unroll(w, t, mean);
        for (int form = 0; form < 4; form++) {
            const bool plain = form >> 1, single = form & 1;

            ch.unroll = single ? 1 : unroll;
            ch.prefetch = plain ? 0 : prefetch;
            ch.stream = !plain && stream;
            if ((single && unroll == 1) || (plain && !prefetch && !stream))
                continue;
            if (sb_planner_kernel(out, pb, &ch, 1u << SB_PART_CSR, ptr, pb->a.idx_type,
                                  SB_KERNEL_RESIDENT) == SB_OK)
                return SB_OK;
        }
    }
    return SB_SKIP;
}

sb_status
sb_direct_run(const sb_problem *pb, sb_diag *diag)
{
    const sb_format at = sb_problem_transposes(pb) ? SB_FORMAT_CSC : SB_FORMAT_CSR;
    const sb_backend *be = sb_backend_get();
    const char *why;
    sb_tile tile[DIRECT_TILES];
    sb_step step = {0};
    sb_launch launch = {.nstep = 1, .step = &step, .tile = tile};
    sb_work w;
    sb_view v;
    int64_t n, row = 0;

    if (pb->a.format != at || !sb_problem_planable(pb, &why))
        return SB_SKIP;
    sb_work_of(&w, pb);
    SB_TRY(resident(&step.kernel, pb, &w, pb->a.ptr_type));
    SB_TRY(sb_view_make(&v, &pb->a, at == SB_FORMAT_CSC, diag)); /* in place: no copy */
    n = w.nnz / sb_work_grain(&w, w.nnz, be->threads()) + 1;
    n = n > DIRECT_TILES ? DIRECT_TILES : n;
    for (int64_t q = 1; q <= n; q++) {
        const int64_t work = v.rows + v.nnz;
        const int64_t end =
            q == n ? v.rows : sb_view_row_at(&v, work / n * q + work % n * q / n);

        if (end > row)
            tile[step.tile_hi++] = (sb_tile){0, row, end, 0};
        row = end > row ? end : row;
    }
    sb_view_free(&v);
    return sb_launch_run(&launch, pb, diag);
}
