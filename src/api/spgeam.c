/*
 * SpGEAM: C = alpha * A + beta * B, the sum of two sparse matrices. A CSC is taken for the
 * CSR of its transpose.
 */
#include "api/error.h"
#include "api/place.h"
#include "api/rule.h"
#include "api/spmat.h"
#include "api/types.h"
#include "api/view.h"
#include "base/alloc.h"
#include "base/macro.h"
#include "formats/check.h"
#include "native/native.h"

/* Counting leaves nothing behind but C's offsets, so there is nothing to remember. */
struct spblasSpGEAMDescr {
    uint32_t tag;
};

typedef enum want { WANT_SIZE, WANT_NNZ, WANT_RESULT } want;

typedef struct geam_call {
    const char *function;
    want want;
    spblasHandle_t handle;
    spblasOperation_t op_a, op_b;
    const void *alpha, *beta;
    spblasConstSpMatDescr_t mat[3]; /* A, B, C */
    spblasSpMatDescr_t c;           /* mat[2] */
    spblasDataType_t compute;
    spblasSpGEAMAlg_t alg;
    spblasSpGEAMDescr_t descr;
    size_t *size;
    void *buffer;
    bool *device; /* who computes */
} geam_call;

/* ---- Arguments ---------------------------------------------------------------------- */

enum { HANDLE, OP_A, OP_B, ALPHA, A, B, C, BETA, COMPUTE, ALG, DESCR, SIZE, ROLES };

static const char *const names[ROLES] = {[HANDLE] = "handle",
                                         [OP_A] = "opA",
                                         [OP_B] = "opB",
                                         [ALPHA] = "alpha",
                                         [A] = "matA",
                                         [B] = "matB",
                                         [C] = "matC",
                                         [BETA] = "beta",
                                         [COMPUTE] = "computeType",
                                         [ALG] = "alg",
                                         [DESCR] = "spgeamDescr",
                                         [SIZE] = "bufferSize"};

static const geam_call *
call_of(const void *r)
{
    return r;
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
no_alpha(const void *r)
{
    return call_of(r)->want == WANT_RESULT && !call_of(r)->alpha;
}

static bool
no_beta(const void *r)
{
    return call_of(r)->want == WANT_RESULT && !call_of(r)->beta;
}

static bool
no_a(const void *r)
{
    return !sb_is_spmat(call_of(r)->mat[0]);
}

static bool
no_b(const void *r)
{
    return !sb_is_spmat(call_of(r)->mat[1]);
}

static bool
no_c(const void *r)
{
    return !sb_is_spmat(call_of(r)->mat[2]);
}

static bool
unknown_compute(const void *r)
{
    return sb_public_size(call_of(r)->compute) == 0;
}

static bool
unknown_alg(const void *r)
{
    return (unsigned)call_of(r)->alg > SPBLAS_SPGEAM_ALG1;
}

static bool
no_descr(const void *r)
{
    return !call_of(r)->descr || call_of(r)->descr->tag != SB_TAG_SPGEAM;
}

static bool
no_size(const void *r)
{
    return call_of(r)->want == WANT_SIZE && !call_of(r)->size;
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
c_converted(const void *r)
{
    return call_of(r)->c->made != NULL;
}

static bool
unsupported_compute(const void *r)
{
    const spblasDataType_t t = call_of(r)->c->type, compute = call_of(r)->compute;
    const sb_dtype own = sb_public_dtype(t);

    return own == SB_DTYPE_COUNT || sb_dtype_is_int(own) ||
           (sb_dtype_is_half(own) && sb_dtype_is_complex(own)) ||
           (compute != t && sb_public_dtype(compute) != sb_dtype_sum(own));
}

/* The offsets that count C's entries must be those of its arrays. */
static bool
uncounted(const void *r)
{
    const sb_matrix c = sb_view_sparse(call_of(r)->c);
    const int64_t majors = c.format == SB_FORMAT_CSC ? c.cols : c.rows;

    return call_of(r)->want == WANT_RESULT && majors > 0 && !*call_of(r)->device &&
           sb_index(c.ptr, c.ptr_type, majors) - c.base != c.nnz;
}

#define PLAIN_ONLY "must be NON_TRANSPOSE: this routine transposes nothing"

static const sb_rule argument_rules[] = {
    {HANDLE, no_handle, SB_EINVAL, "must be a live handle"},
    {OP_A, unknown_op_a, SB_EINVAL, "must be one of spblasOperation_t"},
    {OP_B, unknown_op_b, SB_EINVAL, "must be one of spblasOperation_t"},
    {ALPHA, no_alpha, SB_EINVAL, "must not be NULL"},
    {A, no_a, SB_EINVAL, "must be a live sparse matrix"},
    {BETA, no_beta, SB_EINVAL, "must not be NULL"},
    {B, no_b, SB_EINVAL, "must be a live sparse matrix"},
    {C, no_c, SB_EINVAL, "must be a live sparse matrix"},
    {COMPUTE, unknown_compute, SB_EINVAL, "must be a data type of spblas.h"},
    {ALG, unknown_alg, SB_EINVAL, "is not an algorithm of this routine"},
    {DESCR, no_descr, SB_EINVAL, "must be a live SpGEAM descriptor"},
    {SIZE, no_size, SB_EINVAL, "must not be NULL"},
    {OP_A, transposes_a, SB_ENOTSUP, PLAIN_ONLY},
    {OP_B, transposes_b, SB_ENOTSUP, PLAIN_ONLY},
    {C, c_converted, SB_ENOTSUP, "was made by spblasConvert, so its size is fixed"},
};

static const sb_rule result_rules[] = {
    {COMPUTE, unsupported_compute, SB_ENOTSUP,
     "and the operands' types are not a combination this routine offers (see "
     "spblas.h)"},
    {C, uncounted, SB_EINVAL, "has offsets that do not end at its number of entries"},
};

/* ---- Each matrix -------------------------------------------------------------------- */

typedef struct operand {
    const geam_call *k;
    spblasConstSpMatDescr_t d;
    bool output;
} operand;

static const operand *
operand_of(const void *r)
{
    return r;
}

static bool
foreign_format(const void *r)
{
    const spblasFormat_t f = operand_of(r)->d->format;

    return f != SPBLAS_FORMAT_CSR && f != SPBLAS_FORMAT_CSC;
}

static bool
other_format(const void *r)
{
    return operand_of(r)->d->format != operand_of(r)->k->mat[0]->format;
}

static bool
other_shape(const void *r)
{
    const spblasConstSpMatDescr_t a = operand_of(r)->k->mat[0], d = operand_of(r)->d;

    return d->rows != a->rows || d->cols != a->cols;
}

static bool
has_batch(const void *r)
{
    return operand_of(r)->d->batch > 1;
}

static bool
short_index(const void *r)
{
    return operand_of(r)->d->idx_type == SPBLAS_INDEX_16U;
}

static bool
other_index(const void *r)
{
    return operand_of(r)->d->idx_type != operand_of(r)->k->mat[0]->idx_type;
}

static bool
other_type(const void *r)
{
    return operand_of(r)->d->type != operand_of(r)->k->mat[0]->type;
}

/* Counting wants no more of C than its offsets. */
static bool
lacks_structure(const void *r)
{
    const operand *o = r;
    sb_matrix a = sb_view_sparse(o->d);

    if (o->output && o->k->want == WANT_NNZ)
        a.nnz = 0;
    return o->k->want != WANT_SIZE && sb_view_lacks_structure(&a);
}

static bool
lacks_values(const void *r)
{
    const operand *o = r;

    return o->k->want == WANT_RESULT && o->d->nnz > 0 && !o->d->val;
}

static const sb_rule operand_rules[] = {
    {0, foreign_format, SB_ENOTSUP, "must be CSR or CSC, the formats of this routine"},
    {0, other_format, SB_ENOTSUP, "must be of matA's format"},
    {0, other_shape, SB_EINVAL, "must have matA's shape"},
    {0, has_batch, SB_ENOTSUP, "has a batch, which this routine lacks"},
    {0, short_index, SB_ENOTSUP, "has 16-bit indices, which nothing computes with"},
    {0, other_index, SB_ENOTSUP, "must have indices of matA's type"},
    {0, other_type, SB_ENOTSUP, "must have values of matA's type"},
    {0, lacks_structure, SB_EINVAL, "has no structure arrays"},
    {0, lacks_values, SB_EINVAL, "has no values"},
};

/* Who computes, and whether it can read what there is. */
static sb_status
choose(const geam_call *k, sb_diag *diag)
{
    const void *array[9];
    int n = 0;

    for (int q = 0; q < 3 && k->want != WANT_SIZE; q++) {
        const sb_matrix a = sb_view_sparse(k->mat[q]);

        array[n++] = a.ptr;
        array[n++] = a.idx;
        array[n++] = a.val;
    }
    SB_TRY(sb_place_on_device(k->device, k->handle, array, n, diag));
    if (*k->device)
        return k->want == WANT_NNZ
                   ? sb_place_buffer(k->handle, k->buffer, "externalBuffer", diag)
                   : SB_OK;
    SB_TRY(sb_place_on_host(k->handle, array, n, diag));
    return sb_place_on_host(k->handle, (const void *[]){k->alpha, k->beta}, 2, diag);
}

static sb_status
check(const geam_call *k, sb_diag *diag)
{
    SB_TRY(sb_rules_check(argument_rules, SB_COUNT(argument_rules), names, k, diag));
    for (int q = 0; q < 3; q++) {
        const operand o = {k, k->mat[q], q == 2};

        SB_TRY(sb_rules_check(operand_rules, SB_COUNT(operand_rules), &names[A + q], &o,
                              diag));
    }
    SB_TRY(choose(k, diag));
    return sb_rules_check(result_rules, SB_COUNT(result_rules), names, k, diag);
}

/* ---- Steps -------------------------------------------------------------------------- */

static sb_matrix
by_rows(spblasConstSpMatDescr_t d)
{
    sb_matrix a = sb_view_sparse(d);
    const int64_t rows = a.rows;

    if (a.format == SB_FORMAT_CSC) {
        a.format = SB_FORMAT_CSR;
        a.rows = a.cols;
        a.cols = rows;
    }
    return a;
}

static sb_status
validate(const geam_call *k, sb_diag *diag)
{
    for (int q = 0; q < 2; q++)
        if (k->mat[q]->at.validate) {
            const sb_matrix a = sb_view_sparse(k->mat[q]);

            SB_TRY(*k->device ? sb_place_check(k->handle, &a, diag)
                              : sb_matrix_check(&a, diag));
        }
    return SB_OK;
}

static sb_status
count(const geam_call *k, const sb_geam *g, sb_diag *diag)
{
    const sb_native on = {k->handle->device, k->handle->stream, diag, false};
    sb_spmat draft = *k->c;

    SB_TRY(*k->device ? sb_native_geam_count(&on, g, k->buffer, &draft.nnz)
                      : sb_backend_get()->geam->count(g, &draft.nnz));
    if (sb_spmat_change(k->function, k->c, &draft, true) != SPBLAS_STATUS_SUCCESS)
        return sb_diag_set(
            diag, SB_EINVAL,
            "argument matC cannot have the %lld entries of the sum: they "
            "are more than its places, as some are repeated",
            (long long)draft.nnz);
    return SB_OK;
}

/* A scalar of the compute type. */
static sb_status
load(sb_value *out, const geam_call *k, const void *scalar, sb_diag *diag)
{
    const sb_dtype t = sb_public_dtype(k->compute);
    sb_param bytes;

    SB_TRY(sb_place_scalar(&bytes, k->handle, scalar, sb_dtype_size(t), diag));
    *out = sb_value_load(t, &bytes, 0);
    return SB_OK;
}

static sb_status
add(const geam_call *k, sb_geam *g, sb_diag *diag)
{
    const sb_native on = {k->handle->device, k->handle->stream, diag, false};
    const sb_dtype t = sb_public_dtype(k->c->type);
    /* the type that is summed in; scalars are of it too, but of all-16-bit calls */
    const sb_dtype compute = sb_public_dtype(k->compute);

    if (*k->device && compute == (t == SB_F16 || t == SB_BF16 ? SB_F32 : t))
        return sb_native_geam_fill(&on, g,
                                   sb_place_native_scalar(k->handle, k->alpha, compute),
                                   sb_place_native_scalar(k->handle, k->beta, compute));
    SB_TRY(load(&g->alpha, k, k->alpha, diag));
    SB_TRY(load(&g->beta, k, k->beta, diag));
    if (*k->device)
        return sb_native_geam_fill(&on, g, (sb_native_scalar){g->alpha, NULL},
                                   (sb_native_scalar){g->beta, NULL});
    sb_backend_get()->geam->fill(g);
    return SB_OK;
}

static sb_status
take(const geam_call *k, sb_diag *diag)
{
    sb_geam g = {.a = by_rows(k->mat[0]), .b = by_rows(k->mat[1]), .c = by_rows(k->c)};

    if (k->want == WANT_SIZE) {
        *k->size = k->handle->device ? sb_native_geam_bytes(g.a.rows) : 0;
        return SB_OK;
    }
    SB_TRY(validate(k, diag));
    return k->want == WANT_NNZ ? count(k, &g, diag) : add(k, &g, diag);
}

static spblasStatus_t
run(const char *function, want w, spblasHandle_t handle, spblasOperation_t opA,
    spblasOperation_t opB, const void *alpha, spblasConstSpMatDescr_t matA,
    const void *beta, spblasConstSpMatDescr_t matB, spblasSpMatDescr_t matC,
    spblasDataType_t computeType, spblasSpGEAMAlg_t alg,
    spblasSpGEAMDescr_t spgeamDescr, size_t *size, void *buffer)
{
    bool device = false;
    const geam_call k = {.function = function,
                         .want = w,
                         .handle = handle,
                         .op_a = opA,
                         .op_b = opB,
                         .alpha = alpha,
                         .beta = beta,
                         .mat = {matA, matB, matC},
                         .c = matC,
                         .compute = computeType,
                         .alg = alg,
                         .descr = spgeamDescr,
                         .size = size,
                         .buffer = buffer,
                         .device = &device};
    sb_diag diag = {0};
    sb_status st = check(&k, &diag);

    if (st == SB_OK)
        st = take(&k, &diag);
    return sb_api_end(handle, function, st, &diag);
}

/* ---- Interface ---------------------------------------------------------------------- */

spblasStatus_t
spblasSpGEAM_createDescr(spblasSpGEAMDescr_t *descr)
{
    if (!descr)
        return sb_api_fail(__func__, SB_EINVAL, "argument descr must not be NULL");
    *descr = sb_alloc_zero(sizeof **descr);
    if (!*descr)
        return sb_api_end(NULL, __func__, SB_ENOMEM, NULL);
    (*descr)->tag = SB_TAG_SPGEAM;
    return SPBLAS_STATUS_SUCCESS;
}

spblasStatus_t
spblasSpGEAM_destroyDescr(spblasSpGEAMDescr_t descr)
{
    if (!descr)
        return SPBLAS_STATUS_SUCCESS;
    if (descr->tag != SB_TAG_SPGEAM)
        return sb_api_fail(__func__, SB_EINVAL,
                           "argument descr must be a live SpGEAM descriptor");
    descr->tag = 0;
    sb_free(descr);
    return SPBLAS_STATUS_SUCCESS;
}

spblasStatus_t
spblasSpGEAM_bufferSize(spblasHandle_t handle, spblasOperation_t opA,
                        spblasOperation_t opB, const void *alpha,
                        spblasConstSpMatDescr_t matA, const void *beta,
                        spblasConstSpMatDescr_t matB, spblasSpMatDescr_t matC,
                        spblasDataType_t computeType, spblasSpGEAMAlg_t alg,
                        spblasSpGEAMDescr_t spgeamDescr, size_t *bufferSize)
{
    return run(__func__, WANT_SIZE, handle, opA, opB, alpha, matA, beta, matB, matC,
               computeType, alg, spgeamDescr, bufferSize, NULL);
}

spblasStatus_t
spblasSpGEAM_nnz(spblasHandle_t handle, spblasOperation_t opA, spblasOperation_t opB,
                 const void *alpha, spblasConstSpMatDescr_t matA, const void *beta,
                 spblasConstSpMatDescr_t matB, spblasSpMatDescr_t matC,
                 spblasDataType_t computeType, spblasSpGEAMAlg_t alg,
                 spblasSpGEAMDescr_t spgeamDescr, void *externalBuffer)
{
    return run(__func__, WANT_NNZ, handle, opA, opB, alpha, matA, beta, matB, matC,
               computeType, alg, spgeamDescr, NULL, externalBuffer);
}

spblasStatus_t
spblasSpGEAM(spblasHandle_t handle, spblasOperation_t opA, spblasOperation_t opB,
             const void *alpha, spblasConstSpMatDescr_t matA, const void *beta,
             spblasConstSpMatDescr_t matB, spblasSpMatDescr_t matC,
             spblasDataType_t computeType, spblasSpGEAMAlg_t alg,
             spblasSpGEAMDescr_t spgeamDescr, void *externalBuffer)
{
    return run(__func__, WANT_RESULT, handle, opA, opB, alpha, matA, beta, matB, matC,
               computeType, alg, spgeamDescr, NULL, externalBuffer);
}
