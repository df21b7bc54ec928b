/*
 * 64-bit indices: what is shortened for a plan and what is not, that a plan on them has the
 * parts, kernels and bits of the one on 32-bit indices, and that calls without an analysis
 * have the kernels of their 32-bit twins.
 */
#include "planner/indices.h"

#include "base/alloc.h"
#include "cpu/cpu.h"
#include "gen.h"
#include "planner/direct.h"
#include "planner/planner.h"
#include "runtime/backend.h"
#include "runtime/kernel.h"
#include "runtime/target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- what is shortened ---------------------------------------------------------- */

static sb_matrix
matrix(sb_format format, sb_dtype ptr, sb_dtype idx, int base)
{
    const gen_spec spec = {.family = GEN_UNIFORM,
                           .rows = 60,
                           .cols = 44,
                           .seed = 5,
                           .format = format,
                           .ptr_type = ptr,
                           .idx_type = idx,
                           .val_type = SB_F32,
                           .base = base};

    return gen_matrix(&spec);
}

static void
same_numbers(const void *x, sb_dtype of_x, const void *y, sb_dtype of_y, int64_t count)
{
    for (int64_t p = 0; p < count; p++)
        assert_int_equal(sb_index(x, of_x, p), sb_index(y, of_y, p));
}

static void
test_shortened(void **state)
{
    static const sb_format formats[] = {SB_FORMAT_CSR, SB_FORMAT_CSC, SB_FORMAT_COO,
                                        SB_FORMAT_BSR};

    (void)state;
    for (int q = 0; q < 4 * SB_COUNT(formats); q++) {
        const sb_dtype idx = q & 1 ? SB_I32 : SB_I64;
        sb_matrix a = matrix(formats[q / 4], SB_I64, idx, q / 2 % 2);
        sb_problem pb = {.op = SB_OP_SPMM, .a = a};
        sb_indices x = {0};

        sb_indices_shorten(&x, &pb, SIZE_MAX, NULL);
        same_numbers(pb.a.ptr, pb.a.ptr_type, a.ptr, a.ptr_type, sb_matrix_offsets(&a));
        same_numbers(pb.a.idx, pb.a.idx_type, a.idx, a.idx_type, a.nnz);
        assert_int_equal(pb.a.idx_type, SB_I32);
        if (a.format == SB_FORMAT_COO)
            same_numbers(pb.a.row, pb.a.idx_type, a.row, a.idx_type, a.nnz);
        else
            assert_int_equal(pb.a.ptr_type, SB_I32);
        assert_true((pb.a.idx == a.idx) == (idx == SB_I32));
        sb_indices_free(&x);
        gen_free_matrix(&a);
    }
}

/* Declared more than filled: what lies behind is not looked at. */
static void
test_not_filled(void **state)
{
    sb_matrix a = matrix(SB_FORMAT_CSR, SB_I64, SB_I64, 0);
    const int64_t filled = a.nnz - 7;
    int64_t *ptr = (int64_t *)(uintptr_t)a.ptr, *idx = (int64_t *)(uintptr_t)a.idx;
    sb_problem pb;
    sb_indices x = {0};

    (void)state;
    for (int64_t i = 0; i <= a.rows; i++)
        ptr[i] = ptr[i] < filled ? ptr[i] : filled;
    for (int64_t p = filled; p < a.nnz; p++)
        idx[p] = INT64_MIN;
    pb = (sb_problem){.op = SB_OP_SPMM, .a = a};
    sb_indices_shorten(&x, &pb, SIZE_MAX, NULL);
    assert_int_equal(pb.a.idx_type, SB_I32);
    for (int64_t p = filled; p < a.nnz; p++)
        assert_int_equal(sb_index(pb.a.idx, SB_I32, p), 0);
    sb_indices_free(&x);
    gen_free_matrix(&a);
}

static void
stays(const sb_matrix *a, size_t room)
{
    sb_problem pb = {.op = SB_OP_SPMM, .a = *a};
    sb_indices x = {0};

    sb_indices_shorten(&x, &pb, room, NULL);
    assert_int_equal(x.n, 0);
    assert_int_equal(x.bytes, 0);
    assert_ptr_equal(pb.a.ptr, a->ptr);
    assert_ptr_equal(pb.a.idx, a->idx);
    assert_int_equal(pb.a.ptr_type, a->ptr_type);
    assert_int_equal(pb.a.idx_type, a->idx_type);
}

static void
test_stays(void **state)
{
    sb_matrix a = matrix(SB_FORMAT_CSR, SB_I64, SB_I64, 0), b = a;
    int64_t *idx = (int64_t *)(uintptr_t)a.idx;
    const int64_t was = idx[3];
    const size_t bytes = (size_t)(a.rows + 1 + a.nnz) * sizeof(int32_t);

    (void)state;
    stays(&a, bytes - 1);
    b.cols = (int64_t)1 << 33;
    stays(&b, SIZE_MAX);
    b = a;
    b.batch = 2;
    b.idx_stride = a.nnz;
    stays(&b, SIZE_MAX);
    for (int64_t n = 0; n < 2; n++) { /* the first copy or the second finds no memory */
        (void)sb_alloc_fail_after(n);
        stays(&a, SIZE_MAX);
        (void)sb_alloc_fail_after(-1);
    }
    for (int sign = -1; sign <= 1; sign += 2) { /* whoever follows it is to see it */
        idx[3] = sign * ((int64_t)1 << 40) + was;
        stays(&a, SIZE_MAX);
    }
    idx[3] = was;
    gen_free_matrix(&a);
}

/* ---- plans ---------------------------------------------------------------------- */

typedef struct twin {
    sb_op op;
    sb_format format;
    sb_trans trans;
    sb_dtype ptr, idx;
    int base;
    gen_family family;
    int64_t n;
} twin;

static sb_problem
problem(const twin *t, bool wide)
{
    const bool sampled = t->op == SB_OP_SDDMM;
    const gen_spec spec = {.family = t->family,
                           .rows = 240,
                           .cols = 200,
                           .seed = 9,
                           .density = 0.1,
                           .format = t->format,
                           .ptr_type = wide ? t->ptr : SB_I32,
                           .idx_type = wide ? t->idx : SB_I32,
                           .val_type = SB_F32,
                           .base = t->base};
    sb_problem pb = {.op = t->op,
                     .a = gen_matrix(&spec),
                     .compute = SB_F32,
                     .alpha = {1, 0},
                     .trans_a = sampled ? SB_TRANS_N : t->trans,
                     .batch = 1};
    const bool turned = pb.trans_a != SB_TRANS_N;
    const int64_t m = turned ? pb.a.cols : pb.a.rows,
                  k = turned ? pb.a.rows : pb.a.cols;
    gen_dense_spec d = {
        .rows = sampled ? m : k, .cols = t->n, .type = SB_F32, .seed = 3};

    pb.b = gen_dense(&d);
    d = (gen_dense_spec){.rows = sampled ? t->n : m,
                         .cols = sampled ? k : t->n,
                         .col_major = sampled,
                         .type = SB_F32,
                         .seed = 4};
    pb.c = gen_dense(&d);
    return pb;
}

static void
problem_free(sb_problem *pb)
{
    gen_free_matrix(&pb->a);
    gen_free_dense(&pb->b);
    gen_free_dense(&pb->c);
}

static void
same_results(const sb_problem *x, const sb_problem *y)
{
    const size_t size = sizeof(float);

    if (x->op == SB_OP_SDDMM)
        assert_memory_equal(x->a.val, y->a.val, (size_t)x->a.nnz * size);
    else
        assert_memory_equal(x->c.data, y->c.data,
                            (size_t)(x->c.rows * x->c.cols) * size);
}

/* What the plans are made of; the wide one does not read the caller's columns. */
static void
same_plans(const sb_plan *x, const sb_plan *y, const char *text)
{
    if (strcmp(x->text, y->text) != 0)
        fail_msg("%s: %s, of 64-bit indices %s", text, x->text, y->text);
    assert_int_equal(x->nstep, y->nstep);
    for (int q = 0; q < x->nstep; q++)
        assert_ptr_equal(x->step[q].kernel, y->step[q].kernel);
}

static void
compare(const twin *t, const char *text)
{
    const sb_options opt = {.plan = text, .memory_limit = (int64_t)1 << 30};
    sb_problem x = problem(t, false), y = problem(t, true);
    sb_plan *of_x, *of_y;

    if (sb_plan_create(&of_x, &x, &opt, NULL) == SB_OK) {
        assert_int_equal(sb_plan_create(&of_y, &y, &opt, NULL), SB_OK);
        same_plans(of_x, of_y, text ? text : "estimate");
        assert_true(sb_plan_matches(of_y, &y));
        assert_int_equal(sb_plan_run(of_x, &x, NULL), SB_OK);
        if (of_y->nstep > 0 && t->idx == SB_I64 && t->format != SB_FORMAT_COO)
            memset((void *)(uintptr_t)y.a.idx, 0x7f, (size_t)y.a.nnz * sizeof(int64_t));
        assert_int_equal(sb_plan_run(of_y, &y, NULL), SB_OK);
        same_results(&x, &y);
        sb_plan_release(of_x);
        sb_plan_release(of_y);
    }
    problem_free(&x);
    problem_free(&y);
}

#define LONG SB_I64, SB_I64
static const twin twins[] = {
    {SB_OP_SPMM, SB_FORMAT_CSR, SB_TRANS_N, LONG, 0, GEN_POWER_LAW, 8},
    {SB_OP_SPMM, SB_FORMAT_CSR, SB_TRANS_N, LONG, 1, GEN_BLOCKS, 32},
    {SB_OP_SPMM, SB_FORMAT_CSR, SB_TRANS_N, SB_I64, SB_I32, 1, GEN_BLOCKS, 32},
    {SB_OP_SPMM, SB_FORMAT_CSR, SB_TRANS_N, SB_I32, SB_I64, 0, GEN_POWER_LAW, 16},
    {SB_OP_SPMM, SB_FORMAT_CSR, SB_TRANS_T, LONG, 1, GEN_UNIFORM, 16},
    {SB_OP_SPMM, SB_FORMAT_CSC, SB_TRANS_N, LONG, 0, GEN_UNIFORM, 16},
    {SB_OP_SPMM, SB_FORMAT_CSC, SB_TRANS_T, LONG, 0, GEN_UNIFORM, 32},
    {SB_OP_SPMM, SB_FORMAT_COO, SB_TRANS_N, LONG, 1, GEN_UNIFORM, 16},
    {SB_OP_SPMM, SB_FORMAT_BSR, SB_TRANS_N, LONG, 1, GEN_BLOCKS, 16},
    {SB_OP_SPMM, SB_FORMAT_BSR, SB_TRANS_T, LONG, 1, GEN_BLOCKS, 16},
    {SB_OP_SPMV, SB_FORMAT_CSR, SB_TRANS_N, LONG, 1, GEN_BANDED, 1},
    {SB_OP_SPMV, SB_FORMAT_CSR, SB_TRANS_N, LONG, 0, GEN_POWER_LAW, 1},
    {SB_OP_SPMV, SB_FORMAT_BSR, SB_TRANS_N, LONG, 0, GEN_BLOCKS, 1},
    {SB_OP_SDDMM, SB_FORMAT_CSR, SB_TRANS_N, LONG, 1, GEN_UNIFORM, 32},
    {SB_OP_SDDMM, SB_FORMAT_COO, SB_TRANS_N, LONG, 1, GEN_UNIFORM, 32},
};

static void
test_same_plan(void **state)
{
    (void)state;
    sb_backend_set(&sb_cpu_backend);
    for (int q = 0; q < SB_COUNT(twins); q++)
        compare(&twins[q], NULL);
}

/* Every part whose kernel is at hand. */
static void
test_every_part(void **state)
{
    char text[256];

    (void)state;
    sb_backend_set(&sb_cpu_backend);
    for (int q = 0; q < SB_COUNT(twins); q++) {
        sb_problem pb = problem(&twins[q], true);
        const char *at;

        for (int k = 0; (at = sb_plan_candidate(&pb, NULL, k)); k++) {
            (void)snprintf(text, sizeof text, "%s", at);
            compare(&twins[q], text);
        }
        problem_free(&pb);
    }
}

static bool
holds(const sb_plan *plan, const char *name)
{
    for (int q = 0; q < plan->narray; q++)
        if (strcmp(plan->array[q].name, name) == 0)
            return true;
    return false;
}

/* A quarter of what a plan may hold goes to the copies, and they count. */
static void
test_limit(void **state)
{
    sb_problem pb = problem(&twins[0], true);
    const int64_t bytes = (pb.a.rows + 1 + pb.a.nnz) * (int64_t)sizeof(int32_t);
    sb_plan *plan;

    (void)state;
    sb_backend_set(&sb_cpu_backend);
    for (int64_t less = 0; less < 2; less++) {
        const sb_options opt = {.memory_limit = 4 * (bytes - less)};

        assert_int_equal(sb_plan_create(&plan, &pb, &opt, NULL), SB_OK);
        assert_true((int64_t)plan->bytes <= opt.memory_limit);
        if (plan->nstep > 0) {
            assert_true(holds(plan, "A_crd") == !less);
            assert_true(less || (int64_t)plan->bytes > bytes);
        }
        sb_plan_release(plan);
    }
    problem_free(&pb);
}

/* ---- calls without an analysis -------------------------------------------------- */

static char seen[SB_SPEC_MAX];

static void
run_tiles(const sb_kernel *k, void *const *buf, const sb_param *param, int64_t lo,
          int64_t hi)
{
    (void)buf;
    (void)param;
    (void)lo;
    (void)hi;
    (void)snprintf(seen, sizeof seen, "%s", k->spec);
}

static int
threads(void)
{
    return 2;
}

static const sb_backend recorder = {
    .name = "test", .threads = threads, .run_tiles = run_tiles};

/* The kernel a problem runs on, its index types left out; empty: none. */
static void
kernel_of(char out[SB_SPEC_MAX], const twin *t, sb_dtype type, bool wide)
{
    sb_problem pb = problem(t, wide);
    char *types;

    pb.compute = pb.a.val_type = pb.b.type = pb.c.type = type;
    seen[0] = '\0';
    if (sb_direct_run(&pb, NULL) != SB_OK)
        seen[0] = '\0';
    types = strstr(seen, wide ? " i64i64 " : " i32i32 ");
    (void)snprintf(out, SB_SPEC_MAX, "%.*s%s", types ? (int)(types - seen) : 0, seen,
                   types ? types + strlen(" i32i32") : "");
    problem_free(&pb);
}

/* On level v4, where they were measured; SpMV has limits of its own (sb_rule_in_place). */
static void
test_direct(void **state)
{
    static const struct {
        sb_op op;
        int64_t n;
        bool doubles;
    } cases[] = {
        {SB_OP_SPMM, 7, false},   {SB_OP_SPMM, 4, false},   {SB_OP_SPMM, 8, true},
        {SB_OP_SPMM, 16, true},   {SB_OP_SPMM, 32, false},  {SB_OP_SPMM, 256, true},
        {SB_OP_SPMM, 128, false}, {SB_OP_SPMM, 512, true},  {SB_OP_SDDMM, 32, true},
        {SB_OP_SDDMM, 48, true},  {SB_OP_SDDMM, 128, false}};
    static const gen_family families[] = {GEN_UNIFORM, GEN_POWER_LAW, GEN_DIAGONALS};
    char narrow[SB_SPEC_MAX], wide[SB_SPEC_MAX];

    (void)state;
    if (sb_target_get()->isa != SB_ISA_V4)
        skip();
    sb_backend_set(&recorder);
    for (int q = 0; q < SB_COUNT(cases) * SB_COUNT(families); q++) {
        const int c = q / SB_COUNT(families);
        const twin t = {cases[c].op, SB_FORMAT_CSR,
                        SB_TRANS_N,  LONG,
                        0,           families[q % SB_COUNT(families)],
                        cases[c].n};

        for (int type = 0; type < 1 + cases[c].doubles; type++) {
            kernel_of(narrow, &t, type ? SB_F64 : SB_F32, false);
            kernel_of(wide, &t, type ? SB_F64 : SB_F32, true);
            if (narrow[0] == '\0')
                skip(); /* no kernels are built in */
            assert_string_equal(narrow, wide);
        }
    }
}

static int
start(void **state)
{
    (void)state;
    return setenv("SPBLAS_ISA", "v4", 1) || setenv("SPBLAS_JIT", "off", 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shortened),  cmocka_unit_test(test_not_filled),
        cmocka_unit_test(test_stays),      cmocka_unit_test(test_same_plan),
        cmocka_unit_test(test_every_part), cmocka_unit_test(test_limit),
        cmocka_unit_test(test_direct),
    };

    return cmocka_run_group_tests(tests, start, NULL);
}
