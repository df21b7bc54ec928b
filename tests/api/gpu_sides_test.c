/*
 * Products whose dense operands lie by columns, on the emulated GPU: put by rows in the caller's
 * buffer and back, with a plan and without, some columns at a time where the buffer's copies are
 * kept small; without the buffer as they lie. Nothing is allocated, copied to the host or waited
 * for.
 * ctest-labels: quick gpu-emu
 * ctest-cost: 30
 */
#include "base/log.h"
#include "base/macro.h"
#include "cachebox.h"
#include "call.h"
#include "gen.h"
#include "gpu/emu.h"
#include "gpu/gpu.h"
#include "gpuworld.h"
#include "problems.h"
#include "runtime/sides.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROOM = 24 << 10 }; /* bytes of copies at a time */

static const sb_driver *d;

typedef struct kinds {
    sb_dtype a, b, c, compute;
} kinds;

static const kinds types[] = {
    {SB_F32, SB_F32, SB_F32, SB_F32},   {SB_F64, SB_F64, SB_F64, SB_F64},
    {SB_C64, SB_C64, SB_C64, SB_C64},   {SB_F16, SB_F16, SB_F16, SB_F32},
    {SB_I8, SB_I8, SB_I32, SB_I32},     {SB_C32, SB_C32, SB_C32, SB_C32},
    {SB_BF16, SB_BF16, SB_F32, SB_F32}, {SB_I8, SB_I8, SB_F32, SB_F32},
    {SB_C16, SB_C16, SB_C16, SB_C32}};

/* What may lie by columns: op(B), C, or both; addresses and steps that fit vectors, or not. */
typedef struct shape {
    int64_t n, gap, batch;
    bool b_col, c_col, shared; /* of a batch one B */
    sb_trans trans_b;
} shape;

static sb_problem
product(const gen_spec *spec, const shape *s, kinds t, int beta)
{
    const bool turned = s->trans_b != SB_TRANS_N;
    sb_problem pb = {.op = SB_OP_SPMM,
                     .trans_b = s->trans_b,
                     .compute = t.compute,
                     .alpha = {2, 0},
                     .beta = {beta, 0},
                     .batch = s->batch};
    gen_spec of = *spec;
    int64_t k;

    of.val_type = t.a;
    of.batch = s->batch;
    pb.a = gen_matrix(&of);
    k = pb.a.cols;
    pb.b = gen_dense(&(gen_dense_spec){.rows = turned ? s->n : k,
                                       .cols = turned ? k : s->n,
                                       .ld = (s->b_col ? k : s->n) + s->gap,
                                       .col_major = s->b_col != turned,
                                       .type = t.b,
                                       .batch = s->shared ? 1 : s->batch,
                                       .integer = true});
    pb.c = gen_dense(&(gen_dense_spec){.rows = pb.a.rows,
                                       .cols = s->n,
                                       .ld = (s->c_col ? pb.a.rows : s->n) + s->gap,
                                       .col_major = s->c_col,
                                       .type = t.c,
                                       .batch = s->batch,
                                       .integer = true});
    return pb;
}

/* With just the memory that bufferSize says, at an address that fits nothing, and NaN in it;
 * then with a plan, whose explanation says so, and without the buffer. */
static void
check(sb_problem *pb)
{
    static const char *const orders[] = {"forward", "reverse", "random:3"};
    char explanation[8192];
    size_t bytes, length = sizeof explanation;
    sb_emu_counts before;
    sb_cu_mem at;
    call c;

    world_must(call_begin(&c, pb));
    world_must(call_size(&c, &bytes));
    assert_true(bytes > sb_sides_bytes(pb) && sb_sides_bytes(pb) > 0);
    assert_int_equal(d->alloc(&at, bytes + 1), 0);
    memset((void *)(uintptr_t)at, 0xff, bytes + 1);
    c.buffer = (void *)(uintptr_t)(at + 1);
    before = sb_emu_count();
    world_captures(&c);
    for (int q = 0; q < SB_COUNT(orders); q++) {
        assert_int_equal(setenv("SPBLAS_EMU_ORDER", orders[q], 1), 0);
        call_check(&c, orders[q]);
    }
    assert_int_equal(unsetenv("SPBLAS_EMU_ORDER"), 0);
    world_only_launched(&before);
    world_must(call_analyse(&c));
    before = sb_emu_count();
    world_captures(&c);
    call_check(&c, "with a plan");
    world_only_launched(&before);
    if (pb->a.batch <= 1) {
        world_must(spblasSpMatGetPlanExplanation(c.a, 0, explanation, &length));
        if (strstr(explanation, "\nstep 0") && !strstr(explanation, "\nby columns "))
            fail_msg("nothing of columns in:\n%s", explanation);
    }
    assert_int_equal(d->free(at), 0);
    c.buffer = NULL;
    call_check(&c, "without the buffer");
    call_end(&c);
}

static const gen_spec small = {.family = GEN_UNIFORM,
                               .rows = 45,
                               .cols = 70,
                               .density = 0.1,
                               .base = 1,
                               .integer = true};

static void
test_types(void **state)
{
    static const int64_t columns[] = {2, 7, 33, 70};

    (void)state;
    if (!sb_box_compiler())
        skip();
    for (int q = 0; q < SB_COUNT(types); q++) {
        const shape s = {.n = columns[q % SB_COUNT(columns)],
                         .gap = q % 3 == 0 ? 0 : q,
                         .batch = 1,
                         .b_col = q % 3 != 1,
                         .c_col = q % 3 != 2,
                         .trans_b = (sb_trans)(q % 3)};
        sb_problem pb = product(&small, &s, types[q], q % 2 ? 3 : 0);

        check(&pb);
        problem_free(&pb);
    }
}

/* Each of both, alone and together; steps that fit vectors and such as do not. */
static void
test_layouts(void **state)
{
    (void)state;
    if (!sb_box_compiler())
        skip();
    for (int q = 0; q < 12; q++) {
        const shape s = {.n = q % 2 ? 12 : 9,
                         .gap = q % 4 > 1 ? 2 : 3,
                         .batch = 1,
                         .b_col = q % 3 != 1,
                         .c_col = q % 3 != 2,
                         .trans_b = q < 6 ? SB_TRANS_N : SB_TRANS_T};
        sb_problem pb = product(&small, &s, types[0], q % 5 ? -1 : 0);

        check(&pb);
        problem_free(&pb);
    }
}

/* Copies of few columns at a time, the last of which are fewer. */
static void
test_parts(void **state)
{
    const gen_spec tall = {.family = GEN_POWER_LAW,
                           .rows = 90,
                           .cols = 150,
                           .density = 0.1,
                           .integer = true};

    (void)state;
    if (!sb_box_compiler())
        skip();
    for (int q = 0; q < 3; q++) {
        const shape s = {
            .n = 75, .gap = 1, .batch = 1, .b_col = q != 1, .c_col = q != 2};
        sb_problem pb = product(&tall, &s, types[0], 2);

        assert_true(sb_sides_width(&pb) < s.n);
        check(&pb);
        problem_free(&pb);
    }
}

static void
test_batches(void **state)
{
    (void)state;
    if (!sb_box_compiler())
        skip();
    for (int q = 0; q < 3; q++) {
        const shape s = {.n = 6,
                         .gap = q,
                         .batch = 3,
                         .shared = q == 1,
                         .b_col = true,
                         .c_col = q != 2};
        sb_problem pb = product(&small, &s, types[0], 1);

        check(&pb);
        problem_free(&pb);
    }
}

/* Whatever computes a product by rows does so of copies: blocks, slots, lists that are sorted. */
static void
test_formats(void **state)
{
    static const sb_format formats[] = {SB_FORMAT_BSR, SB_FORMAT_BELL, SB_FORMAT_SELL,
                                        SB_FORMAT_COO, SB_FORMAT_CSC};

    (void)state;
    if (!sb_box_compiler())
        skip();
    for (int q = 0; q < SB_COUNT(formats); q++) {
        const shape s = {.n = 5, .gap = 1, .batch = 1, .b_col = true, .c_col = true};
        gen_spec spec = small;
        sb_problem pb;

        spec.format = formats[q];
        spec.block = 5;
        spec.base = 0;
        pb = product(&spec, &s, types[0], 3);
        check(&pb);
        problem_free(&pb);
    }
}

/* Zeros that fill a copy's rows and what the buffer held meet infinite entries and are not
 * stored; infinite elements of B reach their column alone. */
static void
test_infinite(void **state)
{
    const shape s = {.n = 5, .batch = 1, .b_col = true, .c_col = true};
    sb_problem pb = product(&small, &s, types[0], 0);
    const float inf = 1.0F / 0.0F;

    (void)state;
    if (sb_box_compiler()) {
        for (int64_t p = 0; p < pb.a.nnz; p += 3)
            ((float *)pb.a.val)[p] = inf;
        ((float *)pb.b.data)[3 * pb.b.ld] = inf;
        check(&pb);
    }
    problem_free(&pb);
}

static int
spoil_copies(sb_cu_ptr *program, const char *text, const char *name, int headers,
             const char *const *header_text, const char *const *header_name)
{
    text = strstr(text, "OP_by_columns 1") ? "this is no C" : text;
    return d->rtc_create(program, text, name, headers, header_text, header_name);
}

/* Where no kernel is to be had for them operands are read as they lie, in a buffer for that. */
static void
test_spoiled(void **state)
{
    const shape s = {.n = 6, .batch = 1, .b_col = true, .c_col = true};
    sb_driver spoiling = *d;
    sb_problem pb = product(&small, &s, types[0], 3);
    size_t bytes;
    sb_cu_mem at;
    call c;

    (void)state;
    if (!sb_box_compiler())
        skip();
    world_empty_cache();
    spoiling.rtc_create = spoil_copies;
    sb_emu_device_driver(&spoiling);
    sb_log_set(SB_LOG_ERROR, NULL, NULL);
    world_must(call_begin(&c, &pb));
    world_must(call_size(&c, &bytes));
    assert_int_equal(d->alloc(&at, bytes), 0);
    memset((void *)(uintptr_t)at, 0xff, bytes);
    c.buffer = (void *)(uintptr_t)at;
    call_check(&c, "without kernels for copies");
    world_must(call_analyse(&c));
    call_check(&c, "nor with a plan");
    assert_int_equal(d->free(at), 0);
    call_end(&c);
    sb_emu_device_driver(NULL);
    problem_free(&pb);
}

/* Few entries for many rows, one column, rows alone: nothing is turned. */
static void
test_not(void **state)
{
    const shape s = {.n = 8, .batch = 1, .b_col = true, .c_col = true};
    sb_problem pb = product(&small, &s, types[0], 0), few = pb, one = pb, rows = pb;

    (void)state;
    assert_int_equal(sb_sides_width(&pb), 8);
    few.a.nnz = (pb.a.rows + pb.a.cols) / 4;
    assert_int_equal(sb_sides_width(&few), 0);
    few.a.nnz++;
    assert_int_equal(sb_sides_width(&few), 8);
    one.b.cols = one.c.cols = 1;
    assert_int_equal(sb_sides_width(&one), 0);
    rows.b.col_major = rows.c.col_major = false;
    assert_int_equal(sb_sides_width(&rows), 0);
    assert_int_equal(sb_sides_bytes(&rows), 0);
    problem_free(&pb);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),   cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_parts),   cmocka_unit_test(test_batches),
        cmocka_unit_test(test_formats), cmocka_unit_test(test_infinite),
        cmocka_unit_test(test_spoiled), cmocka_unit_test(test_not),
    };
    char room[32];

    (void)snprintf(room, sizeof room, "%d", ROOM);
    (void)setenv("SPBLAS_COLUMNS_ROOM", room, 1); /* read once */
    d = sb_emu_driver();
    return world_run(SB_BINARY_DIR, tests, sizeof tests / sizeof *tests);
}
