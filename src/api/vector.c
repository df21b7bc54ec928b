/*
 * The operations on a sparse and a dense vector: Axpby, Gather, Scatter, Rot, SpVV. One
 * record of a call's arguments, one table of rules, one way to the backend.
 */
#include "api/error.h"
#include "api/object.h"
#include "api/place.h"
#include "api/rule.h"
#include "api/types.h"
#include "base/macro.h"
#include "native/native.h"

enum { HANDLE, OP, ALPHA, X, BETA, Y, RESULT, COMPUTE, SIZE, ROLES };

static const char *const names[ROLES] = {"handle", "opX",         "alpha",
                                         "vecX",   "beta",        "vecY",
                                         "result", "computeType", "bufferSize"};
static const char *const rot_names[ROLES] = {[HANDLE] = "handle",
                                             [ALPHA] = "c_coeff",
                                             [X] = "vecX",
                                             [BETA] = "s_coeff",
                                             [Y] = "vecY"};

typedef struct request {
    const char *function;
    sb_vector_op op;
    spblasHandle_t handle;
    spblasOperation_t op_x;
    const void *alpha, *beta;
    spblasConstSpVecDescr_t x;
    spblasConstDnVecDescr_t y;
    bool has_compute; /* computeType is an argument (SpVV) */
    spblasDataType_t compute;
    void *result;
    void *buffer; /* SpVV's, which a GPU wants */
    size_t *size; /* asked for, instead of the operation */
    bool asks_size;
} request;

/* ---- Types -------------------------------------------------------------------------- */

/* The compute types of SpVV; Axpby and Rot compute with the first of a type. */
typedef struct combination {
    sb_dtype type, compute;
    bool writes; /* Axpby and Rot have it too */
} combination;

static const combination combinations[] = {
    {SB_F32, SB_F32, true}, {SB_F64, SB_F64, true},   {SB_C32, SB_C32, true},
    {SB_C64, SB_C64, true}, {SB_F16, SB_F32, true},   {SB_BF16, SB_F32, true},
    {SB_C16, SB_C32, true}, {SB_CBF16, SB_C32, true}, {SB_I8, SB_I32, false},
    {SB_I8, SB_F32, false},
};

static bool
only_copies(const request *r)
{
    return r->op == SB_VECTOR_GATHER || r->op == SB_VECTOR_SCATTER;
}

static const combination *
combination_of(const request *r)
{
    const sb_dtype type = sb_public_dtype(r->x->type);

    for (int i = 0; i < SB_COUNT(combinations); i++) {
        const combination *c = &combinations[i];

        if (c->type == type &&
            (r->has_compute ? c->compute == sb_public_dtype(r->compute) : c->writes))
            return c;
    }
    return NULL;
}

/* ---- Rules -------------------------------------------------------------------------- */

static bool
no_handle(const void *r)
{
    return !sb_is_handle(((const request *)r)->handle);
}

static bool
unknown_op(const void *r)
{
    return (unsigned)((const request *)r)->op_x > SPBLAS_OPERATION_CONJUGATE_TRANSPOSE;
}

static bool
wants_scalars(const request *r)
{
    return r->op == SB_VECTOR_AXPBY || r->op == SB_VECTOR_ROT;
}

static bool
no_alpha(const void *r)
{
    return wants_scalars(r) && !((const request *)r)->alpha;
}

static bool
no_x(const void *r)
{
    return !sb_is_spvec(((const request *)r)->x);
}

static bool
no_beta(const void *r)
{
    return wants_scalars(r) && !((const request *)r)->beta;
}

static bool
no_y(const void *r)
{
    return !sb_is_dnvec(((const request *)r)->y);
}

static bool
no_result(const void *p)
{
    const request *r = p;

    return r->op == SB_VECTOR_SPVV && !r->asks_size && !r->result;
}

static bool
unknown_compute(const void *p)
{
    const request *r = p;

    return r->has_compute && sb_public_size(r->compute) == 0;
}

static bool
no_size(const void *p)
{
    const request *r = p;

    return r->asks_size && !r->size;
}

static bool
misfit(const void *p)
{
    const request *r = p;

    return r->y->size != r->x->size;
}

static bool
short_index(const void *r)
{
    return sb_public_index_dtype(((const request *)r)->x->idx_type) == SB_DTYPE_COUNT;
}

static bool
other_type(const void *p)
{
    const request *r = p;

    return r->y->type != r->x->type;
}

static bool
unsupported_compute(const void *p)
{
    const request *r = p;

    return r->has_compute && !combination_of(r);
}

static bool
unsupported_type(const void *p)
{
    const request *r = p;

    return !r->has_compute && !only_copies(r) && !combination_of(r);
}

static bool
lacks_x(const void *p)
{
    const request *r = p;

    return !r->asks_size && r->x->nnz > 0 && (!r->x->idx || !r->x->values);
}

static bool
lacks_y(const void *p)
{
    const request *r = p;

    return !r->asks_size && r->y->size > 0 && !r->y->values;
}

static const sb_rule rules[] = {
    {HANDLE, no_handle, SB_EINVAL, "must be a live handle"},
    {OP, unknown_op, SB_EINVAL, "must be one of spblasOperation_t"},
    {ALPHA, no_alpha, SB_EINVAL, "must not be NULL"},
    {X, no_x, SB_EINVAL, "must be a live sparse vector"},
    {BETA, no_beta, SB_EINVAL, "must not be NULL"},
    {Y, no_y, SB_EINVAL, "must be a live dense vector"},
    {RESULT, no_result, SB_EINVAL, "must not be NULL"},
    {COMPUTE, unknown_compute, SB_EINVAL, "must be a data type of spblas.h"},
    {SIZE, no_size, SB_EINVAL, "must not be NULL"},
    {Y, misfit, SB_EINVAL, "has another size than vecX"},
    {X, short_index, SB_ENOTSUP, "has 16-bit indices, which nothing computes with"},
    {Y, other_type, SB_ENOTSUP, "has another value type than vecX"},
    {X, unsupported_type, SB_ENOTSUP,
     "has a value type that this routine does not compute with (see spblas.h)"},
    {COMPUTE, unsupported_compute, SB_ENOTSUP,
     "and the vectors' type are not a combination this routine offers (see spblas.h)"},
    {X, lacks_x, SB_EINVAL, "has no indices or no values"},
    {Y, lacks_y, SB_EINVAL, "has no values"},
};

/* ---- Running ------------------------------------------------------------------------ */

static sb_vector
job_of(const request *r)
{
    sb_vector job = {.op = r->op,
                     .size = r->x->size,
                     .nnz = r->x->nnz,
                     .idx = r->x->idx,
                     .idx_type = sb_public_index_dtype(r->x->idx_type),
                     .base = (int)r->x->base,
                     .x = r->x->values,
                     .y = r->y->values,
                     .bytes = sb_public_size(r->x->type),
                     .conj = r->op_x == SPBLAS_OPERATION_CONJUGATE_TRANSPOSE};

    if (only_copies(r))
        return job;
    job.type = sb_public_dtype(r->x->type);
    job.compute = combination_of(r)->compute;
    return job;
}

/* Vectors in the GPU's own memory are its work. */
static sb_status
on_device(bool *yes, const request *r, sb_diag *diag)
{
    const void *const array[] = {r->x->idx, r->x->values, r->y->values};

    return sb_place_on_device(yes, r->handle, array, SB_COUNT(array), diag);
}

static sb_status
run_on_device(const request *r, sb_diag *diag)
{
    const sb_vector job = job_of(r);
    const sb_native n = {r->handle->device, r->handle->stream, diag, false};
    sb_native_scalar alpha = {{0, 0}, NULL}, beta = {{0, 0}, NULL};

    if (wants_scalars(r)) {
        alpha = sb_place_native_scalar(r->handle, r->alpha, job.compute);
        beta = sb_place_native_scalar(r->handle, r->beta, job.compute);
    }
    if (job.op == SB_VECTOR_SPVV)
        SB_TRY(sb_place_buffer(r->handle, r->buffer, "externalBuffer", diag));
    return sb_native_vector(&n, &job, alpha, beta, r->buffer, r->result,
                            !sb_place_by_device(r->handle, r->result));
}

static sb_status
run_on_host(const request *r, sb_diag *diag)
{
    sb_vector job = job_of(r);

    if (wants_scalars(r)) {
        job.alpha = sb_value_load(job.compute, r->alpha, 0);
        job.beta = sb_value_load(job.compute, r->beta, 0);
    }
    SB_TRY(r->handle->backend->vector(&job, diag));
    if (r->result)
        sb_value_store(job.compute, r->result, 0, job.result);
    return SB_OK;
}

static sb_status
on_host(const request *r, sb_diag *diag)
{
    const void *const array[] = {r->x->idx, r->x->values, r->y->values,
                                 r->alpha,  r->beta,      r->result};

    return sb_place_on_host(r->handle, array, SB_COUNT(array), diag);
}

static sb_status
proceed(const request *r, sb_diag *diag)
{
    bool device = false;

    if (r->asks_size) { /* wherever the arrays come to lie */
        const sb_vector job = job_of(r);

        *r->size = r->handle->device ? sb_native_vector_bytes(&job) : 0;
        return SB_OK;
    }
    SB_TRY(on_device(&device, r, diag));
    if (device)
        return run_on_device(r, diag);
    SB_TRY(on_host(r, diag));
    return run_on_host(r, diag);
}

static spblasStatus_t
run(const request *r)
{
    const bool rot = r->op == SB_VECTOR_ROT;
    sb_diag diag = {0};
    sb_status st =
        sb_rules_check(rules, SB_COUNT(rules), rot ? rot_names : names, r, &diag);

    if (st == SB_OK)
        st = proceed(r, &diag);
    return sb_api_end(r->handle, r->function, st, &diag);
}

spblasStatus_t
spblasAxpby(spblasHandle_t handle, const void *alpha, spblasConstSpVecDescr_t vecX,
            const void *beta, spblasDnVecDescr_t vecY)
{
    return run(&(request){.function = __func__,
                          .op = SB_VECTOR_AXPBY,
                          .handle = handle,
                          .alpha = alpha,
                          .beta = beta,
                          .x = vecX,
                          .y = vecY});
}

spblasStatus_t
spblasGather(spblasHandle_t handle, spblasConstDnVecDescr_t vecY,
             spblasSpVecDescr_t vecX)
{
    return run(&(request){.function = __func__,
                          .op = SB_VECTOR_GATHER,
                          .handle = handle,
                          .x = vecX,
                          .y = vecY});
}

spblasStatus_t
spblasScatter(spblasHandle_t handle, spblasConstSpVecDescr_t vecX,
              spblasDnVecDescr_t vecY)
{
    return run(&(request){.function = __func__,
                          .op = SB_VECTOR_SCATTER,
                          .handle = handle,
                          .x = vecX,
                          .y = vecY});
}

spblasStatus_t
spblasRot(spblasHandle_t handle, const void *c_coeff, const void *s_coeff,
          spblasSpVecDescr_t vecX, spblasDnVecDescr_t vecY)
{
    return run(&(request){.function = __func__,
                          .op = SB_VECTOR_ROT,
                          .handle = handle,
                          .alpha = c_coeff,
                          .beta = s_coeff,
                          .x = vecX,
                          .y = vecY});
}

spblasStatus_t
spblasSpVV_bufferSize(spblasHandle_t handle, spblasOperation_t opX,
                      spblasConstSpVecDescr_t vecX, spblasConstDnVecDescr_t vecY,
                      const void *result, spblasDataType_t computeType,
                      size_t *bufferSize)
{
    (void)result;
    return run(&(request){.function = __func__,
                          .op = SB_VECTOR_SPVV,
                          .handle = handle,
                          .op_x = opX,
                          .x = vecX,
                          .y = vecY,
                          .has_compute = true,
                          .compute = computeType,
                          .size = bufferSize,
                          .asks_size = true});
}

spblasStatus_t
spblasSpVV(spblasHandle_t handle, spblasOperation_t opX, spblasConstSpVecDescr_t vecX,
           spblasConstDnVecDescr_t vecY, void *result, spblasDataType_t computeType,
           void *externalBuffer)
{
    return run(&(request){.function = __func__,
                          .op = SB_VECTOR_SPVV,
                          .handle = handle,
                          .op_x = opX,
                          .x = vecX,
                          .y = vecY,
                          .has_compute = true,
                          .compute = computeType,
                          .result = result,
                          .buffer = externalBuffer});
}
