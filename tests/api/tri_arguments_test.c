/*
 * SpSV and SpSM against every bad argument: all calls of a routine, one line for each
 * mistake; then what only an analysis, a solve or an update can get wrong.
 */
#include "objects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define SV SPBLAS_SPSV_ALG_DEFAULT
#define SM SPBLAS_SPSM_ALG_DEFAULT
#define SV1 ((spblasSpSVAlg_t)1)
#define SM1 ((spblasSpSMAlg_t)1)
#define PART2 ((spblasSpSVUpdate_t)2)

static int32_t ptr3[4] = {0, 1, 2, 3}, idx3[3] = {0, 1, 2}, far[3] = {0, 1, 3};
static float val3[3] = {1, 1, 1};
static size_t bytes;
static spblasSpMatDescr_t L, L16, LB,
    K;                               /* 3 x 3: CSR, 16-bit indices, batch, in parts */
static spblasDnVecDescr_t v, w, w64; /* 3 elements */
static spblasDnMatDescr_t M, M2;     /* 3 x 2, and in a batch */
static spblasSpSVDescr_t dv, no_sv;
static spblasSpSMDescr_t dm, no_sm;

#define SPSV(expect, named, hh, op, a, xx, yy, ct, alg, d)                   \
    TRY(expect, named,                                                       \
        spblasSpSV_bufferSize(hh, op, &one, a, xx, yy, ct, alg, d, &bytes)); \
    TRY(expect, named,                                                       \
        spblasSpSV_analysis(hh, op, &one, a, xx, yy, ct, alg, d, NULL));     \
    TRY(expect, named, spblasSpSV_solve(hh, op, &one, a, xx, yy, ct, alg, d))
#define SPSM(expect, named, hh, oa, ob, a, b, c, ct, alg, d)                   \
    TRY(expect, named,                                                         \
        spblasSpSM_bufferSize(hh, oa, ob, &one, a, b, c, ct, alg, d, &bytes)); \
    TRY(expect, named,                                                         \
        spblasSpSM_analysis(hh, oa, ob, &one, a, b, c, ct, alg, d, NULL));     \
    TRY(expect, named, spblasSpSM_solve(hh, oa, ob, &one, a, b, c, ct, alg, d))

static int
make(void **state)
{
    spblasFormatDescr_t hybrid;

    (void)objects_make(state);
    objects_ok(spblasCreateCsr(&L, 3, 3, 3, ptr3, idx3, val3, I32, I32, Z, F32));
    objects_ok(spblasCreateCsr(&LB, 3, 3, 3, ptr3, idx3, val3, I32, I32, Z, F32));
    objects_ok(spblasCsrSetStridedBatch(LB, 2, 0, 3));
    objects_ok(spblasCreateCsr(&L16, 3, 3, 3, ptr3, idx3, val3, U16, U16, Z, F32));
    objects_ok(spblasCreateFormat(&hybrid, "hyb"));
    objects_ok(spblasConvert(h, L, hybrid, &K));
    objects_ok(spblasDestroyFormat(hybrid));
    objects_ok(spblasCreateDnVec(&v, 3, dense, F32));
    objects_ok(spblasCreateDnVec(&w, 3, dense + 8, F32));
    objects_ok(spblasCreateDnVec(&w64, 3, wide, F64));
    objects_ok(spblasCreateDnMat(&M, 3, 2, 2, dense, F32, ROW));
    objects_ok(spblasCreateDnMat(&M2, 3, 2, 2, dense, F32, ROW));
    objects_ok(spblasDnMatSetStridedBatch(M2, 2, 6));
    objects_ok(spblasSpSV_createDescr(&dv));
    objects_ok(spblasSpSM_createDescr(&dm));
    return 0;
}

static int
end(void **state)
{
    objects_ok(spblasSpSV_destroyDescr(dv));
    objects_ok(spblasSpSM_destroyDescr(dm));
    objects_ok(spblasSpSV_destroyDescr(NULL));
    objects_ok(spblasSpSM_destroyDescr(NULL));
    objects_ok(spblasDestroySpMat(L));
    objects_ok(spblasDestroySpMat(LB));
    objects_ok(spblasDestroySpMat(L16));
    objects_ok(spblasDestroySpMat(K));
    objects_ok(spblasDestroyDnVec(v));
    objects_ok(spblasDestroyDnVec(w));
    objects_ok(spblasDestroyDnVec(w64));
    objects_ok(spblasDestroyDnMat(M));
    objects_ok(spblasDestroyDnMat(M2));
    return objects_end(state);
}

static void
spsv(void)
{
    SPSV(BAD, "handle", no_h, N, L, v, w, F32, SV, dv);
    SPSV(BAD, "opA", h, OP3, L, v, w, F32, SV, dv);
    SPSV(BAD, "matA", h, N, no_sp, v, w, F32, SV, dv);
    SPSV(BAD, "vecX", h, N, L, (spblasDnVecDescr_t)h, w, F32, SV, dv);
    SPSV(BAD, "vecY", h, N, L, v, (spblasDnVecDescr_t)h, F32, SV, dv);
    SPSV(BAD, "computeType", h, N, L, v, w, TYPE9, SV, dv);
    SPSV(BAD, "alg", h, N, L, v, w, F32, SV1, dv);
    SPSV(BAD, "spsvDescr", h, N, L, v, w, F32, SV, no_sv);
    SPSV(BAD, "spsvDescr", h, N, L, v, w, F32, SV, (spblasSpSVDescr_t)(void *)dm);
    TRY(UNS, "CUSTOM", spblasSpSV_analysis(h, N, &one, K, v, w, F32, SV, dv, NULL));
    SPSV(BAD, "matA", h, N, A, v, w, F32, SV, dv);
    SPSV(UNS, "matA", h, N, LB, v, w, F32, SV, dv);
    SPSV(UNS, "matA", h, N, L16, v, w, F32, SV, dv);
    SPSV(BAD, "vecX", h, N, L, x, w, F32, SV, dv);
    SPSV(BAD, "vecY", h, N, L, v, x, F32, SV, dv);
    SPSV(UNS, "computeType", h, N, L, v, w64, F32, SV, dv);
    SPSV(UNS, "computeType", h, N, L, v, w, F64, SV, dv);
    TRY(BAD, "descr", spblasSpSV_createDescr(NULL));
    TRY(BAD, "descr", spblasSpSV_destroyDescr((spblasSpSVDescr_t)(void *)dm));
    TRY(BAD, "bufferSize",
        spblasSpSV_bufferSize(h, N, &one, L, v, w, F32, SV, dv, NULL));
    TRY(BAD, "alpha", spblasSpSV_solve(h, N, NULL, L, v, w, F32, SV, dv));
    TRY(BAD, "vecX", spblasSpSV_solve(h, N, &one, L, no_dv, w, F32, SV, dv));
    TRY(BAD, "vecY", spblasSpSV_solve(h, N, &one, L, v, no_dv, F32, SV, dv));
}

static void
spsm(void)
{
    SPSM(BAD, "handle", no_h, N, N, L, M, M, F32, SM, dm);
    SPSM(BAD, "opA", h, OP3, N, L, M, M, F32, SM, dm);
    SPSM(BAD, "opB", h, N, OP3, L, M, M, F32, SM, dm);
    SPSM(BAD, "matA", h, N, N, no_sp, M, M, F32, SM, dm);
    SPSM(BAD, "matB", h, N, N, L, (spblasDnMatDescr_t)h, M, F32, SM, dm);
    SPSM(BAD, "matC", h, N, N, L, M, (spblasDnMatDescr_t)h, F32, SM, dm);
    SPSM(BAD, "computeType", h, N, N, L, M, M, TYPE9, SM, dm);
    SPSM(BAD, "alg", h, N, N, L, M, M, F32, SM1, dm);
    SPSM(BAD, "spsmDescr", h, N, N, L, M, M, F32, SM, no_sm);
    TRY(UNS, "CUSTOM", spblasSpSM_analysis(h, N, N, &one, K, M, M, F32, SM, dm, NULL));
    SPSM(BAD, "matA", h, N, N, A, M, M, F32, SM, dm);
    SPSM(BAD, "matB", h, N, T, L, M, M, F32, SM, dm);
    SPSM(BAD, "matC", h, N, N, L, M, X, F32, SM, dm);
    SPSM(UNS, "matB", h, N, N, L, M2, M, F32, SM, dm);
    SPSM(UNS, "matC", h, N, N, L, M, M2, F32, SM, dm);
    SPSM(UNS, "computeType", h, N, N, L, M, M, F64, SM, dm);
    TRY(BAD, "descr", spblasSpSM_createDescr(NULL));
    TRY(BAD, "descr", spblasSpSM_destroyDescr((spblasSpSMDescr_t)(void *)dv));
    TRY(BAD, "bufferSize",
        spblasSpSM_bufferSize(h, N, N, &one, L, M, M, F32, SM, dm, NULL));
    TRY(BAD, "alpha", spblasSpSM_solve(h, N, N, NULL, L, M, M, F32, SM, dm));
    TRY(BAD, "matB", spblasSpSM_solve(h, N, N, &one, L, no_dm, M, F32, SM, dm));
    TRY(BAD, "matC", spblasSpSM_solve(h, N, N, &one, L, M, no_dm, F32, SM, dm));
}

/* The order of calls, and solves that are not what was analysed. */
static void
order_of_calls(void)
{
    const spblasSpSVUpdate_t all = SPBLAS_SPSV_UPDATE_GENERAL;
    const int yes = 1;
    spblasSpMatDescr_t bare, wrong;

    objects_ok(spblasCreateCsr(&bare, 3, 3, 3, NULL, NULL, NULL, I32, I32, Z, F32));
    objects_ok(spblasCreateCsr(&wrong, 3, 3, 3, ptr3, far, val3, I32, I32, Z, F32));
    objects_ok(spblasSpMatSetAttribute(wrong, SPBLAS_SPMAT_VALIDATE, &yes, sizeof yes));
    TRY(BAD, "spsvDescr", spblasSpSV_solve(h, N, &one, L, v, w, F32, SV, dv));
    TRY(BAD, "spsmDescr", spblasSpSM_solve(h, N, N, &one, L, M, M, F32, SM, dm));
    TRY(BAD, "spsvDescr", spblasSpSV_updateMatrix(h, dv, val3, all));
    TRY(BAD, "matA", spblasSpSV_analysis(h, N, NULL, bare, v, w, F32, SV, dv, NULL));
    objects_ok(spblasCsrSetPointers(bare, ptr3, idx3, NULL));
    TRY(BAD, "matA", spblasSpSV_analysis(h, N, NULL, bare, v, w, F32, SV, dv, NULL));
    TRY(BAD, "malformed",
        spblasSpSV_analysis(h, N, NULL, wrong, v, w, F32, SV, dv, NULL));
    objects_ok(spblasSpSV_analysis(h, N, NULL, L, NULL, NULL, F32, SV, dv, NULL));
    TRY(BAD, "spsvDescr", spblasSpSV_solve(h, T, &one, L, v, w, F32, SV, dv));
    objects_ok(spblasDnVecSetValues(v, NULL));
    TRY(BAD, "vecX", spblasSpSV_solve(h, N, &one, L, v, w, F32, SV, dv));
    TRY(BAD, "vecY", spblasSpSV_solve(h, N, &one, L, w, v, F32, SV, dv));
    objects_ok(spblasDnVecSetValues(v, dense));
    TRY(BAD, "handle", spblasSpSV_updateMatrix(no_h, dv, val3, all));
    TRY(BAD, "spsvDescr", spblasSpSV_updateMatrix(h, no_sv, val3, all));
    TRY(BAD, "newValues", spblasSpSV_updateMatrix(h, dv, NULL, all));
    TRY(BAD, "newValues", spblasSpSV_updateMatrix(h, dv, odd, all));
    TRY(BAD, "updatePart", spblasSpSV_updateMatrix(h, dv, val3, PART2));
    TRY(BAD, "spsmDescr",
        spblasSpSM_updateMatrix(h, dm, val3, SPBLAS_SPSM_UPDATE_DIAGONAL));
    objects_judge();
    objects_ok(spblasSpSV_solve(h, N, &one, L, v, w, F32, SV, dv));
    objects_ok(spblasDestroySpMat(bare));
    objects_ok(spblasDestroySpMat(wrong));
}

OBJECTS_CASE(spsv_arguments, spsv)
OBJECTS_CASE(spsm_arguments, spsm)
OBJECTS_CASE(calls_out_of_order, order_of_calls)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spsv_arguments),
        cmocka_unit_test(spsm_arguments),
        cmocka_unit_test(calls_out_of_order),
    };

    return cmocka_run_group_tests(tests, make, end);
}
