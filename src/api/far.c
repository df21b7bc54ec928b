/*
 * See far.h. The buffer holds the copies, then what a product by rows wants.
 */
#include "api/far.h"

#include "api/bare.h"
#include "native/native.h"
#include "planner/planner.h"
#include "runtime/sides.h"

enum { LINE = 64 };

/* Shapes of the first part, and of the last (at 1), which may be narrower: other kernels may
 * serve it, and want other room. */
static sb_problem
part_of(const sb_problem *pb, int64_t width, int at)
{
    const int64_t rest = pb->c.cols % width;

    return sb_sides_part(pb, 0, at == 1 && rest > 0 ? rest : width, NULL);
}

size_t
sb_far_bytes(const sb_problem *pb)
{
    const int64_t width = sb_sides_width(pb);
    const size_t bare = sb_bare_bytes(pb);
    size_t most = 0;

    if (width == 0)
        return bare;
    for (int at = 0; at < 2; at++) {
        const sb_problem part = part_of(pb, width, at);
        const size_t bytes = sb_bare_bytes(&part);

        most = bytes > most ? bytes : most;
    }
    most += LINE + sb_sides_bytes(pb);
    return most > bare ? most : bare;
}

void
sb_far_load(const sb_problem *pb)
{
    static char anywhere[1]; /* nothing is written: no work is put on the stream */
    const sb_native n = {pb->device, pb->stream, NULL, true};
    const int64_t width = sb_sides_width(pb);
    sb_problem part;

    if (width == 0)
        return;
    part = sb_sides_part(pb, 0, width, anywhere);
    (void)sb_native_sides_take(&n, pb, 0, &part);
    (void)sb_native_sides_give(&n, pb, 0, &part);
}

void
sb_far_prepare(const sb_problem *pb)
{
    const int64_t width = sb_sides_width(pb);

    if (sb_jit_mode() != SB_JIT_BACKGROUND)
        sb_far_load(pb);
    if (width == 0)
        sb_bare_prepare(pb);
    for (int at = 0; at < 2 && width > 0; at++) {
        const sb_problem part = part_of(pb, width, at);

        sb_bare_prepare(&part);
    }
}

/* As the operands lie. */
static sb_status
compute(const sb_plan *plan, const sb_problem *pb, sb_diag *diag)
{
    const sb_problem rows = sb_problem_by_rows(pb);

    return plan && plan->engine ? sb_plan_run(plan, &rows, diag)
                                : sb_bare_run(pb, diag);
}

/* Columns [from, from + width), whose copies lie at `at`. SKIP: no kernel for these. */
static sb_status
compute_part(const sb_plan *plan, const sb_problem *pb, int64_t from, int64_t width,
             char *at, sb_diag *diag)
{
    const sb_native n = {pb->device, pb->stream, diag, false};
    sb_problem part = sb_sides_part(pb, from, width, at);
    sb_status st = sb_native_sides_take(&n, pb, from, &part);

    if (st != SB_OK)
        return st == SB_ENOTSUP ? SB_SKIP : st;
    part.scratch = at + sb_sides_bytes(pb);
    SB_TRY(compute(plan, &part, diag));
    st = sb_native_sides_give(&n, pb, from, &part);
    return st == SB_ENOTSUP ? SB_SKIP : st;
}

sb_status
sb_far_run(const sb_plan *plan, const sb_problem *pb, sb_diag *diag)
{
    const int64_t width = sb_sides_width(pb), n = pb->c.cols;
    char *at = pb->scratch;
    sb_status st = at ? SB_OK : SB_SKIP;

    if (width == 0)
        return compute(plan, pb, diag);
    for (int64_t from = 0; from < n && st == SB_OK; from += width) {
        const int64_t wide = width < n - from ? width : n - from;

        st = compute_part(plan, pb, from, wide,
                          at + (LINE - (uintptr_t)at % LINE) % LINE, diag);
        if (st == SB_SKIP && from > 0) /* what is done must not be done twice */
            return sb_diag_set(diag, SB_ENOTSUP,
                               "a kernel of the first columns is gone");
    }
    return st == SB_SKIP ? sb_bare_run(pb, diag) : st;
}
