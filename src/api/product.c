/*
 * The common road of the products: arguments, then the problem they make, then one of
 * three ends. Two tables: the first looks at the arguments one by one, the second at the
 * problem as a whole.
 */
#include "api/product.h"

#include "api/error.h"
#include "api/far.h"
#include "api/place.h"
#include "api/types.h"
#include "api/view.h"
#include "base/macro.h"
#include "formats/check.h"
#include "planner/planner.h"
#include "planner/slabs.h"
#include "planner/staged.h"
#include "runtime/spread.h"

#include <fenv.h>

/* ---- Arguments ---------------------------------------------------------------------- */

static bool
no_handle(const void *r)
{
    return !sb_is_handle(((const sb_product *)r)->handle);
}

static bool
unknown_op(spblasOperation_t op)
{
    return (unsigned)op > SPBLAS_OPERATION_CONJUGATE_TRANSPOSE;
}

static bool
unknown_op_a(const void *r)
{
    return unknown_op(((const sb_product *)r)->op_a);
}

static bool
unknown_op_b(const void *r)
{
    return unknown_op(((const sb_product *)r)->op_b);
}

static bool
no_alpha(const void *r)
{
    const sb_product *p = r;

    return p->want == SB_WANT_RESULT && !p->alpha;
}

static bool
no_beta(const void *r)
{
    const sb_product *p = r;

    return p->want == SB_WANT_RESULT && !p->beta;
}

static bool
no_sparse(const void *r)
{
    return !sb_is_spmat(((const sb_product *)r)->sparse);
}

static bool
no_x(const void *r)
{
    const sb_product *p = r;

    return p->op == SB_OP_SPMV ? !sb_is_dnvec(p->vec_x) : !sb_is_dnmat(p->mat_x);
}

static bool
no_y(const void *r)
{
    const sb_product *p = r;

    return p->op == SB_OP_SPMV ? !sb_is_dnvec(p->vec_y) : !sb_is_dnmat(p->mat_y);
}

static bool
unknown_compute(const void *r)
{
    return sb_public_size(((const sb_product *)r)->compute) == 0;
}

static bool
unknown_alg(const void *r)
{
    return ((const sb_product *)r)->alg_formats == 0;
}

static bool
foreign_alg(const void *r)
{
    const sb_product *p = r;
    const spblasFormat_t format = p->sparse->format;

    return p->alg_formats != SB_ANY_FORMAT &&
           (format == SPBLAS_FORMAT_CUSTOM || !(p->alg_formats & 1u << format));
}

static bool
no_size(const void *r)
{
    const sb_product *p = r;

    return p->want == SB_WANT_SIZE && !p->size;
}

static const sb_rule argument_rules[] = {
    {SB_ROLE_HANDLE, no_handle, SB_EINVAL, "must be a live handle"},
    {SB_ROLE_OP_A, unknown_op_a, SB_EINVAL, "must be one of spblasOperation_t"},
    {SB_ROLE_OP_B, unknown_op_b, SB_EINVAL, "must be one of spblasOperation_t"},
    {SB_ROLE_ALPHA, no_alpha, SB_EINVAL, "must not be NULL"},
    {SB_ROLE_SPARSE, no_sparse, SB_EINVAL, "must be a live sparse matrix"},
    {SB_ROLE_X, no_x, SB_EINVAL, "must be a live dense operand"},
    {SB_ROLE_BETA, no_beta, SB_EINVAL, "must not be NULL"},
    {SB_ROLE_Y, no_y, SB_EINVAL, "must be a live dense operand"},
    {SB_ROLE_COMPUTE, unknown_compute, SB_EINVAL, "must be a data type of spblas.h"},
    {SB_ROLE_ALG, unknown_alg, SB_EINVAL, "is not an algorithm of this routine"},
    {SB_ROLE_ALG, foreign_alg, SB_ENOTSUP, "is for another format than the matrix has"},
    {SB_ROLE_SIZE, no_size, SB_EINVAL, "must not be NULL"},
};

/* ---- Problem ------------------------------------------------------------------------ */

typedef struct whole {
    const sb_product *p;
    const sb_problem *pb;
} whole;

static const sb_problem *
problem(const void *r)
{
    return ((const whole *)r)->pb;
}

static int64_t
op_rows(const sb_dense *d, sb_trans op)
{
    return op == SB_TRANS_N ? d->rows : d->cols;
}

static int64_t
op_cols(const sb_dense *d, sb_trans op)
{
    return op == SB_TRANS_N ? d->cols : d->rows;
}

static int64_t
sparse_op_rows(const sb_problem *pb)
{
    return pb->trans_a == SB_TRANS_N ? pb->a.rows : pb->a.cols;
}

static int64_t
sparse_op_cols(const sb_problem *pb)
{
    return pb->trans_a == SB_TRANS_N ? pb->a.cols : pb->a.rows;
}

/* SpMM: op(B)'s rows against op(A)'s columns. SDDMM: op(A)'s rows against C's. */
static bool
x_misfit(const void *r)
{
    const sb_problem *pb = problem(r);

    return pb->op == SB_OP_SDDMM ? op_rows(&pb->b, pb->trans_a) != pb->a.rows
                                 : op_rows(&pb->b, pb->trans_b) != sparse_op_cols(pb);
}

/* SpMM: C is op(A)'s rows x op(B)'s columns. SDDMM: op(B) is op(A)'s columns x C's. */
static bool
y_misfit(const void *r)
{
    const sb_problem *pb = problem(r);

    if (pb->op == SB_OP_SDDMM)
        return op_rows(&pb->c, pb->trans_b) != op_cols(&pb->b, pb->trans_a) ||
               op_cols(&pb->c, pb->trans_b) != pb->a.cols;
    return pb->c.rows != sparse_op_rows(pb) ||
           pb->c.cols != op_cols(&pb->b, pb->trans_b);
}

static bool
short_index(const void *r)
{
    const sb_problem *pb = problem(r);

    return pb->a.ptr_type == SB_DTYPE_COUNT || pb->a.idx_type == SB_DTYPE_COUNT;
}

static bool
unsupported_types(const void *r)
{
    const sb_problem *pb = problem(r);

    return pb->op == SB_OP_SDDMM
               ? pb->b.type != pb->c.type ||
                     !sb_types_supported(pb->op, SB_DTYPE_COUNT, pb->b.type,
                                         pb->a.val_type, pb->compute)
               : !sb_types_supported(pb->op, pb->a.val_type, pb->b.type, pb->c.type,
                                     pb->compute);
}

static bool
batched_spmv(const void *r)
{
    const sb_problem *pb = problem(r);

    return pb->op == SB_OP_SPMV && pb->a.batch > 1;
}

static bool
batch_misfits(int64_t count, const sb_problem *pb)
{
    return count != 1 && count != pb->batch;
}

static bool
x_batch(const void *r)
{
    return batch_misfits(problem(r)->b.batch, problem(r));
}

/* The other input: SpMM's sparse matrix, SDDMM's second dense one. */
static bool
sparse_batch(const void *r)
{
    return batch_misfits(problem(r)->a.batch, problem(r));
}

static bool
y_batch(const void *r)
{
    return batch_misfits(problem(r)->c.batch, problem(r));
}

/* Members of the output must not share memory. */
static bool
y_shared(const void *r)
{
    const sb_problem *pb = problem(r);

    return pb->op != SB_OP_SDDMM && pb->batch > 1 && pb->c.stride == 0 &&
           pb->c.rows > 0 && pb->c.cols > 0;
}

static bool
sparse_shared(const void *r)
{
    const sb_problem *pb = problem(r);

    return pb->op == SB_OP_SDDMM && pb->batch > 1 && pb->a.val_stride == 0 &&
           pb->a.nnz > 0;
}

static bool
lacks_structure(const void *r)
{
    return ((const whole *)r)->p->want != SB_WANT_SIZE &&
           sb_view_lacks_structure(&problem(r)->a);
}

/* An analysis reads the values where it may keep copies of them. */
static bool
lacks_values(const void *r)
{
    const sb_product *p = ((const whole *)r)->p;

    return (p->want == SB_WANT_RESULT ||
            (p->want == SB_WANT_PLAN && p->sparse->at.frozen)) &&
           sb_view_lacks_values(&problem(r)->a);
}

static bool
lacks_dense(const void *r, const sb_dense *d)
{
    return ((const whole *)r)->p->want == SB_WANT_RESULT && d->rows > 0 &&
           d->cols > 0 && !d->data;
}

static bool
lacks_x(const void *r)
{
    return lacks_dense(r, &problem(r)->b);
}

static bool
lacks_y(const void *r)
{
    return lacks_dense(r, &problem(r)->c);
}

static const sb_rule problem_rules[] = {
    {SB_ROLE_X, x_misfit, SB_EINVAL, "has a shape that does not fit the sparse matrix"},
    {SB_ROLE_Y, y_misfit, SB_EINVAL,
     "has a shape that does not fit the other operands"},
    {SB_ROLE_SPARSE, short_index, SB_ENOTSUP,
     "has 16-bit indices, which nothing computes with"},
    {SB_ROLE_COMPUTE, unsupported_types, SB_ENOTSUP,
     "and the operands' types are not a combination this routine offers (see "
     "spblas.h)"},
    {SB_ROLE_SPARSE, batched_spmv, SB_ENOTSUP, "has a batch, which this routine lacks"},
    {SB_ROLE_X, x_batch, SB_EINVAL,
     "must have one batch member or as many as the output"},
    {SB_ROLE_SPARSE, sparse_batch, SB_EINVAL,
     "must have one batch member or as many as the output"},
    {SB_ROLE_Y, y_batch, SB_EINVAL,
     "must have one batch member or as many as the output"},
    {SB_ROLE_Y, y_shared, SB_EINVAL, "is written, so its batch stride must not be 0"},
    {SB_ROLE_SPARSE, sparse_shared, SB_EINVAL,
     "is written, so the stride of its values must not be 0"},
    {SB_ROLE_SPARSE, lacks_structure, SB_EINVAL, "has no structure arrays"},
    {SB_ROLE_SPARSE, lacks_values, SB_EINVAL, "has no values"},
    {SB_ROLE_X, lacks_x, SB_EINVAL, "has no values"},
    {SB_ROLE_Y, lacks_y, SB_EINVAL, "has no values"},
};

/* ---- Ends --------------------------------------------------------------------------- */

/* The caller's hook in the planner's words; `user` is its spblasSearchHook_t. */
static bool
report(void *user, const sb_search_state *s)
{
    const spblasSearchHook_t *hook = user;
    const spblasSearchProgress_t progress = {.structSize = sizeof progress,
                                             .elapsedSeconds = s->elapsed,
                                             .limitSeconds = s->limit,
                                             .tried = s->tried,
                                             .known = s->known,
                                             .bestSeconds = s->best,
                                             .bestText = s->text};

    return hook->callback(&progress, hook->userData) == 0;
}

static sb_options
options_of(const sb_attributes *at)
{
    static const sb_effort efforts[] = {[SPBLAS_EFFORT_ESTIMATE] = SB_EFFORT_ESTIMATE,
                                        [SPBLAS_EFFORT_MEASURE] = SB_EFFORT_MEASURE,
                                        [SPBLAS_EFFORT_EXHAUSTIVE] =
                                            SB_EFFORT_EXHAUSTIVE};

    return (sb_options){.effort = efforts[at->effort],
                        .values_frozen = at->frozen != 0,
                        .atomics_allowed =
                            at->determinism == SPBLAS_DETERMINISM_RELAXED,
                        .memory_limit = at->memory_limit,
                        .plan = at->plan_text,
                        .time_limit = at->time_limit,
                        .progress = at->hook.callback ? report : NULL,
                        .progress_user = (void *)(uintptr_t)&at->hook};
}

static sb_status
validate(spblasConstSpMatDescr_t d, const sb_problem *pb, sb_diag *diag)
{
    sb_staged staged = {0};
    sb_problem host = *pb;
    sb_status st = SB_OK;

    if (!d->at.validate)
        return SB_OK;
    if (pb->device)
        st = sb_staged_structure(&staged, &host, false, diag);
    if (st == SB_OK)
        st = sb_matrix_check(&host.a, diag);
    sb_staged_free(&staged);
    return st;
}

static sb_status
analyse(const sb_product *p, const sb_problem *pb, sb_diag *diag)
{
    const sb_options opt = options_of(&p->sparse->at);
    sb_plan *plan;
    fenv_t own; /* the caller's: what a model divides by is none of his */
    sb_status st;

    SB_TRY(validate(p->sparse, pb, diag));
    (void)feholdexcept(&own);
    st = sb_plan_create(&plan, pb, &opt, diag);
    (void)fesetenv(&own);
    SB_TRY(st);
    if (pb->device)
        sb_far_load(pb);
    return sb_planlist_put_take(p->sparse->plans, plan);
}

static bool
empty_output(const sb_problem *pb)
{
    return pb->op == SB_OP_SDDMM ? pb->a.nnz == 0 && !pb->a.tensor
                                 : pb->c.rows == 0 || pb->c.cols == 0;
}

/* A scalar that the device can read stays where it is. */
static sb_status
scalar(sb_value *out, const void **far, const sb_product *p, const sb_problem *pb,
       const void *at, sb_diag *diag)
{
    sb_param value;
    const sb_dtype type = sb_public_dtype(p->compute);

    *far =
        pb->device && type == pb->compute && sb_place_is_far(p->handle, at) ? at : NULL;
    if (*far)
        return SB_OK;
    SB_TRY(sb_place_scalar(&value, p->handle, at, sb_dtype_size(type), diag));
    *out = sb_value_load(type, &value, 0);
    return SB_OK;
}

/* Bytes of a buffer in the host's memory that the product may use. */
static size_t
room(const sb_product *p, const sb_problem *pb)
{
    const size_t slabs = sb_slab_room(pb, p->sparse->at.plan_text);
    const size_t sums = sb_spread_bytes(pb);

    return slabs > sums ? slabs : sums;
}

static sb_status
scratch(const sb_product *p, sb_problem *pb, sb_diag *diag)
{
    if (!pb->device) {
        /* a handle on a device asks for memory there */
        pb->scratch = p->handle->device ? NULL : p->buffer;
        pb->room = pb->scratch ? room(p, pb) : 0;
        return SB_OK;
    }
    if (!p->buffer)
        return SB_OK;
    if (pb->device->ops->place(pb->device, p->buffer) == SB_PLACE_HOST)
        return sb_diag_set(diag, SB_EINVAL,
                           "externalBuffer lies in host memory and the operands in the "
                           "GPU's");
    pb->scratch = p->buffer;
    return SB_OK;
}

static sb_status
compute(const sb_product *p, sb_problem *pb, sb_diag *diag)
{
    sb_planlist *plans = p->sparse->plans;
    const sb_plan *plan;
    sb_planref *ref;
    sb_status st = SB_OK;

    SB_TRY(scalar(&pb->alpha, &pb->far_alpha, p, pb, p->alpha, diag));
    SB_TRY(scalar(&pb->beta, &pb->far_beta, p, pb, p->beta, diag));
    SB_TRY(scratch(p, pb, diag));
    ref = sb_planlist_find(plans, pb);
    plan = sb_planref_plan(ref);
    if (!ref)
        st = validate(p->sparse, pb, diag);
    if (st == SB_OK && !empty_output(pb))
        st = pb->device ? sb_far_run(plan, pb, diag) : sb_execute(plan, pb, diag);
    sb_planlist_unhold(plans, ref);
    return st;
}

/* By sizes and types, wherever the arrays will be; where they are on the device already,
 * the product's kernels are made now, or ordered. */
static size_t
scratch_size(const sb_product *p, const sb_problem *pb)
{
    sb_problem placed = *pb;

    if (!p->handle->device)
        return room(p, pb);
    (void)sb_place_problem(p->handle, &placed, NULL);
    if (placed.device)
        sb_far_prepare(&placed);
    return sb_far_bytes(&placed);
}

sb_status
sb_product_check(sb_problem *out, const sb_product *p, const char *const *names,
                 sb_diag *diag)
{
    const whole w = {p, out};

    SB_TRY(sb_rules_check(argument_rules, SB_COUNT(argument_rules), names, p, diag));
    *out = sb_view_problem(p);
    return sb_rules_check(problem_rules, SB_COUNT(problem_rules), names, &w, diag);
}

spblasStatus_t
sb_product_run(const sb_product *p, const char *const *names)
{
    sb_diag diag = {0};
    sb_problem pb;
    sb_status st = sb_product_check(&pb, p, names, &diag);

    if (st == SB_OK && p->want != SB_WANT_SIZE)
        st = sb_place_problem(p->handle, &pb, &diag);
    if (st == SB_OK)
        switch (p->want) {
        case SB_WANT_SIZE:
            *p->size = scratch_size(p, &pb);
            break;
        case SB_WANT_PLAN:
            pb.alpha = (sb_value){1.0, 0.0};
            st = analyse(p, &pb, &diag);
            break;
        case SB_WANT_RESULT:
            st = compute(p, &pb, &diag);
            break;
        }
    return sb_api_end(p->handle, p->function, st, &diag);
}
