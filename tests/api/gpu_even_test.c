/*
 * Products without analysis on the emulated GPU: by ranges in the caller's buffer, by
 * equal tiles without one; neither allocates, copies nor waits, and both go into a graph.
 * ctest-labels: quick gpu-emu
 * ctest-cost: 30
 */
#include "base/macro.h"
#include "cachebox.h"
#include "call.h"
#include "gen.h"
#include "gpu/emu.h"
#include "gpu/gpu.h"
#include "gpuworld.h"
#include "problems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const sb_driver *d;

/* A matrix of 1900 rows, most of them empty: 0, 3 and the last long ones are not. */
static sb_matrix
mostly_empty(bool long_rows)
{
    sb_matrix a = gen_matrix(&(gen_spec){.family = GEN_UNIFORM,
                                         .rows = 1900,
                                         .cols = 60,
                                         .density = long_rows ? 0.3 : 0.001,
                                         .seed = 5,
                                         .base = 1,
                                         .integer = true});
    int32_t *ptr = (int32_t *)(uintptr_t)a.ptr;

    /* rows of the middle lose their entries to row 3 and the last */
    for (int i = 4; i < 1899 && long_rows; i++)
        ptr[i] = i < 800 ? ptr[800] : ptr[1700];
    return a;
}

static sb_problem
product(sb_op op, sb_matrix a, int64_t n)
{
    sb_problem pb = {.op = op,
                     .a = a,
                     .compute = SB_F32,
                     .alpha = {2, 0},
                     .beta = {3, 0},
                     .batch = 1};

    pb.b = gen_dense(&(gen_dense_spec){.rows = a.cols, .cols = n, .integer = true});
    pb.c = gen_dense(&(gen_dense_spec){.rows = a.rows,
                                       .cols = n,
                                       .ld = op == SB_OP_SPMV ? 0 : n + 1,
                                       .integer = true});
    return pb;
}

/* What a call may do on the device: launch. */
static void
only_launched(const sb_emu_counts *before, int64_t times)
{
    sb_emu_counts after = sb_emu_count();

    assert_int_equal(after.launches, before->launches + times);
    after.launches = before->launches;
    assert_memory_equal(&after, before, sizeof after);
}

/* Whether a vector's rows are finished by who begins them: no sums are left. */
static bool
whole(const sb_problem *pb)
{
    return pb->op == SB_OP_SPMV &&
           (pb->trans_a == SB_TRANS_N ? pb->a.cols : pb->a.rows) <= 65536;
}

/* In every order, with just the memory that bufferSize says, NaN at first. */
static void
ranges(sb_problem *pb, bool crossing)
{
    static const char *const orders[] = {"forward", "reverse", "random:3"};
    sb_emu_counts before;
    size_t bytes;
    call c;

    world_must(call_begin(&c, pb));
    world_must(call_size(&c, &bytes));
    assert_true(whole(pb) ? bytes == 0 : bytes > 0);
    for (int q = 0; q < SB_COUNT(orders); q++) {
        sb_cu_mem at;

        assert_int_equal(d->alloc(&at, bytes + 1), 0);
        memset((void *)(uintptr_t)at, 0xff, bytes);
        c.buffer = (void *)(uintptr_t)at;
        assert_int_equal(setenv("SPBLAS_EMU_ORDER", orders[q], 1), 0);
        before = sb_emu_count();
        call_check(&c, orders[q]);
        only_launched(&before, crossing && !whole(pb) ? 2 : 1);
        assert_int_equal(d->free(at), 0);
    }
    assert_int_equal(unsetenv("SPBLAS_EMU_ORDER"), 0);
    c.buffer = NULL;
    call_check(&c, "without buffer");
    call_end(&c);
}

/* The same product of the same arrays, called the transpose of a CSC. */
static void
turn(sb_problem *pb)
{
    const int64_t rows = pb->a.rows;

    pb->a.format = SB_FORMAT_CSC;
    pb->a.rows = pb->a.cols;
    pb->a.cols = rows;
    pb->trans_a = SB_TRANS_T;
}

static void
test_ranges(void **state)
{
    (void)state;
    if (!sb_box_compiler())
        skip();
    for (sb_op op = SB_OP_SPMM; op <= SB_OP_SPMV; op++)
        for (int q = 0; q < 4; q++) {
            const gen_spec spec = {.family = q == 2 ? GEN_DENSE_ROW : GEN_EMPTY,
                                   .rows = q == 2 ? 3 : 9,
                                   .cols = 3000,
                                   .integer = true};
            sb_problem pb = product(op, q < 2 ? mostly_empty(q) : gen_matrix(&spec),
                                    op == SB_OP_SPMV ? 1 : 7);

            ranges(&pb, q != 3);
            turn(&pb);
            ranges(&pb, q != 3);
            problem_free(&pb);
        }
}

/* Rows that several blocks share, and that one has far more of than it holds: by ranges of a wide
 * matrix, whole ones of a narrower one, and without a buffer by rows. */
static void
test_long_rows(void **state)
{
    (void)state;
    for (int q = 0; q < 4 && sb_box_compiler(); q++) {
        const gen_spec spec = {.family = q < 2 ? GEN_DENSE_ROW : GEN_UNIFORM,
                               .rows = 60,
                               .cols = q % 2 ? 66000 : 6000,
                               .density = q == 2 ? 0.1 : 0.003,
                               .base = q % 2,
                               .integer = true};
        sb_problem pb = product(SB_OP_SPMV, gen_matrix(&spec), 1);

        ranges(&pb, pb.a.nnz > 4096);
        problem_free(&pb);
    }
}

/* One long row: its sums are exact in f32 and not in 16 bits, where 32 entries more are always
 * rounded the same way, so C shows how often it was. */
static void
rounded_case(sb_op op, sb_dtype type)
{
    enum { LONG = 700 };
    const int64_t n = op == SB_OP_SPMV ? 1 : 9;
    const gen_spec one = {.family = GEN_DENSE_ROW,
                          .rows = 1,
                          .cols = LONG,
                          .density = 1,
                          .val_type = type};
    sb_problem pb = {.op = op,
                     .a = gen_matrix(&one),
                     .compute = SB_F32,
                     .alpha = {1, 0},
                     .beta = {1, 0},
                     .batch = 1};
    sb_cu_mem at;
    size_t bytes;
    call c;

    pb.b = gen_dense(&(gen_dense_spec){.rows = LONG, .cols = n, .type = type});
    pb.c = gen_dense(&(gen_dense_spec){.rows = 1, .cols = n, .type = type});
    assert_int_equal(pb.a.nnz, LONG);
    for (int p = 0; p < LONG; p++) {
        sb_value_store(type, pb.a.val, p, (sb_value){1, 0});
        for (int64_t q = 0; q < n; q++)
            sb_value_store(type, pb.b.data, p * pb.b.ld + q, (sb_value){43.0 / 32, 0});
    }
    for (int64_t q = 0; q < n; q++)
        sb_value_store(type, pb.c.data, q, (sb_value){4096, 0});
    world_must(call_begin(&c, &pb));
    world_must(call_size(&c, &bytes));
    assert_int_equal(d->alloc(&at, bytes + 1), 0);
    c.buffer = (void *)(uintptr_t)at;
    world_must(call_run(&c));
    for (int64_t q = 0; q < n; q++) {
        const double sum = 4096 + LONG * 43.0 / 32;
        uint64_t rounded = 0;

        sb_value_store(type, &rounded, 0, (sb_value){sum, 0});
        assert_true(sb_value_load(type, &rounded, 0).re != sum);
        assert_true(sb_value_load(type, pb.c.data, q).re ==
                    sb_value_load(type, &rounded, 0).re);
    }
    assert_int_equal(d->free(at), 0);
    call_end(&c);
    problem_free(&pb);
}

static void
test_rounded_once(void **state)
{
    (void)state;
    if (!sb_box_compiler())
        skip();
    for (sb_op op = SB_OP_SPMM; op <= SB_OP_SPMV; op++) {
        rounded_case(op, SB_F16);
        rounded_case(op, SB_BF16);
    }
}

/* A^T of rows, A of columns, and both of a list in any order, are turned in the buffer, every
 * time anew: values may have changed. Nothing is waited for; what bufferSize has loaded is
 * enough for a graph. */
static void
turned_case(int k, bool list)
{
    static const char *const orders[] = {"forward", "reverse", "random:3"};
    static const sb_dtype types[] = {SB_F32, SB_C32, SB_F16};
    const bool columns = k % 2, vector = k / 2 % 2;
    const sb_dtype type = types[k / 4 % 3];
    sb_problem pb = {.op = vector ? SB_OP_SPMV : SB_OP_SPMM,
                     .trans_a = columns ? SB_TRANS_N : SB_TRANS_H,
                     .compute = type == SB_F16 ? SB_F32 : type,
                     .alpha = {2, 0},
                     .beta = {3, 0},
                     .batch = 1};
    sb_emu_counts before;
    sb_cu_ptr stream, graph;
    sb_cu_mem at;
    size_t bytes;
    call c;

    pb.a = gen_matrix(&(gen_spec){.family = GEN_POWER_LAW,
                                  .format = list      ? SB_FORMAT_COO
                                            : columns ? SB_FORMAT_CSC
                                                      : SB_FORMAT_CSR,
                                  .ptr_type = k % 4 > 1 ? SB_I64 : SB_I32,
                                  .idx_type = k % 3 > 1 ? SB_I64 : SB_I32,
                                  .rows = 70,
                                  .cols = 1100,
                                  .seed = (uint64_t)k,
                                  .base = k % 3 == 0,
                                  .val_type = type,
                                  .unsorted = list ? k % 2 == 0 : k % 5 == 0,
                                  .integer = true});
    pb.b = gen_dense(&(gen_dense_spec){.rows = columns ? 1100 : 70,
                                       .cols = vector ? 1 : 5,
                                       .type = type,
                                       .integer = true});
    pb.c = gen_dense(&(gen_dense_spec){.rows = columns ? 70 : 1100,
                                       .cols = vector ? 1 : 5,
                                       .type = type,
                                       .integer = true});
    world_must(call_begin(&c, &pb));
    world_must(call_size(&c, &bytes));
    assert_int_equal(d->alloc(&at, bytes), 0);
    memset((void *)(uintptr_t)at, 0x5a, bytes);
    c.buffer = (void *)(uintptr_t)at;
    before = sb_emu_count();
    assert_int_equal(d->stream_create(&stream, 0), 0);
    world_must(spblasSetStream(c.handle, stream));
    assert_int_equal(d->capture_begin(stream, 0), 0);
    world_must(call_run(&c));
    assert_int_equal(d->capture_end(stream, &graph), 0);
    assert_int_equal(d->graph_destroy(graph), 0);
    world_must(spblasSetStream(c.handle, NULL));
    assert_int_equal(d->stream_destroy(stream), 0);
    for (int q = 0; q < SB_COUNT(orders); q++) {
        assert_int_equal(setenv("SPBLAS_EMU_ORDER", orders[q], 1), 0);
        call_check(&c, orders[q]);
        memset(pb.a.val, 0, sb_dtype_size(type)); /* the next has another value */
    }
    only_launched(&before, sb_emu_count().launches - before.launches);
    assert_int_equal(unsetenv("SPBLAS_EMU_ORDER"), 0);
    assert_int_equal(d->free(at), 0);
    c.buffer = NULL;
    call_check(&c, "through host memory");
    assert_true(sb_emu_count().copies > before.copies);
    call_end(&c);
    problem_free(&pb);
}

static void
test_turned(void **state)
{
    (void)state;
    if (!sb_box_compiler())
        skip();
    for (int k = 0; k < 12; k++) /* lists: each two of the choices together */
        turned_case(k, (k + k / 2 + k / 4) % 2);
}

/* Rows that ascend by promise are not sorted: offsets, ranges, carries, in the order of the
 * list; a list of which it is not true is noticed where that was wished for. */
static void
promised_case(sb_op op, sb_dtype index)
{
    const gen_spec spec = {.family = GEN_POWER_LAW,
                           .format = SB_FORMAT_COO,
                           .rows = 300,
                           .cols = 80,
                           .seed = 4,
                           .base = index == SB_I64,
                           .ptr_type = index,
                           .idx_type = index,
                           .integer = true};
    sb_problem pb = product(op, gen_matrix(&spec), op == SB_OP_SPMV ? 1 : 7);
    const int yes = 1;
    size_t bytes, sorted;
    sb_emu_counts before;
    sb_cu_mem at;
    call c;

    world_must(call_begin(&c, &pb));
    world_must(call_size(&c, &sorted));
    world_must(
        spblasSpMatSetAttribute(c.a, SPBLAS_SPMAT_ROWS_ASCEND, &yes, sizeof yes));
    world_must(call_size(&c, &bytes));
    assert_true(bytes > 0 && bytes < sorted);
    assert_int_equal(d->alloc(&at, bytes), 0);
    c.buffer = (void *)(uintptr_t)at;
    before = sb_emu_count();
    call_check(&c, "promised");
    only_launched(&before, (index == SB_I64 ? 4 : 3) - whole(&pb));
    world_must(spblasSpMatSetAttribute(c.a, SPBLAS_SPMAT_VALIDATE, &yes, sizeof yes));
    call_check(&c, "looked at");
    assert_true(pb.a.nnz > 300);
    sb_index_store((void *)(uintptr_t)pb.a.row, index, 0, 299);
    assert_int_equal(call_run(&c), SPBLAS_STATUS_INVALID_VALUE);
    assert_non_null(strstr(spblasGetLastErrorMessage(c.handle), "row index"));
    assert_int_equal(d->free(at), 0);
    call_end(&c);
    problem_free(&pb);
}

static void
test_promised(void **state)
{
    (void)state;
    if (!sb_box_compiler())
        skip();
    for (sb_op op = SB_OP_SPMM; op <= SB_OP_SPMV; op++) {
        promised_case(op, SB_I32);
        promised_case(op, SB_I64);
    }
}

static _Thread_local bool caller;
static int by_caller, by_others;

static int
count_compile(sb_cu_ptr program, int options, const char *const *option)
{
    (void)__atomic_fetch_add(caller ? &by_caller : &by_others, 1, __ATOMIC_SEQ_CST);
    return d->rtc_compile(program, options, option);
}

/* What bufferSize compiles: all that the product needs, so that the product compiles
 * nothing; with SPBLAS_JIT=background nothing itself, and the product waits. */
static void
test_who_compiles(void **state)
{
    sb_driver counting = *d;

    (void)state;
    if (!sb_box_compiler())
        skip();
    counting.rtc_compile = count_compile;
    sb_emu_device_driver(&counting);
    caller = true;
    for (int background = 0; background < 2; background++) {
        sb_problem pb = product(SB_OP_SPMM, mostly_empty(true), 7);
        sb_cu_mem at;
        size_t bytes;
        call c;

        world_empty_cache();
        if (background)
            assert_int_equal(setenv("SPBLAS_JIT", "background", 1), 0);
        by_caller = by_others = 0;
        world_must(call_begin(&c, &pb));
        world_must(call_size(&c, &bytes));
        assert_int_equal(by_caller, background ? 0 : 2);
        assert_int_equal(d->alloc(&at, bytes), 0);
        c.buffer = (void *)(uintptr_t)at;
        call_check(&c, background ? "background" : "at once");
        assert_int_equal(by_caller, background ? 0 : 2);
        assert_int_equal(by_others, background ? 2 : 0);
        assert_int_equal(d->free(at), 0);
        call_end(&c);
        problem_free(&pb);
        assert_int_equal(unsetenv("SPBLAS_JIT"), 0);
    }
    sb_emu_device_driver(NULL);
}

/* Two members with one buffer: the second's sums come after the first's. */
static void
test_batch(void **state)
{
    sb_problem pb = product(SB_OP_SPMM, mostly_empty(true), 7);
    sb_cu_mem at;
    size_t bytes;
    call c;

    (void)state;
    if (!sb_box_compiler())
        skip();
    gen_free_dense(&pb.b);
    gen_free_dense(&pb.c);
    pb.batch = 2;
    pb.b = gen_dense(
        &(gen_dense_spec){.rows = 60, .cols = 7, .integer = true, .batch = 2});
    pb.c = gen_dense(
        &(gen_dense_spec){.rows = 1900, .cols = 7, .integer = true, .batch = 2});
    world_must(call_begin(&c, &pb));
    world_must(call_size(&c, &bytes));
    assert_int_equal(d->alloc(&at, bytes), 0);
    c.buffer = (void *)(uintptr_t)at;
    call_check(&c, "batch");
    assert_int_equal(d->free(at), 0);
    call_end(&c);
    problem_free(&pb);
}

static const float two = 2, nought = 0;

static size_t
size_of(const world *w, spblasHandle_t h, spblasOperation_t op)
{
    size_t bytes = 1;

    world_must(spblasSpMM_bufferSize(h, op, SPBLAS_OPERATION_NON_TRANSPOSE, &two, w->a,
                                     op == SPBLAS_OPERATION_TRANSPOSE ? w->c : w->b,
                                     &nought,
                                     op == SPBLAS_OPERATION_TRANSPOSE ? w->b : w->c,
                                     SPBLAS_R_32F, SPBLAS_SPMM_ALG_DEFAULT, &bytes));
    return bytes;
}

static spblasStatus_t
multiply(const world *w, spblasOperation_t op, const void *alpha, const void *beta,
         void *buffer)
{
    const bool turned = op == SPBLAS_OPERATION_TRANSPOSE;

    return spblasSpMM(w->h, op, SPBLAS_OPERATION_NON_TRANSPOSE, alpha, w->a,
                      turned ? w->c : w->b, beta, turned ? w->b : w->c, SPBLAS_R_32F,
                      SPBLAS_SPMM_ALG_DEFAULT, buffer);
}

/* A graph of a product that nobody analysed, its scalars read when it runs. */
static void
test_graph(void **state)
{
    float scalars[] = {2, 0};
    sb_cu_ptr stream, graph, exec;
    sb_emu_counts before;
    sb_cu_mem buffer;
    float *at;
    world w;

    (void)state;
    if (!sb_box_compiler())
        skip();
    world_open(&w);
    assert_int_equal(d->stream_create(&stream, 0), 0);
    world_must(spblasSetStream(w.h, stream));
    assert_int_equal(
        d->alloc(&buffer, size_of(&w, w.h, SPBLAS_OPERATION_NON_TRANSPOSE)), 0);
    at = world_device(scalars, sizeof scalars);
    world_must(spblasSetPointerMode(w.h, SPBLAS_POINTER_MODE_DEVICE));
    assert_int_equal(d->capture_begin(stream, 0), 0);
    before = sb_emu_count();
    world_must(multiply(&w, SPBLAS_OPERATION_NON_TRANSPOSE, at, at + 1,
                        (void *)(uintptr_t)buffer));
    only_launched(&before, 1);
    assert_int_equal(d->capture_end(stream, &graph), 0);
    assert_int_equal(d->graph_make(&exec, graph, 0), 0);
    for (int q = 3; q < 5; q++) {
        at[0] = (float)q;
        world_forget(&w);
        assert_int_equal(d->graph_launch(exec, stream), 0);
        world_check(&w, (float)q);
    }
    assert_int_equal(d->graph_exec_destroy(exec), 0);
    assert_int_equal(d->graph_destroy(graph), 0);
    assert_int_equal(d->free((uintptr_t)at), 0);
    assert_int_equal(d->free(buffer), 0);
    world_close(&w);
    assert_int_equal(d->stream_destroy(stream), 0);
}

/* Far scalars without wait, with a plan and through host memory. */
static void
test_far_scalars(void **state)
{
    float scalars[] = {2, 0};
    sb_emu_counts before;
    float *at;
    world w;

    (void)state;
    world_open(&w);
    at = world_device(scalars, sizeof scalars);
    world_must(world_analyse(&w));
    world_must(spblasSetPointerMode(w.h, SPBLAS_POINTER_MODE_DEVICE));
    world_forget(&w);
    before = sb_emu_count();
    world_must(world_multiply(&w, at, at + 1));
    if (sb_box_compiler())
        only_launched(&before, 1);
    world_check(&w, 2);
    world_must(multiply(&w, SPBLAS_OPERATION_TRANSPOSE, at, at + 1, NULL));
    for (int i = 0; i < WORLD_K; i++)
        for (int j = 0; j < WORLD_N; j++) {
            const float *c = world_expected(&w, 2);
            float sum = 0;

            for (int r = 0; r < WORLD_M; r++)
                for (int p = world_ptr[r]; p < world_ptr[r + 1]; p++)
                    if (world_crd[p] == i)
                        sum += 2 * world_val[p] * c[r * WORLD_N + j];
            assert_true(((const float *)w.array[3])[i * WORLD_N + j] == sum);
        }
    assert_int_equal(d->free((uintptr_t)at), 0);
    world_close(&w);
}

/* Who wants a buffer, and one that the GPU cannot reach. A^T of rows is turned in it; without
 * one through host memory, so not under capture. */
static void
test_buffers(void **state)
{
    sb_driver plain = *d;
    sb_cu_ptr stream, graph;
    spblasHandle_t cpu;
    char host[64];
    world w;

    (void)state;
    plain.place = world_host_alone;
    sb_emu_device_driver(&plain);
    world_open(&w);
    world_must(spblasCreateOn(&cpu, "cpu"));
    assert_int_equal(size_of(&w, cpu, SPBLAS_OPERATION_NON_TRANSPOSE), 0);
    assert_true(size_of(&w, w.h, SPBLAS_OPERATION_NON_TRANSPOSE) >= WORLD_N * 4);
    assert_int_equal(size_of(&w, cpu, SPBLAS_OPERATION_TRANSPOSE), 0);
    assert_true(size_of(&w, w.h, SPBLAS_OPERATION_TRANSPOSE) >= WORLD_NNZ * 28);
    assert_int_equal(spblasSpMM(w.h, SPBLAS_OPERATION_NON_TRANSPOSE,
                                SPBLAS_OPERATION_NON_TRANSPOSE, &two, w.a, w.b, &nought,
                                w.c, SPBLAS_R_32F, SPBLAS_SPMM_ALG_DEFAULT, host),
                     SPBLAS_STATUS_INVALID_VALUE);
    assert_non_null(strstr(spblasGetLastErrorMessage(w.h), "externalBuffer"));
    assert_int_equal(d->stream_create(&stream, 0), 0);
    world_must(spblasSetStream(w.h, stream));
    assert_int_equal(d->capture_begin(stream, 0), 0);
    assert_int_equal(multiply(&w, SPBLAS_OPERATION_TRANSPOSE, &two, &nought, NULL),
                     SPBLAS_STATUS_NOT_SUPPORTED);
    assert_int_equal(d->capture_end(stream, &graph), 0);
    assert_int_equal(d->graph_destroy(graph), 0);
    world_must(spblasDestroy(cpu));
    world_close(&w);
    assert_int_equal(d->stream_destroy(stream), 0);
    sb_emu_device_driver(NULL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges),       cmocka_unit_test(test_long_rows),
        cmocka_unit_test(test_batch),        cmocka_unit_test(test_graph),
        cmocka_unit_test(test_far_scalars),  cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_turned),       cmocka_unit_test(test_who_compiles),
        cmocka_unit_test(test_rounded_once), cmocka_unit_test(test_promised),
    };

    d = sb_emu_driver();
    return world_run(SB_BINARY_DIR, tests, sizeof tests / sizeof *tests);
}
