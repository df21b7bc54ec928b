/*
 * Every product against every bad argument: all four functions of a routine, one line
 * for each mistake; then arrays that are missing and batches that do not fit.
 */
#include "objects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static size_t bytes;

/* One product argument after another, through all four functions of the routine. */
#define SPMM(expect, named, hh, oa, ob, al, a, b, be, c, ct, alg)             \
    TRY(expect, named,                                                        \
        spblasSpMM_bufferSize(hh, oa, ob, al, a, b, be, c, ct, alg, &bytes)); \
    TRY(expect, named,                                                        \
        spblasSpMM_analysis(hh, oa, ob, al, a, b, be, c, ct, alg, NULL));     \
    TRY(expect, named,                                                        \
        spblasSpMM_preprocess(hh, oa, ob, al, a, b, be, c, ct, alg, NULL));   \
    TRY(expect, named, spblasSpMM(hh, oa, ob, al, a, b, be, c, ct, alg, NULL))
#define SPMV(expect, named, hh, oa, al, a, xx, be, yy, ct, alg)                        \
    TRY(expect, named,                                                                 \
        spblasSpMV_bufferSize(hh, oa, al, a, xx, be, yy, ct, alg, &bytes));            \
    TRY(expect, named, spblasSpMV_analysis(hh, oa, al, a, xx, be, yy, ct, alg, NULL)); \
    TRY(expect, named,                                                                 \
        spblasSpMV_preprocess(hh, oa, al, a, xx, be, yy, ct, alg, NULL));              \
    TRY(expect, named, spblasSpMV(hh, oa, al, a, xx, be, yy, ct, alg, NULL))
#define SDDMM(expect, named, hh, oa, ob, al, a, b, be, c, ct, alg)             \
    TRY(expect, named,                                                         \
        spblasSDDMM_bufferSize(hh, oa, ob, al, a, b, be, c, ct, alg, &bytes)); \
    TRY(expect, named,                                                         \
        spblasSDDMM_analysis(hh, oa, ob, al, a, b, be, c, ct, alg, NULL));     \
    TRY(expect, named,                                                         \
        spblasSDDMM_preprocess(hh, oa, ob, al, a, b, be, c, ct, alg, NULL));   \
    TRY(expect, named, spblasSDDMM(hh, oa, ob, al, a, b, be, c, ct, alg, NULL))

static void
spmm_arguments(void)
{
    SPMM(BAD, "handle", no_h, N, N, &one, A, B, &one, C, F32, MM);
    SPMM(BAD, "opA", h, OP3, N, &one, A, B, &one, C, F32, MM);
    SPMM(BAD, "opB", h, N, OP3, &one, A, B, &one, C, F32, MM);
    SPMM(BAD, "matA", h, N, N, &one, no_sp, B, &one, C, F32, MM);
    SPMM(BAD, "matB", h, N, N, &one, A, no_dm, &one, C, F32, MM);
    SPMM(BAD, "matC", h, N, N, &one, A, B, &one, no_dm, F32, MM);
    SPMM(BAD, "matB", h, T, N, &one, A, B, &one, C, F32, MM);
    SPMM(BAD, "matB", h, N, T, &one, A, B, &one, C, F32, MM);
    SPMM(BAD, "matC", h, N, N, &one, A, B, &one, X, F32, MM);
    SPMM(BAD, "computeType", h, N, N, &one, A, B, &one, C, TYPE9, MM);
    SPMM(UNS, "computeType", h, N, N, &one, A, B, &one, C, F64, MM);
    SPMM(UNS, "computeType", h, N, N, &one, A, D64, &one, C, F32, MM);
    SPMM(BAD, "alg", h, N, N, &one, A, B, &one, C, F32, (spblasSpMMAlg_t)7);
    SPMM(UNS, "alg", h, N, N, &one, A, B, &one, C, F32, SPBLAS_SPMM_COO_ALG1);
    SPMM(UNS, "alg", h, N, N, &one, O, B, &one, C, F32, SPBLAS_SPMM_CSR_ALG2);
    SPMM(UNS, "matA", h, N, N, &one, H16, B, &one, C, F32, MM);
    TRY(BAD, "bufferSize",
        spblasSpMM_bufferSize(h, N, N, &one, A, B, &one, C, F32, MM, NULL));
    TRY(BAD, "alpha", spblasSpMM(h, N, N, NULL, A, B, &one, C, F32, MM, NULL));
    TRY(BAD, "beta", spblasSpMM(h, N, N, &one, A, B, NULL, C, F32, MM, NULL));
}

static void
spmv_arguments(void)
{
    SPMV(BAD, "handle", no_h, N, &one, A, x, &one, y, F32, MV);
    SPMV(BAD, "opA", h, OP3, &one, A, x, &one, y, F32, MV);
    SPMV(BAD, "matA", h, N, &one, no_sp, x, &one, y, F32, MV);
    SPMV(BAD, "vecX", h, N, &one, A, no_dv, &one, y, F32, MV);
    SPMV(BAD, "vecY", h, N, &one, A, x, &one, no_dv, F32, MV);
    SPMV(BAD, "vecX", h, N, &one, A, y, &one, y, F32, MV);
    SPMV(BAD, "vecY", h, N, &one, A, x, &one, x, F32, MV);
    SPMV(BAD, "computeType", h, N, &one, A, x, &one, y, TYPE9, MV);
    SPMV(UNS, "computeType", h, N, &one, A, x, &one, y, F64, MV);
    SPMV(BAD, "alg", h, N, &one, A, x, &one, y, F32, (spblasSpMVAlg_t)7);
    SPMV(UNS, "alg", h, N, &one, A, x, &one, y, F32, SPBLAS_SPMV_COO_ALG2);
    SPMV(UNS, "alg", h, N, &one, A, x, &one, y, F32, SPBLAS_SPMV_BSR_ALG1);
    TRY(BAD, "bufferSize",
        spblasSpMV_bufferSize(h, N, &one, A, x, &one, y, F32, MV, NULL));
    TRY(BAD, "alpha", spblasSpMV(h, N, NULL, A, x, &one, y, F32, MV, NULL));
    TRY(BAD, "beta", spblasSpMV(h, N, &one, A, x, NULL, y, F32, MV, NULL));
}

static void
sddmm_arguments(void)
{
    SDDMM(BAD, "handle", no_h, N, N, &one, X, Y, &one, S, F32, SD);
    SDDMM(BAD, "opA", h, OP3, N, &one, X, Y, &one, S, F32, SD);
    SDDMM(BAD, "opB", h, N, OP3, &one, X, Y, &one, S, F32, SD);
    SDDMM(BAD, "matA", h, N, N, &one, no_dm, Y, &one, S, F32, SD);
    SDDMM(BAD, "matB", h, N, N, &one, X, no_dm, &one, S, F32, SD);
    SDDMM(BAD, "matC", h, N, N, &one, X, Y, &one, no_sp, F32, SD);
    SDDMM(BAD, "matA", h, T, N, &one, X, Y, &one, S, F32, SD);
    SDDMM(BAD, "matB", h, N, T, &one, X, Y, &one, S, F32, SD);
    SDDMM(BAD, "computeType", h, N, N, &one, X, Y, &one, S, TYPE9, SD);
    SDDMM(UNS, "computeType", h, N, N, &one, X, Y, &one, S, F64, SD);
    SDDMM(UNS, "computeType", h, N, N, &one, X, D64, &one, S, F32, SD);
    SDDMM(BAD, "alg", h, N, N, &one, X, Y, &one, S, F32, (spblasSDDMMAlg_t)1);
    TRY(BAD, "bufferSize",
        spblasSDDMM_bufferSize(h, N, N, &one, X, Y, &one, S, F32, SD, NULL));
    TRY(BAD, "alpha", spblasSDDMM(h, N, N, NULL, X, Y, &one, S, F32, SD, NULL));
    TRY(BAD, "beta", spblasSDDMM(h, N, N, &one, X, Y, NULL, S, F32, SD, NULL));
}

OBJECTS_CASE(spmm, spmm_arguments)
OBJECTS_CASE(spmv, spmv_arguments)
OBJECTS_CASE(sddmm, sddmm_arguments)

/* Arrays may be missing until someone computes. */
static void
missing_arrays_are_noticed_when_needed(void **state)
{
    spblasSpMatDescr_t bare;
    spblasDnMatDescr_t empty;
    const int yes = 1;

    (void)state;
    objects_ok(spblasCreateCsr(&bare, 3, 4, 3, NULL, NULL, NULL, I32, I32, Z, F32));
    objects_ok(spblasCreateDnMat(&empty, 4, 2, 2, NULL, F32, ROW));
    objects_ok(
        spblasSpMM_bufferSize(h, N, N, NULL, bare, empty, NULL, C, F32, MM, &bytes));
    TRY(BAD, "matA",
        spblasSpMM_analysis(h, N, N, &one, bare, B, &one, C, F32, MM, NULL));
    TRY(BAD, "matA", spblasSpMM(h, N, N, &one, bare, B, &one, C, F32, MM, NULL));
    objects_ok(spblasCsrSetPointers(bare, ptr, idx, NULL));
    TRY(BAD, "matA", spblasSpMM(h, N, N, &one, bare, B, &one, C, F32, MM, NULL));
    objects_ok(spblasSpMM_analysis(h, N, N, &one, bare, B, &one, C, F32, MM, NULL));
    objects_ok(
        spblasSpMatSetAttribute(bare, SPBLAS_SPMAT_VALUES_FROZEN, &yes, sizeof yes));
    TRY(BAD, "matA", /* which may copy them */
        spblasSpMM_analysis(h, N, N, &one, bare, B, &one, C, F32, MM, NULL));
    TRY(BAD, "matB", spblasSpMM(h, N, N, &one, A, empty, &one, C, F32, MM, NULL));
    objects_judge();
    objects_ok(spblasDestroySpMat(bare));
    objects_ok(spblasDestroyDnMat(empty));
}

/* Batches that do not fit each other, and outputs whose members would share memory. */
static void
batches_must_fit(void **state)
{
    spblasDnMatDescr_t b, c;

    (void)state;
    objects_ok(spblasCreateDnMat(&b, 4, 2, 2, dense, F32, ROW));
    objects_ok(spblasCreateDnMat(&c, 3, 2, 2, dense, F32, ROW));
    objects_ok(spblasDnMatSetStridedBatch(b, 3, 8));
    SPMM(BAD, "matB", h, N, N, &one, A, b, &one, c, F32, MM);
    objects_ok(spblasDnMatSetStridedBatch(c, 2, 6));
    SPMM(BAD, "matB", h, N, N, &one, A, b, &one, c, F32, MM);
    objects_ok(spblasDnMatSetStridedBatch(c, 3, 0));
    SPMM(BAD, "matC", h, N, N, &one, A, b, &one, c, F32, MM);
    objects_ok(spblasCsrSetStridedBatch(A, 2, 0, 3));
    objects_ok(spblasDnMatSetStridedBatch(c, 3, 6));
    SPMM(BAD, "matA", h, N, N, &one, A, b, &one, c, F32, MM);
    SPMV(UNS, "matA", h, N, &one, A, x, &one, y, F32, MV);
    objects_ok(spblasCsrSetStridedBatch(A, 1, 0, 0));
    objects_ok(spblasCsrSetStridedBatch(S, 2, 0, 0));
    SDDMM(BAD, "matC", h, N, N, &one, X, Y, &one, S, F32, SD);
    objects_ok(spblasCsrSetStridedBatch(S, 1, 0, 0));
    objects_judge();
    objects_ok(spblasDestroyDnMat(b));
    objects_ok(spblasDestroyDnMat(c));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spmm),
        cmocka_unit_test(spmv),
        cmocka_unit_test(sddmm),
        cmocka_unit_test(missing_arrays_are_noticed_when_needed),
        cmocka_unit_test(batches_must_fit),
    };

    return cmocka_run_group_tests(tests, objects_make, objects_end);
}
