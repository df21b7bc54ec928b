/*
 * Forced windows and blocks of f16 and bf16 on the emulated GPU, through the interface: tensor
 * cores where there are some, every layout, sums in f32 and in 16 bits, batches, indices of 64
 * bits, gaps between rows, columns that fill no tile.
 * ctest-labels: quick gpu-emu
 */
#include "base/macro.h"
#include "cachebox.h"
#include "call.h"
#include "gen.h"
#include "gpu/emu.h"
#include "gpuworld.h"
#include "oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SHARE8, BSR8, BSR16, BSR32, PACKED8, WIN4, PLANS };
static const char *const plans[PLANS] = {
    [SHARE8] = "(plan spmm (part share 8) (part rows flat 1))",
    [BSR8] = "(plan spmm (part bsr 8) (part rows flat 1))",
    [BSR16] = "(plan spmm (part bsr 16) (part coo))",
    [BSR32] = "(plan spmm (part bsr 32) (part pick))",
    [PACKED8] = "(plan spmm (part share 8) (part rows flat 1) (packed))",
    [WIN4] = "(plan spmm (part win 4) (part rows flat 1))"};

typedef struct half_case {
    int plan;
    sb_dtype type, c;
    bool b_col, c_col, wide; /* wide: 64-bit indices */
    int64_t n, batch;
} half_case;

static char explanation[8192];

/* Blocks of 32 and a row more than whole windows. */
static sb_problem
product(const half_case *h)
{
    const bool blocks = h->plan != BSR32;
    sb_problem pb = {.op = SB_OP_SPMM,
                     .compute = SB_F32,
                     .alpha = {2, 0},
                     .beta = {-1, 0},
                     .batch = h->batch};

    pb.a = gen_matrix(&(gen_spec){.family = GEN_BLOCKS,
                                  .rows = 97,
                                  .cols = 70,
                                  .density = 0.3,
                                  .seed = 3,
                                  .block = blocks ? 16 : 32,
                                  .base = h->wide,
                                  .ptr_type = h->wide ? SB_I64 : SB_I32,
                                  .idx_type = h->wide ? SB_I64 : SB_I32,
                                  .val_type = h->type,
                                  .integer = true});
    pb.b = gen_dense(&(gen_dense_spec){.rows = 70,
                                       .cols = h->n,
                                       .ld = (h->b_col ? 70 : h->n) + 3,
                                       .col_major = h->b_col,
                                       .type = h->type,
                                       .batch = h->batch,
                                       .integer = true});
    pb.c = gen_dense(&(gen_dense_spec){.rows = 97,
                                       .cols = h->n,
                                       .ld = (h->c_col ? 97 : h->n) + 1,
                                       .col_major = h->c_col,
                                       .type = h->c,
                                       .batch = h->batch,
                                       .integer = true});
    return pb;
}

static void
analyse(call *c, const half_case *h)
{
    const int frozen = h->plan == PACKED8;
    size_t bytes = sizeof explanation;

    world_must(spblasSpMatSetAttribute(c->a, SPBLAS_SPMAT_VALUES_FROZEN, &frozen,
                                       sizeof frozen));
    world_must(spblasSpMatSetAttribute(c->a, SPBLAS_SPMAT_PLAN_TEXT, plans[h->plan],
                                       strlen(plans[h->plan]) + 1));
    world_must(call_analyse(c));
    world_must(spblasSpMatGetPlanExplanation(c->a, 0, explanation, &bytes));
}

static bool
on_tensor_cores(const half_case *h)
{
    return h->plan != WIN4;
}

static void
try_case(const half_case *h)
{
    static const char *const orders[] = {"forward", "reverse", "random:11"};
    sb_problem pb = product(h);
    sb_emu_counts before;
    char message[400];
    size_t bytes;
    void *room;
    call c;

    world_must(call_begin(&c, &pb));
    world_must(call_size(&c, &bytes));
    room = c.buffer = malloc(bytes + 1);
    assert_non_null(room);
    analyse(&c, h);
    if (!strstr(explanation, "\nstep 0") ||
        !!strstr(explanation, " mma") != on_tensor_cores(h))
        fail_msg("%s is:\n%s", plans[h->plan], explanation);
    before = sb_emu_count();
    for (int q = 0; q < SB_COUNT(orders); q++) {
        oracle o = oracle_make(&pb);

        assert_int_equal(setenv("SPBLAS_EMU_ORDER", orders[q], 1), 0);
        world_must(call_run(&c));
        if (!oracle_check(&o, &pb, true, message, sizeof message))
            fail_msg("%s, %s, layout %d%d: %s\n%s", plans[h->plan],
                     sb_dtype_name(h->type), h->b_col, h->c_col, message, explanation);
        oracle_free(&o);
    }
    assert_int_equal(unsetenv("SPBLAS_EMU_ORDER"), 0);
    assert_int_equal(sb_emu_count().copies, before.copies);
    call_end(&c);
    free(room);
    gen_free_matrix(&pb.a);
    gen_free_dense(&pb.b);
    gen_free_dense(&pb.c);
}

static void
test_layouts(void **state)
{
    static const sb_dtype types[][2] = {
        {SB_F16, SB_F16}, {SB_BF16, SB_F32}, {SB_F16, SB_F32}, {SB_BF16, SB_BF16}};
    static const int tried[] = {SHARE8, BSR8, BSR16, BSR32, PACKED8, WIN4};

    (void)state;
    NEED_COMPILER();
    for (int p = 0; p < SB_COUNT(tried); p++)
        for (int q = 0; q < 4; q++) {
            const sb_dtype *t = types[(p + q) % 4];

            try_case(&(half_case){tried[p], t[0], t[1], q & 1, q >> 1, false, 20, 1});
        }
}

/* Every pair of types by rows, where vectors of columns are read; narrow and wide. */
static void
test_types(void **state)
{
    (void)state;
    NEED_COMPILER();
    for (int q = 0; q < 8; q++) {
        const sb_dtype type = q & 1 ? SB_BF16 : SB_F16;

        try_case(&(half_case){q & 4 ? BSR8 : SHARE8, type, q & 2 ? SB_F32 : type, false,
                              false, false, q & 4 ? 7 : 65, 1});
    }
}

static void
test_wide_and_batched(void **state)
{
    (void)state;
    NEED_COMPILER();
    try_case(&(half_case){SHARE8, SB_F16, SB_F32, false, false, true, 16, 3});
    try_case(&(half_case){BSR8, SB_BF16, SB_F32, true, false, true, 16, 2});
    try_case(&(half_case){BSR16, SB_F16, SB_F16, false, true, true, 33, 1});
    try_case(&(half_case){WIN4, SB_BF16, SB_BF16, false, false, true, 9, 2});
    assert_int_equal(sb_emu_count().blocks + sb_emu_count().contexts, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_wide_and_batched),
    };
    int failed;

    if (setenv("SPBLAS_BACKEND", "emu", 1) != 0 || !sb_box_open(SB_BINARY_DIR))
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    sb_box_close();
    return failed;
}
