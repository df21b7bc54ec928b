/*
 * The reference kernels where their chunks end: rows and lists of more entries than a chunk has, more
 * rows than a tile of sums has, more columns than a line; every format, type combination and op,
 * the output shared out among threads.
 */
#include "cpu/ref.h"
#include "cpu/ref_chunk.h"
#include "gen.h"
#include "oracle.h"
#include "problems.h"
#include "runtime/backend.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FORMATS = 6 }; /* CSR to SELL */

static int threads_now;

static int
threads(void)
{
    return threads_now;
}

/* The last piece first. */
static void
backwards(sb_range_fn fn, void *user, int64_t lo, int64_t hi, int64_t grain)
{
    for (int64_t end = hi, begin; end > lo; end = begin) {
        begin = lo + (end - lo - 1) / grain * grain;
        fn(user, begin, end);
    }
}

static int
set_up(void **state)
{
    static const sb_backend backend = {
        .name = "in turn", .threads = threads, .parallel = backwards};

    *state = (void *)(uintptr_t)sb_backend_get();
    sb_backend_set(&backend);
    return 0;
}

static int
tear_down(void **state)
{
    sb_backend_set(*state);
    return 0;
}

/* Long rows and many, or the transpose of that. */
static sb_matrix
matrix(gen_rng *r, uint64_t k, sb_format format, sb_dtype type, bool integer)
{
    const bool tall = gen_below(r, 2);

    return gen_matrix(&(gen_spec){
        .family = gen_below(r, 3) ? GEN_UNIFORM : GEN_POWER_LAW,
        .rows = tall ? 331 : 17,
        .cols = tall ? 17 : 331,
        .density = tall ? 0.3 : 0.9,
        .seed = k,
        .format = format,
        .val_type = type,
        .idx_type = gen_below(r, 2) ? SB_I32 : SB_I64,
        .ptr_type = SB_I64,
        .base = (int)gen_below(r, 2),
        .block = format == SB_FORMAT_BSR && gen_below(r, 4) == 0 ? SB_REF_CHUNK + 44
                                                                 : gen_between(r, 2, 5),
        .block_col_major = gen_below(r, 2),
        .unsorted = gen_below(r, 2),
        .integer = integer});
}

static sb_dense
operand(gen_rng *r, int64_t rows, int64_t cols, sb_trans op, sb_dtype type,
        bool integer)
{
    return gen_dense(&(gen_dense_spec){.rows = op == SB_TRANS_N ? rows : cols,
                                       .cols = op == SB_TRANS_N ? cols : rows,
                                       .type = type,
                                       .seed = gen_next(r),
                                       .integer = integer,
                                       .col_major = gen_below(r, 2)});
}

static sb_trans
draw_op(gen_rng *r, sb_dtype t)
{
    const sb_trans op = (sb_trans)gen_below(r, 3);

    return op == SB_TRANS_H && !sb_dtype_is_complex(t) ? SB_TRANS_T : op;
}

static sb_problem
problem(uint64_t k, sb_op op, const problem_types *t, sb_format format, bool integer)
{
    static const int64_t widths[] = {1, 3, 9, 33, 64, 65, 150};
    gen_rng r = {k};
    sb_problem pb = {.op = op, .compute = t->c, .batch = 1};
    const bool sddmm = op == SB_OP_SDDMM;
    const int64_t n = op == SB_OP_SPMV ? 1 : widths[gen_below(&r, 7)];
    int64_t rows, cols;

    pb.a = matrix(&r, k, format, t->a, integer);
    if (format == SB_FORMAT_BELL) /* says nothing of them */
        pb.a.block_col_major = gen_below(&r, 2);
    pb.trans_a = draw_op(&r, sddmm ? t->x : t->a);
    pb.trans_b = op == SB_OP_SPMV ? SB_TRANS_N : draw_op(&r, t->x);
    pb.alpha = gen_scalar(&r, t->c);
    if (gen_below(&r, 2))
        pb.beta = gen_scalar(&r, t->c);
    rows = sddmm || pb.trans_a == SB_TRANS_N ? pb.a.rows : pb.a.cols;
    cols = sddmm || pb.trans_a == SB_TRANS_N ? pb.a.cols : pb.a.rows;
    if (sddmm) {
        pb.b = operand(&r, rows, n, pb.trans_a, t->x, integer);
        pb.c = operand(&r, n, cols, pb.trans_b, t->x, integer);
    } else {
        pb.b = operand(&r, cols, n, pb.trans_b, t->x, integer);
        pb.c = operand(&r, rows, n, SB_TRANS_N, t->y, integer);
    }
    return pb;
}

static void
run(uint64_t k, sb_op op, const problem_types *t, sb_format format, bool integer)
{
    sb_problem pb = problem(k, op, t, format, integer);
    oracle o = oracle_make(&pb);
    sb_diag diag = {0};
    char message[400];

    threads_now = 1 + (int)(k % 3);
    assert_int_equal(sb_ref_run(&pb, &diag), SB_OK);
    if (!oracle_check(&o, &pb, integer, message, sizeof message))
        fail_msg("case %llu, op %d, format %d, block %d, trans %d %d, n %d, %s: %s",
                 (unsigned long long)k, op, format, (int)sb_matrix_block(&pb.a),
                 pb.trans_a, pb.trans_b, (int)pb.c.cols, sb_dtype_name(pb.compute),
                 message);
    oracle_free(&o);
    problem_free(&pb);
}

static void
sweep(sb_op op)
{
    for (int c = 0; c < problem_type_count; c++)
        for (int f = 0; f < FORMATS && problem_type_table[c].ops & 1u << op; f++)
            for (uint64_t k = 0; k < 4; k++)
                run(k + 4 * (uint64_t)(f + FORMATS * c), op, &problem_type_table[c],
                    (sb_format)f, k % 2);
}

static void
spmm_of_long_rows(void **state)
{
    (void)state;
    sweep(SB_OP_SPMM);
}

static void
spmv_of_long_rows(void **state)
{
    (void)state;
    sweep(SB_OP_SPMV);
}

static void
sddmm_of_long_rows(void **state)
{
    (void)state;
    sweep(SB_OP_SDDMM);
}

/* Slices taller than a chunk. */
static void
tall_slices(void **state)
{
    enum { WIDTH = 2 * SB_REF_CHUNK + 3, SLICES = 60000 / WIDTH / 12, DEEP = 12 };
    static int32_t ptr[SLICES + 1], idx[WIDTH * SLICES * DEEP];
    static float val[WIDTH * SLICES * DEEP], x[DEEP], y[WIDTH * SLICES];
    const int64_t rows = WIDTH * SLICES - 5; /* the last slice sticks out */
    sb_problem pb = {.op = SB_OP_SPMV,
                     .a = {.format = SB_FORMAT_SELL,
                           .rows = rows,
                           .cols = DEEP,
                           .nnz = WIDTH * SLICES * DEEP,
                           .ptr = ptr,
                           .idx = idx,
                           .val = val,
                           .ptr_type = SB_I32,
                           .idx_type = SB_I32,
                           .val_type = SB_F32,
                           .width = WIDTH,
                           .batch = 1},
                     .b = {.rows = DEEP, .cols = 1, .ld = 1, .data = x, .batch = 1},
                     .c = {.rows = rows, .cols = 1, .ld = 1, .data = y, .batch = 1},
                     .compute = SB_F32,
                     .alpha = {1, 0},
                     .batch = 1};

    (void)state;
    pb.b.type = pb.c.type = SB_F32;
    for (int s = 0, p = 0; s < SLICES; s++)
        for (int k = 0; k < DEEP; k++)
            for (int r = 0; r < WIDTH; r++, p++) {
                ptr[s + 1] = p + 1;
                idx[p] = (r + k) % 7 == 0 ? -1 : k;
                val[p] = (r + k) % 7 == 0 ? NAN : (float)(r % 50 + s % 9);
            }
    for (int k = 0; k < DEEP; k++)
        x[k] = (float)(k + 1);
    for (threads_now = 1; threads_now < 4; threads_now++) {
        assert_int_equal(sb_ref_run(&pb, NULL), SB_OK);
        for (int64_t i = 0; i < rows; i++) {
            const int s = (int)(i / WIDTH), r = (int)(i % WIDTH);
            float want = 0;

            for (int k = 0; k < DEEP; k++)
                want += (r + k) % 7 == 0 ? 0 : (float)(r % 50 + s % 9) * x[k];
            assert_true(y[i] == want);
            y[i] = -1;
        }
    }
}

/* Rows that 32 bits do not count, and an index below all of them. */
static void
windows_end_anywhere(void **state)
{
    static const int32_t row[] = {INT32_MIN, 5, INT32_MAX, -1, 7}, idx[5];
    static float val[] = {1, 2, 3, 4, 5};
    const sb_ref_sparse a = {.m = {.format = SB_FORMAT_COO,
                                   .nnz = 5,
                                   .row = row,
                                   .idx = idx,
                                   .val = val,
                                   .idx_type = SB_I32,
                                   .val_type = SB_F32},
                             .listed = true,
                             .block = 1,
                             .plain = true,
                             .size = sizeof *val};
    static const int64_t ends[] = {6, INT32_MAX, (int64_t)INT32_MAX + 1,
                                   (int64_t)INT32_MAX + 6};
    static const int64_t wanted[] = {1, 2, 3, 3};

    (void)state;
    for (int k = 0; k < 4; k++) {
        const sb_ref_wanted w = {.lo = 5, .hi = ends[k], .by_major = true};
        sb_ref_cursor at = {0};
        sb_ref_chunk c;

        assert_true(sb_ref_chunk_next(&c, &a, &at, SB_REF_CHUNK, &w));
        assert_int_equal(sb_ref_chunk_count(&c), wanted[k]);
        assert_int_equal(c.major[0], 5);
        assert_int_equal(c.major[c.runs - 1], wanted[k] == 1 ? 5 : 7);
        assert_false(sb_ref_chunk_next(&c, &a, &at, SB_REF_CHUNK, &w));
    }
}

/* What says that a slot is empty may be the least number there is. */
static void
least_index_is_an_empty_slot(void **state)
{
    static const int64_t ptr[] = {1, 5}, idx[] = {2, 1, INT64_MIN, 2};
    static float val[] = {2, 3, NAN, 5}, x[] = {10, 100};
    float y[2];
    sb_problem pb = {.op = SB_OP_SPMV,
                     .a = {.format = SB_FORMAT_SELL,
                           .rows = 2,
                           .cols = 2,
                           .nnz = 4,
                           .ptr = ptr,
                           .idx = idx,
                           .val = val,
                           .ptr_type = SB_I64,
                           .idx_type = SB_I64,
                           .val_type = SB_F32,
                           .base = 1,
                           .width = 2,
                           .batch = 1},
                     .b = {.rows = 2, .cols = 1, .ld = 1, .data = x, .batch = 1},
                     .c = {.rows = 2, .cols = 1, .ld = 1, .data = y, .batch = 1},
                     .compute = SB_F32,
                     .alpha = {1, 0},
                     .batch = 1};

    (void)state;
    pb.b.type = pb.c.type = SB_F32;
    for (int op = 0; op < 3; op++) { /* slices, rows, A^T */
        pb.op = op == 1 ? SB_OP_SPMM : SB_OP_SPMV;
        pb.trans_a = op == 2 ? SB_TRANS_T : SB_TRANS_N;
        assert_int_equal(sb_ref_run(&pb, NULL), SB_OK);
        assert_true(y[0] == (op < 2 ? 200 : 300) && y[1] == (op < 2 ? 530 : 520));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spmm_of_long_rows),
        cmocka_unit_test(spmv_of_long_rows),
        cmocka_unit_test(sddmm_of_long_rows),
        cmocka_unit_test(tall_slices),
        cmocka_unit_test(windows_end_anywhere),
        cmocka_unit_test(least_index_is_an_empty_slot),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
