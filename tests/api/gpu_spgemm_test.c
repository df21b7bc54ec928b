/*
 * Products of sparse matrices in the memory of the emulated GPU: families, some types, index
 * widths and bases against the oracle, with and without reuse, in several orders of blocks and
 * threads; rows in batches, in buffers smaller than what was asked for; a graph of the values;
 * what is refused.
 * ctest-labels: quick gpu-emu
 */
#include "base/macro.h"
#include "cachebox.h"
#include "call.h"
#include "gpu/emu.h"
#include "gpuworld.h"
#include "spgemmlab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define N SPBLAS_OPERATION_NON_TRANSPOSE

/* With constants that small every size is for a row at a time: batches everywhere. */
#ifdef SB_TINY
enum { SHRINKS = 0 };
#else
enum { SHRINKS = 1 };
#endif

static const sb_driver *d;
static sb_matrix a_there, b_there;

static void *
take(size_t bytes)
{
    sb_cu_mem at;

    assert_int_equal(d->alloc(&at, bytes), 0);
    return (void *)(uintptr_t)at;
}

static void
give(void *p)
{
    assert_int_equal(d->free((uintptr_t)p), 0);
}

/* A and B there, the host's for the oracle. */
static void
move(spgemm_lab *l)
{
    l->take = take;
    l->give = give;
    a_there = world_matrix(&l->a);
    b_there = world_matrix(&l->b);
    world_must(spblasCsrSetPointers(l->A, spgemm_plain(a_there.ptr),
                                    spgemm_plain(a_there.idx), a_there.val));
    world_must(spblasCsrSetPointers(l->B, spgemm_plain(b_there.ptr),
                                    spgemm_plain(b_there.idx), b_there.val));
}

static void
leave(spgemm_lab *l)
{
    spgemm_end(l);
    world_free_matrix(&a_there);
    world_free_matrix(&b_there);
}

/* Case k: shapes and families of two matrices that fit; two sorts of types. */
static spgemm_lab
lab_make(uint64_t k, int kind)
{
    static const struct {
        sb_dtype val, b_idx, other;
    } kinds[] = {{SB_F32, SB_I32, SB_I64},
                 {SB_C64, SB_I64, SB_I32},
                 {SB_BF16, SB_I32, SB_I32},
                 {SB_C16, SB_I32, SB_I32}};
    gen_spec a = gen_case(k), b = gen_case(k * 7 + 3);

    b.rows = a.cols;
    a.val_type = b.val_type = kinds[kind].val;
    a.ptr_type = a.idx_type = b.ptr_type = k % 2 ? kinds[kind].other : SB_I32;
    b.idx_type = kinds[kind].b_idx;
    a.integer = b.integer = true;
    a.format = b.format = SB_FORMAT_CSR;
    return spgemm_begin(&a, &b, a.ptr_type, b.idx_type, (int)(k >> 1 & 1));
}

static void
order_of(uint64_t k)
{
    static const char *const orders[] = {"forward", "reverse", "random:7"};

    assert_int_equal(setenv("SPBLAS_EMU_ORDER", orders[k % 3], 1), 0);
}

static void
test_products(void **state)
{
    (void)state;
    NEED_COMPILER();
    for (uint64_t k = 0; k < 40; k++) {
        spgemm_lab l = lab_make(k, (int)(k % 4));

        order_of(k);
        move(&l);
        spgemm_multiply(&l);
        spgemm_check_pattern(&l);
        spgemm_check_values(&l, spgemm_copy, true);
        spgemm_set_scalars(&l, (sb_value){-1, 0}, (sb_value){k % 4 != 0, 0});
        spgemm_check_values(&l, spgemm_copy, true);
        leave(&l);
    }
}

static void
test_reuse(void **state)
{
    (void)state;
    NEED_COMPILER();
    for (uint64_t k = 0; k < 20; k++) {
        spgemm_lab l = lab_make(k + 1000, (int)(k % 2));

        order_of(k);
        move(&l);
        spgemm_prepare_reuse(&l);
        spgemm_check_pattern(&l);
        spgemm_check_values(&l, spgemm_reuse_compute, true);
        spgemm_set_scalars(&l, (sb_value){1, 0}, (sb_value){-1, 0});
        spgemm_check_values(&l, spgemm_reuse_compute, true);
        leave(&l);
    }
    assert_int_equal(unsetenv("SPBLAS_EMU_ORDER"), 0);
}

/* Rows of C that are a block's, beside short ones; rows of B longer than a group, shorter, and
 * with a column twice. */
static void
test_long_rows(void **state)
{
    (void)state;
    NEED_COMPILER();
    for (uint64_t k = 0; k < 3; k++) {
        const gen_spec a = {.family = k ? GEN_DENSE_ROW : GEN_POWER_LAW,
                            .rows = 12,
                            .cols = 60,
                            .seed = k,
                            .idx_type = k == 1 ? SB_I64 : SB_I32,
                            .ptr_type = k == 1 ? SB_I64 : SB_I32,
                            .unsorted = k == 2,
                            .integer = true};
        const gen_spec b = {.family = GEN_POWER_LAW,
                            .rows = 60,
                            .cols = 1400,
                            .density = 0.1,
                            .seed = k + 9,
                            .idx_type = k == 1 ? SB_I64 : SB_I32,
                            .ptr_type = k == 1 ? SB_I64 : SB_I32,
                            .duplicates = k == 2,
                            .integer = true};
        spgemm_lab l = spgemm_begin(&a, &b, k == 1 ? SB_I64 : SB_I32,
                                    k == 1 ? SB_I64 : SB_I32, (int)(k & 1));
        int64_t most = 0;

        order_of(k);
        move(&l);
        if (k == 2)
            spgemm_multiply(&l);
        else
            spgemm_prepare_reuse(&l);
        spgemm_check_pattern(&l);
        spgemm_check_values(&l, k == 2 ? spgemm_copy : spgemm_reuse_compute, true);
        for (int64_t i = 0; i < l.a.rows; i++) {
            const int64_t n = spgemm_slot(&l.c, i + 1) - spgemm_slot(&l.c, i);

            most = n > most ? n : most;
        }
        assert_true(most >= 1024);
        leave(&l);
    }
    assert_int_equal(unsetenv("SPBLAS_EMU_ORDER"), 0);
}

/* Scalars of 16-bit floats in the GPU's memory. */
static spblasStatus_t
copy_by_far_halves(spgemm_lab *l)
{
    const sb_dtype t = l->a.val_type;
    spblasStatus_t st;
    uint16_t half[4];
    void *alpha, *beta;

    sb_value_store(t, half, 0, l->alpha_value);
    sb_value_store(t, half + 2, 0, l->beta_value);
    alpha = world_device(half, 4);
    beta = world_device(half + 2, 4);
    world_must(spblasSetPointerMode(l->handle, SPBLAS_POINTER_MODE_DEVICE));
    st = spblasSpGEMM_copy(l->handle, N, N, alpha, l->A, l->B, beta, l->C, call_type(t),
                           SPBLAS_SPGEMM_ALG3, l->d);
    world_must(spblasSetPointerMode(l->handle, SPBLAS_POINTER_MODE_HOST));
    world_free(alpha);
    world_free(beta);
    return st;
}

static void
test_far_halves(void **state)
{
    (void)state;
    NEED_COMPILER();
    for (uint64_t k = 0; k < 8; k++) {
        spgemm_lab l = lab_make(k, 2 + (int)(k % 2)); /* bf16, c16 */

        move(&l);
        spgemm_multiply(&l);
        spgemm_set_scalars(&l, (sb_value){3, 0}, (sb_value){-1, 0});
        spgemm_check_values(&l, copy_by_far_halves, true);
        leave(&l);
    }
}

/* ---- buffers, the driver -------------------------------------------------------------- */

static spgemm_lab
large(void)
{
    const gen_spec a = {
        .family = GEN_POWER_LAW, .rows = 90, .cols = 80, .seed = 4, .integer = true};
    const gen_spec b = {.family = GEN_UNIFORM,
                        .rows = 80,
                        .cols = 700,
                        .density = 0.05,
                        .seed = 5,
                        .integer = true};
    spgemm_lab l = spgemm_begin(&a, &b, SB_I32, SB_I32, 0);

    move(&l);
    return l;
}

/* A buffer for a share of the rows at once. */
static void
test_batches(void **state)
{
    spgemm_lab l;
    size_t whole;
    int64_t products = -1, want = 0;

    (void)state;
    NEED_COMPILER();
    l = large();
    spgemm_ok(spgemm_estimate(&l, NULL));
    spgemm_lend(&l, 1);
    spgemm_ok(spgemm_estimate(&l, l.buffer[1]));
    spgemm_ok(spblasSpGEMM_getNumProducts(l.d, &products));
    for (int64_t p = 0; p < l.a.nnz; p++)
        want += spgemm_slot(&l.b, spgemm_column(&l.a, p) + 1) -
                spgemm_slot(&l.b, spgemm_column(&l.a, p));
    assert_int_equal(products, want);
    spgemm_ok(spgemm_compute(&l, NULL));
    whole = l.size[2];
    for (int q = 0; q <= 1; q++) {
        sb_emu_counts before, after;

        spgemm_ok(spblasSpGEMM_estimateMemory(
            l.handle, N, N, l.alpha, l.A, l.B, l.beta, l.C, l.compute,
            SPBLAS_SPGEMM_ALG3, l.d, q ? 0.5f : 0.01f, &l.size[3], NULL, &l.size[2]));
        spgemm_lend(&l, 3);
        spgemm_ok(spblasSpGEMM_estimateMemory(l.handle, N, N, l.alpha, l.A, l.B, l.beta,
                                              l.C, l.compute, SPBLAS_SPGEMM_ALG3, l.d,
                                              q ? 0.5f : 0.01f, &l.size[3], l.buffer[3],
                                              &l.size[2]));
        spgemm_drop(&l, 3);
        assert_in_range(l.size[2], 1, whole - SHRINKS);
        spgemm_lend(&l, 2);
        spgemm_ok(spgemm_compute(&l, l.buffer[2]));
        spgemm_make_c(&l);
        before = sb_emu_count();
        spgemm_ok(spgemm_copy(&l));
        after = sb_emu_count();
        assert_true(after.launches - before.launches >= (q ? 4 : 7));
        spgemm_check_pattern(&l);
        spgemm_check_values(&l, spgemm_copy, true);
        spgemm_drop(&l, 2);
        give(spgemm_plain(l.c.ptr));
        give(spgemm_plain(l.c.idx));
        give(l.c.val);
        l.c.ptr = l.c.idx = l.c.val = NULL;
    }
    leave(&l);
}

/* Values into a structure that is there: no waiting, with scalars on the device. */
static void
test_captured(void **state)
{
    spgemm_lab l;
    sb_emu_counts before, after;
    sb_cu_ptr stream, graph;
    void *alpha, *beta;

    (void)state;
    NEED_COMPILER();
    if (!SHRINKS)
        skip();
    l = large();
    alpha = world_device(l.alpha, sizeof l.alpha);
    beta = world_device(l.beta, sizeof l.beta);
    spgemm_prepare_reuse(&l);
    spgemm_check_values(&l, spgemm_reuse_compute, true);
    assert_int_equal(d->stream_create(&stream, 0), 0);
    world_must(spblasSetStream(l.handle, stream));
    assert_int_equal(d->capture_begin(stream, SB_CU_CAPTURE_RELAXED), 0);
    before = sb_emu_count();
    spgemm_ok(spblasSpGEMMreuse_compute(l.handle, N, N, alpha, l.A, l.B, beta, l.C,
                                        l.compute, SPBLAS_SPGEMM_DEFAULT, l.d));
    after = sb_emu_count();
    assert_int_equal(spgemm_estimate(&l, l.buffer[4]), SPBLAS_STATUS_NOT_SUPPORTED);
    assert_int_equal(d->capture_end(stream, &graph), 0);
    assert_int_equal(d->graph_destroy(graph), 0);
    after.launches = before.launches;
    assert_memory_equal(&after, &before, sizeof after);
    world_must(spblasSetStream(l.handle, NULL));
    assert_int_equal(d->stream_destroy(stream), 0);
    world_free(alpha);
    world_free(beta);
    leave(&l);
}

/* Small buffers, and a descriptor whose first call was elsewhere. */
static void
test_refused(void **state)
{
    spgemm_lab l;
    const int yes = 1;
    int32_t *crd, was;
    size_t want;

    (void)state;
    NEED_COMPILER();
    l = large();
    spgemm_ok(spgemm_estimate(&l, NULL));
    spgemm_lend(&l, 1);
    want = l.size[1]--;
    assert_int_equal(spgemm_estimate(&l, l.buffer[1]),
                     SPBLAS_STATUS_INSUFFICIENT_RESOURCES);
    l.size[1] = want;
    spgemm_ok(spgemm_estimate(&l, l.buffer[1]));
    spgemm_ok(spgemm_compute(&l, NULL));
    want = l.size[2];
    spgemm_lend(&l, 2);
    l.size[2] = l.size[1] / 2;
    assert_int_equal(spgemm_compute(&l, l.buffer[2]),
                     SPBLAS_STATUS_INSUFFICIENT_RESOURCES);
    l.size[2] = want;
    spgemm_ok(spblasCsrSetPointers(l.A, spgemm_plain(l.a.ptr), spgemm_plain(l.a.idx),
                                   l.a.val));
    spgemm_ok(spblasCsrSetPointers(l.B, spgemm_plain(l.b.ptr), spgemm_plain(l.b.idx),
                                   l.b.val));
    assert_int_equal(spgemm_compute(&l, l.buffer[2]), SPBLAS_STATUS_INVALID_VALUE);
    assert_non_null(strstr(spblasGetLastErrorMessage(l.handle), "first call"));
    spgemm_ok(spblasCsrSetPointers(l.A, spgemm_plain(a_there.ptr),
                                   spgemm_plain(a_there.idx), a_there.val));
    spgemm_ok(spblasCsrSetPointers(l.B, spgemm_plain(b_there.ptr),
                                   spgemm_plain(b_there.idx), b_there.val));
    spgemm_ok(spblasSpMatSetAttribute(l.A, SPBLAS_SPMAT_VALIDATE, &yes, sizeof yes));
    crd = spgemm_plain(a_there.idx);
    was = crd[3];
    crd[3] = 4000;
    assert_int_equal(spgemm_estimate(&l, l.buffer[1]), SPBLAS_STATUS_INVALID_VALUE);
    crd[3] = was;
    spgemm_ok(spgemm_estimate(&l, l.buffer[1]));
    leave(&l);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),  cmocka_unit_test(test_reuse),
        cmocka_unit_test(test_long_rows), cmocka_unit_test(test_far_halves),
        cmocka_unit_test(test_batches),   cmocka_unit_test(test_captured),
        cmocka_unit_test(test_refused),
    };

    d = sb_emu_driver();
    return world_run(SB_BINARY_DIR, tests, sizeof tests / sizeof *tests);
}
