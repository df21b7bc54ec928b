/*
 * SpMM over operators given as text: every type, format, layout and batch against the
 * oracle of SpMM, other semirings against a fold over the entries, compiled and
 * interpreted; what texts are refused, and where; values that change under a plan.
 */
#include "call.h"
#include "oracle.h"
#include "problems.h"
#include "runtime/kernel.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct ring {
    const char *add, *zero, *mul, *epilogue;
} ring;

static spblasStatus_t
make_plan(spblasSpMMOpPlan_t *out, const call *c, const ring *r)
{
    size_t bytes = 1;
    const spblasStatus_t st = spblasSpMMOp_createPlan(
        c->handle, out, (spblasOperation_t)c->pb->trans_a,
        (spblasOperation_t)c->pb->trans_b, c->a, c->b, c->c, call_type(c->pb->compute),
        SPBLAS_SPMMOP_ALG_DEFAULT, r->add, r->zero, r->mul, r->epilogue, &bytes);

    assert_true(st != SPBLAS_STATUS_SUCCESS || bytes == 0);
    return st;
}

static void
must(spblasStatus_t st)
{
    if (st != SPBLAS_STATUS_SUCCESS)
        fail_msg("%s: %s", spblasGetErrorName(st), spblasGetLastErrorMessage(NULL));
}

/* The program is fetched from no cache and made by no compiler. */
static void
interpret_only(bool on)
{
    if (on)
        setenv("SPBLAS_JIT", "off", 1);
    else
        unsetenv("SPBLAS_JIT");
    sb_kernel_forget();
}

/* ---- the usual sum and product ------------------------------------------------------- */

/* beta: the epilogue reads C, which else holds NaN. */
static void
check_usual(uint64_t k, const problem_types *t, bool beta)
{
    const ring r = {NULL, NULL, NULL, beta ? "b + a" : NULL};
    sb_problem pb = problem_make(k, SB_OP_SPMM, t, true);
    spblasSpMMOpPlan_t plan = NULL;
    char message[300];
    oracle o;
    call c;

    pb.alpha = (sb_value){1, 0};
    pb.beta = (sb_value){beta, 0};
    if (!beta)
        problem_poison_output(&pb);
    must(call_begin(&c, &pb));
    must(make_plan(&plan, &c, &r));
    o = oracle_make(&pb);
    must(spblasSpMMOp(plan, NULL));
    if (!oracle_check(&o, &pb, true, message, sizeof message))
        fail_msg("case %llu, format %d, trans %d %d, compute %s, batch %d: %s",
                 (unsigned long long)k, pb.a.format, pb.trans_a, pb.trans_b,
                 sb_dtype_name(pb.compute), (int)pb.a.batch, message);
    oracle_free(&o);
    must(spblasSpMMOp_destroyPlan(plan));
    call_end(&c);
    problem_free(&pb);
}

static void
agrees_with_spmm(int cases)
{
    for (int q = 0; q < problem_type_count; q++)
        if (problem_type_table[q].ops & 1u << SB_OP_SPMM)
            for (int k = 0; k < cases; k++)
                check_usual((uint64_t)(100 * q + k), &problem_type_table[q], k & 1);
}

static void
test_usual_interpreted(void **state)
{
    (void)state;
    interpret_only(true);
    agrees_with_spmm(9);
    interpret_only(false);
}

/* Kernels differ by types and layouts; a few cases of one type. */
static void
test_usual_compiled(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 4; k++)
        check_usual(k, &problem_type_table[0], k & 1);
}

/* ---- other semirings ----------------------------------------------------------------- */

/* What a ring computes, on doubles. */
typedef struct model {
    ring text;
    double (*add)(double a, double b);
    double zero;
    double (*mul)(double a, double b);
    double (*epilogue)(double a, double b);
} model;

static double
plus(double a, double b)
{
    return a + b;
}

static double
times(double a, double b)
{
    return a * b;
}

static double
smaller(double a, double b)
{
    return a < b ? a : b;
}

static double
larger(double a, double b)
{
    return a > b ? a : b;
}

static double
first(double a, double b)
{
    (void)b;
    return a;
}

static double
unlike(double a, double b)
{
    return a != b;
}

static double
clipped(double a, double b)
{
    return a > 2 ? 2 : a < -b ? -b : a;
}

/* Neither commutative nor associative: it shows the order of the sum. */
static double
horner(double a, double b)
{
    return b - a / 2;
}

static const model models[] = {
    {{"min(a, b)", NULL, "a + b", "min(a, b)"}, smaller, INFINITY, plus, smaller},
    {{"max(b, a)", NULL, "min(a, b)", NULL}, larger, -INFINITY, smaller, first},
    {{"a * b", NULL, "a + b", "a + b"}, times, 1, plus, plus},
    {{"max(a, b)", "0.0", "select(a != b, 1.0, 0.0)", NULL}, larger, 0, unlike, first},
    {{NULL, NULL, NULL, "select(a > 2.0, 2.0, max(a, -b))"}, plus, 0, times, clipped},
    {{"b - a / 2.0", "0.5", "a * b", NULL}, horner, 0.5, times, first},
};

/* Entries of the sparse matrix, found by place. */
typedef struct fold {
    const sb_problem *pb;
    const model *m;
    double *sum; /* m x n */
    int64_t row, n;
} fold;

static double
dense_at(const sb_dense *d, int64_t i, int64_t j)
{
    return sb_value_load(d->type, d->data, d->col_major ? i + j * d->ld : i * d->ld + j)
        .re;
}

static void
fold_entry(void *user, int64_t i, int64_t j, int64_t slot)
{
    const fold *f = user;
    const sb_problem *pb = f->pb;
    const bool t = pb->trans_a != SB_TRANS_N, tb = pb->trans_b != SB_TRANS_N;
    const int64_t row = t ? j : i, k = t ? i : j;
    const double a = sb_value_load(pb->a.val_type, pb->a.val, slot).re;

    for (int64_t c = 0; c < f->n; c++) {
        const double b = tb ? dense_at(&pb->b, c, k) : dense_at(&pb->b, k, c);
        double *s = &f->sum[row * f->n + c];

        *s = f->m->add(*s, f->m->mul(a, b));
    }
}

static void
check_model(uint64_t k, const problem_types *t, const model *m)
{
    sb_problem pb = problem_make(k, SB_OP_SPMM, t, true);
    spblasSpMMOpPlan_t plan = NULL;
    const int64_t rows = pb.c.rows, cols = pb.c.cols;
    double *want = malloc((size_t)(rows * cols + 1) * sizeof *want);
    fold f = {&pb, m, want, 0, cols};
    call c;

    pb.batch = pb.a.batch = pb.b.batch = pb.c.batch = 1;
    assert_non_null(want);
    for (int64_t e = 0; e < rows * cols; e++)
        want[e] = m->zero;
    oracle_for_each(&pb.a, 0, fold_entry, &f);
    for (int64_t e = 0; e < rows * cols; e++)
        want[e] = m->epilogue(want[e], dense_at(&pb.c, e / cols, e % cols));
    must(call_begin(&c, &pb));
    must(make_plan(&plan, &c, &m->text));
    must(spblasSpMMOp(plan, NULL));
    for (int64_t e = 0; e < rows * cols; e++)
        if (dense_at(&pb.c, e / cols, e % cols) != want[e])
            fail_msg("model %d, case %llu, format %d: element %lld is %g, not %g",
                     (int)(m - models), (unsigned long long)k, pb.a.format,
                     (long long)e, dense_at(&pb.c, e / cols, e % cols), want[e]);
    must(spblasSpMMOp_destroyPlan(plan));
    call_end(&c);
    free(want);
    problem_free(&pb);
}

/* The order of CSR's entries is the order of the fold. */
static bool
ordered(uint64_t k, const problem_types *t)
{
    sb_problem pb = problem_make(k, SB_OP_SPMM, t, true);
    const bool is = pb.a.format == SB_FORMAT_CSR && pb.trans_a == SB_TRANS_N;

    problem_free(&pb);
    return is;
}

static void
test_models_interpreted(void **state)
{
    const problem_types *t = &problem_type_table[1]; /* f64 */

    (void)state;
    interpret_only(true);
    for (size_t q = 0; q < sizeof models / sizeof models[0]; q++)
        for (uint64_t k = 0; k < (models[q].add == horner ? 120 : 9); k++)
            if (models[q].add != horner || ordered(k, t))
                check_model(k, t, &models[q]);
    interpret_only(false);
}

static void
test_models_compiled(void **state)
{
    const problem_types *t = &problem_type_table[1];
    uint64_t k = 0;

    (void)state;
    for (size_t q = 0; q < sizeof models / sizeof models[0]; q++, k++) {
        while (!ordered(k, t))
            k++;
        check_model(k, t, &models[q]);
    }
}

/* ---- what is refused ----------------------------------------------------------------- */

/* Texts that fail, with words of the sentence. NULL: of the usual ring. */
static const struct {
    ring r;
    sb_dtype compute;
    const char *word, *place;
} refused[] = {
    {{.mul = "a +"}, SB_F32, "product", "column 4"},
    {{.mul = ""}, SB_F32, "product", "column 1"},
    {{.mul = "a * c"}, SB_F32, "product", "column 5"},
    {{.mul = "a * b)"}, SB_F32, "product", "column 6"},
    {{.mul = "%a"}, SB_F32, "product", "column 1"},
    {{.mul = "$A[0]"}, SB_F32, "product", "column 1"},
    {{.mul = "a\n* &"}, SB_F32, "product", "line 2, column 3"},
    {{.mul = "a; b"}, SB_F32, NULL, NULL}, /* a comment: accepted */
    {{.mul = "a > b"}, SB_F32, "product", "bool"},
    {{.mul = "find(a, 0, 1, 2)"}, SB_F32, "product", "buffer"},
    {{.add = "a - b"}, SB_F32, "sum", "zero"},
    {{.add = "a - b", .zero = "a"}, SB_F32, "zero", "variable"},
    {{.epilogue = "a b"}, SB_F32, "epilogue", "column 3"},
    {{.epilogue = "cast(f32, cast(i32, a))"}, SB_F32, "epilogue", "integer"},
    {{.mul = "a / b"}, SB_I32, "product", "divided"},
    {{.mul = "a mod b"}, SB_I32, "product", "divided"},
    {{.mul = "a / 0:i32"}, SB_I32, "product", "divided"},
    {{.mul = "a / 2:i32"}, SB_I32, NULL, NULL},
    {{.mul = "ones(a, b)"}, SB_I32, "product", "ones"},
    {{.mul = "a + 1"}, SB_I32, "product", "i64"},
    {{.mul = "min(a, b)"}, SB_C32, "product", "complex"},
    {{.mul = "conj(a) * b"}, SB_C32, NULL, NULL},
};

static sb_problem
small_problem(sb_dtype compute)
{
    for (int q = 0; q < problem_type_count; q++)
        if (problem_type_table[q].c == compute && problem_type_table[q].ops & 1)
            return problem_make(3, SB_OP_SPMM, &problem_type_table[q], true);
    fail();
    return (sb_problem){0};
}

static void
check_refused(const ring *r, sb_dtype compute, const char *word, const char *place)
{
    sb_problem pb = small_problem(compute);
    spblasSpMMOpPlan_t plan = (spblasSpMMOpPlan_t)(void *)&pb;
    const char *said;
    spblasStatus_t st;
    call c;

    must(call_begin(&c, &pb));
    st = make_plan(&plan, &c, r);
    said = spblasGetLastErrorMessage(c.handle);
    if (st != (word ? SPBLAS_STATUS_INVALID_VALUE : SPBLAS_STATUS_SUCCESS) ||
        (word && (plan || !strstr(said, word) || !strstr(said, place))))
        fail_msg("add %s, mul %s, epilogue %s: status %d, %s", r->add, r->mul,
                 r->epilogue, st, said);
    must(spblasSpMMOp_destroyPlan(plan));
    call_end(&c);
    problem_free(&pb);
}

static void
test_refused_texts(void **state)
{
    char deep[300], longer[5000];
    const ring too_deep = {.mul = deep}, too_long = {.mul = longer};

    (void)state;
    interpret_only(true);
    for (size_t q = 0; q < sizeof refused / sizeof refused[0]; q++)
        check_refused(&refused[q].r, refused[q].compute, refused[q].word,
                      refused[q].place);
    memset(longer, ' ', sizeof longer);
    longer[0] = 'a';
    longer[sizeof longer - 1] = '\0';
    check_refused(&too_long, SB_F32, "product", "4096");
    deep[0] = '\0';
    for (int q = 0; q < 30; q++)
        strcat(deep, "min(b, ");
    strcat(deep, "a");
    for (int q = 0; q < 30; q++)
        strcat(deep, ")");
    check_refused(&too_deep, SB_F32, "product", "24");
    deep[0] = '\0';
    for (int q = 0; q < 24; q++) /* in one kernel three times, below its own levels */
        strcat(deep, "min(b, ");
    strcat(deep, "a");
    for (int q = 0; q < 24; q++)
        strcat(deep, ")");
    check_refused(&(ring){deep, "0.0", deep, deep}, SB_F32, NULL, NULL);
    interpret_only(false);
}

static void
test_bad_arguments(void **state)
{
    static const ring usual = {0};
    sb_problem pb = small_problem(SB_F32);
    spblasSpMMOpPlan_t plan = NULL;
    size_t bytes;
    call c;

    (void)state;
    interpret_only(true);
    must(call_begin(&c, &pb));
#define CREATE(h_, plan_, a_, alg_, size_)                                             \
    spblasSpMMOp_createPlan(h_, plan_, (spblasOperation_t)pb.trans_a,                  \
                            (spblasOperation_t)pb.trans_b, a_, c.b, c.c, SPBLAS_R_32F, \
                            alg_, NULL, NULL, NULL, NULL, size_)
    assert_int_equal(CREATE(NULL, &plan, c.a, 0, &bytes), 3);
    assert_int_equal(CREATE(c.handle, NULL, c.a, 0, &bytes), 3);
    assert_non_null(strstr(spblasGetLastErrorMessage(c.handle), "argument plan"));
    assert_int_equal(CREATE(c.handle, &plan, NULL, 0, &bytes), 3);
    assert_non_null(strstr(spblasGetLastErrorMessage(c.handle), "argument matA"));
    assert_int_equal(CREATE(c.handle, &plan, c.a, (spblasSpMMOpAlg_t)1, &bytes), 3);
    assert_non_null(strstr(spblasGetLastErrorMessage(c.handle), "argument alg"));
    assert_int_equal(CREATE(c.handle, &plan, c.a, 0, NULL), 3);
    assert_non_null(strstr(spblasGetLastErrorMessage(c.handle), "SpMMWorkspaceSize"));
    assert_null(plan);
    assert_int_equal(spblasSpMMOp(NULL, NULL), 3);
    must(spblasSpMMOp_destroyPlan(NULL));
    must(make_plan(&plan, &c, &usual));
    must(spblasDnMatSetValues(c.b, NULL));
    assert_int_equal(spblasSpMMOp(plan, NULL), 3);
    assert_non_null(strstr(spblasGetLastErrorMessage(c.handle), "argument matB"));
    must(spblasDnMatSetValues(c.b, pb.b.data));
    must(spblasDnMatSetStridedBatch(c.c, (int)pb.c.batch + 1, 1 << 20));
    assert_int_equal(spblasSpMMOp(plan, NULL), 3);
    must(spblasSpMMOp_destroyPlan(plan));
    call_end(&c);
    problem_free(&pb);
    interpret_only(false);
}

/* A CUSTOM matrix has no rows to walk. */
static void
test_custom(void **state)
{
    static const ring usual = {0};
    sb_problem pb = {.op = SB_OP_SPMM, .compute = SB_F32, .alpha = {1, 0}, .batch = 1};
    spblasFormatDescr_t format;
    spblasSpMatDescr_t own, made;
    spblasSpMMOpPlan_t plan;
    call c;

    (void)state;
    pb.a = gen_matrix(&(gen_spec){.family = GEN_DIAGONALS, .rows = 9, .cols = 9});
    pb.b = gen_dense(&(gen_dense_spec){.rows = 9, .cols = 3});
    pb.c = gen_dense(&(gen_dense_spec){.rows = 9, .cols = 3});
    must(call_begin(&c, &pb));
    must(spblasCreateFormat(&format, "dia"));
    must(spblasConvert(c.handle, c.a, format, &made));
    own = c.a;
    c.a = made;
    assert_int_equal(make_plan(&plan, &c, &usual), SPBLAS_STATUS_NOT_SUPPORTED);
    assert_null(plan);
    c.a = own;
    must(spblasDestroySpMat(made));
    must(spblasDestroyFormat(format));
    call_end(&c);
    problem_free(&pb);
}

/* Values, B and C may be others at each execution; structure may not. */
static void
test_values_change(void **state)
{
    static const ring usual = {0};
    static int32_t ptr[] = {0, 2, 3}, idx[] = {0, 2, 1}, again[] = {0, 2, 3};
    static float val[] = {1, 2, 3}, other[] = {10, 20, 30}, b[] = {1, 2, 3}, c2[2];
    sb_problem pb = {
        .op = SB_OP_SPMM,
        .a = {.rows = 2,
              .cols = 3,
              .nnz = 3,
              .ptr = ptr,
              .idx = idx,
              .val = val,
              .ptr_type = SB_I32,
              .idx_type = SB_I32,
              .val_type = SB_F32,
              .batch = 1},
        .b = {.rows = 3, .cols = 1, .ld = 1, .type = SB_F32, .data = b, .batch = 1},
        .c = {.rows = 2, .cols = 1, .ld = 1, .type = SB_F32, .data = c2, .batch = 1},
        .compute = SB_F32,
        .batch = 1};
    spblasSpMMOpPlan_t plan;
    call c;

    (void)state;
    interpret_only(true);
    must(call_begin(&c, &pb));
    must(make_plan(&plan, &c, &usual));
    must(spblasSpMMOp(plan, NULL));
    assert_true(c2[0] == 7 && c2[1] == 6);
    val[0] = 5;
    must(spblasSpMMOp(plan, NULL));
    assert_true(c2[0] == 11 && c2[1] == 6);
    must(spblasSpMatSetValues(c.a, other));
    must(spblasSpMMOp(plan, NULL));
    assert_true(c2[0] == 70 && c2[1] == 60);
    must(spblasCsrSetPointers(c.a, again, idx, val));
    assert_int_equal(spblasSpMMOp(plan, NULL), SPBLAS_STATUS_INVALID_VALUE);
    assert_non_null(strstr(spblasGetLastErrorMessage(c.handle), "as it was"));
    must(spblasSpMMOp_destroyPlan(plan));
    call_end(&c);
    interpret_only(false);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_usual_interpreted),
        cmocka_unit_test(test_usual_compiled),
        cmocka_unit_test(test_models_interpreted),
        cmocka_unit_test(test_models_compiled),
        cmocka_unit_test(test_refused_texts),
        cmocka_unit_test(test_bad_arguments),
        cmocka_unit_test(test_custom),
        cmocka_unit_test(test_values_change),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
