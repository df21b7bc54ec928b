/*
 * Csrgeam2: the sum of two sparse matrices.
 */
#include "api/error.h"
#include "api/legacy.h"
#include "api/place.h"
#include "api/types.h"

spblasStatus_t
spblasXcsrgeam2_bufferSizeExt(spblasHandle_t handle, spblasDataType_t type, int m,
                              int n, const void *alpha, const spblasMatDescr_t *descrA,
                              int nnzA, const void *csrValA, const int *csrRowPtrA,
                              const int *csrColIndA, const void *beta,
                              const spblasMatDescr_t *descrB, int nnzB,
                              const void *csrValB, const int *csrRowPtrB,
                              const int *csrColIndB, const spblasMatDescr_t *descrC,
                              const void *csrValC, const int *csrRowPtrC,
                              const int *csrColIndC, size_t *bufferSize)
{
    const spblasStatus_t st = SB_LEGACY_CHECK(
        SB_ARG_HANDLE, SB_ARG_TYPE, SB_ARG_COUNT(m), SB_ARG_COUNT(n),
        SB_ARG_DESCR(descrA), SB_ARG_COUNT(nnzA), SB_ARG_DESCR(descrB),
        SB_ARG_COUNT(nnzB), SB_ARG_DESCR(descrC), SB_ARG_THERE(bufferSize));

    (void)alpha, (void)csrValA, (void)csrRowPtrA, (void)csrColIndA;
    (void)beta, (void)csrValB, (void)csrRowPtrB, (void)csrColIndB;
    (void)csrValC, (void)csrRowPtrC, (void)csrColIndC;
    if (st == SPBLAS_STATUS_SUCCESS)
        *bufferSize = handle->device ? sb_native_geam_bytes(m) : 0;
    return st;
}

spblasStatus_t
spblasXcsrgeam2Nnz(spblasHandle_t handle, int m, int n, const spblasMatDescr_t *descrA,
                   int nnzA, const int *csrRowPtrA, const int *csrColIndA,
                   const spblasMatDescr_t *descrB, int nnzB, const int *csrRowPtrB,
                   const int *csrColIndB, const spblasMatDescr_t *descrC,
                   int *csrRowPtrC, int *nnzTotal, void *buffer)
{
    bool device;
    const spblasStatus_t st = SB_LEGACY_PLACE(
        &device, SB_ARG_HANDLE, SB_ARG_COUNT(m), SB_ARG_COUNT(n), SB_ARG_DESCR(descrA),
        SB_ARG_COUNT(nnzA), SB_ARG_ARRAY(csrRowPtrA, m), SB_ARG_ARRAY(csrColIndA, nnzA),
        SB_ARG_DESCR(descrB), SB_ARG_COUNT(nnzB), SB_ARG_ARRAY(csrRowPtrB, m),
        SB_ARG_ARRAY(csrColIndB, nnzB), SB_ARG_DESCR(descrC), SB_ARG_THERE(csrRowPtrC),
        SB_ARG_SCALAR(nnzTotal));
    sb_diag diag = {0};
    sb_geam g;
    int64_t nnz = 0;
    sb_status done = SB_OK;

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    g = (sb_geam){
        .a = sb_legacy_csr(SB_F32, m, n, nnzA, descrA, NULL, csrRowPtrA, csrColIndA),
        .b = sb_legacy_csr(SB_F32, m, n, nnzB, descrB, NULL, csrRowPtrB, csrColIndB),
        .c = sb_legacy_csr(SB_F32, m, n, 0, descrC, NULL, csrRowPtrC, NULL)};
    if (device) {
        const sb_native on = {handle->device, handle->stream, &diag, false};

        done = sb_place_buffer(handle, buffer, "buffer", &diag);
        if (done == SB_OK)
            done = sb_native_geam_count(&on, &g, buffer, &nnz);
    } else
        done = sb_backend_get()->geam->count(&g, &nnz);
    if (done == SB_OK)
        done = sb_legacy_give(handle, nnzTotal, nnz, &diag);
    return sb_api_end(handle, __func__, done, &diag);
}

spblasStatus_t
spblasXcsrgeam2(spblasHandle_t handle, spblasDataType_t type, int m, int n,
                const void *alpha, const spblasMatDescr_t *descrA, int nnzA,
                const void *csrValA, const int *csrRowPtrA, const int *csrColIndA,
                const void *beta, const spblasMatDescr_t *descrB, int nnzB,
                const void *csrValB, const int *csrRowPtrB, const int *csrColIndB,
                const spblasMatDescr_t *descrC, void *csrValC, const int *csrRowPtrC,
                int *csrColIndC, void *buffer)
{
    const int64_t nnz = (int64_t)nnzA + nnzB;
    bool device;
    const spblasStatus_t st = SB_LEGACY_PLACE(
        &device, SB_ARG_HANDLE, SB_ARG_TYPE, SB_ARG_COUNT(m), SB_ARG_COUNT(n),
        SB_ARG_SCALAR(alpha), SB_ARG_DESCR(descrA), SB_ARG_COUNT(nnzA),
        SB_ARG_ARRAY(csrValA, nnzA), SB_ARG_ARRAY(csrRowPtrA, m),
        SB_ARG_ARRAY(csrColIndA, nnzA), SB_ARG_SCALAR(beta), SB_ARG_DESCR(descrB),
        SB_ARG_COUNT(nnzB), SB_ARG_ARRAY(csrValB, nnzB), SB_ARG_ARRAY(csrRowPtrB, m),
        SB_ARG_ARRAY(csrColIndB, nnzB), SB_ARG_DESCR(descrC),
        SB_ARG_ARRAY(csrValC, nnz), SB_ARG_ARRAY(csrRowPtrC, m),
        SB_ARG_ARRAY(csrColIndC, nnz));
    const sb_dtype t = sb_public_dtype(type);
    sb_diag diag = {0};
    sb_geam g;

    (void)buffer;
    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    g = (sb_geam){
        .a = sb_legacy_csr(t, m, n, nnzA, descrA, csrValA, csrRowPtrA, csrColIndA),
        .b = sb_legacy_csr(t, m, n, nnzB, descrB, csrValB, csrRowPtrB, csrColIndB),
        .c = sb_legacy_csr(t, m, n, 0, descrC, csrValC, csrRowPtrC, csrColIndC)};
    if (device) {
        const sb_native on = {handle->device, handle->stream, &diag, false};

        return sb_api_end(handle, __func__,
                          sb_native_geam_fill(&on, &g,
                                              sb_legacy_native_scalar(handle, t, alpha),
                                              sb_legacy_native_scalar(handle, t, beta)),
                          &diag);
    }
    g.alpha = sb_legacy_scalar(t, alpha);
    g.beta = sb_legacy_scalar(t, beta);
    sb_backend_get()->geam->fill(&g);
    return SPBLAS_STATUS_SUCCESS;
}
