/*
 * Triangular solves: descriptors, and the four ends of a call. What a GPU analyses is the
 * host's triangle, moved there.
 */
#include "api/error.h"
#include "api/place.h"
#include "api/tri_call.h"
#include "api/types.h"
#include "api/view.h"
#include "base/alloc.h"
#include "base/macro.h"
#include "formats/check.h"
#include "planner/staged.h"

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

static void
forget(sb_tri_descr *descr)
{
    if (descr->tri)
        sb_backend_get()->tri->release(descr->tri);
    sb_native_tri_release(descr->native);
    descr->tri = NULL;
    descr->native = NULL;
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
    forget(descr);
    sb_free(descr);
    return SPBLAS_STATUS_SUCCESS;
}

/* ---- Ends --------------------------------------------------------------------------- */

/* What a GPU's analysis leaves of the host's: sizes and types. */
static sb_status
shell_of(sb_tri **out, const sb_tri *t)
{
    *out = sb_alloc_zero(sizeof **out);
    if (!*out)
        return SB_ENOMEM;
    (*out)->rows = t->rows;
    (*out)->nnz = t->nnz;
    (*out)->diagonals = t->diagonals;
    (*out)->type = t->type;
    (*out)->index = t->index;
    return SB_OK;
}

/* The host's triangle, moved; *t becomes its shell. `values` are the device's. */
static sb_status
move(sb_native_tri **out, sb_tri **t, const sb_native *n, const void *values)
{
    sb_tri *shell;
    sb_status st = shell_of(&shell, *t);

    *out = NULL;
    if (st == SB_OK)
        st = sb_native_tri_create(out, n, *t, values);
    sb_backend_get()->tri->release(*t);
    *t = shell;
    if (st != SB_OK && shell) {
        sb_backend_get()->tri->release(shell);
        *t = NULL;
    }
    return st;
}

static sb_status
analyse(const sb_tri_call *k, sb_diag *diag)
{
    const sb_tri_part part = {.upper = k->a->at.fill == SPBLAS_FILL_MODE_UPPER,
                              .unit = k->a->at.diag == SPBLAS_DIAG_TYPE_UNIT,
                              .trans = sb_tri_trans(k, k->op_a)};
    const sb_native n = {k->handle->device, k->handle->stream, diag, false};
    sb_problem pb = {.a = sb_view_sparse(k->a),
                     .batch = 1,
                     .device = k->handle->device,
                     .stream = k->handle->stream};
    const void *const values = pb.a.val;
    sb_native_tri *native = NULL;
    sb_staged staged = {0};
    sb_tri *t = NULL;
    sb_status st = SB_OK;
    bool device;

    SB_TRY(sb_place_sparse_on_device(&device, k->handle, &pb.a, NULL, diag));
    st = device ? sb_staged_structure(&staged, &pb, true, diag)
                : sb_place_sparse_on_host(k->handle, &pb.a, diag);
    if (st == SB_OK && k->a->at.validate)
        st = sb_matrix_check(&pb.a, diag);
    if (st == SB_OK)
        st = sb_backend_get()->tri->analyse(&t, &pb.a, &part, diag);
    if (st == SB_OK && device)
        st = move(&native, &t, &n, values);
    sb_staged_free(&staged);
    if (st != SB_OK)
        return st;
    forget(k->descr);
    k->descr->tri = t;
    k->descr->native = native;
    k->descr->trans = part.trans;
    return SB_OK;
}

/* Distance of rows (of columns: along false) of a matrix's elements. */
static int64_t
stride_of(spblasConstDnMatDescr_t m, bool rows)
{
    return (m->order == SPBLAS_ORDER_COL) == rows ? 1 : m->ld;
}

static sb_tri_solve
solve_of(const sb_tri_call *k)
{
    const bool turned = k->op_b != SPBLAS_OPERATION_NON_TRANSPOSE;
    sb_tri_solve s = {.cols = sb_tri_x(k).cols,
                      .b = sb_tri_x(k).values,
                      .b_row = 1,
                      .b_conj = sb_tri_trans(k, k->op_b) == SB_TRANS_H,
                      .c = (void *)(uintptr_t)sb_tri_y(k).values,
                      .c_row = 1};

    if (k->b) {
        s.b_row = stride_of(k->b, !turned);
        s.b_col = stride_of(k->b, turned);
        s.c_row = stride_of(k->c, true);
        s.c_col = stride_of(k->c, false);
    }
    return s;
}

/* Who analysed computes, with arrays that it can use. */
static sb_status
on_device(const sb_tri_call *k, const void *const *array, const char *const *name,
          int n, sb_diag *diag)
{
    if (sb_native_tri_device(k->descr->native) != k->handle->device)
        return sb_diag_set(diag, SB_EINVAL,
                           "the descriptor was analysed on a GPU that is not the "
                           "handle's");
    for (int q = 0; q < n; q++)
        if (array[q])
            SB_TRY(sb_place_buffer(k->handle, array[q], name[q], diag));
    return SB_OK;
}

static sb_status
solve(const sb_tri_call *k, sb_diag *diag)
{
    const bool vector = k->tag == SB_TAG_SPSV;
    const char *const name[] = {vector ? "vecX" : "matB", vector ? "vecY" : "matC"};
    const void *const array[] = {sb_tri_x(k).values, sb_tri_y(k).values, k->alpha};
    const sb_native n = {k->handle->device, k->handle->stream, diag, false};
    const sb_dtype type = sb_public_dtype(k->compute);
    sb_tri_solve s = solve_of(k);

    if (s.cols == 0 || k->descr->tri->rows == 0)
        return SB_OK;
    if (k->descr->native) {
        SB_TRY(on_device(k, array, name, 2, diag));
        return sb_native_tri_solve(k->descr->native, &n, &s,
                                   sb_place_native_scalar(k->handle, k->alpha, type));
    }
    SB_TRY(sb_place_on_host(k->handle, array, SB_COUNT(array), diag));
    s.alpha = sb_value_load(type, k->alpha, 0);
    sb_backend_get()->tri->solve(k->descr->tri, &s);
    return SB_OK;
}

static sb_status
update(const sb_tri_call *k, sb_diag *diag)
{
    const sb_native n = {k->handle->device, k->handle->stream, diag, false};
    static const char *const name[] = {"newValues"};

    if (k->descr->native) {
        SB_TRY(on_device(k, &k->values, name, 1, diag));
        return sb_native_tri_update(k->descr->native, &n, k->values, k->part == 1);
    }
    SB_TRY(sb_place_on_host(k->handle, &k->values, 1, diag));
    sb_backend_get()->tri->update(k->descr->tri, k->values, k->part == 1);
    return SB_OK;
}

spblasStatus_t
sb_tri_run(const sb_tri_call *k)
{
    sb_diag diag = {0};
    sb_status st = sb_tri_check(k, &diag);

    if (st == SB_OK)
        switch (k->want) {
        case SB_TRI_SIZE:
            *k->size = 0;
            break;
        case SB_TRI_ANALYSIS:
            st = analyse(k, &diag);
            break;
        case SB_TRI_SOLVE:
            st = solve(k, &diag);
            break;
        case SB_TRI_UPDATE:
            st = update(k, &diag);
            break;
        }
    return sb_api_end(k->handle, k->function, st, &diag);
}
