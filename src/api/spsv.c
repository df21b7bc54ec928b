/*
 * SpSV: op(A) * y = alpha * x, A a triangle.
 */
#include "api/error.h"
#include "api/tri_call.h"

spblasStatus_t
spblasSpSV_createDescr(spblasSpSVDescr_t *descr)
{
    sb_tri_descr *made;
    spblasStatus_t st;

    if (!descr)
        return sb_api_fail(__func__, SB_EINVAL, "argument descr must not be NULL");
    st = sb_tri_descr_create(__func__, &made, SB_TAG_SPSV);
    *descr = (spblasSpSVDescr_t)(void *)made;
    return st;
}

spblasStatus_t
spblasSpSV_destroyDescr(spblasSpSVDescr_t descr)
{
    return sb_tri_descr_destroy(__func__, (sb_tri_descr *)(void *)descr, SB_TAG_SPSV);
}

static spblasStatus_t
run(const char *function, sb_tri_want want, spblasHandle_t handle,
    spblasOperation_t opA, const void *alpha, spblasConstSpMatDescr_t matA,
    spblasConstDnVecDescr_t vecX, spblasDnVecDescr_t vecY, spblasDataType_t computeType,
    spblasSpSVAlg_t alg, spblasSpSVDescr_t spsvDescr, size_t *size)
{
    return sb_tri_run(&(sb_tri_call){.function = function,
                                     .tag = SB_TAG_SPSV,
                                     .want = want,
                                     .handle = handle,
                                     .op_a = opA,
                                     .alpha = alpha,
                                     .a = matA,
                                     .x = vecX,
                                     .y = vecY,
                                     .compute = computeType,
                                     .alg = (int)alg,
                                     .descr = (sb_tri_descr *)(void *)spsvDescr,
                                     .size = size});
}

spblasStatus_t
spblasSpSV_bufferSize(spblasHandle_t handle, spblasOperation_t opA, const void *alpha,
                      spblasConstSpMatDescr_t matA, spblasConstDnVecDescr_t vecX,
                      spblasDnVecDescr_t vecY, spblasDataType_t computeType,
                      spblasSpSVAlg_t alg, spblasSpSVDescr_t spsvDescr,
                      size_t *bufferSize)
{
    return run(__func__, SB_TRI_SIZE, handle, opA, alpha, matA, vecX, vecY, computeType,
               alg, spsvDescr, bufferSize);
}

spblasStatus_t
spblasSpSV_analysis(spblasHandle_t handle, spblasOperation_t opA, const void *alpha,
                    spblasConstSpMatDescr_t matA, spblasConstDnVecDescr_t vecX,
                    spblasDnVecDescr_t vecY, spblasDataType_t computeType,
                    spblasSpSVAlg_t alg, spblasSpSVDescr_t spsvDescr,
                    void *externalBuffer)
{
    (void)externalBuffer;
    return run(__func__, SB_TRI_ANALYSIS, handle, opA, alpha, matA, vecX, vecY,
               computeType, alg, spsvDescr, NULL);
}

spblasStatus_t
spblasSpSV_solve(spblasHandle_t handle, spblasOperation_t opA, const void *alpha,
                 spblasConstSpMatDescr_t matA, spblasConstDnVecDescr_t vecX,
                 spblasDnVecDescr_t vecY, spblasDataType_t computeType,
                 spblasSpSVAlg_t alg, spblasSpSVDescr_t spsvDescr)
{
    return run(__func__, SB_TRI_SOLVE, handle, opA, alpha, matA, vecX, vecY,
               computeType, alg, spsvDescr, NULL);
}

spblasStatus_t
spblasSpSV_updateMatrix(spblasHandle_t handle, spblasSpSVDescr_t spsvDescr,
                        void *newValues, spblasSpSVUpdate_t updatePart)
{
    return sb_tri_run(&(sb_tri_call){.function = __func__,
                                     .tag = SB_TAG_SPSV,
                                     .want = SB_TRI_UPDATE,
                                     .handle = handle,
                                     .descr = (sb_tri_descr *)(void *)spsvDescr,
                                     .values = newValues,
                                     .part = (int)updatePart});
}
