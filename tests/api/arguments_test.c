/*
 * Every public function against every bad argument, one line each: the status, and a
 * sentence that names the argument. A line's call is written out, so that the list reads
 * as the interface's small print.
 */
#include "objects.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Outputs, so that a NULL can stand for each in turn. */
static int64_t i0, i1, i2;
static int n;
static void *p0, *p1, *p2;
static const void *q0, *q1, *q2;
static spblasIndexType_t t0, t1;
static spblasIndexBase_t ib;
static spblasDataType_t dt;
static spblasOrder_t od;
static spblasFormat_t fm;
static spblasPointerMode_t pm;
static size_t bytes;
static spblasPlanInfo_t info = {.structSize = sizeof(spblasPlanInfo_t)};
static char text[64];

static const int attribute_seven = 7, attribute_two = 2;
static const int64_t negative_limit = -1;
static const double negative_time = -1, no_time = NAN;

static void
handles(void)
{
    TRY(BAD, "handle", spblasCreate(NULL));
    TRY(BAD, "handle", spblasDestroy((spblasHandle_t)(void *)wide));
    TRY(BAD, "handle", spblasGetVersion(no_h, &n));
    TRY(BAD, "output", spblasGetVersion(h, NULL));
    TRY(BAD, "type", spblasGetProperty((spblasLibraryPropertyType_t)3, &n));
    TRY(BAD, "value", spblasGetProperty(SPBLAS_MAJOR_VERSION, NULL));
    TRY(BAD, "handle", spblasSetStream(no_h, NULL));
    TRY(BAD, "handle", spblasGetStream(no_h, &p0));
    TRY(BAD, "output", spblasGetStream(h, NULL));
    TRY(BAD, "handle", spblasSetPointerMode(no_h, SPBLAS_POINTER_MODE_HOST));
    TRY(BAD, "mode", spblasSetPointerMode(h, (spblasPointerMode_t)2));
    TRY(BAD, "handle", spblasGetPointerMode(no_h, &pm));
    TRY(BAD, "output", spblasGetPointerMode(h, NULL));
}

static void
vectors(void)
{
    TRY(BAD, "dnVecDescr", spblasCreateDnVec(NULL, 3, val, F32));
    TRY(BAD, "size", spblasCreateDnVec(&no_dv, -1, val, F32));
    TRY(BAD, "size", spblasCreateDnVec(&no_dv, MAX, NULL, F64));
    TRY(BAD, "valueType", spblasCreateDnVec(&no_dv, 3, val, (spblasDataType_t)7));
    TRY(BAD, "valueType", spblasCreateDnVec(&no_dv, 3, val, (spblasDataType_t)-1));
    TRY(BAD, "values", spblasCreateDnVec(&no_dv, 3, odd, F32));
    TRY(BAD, "dnVecDescr", spblasCreateConstDnVec(NULL, 3, val, F32));
    TRY(BAD, "dnVecDescr", spblasDestroyDnVec((spblasConstDnVecDescr_t)(void *)B));
    TRY(BAD, "dnVecDescr", spblasDnVecGet(no_dv, &i0, &p0, &dt));
    TRY(BAD, "output", spblasDnVecGet(x, NULL, &p0, &dt));
    TRY(BAD, "output", spblasDnVecGet(x, &i0, NULL, &dt));
    TRY(BAD, "output", spblasDnVecGet(x, &i0, &p0, NULL));
    TRY(BAD, "output", spblasConstDnVecGet(x, &i0, NULL, &dt));
    TRY(BAD, "dnVecDescr", spblasDnVecGetValues(no_dv, &p0));
    TRY(BAD, "output", spblasDnVecGetValues(x, NULL));
    TRY(BAD, "output", spblasConstDnVecGetValues(x, NULL));
    TRY(BAD, "dnVecDescr", spblasDnVecSetValues(no_dv, val));
    TRY(BAD, "values", spblasDnVecSetValues(x, odd));
}

static void
matrices(void)
{
    TRY(BAD, "dnMatDescr", spblasCreateDnMat(NULL, 3, 4, 4, dense, F32, ROW));
    TRY(BAD, "rows", spblasCreateDnMat(&no_dm, -1, 4, 4, dense, F32, ROW));
    TRY(BAD, "cols", spblasCreateDnMat(&no_dm, 3, -1, 4, dense, F32, ROW));
    TRY(BAD, "ld", spblasCreateDnMat(&no_dm, 3, 4, 3, dense, F32, ROW));
    TRY(BAD, "ld", spblasCreateDnMat(&no_dm, 3, 4, 2, dense, F32, COL));
    TRY(BAD, "ld", spblasCreateDnMat(&no_dm, 0, 0, -1, dense, F32, COL));
    TRY(BAD, "ld", spblasCreateDnMat(&no_dm, MAX / 2, 4, MAX / 2, NULL, F32, COL));
    TRY(BAD, "ld", spblasCreateDnMat(&no_dm, MAX / 8, 1, MAX / 4, NULL, F64, COL));
    TRY(BAD, "order", spblasCreateDnMat(&no_dm, 3, 4, 4, dense, F32, (spblasOrder_t)0));
    TRY(BAD, "order", spblasCreateDnMat(&no_dm, 3, 4, 4, dense, F32, (spblasOrder_t)3));
    TRY(BAD, "valueType",
        spblasCreateDnMat(&no_dm, 3, 4, 4, dense, (spblasDataType_t)9, ROW));
    TRY(BAD, "values", spblasCreateDnMat(&no_dm, 3, 4, 4, odd, F32, ROW));
    TRY(BAD, "dnMatDescr", spblasCreateConstDnMat(NULL, 3, 4, 4, dense, F32, ROW));
    TRY(BAD, "dnMatDescr", spblasDestroyDnMat((spblasConstDnMatDescr_t)(void *)x));
    TRY(BAD, "dnMatDescr", spblasDnMatGet(no_dm, &i0, &i1, &i2, &p0, &dt, &od));
    TRY(BAD, "output", spblasDnMatGet(B, NULL, &i1, &i2, &p0, &dt, &od));
    TRY(BAD, "output", spblasDnMatGet(B, &i0, NULL, &i2, &p0, &dt, &od));
    TRY(BAD, "output", spblasDnMatGet(B, &i0, &i1, NULL, &p0, &dt, &od));
    TRY(BAD, "output", spblasDnMatGet(B, &i0, &i1, &i2, NULL, &dt, &od));
    TRY(BAD, "output", spblasDnMatGet(B, &i0, &i1, &i2, &p0, NULL, &od));
    TRY(BAD, "output", spblasConstDnMatGet(B, &i0, &i1, &i2, &q0, &dt, NULL));
    TRY(BAD, "output", spblasDnMatGetValues(B, NULL));
    TRY(BAD, "dnMatDescr", spblasConstDnMatGetValues(no_dm, &q0));
    TRY(BAD, "dnMatDescr", spblasDnMatSetValues(no_dm, dense));
    TRY(BAD, "values", spblasDnMatSetValues(B, odd));
    TRY(BAD, "batchCount", spblasDnMatSetStridedBatch(B, 0, 0));
    TRY(BAD, "batchStride", spblasDnMatSetStridedBatch(B, 2, -1));
    TRY(BAD, "batchStride", spblasDnMatSetStridedBatch(B, 2, 7));
    TRY(BAD, "batchStride", spblasDnMatSetStridedBatch(B, 3, MAX / 2));
    TRY(BAD, "dnMatDescr", spblasDnMatSetStridedBatch(no_dm, 2, 8));
    TRY(BAD, "output", spblasDnMatGetStridedBatch(B, NULL, &i0));
    TRY(BAD, "output", spblasDnMatGetStridedBatch(B, &n, NULL));
    TRY(BAD, "dnMatDescr", spblasDnMatGetStridedBatch(no_dm, &n, &i0));
}

static void
csr_and_csc(void)
{
    TRY(BAD, "spMatDescr",
        spblasCreateCsr(NULL, 3, 4, 3, ptr, idx, val, I32, I32, Z, F32));
    TRY(BAD, "rows",
        spblasCreateCsr(&no_sp, -1, 4, 3, ptr, idx, val, I32, I32, Z, F32));
    TRY(BAD, "cols",
        spblasCreateCsr(&no_sp, 3, -1, 3, ptr, idx, val, I32, I32, Z, F32));
    TRY(BAD, "nnz", spblasCreateCsr(&no_sp, 3, 4, -1, ptr, idx, val, I32, I32, Z, F32));
    TRY(BAD, "nnz", spblasCreateCsr(&no_sp, 3, 4, 13, ptr, idx, val, I32, I32, Z, F32));
    TRY(BAD, "nnz", spblasCreateCsr(&no_sp, 0, 4, 1, ptr, idx, val, I32, I32, Z, F32));
    TRY(BAD, "rows",
        spblasCreateCsr(&no_sp, MAX, 4, 3, NULL, NULL, NULL, I64, I64, Z, F32));
    TRY(BAD, "nnz",
        spblasCreateCsr(&no_sp, MAX - 1, 1, 3, NULL, NULL, NULL, I64, I64, Z, F32));
    TRY(BAD, "nnz",
        spblasCreateCsr(&no_sp, 1, MAX - 1, MAX / 4, NULL, NULL, NULL, I64, I64, Z,
                        F32));
    TRY(BAD, "rows",
        spblasCreateCsr(&no_sp, INT32_MAX, 4, 3, ptr, idx, val, I32, I32, ONE, F32));
    TRY(BAD, "cols",
        spblasCreateCsr(&no_sp, 3, (int64_t)1 << 31, 3, ptr, idx, val, I32, I32, Z,
                        F32));
    TRY(BAD, "nnz",
        spblasCreateCsr(&no_sp, 1 << 20, 1 << 20, (int64_t)1 << 31, NULL, NULL, NULL,
                        I32, I32, Z, F32));
    TRY(BAD, "csrRowOffsetsType",
        spblasCreateCsr(&no_sp, 3, 4, 3, ptr, idx, val, (spblasIndexType_t)0, I32, Z,
                        F32));
    TRY(BAD, "csrColIndType",
        spblasCreateCsr(&no_sp, 3, 4, 3, ptr, idx, val, I32, (spblasIndexType_t)4, Z,
                        F32));
    TRY(UNS, "csrColIndType",
        spblasCreateCsr(&no_sp, 3, 4, 3, ptr, idx, val, I32, U16, Z, F32));
    TRY(BAD, "idxBase",
        spblasCreateCsr(&no_sp, 3, 4, 3, ptr, idx, val, I32, I32, (spblasIndexBase_t)2,
                        F32));
    TRY(BAD, "valueType",
        spblasCreateCsr(&no_sp, 3, 4, 3, ptr, idx, val, I32, I32, Z,
                        (spblasDataType_t)99));
    TRY(BAD, "csrRowOffsets",
        spblasCreateCsr(&no_sp, 3, 4, 3, odd, idx, val, I32, I32, Z, F32));
    TRY(BAD, "csrColInd",
        spblasCreateCsr(&no_sp, 3, 4, 3, ptr, odd, val, I32, I32, Z, F32));
    TRY(BAD, "csrValues",
        spblasCreateCsr(&no_sp, 3, 4, 3, ptr, idx, odd, I32, I32, Z, F32));
    TRY(BAD, "nnz",
        spblasCreateConstCsr((spblasConstSpMatDescr_t *)&no_sp, 3, 4, 13, ptr, idx, val,
                             I32, I32, Z, F32));
    TRY(BAD, "cscColOffsets",
        spblasCreateCsc(&no_sp, 3, 4, 3, odd, idx, val, I32, I32, Z, F32));
    TRY(BAD, "cscRowInd",
        spblasCreateCsc(&no_sp, 3, 4, 3, ptr, odd, val, I32, I32, Z, F32));
    TRY(BAD, "spMatDescr",
        spblasCreateConstCsc(NULL, 3, 4, 3, ptr, idx, val, I32, I32, Z, F32));
}

static void
coo_and_bsr(void)
{
    TRY(BAD, "rows", spblasCreateCoo(&no_sp, -1, 4, 3, rows, idx, val, I32, Z, F32));
    TRY(BAD, "cooIdxType",
        spblasCreateCoo(&no_sp, 3, 4, 3, rows, idx, val, (spblasIndexType_t)9, Z, F32));
    TRY(BAD, "cooRowInd", spblasCreateCoo(&no_sp, 3, 4, 3, odd, idx, val, I32, Z, F32));
    TRY(BAD, "cooColInd",
        spblasCreateCoo(&no_sp, 3, 4, 3, rows, odd, val, I32, Z, F32));
    TRY(BAD, "cooValues",
        spblasCreateCoo(&no_sp, 3, 4, 3, rows, idx, odd, I32, Z, F32));
    TRY(BAD, "spMatDescr",
        spblasCreateConstCoo(NULL, 3, 4, 3, rows, idx, val, I32, Z, F32));
    TRY(BAD, "bnnz",
        spblasCreateBsr(&no_sp, 3, 4, 13, 2, 2, ptr, idx, val, I32, I32, Z, F32, ROW));
    TRY(BAD, "rowBlockSize",
        spblasCreateBsr(&no_sp, 3, 4, 3, 0, 0, ptr, idx, val, I32, I32, Z, F32, ROW));
    TRY(BAD, "colBlockSize",
        spblasCreateBsr(&no_sp, 3, 4, 3, 2, 3, ptr, idx, val, I32, I32, Z, F32, ROW));
    TRY(BAD, "rowBlockSize",
        spblasCreateBsr(&no_sp, 3, 4, 3, MAX / 2, MAX / 2, NULL, NULL, NULL, I32, I32,
                        Z, F32, ROW));
    TRY(BAD, "order",
        spblasCreateBsr(&no_sp, 3, 4, 3, 2, 2, ptr, idx, val, I32, I32, Z, F32,
                        (spblasOrder_t)0));
    TRY(BAD, "spMatDescr",
        spblasCreateConstBsr(NULL, 3, 4, 3, 2, 2, ptr, idx, val, I32, I32, Z, F32,
                             ROW));
}

static void
sparse_getters(void)
{
    TRY(BAD, "spMatDescr", spblasDestroySpMat((spblasConstSpMatDescr_t)(void *)B));
    TRY(BAD, "spMatDescr", spblasSpMatGetFormat(no_sp, &fm));
    TRY(BAD, "output", spblasSpMatGetFormat(A, NULL));
    TRY(BAD, "spMatDescr", spblasSpMatGetIndexBase(no_sp, &ib));
    TRY(BAD, "output", spblasSpMatGetIndexBase(A, NULL));
    TRY(BAD, "spMatDescr", spblasSpMatGetSize(no_sp, &i0, &i1, &i2));
    TRY(BAD, "output", spblasSpMatGetSize(A, NULL, &i1, &i2));
    TRY(BAD, "output", spblasSpMatGetSize(A, &i0, NULL, &i2));
    TRY(BAD, "output", spblasSpMatGetSize(A, &i0, &i1, NULL));
    TRY(BAD, "output", spblasSpMatGetValues(A, NULL));
    TRY(BAD, "spMatDescr", spblasConstSpMatGetValues(no_sp, &q0));
    TRY(BAD, "spMatDescr", spblasSpMatSetValues(no_sp, val));
    TRY(BAD, "csrValues", spblasSpMatSetValues(A, odd));
    TRY(BAD, "format",
        spblasCsrGet(O, &i0, &i1, &i2, &p0, &p1, &p2, &t0, &t1, &ib, &dt));
    TRY(BAD, "format",
        spblasCscGet(A, &i0, &i1, &i2, &p0, &p1, &p2, &t0, &t1, &ib, &dt));
    TRY(BAD, "format", spblasCooGet(A, &i0, &i1, &i2, &p0, &p1, &p2, &t0, &ib, &dt));
    TRY(BAD, "output",
        spblasCsrGet(A, NULL, &i1, &i2, &p0, &p1, &p2, &t0, &t1, &ib, &dt));
    TRY(BAD, "output",
        spblasCsrGet(A, &i0, NULL, &i2, &p0, &p1, &p2, &t0, &t1, &ib, &dt));
    TRY(BAD, "output",
        spblasCsrGet(A, &i0, &i1, NULL, &p0, &p1, &p2, &t0, &t1, &ib, &dt));
    TRY(BAD, "output",
        spblasCsrGet(A, &i0, &i1, &i2, NULL, &p1, &p2, &t0, &t1, &ib, &dt));
    TRY(BAD, "output",
        spblasCsrGet(A, &i0, &i1, &i2, &p0, NULL, &p2, &t0, &t1, &ib, &dt));
    TRY(BAD, "output",
        spblasCsrGet(A, &i0, &i1, &i2, &p0, &p1, NULL, &t0, &t1, &ib, &dt));
    TRY(BAD, "output",
        spblasCsrGet(A, &i0, &i1, &i2, &p0, &p1, &p2, NULL, &t1, &ib, &dt));
    TRY(BAD, "output",
        spblasCsrGet(A, &i0, &i1, &i2, &p0, &p1, &p2, &t0, NULL, &ib, &dt));
    TRY(BAD, "output",
        spblasCsrGet(A, &i0, &i1, &i2, &p0, &p1, &p2, &t0, &t1, NULL, &dt));
    TRY(BAD, "output",
        spblasConstCsrGet(A, &i0, &i1, &i2, &q0, &q1, &q2, &t0, &t1, &ib, NULL));
    TRY(BAD, "output",
        spblasConstCscGet(R, &i0, &i1, &i2, &q0, &q1, &q2, &t0, &t1, &ib, NULL));
    TRY(BAD, "output",
        spblasConstCooGet(O, &i0, &i1, &i2, &q0, &q1, &q2, &t0, &ib, NULL));
}

static void
sparse_setters(void)
{
    TRY(BAD, "format", spblasCsrSetPointers(O, ptr, idx, val));
    TRY(BAD, "format", spblasCsrSetPointers(R, ptr, idx, val));
    TRY(BAD, "format", spblasCscSetPointers(A, ptr, idx, val));
    TRY(BAD, "format", spblasCooSetPointers(A, rows, idx, val));
    TRY(BAD, "spMatDescr", spblasCsrSetPointers(no_sp, ptr, idx, val));
    TRY(BAD, "csrRowOffsets", spblasCsrSetPointers(A, odd, idx, val));
    TRY(BAD, "csrColInd", spblasCsrSetPointers(A, ptr, odd, val));
    TRY(BAD, "csrValues", spblasCsrSetPointers(A, ptr, idx, odd));
    TRY(BAD, "cooRowInd", spblasCooSetPointers(O, odd, idx, val));
    TRY(BAD, "format", spblasCooSetStridedBatch(A, 2, 3));
    TRY(BAD, "format", spblasCsrSetStridedBatch(O, 2, 4, 3));
    TRY(BAD, "format", spblasBsrSetStridedBatch(A, 2, 4, 3, 3));
    TRY(BAD, "batchCount", spblasCsrSetStridedBatch(A, 0, 4, 3));
    TRY(BAD, "offsetsBatchStride", spblasCsrSetStridedBatch(A, 2, 3, 3));
    TRY(BAD, "columnsValuesBatchStride", spblasCsrSetStridedBatch(A, 2, 4, 2));
    TRY(BAD, "columnsValuesBatchStride", spblasCsrSetStridedBatch(A, 2, 4, -1));
    TRY(BAD, "nnz", spblasCsrSetStridedBatch(A, 3, 4, MAX / 2));
    TRY(BAD, "batchStride", spblasCooSetStridedBatch(O, 2, 2));
    TRY(BAD, "columnsBatchStride", spblasBsrSetStridedBatch(Q, 2, 4, 2, 12));
    TRY(BAD, "valuesBatchStride", spblasBsrSetStridedBatch(Q, 2, 4, 3, 11));
    TRY(BAD, "output", spblasSpMatGetStridedBatch(A, NULL));
    TRY(BAD, "spMatDescr", spblasSpMatGetStridedBatch(no_sp, &n));
}

static void
attributes_and_plans(void)
{
    TRY(BAD, "attribute", spblasSpMatSetAttribute(A, (spblasSpMatAttribute_t)2, &n, 4));
    TRY(BAD, "attribute", spblasSpMatGetAttribute(A, (spblasSpMatAttribute_t)2, &n, 4));
    TRY(BAD, "dataSize", spblasSpMatSetAttribute(A, SPBLAS_SPMAT_FILL_MODE, &n, 8));
    TRY(BAD, "dataSize", spblasSpMatGetAttribute(A, SPBLAS_SPMAT_FILL_MODE, &n, 2));
    TRY(BAD, "data", spblasSpMatSetAttribute(A, SPBLAS_SPMAT_FILL_MODE, NULL, 4));
    TRY(BAD, "output", spblasSpMatGetAttribute(A, SPBLAS_SPMAT_FILL_MODE, NULL, 4));
    TRY(BAD, "data",
        spblasSpMatSetAttribute(A, SPBLAS_SPMAT_EFFORT, &attribute_seven, 4));
    TRY(BAD, "data",
        spblasSpMatSetAttribute(A, SPBLAS_SPMAT_VALUES_FROZEN, &attribute_two, 4));
    TRY(BAD, "data",
        spblasSpMatSetAttribute(A, SPBLAS_SPMAT_DETERMINISM, &attribute_two, 4));
    TRY(BAD, "data",
        spblasSpMatSetAttribute(A, SPBLAS_SPMAT_VALIDATE, &attribute_two, 4));
    TRY(BAD, "data",
        spblasSpMatSetAttribute(A, SPBLAS_SPMAT_MATH_MODE, &attribute_seven, 4));
    TRY(BAD, "dataSize", spblasSpMatSetAttribute(A, SPBLAS_SPMAT_MEMORY_LIMIT, &n, 4));
    TRY(BAD, "data",
        spblasSpMatSetAttribute(A, SPBLAS_SPMAT_MEMORY_LIMIT, &negative_limit, 8));
    TRY(BAD, "dataSize", spblasSpMatSetAttribute(A, SPBLAS_SPMAT_TIME_LIMIT, &n, 4));
    TRY(BAD, "data",
        spblasSpMatSetAttribute(A, SPBLAS_SPMAT_TIME_LIMIT, &negative_time, 8));
    TRY(BAD, "data", spblasSpMatSetAttribute(A, SPBLAS_SPMAT_TIME_LIMIT, &no_time, 8));
    TRY(BAD, "dataSize", spblasSpMatSetAttribute(A, SPBLAS_SPMAT_SEARCH_HOOK, &n, 4));
    TRY(BAD, "data", spblasSpMatSetAttribute(A, SPBLAS_SPMAT_PLAN_TEXT, NULL, 3));
    TRY(BAD, "data", spblasSpMatSetAttribute(A, SPBLAS_SPMAT_PLAN_TEXT, "a\0b", 3));
    TRY(BAD, "dataSize", spblasSpMatGetAttribute(A, SPBLAS_SPMAT_PLAN_TEXT, text, 0));
    TRY(BAD, "spMatDescr",
        spblasSpMatSetAttribute(no_sp, SPBLAS_SPMAT_FILL_MODE, &n, 4));
    TRY(BAD, "spMatDescr",
        spblasSpMatGetAttribute(no_sp, SPBLAS_SPMAT_FILL_MODE, &n, 4));
    TRY(BAD, "spMatDescr", spblasSpMatGetPlanCount(no_sp, &n));
    TRY(BAD, "output", spblasSpMatGetPlanCount(A, NULL));
    TRY(BAD, "index", spblasSpMatGetPlanInfo(A, 0, &info));
    TRY(BAD, "index", spblasSpMatGetPlanInfo(A, -1, &info));
    TRY(BAD, "output", spblasSpMatGetPlanInfo(A, 0, NULL));
    TRY(BAD, "structSize", spblasSpMatGetPlanInfo(A, 0, &(spblasPlanInfo_t){0}));
    TRY(BAD, "index", spblasSpMatGetPlanText(A, 0, NULL, &bytes));
    TRY(BAD, "output", spblasSpMatGetPlanText(A, 0, NULL, NULL));
    TRY(BAD, "index", spblasSpMatGetPlanExplanation(A, 0, NULL, &bytes));
    TRY(BAD, "output", spblasSpMatGetPlanExplanation(A, 0, NULL, NULL));
}

OBJECTS_CASE(handle_functions, handles)
OBJECTS_CASE(vector_functions, vectors)
OBJECTS_CASE(matrix_functions, matrices)
OBJECTS_CASE(csr_csc_creation, csr_and_csc)
OBJECTS_CASE(coo_bsr_creation, coo_and_bsr)
OBJECTS_CASE(sparse_get, sparse_getters)
OBJECTS_CASE(sparse_set, sparse_setters)
OBJECTS_CASE(attributes_plans, attributes_and_plans)

/* The handle keeps its own sentence; the thread keeps the last of all. */
static void
sentences_have_owners(void **state)
{
    spblasHandle_t other;

    (void)state;
    objects_ok(spblasCreate(&other));
    assert_string_equal(spblasGetLastErrorMessage(other), "");
    assert_int_equal(spblasSetPointerMode(other, (spblasPointerMode_t)9), BAD);
    assert_int_equal(spblasCreateDnVec(&no_dv, -1, NULL, F32), BAD);
    assert_non_null(strstr(spblasGetLastErrorMessage(other), "spblasSetPointerMode"));
    assert_non_null(strstr(spblasGetLastErrorMessage(NULL), "spblasCreateDnVec"));
    objects_ok(spblasSetStream(other, wide));
    assert_non_null(strstr(spblasGetLastErrorMessage(other), "spblasSetPointerMode"));
    objects_ok(spblasDestroy(other));
}

static void
backends_by_name(void **state)
{
    spblasHandle_t other;

    (void)state;
    assert_int_equal(setenv("SPBLAS_BACKEND", "gpu", 1), 0);
    if (spblasCreate(&other) == SPBLAS_STATUS_SUCCESS) { /* the machine has one */
        objects_ok(spblasDestroy(other));
    } else {
        TRY(UNS, "gpu", spblasCreate(&other));
        assert_null(other);
    }
    assert_int_equal(setenv("SPBLAS_BACKEND", "toaster", 1), 0);
    TRY(BAD, "toaster", spblasCreate(&other));
    assert_int_equal(setenv("SPBLAS_BACKEND", "cpu", 1), 0);
    objects_ok(spblasCreate(&other));
    objects_ok(spblasDestroy(other));
    assert_int_equal(unsetenv("SPBLAS_BACKEND"), 0);
    TRY(BAD, "backend", spblasCreateOn(&other, "toaster"));
    TRY(BAD, "handle", spblasCreateOn(NULL, "cpu"));
    objects_ok(spblasCreateOn(&other, "cpu"));
    objects_ok(spblasDestroy(other));
    objects_judge();
}

static void
destroying_nothing_succeeds(void **state)
{
    (void)state;
    objects_ok(spblasDestroy(NULL));
    objects_ok(spblasDestroyDnVec(NULL));
    objects_ok(spblasDestroyDnMat(NULL));
    objects_ok(spblasDestroySpMat(NULL));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handle_functions),
        cmocka_unit_test(vector_functions),
        cmocka_unit_test(matrix_functions),
        cmocka_unit_test(csr_csc_creation),
        cmocka_unit_test(coo_bsr_creation),
        cmocka_unit_test(sparse_get),
        cmocka_unit_test(sparse_set),
        cmocka_unit_test(attributes_plans),
        cmocka_unit_test(sentences_have_owners),
        cmocka_unit_test(backends_by_name),
        cmocka_unit_test(destroying_nothing_succeeds),
    };

    return cmocka_run_group_tests(tests, objects_make, objects_end);
}
