/*
 * Products with custom matrices through the public interface against the oracle, in
 * every registered format: without an analysis, after one, over NaN with beta = 0, and
 * with new values. Kernels are compiled for a few, the others are interpreted, which is
 * the same program (prop/formats_compute_test.c).
 *
 * ctest-cost: 30
 */
#include "base/alloc.h"
#include "base/macro.h"
#include "call.h"
#include "formats/fmt.h"
#include "oracle.h"
#include "places.h"
#include "problems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void
must(spblasStatus_t st)
{
    if (st != SPBLAS_STATUS_SUCCESS)
        fail_msg("%s: %s", spblasGetErrorName(st), spblasGetLastErrorMessage(NULL));
}

/* A matrix of the problem in another format takes the place of its own. */
static spblasSpMatDescr_t
exchange(call *c, const char *text)
{
    spblasSpMatDescr_t own = c->a;
    spblasFormatDescr_t f;

    must(spblasCreateFormat(&f, text));
    must(spblasConvert(c->handle, own, f, &c->a));
    must(spblasDestroyFormat(f));
    return own;
}

static void
give_back(call *c, spblasSpMatDescr_t own)
{
    must(spblasDestroySpMat(c->a));
    c->a = own;
}

/* ---- One product -------------------------------------------------------------------- */

/* What SDDMM wrote, at the places of the problem's matrix; padding that the format
 * computes like an element lies elsewhere. */
typedef struct scatter {
    const places *from;
    sb_matrix *to;
} scatter;

static void
put_slot(void *user, int64_t i, int64_t j, int64_t slot)
{
    const scatter *s = user;

    sb_value_store(s->to->val_type, s->to->val, slot,
                   s->from->value[i * s->from->cols + j]);
}

static void
collect_sddmm(call *c, sb_matrix *a)
{
    places got = places_read(c->handle, c->a);

    oracle_for_each(a, 0, put_slot, &(scatter){&got, a});
    places_free(&got);
}

/* SDDMM's values of the problem must be those of c->a. */
static void
run_and_check(call *c, sb_problem *pb, const char *name, const char *when)
{
    oracle o = oracle_make(pb);
    char message[400];

    must(call_run(c));
    if (pb->op == SB_OP_SDDMM)
        collect_sddmm(c, &pb->a);
    if (!oracle_check(&o, pb, true, message, sizeof message))
        fail_msg("%s, op %d, trans %d %d, compute %s, %lld x %lld, %s: %s", name,
                 pb->op, pb->trans_a, pb->trans_b, sb_dtype_name(pb->compute),
                 (long long)pb->a.rows, (long long)pb->a.cols, when, message);
    oracle_free(&o);
}

static void
check_format(call *c, sb_problem *pb, const char *name)
{
    const sb_value alpha = pb->alpha, beta = pb->beta;
    void *values = gen_copy_bytes(pb->a.val, (size_t)gen_value_count(&pb->a) *
                                                 sb_dtype_size(pb->a.val_type));
    spblasSpMatDescr_t own = exchange(c, name);
    spblasPlanInfo_t info = {.structSize = sizeof info};
    size_t size;
    int plans;

    run_and_check(c, pb, name, "without analysis");
    must(call_analyse(c));
    must(call_analyse(c));
    must(spblasSpMatGetPlanCount(c->a, &plans));
    assert_int_equal(plans, 1);
    must(spblasSpMatGetPlanInfo(c->a, 0, &info));
    assert_true(info.bytes > 0 && info.analysisSeconds > 0);
    must(spblasSpMatGetPlanExplanation(c->a, 0, NULL, &size));
    assert_true(size > 20);
    pb->alpha = (sb_value){1, 0};
    run_and_check(c, pb, name, "after analysis");
    if (pb->op !=
        SB_OP_SDDMM) { /* its values are the matrix's: NaN would be no padding */
        pb->beta = (sb_value){0, 0};
        problem_poison_output(pb);
        run_and_check(c, pb, name, "beta = 0 over NaN");
    }
    give_back(c, own);
    memcpy(pb->a.val, values,
           (size_t)gen_value_count(&pb->a) * sb_dtype_size(pb->a.val_type));
    free(values);
    pb->alpha = alpha;
    pb->beta = beta;
}

/* ---- Problems ----------------------------------------------------------------------- */

static bool
of_matrices(const char *name)
{
    return strcmp(name, "csf") != 0 && !strstr(name, "3");
}

/* problem_make's with one member of A and nothing twice; positive, so that no sum is
 * zero and vanishes into padding. */
static void
make_positive(sb_dtype t, void *data, int64_t count)
{
    for (int64_t p = 0; p < count; p++) {
        const sb_value v = sb_value_load(t, data, p);

        if (v.re == v.re)
            sb_value_store(t, data, p, (sb_value){v.re < 0 ? -v.re : v.re, 0});
    }
}

/* Where rows are met in pieces, a 16-bit C rounds after each: small sums are exact. */
static void
make_ones(sb_problem *pb)
{
    for (int64_t p = 0; p < gen_value_count(&pb->a); p++)
        sb_value_store(pb->a.val_type, pb->a.val, p, (sb_value){1, 0});
    for (int64_t p = 0; p < gen_dense_extent(&pb->b); p++)
        sb_value_store(pb->b.type, pb->b.data, p, (sb_value){1, 0});
    pb->alpha = pb->beta = (sb_value){1, 0};
}

static bool
fit(sb_problem *pb)
{
    bool distinct;

    if (pb->a.batch > 1 || (pb->op == SB_OP_SDDMM && pb->batch > 1))
        return false;
    {
        spblasSpMatDescr_t none = NULL;
        spblasFormatDescr_t csr;
        call c;

        must(call_begin(&c, pb));
        must(spblasCreateFormat(&csr, "csr"));
        distinct = spblasConvert(c.handle, c.a, csr, &none) == SPBLAS_STATUS_SUCCESS;
        must(spblasDestroySpMat(none));
        must(spblasDestroyFormat(csr));
        call_end(&c);
    }
    if (!distinct)
        return false;
    if (pb->op != SB_OP_SDDMM && sb_dtype_is_half(pb->c.type))
        make_ones(pb);
    if (pb->op == SB_OP_SDDMM) {
        make_positive(pb->a.val_type, pb->a.val, gen_value_count(&pb->a));
        make_positive(pb->b.type, pb->b.data, gen_dense_extent(&pb->b));
        make_positive(pb->c.type, pb->c.data, gen_dense_extent(&pb->c));
        pb->alpha = (sb_value){1, 0};
        pb->beta = (sb_value){0, 0};
    }
    return true;
}

static void
every_format(uint64_t k, sb_op op, const problem_types *t)
{
    sb_problem pb = problem_make(k, op, t, true);
    call c;

    if (fit(&pb)) {
        must(call_begin(&c, &pb));
        for (int q = 0; sb_fmt_registry(q); q++)
            if (of_matrices(sb_fmt_registry(q)->name))
                check_format(&c, &pb, sb_fmt_registry(q)->name);
        call_end(&c);
    }
    problem_free(&pb);
}

static void
every_format_computes(void **state)
{
    static const sb_op ops[] = {SB_OP_SPMM, SB_OP_SPMV, SB_OP_SDDMM};

    (void)state;
    assert_int_equal(setenv("SPBLAS_JIT", "off", 1), 0);
    for (int t = 0; t < problem_type_count; t++)
        for (int q = 0; q < 3; q++)
            if (problem_type_table[t].ops >> ops[q] & 1)
                for (uint64_t k = 0; k < 2; k++)
                    every_format(k * 31 + (uint64_t)t, ops[q], &problem_type_table[t]);
    assert_int_equal(unsetenv("SPBLAS_JIT"), 0);
}

static sb_problem
plain(sb_op op)
{
    const bool vector = op == SB_OP_SPMV, sddmm = op == SB_OP_SDDMM;
    const int64_t n = vector ? 1 : 9;
    sb_problem pb = {
        .op = op, .compute = SB_F64, .alpha = {1, 0}, .beta = {0, 0}, .batch = 1};

    pb.a = gen_matrix(&(gen_spec){.family = GEN_POWER_LAW,
                                  .rows = 60,
                                  .cols = 48,
                                  .seed = 3,
                                  .val_type = SB_F64,
                                  .integer = true});
    pb.b = gen_dense(&(gen_dense_spec){.rows = sddmm ? 60 : 48,
                                       .cols = n,
                                       .type = SB_F64,
                                       .seed = 4,
                                       .integer = true});
    pb.c = gen_dense(&(gen_dense_spec){.rows = sddmm ? n : 60,
                                       .cols = sddmm ? 48 : n,
                                       .type = SB_F64,
                                       .seed = 5,
                                       .integer = true});
    if (sddmm)
        (void)fit(&pb);
    return pb;
}

/* The same through kernels of the system compiler, if there is one. */
static void
compiled_formats_compute(void **state)
{
    static const sb_op ops[] = {SB_OP_SPMM, SB_OP_SPMV, SB_OP_SDDMM};
    static const char *const names[] = {"dcsr", "hyb<16, 1>", "bell<2>"};

    (void)state;
    for (int q = 0; q < 3; q++) {
        sb_problem pb = plain(ops[q]);
        call c;

        must(call_begin(&c, &pb));
        for (int k = 0; k < SB_COUNT(names); k++)
            check_format(&c, &pb, names[k]);
        call_end(&c);
        problem_free(&pb);
    }
}

/* A GPU takes formats of the language through host memory. */
static bool
on_gpu(void)
{
    const char *backend = getenv("SPBLAS_BACKEND");

    return backend && strcmp(backend, "emu") == 0;
}

/* A plan with kernels computes as every plan does: on what it has. */
static void
plans_allocate_nothing(void **state)
{
    sb_problem pb = plain(SB_OP_SPMM);
    spblasSpMatDescr_t own;
    char text[2000];
    size_t size = sizeof text;
    spblasStatus_t st;
    call c;

    (void)state;
    if (on_gpu())
        skip();
    must(call_begin(&c, &pb));
    own = exchange(&c, "dcsr");
    must(call_analyse(&c));
    must(spblasSpMatGetPlanExplanation(c.a, 0, text, &size));
    if (!strstr(text, "interpreter")) { /* there is a compiler */
        (void)sb_alloc_fail_after(0);
        st = call_run(&c);
        assert_int_equal(sb_alloc_fail_after(-1), 0);
        must(st);
    }
    give_back(&c, own);
    call_end(&c);
    problem_free(&pb);
}

/* Zeros that a format stores are places of SDDMM, also where there is nothing else. */
static void
zeros_are_sampled(void **state)
{
    static int32_t ptr[3];
    static double x[2] = {2, 3}, y[3] = {1, 2, 5};
    const double one = 1, none = 0;
    const spblasOperation_t as_is = SPBLAS_OPERATION_NON_TRANSPOSE;
    spblasFormatDescr_t dense;
    spblasSpMatDescr_t a, b;
    spblasDnMatDescr_t X, Y;
    spblasHandle_t h;
    void *values;

    (void)state;
    must(spblasCreate(&h));
    must(spblasCreateFormat(&dense, "dense"));
    must(spblasCreateCsr(&a, 2, 3, 0, ptr, NULL, NULL, SPBLAS_INDEX_32I,
                         SPBLAS_INDEX_32I, SPBLAS_INDEX_BASE_ZERO, SPBLAS_R_64F));
    must(spblasConvert(h, a, dense, &b));
    must(spblasCreateDnMat(&X, 2, 1, 1, x, SPBLAS_R_64F, SPBLAS_ORDER_ROW));
    must(spblasCreateDnMat(&Y, 1, 3, 3, y, SPBLAS_R_64F, SPBLAS_ORDER_ROW));
    must(spblasSDDMM(h, as_is, as_is, &one, X, Y, &none, b, SPBLAS_R_64F,
                     SPBLAS_SDDMM_ALG_DEFAULT, NULL));
    must(spblasSpMatGetValues(b, &values));
    assert_memory_equal(values, ((double[]){2, 4, 10, 3, 6, 15}), 6 * sizeof(double));
    must(spblasDestroyDnMat(X));
    must(spblasDestroyDnMat(Y));
    must(spblasDestroySpMat(a));
    must(spblasDestroySpMat(b));
    must(spblasDestroyFormat(dense));
    must(spblasDestroy(h));
}

/* ---- Plans and values --------------------------------------------------------------- */

/* The values of dcsr are those of a sorted CSR, in order. */
static void
new_values_reach_the_plan(void **state)
{
    sb_problem pb = plain(SB_OP_SPMV);
    const int64_t count = gen_value_count(&pb.a);
    double *mine = gen_copy_bytes(pb.a.val, (size_t)count * sizeof *mine);
    spblasSpMatDescr_t own;
    void *values;
    int plans;
    call c;

    (void)state;
    must(call_begin(&c, &pb));
    own = exchange(&c, "dcsr");
    must(call_analyse(&c));
    must(spblasSpMatGetValues(c.a, &values));
    for (int64_t p = 0; p < count; p++) /* in place */
        ((double *)values)[p] = ((double *)pb.a.val)[p] *= 2;
    run_and_check(&c, &pb, "dcsr", "values written in place");
    for (int64_t p = 0; p < count; p++) /* elsewhere */
        mine[p] = ((double *)pb.a.val)[p] += 1;
    must(spblasSpMatSetValues(c.a, mine));
    must(spblasSpMatGetPlanCount(c.a, &plans));
    assert_int_equal(plans, 1);
    run_and_check(&c, &pb, "dcsr", "values of the caller");
    give_back(&c, own);
    call_end(&c);
    free(mine);
    problem_free(&pb);
}

/* One plan a shape; all of them go with the matrix. */
static void
plans_are_kept_per_problem(void **state)
{
    sb_problem pb = plain(SB_OP_SPMM), other = pb;
    spblasSpMatDescr_t own;
    const int yes = 1;
    char text[2000];
    size_t size = sizeof text;
    int plans;
    call c, d;

    (void)state;
    if (on_gpu())
        skip();
    other.trans_b = SB_TRANS_T;
    other.b = gen_dense(&(gen_dense_spec){
        .rows = 9, .cols = 48, .type = SB_F64, .seed = 8, .integer = true});
    must(call_begin(&c, &pb));
    must(call_begin(&d, &other));
    own = exchange(&c, "bdia_csr<4, 2>");
    must(spblasDestroySpMat(d.a));
    d.a = c.a;
    must(call_analyse(&c));
    must(call_analyse(&d));
    must(spblasSpMatGetPlanCount(c.a, &plans));
    assert_int_equal(plans, 2);
    run_and_check(&c, &pb, "bdia_csr", "first plan");
    run_and_check(&d, &other, "bdia_csr", "second plan");
    must(spblasSpMatGetPlanExplanation(c.a, 0, text, &size));
    assert_non_null(strstr(text, "format bdia_csr"));
    assert_non_null(strstr(text, "bdia: "));
    assert_non_null(strstr(text, "csr: "));
    must(spblasSpMatSetAttribute(c.a, SPBLAS_SPMAT_VALIDATE, &yes, sizeof yes));
    must(spblasSpMatGetPlanCount(c.a, &plans));
    assert_int_equal(plans, 0);
    run_and_check(&c, &pb, "bdia_csr", "validated, no plan");
    d.a = NULL;
    give_back(&c, own);
    call_end(&d);
    call_end(&c);
    gen_free_dense(&other.b);
    problem_free(&pb);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_computes),
        cmocka_unit_test(compiled_formats_compute),
        cmocka_unit_test(plans_allocate_nothing),
        cmocka_unit_test(zeros_are_sampled),
        cmocka_unit_test(new_values_reach_the_plan),
        cmocka_unit_test(plans_are_kept_per_problem),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
