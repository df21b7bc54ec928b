/*
 * SpMV where registers have 32 bytes (level v3): what ESTIMATE has to choose from.
 */
#include "base/macro.h"
#include "cpu/cpu.h"
#include "plan_text.h"
#include "runtime/backend.h"
#include "runtime/target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Short rows along a band. */
static gen_spec
band(int64_t cols)
{
    return (gen_spec){
        .family = GEN_BANDED, .rows = 20000, .cols = cols, .density = 4e-4};
}

/* Columns go on by two every three rows, so few rows follow each other: sums of products are the
 * form of short rows of floats, vectors that go on from row to row that of doubles. */
static void
test_products(void **state)
{
    char text[256];

    (void)state;
    if (sb_target_get()->isa != SB_ISA_V3)
        skip();
    plan_text_of(text, sizeof text, band(13000), 1, SB_F32, false);
    assert_non_null(strstr(text, "(part prod)"));
    plan_text_of(text, sizeof text, band(13000), 1, SB_F64, false);
    assert_non_null(strstr(text, "(part seg)"));
    assert_non_null(strstr(text, "(unroll 4)"));
}

/* Rows that follow each other go along diagonals, packed under the promise. */
static void
test_alike(void **state)
{
    static const sb_dtype types[] = {SB_F32, SB_F64};
    char text[256];

    (void)state;
    if (sb_target_get()->isa != SB_ISA_V3)
        skip();
    for (int q = 0; q < SB_COUNT(types); q++) {
        plan_text_of(text, sizeof text, band(20000), 1, types[q], false);
        assert_non_null(strstr(text, "(part alike)"));
        plan_text_of(text, sizeof text, band(20000), 1, types[q], true);
        assert_non_null(strstr(text, "(part hdia)"));
    }
}

/* Rows of blocks share their columns: read in place, or packed, as blocks that begin anywhere. */
static void
test_blocks(void **state)
{
    static const sb_dtype types[] = {SB_F32, SB_F64};
    gen_spec spec = {.family = GEN_BLOCKS, .rows = 960, .cols = 960};
    char text[256], part[32];

    (void)state;
    if (sb_target_get()->isa != SB_ISA_V3)
        skip();
    for (int q = 0; q < SB_COUNT(types); q++)
        for (spec.block = 3; spec.block <= 8; spec.block += spec.block < 4 ? 1 : 2) {
            plan_text_of(text, sizeof text, spec, 1, types[q], false);
            assert_null(strstr(text, "packed"));
            plan_text_of(text, sizeof text, spec, 1, types[q], true);
            (void)snprintf(part, sizeof part, "(part ubcsr %d ",
                           spec.block % 4 ? 3 : 4);
            assert_non_null(strstr(text, part));
        }
}

static int
start(void **state)
{
    (void)state;
    sb_backend_set(&sb_cpu_backend);
    return setenv("SPBLAS_ISA", "v3", 1) || setenv("SPBLAS_JIT", "off", 1) ||
           setenv("SPBLAS_MODEL", "off", 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products),
                                       cmocka_unit_test(test_alike),
                                       cmocka_unit_test(test_blocks)};

    return cmocka_run_group_tests(tests, start, NULL);
}
