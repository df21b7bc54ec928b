/*
 * spblasConvert on the emulated GPU: every format that a caller owns to CSR, CSC, COO and BSR
 * gives arrays in its memory, of the host's bits, with which SpMV computes; what stays in the
 * library's memory computes too and converts back; CSR, CSC and COO in order go into each
 * other there, with one number copied to the host; short memory leaves nothing behind.
 * ctest-labels: quick gpu-emu
 */
#include "base/alloc.h"
#include "base/macro.h"
#include "cachebox.h"
#include "call.h"
#include "gen.h"
#include "gpu/emu.h"
#include "gpuworld.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 12, COLS = 8 };

static spblasHandle_t gpu, cpu;

static const sb_format formats[] = {SB_FORMAT_CSR, SB_FORMAT_CSC,  SB_FORMAT_COO,
                                    SB_FORMAT_BSR, SB_FORMAT_BELL, SB_FORMAT_SELL};
/* Those that getters show first; the last stays a tensor. */
static const char *const texts[] = {"csr", "csc", "coo", "bsr<2>", "sell<c=4>"};
enum { SHOWN = 3, TENSOR = 4 };

static sb_matrix
source_of(uint64_t k)
{
    const gen_spec s = {.family = GEN_UNIFORM,
                        .rows = ROWS,
                        .cols = COLS,
                        .density = 0.3,
                        .seed = k,
                        .format = formats[k % 6],
                        .ptr_type = SB_I32,
                        .idx_type = k / 6 % 2 ? SB_I64 : SB_I32,
                        .val_type = k / 12 % 2 ? SB_F32 : SB_F64,
                        .base = (int)(k / 3 % 2),
                        .block = 2,
                        .integer = true};

    return s.format == SB_FORMAT_BELL || s.format == SB_FORMAT_SELL ? gen_padded(&s)
                                                                    : gen_matrix(&s);
}

static spblasSpMatDescr_t
convert(spblasHandle_t h, spblasConstSpMatDescr_t a, int text)
{
    spblasFormatDescr_t f;
    spblasSpMatDescr_t out;

    world_must(spblasCreateFormat(&f, texts[text]));
    world_must(spblasConvert(h, a, f, &out));
    world_must(spblasDestroyFormat(f));
    return out;
}

/* ---- arrays ----------------------------------------------------------------------------- */

typedef struct arrays {
    const void *at[3];
    size_t bytes[3];
} arrays;

static size_t
width(spblasIndexType_t t)
{
    return t == SPBLAS_INDEX_64I ? 8 : 4;
}

static arrays
arrays_of(spblasSpMatDescr_t d, int text, size_t value)
{
    spblasIndexType_t ptr_type = SPBLAS_INDEX_32I, idx_type;
    int64_t m, n, nnz, major;
    void *ptr, *idx, *val;
    spblasIndexBase_t base;
    spblasDataType_t type;

    if (text == 0)
        world_must(spblasCsrGet(d, &m, &n, &nnz, &ptr, &idx, &val, &ptr_type, &idx_type,
                                &base, &type));
    else if (text == 1)
        world_must(spblasCscGet(d, &m, &n, &nnz, &ptr, &idx, &val, &ptr_type, &idx_type,
                                &base, &type));
    else
        world_must(
            spblasCooGet(d, &m, &n, &nnz, &ptr, &idx, &val, &idx_type, &base, &type));
    major = text == 1 ? n : m;
    return (arrays){{ptr, idx, val},
                    {text == 2 ? (size_t)nnz * width(idx_type)
                               : (size_t)(major + 1) * width(ptr_type),
                     (size_t)nnz * width(idx_type), (size_t)nnz * value}};
}

/* y = A x, both where the handle's arrays lie. */
static void
multiply(double out[ROWS], spblasHandle_t h, spblasSpMatDescr_t a, sb_dtype t,
         bool there)
{
    const spblasOperation_t op = SPBLAS_OPERATION_NON_TRANSPOSE;
    double one[1], zero[1] = {0}, x[COLS], y[ROWS] = {0};
    void *x_at = x, *y_at = y;
    spblasDnVecDescr_t dx, dy;

    sb_value_store(t, one, 0, (sb_value){1, 0});
    for (int q = 0; q < COLS; q++)
        sb_value_store(t, x, q, (sb_value){q % 5 - 2, 0});
    if (there) {
        x_at = world_device(x, sizeof x);
        y_at = world_device(y, sizeof y);
    }
    world_must(spblasCreateDnVec(&dx, COLS, x_at, call_type(t)));
    world_must(spblasCreateDnVec(&dy, ROWS, y_at, call_type(t)));
    world_must(spblasSpMV_preprocess(h, op, one, a, dx, zero, dy, call_type(t),
                                     SPBLAS_SPMV_ALG_DEFAULT, NULL));
    world_must(spblasSpMV(h, op, one, a, dx, zero, dy, call_type(t),
                          SPBLAS_SPMV_ALG_DEFAULT, NULL));
    memset(out, 0, ROWS * sizeof *out);
    memcpy(out, y_at, ROWS * sb_dtype_size(t));
    world_must(spblasDestroyDnVec(dx));
    world_must(spblasDestroyDnVec(dy));
    if (there) {
        world_free(x_at);
        world_free(y_at);
    }
}

static void
compare(spblasSpMatDescr_t got, spblasSpMatDescr_t want, int text, sb_dtype t)
{
    const arrays x = arrays_of(got, text, sb_dtype_size(t)),
                 y = arrays_of(want, text, sb_dtype_size(t));

    for (int q = 0; q < 3; q++) {
        assert_int_equal(x.bytes[q], y.bytes[q]);
        assert_memory_equal(x.at[q], y.at[q], x.bytes[q]);
    }
}

static void
one_case(uint64_t k, int text)
{
    sb_matrix a = source_of(k), moved = world_matrix(&a);
    double want_y[ROWS], got_y[ROWS];
    spblasSpMatDescr_t source, source_there, want, got;

    world_must(call_sparse(&source, &a));
    world_must(call_sparse(&source_there, &moved));
    want = convert(cpu, source, text);
    got = convert(gpu, source_there, text);
    if (text < SHOWN)
        compare(got, want, text, a.val_type);
    multiply(want_y, cpu, want, a.val_type, false);
    multiply(got_y, gpu, got, a.val_type, true);
    assert_memory_equal(got_y, want_y, sizeof got_y);
    if (text == TENSOR) { /* back to where it came from */
        spblasSpMatDescr_t csr = convert(cpu, want, 0),
                           csr_there = convert(gpu, got, 0);

        compare(csr_there, csr, 0, a.val_type);
        world_must(spblasDestroySpMat(csr));
        world_must(spblasDestroySpMat(csr_there));
    }
    world_must(spblasDestroySpMat(want));
    world_must(spblasDestroySpMat(got));
    world_must(spblasDestroySpMat(source));
    world_must(spblasDestroySpMat(source_there));
    world_free_matrix(&moved);
    gen_free_matrix(&a);
}

static void
test_pairs(void **state)
{
    (void)state;
    NEED_COMPILER();
    for (uint64_t k = 0; k < 6; k++)
        for (int text = 0; text < SB_COUNT(texts); text++)
            one_case(k + 6 * (uint64_t)(text % 4), text);
}

/* ---- without the host ------------------------------------------------------------------- */

/* More entries than a group of the sort takes, more columns than a digit has. */
static sb_matrix
plain_of(int k, bool unsorted, bool duplicates, int base)
{
    static const sb_dtype types[] = {SB_F64, SB_F32, SB_C64};
    const gen_spec s = {.family = GEN_UNIFORM,
                        .rows = 45,
                        .cols = 70,
                        .density = 0.4,
                        .seed = 5,
                        .format = formats[k % SHOWN],
                        .ptr_type = SB_I32,
                        .idx_type = SB_I32,
                        .val_type = types[k % 3],
                        .unsorted = unsorted,
                        .duplicates = duplicates,
                        .base = base,
                        .integer = true};

    return gen_matrix(&s);
}

/* How many copies it took. */
static int64_t
convert_both(const sb_matrix *a, int text)
{
    sb_matrix moved = world_matrix(a);
    spblasSpMatDescr_t source, source_there, want, got;
    int64_t copies;

    world_must(call_sparse(&source, a));
    world_must(call_sparse(&source_there, &moved));
    want = convert(cpu, source, text);
    copies = sb_emu_count().copies;
    got = convert(gpu, source_there, text);
    copies = sb_emu_count().copies - copies;
    compare(got, want, text, a->val_type);
    world_must(spblasDestroySpMat(want));
    world_must(spblasDestroySpMat(got));
    world_must(spblasDestroySpMat(source));
    world_must(spblasDestroySpMat(source_there));
    world_free_matrix(&moved);
    return copies;
}

static void
test_there(void **state)
{
    static const char *const orders[] = {"forward", "reverse", "random:7"};

    (void)state;
    NEED_COMPILER();
    for (int k = 0; k < SHOWN * SHOWN; k++) {
        sb_matrix a = plain_of(k, false, false, 0);

        for (int q = 0; q < SB_COUNT(orders); q++) {
            assert_int_equal(setenv("SPBLAS_EMU_ORDER", orders[q], 1), 0);
            assert_int_equal(convert_both(&a, k / SHOWN), 1);
        }
        gen_free_matrix(&a);
    }
    assert_int_equal(unsetenv("SPBLAS_EMU_ORDER"), 0);
}

/* Matrices that are not in order are the host's work, to the same result. */
static void
test_out_of_order(void **state)
{
    (void)state;
    NEED_COMPILER();
    for (int k = 0; k < 3 * SHOWN; k++) {
        sb_matrix a = plain_of(k, k < SHOWN, false, k / SHOWN == 1);
        int32_t *idx = (int32_t *)(uintptr_t)a.idx, first = idx[0];

        if (k >= 2 * SHOWN) { /* two of a row alone */
            idx[0] = idx[1];
            idx[1] = first;
        }

        assert_true(convert_both(&a, (k + 1) % SHOWN) > 1);
        gen_free_matrix(&a);
    }
}

/* Columns out of the matrix, offsets that lead out of the arrays, places twice. */
static void
test_faulty(void **state)
{
    (void)state;
    NEED_COMPILER();
    for (int k = 0; k < 3 * SHOWN; k++) {
        sb_matrix a = plain_of(k, false, k >= 2 * SHOWN, 0), moved;
        spblasFormatDescr_t f;
        spblasSpMatDescr_t source, out;

        if (k < SHOWN || (k < 2 * SHOWN && a.format == SB_FORMAT_COO))
            ((int32_t *)(uintptr_t)a.idx)[a.nnz - 1] = 70;
        else if (k < 2 * SHOWN)
            ((int32_t *)(uintptr_t)a.ptr)[3] = 1 << 30;
        moved = world_matrix(&a);
        world_must(call_sparse(&source, &moved));
        world_must(spblasCreateFormat(&f, texts[(k + 1) % SHOWN]));
        assert_int_equal(spblasConvert(gpu, source, f, &out),
                         SPBLAS_STATUS_INVALID_VALUE);
        world_must(spblasDestroyFormat(f));
        world_must(spblasDestroySpMat(source));
        world_free_matrix(&moved);
        gen_free_matrix(&a);
    }
}

/* ---- short memory ------------------------------------------------------------------------ */

static void
test_short_memory(void **state)
{
    sb_matrix a, there;
    spblasSpMatDescr_t source, out;
    spblasFormatDescr_t csc;
    int64_t live;
    int tries = 0;

    (void)state;
    NEED_COMPILER(); /* a refused kernel is remembered, which is a block */
    a = source_of(0);
    there = world_matrix(&a);
    world_must(call_sparse(&source, &there));
    world_must(spblasCreateFormat(&csc, "csc"));
    live = sb_alloc_live();
    for (spblasStatus_t st = SPBLAS_STATUS_ALLOC_FAILED; st != SPBLAS_STATUS_SUCCESS;
         tries++) {
        const int64_t blocks = sb_emu_count().blocks;

        (void)sb_alloc_fail_after(tries);
        st = spblasConvert(gpu, source, csc, &out);
        (void)sb_alloc_fail_after(-1);
        if (st == SPBLAS_STATUS_SUCCESS)
            continue;
        assert_int_equal(st, SPBLAS_STATUS_ALLOC_FAILED);
        assert_null(out);
        assert_int_equal(sb_alloc_live(), live);
        assert_int_equal(sb_emu_count().blocks, blocks);
    }
    assert_true(tries > 3);
    world_must(spblasDestroyFormat(csc));
    world_must(spblasDestroySpMat(out));
    world_must(spblasDestroySpMat(source));
    world_free_matrix(&there);
    gen_free_matrix(&a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs), cmocka_unit_test(test_there),
        cmocka_unit_test(test_out_of_order), cmocka_unit_test(test_faulty),
        cmocka_unit_test(test_short_memory)};
    int failed;

    if (!sb_box_open(SB_BINARY_DIR) || spblasCreateOn(&gpu, "emu") != 0 ||
        spblasCreateOn(&cpu, "cpu") != 0)
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    failed += spblasDestroy(gpu) != 0 || spblasDestroy(cpu) != 0;
    failed += sb_emu_count().blocks != 0;
    sb_box_close();
    return failed;
}
