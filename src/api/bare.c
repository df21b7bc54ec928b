/*
 * See bare.h.
 */
#include "api/bare.h"

#include "api/turn.h"
#include "native/native.h"
#include "planner/even.h"
#include "planner/planner.h"

size_t
sb_bare_bytes(const sb_problem *pb)
{
    const sb_problem rows = sb_problem_by_rows(pb);

    return sb_native_slots_bytes(&rows) + sb_turn_bytes(&rows) + sb_even_bytes(&rows);
}

void
sb_bare_prepare(const sb_problem *pb)
{
    static char anywhere[1]; /* nothing is written: no work is put on the stream */
    const sb_native n = {pb->device, pb->stream, NULL, true};
    sb_problem rows = sb_problem_by_rows(pb);

    sb_turn_prepare(&rows);
    sb_even_prepare(&rows);
    rows.scratch = anywhere;
    if (sb_native_slots_serves(&rows) && sb_jit_mode() != SB_JIT_BACKGROUND)
        (void)sb_native_slots_run(&n, &rows);
}

/* Members whose matrices are their own are turned after each other, in one buffer. */
static sb_status
turn(const sb_problem *pb, sb_diag *diag)
{
    const int64_t each = pb->a.batch > 1 ? pb->a.batch : 1;
    sb_problem turned;

    for (int64_t q = 0; q < each; q++) {
        const sb_problem part = each > 1 ? sb_problem_member(pb, q) : *pb;

        SB_TRY(sb_turn_put(&turned, &part, diag));
        SB_TRY(sb_execute(NULL, &turned, diag));
    }
    return SB_OK;
}

sb_status
sb_bare_run(const sb_problem *pb, sb_diag *diag)
{
    const sb_problem rows = sb_problem_by_rows(pb);
    const sb_native n = {pb->device, pb->stream, diag, false};
    sb_status st = SB_SKIP;

    if (sb_native_slots_serves(&rows))
        st = sb_native_slots_run(&n, &rows);
    if (st == SB_SKIP || st == SB_ENOTSUP)
        st = turn(&rows, diag);
    return st == SB_SKIP ? sb_execute(NULL, pb, diag) : st;
}
