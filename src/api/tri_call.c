/*
 * The road of every triangular solve: arguments, operands, then one of four ends.
 */
#include "api/tri_call.h"

#include "api/error.h"
#include "api/place.h"
#include "api/rule.h"
#include "api/types.h"
#include "api/view.h"
#include "base/alloc.h"
#include "base/macro.h"
#include "formats/check.h"

enum {
    HANDLE,
    OP_A,
    OP_B,
    ALPHA,
    A,
    X,
    Y,
    COMPUTE,
    ALG,
    DESCR,
    SIZE,
    VALUES,
    PART,
    ROLES
};

static const char *const sv_names[ROLES] = {[HANDLE] = "handle",
                                            [OP_A] = "opA",
                                            [ALPHA] = "alpha",
                                            [A] = "matA",
                                            [X] = "vecX",
                                            [Y] = "vecY",
                                            [COMPUTE] = "computeType",
                                            [ALG] = "alg",
                                            [DESCR] = "spsvDescr",
                                            [SIZE] = "bufferSize",
                                            [VALUES] = "newValues",
                                            [PART] = "updatePart"};
static const char *const sm_names[ROLES] = {
    [HANDLE] = "handle",   [OP_A] = "opA",
    [OP_B] = "opB",        [ALPHA] = "alpha",
    [A] = "matA",          [X] = "matB",
    [Y] = "matC",          [COMPUTE] = "computeType",
    [ALG] = "alg",         [DESCR] = "spsmDescr",
    [SIZE] = "bufferSize", [VALUES] = "newValues",
    [PART] = "updatePart"};

/* ---- Descriptors -------------------------------------------------------------------- */

spblasStatus_t
sb_tri_descr_create(const char *function, sb_tri_descr **out, uint32_t tag)
{
    *out = sb_alloc_zero(sizeof **out);
    if (!*out)
        return sb_api_end(NULL, function, SB_ENOMEM, NULL);
    (*out)->tag = tag;
    return SPBLAS_STATUS_SUCCESS;
}

spblasStatus_t
sb_tri_descr_destroy(const char *function, sb_tri_descr *descr, uint32_t tag)
{
    if (!descr)
        return SPBLAS_STATUS_SUCCESS;
    if (descr->tag != tag)
        return sb_api_fail(function, SB_EINVAL,
                           "argument descr must be a live descriptor of this routine");
    descr->tag = 0;
    if (descr->tri)
        sb_backend_get()->tri->release(descr->tri);
    sb_free(descr);
    return SPBLAS_STATUS_SUCCESS;
}

/* ---- Arguments ---------------------------------------------------------------------- */

static const sb_tri_call *
call_of(const void *r)
{
    return r;
}

static bool
is_sv(const void *r)
{
    return call_of(r)->tag == SB_TAG_SPSV;
}

static bool
solves(const void *r)
{
    return call_of(r)->want == SB_TRI_SOLVE;
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
    return solves(r) && !call_of(r)->alpha;
}

static bool
no_a(const void *r)
{
    return !sb_is_spmat(call_of(r)->a);
}

/* Only a solve needs the dense operands; others check those that are there. */
static bool
no_x(const void *r)
{
    const sb_tri_call *k = r;

    if (!solves(r) && !k->x && !k->b)
        return false;
    return is_sv(r) ? !sb_is_dnvec(k->x) : !sb_is_dnmat(k->b);
}

static bool
no_y(const void *r)
{
    const sb_tri_call *k = r;

    if (!solves(r) && !k->y && !k->c)
        return false;
    return is_sv(r) ? !sb_is_dnvec(k->y) : !sb_is_dnmat(k->c);
}

static bool
unknown_compute(const void *r)
{
    return sb_public_size(call_of(r)->compute) == 0;
}

static bool
unknown_alg(const void *r)
{
    return call_of(r)->alg != 0;
}

static bool
no_descr(const void *r)
{
    return !call_of(r)->descr || call_of(r)->descr->tag != call_of(r)->tag;
}

static bool
no_size(const void *r)
{
    return call_of(r)->want == SB_TRI_SIZE && !call_of(r)->size;
}

/* ---- Operands ----------------------------------------------------------------------- */

/* A dense operand by its rows and columns; a vector is a column. */
typedef struct shape {
    int64_t rows, cols;
    spblasDataType_t type;
    int batch;
    const void *values;
} shape;

static shape
shape_of(spblasConstDnVecDescr_t v, spblasConstDnMatDescr_t m, spblasOperation_t op)
{
    const bool turned = op != SPBLAS_OPERATION_NON_TRANSPOSE;

    if (v)
        return (shape){v->size, 1, v->type, 1, v->values};
    return (shape){turned ? m->cols : m->rows, turned ? m->rows : m->cols, m->type,
                   m->batch, m->values};
}

static bool
has_x(const sb_tri_call *k)
{
    return k->x || k->b;
}

static bool
has_y(const sb_tri_call *k)
{
    return k->y || k->c;
}

static shape
x_of(const sb_tri_call *k)
{
    return shape_of(k->x, k->b, k->op_b);
}

static shape
y_of(const sb_tri_call *k)
{
    return shape_of(k->y, k->c, SPBLAS_OPERATION_NON_TRANSPOSE);
}

/* Rows of the triangle, in elements. */
static int64_t
order_of(const sb_tri_call *k)
{
    return k->a->rows * k->a->row_block;
}

static bool
oblong(const void *r)
{
    return call_of(r)->a->rows != call_of(r)->a->cols;
}

static bool
a_batch(const void *r)
{
    return call_of(r)->a->batch > 1;
}

static bool
short_index(const void *r)
{
    return call_of(r)->a->idx_type == SPBLAS_INDEX_16U;
}

static bool
x_misfit(const void *r)
{
    return has_x(r) && x_of(r).rows != order_of(r);
}

static bool
y_misfit(const void *r)
{
    return has_y(r) &&
           (y_of(r).rows != order_of(r) || (has_x(r) && y_of(r).cols != x_of(r).cols));
}

static bool
x_batch(const void *r)
{
    return has_x(r) && x_of(r).batch > 1;
}

static bool
y_batch(const void *r)
{
    return has_y(r) && y_of(r).batch > 1;
}

static bool
unsupported_types(const void *r)
{
    const sb_tri_call *k = r;
    const sb_dtype t = sb_public_dtype(k->compute);

    return (t != SB_F32 && t != SB_F64 && t != SB_C32 && t != SB_C64) ||
           k->a->type != k->compute || (has_x(k) && x_of(k).type != k->compute) ||
           (has_y(k) && y_of(k).type != k->compute);
}

static bool
lacks_structure(const void *r)
{
    const sb_matrix a = sb_view_sparse(call_of(r)->a);

    return call_of(r)->want == SB_TRI_ANALYSIS && sb_view_lacks_structure(&a);
}

static bool
lacks_values(const void *r)
{
    const sb_matrix a = sb_view_sparse(call_of(r)->a);

    return call_of(r)->want == SB_TRI_ANALYSIS && sb_view_lacks_values(&a);
}

static bool
lacks_dense(const void *r, shape s)
{
    return solves(r) && s.rows > 0 && s.cols > 0 && !s.values;
}

static bool
lacks_x(const void *r)
{
    return solves(r) && lacks_dense(r, x_of(r));
}

static bool
lacks_y(const void *r)
{
    return solves(r) && lacks_dense(r, y_of(r));
}

static sb_trans
trans_of(const sb_tri_call *k, spblasOperation_t op)
{
    return sb_view_op(op, sb_public_dtype(k->compute));
}

static bool
not_analysed(const void *r)
{
    return solves(r) && !call_of(r)->descr->tri;
}

static bool
analysed_other(const void *r)
{
    const sb_tri_call *k = r;

    return solves(r) && (k->descr->tri->rows != order_of(k) ||
                         k->descr->tri->type != sb_public_dtype(k->compute) ||
                         k->descr->trans != trans_of(k, k->op_a));
}

static const sb_rule rules[] = {
    {HANDLE, no_handle, SB_EINVAL, "must be a live handle"},
    {OP_A, unknown_op_a, SB_EINVAL, "must be one of spblasOperation_t"},
    {OP_B, unknown_op_b, SB_EINVAL, "must be one of spblasOperation_t"},
    {ALPHA, no_alpha, SB_EINVAL, "must not be NULL"},
    {A, no_a, SB_EINVAL, "must be a live sparse matrix"},
    {X, no_x, SB_EINVAL, "must be a live dense operand"},
    {Y, no_y, SB_EINVAL, "must be a live dense operand"},
    {COMPUTE, unknown_compute, SB_EINVAL, "must be a data type of spblas.h"},
    {ALG, unknown_alg, SB_EINVAL, "is not an algorithm of this routine"},
    {DESCR, no_descr, SB_EINVAL, "must be a live descriptor of this routine"},
    {SIZE, no_size, SB_EINVAL, "must not be NULL"},
    {A, oblong, SB_EINVAL, "must be square"},
    {A, a_batch, SB_ENOTSUP, "has a batch, which this routine lacks"},
    {A, short_index, SB_ENOTSUP, "has 16-bit indices, which nothing computes with"},
    {X, x_misfit, SB_EINVAL, "has a shape that does not fit the sparse matrix"},
    {Y, y_misfit, SB_EINVAL, "has a shape that does not fit the other operands"},
    {X, x_batch, SB_ENOTSUP, "has a batch, which this routine lacks"},
    {Y, y_batch, SB_ENOTSUP, "has a batch, which this routine lacks"},
    {COMPUTE, unsupported_types, SB_ENOTSUP,
     "and the operands' types are not a combination this routine offers (see "
     "spblas.h)"},
    {A, lacks_structure, SB_EINVAL, "has no structure arrays"},
    {A, lacks_values, SB_EINVAL, "has no values"},
    {X, lacks_x, SB_EINVAL, "has no values"},
    {Y, lacks_y, SB_EINVAL, "has no values"},
    {DESCR, not_analysed, SB_EINVAL, "has not been through an analysis"},
    {DESCR, analysed_other, SB_EINVAL,
     "is of an analysis with another operation, size or type"},
};

/* ---- updateMatrix ------------------------------------------------------------------- */

static bool
never_analysed(const void *r)
{
    return !call_of(r)->descr->tri;
}

static bool
unknown_part(const void *r)
{
    return call_of(r)->part != 0 && call_of(r)->part != 1;
}

static bool
no_values(const void *r)
{
    const sb_tri *t = call_of(r)->descr->tri;

    return !call_of(r)->values &&
           (call_of(r)->part ? t->rows : t->nnz + t->diagonals) > 0;
}

static bool
misaligned_values(const void *r)
{
    return !sb_is_aligned(call_of(r)->values,
                          sb_dtype_size(call_of(r)->descr->tri->type));
}

static const sb_rule update_rules[] = {
    {HANDLE, no_handle, SB_EINVAL, "must be a live handle"},
    {DESCR, no_descr, SB_EINVAL, "must be a live descriptor of this routine"},
    {DESCR, never_analysed, SB_EINVAL, "has not been through an analysis"},
    {PART, unknown_part, SB_EINVAL, "must be GENERAL (0) or DIAGONAL (1)"},
    {VALUES, no_values, SB_EINVAL, "must not be NULL"},
    {VALUES, misaligned_values, SB_EINVAL, "must be aligned to its element type"},
};

/* ---- Ends --------------------------------------------------------------------------- */

static sb_status
analyse(const sb_tri_call *k, sb_diag *diag)
{
    const sb_matrix a = sb_view_sparse(k->a);
    const sb_tri_part part = {.upper = k->a->at.fill == SPBLAS_FILL_MODE_UPPER,
                              .unit = k->a->at.diag == SPBLAS_DIAG_TYPE_UNIT,
                              .trans = trans_of(k, k->op_a)};
    sb_tri *t;

    if (k->a->at.validate)
        SB_TRY(sb_matrix_check(&a, diag));
    SB_TRY(sb_backend_get()->tri->analyse(&t, &a, &part, diag));
    sb_backend_get()->tri->release(k->descr->tri);
    k->descr->tri = t;
    k->descr->trans = part.trans;
    return SB_OK;
}

/* Distance of rows (of columns: along false) of a matrix's elements. */
static int64_t
stride_of(spblasConstDnMatDescr_t m, bool rows)
{
    return (m->order == SPBLAS_ORDER_COL) == rows ? 1 : m->ld;
}

static void
solve(const sb_tri_call *k)
{
    const bool turned = k->op_b != SPBLAS_OPERATION_NON_TRANSPOSE;
    sb_tri_solve s = {.alpha = sb_value_load(sb_public_dtype(k->compute), k->alpha, 0),
                      .cols = x_of(k).cols,
                      .b = x_of(k).values,
                      .b_row = 1,
                      .b_conj = trans_of(k, k->op_b) == SB_TRANS_H,
                      .c = (void *)(uintptr_t)y_of(k).values,
                      .c_row = 1};

    if (k->b) {
        s.b_row = stride_of(k->b, !turned);
        s.b_col = stride_of(k->b, turned);
        s.c_row = stride_of(k->c, true);
        s.c_col = stride_of(k->c, false);
    }
    if (s.cols > 0)
        sb_backend_get()->tri->solve(k->descr->tri, &s);
}

static sb_status
on_host(const sb_tri_call *k, sb_diag *diag)
{
    if (k->want == SB_TRI_ANALYSIS) {
        const sb_matrix a = sb_view_sparse(k->a);

        return sb_place_sparse_on_host(k->handle, &a, diag);
    }
    if (k->want == SB_TRI_SOLVE) {
        const void *const array[] = {x_of(k).values, y_of(k).values, k->alpha};

        return sb_place_on_host(k->handle, array, SB_COUNT(array), diag);
    }
    return k->want == SB_TRI_UPDATE ? sb_place_on_host(k->handle, &k->values, 1, diag)
                                    : SB_OK;
}

spblasStatus_t
sb_tri_run(const sb_tri_call *k)
{
    const bool update = k->want == SB_TRI_UPDATE;
    sb_diag diag = {0};
    sb_status st = sb_rules_check(update ? update_rules : rules,
                                  update ? SB_COUNT(update_rules) : SB_COUNT(rules),
                                  is_sv(k) ? sv_names : sm_names, k, &diag);

    if (st == SB_OK)
        st = on_host(k, &diag);
    if (st == SB_OK)
        switch (k->want) {
        case SB_TRI_SIZE:
            *k->size = 0;
            break;
        case SB_TRI_ANALYSIS:
            st = analyse(k, &diag);
            break;
        case SB_TRI_SOLVE:
            solve(k);
            break;
        case SB_TRI_UPDATE:
            sb_backend_get()->tri->update(k->descr->tri, k->values, k->part == 1);
            break;
        }
    return sb_api_end(k->handle, k->function, st, &diag);
}
