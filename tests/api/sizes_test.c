/*
 * Sizes near 2^63: rows, columns, blocks, widths and sums that no memory holds, around
 * real structure arrays of three entries. Every call ends with success or with a status
 * and a sentence, whatever plan is asked for. Nothing is computed: the dense operands
 * are not there. Sizes are chosen so that an array of them never fits an address space.
 */
#include "call.h"

#include "base/macro.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* An allocation of 2^60 bytes is a failure here, not an error of the program. */
const char *__asan_default_options(void);
const char *
__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

#define BIT(n) (INT64_C(1) << (n))

static const int64_t large[] = {BIT(47),     BIT(58),     BIT(60),       BIT(61) - 1,
                                BIT(61),     BIT(61) + 1, BIT(62) - 1,   BIT(62),
                                BIT(62) + 1, BIT(62) + 7, INT64_MAX - 1, INT64_MAX};

static const struct {
    sb_dtype a, b, c, compute;
} types[] = {
    {SB_I8, SB_I8, SB_I32, SB_I32},
    {SB_F16, SB_F16, SB_F16, SB_F32},
    {SB_F32, SB_F32, SB_F32, SB_F32},
    {SB_C64, SB_C64, SB_C64, SB_C64},
};

/* Clauses of plan texts; NULL: the planner's own choice. */
static const char *const clauses[] = {
    NULL,
    "(part csr)",
    "(part seg)",
    "(part prod)",
    "(part sell)",
    "(part coo)",
    "(part ell 30)",
    "(part rows flat 16)",
    "(part rows hyb 16 30)",
    "(part dia 1) (part coo)",
    "(part bsr 64) (part rows flat 1)",
    "(part win 8) (part rows flat 1)",
};

static _Alignas(16) char dummy[64];
static int64_t ptr[4] = {0, 1, 2, 3}, ptr_one[2] = {0, 3}, idx[3], row[3], ended[2];

/* Success, or one of the statuses a caller must expect here, with a sentence. */
static void
judge(spblasHandle_t h, spblasStatus_t st, const sb_problem *pb, const char *what)
{
    const char *text = spblasGetLastErrorMessage(h);

    ended[st == SPBLAS_STATUS_SUCCESS]++;
    if (st == SPBLAS_STATUS_SUCCESS)
        return;
    if ((st == SPBLAS_STATUS_INVALID_VALUE || st == SPBLAS_STATUS_NOT_SUPPORTED ||
         st == SPBLAS_STATUS_ALLOC_FAILED ||
         st == SPBLAS_STATUS_INSUFFICIENT_RESOURCES) &&
        text && strlen(text) > 10)
        return;
    fail_msg("%s, format %d, %lld x %lld, %lld columns: status %d, \"%s\"", what,
             (int)pb->a.format, (long long)pb->a.rows, (long long)pb->a.cols,
             (long long)pb->b.cols, (int)st, text ? text : "");
}

static void
try_plans(call *c, const sb_problem *pb)
{
    static const char *const ops[] = {"spmm", "spmv", "sddmm"};

    for (int q = 0; q < SB_COUNT(clauses); q++) {
        char text[128] = "";

        if (clauses[q])
            (void)snprintf(text, sizeof text, "(plan %s %s)", ops[pb->op], clauses[q]);
        assert_int_equal(spblasSpMatSetAttribute(c->a, SPBLAS_SPMAT_PLAN_TEXT,
                                                 clauses[q] ? text : NULL,
                                                 clauses[q] ? strlen(text) + 1 : 0),
                         SPBLAS_STATUS_SUCCESS);
        judge(c->handle, call_analyse(c), pb, clauses[q] ? text : "analysis");
    }
}

/* Everything up to the computation. */
static void
try_problem(sb_problem pb)
{
    size_t bytes = 0;
    spblasStatus_t st;
    call c;

    pb.a.val = pb.b.data = pb.c.data = dummy;
    pb.a.batch = pb.batch = 1;
    pb.b.batch = pb.c.batch = 1;
    pb.alpha.re = 1;
    st = call_begin(&c, &pb);
    judge(NULL, st, &pb, "creation");
    if (st == SPBLAS_STATUS_SUCCESS) {
        st = call_size(&c, &bytes);
        judge(c.handle, st, &pb, "size");
        if (st == SPBLAS_STATUS_SUCCESS)
            try_plans(&c, &pb);
    }
    call_end(&c);
}

static sb_dense
dense(int64_t rows, int64_t cols, bool col, sb_dtype t)
{
    return (sb_dense){.rows = rows,
                      .cols = cols,
                      .ld = col ? rows : cols,
                      .col_major = col,
                      .type = t};
}

/* A m x k (k x m if transposed) and its products with n columns, and SpMV. */
static void
try_products(sb_matrix a, int t, int64_t n)
{
    a.val_type = types[t].a;
    for (int form = 0; form < 6; form++) {
        const bool trans = form & 1, col = form / 2 == 1, vector = form / 2 == 2;
        const int64_t m = trans ? a.cols : a.rows, k = trans ? a.rows : a.cols;
        sb_problem pb = {.op = vector ? SB_OP_SPMV : SB_OP_SPMM,
                         .a = a,
                         .compute = types[t].compute,
                         .trans_a = trans ? SB_TRANS_T : SB_TRANS_N};

        pb.b = dense(k, vector ? 1 : n, col, types[t].b);
        pb.c = dense(m, vector ? 1 : n, col, types[t].c);
        if (vector)
            pb.b.ld = pb.c.ld = 1;
        try_problem(pb);
    }
}

static void
try_sampled(sb_matrix a, int t, int64_t k)
{
    a.val_type = types[t].c;
    for (int form = 0; form < 4; form++)
        try_problem((sb_problem){.op = SB_OP_SDDMM,
                                 .a = a,
                                 .b = dense(a.rows, k, form & 1, types[t].b),
                                 .c = dense(k, a.cols, form & 2, types[t].b),
                                 .compute = types[t].compute});
}

static sb_matrix
sparse(sb_format format, int64_t rows, int64_t cols, int64_t nnz)
{
    const int64_t inner = format == SB_FORMAT_CSC ? rows : cols;
    const int64_t outer = format == SB_FORMAT_CSC ? cols : rows;

    for (int q = 0; q < 3; q++) {
        idx[q] = inner == 1 ? 0 : q == 2 ? inner - 1 : q;
        row[q] = rows == 1 ? 0 : q == 2 ? rows - 1 : q;
        if (format == SB_FORMAT_BSR)
            idx[q] = 0;
    }
    return (sb_matrix){.format = format,
                       .rows = rows,
                       .cols = cols,
                       .nnz = nnz,
                       .ptr = outer == 1 ? ptr_one : ptr,
                       .idx = idx,
                       .row = row,
                       .ptr_type = SB_I64,
                       .idx_type = SB_I64,
                       .block = 1};
}

/* One or three real rows or columns, and a side that is not. */
static void
test_large_side(void **state)
{
    static const struct {
        sb_format format;
        bool tall;
    } forms[] = {{SB_FORMAT_CSR, false},
                 {SB_FORMAT_CSC, true},
                 {SB_FORMAT_COO, false},
                 {SB_FORMAT_COO, true}};

    (void)state;
    for (int q = 0; q < SB_COUNT(large); q++)
        for (int t = 0; t < SB_COUNT(types); t++)
            for (int f = 0; f < SB_COUNT(forms); f++)
                for (int64_t thin = 1; thin <= 3; thin += 2) {
                    const int64_t rows = forms[f].tall ? large[q] : thin;
                    const int64_t cols = forms[f].tall ? thin : large[q];
                    const sb_matrix a = sparse(forms[f].format, rows, cols, 3);

                    try_products(a, t, 1);
                    try_products(a, t, 2);
                    try_sampled(a, t, 1);
                }
    assert_true(ended[0] > 100 && ended[1] > 100);
}

/* A small matrix, and dense operands that are not. */
static void
test_large_operands(void **state)
{
    static const sb_format formats[] = {SB_FORMAT_CSR, SB_FORMAT_CSC, SB_FORMAT_COO};

    (void)state;
    for (int q = 0; q < SB_COUNT(large); q++)
        for (int t = 0; t < SB_COUNT(types); t++)
            for (int f = 0; f < SB_COUNT(formats); f++) {
                const sb_matrix a = sparse(formats[f], 3, 3, 3);

                try_products(a, t, large[q]);
                try_sampled(a, t, large[q]);
            }
}

/* Blocks whose elements no count holds. */
static void
test_large_blocks(void **state)
{
    static const int64_t sides[] = {BIT(26), BIT(30), BIT(31) - 1, BIT(31),
                                    BIT(32), BIT(47), INT64_MAX};

    (void)state;
    for (int q = 0; q < SB_COUNT(sides); q++)
        for (int t = 0; t < SB_COUNT(types); t++) {
            const int64_t b = sides[q];
            sb_matrix a;

            if (b > INT64_MAX / 3)
                continue; /* rows are given in elements here */
            a = sparse(SB_FORMAT_BSR, 3 * b, b, 3);
            a.block = b;
            try_products(a, t, 2);
            try_sampled(a, t, 2);
        }
}

/* Leading dimensions, batches and counts that only just overflow, or just do not. */
static void
test_descriptors(void **state)
{
    static const int64_t lds[] = {BIT(47), BIT(60),       BIT(61) - 1, BIT(61),
                                  BIT(62), INT64_MAX - 1, INT64_MAX};
    spblasDnMatDescr_t d;
    spblasSpMatDescr_t s;

    (void)state;
    for (int q = 0; q < SB_COUNT(lds); q++)
        for (int64_t rows = 1; rows < 8; rows++) {
            const bool fits = lds[q] <= INT64_MAX / 4 / rows;
            spblasStatus_t st = spblasCreateDnMat(&d, rows, 2, lds[q], dummy,
                                                  SPBLAS_R_32F, SPBLAS_ORDER_ROW);

            assert_int_equal(st, fits ? SPBLAS_STATUS_SUCCESS
                                      : SPBLAS_STATUS_INVALID_VALUE);
            if (!fits) {
                assert_non_null(strstr(spblasGetLastErrorMessage(NULL), "63 bits"));
                continue;
            }
            for (int n = 2; n < 6; n++) {
                st = spblasDnMatSetStridedBatch(d, n, lds[q] * rows);
                assert_int_equal(st, lds[q] <= INT64_MAX / 4 / rows / n
                                         ? SPBLAS_STATUS_SUCCESS
                                         : SPBLAS_STATUS_INVALID_VALUE);
            }
            (void)spblasDestroyDnMat(d);
        }
    for (int q = 0; q < SB_COUNT(lds); q++) {
        /* entries: more than 2^31 need 64-bit offsets, and bytes must fit */
        const bool fits = lds[q] <= INT64_MAX / 8;
        const spblasStatus_t st = spblasCreateCsr(
            &s, 3, INT64_MAX / 3, lds[q], ptr, dummy, dummy, SPBLAS_INDEX_64I,
            SPBLAS_INDEX_64I, SPBLAS_INDEX_BASE_ZERO, SPBLAS_R_32F);

        assert_int_equal(st,
                         fits ? SPBLAS_STATUS_SUCCESS : SPBLAS_STATUS_INVALID_VALUE);
        if (st == SPBLAS_STATUS_SUCCESS) {
            assert_int_equal(spblasCsrSetStridedBatch(s, 1 << 30, 4, lds[q]),
                             SPBLAS_STATUS_INVALID_VALUE);
            (void)spblasDestroySpMat(s);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_large_side),
        cmocka_unit_test(test_large_operands),
        cmocka_unit_test(test_large_blocks),
        cmocka_unit_test(test_descriptors),
    };

    (void)setenv("SPBLAS_JIT", "off", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
