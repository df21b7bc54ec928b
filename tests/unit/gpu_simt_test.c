/*
 * ctest-labels: quick gpu-emu
 *
 * The SIMT shim: what it lets through, and that it says so when threads part at a
 * collective or a result hangs on their order.
 */
#include "compiler/compiler.h"
#include "emulab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdint.h>
#include <string.h>

enum { THREADS = 64, BLOCKS = 3, ALL = THREADS * BLOCKS };

typedef struct args {
    int64_t param;
    int64_t pad;
    void *buf;
    int64_t t0, t1;
} args;

/* Runs the body of a kernel over 3 blocks; its sentence, or NULL without a compiler. `out`
 * is one i32 a thread, `at` its place. */
static const char *
run(const char *body, int order, int32_t *out)
{
    static char error[256];
    const emu_grid grid = {BLOCKS, 1, 1, order, error, sizeof error};
    const args a = {.buf = out};
    emu_kernel k;
    sb_strbuf text;

    sb_strbuf_init(&text);
    sb_strbuf_printf(&text,
                     "%s\nSBG_KERNEL(k, %d)(SBG_ARGS args)\n{\n"
                     "    int32_t *out = (int32_t *)args.buf[0], v = SBG_TID;\n"
                     "    const int64_t at = SBG_BX * %d + SBG_TID;\n    %s\n}\n",
                     sb_emit_gpu_prelude(), THREADS, THREADS, body);
    k = emu_load(text.s, "k");
    sb_strbuf_free(&text);
    if (!k)
        return NULL;
    memset(out, 0, ALL * sizeof *out);
    k(&a, &grid);
    return error;
}

static void
exchanges(void **state)
{
    int32_t out[ALL];

    (void)state;
    for (int o = 0; o < EMU_ORDERS; o++) {
        const char *why = run("v = SBG_DOWN(i32, v, 1, 8);\n"
                              "    v += SBG_SHFL(i32, v, 2, 4) * 100;\n"
                              "    out[at] = v;",
                              emu_orders[o], out);

        if (!why)
            skip();
        assert_string_equal(why, "");
        for (int q = 0; q < ALL; q++) {
            const int t = q % THREADS, s = t / 4 * 4 + 2;

            assert_int_equal(out[q], t + (t % 8 < 7) + (s + (s % 8 < 7)) * 100);
        }
    }
}

/* Groups go their own ways; only those of one group must agree. */
static void
groups_differ(void **state)
{
    int32_t out[ALL];
    const char *why = run("for (int q = 0; q < SBG_TID / 8; q++)\n"
                          "        v = SBG_SHFL(i32, v, q, 8) + 1;\n    out[at] = v;",
                          77, out);

    (void)state;
    if (!why)
        skip();
    assert_string_equal(why, "");
    assert_int_equal(out[7], 7);
    assert_int_equal(out[8], 9);
    assert_int_equal(out[THREADS + 17], 18);
}

static void
missing_lane(void **state)
{
    int32_t out[ALL];
    const char *why = run("if (SBG_TID != 11)\n        v = SBG_SHFL(i32, v, 0, 8);\n"
                          "    out[at] = v;",
                          0, out);

    (void)state;
    if (!why)
        skip();
    assert_non_null(strstr(why, "not all threads of a collective came to it"));
    assert_non_null(strstr(why, "thread 8 of block 0, 0"));
}

static void
two_places(void **state)
{
    int32_t out[ALL];
    const char *why = run("if (SBG_TID % 2)\n        v = SBG_SHFL(i32, v, 0, 8);\n"
                          "    else\n        v = SBG_SHFL(i32, v, 0, 8);\n"
                          "    out[at] = v;",
                          1, out);

    (void)state;
    if (!why)
        skip();
    assert_non_null(strstr(why, "not all threads of a collective came to it"));
    assert_non_null(strstr(why, "of block 2, 0")); /* blocks backward, too */
}

/* Who comes last wins: forward and backward must not agree. */
static void
order_shows(void **state)
{
    int32_t forward[ALL], backward[ALL];

    (void)state;
    if (!run("out[0] = (int32_t)at + v;", 0, forward))
        skip();
    assert_string_equal(run("out[0] = (int32_t)at + v;", 1, backward), "");
    assert_int_equal(forward[0], ALL - 1 + THREADS - 1);
    assert_int_equal(backward[0], 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exchanges), cmocka_unit_test(groups_differ),
        cmocka_unit_test(missing_lane), cmocka_unit_test(two_places),
        cmocka_unit_test(order_shows)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
