/*
 * Running steps, and which problems a plan serves. Nothing is allocated.
 */
#include "runtime/plan.h"

#include "base/alloc.h"
#include "base/fault.h"
#include "runtime/backend.h"
#include "runtime/slab.h"

/* ---- running --------------------------------------------------------------------------- */

/* Whether products this short leave a team asleep: what an entry takes one thread, of wide vectors
 * (docs/measured/analysis.md, A team that sleeps). Not asked where no step has work for two. */
static bool
rests(const sb_launch *l, const sb_problem *pb, int64_t batch)
{
    const double block = (double)sb_matrix_block(&pb->a);
    int64_t m, n, k;
    bool shared = false;
    double entries, width;

    for (int q = 0; q < l->nstep; q++)
        shared |= l->step[q].tile_hi - l->step[q].tile_lo > 1;
    if (!shared)
        return false;
    sb_problem_shape(pb, &m, &n, &k);
    entries = (double)pb->a.nnz * block * block + (double)m;
    width =
        (double)(pb->op == SB_OP_SDDMM ? k : n) * (double)sb_dtype_size(pb->compute);
    return sb_backend_rests((double)batch * entries * (0.3e-9 + 5e-12 * width));
}

static sb_status
run_step(const sb_launch *l, const sb_problem *pb, int at, int64_t member, bool rest,
         sb_diag *diag)
{
    const sb_step *step = &l->step[at];
    /* one tile is the caller's */
    const int64_t each = step->alone || rest ? 1 : INT64_MAX;
    int64_t hi = step->tile_hi;
    sb_binding b;

    SB_TRY(sb_launch_bind(&b, l, pb, step->kernel->spec, step->kernel->signature, at,
                          member, diag));
    if (SB_FAULT(LOST_TILE))
        hi--;
    for (int64_t lo = step->tile_lo, end; lo < hi; lo = end) {
        end = hi - lo > each ? lo + each : hi;
        sb_backend_get()->run_tiles(step->kernel, b.buf, b.param, lo, end);
    }
    return SB_OK;
}

/* Without a buffer: kernels may be for a slab's width alone. */
static sb_status
run_slabs_in_place(const sb_launch *l, const sb_problem *pb, sb_diag *diag)
{
    sb_launch whole = *l;

    whole.slab = 0;
    for (int64_t from = 0; from < pb->c.cols; from += l->slab) {
        const sb_problem one = sb_slab_in_place(pb, from, l->slab);

        SB_TRY(sb_launch_run(&whole, &one, diag));
    }
    return SB_OK;
}

sb_status
sb_launch_run(const sb_launch *l, const sb_problem *pb, sb_diag *diag)
{
    const int64_t batch = pb->batch > 1 ? pb->batch : 1;
    bool rest;

    if (l->slab > 0 && sb_slab_fits(pb, l->slab))
        return sb_slab_run(l, pb, diag);
    if (l->slab > 0 && sb_slab_even(pb, l->slab))
        return run_slabs_in_place(l, pb, diag);
    rest = rests(l, pb, batch);
    for (int64_t member = 0; member < batch; member++)
        for (int q = 0; q < l->nstep; q++)
            SB_TRY(run_step(l, pb, q, member, rest, diag));
    return SB_OK;
}

sb_launch
sb_plan_launch(const sb_plan *plan)
{
    return (sb_launch){.nstep = plan->nstep,
                       .step = plan->step,
                       .tile = plan->tile,
                       .narray = plan->narray,
                       .nint = plan->nint,
                       .array = plan->array,
                       .integer = plan->integer,
                       .level = plan->level,
                       .slab = plan->slab,
                       .last = plan->last,
                       .together = plan->together,
                       .source = plan->source};
}

sb_status
sb_plan_run(const sb_plan *plan, const sb_problem *pb, sb_diag *diag)
{
    const sb_launch l = sb_plan_launch(plan);

    if (plan->engine)
        return plan->engine->run(plan->state, pb, diag);
    if (plan->nstep == 0)
        return sb_backend_get()->reference(pb, diag);
    return sb_launch_run(&l, pb, diag);
}

void
sb_plan_release(sb_plan *plan)
{
    if (!plan)
        return;
    for (int q = 0; q < plan->narray; q++)
        sb_free(plan->array[q].data);
    if (plan->engine)
        plan->engine->release(plan->state);
    sb_free(plan->tile);
    sb_free(plan->source);
    sb_free(plan->text);
    sb_free(plan->explain);
    sb_free(plan);
}

/* ---- matching ---------------------------------------------------------------------------- */

static bool
same_structure(const sb_matrix *x, const sb_matrix *y)
{
    if (x->ptr != y->ptr || x->idx != y->idx || x->row != y->row ||
        x->tensor != y->tensor)
        return SB_FAULT(STALE_PLAN) != 0;
    return true;
}

static bool
same_matrix(const sb_matrix *x, const sb_matrix *y)
{
    return x->format == y->format && x->rows == y->rows && x->cols == y->cols &&
           x->nnz == y->nnz && x->ptr_type == y->ptr_type &&
           x->idx_type == y->idx_type && x->val_type == y->val_type &&
           x->base == y->base && x->block == y->block && x->width == y->width &&
           x->block_col_major == y->block_col_major && x->batch == y->batch &&
           x->ptr_stride == y->ptr_stride && x->idx_stride == y->idx_stride &&
           x->val_stride == y->val_stride && same_structure(x, y);
}

static bool
same_dense(const sb_dense *x, const sb_dense *y)
{
    return x->rows == y->rows && x->cols == y->cols && x->type == y->type &&
           x->col_major == y->col_major;
}

bool
sb_plan_matches(const sb_plan *plan, const sb_problem *pb)
{
    const sb_problem *key = &plan->key;

    return key->op == pb->op && key->device == pb->device &&
           key->trans_a == pb->trans_a && key->trans_b == pb->trans_b &&
           key->compute == pb->compute && key->batch == pb->batch &&
           same_matrix(&key->a, &pb->a) && same_dense(&key->b, &pb->b) &&
           same_dense(&key->c, &pb->c) &&
           sb_problem_one_column(key) == sb_problem_one_column(pb) &&
           (!plan->values_frozen || key->a.val == pb->a.val);
}
