/*
 * The rules of every triangular solve: arguments, operands, descriptor.
 */
#include "api/tri_call.h"

#include "api/rule.h"
#include "api/types.h"
#include "api/view.h"
#include "base/macro.h"

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

static sb_tri_shape
shape_of(spblasConstDnVecDescr_t v, spblasConstDnMatDescr_t m, spblasOperation_t op)
{
    const bool turned = op != SPBLAS_OPERATION_NON_TRANSPOSE;

    if (v)
        return (sb_tri_shape){v->size, 1, v->type, 1, v->values};
    return (sb_tri_shape){turned ? m->cols : m->rows, turned ? m->rows : m->cols,
                          m->type, m->batch, m->values};
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

sb_tri_shape
sb_tri_x(const sb_tri_call *k)
{
    return shape_of(k->x, k->b, k->op_b);
}

sb_tri_shape
sb_tri_y(const sb_tri_call *k)
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
    return has_x(r) && sb_tri_x(r).rows != order_of(r);
}

static bool
y_misfit(const void *r)
{
    return has_y(r) && (sb_tri_y(r).rows != order_of(r) ||
                        (has_x(r) && sb_tri_y(r).cols != sb_tri_x(r).cols));
}

static bool
x_batch(const void *r)
{
    return has_x(r) && sb_tri_x(r).batch > 1;
}

static bool
y_batch(const void *r)
{
    return has_y(r) && sb_tri_y(r).batch > 1;
}

static bool
unsupported_types(const void *r)
{
    const sb_tri_call *k = r;
    const sb_dtype t = sb_public_dtype(k->compute);

    return (t != SB_F32 && t != SB_F64 && t != SB_C32 && t != SB_C64) ||
           k->a->type != k->compute || (has_x(k) && sb_tri_x(k).type != k->compute) ||
           (has_y(k) && sb_tri_y(k).type != k->compute);
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
lacks_dense(const void *r, sb_tri_shape s)
{
    return solves(r) && s.rows > 0 && s.cols > 0 && !s.values;
}

static bool
lacks_x(const void *r)
{
    return solves(r) && lacks_dense(r, sb_tri_x(r));
}

static bool
lacks_y(const void *r)
{
    return solves(r) && lacks_dense(r, sb_tri_y(r));
}

sb_trans
sb_tri_trans(const sb_tri_call *k, spblasOperation_t op)
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
                         k->descr->trans != sb_tri_trans(k, k->op_a));
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
    {X, x_misfit, SB_EINVAL, "has a sb_tri_shape that does not fit the sparse matrix"},
    {Y, y_misfit, SB_EINVAL, "has a sb_tri_shape that does not fit the other operands"},
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

sb_status
sb_tri_check(const sb_tri_call *k, sb_diag *diag)
{
    const bool update = k->want == SB_TRI_UPDATE;

    return sb_rules_check(update ? update_rules : rules,
                          update ? SB_COUNT(update_rules) : SB_COUNT(rules),
                          is_sv(k) ? sv_names : sm_names, k, diag);
}
