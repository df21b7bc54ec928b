/*
 * Formats as text and conversion through the public interface: every registered format
 * there and back from every kind of source, what a converted matrix is, its arrays and
 * its values. What is refused: formats_arguments_test.c; products:
 * formats_product_test.c.
 */
#include "base/macro.h"
#include "call.h"
#include "fmtlab.h"
#include "gen.h"
#include "places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static spblasHandle_t handle;
static char one[8000], two[8000];

static void
must(spblasStatus_t st)
{
    if (st != SPBLAS_STATUS_SUCCESS)
        fail_msg("%s: %s", spblasGetErrorName(st), spblasGetLastErrorMessage(NULL));
}

static spblasFormatDescr_t
format(const char *text)
{
    spblasFormatDescr_t f;

    must(spblasCreateFormat(&f, text));
    return f;
}

static spblasSpMatDescr_t
convert(spblasConstSpMatDescr_t a, const char *text)
{
    spblasFormatDescr_t f = format(text);
    spblasSpMatDescr_t b;

    must(spblasConvert(handle, a, f, &b));
    must(spblasDestroyFormat(f)); /* b keeps what it needs */
    return b;
}

static spblasFormat_t
format_of(spblasConstSpMatDescr_t a)
{
    spblasFormat_t f;

    must(spblasSpMatGetFormat(a, &f));
    return f;
}

/* ---- Texts -------------------------------------------------------------------------- */

typedef spblasStatus_t (*text_of)(spblasConstFormatDescr_t f, char *text, size_t *size);

/* Under the two-call protocol; too small a buffer stays as it was. */
static void
get_text(char *out, text_of fn, spblasConstFormatDescr_t f)
{
    size_t size, small;

    must(fn(f, NULL, &size));
    assert_in_range(size, 2, sizeof one);
    small = size - 1;
    out[0] = '#';
    assert_int_equal(fn(f, out, &small), SPBLAS_STATUS_INSUFFICIENT_RESOURCES);
    assert_int_equal(small, size);
    assert_int_equal(out[0], '#');
    must(fn(f, out, &size));
    assert_int_equal(size, strlen(out) + 1);
}

static void
texts_round_trip(void **state)
{
    (void)state;
    for (int q = 0; sb_fmt_registry(q); q++) {
        const sb_fmt_entry *e = sb_fmt_registry(q);
        spblasFormatDescr_t named = format(e->name), defined = format(e->text), again;
        fmt_lab lab;

        get_text(one, spblasFormatGetText, named);
        get_text(two, spblasFormatGetText, defined);
        assert_string_equal(one, two);
        again = format(one);
        get_text(two, spblasFormatGetText, again);
        assert_string_equal(one, two);
        get_text(two, spblasFormatGetArrays, again);
        fmt_lab_open(&lab);
        assert_string_equal(two, fmt_lab_arrays(&lab, fmt_lab_parse(&lab, e->text)));
        fmt_lab_close(&lab);
        must(spblasDestroyFormat(named));
        must(spblasDestroyFormat(defined));
        must(spblasDestroyFormat(again));
    }
}

/* ---- There and back ----------------------------------------------------------------- */

static const sb_dtype types[] = {SB_F32,  SB_F64, SB_C32,   SB_C64, SB_F16,
                                 SB_BF16, SB_C16, SB_CBF16, SB_I8,  SB_I32};

/* Sources of every format, type, width and base, in order and not. */
static sb_matrix
source(uint64_t k)
{
    gen_rng r = {k * 977 + 5};
    gen_spec s = gen_case(k);

    s.format = (sb_format)(k % 6);
    s.idx_type = gen_below(&r, 3) ? SB_I32 : SB_I64;
    s.ptr_type = s.format == SB_FORMAT_COO || gen_below(&r, 3) ? s.idx_type : SB_I64;
    s.val_type = types[gen_below(&r, SB_COUNT(types))];
    s.block = gen_between(&r, 1, 4);
    s.block_col_major = gen_below(&r, 2);
    s.integer = true; /* no zero among them */
    s.duplicates = false;
    return gen_matrix(&s);
}

static bool
wide(spblasConstSpMatDescr_t m)
{
    spblasLevelInfo_t info = {.structSize = sizeof info};
    int parts;

    must(spblasSpMatGetPartCount(m, &parts));
    if (parts == 0)
        return true;
    must(spblasSpMatGetPartLevel(m, 0, 0, &info));
    return info.idxType == SPBLAS_INDEX_64I && info.ptrType == SPBLAS_INDEX_64I;
}

static void
check_conversion(const sb_matrix *a, spblasConstSpMatDescr_t in, const places *want,
                 const char *name)
{
    spblasSpMatDescr_t b = convert(in, name);
    int64_t rows, cols, nnz;
    char message[200];
    places got;

    must(spblasSpMatGetSize(b, &rows, &cols, &nnz));
    assert_int_equal(rows, a->rows);
    assert_int_equal(cols, a->cols);
    if (format_of(b) == SPBLAS_FORMAT_BSR)
        assert_true(nnz >= want->nnz);
    else if (nnz != want->nnz)
        fail_msg("%s: %lld elements, not %lld", name, (long long)nnz,
                 (long long)want->nnz);
    if (a->idx_type == SB_I64 && !wide(b))
        fail_msg("%s: 64-bit indices became narrow", name);
    got = places_read(handle, b);
    if (!places_equal(&got, want, false, message, sizeof message))
        fail_msg("%s, from format %d, %s, base %d: %s", name, a->format,
                 sb_dtype_name(a->val_type), a->base, message);
    places_free(&got);
    must(spblasDestroySpMat(b));
}

static void
all_formats_there_and_back(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 60; k++) {
        const sb_matrix a = source(k);
        const sb_problem pb = {.op = SB_OP_SPMV, .a = a};
        const places want = places_of(&a);
        call c;

        (void)call_begin(&c, &pb); /* the sparse matrix is all we need */
        for (int q = 0; sb_fmt_registry(q); q++) {
            const char *name = sb_fmt_registry(q)->name;

            if (strcmp(name, "csf") != 0 && !strstr(name, "3"))
                check_conversion(&a, c.a, &want, name);
        }
        call_end(&c);
        places_free((places *)&want);
        gen_free_matrix((sb_matrix *)&a);
    }
}

/* A custom matrix is a source like any other. */
static void
from_custom_to_custom(void **state)
{
    static const char *const chain[] = {
        "hyb<8, 2>", "bdia_csr<3, 2>", "cisr", "dok", "csb<4>", "ell", "lil"};
    sb_matrix a = source(20);
    const sb_problem pb = {.op = SB_OP_SPMV, .a = a};
    places want = places_of(&a), got;
    spblasSpMatDescr_t at, next;
    char message[200];
    call c;

    (void)state;
    (void)call_begin(&c, &pb);
    at = convert(c.a, "coo");
    for (int q = 0; q < SB_COUNT(chain); q++) {
        next = convert(at, chain[q]);
        must(spblasDestroySpMat(at));
        at = next;
    }
    got = places_read(handle, at);
    if (!places_equal(&got, &want, false, message, sizeof message))
        fail_msg("%s", message);
    must(spblasDestroySpMat(at));
    call_end(&c);
    places_free(&got);
    places_free(&want);
    gen_free_matrix(&a);
}

/* Without elements there need be no arrays. */
static void
nothing_converts(void **state)
{
    static int32_t zeros[4];
    static const int64_t sizes[][2] = {{3, 4}, {0, 4}, {3, 0}, {0, 0}};

    (void)state;
    for (int k = 0; k < SB_COUNT(sizes); k++)
        for (int q = 0; sb_fmt_registry(q); q++) {
            const char *name = sb_fmt_registry(q)->name;
            const int64_t rows = sizes[k][0];
            spblasSpMatDescr_t a, b;
            places got;

            if (strcmp(name, "csf") == 0 || strstr(name, "3"))
                continue;
            must(spblasCreateCsr(&a, rows, sizes[k][1], 0, rows ? zeros : NULL, NULL,
                                 NULL, SPBLAS_INDEX_32I, SPBLAS_INDEX_32I,
                                 SPBLAS_INDEX_BASE_ZERO, SPBLAS_R_32F));
            b = convert(a, name);
            got = places_read(handle, b);
            assert_int_equal(got.nnz, 0);
            places_free(&got);
            must(spblasDestroySpMat(b));
            must(spblasDestroySpMat(a));
        }
}

/* ---- Ordinary results --------------------------------------------------------------- */

/* 4 x 6, a full 2 x 2 block at (0, 0) and two elements more. */
static int32_t ptr[] = {0, 2, 4, 5, 6}, col[] = {0, 1, 0, 1, 5, 2};
static double val[] = {1, 2, 3, 4, 5, 6};

static spblasSpMatDescr_t
small(void)
{
    spblasSpMatDescr_t a;

    must(spblasCreateCsr(&a, 4, 6, 6, ptr, col, val, SPBLAS_INDEX_32I, SPBLAS_INDEX_32I,
                         SPBLAS_INDEX_BASE_ZERO, SPBLAS_R_64F));
    return a;
}

static void
storage_decides_the_format(void **state)
{
    static const struct {
        const char *text;
        spblasFormat_t format;
    } rows[] = {
        {"csr", SPBLAS_FORMAT_CSR},
        {"format mine (x, y) -> (x, y) merge(0) trim(1, 1)", SPBLAS_FORMAT_CSR},
        {"format mine (x, y) -> (x, y) merge(0, 1) trim(1, 1)", SPBLAS_FORMAT_CSR},
        {"format csr (x, y) -> (x, y) merge(0) trim(0, 1)", SPBLAS_FORMAT_CUSTOM},
        {"format mine (x, y) -> (y, x) merge(0) trim(1, 1)", SPBLAS_FORMAT_CSC},
        {"format mine (x, y) -> (x, y) trim(0, 1)", SPBLAS_FORMAT_COO},
        {"format coo (x, y) -> (y, x) trim(0, 1)", SPBLAS_FORMAT_CUSTOM},
        {"bsr<2>", SPBLAS_FORMAT_BSR},
        {"bsr<4>", SPBLAS_FORMAT_CUSTOM}, /* 6 columns are no whole blocks */
        {"bsr<2, 3>", SPBLAS_FORMAT_CUSTOM},
        {"format columns (i, j) -> (i/2, j/2, j%2, i%2) merge(0, 1) trim(1, 1)",
         SPBLAS_FORMAT_CUSTOM},
        {"lil", SPBLAS_FORMAT_CUSTOM},
        {"ragged", SPBLAS_FORMAT_CUSTOM},
        {"dense", SPBLAS_FORMAT_CUSTOM},
    };
    spblasSpMatDescr_t a = small(), b;

    (void)state;
    for (int q = 0; q < SB_COUNT(rows); q++) {
        b = convert(a, rows[q].text);
        if (format_of(b) != rows[q].format)
            fail_msg("%s: format %d, not %d", rows[q].text, format_of(b),
                     rows[q].format);
        must(spblasDestroySpMat(b));
    }
    must(spblasDestroySpMat(a));
}

static void
ordinary_results_are_ordinary(void **state)
{
    static int32_t ptr0[7] = {0};
    spblasSpMatDescr_t a = small(), b = convert(a, "csc");
    int64_t m, n, nnz;
    void *p, *i, *v;
    spblasIndexType_t pt, it;
    spblasIndexBase_t base;
    spblasDataType_t type;

    (void)state;
    must(spblasCscGet(b, &m, &n, &nnz, &p, &i, &v, &pt, &it, &base, &type));
    assert_memory_equal(p, ((int32_t[]){0, 2, 4, 5, 5, 5, 6}), 7 * 4);
    assert_memory_equal(i, ((int32_t[]){0, 1, 0, 1, 3, 2}), 6 * 4);
    assert_memory_equal(v, ((double[]){1, 3, 2, 4, 6, 5}), 6 * 8);
    assert_int_equal(type, SPBLAS_R_64F);
    assert_true(p != (void *)ptr && v != (void *)val);
    assert_int_equal(spblasCsrSetStridedBatch(b, 2, 0, 6), SPBLAS_STATUS_NOT_SUPPORTED);
    /* Its arrays are freed once, wherever it points meanwhile. */
    must(spblasSpMatSetValues(b, val));
    must(spblasCscSetPointers(b, ptr0, NULL, NULL));
    must(spblasDestroySpMat(b));
    must(spblasDestroySpMat(a));
}

/* ---- Arrays ------------------------------------------------------------------------- */

static spblasLevelInfo_t
level(spblasConstSpMatDescr_t a, int part, int q)
{
    spblasLevelInfo_t info = {.structSize = sizeof info};

    must(spblasSpMatGetPartLevel(a, part, q, &info));
    assert_int_equal(info.structSize, sizeof info);
    return info;
}

static void
arrays_of_one_part(void **state)
{
    spblasSpMatDescr_t a = small(), b = convert(a, "dia"), l = convert(a, "lil");
    spblasLevelInfo_t info = level(b, 0, 0);
    const void *values;
    int64_t count, stride;
    int parts;

    (void)state;
    must(spblasSpMatGetPartCount(b, &parts));
    assert_int_equal(parts, 1);
    assert_int_equal(info.levels, 2);
    assert_int_equal(info.count, 4);
    assert_memory_equal(info.idx, ((int32_t[]){-1, 0, 1, 3}), 4 * 4);
    assert_null(info.ptr);
    assert_int_equal(info.lo, -3);
    assert_int_equal(info.idxStride, 1);
    info = level(b, 0, 1);
    assert_null(info.idx);
    assert_int_equal(info.count, 16);
    assert_int_equal(info.size, 4);
    must(spblasSpMatGetPartValues(b, 0, &values, &count, &stride));
    assert_int_equal(count, 16);
    assert_int_equal(stride, 1);
    assert_memory_equal(
        values, ((double[]){0, 3, 0, 6, 1, 4, 0, 0, 2, 0, 0, 0, 0, 0, 5, 0}), 16 * 8);
    /* lil's records are a column and a value. */
    info = level(l, 0, 1);
    assert_int_equal(info.ptrCount, 5);
    assert_memory_equal(info.ptr, ptr, 5 * 4);
    assert_int_equal(info.ptrStride, 1);
    assert_int_equal(info.idxStride, 4);
    must(spblasSpMatGetPartValues(l, 0, &values, &count, &stride));
    assert_int_equal(stride, 2);
    for (int p = 0; p < 6; p++) {
        assert_int_equal(((const int32_t *)info.idx)[4 * p], col[p]);
        assert_true(((const double *)values)[2 * p] == val[p]);
    }
    must(spblasDestroySpMat(l));
    must(spblasDestroySpMat(b));
    must(spblasDestroySpMat(a));
}

static void
arrays_of_parts(void **state)
{
    static const struct {
        const char *text, *part;
        int parts;
    } rows[] = {{"hyb<8, 1>", "format ell_rows<w=8, r=2>", 2},
                {"cisr<3>", "format cisr<p=3>", 3},
                {"hybrid both = { c2sr<2>, coo } by sum(value) groupBy (i) "
                 "with value ne 0 -> 1 | otherwise -> 0 threshold 2",
                 "format c2sr<p=2>", 3}};
    spblasSpMatDescr_t a = small();

    (void)state;
    for (int q = 0; q < SB_COUNT(rows); q++) {
        spblasSpMatDescr_t b = convert(a, rows[q].text);
        int64_t elements = 0, count, stride;
        const void *values;
        size_t size = sizeof one;
        int parts;

        must(spblasSpMatGetPartCount(b, &parts));
        assert_int_equal(parts, rows[q].parts);
        must(spblasSpMatGetFormatText(b, 0, one, &size));
        assert_memory_equal(one, rows[q].part, strlen(rows[q].part));
        for (int k = 0; k < parts; k++) {
            must(spblasSpMatGetPartValues(b, k, &values, &count, &stride));
            assert_int_equal(level(b, k, level(b, k, 0).levels - 1).count, count);
            for (int64_t p = 0; p < count; p++)
                elements += ((const double *)values)[p * stride] != 0;
        }
        assert_int_equal(elements, 6);
        must(spblasDestroySpMat(b));
    }
    must(spblasDestroySpMat(a));
}

/* The caller's own arrays under the levels' names, base included. */
static void
arrays_of_ordinary_matrices(void **state)
{
    static int32_t offsets[] = {1, 2, 3}, columns[] = {2, 1};
    static float blocks[8];
    spblasSpMatDescr_t q;
    spblasLevelInfo_t info;
    const void *values;
    int64_t count, stride;
    size_t size = sizeof one;
    int parts;

    (void)state;
    must(spblasCreateBsr(&q, 2, 3, 2, 2, 2, offsets, columns, blocks, SPBLAS_INDEX_32I,
                         SPBLAS_INDEX_32I, SPBLAS_INDEX_BASE_ONE, SPBLAS_R_32F,
                         SPBLAS_ORDER_COL));
    must(spblasSpMatGetPartCount(q, &parts));
    assert_int_equal(parts, 1);
    info = level(q, 0, 1);
    assert_ptr_equal(info.ptr, offsets);
    assert_ptr_equal(info.idx, columns);
    assert_int_equal(info.ptrCount, 3);
    assert_int_equal(info.count, 2);
    assert_int_equal(info.size, 3);
    must(spblasSpMatGetPartValues(q, 0, &values, &count, &stride));
    assert_ptr_equal(values, blocks);
    assert_int_equal(count, 8);
    must(spblasSpMatGetFormatText(q, -1, one, &size));
    assert_string_equal(one, "format bsr_columns<b=2> (i, j) -> (i/2, j/2, j%2, i%2) "
                             "merge(0, 1) trim(1, 1)");
    must(spblasDestroySpMat(q));
}

/* ---- Values ------------------------------------------------------------------------- */

static void
values_of_custom_matrices(void **state)
{
    static double mine[6] = {6, 5, 4, 3, 2, 1};
    spblasSpMatDescr_t a = small(), b = convert(a, "dcsr"), l = convert(a, "lil"),
                       h = convert(a, "hyb");
    spblasSpMatDescr_t all[] = {a, b, l, h};
    const void *values;
    int64_t count, stride;
    void *own, *now;
    places got;

    (void)state;
    must(spblasSpMatGetValues(b, &own));
    assert_memory_equal(own, val, sizeof val);
    must(spblasSpMatSetValues(b, mine));
    must(spblasSpMatGetValues(b, &now));
    assert_ptr_equal(now, mine);
    must(spblasSpMatGetPartValues(b, 0, &values, &count, &stride));
    assert_ptr_equal(values, mine);
    got = places_read(handle, b);
    assert_true(got.value[0].re == 6 && got.value[3 * 6 + 2].re == 1);
    places_free(&got);
    assert_int_equal(spblasSpMatGetValues(l, &now), SPBLAS_STATUS_NOT_SUPPORTED);
    assert_int_equal(spblasSpMatSetValues(l, mine), SPBLAS_STATUS_NOT_SUPPORTED);
    assert_int_equal(spblasSpMatGetValues(h, &now), SPBLAS_STATUS_NOT_SUPPORTED);
    assert_int_equal(spblasSpMatSetValues(h, mine), SPBLAS_STATUS_NOT_SUPPORTED);
    assert_non_null(strstr(spblasGetLastErrorMessage(NULL), "PartValues"));
    for (int q = 0; q < SB_COUNT(all); q++)
        must(spblasDestroySpMat(all[q]));
}

static int
begin(void **state)
{
    (void)state;
    return (int)spblasCreate(&handle);
}

static int
end(void **state)
{
    (void)state;
    return (int)spblasDestroy(handle);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_round_trip),
        cmocka_unit_test(all_formats_there_and_back),
        cmocka_unit_test(from_custom_to_custom),
        cmocka_unit_test(nothing_converts),
        cmocka_unit_test(storage_decides_the_format),
        cmocka_unit_test(ordinary_results_are_ordinary),
        cmocka_unit_test(arrays_of_one_part),
        cmocka_unit_test(arrays_of_parts),
        cmocka_unit_test(arrays_of_ordinary_matrices),
        cmocka_unit_test(values_of_custom_matrices),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
