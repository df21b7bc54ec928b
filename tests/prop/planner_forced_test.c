/*
 * Property: whatever plan is forced on whatever matrix, the result is the oracle's, bit
 * for bit on integers; also after A's values have changed, at any number of threads, and
 * with only the promise allowing a packed copy. A composition of a product takes so many entries at
 * a time as its text decides, or as many as the rules say, not each number in turn: each would be a
 * kernel more.
 *
 * ctest-labels: full
 * ctest-cost: 120
 */
#include "base/alloc.h"
#include "base/fault.h"
#include "cpu/cpu.h"
#include "gen.h"
#include "oracle.h"
#include "planner/planner.h"
#include "runtime/backend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include <cmocka.h>

#ifndef _OPENMP
/* One thread whatever is asked for: the same runs are then compared with themselves. */
static int
omp_get_max_threads(void)
{
    return 1;
}

static void
omp_set_num_threads(int threads)
{
    (void)threads;
}
#endif

/* A problem with its operands; rebuilt for every case. */
typedef struct subject {
    sb_problem pb;
    sb_dense before; /* C as it was: beta would let it grow from run to run */
    char name[160];
} subject;

static const char *const op_names[] = {"spmm", "spmv", "sddmm"};

/* Types and layouts of one series of cases. */
typedef struct series {
    sb_op op;
    sb_format format;
    sb_trans trans_a, trans_b;
    sb_dtype value, compute, ptr, idx;
    bool b_col, c_col;
    int64_t n; /* columns of C, length of the reduction for SDDMM */
    int base, batch;
} series;

static sb_dense
operand(int64_t rows, int64_t cols, sb_trans trans, bool col, const series *sr,
        uint64_t seed)
{
    const bool flip = trans != SB_TRANS_N;
    gen_dense_spec d = {.rows = flip ? cols : rows,
                        .cols = flip ? rows : cols,
                        .col_major = col != flip,
                        .type = sr->value,
                        .seed = seed,
                        .integer = true,
                        .batch = sr->batch};

    d.ld = (d.col_major ? d.rows : d.cols) + (sr->op == SB_OP_SPMV ? 0 : 3);
    if (sr->op == SB_OP_SPMV)
        d.ld = 1;
    return gen_dense(&d);
}

static void
subject_open(subject *s, const series *sr, uint64_t k)
{
    gen_spec spec = gen_case(k);
    gen_rng rng = {k + 99};
    int64_t m, n, len;
    sb_matrix *a = &s->pb.a;

    memset(s, 0, sizeof *s);
    spec.format = sr->format;
    spec.ptr_type = sr->ptr;
    spec.idx_type = sr->idx;
    spec.val_type = sr->value;
    spec.base = sr->base;
    spec.block = 2 + (int64_t)k % 4;
    spec.block_col_major = k / 4 % 2;
    spec.integer = true;
    spec.batch = sr->batch;
    *a = gen_matrix(&spec);
    s->pb.op = sr->op;
    s->pb.trans_a = sr->trans_a;
    s->pb.trans_b = sr->trans_b;
    s->pb.compute = sr->compute;
    s->pb.batch = sr->batch ? sr->batch : 1;
    s->pb.alpha = gen_scalar(&rng, sr->compute);
    s->pb.beta = k % 3 ? gen_scalar(&rng, sr->compute) : (sb_value){0, 0};
    m = sr->op != SB_OP_SDDMM && sr->trans_a != SB_TRANS_N ? a->cols : a->rows;
    len = sr->op != SB_OP_SDDMM && sr->trans_a != SB_TRANS_N ? a->rows : a->cols;
    n = sr->op == SB_OP_SPMV ? 1 : sr->n;
    if (sr->op == SB_OP_SDDMM) {
        s->pb.b = operand(m, n, sr->trans_a, sr->b_col, sr, k + 1);
        s->pb.c = operand(n, len, sr->trans_b, sr->c_col, sr, k + 2);
    } else {
        s->pb.b = operand(len, n, sr->trans_b, sr->b_col, sr, k + 1);
        s->pb.c = operand(m, n, SB_TRANS_N, sr->c_col, sr, k + 2);
    }
    s->before = gen_copy_dense(&s->pb.c);
    (void)snprintf(s->name, sizeof s->name,
                   "case %llu: %s %s, format %d, %lld x %lld, %lld entries",
                   (unsigned long long)k, op_names[sr->op],
                   gen_family_name(spec.family), (int)sr->format, (long long)a->rows,
                   (long long)a->cols, (long long)a->nnz);
}

static void
subject_close(subject *s)
{
    gen_free_dense(&s->before);
    gen_free_matrix(&s->pb.a);
    gen_free_dense(&s->pb.b);
    gen_free_dense(&s->pb.c);
}

/* Other values, same structure: what an application does between two calls. */
static void
mutate_values(subject *s, uint64_t seed)
{
    const sb_matrix *a = &s->pb.a;
    const int64_t n = gen_value_count(a) * a->batch;
    gen_rng rng = {seed};

    for (int64_t p = 0; p < n; p++)
        sb_value_store(a->val_type, a->val, p, gen_scalar(&rng, a->val_type));
}

static void
run_and_check(subject *s, const sb_plan *plan, const char *when)
{
    char message[256];
    sb_diag diag = {0};
    oracle o;

    if (s->pb.op == SB_OP_SDDMM)
        mutate_values(s, 17);
    else
        memcpy(s->pb.c.data, s->before.data,
               (size_t)gen_dense_extent(&s->pb.c) * sb_dtype_size(s->pb.c.type));
    o = oracle_make(&s->pb);
    if (sb_execute(plan, &s->pb, &diag) != SB_OK)
        fail_msg("%s, %s: %s\n%s", s->name, when, diag.text, plan ? plan->text : "");
    if (!oracle_check(&o, &s->pb, true, message, sizeof message))
        fail_msg("%s, %s: %s\n%s", s->name, when, message,
                 plan ? plan->text : "without a plan");
    oracle_free(&o);
}

/* Forces one text; the plan's own text must give the same plan again. */
static bool
force(subject *s, const char *text, bool frozen)
{
    const int64_t live = sb_alloc_live();
    sb_options opt = {
        .plan = text, .values_frozen = frozen, .memory_limit = (int64_t)1 << 30};
    sb_diag diag = {0};
    sb_plan *plan, *again;
    bool fused;

    if (sb_plan_create(&plan, &s->pb, &opt, &diag) != SB_OK)
        fail_msg("%s\n%s: %s", s->name, text, diag.text);
    fused = plan->nstep > 0;
    opt.plan = plan->text;
    if (sb_plan_create(&again, &s->pb, &opt, &diag) != SB_OK)
        fail_msg("%s\n%s: %s", s->name, plan->text, diag.text);
    assert_string_equal(plan->text, again->text);
    assert_int_equal(plan->nstep, again->nstep);
    assert_int_equal(plan->ntile, again->ntile);
    assert_int_equal(plan->bytes, again->bytes);
    sb_plan_release(again);
    run_and_check(s, plan, "first run");
    if (!plan->values_frozen) {
        mutate_values(s, 5);
        run_and_check(s, plan, "values changed");
    }
    sb_plan_release(plan);
    /* kernels stay; everything of the plan's is gone */
    if (sb_alloc_live() < live)
        fail_msg("%s: freed more than was allocated", text);
    return fused;
}

/* The text with a number of entries at a time, of one in four the rules'. */
static void
with_unroll(char *out, size_t size, const char *text, sb_op op)
{
    const int length = (int)strlen(text);
    int which = 0;

    for (const char *at = text; *at; at++)
        which += *at;
    if (op != SB_OP_SPMM || strstr(text, "(unroll ") || which % 4 == 3)
        (void)snprintf(out, size, "%s", text);
    else
        (void)snprintf(out, size, "%.*s (unroll %d))", length - 1, text,
                       1 << which % 4);
}

static int
force_all(const series *sr, uint64_t k, bool frozen)
{
    const sb_options opt = {.values_frozen = frozen};
    subject s;
    const char *text;
    int fused = 0, texts = 0;

    subject_open(&s, sr, k);
    for (; (text = sb_plan_candidate(&s.pb, &opt, texts)) != NULL; texts++) {
        char copy[256];

        with_unroll(copy, sizeof copy, text, sr->op);
        fused += force(&s, copy, frozen);
    }
    if (texts == 0)
        fail_msg("%s: nothing but the reference kernel", s.name);
    run_and_check(&s, NULL, "no plan");
    subject_close(&s);
    return fused;
}

#define F32 SB_F32, SB_F32, SB_I32, SB_I32
#define C32 SB_C32, SB_C32, SB_I32, SB_I32
#define F64L SB_F64, SB_F64, SB_I64, SB_I64
#define ROWS false, false

static const series narrow[] = {
    {SB_OP_SPMM, SB_FORMAT_CSR, SB_TRANS_N, SB_TRANS_N, F32, ROWS, 5, 0, 0},
    {SB_OP_SPMM, SB_FORMAT_CSR, SB_TRANS_T, SB_TRANS_N, F32, ROWS, 5, 1, 0},
    {SB_OP_SPMM, SB_FORMAT_CSC, SB_TRANS_N, SB_TRANS_N, F32, ROWS, 8, 0, 0},
    {SB_OP_SPMM, SB_FORMAT_CSC, SB_TRANS_T, SB_TRANS_N, F32, ROWS, 6, 1, 0},
    {SB_OP_SPMM, SB_FORMAT_COO, SB_TRANS_N, SB_TRANS_N, F32, ROWS, 7, 1, 0},
    {SB_OP_SPMM, SB_FORMAT_COO, SB_TRANS_T, SB_TRANS_N, F32, ROWS, 7, 0, 0},
    {SB_OP_SPMM, SB_FORMAT_BSR, SB_TRANS_N, SB_TRANS_N, F32, ROWS, 6, 0, 0},
    {SB_OP_SPMM, SB_FORMAT_BSR, SB_TRANS_T, SB_TRANS_T, F32, ROWS, 6, 1, 0},
    {SB_OP_SPMM, SB_FORMAT_CSR, SB_TRANS_N, SB_TRANS_N, F32, ROWS, 5, 0, 3},
    {SB_OP_SPMV, SB_FORMAT_CSR, SB_TRANS_N, SB_TRANS_N, F32, ROWS, 1, 1, 0},
    {SB_OP_SPMV, SB_FORMAT_CSR, SB_TRANS_T, SB_TRANS_N, F32, ROWS, 1, 0, 0},
    {SB_OP_SPMV, SB_FORMAT_COO, SB_TRANS_N, SB_TRANS_N, F32, ROWS, 1, 0, 0},
    {SB_OP_SDDMM, SB_FORMAT_CSR, SB_TRANS_N, SB_TRANS_N, F32, false, true, 19, 0, 0},
    {SB_OP_SDDMM, SB_FORMAT_CSR, SB_TRANS_T, SB_TRANS_T, F32, true, false, 6, 1, 0},
    {SB_OP_SPMV, SB_FORMAT_BSR, SB_TRANS_N, SB_TRANS_N, F32, ROWS, 1, 1, 0},
    {SB_OP_SPMV, SB_FORMAT_BSR, SB_TRANS_T, SB_TRANS_N, F32, ROWS, 1, 0, 0},
    {SB_OP_SPMM, SB_FORMAT_BSR, SB_TRANS_N, SB_TRANS_N, F32, true, true, 6, 1, 2},
    {SB_OP_SPMM, SB_FORMAT_BSR, SB_TRANS_H, SB_TRANS_H, C32, ROWS, 3, 1, 0},
    {SB_OP_SDDMM, SB_FORMAT_CSC, SB_TRANS_N, SB_TRANS_N, F32, false, true, 19, 0, 0},
    {SB_OP_SDDMM, SB_FORMAT_CSC, SB_TRANS_T, SB_TRANS_N, F32, ROWS, 6, 1, 2},
    {SB_OP_SDDMM, SB_FORMAT_CSC, SB_TRANS_H, SB_TRANS_T, C32, ROWS, 6, 1, 0},
    {SB_OP_SDDMM, SB_FORMAT_COO, SB_TRANS_N, SB_TRANS_N, F32, false, true, 19, 0, 0},
    {SB_OP_SDDMM, SB_FORMAT_COO, SB_TRANS_N, SB_TRANS_H, C32, false, true, 5, 1, 0},
    {SB_OP_SDDMM, SB_FORMAT_COO, SB_TRANS_N, SB_TRANS_N, F64L, true, false, 5, 1, 2},
    {SB_OP_SDDMM, SB_FORMAT_BSR, SB_TRANS_N, SB_TRANS_N, F32, false, true, 19, 0, 0},
    {SB_OP_SDDMM, SB_FORMAT_BSR, SB_TRANS_H, SB_TRANS_H, C32, ROWS, 6, 1, 2},
    {SB_OP_SDDMM, SB_FORMAT_CSR, SB_TRANS_H, SB_TRANS_H, C32, ROWS, 6, 1, 2},
    {SB_OP_SPMM, SB_FORMAT_BELL, SB_TRANS_N, SB_TRANS_N, F32, ROWS, 6, 1, 0},
    {SB_OP_SPMM, SB_FORMAT_BELL, SB_TRANS_H, SB_TRANS_N, C32, ROWS, 3, 0, 0},
    {SB_OP_SPMV, SB_FORMAT_BELL, SB_TRANS_N, SB_TRANS_N, F32, ROWS, 1, 0, 0},
    {SB_OP_SDDMM, SB_FORMAT_BELL, SB_TRANS_N, SB_TRANS_N, F32, false, true, 9, 1, 0},
    {SB_OP_SPMV, SB_FORMAT_SELL, SB_TRANS_N, SB_TRANS_N, F32, ROWS, 1, 1, 0},
    {SB_OP_SPMV, SB_FORMAT_SELL, SB_TRANS_T, SB_TRANS_N, F64L, ROWS, 1, 0, 0},
    {SB_OP_SPMM, SB_FORMAT_SELL, SB_TRANS_N, SB_TRANS_T, F32, ROWS, 5, 0, 0},
    {SB_OP_SDDMM, SB_FORMAT_SELL, SB_TRANS_T, SB_TRANS_N, F32, ROWS, 6, 0, 0},
};

static void
test_every_candidate(void **state)
{
    const char *path = getenv("PATH");
    int fused = 0;

    (void)state;
    for (int q = 0; q < SB_COUNT(narrow); q++)
        for (uint64_t k = 0; k < (narrow[q].value == SB_C32 ? 4 : 16); k++)
            fused += force_all(&narrow[q], k * 7 + (uint64_t)q, false);
    /* with a compiler at hand, all of them must have been kernels */
    print_message("%d plans ran on kernels\n", fused);
    if (path && strchr(path, '/'))
        assert_true(fused > 1000 || sb_kernel_get_stats().failed > 0);
}

static void
test_packed_under_the_promise(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 12; k++) {
        (void)force_all(&narrow[0], k, true);
        (void)force_all(&narrow[1], k, true);
        (void)force_all(&narrow[9], k, true);
    }
}

static void
test_packed_needs_the_promise(void **state)
{
    sb_options opt = {.plan = "(plan spmm (part ell 2) (packed))"};
    sb_diag diag = {0};
    subject s;
    sb_plan *plan;

    (void)state;
    subject_open(&s, &narrow[0], 3);
    assert_int_equal(sb_plan_create(&plan, &s.pb, &opt, &diag), SB_ENOTSUP);
    assert_null(plan);
    assert_non_null(strstr(diag.text, "promise"));
    subject_close(&s);
}

/* C's bytes after a run. */
static void *
result(subject *s, const sb_plan *plan, size_t bytes)
{
    memcpy(s->pb.c.data, s->before.data, bytes);
    assert_int_equal(sb_execute(plan, &s->pb, NULL), SB_OK);
    return gen_copy_bytes(s->pb.c.data, bytes);
}

/* Rows are owned: the same bits at any number of threads, reals included. */
static void
test_same_bits(void **state)
{
    static const char *const texts[] = {
        "(plan spmm (part csr))",
        "(plan spmm (part rows hyb 4 3))",
        "(plan spmm (part bsr 2) (part rows flat 1))",
        "(plan spmm (part ell 2))",
        "(plan spmm (part panel 64))",
        "(plan spmm (part bsr 4) (part bsr 2) (part rows flat 1))"};

    (void)state;
    for (int q = 0; q < SB_COUNT(texts); q++) {
        series sr = narrow[0];
        sb_options opt = {.plan = texts[q], .memory_limit = (int64_t)1 << 30};
        gen_spec spec = {.family = GEN_POWER_LAW,
                         .rows = 3000,
                         .cols = 2000,
                         .density = 0.01,
                         .seed = 4};
        const int team = omp_get_max_threads();
        subject s;
        void *one = NULL;
        size_t bytes;

        sr.n = 24;
        subject_open(&s, &sr, 3);
        gen_free_matrix(&s.pb.a);
        gen_free_dense(&s.pb.b);
        gen_free_dense(&s.pb.c);
        gen_free_dense(&s.before);
        spec.format = SB_FORMAT_CSR;
        spec.ptr_type = spec.idx_type = SB_I32;
        spec.val_type = SB_F32;
        s.pb.a = gen_matrix(&spec);
        s.pb.b = gen_dense(
            &(gen_dense_spec){.rows = 2000, .cols = 24, .type = SB_F32, .seed = 1});
        s.pb.c = gen_dense(
            &(gen_dense_spec){.rows = 3000, .cols = 24, .type = SB_F32, .seed = 2});
        s.before = gen_copy_dense(&s.pb.c);
        bytes = (size_t)gen_dense_extent(&s.pb.c) * sizeof(float);
        for (int threads = 1; threads <= 4; threads++) {
            sb_plan *plan;
            void *got;

            omp_set_num_threads(threads);
            assert_int_equal(sb_plan_create(&plan, &s.pb, &opt, NULL), SB_OK);
            got = result(&s, plan, bytes);
            if (!one)
                one = gen_copy_bytes(got, bytes);
            assert_memory_equal(one, got, bytes);
            free(got);
            sb_plan_release(plan);
        }
        omp_set_num_threads(team);
        free(one);
        subject_close(&s);
    }
}

static int
start(void **state)
{
    (void)state;
    sb_backend_set(&sb_cpu_backend);
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packed_needs_the_promise),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_every_candidate),
        cmocka_unit_test(test_packed_under_the_promise),
    };

    return cmocka_run_group_tests(tests, start, NULL);
}
