/*
 * Sums of neighbours, x[2 l] + x[2 l + 1], as one operation on two vectors of a local; what
 * only looks like them stays what it was. Values: tests/prop/kernels_recipes_test.c runs `seg`,
 * which is made of them.
 */
#include "base/arena.h"
#include "base/strbuf.h"
#include "compiler/compiler.h"
#include "compiler/ir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char head[] = "prog @sums stage 3 {\n  buf $x : f32[32] in\n"
                           "  buf $y : f32[16] inout\n  local $a : f32[32]\n"
                           "  local $b : f32[16]\n"
                           "  for %l in 0 .. 32 vector(32) { $a[%l] = $x[%l] }\n";
static const char foot[] = "  for %l in 0 .. 16 vector(16) { $y[%l] = $b[%l] }\n}\n";

/* Whether the C of a program with this loop has pairs. */
static bool
has_pairs(const char *loop)
{
    sb_arena arena = {0};
    sb_diag diag = {SB_OK, ""};
    sb_ir ir;
    const sb_prog *prog;
    sb_strbuf text, c;
    bool found;

    sb_ir_init(&ir, &arena, &diag);
    sb_strbuf_init(&text);
    sb_strbuf_init(&c);
    sb_strbuf_printf(&text, "%s%s%s", head, loop, foot);
    if (sb_prog_parse(&prog, &ir, text.s, text.len) != SB_OK)
        fail_msg("%s\n%s", diag.text, text.s);
    assert_int_equal(sb_emit_c(&c, prog, "f", NULL), SB_OK);
    found = strstr(c.s, "pair_f32") != NULL;
    sb_strbuf_free(&c);
    sb_strbuf_free(&text);
    sb_arena_free(&arena);
    return found;
}

static void
test_pairs(void **state)
{
    (void)state;
    assert_true(has_pairs(
        "for %l in 0 .. 16 vector(16) { $b[%l] = $a[%l * 2] + $a[%l * 2 + 1] }\n"));
}

static void
test_others(void **state)
{
    static const char *const loops[] = {
        "for %l in 0 .. 15 vector(16) { $b[%l] = $a[%l * 2] + $a[%l * 2 + 2] }\n",
        "for %l in 0 .. 16 vector(16) { $b[%l] = $a[%l * 2] + $a[%l + 1] }\n",
        "for %l in 0 .. 16 vector(16) { $b[%l] = $a[%l * 2] - $a[%l * 2 + 1] }\n",
        "for %l in 8 .. 16 vector(16) { $b[%l] = $a[%l * 2] + $a[%l * 2 + 1] }\n",
        "for %l in 0 .. 15 vector(16) { $b[%l] = $a[%l * 2] + $a[%l * 2 + 1] }\n",
        "for %l in 0 .. 16 vector(16) { $b[%l] = $x[%l * 2] + $x[%l * 2 + 1] }\n",
    };

    (void)state;
    for (size_t q = 0; q < sizeof loops / sizeof loops[0]; q++)
        assert_false(has_pairs(loops[q]));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
