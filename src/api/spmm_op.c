/*
 * SpMMOp: SpMM over operators given as text. A plan remembers the descriptors it was made
 * with and looks at them again at each execution.
 */
#include "api/error.h"
#include "api/place.h"
#include "api/product.h"
#include "base/alloc.h"
#include "formats/check.h"
#include "planner/semiring_plan.h"

struct spblasSpMMOpPlan {
    uint32_t tag;
    sb_product call;
    sb_semiring_plan *plan; /* owned */
};

static const char *const names[SB_PRODUCT_ROLES] = {[SB_ROLE_HANDLE] = "handle",
                                                    [SB_ROLE_OP_A] = "opA",
                                                    [SB_ROLE_OP_B] = "opB",
                                                    [SB_ROLE_ALPHA] = "alpha",
                                                    [SB_ROLE_SPARSE] = "matA",
                                                    [SB_ROLE_X] = "matB",
                                                    [SB_ROLE_BETA] = "beta",
                                                    [SB_ROLE_Y] = "matC",
                                                    [SB_ROLE_COMPUTE] = "computeType",
                                                    [SB_ROLE_ALG] = "alg",
                                                    [SB_ROLE_SIZE] =
                                                        "SpMMWorkspaceSize"};

/* Operators have no scalars, which the rules of products ask for. */
static const double no_scalar[2] = {0, 0};

static sb_status
analyse(sb_semiring_plan **out, const sb_product *p, const sb_semiring *ring,
        sb_diag *diag)
{
    sb_problem pb;

    SB_TRY(sb_product_check(&pb, p, names, diag));
    if (pb.a.format == SB_FORMAT_TENSOR)
        return sb_diag_set(diag, SB_ENOTSUP,
                           "argument matA is CUSTOM, which this routine lacks");
    if (p->sparse->at.validate)
        SB_TRY(sb_matrix_check(&pb.a, diag));
    return sb_semiring_plan_create(out, &pb, ring, diag);
}

static sb_status
create(spblasSpMMOpPlan_t *out, const sb_product *p, const sb_semiring *ring,
       sb_diag *diag)
{
    struct spblasSpMMOpPlan *made = sb_alloc_zero(sizeof *made);
    sb_status st;

    if (!made)
        return SB_ENOMEM;
    made->tag = SB_TAG_SPMMOP;
    made->call = *p;
    st = analyse(&made->plan, p, ring, diag);
    if (st == SB_OK)
        *out = made;
    else
        sb_free(made);
    return st;
}

spblasStatus_t
spblasSpMMOp_createPlan(spblasHandle_t handle, spblasSpMMOpPlan_t *plan,
                        spblasOperation_t opA, spblasOperation_t opB,
                        spblasConstSpMatDescr_t matA, spblasConstDnMatDescr_t matB,
                        spblasDnMatDescr_t matC, spblasDataType_t computeType,
                        spblasSpMMOpAlg_t alg, const char *addOperation,
                        const char *addZero, const char *mulOperation,
                        const char *epilogue, size_t *SpMMWorkspaceSize)
{
    const sb_semiring ring = {addOperation, addZero, mulOperation, epilogue};
    const sb_product p = {.function = __func__,
                          .op = SB_OP_SPMM,
                          .want = SB_WANT_PLAN,
                          .handle = handle,
                          .op_a = opA,
                          .op_b = opB,
                          .alpha = no_scalar,
                          .beta = no_scalar,
                          .sparse = matA,
                          .mat_x = matB,
                          .mat_y = matC,
                          .compute = computeType,
                          .alg_formats =
                              alg == SPBLAS_SPMMOP_ALG_DEFAULT ? SB_ANY_FORMAT : 0};
    sb_diag diag = {0};
    sb_status st;

    if (plan)
        *plan = NULL;
    if (!plan || !SpMMWorkspaceSize)
        st = sb_diag_set(&diag, SB_EINVAL, "argument %s must not be NULL",
                         plan ? "SpMMWorkspaceSize" : "plan");
    else
        st = create(plan, &p, &ring, &diag);
    if (st == SB_OK)
        *SpMMWorkspaceSize = 0;
    return sb_api_end(handle, __func__, st, &diag);
}

static bool
is_plan(spblasSpMMOpPlan_t plan)
{
    return plan && plan->tag == SB_TAG_SPMMOP;
}

static sb_status
execute(spblasSpMMOpPlan_t plan, sb_diag *diag)
{
    sb_product p = plan->call;
    sb_problem pb;

    p.want = SB_WANT_RESULT;
    SB_TRY(sb_product_check(&pb, &p, names, diag));
    SB_TRY(sb_place_sparse_on_host(p.handle, &pb.a, diag));
    SB_TRY(sb_place_on_host(p.handle, (const void *[]){pb.b.data, pb.c.data}, 2, diag));
    if (!sb_semiring_plan_matches(plan->plan, &pb))
        return sb_diag_set(diag, SB_EINVAL,
                           "an operand is not as it was when argument plan was made");
    return sb_semiring_plan_run(plan->plan, &pb, diag);
}

spblasStatus_t
spblasSpMMOp(spblasSpMMOpPlan_t plan, void *externalBuffer)
{
    sb_diag diag = {0};
    sb_status st;

    (void)externalBuffer;
    if (!is_plan(plan))
        return sb_api_fail(__func__, SB_EINVAL, "argument plan must be a live plan");
    st = execute(plan, &diag);
    return sb_api_end(plan->call.handle, __func__, st, &diag);
}

spblasStatus_t
spblasSpMMOp_destroyPlan(spblasSpMMOpPlan_t plan)
{
    if (!plan)
        return SPBLAS_STATUS_SUCCESS;
    if (!is_plan(plan))
        return sb_api_fail(__func__, SB_EINVAL, "argument plan must be a live plan");
    plan->tag = 0;
    sb_semiring_plan_release(plan->plan);
    sb_free(plan);
    return SPBLAS_STATUS_SUCCESS;
}
