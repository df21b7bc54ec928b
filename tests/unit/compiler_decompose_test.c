/*
 * Format decomposition: same meaning on every format, names, what is dropped, copies,
 * malformed rules.
 */
#include "irworld.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const sb_prog *
decompose(ir_bench *b, const sb_prog *p, const char *rules, bool copy)
{
    const sb_prog *q = NULL;

    if (sb_pass_decompose(&q, &b->ir, p, rules, copy) != SB_OK ||
        sb_prog_verify(q, &b->diag) != SB_OK)
        fail_msg("%s", b->diag.text);
    return q;
}

static void
check_worlds(const sb_prog *a, const sb_prog *b)
{
    for (uint64_t seed = 0; seed < 15; seed++) {
        ir_world w;

        ir_world_make(&w, seed, 1 + (int64_t)(seed % 5), (int64_t)(seed % 4),
                      1 + (int64_t)(seed % 6), 2);
        assert_true(ir_world_same(&w, a, b));
        ir_world_free(&w);
    }
}

static void
assert_text(const sb_prog *p, const char *what, bool there)
{
    sb_strbuf text = ir_text(p);

    if ((strstr(text.s, what) != NULL) != there)
        fail_msg("'%s' is %s\n%s", what, there ? "missing" : "there", text.s);
    sb_strbuf_free(&text);
}

static void
test_same_meaning(void **state)
{
    static const char *const ops[] = {ir_spmm, ir_spmv, ir_sddmm};
    static const char *const rules[] = {ir_rule_rows, ir_rule_ell, ir_rule_pad,
                                        ir_rule_bsr};

    (void)state;
    for (int o = 0; o < 3; o++) {
        for (int r = 0; r < 4; r++) {
            const sb_prog *p, *q;
            sb_strbuf text;
            ir_bench b;

            ir_bench_open(&b);
            p = ir_bench_parse(&b, ops[o]);
            q = decompose(&b, p, rules[r], false);
            check_worlds(p, q);
            text = ir_text(q);
            check_worlds(p,
                         ir_bench_parse(&b, text.s)); /* prints in a readable order */
            sb_strbuf_free(&text);
            ir_bench_close(&b);
        }
    }
}

static void
test_names_and_leftovers(void **state)
{
    const sb_prog *p, *q;
    ir_bench b;

    (void)state;
    ir_bench_open(&b);
    p = ir_bench_parse(&b, ir_spmm);
    q = decompose(&b, p, ir_rule_rows, false);
    assert_text(q, "iter spmm_rows (%o : S #O, %r : S #R, %e : R #E, %c : S #N)", true);
    assert_text(q, "$C[%r, %c] += %alpha * $A[%o, %r, %e] * $B[%e, %c]", true);
    assert_text(q, "A_ptr", false);
    assert_text(q, "axis #J", false);
    assert_text(q, "A_crd", true);
    q = decompose(&b, p, ir_rule_bsr, false);
    assert_text(q, "(%io : S #IO, %ii : S #II, %jo : R #JO, %ji : R #JI, %c", true);
    assert_text(q, "nnz %nnz, val $bsr_pos", true);
    ir_bench_close(&b);
}

/* A new array: filled by the copy iteration, then computed from. */
static void
test_copy(void **state)
{
    const sb_prog *p, *q;
    ir_bench b;

    (void)state;
    ir_bench_open(&b);
    p = ir_bench_parse(&b, ir_spmm);
    q = decompose(&b, p, ir_rule_ell_copy, true);
    assert_text(q, "iter copy_ell", true);
    assert_text(q, "$A_ell[%o, %r, %e] = $A[%r, %e]", true);
    check_worlds(p, q);
    q = decompose(&b, p, ir_rule_ell_copy, false);
    assert_text(q, "iter copy", false);
    assert_text(q, "buf $A_ell : f32[#O, #R, #E] in", true);
    assert_text(q, "buf $A :", false);
    ir_bench_close(&b);
}

static void
test_own_name(void **state)
{
    char rule[2048] = "rule ell for $A as $ell_val {";
    const sb_prog *q;
    ir_bench b;

    (void)state;
    ir_bench_open(&b);
    (void)strcat(rule, strchr(ir_rule_ell_copy, '{') + 1);
    q = decompose(&b, ir_bench_parse(&b, ir_spmm), rule, false);
    assert_text(q, "buf $ell_val : f32[#O, #R, #E] in", true);
    ir_bench_close(&b);
}

/* Two rules: two copies, one start, two computations. */
static void
test_two_rules(void **state)
{
    char rules[4096], *o;
    const sb_prog *q;
    ir_bench b;

    (void)state;
    ir_bench_open(&b);
    (void)strcpy(rules, ir_rule_ell_copy);
    (void)strcat(rules, "rule bsr for $A {\n"
                        "  param %bsr_count : i64\n"
                        "  buf $bsr_ptr : i32[%m / 2 + 1] aux\n"
                        "  buf $bsr_crd : i32[%bsr_count] aux\n"
                        "  axis #IO = dense_fixed(%m / 2)\n"
                        "  axis #JO = sparse_variable(#IO, %k / 2, nnz %bsr_count, ptr "
                        "$bsr_ptr, crd $bsr_crd)\n"
                        "  axis #II = dense_fixed(2)\n"
                        "  axis #JI = dense_fixed(2)\n"
                        "  inv (%io, %jo, %ii, %ji) -> (%io * 2 + %ii, %jo * 2 + %ji)\n"
                        "  map (%i, %j) -> (%i / 2, %j / 2, %i mod 2, %j mod 2)\n"
                        "  axes #I -> #IO, #II ; #J -> #JO, #JI\n"
                        "}\n");
    q = decompose(&b, ir_bench_parse(&b, ir_spmm), rules, true);
    assert_int_equal(q->body.n, 5);
    for (int r = 0; r < 5; r++) {
        static const char *const names[] = {"copy_ell", "copy_bsr", "spmm_init",
                                            "spmm_ell", "spmm_bsr"};

        assert_string_equal(q->body.at[r]->u.iter.name, names[r]);
        assert_int_equal(q->body.at[r]->u.iter.init.n, 0);
    }
    assert_text(q, "iter spmm_init (%i : S #I, %c : S #N) {", true);
    assert_int_equal(sb_prog_verify(q, &b.diag), SB_OK);

    o = strstr(rules, "$A {");
    memmove(o + 7, o + 2, strlen(o + 2) + 1);
    memcpy(o, "$A same", 7);
    assert_int_equal(
        sb_pass_decompose(&q, &b.ir, ir_bench_parse(&b, ir_spmm), rules, true),
        SB_EINVAL);
    assert_non_null(strstr(b.diag.text, "alone"));
    ir_bench_close(&b);
}

/* Every prefix of a rule and every rule with one byte changed ends in a status. */
static void
test_malformed(void **state)
{
    static const struct {
        const char *from, *to, *why;
    } edits[] = {{"rule", "role", "expected rule"},
                 {"$A same", "$Z same", "no buffer"},
                 {"map (%i, %j)", "map (%i)", "2 coordinates, not 1"},
                 {"(0, %i, %j)", "(0, %i)", "3 coordinates, not 2"},
                 {"-> (%r, %e)", "-> (%r, %q)", "no variable"},
                 {"#J -> #E", "#J -> #I", "declared in the rule"},
                 {"axes #I", "axes #Q", "axis of $A"},
                 {"inv", "ivn", "expected param"}};
    const size_t n = strlen(ir_rule_rows);
    char text[2048];

    (void)state;
    for (int q = 0; q < SB_COUNT(edits); q++) {
        const char *at = strstr(ir_rule_rows, edits[q].from);
        const sb_prog *out;
        ir_bench b;

        ir_bench_open(&b);
        memcpy(text, ir_rule_rows, (size_t)(at - ir_rule_rows));
        (void)strcpy(text + (at - ir_rule_rows), edits[q].to);
        (void)strcat(text, at + strlen(edits[q].from));
        assert_int_equal(
            sb_pass_decompose(&out, &b.ir, ir_bench_parse(&b, ir_spmm), text, false),
            SB_EPARSE);
        assert_null(out);
        if (!strstr(b.diag.text, edits[q].why))
            fail_msg("%s: %s", edits[q].to, b.diag.text);
        ir_bench_close(&b);
    }
    for (size_t cut = 0; cut + 2 < n; cut += 3) {
        const sb_prog *out;
        ir_bench b;

        ir_bench_open(&b);
        memcpy(text, ir_rule_rows, n + 1);
        text[cut] = '\0';
        assert_int_equal(
            sb_pass_decompose(&out, &b.ir, ir_bench_parse(&b, ir_spmm), text, false),
            SB_EPARSE);
        ir_bench_close(&b);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_meaning), cmocka_unit_test(test_names_and_leftovers),
        cmocka_unit_test(test_copy),         cmocka_unit_test(test_own_name),
        cmocka_unit_test(test_two_rules),    cmocka_unit_test(test_malformed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
