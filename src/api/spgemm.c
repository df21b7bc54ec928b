/*
 * SpGEMM and SpGEMMreuse: C = alpha * A * B + beta * C, all three sparse.
 */
#include "api/error.h"
#include "api/spgemm_call.h"
#include "base/alloc.h"

spblasStatus_t
spblasSpGEMM_createDescr(spblasSpGEMMDescr_t *descr)
{
    if (!descr)
        return sb_api_fail(__func__, SB_EINVAL, "argument descr must not be NULL");
    *descr = sb_alloc_zero(sizeof **descr);
    if (!*descr)
        return sb_api_end(NULL, __func__, SB_ENOMEM, NULL);
    (*descr)->tag = SB_TAG_SPGEMM;
    return SPBLAS_STATUS_SUCCESS;
}

spblasStatus_t
spblasSpGEMM_destroyDescr(spblasSpGEMMDescr_t descr)
{
    if (!descr)
        return SPBLAS_STATUS_SUCCESS;
    if (descr->tag != SB_TAG_SPGEMM)
        return sb_api_fail(__func__, SB_EINVAL,
                           "argument descr must be a live SpGEMM descriptor");
    descr->tag = 0;
    sb_free(descr);
    return SPBLAS_STATUS_SUCCESS;
}

spblasStatus_t
spblasSpGEMM_getNumProducts(spblasSpGEMMDescr_t spgemmDescr, int64_t *num_prods)
{
    if (!spgemmDescr || spgemmDescr->tag != SB_TAG_SPGEMM)
        return sb_api_fail(__func__, SB_EINVAL,
                           "argument spgemmDescr must be a live SpGEMM descriptor");
    if (!num_prods)
        return sb_api_fail(__func__, SB_EINVAL, "argument num_prods must not be NULL");
    *num_prods = spgemmDescr->products;
    return SPBLAS_STATUS_SUCCESS;
}

/* ---- SpGEMM ------------------------------------------------------------------------- */

spblasStatus_t
spblasSpGEMM_workEstimation(spblasHandle_t handle, spblasOperation_t opA,
                            spblasOperation_t opB, const void *alpha,
                            spblasConstSpMatDescr_t matA, spblasConstSpMatDescr_t matB,
                            const void *beta, spblasSpMatDescr_t matC,
                            spblasDataType_t computeType, spblasSpGEMMAlg_t alg,
                            spblasSpGEMMDescr_t spgemmDescr, size_t *bufferSize1,
                            void *externalBuffer1)
{
    return sb_spgemm_run(&(sb_spgemm_call){.function = __func__,
                                           .step = SB_SPGEMM_WORK,
                                           .handle = handle,
                                           .op_a = opA,
                                           .op_b = opB,
                                           .alpha = alpha,
                                           .beta = beta,
                                           .compute = computeType,
                                           .a = matA,
                                           .b = matB,
                                           .c = matC,
                                           .alg = alg,
                                           .descr = spgemmDescr,
                                           .lent = {{bufferSize1, externalBuffer1}}});
}

spblasStatus_t
spblasSpGEMM_estimateMemory(spblasHandle_t handle, spblasOperation_t opA,
                            spblasOperation_t opB, const void *alpha,
                            spblasConstSpMatDescr_t matA, spblasConstSpMatDescr_t matB,
                            const void *beta, spblasSpMatDescr_t matC,
                            spblasDataType_t computeType, spblasSpGEMMAlg_t alg,
                            spblasSpGEMMDescr_t spgemmDescr, float chunk_fraction,
                            size_t *bufferSize3, void *externalBuffer3,
                            size_t *bufferSize2)
{
    return sb_spgemm_run(&(sb_spgemm_call){.function = __func__,
                                           .step = SB_SPGEMM_MEMORY,
                                           .handle = handle,
                                           .op_a = opA,
                                           .op_b = opB,
                                           .alpha = alpha,
                                           .beta = beta,
                                           .compute = computeType,
                                           .a = matA,
                                           .b = matB,
                                           .c = matC,
                                           .alg = alg,
                                           .descr = spgemmDescr,
                                           .fraction = chunk_fraction,
                                           .estimate = bufferSize2,
                                           .lent = {{bufferSize3, externalBuffer3}}});
}

spblasStatus_t
spblasSpGEMM_compute(spblasHandle_t handle, spblasOperation_t opA,
                     spblasOperation_t opB, const void *alpha,
                     spblasConstSpMatDescr_t matA, spblasConstSpMatDescr_t matB,
                     const void *beta, spblasSpMatDescr_t matC,
                     spblasDataType_t computeType, spblasSpGEMMAlg_t alg,
                     spblasSpGEMMDescr_t spgemmDescr, size_t *bufferSize2,
                     void *externalBuffer2)
{
    return sb_spgemm_run(&(sb_spgemm_call){.function = __func__,
                                           .step = SB_SPGEMM_COUNT,
                                           .handle = handle,
                                           .op_a = opA,
                                           .op_b = opB,
                                           .alpha = alpha,
                                           .beta = beta,
                                           .compute = computeType,
                                           .a = matA,
                                           .b = matB,
                                           .c = matC,
                                           .alg = alg,
                                           .descr = spgemmDescr,
                                           .lent = {{bufferSize2, externalBuffer2}}});
}

spblasStatus_t
spblasSpGEMM_copy(spblasHandle_t handle, spblasOperation_t opA, spblasOperation_t opB,
                  const void *alpha, spblasConstSpMatDescr_t matA,
                  spblasConstSpMatDescr_t matB, const void *beta,
                  spblasSpMatDescr_t matC, spblasDataType_t computeType,
                  spblasSpGEMMAlg_t alg, spblasSpGEMMDescr_t spgemmDescr)
{
    return sb_spgemm_run(&(sb_spgemm_call){.function = __func__,
                                           .step = SB_SPGEMM_COPY,
                                           .handle = handle,
                                           .op_a = opA,
                                           .op_b = opB,
                                           .alpha = alpha,
                                           .beta = beta,
                                           .compute = computeType,
                                           .a = matA,
                                           .b = matB,
                                           .c = matC,
                                           .alg = alg,
                                           .descr = spgemmDescr});
}

/* ---- SpGEMMreuse -------------------------------------------------------------------- */

spblasStatus_t
spblasSpGEMMreuse_workEstimation(spblasHandle_t handle, spblasOperation_t opA,
                                 spblasOperation_t opB, spblasConstSpMatDescr_t matA,
                                 spblasConstSpMatDescr_t matB, spblasSpMatDescr_t matC,
                                 spblasSpGEMMAlg_t alg, spblasSpGEMMDescr_t spgemmDescr,
                                 size_t *bufferSize1, void *externalBuffer1)
{
    return sb_spgemm_run(&(sb_spgemm_call){.function = __func__,
                                           .step = SB_SPGEMM_REUSE_WORK,
                                           .handle = handle,
                                           .op_a = opA,
                                           .op_b = opB,
                                           .a = matA,
                                           .b = matB,
                                           .c = matC,
                                           .alg = alg,
                                           .descr = spgemmDescr,
                                           .lent = {{bufferSize1, externalBuffer1}}});
}

spblasStatus_t
spblasSpGEMMreuse_nnz(spblasHandle_t handle, spblasOperation_t opA,
                      spblasOperation_t opB, spblasConstSpMatDescr_t matA,
                      spblasConstSpMatDescr_t matB, spblasSpMatDescr_t matC,
                      spblasSpGEMMAlg_t alg, spblasSpGEMMDescr_t spgemmDescr,
                      size_t *bufferSize2, void *externalBuffer2, size_t *bufferSize3,
                      void *externalBuffer3, size_t *bufferSize4, void *externalBuffer4)
{
    return sb_spgemm_run(&(sb_spgemm_call){.function = __func__,
                                           .step = SB_SPGEMM_REUSE_COUNT,
                                           .handle = handle,
                                           .op_a = opA,
                                           .op_b = opB,
                                           .a = matA,
                                           .b = matB,
                                           .c = matC,
                                           .alg = alg,
                                           .descr = spgemmDescr,
                                           .lent = {{bufferSize2, externalBuffer2},
                                                    {bufferSize3, externalBuffer3},
                                                    {bufferSize4, externalBuffer4}}});
}

spblasStatus_t
spblasSpGEMMreuse_copy(spblasHandle_t handle, spblasOperation_t opA,
                       spblasOperation_t opB, spblasConstSpMatDescr_t matA,
                       spblasConstSpMatDescr_t matB, spblasSpMatDescr_t matC,
                       spblasSpGEMMAlg_t alg, spblasSpGEMMDescr_t spgemmDescr,
                       size_t *bufferSize5, void *externalBuffer5)
{
    return sb_spgemm_run(&(sb_spgemm_call){.function = __func__,
                                           .step = SB_SPGEMM_REUSE_COPY,
                                           .handle = handle,
                                           .op_a = opA,
                                           .op_b = opB,
                                           .a = matA,
                                           .b = matB,
                                           .c = matC,
                                           .alg = alg,
                                           .descr = spgemmDescr,
                                           .lent = {{bufferSize5, externalBuffer5}}});
}

spblasStatus_t
spblasSpGEMMreuse_compute(spblasHandle_t handle, spblasOperation_t opA,
                          spblasOperation_t opB, const void *alpha,
                          spblasConstSpMatDescr_t matA, spblasConstSpMatDescr_t matB,
                          const void *beta, spblasSpMatDescr_t matC,
                          spblasDataType_t computeType, spblasSpGEMMAlg_t alg,
                          spblasSpGEMMDescr_t spgemmDescr)
{
    return sb_spgemm_run(&(sb_spgemm_call){.function = __func__,
                                           .step = SB_SPGEMM_REUSE_VALUES,
                                           .handle = handle,
                                           .op_a = opA,
                                           .op_b = opB,
                                           .alpha = alpha,
                                           .beta = beta,
                                           .compute = computeType,
                                           .a = matA,
                                           .b = matB,
                                           .c = matC,
                                           .alg = alg,
                                           .descr = spgemmDescr});
}
