/*
 * Products through the public interface against the oracle: as they come, after an
 * analysis, after the values changed, and over NaN with beta = 0.
 */
#include "call.h"
#include "oracle.h"
#include "planner/context.h"
#include "problems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CASES = 40 };

static void
must(spblasStatus_t st)
{
    if (st != SPBLAS_STATUS_SUCCESS)
        fail_msg("%s: %s", spblasGetErrorName(st), spblasGetLastErrorMessage(NULL));
}

/* Runs once and compares. */
static void
run_and_check(call *c, bool exact, const char *when, uint64_t k)
{
    oracle o = oracle_make(c->pb);
    char message[400];

    must(call_run(c));
    if (!oracle_check(&o, c->pb, exact, message, sizeof message))
        fail_msg("%s, case %llu, op %d, format %d, trans %d %d, compute %s: %s", when,
                 (unsigned long long)k, c->pb->op, c->pb->a.format, c->pb->trans_a,
                 c->pb->trans_b, sb_dtype_name(c->pb->compute), message);
    oracle_free(&o);
}

static void
renew_values(sb_problem *pb, uint64_t seed)
{
    gen_rng r = {seed};
    const int64_t count =
        pb->a.batch > 1 ? pb->a.batch * pb->a.val_stride : gen_value_count(&pb->a);

    for (int64_t p = 0; p < count; p++)
        sb_value_store(pb->a.val_type, pb->a.val, p, gen_scalar(&r, pb->a.val_type));
}

static bool
built_in(const char *spec)
{
    const sb_kernel *k;

    return sb_kernel_get(&k, spec, sb_planner_maker, SB_KERNEL_RESIDENT) == SB_OK;
}

/* Sampled products of every format but those with empty slots, and products of block
 * matrices, have kernels of their own, which the library brings along for f32 and f64 with
 * 32-bit indices. */
static bool
brings_kernels(const sb_problem *pb)
{
    const bool turned = pb->op != SB_OP_SDDMM && pb->trans_a != SB_TRANS_N;

    return pb->a.nnz > 0 && (pb->compute == SB_F32 || pb->compute == SB_F64) &&
           pb->a.val_type == pb->compute && pb->b.type == pb->compute &&
           pb->a.idx_type == SB_I32 && pb->a.ptr_type == SB_I32 &&
           !sb_matrix_padded(&pb->a) &&
           (pb->op == SB_OP_SDDMM ||
            (pb->a.format == SB_FORMAT_BSR && pb->a.block > 1)) &&
           !(turned && pb->a.batch > 1) &&
           built_in("sddmm list f32f32f32/f32 i32i32 rc t32 p0");
}

static void
check_planned(const call *c, uint64_t k)
{
    spblasPlanInfo_t info = {.structSize = sizeof info};

    must(spblasSpMatGetPlanInfo(c->a, 0, &info));
    if (brings_kernels(c->pb) && info.parts == 0)
        fail_msg("case %llu, op %d, format %d, trans %d %d: the reference kernel",
                 (unsigned long long)k, c->pb->op, c->pb->a.format, c->pb->trans_a,
                 c->pb->trans_b);
}

/* The buffer that SpMM asks for, which it may do without; the others, so small, want none. */
static void
lend(call *c, uint64_t k)
{
    const char *backend = getenv("SPBLAS_BACKEND");
    const bool emu = backend && strcmp(backend, "emu") == 0;
    size_t bytes = 1;

    must(call_size(c, &bytes));
    if (c->pb->op != SB_OP_SPMM)
        call_wants_no_buffer(bytes);
    else if (bytes > 0 && k % 4 != 0 && !emu)
        c->buffer = malloc(bytes);
}

static void
one_case(uint64_t k, sb_op op, const problem_types *t, bool exact)
{
    sb_problem pb = problem_make(k, op, t, exact);
    int plans;
    call c;

    must(call_begin(&c, &pb));
    lend(&c, k);
    run_and_check(&c, exact, "without analysis", k);
    must(call_analyse(&c));
    must(spblasSpMatGetPlanCount(c.a, &plans));
    assert_int_equal(plans, 1);
    check_planned(&c, k);
    run_and_check(&c, exact, "after analysis", k);
    renew_values(&pb, k);
    run_and_check(&c, exact, "after new values", k);
    pb.alpha = (sb_value){2.0, 0.0};
    pb.beta = (sb_value){0.0, 0.0};
    problem_poison_output(&pb);
    run_and_check(&c, exact, "beta = 0 over NaN", k);
    free(c.buffer);
    call_end(&c);
    problem_free(&pb);
}

static void
sweep(sb_op op, bool exact)
{
    for (int t = 0; t < problem_type_count; t++)
        for (uint64_t k = 0; k < CASES && problem_type_table[t].ops & 1u << op; k++)
            one_case(k * 7 + (uint64_t)t, op, &problem_type_table[t], exact);
}

static void
spmm_exact(void **state)
{
    (void)state;
    sweep(SB_OP_SPMM, true);
}

static void
spmm_bound(void **state)
{
    (void)state;
    sweep(SB_OP_SPMM, false);
}

static void
spmv_exact(void **state)
{
    (void)state;
    sweep(SB_OP_SPMV, true);
}

static void
spmv_bound(void **state)
{
    (void)state;
    sweep(SB_OP_SPMV, false);
}

static void
sddmm_exact(void **state)
{
    (void)state;
    sweep(SB_OP_SDDMM, true);
}

static void
sddmm_bound(void **state)
{
    (void)state;
    sweep(SB_OP_SDDMM, false);
}

/* A plain f32 CSR product whose descriptors a case may bend. */
static sb_problem
plain_problem(void)
{
    sb_problem pb = {.op = SB_OP_SPMM,
                     .compute = SB_F32,
                     .alpha = {1.0, 0.0},
                     .beta = {0.0, 0.0},
                     .batch = 1};

    pb.a = gen_matrix(&(gen_spec){.family = GEN_UNIFORM,
                                  .rows = 30,
                                  .cols = 20,
                                  .density = 0.2,
                                  .seed = 5,
                                  .integer = true});
    pb.b =
        gen_dense(&(gen_dense_spec){.rows = 20, .cols = 8, .seed = 6, .integer = true});
    pb.c =
        gen_dense(&(gen_dense_spec){.rows = 30, .cols = 8, .seed = 7, .integer = true});
    return pb;
}

/* Both pointer modes read the same host scalars. */
static void
device_pointer_mode_reads_host_memory(void **state)
{
    sb_problem pb = plain_problem();
    call c;

    (void)state;
    must(call_begin(&c, &pb));
    must(spblasSetPointerMode(c.handle, SPBLAS_POINTER_MODE_DEVICE));
    run_and_check(&c, true, "device pointer mode", 0);
    call_end(&c);
    problem_free(&pb);
}

static int
plan_count(spblasConstSpMatDescr_t a)
{
    int n = -1;

    must(spblasSpMatGetPlanCount(a, &n));
    return n;
}

/* A product by one column is SpMV's plan; with gaps it is none of that plan's. */
static void
one_column_is_a_vector(void **state)
{
    static const char vector[] = "(plan spmv ", matrix[] = "(plan spmm (part csr))";
    sb_problem pb = plain_problem();
    char text[512];
    size_t room = sizeof text;
    call c;

    (void)state;
    pb.b.cols = pb.c.cols = pb.b.ld = pb.c.ld = 1;
    must(call_begin(&c, &pb));
    run_and_check(&c, true, "one column, without analysis", 0);
    must(call_analyse(&c));
    must(spblasSpMatGetPlanText(c.a, 0, text, &room));
    if (room > 1) /* else no kernel is at hand */
        assert_memory_equal(text, vector, sizeof vector - 1);
    run_and_check(&c, true, "one column", 0);
    must(spblasSpMatSetAttribute(c.a, SPBLAS_SPMAT_PLAN_TEXT, matrix, sizeof matrix));
    must(call_analyse(&c));
    run_and_check(&c, true, "one column, a text for SpMM", 0);
    call_end(&c);
    pb.b.ld = pb.c.ld = 8;
    must(call_begin(&c, &pb));
    run_and_check(&c, true, "one column with gaps", 0);
    must(call_analyse(&c));
    run_and_check(&c, true, "one column with gaps, analysed", 0);
    call_end(&c);
    problem_free(&pb);
}

/* Plans stay for new values, go for new structure, and are kept per shape. */
static void
plans_live_with_the_structure(void **state)
{
    sb_problem pb = plain_problem(), narrow;
    call c, d;
    spblasSpMatDescr_t own;

    (void)state;
    must(call_begin(&c, &pb));
    must(call_analyse(&c));
    must(call_analyse(&c));
    assert_int_equal(plan_count(c.a), 1);
    narrow = pb;
    narrow.b =
        gen_dense(&(gen_dense_spec){.rows = 20, .cols = 3, .seed = 6, .integer = true});
    narrow.c =
        gen_dense(&(gen_dense_spec){.rows = 30, .cols = 3, .seed = 7, .integer = true});
    must(call_begin(&d, &narrow));
    own = d.a;
    d.a = c.a;
    must(call_analyse(&d));
    assert_int_equal(plan_count(c.a), 2);
    run_and_check(&c, true, "first shape", 0);
    run_and_check(&d, true, "second shape", 0);
    must(spblasSpMatSetValues(c.a, pb.a.val));
    assert_int_equal(plan_count(c.a), 2);
    must(spblasCsrSetPointers(c.a, (void *)(uintptr_t)pb.a.ptr,
                              (void *)(uintptr_t)pb.a.idx, pb.a.val));
    assert_int_equal(plan_count(c.a), 0);
    run_and_check(&c, true, "after SetPointers", 0);
    d.a = own;
    call_end(&d);
    call_end(&c);
    gen_free_dense(&narrow.b);
    gen_free_dense(&narrow.c);
    problem_free(&pb);
}

/* Under the promise new values mean new plans; without it a withdrawn one does. */
static void
frozen_values_bind_plans(void **state)
{
    const int yes = 1, no = 0;
    sb_problem pb = plain_problem();
    call c;

    (void)state;
    must(call_begin(&c, &pb));
    must(spblasSpMatSetAttribute(c.a, SPBLAS_SPMAT_VALUES_FROZEN, &yes, sizeof yes));
    must(call_analyse(&c));
    run_and_check(&c, true, "frozen", 0);
    renew_values(&pb, 9);
    must(spblasSpMatSetValues(c.a, pb.a.val));
    assert_int_equal(plan_count(c.a), 0);
    run_and_check(&c, true, "after SetValues", 0);
    must(call_analyse(&c));
    must(spblasSpMatSetAttribute(c.a, SPBLAS_SPMAT_VALUES_FROZEN, &no, sizeof no));
    assert_int_equal(plan_count(c.a), 0);
    renew_values(&pb, 10);
    run_and_check(&c, true, "promise withdrawn", 0);
    call_end(&c);
    problem_free(&pb);
}

/* A plan's own text, forced, gives the same plan. */
static void
plan_text_reproduces_the_plan(void **state)
{
    sb_problem pb = plain_problem();
    char first[4000], second[4000], explanation[8000], back[4000];
    spblasPlanInfo_t info = {.structSize = sizeof info};
    size_t size = 0, room = sizeof first;
    call c;

    (void)state;
    must(call_begin(&c, &pb));
    must(call_analyse(&c));
    must(spblasSpMatGetPlanText(c.a, 0, NULL, &size));
    assert_in_range(size, 2, sizeof first);
    must(spblasSpMatGetPlanText(c.a, 0, first, &room));
    assert_int_equal(room, size);
    assert_int_equal(strlen(first) + 1, size);
    room = size - 1;
    assert_int_equal(spblasSpMatGetPlanText(c.a, 0, second, &room),
                     SPBLAS_STATUS_INSUFFICIENT_RESOURCES);
    assert_int_equal(room, size);
    room = sizeof explanation;
    must(spblasSpMatGetPlanExplanation(c.a, 0, explanation, &room));
    assert_in_range(room, 2, sizeof explanation);
    must(spblasSpMatGetPlanInfo(c.a, 0, &info));
    assert_true(info.bytes >= 0 && info.parts >= 0 && info.analysisSeconds >= 0);
    must(spblasSpMatSetAttribute(c.a, SPBLAS_SPMAT_PLAN_TEXT, first, size));
    must(spblasSpMatGetAttribute(c.a, SPBLAS_SPMAT_PLAN_TEXT, back, sizeof back));
    assert_string_equal(back, first);
    must(call_analyse(&c));
    room = sizeof second;
    must(spblasSpMatGetPlanText(c.a, 0, second, &room));
    assert_string_equal(second, first);
    run_and_check(&c, true, "forced plan", 0);
    must(spblasSpMatSetAttribute(c.a, SPBLAS_SPMAT_PLAN_TEXT, "((nonsense", 10));
    assert_int_equal(call_analyse(&c), SPBLAS_STATUS_INVALID_VALUE);
    assert_true(strlen(spblasGetLastErrorMessage(c.handle)) > 20);
    must(spblasSpMatSetAttribute(c.a, SPBLAS_SPMAT_PLAN_TEXT, NULL, 0));
    must(call_analyse(&c));
    call_end(&c);
    problem_free(&pb);
}

/* Measured plans run compiled kernels where a compiler is at hand; right in any case, and
 * for values that came after the timing. */
static void
measured_plans_compute(void **state)
{
    const spblasEffort_t effort = SPBLAS_EFFORT_MEASURE;
    sb_problem pb = plain_problem();
    call c;

    (void)state;
    must(call_begin(&c, &pb));
    must(spblasSpMatSetAttribute(c.a, SPBLAS_SPMAT_EFFORT, &effort, sizeof effort));
    must(call_analyse(&c));
    assert_int_equal(plan_count(c.a), 1);
    run_and_check(&c, true, "measured", 0);
    renew_values(&pb, 11);
    pb.beta = (sb_value){3.0, 0.0};
    run_and_check(&c, true, "measured, new values", 0);
    call_end(&c);
    problem_free(&pb);
}

/* With the attribute a malformed structure is a sentence, before and after analysis. */
static void
validation_names_the_fault(void **state)
{
    const int yes = 1;
    sb_problem pb = plain_problem();
    int32_t *idx = (int32_t *)(uintptr_t)pb.a.idx;
    const int32_t good = idx[3];
    call c;

    (void)state;
    must(call_begin(&c, &pb));
    must(call_analyse(&c));
    must(spblasSpMatSetAttribute(c.a, SPBLAS_SPMAT_VALIDATE, &yes, sizeof yes));
    assert_int_equal(plan_count(c.a), 0);
    run_and_check(&c, true, "validated", 0);
    idx[3] = 20;
    assert_int_equal(call_run(&c), SPBLAS_STATUS_INVALID_VALUE);
    assert_non_null(
        strstr(spblasGetLastErrorMessage(c.handle), "column index[3] is 20"));
    assert_int_equal(call_analyse(&c), SPBLAS_STATUS_INVALID_VALUE);
    idx[3] = good;
    must(call_analyse(&c));
    run_and_check(&c, true, "mended", 0);
    call_end(&c);
    problem_free(&pb);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spmm_exact),
        cmocka_unit_test(spmm_bound),
        cmocka_unit_test(spmv_exact),
        cmocka_unit_test(spmv_bound),
        cmocka_unit_test(sddmm_exact),
        cmocka_unit_test(sddmm_bound),
        cmocka_unit_test(device_pointer_mode_reads_host_memory),
        cmocka_unit_test(one_column_is_a_vector),
        cmocka_unit_test(plans_live_with_the_structure),
        cmocka_unit_test(frozen_values_bind_plans),
        cmocka_unit_test(plan_text_reproduces_the_plan),
        cmocka_unit_test(measured_plans_compute),
        cmocka_unit_test(validation_names_the_fault),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
