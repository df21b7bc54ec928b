/*
 * On Zen 5 (level v4, its operations on 64 bytes one), and what of it Zen 3 does: what ESTIMATE chooses where rows go on from
 * one to the next, and what a call without an analysis asks for.
 */
#include "base/macro.h"
#include "cpu/cpu.h"
#include "plan_text.h"
#include "planner/direct.h"
#include "planner/rules.h"
#include "product_work.h"
#include "runtime/target.h"
#include "seen_kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static sb_matrix
matrix(gen_family family, int64_t rows, double density, sb_dtype type)
{
    const gen_spec spec = {.family = family,
                           .rows = rows,
                           .cols = rows,
                           .density = density,
                           .seed = 7,
                           .ptr_type = SB_I32,
                           .idx_type = SB_I32,
                           .val_type = type};

    return gen_matrix(&spec);
}

/* SpMV of a band of 17 goes along diagonals, values in place. */
static void
test_alike(void **state)
{
    enum { ROWS = 20000, BAND = 17 };
    static const sb_dtype types[] = {SB_F32, SB_F64};
    static int32_t ptr[ROWS + 1], crd[ROWS * BAND];
    sb_matrix a = {.format = SB_FORMAT_CSR,
                   .rows = ROWS,
                   .cols = ROWS + BAND - 1,
                   .nnz = ROWS * BAND,
                   .ptr = ptr,
                   .idx = crd,
                   .ptr_type = SB_I32,
                   .idx_type = SB_I32,
                   .batch = 1};
    char text[256];

    (void)state;
    if (!sb_target_get()->wide)
        skip();
    for (int i = 0; i < ROWS; i++) {
        ptr[i + 1] = (i + 1) * BAND;
        for (int q = 0; q < BAND; q++)
            crd[i * BAND + q] = i + q;
    }
    for (int q = 0; q < SB_COUNT(types); q++) {
        a.val_type = types[q];
        a.val = crd; /* an analysis reads no values */
        plan_text(text, sizeof text, &a, 1, types[q], false);
        if (!strstr(text, "(part alike)"))
            fail_msg("%s", text);
    }
}

/* Vectors of SpMV's groups go on from row to row on Zen 3, 4 and 5, of elements that are computed with
 * as they are; rows that have seven entries and more, fourteen of floats and short columns, go
 * so without an analysis. */
static void
test_flows(void **state)
{
    static const sb_target zen5 = {.isa = SB_ISA_V4, .wide = true, .l3 = 32 << 20},
                           zen4 = {.isa = SB_ISA_V4, .l3 = 32 << 20},
                           zen3 = {.isa = SB_ISA_V3, .l3 = 32 << 20};

    (void)state;
    for (int size = 4; size <= 8; size += 4) {
        sb_work w = {.op = SB_OP_SPMV,
                     .m = 1000,
                     .nnz = 20000,
                     .a_size = size,
                     .b_size = size,
                     .compute_size = size,
                     .idx_size = 4,
                     .a_type = size == 4 ? SB_F32 : SB_F64};
        const double more = size == 4 ? 15 : 8, less = size == 4 ? 13 : 6;

        assert_int_equal(sb_rule_together(&w, &zen5, SB_PART_SEG, 0, 20, 0),
                         SB_SPEC_FLOW);
        assert_int_equal(sb_rule_together(&w, &zen3, SB_PART_SEG, 0, 20, 0),
                         SB_SPEC_FLOW);
        assert_int_equal(sb_rule_together(&w, &zen4, SB_PART_SEG, 0, 20, 0),
                         SB_SPEC_FLOW);
        assert_int_equal(sb_rule_in_place(&w, &zen5, more), SB_PART_SEG);
        assert_int_equal(sb_rule_in_place(&w, &zen5, less), SB_PART_PROD);
        assert_int_equal(sb_rule_in_place(&w, &zen3, more), SB_PART_SEG);
        assert_int_equal(sb_rule_in_place(&w, &zen3, less), SB_PART_PROD);
        w.idx_size = 8; /* as of calls with 64-bit columns, whose products are slow */
        assert_int_equal(sb_rule_in_place(&w, &zen5, 8), SB_PART_SEG);
        assert_int_equal(sb_rule_in_place(&w, &zen4, 8), SB_PART_PROD);
        assert_int_equal(sb_rule_in_place(&w, &zen4, 10), SB_PART_SEG);
        w.idx_size = 4;
        w.m = 100000; /* lengths are forgotten before they come again */
        assert_int_equal(sb_rule_in_place(&w, &zen5, 13), SB_PART_PROD);
        w.nnz = (32 << 20) / (4 + size) + 1;
        assert_int_equal(sb_rule_together(&w, &zen5, SB_PART_SEG, 0, 20, 0),
                         SB_SPEC_FLOW);
        w.a_type = size == 4 ? SB_I32 : SB_C32; /* which have no such kernel, nor u2 */
        w.complex = size == 8;
        assert_int_equal(sb_rule_together(&w, &zen5, SB_PART_SEG, 0, 100, 0), 1);
        w.complex = false;
        w.a_type = SB_F16;
        w.a_size = 2;
        assert_int_equal(sb_rule_together(&w, &zen5, SB_PART_SEG, 0, 20, 0), 1);
    }
}

/* Where B and C leave L3, a band asks for what its last entries name; spread rows do not. */
static void
test_last(void **state)
{
    char text[256];

    (void)state;
    if (!sb_target_get()->wide || sb_target_get()->l3 > 128 << 20)
        skip();
    for (int q = 0; q < 2; q++) {
        sb_matrix a = matrix(q ? GEN_UNIFORM : GEN_BANDED, 60000, 5.0 / 60000, SB_F32);

        plan_text(text, sizeof text, &a, 512, SB_F32, false);
        assert_true((strstr(text, "(last 8)") != NULL) == (q == 0));
        assert_true(strstr(text, "(prefetch") == NULL || q == 1);
        plan_text(text, sizeof text, &a, 8, SB_F32, false);
        assert_null(strstr(text, "(last"));
        gen_free_matrix(&a);
    }
}

/* A call without an analysis asks likewise, by samples of the rows. */
static void
test_direct(void **state)
{
    float none[1];

    (void)state;
    if (!sb_target_get()->wide || sb_target_get()->l3 > 128 << 20)
        skip();
    sb_backend_set(&seen_backend);
    for (int q = 0; q < 2; q++) {
        sb_matrix a = matrix(q ? GEN_UNIFORM : GEN_BANDED, 60000, 5.0 / 60000, SB_F32);
        sb_problem pb = by_rows(60000, 512);

        pb.a = a;
        pb.b.ld = pb.c.ld = 512;
        pb.b.data = pb.c.data = none;
        pb.alpha.re = 1;
        pb.batch = 1;
        seen_last = -2;
        assert_int_equal(sb_direct_run(&pb, NULL), SB_OK);
        assert_true(q ? seen_last <= 0 : seen_last == 8);
        gen_free_matrix(&a);
    }
    sb_backend_set(&sb_cpu_backend);
}

/* Rows cut short are one tile as far as registers go: of floats on Zen 4, too, of doubles on Zen 5 alone. */
static void
test_one_tile(void **state)
{
    const sb_target zen4 = {.isa = SB_ISA_V4}, zen5 = {.isa = SB_ISA_V4, .wide = true},
                    zen3 = {.isa = SB_ISA_V3};
    sb_work w = product(200, 4), d = product(100, 8);

    (void)state;
    w.a_type = SB_F32;
    d.a_type = SB_F64;
    assert_int_equal(sb_rule_tile_of(&w, &zen4, SB_PART_CSR, 0, 0, 0), 256);
    assert_int_equal(sb_rule_tile_of(&w, &zen5, SB_PART_CSR, 0, 0, 0), 256);
    w.n = 208; /* short rows, whole lines */
    w.m = 1000;
    w.nnz = 3000;
    assert_int_equal(sb_rule_tile_of(&w, &zen4, SB_PART_CSR, 0, 64, 0), 128);
    assert_int_equal(sb_rule_tile_of(&w, &zen5, SB_PART_CSR, 0, 64, 0), 256);
    assert_true(sb_rule_tile_of(&w, &zen3, SB_PART_CSR, 0, 0, 0) <= 128);
    assert_true(sb_rule_tile_of(&d, &zen4, SB_PART_CSR, 0, 0, 0) <= 64);
    assert_int_equal(sb_rule_tile_of(&d, &zen5, SB_PART_CSR, 0, 0, 0), 128);
}

/* On Zen 4 C is not stored past the caches by a tile cut short, the one of 256 columns among them. */
static void
test_cut_tiles(void **state)
{
    const sb_target zen4 = {
        .isa = SB_ISA_V4, .threads = 2, .l2 = 1 << 20, .l3 = 32 << 20};

    (void)state;
    for (int64_t n = 128; n <= 256; n += 8) {
        sb_work w = product(n, 4);

        w.a_type = SB_F32;
        w.m = w.k = 1000000;
        w.nnz = 4 * w.m;
        assert_int_equal(sb_rule_past(&w, 4, &zen4), n % 16 == 0);
    }
}

/* Rows that follow each other: most rows, empty ones left out; of reals on Zen 4 and 5. */
static void
test_rows_alike(void **state)
{
    const sb_target zen3 = {.isa = SB_ISA_V3}, zen4 = {.isa = SB_ISA_V4},
                    zen5 = {.isa = SB_ISA_V4, .wide = true};
    sb_stats s = {.rows = 1000, .follows = 0.6, .empty = 50};
    sb_work w = product(1, 4);

    (void)state;
    assert_true(sb_rule_alike(&w, &zen3, &s) && sb_rule_alike(&w, &zen5, &s));
    assert_true(sb_rule_alike(&w, &zen4, &s));
    s.empty = 150;
    assert_true(sb_rule_alike(&w, &zen3, &s));
    assert_false(sb_rule_alike(&w, &zen5, &s) || sb_rule_alike(&w, &zen4, &s));
    s.empty = 0;
    w.complex = true;
    assert_false(sb_rule_alike(&w, &zen5, &s));
    w.complex = false;
    w.a_size = 2;
    assert_false(sb_rule_alike(&w, &zen5, &s));
    w.a_size = 4;
    s.follows = 0.49;
    assert_false(sb_rule_alike(&w, &zen3, &s) || sb_rule_alike(&w, &zen5, &s));
}

/* Zen 5: where each row of A goes on to a row of B that none before has named, that one alone is asked
 * for, of rows of B of four lines and more that lie by rows; what most entries find in a cache is
 * not asked for at all, short of three rows of A that ask together. */
static void
test_asks_for_last(void **state)
{
    sb_target t = {.isa = SB_ISA_V4, .wide = true, .l3 = 32 << 20};
    sb_problem pb = by_rows(100000, 128);
    sb_work w = product(128, 4);

    (void)state;
    w.m = w.k = 30000; /* A of 1.2 MB, B and C of 15.4 each: less than 40.3 */
    w.nnz = 300000;
    assert_int_equal(sb_rule_last(&w, 30000 * 512.0, 0.7, &t), 0);
    w.m = 60000;
    assert_int_equal(sb_rule_last(&w, 30000 * 512.0, 0.7, &t), 8);
    assert_int_equal(sb_rule_last(&w, 30000 * 512.0, 0.69, &t), 0);
    t = (sb_target){.isa = SB_ISA_V4G, .l3 = 32 << 20};
    assert_int_equal(sb_rule_last(&w, 1e9, 1, &t), 0);
    t = (sb_target){.isa = SB_ISA_V4, .wide = true, .l3 = 32 << 20};
    w.col_major = true;
    assert_int_equal(sb_rule_last(&w, 1e9, 1, &t), 0);
    w.col_major = false;
    w.n = 63;
    assert_int_equal(sb_rule_last(&w, 1e9, 1, &t), 0);
    w.n = 64;
    assert_int_equal(sb_rule_last(&w, 1e9, 1, &t), 8);
    w.complex = true;
    assert_int_equal(sb_rule_last(&w, 1e9, 1, &t), 0);
    w.complex = false;
    w.compute_size = 8;
    assert_int_equal(sb_rule_last(&w, 1e9, 1, &t), 0);
    w.compute_size = 4;
    w.op = SB_OP_SDDMM;
    assert_int_equal(sb_rule_last(&w, 1e9, 1, &t), 0);
    pb.a.idx_type = SB_I32;
    pb.a.nnz = 1900000;
    assert_int_equal(sb_rule_prefetch(&pb, 1e9, 0, 1, true, &t), 56);
    pb.a.nnz = 2000000;
    assert_int_equal(sb_rule_prefetch(&pb, 1e9, 0, 1, true, &t), 0);
    assert_int_equal(sb_rule_prefetch(&pb, 1e9, 0, 3, true, &t), 64);
    t.wide = false;
    assert_int_equal(sb_rule_prefetch(&pb, 1e9, 0, 1, true, &t), 64);
}

static int
start(void **state)
{
    (void)state;
    sb_backend_set(&sb_cpu_backend);
    return setenv("SPBLAS_ISA", "v4w", 1) || setenv("SPBLAS_JIT", "off", 1) ||
           setenv("SPBLAS_MODEL", "off", 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alike),      cmocka_unit_test(test_flows),
        cmocka_unit_test(test_last),       cmocka_unit_test(test_direct),
        cmocka_unit_test(test_cut_tiles),  cmocka_unit_test(test_one_tile),
        cmocka_unit_test(test_rows_alike), cmocka_unit_test(test_asks_for_last)};

    return cmocka_run_group_tests(tests, start, NULL);
}
