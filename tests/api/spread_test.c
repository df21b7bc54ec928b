/*
 * SpMV by A^T, of CSC and of transposed lists on the CPU with the buffer that bufferSize asks for,
 * without one, and with a plan: always the oracle's bits, the buffer is used where there is no plan,
 * and nobody else wants one.
 */
#include "call.h"
#include "gen.h"
#include "problems.h"
#include "runtime/spread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct kind {
    sb_format format;
    sb_trans trans;
    sb_dtype type, vectors, sums; /* of A, of x and y */
    sb_dtype index;
    int base;
} kind;

/* Rows and columns of A so that op(A) has m x k; integers, whose sums are exact. SpMM: of one column,
 * whose elements lie apart. */
static sb_problem
problem(sb_op op, const kind *t, gen_family family, int64_t m, int64_t k,
        double density)
{
    const bool turned = t->trans != SB_TRANS_N;
    const gen_spec a = {.family = family,
                        .rows = turned ? k : m,
                        .cols = turned ? m : k,
                        .density = density,
                        .seed = 4,
                        .format = t->format,
                        .ptr_type = t->index,
                        .idx_type = t->index,
                        .val_type = t->type,
                        .base = t->base,
                        .unsorted = true,
                        .integer = true};
    gen_dense_spec b = {.rows = k,
                        .cols = 1,
                        .ld = op == SB_OP_SPMM ? 3 : 0,
                        .type = t->vectors,
                        .seed = 5,
                        .integer = true};
    sb_problem pb = {.op = op,
                     .a = gen_matrix(&a),
                     .trans_a = t->trans,
                     .b = gen_dense(&b),
                     .compute = t->sums,
                     .alpha = {2, 0},
                     .beta = {-1, 0},
                     .batch = 1};

    b.rows = m;
    pb.c = gen_dense(&b);
    return pb;
}

/* `parts` is how many sums of all of y the buffer holds; -1: some. */
static void
check(sb_problem pb, const kind *t, int parts)
{
    const int64_t m = pb.c.rows;
    const size_t sums = ((size_t)m * sb_dtype_size(t->sums) + 63) / 64 * 64;
    size_t bytes = 1;
    call c;

    assert_int_equal(call_begin(&c, &pb), SPBLAS_STATUS_SUCCESS);
    assert_int_equal(call_size(&c, &bytes), SPBLAS_STATUS_SUCCESS);
    if (parts >= 0)
        assert_int_equal(bytes, parts == 0 ? 0 : (size_t)parts * sums + 64);
    else
        assert_true(bytes >= 2 * sums + 64);
    call_check(&c, "no buffer");
    if (parts != 0) {
        assert_true(call_uses(&c, bytes, "buffer"));
        pb.beta = (sb_value){0, 0};
        problem_poison_output(&pb);
        assert_true(call_uses(&c, bytes, "buffer, beta 0 over NaN"));
    }
    assert_int_equal(call_analyse(&c), SPBLAS_STATUS_SUCCESS);
    call_check(&c, "plan, no buffer");
    if (parts != 0)
        (void)call_uses(&c, bytes, "plan, buffer");
    call_end(&c);
    problem_free(&pb);
}

static void
one(const kind *t, int64_t m, double density, int parts)
{
    check(problem(SB_OP_SPMV, t, GEN_UNIFORM, m, 250, density), t, parts);
}

/* Rows as long as a part, columns that all rows name, rows without entries. */
static void
test_families(void **state)
{
    static const struct {
        gen_family family;
        int64_t m, k;
    } cases[] = {{GEN_FULL, 10000, 2},
                 {GEN_DENSE_ROW, 900, 500},
                 {GEN_DENSE_COL, 900, 500},
                 {GEN_POWER_LAW, 900, 800}};
    static const sb_format formats[] = {SB_FORMAT_CSR, SB_FORMAT_COO};

    (void)state;
    for (size_t q = 0; q < 8; q++) {
        const kind t = {formats[q % 2], SB_TRANS_T, SB_F64, SB_F64, SB_F64, SB_I32, 0};
        const gen_family family = cases[q / 2].family;
        const int64_t m = cases[q / 2].m, k = cases[q / 2].k;

        check(problem(SB_OP_SPMV, &t, family, m, k, 0.4), &t, -1);
        check(problem(SB_OP_SPMM, &t, family, m, k, 0.4), &t, -1);
    }
}

static void
test_kinds(void **state)
{
    static const kind kinds[] = {
        {SB_FORMAT_CSR, SB_TRANS_T, SB_F32, SB_F32, SB_F32, SB_I32, 0},
        {SB_FORMAT_CSR, SB_TRANS_T, SB_F64, SB_F64, SB_F64, SB_I64, 1},
        {SB_FORMAT_CSR, SB_TRANS_H, SB_C32, SB_C32, SB_C32, SB_I32, 1},
        {SB_FORMAT_CSR, SB_TRANS_T, SB_F16, SB_F16, SB_F32, SB_I32, 0},
        {SB_FORMAT_CSC, SB_TRANS_N, SB_F32, SB_F32, SB_F32, SB_I64, 0},
        {SB_FORMAT_CSC, SB_TRANS_N, SB_C64, SB_C64, SB_C64, SB_I32, 1},
        {SB_FORMAT_CSC, SB_TRANS_N, SB_BF16, SB_BF16, SB_F32, SB_I32, 0},
        {SB_FORMAT_COO, SB_TRANS_T, SB_F64, SB_F64, SB_F64, SB_I32, 0},
        {SB_FORMAT_COO, SB_TRANS_H, SB_C32, SB_C32, SB_C32, SB_I64, 1},
        {SB_FORMAT_CSR, SB_TRANS_T, SB_F32, SB_C32, SB_C32, SB_I32, 0},
    };

    (void)state;
    for (size_t q = 0; q < sizeof kinds / sizeof *kinds; q++) {
        one(&kinds[q], 900, 0.1, 2);  /* 25 entries an element */
        one(&kinds[q], 301, 0.4, 6);  /* 100 */
        one(&kinds[q], 150, 0.8, 8);  /* 200 */
        one(&kinds[q], 900, 0.02, 0); /* too few entries */
    }
}

static void
test_others(void **state)
{
    static const kind kinds[] = {
        {SB_FORMAT_CSR, SB_TRANS_N, SB_F32, SB_F32, SB_F32, SB_I32, 0},
        {SB_FORMAT_CSC, SB_TRANS_T, SB_F32, SB_F32, SB_F32, SB_I32, 0},
        {SB_FORMAT_COO, SB_TRANS_N, SB_F32, SB_F32, SB_F32, SB_I32, 0},
    };

    (void)state;
    for (size_t q = 0; q < sizeof kinds / sizeof *kinds; q++)
        one(&kinds[q], 900, 0.1, 0);
}

/* Fewer than two entries an element of y: clearing as many sums costs more than is shared out. Sizes that
 * no size_t holds are none, too. */
static void
test_parts(void **state)
{
    sb_problem pb = {.op = SB_OP_SPMV, .trans_a = SB_TRANS_T, .compute = SB_F64};

    (void)state;
    pb.a.format = SB_FORMAT_CSR;
    pb.c.cols = 1;
    pb.a.nnz = 30000;
    pb.c.rows = 15001;
    assert_int_equal(sb_spread_parts(&pb), 0);
    pb.c.rows = 15000;
    assert_int_equal(sb_spread_parts(&pb), 2);
    pb.c.cols = 2;
    assert_int_equal(sb_spread_parts(&pb), 0);
    pb.c.cols = 1;
    pb.a.nnz = INT64_MAX / 4;
    pb.c.rows = INT64_MAX / 8;
    assert_int_equal(sb_spread_bytes(&pb), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_families),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
