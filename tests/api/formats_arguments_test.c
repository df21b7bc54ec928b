/*
 * Formats, conversion and parts against every bad argument, one line each, as in
 * arguments_test.c; then what custom matrices refuse elsewhere.
 */
#include "objects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define SHORT SPBLAS_STATUS_INSUFFICIENT_RESOURCES

static spblasFormatDescr_t csr, dia, csf, dense_format, no_format;
static spblasSpMatDescr_t D, P; /* A as dia, A as csr: an ordinary matrix that owns */
static int n;
static int64_t i0, i1;
static const void *q0;
static void *p0;
static size_t bytes, one_byte;
static char text[400];
static spblasLevelInfo_t info = {.structSize = sizeof(spblasLevelInfo_t)}, empty_info;
static spblasPlanInfo_t plan_info = {.structSize = sizeof(spblasPlanInfo_t)};

static void
texts(void)
{
    TRY(BAD, "formatDescr", spblasCreateFormat(NULL, "csr"));
    TRY(BAD, "text", spblasCreateFormat(&no_format, NULL));
    TRY(BAD, "line 1, column 1", spblasCreateFormat(&no_format, ""));
    TRY(BAD, "^", spblasCreateFormat(&no_format, "tsr"));
    TRY(BAD, "divisor", spblasCreateFormat(&no_format, "bsr<0>"));
    TRY(BAD, "no inverse", spblasCreateFormat(&no_format, "format x (i, j) -> (i)"));
    assert_null(no_format);
    TRY(BAD, "formatDescr", spblasDestroyFormat((spblasFormatDescr_t)(void *)wide));
    TRY(BAD, "formatDescr", spblasFormatGetText(NULL, text, &bytes));
    TRY(BAD, "output", spblasFormatGetText(csr, text, NULL));
    TRY(SHORT, "text", spblasFormatGetText(csr, text, &one_byte));
    TRY(BAD, "formatDescr", spblasFormatGetArrays(NULL, text, &bytes));
    TRY(BAD, "output", spblasFormatGetArrays(csr, text, NULL));
}

static void
conversions(void)
{
    static int32_t high[] = {0, 2, 2, 4}, behind[] = {0, 4, 1}, same[] = {2, 2, 1};
    spblasSpMatDescr_t bad, many, bare, empty;

    TRY(BAD, "handle", spblasConvert(no_h, A, csr, &no_sp));
    TRY(BAD, "matA", spblasConvert(h, NULL, csr, &no_sp));
    TRY(BAD, "matA", spblasConvert(h, (spblasSpMatDescr_t)(void *)wide, csr, &no_sp));
    TRY(BAD, "format", spblasConvert(h, A, NULL, &no_sp));
    TRY(BAD, "format", spblasConvert(h, A, (spblasFormatDescr_t)(void *)wide, &no_sp));
    TRY(BAD, "matB", spblasConvert(h, A, csr, NULL));
    TRY(BAD, "dimensions", spblasConvert(h, A, csf, &no_sp));
    TRY(UNS, "16-bit", spblasConvert(h, H16, csr, &no_sp));
    objects_ok(spblasCreateCsr(&bad, 3, 4, 3, high, idx, val, I32, I32, Z, F32));
    TRY(BAD, "row offsets[3] is 4", spblasConvert(h, bad, csr, &no_sp));
    objects_ok(spblasCsrSetPointers(bad, ptr, behind, val));
    TRY(BAD, "column index[1] is 4", spblasConvert(h, bad, dia, &no_sp));
    objects_ok(spblasCsrSetPointers(bad, ptr, same, val));
    TRY(BAD, "place of another", spblasConvert(h, bad, csr, &no_sp));
    objects_ok(spblasDestroySpMat(bad));
    objects_ok(spblasCreateCsr(&many, 3, 4, 3, ptr, idx, val, I32, I32, Z, F32));
    objects_ok(spblasCsrSetStridedBatch(many, 2, 0, 3));
    TRY(UNS, "batch", spblasConvert(h, many, csr, &no_sp));
    objects_ok(spblasDestroySpMat(many));
    objects_ok(spblasCreateCsr(&bare, 3, 4, 3, ptr, NULL, val, I32, I32, Z, F32));
    TRY(BAD, "structure", spblasConvert(h, bare, csr, &no_sp));
    objects_ok(spblasCsrSetPointers(bare, ptr, idx, NULL));
    TRY(BAD, "values", spblasConvert(h, bare, csr, &no_sp));
    objects_ok(spblasDestroySpMat(bare));
    objects_ok(spblasCreateCsr(&empty, 0, 4, 0, NULL, NULL, NULL, I32, I32, Z, F32));
    objects_ok(spblasConvert(h, empty, dia, &bare));
    objects_ok(spblasDestroySpMat(bare));
    objects_ok(spblasDestroySpMat(empty));
    objects_ok(spblasCreateCoo(&bad, 1 << 14, 1 << 13, 3, rows, idx, val, I32, Z, F32));
    TRY(BAD, "padding", spblasConvert(h, bad, dense_format, &no_sp));
    objects_ok(spblasDestroySpMat(bad));
}

static void
parts(void)
{
    TRY(BAD, "spMatDescr", spblasSpMatGetPartCount(NULL, &n));
    TRY(BAD, "output", spblasSpMatGetPartCount(A, NULL));
    TRY(BAD, "spMatDescr", spblasSpMatGetPartLevel(NULL, 0, 0, &info));
    TRY(BAD, "output", spblasSpMatGetPartLevel(A, 0, 0, NULL));
    TRY(BAD, "structSize", spblasSpMatGetPartLevel(A, 0, 0, &empty_info));
    TRY(BAD, "part", spblasSpMatGetPartLevel(A, 1, 0, &info));
    TRY(BAD, "part", spblasSpMatGetPartLevel(D, -1, 0, &info));
    TRY(BAD, "level", spblasSpMatGetPartLevel(D, 0, 2, &info));
    TRY(BAD, "level", spblasSpMatGetPartLevel(D, 0, -1, &info));
    TRY(BAD, "spMatDescr", spblasSpMatGetPartValues(NULL, 0, &q0, &i0, &i1));
    TRY(BAD, "part", spblasSpMatGetPartValues(D, 1, &q0, &i0, &i1));
    TRY(BAD, "output", spblasSpMatGetPartValues(D, 0, NULL, &i0, &i1));
    TRY(BAD, "output", spblasSpMatGetPartValues(D, 0, &q0, NULL, &i1));
    TRY(BAD, "output", spblasSpMatGetPartValues(D, 0, &q0, &i0, NULL));
    TRY(BAD, "spMatDescr", spblasSpMatGetFormatText(NULL, -1, text, &bytes));
    TRY(BAD, "output", spblasSpMatGetFormatText(D, -1, text, NULL));
    TRY(BAD, "part", spblasSpMatGetFormatText(D, 1, text, &bytes));
    TRY(BAD, "part", spblasSpMatGetFormatText(D, -2, text, &bytes));
    TRY(SHORT, "text", spblasSpMatGetFormatText(D, -1, text, &one_byte));
}

static void
custom_elsewhere(void)
{
    spblasIndexType_t t0, t1;
    spblasIndexBase_t base;
    spblasDataType_t type;
    int64_t r, c, e;
    void *p1, *p2;

    TRY(BAD, "format 100",
        spblasCsrGet(D, &r, &c, &e, &p0, &p1, &p2, &t0, &t1, &base, &type));
    TRY(BAD, "format 100", spblasCsrSetPointers(D, ptr, idx, val));
    TRY(BAD, "format 100", spblasCsrSetStridedBatch(D, 2, 0, 3));
    TRY(UNS, "batch", spblasCsrSetStridedBatch(P, 2, 0, 3));
    TRY(BAD, "values", spblasSpMatSetValues(D, odd));
    TRY(UNS, "alg",
        spblasSpMM(h, N, N, &one, D, B, &one, C, F32, SPBLAS_SPMM_CSR_ALG1, NULL));
    TRY(UNS, "alg",
        spblasSpMV(h, N, &one, D, x, &one, y, F32, SPBLAS_SPMV_COO_ALG1, NULL));
    TRY(BAD, "matC", spblasSpMM(h, N, N, &one, D, B, &one, B, F32, MM, NULL));
    TRY(UNS, "computeType", spblasSpMM(h, N, N, &one, D, D64, &one, C, F32, MM, NULL));
    objects_ok(spblasSpMatSetAttribute(D, SPBLAS_SPMAT_PLAN_TEXT, "csr", 3));
    TRY(UNS, "plan text",
        spblasSpMM_analysis(h, N, N, &one, D, B, &one, C, F32, MM, NULL));
    objects_ok(spblasSpMatSetAttribute(D, SPBLAS_SPMAT_PLAN_TEXT, NULL, 0));
    objects_ok(spblasSpMM_analysis(h, N, N, &one, D, B, &one, C, F32, MM, NULL));
    TRY(UNS, "format", spblasSpMatGetPlanText(D, 0, text, &bytes));
    TRY(BAD, "index", spblasSpMatGetPlanInfo(D, 1, &plan_info));
    objects_ok(spblasSpMatSetValues(D, NULL));
    TRY(BAD, "values", spblasSpMM(h, N, N, &one, D, B, &one, C, F32, MM, NULL));
    TRY(BAD, "values", spblasConvert(h, D, csr, &no_sp));
}

OBJECTS_CASE(format_functions, texts)
OBJECTS_CASE(conversion, conversions)
OBJECTS_CASE(part_functions, parts)
OBJECTS_CASE(other_functions, custom_elsewhere)

/* Short structures get the members that fit. */
static void
level_info_grows(void **state)
{
    spblasLevelInfo_t level = {
        .structSize = offsetof(spblasLevelInfo_t, lo), .lo = 77, .size = 77};

    (void)state;
    objects_ok(spblasSpMatGetPartLevel(A, 0, 1, &level));
    assert_int_equal(level.levels, 2);
    assert_int_equal(level.count, 3);
    assert_int_equal(level.lo, 77);
    assert_int_equal(level.size, 77);
}

static int
begin(void **state)
{
    (void)objects_make(state);
    objects_ok(spblasCreateFormat(&csr, "csr"));
    objects_ok(spblasCreateFormat(&dia, "dia"));
    objects_ok(spblasCreateFormat(&csf, "csf"));
    objects_ok(spblasCreateFormat(&dense_format, "dense"));
    objects_ok(spblasConvert(h, A, dia, &D));
    objects_ok(spblasConvert(h, A, csr, &P));
    return 0;
}

static int
end(void **state)
{
    objects_ok(spblasDestroyFormat(NULL));
    objects_ok(spblasDestroyFormat(csr));
    objects_ok(spblasDestroyFormat(dia));
    objects_ok(spblasDestroyFormat(csf));
    objects_ok(spblasDestroyFormat(dense_format));
    objects_ok(spblasDestroySpMat(D));
    objects_ok(spblasDestroySpMat(P));
    return objects_end(state);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(format_functions), cmocka_unit_test(conversion),
        cmocka_unit_test(part_functions),   cmocka_unit_test(level_info_grows),
        cmocka_unit_test(other_functions),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
