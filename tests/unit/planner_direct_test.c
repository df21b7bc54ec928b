/*
 * The path without analysis: which problems have one, that it allocates nothing, and
 * that its tiles cover the rows once, in order, in pieces of like work.
 */
#include "planner/direct.h"
#include "planner/rules.h"

#include "base/alloc.h"
#include "gen.h"
#include "runtime/backend.h"
#include "runtime/kernel.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TILES = 64 };

static struct {
    int calls, ntile;
    sb_tile tile[TILES];
    char spec[SB_SPEC_MAX];
} seen;

/* The team, and what it was asked about. */
static bool asleep;
static double seconds;

/* Takes down the table of tiles, which is the kernel's first or last buffer: the one
 * whose name is "tile". */
static void
run_tiles(const sb_kernel *k, void *const *buf, const sb_param *param, int64_t lo,
          int64_t hi)
{
    const char *at = strchr(k->signature, ';') + 1;
    int index = 0;

    (void)param;
    assert_int_equal(lo, asleep ? seen.ntile : 0);
    assert_in_range(hi, 1, asleep ? lo + 1 : TILES);
    for (; strncmp(at, "tile", 4) != 0; at = strchr(at, ' ') + 1)
        index++;
    memcpy(seen.tile, buf[index], (size_t)hi * sizeof *seen.tile);
    seen.ntile = (int)hi;
    seen.calls++;
    memcpy(seen.spec, k->spec, strlen(k->spec) + 1);
}

static int team = 1;

static int
threads(void)
{
    return team;
}

static bool
rest(double alone)
{
    seconds = alone;
    return asleep;
}

static const sb_backend backend = {
    .name = "test", .threads = threads, .rest = rest, .run_tiles = run_tiles};

static sb_problem
problem(sb_op op, sb_format format, sb_trans trans, gen_family family, int64_t n)
{
    const gen_spec spec = {.family = family,
                           .rows = 700,
                           .cols = 500,
                           .seed = 9,
                           .density = 0.05,
                           .format = format,
                           .ptr_type = SB_I32,
                           .idx_type = SB_I32,
                           .val_type = SB_F32};
    sb_problem pb = {.op = op,
                     .a = gen_matrix(&spec),
                     .compute = SB_F32,
                     .alpha = {1, 0},
                     .trans_a = trans,
                     .batch = 1};
    const int64_t m = trans == SB_TRANS_N ? pb.a.rows : pb.a.cols;
    const int64_t k = trans == SB_TRANS_N ? pb.a.cols : pb.a.rows;

    pb.b = (sb_dense){.rows = k, .cols = n, .ld = n, .type = SB_F32, .batch = 1};
    pb.c = (sb_dense){.rows = m, .cols = n, .ld = n, .type = SB_F32, .batch = 1};
    if (op == SB_OP_SDDMM) {
        pb.b = (sb_dense){.rows = m, .cols = n, .ld = n, .type = SB_F32, .batch = 1};
        pb.c = (sb_dense){.rows = n, .cols = k, .ld = k, .type = SB_F32, .batch = 1};
    }
    memset(&seen, 0, sizeof seen);
    return pb;
}

/* Runs with every allocation failing. */
static sb_status
run(const sb_problem *pb)
{
    sb_status st;

    (void)sb_alloc_fail_after(0);
    st = sb_direct_run(pb, NULL);
    assert_int_equal(sb_alloc_fail_after(-1), 0);
    return st;
}

static void
check_tiles(int64_t rows)
{
    for (int q = 0; q < seen.ntile; q++) {
        assert_int_equal(seen.tile[q].kind, 0);
        assert_int_equal(seen.tile[q].lo, q ? seen.tile[q - 1].hi : 0);
        assert_true(seen.tile[q].hi > seen.tile[q].lo);
    }
    assert_int_equal(seen.tile[seen.ntile - 1].hi, rows);
}

/* What reads compressed rows: several at a time, products of short ones. */
static sb_part_kind
in_place(const sb_problem *pb)
{
    sb_work w;

    sb_work_of(&w, pb);
    return sb_rule_in_place(&w, sb_target_get(), (double)w.nnz / (double)w.m);
}

static void
test_in_place(void **state)
{
    const sb_work spmv = {.op = SB_OP_SPMV, .a_type = SB_I32, .compute_size = 4};
    const sb_work wide = {.op = SB_OP_SPMV, .a_type = SB_I64, .compute_size = 8};
    const sb_work spmm = {.op = SB_OP_SPMM, .compute_size = 4};
    const sb_work far = {
        .op = SB_OP_SPMV, .a_type = SB_I32, .compute_size = 4, .idx_size = 8};
    sb_target fast = *sb_target_get(), slow = fast, narrow = fast, least = fast;

    (void)state;
    fast.isa = SB_ISA_V4G;
    slow.isa = SB_ISA_V4;
    narrow.isa = SB_ISA_V3;
    least.isa = SB_ISA_V2;
    assert_int_equal(sb_rule_in_place(&spmv, &fast, 2), SB_PART_PROD);
    assert_int_equal(sb_rule_in_place(&wide, &fast, 2), SB_PART_SEG);
    assert_int_equal(sb_rule_in_place(&spmv, &fast, 12), SB_PART_SEG);
    assert_int_equal(sb_rule_in_place(&spmv, &fast, 300), SB_PART_CSR);
    assert_int_equal(sb_rule_in_place(&far, &fast, 2), SB_PART_CSR);
    assert_int_equal(sb_rule_in_place(&far, &fast, 12), SB_PART_CSR);
    assert_int_equal(sb_rule_in_place(&far, &slow, 2), SB_PART_PROD);
    assert_int_equal(sb_rule_in_place(&spmv, &slow, 2), SB_PART_PROD);
    assert_int_equal(sb_rule_in_place(&spmv, &slow, 20), SB_PART_PROD);
    assert_int_equal(sb_rule_in_place(&wide, &slow, 10), SB_PART_PROD);
    assert_int_equal(sb_rule_in_place(&wide, &slow, 20), SB_PART_SEG);
    assert_int_equal(sb_rule_in_place(&spmv, &slow, 300), SB_PART_SEG);
    assert_int_equal(sb_rule_in_place(&spmv, &narrow, 2), SB_PART_PROD);
    assert_int_equal(sb_rule_in_place(&spmv, &narrow, 13), SB_PART_PROD);
    assert_int_equal(sb_rule_in_place(&spmv, &narrow, 20), SB_PART_SEG);
    assert_int_equal(sb_rule_in_place(&wide, &narrow, 2), SB_PART_PROD);
    assert_int_equal(sb_rule_in_place(&wide, &narrow, 15), SB_PART_SEG);
    assert_int_equal(sb_rule_in_place(&spmv, &least, 2), SB_PART_PROD);
    assert_int_equal(sb_rule_in_place(&spmv, &least, 20), SB_PART_SEG);
    assert_int_equal(sb_rule_in_place(&wide, &least, 2), SB_PART_CSR);
    assert_int_equal(sb_rule_in_place(&spmm, &slow, 2), SB_PART_CSR);
    assert_int_equal(sb_rule_in_place(&spmm, &fast, 2), SB_PART_CSR);
}

static void
test_served(void **state)
{
    static const struct {
        sb_op op;
        sb_format format;
        sb_trans trans;
        int64_t units; /* rows, block rows, or 0: entries */
        const char *spec;
    } cases[] = {
        {SB_OP_SPMM, SB_FORMAT_CSR, SB_TRANS_N, 700, "spmm csr "},
        {SB_OP_SPMM, SB_FORMAT_CSC, SB_TRANS_T, 500, "spmm csr "},
        {SB_OP_SPMM, SB_FORMAT_CSC, SB_TRANS_H, 500, "spmm csr "},
        {SB_OP_SPMV, SB_FORMAT_CSR, SB_TRANS_N, 700, "spmv csr "},
        {SB_OP_SPMV, SB_FORMAT_CSC, SB_TRANS_T, 500, "spmv csr "},
        {SB_OP_SDDMM, SB_FORMAT_CSR, SB_TRANS_N, 700, "sddmm csr "},
        {SB_OP_SDDMM, SB_FORMAT_COO, SB_TRANS_N, 0, "sddmm list "},
        {SB_OP_SDDMM, SB_FORMAT_BSR, SB_TRANS_N, 175, "sddmm blocks "},
        {SB_OP_SPMM, SB_FORMAT_BSR, SB_TRANS_N, 175, "spmm blocks "},
        {SB_OP_SPMV, SB_FORMAT_BSR, SB_TRANS_N, 175, "spmv blocks "},
    };

    (void)state;
    for (team = 1; team <= 8; team *= 2)
        for (int q = 0; q < SB_COUNT(cases); q++) {
            sb_problem pb = problem(cases[q].op, cases[q].format, cases[q].trans,
                                    GEN_POWER_LAW, cases[q].op == SB_OP_SPMV ? 1 : 32);
            const bool rows = strcmp(cases[q].spec, "spmv csr ") == 0;
            const sb_part_kind kind = rows ? in_place(&pb) : SB_PART_CSR;
            const int64_t each = sb_part_rows_of_unit(kind);
            const int64_t units =
                cases[q].units ? (cases[q].units + each - 1) / each : pb.a.nnz;
            char own[32];
            const char *spec = rows ? own : cases[q].spec;
            const sb_status st = run(&pb);

            (void)snprintf(own, sizeof own, "spmv %s ", sb_part_names[kind]);
            gen_free_matrix(&pb.a);
            if (st == SB_SKIP)
                skip(); /* no kernels are built in */
            assert_int_equal(st, SB_OK);
            assert_int_equal(seen.calls, 1);
            assert_memory_equal(seen.spec, spec, strlen(spec));
            check_tiles(units);
        }
}

static void
test_not_served(void **state)
{
    static const struct {
        sb_op op;
        sb_format format;
        sb_trans trans;
    } cases[] = {
        {SB_OP_SPMM, SB_FORMAT_CSR, SB_TRANS_T},
        {SB_OP_SPMM, SB_FORMAT_CSC, SB_TRANS_N},
        {SB_OP_SPMM, SB_FORMAT_COO, SB_TRANS_N},
        {SB_OP_SPMM, SB_FORMAT_BSR, SB_TRANS_T},
        {SB_OP_SPMV, SB_FORMAT_CSR, SB_TRANS_T},
    };
    sb_problem pb;

    (void)state;
    for (int q = 0; q < SB_COUNT(cases); q++) {
        pb = problem(cases[q].op, cases[q].format, cases[q].trans, GEN_UNIFORM, 8);
        assert_int_equal(run(&pb), SB_SKIP);
        gen_free_matrix(&pb.a);
    }
    pb = problem(SB_OP_SPMM, SB_FORMAT_CSR, SB_TRANS_N, GEN_UNIFORM, 8);
    pb.a.val_type = SB_C32; /* no kernel is built in for this mixture */
    assert_int_equal(run(&pb), SB_SKIP);
    gen_free_matrix(&pb.a);
    assert_int_equal(seen.calls, 0);
}

/* Rows without entries are written too: beta applies to them. */
static void
test_empty_rows(void **state)
{
    sb_problem pb = problem(SB_OP_SPMM, SB_FORMAT_CSR, SB_TRANS_N, GEN_EMPTY, 8);
    const sb_status st = run(&pb);

    (void)state;
    gen_free_matrix(&pb.a);
    if (st == SB_SKIP)
        skip();
    assert_int_equal(st, SB_OK);
    check_tiles(700);
}

/* One full row among nearly empty ones: no tile has more than its share and a row. */
static void
test_even(void **state)
{
    sb_problem pb;
    const int32_t *ptr;
    sb_status st;

    (void)state;
    team = 4;
    pb = problem(SB_OP_SPMM, SB_FORMAT_CSR, SB_TRANS_N, GEN_DENSE_ROW, 64);
    ptr = pb.a.ptr;
    st = run(&pb);
    for (int q = 0; q < seen.ntile; q++) {
        const sb_tile *t = &seen.tile[q];
        const int64_t last = ptr[t->hi] - ptr[t->hi - 1];

        assert_true(ptr[t->hi] - ptr[t->lo] + (t->hi - t->lo) <=
                    (700 + pb.a.nnz) / seen.ntile + last + 2);
    }
    gen_free_matrix(&pb.a);
    if (st == SB_SKIP)
        skip();
    assert_true(seen.ntile > 1);
    check_tiles(700);
}

/* A short product is cut into four tiles a thread, fewer where it is very short; a longer one is
 * evened out. */
static void
test_few_tiles(void **state)
{
    static const struct {
        sb_op op;
        gen_family family;
        int64_t n;
        int least, most;
    } cases[] = {{SB_OP_SPMV, GEN_FULL, 1, 8, 8},
                 {SB_OP_SPMV, GEN_DENSE_COL, 1, 1, 1},
                 {SB_OP_SPMM, GEN_FULL, 8, 16, TILES}};

    (void)state;
    team = 2;
    for (size_t q = 0; q < sizeof cases / sizeof cases[0]; q++) {
        sb_problem pb = problem(cases[q].op, SB_FORMAT_CSR, SB_TRANS_N, cases[q].family,
                                cases[q].n);
        const sb_status st = run(&pb);

        gen_free_matrix(&pb.a);
        if (st == SB_SKIP)
            skip();
        assert_in_range(seen.ntile, cases[q].least, cases[q].most);
    }
}

/* Where the team had better sleep on, its tiles are the caller's, one by one, each once; it is asked with about
 * what one thread takes: more for more columns, and for blocks as much as for their elements. */
static void
test_team_asleep(void **state)
{
    static const struct {
        sb_format format;
        int64_t n, units;
    } cases[] = {
        {SB_FORMAT_CSR, 8, 700}, {SB_FORMAT_CSR, 64, 700}, {SB_FORMAT_BSR, 64, 175}};
    double took[3];

    (void)state;
    team = 2;
    for (int q = 0; q < 3; q++) {
        sb_problem pb =
            problem(SB_OP_SPMM, cases[q].format, SB_TRANS_N, GEN_FULL, cases[q].n);
        sb_status st;

        asleep = true;
        st = run(&pb);
        asleep = false;
        gen_free_matrix(&pb.a);
        if (st == SB_SKIP)
            skip();
        assert_true(seen.calls > 1);
        assert_int_equal(seen.ntile, seen.calls);
        check_tiles(cases[q].units);
        took[q] = seconds;
    }
    assert_true(took[1] > 2 * took[0]);
    assert_true(took[1] > 350000 * 64 * 10e-12 && took[1] < 350000 * 64 * 100e-12);
    assert_true(took[2] > 0.9 * took[1] && took[2] < 1.1 * took[1]);
}

static void *
run_anew(void *pb)
{
    memset(&seen, 0, sizeof seen);
    return (void *)(intptr_t)run(pb);
}

/* What the arrays hold decides at every call, whatever they held before: rows as even as they come and rows of
 * many lengths in the same place have the kernels that a thread which remembers nothing gives them. */
static void
test_arrays_change(void **state)
{
    sb_problem pb = problem(SB_OP_SPMM, SB_FORMAT_CSR, SB_TRANS_N, GEN_UNIFORM, 8);
    const int32_t rows = (int32_t)pb.a.rows, nnz = (int32_t)pb.a.nnz;
    int32_t ptr[2][701];
    char fresh[2][SB_SPEC_MAX];

    (void)state;
    team = 2;
    pb.a.val_type = pb.b.type = pb.c.type = pb.compute =
        SB_F64; /* values are not read */
    assert_int_equal(rows, 700);
    memcpy(ptr[0], pb.a.ptr, sizeof ptr[0]);
    for (int32_t i = 0; i <= rows; i++)
        ptr[1][i] = i < rows ? i * (nnz / rows) : nnz;
    for (int q = 0; q < 2; q++) {
        pthread_t thread;
        void *st = NULL;

        memcpy((void *)(uintptr_t)pb.a.ptr, ptr[q], sizeof ptr[q]);
        assert_int_equal(pthread_create(&thread, NULL, run_anew, &pb), 0);
        assert_int_equal(pthread_join(thread, &st), 0);
        memcpy(fresh[q], seen.spec, sizeof fresh[q]);
        if ((intptr_t)st != SB_OK) {
            gen_free_matrix(&pb.a);
            skip();
        }
    }
    if (sb_target_get()->wide) /* as docs/kernels.md, SpMM rule 3 */
        assert_string_not_equal(fresh[0], fresh[1]);
    for (int q = 0; q < 6; q++) {
        memcpy((void *)(uintptr_t)pb.a.ptr, ptr[q % 2], sizeof ptr[0]);
        assert_int_equal((intptr_t)run_anew(&pb), SB_OK);
        assert_string_equal(seen.spec, fresh[q % 2]);
    }
    gen_free_matrix(&pb.a);
}

static int
start(void **state)
{
    (void)state;
    sb_backend_set(&backend);
    return setenv("SPBLAS_JIT", "off", 1);
}

/* By 64-bit columns, too, vectors go on from row to row, and products of short rows are summed by four
 * lanes. */
static void
test_far_columns(void **state)
{
    static const struct {
        double density;
        const char *spec;
    } cases[] = {{0.05, "spmv seg f32f32f32/f32 i64i64 rr t4 p0 u4"},
                 {0.006, "spmv prod f32f32f32/f32 i64i64 rr t4 p0"}};

    (void)state;
    if (sb_target_get()->isa < SB_ISA_V3)
        skip();
    for (int q = 0; q < SB_COUNT(cases); q++) {
        const gen_spec spec = {.family = GEN_UNIFORM,
                               .rows = 700,
                               .cols = 500,
                               .seed = 9,
                               .density = cases[q].density,
                               .ptr_type = SB_I64,
                               .idx_type = SB_I64,
                               .val_type = SB_F32};
        sb_problem pb = problem(SB_OP_SPMV, SB_FORMAT_CSR, SB_TRANS_N, GEN_UNIFORM, 1);

        gen_free_matrix(&pb.a);
        pb.a = gen_matrix(&spec);
        assert_int_equal(run(&pb), SB_OK);
        assert_string_equal(seen.spec, cases[q].spec);
        gen_free_matrix(&pb.a);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_place),    cmocka_unit_test(test_served),
        cmocka_unit_test(test_not_served),  cmocka_unit_test(test_empty_rows),
        cmocka_unit_test(test_even),        cmocka_unit_test(test_few_tiles),
        cmocka_unit_test(test_team_asleep), cmocka_unit_test(test_arrays_change),
        cmocka_unit_test(test_far_columns),
    };

    return cmocka_run_group_tests(tests, start, NULL);
}
