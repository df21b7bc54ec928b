/*
 * Products and triangular solves with BSR, and gemvi, against every bad argument.
 */
#include "legacylab.h"
#include "objects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define NO SPBLAS_SOLVE_POLICY_NO_LEVEL

static void
product_arguments(void)
{
    static int mask[3];
    const spblasMatDescr_t d = {0}, sym = {.type = SPBLAS_MATRIX_TYPE_SYMMETRIC};
    const spblasDirection_t R = SPBLAS_DIRECTION_ROW, R2 = (spblasDirection_t)2;

#define BSRV(expect, named, hh, ty, dir, op, mb, nb, nz, al, dd, v, p, i, b, xx, be,   \
             yy)                                                                       \
    TRY(expect, named,                                                                 \
        spblasXbsrmv(hh, ty, dir, op, mb, nb, nz, al, dd, v, p, i, b, xx, be, yy));    \
    TRY(expect, named,                                                                 \
        spblasXbsrxmv(hh, ty, dir, op, 3, mb, nb, nz, al, dd, v, mask, p, p, i, b, xx, \
                      be, yy))
    BSRV(BAD, "handle", no_h, F32, R, N, 3, 4, 3, &one, &d, val, ptr, idx, 1, dense,
         &one, val);
    BSRV(BAD, "type", h, TYPE9, R, N, 3, 4, 3, &one, &d, val, ptr, idx, 1, dense, &one,
         val);
    BSRV(BAD, "dirA", h, F32, R2, N, 3, 4, 3, &one, &d, val, ptr, idx, 1, dense, &one,
         val);
    BSRV(BAD, "transA", h, F32, R, OP3, 3, 4, 3, &one, &d, val, ptr, idx, 1, dense,
         &one, val);
    BSRV(BAD, "mb", h, F32, R, N, -3, 4, 3, &one, &d, val, ptr, idx, 1, dense, &one,
         val);
    BSRV(BAD, "nb", h, F32, R, N, 3, -4, 3, &one, &d, val, ptr, idx, 1, dense, &one,
         val);
    BSRV(BAD, "nnzb", h, F32, R, N, 3, 4, -3, &one, &d, val, ptr, idx, 1, dense, &one,
         val);
    BSRV(BAD, "alpha", h, F32, R, N, 3, 4, 3, NULL, &d, val, ptr, idx, 1, dense, &one,
         val);
    BSRV(8, "descrA", h, F32, R, N, 3, 4, 3, &one, &sym, val, ptr, idx, 1, dense, &one,
         val);
    BSRV(BAD, "bsrValA", h, F32, R, N, 3, 4, 3, &one, &d, NULL, ptr, idx, 1, dense,
         &one, val);
    BSRV(BAD, "bsrRowPtrA", h, F32, R, N, 3, 4, 3, &one, &d, val, NULL, idx, 1, dense,
         &one, val);
    BSRV(BAD, "bsrColIndA", h, F32, R, N, 3, 4, 3, &one, &d, val, ptr, NULL, 1, dense,
         &one, val);
    BSRV(BAD, "blockDim", h, F32, R, N, 3, 4, 3, &one, &d, val, ptr, idx, 0, dense,
         &one, val);
    BSRV(BAD, "x", h, F32, R, N, 3, 4, 3, &one, &d, val, ptr, idx, 1, NULL, &one, val);
    BSRV(BAD, "beta", h, F32, R, N, 3, 4, 3, &one, &d, val, ptr, idx, 1, dense, NULL,
         val);
    BSRV(BAD, "y", h, F32, R, N, 3, 4, 3, &one, &d, val, ptr, idx, 1, dense, &one,
         NULL);
    TRY(UNS, "transA",
        spblasXbsrxmv(h, F32, R, T, 3, 3, 4, 3, &one, &d, val, mask, ptr, ptr, idx, 1,
                      dense, &one, val));
    TRY(BAD, "sizeOfMask",
        spblasXbsrxmv(h, F32, R, N, -3, 3, 4, 3, &one, &d, val, mask, ptr, ptr, idx, 1,
                      dense, &one, val));
    TRY(BAD, "blockDim",
        spblasXbsrmv(h, F32, R, N, 3, 4, 3, &one, &d, val, ptr, idx, INT32_MAX, dense,
                     &one, val));
#define BMM(named, opb, n_, bb, ldb, cc, ldc)                                        \
    TRY(BAD, named,                                                                  \
        spblasXbsrmm(h, F32, R, N, opb, 3, n_, 4, 3, &one, &d, val, ptr, idx, 1, bb, \
                     ldb, &one, cc, ldc))
    BMM("transB", OP3, 2, dense, 4, wide, 3);
    BMM("n", N, -2, dense, 4, wide, 3);
    BMM("B", N, 2, NULL, 4, wide, 3);
    BMM("ldb", N, 2, dense, 3, wide, 3);
    BMM("ldb", T, 2, dense, 1, wide, 3);
    BMM("C", N, 2, dense, 4, NULL, 3);
    BMM("ldc", N, 2, dense, 4, wide, 2);
}
OBJECTS_CASE(bad_products, product_arguments)

static void
gemvi_arguments(void)
{
#define GEMVI(named, hh, op, m, a, lda, nz, v, i, yy, base) \
    TRY(BAD, named,                                         \
        spblasXgemvi(hh, F32, op, m, 4, &one, a, lda, nz, v, i, &one, yy, base, NULL))
    GEMVI("handle", no_h, N, 3, dense, 3, 3, val, idx, wide, Z);
    GEMVI("transA", h, OP3, 3, dense, 3, 3, val, idx, wide, Z);
    GEMVI("m", h, N, -3, dense, 3, 3, val, idx, wide, Z);
    GEMVI("A", h, N, 3, NULL, 3, 3, val, idx, wide, Z);
    GEMVI("lda", h, N, 3, dense, 2, 3, val, idx, wide, Z);
    GEMVI("nnz", h, N, 3, dense, 3, -3, val, idx, wide, Z);
    GEMVI("xVal", h, N, 3, dense, 3, 3, NULL, idx, wide, Z);
    GEMVI("xInd", h, N, 3, dense, 3, 3, val, NULL, wide, Z);
    GEMVI("y", h, N, 3, dense, 3, 3, val, idx, NULL, Z);
    GEMVI("idxBase", h, N, 3, dense, 3, 3, val, idx, wide, (spblasIndexBase_t)2);
    TRY(BAD, "bufferSize", spblasXgemvi_bufferSize(h, F32, N, 3, 4, 3, NULL));
}
OBJECTS_CASE(bad_gemvi, gemvi_arguments)

static void
solve_arguments(void)
{
    const spblasMatDescr_t d = {0};
    const spblasDirection_t R = SPBLAS_DIRECTION_ROW, R2 = (spblasDirection_t)2;
    const spblasOperation_t H = SPBLAS_OPERATION_CONJUGATE_TRANSPOSE;
    spblasLegacyInfo_t info, none = NULL;
    int n;

    objects_ok(spblasCreateLegacyInfo(&info));
#define SM(expect, named, hh, ty, dir, op, xy, mb, n_, nz, dd, p, b, inf, pol)         \
    TRY(expect, named,                                                                 \
        spblasXbsrsm2_analysis(hh, ty, dir, op, xy, mb, n_, nz, dd, val, p, idx, b,    \
                               inf, pol, NULL));                                       \
    TRY(expect, named,                                                                 \
        spblasXbsrsm2_solve(hh, ty, dir, op, xy, mb, n_, nz, &one, dd, val, p, idx, b, \
                            inf, dense, 9, wide, 9, pol, NULL))
    SM(BAD, "handle", no_h, F32, R, N, N, 3, 2, 3, &d, ptr, 1, info, NO);
    SM(BAD, "type", h, TYPE9, R, N, N, 3, 2, 3, &d, ptr, 1, info, NO);
    SM(UNS, "type", h, SPBLAS_R_16F, R, N, N, 3, 2, 3, &d, ptr, 1, info, NO);
    SM(BAD, "dirA", h, F32, R2, N, N, 3, 2, 3, &d, ptr, 1, info, NO);
    SM(BAD, "transA", h, F32, R, OP3, N, 3, 2, 3, &d, ptr, 1, info, NO);
    SM(BAD, "transXY", h, F32, R, N, OP3, 3, 2, 3, &d, ptr, 1, info, NO);
    SM(UNS, "transXY", h, F32, R, N, H, 3, 2, 3, &d, ptr, 1, info, NO);
    SM(BAD, "mb", h, F32, R, N, N, -3, 2, 3, &d, ptr, 1, info, NO);
    SM(BAD, "n", h, F32, R, N, N, 3, -2, 3, &d, ptr, 1, info, NO);
    SM(BAD, "nnzb", h, F32, R, N, N, 3, 2, -3, &d, ptr, 1, info, NO);
    SM(BAD, "descrA", h, F32, R, N, N, 3, 2, 3, NULL, ptr, 1, info, NO);
    SM(BAD, "bsrRowPtr", h, F32, R, N, N, 3, 2, 3, &d, NULL, 1, info, NO);
    SM(BAD, "blockSize", h, F32, R, N, N, 3, 2, 3, &d, ptr, 0, info, NO);
    SM(11, "blockSize", h, F32, R, N, N, 3, 2, 3, &d, ptr, INT32_MAX, info, NO);
    SM(BAD, "info", h, F32, R, N, N, 3, 2, 3, &d, ptr, 1, none, NO);
    SM(BAD, "policy", h, F32, R, N, N, 3, 2, 3, &d, ptr, 1, info,
       (spblasSolvePolicy_t)2);
    TRY(BAD, "info",
        spblasXbsrsm2_solve(h, F32, R, N, N, 3, 2, 3, &one, &d, val, ptr, idx, 1, info,
                            dense, 3, wide, 3, NO, NULL));
    TRY(BAD, "ldb",
        spblasXbsrsm2_solve(h, F32, R, N, N, 3, 2, 3, &one, &d, val, ptr, idx, 1, info,
                            dense, 2, wide, 3, NO, NULL));
    TRY(BAD, "X",
        spblasXbsrsm2_solve(h, F32, R, N, N, 3, 2, 3, &one, &d, val, ptr, idx, 1, info,
                            dense, 3, NULL, 3, NO, NULL));
    TRY(BAD, "alpha",
        spblasXbsrsv2_solve(h, F32, R, N, 3, 3, NULL, &d, val, ptr, idx, 1, info, dense,
                            wide, NO, NULL));
    TRY(BAD, "bufferSize",
        spblasXbsrsm2_bufferSize(h, F32, R, N, N, 3, 2, 3, &d, val, ptr, idx, 1, info,
                                 NULL));
    TRY(BAD, "position", spblasXbsrsv2_zeroPivot(h, info, NULL));
    TRY(BAD, "info", spblasXbsrsm2_zeroPivot(h, none, &n));
    objects_ok(spblasDestroyLegacyInfo(info));
}
OBJECTS_CASE(bad_solves, solve_arguments)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_products),
        cmocka_unit_test(bad_gemvi),
        cmocka_unit_test(bad_solves),
    };

    return cmocka_run_group_tests_name("api.legacy_block_arguments", tests,
                                       objects_make, objects_end);
}
