/*
 * Handles on the emulated GPU: products against the oracle as they come, after an
 * analysis, from a graph; what a call may ask of the driver; which arrays are computed
 * where.
 * ctest-labels: quick gpu-emu
 */
#include "base/macro.h"
#include "cachebox.h"
#include "call.h"
#include "gpu/emu.h"
#include "gpu/gpu.h"
#include "gpuworld.h"
#include "oracle.h"
#include "problems.h"
#include "runtime/sides.h"

#include "spblas_legacy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const sb_driver *d;

static int
parts_of(const call *c)
{
    spblasPlanInfo_t info = {.structSize = sizeof info};

    world_must(spblasSpMatGetPlanInfo(c->a, 0, &info));
    return info.parts;
}

static void
compare(oracle *o, const sb_problem *pb, bool exact, const char *when, uint64_t k)
{
    char message[400];

    if (!oracle_check(o, pb, exact, message, sizeof message))
        fail_msg("%s, case %llu, op %d, format %d, trans %d %d: %s", when,
                 (unsigned long long)k, pb->op, pb->a.format, pb->trans_a, pb->trans_b,
                 message);
    oracle_free(o);
}

static void
run_and_check(call *c, const char *when, uint64_t k)
{
    oracle o = oracle_make(c->pb);

    world_must(call_run(c));
    compare(&o, c->pb, true, when, k);
}

/* ---- against the oracle ------------------------------------------------------------------- */

static int planned;

/* As it comes, and planned in three orders of blocks and threads. */
static void
one_case(uint64_t k, sb_op op, const problem_types *t)
{
    static const char *const orders[] = {"forward", "reverse", "random:7"};
    sb_problem pb = problem_make(k, op, t, true);
    sb_emu_counts before, after;
    void *room = NULL;
    size_t bytes;
    call c;

    world_must(call_begin(&c, &pb));
    run_and_check(&c, "without analysis", k);
    if (sb_sides_width(&pb) > 0) { /* plans are for rows */
        world_must(call_size(&c, &bytes));
        room = c.buffer = malloc(bytes);
        assert_non_null(room);
    }
    world_must(call_analyse(&c));
    planned += parts_of(&c) > 0;
    before = sb_emu_count();
    for (int q = 0; q < SB_COUNT(orders); q++) {
        assert_int_equal(setenv("SPBLAS_EMU_ORDER", orders[q], 1), 0);
        run_and_check(&c, orders[q], k);
    }
    assert_int_equal(unsetenv("SPBLAS_EMU_ORDER"), 0);
    after = sb_emu_count();
    if (parts_of(&c) > 0) {
        after.launches = before.launches;
        assert_memory_equal(&after, &before, sizeof after);
    }
    call_end(&c);
    free(room);
    problem_free(&pb);
}

static void
sweep(sb_op op, int cases, int least)
{
    const problem_types *t = problem_type_table;

    while (t->a != SB_F32 || t->x != SB_F32 || t->y != SB_F32)
        t++;
    planned = 0;
    for (int k = 0; k < cases; k++)
        one_case((uint64_t)k, op, t);
    if (planned < least && sb_box_compiler())
        fail_msg("only %d of %d cases ran kernels", planned, cases);
}

static void
test_spmm(void **state)
{
    (void)state;
    sweep(SB_OP_SPMM, 6, 3);
}

static void
test_spmv(void **state)
{
    (void)state;
    sweep(SB_OP_SPMV, 4, 2);
}

static void
test_sddmm(void **state)
{
    (void)state;
    sweep(SB_OP_SDDMM, 5, 3);
}

/* The plan that a product makes for itself answers for no structure: with the attribute
 * every product looks at it until an analysis has. */
static void
test_validated(void **state)
{
    const int yes = 1;
    sb_problem pb = {.op = SB_OP_SPMM, .compute = SB_F32, .alpha = {1, 0}, .batch = 1};
    int32_t *idx, good;
    call c;

    (void)state;
    pb.a = gen_matrix(&(gen_spec){.family = GEN_UNIFORM,
                                  .rows = 30,
                                  .cols = 20,
                                  .density = 0.2,
                                  .integer = true});
    pb.b = gen_dense(&(gen_dense_spec){.rows = 20, .cols = 8, .integer = true});
    pb.c = gen_dense(&(gen_dense_spec){.rows = 30, .cols = 8, .integer = true});
    idx = (int32_t *)(uintptr_t)pb.a.idx;
    good = idx[3];
    world_must(call_begin(&c, &pb));
    world_must(spblasSpMatSetAttribute(c.a, SPBLAS_SPMAT_VALIDATE, &yes, sizeof yes));
    run_and_check(&c, "validated", 0);
    idx[3] = 20;
    assert_int_equal(call_run(&c), SPBLAS_STATUS_INVALID_VALUE);
    assert_non_null(
        strstr(spblasGetLastErrorMessage(c.handle), "column index[3] is 20"));
    idx[3] = good;
    run_and_check(&c, "mended", 0);
    call_end(&c);
    problem_free(&pb);
}

/* ---- one matrix, in the emulator's own memory ------------------------------------------------ */

static const float two = 2, nought = 0;

static void
test_own_memory(void **state)
{
    world w;

    (void)state;
    world_open(&w);
    world_forget(&w);
    world_must(world_multiply(&w, &two, &nought));
    world_check(&w, 2);
    world_close(&w);
    assert_int_equal(sb_emu_count().blocks + sb_emu_count().contexts, 0);
}

/* A graph of one product, made after the analysis; without one capture is refused. */
static void
test_graph(void **state)
{
    sb_cu_ptr stream, graph, exec;
    world w;

    (void)state;
    if (!sb_box_compiler())
        skip();
    world_open(&w);
    assert_int_equal(d->stream_create(&stream, 0), 0);
    world_must(spblasSetStream(w.h, stream));
    assert_int_equal(d->capture_begin(stream, 0), 0);
    assert_int_equal(world_multiply(&w, &two, &nought), SPBLAS_STATUS_NOT_SUPPORTED);
    assert_non_null(strstr(spblasGetLastErrorMessage(w.h), "captured"));
    assert_int_equal(world_analyse(&w), SPBLAS_STATUS_NOT_SUPPORTED);
    assert_int_equal(d->capture_end(stream, &graph), 0);
    assert_int_equal(d->graph_destroy(graph), 0);
    world_must(world_analyse(&w));
    assert_int_equal(d->capture_begin(stream, 0), 0);
    world_forget(&w);
    world_must(world_multiply(&w, &two, &nought));
    assert_int_equal(d->capture_end(stream, &graph), 0);
    assert_int_equal(d->graph_make(&exec, graph, 0), 0);
    world_forget(&w);
    assert_int_equal(d->graph_launch(exec, stream), 0);
    world_check(&w, 2);
    assert_int_equal(d->graph_exec_destroy(exec), 0);
    assert_int_equal(d->graph_destroy(graph), 0);
    world_close(&w);
    assert_int_equal(d->stream_destroy(stream), 0);
}

/* Scalars in the GPU's memory; a CPU handle beside the GPU's; operands on both sides. */
static void
test_places(void **state)
{
    float host[WORLD_M * WORLD_N], scalars[] = {2, 0};
    spblasHandle_t cpu;
    world w, on_host;
    void *at;

    (void)state;
    world_open(&w);
    at = world_device(scalars, sizeof scalars);
    world_must(spblasSetPointerMode(w.h, SPBLAS_POINTER_MODE_DEVICE));
    world_forget(&w);
    world_must(world_multiply(&w, at, (float *)at + 1));
    world_check(&w, 2);
    world_must(spblasSetPointerMode(w.h, SPBLAS_POINTER_MODE_HOST));
    assert_int_equal(d->free((uintptr_t)at), 0);

    world_must(spblasCreateOn(&cpu, "cpu"));
    on_host = w;
    on_host.h = cpu;
    world_forget(&w);
    world_must(world_multiply(&on_host, &two, &nought)); /* which here it can read */
    world_check(&w, 2);
    world_must(spblasDestroy(cpu));

    world_must(spblasCsrSetPointers(w.a, (void *)(uintptr_t)world_ptr,
                                    (void *)(uintptr_t)world_crd,
                                    (void *)(uintptr_t)world_val));
    world_must(spblasDnMatSetValues(w.c, host));
    world_must(world_multiply(&w, &two, &nought)); /* unified memory with the GPU's */
    assert_memory_equal(host, world_expected(&w, 2), sizeof host);
    world_must(spblasDnMatSetValues(w.c, w.array[4]));
    world_close(&w);
}

/* Where the driver knows nothing of the program's arrays, as of a plain GPU's. */
static void
test_separate(void **state)
{
    sb_driver plain = *d;
    float host[WORLD_M * WORLD_N];
    sb_emu_counts before;
    const int first = 0;
    spblasSpVecDescr_t sparse;
    spblasDnVecDescr_t vec;
    world w;

    (void)state;
    plain.place = world_host_alone;
    sb_emu_device_driver(&plain);
    world_open(&w);
    world_must(spblasDnMatSetValues(w.c, host));
    assert_int_equal(world_multiply(&w, &two, &nought), SPBLAS_STATUS_INVALID_VALUE);
    assert_non_null(strstr(spblasGetLastErrorMessage(w.h), "host memory"));
    world_must(spblasDnMatSetValues(w.b, w.dense));
    world_must(spblasCsrSetPointers(w.a, (void *)(uintptr_t)world_ptr,
                                    (void *)(uintptr_t)world_crd,
                                    (void *)(uintptr_t)world_val));
    before = sb_emu_count();
    world_must(world_multiply(&w, &two, &nought)); /* all the host's: computed there */
    assert_memory_equal(host, world_expected(&w, 2), sizeof host);
    assert_int_equal(sb_emu_count().launches, before.launches);

    world_must(spblasCreateSpVec(&sparse, WORLD_K, 2, w.array[1], w.array[2],
                                 SPBLAS_INDEX_32I, SPBLAS_INDEX_BASE_ZERO,
                                 SPBLAS_R_32F));
    world_must(spblasCreateDnVec(&vec, WORLD_K, w.dense, SPBLAS_R_32F));
    assert_int_equal(spblasGather(w.h, vec, sparse), SPBLAS_STATUS_INVALID_VALUE);
    assert_non_null(strstr(spblasGetLastErrorMessage(w.h), "host memory"));
    assert_int_equal(spblasXgemvi(w.h, SPBLAS_R_32F, SPBLAS_OPERATION_NON_TRANSPOSE, 1,
                                  1, &two, w.array[2], 1, 1, &two, &first, &nought,
                                  host, SPBLAS_INDEX_BASE_ZERO, NULL),
                     SPBLAS_STATUS_INVALID_VALUE);
    assert_non_null(strstr(spblasGetLastErrorMessage(w.h), "host memory"));
    world_must(spblasDestroySpVec(sparse));
    world_must(spblasDestroyDnVec(vec));
    world_close(&w);
    sb_emu_device_driver(NULL);
}

/* Kernels come from the disk where another handle's device left them. */
static void
test_disk(void **state)
{
    sb_emu_counts before;
    world w;

    (void)state;
    if (!sb_box_compiler())
        skip();
    world_empty_cache();
    for (int q = 0; q < 2; q++) {
        before = sb_emu_count();
        world_open(&w);
        world_must(world_analyse(&w));
        world_must(world_multiply(&w, &two, &nought));
        world_check(&w, 2);
        world_close(&w);
        assert_int_equal(sb_emu_count().compiles - before.compiles, q == 0);
        assert_int_equal(sb_emu_count().loads - before.loads, 1);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spmm),       cmocka_unit_test(test_spmv),
        cmocka_unit_test(test_sddmm),      cmocka_unit_test(test_validated),
        cmocka_unit_test(test_own_memory), cmocka_unit_test(test_graph),
        cmocka_unit_test(test_places),     cmocka_unit_test(test_separate),
        cmocka_unit_test(test_disk),
    };

    d = sb_emu_driver();
    return world_run(SB_BINARY_DIR, tests, sizeof tests / sizeof *tests);
}
