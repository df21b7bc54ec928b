/*
 * What a call about a product of sparse matrices may say, and when.
 */
#include "api/rule.h"
#include "api/spgemm_call.h"
#include "api/types.h"
#include "api/view.h"
#include "base/macro.h"

enum {
    HANDLE,
    OP_A,
    OP_B,
    ALPHA,
    A,
    B,
    BETA,
    C,
    COMPUTE,
    ALG,
    DESCR,
    FRACTION,
    ESTIMATE,
    SIZE, /* three of them */
    ROLES = SIZE + SB_SPGEMM_BUFFERS
};

static const sb_spgemm_facts facts[] = {
    [SB_SPGEMM_WORK] =
        {SB_SPGEMM_NEW, SB_SPGEMM_WORKED, {"bufferSize1"}, true, false, false},
    [SB_SPGEMM_MEMORY] =
        {SB_SPGEMM_WORKED, SB_SPGEMM_WORKED, {"bufferSize3"}, true, false, false},
    [SB_SPGEMM_COUNT] =
        {SB_SPGEMM_WORKED, SB_SPGEMM_COUNTED, {"bufferSize2"}, true, false, false},
    [SB_SPGEMM_COPY] = {SB_SPGEMM_COUNTED, SB_SPGEMM_COUNTED, {NULL}, true, true, true},
    [SB_SPGEMM_REUSE_WORK] =
        {SB_SPGEMM_NEW, SB_SPGEMM_WORKED, {"bufferSize1"}, false, false, false},
    [SB_SPGEMM_REUSE_COUNT] = {SB_SPGEMM_WORKED,
                               SB_SPGEMM_COUNTED,
                               {"bufferSize2", "bufferSize3", "bufferSize4"},
                               false,
                               false,
                               false},
    [SB_SPGEMM_REUSE_COPY] =
        {SB_SPGEMM_COUNTED, SB_SPGEMM_COPIED, {"bufferSize5"}, false, true, false},
    [SB_SPGEMM_REUSE_VALUES] =
        {SB_SPGEMM_COPIED, SB_SPGEMM_COPIED, {NULL}, true, true, true},
};

const sb_spgemm_facts *
sb_spgemm_facts_of(sb_spgemm_step step)
{
    return &facts[step];
}

/* ---- Arguments ---------------------------------------------------------------------- */

static const sb_spgemm_call *
call_of(const void *r)
{
    return r;
}

static const sb_spgemm_facts *
facts_of(const void *r)
{
    return &facts[call_of(r)->step];
}

static bool
no_handle(const void *r)
{
    return !sb_is_handle(call_of(r)->handle);
}

static bool
unknown_op_a(const void *r)
{
    return (unsigned)call_of(r)->op_a > SPBLAS_OPERATION_CONJUGATE_TRANSPOSE;
}

static bool
unknown_op_b(const void *r)
{
    return (unsigned)call_of(r)->op_b > SPBLAS_OPERATION_CONJUGATE_TRANSPOSE;
}

static bool
transposes_a(const void *r)
{
    return call_of(r)->op_a != SPBLAS_OPERATION_NON_TRANSPOSE;
}

static bool
transposes_b(const void *r)
{
    return call_of(r)->op_b != SPBLAS_OPERATION_NON_TRANSPOSE;
}

static bool
no_alpha(const void *r)
{
    return facts_of(r)->values && !call_of(r)->alpha;
}

static bool
no_beta(const void *r)
{
    return facts_of(r)->values && !call_of(r)->beta;
}

static bool
no_a(const void *r)
{
    return !sb_is_spmat(call_of(r)->a);
}

static bool
no_b(const void *r)
{
    return !sb_is_spmat(call_of(r)->b);
}

static bool
no_c(const void *r)
{
    return !sb_is_spmat(call_of(r)->c);
}

static bool
unknown_compute(const void *r)
{
    return facts_of(r)->scalars && sb_public_size(call_of(r)->compute) == 0;
}

static bool
unknown_alg(const void *r)
{
    return (unsigned)call_of(r)->alg > SPBLAS_SPGEMM_ALG3;
}

static bool
no_descr(const void *r)
{
    const sb_spgemm_call *k = r;

    return !k->descr || k->descr->tag != SB_TAG_SPGEMM;
}

static bool
bad_fraction(const void *r)
{
    const sb_spgemm_call *k = r;

    return k->step == SB_SPGEMM_MEMORY && !(k->fraction > 0.0f && k->fraction <= 1.0f);
}

static bool
no_estimate(const void *r)
{
    const sb_spgemm_call *k = r;

    return k->step == SB_SPGEMM_MEMORY && k->lent[0].at && !k->estimate;
}

static bool
no_size(const void *r, int k)
{
    return facts_of(r)->buffers[k] && !call_of(r)->lent[k].size;
}

static bool
no_size_0(const void *r)
{
    return no_size(r, 0);
}

static bool
no_size_1(const void *r)
{
    return no_size(r, 1);
}

static bool
no_size_2(const void *r)
{
    return no_size(r, 2);
}

/* ---- Operands ----------------------------------------------------------------------- */

static bool
not_csr(spblasConstSpMatDescr_t d)
{
    return d->format != SPBLAS_FORMAT_CSR;
}

static bool
a_not_csr(const void *r)
{
    return not_csr(call_of(r)->a);
}

static bool
b_not_csr(const void *r)
{
    return not_csr(call_of(r)->b);
}

static bool
c_not_csr(const void *r)
{
    return not_csr(call_of(r)->c);
}

static bool
c_converted(const void *r)
{
    return call_of(r)->c->made != NULL;
}

static bool
a_batch(const void *r)
{
    return call_of(r)->a->batch > 1;
}

static bool
b_batch(const void *r)
{
    return call_of(r)->b->batch > 1;
}

static bool
c_batch(const void *r)
{
    return call_of(r)->c->batch > 1;
}

static bool
short_index(spblasConstSpMatDescr_t d)
{
    return d->idx_type == SPBLAS_INDEX_16U;
}

static bool
a_short(const void *r)
{
    return short_index(call_of(r)->a);
}

static bool
b_short(const void *r)
{
    return short_index(call_of(r)->b);
}

static bool
c_short(const void *r)
{
    return short_index(call_of(r)->c);
}

static bool
b_misfit(const void *r)
{
    return call_of(r)->a->cols != call_of(r)->b->rows;
}

static bool
c_misfit(const void *r)
{
    const sb_spgemm_call *k = r;

    return k->c->rows != k->a->rows || k->c->cols != k->b->cols;
}

static bool
unsupported_values(const void *r)
{
    const sb_spgemm_call *k = r;
    const sb_dtype t = sb_public_dtype(k->a->type);

    return k->b->type != k->a->type || k->c->type != k->a->type ||
           t == SB_DTYPE_COUNT || sb_dtype_is_int(t);
}

static bool
unsupported_compute(const void *r)
{
    const sb_spgemm_call *k = r;
    const spblasDataType_t t = k->a->type;
    const sb_dtype own = sb_public_dtype(t);

    return facts_of(r)->scalars && k->compute != t &&
           sb_public_dtype(k->compute) != sb_dtype_sum(own);
}

static bool
a_lacks_structure(const void *r)
{
    const sb_matrix a = sb_view_sparse(call_of(r)->a);

    return sb_view_lacks_structure(&a);
}

static bool
b_lacks_structure(const void *r)
{
    const sb_matrix b = sb_view_sparse(call_of(r)->b);

    return sb_view_lacks_structure(&b);
}

static bool
c_lacks_structure(const void *r)
{
    const sb_matrix c = sb_view_sparse(call_of(r)->c);

    return facts_of(r)->writes && sb_view_lacks_structure(&c);
}

static bool
lacks_values(const void *r, spblasConstSpMatDescr_t d)
{
    return facts_of(r)->values && d->nnz > 0 && !d->val;
}

static bool
a_lacks_values(const void *r)
{
    return lacks_values(r, call_of(r)->a);
}

static bool
b_lacks_values(const void *r)
{
    return lacks_values(r, call_of(r)->b);
}

static bool
c_lacks_values(const void *r)
{
    return lacks_values(r, call_of(r)->c);
}

/* ---- Order of calls ----------------------------------------------------------------- */

static bool
out_of_order(const void *r)
{
    const sb_spgemm_call *k = r;
    const sb_spgemm_stage from = facts_of(r)->from;

    return from != SB_SPGEMM_NEW &&
           (k->descr->stage < from || k->descr->reuse != sb_spgemm_is_reuse(k->step));
}

static bool
other_than(const void *r, const sb_matrix *was, spblasConstSpMatDescr_t d)
{
    return facts_of(r)->from != SB_SPGEMM_NEW &&
           (was->rows != d->rows || was->cols != d->cols || was->nnz != d->nnz ||
            was->val_type != sb_public_dtype(d->type) ||
            was->idx_type != sb_public_index_dtype(d->idx_type));
}

static bool
other_a(const void *r)
{
    return other_than(r, &call_of(r)->descr->job.a, call_of(r)->a);
}

static bool
other_b(const void *r)
{
    return other_than(r, &call_of(r)->descr->job.b, call_of(r)->b);
}

/* C's nnz is set by the step before those that write. */
static bool
other_c(const void *r)
{
    const sb_spgemm_call *k = r;

    return facts_of(r)->writes && k->c->nnz != k->descr->job.c.nnz;
}

#define CSR_ONLY "must be CSR, the format this routine offers"
#define NO_BATCH "has a batch, which this routine lacks"
#define SHORT_INDEX "has 16-bit indices, which nothing computes with"
#define PLAIN_ONLY "must be NON_TRANSPOSE: this routine transposes nothing"
static const sb_rule rules[] = {
    {HANDLE, no_handle, SB_EINVAL, "must be a live handle"},
    {OP_A, unknown_op_a, SB_EINVAL, "must be one of spblasOperation_t"},
    {OP_B, unknown_op_b, SB_EINVAL, "must be one of spblasOperation_t"},
    {ALPHA, no_alpha, SB_EINVAL, "must not be NULL"},
    {A, no_a, SB_EINVAL, "must be a live sparse matrix"},
    {B, no_b, SB_EINVAL, "must be a live sparse matrix"},
    {BETA, no_beta, SB_EINVAL, "must not be NULL"},
    {C, no_c, SB_EINVAL, "must be a live sparse matrix"},
    {COMPUTE, unknown_compute, SB_EINVAL, "must be a data type of spblas.h"},
    {ALG, unknown_alg, SB_EINVAL, "is not an algorithm of this routine"},
    {DESCR, no_descr, SB_EINVAL, "must be a live SpGEMM descriptor"},
    {FRACTION, bad_fraction, SB_EINVAL, "must be above 0 and at most 1"},
    {SIZE, no_size_0, SB_EINVAL, "must not be NULL"},
    {SIZE + 1, no_size_1, SB_EINVAL, "must not be NULL"},
    {SIZE + 2, no_size_2, SB_EINVAL, "must not be NULL"},
    {ESTIMATE, no_estimate, SB_EINVAL, "must not be NULL"},
    {OP_A, transposes_a, SB_ENOTSUP, PLAIN_ONLY},
    {OP_B, transposes_b, SB_ENOTSUP, PLAIN_ONLY},
    {A, a_not_csr, SB_ENOTSUP, CSR_ONLY},
    {B, b_not_csr, SB_ENOTSUP, CSR_ONLY},
    {C, c_not_csr, SB_ENOTSUP, CSR_ONLY},
    {C, c_converted, SB_ENOTSUP, "was made by spblasConvert, so its size is fixed"},
    {B, b_misfit, SB_EINVAL, "must have as many rows as matA has columns"},
    {C, c_misfit, SB_EINVAL, "must have matA's rows and matB's columns"},
    {A, a_batch, SB_ENOTSUP, NO_BATCH},
    {B, b_batch, SB_ENOTSUP, NO_BATCH},
    {C, c_batch, SB_ENOTSUP, NO_BATCH},
    {A, a_short, SB_ENOTSUP, SHORT_INDEX},
    {B, b_short, SB_ENOTSUP, SHORT_INDEX},
    {C, c_short, SB_ENOTSUP, SHORT_INDEX},
    {C, unsupported_values, SB_ENOTSUP,
     "and the operands' types are not a combination this routine offers (see "
     "spblas.h)"},
    {COMPUTE, unsupported_compute, SB_ENOTSUP,
     "and the operands' types are not a combination this routine offers (see "
     "spblas.h)"},
    {A, a_lacks_structure, SB_EINVAL, "has no structure arrays"},
    {B, b_lacks_structure, SB_EINVAL, "has no structure arrays"},
    {DESCR, out_of_order, SB_EINVAL,
     "has not been through the call that comes before this one (see spblas.h)"},
    {A, other_a, SB_EINVAL, "is not of the sizes and types of the calls before"},
    {B, other_b, SB_EINVAL, "is not of the sizes and types of the calls before"},
    {C, other_c, SB_EINVAL, "has not the number of entries that was counted"},
    {C, c_lacks_structure, SB_EINVAL, "has no structure arrays"},
    {A, a_lacks_values, SB_EINVAL, "has no values"},
    {B, b_lacks_values, SB_EINVAL, "has no values"},
    {C, c_lacks_values, SB_EINVAL, "has no values"},
};

sb_status
sb_spgemm_check(const sb_spgemm_call *call, sb_diag *diag)
{
    const char *names[ROLES] = {[HANDLE] = "handle",
                                [OP_A] = "opA",
                                [OP_B] = "opB",
                                [ALPHA] = "alpha",
                                [A] = "matA",
                                [B] = "matB",
                                [BETA] = "beta",
                                [C] = "matC",
                                [COMPUTE] = "computeType",
                                [ALG] = "alg",
                                [DESCR] = "spgemmDescr",
                                [FRACTION] = "chunk_fraction",
                                [ESTIMATE] = "bufferSize2"};

    for (int k = 0; k < SB_SPGEMM_BUFFERS; k++)
        names[SIZE + k] = facts[call->step].buffers[k];
    return sb_rules_check(rules, SB_COUNT(rules), names, call, diag);
}
