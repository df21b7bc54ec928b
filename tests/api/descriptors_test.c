/*
 * Descriptors give back what they were given, have the documented defaults, and report
 * batches, attributes and BSR sizes as cuSPARSE does.
 */
#include "spblas.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static int32_t first[8], second[8];
static double values[64], others[64];

static void
ok(spblasStatus_t st)
{
    if (st != SPBLAS_STATUS_SUCCESS)
        fail_msg("%s", spblasGetLastErrorMessage(NULL));
}

static void
vector_round_trip(void **state)
{
    spblasDnVecDescr_t v;
    spblasConstDnVecDescr_t cv;
    spblasDataType_t t;
    const void *cp;
    int64_t n;
    void *p;

    (void)state;
    ok(spblasCreateDnVec(&v, 7, values, SPBLAS_C_64F));
    ok(spblasDnVecGet(v, &n, &p, &t));
    assert_int_equal(n, 7);
    assert_ptr_equal(p, values);
    assert_int_equal(t, SPBLAS_C_64F);
    ok(spblasDnVecSetValues(v, others));
    ok(spblasDnVecGetValues(v, &p));
    assert_ptr_equal(p, others);
    ok(spblasDnVecSetValues(v, NULL));
    ok(spblasConstDnVecGetValues(v, &cp));
    assert_null(cp);
    ok(spblasDestroyDnVec(v));
    ok(spblasCreateConstDnVec(&cv, 0, NULL, SPBLAS_R_16BF));
    ok(spblasConstDnVecGet(cv, &n, &cp, &t));
    assert_int_equal(n, 0);
    assert_int_equal(t, SPBLAS_R_16BF);
    ok(spblasDestroyDnVec(cv));
}

static void
matrix_round_trip(void **state)
{
    spblasDnMatDescr_t m;
    spblasConstDnMatDescr_t cm;
    int64_t rows, cols, ld, stride = -1;
    spblasOrder_t order;
    spblasDataType_t t;
    const void *cp;
    void *p;
    int n;

    (void)state;
    ok(spblasCreateDnMat(&m, 3, 5, 8, values, SPBLAS_R_64F, SPBLAS_ORDER_ROW));
    ok(spblasDnMatGet(m, &rows, &cols, &ld, &p, &t, &order));
    assert_int_equal(rows, 3);
    assert_int_equal(cols, 5);
    assert_int_equal(ld, 8);
    assert_ptr_equal(p, values);
    assert_int_equal(t, SPBLAS_R_64F);
    assert_int_equal(order, SPBLAS_ORDER_ROW);
    ok(spblasDnMatGetStridedBatch(m, &n, &stride));
    assert_int_equal(n, 1);
    assert_int_equal(stride, 0);
    ok(spblasDnMatSetStridedBatch(m, 2, 24));
    ok(spblasDnMatGetStridedBatch(m, &n, &stride));
    assert_int_equal(n, 2);
    assert_int_equal(stride, 24);
    ok(spblasDnMatSetValues(m, others));
    ok(spblasConstDnMatGetValues(m, &cp));
    assert_ptr_equal(cp, others);
    ok(spblasDnMatGetValues(m, &p));
    assert_ptr_equal(p, others);
    ok(spblasDestroyDnMat(m));
    ok(spblasCreateConstDnMat(&cm, 3, 5, 3, values, SPBLAS_R_32F, SPBLAS_ORDER_COL));
    ok(spblasConstDnMatGet(cm, &rows, &cols, &ld, &cp, &t, &order));
    assert_int_equal(ld, 3);
    assert_int_equal(order, SPBLAS_ORDER_COL);
    ok(spblasDestroyDnMat(cm));
}

static void
csr_round_trip(void **state)
{
    spblasIndexType_t pt, it;
    spblasIndexBase_t base;
    spblasSpMatDescr_t m;
    spblasFormat_t format;
    spblasDataType_t t;
    int64_t rows, cols, nnz;
    void *p, *q, *v;
    int n;

    (void)state;
    ok(spblasCreateCsr(&m, 3, 9, 4, values, second, others, SPBLAS_INDEX_64I,
                       SPBLAS_INDEX_32I, SPBLAS_INDEX_BASE_ONE, SPBLAS_R_16F));
    ok(spblasCsrGet(m, &rows, &cols, &nnz, &p, &q, &v, &pt, &it, &base, &t));
    assert_int_equal(rows, 3);
    assert_int_equal(cols, 9);
    assert_int_equal(nnz, 4);
    assert_ptr_equal(p, values);
    assert_ptr_equal(q, second);
    assert_ptr_equal(v, others);
    assert_int_equal(pt, SPBLAS_INDEX_64I);
    assert_int_equal(it, SPBLAS_INDEX_32I);
    assert_int_equal(base, SPBLAS_INDEX_BASE_ONE);
    assert_int_equal(t, SPBLAS_R_16F);
    ok(spblasSpMatGetFormat(m, &format));
    assert_int_equal(format, SPBLAS_FORMAT_CSR);
    ok(spblasSpMatGetIndexBase(m, &base));
    assert_int_equal(base, SPBLAS_INDEX_BASE_ONE);
    ok(spblasSpMatGetStridedBatch(m, &n));
    assert_int_equal(n, 1);
    ok(spblasCsrSetStridedBatch(m, 5, 0, 4));
    ok(spblasCsrSetPointers(m, others, first, NULL));
    ok(spblasSpMatGetStridedBatch(m, &n));
    assert_int_equal(n, 5);
    ok(spblasCsrGet(m, &rows, &cols, &nnz, &p, &q, &v, &pt, &it, &base, &t));
    assert_ptr_equal(p, others);
    assert_ptr_equal(q, first);
    assert_null(v);
    ok(spblasSpMatSetValues(m, values));
    ok(spblasSpMatGetValues(m, &v));
    assert_ptr_equal(v, values);
    ok(spblasDestroySpMat(m));
}

static void
csc_and_coo_round_trip(void **state)
{
    spblasConstSpMatDescr_t c;
    spblasIndexType_t pt, it;
    spblasIndexBase_t base;
    spblasFormat_t format;
    spblasDataType_t t;
    int64_t rows, cols, nnz;
    const void *p, *q, *v;

    (void)state;
    ok(spblasCreateConstCsc(&c, 3, 9, 4, first, second, values, SPBLAS_INDEX_32I,
                            SPBLAS_INDEX_32I, SPBLAS_INDEX_BASE_ZERO, SPBLAS_R_64F));
    ok(spblasConstCscGet(c, &rows, &cols, &nnz, &p, &q, &v, &pt, &it, &base, &t));
    assert_int_equal(rows, 3);
    assert_int_equal(cols, 9);
    assert_ptr_equal(p, first);
    assert_ptr_equal(q, second);
    ok(spblasSpMatGetFormat(c, &format));
    assert_int_equal(format, SPBLAS_FORMAT_CSC);
    ok(spblasDestroySpMat(c));
    ok(spblasCreateConstCoo(&c, 3, 9, 4, first, second, values, SPBLAS_INDEX_32I,
                            SPBLAS_INDEX_BASE_ZERO, SPBLAS_R_64F));
    ok(spblasConstCooGet(c, &rows, &cols, &nnz, &p, &q, &v, &it, &base, &t));
    assert_int_equal(nnz, 4);
    assert_ptr_equal(p, first);
    assert_ptr_equal(q, second);
    ok(spblasConstSpMatGetValues(c, &v));
    assert_ptr_equal(v, values);
    ok(spblasDestroySpMat(c));
}

static void
bsr_reports_elements(void **state)
{
    spblasSpMatDescr_t m;
    int64_t rows, cols, nnz;

    (void)state;
    ok(spblasCreateBsr(&m, 3, 2, 5, 4, 4, first, second, values, SPBLAS_INDEX_32I,
                       SPBLAS_INDEX_32I, SPBLAS_INDEX_BASE_ZERO, SPBLAS_R_32F,
                       SPBLAS_ORDER_COL));
    ok(spblasSpMatGetSize(m, &rows, &cols, &nnz));
    assert_int_equal(rows, 12);
    assert_int_equal(cols, 8);
    assert_int_equal(nnz, 80);
    ok(spblasBsrSetStridedBatch(m, 2, 0, 5, 80));
    ok(spblasDestroySpMat(m));
}

static int
get_int(spblasConstSpMatDescr_t m, spblasSpMatAttribute_t at)
{
    int v = INT_MIN;

    ok(spblasSpMatGetAttribute(m, at, &v, sizeof v));
    return v;
}

static void
attributes_default_and_keep(void **state)
{
    static const spblasSpMatAttribute_t ints[] = {
        SPBLAS_SPMAT_FILL_MODE,     SPBLAS_SPMAT_DIAG_TYPE,   SPBLAS_SPMAT_EFFORT,
        SPBLAS_SPMAT_VALUES_FROZEN, SPBLAS_SPMAT_DETERMINISM, SPBLAS_SPMAT_VALIDATE,
        SPBLAS_SPMAT_MATH_MODE,     SPBLAS_SPMAT_ROWS_ASCEND};
    const int one = 1, seven = 7;
    int64_t limit = 1 << 20;
    spblasSpMatDescr_t m;
    char text[16] = "x";
    double time = 2.5;
    spblasSearchHook_t hook = {NULL, text};

    (void)state;
    ok(spblasCreateCsr(&m, 0, 0, 0, NULL, NULL, NULL, SPBLAS_INDEX_32I,
                       SPBLAS_INDEX_32I, SPBLAS_INDEX_BASE_ZERO, SPBLAS_R_32F));
    for (size_t i = 0; i < sizeof ints / sizeof ints[0]; i++) {
        assert_int_equal(get_int(m, ints[i]), 0);
        ok(spblasSpMatSetAttribute(m, ints[i], &one, sizeof one));
        assert_int_equal(get_int(m, ints[i]), 1);
    }
    ok(spblasSpMatSetAttribute(m, SPBLAS_SPMAT_DIAG_TYPE, &seven, sizeof seven));
    assert_int_equal(get_int(m, SPBLAS_SPMAT_DIAG_TYPE), 7);
    ok(spblasSpMatSetAttribute(m, SPBLAS_SPMAT_MEMORY_LIMIT, &limit, sizeof limit));
    limit = 0;
    ok(spblasSpMatGetAttribute(m, SPBLAS_SPMAT_MEMORY_LIMIT, &limit, sizeof limit));
    assert_int_equal(limit, 1 << 20);
    ok(spblasSpMatSetAttribute(m, SPBLAS_SPMAT_TIME_LIMIT, &time, sizeof time));
    time = 0;
    ok(spblasSpMatGetAttribute(m, SPBLAS_SPMAT_TIME_LIMIT, &time, sizeof time));
    assert_true(time == 2.5);
    ok(spblasSpMatSetAttribute(m, SPBLAS_SPMAT_SEARCH_HOOK, &hook, sizeof hook));
    hook.userData = NULL;
    ok(spblasSpMatGetAttribute(m, SPBLAS_SPMAT_SEARCH_HOOK, &hook, sizeof hook));
    assert_ptr_equal(hook.userData, text);
    ok(spblasSpMatGetAttribute(m, SPBLAS_SPMAT_PLAN_TEXT, text, sizeof text));
    assert_string_equal(text, "");
    ok(spblasSpMatSetAttribute(m, SPBLAS_SPMAT_PLAN_TEXT, "csr", 3));
    ok(spblasSpMatGetAttribute(m, SPBLAS_SPMAT_PLAN_TEXT, text, 4));
    assert_string_equal(text, "csr");
    ok(spblasSpMatSetAttribute(m, SPBLAS_SPMAT_PLAN_TEXT, NULL, 0));
    ok(spblasSpMatGetAttribute(m, SPBLAS_SPMAT_PLAN_TEXT, text, sizeof text));
    assert_string_equal(text, "");
    ok(spblasDestroySpMat(m));
}

static void
handle_keeps_stream_and_mode(void **state)
{
    spblasHandle_t h;
    spblasPointerMode_t mode = SPBLAS_POINTER_MODE_DEVICE;
    void *stream = values;
    int version = 0, piece = -1;

    (void)state;
    ok(spblasCreate(&h));
    ok(spblasGetStream(h, &stream));
    assert_null(stream);
    ok(spblasSetStream(h, others));
    ok(spblasGetStream(h, &stream));
    assert_ptr_equal(stream, others);
    ok(spblasGetPointerMode(h, &mode));
    assert_int_equal(mode, SPBLAS_POINTER_MODE_HOST);
    ok(spblasSetPointerMode(h, SPBLAS_POINTER_MODE_DEVICE));
    ok(spblasGetPointerMode(h, &mode));
    assert_int_equal(mode, SPBLAS_POINTER_MODE_DEVICE);
    ok(spblasGetVersion(h, &version));
    assert_int_equal(version, SPBLAS_VERSION);
    ok(spblasGetProperty(SPBLAS_MINOR_VERSION, &piece));
    assert_int_equal(piece, SPBLAS_VERSION_MINOR);
    ok(spblasDestroy(h));
}

static void
status_texts(void **state)
{
    (void)state;
    assert_string_equal(spblasGetErrorName(SPBLAS_STATUS_SUCCESS),
                        "SPBLAS_STATUS_SUCCESS");
    assert_string_equal(spblasGetErrorString(SPBLAS_STATUS_NOT_SUPPORTED),
                        "operation not supported");
    assert_string_equal(spblasGetErrorName(SPBLAS_STATUS_INSUFFICIENT_RESOURCES),
                        "SPBLAS_STATUS_INSUFFICIENT_RESOURCES");
    assert_string_equal(spblasGetErrorName((spblasStatus_t)12),
                        "unrecognized error code");
    assert_string_equal(spblasGetErrorString((spblasStatus_t)-1),
                        "unrecognized error code");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vector_round_trip),
        cmocka_unit_test(matrix_round_trip),
        cmocka_unit_test(csr_round_trip),
        cmocka_unit_test(csc_and_coo_round_trip),
        cmocka_unit_test(bsr_reports_elements),
        cmocka_unit_test(attributes_default_and_keep),
        cmocka_unit_test(handle_keeps_stream_and_mode),
        cmocka_unit_test(status_texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
