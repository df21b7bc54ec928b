/*
 * Property: the order of communities is a permutation of the rows of any matrix that has one, the
 * same each time; communities that were shuffled come together again, so that rows find each
 * other's columns in a cache, and a band keeps its order. A product in that order has the bits of
 * one in the matrix's.
 */
#include "base/alloc.h"
#include "cpu/cpu.h"
#include "gen.h"
#include "order_planner.h"
#include "pattern.h"
#include "planner/communities.h"
#include "planner/planner.h"
#include "planner/row_order.h"
#include "planner/rules.h"
#include "runtime/backend.h"
#include "runtime/kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void
permutes(const sb_view *v, const char *what)
{
    int32_t *order = calloc((size_t)v->rows + 1, sizeof *order);
    int32_t *again = calloc((size_t)v->rows + 1, sizeof *again);
    uint8_t *seen = calloc((size_t)v->rows + 1, 1);

    assert_int_equal(sb_communities_order(order, v), SB_OK);
    assert_int_equal(sb_communities_order(again, v), SB_OK);
    for (int64_t q = 0; q < v->rows; q++) {
        if (order[q] < 0 || order[q] >= v->rows || seen[order[q]]++)
            fail_msg("%s: row %d at %d is out of range or comes twice", what, order[q],
                     (int)q);
        assert_int_equal(order[q], again[q]);
    }
    free(order);
    free(again);
    free(seen);
}

static void
test_permutation(void **state)
{
    (void)state;
    for (int family = 0; family < GEN_FAMILY_COUNT; family++)
        for (int64_t rows = 0; rows < 260; rows = 3 * rows + 1) {
            const gen_spec spec = {.family = (gen_family)family,
                                   .rows = rows,
                                   .cols = rows,
                                   .density = rows < 60 ? 0.2 : 0.02,
                                   .seed = (uint64_t)(rows + family),
                                   .ptr_type = family % 2 ? SB_I64 : SB_I32,
                                   .idx_type = family % 2 ? SB_I64 : SB_I32,
                                   .val_type = SB_F32,
                                   .unsorted = family % 3 == 0,
                                   .duplicates = family % 3 == 1,
                                   .base = family % 2};
            sb_matrix a = gen_matrix(&spec);
            sb_view v;

            for (int turned = 0; turned < 2; turned++) {
                assert_int_equal(sb_view_make(&v, &a, turned, NULL), SB_OK);
                permutes(&v, gen_family_name(spec.family));
                sb_view_free(&v);
            }
            gen_free_matrix(&a);
        }
}

/* Rows and columns that are not numbered alike, and blocks. */
static void
test_without(void **state)
{
    const gen_spec spec = {.family = GEN_UNIFORM,
                           .rows = 40,
                           .cols = 44,
                           .ptr_type = SB_I32,
                           .idx_type = SB_I32,
                           .val_type = SB_F32};
    sb_matrix a = gen_matrix(&spec);
    int32_t order[44];
    sb_view v;

    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        assert_int_equal(sb_view_make(&v, &a, turned, NULL), SB_OK);
        assert_int_equal(sb_communities_order(order, &v), SB_SKIP);
        v.cols = v.rows;
        v.block = 2;
        assert_int_equal(sb_communities_order(order, &v), SB_SKIP);
        sb_view_free(&v);
    }
    gen_free_matrix(&a);
}

static double
ratio_of(const pattern *p, sb_isa isa, sb_row_traffic *as_is, sb_row_traffic *ordered)
{
    int32_t *order = malloc((size_t)p->v.rows * sizeof *order);

    assert_int_equal(sb_communities_order(order, &p->v), SB_OK);
    assert_int_equal(sb_row_traffic_count(as_is, &p->v, NULL, NEAR_ROWS, FAR_ROWS),
                     SB_OK);
    assert_int_equal(sb_row_traffic_count(ordered, &p->v, order, NEAR_ROWS, FAR_ROWS),
                     SB_OK);
    free(order);
    return sb_row_traffic_ratio(as_is, ordered, p->v.nnz, &(sb_target){.isa = isa});
}

/* 40 communities of 50 rows with 8 columns of them each: as they are, a cache of 64 columns is
 * filled by nine rows, and finds hardly any again. */
static void
test_shuffled(void **state)
{
    pattern p = pattern_new(2000, 8, 40);
    sb_row_traffic as_is, ordered;
    const double ratio = ratio_of(&p, SB_ISA_V4, &as_is, &ordered),
                 dearer = ratio_of(&p, SB_ISA_V4G, &as_is, &ordered);

    (void)state;
    assert_true(as_is.near > 14500 && as_is.far > 14000 && as_is.jumps == 0);
    assert_true(ordered.near < 2700 && ordered.far < 2200 && ordered.jumps > 1900);
    assert_true(ratio < 0.65 && dearer < 0.9 * ratio);
    pattern_free(&p);
}

/* Whose rows follow each other as they are. */
static void
test_band(void **state)
{
    pattern p = pattern_new(2000, 8, 0);
    sb_row_traffic as_is, ordered;

    (void)state;
    assert_true(ratio_of(&p, SB_ISA_V4, &as_is, &ordered) > 0.97);
    assert_true(ratio_of(&p, SB_ISA_V4G, &as_is, &ordered) > 0.97);
    assert_true(as_is.near < 2000 + 8 * (2000 / NEAR_ROWS + 1));
    pattern_free(&p);
}

/* A cache of two rows, then of three; a row that does not follow. */
static void
test_traffic(void **state)
{
    int32_t ptr[] = {0, 2, 4, 6}, crd[] = {0, 1, 1, 2, 0, 1};
    int32_t order[] = {2, 0, 1};
    const sb_view v = {.rows = 3,
                       .cols = 3,
                       .nnz = 6,
                       .block = 1,
                       .ptr = ptr,
                       .crd = crd,
                       .ptr_type = SB_I32,
                       .crd_type = SB_I32,
                       .slot_type = SB_I32};
    sb_row_traffic t;

    (void)state;
    assert_int_equal(sb_row_traffic_count(&t, &v, NULL, 2, 3), SB_OK);
    assert_int_equal(t.near, 6);
    assert_int_equal(t.far, 5);
    assert_int_equal(t.jumps, 0);
    assert_int_equal(sb_row_traffic_count(&t, &v, order, 2, 3), SB_OK);
    assert_int_equal(t.near, 6);
    assert_int_equal(t.far, 3);
    assert_int_equal(t.jumps, 1);
}

/* ---- the planner ---------------------------------------------------------------- */

static void
keeps(const pattern *p, const sb_target *target, int64_t n, int64_t gap,
      const char *why)
{
    double seconds;
    const char *dropped = weighed(p, target, n, gap, SB_EFFORT_ESTIMATE, &seconds);

    assert_non_null(dropped);
    assert_string_equal(dropped, why);
    assert_true(seconds == 1);
}

static void
test_weighed(void **state)
{
    static const char not_looked[] = "not looked at",
                      no_gain[] = "the matrix's own order of rows finds as much in the "
                                  "caches";
    const sb_target zen4 = {
        .isa = SB_ISA_V4, .l2 = 2 * NEAR_ROWS * 1024, .l3 = 2 * FAR_ROWS * 1024};
    sb_target other = zen4;
    pattern mixed = pattern_new(2000, 8, 40), band = pattern_new(2000, 8, 0);
    pattern random = pattern_new(2000, 8, 1), wide = mixed;
    double seconds;

    (void)state;
    assert_null(weighed(&mixed, &zen4, 256, 0, SB_EFFORT_ESTIMATE, &seconds));
    assert_true(seconds < 0.65);
    keeps(&band, &zen4, 256, 0, no_gain);
    keeps(&random, &zen4, 256, 0, no_gain);
    /* its making would take too many products, but for who times some 100 */
    keeps(&mixed, &zen4, 128, 0, not_looked);
    assert_null(weighed(&mixed, &zen4, 128, 0, SB_EFFORT_MEASURE, &seconds));
    keeps(&mixed, &zen4, 256, 4, not_looked); /* rows of C that are no whole lines */
    wide.v.crd_type = SB_I64;                 /* no kernels at hand */
    keeps(&wide, &zen4, 256, 0, not_looked);
    other.l3 = (size_t)1 << 30;
    keeps(&mixed, &other, 256, 0, not_looked);
    other.isa = SB_ISA_V4G; /* where L3 is far: from L2 on, if C goes past the caches */
    assert_null(weighed(&mixed, &other, 256, 0, SB_EFFORT_ESTIMATE, &seconds));
    assert_true(seconds < 0.7);
    keeps(&band, &other, 256, 0, no_gain);
    keeps(&mixed, &other, 256, 4, not_looked);
    assert_null(weighed(&mixed, &other, 128, 0, SB_EFFORT_ESTIMATE, &seconds));
    keeps(&mixed, &other, 112, 0,
          not_looked); /* of 448 bytes, which close no triangles */
    keeps(&wide, &other, 256, 0, not_looked);
    other.l2 = (size_t)2000 * 40 - 1; /* which its making leaves */
    keeps(&mixed, &other, 128, 0, not_looked);
    assert_null(weighed(&mixed, &other, 256, 0, SB_EFFORT_ESTIMATE, &seconds));
    other.l2 = (size_t)2000 * 1024;
    keeps(&mixed, &other, 256, 0, not_looked);
    other = zen4;
    other.isa = SB_ISA_V3; /* which asks and streams from less of L3 on */
    other.l3 = (size_t)2000 * 2 * 1024;
    assert_null(weighed(&mixed, &other, 256, 0, SB_EFFORT_ESTIMATE, &seconds));
    other.l3 = (size_t)2000 * 3 * 1024;
    keeps(&mixed, &other, 256, 0, not_looked);
    pattern_free(&mixed);
    pattern_free(&band);
    pattern_free(&random);
}

/* On Zen 5, rows of B of 512 bytes too; more than rows gain, which have fewer of their entries from
 * near. */
static void
test_weighed_windows(void **state)
{
    const sb_target zen4 = {
        .isa = SB_ISA_V4, .l2 = 2 * NEAR_ROWS * 1024, .l3 = 2 * FAR_ROWS * 1024};
    const priced two = {2, 2, 3, 0};
    sb_target zen5 = zen4;
    pattern half = pattern_new(1000, 8, 20);
    pattern mixed = pattern_times(&half, 2), band = pattern_new(2000, 8, 0);
    double rows, seconds;

    (void)state;
    zen5.wide = true;
    assert_int_equal(0, lists_windows(&mixed, &zen4, 256, two, &seconds));
    assert_int_equal(1, lists_windows(&mixed, &zen5, 256, two, &seconds));
    assert_null(weighed(&mixed, &zen4, 256, 0, SB_EFFORT_ESTIMATE, &rows));
    assert_true(seconds < 0.9 * rows);
    assert_int_equal(1, lists_windows(&mixed, &zen5, 128, two, &seconds));
    zen5.l3 = 2 * 2000 * 64 * 4 + 1; /* L3 holds a slab, whose rows are asked for */
    assert_int_equal(0, lists_windows(&mixed, &zen5, 256, two, &seconds));
    zen5.l3--;
    assert_int_equal(1, lists_windows(&mixed, &zen5, 256, two, &seconds));
    zen5.l3 = zen4.l3;
    assert_int_equal(0, lists_windows(&mixed, &zen5, 64, two, &seconds));
    assert_int_equal(0, lists_windows(&band, &zen5, 256, two, &seconds));
    assert_true(seconds == 1);
    pattern_free(&half);
    pattern_free(&mixed);
    pattern_free(&band);
}

/* ---- products ------------------------------------------------------------------- */

typedef struct series {
    sb_format format;
    sb_trans trans;
    sb_dtype value, c_type, compute, index;
    int batch;
    bool frozen;
} series;

static sb_plan *
forced(const sb_problem *pb, const char *text, bool frozen)
{
    const sb_options opt = {
        .plan = text, .memory_limit = (int64_t)1 << 30, .values_frozen = frozen};
    sb_diag diag = {0};
    sb_plan *plan;

    if (sb_plan_create(&plan, pb, &opt, &diag) != SB_OK)
        fail_msg("%s: %s", text, diag.text);
    return plan;
}

static int tried; /* plans that were more than the reference kernel */

/* C by the text, in a copy of what pb->c has. */
static sb_dense
product(const sb_problem *pb, const char *text, bool frozen, const char *has)
{
    sb_plan *plan = forced(pb, text, frozen);
    sb_problem mine = *pb;
    sb_diag diag = {0};

    mine.c = gen_copy_dense(&pb->c);
    if (sb_execute(plan, &mine, &diag) != SB_OK)
        fail_msg("%s: %s", text, diag.text);
    if (plan->nstep > 0) {
        tried++;
        assert_non_null(strstr(plan->text, has));
    }
    sb_plan_release(plan);
    return mine.c;
}

static void
try_series(const series *sr, int64_t rows, int64_t cols, uint64_t seed)
{
    const gen_spec spec = {.family = seed % 2 ? GEN_POWER_LAW : GEN_ROW_RUNS,
                           .rows = rows,
                           .cols = cols,
                           .density = 0.1,
                           .seed = seed,
                           .format = sr->format,
                           .ptr_type = sr->index,
                           .idx_type = sr->index,
                           .val_type = sr->value,
                           .base = (int)(seed % 2),
                           .batch = sr->batch,
                           .integer = true};
    const bool turned = sr->trans != SB_TRANS_N;
    const char *ordered = sr->frozen
                              ? "(plan spmm (part pick order) (tile 32) (packed))"
                              : "(plan spmm (part pick order) (tile 32))";
    const char *text = sr->frozen ? "(plan spmm (part pick) (tile 32) (packed))"
                                  : "(plan spmm (part pick) (tile 32))";
    gen_rng rng = {seed};
    sb_problem pb = {.op = SB_OP_SPMM,
                     .a = gen_matrix(&spec),
                     .trans_a = sr->trans,
                     .compute = sr->compute,
                     .alpha = gen_scalar(&rng, sr->compute),
                     .batch = sr->batch ? sr->batch : 1};
    gen_dense_spec d = {.rows = turned ? rows : cols,
                        .cols = 37,
                        .ld = 41,
                        .type = sr->value,
                        .seed = seed,
                        .batch = sr->batch,
                        .integer = true};
    sb_dense in, as_is;

    pb.a.idx_stride = 0; /* members of a batch have one structure */
    pb.beta = seed % 3 ? gen_scalar(&rng, sr->compute) : (sb_value){0, 0};
    pb.b = gen_dense(&d);
    d.rows = turned ? cols : rows;
    d.type = sr->c_type;
    pb.c = gen_dense(&d);
    in = product(&pb, ordered, sr->frozen,
                 rows == cols ? "(part pick order)" : "(part pick)");
    as_is = product(&pb, text, sr->frozen, "(part pick)");
    assert_memory_equal(in.data, as_is.data,
                        (size_t)gen_dense_extent(&in) * sb_dtype_size(in.type));
    gen_free_dense(&in);
    gen_free_dense(&as_is);
    if (sr->format == SB_FORMAT_CSR && !turned) { /* the call without a plan */
        in = product(&pb, ordered, sr->frozen, "(part pick");
        assert_int_equal(sb_execute(NULL, &pb, NULL), SB_OK);
        assert_memory_equal(in.data, pb.c.data,
                            (size_t)gen_dense_extent(&in) * sb_dtype_size(in.type));
        gen_free_dense(&in);
    }
    gen_free_matrix(&pb.a);
    gen_free_dense(&pb.b);
    gen_free_dense(&pb.c);
}

/* Each row of the pattern twice, and a row behind the last window: windows in the order of its communities,
 * and as they lie, of the same bits; what else there is of a row is its own. */
static void
test_windows(void **state)
{
    enum { NODES = 150, ROWS = 2 * NODES + 1, WIDTH = 9, N = 37 };
    static const char *const texts[] = {
        "(plan spmm (part win 2 order) (part rows flat 1) (tile 32))",
        "(plan spmm (part win 2) (part rows flat 1) (tile 32))"};
    pattern p = pattern_new(NODES, 8, 10);
    int32_t *ptr = calloc(ROWS + 1, sizeof *ptr),
            *crd = calloc(ROWS * WIDTH, sizeof *crd);
    float *val = calloc(ROWS * WIDTH, sizeof *val), *b = calloc(ROWS * N, sizeof *b),
          *c = calloc(ROWS * N, sizeof *c);
    sb_problem pb = {.op = SB_OP_SPMM,
                     .a = {.format = SB_FORMAT_CSR,
                           .rows = ROWS,
                           .cols = ROWS,
                           .ptr_type = SB_I32,
                           .idx_type = SB_I32,
                           .val_type = SB_F32,
                           .ptr = ptr,
                           .idx = crd,
                           .val = val},
                     .b = {.rows = ROWS, .cols = N, .ld = N, .type = SB_F32, .data = b},
                     .c = {.rows = ROWS, .cols = N, .ld = N, .type = SB_F32, .data = c},
                     .compute = SB_F32,
                     .alpha = {1, 0},
                     .batch = 1};
    sb_dense out[2];

    (void)state;
    for (int32_t i = 0, n = 0; i < ROWS; i++) {
        const int32_t node = i / 2 < NODES ? i / 2 : 0;

        for (int32_t q = p.ptr[node]; q < p.ptr[node + 1]; q++)
            if (q == p.ptr[node] || p.crd[q] != p.crd[q - 1])
                crd[n++] = 2 * p.crd[q];
        crd[n++] = ROWS - 1 - i % 2; /* behind the others */
        ptr[i + 1] = n;
    }
    pb.a.nnz = ptr[ROWS];
    for (int q = 0; q < pb.a.nnz; q++)
        val[q] = (float)(q % 13 - 6) * 0.1F;
    for (int q = 0; q < ROWS * N; q++)
        b[q] = (float)(q % 11 - 5) * 0.3F;
    for (int q = 0; q < 2; q++)
        out[q] = product(&pb, texts[q], false,
                         q == 0 ? "(part win 2 order)" : "(part win 2)");
    assert_memory_equal(out[0].data, out[1].data, ROWS * N * sizeof *c);
    assert_int_equal(sb_execute(NULL, &pb, NULL), SB_OK);
    for (int q = 0; q < ROWS * N; q++)
        assert_float_equal(((const float *)out[0].data)[q], c[q], 1e-4);
    for (int q = 0; q < 2; q++)
        gen_free_dense(&out[q]);
    pattern_free(&p);
    free(ptr);
    free(crd);
    free(val);
    free(b);
    free(c);
}

#define F32 SB_F32, SB_F32, SB_F32, SB_I32
#define F64L SB_F64, SB_F64, SB_F64, SB_I64
#define HALF SB_F16, SB_F32, SB_F32, SB_I32
#define C32 SB_C32, SB_C32, SB_C32, SB_I32

static void
test_products(void **state)
{
    static const series all[] = {
        {SB_FORMAT_CSR, SB_TRANS_N, F32, 0, false},
        {SB_FORMAT_CSR, SB_TRANS_N, F32, 0, true},
        {SB_FORMAT_CSR, SB_TRANS_T, F32, 0, false},
        {SB_FORMAT_CSC, SB_TRANS_N, F64L, 0, false},
        {SB_FORMAT_COO, SB_TRANS_N, F64L, 0, true},
        {SB_FORMAT_CSR, SB_TRANS_N, HALF, 0, false},
        {SB_FORMAT_CSR, SB_TRANS_H, C32, 0, false},
        {SB_FORMAT_CSR, SB_TRANS_N, F32, 3, false},
    };
    const char *path = getenv("PATH");

    (void)state;
    for (int q = 0; q < SB_COUNT(all); q++) {
        if (all[q].batch == 0)
            try_series(&all[q], 90, 90, (uint64_t)q);
        try_series(&all[q], 1, 1, (uint64_t)q + 1);
        try_series(&all[q], 30, 50, (uint64_t)q + 2); /* which keep their order */
    }
    if (path && strchr(path, '/')) /* with a compiler at hand: kernels, no reference */
        assert_true(tried > 40 || sb_kernel_get_stats().failed > 0);
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
        cmocka_unit_test(test_permutation),     cmocka_unit_test(test_without),
        cmocka_unit_test(test_shuffled),        cmocka_unit_test(test_band),
        cmocka_unit_test(test_traffic),         cmocka_unit_test(test_weighed),
        cmocka_unit_test(test_weighed_windows), cmocka_unit_test(test_windows),
        cmocka_unit_test(test_products),
    };

    return cmocka_run_group_tests(tests, start, NULL);
}
