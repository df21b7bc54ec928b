/*
 * Analyses on the emulated GPU: the model chooses by features, the device's clock decides
 * when asked, wisdom is this device's, and whatever was chosen computes what it should.
 * ctest-labels: quick gpu-emu
 */
#include "base/macro.h"
#include "cachebox.h"
#include "call.h"
#include "gen.h"
#include "gpu/emu.h"
#include "gpu/gpu.h"
#include "gpuworld.h"
#include "oracle.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char explanation[8192];

static sb_problem
product(const gen_spec *spec, int64_t n)
{
    sb_problem pb = {.op = n == 1 ? SB_OP_SPMV : SB_OP_SPMM,
                     .a = gen_matrix(spec),
                     .compute = SB_F32,
                     .alpha = {2, 0},
                     .batch = 1};

    pb.b = gen_dense(&(gen_dense_spec){.rows = pb.a.cols, .cols = n, .integer = true});
    pb.c = gen_dense(&(gen_dense_spec){.rows = pb.a.rows, .cols = n, .integer = true});
    return pb;
}

static void
close_product(call *c, sb_problem *pb)
{
    call_end(c);
    gen_free_matrix(&pb->a);
    gen_free_dense(&pb->b);
    gen_free_dense(&pb->c);
}

static void
run_and_check(call *c)
{
    oracle o = oracle_make(c->pb);
    char message[400];

    world_must(call_run(c));
    if (!oracle_check(&o, c->pb, true, message, sizeof message))
        fail_msg("%s\n%s", message, explanation);
    oracle_free(&o);
}

/* The plan's explanation. */
static const char *
analysed(call *c, spblasEffort_t effort, const char *forced)
{
    size_t bytes = sizeof explanation;

    world_must(
        spblasSpMatSetAttribute(c->a, SPBLAS_SPMAT_EFFORT, &effort, sizeof effort));
    if (forced)
        world_must(spblasSpMatSetAttribute(c->a, SPBLAS_SPMAT_PLAN_TEXT, forced,
                                           strlen(forced) + 1));
    world_must(call_analyse(c));
    world_must(spblasSpMatGetPlanExplanation(c->a, 0, explanation, &bytes));
    return explanation;
}

static void
says(const char *text, const char *what)
{
    if (!strstr(text, what))
        fail_msg("\"%s\" is not in:\n%s", what, text);
}

/* Blocks go by blocks or windows; one very long row to ranges; what is even stays. */
static void
test_features(void **state)
{
    const gen_spec blocks = {.family = GEN_BLOCKS,
                             .rows = 400,
                             .cols = 400,
                             .density = 0.3,
                             .block = 4,
                             .integer = true};
    const gen_spec even = {.family = GEN_UNIFORM,
                           .rows = 60,
                           .cols = 50,
                           .density = 0.2,
                           .base = 1,
                           .integer = true};
    const gen_spec row = {
        .family = GEN_DENSE_ROW, .rows = 300, .cols = 4000, .integer = true};
    const struct {
        const gen_spec *spec;
        const char *expect;
    } table[] = {{&blocks, "(part bsr"}, {&even, "(part csr)"}, {&row, "equal ranges"}};

    (void)state;
    if (!sb_box_compiler())
        skip();
    for (int q = 0; q < SB_COUNT(table); q++) {
        sb_problem pb = product(table[q].spec, 8);
        const char *text;
        call c;

        world_must(call_begin(&c, &pb));
        text = analysed(&c, SPBLAS_EFFORT_ESTIMATE, NULL);
        says(text, table[q].expect);
        says(text, "device     emulated GPU, emu, 4 multiprocessors");
        run_and_check(&c);
        close_product(&c, &pb);
    }
}

/* Rows that two groups of a block share, and four, eight and all, beside strips of short ones: a
 * matrix of more than one wave. */
static void
test_shared_rows(void **state)
{
    enum { ROWS = 900, COLS = 1400 };
    const gen_spec spec = {.family = GEN_UNIFORM,
                           .rows = ROWS,
                           .cols = COLS,
                           .density = 0.06,
                           .base = 1,
                           .integer = true};
    sb_problem pb = product(&spec, 24);
    int32_t *ptr = (int32_t *)(uintptr_t)pb.a.ptr;
    call c;

    (void)state;
    /* entries of neighbours go to rows 10 on: about 170, 340, 670, 1200 */
    for (int i = 10, wide = 2; i < 200; i += wide, wide = wide < 14 ? wide * 2 : 2)
        for (int k = 1; k < wide; k++)
            ptr[i + k] = ptr[i + wide];
    if (sb_box_compiler()) {
        world_must(call_begin(&c, &pb));
        says(analysed(&c, SPBLAS_EFFORT_ESTIMATE, "(plan spmm (part csr))"),
             "spmm csr f32f32f32/f32");
        run_and_check(&c);
        call_end(&c);
    }
    gen_free_matrix(&pb.a);
    gen_free_dense(&pb.b);
    gen_free_dense(&pb.c);
}

/* SpMV: a group of lanes a row where all are about as long; else, and where rows are far longer than
 * a group, entries are shared out. */
static void
test_groups(void **state)
{
    static const struct {
        gen_family family;
        int64_t rows, cols;
        double density;
        const char *expect;
    } table[] = {{GEN_BANDED, 900, 900, 0.01, "g4 even"},
                 {GEN_FULL, 70, 30, 1, "g16 even"},
                 {GEN_FULL, 40, 200, 1, "t32 p0 g16\n"},
                 {GEN_DENSE_ROW, 300, 400, 0.01, "t32 p0 g16\n"}};

    (void)state;
    for (int q = 0; q < SB_COUNT(table) && sb_box_compiler(); q++) {
        const gen_spec spec = {.family = table[q].family,
                               .rows = table[q].rows,
                               .cols = table[q].cols,
                               .density = table[q].density,
                               .base = q % 2,
                               .integer = true};
        sb_problem pb = product(&spec, 1);
        call c;

        pb.beta = (sb_value){q, 0};
        world_must(call_begin(&c, &pb));
        says(analysed(&c, SPBLAS_EFFORT_ESTIMATE, "(plan spmv (part csr))"),
             table[q].expect);
        run_and_check(&c);
        close_product(&c, &pb);
    }
}

/* The clock's choice, once more from wisdom, which knows the device; nothing is left. */
static void
test_measure(void **state)
{
    const gen_spec spec = {.family = GEN_POWER_LAW,
                           .rows = 120,
                           .cols = 100,
                           .seed = 4,
                           .density = 0.1,
                           .integer = true};
    sb_problem pb = product(&spec, 8);
    char wisdom[4096];
    size_t bytes = sizeof wisdom;
    call c;

    (void)state;
    if (!sb_box_compiler())
        skip();
    world_must(spblasForgetWisdom());
    world_must(call_begin(&c, &pb));
    says(analysed(&c, SPBLAS_EFFORT_MEASURE, NULL),
         "fastest of the measured candidates");
    says(explanation, ", measured ");
    run_and_check(&c);
    world_must(spblasExportWisdom(wisdom, &bytes));
    says(wisdom, " emulated-GPU/emu/4 ");
    says(analysed(&c, SPBLAS_EFFORT_ESTIMATE, NULL), "(wisdom)");
    run_and_check(&c);
    close_product(&c, &pb);
    world_must(spblasForgetWisdom());
    assert_int_equal(sb_emu_count().blocks + sb_emu_count().contexts, 0);
}

static int
enough(const spblasSearchProgress_t *progress, void *user)
{
    (void)user;
    return progress->tried >= 2;
}

/* A search that its caller ends. */
static void
test_search(void **state)
{
    const spblasSearchHook_t hook = {enough, NULL};
    const gen_spec spec = {
        .family = GEN_UNIFORM, .rows = 60, .cols = 50, .density = 0.2, .integer = true};
    sb_problem pb = product(&spec, 8);
    call c;

    (void)state;
    if (!sb_box_compiler())
        skip();
    world_must(call_begin(&c, &pb));
    world_must(
        spblasSpMatSetAttribute(c.a, SPBLAS_SPMAT_SEARCH_HOOK, &hook, sizeof hook));
    says(analysed(&c, SPBLAS_EFFORT_EXHAUSTIVE, NULL), "before the search was ended");
    run_and_check(&c);
    close_product(&c, &pb);
    world_must(spblasForgetWisdom());
}

static void
in_all_orders(call *c)
{
    static const char *const orders[] = {"forward", "reverse", "random:5"};

    for (int q = 0; q < SB_COUNT(orders); q++) {
        assert_int_equal(setenv("SPBLAS_EMU_ORDER", orders[q], 1), 0);
        run_and_check(c);
    }
    assert_int_equal(unsetenv("SPBLAS_EMU_ORDER"), 0);
}

/* A rest that would list rows twice in a step is taken row by row; several parts may
 * select, each with a kernel, arrays and steps of its own. */
static void
test_rests_and_levels(void **state)
{
    static const struct {
        const char *plan, *built;
        int steps;
    } table[] = {
        {"(plan spmm (part bsr 2) (part rows flat 1))", "(part bsr 2) (part pick)", 2},
        {"(plan spmm (part bsr 4) (part ell 1))", "(part bsr 4) (part pick)", 2},
        {"(plan spmm (part ell 2))", "(plan spmm (part pick)", 1},
        {"(plan spmm (part ell 5))", "(plan spmm (part ell 5)", 1},
        {"(plan spmm (part win 2) (part rows hyb 1 2))",
         "(part win 2) (part rows hyb 1 2)", 1},
        {"(plan spmm (part bsr 4) (part bsr 2) (part rows flat 1))",
         "(part bsr 4) (part bsr 2) (part pick)", 3},
        {"(plan spmm (part bsr 4) (part bsr 2) (part share 2) (part ell 0))",
         "(part bsr 4) (part bsr 2) (part share 2) (part pick)", 3},
        {"(plan spmm (part bsr 4) (part win 2) (part coo))",
         "(part bsr 4) (part win 2) (part coo)", 2},
        {"(plan spmv (part dia 20) (part rows flat 1))", "(part dia 20) (part pick)",
         2},
    };
    const gen_spec spec = {.family = GEN_BLOCKS,
                           .rows = 60,
                           .cols = 60,
                           .seed = 2,
                           .density = 0.3,
                           .block = 5,
                           .base = 1,
                           .integer = true};

    (void)state;
    if (!sb_box_compiler())
        skip();
    for (int q = 0; q < SB_COUNT(table); q++) {
        sb_problem pb = product(&spec, strstr(table[q].plan, "spmv") ? 1 : 8);
        sb_emu_counts before;
        call c;

        world_must(call_begin(&c, &pb));
        says(analysed(&c, SPBLAS_EFFORT_ESTIMATE, table[q].plan), table[q].built);
        before = sb_emu_count();
        in_all_orders(&c);
        if (sb_emu_count().launches - before.launches != (unsigned)(3 * table[q].steps))
            fail_msg("%lld launches\n%s",
                     (long long)(sb_emu_count().launches - before.launches),
                     explanation);
        close_product(&c, &pb);
    }
}

/* A^T of rows and A of columns: rows of op(A) by position, no atomics, one launch. */
static void
test_transposed(void **state)
{
    (void)state;
    if (!sb_box_compiler())
        skip();
    for (int q = 0; q < 4; q++) {
        const gen_spec spec = {.family = GEN_POWER_LAW,
                               .format = q / 2 ? SB_FORMAT_CSC : SB_FORMAT_CSR,
                               .rows = q / 2 ? 70 : 90,
                               .cols = q / 2 ? 90 : 70,
                               .seed = 3,
                               .density = 0.1,
                               .integer = true};
        const int64_t n = q % 2 ? 1 : 8;
        sb_problem pb = product(&spec, n);
        sb_emu_counts before;
        call c;

        if (q / 2 == 0) {
            gen_free_dense(&pb.b);
            gen_free_dense(&pb.c);
            pb.trans_a = SB_TRANS_T;
            pb.b = gen_dense(&(gen_dense_spec){.rows = 90, .cols = n, .integer = true});
            pb.c = gen_dense(&(gen_dense_spec){.rows = 70, .cols = n, .integer = true});
        }
        world_must(call_begin(&c, &pb));
        says(analysed(&c, SPBLAS_EFFORT_ESTIMATE, NULL), "(part pick)");
        before = sb_emu_count();
        in_all_orders(&c);
        assert_int_equal(sb_emu_count().launches - before.launches, 3);
        close_product(&c, &pb);
    }
}

/* C / (A 1) for B of 1 + 2^-11 + 2^-20 alone, in windows of eight rows. */
static double
factor_seen(call *c, spblasMathMode_t math)
{
    static const char windows[] = "(plan spmm (part share 8) (part rows flat 1))";
    float *b = c->pb->b.data;
    const float *row = c->pb->a.val, *out = c->pb->c.data;
    double sum = 0;

    for (int64_t q = 0; q < gen_dense_extent(&c->pb->b); q++)
        b[q] = 1 + 0x1p-11F + 0x1p-20F;
    for (int64_t q = 0; q < c->pb->a.cols; q++)
        sum += (double)row[q];
    world_must(
        spblasSpMatSetAttribute(c->a, SPBLAS_SPMAT_MATH_MODE, &math, sizeof math));
    (void)analysed(c, SPBLAS_EFFORT_ESTIMATE, windows);
    world_must(call_run(c));
    return (double)out[0] / (c->pb->alpha.re * sum);
}

/* f32 is f32 unless the matrix says otherwise. */
static void
test_math_mode(void **state)
{
    const gen_spec spec = {
        .family = GEN_FULL, .rows = 16, .cols = 24, .seed = 3, .integer = true};
    const double v = 1 + 0x1p-11 + 0x1p-20;
    sb_problem pb = product(&spec, 8);
    call c;

    (void)state;
    if (!sb_box_compiler())
        skip();
    for (int64_t q = 0; q < pb.a.nnz; q++)
        ((float *)pb.a.val)[q] = (float)(1 + q % 7);
    world_must(call_begin(&c, &pb));
    assert_true(fabs(factor_seen(&c, SPBLAS_MATH_EXACT) - v) < 1e-6);
    assert_null(strstr(explanation, "tf32"));
    assert_true(factor_seen(&c, SPBLAS_MATH_TF32) == 1 + 0x1p-10);
    says(explanation, " tf32");
    assert_true(fabs(factor_seen(&c, SPBLAS_MATH_TF32X3) - v) < 1e-6);
    says(explanation, " tf32x3");
    assert_true(fabs(factor_seen(&c, SPBLAS_MATH_EXACT) - v) < 1e-6);
    assert_null(strstr(explanation, "tf32"));
    close_product(&c, &pb);
}

/* Sampled products of 16-bit factors by windows and by blocks, rows left over beside. */
static void
test_sampled(void **state)
{
    static const char *const plans[] = {
        "(plan sddmm (part share 8) (part rows flat 1))",
        "(plan sddmm (part bsr 16) (part rows flat 1))"};
    const gen_spec spec = {.family = GEN_BLOCKS,
                           .rows = 52,
                           .cols = 70,
                           .seed = 5,
                           .density = 0.5,
                           .val_type = SB_F16,
                           .block = 16,
                           .integer = true};

    (void)state;
    if (!sb_box_compiler())
        skip();
    for (int q = 0; q < SB_COUNT(plans); q++) {
        sb_problem pb = {.op = SB_OP_SDDMM,
                         .a = gen_matrix(&spec),
                         .compute = SB_F32,
                         .alpha = {2, 0},
                         .beta = {-1, 0},
                         .batch = 1};
        gen_dense_spec d = {
            .rows = pb.a.rows, .cols = 21, .type = SB_F16, .integer = true};
        call c;

        pb.b = gen_dense(&d);
        d.rows = 21;
        d.cols = pb.a.cols;
        pb.c = gen_dense(&d);
        world_must(call_begin(&c, &pb));
        (void)analysed(&c, SPBLAS_EFFORT_ESTIMATE, plans[q]);
        says(explanation, " mma");
        run_and_check(&c);
        close_product(&c, &pb);
    }
}

/* Two members of a batch with offsets of their own: the second has the first's rows in reverse. */
static void
test_own_offsets(void **state)
{
    const gen_spec spec = {.family = GEN_POWER_LAW,
                           .rows = 90,
                           .cols = 100,
                           .seed = 6,
                           .density = 0.1,
                           .integer = true};
    sb_problem pb = product(&spec, 8);
    const sb_matrix first = pb.a;
    const int64_t m = first.rows, nnz = first.nnz;
    int32_t *ptr = calloc((size_t)(2 * (m + 1)), sizeof *ptr);
    int32_t *idx = calloc((size_t)(2 * nnz), sizeof *idx), *to = ptr + m + 1;
    float *val = calloc((size_t)(2 * nnz), sizeof *val);
    call c;

    (void)state;
    if (!sb_box_compiler())
        skip();
    assert_true(ptr && idx && val);
    memcpy(ptr, first.ptr, (size_t)(m + 1) * sizeof *ptr);
    memcpy(idx, first.idx, (size_t)nnz * sizeof *idx);
    memcpy(val, first.val, (size_t)nnz * sizeof *val);
    for (int64_t i = 0; i < m; i++) {
        const int32_t lo = ptr[m - 1 - i], n = ptr[m - i] - lo;

        memcpy(idx + nnz + to[i], idx + lo, (size_t)n * sizeof *idx);
        memcpy(val + nnz + to[i], val + lo, (size_t)n * sizeof *val);
        to[i + 1] = to[i] + n;
    }
    gen_free_dense(&pb.b);
    gen_free_dense(&pb.c);
    pb.batch = pb.a.batch = 2;
    pb.a.ptr = ptr;
    pb.a.idx = idx;
    pb.a.val = val;
    pb.a.ptr_stride = m + 1;
    pb.a.idx_stride = pb.a.val_stride = nnz;
    pb.b = gen_dense(
        &(gen_dense_spec){.rows = 100, .cols = 8, .integer = true, .batch = 2});
    pb.c =
        gen_dense(&(gen_dense_spec){.rows = m, .cols = 8, .integer = true, .batch = 2});
    world_must(call_begin(&c, &pb));
    says(analysed(&c, SPBLAS_EFFORT_ESTIMATE, "(plan spmm (part csr))"), "(part csr)");
    run_and_check(&c);
    pb.a = first;
    close_product(&c, &pb);
    free(ptr);
    free(idx);
    free(val);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_features),   cmocka_unit_test(test_shared_rows),
        cmocka_unit_test(test_groups),     cmocka_unit_test(test_measure),
        cmocka_unit_test(test_search),     cmocka_unit_test(test_rests_and_levels),
        cmocka_unit_test(test_transposed), cmocka_unit_test(test_math_mode),
        cmocka_unit_test(test_sampled),    cmocka_unit_test(test_own_offsets),
    };

    return world_run(SB_BINARY_DIR, tests, sizeof tests / sizeof *tests);
}
