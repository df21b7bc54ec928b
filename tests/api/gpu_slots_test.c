/*
 * Products without analysis of blocks and slots in place, of A^T of them, and of batches whose
 * members have structures of their own, on the emulated GPU: nothing is allocated, copied or
 * waited for, a graph may have them, and what a call finds in the buffer is no matter.
 * ctest-labels: quick gpu-emu
 */
#include "base/macro.h"
#include "cachebox.h"
#include "call.h"
#include "gen.h"
#include "gpu/emu.h"
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

typedef struct kinds {
    sb_dtype a, b, c, compute;
} kinds;

static const kinds of_matrices[] = {
    {SB_F32, SB_F32, SB_F32, SB_F32},   {SB_C64, SB_C64, SB_C64, SB_C64},
    {SB_F16, SB_F16, SB_F32, SB_F32},   {SB_I8, SB_I8, SB_I32, SB_I32},
    {SB_C16, SB_C16, SB_C16, SB_C32},   {SB_I8, SB_I8, SB_F32, SB_F32},
    {SB_BF16, SB_BF16, SB_BF16, SB_F32}};
static const kinds of_vectors[] = {{SB_F64, SB_F64, SB_F64, SB_F64},
                                   {SB_F32, SB_C32, SB_C32, SB_C32},
                                   {SB_F32, SB_F64, SB_F64, SB_F64},
                                   {SB_F64, SB_C64, SB_C64, SB_C64}};

static sb_trans
trans_of(uint64_t k)
{
    return (sb_trans)(k % 3);
}

/* What the k-th case multiplies A with: vectors, few columns, more than a group has lanes. */
static sb_problem
product(sb_matrix a, uint64_t k, sb_trans trans_a, kinds t)
{
    static const int64_t columns[] = {1, 5, 33};
    const bool vector = k % 4 == 0 || t.a != t.b;
    const int64_t n = vector ? 1 : columns[k % 3];
    const bool flip = trans_a != SB_TRANS_N;
    sb_problem pb = {.op = vector ? SB_OP_SPMV : SB_OP_SPMM,
                     .a = a,
                     .trans_a = trans_a,
                     .trans_b = vector ? SB_TRANS_N : trans_of(k / 3),
                     .compute = t.compute,
                     .alpha = {2, 0},
                     .beta = {k % 5 ? 3 : 0, 0},
                     .batch = a.batch};
    const int64_t in = flip ? a.rows : a.cols, out = flip ? a.cols : a.rows;
    const bool turned = pb.trans_b != SB_TRANS_N;

    pb.b = gen_dense(&(gen_dense_spec){.rows = turned ? n : in,
                                       .cols = turned ? in : n,
                                       .ld = vector ? 0 : (in > n ? in : n) + 1,
                                       .col_major = !vector && k / 2 % 2,
                                       .type = t.b,
                                       .seed = k,
                                       .batch = a.batch,
                                       .integer = true});
    pb.c = gen_dense(&(gen_dense_spec){.rows = out,
                                       .cols = n,
                                       .ld = vector ? 0 : (out > n ? out : n) + 2,
                                       .col_major = !vector && k % 2,
                                       .type = t.c,
                                       .seed = k + 1,
                                       .batch = a.batch,
                                       .integer = true});
    return pb;
}

/* In every order, with just the memory that bufferSize says; what it has loaded is enough
 * for a graph. `bare`: without that memory too. */
static void
check(sb_problem *pb, bool buffered, bool bare)
{
    static const char *const orders[] = {"forward", "reverse", "random:3"};
    sb_emu_counts before;
    sb_cu_mem at = 0;
    size_t bytes;
    call c;

    world_must(call_begin(&c, pb));
    world_must(call_size(&c, &bytes));
    assert_int_equal(bytes > 0, buffered);
    if (bytes > 0) {
        assert_int_equal(d->alloc(&at, bytes), 0);
        memset((void *)(uintptr_t)at, 0x7f, bytes);
    }
    c.buffer = (void *)(uintptr_t)at;
    before = sb_emu_count();
    world_captures(&c);
    for (int q = 0; q < SB_COUNT(orders); q++) {
        assert_int_equal(setenv("SPBLAS_EMU_ORDER", orders[q], 1), 0);
        call_check(&c, orders[q]);
    }
    assert_int_equal(unsetenv("SPBLAS_EMU_ORDER"), 0);
    world_only_launched(&before);
    assert_int_equal(at ? d->free(at) : 0, 0);
    c.buffer = NULL;
    before = sb_emu_count();
    call_check(&c, "without a buffer");
    if (bare)
        world_only_launched(&before);
    call_end(&c);
}

static gen_spec
spec_of(sb_format format, uint64_t k)
{
    static const gen_family families[] = {GEN_UNIFORM, GEN_DENSE_ROW, GEN_POWER_LAW,
                                          GEN_EMPTY};
    const bool wide = k / 2 % 2;

    return (gen_spec){.family = families[k % SB_COUNT(families)],
                      .format = format,
                      .rows = wide ? 21 : 150,
                      .cols = wide ? 260 : 37,
                      .density = 0.2,
                      .seed = k,
                      .base = k % 2,
                      .block = 1 + (int64_t)(k % 3) * 4, /* 1, 5, 9 */
                      .block_col_major = k / 3 % 2,
                      .ptr_type = k % 4 > 1 ? SB_I64 : SB_I32,
                      .idx_type = k / 2 % 2 ? SB_I64 : SB_I32,
                      .unsorted = k % 2,
                      .integer = true};
}

static void
slots_case(sb_format format, uint64_t k)
{
    gen_spec spec = spec_of(format, k);
    const bool vector = k % 8 == 4;
    const kinds t = vector ? of_vectors[k / 8 % SB_COUNT(of_vectors)]
                           : of_matrices[k % SB_COUNT(of_matrices)];
    const sb_trans trans = trans_of(k / 2);
    sb_problem pb;

    if (format == SB_FORMAT_BELL)
        spec.ptr_type = spec.idx_type;
    if (format == SB_FORMAT_BSR && spec.block == 1)
        spec.block = 3;
    spec.val_type = t.a;
    pb = product(gen_matrix(&spec), k, trans, t);
    check(&pb, true, trans == SB_TRANS_N);
    problem_free(&pb);
}

static void
test_slots(void **state)
{
    static const sb_format formats[] = {SB_FORMAT_BELL, SB_FORMAT_SELL, SB_FORMAT_BSR};

    (void)state;
    if (!sb_box_compiler())
        skip();
    for (uint64_t k = 0; k < 24; k++)
        slots_case(formats[k % 3], k * 7 + 1);
}

/* Members with structures of their own: sorted one after another in one buffer. */
static void
test_batches(void **state)
{
    static const sb_format formats[] = {SB_FORMAT_BSR, SB_FORMAT_COO, SB_FORMAT_CSR,
                                        SB_FORMAT_CSC};

    (void)state;
    if (!sb_box_compiler())
        skip();
    for (uint64_t k = 0; k < 8; k++) {
        const sb_trans trans = k < 4 ? SB_TRANS_T : SB_TRANS_N;
        gen_spec spec = spec_of(formats[k % 4], k);
        sb_problem pb;

        spec.family = GEN_POWER_LAW;
        spec.block = 3;
        spec.batch = 3;
        if (spec.format == SB_FORMAT_COO)
            spec.ptr_type = spec.idx_type;
        pb = product(gen_matrix(&spec), 4 * k + 1, trans, of_matrices[0]);
        check(&pb, true, false);
        problem_free(&pb);
    }
}

/* Block rows enough for a GPU are a group's each, as the planner has them. */
static void
test_many_block_rows(void **state)
{
    gen_spec spec = spec_of(SB_FORMAT_BSR, 3);
    sb_problem pb;

    (void)state;
    if (!sb_box_compiler())
        skip();
    spec.rows = 1024 * 2;
    spec.cols = 20;
    spec.block = 2;
    pb = product(gen_matrix(&spec), 1, SB_TRANS_N, of_matrices[0]);
    assert_int_equal(pb.a.rows / pb.a.block, 1024);
    check(&pb, false, true);
    problem_free(&pb);
}

static void
sampled_case(uint64_t k)
{
    static const kinds types[] = {{SB_F32, SB_F32, SB_F32, SB_F32},
                                  {SB_C64, SB_C64, SB_C64, SB_C64},
                                  {SB_F32, SB_F16, SB_F16, SB_F32},
                                  {SB_BF16, SB_BF16, SB_BF16, SB_F32}};
    const kinds t = types[k % SB_COUNT(types)];
    gen_spec spec = spec_of(k % 2 ? SB_FORMAT_BELL : SB_FORMAT_SELL, k / 2);
    const int64_t terms = k % 3 ? 40 : 3;
    sb_problem pb = {.op = SB_OP_SDDMM,
                     .trans_a = trans_of(k),
                     .trans_b = trans_of(k / 2),
                     .compute = t.compute,
                     .alpha = {2, 0},
                     .beta = {k % 5 ? 3 : 0, 0},
                     .batch = 1};
    const bool x = pb.trans_a != SB_TRANS_N, y = pb.trans_b != SB_TRANS_N;

    if (k % 2)
        spec.ptr_type = spec.idx_type;
    spec.val_type = t.a;
    pb.a = gen_matrix(&spec);
    pb.b = gen_dense(&(gen_dense_spec){.rows = x ? terms : pb.a.rows,
                                       .cols = x ? pb.a.rows : terms,
                                       .type = t.b,
                                       .seed = k,
                                       .col_major = k / 2 % 2,
                                       .integer = true});
    pb.c = gen_dense(&(gen_dense_spec){.rows = y ? pb.a.cols : terms,
                                       .cols = y ? terms : pb.a.cols,
                                       .type = t.c,
                                       .seed = k + 1,
                                       .col_major = k % 2,
                                       .integer = true});
    if (pb.a.nnz > 0)
        check(&pb, false, true);
    problem_free(&pb);
}

static void
test_sampled(void **state)
{
    (void)state;
    if (!sb_box_compiler())
        skip();
    for (uint64_t k = 0; k < 12; k++)
        sampled_case(k);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slots),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_many_block_rows),
        cmocka_unit_test(test_sampled),
    };

    d = sb_emu_driver();
    return world_run(SB_BINARY_DIR, tests, sizeof tests / sizeof *tests);
}
