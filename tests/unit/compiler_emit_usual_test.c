/*
 * Whoever calls a kernel with the values that its parameters usually have gets the code that knows
 * them (sb_emit_c_usual).
 */
#include "compiler/compiler.h"
#include "compiler/ir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char text[] =
    "prog @scale stage 3 {\n  param %n : i64\n  param %ld : i64\n"
    "  param %beta : f32\n  param %ahead : i64\n  buf $y : f32[%n * %ld] inout\n"
    "  for %i in 0 .. %n {\n    prefetch $y[%i * %ld + %ahead]\n"
    "    $y[%i * %ld] = %beta * $y[%i * %ld]\n  }\n}\n";

static sb_arena arena;
static sb_ir ir;
static sb_strbuf out;

/* The C with copies for these. */
static const char *
emitted(const sb_emit_usual *usual, int n)
{
    const sb_prog *p;

    sb_strbuf_free(&out);
    sb_strbuf_init(&out);
    assert_int_equal(sb_prog_parse(&p, &ir, text, sizeof text - 1), SB_OK);
    assert_int_equal(sb_emit_c_usual(&out, p, "f", NULL, usual, n), SB_OK);
    return out.s;
}

static void
test_sizes(void **state)
{
    const sb_emit_usual set[] = {{.param = "ld", .value = 32}, {.param = "zz"}};
    const char *c = emitted(set, 2);

    (void)state;
    assert_non_null(strstr(c, "int64_t t1, const int64_t ld)\n"));
    assert_non_null(strstr(c, "__builtin_expect(param[1].i == 32, 1))\n"
                              "        f_for(buf, param, t0, t1, 32);\n"));
    assert_non_null(
        strstr(c, "else\n        f_for(buf, param, t0, t1, param[1].i);\n"));
    assert_null(strstr(c, "ld = param"));
    assert_null(strstr(c, "zz"));
    assert_null(strstr(emitted(set + 1, 1), "f_for"));
}

/* All are known, or sizes alone. */
static void
test_scalars(void **state)
{
    const sb_emit_usual set[] = {{.param = "ld", .value = 32}, {.param = "beta"}};
    const char *c = emitted(set, 2);

    (void)state;
    assert_non_null(strstr(c, "const int64_t ld, const float beta)\n"));
    assert_non_null(strstr(c, "    if (__builtin_expect(param[1].i == 32, 1) && "
                              "__builtin_expect(param[2].f[0] == 0.0f, 1))\n"
                              "        f_for(buf, param, t0, t1, 32, 0.0f);\n"));
    assert_non_null(strstr(c,
                           "    if (__builtin_expect(param[1].i == 32, 1))\n"
                           "        f_for(buf, param, t0, t1, 32, param[2].f[0]);\n"));
    assert_non_null(
        strstr(c, "f_for(buf, param, t0, t1, param[1].i, param[2].f[0]);\n"));
}

/* One of which the rest does not depend may be another. */
static void
test_either(void **state)
{
    const sb_emit_usual set[] = {{.param = "ld", .value = 32},
                                 {.param = "beta"},
                                 {.param = "ahead", .either = true}};
    const char *c = emitted(set, 3);

    (void)state;
    assert_non_null(strstr(c, "    if (__builtin_expect(param[1].i == 32, 1) && "
                              "__builtin_expect(param[2].f[0] == 0.0f, 1) && "
                              "__builtin_expect(param[3].i == 0, 1))\n"
                              "        f_for(buf, param, t0, t1, 32, 0.0f, 0);\n"));
    assert_non_null(
        strstr(c, "    if (__builtin_expect(param[1].i == 32, 1) && "
                  "__builtin_expect(param[2].f[0] == 0.0f, 1))\n"
                  "        f_for(buf, param, t0, t1, 32, 0.0f, param[3].i);\n"));
    assert_non_null(strstr(
        c, "    if (__builtin_expect(param[1].i == 32, 1))\n"
           "        f_for(buf, param, t0, t1, 32, param[2].f[0], param[3].i);\n"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_scalars),
        cmocka_unit_test(test_either),
    };
    int failed;

    sb_arena_init(&arena);
    sb_ir_init(&ir, &arena, NULL);
    sb_strbuf_init(&out);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    sb_strbuf_free(&out);
    sb_arena_free(&arena);
    return failed;
}
