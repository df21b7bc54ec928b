/*
 * Orders of entries in the memory of the emulated GPU: CSR to CSC, sorts of COO, CSR and CSC
 * with a permutation, sorting with values and back, offsets and rows, against the host's, in several orders of blocks and
 * threads; waits for nothing; buffers of just the bytes asked for.
 * ctest-labels: quick gpu-emu
 */
#include "base/macro.h"
#include "cachebox.h"
#include "gen.h"
#include "gpu/emu.h"
#include "gpuworld.h"

#include "spblas_legacy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static spblasHandle_t gpu, cpu;

static void
order_of(uint64_t k)
{
    static const char *const orders[] = {"forward", "reverse", "random:7"};

    assert_int_equal(setenv("SPBLAS_EMU_ORDER", orders[k % 3], 1), 0);
}

static void *
blank(size_t bytes)
{
    void *host = malloc(bytes + 1), *at;

    memset(host, 0x5a, bytes + 1);
    at = world_device(host, bytes + (bytes == 0));
    free(host);
    return at;
}

/* Waits, copies and memory that calls asked for between the two must be none. */
static void
asked_nothing(const sb_emu_counts *before)
{
    sb_emu_counts after = sb_emu_count();

    assert_int_equal(after.waits, before->waits);
    assert_int_equal(after.copies, before->copies);
    assert_int_equal(after.allocs, before->allocs);
}

static sb_matrix
csr(uint64_t k, bool unsorted)
{
    gen_spec spec = gen_case(k);

    spec.format = SB_FORMAT_CSR;
    spec.val_type = k % 2 ? SB_F64 : SB_F16;
    spec.ptr_type = spec.idx_type = SB_I32;
    spec.unsorted = unsorted;
    if (k % 7 == 0) { /* several groups, digits that go on */
        spec.family = GEN_UNIFORM;
        spec.rows = 70;
        spec.cols = 1300;
        spec.density = 0.03;
    }
    return gen_matrix(&spec);
}

/* ---- CSR to CSC ----------------------------------------------------------------------- */

typedef struct csc {
    int *ptr, *row;
    void *val, *buffer;
} csc;

static csc
flip(spblasHandle_t h, const sb_matrix *a, void *(*take)(size_t))
{
    const int m = (int)a->rows, n = (int)a->cols, nnz = (int)a->nnz;
    const size_t size = sb_dtype_size(a->val_type);
    const spblasDataType_t type = size == 8 ? SPBLAS_R_64F : SPBLAS_R_16F;
    csc c = {take(((size_t)n + 1) * 4), take((size_t)nnz * 4), take((size_t)nnz * size),
             NULL};
    sb_emu_counts before;
    size_t bytes;

    world_must(spblasCsr2cscEx2_bufferSize(h, m, n, nnz, a->val, a->ptr, a->idx, c.val,
                                           c.ptr, c.row, type, SPBLAS_ACTION_NUMERIC,
                                           (spblasIndexBase_t)a->base,
                                           SPBLAS_CSR2CSC_ALG_DEFAULT, &bytes));
    c.buffer = take(bytes);
    before = sb_emu_count();
    world_must(spblasCsr2cscEx2(h, m, n, nnz, a->val, a->ptr, a->idx, c.val, c.ptr,
                                c.row, type, SPBLAS_ACTION_NUMERIC,
                                (spblasIndexBase_t)a->base, SPBLAS_CSR2CSC_ALG_DEFAULT,
                                c.buffer));
    asked_nothing(&before);
    return c;
}

static void *
host(size_t bytes)
{
    return calloc(bytes + 1, 1);
}

static void
test_flip(void **state)
{
    (void)state;
    NEED_COMPILER();
    for (uint64_t k = 0; k < 28; k++) {
        sb_matrix a = csr(k, k % 2), there = world_matrix(&a);
        csc want = flip(cpu, &a, host), got;

        order_of(k);
        got = flip(gpu, &there, blank);
        assert_memory_equal(got.ptr, want.ptr, (size_t)(a.cols + 1) * 4);
        assert_memory_equal(got.row, want.row, (size_t)a.nnz * 4);
        assert_memory_equal(got.val, want.val,
                            (size_t)a.nnz * sb_dtype_size(a.val_type));
        world_free(got.ptr);
        world_free(got.row);
        world_free(got.val);
        world_free(got.buffer);
        world_free_matrix(&there);
        free(want.ptr);
        free(want.row);
        free(want.val);
        free(want.buffer);
        gen_free_matrix(&a);
    }
}

/* ---- sorts ---------------------------------------------------------------------------- */

typedef enum sort { BY_ROW, BY_COLUMN, CSR, CSC } sort;

/* Rows (or offsets), columns and a permutation, sorted in place. */
static void
run_sort(spblasHandle_t h, sort what, const sb_matrix *a, int *row, int *col, int *p,
         void *(*take)(size_t), void (*give)(void *))
{
    const spblasMatDescr_t descr = {.base = (spblasIndexBase_t)a->base};
    const int m = (int)a->rows, n = (int)a->cols, nnz = (int)a->nnz;
    sb_emu_counts before;
    void *buffer;
    size_t bytes;

    if (what == CSR)
        world_must(spblasXcsrsort_bufferSizeExt(h, m, n, nnz, row, col, &bytes));
    else if (what == CSC)
        world_must(spblasXcscsort_bufferSizeExt(h, n, m, nnz, row, col, &bytes));
    else
        world_must(spblasXcoosort_bufferSizeExt(h, m, n, nnz, row, col, &bytes));
    buffer = take(bytes);
    before = sb_emu_count();
    world_must(spblasCreateIdentityPermutation(h, nnz, p));
    if (what == CSR)
        world_must(spblasXcsrsort(h, m, n, nnz, &descr, row, col, p, buffer));
    else if (what == CSC)
        world_must(spblasXcscsort(h, n, m, nnz, &descr, row, col, p, buffer));
    else if (what == BY_ROW)
        world_must(spblasXcoosortByRow(h, m, n, nnz, row, col, p, buffer));
    else
        world_must(spblasXcoosortByColumn(h, m, n, nnz, row, col, p, buffer));
    asked_nothing(&before);
    give(buffer);
}

static void
give_back(void *p)
{
    world_free(p);
}

static void
sort_case(uint64_t k, sort what)
{
    sb_matrix a = csr(k, true);
    const size_t entries = (size_t)a.nnz * 4, majors = (size_t)(a.rows + 1) * 4;
    const bool listed = what == BY_ROW || what == BY_COLUMN;
    int *row = listed ? host(entries) : gen_copy_bytes(a.ptr, majors);
    int *col = gen_copy_bytes(a.idx, entries + (a.nnz == 0)), *p = host(entries);
    int *row_there, *col_there, *p_there;

    if (listed) { /* columns by columns: rows come shuffled */
        for (int64_t q = 0; q < a.nnz; q++)
            row[q] = (int)((q * 7 + 3) % a.rows);
    }
    row_there = world_device(row, (listed ? entries : majors) + (listed && !a.nnz));
    col_there = world_device(col, entries + (a.nnz == 0));
    p_there = blank(entries);
    order_of(k);
    run_sort(cpu, what, &a, row, col, p, host, free);
    run_sort(gpu, what, &a, row_there, col_there, p_there, blank, give_back);
    assert_memory_equal(row_there, row, listed ? entries : majors);
    assert_memory_equal(col_there, col, entries);
    assert_memory_equal(p_there, p, entries);
    world_free(row_there);
    world_free(col_there);
    world_free(p_there);
    free(row);
    free(col);
    free(p);
    gen_free_matrix(&a);
}

static void
test_sorts(void **state)
{
    (void)state;
    NEED_COMPILER();
    for (uint64_t k = 0; k < 32; k++)
        sort_case(k, (sort)(k % 4));
}

/* ---- sorting and back ----------------------------------------------------------------- */

/* Twice sorted and back: the second time the order has its memory. */
static void
run_csru(spblasHandle_t h, const sb_matrix *a, int *ptr, int *col, void *val,
         int *sorted, void *(*take)(size_t), void (*give)(void *))
{
    static const spblasDataType_t types[] = {SPBLAS_R_16F, SPBLAS_R_64F, SPBLAS_C_64F};
    const size_t size = sb_dtype_size(a->val_type);
    const spblasDataType_t t = types[size / 8];
    const spblasMatDescr_t descr = {.base = (spblasIndexBase_t)a->base};
    const int m = (int)a->rows, n = (int)a->cols, nnz = (int)a->nnz;
    spblasLegacyInfo_t info;
    sb_emu_counts before;
    void *buffer;
    size_t bytes;

    world_must(spblasCreateLegacyInfo(&info));
    world_must(
        spblasXcsru2csr_bufferSizeExt(h, t, m, n, nnz, val, ptr, col, info, &bytes));
    buffer = take(bytes);
    for (int again = 0; again < 2; again++) {
        before = sb_emu_count();
        world_must(
            spblasXcsru2csr(h, t, m, n, nnz, &descr, val, ptr, col, info, buffer));
        if (again)
            asked_nothing(&before);
        if (nnz > 0) {
            memcpy(sorted, col, (size_t)nnz * 4);
            memcpy(sorted + nnz, val, (size_t)nnz * size);
        }
        before = sb_emu_count();
        world_must(
            spblasXcsr2csru(h, t, m, n, nnz, &descr, val, ptr, col, info, buffer));
        asked_nothing(&before);
    }
    give(buffer);
    world_must(spblasDestroyLegacyInfo(info));
}

static void
test_csru(void **state)
{
    (void)state;
    NEED_COMPILER();
    for (uint64_t k = 0; k < 28; k++) {
        sb_matrix a = csr(k, true), there = world_matrix(&a), here = a;
        const size_t entries = (size_t)a.nnz * 4,
                     values = (size_t)a.nnz * sb_dtype_size(a.val_type);
        int *want = host(entries + values), *got = host(entries + values);

        here.ptr = gen_copy_bytes(a.ptr, (size_t)(a.rows + 1) * 4);
        here.idx = gen_copy_bytes(a.idx, entries + (a.nnz == 0));
        here.val = gen_copy_bytes(a.val, values + (a.nnz == 0));
        order_of(k);
        run_csru(cpu, &a, (int *)(uintptr_t)here.ptr, (int *)(uintptr_t)here.idx,
                 here.val, want, host, free);
        run_csru(gpu, &a, (int *)(uintptr_t)there.ptr, (int *)(uintptr_t)there.idx,
                 there.val, got, blank, give_back);
        assert_memory_equal(got, want, entries + values);
        assert_memory_equal(there.idx, a.idx, entries);
        assert_memory_equal(there.val, a.val, values);
        free((void *)(uintptr_t)here.ptr);
        free((void *)(uintptr_t)here.idx);
        free(here.val);
        free(want);
        free(got);
        world_free_matrix(&there);
        gen_free_matrix(&a);
    }
}

/* ---- offsets -------------------------------------------------------------------------- */

static void
test_offsets(void **state)
{
    (void)state;
    NEED_COMPILER();
    for (uint64_t k = 0; k < 16; k++) {
        sb_matrix a = csr(k, false), there = world_matrix(&a);
        const int m = (int)a.rows, nnz = (int)a.nnz;
        const spblasIndexBase_t base = (spblasIndexBase_t)a.base;
        int *row = blank((size_t)nnz * 4), *ptr = blank((size_t)(m + 1) * 4);
        int *want = host((size_t)nnz * 4);

        order_of(k);
        world_must(spblasXcsr2coo(gpu, there.ptr, nnz, m, row, base));
        world_must(spblasXcsr2coo(cpu, a.ptr, nnz, m, want, base));
        assert_memory_equal(row, want, (size_t)nnz * 4);
        world_must(spblasXcoo2csr(gpu, row, nnz, m, ptr, base));
        assert_memory_equal(ptr, a.ptr, (size_t)(m + 1) * 4);
        world_free(row);
        world_free(ptr);
        free(want);
        world_free_matrix(&there);
        gen_free_matrix(&a);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flip),
        cmocka_unit_test(test_sorts),
        cmocka_unit_test(test_csru),
        cmocka_unit_test(test_offsets),
    };
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
