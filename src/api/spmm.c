/*
 * SpMM: C = alpha * op(A) * op(B) + beta * C.
 */
#include "api/product.h"

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
                                                    [SB_ROLE_SIZE] = "bufferSize"};

static unsigned
formats_of(spblasSpMMAlg_t alg)
{
    switch (alg) {
    case SPBLAS_SPMM_ALG_DEFAULT:
        return SB_ANY_FORMAT;
    case SPBLAS_SPMM_COO_ALG1:
    case SPBLAS_SPMM_COO_ALG2:
    case SPBLAS_SPMM_COO_ALG3:
    case SPBLAS_SPMM_COO_ALG4:
        return 1u << SPBLAS_FORMAT_COO;
    case SPBLAS_SPMM_CSR_ALG1:
    case SPBLAS_SPMM_CSR_ALG2:
    case SPBLAS_SPMM_CSR_ALG3:
        return 1u << SPBLAS_FORMAT_CSR | 1u << SPBLAS_FORMAT_CSC;
    case SPBLAS_SPMM_BLOCKED_ELL_ALG1:
        return 1u << SPBLAS_FORMAT_BLOCKED_ELL;
    case SPBLAS_SPMM_BSR_ALG1:
        return 1u << SPBLAS_FORMAT_BSR;
    }
    return 0;
}

static spblasStatus_t
run(const char *function, sb_product_want want, spblasHandle_t handle,
    spblasOperation_t opA, spblasOperation_t opB, const void *alpha,
    spblasConstSpMatDescr_t matA, spblasConstDnMatDescr_t matB, const void *beta,
    spblasDnMatDescr_t matC, spblasDataType_t computeType, spblasSpMMAlg_t alg,
    size_t *size, void *buffer)
{
    const sb_product p = {.function = function,
                          .op = SB_OP_SPMM,
                          .want = want,
                          .handle = handle,
                          .op_a = opA,
                          .op_b = opB,
                          .alpha = alpha,
                          .beta = beta,
                          .sparse = matA,
                          .mat_x = matB,
                          .mat_y = matC,
                          .compute = computeType,
                          .alg_formats = formats_of(alg),
                          .size = size,
                          .buffer = buffer};

    return sb_product_run(&p, names);
}

spblasStatus_t
spblasSpMM_bufferSize(spblasHandle_t handle, spblasOperation_t opA,
                      spblasOperation_t opB, const void *alpha,
                      spblasConstSpMatDescr_t matA, spblasConstDnMatDescr_t matB,
                      const void *beta, spblasDnMatDescr_t matC,
                      spblasDataType_t computeType, spblasSpMMAlg_t alg,
                      size_t *bufferSize)
{
    return run(__func__, SB_WANT_SIZE, handle, opA, opB, alpha, matA, matB, beta, matC,
               computeType, alg, bufferSize, NULL);
}

spblasStatus_t
spblasSpMM_analysis(spblasHandle_t handle, spblasOperation_t opA, spblasOperation_t opB,
                    const void *alpha, spblasConstSpMatDescr_t matA,
                    spblasConstDnMatDescr_t matB, const void *beta,
                    spblasDnMatDescr_t matC, spblasDataType_t computeType,
                    spblasSpMMAlg_t alg, void *externalBuffer)
{
    (void)externalBuffer;
    return run(__func__, SB_WANT_PLAN, handle, opA, opB, alpha, matA, matB, beta, matC,
               computeType, alg, NULL, NULL);
}

spblasStatus_t
spblasSpMM_preprocess(spblasHandle_t handle, spblasOperation_t opA,
                      spblasOperation_t opB, const void *alpha,
                      spblasConstSpMatDescr_t matA, spblasConstDnMatDescr_t matB,
                      const void *beta, spblasDnMatDescr_t matC,
                      spblasDataType_t computeType, spblasSpMMAlg_t alg,
                      void *externalBuffer)
{
    (void)externalBuffer;
    return run(__func__, SB_WANT_PLAN, handle, opA, opB, alpha, matA, matB, beta, matC,
               computeType, alg, NULL, NULL);
}

spblasStatus_t
spblasSpMM(spblasHandle_t handle, spblasOperation_t opA, spblasOperation_t opB,
           const void *alpha, spblasConstSpMatDescr_t matA,
           spblasConstDnMatDescr_t matB, const void *beta, spblasDnMatDescr_t matC,
           spblasDataType_t computeType, spblasSpMMAlg_t alg, void *externalBuffer)
{
    return run(__func__, SB_WANT_RESULT, handle, opA, opB, alpha, matA, matB, beta,
               matC, computeType, alg, NULL, externalBuffer);
}
