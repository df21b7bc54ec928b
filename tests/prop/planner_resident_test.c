/*
 * What something else in the process compiled must not cost ESTIMATE its prefetches or streaming
 * stores (a wide tile without them is no better than a narrower one with them), nor the form.
 */
#include "cpu/cpu.h"
#include "gen.h"
#include "planner/planner.h"
#include "runtime/backend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Columns shared by threes, and A, B and C of more than 30 MB. */
enum { ROWS = 15000, WIDE = 128, ENTRIES = 60, APART = ROWS / ENTRIES };

static void
make(sb_matrix *a, int32_t *ptr, int32_t *crd, double *val)
{
    *a = (sb_matrix){.format = SB_FORMAT_CSR,
                     .val_type = SB_F64,
                     .ptr_type = SB_I32,
                     .idx_type = SB_I32,
                     .rows = ROWS,
                     .cols = ROWS,
                     .nnz = ROWS * ENTRIES,
                     .batch = 1,
                     .ptr = ptr,
                     .idx = crd,
                     .val = val};
    for (int32_t i = 0; i <= ROWS; i++)
        ptr[i] = i * ENTRIES;
    for (int32_t i = 0; i < ROWS; i++)
        for (int32_t q = 0; q < ENTRIES; q++) {
            crd[i * ENTRIES + q] = q * APART + (i / 3 * 37 + q * 11) % APART;
            val[i * ENTRIES + q] = 1;
        }
}

static void
plan(char *out, size_t size, const sb_problem *pb, const char *text)
{
    const sb_options opt = {.plan = text};
    sb_plan *made;

    assert_int_equal(sb_plan_create(&made, pb, &opt, NULL), SB_OK);
    assert_true(strlen(made->text) < size);
    memcpy(out, made->text, strlen(made->text) + 1);
    sb_plan_release(made);
}

/* Characters that name the form: where its kernels are not built in, what was compiled may have made
 * another one possible, which is no loss. */
static size_t
form(const char *text)
{
    const char *tile = strstr(text, " (tile");

    return tile ? (size_t)(tile - text) : strlen(text);
}

static void
test_compiled_tile(void **state)
{
    static const char *const forced[] = {
        "(plan spmm (part share 3) (part rows flat 1) (tile 64))",
        "(plan spmm (part win 3) (part rows flat 1) (tile 64))",
        "(plan spmm (part csr) (tile 128))"};
    const gen_dense_spec dense = {
        .rows = ROWS, .cols = WIDE, .ld = WIDE, .type = SB_F64, .seed = 1};
    sb_problem pb = {.op = SB_OP_SPMM, .compute = SB_F64, .batch = 1};
    static int32_t ptr[ROWS + 1], crd[ROWS * ENTRIES];
    static double val[ROWS * ENTRIES];
    char first[256], again[256], other[256];

    (void)state;
    make(&pb.a, ptr, crd, val);
    pb.b = gen_dense(&dense);
    pb.c = gen_dense(&dense);
    pb.alpha.re = 1;
    plan(first, sizeof first, &pb, NULL);
    for (size_t q = 0; q < sizeof forced / sizeof *forced; q++)
        plan(other, sizeof other, &pb, forced[q]);
    plan(again, sizeof again, &pb, NULL);
    if (form(first) == form(again) && memcmp(first, again, form(first)) == 0)
        assert_string_equal(first, again);
    gen_free_dense(&pb.b);
    gen_free_dense(&pb.c);
}

/* Runs of columns that three rows share, but for rows `left` over. */
static void
in_threes(sb_matrix *a, int32_t *ptr, int32_t *crd, double *val, int left)
{
    make(a, ptr, crd, val);
    a->rows -= left > 0 ? 3 - left : 0;
    a->nnz = a->rows * ENTRIES;
    for (int32_t i = 0; i < ROWS; i++)
        for (int32_t q = 0; q < ENTRIES; q++)
            crd[i * ENTRIES + q] = i / 3 * 3 % (ROWS - ENTRIES) + q;
}

/* A kernel for windows and rows that something else compiled is of no use where no rows are left
 * over: the windows are not to be given up for it. */
static void
test_no_rows_left(void **state)
{
    const gen_dense_spec dense = {
        .rows = ROWS, .cols = 8, .ld = 8, .type = SB_F64, .seed = 1};
    const sb_options opt = {0};
    sb_problem pb = {.op = SB_OP_SPMM, .compute = SB_F64, .batch = 1};
    static int32_t ptr[ROWS + 1], crd[ROWS * ENTRIES];
    static double val[ROWS * ENTRIES];
    double predicted[2];
    char other[256];

    (void)state;
    pb.b = gen_dense(&dense);
    pb.c = gen_dense(&dense);
    pb.alpha.re = 1;
    for (int q = 0; q < 2; q++) {
        sb_plan *made;

        in_threes(&pb.a, ptr, crd, val, 0);
        pb.c.rows = pb.a.rows;
        assert_int_equal(sb_plan_create(&made, &pb, &opt, NULL), SB_OK);
        predicted[q] = made->predicted;
        sb_plan_release(made);
        in_threes(&pb.a, ptr, crd, val, 1);
        pb.c.rows = pb.a.rows;
        plan(other, sizeof other, &pb, "(plan spmm (part win 3) (part rows flat 1))");
    }
    assert_true(predicted[1] <= predicted[0]);
    gen_free_dense(&pb.b);
    gen_free_dense(&pb.c);
}

/* C is large and its rows are short: they are to go past the caches. Kernels for tiles of 64 that do so
 * are built in, but cut short by masks they store as ever, and each row comes from memory first. */
static void
test_wide_tile(void **state)
{
    enum { TALL = 100000, FEW = 3, COLUMNS = 32 };
    const gen_dense_spec dense = {
        .rows = TALL, .cols = COLUMNS, .ld = COLUMNS, .type = SB_F64, .seed = 1};
    const sb_options opt = {.plan = "(plan spmm (part pick) (packed))",
                            .values_frozen = true};
    sb_problem pb = {.op = SB_OP_SPMM, .compute = SB_F64, .batch = 1};
    static int32_t ptr[TALL + 1], crd[TALL * FEW];
    static double val[TALL * FEW];
    sb_plan *made;

    (void)state;
    pb.a = (sb_matrix){.format = SB_FORMAT_CSR,
                       .val_type = SB_F64,
                       .ptr_type = SB_I32,
                       .idx_type = SB_I32,
                       .rows = TALL,
                       .cols = TALL,
                       .nnz = TALL * FEW,
                       .batch = 1,
                       .ptr = ptr,
                       .idx = crd,
                       .val = val};
    for (int32_t i = 0; i <= TALL; i++)
        ptr[i] = i * FEW;
    for (int32_t p = 0; p < TALL * FEW; p++)
        crd[p] = p % FEW * (TALL / FEW) + p / FEW * 37 % (TALL / FEW);
    pb.b = gen_dense(&dense);
    pb.c = gen_dense(&dense);
    pb.alpha.re = 1;
    assert_int_equal(setenv("SPBLAS_CC", "no-such-compiler", 1), 0);
    assert_int_equal(sb_plan_create(&made, &pb, &opt, NULL), SB_OK);
    assert_int_equal(unsetenv("SPBLAS_CC"), 0);
    assert_false(strstr(made->text, "(tile 64)") && strstr(made->text, "(stream)"));
    sb_plan_release(made);
    gen_free_dense(&pb.b);
    gen_free_dense(&pb.c);
}

static int
start(void **state)
{
    (void)state;
    sb_backend_set(&sb_cpu_backend);
    return setenv("SPBLAS_MODEL", "off", 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_wide_tile),
                                       cmocka_unit_test(test_compiled_tile),
                                       cmocka_unit_test(test_no_rows_left)};

    return cmocka_run_group_tests(tests, start, NULL);
}
