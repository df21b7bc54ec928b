/*
 * Tiles cut short are written once for each number of vectors; what must run whatever that
 * number is stays as it was. Values: tests/prop/kernels_recipes_test.c.
 */
#include "emits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char head[] =
    "prog @tail stage 3 {\n  param %n : i64\n  param %m : i64\n  param %k : i64\n"
    "  assume %n >= 0 && %n <= 64\n  assume %m >= 0 && %m <= 64\n"
    "  buf $a : f32[%k] in\n  buf $b : f32[%k * 64 + 64] in\n  buf $c : f32[64] inout\n"
    "  buf $d : f32[1] inout\n";
static const char foot[] = "}\n";

static bool
has_tail(const char *text)
{
    return emits(head, text, foot, "SBK_TAIL(");
}

#define SUMS "local $s : f32[64]\n for %c in 0 .. 64 vector(64) { $s[%c] = 0.0 }\n"
#define ENTRIES(n)                          \
    "for %p in 0 .. %k { for %c in 0 .. " n \
    " vector(64) { $s[%c] += $a[%p] * $b[%p * 64 + %c] } }\n"
#define STORE(n) "for %c in 0 .. " n " vector(64) { $c[%c] = $s[%c] }\n"

static void
test_tail(void **state)
{
    (void)state;
    assert_true(has_tail(SUMS ENTRIES("%n") STORE("%n")));
    assert_true(emits(head, SUMS ENTRIES("%n") STORE("%n"), foot,
                      "SBK_TAIL_PART(c_v_, c_v__hi_, SBK_N4_16, w_, SBK_TAIL_STEP(64 / "
                      "SBK_N4_16))"));
}

static void
test_others(void **state)
{
    static const char *const bodies[] = {
        /* all lanes there; no loop over entries; another bound, or one of the body's own */
        SUMS ENTRIES("64") STORE("64"),
        SUMS "for %c in 0 .. %n vector(64) { $s[%c] += $b[%c] }\n" STORE("%n"),
        SUMS ENTRIES("%n") STORE("%m"),
        SUMS "local $r : f32[64]\n for %c in 0 .. 64 vector(64) { $r[%c] = 0.0 }\n"
             "for %p in 0 .. %k { for %c in 0 .. %m vector(64) { $r[%c] += $a[%p] * "
             "$b[%p * 64 + %c] } }\n" ENTRIES("%n")
                 STORE("%n") "for %c in 0 .. %m vector(64) { $c[%c] += $r[%c] }\n",
        SUMS "let %l = %n + 0 * %m\n let %h = %l - 1\n" ENTRIES("%h") STORE("%h"),
        /* memory that is written whatever the number of lanes is */
        SUMS ENTRIES("%n") STORE("%n") "$d[0] = 1.0\n",
        SUMS "if %n > 3 { $d[0] = 1.0 }\n" ENTRIES("%n") STORE("%n"),
        /* one vector */
        "local $s : f32[16]\n for %c in 0 .. 16 vector(16) { $s[%c] = 0.0 }\n"
        "for %p in 0 .. %k { for %c in 0 .. min(16, %n) vector(16) { $s[%c] += $a[%p] "
        "* "
        "$b[%p * 64 + %c] } }\n"
        "for %c in 0 .. min(16, %n) vector(16) { $c[%c] = $s[%c] }\n"};

    (void)state;
    for (int q = 0; q < (int)(sizeof bodies / sizeof *bodies); q++)
        if (has_tail(bodies[q]))
            fail_msg("%s", bodies[q]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tail),
                                       cmocka_unit_test(test_others)};

    return cmocka_run_group_tests_name("compiler_emit_tail", tests, NULL, NULL);
}
