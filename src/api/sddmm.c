/*
 * SDDMM: C = alpha * (op(A) * op(B)) o spy(C) + beta * C.
 */
#include "api/product.h"

static const char *const names[SB_PRODUCT_ROLES] = {[SB_ROLE_HANDLE] = "handle",
                                                    [SB_ROLE_OP_A] = "opA",
                                                    [SB_ROLE_OP_B] = "opB",
                                                    [SB_ROLE_ALPHA] = "alpha",
                                                    [SB_ROLE_SPARSE] = "matC",
                                                    [SB_ROLE_X] = "matA",
                                                    [SB_ROLE_BETA] = "beta",
                                                    [SB_ROLE_Y] = "matB",
                                                    [SB_ROLE_COMPUTE] = "computeType",
                                                    [SB_ROLE_ALG] = "alg",
                                                    [SB_ROLE_SIZE] = "bufferSize"};

static unsigned
formats_of(spblasSDDMMAlg_t alg)
{
    return alg == SPBLAS_SDDMM_ALG_DEFAULT ? SB_ANY_FORMAT : 0;
}

static spblasStatus_t
run(const char *function, sb_product_want want, spblasHandle_t handle,
    spblasOperation_t opA, spblasOperation_t opB, const void *alpha,
    spblasConstDnMatDescr_t matA, spblasConstDnMatDescr_t matB, const void *beta,
    spblasSpMatDescr_t matC, spblasDataType_t computeType, spblasSDDMMAlg_t alg,
    size_t *size)
{
    const sb_product p = {.function = function,
                          .op = SB_OP_SDDMM,
                          .want = want,
                          .handle = handle,
                          .op_a = opA,
                          .op_b = opB,
                          .alpha = alpha,
                          .beta = beta,
                          .sparse = matC,
                          .mat_x = matA,
                          .mat_y = matB,
                          .compute = computeType,
                          .alg_formats = formats_of(alg),
                          .size = size};

    return sb_product_run(&p, names);
}

spblasStatus_t
spblasSDDMM_bufferSize(spblasHandle_t handle, spblasOperation_t opA,
                       spblasOperation_t opB, const void *alpha,
                       spblasConstDnMatDescr_t matA, spblasConstDnMatDescr_t matB,
                       const void *beta, spblasSpMatDescr_t matC,
                       spblasDataType_t computeType, spblasSDDMMAlg_t alg,
                       size_t *bufferSize)
{
    return run(__func__, SB_WANT_SIZE, handle, opA, opB, alpha, matA, matB, beta, matC,
               computeType, alg, bufferSize);
}

spblasStatus_t
spblasSDDMM_analysis(spblasHandle_t handle, spblasOperation_t opA,
                     spblasOperation_t opB, const void *alpha,
                     spblasConstDnMatDescr_t matA, spblasConstDnMatDescr_t matB,
                     const void *beta, spblasSpMatDescr_t matC,
                     spblasDataType_t computeType, spblasSDDMMAlg_t alg,
                     void *externalBuffer)
{
    (void)externalBuffer;
    return run(__func__, SB_WANT_PLAN, handle, opA, opB, alpha, matA, matB, beta, matC,
               computeType, alg, NULL);
}

spblasStatus_t
spblasSDDMM_preprocess(spblasHandle_t handle, spblasOperation_t opA,
                       spblasOperation_t opB, const void *alpha,
                       spblasConstDnMatDescr_t matA, spblasConstDnMatDescr_t matB,
                       const void *beta, spblasSpMatDescr_t matC,
                       spblasDataType_t computeType, spblasSDDMMAlg_t alg,
                       void *externalBuffer)
{
    (void)externalBuffer;
    return run(__func__, SB_WANT_PLAN, handle, opA, opB, alpha, matA, matB, beta, matC,
               computeType, alg, NULL);
}

spblasStatus_t
spblasSDDMM(spblasHandle_t handle, spblasOperation_t opA, spblasOperation_t opB,
            const void *alpha, spblasConstDnMatDescr_t matA,
            spblasConstDnMatDescr_t matB, const void *beta, spblasSpMatDescr_t matC,
            spblasDataType_t computeType, spblasSDDMMAlg_t alg, void *externalBuffer)
{
    (void)externalBuffer;
    return run(__func__, SB_WANT_RESULT, handle, opA, opB, alpha, matA, matB, beta,
               matC, computeType, alg, NULL);
}
