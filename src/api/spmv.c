/*
 * SpMV: y = alpha * op(A) * x + beta * y.
 */
#include "api/product.h"

static const char *const names[SB_PRODUCT_ROLES] = {
    [SB_ROLE_HANDLE] = "handle", [SB_ROLE_OP_A] = "opA",
    [SB_ROLE_ALPHA] = "alpha",   [SB_ROLE_SPARSE] = "matA",
    [SB_ROLE_X] = "vecX",        [SB_ROLE_BETA] = "beta",
    [SB_ROLE_Y] = "vecY",        [SB_ROLE_COMPUTE] = "computeType",
    [SB_ROLE_ALG] = "alg",       [SB_ROLE_SIZE] = "bufferSize"};

static unsigned
formats_of(spblasSpMVAlg_t alg)
{
    switch (alg) {
    case SPBLAS_SPMV_ALG_DEFAULT:
        return SB_ANY_FORMAT;
    case SPBLAS_SPMV_COO_ALG1:
    case SPBLAS_SPMV_COO_ALG2:
        return 1u << SPBLAS_FORMAT_COO;
    case SPBLAS_SPMV_CSR_ALG1:
    case SPBLAS_SPMV_CSR_ALG2:
        return 1u << SPBLAS_FORMAT_CSR | 1u << SPBLAS_FORMAT_CSC;
    case SPBLAS_SPMV_SELL_ALG1:
        return 1u << SPBLAS_FORMAT_SLICED_ELLPACK;
    case SPBLAS_SPMV_BSR_ALG1:
        return 1u << SPBLAS_FORMAT_BSR;
    }
    return 0;
}

static spblasStatus_t
run(const char *function, sb_product_want want, spblasHandle_t handle,
    spblasOperation_t opA, const void *alpha, spblasConstSpMatDescr_t matA,
    spblasConstDnVecDescr_t vecX, const void *beta, spblasDnVecDescr_t vecY,
    spblasDataType_t computeType, spblasSpMVAlg_t alg, size_t *size, void *buffer)
{
    const sb_product p = {.function = function,
                          .op = SB_OP_SPMV,
                          .want = want,
                          .handle = handle,
                          .op_a = opA,
                          .alpha = alpha,
                          .beta = beta,
                          .sparse = matA,
                          .vec_x = vecX,
                          .vec_y = vecY,
                          .compute = computeType,
                          .alg_formats = formats_of(alg),
                          .size = size,
                          .buffer = buffer};

    return sb_product_run(&p, names);
}

spblasStatus_t
spblasSpMV_bufferSize(spblasHandle_t handle, spblasOperation_t opA, const void *alpha,
                      spblasConstSpMatDescr_t matA, spblasConstDnVecDescr_t vecX,
                      const void *beta, spblasDnVecDescr_t vecY,
                      spblasDataType_t computeType, spblasSpMVAlg_t alg,
                      size_t *bufferSize)
{
    return run(__func__, SB_WANT_SIZE, handle, opA, alpha, matA, vecX, beta, vecY,
               computeType, alg, bufferSize, NULL);
}

spblasStatus_t
spblasSpMV_analysis(spblasHandle_t handle, spblasOperation_t opA, const void *alpha,
                    spblasConstSpMatDescr_t matA, spblasConstDnVecDescr_t vecX,
                    const void *beta, spblasDnVecDescr_t vecY,
                    spblasDataType_t computeType, spblasSpMVAlg_t alg,
                    void *externalBuffer)
{
    (void)externalBuffer;
    return run(__func__, SB_WANT_PLAN, handle, opA, alpha, matA, vecX, beta, vecY,
               computeType, alg, NULL, NULL);
}

spblasStatus_t
spblasSpMV_preprocess(spblasHandle_t handle, spblasOperation_t opA, const void *alpha,
                      spblasConstSpMatDescr_t matA, spblasConstDnVecDescr_t vecX,
                      const void *beta, spblasDnVecDescr_t vecY,
                      spblasDataType_t computeType, spblasSpMVAlg_t alg,
                      void *externalBuffer)
{
    (void)externalBuffer;
    return run(__func__, SB_WANT_PLAN, handle, opA, alpha, matA, vecX, beta, vecY,
               computeType, alg, NULL, NULL);
}

spblasStatus_t
spblasSpMV(spblasHandle_t handle, spblasOperation_t opA, const void *alpha,
           spblasConstSpMatDescr_t matA, spblasConstDnVecDescr_t vecX, const void *beta,
           spblasDnVecDescr_t vecY, spblasDataType_t computeType, spblasSpMVAlg_t alg,
           void *externalBuffer)
{
    return run(__func__, SB_WANT_RESULT, handle, opA, alpha, matA, vecX, beta, vecY,
               computeType, alg, NULL, externalBuffer);
}
