/*
 * Dense to sparse and back. One record of a call's arguments, one table of rules; what is
 * wanted is one of four things.
 */
#include "api/error.h"
#include "api/place.h"
#include "api/rule.h"
#include "api/spmat.h"
#include "api/types.h"
#include "api/view.h"
#include "base/macro.h"
#include "formats/check.h"
#include "formats/dense.h"
#include "native/native.h"

typedef enum want { WANT_SIZE, WANT_DENSE, WANT_STRUCTURE, WANT_SPARSE } want;

enum { HANDLE, SPARSE, DENSE, ALG, SIZE, ROLES };

static const char *const to_dense_names[ROLES] = {"handle", "matA", "matB", "alg",
                                                  "bufferSize"};
static const char *const to_sparse_names[ROLES] = {"handle", "matB", "matA", "alg",
                                                   "bufferSize"};

typedef struct request {
    const char *function;
    bool to_sparse;
    want want;
    spblasHandle_t handle;
    spblasConstSpMatDescr_t sparse;
    spblasConstDnMatDescr_t dense;
    int alg;
    size_t *size;
    void *buffer;
} request;

/* ---- Rules -------------------------------------------------------------------------- */

static bool
no_handle(const void *r)
{
    return !sb_is_handle(((const request *)r)->handle);
}

static bool
no_sparse(const void *r)
{
    return !sb_is_spmat(((const request *)r)->sparse);
}

static bool
no_dense(const void *r)
{
    return !sb_is_dnmat(((const request *)r)->dense);
}

static bool
unknown_alg(const void *r)
{
    return ((const request *)r)->alg != 0;
}

static bool
no_size(const void *p)
{
    const request *r = p;

    return r->want == WANT_SIZE && !r->size;
}

static bool
misfit(const void *p)
{
    const request *r = p;
    const sb_matrix a = sb_view_sparse(r->sparse);

    return r->dense->rows != a.rows || r->dense->cols != a.cols;
}

static bool
unlisted_format(const void *p)
{
    const request *r = p;
    const spblasFormat_t format = r->sparse->format;

    return r->to_sparse && format != SPBLAS_FORMAT_CSR && format != SPBLAS_FORMAT_CSC &&
           format != SPBLAS_FORMAT_COO && format != SPBLAS_FORMAT_BLOCKED_ELL;
}

static bool
owns_arrays(const void *p)
{
    const request *r = p;

    return r->to_sparse && r->sparse->made;
}

static bool
short_index(const void *r)
{
    const sb_matrix a = sb_view_sparse(((const request *)r)->sparse);

    return a.ptr_type == SB_DTYPE_COUNT || a.idx_type == SB_DTYPE_COUNT;
}

static bool
other_type(const void *p)
{
    const request *r = p;

    return r->dense->type != r->sparse->type;
}

static bool
many_sparse(const void *r)
{
    return ((const request *)r)->sparse->batch > 1;
}

static bool
many_dense(const void *r)
{
    return ((const request *)r)->dense->batch > 1;
}

static bool
lacks_offsets(const void *p)
{
    const request *r = p;

    return r->want == WANT_STRUCTURE && !r->sparse->ptr &&
           (r->sparse->format == SPBLAS_FORMAT_CSR ||
            r->sparse->format == SPBLAS_FORMAT_CSC);
}

static bool
lacks_structure(const void *p)
{
    const request *r = p;
    const sb_matrix a = sb_view_sparse(r->sparse);

    return (r->want == WANT_DENSE || r->want == WANT_SPARSE) &&
           sb_view_lacks_structure(&a);
}

static bool
lacks_values(const void *p)
{
    const request *r = p;
    const sb_matrix a = sb_view_sparse(r->sparse);

    return (r->want == WANT_DENSE || r->want == WANT_SPARSE) &&
           sb_view_lacks_values(&a);
}

static bool
lacks_dense(const void *p)
{
    const request *r = p;

    return r->want != WANT_SIZE && r->dense->rows > 0 && r->dense->cols > 0 &&
           !r->dense->values;
}

static const sb_rule rules[] = {
    {HANDLE, no_handle, SB_EINVAL, "must be a live handle"},
    {SPARSE, no_sparse, SB_EINVAL, "must be a live sparse matrix"},
    {DENSE, no_dense, SB_EINVAL, "must be a live dense matrix"},
    {ALG, unknown_alg, SB_EINVAL, "is not an algorithm of this routine"},
    {SIZE, no_size, SB_EINVAL, "must not be NULL"},
    {DENSE, misfit, SB_EINVAL, "has another shape than the sparse matrix"},
    {SPARSE, unlisted_format, SB_ENOTSUP, "must be CSR, CSC, COO or Blocked-ELL"},
    {SPARSE, owns_arrays, SB_ENOTSUP, "was made by spblasConvert and owns its arrays"},
    {SPARSE, short_index, SB_ENOTSUP,
     "has 16-bit indices, which nothing computes with"},
    {DENSE, other_type, SB_ENOTSUP, "has another value type than the sparse matrix"},
    {SPARSE, many_sparse, SB_ENOTSUP, "has a batch; its members are taken one by one"},
    {DENSE, many_dense, SB_ENOTSUP, "has a batch; its members are taken one by one"},
    {SPARSE, lacks_offsets, SB_EINVAL, "has no offsets"},
    {SPARSE, lacks_structure, SB_EINVAL, "has no structure arrays"},
    {SPARSE, lacks_values, SB_EINVAL, "has no values"},
    {DENSE, lacks_dense, SB_EINVAL, "has no values"},
};

/* ---- Ends --------------------------------------------------------------------------- */

static sb_status
to_dense(const request *r, const sb_par *par, sb_diag *diag)
{
    const sb_matrix a = sb_view_sparse(r->sparse);
    const sb_dense b = sb_view_dense(r->dense);

    if (r->sparse->at.validate)
        SB_TRY(sb_matrix_check(&a, diag));
    return sb_dense_from_matrix(&b, &a, par, diag);
}

/* C's number of entries is now that. */
static sb_status
resize(const request *r, int64_t nnz, sb_diag *diag)
{
    sb_spmat draft = *r->sparse;

    draft.nnz = nnz; /* const in the record, not in the function */
    return sb_spmat_change(r->function, (spblasSpMatDescr_t)(uintptr_t)r->sparse,
                           &draft, true) == SPBLAS_STATUS_SUCCESS
               ? SB_OK
               : sb_diag_set(diag, SB_EINVAL, "argument %s has misaligned arrays",
                             to_sparse_names[SPARSE]);
}

static sb_status
run_on_host(const request *r, sb_diag *diag)
{
    const sb_backend *backend = r->handle->backend;
    const sb_par par = {backend->parallel, backend->threads()};
    const sb_matrix s = sb_view_sparse(r->sparse);
    const sb_dense d = sb_view_dense(r->dense);
    int64_t nnz;

    SB_TRY(sb_place_sparse_on_host(r->handle, &s, diag));
    SB_TRY(sb_place_on_host(r->handle, (const void *[]){d.data}, 1, diag));
    if (r->want == WANT_DENSE)
        return to_dense(r, &par, diag);
    if (r->want == WANT_SPARSE && s.format != SB_FORMAT_BELL)
        return sb_dense_to_matrix(&d, &s, &par, diag);
    if (r->want == WANT_SPARSE)
        sb_dense_sample(&d, &s, &par);
    if (r->want != WANT_STRUCTURE || s.format == SB_FORMAT_BELL) /* has its structure */
        return SB_OK;
    SB_TRY(sb_dense_count(&nnz, &d, &s, &par, diag));
    return resize(r, nnz, diag);
}

static sb_status
run_on_device(const request *r, sb_diag *diag)
{
    const sb_native n = {r->handle->device, r->handle->stream, diag, false};
    const sb_matrix s = sb_view_sparse(r->sparse);
    const sb_dense d = sb_view_dense(r->dense);
    const bool blocks = s.format == SB_FORMAT_BELL;
    int64_t nnz;

    if (s.tensor)
        return sb_diag_set(diag, SB_ENOTSUP,
                           "a matrix in a format of the language becomes dense in host "
                           "memory only");
    if (r->want == WANT_DENSE && r->sparse->at.validate)
        SB_TRY(sb_place_check(r->handle, &s, diag));
    if (r->want == WANT_DENSE || (r->want == WANT_SPARSE && blocks))
        return sb_native_dense_place(&n, &d, &s, r->want == WANT_SPARSE);
    if (blocks)
        return SB_OK;
    SB_TRY(sb_place_buffer(r->handle, r->buffer, "externalBuffer", diag));
    if (r->want == WANT_SPARSE)
        return sb_native_dense_fill(&n, &d, &s, r->buffer);
    SB_TRY(sb_native_dense_count(&n, &nnz, &d, &s, r->buffer));
    return resize(r, nnz, diag);
}

static sb_status
proceed(const request *r, sb_diag *diag)
{
    const sb_matrix s = sb_view_sparse(r->sparse);
    const sb_dense d = sb_view_dense(r->dense);
    bool device;

    if (r->want == WANT_SIZE) { /* wherever the arrays come to lie */
        *r->size =
            r->handle->device && r->to_sparse ? sb_native_dense_bytes(&d, &s) : 0;
        return SB_OK;
    }
    SB_TRY(sb_place_sparse_on_device(&device, r->handle, &s, d.data, diag));
    return device ? run_on_device(r, diag) : run_on_host(r, diag);
}

static spblasStatus_t
run(const request *r)
{
    sb_diag diag = {0};
    sb_status st =
        sb_rules_check(rules, SB_COUNT(rules),
                       r->to_sparse ? to_sparse_names : to_dense_names, r, &diag);

    if (st == SB_OK)
        st = proceed(r, &diag);
    return sb_api_end(r->handle, r->function, st, &diag);
}

spblasStatus_t
spblasSparseToDense_bufferSize(spblasHandle_t handle, spblasConstSpMatDescr_t matA,
                               spblasDnMatDescr_t matB, spblasSparseToDenseAlg_t alg,
                               size_t *bufferSize)
{
    return run(&(request){__func__, false, WANT_SIZE, handle, matA, matB, (int)alg,
                          bufferSize, NULL});
}

spblasStatus_t
spblasSparseToDense(spblasHandle_t handle, spblasConstSpMatDescr_t matA,
                    spblasDnMatDescr_t matB, spblasSparseToDenseAlg_t alg,
                    void *externalBuffer)
{
    return run(&(request){__func__, false, WANT_DENSE, handle, matA, matB, (int)alg,
                          NULL, externalBuffer});
}

spblasStatus_t
spblasDenseToSparse_bufferSize(spblasHandle_t handle, spblasConstDnMatDescr_t matA,
                               spblasSpMatDescr_t matB, spblasDenseToSparseAlg_t alg,
                               size_t *bufferSize)
{
    return run(&(request){__func__, true, WANT_SIZE, handle, matB, matA, (int)alg,
                          bufferSize, NULL});
}

spblasStatus_t
spblasDenseToSparse_analysis(spblasHandle_t handle, spblasConstDnMatDescr_t matA,
                             spblasSpMatDescr_t matB, spblasDenseToSparseAlg_t alg,
                             void *externalBuffer)
{
    return run(&(request){__func__, true, WANT_STRUCTURE, handle, matB, matA, (int)alg,
                          NULL, externalBuffer});
}

spblasStatus_t
spblasDenseToSparse_convert(spblasHandle_t handle, spblasConstDnMatDescr_t matA,
                            spblasSpMatDescr_t matB, spblasDenseToSparseAlg_t alg,
                            void *externalBuffer)
{
    return run(&(request){__func__, true, WANT_SPARSE, handle, matB, matA, (int)alg,
                          NULL, externalBuffer});
}
