/*
 * Handles on the emulated GPU: products against the oracle as they come, after an
 * analysis, from a graph; what a call may ask of the driver; which arrays are computed
 * where; and every entry of the driver's table failing in turn.
 * ctest-labels: quick gpu-emu
 */
#include "base/macro.h"
#include "cachebox.h"
#include "call.h"
#include "gpu/emu.h"
#include "gpu/gpu.h"
#include "oracle.h"
#include "problems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const sb_driver *d;

static void
must(spblasStatus_t st)
{
    if (st != SPBLAS_STATUS_SUCCESS)
        fail_msg("%s: %s", spblasGetErrorName(st), spblasGetLastErrorMessage(NULL));
}

static int
parts_of(const call *c)
{
    spblasPlanInfo_t info = {.structSize = sizeof info};

    must(spblasSpMatGetPlanInfo(c->a, 0, &info));
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

    must(call_run(c));
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
    call c;

    must(call_begin(&c, &pb));
    run_and_check(&c, "without analysis", k);
    must(call_analyse(&c));
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
    sweep(SB_OP_SPMM, 8, 5);
}

static void
test_spmv(void **state)
{
    (void)state;
    sweep(SB_OP_SPMV, 6, 4);
}

static void
test_sddmm(void **state)
{
    (void)state;
    sweep(SB_OP_SDDMM, 8, 6);
}

/* ---- one matrix, in the emulator's own memory ------------------------------------------------ */

enum { M = 6, K = 5, N = 3, NNZ = 8 };

static const int32_t ptr[] = {0, 2, 2, 3, 6, 7, 8}, crd[] = {0, 3, 1, 0, 2, 4, 4, 1};
static const float val[] = {1, 2, 3, 4, 5, 6, 7, 8};

static const float *
expected(const float *b, float alpha)
{
    static float c[M * N];

    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            c[i * N + j] = 0;
            for (int p = ptr[i]; p < ptr[i + 1]; p++)
                c[i * N + j] += alpha * val[p] * b[crd[p] * N + j];
        }
    return c;
}

typedef struct world {
    spblasHandle_t h;
    spblasSpMatDescr_t a;
    spblasDnMatDescr_t b, c;
    void *array[5];
    float dense[K * N];
} world;

static void *
on_device(const void *from, size_t bytes)
{
    sb_cu_mem at;

    assert_int_equal(d->alloc(&at, bytes), 0);
    assert_int_equal(d->upload(at, from, bytes, NULL), 0);
    return (void *)(uintptr_t)at;
}

static void
open_world(world *w)
{
    float zero[M * N] = {0};

    for (int q = 0; q < K * N; q++)
        w->dense[q] = (float)(q % 7 - 3);
    w->array[0] = on_device(ptr, sizeof ptr);
    w->array[1] = on_device(crd, sizeof crd);
    w->array[2] = on_device(val, sizeof val);
    w->array[3] = on_device(w->dense, sizeof w->dense);
    w->array[4] = on_device(zero, sizeof zero);
    must(spblasCreateOn(&w->h, "emu"));
    must(spblasCreateCsr(&w->a, M, K, NNZ, w->array[0], w->array[1], w->array[2],
                         SPBLAS_INDEX_32I, SPBLAS_INDEX_32I, SPBLAS_INDEX_BASE_ZERO,
                         SPBLAS_R_32F));
    must(
        spblasCreateDnMat(&w->b, K, N, N, w->array[3], SPBLAS_R_32F, SPBLAS_ORDER_ROW));
    must(
        spblasCreateDnMat(&w->c, M, N, N, w->array[4], SPBLAS_R_32F, SPBLAS_ORDER_ROW));
}

static void
close_world(world *w)
{
    must(spblasDestroySpMat(w->a));
    must(spblasDestroyDnMat(w->b));
    must(spblasDestroyDnMat(w->c));
    must(spblasDestroy(w->h));
    for (int q = 0; q < 5; q++)
        assert_int_equal(d->free((uintptr_t)w->array[q]), 0);
}

static spblasStatus_t
analyse(const world *w)
{
    const float one = 1, zero = 0;

    return spblasSpMM_analysis(w->h, SPBLAS_OPERATION_NON_TRANSPOSE,
                               SPBLAS_OPERATION_NON_TRANSPOSE, &one, w->a, w->b, &zero,
                               w->c, SPBLAS_R_32F, SPBLAS_SPMM_ALG_DEFAULT, NULL);
}

static spblasStatus_t
multiply(const world *w, const void *alpha, const void *beta)
{
    return spblasSpMM(w->h, SPBLAS_OPERATION_NON_TRANSPOSE,
                      SPBLAS_OPERATION_NON_TRANSPOSE, alpha, w->a, w->b, beta, w->c,
                      SPBLAS_R_32F, SPBLAS_SPMM_ALG_DEFAULT, NULL);
}

static void
expect(const world *w, float alpha)
{
    assert_memory_equal(w->array[4], expected(w->dense, alpha), M * N * sizeof(float));
}

static void
forget(const world *w)
{
    memset(w->array[4], 0xff, M * N * sizeof(float));
}

static const float two = 2, nought = 0;

static void
test_own_memory(void **state)
{
    world w;

    (void)state;
    open_world(&w);
    forget(&w);
    must(multiply(&w, &two, &nought));
    expect(&w, 2);
    close_world(&w);
    assert_int_equal(sb_emu_count().blocks, 0);
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
    open_world(&w);
    assert_int_equal(d->stream_create(&stream, 0), 0);
    must(spblasSetStream(w.h, stream));
    assert_int_equal(d->capture_begin(stream, 0), 0);
    assert_int_equal(multiply(&w, &two, &nought), SPBLAS_STATUS_NOT_SUPPORTED);
    assert_non_null(strstr(spblasGetLastErrorMessage(w.h), "captured"));
    assert_int_equal(analyse(&w), SPBLAS_STATUS_NOT_SUPPORTED);
    assert_int_equal(d->capture_end(stream, &graph), 0);
    assert_int_equal(d->graph_destroy(graph), 0);
    must(analyse(&w));
    assert_int_equal(d->capture_begin(stream, 0), 0);
    forget(&w);
    must(multiply(&w, &two, &nought));
    assert_int_equal(d->capture_end(stream, &graph), 0);
    assert_int_equal(d->graph_make(&exec, graph, 0), 0);
    assert_int_equal(d->graph_launch(exec, stream), 0);
    expect(&w, 2);
    assert_int_equal(d->graph_exec_destroy(exec), 0);
    assert_int_equal(d->graph_destroy(graph), 0);
    close_world(&w);
    assert_int_equal(d->stream_destroy(stream), 0);
}

/* Scalars in the GPU's memory; a CPU handle beside the GPU's; operands on both sides. */
static void
test_places(void **state)
{
    float host[M * N], scalars[] = {2, 0};
    spblasHandle_t cpu;
    world w, on_host;
    void *at;

    (void)state;
    open_world(&w);
    at = on_device(scalars, sizeof scalars);
    must(spblasSetPointerMode(w.h, SPBLAS_POINTER_MODE_DEVICE));
    forget(&w);
    must(multiply(&w, at, (float *)at + 1));
    expect(&w, 2);
    must(spblasSetPointerMode(w.h, SPBLAS_POINTER_MODE_HOST));
    assert_int_equal(d->free((uintptr_t)at), 0);

    must(spblasCreateOn(&cpu, "cpu"));
    on_host = w;
    on_host.h = cpu;
    forget(&w);
    must(multiply(&on_host, &two, &nought)); /* which here it can read */
    expect(&w, 2);
    must(spblasDestroy(cpu));

    must(spblasCsrSetPointers(w.a, (void *)(uintptr_t)ptr, (void *)(uintptr_t)crd,
                              (void *)(uintptr_t)val));
    must(spblasDnMatSetValues(w.c, host));
    must(multiply(&w, &two, &nought)); /* unified memory with the GPU's */
    assert_memory_equal(host, expected(w.dense, 2), sizeof host);
    must(spblasDnMatSetValues(w.c, w.array[4]));
    close_world(&w);
}

static int
host_alone(void *value, int attribute, sb_cu_mem pointer)
{
    const int code = d->place(value, attribute, pointer);

    return *(int *)value == SB_CU_MEMORY_DEVICE ? code : SB_CU_INVALID_VALUE;
}

/* Where the driver knows nothing of the program's arrays, as of a plain GPU's. */
static void
test_separate(void **state)
{
    sb_driver plain = *d;
    float host[M * N];
    sb_emu_counts before;
    spblasSpVecDescr_t sparse;
    spblasDnVecDescr_t vec;
    world w;

    (void)state;
    plain.place = host_alone;
    sb_emu_device_driver(&plain);
    open_world(&w);
    must(spblasDnMatSetValues(w.c, host));
    assert_int_equal(multiply(&w, &two, &nought), SPBLAS_STATUS_INVALID_VALUE);
    assert_non_null(strstr(spblasGetLastErrorMessage(w.h), "host memory"));
    must(spblasDnMatSetValues(w.b, w.dense));
    must(spblasCsrSetPointers(w.a, (void *)(uintptr_t)ptr, (void *)(uintptr_t)crd,
                              (void *)(uintptr_t)val));
    before = sb_emu_count();
    must(multiply(&w, &two, &nought)); /* all the host's: computed there */
    assert_memory_equal(host, expected(w.dense, 2), sizeof host);
    assert_int_equal(sb_emu_count().launches, before.launches);

    must(spblasCreateSpVec(&sparse, K, 2, w.array[1], w.array[2], SPBLAS_INDEX_32I,
                           SPBLAS_INDEX_BASE_ZERO, SPBLAS_R_32F));
    must(spblasCreateDnVec(&vec, K, w.array[3], SPBLAS_R_32F));
    assert_int_equal(spblasGather(w.h, vec, sparse), SPBLAS_STATUS_NOT_SUPPORTED);
    assert_non_null(strstr(spblasGetLastErrorMessage(w.h), "cannot read"));
    must(spblasDestroySpVec(sparse));
    must(spblasDestroyDnVec(vec));
    close_world(&w);
    sb_emu_device_driver(NULL);
}

/* ---- faults --------------------------------------------------------------------------------- */

static int calls_left;

static void
empty_cache(void)
{
    static int number;
    char dir[300];

    (void)snprintf(dir, sizeof dir, "%s/cache%d", sb_box.root, number++);
    assert_int_equal(setenv("SPBLAS_CACHE_DIR", dir, 1), 0);
}

static bool
due(void)
{
    return calls_left-- == 0;
}

static int
bad_alloc(sb_cu_mem *out, size_t bytes)
{
    return due() ? SB_CU_OUT_OF_MEMORY : d->alloc(out, bytes);
}

static int
bad_upload(sb_cu_mem to, const void *from, size_t bytes, sb_cu_ptr stream)
{
    return due() ? SB_CU_LAUNCH_FAILED : d->upload(to, from, bytes, stream);
}

static int
bad_download(void *to, sb_cu_mem from, size_t bytes, sb_cu_ptr stream)
{
    return due() ? SB_CU_LAUNCH_FAILED : d->download(to, from, bytes, stream);
}

static int
bad_load(sb_cu_ptr *module, const void *image)
{
    (void)image;
    *module = NULL;
    return SB_CU_INVALID_IMAGE;
}

static int
bad_function(sb_cu_ptr *function, sb_cu_ptr module, const char *name)
{
    (void)module;
    (void)name;
    *function = NULL;
    return SB_CU_NOT_FOUND;
}

static int
bad_compile(sb_cu_ptr program, int options, const char *const *option)
{
    (void)program;
    (void)options;
    (void)option;
    return 6;
}

static int
bad_launch(sb_cu_ptr function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
           unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
           sb_cu_ptr stream, void **parameters, void **extra)
{
    (void)function;
    (void)grid_x;
    (void)grid_y;
    (void)grid_z;
    (void)block_x;
    (void)block_y;
    (void)block_z;
    (void)shared_bytes;
    (void)stream;
    (void)parameters;
    (void)extra;
    return SB_CU_LAUNCH_FAILED;
}

static int
bad_retain(sb_cu_ptr *context, int device)
{
    (void)context;
    (void)device;
    return SB_CU_OUT_OF_MEMORY;
}

/* What only makes a kernel unavailable: the analysis succeeds, and the product goes
 * through host memory. */
static void
falls_back(const sb_driver *broken)
{
    spblasPlanInfo_t info = {.structSize = sizeof info};
    world w;

    sb_emu_device_driver(broken);
    open_world(&w);
    must(analyse(&w));
    must(spblasSpMatGetPlanInfo(w.a, 0, &info));
    assert_int_equal(info.parts, 0);
    forget(&w);
    must(multiply(&w, &two, &nought));
    expect(&w, 2);
    close_world(&w);
    sb_emu_device_driver(NULL);
    assert_int_equal(sb_emu_count().blocks, 0);
}

static void
test_no_kernel(void **state)
{
    sb_driver broken = *d;

    (void)state;
    broken.can_compile = false;
    empty_cache();
    falls_back(&broken);
    broken = *d;
    broken.rtc_compile = bad_compile;
    falls_back(&broken);
    broken = *d;
    broken.module_load = bad_load;
    falls_back(&broken);
    broken = *d;
    broken.module_function = bad_function;
    falls_back(&broken);
}

/* The n-th call of the entry fails: the analysis says so and leaves nothing behind. */
static void
fails_cleanly(const sb_driver *broken, int most, spblasStatus_t expect_status)
{
    int failed = 0;

    sb_emu_device_driver(broken);
    for (int n = 0; n < most; n++) {
        spblasStatus_t st;
        int plans;
        world w;

        calls_left = -1;
        open_world(&w);
        calls_left = n;
        st = analyse(&w);
        calls_left = -1;
        must(spblasSpMatGetPlanCount(w.a, &plans));
        assert_int_equal(plans, st == SPBLAS_STATUS_SUCCESS);
        if (st != SPBLAS_STATUS_SUCCESS) {
            assert_int_equal(st, expect_status);
            assert_true(spblasGetLastErrorMessage(w.h)[0] != '\0');
            failed++;
        }
        forget(&w);
        must(multiply(&w, &two, &nought));
        expect(&w, 2);
        close_world(&w);
        assert_int_equal(sb_emu_count().blocks, 0);
    }
    sb_emu_device_driver(NULL);
    assert_true(failed > 0 && failed < most);
}

static void
test_short_memory(void **state)
{
    sb_driver broken = *d;

    (void)state;
    if (!sb_box_compiler())
        skip();
    broken.alloc = bad_alloc;
    fails_cleanly(&broken, 3, SPBLAS_STATUS_ALLOC_FAILED);
}

static void
test_copies(void **state)
{
    sb_driver broken = *d;

    (void)state;
    if (!sb_box_compiler())
        skip();
    broken.upload = bad_upload;
    fails_cleanly(&broken, 3, SPBLAS_STATUS_EXECUTION_FAILED);
    broken = *d;
    broken.download = bad_download;
    fails_cleanly(&broken, 4, SPBLAS_STATUS_EXECUTION_FAILED);
}

static void
test_launch(void **state)
{
    sb_driver broken = *d;
    world w;

    (void)state;
    if (!sb_box_compiler())
        skip();
    broken.launch = bad_launch;
    sb_emu_device_driver(&broken);
    open_world(&w);
    must(analyse(&w));
    assert_int_equal(multiply(&w, &two, &nought), SPBLAS_STATUS_EXECUTION_FAILED);
    assert_non_null(
        strstr(spblasGetLastErrorMessage(w.h), "launching a kernel failed"));
    close_world(&w);
    sb_emu_device_driver(NULL);
}

static void
test_no_context(void **state)
{
    sb_driver broken = *d;
    spblasHandle_t h;

    (void)state;
    broken.primary_retain = bad_retain;
    sb_emu_device_driver(&broken);
    assert_int_equal(spblasCreateOn(&h, "emu"), SPBLAS_STATUS_NOT_SUPPORTED);
    assert_null(h);
    assert_non_null(strstr(spblasGetLastErrorMessage(NULL), "starting the GPU failed"));
    sb_emu_device_driver(NULL);
    assert_int_equal(spblasCreateOn(&h, "tpu"), SPBLAS_STATUS_INVALID_VALUE);
    assert_non_null(strstr(spblasGetLastErrorMessage(NULL), "known backends"));
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
    empty_cache();
    for (int q = 0; q < 2; q++) {
        before = sb_emu_count();
        open_world(&w);
        must(analyse(&w));
        must(multiply(&w, &two, &nought));
        expect(&w, 2);
        close_world(&w);
        assert_int_equal(sb_emu_count().compiles - before.compiles, q == 0);
        assert_int_equal(sb_emu_count().loads - before.loads, 1);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spmm),         cmocka_unit_test(test_spmv),
        cmocka_unit_test(test_sddmm),        cmocka_unit_test(test_own_memory),
        cmocka_unit_test(test_graph),        cmocka_unit_test(test_places),
        cmocka_unit_test(test_separate),     cmocka_unit_test(test_no_kernel),
        cmocka_unit_test(test_short_memory), cmocka_unit_test(test_copies),
        cmocka_unit_test(test_launch),       cmocka_unit_test(test_no_context),
        cmocka_unit_test(test_disk),
    };
    int failed;

    if (setenv("SPBLAS_BACKEND", "emu", 1) != 0 || !sb_box_open(SB_BINARY_DIR))
        return 1;
    d = sb_emu_driver();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    sb_box_close();
    return failed;
}
