/*
 * SpSM: op(A) * C = alpha * op(B), A a triangle.
 */
#include "api/error.h"
#include "api/tri_call.h"

spblasStatus_t
spblasSpSM_createDescr(spblasSpSMDescr_t *descr)
{
    sb_tri_descr *made;
    spblasStatus_t st;

    if (!descr)
        return sb_api_fail(__func__, SB_EINVAL, "argument descr must not be NULL");
    st = sb_tri_descr_create(__func__, &made, SB_TAG_SPSM);
    *descr = (spblasSpSMDescr_t)(void *)made;
    return st;
}

spblasStatus_t
spblasSpSM_destroyDescr(spblasSpSMDescr_t descr)
{
    return sb_tri_descr_destroy(__func__, (sb_tri_descr *)(void *)descr, SB_TAG_SPSM);
}

static spblasStatus_t
run(const char *function, sb_tri_want want, spblasHandle_t handle,
    spblasOperation_t opA, spblasOperation_t opB, const void *alpha,
    spblasConstSpMatDescr_t matA, spblasConstDnMatDescr_t matB, spblasDnMatDescr_t matC,
    spblasDataType_t computeType, spblasSpSMAlg_t alg, spblasSpSMDescr_t spsmDescr,
    size_t *size)
{
    return sb_tri_run(&(sb_tri_call){.function = function,
                                     .tag = SB_TAG_SPSM,
                                     .want = want,
                                     .handle = handle,
                                     .op_a = opA,
                                     .op_b = opB,
                                     .alpha = alpha,
                                     .a = matA,
                                     .b = matB,
                                     .c = matC,
                                     .compute = computeType,
                                     .alg = (int)alg,
                                     .descr = (sb_tri_descr *)(void *)spsmDescr,
                                     .size = size});
}

spblasStatus_t
spblasSpSM_bufferSize(spblasHandle_t handle, spblasOperation_t opA,
                      spblasOperation_t opB, const void *alpha,
                      spblasConstSpMatDescr_t matA, spblasConstDnMatDescr_t matB,
                      spblasDnMatDescr_t matC, spblasDataType_t computeType,
                      spblasSpSMAlg_t alg, spblasSpSMDescr_t spsmDescr,
                      size_t *bufferSize)
{
    return run(__func__, SB_TRI_SIZE, handle, opA, opB, alpha, matA, matB, matC,
               computeType, alg, spsmDescr, bufferSize);
}

spblasStatus_t
spblasSpSM_analysis(spblasHandle_t handle, spblasOperation_t opA, spblasOperation_t opB,
                    const void *alpha, spblasConstSpMatDescr_t matA,
                    spblasConstDnMatDescr_t matB, spblasDnMatDescr_t matC,
                    spblasDataType_t computeType, spblasSpSMAlg_t alg,
                    spblasSpSMDescr_t spsmDescr, void *externalBuffer)
{
    (void)externalBuffer;
    return run(__func__, SB_TRI_ANALYSIS, handle, opA, opB, alpha, matA, matB, matC,
               computeType, alg, spsmDescr, NULL);
}

spblasStatus_t
spblasSpSM_solve(spblasHandle_t handle, spblasOperation_t opA, spblasOperation_t opB,
                 const void *alpha, spblasConstSpMatDescr_t matA,
                 spblasConstDnMatDescr_t matB, spblasDnMatDescr_t matC,
                 spblasDataType_t computeType, spblasSpSMAlg_t alg,
                 spblasSpSMDescr_t spsmDescr)
{
    return run(__func__, SB_TRI_SOLVE, handle, opA, opB, alpha, matA, matB, matC,
               computeType, alg, spsmDescr, NULL);
}

spblasStatus_t
spblasSpSM_updateMatrix(spblasHandle_t handle, spblasSpSMDescr_t spsmDescr,
                        void *newValues, spblasSpSMUpdate_t updatePart)
{
    return sb_tri_run(&(sb_tri_call){.function = __func__,
                                     .tag = SB_TAG_SPSM,
                                     .want = SB_TRI_UPDATE,
                                     .handle = handle,
                                     .descr = (sb_tri_descr *)(void *)spsmDescr,
                                     .values = newValues,
                                     .part = (int)updatePart});
}
