/*
 * The built-in kernels among themselves: rows that are picked and stream C or ask for B ahead
 * do so with values packed as well, and the other way round, or a plan with the promise (without it)
 * would give up what the other has (docs/measured/spmm-wide-rows.md, Wide rows on Zen
 * 3). The level of fast gathers has those kernels alone whose code differs by them: lookups find
 * the others one level lower (tools/spblasc_builtin.c).
 */
#include "kernels/spec.h"
#include "runtime/kernel.h"
#include "runtime/target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static bool
built_in(const sb_kernel *t, const char *text)
{
    for (; t->spec; t++)
        if (strcmp(t->spec, text) == 0)
            return true;
    return false;
}

static void
test_packed_twins(void **state)
{
    int seen = 0;

    (void)state;
    for (int isa = 0; isa < SB_ISA_COUNT; isa++) {
        const sb_kernel *const table = sb_builtin_tables[isa];

        for (const sb_kernel *k = table; k && k->spec; k++) {
            char text[SB_SPEC_MAX];
            sb_spec spec;

            assert_int_equal(sb_spec_parse(&spec, k->spec, NULL), SB_OK);
            if (spec.op != SB_KOP_SPMM || !(spec.kinds & 1u << SB_PART_PICK) ||
                !(spec.stream || spec.prefetch))
                continue;
            seen++;
            spec.packed = !spec.packed;
            assert_int_equal(sb_spec_print(text, sizeof text, &spec), SB_OK);
            if (!built_in(table, text))
                fail_msg("\"%s\" is built in, \"%s\" is not", k->spec, text);
        }
    }
    if (!seen)
        skip();
}

static void
test_gathers_alone(void **state)
{
    const sb_kernel *const below = sb_builtin_tables[SB_ISA_V4];
    const sb_kernel *const gathers = sb_builtin_tables[SB_ISA_V4G];

    (void)state;
    if (!below || !gathers)
        skip();
    for (const sb_kernel *k = below; k->spec; k++) {
        sb_spec spec;

        assert_int_equal(sb_spec_parse(&spec, k->spec, NULL), SB_OK);
        assert_int_equal(built_in(gathers, k->spec),
                         spec.op == SB_KOP_SPMV ||
                             (spec.op == SB_KOP_SPMM && spec.unroll == SB_SPEC_FEW));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_packed_twins),
                                       cmocka_unit_test(test_gathers_alone)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
