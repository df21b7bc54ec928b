/*
 * Binding of names to problem and plan, steps and batches, and which problems a plan
 * may serve. The kernel here only records what it was given.
 */
#include "runtime/plan.h"

#include "base/alloc.h"
#include "runtime/backend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define CALLS 8

typedef struct call {
    sb_param param[16];
    void *buf[16];
    int64_t lo, hi;
} call;

static call calls[CALLS];
static int ncall, nref;

static void
kernel(void *const *buf, const sb_param *param, int64_t t0, int64_t t1)
{
    call *c = &calls[ncall++ % CALLS];

    memcpy(c->param, param, sizeof c->param);
    memcpy(c->buf, buf, sizeof c->buf);
    c->lo = t0;
    c->hi = t1;
}

static void
run_tiles(const sb_kernel *k, void *const *buf, const sb_param *param, int64_t lo,
          int64_t hi)
{
    k->fn(buf, param, lo, hi);
}

static sb_status
reference(const sb_problem *pb, sb_diag *diag)
{
    (void)pb;
    (void)diag;
    nref++;
    return SB_OK;
}

static const sb_backend backend = {
    .name = "test", .run_tiles = run_tiles, .reference = reference};

static int ptr[4] = {1, 2, 4, 7}, idx[6], row[6]; /* base 1 */
static float val[12], b[64], c[64];

static sb_problem
spmm(void)
{
    sb_problem pb = {.op = SB_OP_SPMM,
                     .compute = SB_F32,
                     .alpha = {2, 0},
                     .beta = {3, 0},
                     .batch = 1};

    pb.a = (sb_matrix){.format = SB_FORMAT_CSR,
                       .rows = 3,
                       .cols = 5,
                       .nnz = 6,
                       .ptr = ptr,
                       .idx = idx,
                       .row = row,
                       .val = val,
                       .ptr_type = SB_I32,
                       .idx_type = SB_I32,
                       .val_type = SB_F32,
                       .base = 1,
                       .batch = 1};
    pb.b = (sb_dense){5, 4, 6, false, SB_F32, b, 1, 0};
    pb.c = (sb_dense){3, 4, 7, false, SB_F32, c, 1, 0};
    return pb;
}

static int
setup(void **state)
{
    (void)state;
    memset(calls, 0, sizeof calls);
    ncall = nref = 0;
    sb_backend_set(&backend);
    return 0;
}

static sb_kernel
signed_by(const char *signature)
{
    return (sb_kernel){.spec = "test", .signature = signature, .fn = kernel};
}

static void
test_shape(void **state)
{
    sb_problem pb = spmm();
    int64_t m, n, k;

    (void)state;
    sb_problem_shape(&pb, &m, &n, &k);
    assert_true(m == 3 && n == 4 && k == 5);
    pb.trans_a = SB_TRANS_H;
    sb_problem_shape(&pb, &m, &n, &k);
    assert_true(m == 5 && n == 4 && k == 3);
    pb.op = SB_OP_SDDMM;
    pb.b.rows = 8;
    pb.b.cols = 3;
    sb_problem_shape(&pb, &m, &n, &k);
    assert_true(m == 3 && n == 5 && k == 8);
    pb.trans_a = SB_TRANS_N;
    sb_problem_shape(&pb, &m, &n, &k);
    assert_true(m == 3 && n == 5 && k == 3);
}

static void
test_names_of_the_problem(void **state)
{
    const sb_kernel k = signed_by(
        "m n k nnz base ldb ldc alpha beta last t0 t1;A_ptr A_crd A_row A B C tile");
    const sb_step step = {.kernel = &k, .tile_lo = 2, .tile_hi = 5};
    const sb_tile tile[5] = {{0, 0, 0, 0}};
    const sb_launch l = {.nstep = 1, .step = &step, .tile = tile, .last = 5};
    const int64_t want[] = {3, 4, 5, 6, 1, 6, 7};
    const void *bufs[] = {ptr, idx, row, val, b, c, tile};
    const sb_problem pb = spmm();

    (void)state;
    assert_int_equal(sb_launch_run(&l, &pb, NULL), SB_OK);
    assert_int_equal(ncall, 1);
    for (int q = 0; q < 7; q++) {
        assert_int_equal(calls[0].param[q].i, want[q]);
        assert_ptr_equal(calls[0].buf[q], bufs[q]);
    }
    assert_true(calls[0].param[7].f[0] == 2 && calls[0].param[8].f[0] == 3);
    assert_int_equal(calls[0].param[9].i, 5);
    assert_int_equal(calls[0].lo, 2);
    assert_int_equal(calls[0].hi, 5);
}

static void
test_sampled_product(void **state)
{
    const sb_kernel k = signed_by("lda ldb alpha;X Y A");
    const sb_step step = {.kernel = &k, .tile_hi = 1};
    const sb_launch l = {.nstep = 1, .step = &step};
    sb_problem pb = spmm();

    (void)state;
    pb.op = SB_OP_SDDMM;
    pb.compute = SB_C64;
    pb.alpha.im = -4;
    assert_int_equal(sb_launch_run(&l, &pb, NULL), SB_OK);
    assert_int_equal(calls[0].param[0].i, 6);
    assert_int_equal(calls[0].param[1].i, 7);
    assert_true(calls[0].param[2].d[0] == 2 && calls[0].param[2].d[1] == -4);
    assert_ptr_equal(calls[0].buf[0], b);
    assert_ptr_equal(calls[0].buf[1], c);
    assert_ptr_equal(calls[0].buf[2], val);
}

/* The plan's own names come first: a transposed structure replaces the caller's. */
static void
test_names_of_the_plan(void **state)
{
    const sb_kernel k = signed_by("dia_count base m;A_ptr dia_off A");
    const sb_step step = {.kernel = &k, .tile_hi = 1};
    int own_ptr[2], off[2];
    const sb_plan_array array[] = {{"A_ptr", SB_I32, 2, own_ptr},
                                   {"dia_off", SB_I64, 2, off}};
    const sb_plan_int integer[] = {{"base", 0}, {"dia_count", 9}};
    const sb_launch l = {.nstep = 1,
                         .step = &step,
                         .narray = 2,
                         .nint = 2,
                         .array = array,
                         .integer = integer};
    const sb_problem pb = spmm();

    (void)state;
    assert_int_equal(sb_launch_run(&l, &pb, NULL), SB_OK);
    assert_int_equal(calls[0].param[0].i, 9);
    assert_int_equal(calls[0].param[1].i, 0);
    assert_int_equal(calls[0].param[2].i, 3);
    assert_ptr_equal(calls[0].buf[0], own_ptr);
    assert_ptr_equal(calls[0].buf[1], off);
    assert_ptr_equal(calls[0].buf[2], val);
}

static void
test_unknown_names(void **state)
{
    static const char *const bad[] = {"m q;A", "m;A bsr_ptr", "tile;A", "m;alpha"};
    const sb_problem pb = spmm();

    (void)state;
    for (size_t q = 0; q < sizeof bad / sizeof bad[0]; q++) {
        const sb_kernel k = signed_by(bad[q]);
        const sb_step step = {.kernel = &k, .tile_hi = 1};
        const sb_launch l = {.nstep = 1, .step = &step};
        sb_diag diag = {SB_OK, ""};

        assert_int_equal(sb_launch_run(&l, &pb, &diag), SB_ENOTSUP);
        assert_non_null(strstr(diag.text, "asks for"));
        assert_int_equal(ncall, 0);
    }
}

/* The first step applies beta, later ones add; empty steps do not run. */
static void
test_steps(void **state)
{
    const sb_kernel k = signed_by("alpha beta;C");
    const sb_step step[] = {{.kernel = &k, .tile_hi = 4},
                            {.kernel = &k, .tile_lo = 4, .tile_hi = 4, .add = true},
                            {.kernel = &k, .tile_lo = 4, .tile_hi = 6, .add = true}};
    const sb_launch l = {.nstep = 3, .step = step};
    const sb_problem pb = spmm();

    (void)state;
    assert_int_equal(sb_launch_run(&l, &pb, NULL), SB_OK);
    assert_int_equal(ncall, 2);
    assert_true(calls[0].param[1].f[0] == 3);
    assert_true(calls[1].param[0].f[0] == 2 && calls[1].param[1].f[0] == 1);
    assert_true(calls[0].lo == 0 && calls[0].hi == 4);
    assert_true(calls[1].lo == 4 && calls[1].hi == 6);
}

static void
test_integer_scalars(void **state)
{
    const sb_kernel k = signed_by("alpha beta;C");
    const sb_step step = {.kernel = &k, .tile_hi = 1, .add = true};
    const sb_launch l = {.nstep = 1, .step = &step};
    sb_problem pb = spmm();

    (void)state;
    pb.compute = SB_I32;
    pb.alpha.re = -5;
    assert_int_equal(sb_launch_run(&l, &pb, NULL), SB_OK);
    assert_int_equal(calls[0].param[0].i32, -5);
    assert_int_equal(calls[0].param[1].i32, 1);
}

static void
test_batch(void **state)
{
    const sb_kernel k = signed_by("m;A_ptr A_crd A B C");
    const sb_step step = {.kernel = &k, .tile_hi = 1};
    const sb_launch l = {.nstep = 1, .step = &step};
    sb_problem pb = spmm();

    (void)state;
    pb.batch = 2;
    pb.a.batch = 2;
    pb.a.val_stride = 6;
    pb.c.batch = 2;
    pb.c.stride = 21;
    assert_int_equal(sb_launch_run(&l, &pb, NULL), SB_OK);
    assert_int_equal(ncall, 2);
    assert_ptr_equal(calls[0].buf[2], val);
    assert_ptr_equal(calls[1].buf[0], ptr);
    assert_ptr_equal(calls[1].buf[1], idx);
    assert_ptr_equal(calls[1].buf[2], val + 6);
    assert_ptr_equal(calls[1].buf[3], b); /* batch 1: shared */
    assert_ptr_equal(calls[1].buf[4], c + 21);
}

static sb_plan *
new_plan(void)
{
    sb_plan *plan = sb_alloc_zero(sizeof *plan);

    assert_non_null(plan);
    plan->key = spmm();
    return plan;
}

static void
test_plan_runs(void **state)
{
    const sb_kernel k = signed_by("m;x tile");
    const sb_problem pb = spmm();
    sb_plan *plan = new_plan();
    const int64_t before = sb_alloc_live();

    (void)state;
    assert_int_equal(sb_plan_run(plan, &pb, NULL), SB_OK); /* no steps */
    assert_int_equal(nref, 1);
    plan->nstep = plan->narray = 1;
    plan->step[0] = (sb_step){.kernel = &k, .tile_hi = 2};
    plan->array[0] = (sb_plan_array){"x", SB_I64, 1, sb_alloc(8)};
    plan->tile = sb_alloc(2 * sizeof(sb_tile));
    plan->text = sb_alloc(1);
    plan->explain = sb_alloc(1);
    assert_int_equal(sb_plan_run(plan, &pb, NULL), SB_OK);
    assert_ptr_equal(calls[0].buf[0], plan->array[0].data);
    assert_ptr_equal(calls[0].buf[1], plan->tile);
    sb_plan_release(plan);
    sb_plan_release(NULL);
    assert_int_equal(sb_alloc_live(), before - 1);
}

/* Names found once mean what they mean at each run: the problem's values as they are then, arrays of
 * the step's level, and new ones after they are found again. */
static void
test_named_once(void **state)
{
    const sb_kernel k = signed_by("ldc alpha beta count;x C tile");
    sb_problem pb = spmm();
    sb_plan *plan = new_plan();

    (void)state;
    plan->nstep = plan->narray = plan->nint = 2;
    for (int q = 0; q < 2; q++) {
        plan->step[q] =
            (sb_step){.kernel = &k, .tile_lo = q, .tile_hi = q + 1, .add = q > 0};
        plan->level[q] = (uint8_t)(q + 1);
        plan->array[q] = (sb_plan_array){"x@1", SB_I64, 1, sb_alloc(8)};
        plan->integer[q] = (sb_plan_int){"count@1", 5 + q};
        plan->array[q].name[2] = plan->integer[q].name[6] = (char)('1' + q);
    }
    sb_plan_name_sources(plan);
    assert_non_null(plan->source);
    pb.c.ld = 11;
    pb.beta.re = 7;
    assert_int_equal(sb_plan_run(plan, &pb, NULL), SB_OK);
    for (int q = 0; q < 2; q++) {
        assert_int_equal(calls[q].param[0].i, 11);
        assert_true(calls[q].param[1].f[0] == 2);
        assert_true(calls[q].param[2].f[0] == (q ? 1 : 7));
        assert_int_equal(calls[q].param[3].i, 5 + q);
        assert_ptr_equal(calls[q].buf[0], plan->array[q].data);
        assert_ptr_equal(calls[q].buf[1], c);
    }
    plan->array[2] = (sb_plan_array){"C", SB_I64, 1, sb_alloc(8)};
    plan->narray = 3;
    sb_plan_name_sources(plan);
    assert_int_equal(sb_plan_run(plan, &pb, NULL), SB_OK);
    assert_ptr_equal(calls[3].buf[1], plan->array[2].data);
    plan->level[1] = 3; /* whose x nobody has */
    sb_plan_name_sources(plan);
    assert_null(plan->source);
    assert_int_equal(sb_plan_run(plan, &pb, NULL), SB_ENOTSUP);
    sb_plan_release(plan);
}

/* A kernel in the place of another one is not taken for it. */
static void
test_kernel_replaced(void **state)
{
    sb_kernel k = signed_by("m n;A B");
    const sb_step step = {.kernel = &k, .tile_hi = 1};
    const sb_launch l = {.nstep = 1, .step = &step};
    const sb_problem pb = spmm();

    (void)state;
    assert_int_equal(sb_launch_run(&l, &pb, NULL), SB_OK);
    k.signature = "n m;B A";
    assert_int_equal(sb_launch_run(&l, &pb, NULL), SB_OK);
    k.key.a = 8;
    k.signature = "n k;B A";
    assert_int_equal(sb_launch_run(&l, &pb, NULL), SB_OK);
    assert_true(calls[0].param[0].i == 3 && calls[1].param[0].i == 4);
    assert_ptr_equal(calls[1].buf[0], b);
    assert_int_equal(calls[2].param[1].i, 5);
}

static void
test_matches(void **state)
{
    sb_plan *plan = new_plan();
    int other[4];
    float elsewhere[12];
    sb_problem pb = spmm();

    (void)state;
    pb.alpha.re = 9;
    pb.a.val = elsewhere;
    pb.b.data = pb.c.data = elsewhere;
    pb.b.ld = pb.c.ld = 40;
    assert_true(sb_plan_matches(plan, &pb));
    plan->values_frozen = true;
    assert_false(sb_plan_matches(plan, &pb));
    plan->values_frozen = false;

#define DIFFERS(change)                           \
    do {                                          \
        pb = spmm();                              \
        assert_true(sb_plan_matches(plan, &pb));  \
        change;                                   \
        assert_false(sb_plan_matches(plan, &pb)); \
    } while (0)
    DIFFERS(pb.op = SB_OP_SPMV);
    DIFFERS(pb.trans_a = SB_TRANS_T);
    DIFFERS(pb.trans_b = SB_TRANS_T);
    DIFFERS(pb.compute = SB_F64);
    DIFFERS(pb.batch = 2);
    DIFFERS(pb.a.format = SB_FORMAT_CSC);
    DIFFERS(pb.a.rows++);
    DIFFERS(pb.a.nnz--);
    DIFFERS(pb.a.ptr = other);
    DIFFERS(pb.a.idx = other);
    DIFFERS(pb.a.row = other);
    DIFFERS(pb.a.tensor = (const void *)other);
    DIFFERS(pb.a.base = 0);
    DIFFERS(pb.a.idx_type = SB_I64);
    DIFFERS(pb.a.val_type = SB_F64);
    DIFFERS(pb.b.type = SB_F64);
    DIFFERS(pb.b.col_major = true);
    DIFFERS(pb.c.cols++);
    sb_plan_release(plan);
}

/* One column without gaps is a vector, however B and C are stored. */
static void
test_one_column(void **state)
{
    sb_problem pb = spmm(), r;
    sb_plan *plan;

    (void)state;
    assert_int_equal(sb_problem_by_rows(&pb).op, SB_OP_SPMM);
    pb.b = (sb_dense){.rows = 5, .cols = 1, .ld = 1, .type = SB_F32, .batch = 1};
    pb.c = (sb_dense){.rows = 3, .cols = 1, .ld = 1, .type = SB_F32, .batch = 1};
    plan = new_plan();
    plan->key = pb;
    assert_int_equal(sb_problem_by_rows(&pb).op, SB_OP_SPMV);
    pb.c.ld = 2;
    assert_int_equal(sb_problem_by_rows(&pb).op, SB_OP_SPMM);
    assert_false(sb_plan_matches(plan, &pb));
    sb_plan_release(plan);
    pb.c = (sb_dense){.rows = 3, .cols = 1, .ld = 9, .col_major = true, .batch = 1};
    assert_int_equal(sb_problem_by_rows(&pb).op, SB_OP_SPMV);
    pb.b.ld = 2;
    assert_int_equal(sb_problem_by_rows(&pb).op, SB_OP_SPMM);
    pb.trans_b = SB_TRANS_T;
    pb.b = (sb_dense){.rows = 1, .cols = 5, .ld = 9, .batch = 1};
    r = sb_problem_by_rows(&pb);
    assert_int_equal(r.op, SB_OP_SPMV);
    assert_int_equal(r.trans_b, SB_TRANS_N);
    assert_int_equal(r.b.rows, 5);
    assert_int_equal(r.b.cols, 1);
    assert_int_equal(r.c.ld, 1);
    assert_false(r.c.col_major);
    pb.b.col_major = true;
    assert_int_equal(sb_problem_by_rows(&pb).op, SB_OP_SPMM);
    pb.b.ld = 1;
    assert_int_equal(sb_problem_by_rows(&pb).op, SB_OP_SPMV);
    pb.trans_b = SB_TRANS_H;
    assert_int_equal(sb_problem_by_rows(&pb).op, SB_OP_SPMM);
}

/* SpMM whose B and C lie by columns is a batch of SpMV with one A. */
static void
test_by_columns(void **state)
{
    sb_problem pb = spmm(), r;

    (void)state;
    pb.b = (sb_dense){.rows = 5, .cols = 4, .ld = 7, .col_major = true, .batch = 1};
    pb.c = (sb_dense){.rows = 3, .cols = 4, .ld = 9, .col_major = true, .batch = 1};
    r = sb_problem_by_rows(&pb);
    assert_int_equal(r.op, SB_OP_SPMV);
    assert_int_equal(r.batch, 4);
    assert_true(r.b.rows == 5 && r.b.cols == 1 && r.b.ld == 1 && !r.b.col_major);
    assert_true(r.b.batch == 4 && r.b.stride == 7);
    assert_true(r.c.rows == 3 && r.c.cols == 1 && r.c.ld == 1 && !r.c.col_major);
    assert_true(r.c.batch == 4 && r.c.stride == 9);
    assert_int_equal(sb_problem_by_rows_alone(&pb).op, SB_OP_SPMM);
    pb.trans_a = SB_TRANS_T; /* 3 x 5 turned: B has 3 rows, C 5 */
    pb.trans_b = SB_TRANS_T;
    pb.b = (sb_dense){.rows = 4, .cols = 3, .ld = 8, .batch = 1};
    pb.c.rows = 5;
    r = sb_problem_by_rows(&pb);
    assert_true(r.op == SB_OP_SPMV && r.trans_b == SB_TRANS_N);
    assert_true(r.b.rows == 3 && r.b.stride == 8 && r.c.rows == 5);
    pb.trans_b = SB_TRANS_H; /* conjugates */
    assert_int_equal(sb_problem_by_rows(&pb).op, SB_OP_SPMM);
    pb.trans_b = SB_TRANS_N; /* B by rows, C by columns */
    assert_int_equal(sb_problem_by_rows(&pb).op, SB_OP_SPMM);
    pb.b.col_major = true;
    assert_int_equal(sb_problem_by_rows(&pb).op, SB_OP_SPMV);
    pb.batch = 2; /* has batches already */
    assert_int_equal(sb_problem_by_rows(&pb).op, SB_OP_SPMM);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_shape, setup),
        cmocka_unit_test_setup(test_names_of_the_problem, setup),
        cmocka_unit_test_setup(test_sampled_product, setup),
        cmocka_unit_test_setup(test_names_of_the_plan, setup),
        cmocka_unit_test_setup(test_unknown_names, setup),
        cmocka_unit_test_setup(test_steps, setup),
        cmocka_unit_test_setup(test_integer_scalars, setup),
        cmocka_unit_test_setup(test_batch, setup),
        cmocka_unit_test_setup(test_plan_runs, setup),
        cmocka_unit_test_setup(test_named_once, setup),
        cmocka_unit_test_setup(test_kernel_replaced, setup),
        cmocka_unit_test_setup(test_matches, setup),
        cmocka_unit_test_setup(test_one_column, setup),
        cmocka_unit_test_setup(test_by_columns, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
